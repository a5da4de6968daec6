"""The derived sets of Section 5.5: scenes and texts with 10 to 50 % multi-label examples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from mimlpaper.datasets.dataset import Dataset
from mimlpaper.datasets.reuters import REUTERS, load_reuters
from mimlpaper.datasets.scene import SCENE, load_scene
from mimlpaper.datasets.synthetic_scene import SYNTHETIC_SCENE, load_synthetic_scene
from mimlpaper.datasets.synthetic_texts import SYNTHETIC_TEXTS, load_synthetic_texts

__all__ = ["DERIVED_FROM", "DERIVED_LOADERS", "PERCENTAGES", "with_percentage"]

PERCENTAGES = (10, 20, 30, 40, 50)

# The paper keeps no list of what it removed. One order of removal serves all percentages, so
# that sets of neighbouring percentages differ by as little as they can.
SEED = 0


def with_percentage(dataset: Dataset, percentage: int) -> Dataset:
    """``dataset`` with that share of examples with several labels, by removing some at random.

    Examples with one label are removed if there are too many of those, otherwise examples with
    several. What is left keeps its order.

    Parameters
    ----------
    dataset : multi-label Dataset without empty label sets
    percentage : int, between 1 and 99

    Raises
    ------
    ValueError
        If the percentage is out of range, or too few examples of a kind are there to begin with.
    """
    if not 0 < percentage < 100:
        raise ValueError(f"percentage must lie between 1 and 99, got {percentage}")
    several = dataset.Y.sum(axis=1) > 1
    if several.all() or not several.any():
        raise ValueError(
            f"{dataset.name} must hold examples of one label and of several, got {several.sum()} "
            f"of {len(several)} with several"
        )
    ratio = percentage / (100 - percentage)  # of examples with several labels to those with one
    n_several, n_single = several.sum(), (~several).sum()
    order = np.random.default_rng(SEED).permutation(len(dataset))
    of_several, of_single = order[several[order]], order[~several[order]]
    if n_several < ratio * n_single:
        of_single = of_single[: round(n_several / ratio)]
    else:
        of_several = of_several[: round(n_single * ratio)]
    kept = np.sort(np.concatenate([of_several, of_single]))
    labels = dataset.instance_labels
    if labels is not None:
        labels = labels[np.isin(dataset.X.bag_of_instance, kept)]
    return replace(
        dataset,
        name=f"{dataset.name}:{percentage}%",
        X=dataset.X[kept],
        Y=dataset.Y[kept],
        kind="re-derived" if dataset.kind == "original" else dataset.kind,
        n_train=None,
        instance_labels=labels,
    )


def _loader(load, percentage):
    def load_derived(**where) -> Dataset:
        return with_percentage(load(**where), percentage)

    return load_derived


ORIGINS = (
    (SCENE, load_scene),
    (REUTERS, load_reuters),
    (SYNTHETIC_SCENE, load_synthetic_scene),
    (SYNTHETIC_TEXTS, load_synthetic_texts),
)

# "scene:10%" and so on.
DERIVED_LOADERS: dict[str, Callable[..., Dataset]] = {
    f"{source.name}:{percentage}%": _loader(load, percentage)
    for source, load in ORIGINS
    for percentage in PERCENTAGES
}

DERIVED_FROM = {name: name.split(":")[0] for name in DERIVED_LOADERS}
