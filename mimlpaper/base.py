"""What every estimator shares: checks of its input, and the rules from scores to labels."""

import functools
import warnings
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import ClassifierTags, TargetTags
from sklearn.utils.validation import check_is_fitted, validate_data

from mimlpaper.arrays import check_type
from mimlpaper.bags import LARGEST, Bags, as_bags
from mimlpaper.metrics import label_array

LABEL_RULES = "sign", "top"
NO_LABELS = "fit requires y to be passed, but the target y is None"
OFFSET = 1e5  # of the features, in deviations: squares of what varies lose ten digits


class ConstantLabelWarning(UserWarning):
    """A label gets the same score everywhere, such as one that all training examples have."""


def check_labels(Y, n_examples: int) -> np.ndarray:
    """``Y`` as a boolean array (n_examples, n_labels); a ValueError says what is wrong with it."""
    if Y is None:
        raise ValueError(NO_LABELS)
    labels = label_array("Y", Y)
    if len(labels) != n_examples:
        raise ValueError(f"Y must have one row an example: X has {n_examples}, Y has {len(labels)}")
    return labels


def check_bags(X, estimator=None, *, reset: bool = False, missing: bool = False) -> Bags:
    """``X`` as :class:`Bags`, with the features that ``estimator`` was fitted on, by name too.

    ``reset`` in ``fit``: sets ``n_features_in_`` and ``feature_names_in_``; else ``estimator`` must
    be fitted. ``missing``: allow NaN.
    """
    if estimator is not None and not reset:
        check_is_fitted(estimator)
    bags = as_bags(X, missing=missing)
    if estimator is not None:
        validate_data(estimator, bags.table, reset=reset, skip_check_array=True)
        if reset and not missing:
            _check_offset(bags.instances)
    return bags


def _check_offset(X):
    mean, variance = X.mean(axis=0), X.var(axis=0).sum()
    if 0 < variance * OFFSET**2 < mean @ mean:
        found = f"features of {np.abs(mean).max():.1e} that vary by {np.sqrt(variance):.1e}"
        raise ValueError(f"X must lie around 0: {found}; scale, as OnInstances(MinMaxScaler())")


def label_sets(scores: np.ndarray, rule: str) -> np.ndarray:
    """Predicted label sets (n_examples, n_labels) from real scores of the same shape.

    "sign": the labels with a positive score. "top": the T-Criterion of Boutell et al. (2004),
    Table 7 step 5: the top-scored label, and all with a score >= 0; for one label it is "sign".
    """
    if rule not in LABEL_RULES:
        raise ValueError(f"label_rule must be one of {LABEL_RULES}, got {rule!r}")
    if rule == "sign" or scores.shape[1] == 1:
        return scores > 0
    labels = scores >= 0
    labels[np.arange(len(scores)), scores.argmax(axis=1)] = True
    return labels


def check_vectors(
    estimator, X, *, reset: bool, sparse: str = "csr", offset: bool = False, **options
):
    """``X`` as finite float64 (n_examples, n_features), dense or ``sparse``, or a ValueError.

    ``reset`` as in :func:`check_bags`; ``offset``: features may vary by little beside their means.
    """
    if not reset:
        check_is_fitted(estimator)
    if isinstance(X, Bags) or (isinstance(X, list) and X and np.ndim(X[0]) == 2):
        raise ValueError("X must be one vector an example, got bags; make them by BagStatistics()")
    given = X
    X = validate_data(estimator, X, dtype=np.float64, accept_sparse=sparse, reset=reset, **options)
    if not hasattr(given, "toarray"):
        check_type("X", given)  # scikit-learn drops masks, and takes dates for numbers
    if X.shape[0] and abs(X).max() > LARGEST:
        raise ValueError(f"X must hold values within {LARGEST:.0e}, or their squares overflow")
    if reset and not offset and isinstance(X, np.ndarray):
        _check_offset(X)
    return X


class BagClassifier(ClassifierMixin, BaseEstimator):
    """Base class of learners of one binary label a bag."""

    def predict(self, X) -> np.ndarray:
        """The label of each bag: (n_bags,)."""
        check_is_fitted(self)
        return self.decide(self.decision_function(X))

    def decide(self, scores: np.ndarray) -> np.ndarray:
        """Labels (n_bags,) from scores (n_bags,): ``classes_[1]`` if positive."""
        return self.classes_[(np.asarray(scores) > 0).astype(int)]

    def _learn_classes(self, y, n_bags: int) -> np.ndarray:
        """Which bags have the second class, as booleans (n_bags,); sets ``classes_``."""
        if y is None:
            raise ValueError(NO_LABELS)
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
        if self.output != "pandas":
            return values
        index = X.index if hasattr(X, "iloc") else getattr(X, "names", None)
        return pd.DataFrame(values, list(X) if isinstance(X, dict) else index, self.classes_)

    return wrapped


class MultiLabelEstimator(ClassifierMixin, BaseEstimator):
    """Base class: ``decision_function`` gives scores, ``predict`` turns them into label sets.

    ``fit`` calls ``_learn_labels``. ``classes_`` (n_labels,) are Y's columns, or 0, 1, ….
    """

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "decision_function" in vars(cls):
            cls.decision_function = _as_frame(cls.decision_function)

    @property
    def output(self) -> str:
        """What :meth:`set_output` asked for."""
        return getattr(self, "_sklearn_output_config", {}).get("predict", "default")

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
        tags.classifier_tags = ClassifierTags(multi_class=False, multi_label=True)
        tags.target_tags = TargetTags(
            True, two_d_labels=True, multi_output=True, single_output=False
        )
        return tags

    def _name_labels(self, Y, n_examples: int) -> np.ndarray:
        """``Y`` as booleans (n_examples, n_labels); sets ``classes_`` and ``n_labels_``."""
        labels = check_labels(Y, n_examples)
        self.n_labels_ = labels.shape[1]
        names = pd.Index(Y.columns if isinstance(Y, pd.DataFrame) else range(self.n_labels_))
        if names.has_duplicates:
            twice = names[names.duplicated()].tolist()
            raise ValueError(f"Y must have columns with different names, got {twice} twice")
        self.classes_ = np.asarray(names)
        return labels

    def _learn_labels(self, Y, n_examples: int) -> np.ndarray:
        """:meth:`_name_labels`, with a warning of labels that all or no examples have."""
        Y = self._name_labels(Y, n_examples)
        constant = np.flatnonzero(Y.all(axis=0) | ~Y.any(axis=0))
        if len(constant):
            message = f"label(s) {self.classes_[constant].tolist()} have one class only in training"
            warnings.warn(message, ConstantLabelWarning, stacklevel=3)
        return Y


class LogOdds(MultiLabelEstimator):
    """Base class of learners whose scores are log odds."""

    @_as_frame
    def predict_proba(self, X) -> np.ndarray:
        """Probability of each label: (n_examples, n_labels)."""
        return expit(np.asarray(self.decision_function(X)))


class VectorEstimator(MultiLabelEstimator):
    """Base class of multi-label learners of dense or sparse vectors."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _is_positive(value):
    return isinstance(value, Real) and 0 < value < np.inf


def _is_count(value):
    return isinstance(value, Integral) and not isinstance(value, bool) and value >= 1


# What a kind of parameter must be, and the names that are of this kind in every estimator.
COUNTS = "degree max_alternations max_cccp max_iter n_concepts n_neighbors n_rounds n_sample"
KINDS: dict[str, tuple[Callable, str, str]] = {
    "positive": (_is_positive, "positive and finite", "C tol nu smoothing initial_scale"),
    "not_negative": (lambda v: v == 0 or _is_positive(v), "at least 0", "lam cccp_tol"),
    "counts": (_is_count, "an integer of at least 1", COUNTS),
    "limits": (lambda v: v is None or _is_count(v), "at least 1, or None", ""),
}
FLAGS = "imbalance", "shortcut", "normalise"
CHOICES = dict.fromkeys(FLAGS, (False, True)) | {"label_rule": LABEL_RULES}


def check_parameters(estimator, *, choices: Mapping | None = None, **kinds: Sequence[str]):
    """Raise a ValueError unless parameters are as :data:`KINDS`, ``kinds`` and ``choices`` say."""
    rules: dict = {}
    for kind, (fits, needed, names) in KINDS.items():
        rules |= dict.fromkeys([*names.split(), *kinds.get(kind, ())], (fits, needed))
    for name, allowed in (CHOICES | dict(choices or {})).items():
        rules[name] = allowed.__contains__, f"one of {allowed}"
    for name, value in estimator.get_params(deep=False).items():
        fits, needed = rules.get(name, (lambda _: True, ""))
        if not fits(value):
            raise ValueError(f"{name} must be {needed}, got {value!r}")
