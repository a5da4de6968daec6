"""Figures show the records, do not change them, and are saved twice with the same bytes."""

import os

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.selection import NO_RECORDS
from mimlstudy.judge.statistics import rank_methods, swept_values
from mimlstudy.paper.experiments import EXPERIMENTS
from mimlstudy.paper.published import TABLES
from mimlstudy.paper.variants import VARIED
from mimlstudy.report import figures
from mimlstudy.report.figures import look_of
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


def test_curves_of_no_records_are_refused_with_the_remedy():
    with pytest.raises(ValueError, match=r"records must have rows.*`mimlpaper status` names"):
        figures.plot_parameter_curves(NO_RECORDS, "stage", xlabel="rounds")


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
    assert look_of("MlSvm, mean") == figures.METHOD_STYLE["MlSvm"]
    assert figures.in_order(["Oracle", "MlSvm", "MimlSvm"]) == ["MimlSvm", "MlSvm", "Oracle"]
    for table in TABLES.values():
        marks = {look_of(method)[:2] for method in table.algorithms}
        assert len(marks) == len(table.algorithms)


def test_rows_that_vary_a_method_are_listed():
    """Their names have a comma by convention, and a new one must be listed to have a look."""
    names = set()
    for experiment in EXPERIMENTS.values():
        names |= {name for name in experiment.methods if "," in name}
    methods_of_their_own = {"mi-SVM, first step"}
    assert names - methods_of_their_own == set(VARIED)


def test_a_method_may_have_open_markers_and_dashes():
    parts = [swept("figure7", name, "ratio", [0.1, 0.3]) for name in ("MimlSvm", "MimlSvm_mi")]
    records = pd.concat(parts)
    records["k"] = swept_values(records, default=0.2)
    figure = figures.plot_parameter_curves(records, "k", xlabel="k", open_method="MimlSvm_mi")
    filled, opened = drawn_lines(figure.axes[0])
    assert filled.get_markerfacecolor() == look_of("MimlSvm").color
    assert filled.get_linestyle() == "-"
    assert opened.get_markerfacecolor() == "white"
    assert opened.get_linestyle() == "--"


def test_printed_means_are_bars_and_early_rounds_stand_in_a_small_picture():
    records = staged("figure6", "MimlBoost", 25)
    printed = {"MimlBoost": (20, pd.Series({"hamming_loss": 0.2, "average_precision": 0.8}))}
    figure = figures.plot_parameter_curves(
        records, "stage", xlabel="rounds", printed=printed, first_shown=5
    )
    panel = figure.axes[0]
    assert panel.get_xlim()[0] == 5
    (bar,) = [line for line in panel.get_lines() if line.get_marker() == "_"]
    assert bar.get_xydata() == pytest.approx(np.array([[20, 0.2]]))
    (small,) = panel.child_axes
    assert small.get_lines()[0].get_xdata()[0] == 1
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["MimlBoost", "printed"]


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
