"""L-BFGS solver: descent on smoothed losses, until the duality gap is small."""

import numpy as np
from scipy.optimize import minimize

from mimlpaper.algorithms.dmiml.problem import ConvexProblem, Multipliers, Solution

WIDTHS = 0.1 * 0.3 ** np.arange(12)  # of the rounded corners, in margins, stage by stage
STAGE_ACCURACY = 0.5  # share of ``tol`` that the descent of a stage may leave
MEMORY = 20  # pairs of vectors behind the quasi-Newton matrix
MAX_ITER = 50_000


def solve_lbfgs(
    problem: ConvexProblem, start: Solution | None, tol: float, max_iter: int | None, rng=None
) -> Solution:
    """Minimise with rounded corners: hinges by a parabola, each δ_it by a soft maximum.

    The slopes of the rounded losses are multipliers. They give a lower bound for every width of
    the corners, a better one for a smaller width. Choose it as an independent check: it shares no
    step with the bundle solver and takes about ten times as long. ``start``, the solution of a
    problem of the same size, gives the first point.

    Source: Nesterov, Smooth minimization of non-smooth functions, Math. Programming 103, 2005.
    """
    n_dims, n_labels = problem.bags.shape[1], problem.signs.shape[1]
    theta = np.zeros((n_dims + 1) * n_labels)  # V = W L row by row, then b
    if start is not None:
        V = np.linalg.solve(problem.root_inverse.T, start.weights.T).T
        theta = np.append(V, start.intercept)
    scale, left = problem.costs.sum(), max_iter or MAX_ITER
    for width in WIDTHS:
        error = STAGE_ACCURACY * tol * scale
        slope = min(np.sqrt(2.0 * error / len(theta)), error / n_labels)
        found = minimize(
            _smoothed, theta, (problem, width), method="L-BFGS-B", jac=True, options={
                "gtol": slope, "ftol": 0.0, "maxcor": MEMORY, "maxiter": left, "maxfun": 2 * left,
            },
        )  # fmt: skip
        theta, left = found.x, left - found.nit
        solution = _certified(problem, theta, width, (max_iter or MAX_ITER) - left)
        if solution.gap <= tol or left <= 0:
            break
        scale = solution.primal
    return solution


def _smoothed(theta, problem, width):
    """The rounded objective and its gradient in theta."""
    V, weights, intercept = _parts(theta, problem)
    loss, multipliers = _rounded_loss(problem, *problem.scores(weights), intercept, width)
    slope = V + problem.gradient(multipliers) @ problem.root_inverse.T
    slope_in_b = -np.sum(problem.signs * multipliers.margin, axis=0)
    return 0.5 * np.sum(V**2) + loss, np.append(slope, slope_in_b)


def _parts(theta, problem):
    V = theta[: -len(problem.Q)].reshape(-1, len(problem.Q))
    return V, V @ problem.root_inverse, theta[-len(problem.Q) :]


def _rounded_loss(problem, on_bags, on_instances, intercept, width):
    """Value, and the multipliers that are its slopes in the violations of the constraints."""
    short = 1.0 - problem.signs * (on_bags + intercept)
    share = np.clip(short / width, 0.0, 1.0)
    hinges = share * (short - 0.5 * width * share)
    above = on_instances - problem.spread(on_bags)
    below = on_bags - problem.sum_in_bags(problem.rho * on_instances)
    delta, _ = problem.discrepancy(on_bags, on_instances)
    above, below = np.exp((above - problem.spread(delta)) / width), np.exp((below - delta) / width)
    total = problem.sum_in_bags(above) + below
    loss = np.sum(problem.costs * hinges) + problem.link * np.sum(delta + width * np.log(total))
    return loss, Multipliers(
        problem.costs * share,
        problem.link * above / problem.spread(total),
        problem.link * below / total,
    )


def _certified(problem, theta, width, n_iter):
    """The solution with the best b for W, and with feasible multipliers."""
    _, weights, intercept = _parts(theta, problem)
    at = problem.scores(weights)
    _, rough = _rounded_loss(problem, *at, intercept, width)
    exact, _ = problem.best_intercept(at[0])
    multipliers = problem.feasible(rough.margin, rough.instance, rough.bag)
    return problem.solution(weights, exact, multipliers, n_iter)
