"""From records to the cells of a table: mean ± std over runs, beside the published values."""

from __future__ import annotations

import json

import pandas as pd

from mimlpaper.report.published import ALL_CRITERIA, TABLES, PublishedTable, published_cells
from mimlpaper.report.verdicts import is_reproduced, verdict

__all__ = [
    "as_published",
    "compare_with_paper",
    "count_runs",
    "curve",
    "overall",
    "runs",
    "swept_values",
]

STATES = ("fresh", "attested", "stale")  # from best to worst; a group is as good as its worst
KINDS = ("original", "re-derived", "synthetic")


def compare_with_paper(
    records: pd.DataFrame, number: int, n_runs: int | None = None
) -> pd.DataFrame:
    """Every cell of Table ``number`` with the published and the measured mean ± std.

    Columns: table, dataset, algorithm, criterion, published_mean, published_std,
    published_best, printed, mean, std, n, n_protocol, verdict, reproduced, state, kind.

    Parameters
    ----------
    records : one row for each trial and stage; may be empty
    number : 1 to 5
    n_runs : the protocol's number of runs; the paper's own if None
    """
    table = TABLES[number]
    measured = runs(as_published(records), table)
    n_runs = n_runs or table.n_runs
    printed = published_cells(number).to_dict("records")
    return pd.DataFrame([_cell(cell, measured, table, n_runs) for cell in printed])


def runs(records: pd.DataFrame, table: PublishedTable) -> pd.DataFrame:
    """One row for each (dataset, method, run): the mean criteria of the run's trials.

    A run is what the table's std is taken over: a split; for Table 4 one of the eleven data
    sets; for Table 5 the ten folds of one cross-validation, split // 10.
    """
    if records.empty:
        return pd.DataFrame(columns=["dataset", "method", "run", *ALL_CRITERIA, "n_trials"])
    criteria = [name for name in ALL_CRITERIA if name in records]
    rows = records.assign(
        run=_run_of(records, table),
        state=records["state"].map(STATES.index),
        kind=records["kind"].map(KINDS.index),
    )
    # The eleven sets of Table 4 have one column, and a stand-in, under its own name, the first.
    named = rows["dataset"].isin(table.datasets)
    rows["dataset"] = rows["dataset"].where(named, table.datasets[0])
    grouped = rows.groupby(["dataset", "method", "run"])
    means = grouped[criteria].mean()
    means["n_trials"] = grouped.size()
    means["state"] = grouped["state"].max().map(STATES.__getitem__)
    means["kind"] = grouped["kind"].max().map(KINDS.__getitem__)
    return means.reset_index()


def count_runs(records: pd.DataFrame, experiment: str) -> int:
    """Runs that every method of the experiment has."""
    table = next((table for table in TABLES.values() if table.experiment == experiment), None)
    run = records["split"] if table is None else _run_of(records, table)
    return int(run.groupby(records["method"]).nunique().min())


def as_published(records: pd.DataFrame) -> pd.DataFrame:
    """Finished fits, not single rounds, of the configurations that stand for the paper's own."""
    if records.empty:
        return records
    return records[(records["parameters"] == "{}") & (records["stage"] == 0)]


def overall(values, order: tuple[str, ...] = STATES) -> str:
    """The worst of several states, or the furthest from the original of several kinds."""
    return max(values, key=order.index)


def swept_values(records: pd.DataFrame, default: float) -> pd.Series:
    """The value of the one parameter that an experiment varies, row by row.

    ``default`` is what the configuration as published has.
    """

    def value(parameters):
        values = list(json.loads(parameters).values()) or [default]
        if len(values) > 1:
            raise ValueError(f"one parameter must vary, got {parameters}")
        return float(values[0])

    return records["parameters"].map(value)


def curve(records: pd.DataFrame, x: str, criterion: str) -> pd.DataFrame:
    """Columns mean and std over splits for each value of column ``x``, of one method.

    Where ``x`` is the stage, a boosting run that stopped early keeps its last value.
    """
    by_x = records.pivot(index="split", columns=x, values=criterion)
    by_x = by_x.ffill(axis=1) if x == "stage" else by_x
    return pd.DataFrame({"mean": by_x.mean(), "std": by_x.std()})


def _run_of(records, table):
    return records["dataset"] if table.run == "dataset" else records["split"] // table.n_folds


def _cell(cell, measured, table, n_runs):
    rows = measured[
        (measured["dataset"] == cell["dataset"]) & (measured["method"] == cell["algorithm"])
    ]
    criterion = ALL_CRITERIA[cell["criterion"]]
    rows = rows[rows[criterion.name].notna()] if criterion.name in rows else rows[:0]
    mean, std = rows[criterion.name].agg(["mean", "std"]) if len(rows) else (float("nan"),) * 2
    state = overall(rows["state"]) if len(rows) else "missing"
    kind = overall(rows["kind"], KINDS) if len(rows) else None
    word = verdict(mean, std, cell["mean"], cell["std"], criterion, kind=kind or "original")
    complete = len(rows) >= n_runs and bool((rows["n_trials"] >= table.n_folds).all())
    return {
        "table": table.number,
        "dataset": cell["dataset"],
        "algorithm": cell["algorithm"],
        "criterion": criterion.name,
        "published_mean": cell["mean"],
        "published_std": cell["std"],
        "published_best": cell["best"],
        "printed": cell["printed"],
        "mean": mean,
        "std": std,
        "n": len(rows),
        "n_protocol": n_runs,
        "verdict": word,
        "reproduced": is_reproduced(word, kind=kind, state=state, complete=complete),
        "state": state,
        "kind": kind,
    }
