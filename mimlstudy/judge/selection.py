"""Which records a reader gets: of some experiments, with settings chosen in one of three ways.

A *column* says how open settings were chosen. In the column "closest" some were chosen because
they come closest to print. In "fixed" all are fixed in advance, without print. In "equal" every
method chooses among sixteen settings by hold-out (equal tuning).
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import pandas as pd

from mimlstudy.engine.records import COUNTS, REFUTED, columns_of
from mimlstudy.paper.experiments import EXPERIMENTS

# The judge asks much of small tables. Texts as Python's objects then take two thirds of the time
# that Arrow's take.
pd.options.mode.string_storage = "python"

# Where records are read from, by the name of an experiment.
Records = Callable[[str], pd.DataFrame] | Mapping[str, pd.DataFrame]

SETTINGS_COLUMNS = ("closest", "fixed", "equal")
# The experiments that recorded the columns which the tables themselves do not.
RECORDED_IN = {"fixed": "fixed", "equal": "equal_tuning"}
ALTERNATIVES = "alternatives"

# Experiments with rows in other columns than "closest". All settings of "unseen" are fixed in
# advance, so that it has no rows of its own in "fixed".
WITH_COLUMNS = (
    "table1",
    "table2",
    "table3",
    "table4",
    "table5",
    "unseen",
)

TABLE_1_EXPERIMENT = EXPERIMENTS["table1"]
NUMBERS_OF_TABLES = [*COUNTS, *TABLE_1_EXPERIMENT.measure.numbers]
# With types, so that means of no rows are numbers too.
NO_RECORDS = pd.DataFrame(
    columns=[*columns_of(TABLE_1_EXPERIMENT.measure), "state"],
).astype(dict.fromkeys(NUMBERS_OF_TABLES, float))

# Columns that must have one value where a mean over splits is taken of a method.
MUST_NOT_VARY = ("override", "stage", "n_settings", "calibration")


class Selection(NamedTuple):
    """Records to read: those of ``experiments`` in a ``column``, one of :data:`SETTINGS_COLUMNS`.

    The first experiment has the rows that a table prints. Further ones add rows, such as learners
    without sub-concepts; they exist in the column "closest" alone.
    """

    experiments: tuple[str, ...]
    column: str = "closest"


def selected(get_records: Records, selection: Selection) -> pd.DataFrame:
    """The records of a selection, maybe no rows. Refuted records are never among them.

    The columns "fixed" and "equal" hold finished fits with the whole budget: "equal" of tables and
    unseen data, "fixed" of tables alone, since all of "unseen" is fixed in advance and stands in
    "closest". "fixed" is empty until it has a record of its own on the table's data.
    """
    experiments, column = selection
    if column == "closest":
        return records_of(get_records, *experiments)
    if not experiments or experiments[0] not in WITH_COLUMNS:
        return NO_RECORDS
    table = EXPERIMENTS[experiments[0]]
    records = as_in_our_tables(records_of(get_records, RECORDED_IN[column]))
    names = records["dataset"].unique()
    covered = [name for name in names if table.covers(name)]
    records = records[records["dataset"].isin(covered)]
    closest = records_of(get_records, table.name)
    if column == "equal" or records.empty or closest.empty:
        return records
    unchanged = _without_choice_by_print(closest)
    return pd.concat([records, unchanged])


def _without_choice_by_print(closest):
    """Records of methods without a setting chosen by print: they were not recorded again."""
    # All data sets of a table have the same methods.
    dataset = closest["dataset"].iloc[0]
    recorded_again = EXPERIMENTS[RECORDED_IN["fixed"]].methods_on(dataset)
    has_second_row = closest["method"].isin(recorded_again)
    return closest[~has_second_row]


def records_of(get_records: Records, *experiments: str) -> pd.DataFrame:
    """The records of some experiments without refuted ones; maybe no rows."""
    read = get_records if callable(get_records) else get_records.get
    tables = []
    for name in experiments:
        table = read(name)
        if table is not None and len(table):
            tables.append(table)
    records = pd.concat(tables) if tables else NO_RECORDS
    if "state" not in records:  # made up, not recorded
        return records
    is_refuted = records["state"].isin(REFUTED)
    return records[~is_refuted]


def without_synthetic(records: pd.DataFrame) -> pd.DataFrame:
    """The records, or cells, of original and re-derived data alone.

    Synthetic data stand in for others: their numbers say nothing of the paper.
    """
    return records[records["kind"] != "synthetic"]


def runs_by(records: pd.DataFrame, x: str, criterion: str) -> pd.DataFrame:
    """A criterion of one method: a row for each data set and split, a column for each ``x``.

    By stage, a split that has stopped keeps its last value. What else is missing is NaN.
    """
    keys = ["dataset", "split"]
    values = checked_for_means(records, x).pivot(index=keys, columns=x, values=criterion)
    if x != "stage":
        return values
    has_stopped = values.bfill(axis=1).isna()
    return values.fillna(values.ffill(axis=1).where(has_stopped))


def as_in_our_tables(records: pd.DataFrame) -> pd.DataFrame:
    """The finished fits with the settings of our tables: no single rounds, no alternatives.

    In equal tuning stages are budgets, and stage 0 has the whole one.
    """
    if records.empty:
        return NO_RECORDS
    has_our_settings = records["override"] == "{}"
    return records[has_our_settings & (records["stage"] == 0)]


def checked_for_means(records: pd.DataFrame, *by: str) -> pd.DataFrame:
    """The same records, after a check that a mean over splits may be taken of each method.

    A method has one configuration, one stage and one budget on a data set, and one record of a
    split. Every reader that takes means calls this.

    Parameters
    ----------
    records : DataFrame
        With the columns "dataset", "method" and "split".
    *by : str
        Columns by which the means are taken apart, such as "stage" for a curve.

    Raises
    ------
    ValueError
        Names the first method that mixes records, what differs, and the remedy.
    """
    keys = ["dataset", "method", *by]
    varying = [name for name in MUST_NOT_VARY if name in records and name not in by]
    configurations = records[[*keys, *varying]].drop_duplicates()
    # A mean over two configurations would look like a mean over splits.
    is_mixed = configurations.duplicated(keys, keep=False)
    if is_mixed.any():
        mixed = configurations[is_mixed]
        place = mixed[keys].iloc[0].tolist()
        of_place = mixed[(mixed[keys] == place).all(axis=1)]
        name = of_place[varying].nunique(dropna=False).idxmax()
        raise ValueError(_mixed(place, name, of_place[name].unique()))
    is_repeated = records.duplicated([*keys, "split"])
    if is_repeated.any():
        row = records[is_repeated].iloc[0]
        where = " / ".join(str(row[name]) for name in keys)
        raise ValueError(
            f"a mean over splits needs one record of each split, got several of split "
            f"{row['split']} of {where}; drop the repeated records"
        )
    return records


def _mixed(place, name, values):
    """What an error says of records that cannot be averaged."""
    texts = ", ".join(map(str, values[:5]))
    where = " / ".join(map(str, place))
    return (
        f"a mean over splits needs one {name}, got {texts} of {where}; "
        f"select the records of one {name}, or take means by it"
    )
