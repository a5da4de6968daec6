"""From records to cells: mean ± std over the runs of a table, next to the published values."""

import json
from collections.abc import Callable, Mapping
from itertools import product

import numpy as np
import pandas as pd

from mimlpaper.datasets import YAHOO_NAMES
from mimlstudy.engine.records import COUNTS, CURRENT, REFUTED, STATES, columns_of
from mimlstudy.judge.verdicts import tolerance, verdict
from mimlstudy.paper.experiments import EXPERIMENTS
from mimlstudy.paper.published import (
    ALL_CRITERIA,
    TABLES,
    PublishedTable,
    published_cells,
    published_characteristics,
)

Records = Callable[[str], pd.DataFrame] | Mapping[str, pd.DataFrame]

KINDS = ("original", "re-derived", "synthetic")  # of data
COLUMNS = ("matched", "blind", "tuned")  # how settings were chosen: see column_records


def compare_with_paper(records: pd.DataFrame, number: int) -> pd.DataFrame:
    """Every cell of Table ``number`` with the published and the measured mean ± std.

    Methods beyond the paper's come last: their ``printed`` is "no row", their verdict empty.
    ``complete`` says: original data, the whole protocol, current records.
    """
    table, records = TABLES[number], as_published(records)
    names = {name: f"published_{name}" for name in ("mean", "std", "best")}
    printed = published_cells(number).rename(columns=names)
    others = [name for name in records["method"].unique() if name not in table.algorithms]
    places = product(others, table.datasets, table.criteria)
    added = pd.DataFrame(places, columns=["algorithm", "dataset", "criterion"], dtype="str")
    added = added.assign(table=number, published_best=False, printed="no row")
    cells = pd.concat([printed, added], ignore_index=True)
    cells = cells.merge(_measured(records, table), "left", ["dataset", "algorithm", "criterion"])
    cells = cells.fillna({"n": 0, "state": "missing"}).astype({"n": int})
    cells.insert(cells.columns.get_loc("state"), "n_protocol", table.n_runs)
    whole = (cells["n"] >= table.n_runs) & (cells.pop("n_trials") >= table.n_folds)
    original = (cells["kind"] == "original") & (cells["state"] == CURRENT)
    cells = cells.assign(complete=whole & original, tolerance=tolerance(cells))
    return cells.assign(verdict=np.where(cells["printed"] == "no row", "", verdict(cells)))


def _measured(records, table):
    runs = run_means(records, table).rename(columns={"method": "algorithm"})
    about = ["dataset", "algorithm", "n_trials", "state", "kind"]
    cells = runs.melt(about, runs.columns.intersection(table.criteria), "criterion")
    groups = cells.dropna(subset="value").groupby(["dataset", "algorithm", "criterion"])
    measured = groups["value"].agg(mean="mean", std="std", n="size")
    worst = groups[["state", "kind"]].max().astype("str")
    return measured.join(worst).assign(n_trials=groups["n_trials"].min()).reset_index()


DECIMALS_IN_PRINT = {  # of the characteristics in Appendix C's table
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
    table = published_characteristics()
    names = recomputed["dataset"].str.removeprefix("yahoo:").replace(YAHOO_NAMES)
    printed, ours = (
        part.reindex(columns=table.columns).set_index("dataset").stack().astype(float)
        for part in (table, recomputed.assign(dataset=names))
    )
    cells = pd.DataFrame({"published": printed, "recomputed": ours.reindex(printed.index)})
    cells = cells.rename_axis(["dataset", "characteristic"]).reset_index()
    decimals = cells["characteristic"].map(DECIMALS_IN_PRINT)
    shown, found = (round_half_up(cells[name], decimals) for name in ("published", "recomputed"))
    words = np.select([found.isna(), shown == found], ["missing", "agrees"], "differs")
    return cells.assign(verdict=words)


def round_half_up(value, decimals):
    return np.floor(value * 10**decimals + 0.5 + 1e-9) / 10**decimals


TABLE_1 = EXPERIMENTS["table1"]
NO_RECORDS = pd.DataFrame(columns=[*columns_of(TABLE_1.measure), "state"]).astype(
    dict.fromkeys([*COUNTS, *TABLE_1.measure.numbers], float)
)


def records_of(get_records: Records, *experiments: str) -> pd.DataFrame:
    """The records of some experiments without those that are wrong; maybe no rows."""
    read = get_records if callable(get_records) else get_records.get
    tables = [table for name in experiments if (table := read(name)) is not None and len(table)]
    records = pd.concat(tables) if tables else NO_RECORDS
    return records[~records["state"].isin(REFUTED)] if "state" in records else records


# What may differ between two records of one method on one split: which fit, and of how much.
CONFIGURATION = ["parameters", "stage", "n_settings", "calibration"]


def unmixed(records: pd.DataFrame, *by: str) -> pd.DataFrame:
    """The same records, after a check that a mean over splits may be taken of each method.

    A method has one configuration, one stage and one budget on a data set, and one record of a
    split. ``by`` are columns that the mean is taken apart by, such as the stage of a curve.
    ValueError names the first method that mixes some.
    """
    keys = ["dataset", "method", *by]
    varying = [name for name in CONFIGURATION if name in records and name not in by]
    groups = records.groupby(keys, sort=False, dropna=False)
    n_values = groups[varying].nunique(dropna=False)
    for name in varying:
        mixed = n_values.index[n_values[name] > 1]
        if len(mixed):
            raise ValueError(_mixed(mixed[0], name, groups.get_group(mixed[0])[name].unique()))
    repeated = records[records.duplicated([*keys, "split"])]
    if len(repeated):
        row = repeated.iloc[0]
        place = [row[name] for name in keys]
        raise ValueError(_mixed(place, "row of a split", [row["split"]] * 2))
    return records


def _mixed(place, name, values):
    """What an error says of records that cannot be averaged."""
    texts = ", ".join(map(str, values[:5]))
    return (
        f"a mean over splits needs one {name}, got {texts} of "
        f"{' / '.join(map(str, place))}; select the records of one {name}, or take means by it"
    )


def column_records(get_records: Records, experiment: str, column: str) -> pd.DataFrame:
    """The records of a table in a column; only tables and unseen data have all three.

    Matched records may be those of several experiments, "table5+readings", or of none, "".

    Matched settings may have been chosen because they come nearest to print, blind ones never: a
    method without such settings has its matched rows there too. Tuned ones are held out, with
    the whole budget.
    """
    if column == "matched":
        return records_of(get_records, *filter(None, experiment.split("+")))
    table = EXPERIMENTS.get(experiment)
    if table is None or not experiment.startswith(("table", "unseen")):
        return NO_RECORDS
    matched, records = (records_of(get_records, name) for name in (experiment, column))
    records = as_published(records)
    covered = [name for name in records["dataset"].unique() if table.covers(name)]
    records = records[records["dataset"].isin(covered)]
    if column == "tuned" or records.empty or matched.empty:
        return records
    of_table = matched["dataset"].iloc[0]
    own = EXPERIMENTS[column].methods_on(of_table)
    return pd.concat([records, matched[~matched["method"].isin(own)]])


def as_published(records: pd.DataFrame) -> pd.DataFrame:
    """The finished fits, not single rounds, of configurations as published, not of variants."""
    if records.empty:
        return NO_RECORDS
    return records[(records["parameters"] == "{}") & (records["stage"] == 0)]


def run_means(records: pd.DataFrame, table: PublishedTable) -> pd.DataFrame:
    """One row for each (dataset, method, run): the mean criteria of the run's trials.

    A run is a split; in Table 4 one of the eleven data sets, which share a column; in Table 5 the
    ten folds of one cross-validation. Also n_trials, and the worst state and kind of these.
    """
    rows = unmixed(records).assign(
        run=records["dataset"] if table.run == "dataset" else records["split"] // table.n_folds,
        dataset=_named(records, table),
        state=pd.Categorical(records["state"], STATES, ordered=True),
        kind=pd.Categorical(records["kind"], KINDS, ordered=True),
    )
    groups = rows.groupby(["dataset", "method", "run"])
    means = groups[[name for name in ALL_CRITERIA if name in records]].mean()
    worst = groups[["state", "kind"]].max()
    return means.join(worst).assign(n_trials=groups.size()).reset_index()


def _named(records, table):
    """The data sets as the table names them: those of Table 4, and stand-ins, as its first."""
    return records["dataset"].where(records["dataset"].isin(table.datasets), table.datasets[0])


def as_printed(records: pd.DataFrame, experiment: str) -> pd.DataFrame:
    """Finished fits of a table whose means are moved to the printed ones; the spreads stay ours."""
    table = next((t for t in TABLES.values() if experiment.startswith(t.experiment)), None)
    if table is None:
        return NO_RECORDS
    records, names = as_published(records), [*table.criteria]
    cells = published_cells(table.number)
    printed = cells.pivot(index=["dataset", "algorithm"], columns="criterion", values="mean")
    keys = [_named(records, table), records["method"]]
    means = printed[names].reindex(pd.MultiIndex.from_arrays(keys))
    ours = records.groupby(keys)[names].transform("mean")
    return records.assign(**(records[names] - ours + means.to_numpy()))


def tuned_losses(get_records: Records) -> pd.DataFrame:
    """1 − average precision of everyone tuned: a row for each independent data set.

    The sets of web pages are one. A learner of bags that works through InsDif has its own name.
    """
    rows = unmixed(as_published(records_of(get_records, "tuned")))
    rows = rows.dropna(subset="average_precision")
    sets = rows["dataset"].str.replace("yahoo:.*", "web pages", regex=True)
    methods = rows["method"].replace("InsDif", "MimlNn").str.removeprefix("InsDif_")
    return 1 - rows["average_precision"].groupby([sets, methods]).mean().unstack()


OF_BAGS, OTHERS = "bags, the paper's learners", "bags, others"
PROPOSED = (*TABLES[1].proposed, "D-MimlSvm", *TABLES[5].proposed)


def chosen_by_what_they_see(get_records: Records) -> pd.DataFrame:
    """Learners of bags and of one vector, sixteen settings each; a row for each dataset and split.

    ``seen`` is :data:`OF_BAGS`, :data:`OTHERS`, or the layout of a vector, such as "mean". Of the
    learners that see the same, the one with the best held-out value is ``method``; ``value`` is its
    average precision on the test set, or the accuracy for one label.
    """
    columns = ["dataset", "split", "seen", "method", "value"]
    rows = unmixed(as_published(records_of(get_records, "tuned", "controls")))
    rows = rows[rows["dataset"].isin(EXPERIMENTS["controls"].datasets)]
    if rows.empty:
        return pd.DataFrame(columns=columns)
    layout = rows["method"].str.partition(", ")[2]
    of_vectors = rows["method"].isin([*TABLES[1].compared, "Cnmf"])
    kinds = [layout != "", of_vectors, rows["method"].isin(PROPOSED)]
    rows = rows.assign(
        seen=np.select(kinds, [layout, "", OF_BAGS], OTHERS),
        held_out=rows["held_out"].map(lambda text: max(json.loads(text))),
        value=rows["average_precision"].fillna(rows["accuracy"]),
    )
    rows = rows[rows["seen"] != ""].sort_values("held_out", kind="stable", ascending=False)
    return rows.groupby(columns[:3], as_index=False).first()[columns]


def bags_in_words(chosen: pd.DataFrame) -> str:
    """How the paper's learners of bags stand to others, of :func:`chosen_by_what_they_see`."""
    means = chosen.groupby(["seen", "dataset"])["value"].mean().unstack()
    rivals = ["mean", "order-free", OTHERS]
    if not {OF_BAGS, *rivals} <= {*means.index}:
        return "Not everything is recorded yet."
    leads = (means.loc[OF_BAGS] - means.loc[rivals]).dropna(axis=1).T
    of_mean, of_statistics, of_others = (leads > 0).sum()
    without = (leads.sum() - leads) / (len(leads) - 1)
    ends = [f"{low:+.3f} to {high:+.3f}" for low, high in without.agg(["min", "max"]).T.to_numpy()]
    by = "{}, {} and {}".format(*ends).replace("-", "−")
    return (
        f"With equal budgets the paper's learners of bags lead a bag's mean on {of_mean} of "
        f"{len(leads)} sets, its order-free statistics on {of_statistics}, other learners of bags "
        f"on {of_others}; whichever set is left out, by {by} on average."
    )
