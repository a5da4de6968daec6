"""Drawn bags of any size, to see how costs grow with it."""

from __future__ import annotations

import numpy as np

from mimlpaper.bags import Bags

__all__ = ["make_bags"]

LABELS_EACH = 4  # one label in so many
SPREAD = 0.15


def make_bags(
    n_bags: int, n_instances: int, n_labels: int, *, n_features: int = 16, random_state: int = 0
) -> tuple[Bags, np.ndarray]:
    """Draw bags of one size, whose label sets are of one size too.

    Each label is a Gaussian cloud of its own in the unit cube. A bag has every fourth label,
    chosen at random, and each of its instances comes from the cloud of one of them, or, every
    other one, from anywhere. So the share of bags with a label does not depend on any size.

    Parameters
    ----------
    n_bags, n_instances : int, bags, and instances of each.
    n_labels : int, a multiple of 4.
    n_features : int, default 16
    random_state : int, default 0

    Returns
    -------
    X : Bags, features from 0 to 1.
    Y : bool array (n_bags, n_labels), n_labels / 4 of each row True.
    """
    for name, value in (("n_bags", n_bags), ("n_instances", n_instances)):
        if value < 1:
            raise ValueError(f"{name} must be at least 1, got {value}")
    if n_labels < LABELS_EACH or n_labels % LABELS_EACH:
        raise ValueError(f"n_labels must be a multiple of {LABELS_EACH}, got {n_labels}")
    rng = np.random.default_rng(random_state)
    centres = rng.random((n_labels, n_features))
    ranks = rng.random((n_bags, n_labels)).argsort(axis=1)
    had = ranks[:, : n_labels // LABELS_EACH]  # (n_bags, n_labels / 4), the labels of each bag
    Y = np.zeros((n_bags, n_labels), dtype=bool)
    np.put_along_axis(Y, had, True, axis=1)
    chosen = rng.integers(had.shape[1], size=(n_bags, n_instances))
    labels = np.take_along_axis(had, chosen, axis=1)  # (n_bags, n_instances)
    instances = centres[labels] + SPREAD * rng.standard_normal((*labels.shape, n_features))
    anywhere = rng.random(labels.shape) < 0.5
    instances[anywhere] = rng.random((anywhere.sum(), n_features))
    offsets = np.arange(n_bags + 1) * n_instances
    return Bags(instances.clip(0.0, 1.0).reshape(-1, n_features), offsets), Y
