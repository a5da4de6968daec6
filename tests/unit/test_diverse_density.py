"""Diverse Density and EM-DD: their losses, their ascents, and the concepts that they find."""

import numpy as np
import pytest
from scipy.optimize import minimize as scipy_minimize
from scipy.optimize import rosen, rosen_der
from sklearn.exceptions import ConvergenceWarning

from mimlpaper.bags import Bags
from mimlpaper.baselines.diverse_density import (
    DiverseDensity,
    EmDd,
    _best_threshold,
    _responsible,
    alternate,
    ascend,
    minimise,
    neg_log_densities,
)
from mimlpaper.sharing import Cache, sharing


def density_loss(theta, bags, y):
    """The compiled loss and gradient at one point, for bags as users write them."""
    bags = Bags.from_list(bags)
    points, every = np.array([theta], dtype=float), np.arange(bags.n_instances)[None]
    losses, gradients = neg_log_densities(
        points, bags.instances, every, bags.offsets, np.asarray(y, bool)
    )
    return losses[0], gradients[0]


def plain_loss(theta, bags, y):
    """The noisy-or as it is printed, bag by bag and instance by instance."""
    point, scales = np.split(np.asarray(theta, dtype=float), 2)
    density = 1.0
    for bag, positive in zip(bags, y, strict=True):
        missed = 1.0
        for x in bag:
            missed *= 1.0 - np.exp(-np.sum(scales**2 * (x - point) ** 2))
        density *= 1.0 - missed if positive else missed
    return -np.log(density)


def planted(rng, n_bags=30):
    """Bags of four around the origin; half have an instance near (4, 4). Feature 2 is noise."""
    points = rng.standard_normal((n_bags, 4, 3))
    y = np.arange(n_bags) % 2 == 0
    points[y, 1, :2] = 4.0 + 0.1 * rng.standard_normal((y.sum(), 2))
    return Bags.from_list(points), y


def test_two_instances_by_hand():
    """Around .5 with s = 1 both 0 and 1 have p = exp(-1/4) = .7788.

    So neither is the concept with (1 - p)² = .048929, and one or both with .951071.
    """
    bag = [[[0.0], [1.0]]]
    assert np.exp(-density_loss([0.5, 1.0], bag, [True])[0]) == pytest.approx(0.951071, abs=1e-6)
    assert np.exp(-density_loss([0.5, 1.0], bag, [False])[0]) == pytest.approx(0.048929, abs=1e-6)


def test_agrees_with_the_printed_formula(bags, rng):
    y = rng.random(30) < 0.5
    for _ in range(5):
        theta = np.append(rng.random(3), rng.uniform(-2, 2, 3))
        assert density_loss(theta, bags, y)[0] == pytest.approx(plain_loss(theta, bags, y))


@pytest.mark.parametrize("scale", [0.2, 5.0, 30.0])
def test_gradient_against_finite_differences(bags, rng, scale):
    """Up to the scales at which every p is too small for a number, and from an instance too."""
    y = rng.random(30) < 0.5
    some_instance = bags[int(np.flatnonzero(y)[0])][0] + 1e-3
    for point in rng.random(3), some_instance:
        theta = np.append(point, scale * rng.uniform(0.5, 1.5, 3))
        gradient = density_loss(theta, bags, y)[1]
        for k in range(6):
            step = np.zeros(6)
            step[k] = 1e-6
            rise = density_loss(theta + step, bags, y)[0] - density_loss(theta - step, bags, y)[0]
            assert gradient[k] == pytest.approx(rise / 2e-6, rel=1e-4, abs=1e-4)


def test_at_an_instance_of_a_positive_and_of_a_negative_bag():
    """p = 1 there: of the first bag nothing is left to gain, and the second costs much, not all."""
    loss, gradient = density_loss([0.0, 1.0], [[[0.0], [5.0]]], [True])
    assert loss == pytest.approx(0.0) and gradient == pytest.approx([0.0, 0.0])
    loss, gradient = density_loss([0.0, 1.0], [[[0.0], [5.0]]], [False])
    assert 20 < loss < np.inf and np.isfinite(gradient).all()


def test_many_points_and_blocks_of_bags(rng):
    """Small bags, and one larger than a block: each point has its own loss and gradient."""
    sizes = [3, 1, 200, 40, 40, 5]
    bags = Bags.from_list([rng.random((size, 4)) for size in sizes])
    y = np.array([True, False, True, False, True, False])
    points = np.hstack([rng.random((9, 4)), rng.uniform(0.5, 2, (9, 4))])
    every = np.arange(bags.n_instances)[None]
    losses, gradients = neg_log_densities(points, bags.instances, every, bags.offsets, y)
    for point, loss, gradient in zip(points, losses, gradients, strict=True):
        assert loss == pytest.approx(plain_loss(point, bags, y))
        alone = density_loss(point, bags, y)
        assert alone[0] == loss and np.array_equal(alone[1], gradient)


def test_points_with_their_own_instances(rng):
    """One instance of each bag counts, another one for each point."""
    bags = Bags.from_list(rng.random((6, 4, 2)))
    y = np.arange(6) % 2 == 0
    points = rng.random((3, 4))
    rows = 4 * np.arange(6) + rng.integers(4, size=(3, 6))
    losses, _ = neg_log_densities(points, bags.instances, rows, np.arange(7), y)
    for point, own, loss in zip(points, rows, losses, strict=True):
        assert loss == pytest.approx(plain_loss(point, bags.instances[own][:, None, :], y))


def test_the_best_ascent_is_kept_and_none_ends_above_its_start(rng):
    bags, y = planted(rng)
    fitted = DiverseDensity(n_start_bags=None, initial_scale=0.5).fit(bags, y)
    assert len(fitted.losses_) == 4 * y.sum()
    assert fitted.loss_ == fitted.losses_.min()
    theta = np.append(fitted.concept_, fitted.scales_)
    assert density_loss(theta, bags, y)[0] == pytest.approx(fitted.loss_)
    starts = np.unique(bags[y].instances, axis=0)
    begun = [density_loss(np.append(x, [0.5] * 3), bags, y)[0] for x in starts]
    assert (fitted.losses_ < begun).all()


def test_threshold_by_hand():
    """Scores 0, 1, 5, 6 of bags -, +, +, +: one gap tells all apart. Then of -, +, -, +: the
    gaps at .5 and 5.5 both leave one error, and both are 1 wide, so that the first is taken."""
    scores = np.array([0.0, 1.0, 5.0, 6.0])
    assert _best_threshold(scores, np.array([False, True, True, True])) == 0.5
    assert _best_threshold(scores, np.array([False, True, False, True])) == 0.5
    assert _best_threshold(scores, np.array([False, False, True, True])) == 3.0
    assert _best_threshold(np.ones(3), np.array([False, True, True])) == 1.0


def nearest(theta, instances, offsets):
    return _responsible(np.array([theta]), instances, np.array(offsets))[0]


def nldd(fitted, bags, y):
    """NLDD as it is defined: each bag by the largest p of its instances."""
    squares = (fitted.scales_ * (bags.instances - fitted.concept_)) ** 2
    best = bags.max(np.exp(-squares.sum(axis=1)))
    return -np.log(np.where(y, best, 1.0 - best)).sum()


def test_the_nearest_instance_of_each_bag_by_hand():
    """Seen from 0, instances 3, 1 | -2 | 5, 4, -4: the second, the third, of equals the first."""
    instances, offsets = np.array([[3.0], [1.0], [-2.0], [5.0], [4.0], [-4.0]]), [0, 2, 3, 6]
    assert nearest([0.0, 1.0], instances, offsets).tolist() == [1, 2, 4]
    assert nearest([6.0, 1.0], instances, offsets).tolist() == [0, 2, 3]


def test_bags_of_one_are_diverse_density(rng):
    """There is nothing to choose, and both climb the same density."""
    X = rng.standard_normal((40, 2))
    y = np.hypot(*X.T) < 1
    single = Bags(X, np.arange(41))
    options = dict(n_start_bags=5, initial_scale=0.5, tol=1e-9, max_iter=500, random_state=0)
    emdd = EmDd(**options).fit(single, y)
    density = DiverseDensity(**options).fit(single, y)
    assert emdd.loss_ == pytest.approx(density.loss_, rel=1e-6)
    assert emdd.concept_ == pytest.approx(density.concept_, abs=1e-3)


def test_loss_is_that_of_the_definition_and_below_every_start(rng):
    bags, y = planted(rng)
    fitted = EmDd(n_start_bags=None, initial_scale=0.5).fit(bags, y)
    assert fitted.loss_ == fitted.losses_.min() == pytest.approx(nldd(fitted, bags, y))
    starts = np.unique(bags[y].instances, axis=0)
    for start, loss in zip(starts, fitted.losses_, strict=True):
        theta = np.append(start, [0.5] * 3)
        chosen = bags.instances[nearest(theta, bags.instances, bags.offsets)]
        assert loss <= density_loss(theta, chosen[:, None, :], y)[0]


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


def test_a_parabola_by_hand():
    """From 1 on x²/2 the first step is the gradient, 1, and ends at the minimum."""
    points, losses, converged = minimise(
        each(lambda x: x @ x / 2, lambda x: x), np.array([[1.0]]), tol=1e-9, max_iter=2
    )
    assert points.tolist() == [[0.0]] and losses.tolist() == [0.0] and converged.all()


def test_agrees_with_scipy(rng):
    loss, gradient = logistic(rng)
    _, losses, _ = minimise(each(loss, gradient), rng.standard_normal((5, 8)), **FEW_STEPS)
    found = scipy_minimize(loss, np.zeros(8), jac=gradient, method="BFGS", tol=1e-10)
    assert losses == pytest.approx(np.full(5, found.fun), rel=1e-8)


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


@pytest.mark.parametrize("kind", [DiverseDensity, EmDd])
def test_planted_concept_is_found(rng, kind):
    """Cut at p = 1/2 or at the best place; one step is too few, and a warning says so."""
    bags, y = planted(rng)
    options = dict(n_start_bags=3, initial_scale=0.5, random_state=0)
    with sharing(Cache()) as cache:
        fitted, learned = (kind(threshold=cut, **options).fit(bags, y) for cut in (0.5, "learned"))
    assert (cache.n_misses, cache.n_hits) == (1, 1)  # thresholds share their ascents
    assert fitted.concept_[:2] == pytest.approx([4.0, 4.0], abs=0.3)
    assert fitted.scales_[2] < 0.5 * fitted.scales_[:2].min()
    highest = fitted.instance_scores(bags)
    assert (highest.reshape(30, 4).argmax(axis=1)[y] == 1).all()
    assert np.array_equal(fitted.predict(bags), np.exp(bags.max(highest)) > 0.5)
    assert np.array_equal(learned.predict(bags), y)
    with pytest.warns(ConvergenceWarning, match="the best of .* ascents, to a loss of"):
        kind(max_iter=1, **options).fit(bags, y)


@pytest.mark.parametrize("climb", [ascend, alternate])
def test_no_ascent_depends_on_the_others(rng, climb):
    """To the last digit: an ascent ends at the same point alone and among others."""
    bags, y = planted(rng)
    starts = np.hstack([bags[y].instances, np.full((4 * y.sum(), 3), 0.5)])
    together = climb(bags, y, starts, 1e-4, 300)
    for i in (0, 7, 30):
        alone = climb(bags, y, starts[[i]], 1e-4, 300)
        assert all(np.array_equal(a[i], b[0]) for a, b in zip(together, alone, strict=True))
