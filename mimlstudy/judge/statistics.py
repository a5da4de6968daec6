"""Tests of differences and of ties, wins and losses, and ranks over data sets."""

import json
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats
from scipy.special import stdtr, stdtrit

from mimlpaper.metrics import CRITERIA
from mimlstudy.paper.published import ALL_CRITERIA

ALPHA = 0.05
MARGIN = 0.05  # of the rival's loss: closer than that, one is as good as the other
# Correlation of the leads on two splits that test on more than they train: simulated in section5.
RHO = 0.45
N_DECIDABLE = 9  # data sets; with fewer, differences of ranks are hardly ever shown
N_RESAMPLED = 2000


@dataclass(frozen=True)
class Comparison:
    """Method ``a`` against method ``b``, in favour of ``a`` where positive.

    ``paired`` and ``strict`` map what may be shown to the p-value of its opposite: "better",
    "worse", "tie" (two one-sided tests), and by more than the margin "not better", "not worse",
    "much better", "much worse".
    """

    n: int  # pairs
    gain: float  # mean lead of a
    half: float  # of its 95 % interval, by the strict test's variance
    paired_half: float  # by the plain t-test
    margin: float  # the lead that does not count
    paired: dict[str, float]  # by the plain t-test
    strict: dict[str, float]  # by the corrected t-test for splits of one data set, else Wilcoxon's

    def outcome(self, test: str) -> str:
        """ "better" or "worse" at level :data:`ALPHA` by ``paired`` or ``strict``, or "neither"."""
        p = getattr(self, test)
        return next((word for word in ("better", "worse") if p[word] < ALPHA), "neither")

    def least(self, n_parts: int) -> float:
        """The lead that the strict test shows as one of so many parts, at Holm's first step."""
        of_all, of_one = stdtrit(self.n - 1, 1 - ALPHA / 2 / np.array([n_parts, 1]))
        return self.half * float(of_all / of_one)


def compare_methods(records: pd.DataFrame, a: str, b: str, criterion: str) -> Comparison | None:
    """Two methods on a criterion, over the (dataset, split) that both have; None below two.

    The margin is :data:`MARGIN` times the mean loss of ``b``. ValueError if a method has two
    records of one split.
    """
    first, second = (_places(records, method, criterion) for method in (a, b))
    shared = first.keys() & second.keys()
    if len(shared) < 2:
        return None
    places = np.array([(first[key], second[key]) for key in sorted(shared)]).T
    ours, theirs = records[criterion].to_numpy()[places]
    gains, loss = theirs - ours, theirs
    if not ALL_CRITERIA[criterion].lower_is_better:
        gains, loss = ours - theirs, 1 - theirs
    test, train = (records[name].to_numpy()[places[0]] for name in ("n_test", "n_train"))
    one_set = len({dataset for dataset, _ in shared}) == 1
    return compare_gains(gains, (test / train).mean() if one_set else None, MARGIN * loss.mean())


def _places(records, method, criterion):
    """The rows of a method's values, by data set and split."""
    measured = ~np.isnan(records[criterion].to_numpy())
    own = np.flatnonzero((records["method"].to_numpy() == method) & measured)
    keys = [records[name].to_numpy()[own] for name in ("dataset", "split")]
    places = dict(zip(zip(*keys, strict=True), own, strict=True))
    if len(places) < len(own):
        raise ValueError(f"{method} has two records of one split of one data set")
    return places


def compare_gains(gains, test_share: float | None, margin: float) -> Comparison:
    """The comparison from the leads of a: (n,); ``test_share`` as in :func:`extra_variance`."""
    gains = np.asarray(gains, dtype=float)
    n, added = len(gains), extra_variance(test_share)
    error = stdtrit(n - 1, 1 - ALPHA / 2) * gains.std(ddof=1)
    half, paired_half = (float(error * math.sqrt(1 / n + more)) for more in (added, 0.0))
    leads = np.array(
        [gains, -gains, margin - gains, gains + margin, gains - margin, -gains - margin]
    )
    strict = signed_rank_test(leads) if test_share is None else t_test(leads, added)
    shown = _shown(t_test(leads)), _shown(strict)
    return Comparison(n, float(gains.mean()), half, paired_half, margin, *shown)


def extra_variance(test_share: float | None) -> float:
    """What shared examples add to 1/n, the variance of a mean of n leads, in that of one lead.

    n_test / n_train after Nadeau and Bengio; if the test set is the larger one, where that is far
    too much, ρ / (1 - ρ) with the simulated :data:`RHO`; 0 for independent data sets, None.
    """
    if test_share is None or test_share <= 1:
        return test_share or 0.0
    return RHO / (1 - RHO)


def _shown(p_values):
    better, worse, not_better, not_worse, much_better, much_worse = p_values.tolist()
    return {
        "better": min(1.0, 2 * better),
        "worse": min(1.0, 2 * worse),
        "tie": max(not_worse, not_better),
        "not better": not_better,
        "not worse": not_worse,
        "much better": min(1.0, 2 * much_better),
        "much worse": min(1.0, 2 * much_worse),
    }


def t_test(values, extra: float = 0.0) -> np.ndarray:
    """One-sided p of means above 0: mean / √((1/J + extra) var) (Nadeau and Bengio, 2003)."""
    values = np.asarray(values, dtype=float)
    n, mean = values.shape[-1], values.mean(axis=-1)
    error = values.std(axis=-1, ddof=1) * math.sqrt(1 / n + extra)
    no_error = error <= 1e-12 * np.maximum(1.0, abs(mean))
    return np.where(no_error, mean <= 1e-12, stdtr(n - 1, -mean / np.where(no_error, 1.0, error)))


def signed_rank_test(values) -> np.ndarray:
    """One-sided p of values above 0 by Wilcoxon's test, along the last axis; 1 where all are 0."""
    values = np.round(values, 12)
    p = stats.wilcoxon(values, alternative="greater", method="exact", axis=-1).pvalue
    return np.where(values.any(axis=-1), p, 1.0)


def holm(p_values) -> np.ndarray:
    """p-values adjusted for their number by Holm's step-down rule (1979); NaN stays NaN."""
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
    """Outcomes by both tests, by criterion and set, or with the sets ``pooled`` as pairs."""
    groups = [records] if pooled else [rows for _, rows in records.groupby("dataset")]
    cases = (compare_methods(rows, a, b, name) for rows in groups for name in criteria)
    found = [one for one in cases if one]
    outcomes = ([one.outcome(test) for one in found] for test in ("paired", "strict"))
    return tuple(WinTieLoss(*map(words.count, WinTieLoss._fields)) for words in outcomes)


class Ranks(NamedTuple):
    """Mean ranks of methods over independent data sets, and what they can show.

    ``table`` has the best method first: rank (mean, 1 is best), low and high (95 % bootstrap).
    """

    table: pd.DataFrame
    losses: pd.DataFrame
    p: float  # of Friedman's test
    nemenyi: pd.DataFrame  # p-values by pairs

    def in_words(self) -> str:
        """Who is first, and what holds whichever set is left out."""
        (first, *others), sets = self.table.index, self.losses.index
        without = [rank_methods(self.losses.drop(index=name)) for name in sets]
        leaders = [one.table["rank"].nsmallest(1, keep="all").index for one in without]
        still = "it is" if set().union(*leaders) == {first} else "another may be"
        p = np.max([one.nemenyi.loc[first, others] for one in (self, *without)], axis=0)
        behind = ", ".join(name for name, one in zip(others, p, strict=True) if one < ALPHA)
        few = f" With {len(sets)} sets little can be decided." * (len(sets) < N_DECIDABLE)
        return (
            f"Over {len(sets)} data sets the best mean rank is that of {first}, "
            f"{self.table['rank'].iloc[0]:.1f} of {len(self.table)}. Whichever set is left out, "
            f"{still} the first, and {first} is significantly ahead of {behind or 'none'}.{few}"
        )


def rank_methods(losses: pd.DataFrame) -> Ranks:
    """Ranks, Friedman's test and Nemenyi's of ``losses``: a row a data set, a column a method.

    ValueError if a loss is missing. The splits of one data set do not qualify as rows. See Demšar,
    Statistical comparisons of classifiers over multiple data sets, JMLR 7, 2006.
    """
    from scikit_posthocs import posthoc_nemenyi_friedman  # takes long, and few need it

    if losses.isna().any(axis=None):
        gaps = [f"{losses.columns[j]} on {losses.index[i]}" for i, j in np.argwhere(losses.isna())]
        raise ValueError(f"every method must have a loss on every set, missing: {', '.join(gaps)}")
    ranks = losses.rank(axis=1)
    drawn = np.random.default_rng(0).integers(len(ranks), size=(N_RESAMPLED, len(ranks)))
    low, high = np.quantile(ranks.to_numpy()[drawn].mean(axis=1), [0.025, 0.975], axis=0)
    table = pd.DataFrame(dict(rank=ranks.mean(), low=low, high=high)).sort_values("rank")
    p = stats.friedmanchisquare(*losses.to_numpy().T).pvalue
    return Ranks(table, losses, float(p), posthoc_nemenyi_friedman(losses))


def ranks_of_means(means: pd.DataFrame) -> pd.DataFrame:
    """Ranks of the rows in each column, 1 is best; a column that is no loss is an accuracy."""
    losses = [name for name, criterion in CRITERIA.items() if criterion.lower_is_better]
    return means.apply(lambda column: column.rank(ascending=column.name in losses))


def swept_values(records: pd.DataFrame, default: float) -> pd.Series:
    """The value of the one parameter that an experiment varies, row by row, or ``default``."""
    changes = records["parameters"].map(json.loads)
    if changes.map(len).max() > 1:
        raise ValueError(f"one parameter must vary, got {max(changes, key=len)}")
    return changes.map(lambda change: float(next(iter(change.values()), default)))
