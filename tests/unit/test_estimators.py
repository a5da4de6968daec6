"""The contract of every estimator: any input, bad parameters, the last digit of features."""

import re
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_matrix, csc_array, csr_array, csr_matrix
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.metrics import average_precision_score, get_scorer, log_loss, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator

import mimlpaper as miml
from mimlpaper import MimlNn, NoisyOr, checks
from mimlpaper.bags import Bags
from mimlpaper.base import BagClassifier, ConstantLabelWarning, check_bags
from mimlpaper.baselines import binary_relevance
from mimlpaper.checks import parametrize_with_checks
from mimlpaper.datasets import load_synthetic_genes, load_synthetic_texts
from mimlpaper.metrics import evaluate
from mimlpaper.preprocessing import SumInstances
from mimlpaper.sharing import Cache, sharing
from tests.learners import (
    CLASSIFIER,
    OF_BAGS,
    OF_ONE_LABEL,
    OF_VECTORS,
    input_of,
    name_of,
)

pytestmark = pytest.mark.filterwarnings(
    "ignore::mimlpaper.base.ConstantLabelWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)
# Learners that score in stages, and the parameter that ends a run earlier.
STAGED = {
    miml.AdtBoostMH(n_rounds=9): "n_rounds",
    miml.MimlBoost(n_rounds=6, random_state=0): "n_rounds",
    miml.MiSvmBag(gamma=3.0, C=50.0, random_state=0): "max_alternations",
    miml.MiSvmInstance(gamma=3.0, C=50.0, random_state=0): "max_alternations",
    miml.RankSvm(solver="frank_wolfe", max_iter=6): "max_iter",
}


@pytest.mark.parametrize(
    ("estimators", "kind", "message"),
    [
        ([NoisyOr()], "bag", "kind must be one of .*got 'bag'"),
        (NoisyOr(), "bags", "estimators must be a list"),
    ],
)
def test_wrong_arguments_of_the_checks_are_refused(estimators, kind, message):
    with pytest.raises(ValueError, match=message):
        parametrize_with_checks(estimators, kind=kind)


@parametrize_with_checks(OF_BAGS)
def test_learners_of_bags(estimator, check):
    check(estimator)


def transductive(learner):
    if not isinstance(learner, miml.Cnmf):
        return {}
    reason = "it learns from the test examples too"
    return {"check_each_example_stands_alone": reason}


@parametrize_with_checks(
    OF_VECTORS,
    kind="vectors",
    expected_failed_checks=transductive,
)
def test_learners_of_vectors(estimator, check):
    check(estimator)


@parametrize_with_checks(OF_ONE_LABEL, kind="one label")
def test_learners_of_one_label(estimator, check):
    check(estimator)


@pytest.fixture(params=[*OF_BAGS, *OF_VECTORS], ids=name_of)
def estimator(request):
    return clone(request.param)


@pytest.fixture
def X(estimator, bags):
    return input_of(estimator, bags)


@pytest.fixture
def Y(labels):
    return labels


@pytest.fixture(params=[*OF_BAGS, *OF_ONE_LABEL, CLASSIFIER], ids=name_of)
def learner_of_bags(request):
    return clone(request.param)


@pytest.fixture
def targets(learner_of_bags, Y, y):
    return y if isinstance(learner_of_bags, BagClassifier) else Y


NAMES = ["a", "b", "c"]


def framed(bags):
    """The same bags as frames, by name."""
    frames = [pd.DataFrame(bag, columns=NAMES) for bag in bags]
    return {f"bag {i}": frame for i, frame in enumerate(frames)}


def test_missing_values_are_refused_unless_a_pipeline_imputes_them(
    learner_of_bags, bags, targets
):
    with_holes = [np.where(bag > 0.9, np.nan, bag) for bag in bags]
    message = r"bag \d+ holds nan; impute it, as OnInstances"
    with pytest.raises(ValueError, match=message):
        clone(learner_of_bags).fit(with_holes, targets)

    pipeline = make_pipeline(
        miml.OnInstances(SimpleImputer()),
        miml.OnInstances(MinMaxScaler()),
        learner_of_bags,
    )
    pipeline.fit(with_holes, targets)
    scores = pipeline.decision_function(with_holes)
    assert np.isfinite(scores).all()


def test_names_of_features_are_checked(learner_of_bags, bags, targets):
    named = framed(bags)
    learner_of_bags.fit(named, targets)
    assert learner_of_bags.feature_names_in_.tolist() == NAMES

    exchanged = [bag[NAMES[::-1]] for bag in named.values()]
    with pytest.raises(ValueError, match="feature names should match"):
        learner_of_bags.decision_function(exchanged)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        learner_of_bags.predict(bags)


@pytest.mark.parametrize("learner", [*OF_BAGS, CLASSIFIER], ids=name_of)
def test_names_of_bags_are_the_rows_of_predictions(learner, bags, Y):
    named = framed(bags)
    learner = clone(learner).fit(named, Y)
    learner.set_output(predict="pandas")
    predicted = learner.predict(named)
    assert predicted.index.tolist() == list(named)


@pytest.mark.parametrize(
    "kind",
    [
        miml.DMimlSvm,
        miml.MimlBoost,
        miml.MimlSvmMi,
        miml.NoisyOr,
        miml.ChFd,
        miml.MiSvmBag,
        miml.MiSvmInstance,
    ],
)
def test_seeds_do_not_matter_where_nothing_is_drawn(kind, bags, Y, y):
    targets = y if issubclass(kind, BagClassifier) else Y
    learner = kind(random_state=0).fit(bags, targets)
    by_another_seed = kind(random_state=1).fit(bags, targets)
    scores = learner.decision_function(bags)
    expected = by_another_seed.decision_function(bags)
    assert np.array_equal(scores, expected)


def test_the_unit_of_the_features_does_not_matter(estimator, bags, Y):
    if isinstance(estimator, (miml.InsDif, miml.RankSvm, miml.Cnmf)):
        pytest.skip("ridge=0; or with parameters in the unit of the features")

    def scores(bags):
        X = input_of(estimator, bags)
        return clone(estimator).fit(X, Y).decision_function(X)

    in_thousands = bags.with_instances(1e-3 * bags.instances)
    # D-MimlSvm's tolerance leaves some freedom to its scores.
    tolerance = 0.1 if isinstance(estimator, miml.DMimlSvm) else 1e-4
    assert np.allclose(scores(bags), scores(in_thousands), atol=tolerance)


def assert_refused(learner, X, targets, message):
    with pytest.raises(ValueError, match=message):
        learner.fit(X, targets)


def test_errors_say_how_to_give_label_sets(bags, Y, y):
    nn = miml.MimlNn()
    texts = np.where(Y, "1", "0")
    assert_refused(
        nn,
        bags,
        texts,
        r"booleans, or 0 and 1.*astype\(int\)",
    )
    lists = [["sea"], ["sky", "sea"]] * 15
    assert_refused(nn, bags, lists, "MultiLabelBinarizer")
    message = (
        r"2-D, with labels, for one label np.reshape\(Y, \(-1, 1\)\), or .* Y.to_frame\(\)"
    )
    for one_label in (y, list(y), pd.Series(y)):
        assert_refused(nn, bags, one_label, message)
        assert nn.fit(bags, np.reshape(one_label, (-1, 1))).n_labels_ == 1
    assert nn.fit(bags, pd.Series(y, name="sea").to_frame()).label_names_.tolist() == ["sea"]
    same_name_twice = pd.DataFrame(Y, columns=["a", "b", "c", "a"])
    message = "different names, got .'a'"
    assert_refused(nn, bags, same_name_twice, message)


def test_errors_say_how_to_give_one_label(bags, Y):
    svm = miml.MiSvmBag()
    assert_refused(svm, bags, None, "requires y to be passed")
    message = r"y must have shape \(30,\), one label a bag, got \(29,\)"
    assert_refused(svm, bags, np.ones(29), message)
    assert_refused(svm, bags, Y, r"got \(30, 4\)")
    message = "y must hold two classes, got 30: "
    assert_refused(svm, bags, np.arange(30), message)
    message = r"y must hold two classes, got 1: \[1.0\]"
    assert_refused(svm, bags, np.ones(30), message)
    with_nan = np.append(np.ones(29), np.nan)
    message = "y must not hold NaN, got one for bag 29"
    assert_refused(svm, bags, with_nan, message)


def test_errors_say_how_to_give_vectors(bags, Y):
    svm = miml.MlSvm()
    message = "one vector an example, got bags; .* BagStatistics"
    assert_refused(svm, bags, Y, message)
    message = "one vector an example, got bags"
    assert_refused(svm, list(bags), Y, message)
    euclidean = miml.MimlNn(metric="euclidean")
    assert_refused(euclidean, bags, Y, message)
    far = SumInstances().transform(bags) + 1e8
    assert_refused(
        svm,
        far,
        Y,
        r"X must lie around 0, .* scale them, as MinMaxScaler\(\) does",
    )
    make_pipeline(MinMaxScaler(), svm).fit(far, Y)


def test_errors_say_how_to_give_bags(bags, Y):
    nn = miml.MimlNn()
    sparse = [csr_array(bag) for bag in bags]
    assert_refused(
        nn,
        sparse,
        Y,
        r"bag 0 is sparse; give its .toarray",
    )
    imaginary = [bag + 1j for bag in bags]
    message = "bag 0 must hold real numbers, got complex"
    assert_refused(nn, imaginary, Y, message)
    far = [bag + 1e8 for bag in bags]
    remedy = r"or for bags OnInstances\(MinMaxScaler\(\)\)"
    message = rf"X must lie around 0, got .* 1.0e\+08 .*, {remedy}"
    assert_refused(nn, far, Y, message)
    make_pipeline(miml.OnInstances(MinMaxScaler()), nn).fit(far, Y)


@pytest.mark.parametrize("learner", STAGED, ids=name_of)
def test_stages_are_the_scores_of_shorter_runs(learner, bags, Y, y):
    X = input_of(learner, bags)
    targets = y if isinstance(learner, BagClassifier) else Y
    fitted = clone(learner).fit(X, targets)
    stages = list(fitted.staged_decision_function(X))
    assert len(stages) > 2
    assert np.array_equal(stages[-1], fitted.decision_function(X))
    for t in (1, 2):
        length = {STAGED[learner]: t}
        shorter = clone(learner).set_params(**length).fit(X, targets)
        scores = shorter.decision_function(X)
        assert np.array_equal(stages[t - 1], scores)


@pytest.mark.parametrize("kind", [miml.DMimlSvm, miml.MimlBoost])
def test_fits_that_differ_in_their_label_rule_share_their_work(kind, bags, Y):
    learner = kind(label_rule="top", random_state=0)
    without_sharing = clone(learner).fit(bags, Y)
    with sharing(Cache()) as cache:
        kind(random_state=0).fit(bags, Y)
        n_misses = cache.n_misses
        learner.fit(bags, Y)
        assert cache.n_misses == n_misses
        assert cache.n_hits > 0
    expected = without_sharing.predict(bags)
    assert np.array_equal(learner.predict(bags), expected)


def test_labels_of_minus_one_are_refused(estimator, X, Y):
    signs = np.where(Y, 1, -1)
    message = "Y must hold booleans, or 0 and 1"
    with pytest.raises(ValueError, match=message):
        estimator.fit(X, signs)


@pytest.mark.parametrize("constant", [False, True])
def test_label_with_one_class_only(estimator, X, Y, constant):
    """The warning gives its number; its scores are finite, and mostly constant."""
    Y = np.column_stack([Y[:, :2], np.full(len(Y), constant)])
    with pytest.warns(ConstantLabelWarning, match=r"label\(s\) \[2\]"):
        estimator.fit(X, Y)
    scores = estimator.decision_function(X)
    assert np.isfinite(scores).all()
    sure_learners = (
        miml.DMimlSvm,
        miml.MimlBoost,
        miml.MimlSvm,
        miml.MimlSvmMi,
        miml.MlSvm,
        miml.NoisyOr,
    )
    if isinstance(estimator, sure_learners):
        expected = 1.0 if constant else -1.0
        assert (scores[:, 2] == expected).all()


LABELS = ["sky", "tree", "sea", "sand"]


def test_labels_keep_their_names(estimator, X, Y):
    truth = pd.DataFrame(Y, columns=LABELS)
    plain = clone(estimator).fit(X, truth)
    # The form of the output survives cloning.
    of_frames = clone(estimator).set_output(predict="pandas")
    of_frames = clone(of_frames).fit(X, truth)

    scores = of_frames.decision_function(X)
    assert np.array_equal(scores[LABELS], plain.decision_function(X))
    predicted = of_frames.predict(X)
    expected = pd.DataFrame(plain.predict(X), columns=LABELS)
    pd.testing.assert_frame_equal(predicted, expected)
    assert evaluate(truth, scores, predicted)
    if hasattr(of_frames, "predict_proba"):
        p = of_frames.predict_proba(X)
        log_odds = np.log(p / (1 - p))
        assert np.allclose(log_odds[LABELS], scores)
    with pytest.raises(ValueError, match="predict must be"):
        plain.set_output(predict="polars")


@pytest.mark.parametrize("learner", OF_ONE_LABEL, ids=name_of)
@pytest.mark.parametrize(
    "classes",
    [[False, True], [-1, 1], [0.0, 1.0], ["Musk", "Rock"]],
    ids=str,
)
def test_predictions_are_of_the_labels_own_kind(learner, classes, bags, y):
    labels = np.asarray(classes)[y.astype(int)]
    learner = clone(learner).fit(list(bags), labels[:, None])
    assert learner.classes_.tolist() == classes
    predicted = learner.predict(bags)
    assert predicted.dtype == labels.dtype
    is_positive = learner.decision_function(bags) > 0
    assert np.array_equal(predicted == classes[1], is_positive)
    accuracy = np.mean(predicted == labels)
    assert learner.score(bags, labels) == accuracy
    # So that scikit-learn stratifies folds.
    assert is_classifier(learner)


def test_searches_of_scikit_learn(estimator, X, Y):
    grid = {"label_rule": ["sign", "top"]}
    if hasattr(estimator, "learner"):
        grid = {"learner__ratio": [0.3, 0.6]}
    precision = miml.scorers["average_precision"]
    search = GridSearchCV(estimator, grid, scoring=precision, cv=2)
    search.fit(X, Y)
    predicted = search.best_estimator_.predict(X)
    assert predicted.shape == Y.shape


def test_cross_validation_gives_shares_of_right_label_sets(estimator, X, Y):
    shares = cross_val_score(estimator, X, Y, cv=2)
    assert shares.shape == (2,)
    assert (shares >= 0).all()


@pytest.mark.parametrize("n_labels", [1, 2, 3])
@pytest.mark.parametrize("as_table", [False, True])
def test_scorers_of_scikit_learn_see_labels_and_no_classes(rng, n_labels, as_table):
    """One or two names of labels are no classes of one label, which would turn scores round."""
    Y = rng.random((40, n_labels)) < 0.5
    X = [rng.normal(size=(3, n_labels)) + 4 * row for row in Y]
    learner = NoisyOr(random_state=0).fit(X[:20], Y[:20])
    if as_table:
        names = ["sea", "trees", "sky"][:n_labels]
        learner.fit(X[:20], pd.DataFrame(Y[:20], columns=names))
    expected = {
        "roc_auc": roc_auc_score(Y[20:], learner.decision_function(X[20:])),
        "average_precision": average_precision_score(
            Y[20:], learner.decision_function(X[20:])
        ),
        "neg_log_loss": -log_loss(Y[20:], learner.predict_proba(X[20:])),
    }
    if n_labels == 1:  # of one column scikit-learn has a loss for single labels alone
        del expected["neg_log_loss"]
    truth = pd.DataFrame(Y[20:], columns=names) if as_table else Y[20:]
    for name, value in expected.items():
        assert get_scorer(name)(learner, X[20:], truth) == pytest.approx(value), name
    assert expected["roc_auc"] > 0.9


@pytest.mark.parametrize(
    "estimator", [MimlNn(random_state=0), miml.MlKnn(n_neighbors=3)], ids=repr
)
def test_numbered_features_keep_their_order(rng, estimator):
    """scikit-learn compares names alone, and numbers are none to it."""
    takes_bags = isinstance(estimator, MimlNn)

    def examples(numbers):
        table = pd.DataFrame(values, columns=numbers)
        return [table[i : i + 2] for i in range(20)] if takes_bags else table

    values = rng.random((20, 4))
    Y = rng.random((20, 2)) < 0.5
    estimator = clone(estimator).fit(examples([0, 1, 2, 3]), Y)
    assert estimator.predict(examples([0, 1, 2, 3])).shape == (20, 2)
    # Also other numbers, as of a split of the columns.
    for falling in ([3, 2, 1, 0], [4, 3, 2, 1]):
        with pytest.raises(
            ValueError, match="X must have its columns in the order of their numbers"
        ):
            estimator.predict(examples(falling))
    with pytest.raises(ValueError, match="same order as they were in fit"):
        clone(estimator).fit(examples([3, 2, 1, 0]), Y).predict(examples([0, 1, 2, 3]))


@pytest.mark.parametrize("method", ["decision_function", "predict_proba", "predict"])
@pytest.mark.parametrize("n_labels", [1, 2, 3])
def test_held_out_answers_are_those_of_the_folds(rng, method, n_labels):
    X = [rng.random((3, 2)) for _ in range(20)]
    Y = rng.random((20, n_labels)) < 0.5
    of_folds = cross_val_predict(NoisyOr(random_state=0), X, Y, cv=KFold(2), method=method)
    learner = NoisyOr(random_state=0).fit(X[10:], Y[10:])
    np.testing.assert_array_equal(of_folds[:10], getattr(learner, method)(X[:10]))


def test_columns_of_labels_differ_also_as_texts(rng):
    Y = pd.DataFrame(rng.random((10, 2)) < 0.5, columns=[1, "1"])
    with pytest.raises(ValueError, match=r"different names, got \['1'\] twice"):
        MimlNn().fit([rng.random((2, 2)) for _ in range(10)], Y)


def test_dates_may_be_names_of_labels(bags, labels):
    Y = pd.DataFrame(labels, columns=pd.date_range("2020", periods=labels.shape[1]))
    learner = MimlNn(random_state=0).fit(bags, Y)
    assert learner.score(bags, Y.iloc[:, ::-1]) == learner.score(bags, labels)


@pytest.mark.parametrize("shape", [(15, 2), (2, 15)])
def test_one_label_is_scored_with_one_truth_a_bag(bags, y, shape):
    learner = miml.MiSvmInstance().fit(bags, y)
    with pytest.raises(ValueError, match=r"y must have shape \(n_bags,\)"):
        learner.score(bags, y.reshape(shape))
    column = y[:, None]
    assert miml.scorers["accuracy"](learner, bags, column) == learner.score(bags, y)


@pytest.mark.parametrize("kind", [pd.Series, tuple, lambda X: dict(enumerate(X)), np.array])
def test_bags_are_no_vectors_whatever_holds_them(rng, kind):
    X = [rng.random((2, 2)) for _ in range(10)]
    for bags in (kind(X), [[[1], [1, 2]], [[1]]]):
        with pytest.raises(ValueError, match="got bags; make them by BagStatistics"):
            miml.MlKnn().fit(bags, np.ones((len(bags), 1)))


@pytest.mark.filterwarnings("ignore::mimlpaper.base.ConstantLabelWarning")
def test_a_machine_on_features_of_any_size_ends(rng):
    """LIBSVM has a limit of steps, which scikit-learn lifts."""
    assert binary_relevance.MAX_STEPS == 10**7
    machine = binary_relevance.MlSvm(kernel="linear", C=1e9)._fit_label(
        np.eye(4), np.arange(4) > 1
    )
    assert machine.max_iter == binary_relevance.MAX_STEPS


def test_tags_are_those_of_a_multi_label_classifier(estimator):
    assert is_classifier(estimator)
    target = get_tags(estimator).target_tags
    assert target.multi_output
    assert not target.single_output


# scikit-learn checks a classifier with one column of classes; RankSvm has nothing to rank in it.
OF_TABLES = [
    "classifier_data_not_an_array",
    "classifier_multioutput",
    "classifier_not_supporting_multiclass",
    "classifiers_classes",
    "classifiers_multilabel_output_format_predict",
    "classifiers_one_label",
    "classifiers_regression_target",
    "classifiers_train",
    "estimators_dtypes",
    "fit2d_1feature",
]
FAIL = [
    # Labels are a table of booleans, or 0 and 1.
    (miml.base.MultiLabelEstimator, OF_TABLES),
    (miml.MlKnn, ["decision_proba_consistency"]),
    # It has a probability for each label.
    (miml.MlKnn, ["estimator_sparse_array", "estimator_sparse_matrix"]),
    # Its scores depend on the other examples: it is transductive.
    (miml.Cnmf, ["methods_subset_invariance"]),
    # Its rounds are those of a prediction.
    (miml.Cnmf, ["non_transformer_estimators_n_iter"]),
]


def checks_of_scikit_learn():
    cases = []
    for learner in (*OF_VECTORS, miml.InsDif(shortcut=False)):
        if isinstance(learner, miml.RankSvm):
            continue
        for estimator, check in estimator_checks_generator(learner):
            name = f"{name_of(estimator)}-{check.func.__name__}"
            cases.append(pytest.param(estimator, check, id=name))
    return cases


def must_fail(estimator, check):
    name = check.func.__name__.removeprefix("check_")
    for kind, names in FAIL:
        if isinstance(estimator, kind) and name in names:
            return True
    return False


@pytest.mark.parametrize(("estimator", "check"), checks_of_scikit_learn())
def test_scikit_learns_own_checks(estimator, check):
    errors = AssertionError, AttributeError, TypeError, ValueError
    failing = pytest.raises(errors)
    with failing if must_fail(estimator, check) else nullcontext():
        check(estimator)


NOT_POSITIVE = [0.0, -1, np.nan, np.inf, "many"]
NOT_COUNTS = [0, 10.5]
NO_CHOICE = ["many"]
NEGATIVE = [-0.1]

# Values that every estimator refuses for a parameter of this name.
REFUSED = {
    "C": NOT_POSITIVE,
    "tol": NOT_POSITIVE,
    "nu": NOT_POSITIVE,
    "smoothing": NOT_POSITIVE,
    "initial_scale": NOT_POSITIVE,
    "step_accuracy": NOT_POSITIVE,
    "max_iter": NOT_COUNTS,
    "max_alternations": NOT_COUNTS,
    "max_cccp": NOT_COUNTS,
    "n_rounds": NOT_COUNTS,
    "n_neighbors": NOT_COUNTS,
    "n_sample": NOT_COUNTS,
    "shortcut": NO_CHOICE,
    "imbalance": NO_CHOICE,
    "label_rule": NO_CHOICE,
    "kernel": NO_CHOICE,
    "set_kernel": NO_CHOICE,
    "solver": NO_CHOICE,
    "weighting": NO_CHOICE,
    "optimum": NO_CHOICE,
    "linear_program": NO_CHOICE,
    "metric": NO_CHOICE,
    "covariance": NO_CHOICE,
    "start": NO_CHOICE,
    "label_code": NO_CHOICE,
    "normalise": NO_CHOICE,
    "verbose": [-1],
    "random_state": NO_CHOICE,
    "relatedness": [
        "many",
        np.ones((2, 2)),
        -np.ones((4, 4)),
        np.tri(4),
        np.zeros((4, 4)),
    ],
    "lam": NEGATIVE,
    "cccp_tol": NEGATIVE,
    "ridge": NEGATIVE,
    "coef0": NEGATIVE,
    "gamma": [np.inf, -1.0, 0, "wide", np.nan],
    "ratio": [1.5],
    "kept_share": [1.5],
    "rank": [0],
    "n_start_bags": [0],
    "threshold": [1.0],
    "n_concepts": [10_000],
    "degree": [2.5],
    "mu": [-0.5],
}
# Their kernel is not polynomial by default, so coef0 is not used.
WITHOUT_COEF0 = (
    miml.MlSvm,
    miml.NoisyOr,
    miml.MimlSvmMi,
    miml.ChFd,
    miml.MiSvmBag,
    miml.MiSvmInstance,
)


@pytest.mark.parametrize(
    "estimator",
    [
        *OF_BAGS,
        *OF_VECTORS,
        *OF_ONE_LABEL,
        miml.LandmarkMap(),
        miml.NeighbourMeans(),
        miml.DifferenceFeatures(),
    ],
    ids=name_of,
)
def test_bad_parameters_are_refused(estimator, bags, labels):
    """Every estimator refuses a bad value of each of its parameters, and says which and why."""
    kind = type(estimator)
    X = input_of(estimator, bags)
    targets = labels[:, 0] if isinstance(estimator, BagClassifier) else labels
    # Parts are estimators themselves.
    parameters = set(estimator.get_params(deep=False)) - {"learner", "transformation"}
    if isinstance(estimator, WITHOUT_COEF0):
        parameters -= {"coef0"}
    assert parameters <= REFUSED.keys()
    for name in sorted(parameters):
        for value in REFUSED[name]:
            # An array is not repeated in the error.
            shown = re.escape(f"{value}") if np.ndim(value) == 0 else ""
            with pytest.raises(ValueError, match=f"{name}.* must .*{shown}"):
                kind(**{name: value}).fit(X, targets)


def test_parameters_that_do_not_go_together_are_refused(bags, Y):
    boost = miml.MimlBoost(label_code="product", kernel="rbf")
    message = "goes with kernel=\"linear\", got 'rbf'"
    assert_refused(boost, bags, Y, message)
    pairwise = miml.DMimlSvm(relatedness="pairwise")
    assert_refused(pairwise, bags, Y, "mu must be positive for pairs")


# Few values, so that duplicates are common.
VALUES = st.sampled_from([0.0, 1.0, -1.0, 0.5, 3.0, 1e-9])


def as_given(values):
    return values


def read_only(values):
    return np.broadcast_to(values, values.shape)


def as_lists(values):
    return values.tolist()


def booleans_as_integers(values):
    return values.astype(np.int8) if values.dtype == bool else values


FORMS = st.sampled_from(
    [
        as_given,
        read_only,
        as_lists,
        np.asfortranarray,
        booleans_as_integers,
    ]
)


@st.composite
def examples(draw, estimator):
    """Two to eight bags as lists of arrays, or their first instances; labels; each in some form."""
    n_features = draw(st.integers(1, 3))
    scale = draw(st.sampled_from([1.0, 1.0, 1e9]))
    rows = st.lists(VALUES, min_size=n_features, max_size=n_features)
    bag = st.lists(rows, min_size=1, max_size=3)
    lists = draw(st.lists(bag, min_size=2, max_size=8))
    # The first bag is there twice, where eight are not exceeded.
    lists = [*lists, lists[0]][:8]
    bags = [scale * np.array(rows) for rows in lists]

    n_labels = draw(st.integers(1, 3))
    any_label = st.lists(
        st.booleans(),
        min_size=len(bags),
        max_size=len(bags),
    )
    had_by_all = st.just([True] * len(bags))
    columns = [draw(any_label | had_by_all) for _ in range(n_labels)]
    Y = np.array(columns).T

    if estimator in OF_VECTORS:
        first_instances = np.array([bag[0] for bag in bags])
        return draw(FORMS)(first_instances), draw(FORMS)(Y)
    X = [draw(FORMS)(bag) for bag in bags]
    if estimator in OF_ONE_LABEL:
        return X, draw(FORMS)(Y[:, 0])
    return X, draw(FORMS)(Y)


# An error names a parameter, or one of these.
WORDS_FOR_DATA = {
    "X",
    "Y",
    "y",
    "bag",
    "bags",
    "label",
    "labels",
    "features",
    "instances",
    "samples",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "estimator",
    [*OF_BAGS, *OF_VECTORS, *OF_ONE_LABEL],
    ids=name_of,
)
@given(data=st.data())
def test_scores_are_finite_or_the_input_is_refused(data, estimator):
    """An error names what to change, the data or a parameter. No input is changed."""
    X, labels = data.draw(examples(estimator))
    X_before = [np.array(part) for part in X]
    labels_before = np.array(labels)
    try:
        learner = clone(estimator).fit(X, labels)
        scores = learner.decision_function(X)
    except ValueError as error:
        names = estimator.get_params(deep=True)
        parameters = {name.split("__")[-1] for name in names}
        words = set(re.findall(r"\w+", str(error)))
        assert words & (parameters | WORDS_FOR_DATA), error
        return
    assert scores.shape == labels_before.shape
    assert np.isfinite(scores).all()
    for part, part_before in zip(X, X_before, strict=True):
        assert np.array_equal(part, part_before)
    assert np.array_equal(labels, labels_before)


@pytest.mark.parametrize("estimator", OF_VECTORS, ids=name_of)
@pytest.mark.parametrize("form", [csr_matrix, csc_array, coo_matrix])
def test_sparse_vectors_give_the_same(estimator, form, rng):
    is_there = rng.random((20, 4)) < 0.5
    dense = np.where(is_there, rng.random((20, 4)), 0.0)
    Y = dense[:, :2] > 0.3
    expected = clone(estimator).fit(dense, Y).decision_function(dense)
    sparse = form(dense)
    scores = clone(estimator).fit(sparse, Y).decision_function(sparse)
    largest = np.abs(expected).max()
    assert np.allclose(scores, expected, atol=1e-6 * (1 + largest))


# Settings whose last digits could matter in other ways.
READINGS = [
    miml.DMimlSvm(
        kernel="linear",
        rank=None,
        imbalance=True,
        random_state=0,
    ),
    miml.MimlBoost(
        kernel="linear",
        label_code="product",
        n_rounds=15,
        rank=None,
        random_state=0,
    ),
]
STEPWISE = miml.RankSvm(
    solver="frank_wolfe",
    linear_program="vertex",
    max_iter=25,
    degree=3,
)
# Long descents, which call no BLAS; tests/machines/test_processors.py compares their digits.
ASCENTS = miml.DiverseDensity, miml.EmDd
WITHOUT_ASCENTS = [learner for learner in OF_ONE_LABEL if not isinstance(learner, ASCENTS)]


@pytest.fixture(scope="module")
def texts():
    return load_synthetic_texts(n_texts=30)


@pytest.fixture(scope="module")
def genes():
    return load_synthetic_genes(n_genes=120)


def disturbed(features):
    """Each feature one or two units of its last place up or down."""
    rng = np.random.default_rng(1)
    places = rng.integers(-2, 3, features.shape)
    return features * (1.0 + places * np.finfo(float).eps)


def assert_same_scores(learner, X, disturbed_X, Y):
    """The last digit of the features decides nothing: another processor may round it differently.

    On drawn texts many values tie exactly: equal slopes, steps of zero, empty words.
    """
    scores = clone(learner).fit(X, Y).decision_function(X)
    disturbed_learner = clone(learner).fit(disturbed_X, Y)
    disturbed_scores = disturbed_learner.decision_function(disturbed_X)
    changes = np.abs(scores - disturbed_scores)
    # Constant scores have no spread.
    spread = np.std(scores) or 1.0
    assert changes.max() / spread < 1e-6


@pytest.mark.parametrize("learner", [*OF_BAGS, *READINGS], ids=repr)
def test_scores_of_bags_stay_the_same(learner, texts):
    bags = texts.X.with_instances(disturbed(texts.X.instances))
    assert_same_scores(learner, texts.X, bags, texts.Y)


@pytest.mark.parametrize("learner", [*OF_VECTORS, STEPWISE], ids=repr)
def test_scores_of_vectors_stay_the_same(learner, genes):
    vectors = disturbed(np.asarray(genes.X))
    assert_same_scores(learner, genes.X, vectors, genes.Y)


@pytest.mark.parametrize("learner", WITHOUT_ASCENTS, ids=repr)
def test_scores_of_one_label_stay_the_same(learner, texts):
    bags = texts.X.with_instances(disturbed(texts.X.instances))
    assert_same_scores(learner, texts.X, bags, texts.Y[:, 0])


class RightLearner(MimlNn):
    """MimlNn with all medoids, which draws nothing that matters."""

    ratio = 1.0
    ridge = "auto"
    metric = "max_hausdorff"
    label_rule = "sign"

    def __init__(self, random_state=0):
        self.random_state = random_state


class DependsOnTheOtherBags(RightLearner):
    def decision_function(self, X):
        scores = super().decision_function(X)
        return scores - scores.mean(axis=0)


class TurnsLabelsAround(RightLearner):
    def decision_function(self, X):
        scores = super().decision_function(X)
        return np.hstack([scores[:, :1], -0.01 * scores[:, 1:]])


class NeedsThreeLabels(RightLearner):
    def decision_function(self, X):
        return super().decision_function(X)[:, [0, 1, 2]]


class CrashesOnOneBag(RightLearner):
    def decision_function(self, X):
        scores = super().decision_function(X)
        return scores + 0 * np.arange(1, len(scores))[-1]


class Votes(RightLearner):
    def decision_function(self, X):
        return np.sign(super().decision_function(X))


class DrawsWithoutItsSeed(RightLearner):
    def decision_function(self, X):
        scores = super().decision_function(X)
        noise = np.random.default_rng().standard_normal(scores.shape)
        return scores + 1e-6 * noise


class ComputesWhenItIsMade(RightLearner):
    def __init__(self, random_state=0):
        self.random_state = random_state
        self.twice_ = 2 * random_state


class RemembersItsLastFit(RightLearner):
    def fit(self, X, Y):
        last_weights = getattr(self, "weights_", 0.0)
        super().fit(X, Y)
        self.weights_ = self.weights_ + 0.1 * np.mean(last_weights)
        return self


class ChangesAParameter(RightLearner):
    def fit(self, X, Y):
        self.random_state = 1
        return super().fit(X, Y)


class ContradictsItsScores(RightLearner):
    def predict(self, X):
        predicted = super().predict(X)
        predicted[0, :2] ^= True
        return predicted


class ChangesX(RightLearner):
    def decision_function(self, X):
        instances = X.instances if isinstance(X, Bags) else X[0]
        if instances.flags.writeable:
            instances += 1e-9
        return super().decision_function(X)


class ScalesByTheTestSet(RightLearner):
    def decision_function(self, X):
        bags = check_bags(X, self)
        widths = np.ptp(bags.instances, axis=0)
        scaled = bags.with_instances(bags.instances / widths)
        return super().decision_function(scaled)


def test_a_right_learner_passes_all_checks():
    for check in checks.CHECKS:
        checks._run(check, "bags", RightLearner())


CAUGHT_BY = {
    DependsOnTheOtherBags: checks.check_each_example_stands_alone,
    TurnsLabelsAround: checks.check_scores_and_labels,
    NeedsThreeLabels: checks.check_any_number_of_labels,
    CrashesOnOneBag: checks.check_each_example_stands_alone,
    Votes: checks.check_scores_and_labels,
    DrawsWithoutItsSeed: checks.check_a_second_fit_forgets_the_first,
    ComputesWhenItIsMade: checks.check_scores_and_labels,
    RemembersItsLastFit: checks.check_a_second_fit_forgets_the_first,
    ChangesAParameter: checks.check_a_second_fit_forgets_the_first,
    ContradictsItsScores: checks.check_predictions_follow_scores,
    ChangesX: checks.check_input_is_left_alone,
    ScalesByTheTestSet: checks.check_each_example_stands_alone,
}


@pytest.mark.parametrize("kind", CAUGHT_BY)
def test_a_wrong_learner_is_caught_by_the_check_of_its_fault(kind):
    with pytest.raises((AssertionError, IndexError, ValueError)):
        checks._run(CAUGHT_BY[kind], "bags", kind())


@pytest.fixture
def fitted(bags, labels):
    return MimlNn(random_state=0).fit(bags, labels)


@pytest.mark.parametrize(
    "as_labels",
    [
        lambda Y: pd.DataFrame(Y).astype("boolean"),
        lambda Y: pd.DataFrame(Y).astype("Int64"),
        lambda Y: pd.DataFrame(Y).astype(object),
        lambda Y: pd.DataFrame(Y).astype({0: float}),
        lambda Y: (1.0 * Y).tolist(),
    ],
)
def test_score_takes_the_labels_that_fit_takes(fitted, bags, labels, as_labels):
    assert fitted.score(bags, as_labels(labels)) == fitted.score(bags, labels) > 0


@pytest.mark.parametrize(
    ("as_labels", "message"),
    [
        (
            lambda Y: np.where(Y, 1, -1),
            "y must hold booleans, or 0 and 1, got -1; give Y > 0",
        ),
        (lambda Y: 2 * Y, "y must hold booleans, or 0 and 1, got 2"),
        (lambda Y: np.ma.masked_array(Y, mask=Y), "y must have no masked values"),
        (lambda Y: Y[:, :2], "y must have shape"),
    ],
)
def test_score_refuses_the_labels_that_fit_refuses(fitted, bags, labels, as_labels, message):
    with pytest.raises(ValueError, match=message):
        fitted.score(bags, as_labels(labels))


def test_one_label_is_scored_whatever_holds_its_classes(bags, labels):
    y = labels[:, 0]
    learner = miml.MiSvmBag().fit(bags, y)
    expected = np.mean(learner.predict(bags) == y)
    for of_classes in (y, y.astype(object), y[:, None], np.where(y, 1, -1), pd.Series(1 * y)):
        assert learner.score(bags, of_classes) == expected
    with pytest.raises(ValueError, match="y must not hold NaN"):
        learner.score(bags, np.where(y, 1, np.nan))
    with pytest.raises(ValueError, match=r"y must hold the classes \[False, True\], got sea"):
        learner.score(bags, np.full(len(y), "sea"))


def test_labels_of_zero_and_minus_one_mean_nothing_beside_each_other(bags, labels):
    y = np.where(labels[:, 0], 0, -1)
    learner = miml.MiSvmBag().fit(bags, y)
    assert learner.score(bags, y) == np.mean(learner.predict(bags) == y)
    with pytest.raises(ValueError, match=r"y must hold the classes \[-1, 0\], got 1"):
        learner.score(bags, np.where(labels[:, 0], 1, -1))
    of_truths = miml.MiSvmBag().fit(bags, labels[:, 0])
    both = y.copy()
    both[0] = 1
    with pytest.raises(ValueError, match=r"y must hold the classes \[False, True\], got -1"):
        of_truths.score(bags, both)


def test_an_unfitted_learner_of_one_label_says_so(bags, labels):
    with pytest.raises(NotFittedError):
        miml.MiSvmBag().score(bags, labels[:, 0])
    with pytest.raises(NotFittedError):
        miml.MiSvmBag().decide(np.zeros(3))


class Ensemble(MimlNn):
    """As ensembles of scikit-learn it has a length, and so a truth value, only when fitted."""

    def __len__(self):
        return len(self.estimators_)


def test_an_unfitted_ensemble_may_be_the_learner(bags, labels):
    vectors = bags.mean(bags.instances)
    insdif = miml.InsDif(learner=Ensemble()).fit(vectors, labels)
    assert isinstance(insdif.learner_, Ensemble)
    subcod = miml.SubCod(n_concepts=2, learner=Ensemble(), random_state=0).fit(
        bags, labels[:, 0]
    )
    assert isinstance(subcod.learner_, Ensemble)


def test_weights_of_score_go_by_the_names_of_the_bags(bags, labels):
    names = [f"b{i}" for i in range(len(bags))]
    of_names = bags.with_names(names)
    learner = MimlNn(random_state=0).fit(of_names, labels)
    weights = pd.Series(np.arange(len(names)), names)
    expected = learner.score(of_names, labels, sample_weight=weights.to_numpy())
    assert learner.score(of_names, labels, sample_weight=weights[::-1]) == expected


def test_features_with_numbers_for_names_are_matched_by_them(bags, labels):
    """The numbers 0, 1, … are places; others are names, as words are."""
    in_order = [pd.DataFrame(bag, columns=[400, 410, 420]) for bag in bags]
    learner = miml.NoisyOr(random_state=0).fit(in_order, labels)
    with pytest.raises(ValueError, match="feature names should match"):
        learner.predict([bag.iloc[:, ::-1] for bag in in_order])
