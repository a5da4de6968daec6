"""Figs. 1 and 2 of the paper as diagrams, and a bag beside its picture."""

from itertools import product

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Ellipse, Rectangle

from mimlpaper.plots import draw_mosaic
from mimlstudy.report.figures import LINE, draw_arrow, draw_box

PALE_GREY, PALE_BLUE, PALE_YELLOW, PALE_GREEN = "#e8e8e8", "#cfe3f6", "#fbe3c0", "#d8efe4"
FRAMEWORKS = (  # title, instances of an object, labels of an object, what is learned
    (
        "(a) Traditional supervised learning",
        1,
        1,
        r"$f: \mathcal{X} \to \mathcal{Y}$",
    ),
    (
        "(b) Multi-instance learning",
        3,
        1,
        r"$f: 2^\mathcal{X} \to \mathcal{Y}$",
    ),
    (
        "(c) Multi-label learning",
        1,
        3,
        r"$f: \mathcal{X} \to 2^\mathcal{Y}$",
    ),
    (
        "(d) Multi-instance multi-label learning",
        3,
        3,
        r"$f: 2^\mathcal{X} \to 2^\mathcal{Y}$",
    ),
)
SHAPES = {  # of each thing, from back to front: kind, place from the picture's middle, size, colour
    "grassland": [(Rectangle, (-1.3, -0.7), 2.6, 0.45, "#c9dfa6")],
    "lion": [
        (Ellipse, (0.1, -0.25), 1.1, 0.5, "#e9b75f"),
        (Ellipse, (-0.55, -0.02), 0.68, 0.68, "#b9772c"),
        (Ellipse, (-0.55, -0.02), 0.4, 0.4, "#e9b75f"),
    ],
    "elephant": [
        (Ellipse, (-0.15, -0.05), 1.1, 0.75, "#9a9a9f"),
        (Ellipse, (-0.75, 0.1), 0.6, 0.6, "#9a9a9f"),
        (Rectangle, (-1.08, -0.5), 0.16, 0.65, "#9a9a9f"),
        (Rectangle, (-0.55, -0.6), 0.2, 0.5, "#9a9a9f"),
        (Rectangle, (0.05, -0.6), 0.2, 0.5, "#9a9a9f"),
    ],
    "tree": [
        (Rectangle, (0.62, -0.6), 0.14, 0.6, "#8a6a45"),
        (Ellipse, (0.69, 0.15), 0.76, 0.76, "#6f9e4c"),
    ],
}
PICTURES = {  # heights of pictures of Africa, and what they show
    4.3: ("grassland", "tree"),
    2.6: ("grassland", "lion"),
    0.9: ("elephant", "tree"),
}
CONCEPTS = {"tree": 4.5, "lion": 3.25, "elephant": 2.0, "grassland": 0.75}  # and their heights
# Rows and columns of a cross: an instance itself, then what lies left, above, right and below.
CROSS = ((0, 0), (0, -1), (-1, 0), (0, 1), (1, 0))


def frameworks_figure() -> plt.Figure:
    """Fig. 1: four frameworks by their numbers of instances and labels."""
    figure, axes = plt.subplots(2, 2, figsize=(6, 3.8))
    for ax, framework in zip(axes.flat, FRAMEWORKS, strict=True):
        _draw_framework(ax, *framework)
    return figure


def _draw_framework(ax, title, n_instances, n_labels, function):
    ax.set(title=title, xlim=(0, 10), ylim=(-1.8, 1.4))
    ax.set_axis_off()
    thing = draw_box(ax, 1, 0, "object", PALE_GREY)
    labels = _column(ax, 9, "label", n_labels, PALE_YELLOW)
    instances = _column(ax, 5, "instance", n_instances, PALE_BLUE)
    for instance in instances:
        draw_arrow(ax, thing, instance)
        for label in labels:
            draw_arrow(ax, instance, label)
    ax.text(5, -1.8, function, ha="center")


def _column(ax, x, name, n_boxes, color):
    """Boxes one below the other, around the middle."""
    names = [name]
    if n_boxes > 1:
        names = [f"{name}$_{i}$" for i in range(1, n_boxes + 1)]
    top = (n_boxes - 1) / 2
    boxes = []
    for i, text in enumerate(names):
        boxes.append(draw_box(ax, x, top - i, text, color))
    return boxes


def africa_figure() -> plt.Figure:
    """Fig. 2: Africa as one label, and as a label learned through sub-concepts."""
    figure, (direct, through) = plt.subplots(2, 1, figsize=(6, 5.6))
    direct.set_title("(a) Africa is a complicated high-level concept")
    through.set_title("(b) It may become easier to learn through sub-concepts")
    for ax in (direct, through):
        ax.set(xlim=(0, 11.6), ylim=(0, 5.2), aspect="equal")
        ax.set_axis_off()
        for y, things in PICTURES.items():
            _draw_picture(ax, y, things)
    africa = draw_box(direct, 10.5, 2.6, "Africa", PALE_YELLOW)
    for y in PICTURES:
        draw_arrow(direct, (2.9, y), africa, linestyle="--")
    africa = draw_box(through, 10.5, 2.6, "Africa", PALE_YELLOW)
    for concept, height in CONCEPTS.items():
        box = draw_box(through, 6.6, height, concept, PALE_GREEN)
        draw_arrow(through, box, africa)
        for y, things in PICTURES.items():
            if concept in things:
                draw_arrow(through, (2.9, y), box)
    return figure


def _draw_picture(ax, y, things):
    look = dict(facecolor="#f4f8fb", edgecolor=LINE)
    ax.add_patch(Rectangle((0.2, y - 0.7), 2.6, 1.4, **look))
    for thing in things:
        for kind, (right, up), width, height, color in SHAPES[thing]:
            place = (1.5 + right, y + up)
            ax.add_patch(kind(place, width, height, facecolor=color))


def bag_figure(picture: np.ndarray, bag: np.ndarray) -> plt.Figure:
    """A scene, the blobs of colour that its bag determines, and its nine instances as crosses."""
    figure, axes = plt.subplots(1, 3, figsize=(7, 2.5))
    axes[0].imshow(picture)
    draw_mosaic(axes[1], bag)
    axes[2].imshow(crosses(bag))
    for i, (row, column) in enumerate(product(range(3), repeat=2)):
        # The middle blob of a cross, in the mosaic and in the picture of crosses.
        _write_number(axes[1], 2 + column, 2 + row, i + 1)
        _write_number(axes[2], 1 + 4 * column, 1 + 4 * row, i + 1)
    titles = ("the scene", "what its bag says", "the nine instances")
    for ax, title in zip(axes, titles, strict=True):
        ax.set_title(title)
        ax.set_axis_off()
    return figure


def _write_number(ax, x, y, number):
    box = dict(facecolor="#222222", edgecolor="none", pad=1.5)
    look = dict(ha="center", va="center", fontsize=7, color="white")
    ax.text(x, y, number, bbox=box, **look)


def crosses(bag: np.ndarray) -> np.ndarray:
    """An image of 11 × 11 colours: each of nine instances as a cross of five."""
    colours = bag.reshape(9, 5, 3).copy()  # its own, then the differences to four neighbours
    colours[:, 1:] += colours[:, :1]
    image = np.full((11, 11, 3), 255.0)
    middles = product((1, 5, 9), repeat=2)
    for cross, (row, column) in zip(colours, middles, strict=True):
        for colour, (down, right) in zip(cross, CROSS, strict=True):
            image[row + down, column + right] = colour
    return image.clip(0, 255).astype(int)
