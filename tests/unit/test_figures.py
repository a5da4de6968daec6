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
from mimlstudy.paper.printed import printed_tables
from mimlstudy.paper.variants import VARIED
from mimlstudy.report import figures
from mimlstudy.report.figures import look_of
from tests.made_up_records import rows, staged, swept
from tests.made_up_study import raising


@pytest.fixture(autouse=True)
def paper_style():
    with plt.style.context(figures.STYLE_SHEET):
        yield


def two_boxes():
    figure, ax = plt.subplots()
    bag = figures.draw_box(ax, 0.2, 0.5, "a box", "#eee")
    label = figures.draw_box(ax, 0.8, 0.5, "a box", "#eee")
    figures.draw_arrow(ax, bag, label)
    return figure


def test_the_same_figure_has_the_same_bytes_under_any_style(tmp_path):
    paths = figures.save_figure(two_boxes(), tmp_path, "boxes")
    assert paths == [tmp_path / "boxes.png", tmp_path / "boxes.svg"]
    before = [path.read_bytes() for path in paths]
    figure = two_boxes()
    with plt.style.context("default"):
        figures.save_figure(figure, tmp_path, "boxes")
    assert [path.read_bytes() for path in paths] == before


def test_a_saved_figure_names_no_program_and_no_date(tmp_path):
    png, svg = figures.save_figure(two_boxes(), tmp_path, "boxes")
    assert b"Software" not in png.read_bytes()
    assert b"<dc:date>" not in svg.read_bytes()


def test_a_figure_that_cannot_be_written_leaves_the_older_one_whole(tmp_path, monkeypatch):
    paths = figures.save_figure(two_boxes(), tmp_path, "boxes")
    before = [path.read_bytes() for path in paths]
    monkeypatch.setattr(os, "replace", raising(OSError("no space left")))
    with pytest.raises(OSError, match="no space left"):
        figures.save_figure(plt.figure(), tmp_path, "boxes")
    assert set(tmp_path.iterdir()) == set(paths)
    assert [path.read_bytes() for path in paths] == before


def lines_of(axis):
    """The lines of a panel but those without points, which stand in for the legend."""
    return [line for line in axis.get_lines() if len(line.get_xdata())]


def names_in_legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


@pytest.fixture
def by_k():
    """Records whose criteria rise by .01 with each step of k, from .3 on."""
    ratios = np.arange(1, 11) / 10
    records = swept("figure7", "MimlSvm", "ratio", ratios, effect=0.01)
    return records.assign(k=100 * swept_values(records, default=0.2))


def test_a_readers_own_settings_of_matplotlib_change_no_figure():
    with plt.rc_context():
        figures.use_style()
        ours = plt.rcParams.copy()
        plt.rcParams.update({"axes.facecolor": "black", "text.usetex": True})
        figures.use_style()
        assert plt.rcParams == ours


@pytest.fixture
def curves(by_k):
    """The figure of these records, with a ring at the paper's setting."""
    before = by_k.copy()
    figure = figures.plot_parameter_curves(
        by_k,
        "k",
        xlabel="k (%)",
        in_our_tables={"MimlSvm": 20},
    )
    pd.testing.assert_frame_equal(by_k, before)
    return figure


def test_curves_show_means_over_splits(curves):
    panel = curves.axes[0]
    means, _ = lines_of(panel)
    assert means.get_xdata() == pytest.approx(np.arange(10, 101, 10))
    assert means.get_ydata() == pytest.approx(0.3 + 0.01 * np.arange(10))
    assert {axis.get_xlabel() for axis in curves.axes} == {"k (%)"}


def test_curves_of_scores_are_turned_into_losses(curves):
    panel = curves.axes[6]
    assert panel.get_title() == "(g) 1 − average F1"
    means, _ = lines_of(panel)
    assert means.get_ydata() == pytest.approx(0.7 - 0.01 * np.arange(10))


def test_a_ring_stands_at_the_papers_setting(curves):
    _, ring = lines_of(curves.axes[0])
    assert ring.get_xydata() == pytest.approx(np.array([[20, 0.31]]))


def test_a_band_shows_the_deviation_over_splits(curves, by_k):
    std = by_k.loc[by_k["k"] == 10, "hamming_loss"].std()
    (outline,) = curves.axes[0].collections[0].get_paths()
    x, y = outline.vertices.T
    heights = np.unique(y[x == 10].round(9))
    assert heights == pytest.approx([0.3 - std, 0.3 + std])


def test_curves_of_no_records_are_refused_with_the_remedy():
    with pytest.raises(ValueError, match=r"records must have rows.*`mimlpaper status` names"):
        figures.plot_parameter_curves(
            NO_RECORDS,
            "stage",
            xlabel="rounds",
        )


@pytest.fixture
def stopping():
    """Two splits: one run stops after round 1 at .4, the other goes on with .2."""
    criteria = {criterion: [0.4, 0.2] for criterion in CRITERIA}
    round_1 = rows("figure6", "scene", "MimlBoost", criteria, stage=1)
    goes_on = round_1[round_1["split"] == 1]
    return pd.concat([round_1, goes_on.assign(stage=2)])


def curves_by_round(records):
    figure = figures.plot_parameter_curves(
        records,
        "stage",
        xlabel="rounds",
    )
    heights = [line.get_ydata().tolist() for line in lines_of(figure.axes[0])]
    title = figure.legends[0].get_title().get_text()
    return heights, title


def test_a_run_that_stops_early_keeps_its_last_value(stopping):
    """The mean stays at .3."""
    heights, title = curves_by_round(stopping)
    assert heights == [pytest.approx([0.3, 0.3])]
    assert title == "mean ± std over 2 splits"


def test_data_sets_have_lines_of_their_own(stopping):
    names = stopping["split"].map({0: "a", 1: "b"})
    heights, title = curves_by_round(stopping.assign(dataset=names, split=0))
    mean, of_a, of_b = heights
    assert mean == pytest.approx([0.3, 0.3])
    assert of_a == pytest.approx([0.4, 0.4])
    assert of_b == pytest.approx([0.2, 0.2])
    assert title == "mean and each of 2 data sets"


def test_every_curve_is_named_and_looks_different():
    boosting = staged("figure6", "MimlBoost", 25)
    rival = staged("figure6", "AdtBoost.MH", 25)
    unknown = boosting.assign(method="printed")
    records = pd.concat([boosting, rival, unknown])
    figure = figures.plot_parameter_curves(
        records,
        "stage",
        xlabel="rounds",
    )
    assert names_in_legend(figure) == ["MimlBoost", "AdtBoost.MH", "printed"]
    solid, dashed, dotted = lines_of(figure.axes[0])
    assert solid.get_color() == look_of("MimlBoost").color
    assert solid.get_linestyle() == "-"
    assert dashed.get_linestyle() != "-"
    assert dashed._unscaled_dash_pattern != dotted._unscaled_dash_pattern


def test_every_method_has_its_own_look():
    looks = figures.looks_of_methods().values()
    assert len(set(looks)) == len(looks)
    assert look_of("MlSvm, mean") == figures.looks_of_methods()["MlSvm"]


@pytest.mark.parametrize(
    "table", printed_tables().values(), ids=lambda table: table.experiment
)
def test_methods_of_a_table_differ_in_colour_or_marker(table):
    marks = set()
    for method in table.algorithms:
        look = look_of(method)
        marks.add((look.color, look.marker))
    assert len(marks) == len(table.algorithms)


def test_methods_are_in_the_order_of_the_paper_and_strangers_last():
    ordered = figures.in_order(["Oracle", "MlSvm", "MimlSvm"])
    assert ordered == ["MimlSvm", "MlSvm", "Oracle"]


def test_rows_that_vary_a_method_are_listed():
    """Their names have a comma by convention, and a new one must be listed to have a look."""
    names = set()
    for experiment in EXPERIMENTS.values():
        names |= {name for name in experiment.methods if "," in name}
    methods_of_their_own = {"mi-SVM, first step"}
    assert names - methods_of_their_own == set(VARIED)


def test_a_method_may_have_open_markers_and_dashes():
    parts = []
    for method in ("MimlSvm", "MimlSvm_mi"):
        parts.append(swept("figure7", method, "ratio", [0.1, 0.3]))
    records = pd.concat(parts)
    records["k"] = swept_values(records, default=0.2)
    figure = figures.plot_parameter_curves(
        records,
        "k",
        xlabel="k",
        open_method="MimlSvm_mi",
    )
    filled, opened = lines_of(figure.axes[0])
    assert filled.get_markerfacecolor() == look_of("MimlSvm").color
    assert filled.get_linestyle() == "-"
    assert opened.get_markerfacecolor() == "white"
    assert opened.get_linestyle() == "--"


@pytest.fixture
def from_round_5():
    """Curves from round 5 on, with printed means at round 20."""
    printed = pd.Series({"hamming_loss": 0.2, "average_precision": 0.8})
    return figures.plot_parameter_curves(
        staged("figure6", "MimlBoost", 25),
        "stage",
        xlabel="rounds",
        printed=[(20, printed)],
        first_shown=5,
    )


def test_printed_means_are_bars(from_round_5):
    lines = from_round_5.axes[0].get_lines()
    (bar,) = [line for line in lines if line.get_marker() == "_"]
    assert bar.get_xydata() == pytest.approx(np.array([[20, 0.2]]))
    assert names_in_legend(from_round_5) == ["MimlBoost", "printed"]


def test_curves_of_one_split_and_few_values_begin_where_they_are_asked_to():
    """One value has no deviation, and marks on a curve are no rings: early ones take no room."""
    rows = staged("figure6", "MimlBoost", 10, n=1)
    figure = figures.plot_parameter_curves(
        rows,
        "stage",
        xlabel="rounds",
        first_shown=5,
    )
    panel = figure.axes[0]
    losses = rows.set_index("stage")["hamming_loss"]
    low, high = panel.get_ylim()
    assert low < losses[10] < losses[5] < high
    height = losses[5] - losses[10]
    assert high - low == pytest.approx(1.8 * height)


def test_early_rounds_stand_in_a_small_picture(from_round_5):
    panel = from_round_5.axes[0]
    left, _ = panel.get_xlim()
    assert left == 5
    (small,) = panel.child_axes
    (curve, *_) = small.get_lines()
    assert curve.get_xdata()[0] == 1


def test_names_stand_at_the_ends_of_lines_apart_and_in_order():
    _, ax = plt.subplots()
    ax.plot([0, 1], [[0.0, 0.0, 1.0], [0.5, 0.501, 0.9]])
    ends = {"MimlNn": (1, 0.5), "MlSvm": (1, 0.501), "MimlSvm": (1, 0.9)}
    figures.label_ends(ax, ends, least=0.1, bold=("MlSvm",))
    weights = {text.get_text(): text.get_weight() for text in ax.texts}
    assert weights == {"MimlNn": "normal", "MlSvm": "bold", "MimlSvm": "normal"}
    heights = {text.get_text(): text.xyann[1] for text in ax.texts}
    assert heights["MlSvm"] - heights["MimlNn"] == pytest.approx(0.1)
    assert heights["MimlSvm"] > heights["MlSvm"] + 0.1


@pytest.fixture
def critical_difference():
    """The panel of three methods on eleven data sets; two of them are close."""
    rng = np.random.default_rng(0)
    levels = pd.DataFrame(
        {
            "MlSvm": 1.0,
            "MimlNn": 2.0,
            "RankSvm": 2.1,
        },
        index=range(11),
    )
    losses = levels + rng.normal(0, 0.1, (11, 3))
    _, axis = plt.subplots()
    figures.plot_critical_difference(
        rank_methods(losses),
        axis,
        title="Table 4",
    )
    return axis


def test_critical_differences_name_every_method(critical_difference):
    texts = " ".join(text.get_text() for text in critical_difference.texts)
    for method in ("MlSvm", "MimlNn", "RankSvm"):
        assert method in texts
    assert "Friedman p = " in critical_difference.get_title("left")


def test_bars_of_methods_that_do_not_differ_are_drawn_alike_in_every_run(critical_difference):
    lines = critical_difference.get_lines()
    bars = [line.get_xdata() for line in lines if line.get_linewidth() == 2]
    assert bars
    for bar in bars:
        assert (np.diff(bar) >= 0).all()
