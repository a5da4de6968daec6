"""Linear support vector machines on many examples of few features, to high accuracy."""

import warnings
from dataclasses import dataclass
from functools import cached_property

import joblib
import numpy as np
from numba import njit
from scipy.linalg import LinAlgError
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dposv
from sklearn.exceptions import ConvergenceWarning

from mimlpaper.sharing import shared

FIRST_SIGMA, SIGMA_GROWTH, MAX_SUBPROBLEMS = 1e3, 4.0, 25  # σ of the first, and by how much more
INNER_ACCURACY = 0.1  # share of the tolerance that a subproblem may leave
SLOPES = -0.1, 1e-6  # between which a line search may stop, as shares of the first slope
MAX_BISECTIONS = 60
BIAS_CURVATURE = 1e-6  # keeps a Newton system regular when no example is free
ROUNDING = 1e-13  # relative, of products and sums
FIXED, FREE, SHIFTS = 0, 1, 2  # alpha_i stays, follows raw_i, or moves against its full group


class Examples:
    """The rows z_i that many machines are trained on: checked once, and hashed once.

    ``X`` (n_examples, n_features + 1) holds the rows (z_i, 1), ``size`` is the mean of ||z_i||², at
    least 1. Machines on them are shared, see :func:`~mimlpaper.sharing.shared`.
    """

    def __init__(self, Z):
        Z = np.asarray(Z, dtype=np.float64)
        if Z.ndim != 2:
            raise ValueError(f"Z must be (n_examples, n_features), got shape {Z.shape}")
        self.X = np.ones((len(Z), Z.shape[1] + 1))
        self.X[:, :-1] = Z
        self.size = max(1.0, np.einsum("ij,ij->", Z, Z) / len(Z))
        self._hash = None

    @cached_property
    def products(self) -> np.ndarray:
        """The upper half of X'X: (n_features + 1, n_features + 1)."""
        return dsyrk(1.0, self.X.T)

    def __reduce__(self):
        """What joblib's hash goes by: the hash of the rows, not the rows."""
        self._hash = self._hash or joblib.hash(self.X)
        return str, (self._hash,)


@dataclass(frozen=True, eq=False)
class LinearSvm:
    """A fitted machine f(z) = <w, z> + b, and the proof of how good it is."""

    weights: np.ndarray  # (n_features,), w
    intercept: float  # b
    dual_coef: np.ndarray  # (n_examples,), y_i alpha_i
    primal: float  # the objective at (w, b)
    dual: float  # a lower bound on its minimum
    n_steps: int  # Newton steps tried

    @property
    def gap(self) -> float:
        """Duality gap as a share of the objective: no solution is better by more."""
        return (self.primal - self.dual) / self.primal

    def decision_function(self, Z) -> np.ndarray:
        """f of the rows of Z: (n_examples,)."""
        return Z @ self.weights + self.intercept


def fit_linear_svm(
    Z: np.ndarray | Examples, y: np.ndarray, C: float | np.ndarray = 1.0, *,
    offsets: np.ndarray | None = None, start: LinearSvm | None = None, tol: float = 1e-4,
    max_steps: int = 1000,
) -> LinearSvm:  # fmt: skip
    """Minimise ½||w||² + Σ_g C_g max(0, max_{i in g} 1 - y_i (<w, z_i> + b)) over w and b.

    By default each example i is its own group g, which is the ordinary support vector machine;
    a larger group shares one slack. The bias b is not penalised. On the features of a
    :class:`~mimlpaper.kernels.KernelFactor` this is a kernel machine.

    The method of multipliers, whose subproblems are solved by semismooth Newton steps: a step
    costs one pass over Z, and one linear system with an unknown for each free example
    (0 < alpha_i < C) or each feature, whichever are fewer. Choose it when examples outnumber
    features, or when many related problems are solved in a row.

    Parameters
    ----------
    Z : (n_examples, n_features) float array, or Examples
    y : (n_examples,), True for the positive class
    C : float or (n_groups,), the cost of each slack, at least 0
    offsets : (n_groups + 1,) or None
        Group g is the rows ``offsets[g]:offsets[g + 1]``; None for groups of one.
    start : LinearSvm or None
        The machine of a related problem on the same rows; the result is never worse.
    tol : float, the duality gap at which to stop, as a share of the objective.
    max_steps : int, Newton steps before giving up, with a ConvergenceWarning.

    Source: Yan and Li, An efficient augmented Lagrangian method for support vector machine,
    Optimization Methods and Software 35, 2020.
    """
    problem = _problem(Z, y, C, offsets)
    if isinstance(Z, Examples):
        svm = shared(_minimise, problem, start, tol, max_steps)
    else:
        svm = _minimise(problem, start, tol, max_steps)
    if svm.primal - svm.dual > tol * svm.primal:
        warnings.warn(
            f"the support vector machine stopped after {svm.n_steps} Newton steps with a duality "
            f"gap of {svm.gap:.1e} of its objective, not {tol:.1e}; "
            "raise max_steps, or scale the features",
            ConvergenceWarning,
            stacklevel=2,
        )
    return svm


def _minimise(problem, start, tol, max_steps):
    n_examples, n_weights = problem.X.shape
    theta, alpha = np.zeros(n_weights), np.zeros(n_examples)  # theta = (w, b)
    if start is not None:
        theta = np.append(start.weights, start.intercept)
        alpha = problem.project(start.dual_coef * problem.y)[0]
    margins = problem.margins(theta)
    best_theta, primal = theta, problem.primal(theta, margins)
    dual, n_steps, system = problem.dual(alpha), 0, _NewtonSystem(problem)
    for sigma in problem.first_sigma() * SIGMA_GROWTH ** np.arange(MAX_SUBPROBLEMS):
        if primal - dual <= tol * primal or n_steps >= max_steps:
            break
        enough = INNER_ACCURACY * tol * primal
        try:
            theta, alpha, steps = _multiplier_step(
                problem, system, theta, margins, alpha, sigma, enough, max_steps - n_steps
            )
        except LinAlgError:  # a Newton system is singular to rounding; the gap shows it
            break
        margins = problem.margins(theta)  # computed again: the steps' updates round
        n_steps += steps
        dual = max(dual, problem.dual(alpha))
        if problem.primal(theta, margins) < primal:
            best_theta, primal = theta, problem.primal(theta, margins)
    weights, intercept = best_theta[:-1], float(best_theta[-1])
    return LinearSvm(weights, intercept, alpha * problem.y, float(primal), float(dual), n_steps)


@dataclass(frozen=True, eq=False)
class _Problem:
    examples: Examples
    y: np.ndarray  # (n_examples,), -1.0 or 1.0
    C: np.ndarray  # (n_groups,)
    offsets: np.ndarray  # (n_groups + 1,)

    @property
    def X(self):
        return self.examples.X

    def first_sigma(self):
        """In keeping with the scale of alpha, which is below both the costs and 1 / ||z||²."""
        return min(self.C.mean(), FIRST_SIGMA / self.examples.size)

    def margins(self, theta):
        return self.y * (self.X @ theta)

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
        w = self.pull(alpha)[:-1]
        return alpha.sum() - 0.5 * w @ w

    def pull(self, alpha):
        """Σ alpha_i y_i (z_i, 1), where most alpha_i may be 0: (n_features + 1,)."""
        return _combine(alpha * self.y, self.X)

    def project(self, raw):
        """Nearest alpha >= 0 with Σ_{i in g} alpha_i <= C_g, and how each entry moves with raw."""
        return _project(raw, self.C, self.offsets)


class _NewtonSystem:
    """The linear system of a Newton step, for the steps of one machine in a row."""

    def __init__(self, problem):
        self.problem, self.X = problem, problem.X
        self.free, self.products = np.zeros(len(self.X), bool), None  # of the last dense system

    def direction(self, gradient, moves, sigma):
        """The x with (D + σ F'F) x = -gradient, where F holds the rows (z_i, 1) that are free.

        D is 1 for the weights and a small δ for the bias, which keeps the system regular if no
        example is free. With fewer rows than features it is solved through their inner products:
        for x = (p, q), gradient = (g, h) and F = (G, s), the change u = F x of the rows has
        (I + σ FF') u = (1 - δ) q s - F gradient, so that u = u_0 + (1 - δ) q u_1, and

            p = -g - σ G'u,   q = -(h + σ s'u_0) / (δ + (1 - δ) σ s'u_1).
        """
        D = np.ones(self.X.shape[1])
        D[-1] = delta = BIAS_CURVATURE / self.problem.examples.size
        n_free, n_features = np.count_nonzero(moves), len(D) - 1
        if n_free == 0:
            return -gradient / D
        if n_free >= n_features:
            return -_solve(sigma * self._products(moves), D, gradient)
        F = self._rows(moves)
        s = F[:, -1]
        right = np.array([-F @ gradient, s]).T  # (n_free, 2)
        u_0, u_1 = _solve(dsyrk(sigma, F.T, trans=True), 1.0, right).T
        q = -(gradient[-1] + sigma * s @ u_0) / (delta + (1.0 - delta) * sigma * s @ u_1)
        direction = -gradient - sigma * (u_0 + (1.0 - delta) * q * u_1) @ F
        direction[-1] = q
        return direction

    def _products(self, moves):
        """F'F, its upper half: from that of the last step, of all rows, or of none."""
        if (moves == SHIFTS).any():
            return dsyrk(1.0, self._rows(moves).T)
        free = moves == FREE
        n_changed, n_free = np.count_nonzero(free != self.free), np.count_nonzero(free)
        if self.products is None or n_changed > min(n_free, len(free) - n_free):
            most = 2 * n_free > len(free)
            self.free = np.full(len(free), most)
            self.products = self.problem.examples.products * most
        for sign, rows in (1.0, free & ~self.free), (-1.0, self.free & ~free):
            if rows.any():
                self.products = dsyrk(
                    sign, self.X[rows].T, beta=1.0, c=self.products, overwrite_c=True
                )
        self.free = free
        return self.products

    def _rows(self, moves):
        """F up to signs; where a group's alpha keeps its sum, rows y_i (z_i, 1) less their mean."""
        rows = np.flatnonzero(moves)
        F = self.X[rows]
        full = np.flatnonzero(moves[rows] == SHIFTS)
        if len(full):
            signed = F[full] * self.problem.y[rows[full], None]
            groups = np.searchsorted(self.problem.offsets, rows[full], side="right")
            starts = np.flatnonzero(np.diff(groups, prepend=-1))
            sizes = np.diff(starts, append=len(full))
            means = np.add.reduceat(signed, starts) / sizes[:, None]
            F[full] = signed - np.repeat(means, sizes, axis=0)
        return F


def _solve(matrix, diagonal, b):
    """Solve (matrix + diag(diagonal)) x = b; the matrix is semidefinite, its upper half given."""
    own = np.einsum("ii->i", matrix)  # a view
    own *= 1.0 + ROUNDING
    own += diagonal
    _, x, failed = dposv(matrix, b, overwrite_a=True)
    if failed:
        raise LinAlgError("the matrix is not positive definite")
    return x


def _multiplier_step(problem, system, theta, margins, alpha, sigma, enough, max_steps):
    """Minimise ½||w||² + ||a||² / 2σ, a = project(alpha + σ(1 - margins)), and return that a.

    The subproblem has to be solved only to the accuracy with which it stands for the whole.
    """
    pull, last = np.zeros_like(theta), np.zeros_like(alpha)
    for n_steps in range(1, max_steps + 1):
        raw = alpha + sigma * (1.0 - margins)
        a, moves = problem.project(raw)
        pull, last = pull + problem.pull(a - last), a
        gradient = -pull
        gradient[:-1] += theta[:-1]
        left = 0.5 * gradient[:-1] @ gradient[:-1] + abs(gradient[-1])
        proximal = (a - alpha) @ (a - alpha) / (2.0 * sigma)
        if left <= max(enough, proximal) or n_steps == max_steps:
            return theta, a, n_steps
        direction = system.direction(gradient, moves, sigma)
        change = problem.margins(direction)
        t = _line_search(
            theta, gradient, direction, raw, sigma * change, change, problem.C, problem.offsets
        )
        if t * np.abs(change).max() <= ROUNDING * np.abs(margins).max():
            return theta, a, n_steps
        theta, margins = theta + t * direction, margins + t * change


@njit(cache=True, nogil=True)
def _line_search(theta, gradient, direction, raw, drop, change, C, offsets):
    """Step t in (0, 1] where the slope, which rises with t, is near 0 from below, or 1."""
    fall = -(gradient @ direction)
    w_slope = theta[:-1] @ direction[:-1]
    curvature = direction[:-1] @ direction[:-1]
    low, high, t = 0.0, 1.0, 1.0
    for _ in range(MAX_BISECTIONS):
        a, _ = _project(raw - t * drop, C, offsets)
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


@njit(cache=True, nogil=True)
def _combine(weights, X):
    total = np.zeros(X.shape[1])
    for i in range(len(weights)):
        if weights[i] != 0.0:
            for j in range(len(total)):
                total[j] += weights[i] * X[i, j]
    return total


def _problem(Z, y, C, offsets):
    examples = Z if isinstance(Z, Examples) else Examples(Z)
    y = np.where(np.asarray(y, dtype=bool), 1.0, -1.0)
    if y.shape != examples.X.shape[:1]:
        raise ValueError(f"y must be ({len(examples.X)},), one label a row of Z, got {y.shape}")
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
    return _Problem(examples, y, np.ascontiguousarray(C), offsets)
