"""L-BFGS from many starts in lockstep: one evaluation serves all running descents."""

from collections.abc import Callable

import numpy as np
from numba import njit

MEMORY = 10  # steps that a descent remembers
DECREASE, CURVATURE = 1e-3, 0.9  # of Wolfe's conditions, as shares of the slope at the point
MAX_TRIALS = 20  # lengths tried for one step
FLAT = 1e-5  # a gradient without a larger entry counts as zero
ROUNDING = 2.2e-16


def minimise(
    evaluate: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]], starts: np.ndarray,
    *, tol: float, max_iter: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """Local minima of a smooth loss, one from each start (n_starts, n).

    ``evaluate`` takes the numbers of k descents (k,) and a point of each (k, n), and returns the
    losses (k,) and the gradients (k, n) at these points. A descent ends with a step that gains at
    most the share ``tol`` of the loss, or of 1 if the loss is smaller; or after ``max_iter`` steps.

    Returns the points (n_starts, n) and losses (n_starts,) at the ends of the descents, and whether
    ``tol`` or a zero gradient ended each (n_starts,).

    Source: Nocedal and Wright, Numerical Optimization, 2006, Algorithms 7.4 and 7.5. The line
    search is the bisection of Lewis and Overton, Mathematical Programming 141, 2013.
    """
    descents = _Descents(starts)
    converged = np.zeros(len(starts), dtype=bool)
    going = np.arange(len(starts))
    while len(going):
        trials = descents.trials(going)
        losses, gradients = evaluate(going, trials)
        good = descents.judge(going, losses, gradients)
        moving = going[good]
        gains = descents.losses[moving] - losses[good]
        descents.move(moving, trials[good], losses[good], gradients[good])
        small = gains <= tol * np.maximum(losses[good], 1.0)
        converged[moving] = small | (np.abs(gradients[good]).max(axis=1) <= FLAT)
        ended = converged | (descents.n_steps >= max_iter) | (descents.n_trials >= MAX_TRIALS)
        going = going[~ended[going]]
    return descents.points, descents.losses, converged


class _Descents:
    """Points, directions and memories of all descents.

    The first step to a start has length 0 and begins at an infinite loss.
    """

    def __init__(self, starts):
        n_starts, n = starts.shape
        self.points, self.losses = starts.copy(), np.full(n_starts, np.inf)
        self.gradients, self.directions = np.zeros((2, n_starts, n))
        self.lengths, self.low, self.high = np.zeros((3, n_starts))  # low < length < high
        self.high[:] = np.inf
        self.steps, self.changes = np.zeros((2, n_starts, MEMORY, n))  # of points and gradients
        self.n_pairs, self.n_steps, self.n_trials = np.zeros((3, n_starts), dtype=int)
        self.n_steps[:] = -1

    def trials(self, which):
        return self.points[which] + self.lengths[which, None] * self.directions[which]

    def judge(self, which, losses, gradients):
        """Whether Wolfe's conditions hold at the trials (k,); sets new lengths where they fail."""
        directions, lengths = self.directions[which], self.lengths[which]
        slopes = _products(self.gradients[which], directions)
        enough = losses <= self.losses[which] + DECREASE * lengths * slopes  # not if NaN
        flat = _products(gradients, directions) >= CURVATURE * slopes
        self.low[which] = np.where(enough, lengths, self.low[which])
        self.high[which] = np.where(enough, self.high[which], lengths)
        middles = 0.5 * (self.low[which] + self.high[which])
        self.lengths[which] = np.where(np.isinf(middles), 2.0 * lengths, middles)
        self.n_trials[which] += 1
        return enough & flat

    def move(self, which, points, losses, gradients):
        """Move to the points and set the next directions."""
        steps, changes = points - self.points[which], gradients - self.gradients[which]
        _remember(which, steps, changes, self.steps, self.changes, self.n_pairs)
        self.points[which], self.losses[which], self.gradients[which] = points, losses, gradients
        self.directions[which] = -_quasi_newton(
            which, gradients, self.steps, self.changes, self.n_pairs
        )
        norms = np.sqrt(_products(gradients, gradients))
        first = np.minimum(1.0, 1.0 / np.maximum(norms, ROUNDING))
        self.lengths[which] = np.where(self.n_pairs[which] > 0, 1.0, first)
        self.low[which], self.high[which] = 0.0, np.inf
        self.n_steps[which] += 1
        self.n_trials[which] = 0


@njit(cache=True, nogil=True)
def _products(A, B):
    """Inner products <a_i, b_i> of the rows: (k,)."""
    products = np.empty(len(A))
    for i in range(len(A)):
        products[i] = _dot(A[i], B[i])
    return products


@njit(cache=True, nogil=True)
def _dot(a, b):
    """<a, b>, summed in one order on every processor."""
    sum_0 = sum_1 = sum_2 = sum_3 = 0.0
    whole = len(a) // 4 * 4
    for k in range(0, whole, 4):
        sum_0 += a[k] * b[k]
        sum_1 += a[k + 1] * b[k + 1]
        sum_2 += a[k + 2] * b[k + 2]
        sum_3 += a[k + 3] * b[k + 3]
    for k in range(whole, len(a)):
        sum_0 += a[k] * b[k]
    return (sum_0 + sum_1) + (sum_2 + sum_3)


@njit(cache=True, nogil=True)
def _remember(which, new_steps, new_changes, steps, changes, n_pairs):
    """Keep a step s and its change y in place of the oldest, if the loss is convex along it."""
    for j in range(len(which)):
        i, s, y = which[j], new_steps[j], new_changes[j]
        if _dot(s, y) > ROUNDING * _dot(y, y):
            steps[i, n_pairs[i] % MEMORY] = s
            changes[i, n_pairs[i] % MEMORY] = y
            n_pairs[i] += 1


@njit(cache=True, nogil=True)
def _quasi_newton(which, gradients, steps, changes, n_pairs):
    """H g, by the two-loop recursion over the remembered pairs (s, y): (k, n)."""
    products = gradients.copy()
    shares = np.empty(MEMORY)
    for j in range(len(which)):
        i, q = which[j], products[j]
        oldest, end = max(n_pairs[i] - MEMORY, 0), n_pairs[i]
        for pair in range(end - 1, oldest - 1, -1):
            s, y = steps[i, pair % MEMORY], changes[i, pair % MEMORY]
            shares[pair % MEMORY] = _dot(s, q) / _dot(s, y)
            q -= shares[pair % MEMORY] * y
        if end > 0:
            s, y = steps[i, (end - 1) % MEMORY], changes[i, (end - 1) % MEMORY]
            q *= _dot(s, y) / _dot(y, y)
        for pair in range(oldest, end):
            s, y = steps[i, pair % MEMORY], changes[i, pair % MEMORY]
            q += (shares[pair % MEMORY] - _dot(y, q) / _dot(s, y)) * s
    return products
