"""MimlSvm_mi with an exact kernel, by LIBSVM: what a factor of low rank is compared with."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.svm import SVC

from mimlpaper.base import label_sets

CACHE = 1000  # megabytes of the kernel that LIBSVM keeps


class ExactMimlSvmMi(BaseEstimator):
    """Category-wise mi-SVM on the Gaussian kernel itself; the top label where none is positive.

    Its steps are those of :class:`~mimlpaper.MimlSvmMi`, which replaces the kernel by a factor.

    Parameters
    ----------
    gamma : float, the γ of the kernel exp(-gamma ||x - z||²)
    C : float, cost of a slack
    max_alternations : int, machines trained for a label at most
    """

    def __init__(self, *, gamma, C, max_alternations):
        self.gamma = gamma
        self.C = C
        self.max_alternations = max_alternations

    def fit(self, X, Y):
        """Fit on bags X and label sets Y (n_bags, n_labels), each label of both classes."""
        self.machines_ = [self._fit_label(X, y) for y in Y.T]
        return self

    def decision_function(self, X) -> np.ndarray:
        """Largest instance score of each bag: (n_bags, n_labels)."""
        scores = [machine.decision_function(X.instances) for machine in self.machines_]
        return X.max(np.column_stack(scores))

    def predict(self, X) -> np.ndarray:
        return label_sets(self.decision_function(X), "top")

    def _fit_label(self, bags, positive):
        possible = np.repeat(positive, bags.sizes)  # (n_instances,)
        labels = possible
        for _ in range(self.max_alternations):
            machine = SVC(gamma=self.gamma, C=self.C, cache_size=CACHE)
            scores = machine.fit(bags.instances, labels).decision_function(bags.instances)
            # Each positive bag keeps its highest instance, whatever the instance's score.
            highest = scores == np.repeat(bags.max(scores), bags.sizes)
            inferred = possible & ((scores > 0) | highest)
            if np.array_equal(inferred, labels):
                break
            labels = inferred
        return machine
