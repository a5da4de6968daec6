"""Explanations: drawn at the right places, and measured on known instances."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.patches import Circle, Rectangle
from PIL import Image

from mimlpaper.bags import Bags
from mimlpaper.datasets import ImageBags, scene_mosaic
from mimlpaper.study.explanations import (
    draw_mosaic,
    explained_images,
    explained_scenes,
    explained_text,
)
from mimlpaper.study.figures import INK, RIGHT, STYLE_SHEET, WRONG


@pytest.fixture(autouse=True)
def paper_style():
    with plt.style.context(STYLE_SHEET):
        yield
    plt.close("all")


@pytest.fixture
def bag(rng):
    image = rng.integers(0, 256, (40, 48, 3), dtype=np.uint8)
    return ImageBags().transform([image])[0]


class WeighedWords:
    """Scores passages by the weights of their words, for two labels."""

    weights = np.array([[2.0, -1.0], [0.5, 0.0], [-3.0, 1.0], [1.0, 1.0]])

    def instance_scores(self, bags):
        return bags.instances @ self.weights


class Colourful:
    """Scores an instance by its red and its blue, a bag by their maxima."""

    def instance_scores(self, bags):
        return bags.instances[:, [0, 2]]

    def decision_function(self, bags):
        return bags.max(self.instance_scores(bags))


def discs(ax):
    return [patch for patch in ax.patches if isinstance(patch, Circle)]


def frames(ax):
    return {patch.get_xy() for patch in ax.patches if isinstance(patch, Rectangle)}


def test_mosaic_has_the_colours_of_the_blobs_and_empty_corners(bag):
    ax = plt.subplots()[1]
    draw_mosaic(ax, bag)
    shown = np.asarray(ax.images[0].get_array())
    assert shown.shape == (7, 7, 4)
    known = np.isfinite(scene_mosaic(bag)[..., 0])
    assert known.sum() == 33
    assert np.array_equal(shown[..., 3] == 1, known)
    assert shown[known][:, :3] == pytest.approx(scene_mosaic(bag)[known] / 255)
    assert shown[3, 2, :3] == pytest.approx(bag[3, :3] / 255)  # instance 3: row 2 + 1, column 2 + 0


class Fixed:
    """Gives these scores to nine instances, and these to the one bag."""

    def __init__(self, instances, bag):
        self.instances, self.bag = np.asarray(instances, float), np.asarray(bag, float)

    def instance_scores(self, bags):
        return self.instances

    def decision_function(self, bags):
        return self.bag[None]


def scene_axes(bag, instances, scores, names, **options):
    options["true"] = None if "true" not in options else np.array([options["true"]], dtype=bool)
    fixed, bags = Fixed(instances, scores), Bags.from_list([bag])
    return explained_scenes(fixed, bags, names, n_shown=len(names), **options).axes


def test_discs_and_frame_show_the_scores(bag):
    """Scores 0 to 8 for one label; for the other, instance 1 is the highest."""
    scores = np.column_stack([np.arange(9.0), np.where(np.arange(9) == 1, -1.0, -2.0)])
    axes = scene_axes(bag, scores, [-0.5, 1.25], ("sea", "trees"))
    assert [ax.get_title() for ax in axes] == ["", "trees\n+1.25", "sea\n−0.50"]
    assert frames(axes[1]) == {(2.5, 1.5)} and frames(axes[2]) == {(3.5, 3.5)}
    areas = np.array([disc.radius**2 for disc in discs(axes[2])])
    assert areas / areas.max() == pytest.approx(np.arange(9) / 8)
    against = np.array([disc.radius**2 for disc in discs(axes[1])])
    assert against / areas.max() == pytest.approx(np.where(np.arange(9) == 1, 1, 2) / 8)
    assert {disc.get_facecolor() for disc in discs(axes[1])} == {to_rgba(INK)}
    assert {disc.get_facecolor() for disc in discs(axes[2])[1:]} == {to_rgba("white")}
    places = [disc.center for disc in discs(axes[2])]
    assert places[:4] == [(2, 2), (3, 2), (4, 2), (2, 3)]
    assert not discs(axes[0])


def test_true_labels_and_scores_of_nothing(bag):
    names = ("sea", "sunset", "trees")
    axes = scene_axes(bag, np.zeros((9, 3)), [0.0, 2.0, 1.0], names, true=[True, True, False])
    assert axes[0].get_title() == "sea\nsunset"
    assert axes[1].get_title() == "sunset\n+2.00, right"
    assert {disc.radius for disc in discs(axes[1])} == {0.0}
    axes = scene_axes(bag, np.zeros((9, 3)), np.zeros(3), names, true=[False] * 3)
    assert axes[0].get_title() == "no label"


def test_own_images_beside_their_reasons(rng, tmp_path):
    """From a path, an array and a Pillow image; each row has its picture and both labels."""
    arrays = rng.integers(0, 256, (3, 16, 24, 3), dtype=np.uint8)
    Image.fromarray(arrays[0]).save(tmp_path / "first.png")
    images = [tmp_path / "first.png", arrays[1], Image.fromarray(arrays[2])]
    figure = explained_images(Colourful(), images, ("red", "blue"))
    axes = np.array(figure.axes).reshape(3, 4)
    for row, array in zip(axes, arrays, strict=True):
        assert np.array_equal(row[0].images[0].get_array(), array)
    bags = ImageBags().transform(list(arrays))
    for row, scores in zip(axes, Colourful().decision_function(bags), strict=True):
        top = "red" if scores[0] > scores[1] else "blue"
        assert row[2].get_title() == f"{top}\n+{scores.max():.2f}"
        assert len(discs(row[2])) == 9


def test_a_text_has_rows_for_each_of_its_highest_labels():
    class Reader(WeighedWords):
        def decision_function(self, X):
            return np.array([[-1.0, 2.0]])

    bag = np.array([[0.0, 0, 1, 0], [1, 1, 0, 0]])
    table = explained_text(Reader(), bag, ("oil", "trade"))
    assert table.data["label"].tolist() == ["trade +2.00"] * 2 + ["oil −1.00"] * 2
    assert table.data["score"].tolist() == [1.0, -1.0, -3.0, 2.5]
    html = table.to_html()
    assert "linear-gradient" in html and ">−3.00<" in html
    assert len(explained_text(Reader(), bag, ("oil", "trade"), n_shown=1).data) == 2


def test_telling_words_by_hand():
    """Row 0 is the sum of the others. Word 3 speaks against label 0, for label 1."""

    class Reader(WeighedWords):
        def decision_function(self, X):
            return np.array([[2.0, 1.0]])

    def found(bag, *names, **options):
        table = explained_text(Reader(), np.array(bag, float), ("oil", "trade"), *names, **options)
        return table.data

    bag = [[2, 0, 3, 1], [2, 0, 0, 1], [0, 0, 3, 0]]
    both = found(bag)
    assert both["passage"].tolist()[:3] == ["whole text", "passage 1", "passage 2"]
    assert both["score"].tolist()[:3] == [-4.0, 5.0, -9.0]
    assert both["words"].tolist()[:3] == ["word 1 ×2, word 4", "word 1 ×2, word 4", ""]
    other = found(bag, ["oil", "bank", "wheat", "corn"], n_words=1)
    assert other["words"].tolist()[3:] == ["wheat ×3", "corn", "wheat ×3"]
    assert found(np.zeros((3, 4)))["passage"][0] == "passage 1"
    assert found(bag[1:])["passage"].tolist()[:2] == ["passage 1", "passage 2"]


def test_wrong_and_missed_labels_and_wrong_reasons_are_marked(bag):
    scores = np.tile(np.arange(9.0)[:, None], 3)
    regions = np.zeros((9, 3), bool)
    regions[8, :2] = True
    axes = scene_axes(
        bag, scores, [0.5, -1.0, -2.0], ("sea", "sun", "sky"), true=[False, True, False],
        regions=regions,
    )[1:4]  # fmt: skip
    titles = ["sea\n+0.50, wrong", "sun\n−1.00, missed", "sky\n−2.00"]
    assert [ax.get_title() for ax in axes] == titles
    assert [ax.title.get_color() for ax in axes] == [WRONG, WRONG, INK]
    edges = [ax.patches[-1].get_edgecolor() for ax in axes]
    assert edges == [to_rgba(RIGHT), to_rgba(RIGHT), to_rgba(WRONG)]
