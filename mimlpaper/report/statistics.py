"""Paired tests on shared splits: the plain one of the paper, and one that minds the overlap."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from mimlpaper.report.published import ALL_CRITERIA

__all__ = ["Comparison", "compare", "corrected_resampled_t_test", "holm", "paired_t_test"]


@dataclass(frozen=True)
class Comparison:
    """How method ``a`` fares against ``b`` on one criterion, over ``n`` shared splits.

    ``difference`` is the mean of a - b. An outcome is "better", "worse" or "tie", or
    "undefined" where no test is possible: fewer than two splits, or the same non-zero
    difference on all of them.
    """

    a: str
    b: str
    criterion: str
    n: int
    difference: float
    p: float
    outcome: str
    corrected_p: float
    corrected_outcome: str


def compare(
    records: pd.DataFrame, a: str, b: str, criterion: str, *, alpha: float = 0.05
) -> Comparison:
    """Compare two methods on one criterion by two-sided paired tests at level ``alpha``.

    Pairs are the (dataset, split) that both have. Splits of one data set share training
    examples, which the corrected test allows for; pairs from several data sets are taken as
    independent, and both tests then agree.

    Raises
    ------
    ValueError
        If a method has two records of one split.
    """
    differences, test_share = _differences(records, a, b, criterion)
    t, p = paired_t_test(differences)
    corrected_p = _corrected(t, len(differences), test_share)[1]
    difference = float(differences.mean()) if len(differences) else math.nan
    a_wins = (difference < 0) == ALL_CRITERIA[criterion].lower_is_better
    return Comparison(
        a=a,
        b=b,
        criterion=criterion,
        n=len(differences),
        difference=difference,
        p=p,
        outcome=_outcome(p, a_wins, alpha),
        corrected_p=corrected_p,
        corrected_outcome=_outcome(corrected_p, a_wins, alpha),
    )


def paired_t_test(differences) -> tuple[float, float]:
    """t and two-sided p of the mean of paired differences against 0; NaN where undefined."""
    differences = np.asarray(differences, dtype=float)
    if len(differences) < 2:
        return math.nan, math.nan
    if _constant(differences):
        return (0.0, 1.0) if np.allclose(differences, 0, atol=1e-12) else (math.nan, math.nan)
    result = stats.ttest_rel(differences, np.zeros_like(differences))
    return float(result.statistic), float(result.pvalue)


def corrected_resampled_t_test(differences, test_share: float) -> tuple[float, float]:
    """t = mean(d) / sqrt((1/J + n_test/n_train) var(d)) with J - 1 degrees of freedom.

    The splits of one data set share training examples, so that their differences are
    correlated and the plain test is too eager; n_test/n_train makes up for that. For k-fold
    cross-validation the ratio is 1/(k - 1).

    Parameters
    ----------
    differences : (J,), unit of the criterion
    test_share : float
        n_test / n_train; 0 gives the plain paired t-test.

    References
    ----------
    Nadeau and Bengio, Inference for the generalization error, Machine Learning 52, 2003.
    """
    return _corrected(paired_t_test(differences)[0], len(differences), test_share)


def holm(p_values) -> np.ndarray:
    """p-values adjusted for their number by Holm's step-down rule; NaN stays NaN.

    References
    ----------
    Holm, A simple sequentially rejective multiple test procedure, Scand. J. Stat. 6, 1979.
    """
    p_values = np.asarray(p_values, dtype=float)
    adjusted = np.full(len(p_values), np.nan)
    defined = np.flatnonzero(~np.isnan(p_values))
    order = defined[np.argsort(p_values[defined], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(factors * p_values[order]), 1)
    return adjusted


def _differences(records, a, b, criterion):
    """a - b on each shared (dataset, split), and n_test / n_train if they are of one set."""
    first, second = (_by_split(records, method, criterion) for method in (a, b))
    shared = sorted(first.keys() & second.keys())
    differences = np.array([first[key][0] - second[key][0] for key in shared])
    one_set = len({dataset for dataset, _ in shared}) == 1
    return differences, np.mean([first[key][1] for key in shared]) if one_set else 0.0


def _by_split(records, method, criterion):
    """{(dataset, split): (value, n_test / n_train)}."""
    rows = records[(records["method"] == method) & records[criterion].notna()]
    values = {}
    for dataset, split, value, n_test, n_train in zip(
        *(rows[name] for name in ("dataset", "split", criterion, "n_test", "n_train")),
        strict=True,
    ):
        if (dataset, split) in values:
            raise ValueError(f"{method} has two records of split {split} of {dataset}")
        values[dataset, split] = value, n_test / n_train
    return values


def _corrected(t, n, test_share):
    if math.isnan(t):
        return t, t
    t /= math.sqrt(1 + n * test_share)
    return t, float(2 * stats.t.sf(abs(t), n - 1))


def _outcome(p, a_wins, alpha):
    if math.isnan(p):
        return "undefined"
    if p >= alpha:
        return "tie"
    return "better" if a_wins else "worse"


def _constant(differences):
    return np.ptp(differences) <= 1e-12 * max(1.0, np.abs(differences).max())
