"""The contract of every estimator of one binary label for each bag."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, cross_val_score

from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.algorithms.subcod import OneLabel, SubCod
from mimlpaper.baselines.diverse_density import DiverseDensity, EmDd
from mimlpaper.baselines.misvm import ChFd, MiSvmBag, MiSvmInstance
from mimlpaper.checks import parametrize_with_checks
from mimlpaper.study.holdouts import SubCodHoldOut

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


@parametrize_with_checks([*INSTANCE_SCORERS, *BAG_SCORERS], kind="one label")
def test_learners_of_one_label(estimator, check):
    check(estimator)


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


def test_ways_to_write_bags_and_labels(estimator, bags, y):
    expected = clone(estimator).fit(bags, y).decision_function(bags)
    for labels in (np.where(y, 1, -1), y[:, None], y.tolist()):
        again = estimator.fit(list(bags), labels).decision_function(list(bags))
        assert np.allclose(again, expected, atol=1e-10)


def test_one_bag_at_a_time_gives_the_same(estimator, bags, y):
    fitted = estimator.fit(bags, y)
    together = fitted.decision_function(bags)
    for i in (0, 11, 29):
        assert np.allclose(fitted.decision_function(bags[i : i + 1]), together[i], atol=1e-8)


def test_bag_score_is_its_highest_instance(bags, y):
    for unfitted in INSTANCE_SCORERS:
        fitted = clone(unfitted).fit(bags, y)
        scores = bags.max(fitted.instance_scores(bags))
        offset = fitted.decision_function(bags) - scores
        assert np.allclose(offset, offset[0])  # a threshold, if anything


def test_bad_labels(estimator, bags):
    for labels, message in (
        (np.ones(29), r"y must have shape \(30,\), one label a bag, got \(29,\)"),
        (np.ones((30, 2)), r"got \(30, 2\)"),
        (np.arange(30), "y must hold two classes, got 30 in 30 bags"),
        (np.ones(30), r"y must hold two classes, got 1 in 30 bags: \[1.0\]"),
        (np.append(np.ones(29), np.nan), "y must not hold NaN, got one for bag 29"),
    ):
        with pytest.raises(ValueError, match=message):
            estimator.fit(bags, labels)


def test_predictions_are_of_the_labels_own_kind(estimator, bags, y):
    for classes in ([False, True], [-1, 1], [0.0, 1.0], ["Musk", "Rock"]):
        labels = np.asarray(classes)[y.astype(int)]
        fitted = estimator.fit(bags, labels)
        predicted, scores = fitted.predict(bags), fitted.decision_function(bags)
        assert fitted.classes_.tolist() == classes and predicted.dtype == labels.dtype
        assert np.array_equal(predicted == classes[1], scores > 0)
        assert fitted.score(bags, labels) == np.mean(predicted == labels)


def test_scikit_learn_sees_a_classifier(estimator, bags, y):
    """Sorted by class, as Musk1 is, so that folds that are not stratified miss a class."""
    order = np.argsort(y)
    bags, labels = bags[order], np.where(y[order], 1, -1)
    assert is_classifier(estimator)
    by_default = cross_val_score(estimator, bags, labels, cv=3)
    stratified = cross_val_score(estimator, bags, labels, cv=StratifiedKFold(3), scoring="accuracy")
    assert np.array_equal(by_default, stratified)
