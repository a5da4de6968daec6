"""Solvers of D-MimlSvm's convex step: against the printed formulas and against each other."""

from dataclasses import replace

import numpy as np
import pytest

from mimlpaper.algorithms.dmimlsvm import highest, mean_form
from mimlpaper.algorithms.dmimlsvm_solvers import (
    N_PICKED,
    SOLVERS,
    ConvexProblem,
    solve_bundle,
    solve_cutting_plane,
    solve_with_cvxpy,
)
from tests import reference

C, LAM = 3.0, 0.1


def random_problem(seed, *, mu=0.0, tau=True, n_bags=9, n_labels=3, n_dims=5):
    """Bags of one to four Gaussian instances, unit sums for bags, random labels and weights."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, n_bags)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    instances = rng.normal(size=(offsets[-1], n_dims))
    bags = np.add.reduceat(instances, offsets[:-1])
    bags /= np.linalg.norm(bags, axis=1, keepdims=True)
    Y = rng.random((n_bags, n_labels)) < 0.4
    Y[0], Y[1] = True, False
    weights = rng.random(Y.shape) if tau else np.ones(Y.shape)
    rho = rng.random((offsets[-1], n_labels))
    rho /= np.repeat(np.add.reduceat(rho, offsets[:-1]), sizes, axis=0)
    cost, signs = C / n_labels, np.where(Y, 1.0, -1.0)
    form = mean_form(n_labels, mu)
    return ConvexProblem(bags, instances, offsets, signs, cost * weights, cost * LAM, rho, form)


def objective(problem, solution):
    """That of a problem, at the functions of any solution."""
    weights, intercept = solution.weights, solution.intercept
    return problem.regulariser(weights) + problem.loss(*problem.scores(weights), intercept)


def optimum(problem, mu):
    """By the kernel matrix and the printed formulas."""
    objects = np.concatenate([problem.bags, problem.instances])
    n_bags, n_labels = problem.signs.shape
    Y, tau, sizes = problem.signs > 0, problem.costs * n_labels / C, np.diff(problem.offsets)
    parameters = dict(gamma=C * n_bags, lam=LAM, mu=mu)
    return reference.d_miml_convex(objects @ objects.T, sizes, Y, tau, problem.rho, **parameters)


@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")  # K is singular, α not unique
@pytest.mark.parametrize(("seed", "mu", "tau"), [(0, 0.0, False), (1, 2.0, True), (2, -0.3, True)])
def test_all_solvers_agree_with_eq_24_as_printed(seed, mu, tau):
    """To 1e-4 of the optimum, which lies between the objective and the lower bound of each."""
    problem = random_problem(seed, mu=mu, tau=tau)  # so small that p constraints are all
    assert len(problem.instances) + 2 * len(problem.bags) <= N_PICKED
    best = optimum(problem, mu)
    for name, solve in SOLVERS.items():
        solution = solve(problem, None, 5e-5, None, np.random.RandomState(0))
        assert solution.primal == pytest.approx(best, rel=1e-4), name
        assert solution.dual <= best * (1 + 1e-7) and solution.primal >= best * (1 - 1e-7)
        assert solution.primal == objective(problem, solution)
        assert -1e-9 <= solution.gap <= 1e-4


def test_any_feasible_multipliers_give_a_lower_bound(rng):
    problem = random_problem(3, mu=1.0)
    best = solve_with_cvxpy(problem, None, 0, None).primal
    shapes = problem.costs.shape, problem.rho.shape, problem.costs.shape
    for size in (0.1, 1.0, 10.0):
        made = problem.feasible(*(size * rng.normal(size=shape) for shape in shapes))
        assert (made.margin >= 0).all() and (made.margin <= problem.costs).all()
        assert (problem.signs * made.margin).sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)
        assert (made.instance >= 0).all() and (made.bag >= 0).all()
        total = problem.sum_in_bags(made.instance) + made.bag
        assert total == pytest.approx(np.full(total.shape, problem.link))
        again = problem.feasible(made.margin, made.instance, made.bag)
        assert again.instance == pytest.approx(made.instance)
        assert problem.solution(np.zeros((5, 3)), np.zeros(3), made, 0).dual <= best + 1e-9


def test_best_intercept_by_trying_all(rng):
    problem = random_problem(1)
    signs, costs, on_bags = problem.signs, problem.costs, rng.normal(size=problem.signs.shape)
    b, margin = problem.best_intercept(on_bags)

    def hinges(b):
        return np.sum(costs * np.maximum(1 - signs * (on_bags + b), 0), axis=0)

    assert hinges(b) == pytest.approx(np.min([hinges(kinks) for kinks in signs - on_bags], axis=0))
    short = 1 - signs * (on_bags + b)
    assert margin[short > 1e-9] == pytest.approx(costs[short > 1e-9])
    assert margin[short < -1e-9] == pytest.approx(0)
    assert (signs * margin).sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)


def test_equal_instances_share_rho():
    """A bag of 3, 3, 1 and one of 2: ½, ½, 0 and 1."""
    problem = replace(random_problem(0, n_labels=1), offsets=np.array([0, 3, 4]))
    rho = highest(problem, np.array([[3.0], [3.0], [1.0], [2.0]]))
    assert rho.ravel().tolist() == [0.5, 0.5, 0.0, 1.0]


def test_table_8_stops_without_knowing_how_far_it_is():
    """If few of many constraints are violated, 59 random ones can all hold."""
    problem, gaps = random_problem(4, n_bags=80, n_labels=1, n_dims=10), []
    best = solve_bundle(problem, None, 1e-5, None).primal
    for seed in range(3):
        solution = solve_cutting_plane(problem, None, 0, None, np.random.RandomState(seed))
        assert solution.dual <= best <= solution.primal * (1 + 1e-9)
        gaps.append(solution.gap)
    assert max(gaps) > 1e-3
