"""Printed rows among the alternative settings of their methods: how easy is a row to reach?"""

import pandas as pd

from mimlstudy.judge.multiverse import alternative_means
from mimlstudy.judge.selection import Records
from mimlstudy.judge.verdicts import against_printed, row_verdicts
from mimlstudy.paper.published import published_cells

ROW = ["table", "algorithm", "criterion"]


def printed_rows(number: int, get_records: Records) -> pd.DataFrame:
    """Where the printed values of Table ``number`` lie among the alternatives of their methods.

    Alternatives have the mean of the row on all splits, and their difference to it on few.

    Returns
    -------
    DataFrame
        A row for each method and criterion. ``alternatives`` is their number, ``recognised`` the
        share of them whose nearest printed row is their own; printed, least, median and largest
        are values, and ``below`` is the share of alternatives below the printed value.
    """
    alternatives = alternative_means(number, get_records)
    if alternatives.empty:
        return pd.DataFrame()
    alternatives = alternatives.assign(table=number, method=alternatives["algorithm"])
    # Each alternative is a row of its own among the printed ones.
    names = alternatives["algorithm"] + "\n" + alternatives["alternative"]
    pairs = _against_printed_rows(alternatives.assign(algorithm=names), number)
    nearest = row_verdicts(pairs).set_index("algorithm")["nearest"]
    pairs["recognised"] = pairs["algorithm"].map(nearest) == pairs["method"]
    own_pairs = pairs[pairs["other"] == pairs["method"]].drop(columns="algorithm")
    own_pairs = own_pairs.rename(columns={"method": "algorithm"})
    return _positions(own_pairs)


def _against_printed_rows(alternatives, number):
    """Each alternative's cells against all printed values, where its own method is printed."""
    cells = published_cells(number)
    printed = cells[cells["printed"] == "value"]
    printed = printed.rename(columns={"mean": "published_mean", "std": "published_std"})
    own_cells = printed[["dataset", "criterion", "algorithm"]]
    own_cells = own_cells.rename(columns={"algorithm": "method"})
    columns = ["table", "dataset", "algorithm", "method", "alternative", "criterion", "mean"]
    return against_printed(alternatives[columns].merge(own_cells), printed)


def _positions(pairs):
    # A criterion of several data sets counts by its mean over them.
    values = ["published_mean", "mean", "recognised"]
    means = pairs.groupby([*ROW, "alternative"], sort=False)[values].mean()
    means["below"] = means["mean"] < means["published_mean"]
    rows = means.groupby(ROW, sort=False)
    return rows.agg(
        alternatives=("mean", "size"),
        recognised=("recognised", "mean"),
        printed=("published_mean", "first"),
        least=("mean", "min"),
        median=("mean", "median"),
        largest=("mean", "max"),
        below=("below", "mean"),
    ).reset_index()
