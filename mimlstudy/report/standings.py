"""Where methods stand in a table: as printed, with our settings, and with equal tuning."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import pandas as pd

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.selection import unmixed
from mimlstudy.paper.published import TABLES, published_cells
from mimlstudy.report.figures import BLUE, INK, VERMILION

LOOKS = {
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
    cells = published_cells(number).query("criterion == @criterion")
    printed = cells.set_index("algorithm")["mean"]
    means = {"printed": printed}
    for name, records in (("ours", ours), ("equal tuning", equal)):
        means[name] = unmixed(records).groupby("method")[criterion].mean()
    table = pd.DataFrame(means).reindex(list(TABLES[number].algorithms))
    return table.sort_values("printed", ascending=CRITERIA[criterion].lower_is_better)


def standings_figure(
    tables: Mapping[str, pd.DataFrame], criterion: str, bold: Sequence[str] = ()
) -> plt.Figure:
    """A panel for each table of :func:`standings`, by its title: a row for each method.

    The names of methods in ``bold`` are bold.
    """
    figure, axes = plt.subplots(1, len(tables), figsize=(7.0, 2.5), squeeze=False)
    for ax, (title, table) in zip(axes.flat, tables.items(), strict=True):
        places = range(len(table))
        for name, look in LOOKS.items():
            ax.plot(table[name], places, linestyle="none", label=name, **look)
        ax.set_yticks(places, table.index)
        ax.set(title=title, xlabel=CRITERIA[criterion].title, ylim=(len(table) - 0.5, -0.5))
        ax.grid(axis="both")
        for label in ax.get_yticklabels():
            label.set_weight("bold" if label.get_text() in bold else "normal")
    handles, names = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=len(LOOKS))
    return figure


def entry_ranks_figure(standing: pd.DataFrame, entry: str) -> plt.Figure:
    """Mean ranks of methods by table, the rows of an entry in another colour.

    Parameters
    ----------
    standing : DataFrame
        Columns table, method and rank, see :class:`~mimlstudy.report.bench.Bench`; maybe no rows.
    entry : str, what the names of the entry's rows begin with.
    """
    tables = dict(list(standing.groupby("table", sort=False)))
    n_rows = max((len(table) for table in tables.values()), default=0)
    figure, axes = plt.subplots(
        1, len(tables) or 1, figsize=(6, 0.28 * n_rows + 0.8), squeeze=False
    )
    for ax, (number, table) in zip(axes.flat, tables.items(), strict=False):
        in_order = table.sort_values("rank")
        places = range(len(in_order))
        colors = [VERMILION if name.startswith(entry) else INK for name in in_order["method"]]
        ax.scatter(in_order["rank"], places, c=colors, s=24)
        ax.set_yticks(places, in_order["method"])
        ax.set(title=f"Table {number}", xlabel="mean rank (1 is best)", ylim=(len(places), -1))
        ax.grid(axis="both")
    return figure


def best_by_criterion(records: pd.DataFrame) -> pd.Series:
    """The method with the best mean on each criterion, by the criterion's name."""
    means = unmixed(records).groupby("method")[[*CRITERIA]].mean()
    losses = means.copy()
    for name, criterion in CRITERIA.items():
        if not criterion.lower_is_better:
            losses[name] = 1 - means[name]
    return losses.idxmin()
