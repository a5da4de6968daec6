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
from mimlstudy.report import play


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


class Scorer:
    """Fixed scores of nine instances and of their bag; without them those by red and blue."""

    def __init__(self, instances=None, bag=None):
        self.instances, self.bag = instances, bag

    def instance_scores(self, bags):
        return bags.instances[:, [0, 2]] if self.instances is None else self.instances

    def decision_function(self, bags):
        return bags.max(self.instance_scores(bags)) if self.bag is None else self.bag[None]


@pytest.fixture
def bag(rng):
    return ImageBags().transform([rng.integers(0, 256, (40, 48, 3), dtype=np.uint8)])[0]


def scene_axes(bag, instances, scores, names, **options):
    fixed, bags = Scorer(instances, np.array(scores)), Bags.from_list([bag])
    return plots.explained_images(fixed, bags, names, n_shown=len(names), **options).axes


def discs(ax):
    return [patch for patch in ax.patches if isinstance(patch, Circle)]


def test_mosaic_has_the_colours_of_the_blobs_and_empty_corners(bag):
    ax = plt.subplots()[1]
    plots.draw_mosaic(ax, bag)
    shown = np.asarray(ax.images[0].get_array())
    known = np.isfinite(scene_mosaic(bag)[..., 0])
    assert shown.shape == (7, 7, 4) and known.sum() == 33
    assert np.array_equal(shown[..., 3] == 1, known)
    assert shown[known][:, :3] == pytest.approx(scene_mosaic(bag)[known] / 255)
    assert shown[3, 2, :3] == pytest.approx(bag[3, :3] / 255)  # instance 3: row 2 + 1, column 2 + 0


def test_discs_and_frame_show_the_scores(bag):
    """Scores 0 to 8 for one label; for the other, instance 1 is the highest."""
    scores = np.column_stack([np.arange(9.0), np.where(np.arange(9) == 1, -1.0, -2.0)])
    mosaic, trees, sea = scene_axes(bag, scores, [-0.5, 1.25], ("sea", "trees"))
    titles = [ax.get_title() for ax in (mosaic, trees, sea)]
    assert titles == ["", "trees\n+1.25", "sea\n−0.50"] and not discs(mosaic)
    assert trees.patches[-1].get_xy() == (2.5, 1.5) and sea.patches[-1].get_xy() == (3.5, 3.5)
    areas = np.array([[disc.radius**2 for disc in discs(ax)] for ax in (trees, sea)])
    assert areas / areas.max() == pytest.approx(abs(scores[:, ::-1].T) / 8)
    assert {disc.get_facecolor() for disc in discs(trees)} == {to_rgba(INK)}
    assert {disc.get_facecolor() for disc in discs(sea)[1:]} == {to_rgba("white")}
    assert [disc.center for disc in discs(sea)][:4] == [(2, 2), (3, 2), (4, 2), (2, 3)]


def test_wrong_and_missed_labels_and_wrong_reasons_are_marked(bag):
    scores = np.tile(np.arange(9.0)[:, None], 3)
    regions = np.zeros((9, 3), bool)
    regions[8, :2] = True
    true = np.array([[True, False, True]])
    mosaic, *axes = scene_axes(
        bag, scores, [2.0, 0.5, -1.0], ("sea", "sun", "sky"), regions=regions, true=true
    )[:4]
    titles = ["sea\n+2.00, right", "sun\n+0.50, wrong", "sky\n−1.00, missed"]
    assert mosaic.get_title() == "sea\nsky" and [ax.get_title() for ax in axes] == titles
    assert [ax.title.get_color() for ax in axes] == [INK, WRONG, WRONG]
    edges = [ax.patches[-1].get_edgecolor() for ax in axes]
    assert edges == [to_rgba(RIGHT), to_rgba(RIGHT), to_rgba(WRONG)]
    mosaic, ax = scene_axes(bag, 0 * scores[:, :1], [-1.0], ("sea",), true=np.array([[False]]))
    assert (mosaic.get_title(), ax.get_title()) == ("no label", "sea\n−1.00")
    assert {disc.radius for disc in discs(ax)} == {0.0}


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
    Image.fromarray(arrays[0]).save(tmp_path / "first.png")
    images = [tmp_path / "first.png", arrays[1], Image.fromarray(arrays[2])]
    axes = plots.explained_images(Scorer(), images, ("red", "blue")).axes
    found = Scorer().decision_function(ImageBags().transform(list(arrays)))
    for row, array, scores in zip(np.reshape(axes, (3, 4)), arrays, found, strict=True):
        assert np.array_equal(row[0].images[0].get_array(), array)
        top = "red" if scores[0] > scores[1] else "blue"
        assert row[2].get_title() == f"{top}\n+{scores.max():.2f}" and len(discs(row[2])) == 9
