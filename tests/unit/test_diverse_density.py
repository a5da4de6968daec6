import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from mimlpaper.bags import Bags
from mimlpaper.baselines.diverse_density import (
    DiverseDensity,
    _best_threshold,
    ascend,
    concept_distances,
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


def test_single_instances_by_hand():
    """A positive bag of one at distance 2 with s = 3: -log p = 9 · 4, and slopes -36 and 24."""
    loss, gradient = density_loss([0.0, 3.0], [[[2.0]]], [True])
    assert loss == pytest.approx(36.0)
    assert gradient == pytest.approx([-36.0, 24.0])


def test_agrees_with_the_printed_formula(bags, rng):
    y = rng.random(30) < 0.5
    for _ in range(5):
        theta = np.append(rng.random(3), rng.uniform(-2, 2, 3))
        assert density_loss(theta, bags, y)[0] == pytest.approx(plain_loss(theta, bags, y))


@pytest.mark.parametrize("scale", [0.2, 1.0, 5.0, 30.0])
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


def test_sign_of_the_scales_is_free(bags, rng):
    y = rng.random(30) < 0.5
    theta = rng.random(6)
    flipped = theta * np.repeat([1.0, -1.0], 3)
    assert density_loss(theta, bags, y)[0] == density_loss(flipped, bags, y)[0]


@pytest.mark.parametrize("n", [1, 2, 7, 200])
def test_distances(rng, n):
    X, w, u = rng.random((n, 3)), rng.random(3), rng.random(3)
    expected = ((w * X - u) ** 2).sum(axis=1)
    assert concept_distances(w, u, np.ascontiguousarray(X.T)) == pytest.approx(expected)


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


def test_no_ascent_depends_on_the_others(rng):
    """To the last digit: an ascent ends at the same point alone and among others."""
    bags, y = planted(rng)
    starts = np.hstack([bags[y].instances, np.full((4 * y.sum(), 3), 0.5)])
    together = ascend(bags, y, starts, 1e-4, 300)
    for i in (0, 7, 30):
        alone = ascend(bags, y, starts[[i]], 1e-4, 300)
        assert all(np.array_equal(a[i], b[0]) for a, b in zip(together, alone, strict=True))


def test_shared_ascents_are_the_same(rng):
    """Two thresholds need the same ascents, and the cache changes no digit of them."""
    bags, y = planted(rng)
    options = dict(n_start_bags=1, initial_scale=0.5, random_state=0)
    alone = DiverseDensity(**options).fit(bags, y)
    with sharing(Cache()) as cache:
        first = DiverseDensity(**options).fit(bags, y)
        second = DiverseDensity(threshold=0.5, **options).fit(bags, y)
    assert (cache.n_misses, cache.n_hits) == (1, 1)
    for fitted in (first, second):
        assert np.array_equal(fitted.concept_, alone.concept_)
        assert np.array_equal(fitted.losses_, alone.losses_)
    assert np.array_equal(first.decision_function(bags), alone.decision_function(bags))


def test_far_from_zero(rng):
    """Features that are large compared with their spread: the same concept up to rounding."""
    bags, y = planted(rng)
    moved = bags.with_instances(bags.instances + 1e5)
    options = dict(n_start_bags=2, initial_scale=0.5, tol=1e-9, max_iter=1000, random_state=0)
    near, far = (DiverseDensity(**options).fit(X, y) for X in (bags, moved))
    assert far.loss_ == pytest.approx(near.loss_, rel=1e-4)
    assert far.concept_[:2] - 1e5 == pytest.approx(near.concept_[:2], abs=0.01)


def test_planted_concept_is_found(rng):
    bags, y = planted(rng)
    fitted = DiverseDensity(n_start_bags=3, initial_scale=0.5, random_state=0).fit(bags, y)
    assert fitted.concept_[:2] == pytest.approx([4.0, 4.0], abs=0.3)
    assert fitted.scales_[2] < 0.5 * fitted.scales_[:2].min()
    highest = fitted.instance_scores(bags).reshape(30, 4).argmax(axis=1)
    assert (highest[y] == 1).all()
    assert np.array_equal(fitted.predict(bags), y)


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


def test_threshold_is_only_where_scores_are_cut(rng):
    bags, y = planted(rng)
    options = dict(n_start_bags=1, initial_scale=0.5, random_state=0)
    learned = DiverseDensity(**options).fit(bags, y)
    fixed = DiverseDensity(threshold=0.5, **options).fit(bags, y)
    assert fixed.log_threshold_ == pytest.approx(np.log(0.5))
    assert np.array_equal(fixed.instance_scores(bags), learned.instance_scores(bags))
    expected = bags.max(fixed.instance_scores(bags)) - np.log(0.5)
    assert fixed.decision_function(bags) == pytest.approx(expected)


def test_too_few_steps_are_told(rng):
    bags, y = planted(rng)
    with pytest.warns(ConvergenceWarning, match="the best of 4 ascents, to a loss of"):
        DiverseDensity(n_start_bags=1, initial_scale=0.5, max_iter=1, random_state=0).fit(bags, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"initial_scale": 0.0}, "initial_scale must be positive, got 0.0"),
        ({"tol": -1.0}, "tol must be positive, got -1.0"),
        ({"n_start_bags": 0}, "n_start_bags must be at least 1, got 0"),
        ({"max_iter": 0}, "max_iter must be at least 1, got 0"),
        ({"threshold": 1.0}, 'threshold must be "learned" or lie between 0 and 1, got 1.0'),
    ],
)
def test_bad_parameters(rng, parameters, message):
    bags, y = planted(rng)
    with pytest.raises(ValueError, match=message):
        DiverseDensity(**parameters).fit(bags, y)
