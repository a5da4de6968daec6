"""Pictures of Section 5: falling objectives, related labels, outcomes by alternation."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from mimlpaper.report.style import look_of

__all__ = ["plot_objectives", "plot_outcomes", "plot_relatedness", "relatedness_table"]

OUTCOME_FILLS = {"better": "#8fbbe0", "tie": "#eeeeee", "worse": "#ef9a80"}
INK = "#222222"


def plot_objectives(traces: pd.DataFrame, axes: dict[str, Axes]):
    """Each fit's objective after each step, in percent above where it ends; a panel a data set.

    Parameters
    ----------
    traces : columns dataset, method, parameters, split, stage, objective.
    axes : from the data set's name to its panel.
    """
    for dataset, axis in axes.items():
        mine = traces[traces["dataset"] == dataset].sort_values("stage")
        for (method, _, _), fit in mine.groupby(["method", "parameters", "split"]):
            excess = 100 * (fit["objective"] / fit["objective"].iloc[-1] - 1)
            look = look_of(method)
            axis.plot(
                fit["stage"], excess, color=look.color, marker=look.marker, markersize=3,
                linewidth=1, alpha=0.6,
            )  # fmt: skip
        axis.set_title(dataset)
        axis.set_xlabel("convex problems solved")
        axis.set_xticks(range(1, int(mine["stage"].max()) + 1))
        axis.set_ylim(bottom=0)
    next(iter(axes.values())).set_ylabel("objective above its end (%)")


def plot_relatedness(pairs: pd.DataFrame, value: str, axis: Axes, *, title: str = ""):
    """What holds of each pair of labels as a matrix of coloured squares, each with its number.

    Blue is positive and red negative; the diagonal, which relates no two labels, stays empty.

    Parameters
    ----------
    pairs : columns first, second and ``value``, one row for each pair of labels.
    """
    names = list(dict.fromkeys([*pairs["first"], *pairs["second"]]))
    matrix = pairs.pivot(index="first", columns="second", values=value)
    matrix = matrix.reindex(index=names, columns=names)
    shown = matrix.fillna(matrix.T).to_numpy()
    bound = np.nanmax(np.abs(shown)) or 1.0
    axis.imshow(shown, cmap="RdBu", vmin=-bound, vmax=bound)
    for (i, j), entry in np.ndenumerate(shown):
        if i != j:
            ink = "white" if abs(entry) > 0.7 * bound else INK
            axis.text(j, i, f"{entry:.2f}", ha="center", va="center", color=ink, fontsize=6)
    axis.set_xticks(range(len(names)), names, rotation=40, ha="right", rotation_mode="anchor")
    axis.set_yticks(range(len(names)), names)
    axis.tick_params(length=0)
    axis.grid(False)
    axis.spines[:].set_visible(False)
    axis.set_title(title)


def relatedness_table(pairs: pd.DataFrame) -> pd.DataFrame:
    """Pairs of labels from the one that shares most to the one that shares least.

    Columns: first, second; together, how many times as often as by chance they come together;
    cosine, between their functions under a common μ; sharing, learned for each pair.

    Parameters
    ----------
    pairs : of one data set, from both kinds of fit, as ``Companion.related_labels`` has them.
    """
    common = pairs["parameters"] == "{}"
    learned = pairs[~common].set_index(["first", "second"])["sharing"]
    told = pairs[common][["first", "second", "together", "cosine"]]
    table = told.join(learned, on=["first", "second"])
    return table.sort_values("sharing", ascending=False, ignore_index=True)


def plot_outcomes(outcomes: pd.DataFrame, axis: Axes, *, xlabel: str):
    """Shares of cases better, tied and worse, stacked, for each stage.

    Parameters
    ----------
    outcomes : from :func:`~mimlpaper.report.outcomes.outcomes_by_stage`.
    """
    words = list(OUTCOME_FILLS)
    shares = 100 * outcomes[words].div(outcomes[words].sum(axis=1), axis=0)
    places, bottom = range(len(outcomes)), np.zeros(len(outcomes))
    for word, fill in OUTCOME_FILLS.items():
        axis.bar(places, shares[word], bottom=bottom, color=fill, width=0.9, label=word)
        for place, share, low in zip(places, shares[word], bottom, strict=True):
            if share >= 8:
                axis.text(
                    place, low + share / 2, f"{share:.0f}", ha="center", va="center", color=INK,
                    fontsize=6,
                )  # fmt: skip
        bottom = bottom + shares[word]
    axis.set_xticks(places, outcomes["stage"])
    axis.set_xlabel(xlabel)
    axis.set_ylabel("cases (%)")
    axis.grid(False)
