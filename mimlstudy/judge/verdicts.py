"""Verdicts on cells: one agrees if our mean is within the tolerance of the printed one."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

from mimlstudy.judge.selection import without_synthetic
from mimlstudy.judge.tolerances import PRINTED_DECIMALS, round_half_up, tolerance
from mimlstudy.paper.printed import ALL_CRITERIA

# A printed value agrees or differs. The others have nothing to be compared with, no tolerance,
# no record, no real data.
VERDICTS_OF_MEASURED = ("agrees", "differs_better", "differs_worse")
VERDICTS = (*VERDICTS_OF_MEASURED, "newly_measured", "no_tolerance", "missing", "synthetic")

# What names a column of the printed tables; a column of settings is another thing.
PRINTED_COLUMN = ["table", "dataset", "criterion"]
OUR_ROW = ["table", "algorithm"]
SPREAD = ["std", "n", "n_trials", "std_of_folds"]  # of ours, which a tolerance needs
LOWER_IS_BETTER = {name: criterion.lower_is_better for name, criterion in ALL_CRITERIA.items()}


def verdict(cells: pd.DataFrame) -> np.ndarray:
    """:data:`VERDICTS` on cells with columns mean, printed_mean, tolerance, criterion, kind."""
    difference = cells["mean"] - cells["printed_mean"]
    is_lower = difference < 0
    lower_is_better = cells["criterion"].map(LOWER_IS_BETTER)
    # The first that holds counts: a cell without a number cannot agree.
    words = {
        "missing": cells["mean"].isna(),
        "synthetic": cells["kind"] == "synthetic",
        "newly_measured": cells["printed_mean"].isna(),
        # Such as a printed value without a deviation, against one run of ours.
        "no_tolerance": cells["tolerance"].isna(),
        "agrees": difference.abs() <= cells["tolerance"],
        "differs_better": is_lower == lower_is_better,
    }
    return np.select(list(words.values()), list(words), "differs_worse")


def distances_from_print(cells: pd.DataFrame) -> pd.DataFrame:
    """As :func:`against_printed`, and in_tolerances: |ours - printed| in the pair's tolerances."""
    printed = cells[cells["printed"] == "value"]
    recorded = printed[printed["mean"].notna()]
    ours = recorded[[*PRINTED_COLUMN, "algorithm", "mean", *SPREAD]]
    pairs = against_printed(ours, printed)
    difference = (pairs["mean"] - pairs["printed_mean"]).abs()
    in_tolerances = difference / tolerance(pairs)
    return pairs.assign(in_tolerances=in_tolerances.astype(float))


def against_printed(ours: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Our means with all printed ones of their column.

    ``other`` is the algorithm of the printed one, and ``scaled`` the difference over the
    standard deviation of the column's printed means.
    """
    values = printed[[*PRINTED_COLUMN, "algorithm", "printed_mean", "printed_std"]]
    values = values.rename(columns={"algorithm": "other"})
    columns = values.groupby(PRINTED_COLUMN)
    values["scale"] = columns["printed_mean"].transform("std")
    pairs = ours.merge(values, on=PRINTED_COLUMN)
    difference = pairs["mean"] - pairs["printed_mean"]
    return pairs.assign(scaled=difference / pairs["scale"])


def match_rates(pairs: pd.DataFrame, factor: float = 1.0) -> tuple[float, float]:
    """Shares of pairs within ``factor`` tolerances: our own cells, other algorithms' cells.

    Pairs without a known tolerance do not count.
    """
    pairs = pairs.dropna(subset="in_tolerances")
    within = pairs["in_tolerances"] <= factor
    same_algorithm = pairs["algorithm"] == pairs["other"]
    share_of_ours = within[same_algorithm].mean()
    share_by_chance = within[~same_algorithm].mean()
    return float(share_of_ours), float(share_by_chance)


def row_distances(pairs: pd.DataFrame) -> pd.DataFrame:
    """``distance`` of each of our rows to each printed one: the root mean square of ``scaled``."""
    squares = pairs.assign(square=pairs["scaled"] ** 2)
    groups = squares.groupby([*OUR_ROW, "other"], sort=False)
    return np.sqrt(groups["square"].mean()).rename("distance").reset_index()


def row_verdicts(pairs: pd.DataFrame) -> pd.DataFrame:
    """Each of our rows: columns table, algorithm, nearest (printed row), recognised (its own)."""
    distances = row_distances(pairs)
    of_rows = distances.groupby(OUR_ROW, sort=False)["distance"]
    nearest = distances.loc[of_rows.idxmin()].drop(columns="distance")
    rows = nearest.rename(columns={"other": "nearest"})
    recognised = rows["algorithm"] == rows["nearest"]
    return rows.assign(recognised=recognised)


def agreement(cells: pd.DataFrame) -> dict:
    """Counts and shares of agreement over some tables' cells; a share of nothing is None.

    Cells are ``measured`` if their verdict is one of :data:`VERDICTS_OF_MEASURED`. ``match_rate``
    and ``chance_agreement`` are the shares of our own and of other algorithms' cells that agree.
    ``tau`` is Kendall's of the methods' orders, a mean over columns; ``winner_agreement`` is the
    share of columns with the printed winner. A row is recognised if its own printed row is the
    nearest.
    """
    # Synthetic data stand in for others: their numbers say nothing of the paper.
    pairs = distances_from_print(without_synthetic(cells))
    same_algorithm = pairs[pairs["algorithm"] == pairs["other"]]
    match_rate, chance_agreement = match_rates(pairs)
    shares = {
        "match_rate": match_rate,
        "chance_agreement": chance_agreement,
    }
    shares |= _order(same_algorithm)
    counts = _counts_of_cells(cells) | _counts_of_rows(pairs)
    counts["columns"] = same_algorithm.groupby(PRINTED_COLUMN).ngroups
    for name, share in shares.items():
        # JSON has no NaN.
        counts[name] = None if pd.isna(share) else float(share)
    return counts


def _counts_of_cells(cells):
    """Numbers of cells: all, measured, with each verdict, and complete."""
    counts = {"cells": len(cells)}
    counts["measured"] = int(cells["verdict"].isin(VERDICTS_OF_MEASURED).sum())
    for word in VERDICTS:
        counts[word] = int((cells["verdict"] == word).sum())
    counts["complete"] = int(cells["complete"].sum())
    return counts


def _counts_of_rows(pairs):
    """Numbers of rows: all, recognised, and expected to be recognised by chance."""
    rows = row_verdicts(pairs)
    # Chance names each printed row of a table with the same probability.
    n_printed = pairs.groupby("table")["other"].nunique()
    n_rows_of_table = rows["table"].map(n_printed)
    return {
        "rows": len(rows),
        "rows_recognised": int(rows["recognised"].sum()),
        "rows_by_chance": float((1 / n_rows_of_table).sum()),
    }


def _order(cells):
    """Kendall's τ and the share of printed winners; cells of our and the printed algorithms."""
    # As printed: what rounds to the same number is a tie there, and so here.
    names = ["mean", "printed_mean"]
    as_printed = round_half_up(cells[names].astype(float), PRINTED_DECIMALS)
    rounded = cells.assign(**as_printed)
    columns = rounded.groupby(PRINTED_COLUMN)
    taus = []
    for _, column in columns:
        if len(column) > 1:
            order = stats.kendalltau(column["mean"], column["printed_mean"])
            taus.append(order.statistic)
    tau = pd.Series(taus, dtype=float).mean()
    wins_here = wins(rounded, "mean")
    wins_in_print = wins(rounded, "printed_mean")
    # A column counts once, also where two methods share the best value.
    agreeing = rounded[wins_here & wins_in_print].groupby(PRINTED_COLUMN)
    winner_agreement = np.nan
    if columns.ngroups:
        winner_agreement = agreeing.ngroups / columns.ngroups
    return {"tau": tau, "winner_agreement": winner_agreement}


def wins(cells: pd.DataFrame, value: str, keys: Sequence[str] = PRINTED_COLUMN) -> pd.Series:
    """Whether each ``value`` is the best of its column of a table, which ``keys`` name; bool."""
    lower_is_better = cells["criterion"].map(LOWER_IS_BETTER)
    losses = cells[value].where(lower_is_better.astype(bool), -cells[value])
    best = losses.groupby([cells[key] for key in keys]).transform("min")
    return losses == best
