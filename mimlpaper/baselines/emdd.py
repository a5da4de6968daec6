"""EM-DD: Diverse Density with one responsible instance in each bag."""

from functools import partial

import numpy as np
from numba import njit

from mimlpaper.baselines.descents import minimise
from mimlpaper.baselines.diverse_density import ConceptPoint, concept_distances, neg_log_densities
from mimlpaper.sharing import shared


class EmDd(ConceptPoint):
    """The point of greatest diverse density, by expectation-maximisation from a few bags.

    With p_ij = exp(-Σ_k s_k² (x_ijk - t_k)²) it minimises, over the point t and the scales s,

        NLDD(t, s) = -Σ_{positive i} log max_j p_ij - Σ_{negative i} log(1 - max_j p_ij).

    The E-step takes the instance with the largest p of every bag, the M-step climbs the diverse
    density of these instances, as long as NLDD falls. The result is the start with the least NLDD
    on the training bags; the original paper chose by the error on the test fold. A bag scores
    max_j log p_ij. Choose it over :class:`~mimlpaper.baselines.diverse_density.DiverseDensity`
    for large bags: a step evaluates one instance of each bag.

    Parameters
    ----------
    n_start_bags, initial_scale, threshold, random_state : see :class:`DiverseDensity`
        Defaults are 3, 0.1, 0.5 and None.
    tol : float, default 1e-3
        Least gain of a step of the M-step, and of a round of both steps, as a share of the loss.
    max_iter : int, default 100
        Most steps of an M-step, and most rounds; it warns if the best start needed more rounds.

    Attributes
    ----------
    concept_, scales_, loss_, losses_, log_threshold_ : see :class:`DiverseDensity`; NLDD for loss.

    References
    ----------
    Zhang and Goldman, EM-DD: an improved multiple-instance learning technique, NIPS 14, 2002.
    Andrews, Tsochantaridis and Hofmann (NIPS 15, 2003) on the choice by test error.
    """

    def __init__(
        self, *, n_start_bags=3, initial_scale=0.1, threshold=0.5, tol=1e-3, max_iter=100,
        random_state=None,
    ):  # fmt: skip
        self.n_start_bags = n_start_bags
        self.initial_scale = initial_scale
        self.threshold = threshold
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _climb(self, bags, positive, starts):
        return shared(alternate, bags, positive, starts, self.tol, self.max_iter)


def alternate(bags, positive, starts, tol, max_iter):
    """Ends (t, s) of EM from every start, their NLDD, and which converged."""
    thetas, ends = starts.copy(), starts.copy()
    least = np.full(len(starts), np.inf)
    converged = np.zeros(len(starts), dtype=bool)
    rows = np.empty((len(starts), len(bags)), dtype=np.int64)
    of_one = np.arange(len(bags) + 1)

    def density(going, which, points):
        return neg_log_densities(points, bags.instances, rows[going[which]], of_one, positive)

    going = np.arange(len(starts))
    for _ in range(max_iter):
        rows[going] = _responsible(thetas[going], bags.instances, bags.offsets)  # E-step
        losses, _ = density(going, slice(None), thetas[going])  # NLDD of thetas
        gained = losses < (1.0 - tol) * least[going]
        converged[going[~gained]] = True
        lower = losses < least[going]
        ends[going[lower]], least[going[lower]] = thetas[going[lower]], losses[lower]
        going = going[gained]
        thetas[going] = minimise(
            partial(density, going), thetas[going], tol=tol, max_iter=max_iter
        )[0]  # M-step
    return ends, least, converged


@njit(cache=True, nogil=True)
def _responsible(thetas, instances, offsets):
    """Row of each bag's nearest instance, the first if several, for each (t, s): (k, n_bags)."""
    n_features, columns = instances.shape[1], np.ascontiguousarray(instances.T)
    rows = np.empty((len(thetas), len(offsets) - 1), np.int64)
    for i in range(len(thetas)):
        point, scales = thetas[i, :n_features], thetas[i, n_features:]
        distances = concept_distances(scales, scales * point, columns)
        for bag in range(len(offsets) - 1):
            begin, end = offsets[bag], offsets[bag + 1]
            rows[i, bag] = begin + distances[begin:end].argmin()
    return rows
