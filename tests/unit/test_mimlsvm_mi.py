"""MimlSvmMi: mi-SVM for each label."""

import numpy as np
import pytest

from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.baselines.misvm import MiSvmInstance


@pytest.fixture
def Y(bags, rng):
    """Three labels: a large instance in feature 0, 1, and both."""
    high = bags.max(bags.instances[:, :2]) + 0.1 * rng.standard_normal((30, 2)) > 0.7
    return np.column_stack([high, high.all(axis=1)])


def test_each_label_is_its_own_mi_svm(bags, Y):
    exact = dict(gamma=2.0, rank=None, C=10.0, max_alternations=15, tol=1e-9)
    fitted = MimlSvmMi(**exact).fit(bags, Y)
    for label, y in enumerate(Y.T):
        alone = MiSvmInstance(**exact).fit(bags, y)
        assert alone.n_alternations_ == fitted.svms_[label].n_alternations_
        expected = alone.decision_function(bags)
        assert fitted.decision_function(bags)[:, label] == pytest.approx(expected, abs=1e-3)


def test_staged_scores_are_those_of_shorter_runs(bags, Y):
    fitted = MimlSvmMi(gamma=1.0, C=3.0, random_state=0).fit(bags, Y)
    stages = list(fitted.staged_decision_function(bags))
    counts = [svm.n_alternations_ for svm in fitted.svms_]
    assert len(stages) == max(counts) > min(counts)
    assert np.array_equal(stages[-1], fitted.decision_function(bags))
    for t in (1, 2, min(counts)):
        short = MimlSvmMi(gamma=1.0, C=3.0, random_state=0, max_alternations=t).fit(bags, Y)
        assert np.array_equal(stages[t - 1], short.decision_function(bags))
