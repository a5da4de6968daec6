"""Figures from records: each function draws data on given axes, and nothing else.

Call :func:`~mimlpaper.study.rendering.use_style` once before making figures.
"""

import json
from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import NullLocator
from scikit_posthocs import critical_difference_diagram
from scipy.optimize import isotonic_regression

from mimlpaper.metrics import CRITERIA
from mimlpaper.study.rendering import INK, LINE, VERDICT_LOOKS, Look, in_order, look_of
from mimlpaper.study.statistics import Friedman, curve, growth

FILLS = VERDICT_LOOKS["fill"]
TESTED = ("holds", "partly", "fails")  # verdicts of claims that can be judged
FRAMED = dict(fill=False, linewidth=1.8)  # around the square that is meant


def seven_panels(height: float = 3.4) -> tuple[Figure, list[Axes]]:
    """A figure with the paper's seven panels in rows of four and three; the eighth is empty."""
    figure, axes = plt.subplots(2, 4, figsize=(7, height))
    axes = list(axes.flat)
    axes[-1].set_axis_off()
    return figure, axes[:7]


def plot_parameter_curves(
    records: pd.DataFrame, x: str, axes: list[Axes], *, xlabel: str, published: float | None = None,
    levels: Mapping[str, Mapping[str, float]] | None = None,
):  # fmt: skip
    """Mean ± std over splits against ``x``, one panel for each criterion.

    As in the paper, the last three panels show 1 - criterion: lower is better in all panels. A
    curve of ten values is labelled with the range of its means, in standard deviations at
    ``published``.

    ``records`` has one row for each method, split and value of the column ``x``. ``axes`` are from
    :func:`seven_panels`. ``published`` is the value that the tables have, drawn as a thin line.
    ``levels`` has values of the criteria by name: dashed lines, named in the last panel.
    """
    for panel, (axis, criterion) in enumerate(zip(axes, CRITERIA.values(), strict=True)):
        ends = {}
        for method, rows in records.groupby("method", sort=False):
            mean = _plot_curve(axis, rows, x, criterion, published, solid=bool(levels))
            ends[method] = mean.index[-1], mean.iloc[-1]
        for name, values in (levels or {}).items():
            level = _as_loss(values[criterion.name], criterion)
            axis.axhline(level, color=look_of(name).color, linewidth=1, linestyle=(0, (4, 2)))
            ends[name] = axis.get_xlim()[1], level
        if published is not None:
            axis.axvline(published, color="#999999", linewidth=0.8, linestyle=(0, (2, 2)), zorder=0)
        title = criterion.title if criterion.lower_is_better else f"1 − {criterion.title}"
        axis.set_title(f"({'abcdefg'[panel]}) {title}")
        if panel >= 3:
            axis.set_xlabel(xlabel)
    _label_ends(axis, ends)
    n_splits, n_sets = records["split"].nunique(), records["dataset"].nunique()
    over = f"{n_splits} splits" if n_splits > 1 else f"{n_sets} data sets"
    text = f"band: mean ± std over {over}"
    text += "" if published is None else f"\nthin line: {published:g}, as in the tables"
    look = dict(transform=axis.transAxes, va="top", fontsize=6, color=LINE)
    axis.text(1.08, -0.06, text, **look).set_in_layout(False)


def _plot_curve(axis, rows, x, criterion, published, solid):
    """The curve of one method with its band; its means are returned."""
    points, look = curve(rows, x, criterion.name), look_of(rows["method"].iloc[0])
    mean, few = _as_loss(points["mean"], criterion), len(points) <= 12
    axis.plot(
        mean.index, mean, color=look.color, linestyle="-" if solid else look.linestyle,
        marker=look.marker if few else None,
    )  # fmt: skip
    low, high = mean - points["std"], mean + points["std"]
    axis.fill_between(mean.index, low, high, color=look.color, alpha=0.15, linewidth=0)
    if few:
        axis.set_xticks(mean.index[:: -1 - len(mean) // 6])
    if len(mean) == 10 and published is not None:
        spread = np.ptp(mean) / points["std"][published]
        place = dict(transform=axis.transAxes, ha="right", fontsize=6)
        axis.text(0.98, 0.04, f"range {spread:.1f} std", **place)
    return mean


def _as_loss(values, criterion):
    return values if criterion.lower_is_better else 1 - values


def plot_data_sets(records: pd.DataFrame, axes: list[Axes], key: Axes, *, lit: Sequence[str]):
    """One row for each data set, one mark for each method, one panel for each criterion.

    The data set with the best mean average precision is on top. Methods that are not ``lit`` are
    grey. ``key`` is an empty axis for the names of the others. A value that is far out, by Tukey's
    rule, is an arrow at the edge, so that it does not squeeze the others.
    """
    datasets = records.groupby("dataset")["average_precision"].mean().sort_values().index
    methods = in_order(records["method"].unique())
    offsets = np.linspace(0.3, -0.3, len(methods))
    others = Look("#c4c4c4", ".", "")
    looks = {m: (look_of(m) if m in lit else others)._replace(linestyle="") for m in methods}
    any_beyond = False
    for panel, (axis, criterion) in enumerate(zip(axes, CRITERIA.values(), strict=True)):
        means = records.pivot_table(criterion.name, "dataset", "method").reindex(datasets)
        ends = _without_far_out(means.to_numpy())
        for method, offset in zip(methods, offsets, strict=True):
            heights = np.arange(len(datasets)) + offset
            any_beyond |= _plot_marks(axis, means[method], heights, ends, looks[method])
        axis.set_yticks(range(len(datasets)), [name.split(":")[-1] for name in datasets])
        axis.set_yticks(np.arange(1, len(datasets)) - 0.5, minor=True)
        axis.tick_params(axis="y", which="both", length=0, labelleft=panel % 4 == 0)
        axis.grid(False)
        axis.grid(True, axis="y", which="minor")
        axis.set_ylim(-0.5, len(datasets) - 0.5)
        axis.set_title(f"({'abcdefg'[panel]}) {criterion.title} {criterion.arrow}")
    named = {method: look for method, look in looks.items() if method in lit}
    named |= {f"the other {len(methods) - len(named)}": others} if len(named) < len(methods) else {}
    named |= {"beyond the edge": others._replace(marker=">")} if any_beyond else {}
    handles = [Line2D([], [], **look._asdict(), label=name) for name, look in named.items()]
    key.set_axis_off()
    key.legend(handles=handles, loc="center left", borderpad=0, handletextpad=0.2)


def _plot_marks(axis, values, heights, ends, look):
    """One mark for each value; whether any is beyond the ends, where it is an arrow."""
    low, high = ends
    beyond = {"<": values < low, ">": values > high}
    for marker, chosen in ((look.marker, values.between(low, high)), *beyond.items()):
        marks = look._replace(marker=marker)._asdict()
        if chosen.any():
            places = values[chosen].clip(low, high), heights[chosen]
            axis.plot(*places, **marks, markersize=4.2, markeredgewidth=0)
    return any(chosen.any() for chosen in beyond.values())


def _without_far_out(values):
    """Least and largest value, but for those over three interquartile ranges from the quartiles."""
    first, third = np.nanquantile(values, [0.25, 0.75])
    reach = 3 * (third - first)
    near = values[(values >= first - reach) & (values <= third + reach)]
    return near.min(), near.max()


def plot_critical_difference(tested: Friedman, axis: Axes, *, title: str):
    """Mean ranks on a line, after Demšar; a bar joins methods that Nemenyi cannot tell apart."""
    drawn = critical_difference_diagram(
        tested.ranks, tested.nemenyi, ax=axis, label_fmt_left="{label}  {rank:.1f} ",
        label_fmt_right=" {rank:.1f}  {label}",
        color_palette={name: _dark(look_of(name).color) for name in tested.ranks.index},
        text_h_margin=0.015 * np.ptp(tested.ranks),
    )  # fmt: skip
    for (bar,) in drawn["crossbars"]:  # from a set, whose order changes from run to run
        bar.set_xdata(np.sort(bar.get_xdata()))
    axis.set_title(f"{title}: mean ranks, 1 is best; Friedman p = {tested.p:.2g}", loc="left")


def plot_orders(ranks: pd.DataFrame, ax: Axes, *, coloured: Sequence[str] = ()):
    """Mean ranks of methods, 1 is best: a line for each, from setting to setting.

    ``ranks`` has a column method and one for each setting; a row is a method, or one of its runs.
    A bar is the middle 95 % of the runs, which share data; it is no test. If some methods are
    ``coloured``, the others are grey.
    """
    methods = in_order(ranks["method"].unique())
    looks = [look_of(method) for method in methods]
    shown = coloured or methods
    if methods:
        sns.pointplot(
            ranks.melt("method", var_name="setting", value_name="rank"), x="setting", y="rank",
            hue="method", hue_order=methods, markers=[look.marker for look in looks],
            linestyles="-" if coloured else [look.linestyle for look in looks],
            palette={m: look_of(m).color if m in shown else "#bbbbbb" for m in methods},
            errorbar=("pi", 95), err_kws=dict(linewidth=1.5, alpha=0.3), linewidth=1,
            markersize=4.5, markeredgewidth=0, dodge=0.0 if coloured else 0.3, legend=False, ax=ax,
        )  # fmt: skip
        ax.set(ylim=(len(methods) + 0.4, 0.6), xlabel="", ylabel="mean rank (1 is best)")
        ax.tick_params(axis="x", length=0)
        lines = [np.asarray(line.get_xydata()) for line in ax.lines if line.get_marker() != "None"]
        ends = [places[np.isfinite(places[:, 1])][-1] for places in lines]
        named = dict(zip(methods, ends, strict=True))
        _label_ends(ax, named, least=0.07, in_layout=True, bold=coloured or None)


# Of D-MimlSvm, in the order of their colours.
CONFIGURATIONS = {
    "{}": "as configured", '{"dmimlsvm__lam": 0.3}': "larger λ",
    '{"dmimlsvm__imbalance": false}': "no imbalance weights",
    '{"dmimlsvm__mu": 1.0, "dmimlsvm__relatedness": "pairwise"}': "relatedness by pairs",
}  # fmt: skip


def plot_objectives(traces: pd.DataFrame, axes: dict[str, Axes]):
    """Each fit's objective after each step, in percent above its end; a panel for each data set.

    ``traces`` has columns dataset, method, parameters, split, stage, objective.
    """
    for dataset, axis in axes.items():
        mine = traces[traces["dataset"] == dataset].sort_values("stage")
        for number, (parameters, name) in enumerate(CONFIGURATIONS.items()):
            for _, fit in mine[mine["parameters"] == parameters].groupby("split"):
                excess = 100 * (fit["objective"] / fit["objective"].iloc[-1] - 1)
                look = dict(color=f"C{number}", marker="osD^"[number], alpha=0.6)
                axis.plot(fit["stage"], excess, **look, markersize=3, linewidth=1, label=name)
        title = dataset.replace(":", ", ").replace("%", " % multi-label")
        steps = range(1, int(mine["stage"].max()) + 1)
        axis.set(title=title, xlabel="convex problems solved", xticks=steps)
        axis.set_ylim(bottom=0)
    next(iter(axes.values())).set_ylabel("objective above its end (%)")
    handles = dict(zip(*reversed(axis.get_legend_handles_labels()), strict=True))
    axis.legend(handles.values(), handles, loc="upper right")


def plot_relatedness(pairs: pd.DataFrame, value: str, axis: Axes, *, title: str = ""):
    """Half a matrix over the labels: a coloured square with its number for each pair, and a scale.

    Blue is positive, red is negative. ``pairs`` has columns first, second and ``value``, one row
    for each pair of labels.
    """
    names = list(dict.fromkeys([*pairs["first"], *pairs["second"]]))
    matrix = pairs.pivot(index="first", columns="second", values=value)
    matrix = matrix.reindex(index=names, columns=names)
    shown = np.tril(matrix.fillna(matrix.T), -1)[1:, :-1]
    shown[np.triu_indices_from(shown, 1)] = np.nan
    bound, signed = np.nanmax(np.abs(shown)) or 1.0, np.nanmin(shown) < 0
    scale = dict(cmap="RdBu", vmin=-bound) if signed else dict(cmap="Blues", vmin=0)
    image = axis.imshow(shown, **scale, vmax=bound)
    for i, j in zip(*np.nonzero(np.isfinite(shown)), strict=True):
        ink = "white" if abs(shown[i, j]) > 0.7 * bound else INK
        axis.text(j, i, f"{shown[i, j]:.2f}", ha="center", va="center", color=ink, fontsize=6)
    axis.figure.colorbar(image, ax=axis, shrink=0.7, aspect=12).outline.set_visible(False)
    _name_squares(axis, names[:-1], names[1:])
    axis.spines[:].set_visible(False)
    axis.set_title(title)


def plot_win_tie_loss(counts: pd.DataFrame, axis: Axes, a: str, b: str):
    """Stacked shares of cases where ``a``, neither or ``b`` is better, for each stage of ``b``.

    ``counts`` is from :func:`~mimlpaper.study.statistics.win_tie_loss_by_stage`.
    """
    stacks = {
        "better": (f"{a} better", FILLS["differs_better"]),
        "neither": ("neither", FILLS["missing"]),
        "worse": (f"{b} better", FILLS["differs_worse"]),
    }
    shares = 100 * counts[[*stacks]].div(counts[[*stacks]].sum(axis=1), axis=0)
    places, bottom = range(len(counts)), np.zeros(len(counts))
    for word, (label, fill) in stacks.items():
        bars = axis.bar(places, shares[word], bottom=bottom, color=fill, width=0.9, label=label)
        texts = [f"{share:.0f}" if share >= 8 else "" for share in shares[word]]
        axis.bar_label(bars, texts, label_type="center", color=INK, fontsize=6)
        bottom = bottom + shares[word]
    axis.set_xticks(places, counts["stage"])
    axis.set(xlabel=f"alternations of {b}", ylabel="cases (%)")
    axis.grid(False)


SHADES = ("#b8d4ea", "#6aaed6", "#2878b5", "#08306b")  # few sub-concepts to many


def plot_m_and_theta(records: pd.DataFrame, axes: list[Axes]):
    """Mean accuracy against θ, one line for each M, one panel for each data set.

    ``records`` are of the experiment "sweep_subcod". Axes beyond the data sets are switched off.
    """
    settings = pd.DataFrame(map(json.loads, records["parameters"]))
    groups = records.reset_index(drop=True).join(settings).groupby("dataset", sort=False)
    for ax in axes[groups.ngroups :]:
        ax.set_axis_off()
    for ax, (dataset, rows) in zip(axes, groups, strict=False):
        means = rows.pivot_table("accuracy", "subcod__kept_share", "subcod__n_concepts")
        for (n_concepts, accuracy), shade in zip(means.items(), SHADES, strict=False):
            ax.plot(100 * accuracy.index, accuracy, "o-", color=shade, label=f"M = {n_concepts}")
        ax.axvspan(10, 70, color="#f2f2f2", zorder=0, linewidth=0)
        place = dict(transform=ax.get_xaxis_transform(), ha="center")
        ax.text(40, 0.03, "the paper's range", **place, color=LINE, fontsize=7)
        ax.set(title=dataset, xlabel="θ, in % of mM")
    axes[0].set_ylabel("accuracy")
    axes[0].legend(loc="center left")


PER_WHAT = {"bags": "bags", "instances": "instances of a bag", "labels": "labels"}


def plot_growth(costs: pd.DataFrame, axes, methods, value: str = "fit_seconds"):
    """Seconds or megabytes of a fit against each size, on logarithmic axes; a panel a size.

    ``costs`` are from :func:`~mimlpaper.study.costs.measure_costs`. ``axes`` are for bags,
    instances and labels, or for the first one or two; the lines of the last axis are named.
    ``value`` is "fit_seconds" or "fit_megabytes".
    """
    for axis, size in zip(axes, PER_WHAT, strict=False):
        drawn = {m: values for m in methods if len(values := growth(costs, m, size, value))}
        for method, values in drawn.items():
            axis.loglog(values.index, values, **look_of(method)._asdict(), markeredgewidth=0)
        ticks = sorted(set().union(*(values.index for values in drawn.values())))
        axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axis.xaxis.set_minor_locator(NullLocator())
        axis.grid(True, axis="both")
        axis.set_xlabel(PER_WHAT[size])
        axis.label_outer()
    axes[0].set_ylabel("seconds of a fit" if value == "fit_seconds" else "MB added by a fit")
    if drawn:
        ends = {method: (values.index[-1], values.iloc[-1]) for method, values in drawn.items()}
        _label_ends(axis, ends, least=0.085, in_layout=True)


def plot_claim_shares(shares: pd.DataFrame, axis: Axes):
    """For each claim the shares of universes by verdict; the published one's is named at the end.

    ``shares`` is what :func:`~mimlpaper.study.universes.summary` gives.
    """
    left = np.zeros(len(shares))
    for word in TESTED:
        look = dict(color=FILLS[word], label=word, height=0.8)
        axis.barh(shares["claim"], shares[word], left=left, **look)
        left += shares[word].to_numpy()
    for place, word in enumerate(shares["published"]):
        axis.text(1.01, place, word, va="center", fontsize=5, color=INK)
    axis.invert_yaxis()
    axis.margins(y=0.01)
    axis.set(xlim=(0, 1), xlabel="share of universes")
    axis.tick_params(axis="y", labelsize=5)
    axis.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)


def plot_specifications(universes: pd.DataFrame, claims: Sequence[str], axes: np.ndarray):
    """Specification curves: effects in order, and next to them ticks where a change is made.

    ``universes`` are those of :func:`~mimlpaper.study.universes.universes_of`; ``axes`` has a row
    of two for each claim. The changes shown are those with and without which the mean effects
    differ most.
    """
    for claim, (left, right) in zip(claims, axes, strict=True):
        drawn = universes[(universes["claim"] == claim) & universes["drawn"]]
        own = drawn.sort_values("effect", ignore_index=True)
        left.scatter(own.index, own["effect"], c=FILLS[own["verdict"]], s=5)
        left.axhline(0, color=INK, lw=0.5)
        left.set_title(f"{claim}: {own['measure'].iloc[0]}", loc="left", fontsize=7)
        left.set(xticks=[])
        _tick_changes(right, own)
    for axis in axes[-1]:
        axis.set_xlabel("universes, by rising effect")
    handles = [Patch(color=FILLS[word], label=word) for word in TESTED]
    axes[0, 0].figure.legend(handles=handles, loc="outside upper center", ncols=3)


def _tick_changes(axis, own, n_rows=8):
    """A tick for each universe that makes a change, a row a change, the telling ones first."""
    apart, places = {}, own["changes"].explode().dropna()
    for change, made in places.groupby(places):
        others = own["effect"].drop(made.index)
        apart[change] = abs(own["effect"][made.index].mean() - others.mean())
    shown = pd.Series(apart, dtype=float).nlargest(n_rows).index
    for place, change in enumerate(shown):
        ticks = places.index[places == change]
        axis.plot(ticks, [place] * len(ticks), "|", ms=3, color=INK)
    axis.set(yticks=range(len(shown)), yticklabels=shown, xticks=[], ylim=(n_rows, -1))
    axis.tick_params(axis="y", labelsize=6)


def _name_squares(axis, columns, rows):
    """Names of the columns and rows of a picture of squares, without ticks and grid."""
    axis.set_xticks(range(len(columns)), columns, rotation=40, ha="right", rotation_mode="anchor")
    axis.set_yticks(range(len(rows)), rows)
    axis.tick_params(which="both", length=0)
    axis.grid(False)


def _label_ends(axis, ends, *, least=0.12, in_layout=False, bold=None):
    """Names to the right of the curves' ends (x, y), at least ``least`` of the axis apart.

    If some are ``bold``, the others are grey.
    """
    axis.autoscale_view()
    to_share = axis.transScale + axis.transLimits
    places = {method: to_share.transform(end) for method, end in ends.items()}
    methods = sorted(places, key=lambda method: places[method][1])
    apart = least * np.arange(len(methods))
    heights = isotonic_regression([places[method][1] for method in methods] - apart).x + apart
    for method, height in zip(methods, heights, strict=True):
        color = look_of(method).color if bold is None or method in bold else LINE
        line = dict(arrowstyle="-", color=color, linewidth=0.5, shrinkA=1, shrinkB=2)
        label = axis.annotate(
            method, places[method], (1.07, height), "axes fraction", "axes fraction",
            va="center", color=_dark(color), annotation_clip=False, arrowprops=line,
            weight="bold" if bold and method in bold else "normal",
        )  # fmt: skip
        label.set_in_layout(in_layout)  # of seven panels it stands in the empty eighth


def _dark(color):
    """The colour, dark enough for text."""
    return 0.7 * np.array(to_rgba(color)[:3])
