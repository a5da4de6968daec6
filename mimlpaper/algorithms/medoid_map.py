"""Vectors for bags: distances to medoid bags, which k-medoids finds (Table 7, steps 1 to 3)."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_array, check_random_state

from mimlpaper.base import MultiLabelEstimator, check_bags, check_parameters, check_vectors
from mimlpaper.distances import check_memory, max_hausdorff
from mimlpaper.kernels import integer_seed
from mimlpaper.sharing import shared

METRICS = {"max_hausdorff": max_hausdorff, "euclidean": euclidean_distances}
STARTS = ("medoids", "partition")
SQUARE = 14  # bytes for each pair of sampled bags: the distances, and copies while they are made


@dataclass(kw_only=True, eq=False, repr=False)
class OnMedoids(MultiLabelEstimator):
    """Base class of learners on the distances of bags to medoids."""

    ratio: float = 0.2
    metric: str | Callable = "max_hausdorff"
    start: str = "medoids"
    random_state: int | np.random.RandomState | None = None

    def _fit_map(self, X):
        """Set ``medoid_map_``, and return the distances of X to the medoids: (n_bags, k)."""
        self.medoid_map_ = MedoidMap(
            ratio=self.ratio,
            metric=self.metric,
            start=self.start,
            random_state=self.random_state,
        )
        z = self.medoid_map_.fit_transform(X)
        for name in "n_features_in_", "feature_names_in_":
            if hasattr(self.medoid_map_, name):
                setattr(self, name, getattr(self.medoid_map_, name))
        return z


@dataclass(kw_only=True, eq=False, repr=False)
class MedoidMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Map of a bag X to z = (d(X, M_1), …, d(X, M_k)), M the medoids of the training bags (Fig. 3).

    Parameters
    ----------
    ratio : float in (0, 1], default 0.2; k = max(1, ⌊ratio m⌋) for m training bags.
    metric : {"max_hausdorff", "euclidean"} or callable, default "max_hausdorff"
        "euclidean" takes 2-D X, one instance a bag. A callable gets two sets of bags and returns
        their distances.
    start : {"medoids", "partition"}, default "medoids", see :class:`KMedoids`
    random_state : int, RandomState or None, default None, draws the start.

    ``medoids_`` are the medoids, ``medoid_indices_`` (k,) their places among the training bags.
    """

    ratio: float = 0.2
    metric: str | Callable = "max_hausdorff"
    start: str = "medoids"
    random_state: int | np.random.RandomState | None = None

    def fit(self, X, Y=None):
        self.fit_transform(X)
        return self

    def fit_transform(self, X, Y=None) -> np.ndarray:
        """Find the medoids of X, and return the distances of X to them (m, k)."""
        if not 0 < self.ratio <= 1:
            raise ValueError(f"ratio must lie in (0, 1], got {self.ratio}")
        X = self._check(X, reset=True)
        k = max(1, int(self.ratio * X.shape[0] + 1e-9))  # 0.29 * 100 must give 29
        seed = integer_seed(self.random_state)
        z, self.medoid_indices_ = shared(_medoids, X, self.metric, k, self.start, seed)
        self.medoids_ = X[self.medoid_indices_]
        return z

    def transform(self, X) -> np.ndarray:
        """Distances of X to the medoids: (n, k)."""
        X = self._check(X)
        return shared(_distances, X, self.medoids_, self.metric)

    @property
    def _n_features_out(self):
        return len(self.medoid_indices_)

    def _check(self, X, reset=False):
        if self.metric == "euclidean":
            return check_vectors(self, X, reset=reset)
        return check_bags(X, self, reset=reset)


def _medoids(X, metric, k, start, seed):
    D = shared(_distances, X, None, metric)  # (m, m)
    clusters = KMedoids(k, start=start, random_state=seed).fit(D)  # Table 7, step 2
    medoids = clusters.medoid_indices_
    return D[:, medoids], medoids  # Table 7, step 3


def _distances(A, B, metric):
    if callable(metric):
        return metric(A, A if B is None else B)
    if metric not in METRICS:
        raise ValueError(f"metric must be a callable or one of {(*METRICS,)}, got {metric!r}")
    return METRICS[metric](A, B)


@dataclass(kw_only=True, eq=False, repr=False)
class LandmarkMap(MedoidMap):
    """Map of a bag X to z = (d(X, M_1), …, d(X, M_k)), M the medoids of a sample of the bags.

    For 10,000 bags or more: time and memory grow with their number, for :class:`MedoidMap` with its
    square. Distances that do not fit into memory raise a MemoryError. The equivalents of
    MimlNn(ridge=1.0) and, up to the error of the kernel's factor, of MimlSvm are::

        make_pipeline(LandmarkMap(), OneVsRestClassifier(RidgeClassifier(fit_intercept=False)))
        make_pipeline(LandmarkMap(), SingleInstances(), MimlSvmMi(C=10.0, rank=300))

    Parameters
    ----------
    n_sample : int, default 2000, training bags drawn; all bags if there are fewer.
    ratio : float in (0, 1], default 0.2, number of medoids k as a share of the sample.
    metric, start, random_state : see :class:`MedoidMap`.
    """

    n_sample: int = 2000

    def fit(self, X, Y=None):
        check_parameters(self)
        X = self._check(X, reset=True)
        sample = np.arange(X.shape[0])
        if (n := min(self.n_sample, len(sample))) < len(sample):
            rng = check_random_state(self.random_state)
            sample = np.sort(rng.choice(sample, n, replace=False))
        check_memory(SQUARE * n**2, f"the distances of {n:,} bags", "lower n_sample")
        super().fit_transform(X[sample])
        self.medoid_indices_ = sample[self.medoid_indices_]
        return self

    def fit_transform(self, X, Y=None) -> np.ndarray:
        return self.fit(X).transform(X)

    def transform(self, X) -> np.ndarray:
        X = self._check(X)
        n, k = X.shape[0], len(self.medoid_indices_)
        check_memory(8 * n * k, f"the distances of {n:,} bags to {k:,} medoids", "lower ratio")
        return super().transform(X)


class KMedoids(ClusterMixin, BaseEstimator):
    """k-medoids by alternating assignment and medoid update, as in Table 7, step 2.

    A medoid stays in its own cluster, so no cluster empties; ties keep it a medoid.

    Parameters
    ----------
    n_clusters, max_iter : int, the paper's k; rounds until a ConvergenceWarning, default 100.
    start : {"medoids", "partition"}, default "medoids"
        "medoids", as the paper has it: the first medoids are random rows. "partition", as in the
        authors' program: a random row founds each cluster, each other row joins a random cluster,
        and the first medoids are those of these clusters.
    random_state : int, RandomState or None, default None, draws the start.

    Attributes ``medoid_indices_`` (n_clusters,), rows of the distances, ``labels_`` (n,), and
    ``inertia_``, the sum of the distances to the own medoid.

    Source: Table 7; Maranzana, On the location of supply points, 1964; Park and Jun, 2009.
    """

    def __init__(self, n_clusters, *, max_iter=100, start="medoids", random_state=None):
        self.n_clusters = n_clusters
        self.max_iter = max_iter
        self.start = start
        self.random_state = random_state

    def fit(self, D, y=None):
        """Cluster by the distances D (n, n)."""
        D = check_array(D, dtype=np.float64, input_name="D")
        if D.shape[0] != D.shape[1]:
            raise ValueError(f"D must be a square matrix of distances, got shape {D.shape}")
        if not 1 <= self.n_clusters <= len(D):
            raise ValueError(f"n_clusters must lie in 1 to {len(D)}, got {self.n_clusters}")
        if self.start not in STARTS:
            raise ValueError(f"start must be one of {STARTS}, got {self.start!r}")
        D = D.astype(np.float32)  # so that ties stay ties, and sums in double precision are exact
        rng = check_random_state(self.random_state)
        medoids = rng.choice(len(D), self.n_clusters, replace=False)  # Table 7, step 2
        if self.start == "partition":
            labels = rng.randint(self.n_clusters, size=len(D))
            labels[medoids] = np.arange(self.n_clusters)  # so that no cluster is empty
            medoids = _update(D, labels, medoids)
        for _ in range(self.max_iter):
            updated = _update(D, _assign(D, medoids), medoids)  # steps 2a to 2c
            if np.array_equal(updated, medoids):
                break
            medoids = updated
        else:
            message = f"medoids still changed after max_iter={self.max_iter} rounds"
            warnings.warn(message, ConvergenceWarning, stacklevel=2)
        self.medoid_indices_, self.labels_ = medoids, _assign(D, medoids)
        self.inertia_ = float(D[np.arange(len(D)), medoids[self.labels_]].sum(dtype=np.float64))
        return self


def _assign(D, medoids):
    labels = D[:, medoids].argmin(axis=1)
    labels[medoids] = np.arange(len(medoids))
    return labels


def _update(D, labels, medoids):
    updated = medoids.copy()
    order = np.argsort(labels, kind="stable")
    for t, members in enumerate(np.split(order, np.cumsum(np.bincount(labels))[:-1])):
        costs = D[np.ix_(members, members)].sum(axis=1, dtype=np.float64)
        if costs.min() < costs[members == medoids[t]][0]:
            updated[t] = members[costs.argmin()]
    return updated
