"""Explanations of labels by instances: drawn on images, and as a table of a text."""

import os
from collections.abc import Sequence
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Rectangle
from PIL import Image

from mimlpaper.bags import Bags
from mimlpaper.datasets import ImageBags, scene_mosaic
from mimlpaper.reasons import explain
from mimlpaper.study.figures import INK, RIGHT, WRONG

WHITE = "#ffffff"
BLOBS = [(2 + i % 3, 2 + i // 3) for i in range(9)]  # of the instances, among the 7 x 7 blobs
OUTCOMES = {  # of (predicted, true)
    (True, True): "right", (True, False): "wrong", (False, True): "missed", (False, False): ""
}  # fmt: skip


def draw_mosaic(ax: Axes, bag: np.ndarray):
    """An image's 7 x 7 blobs, but for the corners, from its nine raw instances (9, 15)."""
    mosaic = scene_mosaic(bag)
    known = np.isfinite(mosaic)
    colours = np.where(known, mosaic, 0.0).clip(0, 255) / 255
    ax.imshow(np.concatenate([colours, 1.0 * known[..., :1]], axis=-1), interpolation="nearest")
    ax.set_axis_off()


def explained_scenes(
    estimator, bags: Bags, label_names: Sequence[str], *, true: np.ndarray | None = None,
    images: Sequence | None = None, regions: np.ndarray | None = None, n_shown: int = 2,
) -> Figure:  # fmt: skip
    """A row for each image: its mosaic with its true labels, then its ``n_shown`` highest labels.

    A disc is an instance: white if it speaks for the label, dark if against it, and as large as
    its score. The highest score has a frame, with ``regions`` (bool, (n_instances, n_labels), where
    each label is seen) green where it is right, otherwise red. A title gives the image's score and,
    with the ``true`` labels (bool, (n_bags, n_labels)), whether its sign is right. The estimator is
    fitted on bags of nine instances with raw features. ``images`` (paths, arrays or Pillow images)
    stand on the left.
    """
    scores, reasons = estimator.decision_function(bags), explain(estimator, bags)
    n_columns = 1 + n_shown + (images is not None)
    figure, axes = plt.subplots(
        len(bags), n_columns, figsize=(1.75 * n_columns, 1.87 * len(bags) + 0.3), squeeze=False,
        layout="constrained",
    )  # fmt: skip
    order = np.argsort(-scores)[:, :n_shown]
    own = [slice(*ends) for ends in pairwise(bags.offsets)]
    bound = max(np.abs(reasons[own[i]][:, labels]).max() for i, labels in enumerate(order))
    for i, row in enumerate(axes):
        if images is not None:
            is_path = isinstance(images[i], (str, os.PathLike))
            row[0].imshow(Image.open(images[i]) if is_path else images[i])
            row[0].set_axis_off()
        first, *others = row[-1 - n_shown :]
        draw_mosaic(first, bags[i])
        if true is not None:
            first.set_title("\n".join(np.array(label_names)[true[i]]) or "no label")
        for ax, label in zip(others, order[i], strict=False):
            seen = None if regions is None else regions[own[i], label]
            _draw_label(ax, bags[i], reasons[own[i], label], bound, seen)
            outcome, score = "", scores[i, label]
            if true is not None:
                outcome = OUTCOMES[bool(score > 0), bool(true[i, label])]
            title = ", ".join(filter(None, (_signed(score), outcome)))
            color = WRONG if outcome in ("wrong", "missed") else INK
            ax.set_title(f"{label_names[label]}\n{title}", color=color)
    _key(figure, bound)
    return figure


def explained_images(estimator, images: Sequence, label_names: Sequence[str], **options) -> Figure:
    """:func:`explained_scenes` of images that are not bags yet: paths, arrays, Pillow images."""
    images = list(images)
    bags = ImageBags().transform(images)
    return explained_scenes(estimator, bags, label_names, images=images, **options)


def _draw_label(ax, bag, scores, bound, seen):
    """Discs on the nine central blobs of a mosaic, and a frame around the highest score."""
    draw_mosaic(ax, bag)
    for blob, score in zip(BLOBS, scores, strict=True):
        radius = 0.4 * np.sqrt(min(abs(score) / bound, 1)) if bound else 0.0
        face, edge = (WHITE, INK) if score > 0 else (INK, WHITE)
        ax.add_patch(Circle(blob, radius, facecolor=face, edgecolor=edge, linewidth=0.5))
    top = scores.argmax()
    color = WHITE if seen is None else RIGHT if seen[top] else WRONG
    corner = np.array(BLOBS[top]) - 0.5
    for edge, linewidth in ((INK, 3.4), (color, 1.8)):
        ax.add_patch(Rectangle(corner, 1, 1, fill=False, edgecolor=edge, linewidth=linewidth))


def _key(figure, bound):
    texts = {WHITE: f"for the label, at most +{bound:.2f}"}
    texts[INK] = f"against it, at most {_signed(-bound)}"
    look = dict(linestyle="", marker="o", markersize=7, markeredgewidth=0.5, markeredgecolor=INK)
    handles = [Line2D([], [], markerfacecolor=c, label=text, **look) for c, text in texts.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=2)


def _signed(number):
    return f"{number:+.2f}".replace("-", "\N{MINUS SIGN}")
