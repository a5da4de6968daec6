"""Explanations drawn: label scores over an image's colour mosaic, telling words of a text.

As in :mod:`~mimlpaper.report.figures`, each function draws data on given axes, and fits nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Circle, Rectangle

from mimlpaper.datasets import scene_mosaic
from mimlpaper.explain import explain, telling_features

__all__ = ["draw_explained_scene", "draw_explained_text", "draw_mosaic", "telling_words"]

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
    for color, linewidth in ((INK, 2.4), (FRAME, 1.2)):
        corner = (1.5 + top % 3, 1.5 + top // 3)
        ax.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=color, linewidth=linewidth))


def _signed(number):
    return f"{number:+.2f}".replace("-", "\N{MINUS SIGN}")
