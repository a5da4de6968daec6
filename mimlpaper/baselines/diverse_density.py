"""Diverse Density: the point near an instance of every positive bag and far from negative ones."""

from __future__ import annotations

import warnings

import numpy as np
from numba import njit
from scipy.optimize import minimize
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mimlpaper.base import check_bag_labels, check_bags

__all__ = ["ConceptPoint", "DiverseDensity", "concept_distances", "neg_log_density"]

BLOCK = 512  # instances taken together: their sums stay in the first-level cache
FAR = 30.0  # beyond it, log(1 - Π (1 - p)) is log Σ p but for rounding
BEYOND = 40.0  # beyond it, 1 - p is 1 but for rounding
FLOOR = 1e-12  # least 1 - p: a concept may coincide with a negative instance


class ConceptPoint(BaseEstimator):
    """Base class: a point t with scales s, and log p(x) = -Σ_k s_k² (x_k - t_k)².

    A subclass has the parameters ``n_start_bags``, ``initial_scale``, ``threshold``, ``tol``,
    ``max_iter`` and ``random_state``, and defines ``_climb``.
    """

    def fit(self, X, y):
        """Fit on bags X and labels y (n_bags,): booleans, 0 and 1, or -1 and 1."""
        bags = check_bags(X)
        positive = check_bag_labels(y, len(bags))
        self._check_parameters()
        columns = np.ascontiguousarray(bags.instances.T)
        problem = (bags.instances, columns, bags.offsets, positive)
        climbs = [self._climb(problem, start) for start in self._starts(bags, positive)]
        losses = np.array([loss for _, loss, _ in climbs])
        theta, self.loss_, converged = climbs[losses.argmin()]
        if not converged:
            warnings.warn(
                f"the best of {len(climbs)} ascents, to a loss of {self.loss_:.4g}, was ended "
                f"before steps of less than tol={self.tol:g} of it; raise its limits",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.losses_ = losses
        self.concept_, self.scales_ = theta[: bags.n_features], np.abs(theta[bags.n_features :])
        self.n_features_in_ = bags.n_features
        if self.threshold == "learned":
            scores = bags.max(self.instance_scores(bags))
            self.log_threshold_ = _best_threshold(scores, positive)
        else:
            self.log_threshold_ = float(np.log(self.threshold))
        return self

    def instance_scores(self, X) -> np.ndarray:
        """log p(x): (n_instances,)."""
        check_is_fitted(self)
        columns = np.ascontiguousarray(check_bags(X, self.n_features_in_).instances.T)
        return -concept_distances(np.concatenate([self.concept_, self.scales_]), columns)

    def decision_function(self, X) -> np.ndarray:
        """Largest log p(x) of each bag, above the threshold's logarithm: (n_bags,)."""
        check_is_fitted(self)
        bags = check_bags(X, self.n_features_in_)
        return bags.max(self.instance_scores(bags)) - self.log_threshold_

    def predict(self, X) -> np.ndarray:
        """True for bags with a positive score: (n_bags,)."""
        return self.decision_function(X) > 0

    def _check_parameters(self):
        for name in ("initial_scale", "tol"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")
        for name in ("n_start_bags", "max_iter"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}")
        if self.threshold != "learned" and not 0 < self.threshold < 1:
            raise ValueError(
                f'threshold must be "learned" or lie between 0 and 1, got {self.threshold!r}'
            )

    def _starts(self, bags, positive):
        """(t, s) at the distinct instances of the starting bags: (n_starts, 2 n_features)."""
        chosen = np.flatnonzero(positive)
        if self.n_start_bags is not None and self.n_start_bags < len(chosen):
            rng = check_random_state(self.random_state)
            chosen = rng.choice(chosen, self.n_start_bags, replace=False)
        points = np.unique(bags[chosen].instances, axis=0)
        return np.hstack([points, np.full(points.shape, float(self.initial_scale))])

    def _minimise(self, problem, theta):
        """L-BFGS from theta: the end, its loss, and whether the steps had become small."""
        found = minimize(
            neg_log_density,
            theta,
            args=problem,
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": self.max_iter, "maxfun": 10 * self.max_iter, "ftol": self.tol},
        )
        return found.x, found.fun, found.status == 0


class DiverseDensity(ConceptPoint):
    """The concept of greatest diverse density, by gradient ascent from many instances.

    With p_ij = exp(-Σ_k s_k² (x_ijk - t_k)²) it maximises, over the point t and the scales s,

        Π_{positive i} (1 - Π_j (1 - p_ij)) · Π_{negative i} Π_j (1 - p_ij),

    the noisy-or. A bag scores max_j log p_ij. Choose it if positive bags share one small region
    of the feature space, and to learn which features matter: those of large scale.

    Parameters
    ----------
    n_start_bags : int or None, default 5
        The ascents start at all instances of so many positive bags, drawn at random; None for
        those of every positive bag, as in the original.
    initial_scale : float, default 0.1
        Every s_k at the start; the default is meant for features of unit variance. If it is
        too large, all p vanish.
    threshold : "learned" or float in (0, 1), default "learned"
        Least p of a positive bag's best instance. "learned": the middle of the widest gap
        between two training bags' scores that classifies most training bags rightly.
    tol : float, default 1e-4
        An ascent ends with a step that gains less than this share of the loss.
    max_iter : int, default 300
        Steps of an ascent at most; a ConvergenceWarning if the best one needed more.
    random_state : int, RandomState or None, default None
        Draws the starting bags.

    Attributes
    ----------
    concept_, scales_ : (n_features,), t and |s|.
    loss_ : float, minus the log of the density there.
    losses_ : (n_starts,), that of every ascent.
    log_threshold_ : float

    References
    ----------
    Maron and Lozano-Pérez, A framework for multiple-instance learning, NIPS 10, 1998.
    """

    def __init__(
        self,
        *,
        n_start_bags=5,
        initial_scale=0.1,
        threshold="learned",
        tol=1e-4,
        max_iter=300,
        random_state=None,
    ):
        self.n_start_bags = n_start_bags
        self.initial_scale = initial_scale
        self.threshold = threshold
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _climb(self, problem, theta):
        return self._minimise(problem, theta)


@njit(cache=True, nogil=True)
def neg_log_density(theta, instances, columns, offsets, positive):
    """Minus the log of the diverse density at theta = (t, s), and its gradient.

    The instances come twice: by rows, and as ``columns`` (n_features, n_instances).
    """
    n_features = instances.shape[1]
    point, scales = theta[:n_features], theta[n_features:]
    loss, pulls = _noisy_or(concept_distances(theta, columns), offsets, positive)
    gradient = np.zeros(2 * n_features)
    by_point, by_scale = gradient[:n_features], gradient[n_features:]
    for i in range(len(instances)):
        instance, pull = instances[i], pulls[i]
        if pull != 0.0:
            for k in range(n_features):
                difference = instance[k] - point[k]
                by_point[k] += pull * difference
                by_scale[k] += pull * difference * difference
    by_point *= -2.0 * scales**2
    by_scale *= 2.0 * scales
    return loss, gradient


@njit(cache=True, nogil=True)
def concept_distances(theta, columns):
    """-log p = Σ_k s_k² (x_k - t_k)², added up feature by feature: (n_instances,)."""
    n_features, n_instances = columns.shape
    distances = np.zeros(n_instances)
    for begin in range(0, n_instances, BLOCK):
        block = distances[begin : begin + BLOCK]
        for k in range(n_features):
            point, weight = theta[k], theta[n_features + k] ** 2
            column = columns[k, begin : begin + BLOCK]
            for i in range(len(block)):
                difference = column[i] - point
                block[i] += weight * difference * difference
    return distances


@njit(cache=True, nogil=True)
def _noisy_or(distances, offsets, positive):
    """The loss, and its derivative by each distance: (n_instances,)."""
    loss = 0.0
    pulls = np.zeros(len(distances))
    for bag in range(len(positive)):
        begin, end = offsets[bag], offsets[bag + 1]
        if positive[bag]:
            loss += _positive_bag(distances[begin:end], pulls[begin:end])
            continue
        for i in range(begin, end):
            if distances[i] < BEYOND:
                p = np.exp(-distances[i])
                missed = max(-np.expm1(-distances[i]), FLOOR)  # 1 - p
                loss -= np.log(missed)
                pulls[i] = -p / missed
    return loss, pulls


@njit(cache=True, nogil=True)
def _positive_bag(distances, pulls):
    """-log(1 - Π_j (1 - p_j)); its derivatives p_j Π_{i≠j} (1 - p_i) / (1 - Π) go to pulls."""
    nearest = distances.min()
    if nearest > FAR:
        total = np.exp(nearest - distances).sum()
        pulls[:] = np.exp(nearest - distances) / total
        return nearest - np.log(total)
    found = -np.expm1(np.log1p(-np.exp(-distances)).sum())  # 1 - Π (1 - p)
    # The product over the others is a running product from either side: 1 - p may be 0.
    others = 1.0
    for j in range(len(distances)):
        p = np.exp(-distances[j])
        pulls[j] = p * others / found
        others *= 1.0 - p
    others = 1.0
    for j in range(len(distances) - 1, -1, -1):
        pulls[j] *= others
        others *= 1.0 - np.exp(-distances[j])
    return -np.log(found)


def _best_threshold(scores, positive):
    """Middle of the widest gap between scores among those that classify most bags rightly."""
    ordered = np.unique(scores)
    if len(ordered) == 1:
        return ordered[0]
    between = (ordered[1:] + ordered[:-1]) / 2  # (n_gaps,)
    n_right = ((scores > between[:, None]) == positive).sum(axis=1)
    widths = np.where(n_right == n_right.max(), ordered[1:] - ordered[:-1], -1.0)
    return between[widths.argmax()]
