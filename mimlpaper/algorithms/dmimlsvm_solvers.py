"""The convex problem of D-MimlSvm, and its solvers."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.sparse import csr_array

from mimlpaper.compiled import compiled

ROUNDING = 1e-12  # of a sum of costs
TOWARDS_LOWEST = 0.1  # where to cut, as a share of the way from the best point to the minimum
STEP_ACCURACY = 0.05  # of the best step on this way
MODEL_ACCURACY = 0.1  # share of the duality gap that the model's minimum may leave
MAX_PAIR_STEPS = 20_000
MAX_BUNDLE_ITERATIONS = 2000  # each adds a plane for each label
N_PICKED = 59  # p of Table 8: the worst of so many is among the worst 5% with probability .95
EPSILON = 1e-4  # ε of Table 8: a constraint is added if its loss is larger
QUADRATIC_ACCURACY = 1e-3 * EPSILON  # of the slopes in line 10, far below the losses that count
MAX_SET_STEPS = 1_000_000
MAX_PASSES = 10_000
TIE = 1e-9  # shares within which two numbers count as equal
FLATTEST = 1e-12  # smallest curvature of a step, in units of the largest entry of H


@dataclass(frozen=True, eq=False)
class Multipliers:
    """Multipliers >= 0 of the constraints of Eq. 24, which bound its minimum below if feasible.

    Σ_i y_it margin_it = 0, and ``instance`` and ``bag`` of a bag sum to the cost of δ_it.
    """

    margin: np.ndarray  # (n_bags, n_labels), of y_it f_t(X_i) >= 1 - ξ_it; at most its cost
    instance: np.ndarray  # (n_instances, n_labels), of g_t(x_ij) - δ_it <= g_t(X_i)
    bag: np.ndarray  # (n_bags, n_labels), of g_t(X_i) - Σ_j ρ_ijt g_t(x_ij) <= δ_it


@dataclass(frozen=True, eq=False)
class Solution:
    """Functions f_t = <w_t, φ> + b_t, with bounds on the optimum."""

    weights: np.ndarray  # W: (n_dims, n_labels)
    intercept: np.ndarray  # b: (n_labels,)
    scores: tuple[np.ndarray, np.ndarray]  # g of bags and instances, see ConvexProblem.scores
    primal: float  # the objective at (W, b)
    dual: float  # a lower bound of its minimum
    n_iter: int  # the solver's iterations
    planes: tuple | None = None  # the bundle solver's planes, for a related problem

    @property
    def gap(self) -> float:
        """Duality gap as a share of the objective."""
        if self.primal <= 0:
            return 0.0
        return (self.primal - self.dual) / self.primal


@dataclass(frozen=True, eq=False)
class ConvexProblem:
    """Eq. 24 in finite features φ, with ξ and δ at their best values.

    With g_t = <w_t, φ> and f_t = g_t + b_t, minimise over W and b

        ½ tr(W Q W') + Σ_it cost_it max(0, 1 - y_it f_t(X_i)) + link Σ_it δ_it,
        δ_it = max(max_j g_t(x_ij) - g_t(X_i), g_t(X_i) - Σ_j ρ_ijt g_t(x_ij)) >= 0.
    """

    bags: np.ndarray  # φ(X_i): (n_bags, n_dims)
    instances: np.ndarray  # φ(x_ij), as rows of bags: (n_instances, n_dims)
    offsets: np.ndarray  # where each bag's instances start, and the end: (n_bags + 1,)
    signs: np.ndarray  # y_it as -1.0 and 1.0, both for every label: (n_bags, n_labels)
    costs: np.ndarray  # of ξ_it: (n_bags, n_labels)
    link: float  # cost of δ_it
    rho: np.ndarray  # ρ_ijt >= 0, of sum 1 over a bag: (n_instances, n_labels)
    Q: np.ndarray  # positive definite: (n_labels, n_labels)

    @cached_property
    def root_inverse(self) -> np.ndarray:
        """L⁻¹ with Q = L L': the regulariser is ½||V||² in V = W L, and W = V L⁻¹."""
        return np.linalg.inv(np.linalg.cholesky(self.Q))

    @cached_property
    def Q_inverse(self) -> np.ndarray:
        return self.root_inverse.T @ self.root_inverse

    def scores(self, weights) -> tuple[np.ndarray, np.ndarray]:
        """g of the bags (n_bags, n_labels) and of the instances (n_instances, n_labels)."""
        # Transposed, so that the scores of a label are contiguous for the loops over them.
        on_bags = (weights.T @ self.bags.T).T
        on_instances = (weights.T @ self.instances.T).T
        return on_bags, np.asfortranarray(on_instances)

    def regulariser(self, weights) -> float:
        return 0.5 * float(np.sum((weights @ self.Q) * weights))

    def best_intercept(self, on_bags) -> tuple[np.ndarray, np.ndarray]:
        """b that minimises the hinge losses at these g(X_i), and the multipliers ``margin``."""
        kinks = self.signs - on_bags
        order = np.argsort(kinks, axis=0, kind="stable")  # of ties the same on every machine
        return _best_intercept(kinks, order, self.signs, self.costs)

    def loss(self, on_bags, on_instances, intercept) -> float:
        """The objective without its regulariser, from the scores g."""
        hinge = np.maximum(1.0 - self.signs * (on_bags + intercept), 0.0)
        delta, _ = _discrepancy(on_bags, on_instances, self.offsets, self.rho)
        return float(np.sum(self.costs * hinge) + self.link * np.sum(delta))

    def balanced(self, margin, label=slice(None)) -> np.ndarray:
        """``margin`` with the heavier class of each column, of a ``label``, scaled to the other."""
        has = self.signs[:, label] > 0
        positive = np.sum(margin, axis=0, where=has)
        negative = np.sum(margin, axis=0, where=~has)
        sums = np.where(has, positive, negative)
        lighter = np.minimum(positive, negative)
        scale = np.zeros_like(sums)
        np.divide(lighter, sums, out=scale, where=sums > 0)
        return margin * scale

    def feasible(self, margin, instance, bag) -> Multipliers:
        """Feasible multipliers near these; what a bag lacks is added so as to keep the gradient."""
        instance = np.maximum(instance, 0.0)
        bag = np.maximum(bag, 0.0)
        total = self.sum_in_bags(instance) + bag
        scale = np.ones_like(total)
        np.divide(self.link, total, out=scale, where=total > self.link)
        # Half of it on each side: the two pull a bag's g in opposite directions.
        lacking = 0.5 * np.maximum(self.link - total, 0.0)
        added = self.rho * self.spread(lacking)
        instance = instance * self.spread(scale) + added
        bag = bag * scale + lacking
        margin = self.balanced(np.clip(margin, 0.0, self.costs))
        return Multipliers(margin, instance, bag)

    def gradient(self, multipliers: Multipliers) -> np.ndarray:
        """Gradient G of the linear loss with these multipliers: (n_dims, n_labels)."""
        pulled = self.sum_in_bags(multipliers.instance)
        of_bags = multipliers.bag - pulled - self.signs * multipliers.margin
        of_instances = multipliers.instance - self.rho * self.spread(multipliers.bag)
        return self.bags.T @ of_bags + self.instances.T @ of_instances

    def solution(self, weights, intercept, multipliers, n_iter, planes=None) -> Solution:
        """The solution with its lower bound, Σ margin - ½ tr(G Q⁻¹ G')."""
        whitened = self.gradient(multipliers) @ self.root_inverse.T
        dual = float(multipliers.margin.sum() - 0.5 * np.sum(whitened**2))
        scores = self.scores(weights)
        primal = self.regulariser(weights) + self.loss(*scores, intercept)
        return Solution(
            weights,
            intercept,
            scores,
            primal,
            dual,
            n_iter,
            planes,
        )

    def sum_in_bags(self, values) -> np.ndarray:
        """Values (n_instances, n_labels) summed over each bag: (n_bags, n_labels)."""
        return np.add.reduceat(values, self.offsets[:-1], axis=0)

    def spread(self, values) -> np.ndarray:
        """Values (n_bags, n_labels) repeated for each of the bag's instances."""
        return np.repeat(values, np.diff(self.offsets), axis=0)


@compiled
def _best_intercept(kinks, order, signs, costs):
    """Best b_t and its multipliers; the slope in b_t rises by cost_it at each kink."""
    n_bags, n_labels = signs.shape
    intercept = np.zeros(n_labels)
    margin = np.zeros((n_bags, n_labels))
    for t in range(n_labels):
        has_label = signs[:, t] > 0
        slope = -np.sum(costs[:, t] * has_label)
        flat = ROUNDING * np.sum(costs[:, t])
        reached = False  # whether the minimum lies before this kink
        for place, i in enumerate(order[:, t]):
            positive, cost = has_label[i], costs[i, t]
            slope_after = slope + cost
            if reached:
                margin[i, t] = cost if positive else 0.0
            elif slope_after >= -flat:
                reached = True
                margin[i, t] = max(slope_after, 0.0) if positive else -slope
                last = slope_after > flat or place + 1 == n_bags
                following = i if last else order[place + 1, t]
                # The middle of the minima, if there are several.
                intercept[t] = 0.5 * (kinks[i, t] + kinks[following, t])
            else:
                margin[i, t] = 0.0 if positive else cost
            slope = slope_after
    return intercept, margin


@compiled
def _discrepancy(on_bags, on_instances, offsets, rho):
    """δ_it, and the row of the instance that sets it, or -1: (n_bags, n_labels) each."""
    n_bags, n_labels = on_bags.shape
    delta = np.empty((n_bags, n_labels))
    active = np.empty((n_bags, n_labels), np.int32)
    for t in range(n_labels):
        for i in range(n_bags):
            highest, top, mean = -np.inf, -1, 0.0
            for j in range(offsets[i], offsets[i + 1]):
                mean += rho[j, t] * on_instances[j, t]
                if on_instances[j, t] > highest:
                    highest, top = on_instances[j, t], j
            above = highest - on_bags[i, t]
            below = on_bags[i, t] - mean
            delta[i, t] = max(above, below)
            active[i, t] = -1 if below > above else top
    return delta, active


class _Point(NamedTuple):
    """Weights and the scores g that they give; all are linear in W."""

    weights: np.ndarray  # W: (n_dims, n_labels)
    on_bags: np.ndarray  # (n_bags, n_labels)
    on_instances: np.ndarray  # (n_instances, n_labels)


def solve_bundle(
    problem: ConvexProblem,
    start: Solution | None,
    tol: float,
    max_iter: int | None,
    rng: np.random.RandomState | None = None,
) -> Solution:
    """Minimise ½ tr(W Q W') + R(W), where R is the loss at its best b, by planes below R.

    Each iteration minimises the regulariser plus the highest plane of each label, which gives a
    lower bound; moves the best point towards this minimum as far as it gains; and adds for each
    label a plane that touches its part of R nearby. ``tol`` is the duality gap as a share of the
    objective; ``rng`` is not used. The result is never worse than ``start``, the solution of a
    problem of this size. ``max_iter`` None stands for
    :data:`MAX_BUNDLE_ITERATIONS`.

    Source: Franc and Sonnenburg, Optimized cutting plane algorithm, JMLR 10, 2009.
    """
    model = _Model(problem)
    weights = np.zeros((problem.bags.shape[1], problem.signs.shape[1]))
    if start:
        weights = start.weights
    if start and start.planes:
        model.add(*start.planes)
    best = touched = _Point(weights, *problem.scores(weights))
    primal = _objective(best, problem)
    n_iter = 0
    while n_iter < (max_iter or MAX_BUNDLE_ITERATIONS):
        n_iter += 1
        model.touch(touched)
        weights = model.minimise(primal, tol)
        if primal - model.dual <= tol * primal:
            break
        lowest = _Point(weights, *problem.scores(weights))
        step = minimize_scalar(
            _objective_towards,
            args=(best, lowest, problem),
            bounds=(0, 1),
            method="bounded",
            options={"xatol": STEP_ACCURACY},
        )
        if step.fun < primal:
            best = _towards(best, lowest, step.x)
            primal = step.fun
        touched = _towards(best, lowest, TOWARDS_LOWEST)
    intercept, _ = problem.best_intercept(best.on_bags)
    multipliers = model.multipliers()
    planes = model.planes_in_use()
    return problem.solution(best.weights, intercept, multipliers, n_iter, planes)


def _towards(point, goal, share):
    """The point that lies a share of the way from a point to a goal."""
    return _Point(*(a + share * (b - a) for a, b in zip(point, goal, strict=True)))


def _objective_towards(share, point, goal, problem):
    return _objective(_towards(point, goal, share), problem)


def _objective(point, problem):
    intercept, _ = problem.best_intercept(point.on_bags)
    loss = problem.loss(point.on_bags, point.on_instances, intercept)
    return problem.regulariser(point.weights) + loss


class _Model:
    """Planes <G_kt, w_t> + h_kt below each label's part of R, with multipliers x of sum one.

    Shares of the costs, and the terms that set each δ_it, give planes for other problems too.
    """

    def __init__(self, problem):
        n_bags, self.n_labels = problem.signs.shape
        self.problem = problem
        self.label = np.empty(0, np.int64)  # of each plane
        self.share = np.empty((n_bags, 0))
        self.active = np.empty((n_bags, 0), np.int32)
        self.x = self.heights = np.empty(0)  # of each plane, and h_kt
        self.slopes = np.empty((0, problem.bags.shape[1]))  # G_kt
        self.gram = np.empty((0, 0))  # of G in the metric of Q⁻¹
        self.dual = -np.inf

    def touch(self, point):
        """Add the planes that touch R at a point."""
        problem = self.problem
        _, margin = problem.best_intercept(point.on_bags)
        _, active = _discrepancy(point.on_bags, point.on_instances, problem.offsets, problem.rho)
        # The first planes have the whole multiplier, later ones none yet.
        x = np.full(self.n_labels, 0.0 if len(self.x) else 1.0)
        share = margin / problem.costs
        self.add(np.arange(self.n_labels), share, active, x)

    def add(self, label, share, active, x):
        """Planes of labels (n_planes,); ``share`` and ``active`` are (n_bags, n_planes)."""
        problem = self.problem
        link = self.problem.link
        margin = problem.balanced(share * problem.costs[:, label], label)
        # Where the bag exceeds its instances, g(X) - Σ ρ g(x) sets δ.
        rising = active < 0
        of_bags = np.where(rising, link, -link) - problem.signs[:, label] * margin
        pulls = problem.spread(np.where(rising, -link, 0.0))
        of_instances = problem.rho[:, label] * pulls
        i, k = np.nonzero(~rising)  # an instance exceeds its bag
        of_instances[active[i, k], k] += link
        slopes = of_bags.T @ problem.bags + of_instances.T @ problem.instances
        self.slopes = np.vstack([self.slopes, slopes])
        self.heights = np.append(self.heights, margin.sum(axis=0))
        self.share = np.hstack([self.share, share])
        self.active = np.hstack([self.active, active])
        self.label = np.append(self.label, label)
        self.x = np.append(self.x, x)
        of_labels = problem.Q_inverse[np.ix_(self.label, label)]
        products = (self.slopes @ slopes.T) * of_labels
        n = len(self.gram)
        self.gram = np.block([[self.gram, products[:n]], [products.T]])

    def planes_in_use(self):
        """What :meth:`add` needs to add the planes with a positive multiplier to another model."""
        used = self.x > 0
        share = self.share[:, used]
        active = self.active[:, used]
        return self.label[used], share, active, self.x[used]

    def minimise(self, primal, tol):
        """W that minimises regulariser plus model; sets ``dual`` to the minimum."""
        low = np.zeros(len(self.x))
        high = np.ones(len(self.x))
        gap = min(primal - self.dual, primal)
        accuracy = MODEL_ACCURACY * max(gap, tol * primal)
        of_label = accuracy / self.n_labels
        ascend(
            self.gram,
            self.heights,
            self.x,
            low,
            high,
            self.label,
            of_label,
            MAX_PAIR_STEPS,
        )
        square = 0.5 * self.x @ self.gram @ self.x
        self.dual = self.heights @ self.x - square
        slopes = self._mixture() @ self.slopes  # (n_labels, n_dims)
        return -slopes.T @ self.problem.Q_inverse

    def multipliers(self):
        """The planes' multipliers, weighted by x."""
        problem = self.problem
        mixture = self._mixture().T
        costs = problem.costs[:, self.label]
        margin = problem.balanced(self.share * costs, self.label) @ mixture
        instance = np.zeros_like(problem.rho)
        i, k = np.nonzero(self.active >= 0)
        places = self.active[i, k], self.label[k]
        np.add.at(instance, places, problem.link * self.x[k])
        bag = problem.link * (self.active < 0) @ mixture
        return Multipliers(margin, instance, bag)

    def _mixture(self):
        """x of each label's planes: (n_labels, n_planes)."""
        return np.where(self.label == np.arange(self.n_labels)[:, None], self.x, 0.0)


def solve_cutting_plane(
    problem: ConvexProblem,
    start,
    tol,
    max_iter,
    rng,
) -> Solution:
    """Add the worst of p random constraints and solve over all added so far, until none fails.

    This is Table 8, for a few dozen bags; ``start`` and ``tol`` are not used. The stopping rule
    certifies nothing: see the solution's ``gap``. As we read it, ξ >= 0 and δ >= 0 hold from the
    start, else v_t is unbounded; line 10 solves for all labels, since Q makes the v_t
    interdependent.
    """
    sets = _WorkingSets(problem)  # line 1
    n_passes = 0
    changed = True
    while changed and n_passes < (max_iter or MAX_PASSES):  # lines 2 and 13
        n_passes += 1
        changed = False
        for t in range(sets.n_labels):  # line 3
            outside = np.flatnonzero(~sets.chosen[t])
            picked = rng.choice(outside, min(N_PICKED, len(outside)), replace=False)  # line 4
            losses = sets.losses(t)[picked]  # line 5
            if losses.max(initial=0.0) > EPSILON:  # line 8
                sets.chosen[t, picked[losses.argmax()]] = True  # lines 7 and 9
                sets.optimise()  # line 10
                changed = True
    margin, instance, bag, _ = np.split(sets.x, sets.ends, axis=1)
    multipliers = problem.feasible(np.abs(margin.T), instance.T, bag.T)
    weights = -problem.gradient(multipliers) @ problem.Q_inverse
    return problem.solution(weights, sets.intercept, multipliers, n_passes)


class _WorkingSets:
    """Constraint sets S_1, ..., S_T, and their optimal multipliers ``x``, which are 0 outside.

    A label's constraints: the margins of the bags, with multipliers of y's sign; the instances that
    may not exceed their bags; the bags that may not exceed their instances; δ >= 0.
    """

    def __init__(self, problem):
        n_bags, self.n_labels = problem.signs.shape
        self.problem = problem
        self.n_bags = n_bags
        self.owner = np.repeat(np.arange(n_bags), np.diff(problem.offsets))  # of each instance
        self.ends = np.cumsum([n_bags, len(self.owner), n_bags])
        self.intercept = np.zeros(self.n_labels)
        self.height = np.zeros((self.n_labels, self.ends[-1] + n_bags))
        self.height[:, :n_bags] = problem.signs.T
        self.limit = np.full(self.height.shape, problem.link)  # of x; its other limit is 0
        self.limit[:, :n_bags] = (problem.signs * problem.costs).T
        self.chosen = np.zeros(self.height.shape, bool)
        self.chosen[:, self.ends[-1] :] = True
        self.x = np.where(self.chosen, self.limit, 0.0)
        # The multipliers of a label's margins, and of the bounds of one δ_it, have a fixed sum.
        bags = np.arange(n_bags)
        of_delta = self.n_labels + np.concatenate([self.owner, bags, bags])
        blocks = []
        for t in range(self.n_labels):
            of_margins = np.full(n_bags, t)
            blocks.append(np.append(of_margins, of_delta + t * n_bags))
        self.block = np.array(blocks)
        gradients = self._gradients(np.asarray(problem.instances))
        self.gram = gradients @ gradients.T

    def _gradients(self, instances):
        """The constraints' gradients in V = W L, for all labels at once."""
        problem = self.problem
        rows = []
        for rho, root in zip(problem.rho.T, problem.root_inverse.T, strict=True):
            mean = problem.sum_in_bags(rho[:, None] * instances)
            above = instances - problem.bags[self.owner]
            below = problem.bags - mean
            in_w = np.concatenate([-problem.bags, above, below, np.zeros_like(below)])
            rows.append(np.kron(root, in_w))
        return np.concatenate(rows)

    def losses(self, t):
        """By how much v_t violates each constraint of label t, beyond the slacks ξ and δ."""
        slopes = self._slopes()[t]
        residuals = slopes[: self.n_bags] - self.intercept[t]  # y - f
        shortfalls = self.problem.signs[:, t] * residuals  # 1 - y f
        violation = np.concatenate([shortfalls, slopes[self.n_bags :]])
        # ξ and δ are what the chosen constraints need; a constraint fails by what goes beyond.
        chosen = self.chosen[t, : self.ends[-1]]
        held = np.maximum(np.where(chosen, violation, 0.0), 0.0)
        xi, above, below = np.split(held, self.ends[:2])
        highest = np.maximum.reduceat(above, self.problem.offsets[:-1])
        delta = np.maximum(highest, below)
        return violation - np.concatenate([xi, delta[self.owner], delta])

    def optimise(self):
        """Find the best multipliers of all chosen constraints, and the intercepts."""
        free = self.chosen & (self.limit != 0)
        rows = np.flatnonzero(free)
        x, limit = self.x[free], self.limit[free]
        ascend(
            self.gram[np.ix_(rows, rows)],
            self.height[free],
            x,
            np.minimum(limit, 0.0),
            np.maximum(limit, 0.0),
            self.block[free],
            QUADRATIC_ACCURACY,
            MAX_SET_STEPS,
        )
        self.x[free] = x
        for t, slopes in enumerate(self._slopes()):
            self.intercept[t] = self._best_intercept(t, slopes)

    def _best_intercept(self, t, slopes):
        """b_t for the margins chosen of label t, or 0 if none is."""
        rows = np.flatnonzero(self.chosen[t, : self.n_bags])
        if not len(rows):
            return 0.0
        signs = self.problem.signs[rows][:, [t]]
        costs = self.problem.costs[rows][:, [t]]
        of_chosen = replace(self.problem, signs=signs, costs=costs)
        g = signs - slopes[rows, None]
        (intercept,), _ = of_chosen.best_intercept(g)
        return intercept

    def _slopes(self):
        """The slopes of the dual in x: heights minus the constraints' values at v."""
        values = (self.gram @ self.x.ravel()).reshape(self.x.shape)
        slopes = self.height - values
        return slopes[:, : self.ends[-1]]


def solve_with_cvxpy(
    problem: ConvexProblem,
    start,
    tol,
    max_iter,
    rng=None,
) -> Solution:
    """Solve small problems with all constraints at once by cvxpy; it uses ``problem`` alone."""
    try:
        import cvxpy as cp
    except ImportError as error:
        raise ImportError('solver="cvxpy" needs the package cvxpy: pip install cvxpy') from error
    n_bags, n_labels = problem.signs.shape
    n_instances = len(problem.instances)
    W = cp.Variable((problem.bags.shape[1], n_labels))
    b = cp.Variable((1, n_labels))
    xi = cp.Variable((n_bags, n_labels))
    delta = cp.Variable((n_bags, n_labels))
    of_bags = problem.bags @ W
    of_instances = np.asarray(problem.instances) @ W
    entries = np.ones(n_instances), np.arange(n_instances), problem.offsets
    in_bag = csr_array(entries)  # (n_bags, n_instances)
    f = of_bags + np.ones((n_bags, 1)) @ b
    means = in_bag @ cp.multiply(problem.rho, of_instances)
    constraints = [
        cp.multiply(problem.signs, f) >= 1 - xi,
        xi >= 0,
        of_instances - in_bag.T @ delta <= in_bag.T @ of_bags,
        of_bags - means <= delta,
    ]
    regulariser = cp.sum_squares(W @ np.linalg.cholesky(problem.Q)) / 2
    hinge_losses = cp.sum(cp.multiply(problem.costs, xi))
    losses = hinge_losses + problem.link * cp.sum(delta)
    program = cp.Problem(cp.Minimize(regulariser + losses), constraints)
    # An interior-point method, which is exact to many digits.
    program.solve(solver=cp.CLARABEL)
    if W.value is None or b.value is None:
        raise RuntimeError(f"cvxpy found no solution of the convex problem: {program.status}")
    # In the order of the constraints; that of xi >= 0 follows from the others.
    margin, _, instance, bag = (constraint.dual_value for constraint in constraints)
    multipliers = problem.feasible(margin, instance, bag)
    n_iter = program.solver_stats.num_iters
    return problem.solution(W.value, b.value[0], multipliers, n_iter)


def ascend(H, h, x, low, high, block, tol, max_steps):
    """Maximise h'x - ½ x'H x over x, in place: low <= x <= high, and each block's sum is fixed.

    Each step moves the variable with the steepest rise and the one of its ``block`` (n,) with which
    it gains most, until no two slopes in a block differ by more than ``tol`` in a feasible
    direction. H (n, n) is symmetric and positive semidefinite, x (n,) feasible.

    Source: Fan, Chen and Lin, Working set selection using second order information, JMLR 6, 2005.
    """
    order = np.argsort(block, kind="stable")
    starts = np.searchsorted(block[order], np.arange(block.max() + 2))
    _ascend(H, h, x, low, high, block, order, starts, tol, max_steps)


@compiled
def _ascend(H, h, x, low, high, block, order, starts, tol, max_steps):
    """The steps of :func:`ascend`; ``order[starts[b]:starts[b + 1]]`` are the variables of block b.

    H is read by rows, which are contiguous.
    """
    diagonal = np.diag(H).copy()
    apart = _are_apart(H, block)
    n_blocks = len(starts) - 1
    rising = np.empty(n_blocks, np.int64)  # of each block the variable of the steepest rise
    falling = np.empty(n_blocks, np.int64)
    slope = h - H @ x
    flattest = FLATTEST * np.abs(H).max() + np.finfo(np.float64).tiny
    tie = TIE * tol
    changed = 0, n_blocks  # from and to which block the slopes have changed
    for _ in range(max_steps):
        for b in range(changed[0], changed[1]):
            members = order[starts[b] : starts[b + 1]]
            rising[b], falling[b] = _steepest(slope, x, low, high, members, tie)
        i = _worst(slope, rising, falling, tol, tie)
        if i < 0:
            return
        members = order[starts[block[i]] : starts[block[i] + 1]]
        of_i = H[i]
        j, curvature = _partner(i, slope, x, low, members, of_i, diagonal, flattest)
        of_j = H[j]
        room_i, room_j = high[i] - x[i], x[j] - low[j]
        size = (slope[i] - slope[j]) / curvature
        size = min(size, room_i, room_j)
        # Exactly at the bound, although x + (high - x) may round to a number beside it.
        x[i] = high[i] if size >= (1.0 - TIE) * room_i else x[i] + size
        x[j] = low[j] if size >= (1.0 - TIE) * room_j else x[j] - size
        if apart:  # only slopes of this block change
            changed = block[i], block[i] + 1
            for k in members:
                slope[k] -= size * (of_i[k] - of_j[k])
        else:
            slope -= size * (of_i - of_j)


@compiled
def _worst(slope, rising, falling, tol, tie):
    """The variable that rises in the block whose slopes differ most, or -1 if none exceeds tol."""
    i, largest = -1, tol
    for b in range(len(rising)):
        up, down = rising[b], falling[b]
        if up >= 0 and down >= 0:
            difference = slope[up] - slope[down]
            if difference > largest + tie:
                i, largest = up, difference
    return i


@compiled
def _partner(i, slope, x, low, members, of_i, diagonal, flattest):
    """The variable that may fall and gains most together with i, and the curvature of this step."""
    j, most, of_step = -1, 0.0, flattest
    for k in members:
        if x[k] > low[k] and slope[i] > slope[k]:
            curvature = max(diagonal[i] + diagonal[k] - 2 * of_i[k], flattest)
            gain = (slope[i] - slope[k]) ** 2 / curvature
            if gain > most * (1.0 + TIE):
                j, most, of_step = k, gain, curvature
    return j, of_step


@compiled
def _are_apart(H, block):
    """Whether H links no variables of different blocks."""
    for i in range(len(H)):
        for j in range(i):
            if block[i] != block[j] and H[i, j] != 0.0:
                return False
    return True


@compiled
def _steepest(slope, x, low, high, members, tie):
    """The member of the steepest rise that may grow, and of the steepest fall that may shrink.

    Of slopes that differ by rounding the first counts.
    """
    up, down = -1, -1
    for k in members:
        if x[k] < high[k] and (up < 0 or slope[k] > slope[up] + tie):
            up = k
        if x[k] > low[k] and (down < 0 or slope[k] < slope[down] - tie):
            down = k
    return up, down


SOLVERS = {
    "bundle": solve_bundle,
    "cutting_plane": solve_cutting_plane,
    "cvxpy": solve_with_cvxpy,
}
