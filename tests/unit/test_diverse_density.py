"""Diverse Density and EM-DD: their losses, their descents, and the concepts that they find."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.optimize import minimize as scipy_minimize
from sklearn.exceptions import ConvergenceWarning

from mimlpaper.bags import Bags
from mimlpaper.baselines import diverse_density as module
from mimlpaper.baselines.diverse_density import (
    DiverseDensity,
    EmDd,
    minimise,
    nearest_instances,
)
from mimlpaper.sharing import Cache, sharing


def density_loss(theta, bags, y):
    """The compiled loss and gradient, for bags as users write them."""
    bags = Bags.from_list(bags)
    losses, gradients = module.neg_log_densities(
        np.array([theta], dtype=float),
        bags.instances,
        bags.offsets,
        np.asarray(y, bool),
    )
    return losses[0], gradients[0]


@pytest.fixture
def planted(rng):
    """Bags of four around the origin; half have an instance near (4, 4). Feature 2 is noise."""
    points = rng.standard_normal((30, 4, 3))
    y = np.arange(30) % 2 == 0
    noise = 0.1 * rng.standard_normal((y.sum(), 2))
    points[y, 1, :2] = 4.0 + noise
    return Bags.from_list(points), y


def test_agrees_with_the_printed_formula_in_blocks_of_bags(rng):
    """Small bags, and one larger than a block."""
    bags = [rng.random((size, 4)) for size in (3, 1, 200, 40, 40, 5)]
    y = [True, False, True, False, True, False]
    for _ in range(5):
        point = rng.random(4)
        scales = rng.uniform(0.5, 2, 4)
        missed = []
        for bag in bags:
            p = np.exp(-((bag - point) ** 2 @ scales**2))
            missed.append(np.prod(1 - p))
        missed = np.array(missed)
        likelihoods = np.where(y, 1 - missed, missed)
        loss, _ = density_loss(np.append(point, scales), bags, y)
        assert loss == pytest.approx(-np.log(likelihoods).sum())


# At the last scale every p is too small for a number.
@pytest.mark.parametrize("scale", [0.2, 5.0, 30.0])
@pytest.mark.parametrize("start", ["anywhere", "beside an instance"])
def test_gradient_against_finite_differences(bags, rng, scale, start):
    y = rng.random(30) < 0.5
    point = rng.random(3)
    if start == "beside an instance":
        in_positive_bag = bags[y].instances[0]
        point = in_positive_bag + 1e-3
    scales = scale * rng.uniform(0.5, 1.5, 3)

    def loss(theta):
        return density_loss(theta, bags, y)[0]

    theta = np.append(point, scales)
    slopes = approx_fprime(theta, loss, 1e-7)
    _, gradient = density_loss(theta, bags, y)
    assert gradient == pytest.approx(slopes, rel=1e-3, abs=1e-3)


def test_at_an_instance_a_positive_bag_has_no_more_to_gain():
    """There p = 1. A negative bag costs much, but not infinitely much."""
    theta = [0.0, 1.0]
    bags = [[[0.0], [5.0]]]
    loss, gradient = density_loss(theta, bags, [True])
    assert loss == pytest.approx(0.0)
    assert gradient == pytest.approx([0.0, 0.0])

    loss, gradient = density_loss(theta, bags, [False])
    assert loss > 20
    assert loss < np.inf
    assert np.isfinite(gradient).all()


def test_threshold_by_hand():
    """Scores 0, 1, 5, 6. If only the first is negative, the gap at .5 tells all apart.

    Of -, +, -, + the gaps at .5 and 5.5 leave one error, and are 1 wide: the first is taken.
    """

    def best_threshold(scores, y):
        return module._best_threshold(np.array(scores), np.array(y, bool))

    scores = [0.0, 1.0, 5.0, 6.0]
    assert best_threshold(scores, [0, 1, 1, 1]) == 0.5
    assert best_threshold(scores, [0, 1, 0, 1]) == 0.5
    assert best_threshold(scores, [0, 0, 1, 1]) == 3.0
    assert best_threshold([1.0, 1.0, 1.0], [0, 1, 1]) == 1.0


def test_the_nearest_instance_of_each_bag_by_hand():
    """Seen from 0, of instances 3, 1 | -2 | 5, 4, -4; of equals the first."""
    columns = np.array([[3.0, 1.0, -2.0, 5.0, 4.0, -4.0]])
    offsets = np.array([0, 2, 3, 6])
    from_0 = nearest_instances(np.array([0.0, 1.0]), columns, offsets)
    assert from_0.tolist() == [1, 2, 4]
    from_6 = nearest_instances(np.array([6.0, 1.0]), columns, offsets)
    assert from_6.tolist() == [0, 2, 3]


@pytest.mark.parametrize("kind", [DiverseDensity, EmDd])
def test_the_best_ascent_is_kept_and_none_ends_above_its_start(planted, kind):
    """EM-DD's loss is that of the instances of each bag with the largest p."""
    bags, y = planted

    def loss(point, scales):
        theta = np.append(point, scales)
        if kind is DiverseDensity:
            return density_loss(theta, bags, y)[0]
        columns = bags.instances.T.copy()
        rows = nearest_instances(theta, columns, bags.offsets)
        bags_of_nearest = bags.instances[rows][:, None]
        return density_loss(theta, bags_of_nearest, y)[0]

    learner = kind(n_start_bags=None, initial_scale=0.5).fit(bags, y)
    starts = np.unique(bags[y].instances, axis=0)
    assert len(starts) == 4 * y.sum()
    assert len(learner.losses_) == len(starts)
    assert learner.loss_ == learner.losses_.min()
    at_end = loss(learner.concept_, learner.scales_)
    assert at_end == pytest.approx(learner.loss_)
    at_starts = np.array([loss(x, [0.5] * 3) for x in starts])
    assert (learner.losses_ <= at_starts).all()


@pytest.mark.parametrize("kind", [DiverseDensity, EmDd])
def test_planted_concept_is_found(planted, kind):
    """Cut at p = 1/2 or at the best place."""
    bags, y = planted

    def fit(threshold):
        learner = kind(
            threshold=threshold,
            n_start_bags=3,
            initial_scale=0.5,
            random_state=0,
        )
        return learner.fit(bags, y)

    with sharing(Cache()) as cache:
        cut_at_half = fit(0.5)
        cut_at_best = fit("learned")
    # Thresholds share their descents.
    assert cache.n_misses == 1
    assert cache.n_hits == 1

    assert cut_at_half.concept_[:2] == pytest.approx([4.0, 4.0], abs=0.3)
    scales = cut_at_half.scales_
    assert scales[2] < 0.5 * scales[:2].min()
    scores = cut_at_half.instance_scores(bags)
    highest = scores.reshape(30, 4).argmax(axis=1)
    assert (highest[y] == 1).all()
    expected = np.exp(bags.max(scores)) > 0.5
    assert np.array_equal(cut_at_half.predict(bags), expected)
    assert np.array_equal(cut_at_best.predict(bags), y)


@pytest.mark.parametrize("kind", [DiverseDensity, EmDd])
def test_too_few_steps_warn(planted, kind):
    bags, y = planted
    learner = kind(
        max_iter=1,
        n_start_bags=3,
        initial_scale=0.5,
        random_state=0,
    )
    message = "the best of .* descents, to a loss of"
    with pytest.warns(ConvergenceWarning, match=message):
        learner.fit(bags, y)


def test_a_descent_by_hand():
    """From 1 on x²/2 the first step is the gradient, 1, and ends at the minimum."""

    def half_square(x):
        return x[:, 0] ** 2 / 2, x

    start = np.array([[1.0]])
    end = minimise(half_square, (), start, tol=1e-9, max_iter=2)
    assert end == ([[0.0]], [0.0], [True])


def test_descents_agree_with_scipy(rng):
    X = rng.standard_normal((60, 8))
    y = rng.choice([-1.0, 1.0], 60)

    def logistic(w):
        margins = y * (X @ w)
        loss = np.logaddexp(0.0, -margins).sum() + 0.1 * w @ w
        gradient = -X.T @ (y / (1.0 + np.exp(margins))) + 0.2 * w
        return loss, gradient

    def at_points(points):
        losses, gradients = zip(*map(logistic, points), strict=True)
        return np.array(losses), np.array(gradients)

    starts = rng.standard_normal((3, 8))
    _, losses, _ = minimise(
        at_points,
        (),
        starts,
        tol=1e-12,
        max_iter=200,
    )
    expected = scipy_minimize(
        logistic,
        np.zeros(8),
        jac=True,
        method="BFGS",
        tol=1e-10,
    )
    assert losses == pytest.approx(expected.fun, rel=1e-8)


def test_a_step_out_of_the_domain_is_shortened():
    """x - log x is infinite below 0; the first step from 0.01 would end there or far away."""

    def evaluate(x):
        with np.errstate(invalid="ignore", divide="ignore"):
            return x[:, 0] - np.log(x[:, 0]), 1.0 - 1.0 / x

    starts = np.array([[0.01], [3.0]])
    points, losses, converged = minimise(
        evaluate,
        (),
        starts,
        tol=1e-12,
        max_iter=200,
    )
    assert converged.all()
    assert losses == pytest.approx(1.0)
    assert points == pytest.approx(1.0, abs=1e-5)
