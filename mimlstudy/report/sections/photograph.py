"""A photograph with two labels, and a MIML learner that finds out which regions they are about."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import to_rgb
from matplotlib.path import Path
from sklearn.datasets import load_sample_image
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mimlpaper import MimlSvmMi, OnInstances, explain
from mimlstudy.report.figures import RIGHT, VERMILION

LABELS = ("tower", "trees")
COLOURS = {"tower": ("orange", VERMILION), "trees": ("green", RIGHT)}
SQUARE, WINDOW = 20, 100  # pixels
IN_SIGHT = 0.08  # share of a window's pixels from which on it has a label
COUNTS = ["squares named", "squares right", "squares that show it"]
NONE = -1  # in place of the label of a region that the learner does not name
# Corners of outlines, in pixels from the left and from above. No learner sees them.
TOWER = [
    (205, 28),
    (320, 125),
    (330, 185),
    (352, 258),
    (375, 335),
    (330, 427),
    (290, 427),
    (200, 360),
    (70, 335),
    (63, 265),
    (84, 180),
    (95, 120),
]
TREES = [
    (0, 320),
    (120, 335),
    (250, 385),
    (330, 427),
    (400, 320),
    (490, 285),
    (570, 330),
    (545, 215),
    (605, 135),
    (640, 150),
    (640, 427),
    (0, 427),
]
LEFT_TREE = [(0, 145), (75, 230), (40, 260), (0, 275)]


def load() -> np.ndarray:
    """The photograph, (rows, columns, 3), from scikit-learn."""
    return load_sample_image("china.jpg")


def outlines(photo: np.ndarray) -> np.ndarray:
    """Whether each pixel shows a tower, and whether trees; (rows, columns, 2) of bool."""
    shape = photo.shape[:2]
    # Corners are (x, y), and indices of an array (y, x).
    pixels = np.argwhere(np.ones(shape))[:, ::-1]
    tower = Path(TOWER).contains_points(pixels)
    trees = Path(TREES).contains_points(pixels)
    left_tree = Path(LEFT_TREE).contains_points(pixels)
    # The tower stands before the trees.
    shows_trees = ~tower & (trees | left_tree)
    labels = np.stack([tower, shows_trees], axis=1)
    return labels.reshape(*shape, len(LABELS))


def squares(image: np.ndarray) -> np.ndarray:
    """An image in squares of 20 pixels: (rows, columns, pixels, colours)."""
    rows = image.shape[0] // SQUARE
    columns = image.shape[1] // SQUARE
    # What is left over at the right and below belongs to no square.
    whole = image[: rows * SQUARE, : columns * SQUARE]
    parts = whole.reshape(rows, SQUARE, columns, SQUARE, -1)
    by_square = parts.swapaxes(1, 2)
    return by_square.reshape(rows, columns, SQUARE**2, -1)


def bag_of(image: np.ndarray) -> np.ndarray:
    """A bag: of each square the mean, deviation, least and largest value of each colour."""
    parts = squares(image)
    statistics = [
        parts.mean(axis=2),
        parts.std(axis=2),
        parts.min(axis=2),
        parts.max(axis=2),
    ]
    features = np.concatenate(statistics, axis=2)
    return features.reshape(-1, 12)


def windows(n_windows: int = 400) -> tuple[list[np.ndarray], np.ndarray]:
    """Bags of random windows of the photograph, and which labels each window has."""
    photo = load()
    labels = outlines(photo)
    largest = np.array(photo.shape[:2]) - WINDOW
    corners = np.random.default_rng(0).integers(0, largest, (n_windows, 2))
    bags, in_sight = [], []
    for y, x in corners:
        window = slice(y, y + WINDOW), slice(x, x + WINDOW)
        bags.append(bag_of(photo[window]))
        shares = labels[window].mean(axis=(0, 1))
        in_sight.append(shares > IN_SIGHT)
    return bags, np.array(in_sight)


def train() -> Pipeline:
    """MimlSvm_mi, trained on windows and their labels, without any region."""
    bags, labels = windows()
    scaling = OnInstances(MinMaxScaler())
    learner = make_pipeline(scaling, MimlSvmMi(random_state=0))
    return learner.fit(bags, labels)


def named_regions(learner: Pipeline) -> np.ndarray:
    """The label that the learner names in each square of the photograph, or :data:`NONE`."""
    scores = explain(learner, [bag_of(load())])
    is_named = scores.max(axis=1) > 0
    return np.where(is_named, scores.argmax(axis=1), NONE)


def precision_and_recall(named: np.ndarray) -> pd.DataFrame:
    """Of each label how many named squares are right, and how many right squares are named.

    A square shows a label if most of its pixels do. ``chance`` is the share of all squares that do.
    """
    pixels = squares(outlines(load()))
    shares = pixels.mean(axis=2).reshape(-1, len(LABELS))
    rows = {}
    for number, label in enumerate(LABELS):
        is_named = named == number
        shows_label = shares[:, number] > 0.5
        n_right, n_true = (is_named & shows_label).sum(), shows_label.sum()
        rows[label] = {
            "squares named": is_named.sum(),
            "squares right": n_right,
            "squares that show it": n_true,
            "precision": n_right / is_named.sum(),
            "chance": shows_label.mean(),
            "recall": n_right / n_true,
        }
    table = pd.DataFrame(rows).T
    return table.astype(dict.fromkeys(COUNTS, int))


def in_words() -> str:
    """How right the learner is, for a reader of the picture alone."""
    table = precision_and_recall(named_regions(train()))
    n_named, n_right, n_true = table[COUNTS].sum()
    precision, recall = n_right / n_named, n_right / n_true
    return (
        "A learner trained on crops of this photograph names squares: "
        f"{precision:.0%} are right, and {recall:.0%} of those with a label are named."
    )


def photograph_figure(named: np.ndarray) -> plt.Figure:
    """The photograph, and beside it the same in grey with its named squares tinted."""
    photo = load()
    rows, columns = squares(photo).shape[:2]
    height, width = rows * SQUARE, columns * SQUARE
    of_labels = [[*to_rgb(color), 0.6] for _, color in COLOURS.values()]
    without_colour = [0, 0, 0, 0]
    # NONE, which is −1, takes the last.
    tints = np.array([*of_labels, without_colour])
    figure, axes = plt.subplots(1, 2, figsize=(7, 2.5))
    shown = photo[:height, :width]
    axes[0].imshow(shown)
    # In grey, since a tint of green does not show on green trees.
    axes[1].imshow(shown.mean(axis=2), cmap="gray")
    for ax in axes:
        ax.set_axis_off()
    frame: Any = (0, width, height, 0)
    tinted = tints[named].reshape(rows, columns, 4)
    axes[1].imshow(tinted, extent=frame)
    names = [f"{label} ({color})" for label, (color, _) in COLOURS.items()]
    titles = (
        "a photograph with the labels tower and trees",
        f"regions that a learner names: {' and '.join(names)}",
    )
    for ax, title in zip(axes, titles, strict=True):
        ax.set_title(title, loc="left")
    return figure
