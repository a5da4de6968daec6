"""A mean over splits is of one configuration, one stage and one budget: every reader refuses a mix.

The five tables of equal tuning once averaged five budgets, of 16, 8, 4, 2 and 1 settings.
"""

import numpy as np
import pandas as pd
import pytest

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge import calibration, claim_parts, compare, equal_tuning, multiverse
from mimlstudy.judge.claim_tests import ClaimTest
from mimlstudy.judge.selection import Selection, selected, unmixed
from mimlstudy.paper.published import TABLES
from mimlstudy.report import figures, tables
from tests.made_up_records import as_in_the_paper, level

OTHER = '{"C": 10.0}'
TEST = ClaimTest("better", ("MimlNn",), ("Ml-knn",), ("coverage",), (), ("table1",))


@pytest.fixture(scope="module")
def records():
    return as_in_the_paper(1, n_runs=4)


def mixed(records, **changes):
    """The records, and the same with something else about them."""
    return pd.concat([records, records.assign(**changes)], ignore_index=True)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stage": 1}, "needs one stage, got 0, 1 of scene / "),
        ({"override": OTHER}, 'needs one override, got {}, {"C": 10.0} of scene'),
        ({}, "needs one row of a split, got 0, 0 of scene"),
    ],
)
def test_a_mix_is_named_with_its_place_and_remedy(records, changes, message):
    with pytest.raises(ValueError, match="select the records of one") as failed:
        unmixed(mixed(records, **changes))
    assert message in str(failed.value)


def test_a_mix_is_seen_where_no_split_repeats(records):
    late = records["split"] >= 2
    halves = records.assign(stage=np.where(late, 1, 0))
    with pytest.raises(ValueError, match="one stage"):
        unmixed(halves)


def test_budgets_are_told_apart(records):
    budgets = mixed(records.assign(n_settings=16), n_settings=8, split=records["split"] + 4)
    with pytest.raises(ValueError, match="one n_settings, got 16, 8"):
        unmixed(budgets)
    assert unmixed(budgets, "n_settings") is budgets


def test_curves_may_be_apart_by_stage(records):
    curves = mixed(records, stage=1)
    assert unmixed(curves, "stage") is curves
    assert unmixed(records) is records


READERS = {
    "table of the paper": lambda rows: compare.run_means(rows, TABLES[1]),
    "measured table": lambda rows: tables.measured_table(rows, title="", profile="paper"),
    "open choices": lambda rows: tables.choices_table(rows.assign(alternative=""), ""),
    "curves": lambda rows: figures.plot_parameter_curves(rows.assign(x=1), "x", xlabel=""),
    "levels": lambda rows: calibration.levels(rows),
    "power": lambda rows: calibration.power(rows, 1.0),
    "claims": lambda rows: claim_parts.comparisons(rows, TEST),
    "losses of claims": lambda rows: multiverse._losses(rows.assign(alternative="")),
    "equal tuning": lambda rows: equal_tuning.tuned_losses({"equal_tuning": rows}),
    "what is seen": lambda rows: equal_tuning.learners_by_group({"equal_tuning": rows}),
}


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_every_reader_refuses_a_planted_mix(records, reader):
    """Twice the same split passes every filter of stages and configurations."""
    with pytest.raises(ValueError, match="a mean over splits needs one"):
        reader(mixed(records))


def test_the_stages_of_equal_tuning_are_budgets_and_the_first_is_taken(records):
    budgets = pd.concat([records.assign(stage=stage, coverage=stage) for stage in range(5)])
    recorded = {"table1": records, "equal_tuning": budgets}
    column = selected(recorded, Selection(("table1",), "equal"))
    assert column["stage"].unique().tolist() == [0]
    assert len(column) == len(records)


def test_stages_of_a_stable_curve_may_not_repeat():
    curve = pd.concat([level("figure6", "scene", "A", 0.3, n=4, stage=s) for s in range(1, 6)])
    test = ClaimTest("stable", ("A",), (), tuple(CRITERIA), (3, 5), ("figure6",))
    with pytest.raises(ValueError, match="one row of a split"):
        claim_parts.stable(mixed(curve), test)
