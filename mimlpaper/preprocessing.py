"""First steps of a pipeline: scale the instances of bags, or turn each bag into one vector."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone

from mimlpaper.bags import Bags
from mimlpaper.base import check_bags


class OnInstances(TransformerMixin, BaseEstimator):
    """Apply a transformer of 2-D arrays, such as ``MinMaxScaler()``, to all instances of bags."""

    def __init__(self, transformer):
        self.transformer = transformer

    def fit(self, X, Y=None):
        self.transformer_ = clone(self.transformer).fit(check_bags(X).instances)
        return self

    def transform(self, X) -> Bags:
        bags = check_bags(X)
        return bags.with_instances(self.transformer_.transform(bags.instances))


class _Merged(TransformerMixin, BaseEstimator):
    """Base class: ``_vectors`` makes one vector of each bag."""

    def fit(self, X, Y=None):
        return self

    def transform(self, X) -> np.ndarray:
        return self._vectors(check_bags(X))

    def __sklearn_is_fitted__(self):
        return True


class ConcatenateInstances(_Merged):
    """One vector a bag, its instances end to end: (n_bags, size * n_features)."""

    def _vectors(self, bags):
        sizes = np.unique(bags.sizes)
        if len(sizes) > 1:
            raise ValueError(
                f"X must hold bags of one size, got sizes from {sizes[0]} to {sizes[-1]}"
            )
        return bags.instances.reshape(len(bags), -1)


class SumInstances(_Merged):
    """One vector a bag, the sum of its instances: (n_bags, n_features)."""

    def _vectors(self, bags):
        return bags.sum(bags.instances)


class MeanInstances(_Merged):
    """One vector a bag, the mean of its instances: (n_bags, n_features)."""

    def _vectors(self, bags):
        return bags.mean(bags.instances)
