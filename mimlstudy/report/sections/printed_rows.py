"""Printed rows among the alternative settings of their methods: how easy is a row to reach?"""

import pandas as pd

from mimlstudy.judge.compare import printed_values
from mimlstudy.judge.multiverse import alternative_means
from mimlstudy.judge.selection import Records
from mimlstudy.judge.verdicts import against_printed, row_verdicts

PRINTED_VALUE = ["table", "algorithm", "criterion"]  # what names one: a mean over data sets


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
    methods = alternatives["algorithm"]
    # Each alternative is a row of its own among the printed ones.
    names = methods + "\n" + alternatives["alternative"]
    rows = alternatives.assign(table=number, method=methods, algorithm=names)
    pairs = _against_printed_rows(rows, number)
    nearest = row_verdicts(pairs).set_index("algorithm")["nearest"]
    nearest_of_pair = pairs["algorithm"].map(nearest)
    pairs["recognised"] = nearest_of_pair == pairs["method"]
    with_its_row = pairs[pairs["other"] == pairs["method"]]
    with_its_row = with_its_row.drop(columns="algorithm")
    return _positions(with_its_row.rename(columns={"method": "algorithm"}))


def _against_printed_rows(alternatives, number):
    """Each alternative's cells against all printed values, where its own method is printed."""
    printed = printed_values(number)
    places = printed[["dataset", "criterion", "algorithm"]]
    places = places.rename(columns={"algorithm": "method"})
    columns = ["table", "algorithm", "method", "alternative", "dataset", "criterion", "mean"]
    # The merge keeps what is printed of the alternative's own method.
    with_print = alternatives[columns].merge(places)
    return against_printed(with_print, printed)


def _positions(pairs):
    # A criterion of several data sets counts by its mean over them.
    values = ["printed_mean", "mean", "recognised"]
    means = pairs.groupby([*PRINTED_VALUE, "alternative"], sort=False)[values].mean()
    means["below"] = means["mean"] < means["printed_mean"]
    rows = means.groupby(PRINTED_VALUE, sort=False)
    return rows.agg(
        alternatives=("mean", "size"),
        recognised=("recognised", "mean"),
        printed=("printed_mean", "first"),
        least=("mean", "min"),
        median=("mean", "median"),
        largest=("mean", "max"),
        below=("below", "mean"),
    ).reset_index()
