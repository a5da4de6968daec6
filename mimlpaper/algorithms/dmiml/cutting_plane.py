"""Cutting planes of Table 8 as printed: the worst of a few random constraints, one by one."""

from dataclasses import replace

import numpy as np

from mimlpaper.algorithms.dmiml.problem import ConvexProblem, Solution
from mimlpaper.algorithms.dmiml.quadratic import ascend

N_PICKED = 59  # p
EPSILON = 1e-4
QUADRATIC_ACCURACY = 1e-3 * EPSILON
MAX_PAIR_STEPS = 1_000_000
MAX_PASSES = 10_000


def solve_cutting_plane(
    problem: ConvexProblem, start: Solution | None, tol: float, max_iter: int | None, rng
) -> Solution:
    """Add the worst of p random constraints and solve over all added so far, until none fails.

    It documents the paper, for a few dozen bags: each added constraint costs a quadratic program.
    ``start`` and ``tol`` are not used.

    The stopping rule certifies nothing. One of 59 random constraints is among the worst 5 % with
    probability .95, but 59 constraints may hold while up to 5 % of all fail. The ``gap`` of the
    solution says how far from the optimum it is.

    Readings of the table: ξ >= 0 and δ >= 0 hold from the start, since v_t would be unbounded
    otherwise; line 10 solves for all labels over all S_t, since Q makes the v_t interdependent.
    """
    sets = _WorkingSets(problem)  # line 1
    n_passes, changed = 0, True
    while changed and n_passes < (max_iter or MAX_PASSES):  # lines 2 and 13
        n_passes, changed = n_passes + 1, False
        for t in range(sets.n_labels):  # line 3
            outside = np.flatnonzero(~sets.chosen[t])
            picked = rng.choice(outside, min(N_PICKED, len(outside)), replace=False)  # line 4
            losses = sets.losses(t)[picked]  # line 5
            if losses.max(initial=0.0) > EPSILON:  # line 8
                sets.add(t, picked[losses.argmax()])  # lines 7 and 9
                sets.optimise()  # line 10
                changed = True
    return problem.solution(sets.weights, sets.intercept, sets.multipliers(), n_passes)


class _WorkingSets:
    """Constraint sets S_1, ..., S_T, and the optimal v_1, ..., v_T over them.

    A label's constraints are, in this order, the margins of the bags, the instances that may not
    exceed their bags, and the bags that may not exceed their instances. The multipliers of
    constraints outside S_t are 0; the multipliers of margins carry the sign of y.
    """

    def __init__(self, problem):
        self.problem = problem
        self.n_bags, self.n_labels = problem.signs.shape
        n_instances = len(problem.instances)
        self.ends = np.cumsum([self.n_bags, n_instances, self.n_bags])
        self.owner = np.repeat(np.arange(self.n_bags), np.diff(problem.offsets))
        self.chosen = np.zeros((self.n_labels, self.ends[-1]), bool)
        self.weights = np.zeros((problem.bags.shape[1], self.n_labels))
        self.intercept = np.zeros(self.n_labels)
        # The constraints δ >= 0 follow a label's other constraints.
        shape = self.n_labels, self.ends[-1] + self.n_bags
        self.low, self.high, self.x, self.height = (np.zeros(shape) for _ in range(4))
        self.x[:, self.ends[-1] :] = self.high[:, self.ends[-1] :] = problem.link
        self.height[:, : self.n_bags] = problem.signs.T
        self.gram = self._gram()
        self.block = self._blocks()

    def losses(self, t):
        """By how much v_t violates each constraint of label t."""
        violation = self._violation(t)
        held = np.where(self.chosen[t], violation, 0.0)
        xi, above, below = np.split(np.maximum(held, 0.0), self.ends[:2])
        delta = np.maximum(np.maximum.reduceat(above, self.problem.offsets[:-1]), below)
        return violation - np.concatenate([xi, delta[self.owner], delta])

    def add(self, t, q):
        self.chosen[t, q] = True
        if q >= self.n_bags:
            self.high[t, q] = self.problem.link
        elif self.problem.signs[q, t] > 0:
            self.high[t, q] = self.problem.costs[q, t]
        else:
            self.low[t, q] = -self.problem.costs[q, t]

    def optimise(self):
        free = np.flatnonzero(self.low.ravel() < self.high.ravel())
        gram, block = self.gram[np.ix_(free, free)], self.block[free]
        height, x, low, high = (
            part.ravel()[free] for part in (self.height, self.x, self.low, self.high)
        )
        ascend(gram, height, x, low, high, block, QUADRATIC_ACCURACY, MAX_PAIR_STEPS)
        self.x.ravel()[free] = x
        problem = self.problem
        self.weights = -problem.gradient(self.multipliers()) @ problem.Q_inverse
        for t in range(self.n_labels):
            self.intercept[t] = self._intercept(t)

    def multipliers(self):
        margin, instance, bag, _ = np.split(self.x, self.ends, axis=1)
        return self.problem.feasible(np.abs(margin.T), instance.T, bag.T)

    def _violation(self, t):
        problem = self.problem
        on_bags, on_instances = problem.scores(self.weights[:, [t]])
        margins = 1.0 - problem.signs[:, [t]] * (on_bags + self.intercept[t])
        mean = problem.sum_in_bags(problem.rho[:, [t]] * on_instances)
        return np.concatenate([margins, on_instances - on_bags[self.owner], on_bags - mean])[:, 0]

    def _intercept(self, t):
        """Best b_t for the margins in S_t."""
        rows = np.flatnonzero(self.chosen[t, : self.n_bags])
        if not len(rows):
            return 0.0
        problem = self.problem
        few = replace(problem, signs=problem.signs[rows][:, [t]], costs=problem.costs[rows][:, [t]])
        return few.best_intercept(problem.bags[rows] @ self.weights[:, [t]])[0][0]

    def _gram(self):
        """Products of the constraints' gradients in V = W L, for all labels at once."""
        problem, rows = self.problem, []
        for rho, root in zip(problem.rho.T, problem.root_inverse.T, strict=True):
            mean = problem.sum_in_bags(rho[:, None] * problem.instances)
            above, below = problem.instances - problem.bags[self.owner], problem.bags - mean
            in_w = np.concatenate([-problem.bags, above, below, np.zeros_like(below)])
            rows.append(np.kron(root, in_w))
        rows = np.concatenate(rows)
        return rows @ rows.T

    def _blocks(self):
        """Blocks of multipliers with a fixed sum: a label's margins, and the bounds of one δ_it."""
        bags = np.arange(self.n_bags)
        of_delta = np.concatenate([self.owner, bags, bags])
        return np.concatenate(
            [
                np.concatenate(
                    [np.full(self.n_bags, t), self.n_labels + t * self.n_bags + of_delta]
                )
                for t in range(self.n_labels)
            ]
        )
