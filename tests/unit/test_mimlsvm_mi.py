import numpy as np
import pytest

from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.bags import Bags
from mimlpaper.baselines.binary_relevance import MlSvm
from mimlpaper.baselines.misvm import MiSvmInstance


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


def test_staged_scores_are_those_of_shorter_runs(bags, Y):
    fitted = MimlSvmMi(gamma=1.0, C=3.0, random_state=0).fit(bags, Y)
    stages = list(fitted.staged_decision_function(bags))
    counts = [svm.n_alternations_ for svm in fitted.svms_]
    assert len(stages) == max(counts) > min(counts)
    assert np.array_equal(stages[-1], fitted.decision_function(bags))
    for t in (1, 2, min(counts)):
        short = MimlSvmMi(gamma=1.0, C=3.0, random_state=0, max_alternations=t).fit(bags, Y)
        assert np.array_equal(stages[t - 1], short.decision_function(bags))
