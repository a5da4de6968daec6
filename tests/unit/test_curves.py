"""Curves of Section 5 and Appendix B: runs apart, changes in common units, printed values."""

import numpy as np
import pandas as pd
import pytest

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.statistics import swept_values
from mimlstudy.report.figures import PRINTED_BAR, RING
from mimlstudy.report.sections.curves import (
    Question,
    changes_figure,
    changes_in_percent,
    is_not_printed,
    is_without_ranking,
    largest_changes,
    percent_figure,
    printed_means,
    rounds_figure,
    shares_figure,
)
from tests.made_up_records import level, rows, swept


def sweep():
    """Fractions of .01 a step of ratio, on ratios .1 to 1: the loss at 20% is .31."""
    records = swept(
        "figure7",
        "MimlSvm",
        "ratio",
        np.arange(1, 11) / 10,
        effect=0.01,
    )
    records["%"] = (100 * swept_values(records, default=0.2)).round(6)
    return records


def two_shares():
    records = []
    for share in (10, 20):
        dataset = f"scene:{share}%"
        records.append(level("figure4", dataset, "D-MimlSvm", 0.3, seed=share))
    return pd.concat(records, ignore_index=True)


def test_values_that_are_not_printed_are_left_out():
    means = printed_means(1, "AdtBoost.MH")
    assert means["hamming_loss"] == 0.211
    assert "ranking_loss" not in means


def test_a_run_without_ranking_is_a_cross_outside_the_curve():
    records = two_shares()
    records.loc[0, [*CRITERIA]] = 1.0
    assert is_without_ranking(records).sum() == 1
    figure = shares_figure(records)
    panel = figure.axes[0]
    curve = panel.get_lines()[0]
    without = records["hamming_loss"][1:30].mean()
    assert curve.get_ydata()[0] == pytest.approx(without)
    (cross,) = [line for line in panel.get_lines() if line.get_marker() == "x"]
    assert cross.get_ydata()[0] == panel.get_ylim()[1]
    assert [text.get_text() for text in panel.texts] == ["1"]


def test_without_such_runs_there_is_no_cross_and_no_word_of_it():
    figure = shares_figure(two_shares())
    markers = {line.get_marker() for line in figure.axes[0].get_lines()}
    assert "x" not in markers
    assert not figure.texts


def test_changes_are_percent_of_the_mean_loss_at_the_setting():
    changes, losses = changes_in_percent(sweep(), "%", 20)
    assert losses.loc[20, "hamming_loss"] == pytest.approx(0.31)
    means = changes["hamming_loss"].groupby("%").mean()
    assert means[20] == 0
    assert means[100] == pytest.approx(100 * 0.08 / 0.31)


def test_panels_of_changes_share_their_limits_and_show_the_printed_value():
    printed = pd.Series({"hamming_loss": 0.341, "average_precision": 0.69})
    figure = changes_figure(
        sweep(),
        "%",
        xlabel="k",
        setting=20,
        limits=(-5, 40),
        printed=printed,
    )
    panels = figure.axes[: len(CRITERIA)]
    assert {panel.get_ylim() for panel in panels} == {(-5, 40)}
    bars = {}
    for name, panel in zip(CRITERIA, panels, strict=True):
        bars[name] = [line for line in panel.get_lines() if line.get_marker() == "_"]
    (of_hamming_loss,) = bars["hamming_loss"]
    assert of_hamming_loss.get_ydata()[0] == pytest.approx(10.0)
    assert not bars["coverage"]


def test_the_nearest_value_stands_in_for_a_setting_that_is_not_there():
    changes, _ = changes_in_percent(sweep(), "%", 24)
    assert changes["coverage"].groupby("%").mean()[20] == 0


def boosted(figure, method, dataset="scene"):
    """Losses of .5 up to round 25, and .45 from there to round 50."""
    stages = []
    for stage, loss in ((1, 0.5), (25, 0.5), (40, 0.45), (50, 0.45)):
        values = dict.fromkeys(CRITERIA, np.full(3, loss))
        for name, criterion in CRITERIA.items():
            if not criterion.lower_is_better:
                values[name] = np.full(3, 1 - loss)
        stages.append(rows(figure, dataset, method, values, stage=stage))
    return pd.concat(stages, ignore_index=True)


RECORDED = {
    "figure6": pd.concat([boosted("figure6", name) for name in ("MimlBoost", "AdtBoost.MH")]),
    "figure7": sweep().drop(columns="%"),
    "figure8": swept("figure8", "InsDif", "learner__ratio", [0.1, 0.2, 0.9]),
    "figure9": boosted("figure9", "AdtBoost.MH", "yeast"),
}


def test_the_largest_change_is_told_in_percent_with_its_sign():
    changes = largest_changes(RECORDED.get)
    assert changes.loc["MimlBoost: rounds 40 to 50"].abs().max() == pytest.approx(0)
    of_trees = changes.loc["AdtBoost.MH, images: 25 to 50"]
    assert of_trees.to_numpy() == pytest.approx(np.full(7, -10.0))
    of_k = changes.loc["MimlSvm: k of 10 to 100%", "hamming_loss"]
    assert of_k == pytest.approx(100 * 0.08 / 0.31)


def test_three_criteria_of_boosting_by_trees_are_not_printed():
    missing = is_not_printed()
    of_trees = missing.loc["AdtBoost.MH, images: 25 to 50"]
    assert of_trees[of_trees].index.tolist() == [
        "ranking_loss",
        "average_recall",
        "average_f1",
    ]
    assert not missing.loc["MimlBoost: rounds 40 to 50"].any()


def test_no_question_asks_nothing_of_a_figure():
    asked = Question().of_figure("figure7", "ratio")
    assert asked == {
        "datasets": [],
        "n_splits": 0,
        "methods": [],
        "overrides": {},
    }


def test_a_grid_changes_each_method_that_is_asked_for():
    asked = Question(methods=["MimlSvm"], grid=[0.1, 0.4]).of_figure("figure7", "ratio")
    assert asked["methods"] == ["MimlSvm"]
    assert asked["overrides"] == {"MimlSvm": [{"ratio": 0.1}, {"ratio": 0.4}]}


def test_a_question_about_other_methods_or_data_leaves_a_figure_out():
    assert Question(methods=["InsDif"]).of_figure("figure7", "ratio") is None
    assert Question(dataset="yeast").of_figure("figure7", "ratio") is None
    assert Question(dataset="reuters").of_figure("figure7", "ratio")["datasets"] == [
        "reuters"
    ]


def test_recorded_rounds_are_not_run_again_and_more_are():
    few = Question(grid=[10, 50]).of_figure("figure9", "n_rounds")
    assert few["overrides"] == {}
    more = Question(grid=[10, 80.0]).of_figure("figure9", "n_rounds")
    assert more["overrides"] == {"AdtBoost.MH": [{"n_rounds": 80}]}


def rounds(n_rounds=60):
    """Records of AdtBoost.MH after each round, on two splits."""
    of_rounds = []
    for stage in range(1, n_rounds + 1):
        records = level(
            "figure6",
            "scene",
            "AdtBoost.MH",
            0.3,
            seed=stage,
        )
        of_rounds.append(records[records["split"] < 2].assign(stage=stage))
    return pd.concat(of_rounds, ignore_index=True)


def x_of(ax, marker):
    """Where on the axis a panel has lines with this marker."""
    return [line.get_xdata()[0] for line in ax.get_lines() if line.get_marker() == marker]


@pytest.mark.parametrize("with_print", [True, False])
def test_rounds_of_boosting_have_a_ring_at_the_papers_round_and_bars_if_asked(with_print):
    figure = rounds_figure(
        rounds(),
        1,
        ["AdtBoost.MH"],
        with_print=with_print,
        grid=[25, 60],
    )
    panel = figure.axes[0]
    assert panel.get_lines()[0].get_xdata().tolist() == [25, 60]
    assert x_of(panel, RING["marker"]) == [25]
    assert x_of(panel, PRINTED_BAR["marker"]) == [25] * with_print


@pytest.mark.parametrize("with_print", [True, False])
def test_percentages_have_a_bar_at_the_papers_percentage_if_asked(with_print):
    figure = percent_figure(
        sweep(),
        1,
        "MimlSvm",
        xlabel="k",
        with_print=with_print,
    )
    assert x_of(figure.axes[0], PRINTED_BAR["marker"]) == [20] * with_print
