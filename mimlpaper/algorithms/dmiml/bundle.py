"""Bundle solver: cutting planes below the whole loss, until the duality gap is small."""

import numpy as np
from scipy.optimize import minimize_scalar

from mimlpaper.algorithms.dmiml.problem import ConvexProblem, Multipliers, Solution
from mimlpaper.algorithms.dmiml.quadratic import ascend

TOWARDS_LOWEST = 0.1  # where to cut, as a share of the way from the best point to the minimum
STEP_ACCURACY = 0.05  # of the best step on this way
MODEL_ACCURACY = 0.1  # share of the duality gap that the model's minimum may leave
MAX_PAIR_STEPS = 20_000
MAX_PLANES = 2000


def solve_bundle(
    problem: ConvexProblem, start: Solution | None, tol: float, max_iter: int | None, rng=None
) -> Solution:
    """Minimise ½ tr(W Q W') + R(W), where R is the loss at its best b, by planes below R.

    R is a sum over labels. Each iteration minimises the regulariser plus the highest plane of
    each label, which gives a lower bound; moves the best point towards this minimum as far as it
    gains; and adds for each label a plane that touches its part of R nearby. A plane covers the
    losses of all bags. It stops when the duality gap is at most ``tol`` of the objective. It is
    the first choice at every size; higher costs take more iterations.

    ``start``, the solution of a problem of the same size, gives the first point and its planes,
    made valid for this problem. The result is never worse than ``start``.

    Source: Franc and Sonnenburg, Optimized cutting plane algorithm for large-scale risk
    minimization, JMLR 10, 2009.
    """
    model = _Model(problem)
    weights = np.zeros((problem.bags.shape[1], problem.signs.shape[1]))
    if start is not None:
        weights = start.weights
        if start.planes is not None:
            model.add(*start.planes)
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
    return problem.solution(weights, intercept, model.multipliers(), n_iter, model.active_planes())


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
        lambda size: _objective(problem, _towards(best, lowest, size)), bounds=(0, 1),
        method="bounded", options={"xatol": STEP_ACCURACY},
    )  # fmt: skip
    return found.x, found.fun


class _Model:
    """Planes <G_kt, w_t> + h_kt below each label's part of R.

    A plane is stored as the share of each bag's cost and the term that sets each δ_it, so that
    it is valid for other costs, link, ρ and Q too. A label's multipliers x sum to one.
    """

    def __init__(self, problem):
        n_bags, self.n_labels = problem.signs.shape
        self.problem = problem
        self.label = np.empty(0, np.int64)  # of each plane
        self.share = np.empty((n_bags, 0))
        self.active = np.empty((n_bags, 0), np.int32)
        self.x = np.empty(0)
        self.slopes = np.empty((0, problem.bags.shape[1]))  # G_kt
        self.heights = np.empty(0)  # h_kt
        self.gram = np.empty((0, 0))  # of G in the metric of Q⁻¹
        self.dual = -np.inf

    def touch(self, point):
        """Add the planes that touch R at a point."""
        _, on_bags, on_instances = point
        _, margin = self.problem.best_intercept(on_bags)
        _, active = self.problem.discrepancy(on_bags, on_instances)
        x = np.full(self.n_labels, 0.0 if len(self.x) else 1.0)
        self.add(np.arange(self.n_labels), margin / self.problem.costs, active, x)

    def add(self, label, share, active, x):
        """Planes of these labels: one column of ``share`` and ``active`` each."""
        slopes, heights = self._planes(label, share, active)
        self.slopes = np.vstack([self.slopes, slopes])
        self.heights = np.append(self.heights, heights)
        self.share, self.active = np.hstack([self.share, share]), np.hstack([self.active, active])
        self.label, self.x = np.append(self.label, label), np.append(self.x, x)
        metric = self.problem.Q_inverse[np.ix_(self.label, label)]
        products = (self.slopes @ slopes.T) * metric
        n = len(self.gram)
        self.gram = np.block([[self.gram, products[:n]], [products.T]])

    def minimise(self, primal, tol):
        """W that minimises regulariser plus model; sets ``dual`` to the minimum."""
        n = len(self.x)
        accuracy = MODEL_ACCURACY * max(min(primal - self.dual, primal), tol * primal)
        ascend(
            self.gram, self.heights, self.x, np.zeros(n), np.ones(n), self.label,
            accuracy / self.n_labels, MAX_PAIR_STEPS,
        )  # fmt: skip
        self.dual = self.heights @ self.x - 0.5 * self.x @ self.gram @ self.x
        return -(self._mixture() @ self.slopes).T @ self.problem.Q_inverse

    def active_planes(self):
        used = self.x > 0
        return self.label[used], self.share[:, used], self.active[:, used], self.x[used]

    def multipliers(self):
        """The planes' multipliers, weighted by x."""
        problem, mixture = self.problem, self._mixture().T
        costs = problem.costs[:, self.label]
        margin = problem.balanced(self.share * costs, self.label) @ mixture
        instance = np.zeros_like(problem.rho)
        i, k = np.nonzero(self.active >= 0)
        np.add.at(instance, (self.active[i, k], self.label[k]), problem.link * self.x[k])
        return Multipliers(margin, instance, problem.link * (self.active < 0) @ mixture)

    def _planes(self, label, share, active):
        """Slopes G (n_planes, n_dims) and heights h (n_planes,)."""
        problem, rising = self.problem, active < 0
        margin = problem.balanced(share * problem.costs[:, label], label)
        of_bags = np.where(rising, problem.link, -problem.link) - problem.signs[:, label] * margin
        of_instances = problem.rho[:, label] * problem.spread(np.where(rising, -problem.link, 0.0))
        i, k = np.nonzero(~rising)
        of_instances[active[i, k], k] += problem.link
        return of_bags.T @ problem.bags + of_instances.T @ problem.instances, margin.sum(axis=0)

    def _mixture(self):
        """x of each label's planes: (n_labels, n_planes)."""
        return np.where(self.label == np.arange(self.n_labels)[:, None], self.x, 0.0)
