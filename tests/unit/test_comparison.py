"""Which results of a second run are the same, and which records lie far from the others."""

import numpy as np
import pandas as pd
import pytest

from mimlstudy.engine.comparison import allowed, compare_trial, distance, outliers
from mimlstudy.engine.execution import compute
from mimlstudy.paper.measures import BUDGETED, RELATED, TESTED
from tests.made_up_study import tiny

MINE = tiny()
CRITERIA = list(TESTED.numbers[:-2])
ROW = {
    "dataset": "scene",
    "n_test": 450,
    "versions": "v",
    "arithmetic": "a",
}


def test_on_the_same_machine_a_number_may_move_by_a_millionth():
    assert (allowed(ROW, ROW, CRITERIA, n_labels=5) == 1e-6).all()


@pytest.mark.parametrize("elsewhere", [{"arithmetic": "another"}, {"versions": "numpy 3"}])
def test_elsewhere_one_decision_in_a_hundred_bags_may_differ(elsewhere):
    """k = 5 of n = 450 bags, q = 5 labels."""
    bounds = allowed(ROW, ROW | elsewhere, CRITERIA, n_labels=5) - 1e-6
    expected = dict.fromkeys(CRITERIA, 5 / 450)
    expected["hamming_loss"] = 5 / 450 / 5
    expected["average_f1"] = 2 * 5 / 450
    assert bounds.to_dict() == pytest.approx(expected)


def test_elsewhere_a_decision_may_differ_in_a_fold_of_nine_bags():
    fold = ROW | {"dataset": "musk1", "n_test": 9}
    bounds = allowed(
        fold,
        fold | {"arithmetic": "x"},
        CRITERIA,
        n_labels=1,
    )
    assert bounds["accuracy"] == pytest.approx(1 / 9 + 1e-6)


def test_elsewhere_what_is_no_criterion_may_move_by_a_millionth_alone():
    elsewhere = ROW | {"arithmetic": "another"}
    assert allowed(ROW, elsewhere, ["cosine"], n_labels=5)["cosine"] == 1e-6


@pytest.mark.parametrize("n_test", [np.nan, 0, np.inf])
def test_a_damaged_number_of_test_bags_allows_no_more(n_test):
    damaged = ROW | {"n_test": n_test}
    bounds = allowed(damaged, ROW | {"arithmetic": "another"}, CRITERIA, n_labels=5)
    assert set(bounds) == {1e-6}


def test_digits_that_no_record_keeps_do_not_count():
    before = {"coverage": 123456.7891, "accuracy": np.nan}
    after = {"coverage": 123456.78912, "accuracy": np.nan}
    assert (distance(before, after, ["coverage", "accuracy"]) == 0).all()
    assert distance(before, {"coverage": 123456.7892}, ["coverage"])["coverage"] > 1e-6


def test_a_number_that_only_one_run_has_is_infinitely_far():
    without_coverage = {"accuracy": 0.5}
    with_coverage = {"accuracy": 0.5, "coverage": 1.0}
    differences = distance(without_coverage, with_coverage, CRITERIA)
    assert differences["coverage"] == np.inf
    assert (differences.drop("coverage") == 0).all()


PAIR = dict.fromkeys(RELATED.numbers, 0.5) | {
    "stage": 0,
    "first": "sea",
    "second": "trees",
    "versions": "v",
    "arithmetic": "a",
}
OF_NEXT_STAGE = PAIR | {"stage": 1}


@pytest.mark.parametrize(
    ("repeated", "difference", "is_same"),
    [
        ([PAIR], 0.0, True),
        ([PAIR | {"first": "sky"}], 0.0, False),
        ([OF_NEXT_STAGE], np.inf, False),
        ([PAIR, OF_NEXT_STAGE], np.inf, False),
        ([], np.inf, False),
    ],
)
def test_the_same_run_has_the_same_words_and_stages(repeated, difference, is_same):
    related = tiny(measure=RELATED)
    recorded = pd.DataFrame([PAIR])
    compared = compare_trial(related, recorded, repeated, n_labels=5)
    assert compared == (difference, is_same)


def test_words_are_compared_as_they_are_read_again():
    """Of lines a record makes one, and of =sea a text that is no formula."""
    related = tiny(measure=RELATED)
    recorded = pd.DataFrame([PAIR | {"first": "=sea", "second": "two trees"}])
    repeated = PAIR | {"first": "=sea", "second": "two\ntrees"}
    assert compare_trial(related, recorded, [repeated], n_labels=5) == (0.0, True)


def of_budget(**different):
    """The row of one budget of settings, as it was recorded or as it is repeated."""
    same = dict.fromkeys(BUDGETED.numbers, 0.5) | {
        "stage": 0,
        "chosen": "{}",
        "held_out": "[0.7, 0.8]",
        "n_test": 100,
        "versions": "v",
        "arithmetic": "a",
    }
    return same | different


@pytest.mark.parametrize(
    ("repeated", "is_same"),
    [
        (of_budget(chosen='{"n_neighbors": 7}'), True),
        (of_budget(held_out="[0.7, 0.9]"), False),
        (of_budget(held_out="[0.7, 0.799]", arithmetic="b"), True),
        (of_budget(one_error=0.8, arithmetic="b"), False),
    ],
)
def test_elsewhere_held_out_values_may_move_as_criteria_may(repeated, is_same):
    budgeted = tiny(measure=BUDGETED)
    recorded = pd.DataFrame([of_budget()])
    _, compared = compare_trial(
        budgeted,
        recorded,
        [repeated],
        n_labels=5,
    )
    assert compared == is_same


@pytest.fixture
def records_of_splits(store):
    """Records of one setting on n splits whose one-errors lie between .2 and .21."""
    compute(MINE, store=store, jobs=1)
    row = store.load(MINE).query("method == 'Ml-knn'").iloc[0]
    rng = np.random.default_rng(0)

    def records(n_splits):
        table = pd.DataFrame([row] * n_splits)
        one_error = 0.2 + 0.01 * rng.random(n_splits)
        return table.assign(split=range(n_splits), one_error=one_error)

    return records


@pytest.mark.parametrize(
    ("n_splits", "column", "value", "is_outlier"),
    [
        (10, "one_error", 0.76, True),
        (10, "one_error", 0.205, False),
        # All others are equal: there is no spread at all.
        (10, "hamming_loss", 0.57, True),
        # Seconds of a trial say nothing of its numbers.
        (10, "fit_seconds", 1000.0, False),
        # Among four splits none is an outlier.
        (4, "one_error", 0.76, False),
    ],
)
def test_outliers_lie_far_from_the_same_setting_on_other_splits(
    records_of_splits, n_splits, column, value, is_outlier
):
    records = records_of_splits(n_splits)
    last = n_splits - 1
    records.loc[records["split"] == last, column] = value
    expected = [last] if is_outlier else []
    assert outliers(MINE, records)["split"].tolist() == expected
