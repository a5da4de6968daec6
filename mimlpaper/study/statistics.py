"""Tests of differences and of ties, wins and losses, and ranks."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats
from scipy.special import stdtr, stdtrit

from mimlpaper.metrics import CRITERIA
from mimlpaper.study.published import ALL_CRITERIA

ALPHA = 0.05
MARGIN = 0.05  # of the rival's loss: closer than that, one is as good as the other


@dataclass(frozen=True)
class Comparison:
    """Method ``a`` against method ``b``, in favour of ``a`` where positive.

    ``paired`` and ``strict`` map what may be shown to the p-value of its opposite: "better",
    "worse", "tie" (within the margin, by two one-sided tests), "not better" and "not worse" (by
    more than the margin). Few or rough pairs show nothing.
    """

    n: int  # pairs
    gain: float  # mean lead of a, with its 95 % interval
    low: float
    high: float
    margin: float  # the lead that does not count
    paired: dict[str, float]  # by the plain t-test
    strict: dict[str, float]  # by the corrected t-test for splits of one data set, else Wilcoxon's

    def outcome(self, test: str) -> str:
        """ "better" or "worse" at level :data:`ALPHA` by ``paired`` or ``strict``, or "neither"."""
        p_values = getattr(self, test)
        return next((word for word in ("better", "worse") if p_values[word] < ALPHA), "neither")


def compare_methods(
    records: pd.DataFrame, a: str, b: str, criteria: Sequence[str]
) -> list[Comparison | None]:
    """Two methods on each criterion, over the (dataset, split) that both have; None below two.

    The margin is :data:`MARGIN` times the mean loss of ``b``: its criterion, or 1 - criterion
    where higher is better. ValueError if a method has two records of one split.
    """
    first, second = (_places(records, method) for method in (a, b))
    shared = sorted(first.keys() & second.keys())
    both = np.array([(first[key], second[key]) for key in shared], dtype=int).reshape(-1, 2).T
    datasets = np.array([dataset for dataset, _ in shared])
    test_share = (records["n_test"] / records["n_train"]).to_numpy()[both[0]]
    found: list[Comparison | None] = []
    for criterion in criteria:
        ours, theirs = records[criterion].to_numpy()[both]
        known = ~np.isnan(ours + theirs)
        if known.sum() < 2:
            found.append(None)
            continue
        ours, theirs = ours[known], theirs[known]
        lower_is_better = ALL_CRITERIA[criterion].lower_is_better
        gains = theirs - ours if lower_is_better else ours - theirs
        margin = MARGIN * (theirs if lower_is_better else 1 - theirs).mean()
        one_set = len(set(datasets[known])) == 1
        share = test_share[known].mean() if one_set else None
        found.append(compare_gains(gains, share, margin))
    return found


def _places(records, method):
    """{(dataset, split): place among the records}."""
    own = np.flatnonzero(records["method"].to_numpy() == method)
    keys = [records[name].to_numpy()[own] for name in ("dataset", "split")]
    places = dict(zip(zip(*keys, strict=True), own, strict=True))
    if len(places) < len(own):
        raise ValueError(f"{method} has two records of one split of one data set")
    return places


def compare_gains(gains, test_share: float | None, margin: float) -> Comparison:
    """The comparison from the leads of a: (n,), positive where a is better.

    ``test_share`` is n_test / n_train of splits of one data set; None for independent data sets.
    """
    gains = np.asarray(gains, dtype=float)
    n, mean = len(gains), float(np.mean(gains))
    half = stdtrit(n - 1, 0.975) * gains.std(ddof=1) * math.sqrt(1 / n + (test_share or 0))
    leads = np.array([gains, -gains, margin - gains, gains + margin])
    strict = signed_rank_test(leads) if test_share is None else t_test(leads, test_share)
    paired, strict = (_shown(p) for p in (t_test(leads), strict))
    return Comparison(n, mean, mean - half, mean + half, margin, paired, strict)


def _shown(p_values):
    better, worse, not_better, not_worse = map(float, p_values)
    return {
        "better": min(1.0, 2 * better), "worse": min(1.0, 2 * worse),
        "tie": max(not_worse, not_better), "not better": not_better, "not worse": not_worse,
    }  # fmt: skip


def t_test(values, test_share: float = 0.0) -> np.ndarray:
    """One-sided p of means above 0, along the last axis: mean / sqrt((1/J + n_test/n_train) var).

    J - 1 degrees of freedom. The splits of one data set share training examples, so the plain
    test, ``test_share`` 0, rejects too often. For k-fold cross-validation the share is 1/(k - 1).
    See Nadeau and Bengio, Inference for the generalization error, Machine Learning 52, 2003.
    """
    values = np.asarray(values, dtype=float)
    n, mean = values.shape[-1], values.mean(axis=-1)
    error = values.std(axis=-1, ddof=1) * math.sqrt(1 / n + test_share)
    no_error = error <= 1e-12 * np.maximum(1.0, abs(mean))
    return np.where(no_error, mean <= 1e-12, stdtr(n - 1, -mean / np.where(no_error, 1.0, error)))


def signed_rank_test(values) -> np.ndarray:
    """One-sided p of values that lie above 0, by Wilcoxon's signed-rank test, along the last axis.

    It is 1 where all values are 0.
    """
    values = np.round(values, 12)
    p = stats.wilcoxon(values, alternative="greater", method="exact", axis=-1).pvalue
    return np.where(values.any(axis=-1), p, 1.0)


def holm(p_values) -> np.ndarray:
    """p-values adjusted for their number by Holm's step-down rule; NaN stays NaN.

    See Holm, A simple sequentially rejective multiple test procedure, Scand. J. Stat. 6, 1979.
    """
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p)  # NaN last
    factors = np.count_nonzero(~np.isnan(p)) - np.arange(len(p))
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(factors * p[order]).clip(max=1)
    return adjusted


class WinTieLoss(NamedTuple):
    """Numbers of cases. Neither: no difference is shown, which does not show a tie."""

    better: int
    neither: int
    worse: int


def win_tie_loss(
    records: pd.DataFrame, a: str, b: str, criteria=tuple(CRITERIA), *, pooled: bool = False
) -> tuple[WinTieLoss, ...]:
    """Outcomes of ``a`` against ``b`` by the paired t-test, then by the strict test, at 95 %.

    A case is a criterion on a data set, or with ``pooled`` a criterion, with the data sets as
    pairs. Cases with fewer than two pairs do not count.
    """
    groups = [records] if pooled else [rows for _, rows in records.groupby("dataset")]
    found = [one for rows in groups for one in compare_methods(rows, a, b, criteria) if one]
    outcomes = ([one.outcome(test) for one in found] for test in ("paired", "strict"))
    return tuple(WinTieLoss(*map(words.count, WinTieLoss._fields)) for words in outcomes)


class Friedman(NamedTuple):
    """Methods over independent data sets: mean ranks (1 is best), p, and Nemenyi's p by pairs."""

    ranks: pd.Series
    p: float
    nemenyi: pd.DataFrame


def friedman(losses: pd.DataFrame) -> Friedman:
    """Friedman's test, then Nemenyi's, of ``losses``: a row a data set, a column a method.

    The splits of one data set are not independent and do not qualify as rows. See Demšar,
    Statistical comparisons of classifiers over multiple data sets, JMLR 7, 2006.
    """
    ranks = losses.rank(axis=1).mean().sort_values()
    from scikit_posthocs import posthoc_nemenyi_friedman  # takes long, and few need it

    p = stats.friedmanchisquare(*losses.to_numpy().T).pvalue
    return Friedman(ranks, float(p), posthoc_nemenyi_friedman(losses))


def ranks_of_means(means: pd.DataFrame) -> pd.DataFrame:
    """Ranks of the rows in each column, 1 is best; a column that is no loss is an accuracy."""
    return means.apply(
        lambda column: column.rank(
            ascending=column.name in CRITERIA and CRITERIA[column.name].lower_is_better
        )
    )


def shared_ranks(published: pd.DataFrame, tuned: pd.DataFrame) -> pd.DataFrame:
    """Mean ranks over the criteria in two settings, of the methods that both have.

    A row is a method on a split that all of them have; columns method, "as published", "tuned". A
    setting without records has no ranks.
    """
    settings = {"as published": published, "tuned": tuned}
    recorded = {name: rows for name, rows in settings.items() if len(rows)}
    methods = [set(rows["method"]) for rows in recorded.values()]
    ranks = {
        name: _mean_ranks(rows[rows["method"].isin(set.intersection(*methods))])
        for name, rows in recorded.items()
    }
    index = None if ranks else pd.MultiIndex.from_arrays([[]], names=["method"])
    return pd.DataFrame(ranks, index, columns=[*settings]).reset_index("method")


def _mean_ranks(records):
    ranks = 0
    for name, criterion in CRITERIA.items():
        values = records.pivot(index=["dataset", "split"], columns="method", values=name).dropna()
        ranks += values.rank(axis=1, ascending=criterion.lower_is_better) / len(CRITERIA)
    return ranks.stack()


def swept_values(records: pd.DataFrame, default: float) -> pd.Series:
    """The value of the one parameter that an experiment varies, row by row, or ``default``."""
    changes = records["parameters"].map(json.loads)
    if changes.map(len).max() > 1:
        raise ValueError(f"one parameter must vary, got {max(changes, key=len)}")
    return changes.map(lambda change: float(next(iter(change.values()), default)))
