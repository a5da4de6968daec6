"""Pictures of explanations: colours where they belong, discs as large as scores, telling words."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgba
from matplotlib.patches import Circle, Rectangle
from PIL import Image

from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.bags import Bags
from mimlpaper.datasets import ImageBags, load_synthetic_texts, scene_mosaic
from mimlpaper.report.explanations import (
    TOP,
    draw_explained_scene,
    draw_explained_text,
    draw_instances,
    draw_mosaic,
    explained_images,
    explained_scenes,
    explained_text,
    telling_words,
)
from mimlpaper.report.style import STYLE_SHEET, save_figure


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


def test_colours_out_of_range_are_cut(bag):
    bag[4, 3:6] = 400.0
    ax = plt.subplots()[1]
    draw_mosaic(ax, bag)
    assert ax.images[0].get_array()[3, 1].tolist() == [1, 1, 1, 1]


def test_discs_and_frame_tell_the_scores(bag):
    """Scores 0 to 8 for one label; for the other, instance 1 is the highest."""
    axes = plt.subplots(1, 3)[1]
    scores = np.column_stack([np.arange(9.0), np.where(np.arange(9) == 1, -1.0, -2.0)])
    draw_explained_scene(axes, bag, scores, np.array([-0.5, 1.25]), ("sea", "trees"))
    assert [ax.get_title() for ax in axes] == ["", "trees\n+1.25", "sea\n−0.50"]
    assert frames(axes[1]) == {(2.5, 1.5)} and frames(axes[2]) == {(3.5, 3.5)}
    areas = np.array([disc.radius**2 for disc in discs(axes[2])])
    assert areas / areas.max() == pytest.approx(np.arange(9) / 8)
    places = [disc.center for disc in discs(axes[2])]
    assert places[:4] == [(2, 2), (3, 2), (4, 2), (2, 3)]
    assert not discs(axes[0])


def test_true_labels_and_fewer_axes_than_labels(bag):
    axes = plt.subplots(1, 2)[1]
    scores, names = np.zeros((9, 3)), ("sea", "sunset", "trees")
    true = np.array([True, True, False])
    draw_explained_scene(axes, bag, scores, np.array([0.0, 2.0, 1.0]), names, true)
    assert axes[0].get_title() == "sea\nsunset"
    assert axes[1].get_title() == "sunset\n+2.00"
    assert {disc.radius for disc in discs(axes[1])} == {0.0}  # all scores are the same
    draw_explained_scene(axes, bag, scores, np.zeros(3), names, np.zeros(3, bool))
    assert axes[0].get_title() == "no label"


def test_instances_are_numbered_and_stand_alone(bag):
    """Every cross has five squares: its own colour, and left, up, right and down of it."""
    mosaic, crosses = plt.subplots(1, 2)[1]
    draw_instances(mosaic, crosses, bag)
    for ax in (mosaic, crosses):
        assert [text.get_text() for text in ax.texts] == list("123456789")
    assert mosaic.texts[5].get_position() == (4, 3)  # instance 6 in column 4 and row 3
    assert len(frames(mosaic)) == 9 and len(crosses.patches) == 45
    colours = [np.array(patch.get_facecolor()[:3]) * 255 for patch in crosses.patches[5:10]]
    around = [bag[1, :3] + bag[1, i : i + 3] for i in (3, 6, 9, 12)]
    assert np.array(colours) == pytest.approx(np.array([bag[1, :3], *around]))
    x, y = crosses.patches[5].get_xy()
    neighbours = np.array([patch.get_xy() for patch in crosses.patches[6:10]])
    assert neighbours == pytest.approx(np.array([(x - 1, y), (x, y - 1), (x + 1, y), (x, y + 1)]))


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


def test_scenes_without_pictures_have_their_true_labels(bag):
    true = np.array([[False, True]])
    figure = explained_scenes(Colourful(), Bags.from_list([bag]), ("red", "blue"), true=true)
    assert len(figure.axes) == 3 and figure.axes[0].get_title() == "blue"


def test_a_text_has_a_panel_for_each_of_its_highest_labels():
    class Reader(WeighedWords):
        def decision_function(self, X):
            return np.array([[-1.0, 2.0]])

    bag = np.array([[0.0, 0, 1, 0], [1, 1, 0, 0]])
    figure = explained_text(Reader(), bag, ("oil", "trade"))
    assert [ax.get_title(loc="left") for ax in figure.axes] == ["trade  +2.00", "oil  −1.00"]
    assert [bar.get_width() for bar in figure.axes[0].patches] == [1.0, -1.0]
    assert len(explained_text(Reader(), bag, ("oil", "trade"), n_shown=1).axes) == 1


def test_telling_words_by_hand():
    """Row 0 is the sum of the others. Word 3 speaks against label 0, for label 1."""
    bag = np.array([[2.0, 0, 3, 1], [2, 0, 0, 1], [0, 0, 3, 0]])
    found = telling_words(WeighedWords(), bag, 0)
    assert found["passage"].tolist() == ["whole text", "passage 1", "passage 2"]
    assert found["score"].tolist() == [-4.0, 5.0, -9.0]
    assert found["words"].tolist() == ["word 1 ×2, word 4", "word 1 ×2, word 4", ""]
    other = telling_words(WeighedWords(), bag, 1, ["oil", "bank", "wheat", "corn"], n_words=1)
    assert other["words"].tolist() == ["wheat ×3", "corn", "wheat ×3"]
    empty = telling_words(WeighedWords(), np.zeros((3, 4)), 0)
    assert empty["passage"].tolist() == ["passage 1", "passage 2", "passage 3"]
    two = telling_words(WeighedWords(), bag[1:], 0)
    assert two["passage"].tolist() == ["passage 1", "passage 2"]


def test_words_of_composed_texts_are_those_of_their_topic():
    texts = load_synthetic_texts(n_texts=120)
    learner = MimlSvmMi(kernel="linear", C=0.1, max_alternations=2, random_state=0)
    learner.fit(texts.X[:100], texts.Y[:100])
    oil = texts.label_names.index("oil")
    about_oil = next(i for i in range(100, 120) if texts.Y[i, oil] and texts.Y[i].sum() == 1)
    found = telling_words(learner, texts.X[about_oil], oil, texts.feature_names)
    words = " ".join(found["words"])
    assert any(word in words for word in ("crude", "barrels", "opec", "petroleum", "oil"))


def test_bars_and_words_of_a_text():
    passages = telling_words(WeighedWords(), np.array([[0.0, 0, 1, 0], [1, 1, 0, 0]]), 0)
    ax = plt.subplots()[1]
    draw_explained_text(ax, passages, "oil")
    assert [bar.get_width() for bar in ax.patches] == [-3.0, 2.5]
    dark = [bar.get_facecolor() == to_rgba(TOP) for bar in ax.patches]
    assert dark == [False, True]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["passage 1", "passage 2"]
    assert [text.get_text().strip() for text in ax.texts] == ["", "word 1, word 2"]
    assert ax.get_title(loc="left") == "oil"


def test_words_stay_within_the_figure(tmp_path):
    """At both resolutions, once the layout is settled."""
    passages = telling_words(WeighedWords(), np.full((5, 4), 111.0), 1, ["long" * 6] * 4)
    figure, ax = plt.subplots()
    draw_explained_text(ax, passages)
    save_figure(figure, tmp_path, "text")
    for dpi in (110, 200):
        figure.set_dpi(dpi)
        right = max(text.get_window_extent().x1 for text in ax.texts)
        assert right <= figure.bbox.x1


def test_same_scores_same_bytes(bag, tmp_path):
    def saved(name):
        figure, axes = plt.subplots(1, 3)
        draw_explained_scene(axes, bag, np.arange(18.0).reshape(9, 2), np.ones(2), ("a", "b"))
        return [path.read_bytes() for path in save_figure(figure, tmp_path, name)]

    assert saved("one") == saved("two")
