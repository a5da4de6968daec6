"""k-medoids clustering on a matrix of distances."""

import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state


class KMedoids(ClusterMixin, BaseEstimator):
    """k-medoids by alternating assignment and medoid update, as in Table 7, step 2.

    A medoid stays in its own cluster, so no cluster empties; ties keep it a medoid.

    Parameters
    ----------
    n_clusters, max_iter : int, the paper's k; rounds until a ConvergenceWarning, default 100.
    random_state : int, RandomState or None, default None, draws the first medoids.

    Attributes
    ----------
    medoid_indices_, labels_ : (n_clusters,), rows of the distances; (n,), cluster of each item.
    inertia_ : float, sum of the distances to the own medoid.

    Source: Table 7; Maranzana, On the location of supply points, 1964; Park and Jun, 2009.
    """

    def __init__(self, n_clusters, *, max_iter=100, random_state=None):
        self.n_clusters = n_clusters
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, D, y=None):
        """Cluster by the distances D (n, n)."""
        D = check_array(D, dtype=np.float64, input_name="D")
        if D.shape[0] != D.shape[1]:
            raise ValueError(f"D must be a square matrix of distances, got shape {D.shape}")
        if not 1 <= self.n_clusters <= len(D):
            raise ValueError(f"n_clusters must lie in 1 to {len(D)}, got {self.n_clusters}")
        D = D.astype(np.float32)  # so that ties stay ties, and sums in double precision are exact
        rng = check_random_state(self.random_state)
        medoids = rng.choice(len(D), self.n_clusters, replace=False)  # Table 7, step 2
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
