"""The constrained concave-convex procedure of D-MimlSvm (Section 5.3)."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from mimlpaper.algorithms.dmiml.problem import ConvexProblem, Solution


@dataclass(frozen=True, eq=False)
class Descent:
    """Result and history of the procedure.

    ``raw_objective`` holds the true objective after each convex problem (n_steps,), and after a
    last problem that raised it and was dropped.
    """

    solution: Solution  # of the last convex problem that is kept
    raw_objective: np.ndarray
    n_iter: np.ndarray  # the solver's iterations: (n_steps,)
    settled: bool  # False if ``max_steps`` ended the procedure

    @property
    def objective(self) -> np.ndarray:
        """The true objective after each step that is kept (n_steps,); it never rises."""
        return self.raw_objective[: len(self.n_iter)]


def descend(
    problem: ConvexProblem, solve: Callable[[ConvexProblem, Solution | None], Solution], *,
    convex: bool, relate: Callable[[np.ndarray], np.ndarray] | None = None,
    start: Solution | None = None, tol: float, max_steps: int,
) -> Descent:  # fmt: skip
    """Minimise the objective with δ_it = |g_t(X_i) - max_j g_t(x_ij)| by convex upper bounds.

    Where g_t(X_i) exceeds the maximum, a bound has Σ_j ρ_ijt g_t(x_ij) in its place. This sum is
    at most the maximum, and equal to it at the last solution by the choice of ρ. So the true
    objective cannot rise. The same holds if Q changes to one that is better for that solution.

    ``problem`` is the first convex problem; if ``convex``, its ρ is exact and stays. ``relate``
    gives the next Q for W, None keeps Q. The steps end with one that lowers the objective by at
    most the share ``tol``, or after ``max_steps`` convex problems.
    """
    solution, settled = start, True
    raw: list[float] = []
    n_iter: list[int] = []
    for _ in range(max_steps):
        found = solve(problem, solution)
        following = problem if convex else replace(problem, rho=highest(problem, found.scores[1]))
        value = following.regulariser(found.weights)
        value += following.loss(*found.scores, found.intercept)
        fall = raw[-1] - value if raw else np.inf
        raw.append(value)
        if fall < 0:  # the solver's tolerance is more than what was left to gain
            break
        solution = found
        n_iter.append(found.n_iter)
        if relate is not None:
            following = replace(following, Q=relate(found.weights))
        if fall <= tol * value or _same(problem, following):
            break
        problem = following
    else:
        settled = False
    if solution is None:
        raise ValueError(f"max_steps must be at least 1, got {max_steps}")
    return Descent(solution, np.array(raw), np.array(n_iter), settled)


def highest(problem: ConvexProblem, on_instances: np.ndarray) -> np.ndarray:
    """ρ_ijt = 1 / n_d for the n_d instances of a bag with its highest g_t, 0 for the rest."""
    tops = np.maximum.reduceat(on_instances, problem.offsets[:-1], axis=0)
    active = (on_instances == problem.spread(tops)).astype(np.float64)
    return active / problem.spread(problem.sum_in_bags(active))


def _same(problem, following):
    return np.array_equal(problem.rho, following.rho) and np.array_equal(problem.Q, following.Q)
