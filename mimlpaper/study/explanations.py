"""Explanations of labels by instances: drawn on images and texts.

A function ``draw_…`` takes data and axes, ``explained_…`` a fitted learner, and makes a figure.
"""

import os
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Rectangle
from pandas.io.formats.style import Styler
from PIL import Image

from mimlpaper.bags import Bags
from mimlpaper.datasets import ImageBags, scene_mosaic
from mimlpaper.reasons import explain, telling_features
from mimlpaper.study.rendering import INK, RIGHT, WRONG

FRAME = "#ffffff"
AGAINST, FOR = "#bbbbbb", "#8fbbe0"  # bars of scores
BLOBS = [(2 + i % 3, 2 + i // 3) for i in range(9)]  # of the instances, among the 7 x 7 blobs
VERDICTS = {(True, True): "right", (True, False): "wrong", (False, True): "missed"}


def draw_mosaic(ax: Axes, bag: np.ndarray):
    """An image's 7 x 7 blobs of colour, recovered from its nine instances (9, 15).

    33 colours are exact; the four corners of 2 x 2 blobs stay empty. Features are raw, as in the
    scene data set and from :class:`~mimlpaper.datasets.ImageBags`.
    """
    mosaic = scene_mosaic(bag)
    known = np.isfinite(mosaic)
    colours = np.where(known, mosaic, 0.0).clip(0, 255) / 255
    ax.imshow(np.concatenate([colours, 1.0 * known[..., :1]], axis=-1), interpolation="nearest")
    ax.set_axis_off()


def draw_explained_scene(
    axes: Sequence[Axes], bag: np.ndarray, scores: np.ndarray, bag_scores: np.ndarray,
    label_names: Sequence[str], true: np.ndarray | None = None, *,
    regions: np.ndarray | None = None, bound: float | None = None,
):  # fmt: skip
    """An image's mosaic with its true labels, then one for each of the highest labels.

    A disc is an instance: white if it speaks for the label, dark if against it, and as large as
    its score; ``bound`` is the largest disc's absolute score, by default the largest shown. The
    highest score has a frame, with ``regions`` green where it is right, otherwise red. A title
    gives the image's score for the label and, with the ``true`` labels, whether its sign is right.

    Parameters
    ----------
    bag : (9, 15), raw features.
    scores, bag_scores : (9, n_labels) from :func:`~mimlpaper.reasons.explain`, and (n_labels,)
        from ``decision_function``.
    true, regions : bool (n_labels,), and bool (9, n_labels): where each label is seen.
    """
    first, *others = axes
    draw_mosaic(first, bag)
    if true is not None:
        first.set_title("\n".join(np.array(label_names)[true]) or "no label")
    shown = np.argsort(-bag_scores)[: len(others)]
    bound = np.abs(scores[:, shown]).max() if bound is None else bound
    for ax, label in zip(others, shown, strict=False):
        draw_mosaic(ax, bag)
        _draw_scores(ax, scores[:, label], bound, None if regions is None else regions[:, label])
        predicted = bool(bag_scores[label] > 0)
        word = "" if true is None else VERDICTS.get((predicted, bool(true[label])), "")
        title = f"{label_names[label]}\n{_signed(bag_scores[label])}{', ' * bool(word)}{word}"
        ax.set_title(title, color=WRONG if word in ("wrong", "missed") else INK)


def explained_scenes(
    estimator, bags: Bags, label_names: Sequence[str], *, true: np.ndarray | None = None,
    images: Sequence | None = None, regions: np.ndarray | None = None, n_shown: int = 2,
) -> Figure:  # fmt: skip
    """A row for each image: :func:`draw_explained_scene` for its ``n_shown`` highest labels.

    One scale of scores holds for the whole figure. The estimator is fitted on bags of nine
    instances with raw features. ``true`` is bool (n_bags, n_labels), ``regions`` bool
    (n_instances, n_labels): where each label is seen. ``images`` are pictures for the left of each
    row, as :class:`~mimlpaper.datasets.ImageBags` takes them.
    """
    scores, reasons = estimator.decision_function(bags), explain(estimator, bags)
    n_columns = 1 + n_shown + (images is not None)
    figure, axes = plt.subplots(
        len(bags), n_columns, figsize=(1.75 * n_columns, 1.87 * len(bags) + 0.3), squeeze=False,
        layout="constrained",
    )  # fmt: skip
    shown = np.argsort(np.argsort(-scores)) < n_shown  # (n_bags, n_labels)
    bound = np.abs(reasons[shown[bags.bag_of_instance]]).max()
    for i, row in enumerate(axes):
        if images is not None:
            is_path = isinstance(images[i], (str, os.PathLike))
            row[0].imshow(Image.open(images[i]) if is_path else images[i])
            row[0].set_axis_off()
        own = slice(bags.offsets[i], bags.offsets[i + 1])
        draw_explained_scene(
            row[-1 - n_shown :], bags[i], reasons[own], scores[i], label_names,
            None if true is None else true[i], regions=None if regions is None else regions[own],
            bound=bound,
        )  # fmt: skip
    _key(figure, bound)
    return figure


def explained_images(estimator, images: Sequence, label_names: Sequence[str], **options) -> Figure:
    """:func:`explained_scenes` of images that are not bags yet: paths, arrays, Pillow images."""
    images = list(images)
    bags = ImageBags().transform(images)
    return explained_scenes(estimator, bags, label_names, images=images, **options)


def explained_text(
    estimator, bag: np.ndarray, label_names: Sequence[str],
    feature_names: Sequence[str] | None = None, n_shown: int = 2,
) -> Styler:  # fmt: skip
    """A table of a text's ``n_shown`` highest labels: passages, bars of scores, telling words.

    The highest bar is dark, and next to each bar stand its telling words. The other parameters are
    those of :func:`telling_words`.
    """
    scores = estimator.decision_function([bag])[0]
    passages = {
        f"{label_names[label]} {_signed(scores[label])}": telling_words(
            estimator, bag, label, feature_names
        )
        for label in np.argsort(-scores)[:n_shown]
    }
    table = pd.concat(passages, names=["label", None]).reset_index(level=0)
    styler = table.reset_index(drop=True).style.hide(axis="index").format(_signed, subset="score")
    return styler.bar(subset="score", align="zero", color=[AGAINST, FOR])


def telling_words(
    estimator, bag: np.ndarray, label: int, feature_names: Sequence[str] | None = None,
    n_words: int = 4,
) -> pd.DataFrame:  # fmt: skip
    """Each passage's score for a label, and the words without which the score would fall most.

    One row for each passage. Columns: passage, its number, or "whole text" where a passage is
    the sum of the others; score; words, ``n_words`` at most, with their counts. Words against the
    label are left out.

    The estimator is fitted on bags of word counts, as ``bag`` (n_instances, n_features) has them.
    The words are ``feature_names``, by default "word 1", "word 2", …
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


def _draw_scores(ax, scores, bound, region):
    """Discs on the nine central blobs, and a frame around the highest."""
    for blob, score in zip(BLOBS, scores, strict=True):
        radius = 0.4 * np.sqrt(min(abs(score) / bound, 1)) if bound else 0.0
        face, edge = (FRAME, INK) if score > 0 else (INK, FRAME)
        ax.add_patch(Circle(blob, radius, facecolor=face, edgecolor=edge, linewidth=0.5))
    top = scores.argmax()
    color = FRAME if region is None else RIGHT if region[top] else WRONG
    _frame(ax, BLOBS[top], 3.4, 1.8, color)


def _key(figure, bound):
    """What the discs mean, below the figure."""
    texts = {FRAME: f"for the label, at most +{bound:.2f}"}
    texts[INK] = f"against it, at most {_signed(-bound)}"
    look = dict(linestyle="", marker="o", markersize=7, markeredgewidth=0.5, markeredgecolor=INK)
    handles = [Line2D([], [], markerfacecolor=c, label=text, **look) for c, text in texts.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)


def _frame(ax, blob, outer, inner, color=FRAME):
    """A frame with dark edges around a blob."""
    corner = np.array(blob) - 0.5
    for edge, linewidth in ((INK, outer), (color, inner)):
        ax.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=edge, linewidth=linewidth))


def _signed(number):
    return f"{number:+.2f}".replace("-", "\N{MINUS SIGN}")
