"""The contract of every estimator: any input, bad parameters, the last digit of features."""

import re
from contextlib import nullcontext
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_matrix, csc_array, csr_array, csr_matrix
from sklearn.base import clone, is_classifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator

import mimlpaper as miml
from mimlpaper import MimlNn
from mimlpaper.bags import Bags
from mimlpaper.base import BagClassifier, ConstantLabelWarning, check_bags
from mimlpaper.baselines.binary_relevance import Guess
from mimlpaper.checks import CHECKS, _run, parametrize_with_checks
from mimlpaper.datasets import load_synthetic_genes, load_synthetic_texts
from mimlpaper.metrics import evaluate
from mimlpaper.preprocessing import SumInstances
from mimlpaper.sharing import Cache, sharing

pytestmark = pytest.mark.filterwarnings(
    "ignore::mimlpaper.base.ConstantLabelWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)
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


def transductive(learner):
    known = {"check_each_example_stands_alone": "it learns from the test examples too"}
    return known if isinstance(learner, miml.Cnmf) else {}


@parametrize_with_checks(OF_VECTORS, kind="vectors", expected_failed_checks=transductive)
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


@pytest.fixture
def X(estimator, bags):
    return input_of(estimator, bags)


@pytest.fixture
def Y(labels):
    return labels


def input_of(estimator, bags):
    """Bags, or one vector a bag for the estimators of single instances."""
    vectors = (*map(type, OF_VECTORS), miml.NeighbourMeans, miml.DifferenceFeatures)
    return SumInstances().fit_transform(bags) if isinstance(estimator, vectors) else bags


def test_names_of_features_are_checked_and_missing_values_refused(bags, Y, y):
    """A dict's keys are the rows of the predictions. Missing values are imputed in a pipeline."""
    names = ["a", "b", "c"]
    framed = {f"bag {i}": pd.DataFrame(bag, columns=names) for i, bag in enumerate(bags)}
    turned = [bag[names[::-1]] for bag in framed.values()]
    holes = [np.where(bag > 0.9, np.nan, bag) for bag in bags]
    steps = miml.OnInstances(SimpleImputer()), miml.OnInstances(MinMaxScaler())
    for unfitted in [*OF_BAGS, *OF_ONE_LABEL, miml.MimlClassifier({"one": miml.MimlNn()})]:
        labels = y if isinstance(unfitted, BagClassifier) else Y
        with pytest.raises(ValueError, match=r"bag \d+ holds nan; impute it, as OnInstances"):
            clone(unfitted).fit(holes, labels)
        pipeline = make_pipeline(*steps, clone(unfitted)).fit(holes, labels)
        assert np.isfinite(pipeline.decision_function(holes)).all()
        fitted = clone(unfitted).fit(framed, labels)
        assert fitted.feature_names_in_.tolist() == names
        with pytest.raises(ValueError, match="feature names should match"):
            fitted.decision_function(turned)
        with pytest.warns(UserWarning, match="does not have valid feature names"):
            fitted.predict(bags)
        if labels is Y:
            found = fitted.set_output(predict="pandas").predict(framed)
            assert found.index.tolist() == list(framed)


def test_seeds_do_not_matter_where_nothing_is_drawn(bags, Y, y):
    for_sets = miml.DMimlSvm, miml.MimlBoost, miml.MimlSvmMi, miml.NoisyOr
    for kind in (*for_sets, miml.ChFd, miml.MiSvmBag, miml.MiSvmInstance):
        labels = Y if kind in for_sets else y
        fits = [kind(random_state=seed).fit(bags, labels) for seed in (0, 1)]
        assert np.array_equal(*(fitted.decision_function(bags) for fitted in fits)), kind


@pytest.mark.parametrize("unfitted", [*OF_BAGS, *OF_VECTORS], ids=name_of)
def test_the_unit_of_the_features_does_not_matter(unfitted, bags, Y):
    if isinstance(unfitted, (miml.InsDif, miml.RankSvm, miml.Cnmf)):
        pytest.skip("ridge=0; or with parameters in the unit of the features")
    X, small = (input_of(unfitted, bags.with_instances(c * bags.instances)) for c in (1.0, 1e-3))
    scores, others = (clone(unfitted).fit(part, Y).decision_function(part) for part in (X, small))
    assert np.allclose(scores, others, atol=0.1 if isinstance(unfitted, miml.DMimlSvm) else 1e-4)


def test_errors_say_what_to_give(bags, Y, y):
    nn, svm, one = miml.MimlNn(), miml.MlSvm(), miml.MiSvmBag()
    for learner, X, labels, message in (
        (nn, bags, np.where(Y, "1", "0"), r"booleans, or 0 and 1.*astype\(int\)"),
        (nn, bags, [["sea"], ["sky", "sea"]] * 15, "MultiLabelBinarizer"),
        (nn, bags, y, r"2-D, with labels, for one label Y\[:, None\]"),
        (nn, bags, pd.DataFrame(Y, columns=list("abca")), "different names, got .'a'"),
        (one, bags, None, "requires y to be passed"),
        (one, bags, np.ones(29), r"y must have shape \(30,\), one label a bag, got \(29,\)"),
        (one, bags, Y, r"got \(30, 4\)"),
        (one, bags, np.arange(30), "y must hold two classes, got 30: "),
        (one, bags, np.ones(30), r"y must hold two classes, got 1: \[1.0\]"),
        (one, bags, np.append(np.ones(29), np.nan), "y must not hold NaN, got one for bag 29"),
        (svm, bags, Y, "one vector an example, got bags; .* BagStatistics"),
        (svm, list(bags), Y, "one vector an example, got bags"),
        (miml.MimlNn(metric="euclidean"), bags, Y, "one vector an example, got bags"),
        (nn, [csr_array(bag) for bag in bags], Y, r"bag 0 is sparse; give its .toarray"),
        (nn, [bag + 1j for bag in bags], Y, "bag 0 must hold real numbers, got complex"),
        (nn, [bag + 1e8 for bag in bags], Y, "X must lie around 0: .* 1.0e\\+08"),
        (svm, SumInstances().transform(bags) + 1e8, Y, "X must lie around 0"),
    ):
        with pytest.raises(ValueError, match=message):
            learner.fit(X, labels)


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
    """The warning gives its number; its scores are finite, and mostly constant."""
    with pytest.raises(ValueError, match="Y must hold booleans, or 0 and 1"):
        estimator.fit(X, np.where(Y, 1, -1))
    kinds = miml.DMimlSvm, miml.MimlBoost, miml.MimlSvm, miml.MimlSvmMi, miml.MlSvm, miml.NoisyOr
    for constant in (False, True):
        Y = np.column_stack([Y[:, :2], np.full(len(Y), constant)])
        with pytest.warns(ConstantLabelWarning, match=r"label\(s\) \[2\]"):
            scores = clone(estimator).fit(X, Y).decision_function(X)
        assert np.isfinite(scores).all()
        if isinstance(estimator, kinds):
            assert (scores[:, 2] == (1.0 if constant else -1.0)).all()


def test_labels_keep_their_names(estimator, X, Y):
    names = ["sky", "tree", "sea", "sand"]
    truth = pd.DataFrame(Y, columns=names)
    fitted = clone(estimator).fit(X, truth)
    framed = clone(fitted).set_output(predict="pandas")
    framed = clone(framed).fit(X, truth)
    scores, predicted = framed.decision_function(X), framed.predict(X)
    assert np.array_equal(scores[names], fitted.decision_function(X))
    pd.testing.assert_frame_equal(predicted, pd.DataFrame(fitted.predict(X), columns=names))
    assert evaluate(truth, scores, predicted)
    if hasattr(framed, "predict_proba"):
        probabilities = framed.predict_proba(X)
        assert np.allclose(np.log(probabilities / (1 - probabilities))[names], scores)
    with pytest.raises(ValueError, match="predict must be"):
        fitted.set_output(predict="polars")


def test_predictions_are_of_the_labels_own_kind(bags, y):
    kinds = [False, True], [-1, 1], [0.0, 1.0], ["Musk", "Rock"]
    for unfitted, classes in product(OF_ONE_LABEL, kinds):
        labels = np.asarray(classes)[y.astype(int)]
        fitted = clone(unfitted).fit(list(bags), labels[:, None])
        predicted, scores = fitted.predict(bags), fitted.decision_function(bags)
        assert fitted.classes_.tolist() == classes and predicted.dtype == labels.dtype
        assert np.array_equal(predicted == classes[1], scores > 0)
        assert fitted.score(bags, labels) == np.mean(predicted == labels)
        assert is_classifier(fitted)  # so that folds are stratified


def test_searches_of_scikit_learn(estimator, X, Y):
    rules, ratios = {"label_rule": ["sign", "top"]}, {"learner__ratio": [0.3, 0.6]}
    grid = ratios if hasattr(estimator, "learner") else rules
    search = GridSearchCV(estimator, grid, scoring=miml.scorers["average_precision"], cv=2)
    assert search.fit(X, Y).best_estimator_.predict(X).shape == Y.shape
    shares = cross_val_score(estimator, X, Y, cv=2)  # of right label sets
    assert shares.shape == (2,) and (shares >= 0).all()
    target = get_tags(estimator).target_tags
    assert is_classifier(estimator) and target.multi_output and not target.single_output


# scikit-learn checks a classifier with one column of classes; RankSvm has nothing to rank in it.
OF_TABLES = """
    classifier_data_not_an_array classifier_multioutput classifier_not_supporting_multiclass
    classifiers_classes classifiers_multilabel_output_format_predict classifiers_one_label
    classifiers_regression_target classifiers_train estimators_dtypes fit2d_1feature
""".split()
FAIL = [
    (miml.base.MultiLabelEstimator, OF_TABLES),  # labels are a table of booleans, or 0 and 1
    (miml.MlKnn, ["decision_proba_consistency"]),  # the same
    (miml.MlKnn, ["estimator_sparse_array", "estimator_sparse_matrix"]),  # one probability a label
    (miml.Cnmf, ["methods_subset_invariance"]),  # transductive: scores depend on the others
    (miml.Cnmf, ["non_transformer_estimators_n_iter"]),  # the rounds are those of a prediction
]
OF_SKLEARN = [
    pytest.param(estimator, check, id=f"{name_of(estimator)}-{check.func.__name__}")
    for learner in (*OF_VECTORS[:-1], miml.InsDif(shortcut=False))
    for estimator, check in estimator_checks_generator(learner)
]


@pytest.mark.parametrize(("estimator", "check"), OF_SKLEARN)
def test_scikit_learns_own_checks(estimator, check):
    name = check.func.__name__.removeprefix("check_")
    fails = any(isinstance(estimator, kind) and name in names for kind, names in FAIL)
    errors = AssertionError, AttributeError, TypeError, ValueError
    with pytest.raises(errors) if fails else nullcontext():
        check(estimator)


# Names of parameters, and values that every estimator refuses for them.
REFUSED = [
    ("C tol nu smoothing initial_scale step_accuracy", [0.0, -1, np.nan, np.inf, "many"]),
    ("max_iter max_alternations max_cccp n_rounds n_neighbors n_sample", [0, 10.5]),
    ("shortcut imbalance label_rule kernel set_kernel solver", ["many"]),
    ("weighting optimum linear_program metric relatedness covariance", ["many"]),
    ("lam cccp_tol ridge coef0", [-0.1]),
    ("gamma", [np.inf, -1.0, 0, "wide", np.nan]),
    ("ratio kept_share", [1.5]),
    ("rank n_start_bags", [0]),
    ("threshold", [1.0]),
    ("n_concepts", [10_000]),
    ("degree", [2.5]),
    ("mu", [-0.5]),
    ("relatedness", [np.ones((2, 2)), -np.ones((4, 4)), np.tri(4), np.zeros((4, 4))]),
]
# Any value will do, or it is not used.
WITHOUT_COEF0 = "MlSvm NoisyOr MimlSvmMi ChFd MiSvmBag MiSvmInstance".split()
FREE = {("Label frequencies", "kernel"), *product(WITHOUT_COEF0, ["coef0"])}


def test_bad_parameters_are_refused(bags, labels):
    """Every estimator refuses a bad value of each of its parameters, and says which and why."""
    others = [miml.LandmarkMap(), miml.NeighbourMeans(), miml.DifferenceFeatures()]
    for unfitted in [*OF_BAGS, *OF_VECTORS, *OF_ONE_LABEL, *others]:
        X, kind = input_of(unfitted, bags), type(unfitted)
        Y = labels[:, 0] if isinstance(unfitted, BagClassifier) else labels
        for names, values in REFUSED:
            for name, value in product(names.split(), values):
                own = unfitted.get_params(deep=False)
                if name in own and (kind.__name__, name) not in FREE:
                    got = re.escape(f"{value}") if np.ndim(value) == 0 else ""
                    with pytest.raises(ValueError, match=f"{name}.* must .*{got}"):
                        kind(**{name: value}).fit(X, Y)
    product_code = miml.MimlBoost(label_code="product", kernel="rbf")
    for estimator, message in (
        (product_code, "goes with kernel=\"linear\", got 'rbf'"),
        (miml.DMimlSvm(relatedness="pairwise"), "mu must be positive for pairs"),
    ):
        with pytest.raises(ValueError, match=message):
            estimator.fit(bags, labels)


VALUES = st.sampled_from([0.0, 1.0, -1.0, 0.5, 3.0, 1e-9])  # few, so that duplicates are common
WAYS = [
    lambda values: values,
    lambda values: np.broadcast_to(values, values.shape),  # read-only
    lambda values: values.tolist(),
    np.asfortranarray,
    lambda values: values.astype(np.int8) if values.dtype == bool else values,
]
DATA = {"X", "Y", "y", "bag", "bags", "label", "labels", "features", "instances", "samples"}


@st.composite
def examples(draw, estimator):
    """Two to eight bags as lists of arrays, or their first instances; labels; each in some form."""
    n_features, scale = draw(st.integers(1, 3)), draw(st.sampled_from([1.0, 1.0, 1e9]))
    row = st.lists(VALUES, min_size=n_features, max_size=n_features)
    bags = draw(st.lists(st.lists(row, min_size=1, max_size=3), min_size=2, max_size=8))
    bags = [scale * np.array(bag) for bag in [*bags, bags[0]][:8]]  # one of them twice
    n, n_labels = len(bags), draw(st.integers(1, 3))
    column = st.lists(st.booleans(), min_size=n, max_size=n) | st.sampled_from([[True] * n])
    Y = np.array([draw(column) for _ in range(n_labels)]).T
    way = st.sampled_from(WAYS)
    if estimator in OF_VECTORS:
        return draw(way)(np.array([bag[0] for bag in bags])), draw(way)(Y)
    return [draw(way)(bag) for bag in bags], draw(way)(Y[:, 0] if estimator in OF_ONE_LABEL else Y)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", [*OF_BAGS, *OF_VECTORS, *OF_ONE_LABEL], ids=name_of)
@given(data=st.data())
def test_scores_are_finite_or_the_input_is_refused(data, estimator):
    """An error names what to change, the data or a parameter. No input is changed."""
    X, labels = data.draw(examples(estimator))
    before = [np.array(part) for part in X], np.array(labels)
    try:
        scores = clone(estimator).fit(X, labels).decision_function(X)
    except ValueError as error:
        words = {name.split("__")[-1] for name in estimator.get_params(deep=True)} | DATA
        assert words & set(re.findall(r"\w+", str(error))), error
        return
    assert scores.shape == before[1].shape and np.isfinite(scores).all()
    assert all(map(np.array_equal, before[0], X)) and np.array_equal(before[1], labels)


@pytest.mark.parametrize("estimator", OF_VECTORS, ids=name_of)
def test_sparse_vectors_give_the_same(estimator, rng):
    table = np.where(rng.random((20, 4)) < 0.5, rng.random((20, 4)), 0.0)
    Y = np.column_stack([table[:, 0] > 0.3, table[:, 1] > 0.3])
    dense = clone(estimator).fit(table, Y).decision_function(table)
    for form in (csr_matrix, csc_array, coo_matrix):
        scores = clone(estimator).fit(form(table), Y).decision_function(form(table))
        assert np.allclose(scores, dense, atol=1e-6 * (1 + np.abs(dense).max()))


READINGS = [
    miml.DMimlSvm(kernel="linear", rank=None, imbalance=True, random_state=0),
    miml.MimlBoost(kernel="linear", label_code="product", n_rounds=15, rank=None, random_state=0),
]
# Long ascents, which call no BLAS; tests/check/test_processors.py compares their digits.
ASCENTS = miml.DiverseDensity, miml.EmDd
STEPWISE = miml.RankSvm(solver="frank_wolfe", linear_program="vertex", max_iter=25, degree=3)


def disturbed(features):
    """Each feature one or two units of its last place up or down."""
    places = np.random.default_rng(1).integers(-2, 3, features.shape)
    return features * (1.0 + places * np.finfo(float).eps)


def test_scores_stay_the_same():
    """The last digit of the features decides nothing: another processor may round it otherwise.

    On drawn texts, where many values tie exactly: equal slopes, steps of zero, empty words.
    """
    texts, genes = load_synthetic_texts(n_texts=30), load_synthetic_genes(n_genes=120)
    bags = texts.X.with_instances(disturbed(texts.X.instances))
    vectors = disturbed(np.asarray(genes.X))
    given = [(one, texts.X, texts.Y, bags) for one in (*OF_BAGS, *READINGS)]
    given += [(one, genes.X, genes.Y, vectors) for one in (*OF_VECTORS, STEPWISE)]
    of_one_label = [one for one in OF_ONE_LABEL if not isinstance(one, ASCENTS)]
    given += [(one, texts.X, texts.Y[:, 0], bags) for one in of_one_label]
    changes = {}  # the largest, in units of the scores' spread
    for one, X, Y, other in given:
        scores, moved = (clone(one).fit(part, Y).decision_function(part) for part in (X, other))
        changes[repr(one)] = np.abs(scores - moved).max() / (np.std(scores) or 1.0)
    assert not {name: change for name, change in changes.items() if not change < 1e-6}


OF_SCORES = {  # what a wrong learner makes of right scores
    "other bags matter": lambda scores: scores - scores.mean(axis=0),
    "the sign of a label": lambda scores: np.hstack([scores[:, :1], -0.01 * scores[:, 1:]]),
    "three labels": lambda scores: scores[:, [0, 1, 2]],
    "crashes on one bag": lambda scores: scores + 0 * np.arange(1, len(scores))[-1],
    "votes": np.sign,
    "draws": lambda scores: scores + 1e-6 * np.random.default_rng().standard_normal(scores.shape),
}
OTHERS = (
    "computes",
    "remembers",
    "changes a parameter",
    "contradicts its scores",
    "changes X",
    "scales by the test set",
)


class Learner(MimlNn):
    """MimlNn with all medoids, which draws nothing that matters; or with one fault."""

    ratio, ridge, metric, label_rule = 1.0, "auto", "max_hausdorff", "sign"

    def __init__(self, fault=None, random_state=0):
        self.fault = fault
        self.random_state = random_state
        if fault == "computes":
            self.twice_ = 2 * random_state

    def fit(self, X, Y):
        last = getattr(self, "weights_", 0.0) if self.fault == "remembers" else 0.0
        if self.fault == "changes a parameter":
            self.random_state = 1
        super().fit(X, Y)
        self.weights_ = self.weights_ + 0.1 * np.mean(last)
        return self

    def decision_function(self, X):
        instances = X.instances if isinstance(X, Bags) else X[0]
        if self.fault == "changes X" and instances.flags.writeable:
            instances += 1e-9
        if self.fault == "scales by the test set":
            X = check_bags(X, self)
            X = X.with_instances(X.instances / np.ptp(X.instances, axis=0))
        scores = super().decision_function(X)
        return OF_SCORES[self.fault](scores) if self.fault in OF_SCORES else scores

    def predict(self, X):
        predicted = super().predict(X)
        predicted[0, :2] ^= self.fault == "contradicts its scores"
        return predicted


@pytest.mark.parametrize("fault", [None, *OF_SCORES, *OTHERS])
def test_wrong_learners_are_caught(fault):
    failed = []
    for check in CHECKS:
        try:
            _run(check, "bags", Learner(fault))
        except (AssertionError, AttributeError, IndexError, ValueError):
            failed.append(check.__name__)
    assert bool(failed) == (fault is not None), failed
