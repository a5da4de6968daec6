"""Figures that several notebooks show, and the look of all: call :func:`use_style` once before."""

import io
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import PIL.Image
import seaborn as sns
from matplotlib.colors import to_rgba
from scikit_posthocs import critical_difference_diagram
from scipy.optimize import isotonic_regression
from seaborn.utils import relative_luminance

from mimlpaper.metrics import CRITERIA
from mimlpaper.paths import write_whole
from mimlpaper.plots import INK, RIGHT, WRONG  # noqa: F401, the sections take all colours here
from mimlstudy.judge.selection import checked_for_means
from mimlstudy.judge.statistics import Ranks
from mimlstudy.paper.variants import varied_method

STYLE_SHEET = Path(__file__).with_name("paper.mplstyle")
LINE = "#777777"  # of arrows and frames
VERMILION, BLUE, GREEN = "#D55E00", "#0072B2", "#009E73"  # of Okabe and Ito, as in looks.csv
DARK = 0.25  # relative luminance, of 0 to 1, below which a colour is dark
MOST_MARKERS = 12  # values of a parameter that are marked on a curve
# Rings and printed bars have no line, and stand above the curves.
RING: dict[str, Any] = dict(
    marker="o", markersize=7, markerfacecolor="none", linestyle="none", zorder=5
)
PRINTED_BAR: dict[str, Any] = dict(
    color=INK, marker="_", markersize=11, markeredgewidth=1.8, linestyle="none", zorder=6
)


class Look(NamedTuple):
    """Colour, marker and line of a method, as matplotlib takes them."""

    color: str
    marker: str
    linestyle: str = "-"


UNKNOWN_LOOK = Look("#888888", ".", ":")


@cache
def looks_of_methods() -> dict[str, Look]:
    """The look of each method, in the order of legends.

    The colour stands for the MIML learner, the marker for the way to it: a circle for MIML data, a
    square for InsDif, a diamond for SubCod. Compared methods have dashed lines.
    """
    rows = pd.read_csv(STYLE_SHEET.with_name("looks.csv"))
    return {method: Look(*look) for method, *look in rows.itertuples(index=False)}


def look_of(method: str) -> Look:
    """The look of a method; of a variant, such as "MlSvm, mean", that of the method itself."""
    return looks_of_methods().get(varied_method(method), UNKNOWN_LOOK)


def in_order(methods) -> list[str]:
    """Methods in the order of :func:`looks_of_methods`, others last."""
    places = {method: place for place, method in enumerate(looks_of_methods())}
    # Equal places of others: sorted keeps their order.
    return sorted(methods, key=lambda method: places.get(method, len(places)))


def use_style():
    """Make the style sheet the default of all figures that follow."""
    plt.switch_backend(plt.get_backend())  # else the first figure does, and ends plt.ioff()
    plt.rcdefaults()  # a reader's own matplotlibrc changes no figure
    plt.style.use(STYLE_SHEET)
    warnings.filterwarnings("ignore", "The figure layout has changed to tight")  # by seaborn


def save_figure(
    figure: plt.Figure, folder, name: str, about: Mapping[str, str] | None = None
) -> list[Path]:
    """Write ``name``.png (200 dpi) and .svg into ``folder``; the same figure gives equal bytes.

    ``about`` holds a "Title" and a "Description", which both files carry.
    """
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # each resolution would shift the layout a little
    paths = []
    for kind, changing in (("png", "Software"), ("svg", "Date")):
        # Versions and dates would change the bytes of an equal figure.
        metadata = {changing: None, **(about or {})}
        content = io.BytesIO()
        with plt.style.context(STYLE_SHEET):
            figure.savefig(content, format=kind, metadata=metadata)
        paths.append(write_whole(Path(folder) / f"{name}.{kind}", content.getvalue()))
    return paths


def caption_of(path) -> str:
    """The caption that a PNG carries; "" if it has none, or is no file."""
    if not Path(path).is_file():
        return ""
    with PIL.Image.open(path) as picture:
        return picture.info.get("Description", "")


def draw_box(ax: plt.Axes, x: float, y: float, text: str, color: str) -> plt.Text:
    """Text in a rounded box, with its middle at (x, y)."""
    box = dict(
        boxstyle="round,pad=0.5",
        facecolor=color,
        edgecolor=LINE,
        linewidth=0.7,
    )
    return ax.text(x, y, text, bbox=box, ha="center", va="center", linespacing=1.4)


def draw_arrow(ax: plt.Axes, start: plt.Text | tuple[float, float], end: plt.Text, **look):
    """An arrow from a box of :func:`draw_box`, or from a place, to a box."""
    if isinstance(start, plt.Text):
        place, source = start.get_position(), start.get_bbox_patch()
    else:
        place, source = start, None
    # From edge to edge of the boxes, not from middle to middle.
    ends = dict(patchA=source, patchB=end.get_bbox_patch(), shrinkA=0, shrinkB=0)
    arrow = dict(arrowstyle="-|>", color=LINE, mutation_scale=8) | ends | look
    ax.annotate("", end.get_position(), place, arrowprops=arrow)


def plot_parameter_curves(
    records: pd.DataFrame,
    x: str,
    *,
    xlabel: str,
    in_our_tables: Mapping[str, float] | None = None,
    ring: str = "the paper's setting",
    printed: Sequence[tuple[float, pd.Series]] = (),
    open_method: str = "",
    first_shown: float | None = None,
) -> plt.Figure:
    """Mean ± std over splits against the column ``x``, one panel for each criterion.

    Lower is better in all panels. A run that stopped early keeps its last value. With one split of
    several data sets a thin line stands for each set, in place of a band.

    Parameters
    ----------
    records : DataFrame
    x, xlabel : str, a column of the records, and its name in words.
    in_our_tables : mapping, the value of ``x`` of each method's setting, which has a ring.
    ring : str, what the key calls the ring.
    printed : sequence of pairs, values of ``x`` with the printed means there, by criterion.
    open_method : str, the method with open markers and dashes, where two colours are alike.
    first_shown : float, where the axes begin; what comes before is in a small picture within.

    Raises
    ------
    ValueError
        If there are no records.
    """
    if records.empty:
        raise ValueError(
            "records must have rows to draw curves of, got none; `mimlpaper status` names the "
            "command that runs the trials, and `mimlpaper data --fetch` downloads missing data"
        )
    checked_for_means(records, x)  # only the check: each point is a mean over splits
    n_splits = records["split"].nunique()
    n_sets = records["dataset"].nunique()
    of_sets = n_splits == 1 and n_sets > 1
    losses = _losses(records, x)
    methods = records["method"].unique()
    # Markers on many values would hide the curve.
    has_markers = records[x].nunique() <= MOST_MARKERS
    errorbar = None if of_sets else "sd"
    grid = _panels_of_curves(losses, x, methods, has_markers, errorbar)
    _label(grid, xlabel)
    handles = dict(zip(methods, grid.legend.legend_handles, strict=True))
    grid.legend.remove()
    if open_method in handles:
        _open_markers(grid, handles, open_method)
    if of_sets:
        _draw_sets(grid, losses, x)
    handles |= _draw_rings(grid, losses, x, in_our_tables or {}, ring)
    handles |= _draw_printed(grid, printed)
    # Last, since the limits follow from all that is drawn.
    if first_shown is not None:
        _show_from(grid, losses, x, first_shown)
    title = "one split" if n_splits == 1 else f"mean ± std over {n_splits} splits"
    if of_sets:
        title = f"mean and each of {n_sets} data sets"
    place = dict(loc="upper left", bbox_to_anchor=(0.4, 0.3), title_fontsize=8)
    grid.figure.legend(handles.values(), handles, title=title, **place)
    return grid.figure


def _panels_of_curves(losses, x, methods, has_markers, errorbar):
    """A panel for each criterion, a curve for each method."""
    looks = [look_of(method) for method in methods]
    grid = sns.relplot(
        losses,
        kind="line",
        x=x,
        y="loss",
        col="panel",
        col_wrap=3,
        hue="method",
        hue_order=methods,
        palette=[look.color for look in looks],
        style="method",
        style_order=methods,
        dashes=_dashes(methods),
        markers=[look.marker for look in looks] if has_markers else False,
        errorbar=errorbar,
        err_kws=dict(alpha=0.15, linewidth=0),
        markeredgewidth=0,
        height=1.75,
        aspect=1.05,
        facet_kws=dict(sharey=False, legend_out=False),
    )
    return grid


def _label(grid, xlabel):
    """Title each panel, and label its axis."""
    grid.set_titles("{col_name}")
    grid.set(xlabel=xlabel, ylabel="")
    # seaborn labels the lowest row alone.
    grid.tick_params(labelbottom=True)
    plt.setp([ax.xaxis.label for ax in grid.axes], visible=True)
    grid.tight_layout()


def _open_markers(grid, handles, method):
    """Give the curves of a method white markers and dashes."""
    color = look_of(method).color
    curves = [handles[method]]
    for ax in grid.axes:
        # seaborn's lines have no names: a colour tells whose a line is.
        curves += [line for line in ax.lines if line.get_color() == color]
    plt.setp(
        curves,
        linestyle=(0, (4, 1.2)),
        markerfacecolor="white",
        markeredgecolor=color,
        markeredgewidth=1.0,
    )


def _draw_sets(grid, losses, x):
    """A thin line for each data set."""
    by_set = losses.groupby(["panel", "method", "dataset"])
    for (panel, method, _), rows in by_set:
        thin = dict(color=look_of(method).color, linewidth=0.5, alpha=0.5)
        grid.axes_dict[panel].plot(rows[x], rows["loss"], **thin)


def _draw_rings(grid, losses, x, in_our_tables, name):
    """A ring on each curve of a method, at the value in our tables; its handle by name."""
    handles = {}
    means = losses.groupby(["method", x, "panel"])["loss"].mean()
    for method, value in in_our_tables.items():
        if (method, value) not in means:
            continue
        handles[name] = plt.Line2D([], [], color=LINE, **RING)
        color = look_of(method).color
        for panel, mean in means[method, value].items():
            grid.axes_dict[panel].plot(value, mean, color=color, **RING)
    return handles


def _draw_printed(grid, printed):
    """A black bar at each printed mean; its handle by name."""
    panels = panel_titles()
    handles = {}
    for value, means in printed:
        for name, mean in means.dropna().items():
            ax = grid.axes_dict[panels[name]]
            ax.plot(value, as_loss(mean, name), **PRINTED_BAR)
            handles["printed"] = plt.Line2D([], [], **PRINTED_BAR)
    return handles


def _show_from(grid, losses, x, begin):
    """Begin the axes at a value of ``x``; the whole curves stand in a small picture within."""
    for panel, ax in grid.axes_dict.items():
        of_panel = losses[losses["panel"] == panel]
        late = of_panel[of_panel[x] >= begin]
        low, high = _limits(ax, late.groupby(["method", x])["loss"])
        height = high - low
        room = 0.75 * height  # for the small picture
        ax.set_xlim(begin, None)
        ax.set_ylim(low - 0.05 * height, high + room)
        within = ax.inset_axes((0.4, 0.67, 0.6, 0.33))
        for method, rows in of_panel.groupby("method"):
            means = rows.groupby(x)["loss"].mean()
            within.plot(means, color=look_of(method).color, linewidth=0.8)
        within.tick_params(labelsize=6, pad=1, length=1.5)
        within.grid(False)


def _limits(ax, late):
    """The lowest and the highest of bands, rings and printed bars."""
    mean, std = late.mean(), late.std().fillna(0)  # one value has no band
    heights = [mean - std, mean + std]
    for line in ax.lines:
        if line.get_linestyle() == "None":  # rings and bars
            heights.append(line.get_ydata())
    together = np.hstack(heights)
    return np.min(together), np.max(together)


def panel_titles() -> dict[str, str]:
    """The title of each criterion's panel, by the criterion's name; lower is better in all."""
    titles = {}
    for letter, name in zip("abcdefg", CRITERIA, strict=True):
        titles[name] = f"({letter}) {loss_title(name)}"
    return titles


def loss_title(name: str) -> str:
    """The title of a criterion as a loss, such as "1 − Recall"."""
    criterion = CRITERIA[name]
    return criterion.title if criterion.lower_is_better else f"1 − {criterion.title}"


def as_loss(values, name: str):
    """Values of a criterion, so that lower is better."""
    return values if CRITERIA[name].lower_is_better else 1 - values


def _losses(records, x):
    """A row for each run, value of ``x`` and panel."""
    if x == "stage":
        records = _completed(records)
    keys = ["method", "dataset", x]
    losses = records[keys].copy()
    for name, panel in panel_titles().items():
        losses[panel] = as_loss(records[name], name)
    return losses.melt(keys, var_name="panel", value_name="loss")


def _completed(records):
    """Records with all stages: a run that stopped early keeps its last criteria."""
    keys = ["method", "dataset", "split"]
    runs = records.pivot(index=keys, columns="stage", values=[*CRITERIA])
    # Filled within each criterion, whose stages stand side by side.
    by_criterion = runs.T.groupby(level=0)
    filled = by_criterion.ffill().T
    return filled.stack(future_stack=True).reset_index()


def _dashes(methods):
    """Dashes for each method as seaborn takes them; "" is a whole line."""
    known = looks_of_methods()
    # One method alone needs no dashes: no other line is like it.
    n_known = sum(method in known for method in methods)
    dashes: list[str | tuple[int, ...]] = []
    for method in methods:
        if method == "printed":
            dashes.append((1, 1))
        elif method not in known:
            dashes.append((5, 1, 1, 1))  # a variant: dash and dot
        elif n_known == 1 or look_of(method).linestyle == "-":
            dashes.append("")
        else:
            dashes.append((5, 1))
    return dashes


def plot_critical_difference(
    tested: Ranks, ax: plt.Axes, *, title: str, names: Mapping[str, str] | None = None
):
    """Mean ranks on a line, after Demšar; a bar joins methods that Nemenyi cannot tell apart.

    ``names`` are those that methods are shown with, if not their own.
    """
    names = names or {}
    ranks = tested.table["rank"].rename(index=names)
    colors = {}
    for method in tested.table.index:
        colors[names.get(method, method)] = _dark(look_of(method).color)
    drawn = critical_difference_diagram(
        ranks,
        tested.nemenyi.rename(index=names, columns=names),
        ax=ax,
        label_fmt_left="{label}  {rank:.1f} ",
        label_fmt_right=" {rank:.1f}  {label}",
        color_palette=colors,
        text_h_margin=0.015 * np.ptp(ranks),
    )
    for (bar,) in drawn["crossbars"]:  # from a set, whose order changes from run to run
        bar.set_xdata(np.sort(bar.get_xdata()))
    words = f"{title}: mean ranks, 1 is best; Friedman p = {tested.p:.2g}"
    ax.set_title(words, loc="left")


def label_ends(ax: plt.Axes, ends: dict, *, least: float, bold=None, names=None):
    """Write each method's name to the right of the end (x, y) of its line.

    Names are at least the share ``least`` of the axis's height apart. If ``bold`` is given, only
    its methods are coloured, and in bold; the others are grey. ``names`` replaces names of methods.
    """
    # Limits of the axis must be final, since places are shares of it.
    ax.autoscale_view()
    to_share = ax.transScale + ax.transLimits
    places = {method: to_share.transform(end) for method, end in ends.items()}
    methods = sorted(places, key=lambda method: places[method][1])
    heights = _spread([places[method][1] for method in methods], least)
    for method, height in zip(methods, heights, strict=True):
        is_bold = method in (bold or ())
        color = look_of(method).color if bold is None or is_bold else LINE
        ax.annotate(
            (names or {}).get(method, method),
            tuple(places[method]),
            (1.07, height),
            "axes fraction",
            "axes fraction",
            va="center",
            color=_dark(color),
            annotation_clip=False,
            arrowprops=dict(arrowstyle="-", color=color, linewidth=0.5, shrinkA=1, shrinkB=2),
            weight="bold" if is_bold else "normal",
        )


def _spread(heights, least):
    """Ascending heights, moved as little as possible to be ``least`` apart."""
    apart = least * np.arange(len(heights))
    # Heights that are apart are ascending once this distance is taken off.
    ascending = isotonic_regression(heights - apart).x
    return ascending + apart


def readable_ink(color) -> str:
    """White on dark colours, and dark on others."""
    return "white" if relative_luminance(color) < DARK else INK


def _dark(color):
    """The colour, dark enough for text."""
    return 0.7 * np.array(to_rgba(color)[:3])
