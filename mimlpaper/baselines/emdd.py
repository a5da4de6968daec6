"""EM-DD: Diverse Density with one responsible instance in each bag."""

from __future__ import annotations

import numpy as np
from numba import njit

from mimlpaper.baselines.diverse_density import (
    ConceptPoint,
    concept_distances,
    neg_log_density,
)

__all__ = ["EmDd"]


class EmDd(ConceptPoint):
    """Expectation-maximisation for the concept point, from the instances of a few bags.

    With p_ij = exp(-Σ_k s_k² (x_ijk - t_k)²) it minimises, over the point t and the scales s,

        NLDD(t, s) = -Σ_{positive i} log max_j p_ij - Σ_{negative i} log(1 - max_j p_ij).

    The E-step takes the instance of largest p from every bag, the M-step climbs the diverse
    density of those instances alone, as long as that lowers NLDD. Of all starts the one of
    least NLDD on the training bags is kept; the original paper chose by the error on the test
    fold. A bag scores max_j log p_ij. Choose it over
    :class:`~mimlpaper.baselines.diverse_density.DiverseDensity` for large bags: a step costs
    one instance a bag.

    Parameters
    ----------
    n_start_bags : int or None, default 3
        It starts at all instances of so many positive bags, drawn at random; None for those of
        every positive bag.
    initial_scale : float, default 0.1
        Every s_k at the start; the default is meant for features of unit variance.
    threshold : float in (0, 1) or "learned", default 0.5
        Least p of a positive bag's best instance; "learned" as in ``DiverseDensity``.
    tol : float, default 1e-3
        Least gain of a step of the M-step, and of a round of both, as a share of the loss.
    max_iter : int, default 100
        Steps of an M-step at most, and rounds at most; a ConvergenceWarning if the best start
        needed more rounds.
    random_state : int, RandomState or None, default None
        Draws the starting bags.

    Attributes
    ----------
    concept_, scales_ : (n_features,), t and |s|.
    loss_ : float, NLDD there.
    losses_ : (n_starts,), NLDD for every start.
    log_threshold_ : float

    References
    ----------
    Zhang and Goldman, EM-DD: an improved multiple-instance learning technique, NIPS 14, 2002.
    Andrews, Tsochantaridis and Hofmann (NIPS 15, 2003) on the choice by test error.
    """

    def __init__(
        self,
        *,
        n_start_bags=3,
        initial_scale=0.1,
        threshold=0.5,
        tol=1e-3,
        max_iter=100,
        random_state=None,
    ):
        self.n_start_bags = n_start_bags
        self.initial_scale = initial_scale
        self.threshold = threshold
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _climb(self, problem, theta):
        instances, columns, offsets, positive = problem
        kept, least = theta, np.inf
        for _ in range(self.max_iter):
            chosen = _responsible(concept_distances(theta, columns), offsets)  # E-step
            points = instances[chosen]  # (n_bags, n_features)
            single = (points, np.ascontiguousarray(points.T), np.arange(len(offsets)), positive)
            loss = neg_log_density(theta, *single)[0]  # NLDD of theta
            if loss >= (1.0 - self.tol) * least:
                return (theta, loss, True) if loss < least else (kept, least, True)
            kept, least = theta, loss
            theta = self._minimise(single, theta)[0]  # M-step
        return kept, least, False


@njit(cache=True, nogil=True)
def _responsible(distances, offsets):
    """Row of each bag's nearest instance, the first of equals: (n_bags,)."""
    rows = np.empty(len(offsets) - 1, np.int64)
    for bag in range(len(rows)):
        rows[bag] = offsets[bag] + distances[offsets[bag] : offsets[bag + 1]].argmin()
    return rows
