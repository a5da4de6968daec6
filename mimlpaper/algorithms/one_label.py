"""An MIML learner for bags that have one binary label each."""

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from mimlpaper.base import BagClassifier, check_bags


class OneLabel(BagClassifier):
    """An MIML learner with a single label; the sign of its score is the prediction.

    This is :class:`~mimlpaper.algorithms.subcod.SubCod` without sub-concepts, for comparison.
    ``learner`` is an unfitted MIML estimator; its clone, fitted with one label, is ``learner_``.
    """

    def __init__(self, learner):
        self.learner = learner

    def fit(self, X, y):
        """Fit on bags X and labels y (n_bags,) of two classes; the second is positive."""
        bags = check_bags(X)
        y = self._learn_classes(y, len(bags))
        self.learner_ = clone(self.learner).fit(bags, y[:, None])
        self.n_features_in_ = bags.n_features
        return self

    def decision_function(self, X) -> np.ndarray:
        """The learner's score of the label: (n_bags,)."""
        check_is_fitted(self)
        return self.learner_.decision_function(check_bags(X, self.n_features_in_))[:, 0]
