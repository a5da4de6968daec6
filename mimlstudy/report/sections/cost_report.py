"""What fits cost: seconds and megabytes by data set, their growth, and other implementations.

``costs`` are records of the experiment "costs". Rows on drawn bags of which none is tested belong
to the growth; see :mod:`mimlstudy.paper.costs`.
"""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.ticker import NullLocator

from mimlpaper.datasets.fetch import DRAWN, drawn_sizes
from mimlstudy.engine.records import KEY
from mimlstudy.judge.selection import checked_for_means
from mimlstudy.paper.costs import N_PEER_TEST, PEERS, SIZES, TABLE_OF_SET
from mimlstudy.paper.variants import varied_method
from mimlstudy.report.figures import label_ends, look_of
from mimlstudy.report.tables import Entry, ReportTable, frame_grid

MEASURED = ("fit_seconds", "fit_megabytes", "predict_seconds", "predict_megabytes")
LEAST_MEGABYTES = 1.0  # less is within rounding
POWERS = {  # columns of the table of growth: what grows, and with which size
    "seconds, bags": ("fit_seconds", "bags"),
    "seconds, instances": ("fit_seconds", "instances"),
    "seconds, labels": ("fit_seconds", "labels"),
    "memory, bags": ("fit_megabytes", "bags"),
    "memory, instances": ("fit_megabytes", "instances"),
}


def amount(value: float, unit: str) -> str:
    """A text such as ``0.031 s``, ``12.3 s`` or ``45 MB``; a dash for nothing."""
    if np.isnan(value):
        return "–"
    if unit == "MB":
        return f"{value:.0f} MB" if value >= LEAST_MEGABYTES else "< 1 MB"
    # Three digits or so, whatever the size.
    if value < 0.1:
        return f"{value:.3f} s"
    return f"{value:.2f} s" if value < 10 else f"{value:.1f} s"


def measured_on(costs: pd.DataFrame) -> str:
    """The sentence that names the machines."""
    machines = " and ".join(sorted(set(costs["machine"])))
    return f"Measured on {machines or 'no machine yet'}."


def longest_fits(tables: Mapping[str, pd.DataFrame]) -> pd.Series:
    """Mean seconds of a fit by (table, data set, method), the longest first.

    ``tables`` are finished fits by the name of their table.
    """
    means = {}
    for name, fits in tables.items():
        groups = checked_for_means(fits).groupby(["dataset", "method"])
        means[name] = groups["fit_seconds"].mean()
    all_means = pd.concat(means)
    return all_means.sort_values(ascending=False)


def hours_by_method(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Core hours and trials by (experiment, method), the most first.

    ``tables`` are records by the title of their experiment; a trial may have several rows.
    """
    of_methods = {}
    for title, rows in tables.items():
        seconds = rows.drop_duplicates(KEY).groupby("method")["seconds"]
        of_methods[title] = pd.DataFrame({"hours": seconds.sum() / 3600, "trials": seconds.size()})
    table = pd.concat(of_methods, names=["experiment", "method"])
    return table.sort_values("hours", ascending=False)


def hours_table(of_methods: pd.DataFrame) -> ReportTable:
    """What each experiment takes, and the method of it that takes most."""
    rows = {}
    for title, methods in of_methods.groupby(level="experiment", sort=False):
        largest = methods["hours"].droplevel("experiment")
        rows[title] = {
            "trials": methods["trials"].sum(),
            "hours": methods["hours"].sum(),
            "longest method": f"{largest.idxmax()} ({largest.max():.2f})",
        }
    tidy = pd.DataFrame.from_dict(rows, orient="index").rename_axis("experiment")
    tidy = tidy.sort_values("hours", ascending=False)
    shown = tidy.assign(hours=tidy["hours"].map("{:.2f}".format))
    caption = "Core hours of all recorded trials, by experiment, and the method that takes most."
    return frame_grid(
        shown.astype(str),
        tidy.reset_index(),
        caption,
        corner="experiment",
    )


def costs_table(costs: pd.DataFrame, title: str, tables: Mapping[str, pd.DataFrame]) -> ReportTable:
    """Seconds in the trials; below, seconds and megabytes of one fit alone, by method and set.

    Parameters
    ----------
    costs : DataFrame
    title : str
    tables : mapping from a table's experiment to its finished fits.
    """
    tidy = _seconds_and_memory(costs, tables)
    shown: dict[str, dict[str, Entry]] = {}
    for (dataset, method), row in tidy.iterrows():
        for part, head in (("fit", "fit"), ("predict", "scores")):
            lines = (
                amount(row[f"trials_{part}_seconds"], "s"),
                amount(row[f"{part}_seconds"], "s"),
                amount(row[f"{part}_megabytes"], "MB"),
            )
            column = shown.setdefault(f"{dataset}, {head}", {})
            column[method] = Entry(lines)
    caption = (
        f"{title}: mean processor seconds in the trials; below, the seconds of one fit alone and "
        f"the megabytes that it adds to memory. {measured_on(costs)}"
    )
    return frame_grid(
        pd.DataFrame(shown),
        tidy.reset_index(),
        caption,
        corner="method",
    )


def _seconds_and_memory(costs, tables):
    """By data set and method: costs of one fit alone, and mean seconds in the trials."""
    keys = ["dataset", "method"]
    sets = [name for name, table in TABLE_OF_SET.items() if table in tables]
    on_sets = costs[costs["dataset"].isin(sets)].set_index(keys)
    alone = on_sets[[*MEASURED]].astype(float)
    fits = checked_for_means(pd.concat(tables.values()))
    in_trials = fits.groupby(keys)[["fit_seconds", "predict_seconds"]].mean()
    return alone.join(in_trials.add_prefix("trials_"))


def growth(costs: pd.DataFrame, method: str, value: str, size: str) -> pd.Series:
    """Seconds or megabytes of a method's fits by one size, while the others stay the same.

    Parameters
    ----------
    costs : DataFrame
    method : str
    value : "fit_seconds" or "fit_megabytes"; less than a megabyte is left out.
    size : "bags", "instances" (of a bag) or "labels".
    """
    # Drawn bags with a test are for the comparison with other implementations.
    is_drawn = costs["dataset"].str.startswith(DRAWN) & (costs["n_test"] == 0)
    rows = costs[is_drawn & (costs["method"] == method)]
    if rows.empty:
        return pd.Series(dtype=float)
    sizes = rows[["n_train", "n_instances", "n_labels"]].set_axis([*SIZES], axis=1)
    measured = sizes.assign(value=rows[value].astype(float))
    other_sizes = [name for name in SIZES if name != size]
    groups = [group for _, group in measured.groupby(other_sizes)]
    # Of the groups only one varies this size.
    varied = max(groups, key=len)
    values = varied.set_index(size)["value"].sort_index()
    if value == "fit_megabytes":
        values = values[values >= LEAST_MEGABYTES]
    return values


def power(curve: pd.Series) -> float:
    """The power of the size with which a curve grows over its last two sizes; nan for fewer."""
    if len(curve) < 2:
        return np.nan
    # Small sizes have costs that do not grow, and would flatten a line through all.
    values = np.log(curve.to_numpy()[-2:])
    sizes = np.log(curve.index.to_numpy()[-2:])
    return float((values[1] - values[0]) / (sizes[1] - sizes[0]))


def powers(costs: pd.DataFrame, methods: Sequence[str]) -> pd.DataFrame:
    """The powers with which seconds and memory grow: a row a method, columns :data:`POWERS`."""
    rows = {}
    for method in methods:
        of_method = {}
        for head, (value, size) in POWERS.items():
            of_method[head] = power(growth(costs, method, value, size))
        rows[method] = of_method
    return pd.DataFrame.from_dict(rows, orient="index")


def powers_table(table: pd.DataFrame) -> ReportTable:
    """The table of :func:`powers`."""
    shown = table.map("{:.1f}".format, na_action="ignore")
    caption = (
        "The exponents with which seconds and memory of a fit grow with the number of bags, "
        "of instances in a bag, or of labels, over the two largest sizes. 1 means in proportion, 2 "
        "with the square; a dash means too little to measure."
    )
    tidy = table.rename_axis("method").reset_index()
    return frame_grid(shown, tidy, caption, corner="method")


def growth_figure(costs: pd.DataFrame, families: Mapping[str, Sequence[str]]) -> plt.Figure:
    """A panel for each family of methods: seconds of a fit by the number of bags, both logged."""
    figure, axes = plt.subplots(
        len(families),
        1,
        figsize=(5.6, 0.6 + 2.2 * len(families)),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    ends = []
    for ax, (family, methods) in zip(axes.flat, families.items(), strict=True):
        ends.append(_draw_growth(ax, costs, methods))
        ax.set_title(family, loc="left")
    axes[-1, 0].set_xlabel("bags")
    # Places of names depend on the limits, which all panels share: known now.
    for ax, of_panel in zip(axes.flat, ends, strict=True):
        if of_panel:
            label_ends(ax, of_panel, least=0.09)
    return figure


def _draw_growth(ax, costs, methods):
    """A curve for each method that has any costs; the ends of the curves by method."""
    ends = {}
    for method in methods:
        curve = growth(costs, method, "fit_seconds", "bags")
        if len(curve):
            look = look_of(method)._asdict()
            ax.loglog(curve.index, curve, markeredgewidth=0, **look)
            ends[method] = curve.index[-1], curve.iloc[-1]
    ticks = SIZES["bags"]
    ax.set_xticks(ticks, [f"{size:,}" for size in ticks])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_ylabel("seconds of a fit")
    ax.grid(True, axis="both")
    return ends


def peers_table(costs: pd.DataFrame) -> ReportTable:
    """The same method by several implementations, ours first: seconds, memory, precision."""
    keys = ["dataset", "method"]
    pairs = [(name, method) for name, methods in PEERS.items() for method in methods]
    rows = pd.MultiIndex.from_tuples(pairs, names=keys)
    numbers = ["fit_seconds", "fit_megabytes", "average_precision"]
    measured = costs.set_index(keys)[numbers].astype(float)
    tidy = measured.reindex(rows).reset_index()
    seconds = tidy.set_index("method")["fit_seconds"]
    seconds_of_ours = tidy["method"].map(varied_method).map(seconds)
    after_seconds = tidy.columns.get_loc("fit_seconds") + 1
    tidy.insert(after_seconds, "ratio", tidy["fit_seconds"] / seconds_of_ours)
    precision = tidy["average_precision"]
    texts = {
        "data": tidy["dataset"].map(_peer_data),
        "fit": [amount(value, "s") for value in tidy["fit_seconds"]],
        "times ours": tidy["ratio"].map(_ratio_text),
        "memory": [amount(value, "MB") for value in tidy["fit_megabytes"]],
        "average precision": precision.map("{:.3f}".format, na_action="ignore"),
    }
    shown = pd.DataFrame(texts)
    shown.index = pd.Index(tidy["method"])
    caption = f"One fit by several implementations, on the same bags. {measured_on(costs)}"
    return frame_grid(shown, tidy, caption, corner="method, implementation")


def _peer_data(name):
    n_bags, n_instances, n_labels = drawn_sizes(name)
    return f"{n_bags - N_PEER_TEST} bags of {n_instances}, {n_labels} labels"


def _ratio_text(ratio):
    if pd.isna(ratio):
        return None
    return f"{ratio:.2g}" if ratio < 10 else f"{ratio:.0f}"
