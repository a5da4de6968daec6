"""Verdicts on cells: one agrees if the paper's program, run again, could differ as much."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from mimlstudy.paper.published import ALL_CRITERIA, TABLES, published_characteristics

VERDICTS = ("agrees", "differs_better", "differs_worse", "filled", "missing", "synthetic")

# Of each verdict: the tint of a cell, the fill and the sign of a mark, the words in print.
VERDICT_LOOKS = pd.read_csv(
    Path(__file__).with_suffix(".csv"), index_col="verdict", keep_default_na=False
)
VERDICT_TINTS, SIGNS, IN_PRINT = (
    VERDICT_LOOKS[name].to_dict() for name in ("tint", "sign", "in_print")
)

DISAGREE = 0.05  # chance of calling two runs of one program different
DECIMALS = 3  # in print
# What the mean of ten folds moves from one partition to another, as a share of what ten
# independent folds would: pooled over the ten partitions of every method and set of Table 5.
PARTITION = 0.62
N_PAGES = 11 * 3000  # test pages of Table 4

TOLERANCES = {
    1: "two means over 30 random splits of the same images, at 95 %",
    2: "two means over 30 random splits of the same texts, at 95 %",
    3: "two means over partitions of the same genes into ten folds, at 95 %; partitions differ "
    f"{PARTITION} times as much as independent folds would",
    4: "training and test pages are fixed; the sampling error of the 33,000 test pages, at 95 %, "
    "at most what the mean and the range of a criterion allow",
    5: "two means over ten cross-validations of the same bags, at 95 %; for a value of the "
    "literature, which has no deviation, one more cross-validation",
}

COLUMN = ["table", "dataset", "criterion"]  # what names a column of the tables


def tolerance(cells: pd.DataFrame) -> pd.Series:
    """How far our mean may be from the printed one, as :data:`TOLERANCES` says, with rounding.

    With N printed runs of deviation s and n runs of ours of deviation t it is
    q √(s²/N + t²/n), q from Student's distribution; √(1 + 1/n) q t without s. In Table 4 it is
    1.96 √(p (R - p) / n) for a criterion from 0 to R with mean p: no deviation is larger.
    """
    runs = cells["table"].map({number: table.n_runs for number, table in TABLES.items()})
    n, printed = cells["n"].clip(lower=1), cells["published_std"]
    ours = cells["std"].fillna(printed)
    error = np.sqrt(printed**2 / runs + ours**2 / n) * stats.t.isf(DISAGREE / 2, runs + n - 2)
    error *= cells["table"].map({3: PARTITION}).fillna(1.0)
    alone = ours * np.sqrt(1 + 1 / n) * stats.t.isf(DISAGREE / 2, (n - 1).clip(lower=1))
    error = error.where(printed.notna(), alone)
    labels, mean = published_characteristics()["categories"].mean(), cells["published_mean"]
    top = cells["criterion"].map({"coverage": labels - 1}).fillna(1.0)  # R
    pages = N_PAGES * cells["criterion"].map({"hamming_loss": labels}).fillna(1.0)  # × labels
    sampled = stats.norm.isf(DISAGREE / 2) * np.sqrt((mean * (top - mean)).clip(lower=0) / pages)
    return error.where(cells["table"] != 4, sampled).fillna(0.0) + 0.5 * 10**-DECIMALS


def verdict(cells: pd.DataFrame) -> np.ndarray:
    """:data:`VERDICTS` on cells with columns mean, published_mean, tolerance, criterion, kind."""
    difference = cells["mean"] - cells["published_mean"]
    lower_is_better = [ALL_CRITERIA[name].lower_is_better for name in cells["criterion"]]
    words = {
        "missing": cells["mean"].isna(),
        "synthetic": cells["kind"] == "synthetic",
        "filled": cells["published_mean"].isna(),
        "agrees": difference.abs() <= cells["tolerance"],
        "differs_better": (difference < 0) == lower_is_better,
    }
    return np.select(list(words.values()), list(words), "differs_worse")


def deviations(cells: pd.DataFrame) -> pd.DataFrame:
    """As :func:`against_printed`, and in_tolerances: |ours - printed| in the pair's tolerances."""
    printed = cells[cells["printed"] == "value"]
    ours = printed.loc[printed["mean"].notna(), [*COLUMN, "algorithm", "mean", "std", "n"]]
    pairs = against_printed(ours, printed)
    difference = (pairs["mean"] - pairs["published_mean"]).abs()
    return pairs.assign(in_tolerances=(difference / tolerance(pairs)).astype(float))


def against_printed(ours: pd.DataFrame, printed: pd.DataFrame) -> pd.DataFrame:
    """Our means with all printed ones of their column; ``scaled`` by these values' deviation."""
    values = printed[[*COLUMN, "algorithm", "published_mean", "published_std"]]
    values = values.rename(columns={"algorithm": "other"})
    values["scale"] = values.groupby(COLUMN)["published_mean"].transform("std")
    pairs = ours.merge(values, on=COLUMN)
    return pairs.assign(scaled=(pairs["mean"] - pairs["published_mean"]) / pairs["scale"])


def match_rates(pairs: pd.DataFrame, factor: float = 1.0) -> tuple[float, float]:
    """Shares of pairs within ``factor`` tolerances: our own cells, other algorithms' cells."""
    own = pairs["algorithm"] == pairs["other"]
    within = pairs["in_tolerances"] <= factor
    return float(within[own].mean()), float(within[~own].mean())


def row_distances(pairs: pd.DataFrame) -> pd.DataFrame:
    """``distance`` of a table's ``algorithm`` to each printed ``other``: of ``scaled`` the RMS."""
    squares = pairs.assign(distance=pairs["scaled"] ** 2)
    keys = ["table", "algorithm", "other"]
    return np.sqrt(squares.groupby(keys, sort=False)["distance"].mean()).reset_index()


def row_verdicts(pairs: pd.DataFrame) -> pd.DataFrame:
    """Each of our rows: columns table, algorithm, nearest (printed row), identified (its own)."""
    distances = row_distances(pairs)
    least = distances.groupby(["table", "algorithm"], sort=False)["distance"].idxmin()
    rows = distances.loc[least].drop(columns="distance").rename(columns={"other": "nearest"})
    return rows.assign(identified=rows["algorithm"] == rows["nearest"])


def agreement(cells: pd.DataFrame) -> dict:
    """Counts and shares of agreement over some tables' cells; a share of nothing is None.

    Cells are ``measured`` if printed and recorded. ``match_rate`` and ``false_match_rate`` are the
    shares of our own and of others' cells that agree, ``tau`` is Kendall's of the methods' orders,
    a mean over columns, ``winner_agreement`` the share of columns with the printed winner.
    """
    pairs = deviations(cells[cells["kind"] != "synthetic"])
    means = ["mean", "published_mean"]
    rows, own = row_verdicts(pairs), pairs[pairs["algorithm"] == pairs["other"]]
    own = own.round(dict.fromkeys(means, DECIMALS))
    columns = [column[means] for _, column in own.groupby(COLUMN)]
    winners = own[wins(own, "mean") & wins(own, "published_mean")].groupby(COLUMN).ngroups
    taus = [stats.kendalltau(*one.T.to_numpy()).statistic for one in columns if len(one) > 1]
    match_rate, false_match_rate = match_rates(pairs)
    shares = {
        "match_rate": match_rate,
        "false_match_rate": false_match_rate,
        "tau": float(pd.Series(taus, dtype=float).mean()),
        "winner_agreement": winners / (len(columns) or math.nan),
    }
    return {
        "cells": len(cells),
        "measured": int(cells["verdict"].isin(VERDICTS[:3]).sum()),
        **{word: int((cells["verdict"] == word).sum()) for word in VERDICTS},
        "complete": int(cells["complete"].sum()),
        "rows": len(rows),
        "rows_identified": int(rows["identified"].sum()),
        "rows_by_chance": float((1 / rows.groupby("table")["table"].transform("size")).sum()),
        "columns": len(columns),
        **{name: None if math.isnan(share) else share for name, share in shares.items()},
    }


def wins(cells: pd.DataFrame, value: str, column: Sequence[str] = COLUMN) -> pd.Series:
    """Whether each ``value`` is the best of its ``column`` of a table; bool."""
    signs = {one.name: 1 if one.lower_is_better else -1 for one in ALL_CRITERIA.values()}
    losses = cells[value] * cells["criterion"].map(signs)
    return losses == losses.groupby([cells[name] for name in column]).transform("min")
