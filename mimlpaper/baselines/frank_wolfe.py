"""RankSvm's first solver: Frank-Wolfe steps, each towards the optimum of a linear program."""

from collections.abc import Iterator

import numpy as np
from numba import njit
from scipy.optimize import fminbound
from scipy.sparse.csgraph import connected_components

SHORTEST_STEP = 1e-6
SHORTEST_MOVE = 1e-4  # step times the distance from alpha to s
INSIDE = 1e-6  # distance from its bounds at which alpha counts as free
ACCURACY = 1e-8  # duality gap and imbalance of a linear program, as shares
MAX_NEWTON = 200
BOUNDARY = 0.99  # share of the way to the boundary that a Newton step goes
SNAP = 1e-6  # share of its upper bound within which a pair's flow counts as at a bound


def frank_wolfe(
    gram: np.ndarray, Y: np.ndarray, C: float, *, vertex: bool, accuracy: float, max_iter: int
) -> Iterator[tuple[np.ndarray, np.ndarray, float]]:
    """Coefficients beta, biases b and relative duality gap before each step from alpha = 0.

    The dual of :class:`~mimlpaper.baselines.ranksvm.RankSvm` has the gradient
    1 - f_k(x_i) + f_l(x_i) in alpha_ikl. A linear program finds the s at which the linear model is
    highest, and the step goes from alpha towards s. Golden sections and parabolas find its length
    within ``accuracy``; 0 gives the exact length. The steps end before one that is too short, or
    after ``max_iter`` linear programs, the last for the gap only. ``vertex`` says whether s is a
    vertex of the set of optima, or lies inside it. Each row of Y has a label and a missing label.
    """
    pairs = LabelPairs(Y, C)
    alpha, beta, scores = np.zeros(len(pairs.upper)), np.zeros(Y.shape), np.zeros(Y.shape)
    for _ in range(max_iter):
        slope = pairs.margins(scores) - 1.0  # of the negative dual
        move = pairs.lowest(slope, vertex) - alpha
        fall = slope @ move  # minus the duality gap
        primal = alpha.sum() - np.sum(beta * scores) / 2 - fall
        yield beta, pairs.bias(alpha, slope), -fall / primal if primal > 0 else 0.0
        direction = pairs.coefficients(move)
        rise = gram @ direction
        step = _step(fall, np.sum(direction * rise), accuracy)
        if step <= SHORTEST_STEP or step * np.linalg.norm(move) <= SHORTEST_MOVE:
            return
        alpha, beta, scores = alpha + step * move, beta + step * direction, scores + step * rise


def _step(slope, curvature, accuracy):
    """Where slope s + curvature s² / 2 is lowest in [0, 1]."""
    if accuracy > 0:
        return fminbound(lambda s: s * (slope + s * curvature / 2), 0, 1, xtol=accuracy)
    return min(-slope / curvature, 1.0) if curvature > 0 else 1.0


class LabelPairs:
    """Pairs of an example's label k and missing label l, whose alpha is a flow from l to k.

    Since sum_i beta_ik = 0, the flow into each label equals the flow out of it. So a pair that is
    on no cycle of pairs carries nothing and is left out. The upper bound of alpha_ikl is C over
    the example's number of pairs. ``example``, ``own``, ``other``, ``upper`` (n_pairs,) are i, k, l
    and this bound; ``surplus`` (n_labels,) says how many more examples have a label than lack it.
    """

    def __init__(self, Y, C):
        example, own, other = np.nonzero(Y[:, :, None] & ~Y[:, None, :])
        self.shape, self.surplus = Y.shape, (2.0 * Y - 1.0).sum(axis=0)
        arcs = np.bincount(own * Y.shape[1] + other, minlength=Y.shape[1] ** 2)
        _, self.part = connected_components(arcs.reshape(Y.shape[1], -1), connection="strong")
        kept = self.part[own] == self.part[other]
        self.example, self.own, self.other = example[kept], own[kept], other[kept]
        self.upper = C / np.bincount(example, minlength=len(Y))[self.example]

    def margins(self, scores):
        """f_k(x_i) - f_l(x_i): (n_pairs,)."""
        return scores[self.example, self.own] - scores[self.example, self.other]

    def coefficients(self, alpha):
        """beta (n_examples, n_labels), the flow into each label minus the flow out of it."""
        first = self.example * self.shape[1]
        size = self.shape[0] * self.shape[1]
        got = np.bincount(first + self.own, alpha, size)
        return (got - np.bincount(first + self.other, alpha, size)).reshape(self.shape)

    def bias(self, alpha, slope):
        """Least-squares solution b of b_k - b_l = -slope over the free pairs.

        Without a free pair it is ``surplus``.
        """
        free = (alpha >= INSIDE) & (self.upper - alpha >= INSIDE)
        if not free.any():
            return self.surplus
        counts = np.zeros((self.shape[1], self.shape[1]))
        right = np.zeros_like(counts)
        np.add.at(counts, (self.own[free], self.other[free]), 1.0)
        np.add.at(right, (self.own[free], self.other[free]), -slope[free])
        laplacian = np.diag((counts + counts.T).sum(axis=1)) - counts - counts.T
        return np.linalg.lstsq(laplacian, right.sum(axis=1) - right.sum(axis=0))[0]

    def lowest(self, cost, vertex):
        """The feasible alpha with the least cost'alpha: (n_pairs,)."""
        if not len(cost):
            return cost
        together = (self.part[:, None] == self.part).astype(np.float64)
        alpha = _interior_point(cost, self.upper, self.own, self.other, together)
        if vertex:
            _move_to_vertex(alpha, self.upper, self.own, self.other, self.shape[1])
        return alpha


@njit(cache=True, nogil=True)
def _interior_point(cost, upper, own, other, together):
    """The flow 0 <= x <= upper that minimises cost'x, in the interior of the set of optima.

    With potentials y of the labels and multipliers of the bounds, cost = y_k - y_l + low - high
    throughout, and x low and (upper - x) high go to zero at the same pace (Mehrotra's predictor
    and corrector). The normal equations are a Laplacian with one row for each label.
    """
    cost = cost / max(np.abs(cost).max(), np.finfo(np.float64).tiny)
    x, left = 0.5 * upper, 0.5 * upper
    low = np.maximum(cost, 0.0) + 0.1  # at y = 0
    high = low - cost
    dx, dlow, dhigh = np.zeros(len(x)), np.zeros(len(x)), np.zeros(len(x))
    for _ in range(MAX_NEWTON):
        excess = _excess(x, own, other, len(together))
        gap = x @ low + left @ high
        if gap <= ACCURACY * (1.0 + abs(cost @ x)):
            if np.abs(excess).max() <= ACCURACY * upper.sum():
                break
        dx[:], dlow[:], dhigh[:] = 0.0, 0.0, 0.0
        _newton(x, left, low, high, dx, dlow, dhigh, own, other, together, excess, 0.0)
        a = min(_longest(x, dx), _longest(left, -dx), 1.0)
        b = min(_longest(low, dlow), _longest(high, dhigh), 1.0)
        ahead = (x + a * dx) @ (low + b * dlow) + (left - a * dx) @ (high + b * dhigh)
        aim = gap / (2 * len(x)) * (ahead / gap) ** 3
        _newton(x, left, low, high, dx, dlow, dhigh, own, other, together, excess, aim)
        a = min(BOUNDARY * min(_longest(x, dx), _longest(left, -dx)), 1.0)
        b = min(BOUNDARY * min(_longest(low, dlow), _longest(high, dhigh)), 1.0)
        x, left = x + a * dx, left - a * dx
        low, high = low + b * dlow, high + b * dhigh
    return x


@njit(cache=True, nogil=True)
def _newton(x, left, low, high, dx, dlow, dhigh, own, other, together, excess, aim):
    """Set the steps after which every x low and left high is near ``aim``.

    The steps passed in give the second-order products, which Newton's method leaves out.
    """
    laplacian, right = np.zeros_like(together), -excess
    for p in range(len(x)):
        k, j = own[p], other[p]
        width = 1.0 / (low[p] / x[p] + high[p] / left[p])
        pull = (aim - dx[p] * dlow[p]) / x[p] - low[p]
        pull -= (aim + dx[p] * dhigh[p]) / left[p] - high[p]
        laplacian[k, k] += width
        laplacian[j, j] += width
        laplacian[k, j] -= width
        laplacian[j, k] -= width
        right[k] -= width * pull
        right[j] += width * pull
    # The potentials of a part are determined up to a constant.
    laplacian += together * np.trace(laplacian) / len(together) ** 2
    dy = np.linalg.solve(laplacian, right)
    for p in range(len(x)):
        width = 1.0 / (low[p] / x[p] + high[p] / left[p])
        pull_low = (aim - dx[p] * dlow[p]) / x[p] - low[p]
        pull_high = (aim + dx[p] * dhigh[p]) / left[p] - high[p]
        dx[p] = width * (dy[own[p]] - dy[other[p]] + pull_low - pull_high)
        dlow[p] = pull_low - low[p] * dx[p] / x[p]
        dhigh[p] = pull_high + high[p] * dx[p] / left[p]


@njit(cache=True, nogil=True)
def _excess(x, own, other, n_labels):
    """The flow into each label minus the flow out of it: (n_labels,)."""
    excess = np.zeros(n_labels)
    for p in range(len(x)):
        excess[own[p]] += x[p]
        excess[other[p]] -= x[p]
    return excess


@njit(cache=True, nogil=True)
def _longest(values, steps):
    """The largest share of the steps that leaves no value below zero."""
    share = np.inf
    for value, step in zip(values, steps):  # noqa: B905, compiled
        if step < 0.0:
            share = min(share, -value / step)
    return share


@njit(cache=True, nogil=True)
def _move_to_vertex(x, upper, own, other, n_labels):
    """Move an optimal flow, in place, until the pairs between their bounds form no cycle.

    Pairs between their bounds have reduced cost zero: flow around a cycle of them costs nothing.
    They join a forest one after the other; a pair that closes a cycle moves flow around it until a
    pair of the cycle reaches a bound and leaves.
    """
    forest = np.full((n_labels, n_labels), -1)  # the pair that joins two labels
    for p in range(len(x)):
        if x[p] <= SNAP * upper[p] or x[p] >= (1.0 - SNAP) * upper[p]:
            x[p] = 0.0 if x[p] < 0.5 * upper[p] else upper[p]
            continue
        path = _path(forest, own[p], other[p])
        amount = upper[p] - x[p]
        for step in range(len(path) - 1):
            q = forest[path[step], path[step + 1]]
            amount = min(amount, x[q] if own[q] == path[step] else upper[q] - x[q])
        amount = amount if len(path) > 1 else 0.0
        x[p] += amount
        for step in range(len(path) - 1):
            a, b = path[step], path[step + 1]
            q = forest[a, b]
            x[q] += -amount if own[q] == a else amount
            if min(x[q], upper[q] - x[q]) <= SNAP * upper[q]:
                forest[a, b] = forest[b, a] = -1
        if upper[p] - x[p] > SNAP * upper[p]:
            forest[own[p], other[p]] = forest[other[p], own[p]] = p


@njit(cache=True, nogil=True)
def _path(forest, start, end):
    """Labels on the way from ``start`` to ``end`` in a forest; empty if there is none."""
    before = np.full(len(forest), -1)
    before[start] = start
    queue = [start]
    for label in queue:
        for following in range(len(forest)):
            if forest[label, following] >= 0 and before[following] < 0:
                before[following] = label
                queue.append(following)
    path = [end]
    while before[path[-1]] >= 0 and path[-1] != start:
        path.append(before[path[-1]])
    return path[::-1] if path[-1] == start else path[:0]
