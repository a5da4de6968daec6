"""What the engine needs to know of data sets: a catalogue that the paper's room hands to it."""

import hashlib
from collections.abc import Callable, Iterable
from typing import Protocol

import numpy as np

from mimlpaper.bags import Bags
from mimlpaper.datasets import Dataset


class Catalogue(Protocol):
    """Data sets by name. It is sent to worker processes."""

    how_to_list: str  # what to do if a content is meant to differ from the listed one

    def __hash__(self) -> int:
        """Of equal catalogues the same, also in another process."""

    def load(self, name: str, data_home=None) -> Dataset:
        """The data set; a DataError if its files are missing or damaged."""

    def loader(self, name: str) -> Callable:
        """The function that loads it, which a fingerprint covers."""

    def content(self, name: str) -> str | None:
        """The :func:`content_hash` that it must have; None if its loader draws the data."""

    def drawn_content(self, name: str) -> str | None:
        """The :func:`content_hash` of what its loader draws here; None if it has files."""

    def is_present(self, name: str, data_home=None) -> bool:
        """Whether it can be loaded without a download."""

    def fetch(self, names: Iterable[str], data_home=None) -> None:
        """Download what is missing; a DataError if that fails, or a file is damaged."""

    def n_labels(self, name: str) -> int:
        """How many labels it has; a ValueError if no data set is named so."""

    def stand_in(self, name: str) -> str:
        """The drawn data set that stands for it in the profile "smoke"."""


def content_hash(dataset: Dataset) -> str:
    """A hash of everything in a data set that a trial can see."""
    arrays = [dataset.labels, dataset.instance_labels]
    if isinstance(dataset.X, Bags):
        arrays += [dataset.X.instances, dataset.X.offsets]
    else:
        arrays.append(dataset.X)
    texts = dataset.label_names, dataset.feature_names, dataset.n_train, dataset.kind
    hashed = hashlib.sha256(repr(texts).encode())
    for array in arrays:
        if array is None:
            hashed.update(b"none")
            continue
        array = np.ascontiguousarray(array)
        hashed.update(repr((array.dtype.str, array.shape)).encode())
        hashed.update(array.data)
    return hashed.hexdigest()
