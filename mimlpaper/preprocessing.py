"""First steps of a pipeline: scale the instances of bags, or turn each bag into one vector."""

from contextlib import suppress
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from mimlpaper.arrays import check_mask
from mimlpaper.bags import Bags, check_order_of_examples
from mimlpaper.base import check_bags, fitting, with_names_of_bags, with_texts_as_names
from mimlpaper.computing import computing
from mimlpaper.kernels import KernelFactor


class OnInstances(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[call-arg]
    """A transformer of 2-D arrays, such as ``MinMaxScaler()``, applied to all instances of bags.

    Parameters
    ----------
    transformer : transformer
        Unfitted; must give dense features, one row an instance.

    Attributes
    ----------
    transformer_ : transformer
        Fitted to the instances of the training bags.
    """

    def __init__(self, transformer):
        self.transformer = transformer

    def fit(self, X, Y=None) -> Self:
        """Fit the transformer to all instances of the bags X; Y is not used."""
        with fitting(self) as learner:
            bags = check_bags(X, learner, reset=True, allow_missing=True)
            learner.transformer_ = clone(self.transformer).fit(self._table(bags))
        return self

    def transform(self, X) -> Bags:
        """The bags X with transformed instances."""
        bags = check_bags(X, self, allow_missing=True)
        with computing():
            features = self.transformer_.transform(self._table(bags))
        if hasattr(features, "toarray"):
            kind = type(self.transformer).__name__
            message = f"transformer must give dense features, got sparse ones of {kind}"
            raise ValueError(
                f"{message}; set its sparse_output=False, of KBinsDiscretizer "
                "encode='onehot-dense', or add a step that densifies"
            )
        check_mask("features of the transformer", features)
        names = None
        if bags.feature_names is not None:
            with suppress(AttributeError):  # also of a step of a pipeline
                names = list(self.get_feature_names_out())
        return bags.with_instances(np.asarray(features), names)

    def _table(self, bags):
        """The instances; a kernel's factor takes them also as combinations of few points."""
        if bags.feature_names is not None:
            return with_texts_as_names(bags.table)  # scikit-learn takes no other names
        return bags.rows if isinstance(self.transformer, KernelFactor) else bags.table

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """Names of the transformer's features."""
        check_is_fitted(self)
        return self.transformer_.get_feature_names_out(input_features)

    def set_output(self, *, transform=None) -> Self:
        """For pipelines, whose later steps may give DataFrames; this step always gives bags."""
        return self


def _mean(bags):
    return bags.mean(bags.instances)


def _deviation(bags):
    """The standard deviation, without the cancellation of a mean square less a squared mean."""
    means = np.repeat(_mean(bags), bags.sizes, axis=0)  # (n_instances, n_features)
    return np.sqrt(bags.mean((bags.instances - means) ** 2))


def _least(bags):
    return -bags.max(-bags.instances)


def _largest(bags):
    return bags.max(bags.instances)


def _sum(bags):
    return bags.sum(bags.instances)


def _size(bags):
    return bags.sizes[:, None]


STATISTICS = {
    "mean": _mean,
    "std": _deviation,
    "min": _least,
    "max": _largest,
    "sum": _sum,
    "size": _size,
}


NO_NAMES = (
    "%(name)s names its columns after the features that it was fitted to: call fit(X) or "
    "fit_transform(X) first, or take arrays, by set_output(transform='default')"
)


class BagStatistics(TransformerMixin, BaseEstimator):
    """One vector a bag: statistics of each feature, and the bag's size.

    Parameters
    ----------
    statistics : sequence of names, default ("mean", "std", "min", "max", "size")
        Names of :data:`STATISTICS`, in the order of the columns: "mean", "std", "min", "max" and
        "sum" are a column for each feature, "size" is one column.
    """

    def __init__(self, statistics=("mean", "std", "min", "max", "size")):
        self.statistics = statistics

    def fit(self, X, Y=None) -> Self:
        """Check the bags X, and know their features. Of Y only names of rows are checked."""
        check_order_of_examples(Y, X)
        with fitting(self) as learner:
            check_bags(X, learner, reset=True, allow_missing=True)
        return self

    def transform(self, X) -> np.ndarray:
        """A vector for each of the bags X: (n_bags, n_columns)."""
        # There is nothing to learn.
        fitted = self if hasattr(self, "n_features_in_") else None
        bags = check_bags(X, fitted, allow_missing=True)
        return with_names_of_bags(self, self._vectors(bags), bags.names)

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """Names such as "x0_mean" and "size", of the columns of the fitted bags."""
        check_is_fitted(self, "n_features_in_", msg=NO_NAMES)
        if input_features is None:
            numbered = [f"x{i}" for i in range(self.n_features_in_)]
            input_features = getattr(self, "feature_names_in_", numbered)
        return np.array(self._names(input_features), dtype=object)

    def _vectors(self, bags):
        _check_statistics(self.statistics)
        return np.hstack([STATISTICS[name](bags) for name in self.statistics])

    def _names(self, features):
        _check_statistics(self.statistics)
        names = []
        for statistic in self.statistics:
            if statistic == "size":
                names.append("size")
            else:
                names += [f"{feature}_{statistic}" for feature in features]
        return names

    def __sklearn_is_fitted__(self):
        return True


def _check_statistics(statistics):
    """Raise a ValueError unless these are names in an order, which is that of the columns."""
    if not isinstance(statistics, list | tuple | np.ndarray) or not len(statistics):
        raise ValueError(
            f"statistics must be a list of one or more of {(*STATISTICS,)}, got {statistics!r:.60}"
        )
    for statistic in statistics:
        if statistic not in STATISTICS:
            raise ValueError(f"statistics must be of {(*STATISTICS,)}, got {statistic!r}")


class SumInstances(BagStatistics):
    """One vector a bag, the sum of its instances: (n_bags, n_features). It has no parameters."""

    statistics = ("sum",)

    def __init__(self):
        pass


class MeanInstances(BagStatistics):
    """One vector a bag, the mean of its instances: (n_bags, n_features). It has no parameters."""

    statistics = ("mean",)

    def __init__(self):
        pass


class ConcatenateInstances(BagStatistics):
    """One vector a bag, its instances end to end: (n_bags, size * n_features), for equal sizes.

    It has no parameters.

    Attributes
    ----------
    size_ : int
        Number of instances of each bag.
    """

    def __init__(self):
        pass

    def fit(self, X, Y=None) -> Self:
        """Learn the size of the first of the bags X; ``transform`` refuses other sizes.

        Of Y only names of rows are checked.
        """
        check_order_of_examples(Y, X)
        with fitting(self) as learner:
            bags = check_bags(X, learner, reset=True, allow_missing=True)
            learner.size_ = int(bags.sizes[0])
        return self

    def _vectors(self, bags):
        size = getattr(self, "size_", bags.sizes[0])
        is_other = bags.sizes != size
        if is_other.any():
            other = bags.sizes[is_other][0]
            raise ValueError(f"X must hold bags of one size, {size}, got one of {other}")
        return bags.instances.reshape(len(bags), -1)

    def _names(self, features):
        return [f"{feature}_{i}" for i in range(self.size_) for feature in features]
