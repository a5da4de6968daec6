"""Linear support vector machines on many examples of few features, to high accuracy."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.exceptions import ConvergenceWarning

__all__ = ["LinearSvm", "fit_linear_svm"]

FIRST_SIGMA, SIGMA_GROWTH, MAX_SUBPROBLEMS = 1e3, 4.0, 25  # σ of the first, and by how much more
INNER_ACCURACY = 0.1  # share of the tolerance that a subproblem may leave
SLOPES = -0.1, 1e-6  # between which a line search may stop, as shares of the first slope
MAX_BISECTIONS = 60
BIAS_CURVATURE = 1e-6  # keeps a Newton system regular when no example is free
ROUNDING = 1e-13  # relative, of products and sums
FIXED, FREE, SHIFTS = 0, 1, 2  # how alpha_i answers raw_i: not, alone, against its full group


@dataclass(frozen=True, eq=False)
class LinearSvm:
    """A fitted machine f(z) = <w, z> + b, and the proof of how good it is.

    Attributes
    ----------
    weights : (n_features,), w; intercept : float, b.
    dual_coef : (n_examples,), y_i alpha_i.
    primal, dual : float, the objective at (w, b), and a lower bound on its minimum.
    n_steps : int, Newton steps tried.
    """

    weights: np.ndarray
    intercept: float
    dual_coef: np.ndarray
    primal: float
    dual: float
    n_steps: int

    @property
    def gap(self) -> float:
        """Duality gap as a share of the objective: no solution is better by more."""
        return (self.primal - self.dual) / self.primal

    def decision_function(self, Z) -> np.ndarray:
        """f of the rows of Z: (n_examples,)."""
        return Z @ self.weights + self.intercept


def fit_linear_svm(
    Z: np.ndarray,
    y: np.ndarray,
    C: float | np.ndarray = 1.0,
    *,
    offsets: np.ndarray | None = None,
    start: LinearSvm | None = None,
    tol: float = 1e-4,
    max_steps: int = 1000,
) -> LinearSvm:
    """Minimise ½||w||² + Σ_g C_g max(0, max_{i in g} 1 - y_i (<w, z_i> + b)) over w and b.

    By default each example i is its own group g, which is the ordinary support vector machine;
    a larger group shares one slack. The bias b is not penalised. On the features of a
    :class:`~mimlpaper.kernels.KernelFactor` this is a kernel machine.

    The method of multipliers, whose subproblems are solved by semismooth Newton steps: a step
    costs two passes over Z and one linear system of n_features + 1 unknowns. Choose it when
    examples outnumber features, or when many related problems are solved in a row.

    Parameters
    ----------
    Z : (n_examples, n_features) float array
    y : (n_examples,), True for the positive class
    C : float or (n_groups,), the cost of each slack, at least 0
    offsets : (n_groups + 1,) or None
        Group g is the rows ``offsets[g]:offsets[g + 1]``; None for groups of one.
    start : LinearSvm or None
        The machine of a related problem on the same rows. The result is never worse than
        it, whatever ``tol``.
    tol : float
        Stop when the duality gap is at most this share of the objective.
    max_steps : int
        Newton steps before giving up, with a ConvergenceWarning.

    References
    ----------
    Yan and Li, An efficient augmented Lagrangian method for support vector machine,
    Optimization Methods and Software 35, 2020.
    """
    problem = _problem(Z, y, C, offsets)
    n_examples, n_features = problem.Z.shape
    theta, alpha = np.zeros(n_features + 1), np.zeros(n_examples)  # theta = (w, b)
    if start is not None:
        theta = np.append(start.weights, start.intercept)
        alpha = problem.project(start.dual_coef * problem.y)[0]
    margins = problem.margins(theta)
    best_theta, primal = theta, problem.primal(theta, margins)
    dual, n_steps = problem.dual(alpha), 0
    for sigma in problem.first_sigma() * SIGMA_GROWTH ** np.arange(MAX_SUBPROBLEMS):
        if primal - dual <= tol * primal or n_steps >= max_steps:
            break
        enough = INNER_ACCURACY * tol * primal
        try:
            theta, alpha, steps = _multiplier_step(
                problem, theta, margins, alpha, sigma, enough, max_steps - n_steps
            )
        except LinAlgError:  # a Newton system is singular to rounding; the gap tells
            break
        margins = problem.margins(theta)  # afresh: the steps' updates round
        n_steps += steps
        dual = max(dual, problem.dual(alpha))
        if problem.primal(theta, margins) < primal:
            best_theta, primal = theta, problem.primal(theta, margins)
    if primal - dual > tol * primal:
        warnings.warn(
            f"the support vector machine stopped after {n_steps} Newton steps with a duality gap "
            f"of {(primal - dual) / primal:.1e} of its objective, not {tol:.1e}; "
            "raise max_steps, or scale the features",
            ConvergenceWarning,
            stacklevel=2,
        )
    weights, intercept = best_theta[:-1], float(best_theta[-1])
    return LinearSvm(weights, intercept, alpha * problem.y, primal, dual, n_steps)


@dataclass(frozen=True, eq=False)
class _Problem:
    Z: np.ndarray  # (n_examples, n_features)
    y: np.ndarray  # (n_examples,), -1.0 or 1.0
    C: np.ndarray  # (n_groups,)
    offsets: np.ndarray  # (n_groups + 1,)
    size: float  # mean of ||z_i||², or 1 if that is less

    def first_sigma(self):
        """In keeping with the scale of alpha, which is below both the costs and 1 / ||z||²."""
        return min(self.C.mean(), FIRST_SIGMA / self.size)

    def margins(self, theta):
        return self.y * (self.Z @ theta[:-1] + theta[-1])

    def primal(self, theta, margins):
        slacks = np.maximum.reduceat(1.0 - margins, self.offsets[:-1])  # (n_groups,)
        return 0.5 * theta[:-1] @ theta[:-1] + self.C @ np.maximum(slacks, 0.0)

    def dual(self, alpha):
        """Σ alpha_i - ½||Σ alpha_i y_i z_i||², the heavier class scaled to Σ alpha_i y_i = 0."""
        sums = alpha[self.y > 0].sum(), alpha[self.y < 0].sum()
        if min(sums) <= 0:
            return 0.0
        heavier = 1.0 if sums[0] > sums[1] else -1.0
        alpha = np.where(self.y == heavier, alpha * (min(sums) / max(sums)), alpha)
        w = (alpha * self.y) @ self.Z
        return alpha.sum() - 0.5 * w @ w

    def project(self, raw):
        """Nearest alpha >= 0 with Σ_{i in g} alpha_i <= C_g, and how each entry moves with raw."""
        return _project(raw, self.C, self.offsets)

    def gradient(self, theta, alpha):
        """Of the Lagrangian in (w, b): (n_features + 1,)."""
        signed = alpha * self.y
        return np.append(theta[:-1] - signed @ self.Z, -signed.sum())

    def newton_direction(self, gradient, moves, sigma):
        rows = np.flatnonzero(moves)
        F = np.empty((len(rows), self.Z.shape[1] + 1))
        F[:, :-1], F[:, -1] = self.Z[rows], 1.0
        F *= self.y[rows, None]
        self._centre_full_groups(F, rows, moves)
        hessian = sigma * (F.T @ F)  # (n_features + 1, n_features + 1)
        diagonal = np.diag_indices_from(hessian)
        hessian[diagonal] *= 1.0 + ROUNDING
        hessian[diagonal] += 1.0
        hessian[-1, -1] -= 1.0 - BIAS_CURVATURE / self.size
        factor = cho_factor(hessian, overwrite_a=True, check_finite=False)
        return -cho_solve(factor, gradient, check_finite=False)

    def _centre_full_groups(self, F, rows, moves):
        """A full group's alpha keeps its sum, so its rows of F count from their mean."""
        full = np.flatnonzero(moves[rows] == SHIFTS)
        if not len(full):
            return
        groups = np.searchsorted(self.offsets, rows[full], side="right")
        starts = np.flatnonzero(np.diff(groups, prepend=-1))
        sizes = np.diff(starts, append=len(full))
        means = np.add.reduceat(F[full], starts) / sizes[:, None]
        F[full] -= np.repeat(means, sizes, axis=0)


def _multiplier_step(problem, theta, margins, alpha, sigma, enough, max_steps):
    """Minimise ½||w||² + ||a||² / 2σ, a = project(alpha + σ(1 - margins)), and return that a.

    A step that stops early is still a step forward: the subproblem has to be solved only to the
    accuracy with which it stands for the whole.
    """
    for n_steps in range(1, max_steps + 1):
        a, moves = problem.project(alpha + sigma * (1.0 - margins))
        gradient = problem.gradient(theta, a)
        left = 0.5 * gradient[:-1] @ gradient[:-1] + abs(gradient[-1])
        proximal = (a - alpha) @ (a - alpha) / (2.0 * sigma)
        if left <= max(enough, proximal) or n_steps == max_steps:
            return theta, a, n_steps
        direction = problem.newton_direction(gradient, moves, sigma)
        change = problem.margins(direction)
        t = _line_search(problem, theta, margins, alpha, sigma, gradient, direction, change)
        if t * np.abs(change).max() <= ROUNDING * np.abs(margins).max():
            return theta, a, n_steps
        theta, margins = theta + t * direction, margins + t * change


def _line_search(problem, theta, margins, alpha, sigma, gradient, direction, change):
    """Step t in (0, 1] where the slope, which rises with t, is near 0 from below, or 1."""
    fall = -gradient @ direction
    w_slope = theta[:-1] @ direction[:-1]
    curvature = direction[:-1] @ direction[:-1]
    low, high, t = 0.0, 1.0, 1.0
    for _ in range(MAX_BISECTIONS):
        a, _ = problem.project(alpha + sigma * (1.0 - margins - t * change))
        slope = w_slope + t * curvature - a @ change
        too_high = slope > SLOPES[1] * fall
        if not too_high and (slope >= SLOPES[0] * fall or t == 1.0):
            break
        low, high = (low, t) if too_high else (t, high)
        t = 0.5 * (low + high)
    return t


@njit(cache=True, nogil=True)
def _project(raw, C, offsets):
    projected = np.maximum(raw, 0.0)
    moves = np.zeros(len(raw), np.int8)
    for g in range(len(C)):
        begin, end = offsets[g], offsets[g + 1]
        if end - begin == 1:
            if projected[begin] > C[g]:
                projected[begin] = C[g]
            elif projected[begin] > 0.0:
                moves[begin] = FREE
            continue
        shift, full = _shift(raw, C[g], begin, end)
        for i in range(begin, end):
            projected[i] = max(raw[i] - shift, 0.0)
            if projected[i] > 0.0:
                moves[i] = SHIFTS if full else FREE
    return projected, moves


@njit(cache=True, nogil=True)
def _shift(raw, cost, begin, end):
    """What to subtract from a group so that its positive part sums to its cost at most."""
    shift, n_before = 0.0, end - begin + 1
    while True:
        total, n_above = 0.0, 0
        for i in range(begin, end):
            if raw[i] > shift:
                total += raw[i]
                n_above += 1
        if shift == 0.0 and total <= cost:
            return shift, False
        if n_above == 0 or n_above >= n_before:  # rounding may bring an entry back
            return shift, True
        shift, n_before = (total - cost) / n_above, n_above


def _problem(Z, y, C, offsets):
    Z = np.ascontiguousarray(Z, dtype=np.float64)
    y = np.where(np.asarray(y, dtype=bool), 1.0, -1.0)
    if Z.ndim != 2 or y.shape != Z.shape[:1]:
        raise ValueError(
            f"Z must be (n_examples, n_features) and y (n_examples,), got {Z.shape} and {y.shape}"
        )
    offsets = np.arange(len(y) + 1) if offsets is None else np.asarray(offsets, dtype=np.int64)
    if offsets[0] != 0 or offsets[-1] != len(y) or np.diff(offsets).min() < 1:
        raise ValueError(f"offsets must rise from 0 to the number of examples, {len(y)}")
    C = np.broadcast_to(np.asarray(C, dtype=np.float64), len(offsets) - 1)
    if not (C >= 0).all():
        raise ValueError(f"C must not be negative, got {C.min()}")
    costs = np.repeat(C, np.diff(offsets))
    for sign, name in ((1.0, "positive"), (-1.0, "negative")):
        if not costs[y == sign].any():
            raise ValueError(f"y must have an example of positive cost in the {name} class")
    size = max(1.0, np.einsum("ij,ij->", Z, Z) / len(Z))
    return _Problem(Z, y, np.ascontiguousarray(C), offsets, size)
