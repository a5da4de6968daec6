"""The correlation of splits that test on more than they train: simulated, and checked apart."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mimlpaper.metrics import CRITERIA
from mimlstudy.folders import results
from mimlstudy.judge import statistics
from mimlstudy.judge.calibration import (
    calibrated,
    critical_difference,
    halves,
    levels,
    power,
)
from mimlstudy.judge.statistics import (
    ALPHA,
    RHO_BY_SIZE,
    SplitSizes,
    compare_differences,
)


def simulated(ratios, n_train=150):
    """Records of mean differences over their std, (n_sets, 7)."""
    table = pd.DataFrame(ratios, columns=[*CRITERIA])
    return table.assign(
        dataset="drawn",
        method=f"{n_train} training examples",
        split=np.arange(len(table)),
    )


@pytest.fixture(scope="module")
def independent():
    """Thirty independent differences on each of 8,000 sets, for seven criteria."""
    rng = np.random.default_rng(0)
    differences = rng.normal(size=(8000, 7, 30))
    means = differences.mean(axis=2)
    return means / differences.std(axis=2, ddof=1)


@pytest.fixture(scope="module")
def recorded():
    return pd.read_csv(results() / "calibration.csv")


def test_independent_differences_need_no_correlation(independent):
    correlations = calibrated(simulated(independent))
    assert correlations[150] <= 0.005


def test_the_level_and_the_power_at_no_correlation_are_those_of_the_t_test(
    independent, monkeypatch
):
    monkeypatch.setitem(RHO_BY_SIZE, 150, 0.0)
    records = simulated(independent)
    level = levels(records).to_numpy().mean()
    assert level == pytest.approx(ALPHA, abs=0.005)
    # The power of a two-sided t-test, but for the far side.
    critical = stats.t.isf(0.025, 29)
    expected = stats.nct.sf(critical, 29, 0.5 * np.sqrt(30))
    assert power(records, 0.5)[150] == pytest.approx(expected, abs=0.03)


def test_a_missing_difference_is_no_small_one():
    gappy = np.zeros((10, 7))
    gappy[3, 2] = np.nan
    with pytest.raises(ValueError, match="150 training examples: a difference is missing"):
        calibrated(simulated(gappy))


def test_the_halves_share_no_data_set():
    records = simulated(np.zeros((10, 7)))
    for_choice, for_check = halves(records)
    assert for_choice["split"].tolist() == [0, 1, 2, 3, 4]
    assert for_check["split"].tolist() == [5, 6, 7, 8, 9]


def test_the_correlations_in_use_are_those_of_the_first_half(recorded):
    for_choice, _ = halves(recorded)
    correlations = calibrated(for_choice)
    assert correlations == pytest.approx(RHO_BY_SIZE)


def test_on_the_second_half_the_level_is_kept_and_small_sets_have_power(recorded):
    _, for_check = halves(recorded)
    level = levels(for_check)
    assert level.max(axis=None) <= ALPHA
    # It was .002 with the correlation of large sets.
    assert level.loc[150].max() > 0.03
    assert power(for_check, 2.0)[150] > 0.9
    assert power(for_check, 3.0)[482] > 0.8


def test_the_correlation_is_linear_between_the_simulated_sizes():
    assert statistics.simulated_rho(150) == 0.22
    assert statistics.simulated_rho(482) == 0.485
    middle = (150 + 482) // 2
    expected = (0.22 + 0.485) / 2
    assert statistics.simulated_rho(middle) == pytest.approx(expected)


def test_beyond_the_simulated_sizes_the_usual_correction_stays():
    large = statistics.extra_variance(SplitSizes(1500, 3500))
    assert large == pytest.approx(7 / 3)
    small = statistics.extra_variance(SplitSizes(100, 300))
    assert small == 3.0
    between = statistics.extra_variance(SplitSizes(200, 600))
    rho = statistics.simulated_rho(200)
    assert between == pytest.approx(rho / (1 - rho))


def test_an_interval_is_the_critical_difference():
    differences = np.random.default_rng(1).normal(size=30)
    sizes = SplitSizes(150, 450)
    comparison = compare_differences(differences, sizes, 0.1)
    expected = critical_difference(0.22) * differences.std(ddof=1)
    assert comparison.half == pytest.approx(expected)
