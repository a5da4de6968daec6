"""Images and texts become bags as the paper describes."""

import doctest
import os
from collections import UserDict

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from PIL import Image
from sklearn.pipeline import make_pipeline

from mimlpaper import MimlNn
from mimlpaper.datasets import ImageBags, TextBags, images_and_texts, scene_mosaic
from tests.systems import on_posix

# So little smoothing that an 8 x 8 image stays as it is.
SHARP = ImageBags(smoothing=0.01)


@pytest.fixture
def small(rng):
    """An image of 8 x 8 pixels."""
    return rng.integers(0, 256, (8, 8, 3), dtype=np.uint8)


def bag_of(image, transformer=SHARP):
    (bag,) = transformer.transform([image])
    return bag


def test_examples_in_docstrings():
    results = doctest.testmod(images_and_texts, extraglobs={"np": np})
    assert results.failed == 0


def test_bag_of_a_hand_made_image():
    """The pixel in row r, column c has R = 10 r + c, G = c, B = 100, a blob is the mean of four:

    R = 10 r + c + 5.5, G = c + .5. Instance 5 = 3 * 1 + 2 is the blob in row 3, column 4:
    R = 39.5, G = 4.5. Two columns to the left R falls by 2 and G by 2; two rows up R falls by 20.
    """
    r, c = np.mgrid[:8, :8]
    blue = np.full_like(r, 100)
    bag = bag_of(np.stack([10 * r + c, c, blue], axis=-1))
    blob = [39.5, 4.5, 100]
    left = [-2, -2, 0]
    up = [-20, 0, 0]
    right = [2, 2, 0]
    down = [20, 0, 0]
    expected = [*blob, *left, *up, *right, *down]
    assert_allclose(bag[5], expected, atol=1e-12)
    reds = [27.5, 28.5, 29.5, 37.5, 38.5, 39.5, 47.5, 48.5, 49.5]
    assert_allclose(bag[:, 0], reds)


def test_mosaic_gives_the_blobs_back(small):
    mosaic = scene_mosaic(bag_of(small))
    images = small[None].astype(float)
    blobs = images_and_texts.blob_means(images)[0]
    known = np.isfinite(mosaic)
    # Of 49 places, the four corners of four blobs each are empty.
    assert known.all(axis=-1).sum() == 33
    assert not known[:2, :2].any()
    assert_allclose(mosaic[known], blobs[known])


def test_smoothing_keeps_a_ramp():
    """A Gaussian keeps a linear ramp away from the border."""
    row = np.arange(64, dtype=np.uint8)[None, :, None]
    ramp = np.broadcast_to(row, (48, 64, 3))
    bag = bag_of(ramp, ImageBags())
    # Samples lie at 8 (i + .5) - .5, and blob c, between samples c and c + 1, at 8 (c + 1) - .5.
    assert_allclose(bag[:3, 0], [23.5, 31.5, 39.5], atol=1e-3)


def test_smoothing_averages_what_lies_around_a_sample():
    point = np.zeros((8, 8))
    point[3, 3] = 1.0
    bag = bag_of(point, ImageBags(smoothing=2.0))
    distances = np.subtract.outer(range(8), range(8))
    gaussian = np.exp(-(distances**2) / (2 * 2.0**2))
    weights = gaussian / gaussian.sum(axis=1, keepdims=True)
    of_point = weights[:, 3]
    # The first blob is the mean of samples 2 and 3, in both directions.
    expected = 255 * of_point[2:4].mean() ** 2
    assert bag[0, 0] == pytest.approx(expected)


def test_every_form_of_an_array_gives_one_bag(small):
    expected = bag_of(small)
    assert_allclose(bag_of(small.astype(int)), expected)
    assert_allclose(bag_of(small / 255), expected)
    opacity = np.full((8, 8), 255, np.uint8)
    opaque = np.dstack([small, opacity])
    assert_allclose(bag_of(opaque), expected)


def test_every_form_of_a_file_gives_one_bag(small, tmp_path):
    path = tmp_path / "small.png"
    Image.fromarray(small).save(path)
    expected = bag_of(small)
    assert_allclose(bag_of(Image.open(path)), expected)
    assert_allclose(bag_of(path), expected)
    assert_allclose(bag_of(str(path)), expected)


def test_an_image_of_a_camera_that_was_held_upside_down_is_turned(small, tmp_path):
    upside_down = Image.fromarray(small[::-1, ::-1])
    # Orientation 3 says: turn it by 180 degrees.
    orientation = 0x0112
    exif = Image.Exif()
    exif[orientation] = 3
    path = tmp_path / "turned.png"
    upside_down.save(path, exif=exif)
    assert_allclose(bag_of(path), bag_of(small))


def test_a_grey_image_has_three_equal_colours(small):
    grey = small[:, :, 0]
    expected = bag_of(np.dstack([grey, grey, grey]))
    assert_allclose(bag_of(grey), expected)
    assert_allclose(bag_of(grey[:, :, None]), expected)
    assert_allclose(bag_of(Image.fromarray(grey)), expected)


def test_what_is_transparent_is_white():
    transparent = np.zeros((8, 8, 4), np.uint8)
    bag = bag_of(transparent)
    assert_allclose(bag[:, :3], 255)


@pytest.fixture
def refused(small):
    """A function that hands in a bad image after a good one."""

    def refuse(image, message):
        with pytest.raises(ValueError, match=message):
            SHARP.transform([small, image])

    return refuse


def test_strange_arrays_are_named(small, refused):
    too_low = np.zeros((7, 8, 3), np.uint8)
    refused(too_low, r"image 1 must have at least 8 x 8 pixels.*\(8, 7\)")
    five_colours = np.zeros((8, 8, 5), np.uint8)
    refused(five_colours, r"image 1 cannot be read: .*width, 1 to 4\), got \(8, 8, 5\)$")
    refused(np.moveaxis(small, -1, 0), r"got \(3, 8, 8\); give np\.moveaxis\(image, 0, -1\)")
    refused(small.astype(object), r"integers or floats, got objects; give \.astype\(int\)")
    refused(None, "a path, a Pillow image or an array is needed, got NoneType")
    refused(np.zeros((0, 8)), "image 1 must have at least 8 x 8 pixels")
    message = r"image 1 .* must hold integers in \[0, 255\]"
    refused(np.full((8, 8), 300), message)
    refused(np.full((8, 8), 1.5), "image 1 .* floats in")
    refused(Image.new("I", (8, 8)), "image 1 .* Pillow's mode I")
    masked = np.ma.masked_array(small, small > 9)
    refused(masked, "image 1 .* no masked values")
    refused(small * 1j, "image 1 .* got complex numbers")


def test_strange_files_are_named(small, refused, tmp_path):
    broken = tmp_path / "broken.png"
    Image.fromarray(small).resize((200, 200)).save(broken)
    broken.write_bytes(broken.read_bytes()[:300])
    refused(broken, r"image 1 .*broken\.png.* cannot be read")

    postscript = tmp_path / "drawing.png"
    Image.fromarray(small).save(postscript, format="EPS")
    message = r"image 1 .*drawing\.png.* cannot be read: cannot identify"
    refused(postscript, message)

    refused(tmp_path, "image 1 .* a file is needed, got a folder")
    with pytest.raises(FileNotFoundError, match=r"absent\.png"):
        SHARP.transform([tmp_path / "absent.png"])


@on_posix
def test_a_pipe_is_no_image(tmp_path, refused):
    pipe = tmp_path / "pipe.png"
    os.mkfifo(pipe)
    refused(pipe, "image 1 .* got a pipe or a device")


def test_bad_use_of_images_is_refused(small):
    with pytest.raises(
        ValueError, match=r"list of images is needed, got the single one 'a\.png'"
    ):
        SHARP.transform("a.png")
    with pytest.raises(ValueError, match="got a table; give its column of images"):
        SHARP.transform(pd.DataFrame({"path": ["a.png"]}))
    with pytest.raises(
        ValueError, match="a list of images in the order of Y is needed, got a set"
    ):
        SHARP.transform({"a.png", "b.png"})
    with pytest.raises(ValueError, match="at least one image"):
        SHARP.transform([])
    with pytest.raises(ValueError, match="smoothing must be a positive number, got 0"):
        ImageBags(smoothing=0).transform([small])
    with pytest.raises(
        ValueError, match=r"got \(3, 32\); a single image is given as \[image\]"
    ):
        SHARP.transform(np.zeros((32, 32, 3)))
    with pytest.raises(ValueError, match=r"shape \(9, 15\), got \(9, 14\)"):
        scene_mosaic(np.zeros((9, 14)))


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("one text", "list of texts is needed, got the single one 'one text'"),
        (pd.DataFrame({"text": ["good"]}), "got a table; give its column of texts"),
        ([], "at least one text"),
        (iter([]), r"got none; of a generator give list\(X\)"),
        ({"good", "better"}, "a list of texts in the order of Y is needed, got a set"),
        (["good", 1.5], "strings only, got others at"),
    ],
)
def test_bad_texts_are_refused(texts, message):
    with pytest.raises(ValueError, match=message):
        TextBags().fit(texts)


def test_bad_parameters_of_texts_are_refused():
    with pytest.raises(ValueError, match="from 1 to window = 50, got 51"):
        TextBags(step=51).fit(["good"])
    message = r"top_share must be a number in \(0, 1\], got 0"
    with pytest.raises(ValueError, match=message):
        TextBags(top_share=0).fit(["good"])


def test_passages_by_hand():
    overlapping = TextBags(window=4, step=2)
    passages = overlapping.passages("a b c d e f g")
    assert passages == ["a b c d", "c d e f", "e f g"]
    assert overlapping.passages("a b c d") == ["a b c d"]
    assert overlapping.passages("a b c d e") == ["a b c d", "c d e"]
    assert overlapping.passages("") == [""]
    apart = TextBags(window=2, step=2)
    assert apart.passages("a b c") == ["a b", "c"]


CORPUS = [
    "the oil and the sea",
    "Oil! Cow.",
    "an oil sea cow",
    "sun sun sun sun",
    "moon",
]


def test_vocabulary_is_the_words_in_most_texts():
    """40% of 5 words, stop words aside: "oil" is in 3 texts; "cow", "sea" in 2; "sun" in one."""
    text_bags = TextBags(top_share=0.4).fit(CORPUS)
    assert text_bags.vocabulary_.tolist() == ["cow", "oil"]
    bags = text_bags.transform(["oil oil cow moon", "", "unknown"])
    counts = [bag.tolist() for bag in bags]
    assert counts == [[[1, 2]], [[0, 0]], [[0, 0]]]


def test_a_letter_and_its_accent_are_one_word_in_either_form():
    texts = ["caf\u00e9 noir", "cafe\u0301 noir"]
    text_bags = TextBags(top_share=1.0, stop_words=None).fit(texts)
    assert text_bags.vocabulary_.tolist() == ["caf\u00e9", "noir"]
    assert text_bags.transform(texts).instances.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_vocabulary_has_a_word_at_least_and_stop_words_on_request():
    smallest = TextBags(top_share=0.01).fit(CORPUS)
    assert smallest.vocabulary_.tolist() == ["oil"]
    with_stop_words = TextBags(top_share=1, stop_words=None).fit(CORPUS)
    assert "the" in with_stop_words.vocabulary_


DARK = np.zeros((8, 8), np.uint8)
LIGHT = np.full((8, 8), 255, np.uint8)


@pytest.mark.parametrize(
    ("examples", "transformer"),
    [
        (["oil oil", "wheat", "oil", "wheat wheat"], TextBags(top_share=1, stop_words=None)),
        ([LIGHT, DARK, LIGHT, DARK], SHARP),
    ],
    ids=["texts", "images"],
)
@pytest.mark.parametrize("as_named", [dict, pd.Series, UserDict])
def test_a_pipeline_matches_labels_with_images_and_texts_by_name(
    examples, transformer, as_named
):
    """The first and third example have the first label, the others have the second."""
    named = as_named(dict(zip(["d1", "d2", "d3", "d4"], examples, strict=True)))
    Y = pd.DataFrame({"a": [0, 1, 0, 1], "b": [1, 0, 1, 0]}, ["d2", "d1", "d4", "d3"])
    pipeline = make_pipeline(transformer, MimlNn(ratio=1.0)).fit(named, Y)
    assert pipeline.predict(examples[:2]).tolist() == [[True, False], [False, True]]
    assert list(pipeline[0].transform(named).names) == ["d1", "d2", "d3", "d4"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"window": "50"}, "window must be a number of words, got '50'"),
        ({"step": 2.5}, "step must be a number of words, got 2.5"),
        ({"top_share": "all"}, r"top_share must be a number in \(0, 1\], got 'all'"),
    ],
)
def test_parameters_of_another_type_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        TextBags(**parameters).fit(["oil is up"])


def test_an_image_without_a_list_is_refused():
    with pytest.raises(ValueError, match="a list of images is needed, got the single one"):
        ImageBags().transform(Image.new("RGB", (16, 16)))
    with pytest.raises(ValueError, match="smoothing must be a positive number, got None"):
        ImageBags(smoothing=None).transform([Image.new("RGB", (16, 16))])
