"""InsDif: multi-label learning by an MIML learner on vectors turned into bags."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.extmath import row_norms

from mimlpaper import kernels
from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.bags import Bags
from mimlpaper.base import VectorEstimator, check_labels, check_parameters, check_vectors


@dataclass(kw_only=True, eq=False, repr=False)
class InsDif(VectorEstimator):
    """Instance differentiation: an MIML learner on the bags {x - v_l : l a label} of vectors x.

    The prototype v_l is the mean of the training examples with label l.

    Parameters
    ----------
    transformation : unfitted transformer of (X, Y) into bags, or None, default None
        None for :class:`PrototypeDifferences`; :class:`DifferenceFeatures` for learners with a
        Gaussian kernel on instances.
    learner : unfitted MIML estimator, or None, default None, for ``MimlNn(ratio=0.2, ridge=0.0)``
    shortcut : bool, default True
        Take Euclidean distances of the x for the maximal Hausdorff distances of bags. They are
        equal, since a bag is a translate of every other bag.
    random_state : int, RandomState or None, default None, seeds the default learner.

    ``transformation_`` and ``learner_`` are fitted; ``cancels_`` says if the shortcut was taken.

    Sources: Section 6 and Table 9; Zhang and Zhou, AAAI 2007.
    """

    transformation: TransformerMixin | None = None
    learner: BaseEstimator | None = None
    shortcut: bool = True
    random_state: int | np.random.RandomState | None = None

    def fit(self, X, Y):
        """Fit on X (n_examples, n_features), dense or sparse, and Y (n_examples, n_labels)."""
        check_parameters(self)
        X = check_vectors(self, X, reset=True)
        Y = self._name_labels(Y, X.shape[0])  # the learner warns of constant ones
        self.transformation_ = clone(self.transformation or PrototypeDifferences())
        default = MimlNn(ratio=0.2, ridge=0.0, random_state=self.random_state)
        self.learner_ = clone(self.learner or default)
        by_distances = self.learner_.get_params().get("metric") == "max_hausdorff"
        translates = type(self.transformation_) is PrototypeDifferences
        self.cancels_ = self.shortcut and by_distances and translates
        if self.cancels_:  # Table 9, steps 2 and 3 at once
            self.transformation_.fit(X, Y)
            self.learner_.set_params(metric="euclidean").fit(X, Y)
        else:
            bags = self.transformation_.fit_transform(X, Y)  # Table 9, step 2
            self.learner_.fit(bags, Y)  # Table 9, step 3
        return self

    def decision_function(self, X) -> np.ndarray:
        """The learner's scores of the bags: (n_examples, n_labels)."""
        X = check_vectors(self, X, reset=False)
        seen = X if self.cancels_ else self.transformation_.transform(X)
        return self.learner_.decision_function(seen)

    @property
    def label_rule(self) -> str:
        """Label rule of the fitted learner."""
        return self.learner_.label_rule


class PrototypeDifferences(TransformerMixin, BaseEstimator):
    """Transformer of x into the bag {x - v_l : l a label}, v_l the prototypes (Section 6.1).

    X (n_examples, n_features) is dense or sparse; memory holds all differences. ``prototypes_``
    (n_labels, n_features) are the v_l, the overall mean for a label without examples.
    """

    def fit(self, X, Y):
        """Learn from X and label sets Y (n_examples, n_labels)."""
        self._learn(X, Y)
        return self

    def transform(self, X) -> Bags:
        """Bags of n_labels instances, in the order of the labels."""
        return self._bags(_dense(self._check(X))[:, None, :] - self.prototypes_)

    def _learn(self, X, Y):
        """Set the prototypes; returns X and Y, checked."""
        X = check_vectors(self, X, reset=True)
        Y = check_labels(Y, X.shape[0])
        counts, mean = Y.sum(axis=0)[:, None], np.asarray(X.mean(axis=0)).ravel()
        sums = np.asarray(X.T @ Y.astype(np.float64)).T  # (n_labels, n_features)
        self.prototypes_ = np.where(counts, sums / np.maximum(counts, 1), mean)  # Table 9, step 1
        return X, Y

    def _check(self, X):
        return check_vectors(self, X, reset=False)

    def _bags(self, instances):
        rows = instances.reshape(-1, instances.shape[-1])
        return Bags(rows, np.arange(0, len(rows) + 1, len(self.prototypes_)))


@dataclass(kw_only=True, eq=False, repr=False)
class DifferenceFeatures(PrototypeDifferences):
    """Transformer of x into the bag {φ(x - v_l)}, <φ(z), φ(z')> close to exp(-γ ||z - z'||²).

    A learner with a linear kernel on these bags has the Gaussian kernel on the bags of
    :class:`PrototypeDifferences`. The differences are never stored.

    ``gamma``, ``rank`` and ``random_state``, "scale", "auto" and None by default, are those of the
    differences' :class:`~mimlpaper.kernels.KernelFactor`, ``factor_``, of width ``gamma_``.
    """

    gamma: float | str = "scale"
    rank: int | str | None = "auto"
    random_state: int | np.random.RandomState | None = None

    def fit(self, X, Y):
        self.fit_transform(X, Y)
        return self

    def fit_transform(self, X, Y) -> Bags:
        """Learn from X and Y, and return the bags of X: n_labels instances of rank features."""
        kernels.check_rank(self.rank)
        X, _ = self._learn(X, Y)
        self.gamma_ = kernels.kernel_width(self.gamma, X)
        self.factor_ = _DifferenceFactor(
            gamma=self.gamma_, rank=self.rank, random_state=self.random_state
        )
        return self._bags(self.factor_.fit_transform(_Differences(X, self.prototypes_)))

    def transform(self, X) -> Bags:
        return self._bags(self.factor_.transform(_Differences(self._check(X), self.prototypes_)))


@dataclass(kw_only=True, eq=False, repr=False)
class NeighbourMeans(PrototypeDifferences):
    """Transformer of x into n_labels instances, means of the k nearest examples with label l.

    An alternative of Section 6.1. A training example is not its own neighbour; where it has none,
    the prototype stands. ``n_neighbors`` is k, 10 by default, or all examples with the label if
    there are fewer. ``X_fit_`` and ``Y_fit_`` are the training examples.
    """

    n_neighbors: int = 10

    def fit(self, X, Y):
        check_parameters(self)
        self.X_fit_, self.Y_fit_ = self._learn(X, Y)
        return self

    def fit_transform(self, X, Y) -> Bags:
        self.fit(X, Y)
        distances = euclidean_distances(self.X_fit_)
        np.fill_diagonal(distances, np.inf)  # by index: duplicates are legitimate neighbours
        return self._means(distances)

    def transform(self, X) -> Bags:
        return self._means(euclidean_distances(self._check(X), self.X_fit_))

    def _means(self, distances):
        examples = _dense(self.X_fit_)
        means = np.empty((len(distances), *self.prototypes_.shape))
        for label, prototype in enumerate(self.prototypes_):
            having = np.flatnonzero(self.Y_fit_[:, label])
            to_those = distances[:, having].astype(np.float32)  # rounding breaks no tie
            nearest = np.argsort(to_those, axis=1, kind="stable")[:, : self.n_neighbors]
            near = np.isfinite(np.take_along_axis(to_those, nearest, axis=1))[..., None]
            sums = np.where(near, examples[having[nearest]], 0.0).sum(axis=1)
            n_near = near.sum(axis=1)  # (n_examples, 1)
            means[:, label] = np.where(n_near, sums / np.maximum(n_near, 1), prototype)
        return self._bags(means)


class SingleInstances(PrototypeDifferences):
    """Transformer of x into the bag {x}, for comparison."""

    def transform(self, X) -> Bags:
        rows = _dense(self._check(X))
        return Bags(rows, np.arange(len(rows) + 1))


class _Differences:
    """The rows x_i - v_l, example by example, computed when indexed."""

    def __init__(self, X, prototypes):
        self.X, self.prototypes = X, prototypes
        self.squares = euclidean_distances(X, prototypes, squared=True).ravel()

    def __len__(self):
        return len(self.squares)

    def __getitem__(self, rows):
        examples, labels = np.divmod(np.arange(len(self))[rows], len(self.prototypes))
        return _dense(self.X[examples]) - self.prototypes[labels]

    def squared_distances(self, points):
        """||x_i - v_l - p||² for each of the points: (n_differences, n_points)."""
        of_examples = self.X @ points.T  # (n_examples, n_points)
        products = (of_examples[:, None, :] - self.prototypes @ points.T).reshape(len(self), -1)
        products *= -2.0
        products += self.squares[:, None]
        products += row_norms(points, squared=True)
        return np.maximum(products, 0.0, out=products)


class _DifferenceFactor(kernels.KernelFactor):
    def fit_transform(self, X, y=None):
        settings = self._settings(len(X))
        limits = [settings[name] for name in ("rank", "tol", "random_state")]
        if limits[0] is None:
            K = self._kernel(X, X[np.arange(len(X))])
            return self._keep(X, *kernels.complete_cholesky(K, self.tol))

        def column(pivot):
            return self._kernel(X, X[pivot : pivot + 1])[:, 0]

        return self._keep(X, *kernels.pivoted_cholesky(np.ones(len(X)), column, *limits))

    def transform(self, X):
        from_differences = self._kernel(X, self.landmarks_)  # (n_differences, rank)
        return solve_triangular(self.triangle_, from_differences.T, lower=True).T

    def _kernel(self, A, B):
        distances = A.squared_distances(B)
        distances *= -self.gamma
        return np.exp(distances, out=distances)


def _dense(X):
    return X.toarray() if hasattr(X, "toarray") else X
