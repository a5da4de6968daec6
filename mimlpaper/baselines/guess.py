"""Guess: the same scores for every bag, from the frequencies of the labels."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mimlpaper.base import MultiLabelEstimator, check_bags, check_parameters


@dataclass(kw_only=True, eq=False, repr=False)
class Guess(MultiLabelEstimator):
    """Baseline that ignores the instances: a label's score is its share of the bags minus 1/2."""

    label_rule: str = "top"

    def fit(self, X, Y):
        """Fit on bags X, whose instances are ignored, and label sets Y (n_bags, n_labels)."""
        check_parameters(self)
        bags = check_bags(X, self, reset=True)
        self.shares_ = self._learn_labels(Y, len(bags)).mean(axis=0)
        return self

    def decision_function(self, X) -> np.ndarray:
        """The same scores for every bag: (n_bags, n_labels)."""
        check_is_fitted(self)
        return np.tile(self.shares_ - 0.5, (len(check_bags(X, self)), 1))

    def instance_scores(self, X) -> np.ndarray:
        """The same scores for every instance: (n_instances, n_labels)."""
        bags = check_bags(X)
        return np.repeat(self.decision_function(bags), bags.sizes, axis=0)
