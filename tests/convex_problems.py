"""Random convex problems of D-MimlSvm, and their objective."""

import numpy as np

from mimlpaper.algorithms import dmimlsvm_solvers as solvers
from mimlpaper.algorithms.dmimlsvm import mean_form

C = 3.0
LAM = 0.1


def random_problem(seed, *, mu=0.0, n_bags=9, n_labels=3, n_dims=5):
    """Bags of one to four Gaussian instances, unit sums for bags, random labels and weights."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, n_bags)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    starts = offsets[:-1]
    instances = rng.normal(size=(offsets[-1], n_dims))
    bags = np.add.reduceat(instances, starts)
    bags /= np.linalg.norm(bags, axis=1, keepdims=True)
    Y = rng.random((n_bags, n_labels)) < 0.4
    # Some bag has each label, and some bag lacks it.
    Y[0] = True
    Y[1] = False
    tau = rng.random(Y.shape)
    rho = rng.random((offsets[-1], n_labels))
    totals = np.add.reduceat(rho, starts)
    rho /= np.repeat(totals, sizes, axis=0)
    return solvers.ConvexProblem(
        bags,
        instances,
        offsets,
        np.where(Y, 1.0, -1.0),
        C / n_labels * tau,
        C / n_labels * LAM,
        rho,
        mean_form(n_labels, mu),
    )


def objective(problem, solution):
    """That of a problem, at the functions of any solution."""
    weights = solution.weights
    scores = problem.scores(weights)
    loss = problem.loss(*scores, solution.intercept)
    return problem.regulariser(weights) + loss
