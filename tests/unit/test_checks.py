"""The public checks pass a right learner, and each of eleven wrong ones fails at least one."""

import numpy as np
import pytest

from mimlpaper import MimlNn
from mimlpaper.bags import Bags
from mimlpaper.checks import CHECKS, _run

CHANGES = {  # what a wrong learner makes of right scores
    "other bags matter": lambda scores: scores - scores.mean(axis=0),
    "the sign of a label": lambda scores: np.hstack([scores[:, :1], -0.01 * scores[:, 1:]]),
    "three labels": lambda scores: scores[:, [0, 1, 2]],
    "crashes on one bag": lambda scores: scores + 0 * np.arange(1, len(scores))[-1],
    "votes": np.sign,
    "draws": lambda scores: scores + 1e-6 * np.random.default_rng().standard_normal(scores.shape),
}


class Right(MimlNn):
    """MimlNn with all medoids, which draws nothing that matters; or its scores are changed."""

    ratio, ridge, metric, label_rule = 1.0, "auto", "max_hausdorff", "sign"

    def __init__(self, change=None, random_state=0):
        self.change = change
        self.random_state = random_state

    def decision_function(self, X):
        scores = super().decision_function(X)
        return CHANGES[self.change](scores) if self.change else scores


class RemembersTheFirstFit(Right):
    def fit(self, X, Y):
        last = getattr(self, "weights_", 0.0)
        super().fit(X, Y)
        self.weights_ = self.weights_ + 0.1 * np.mean(last)
        return self


class WritesAParameter(Right):
    def fit(self, X, Y):
        self.random_state = 1
        return super().fit(X, Y)


class ContradictsItsScores(Right):
    def predict(self, X):
        predicted = super().predict(X)
        predicted[0, :2] = ~predicted[0, :2]
        return predicted


class ChangesItsInput(Right):
    def decision_function(self, X):
        instances = X.instances if isinstance(X, Bags) else X[0]
        if instances.flags.writeable:
            instances += 1e-9
        return super().decision_function(X)


class ComputesInInit(Right):
    def __init__(self, change=None, random_state=0):
        super().__init__(change, random_state)
        self.twice_ = 2 * random_state


WRONG = [*map(Right, CHANGES), *(kind() for kind in Right.__subclasses__())]


@pytest.mark.parametrize("learner", [Right(), *WRONG], ids=repr)
def test_wrong_learners_are_caught(learner):
    failed = []
    for check in CHECKS:
        try:
            _run(check, "bags", learner)
        except Exception:
            failed.append(check.__name__)
    assert len(WRONG) == 11 and bool(failed) == (learner in WRONG), failed
