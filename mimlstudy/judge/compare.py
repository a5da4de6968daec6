"""From records to cells: mean ± std over the runs of a table, next to the printed values."""

from itertools import product

import numpy as np
import pandas as pd

from mimlpaper.datasets import YAHOO_NAMES
from mimlstudy.engine.records import CURRENT, STATES
from mimlstudy.judge.selection import (
    NO_RECORDS,
    as_in_our_tables,
    checked_for_means,
)
from mimlstudy.judge.tolerances import round_half_up, tolerance
from mimlstudy.judge.verdicts import verdict
from mimlstudy.paper.printed import (
    ALL_CRITERIA,
    PrintedTable,
    printed_cells,
    printed_characteristics,
    printed_table_of,
    printed_tables,
)

MISSING_CELL = "missing"  # the state of a cell without records
# From best to worst.
KINDS_OF_DATA = ("original", "re-derived", "synthetic")
# What names a cell of a table.
PLACE = ["dataset", "algorithm", "criterion"]
PRINTED_NAMES = {f"yahoo:{name}": printed for name, printed in YAHOO_NAMES.items()}


def compare_with_paper(records: pd.DataFrame, number: int) -> pd.DataFrame:
    """Every cell of Table ``number`` with the printed and the measured mean ± std.

    ``printed`` says in a word what stands in print: "value", "N/A", "blank", or "no row" for
    methods beyond the paper's, which come last and have no verdict. ``n`` counts runs,
    ``n_trials`` is the least number of trials, or folds, of one of them, and ``std_of_folds`` the
    standard deviation of the folds of a run.
    ``complete`` says: original data, the whole protocol, current records.
    """
    table = printed_tables()[number]
    records = as_in_our_tables(records)
    rows = [_printed(table), _beyond(records, table)]
    cells = pd.concat(rows, ignore_index=True)
    cells = cells.merge(_measured(records, table), "left", PLACE)
    cells = cells.fillna({"n": 0, "n_trials": 0, "state": MISSING_CELL})
    cells = cells.astype({"n": int, "n_trials": int})
    before_state = cells.columns.get_loc("state")
    cells.insert(before_state, "n_protocol", table.n_runs)
    # A cross-validation is complete only if all folds of all runs were recorded.
    whole_runs = cells["n_trials"] >= table.n_folds
    whole_protocol = (cells["n"] >= table.n_runs) & whole_runs
    original = cells["kind"] == "original"
    current = cells["state"] == CURRENT
    cells["complete"] = whole_protocol & original & current
    cells["tolerance"] = tolerance(cells)
    verdicts = np.where(cells["printed"] == "no row", "", verdict(cells))
    return cells.assign(verdict=verdicts)


def _printed(table):
    """The paper's cells, whose numbers are called printed."""
    names = {name: f"printed_{name}" for name in ("mean", "std", "best")}
    return printed_cells(table.number).rename(columns=names)


def printed_values(number: int) -> pd.DataFrame:
    """The cells of Table ``number`` that have a printed value."""
    cells = _printed(printed_tables()[number])
    return cells[cells["printed"] == "value"]


def _beyond(records, table):
    """Cells of recorded methods that the paper does not have."""
    recorded = records["method"].unique()
    methods = [name for name in recorded if name not in table.algorithms]
    places = product(methods, table.datasets, table.criteria)
    names = ["algorithm", "dataset", "criterion"]
    cells = pd.DataFrame(places, columns=names, dtype="str")
    return cells.assign(table=table.number, printed_best=False, printed="no row")


def _measured(records, table):
    """Mean, std and number of the runs of each cell, and the worst state and kind."""
    runs = run_means(records, table).rename(columns={"method": "algorithm"})
    kept = ["dataset", "algorithm", "n_trials", "state", "kind"]
    criteria = runs.columns.intersection(table.criteria)
    values = runs.melt(kept, criteria, "criterion").dropna(subset="value")
    groups = values.groupby(PLACE)
    measured = groups["value"].agg(mean="mean", std="std", n="size")
    # The largest in the order of states and kinds is the worst.
    worst = groups[["state", "kind"]].max().astype("str")
    measured = measured.join(worst)
    measured["n_trials"] = groups["n_trials"].min()
    measured["std_of_folds"] = _std_of_folds(records, table)
    return measured.reset_index()


def _std_of_folds(records, table):
    """Pooled over the runs of each cell; NaN where a run is one trial."""
    if table.n_folds == 1:
        return np.nan
    rows = _with_runs(records, table).rename(columns={"method": "algorithm"})
    criteria = rows.columns.intersection(table.criteria)
    variances = rows.groupby(["dataset", "algorithm", "run"])[criteria].var()
    pooled = np.sqrt(variances.groupby(["dataset", "algorithm"]).mean())
    return pooled.rename_axis(columns="criterion").stack()


def run_means(records: pd.DataFrame, table: PrintedTable) -> pd.DataFrame:
    """One row for each (dataset, method, run): the mean criteria of the run's trials.

    A run is a split; in Table 4 one of the eleven data sets, which share a column; in Table 5 the
    ten folds of one cross-validation. Also n_trials, and the worst state and kind of these.
    """
    rows = _with_runs(records, table)
    # In order, so that the largest of a run's states and kinds is its worst.
    states = pd.Categorical(records["state"], STATES, ordered=True)
    kinds = pd.Categorical(records["kind"], KINDS_OF_DATA, ordered=True)
    rows = rows.assign(state=states, kind=kinds)
    groups = rows.groupby(["dataset", "method", "run"])
    criteria = [name for name in ALL_CRITERIA if name in records]
    of_runs = groups[criteria].mean()
    of_runs = of_runs.join(groups[["state", "kind"]].max())
    of_runs["n_trials"] = groups.size()
    return of_runs.reset_index()


def _with_runs(records, table):
    """The records with the run of each, and data sets as the table names them."""
    names = as_table_names(records, table)
    if table.run == "dataset":
        runs = records["dataset"]
    else:
        runs = records["split"] // table.n_folds
        _check_one_set_a_column(records["dataset"], names)
    return checked_for_means(records).assign(run=runs, dataset=names)


def _check_one_set_a_column(datasets, names):
    """Refuse a mean over two data sets, such as synthetic data beside those of the column."""
    n_sets = datasets.groupby(names).nunique()
    if (n_sets > 1).any():
        name = n_sets.idxmax()
        mixed = sorted({*datasets[names == name]})
        raise ValueError(f"column {name} must have one data set, got {mixed}")


def as_table_names(records: pd.DataFrame, table: PrintedTable) -> pd.Series:
    """The data sets as the table names them.

    A data set that is no column of the table goes by the name of the first column: the eleven of
    Table 4, and synthetic stand-ins.
    """
    datasets = records["dataset"]
    return datasets.where(datasets.isin(table.datasets), table.datasets[0])


def moved_to_printed_means(records: pd.DataFrame, experiment: str) -> pd.DataFrame:
    """Finished fits in a table, moved so that each mean is the printed one; the spreads stay ours.

    NaN where the paper prints no value. No rows for what is no table: figures print no means.
    """
    table = printed_table_of(experiment)
    if table is None:
        return NO_RECORDS
    records = checked_for_means(as_in_our_tables(records))
    names = [*table.criteria]
    cells = printed_cells(table.number)
    printed = cells.pivot(
        index=["dataset", "algorithm"],
        columns="criterion",
        values="mean",
    )
    keys = [as_table_names(records, table), records["method"]]
    printed_means = printed[names].reindex(pd.MultiIndex.from_arrays(keys))
    our_means = records.groupby(keys)[names].transform("mean")
    moved = records[names] - our_means + printed_means.to_numpy()
    return records.assign(**moved)


DECIMALS_OF_CHARACTERISTICS = {
    "categories": 0,
    "vocabulary": 0,
    "train_PMC": 2,
    "train_ANL": 3,
    "train_PRC": 2,
    "test_PMC": 2,
    "test_ANL": 3,
    "test_PRC": 2,
}


def compare_characteristics(recomputed: pd.DataFrame) -> pd.DataFrame:
    """Appendix C's table by cells, with a verdict: "agrees" as printed, "differs" or "missing"."""
    table = printed_characteristics()
    names = recomputed["dataset"].replace(PRINTED_NAMES)
    as_printed = _by_characteristic(table, table.columns)
    ours = _by_characteristic(recomputed.assign(dataset=names), table.columns)
    cells = pd.DataFrame(
        {
            "as_printed": as_printed,
            "recomputed": ours.reindex(as_printed.index),
        }
    )
    cells = cells.rename_axis(["dataset", "characteristic"]).reset_index()
    decimals = cells["characteristic"].map(DECIMALS_OF_CHARACTERISTICS)
    printed = round_half_up(cells["as_printed"], decimals)
    rounded = round_half_up(cells["recomputed"], decimals)
    missing = rounded.isna()
    same = printed == rounded
    words = np.select([missing, same], ["missing", "agrees"], "differs")
    return cells.assign(verdict=words)


def _by_characteristic(table, columns):
    """A series by data set and characteristic."""
    by_set = table.reindex(columns=columns).set_index("dataset")
    return by_set.stack().astype(float)
