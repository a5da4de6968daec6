"""Figures show the records, do not change them, and are saved twice with the same bytes."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

from mimlpaper.study.diagrams import draw_africa, draw_degeneration, draw_frameworks
from mimlpaper.study.figures import (
    plot_critical_difference,
    plot_data_sets,
    plot_m_and_theta,
    plot_objectives,
    plot_orders,
    plot_parameter_curves,
    plot_relatedness,
    plot_win_tie_loss,
    seven_panels,
)
from mimlpaper.study.published import TABLES
from mimlpaper.study.rendering import METHOD_STYLE, STYLE_SHEET, look_of, save_figure
from mimlpaper.study.statistics import curve, friedman, mean_ranks, shared_ranks, swept_values
from tests.made_up_records import (
    NO_FIGHT,
    PAIRS,
    PUBLISHED_FIGHT,
    TUNED_FIGHT,
    accuracies,
    as_in_the_paper,
    rows,
    staged,
    swept,
)


@pytest.fixture(autouse=True)
def paper_style():
    with plt.style.context(STYLE_SHEET):
        yield
    plt.close("all")


def sweep():
    records = swept("figure7", "MimlSvm", "ratio", np.arange(1, 11) / 10, effect=0.01)
    return records.assign(k=100 * swept_values(records, default=0.2))


def curves():
    figure, axes = seven_panels()
    plot_parameter_curves(sweep(), "k", axes, xlabel="k (%)", published=20)
    return figure


def orders():
    figure, ax = plt.subplots()
    plot_orders(shared_ranks(PUBLISHED_FIGHT, TUNED_FIGHT), ax)
    return figure


def diagrams():
    figure, axes = plt.subplots(7, figsize=(3, 10))
    draw_frameworks(axes[:4])
    draw_africa(axes[4:6])
    draw_degeneration(axes[6])
    return figure


@pytest.mark.parametrize("draw", [curves, orders, diagrams])
def test_same_records_same_bytes(draw, tmp_path):
    first = [path.read_bytes() for path in save_figure(draw(), tmp_path, "one")]
    paths = save_figure(draw(), tmp_path, "one")
    assert [path.name for path in paths] == ["one.png", "one.svg"]
    assert [path.read_bytes() for path in paths] == first
    assert b"Software" not in first[0]
    assert b"<dc:date>" not in first[1]
    assert len(list(tmp_path.iterdir())) == 2


def test_saving_again_under_another_style(tmp_path):
    figure = curves()
    inside = [path.read_bytes() for path in save_figure(figure, tmp_path, "one")]
    with plt.style.context("default"):
        outside = [path.read_bytes() for path in save_figure(figure, tmp_path, "one")]
    assert inside == outside


def test_curves_show_means_and_bands():
    _, axes = seven_panels()
    records = sweep()
    before = records.copy()
    plot_parameter_curves(records, "k", axes, xlabel="k (%)")
    pd.testing.assert_frame_equal(records, before)
    (line,) = axes[0].get_lines()
    assert line.get_xdata() == pytest.approx(np.arange(10, 101, 10))
    assert line.get_ydata() == pytest.approx(0.3 + 0.01 * np.arange(10))
    (turned,) = axes[6].get_lines()
    assert turned.get_ydata() == pytest.approx(0.7 - 0.01 * np.arange(10))
    assert axes[6].get_title() == "(g) 1 − average F1"
    assert axes[6].texts[-1].get_text().startswith("band: mean ± std over ")
    band = axes[0].collections[0].get_paths()[0].vertices[:, 1]
    assert band.min() < 0.295
    assert band.max() > 0.395


def test_early_stop_keeps_its_last_value():
    """One run stops after round 1 at .4, the other goes on to .2: the mean stays at .3."""
    values = {"hamming_loss": [0.4, 0.2]}
    both = rows("figure6", "scene", "MimlBoost", values, stage=1)
    one = both.assign(stage=2)[both["split"] == 1]
    found = curve(pd.concat([both, one]), "stage", "hamming_loss")
    assert found["mean"].tolist() == pytest.approx([0.3, 0.3])


def test_two_methods_are_named_apart():
    """Names of curves that end at one height do not overlap."""
    same = pd.concat([staged("figure6", name, 25) for name in ("MimlBoost", "AdtBoost.MH")])
    figure, axes = seven_panels()
    plot_parameter_curves(same, "stage", axes, xlabel="rounds")
    figure.canvas.draw()
    first, second, _ = (text.get_window_extent() for text in axes[6].texts)
    assert not first.overlaps(second)


def test_data_sets_and_key():
    figure, axes = seven_panels(height=5)
    records = as_in_the_paper(4)
    records["average_precision"] += 1.0 * (records["dataset"] == records["dataset"].min())
    plot_data_sets(records, axes, figure.axes[7], lit=("MlSvm", "InsDif"))
    datasets = [text.get_text() for text in axes[0].get_yticklabels()]
    assert set(datasets) == set(records["dataset"]) and datasets[-1] == min(datasets)
    names = [text.get_text() for text in figure.axes[7].get_legend().get_texts()]
    assert names[:3] == ["InsDif", "MlSvm", f"the other {len(TABLES[4].algorithms) - 2}"]
    colors = [line.get_color() for line in axes[0].get_lines()]
    assert len(colors) == len(TABLES[4].algorithms) and len(set(colors)) == 3


def test_a_value_far_out_is_an_arrow_at_the_edge():
    figure, axes = seven_panels(height=5)
    records = as_in_the_paper(4)
    worst = (records["method"] == "MlSvm") & (records["dataset"] == records["dataset"].max())
    usual = records["coverage"].max()
    records.loc[worst, "coverage"] = 1000.0
    plot_data_sets(records, axes, figure.axes[7], lit=("InsDif",))
    (arrow,) = [line for line in axes[2].get_lines() if line.get_marker() == ">"]
    assert arrow.get_xdata().tolist() == [usual] and axes[2].get_xlim()[1] < 2 * usual
    names = [text.get_text() for text in figure.axes[7].get_legend().get_texts()]
    assert names[-1] == "beyond the edge"


def test_ranks():
    """A wins the four losses and loses the three scores: ranks 11/7 and 10/7."""

    def flat(value):
        return {name: np.full(4, value) for name in TABLES[1].criteria}

    records = pd.concat(
        [rows("table1", "scene", "A", flat(0.2)), rows("table1", "scene", "B", flat(0.3))]
    )
    ranks = mean_ranks(records)
    assert ranks["A"].tolist() == pytest.approx([10 / 7] * 4)
    assert ranks["B"].tolist() == pytest.approx([11 / 7] * 4)


def test_lines_lead_from_setting_to_setting_and_end_at_their_names():
    (ax,) = orders().axes
    ends = [line.get_ydata().tolist() for line in ax.lines if line.get_marker() != "None"]
    assert ends == [[1.0, 2.0], [2.0, 1.0]]
    assert [text.get_text() for text in ax.texts] == ["MimlNn", "MlSvm"]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["as published", "tuned"]


def test_methods_that_are_not_meant_are_grey_and_nothing_is_drawn_of_nothing():
    ax = plt.subplots()[1]
    ranks = pd.DataFrame({"method": ["MlSvm", "MimlNn"], "printed": [1.0, 2.0], "ours": [2.0, 1.0]})
    plot_orders(ranks, ax, coloured=("MlSvm",))
    colors = [line.get_color() for line in ax.lines if line.get_marker() != "None"]
    assert [to_rgb(color) for color in colors] == [
        to_rgb("#bbbbbb"),
        to_rgb(look_of("MlSvm").color),
    ]
    weights = {text.get_text(): text.get_weight() for text in ax.texts}
    assert weights == {"MlSvm": "bold", "MimlNn": "normal"}
    plot_orders(shared_ranks(NO_FIGHT, NO_FIGHT), plt.subplots()[1])
    plot_orders(shared_ranks(PUBLISHED_FIGHT, NO_FIGHT), plt.subplots()[1])


def test_every_method_has_its_own_look():
    assert len(set(METHOD_STYLE.values())) == len(METHOD_STYLE)
    assert set(METHOD_STYLE) >= {name for table in TABLES.values() for name in table.algorithms}
    assert look_of("MlSvm, tuned") == METHOD_STYLE["MlSvm"]
    for table in TABLES.values():
        marks = [(look_of(m).color, look_of(m).marker) for m in table.algorithms]
        assert len(set(marks)) == len(marks)


def test_relatedness_shows_every_pair_once_and_its_scale():
    _, axis = plt.subplots()
    plot_relatedness(PAIRS[:3], "cosine", axis)
    shown = {text.get_position(): text.get_text() for text in axis.texts}
    assert shown == {(0, 0): "0.25", (0, 1): "-0.50", (1, 1): "0.00"}
    assert [label.get_text() for label in axis.get_xticklabels()] == ["sea", "sunset"]
    assert [label.get_text() for label in axis.get_yticklabels()] == ["sunset", "trees"]
    assert axis.images[0].get_clim() == (-0.5, 0.5) and axis.images[0].colorbar is not None


def test_objectives_fall_to_zero():
    fit = {"dataset": "s:30%", "method": "D-MimlSvm", "parameters": "{}", "split": 0}
    traces = pd.DataFrame([fit | {"stage": i, "objective": x} for i, x in ((2, 10), (1, 12))])
    _, axis = plt.subplots()
    plot_objectives(traces, {"s:30%": axis})
    assert axis.get_title() == "s, 30 % multi-label"
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["as configured"]
    (line,) = axis.lines
    assert line.get_ydata().tolist() == pytest.approx([20, 0])


def test_outcomes_are_stacked_to_the_whole():
    outcomes = pd.DataFrame([{"stage": 1, "better": 3, "neither": 1, "worse": 0}])
    _, axis = plt.subplots()
    plot_win_tie_loss(outcomes, axis, "A", "B")
    assert axis.get_legend_handles_labels()[1] == ["A better", "neither", "B better"]
    assert sum(bar.get_height() for bar in axis.patches) == pytest.approx(100)
    assert [text.get_text() for text in axis.texts] == ["75", "25", ""]


def test_sweep_has_one_line_for_each_m_and_one_panel_for_each_data_set():
    parts = []
    for dataset, base in (("musk1", 0.8), ("tiger", 0.7)):
        for n_concepts in (10, 30):
            for share in (0.1, 0.5, 1.0):
                parameters = {"subcod__n_concepts": n_concepts, "subcod__kept_share": share}
                parts.append(
                    accuracies(
                        "sweep_subcod", dataset, "SubCod", base + n_concepts / 1000 - share / 10,
                        parameters=json.dumps(parameters),
                    )
                )  # fmt: skip
    axes = list(plt.figure().subplots(1, 3))
    plot_m_and_theta(pd.concat(parts, ignore_index=True), axes)
    assert [ax.get_title() for ax in axes[:2]] == ["musk1", "tiger"] and not axes[2].axison
    few, many = axes[1].lines[:2]
    assert few.get_label() == "M = 10"
    assert few.get_xdata() == pytest.approx([10, 50, 100])
    assert few.get_ydata() == pytest.approx([0.7, 0.66, 0.61])
    assert many.get_ydata() == pytest.approx([0.72, 0.68, 0.63])


def test_critical_differences_name_every_method():
    rng = np.random.default_rng(0)
    levels = {"MlSvm": 1.0, "MimlNn": 2.0, "RankSvm": 2.1}
    losses = pd.DataFrame(levels, index=range(11)) + rng.normal(0, 0.1, (11, 3))
    _, axis = plt.subplots()
    plot_critical_difference(friedman(losses), axis, title="Table 4")
    texts = " ".join(text.get_text() for text in axis.texts)
    assert all(name in texts for name in losses) and "Friedman p = " in axis.get_title("left")
    bars = [line.get_xdata() for line in axis.get_lines() if line.get_linewidth() == 2]
    assert bars and all(np.all(np.diff(bar) >= 0) for bar in bars)  # drawn alike in every run
