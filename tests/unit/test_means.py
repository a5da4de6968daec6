"""A mean over splits is of one configuration, one stage and one budget: every reader refuses a mix.

The five tables of equal tuning once averaged five budgets, of 16, 8, 4, 2 and 1 settings.
"""

from unittest.mock import Mock

import pandas as pd
import pytest

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge import (
    calibration,
    choices,
    claim_parts,
    compare,
    equal_tuning,
    multiverse,
)
from mimlstudy.judge.claim_tests import ClaimTest
from mimlstudy.judge.selection import Selection, checked_for_means, selected
from mimlstudy.paper.printed import printed_tables
from mimlstudy.paper.section6 import WITH_BAGS
from mimlstudy.report import figures, tables
from mimlstudy.report.companion import Companion
from mimlstudy.report.sections import (
    ablation,
    cost_report,
    curves,
    degrees,
    differences,
    early_stop,
    explained_report,
    explore,
    standings,
    subcod_report,
    unseen_instances,
    unseen_orders,
)
from tests.made_up_records import as_in_the_paper, level

OVERRIDE = '{"C": 10.0}'
TEST = ClaimTest(
    "better",
    ("MimlNn",),
    ("Ml-knn",),
    ("coverage",),
    (),
    ("table1",),
)


@pytest.fixture(scope="module")
def records():
    return as_in_the_paper(1, n_runs=4)


def mixed(records, **changes):
    """The records, and the same with something else about them."""
    changed = records.assign(**changes)
    return pd.concat([records, changed], ignore_index=True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stage": 1}, "needs one stage, got 0, 1 of scene / "),
        ({"override": OVERRIDE}, 'needs one override, got {}, {"C": 10.0} of scene'),
    ],
)
def test_a_mix_is_named_with_its_place_and_remedy(records, changes, message):
    with pytest.raises(ValueError, match="select the records of one") as failed:
        checked_for_means(mixed(records, **changes))
    assert message in str(failed.value)


def test_a_split_with_two_records_is_named(records):
    repeated = pd.concat([records, records])
    with pytest.raises(
        ValueError, match=r"several of split 0 of scene / .*drop the repeated"
    ):
        checked_for_means(repeated)


def test_a_mix_is_seen_where_no_split_repeats(records):
    is_late = records["split"] >= 2
    halves = records.assign(stage=is_late.astype(int))
    with pytest.raises(ValueError, match="one stage"):
        checked_for_means(halves)


def test_budgets_are_told_apart(records):
    of_sixteen = records.assign(n_settings=16)
    later_splits = records["split"] + 4
    budgets = mixed(of_sixteen, n_settings=8, split=later_splits)
    with pytest.raises(ValueError, match="one n_settings, got 16, 8"):
        checked_for_means(budgets)
    assert checked_for_means(budgets, "n_settings") is budgets


def test_curves_may_be_apart_by_stage(records):
    curves = mixed(records, stage=1)
    assert checked_for_means(curves, "stage") is curves
    assert checked_for_means(records) is records


def open_choices(records):
    return tables.choices_table(records.assign(alternative=""), "")


def parameter_curves(records):
    return figures.plot_parameter_curves(
        records.assign(x=1),
        "x",
        xlabel="",
    )


SWEEP = {"experiment": "figure8", "method": "", "criterion": "coverage"}


def effects_of_a_choice(records):
    return choices._effects(
        records,
        records.assign(override=OVERRIDE),
        SWEEP,
    )


def without_repetitions(records):
    return records.drop_duplicates(["method", "split"])


def converged_level(records):
    steps = without_repetitions(records)
    return early_stop.steps_figure(steps, records, ["coverage"])


def bags_against_none(records):
    without = next(iter(WITH_BAGS))
    return ablation.bags_against_none(records.replace({"method": {"MlSvm": without}}))


def m_and_theta(records):
    override = '{"subcod__kept_share": 0.1, "subcod__n_concepts": 10}'
    return subcod_report.m_and_theta_means(records.assign(override=override, accuracy=0.5))


def costs_in_trials(records):
    costs = records.assign(**dict.fromkeys(cost_report.MEASURED, 1.0))
    return cost_report.costs_table(costs, "", {"table1": records})


def seconds(records):
    companion = Mock(recorded=lambda name: records)
    return Companion.seconds(companion, "table1")


def explanations(records):
    plain = records.assign(calibration="none")
    return explained_report.measured_explanations(plain, ["coverage"])


def wins(records):
    names = {"MimlBoost": "D-MimlSvm", "MimlNn": "MimlSvm_mi"}
    renamed = records.replace({"method": names})
    return differences.wins_of_figures(renamed, renamed)


def standardized(records):
    return differences.standardized(records, "MimlNn", "Ml-knn")


def precision_on_unseen_data(records):
    return unseen_orders.precision_table(records.assign(column="fixed"))


def precision_by_budget(records):
    return unseen_orders.precision_by_budget(records.assign(n_settings=16))


def largest_changes(records):
    return curves.largest_changes(lambda figure: records.assign(stage=2))


# Everything that takes means of records.
READERS = {
    "table of the paper": lambda records: compare.run_means(records, printed_tables()[1]),
    "measured table": lambda records: tables.measured_table(
        records, title="", profile="paper"
    ),
    "open choices": open_choices,
    "curves": parameter_curves,
    "levels": calibration.levels,
    "power": lambda records: calibration.power(records, 1.0),
    "claims": lambda records: claim_parts.comparisons(records, TEST),
    "losses of claims": lambda records: multiverse._losses(records.assign(alternative="")),
    "equal tuning": lambda records: equal_tuning.tuned_losses({"equal_tuning": records}),
    "what is seen": lambda records: equal_tuning.learners_by_group({"equal_tuning": records}),
    "effects of a choice": effects_of_a_choice,
    "standings": lambda records: standings.standings(1, records, records, "coverage"),
    "likelihoods": lambda records: early_stop.likelihoods(1, records),
    "steps": lambda records: early_stop.steps_figure(records, records, ["coverage"]),
    "converged level": converged_level,
    "defaults": unseen_instances.defaults_table,
    "explanations": explanations,
    "losses": differences.losses_of,
    "wins": wins,
    "standardized differences": standardized,
    "bags against none": bags_against_none,
    "M and θ": m_and_theta,
    "longest fits": lambda records: cost_report.longest_fits({"table1": records}),
    "costs in trials": costs_in_trials,
    "degrees": lambda records: degrees.chosen_degrees(records.assign(degree=2)),
    "sliders": lambda records: explore._curve(records.assign(x=1), "x", "MimlNn"),
    "unseen data": precision_on_unseen_data,
    "budgets": precision_by_budget,
    "changes": lambda records: curves.changes_in_percent(records.assign(x=1), "x", 1),
    "largest changes": largest_changes,
    "seconds": seconds,
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_every_reader_refuses_a_planted_mix(records, reader):
    """Twice the same split passes every filter of stages and configurations."""
    with pytest.raises(ValueError, match="a mean over splits needs one"):
        reader(mixed(records))


# They take the settings of our tables alone, or a mean for each override.
TOLD_APART = ("claims", "equal tuning", "what is seen", "defaults", "M and θ", "seconds")


@pytest.mark.parametrize("name", [name for name in READERS if name not in TOLD_APART])
def test_every_reader_refuses_a_second_configuration_on_other_splits(records, name):
    later_splits = records["split"] + 4
    with pytest.raises(ValueError, match="a mean over splits needs one override"):
        READERS[name](mixed(records, split=later_splits, override=OVERRIDE))


def test_the_stages_of_equal_tuning_are_budgets_and_the_first_is_taken(records):
    budgets = [records.assign(stage=stage, coverage=stage) for stage in range(5)]
    recorded = {"table1": records, "equal_tuning": pd.concat(budgets)}
    column = selected(recorded, Selection(("table1",), "equal"))
    assert column["stage"].unique().tolist() == [0]
    assert len(column) == len(records)


def test_stages_of_a_stable_curve_may_not_repeat():
    stages = [level("figure6", "scene", "A", 0.3, n=4, stage=stage) for stage in range(1, 6)]
    curve = pd.concat(stages)
    test = ClaimTest(
        "stable",
        ("A",),
        (),
        tuple(CRITERIA),
        (3, 5),
        ("figure6",),
    )
    with pytest.raises(ValueError, match="one record of each split"):
        claim_parts.stable(mixed(curve), test)
