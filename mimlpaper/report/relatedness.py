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


def plot_relatedness(matrix: np.ndarray, names, axis: Axes, *, title: str = ""):
    """A symmetric matrix over labels as coloured squares, each with its number.

    Blue is positive and red negative; the diagonal, which relates no two labels, stays empty.

    Parameters
    ----------
    matrix : (n_labels, n_labels)
    names : the labels, in the matrix's order.
    """
    shown = np.where(np.eye(len(matrix), dtype=bool), np.nan, matrix)
    bound = np.nanmax(np.abs(shown)) or 1.0
    axis.imshow(shown, cmap="RdBu", vmin=-bound, vmax=bound)
    for (i, j), value in np.ndenumerate(shown):
        if i != j:
            ink = "white" if abs(value) > 0.7 * bound else INK
            axis.text(j, i, f"{value:.2f}", ha="center", va="center", color=ink, fontsize=6)
    axis.set_xticks(range(len(names)), names, rotation=40, ha="right", rotation_mode="anchor")
    axis.set_yticks(range(len(names)), names)
    axis.tick_params(length=0)
    axis.grid(False)
    axis.spines[:].set_visible(False)
    axis.set_title(title)


def relatedness_table(matrices: dict[str, np.ndarray], Y: np.ndarray, names) -> pd.DataFrame:
    """Pairs of labels from the most to the least related by the first matrix.

    Columns: the pair; its entry in each matrix; how often its labels come together, as a
    multiple of how often they would if they were independent.

    Parameters
    ----------
    matrices : from a column's name to an array (n_labels, n_labels).
    Y : (n_bags, n_labels), the label sets that are counted.
    names : the labels.
    """
    i, j = np.triu_indices(len(names), 1)
    share = Y.mean(axis=0)
    together = (Y[:, i] & Y[:, j]).mean(axis=0) / (share[i] * share[j])
    table = pd.DataFrame({
        "pair": [f"{names[a]}, {names[b]}" for a, b in zip(i, j, strict=True)],
        **{name: matrix[i, j] for name, matrix in matrices.items()},
        "together": together,
    })  # fmt: skip
    return table.sort_values(next(iter(matrices)), ascending=False, ignore_index=True)


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
