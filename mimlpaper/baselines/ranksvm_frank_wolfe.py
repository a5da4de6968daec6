"""The original solver of RankSvm: Frank-Wolfe, whose linear programs are flows between labels."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.optimize import fminbound
from scipy.sparse.csgraph import connected_components

from mimlpaper.compiled import compiled

SHORTEST_STEP = 1e-6
SHORTEST_MOVE = 1e-4  # step times the distance from alpha to s
INSIDE = 1e-6  # distance from its bounds at which alpha counts as free
ACCURACY = 1e-8  # duality gap and imbalance of a linear program, as shares
MAX_NEWTON = 200
BOUNDARY = 0.99  # share of the way to the boundary that a Newton step goes
SNAP = 1e-6  # share of its upper bound within which a pair's flow counts as at a bound


class Ranking(NamedTuple):
    """Functions f_k(x) = sum_i coef_ik K(x, x_i) + intercept_k, and how far from the optimum."""

    coef: np.ndarray  # (n_examples, n_labels), the beta
    intercept: np.ndarray  # (n_labels,), the b
    gap: float  # duality gap as a share of the objective


def frank_wolfe(
    gram: np.ndarray,
    Y: np.ndarray,
    C: float,
    vertex: bool,
    accuracy: float,
    max_iter: int,
) -> Iterator[Ranking]:
    """The ranking before each step from alpha = 0.

    The dual of RankSvm has the gradient 1 - f_k(x_i) + f_l(x_i) in alpha_ikl. A linear
    program finds the s at which the linear model is highest, a vertex of the set of optima or a
    point inside it; HiGHS takes 17 times as long. The step from alpha towards s has the best length
    within ``accuracy``. The biases are the least-squares solution over all alpha_ikl strictly
    between their bounds. The steps end before a very short one, or after ``max_iter`` programs.
    """
    pairs = LabelPairs(Y, C)
    alpha = np.zeros(len(pairs.upper))
    beta = np.zeros(Y.shape)
    scores = np.zeros(Y.shape)
    for _ in range(max_iter):
        slope = pairs.margins(scores) - 1.0  # of the negative dual
        move = pairs.lowest(slope, vertex) - alpha
        fall = slope @ move  # minus the duality gap
        primal = alpha.sum() - np.sum(beta * scores) / 2 - fall
        gap = -fall / primal if primal > 0 else 0.0
        yield Ranking(beta, pairs.bias(alpha, slope), gap)
        direction = pairs.coefficients(move)
        rise = gram @ direction
        curvature = np.sum(direction * rise)
        step = fminbound(_along_step, 0, 1, args=(fall, curvature), xtol=accuracy)
        if step <= SHORTEST_STEP or step * np.linalg.norm(move) <= SHORTEST_MOVE:
            return
        alpha = alpha + step * move
        beta = beta + step * direction
        scores = scores + step * rise


def _along_step(step, slope, curvature):
    """How much the negative dual changes with a step."""
    return step * (slope + step * curvature / 2)


class LabelPairs:
    """Pairs of an example's label k and missing label l, whose alpha is a flow from l to k.

    As much flows into each label as out of it, so that pairs on no cycle are left out. ``example``,
    ``label``, ``missing``, ``upper`` (n_pairs,) are i, k, l and the bound of alpha_ikl; ``surplus``
    (n_labels,) is how many more examples have a label than lack it.
    """

    def __init__(self, Y, C):
        self.shape = Y.shape
        self.surplus = (2.0 * Y - 1.0).sum(axis=0)
        n_examples, n_labels = Y.shape
        example, label, missing = np.nonzero(Y[:, :, None] & ~Y[:, None, :])
        arcs = np.bincount(label * n_labels + missing, minlength=n_labels**2)
        linked = arcs.reshape(n_labels, -1)
        # Labels of one strong component lie on common cycles.
        _, self.component = connected_components(linked, connection="strong")
        kept = self.component[label] == self.component[missing]
        self.example = example[kept]
        self.label = label[kept]
        self.missing = missing[kept]
        n_pairs = np.bincount(example, minlength=n_examples)
        self.upper = C / n_pairs[self.example]

    def margins(self, scores):
        """f_k(x_i) - f_l(x_i): (n_pairs,)."""
        return scores[self.example, self.label] - scores[self.example, self.missing]

    def coefficients(self, alpha):
        """beta (n_examples, n_labels), the flow into each label minus the flow out of it."""
        n_examples, n_labels = self.shape
        row_start = self.example * n_labels
        size = n_examples * n_labels
        into = np.bincount(row_start + self.label, alpha, size)
        out_of = np.bincount(row_start + self.missing, alpha, size)
        return (into - out_of).reshape(self.shape)

    def bias(self, alpha, slope):
        """Least-squares solution b of b_k - b_l = -slope over the free pairs, or ``surplus``."""
        free = (alpha >= INSIDE) & (self.upper - alpha >= INSIDE)
        if not free.any():
            return self.surplus
        n_labels = self.shape[1]
        places = self.label[free], self.missing[free]
        counts = np.zeros((n_labels, n_labels))
        right = np.zeros((n_labels, n_labels))
        np.add.at(counts, places, 1.0)
        np.add.at(right, places, -slope[free])
        degrees = np.diag((counts + counts.T).sum(axis=1))
        laplacian = degrees - counts - counts.T
        return np.linalg.lstsq(laplacian, right.sum(axis=1) - right.sum(axis=0))[0]

    def lowest(self, cost, vertex):
        """The feasible alpha with the least cost'alpha: (n_pairs,)."""
        if not len(cost):
            return cost
        together = (self.component[:, None] == self.component).astype(np.float64)
        alpha = _interior_point(cost, self.upper, self.label, self.missing, together)
        if not vertex:
            return alpha
        free = _move_to_vertex(alpha, self.upper, self.label, self.missing, self.shape[1])
        # Set the flow of the free pairs, a forest, so that it fits the others exactly.
        columns = np.arange(len(free))
        incidence = np.zeros((self.shape[1], len(free)))
        incidence[self.label[free], columns] = 1.0
        incidence[self.missing[free], columns] = -1.0
        alpha[free] = 0.0
        excess = self.coefficients(alpha).sum(axis=0)
        flow = np.linalg.lstsq(incidence, -excess)[0]
        alpha[free] = np.clip(flow, 0.0, self.upper[free])
        return alpha


@compiled
def _interior_point(cost, upper, label, missing, together):
    """The flow 0 <= x <= upper with the least cost'x, inside the set of optima (Mehrotra).

    ``room`` is upper - x. With potentials y of the labels, and multipliers ``low`` and ``high`` of
    the bounds, cost = y_k - y_l + low - high throughout.
    """
    cost = cost / max(np.abs(cost).max(), np.finfo(np.float64).tiny)
    x = 0.5 * upper
    room = 0.5 * upper
    low = np.maximum(cost, 0.0) + 0.1  # at y = 0
    high = low - cost
    for _ in range(MAX_NEWTON):
        excess = _excess(x, label, missing, len(together))
        gap = x @ low + room @ high
        balanced = np.abs(excess).max() <= ACCURACY * upper.sum()
        if balanced and gap <= ACCURACY * (1.0 + abs(cost @ x)):
            break
        dx = np.zeros(len(x))
        dlow = np.zeros(len(x))
        dhigh = np.zeros(len(x))
        # The predictor goes straight for the optimum; how far it gets sets the corrector's aim.
        _newton(x, room, low, high, dx, dlow, dhigh, label, missing, together, excess, 0.0)
        a = min(_longest(x, dx), _longest(room, -dx), 1.0)
        b = min(_longest(low, dlow), _longest(high, dhigh), 1.0)
        low_ahead = (x + a * dx) @ (low + b * dlow)
        high_ahead = (room - a * dx) @ (high + b * dhigh)
        ahead = low_ahead + high_ahead
        aim = gap / (2 * len(x)) * (ahead / gap) ** 3
        _newton(x, room, low, high, dx, dlow, dhigh, label, missing, together, excess, aim)
        a = min(BOUNDARY * min(_longest(x, dx), _longest(room, -dx)), 1.0)
        b = min(BOUNDARY * min(_longest(low, dlow), _longest(high, dhigh)), 1.0)
        x = x + a * dx
        room = room - a * dx
        low = low + b * dlow
        high = high + b * dhigh
    return x


@compiled
def _excess(x, label, missing, n_labels):
    """The flow into each label minus the flow out of it: (n_labels,)."""
    excess = np.zeros(n_labels)
    for p in range(len(x)):
        excess[label[p]] += x[p]
        excess[missing[p]] -= x[p]
    return excess


@compiled
def _newton(x, room, low, high, dx, dlow, dhigh, label, missing, together, excess, aim):
    """Set dx, dlow, dhigh so that x low and room high approach ``aim``.

    The products dx dlow and dx dhigh of the last call correct for the curvature.
    """
    width = 1.0 / (low / x + high / room)
    pull_low = (aim - dx * dlow) / x - low
    pull_high = (aim + dx * dhigh) / room - high
    laplacian = np.zeros_like(together)
    right = -excess
    for p in range(len(x)):
        k = label[p]
        j = missing[p]
        laplacian[k, k] += width[p]
        laplacian[j, j] += width[p]
        laplacian[k, j] -= width[p]
        laplacian[j, k] -= width[p]
        pull = width[p] * (pull_low[p] - pull_high[p])
        right[k] -= pull
        right[j] += pull
    # The potentials of a component are determined up to a constant.
    laplacian += together * np.trace(laplacian) / len(together) ** 2
    dy = np.linalg.solve(laplacian, right)
    dx[:] = width * (dy[label] - dy[missing] + pull_low - pull_high)
    dlow[:] = pull_low - low * dx / x
    dhigh[:] = pull_high + high * dx / room


@compiled
def _longest(values, steps):
    """The longest multiple of the steps that keeps all values >= 0."""
    return np.where(steps < 0.0, -values / steps, np.inf).min()


@compiled
def _move_to_vertex(x, upper, label, missing, n_labels):
    """Move an optimal flow, in place, until no cycle of pairs is between its bounds.

    Returns the pairs that are still between theirs: they form a forest on the labels.
    """
    forest = np.full((n_labels, n_labels), -1)  # the pair that joins two labels
    for p in range(len(x)):
        if _snaps(x, upper, p):
            continue
        k = label[p]
        j = missing[p]
        path = _path(forest, k, j)
        amount = _around_cycle(path, forest, x, upper, label, p)
        x[p] += amount
        for step in range(len(path) - 1):
            a, b = path[step], path[step + 1]
            q = forest[a, b]
            x[q] += -amount if label[q] == a else amount
            if _snaps(x, upper, q):
                forest[a, b] = forest[b, a] = -1
        if not _snaps(x, upper, p):
            forest[k, j] = forest[j, k] = p
    pairs = np.unique(forest)
    return pairs[pairs >= 0]


@compiled
def _snaps(x, upper, p):
    """Whether the flow of pair p is at a bound up to rounding; then it is set to this bound."""
    if min(x[p], upper[p] - x[p]) > SNAP * upper[p]:
        return False
    x[p] = 0.0 if x[p] < 0.5 * upper[p] else upper[p]
    return True


@compiled
def _around_cycle(path, forest, x, upper, label, p):
    """How much flow moves along pair p and back over the path, until a pair is at its bound.

    0 if there is no path. The shorter of both ways, so that a pair close to its bound ends there.
    """
    if len(path) <= 1:
        return 0.0
    up = upper[p] - x[p]
    down = x[p]
    for step in range(len(path) - 1):
        q = forest[path[step], path[step + 1]]
        along = upper[q] - x[q]
        against = x[q]
        if label[q] == path[step]:
            along, against = against, along
        up, down = min(up, along), min(down, against)
    return up if up <= (1.0 + SNAP) * down else -down


@compiled
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
