"""Drawings that explain: Figs. 1 to 3 of the paper, InsDif's bags, SubCod's sub-concepts."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Ellipse, FancyArrowPatch, FancyBboxPatch, Patch, Rectangle

from mimlpaper.algorithms.subcod import SubCod
from mimlpaper.bags import Bags
from mimlpaper.study.rendering import BLUE, INK, LINE, VERMILION

OBJECT, INSTANCE, LABEL, BRIDGE = "#e8e8e8", "#cfe3f6", "#fbe3c0", "#d8efe4"
HEIGHTS = {1: [3.1], 3: [4.7, 3.1, 1.5]}  # middles of so many boxes in a column

FRAMEWORKS = (  # title, instances of an object, labels of an object, what is learned
    ("(a) Traditional supervised learning", 1, 1, r"$f: \mathcal{X} \to \mathcal{Y}$"),
    ("(b) Multi-instance learning", 3, 1, r"$f: 2^\mathcal{X} \to \mathcal{Y}$"),
    ("(c) Multi-label learning", 1, 3, r"$f: \mathcal{X} \to 2^\mathcal{Y}$"),
    ("(d) Multi-instance multi-label learning", 3, 3, r"$f: 2^\mathcal{X} \to 2^\mathcal{Y}$"),
)

PICTURES = ((4.3, ("tree", "grassland")), (2.6, ("lion", "grassland")), (0.9, ("elephant", "tree")))
# Of a thing, from back to front: place from the picture's middle, size, colour.
SHAPES = pd.read_csv(Path(__file__).with_name("africa.csv"))
KINDS = {"rectangle": Rectangle, "ellipse": Ellipse}
SUB_CONCEPTS = {"tree": 4.5, "lion": 3.25, "elephant": 2.0, "grassland": 0.75}


def draw_frameworks(axes: list[Axes]):
    """Fig. 1: an object, its instances and its labels in the four frameworks, on four axes."""
    for ax, (title, n_instances, n_labels, function) in zip(axes, FRAMEWORKS, strict=True):
        _blank(ax, 11, 5.4)
        ax.set_title(title)
        _box(ax, 1.2, 3.1, "object", OBJECT, width=2.0)
        instances, labels = HEIGHTS[n_instances], HEIGHTS[n_labels]
        for name, x, heights, fill in (("instance", 5.2, instances, INSTANCE),
                                       ("label", 9.5, labels, LABEL)):  # fmt: skip
            for number, y in enumerate(heights, start=1):
                index = f"$_{{{number}}}$" if len(heights) > 1 else ""
                _box(ax, x, y, name + index, fill, width=2.4)
        for y in instances:
            _arrow(ax, (2.3, 3.1), (3.9, y))
            for target in labels:
                _arrow(ax, (6.5, y), (8.2, target))
        ax.text(5.5, 0.3, function, ha="center", va="center", color=INK)


def draw_africa(axes: list[Axes]):
    """Fig. 2: a broad concept learned directly and through its sub-concepts, on two axes."""
    direct, through = axes
    direct.set_title("(a) Africa is a complicated high-level concept")
    through.set_title("(b) It may become easier to learn through sub-concepts")
    for ax in axes:
        _blank(ax, 14, 5.2)
        for y, things in PICTURES:
            _picture(ax, 1.5, y, things)
        _box(ax, 12.6, 2.6, "Africa", LABEL, width=2.2, height=1.1)
    for y, _ in PICTURES:
        _arrow(direct, (3.0, y), (11.3, 2.6), linestyle="--")
    for concept, height in SUB_CONCEPTS.items():
        _box(through, 7.4, height, concept, BRIDGE, width=2.4)
        _arrow(through, (8.7, height), (11.3, 2.6))
    for y, things in PICTURES:
        for thing in things:
            _arrow(through, (3.0, y), (6.1, SUB_CONCEPTS[thing]))


def draw_degeneration(ax: Axes):
    """Fig. 3: from MIML to single instances with single labels, by solution A or B."""
    _blank(ax, 14, 8.4)
    for x, y, text, fill in (
        (7.0, 7.6, "MIML\nmulti-instance multi-label", OBJECT),
        (2.4, 4.2, "MISL\nmulti-instance single-label", BRIDGE),
        (11.6, 4.2, "SIML\nsingle-instance multi-label", BRIDGE),
        (7.0, 0.8, "SISL\nsingle-instance single-label", OBJECT),
    ):
        _box(ax, x, y, text, fill, width=4.6, height=1.4)
    for start, end, side, text in (
        ((5.6, 6.8), (3.0, 5.0), -1, "A1: category-wise\ndecomposition"),
        ((3.0, 3.4), (5.6, 1.6), -1, "A2: MiBoosting"),
        ((8.4, 6.8), (11.0, 5.0), 1, "B1: clustering-based\nrepresentation transformation"),
        ((11.0, 3.4), (8.4, 1.6), 1, "B2: MlSvm"),
    ):
        _arrow(ax, start, end, linewidth=1.6)
        x, y = (start[0] + end[0]) / 2 + 0.8 * side, (start[1] + end[1]) / 2
        ax.text(x, y, text, ha="left" if side > 0 else "right", va="center", color=INK)
    ax.text(6.0, 4.2, "Solution A\nMimlBoost", ha="center", va="center", color=INK)
    ax.text(8.0, 4.2, "Solution B\nMimlSvm", ha="center", va="center", color=INK)


def draw_translates(axes: list[Axes], X, prototypes):
    """Why InsDif's prototypes cancel: the bags {x - v_l} of two examples have the same shape.

    On the first axis the two examples ``X`` (2, 2) with the prototypes v_l (n_labels, 2), on the
    second their bags.
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
        style = dict(color=INK, linewidth=2.0) if number == farthest else dict(color=LINE)
        arrow = dict(arrowstyle="-|>", shrinkA=4, shrinkB=4) | style
        bags.annotate("", point + shift, point, arrowprops=arrow)
    for ax in axes:
        ax.set_aspect("equal")
        ax.margins(0.15)
        ax.set_axis_off()


WIDTH = 2.0  # of an ellipse, in standard deviations to either side
HAS, LACKS = "#8fbbe0", "#f4f4f4"  # a bag and a sub-concept


def key_of_label_vectors(figure: Figure):
    """What colours and crosses of :func:`draw_label_vectors` mean, below the figure."""
    inverted = dict(linestyle="", marker="x", color=VERMILION)
    handles = [
        Patch(facecolor=HAS, label="has the sub-concept"),
        Patch(facecolor=LACKS, edgecolor=LINE, linewidth=0.4, label="lacks it"),
        Line2D([], [], label="inverted by the correction", **inverted),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3)


def draw_sub_concepts(fitted: SubCod, X: Bags, y: np.ndarray, ax: Axes):
    """Instances in two features, and each component as an ellipse with its number above it.

    A disc is an instance of a positive bag, a ring one of a negative bag; its colour is that of
    its component, sc(x). ``fitted`` has ``covariance="diag"`` and two features.
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
            look = dict(markerfacecolor=fill, markeredgecolor=colour, markeredgewidth=0.8)
            ax.plot(*points.T, "o", markersize=3.2, **look)
        top = mean[0], mean[1] + WIDTH * np.sqrt(variance[1])
        look = dict(color=INK, ha="center", fontweight="bold")
        ax.annotate(str(k + 1), top, (0, 2), textcoords="offset points", **look)
    look = dict(linestyle="", markeredgecolor=LINE)
    key = [
        Line2D([], [], marker="o", markerfacecolor=LINE, **look, label="in a positive bag"),
        Line2D([], [], marker="o", markerfacecolor="white", **look, label="in a negative bag"),
        Patch(facecolor=LINE, alpha=0.15, label=f"component, ± {WIDTH:g} std"),
    ]
    ax.legend(handles=key, loc="center left", bbox_to_anchor=(1, 0.5))
    ax.grid(False)
    ax.set(xlabel="first feature", ylabel="second feature", aspect="equal")


def draw_label_vectors(
    concepts: np.ndarray, polished: np.ndarray, y: np.ndarray, ax: Axes, *, title: str
):
    """Label vectors as rows of squares, positive bags on top; a mark shows an inverted label.

    ``concepts`` and ``polished`` are c and c̃, bool (n_bags, M); ``y`` is bool (n_bags,).
    """
    order = np.argsort(~y, kind="stable")
    before, after = concepts[order], polished[order]
    ax.imshow(after, aspect="auto", cmap=ListedColormap([LACKS, HAS]), vmin=0, vmax=1)
    rows, columns = np.nonzero(before != after)
    ax.plot(columns, rows, "x", color=VERMILION, markersize=3.2, markeredgewidth=0.9)
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


def _blank(ax, width, height):
    ax.set(xlim=(0, width), ylim=(0, height), aspect="equal")
    ax.set_axis_off()


def _box(ax, x, y, text, fill, *, width, height=0.95):
    """A rounded box around its middle, with text."""
    corner = (x - width / 2 + 0.15, y - height / 2 + 0.15)
    style = "round,pad=0.15,rounding_size=0.2"
    look = dict(boxstyle=style, facecolor=fill, edgecolor=LINE, linewidth=0.7)
    ax.add_patch(FancyBboxPatch(corner, width - 0.3, height - 0.3, **look))
    ax.text(x, y, text, ha="center", va="center", color=INK, linespacing=1.4)


def _arrow(ax, start, end, *, linewidth=0.9, linestyle="-"):
    head = dict(arrowstyle="-|>", mutation_scale=5 + 4 * linewidth, shrinkA=0, shrinkB=0)
    line = dict(color=LINE, linewidth=linewidth, linestyle=linestyle)
    ax.add_patch(FancyArrowPatch(start, end, **head, **line))


def _picture(ax, x, y, things):
    """A framed picture, 2.6 x 1.4, with some of a tree, a lion, an elephant and grassland."""
    frame = (x - 1.3, y - 0.7), 2.6, 1.4
    ax.add_patch(Rectangle(*frame, facecolor="#f4f8fb", edgecolor="none"))
    for part in SHAPES[SHAPES["thing"].isin(things)].itertuples():
        place = x + part.x, y + part.y
        ax.add_patch(KINDS[part.kind](place, part.width, part.height, facecolor=part.colour))
    ax.add_patch(Rectangle(*frame, fill=False, edgecolor=LINE, linewidth=0.7))
