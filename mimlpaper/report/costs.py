"""What fits cost: seconds and memory by method and data set, and other implementations."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from mimlpaper.experiments.cost_cases import OWN, TABLE_OF, drawn_sizes, is_installed
from mimlpaper.report.cells import as_published
from mimlpaper.report.rendering import Entry, ReportTable, text_entry

__all__ = ["LEAST_MEGABYTES", "costs_table", "measured_on", "peers_table"]

IN_TRIALS = ["trials_fit_seconds", "trials_predict_seconds"]
MEASURED = ["fit_seconds", "fit_megabytes", "predict_seconds", "predict_megabytes"]
LEAST_MEGABYTES = 1.0  # less is within what an allocator rounds


def measured_on(costs: pd.DataFrame) -> str:
    """A sentence for captions: on which machines costs were measured."""
    machines = sorted(set(costs["machine"]))
    return f"Measured on {' and '.join(machines)}." if machines else "Nothing is measured yet."


def costs_table(costs: pd.DataFrame, trials: Mapping[str, pd.DataFrame], title: str) -> ReportTable:
    """Seconds in the trials, then seconds and megabytes of one fit alone, by method and set.

    Parameters
    ----------
    costs : see :func:`~mimlpaper.experiments.costs.measure_costs`.
    trials : mapping from the experiments whose sets are shown to their records; may be empty.
    title : str, the caption's first words.
    """
    alone = costs[costs["study"] == "sets"]
    datasets = [name for name in alone["dataset"].unique() if TABLE_OF[name] in trials]
    tidy = pd.concat(
        [_set_costs(alone, trials[TABLE_OF[name]], name) for name in datasets]
        or [pd.DataFrame(columns=["dataset", "method", *IN_TRIALS, *MEASURED])]
    )
    found = tidy.set_index(["method", "dataset"])
    rows = {
        method: tuple(
            _cost(found, (method, dataset), part)
            for dataset in datasets
            for part in ("fit", "predict")
        )
        for method in tidy["method"].drop_duplicates()
    }
    return ReportTable(
        caption=(
            f"{title}: processor seconds, mean of the trials; below, of one fit alone, and the "
            f"megabytes that it adds to memory. {measured_on(costs)}"
        ),
        corner="method",
        columns=tuple(f"{name}, {part}" for name in datasets for part in ("fit", "scores")),
        rows=rows,
        tidy=tidy,
    )


def _set_costs(alone, records, dataset):
    """One row a method: means over the trials on a data set, and what was measured alone."""
    alone = alone[alone["dataset"] == dataset].set_index("method")[MEASURED].astype(float)
    means = pd.DataFrame(columns=IN_TRIALS, index=pd.Index([], name="method"))
    if len(records):
        rows = as_published(records)
        rows = rows[rows["dataset"] == dataset]
        means = rows.groupby("method")[["fit_seconds", "predict_seconds"]].mean()
        means = means.add_prefix("trials_")
    return alone.join(means).reset_index().assign(dataset=dataset)


def _cost(found, key, part):
    if key not in found.index:
        return text_entry("–")
    one = found.loc[key]
    lines = (
        _number(one[f"trials_{part}_seconds"], "s"),
        _number(one[f"{part}_seconds"], "s"),
        _number(one[f"{part}_megabytes"], "MB"),
    )
    return Entry(lines, (False,) * 3)


def peers_table(costs: pd.DataFrame, cases) -> ReportTable:
    """Other implementations beside ours on the same bags: seconds, as multiples of ours too.

    Parameters
    ----------
    costs : see :func:`~mimlpaper.experiments.costs.measure_costs`.
    cases : the cases of the profile.
    """
    found = costs[costs["study"] == "peers"].set_index(["method", "library"])
    rows, tidy = {}, []
    for case in cases:
        if case.study != "peers":
            continue
        key, name = (case.method, case.library), f"{case.method}: {case.library}"
        size = "{} bags of {}, {} labels".format(*drawn_sizes(case.dataset))
        row = {"method": case.method, "library": case.library, "dataset": case.dataset}
        if key not in found.index:
            state = "not measured" if is_installed(case) else "not installed"
            rows[name] = tuple(map(text_entry, (size, state, "–", "–", "–")))
            tidy.append(row)
            continue
        one = found.loc[key]
        ratio = one["fit_seconds"] / found["fit_seconds"].get((case.method, OWN), np.nan)
        row |= one[["fit_seconds", "fit_megabytes", "average_precision"]].to_dict()
        rows[name] = tuple(
            map(text_entry, (
                size, _number(one["fit_seconds"], "s"),
                _ratio(ratio),
                _number(one["fit_megabytes"], "MB"), f"{one['average_precision']:.3f}",
            ))
        )  # fmt: skip
        tidy.append(row | {"ratio": ratio})
    columns = ["method", "library", "dataset", "fit_seconds", "ratio", "fit_megabytes",
               "average_precision"]  # fmt: skip
    return ReportTable(
        caption=f"One fit by several implementations, on the same drawn bags. {measured_on(costs)}",
        corner="method: implementation",
        columns=("data", "fit", "times ours", "memory", "average precision"),
        rows=rows,
        tidy=pd.DataFrame(tidy, columns=columns),
    )


def _number(value, unit):
    if np.isnan(value):
        return "–"
    if unit == "MB":
        return f"{value:.0f} MB" if value >= LEAST_MEGABYTES else "< 1 MB"
    return f"{value:.3f} s" if value < 0.1 else f"{value:.2f} s" if value < 10 else f"{value:.1f} s"


def _ratio(value):
    return "–" if np.isnan(value) else f"{value:.2g}" if value < 10 else f"{value:.0f}"
