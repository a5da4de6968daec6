"""Diverse Density and EM-DD: their losses, their ascents, and the concepts that they find."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.optimize import minimize as scipy_minimize
from sklearn.exceptions import ConvergenceWarning

from mimlpaper.bags import Bags
from mimlpaper.baselines import diverse_density as module
from mimlpaper.baselines.diverse_density import DiverseDensity, EmDd, minimise, nearest_instances
from mimlpaper.sharing import Cache, sharing


def density_loss(theta, bags, y):
    """The compiled loss and gradient, for bags as users write them."""
    bags = Bags.from_list(bags)
    points, y = np.array([theta], dtype=float), np.asarray(y, bool)
    (loss,), (gradient,) = module.neg_log_densities(points, bags.instances, bags.offsets, y)
    return loss, gradient


def planted(rng, n_bags=30):
    """Bags of four around the origin; half have an instance near (4, 4). Feature 2 is noise."""
    points = rng.standard_normal((n_bags, 4, 3))
    y = np.arange(n_bags) % 2 == 0
    points[y, 1, :2] = 4.0 + 0.1 * rng.standard_normal((y.sum(), 2))
    return Bags.from_list(points), y


def test_agrees_with_the_printed_formula_in_blocks_of_bags(rng):
    """Small bags, and one larger than a block."""
    bags = [rng.random((size, 4)) for size in (3, 1, 200, 40, 40, 5)]
    y = [True, False, True, False, True, False]
    for _ in range(5):
        point, scales = rng.random(4), rng.uniform(0.5, 2, 4)
        p = [np.exp(-((bag - point) ** 2 @ scales**2)) for bag in bags]
        missed = np.array([np.prod(1 - of_bag) for of_bag in p])
        expected = -np.log(np.where(y, 1 - missed, missed)).sum()
        found, _ = density_loss(np.append(point, scales), bags, y)
        assert found == pytest.approx(expected)


def test_gradient_against_finite_differences(bags, rng):
    """Up to the scales at which every p is too small for a number, and from an instance too."""
    y = rng.random(30) < 0.5
    some_instance = bags[int(np.flatnonzero(y)[0])][0] + 1e-3
    for scale, point in product((0.2, 5.0, 30.0), (rng.random(3), some_instance)):
        theta = np.append(point, scale * rng.uniform(0.5, 1.5, 3))
        slopes = approx_fprime(theta, lambda at: density_loss(at, bags, y)[0], 1e-7)
        assert density_loss(theta, bags, y)[1] == pytest.approx(slopes, rel=1e-3, abs=1e-3)
    # At an instance p = 1: a positive bag has no more to gain, a negative one costs much, not all.
    loss, gradient = density_loss([0.0, 1.0], [[[0.0], [5.0]]], [True])
    assert loss == pytest.approx(0.0) and gradient == pytest.approx([0.0, 0.0])
    loss, gradient = density_loss([0.0, 1.0], [[[0.0], [5.0]]], [False])
    assert 20 < loss < np.inf and np.isfinite(gradient).all()


def test_threshold_by_hand():
    """Scores 0, 1, 5, 6. If only the first is negative, the gap at .5 tells all apart.

    Of -, +, -, + the gaps at .5 and 5.5 leave one error, and are 1 wide: the first is taken.
    """
    scores = np.array([0.0, 1.0, 5.0, 6.0])
    for y, threshold in ([0, 1, 1, 1], 0.5), ([0, 1, 0, 1], 0.5), ([0, 0, 1, 1], 3.0):
        assert module._best_threshold(scores, np.array(y, bool)) == threshold
    assert module._best_threshold(np.ones(3), np.array([False, True, True])) == 1.0


def test_the_nearest_instance_of_each_bag_by_hand():
    """Seen from 0, of instances 3, 1 | -2 | 5, 4, -4; of equals the first."""
    columns, offsets = np.array([[3.0, 1.0, -2.0, 5.0, 4.0, -4.0]]), np.array([0, 2, 3, 6])
    assert nearest_instances(np.array([0.0, 1.0]), columns, offsets).tolist() == [1, 2, 4]
    assert nearest_instances(np.array([6.0, 1.0]), columns, offsets).tolist() == [0, 2, 3]


@pytest.mark.parametrize("kind", [DiverseDensity, EmDd])
def test_the_best_ascent_is_kept_and_none_ends_above_its_start(rng, kind):
    """EM-DD's loss is that of the instances of each bag with the largest p."""
    bags, y = planted(rng)
    fitted = kind(n_start_bags=None, initial_scale=0.5).fit(bags, y)
    starts = np.unique(bags[y].instances, axis=0)

    def loss(theta):
        if kind is DiverseDensity:
            return density_loss(theta, bags, y)[0]
        rows = nearest_instances(theta, bags.instances.T.copy(), bags.offsets)
        return density_loss(theta, bags.instances[rows][:, None], y)[0]

    assert len(fitted.losses_) == len(starts) == 4 * y.sum()
    assert fitted.loss_ == fitted.losses_.min()
    assert loss(np.append(fitted.concept_, fitted.scales_)) == pytest.approx(fitted.loss_)
    begun = np.array([loss(np.append(x, [0.5] * 3)) for x in starts])
    assert (fitted.losses_ <= begun).all()


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


def test_descents_agree_with_scipy(rng):
    """From 1 on x²/2 the first step is the gradient, 1, and ends at the minimum."""
    found = minimise(lambda x: (x[:, 0] ** 2 / 2, x), (), np.array([[1.0]]), tol=1e-9, max_iter=2)
    assert found == ([[0.0]], [0.0], [True])
    X, y = rng.standard_normal((60, 8)), rng.choice([-1.0, 1.0], 60)

    def loss(w):
        value = np.logaddexp(0.0, -y * (X @ w)).sum() + 0.1 * w @ w
        return value, -X.T @ (y / (1.0 + np.exp(y * (X @ w)))) + 0.2 * w

    def losses(points):
        return tuple(map(np.array, zip(*map(loss, points), strict=True)))

    _, least, _ = minimise(losses, (), rng.standard_normal((3, 8)), tol=1e-12, max_iter=200)
    found = scipy_minimize(loss, np.zeros(8), jac=True, method="BFGS", tol=1e-10)
    assert least == pytest.approx(found.fun, rel=1e-8)


def test_a_step_out_of_the_domain_is_shortened():
    """x - log x is infinite below 0; the first step from 0.01 would end there or far away."""

    def evaluate(x):
        with np.errstate(invalid="ignore", divide="ignore"):
            return x[:, 0] - np.log(x[:, 0]), 1.0 - 1.0 / x

    starts = np.array([[0.01], [3.0]])
    points, losses, converged = minimise(evaluate, (), starts, tol=1e-12, max_iter=200)
    assert converged.all() and losses == pytest.approx(1.0)
    assert points == pytest.approx(1.0, abs=1e-5)
