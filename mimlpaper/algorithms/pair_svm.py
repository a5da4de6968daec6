"""Support vector machines on all pairs of an instance and a label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from sklearn.svm import SVC
from sklearn.utils import check_random_state

from mimlpaper.algorithms.pair_kernel import PairKernel

__all__ = ["LibsvmPairSvm", "PairFunction", "PairSvm"]

BIAS_CURVATURE = 0.1  # σ, as a share of a pair's mean kernel with itself
PARTIAL_PASSES = 20  # at most, between two passes over all instances
ENOUGH = 0.1  # share of a full pass's progress at which its partial passes end
CACHE_MB = 1000


@dataclass(frozen=True, eq=False)
class PairFunction:
    """f(x, y) = <φ(x), v_y> + u_y, for every label y at once.

    Attributes
    ----------
    coef : (n_labels, n_features), the v_y.
    intercept : (n_labels,), the u_y, which hold the bias b.
    gap : float, duality gap as a share of the objective: no function is better by more.
    """

    coef: np.ndarray
    intercept: np.ndarray
    gap: float

    def __call__(self, features) -> np.ndarray:
        """f of features φ(x) (n_instances, n_features): (n_instances, n_labels)."""
        return features @ self.coef.T + self.intercept


class PairSvm:
    """Minimise ½ ||f||² + Σ_ij C_ij max(0, 1 - g_ij (f(x_i, y_j) + b)) over f and b.

    f belongs to the kernel <φ(x), φ(x')> k_Y(y, y') + k_0(y, y') on pairs of an instance and a
    label. With the dual variables α and a_ij = g_ij α_ij,

        f(x, y) = <φ(x), v_y> + u_y,    V = K_Y A' Φ,    u = K_0 A' 1,

    so that the n_instances n_labels pairs take no more room than A and Φ. The dual is climbed
    along its coordinates: for one instance after the other, in random order, all its pairs in
    turn, at the cost of two products of φ(x_i) with V. After a pass over all instances follow
    passes over those that moved, or have an α strictly between its bounds. The bias b is free,
    which asks for Σ a_ij = 0: σ is added to the kernel, and b moves by σ Σ a_ij after each pass
    (the method of multipliers). A problem is solved when a feasible A proves a small gap.

    Choose it where labels are few beside instances, and for problems that differ in nothing but
    costs: each call of :meth:`solve` starts from the last solution.

    Parameters
    ----------
    features : (n_instances, n_features), φ of each instance.
    label_kernel, offset_kernel : (n_labels, n_labels), k_Y and k_0.
    tol : float
        Duality gap, as a share of the objective, at which a problem is solved.
    max_iter : int
        Full passes before a problem is left as it is, with the ``gap`` that its function tells.
    random_state : int, RandomState or None
        Draws the order of the instances.

    References
    ----------
    Hsieh, Chang, Lin, Keerthi and Sundararajan, A dual coordinate descent method for
    large-scale linear SVM, ICML 2008.
    """

    def __init__(
        self, features, label_kernel, offset_kernel, *, tol=1e-4, max_iter=200, random_state=None
    ):
        self.features = np.ascontiguousarray(features)
        self.label_kernel = label_kernel
        self.offset_kernel = offset_kernel
        self.tol = tol
        self.max_iter = max_iter
        self._rng = check_random_state(random_state)
        self._norms = np.einsum("ij,ij->i", self.features, self.features)  # (n_instances,)
        diagonal = np.outer(self._norms, label_kernel.diagonal()) + offset_kernel.diagonal()
        self._sigma = BIAS_CURVATURE * (diagonal.mean() or 1.0)
        self._levels = np.zeros(diagonal.shape)  # α / C of the last solution
        self._bias = 0.0

    def solve(self, targets, costs) -> PairFunction:
        """The best f + b for targets g of -1.0 and 1.0 and costs C >= 0.

        Both are (n_instances, n_labels). If all pairs that cost anything are of one class,
        f + b is that class everywhere.
        """
        bounds = targets * costs  # a_ij lies between 0 and g_ij C_ij
        if not ((bounds > 0).any() and (bounds < 0).any()):
            return self._constant(1.0 if (bounds > 0).any() else -1.0)
        dual = self._levels * bounds
        for _ in range(self.max_iter):
            self._climb(targets, bounds, dual)
            solution = self._certified(targets, costs, dual)
            if solution.gap <= self.tol:
                break
        self._levels = np.divide(dual, bounds, out=np.zeros_like(dual), where=bounds != 0)
        return solution

    def _climb(self, targets, bounds, dual):
        """One pass over all instances, then some over those still moving; changes ``dual``."""
        offset_kernel = self.offset_kernel + self._sigma
        coef = self._coef(dual)
        intercept = offset_kernel @ dual.sum(axis=0) + self._bias
        moving = np.ones(len(dual), dtype=bool)

        def ascend():
            progress = _ascend(
                self._rng.permutation(np.flatnonzero(moving)),
                self.features,
                self._norms,
                self.label_kernel,
                offset_kernel,
                targets,
                bounds,
                dual,
                coef,
                intercept,
                moving,
            )
            shift = self._sigma * dual.sum()
            self._bias += shift
            intercept[:] += shift
            return progress

        enough = ENOUGH * ascend()
        for _ in range(PARTIAL_PASSES):
            if ascend() <= enough:
                break

    def _certified(self, targets, costs, dual):
        """f of the nearest feasible A, the best b for it, and the gap between the two bounds."""
        dual = _balanced(dual)
        coef = self._coef(dual)
        offset = self.offset_kernel @ dual.sum(axis=0)
        f = self.features @ coef.T + offset
        half_norm = 0.5 * np.vdot(f, dual)  # ½ ||f||²
        bias = _best_bias(targets, costs, f)
        primal = half_norm + np.vdot(costs, np.maximum(1.0 - targets * (f + bias), 0.0))
        lower_bound = np.abs(dual).sum() - half_norm
        return PairFunction(coef, offset + bias, (primal - lower_bound) / primal)

    def _coef(self, dual):
        return np.ascontiguousarray(self.label_kernel @ (dual.T @ self.features))

    def _constant(self, value):
        n_labels, n_features = len(self.label_kernel), self.features.shape[1]
        return PairFunction(np.zeros((n_labels, n_features)), np.full(n_labels, value), 0.0)


@dataclass(frozen=True, eq=False)
class LibsvmPairSvm:
    """The problem of :class:`PairSvm` as LIBSVM takes it, one row a pair: slow, to compare with."""

    instances: np.ndarray  # (n_instances, any)
    kernel: PairKernel

    def solve(self, targets, costs) -> RowFunction:
        """The best f + b for targets and costs (n_instances, n_labels)."""
        svc = SVC(kernel=self.kernel.kernel, gamma=self.kernel.gamma, cache_size=CACHE_MB)
        rows = self.kernel.rows(self.instances)
        return RowFunction(svc.fit(rows, targets.ravel(), costs.ravel()), self.kernel)


@dataclass(frozen=True, eq=False)
class RowFunction:
    """LIBSVM's machine on rows as a function of instances; it keeps to its own tolerance."""

    svc: SVC
    kernel: PairKernel
    gap: float = 0.0

    def __call__(self, instances) -> np.ndarray:
        values = self.svc.decision_function(self.kernel.rows(instances))
        return values.reshape(len(instances), -1)


def _balanced(dual):
    """The dual with its heavier sign scaled down, so that it sums to zero."""
    above, below = dual[dual > 0].sum(), -dual[dual < 0].sum()
    lighter = min(above, below)
    scales = lighter / max(above, lighter, 1e-300), lighter / max(below, lighter, 1e-300)
    return dual * np.where(dual > 0, *scales)


def _best_bias(targets, costs, f):
    """argmin_b Σ C max(0, 1 - g (f + b)), the middle one if there are several."""
    places = (targets - f).ravel()  # where the slope rises, each time by a C
    order = np.argsort(places)
    slopes = np.cumsum(costs.ravel()[order]) - costs[targets > 0].sum()
    rounding = 1e-12 * costs.sum()
    first, last = np.searchsorted(slopes, [-rounding, rounding])
    return 0.5 * (places[order[first]] + places[order[last]])


@njit(cache=True, nogil=True)
def _ascend(
    order,
    features,
    norms,
    label_kernel,
    offset_kernel,
    targets,
    bounds,
    dual,
    coef,
    intercept,
    moving,
):
    """Coordinate ascent over the pairs of the instances in ``order``; returns the progress.

    ``dual``, ``coef`` (V) and ``intercept`` (u) change together, and ``moving`` tells which
    instances moved or may still move. Progress is the sum of the gradients that were removed.
    """
    n_labels, n_features = coef.shape
    slack = np.empty(n_labels)
    step = np.empty(n_labels)
    progress = 0.0
    for i in order:
        phi = features[i]
        np.dot(coef, phi, slack)
        moving[i] = False
        moved = False
        for j in range(n_labels):
            slack[j] += intercept[j] - targets[i, j]
        for j in range(n_labels):
            curvature = norms[i] * label_kernel[j, j] + offset_kernel[j, j]
            old, bound = dual[i, j], bounds[i, j]
            new = min(max(old - slack[j] / curvature, min(bound, 0.0)), max(bound, 0.0))
            step[j] = new - old
            if step[j] != 0.0:
                moved = True
                dual[i, j] = new
                progress += abs(step[j]) * curvature
                for k in range(n_labels):
                    slack[k] += step[j] * (norms[i] * label_kernel[j, k] + offset_kernel[j, k])
            if step[j] != 0.0 or (new != 0.0 and new != bound):
                moving[i] = True
        if moved:
            for j in range(n_labels):
                weight = 0.0
                for k in range(n_labels):
                    weight += label_kernel[j, k] * step[k]
                    intercept[j] += offset_kernel[j, k] * step[k]
                row = coef[j]
                for k in range(n_features):
                    row[k] += weight * phi[k]
    return progress
