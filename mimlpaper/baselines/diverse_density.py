"""Diverse Density and EM-DD: a point near each positive bag and far from negative instances."""

import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from mimlpaper.base import BagClassifier, InstanceScores
from mimlpaper.compiled import compiled
from mimlpaper.computing import progress
from mimlpaper.parameters import COUNT, POSITIVE, PROPER_SHARE, SEED, VERBOSITY, words
from mimlpaper.sharing import shared

BLOCK = 64  # instances in a block, which stays in the cache
FAR = 30.0  # distance beyond which log(1 - Π (1 - p)) is log Σ p up to rounding
FLOOR = 1e-12  # least 1 - p: a concept may coincide with a negative instance
MEMORY = 10  # steps that a descent remembers
DECREASE, CURVATURE = 1e-3, 0.9  # of Wolfe's conditions, as shares of the slope at the point
MAX_TRIALS = 20  # lengths tried for one step
FLAT = 1e-5  # a gradient without a larger entry counts as zero
CONVEX = 2.2e-16  # curvatures above this share count as positive, as in L-BFGS-B
ENTRIES_AT_ONCE = 50_000_000  # entries of the data times points in one call


@dataclass(kw_only=True, eq=False, repr=False)
class DiverseDensity(InstanceScores, BagClassifier):
    """The point of greatest diverse density, by descents of its loss from many instances.

    With p_ij = exp(-Σ_k s_k² (x_ijk - t_k)²) it maximises, over the point t and the scales s, the
    noisy-or

        Π_{positive i} (1 - Π_j (1 - p_ij)) · Π_{negative i} Π_j (1 - p_ij),

    with minus its logarithm as loss. A bag scores max_j log p_ij. Choose it if positive bags share
    one small region of the feature space; relevant features have large scales.

    Parameters
    ----------
    n_start_bags : int >= 1 or None, default 5
        Number of random positive bags at whose instances the descents start; None for all, as in
        the original.
    initial_scale : float > 0, default 0.1
        Every s_k at the start, for features of unit variance.
    threshold : "learned" or float in (0, 1), default "learned"
        Least p of a positive bag. "learned": of the gaps between scores with the fewest training
        errors, the middle of the widest.
    tol : float > 0, default 1e-4
        Least gain of a step, as a share of the loss, or of 1 if the loss is smaller.
    max_iter : int >= 1, default 300
        Largest number of steps; a ConvergenceWarning if the best start needed more.
    verbose : int, default 0
        1 shows a bar on stderr that moves with each descent that ends.
    random_state : int, RandomState or None, default None
        Draws the starting bags.

    Attributes
    ----------
    concept_ : array (n_features,)
        The t.
    scales_ : array (n_features,)
        The |s|.
    log_threshold_ : float
        Logarithm of the least p of a positive bag.
    loss_ : float
        The loss at t and s.
    losses_ : array (n_starts,)
        The loss at the end of every start.
    classes_ : array (2,)
        The classes of a bag, the positive one last.

    References
    ----------
    Maron and Lozano-Pérez, A framework for multiple-instance learning, NIPS 10, 1998.
    """

    n_start_bags: int | None = 5
    initial_scale: float = 0.1
    threshold: float | str = "learned"
    tol: float = 1e-4
    max_iter: int = 300
    verbose: int = 0
    random_state: int | np.random.RandomState | None = None

    _parameter_constraints: ClassVar[dict] = {
        "n_start_bags": [COUNT, None],
        "initial_scale": [POSITIVE],
        "threshold": [PROPER_SHARE, words("learned")],
        "tol": [POSITIVE],
        "max_iter": [COUNT],
        "verbose": [VERBOSITY],
        "random_state": [SEED],
    }

    def _fit(self, bags, positive):
        centre = bags.instances.mean(axis=0)
        # The same distances, with less cancellation.
        centred = bags.with_instances(bags.instances - centre)
        starts = self._starts(centred, positive)
        options = self.tol, self.max_iter, self.verbose
        ends, self.losses_, converged = shared(
            self._descend,
            centred,
            positive,
            starts,
            *options,
        )
        best = self.losses_.argmin()  # the first of equals
        self.loss_ = self.losses_[best]
        if not converged[best]:
            message = f"the best of {len(starts)} descents, to a loss of {self.loss_:.4g},"
            message += f" did not converge within tol={self.tol:g}; raise max_iter"
            warnings.warn(message, ConvergenceWarning, stacklevel=3)
        self.concept_ = centre + ends[best, : bags.n_features]
        self.scales_ = np.abs(ends[best, bags.n_features :])
        if self.threshold == "learned":
            scores = bags.max(self._instance_scores(bags))
            self.log_threshold_ = _best_threshold(scores, positive)
        else:
            self.log_threshold_ = float(np.log(self.threshold))

    def _scores(self, bags):
        """Largest log p(x) of each bag, minus the threshold's logarithm: (n_bags,)."""
        return bags.max(self._instance_scores(bags)) - self.log_threshold_

    def _instance_scores(self, bags):
        """log p(x): (n_instances,)."""
        differences = bags.instances - self.concept_
        return -(differences**2 @ self.scales_**2)

    def _starts(self, bags, positive):
        """Points (t, s) at the instances of random positive bags: (n_starts, 2 n_features)."""
        rng = check_random_state(self.random_state)
        n_positive = positive.sum()
        n_chosen = min(self.n_start_bags or n_positive, n_positive)
        chosen = rng.choice(np.flatnonzero(positive), n_chosen, replace=False)
        points = np.unique(bags[chosen].instances, axis=0)
        scales = np.full(points.shape, float(self.initial_scale))
        return np.hstack([points, scales])

    @staticmethod
    def _descend(bags, positive, starts, tol, max_iter, verbose):
        """Ends (t, s) of descents of the loss, their losses, and which converged."""
        problem = bags.instances, bags.offsets, positive
        return minimise(densities_in_blocks, problem, starts, tol, max_iter, verbose)


@dataclass(kw_only=True, eq=False, repr=False)
class EmDd(DiverseDensity):
    """The point of greatest diverse density, by expectation-maximisation from a few bags.

    With p_ij as in :class:`DiverseDensity` it minimises, over the point t and the scales s,

        NLDD(t, s) = -Σ_{positive i} log max_j p_ij - Σ_{negative i} log(1 - max_j p_ij).

    While NLDD falls, the E-step takes the instance with the largest p of every bag, and the M-step
    lowers their loss. The start with the least NLDD wins; the original chose by the
    error on the test fold. Choose it for large bags: a step evaluates one instance of each bag.

    Parameters
    ----------
    n_start_bags : int >= 1 or None, default 3
        Number of random positive bags at whose instances the descents start; None for all, as in
        the original.
    initial_scale : float > 0, default 0.1
        Every s_k at the start, for features of unit variance.
    threshold : "learned" or float in (0, 1), default 0.5
        Least p of a positive bag. "learned": of the gaps between scores with the fewest training
        errors, the middle of the widest.
    tol : float > 0, default 1e-3
        Least gain of a step or of a round, as a share of the loss; of a step of a share of 1 if
        the loss is smaller.
    max_iter : int >= 1, default 100
        Largest number of steps of each M-step, and of rounds; a ConvergenceWarning if the best
        start needed more.
    verbose : int, default 0
        1 shows a bar on stderr that moves with each start.
    random_state : int, RandomState or None, default None
        Draws the starting bags.

    Attributes
    ----------
    concept_ : array (n_features,)
        The t.
    scales_ : array (n_features,)
        The |s|.
    log_threshold_ : float
        Logarithm of the least p of a positive bag.
    loss_ : float
        The loss at t and s.
    losses_ : array (n_starts,)
        The loss at the end of every start.
    classes_ : array (2,)
        The classes of a bag, the positive one last.

    References
    ----------
    Zhang and Goldman, EM-DD: an improved multiple-instance learning technique, NIPS 14, 2002;
    Andrews, Tsochantaridis and Hofmann (NIPS 15, 2003) on the choice by test error.
    """

    n_start_bags: int | None = 3
    threshold: float | str = 0.5
    tol: float = 1e-3
    max_iter: int = 100

    @staticmethod
    def _descend(bags, positive, starts, tol, max_iter, verbose):
        """Ends (t, s) of EM from every start, their NLDD, and which converged."""
        columns = np.ascontiguousarray(bags.instances.T)
        ends = [
            _alternate_from(start, bags, columns, positive, tol, max_iter)
            for start in progress(starts, "EmDd, starts", verbose)
        ]
        return tuple(map(np.array, zip(*ends, strict=True)))


def _alternate_from(point, bags, columns, positive, tol, max_iter):
    """The end (t, s) of EM from a start, its NLDD, and whether it converged."""
    single_offsets = np.arange(len(bags) + 1)  # of bags with their nearest instance alone
    end = point
    least = np.inf
    for _ in range(max_iter):
        rows = nearest_instances(point, columns, bags.offsets)  # E-step
        chosen = bags.instances[rows], single_offsets, positive
        (loss,), _ = neg_log_densities(point[None], *chosen)  # NLDD
        gained = loss < (1.0 - tol) * least
        if loss < least:
            end = point
            least = loss
        if not gained:
            return end, least, True
        # M-step
        (point,), *_ = minimise(neg_log_densities, chosen, point[None], tol, max_iter)
    return end, least, False


def densities_in_blocks(points, instances, offsets, positive):
    """:func:`neg_log_densities`, in calls of a tenth of a second: Ctrl-C comes between them."""
    n_at_once = max(1, ENTRIES_AT_ONCE // instances.size)
    results = []
    for start in range(0, len(points), n_at_once):
        block = points[start : start + n_at_once]
        results.append(neg_log_densities(block, instances, offsets, positive))
    losses, gradients = zip(*results, strict=True)
    return np.concatenate(losses), np.concatenate(gradients)


@compiled
def neg_log_densities(points, instances, offsets, positive):
    """Minus the log of the diverse density at each point (t, s), and its gradient.

    With w = s and u = s t the distance is -log p = Σ_k (w_k x_k - u_k)², and the gradient of its
    sum over instances with weights c needs Σ c, Σ c x_k and Σ c x_k² only. Bags begin at
    ``offsets`` (n_bags + 1,). Where a descent ends depends on the last digit: no BLAS is called, so
    that all sums have one order on every processor.
    """
    n_features = instances.shape[1]
    losses = np.zeros(len(points))
    totals = np.zeros(len(points))  # Σ c
    sums = np.zeros_like(points)  # Σ c x_k, then Σ c x_k²
    begin_bag = 0
    while begin_bag < len(positive):
        end_bag = _end_of_block(offsets, begin_bag)
        begin, end = offsets[begin_bag], offsets[end_bag]
        block_offsets = offsets[begin_bag : end_bag + 1] - begin
        block_positive = positive[begin_bag:end_bag]
        block = instances[begin:end]
        columns = block.T.copy()
        for i in range(len(points)):
            concept = points[i, :n_features]
            scales = points[i, n_features:]
            # Distances, which _noisy_or replaces by the weights c.
            pulls = concept_distances(scales, scales * concept, columns)
            losses[i] += _noisy_or(pulls, block_offsets, block_positive)
            totals[i] += pulls.sum()
            _add_moments(sums[i, :n_features], sums[i, n_features:], pulls, block)
        begin_bag = end_bag
    return losses, _gradients(points, totals, sums)


@compiled
def _end_of_block(offsets, begin_bag):
    """The end of the bags from ``begin_bag`` on that start within a block of instances."""
    end_bag = begin_bag + 1
    while end_bag < len(offsets) - 1 and offsets[end_bag] < offsets[begin_bag] + BLOCK:
        end_bag += 1
    return end_bag


@compiled
def _gradients(points, totals, sums):
    """Gradients of the loss at points (t, s), from Σ c, Σ c x_k and Σ c x_k²."""
    n_features = points.shape[1] // 2
    gradients = np.empty_like(points)
    for i in range(len(points)):
        concept = points[i, :n_features]
        scales = points[i, n_features:]
        moments = sums[i, :n_features]
        squares = sums[i, n_features:]
        by_u = 2.0 * scales * (concept * totals[i] - moments)
        by_w = 2.0 * scales * (squares - concept * moments)
        gradients[i, :n_features] = scales * by_u
        gradients[i, n_features:] = by_w + concept * by_u
    return gradients


@compiled
def concept_distances(w, u, columns):
    """Σ_k (w_k x_k - u_k)² of the instances x, the columns (n_features, n): (n,)."""
    distances = np.zeros(columns.shape[1])
    for k in range(len(w)):
        column = columns[k]
        scale = w[k]
        shift = u[k]
        for i in range(len(distances)):
            distances[i] += (scale * column[i] - shift) ** 2
    return distances


@compiled
def _add_moments(moments, squares, weights, instances):
    """Add Σ c x_k and Σ c x_k², two instances at a time, which halves the passes over the sums."""
    for i in range(0, len(weights), 2):
        j = min(i + 1, len(weights) - 1)
        a = instances[i]
        b = instances[j]
        of_a = weights[i]
        of_b = weights[j] if j > i else 0.0
        for k in range(len(moments)):
            from_a = of_a * a[k]
            from_b = of_b * b[k]
            moments[k] += from_a + from_b
            squares[k] += from_a * a[k] + from_b * b[k]


@compiled
def _noisy_or(values, offsets, positive):
    """The loss of distances; in place of these, ``values`` then holds the loss's derivatives."""
    loss = 0.0
    for bag in range(len(positive)):
        of_bag = values[offsets[bag] : offsets[bag + 1]]
        if positive[bag]:
            loss += _positive_bag(of_bag)
            continue
        for j in range(len(of_bag)):
            p = np.exp(-of_bag[j])
            missed = max(1.0 - p, FLOOR)
            loss -= np.log(missed)
            of_bag[j] = -p / missed
    return loss


@compiled
def _positive_bag(values):
    """-log(1 - Π_j (1 - p_j)) of distances.

    In place of these, ``values`` then holds the derivatives p_j Π_{i≠j} (1 - p_i) / (1 - Π).
    """
    nearest = values.min()
    if nearest > FAR:  # 1 - Π is Σ p up to rounding, and Π loses digits
        values[:] = np.exp(nearest - values)
        total = values.sum()
        values /= total
        return nearest - np.log(total)
    p = np.exp(-values)
    # Products over the other instances are running products from both sides: 1 - p may be 0.
    present, missed = 0.0, 1.0  # Σ_j p_j Π_{i<j} (1 - p_i) is 1 - Π, without cancellation
    for j in range(len(p)):
        values[j] = p[j] * missed
        present += values[j]
        missed *= 1.0 - p[j]
    # The product from the other side, divided by 1 - Π.
    missed_after = 1.0 / present
    for j in range(len(p) - 1, -1, -1):
        values[j] *= missed_after
        missed_after *= 1.0 - p[j]
    return -np.log(present)


def _best_threshold(scores, positive):
    """Middle of the widest of the gaps between scores that classify most bags correctly."""
    ordered = np.unique(scores)
    if len(ordered) == 1:
        return ordered[0]
    lower, upper = ordered[:-1], ordered[1:]
    middles = (upper + lower) / 2  # (n_gaps,)
    predicted = scores > middles[:, None]  # (n_gaps, n_bags)
    n_right = (predicted == positive).sum(axis=1)
    widths = np.where(n_right == n_right.max(), upper - lower, -1.0)
    return middles[widths.argmax()]


@compiled
def nearest_instances(point, columns, offsets):
    """Row of each bag's instance nearest to a point (t, s), the first if several: (n_bags,)."""
    concept = point[: len(columns)]
    scales = point[len(columns) :]
    distances = concept_distances(scales, scales * concept, columns)
    rows = np.empty(len(offsets) - 1, np.int64)
    for bag in range(len(rows)):
        begin, end = offsets[bag], offsets[bag + 1]
        rows[bag] = begin + distances[begin:end].argmin()
    return rows


def minimise(evaluate, problem, starts, tol, max_iter, verbose=0):
    """Local minima of a smooth loss by L-BFGS: points, losses, and which descents converged.

    ``evaluate(points, *problem)`` gives losses (k,) and gradients (k, n) at points (k, n). A
    descent converges at a zero gradient, or with a step that gains at most the share ``tol`` of the
    loss, or of 1 if it is smaller. Source: Nocedal and Wright, Numerical Optimization, 2006,
    Algorithms 7.4 and 7.5.
    """
    descents = [_descent(start, tol, max_iter) for start in starts]
    trials = {i: next(descent) for i, descent in enumerate(descents)}
    ends = [None] * len(starts)
    with progress(range(len(starts)), "descents", verbose) as bar:
        while trials:  # all descents that still go on are evaluated in one call
            points = np.array(list(trials.values()))
            values = zip(*evaluate(points, *problem), strict=True)
            for i, value in zip(list(trials), values, strict=True):
                try:
                    trials[i] = descents[i].send(value)
                except StopIteration as stop:
                    ends[i] = stop.value
                    del trials[i]
                    bar.update()
    return tuple(map(np.array, zip(*ends, strict=True)))


def _descent(point, tol, max_iter):
    """A generator of points that is sent their losses and gradients."""
    loss, gradient = yield point
    steps, changes = np.zeros((2, MEMORY, len(point)))  # of the point and of the gradient
    n_pairs = n_steps = 0
    converged = np.abs(gradient).max() <= FLAT
    while not converged and n_steps < max_iter:
        direction = -_quasi_newton(gradient, steps, changes, n_pairs)
        length = 1.0
        # The direction is the gradient, whose length says nothing.
        if n_pairs == 0:
            length = min(1.0, 1.0 / np.sqrt(_dot(gradient, gradient)))
        accepted = yield from _line_search(point, loss, gradient, direction, length)
        if accepted is None:
            break
        new_point, new_loss, new_gradient = accepted
        step = new_point - point
        change = new_gradient - gradient
        if _dot(step, change) > CONVEX * _dot(change, change):  # the loss is convex along it
            steps[n_pairs % MEMORY] = step
            changes[n_pairs % MEMORY] = change
            n_pairs += 1
        flat = np.abs(new_gradient).max() <= FLAT
        converged = flat or loss - new_loss <= tol * max(new_loss, 1.0)
        point, loss, gradient = new_point, new_loss, new_gradient
        n_steps += 1
    return point, loss, bool(converged)


def _line_search(point, loss, gradient, direction, length):
    """Point, loss and gradient at Wolfe's conditions, or None (Lewis and Overton, 2013)."""
    slope = _dot(gradient, direction)
    low = 0.0
    high = np.inf  # low < length < high
    for _ in range(MAX_TRIALS):
        trial = point + length * direction
        value, ahead = yield trial
        enough = value <= loss + DECREASE * length * slope  # not if NaN
        if enough and _dot(ahead, direction) >= CURVATURE * slope:
            return trial, value, ahead
        low, high = (length, high) if enough else (low, length)
        length = 2.0 * length if np.isinf(high) else 0.5 * (low + high)
    return None


@compiled
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


@compiled
def _quasi_newton(gradient, steps, changes, n_pairs):
    """H g, by the two-loop recursion over the remembered pairs (s, y): (n,)."""
    q = gradient.copy()
    shares = np.empty(MEMORY)
    oldest = max(n_pairs - MEMORY, 0)
    for pair in range(n_pairs - 1, oldest - 1, -1):
        place = pair % MEMORY
        s, y = steps[place], changes[place]
        shares[place] = _dot(s, q) / _dot(s, y)
        q -= shares[place] * y
    if n_pairs > 0:
        newest = (n_pairs - 1) % MEMORY
        s, y = steps[newest], changes[newest]
        q *= _dot(s, y) / _dot(y, y)
    for pair in range(oldest, n_pairs):
        place = pair % MEMORY
        s, y = steps[place], changes[place]
        q += (shares[place] - _dot(y, q) / _dot(s, y)) * s
    return q
