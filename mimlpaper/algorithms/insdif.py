"""InsDif: multi-label learning by an MIML learner on vectors turned into bags."""

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from mimlpaper.algorithms.differentiation import PrototypeDifferences
from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.base import VectorEstimator, check_vectors


class InsDif(VectorEstimator):
    """Instance differentiation: x becomes the bag {x - v_l : l a label} for an MIML learner.

    The prototype v_l is the mean of the training examples with label l. Choose it to apply MIML
    learners to ordinary vectors; by default it is a fast and accurate multi-label learner.

    Parameters
    ----------
    transformation : unfitted transformer of (X, Y) into bags, or None, default None
        None for :class:`PrototypeDifferences`; :class:`DifferenceFeatures` for learners on
        instances with a Gaussian kernel; :class:`NeighbourMeans` for the nearest neighbours.
    learner : unfitted MIML estimator or None, default None
        It has its own label rule. None for MimlNn with 20 % of the examples as medoids and the
        pseudo-inverse.
    shortcut : bool, default True
        Whether a learner that uses only maximal Hausdorff distances between bags gets the
        Euclidean distances of the vectors, which are equal, see Notes.
    random_state : int, RandomState or None, default None, seeds the default learner.

    Attributes
    ----------
    transformation_ : transformer, fitted; ``prototypes_`` (n_labels, n_features) are the v_l.
    learner_ : MIML estimator, fitted.
    cancels_ : bool, whether the shortcut was taken.

    Notes
    -----
    Every bag is a translate of every other bag, B_j = B_i + t with t = x_j - x_i. Their maximal
    Hausdorff distance is at most ||t||, since b + t has this distance from b. It is at least ||t||,
    since the point of B_i + t furthest in the direction of t lies ||t|| beyond every point of B_i.
    So MimlNn and MimlSvm see ||x_j - x_i|| for any prototypes.

    References
    ----------
    Section 6 and Table 9; Zhang and Zhou, Multi-label learning by instance differentiation,
    AAAI 2007.
    """

    def __init__(self, *, transformation=None, learner=None, shortcut=True, random_state=None):
        self.transformation = transformation
        self.learner = learner
        self.shortcut = shortcut
        self.random_state = random_state

    def fit(self, X, Y):
        """Fit on X (n_examples, n_features), dense or sparse, and Y (n_examples, n_labels)."""
        X = check_vectors(self, X, reset=True)
        Y = self._name_labels(Y, X.shape[0])  # the learner warns of constant ones
        self.transformation_ = clone(self.transformation or PrototypeDifferences())
        default = MimlNn(ratio=0.2, ridge=0.0, random_state=self.random_state)
        learner = clone(self.learner or default)
        self.cancels_ = self.shortcut and self._cancels(learner)
        if self.cancels_:
            self.transformation_.fit(X, Y)
            # Table 9, steps 2 and 3 at once, see Notes.
            self.learner_ = learner.set_params(metric="euclidean").fit(X, Y)
        else:
            bags = self.transformation_.fit_transform(X, Y)  # Table 9, step 2
            self.learner_ = learner.fit(bags, Y)  # Table 9, step 3
        return self

    def decision_function(self, X) -> np.ndarray:
        """The learner's scores of the bags: (n_examples, n_labels)."""
        check_is_fitted(self)
        X = check_vectors(self, X, reset=False)
        return self.learner_.decision_function(
            X if self.cancels_ else self.transformation_.transform(X)
        )

    @property
    def label_rule(self) -> str:
        """Label rule of the fitted learner."""
        return self.learner_.label_rule

    def _cancels(self, learner):
        by_distances = learner.get_params().get("metric") == "max_hausdorff"
        return by_distances and isinstance(self.transformation_, PrototypeDifferences)
