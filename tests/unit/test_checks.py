"""The public checks pass a right learner, and each of twelve wrong ones fails at least one."""

import numpy as np
import pytest

from mimlpaper import MimlNn
from mimlpaper.bags import Bags
from mimlpaper.base import check_bags
from mimlpaper.checks import CHECKS, _run


class Right(MimlNn):
    """MimlNn with all medoids, which draws nothing that matters."""

    def __init__(self, *, ratio=1.0, ridge="auto", metric="max_hausdorff", label_rule="sign",
                 random_state=0):  # fmt: skip
        super().__init__(
            ratio=ratio, ridge=ridge, metric=metric, label_rule=label_rule,
            random_state=random_state,
        )  # fmt: skip


class OtherBagsMatter(Right):
    def decision_function(self, X):
        scores = super().decision_function(X)
        return scores - scores.mean(axis=0)


class ScaledByTheTestSet(Right):
    def decision_function(self, X):
        bags = check_bags(X, self)
        low, high = bags.instances.min(axis=0), bags.instances.max(axis=0)
        return super().decision_function(bags.with_instances((bags.instances - low) / (high - low)))


class RemembersTheFirstFit(Right):
    def fit(self, X, Y):
        last = getattr(self, "weights_", 0.0)
        super().fit(X, Y)
        self.weights_ = self.weights_ + 0.1 * np.mean(last)
        return self


class WritesAParameter(Right):
    def fit(self, X, Y):
        self.ratio = 0.9
        return super().fit(X, Y)


class ContradictsItsScores(Right):
    def predict(self, X):
        predicted = super().predict(X)
        predicted[0, :2] = ~predicted[0, :2]
        return predicted


class TurnsTheSignOfALabel(Right):
    def decision_function(self, X):
        return super().decision_function(X) * np.where(np.arange(self.n_labels_) == 1, -0.01, 1)


class KnowsThreeLabels(Right):
    def decision_function(self, X):
        return super().decision_function(X)[:, [0, 1, 2]]


class CrashesOnOneBag(Right):
    def decision_function(self, X):
        return super().decision_function(X)[np.arange(len(X)) - np.arange(1, len(X))[-1] * 0]


class ChangesItsInput(Right):
    def decision_function(self, X):
        instances = X.instances if isinstance(X, Bags) else X[0]
        if instances.flags.writeable:
            instances += 1e-9
        return super().decision_function(X)


class Votes(Right):
    def decision_function(self, X):
        return np.sign(super().decision_function(X))


class DrawsScores(Right):
    def decision_function(self, X):
        scores = super().decision_function(X)
        return scores + 1e-6 * np.random.default_rng().standard_normal(scores.shape)


class ComputesInInit(Right):
    def __init__(self, *, ratio=1.0):
        super().__init__(ratio=ratio)
        self.twice_ = 2 * ratio


WRONG = Right.__subclasses__()


@pytest.mark.parametrize("kind", [Right, *WRONG], ids=lambda kind: kind.__name__)
def test_wrong_learners_are_caught(kind):
    failed = []
    for check in CHECKS:
        try:
            _run(check, "bags", kind())
        except Exception:
            failed.append(check.__name__)
    assert len(WRONG) == 12 and bool(failed) == (kind is not Right), failed
