"""Curves, paired tests, wins and losses, ranks, and the growth of costs.

There are two paired tests: the plain one of the paper, and one that allows for splits that overlap.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from mimlpaper.experiments.costs import drawn_sizes
from mimlpaper.metrics import CRITERIA
from mimlpaper.report.published import ALL_CRITERIA

__all__ = [
    "ALPHA", "LEAST_MEGABYTES", "SIZES", "Comparison", "WinTieLoss", "compare_methods",
    "corrected_resampled_t_test", "curve", "exponents", "growth", "holm", "mean_ranks",
    "paired_t_test", "shared_ranks", "swept_values", "win_tie_loss", "win_tie_loss_by_stage",
]  # fmt: skip


def curve(records: pd.DataFrame, x: str, criterion: str) -> pd.DataFrame:
    """Columns mean and std over splits for each value of column ``x``, of one method.

    Where ``x`` is the stage, a boosting run that stopped early keeps its last value.
    """
    by_x = records.pivot(index="split", columns=x, values=criterion)
    by_x = by_x.ffill(axis=1) if x == "stage" else by_x
    return pd.DataFrame({"mean": by_x.mean(), "std": by_x.std()})


def swept_values(records: pd.DataFrame, default: float) -> pd.Series:
    """The value of the one parameter that an experiment varies, row by row.

    ``default`` is the value of the configuration as published.
    """

    def value(parameters):
        values = list(json.loads(parameters).values()) or [default]
        if len(values) > 1:
            raise ValueError(f"one parameter must vary, got {parameters}")
        return float(values[0])

    return records["parameters"].map(value)


ALPHA = 0.05


@dataclass(frozen=True)
class Comparison:
    """Method ``a`` against method ``b`` on one criterion, over ``n`` shared splits.

    ``difference`` is the mean of a - b. An outcome is "better", "worse" or "tie", or
    "undefined" where no test is possible: fewer than two splits, or the same non-zero
    difference on all of them.
    """

    n: int
    difference: float
    p: float
    outcome: str
    corrected_p: float
    corrected_outcome: str


def compare_methods(records: pd.DataFrame, a: str, b: str, criterion: str) -> Comparison:
    """Compare two methods on one criterion by two-sided paired tests at level :data:`ALPHA`.

    Pairs are the (dataset, split) that both have. The corrected test allows for the training
    examples that splits of one data set share. Pairs from several data sets count as
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
    outcomes = _outcome(p, a_wins), _outcome(corrected_p, a_wins)
    return Comparison(len(differences), difference, p, outcomes[0], corrected_p, outcomes[1])


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

    The splits of one data set share training examples, so their differences are correlated and
    the plain test rejects too often; n_test/n_train corrects that. For k-fold cross-validation
    the ratio is 1/(k - 1).

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
    """a - b on each shared (dataset, split), and n_test / n_train; 0 for several data sets."""
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


def _outcome(p, a_wins):
    if math.isnan(p):
        return "undefined"
    if p >= ALPHA:
        return "tie"
    return "better" if a_wins else "worse"


def _constant(differences):
    return np.ptp(differences) <= 1e-12 * max(1.0, np.abs(differences).max())


class WinTieLoss(NamedTuple):
    """Numbers of cases; a case that no test can decide is in none of the three."""

    better: int
    tie: int
    worse: int


def win_tie_loss(records: pd.DataFrame, a: str, b: str) -> tuple[WinTieLoss, WinTieLoss]:
    """Outcomes of ``a`` against ``b``, a case for each data set and criterion.

    First by the paired t-test, then by the corrected resampled t-test, both at 95 %.
    """
    found = [
        compare_methods(rows, a, b, name)
        for _, rows in records.groupby("dataset")
        for name in CRITERIA
    ]
    plain = [comparison.outcome for comparison in found]
    corrected = [comparison.corrected_outcome for comparison in found]
    words = WinTieLoss._fields
    return WinTieLoss(*map(plain.count, words)), WinTieLoss(*map(corrected.count, words))


def win_tie_loss_by_stage(
    records: pd.DataFrame, staged: pd.DataFrame, a: str, b: str, stages
) -> pd.DataFrame:
    """Outcomes of ``a`` against each of some stages of ``b``: columns stage, better, tie, worse.

    Parameters
    ----------
    records : of ``a``, one row for each data set and split.
    staged : of ``b``, one row for each stage as well; a fit that ended early keeps its last.
    """
    rows = []
    for stage in stages:
        reached = staged[staged["stage"] <= stage].sort_values("stage")
        last = reached.drop_duplicates(["dataset", "method", "split"], keep="last")
        plain, _ = win_tie_loss(pd.concat([records, last]), a, b)
        rows.append({"stage": stage, **plain._asdict()})
    return pd.DataFrame(rows)


def mean_ranks(records: pd.DataFrame) -> pd.DataFrame:
    """Rank of each method on each split, 1 for the best; the mean over the criteria.

    Rows are data sets and splits on which every method has been run, columns are methods.
    """
    return sum(
        records.pivot(index=["dataset", "split"], columns="method", values=name)
        .dropna()
        .rank(axis=1, ascending=criterion.lower_is_better)
        for name, criterion in CRITERIA.items()
    ) / len(CRITERIA)


def shared_ranks(published: pd.DataFrame, tuned: pd.DataFrame) -> list[pd.DataFrame]:
    """:func:`mean_ranks` of both, among the methods that both have; empty without records.

    A rank among eight methods means something else than a rank among nine.
    """
    if published.empty or tuned.empty:
        return [mean_ranks(part) if len(part) else pd.DataFrame() for part in (published, tuned)]
    shared = set(published["method"]) & set(tuned["method"])
    return [mean_ranks(part[part["method"].isin(shared)]) for part in (published, tuned)]


SIZES = ("bags", "instances", "labels")  # what costs are measured against
LEAST_MEGABYTES = 1.0  # less is within what an allocator rounds


def growth(costs: pd.DataFrame, method: str, size: str, value: str = "fit_seconds") -> pd.Series:
    """``value`` by one size, the others constant; without megabytes below one."""
    rows = costs[(costs["study"] == "sizes") & (costs["method"] == method)]
    if rows.empty:
        return pd.Series(dtype=float)
    sizes = pd.DataFrame([drawn_sizes(name) for name in rows["dataset"]], rows.index, SIZES)
    others = [name for name in SIZES if name != size]
    varied = max((group for _, group in rows.join(sizes).groupby(others)), key=len)
    values = varied.set_index(size)[value].astype(float).sort_index()
    return values[values >= LEAST_MEGABYTES] if value.endswith("megabytes") else values


def exponents(costs: pd.DataFrame, value: str = "fit_seconds") -> pd.DataFrame:
    """b of value ~ a size^b, for each method and size: least squares between the logarithms.

    Columns method, size, n (points), exponent, low, high (95 % interval; NaN with two points),
    last (exponent between the two largest sizes).
    """
    rows = []
    for method in costs.loc[costs["study"] == "sizes", "method"].unique():
        for size in SIZES:
            values = growth(costs, method, size, value)
            if len(values) > 1:
                rows.append({"method": method, "size": size, **_slope(values)})
    columns = ["method", "size", "n", "exponent", "low", "high", "last"]
    return pd.DataFrame(rows, columns=columns)


def _slope(values):
    x, y = np.log(values.index.to_numpy(float)), np.log(values.to_numpy())
    line, free = stats.linregress(x, y), len(x) - 2
    half = stats.t.ppf(0.975, free) * line.stderr if free else np.nan
    return {
        "n": len(x), "exponent": line.slope, "low": line.slope - half, "high": line.slope + half,
        "last": (y[-1] - y[-2]) / (x[-1] - x[-2]),
    }  # fmt: skip
