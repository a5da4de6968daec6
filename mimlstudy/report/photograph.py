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
NONE = -1  # in place of the label of a region that the learner does not name
# Corners of outlines, in pixels from the left and from above. No learner sees them.
TOWER = [
    *[(205, 28), (320, 125), (330, 185), (352, 258), (375, 335), (330, 427)],
    *[(290, 427), (200, 360), (70, 335), (63, 265), (84, 180), (95, 120)],
]
TREES = [
    *[(0, 320), (120, 335), (250, 385), (330, 427), (400, 320), (490, 285)],
    *[(570, 330), (545, 215), (605, 135), (640, 150), (640, 427), (0, 427)],
]
LEFT_TREE = [(0, 145), (75, 230), (40, 260), (0, 275)]


def load() -> np.ndarray:
    """The photograph, (rows, columns, 3), from scikit-learn."""
    return load_sample_image("china.jpg")


def outlines(photo: np.ndarray) -> np.ndarray:
    """Whether each pixel shows a tower, and whether trees; (rows, columns, 2) of bool."""
    pixels = np.argwhere(np.ones(photo.shape[:2]))[:, ::-1]
    tower, trees, left = (Path(each).contains_points(pixels) for each in (TOWER, TREES, LEFT_TREE))
    labels = np.stack([tower, ~tower & (trees | left)], axis=1)
    return labels.reshape(*photo.shape[:2], len(LABELS))


def squares(image: np.ndarray) -> np.ndarray:
    """An image in squares of 20 pixels: (rows, columns, pixels, colours)."""
    rows, columns = (size // SQUARE for size in image.shape[:2])
    whole = image[: rows * SQUARE, : columns * SQUARE]
    parts = whole.reshape(rows, SQUARE, columns, SQUARE, -1).swapaxes(1, 2)
    return parts.reshape(rows, columns, SQUARE**2, -1)


def bag_of(image: np.ndarray) -> np.ndarray:
    """A bag: of each square the mean, deviation, least and largest value of each colour."""
    parts = squares(image)
    about = [parts.mean(axis=2), parts.std(axis=2), parts.min(axis=2), parts.max(axis=2)]
    return np.concatenate(about, axis=2).reshape(-1, 12)


def windows(n_windows: int = 400) -> tuple[list[np.ndarray], np.ndarray]:
    """Bags of random windows of the photograph, and which labels each window has."""
    photo = load()
    labels = outlines(photo)
    largest = np.array(photo.shape[:2]) - WINDOW
    bags, in_sight = [], []
    for y, x in np.random.default_rng(0).integers(0, largest, (n_windows, 2)):
        window = slice(y, y + WINDOW), slice(x, x + WINDOW)
        bags.append(bag_of(photo[window]))
        in_sight.append(labels[window].mean(axis=(0, 1)) > IN_SIGHT)
    return bags, np.array(in_sight)


def train() -> Pipeline:
    """MimlSvm_mi, trained on windows and their labels, without any region."""
    bags, labels = windows()
    learner = make_pipeline(OnInstances(MinMaxScaler()), MimlSvmMi(random_state=0))
    return learner.fit(bags, labels)


def named_regions(learner: Pipeline) -> np.ndarray:
    """The label that the learner names in each square of the photograph, or :data:`NONE`."""
    scores = explain(learner, [bag_of(load())])
    return np.where(scores.max(axis=1) > 0, scores.argmax(axis=1), NONE)


def precision_and_recall(named: np.ndarray) -> pd.DataFrame:
    """Of each label how many named squares are right, and how many right squares are named.

    A square shows a label if most of its pixels do.
    """
    shows = squares(outlines(load())).mean(axis=2).reshape(-1, len(LABELS)) > 0.5
    rows = {}
    for number, label in enumerate(LABELS):
        is_named, is_right = named == number, shows[:, number]
        n_both = (is_named & is_right).sum()
        rows[label] = {
            "regions named": int(is_named.sum()),
            "precision": n_both / is_named.sum(),
            "recall": n_both / is_right.sum(),
        }
    return pd.DataFrame(rows).T.astype({"regions named": int})


def photograph_figure(named: np.ndarray) -> plt.Figure:
    """The photograph, and beside it the same with its named squares tinted."""
    photo = load()
    rows, columns = squares(photo).shape[:2]
    height, width = rows * SQUARE, columns * SQUARE
    of_labels = [[*to_rgb(color), 0.6] for _, color in COLOURS.values()]
    tints = np.array([*of_labels, [0, 0, 0, 0]])  # NONE is the last
    figure, axes = plt.subplots(1, 2, figsize=(7, 2.5))
    for ax in axes:
        ax.imshow(photo[:height, :width])
        ax.set_axis_off()
    frame: Any = (0, width, height, 0)
    axes[1].imshow(tints[named].reshape(rows, columns, 4), extent=frame)
    axes[0].set_title("a photograph with the labels tower and trees", loc="left")
    names = " and ".join(f"{label} ({color})" for label, (color, _) in COLOURS.items())
    axes[1].set_title(f"regions that a learner names: {names}", loc="left")
    return figure
