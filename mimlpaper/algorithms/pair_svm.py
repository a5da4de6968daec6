"""Kernels and support vector machines on all pairs of an instance and a label."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils import check_random_state

from mimlpaper.combinations import gram, mapped
from mimlpaper.compiled import compiled
from mimlpaper.kernels import kernel_matrix

TIE = 1e-9  # values of 1 - g (f + b), and steps in units of their bound, that count as 0
START_TOL = 0.1  # duality gap at which the machine on the means of the bags stops
N_DAMPED = 5  # largest eigenvalues of Φ'Φ damped to the next one; at most half of all are
LEAST_LEVEL, LEAST_SHARE = 20.0, 1e-3  # the smallest λ, and the smallest s_k: see PairSvm
BIAS_CURVATURE = 0.01  # σ, as a share of a pair's mean damped kernel with itself
PARTIAL_PASSES = 8  # more would let b overshoot, since the pairs left out cannot balance it
ENOUGH = 0.1  # partial passes end at this share of the first pass's progress


def label_kernels(
    codes: np.ndarray, kernel: str, gamma: float = 1.0, *, product: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """k_Y and k_0 (n_labels, n_labels) of the kernel k(x, x') k_Y(y, y') + k_0(y, y') of pairs.

    A pair is x and e_y, a row of ``codes``. The kernel is "rbf" or "linear" on the joined vectors;
    "linear" with ``product`` is <x, x'> <e_y, e_y'>.
    """
    nothing = np.zeros((len(codes), len(codes)))
    if kernel == "rbf":
        return kernel_matrix(codes, gamma=gamma), nothing
    if product:
        return codes @ codes.T, nothing
    return np.ones_like(nothing), codes @ codes.T


@dataclass(frozen=True, eq=False)
class PairFunction:
    """f(x, y) + b = <φ(x), v_y> + u_y + b, for every label y at once: (n_instances, n_labels)."""

    coef: np.ndarray  # the v_y: (n_labels, n_features)
    intercept: np.ndarray  # the u_y + b: (n_labels,)
    gap: float  # duality gap as a share of the objective

    def __call__(self, features) -> np.ndarray:
        return features @ self.coef.T + self.intercept


class PairSvm:
    """Solver of min ½ ||f||² + Σ_ij C_ij max(0, 1 - g_ij (f(x_i, y_j) + b)) over f and b.

    f lies in the space of the kernel <φ(x), φ(x')> k_Y(y, y') + k_0(y, y') on pairs of an instance
    i and a label j. The instances of a bag share their targets g. With the dual variables α and
    a_ij = g_ij α_ij,

        f(x, y) = <φ(x), v_y> + u_y,    V = K_Y A' Φ,    u = K_0 A' 1,

    so that no kernel matrix of pairs is stored. Coordinate ascent solves the dual:

    - First the mean of each bag takes the place of its instances. That solution starts the ascent
      on instances, and the next ascent on means.
    - A climb is a pass over the pairs that may move, then a few passes over those that still move.
      A check of all pairs finds the gap, and the pairs of the next climb.
    - Large eigenvalues λ_k of Φ'Φ slow the ascent down. The proximal point method helps: a pass
      damps Φ'Φ to at most λ; before it, V moves towards K_Y A' Φ by the share
      s_k = min(1, λ / λ_k).
    - The bias b has no norm: a pass adds σ to the kernel; after it, b moves by σ Σ a_ij.

    Parameters
    ----------
    features : Bags
        The φ(x), as rows (n_instances, n_features).
    label_kernel, offset_kernel : array (n_labels, n_labels)
        The k_Y and k_0, which :func:`label_kernels` gives.
    tol : float > 0, default 1e-4
        Duality gap of a solved machine, as a share of the objective.
    max_iter : int >= 1, default 200
        Largest number of climbs. Nothing warns; the gap that is left is ``PairFunction.gap``.
    random_state : int, RandomState or None, default None
        Draws the order of the instances in each pass.

    Sources: Hsieh et al., A dual coordinate descent method for large-scale linear SVM, ICML 2008;
    Rockafellar, The proximal point algorithm, SIAM J. Control and Optimization 14, 1976.
    """

    def __init__(
        self, features, label_kernel, offset_kernel, *, tol=1e-4, max_iter=200, random_state=None
    ):
        spectrum, self._axes = np.linalg.eigh(gram(features.rows))
        largest_undamped = spectrum[max(-1 - N_DAMPED, -1 - len(spectrum) // 2)]
        level = max(largest_undamped, LEAST_SHARE * spectrum[-1], LEAST_LEVEL)  # λ
        damping = level / np.maximum(spectrum, level)  # the s_k
        rows = mapped(features.rows, self._axes)
        settings = damping, label_kernel, offset_kernel, max_iter, check_random_state(random_state)
        self._bags = features
        self._tol = tol
        self._ascent = _Ascent(rows, *settings)
        means = features.mean(self._ascent.features)
        # With one instance a bag, instances and means are the same.
        single = len(features) == features.n_instances
        self._start = None if single else _Ascent(means, *settings)

    def solve(self, targets, costs) -> tuple[PairFunction, np.ndarray]:
        """The best f + b, and its values at the instances (n_instances, n_labels).

        The targets g (n_bags, n_labels) are -1.0 or 1.0, the costs C (n_instances, n_labels) not
        negative. If only pairs of one target cost something, f + b is this target everywhere; if no
        pair does, it is -1.
        """
        bags, ascent, start = self._bags, self._ascent, self._start
        bounds = np.repeat(targets, bags.sizes, axis=0) * costs  # a_ij lies between 0 and g_ij C_ij
        has_positive, has_negative = (bounds > 0).any(), (bounds < 0).any()
        if not (has_positive and has_negative):
            value = 1.0 if has_positive else -1.0
            intercept = np.full(bounds.shape[1], value)
            constant = PairFunction(np.zeros_like(ascent.coef), intercept, 0.0)
            return constant, np.full(bounds.shape, value)
        if start is not None:
            start.solve(bags.sum(bounds), START_TOL)
            ascent.levels = np.repeat(start.levels, bags.sizes, axis=0)
            ascent.coef, ascent.bias = start.coef, start.bias
        values, intercept, gap = ascent.solve(bounds, self._tol)
        return PairFunction(ascent.coef @ self._axes.T, intercept, gap), values


class _Ascent:
    """Coordinate ascent on one dual: ``levels`` are α / C, ``coef`` is V, ``bias`` b.

    ``rows`` and V are in the axes of Φ'Φ, where damping is a factor of each column.
    """

    def __init__(self, rows, damping, label_kernel, offset_kernel, max_iter, rng):
        self.rows = rows
        self.damping = damping
        self.max_iter = max_iter
        self.rng = rng
        # Dense, since a pass reads row by row.
        self.features = features = np.asarray(rows)
        self.label_kernel = label_kernel
        self.offset_kernel = offset_kernel
        self._uniform, self._rest = _uniform_part(label_kernel)
        self._inverse_kernel = np.linalg.pinv(label_kernel, 1e-12)
        squares = features**2
        self._norms = squares @ damping  # (n_instances,)
        pair_squares = self._diagonal(squares.sum(axis=1))
        self._radius = np.sqrt(pair_squares.max())
        mean_damped = float(self._diagonal(self._norms).mean()) or 1.0
        self._sigma = BIAS_CURVATURE * mean_damped
        self.levels = np.zeros((len(features), len(label_kernel)))
        self.coef = np.zeros((len(label_kernel), features.shape[1]))
        self.bias = 0.0

    def solve(self, bounds, tol):
        """f + b at the instances (n_instances, n_labels), u + b, and the gap."""
        dual = self.levels * bounds
        moving = np.ones(bounds.shape, dtype=bool)
        for _ in range(self.max_iter):
            goal = self._climb(bounds, dual, moving)
            sums = dual.sum(axis=0)
            intercept = self.offset_kernel @ sums + self.bias
            values = self.rows @ self.coef.T + intercept
            gap = self._check_pairs(goal, values, sums, bounds, dual, moving)
            if gap <= tol:
                break
        self.levels = np.divide(dual, bounds, out=np.zeros_like(dual), where=bounds != 0)
        return values, intercept, gap

    def _climb(self, bounds, dual, moving):
        """Pass over the ``moving`` pairs, then over those still moving; returns K_Y A' Φ."""
        sums = dual.sum(axis=0)
        offset_kernel = self.offset_kernel + self._sigma
        intercept = offset_kernel @ sums + self.bias
        goal = self.label_kernel @ (self.rows.T @ dual).T
        total = sums.sum()  # Σ a_ij
        order = np.flatnonzero(moving.any(axis=1))
        for n_passes in range(1 + PARTIAL_PASSES):
            self.rng.shuffle(order)
            before = self.coef + self.damping * (goal - self.coef)
            self.coef = before.copy()
            progress, change, n_moving = _ascend(
                order,
                self.features,
                self.damping,
                self._norms,
                self._uniform,
                self._rest,
                offset_kernel,
                bounds,
                dual,
                self.coef,
                intercept,
                moving,
            )
            goal += (self.coef - before) / self.damping  # the steps, without the damping
            total += change
            self.bias += self._sigma * total
            intercept += self._sigma * total
            order = order[:n_moving]
            if n_passes == 0:
                enough = ENOUGH * progress
            elif progress <= enough:
                break
        return goal

    def _check_pairs(self, goal, values, sums, bounds, dual, moving):
        """Set ``moving`` to the pairs of the next climb; return a bound on the gap.

        The gap is that between (V, b) and A, as a share of the objective. For A the heavier class
        is scaled down to Σ a_ij = 0.
        """
        loss, gap, weights, shortfalls = _loss_and_gap(values, bounds, dual, moving)
        heavier = weights.argmax()
        excess = np.ptp(weights)
        gap += shortfalls[heavier] * excess / (weights[heavier] or 1.0)
        # ||V - K_Y A' Φ||, plus a bound on how far A' Φ moves if the heavier class is scaled down.
        distance = np.sqrt(self._square(self.coef - goal)) + excess * self._radius
        norm = self._square(self.coef) + sums @ self.offset_kernel @ sums
        primal = 0.5 * norm + loss
        return (gap + 0.5 * distance**2) / primal

    def _square(self, coef):
        """||f||² without the offsets."""
        return max(np.vdot(coef, self._inverse_kernel @ coef), 0.0)

    def _diagonal(self, norms):
        """The pairs' kernel with themselves: (n_instances, n_labels)."""
        return np.outer(norms, self.label_kernel.diagonal()) + self.offset_kernel.diagonal()


def _uniform_part(kernel):
    """c and R of K = c + R: R is diagonal if K's entries off the diagonal are equal; else c = 0"""
    off_diagonal = kernel[~np.eye(len(kernel), dtype=bool)]
    alike = len(off_diagonal) and np.ptp(off_diagonal) == 0
    uniform = off_diagonal[0] if alike else 0.0
    return float(uniform), kernel - uniform


@compiled
def _loss_and_gap(values, bounds, dual, moving):
    """With ξ = 1 - g (f + b): Σ C max(0, ξ), Σ (C max(0, ξ) - α ξ), and by target Σ α and Σ α ξ.

    Sets ``moving`` to the pairs of the next climb: inside their bounds, or pushed from one.
    """
    loss, gap = 0.0, 0.0
    weights, shortfalls = np.zeros(2), np.zeros(2)
    n_instances, n_labels = values.shape
    for i in range(n_instances):
        for j in range(n_labels):
            bound, a = bounds[i, j], dual[i, j]
            target = 1.0 if bound > 0 else -1.0
            short = 1.0 - target * values[i, j]
            hinge = target * bound * max(short, 0.0)
            group = 1 if bound > 0 else 0
            loss += hinge
            gap += hinge - target * a * short
            weights[group] += target * a
            shortfalls[group] += target * a * short
            rises = a != bound and short > TIE
            falls = a != 0 and short < -TIE
            inside = a != 0 and a != bound
            moving[i, j] = rises or falls or inside
    return loss, gap, weights, shortfalls


@compiled(fastmath={"reassoc", "contract"})
def _ascend(
    order,
    features,
    damping,
    norms,
    uniform,
    rest,
    offset_kernel,
    bounds,
    dual,
    coef,
    intercept,
    moving,
):
    """A pass over the ``moving`` pairs of the instances in ``order``, in place.

    Returns the sum of the gradients removed, the sum of the steps, and how many instances still
    move: these then stand first in ``order``. The label kernel is ``uniform`` + ``rest``. A step's
    uniform part moves all labels alike, so it is collected in one vector and added at the end.
    """
    n_labels, n_features = coef.shape
    for_all = np.zeros(n_features)  # what the steps add to every row of coef
    weights = np.empty(n_labels)  # the rest times the steps of one instance
    progress, change, n_moving = 0.0, 0.0, 0
    for i in order:
        phi = features[i]
        norm = norms[i]
        added = _add_product(0.0, for_all, phi) if uniform != 0.0 else 0.0
        weights[:] = 0.0
        steps = 0.0  # their sum, of this instance
        moves = False
        for j in range(n_labels):
            if not moving[i, j]:
                continue
            bound, old = bounds[i, j], dual[i, j]
            target = 1.0 if bound > 0.0 else -1.0
            slack = intercept[j] + norm * (weights[j] + uniform * steps)
            slack = _add_product(slack + (added - target), coef[j], phi)
            curvature = norm * (rest[j, j] + uniform) + offset_kernel[j, j]
            new = _within(old - slack / curvature, bound, old)
            step = new - old
            moving[i, j] = step != 0.0 or (new != 0.0 and new != bound)
            moves |= moving[i, j]
            if step == 0.0:
                continue
            dual[i, j] = new
            progress += abs(step) * curvature
            change += step
            steps += step
            for k in range(n_labels):
                weights[k] += rest[j, k] * step
                intercept[k] += offset_kernel[j, k] * step
        if moves:
            order[n_moving] = i
            n_moving += 1
        if uniform != 0.0 and steps != 0.0:
            for_all += uniform * steps * damping * phi
        _add_rows(coef, weights, damping, phi)
    coef += for_all
    return progress, change, n_moving


@compiled(fastmath={"reassoc", "contract"})
def _add_product(start, a, b):
    """start + <a, b>."""
    total = start
    for k in range(len(a)):
        total += a[k] * b[k]
    return total


@compiled
def _within(value, bound, old):
    """``value`` clipped to 0 and ``bound``, or ``old`` if it is the same up to rounding."""
    new = min(max(value, min(bound, 0.0)), max(bound, 0.0))
    return old if abs(new - old) <= TIE * abs(bound) else new


@compiled(fastmath={"reassoc", "contract"})
def _add_rows(coef, weights, damping, phi):
    """Add to each row of V its weight times the damped features."""
    for j in range(len(coef)):
        if weights[j] != 0.0:
            row = coef[j]
            for k in range(len(phi)):
                row[k] += weights[j] * damping[k] * phi[k]
