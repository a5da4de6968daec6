"""The bundle solver: cutting planes under the whole loss, until the duality gap is small."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar

from mimlpaper.algorithms.dmiml.problem import ConvexProblem, Multipliers, Solution
from mimlpaper.algorithms.dmiml.quadratic import ascend

__all__ = ["solve_bundle"]

TOWARDS_LOWEST = 0.1  # where to cut, on the way from the best point to the model's minimum
STEP_ACCURACY = 0.02  # of the best step on that way
MODEL_ACCURACY = 0.1  # share of the duality gap that the model's minimum may leave
MAX_PAIR_STEPS = 20_000
MAX_PLANES = 2000


def solve_bundle(
    problem: ConvexProblem, start: Solution | None, tol: float, max_iter: int | None, rng=None
) -> Solution:
    """Minimise ½ tr(W Q W') + R(W), R being the loss at its best b, by planes below R.

    Each iteration minimises the regulariser plus the highest of the planes, which gives a lower
    bound; moves the best point so far towards that minimum, as far as it gains; and adds a plane
    that touches R nearby. One plane stands for the losses of all bags and labels. Stops when
    the duality gap is at most ``tol`` of the objective. The first choice at every size; the
    iterations grow with the costs.

    ``start``, the solution of a problem of the same size, gives the first point, than which the
    result is never worse, and its planes, made valid for this problem.

    References
    ----------
    Franc and Sonnenburg, Optimized cutting plane algorithm for large-scale risk minimization,
    JMLR 10, 2009.
    """
    model = _Model(problem)
    weights = np.zeros((problem.bags.shape[1], problem.signs.shape[1]))
    if start is not None:
        weights = start.weights
        for cut in start.cuts or ():
            model.add(*cut)
    best = touched = _point(problem, weights)
    primal = _objective(problem, best)
    n_iter = 0
    while n_iter < (max_iter or MAX_PLANES):
        n_iter += 1
        model.touch(touched)
        weights = model.minimise(primal, tol)
        if primal - model.dual <= tol * primal:
            break
        lowest = _point(problem, weights)
        size, value = _line_search(problem, best, lowest)
        if value < primal:
            best, primal = _towards(best, lowest, size), value
        touched = _towards(best, lowest, TOWARDS_LOWEST)
    weights, on_bags, _ = best
    intercept, _ = problem.best_intercept(on_bags)
    return problem.solution(weights, intercept, model.multipliers(), n_iter, model.active_cuts())


def _point(problem, weights):
    """W with the scores of bags and instances, all linear in W."""
    return weights, *problem.scores(weights)


def _towards(a, b, size):
    return tuple(x + size * (y - x) for x, y in zip(a, b, strict=True))


def _objective(problem, point):
    weights, on_bags, on_instances = point
    intercept, _ = problem.best_intercept(on_bags)
    return problem.regulariser(weights) + problem.loss(on_bags, on_instances, intercept)


def _line_search(problem, best, lowest):
    """Best step between two points, and the objective there."""
    found = minimize_scalar(
        lambda size: _objective(problem, _towards(best, lowest, size)),
        bounds=(0, 1),
        method="bounded",
        options={"xatol": STEP_ACCURACY},
    )
    return found.x, found.fun


class _Model:
    """The highest of the planes <G_k, W> + h_k <= R(W), in V = W L with Q = L L'.

    A plane is kept as the parts of the loss that it stands for, the share of each bag's cost
    and the term that sets each δ_it: so it can be made anew for other costs, link, ρ and Q.
    """

    def __init__(self, problem):
        self.problem = problem
        self.cuts = []
        self.slopes = np.empty((0, problem.bags.shape[1] * problem.signs.shape[1]))  # G_k L⁻ᵀ
        self.heights = np.empty(0)  # h_k
        self.gram = np.empty((0, 0))
        self.x = np.empty(0)  # the planes' multipliers, which sum to one
        self.dual = -np.inf

    def touch(self, point):
        """Add the plane that touches R at a point."""
        _, on_bags, on_instances = point
        _, margin = self.problem.best_intercept(on_bags)
        _, active = self.problem.discrepancy(on_bags, on_instances)
        self.add(margin / self.problem.costs, active, 0.0 if len(self.x) else 1.0)

    def add(self, share, active, x):
        multipliers = self._multipliers(share, active)
        slope = (self.problem.gradient(multipliers) @ self.problem.root_inverse.T).ravel()
        self.slopes = np.vstack([self.slopes, slope])
        products = self.slopes @ slope
        self.gram = np.block([[self.gram, products[:-1, None]], [products]])
        self.heights = np.append(self.heights, multipliers.margin.sum())
        self.x = np.append(self.x, x)
        self.cuts.append((share, active))

    def minimise(self, primal, tol):
        """W of the lowest regulariser plus model; ``dual`` becomes its value."""
        n = len(self.x)
        accuracy = MODEL_ACCURACY * max(min(primal - self.dual, primal), tol * primal)
        ascend(
            self.gram,
            self.heights,
            self.x,
            np.zeros(n),
            np.ones(n),
            np.zeros(n, np.int64),
            accuracy,
            MAX_PAIR_STEPS,
        )
        V = -(self.x @ self.slopes)
        self.dual = self.heights @ self.x - 0.5 * V @ V
        return V.reshape(-1, len(self.problem.Q)) @ self.problem.root_inverse

    def active_cuts(self):
        return tuple((*cut, x) for cut, x in zip(self.cuts, self.x, strict=True) if x > 0)

    def multipliers(self):
        """Those of the planes, each in proportion to its own multiplier."""
        margin, instance, bag = 0.0, 0.0, 0.0
        for share, active, x in self.active_cuts():
            part = self._multipliers(share, active)
            margin, instance, bag = (
                margin + x * part.margin,
                instance + x * part.instance,
                bag + x * part.bag,
            )
        return Multipliers(margin, instance, bag)

    def _multipliers(self, share, active):
        instance = np.zeros_like(self.problem.rho)
        i, t = np.nonzero(active >= 0)
        instance[active[i, t], t] = self.problem.link
        bag = np.where(active < 0, self.problem.link, 0.0)
        return Multipliers(self.problem.balanced(share * self.problem.costs), instance, bag)
