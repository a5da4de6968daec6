"""First steps of a pipeline: scale the instances of bags, or turn each bag into one vector."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone

from mimlpaper.bags import Bags
from mimlpaper.base import check_bags


class OnInstances(TransformerMixin, BaseEstimator):
    """Apply a scikit-learn transformer to the instances of bags.

    ``OnInstances(MinMaxScaler())`` scales each feature to [0, 1] by its range over all instances.

    Parameters
    ----------
    transformer : transformer of 2-D arrays; it is cloned, then fitted on all instances.
    """

    def __init__(self, transformer):
        self.transformer = transformer

    def fit(self, X, Y=None):
        self.transformer_ = clone(self.transformer).fit(check_bags(X).instances)
        return self

    def transform(self, X) -> Bags:
        bags = check_bags(X)
        return bags.with_instances(self.transformer_.transform(bags.instances))


class _Stateless(TransformerMixin, BaseEstimator):
    def fit(self, X, Y=None):
        check_bags(X)
        return self

    def __sklearn_is_fitted__(self):
        return True


class ConcatenateInstances(_Stateless):
    """One vector a bag, its instances end to end: (n_bags, size * n_features)."""

    def transform(self, X) -> np.ndarray:
        bags = check_bags(X)
        sizes = np.unique(bags.sizes)
        if len(sizes) > 1:
            raise ValueError(
                "X must hold bags of one size to be concatenated, got sizes from "
                f"{sizes[0]} to {sizes[-1]}"
            )
        return bags.instances.reshape(len(bags), -1)


class SumInstances(_Stateless):
    """One vector a bag, the sum of its instances: (n_bags, n_features)."""

    def transform(self, X) -> np.ndarray:
        bags = check_bags(X)
        return bags.sum(bags.instances)


class MeanInstances(_Stateless):
    """One vector a bag, the mean of its instances: (n_bags, n_features)."""

    def transform(self, X) -> np.ndarray:
        bags = check_bags(X)
        return bags.mean(bags.instances)
