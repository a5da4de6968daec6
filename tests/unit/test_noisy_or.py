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
    x = np.log(3)
    bags = Bags.from_list([[[x], [0.0]], [[x]]])
    wb = np.array([1.0, 0.0])
    y = np.array([True, False])
    loss, gradient = objective(wb, bags, y, 2.0)
    losses_of_bags = -np.log(7 / 8) - np.log(1 / 4)
    assert loss == pytest.approx(losses_of_bags + 1.0)

    # dP/ds = p (1 - P), so that -log P has the slope -p / 7.
    slope_at_x = -3 / 4 / 7
    slope_at_zero = -1 / 2 / 7
    # Of -log (1 - P) the slope is p.
    slope_in_negative = 3 / 4
    in_w = x * (slope_at_x + slope_in_negative)
    in_b = slope_at_x + slope_at_zero + slope_in_negative
    assert gradient[0] == pytest.approx(in_w + 2.0)
    assert gradient[1] == pytest.approx(in_b)


@pytest.mark.parametrize("shift", [-8.0, 0.0, 5.0])
def test_gradient_against_differences(bags, labels, rng, shift):
    y = labels[:, 0]

    def loss(wb):
        return objective(wb, bags, y, 0.5)[0]

    wb = np.append(rng.normal(size=3), shift)
    _, gradient = objective(wb, bags, y, 0.5)
    slopes = approx_fprime(wb, loss, 1e-7)
    assert gradient == pytest.approx(slopes, rel=1e-4, abs=1e-4)


def test_fit_is_stationary_and_odds_are_those_of_the_model(bags, labels):
    Y = labels[:, :2]
    learner = NoisyOr(kernel="linear", ridge=0.5, tol=1e-9)
    learner.fit(bags, Y)
    for label in range(2):
        w = learner.coef_[label]
        b = learner.intercept_[label]
        _, gradient = objective(
            np.append(w, b),
            bags,
            Y[:, label],
            0.5,
        )
        assert np.abs(gradient).max() < 1e-4

    s = learner.instance_scores(bags)
    p = 1 / (1 + np.exp(-s))
    P = 1 - np.exp(bags.sum(np.log(1 - p)))
    log_odds = np.log(P / (1 - P))
    assert learner.decision_function(bags) == pytest.approx(log_odds)
    assert np.array_equal(explain(learner, bags), s)


def test_bags_of_one_instance_are_logistic_regression(rng):
    X = rng.normal(size=(60, 3))
    y = X @ [1.0, -2.0, 0.5] + rng.normal(size=60) > 0
    bags_of_one = list(X[:, None])
    noisy_or = NoisyOr(kernel="linear", ridge=0.5, tol=1e-10)
    noisy_or.fit(bags_of_one, y[:, None])
    logistic = LogisticRegression(C=2.0, tol=1e-10, max_iter=10_000)
    logistic.fit(X, y)
    # A ridge of 0.5 is scikit-learn's C = 1 / 0.5.
    assert noisy_or.coef_ == pytest.approx(logistic.coef_, abs=1e-4)
    scores = noisy_or.decision_function(bags_of_one)
    expected = logistic.decision_function(X)[:, None]
    assert scores == pytest.approx(expected, abs=1e-3)


@pytest.mark.filterwarnings("error")
def test_too_few_steps_warn_and_far_scores_stay_finite(bags, labels):
    # There 1 - p is 0 in floating point.
    far = bags.with_instances(1e6 * bags.instances)
    learner = NoisyOr(kernel="linear").fit(far, labels)
    assert np.isfinite(learner.decision_function(far)).all()

    message = "NoisyOr stopped after 2 steps .* tol=1e-05"
    with pytest.warns(ConvergenceWarning, match=message):
        NoisyOr(max_iter=2).fit(bags, labels)
    # Enough steps warn of nothing.
    NoisyOr().fit(bags, labels)
