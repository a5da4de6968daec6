"""Bags: many sets of instances in two arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mimlpaper.arrays import WHOLE, check_mask, check_type, order_by_name, real_array, shown

A_KEY = "key must be a place, slice, mask or array of places"
LARGEST = 1e150  # of a feature: distances and kernels take squares, and add them up


@dataclass(frozen=True, eq=False, repr=False)
class Bags:
    """A multi-instance data set: bag ``i`` is ``instances[offsets[i]:offsets[i + 1]]``.

    Every estimator also takes what :meth:`from_list` takes. A ValueError names a bag that is empty
    or holds values beyond :data:`LARGEST`. NaN is a missing value, which learners refuse.

    Parameters
    ----------
    instances : (n_instances, n_features), kept as C-contiguous float64, one bag after the other;
        columns of a DataFrame name the features.
    offsets : (n_bags + 1,) whole numbers, where each bag starts, and the end.
    feature_names, names : sequence or None, default None, names of the features, and of the bags.

    >>> bags = Bags.from_list([[[0.0, 1.0]], [[2.0, 3.0], [4.0, 5.0]]])
    >>> len(bags), bags.sizes.tolist(), bags[1].shape
    (2, [1, 2], (2, 2))
    """

    instances: np.ndarray
    offsets: np.ndarray
    feature_names: Sequence | None = None
    names: Sequence | None = None

    def __post_init__(self):
        if self.feature_names is None and hasattr(self.instances, "columns"):
            object.__setattr__(self, "feature_names", list(self.instances.columns))
        instances = np.ascontiguousarray(real_array("instances", self.instances))
        offsets = _whole_offsets(self.offsets)
        if instances.ndim != 2 or instances.shape[1] == 0:
            raise ValueError(f"instances must be 2-D, with features, got shape {instances.shape}")
        if offsets.ndim != 1 or len(offsets) < 2 or offsets[0] or offsets[-1] != len(instances):
            raise ValueError(
                f"offsets must be 1-D, at least two, from 0 to {len(instances)} instances, got "
                f"{offsets.tolist()!s:.60}; is no bag chosen?"
            )
        object.__setattr__(self, "instances", instances)
        object.__setattr__(self, "offsets", offsets)
        if self.sizes.min() < 0:
            raise ValueError(
                f"offsets must not fall, got {offsets[self.sizes.argmin() + 1]} after "
                f"{offsets[self.sizes.argmin()]}"
            )
        if self.sizes.min() < 1:
            raise ValueError(f"bag {self.sizes.argmin()} is empty; every bag needs an instance")
        self._check_names("feature_names", instances.shape[1])
        self._check_names("names", len(self))
        strange = np.abs(instances) > LARGEST
        if strange.any():
            bag = self.bag_of_instance[strange.any(axis=1).argmax()]
            value = instances[strange][0]
            raise ValueError(
                f"bag {bag} holds {value:.3g}; "
                f"features must be within {LARGEST:.0e}, or squares overflow"
            )

    def _check_names(self, what, n):
        names = getattr(self, what)
        if isinstance(names, set | frozenset):
            raise ValueError(f"{what} must have an order, as in a list, got {names!r:.60}")
        if isinstance(names, str):
            raise ValueError(f"{what} must be a list of names, got one text, {names!r:.60}")
        if names is not None and len(names) != n:
            raise ValueError(f"{what} must be {n}, got {len(names)}")

    @classmethod
    def from_list(cls, bags: Sequence | Mapping) -> Bags:
        """Stack 2-D arrays or DataFrames (n_instances_i, n_features), one a bag.

        Keys of a dict and the index of a Series name the bags, columns of DataFrames the features.
        """
        _check_is_list("bags", bags)
        names = names_of_examples(bags)
        parts = list(bags.values() if isinstance(bags, Mapping) else bags)
        arrays = [_instances_of_bag(i, bag) for i, bag in enumerate(parts)]
        if not arrays:
            hint = ""
            if isinstance(bags, Iterator):
                hint = "; a generator gives its bags once: give list(X)"
            raise ValueError(f"bags must hold at least one bag, got none{hint}")
        columns = [list(bag.columns) if hasattr(bag, "columns") else None for bag in parts]
        n_features = arrays[0].shape[1]
        for i, array in enumerate(arrays):
            if array.shape[1] != n_features:
                raise ValueError(f"bag {i} has {array.shape[1]} features, bag 0 has {n_features}")
            if columns[i] != columns[0]:
                raise ValueError(f"bag {i} has the columns {columns[i]}, bag 0 has {columns[0]}")
        offsets = np.cumsum([0, *map(len, arrays)])
        return cls(np.concatenate(arrays), offsets, columns[0], names)

    @property
    def sizes(self) -> np.ndarray:
        """Number of instances n_i of each bag: (n_bags,)."""
        return np.diff(self.offsets)

    @property
    def shape(self) -> tuple[int]:
        """``(n_bags,)``, so that scikit-learn's splitters keep ``Bags``."""
        return (len(self),)

    @property
    def rows(self):
        """The instances as learners multiply them; ``TranslatedBags`` have another form of them."""
        return self.instances

    @property
    def missing(self) -> np.ndarray:
        """Which instances hold NaN: (n_instances,)."""
        return np.isnan(self.instances).any(axis=1)

    @property
    def instance_sums(self) -> np.ndarray:
        """Sum of the instances of each bag: (n_bags, n_features)."""
        return self.sum(self.instances)

    @property
    def n_instances(self) -> int:
        return len(self.instances)

    @property
    def n_features(self) -> int:
        return self.instances.shape[1]

    @property
    def table(self) -> np.ndarray | pd.DataFrame:
        """The instances, as a DataFrame if the features have names."""
        if self.feature_names is None:
            return self.instances
        return pd.DataFrame(self.instances, columns=list(self.feature_names), copy=False)

    @property
    def bag_of_instance(self) -> np.ndarray:
        """Index of the bag that each instance belongs to: (n_instances,)."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key):
        """An integer gives a bag's array; a slice, mask or index array gives ``Bags``.

        A Series of booleans is matched with the names of the bags.
        """
        if isinstance(key, bool | np.bool_):
            raise TypeError(f"a bag is chosen by its number, got {key}; for some give a mask")
        if isinstance(key, (int, np.integer)):
            i = range(len(self))[key]
            return self.instances[self.offsets[i] : self.offsets[i + 1]]
        chosen = chosen_places(key, self.names, len(self))
        sizes = self.sizes[chosen]
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        # From a place among the chosen instances to the place among all.
        shifts = self.offsets[chosen] - offsets[:-1]
        rows = np.arange(offsets[-1]) + np.repeat(shifts, sizes)
        names = None
        if self.names is not None:
            all_names = list(self.names)
            names = [all_names[i] for i in chosen]
        return Bags(self.instances[rows], offsets, self.feature_names, names)

    def __add__(self, more) -> Bags:
        """These bags, then more, whose features come into the order of these by name."""
        added = as_bags(more, allow_missing=True)
        if added.n_features != self.n_features:
            raise ValueError(f"added bags need {self.n_features} features, got {added.n_features}")
        added = added.in_order_of_features("features of added bags", self.feature_names)
        names = None  # of all bags, or of none
        if self.names is not None and added.names is not None:
            names = [*self.names, *added.names]
        offsets = np.concatenate([self.offsets, self.n_instances + added.offsets[1:]])
        instances = np.concatenate([self.instances, added.instances])
        # Their names are equal, or taken by place: one has none, or numbers beside words.
        feature_names = added.feature_names if self.feature_names is None else self.feature_names
        return Bags(instances, offsets, feature_names, names)

    # scikit-learn's functions would make an array of objects, and fail with words about it.
    def __array__(self, dtype=None, copy=None):
        raise TypeError("bags are no array: take .instances, list(bags), or use SumInstances")

    def __repr__(self) -> str:
        return f"Bags({len(self)} bags, {self.n_instances} instances, {self.n_features} features)"

    def with_names(self, names: Sequence | None) -> Bags:
        """The same bags under other names (n_bags,)."""
        renamed = copy(self)
        object.__setattr__(renamed, "names", names)  # Bags are frozen
        renamed._check_names("names", len(self))
        return renamed

    def in_order_of_features(self, what: str, names: Sequence | None) -> Bags:
        """The same bags with features in the order of ``names``; as they are if either has none.

        A ValueError that names ``what`` says which names differ.
        """
        if names is None or self.feature_names is None:
            return self
        order = order_by_name(what, self.feature_names, names)
        if np.array_equal(order, np.arange(self.n_features)):
            return self
        return self.with_instances(self.instances[:, order], names)

    def with_instances(self, instances: np.ndarray, feature_names: Sequence | None = None) -> Bags:
        """The same bags with other features (n_instances, any)."""
        return Bags(instances, self.offsets, feature_names, self.names)

    def with_rows(self, rows) -> Bags:
        """The same bags with other ``rows`` (n_instances, any), of the same kind of bags."""
        return self.with_instances(rows)

    def max(self, values: np.ndarray) -> np.ndarray:
        """Largest of each bag, for values (n_instances, ...): (n_bags, ...)."""
        return self._over_bags(np.maximum, values)

    def sum(self, values: np.ndarray) -> np.ndarray:
        """Sum over each bag, for values (n_instances, ...): (n_bags, ...)."""
        return self._over_bags(np.add, values)

    def _over_bags(self, function, values):
        if len(values) != self.n_instances:
            raise ValueError(f"values must be of {self.n_instances} instances, got {len(values)}")
        check_mask("values", values)
        numbers = np.asarray(values)
        if numbers.dtype != np.float64 and numbers.dtype.kind not in WHOLE:
            numbers = real_array("values", values)  # no sum in the precision of a short float
        return function.reduceat(numbers, self.offsets[:-1], axis=0)  # no bag is empty

    def mean(self, values: np.ndarray) -> np.ndarray:
        """Mean over each bag, for values (n_instances, ...): (n_bags, ...)."""
        return (self.sum(values).T / self.sizes).T


def _whole_offsets(values):
    """Offsets as integers; fractions and imaginary parts are refused, not cut off."""
    check_type("offsets", values)
    offsets = np.asarray(values)
    if offsets.dtype.kind not in "iu":
        numbers = real_array("offsets", values)
        fractions = [number for number in numbers.flat if not number.is_integer()]
        if len(fractions):
            raise ValueError(f"offsets must be whole numbers, got {fractions[0]:g}")
    return np.ascontiguousarray(offsets, dtype=np.intp)


def chosen_places(key, names: Sequence | None, n_bags: int) -> np.ndarray:
    """Places of the bags that a slice, mask or index array chooses; ``names`` are of all bags.

    Raises ValueError for masked values, and for a Series of booleans whose index names other bags.
    """
    check_mask("key", key)
    if isinstance(key, str):
        raise ValueError(f"{A_KEY}, got {key!r:.60}")
    if isinstance(key, pd.Series) and pd.api.types.is_bool_dtype(key):
        key = _mask_in_order(key, names, n_bags)
    try:
        chosen = np.arange(n_bags)[key]
    except IndexError as error:
        raise IndexError(f"{A_KEY}, got {shown(key)}: {error}") from error
    if chosen.ndim != 1:
        raise ValueError(f"{A_KEY} of one dimension, got {shown(key)}")
    return chosen


def _mask_in_order(mask, names, n_bags):
    """A Series of booleans in the order of the bags.

    Bags without names take it by place, but their own numbers in another order are refused.
    """
    if mask.isna().any():
        raise ValueError(f"{A_KEY}, got a missing value in a mask; give key.fillna(False)")
    truths = mask.to_numpy(dtype=bool)
    if names is not None:
        return truths[order_by_name("key and the bags", mask.index, names)]
    numbers = list(range(n_bags))
    if list(mask.index) != numbers and set(mask.index) == set(numbers):
        raise ValueError(
            "key must have the order of the bags, got their numbers in another order; give "
            "key.sort_index(), or, if its rows have the order of the bags, key.to_numpy()"
        )
    return truths


def as_bags(X, *, allow_missing: bool = False) -> Bags:
    """``X`` itself if it is a :class:`Bags`, else :meth:`Bags.from_list`.

    NaN is allowed if ``allow_missing``.
    """
    if _is_cell_array(X):
        X = X.ravel()
    _check_is_list("X", X)
    bags = X if isinstance(X, Bags) else Bags.from_list(X)
    if not allow_missing and (unknown := bags.missing).any():
        bag = bags.bag_of_instance[unknown.argmax()]
        raise ValueError(f"bag {bag} holds nan; impute it, as OnInstances(SimpleImputer()) does")
    return bags


def _check_is_list(name, X):
    """Raise a ValueError for one table in the place of many, a data set or an estimator."""
    if isinstance(X, pd.Series):  # names in its index would be attributes
        return
    needed = f"{name} must be Bags or a list of 2-D arrays"
    if hasattr(X, "get_params"):
        kind = type(X).__name__
        raise ValueError(f"{needed}, got the estimator {kind}; are two arguments swapped?")
    if hasattr(type(X), "groups"):
        raise ValueError(
            f"{needed}, got groups of a table; give read_bags(table, labels=[]).X, or "
            f"dict(list({name})) of a table whose columns are features"
        )
    if hasattr(X, "columns"):
        raise ValueError(
            f"{needed}, got one table; for bags of one instance give "
            f"list({name}.to_numpy()[:, None, :]), and where a column names the bags, "
            f"read_bags({name}, labels=[]).X"
        )
    if getattr(X, "ndim", None) == 2:
        raise ValueError(
            f"{needed}, got one 2-D array, {X.shape}; of one bag give [{name}], for bags of one "
            f"instance list({name}[:, None, :]), and of cells of MATLAB list({name}.ravel())"
        )
    if hasattr(X, "Y"):
        raise ValueError(f"{needed}; give parts: fit(data.X, data.Y), or data.y of one label")
    if isinstance(X, str | bytes) or not hasattr(X, "__iter__"):
        raise ValueError(f"{needed}, got {shown(X)}")


def in_order_of_examples(Y, X):
    """``Y`` with its rows in the order of the examples, where X and Y name them.

    A table of polars becomes one of pandas, which keeps its names.
    """
    if hasattr(Y, "to_pandas") and not hasattr(Y, "column_names"):
        Y = _of_polars(Y)
    places = _places_of_examples(Y, X)
    return Y if places is None else Y.iloc[places]


def _of_polars(table):
    """The table or column of pandas with the cells of one of polars."""
    try:
        return table.to_pandas()
    except ImportError:  # polars needs pyarrow for this
        if hasattr(table, "get_columns"):
            return pd.DataFrame(table.to_dict(as_series=False))
        return pd.Series(table.to_list(), name=table.name)


def check_order_of_examples(Y, X):
    """Raise a ValueError if X and Y name the examples in different orders: vectors lose names."""
    places = _places_of_examples(Y, X)
    if places is not None and not np.array_equal(places, np.arange(len(places))):
        raise ValueError(
            "Y must have its rows in the order of the bags X, since their vectors have no names; "
            "give labelled_bags(X, Y).Y, which has them"
        )


def _places_of_examples(Y, X):
    """The row of Y for each example of X; None where one of them has no names."""
    names = names_of_examples(X)
    if names is None or not isinstance(Y, pd.DataFrame | pd.Series) or len(Y) != len(names):
        return None  # another length is the error of the checks of labels
    return order_by_name("X and Y", Y.index, names)


def names_of_examples(X):
    """The keys of a dict, the index of a table, the names of bags; None if there are none."""
    if isinstance(X, Mapping):
        return list(X)
    if hasattr(X, "iloc"):
        return X.index
    return X.names if isinstance(X, Bags) else None  # the names of a pandas Index are others


def _is_cell_array(X):
    """Whether MATLAB's files hold ``X`` as a row or column of cells, a 2-D array in each."""
    if not isinstance(X, np.ndarray) or X.dtype != object or X.ndim != 2:
        return False
    return 1 in X.shape and all(np.ndim(cell) == 2 for cell in X.flat)


def _instances_of_bag(i, bag):
    if hasattr(bag, "toarray"):
        raise ValueError(f"bag {i} is sparse; give its .toarray()")
    of_objects = isinstance(bag, np.ndarray) and bag.dtype == object
    if of_objects and any(isinstance(cell, np.ndarray) for cell in bag.flat):
        raise ValueError(
            f"bag {i} must hold numbers, got a cell with an array; give that, as .item() does"
        )
    array = real_array(f"bag {i}", bag)
    if array.ndim != 2:
        raise ValueError(f"bag {i} must be 2-D, got shape {array.shape}")
    return array
