"""The contract of every estimator, and the parameters that each refuses."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks as sklearn_checks

import mimlpaper as miml
from mimlpaper.base import BagClassifier, ConstantLabelWarning
from mimlpaper.baselines.guess import Guess
from mimlpaper.checks import parametrize_with_checks
from mimlpaper.metrics import evaluate
from mimlpaper.preprocessing import SumInstances
from mimlpaper.sharing import Cache, sharing

OF_BAGS = [
    miml.DMimlSvm(rank=None, imbalance=False, random_state=0),
    miml.MimlBoost(n_rounds=5, rank=None, random_state=0),
    miml.MimlNn(random_state=0),
    miml.MimlSvm(random_state=0),
    miml.MimlSvmMi(rank=None, max_alternations=3, random_state=0),
    miml.NoisyOr(rank=None, random_state=0),
    Guess(),
]
OF_VECTORS = [
    miml.AdtBoostMH(),
    miml.Cnmf(),
    miml.InsDif(learner=miml.MimlNn(random_state=0)),
    miml.MlSvm(),
    miml.MlKnn(n_neighbors=3),
    miml.RankSvm(random_state=0),
]
OF_ONE_LABEL = [
    miml.ChFd(rank=None, random_state=0),
    miml.DiverseDensity(initial_scale=1.0, random_state=0),
    miml.EmDd(initial_scale=1.0, threshold="learned", random_state=0),
    miml.MiSvmBag(gamma=3.0, C=10.0, random_state=0),
    miml.MiSvmInstance(gamma=3.0, C=10.0, random_state=0),
    miml.SubCod(n_concepts=6, kept_share=0.7, random_state=0),
    miml.OneLabel(miml.MimlNn(random_state=0)),
]
STAGED = {
    miml.AdtBoostMH(n_rounds=9): "n_rounds",
    miml.MimlBoost(n_rounds=6, random_state=0): "n_rounds",
    miml.MiSvmBag(gamma=3.0, C=50.0, random_state=0): "max_alternations",
    miml.MiSvmInstance(gamma=3.0, C=50.0, random_state=0): "max_alternations",
    miml.RankSvm(solver="frank_wolfe", max_iter=6): "max_iter",
}


@parametrize_with_checks(OF_BAGS)
def test_learners_of_bags(estimator, check):
    check(estimator)


@parametrize_with_checks(OF_VECTORS, kind="vectors")
def test_learners_of_vectors(estimator, check):
    check(estimator)


@parametrize_with_checks(OF_ONE_LABEL, kind="one label")
def test_learners_of_one_label(estimator, check):
    check(estimator)


def name_of(estimator):
    return type(estimator).__name__


@pytest.fixture(params=[*OF_BAGS, *OF_VECTORS], ids=name_of)
def estimator(request):
    return clone(request.param)


@pytest.fixture(params=OF_ONE_LABEL, ids=name_of)
def binary(request):
    return clone(request.param)


@pytest.fixture
def X(estimator, bags):
    return input_of(estimator, bags)


@pytest.fixture
def Y(labels):
    return labels


@pytest.fixture
def y(bags, rng):
    """A bag is positive if its largest first feature is large, with some noise."""
    return bags.max(bags.instances[:, 0]) + 0.2 * rng.standard_normal(len(bags)) > 0.7


def input_of(estimator, bags):
    """Bags, or one vector a bag for the estimators of single instances."""
    vectors = (*map(type, OF_VECTORS), miml.NeighbourMeans, miml.DifferenceFeatures)
    return SumInstances().fit_transform(bags) if isinstance(estimator, vectors) else bags


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantLabelWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def test_one_example_at_a_time_gives_the_same(estimator, X, Y):
    if isinstance(estimator, miml.Cnmf):
        pytest.skip("transductive: scores depend on the examples that come together")
    fitted = estimator.fit(X, Y)
    together = fitted.decision_function(X)
    for i in (0, 11, 29):
        assert np.allclose(fitted.decision_function(X[i : i + 1])[0], together[i], atol=1e-8)


def test_one_bag_at_a_time_scores_as_its_highest_instance(binary, bags, y):
    fitted = binary.fit(bags, y)
    together = fitted.decision_function(bags)
    for i in (0, 11, 29):
        assert np.allclose(fitted.decision_function(bags[i : i + 1]), together[i], atol=1e-8)
    if hasattr(fitted, "instance_scores"):
        offset = together - bags.max(fitted.instance_scores(bags))
        assert np.allclose(offset, offset[0])  # a threshold, if anything


@pytest.mark.parametrize("unfitted", STAGED, ids=name_of)
def test_stages_are_the_scores_of_shorter_runs(unfitted, bags, Y, y):
    X, labels = input_of(unfitted, bags), y if isinstance(unfitted, BagClassifier) else Y
    fitted = clone(unfitted).fit(X, labels)
    stages = list(fitted.staged_decision_function(X))
    assert len(stages) > 2 and np.array_equal(stages[-1], fitted.decision_function(X))
    for t in (1, 2):
        shorter = clone(unfitted).set_params(**{STAGED[unfitted]: t}).fit(X, labels)
        assert np.array_equal(stages[t - 1], shorter.decision_function(X))


@pytest.mark.parametrize("kind", [miml.DMimlSvm, miml.MimlBoost])
def test_fits_that_differ_in_their_label_rule_share_their_work(kind, bags, Y):
    alone = kind(label_rule="top", random_state=0).fit(bags, Y)
    with sharing(Cache()) as cache:
        kind(random_state=0).fit(bags, Y)
        n_misses = cache.n_misses
        shared = kind(label_rule="top", random_state=0).fit(bags, Y)
        assert cache.n_misses == n_misses and cache.n_hits > 0
    assert np.array_equal(shared.predict(bags), alone.predict(bags))


def test_label_with_one_class_only(estimator, X, Y):
    """It is told by its number, and its scores are finite; most are constant."""
    for constant in (False, True):
        Y = np.column_stack([Y[:, :2], np.full(len(Y), constant)])
        with pytest.warns(ConstantLabelWarning, match=r"label\(s\) \[2\]"):
            scores = clone(estimator).fit(X, Y).decision_function(X)
        assert np.isfinite(scores).all()
        if isinstance(
            estimator,
            (miml.DMimlSvm, miml.MimlBoost, miml.MimlSvm, miml.MimlSvmMi, miml.MlSvm, miml.NoisyOr),
        ):
            assert (scores[:, 2] == (1.0 if constant else -1.0)).all()


def test_labels_keep_their_names(estimator, X, Y):
    names = ["sky", "tree", "sea", "sand"]
    fitted = clone(estimator).fit(X, pd.DataFrame(Y, columns=names))
    assert fitted.classes_.tolist() == names
    expected, scores = fitted.predict(X), fitted.decision_function(X)
    framed = clone(fitted.set_output(predict="pandas")).fit(X, pd.DataFrame(Y, columns=names))
    assert np.array_equal(framed.decision_function(X)[names], scores)
    pd.testing.assert_frame_equal(framed.predict(X), pd.DataFrame(expected, columns=names))
    assert evaluate(pd.DataFrame(Y, columns=names), framed.decision_function(X), framed.predict(X))
    with pytest.raises(ValueError, match="predict must be"):
        fitted.set_output(predict="polars")


def test_predictions_are_of_the_labels_own_kind(binary, bags, y):
    for classes in ([False, True], [-1, 1], [0.0, 1.0], ["Musk", "Rock"]):
        labels = np.asarray(classes)[y.astype(int)]
        fitted = binary.fit(list(bags), labels[:, None])
        predicted, scores = fitted.predict(bags), fitted.decision_function(bags)
        assert fitted.classes_.tolist() == classes and predicted.dtype == labels.dtype
        assert np.array_equal(predicted == classes[1], scores > 0)
        assert fitted.score(bags, labels) == np.mean(predicted == labels)


def test_bad_labels_are_refused(bags, labels):
    for estimator in [*OF_BAGS, *OF_VECTORS]:
        for Y, message in (
            (labels[1:], "X has 30, Y has 29"),
            (np.where(labels, 1, -1), "Y must hold booleans, or 0 and 1"),
        ):
            with pytest.raises(ValueError, match=message):
                clone(estimator).fit(input_of(estimator, bags), Y)
    for y, message in (
        (np.ones(29), r"y must have shape \(30,\), one label a bag, got \(29,\)"),
        (np.ones((30, 2)), r"got \(30, 2\)"),
        (np.arange(30), "y must hold two classes, got 30: "),
        (np.ones(30), r"y must hold two classes, got 1: \[1.0\]"),
        (np.append(np.ones(29), np.nan), "y must not hold NaN, got one for bag 29"),
    ):
        for estimator in OF_ONE_LABEL:
            with pytest.raises(ValueError, match=message):
                clone(estimator).fit(bags, y)


def test_feature_names_are_kept_and_checked(Y, bags):
    X = pd.DataFrame(
        SumInstances().fit_transform(bags), columns=["a", "b", "c"], index=range(5, 35)
    )
    for unfitted in OF_VECTORS:
        fitted = clone(unfitted).set_output(predict="pandas").fit(X, Y)
        assert fitted.feature_names_in_.tolist() == ["a", "b", "c"]
        assert fitted.predict(X).index.equals(X.index)
        with pytest.raises(ValueError, match="feature names should match"):
            fitted.predict(X[["b", "a", "c"]])


def test_searches_of_scikit_learn(estimator, X, Y):
    name = "learner__ratio" if hasattr(estimator, "learner") else "label_rule"
    grid = {name: [0.3, 0.6] if hasattr(estimator, "learner") else ["sign", "top"]}
    search = GridSearchCV(estimator, grid, scoring=miml.scorers["average_precision"], cv=2).fit(
        X, Y
    )
    assert search.best_estimator_.predict(X).shape == Y.shape
    shares = cross_val_score(estimator, X, Y, cv=2)  # of right label sets
    assert shares.shape == (2,) and (shares >= 0).all()
    tags = get_tags(estimator)
    assert is_classifier(estimator)
    assert tags.target_tags.multi_output and not tags.target_tags.single_output


def test_folds_are_stratified(binary, bags, y):
    """Sorted by class, as Musk1 is, so that folds that are not stratified miss a class."""
    order = np.argsort(y)
    bags, labels = bags[order], np.where(y[order], 1, -1)
    assert is_classifier(binary)
    by_default = cross_val_score(binary, bags, labels, cv=3)
    stratified = cross_val_score(binary, bags, labels, cv=StratifiedKFold(3), scoring="accuracy")
    assert np.array_equal(by_default, stratified)


# scikit-learn checks a classifier with one column of classes, mostly three of them; these
# learners take a table of 0 and 1. RankSvm is left out: it has nothing to rank in one column.
EXPECTED = dict.fromkeys(
    [
        "check_classifier_data_not_an_array", "check_classifier_multioutput",
        "check_classifier_not_supporting_multiclass", "check_classifiers_classes",
        "check_classifiers_multilabel_output_format_predict", "check_classifiers_one_label",
        "check_classifiers_regression_target", "check_classifiers_train",
        "check_estimators_dtypes", "check_fit2d_1feature",
    ],
    "labels are a table of booleans, or 0 and 1",
)  # fmt: skip
OF_CNMF = {
    "check_methods_subset_invariance": "transductive: scores depend on the examples together",
    "check_non_transformer_estimators_n_iter": "the rounds are those of a prediction",
}


@sklearn_checks(
    [
        *(one for one in OF_VECTORS if not isinstance(one, miml.RankSvm)),
        miml.InsDif(shortcut=False),
    ],
    expected_failed_checks=lambda learner: (
        EXPECTED | (OF_CNMF if isinstance(learner, miml.Cnmf) else {})
    ),
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


POSITIVE = ["C", "tol", "nu", "smoothing", "initial_scale"]
COUNTS = ["max_iter", "max_alternations", "max_cccp", "n_rounds", "n_neighbors", "n_sample"]
REFUSED = [
    *[([name], value, "must be positive") for name in POSITIVE for value in (0.0, np.nan)],
    *[([name], value, f"{name} must be .*at least 1") for name in COUNTS for value in (0, 0.5)],
    (["lam", "cccp_tol", "ridge", "coef0", "step_accuracy"], -0.1, "must be .*got -0.1"),
    (["label_rule", "kernel", "set_kernel", "solver", "weighting", "optimum", "linear_program"],
     "best", "must be one of .*got 'best'"),
    (["gamma"], -1.0, "gamma must be positive"),
    (["ratio", "kept_share"], 1.5, r"must lie in .0, 1\], got 1.5"),
    (["rank"], 0, r"rank must be None, .auto. or at least 1, got 0"),
    (["metric"], "cosine", "metric must be a callable or one of .*'cosine'"),
    (["n_start_bags"], 0, "n_start_bags must be at least 1, or None, got 0"),
    (["threshold"], 1.0, 'threshold must be "learned" or lie between 0 and 1, got 1.0'),
    (["n_concepts"], 10_000, r"n_concepts must lie in 1 to \d+, got 10000"),
    (["covariance"], "round", "covariance_type"),
    (["degree"], 2.5, "degree must be an integer of at least 1, got 2.5"),
    (["label_code"], "product", "goes with kernel=\"linear\", got 'rbf'"),
    (["mu"], -0.5, "mu must be greater than -1/2, got -0.5"),
    (["relatedness"], "tree", "relatedness must be mean, pairwise or an array"),
    (["relatedness"], np.ones((2, 2)), r"relatedness must have shape \(4, 4\)"),
    *[(["relatedness"], mu, "relatedness must be symmetric, from 0 to infinity, and not 0 alone")
      for mu in (-np.ones((4, 4)), np.tri(4), np.zeros((4, 4)))],
    (["relatedness"], "pairwise", "mu must be positive for pairs"),
]  # fmt: skip
# Parameters that no check of ours stands for: scikit-learn's own, or any value will do.
FREE = {
    (miml.MlSvm, "C"),
    (miml.MimlSvm, "C"),
    (miml.NoisyOr, "C"),
    (miml.MlSvm, "degree"),
    (Guess, "kernel"),
}
FREE |= {
    (kind, "coef0")
    for kind in (
        miml.MlSvm,
        miml.NoisyOr,
        miml.MimlSvmMi,
        miml.ChFd,
        miml.MiSvmBag,
        miml.MiSvmInstance,
    )
}
FREE |= {
    (kind, "degree")
    for kind in (miml.NoisyOr, miml.MimlSvmMi, miml.ChFd, miml.MiSvmBag, miml.MiSvmInstance)
}
FREE |= {(miml.ChFd, "tol"), (miml.SubCod, "tol"), (miml.Cnmf, "tol")}


def test_bad_parameters_are_refused(bags, labels):
    """Every estimator refuses a bad value of each of its parameters, and says which and why."""
    others = [miml.LandmarkMap(), miml.NeighbourMeans(), miml.DifferenceFeatures()]
    for unfitted in [*OF_BAGS, *OF_VECTORS, *OF_ONE_LABEL, *others]:
        X, kind = input_of(unfitted, bags), type(unfitted)
        Y = labels[:, 0] if isinstance(unfitted, BagClassifier) else labels
        for names, value, message in REFUSED:
            for name in set(names) & set(unfitted.get_params(deep=False)):
                if (kind, name) not in FREE:
                    with pytest.raises(ValueError, match=message):
                        kind(**{name: value}).fit(X, Y)
    with pytest.raises(ValueError, match='metric must not be "precomputed"'):
        miml.LandmarkMap(metric="precomputed").fit(bags)
