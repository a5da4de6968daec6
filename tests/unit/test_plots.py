"""Plots of explanations show the scores that they are given."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.patches import Circle
from PIL import Image, UnidentifiedImageError

from mimlpaper import plots
from mimlpaper.bags import Bags
from mimlpaper.datasets import ImageBags, scene_mosaic
from mimlpaper.plots import INK, RIGHT, WRONG
from mimlstudy.report.sections import play


class FixedScores:
    """Given scores of nine instances and of their bag."""

    def __init__(self, of_instances, of_bag):
        self.of_instances = of_instances
        self.of_bag = np.array([of_bag])

    def instance_scores(self, bags):
        return self.of_instances

    def decision_function(self, bags):
        return self.of_bag

    def predict(self, bags):
        return self.of_bag > 0


class RedAndBlue:
    """Scores of the labels red and blue by these colours."""

    def instance_scores(self, bags):
        return bags.instances[:, [0, 2]]

    def decision_function(self, bags):
        return bags.max(self.instance_scores(bags))

    def predict(self, bags):
        return self.decision_function(bags) > 0


@pytest.fixture
def bag(rng):
    image = rng.integers(0, 256, (40, 48, 3), dtype=np.uint8)
    return ImageBags().transform([image])[0]


def axes_of(bag, of_instances, of_bag, names, **options):
    """The mosaic's axes, and those of each label."""
    figure = plots.explained_images(
        FixedScores(of_instances, of_bag),
        Bags.from_list([bag]),
        names,
        n_shown=len(names),
        **options,
    )
    return figure.axes


def discs(ax):
    return [patch for patch in ax.patches if isinstance(patch, Circle)]


def face_colours(patches):
    return {patch.get_facecolor() for patch in patches}


def test_mosaic_has_the_colours_of_the_blobs_and_empty_corners(bag):
    _, ax = plt.subplots()
    plots.draw_mosaic(ax, bag)
    shown = np.asarray(ax.images[0].get_array())
    assert shown.shape == (7, 7, 4)

    mosaic = scene_mosaic(bag)
    is_blob = np.isfinite(mosaic[..., 0])
    # Of 49 places, the four corners of four blobs each are empty.
    assert is_blob.sum() == 33
    opacity = shown[..., 3]
    assert np.array_equal(opacity == 1, is_blob)
    colours = shown[..., :3]
    assert colours[is_blob] == pytest.approx(mosaic[is_blob] / 255)
    # Instance 3 is centred at row 2 + 1, column 2 + 0.
    assert colours[3, 2] == pytest.approx(bag[3, :3] / 255)


@pytest.fixture
def rising_and_peaked():
    """For the sea scores 0 to 8; for trees all negative, and highest at instance 1."""
    sea = np.arange(9.0)
    trees = np.full(9, -2.0)
    trees[1] = -1.0
    return np.column_stack([sea, trees])


def test_labels_are_shown_from_the_highest_with_their_scores(bag, rising_and_peaked):
    mosaic, trees, sea = axes_of(
        bag,
        rising_and_peaked,
        [-0.5, 1.25],
        ("sea", "trees"),
    )
    assert mosaic.get_title() == ""
    assert trees.get_title() == "trees\n+1.25"
    assert sea.get_title() == "sea\n−0.50"


def test_discs_and_frame_show_the_scores(bag, rising_and_peaked):
    mosaic, trees, sea = axes_of(
        bag,
        rising_and_peaked,
        [-0.5, 1.25],
        ("sea", "trees"),
    )
    # The last patch frames the highest instance.
    assert trees.patches[-1].get_xy() == (2.5, 1.5)
    assert sea.patches[-1].get_xy() == (3.5, 3.5)

    assert not discs(mosaic)
    of_sea = [disc.radius**2 for disc in discs(sea)]
    of_trees = [disc.radius**2 for disc in discs(trees)]
    areas = np.column_stack([of_sea, of_trees])
    expected = abs(rising_and_peaked) / 8
    assert areas / areas.max() == pytest.approx(expected)

    # Dark discs speak against a label, white ones for it.
    assert face_colours(discs(trees)) == {to_rgba(INK)}
    assert face_colours(discs(sea)[1:]) == {to_rgba("white")}
    centres = [disc.center for disc in discs(sea)]
    assert centres[:4] == [(2, 2), (3, 2), (4, 2), (2, 3)]


def test_wrong_and_missed_labels_and_wrong_reasons_are_marked(bag):
    scores = np.tile(np.arange(9.0)[:, None], 3)
    # The highest instance shows the sea and the sun, not the sky.
    regions = np.zeros((9, 3), bool)
    regions[8, :2] = True
    mosaic, sea, sun, sky, *_ = axes_of(
        bag,
        scores,
        [2.0, 0.5, -1.0],
        ("sea", "sun", "sky"),
        regions=regions,
        true=np.array([[True, False, True]]),
    )
    assert mosaic.get_title() == "sea\nsky"
    assert sea.get_title() == "sea\n+2.00, right"
    assert sea.title.get_color() == INK
    assert sun.get_title() == "sun\n+0.50, wrong"
    assert sun.title.get_color() == WRONG
    assert sky.get_title() == "sky\n−1.00, missed"
    assert sky.title.get_color() == WRONG

    assert sea.patches[-1].get_edgecolor() == to_rgba(RIGHT)
    assert sun.patches[-1].get_edgecolor() == to_rgba(RIGHT)
    assert sky.patches[-1].get_edgecolor() == to_rgba(WRONG)


def test_a_bag_without_labels_says_so(bag):
    no_scores = np.zeros((9, 1))
    mosaic, sea = axes_of(
        bag,
        no_scores,
        [-1.0],
        ("sea",),
        true=np.array([[False]]),
    )
    assert mosaic.get_title() == "no label"
    assert sea.get_title() == "sea\n−1.00"
    assert {disc.radius for disc in discs(sea)} == {0.0}


def test_a_picture_of_another_format_is_refused_whatever_its_name(tmp_path):
    """Pillow would start Ghostscript for PostScript."""
    path = tmp_path / "picture.png"
    Image.new("RGB", (8, 8)).save(path, format="EPS")
    _, ax = plt.subplots()
    with pytest.raises(UnidentifiedImageError):
        plots._draw_picture(ax, path)
    with pytest.raises(UnidentifiedImageError):
        play.choices([path], ["picture"])


def test_own_images_beside_their_reasons(rng, tmp_path):
    """From a path, an array and a Pillow image; each row has its picture and both labels."""
    arrays = rng.integers(0, 256, (3, 16, 24, 3), dtype=np.uint8)
    path = tmp_path / "image.png"
    Image.fromarray(arrays[0]).save(path)
    images = [path, arrays[1], Image.fromarray(arrays[2])]
    scorer = RedAndBlue()
    figure = plots.explained_images(scorer, images, ("red", "blue"))

    rows = np.reshape(figure.axes, (3, 4))
    bags = ImageBags().transform(list(arrays))
    scores = scorer.decision_function(bags)
    for (picture, _, top, _), array, (red, blue) in zip(rows, arrays, scores, strict=True):
        assert np.array_equal(picture.images[0].get_array(), array)
        expected = f"red\n+{red:.2f}" if red > blue else f"blue\n+{blue:.2f}"
        assert top.get_title() == expected
        assert len(discs(top)) == 9
