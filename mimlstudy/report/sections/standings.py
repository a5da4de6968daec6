"""Where methods stand in a table: as printed, with our settings, and with equal tuning."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.selection import checked_for_means
from mimlstudy.paper.printed import printed_cells, printed_tables
from mimlstudy.report.figures import BLUE, INK, VERMILION, as_loss
from mimlstudy.report.marks import marked_names

LOOKS = {
    # A bar is seen also where a dot lies on it.
    "printed": dict(color=INK, marker="|", markersize=9, markeredgewidth=1.8),
    "ours": dict(color=BLUE, marker="o", markersize=5),
    "equal tuning": dict(color=VERMILION, marker="D", markersize=4.5),
}


def standings(number: int, ours: pd.DataFrame, equal: pd.DataFrame, criterion: str) -> pd.DataFrame:
    """Means of a table's methods: columns printed, ours, equal tuning; the best printed first.

    Parameters
    ----------
    number : int, of the table.
    ours, equal : DataFrame, records with settings closest to print, and with equal tuning.
    criterion : str
    """
    cells = printed_cells(number)
    cells = cells[cells["criterion"] == criterion]
    means = {
        "printed": cells.set_index("algorithm")["mean"],
        "ours": _means(ours, criterion),
        "equal tuning": _means(equal, criterion),
    }
    methods = list(printed_tables()[number].algorithms)
    table = pd.DataFrame(means).reindex(methods)
    lower_is_better = CRITERIA[criterion].lower_is_better
    return table.sort_values("printed", ascending=lower_is_better)


def _means(records, criteria):
    return checked_for_means(records).groupby("method")[criteria].mean()


def standings_figure(
    tables: Mapping[int, pd.DataFrame], criterion: str, bold: Sequence[str] = ()
) -> plt.Figure:
    """A panel for each table of :func:`standings`, by its number: a row for each method.

    The names of methods in ``bold`` are bold. A mark stands behind those whose row in the table
    has settings closest to print.
    """
    size = (7.0, 2.5)
    figure, axes = plt.subplots(1, len(tables), figsize=size, squeeze=False)
    for ax, (number, table) in zip(axes.flat, tables.items(), strict=True):
        printed = printed_tables()[number]
        _draw_standings(ax, table, printed.experiment)
        ax.set_title(printed.heading)
        ax.set_xlabel(CRITERIA[criterion].title)
        for method, label in zip(table.index, ax.get_yticklabels(), strict=True):
            label.set_weight("bold" if method in bold else "normal")
    handles, names = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=len(LOOKS))
    return figure


def _draw_standings(ax, table, experiment):
    places = range(len(table))
    for name, look in LOOKS.items():
        ax.plot(table[name], places, linestyle="none", label=name, **look)
    ax.set_yticks(places, marked_names(table.index, experiment).values())
    ax.set_ylim(len(table) - 0.5, -0.5)  # the best printed method on top
    ax.grid(axis="both")


def entry_ranks_figure(standing: pd.DataFrame, entry: str) -> plt.Figure:
    """Mean ranks of methods by table, the rows of an entry in another colour.

    Parameters
    ----------
    standing : DataFrame
        Columns table, method and rank, see :class:`~mimlstudy.report.bench.Bench`; maybe no rows.
    entry : str, module:Name.
    """
    tables = dict(list(standing.groupby("table", sort=False)))
    n_rows = max((len(table) for table in tables.values()), default=0)
    size = (6, 0.28 * n_rows + 1.05)
    # Without a row there is still a figure to show, which is empty.
    n_panels = max(len(tables), 1)
    figure, axes = plt.subplots(1, n_panels, figsize=size, squeeze=False)
    for ax, (number, table) in zip(axes.flat, tables.items(), strict=False):
        in_order = table.sort_values("rank")
        places = range(len(in_order))
        is_entry = in_order["method"].isin([entry, f"{entry}, tuned"])
        colors = is_entry.map({True: VERMILION, False: INK})
        ax.scatter(in_order["rank"], places, c=colors, s=24)
        ax.set_yticks(places, in_order["method"])
        ax.set_ylim(len(places), -1)  # the best on top
        ax.set(title=f"Table {number}", xlabel="mean rank (1 is best)")
        ax.grid(axis="both")
    dot: dict[str, Any] = dict(linestyle="none", marker="o", markersize=5)
    handles = [
        plt.Line2D([], [], color=VERMILION, label="the entry", **dot),
        plt.Line2D([], [], color=INK, label="methods of the study", **dot),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=2)
    return figure


def best_by_criterion(records: pd.DataFrame) -> pd.Series:
    """The method with the best mean on each criterion, by the criterion's name."""
    means = _means(records, [*CRITERIA])
    losses = means.apply(lambda column: as_loss(column, column.name))
    return losses.idxmin()
