"""What every estimator of one binary label a bag promises, whatever its algorithm."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.pipeline import make_pipeline

from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.algorithms.one_label import OneLabel
from mimlpaper.algorithms.subcod import SubCod
from mimlpaper.baselines.chfd import ChFd
from mimlpaper.baselines.diverse_density import DiverseDensity
from mimlpaper.baselines.emdd import EmDd
from mimlpaper.baselines.misvm import MiSvmBag, MiSvmInstance
from mimlpaper.experiments.holdouts import SubCodHoldOut

SUBCOD = SubCod(n_concepts=6, kept_share=0.7, random_state=0)
INSTANCE_SCORERS = [
    ChFd(rank=None, random_state=0),
    DiverseDensity(initial_scale=1.0, random_state=0),
    EmDd(initial_scale=1.0, threshold="learned", random_state=0),
    MiSvmBag(gamma=3.0, C=10.0, random_state=0),
    MiSvmInstance(gamma=3.0, C=10.0, random_state=0),
]
BAG_SCORERS = [
    SUBCOD,
    OneLabel(MimlNn(random_state=0)),
    SubCodHoldOut(SUBCOD, n_concepts=(3, 6), kept_shares=(0.3, 0.8), random_state=0),
]


@pytest.fixture(
    params=[*INSTANCE_SCORERS, *BAG_SCORERS], ids=lambda estimator: type(estimator).__name__
)
def estimator(request):
    return clone(request.param)


@pytest.fixture
def y(bags, rng):
    """A bag is positive if its largest first feature is large, with some noise."""
    return bags.max(bags.instances[:, 0]) + 0.2 * rng.standard_normal(len(bags)) > 0.7


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def test_scores_are_real_and_labels_follow_from_them(estimator, bags, y):
    assert estimator.fit(bags, y) is estimator
    scores = estimator.decision_function(bags)
    assert scores.shape == (30,) and np.isfinite(scores).all()
    predicted = estimator.predict(bags)
    assert predicted.dtype == bool
    assert np.array_equal(predicted, scores > 0)


def test_learns_something(estimator, bags, y):
    accuracy = np.mean(estimator.fit(bags, y).predict(bags) == y)
    assert accuracy > max(y.mean(), 1 - y.mean())


def test_same_seed_same_scores(estimator, bags, y):
    first = clone(estimator).fit(bags, y).decision_function(bags)
    assert np.array_equal(first, clone(estimator).fit(bags, y).decision_function(bags))


def test_survives_pickling(estimator, bags, y):
    fitted = estimator.fit(bags, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.allclose(again.decision_function(bags), fitted.decision_function(bags), atol=1e-12)


def test_parameters_are_assigned_and_nothing_else(estimator):
    fresh = clone(estimator)
    assert set(vars(fresh)) == set(fresh.get_params(deep=False))


def test_input_is_left_alone(estimator, bags, y):
    before, labels_before = bags.instances.copy(), y.copy()
    estimator.fit(bags, y).predict(bags)
    assert np.array_equal(bags.instances, before)
    assert np.array_equal(y, labels_before)


@pytest.mark.parametrize(
    "recode",
    [lambda y: y.astype(int), lambda y: np.where(y, 1, -1), lambda y: y[:, None],
     lambda y: y.tolist()],
)  # fmt: skip
def test_ways_to_write_bags_and_labels(estimator, bags, y, recode):
    expected = clone(estimator).fit(bags, y).decision_function(bags)
    again = estimator.fit(list(bags), recode(y)).decision_function(list(bags))
    assert np.allclose(again, expected, atol=1e-10)


def test_one_bag_at_a_time_gives_the_same(estimator, bags, y):
    fitted = estimator.fit(bags, y)
    together = fitted.decision_function(bags)
    for i in (0, 11, 29):
        assert np.allclose(fitted.decision_function(bags[i : i + 1]), together[i], atol=1e-8)


def test_ends_a_pipeline(estimator, bags, y):
    pipeline = make_pipeline("passthrough", estimator).fit(bags, y)
    assert pipeline.predict(bags).shape == (30,)


def test_bag_score_is_its_highest_instance(bags, y):
    for unfitted in INSTANCE_SCORERS:
        fitted = clone(unfitted).fit(bags, y)
        scores = bags.max(fitted.instance_scores(bags))
        offset = fitted.decision_function(bags) - scores
        assert np.allclose(offset, offset[0])  # a threshold, if anything


def test_not_fitted(estimator, bags):
    with pytest.raises(NotFittedError):
        estimator.decision_function(bags)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.ones(29), r"y must have shape \(30,\), one label a bag, got \(29,\)"),
        (np.ones((30, 2)), r"got \(30, 2\)"),
        (np.arange(30), "y must hold booleans, 0 and 1, or -1 and 1, got"),
        (np.ones(30), "y must hold both classes, got only True in 30 bags"),
    ],
)
def test_bad_labels(estimator, bags, labels, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(bags, labels)


def test_bad_bags(estimator, bags, y):
    with pytest.raises(ValueError, match="NaN"):
        estimator.fit([bag * np.nan for bag in bags], y)
    fitted = estimator.fit(bags, y)
    with pytest.raises(ValueError, match="X has 6 features"):
        fitted.predict([np.hstack([bag, bag]) for bag in bags])
