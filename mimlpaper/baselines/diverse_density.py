"""Diverse Density and EM-DD: a point near each positive bag and far from negative instances."""

import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
from numba import njit
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mimlpaper.base import BagClassifier, check_bags
from mimlpaper.sharing import shared

BLOCK = 64  # instances in a block, which stays in the cache for all points
FAR = 30.0  # distance beyond which log(1 - Π (1 - p)) is log Σ p up to rounding
FLOOR = 1e-12  # least 1 - p: a concept may coincide with a negative instance
MEMORY = 10  # steps that a descent remembers
DECREASE, CURVATURE = 1e-3, 0.9  # of Wolfe's conditions, as shares of the slope at the point
MAX_TRIALS = 20  # lengths tried for one step
FLAT = 1e-5  # a gradient without a larger entry counts as zero
ROUNDING = 2.2e-16


class DiverseDensity(BagClassifier):
    """The point of greatest diverse density, by gradient ascent from many instances.

    With p_ij = exp(-Σ_k s_k² (x_ijk - t_k)²) it maximises, over the point t and the scales s,

        Π_{positive i} (1 - Π_j (1 - p_ij)) · Π_{negative i} Π_j (1 - p_ij),

    the noisy-or. A bag scores max_j log p_ij. Choose it if positive bags share one small region of
    the feature space, and to find relevant features: they have large scales.

    Parameters
    ----------
    n_start_bags : int or None, default 5
        Random positive bags at whose instances the ascents start; None for all, as in the original.
    initial_scale : float, default 0.1
        Every s_k at the start, for features of unit variance. If it is too large, all p vanish.
    threshold : "learned" or float in (0, 1), default "learned"
        Least p of a positive bag's best instance. "learned": the middle of the widest gap
        between two training bags' scores that classifies most training bags correctly.
    tol : float, default 1e-4, least gain of a step, as a share of the loss.
    max_iter : int, default 300, most steps; a ConvergenceWarning if the best ascent needed more.
    random_state : int, RandomState or None, default None, draws the starting bags.

    Attributes
    ----------
    concept_, scales_ : (n_features,), t and |s|.
    loss_, losses_ : float and (n_starts,), minus the log of the density at t and s, and at the end
        of every ascent.
    log_threshold_ : float

    References
    ----------
    Maron and Lozano-Pérez, A framework for multiple-instance learning, NIPS 10, 1998.
    """

    def __init__(
        self, *, n_start_bags=5, initial_scale=0.1, threshold="learned", tol=1e-4, max_iter=300,
        random_state=None,
    ):  # fmt: skip
        self.n_start_bags = n_start_bags
        self.initial_scale = initial_scale
        self.threshold = threshold
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X, y):
        """Fit on bags X and labels y (n_bags,) of two classes; the second is positive."""
        bags = check_bags(X)
        positive = self._learn_classes(y, len(bags))
        self._check_parameters()
        self.n_features_in_ = bags.n_features
        centre = bags.instances.mean(axis=0)
        centred = bags.with_instances(bags.instances - centre)  # same distances, less cancellation
        starts = self._starts(centred, positive)
        ends, self.losses_, converged = self._climb(centred, positive, starts)
        best = self.losses_.argmin()  # the first of equals
        self.loss_ = self.losses_[best]
        if not converged[best]:
            warnings.warn(
                f"the best of {len(starts)} ascents, to a loss of {self.loss_:.4g}, was ended "
                f"before steps of less than tol={self.tol:g} of it; raise its limits",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.concept_ = centre + ends[best, : bags.n_features]
        self.scales_ = np.abs(ends[best, bags.n_features :])
        if self.threshold == "learned":
            scores = bags.max(self.instance_scores(bags))
            self.log_threshold_ = _best_threshold(scores, positive)
        else:
            self.log_threshold_ = float(np.log(self.threshold))
        return self

    def instance_scores(self, X) -> np.ndarray:
        """log p(x): (n_instances,)."""
        check_is_fitted(self)
        differences = check_bags(X, self.n_features_in_).instances - self.concept_
        return -(differences**2 @ self.scales_**2)

    def decision_function(self, X) -> np.ndarray:
        """Largest log p(x) of each bag, minus the threshold's logarithm: (n_bags,)."""
        check_is_fitted(self)
        bags = check_bags(X, self.n_features_in_)
        return bags.max(self.instance_scores(bags)) - self.log_threshold_

    def _check_parameters(self):
        for name in ("initial_scale", "tol"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)}")
        for name in ("n_start_bags", "max_iter"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} must be at least 1, got {value}")
        if self.threshold != "learned" and not 0 < self.threshold < 1:
            raise ValueError(
                f'threshold must be "learned" or lie between 0 and 1, got {self.threshold!r}'
            )

    def _starts(self, bags, positive):
        """(t, s) at the distinct instances of the starting bags: (n_starts, 2 n_features)."""
        chosen = np.flatnonzero(positive)
        if self.n_start_bags is not None and self.n_start_bags < len(chosen):
            rng = check_random_state(self.random_state)
            chosen = rng.choice(chosen, self.n_start_bags, replace=False)
        points = np.unique(bags[chosen].instances, axis=0)
        return np.hstack([points, np.full(points.shape, float(self.initial_scale))])

    def _climb(self, bags, positive, starts):
        return shared(ascend, bags, positive, starts, self.tol, self.max_iter)


class EmDd(DiverseDensity):
    """The point of greatest diverse density, by expectation-maximisation from a few bags.

    With p_ij as in :class:`DiverseDensity` it minimises, over the point t and the scales s,

        NLDD(t, s) = -Σ_{positive i} log max_j p_ij - Σ_{negative i} log(1 - max_j p_ij).

    The E-step takes the instance with the largest p of every bag, the M-step climbs the diverse
    density of these instances, as long as NLDD falls. The result is the start with the least NLDD
    on the training bags; the original paper chose by the error on the test fold. Choose it for
    large bags: a step evaluates one instance of each bag.

    Parameters
    ----------
    n_start_bags, initial_scale, threshold, random_state : see :class:`DiverseDensity`
        Defaults are 3, 0.1, 0.5 and None.
    tol : float, default 1e-3
        Least gain of a step of the M-step, and of a round of both steps, as a share of the loss.
    max_iter : int, default 100
        Most steps of an M-step, and most rounds; it warns if the best start needed more rounds.

    Attributes
    ----------
    concept_, scales_, loss_, losses_, log_threshold_ : see :class:`DiverseDensity`; NLDD for loss.

    References
    ----------
    Zhang and Goldman, EM-DD: an improved multiple-instance learning technique, NIPS 14, 2002.
    Andrews, Tsochantaridis and Hofmann (NIPS 15, 2003) on the choice by test error.
    """

    def __init__(
        self, *, n_start_bags=3, initial_scale=0.1, threshold=0.5, tol=1e-3, max_iter=100,
        random_state=None,
    ):  # fmt: skip
        super().__init__(
            n_start_bags=n_start_bags, initial_scale=initial_scale, threshold=threshold, tol=tol,
            max_iter=max_iter, random_state=random_state,
        )  # fmt: skip

    def _climb(self, bags, positive, starts):
        return shared(alternate, bags, positive, starts, self.tol, self.max_iter)


def ascend(bags, positive, starts, tol, max_iter):
    """Ends (t, s) of ascents of the diverse density, their losses, and which converged."""
    every = np.arange(bags.n_instances)[None]
    return minimise(
        lambda _, points: neg_log_densities(points, bags.instances, every, bags.offsets, positive),
        starts, tol=tol, max_iter=max_iter,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def neg_log_densities(points, instances, rows, offsets, positive):
    """Minus the log of the diverse density at each point (t, s), and its gradient.

    With w = s and u = s t the distance is -log p = Σ_k (w_k x_k - u_k)², and the gradient of its
    sum over instances with weights c needs Σ c, Σ c x_k and Σ c x_k² only. ``rows`` (1 or n_points,
    n_rows) are the instances used, for all points or for each point; bags begin among them at
    ``offsets`` (n_bags + 1,). The gradients have the shape of ``points`` (n_points, 2 n_features).

    Where an ascent ends depends on the last digit. So all sums here and in the ascents have one
    order, whatever the processor: the compiler may not reorder them, and no BLAS is called.
    """
    n_features = instances.shape[1]
    losses, totals = np.zeros(len(points)), np.zeros(len(points))
    sums = np.zeros_like(points)  # Σ c x_k, then Σ c x_k²
    first = 0
    while first < len(positive):
        last = first + 1
        while last < len(positive) and offsets[last] < offsets[first] + BLOCK:
            last += 1
        starts = offsets[first : last + 1] - offsets[first]
        columns = np.empty((n_features, starts[-1]))
        for i in range(len(points)):
            block = rows[i % len(rows), offsets[first] : offsets[last]]
            if i < len(rows):  # rows that all points share are laid out once
                _transpose(instances, block, columns)
            point, scales = points[i, :n_features], points[i, n_features:]
            pulls = concept_distances(scales, scales * point, columns)
            losses[i] += _noisy_or(pulls, starts, positive[first:last])
            totals[i] += pulls.sum()
            _add_moments(sums[i, :n_features], sums[i, n_features:], pulls, instances, block)
        first = last
    gradients = np.empty_like(points)
    for i in range(len(points)):
        t, s = points[i, :n_features], points[i, n_features:]
        by_u = 2.0 * s * (t * totals[i] - sums[i, :n_features])
        by_w = 2.0 * s * (sums[i, n_features:] - t * sums[i, :n_features])
        gradients[i, :n_features] = s * by_u
        gradients[i, n_features:] = by_w + t * by_u
    return losses, gradients


@njit(cache=True, nogil=True)
def _transpose(instances, rows, columns):
    """Write some of the instances to the columns (n_features, n_rows)."""
    for k in range(len(columns)):
        for i in range(len(rows)):
            columns[k, i] = instances[rows[i], k]


@njit(cache=True, nogil=True)
def concept_distances(w, u, columns):
    """Σ_k (w_k x_k - u_k)² of the instances x, the columns (n_features, n): (n,)."""
    distances = np.zeros(columns.shape[1])
    for k in range(len(w)):
        column, scale, shift = columns[k], w[k], u[k]
        for i in range(len(distances)):
            distances[i] += (scale * column[i] - shift) ** 2
    return distances


@njit(cache=True, nogil=True)
def _add_moments(firsts, seconds, weights, instances, rows):
    """Add Σ c x_k and Σ c x_k², two instances at a time."""
    for i in range(0, len(rows), 2):
        j = min(i + 1, len(rows) - 1)
        a, b = instances[rows[i]], instances[rows[j]]
        of_a, of_b = weights[i], weights[j] if j > i else 0.0
        for k in range(len(firsts)):
            from_a, from_b = of_a * a[k], of_b * b[k]
            firsts[k] += from_a + from_b
            seconds[k] += from_a * a[k] + from_b * b[k]


@njit(cache=True, nogil=True)
def _noisy_or(values, offsets, positive):
    """The loss of the distances ``values``, which are replaced by the loss's derivatives."""
    loss = 0.0
    for bag in range(len(positive)):
        own = values[offsets[bag] : offsets[bag + 1]]
        if positive[bag]:
            loss += _positive_bag(own)
            continue
        for j in range(len(own)):
            p = np.exp(-own[j])
            missed = max(1.0 - p, FLOOR)
            loss -= np.log(missed)
            own[j] = -p / missed
    return loss


@njit(cache=True, nogil=True)
def _positive_bag(values):
    """-log(1 - Π_j (1 - p_j)), and p_j Π_{i≠j} (1 - p_i) / (1 - Π) for each distance."""
    nearest = values.min()
    if nearest > FAR:
        values[:] = np.exp(nearest - values)
        total = values.sum()
        values /= total
        return nearest - np.log(total)
    p = np.exp(-values)
    # Products over the other instances are running products from both sides: 1 - p may be 0.
    found, missed = 0.0, 1.0  # Σ_j p_j Π_{i<j} (1 - p_i) is 1 - Π, without cancellation
    for j in range(len(p)):
        values[j] = p[j] * missed
        found += values[j]
        missed *= 1.0 - p[j]
    missed = 1.0 / found
    for j in range(len(p) - 1, -1, -1):
        values[j] *= missed
        missed *= 1.0 - p[j]
    return -np.log(found)


def _best_threshold(scores, positive):
    """Middle of the widest gap between scores that classifies most bags correctly."""
    ordered = np.unique(scores)
    if len(ordered) == 1:
        return ordered[0]
    between = (ordered[1:] + ordered[:-1]) / 2  # (n_gaps,)
    n_right = ((scores > between[:, None]) == positive).sum(axis=1)
    widths = np.where(n_right == n_right.max(), ordered[1:] - ordered[:-1], -1.0)
    return between[widths.argmax()]


def alternate(bags, positive, starts, tol, max_iter):
    """Ends (t, s) of EM from every start, their NLDD, and which converged."""
    thetas, ends = starts.copy(), starts.copy()
    least = np.full(len(starts), np.inf)
    converged = np.zeros(len(starts), dtype=bool)
    rows = np.empty((len(starts), len(bags)), dtype=np.int64)
    of_one = np.arange(len(bags) + 1)

    def density(going, which, points):
        return neg_log_densities(points, bags.instances, rows[going[which]], of_one, positive)

    going = np.arange(len(starts))
    for _ in range(max_iter):
        rows[going] = _responsible(thetas[going], bags.instances, bags.offsets)  # E-step
        losses, _ = density(going, slice(None), thetas[going])  # NLDD of thetas
        gained = losses < (1.0 - tol) * least[going]
        converged[going[~gained]] = True
        lower = losses < least[going]
        ends[going[lower]], least[going[lower]] = thetas[going[lower]], losses[lower]
        going = going[gained]
        thetas[going] = minimise(
            partial(density, going), thetas[going], tol=tol, max_iter=max_iter
        )[0]  # M-step
    return ends, least, converged


@njit(cache=True, nogil=True)
def _responsible(thetas, instances, offsets):
    """Row of each bag's nearest instance, the first if several, for each (t, s): (k, n_bags)."""
    n_features, columns = instances.shape[1], np.ascontiguousarray(instances.T)
    rows = np.empty((len(thetas), len(offsets) - 1), np.int64)
    for i in range(len(thetas)):
        point, scales = thetas[i, :n_features], thetas[i, n_features:]
        distances = concept_distances(scales, scales * point, columns)
        for bag in range(len(offsets) - 1):
            begin, end = offsets[bag], offsets[bag + 1]
            rows[i, bag] = begin + distances[begin:end].argmin()
    return rows


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
