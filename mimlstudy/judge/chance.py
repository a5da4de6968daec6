"""How many cells would agree by chance: values of other algorithms against a printed row.

Settings that come closest to print were chosen among alternatives. A fair chance agreement gives
other algorithms the same choice: of each row's recorded alternatives the one of which the largest
share of cells agrees with the printed row.
"""

import pandas as pd

from mimlstudy.judge.compare import printed_values
from mimlstudy.judge.multiverse import alternative_means, completed
from mimlstudy.judge.selection import Records
from mimlstudy.judge.tolerances import tolerance
from mimlstudy.judge.verdicts import PRINTED_COLUMN, against_printed
from mimlstudy.paper.experiments import settings_closest_to_print
from mimlstudy.paper.printed import printed_tables

PAIR_OF_ROWS = ["table", "algorithm", "other"]


def chosen_closest(get_records: Records) -> pd.DataFrame:
    """Each of our rows against each printed row, after a choice among its alternatives.

    Columns: table, algorithm (ours), other (printed), alternative (the chosen one), agree and cells
    (numbers), is_closest_to_print: whether our row has settings chosen because they come closest.
    """
    tables = [_chosen_in_table(number, get_records) for number in printed_tables()]
    return pd.concat(tables, ignore_index=True)


def _chosen_in_table(number, get_records):
    """Of each of our rows and each printed row the alternative that agrees in the largest share."""
    pairs = _pairs(number, get_records)
    groups = pairs.groupby([*PAIR_OF_ROWS, "alternative"], sort=False)["agrees"]
    counts = groups.agg(agree="sum", cells="size")
    share = counts["agree"] / counts["cells"]
    best = share.groupby(PAIR_OF_ROWS, sort=False).idxmax()
    chosen = counts.loc[best].reset_index()
    n_closest = settings_closest_to_print(printed_tables()[number].experiment)
    # A row that the table does not have has no such settings.
    is_closest_to_print = chosen["algorithm"].map(n_closest).fillna(0) > 0
    return chosen.assign(is_closest_to_print=is_closest_to_print)


def _pairs(number, get_records):
    """Every alternative's cells that are printed, with all printed values of their column."""
    printed = printed_values(number)
    alternatives = alternative_means(number, get_records)
    ours = completed(alternatives.assign(table=number), "algorithm", PRINTED_COLUMN)
    # Only cells that the paper prints of this algorithm.
    ours = ours.merge(printed[[*PRINTED_COLUMN, "algorithm"]])
    pairs = against_printed(ours, printed)
    pairs = pairs.assign(tolerance=tolerance(pairs)).dropna(subset="tolerance")
    difference = pairs["mean"] - pairs["printed_mean"]
    return pairs.assign(agrees=difference.abs() <= pairs["tolerance"])


def chance_with_choice(
    chosen: pd.DataFrame,
) -> dict[str, float | None]:
    """Shares of agreeing cells after the choice, of :func:`chosen_closest`; None without rows.

    ``own`` is that of our rows with their own printed rows, ``others`` that of other algorithms,
    ``others_marked`` that of other algorithms' rows with settings chosen by print.
    """
    same = chosen["algorithm"] == chosen["other"]
    groups = {
        "own": chosen[same],
        "others": chosen[~same],
        "others_marked": chosen[~same & chosen["is_closest_to_print"]],
    }
    shares: dict[str, float | None] = {}
    for name, rows in groups.items():
        n_cells = rows["cells"].sum()
        shares[name] = None
        if n_cells:
            shares[name] = float(rows["agree"].sum() / n_cells)
    return shares
