"""The criteria, by hand, against slow versions and against scikit-learn."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelBinarizer

from mimlpaper import MeanInstances, MiSvmBag, NoisyOr, metrics
from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.bags import Bags
from tests import reference


def test_one_bag_by_hand():
    """Scores (4, 3, 2, 1), labels 1 and 3 true, labels 1 and 2 predicted.

    Ranks of the true labels: 1 and 3. Hamming loss 2/4. The top label is true. Coverage 3 - 1.
    Of the four (true, false) pairs one is wrong, (3, 2). Average precision (1/1 + 2/3) / 2.
    Recall: one of two true labels is among the first |h| = 2. F1: 2 · 5/6 · 1/2 / (5/6 + 1/2).
    """
    Y = np.array([[1, 0, 1, 0]])
    scores = [[4, 3, 2, 1]]
    predicted = [[1, 1, 0, 0]]
    values = metrics.evaluate(Y, scores, predicted)
    assert values == pytest.approx(
        {
            "hamming_loss": 0.5,
            "one_error": 0,
            "coverage": 2,
            "ranking_loss": 0.25,
            "average_precision": 5 / 6,
            "average_recall": 1 / 2,
            "average_f1": 5 / 8,
        }
    )


def test_criteria_have_the_order_and_arrows_of_the_paper():
    evaluated = metrics.evaluate(np.eye(2), np.eye(2), np.eye(2))
    assert list(evaluated) == list(metrics.CRITERIA)
    arrows = [c.arrow for c in metrics.CRITERIA.values()]
    assert arrows == ["↓"] * 4 + ["↑"] * 3


def test_agrees_with_the_slow_form(rng):
    """With ties, which count against the learner, and without."""
    Y, predicted = rng.random((2, 60, 6)) < 0.4
    with_ties = rng.integers(0, 4, (60, 6))
    without_ties = rng.normal(size=(60, 6))
    for scores in with_ties, without_ties:
        values = metrics.evaluate(Y, scores, predicted)
        expected = reference.criteria(Y, scores, predicted)
        assert values == pytest.approx(expected, abs=1e-12)


def test_bags_for_which_a_criterion_is_undefined_are_left_out():
    """Bag 0 is ordinary, bag 1 has no label, bag 2 has all; nothing predicted gives no recall."""
    Y = np.array([[1, 0], [0, 0], [1, 1]])
    scores = [[1.0, 2.0]] * 3
    nothing = np.zeros((3, 2))
    assert metrics.evaluate(Y, scores, nothing) == {
        "hamming_loss": 3 / 6,
        "one_error": 1 / 2,
        "coverage": 1,
        "ranking_loss": 1,
        "average_precision": (1 / 2 + 1) / 2,
        "average_recall": 0,
        "average_f1": 0,
    }
    with pytest.raises(ValueError, match="no bag for which"):
        metrics.ranking_loss(Y[1:], scores[1:])


def test_nonsense_is_refused():
    Y = np.eye(2, dtype=int)
    scores = np.array([[0.9, 0.2], [0.3, 0.7]])
    predicted = np.eye(2)

    def refused(Y, scores, predicted, message):
        with pytest.raises(ValueError, match=message):
            metrics.evaluate(Y, scores, predicted)

    refused(Y, scores[:, :1], predicted, r"\(2, 2\), \(2, 1\)")
    refused(Y, scores * np.nan, predicted, "NaN, got 4")
    refused(
        Y,
        scores,
        2 * predicted - 1,
        "predicted must hold booleans, or 0 and 1, got -1",
    )
    refused(
        Y,
        predicted,
        scores,
        "got 0.9; are scores and predicted swapped",
    )
    refused(
        Y,
        predicted > 0,
        predicted,
        "scores must hold real values, got booleans",
    )
    refused(
        2 * Y - 1,
        scores,
        predicted,
        "Y must hold booleans, or 0 and 1, got -1",
    )


def test_rows_of_several_lengths_are_refused():
    Y = [[1, 0], [0, 1]]
    with pytest.raises(ValueError, match=r"Y must be a table .* by MultiLabelBinarizer\(\)"):
        metrics.evaluate([["sea"], ["sea", "sky"]], Y, Y)
    with pytest.raises(ValueError, match=r"scores must have rows of one length, got list"):
        metrics.evaluate(Y, [[0.5, 1.0], [0.5]], Y)


def test_frames_must_agree_in_their_names():
    scores = np.array([[0.9, 0.2], [0.3, 0.7]])
    predicted = np.eye(2)
    labels = pd.DataFrame(
        np.eye(2, dtype=int),
        index=["a", "b"],
        columns=["sea", "sky"],
    )
    without_names = labels.reset_index(drop=True)
    assert metrics.hamming_loss(labels, without_names) == 0

    exchanged = labels[["sky", "sea"]]
    with pytest.raises(ValueError, match="the same columns in the same order"):
        metrics.evaluate(labels, scores, exchanged)
    upside_down = labels[::-1]
    with pytest.raises(ValueError, match="the same index in the same order"):
        metrics.evaluate(labels, upside_down, predicted)


@pytest.mark.parametrize("names", [[2, 0, 3, 1], ["c", "a", "d", "b"]], ids=str)
def test_tables_in_another_order_of_rows_are_never_compared_by_place(names):
    Y = pd.DataFrame({"s": [1, 0, 0, 1]}, names)
    message = r"same index in the same order; give predicted\.loc\[[Yy]\.index\], or if"
    with pytest.raises(ValueError, match=message):
        metrics.hamming_loss(Y, Y.sort_index())
    with pytest.raises(ValueError, match=message):
        metrics.accuracy(Y["s"], Y["s"].sort_index())
    assert metrics.hamming_loss(Y, Y.sort_index().loc[Y.index]) == 0


def test_series_must_agree_in_their_index():
    y = pd.Series([1, 0], ["a", "b"])
    other_order = pd.Series([1, 0], ["b", "a"])
    with pytest.raises(
        ValueError, match="y and predicted must have the same index in the same"
    ):
        metrics.accuracy(y, other_order)
    with pytest.raises(ValueError, match="the same index"):
        metrics.evaluate(y, y, other_order)
    numbered = pd.Series([1, 0])
    assert metrics.accuracy(y, numbered) == 1
    assert metrics.accuracy(y, [1, 0]) == 1
    assert metrics.accuracy(y, y.copy()) == 1


@pytest.mark.parametrize(
    "y",
    [
        [True, False, True, True],
        [1, 0, 1, 1],
        [1, -1, 1, 1],
    ],
)
def test_accuracy_reads_every_way_to_write_two_labels(y):
    predicted = np.array([True, True, False, True])
    assert metrics.accuracy(y, predicted) == 0.5
    signs = np.array([1.0, 1.0, -1.0, 1.0])
    assert metrics.accuracy(y, signs) == 0.5


def test_accuracy_is_the_criterion_of_a_vector():
    y = [True, False, True]
    scores = [0.1, 0.2, 0.3]
    values = metrics.evaluate(y, scores, [1, 1, 1])
    assert values == {"accuracy": 2 / 3}


def test_accuracy_refuses_scores_and_other_lengths():
    with pytest.raises(ValueError, match=r"predicted must .*got \[0.2 0.4\]"):
        metrics.accuracy([0, 1], [0.2, 0.4])
    with pytest.raises(ValueError, match=r"\(1,\)"):
        metrics.accuracy([0, 1], [1])


def test_infinite_scores_have_an_area_under_the_curve():
    Y = np.array([[0], [1], [1]])
    assert metrics.area_under_curve(Y, [[-np.inf], [0.0], [np.inf]]) == 1.0


@pytest.mark.parametrize("dtype", [object, "boolean"])
def test_booleans_of_any_type_are_no_scores(dtype):
    scores = pd.DataFrame([[True, False]], dtype=dtype)
    with pytest.raises(ValueError, match="scores must hold real values, got booleans"):
        metrics.average_precision(np.array([[1, 0]]), scores)


def test_scores_and_predictions_are_compared_with_each_other():
    Y = np.array([[1, 0]])
    scores = pd.DataFrame([[0.9, 0.1]], columns=["a", "b"])
    predicted = pd.DataFrame([[0, 1]], columns=["b", "a"])
    with pytest.raises(ValueError, match="scores and predicted must have the same columns"):
        metrics.average_recall(Y, scores, predicted)


def test_scorers_match_names_as_fit_does(bags, labels):
    names = [f"b{i}" for i in range(len(bags))]
    named = Bags(bags.instances, bags.offsets, None, names)
    label_names = [f"l{i}" for i in range(labels.shape[1])]
    table = pd.DataFrame(labels, names, label_names)
    learner = NoisyOr().fit(named, table)
    expected = metrics.scorers["average_precision"](
        learner,
        named,
        table,
    )
    shuffled = table.iloc[::-1, ::-1]
    assert metrics.scorers["average_precision"](learner, named, shuffled) == expected


def test_scorers_match_rows_by_position_and_are_larger_the_better(bags, labels):
    """As scikit-learn's: cross-validation hands them rows of a DataFrame; they survive pickling."""
    frame = pd.DataFrame(labels, index=range(9, 9 + len(labels)))
    model = MimlNn(random_state=0).set_output(predict="pandas")
    model.fit(bags, frame)
    scores = np.asarray(model.decision_function(bags))
    predicted = np.asarray(model.predict(bags))
    values = metrics.evaluate(labels, scores, predicted)

    names = [*metrics.CRITERIA, "balanced_accuracy", "area_under_curve", "accuracy"]
    assert list(metrics.scorers) == names
    for name, value in values.items():
        pickled = pickle.dumps(metrics.scorers[name])
        scorer = pickle.loads(pickled)
        lower_is_better = metrics.CRITERIA[name].lower_is_better
        expected = -value if lower_is_better else value
        assert scorer(model, bags, frame) == expected
        assert scorer(model, bags, labels) == expected


@pytest.fixture
def numbered(labels):
    """Labels in columns whose numbers have another order."""
    return pd.DataFrame(labels[:, :3], columns=[2, 0, 1])


def test_labels_of_scikit_learn_keep_their_places(bags, numbered):
    """Its classes are numbers, whatever the columns are called."""
    learner = OneVsRestClassifier(LogisticRegression())
    model = make_pipeline(MeanInstances(), learner).fit(bags, numbered)
    hamming = metrics.scorers["hamming_loss"]
    assert hamming(model, bags, numbered) == hamming(model, bags, numbered.to_numpy())


def test_one_label_of_scikit_learn_is_scored_in_a_column(bags, labels):
    """scikit-learn flattens the predictions of a single column."""
    one_label = labels[:, :1]
    learner = RandomForestClassifier(n_estimators=5, random_state=0)
    model = make_pipeline(MeanInstances(), learner).fit(bags, one_label.ravel())
    wrong = model.predict(bags) != one_label.ravel()
    assert metrics.scorers["hamming_loss"](model, bags, one_label) == -wrong.mean()


@pytest.mark.parametrize(
    "name", ["one_error", "coverage", "ranking_loss", "average_precision"]
)
def test_criteria_of_the_order_of_labels_are_no_scorers_of_one(bags, labels, name):
    """All models would have the same value, and a search would choose any."""
    model = MimlNn(random_state=0).fit(bags, labels[:, :1])
    with pytest.raises(ValueError, match=f"{name} compares labels.* area_under_curve"):
        metrics.scorers[name](model, bags, labels[:, :1])


@pytest.mark.parametrize("name", ["area_under_curve", "balanced_accuracy"])
def test_scorers_of_one_label_are_its_criteria(bags, labels, name):
    """Also of a classifier of two classes, and as a mean over several labels."""
    one_label = labels[:, :1]
    model = MimlNn(random_state=0).fit(bags, one_label)
    values = metrics.evaluate(one_label, model.decision_function(bags), model.predict(bags))
    assert metrics.scorers[name](model, bags, one_label) == values[name]
    y = np.where(one_label.ravel(), "yes", "no")
    classifier = MiSvmBag().fit(bags, y)
    scores = classifier.decision_function(bags)[:, None]
    predicted = (classifier.predict(bags) == "yes")[:, None]
    values = metrics.evaluate(one_label, scores, predicted)
    assert metrics.scorers[name](classifier, bags, y) == values[name]
    of_all = MimlNn(random_state=0).fit(bags, labels)
    assert 0.5 < metrics.scorers[name](of_all, bags, labels) <= 1


def test_numbers_of_labels_in_another_order_are_names_or_refused(bags, numbered):
    hamming = metrics.scorers["hamming_loss"]
    by_number = MimlNn(random_state=0).fit(bags, numbered)
    in_order = numbered.sort_index(axis=1)
    assert hamming(by_number, bags, in_order) == hamming(by_number, bags, numbered)

    # Its labels have the numbers 0 to 2, or no names at all.
    by_place = MimlNn(random_state=0).fit(bags, numbered.to_numpy())
    with pytest.raises(
        ValueError, match="Y must have its columns in the order of their numbers"
    ):
        hamming(by_place, bags, numbered)
    other_names = numbered.set_axis([10, 20, 30], axis=1)
    expected = hamming(by_place, bags, numbered.to_numpy())
    assert hamming(by_place, bags, other_names) == expected


def test_score_matches_names_as_fit_does(bags, labels):
    names = [f"b{i}" for i in range(len(bags))]
    named = Bags(bags.instances, bags.offsets, None, names)
    table = pd.DataFrame(
        labels,
        names,
        [f"l{i}" for i in range(labels.shape[1])],
    )
    learner = MimlNn(random_state=0).fit(named, table)
    assert learner.score(named, table.iloc[::-1, ::-1]) == learner.score(named, table)
    two_levels = table.set_axis(pd.MultiIndex.from_product([["l"], table.columns]), axis=1)
    of_tuples = MimlNn(random_state=0).fit(named, two_levels)
    assert of_tuples.score(named, two_levels.iloc[:, ::-1]) == learner.score(named, table)
    assert learner.score(named, labels) == learner.score(named, table)
    of_one_label = MiSvmBag().fit(named, table["l0"])
    in_order = of_one_label.score(named, table["l0"])
    assert of_one_label.score(named, table["l0"].iloc[::-1]) == in_order


@pytest.mark.parametrize("classes", [["no", "yes"], [1, 2], [0, 5]], ids=str)
def test_the_scorer_of_accuracy_takes_the_classes_that_were_learned(bags, labels, classes):
    of_two_numbers = MiSvmBag().fit(bags, labels[:, 0])
    expected = metrics.scorers["accuracy"](
        of_two_numbers,
        bags,
        labels[:, 0],
    )
    y = np.array(classes)[1 * labels[:, 0]]
    learner = MiSvmBag().fit(bags, y)
    accuracy = metrics.scorers["accuracy"]
    assert 0 < expected == accuracy(learner, bags, y) == accuracy(learner, bags, pd.Series(y))
    with pytest.raises(ValueError, match=r"y must hold the classes .*, got 7"):
        accuracy(learner, bags, np.full(len(bags), 7))


def test_scorers_of_one_label_and_of_a_wrong_shape(bags, labels):
    one_label = np.arange(30)[:, None] > 0
    model = MimlNn(random_state=0).fit(bags, one_label)
    # One label has no ranking loss. That must not stop the others.
    hamming = metrics.scorers["hamming_loss"]
    assert hamming(model, bags, np.ones((30, 1))) <= 0

    model = MimlNn(random_state=0).fit(bags, labels)
    with pytest.raises(ValueError, match=r"must be \(n_bags,\)"):
        metrics.scorers["accuracy"](model, bags, labels)


def test_one_label_has_areas_and_shares_of_two_classes():
    Y = np.array([[1], [1], [1], [0]])
    scores = np.array([[3.0], [2.0], [0.0], [1.0]])
    values = metrics.evaluate(Y, scores, scores > 1.5)
    assert values == pytest.approx(
        {
            "hamming_loss": 1 / 4,
            "balanced_accuracy": (2 / 3 + 1) / 2,
            "area_under_curve": 2 / 3,
        }
    )


@pytest.mark.parametrize("as_labels", [np.ravel, lambda y: np.column_stack([y, y])])
def test_the_probability_of_one_of_three_classes_is_no_score(rng, as_labels):
    vectors = rng.normal(size=(9, 2))
    y = np.arange(9) % 3
    forest = RandomForestClassifier(2, random_state=0)
    with pytest.raises(
        ValueError, match=r"two classes a label, got 3: \[0, 1, 2\]; .*LabelBin"
    ):
        metrics.scores_of(forest.fit(vectors, as_labels(y)), vectors)
    Y = LabelBinarizer().fit_transform(y)
    assert metrics.scores_of(forest.fit(vectors, Y), vectors).shape == (9, 3)


def test_criteria_that_no_bag_defines_are_nan():
    ones = np.ones((2, 1))
    values = metrics.evaluate(ones, ones, ones)
    assert values["balanced_accuracy"] == 1
    assert np.isnan(values["area_under_curve"])

    # Every bag has both labels, so nothing can be ranked wrongly.
    values = metrics.evaluate(np.ones((2, 2)), np.eye(2), np.eye(2))
    assert np.isnan(values["ranking_loss"])
    assert values["hamming_loss"] == 0.5


def test_whole_numbers_and_their_texts_are_the_same_names():
    """As in a fit: files have texts for names, and tables of labels often numbers."""
    labels = pd.DataFrame([[1], [0]], index=[30, 31], columns=[1])
    predicted = pd.DataFrame([[1], [0]], index=["30", "31"], columns=["1"])
    assert metrics.hamming_loss(labels, predicted) == 0


def test_a_forest_of_which_one_label_is_constant_is_scored(rng):
    """scikit-learn gives it the classes of each label, one of which has one class alone."""
    vectors = rng.random((20, 2))
    labels = pd.DataFrame({"sea": vectors[:, 0] > 0.5, "sky": True})
    forest = RandomForestClassifier(3, random_state=0).fit(vectors, labels)
    assert metrics.scorers["hamming_loss"](forest, vectors, labels) <= 0
