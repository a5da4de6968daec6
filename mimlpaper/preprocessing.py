"""First steps of a pipeline: scale the instances of bags, or turn each bag into one vector."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from mimlpaper.bags import Bags
from mimlpaper.base import check_bags, fitting


class OnInstances(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """Apply a transformer of 2-D arrays, such as ``MinMaxScaler()``, to all instances of bags."""

    def __init__(self, transformer):
        self.transformer = transformer

    def fit(self, X, Y=None):
        with fitting(self) as learner:
            bags = check_bags(X, learner, reset=True, missing=True)
            learner.transformer_ = clone(self.transformer).fit(bags.table)
        return self

    def transform(self, X) -> Bags:
        bags = check_bags(X, self, missing=True)
        names = None
        if bags.feature_names is not None and hasattr(self.transformer_, "get_feature_names_out"):
            names = list(self.get_feature_names_out())
        return bags.with_instances(self.transformer_.transform(bags.table), names)

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """Names of the transformer's features."""
        check_is_fitted(self)
        return self.transformer_.get_feature_names_out(input_features)


STATISTICS = {
    "mean": lambda bags: bags.mean(bags.instances),
    "std": lambda bags: np.sqrt(bags.mean((bags.instances - _means(bags)) ** 2)),
    "min": lambda bags: -bags.max(-bags.instances),
    "max": lambda bags: bags.max(bags.instances),
    "sum": lambda bags: bags.sum(bags.instances),
    "size": lambda bags: bags.sizes[:, None],
}


class BagStatistics(TransformerMixin, BaseEstimator):
    """One vector a bag: statistics of each feature, and the bag's size.

    ``statistics`` are names of :data:`STATISTICS` in the order of the columns, by default all but
    "sum"; "size" is one column, each other one n_features.
    """

    def __init__(self, statistics=("mean", "std", "min", "max", "size")):
        self.statistics = statistics

    def fit(self, X, Y=None):
        check_bags(X, self, reset=True, missing=True)
        return self

    def transform(self, X) -> np.ndarray:
        fitted = self if hasattr(self, "n_features_in_") else None  # there is nothing to learn
        return self._vectors(check_bags(X, fitted, missing=True))

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """Names such as "x0_mean" and "size", of the columns of the fitted bags."""
        check_is_fitted(self, "n_features_in_")
        default = [f"x{i}" for i in range(self.n_features_in_)]
        names = getattr(self, "feature_names_in_", default)
        return np.array(self._names(names if input_features is None else input_features), object)

    def _vectors(self, bags):
        if unknown := set(self.statistics) - set(STATISTICS):
            raise ValueError(f"statistics must be of {tuple(STATISTICS)}, got {unknown.pop()!r}")
        return np.hstack([STATISTICS[name](bags) for name in self.statistics])

    def _names(self, names):
        return [
            "size" if one == "size" else f"{name}_{one}"
            for one in self.statistics
            for name in (names[:1] if one == "size" else names)
        ]

    def __sklearn_is_fitted__(self):
        return True


def _means(bags):
    return np.repeat(bags.mean(bags.instances), bags.sizes, axis=0)


class SumInstances(BagStatistics):
    """One vector a bag, the sum of its instances: (n_bags, n_features)."""

    statistics = ("sum",)

    def __init__(self):
        pass


class MeanInstances(BagStatistics):
    """One vector a bag, the mean of its instances: (n_bags, n_features)."""

    statistics = ("mean",)

    def __init__(self):
        pass


class ConcatenateInstances(BagStatistics):
    """One vector a bag, its instances end to end: (n_bags, size * n_features)."""

    def __init__(self):
        pass

    def fit(self, X, Y=None):
        super().fit(X)
        self.size_ = int(check_bags(X, missing=True).sizes[0])
        return self

    def _vectors(self, bags):
        least, largest = bags.sizes.min(), bags.sizes.max()
        if least < largest:
            raise ValueError(f"X must hold bags of one size, got sizes from {least} to {largest}")
        return bags.instances.reshape(len(bags), -1)

    def _names(self, names):
        return [f"{name}_{i}" for i in range(self.size_) for name in names]
