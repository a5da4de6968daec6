"""The public checks pass a right learner, and each of twelve wrong ones fails at least one."""

import numpy as np
import pytest

from mimlpaper import MimlNn
from mimlpaper.bags import Bags
from mimlpaper.base import check_bags
from mimlpaper.checks import CHECKS, _run

OF_SCORES = {  # what a wrong learner makes of right scores
    "other bags matter": lambda scores: scores - scores.mean(axis=0),
    "the sign of a label": lambda scores: np.hstack([scores[:, :1], -0.01 * scores[:, 1:]]),
    "three labels": lambda scores: scores[:, [0, 1, 2]],
    "crashes on one bag": lambda scores: scores + 0 * np.arange(1, len(scores))[-1],
    "votes": np.sign,
    "draws": lambda scores: scores + 1e-6 * np.random.default_rng().standard_normal(scores.shape),
}
OTHERS = (
    "computes", "remembers", "changes a parameter", "contradicts its scores", "changes X",
    "scales by the test set",
)  # fmt: skip


class Learner(MimlNn):
    """MimlNn with all medoids, which draws nothing that matters; or with one fault."""

    ratio, ridge, metric, label_rule = 1.0, "auto", "max_hausdorff", "sign"

    def __init__(self, fault=None, random_state=0):
        self.fault = fault
        self.random_state = random_state
        if fault == "computes":
            self.twice_ = 2 * random_state

    def fit(self, X, Y):
        last = getattr(self, "weights_", 0.0) if self.fault == "remembers" else 0.0
        if self.fault == "changes a parameter":
            self.random_state = 1
        super().fit(X, Y)
        self.weights_ = self.weights_ + 0.1 * np.mean(last)
        return self

    def decision_function(self, X):
        instances = X.instances if isinstance(X, Bags) else X[0]
        if self.fault == "changes X" and instances.flags.writeable:
            instances += 1e-9
        if self.fault == "scales by the test set":
            X = check_bags(X, self)
            X = X.with_instances(X.instances / np.ptp(X.instances, axis=0))
        scores = super().decision_function(X)
        return OF_SCORES[self.fault](scores) if self.fault in OF_SCORES else scores

    def predict(self, X):
        predicted = super().predict(X)
        predicted[0, :2] ^= self.fault == "contradicts its scores"
        return predicted


@pytest.mark.parametrize("fault", [None, *OF_SCORES, *OTHERS])
def test_wrong_learners_are_caught(fault):
    failed = []
    for check in CHECKS:
        try:
            _run(check, "bags", Learner(fault))
        except Exception:
            failed.append(check.__name__)
    assert bool(failed) == (fault is not None), failed
