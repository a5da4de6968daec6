import numpy as np
import pytest

from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.distances import average_hausdorff


def test_two_bags_by_hand():
    """{0, 4} and {1}: 0 and 4 are 1 and 3 from 1, which is 1 from 0; (1 + 3 + 1) / 3."""
    assert average_hausdorff([[[0.0], [4.0]]], [[[1.0]]]) == pytest.approx(5 / 3)


def test_agrees_with_the_slow_form(bags):
    found = average_hausdorff(bags[:10], bags[10:])
    for i, a in enumerate(bags[:10]):
        for j, b in enumerate(bags[10:]):
            apart = np.linalg.norm(a[:, None] - b, axis=2)
            nearest = np.concatenate([apart.min(axis=0), apart.min(axis=1)])
            assert found[i, j] == pytest.approx(nearest.mean(), abs=1e-7)


def test_it_is_symmetric_and_zero_for_equal_bags(bags):
    distances = average_hausdorff(bags)
    assert distances == pytest.approx(distances.T)
    assert distances.diagonal() == pytest.approx(np.zeros(30), abs=1e-7)


def test_a_learner_takes_it_as_metric(bags, labels):
    scores = MimlNn(metric=average_hausdorff, random_state=0).fit(bags, labels)
    assert np.isfinite(scores.decision_function(bags)).all()


def test_bad_input(bags):
    with pytest.raises(ValueError, match="the same number of features, got 3 and 2"):
        average_hausdorff(bags, [np.ones((2, 2))])
