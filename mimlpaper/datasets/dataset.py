"""Dataset: examples, their labels, and where they come from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mimlpaper.bags import Bags

__all__ = ["Dataset"]

KINDS = ("original", "re-derived", "synthetic")


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Examples and labels of one data set, with their provenance.

    A multi-label set has ``Y`` (n_examples, n_labels), a multi-instance single-label set
    has ``y`` (n_examples,); the other one is None.

    Parameters
    ----------
    name : str
        The name by which :func:`~mimlpaper.datasets.load` knows it.
    X : Bags, or array (n_examples, n_features)
    label_names : tuple of str, (n_labels,); for a single-label set the name of the positive class.
    kind : {"original", "re-derived", "synthetic"}
        The values that the paper used; the same made anew from the raw source by the
        paper's recipe; drawn by this library.
    sha256 : str
        Of the file that holds the numbers, or of what was drawn.
    citation, terms : str
        What to cite, and the terms of use as far as the source states them.
    Y : bool array (n_examples, n_labels), or None
    y : bool array (n_examples,), or None
    feature_names : tuple of str, (n_features,), or None
    n_train : int or None
        Where the source fixes a split: the first ``n_train`` examples are for training.
    instance_labels : bool array (n_instances, n_labels), or None
        Which instance shows which label; known of synthetic sets only.
    """

    name: str
    X: Bags | np.ndarray
    label_names: tuple[str, ...]
    kind: str
    sha256: str
    citation: str
    terms: str
    Y: np.ndarray | None = None
    y: np.ndarray | None = None
    feature_names: tuple[str, ...] | None = None
    n_train: int | None = None
    instance_labels: np.ndarray | None = None

    def __post_init__(self):
        if (self.Y is None) == (self.y is None):
            raise ValueError(f"{self.name} must have either Y or y")
        labels = self.y[:, None] if self.Y is None else self.Y
        if labels.dtype != bool or labels.shape != (len(self.X), self.n_labels):
            raise ValueError(
                f"labels of {self.name} must be booleans, one row for each of {len(self.X)} "
                f"examples and {self.n_labels} label(s), got {labels.dtype} {labels.shape}"
            )
        if self.kind not in KINDS:
            raise ValueError(f"kind must be one of {KINDS}, got {self.kind!r}")

    @property
    def n_labels(self) -> int:
        return len(self.label_names)

    def __len__(self) -> int:
        return len(self.X)

    def __repr__(self) -> str:
        labels = f"{self.n_labels} labels" if self.y is None else f"label {self.label_names[0]!r}"
        X = self.X if isinstance(self.X, Bags) else f"array {self.X.shape}"
        return f"Dataset({self.name!r}, {X}, {labels}, {self.kind})"
