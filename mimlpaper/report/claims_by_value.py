"""Kinds of claims that means, counts and seconds decide: from records to parts."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from scipy import stats

from mimlpaper.report.cells import as_published, curve, runs
from mimlpaper.report.claims_by_test import Part, absent
from mimlpaper.report.published import (
    ALL_CRITERIA,
    TABLES,
    published_cells,
    published_characteristics,
)

__all__ = [
    "best_accuracy",
    "best_mean",
    "characteristics_agree",
    "competitive",
    "ends_in_time",
    "never_rises",
    "sampling_finds_violated",
    "stable",
    "worst_mean",
]

STABLE = 0.02  # range of a curve over its last fifth, relative to where it ends
MARGIN = 0.02  # accuracy: how far below the median a competitive method may be
REASONABLE = 3600.0  # seconds of one fit
FIT = ["dataset", "method", "parameters", "split"]  # what tells fits apart


def best_mean(records: pd.DataFrame, *, winners, rivals, criteria) -> list[Part]:
    """The best mean of each criterion belongs to one of the winners."""
    if gaps := absent(as_published(records), (*winners, *rivals)):
        return [Part("best mean", "any", missing=gaps)]
    parts = []
    for name in criteria:
        places = _places(records, (*winners, *rivals), name)
        first = places.idxmin()
        parts.append(Part("best mean", ALL_CRITERIA[name].symbol, first in winners, note=first))
    return parts


def worst_mean(records: pd.DataFrame, *, loser, rivals, criteria) -> list[Part]:
    """The worst mean of each criterion is the loser's."""
    if gaps := absent(as_published(records), (loser, *rivals)):
        return [Part(loser, "any", missing=gaps)]
    parts = []
    for name in criteria:
        places = _places(records, (loser, *rivals), name)
        note = f"place {places[loser]:.0f} of {len(places)}"
        is_last = bool(places[loser] == places.max())
        parts.append(Part(loser, ALL_CRITERIA[name].symbol, is_last, note=note))
    return parts


def stable(records: pd.DataFrame, *, rounds: dict[str, int], criteria) -> list[Part]:
    """Each method's mean curve moves by at most 2 % over the last fifth of its rounds."""
    parts = []
    for method, last in rounds.items():
        rows = records
        if len(records):
            rows = records[(records["method"] == method) & records["stage"].between(1, last)]
        for name in criteria:
            symbol = ALL_CRITERIA[name].symbol
            if rows.empty or rows["stage"].max() < last:
                parts.append(Part(method, symbol, missing=(f"{method} up to round {last}",)))
                continue
            late = curve(rows, "stage", name)["mean"].loc[math.ceil(0.8 * last) :]
            change = (late.max() - late.min()) / late.iloc[-1]
            parts.append(Part(method, symbol, bool(change <= STABLE), note=f"{change:.1%}"))
    return parts


def best_accuracy(records: pd.DataFrame, *, winners, rivals=(), datasets) -> list[Part]:
    """Every winner's mean lies above the rivals' here and above what the paper quotes."""
    accuracies, parts = _accuracies(records), []
    for winner in winners:
        for dataset in datasets:
            subject, means = f"{winner} on {dataset}", _quoted(dataset)
            gaps = [m for m in (winner, *rivals) if (m, dataset) not in accuracies]
            if gaps:
                parts.append(Part(subject, "accuracy", missing=tuple(gaps)))
                continue
            means |= {rival: accuracies[rival, dataset].mean() for rival in rivals}
            ours = accuracies[winner, dataset].mean()
            rival = max(means, key=means.get)
            note = f"{ours:.3f}, {rival} {means[rival]:.3f}"
            parts.append(Part(subject, "accuracy", bool(ours > means[rival]), note=note))
    return parts


def competitive(records: pd.DataFrame, *, methods, datasets) -> list[Part]:
    """The 95 % interval of mean minus quoted median does not lie below -.02."""
    accuracies, parts = _accuracies(records), []
    for method in methods:
        for dataset in datasets:
            ours = accuracies.get((method, dataset), ())
            subject = f"{method} on {dataset}"
            if len(ours) < 2:
                parts.append(Part(subject, "accuracy", missing=(f"two runs of {method}",)))
                continue
            difference = np.mean(ours) - np.median(list(_quoted(dataset).values()))
            half = stats.t.ppf(0.975, len(ours) - 1) * stats.sem(ours)
            note = f"{difference:+.3f} ± {half:.3f}"
            parts.append(Part(subject, "accuracy", bool(difference + half >= -MARGIN), note=note))
    return parts


def characteristics_agree(recomputed: pd.DataFrame) -> list[Part]:
    """The recomputed table equals the printed one at printed precision."""
    half_unit = {"PMC": 0.005, "ANL": 0.0005, "PRC": 0.005}
    if recomputed.empty:
        return [Part("Appendix C", "recomputed", missing=("the recomputed table",))]
    by_name, parts = recomputed.set_index("dataset"), []
    for printed in published_characteristics().to_dict("records"):
        name = printed.pop("dataset")
        for column, value in printed.items():
            if name not in by_name.index:
                parts.append(Part(name, column, missing=(name,)))
                continue
            ours = float(by_name.at[name, column])
            tolerance = half_unit.get(column[-3:], 0) + 1e-9
            note = f"{ours:g}, {value:g} printed"
            parts.append(Part(name, column, bool(abs(ours - value) <= tolerance), note=note))
    return parts


def ends_in_time(records: pd.DataFrame, *, methods) -> list[Part]:
    """What the paper says does *not* end: a part holds where a fit takes over an hour."""
    parts = []
    for method in methods:
        if gaps := absent(records, [method]):
            parts.append(Part(method, "seconds", missing=gaps))
            continue
        seconds = records.loc[records["method"] == method, "fit_seconds"].max()
        note = f"longest fit {seconds:.0f} s"
        parts.append(Part(method, "seconds", bool(seconds > REASONABLE), note=note))
    return parts


def never_rises(traces: pd.DataFrame) -> list[Part]:
    """The column ``objective`` never rises from one stage to the next of the same fit."""
    if traces.empty:
        return [Part("CCCP", "objective", missing=("recorded objectives",))]
    fits = traces.sort_values("stage").groupby(FIT)["objective"]
    rises = fits.agg(lambda trace: bool((trace.diff() > 1e-6 * trace.abs()).any()))
    note = f"rises in {rises.sum()} of {len(rises)} fits"
    return [Part("CCCP", "objective", not rises.any(), note=note)]


def sampling_finds_violated(records: pd.DataFrame | None = None, *, n_drawn=59) -> list[Part]:
    """The worst of 59 random constraints is among the 5 % most violated with probability .95.

    By the formula 1 - .95^59, and by 200,000 simulated draws from 10,000 constraints.
    """
    formula = 1 - 0.95**n_drawn
    rng = np.random.default_rng(0)
    worst = rng.integers(10_000, size=(200_000, n_drawn), dtype=np.int16).min(axis=1)
    simulated = float(np.mean(worst < 500))
    return [
        Part("sampling", "formula", formula >= 0.95, note=f"{formula:.4f}"),
        Part("sampling", "simulation", simulated >= 0.95, note=f"{simulated:.4f}"),
    ]


def _places(records, methods, name):
    """Rank of each method by its mean; 1 is best."""
    means = as_published(records).groupby("method")[name].mean().loc[list(methods)]
    return means.rank(ascending=ALL_CRITERIA[name].lower_is_better)


def _quoted(dataset):
    """The accuracies that Table 5 quotes from the literature."""
    cells = published_cells(5).dropna(subset="mean")
    cells = cells[(cells["dataset"] == dataset) & cells["algorithm"].isin(TABLES[5].compared)]
    return dict(zip(cells["algorithm"], cells["mean"], strict=True))


def _accuracies(records):
    """{(method, dataset): accuracy of each run of ten folds}."""
    measured = runs(as_published(records), TABLES[5])
    by_method = measured.groupby(["method", "dataset"])["accuracy"]
    return {key: accuracies.to_numpy() for key, accuracies in by_method}
