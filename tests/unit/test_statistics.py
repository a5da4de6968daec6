"""Tests, counts and ranks against values by hand, SciPy and each other; their calibration."""

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge import statistics
from mimlstudy.judge.statistics import (
    ALPHA,
    SplitSizes,
    compare_differences,
    compare_methods,
    rank_methods,
    signed_rank_test,
    t_test,
)
from mimlstudy.paper import section5
from mimlstudy.paper.section5 import EqualPair, standardized_leads
from mimlstudy.report.words import ranks_in_words
from tests.made_up_records import apart, rows, swept

DIFFERENCES = np.array([0.02, 0.01, 0.03, 0.00, 0.04])
NOISE = np.tile([-1.0, 1.0], 15)


def records_of(method, values, dataset="scene"):
    by_criterion = {"hamming_loss": values, "average_recall": values}
    return rows("table1", dataset, method, by_criterion)


def compared(a, b, criterion="hamming_loss", dataset="scene"):
    of_a = records_of("A", a, dataset)
    of_b = records_of("B", b, dataset)
    records = pd.concat([of_a, of_b])
    return compare_methods(records, "A", "B", criterion)


def test_t_tests_by_hand():
    """d = (.02 .01 .03 0 .04): mean .02, variance .00025.

    Plain: t = .02 / sqrt(.00025 / 5) = 2.8284. With n_test/n_train = 1/4:
    t = .02 / sqrt((1/5 + 1/4) .00025) = 1.8856, both with 4 degrees of freedom.
    """
    plain = 2 * statistics.t_test(DIFFERENCES)
    corrected = 2 * statistics.t_test(DIFFERENCES, 1 / 4)
    assert plain == pytest.approx(0.047421, abs=1e-6)
    assert corrected == pytest.approx(0.132419, abs=1e-6)
    assert statistics.extra_variance(None) == 0.0
    assert statistics.extra_variance(SplitSizes(1500, 500)) == 1 / 3


@pytest.fixture
def noisy_losses():
    """Losses of A and of B on thirty splits, about .2 and .195."""
    return np.random.default_rng(1).normal(
        [[0.2], [0.195]],
        0.01,
        (2, 30),
    )


def test_the_paired_test_is_that_of_scipy(noisy_losses):
    a, b = noisy_losses
    comparison = compared(a, b)
    scipys = stats.ttest_rel(b, a)
    assert comparison.n == 30
    assert comparison.paired["worse"] == pytest.approx(scipys.pvalue)
    assert comparison.difference == pytest.approx((b - a).mean())
    assert comparison.tied_within == pytest.approx(0.05 * b.mean())


def test_the_corrected_interval_is_wider_and_grows_with_the_number_of_tests(noisy_losses):
    a, b = noisy_losses
    comparison = compared(a, b)
    interval = stats.ttest_rel(b, a).confidence_interval()
    half_of_paired = (interval.high - interval.low) / 2
    # The variance is 1/30 + 1/3 in place of 1/30.
    assert comparison.half == pytest.approx(half_of_paired * math.sqrt(11))
    quantile_of_five, quantile_of_one = stats.t.isf([0.005, 0.025], 29)
    least_of_five = comparison.least(5) / quantile_of_five
    assert least_of_five == pytest.approx(comparison.least(1) / quantile_of_one)
    assert comparison.least(1) == pytest.approx(comparison.half)


def test_a_stricter_level_needs_a_larger_difference(noisy_losses):
    comparison = compared(*noisy_losses)
    assert comparison.least(1, level=0.01) == pytest.approx(comparison.least(5))


def test_correction_takes_a_win_away_and_shows_no_tie():
    """Against a loss of .3, and so a margin of .015."""
    higher = 0.7 + DIFFERENCES
    level = np.full(5, 0.7)
    recall = compared(higher, level, "average_recall")
    assert recall.outcome("paired") == "better"
    assert recall.outcome("corrected") == "neither"
    assert recall.corrected["tie"] > ALPHA
    assert recall.tied_within == pytest.approx(0.015)
    loss = compared(higher, level)
    assert loss.outcome("paired") == "worse"


@pytest.mark.parametrize(
    ("gains", "is_shown"),
    [(0.001 * NOISE, True), (0.1 * NOISE, False), (0.01 * NOISE[:4], False)],
)
def test_a_tie_is_shown_by_precision_not_by_noise(gains, is_shown):
    """The same mean lead of 0: with a spread of .001 a tie, with .1 or few runs nothing."""
    comparison = compare_differences(gains, SplitSizes(1500, 500), 0.01)
    p_values = comparison.corrected
    for outcome in ("tie", "not worse", "not better"):
        assert (p_values[outcome] < ALPHA) == is_shown
    assert p_values["better"] == pytest.approx(1.0)
    assert p_values["worse"] == p_values["better"]


def test_a_significant_lead_may_be_too_small_to_matter():
    """A lead of .005 ± .0002 against a margin of .01."""
    gains = 0.005 + 0.001 * NOISE
    p_values = compare_differences(gains, SplitSizes(1500, 500), 0.01).paired
    assert p_values["better"] < ALPHA
    assert p_values["tie"] < ALPHA
    assert p_values["not better"] < ALPHA
    assert p_values["worse"] == 1.0


def test_equal_differences_are_as_sure_as_a_sign_test():
    values = [0.1, 0.2, 0.3]
    assert compared(values, values).corrected == {
        "better": 1.0,
        "worse": 1.0,
        "much better": 1.0,
        "much worse": 1.0,
        "tie": 0.125,
        "not better": 0.125,
        "not worse": 0.125,
    }
    assert t_test([0.25, 0.25]) == 0.25
    assert t_test([-0.25, -0.25]) == 1.0


@pytest.mark.parametrize(
    "values",
    [[1, 1, 3, 3, 3, -1, 3], [1, 1, 4, -1], [0, 2, -1, 5], [-1, -2, -3], [0, 0]],
)
def test_the_signed_rank_test_counts_all_signs(values):
    nonzero = np.array([value for value in values if value])
    ranks = stats.rankdata(abs(nonzero))
    sums = [ranks @ signs for signs in product((0, 1), repeat=len(ranks))]
    reached = ranks @ (nonzero > 0)
    assert signed_rank_test(values) == np.mean(np.array(sums) >= reached)


def test_only_shared_splits_count():
    a = records_of("A", DIFFERENCES)
    b = records_of("B", DIFFERENCES + 0.1)
    three_of_b = b.iloc[[4, 0, 2]]
    records = pd.concat([a, three_of_b])
    comparison = compare_methods(records, "A", "B", "hamming_loss")
    assert comparison.n == 3
    assert comparison.difference == pytest.approx(0.1)


@pytest.mark.parametrize("n_shared", [0, 1])
def test_fewer_than_two_shared_splits_are_not_compared(n_shared):
    a = records_of("A", DIFFERENCES)
    b = records_of("B", DIFFERENCES + 0.1)
    records = pd.concat([a, b[:n_shared]])
    assert compare_methods(records, "A", "B", "hamming_loss") is None


def test_two_records_of_one_split_are_refused():
    a = records_of("A", DIFFERENCES)
    b = records_of("B", DIFFERENCES + 0.1)
    records = pd.concat([a, a, b])
    with pytest.raises(ValueError, match="A has two records of one split"):
        compare_methods(records, "A", "B", "hamming_loss")


def test_independent_data_sets_are_compared_by_their_ranks():
    """Eleven sets, A ahead on all: p = 2 / 2^11, however large one lead is."""
    gains = np.array([*np.linspace(0.01, 0.02, 10), 5.0])
    datasets = [f"set {i}" for i in range(11)]
    comparison = compared(np.zeros(11), gains, dataset=datasets)
    assert comparison.corrected["better"] == pytest.approx(2 / 2**11)
    assert comparison.paired["better"] > 0.3
    assert comparison.least(1) is None


def test_of_several_data_sets_each_is_one_pair_however_many_splits_it_has():
    """Leads of .1 and .3 on three and two splits."""
    a = [records_of("A", np.zeros(3), "x"), records_of("A", np.zeros(2), "y")]
    b = [
        records_of("B", np.array([0.0, 0.1, 0.2]), "x"),
        records_of("B", np.full(2, 0.3), "y"),
    ]
    comparison = compare_methods(
        pd.concat([*a, *b]),
        "A",
        "B",
        "hamming_loss",
    )
    assert comparison.n == 2
    assert comparison.difference == pytest.approx(0.2)
    assert comparison.tied_within == pytest.approx(0.05 * 0.2)
    # Two pairs show nothing by their ranks.
    assert comparison.outcome("corrected") == "neither"


def test_the_signed_rank_test_leaves_out_zeros():
    p_values = statistics.signed_rank_test([np.zeros(5), [0.0, 0.0, 1.0, 2.0, 3.0]])
    of_three = stats.wilcoxon([1, 2, 3], alternative="greater").pvalue
    assert p_values.tolist() == [1.0, of_three]


LOSSES = pd.DataFrame(
    {
        "A": [1.0, 2.0, 3.0, 4.0],
        "B": [2.0, 3.0, 4.0, 5.0],
        "C": [9.0, 9.0, 9.0, 9.0],
    },
    index=["w", "x", "y", "z"],
)


def test_ranks_by_hand():
    """Four sets, A always first and C last: ranks 1 2 3, chi² = 12·4/(3·4) Σ (R - 2)² = 8."""
    ranking = rank_methods(LOSSES)
    assert ranking.table["rank"].to_dict() == {"A": 1.0, "B": 2.0, "C": 3.0}
    assert ranking.p == pytest.approx(stats.chi2.sf(8, 2))
    # Nemenyi: the critical difference of k = 3 and N = 4 is 2.343 sqrt(3·4 / (6·4)) = 1.657
    assert ranking.nemenyi.loc["A", "B"] > ALPHA
    assert ranking.nemenyi.loc["A", "C"] < ALPHA
    words = ranks_in_words(ranking)
    assert "each set left out: it is first each time. " in words
    assert "In all of these rankings A is significantly ahead of C." in words


def test_tied_methods_share_their_rank():
    ranking = rank_methods(LOSSES.assign(B=LOSSES["A"]))
    assert ranking.table["rank"].to_dict() == {"A": 1.5, "B": 1.5, "C": 3.0}


def test_all_methods_at_the_best_mean_rank_are_named():
    """A is first on two sets, B on the other two: without one set, one of them is ahead."""
    tied = LOSSES.assign(B=[0.5, 1.5, 4.0, 5.0])
    words = ranks_in_words(rank_methods(tied))
    assert "the best mean rank is that of A and B, 1.5 among 3 methods" in words
    assert "leaving out one set sometimes puts another method first" in words
    assert "No method stays significantly ahead of another in all of these rankings." in words
    same = rank_methods(LOSSES.assign(B=LOSSES["A"]))
    assert "they are first each time" in ranks_in_words(same)


@pytest.fixture
def turned_losses():
    """B is first on one of three sets."""
    losses = LOSSES[:3].copy()
    losses.loc["w", "A"] = 2.5
    return losses


def test_one_set_may_turn_the_order(turned_losses):
    """Mean ranks are 4/3 and 5/3; without another set 3/2 for A and B."""
    ranking = rank_methods(turned_losses)
    assert ranking.table.loc["A"].tolist() == pytest.approx([4 / 3, 1.0, 2.0])
    of_two_sets = rank_methods(turned_losses.drop(index="x"))
    assert of_two_sets.table["rank"].tolist() == [1.5, 1.5, 3.0]
    words = ranks_in_words(ranking)
    assert "leaving out one set sometimes puts another method first" in words
    assert "No method stays significantly ahead of another in all of these rankings." in words


def test_no_set_is_left_out_silently(turned_losses):
    turned_losses.loc["x", "C"] = math.nan
    with pytest.raises(ValueError, match="missing: C on x"):
        rank_methods(turned_losses)


def test_holm_by_hand():
    """p = .01 .04 .03 sorted .01 .03 .04, times 3 2 1: .03 .06 .04, and never falling."""
    assert statistics.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert statistics.holm([0.9, 0.8]) == pytest.approx([1, 1])
    assert statistics.holm([math.nan, 0.02])[1] == pytest.approx(0.02)
    assert len(statistics.holm([])) == 0


def test_outcomes_are_counted_over_data_sets_and_criteria():
    differing = apart(0.1)
    assert statistics.win_tie_loss(differing, "A", "B") == ((8, 0, 6), (8, 0, 6))
    # Two sets show nothing.
    of_pooled = statistics.win_tie_loss(differing, "A", "B", pooled=True)
    assert of_pooled == ((0, 7, 0), (0, 7, 0))
    of_equal, _ = statistics.win_tie_loss(apart(0.0), "A", "B")
    assert of_equal == (0, 14, 0)


def test_swept_values():
    records = swept("figure7", "MimlSvm", "ratio", [0.1, 0.2], n=1)
    records.loc[1, "override"] = "{}"
    values = statistics.swept_values(records, default=0.2)
    assert values.tolist() == [0.1, 0.2]
    records.loc[1, "override"] = '{"a": 1, "b": 2}'
    with pytest.raises(ValueError, match="one parameter must vary"):
        statistics.swept_values(records, default=0.2)


def test_two_parameters_that_each_vary_alone_are_no_sweep():
    of_ratio = swept("figure7", "MimlSvm", "ratio", [0.1, 0.2], n=1)
    of_cost = swept("figure7", "MimlSvm", "C", [1.0], n=1)
    with pytest.raises(ValueError, match=r"one parameter must vary, got \['C', 'ratio'\]"):
        statistics.swept_values(pd.concat([of_ratio, of_cost]), default=0.2)


class Swapped(EqualPair):
    def draw(self):
        rng, Y, views = super().draw()
        swapped_views = views[::-1]
        return rng, Y, swapped_views


class Counting(section5.Ridge):
    def fit(self, X, Y):
        # A quarter of the examples.
        assert X.shape == (12, section5.N_FEATURES)
        return super().fit(X, Y)


def test_the_views_are_alike_and_a_swap_turns_the_sign(monkeypatch):
    monkeypatch.setattr(section5, "Ridge", Counting)
    (leads,) = standardized_leads(EqualPair(12, 3), None, None, None)
    (swapped_leads,) = standardized_leads(
        Swapped(12, 3),
        None,
        None,
        None,
    )
    assert list(leads) == list(CRITERIA)
    assert len(set(leads.values())) > 5
    turned = {name: -lead for name, lead in leads.items()}
    assert swapped_leads == pytest.approx(turned)
