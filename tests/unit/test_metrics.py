import numpy as np
import pytest
from sklearn.metrics import (
    coverage_error,
    label_ranking_average_precision_score,
    label_ranking_loss,
)
from sklearn.metrics import hamming_loss as sklearn_hamming_loss

from mimlpaper import metrics
from tests import reference


def test_one_bag_by_hand():
    """Scores (4, 3, 2, 1), labels 1 and 3 true, labels 1 and 2 predicted.

    Ranks of the true labels: 1 and 3. Hamming loss 2/4. The top label is true. Coverage 3 - 1.
    Of the four (true, false) pairs one is wrong, (3, 2). Average precision (1/1 + 2/3) / 2.
    Recall: one of two true labels is among the first |h| = 2.
    """
    Y = np.array([[1, 0, 1, 0]])
    scores = np.array([[4.0, 3.0, 2.0, 1.0]])
    predicted = np.array([[1, 1, 0, 0]])
    precision, recall = 5 / 6, 1 / 2
    assert metrics.evaluate(Y, scores, predicted) == pytest.approx(
        {
            "hamming_loss": 0.5,
            "one_error": 0.0,
            "coverage": 2.0,
            "ranking_loss": 0.25,
            "average_precision": precision,
            "average_recall": recall,
            "average_f1": 2 * precision * recall / (precision + recall),
        }
    )


def test_ties_count_against_the_learner():
    """All four labels have the same score, one is true: its rank is 4."""
    Y = np.array([[0, 1, 0, 0]])
    scores = np.zeros((1, 4))
    assert metrics.coverage(Y, scores) == 3
    assert metrics.ranking_loss(Y, scores) == 1
    assert metrics.average_precision(Y, scores) == 1 / 4
    assert metrics.average_recall(Y, scores, np.array([[1, 1, 1, 0]])) == 0
    assert metrics.average_recall(Y, scores, np.ones((1, 4))) == 1
    assert metrics.one_error(Y, scores) == 1  # the first of equals


@pytest.mark.parametrize("tied", [False, True])
def test_agrees_with_the_slow_form(rng, tied):
    Y = rng.random((60, 6)) < 0.4
    scores = rng.integers(0, 4, (60, 6)) if tied else rng.normal(size=(60, 6))
    predicted = rng.random((60, 6)) < 0.4
    expected = reference.criteria(Y, scores, predicted)
    assert metrics.evaluate(Y, scores, predicted) == pytest.approx(expected, abs=1e-12)


def test_agrees_with_scikit_learn_where_there_are_no_ties(rng):
    Y = rng.random((80, 5)) < 0.5
    Y = Y[Y.any(axis=1) & ~Y.all(axis=1)]
    scores = rng.normal(size=Y.shape)
    predicted = scores > 0
    assert metrics.coverage(Y, scores) == pytest.approx(coverage_error(Y, scores) - 1)
    assert metrics.ranking_loss(Y, scores) == pytest.approx(label_ranking_loss(Y, scores))
    assert metrics.average_precision(Y, scores) == pytest.approx(
        label_ranking_average_precision_score(Y, scores)
    )
    assert metrics.hamming_loss(Y, predicted) == pytest.approx(sklearn_hamming_loss(Y, predicted))


def test_bags_for_which_a_criterion_is_undefined_are_left_out():
    """Bag 0 is ordinary, bag 1 has no label, bag 2 has all."""
    Y = np.array([[1, 0], [0, 0], [1, 1]])
    scores = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]])
    assert metrics.one_error(Y, scores) == 1 / 2
    assert metrics.coverage(Y, scores) == 1
    assert metrics.ranking_loss(Y, scores) == 1
    assert metrics.average_precision(Y, scores) == (1 / 2 + 1) / 2
    assert metrics.hamming_loss(Y, np.zeros((3, 2))) == 3 / 6


def test_perfect_predictions(rng):
    Y = rng.random((20, 4)) < 0.5
    Y[:, 0] = True
    Y[:, 1] = False
    values = metrics.evaluate(Y, Y.astype(float), Y)
    assert [values[name] for name in ("hamming_loss", "one_error", "ranking_loss")] == [0, 0, 0]
    assert values["average_precision"] == values["average_recall"] == values["average_f1"] == 1


def test_nothing_predicted_gives_no_recall_and_no_f1():
    Y, scores = np.array([[1, 0]]), np.array([[1.0, 0.0]])
    assert metrics.average_recall(Y, scores, np.zeros((1, 2))) == 0
    assert metrics.average_f1(Y, scores, np.zeros((1, 2))) == 0


@pytest.mark.parametrize(
    ("Y", "scores", "message"),
    [
        ([[1, 0]], [[1.0]], r"\(1, 2\) and \(1, 1\)"),
        ([[1, 0]], [[1.0, np.nan]], "NaN, got 1"),
        ([[0, 0]], [[1.0, 2.0]], "no bag for which"),
    ],
)
def test_bad_input_is_refused(Y, scores, message):
    with pytest.raises(ValueError, match=message):
        metrics.coverage(Y, scores)


def test_criteria_are_the_seven_of_the_paper():
    assert list(metrics.CRITERIA) == list(
        metrics.evaluate(np.array([[1, 0]]), np.array([[1.0, 0.0]]), np.array([[1, 0]]))
    )
    assert [c.arrow for c in metrics.CRITERIA.values()] == ["↓"] * 4 + ["↑"] * 3


def test_one_binary_label_is_measured_by_accuracy():
    assert metrics.evaluate([True, False, True], [0.1, 0.2, 0.3], [1, 1, 1]) == {"accuracy": 2 / 3}
    with pytest.raises(ValueError, match=r"\(2,\) and \(3,\)"):
        metrics.accuracy([1, 0], [1, 0, 1])
