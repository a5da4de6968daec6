"""SubCod as a reader meets it: its sub-concepts, its corrections, and what they do to accuracy."""

import json
from collections.abc import Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.patches import Ellipse, Patch

from mimlpaper import Bags, SubCod
from mimlpaper.datasets.synthetic import THINGS
from mimlstudy.counts import number_and_noun
from mimlstudy.judge.compare import run_means
from mimlstudy.judge.selection import checked_for_means
from mimlstudy.paper.printed import printed_cells, printed_tables
from mimlstudy.report.figures import BLUE, INK, VERMILION
from mimlstudy.report.sentences import listed, paragraph
from mimlstudy.report.tables import (
    ReportTable,
    address,
    addressed,
    crossed,
    frame_grid,
    low_rank_in_words,
    number_entries,
)

WHOLE, NO_CORRECTION = "SubCod, whole budget", "SubCod, no correction"
MINIMAL, VERTEX = "SubCod, minimal correction", "SubCod, vertex"
ON_LABEL = "MimlSvm on the bag label"
HAS, LACKS = "#8fbbe0", "#f4f4f4"  # colours of the entries of label vectors
# The name of each alternative of SubCod's row that says which labels are inverted.
CORRECTIONS = {
    "": WHOLE,
    "optimum = vertex": VERTEX,
    "optimum = minimal": MINIMAL,
    "kept_share = [1.0]": NO_CORRECTION,
}
# Open marks are larger than filled ones: both are seen where they are equal.
LOOKS: dict[str, dict[str, Any]] = {
    "printed": dict(
        color=INK,
        marker="|",
        markersize=11,
        markeredgewidth=1.8,
    ),
    ON_LABEL: dict(
        color=INK,
        marker="o",
        markersize=10,
        markerfacecolor="none",
    ),
    WHOLE: dict(color=BLUE, marker="o", markersize=5.5),
    MINIMAL: dict(color=VERMILION, marker="D", markersize=5),
    NO_CORRECTION: dict(
        color=VERMILION,
        marker="v",
        markersize=6,
        markerfacecolor="white",
    ),
}
PAPERS_RANGE = (10, 70)  # of θ
RANGE_LOOK: dict[str, Any] = dict(color="#eeeeee", zorder=0, linewidth=0)
TEXT_SIZE = (1.7, 0.6)  # of a thing's name with its number, in units of the features
THETA = "θ, % of mM"
WIDTH = 5.6  # of figures, in inches


def corrections(choices: pd.DataFrame, alternatives: pd.DataFrame) -> pd.DataFrame:
    """Records of SubCod by how it corrects, and of its learner on the bag label, on the same folds.

    Parameters
    ----------
    choices : DataFrame, Table 5 with its ``alternative`` settings.
    alternatives : DataFrame, records of the experiment "alternatives".
    """
    of_subcod = choices[choices["method"] == "SubCod"]
    corrected = of_subcod[of_subcod["alternative"].isin([*CORRECTIONS])]
    names = corrected["alternative"].map(CORRECTIONS)
    corrected = corrected.assign(method=names)
    alone = alternatives[alternatives["method"] == ON_LABEL]
    # On the same folds, so that a difference is one of the methods.
    alone = alone[alone["split"].isin(corrected["split"])]
    rows = pd.concat([corrected, alone]).drop(columns="alternative")
    # The method says now what is set differently, so that no override is left.
    return rows.assign(override="{}")


def accuracies(records: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracies: a row for each data set of Table 5, a column for each method."""
    runs = run_means(records, printed_tables()[5])
    means = runs.groupby(["dataset", "method"])["accuracy"].mean()
    in_order = means.unstack().reindex(printed_tables()[5].datasets)
    return in_order[records["method"].unique()]


def printed_accuracies(method: str) -> pd.Series:
    """The printed accuracies of a row of Table 5, by data set."""
    cells = printed_cells(5)
    cells = cells[cells["algorithm"] == method]
    return cells.set_index("dataset")["mean"]


def accuracies_table(
    records: pd.DataFrame, title: str, profile: str, *, is_column: bool = False
) -> ReportTable:
    """Mean ± std over runs of ten folds, the best mean of each data set in bold.

    ``is_column`` says that this is a column of settings of Table 5: each number has an address.
    """
    runs = run_means(records, printed_tables()[5])
    groups = runs.groupby(["method", "dataset"])["accuracy"]
    tidy = groups.agg(["mean", "std", "size"]).reset_index()
    best = tidy.groupby("dataset")["mean"].transform("max")
    entries = number_entries(tidy["mean"], tidy["std"], tidy["mean"] == best)
    if is_column:
        places = zip(tidy["method"], tidy["dataset"], strict=True)
        addresses = [address(5, method, "accuracy", dataset) for method, dataset in places]
        entries = addressed(entries, addresses)
    shown = crossed(tidy["method"], tidy["dataset"], entries)
    sets = [name for name in printed_tables()[5].datasets if name in shown]
    n_runs = tidy["size"].min()
    # Such as 10, or 9–10 where a fold is missing.
    n_folds = "–".join(map(str, sorted(set(runs["n_trials"]))))
    kinds = listed(sorted({*runs["kind"]}))
    caption = (
        f"{title}: accuracy ↑, mean ± std over {number_and_noun(n_runs, 'run')} of {n_folds} folds."
    )
    # What the paper has is not said.
    if profile != "paper" or kinds != "original":
        caption += f" Profile {profile}; {kinds} data."
    caption = paragraph(caption, low_rank_in_words(records))
    shown = shown.loc[records["method"].unique(), sets]
    return frame_grid(
        shown,
        tidy.assign(profile=profile),
        caption,
        corner="method",
    )


def corrections_figure(means: pd.DataFrame) -> plt.Figure:
    """A row for each data set of :func:`accuracies`: SubCod's accuracy by how it corrects."""
    figure, ax = plt.subplots(figsize=(WIDTH, 2.9))
    shown = means.assign(printed=printed_accuracies("SubCod"))
    places = range(len(shown))
    for name, look in LOOKS.items():
        ax.plot(shown[name], places, linestyle="none", label=name, **look)
    ax.set_yticks(places, [name.capitalize() for name in shown.index])
    ax.set_ylim(len(shown) - 0.5, -0.5)  # the first data set on top
    ax.set_xlabel("accuracy")
    ax.grid(axis="both")
    figure.legend(loc="outside upper center", ncols=2)
    return figure


def concepts_figure(subcod: SubCod, X: Bags, y: np.ndarray, things: np.ndarray) -> plt.Figure:
    """Points of bags on a plane, and a Gaussian for each sub-concept, with the names of things.

    Parameters
    ----------
    subcod : SubCod, fitted to ``X`` and ``y``.
    X : Bags of two features.
    y : bool array (n_bags,), whether a bag is of Africa.
    things : int array (n_instances,), indices of :data:`~mimlpaper.datasets.synthetic.THINGS`.
    """
    figure, ax = plt.subplots(figsize=(WIDTH, 5.0))
    mixture = subcod.mixture_
    concepts = mixture.predict(X.instances)
    of_africa = y[X.bag_of_instance]
    names = np.array([*THINGS])
    for number, mean in enumerate(mixture.means_):
        is_member = concepts == number
        color = VERMILION if of_africa[is_member].all() else BLUE
        half_size = 2 * np.sqrt(mixture.covariances_[number])  # two deviations a side
        ellipse = Ellipse(mean, *(2 * half_size), facecolor=color, alpha=0.15)
        ax.add_patch(ellipse)
        for in_group, face in ((of_africa, color), (~of_africa, "white")):
            points = X.instances[is_member & in_group]
            look: dict[str, Any] = dict(markeredgecolor=color, markerfacecolor=face)
            ax.plot(*points.T, "o", markersize=4, **look)
        thing = names[np.bincount(things[is_member]).argmax()]
        middles = np.delete(mixture.means_, number, axis=0)
        text = f"{number + 1}: {thing}"
        _write_beside(ax, mean, half_size, text, color, middles)
    ax.margins(0.25, 0.1)
    ax.set(xlabel="first feature", ylabel="second feature", aspect="equal")
    ax.grid(False)
    figure.legend(handles=_concepts_key(), loc="outside lower center", ncols=2)
    return figure


def _write_beside(ax, middle, half_size, text, color, middles):
    """Write a text left of, right of, above or below an ellipse: far from other ``middles``."""
    # The middle of a text stands half of its size away from the ellipse.
    right, up = np.array(half_size) + np.array(TEXT_SIZE) / 2
    sides = np.array([(right, 0), (-right, 0), (0, up), (0, -up)])
    places = middle + sides
    distances = np.linalg.norm(places[:, None] - middles, axis=2)  # (n_places, n_others)
    # Ellipses are near their middles, so that a text far from these covers none.
    best = distances.min(axis=1).argmax()
    ax.text(
        *places[best],
        text,
        ha="center",
        va="center",
        weight="bold",
        color=color,
    )


def _concepts_key():
    dot = dict(linestyle="none", marker="o", markersize=4, markeredgecolor=INK)
    return [
        plt.Line2D([], [], markerfacecolor=INK, label="in a bag of Africa", **dot),
        plt.Line2D([], [], markerfacecolor="white", label="in another bag", **dot),
        Patch(facecolor=VERMILION, alpha=0.3, label="sub-concept of Africa alone"),
        Patch(facecolor=BLUE, alpha=0.3, label="another sub-concept"),
    ]


def vectors_figure(corrected: Sequence[SubCod], y: np.ndarray) -> plt.Figure:
    """A panel for each corrected SubCod: bags by sub-concepts, with a cross where it inverted."""
    figure, axes = plt.subplots(
        1,
        len(corrected),
        figsize=(WIDTH, 3.8),
        sharey=True,
    )
    # Bags of Africa come first, so that a column that became the label shows as one block.
    order = np.argsort(~y, kind="stable")
    n_africa = y.sum()
    for ax, subcod in zip(axes, corrected, strict=True):
        _draw_vectors(ax, subcod, order)
        ax.axhline(n_africa, color=INK, linewidth=1.2)
        ax.tick_params(axis="y", length=0)
    middles = (n_africa / 2, (len(y) + n_africa) / 2)
    axes[0].set_yticks(middles, ["Africa", "other"], rotation=90, va="center")
    figure.legend(handles=_vectors_key(), loc="outside upper center", ncols=3)
    return figure


def _vectors_key():
    cross = dict(linestyle="none", marker="x", markersize=4, color=INK)
    return [
        Patch(facecolor=HAS, label="the bag has the sub-concept"),
        Patch(facecolor=LACKS, label="it lacks it"),
        plt.Line2D([], [], label="inverted by the correction", **cross),
    ]


def _draw_vectors(ax, subcod, order):
    """The corrected vectors of bags in some order, with a cross at each inverted entry."""
    before = subcod.concepts_[order]
    after = subcod.polished_[order]
    numbers = range(1, after.shape[1] + 1)
    sns.heatmap(
        after,
        xticklabels=numbers,
        yticklabels=[],
        cmap=[LACKS, HAS],
        cbar=False,
        linewidths=0.4,
        ax=ax,
    )
    rows, columns = np.nonzero(before != after)
    # The middle of a square is half a unit from its corner.
    ax.plot(columns + 0.5, rows + 0.5, "x", color=INK, markersize=3)
    title = f"{subcod.optimum}, θ = {subcod.kept_share:.0%}"
    ax.set_title(f"{title}\n{len(rows)} inverted")
    ax.set_xlabel("sub-concept")


def m_and_theta_means(sweep: pd.DataFrame) -> pd.DataFrame:
    """Mean accuracies of a sweep: a row for each data set and θ, a column for each M."""
    overrides = sweep["override"].map(json.loads)
    numbers = [override["subcod__n_concepts"] for override in overrides]
    shares = [override["subcod__kept_share"] for override in overrides]
    varied = sweep.assign(**{"M": numbers, THETA: shares})
    varied[THETA] *= 100
    rows = checked_for_means(varied, "override")
    groups = rows.groupby(["dataset", THETA, "M"], sort=False)
    return groups["accuracy"].mean().unstack()


def spread_in_range(means: pd.DataFrame) -> float:
    """How far apart accuracies of one data set are inside the paper's range of θ, at most.

    ``means`` are those of :func:`m_and_theta_means`; 0 if no θ is in the range.
    """
    shares = means.index.get_level_values(THETA)
    least, most = PAPERS_RANGE
    in_range = means[(shares >= least) & (shares <= most)]
    by_set = in_range.stack().groupby("dataset")
    spreads = by_set.max() - by_set.min()
    return float(spreads.max()) if len(spreads) else 0.0


def m_and_theta_figure(means: pd.DataFrame) -> plt.Figure:
    """A panel for each data set of :func:`m_and_theta_means`: the least and the largest M."""
    names = means.index.unique("dataset")
    figure, axes = plt.subplots(
        1,
        len(names),
        figsize=(WIDTH, 2.2),
        squeeze=False,
        sharey=True,
    )
    open_look = dict(color=VERMILION, markersize=7, markerfacecolor="none")
    looks: dict[int, dict[str, Any]] = {means.columns.min(): open_look}
    looks[means.columns.max()] = dict(color=BLUE, markersize=3)
    for ax, name in zip(axes.flat, names, strict=True):
        ax.axvspan(*PAPERS_RANGE, label="the paper's θ", **RANGE_LOOK)
        for m, look in looks.items():
            curve = means.loc[name][m].sort_index()
            ax.plot(curve, label=f"M = {m}", marker="o", linewidth=1.2, **look)
        ax.set(title=name.capitalize(), xlabel=THETA, xticks=[10, 40, 70, 100])
    axes[0, 0].set_ylabel("accuracy")
    curves_and_range = axes[0, 0].get_legend_handles_labels()
    figure.legend(*curves_and_range, loc="outside upper center", ncols=3)
    return figure
