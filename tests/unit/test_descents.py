import numpy as np
import pytest
from scipy.optimize import minimize as scipy_minimize
from scipy.optimize import rosen, rosen_der

from mimlpaper.baselines.diverse_density import _products, minimise

FEW_STEPS = dict(tol=1e-12, max_iter=200)


def each(loss, gradient):
    """Evaluation of many points by functions of one."""

    def evaluate(_, points):
        return np.array([loss(x) for x in points]), np.array([gradient(x) for x in points])

    return evaluate


ROSENBROCK = each(rosen, rosen_der)


def logistic(rng, n=60, n_features=8):
    """A convex loss that SciPy can minimise as well."""
    X, y = rng.standard_normal((n, n_features)), rng.choice([-1.0, 1.0], n)

    def loss(w):
        return np.logaddexp(0.0, -y * (X @ w)).sum() + 0.1 * w @ w

    def gradient(w):
        return -X.T @ (y / (1.0 + np.exp(y * (X @ w)))) + 0.2 * w

    return loss, gradient


@pytest.mark.parametrize("n", [1, 3, 4, 5, 8, 331])
def test_inner_products(rng, n):
    A, B = rng.standard_normal((2, 3, n))
    assert _products(A, B) == pytest.approx((A * B).sum(axis=1))


def test_a_parabola_by_hand():
    """From 1 on x²/2 the first step is the gradient, 1, and ends at the minimum."""
    points, losses, converged = minimise(
        each(lambda x: x @ x / 2, lambda x: x), np.array([[1.0]]), tol=1e-9, max_iter=2
    )
    assert points.tolist() == [[0.0]] and losses.tolist() == [0.0] and converged.all()


def test_the_valley_of_rosenbrock(rng):
    starts = rng.uniform(-2, 2, (12, 2))
    points, losses, converged = minimise(ROSENBROCK, starts, **FEW_STEPS)
    assert points == pytest.approx(np.ones((12, 2)), abs=1e-4)
    assert losses == pytest.approx(np.zeros(12), abs=1e-9)
    assert converged.all()


def test_agrees_with_scipy(rng):
    loss, gradient = logistic(rng)
    _, losses, _ = minimise(each(loss, gradient), rng.standard_normal((5, 8)), **FEW_STEPS)
    found = scipy_minimize(loss, np.zeros(8), jac=gradient, method="BFGS", tol=1e-10)
    assert losses == pytest.approx(np.full(5, found.fun), rel=1e-8)


def test_no_descent_depends_on_the_others(rng):
    """To the last digit, for any other starts and any order."""
    starts = rng.uniform(-2, 2, (7, 2))
    together = minimise(ROSENBROCK, starts, **FEW_STEPS)
    order = rng.permutation(7)
    shuffled = minimise(ROSENBROCK, starts[order], **FEW_STEPS)
    for i, place in enumerate(order):
        alone = minimise(ROSENBROCK, starts[[place]], **FEW_STEPS)
        for all_of_them, moved, own in zip(together, shuffled, alone, strict=True):
            assert np.array_equal(all_of_them[place], own[0])
            assert np.array_equal(moved[i], own[0])


def test_the_evaluation_knows_which_descent_asks(rng):
    """Each descent has its own minimum."""
    minima = rng.standard_normal((6, 3))

    def evaluate(which, points):
        apart = points - minima[which]
        return (apart**2).sum(axis=1), 2 * apart

    points, _, _ = minimise(evaluate, np.zeros((6, 3)), **FEW_STEPS)
    assert points == pytest.approx(minima)


def test_losses_never_rise_and_steps_are_limited(rng):
    starts = rng.uniform(-2, 2, (5, 2))
    last = ROSENBROCK(None, starts)[0]
    for max_iter in (1, 3, 9):
        _, losses, converged = minimise(ROSENBROCK, starts, tol=1e-12, max_iter=max_iter)
        assert (losses <= last).all() and not converged.any()
        last = losses


def test_a_step_out_of_the_domain_is_shortened():
    """x - log x is infinite below 0; the first step from 0.01 would end there or far away."""

    def evaluate(_, points):
        with np.errstate(invalid="ignore", divide="ignore"):
            return points[:, 0] - np.log(points[:, 0]), 1.0 - 1.0 / points

    points, losses, converged = minimise(evaluate, np.array([[0.01], [3.0]]), **FEW_STEPS)
    assert points == pytest.approx(np.ones((2, 1)), abs=1e-5) and converged.all()
    assert losses == pytest.approx([1.0, 1.0])


def test_a_start_at_a_minimum_stays():
    points, _, converged = minimise(ROSENBROCK, np.ones((1, 2)), tol=1e-4, max_iter=5)
    assert points.tolist() == [[1.0, 1.0]] and converged.all()
