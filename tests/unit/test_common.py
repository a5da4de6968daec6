"""The rule of the column fixed in advance: which learners have nothing to say."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from mimlpaper.baselines.binary_relevance import MlSvm
from mimlstudy.paper.common import DEGENERATE, before_hold_outs, is_degenerate
from mimlstudy.paper.settings import Row, held_out


class Answers(BaseEstimator):
    """Gives each example these scores times its first feature, and the labels by a threshold."""

    def __init__(self, slope, threshold):
        self.slope = slope
        self.threshold = threshold

    def fit(self, X, Y):
        return self

    def decision_function(self, X):
        return self.slope * X[:, :2]

    def predict(self, X):
        return self.decision_function(X) > self.threshold


@pytest.fixture
def examples(rng):
    X = rng.random((40, 3))
    return X, X[:, :2] > 0.5


def test_a_learner_is_degenerate_if_its_scores_or_its_labels_are_all_the_same(examples):
    assert not is_degenerate(Answers(slope=1.0, threshold=0.5), *examples)
    assert is_degenerate(Answers(slope=0.0, threshold=0.5), *examples)
    assert is_degenerate(Answers(slope=1.0, threshold=2.0), *examples)


def test_a_kernel_so_narrow_that_no_example_has_a_neighbour_is_degenerate(examples):
    """It is looked at on examples that it has not learned: it knows those by heart."""
    X, Y = examples
    narrow = MlSvm(gamma=1e9, label_rule="sign")
    wide = MlSvm(gamma=1.0, label_rule="sign")
    assert np.array_equal(narrow.fit(X, Y).predict(X), Y)
    assert is_degenerate(narrow, X, Y)
    assert not is_degenerate(wide, X, Y)


def test_the_estimator_itself_stays_unfitted(examples):
    machine = MlSvm()
    is_degenerate(machine, *examples)
    assert not hasattr(machine, "machines_")
    assert not hasattr(machine, "n_features_in_")


def test_defaults_are_looked_at_without_the_hold_outs_that_take_their_place():
    for_time = held_out("small, for time", C=[1.0, 2.0])
    for_meaning = held_out(DEGENERATE, gamma=[0.1, 1.0])
    row = Row(MlSvm(), in_advance=[for_meaning, for_time])
    assert before_hold_outs(row).settings == [for_time]
    assert row.fixed().estimator_for().grid == {
        "mlsvm__gamma": [0.1, 1.0],
        "mlsvm__C": [1.0, 2.0],
    }
