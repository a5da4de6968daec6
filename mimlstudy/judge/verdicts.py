"""Verdicts on cells: one agrees if the paper's program, run again, could differ as much."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

from mimlstudy.judge.tolerances import DECIMALS, tolerance
from mimlstudy.paper.published import ALL_CRITERIA

# A printed value agrees or differs. The others have no printed value, no record, no real data.
COMPARED = ("agrees", "differs_better", "differs_worse")
VERDICTS = (*COMPARED, "newly_measured", "missing", "synthetic")

COLUMN = ["table", "dataset", "criterion"]  # what names a column of the tables


def verdict(cells: pd.DataFrame) -> np.ndarray:
    """:data:`VERDICTS` on cells with columns mean, published_mean, tolerance, criterion, kind."""
    difference = cells["mean"] - cells["published_mean"]
    lower_is_better = [ALL_CRITERIA[name].lower_is_better for name in cells["criterion"]]
    words = {
        "missing": cells["mean"].isna(),
        "synthetic": cells["kind"] == "synthetic",
        "newly_measured": cells["published_mean"].isna(),
        "agrees": difference.abs() <= cells["tolerance"],
        "differs_better": (difference < 0) == lower_is_better,
    }
    return np.select(list(words.values()), list(words), "differs_worse")


def deviations(cells: pd.DataFrame) -> pd.DataFrame:
    """As :func:`against_printed`, and in_tolerances: |ours - printed| in the pair's tolerances."""
    printed = cells[cells["printed"] == "value"]
    recorded = printed["mean"].notna()
    ours = printed.loc[recorded, [*COLUMN, "algorithm", "mean", "std", "n"]]
    pairs = against_printed(ours, printed)
    difference = (pairs["mean"] - pairs["published_mean"]).abs()
    return pairs.assign(in_tolerances=(difference / tolerance(pairs)).astype(float))


def against_printed(ours: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Our means with all printed ones of their column; ``scaled`` by these values' deviation.

    The printed algorithm of a pair is its ``other``.
    """
    values = printed[[*COLUMN, "algorithm", "published_mean", "published_std"]]
    values = values.rename(columns={"algorithm": "other"})
    values["scale"] = values.groupby(COLUMN)["published_mean"].transform("std")
    pairs = ours.merge(values, on=COLUMN)
    scaled = (pairs["mean"] - pairs["published_mean"]) / pairs["scale"]
    return pairs.assign(scaled=scaled)


def match_rates(pairs: pd.DataFrame, factor: float = 1.0) -> tuple[float, float]:
    """Shares of pairs within ``factor`` tolerances: our own cells, other algorithms' cells."""
    same_algorithm = pairs["algorithm"] == pairs["other"]
    within = pairs["in_tolerances"] <= factor
    return float(within[same_algorithm].mean()), float(within[~same_algorithm].mean())


def row_distances(pairs: pd.DataFrame) -> pd.DataFrame:
    """``distance`` of a table's ``algorithm`` to each printed ``other``: of ``scaled`` the RMS."""
    squares = pairs.assign(distance=pairs["scaled"] ** 2)
    groups = squares.groupby(["table", "algorithm", "other"], sort=False)
    return np.sqrt(groups["distance"].mean()).reset_index()


def row_verdicts(pairs: pd.DataFrame) -> pd.DataFrame:
    """Each of our rows: columns table, algorithm, nearest (printed row), recognised (its own)."""
    distances = row_distances(pairs)
    groups = distances.groupby(["table", "algorithm"], sort=False)
    nearest = distances.loc[groups["distance"].idxmin()]
    rows = nearest.drop(columns="distance").rename(columns={"other": "nearest"})
    return rows.assign(recognised=rows["algorithm"] == rows["nearest"])


def agreement(cells: pd.DataFrame) -> dict:
    """Counts and shares of agreement over some tables' cells; a share of nothing is None.

    Cells are ``measured`` if printed and recorded. ``match_rate`` and ``chance_agreement`` are the
    shares of our own and of other algorithms' cells that agree. ``tau`` is Kendall's of the
    methods' orders, a mean over columns; ``winner_agreement`` is the share of columns with the
    printed winner. A row is recognised if its own printed row is the nearest.
    """
    pairs = deviations(cells[cells["kind"] != "synthetic"])
    rows = row_verdicts(pairs)
    rows_of_table = rows.groupby("table")["table"].transform("size")
    same_algorithm = pairs[pairs["algorithm"] == pairs["other"]]
    match_rate, chance_agreement = match_rates(pairs)
    shares = {"match_rate": match_rate, "chance_agreement": chance_agreement}
    shares |= _order(same_algorithm)
    return {
        "cells": len(cells),
        "measured": int(cells["verdict"].isin(COMPARED).sum()),
        **{word: int((cells["verdict"] == word).sum()) for word in VERDICTS},
        "complete": int(cells["complete"].sum()),
        "rows": len(rows),
        "rows_recognised": int(rows["recognised"].sum()),
        "rows_by_chance": float((1 / rows_of_table).sum()),
        "columns": same_algorithm.groupby(COLUMN).ngroups,
        **{name: None if pd.isna(share) else float(share) for name, share in shares.items()},
    }


def _order(cells):
    """Kendall's τ and the share of printed winners; cells of our and the printed algorithms."""
    means = ["mean", "published_mean"]
    rounded = cells.round(dict.fromkeys(means, DECIMALS))
    taus = []
    for _, column in rounded.groupby(COLUMN):
        if len(column) > 1:
            taus.append(stats.kendalltau(column["mean"], column["published_mean"]).statistic)
    both_win = wins(rounded, "mean") & wins(rounded, "published_mean")
    n_columns = rounded.groupby(COLUMN).ngroups
    n_winners = rounded[both_win].groupby(COLUMN).ngroups
    return {
        "tau": pd.Series(taus, dtype=float).mean(),
        "winner_agreement": n_winners / n_columns if n_columns else np.nan,
    }


def wins(cells: pd.DataFrame, value: str, column: Sequence[str] = COLUMN) -> pd.Series:
    """Whether each ``value`` is the best of its ``column`` of a table; bool."""
    signs = {c.name: 1 if c.lower_is_better else -1 for c in ALL_CRITERIA.values()}
    losses = cells[value] * cells["criterion"].map(signs)
    best = losses.groupby([cells[name] for name in column]).transform("min")
    return losses == best
