"""Linear support vector machines on many examples of few features, to high accuracy."""

import warnings
from dataclasses import dataclass
from functools import cached_property

import joblib
import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from sklearn.exceptions import ConvergenceWarning

from mimlpaper.combinations import Combinations, gram, products
from mimlpaper.compiled import compiled
from mimlpaper.sharing import shared

FIRST_SIGMA = 1e3  # the first penalty σ, in units of 1 / max(1, mean ||z||²); it is at most C
SIGMA_GROWTH = 4.0  # from one subproblem to the next
MAX_SUBPROBLEMS = 25
INNER_ACCURACY = 0.1  # a subproblem is solved to this share of the tolerance
# A line search stops at a slope between these, in units of its first rate of descent; a whole step
# may also stop below the first.
LOWEST_SLOPE, HIGHEST_SLOPE = -0.1, 1e-6
MAX_BISECTIONS = 60
LEAST_CURVATURE = 1e-6  # keeps a Newton system regular when no example is free
ROUNDING = 1e-13  # relative, of products and sums
MANY = 0.25  # share of the rows up to which the rows that count are copied, and then multiplied
# How an entry of what _project gives moves with its raw value: as this does, or as this less the
# mean over the positive entries of its group, whose sum is held at C. 0: it stays at a bound.
FREE, SHIFTS = 1, 2


class Examples:
    """Rows z_i (n_examples, n_features) that many machines share, prepared and hashed once.

    An array, or :class:`~mimlpaper.combinations.Combinations`.
    """

    def __init__(self, Z):
        if isinstance(Z, Combinations):
            self.X = Z.with_ones()
            self.size = max(1.0, float(Z.squares.mean()))
            return
        Z = np.asarray(Z, dtype=np.float64)
        if Z.ndim != 2:
            raise ValueError(f"Z must be (n_examples, n_features), got shape {Z.shape}")
        self.X = np.column_stack([Z, np.ones(len(Z))])  # the rows (z_i, 1)
        # The mean ||z_i||²: not a number of examples, but how large they are. At least 1.
        self.size = max(1.0, np.einsum("ij,ij->", Z, Z) / len(Z))

    @cached_property
    def digest(self) -> str:
        return self.X.digest if isinstance(self.X, Combinations) else joblib.hash(self.X)

    def pull(self, coefficients) -> np.ndarray:
        """Σ c_i (z_i, 1), where most of the coefficients may be 0: (n_features + 1,).

        It is how strongly the examples pull at (w, b), each by its coefficient.
        """
        if isinstance(self.X, Combinations):
            return self.X.T @ coefficients
        rows = np.flatnonzero(coefficients)
        # A copy of many rows takes longer than products with all.
        if len(rows) > MANY * len(coefficients):
            return coefficients @ self.X
        return coefficients[rows] @ self.X[rows]

    @cached_property
    def whole_gram(self) -> np.ndarray:
        """Σ (z_i, 1) (z_i, 1)' of all rows, for many machines: (n_features + 1, n_features + 1)."""
        return gram(self.X)


@dataclass(frozen=True, eq=False)
class LinearSvm:
    """A fitted machine f(z) = <w, z> + b."""

    weights: np.ndarray  # (n_features,), w
    intercept: float  # b
    dual_coef: np.ndarray  # (n_examples,), y_i alpha_i
    primal: float  # the objective at (w, b)
    dual: float  # a lower bound on its minimum
    n_steps: int  # Newton steps, and one check at the end of each subproblem

    @property
    def gap(self) -> float:
        """Duality gap as a share of the objective."""
        return (self.primal - self.dual) / self.primal

    def decision_function(self, Z) -> np.ndarray:
        """f of the rows of Z: (n_examples,)."""
        return Z @ self.weights + self.intercept


def fit_linear_svm(
    Z,
    y,
    C=1.0,
    *,
    offsets=None,
    start=None,
    tol: float = 1e-4,
    max_steps: int = 1000,
) -> LinearSvm:
    """Minimise ½||w||² + C Σ_g max(0, max_{i in g} 1 - y_i (<w, z_i> + b)) over w and b.

    Without ``offsets`` each example is its own group: the ordinary support vector machine. On
    features of a :class:`~mimlpaper.kernels.KernelFactor` this is a kernel machine. It is solved by
    the method of multipliers with semismooth Newton steps, which suits more examples than features.

    Parameters
    ----------
    Z : array (n_examples, n_features) or Examples
        The rows z_i. With Examples, within ``sharing``, the result of an equal call is kept.
    y : bool array (n_examples,)
        Which examples have y_i = 1, the others have -1; both must occur, which is not checked.
    C : float > 0, default 1.0
        Cost of a hinge loss of 1.
    offsets : array (n_groups + 1,) or None, default None
        Group g is the rows ``offsets[g]:offsets[g + 1]``.
    start : LinearSvm or None, default None
        Solution of a problem with as many rows and features, for other rows, labels or C.
    tol : float > 0, default 1e-4
        Duality gap at which to stop, as a share of the objective.
    max_steps : int >= 1, default 1000
        Largest ``n_steps``; a ConvergenceWarning says if the gap is above ``tol``.

    Raises ValueError unless Z has two dimensions.

    Source: Yan and Li, An efficient augmented Lagrangian method for SVM, OMS 35, 2020.
    """
    arguments = _Problem(Z, y, C, offsets), start, tol, max_steps
    if isinstance(Z, Examples):
        svm = shared(_minimise, *arguments)
    else:
        # An array is fitted once, so to hash it would not pay.
        svm = _minimise(*arguments)
    if svm.primal - svm.dual > tol * svm.primal:
        message = (
            f"the machine stopped after {svm.n_steps} Newton steps with a duality gap of "
            f"{svm.gap:.1e}, not {tol:.1e}; take another C or a larger tol, or scale the features"
        )
        warnings.warn(message, ConvergenceWarning, stacklevel=2)
    return svm


def _minimise(problem, start, tol, max_steps):
    alpha, theta = map(np.zeros, problem.examples.X.shape)  # theta = (w, b)
    if start is not None:
        theta = np.append(start.weights, start.intercept)
        alpha, _ = _project(start.dual_coef * problem.y, problem.C, problem.offsets)
    margins = problem.margins(theta)
    best_theta, primal = theta, problem.primal(theta, margins)
    dual, n_steps = problem.dual(alpha), 0
    # In keeping with the scale of alpha, which is at most C and falls with ||z||².
    first_sigma = min(problem.C, FIRST_SIGMA / problem.examples.size)
    sigmas = first_sigma * SIGMA_GROWTH ** np.arange(MAX_SUBPROBLEMS)
    for sigma in sigmas:
        if primal - dual <= tol * primal or n_steps >= max_steps:
            break
        enough = INNER_ACCURACY * tol * primal
        try:
            theta, alpha, steps = _multiplier_step(
                problem,
                theta,
                margins,
                alpha,
                sigma,
                enough,
                max_steps - n_steps,
            )
        except LinAlgError:  # a Newton system is singular to rounding; the caller sees the gap
            break
        # Computed again, since the updates of the steps have rounded.
        margins = problem.margins(theta)
        n_steps += steps
        dual = max(dual, problem.dual(alpha))
        value = problem.primal(theta, margins)
        if value < primal:
            best_theta, primal = theta, value
    w, b = best_theta[:-1], float(best_theta[-1])
    return LinearSvm(w, b, alpha * problem.y, float(primal), float(dual), n_steps)


class _Problem:
    """The examples, labels, cost and groups of one machine."""

    def __init__(self, Z, y, C, offsets):
        self.examples = Z if isinstance(Z, Examples) else Examples(Z)
        self.y = np.where(np.asarray(y, dtype=bool), 1.0, -1.0)  # (n_examples,)
        self.C = float(C)
        if offsets is None:  # each example is a group
            offsets = np.arange(len(self.y) + 1)
        self.offsets = np.asarray(offsets, dtype=np.int64)  # (n_groups + 1,)

    @property
    def digest(self):
        return joblib.hash((self.examples.digest, self.y, self.C, self.offsets))

    def margins(self, theta):
        """y_i f(z_i): (n_examples,)."""
        return self.y * (self.examples.X @ theta)

    def primal(self, theta, margins):
        """The objective at theta, whose margins are known."""
        w = theta[:-1]
        slacks = np.maximum.reduceat(1.0 - margins, self.offsets[:-1])  # (n_groups,)
        losses = np.maximum(slacks, 0.0)
        return 0.5 * w @ w + self.C * losses.sum()

    def dual(self, alpha):
        """Σ alpha_i - ½||Σ alpha_i y_i z_i||², the heavier class scaled to Σ alpha_i y_i = 0."""
        positive = alpha[self.y > 0].sum()
        negative = alpha[self.y < 0].sum()
        lighter, heavier = sorted((positive, negative))
        if lighter <= 0:
            return 0.0
        heavier_class = 1.0 if positive > negative else -1.0
        scaled = alpha * (lighter / heavier)
        alpha = np.where(self.y == heavier_class, scaled, alpha)
        w = self.pull(alpha)[:-1]
        return alpha.sum() - 0.5 * w @ w

    def pull(self, alpha):
        """Σ alpha_i y_i (z_i, 1): (n_features + 1,)."""
        return self.examples.pull(alpha * self.y)


def _newton_direction(problem, gradient, moves, sigma):
    """The x with (D + σ F'F) x = -gradient, where F holds the rows (z_i, 1) that are free.

    D is 1 for the weights and a small δ for the bias. With fewer rows than features, x = (p, q),
    gradient = (g, h) and F = (G, s), the change u = F x = u_0 + (1 - δ) q u_1 solves
    (I + σ FF') u = (1 - δ) q s - F gradient, and
    p = -g - σ G'u, q = -(h + σ s'u_0) / (δ + (1 - δ) σ s'u_1).
    """
    D = np.ones(len(gradient))
    D[-1] = delta = LEAST_CURVATURE / problem.examples.size
    F = _free_rows(problem, moves)
    if len(F) == 0:
        return -gradient / D
    if len(F) >= len(D) - 1:
        return -_solve(sigma * _gram_of_free(problem, F, moves), D, gradient)
    # The last column, which combinations cannot slice.
    s = F @ np.eye(1, len(D), len(D) - 1)[0]
    right = np.array([-F @ gradient, s]).T  # (n_free, 2)
    u_0, u_1 = _solve(sigma * products(F), 1.0, right).T
    slope = gradient[-1] + sigma * s @ u_0
    curvature = delta + (1.0 - delta) * sigma * s @ u_1
    q = -slope / curvature
    u = u_0 + (1.0 - delta) * q * u_1
    direction = -gradient - sigma * (F.T @ u)
    direction[-1] = q
    return direction


def _free_rows(problem, moves):
    """The rows (z_i, 1) of free examples, up to signs, on which the direction does not depend.

    In a group whose alpha keeps its sum they are y_i (z_i, 1), less the mean of its free rows.
    """
    rows = np.flatnonzero(moves)
    full = np.flatnonzero(moves[rows] == SHIFTS)
    if isinstance(problem.examples.X, Combinations) and not len(full):
        return problem.examples.X.take(rows)
    F = problem.examples.X[rows]
    if len(full):
        of_full = rows[full]
        signed = F[full] * problem.y[of_full, None]
        groups = np.searchsorted(problem.offsets, of_full, side="right")
        starts = np.flatnonzero(np.diff(groups, prepend=-1))
        sizes = np.diff(starts, append=len(full))
        means = np.add.reduceat(signed, starts) / sizes[:, None]
        F[full] = signed - np.repeat(means, sizes, axis=0)
    return F


def _gram_of_free(problem, F, moves):
    """F'F. If most rows are free, it is the product of all rows less that of the others."""
    rest = np.flatnonzero(moves != FREE)
    plain = isinstance(F, np.ndarray) and not (moves == SHIFTS).any()
    if plain and len(rest) < len(F):
        return problem.examples.whole_gram - gram(problem.examples.X[rest])
    return gram(F)


def _solve(matrix, diagonal, b):
    """Solve (matrix + diag(diagonal)) x = b for a semidefinite matrix, which is overwritten."""
    matrix.flat[:: len(matrix) + 1] *= 1.0 + ROUNDING
    matrix.flat[:: len(matrix) + 1] += diagonal
    return cho_solve(cho_factor(matrix, overwrite_a=True), b)


def _multiplier_step(problem, theta, margins, alpha, sigma, enough, max_steps):
    """Minimise ½||w||² + (||raw||² - ||raw - a||²) / 2σ, where raw = alpha + σ(1 - margins).

    a is the projection of raw. Return (w, b), a and the number of steps, once the rest of the
    subproblem is below ``enough``, or below what the step of the multipliers changes, or once a
    step moves no margin by more than rounding.
    """
    pull, last = np.zeros_like(theta), np.zeros_like(alpha)
    for n_steps in range(1, max_steps + 1):
        raw = alpha + sigma * (1.0 - margins)
        a, moves = _project(raw, problem.C, problem.offsets)
        pull, last = pull + problem.pull(a - last), a
        gradient = -pull
        gradient[:-1] += theta[:-1]
        w_gradient, b_gradient = gradient[:-1], gradient[-1]
        left = 0.5 * w_gradient @ w_gradient + abs(b_gradient)
        moved = a - alpha
        # Accuracy beyond the change of the multipliers would be lost in the next subproblem.
        proximal = moved @ moved / (2.0 * sigma)
        if left <= max(enough, proximal) or n_steps == max_steps:
            return theta, a, n_steps
        direction = _newton_direction(problem, gradient, moves, sigma)
        change = problem.margins(direction)
        t = _line_search(problem, theta, gradient, direction, raw, sigma, change)
        if t * np.abs(change).max() <= ROUNDING * np.abs(margins).max():
            return theta, a, n_steps
        theta, margins = theta + t * direction, margins + t * change


def _line_search(problem, theta, gradient, direction, raw, sigma, change):
    """Step t in (0, 1] where the slope, which rises with t, is near 0; 1 if it is still below."""
    drop = sigma * change
    fall = -(gradient @ direction)
    w, w_direction = theta[:-1], direction[:-1]
    w_slope = w @ w_direction
    curvature = w_direction @ w_direction
    low, high, t = 0.0, 1.0, 1.0
    for _ in range(MAX_BISECTIONS):
        a, _ = _project(raw - t * drop, problem.C, problem.offsets)
        slope = w_slope + t * curvature - a @ change
        too_high = slope > HIGHEST_SLOPE * fall
        if not too_high and (slope >= LOWEST_SLOPE * fall or t == 1.0):
            break
        low, high = (low, t) if too_high else (t, high)
        t = 0.5 * (low + high)
    return t


@compiled
def _project(raw, C, offsets):
    """Nearest alpha >= 0 with Σ_{i in g} alpha_i <= C, and how each entry moves with raw."""
    projected = np.maximum(raw, 0.0)
    moves = np.zeros(len(raw), np.int8)
    for g in range(len(offsets) - 1):
        begin, end = offsets[g], offsets[g + 1]
        if end - begin == 1:
            if projected[begin] > C:
                projected[begin] = C
            elif projected[begin] > 0.0:
                moves[begin] = FREE
            continue
        part = raw[begin:end]
        above = part[part > 0.0]
        full, shift, n_before = above.sum() > C, 0.0, end - begin + 1
        # Until no entry leaves. With rounding an entry may come back, and the loop must end.
        while full and 0 < len(above) < n_before:
            shift, n_before = (above.sum() - C) / len(above), len(above)
            above = part[part > shift]
        projected[begin:end] = np.maximum(part - shift, 0.0)
        moves[begin:end] = np.where(part > shift, SHIFTS if full else FREE, 0)
    return projected, moves
