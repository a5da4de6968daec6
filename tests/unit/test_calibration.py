"""The test of Section 5 on equal learners, and what is recorded of it."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mimlpaper.metrics import CRITERIA
from mimlpaper.paths import results
from mimlpaper.study import section5
from mimlpaper.study.section5 import EqualPair, critical_lead, levels, power, standardized_leads
from mimlpaper.study.statistics import ALPHA, RHO, compare_gains


class Swapped(EqualPair):
    def draw(self):
        rng, Y, views = super().draw()
        return rng, Y, views[::-1]


def test_the_views_are_alike_and_a_swap_turns_the_sign():
    (leads,), (turned,) = (
        standardized_leads(pair(12, 3), None, None, None) for pair in (EqualPair, Swapped)
    )
    assert list(leads) == list(CRITERIA) and len(set(leads.values())) > 5
    assert [*turned.values()] == pytest.approx([-lead for lead in leads.values()])


def test_a_quarter_of_the_examples_is_for_training(monkeypatch):
    class Counting(section5.Ridge):
        def fit(self, X, Y):
            assert X.shape == (12, section5.N_FEATURES)
            return super().fit(X, Y)

    monkeypatch.setattr(section5, "Ridge", Counting)
    standardized_leads(EqualPair(12, 3), None, None, None)


def test_levels_and_power_of_independent_leads():
    """Thirty independent leads: ρ = 0 has the level 5 %, and its power is that of the t-test."""
    rng = np.random.default_rng(0)
    leads = rng.normal(size=(8000, 7, 30))
    ratios = leads.mean(axis=2) / leads.std(axis=2, ddof=1)
    drawn = pd.DataFrame(ratios, columns=[*CRITERIA]).assign(method=["a", "b"] * 4000)
    assert levels(drawn, 0.0).to_numpy().mean() == pytest.approx(0.05, abs=0.005)
    expected = stats.nct.sf(stats.t.isf(0.025, 29), 29, 0.5 * np.sqrt(30))
    assert power(drawn, 0.0, 0.5) == pytest.approx(expected, abs=0.03)
    gains = rng.normal(size=30)
    found = compare_gains(gains, 3.0, 0.1)
    assert found.half == pytest.approx(critical_lead(RHO) * gains.std(ddof=1))


def test_the_correlation_in_use_is_that_of_the_recorded_simulation():
    drawn = pd.read_csv(results() / "calibration.csv")
    assert levels(drawn, RHO).max(axis=None) <= ALPHA < levels(drawn, RHO - 0.01).max(axis=None)
    assert power(drawn, RHO, 3.0) > 0.8
