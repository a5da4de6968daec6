"""Sketched pictures of Africa and of elsewhere: bags with one label, on the plane of Fig. 2."""

from __future__ import annotations

import hashlib

import numpy as np

from mimlpaper.bags import Bags
from mimlpaper.datasets.dataset import Dataset
from mimlpaper.datasets.sources import Source

__all__ = ["SYNTHETIC_AFRICA", "THINGS", "load_synthetic_africa", "make_africa"]

SYNTHETIC_AFRICA = Source(
    name="synthetic_africa",
    files=(),
    n_examples=80,
    n_instances=280,
    n_features=6,
    n_labels=1,
    citation="drawn by mimlpaper",
    kind="synthetic",
)

# Where in the first two features the instances of a thing lie, within a standard deviation.
THINGS = {
    "tree": (-2.0, 1.6), "grassland": (0.2, -1.8), "house": (-2.6, -1.2), "sea": (2.8, -1.8),
    "lion": (2.4, 0.8), "elephant": (0.4, 2.6),
}  # fmt: skip
SPREAD = 0.55
TELLING = ("lion", "elephant")  # a picture that shows one of them is of Africa


def load_synthetic_africa(*, n_bags: int = 80, random_state: int = 0) -> Dataset:
    """Sketched pictures as bags of two to five things, half of them of Africa.

    Of the six features four are noise. ``instance_labels`` tells which instances are a lion or
    an elephant. See :func:`make_africa`.
    """
    X, y, things = make_africa(n_bags, n_features=6, random_state=random_state)
    telling = np.isin(things, [list(THINGS).index(name) for name in TELLING])
    return Dataset(
        name=SYNTHETIC_AFRICA.name,
        X=X,
        y=y,
        label_names=("Africa",),
        kind=SYNTHETIC_AFRICA.kind,
        sha256=hashlib.sha256(X.instances.tobytes() + y.tobytes()).hexdigest(),
        citation=SYNTHETIC_AFRICA.citation,
        terms="BSD-3-Clause",
        instance_labels=telling[:, None],
    )


def make_africa(
    n_bags: int = 80, *, n_features: int = 2, random_state: int = 0
) -> tuple[Bags, np.ndarray, np.ndarray]:
    """Draw bags of two to five things; those with a lion or an elephant are of Africa.

    Every thing is a Gaussian cloud in the first two features. Neighbouring clouds overlap a
    little, so that no learner is perfect.

    Parameters
    ----------
    n_bags : int, default 80
        Every other bag is of Africa.
    n_features : int, default 2
        Features beyond the second are noise of the same spread as the things' places.
    random_state : int, default 0

    Returns
    -------
    X : Bags
    y : bool array (n_bags,), True for Africa.
    things : int array (n_instances,), the place of each instance in :data:`THINGS`.
    """
    if n_bags < 1:
        raise ValueError(f"n_bags must be at least 1, got {n_bags}")
    if n_features < 2:
        raise ValueError(f"n_features must be at least 2, got {n_features}")
    rng = np.random.default_rng(random_state)
    centres = np.array(list(THINGS.values()))
    y = np.arange(n_bags) % 2 == 0
    sizes = rng.permuted(np.arange(n_bags) % 4 + 2)
    things = [_things(africa, size, rng) for africa, size in zip(y, sizes, strict=True)]
    things = np.concatenate(things)
    instances = np.empty((len(things), n_features))
    instances[:, :2] = centres[things] + SPREAD * rng.standard_normal((len(things), 2))
    instances[:, 2:] = centres.std() * rng.standard_normal((len(things), n_features - 2))
    return Bags(instances, np.concatenate([[0], np.cumsum(sizes)])), y, things


def _things(africa, size, rng):
    """What a picture shows: one telling thing at least if it is of Africa, none if it is not."""
    n_common = len(THINGS) - len(TELLING)
    things = rng.integers(n_common, size=size)
    if africa:
        n_telling = rng.integers(1, min(size, 2) + 1)
        things[:n_telling] = rng.integers(n_common, len(THINGS), size=n_telling)
    return things
