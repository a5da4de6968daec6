import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from mimlpaper.bags import Bags
from mimlpaper.baselines.diverse_density import DiverseDensity, EmDd, _responsible, alternate
from mimlpaper.sharing import Cache, sharing
from tests.unit.test_diverse_density import density_loss, planted


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


def test_planted_concept_is_found(rng):
    bags, y = planted(rng)
    fitted = EmDd(initial_scale=0.5, random_state=0).fit(bags, y)
    assert fitted.concept_[:2] == pytest.approx([4.0, 4.0], abs=0.3)
    highest = fitted.instance_scores(bags).reshape(30, 4).argmax(axis=1)
    assert (highest[y] == 1).all()
    assert np.array_equal(fitted.predict(bags), y)


def test_loss_is_that_of_the_definition_and_below_every_start(rng):
    bags, y = planted(rng)
    fitted = EmDd(n_start_bags=None, initial_scale=0.5).fit(bags, y)
    assert fitted.loss_ == fitted.losses_.min() == pytest.approx(nldd(fitted, bags, y))
    starts = np.unique(bags[y].instances, axis=0)
    for start, loss in zip(starts, fitted.losses_, strict=True):
        theta = np.append(start, [0.5] * 3)
        chosen = bags.instances[nearest(theta, bags.instances, bags.offsets)]
        assert loss <= density_loss(theta, chosen[:, None, :], y)[0]


def test_too_few_rounds_are_told(rng):
    bags, y = planted(rng)
    with pytest.warns(ConvergenceWarning, match="ascents, to a loss of"):
        EmDd(initial_scale=0.5, max_iter=1, random_state=0).fit(bags, y)


def test_default_threshold_is_one_half(rng):
    bags, y = planted(rng)
    fitted = EmDd(initial_scale=0.5, random_state=0).fit(bags, y)
    largest = np.exp(bags.max(fitted.instance_scores(bags)))
    assert np.array_equal(fitted.predict(bags), largest > 0.5)


def test_no_start_depends_on_the_others(rng):
    bags, y = planted(rng)
    starts = np.hstack([bags[y].instances, np.full((4 * y.sum(), 3), 0.5)])
    together = alternate(bags, y, starts, 1e-3, 100)
    for i in (0, 7, 30):
        alone = alternate(bags, y, starts[[i]], 1e-3, 100)
        assert all(np.array_equal(a[i], b[0]) for a, b in zip(together, alone, strict=True))


def test_thresholds_share_their_starts(rng):
    bags, y = planted(rng)
    options = dict(initial_scale=0.5, random_state=0)
    alone = EmDd(**options).fit(bags, y)
    with sharing(Cache()) as cache:
        fitted = [EmDd(threshold=cut, **options).fit(bags, y) for cut in (0.5, "learned")]
    assert (cache.n_misses, cache.n_hits) == (1, 1)
    assert all(np.array_equal(one.concept_, alone.concept_) for one in fitted)
