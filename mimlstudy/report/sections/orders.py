"""The order of a table's methods: as printed, with our settings, and with equal tuning."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.legend_handler import HandlerTuple

from mimlstudy.judge.scorecard import scorecard_cells
from mimlstudy.judge.selection import Records
from mimlstudy.judge.statistics import ranks_of_means
from mimlstudy.paper.printed import printed_tables
from mimlstudy.report.figures import LINE, in_order, label_ends, look_of
from mimlstudy.report.marks import marked_names

SETTINGS = ("printed", "ours", "equal tuning")
GREY = "#bbbbbb"
MARKERS = {  # kinds of methods, and the markers of each; see looks.csv
    "MIML learner": ("o",),
    "InsDif, or a MIML learner on its bags": ("s",),
    "compared learner": ("^", "v", "P", "X", "*"),
}


def mean_ranks(number: int, get_records: Records) -> pd.DataFrame:
    """Mean ranks of a table's methods (rows) by each of :data:`SETTINGS` (columns); 1 is best.

    The ranks are among the methods that all three have, by the criteria printed for all of them.
    """
    ours = scorecard_cells(get_records, "closest", [number])
    cells = {
        "printed": ours.assign(mean=ours["printed_mean"]),
        "ours": ours,
        "equal tuning": scorecard_cells(get_records, "equal", [number]),
    }
    means = {}
    for name, table in cells.items():
        table = table.astype({"mean": float})
        means[name] = table.pivot_table("mean", "algorithm", "criterion")
    methods = means["printed"].index
    for table in means.values():
        methods = methods.intersection(table.index)
    # A criterion counts if it is printed for all of these methods.
    printed = means["printed"].loc[methods]
    criteria = printed.dropna(axis="columns").columns
    ranks = {}
    for name, table in means.items():
        of_criteria = ranks_of_means(table.reindex(methods, columns=criteria))
        ranks[name] = of_criteria.mean(axis=1)
    return pd.DataFrame(ranks)


def first_methods(ranks: Mapping[int, pd.DataFrame]) -> pd.DataFrame:
    """The method with the best mean rank: a row for each table, a column for each setting."""
    rows = {}
    for number, table in ranks.items():
        if len(table):
            name = printed_tables()[number].heading
            rows[name] = table.idxmin()
    return pd.DataFrame.from_dict(rows, "index", columns=list(SETTINGS))


def orders_figure(ranks: Mapping[int, pd.DataFrame], coloured: Sequence[str]) -> plt.Figure:
    """Four panels, for up to four tables of :func:`mean_ranks`, by number: a line for each method.

    The methods of ``coloured`` have their colours, and the others are grey. A mark stands behind
    those whose row in the table has settings closest to print.
    """
    figure, axes = plt.subplots(2, 2, figsize=(7, 5.4))
    for ax, (number, table) in zip(axes.flat, ranks.items(), strict=False):
        printed = printed_tables()[number]
        _draw_order(
            ax,
            table.reindex(in_order(table.index)),
            coloured,
            printed.experiment,
        )
        ax.set_title(printed.heading, loc="left")
    handles = [_marks(markers) for markers in MARKERS.values()]
    side_by_side = {tuple: HandlerTuple(ndivide=None, pad=1.2)}
    figure.legend(
        handles,
        [*MARKERS],
        handler_map=side_by_side,
        loc="outside upper center",
        ncols=len(MARKERS),
        handlelength=2.5,
    )
    return figure


def _marks(markers):
    look: dict[str, Any] = dict(color=LINE, linestyle="none", markersize=4.5)
    return tuple(plt.Line2D([], [], marker=marker, **look) for marker in markers)


def _draw_order(ax, ranks, coloured, experiment):
    for method, values in ranks.iterrows():
        look = look_of(method)
        color = look.color if method in coloured else GREY
        ax.plot(
            values.index,
            values,
            marker=look.marker,
            color=color,
            linewidth=1,
            markersize=4.5,
        )
    ax.set_ylim(len(ranks) + 0.4, 0.6)  # the best on top
    ax.set_ylabel("mean rank (1 is best)")
    ax.tick_params(axis="x", length=0)
    last = len(SETTINGS) - 1  # the place across of the last setting
    ends = {method: (last, values.iloc[-1]) for method, values in ranks.iterrows()}
    names = marked_names(ends, experiment)
    label_ends(ax, ends, least=0.07, bold=coloured, names=names)
