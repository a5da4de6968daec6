"""Counts of wins, ties and losses, and Section 5's pictures, from made-up records."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from mimlpaper.metrics import CRITERIA
from mimlpaper.report.compare import with_percentages, with_variants
from mimlpaper.report.figures import plot_objectives, plot_relatedness, plot_win_tie_loss
from mimlpaper.report.published import PRINTED_WIN_TIE_LOSS
from mimlpaper.report.statistics import win_tie_loss, win_tie_loss_by_stage
from mimlpaper.report.tables import relatedness_table, win_tie_loss_table
from tests.made_up_records import rows, spread


def level(dataset, method, mean, seed=0, **others):
    values = {
        name: spread(0.3, 0.01, 10, seed=j) + spread(mean, 0.001, 10, seed=[seed, j])
        for j, name in enumerate(CRITERIA)
    }
    return rows("figure4", dataset, method, values, n_train=100, n_test=300, **others)


def figure(difference):
    """On two sets A lies ``difference`` below B: better on 4 losses, worse on 3 scores."""
    return pd.concat(
        [
            level(f"scene:{p}%", method, mean, seed)
            for p in (10, 20)
            for seed, (method, mean) in enumerate([("A", 0.0), ("B", difference)])
        ]
    )


def test_outcomes_are_counted_over_data_sets_and_criteria():
    plain, corrected = win_tie_loss(figure(0.1), "A", "B")
    assert plain == corrected == (8, 0, 6)
    assert win_tie_loss(figure(0.0), "A", "B")[0] == (0, 14, 0)


def test_corrected_counts_are_more_cautious():
    """t = d √10 / (√2 · .001): about 4.5 at d = .002; the corrected one is √31 times smaller."""
    plain, corrected = win_tie_loss(figure(0.002), "A", "B")
    assert plain.tie < corrected.tie == 14


def test_table_tells_percentages_of_all_cases():
    printed = {"A against B": PRINTED_WIN_TIE_LOSS["figure4", "MimlSvm"]}
    comparisons = {"A against B": (figure(0.1), "A", "B"), "B against A": (figure(0.1), "B", "A")}
    table = win_tie_loss_table(comparisons, printed)
    cells = {name: [entry.lines[0] for entry in row] for name, row in table.rows.items()}
    assert cells["A against B"] == ["88 / 6 / 6", "57 / 0 / 43", "57 / 0 / 43", "14"]
    assert cells["B against A"] == ["–", "43 / 0 / 57", "43 / 0 / 57", "14"]
    assert table.tidy["better"].to_list() == [8, 8, 6, 6]


def test_printed_outcomes_are_whole_percentages_of_35():
    for shares in PRINTED_WIN_TIE_LOSS.values():
        assert 98 <= sum(shares) <= 101


def test_a_fit_that_ended_early_keeps_its_last_stage():
    """B is at .1 above A in stage 1, and at 0 in stage 2, which only the second half reaches."""
    A, first, second = (
        level("scene:10%", name, mean, seed, stage=stage)
        for seed, (name, mean, stage) in enumerate([("A", 0.0, 0), ("B", 0.1, 1), ("B", 0.0, 2)])
    )
    by_stage = win_tie_loss_by_stage(A, pd.concat([first, second]), "A", "B", [1, 2, 3])
    assert by_stage["better"].to_list() == [4, 0, 0]
    halved = pd.concat([first, second[second["split"] >= 5]])
    by_stage = win_tie_loss_by_stage(A, halved, "A", "B", [2])
    assert by_stage.loc[0, ["better", "tie", "worse"]].sum() == 7
    assert by_stage.loc[0, "better"] == 4


def test_names_of_variants_and_percentages():
    records = pd.concat(
        [
            level("scene:10%", "A", 0.0),
            level("scene:50%", "A", 0.0, parameters='{"estimator__a__label_rule": "top"}'),
        ]
    )
    assert with_variants(records)["method"].unique().tolist() == ["A", "A, label_rule = top"]
    assert with_percentages(records)["percentage"].unique().tolist() == [10, 50]


PAIRS = pd.DataFrame({
    "parameters": ["{}"] * 3 + ['{"mu": 1.0}'] * 3,
    "first": ["sea", "sea", "sunset"] * 2,
    "second": ["sunset", "trees", "trees"] * 2,
    "together": [2.0, 0.5, 1.0] * 2,
    "cosine": [0.25, -0.5, 0.0, 0.3, -0.4, 0.1],
    "sharing": [np.nan] * 3 + [0.2, 0.1, 0.3],
})  # fmt: skip


def test_pairs_are_ranked_by_what_they_share():
    table = relatedness_table(PAIRS)
    assert table["sharing"].to_list() == [0.3, 0.2, 0.1]
    assert table["cosine"].to_list() == [0.0, 0.25, -0.5]
    assert table.loc[0, ["first", "second"]].to_list() == ["sunset", "trees"]


def test_relatedness_shows_every_pair_twice_and_no_diagonal():
    _, axis = plt.subplots()
    plot_relatedness(PAIRS[:3], "cosine", axis)
    shown = {text.get_position(): text.get_text() for text in axis.texts}
    assert shown == {
        (1, 0): "0.25", (0, 1): "0.25", (2, 0): "-0.50", (0, 2): "-0.50", (2, 1): "0.00",
        (1, 2): "0.00",
    }  # fmt: skip
    assert [label.get_text() for label in axis.get_xticklabels()] == ["sea", "sunset", "trees"]
    plt.close("all")


def test_objectives_fall_to_zero():
    fit = {"dataset": "s", "method": "D-MimlSvm", "parameters": "{}", "split": 0}
    traces = pd.DataFrame([fit | {"stage": i, "objective": x} for i, x in ((2, 10), (1, 12))])
    _, axis = plt.subplots()
    plot_objectives(traces, {"s": axis})
    (line,) = axis.lines
    assert line.get_ydata().tolist() == pytest.approx([20, 0])
    plt.close("all")


def test_outcomes_are_stacked_to_the_whole():
    outcomes = pd.DataFrame([{"stage": 1, "better": 3, "tie": 1, "worse": 0}])
    _, axis = plt.subplots()
    plot_win_tie_loss(outcomes, axis, xlabel="alternations")
    assert sum(bar.get_height() for bar in axis.patches) == pytest.approx(100)
    assert [text.get_text() for text in axis.texts] == ["75", "25"]
    plt.close("all")
