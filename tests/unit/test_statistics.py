"""Tests, counts and ranks against values by hand, SciPy and each other; their calibration."""

import math

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
)
from mimlstudy.paper import section5
from mimlstudy.paper.section5 import EqualPair, standardized_leads
from tests.made_up_records import apart, rows, swept

DIFFERENCES = np.array([0.02, 0.01, 0.03, 0.00, 0.04])
NOISE = np.tile([-1.0, 1.0], 15)


def records_of(method, values, dataset="scene"):
    return rows("table1", dataset, method, {"hamming_loss": values, "average_recall": values})


def compared(a, b, criterion="hamming_loss", dataset="scene"):
    records = pd.concat([records_of("A", a, dataset), records_of("B", b, dataset)])
    return compare_methods(records, "A", "B", criterion)


def test_by_hand():
    """d = (.02 .01 .03 0 .04): mean .02, variance .00025.

    Plain: t = .02 / sqrt(.00025 / 5) = 2.8284. With n_test/n_train = 1/4:
    t = .02 / sqrt((1/5 + 1/4) .00025) = 1.8856, both with 4 degrees of freedom.
    """
    assert 2 * statistics.t_test(DIFFERENCES) == pytest.approx(0.047421, abs=1e-6)
    assert 2 * statistics.t_test(DIFFERENCES, 1 / 4) == pytest.approx(0.132419, abs=1e-6)
    assert statistics.extra_variance(None) == 0.0
    assert statistics.extra_variance(SplitSizes(1500, 500)) == 1 / 3


def test_against_scipy():
    a, b = np.random.default_rng(1).normal([[0.2], [0.195]], 0.01, (2, 30))
    found, test = compared(a, b), stats.ttest_rel(b, a)
    assert found.n == 30 and found.paired["worse"] == pytest.approx(test.pvalue)
    assert found.difference == pytest.approx((b - a).mean())
    assert found.margin == pytest.approx(0.05 * b.mean())
    assert found.difference - found.paired_half == pytest.approx(test.confidence_interval().low)
    assert found.half == pytest.approx(found.paired_half * math.sqrt(11))  # 1/30 + 1/3, over 1/30
    of_five, of_one = stats.t.isf([0.005, 0.025], 29)
    assert found.least(5) / of_five == pytest.approx(found.least(1) / of_one)
    assert found.least(1) == pytest.approx(found.half)


def test_correction_takes_a_win_away_and_shows_no_tie():
    """Against a loss of .3, and so a margin of .015."""
    found = compared(0.7 + DIFFERENCES, np.full(5, 0.7), "average_recall")
    assert found.outcome("paired") == "better" and found.outcome("corrected") == "neither"
    assert compared(0.7 + DIFFERENCES, np.full(5, 0.7)).outcome("paired") == "worse"
    assert found.corrected["tie"] > ALPHA and found.margin == pytest.approx(0.015)


def test_a_tie_is_shown_by_precision_not_by_noise():
    """The same mean lead of 0: with a spread of .001 a tie, with .1 or few runs nothing is known.

    A lead of .005 ± .0002 against a margin of .01 is significant, and too small to matter.
    """
    for gains, shown in ((0.001 * NOISE, True), (0.1 * NOISE, False), (0.01 * NOISE[:4], False)):
        found = compare_differences(gains, SplitSizes(1500, 500), 0.01).corrected
        assert {found[name] < ALPHA for name in ("tie", "not worse", "not better")} == {shown}
        assert found["better"] == found["worse"] == pytest.approx(1.0)
    found = compare_differences(0.005 + 0.001 * NOISE, SplitSizes(1500, 500), 0.01).paired
    assert found["better"] < ALPHA and found["tie"] < ALPHA and found["not better"] < ALPHA
    assert found["worse"] == 1.0
    found = compared([0.1, 0.2, 0.3], [0.1, 0.2, 0.3]).corrected  # which leaves no doubt
    assert {name for name, p in found.items() if p == 0} == {"tie", "not better", "not worse"}
    assert {*found.values()} == {0.0, 1.0}


def test_only_shared_splits_count():
    a, b = records_of("A", DIFFERENCES), records_of("B", DIFFERENCES + 0.1)
    found = compare_methods(pd.concat([a, b.iloc[[4, 0, 2]]]), "A", "B", "hamming_loss")
    assert found.n == 3 and found.difference == pytest.approx(0.1)
    for n in (0, 1):
        assert compare_methods(pd.concat([a, b[:n]]), "A", "B", "hamming_loss") is None
    with pytest.raises(ValueError, match="A has two records of one split"):
        compare_methods(pd.concat([a, a, b]), "A", "B", "hamming_loss")


def test_independent_data_sets_are_compared_by_their_ranks():
    """Eleven sets, A ahead on all: p = 2 / 2^11, however large one lead is."""
    gains = np.array([*np.linspace(0.01, 0.02, 10), 5.0])
    found = compared(0 * gains, gains, dataset=[f"set {i}" for i in range(11)])
    assert found.corrected["better"] == pytest.approx(2 / 2**11) and found.paired["better"] > 0.3
    both = statistics.signed_rank_test([np.zeros(5), [0.0, 0.0, 1.0, 2.0, 3.0]])
    assert both.tolist() == [1.0, stats.wilcoxon([1, 2, 3], alternative="greater").pvalue]


LOSSES = pd.DataFrame(
    {"A": [1.0, 2, 3, 4], "B": [2.0, 3, 4, 5], "C": [9.0, 9, 9, 9]}, index=[*"wxyz"]
)


def test_ranks_by_hand():
    """Four sets, A always first and C last: ranks 1 2 3, chi² = 12·4/(3·4) Σ (R - 2)² = 8."""
    found = rank_methods(LOSSES)
    assert found.table["rank"].to_dict() == {"A": 1.0, "B": 2.0, "C": 3.0}
    assert found.p == pytest.approx(stats.chi2.sf(8, 2))
    tied = rank_methods(LOSSES.assign(B=LOSSES["A"])).table["rank"]
    assert tied.to_dict() == {"A": 1.5, "B": 1.5, "C": 3.0}
    # Nemenyi: the critical difference of k = 3 and N = 4 is 2.343 sqrt(3·4 / (6·4)) = 1.657
    assert found.nemenyi.loc["A", "B"] > ALPHA > found.nemenyi.loc["A", "C"]
    assert "set is left out, it is the first, and A is significantly ahead of C" in found.in_words()


def test_one_set_may_turn_the_order_and_none_is_left_out_silently():
    """B is first on one of three sets: mean ranks 4/3 and 5/3, without another set 3/2 both."""
    turned = LOSSES[:3].copy()
    turned.loc["w", "A"] = 2.5
    found = rank_methods(turned)
    assert found.table.loc["A"].tolist() == pytest.approx([4 / 3, 1.0, 2.0])
    assert rank_methods(turned.drop(index="x")).table["rank"].tolist() == [1.5, 1.5, 3.0]
    assert "another may be the first, and A is significantly ahead of none" in found.in_words()
    turned.loc["x", "C"] = math.nan
    with pytest.raises(ValueError, match="missing: C on x"):
        rank_methods(turned)


def test_holm_by_hand():
    """p = .01 .04 .03 sorted .01 .03 .04, times 3 2 1: .03 .06 .04, and never falling."""
    assert statistics.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert statistics.holm([0.9, 0.8]) == pytest.approx([1, 1])
    assert statistics.holm([math.nan, 0.02])[1] == pytest.approx(0.02)
    assert len(statistics.holm([])) == 0


def test_outcomes_are_counted_over_data_sets_and_criteria():
    assert statistics.win_tie_loss(apart(0.1), "A", "B") == ((8, 0, 6), (8, 0, 6))
    assert statistics.win_tie_loss(apart(0.1), "A", "B", pooled=True)[0] == (4, 0, 3)
    assert statistics.win_tie_loss(apart(0.0), "A", "B")[0] == (0, 14, 0)


def test_swept_values():
    records = swept("figure7", "MimlSvm", "ratio", [0.1, 0.2], n=1)
    records.loc[1, "override"] = "{}"
    assert statistics.swept_values(records, default=0.2).tolist() == [0.1, 0.2]
    records.loc[1, "override"] = '{"a": 1, "b": 2}'
    with pytest.raises(ValueError, match="one parameter must vary"):
        statistics.swept_values(records, default=0.2)


class Swapped(EqualPair):
    def draw(self):
        rng, Y, views = super().draw()
        return rng, Y, views[::-1]


class Counting(section5.Ridge):
    def fit(self, X, Y):
        assert X.shape == (12, section5.N_FEATURES)  # a quarter of the examples
        return super().fit(X, Y)


def test_the_views_are_alike_and_a_swap_turns_the_sign(monkeypatch):
    monkeypatch.setattr(section5, "Ridge", Counting)
    (leads,), (turned,) = (
        standardized_leads(pair(12, 3), None, None, None) for pair in (EqualPair, Swapped)
    )
    assert list(leads) == list(CRITERIA) and len(set(leads.values())) > 5
    assert [*turned.values()] == pytest.approx([-lead for lead in leads.values()])
