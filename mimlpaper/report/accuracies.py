"""Accuracies by data set: tables of what Section 7's paper does not print."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from mimlpaper.report.cells import runs
from mimlpaper.report.published import TABLES
from mimlpaper.report.rendering import Entry, ReportTable
from mimlpaper.report.tables import number_text

__all__ = ["accuracies_table"]


def accuracies_table(records: Mapping[str, pd.DataFrame], *, title: str) -> ReportTable:
    """Mean ± std over runs of ten folds, one column for each data set.

    Parameters
    ----------
    records : mapping from a row's name to its records, those of one configuration.
    title : str, the beginning of the caption.
    """
    by_row = {name: runs(rows, TABLES[5]) for name, rows in records.items()}
    tidy = pd.concat([table.assign(row=name) for name, table in by_row.items()])
    cells = tidy.groupby(["row", "dataset"])["accuracy"].agg(["mean", "std", "size"])
    order = list(TABLES[5].datasets)
    datasets = sorted(tidy["dataset"].unique(), key=order.index)
    best = cells["mean"].groupby("dataset").transform("max") == cells["mean"]

    def entry(key):
        if key not in cells.index:
            return Entry(("–",), (False,))
        return Entry((number_text(cells.at[key, "mean"], cells.at[key, "std"]),), (best[key],))

    n = sorted(set(cells["size"]))
    n_runs = f"{n[0]}" if len(n) == 1 else f"{n[0]} to {n[-1]}"
    kinds = ", ".join(sorted(tidy["kind"].unique()))
    states = ", ".join(sorted(tidy["state"].unique()))
    return ReportTable(
        caption=(
            f"{title}: accuracy ↑, mean ± std over {n_runs} run(s) of ten folds; records "
            f"{states}; {kinds} data."
        ),
        corner="",
        columns=tuple(datasets),
        rows={name: tuple(entry((name, dataset)) for dataset in datasets) for name in records},
        tidy=cells.reset_index(),
    )
