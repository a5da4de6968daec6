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
from mimlstudy.judge.selection import checked_for_means
from mimlstudy.paper.printed import ALL_CRITERIA

ALPHA = 0.05
# As a share of the rival's loss. What is closer is as good.
MARGIN = 0.05
# Correlation of the differences on two splits that test on more than they train, by the number of
# training examples: simulated, see judge.calibration.
RHO_BY_SIZE = {150: 0.22, 482: 0.485}
# With fewer data sets, differences of ranks are hardly ever shown.
N_DECIDABLE = 9
N_RESAMPLED = 2000
ABSENCES_OF_A_LEAD = ("not better", "not worse")
# What rounding leaves of a difference that is none.
ZERO = 1e-12


@dataclass(frozen=True)
class Comparison:
    """Method ``a`` against method ``b``, in favour of ``a`` where positive.

    ``paired`` and ``corrected`` map an outcome to its p-value. Leads ("better", "worse", "much
    better", "much worse") are two-sided; those with "much" are by more than the margin. "not
    better": the lead, if any, is below the margin; "not worse" likewise; a "tie" is both.
    """

    n: int  # pairs
    difference: float  # mean, in favour of a
    half: float  # of its 95% t-interval, with the corrected variance unless by_ranks
    tied_within: float  # the margin: the difference that does not count
    by_ranks: bool  # whether the corrected test is Wilcoxon's, of data sets
    paired: dict[str, float]  # by the plain t-test
    corrected: dict[str, float]

    def outcome(self, test: str, level: float = ALPHA) -> str:
        """ "better" or "worse" at a level by "paired" or "corrected", or "neither"."""
        p_values = getattr(self, test)
        for word in ("better", "worse"):
            if p_values[word] < level:
                return word
        return "neither"

    def least(self, n_parts: int, level: float = ALPHA) -> float | None:
        """The smallest difference that is significant as the smallest p-value of ``n_parts``.

        That is Holm's first step, by the corrected t-test. None for data sets, whose test is of
        ranks.
        """
        if self.by_ranks:
            return None
        shown = stdtrit(self.n - 1, 1 - level / 2 / n_parts)
        of_half = stdtrit(self.n - 1, 1 - ALPHA / 2)
        return self.half * float(shown / of_half)


def compare_methods(
    records: pd.DataFrame,
    a: str,
    b: str,
    criterion: str,
    margin: float = MARGIN,
) -> Comparison | None:
    """Two methods on a criterion, over the (dataset, split) that both have; None below two.

    Pairs are splits of one data set; of several data sets, whose splits are not independent, the
    means of each. ``margin`` is a share of the mean loss of ``b``. ValueError if a method has two
    records of one split.
    """
    row_of_a = _row_by_split(records, a, criterion)
    row_of_b = _row_by_split(records, b, criterion)
    shared = sorted(row_of_a.keys() & row_of_b.keys())
    if len(shared) < 2:
        return None
    rows_of_a = [row_of_a[key] for key in shared]
    values = records[criterion].to_numpy()
    losses_of_a = values[rows_of_a]
    losses_of_b = values[[row_of_b[key] for key in shared]]
    if not ALL_CRITERIA[criterion].lower_is_better:
        losses_of_a = 1 - losses_of_a
        losses_of_b = 1 - losses_of_b
    split_sizes = None
    datasets = [dataset for dataset, _ in shared]
    n_sets = len({*datasets})
    if n_sets == 1:
        n_train = records["n_train"].to_numpy()[rows_of_a]
        n_test = records["n_test"].to_numpy()[rows_of_a]
        split_sizes = SplitSizes(n_train.mean(), n_test.mean())
    elif n_sets < len(shared):
        by_set = pd.DataFrame({"a": losses_of_a, "b": losses_of_b}).groupby(datasets).mean()
        losses_of_a = by_set["a"].to_numpy()
        losses_of_b = by_set["b"].to_numpy()
    tied_within = margin * losses_of_b.mean()
    return compare_differences(losses_of_b - losses_of_a, split_sizes, tied_within)


def _row_by_split(records, method, criterion):
    """The row of each (dataset, split) where a method has a value of the criterion."""
    has_value = ~np.isnan(records[criterion].to_numpy())
    is_method = records["method"].to_numpy() == method
    rows = np.flatnonzero(is_method & has_value)
    datasets = records["dataset"].to_numpy()[rows]
    splits = records["split"].to_numpy()[rows]
    places = zip(datasets, splits, strict=True)
    row_by_split = dict(zip(places, rows, strict=True))
    if len(row_by_split) < len(rows):
        raise ValueError(f"{method} has two records of one split of one data set")
    return row_by_split


class SplitSizes(NamedTuple):
    """Mean numbers of examples of the random splits of one data set."""

    n_train: float
    n_test: float


def compare_differences(
    differences,
    split_sizes: SplitSizes | None,
    tied_within: float,
) -> Comparison:
    """The comparison from the differences in favour of a: (n,); sizes are None for data sets."""
    differences = np.asarray(differences, dtype=float)
    n = len(differences)
    extra = extra_variance(split_sizes)
    by_ranks = split_sizes is None
    half_of_one_run = stdtrit(n - 1, 1 - ALPHA / 2) * differences.std(ddof=1)
    positive_if = {
        "better": differences,
        "worse": -differences,
        "not better": tied_within - differences,
        "not worse": differences + tied_within,
        "much better": differences - tied_within,
        "much worse": -differences - tied_within,
    }
    rows = np.array([*positive_if.values()])
    paired = t_test(rows)
    corrected = signed_rank_test(rows) if by_ranks else t_test(rows, extra)
    return Comparison(
        n=n,
        difference=float(differences.mean()),
        half=float(half_of_one_run * math.sqrt(1 / n + extra)),
        tied_within=tied_within,
        by_ranks=by_ranks,
        paired=_by_outcome(dict(zip(positive_if, paired.tolist(), strict=True))),
        corrected=_by_outcome(dict(zip(positive_if, corrected.tolist(), strict=True))),
    )


def extra_variance(split_sizes: SplitSizes | None) -> float:
    """What shared examples add to 1/n, the variance of a mean of n differences over that of each.

    n_test / n_train after Nadeau and Bengio. If the test set is the larger one, that is far too
    much: ρ / (1 - ρ) with the simulated ρ, as far as its sizes reach. 0 for data sets, None.
    """
    if split_sizes is None:
        return 0.0
    n_train, n_test = split_sizes
    simulated = min(RHO_BY_SIZE) <= n_train <= max(RHO_BY_SIZE)
    if n_test <= n_train or not simulated:
        return n_test / n_train
    rho = simulated_rho(n_train)
    return rho / (1 - rho)


def simulated_rho(n_train: float) -> float:
    """The simulated ρ, linear in the number of training examples between the simulated ones."""
    return float(np.interp(n_train, [*RHO_BY_SIZE], [*RHO_BY_SIZE.values()]))


def _by_outcome(one_sided):
    """P-values by outcome, from one-sided ones; of a lead, not of its absence, two-sided."""
    p_values = {"tie": max(one_sided["not worse"], one_sided["not better"])}
    for outcome, p in one_sided.items():
        p_values[outcome] = p if outcome in ABSENCES_OF_A_LEAD else min(1.0, 2 * p)
    return p_values


def t_test(values, extra: float = 0.0) -> np.ndarray:
    """One-sided p of means above 0: mean / √((1/n + extra) var) (Nadeau and Bengio, 2003).

    Equal values have no variance: theirs is the p of a sign test.
    """
    values = np.asarray(values, dtype=float)
    n = values.shape[-1]
    mean = values.mean(axis=-1)
    deviation = values.std(axis=-1, ddof=1)
    error = deviation * math.sqrt(1 / n + extra)
    are_equal = error <= ZERO * np.maximum(1.0, abs(mean))
    t = mean / np.where(are_equal, 1.0, error)
    of_equal = np.where(mean > ZERO, 0.5**n, 1.0)
    return np.where(are_equal, of_equal, stdtr(n - 1, -t))


def signed_rank_test(values) -> np.ndarray:
    """One-sided p of values above 0 by Wilcoxon's exact test, along the last axis.

    Values of one size share their mean rank. SciPy's exact p is of ranks without ties, and may be
    too small. Zeros do not count; p is 1 where all are 0.
    """
    return np.apply_along_axis(_signed_rank_p, -1, np.round(values, 12))


def _signed_rank_p(values):
    differences = values[values != 0]
    doubled_ranks = np.rint(2 * stats.rankdata(abs(differences))).astype(int)
    reached = doubled_ranks[differences > 0].sum()
    # Of all signs, the share that gives each sum of the positive ranks.
    shares = np.ones(1)
    for rank in doubled_ranks:
        without, with_rank = np.pad(shares, (0, rank)), np.pad(shares, (rank, 0))
        shares = (without + with_rank) / 2
    return shares[reached:].sum()


def holm(p_values) -> np.ndarray:
    """p-values adjusted for their number by Holm's step-down rule (1979); NaN stays NaN."""
    p = np.asarray(p_values, dtype=float)
    order = np.argsort(p)  # NaN last
    n_tests = np.count_nonzero(~np.isnan(p))
    factors = n_tests - np.arange(len(p))
    # A p-value is never adjusted to less than a smaller one.
    stepped_down = np.maximum.accumulate(factors * p[order])
    adjusted = np.empty_like(p)
    adjusted[order] = stepped_down.clip(max=1)
    return adjusted


def unadjusted(p_values) -> np.ndarray:
    """p-values as they are."""
    return np.asarray(p_values, dtype=float)


class WinTieLoss(NamedTuple):
    """Numbers of cases. Neither: no difference is shown, which does not show a tie."""

    better: int
    neither: int
    worse: int


def win_tie_loss(
    records: pd.DataFrame,
    a: str,
    b: str,
    criteria=tuple(CRITERIA),
    *,
    pooled: bool = False,
) -> tuple[WinTieLoss, WinTieLoss]:
    """Totals over criteria and data sets: by the paired test, then by the corrected one.

    If ``pooled``, the data sets are the pairs of one test for each criterion.
    """
    records = checked_for_means(records)
    groups = [records] if pooled else [rows for _, rows in records.groupby("dataset")]
    comparisons = []
    for rows in groups:
        for criterion in criteria:
            comparison = compare_methods(rows, a, b, criterion)
            if comparison is not None:
                comparisons.append(comparison)
    return _counted(comparisons, "paired"), _counted(comparisons, "corrected")


def _counted(comparisons, test):
    """Numbers of comparisons with each outcome by a test."""
    words = [comparison.outcome(test) for comparison in comparisons]
    return WinTieLoss(
        better=words.count("better"),
        neither=words.count("neither"),
        worse=words.count("worse"),
    )


class Ranks(NamedTuple):
    """Mean ranks of methods over independent data sets, and what they can show.

    ``table`` has the best method first: rank (mean, 1 is best), low and high (95% bootstrap).
    """

    table: pd.DataFrame
    losses: pd.DataFrame
    p: float  # of Friedman's test
    nemenyi: pd.DataFrame  # p-values by pairs

    def leaders(self) -> list[str]:
        """The methods that share the best mean rank."""
        ranks = self.table["rank"]
        return [*ranks.index[ranks <= ranks.min() + ZERO]]


def rank_methods(losses: pd.DataFrame) -> Ranks:
    """Ranks, Friedman's test and Nemenyi's of ``losses``: a row a data set, a column a method.

    ValueError if a loss is missing. The splits of one data set do not qualify as rows. See Demšar,
    Statistical comparisons of classifiers over multiple data sets, JMLR 7, 2006.
    """
    # Its import takes long, and few need it.
    from scikit_posthocs import posthoc_nemenyi_friedman

    missing = losses.isna().stack()
    gaps = [f"{method} on {dataset}" for dataset, method in missing.index[missing]]
    if gaps:
        raise ValueError(f"every method must have a loss on every set, missing: {', '.join(gaps)}")
    ranks = losses.rank(axis=1)
    n_sets = len(ranks)
    resampled = np.random.default_rng(0).integers(n_sets, size=(N_RESAMPLED, n_sets))
    means = ranks.to_numpy()[resampled].mean(axis=1)  # (N_RESAMPLED, n_methods)
    low, high = np.quantile(means, [0.025, 0.975], axis=0)
    table = pd.DataFrame({"rank": ranks.mean(), "low": low, "high": high})
    p = stats.friedmanchisquare(*losses.to_numpy().T).pvalue
    nemenyi = posthoc_nemenyi_friedman(losses)
    return Ranks(table.sort_values("rank", kind="stable"), losses, float(p), nemenyi)


def ranks_of_means(means: pd.DataFrame) -> pd.DataFrame:
    """Ranks of the rows in each column, 1 is best; a column of no criterion holds accuracies."""
    ranks = {}
    for name, column in means.items():
        is_loss = name in CRITERIA and CRITERIA[str(name)].lower_is_better
        ranks[name] = column.rank(ascending=is_loss)
    return pd.DataFrame(ranks, index=means.index, columns=means.columns)


def swept_values(records: pd.DataFrame, default: float) -> pd.Series:
    """The value of the one parameter that an experiment varies, row by row, or ``default``."""
    overrides = records["override"].map(json.loads)
    names = {name for override in overrides for name in override}
    if len(names) > 1:
        raise ValueError(f"one parameter must vary, got {sorted(names)}")

    def value_of(override):
        (value,) = override.values() or [default]
        return float(value)

    return overrides.map(value_of)
