"""The paper's seven criteria for multi-label predictions (Section 4.3.1), and accuracy.

Notation: ``Y`` (n_bags, n_labels) the true label sets, ``scores`` (n_bags, n_labels) the
real values h(X, y), ``predicted`` (n_bags, n_labels) the predicted label sets h(X).
The rank of label y is the number of labels scored at least as high as y, so that a tie
counts against the learner in every criterion.

One rule for bags without a label, or with every label: a criterion is averaged over the bags
for which its formula is defined. Hamming loss is defined for all; one-error, coverage,
average precision and average recall need at least one true label; ranking loss needs a true
and a false one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit

__all__ = [
    "CRITERIA",
    "Criterion",
    "accuracy",
    "average_f1",
    "average_precision",
    "average_recall",
    "coverage",
    "evaluate",
    "hamming_loss",
    "one_error",
    "ranking_loss",
]


def hamming_loss(Y, predicted) -> float:
    """Share of wrong decisions, (1/p) sum_i |h(X_i) Δ Y_i| / |labels|."""
    Y, predicted = _same_shape(Y, predicted, "predicted")
    return float(np.mean(Y != predicted.astype(bool)))


def one_error(Y, scores) -> float:
    """Share of bags whose top-scored label (the first of equals) is not theirs."""
    Y, scores = _same_shape(Y, scores, "scores")
    Y, scores = _only(Y.any(axis=1), Y, scores)
    return float(np.mean(~Y[np.arange(len(Y)), scores.argmax(axis=1)]))


def coverage(Y, scores) -> float:
    """How far down the ranking the last true label is: mean of max_{y in Y_i} rank(y) - 1."""
    Y, scores = _same_shape(Y, scores, "scores")
    Y, scores = _only(Y.any(axis=1), Y, scores)
    ranks, _ = _ranks_of_true_labels(Y, scores)
    return float(np.mean(ranks.max(axis=1) - 1))


def ranking_loss(Y, scores) -> float:
    """Share of (true, false) label pairs with h(X, true) <= h(X, false), averaged over bags."""
    Y, scores = _same_shape(Y, scores, "scores")
    Y, scores = _only(Y.any(axis=1) & ~Y.all(axis=1), Y, scores)
    ranks, ranks_among_true = _ranks_of_true_labels(Y, scores)
    misordered = (ranks - ranks_among_true).sum(axis=1)  # false labels scored at least as high
    n_true = Y.sum(axis=1)
    return float(np.mean(misordered / (n_true * (Y.shape[1] - n_true))))


def average_precision(Y, scores) -> float:
    """Mean over true labels y of (true labels ranked up to rank(y)) / rank(y), over bags."""
    Y, scores = _same_shape(Y, scores, "scores")
    Y, scores = _only(Y.any(axis=1), Y, scores)
    ranks, ranks_among_true = _ranks_of_true_labels(Y, scores)
    precision = np.divide(ranks_among_true, ranks, out=np.zeros(Y.shape), where=Y)
    return float(np.mean(precision.sum(axis=1) / Y.sum(axis=1)))


def average_recall(Y, scores, predicted) -> float:
    """Share of true labels with rank(y) <= |h(X_i)|, averaged over bags."""
    Y, scores = _same_shape(Y, scores, "scores")
    Y, predicted = _same_shape(Y, predicted, "predicted")
    Y, scores, predicted = _only(Y.any(axis=1), Y, scores, predicted)
    n_predicted = predicted.astype(bool).sum(axis=1, keepdims=True)
    ranks, _ = _ranks_of_true_labels(Y, scores)
    found = Y & (ranks <= n_predicted)
    return float(np.mean(found.sum(axis=1) / Y.sum(axis=1)))


def average_f1(Y, scores, predicted) -> float:
    """Harmonic mean of average precision and average recall (0 if both are 0)."""
    return _harmonic_mean(average_precision(Y, scores), average_recall(Y, scores, predicted))


def accuracy(y, predicted) -> float:
    """Share of bags with the right one of two labels; both (n_bags,)."""
    y, predicted = np.asarray(y), np.asarray(predicted)
    if y.ndim != 1 or y.shape != predicted.shape:
        raise ValueError(
            f"y and predicted must both be (n_bags,), got {y.shape} and {predicted.shape}"
        )
    return float(np.mean(y.astype(bool) == predicted.astype(bool)))


def evaluate(Y, scores, predicted) -> dict[str, float]:
    """All seven criteria, by name, in the paper's order.

    For bags with one binary label each, ``Y`` (n_bags,), the accuracy alone, as in Table 5.
    """
    if np.ndim(Y) == 1:
        return {"accuracy": accuracy(Y, predicted)}
    precision = average_precision(Y, scores)
    recall = average_recall(Y, scores, predicted)
    return {
        "hamming_loss": hamming_loss(Y, predicted),
        "one_error": one_error(Y, scores),
        "coverage": coverage(Y, scores),
        "ranking_loss": ranking_loss(Y, scores),
        "average_precision": precision,
        "average_recall": recall,
        "average_f1": _harmonic_mean(precision, recall),
    }


@dataclass(frozen=True)
class Criterion:
    """Name in code and files, name and symbol as the paper prints them, direction."""

    name: str
    title: str
    symbol: str
    lower_is_better: bool
    function: Callable | None = None

    @property
    def arrow(self) -> str:
        return "↓" if self.lower_is_better else "↑"


CRITERIA = {
    criterion.name: criterion
    for criterion in (
        Criterion("hamming_loss", "hamming loss", "hloss", True, hamming_loss),
        Criterion("one_error", "one-error", "one-error", True, one_error),
        Criterion("coverage", "coverage", "coverage", True, coverage),
        Criterion("ranking_loss", "ranking loss", "rloss", True, ranking_loss),
        Criterion("average_precision", "average precision", "avgprec", False, average_precision),
        Criterion("average_recall", "average recall", "avgrecl", False, average_recall),
        Criterion("average_f1", "average F1", "avgF1", False, average_f1),
    )
}


def _same_shape(Y, other, name):
    Y, other = np.asarray(Y), np.asarray(other)
    if Y.ndim != 2 or Y.shape != other.shape:
        raise ValueError(
            f"Y and {name} must both be (n_bags, n_labels), got {Y.shape} and {other.shape}"
        )
    if name == "scores" and np.isnan(other).any():
        raise ValueError(f"scores must not hold NaN, got {np.isnan(other).sum()}")
    return Y.astype(bool), other


def _only(defined, *arrays):
    if not defined.any():
        raise ValueError("Y has no bag for which the criterion is defined (see the module's rule)")
    return tuple(array[defined] for array in arrays)


@njit(cache=True)
def _ranks_of_true_labels(Y, scores):
    """rank(y) of every true label, and how many of those ranked so far are true themselves.

    Both (n_bags, n_labels), and 0 at false labels: no criterion asks for their rank.
    """
    n_bags, n_labels = Y.shape
    ranks = np.zeros((n_bags, n_labels), dtype=np.int64)
    ranks_among_true = np.zeros((n_bags, n_labels), dtype=np.int64)
    for i in range(n_bags):
        for y in range(n_labels):
            if Y[i, y]:
                for other in range(n_labels):
                    if scores[i, other] >= scores[i, y]:
                        ranks[i, y] += 1
                        ranks_among_true[i, y] += Y[i, other]
    return ranks, ranks_among_true


def _harmonic_mean(a, b):
    return 2 * a * b / (a + b) if a + b > 0 else 0.0
