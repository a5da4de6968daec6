"""Vectors for bags: distances to medoid bags, which k-medoids finds (Table 7, steps 1 to 3)."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils import check_array, check_random_state, gen_batches

from mimlpaper.arrays import check_type, real_array
from mimlpaper.bags import check_order_of_examples, names_of_examples
from mimlpaper.base import (
    MultiLabelEstimator,
    check_bags,
    check_vectors,
    fitting,
    with_names_of_bags,
)
from mimlpaper.computing import computing
from mimlpaper.distances import check_memory, exponent_of, in_float32, max_hausdorff
from mimlpaper.kernels import integer_seed
from mimlpaper.parameters import COUNT, POSITIVE_SHARE, SEED, words
from mimlpaper.sharing import shared

METRICS = {"max_hausdorff": max_hausdorff, "euclidean": euclidean_distances}
STARTS = ("medoids", "partition")
MAP_RULES = {
    "ratio": [POSITIVE_SHARE],
    "metric": [words(*METRICS), callable],
    "start": [words(*STARTS)],
    "random_state": [SEED],
}
SQUARE = 10  # bytes for each pair of sampled bags: 8 for its distance, 2 for those to medoids
BATCH = 1000  # bags assigned to medoids at a time


@dataclass(kw_only=True, eq=False, repr=False)
class OnMedoids(MultiLabelEstimator):
    """Base class of learners on the distances of bags to medoids."""

    ratio: float = 0.2
    metric: str | Callable = "max_hausdorff"
    start: str = "medoids"
    random_state: int | np.random.RandomState | None = None

    _parameter_constraints: ClassVar[dict] = MAP_RULES

    def _check_X(self, X, *, reset: bool):
        return _checked(self, X, reset=reset)

    def _fit_map(self, X):
        """Set ``medoid_map_``, and return the distances of X to the medoids: (n_bags, k)."""
        medoid_map = MedoidMap(
            ratio=self.ratio,
            metric=self.metric,
            start=self.start,
            random_state=self.random_state,
        )
        # Always arrays, even if scikit-learn is configured to give DataFrames.
        self.medoid_map_ = medoid_map.set_output(transform="default")
        return self.medoid_map_.fit_transform(X)


@dataclass(kw_only=True, eq=False, repr=False)
class MedoidMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Map of a bag X to z = (d(X, M_1), …, d(X, M_k)), with medoids M of training bags (Fig. 3).

    Parameters
    ----------
    ratio : float in (0, 1], default 0.2
        Number of medoids as a share of the m training bags: k = max(1, ⌊ratio m⌋).
    metric : {"max_hausdorff", "euclidean"} or callable, default "max_hausdorff"
        Distance of two bags. "euclidean" takes X (n_examples, n_features), one instance a bag. A
        callable gets two sets of bags and returns their distances (n_bags_1, n_bags_2).
    start : {"medoids", "partition"}, default "medoids"
        "medoids", as the paper has it: the first medoids are random bags. "partition", as in the
        authors' program: a random bag founds each cluster, each other bag joins a random cluster,
        and the first medoids are those of these clusters.
    random_state : int, RandomState or None, default None
        Draws the start.

    Attributes
    ----------
    medoids_ : Bags, or array (k, n_features) for "euclidean"
        The medoids.
    medoid_indices_ : array (k,)
        Their places among the training bags.

    References
    ----------
    Table 7, steps 1 to 3, and Fig. 3.
    """

    ratio: float = 0.2
    metric: str | Callable = "max_hausdorff"
    start: str = "medoids"
    random_state: int | np.random.RandomState | None = None

    _parameter_constraints: ClassVar[dict] = MAP_RULES

    def fit(self, X, Y=None):
        """Find the medoids of X.

        Y is not used, but if it names its rows, they must be in the order of X.
        """
        self.fit_transform(X, Y)
        return self

    def fit_transform(self, X, Y=None) -> np.ndarray:
        """Find the medoids of X, and return the distances of X to them (m, k)."""
        check_order_of_examples(Y, X)
        with fitting(self) as learner:
            X = _checked(learner, X, reset=True)
            z = learner._fit(X)
        return with_names_of_bags(self, z, names_of_examples(X))

    def transform(self, X) -> np.ndarray:
        """Distances of X to the medoids: (n, k)."""
        with computing():
            X = _checked(self, X, reset=False)
            distances = shared(_distances, X, self.medoids_, self.metric)
        return with_names_of_bags(self, distances, names_of_examples(X))

    @property
    def _n_features_out(self):
        return len(self.medoid_indices_)

    def _fit(self, X):
        # 0.29 * 100 is 28.999… in floating point, and must give 29.
        k = max(1, int(self.ratio * X.shape[0] + 1e-9))
        seed = integer_seed(self.random_state)
        z, self.medoid_indices_ = shared(_medoids, X, self.metric, k, self.start, seed)
        self.medoids_ = X[self.medoid_indices_]
        return z


def _checked(estimator, X, *, reset):
    """``X`` as bags, or as vectors for Euclidean distances."""
    if estimator.metric == "euclidean":
        return check_vectors(estimator, X, reset=reset)
    return check_bags(X, estimator, reset=reset)


def _medoids(X, metric, k, start, seed):
    """The distances of X to its k medoids (m, k), and the places of the medoids (k,)."""
    D = shared(_distances, X, None, metric)  # (m, m)
    clusters = KMedoids(k, start=start, random_state=seed).fit(D)  # Table 7, step 2
    medoids = clusters.medoid_indices_
    return D[:, medoids], medoids  # Table 7, step 3


def _distances(A, B, metric):
    if callable(metric):
        return real_array("distances", metric(A, A if B is None else B))
    return METRICS[metric](A, B)


@dataclass(kw_only=True, eq=False, repr=False)
class LandmarkMap(MedoidMap):
    """Map of a bag X to z = (d(X, M_1), …, d(X, M_k)), M the medoids of a sample of the bags.

    For 10,000 bags or more: time and memory grow linearly, those of :class:`MedoidMap` with the
    square of their number. Distances that do not fit into memory raise a MemoryError. On the
    sample, the equivalents of MimlNn(ratio=0.2, ridge=1.0) and, up to the error of the kernel's
    factor, of MimlSvm are::

        make_pipeline(LandmarkMap(), OneVsRestClassifier(RidgeClassifier(fit_intercept=False)))
        make_pipeline(LandmarkMap(), SingleInstances(), MimlSvmMi(C=10.0, rank=300))

    Parameters
    ----------
    n_sample : int >= 1, default 2000
        Training bags drawn; all bags if there are fewer.
    ratio : float in (0, 1], default 0.2
        Number of medoids k as a share of the sample.
    metric : {"max_hausdorff", "euclidean"} or callable, default "max_hausdorff"
        Distance of two bags. "euclidean" takes X (n_examples, n_features), one instance a bag. A
        callable gets two sets of bags and returns their distances (n_bags_1, n_bags_2).
    start : {"medoids", "partition"}, default "medoids"
        "medoids", as the paper has it: the first medoids are random bags. "partition", as in the
        authors' program: a random bag founds each cluster, each other bag joins a random cluster,
        and the first medoids are those of these clusters.
    random_state : int, RandomState or None, default None
        Draws the sample, and the start.

    Attributes
    ----------
    medoids_ : Bags, or array (k, n_features) for "euclidean"
        The medoids.
    medoid_indices_ : array (k,)
        Their places among the training bags.

    References
    ----------
    Table 7, steps 1 to 3, on a sample; not from the paper.
    """

    n_sample: int = 2000

    _parameter_constraints: ClassVar[dict] = {"n_sample": [COUNT]}

    def fit(self, X, Y=None):
        """Find the medoids of a sample of X. Y is not used, but its rows must be in X's order."""
        check_order_of_examples(Y, X)
        with fitting(self) as learner:
            learner._fit(_checked(learner, X, reset=True))
        return self

    def fit_transform(self, X, Y=None) -> np.ndarray:
        """Find the medoids of a sample of X, and return the distances of X to them (m, k)."""
        return self.fit(X, Y).transform(X)

    def transform(self, X) -> np.ndarray:
        """Distances of X to the medoids: (n, k)."""
        n = _checked(self, X, reset=False).shape[0]
        k = len(self.medoid_indices_)
        check_memory(8 * n * k, f"the distances of {n:,} bags to {k:,} medoids", "lower ratio")
        return super().transform(X)

    def _fit(self, X):
        sample = np.arange(X.shape[0])
        n = min(self.n_sample, len(sample))
        if n < len(sample):
            rng = check_random_state(self.random_state)
            sample = np.sort(rng.choice(sample, n, replace=False))
        check_memory(SQUARE * n**2, f"the distances of {n:,} bags", "lower n_sample")
        z = super()._fit(X[sample])
        self.medoid_indices_ = sample[self.medoid_indices_]
        return z


class KMedoids(ClusterMixin, BaseEstimator):
    """k-medoids by alternating assignment and medoid update, as in Table 7, step 2.

    A medoid stays in its own cluster, so no cluster becomes empty. Only a member with a smaller sum
    of distances replaces it.

    Parameters
    ----------
    n_clusters : int >= 1
        The paper's k, at most the number of points.
    max_iter : int >= 1, default 100
        Largest number of rounds, after which a ConvergenceWarning says that medoids still changed.
    start : {"medoids", "partition"}, default "medoids"
        "medoids", as the paper has it: the first medoids are random rows. "partition", as in the
        authors' program: a random row founds each cluster, each other row joins a random cluster,
        and the first medoids are those of these clusters.
    random_state : int, RandomState or None, default None
        Draws the start.

    Attributes
    ----------
    medoid_indices_ : array (n_clusters,)
        Their rows in the matrix of distances.
    labels_ : array (n,)
        The cluster of each point.
    inertia_ : float
        Sum of the distances of the points to their medoids.

    References
    ----------
    Table 7; Maranzana, On the location of supply points, Operational Research Quarterly, 1964;
    Park and Jun, A simple and fast algorithm for K-medoids clustering, Expert Systems, 2009.
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_clusters": [COUNT],
        "max_iter": [COUNT],
        "start": [words(*STARTS)],
        "random_state": [SEED],
    }

    def __init__(
        self,
        n_clusters,
        *,
        max_iter=100,
        start="medoids",
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.max_iter = max_iter
        self.start = start
        self.random_state = random_state

    def fit(self, D, y=None):
        """Cluster by the distances D (n, n)."""
        with fitting(self) as learner:
            learner._fit(D)
        return self

    def _fit(self, D):
        check_type("D", D)
        D = check_array(D, dtype=np.float64, input_name="D")
        if D.shape[0] != D.shape[1]:
            raise ValueError(f"D must be a square matrix of distances, got shape {D.shape}")
        if self.n_clusters > len(D):
            raise ValueError(f"n_clusters must lie in 1 to {len(D)}, got {self.n_clusters}")
        exponent = exponent_of(D)
        rng = check_random_state(self.random_state)
        medoids = rng.choice(len(D), self.n_clusters, replace=False)  # Table 7, step 2
        if self.start == "partition":
            labels = rng.randint(self.n_clusters, size=len(D))
            # Each cluster has its founder, so that none is empty.
            labels[medoids] = np.arange(self.n_clusters)
            medoids = _update(D, labels, medoids, exponent)
        for _ in range(self.max_iter):
            labels = _assign(D, medoids, exponent)
            updated = _update(D, labels, medoids, exponent)  # steps 2a to 2c
            if np.array_equal(updated, medoids):
                break
            medoids = updated
        else:
            message = f"medoids still changed after max_iter={self.max_iter} rounds"
            warnings.warn(message, ConvergenceWarning, stacklevel=3)
        self.medoid_indices_ = medoids
        self.labels_ = _assign(D, medoids, exponent)
        to_medoids = in_float32(D[np.arange(len(D)), medoids[self.labels_]], exponent)
        self.inertia_ = float(np.ldexp(to_medoids.sum(dtype=np.float64), exponent))


# Distances are compared as float32, in units of 2^exponent: ties stay ties, and sums in double
# precision are exact.
def _assign(D, medoids, exponent):
    """The cluster of each point, that of the nearest medoid: (n,). A medoid is in its own."""
    labels = np.empty(len(D), dtype=np.intp)
    # A copy of all columns would be large.
    for batch in gen_batches(len(D), BATCH):
        labels[batch] = in_float32(D[batch, medoids], exponent).argmin(axis=1)
    labels[medoids] = np.arange(len(medoids))
    return labels


def _update(D, labels, medoids, exponent):
    """The medoid of each cluster: the old one, or the best member if its distances sum to less."""
    updated = medoids.copy()
    by_cluster = np.argsort(labels, kind="stable")
    ends = np.cumsum(np.bincount(labels))
    for t, members in enumerate(np.split(by_cluster, ends[:-1])):
        within = in_float32(D[np.ix_(members, members)], exponent)
        costs = within.sum(axis=1, dtype=np.float64)
        if costs.min() < costs[members == medoids[t]][0]:
            updated[t] = members[costs.argmin()]
    return updated
