"""MimlClassifier: its choice, calibration and reasons, against slow versions."""

from itertools import product
from time import perf_counter, sleep

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from mimlpaper import BagStatistics, DMimlSvm, MimlClassifier, MimlNn, NoisyOr
from mimlpaper.base import ConstantLabelWarning, InstanceScores, MultiLabelEstimator
from mimlpaper.checks import parametrize_with_checks
from mimlpaper.classifier import OnStatistics, TimeBudgetWarning, _calibrated, _folds
from mimlpaper.explanations import explain
from mimlpaper.preprocessing import OnInstances
from tests import reference

FAST = {"statistics": OnStatistics(SVC()), "NoisyOr": NoisyOr(), "MimlNn": MimlNn()}
NAMES = ["sky", "tree", "sea", "sand"]


class Largest(InstanceScores, MultiLabelEstimator):
    """Scores label l by the largest feature l of a bag, times a factor; learns nothing."""

    def __init__(self, factor=1.0, label_rule="sign"):
        self.factor = factor
        self.label_rule = label_rule

    def _fit(self, bags, Y):
        pass

    def _scores(self, bags):
        return bags.max(self._instance_scores(bags))

    def _instance_scores(self, bags):
        return self.factor * bags.instances[:, : self.n_labels_]


class Slow(Largest):
    def _fit(self, bags, Y):
        sleep(0.1)


class SlowByBags(Largest):
    """``factor`` seconds for 24 bags; time grows with the square of their number."""

    def _fit(self, bags, Y):
        sleep(self.factor * (len(bags) / 24) ** 2)


@pytest.fixture
def Y(labels):
    return labels


@parametrize_with_checks(
    [MimlClassifier(FAST, n_folds=3, random_state=0), OnStatistics(SVC(C=10.0))]
)
def test_what_every_learner_of_bags_promises(estimator, check):
    check(estimator)


def test_statistics_of_bags_in_any_classifier(bags, Y):
    """The vectors of scikit-learn are scaled statistics; forests give log odds."""
    vectors = StandardScaler().fit_transform(BagStatistics().fit_transform(bags))
    forest = RandomForestClassifier(20, random_state=0)
    scores = OnStatistics(forest, random_state=0).fit(bags, Y).decision_function(bags)
    for label in range(2):
        p = clone(forest).fit(vectors, Y[:, label]).predict_proba(vectors)[:, 1]
        assert np.allclose(1 / (1 + np.exp(-scores[:, label])), np.clip(p, 1e-3, 1 - 1e-3))
    for place in (0, 1):
        labels = np.insert(Y[:, :1].astype(int), place, 1, axis=1)
        with pytest.warns(ConstantLabelWarning):
            constant = OnStatistics(forest).fit(bags, labels)
        assert (constant.decision_function(bags)[:, place] > 1.0).all()


def test_one_label_and_what_would_take_too_long(bags, Y):
    """One label is chosen by its area, as its average precision is 1 for every learner."""
    candidates = {"equal": Largest(0.0), "NoisyOr": NoisyOr(ridge=0.01)}
    fitted = MimlClassifier(candidates, random_state=0).fit(bags, Y[:, :1])
    assert fitted.chosen_ == "NoisyOr" and "NoisyOr is chosen by area" in fitted.summary()
    assert fitted.held_out_["equal"] == 0.5 and 0 < fitted.predict(bags).mean() < 1
    slow = {"first": Slow(), "slow": Slow()}
    with pytest.warns(TimeBudgetWarning, match="time_budget=0.6 s is too short for slow; raise it"):
        fitted = MimlClassifier(slow, time_budget=0.6).fit(bags, Y[:, :2])
    assert fitted.chosen_ == "first" and np.isnan(fitted.held_out_["slow"])
    assert fitted.seconds_["first"] > 0.4 and "slow: left out" in fitted.summary()


def test_a_budget_ends_before_a_fit_that_would_break_it(bags, Y):
    """A fit to every fourth bag says how long a fold would take."""
    candidates = {"first": Largest(), "slow": SlowByBags(2.0)}
    began = perf_counter()
    with pytest.warns(TimeBudgetWarning, match="slow"):
        MimlClassifier(candidates, time_budget=1.0).fit(bags, Y[:, :2])
    assert perf_counter() - began < 1.5


def test_a_candidate_is_left_out_if_the_best_could_not_be_fitted_again(bags, Y):
    """The last fit, to all bags, is within the budget too."""
    candidates = {"first": SlowByBags(0.4), "second": Largest(0.0)}
    with pytest.warns(TimeBudgetWarning, match="for second"):
        fitted = MimlClassifier(candidates, n_folds=2, time_budget=0.5).fit(bags, Y[:, :2])
    assert fitted.chosen_ == "first"


def test_the_choice_does_not_depend_on_the_number_of_blas_threads(bags, Y):
    candidates = {**FAST, "D-MimlSvm": DMimlSvm()}
    held_out = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads, user_api="blas"):
            fitted = MimlClassifier(candidates, random_state=0).fit(bags, Y[:, :2])
        held_out.append(fitted.held_out_)
    assert held_out[0] == held_out[1]


def test_the_choice_by_hand():
    """Precision is 1 if the larger feature is the label, else 1/2; a negative slope is not used."""
    points = np.random.default_rng(1).random((40, 1, 2))
    in_order = list(points), points[:, 0] == points[:, 0].max(axis=1, keepdims=True)
    candidates = {"against": Largest(-1.0), "equal": Largest(0.0), "with": Largest()}
    fitted = MimlClassifier(candidates, random_state=0).fit(*in_order)
    expected = {"against": 0.5, "equal": 0.5, "with": 1.0}  # scaling turns a bag or two
    assert fitted.held_out_ == pytest.approx(expected, abs=0.03)
    assert fitted.chosen_ == "with" and fitted.model_[-1].factor == 1.0
    summary = fitted.summary()
    assert "with is chosen by average precision" in summary and "2 of 2 labels" in summary
    assert np.allclose(fitted.predict_proba([np.array([[1e6, -1e6]])]), [[1.0, 0.0]])
    del candidates["with"]
    fitted = MimlClassifier(candidates, random_state=0).fit(*in_order)
    assert fitted.chosen_ == "against"
    assert [*fitted.slopes_, *fitted.intercepts_] == [1.0, 1.0, 0.0, 0.0]


def test_choice_and_calibration_are_cross_validated(bags, Y):
    fitted = MimlClassifier(FAST, n_folds=3, random_state=3).fit(bags, Y)
    folds = _folds(Y, 3, np.random.RandomState(3))
    assert np.bincount(folds).tolist() == [10, 10, 10]
    scores = {name: np.empty(Y.shape) for name in FAST}
    precision = dict.fromkeys(FAST, 0.0)
    for name, fold in product(FAST, range(3)):
        learner, held = clone(FAST[name]).set_params(random_state=3), folds == fold
        pipeline = make_pipeline(OnInstances(MinMaxScaler()), learner).fit(bags[~held], Y[~held])
        found = scores[name][held] = pipeline.decision_function(bags[held])
        precision[name] += reference.criteria(Y[held], found, found > 0)["average_precision"] / 3
    assert fitted.held_out_ == pytest.approx(precision)
    assert precision[fitted.chosen_] == max(precision.values())
    slopes, intercepts = _calibrated(scores[fitted.chosen_], Y)
    assert np.allclose(fitted.slopes_, slopes) and np.allclose(fitted.intercepts_, intercepts)
    whole = clone(fitted.model_).fit(bags, Y)
    log_odds = slopes * whole.decision_function(bags) + intercepts
    assert fitted.model_[-1].random_state == 3 and FAST[fitted.chosen_].random_state is None
    assert np.allclose(fitted.decision_function(bags), log_odds)


def test_data_frame_in_gives_data_frame_out(bags, Y):
    """The names of bags too, and those of bags and instances in reasons."""
    arrays, frames = (
        MimlClassifier(FAST, random_state=0).fit(bags, labels)
        for labels in (Y, pd.DataFrame(Y, columns=NAMES))
    )
    for method in ("decision_function", "predict_proba", "predict"):
        expected, found = getattr(arrays, method)(bags), getattr(frames, method)(bags)
        assert isinstance(expected, np.ndarray)
        pd.testing.assert_frame_equal(found, pd.DataFrame(expected, columns=NAMES))
    reasons = frames.explain(bags)
    expected = [(bag, i) for bag, size in enumerate(bags.sizes) for i in range(size)]
    assert reasons.index.tolist() == expected and reasons.index.names == ["bag", "instance"]
    assert reasons.columns.tolist() == NAMES
    assert np.array_equal(reasons, frames.slopes_ * explain(frames.model_, bags))
    assert isinstance(frames.set_output(predict="default").predict(bags), np.ndarray)
    asked = clone(frames).set_output(predict="pandas").fit(bags, Y)
    named = dict(zip("abc", bags[:3], strict=True))
    assert asked.predict(named).index.tolist() == ["a", "b", "c"]
    assert set(asked.explain(named).index.get_level_values("bag")) == {"a", "b", "c"}


def test_calibration_is_the_logistic_regression_of_scikit_learn(rng):
    """Of scores in units of their deviation; none by one class or one score."""
    scores = 2.0 * rng.standard_normal((4000, 1))
    labels = rng.random((4000, 1)) < 1 / (1 + np.exp(-(1.5 * scores - 0.5)))
    slopes, intercepts = _calibrated(scores, labels)
    found = 1 / (1 + np.exp(-(slopes * scores + intercepts)[:, 0]))
    model = LogisticRegression().fit(scores / scores.std(), labels[:, 0])
    assert np.allclose(found, model.predict_proba(scores / scores.std())[:, 1])
    smaller, same = _calibrated(scores / 1000, labels)
    assert np.allclose(smaller, 1000 * slopes) and np.allclose(same, intercepts)
    for column, n_false in product((np.arange(6.0), np.ones(6)), (0, 3, 6)):
        truth = np.arange(6) >= n_false
        found = np.ravel(_calibrated(column[:, None], truth[:, None])).tolist()
        assert (found == [1.0, 0.0]) == (column.std() == 0 or n_false != 3)


def test_few_bags_constant_labels_and_bad_parameters(bags, Y):
    """Four bags are enough. Without a label there is no precision: the first is taken."""
    for learner, n_bags, message in (
        (MimlClassifier(), 3, "4 bags at least, got 3"),
        (MimlClassifier(n_folds=1), 30, "n_folds. parameter of MimlClassifier must be"),
        (MimlClassifier(time_budget=0), 30, "time_budget. parameter of MimlClassifier must be"),
        (MimlClassifier([MimlNn()]), 30, "candidates must be a dict"),
    ):
        with pytest.raises(ValueError, match=message):
            learner.fit(bags[:n_bags], Y[:n_bags])
    with pytest.warns(ConstantLabelWarning):
        fitted = MimlClassifier(FAST, random_state=0).fit(bags[:4], Y[:4])
    assert fitted.predict_proba(bags).shape == Y.shape
    for constant, precision in (False, np.nan), (True, 1.0):
        with pytest.warns(ConstantLabelWarning, match=r"label\(s\) \[0, 1\]"):
            fitted = MimlClassifier(FAST, random_state=0).fit(bags, np.full((30, 2), constant))
        assert fitted.chosen_ == "statistics"
        assert list(fitted.held_out_.values()) == pytest.approx([precision] * 3, nan_ok=True)
        assert (fitted.predict(bags) == constant).all()
