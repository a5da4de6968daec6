import pickle
import warnings

import cvxpy as cp
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC

from mimlpaper.bags import Bags
from mimlpaper.baselines.misvm import MiSvmBag, MiSvmInstance
from mimlpaper.kernels import kernel_matrix
from mimlpaper.sharing import Cache, sharing
from tests import reference


@pytest.fixture(params=[MiSvmInstance, MiSvmBag], ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


@pytest.fixture
def y(bags, rng):
    """A bag is positive if its largest first feature is large, with some noise."""
    return bags.max(bags.instances[:, 0]) + 0.2 * rng.standard_normal(len(bags)) > 0.7


@pytest.fixture
def witnesses(rng):
    """Forty bags of five points around the origin; half have one point moved to (4, 4)."""
    points = rng.standard_normal((40, 5, 2))
    y = np.arange(40) % 2 == 0
    where = rng.integers(0, 5, 40)
    points[y, where[y]] += 4.0
    return Bags.from_list(points), y, where


def test_alternations_by_hand():
    """Bags {0, 4} and {0, 1}, only the first positive, on a line, C = 10.

    mi-SVM begins with 0 and 4 against 0 and 1; the two at 0 cannot both be right, and f(0) < 0
    since the point 1 is negative too. So 0 turns negative, and 4 against 1 gives f(4) = 1 and
    f(1) = -1: w = 2/3, b = -5/3, at an objective of ½ (2/3)². MI-SVM begins with the mean, 2
    against 1: w = 2, b = -3; then 4 is the highest, and the second machine is the same.
    """
    bags, y = [[[0.0], [4.0]], [[0.0], [1.0]]], [1, 0]
    for kind in MiSvmInstance, MiSvmBag:
        fitted = kind(kernel="linear", C=10.0, tol=1e-10).fit(bags, y)
        assert fitted.converged_ and fitted.n_alternations_ == 2
        assert fitted.weights_[-1] == pytest.approx([2 / 3], abs=1e-6)
        assert fitted.intercepts_[-1] == pytest.approx(-5 / 3, abs=1e-6)
        assert fitted.objective_[-1] == pytest.approx(2 / 9)
        assert fitted.instance_scores([[[2.5]]]) == pytest.approx([0.0], abs=1e-6)
        assert fitted.decision_function(bags) == pytest.approx([1.0, -1.0], abs=1e-6)
    assert fitted.weights_[0] == pytest.approx([2.0], abs=1e-6)
    assert fitted.intercepts_[0] == pytest.approx(-3.0, abs=1e-6)


def test_bags_of_one_are_a_plain_svm(kind, rng):
    X = rng.standard_normal((60, 3))
    y = X[:, 0] + 0.5 * rng.standard_normal(60) > 0
    single = Bags(X, np.arange(61))
    fitted = kind(gamma=0.5, C=2.0, rank=None, tol=1e-9).fit(single, y)
    assert fitted.converged_
    svm = SVC(gamma=0.5, C=2.0, tol=1e-9).fit(X, y)
    first = next(fitted.staged_decision_function(single))
    assert first == pytest.approx(svm.decision_function(X), abs=1e-3)
    assert fitted.decision_function(single) == pytest.approx(first, abs=1e-6)


def test_agrees_with_plain_implementation(bags, y):
    fitted = MiSvmInstance(gamma=2.0, C=20.0, rank=None, tol=1e-10).fit(bags, y)
    rounds = list(reference.mi_svm(list(bags), y, 20.0, 2.0, fitted.n_alternations_))
    stages = fitted.staged_decision_function(bags)
    for stage, (_, scores) in zip(stages, rounds, strict=True):
        assert stage == pytest.approx(bags.max(scores), abs=2e-3)
    assert len(rounds) > 1
    assert fitted.instance_labels_.tolist() == rounds[-1][0]


def test_every_positive_bag_keeps_a_positive_instance(bags, y):
    for max_alternations in (1, 2, 3, 50):
        fitted = MiSvmInstance(C=0.1, max_alternations=max_alternations).fit(bags, y)
        assert np.array_equal(bags.max(fitted.instance_labels_), y)


@pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-9])
@pytest.mark.parametrize("C", [0.5, 5.0, 50.0])
def test_objective_never_rises(kind, bags, y, C, tol):
    fitted = kind(gamma=3.0, C=C, tol=tol).fit(bags, y)
    start = 1 if kind is MiSvmBag else 0  # MI-SVM's first machine is that of the means
    assert (np.diff(fitted.objective_[start:]) <= 0).all()
    assert (fitted.gaps_ <= tol).all()
    assert len(fitted.objective_) == fitted.n_alternations_


def test_objective_is_that_of_the_definition(bags, y):
    """½||w||² + C Σ_I max(0, 1 - Y_I max_i f), if the witnesses no longer change."""
    fitted = MiSvmBag(kernel="linear", C=3.0, tol=1e-10).fit(bags, y)
    assert fitted.converged_
    w, scores = fitted.weights_[-1], fitted.decision_function(bags)
    slacks = np.maximum(1 - np.where(y, 1, -1) * scores, 0)
    assert fitted.objective_[-1] == pytest.approx(w @ w / 2 + 3.0 * slacks.sum(), rel=1e-6)


def test_objective_is_the_least_for_its_labels(bags, y):
    fitted = MiSvmInstance(kernel="linear", C=3.0, tol=1e-9).fit(bags, y)
    labels, offsets = fitted.instance_labels_, np.arange(bags.n_instances + 1)
    expected = reference.hinge_minimum(bags.instances, labels, 3.0, offsets)
    assert fitted.objective_[-1] == pytest.approx(expected, rel=1e-6)


def test_planted_witness_is_found(kind, witnesses):
    bags, y, where = witnesses
    fitted = kind(kernel="linear", C=1.0).fit(bags, y)
    highest = fitted.instance_scores(bags).reshape(40, 5).argmax(axis=1)
    assert np.array_equal(highest[y], where[y])
    assert np.array_equal(fitted.predict(bags), y)


def test_staged_scores_are_those_of_shorter_runs(kind, bags, y):
    fitted = kind(gamma=3.0, C=50.0, random_state=0).fit(bags, y)
    stages = list(fitted.staged_decision_function(bags))
    assert len(stages) == fitted.n_alternations_ > 2
    assert np.array_equal(stages[-1], fitted.decision_function(bags))
    short = kind(gamma=3.0, C=50.0, random_state=0, max_alternations=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a cap that was asked for is no cause for warning
        short.fit(bags, y)
    assert not short.converged_ and short.n_alternations_ == 2
    assert np.array_equal(stages[1], short.decision_function(bags))


def test_a_longer_run_goes_on_from_a_shorter_one(bags, y):
    """It trains only the machines that the shorter run lacks."""
    alone = MiSvmInstance(gamma=3.0, C=50.0, random_state=0).fit(bags, y)
    assert alone.n_alternations_ > 2
    with sharing(Cache()) as cache:
        MiSvmInstance(gamma=3.0, C=50.0, random_state=0, max_alternations=2).fit(bags, y)
        assert (cache.n_hits, cache.n_misses) == (0, 1 + 2)  # the factor, and two machines
        longer = MiSvmInstance(gamma=3.0, C=50.0, random_state=0).fit(bags, y)
        assert (cache.n_hits, cache.n_misses) == (1 + 2, 1 + alone.n_alternations_)
    assert np.array_equal(longer.weights_, alone.weights_)
    assert np.array_equal(longer.instance_labels_, alone.instance_labels_)


def test_same_machines_with_and_without_sharing(kind, bags, y):
    expected = kind(gamma=2.0, rank=10, random_state=1).fit(bags, y)
    with sharing(Cache()):
        for _ in range(2):
            fitted = kind(gamma=2.0, rank=10, random_state=1).fit(bags, y)
            assert np.array_equal(fitted.weights_, expected.weights_)
            assert np.array_equal(fitted.decision_function(bags), expected.decision_function(bags))


def test_bag_score_is_its_highest_instance(kind, bags, y):
    fitted = kind(kernel="poly", gamma=0.5, degree=2).fit(bags, y)
    scores = fitted.decision_function(bags)
    assert np.array_equal(scores, bags.max(fitted.instance_scores(bags)))
    assert np.array_equal(fitted.predict(bags), scores > 0)
    assert fitted.predict(bags).dtype == bool


def test_full_rank_factor_is_exact(kind, bags, y):
    exact = kind(gamma=1.0, rank=None, tol=1e-9).fit(bags, y)
    factored = kind(gamma=1.0, tol=1e-9, rank=bags.n_instances, random_state=1).fit(bags, y)
    again = factored.decision_function(bags)
    assert again == pytest.approx(exact.decision_function(bags), abs=1e-3)


@pytest.mark.parametrize(
    "recode",
    [
        lambda y: y.astype(int),
        lambda y: np.where(y, 1, -1),
        lambda y: y[:, None],
        lambda y: y.tolist(),
    ],
)
def test_ways_to_write_the_labels(kind, bags, y, recode):
    estimator = kind(random_state=0)
    scores = estimator.fit(bags, recode(y)).decision_function(bags)
    assert np.array_equal(scores, estimator.fit(bags, y).decision_function(bags))


def test_clone_pickle_same_scores_and_input_left_alone(kind, bags, y):
    estimator = kind(gamma="scale", rank=10, random_state=3)
    before = bags.instances.copy()
    scores = clone(estimator).fit(list(bags), y).decision_function(bags)
    fitted = estimator.fit(bags, y)
    assert np.array_equal(fitted.decision_function(bags), scores)
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.decision_function(bags), scores)
    assert np.array_equal(bags.instances, before)
    assert set(vars(kind())) == set(kind().get_params())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0.0}, "C must be positive, got 0.0"),
        ({"tol": -1.0}, "tol must be positive, got -1.0"),
        ({"max_alternations": 0}, "max_alternations must be at least 1, got 0"),
        ({"gamma": -2.0}, "gamma must be positive"),
        ({"kernel": "cosine"}, "kernel must be one of"),
        ({"rank": 0}, 'rank must be None, "auto" or at least 1, got 0'),
    ],
)
def test_bad_parameters(kind, bags, y, parameters, message):
    with pytest.raises(ValueError, match=message):
        kind(**parameters).fit(bags, y)


def test_bad_use(kind, bags, y):
    with pytest.raises(NotFittedError):
        kind().predict(bags)
    with pytest.raises(ValueError, match="X has 2 features, but the estimator was fitted on 3"):
        kind().fit(bags, y).instance_scores([np.ones((2, 2))])


def test_first_machine_of_bags_knows_the_means_themselves(bags, y):
    """The mean of a positive bag is a point of the kernel's space, in no span of instances."""
    kernel, C = dict(kernel="rbf", gamma=3.0), 2.0
    fitted = MiSvmBag(**kernel, C=C, rank=None, max_alternations=1, tol=1e-8).fit(bags, y)
    positive = np.asarray(y)
    points = np.concatenate([bags.mean(bags.instances)[positive], bags[~positive].instances])
    sizes = np.concatenate([np.ones(positive.sum(), int), bags[~positive].sizes])
    owner = np.repeat(np.arange(len(sizes)), sizes)  # of one slack each
    K = kernel_matrix(points, gamma=3.0) + 1e-10 * np.eye(len(points))
    root = np.linalg.cholesky(K)  # f = K a + b, ||w||² = ||root' a||²
    a, b, slack = cp.Variable(len(points)), cp.Variable(), cp.Variable(owner.max() + 1)
    signs = np.where(np.arange(len(points)) < positive.sum(), 1.0, -1.0)
    problem = cp.Problem(
        cp.Minimize(0.5 * cp.sum_squares(root.T @ a) + C * cp.sum(slack)),
        [slack >= 0, slack[owner] >= 1 - cp.multiply(signs, K @ a + b)],
    )
    problem.solve(solver="CLARABEL")
    assert fitted.objective_[0] == pytest.approx(problem.value, rel=1e-5)
