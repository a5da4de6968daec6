"""Plots of explanations. They need matplotlib: ``pip install 'mimlpaper[notebooks]'``."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from numbers import Integral
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mimlpaper.arrays import label_array, order_by_name
from mimlpaper.bags import Bags, in_order_of_examples, names_of_examples
from mimlpaper.base import last_step, second_class
from mimlpaper.datasets import ImageBags, scene_mosaic
from mimlpaper.datasets.images_and_texts import images_in, picture_of
from mimlpaper.datasets.labelled import check_ordered
from mimlpaper.explanations import explain
from mimlpaper.metrics import scores_of

INK, WHITE = "#222222", "#ffffff"
# Of reasons and predictions: green and vermilion of Okabe and Ito.
RIGHT, WRONG = "#009E73", "#D55E00"
BLOBS = [(2 + i % 3, 2 + i // 3) for i in range(9)]  # of the instances, among the 7 x 7 blobs


def draw_mosaic(ax: Axes, bag: np.ndarray):
    """An image's 7 x 7 blobs, but for the corners, from its nine raw instances (9, 15)."""
    mosaic = scene_mosaic(bag)
    known = np.isfinite(mosaic)
    colours = np.where(known, mosaic, 0.0).clip(0, 255) / 255
    opacity = 1.0 * known[..., :1]
    ax.imshow(np.concatenate([colours, opacity], axis=-1), interpolation="nearest")
    ax.set_axis_off()


def explained_images(
    estimator,
    images: Bags | Iterable,
    label_names: Sequence,
    *,
    true: np.ndarray | pd.DataFrame | None = None,
    regions: np.ndarray | pd.DataFrame | None = None,
    n_shown: int = 2,
) -> Figure:
    """A row for each image: its mosaic with its true labels, then its highest labels with reasons.

    A disc is an instance: white if it speaks for the label, dark if against it, and as large as
    its score. The highest score has a frame. A title gives the image's score.

    Parameters
    ----------
    estimator : fitted learner, pipeline or search
        Fitted on bags of nine instances with raw features, as ``ImageBags()`` makes them.
    images : Bags, or list, dict or Series of paths, arrays or Pillow images
        Images of the latter kinds stand on the left of their rows.
    label_names : sequence of n_labels names
        In any order if they are the columns of the Y that was fitted, else in its order.
    true : bool array or DataFrame (n_bags, n_labels), or None, default None
        The true labels; titles then say whether they are predicted. Columns are ``label_names``, in
        their order or, of a DataFrame, by name; its rows go by the names of the images, if these
        have names.
    regions : bool array or DataFrame (n_instances, n_labels), or None, default None
        Where each label is seen; frames are then green where they are right, and else red. The
        rows of a DataFrame with an index (bag, instance) go by it, where images without names are
        numbered; columns as of ``true``.
    n_shown : int >= 1, default 2
        Number of labels shown of each image; all if there are fewer.
    """
    if not isinstance(n_shown, Integral) or n_shown < 1:
        raise ValueError(f"n_shown must be an integer of at least 1, got {n_shown!r}")
    pictures = None if isinstance(images, Bags) else images_in(images)
    bags = images
    if pictures is not None:
        bags = ImageBags().transform(pictures).with_names(names_of_examples(images))
    # A learner of one label has a score a bag.
    scores = scores_of(estimator, bags).reshape(len(bags), -1)
    reasons = explain(estimator, bags).reshape(bags.n_instances, -1)
    names = _in_order_of_labels(label_names, estimator, scores.shape[1])
    if regions is not None:
        regions = _in_order_of_instances(regions, bags)
        regions = _truths("regions", regions, label_names, names, reasons.shape)
    predicted = None
    if true is not None:
        true = in_order_of_examples(true, images)
        true = _truths("true", true, label_names, names, scores.shape)
        predicted = _predicted(estimator, bags, scores.shape)
    rows = []
    for i, instances in enumerate(slice(*ends) for ends in pairwise(bags.offsets)):
        shown = np.argsort(-scores[i])[:n_shown]
        outcomes = [""] * len(shown)
        if true is not None:
            outcomes = list(map(_outcome, predicted[i, shown], true[i, shown]))
        row = _Row(
            bag=bags[i],
            picture=None if pictures is None else pictures[i],
            labels=[names[label] for label in shown],
            scores=scores[i, shown],
            reasons=reasons[instances][:, shown],
            regions=None if regions is None else regions[instances][:, shown],
            true_labels=None if true is None else [names[k] for k in np.flatnonzero(true[i])],
            outcomes=outcomes,
        )
        rows.append(row)
    # Discs of all images have one scale.
    bound = max((np.abs(row.reasons).max() for row in rows), default=0.0)
    n_columns = 1 + min(n_shown, scores.shape[1]) + (pictures is not None)
    figure, axes = _grid(len(rows), n_columns)
    for row_of_axes, row in zip(axes, rows, strict=True):
        _draw_row(row_of_axes, row, bound)
    _draw_key(figure, bound)
    return figure


class _Row(NamedTuple):
    """What is drawn of one image, and of the labels with its highest scores."""

    bag: np.ndarray  # (9, 15)
    picture: object  # None if the images are bags
    labels: list
    scores: np.ndarray  # (n_shown,)
    reasons: np.ndarray  # (9, n_shown)
    regions: np.ndarray | None  # (9, n_shown)
    true_labels: list | None
    outcomes: list[str]  # what became of each label, where the truth is known


def _draw_row(axes, row, bound):
    """The picture, the mosaic with the true labels, and the labels with their reasons."""
    axes = list(axes)
    if row.picture is not None:
        _draw_picture(axes.pop(0), row.picture)
    ax_mosaic, *axes_of_labels = axes
    draw_mosaic(ax_mosaic, row.bag)
    if row.true_labels is not None:
        title = "\n".join(map(str, row.true_labels)) or "no label"
        ax_mosaic.set_title(title, parse_math=False)
    for k, ax in enumerate(axes_of_labels):
        seen = None if row.regions is None else row.regions[:, k]
        _draw_discs(ax, row.bag, row.reasons[:, k], bound, seen)
        _set_title(ax, row.labels[k], row.scores[k], row.outcomes[k])


def _predicted(estimator, bags, shape):
    """Predicted label sets as booleans; a learner of one label may have any two classes."""
    predicted = np.asarray(estimator.predict(bags))
    classes = np.asarray(getattr(estimator, "classes_", ()))
    if predicted.ndim == 1 and classes.shape == (2,):
        predicted = second_class("predictions", predicted, classes)
    return predicted.reshape(shape) > 0


def _in_order_of_labels(label_names, estimator, n_labels):
    """The names as a list, in the order of the labels that the estimator has learned by name."""
    check_ordered(label_names, "label")
    names = list(label_names)
    if len(names) != n_labels:
        raise ValueError(f"label_names must be {n_labels}, one for each label, got {len(names)}")
    learner = last_step(estimator)
    # Without names labels are numbered from 0 on.
    learned = getattr(learner, "label_names_", range(n_labels))
    if [*learned] == [*range(n_labels)]:
        return names
    what = "label_names and the labels of the estimator"
    return [names[place] for place in order_by_name(what, names, learned)]


def _in_order_of_instances(values, bags):
    """A table whose index names bag and instance, in their order; else the values as they are."""
    index = getattr(values, "index", None)
    if not isinstance(index, pd.MultiIndex):
        return values
    if index.names == ["instance", "bag"]:
        values = values.swaplevel()
        index = values.index
    wanted = []
    # Images without names are numbered.
    names = range(len(bags)) if bags.names is None else bags.names
    for name, size in zip(names, bags.sizes, strict=True):
        wanted += [(name, instance) for instance in range(size)]
    if set(index) != set(wanted) or index.has_duplicates:
        raise ValueError(
            f"regions must have the index (bag, instance) of the images, got {index[:3].tolist()}"
        )
    return values.reindex(pd.MultiIndex.from_tuples(wanted))


def _truths(what, values, label_names, names, shape):
    """Label sets as booleans (n, n_labels), in the order of ``names``.

    Columns of an array are ``label_names``; those of a table have names of their own.
    """
    truths = label_array(what, values)
    if truths.shape != shape:
        raise ValueError(f"{what} must have the shape {shape}, got {truths.shape}")
    columns = values.columns if isinstance(values, pd.DataFrame) else list(label_names)
    return truths[:, order_by_name(f"{what} and label_names", columns, names)]


def _grid(n_rows, n_columns):
    """A figure with axes for rows of small pictures, and room for a key."""
    return plt.subplots(
        n_rows,
        n_columns,
        figsize=(1.75 * n_columns, 1.87 * n_rows + 0.3),
        squeeze=False,
        layout="constrained",
    )


def _set_title(ax, name, score, outcome):
    """The label's name, its score and, where the truth is known, what became of it."""
    parts = [_signed(score), outcome] if outcome else [_signed(score)]
    color = WRONG if outcome in ("wrong", "missed") else INK
    # A dollar in a name begins no formula.
    ax.set_title(f"{name}\n{', '.join(parts)}", color=color, parse_math=False)


def _draw_picture(ax, picture):
    ax.imshow(picture_of(picture))
    ax.set_axis_off()


def _outcome(predicted, true) -> str:
    """What became of a label; "" if it is rightly not predicted."""
    if true:
        return "right" if predicted else "missed"
    return "wrong" if predicted else ""


def _draw_discs(ax, bag, scores, bound, seen):
    """Discs on the nine central blobs of a mosaic, and a frame around the highest score."""
    draw_mosaic(ax, bag)
    for blob, score in zip(BLOBS, scores, strict=True):
        share = min(abs(score) / bound, 1) if bound else 0.0
        radius = 0.4 * np.sqrt(share)  # the area of a disc stands for its score
        face, edge = (WHITE, INK) if score > 0 else (INK, WHITE)
        look = dict(facecolor=face, edgecolor=edge, linewidth=0.5)
        ax.add_patch(plt.Circle(blob, radius, **look))
    top = scores.argmax()
    color = WHITE
    if seen is not None:
        color = RIGHT if seen[top] else WRONG
    corner = np.array(BLOBS[top]) - 0.5
    # A dark edge around the colour, to be seen on any image.
    for edge, linewidth in ((INK, 3.4), (color, 1.8)):
        look = dict(fill=False, edgecolor=edge, linewidth=linewidth)
        ax.add_patch(plt.Rectangle(corner, 1, 1, **look))


def _draw_key(figure, bound):
    texts = {
        WHITE: f"instance for the label, at most {_signed(bound)}",
        INK: f"instance against it, at most {_signed(-bound)}",
    }
    look = dict(
        linestyle="",
        marker="o",
        markersize=7,
        markeredgewidth=0.5,
        markeredgecolor=INK,
    )
    handles = []
    for face, text in texts.items():
        disc = plt.Line2D([], [], markerfacecolor=face, label=text, **look)
        handles.append(disc)
    figure.legend(handles=handles, loc="outside lower center", ncols=2)


def _signed(number):
    return f"{number:+.2f}".replace("-", "\N{MINUS SIGN}")
