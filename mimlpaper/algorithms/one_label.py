"""An MIML learner for bags that have one binary label each."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from mimlpaper.base import check_bag_labels, check_bags

__all__ = ["OneLabel"]


class OneLabel(BaseEstimator):
    """Take the bag's label for a label set of one, and its score's sign for the prediction.

    This is :class:`~mimlpaper.algorithms.subcod.SubCod` without sub-concepts, to compare with.

    Parameters
    ----------
    learner : unfitted MIML estimator; it is cloned.

    Attributes
    ----------
    learner_ : the MIML estimator, fitted with one label.
    """

    def __init__(self, learner):
        self.learner = learner

    def fit(self, X, y):
        """Fit on bags X and labels y (n_bags,): booleans, 0 and 1, or -1 and 1."""
        bags = check_bags(X)
        y = check_bag_labels(y, len(bags))
        self.learner_ = clone(self.learner).fit(bags, y[:, None])
        self.n_features_in_ = bags.n_features
        return self

    def decision_function(self, X) -> np.ndarray:
        """The learner's score of the label: (n_bags,)."""
        check_is_fitted(self)
        return self.learner_.decision_function(check_bags(X, self.n_features_in_))[:, 0]

    def predict(self, X) -> np.ndarray:
        """True for bags with a positive score: (n_bags,)."""
        return self.decision_function(X) > 0
