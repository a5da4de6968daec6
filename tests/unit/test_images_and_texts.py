"""Images and texts become bags as the paper describes."""

import doctest
import os

import numpy as np
import pytest
from PIL import Image

from mimlpaper.datasets import ImageBags, TextBags, images_and_texts, scene_mosaic

SHARP = ImageBags(smoothing=0.01)  # an 8 x 8 image stays as it is


@pytest.fixture
def small(rng):
    return rng.integers(0, 256, (8, 8, 3), dtype=np.uint8)


def test_examples_in_docstrings():
    assert doctest.testmod(images_and_texts, extraglobs={"np": np}).failed == 0


def test_bag_of_a_hand_made_image():
    """The pixel in row r, column c has R = 10 r + c, G = c, B = 100, a blob is the mean of four:

    R = 10 r + c + 5.5, G = c + .5. Instance 5 = 3 * 1 + 2 is the blob in row 3, column 4:
    R = 39.5, G = 4.5. Two columns to the left R falls by 2 and G by 2; two rows up R falls by 20.
    """
    r, c = np.mgrid[:8, :8]
    image = np.stack([10 * r + c, c, np.full_like(r, 100)], axis=-1)
    bag = SHARP.transform([image])[0]
    expected = [39.5, 4.5, 100, -2, -2, 0, -20, 0, 0, 2, 2, 0, 20, 0, 0]
    np.testing.assert_allclose(bag[5], expected, atol=1e-12)
    np.testing.assert_allclose(bag[:, 0], [27.5, 28.5, 29.5, 37.5, 38.5, 39.5, 47.5, 48.5, 49.5])


def test_mosaic_gives_the_blobs_back(small):
    mosaic = scene_mosaic(SHARP.transform([small])[0])
    blobs = images_and_texts.blob_means(small[None].astype(float))[0]
    known = np.isfinite(mosaic)
    assert known.all(axis=-1).sum() == 33 and not known[:2, :2].any()
    np.testing.assert_allclose(mosaic[known], blobs[known])


def test_smoothing_averages_what_lies_around_a_sample():
    """A Gaussian keeps a linear ramp away from the border."""
    ramp = np.broadcast_to(np.arange(64)[None, :, None], (48, 64, 3)).astype(np.uint8)
    bag = ImageBags().transform([ramp])[0]
    # Samples lie at 8 (i + .5) - .5, and blob c, between samples c and c + 1, at 8 (c + 1) - .5.
    np.testing.assert_allclose(bag[:3, 0], [23.5, 31.5, 39.5], atol=1e-3)
    point = np.zeros((8, 8))
    point[3, 3] = 1.0
    bag = ImageBags(smoothing=2.0).transform([point])[0]
    weights = np.exp(-(np.subtract.outer(range(8), range(8)) ** 2) / (2 * 2.0**2))
    weights = (weights / weights.sum(axis=1, keepdims=True))[:, 3]  # of the point in each sample
    assert bag[0, 0] == pytest.approx(255 * weights[2:4].mean() ** 2)


def test_every_form_of_an_image_gives_one_bag(small, tmp_path):
    file = tmp_path / "small.png"
    Image.fromarray(small).save(file)
    opaque = np.dstack([small, np.full((8, 8), 255, np.uint8)])
    exif = Image.Exif()
    exif[0x0112] = 3  # the camera was held upside down
    Image.fromarray(small[::-1, ::-1]).save(turned := tmp_path / "turned.png", exif=exif)
    arrays = small, small.astype(int), small / 255, opaque
    for bag in SHARP.transform([*arrays, Image.open(file), file, str(file), turned]):
        np.testing.assert_allclose(bag, SHARP.transform([small])[0])
    grey = small[:, :, 0]
    expected = SHARP.transform([np.dstack([grey] * 3)])[0]
    for form in (grey, grey[:, :, None], Image.fromarray(grey)):
        np.testing.assert_allclose(SHARP.transform([form])[0], expected)
    clear = np.zeros((8, 8, 4), np.uint8)
    np.testing.assert_allclose(SHARP.transform([clear])[0][:, :3], 255)


def test_strange_images_are_named(small, tmp_path):
    Image.fromarray(small).resize((200, 200)).save(broken := tmp_path / "broken.png")
    broken.write_bytes(broken.read_bytes()[:300])
    Image.fromarray(small).save(postscript := tmp_path / "drawing.png", format="EPS")
    os.mkfifo(pipe := tmp_path / "pipe.png")
    for image, message in (
        (np.zeros((7, 8, 3), np.uint8), r"image 1 must have at least 8 x 8 pixels.*\(8, 7\)"),
        (np.zeros((8, 8, 5), np.uint8), "image 1 cannot be read"),
        (np.full((8, 8), 300), r"image 1 .* must hold integers in \[0, 255\]"),
        (np.full((8, 8), 1.5), "image 1 .* floats in"),
        (Image.new("I", (8, 8)), "image 1 .* Pillow's mode I"),
        (broken, r"image 1 .*broken\.png.* cannot be read"),
        (postscript, r"image 1 .*drawing\.png.* cannot be read: cannot identify"),
        (tmp_path, "image 1 .* a file is needed, got a folder"),
        (pipe, "image 1 .* got a pipe or a device"),
        (np.ma.masked_array(small, small > 9), "image 1 .* has masked values"),
        (small * 1j, "image 1 .* got complex numbers"),
    ):
        with pytest.raises(ValueError, match=message):
            SHARP.transform([small, image])
    with pytest.raises(FileNotFoundError, match=r"absent\.png"):
        SHARP.transform([tmp_path / "absent.png"])


def test_bad_use_is_refused(small):
    for use, message in (
        (lambda: SHARP.transform("a.png"), "single path"),
        (lambda: SHARP.transform([]), "at least one image"),
        (lambda: ImageBags(smoothing=0).transform([small]), "smoothing must be positive, got 0"),
        (lambda: scene_mosaic(np.zeros((9, 14))), r"shape \(9, 15\), got \(9, 14\)"),
        (lambda: TextBags().fit("one text"), "single string"),
        (lambda: TextBags().fit([]), "at least one text"),
        (lambda: TextBags().fit(["good", 1.5]), "strings only, got others at"),
        (lambda: TextBags(step=51).fit(["good"]), "at most window = 50, got 51"),
        (lambda: TextBags(top_share=0).fit(["good"]), r"top_share must lie in \(0, 1\], got 0"),
    ):
        with pytest.raises(ValueError, match=message):
            use()


def test_passages_by_hand():
    text_bags = TextBags(window=4, step=2)
    assert text_bags.passages("a b c d e f g") == ["a b c d", "c d e f", "e f g"]
    assert text_bags.passages("a b c d") == ["a b c d"]
    assert text_bags.passages("a b c d e") == ["a b c d", "c d e"]
    assert text_bags.passages("") == [""]
    assert TextBags(window=2, step=2).passages("a b c") == ["a b", "c"]


def test_vocabulary_is_the_words_in_most_texts():
    """40 % of 5 words, stop words aside: "oil" is in 3 texts; "cow", "sea" in 2; "sun" in one."""
    corpus = ["the oil and the sea", "Oil! Cow.", "an oil sea cow", "sun sun sun sun", "moon"]
    text_bags = TextBags(top_share=0.4).fit(corpus)
    assert text_bags.vocabulary_.tolist() == ["cow", "oil"]
    bags = text_bags.transform(["oil oil cow moon", "", "unknown"])
    assert [bag.tolist() for bag in bags] == [[[1, 2]], [[0, 0]], [[0, 0]]]
    assert TextBags(top_share=0.01).fit(corpus).vocabulary_.tolist() == ["oil"]
    assert "the" in TextBags(top_share=1, stop_words=None).fit(corpus).vocabulary_
