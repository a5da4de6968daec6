"""Losses above and below others, in percent, as coloured squares: blue is better."""

from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import LinearSegmentedColormap

from mimlpaper.metrics import CRITERIA
from mimlstudy.report.figures import BLUE, VERMILION, loss_title, readable_ink
from mimlstudy.report.marks import marked_names
from mimlstudy.report.sections.differences import losses_of

COLORS = LinearSegmentedColormap.from_list("better to worse", [BLUE, "white", VERMILION])
SQUARE = 0.27  # inches, the height of a row with numerals
NUMERAL: dict[str, Any] = dict(ha="center", va="center", fontsize=7.5)
SMALL = 0.15  # inches, the height of a row without


def above_and_below(records: pd.DataFrame, reference: str) -> pd.DataFrame:
    """How far losses lie above those of a reference, in percent of these.

    Returns
    -------
    DataFrame
        Rows are methods and data sets, without the reference; columns are criteria.
    """
    losses = losses_of(records)
    of_reference = losses.loc[reference]
    ratios = losses.div(of_reference, level="dataset")
    return 100 * (ratios - 1).drop(reference, level="method")


def numbers_map(
    changes: pd.DataFrame,
    title: str,
    *,
    limit: float,
    brackets: pd.DataFrame | None = None,
) -> plt.Figure:
    """Changes of losses in percent, a row for each name and a column for each criterion.

    Parameters
    ----------
    changes : DataFrame
    title : str, what the numbers are, with their unit.
    limit : float, the change that has the darkest colour, in percent.
    brackets : DataFrame of bool or None, whether a number stands in brackets.
    """
    size = (5.4, SQUARE * len(changes) + 0.65)
    figure, ax = plt.subplots(figsize=size)
    image = ax.imshow(changes, aspect="auto", **_scale(limit))
    for (row, column), value in np.ndenumerate(changes.to_numpy()):
        text = _number(value)
        if brackets is not None and brackets.iloc[row, column]:
            text = f"({text})"
        color = readable_ink(image.to_rgba(value))
        ax.text(column, row, text, color=color, **NUMERAL)
    ax.set_yticks(range(len(changes)), changes.index)
    # Without arrows: all are losses here.
    symbols = [CRITERIA[name].symbol for name in changes]
    ax.set_xticks(range(len(symbols)), symbols)
    ax.set_title(title)
    _bare(ax)
    return figure


def _scale(limit) -> dict[str, Any]:
    """The colours of an image, from a limit below 0 to the same above."""
    return dict(cmap=COLORS, vmin=-limit, vmax=limit)


def _number(value):
    """A whole number with its sign; 0 has none."""
    if np.isnan(value):
        return "–"
    whole = round(value)
    return f"{whole:+d}".replace("-", "−") if whole else "0"


def sets_map(
    shares: pd.DataFrame, reference: str, *, limit: float, names: Sequence[str], experiment: str
) -> plt.Figure:
    """A panel for each criterion: rows are methods, columns data sets.

    Parameters
    ----------
    shares : DataFrame of :func:`above_and_below`
    reference : str, the method with whose losses others are compared.
    limit : float, the share that has the darkest colour, in percent; those beyond have it too.
    names : sequence of str, of the data sets, in the order of their columns.
    experiment : str, in which a mark stands behind methods with settings closest to print.
    """
    methods = shares.index.unique("method")
    datasets = shares.index.unique("dataset")
    shown_names = [*marked_names(methods, experiment).values()]
    n_rows = int(np.ceil((len(shares.columns) + 1) / 2))  # with room for the key
    height = SMALL * len(methods) + 0.25
    size = (5.4, n_rows * height + 0.8)
    figure, axes = plt.subplots(n_rows, 2, figsize=size, sharex=True, sharey=True)
    for ax, letter, name in zip(axes.flat, "abcdefg", shares, strict=False):
        squares = shares[name].unstack("dataset").loc[methods, datasets]
        image = ax.imshow(squares, aspect="auto", **_scale(limit))
        # By letters in the order of the panels: not all criteria may be asked for.
        ax.set_title(f"({letter}) {loss_title(name)}")
        ax.set_yticks(range(len(methods)), shown_names)
        ax.set_xticks(range(len(datasets)), names, rotation=90)
        _bare(ax)
    for ax in axes.flat[len(shares.columns) :]:
        ax.set_axis_off()
    for lowest in axes.flat[max(0, len(shares.columns) - 2) : len(shares.columns)]:
        lowest.tick_params(labelbottom=True)
    _key(figure, axes.flat[-1], image, limit, reference)
    return figure


def _key(figure, ax, image, limit, reference):
    """A scale in an empty panel, with words at its ends."""
    place = ax.inset_axes((0.1, 0.45, 0.8, 0.08))
    ends = dict(orientation="horizontal", extend="both")
    bar = figure.colorbar(image, cax=place, **ends)
    names = [f"−{limit:g}%", "equal", f"+{limit:g}%"]
    bar.set_ticks([-limit, 0, limit], labels=names)
    bar.outline.set_visible(False)
    place.set_title(f"loss below or above that of {reference}")


def _bare(ax):
    ax.grid(False)
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
