"""Accuracies by data set, for what Table 5 does not print."""

from __future__ import annotations

import pandas as pd

from mimlpaper.report.cells import runs
from mimlpaper.report.overview import changed
from mimlpaper.report.published import TABLES
from mimlpaper.report.rendering import Entry, ReportTable, text_entry
from mimlpaper.report.tables import number_text

__all__ = ["accuracies_table"]


def accuracies_table(records: pd.DataFrame, *, title: str, profile: str) -> ReportTable:
    """Mean ± std over runs of ten folds: one row a configuration, one column a data set.

    Parameters
    ----------
    records : one row for each trial of data sets of Table 5, or of a stand-in
    title, profile : str, told in the caption.
    """
    groups = sorted(records.groupby(["method", "parameters"]), key=lambda group: _place(*group[0]))
    parts = [
        runs(rows, TABLES[5]).assign(row=_name(method, parameters))
        for (method, parameters), rows in groups
    ]
    measured = pd.concat(parts, ignore_index=True)
    cells = measured.groupby(["row", "dataset"], sort=False)["accuracy"].agg(["mean", "std"])
    best = cells["mean"] == cells["mean"].groupby("dataset").transform("max")
    datasets = [name for name in TABLES[5].datasets if name in set(measured["dataset"])]
    rows = {
        name: tuple(_entry(cells, best, (name, dataset)) for dataset in datasets)
        for name in measured["row"].unique()
    }
    n_runs = measured.groupby(["row", "dataset"])["run"].nunique()
    caption = (
        f"{title}: accuracy ↑, mean ± std over {n_runs.min()} run(s) of ten folds. Profile "
        f"{profile}; records {_joined(measured['state'])}; {_joined(measured['kind'])} data."
    )
    tidy = cells.reset_index().assign(profile=profile)
    return ReportTable(caption, "", tuple(datasets), rows, tidy)


def _place(method, parameters):
    """Methods as in Table 5, others after them; a configuration before its variants."""
    printed = TABLES[5].algorithms
    place = printed.index(method) if method in printed else len(printed)
    return place, method, parameters != "{}", parameters


def _name(method, parameters):
    return method if parameters == "{}" else f"{method}: {changed(parameters)}"


def _entry(cells, best, key):
    if key not in cells.index:
        return text_entry("–")
    return Entry((number_text(*cells.loc[key, ["mean", "std"]]),), (bool(best[key]),))


def _joined(values):
    return " and ".join(sorted(set(values)))
