"""The scorecard as figures: how far our numbers are from print, and the verdicts."""

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.claims import WORDS
from mimlstudy.judge.verdicts import LOWER_IS_BETTER, VERDICTS
from mimlstudy.paper.printed import printed_tables
from mimlstudy.report.figures import BLUE, GREEN, LINE, VERMILION
from mimlstudy.report.marks import DAGGER, marked_names
from mimlstudy.report.verdict_looks import CLAIM_LOOKS, VERDICT_LOOKS

MOST_TOLERANCES = 6.0  # tolerances that the axis shows
AT_THE_EDGE = MOST_TOLERANCES + 0.25
DOTS = {"agrees": GREEN, "differs_better": BLUE, "differs_worse": VERMILION}
COUNT_AT = AT_THE_EDGE + 0.35  # place of the number of values beyond the axis


def deviations_from_print(card: Mapping) -> pd.DataFrame:
    """The compared cells with their ``deviation``: in tolerances, above 0 where ours is better.

    ``name`` is the method's, marked if its row has settings closest to print.
    """
    cells = pd.DataFrame(card["cells"])
    is_printed = cells["printed"] == "value"
    cells = cells[is_printed & cells["mean"].notna()]
    numbers = cells[["mean", "printed_mean", "tolerance"]].astype(float)
    difference = numbers["mean"] - numbers["printed_mean"]
    is_loss = cells["criterion"].map(LOWER_IS_BETTER).astype(bool)
    gain = difference.where(~is_loss, -difference)
    names = cells["algorithm"].copy()
    for number, methods in cells.groupby("table")["algorithm"]:
        names[methods.index] = methods.map(_marked_names(number, methods.unique()))
    with_names = cells.assign(deviation=gain / numbers["tolerance"], name=names)
    # Nothing is compared where no tolerance is known.
    return with_names.dropna(subset="deviation")


def _marked_names(number, methods):
    return marked_names(methods, printed_tables()[number].experiment)


def deviations_figure(cells: pd.DataFrame) -> plt.Figure:
    """A line for each row of the tables: the deviation of each cell, with the tolerance as a band.

    ``cells`` are those of :func:`deviations_from_print`. A triangle and a number stand for values
    beyond the axis.
    """
    tables = list(cells["table"].unique())
    by_table = cells.groupby("table", sort=False)
    n_rows = by_table["name"].nunique().loc[tables].tolist()
    # Rows of all panels have one height, whatever their number.
    height = 0.152 * sum(n_rows) + 0.22 * len(tables) + 0.55
    figure, axes = plt.subplots(
        len(tables),
        figsize=(5, height),
        sharex=True,
        squeeze=False,
        height_ratios=n_rows,
    )
    for ax, number in zip(axes.flat, tables, strict=True):
        _draw_deviations(ax, cells[cells["table"] == number])
        ax.set_title(printed_tables()[number].heading, loc="left")
    axes.flat[-1].set_xlabel("tolerances from the printed value; right: ours is better")
    return figure


def _draw_deviations(ax, cells):
    names = list(cells["name"].unique())
    places = cells["name"].map(names.index)
    ax.axvspan(-1, 1, color="#e4f4ec", zorder=0)
    ax.axvline(0, color=LINE, linewidth=0.6)
    for verdict, color in DOTS.items():
        is_chosen = cells["verdict"] == verdict
        values = cells.loc[is_chosen, "deviation"]
        rows = places[is_chosen]
        look = dict(linestyle="none", color=color, alpha=0.8, markeredgewidth=0)
        is_near = values.abs() <= MOST_TOLERANCES
        ax.plot(values[is_near], rows[is_near], marker="o", markersize=3.5, **look)
        for side, marker in ((-1, "<"), (1, ">")):
            is_beyond = values * side > MOST_TOLERANCES
            # Values beyond are one mark with their number.
            counts = rows[is_beyond].value_counts()
            edge = np.full(len(counts), side * AT_THE_EDGE)
            ax.plot(edge, counts.index, marker=marker, markersize=5, **look)
            for row, n_values in counts.items():
                text = dict(ha="center", va="center", fontsize=6)
                ax.text(side * COUNT_AT, row, n_values, **text)
    ax.set_yticks(range(len(names)), names)
    limit = COUNT_AT + 0.2
    ax.set(ylim=(len(names) - 0.4, -0.6), xlim=(-limit, limit))
    ax.grid(axis="x")
    ax.tick_params(axis="y", length=0)


def cells_figure(cells: pd.DataFrame) -> plt.Figure:
    """Each of a scorecard's cells as a square with its verdict, a panel for each table.

    Rows chosen by print have a mark. The key counts the squares.
    """
    figure, axes = plt.subplots(3, 2, figsize=(7, 7))
    looks = VERDICT_LOOKS.loc[[*VERDICTS]]
    by_table = cells.groupby("table")
    for ax, (number, table) in zip(axes.flat, by_table, strict=False):
        squares = _squares(table, printed_tables()[number].columns)
        squares = squares.rename(index=_marked_names(number, squares.index))
        _draw_squares(ax, squares, looks)
        ax.set_title(printed_tables()[number].heading, loc="left")
    for ax in axes.flat[by_table.ngroups :]:
        ax.set_axis_off()
    axes[2, 1].legend(
        handles=_verdict_key(cells, looks),
        loc="center left",
        title="verdicts",
    )
    return figure


def _squares(table, columns):
    words = table.pivot(index="algorithm", columns=columns, values="verdict")
    # pivot sorts both, which is not the order of the table.
    words = words.loc[table["algorithm"].unique(), table[columns].unique()]
    symbols = {name: criterion.symbol for name, criterion in CRITERIA.items()}
    return words.rename(columns=symbols)


def _draw_squares(ax, squares, looks):
    """A square for each verdict, in the colour and with the sign of its looks."""
    sns.heatmap(
        squares.map(VERDICTS.index),
        annot=squares.map(looks["sign"].get),
        fmt="",
        ax=ax,
        cmap=ListedColormap(looks["fill"]),
        # Whole numbers lie in the middle of their colours.
        vmin=-0.5,
        vmax=len(looks) - 0.5,
        linewidths=1.5,
        cbar=False,
    )
    ax.set(xlabel="", ylabel="")
    ax.tick_params(length=0)


def _verdict_key(cells, looks):
    counts = cells["verdict"].value_counts()
    handles = []
    for look in looks.itertuples():
        verdict = look.Index
        if verdict in counts:
            sign = look.sign or " "
            label = f"{sign}  {look.words} ({counts[verdict]})"
            handles.append(Patch(color=look.fill, label=label))
    handles.append(Patch(color="white", label=f"{DAGGER}  settings closest to print"))
    return handles


def words_figure(words: pd.DataFrame) -> plt.Figure:
    """A bar for each row of ``words``, which has the number of claims of each verdict."""
    figure, ax = plt.subplots(figsize=(7, 0.3 * len(words) + 0.75))
    # Bars are drawn from below, and the first row stands on top.
    upwards = words.loc[::-1, [*WORDS]]
    looks = CLAIM_LOOKS.loc[[*WORDS]]
    look = dict(color=[*looks["bar"]], width=0.75, legend=False)
    upwards.plot.barh(stacked=True, ax=ax, **look)
    ends = upwards.cumsum(axis="columns")
    middles = ends - upwards / 2
    for word, color in looks["number"].items():
        text: dict[str, Any] = dict(color=color, ha="center", va="center")
        bars = zip(upwards[word], middles[word], strict=True)
        for place, (n_claims, middle) in enumerate(bars):
            if n_claims:
                ax.text(middle, place, f"{n_claims:.0f}", **text)
    ax.set(xlabel="claims", ylabel="")
    ax.grid(False)
    handles, names = ax.get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=len(WORDS))
    return figure
