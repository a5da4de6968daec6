"""MimlClassifier: its choice, calibration and reasons, against slow versions."""

from time import perf_counter, sleep
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning, UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from mimlpaper import BagStatistics, DMimlSvm, MimlClassifier, MimlNn, MiSvmBag, NoisyOr
from mimlpaper.bags import Bags
from mimlpaper.base import (
    ConstantLabelWarning,
    InstanceScores,
    MultiLabelEstimator,
)
from mimlpaper.checks import parametrize_with_checks
from mimlpaper.classifier import (
    OnStatistics,
    TimeBudgetWarning,
    _calibrated,
    _folds,
)
from mimlpaper.explanations import explain
from mimlpaper.metrics import scores_of
from mimlpaper.preprocessing import OnInstances
from tests import reference

FAST = {
    "statistics": OnStatistics(SVC()),
    "NoisyOr": NoisyOr(),
    "MimlNn": MimlNn(),
}
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
    """Needs a tenth of a second for any number of bags."""

    def _fit(self, bags, Y):
        sleep(0.1)


class SlowByBags(Largest):
    """``factor`` seconds for 24 bags; time grows with the square of their number."""

    power = 2

    def _fit(self, bags, Y):
        sleep(self.factor * (len(bags) / 24) ** self.power)


class SlowByCube(SlowByBags):
    power = 3


@pytest.fixture
def Y(labels):
    return labels


@parametrize_with_checks(
    [
        MimlClassifier(FAST, n_folds=3, random_state=0),
        OnStatistics(SVC(C=10.0)),
    ]
)
def test_what_every_learner_of_bags_promises(estimator, check):
    check(estimator)


def sigmoid(scores):
    return 1 / (1 + np.exp(-scores))


FOREST = RandomForestClassifier(20, random_state=0)


def test_statistics_of_bags_in_any_classifier(bags, Y):
    """The vectors of scikit-learn are scaled statistics; forests give log odds."""
    statistics = BagStatistics().fit_transform(bags)
    vectors = StandardScaler().fit_transform(statistics)
    learner = OnStatistics(FOREST, random_state=0).fit(bags, Y)
    probabilities = sigmoid(learner.decision_function(bags))
    for label in range(2):
        forest = clone(FOREST).fit(vectors, Y[:, label])
        p = forest.predict_proba(vectors)[:, 1]
        # So that odds stay finite where all trees agree.
        expected = np.clip(p, 1e-3, 1 - 1e-3)
        assert np.allclose(probabilities[:, label], expected)


@pytest.mark.parametrize("place", [0, 1])
def test_a_constant_label_has_high_scores_on_statistics(bags, Y, place):
    labels = np.insert(Y[:, :1].astype(int), place, 1, axis=1)
    learner = OnStatistics(FOREST)
    with pytest.warns(ConstantLabelWarning):
        learner.fit(bags, labels)
    scores = learner.decision_function(bags)
    assert (scores[:, place] > 1.0).all()


def test_candidates_for_one_label_are_chosen_by_their_area(bags, Y):
    """Its average precision is 1 for every learner."""
    candidates = {"equal": Largest(0.0), "NoisyOr": NoisyOr(ridge=0.01)}
    classifier = MimlClassifier(candidates, random_state=0)
    classifier.fit(bags, Y[:, :1])
    assert classifier.chosen_ == "NoisyOr"
    assert classifier.held_out_["equal"] == 0.5
    assert "NoisyOr is chosen by area" in classifier.summary()
    predicted = classifier.predict(bags)
    assert predicted.any()
    assert not predicted.all()


@pytest.mark.parametrize("classifier", [SVC(), FOREST])
def test_on_statistics_predicts_what_all_bags_have_and_not_what_none_has(bags, Y, classifier):
    labels = Y.copy()
    labels[:, 0], labels[:, 1] = True, False
    with pytest.warns(ConstantLabelWarning):
        learner = OnStatistics(classifier).fit(bags, labels)
    predicted = learner.predict(bags)
    assert predicted[:, 0].all()
    assert not predicted[:, 1].any()
    with pytest.warns(ConstantLabelWarning):
        alone = OnStatistics(classifier).fit(bags, labels[:, :1])
    assert alone.predict(bags).all()


def test_a_candidate_may_have_probabilities_only(bags, Y):
    forest = make_pipeline(BagStatistics(), RandomForestClassifier(random_state=0))
    classifier = MimlClassifier({"forest": forest}, random_state=0).fit(bags, Y)
    assert classifier.predict(bags).shape == Y.shape


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "candidate",
    [
        MiSvmBag(random_state=0),
        make_pipeline(BagStatistics(), LogisticRegression(max_iter=1000)),
        make_pipeline(BagStatistics(), RandomForestClassifier(5)),
    ],
    ids=["of bags", "of vectors", "of probabilities"],
)
def test_a_candidate_may_be_a_learner_of_one_label(bags, Y, candidate):
    """Its scores are (n_bags,), and scikit-learn wants labels of this shape."""
    classifier = MimlClassifier({"one label": candidate}, random_state=0).fit(bags, Y[:, :1])
    scores = classifier.decision_function(bags)
    assert scores.shape == (30, 1)
    raw = scores_of(classifier.model_, bags)[:, None]
    assert np.allclose(scores, classifier.slopes_ * raw + classifier.intercepts_)
    assert classifier.explain(bags).shape == (bags.n_instances, 1)


class Constant(Largest):
    """Gives one number as the score of every bag."""

    value = np.nan

    def _scores(self, bags):
        return np.full((len(bags), self.n_labels_), self.value)


class Infinite(Constant):
    value = np.inf


def test_a_candidate_that_raises_is_named(bags, Y):
    of_one_label = MimlClassifier({"good": Largest(), "bad": MiSvmBag()}, random_state=0)
    with pytest.raises(ValueError, match="one label a bag") as raised:
        of_one_label.fit(bags, Y[:, :2])
    assert raised.value.__notes__ == ["It is raised by the candidate 'bad'."]


@pytest.mark.parametrize("bad", [Constant(), Infinite()])
def test_a_candidate_whose_scores_are_not_finite_is_named(bags, Y, bad):
    classifier = MimlClassifier({"good": Largest(), "bad": bad}, random_state=0)
    message = "scores must be finite, got 60 that are NaN or infinite"
    with pytest.raises(ValueError, match=message) as raised:
        classifier.fit(bags, Y[:, :2])
    assert raised.value.__notes__ == ["It is raised by the candidate 'bad'."]


SEEDED = {
    "pipeline": make_pipeline(BagStatistics(), RandomForestClassifier(3)),
    "within": OnStatistics(OneVsRestClassifier(RandomForestClassifier(3))),
}


@pytest.mark.parametrize("name", SEEDED)
def test_a_seed_reaches_every_part_of_a_candidate(bags, Y, name):
    candidates = {name: SEEDED[name]}
    first, second = (
        MimlClassifier(candidates, random_state=0).fit(bags, Y) for _ in range(2)
    )
    assert np.array_equal(first.decision_function(bags), second.decision_function(bags))
    parameters = first.model_[-1].get_params()
    seeds = {value for key, value in parameters.items() if key.endswith("random_state")}
    assert seeds == {0}
    other = MimlClassifier(candidates, random_state=1).fit(bags, Y)
    assert not np.array_equal(first.decision_function(bags), other.decision_function(bags))


def test_a_seed_reaches_every_part_of_a_classifier_on_statistics(bags, Y):
    learner = OnStatistics(OneVsRestClassifier(RandomForestClassifier(3)), random_state=0)
    first, second = (clone(learner).fit(bags, Y).decision_function(bags) for _ in range(2))
    assert np.array_equal(first, second)


def test_features_that_it_scales_need_not_lie_around_zero(bags, Y):
    far = np.column_stack([bags.instances, np.full(bags.n_instances, 2e6)])
    classifier = MimlClassifier({"NoisyOr": NoisyOr()}, random_state=0)
    classifier.fit(bags.with_instances(far), Y)


def test_explain_gives_what_the_method_gives(bags, Y):
    classifier = MimlClassifier({"NoisyOr": NoisyOr()}, random_state=0).fit(bags, Y)
    assert np.allclose(explain(classifier, bags), classifier.explain(bags))


def test_a_criterion_that_no_fold_defines_is_not_left_out_for_time(bags, Y):
    """A fold of one bag has one class."""
    few = np.r_[np.flatnonzero(Y[:, 0])[:3], np.flatnonzero(~Y[:, 0])[:2]]
    classifier = MimlClassifier({"NoisyOr": NoisyOr()}, n_folds=5, random_state=0)
    with pytest.warns(
        UndefinedMetricWarning, match="no fold defines the area under the curve"
    ):
        classifier.fit(bags[few], Y[few, :1])
    assert np.isnan(classifier.held_out_["NoisyOr"])
    assert classifier.left_out_ == []
    assert "NoisyOr: defined on no fold" in classifier.summary()


def test_what_the_classifier_of_statistics_warns_of_is_shown(bags, Y):
    unfinished = LogisticRegression(max_iter=1)
    with pytest.warns(ConvergenceWarning):
        OnStatistics(unfinished).fit(bags, Y)


def test_what_would_take_too_long_is_left_out(bags, Y):
    # Five folds of a candidate need half a second.
    candidates = {"early": Slow(), "late": Slow()}
    classifier = MimlClassifier(candidates, n_folds=5, time_budget=0.6)
    message = "time_budget=0.6 s is too short for late; raise it"
    with pytest.warns(TimeBudgetWarning, match=message):
        classifier.fit(bags, Y[:, :2])
    assert classifier.chosen_ == "early"
    assert classifier.seconds_["early"] > 0.4
    assert np.isnan(classifier.held_out_["late"])
    assert "late: left out" in classifier.summary()


def test_a_budget_ends_before_a_fit_that_would_break_it(bags, Y):
    """A fit to every fourth bag says how long a fold would take."""
    candidates = {"fast": Largest(), "slow": SlowByBags(2.0)}
    classifier = MimlClassifier(candidates, time_budget=1.0)
    began = perf_counter()
    with pytest.warns(TimeBudgetWarning, match="slow"):
        classifier.fit(bags, Y[:, :2])
    assert perf_counter() - began < 1.5


@pytest.mark.parametrize("n_bags", [60, 100])
def test_a_budget_is_kept_if_time_grows_with_the_cube_of_the_bags(rng, n_bags):
    """All bags would take 100 seconds, and every fourth 1.6."""
    bags = Bags.from_list(rng.random((n_bags, 2, 3)))
    labels = rng.random((n_bags, 2)) < 0.5
    cubic = SlowByCube(100.0 * (24 / n_bags) ** 3)
    classifier = MimlClassifier({"fast": Largest(), "cubic": cubic}, time_budget=0.4)
    began = perf_counter()
    with pytest.warns(TimeBudgetWarning, match="cubic"):
        classifier.fit(bags, labels)
    assert perf_counter() - began < 1.0


def test_a_candidate_is_left_out_if_the_best_could_not_be_fitted_again(bags, Y):
    """The last fit, to all bags, is within the budget too."""
    candidates = {"slow": SlowByBags(0.4), "fast": Largest(0.0)}
    classifier = MimlClassifier(candidates, n_folds=2, time_budget=0.5)
    with pytest.warns(TimeBudgetWarning, match="for fast"):
        classifier.fit(bags, Y[:, :2])
    assert classifier.chosen_ == "slow"


class Counted(Largest):
    sizes: ClassVar[list] = []  # of the bags of each fit

    def _fit(self, bags, Y):
        self.sizes.append(len(bags))


def test_time_for_the_last_fit_is_left_before_a_whole_fold_is_fitted(bags, Y):
    candidates = {"slow": SlowByBags(0.4), "late": Counted(0.0)}
    classifier = MimlClassifier(candidates, n_folds=2, time_budget=0.5)
    with pytest.warns(TimeBudgetWarning, match="late"):
        classifier.fit(bags, Y[:, :2])
    assert max(Counted.sizes) < len(bags) / 2


def test_the_choice_does_not_depend_on_the_number_of_blas_threads(bags, Y):
    candidates = {**FAST, "D-MimlSvm": DMimlSvm()}

    def held_out(n_threads):
        classifier = MimlClassifier(candidates, random_state=0)
        with threadpool_limits(n_threads, user_api="blas"):
            classifier.fit(bags, Y[:, :2])
        return classifier.held_out_

    assert held_out(1) == held_out(2)


@pytest.fixture
def by_the_larger_feature():
    """Forty bags of one instance, whose label is that of the larger of two features."""
    points = np.random.default_rng(1).random((40, 1, 2))
    largest = points[:, 0].max(axis=1, keepdims=True)
    return list(points), points[:, 0] == largest


def test_the_choice_by_hand(by_the_larger_feature):
    """Precision is 1 if the larger feature is the label, else 1/2."""
    candidates = {
        "against": Largest(-1.0),
        "equal": Largest(0.0),
        "with": Largest(),
    }
    classifier = MimlClassifier(candidates, random_state=0)
    classifier.fit(*by_the_larger_feature)
    expected = {"against": 0.5, "equal": 0.5, "with": 1.0}
    # Scaling turns a bag or two.
    assert classifier.held_out_ == pytest.approx(expected, abs=0.03)
    assert classifier.chosen_ == "with"
    assert classifier.model_[-1].factor == 1.0
    summary = classifier.summary()
    assert "with is chosen by average precision" in summary
    assert "2 of 2 labels" in summary
    # So far from the others that the probabilities are 1 and 0.
    sure_bag = np.array([[1e6, -1e6]])
    probabilities = classifier.predict_proba([sure_bag])
    assert np.allclose(probabilities, [[1.0, 0.0]])


def test_a_negative_slope_is_not_used(by_the_larger_feature):
    candidates = {"against": Largest(-1.0), "equal": Largest(0.0)}
    classifier = MimlClassifier(candidates, random_state=0)
    classifier.fit(*by_the_larger_feature)
    assert classifier.chosen_ == "against"
    assert classifier.slopes_.tolist() == [1.0, 1.0]
    assert classifier.intercepts_.tolist() == [0.0, 0.0]


def cross_validated(learner, bags, Y, folds):
    """Held-out scores, and the mean of the folds' average precision."""
    scores = np.empty(Y.shape)
    precisions = []
    for fold in range(3):
        held = folds == fold
        scaler = OnInstances(MinMaxScaler())
        pipeline = make_pipeline(scaler, clone(learner))
        pipeline.fit(bags[~held], Y[~held])
        scores[held] = pipeline.decision_function(bags[held])
        predicted = scores[held] > 0
        criteria = reference.criteria(Y[held], scores[held], predicted)
        precisions.append(criteria["average_precision"])
    return scores, np.mean(precisions)


def test_choice_and_calibration_are_cross_validated(bags, Y):
    classifier = MimlClassifier(FAST, n_folds=3, random_state=3)
    classifier.fit(bags, Y)
    folds = _folds(Y, 3, np.random.RandomState(3))
    assert np.bincount(folds).tolist() == [10, 10, 10]
    scores = {}
    precision = {}
    for name, learner in FAST.items():
        seeded = clone(learner).set_params(random_state=3)
        scores[name], precision[name] = cross_validated(
            seeded,
            bags,
            Y,
            folds,
        )
    assert classifier.held_out_ == pytest.approx(precision)
    chosen = classifier.chosen_
    assert precision[chosen] == max(precision.values())

    slopes, intercepts = _calibrated(scores[chosen], Y)
    assert np.allclose(classifier.slopes_, slopes)
    assert np.allclose(classifier.intercepts_, intercepts)

    assert classifier.model_[-1].random_state == 3
    assert FAST[chosen].random_state is None
    model = clone(classifier.model_).fit(bags, Y)
    expected = slopes * model.decision_function(bags) + intercepts
    assert np.allclose(classifier.decision_function(bags), expected)


@pytest.fixture
def of_frames(bags, Y):
    """Fitted to labels with names."""
    labels = pd.DataFrame(Y, columns=NAMES)
    return MimlClassifier(FAST, random_state=0).fit(bags, labels)


@pytest.mark.parametrize(
    "method",
    ["decision_function", "predict_proba", "predict"],
)
def test_data_frame_in_gives_data_frame_out(bags, Y, of_frames, method):
    of_arrays = MimlClassifier(FAST, random_state=0).fit(bags, Y)
    array = getattr(of_arrays, method)(bags)
    assert isinstance(array, np.ndarray)
    frame = getattr(of_frames, method)(bags)
    expected = pd.DataFrame(array, columns=NAMES)
    pd.testing.assert_frame_equal(frame, expected)


def test_arrays_can_be_asked_for(bags, of_frames):
    of_frames.set_output(predict="default")
    assert isinstance(of_frames.predict(bags), np.ndarray)


def test_reasons_have_the_names_of_labels_and_the_places_of_instances(bags, of_frames):
    reasons = of_frames.explain(bags)
    places = []
    for bag, size in enumerate(bags.sizes):
        places += [(bag, i) for i in range(size)]
    assert reasons.index.tolist() == places
    assert reasons.index.names == ["bag", "instance"]
    assert reasons.columns.tolist() == NAMES
    expected = of_frames.slopes_ * explain(of_frames.model_, bags)
    assert np.array_equal(reasons, expected)


def test_names_of_bags_are_kept(bags, Y):
    classifier = MimlClassifier(FAST, random_state=0)
    classifier.set_output(predict="pandas").fit(bags, Y)
    named = dict(zip("abc", bags[:3], strict=True))
    predicted = classifier.predict(named)
    assert predicted.index.tolist() == ["a", "b", "c"]
    reasons = classifier.explain(named)
    names = reasons.index.get_level_values("bag")
    assert set(names) == {"a", "b", "c"}


def test_calibration_is_the_logistic_regression_of_scikit_learn(rng):
    """Of scores in units of their deviation."""
    scores = 2.0 * rng.standard_normal((4000, 1))
    truth = rng.random((4000, 1)) < sigmoid(1.5 * scores - 0.5)
    slopes, intercepts = _calibrated(scores, truth)
    probabilities = sigmoid(slopes * scores + intercepts)
    standardised = scores / scores.std()
    model = LogisticRegression().fit(standardised, truth[:, 0])
    expected = model.predict_proba(standardised)[:, 1]
    assert np.allclose(probabilities[:, 0], expected)

    # Of scores in another unit, slopes change and intercepts stay.
    in_thousands = _calibrated(scores / 1000, truth)
    assert np.allclose(in_thousands, (1000 * slopes, intercepts))


@pytest.mark.parametrize("n_false", [0, 3, 6])
@pytest.mark.parametrize(
    "scores",
    [np.arange(6.0), np.ones(6)],
    ids=["differ", "equal"],
)
def test_one_class_or_one_score_is_not_calibrated(scores, n_false):
    truth = np.arange(6) >= n_false
    slopes, intercepts = _calibrated(scores[:, None], truth[:, None])
    unchanged = slopes == 1.0 and intercepts == 0.0
    can_be_calibrated = n_false == 3 and np.ptp(scores) > 0
    assert unchanged != can_be_calibrated


@pytest.mark.parametrize(
    ("classifier", "n_bags", "message"),
    [
        (MimlClassifier(), 3, "4 bags at least, got 3"),
        (MimlClassifier(n_folds=1), 30, "n_folds. parameter of MimlClassifier must be"),
        (
            MimlClassifier(time_budget=0),
            30,
            "time_budget. parameter of MimlClassifier must be",
        ),
        (MimlClassifier([MimlNn()]), 30, "candidates must be a dict"),
    ],
)
def test_too_few_bags_and_bad_parameters_are_refused(bags, Y, classifier, n_bags, message):
    with pytest.raises(ValueError, match=message):
        classifier.fit(bags[:n_bags], Y[:n_bags])


def test_four_bags_are_enough(bags, Y):
    classifier = MimlClassifier(FAST, random_state=0)
    with pytest.warns(ConstantLabelWarning):
        classifier.fit(bags[:4], Y[:4])
    assert classifier.predict_proba(bags).shape == Y.shape


@pytest.mark.filterwarnings("ignore:no fold defines the average precision")
@pytest.mark.parametrize(
    ("constant", "precision"),
    [(False, np.nan), (True, 1.0)],
)
def test_of_equal_candidates_the_first_is_taken(bags, constant, precision):
    """Where no bag has a label there is no precision."""
    labels = np.full((30, 2), constant)
    classifier = MimlClassifier(FAST, random_state=0)
    with pytest.warns(ConstantLabelWarning, match=r"label\(s\) \[0, 1\]"):
        classifier.fit(bags, labels)
    assert classifier.chosen_ == "statistics"
    precisions = list(classifier.held_out_.values())
    assert precisions == pytest.approx([precision] * 3, nan_ok=True)
    assert (classifier.predict(bags) == constant).all()
