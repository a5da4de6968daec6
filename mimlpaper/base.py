"""What every learner shares: the template of ``fit`` and predictions, checks, and label sets."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from numbers import Integral
from typing import ClassVar, Self

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.pipeline import Pipeline
from sklearn.utils import ClassifierTags, TargetTags
from sklearn.utils.validation import check_is_fitted, validate_data

from mimlpaper.arrays import (
    cells_of,
    check_integers,
    check_mask,
    check_type,
    label_array,
    order_by_name,
    real_array,
    text_of_name,
)
from mimlpaper.bags import LARGEST, Bags, as_bags, in_order_of_examples, names_of_examples
from mimlpaper.computing import computing
from mimlpaper.parameters import check_parameters, words

LABEL_RULES = "sign", "top"
NO_LABELS = "fit requires y to be passed, but the target y is None"
ROUNDING = 1e-14  # of a mean of equal numbers, as a share
OFFSET = 1e5  # most deviations from a mean to 0: squares of what varies lose ten digits


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


def check_bags(
    X,
    estimator=None,
    *,
    reset: bool = False,
    allow_missing: bool = False,
) -> Bags:
    """``X`` as :class:`Bags`, with the features that ``estimator`` was fitted on, by name too.

    ``reset`` in ``fit``: sets ``n_features_in_`` and ``feature_names_in_``; else ``estimator`` must
    be fitted. With ``allow_missing`` NaN are allowed.
    """
    if estimator is not None and not reset:
        check_is_fitted(estimator)
    bags = as_bags(X, allow_missing=allow_missing)
    if estimator is not None:
        features = bags.rows
        if bags.feature_names is not None:
            features = _named_features(bags.table, estimator, reset)
        validate_data(estimator, features, reset=reset, skip_check_array=True)
        scales = getattr(estimator, "scales_features", False)
        if reset and not allow_missing and not scales and isinstance(bags.rows, np.ndarray):
            _check_offset(bags.rows)
    return bags


def with_texts_as_names(table):
    """The table with names that scikit-learn compares: of numbers, dates and tuples it has none.

    The numbers 0, 1, … are mere places.
    """
    columns = table.columns
    if pd.api.types.is_integer_dtype(columns) and columns.equals(pd.RangeIndex(len(columns))):
        return table
    return table.set_axis(list(map(text_of_name, table.columns)), axis=1)


def _named_features(table, estimator, reset):
    """The table with names of features that scikit-learn compares with those of ``fit``.

    It does not compare numbers: those of places are refused in another order.
    """
    if reset:
        return with_texts_as_names(table)
    if hasattr(estimator, "feature_names_in_"):
        return table.set_axis(list(map(text_of_name, table.columns)), axis=1)
    _check_numbered("X", "features", table.columns)
    return table


def _check_offset(X):
    """Refuse features that vary by little beside their means: their distances lose all digits."""
    mean, variance = X.mean(axis=0), X.var(axis=0).sum()
    # What rounding makes of constant features is no variation.
    if ROUNDING**2 * (mean @ mean) < variance < (mean @ mean) / OFFSET**2:
        largest, deviation = np.abs(mean).max(), np.sqrt(variance)
        raise ValueError(
            f"X must lie around 0, got features of {largest:.1e} that vary by {deviation:.1e}; "
            "scale them, as MinMaxScaler() does, or for bags OnInstances(MinMaxScaler())"
        )


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

    ``reset`` as in :func:`check_bags`; ``offset``: features may vary by little beside their means;
    ``options`` are those of scikit-learn's ``validate_data``.
    """
    if not reset:
        check_is_fitted(estimator)
    if _holds_bags(X):
        raise ValueError("X must be one vector an example, got bags; make them by BagStatistics()")
    _check_cells_of_vectors(X)
    if isinstance(X, pd.DataFrame):
        X = _named_features(X, estimator, reset)
    X = validate_data(
        estimator,
        X,
        dtype=np.float64,
        accept_sparse=sparse,
        reset=reset,
        **options,
    )
    if X.shape[0] and abs(X).max() > LARGEST:
        raise ValueError(f"X must hold values within {LARGEST:.0e}, or their squares overflow")
    if reset and not offset and isinstance(X, np.ndarray):
        _check_offset(X)
    return X


def _holds_bags(X):
    """Whether X is bags, or what they are made of: a collection of tables or lists of rows."""
    if isinstance(X, Bags) or (isinstance(X, np.ndarray) and X.ndim == 3):
        return True
    if isinstance(X, dict):
        X = list(X.values())
    if not isinstance(X, list | tuple | pd.Series) or not len(X):
        return False
    first = X.iloc[0] if isinstance(X, pd.Series) else X[0]
    if isinstance(first, list | tuple) and first:  # rows may have several lengths
        return isinstance(first[0], list | tuple | np.ndarray)
    return getattr(first, "ndim", 0) == 2


def _check_cells_of_vectors(X):
    """Refuse what scikit-learn would take: masks, dates, texts as Python reads them, 2^53 + 1."""
    if hasattr(X, "toarray"):
        if hasattr(X, "data"):
            check_integers("X", X.data)
        return
    if cells_of("X", X).dtype.kind != "c":  # scikit-learn refuses complex numbers
        check_type("X", X)
        check_integers("X", X)


@contextmanager
def fitting(estimator) -> Iterator:
    """Context of a fit: an unfitted copy to learn on, whose state ``estimator`` has at the end.

    After an error or an interrupt the estimator is what it was before. Parameters are checked
    first. Fitted attributes are those whose names end with an underscore, and that are no
    parameters; ``_fit`` sets them.
    """
    learner = copy(estimator)
    for name in vars(learner).keys() - estimator.get_params(deep=False).keys():
        if name.endswith("_"):
            delattr(learner, name)
    check_parameters(learner)
    with computing():
        yield learner
    # One assignment: an interrupt comes before or after it, never between two attributes.
    estimator.__dict__ = vars(learner)


class BagClassifier(ClassifierMixin, BaseEstimator):
    """Base class of learners of one binary label a bag.

    A learner implements ``_fit``, which sets fitted attributes, and ``_scores``. Both get checked
    :class:`Bags`, and run with one BLAS thread. A fit that does not end changes nothing.
    """

    def fit(self, X, y) -> Self:
        """Fit on bags X and labels y (n_bags,) of two classes; the second is positive."""
        with fitting(self) as learner:
            bags = check_bags(X, learner, reset=True)
            y = in_order_of_examples(y, X)
            learner._fit(bags, learner._learn_classes(y, len(bags)))
        return self

    def decision_function(self, X) -> np.ndarray:
        """Real score of each bag, positive for ``classes_[1]``: (n_bags,)."""
        check_is_fitted(self)
        with computing():
            return self._scores(check_bags(X, self))

    def predict(self, X) -> np.ndarray:
        """The label of each bag: (n_bags,)."""
        check_is_fitted(self)
        return self.decide(self.decision_function(X))

    def decide(self, scores: np.ndarray) -> np.ndarray:
        """Labels (n_bags,) from scores (n_bags,): ``classes_[1]`` if positive."""
        check_is_fitted(self)
        scores = real_array("scores", scores)
        if scores.ndim != 1 or np.isnan(scores).any():
            raise ValueError(
                f"scores must be (n_bags,), without NaN, got shape {scores.shape} and "
                f"{np.isnan(scores).sum()} NaN"
            )
        return self.classes_[(scores > 0).astype(int)]

    def score(self, X, y, sample_weight=None) -> float:
        """Share of bags with the right label; labels and weights go by the names of the bags."""
        check_is_fitted(self)
        truth = second_class("y", in_order_of_examples(y, X), self.classes_)
        predicted = second_class("predictions", self.predict(X), self.classes_)
        return accuracy_score(truth, predicted, sample_weight=_weights(sample_weight, X))

    def _fit(self, bags: Bags, positive: np.ndarray):
        """Learn from bags and whether each has the second class: (n_bags,)."""
        raise NotImplementedError(f"{type(self).__name__} must define _fit(bags, positive)")

    def _scores(self, bags: Bags) -> np.ndarray:
        """Real scores (n_bags,)."""
        raise NotImplementedError(f"{type(self).__name__} must define _scores(bags)")

    def _learn_classes(self, y, n_bags: int) -> np.ndarray:
        """Which bags have the second class, as booleans (n_bags,); sets ``classes_``."""
        if y is None:
            raise ValueError(NO_LABELS)
        check_mask("y", y)
        if isinstance(y, list | tuple):
            _check_one_type(y)
        y = cells_of("y", y)
        if y.shape not in ((n_bags,), (n_bags, 1)):
            raise ValueError(f"y must have shape ({n_bags},), one label a bag, got {y.shape}")
        y = y.ravel()
        if pd.isna(y).any():
            raise ValueError(f"y must not hold NaN, got one for bag {pd.isna(y).argmax()}")
        try:
            self.classes_ = np.unique(y)
        except TypeError:
            types = sorted({type(label).__name__ for label in y})
            raise ValueError(f"y must hold labels of one type, got {', '.join(types)}") from None
        if len(self.classes_) != 2:
            first_classes = self.classes_[:5].tolist()
            n_classes = len(self.classes_)
            raise ValueError(f"y must hold two classes, got {n_classes}: {first_classes}")
        return y == self.classes_[1]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class MultiLabelEstimator(ClassifierMixin, BaseEstimator):
    """Base class of learners of label sets, of bags unless ``_check_X`` is overridden.

    A learner implements ``_fit``, which sets fitted attributes, and ``_scores``. Both get checked
    input, and run with one BLAS thread. A fit that does not end changes nothing. ``label_names_``
    (n_labels,) are Y's columns, or 0, 1, ….
    """

    _parameter_constraints: ClassVar[dict] = {"label_rule": [words(*LABEL_RULES)]}

    def fit(self, X, Y) -> Self:
        """Fit on X, bags or vectors as the class says, and label sets Y (n_examples, n_labels)."""
        with fitting(self) as learner:
            Y = in_order_of_examples(Y, X)
            X = learner._check_X(X, reset=True)
            labels = learner._learn_labels(Y, X.shape[0])
            learner._warn_of_constant(labels)
            learner._fit(X, labels)
        return self

    def decision_function(self, X) -> np.ndarray | pd.DataFrame:
        """Real scores (n_examples, n_labels); of two labels the higher is likelier."""
        check_is_fitted(self)
        with computing():
            scores = self._scores(self._check_X(X, reset=False))
        return self._in_output_format(scores, X)

    def predict(self, X) -> np.ndarray | pd.DataFrame:
        """Label sets as booleans (n_examples, n_labels), by ``label_rule``."""
        check_is_fitted(self)
        labels = self.decide(np.asarray(self.decision_function(X)))
        return self._in_output_format(labels, X)

    def decide(self, scores: np.ndarray) -> np.ndarray:
        """Label sets (n_examples, n_labels) from scores of the same shape, by ``label_rule``."""
        scores = real_array("scores", scores)
        if scores.ndim != 2 or np.isnan(scores).any():
            raise ValueError(
                "scores must be (n_examples, n_labels), without NaN, got shape "
                f"{scores.shape} and {np.isnan(scores).sum()} NaN"
            )
        return label_sets(scores, self.label_rule)

    def score(self, X, y, sample_weight=None) -> float:  # scikit-learn gives y by its name
        """Share of examples with the right label set.

        Rows and columns of y, and weights, go by their names.
        """
        in_order = in_order_of_labels(in_order_of_examples(y, X), self)
        truth = label_array("y", in_order)
        predicted = np.asarray(self.predict(X))
        if truth.shape != predicted.shape:
            raise ValueError(f"y must have shape {predicted.shape}, got {truth.shape}")
        return accuracy_score(truth, predicted, sample_weight=_weights(sample_weight, X))

    def set_output(self, *, predict: str = "default") -> Self:
        """Give arrays ("default") or DataFrames with the columns ``label_names_`` ("pandas")."""
        if predict not in ("default", "pandas"):
            raise ValueError(f"predict must be 'default' or 'pandas', got {predict!r}")
        # scikit-learn's clone copies it.
        self._sklearn_output_config = {"predict": predict}
        return self

    @property
    def classes_(self) -> np.ndarray:
        """The classes of each label, False and True: (n_labels, 2).

        scikit-learn knows by it that there are labels. One or two names in its place would be the
        classes of a single label to it, and scores would change their sign.
        """
        check_is_fitted(self, "label_names_")
        return np.tile([False, True], (len(self.label_names_), 1))

    @property
    def output(self) -> str:
        """What :meth:`set_output` asked for."""
        return getattr(self, "_sklearn_output_config", {}).get("predict", "default")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags = ClassifierTags(multi_class=False, multi_label=True)
        tags.target_tags = TargetTags(
            True, two_d_labels=True, multi_output=True, single_output=False
        )
        return tags

    def _fit(self, X, Y: np.ndarray):
        """Learn from checked X and label sets Y as booleans (n_examples, n_labels)."""
        raise NotImplementedError(f"{type(self).__name__} must define _fit(X, Y)")

    def _scores(self, X) -> np.ndarray:
        """Real scores (n_examples, n_labels) of checked X."""
        raise NotImplementedError(f"{type(self).__name__} must define _scores(X)")

    def _check_X(self, X, *, reset: bool):
        """``X`` as ``_fit`` and ``_scores`` take it; ``reset`` as in :func:`check_bags`."""
        return check_bags(X, self, reset=reset)

    def _learn_labels(self, Y, n_examples: int) -> np.ndarray:
        """``Y`` as booleans (n_examples, n_labels); sets ``label_names_`` and ``n_labels_``."""
        labels = check_labels(Y, n_examples)
        self.n_labels_ = labels.shape[1]
        names = pd.Index(Y.columns if isinstance(Y, pd.DataFrame) else range(self.n_labels_))
        texts = pd.Index(map(text_of_name, names))  # by which they are matched
        if texts.has_duplicates:
            twice = texts[texts.duplicated()].tolist()
            raise ValueError(f"Y must have columns with different names, got {twice} twice")
        self.label_names_ = np.asarray(names)
        return labels

    def _warn_of_constant(self, labels: np.ndarray):
        """Warn of labels that all or no examples have."""
        constant = np.flatnonzero(is_constant(labels))
        if len(constant):
            names = self.label_names_[constant].tolist()
            message = f"label(s) {names} have one class only in training"
            warnings.warn(message, ConstantLabelWarning, stacklevel=3)

    def _in_output_format(self, values: np.ndarray, X) -> np.ndarray | pd.DataFrame:
        """Values (n_examples, n_labels) as :meth:`set_output` asked; a frame has X's index."""
        if self.output != "pandas":
            return values
        return pd.DataFrame(values, names_of_examples(X), self.label_names_)


class LogOdds(MultiLabelEstimator):
    """Base class of learners whose scores are log odds."""

    def predict_proba(self, X) -> np.ndarray | pd.DataFrame:
        """Probability of each label: (n_examples, n_labels)."""
        probabilities = expit(np.asarray(self.decision_function(X)))
        return self._in_output_format(probabilities, X)


class VectorEstimator(MultiLabelEstimator):
    """Base class of multi-label learners of dense or sparse vectors."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _check_X(self, X, *, reset: bool):
        return check_vectors(self, X, reset=reset)


class InstanceScores:
    """Mixin of learners of bags that score instances; a learner implements ``_instance_scores``."""

    def instance_scores(self, X) -> np.ndarray:
        """Score of each instance: (n_instances, n_labels), or (n_instances,) for one label."""
        check_is_fitted(self)
        with computing():
            return self._instance_scores(check_bags(X, self))

    def _instance_scores(self, bags: Bags) -> np.ndarray:
        """Scores of the instances of checked bags."""
        raise NotImplementedError(f"{type(self).__name__} must define _instance_scores(bags)")


def second_class(name: str, labels, classes: np.ndarray) -> np.ndarray:
    """Whether each label (n,) is the second of two classes; errors use ``name``.

    Classes and labels of -1, 0, 1 and booleans mean the same, whichever of these they are.
    """
    check_mask(name, labels)
    cells = cells_of(name, without_names(labels))
    if cells.shape[1:] not in ((), (1,)):
        raise ValueError(f"{name} must have shape (n_bags,), one label a bag, got {cells.shape}")
    cells = cells.reshape(-1)
    if pd.isna(cells).any():
        raise ValueError(f"{name} must not hold NaN, got one for bag {pd.isna(cells).argmax()}")
    unknown = cells[~np.isin(cells, classes)]
    if not len(unknown):
        return np.asarray(cells == classes[1], dtype=bool)
    truths = (-1, 0, 1)
    are_truths = np.isin([*classes, *unknown], truths).all() and classes[1] > 0
    # 0 and -1 beside each other: nobody knows what they mean.
    are_unclear = np.isin((-1, 0), cells).all()
    if are_truths and not are_unclear:
        return np.asarray(cells > 0, dtype=bool)
    raise ValueError(f"{name} must hold the classes {classes.tolist()}, got {unknown[0]!s:.60}")


def _check_one_type(labels):
    """Refuse texts beside others in a list: NumPy would make texts of all, also of NaN."""
    are_texts = {isinstance(label, str) for label in labels}
    if len(are_texts) > 1:
        types = sorted({type(label).__name__ for label in labels})
        raise ValueError(f"y must hold labels of one type, got {', '.join(types)}")


def _weights(sample_weight, X):
    """Weights of examples in the order of X, where both name them."""
    return None if sample_weight is None else without_names(in_order_of_examples(sample_weight, X))


def last_step(learner):
    """The learner itself, or the one at the end of fitted pipelines and searches."""
    if hasattr(learner, "best_estimator_"):
        return last_step(learner.best_estimator_)
    return last_step(learner[-1]) if isinstance(learner, Pipeline) else learner


def in_order_of_labels(Y, estimator):
    """A table of labels with its columns in the order of those that the estimator has learned.

    scikit-learn's own learners do not know the names of labels.
    """
    names = getattr(last_step(estimator), "label_names_", ())
    if not isinstance(Y, pd.DataFrame) or len(names) != Y.shape[1]:
        return Y
    numbers = list(range(Y.shape[1]))
    if list(names) == numbers:
        _check_numbered("Y", "labels", Y.columns)
        return Y
    return Y.iloc[:, order_by_name("Y and the labels of the estimator", Y.columns, names)]


def _check_numbered(what, parts, columns):
    """Refuse columns with numbers that do not rise, where labels or features have no names.

    They may be names, or mean nothing.
    """
    are_numbers = all(isinstance(column, Integral) for column in columns)
    if are_numbers and list(columns) != sorted(columns):
        raise ValueError(
            f"{what} must have its columns in the order of their numbers, got them in another "
            f"order; give {what}.sort_index(axis=1), or, if they have the order of the {parts} in "
            f"fit, {what}.to_numpy()"
        )


def without_names(values):
    """The array of a table, whose rows and columns are in the order of the bags and labels."""
    return values.to_numpy() if hasattr(values, "to_numpy") else values


def with_names_of_bags(transformer, vectors: np.ndarray, names: Sequence | None):
    """The vectors; where pandas' output is asked for, a table whose rows have the bags' names.

    scikit-learn keeps that index. It would number the rows, and a later step would take the numbers
    for names.
    """
    own_output = getattr(transformer, "_sklearn_output_config", {})
    output = own_output.get("transform", get_config()["transform_output"])
    if names is None or output != "pandas":
        return vectors
    return pd.DataFrame(vectors, list(names))


def is_constant(labels: np.ndarray) -> np.ndarray:
    """Which labels all or no examples have, from label sets (n_examples, n_labels): (n_labels,)."""
    return np.asarray(labels.all(axis=0) | ~labels.any(axis=0))


@contextmanager
def without_label_warnings() -> Iterator[None]:
    """Context of a fit within a fit: the outer one has warned of labels with one class only."""
    with warnings.catch_warnings(action="ignore", category=ConstantLabelWarning):
        yield
