"""Eq. 24 for a general solver: short, exact and slow."""

import numpy as np
from scipy.sparse import csr_array

from mimlpaper.algorithms.dmiml.problem import ConvexProblem, Solution


def solve_with_cvxpy(
    problem: ConvexProblem, start: Solution | None, tol: float, max_iter: int | None, rng=None
) -> Solution:
    """Solve with all constraints at once, for small problems and to check the other solvers.

    ``start``, ``tol``, ``max_iter`` and ``rng`` are not used. It needs the optional package cvxpy.
    """
    try:
        import cvxpy as cp
    except ImportError as error:
        raise ImportError('solver="cvxpy" needs the package cvxpy: pip install cvxpy') from error
    n_bags, n_labels = problem.signs.shape
    W, b = cp.Variable((problem.bags.shape[1], n_labels)), cp.Variable((1, n_labels))
    xi, delta = cp.Variable((n_bags, n_labels)), cp.Variable((n_bags, n_labels))
    of_bags, of_instances = problem.bags @ W, problem.instances @ W
    in_bag = _membership(problem.offsets)  # (n_bags, n_instances)
    constraints = [
        cp.multiply(problem.signs, of_bags + np.ones((n_bags, 1)) @ b) >= 1 - xi,
        xi >= 0,
        of_instances - in_bag.T @ delta <= in_bag.T @ of_bags,
        of_bags - in_bag @ cp.multiply(problem.rho, of_instances) <= delta,
    ]
    regulariser = cp.sum_squares(W @ np.linalg.cholesky(problem.Q)) / 2
    losses = cp.sum(cp.multiply(problem.costs, xi)) + problem.link * cp.sum(delta)
    program = cp.Problem(cp.Minimize(regulariser + losses), constraints)
    program.solve(solver=cp.CLARABEL)
    if W.value is None or b.value is None:
        raise RuntimeError(f"cvxpy found no solution of the convex problem: {program.status}")
    margin, _, instance, bag = (constraint.dual_value for constraint in constraints)
    multipliers = problem.feasible(margin, instance, bag)
    return problem.solution(W.value, b.value[0], multipliers, program.solver_stats.num_iters)


def _membership(offsets):
    """1 where an instance lies in a bag."""
    n_instances = offsets[-1]
    return csr_array((np.ones(n_instances), np.arange(n_instances), offsets))
