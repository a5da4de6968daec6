import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import (
    coverage_error,
    label_ranking_average_precision_score,
    label_ranking_loss,
)
from sklearn.metrics import hamming_loss as sklearn_hamming_loss

from mimlpaper import metrics
from mimlpaper.algorithms.mimlnn import MimlNn
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
    Y = np.array([[1, 0, 0, 0]])
    scores = np.zeros((1, 4))
    assert metrics.coverage(Y, scores) == 3
    assert metrics.ranking_loss(Y, scores) == 1
    assert metrics.average_precision(Y, scores) == 1 / 4
    assert metrics.average_recall(Y, scores, np.array([[1, 1, 1, 0]])) == 0
    assert metrics.average_recall(Y, scores, np.ones((1, 4))) == 1
    assert metrics.one_error(Y, scores) == 1


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


Y2, SCORES2, PREDICTED2 = np.eye(2, dtype=int), np.array([[0.9, 0.2], [0.3, 0.7]]), np.eye(2)
NAMES = ["sea", "sky"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"predicted": 2 * PREDICTED2 - 1}, "predicted must hold booleans, or 0 and 1, got -1.0"),
        ({"scores": PREDICTED2, "predicted": SCORES2}, "got 0.9; are scores and predicted swapped"),
        ({"scores": PREDICTED2 > 0}, "scores must hold real values, got booleans"),
        ({"Y": 2 * Y2 - 1}, "Y must hold booleans, or 0 and 1, got -1"),
        (
            {
                "Y": pd.DataFrame(Y2, columns=NAMES),
                "predicted": pd.DataFrame(PREDICTED2, columns=NAMES[::-1]),
            },
            r"the same columns in the same order, got \['sea', 'sky'\] and \['sky', 'sea'\]",
        ),
        (
            {"Y": pd.DataFrame(Y2, index=NAMES), "scores": pd.DataFrame(SCORES2)},
            r"the same index in the same order, got \['sea', 'sky'\] and \[0, 1\]",
        ),
    ],
)
def test_nonsense_is_refused_by_evaluate(change, message):
    given = {"Y": Y2, "scores": SCORES2, "predicted": PREDICTED2}
    assert metrics.evaluate(**given)["hamming_loss"] == 0
    with pytest.raises(ValueError, match=message):
        metrics.evaluate(**given | change)


@pytest.mark.parametrize("recode", [lambda y: y, lambda y: y.astype(int), lambda y: 2 * y - 1])
@pytest.mark.parametrize("recode_too", [lambda y: y, lambda y: 2.0 * y - 1])
def test_accuracy_reads_every_way_to_write_two_labels(recode, recode_too):
    y, predicted = np.array([True, False, True, True]), np.array([True, True, False, True])
    assert metrics.accuracy(recode(y), recode_too(predicted)) == 0.5
    with pytest.raises(ValueError, match=r"predicted must hold .*got \[0.2, 0.4\]"):
        metrics.accuracy([0, 1], [0.2, 0.4])


def test_scorers_match_rows_by_position_and_take_one_criterion(bags, labels):
    """As scikit-learn's: cross-validation hands them rows of a DataFrame."""
    frame = pd.DataFrame(labels, index=range(9, 9 + len(labels)))
    model = MimlNn(random_state=0).set_output(predict="pandas").fit(bags, frame)
    expected = MimlNn(random_state=0).fit(bags, labels)
    for name in metrics.CRITERIA:
        scorer = metrics.scorers[name]
        assert scorer(model, bags, frame) == scorer(expected, bags, labels)
    full = np.ones((len(labels), 1), dtype=bool)
    full[0] = False
    one = MimlNn(random_state=0).fit(bags, full)
    assert np.isfinite(metrics.scorers["hamming_loss"](one, bags, full))
    with pytest.raises(ValueError, match="must both be"):
        metrics.scorers["accuracy"](expected, bags, labels)


def test_scorers_are_larger_the_better_and_survive_pickling(bags, labels):
    model = MimlNn(random_state=0).fit(bags, labels)
    values = metrics.evaluate(labels, model.decision_function(bags), model.predict(bags))
    assert list(metrics.scorers) == [*metrics.CRITERIA, "accuracy"]
    for name, value in values.items():
        scorer = pickle.loads(pickle.dumps(metrics.scorers[name]))
        sign = -1 if metrics.CRITERIA[name].lower_is_better else 1
        assert scorer(model, bags, labels) == sign * value


def test_criteria_are_the_seven_of_the_paper():
    assert list(metrics.CRITERIA) == list(
        metrics.evaluate(np.array([[1, 0]]), np.array([[1.0, 0.0]]), np.array([[1, 0]]))
    )
    assert [c.arrow for c in metrics.CRITERIA.values()] == ["↓"] * 4 + ["↑"] * 3


def test_one_binary_label_is_measured_by_accuracy():
    assert metrics.evaluate([True, False, True], [0.1, 0.2, 0.3], [1, 1, 1]) == {"accuracy": 2 / 3}
    with pytest.raises(ValueError, match=r"\(2,\) and \(3,\)"):
        metrics.accuracy([1, 0], [1, 0, 1])
