"""Bags with their labels and all names, checked against each other."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from pandas.api.types import is_hashable, is_scalar

from mimlpaper.arrays import label_array, order_by_name, shown, text_of_name
from mimlpaper.bags import Bags, as_bags, chosen_places


@dataclass(frozen=True, eq=False, repr=False)
class LabelledBags:
    """Bags, their labels and all names; a slice, mask or index array gives some of the bags.

    Attributes
    ----------
    X : Bags
        The bags.
    Y : bool array (n_bags, n_labels)
        Which bag has which label.
    label_names : tuple of str
        The labels, in the order of the columns of ``Y``.
    feature_names : tuple of str
        The features, in the order of the columns of the instances.
    bag_names : tuple of str
        The bags, in their order.
    """

    X: Bags
    Y: np.ndarray
    label_names: tuple[str, ...]
    feature_names: tuple[str, ...]
    bag_names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.X)

    def __getitem__(self, key) -> "LabelledBags":
        if isinstance(key, int | np.integer):
            raise TypeError(
                f"some bags are chosen by a slice, mask or list, got {key}; [[{key}]] has one bag, "
                "and .X[i] and .Y[i] are its instances and labels"
            )
        chosen = chosen_places(key, self.bag_names, len(self))
        names = tuple(self.bag_names[i] for i in chosen)
        return replace(self, X=self.X[chosen], Y=self.Y[chosen], bag_names=names)

    def __repr__(self) -> str:
        return f"LabelledBags({self.X!r}, labels {', '.join(self.label_names)})"


def labelled_bags(
    X,
    Y,
    label_names: Sequence[str] | None = None,
    *,
    feature_names: Sequence[str] | None = None,
    bag_names: Sequence[str] | None = None,
) -> LabelledBags:
    """Bags and labels with names, checked against each other; a ValueError if they do not fit.

    Where two arguments hold the same names, they are matched by name: the rows of a DataFrame
    ``Y`` with the bags, its columns with ``label_names``. Without names they are matched by place,
    rows of ``Y`` with the bags of ``X``, also where ``bag_names`` gives these another order; an
    index of numbers is no name of bags that have words for names.
    Names are printable texts without spaces around them, and differ.

    Parameters
    ----------
    X : Bags, or what :meth:`Bags.from_list` takes; missing values are allowed.
    Y : array or DataFrame (n_bags, n_labels) of booleans, or 0 and 1. It may have no columns.
    label_names : sequence of str or None, default None
        Order of the labels; None for the columns of a DataFrame Y, or label1, label2, ….
    feature_names : sequence of str or None, default None, those of X, or f1, f2, ….
    bag_names : sequence of str or None, default None, those of X, or bag1, bag2, ….
    """
    X = as_bags(X, allow_missing=True)
    named_features = X.feature_names if feature_names is None else feature_names
    features = checked_names(named_features, "feature", X.n_features, "f")
    named_bags = X.names
    if bag_names is not None:
        check_ordered(bag_names, "bag")
        named_bags = list(bag_names)
    bags = checked_names(named_bags, "bag", len(X))
    labels = _labels(Y)
    if len(labels) != len(X):
        raise ValueError(f"Y must have one row for each of {len(X)} bags, got {len(labels)}")
    columns = getattr(Y, "columns", None)
    named_labels = columns if label_names is None else label_names
    labels_in_order = checked_names(named_labels, "label", labels.shape[1])

    # What has names on two sides is matched by them.
    if columns is not None:
        places = order_by_name("Y and label_names", columns, labels_in_order)
        labels = labels[:, places]
    have_two_names = bag_names is not None and X.names is not None
    order_of_bags = np.arange(len(X))
    if have_two_names:
        order_of_bags = order_by_name("X and bag_names", X.names, bags)
    order_of_labels = order_of_bags  # labels without names have the order of X
    if isinstance(Y, pd.DataFrame) and named_bags is not None:
        places = order_by_name("Y and the bags", Y.index, named_bags)
        if set(map(text_of_name, Y.index)) == set(bags):
            order_of_labels = places
    labels = labels[order_of_labels]
    instances = X.instances
    if feature_names is not None and X.feature_names is not None:
        places = order_by_name("X and feature_names", X.feature_names, features)
        instances = instances[:, places]
    # Numbered features get names in the result alone: bags without names fit any others.
    known_features = None if named_features is None else features
    X = Bags(instances, X.offsets, known_features, X.names)
    if have_two_names:
        X = X[order_of_bags]
    return LabelledBags(X.with_names(bags), labels, labels_in_order, features, bags)


def _labels(Y):
    """Labels as booleans (n_bags, n_labels); without columns they are not known yet."""
    is_list = isinstance(Y, list | tuple)  # whose rows may have several lengths
    if not is_list and np.shape(Y)[1:] == (0,):
        return np.zeros(np.shape(Y), dtype=bool)
    return label_array("Y", Y)


def check_ordered(names, kind: str):
    """Raise a ValueError for names without an order, and for what holds no names."""
    if isinstance(names, str | set | frozenset) or not isinstance(names, Iterable):
        raise ValueError(f"{kind} names must have an order, as in a list, got {names!r:.60}")


def checked_names(names, kind: str, n: int, start: str = "") -> tuple[str, ...]:
    """``n`` names as texts, checked; None for numbered ones. A ValueError names the bad one."""
    if names is None:
        names = [f"{start or kind}{i + 1}" for i in range(n)]
    check_ordered(names, kind)
    names = list(names)
    for name in names:
        if is_missing(name) or not is_hashable(name) or isinstance(name, bytes):
            raise ValueError(f"{kind} names must be texts or numbers, got {shown(name)}")
    names = tuple(map(text_of_name, names))
    if len(names) != n:
        raise ValueError(f"{n} {kind} names are needed, got {len(names)}")
    for name, times in Counter(names).items():
        is_clean = name.isprintable() and name == name.strip()
        if times > 1 or not is_clean or not name:
            raise ValueError(
                f"{kind} names must differ and be printable text without spaces around it, "
                f"got {name!r:.60} {times} times"
            )
    _check_look(names, kind)
    return names


def is_missing(cell) -> bool:
    """Whether a cell or a name is None, NaN or the like."""
    return bool(is_scalar(cell) and pd.isna(cell))


def _check_look(names, kind):
    """Raise a ValueError for names that look the same: é is one character, or e and an accent."""
    of_look: dict[str, str] = {}
    for name in names:
        same = of_look.setdefault(unicodedata.normalize("NFC", name), name)
        if same != name:
            raise ValueError(f"{kind} names must look different, got {same!a} and {name!a}")


def bags_of_runs(instances: np.ndarray, bag_ids: np.ndarray) -> Bags:
    """Bags of successive instances (n_instances, n_features) with equal ids (n_instances,)."""
    is_change = bag_ids[1:] != bag_ids[:-1]
    starts = np.flatnonzero(np.append(True, is_change))
    ids_of_runs = bag_ids[starts]
    repeated = pd.Index(ids_of_runs).duplicated()
    if repeated.any():
        bag = ids_of_runs[repeated.argmax()]
        raise ValueError(f"the instances of bag {bag!s:.60} must follow each other")
    return Bags(instances, np.append(starts, len(instances)))
