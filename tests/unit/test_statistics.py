"""Tests, counts and ranks against values worked by hand, SciPy, and each other."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mimlpaper.study.statistics import (
    ALPHA,
    RHO,
    compare_gains,
    compare_methods,
    extra_variance,
    holm,
    rank_methods,
    signed_rank_test,
    swept_values,
    t_test,
    win_tie_loss,
)
from tests.made_up_records import apart, swept

DIFFERENCES = np.array([0.02, 0.01, 0.03, 0.00, 0.04])


def records_of(method, values, dataset="scene", n_train=1500, n_test=500):
    return pd.DataFrame({
        "method": method, "dataset": dataset, "split": range(len(values)),
        "hamming_loss": values, "average_recall": values, "n_train": n_train, "n_test": n_test,
    })  # fmt: skip


def compared(records, a="A", b="B", criterion="hamming_loss"):
    return compare_methods(records, a, b, criterion)


def test_by_hand():
    """d = (.02 .01 .03 0 .04): mean .02, variance .00025.

    Plain: t = .02 / sqrt(.00025 / 5) = 2.8284. With n_test/n_train = 1/4:
    t = .02 / sqrt((1/5 + 1/4) .00025) = 1.8856, both with 4 degrees of freedom.
    """
    assert 2 * t_test(DIFFERENCES) == pytest.approx(0.047421, abs=1e-6)
    assert 2 * t_test(DIFFERENCES, 1 / 4) == pytest.approx(0.132419, abs=1e-6)


def test_correction_of_common_protocols():
    """sqrt(1 + J n_test/n_train): 30 splits of 1500/500, ten times tenfold, tenfold once."""
    for n, test_share, factor in ((30, 1 / 3, 3.317), (100, 1 / 9, 3.480), (10, 1 / 9, 1.453)):
        d = np.random.default_rng(0).normal(0.1, 1, n)
        plain, corrected = (stats.t.isf(t_test(d, share), n - 1) for share in (0.0, test_share))
        assert plain / corrected == pytest.approx(factor, abs=1e-3)


def test_against_scipy():
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.2, 0.01, 30), rng.normal(0.195, 0.01, 30)
    records = pd.concat([records_of("A", a), records_of("B", b)])
    comparison = compared(records)
    test = stats.ttest_rel(a, b)
    assert comparison.paired["worse"] == pytest.approx(test.pvalue)
    assert comparison.gain == pytest.approx((b - a).mean())
    assert comparison.margin == pytest.approx(0.05 * b.mean())
    assert comparison.n == 30
    found, interval = compare_gains(b - a, 1 / 3, 0.1), stats.ttest_rel(b, a).confidence_interval()
    assert found.gain - found.paired_half == pytest.approx(interval.low)
    assert found.half == pytest.approx(found.paired_half * math.sqrt(11))  # 1/30 + 1/3, over 1/30
    assert found.least(1) == pytest.approx(found.half)
    assert found.least(5) / found.half == pytest.approx(
        stats.t.isf(0.005, 29) / stats.t.isf(0.025, 29)
    )


def test_arrow_decides_the_outcome():
    noise = np.random.default_rng(2).normal(0, 1e-3, (2, 30))
    records = pd.concat([records_of("A", 0.2 + noise[0]), records_of("B", 0.3 + noise[1])])
    assert compared(records).outcome("paired") == "better"
    assert compared(records, "A", "B", "average_recall").outcome("paired") == "worse"
    assert compared(records, "B", "A", "hamming_loss").outcome("strict") == "worse"


def test_correction_takes_a_win_away_and_shows_no_tie():
    """Against a loss of .3, and so a margin of .015."""
    records = pd.concat([records_of("A", 0.7 + DIFFERENCES), records_of("B", np.full(5, 0.7))])
    comparison = compared(records, "A", "B", "average_recall")
    assert comparison.outcome("paired") == "better"
    assert comparison.outcome("strict") == "neither"
    assert comparison.strict["tie"] > ALPHA


def test_a_tie_is_shown_by_precision_not_by_noise():
    """The same mean lead of 0: with a spread of .001 a tie, with one of .1 nothing is known."""
    noise = np.tile([-1.0, 1.0], 15)
    for spread, shown in ((0.001, True), (0.1, False)):
        found = compare_gains(spread * noise, 1 / 3, 0.01)
        assert (found.strict["tie"] < ALPHA) == shown
        assert (found.strict["not worse"] < ALPHA) == (found.strict["not better"] < ALPHA) == shown
        assert found.strict["better"] == found.strict["worse"] == pytest.approx(1.0)
    few = compare_gains(0.01 * noise[:4], 1 / 3, 0.01)
    assert few.strict["tie"] > ALPHA


def test_a_lead_within_the_margin_is_better_and_a_tie():
    """A lead of .005 ± .0002 against a margin of .01: significant, and too small to matter."""
    found = compare_gains(0.005 + 0.001 * np.tile([-1.0, 1.0], 15), 0.0, 0.01).paired
    assert found["better"] < ALPHA and found["tie"] < ALPHA and found["not better"] < ALPHA
    assert found["worse"] == 1.0


def test_only_shared_splits_count():
    a, b = records_of("A", DIFFERENCES), records_of("B", DIFFERENCES + 0.1)
    shuffled = pd.concat([a, b.iloc[[4, 0, 2]]])
    comparison = compared(shuffled)
    assert comparison.n == 3
    assert comparison.gain == pytest.approx(0.1)


def test_independent_data_sets_are_compared_by_their_ranks():
    """Eleven sets, A ahead on all: p = 2 / 2^11, however large one lead is."""
    gains = np.array([*np.linspace(0.01, 0.02, 10), 5.0])
    records = pd.concat(
        [
            records_of(method, [value], dataset=f"set {i}")
            for i, gain in enumerate(gains)
            for method, value in (("A", 0.1), ("B", 0.1 + gain))
        ]
    )
    comparison = compared(records)
    assert comparison.strict["better"] == pytest.approx(2 / 2**11)
    assert comparison.paired["better"] > 0.3
    both = signed_rank_test([np.zeros(5), [0.0, 0.0, 1.0, 2.0, 3.0]])
    assert both.tolist() == [1.0, stats.wilcoxon([1, 2, 3], alternative="greater").pvalue]


def test_no_variance():
    """Equal values tie, and no method is better; one split allows no test."""
    a = records_of("A", [0.1, 0.2, 0.3])
    equal = pd.concat([a, records_of("B", [0.1, 0.2, 0.3])])
    found = compared(equal)
    assert found.strict == {
        "better": 1.0, "worse": 1.0, "tie": 0.0, "not better": 0.0, "not worse": 0.0,
        "much better": 1.0, "much worse": 1.0,
    }  # fmt: skip
    for n in (0, 1):
        short = pd.concat([a, records_of("B", [0.5] * n)])
        assert compared(short) is None


def test_two_records_of_one_split():
    twice = pd.concat([records_of("A", DIFFERENCES), records_of("A", DIFFERENCES)])
    with pytest.raises(ValueError, match="A has two records of one split"):
        compared(twice)


def test_a_large_test_set_has_the_calibrated_variance():
    """Beyond one test example for each of training ρ / (1 - ρ), below that n_test / n_train."""
    assert extra_variance(None) == 0.0 and extra_variance(1 / 3) == 1 / 3
    assert extra_variance(3.0) == pytest.approx(RHO / (1 - RHO)) and RHO < 0.75


LOSSES = pd.DataFrame(
    {"A": [1.0, 2, 3, 4], "B": [2.0, 3, 4, 5], "C": [9.0, 9, 9, 9]}, index=[*"wxyz"]
)


def test_ranks_by_hand():
    """Four sets, A always first and C last: ranks 1 2 3, chi² = 12·4/(3·4) Σ (R - 2)² = 8."""
    found = rank_methods(LOSSES)
    assert found.ranks.to_dict() == {"A": 1.0, "B": 2.0, "C": 3.0}
    assert found.p == pytest.approx(stats.chi2.sf(8, 2))
    # Nemenyi: the critical difference of k = 3 and N = 4 is 2.343 sqrt(3·4 / (6·4)) = 1.657
    assert found.nemenyi.loc["A", "B"] > ALPHA > found.nemenyi.loc["A", "C"]
    assert found.in_words() == (
        "Over 4 data sets the best mean rank is that of A, 1.0 of 3, significantly ahead of C; "
        "without any one set it is the first. With 4 sets little can be decided."
    )


def test_one_set_may_turn_the_order_and_none_is_left_out_silently():
    """B is first on one of three sets: mean ranks 4/3 and 5/3, without another set 3/2 both."""
    turned = LOSSES[:3].copy()
    turned.loc["w", "A"] = 2.5
    found = rank_methods(turned).table
    assert found.loc["A"].tolist() == pytest.approx([4 / 3, 1.0, 2.0, 1.0, 1.5])
    assert found.loc["B", ["least", "most"]].tolist() == [1.5, 2.0]
    assert "another may be the first" in rank_methods(turned).in_words()
    turned.loc["x", "C"] = math.nan
    with pytest.raises(ValueError, match="a loss on every set, missing: C on x"):
        rank_methods(turned)


def test_holm_by_hand():
    """p = .01 .04 .03 sorted .01 .03 .04, times 3 2 1: .03 .06 .04, and never falling."""
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.8]) == pytest.approx([1, 1])
    assert holm([math.nan, 0.02])[1] == pytest.approx(0.02)
    assert len(holm([])) == 0


def test_outcomes_are_counted_over_data_sets_and_criteria():
    plain, corrected = win_tie_loss(apart(0.1), "A", "B")
    assert plain == corrected == (8, 0, 6)
    assert win_tie_loss(apart(0.0), "A", "B")[0] == (0, 14, 0)


def test_swept_values():
    records = swept("figure7", "MimlSvm", "ratio", [0.1, 0.2], n=1)
    records.loc[1, "parameters"] = "{}"
    assert swept_values(records, default=0.2).tolist() == [0.1, 0.2]
    records.loc[1, "parameters"] = '{"a": 1, "b": 2}'
    with pytest.raises(ValueError, match="one parameter must vary"):
        swept_values(records, default=0.2)
