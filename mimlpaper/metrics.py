"""The paper's seven criteria for multi-label predictions (Section 4.3.1), and four others.

Arrays are (n_bags, n_labels): ``Y`` the true label sets, ``scores`` the real values h(X, y),
``predicted`` the predicted label sets h(X), as booleans, or 0 and 1. The rank of label y is the
number of labels scored at least as high as y: a tie counts against the learner. A criterion is
averaged over the bags for which its formula is defined: Hamming loss over all, ranking loss over
bags with a true and a false label, the others over bags with a true label.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from inspect import signature

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from mimlpaper.arrays import cells_of, check_mask, label_array, real_array, text_of_name
from mimlpaper.bags import in_order_of_examples
from mimlpaper.base import in_order_of_labels, second_class, without_names


def hamming_loss(Y, predicted) -> float:
    """Share of wrong decisions, (1/p) sum_i |h(X_i) Δ Y_i| / |labels|."""
    Y, predicted = _checked(Y, predicted=predicted)
    return float(np.mean(Y != predicted))


def one_error(Y, scores) -> float:
    """Share of bags with a top-scored label (one of equals is enough) that is not theirs."""
    Y, scores = _with_labels(Y, scores=scores)
    top = scores == scores.max(axis=1, keepdims=True)
    return float(np.mean((top & ~Y).any(axis=1)))


def coverage(Y, scores) -> float:
    """How far down the ranking the last true label is: mean of max_{y in Y_i} rank(y) - 1."""
    Y, scores = _with_labels(Y, scores=scores)
    ranks, _ = _ranks(Y, scores)
    return float(np.mean(ranks.max(axis=1) - 1))


def ranking_loss(Y, scores) -> float:
    """Share of (true, false) label pairs with h(X, true) <= h(X, false), averaged over bags."""
    Y, scores = _with_labels(Y, without=True, scores=scores)
    ranks, ranks_among_true = _ranks(Y, scores)
    misordered = (ranks - ranks_among_true).sum(axis=1)  # false labels scored at least as high
    n_pairs = Y.sum(axis=1) * (~Y).sum(axis=1)
    return float(np.mean(misordered / n_pairs))


def average_precision(Y, scores) -> float:
    """Mean over true labels y of (true labels ranked up to rank(y)) / rank(y), over bags."""
    Y, scores = _with_labels(Y, scores=scores)
    ranks, ranks_among_true = _ranks(Y, scores)
    precision = np.divide(ranks_among_true, ranks, out=np.zeros(Y.shape), where=Y)
    return float(np.mean(precision.sum(axis=1) / Y.sum(axis=1)))


def average_recall(Y, scores, predicted) -> float:
    """Share of true labels with rank(y) <= |h(X_i)|, averaged over bags."""
    Y, scores, predicted = _with_labels(Y, scores=scores, predicted=predicted)
    ranks, _ = _ranks(Y, scores)
    recalled = Y & (ranks <= predicted.sum(axis=1, keepdims=True))
    return float(np.mean(recalled.sum(axis=1) / Y.sum(axis=1)))


def average_f1(Y, scores, predicted) -> float:
    """Harmonic mean of average precision and average recall (0 if both are 0)."""
    precision = average_precision(Y, scores)
    recall = average_recall(Y, scores, predicted)
    if precision + recall == 0:
        return 0.0
    return 2 * precision * recall / (precision + recall)


def accuracy(y, predicted) -> float:
    """Share of bags with the right label; both (n_bags,), booleans, 0 and 1, or -1 and 1."""
    _check_order(y, predicted, "y", "predicted")
    y, predicted = real_array("y", y), real_array("predicted", predicted)
    if y.ndim != 1 or y.shape != predicted.shape:
        raise ValueError(f"y and predicted must be (n_bags,), got {y.shape} and {predicted.shape}")
    for name, labels in (("y", y), ("predicted", predicted)):
        if not (np.isin(labels, (0, 1)).all() or np.isin(labels, (-1, 1)).all()):
            raise ValueError(f"{name} must hold booleans, 0 and 1, or -1 and 1, got {labels[:5]}")
    return float(np.mean((y > 0) == (predicted > 0)))


def area_under_curve(Y, scores) -> float:
    """Share of (with, without) pairs of bags that a label's scores order, averaged over labels."""
    Y, scores = _checked(Y, scores=scores)
    areas = []
    for has_label, of_label in zip(Y.T, scores.T, strict=True):
        if has_label.any() and not has_label.all():
            # By ranks, which are finite where scores are not.
            areas.append(roc_auc_score(has_label, rankdata(of_label)))
    if not areas:
        raise UndefinedError("Y has no label that some bags have and others lack")
    return float(np.mean(areas))


def balanced_accuracy(Y, predicted) -> float:
    """Mean of the shares found of the bags with a label and without it, averaged over labels."""
    Y, predicted = _checked(Y, predicted=predicted)
    shares = [balanced_accuracy_score(*columns) for columns in zip(Y.T, predicted.T, strict=True)]
    return float(np.mean(shares))


def evaluate(Y, scores, predicted) -> dict[str, float]:
    """All seven criteria, by name, in the paper's order; NaN where no bag defines one.

    For one column of ``Y``: Hamming loss, balanced accuracy and area under the curve; for ``Y``
    (n_bags,): accuracy.
    """
    if _is_vector(Y):
        return {"accuracy": accuracy(Y, predicted)}
    Y, scores, predicted = _checked(Y, scores=scores, predicted=predicted)
    criteria = {**CRITERIA} if Y.shape[1] > 1 else OF_ONE_LABEL
    values = dict.fromkeys(criteria, np.nan)
    for name, criterion in criteria.items():
        with suppress(UndefinedError):
            values[name] = criterion(Y, scores, predicted)
    return values


def _is_vector(labels):
    with suppress(ValueError):  # of rows of several lengths
        return np.ndim(labels) == 1
    return False


class UndefinedError(ValueError):
    """A criterion is defined for no bag, or no label."""


@dataclass(frozen=True)
class Criterion:
    """A criterion as a function of true label sets, scores and predicted label sets."""

    name: str
    title: str
    symbol: str  # as the paper prints it
    lower_is_better: bool
    function: Callable[..., float]

    @property
    def arrow(self) -> str:
        return "↓" if self.lower_is_better else "↑"

    def __call__(self, Y, scores, predicted) -> float:
        given = {"Y": Y, "scores": scores, "predicted": predicted}
        return self.function(*(given[name] for name in signature(self.function).parameters))


_ALL = (
    Criterion("hamming_loss", "hamming loss", "hloss", True, hamming_loss),
    Criterion("one_error", "one-error", "one-error", True, one_error),
    Criterion("coverage", "coverage", "coverage", True, coverage),
    Criterion("ranking_loss", "ranking loss", "rloss", True, ranking_loss),
    Criterion("average_precision", "average precision", "avgprec", False, average_precision),
    Criterion("average_recall", "average recall", "avgrecl", False, average_recall),
    Criterion("average_f1", "average F1", "avgF1", False, average_f1),
)
CRITERIA = {criterion.name: criterion for criterion in _ALL}
OF_ORDER = ("one_error", "coverage", "ranking_loss", "average_precision")
OF_ONE_LABEL: dict[str, Callable[..., float]] = {
    "hamming_loss": CRITERIA["hamming_loss"],
    "balanced_accuracy": lambda Y, scores, predicted: balanced_accuracy(Y, predicted),
    "area_under_curve": lambda Y, scores, predicted: area_under_curve(Y, scores),
}


def scores_of(estimator, X) -> np.ndarray:
    """Real scores of a fitted estimator: its decision function, or the probabilities of labels.

    They have the shape of its predictions. A TypeError says that it has neither.
    """
    if hasattr(estimator, "decision_function"):
        scores = estimator.decision_function(X)
        check_mask("scores", scores)
        return np.asarray(scores)
    if not hasattr(estimator, "predict_proba"):
        kind = type(estimator).__name__
        raise TypeError(f"estimator must have decision_function or predict_proba, got {kind}")
    shares = estimator.predict_proba(X)
    if isinstance(shares, list):  # trees and neighbours: the shares of both classes, by label
        by_label = zip(shares, estimator.classes_, strict=True)
        return np.column_stack([_share_of_true(share, classes) for share, classes in by_label])
    if np.ndim(estimator.predict(X)) == 1:
        return _share_of_true(shares, estimator.classes_)
    return np.asarray(shares)


def _share_of_true(shares, classes):
    """The column of the second class; a label that nothing or everything has lacks one."""
    shares = np.asarray(shares)
    if len(classes) > 2:
        raise ValueError(
            f"estimator must have two classes a label, got {len(classes)}: {classes[:5].tolist()}; "
            "give a column of Y for each class, as LabelBinarizer() makes them"
        )
    if len(classes) == 1:
        if classes[0] not in (-1, 0, 1):
            raise ValueError(
                f"estimator has learned one class of a label, {classes[0]!r}, of which nobody "
                "knows whether it says yes; give labels of 0 and 1"
            )
        return np.full(len(shares), float(classes[0] > 0))
    return shares[:, 1]


def _score(estimator, X, Y, *, name):
    """A criterion of a fitted estimator on bags X; larger is better."""
    truth = without_names(in_order_of_labels(in_order_of_examples(Y, X), estimator))
    predicted = without_names(estimator.predict(X))
    if name == "accuracy":
        return accuracy(*_of_second_class(estimator, truth, predicted))
    predicted = _as_column(predicted, truth)
    _check_defined(name, truth)
    if name == "hamming_loss":
        return -hamming_loss(truth, predicted)
    scores = _as_column(scores_of(estimator, X), truth)
    if name not in CRITERIA:
        truth, predicted = _of_second_class(estimator, truth, predicted)
        in_columns = [np.reshape(values, (len(truth), -1)) for values in (truth, scores, predicted)]
        return OF_ONE_LABEL[name](*in_columns)
    value = CRITERIA[name](truth, scores, predicted)
    return -value if CRITERIA[name].lower_is_better else value


def _check_defined(name, truth):
    """Refuse a criterion of the order of labels where there is one: any scores have one value."""
    has_one_label = np.ndim(truth) == 1 or np.shape(truth)[1] == 1
    if has_one_label and name in OF_ORDER:
        raise ValueError(
            f"{name} compares labels, and has one value for all scores of a single one; take "
            f"{' or '.join(OF_ONE_LABEL)}"
        )


def _as_column(values, truth):
    """Values (n_bags,) as (n_bags, 1) beside labels so: scikit-learn flattens a single column."""
    is_flat = np.ndim(values) == 1 and np.shape(truth)[1:] == (1,)
    return np.reshape(values, (-1, 1)) if is_flat else values


def _of_second_class(estimator, truth, predicted):
    """Labels (n_bags,) of any two classes as booleans."""
    classes = np.asarray(getattr(estimator, "classes_", ()))
    if classes.shape != (2,) or np.shape(truth)[1:] not in ((), (1,)):
        return truth, predicted
    return second_class("y", truth, classes), second_class("predicted", predicted, classes)


# For GridSearchCV and cross_val_score: losses are negative, as scikit-learn has it.
# Those of one label are means over the labels where there are several.
_NAMES_OF_SCORERS = dict.fromkeys((*CRITERIA, *OF_ONE_LABEL, "accuracy"))
scorers = {name: partial(_score, name=name) for name in _NAMES_OF_SCORERS}


def _checked(Y, **compared):
    """Arrays of ``Y`` and of what is compared with it, scores or predicted label sets."""
    arrays = [label_array("Y", Y)]
    for name, values in compared.items():
        is_labels = name == "predicted"
        array = label_array(name, values) if is_labels else _real_scores(values)
        _check_order(Y, values, "Y", name)
        if array.shape != arrays[0].shape:
            shapes = arrays[0].shape, array.shape
            raise ValueError(f"Y and {name} must be (n_bags, n_labels), got {shapes}")
        arrays.append(array)
    if len(compared) > 1:
        _check_order(*compared.values(), *compared)
    return arrays


def _real_scores(values):
    cells = cells_of("scores", values)
    is_truth = cells.dtype == bool
    if cells.dtype == object and cells.size:  # such as pandas' booleans with missing values
        is_truth = all(isinstance(cell, bool | np.bool_) for cell in cells.flat)
    if is_truth:
        raise ValueError("scores must hold real values, got booleans; are these predictions?")
    scores = real_array("scores", values)
    if np.isnan(scores).any():
        raise ValueError(f"scores must not hold NaN, got {np.isnan(scores).sum()}")
    return scores


def _check_order(Y, values, name_of_Y, name):
    """Two tables or Series must name the same rows and columns in the same order."""
    columns, columns_of_values = getattr(Y, "columns", None), getattr(values, "columns", None)
    have_columns = columns is not None and columns_of_values is not None
    if have_columns and _texts(columns) != _texts(columns_of_values):
        raise ValueError(
            f"{name_of_Y} and {name} must have the same columns in the same order, got "
            f"{list(columns)!s:.60} and {list(columns_of_values)!s:.60}; give "
            f"{name}[{name_of_Y}.columns], or, if the order is the same, {name}.to_numpy()"
        )
    # polars' tables have no index.
    of_pandas = pd.DataFrame | pd.Series
    if not (isinstance(Y, of_pandas) and isinstance(values, of_pandas)):
        return
    names, names_of_Y = _texts(values.index), _texts(Y.index)
    if names == names_of_Y:
        return
    # Predictions for bags without names are numbered. The same numbers in Y may be names.
    is_numbered = list(values.index) == list(range(len(names)))
    is_reordered = values.index.is_unique and set(names) == set(names_of_Y)
    if is_numbered and not is_reordered:
        return
    remedy = f"if their rows have the same order, give {name}.to_numpy()"
    if is_reordered:
        remedy = f"give {name}.loc[{name_of_Y}.index], or {remedy}"
    raise ValueError(f"{name_of_Y} and {name} must have the same index in the same order; {remedy}")


def _texts(names):
    """Names as texts, so that 30 and "30" are one name, as they are to learners."""
    return list(map(text_of_name, names))


def _with_labels(Y, *, without=False, **compared):
    """Arrays of the bags with a true label, with ``without`` also with a false one."""
    arrays = _checked(Y, **compared)
    labels = arrays[0]
    defined = labels.any(axis=1)
    if without:
        defined &= ~labels.all(axis=1)
    if not defined.any():
        raise UndefinedError("Y has no bag for which the criterion is defined")
    return tuple(array[defined] for array in arrays)


def _ranks(Y, scores):
    """rank(y) of every true label among all labels and among the true ones; 0 for false labels."""
    ranks = rankdata(-scores, "max", axis=1)  # equals get the largest of their ranks
    of_true = np.where(Y, -scores, np.nan)
    among_true = rankdata(of_true, "max", axis=1, nan_policy="omit")
    return np.where(Y, ranks, 0.0), np.where(Y, among_true, 0.0)  # (n_bags, n_labels) each
