"""Figures show the records, do not change them, and are saved twice with the same bytes."""

import os

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba
from matplotlib.patches import Circle
from PIL import Image

from mimlpaper.bags import Bags
from mimlpaper.datasets import ImageBags, scene_mosaic
from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.statistics import rank_methods, swept_values
from mimlstudy.paper.published import TABLES
from mimlstudy.report import figures
from mimlstudy.report.figures import INK, RIGHT, WRONG, look_of
from tests.made_up_records import rows, staged, swept
from tests.made_up_study import raising


@pytest.fixture(autouse=True)
def paper_style():
    with plt.style.context(figures.STYLE_SHEET):
        yield
    plt.close("all")


def boxes():
    figure, ax = plt.subplots()
    bag, label = (figures.draw_box(ax, x, 0.5, "a box", "#eee") for x in (0.2, 0.8))
    figures.draw_arrow(ax, bag, label)
    return figure


def test_same_records_same_bytes_under_any_style(tmp_path, monkeypatch):
    """And a figure that cannot be written leaves the older one whole."""
    first = [path.read_bytes() for path in figures.save_figure(boxes(), tmp_path, "one")]
    figure = boxes()
    with plt.style.context("default"):
        paths = figures.save_figure(figure, tmp_path, "one")
    assert paths == [tmp_path / "one.png", tmp_path / "one.svg"]
    assert [path.read_bytes() for path in paths] == first
    assert b"Software" not in first[0] and b"<dc:date>" not in first[1]
    monkeypatch.setattr(os, "replace", raising(OSError("no space left")))
    with pytest.raises(OSError, match="no space left"):
        figures.save_figure(plt.figure(), tmp_path, "one")
    assert {*tmp_path.iterdir()} == {*paths} and paths[0].read_bytes() == first[0]


def drawn_lines(axis):
    return [line for line in axis.get_lines() if len(line.get_xdata())]


def test_curves_show_means_and_bands():
    """Of losses; of precision, recall and F1 one minus the mean. Fractions of .01 a step of k."""
    records = swept("figure7", "MimlSvm", "ratio", np.arange(1, 11) / 10, effect=0.01)
    records["k"] = 100 * swept_values(records, default=0.2)
    before, settings = records.copy(), {"MimlSvm": 20}
    axes = figures.plot_parameter_curves(records, "k", xlabel="k (%)", published=settings).axes
    pd.testing.assert_frame_equal(records, before)
    means, ring = drawn_lines(axes[0])
    assert means.get_xdata() == pytest.approx(np.arange(10, 101, 10))
    assert means.get_ydata() == pytest.approx(0.3 + 0.01 * np.arange(10))
    assert ring.get_xydata() == pytest.approx(np.array([[20, 0.31]]))
    assert {axis.get_xlabel() for axis in axes} == {"k (%)"}
    assert drawn_lines(axes[6])[0].get_ydata() == pytest.approx(0.7 - 0.01 * np.arange(10))
    assert axes[6].get_title() == "(g) 1 − average F1"
    std = records[records["k"] == 10]["hamming_loss"].std()
    x, band = axes[0].collections[0].get_paths()[0].vertices.T
    assert set(band[x == 10].round(9)) == {round(0.3 - std, 9), round(0.3 + std, 9)}


def test_early_stop_keeps_its_last_value_and_sets_have_lines_of_their_own():
    """One run stops after round 1 at .4, the other goes on to .2: the mean stays at .3."""
    both = rows("figure6", "scene", "MimlBoost", {c: [0.4, 0.2] for c in CRITERIA}, stage=1)
    records = pd.concat([both, both.assign(stage=2)[both["split"] == 1]])
    sets = records.assign(dataset=records["split"].map({0: "a", 1: "b"}), split=0)
    expected = {"± std over 2 splits": [[0.3, 0.3]]}
    expected["and each of 2 data sets"] = [[0.3, 0.3], [0.4, 0.4], [0.2, 0.2]]
    for (title, curves), shown in zip(expected.items(), (records, sets), strict=True):
        figure = figures.plot_parameter_curves(shown, "stage", xlabel="rounds")
        drawn = [line.get_ydata() for line in drawn_lines(figure.axes[0])]
        assert np.allclose(drawn, curves)
        assert figure.legends[0].get_title().get_text() == f"mean {title}"


def test_every_curve_is_named_and_every_method_has_its_own_look():
    both = pd.concat([staged("figure6", name, 25) for name in ("MimlBoost", "AdtBoost.MH")])
    flat = both[both["method"] == "MimlBoost"].assign(method="printed")
    figure = figures.plot_parameter_curves(pd.concat([both, flat]), "stage", xlabel="rounds")
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["MimlBoost", "AdtBoost.MH", "printed"]
    solid, dashed, dotted = drawn_lines(figure.axes[0])
    assert solid.get_color() == look_of("MimlBoost").color
    assert solid.get_linestyle() == "-" != dashed.get_linestyle()
    assert dashed._unscaled_dash_pattern != dotted._unscaled_dash_pattern
    assert len(set(figures.METHOD_STYLE.values())) == len(figures.METHOD_STYLE)
    assert look_of("MlSvm, tuned") == figures.METHOD_STYLE["MlSvm"]
    assert figures.in_order(["Oracle", "MlSvm", "MimlSvm"]) == ["MimlSvm", "MlSvm", "Oracle"]
    for table in TABLES.values():
        marks = {look_of(method)[:2] for method in table.algorithms}
        assert len(marks) == len(table.algorithms)


def test_names_stand_at_the_ends_of_lines_apart_and_in_order():
    ax = plt.subplots()[1]
    ax.plot([0, 1], [[0.0, 0.0, 1.0], [0.5, 0.501, 0.9]])
    ends = {"MimlNn": (1, 0.5), "MlSvm": (1, 0.501), "MimlSvm": (1, 0.9)}
    figures.label_ends(ax, ends, least=0.1, bold=("MlSvm",))
    weights = {text.get_text(): text.get_weight() for text in ax.texts}
    assert weights == {"MimlNn": "normal", "MlSvm": "bold", "MimlSvm": "normal"}
    heights = {text.get_text(): text.xyann[1] for text in ax.texts}
    assert heights["MlSvm"] - heights["MimlNn"] == pytest.approx(0.1)
    assert heights["MimlSvm"] > heights["MlSvm"] + 0.1


def test_critical_differences_name_every_method():
    rng = np.random.default_rng(0)
    levels = {"MlSvm": 1.0, "MimlNn": 2.0, "RankSvm": 2.1}
    losses = pd.DataFrame(levels, index=range(11)) + rng.normal(0, 0.1, (11, 3))
    _, axis = plt.subplots()
    figures.plot_critical_difference(rank_methods(losses), axis, title="Table 4")
    texts = " ".join(text.get_text() for text in axis.texts)
    assert all(name in texts for name in losses) and "Friedman p = " in axis.get_title("left")
    bars = [line.get_xdata() for line in axis.get_lines() if line.get_linewidth() == 2]
    assert bars and all(np.all(np.diff(bar) >= 0) for bar in bars)  # drawn alike in every run


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
    return figures.explained_images(fixed, bags, names, n_shown=len(names), **options).axes


def discs(ax):
    return [patch for patch in ax.patches if isinstance(patch, Circle)]


def test_mosaic_has_the_colours_of_the_blobs_and_empty_corners(bag):
    ax = plt.subplots()[1]
    figures.draw_mosaic(ax, bag)
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


def test_own_images_beside_their_reasons(rng, tmp_path):
    """From a path, an array and a Pillow image; each row has its picture and both labels."""
    arrays = rng.integers(0, 256, (3, 16, 24, 3), dtype=np.uint8)
    Image.fromarray(arrays[0]).save(tmp_path / "first.png")
    images = [tmp_path / "first.png", arrays[1], Image.fromarray(arrays[2])]
    axes = figures.explained_images(Scorer(), images, ("red", "blue")).axes
    found = Scorer().decision_function(ImageBags().transform(list(arrays)))
    for row, array, scores in zip(np.reshape(axes, (3, 4)), arrays, found, strict=True):
        assert np.array_equal(row[0].images[0].get_array(), array)
        top = "red" if scores[0] > scores[1] else "blue"
        assert row[2].get_title() == f"{top}\n+{scores.max():.2f}" and len(discs(row[2])) == 9
