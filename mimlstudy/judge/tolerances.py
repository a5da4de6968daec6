"""How far our mean of a cell may be from the printed one: one rule for each kind of table.

A table names its rule in ``tables.csv``. Each rule is what two runs of one program may differ by,
at 95%, or in Table 4 the sampling error of the test pages, and half a unit of the last printed
digit. ``cells`` have the columns of :func:`~mimlstudy.judge.compare.compare_with_paper`.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from mimlstudy.paper.printed import (
    printed_characteristics,
    printed_tables,
)

# Chance of calling two runs of one program different.
DISAGREE = 0.05
PRINTED_DECIMALS = 3
PRINTED_ROUNDING = 0.5 * 10**-PRINTED_DECIMALS

# How much the mean of ten folds moves from one partition of the genes to another, as a share of
# what ten independent folds would. Pooled over five partitions, three methods, seven criteria.
GENE_PARTITIONS = 0.29
N_TEST_PAGES = 11 * 3000


def round_half_up(value, decimals):
    """Halves are rounded up, also where floating point has put a half just below it."""
    units = value * 10**decimals
    # The last summand lifts such numbers.
    return np.floor(units + 0.5 + 1e-9) / 10**decimals


# Why a cell has no tolerance.
NO_DEVIATION = "neither the paper nor we have a deviation"
SOME_PAGES = "ours is a mean over some of the eleven data sets, and the printed one over all"


class ToleranceRule(NamedTuple):
    """A tolerance before rounding, and the words that a caption has for it.

    ``unknown`` says why a cell has none.
    """

    half_width: Callable[[pd.DataFrame], pd.Series]
    words: str
    unknown: str = NO_DEVIATION


def tolerance(cells: pd.DataFrame, rule: str = "") -> pd.Series:
    """How far our mean may be from the printed one, cell by cell.

    NaN where none is known. By "sampled pages" and "same pages" that is a mean over some of the
    eleven data sets; by the others a value without a printed deviation, unless the rule is
    "cross-validations" and we have several runs.

    Parameters
    ----------
    cells : DataFrame
        Cells of one table or several. Without the columns n_trials and std_of_folds all runs are
        whole.
    rule : str, default ""
        A name of :data:`TOLERANCE_RULES` in place of the one that each table names.
    """
    rule_of_table = {number: rule or table.tolerance for number, table in printed_tables().items()}
    rules = cells["table"].map(rule_of_table)
    half_widths = pd.Series(0.0, cells.index)
    for name in rules.unique():
        of_rule = rules == name
        half_widths[of_rule] = TOLERANCE_RULES[name].half_width(cells[of_rule])
    return half_widths + PRINTED_ROUNDING


def two_sets_of_splits(cells: pd.DataFrame) -> pd.Series:
    """q √(s²/N + t²/n), with N printed runs of deviation s, and n runs of ours of deviation t.

    q is from Student's distribution. A single run of ours has no deviation: the printed one
    stands in. If it has only k of K folds, of deviation v, their mean is that of a sample of
    them, which adds v²/k (1 - k/K) to the variance.
    """
    n_printed, printed, n_ours, ours = _runs_and_deviations(cells)
    variance = printed**2 / n_printed + ours**2 / n_ours
    # Several runs of a part of the folds have the deviation of what they are.
    variance += _of_lacking_folds(cells).where(cells["std"].isna(), 0.0)
    return _quantile(n_printed + n_ours - 2) * np.sqrt(variance)


def _runs_and_deviations(cells):
    """N, s, n and t: numbers of printed runs and of ours, each with their deviation."""
    printed = cells["printed_std"]
    ours = cells["std"].fillna(printed)
    return _of_tables(cells, "n_runs"), printed, cells["n"].clip(lower=1), ours


def _of_lacking_folds(cells):
    """Variance of the mean of the recorded folds of a run around that of all its folds."""
    n_folds = _of_tables(cells, "n_folds")
    n_recorded = cells.get("n_trials", n_folds).clip(1, n_folds)
    # A single fold has no deviation: that of independent folds stands in.
    if_independent = cells["printed_std"] * np.sqrt(n_folds)
    deviation = cells.get("std_of_folds", if_independent).fillna(if_independent)
    return _variance_of_sample(deviation, n_recorded, n_folds)


def _variance_of_sample(deviation, n, n_all):
    """Variance of the mean of n of n_all values, drawn without replacement, around that of all."""
    return deviation**2 / n * (1 - n / n_all).clip(lower=0.0)


def _of_tables(cells, field):
    """The field of each cell's table, such as the number of its printed runs."""
    of_table = {number: getattr(table, field) for number, table in printed_tables().items()}
    return cells["table"].map(of_table)


def _quantile(degrees):
    """Of Student's distribution: beyond it, to both sides, lies the share DISAGREE."""
    return stats.t.isf(DISAGREE / 2, degrees)


def two_partitions_of_genes(cells: pd.DataFrame) -> pd.Series:
    """q √(f² (s²/N + t²/N) + t²/n (1 - n/N)), with n of the N = 10 folds of a partition.

    As two sets of splits, but the means of two whole partitions of the same genes differ less, by
    the factor f. Folds of one partition are a sample of its folds.
    """
    n_printed, printed, n_ours, ours = _runs_and_deviations(cells)
    # Several partitions have more folds.
    variance = printed**2 / n_printed + ours**2 / n_ours.clip(lower=n_printed)
    of_lacking_folds = _variance_of_sample(ours, n_ours, n_printed)
    both = GENE_PARTITIONS**2 * variance + of_lacking_folds
    return _quantile(n_printed + n_ours - 2) * np.sqrt(both)


def sample_of_pages(cells: pd.DataFrame) -> pd.Series:
    """1.96 √(p (R - p) / n), the sampling error of one mean p of a criterion from 0 to R.

    p (R - p) is the largest variance that it can have. n is the number of test pages, for hamming
    loss times the mean number of labels that a data set knows. NaN for some of the data sets.
    """
    criterion = cells["criterion"]
    mean = cells["printed_mean"]
    n_labels = printed_characteristics()["categories"].mean()
    largest = criterion.map({"coverage": n_labels - 1}).fillna(1.0)
    # Each label of a page is a decision of its own.
    per_page = criterion.map({"hamming_loss": n_labels}).fillna(1.0)
    n_decisions = N_TEST_PAGES * per_page
    variance = (mean * (largest - mean)).clip(lower=0)
    half_width = stats.norm.isf(DISAGREE / 2) * np.sqrt(variance / n_decisions)
    return half_width.where(_has_all_pages(cells))


def two_runs_on_the_same_pages(cells: pd.DataFrame) -> pd.Series:
    """Nothing but rounding: a program without chance repeats its numbers on the same pages."""
    return pd.Series(0.0, cells.index).where(_has_all_pages(cells))


def _has_all_pages(cells):
    """Whether all eleven data sets are recorded: a printed value is a mean over them."""
    return cells["n"] >= _of_tables(cells, "n_runs")


def two_cross_validations(cells: pd.DataFrame) -> pd.Series:
    """As two sets of splits; for a quoted value, which has no deviation, q √(1 + 1/n) t.

    There q is Student's of n - 1 degrees.
    """
    n_ours = cells["n"].clip(lower=1)
    quantile = _quantile((n_ours - 1).clip(lower=1))
    of_quoted = quantile * cells["std"] * np.sqrt(1 + 1 / n_ours)
    is_printed = cells["printed_std"].notna()
    return two_sets_of_splits(cells).where(is_printed, of_quoted)


TOLERANCE_RULES = {
    "splits": ToleranceRule(
        two_sets_of_splits,
        "two means over 30 random splits of the same examples, at 95%",
    ),
    "gene partitions": ToleranceRule(
        two_partitions_of_genes,
        "two means over partitions of the same genes into ten folds, at 95%; partitions differ "
        f"{GENE_PARTITIONS} times as much as independent folds would, and some folds of one from "
        "all of them as a sample does",
    ),
    # The rule of Table 4. Training and test pages are given, so that a program without chance
    # repeats its numbers, and only its copy could agree by the next rule. The table is about
    # pages of these kinds, of which the test pages are a sample: within their error two numbers
    # say the same.
    "sampled pages": ToleranceRule(
        sample_of_pages,
        "the sampling error of the 33,000 test pages, at 95%, from the largest variance that the "
        "mean and the range of a criterion allow; for hamming loss as if a page's labels were "
        "independent, and for average F1 as if it were a mean over pages",
        unknown=SOME_PAGES,
    ),
    "same pages": ToleranceRule(
        two_runs_on_the_same_pages,
        "rounding: the pages are given, and a program without chance repeats its numbers",
        unknown=SOME_PAGES,
    ),
    "cross-validations": ToleranceRule(
        two_cross_validations,
        "two means over cross-validations of the same bags, at 95%: ten (five for settings "
        "fixed in advance); for a value of the literature, which has no deviation, one more "
        "cross-validation",
    ),
}
