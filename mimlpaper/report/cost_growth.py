"""How costs grow with the number of bags, of instances and of labels: exponents and curves."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator
from scipy.stats import linregress, t

from mimlpaper.experiments.cost_cases import BASE, ONE_LABEL, drawn_sizes
from mimlpaper.report.costs import LEAST_MEGABYTES, measured_on
from mimlpaper.report.rendering import Entry, ReportTable, text_entry
from mimlpaper.report.style import look_of

__all__ = ["COMPLEXITY", "exponents", "exponents_table", "growth", "plot_growth", "sized"]

PER_WHAT = {"bags": "bags", "instances": "instances of a bag", "labels": "labels"}

# Operations of one fit, for m bags of n instances with d features, L labels, a kernel factor of
# rank r, T rounds, M sub-concepts, s steps of an iterative solver, and k medoids, a share of m.
# Methods on vectors have the instances end to end: n d features.
COMPLEXITY = {
    "MimlBoost": "m n r (d + r) + T s m n L (r + L)",
    "MimlSvm": "(m n)² d + m² k + L m² to L m³",
    "MimlSvm_mi": "m n r (d + r) + L s (m n r² + r³)",
    "MimlNn": "(m n)² d + m k²",
    "D-MimlSvm": "m n r (d + r) + s m n r L",
    "InsDif": "m² n d + m k²",
    "AdtBoost.MH": "m n d (log m + T² L)",
    "RankSvm": "m² n d + s m² L",
    "MlSvm": "m² n d + L m² to L m³",
    "Ml-knn": "m² (n d + log m) + m L",
    "SubCod": "s m n M d + (m n)² d + M m² to M m³",
    "Diverse Density": "s m n² d",
    "Em-dd": "s m n² d",
    "mi-Svm": "m n r (d + r) + s (m n r² + r³)",
    "Mi-Svm": "m n r (d + r) + s (m n r² + r³)",
    "Ch-Fd": "m n r (d + r) + s m n r + r³",
}


def sized(costs: pd.DataFrame) -> pd.DataFrame:
    """Costs of drawn bags, with their sizes as columns bags, instances and labels."""
    rows = costs[costs["study"] == "sizes"]
    sizes = pd.DataFrame(
        [drawn_sizes(name) for name in rows["dataset"]], rows.index, list(BASE), dtype=int
    )
    return rows.join(sizes)


def growth(costs: pd.DataFrame, method: str, size: str, value: str = "fit_seconds") -> pd.Series:
    """``value`` by one size, the others constant; without megabytes below one."""
    rows = sized(costs[costs["method"] == method])
    others = [name for name in BASE if name != size]
    if rows.empty:
        return pd.Series(dtype=float)
    varied = max((group for _, group in rows.groupby(others)), key=len)
    values = varied.set_index(size)[value].astype(float).sort_index()
    return values[values >= LEAST_MEGABYTES] if value.endswith("megabytes") else values


def exponents(costs: pd.DataFrame, value: str = "fit_seconds") -> pd.DataFrame:
    """b of value ~ a size^b, for each method and size: least squares between the logarithms.

    Columns method, size, n (points), exponent, low, high (95 % interval; NaN with two points),
    last (exponent between the two largest sizes).
    """
    rows = []
    for method in costs.loc[costs["study"] == "sizes", "method"].unique():
        for size in BASE:
            values = growth(costs, method, size, value)
            if len(values) > 1:
                rows.append({"method": method, "size": size, **_slope(values)})
    columns = ["method", "size", "n", "exponent", "low", "high", "last"]
    return pd.DataFrame(rows, columns=columns)


def _slope(values):
    x, y = np.log(values.index.to_numpy(float)), np.log(values.to_numpy())
    line, free = linregress(x, y), len(x) - 2
    half = t.ppf(0.975, free) * line.stderr if free else np.nan
    return {
        "n": len(x), "exponent": line.slope, "low": line.slope - half, "high": line.slope + half,
        "last": (y[-1] - y[-2]) / (x[-1] - x[-2]),
    }  # fmt: skip


def exponents_table(costs: pd.DataFrame) -> ReportTable:
    """Beside each method's complexity the exponents of its seconds, and of its memory in bags."""
    seconds, memory = exponents(costs), exponents(costs, "fit_megabytes")
    tidy = pd.concat([seconds.assign(of="seconds"), memory.assign(of="megabytes")])
    found = tidy.set_index(["method", "of", "size"])
    heads = [("seconds", size) for size in BASE] + [("megabytes", "bags")]
    rows = {
        method: (
            text_entry(COMPLEXITY.get(method, "–")),
            *(_exponent(found, (method, *head)) for head in heads),
        )
        for method in seconds["method"].unique()
    }
    return ReportTable(
        caption=(
            "Exponents b of cost ~ size^b: over all sizes with a 95 % interval, and below, between "
            f"the two largest. {measured_on(costs)}"
        ),
        corner="method",
        columns=("operations", *(f"{what}, by {size}" for what, size in heads)),
        rows=rows,
        tidy=tidy,
        rule_above=next((name for name in rows if name in ONE_LABEL), None),
    )


def _exponent(found, key):
    if key not in found.index:
        return text_entry("–")
    one = found.loc[key]
    slope, low, high, last = (
        f"{round(one[name], 1) + 0.0:.1f}" for name in ("exponent", "low", "high", "last")
    )
    within = "" if np.isnan(one["low"]) else f" [{low}, {high}]"
    return Entry((slope + within, f"last {last}"), (False, False))


def plot_growth(costs: pd.DataFrame, axes, methods, value: str = "fit_seconds", key: Axes = None):
    """Seconds or megabytes of a fit against each size, on logarithmic axes; a panel a size.

    Parameters
    ----------
    costs : see :func:`~mimlpaper.experiments.costs.measure_costs`.
    axes : one for each of bags, instances and labels, or for the first of them.
    methods : names of those to draw.
    value : {"fit_seconds", "fit_megabytes"}
    key : Axes, an empty one for the names of the methods.
    """
    shown = []
    for axis, size in zip(axes, BASE, strict=False):
        drawn = {method: growth(costs, method, size, value) for method in methods}
        for method, values in drawn.items():
            look = look_of(method)
            axis.loglog(
                values.index, values, color=look.color, marker=look.marker,
                linestyle=look.linestyle, markeredgewidth=0,
            )  # fmt: skip
        shown += [method for method, values in drawn.items() if len(values)]
        ticks = sorted(set().union(*(values.index for values in drawn.values())))
        axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axis.xaxis.set_minor_locator(NullLocator())
        axis.grid(True, axis="both")
        axis.set_xlabel(PER_WHAT[size])
        axis.label_outer()
    unit = "seconds of a fit" if value == "fit_seconds" else "MB added by a fit"
    axes[0].set_ylabel(unit)
    if key is not None:
        _key(key, [method for method in methods if method in shown])


def _key(axis, methods):
    handles = [
        Line2D([], [], **look_of(method)._asdict(), markeredgewidth=0, label=method)
        for method in methods
    ]
    axis.set_axis_off()
    axis.legend(handles=handles, loc="center left", borderpad=0, handlelength=2.6)
