"""The criteria, by hand, against slow versions and against scikit-learn."""

import pickle

import numpy as np
import pandas as pd
import pytest

from mimlpaper import metrics
from mimlpaper.algorithms.mimlnn import MimlNn
from tests import reference


def test_one_bag_by_hand():
    """Scores (4, 3, 2, 1), labels 1 and 3 true, labels 1 and 2 predicted.

    Ranks of the true labels: 1 and 3. Hamming loss 2/4. The top label is true. Coverage 3 - 1.
    Of the four (true, false) pairs one is wrong, (3, 2). Average precision (1/1 + 2/3) / 2.
    Recall: one of two true labels is among the first |h| = 2. F1: 2 · 5/6 · 1/2 / (5/6 + 1/2).
    """
    found = metrics.evaluate(np.array([[1, 0, 1, 0]]), [[4, 3, 2, 1]], [[1, 1, 0, 0]])
    assert list(found) == list(metrics.CRITERIA)  # in the paper's order
    assert [*found.values()] == pytest.approx([0.5, 0, 2, 0.25, 5 / 6, 1 / 2, 5 / 8])
    assert [c.arrow for c in metrics.CRITERIA.values()] == ["↓"] * 4 + ["↑"] * 3


def test_agrees_with_the_slow_form(rng):
    """With ties, which count against the learner, and without."""
    Y, predicted = rng.random((2, 60, 6)) < 0.4
    for scores in rng.integers(0, 4, (60, 6)), rng.normal(size=(60, 6)):
        expected = reference.criteria(Y, scores, predicted)
        assert metrics.evaluate(Y, scores, predicted) == pytest.approx(expected, abs=1e-12)


def test_bags_for_which_a_criterion_is_undefined_are_left_out():
    """Bag 0 is ordinary, bag 1 has no label, bag 2 has all; nothing predicted gives no recall."""
    Y, scores, nothing = np.array([[1, 0], [0, 0], [1, 1]]), [[1.0, 2.0]] * 3, np.zeros((3, 2))
    found = metrics.evaluate(Y, scores, nothing)
    assert list(found.values()) == [3 / 6, 1 / 2, 1, 1, (1 / 2 + 1) / 2, 0, 0]
    with pytest.raises(ValueError, match="no bag for which"):
        metrics.ranking_loss(Y[1:], scores[1:])


def test_nonsense_is_refused():
    Y, scores, predicted = np.eye(2, dtype=int), np.array([[0.9, 0.2], [0.3, 0.7]]), np.eye(2)
    frame = pd.DataFrame(Y, index=["a", "b"], columns=["sea", "sky"])
    assert metrics.hamming_loss(frame, frame.reset_index(drop=True)) == 0  # rows have no names
    for given, message in (
        ((Y, scores[:, :1], predicted), r"\(2, 2\), \(2, 1\)"),
        ((Y, scores * np.nan, predicted), "NaN, got 4"),
        ((Y, scores, 2 * predicted - 1), "predicted must hold booleans, or 0 and 1, got -1"),
        ((Y, predicted, scores), "got 0.9; are scores and predicted swapped"),
        ((Y, predicted > 0, predicted), "scores must hold real values, got booleans"),
        ((2 * Y - 1, scores, predicted), "Y must hold booleans, or 0 and 1, got -1"),
        ((frame, scores, frame[["sky", "sea"]]), "the same columns in the same order"),
        ((frame, frame[::-1], predicted), "the same index in the same order"),
    ):
        with pytest.raises(ValueError, match=message):
            metrics.evaluate(*given)


def test_accuracy_reads_every_way_to_write_two_labels():
    predicted = np.array([True, True, False, True])
    for y in ([True, False, True, True], [1, 0, 1, 1], [1, -1, 1, 1]):
        assert metrics.accuracy(y, predicted) == metrics.accuracy(y, 2.0 * predicted - 1) == 0.5
    assert metrics.evaluate([True, False, True], [0.1, 0.2, 0.3], [1, 1, 1]) == {"accuracy": 2 / 3}
    for guess, message in ([0.2, 0.4], r"predicted must .*got \[0.2 0.4\]"), ([1], r"\(1,\)"):
        with pytest.raises(ValueError, match=message):
            metrics.accuracy([0, 1], guess)


def test_scorers_match_rows_by_position_and_are_larger_the_better(bags, labels):
    """As scikit-learn's: cross-validation hands them rows of a DataFrame; they survive pickling."""
    frame = pd.DataFrame(labels, index=range(9, 9 + len(labels)))
    model = MimlNn(random_state=0).set_output(predict="pandas").fit(bags, frame)
    scores, predicted = (np.asarray(f(bags)) for f in (model.decision_function, model.predict))
    assert list(metrics.scorers) == [*metrics.CRITERIA, "accuracy"]
    for name, value in metrics.evaluate(labels, scores, predicted).items():
        scorer = pickle.loads(pickle.dumps(metrics.scorers[name]))
        sign = -1 if metrics.CRITERIA[name].lower_is_better else 1
        assert scorer(model, bags, frame) == scorer(model, bags, labels) == sign * value
    one = MimlNn(random_state=0).fit(bags, np.arange(30)[:, None] > 0)  # no ranking loss
    assert metrics.scorers["hamming_loss"](one, bags, np.ones((30, 1))) <= 0
    with pytest.raises(ValueError, match=r"must be \(n_bags,\)"):
        metrics.scorers["accuracy"](model, bags, labels)


def test_one_label_and_criteria_that_no_bag_defines():
    """Areas and shares of two classes for one label; NaN for what several labels do not define."""
    Y, scores = np.array([[1], [1], [1], [0]]), np.array([[3.0], [2.0], [0.0], [1.0]])
    assert metrics.evaluate(Y, scores, scores > 1.5) == pytest.approx(
        {"hamming_loss": 1 / 4, "balanced_accuracy": (2 / 3 + 1) / 2, "area_under_curve": 2 / 3}
    )
    found = metrics.evaluate(np.ones((2, 1)), np.ones((2, 1)), np.ones((2, 1)))
    assert found["balanced_accuracy"] == 1 and np.isnan(found["area_under_curve"])
    found = metrics.evaluate(np.ones((2, 2)), np.eye(2), np.eye(2))
    assert np.isnan(found["ranking_loss"]) and found["hamming_loss"] == 0.5
