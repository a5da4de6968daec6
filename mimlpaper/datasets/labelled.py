"""Bags with label sets and the names of everything: what a file of a reader's own holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mimlpaper.bags import Bags, as_bags

__all__ = ["LabelledBags", "labelled_bags"]


class LabelledBags(NamedTuple):
    """Bags, their labels and all names; :func:`labelled_bags` builds one and checks it.

    Attributes
    ----------
    X : Bags
    Y : bool array (n_bags, n_labels)
    label_names : tuple of str, (n_labels,)
    feature_names : tuple of str, (n_features,)
    bag_names : tuple of str, (n_bags,)
    """

    X: Bags
    Y: np.ndarray
    label_names: tuple[str, ...]
    feature_names: tuple[str, ...]
    bag_names: tuple[str, ...]

    def __repr__(self) -> str:
        return f"LabelledBags({self.X!r}, labels {', '.join(self.label_names)})"


def labelled_bags(
    X,
    Y,
    label_names: Sequence[str],
    *,
    feature_names: Sequence[str] | None = None,
    bag_names: Sequence[str] | None = None,
) -> LabelledBags:
    """Bags and labels with names, checked against each other.

    Parameters
    ----------
    X : Bags, or list of 2-D arrays
    Y : (n_bags, n_labels), booleans, or 0 and 1
    label_names : n_labels of them
    feature_names : n_features of them; None for f1, f2, …
    bag_names : n_bags of them; None for bag1, bag2, …

    Raises
    ------
    ValueError
        If counts do not agree, a label is neither 0 nor 1, or a name is not printable, has
        spaces around it, or stands twice among its kind.
    """
    X, Y = as_bags(X), np.asarray(Y)
    if Y.ndim != 2 or len(Y) != len(X) or Y.shape[1] == 0:
        raise ValueError(
            f"Y must have one row for each of {len(X)} bags and at least one column, "
            f"got shape {Y.shape}"
        )
    if Y.dtype.kind not in "biuf" or not np.isin(Y, (0, 1)).all():
        raise ValueError("Y must hold booleans, or 0 and 1")
    return LabelledBags(
        X,
        Y.astype(bool),
        checked_names(label_names, "label", Y.shape[1]),
        checked_names(feature_names, "feature", X.n_features, prefix="f"),
        checked_names(bag_names, "bag", len(X), prefix="bag"),
    )


def as_labelled(data) -> LabelledBags:
    """A :class:`LabelledBags` or :class:`Dataset` of bags, with names for what has none."""
    Y = getattr(data, "y", None)
    return labelled_bags(
        data.X,
        data.Y if Y is None else Y[:, None],
        data.label_names,
        feature_names=data.feature_names,
        bag_names=getattr(data, "bag_names", None),
    )


def checked_names(names, kind: str, n: int, prefix: str = "") -> tuple[str, ...]:
    """``n`` different names; None stands for ``prefix`` with numbers from 1."""
    if names is None:
        names = [f"{prefix}{i + 1}" for i in range(n)]
    names = [str(name) if isinstance(name, str) else name for name in names]  # NumPy's too
    if len(names) != n:
        raise ValueError(f"{n} {kind} names are needed, got {len(names)}")
    for name in names:
        if not isinstance(name, str) or not name.isprintable() or not name or name != name.strip():
            raise ValueError(
                f"the name of a {kind} must be printable text without spaces around it, "
                f"got {name!r:.60}"
            )
    if len(set(names)) < n:
        twice = next(name for i, name in enumerate(names) if name in set(names[:i]))
        raise ValueError(f"{kind} names must differ, but {twice!r} stands twice")
    return tuple(names)
