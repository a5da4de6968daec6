"""What every estimator shares: checks of its input, and the rules from scores to labels."""

import functools
import warnings
from collections.abc import Mapping, Sequence
from numbers import Integral

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from mimlpaper.bags import LARGEST, Bags, as_bags
from mimlpaper.metrics import label_array

LABEL_RULES = ("sign", "top")


class ConstantLabelWarning(UserWarning):
    """A label gets the same score everywhere, such as one that all training examples have."""


def check_labels(Y, n_examples: int) -> np.ndarray:
    """``Y`` as a boolean array (n_examples, n_labels); a ValueError says what is wrong with it."""
    if Y is None:
        raise ValueError("fit requires y to be passed, but the target y is None")
    labels = label_array("Y", Y)
    if len(labels) != n_examples:
        raise ValueError(f"Y must have one row an example: X has {n_examples}, Y has {len(labels)}")
    return labels


def check_bags(X, n_features: int | None = None) -> Bags:
    """``X`` as :class:`Bags`, with ``n_features`` features if that is given."""
    bags = as_bags(X)
    if n_features not in (None, bags.n_features):
        raise ValueError(f"X has {bags.n_features} features, but it was fitted on {n_features}")
    return bags


def label_sets(scores: np.ndarray, rule: str) -> np.ndarray:
    """Predicted label sets (n_examples, n_labels) from real scores of the same shape.

    "sign": the labels with a positive score. "top": the T-Criterion of Boutell et al. (2004),
    Table 7 step 5: the top-scored label, and every label with a score >= 0.
    """
    if rule not in LABEL_RULES:
        raise ValueError(f"label_rule must be one of {LABEL_RULES}, got {rule!r}")
    if rule == "sign":
        return scores > 0
    labels = scores >= 0
    labels[np.arange(len(scores)), scores.argmax(axis=1)] = True
    return labels


def check_vectors(estimator, X, *, reset: bool, sparse: str = "csr", **options):
    """``X`` as finite float64 (n_examples, n_features), dense or ``sparse``, or a ValueError.

    ``reset`` in ``fit``: sets ``n_features_in_`` and ``feature_names_in_``.
    """
    X = validate_data(estimator, X, dtype=np.float64, accept_sparse=sparse, reset=reset, **options)
    if X.shape[0] and abs(X).max() > LARGEST:
        raise ValueError(f"X must hold values within {LARGEST:.0e}, or their squares overflow")
    return X


class BagClassifier(ClassifierMixin, BaseEstimator):
    """Base class of learners of one binary label a bag; a positive score is ``classes_[1]``."""

    def predict(self, X) -> np.ndarray:
        """The label of each bag: (n_bags,)."""
        check_is_fitted(self)
        return self.decide(self.decision_function(X))

    def decide(self, scores: np.ndarray) -> np.ndarray:
        """Labels (n_bags,) from scores (n_bags,): the second class if positive."""
        return self.classes_[(np.asarray(scores) > 0).astype(int)]

    def _learn_classes(self, y, n_bags: int) -> np.ndarray:
        """Which bags have the second of two classes, as booleans (n_bags,); sets ``classes_``."""
        y = np.asarray(y)
        if y.shape not in ((n_bags,), (n_bags, 1)):
            raise ValueError(f"y must have shape ({n_bags},), one label a bag, got {y.shape}")
        y = y.ravel()
        if pd.isna(y).any():
            raise ValueError(f"y must not hold NaN, got one for bag {pd.isna(y).argmax()}")
        self.classes_ = np.unique(y)
        if len(self.classes_) != 2:
            found = self.classes_[:5].tolist()
            raise ValueError(f"y must hold two classes, got {len(self.classes_)}: {found}")
        return y == self.classes_[1]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _as_frame(method):
    @functools.wraps(method)
    def wrapped(self, X):
        values = method(self, X)
        if getattr(self, "_sklearn_output_config", {}).get("predict") != "pandas":
            return values  # set_output did not ask for a frame
        index = X.index if isinstance(X, pd.DataFrame) else None
        return pd.DataFrame(values, index, self.classes_)

    return wrapped


class MultiLabelEstimator(ClassifierMixin, BaseEstimator):
    """Base class: ``decision_function`` gives scores, ``predict`` turns them into label sets.

    ``fit`` calls ``_learn_labels``, which sets ``classes_`` (n_labels,): the columns of Y if it is
    a DataFrame, else 0, 1, …. ``label_rule`` is a parameter.
    """

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "decision_function" in vars(cls):
            cls.decision_function = _as_frame(cls.decision_function)

    @_as_frame
    def predict(self, X) -> np.ndarray:
        """Label sets as booleans (n_examples, n_labels), by ``label_rule``."""
        check_is_fitted(self)
        return self.decide(np.asarray(self.decision_function(X)))

    def decide(self, scores: np.ndarray) -> np.ndarray:
        """Label sets (n_examples, n_labels) from scores of the same shape, by ``label_rule``."""
        return label_sets(scores, self.label_rule)

    def set_output(self, *, predict: str = "default"):
        """Give arrays ("default") or DataFrames with the columns ``classes_`` ("pandas")."""
        if predict not in ("default", "pandas"):
            raise ValueError(f"predict must be 'default' or 'pandas', got {predict!r}")
        self._sklearn_output_config = {"predict": predict}  # scikit-learn's clone copies it
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        tags.target_tags.single_output = False
        tags.target_tags.multi_output = True
        tags.target_tags.two_d_labels = True
        return tags

    def _name_labels(self, Y, n_examples: int) -> np.ndarray:
        """``Y`` as booleans (n_examples, n_labels); sets ``classes_`` and ``n_labels_``."""
        labels = check_labels(Y, n_examples)
        self.n_labels_ = labels.shape[1]
        is_frame = isinstance(Y, pd.DataFrame)
        self.classes_ = np.asarray(Y.columns if is_frame else range(self.n_labels_))
        return labels

    def _learn_labels(self, Y, n_examples: int) -> np.ndarray:
        """:meth:`_name_labels`, with a warning of labels that all or no examples have."""
        Y = self._name_labels(Y, n_examples)
        constant = np.flatnonzero(Y.all(axis=0) | ~Y.any(axis=0))
        if len(constant):
            message = f"label(s) {self.classes_[constant].tolist()} have one class only in training"
            warnings.warn(message, ConstantLabelWarning, stacklevel=3)
        return Y


class VectorEstimator(MultiLabelEstimator):
    """Base class of multi-label learners of dense or sparse vectors."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def check_parameters(
    estimator, *, positive: Sequence[str] = (), not_negative: Sequence[str] = (),
    counts: Sequence[str] = (), limits: Sequence[str] = (),
    choices: Mapping[str, Sequence] | None = None,
) -> None:  # fmt: skip
    """Raise a ValueError unless the named parameters, and a ``label_rule``, are as they must be.

    ``counts`` are integers of at least 1, ``limits`` counts or None.
    """
    rule = {"label_rule": LABEL_RULES} if hasattr(estimator, "label_rule") else {}
    checks = [
        (positive, lambda value: 0 < value < np.inf, "be positive and finite"),
        (not_negative, lambda value: value >= 0, "be at least 0"),
        (counts, _is_count, "be an integer of at least 1"),
        (limits, lambda value: value is None or _is_count(value), "be at least 1, or None"),
    ]
    for name, allowed in (rule | dict(choices or {})).items():
        checks.append(([name], allowed.__contains__, f"be one of {allowed}"))
    for names, fits, needed in checks:
        for name in names:
            value = getattr(estimator, name)
            if not fits(value):
                raise ValueError(f"{name} must {needed}, got {value!r}")


def _is_count(value):
    return isinstance(value, Integral) and value >= 1
