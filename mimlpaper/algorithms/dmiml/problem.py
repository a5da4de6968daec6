"""The convex problem of D-MimlSvm, and solutions with a bound on their error."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit

ROUNDING = 1e-12  # of a sum of costs


@dataclass(frozen=True, eq=False)
class Multipliers:
    """One multiplier >= 0 for each constraint of Eq. 24; feasible ones bound its minimum below.

    ``margin`` is at most the cost of ξ_it, and Σ_i y_it margin_it = 0 for every label. The
    multipliers ``instance`` and ``bag`` of a bag sum to the cost of δ_it.
    """

    margin: np.ndarray  # (n_bags, n_labels), of y_it f_t(X_i) >= 1 - ξ_it
    instance: np.ndarray  # (n_instances, n_labels), of g_t(x_ij) - δ_it <= g_t(X_i)
    bag: np.ndarray  # (n_bags, n_labels), of g_t(X_i) - Σ_j ρ_ijt g_t(x_ij) <= δ_it


@dataclass(frozen=True, eq=False)
class Solution:
    """Functions f_t = <w_t, φ> + b_t, with bounds on the optimum."""

    weights: np.ndarray  # W: (n_dims, n_labels)
    intercept: np.ndarray  # b: (n_labels,)
    multipliers: Multipliers  # feasible
    scores: tuple[np.ndarray, np.ndarray]  # g of bags and instances, see ConvexProblem.scores
    primal: float  # the objective at (W, b)
    dual: float  # a lower bound of its minimum
    n_iter: int  # the solver's iterations
    planes: tuple | None = None  # the bundle solver's planes, for a related problem

    @property
    def gap(self) -> float:
        """Duality gap as a share of the objective."""
        return (self.primal - self.dual) / self.primal if self.primal > 0 else 0.0


@dataclass(frozen=True, eq=False)
class ConvexProblem:
    """Eq. 24 in finite features φ, with ξ and δ at their best values.

    With g_t = <w_t, φ> and f_t = g_t + b_t, minimise over W and b

        ½ tr(W Q W') + Σ_it cost_it max(0, 1 - y_it f_t(X_i)) + link Σ_it δ_it,
        δ_it = max(max_j g_t(x_ij) - g_t(X_i), g_t(X_i) - Σ_j ρ_ijt g_t(x_ij)) >= 0.
    """

    bags: np.ndarray  # φ(X_i): (n_bags, n_dims)
    instances: np.ndarray  # φ(x_ij), one bag after the other: (n_instances, n_dims)
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
        return (weights.T @ self.bags.T).T, (weights.T @ self.instances.T).T

    def regulariser(self, weights) -> float:
        return 0.5 * float(np.sum((weights @ self.Q) * weights))

    def best_intercept(self, on_bags) -> tuple[np.ndarray, np.ndarray]:
        """b that minimises the hinge losses at these g(X_i), and the multipliers ``margin``."""
        kinks = self.signs - on_bags
        order = np.argsort(kinks, axis=0)
        return _best_intercept(kinks, order, self.signs, self.costs)

    def discrepancy(self, on_bags, on_instances) -> tuple[np.ndarray, np.ndarray]:
        """δ_it, and the row of the instance that sets it, or -1: (n_bags, n_labels) each."""
        return _discrepancy(on_bags, on_instances, self.offsets, self.rho)

    def loss(self, on_bags, on_instances, intercept) -> float:
        """The objective without its regulariser, from the scores g."""
        hinge = np.maximum(1.0 - self.signs * (on_bags + intercept), 0.0)
        delta, _ = self.discrepancy(on_bags, on_instances)
        return float(np.sum(self.costs * hinge) + self.link * np.sum(delta))

    def objective(self, weights, intercept) -> float:
        return self.regulariser(weights) + self.loss(*self.scores(weights), intercept)

    def balanced(self, margin, label=slice(None)) -> np.ndarray:
        """``margin`` with the heavier class of each column scaled down to the other's sum.

        Column k belongs to label k, or to ``label[k]``.
        """
        has = self.signs[:, label] > 0
        positive = np.sum(margin, axis=0, where=has)
        negative = np.sum(margin, axis=0, where=~has)
        sums = np.where(has, positive, negative)
        common = np.minimum(positive, negative)
        return margin * np.divide(common, sums, out=np.zeros_like(sums), where=sums > 0)

    def feasible(self, margin, instance, bag) -> Multipliers:
        """Feasible multipliers near these.

        If a bag's multipliers sum to less than the cost of δ_it, half of the difference goes to
        the bag and half to its instances by ρ, which leaves the gradient unchanged.
        """
        instance, bag = np.maximum(instance, 0.0), np.maximum(bag, 0.0)
        total = self.sum_in_bags(instance) + bag
        scale = np.divide(self.link, total, out=np.ones_like(total), where=total > self.link)
        lacking = 0.5 * np.maximum(self.link - total, 0.0)
        return Multipliers(
            self.balanced(np.clip(margin, 0.0, self.costs)),
            instance * self.spread(scale) + self.rho * self.spread(lacking),
            bag * scale + lacking,
        )

    def gradient(self, multipliers: Multipliers) -> np.ndarray:
        """Gradient G of the linear loss with these multipliers: (n_dims, n_labels)."""
        pulled = self.sum_in_bags(multipliers.instance)
        of_bags = multipliers.bag - pulled - self.signs * multipliers.margin
        of_instances = multipliers.instance - self.rho * self.spread(multipliers.bag)
        return self.bags.T @ of_bags + self.instances.T @ of_instances

    def solution(self, weights, intercept, multipliers, n_iter, planes=None) -> Solution:
        """The solution with its lower bound, the dual objective Σ margin - ½ tr(G Q⁻¹ G')."""
        whitened = self.gradient(multipliers) @ self.root_inverse.T
        dual = float(multipliers.margin.sum() - 0.5 * np.sum(whitened**2))
        scores = self.scores(weights)
        primal = self.regulariser(weights) + self.loss(*scores, intercept)
        return Solution(weights, intercept, multipliers, scores, primal, dual, n_iter, planes)

    def sum_in_bags(self, values) -> np.ndarray:
        """Values (n_instances, n_labels) summed over each bag: (n_bags, n_labels)."""
        return np.add.reduceat(values, self.offsets[:-1], axis=0)

    def spread(self, values) -> np.ndarray:
        """Values (n_bags, n_labels) repeated for each of the bag's instances."""
        return np.repeat(values, np.diff(self.offsets), axis=0)


@njit(cache=True, nogil=True)
def _best_intercept(kinks, order, signs, costs):
    """Best b_t, and the multipliers.

    The slope in b_t rises by cost_it at each kink b_t = y_it - g_t(X_i). It is zero at the
    minimum, where one multiplier makes Σ_i y_it margin_it zero.
    """
    n_bags, n_labels = signs.shape
    intercept, margin = np.zeros(n_labels), np.zeros((n_bags, n_labels))
    for t in range(n_labels):
        slope = -np.sum(costs[:, t] * (signs[:, t] > 0))
        flat = ROUNDING * np.sum(costs[:, t])
        reached = False
        for place, i in enumerate(order[:, t]):
            positive, cost = signs[i, t] > 0, costs[i, t]
            if reached:
                margin[i, t] = cost if positive else 0.0
            elif slope + cost >= -flat:
                reached = True
                margin[i, t] = max(slope + cost, 0.0) if positive else -slope
                last = slope + cost > flat or place + 1 == n_bags
                following = i if last else order[place + 1, t]
                # The middle of the minima, if there are several.
                intercept[t] = 0.5 * (kinks[i, t] + kinks[following, t])
            else:
                margin[i, t] = 0.0 if positive else cost
            slope += cost
    return intercept, margin


@njit(cache=True, nogil=True)
def _discrepancy(on_bags, on_instances, offsets, rho):
    n_bags, n_labels = on_bags.shape
    delta, active = np.empty((n_bags, n_labels)), np.empty((n_bags, n_labels), np.int32)
    for t in range(n_labels):
        for i in range(n_bags):
            highest, top, mean = -np.inf, -1, 0.0
            for j in range(offsets[i], offsets[i + 1]):
                mean += rho[j, t] * on_instances[j, t]
                if on_instances[j, t] > highest:
                    highest, top = on_instances[j, t], j
            above, below = highest - on_bags[i, t], on_bags[i, t] - mean
            delta[i, t] = max(above, below)
            active[i, t] = -1 if below > above else top
    return delta, active
