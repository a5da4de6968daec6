"""Why InsDif's prototypes cancel, drawn: the bags of two examples have the same shape."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from mimlpaper.report.style import BLUE, VERMILION

__all__ = ["draw_translates"]

LINE = "#777777"


def draw_translates(axes: list[Axes], X, prototypes):
    """Two examples among the prototypes, and their bags {x - v_l}, on two axes.

    Parameters
    ----------
    axes : two of them
    X : (2, 2), two examples in the plane
    prototypes : (n_labels, 2), the v_l
    """
    X, prototypes = np.asarray(X, dtype=float), np.asarray(prototypes, dtype=float)
    vectors, bags = axes
    vectors.set_title("two examples x and the prototypes v")
    bags.set_title("their bags, and how far they are apart")
    vectors.plot(*prototypes.T, "x", color=LINE)
    for x, color, name in zip(X, (BLUE, VERMILION), ("$x_i$", "$x_j$"), strict=True):
        for prototype in prototypes:
            vectors.plot(*np.transpose([prototype, x]), color=color, linewidth=0.8, alpha=0.5)
        vectors.plot(*x, "o", color=color)
        vectors.annotate(name, x, (5, 3), textcoords="offset points", color=color)
        bags.plot(*(x - prototypes).T, "o", color=color)
    shift, start = X[1] - X[0], X[0] - prototypes
    farthest = np.argmax(start @ shift)
    for number, point in enumerate(start):
        style = dict(color="#222222", linewidth=2.0) if number == farthest else dict(color=LINE)
        arrow = dict(arrowstyle="-|>", shrinkA=4, shrinkB=4) | style
        bags.annotate("", point + shift, point, arrowprops=arrow)
    for ax in axes:
        ax.set_aspect("equal")
        ax.margins(0.15)
        ax.set_axis_off()
