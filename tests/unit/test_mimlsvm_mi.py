import os
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import MinMaxScaler

from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.bags import Bags
from mimlpaper.base import ConstantLabelWarning, label_sets
from mimlpaper.baselines.misvm import MiSvmInstance
from mimlpaper.baselines.mlsvm import MlSvm
from mimlpaper.metrics import evaluate
from mimlpaper.preprocessing import OnInstances
from mimlpaper.sharing import Cache, sharing


@pytest.fixture
def Y(bags, rng):
    """Three labels: a large instance in feature 0, 1, and both."""
    high = bags.max(bags.instances[:, :2]) + 0.1 * rng.standard_normal((30, 2)) > 0.7
    return np.column_stack([high, high.all(axis=1)])


def test_two_bags_by_hand():
    """Bags {0, 4} and {0, 1} of a line, of which the first has the label.

    At first 0 and 4 are positive, then 4 alone; against 1 it leaves f(x) = (2x - 5) / 3.
    """
    bags, Y = [[[0.0], [4.0]], [[0.0], [1.0]]], [[1], [0]]
    fitted = MimlSvmMi(kernel="linear", C=10.0, tol=1e-9, label_rule="sign").fit(bags, Y)
    assert fitted.instance_scores([[[4.0], [1.0]]]) == pytest.approx(np.array([[1], [-1]]))
    assert fitted.decision_function(bags) == pytest.approx(np.array([[1], [-1]]))
    assert fitted.predict(bags).tolist() == [[True], [False]]


def test_each_label_is_its_own_mi_svm(bags, Y):
    exact = dict(gamma=2.0, rank=None, C=10.0, max_alternations=15, tol=1e-9)
    fitted = MimlSvmMi(**exact).fit(bags, Y)
    for label, y in enumerate(Y.T):
        alone = MiSvmInstance(**exact).fit(bags, y)
        assert alone.n_alternations_ == fitted.svms_[label].n_alternations_
        expected = alone.decision_function(bags)
        assert fitted.decision_function(bags)[:, label] == pytest.approx(expected, abs=1e-3)


def test_bags_of_one_are_multi_label_learning(rng):
    X = rng.standard_normal((50, 4))
    Y = X[:, :3] + 0.5 * rng.standard_normal((50, 3)) > 0.2
    single = Bags(X, np.arange(51))
    fitted = MimlSvmMi(gamma=0.3, C=2.0, rank=None, tol=1e-9).fit(single, Y)
    multi_label = MlSvm(gamma=0.3, C=2.0).fit(X, Y)
    expected = multi_label.decision_function(X)
    assert fitted.decision_function(single) == pytest.approx(expected, abs=5e-3)


def test_planted_instances_bring_their_labels(rng):
    """Bags of four near the origin; label l moves one instance by 8 along axis l."""
    points = rng.standard_normal((60, 4, 2))
    Y = rng.random((60, 2)) < 0.5
    for label in range(2):
        points[Y[:, label], label, label] += 8.0
    bags = Bags.from_list(points)
    fitted = MimlSvmMi(kernel="linear", C=1.0, label_rule="sign").fit(bags, Y)
    assert np.array_equal(fitted.predict(bags), Y)
    scores = fitted.instance_scores(bags).reshape(60, 4, 2)
    for label in range(2):
        assert (scores[Y[:, label], :, label].argmax(axis=1) == label).all()


def test_staged_scores_are_those_of_shorter_runs(bags, Y):
    fitted = MimlSvmMi(gamma=1.0, C=3.0, random_state=0).fit(bags, Y)
    stages = list(fitted.staged_decision_function(bags))
    counts = [svm.n_alternations_ for svm in fitted.svms_]
    assert len(stages) == max(counts) > min(counts)
    assert np.array_equal(stages[-1], fitted.decision_function(bags))
    for t in (1, 2, min(counts)):
        short = MimlSvmMi(gamma=1.0, C=3.0, random_state=0, max_alternations=t).fit(bags, Y)
        assert np.array_equal(stages[t - 1], short.decision_function(bags))


def test_scores_are_the_highest_instances_and_labels_follow(bags, Y):
    for rule in "top", "sign":
        fitted = MimlSvmMi(label_rule=rule).fit(bags, Y)
        scores = fitted.decision_function(bags)
        assert np.array_equal(scores, bags.max(fitted.instance_scores(bags)))
        assert np.array_equal(fitted.predict(bags), label_sets(scores, rule))
    assert (fitted.n_labels_, fitted.n_features_in_) == (3, 3)


@pytest.mark.parametrize("constant", [False, True])
def test_label_with_one_class_only(bags, Y, constant):
    Y[:, 1] = constant
    with pytest.warns(ConstantLabelWarning, match=r"label\(s\) \[1\]"):
        fitted = MimlSvmMi(random_state=0).fit(bags, Y)
    expected = 1.0 if constant else -1.0
    assert (fitted.decision_function(bags)[:, 1] == expected).all()
    assert (fitted.instance_scores(bags)[:, 1] == expected).all()
    assert all((stage[:, 1] == expected).all() for stage in fitted.staged_decision_function(bags))
    Y[:] = constant
    with pytest.warns(ConstantLabelWarning, match=r"label\(s\) \[0, 1, 2\]"):
        scores = list(MimlSvmMi().fit(bags, Y).staged_decision_function(bags))
    assert np.array_equal(scores, np.full((1, 30, 3), expected))


def test_labels_share_one_factor_of_stated_rank(bags, Y):
    fitted = MimlSvmMi(rank=12).fit(bags, Y)
    assert fitted.factor_.landmarks_.shape == (12, 3)
    assert all(svm.weights_.shape[1] == 12 for svm in fitted.svms_)
    assert fitted.factor_.error_ > 0


def test_fits_on_the_same_bags_share_factor_and_machines(bags, Y):
    """Another rule or order of the labels trains nothing; another C trains its own machines."""
    estimator = MimlSvmMi(gamma=1.0, C=3.0, random_state=0)
    expected = clone(estimator).fit(bags, Y).decision_function(bags)
    with sharing(Cache()) as cache:
        first = clone(estimator).fit(bags, Y)
        assert np.array_equal(first.decision_function(bags), expected)
        n_machines = sum(svm.n_alternations_ for svm in first.svms_)
        assert cache.n_misses == 1 + n_machines
        signs = clone(estimator).set_params(label_rule="sign").fit(bags, Y[:, [2, 0, 1]])
        assert np.array_equal(signs.decision_function(bags), expected[:, [2, 0, 1]])
        assert cache.n_misses == 1 + n_machines
        other = clone(estimator).set_params(C=4.0).fit(bags, Y)
        assert cache.n_misses == 1 + n_machines + sum(svm.n_alternations_ for svm in other.svms_)


def test_clone_pickle_same_scores_and_input_left_alone(bags, Y):
    estimator = MimlSvmMi(gamma="scale", rank=None, random_state=3)
    before = bags.instances.copy(), Y.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a cap that was asked for is no cause for warning
        fitted = clone(estimator).fit(bags, Y)
    scores = fitted.decision_function(bags)
    again = estimator.fit(list(bags), Y.astype(int).tolist()).decision_function(list(bags))
    assert np.array_equal(again, scores)
    assert np.array_equal(pickle.loads(pickle.dumps(fitted)).decision_function(bags), scores)
    assert np.array_equal(bags.instances, before[0]) and np.array_equal(Y, before[1])
    assert set(vars(MimlSvmMi())) == set(MimlSvmMi().get_params())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": -1.0}, "C must be positive, got -1.0"),
        ({"max_alternations": 0}, "max_alternations must be at least 1, got 0"),
        ({"gamma": 0.0}, "gamma must be positive"),
        ({"label_rule": "all"}, "label_rule must be one of"),
        ({"rank": -3}, r"rank must be None, .auto. or at least 1, got -3"),
    ],
)
def test_bad_parameters(bags, Y, parameters, message):
    with pytest.raises(ValueError, match=message):
        MimlSvmMi(**parameters).fit(bags, Y)


def test_bad_use(bags, Y):
    with pytest.raises(NotFittedError):
        MimlSvmMi().predict(bags)
    with pytest.raises(ValueError, match="X has 30, Y has 29"):
        MimlSvmMi().fit(bags, Y[1:])
    with pytest.raises(ValueError, match="X has 2 features, but the estimator was fitted on 3"):
        MimlSvmMi().fit(bags, Y).decision_function([np.ones((2, 2))])


@pytest.mark.skipif(not os.environ.get("MIMLPAPER_DATA"), reason="MIMLPAPER_DATA is not set")
def test_recall_falls_with_alternations_on_scenes():
    from mimlpaper.datasets import load_scene

    data = load_scene()
    order = np.random.default_rng(0).permutation(2000)
    train, test = order[:400], order[400:1000]
    scaler = OnInstances(MinMaxScaler()).fit(data.X[train])
    fitted = MimlSvmMi(rank=100, max_alternations=4, random_state=0)
    fitted.fit(scaler.transform(data.X[train]), data.Y[train])
    stages = fitted.staged_decision_function(scaler.transform(data.X[test]))
    rows = [evaluate(data.Y[test], stage, label_sets(stage, "top")) for stage in stages]
    assert rows[0]["average_precision"] > 0.7
    assert rows[-1]["average_recall"] < rows[0]["average_recall"] - 0.03
