"""What every estimator shares: checks of its input, and the rules from scores to labels."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from mimlpaper.bags import Bags, as_bags

__all__ = [
    "ConstantLabelWarning",
    "MultiLabelEstimator",
    "check_bag_labels",
    "check_bags",
    "check_labels",
    "label_sets",
]

LABEL_RULES = ("sign", "top")


class ConstantLabelWarning(UserWarning):
    """A label that all, or none, of the training examples have gets a constant score."""


def check_labels(Y, n_examples: int) -> np.ndarray:
    """``Y`` as a boolean array (n_examples, n_labels).

    Raises
    ------
    ValueError
        If ``Y`` is not 2-D, holds anything but booleans, 0 and 1, has no column, or has
        another number of rows than there are examples.
    """
    Y = np.asarray(Y.toarray() if hasattr(Y, "toarray") else Y)
    if Y.ndim != 2 or Y.shape[1] == 0:
        raise ValueError(f"Y must be 2-D (n_examples, n_labels >= 1), got shape {Y.shape}")
    if len(Y) != n_examples:
        raise ValueError(f"Y must have one row an example: X has {n_examples}, Y has {len(Y)}")
    if Y.dtype != bool:
        strange = Y[~np.isin(Y, (0, 1))]
        if len(strange):
            raise ValueError(f"Y must hold booleans, or 0 and 1, got {strange[0]}")
    return Y.astype(bool)


def check_bag_labels(y, n_bags: int) -> np.ndarray:
    """One binary label a bag as a boolean array (n_bags,), with both classes present.

    ``y`` holds booleans, 0 and 1, or -1 and 1; a single column (n_bags, 1) counts as flat.

    Raises
    ------
    ValueError
        If ``y`` has another shape or other values, or if one of the two classes is missing.
    """
    y = np.asarray(y)
    if y.shape not in ((n_bags,), (n_bags, 1)):
        raise ValueError(f"y must have shape ({n_bags},), one label a bag, got {y.shape}")
    y = y.ravel()
    if not (np.isin(y, (0, 1)).all() or np.isin(y, (-1, 1)).all()):
        raise ValueError(
            f"y must hold booleans, 0 and 1, or -1 and 1, got {np.unique(y)[:5].tolist()}"
        )
    y = y > 0
    if y.all() or not y.any():
        raise ValueError(f"y must hold both classes, got only {bool(y[0])} in {n_bags} bags")
    return y


def check_bags(X, n_features: int | None = None) -> Bags:
    """``X`` as :class:`Bags`, with ``n_features`` features if that is given."""
    bags = as_bags(X)
    if n_features is not None and bags.n_features != n_features:
        raise ValueError(
            f"X has {bags.n_features} features, but the estimator was fitted on {n_features}"
        )
    return bags


def label_sets(scores: np.ndarray, rule: str) -> np.ndarray:
    """Predicted label sets (n_examples, n_labels) from real scores of the same shape.

    ``"sign"``: the labels with a positive score; the set may be empty.
    ``"top"``: the T-Criterion of Boutell et al. (2004), Table 7 step 5: the top-scored
    label, and every label with a score of at least zero.
    """
    if rule == "sign":
        return scores > 0
    if rule == "top":
        labels = scores >= 0
        labels[np.arange(len(scores)), scores.argmax(axis=1)] = True
        return labels
    raise ValueError(f"label_rule must be one of {LABEL_RULES}, got {rule!r}")


class MultiLabelEstimator(BaseEstimator):
    """Base class: ``decision_function`` gives scores, ``predict`` turns them into label sets.

    A subclass has a parameter ``label_rule`` and defines ``fit(X, Y)``, which sets
    ``n_labels_``, and ``decision_function(X)``, which gives (n_examples, n_labels).
    """

    def predict(self, X) -> np.ndarray:
        """Label sets as booleans (n_examples, n_labels), by ``label_rule``."""
        check_is_fitted(self)
        return self.decide(self.decision_function(X))

    def decide(self, scores: np.ndarray) -> np.ndarray:
        """Label sets (n_examples, n_labels) from scores of the same shape, by ``label_rule``."""
        return label_sets(scores, self.label_rule)

    def _check_label_rule(self):
        if self.label_rule not in LABEL_RULES:
            raise ValueError(f"label_rule must be one of {LABEL_RULES}, got {self.label_rule!r}")

    def _warn_constant_labels(self, Y: np.ndarray):
        """Warn of the labels that all or none of the training examples have."""
        constant = np.flatnonzero(Y.all(axis=0) | ~Y.any(axis=0))
        if len(constant):
            warnings.warn(
                f"label(s) {constant.tolist()} have one class only among the {len(Y)} training "
                "examples; they get a constant score",
                ConstantLabelWarning,
                stacklevel=3,
            )
