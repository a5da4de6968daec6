"""NoisyOr: a bag by hand, the gradient by differences, and logistic regression as its limit."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from mimlpaper.algorithms.noisy_or import NoisyOr, objective
from mimlpaper.bags import Bags
from mimlpaper.explanations import explain


def test_a_bag_by_hand():
    """p = 3/4 and 1/2: P = 1 - 1/4 * 1/2 = 7/8. The other bag, p = 3/4, lacks the label."""
    bags = Bags.from_list([[[np.log(3)], [0.0]], [[np.log(3)]]])
    loss, gradient = objective(np.array([1.0, 0.0]), bags, np.array([True, False]), 2.0)
    assert loss == pytest.approx(-np.log(7 / 8) - np.log(1 / 4) + 1.0)
    by_score = -np.array([3 / 4, 1 / 2]) / 7, 3 / 4  # dP/ds = p (1 - P), and p
    assert gradient[1] == pytest.approx(sum(by_score[0]) + by_score[1])
    assert gradient[0] == pytest.approx(np.log(3) * (by_score[0][0] + by_score[1]) + 2.0)


def test_gradient_against_differences(bags, labels, rng):
    for shift in (-8.0, 0.0, 5.0):
        at = np.append(rng.normal(size=3), shift)
        _, gradient = objective(at, bags, labels[:, 0], 0.5)
        slopes = approx_fprime(at, lambda wb: objective(wb, bags, labels[:, 0], 0.5)[0], 1e-7)
        assert gradient == pytest.approx(slopes, rel=1e-4, abs=1e-4)


def test_fit_is_stationary_and_odds_are_those_of_the_model(bags, labels):
    fitted = NoisyOr(kernel="linear", ridge=0.5, tol=1e-9).fit(bags, labels[:, :2])
    for label in range(2):
        wb = np.append(fitted.coef_[label], fitted.intercept_[label])
        assert np.abs(objective(wb, bags, labels[:, label], 0.5)[1]).max() < 1e-4
    p = 1 / (1 + np.exp(-fitted.instance_scores(bags)))
    P = 1 - np.exp(bags.sum(np.log(1 - p)))
    assert fitted.decision_function(bags) == pytest.approx(np.log(P / (1 - P)))
    assert np.array_equal(explain(fitted, bags), fitted.instance_scores(bags))


def test_bags_of_one_instance_are_logistic_regression(rng):
    X = rng.normal(size=(60, 3))
    y = X @ [1.0, -2.0, 0.5] + rng.normal(size=60) > 0
    single = list(X[:, None])
    fitted = NoisyOr(kernel="linear", ridge=0.5, tol=1e-10).fit(single, y[:, None])
    twin = LogisticRegression(C=2.0, tol=1e-10, max_iter=10_000).fit(X, y)
    assert fitted.coef_ == pytest.approx(twin.coef_, abs=1e-4)
    expected = twin.decision_function(X)[:, None]
    assert fitted.decision_function(single) == pytest.approx(expected, abs=1e-3)


@pytest.mark.filterwarnings("error")
def test_too_few_steps_warn_and_far_scores_stay_finite(bags, labels):
    far = bags.with_instances(1e6 * bags.instances)
    fitted = NoisyOr(kernel="linear").fit(far, labels)
    assert np.isfinite(fitted.decision_function(far)).all()
    with pytest.warns(ConvergenceWarning, match="NoisyOr stopped after 2 steps .* tol=1e-05"):
        NoisyOr(max_iter=2).fit(bags, labels)
    NoisyOr().fit(bags, labels)
