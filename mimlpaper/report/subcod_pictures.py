"""Pictures of SubCod: sub-concepts on a plane, label vectors, and what M and θ do."""

from __future__ import annotations

import json

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import Ellipse

from mimlpaper.algorithms.subcod import SubCod
from mimlpaper.bags import Bags

__all__ = ["draw_label_vectors", "draw_sub_concepts", "plot_m_and_theta"]

INK, HAS, LACKS, INVERTED = "#222222", "#8fbbe0", "#f4f4f4", "#D55E00"
WIDTH = 2.0  # of an ellipse, in standard deviations to either side
SHADES = ("#b8d4ea", "#6aaed6", "#2878b5", "#08306b")  # few sub-concepts to many


def draw_sub_concepts(fitted: SubCod, X: Bags, y: np.ndarray, ax: Axes):
    """Instances in two features, and each component as an ellipse with its number.

    Instances of positive bags are full discs, those of negative bags are rings; the colour is
    that of the component, sc(x). Needs ``covariance="diag"`` and two features.
    """
    component = fitted.mixture_.predict(X.instances)
    colours = plt.get_cmap("tab10").colors
    positive = y[X.bag_of_instance]
    for k, (mean, variance) in enumerate(
        zip(fitted.mixture_.means_, fitted.mixture_.covariances_, strict=True)
    ):
        colour = colours[k % len(colours)]
        ax.add_patch(Ellipse(mean, *(2 * WIDTH * np.sqrt(variance)), facecolor=colour, alpha=0.15))
        for chosen, fill in ((positive, colour), (~positive, "white")):
            points = X.instances[(component == k) & chosen]
            ax.plot(
                *points.T, "o", markersize=3.2, markerfacecolor=fill, markeredgecolor=colour,
                markeredgewidth=0.8,
            )  # fmt: skip
        ax.annotate(str(k + 1), mean, color=INK, ha="center", va="center", fontweight="bold")
    ax.grid(False)
    ax.set(xlabel="first feature", ylabel="second feature", aspect="equal")


def draw_label_vectors(
    concepts: np.ndarray, polished: np.ndarray, y: np.ndarray, ax: Axes, *, title: str
):
    """Label vectors as rows of squares, positive bags above; inverted labels have a mark.

    Parameters
    ----------
    concepts, polished : bool (n_bags, M), c and c̃.
    y : bool (n_bags,)
    ax : Axes
    title : str
    """
    order = np.argsort(~y, kind="stable")
    before, after = concepts[order], polished[order]
    ax.imshow(after, aspect="auto", cmap=ListedColormap([LACKS, HAS]), vmin=0, vmax=1)
    rows, columns = np.nonzero(before != after)
    ax.plot(columns, rows, "x", color=INVERTED, markersize=3.2, markeredgewidth=0.9)
    ax.axhline(y.sum() - 0.5, color=INK, linewidth=0.9)
    n_concepts = concepts.shape[1]
    ax.set_xticks(range(n_concepts), range(1, n_concepts + 1))
    ax.set_yticks([(y.sum() - 1) / 2, (len(y) + y.sum() - 1) / 2], ["positive", "negative"])
    ax.set_xticks(np.arange(n_concepts + 1) - 0.5, minor=True)
    ax.tick_params(which="both", length=0)
    ax.grid(False)
    ax.grid(True, axis="x", which="minor", color="white", linewidth=1.0)
    ax.spines[:].set_visible(False)
    ax.set_title(f"{title}\n{len(rows) / concepts.size:.0%} inverted")
    ax.set_xlabel("sub-concept")


def plot_m_and_theta(records: pd.DataFrame, axes: list[Axes]):
    """Mean accuracy against θ, one line for each M, one panel for each data set.

    Parameters
    ----------
    records : of the experiment "sweep_subcod", one row for each split, M and θ.
    axes : at least one for each data set; the others are switched off.
    """
    settings = pd.DataFrame([json.loads(text) for text in records["parameters"]])
    rows = records.assign(
        M=settings["subcod__n_concepts"].to_numpy(),
        theta=100 * settings["subcod__kept_share"].to_numpy(),
    )
    datasets = rows["dataset"].unique()
    for ax in axes[len(datasets) :]:
        ax.set_axis_off()
    for ax, dataset in zip(axes, datasets, strict=False):
        means = rows[rows["dataset"] == dataset].pivot_table("accuracy", "theta", "M")
        for (n_concepts, accuracy), shade in zip(means.items(), SHADES, strict=False):
            ax.plot(accuracy.index, accuracy, "o-", color=shade, label=f"M = {n_concepts}")
        ax.axvspan(10, 70, color="#f2f2f2", zorder=0, linewidth=0)
        ax.set(title=dataset, xlabel="θ, in % of mM")
    axes[0].set_ylabel("accuracy")
    axes[0].legend(loc="lower left")
