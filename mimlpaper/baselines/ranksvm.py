"""RankSvm: large-margin ranking of labels, then a threshold for the size of the label set."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.optimize import fminbound
from scipy.sparse.csgraph import connected_components
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import normalize
from sklearn.utils import check_random_state

from mimlpaper.base import VectorEstimator
from mimlpaper.compiled import compiled
from mimlpaper.computing import progress
from mimlpaper.kernels import KERNELS, kernel_matrix
from mimlpaper.parameters import (
    COUNT,
    FLAG,
    NOT_NEGATIVE,
    POSITIVE,
    SEED,
    VERBOSITY,
    words,
)

CHECK_EVERY = 10  # sweeps between two duality gaps
AT_ONCE = 50_000_000  # additions in one compiled call, a tenth of a second
PULL = 0.05  # constant added to the kernel, in units of the variance of the examples
GAP_FLOOR = 1e-6  # smallest divisor of the gap, in units of the objective at f = 0
MARGIN_OUTSIDE = 0.1  # distance of a threshold that separates nothing from the nearest score
SHORTEST_STEP = 1e-6
SHORTEST_MOVE = 1e-4  # step times the distance from alpha to s
INSIDE = 1e-6  # distance from its bounds at which alpha counts as free
ACCURACY = 1e-8  # duality gap and imbalance of a linear program, as shares
MAX_NEWTON = 200
BOUNDARY = 0.99  # share of the way to the boundary that a Newton step goes
SNAP = 1e-6  # share of its upper bound within which a pair's flow counts as at a bound


class Stage(NamedTuple):
    """A machine: coefficients and biases of the functions and of the threshold."""

    coef: np.ndarray  # (n_usable, n_labels)
    intercept: np.ndarray  # (n_labels,)
    threshold_coef: np.ndarray  # (n_labels,)
    threshold_intercept: float

    def scores(self, gram) -> np.ndarray:
        """f_k(x) - t(x): (n_examples, n_labels)."""
        ranking = gram @ self.coef + self.intercept
        threshold = ranking @ self.threshold_coef + self.threshold_intercept
        return ranking - threshold[:, None]


@dataclass(kw_only=True, eq=False, repr=False)
class RankSvm(VectorEstimator):
    """Large-margin ranking of an example's labels above its missing labels.

    The functions f_k(x) = <w_k, x> + b_k, one for each label, minimise

        1/2 sum_k ||w_k||^2 + C sum_i 1 / (|Y_i| |Ybar_i|) sum_{k in Y_i, j not in Y_i}
            max(0, 1 - f_k(x_i) + f_j(x_i))

    over the usable examples, which have a label and a missing label; a ValueError if there is
    none. The scores are f_k(x) - t(x): t(x) = <v, f(x)> + v_0 is a least-squares fit, over all
    examples, to the value that separates the labels from the others with the fewest mistakes.

    Choose it if the order of the labels matters, for up to some thousand examples: memory is about
    8 n_examples (n_labels^2 + 3 n_examples) bytes. A label with one class gets a constant f_k.

    Parameters
    ----------
    kernel : {"poly", "rbf", "linear"}, default "poly"
        Kernel between examples: (γ <x, x'> + coef0)^degree, exp(-γ ||x - x'||²) or <x, x'>.
    degree : int >= 1, default 3
        Degree of "poly".
    gamma : float > 0, default 1.0
        Width γ, in units of one over a squared feature.
    coef0 : float >= 0, default 1.0
        Constant of "poly".
    C : float > 0, default 1.0
        Cost of a ranking loss of 1 for each example.
    normalise : bool, default True
        Whether to scale each example to unit length first.
    label_rule : {"sign", "top"}, default "sign"
        Labels with a positive score, or the T-Criterion: at least the label with the highest.
    solver : {"block_ascent", "frank_wolfe"}, default "block_ascent"
        Block ascent converges. :func:`frank_wolfe` is the original, which stopped after 50 steps
        (``max_iter``), far from the optimum.
    tol : float > 0, default 1e-3
        Duality gap of block ascent, as a share of the objective.
    max_iter : int >= 1, default 2000
        Most sweeps of block ascent, after which a ConvergenceWarning names a larger gap, or most
        linear programs of Frank-Wolfe.
    linear_program : {"interior", "vertex"}, default "interior"
        Of Frank-Wolfe: a step goes towards the end of an interior-point method, or a vertex.
    step_accuracy : float > 0, default 1e-4
        Of Frank-Wolfe: accuracy of a step's length, a share from 0 to 1.
    verbose : int, default 0
        1 shows a bar on stderr that moves with each sweep or linear program.
    random_state : int, RandomState or None, default None
        Draws the order of each sweep.

    Attributes
    ----------
    X_fit_ : array (n_usable, n_features)
        The usable training examples, as the kernel sees them.
    dual_coef_ : array (n_usable, n_labels)
        The beta, with w_k = sum_i beta_ik x_i.
    intercept_ : array (n_labels,)
        The b.
    threshold_coef_ : array (n_labels,)
        The v.
    threshold_intercept_ : float
        The v_0.
    duality_gap_ : float
        The gap as a share of the objective.
    n_iter_ : int
        Sweeps or linear programs.
    stages_ : list of Stage
        The machines before each step of Frank-Wolfe, or the last machine.
    classes_ : array (n_labels,)
        Names of the labels.

    References
    ----------
    Elisseeff and Weston, A kernel method for multi-labelled classification, NIPS 14, 2002.
    """

    kernel: str = "poly"
    degree: int = 3
    gamma: float = 1.0
    coef0: float = 1.0
    C: float = 1.0
    normalise: bool = True
    label_rule: str = "sign"
    solver: str = "block_ascent"
    tol: float = 1e-3
    max_iter: int = 2000
    linear_program: str = "interior"
    step_accuracy: float = 1e-4
    verbose: int = 0
    random_state: int | np.random.RandomState | None = None

    _parameter_constraints: ClassVar[dict] = {
        "kernel": [words(*KERNELS)],
        "degree": [COUNT],
        "gamma": [POSITIVE],
        "coef0": [NOT_NEGATIVE],
        "C": [POSITIVE],
        "normalise": [FLAG],
        "solver": [words("block_ascent", "frank_wolfe")],
        "tol": [POSITIVE],
        "max_iter": [COUNT],
        "linear_program": [words("interior", "vertex")],
        "step_accuracy": [POSITIVE],
        "verbose": [VERBOSITY],
        "random_state": [SEED],
    }

    def staged_decision_function(self, X) -> Iterator[np.ndarray]:
        """The scores after 0, 1, ... steps of Frank-Wolfe; after all sweeps of block ascent."""
        gram = self._gram(self._check_X(X, reset=False))
        yield from (stage.scores(gram) for stage in self.stages_)

    def _check_X(self, X, *, reset):
        X = super()._check_X(X, reset=reset)
        return normalize(X) if self.normalise else X

    def _fit(self, X, Y):
        usable = Y.any(axis=1) & ~Y.all(axis=1)
        if not usable.any():
            raise ValueError("Y must have an example with a label and a missing label, got none")
        self.X_fit_ = X[usable]
        gram = self._gram(X)  # (n_examples, n_usable)
        if self.solver == "frank_wolfe":
            vertex = self.linear_program == "vertex"
            programs = frank_wolfe(
                gram[usable], Y[usable], self.C, vertex, self.step_accuracy, self.max_iter
            )
            steps = [*progress(programs, "RankSvm, linear programs", self.verbose)]
            self.n_iter_ = len(steps)
        else:
            coef, intercept, gap, self.n_iter_ = _solve(
                gram[usable],
                Y[usable],
                self.C,
                self.tol,
                self.max_iter,
                check_random_state(self.random_state),
                self.verbose,
            )
            steps = [(coef, intercept, gap)]
        self.duality_gap_ = steps[-1][-1]
        if self.solver == "block_ascent" and not self.duality_gap_ <= self.tol:  # also if it is NaN
            found = f"relative duality gap of {self.duality_gap_:.2e} after {self.n_iter_} sweeps"
            remedy = "raise max_iter, lower C, or scale the examples"
            message = f"RankSvm stopped at a {found}, above tol={self.tol:.2e}; {remedy}"
            warnings.warn(message, ConvergenceWarning, stacklevel=3)
        self.stages_ = [
            Stage(coef, intercept, *_fit_threshold(gram @ coef + intercept, Y))
            for coef, intercept, _ in steps
        ]
        self.dual_coef_, self.intercept_ = self.stages_[-1][:2]
        self.threshold_coef_, self.threshold_intercept_ = self.stages_[-1][2:]

    def _scores(self, X):
        """Scores f_k(x) - t(x), positive for the predicted labels: (n_examples, n_labels)."""
        return self.stages_[-1].scores(self._gram(X))

    def _gram(self, X):
        return kernel_matrix(
            X,
            self.X_fit_,
            kernel=self.kernel,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
        )


def _solve(gram, Y, C, tol, max_iter, rng, verbose):
    """Coefficients (n, n_labels), biases (n_labels,), relative duality gap, sweeps.

    The dual maximises sum(alpha) - 1/2 sum_k beta_k' K beta_k, where beta_ik is the sum of
    alpha_ikj over j if k is in Y_i, minus the sum of alpha_ijk otherwise, for
    0 <= alpha_ikj <= C / (|Y_i| |Ybar_i|) and sum_i beta_ik = 0. The method of multipliers adds a
    constant to the kernel for these equations; its multipliers are the biases.
    """
    n, n_labels = Y.shape
    pairs = Y[:, :, None] & ~Y[:, None, :]  # of a label and a missing label
    upper = C / pairs.sum(axis=(1, 2))  # (n,)
    # Centring the kernel changes the biases only, and makes the examples less alike.
    means = gram.mean(axis=0)  # (n,)
    spread = np.trace(gram) / n - means.mean()
    pull = max(PULL * spread, 1 / (C * n))
    gram = gram - means - means[:, None] + (means.mean() + pull)
    alpha = np.zeros(pairs.shape)
    beta, scores = np.zeros((2, n_labels, n))
    bias = np.zeros(n_labels)
    n_at_once = max(1, AT_ONCE // (n_labels * (n_labels + n)))
    for n_iter in progress(range(1, max_iter + 1), "RankSvm, sweeps", verbose):
        order = rng.permutation(n)
        for first in range(0, n, n_at_once):  # Ctrl-C comes between calls
            block = order[first : first + n_at_once]
            _sweep(gram, Y, upper, block, alpha, beta, scores)
        excess = beta.sum(axis=1)  # (n_labels,)
        bias += pull * excess
        scores += pull * excess[:, None]
        if n_iter % CHECK_EVERY and n_iter < max_iter:
            continue
        _balance(Y, upper, alpha, excess)
        beta = (alpha.sum(axis=2) - alpha.sum(axis=1)).T.copy()
        smooth = beta @ gram
        scores = smooth + bias[:, None]
        norm = np.sum(beta * smooth) / 2
        short = np.maximum(1.0 - scores.T[:, :, None] + scores.T[:, None, :], 0.0)
        primal = norm + np.sum(upper[:, None, None] * short, where=pairs)
        dual = alpha.sum() - norm - np.abs(bias * excess).sum()  # 0 if balanced
        gap = (primal - dual) / max(primal, GAP_FLOOR * C * n)
        if gap <= tol:
            break
    return beta.T, bias - beta @ means, gap, n_iter


@compiled
def _sweep(gram, Y, upper, order, alpha, beta, scores):
    """One step of ascent for every pair of labels of every example, in place."""
    n, n_labels = Y.shape
    own = np.empty(n_labels)
    for i in order:
        own[:] = scores[:, i]
        for k in range(n_labels):
            for j in range(n_labels):
                if Y[i, k] and not Y[i, j]:
                    step = (1.0 - own[k] + own[j]) / (2.0 * gram[i, i])
                    step = min(max(step, -alpha[i, k, j]), upper[i] - alpha[i, k, j])
                    alpha[i, k, j] += step
                    own[k] += step * gram[i, i]
                    own[j] -= step * gram[i, i]
        for k in range(n_labels):
            step = (own[k] - scores[k, i]) / gram[i, i]
            if step != 0.0:
                beta[k, i] += step
                for m in range(n):
                    scores[k, m] += step * gram[i, m]


@compiled
def _balance(Y, upper, alpha, excess):
    """Move alpha, in place, until ``excess``, its sum_i beta_ik, is 0 where a pair allows it."""
    n, n_labels = Y.shape
    for i in range(n):
        for k in range(n_labels):
            for j in range(n_labels):
                if Y[i, k] and not Y[i, j]:
                    if excess[k] > 0.0 > excess[j]:
                        step = -min(excess[k], -excess[j], alpha[i, k, j])
                    elif excess[k] < 0.0 < excess[j]:
                        step = min(-excess[k], excess[j], upper[i] - alpha[i, k, j])
                    else:
                        continue
                    alpha[i, k, j] += step
                    excess[k] += step
                    excess[j] -= step


def _fit_threshold(ranking, Y):
    linear = np.column_stack([ranking, np.ones(len(ranking))])
    *coef, intercept = np.linalg.lstsq(linear, _best_thresholds(ranking, Y), rcond=None)[0]
    return np.array(coef), intercept


def _best_thresholds(ranking, Y):
    """The lowest t (n_examples,) for which {k: f_k > t} has the fewest mistakes."""
    ordered = np.sort(ranking, axis=1)
    between = (ordered[:, 1:] + ordered[:, :-1]) / 2
    below, above = ordered[:, 0] - MARGIN_OUTSIDE, ordered[:, -1] + MARGIN_OUTSIDE
    places = np.column_stack([below, between, above])  # (n_examples, n_labels + 1)
    f, t = ranking[:, None], places[:, :, None]
    mistakes = np.where(Y[:, None], f <= t, f >= t).sum(axis=2)
    return places[np.arange(len(places)), mistakes.argmin(axis=1)]


def frank_wolfe(
    gram: np.ndarray, Y: np.ndarray, C: float, vertex: bool, accuracy: float, max_iter: int
) -> Iterator[tuple[np.ndarray, np.ndarray, float]]:
    """Coefficients beta, biases b and relative duality gap before each step from alpha = 0.

    The dual of :class:`RankSvm` has the gradient 1 - f_k(x_i) + f_l(x_i) in alpha_ikl. A linear
    program finds the s at which the linear model is highest, a vertex of the set of optima or a
    point inside it; HiGHS takes 17 times as long. The step from alpha towards s has the best length
    within ``accuracy``. The biases are the least-squares solution over all alpha_ikl strictly
    between their bounds. The steps end before a very short one, or after ``max_iter`` programs.
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
        step = fminbound(
            lambda s, slope, curvature: s * (slope + s * curvature / 2),
            0,
            1,
            args=(fall, np.sum(direction * rise)),
            xtol=accuracy,
        )
        if step <= SHORTEST_STEP or step * np.linalg.norm(move) <= SHORTEST_MOVE:
            return
        alpha, beta, scores = alpha + step * move, beta + step * direction, scores + step * rise


class LabelPairs:
    """Pairs of an example's label k and missing label l, whose alpha is a flow from l to k.

    As much flows into each label as out of it, so that pairs on no cycle are left out. ``example``,
    ``own``, ``other``, ``upper`` (n_pairs,) are i, k, l and the bound of alpha_ikl; ``surplus``
    (n_labels,) is how many more examples have a label than lack it.
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
        """Least-squares solution b of b_k - b_l = -slope over the free pairs, or ``surplus``."""
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
        if not vertex:
            return alpha
        free = _move_to_vertex(alpha, self.upper, self.own, self.other, self.shape[1])
        # Set the flow of the free pairs, a forest, so that it fits the others exactly.
        columns = np.arange(len(free))
        incidence = np.zeros((self.shape[1], len(free)))
        incidence[self.own[free], columns] = 1.0
        incidence[self.other[free], columns] = -1.0
        alpha[free] = 0.0
        excess = self.coefficients(alpha).sum(axis=0)
        flow = np.linalg.lstsq(incidence, -excess)[0]
        alpha[free] = np.clip(flow, 0.0, self.upper[free])
        return alpha


@compiled
def _interior_point(cost, upper, own, other, together):
    """The flow 0 <= x <= upper with the least cost'x, inside the set of optima (Mehrotra)."""
    # With potentials y and multipliers of the bounds, cost = y_k - y_l + low - high throughout.
    cost = cost / max(np.abs(cost).max(), np.finfo(np.float64).tiny)
    x, left = 0.5 * upper, 0.5 * upper
    low = np.maximum(cost, 0.0) + 0.1  # at y = 0
    high = low - cost
    for _ in range(MAX_NEWTON):
        excess = np.zeros(len(together))  # the flow into each label minus the flow out of it
        for p in range(len(x)):
            excess[own[p]] += x[p]
            excess[other[p]] -= x[p]
        gap = x @ low + left @ high
        balanced = np.abs(excess).max() <= ACCURACY * upper.sum()
        if balanced and gap <= ACCURACY * (1.0 + abs(cost @ x)):
            break
        dx, dlow, dhigh = np.zeros(len(x)), np.zeros(len(x)), np.zeros(len(x))
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


@compiled
def _newton(x, left, low, high, dx, dlow, dhigh, own, other, together, excess, aim):
    """Set dx, dlow, dhigh so that x low and left high approach ``aim``, from the last products."""
    width = 1.0 / (low / x + high / left)
    pull_low = (aim - dx * dlow) / x - low
    pull_high = (aim + dx * dhigh) / left - high
    laplacian, right = np.zeros_like(together), -excess
    for p in range(len(x)):
        k, j = own[p], other[p]
        laplacian[k, k] += width[p]
        laplacian[j, j] += width[p]
        laplacian[k, j] -= width[p]
        laplacian[j, k] -= width[p]
        right[k] -= width[p] * (pull_low[p] - pull_high[p])
        right[j] += width[p] * (pull_low[p] - pull_high[p])
    # The potentials of a part are determined up to a constant.
    laplacian += together * np.trace(laplacian) / len(together) ** 2
    dy = np.linalg.solve(laplacian, right)
    dx[:] = width * (dy[own] - dy[other] + pull_low - pull_high)
    dlow[:] = pull_low - low * dx / x
    dhigh[:] = pull_high + high * dx / left


@compiled
def _longest(values, steps):
    return np.where(steps < 0.0, -values / steps, np.inf).min()


@compiled
def _move_to_vertex(x, upper, own, other, n_labels):
    """Move an optimal flow around cycles of pairs between their bounds until none is left."""
    forest = np.full((n_labels, n_labels), -1)  # the pair that joins two labels
    for p in range(len(x)):
        if x[p] <= SNAP * upper[p] or x[p] >= (1.0 - SNAP) * upper[p]:
            x[p] = 0.0 if x[p] < 0.5 * upper[p] else upper[p]
            continue
        path = _path(forest, own[p], other[p])
        up, down = upper[p] - x[p], x[p]  # how far flow can move around the cycle
        for step in range(len(path) - 1):
            q = forest[path[step], path[step + 1]]
            along, against = upper[q] - x[q], x[q]
            if own[q] == path[step]:
                along, against = against, along
            up, down = min(up, along), min(down, against)
        amount = 0.0
        if len(path) > 1:  # the shorter way, so that a pair close to its bound ends there
            amount = up if up <= (1.0 + SNAP) * down else -down
        x[p] += amount
        for step in range(len(path) - 1):
            a, b = path[step], path[step + 1]
            q = forest[a, b]
            x[q] += -amount if own[q] == a else amount
            if min(x[q], upper[q] - x[q]) <= SNAP * upper[q]:
                x[q] = 0.0 if x[q] < 0.5 * upper[q] else upper[q]
                forest[a, b] = forest[b, a] = -1
        if min(x[p], upper[p] - x[p]) > SNAP * upper[p]:
            forest[own[p], other[p]] = forest[other[p], own[p]] = p
        else:
            x[p] = 0.0 if x[p] < 0.5 * upper[p] else upper[p]
    pairs = np.unique(forest)
    return pairs[pairs >= 0]


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
