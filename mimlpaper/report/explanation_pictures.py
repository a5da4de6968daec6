"""Explanations drawn: label scores over an image's colour mosaic, telling words of a text.

As in :mod:`~mimlpaper.report.figures`, a function that draws takes data and axes; those that are
named after what is explained take a fitted learner and make a whole figure. None fits anything.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle
from PIL import Image

from mimlpaper.bags import Bags
from mimlpaper.datasets import ImageBags, scene_mosaic
from mimlpaper.explain import explain, telling_features

__all__ = [
    "draw_explained_scene",
    "draw_explained_text",
    "draw_instances",
    "draw_mosaic",
    "explained_images",
    "explained_scenes",
    "explained_text",
    "telling_words",
]

INK, FRAME = "#222222", "#ffffff"
TOP, OTHERS = "#333333", "#bbbbbb"  # no method has these colours


def draw_mosaic(ax: Axes, bag: np.ndarray):
    """The 7 x 7 colour blobs of an image, as far as its nine instances (9, 15) tell them.

    33 colours come back exactly; the four corners of 2 x 2 blobs stay empty. Features must be
    raw, as the scene data set and :class:`~mimlpaper.datasets.ImageBags` have them.
    """
    mosaic = scene_mosaic(bag)
    known = np.isfinite(mosaic)
    colours = np.where(known, mosaic, 0.0).clip(0, 255) / 255
    ax.imshow(np.concatenate([colours, 1.0 * known[..., :1]], axis=-1), interpolation="nearest")
    ax.set_axis_off()


def draw_instances(mosaic: Axes, crosses: Axes, bag: np.ndarray):
    """The nine instances of an image: numbered on its mosaic, and one by one.

    An instance by itself is a cross: its own colour in the middle, and around it the four
    neighbours that its differences tell.

    Parameters
    ----------
    mosaic, crosses : Axes
    bag : (9, 15), raw features.
    """
    draw_mosaic(mosaic, bag)
    for ax in (mosaic, crosses):
        ax.set_axis_off()
    for i, features in enumerate(bag):
        row, column = divmod(i, 3)
        place = (2 + column, 2 + row)  # among the 7 x 7 blobs
        _frame(mosaic, place, 1, 0.9)
        _number(mosaic, place, i, features[:3])
        middle = 3.6 * np.array([column, row])
        steps = [(0, 0), (-1, 0), (0, -1), (1, 0), (0, 1)]  # itself, left, up, right, down
        for step, difference in zip(steps, features.reshape(5, 3), strict=True):
            colour = difference + (features[:3] if any(step) else 0)
            corner = middle + step - 0.5
            crosses.add_patch(Rectangle(corner, 1, 1, color=colour.clip(0, 255) / 255))
        _number(crosses, middle, i, features[:3])
    crosses.set(xlim=(-1.7, 8.9), ylim=(8.9, -1.7), aspect="equal")


def draw_explained_scene(
    axes: Sequence[Axes],
    bag: np.ndarray,
    scores: np.ndarray,
    bag_scores: np.ndarray,
    label_names: Sequence[str],
    true: np.ndarray | None = None,
):
    """An image's mosaic on the first axis; on the others, the labels with the highest scores.

    A disc's area shows where in the range of the nine scores an instance lies; the highest
    has a frame. Titles tell the label and the image's score for it, and on the first axis the
    true labels if they are known.

    Parameters
    ----------
    axes : one more than there are labels to show.
    bag : (9, 15), raw features.
    scores : (9, n_labels), as from :func:`~mimlpaper.explain.explain`.
    bag_scores : (n_labels,), the learner's ``decision_function``.
    label_names : n_labels of them.
    true : bool (n_labels,), or None
    """
    first, *others = axes
    draw_mosaic(first, bag)
    if true is not None:
        first.set_title("\n".join(np.array(label_names)[true]) or "no label")
    for ax, label in zip(others, np.argsort(-bag_scores), strict=False):
        draw_mosaic(ax, bag)
        _draw_scores(ax, scores[:, label])
        ax.set_title(f"{label_names[label]}\n{_signed(bag_scores[label])}")


def explained_scenes(
    estimator,
    bags: Bags,
    label_names: Sequence[str],
    *,
    true: np.ndarray | None = None,
    images: Sequence | None = None,
    n_shown: int = 2,
) -> Figure:
    """A row for each bag of a scene: :func:`draw_explained_scene` for its highest labels.

    Parameters
    ----------
    estimator : fitted, see :func:`~mimlpaper.explain.explain`.
    bags : Bags of nine instances, raw features.
    label_names : n_labels of them.
    true : bool (n_bags, n_labels), or None
    images : what to show on the left of each row, as :class:`~mimlpaper.datasets.ImageBags`
        takes it; None for nothing.
    n_shown : int, default 2
        Labels to show, those that score highest.
    """
    scores, reasons = estimator.decision_function(bags), explain(estimator, bags)
    n_columns = 1 + n_shown + (images is not None)
    figure, axes = plt.subplots(
        len(bags), n_columns, figsize=(1.75 * n_columns, 1.87 * len(bags)), squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for i, row in enumerate(axes):
        if images is not None:
            row[0].imshow(_opened(images[i]))
            row[0].set_axis_off()
        own = slice(bags.offsets[i], bags.offsets[i + 1])
        draw_explained_scene(
            row[-1 - n_shown :], bags[i], reasons[own], scores[i], label_names,
            None if true is None else true[i],
        )  # fmt: skip
    return figure


def explained_images(estimator, images: Sequence, label_names: Sequence[str], **options) -> Figure:
    """:func:`explained_scenes` for images that are not bags yet, each beside its reasons.

    ``images`` are as :class:`~mimlpaper.datasets.ImageBags` takes them: paths, arrays or Pillow
    images.
    """
    images = list(images)
    bags = ImageBags().transform(images)
    return explained_scenes(estimator, bags, label_names, images=images, **options)


def explained_text(
    estimator,
    bag: np.ndarray,
    label_names: Sequence[str],
    feature_names: Sequence[str] | None = None,
    n_shown: int = 2,
) -> Figure:
    """A panel for each of a text's highest labels: its passages and their telling words.

    Parameters are those of :func:`explained_scenes` and :func:`telling_words`.
    """
    scores = estimator.decision_function([bag])[0]
    figure, axes = plt.subplots(
        n_shown, 1, figsize=(7, n_shown * (0.6 + len(bag) / 5)), squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for ax, label in zip(axes.flat, np.argsort(-scores), strict=False):
        passages = telling_words(estimator, bag, label, feature_names)
        draw_explained_text(ax, passages, f"{label_names[label]}  {_signed(scores[label])}")
    return figure


def telling_words(
    estimator,
    bag: np.ndarray,
    label: int,
    feature_names: Sequence[str] | None = None,
    n_words: int = 4,
) -> pd.DataFrame:
    """Each passage's score for a label, and the words without which it would fall most.

    Parameters
    ----------
    estimator : fitted on bags of word counts, see :func:`~mimlpaper.explain.explain`.
    bag : (n_instances, n_features), word counts of the passages.
    label : int
    feature_names : the words; None for "word 1", "word 2", …
    n_words : int, default 4
        Words of a passage at most; those that speak against the label are left out.

    Returns
    -------
    passages : DataFrame
        One row for each passage: ``passage``, "whole text" for one that sums up the others,
        else its number; ``score``; ``words`` with their counts.
    """
    if feature_names is None:
        feature_names = [f"word {i + 1}" for i in range(bag.shape[1])]
    scores = explain(estimator, [bag])[:, label]
    others = bag.sum(axis=0) - bag  # (n_instances, n_features)
    whole = (bag == others).all(axis=1) & bag.any(axis=1) & (len(bag) > 2)
    rows, number = [], 0
    for i, counts in enumerate(bag):
        number += not whole[i]
        falls = telling_features(estimator, bag, i)[:, label]
        words = [
            feature_names[j] + (f" ×{counts[j]:.0f}" if counts[j] > 1 else "")
            for j in np.argsort(-falls, kind="stable")[:n_words]
            if falls[j] > 0
        ]
        name = "whole text" if whole[i] else f"passage {number}"
        rows.append((name, scores[i], ", ".join(words)))
    return pd.DataFrame(rows, columns=["passage", "score", "words"])


def draw_explained_text(ax: Axes, passages: pd.DataFrame, title: str = ""):
    """A bar for each passage's score, and its telling words beside it; the highest is dark.

    ``passages`` is as from :func:`telling_words`, or some rows of it; each needs a sixth of an
    inch.
    """
    heights = np.arange(len(passages))
    top = passages["score"].argmax()
    ax.barh(
        heights, passages["score"], height=0.6,
        color=[TOP if i == top else OTHERS for i in heights],
    )  # fmt: skip
    for height, words in zip(heights, passages["words"], strict=True):
        place = ax.get_yaxis_transform()
        words += "  "  # other resolutions set text a little wider
        ax.text(1.03, height, words, transform=place, va="center", color=INK, fontsize="small")
    ax.axvline(0, color=INK, linewidth=0.6)
    ax.set_yticks(heights, passages["passage"])
    ax.set_ylim(len(passages) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)
    ax.grid(False)
    ax.grid(True, axis="x")
    ax.set_xlabel("score")
    ax.set_title(title, loc="left")


def _draw_scores(ax, scores):
    """Discs on the nine central blobs, and a frame around the highest."""
    low, high = scores.min(), scores.max()
    shares = (scores - low) / (high - low) if high > low else np.zeros(9)
    for i, share in enumerate(shares):
        place = (2 + i % 3, 2 + i // 3)  # among the 7 x 7 blobs
        radius = 0.36 * np.sqrt(share)
        ax.add_patch(Circle(place, radius, facecolor=FRAME, edgecolor=INK, linewidth=0.5))
    top = scores.argmax()
    _frame(ax, (2 + top % 3, 2 + top // 3), 2.4, 1.2)


def _frame(ax, place, outer, inner):
    """A white frame with dark edges around a blob."""
    for color, linewidth in ((INK, outer), (FRAME, inner)):
        corner = (place[0] - 0.5, place[1] - 0.5)
        ax.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=color, linewidth=linewidth))


def _number(ax, place, i, colour):
    """The number of an instance, dark on light colours and light on dark ones."""
    ink = INK if colour @ (0.3, 0.6, 0.1) > 130 else FRAME
    ax.text(*place, str(i + 1), ha="center", va="center", color=ink, fontsize=7)


def _opened(image):
    """A path as a picture; pictures and arrays as they are."""
    return Image.open(image) if isinstance(image, (str, os.PathLike)) else image


def _signed(number):
    return f"{number:+.2f}".replace("-", "\N{MINUS SIGN}")
