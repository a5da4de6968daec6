"""The contract of every multi-label estimator, and the parameters that each refuses."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks as sklearn_checks

from mimlpaper import (
    AdtBoostMH,
    ChFd,
    Cnmf,
    DifferenceFeatures,
    DiverseDensity,
    DMimlSvm,
    EmDd,
    InsDif,
    LandmarkMap,
    MimlBoost,
    MimlNn,
    MimlSvm,
    MimlSvmMi,
    MiSvmBag,
    MiSvmInstance,
    MlKnn,
    MlSvm,
    NeighbourMeans,
    NoisyOr,
    RankSvm,
    SubCod,
    scorers,
)
from mimlpaper.base import BagClassifier, ConstantLabelWarning
from mimlpaper.baselines.guess import Guess
from mimlpaper.checks import parametrize_with_checks
from mimlpaper.metrics import evaluate
from mimlpaper.preprocessing import SumInstances

BAG_ESTIMATORS = [
    DMimlSvm(rank=None, imbalance=False, random_state=0),
    MimlBoost(n_rounds=5, rank=None, random_state=0),
    MimlNn(random_state=0),
    MimlSvm(random_state=0),
    MimlSvmMi(rank=None, max_alternations=3, random_state=0),
    NoisyOr(rank=None, random_state=0),
    Guess(),
]

TABLE_ESTIMATORS = [
    AdtBoostMH(),
    Cnmf(),
    InsDif(learner=MimlNn(random_state=0)),
    MlSvm(),
    MlKnn(n_neighbors=3),
    RankSvm(random_state=0),
]

EVERY = [*BAG_ESTIMATORS, *TABLE_ESTIMATORS]


@parametrize_with_checks(BAG_ESTIMATORS)
def test_learners_of_bags(estimator, check):
    check(estimator)


@parametrize_with_checks(TABLE_ESTIMATORS, kind="vectors")
def test_learners_of_vectors(estimator, check):
    check(estimator)


@pytest.fixture(params=EVERY, ids=lambda estimator: type(estimator).__name__)
def estimator(request):
    return clone(request.param)


@pytest.fixture
def X(estimator, bags):
    """Bags, or one vector a bag for the estimators of single instances."""
    if type(estimator) in map(type, BAG_ESTIMATORS):
        return bags
    return SumInstances().fit_transform(bags)


@pytest.fixture
def Y(labels):
    return labels


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantLabelWarning)
        yield


def test_one_example_at_a_time_gives_the_same(estimator, X, Y):
    if isinstance(estimator, Cnmf):
        pytest.skip("transductive: scores depend on the examples that come together")
    fitted = estimator.fit(X, Y)
    together = fitted.decision_function(X)
    for i in (0, 11, 29):
        assert np.allclose(fitted.decision_function(X[i : i + 1])[0], together[i], atol=1e-8)


def test_label_with_one_class_only(estimator, X, Y):
    for constant in (False, True):
        Y = np.column_stack([Y[:, :2], np.full(len(Y), constant)])
        with warnings.catch_warnings():
            warnings.simplefilter("error", ConstantLabelWarning)
            with pytest.raises(ConstantLabelWarning, match=r"label\(s\) \[2\]"):
                clone(estimator).fit(X, Y)
        assert np.isfinite(estimator.fit(X, Y).decision_function(X)).all()


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


def test_bad_labels_and_rules_are_refused(estimator, X, Y):
    with pytest.raises(ValueError, match="X has 30, Y has 29"):
        estimator.fit(X, Y[1:])
    with pytest.raises(ValueError, match="Y must hold booleans, or 0 and 1"):
        estimator.fit(X, np.where(Y, 1, -1))
    with pytest.raises(ValueError, match="label_rule must be one of"):
        name = "learner__label_rule" if hasattr(estimator, "learner") else "label_rule"
        clone(estimator).set_params(**{name: "guess"}).fit(X, Y)


def test_feature_names_are_kept_and_checked(Y, bags):
    X = pd.DataFrame(
        SumInstances().fit_transform(bags), columns=["a", "b", "c"], index=range(5, 35)
    )
    for unfitted in TABLE_ESTIMATORS:
        fitted = clone(unfitted).set_output(predict="pandas").fit(X, Y)
        assert fitted.feature_names_in_.tolist() == ["a", "b", "c"]
        assert fitted.predict(X).index.equals(X.index)
        with pytest.raises(ValueError, match="feature names should match"):
            fitted.predict(X[["b", "a", "c"]])


def test_searches_of_scikit_learn(estimator, X, Y):
    name = "learner__ratio" if hasattr(estimator, "learner") else "label_rule"
    grid = {name: [0.3, 0.6] if hasattr(estimator, "learner") else ["sign", "top"]}
    search = GridSearchCV(estimator, grid, scoring=scorers["average_precision"], cv=2).fit(X, Y)
    assert search.best_estimator_.predict(X).shape == Y.shape
    shares = cross_val_score(estimator, X, Y, cv=2)  # of right label sets
    assert shares.shape == (2,) and (shares >= 0).all()
    tags = get_tags(estimator)
    assert is_classifier(estimator)
    assert tags.target_tags.multi_output and not tags.target_tags.single_output


# scikit-learn checks a classifier with one column of classes, mostly three of them; these
# learners take a table of 0 and 1. RankSvm is left out: it has nothing to rank in one column.
OF_CLASSES = "labels are a table of booleans, or 0 and 1"

EXPECTED = {
    "check_classifier_data_not_an_array": OF_CLASSES,
    "check_classifier_multioutput": "predictions of 0 and 1 are booleans",
    "check_classifier_not_supporting_multiclass": OF_CLASSES,
    "check_classifiers_classes": OF_CLASSES,
    "check_classifiers_multilabel_output_format_predict": "predictions of 0 and 1 are booleans",
    "check_classifiers_one_label": OF_CLASSES,
    "check_classifiers_regression_target": OF_CLASSES,
    "check_classifiers_train": OF_CLASSES,
    "check_estimators_dtypes": OF_CLASSES,
    "check_fit2d_1feature": OF_CLASSES,
}

OF_CNMF = {
    "check_methods_subset_invariance": "transductive: scores depend on the examples together",
    "check_non_transformer_estimators_n_iter": "the rounds are those of a prediction",
}


@sklearn_checks(
    [
        *(estimator for estimator in TABLE_ESTIMATORS if not isinstance(estimator, RankSvm)),
        InsDif(shortcut=False, random_state=0),
    ],
    expected_failed_checks=lambda learner: (
        EXPECTED | (OF_CNMF if isinstance(learner, Cnmf) else {})
    ),
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


KERNEL = {"gamma": (-1.0, "gamma must be positive"), "kernel": ("cosine", "kernel must be one of")}
RANK = {"rank": (0, r"rank must be None, .auto. or at least 1, got 0")}
ALTERNATIONS = {"max_alternations": (0, "max_alternations must be at least 1, got 0")}
COST = {"C": (0.0, "C must be positive.*, got 0.0")}
LABEL_RULE = {"label_rule": ("all", "label_rule must be one of .*got 'all'")}
BY_MEDOIDS = {"ratio": (1.5, r"ratio must lie in \(0, 1\], got 1.5"), **LABEL_RULE}
CONCEPT = {
    "initial_scale": (0.0, "initial_scale must be positive, got 0.0"),
    "tol": (-1.0, "tol must be positive, got -1.0"),
    "n_start_bags": (0, "n_start_bags must be at least 1, got 0"),
    "max_iter": (0, "max_iter must be at least 1, got 0"),
    "threshold": (1.0, 'threshold must be "learned" or lie between 0 and 1, got 1.0'),
}
MI_SVM = KERNEL | RANK | ALTERNATIONS | COST | {"tol": (-1.0, "tol must be positive, got -1.0")}

REFUSED = {
    DMimlSvm: KERNEL | COST | LABEL_RULE | {
        "set_kernel": ("max", "set_kernel must be one of"),
        "solver": ("lbfgs", "solver must be one of"),
        "tol": (0.0, "tol must be positive"),
        "lam": (-0.1, "lam must be at least 0, got -0.1"),
        "cccp_tol": (-1, "cccp_tol must be at least 0"),
        "max_cccp": (0, "max_cccp must be at least 1"),
        "max_iter": (0, "max_iter must be at least 1"),
        "mu": (-0.5, "mu must be greater than -1/2, got -0.5"),
        "relatedness": ("tree", 'relatedness must be "mean", "pairwise" or an array'),
    },
    MimlBoost: KERNEL | RANK | COST | LABEL_RULE | {
        "n_rounds": (0, "n_rounds must be at least 1, got 0"),
        "max_iter": (0, "max_iter must be at least 1, got 0"),
        "tol": (np.nan, "tol must be positive and finite, got nan"),
        "label_code": ("product", "goes with kernel=\"linear\", got kernel='rbf'"),
        "weighting": ("none", "weighting must be one of .* got 'none'"),
    },
    MimlNn: BY_MEDOIDS | {"ridge": (-1, "ridge must be at least 0, got -1")},
    MimlSvm: BY_MEDOIDS | {"metric": ("cosine", "metric must be a callable or one of .*'cosine'")},
    LandmarkMap: {
        "n_sample": (0, "n_sample must be at least 1, got 0"),
        "ratio": (0.0, r"ratio must lie in \(0, 1\], got 0.0"),
        "metric": ("precomputed", 'metric must not be "precomputed"'),
    },
    MimlSvmMi: KERNEL | RANK | ALTERNATIONS | COST | LABEL_RULE,
    NoisyOr: KERNEL | RANK | LABEL_RULE | {
        name: (0, f"{name} must be positive, got 0") for name in ("ridge", "tol", "max_iter")
    },
    SubCod: COST | ALTERNATIONS | {
        "n_concepts": (10_000, "between 1 and the number of instances, .*got 10000"),
        "kept_share": (1.5, r"kept_share must lie in \[0, 1\], got 1.5"),
        "optimum": ("best", r"optimum must be one of .*, got 'best'"),
        "covariance": ("round", "covariance_type"),
    },
    ChFd: KERNEL | RANK | ALTERNATIONS | {"nu": (0.0, "nu must be positive, got 0.0")},
    MiSvmBag: MI_SVM,
    MiSvmInstance: MI_SVM,
    DiverseDensity: CONCEPT,
    EmDd: CONCEPT,
    AdtBoostMH: LABEL_RULE | {
        "n_rounds": (0, "n_rounds must be at least 1, got 0"),
        "smoothing": (np.nan, "smoothing must be positive and finite, got nan"),
    },
    Cnmf: COST | LABEL_RULE | {
        "max_iter": (0, "max_iter must be at least 1, got 0"),
        "gamma": (0.0, "gamma must be positive"),
    },
    MlKnn: LABEL_RULE | {
        "n_neighbors": (0, "n_neighbors must be at least 1, got 0"),
        "smoothing": (0, "smoothing must be positive, got 0"),
    },
    MlSvm: KERNEL | LABEL_RULE,
    RankSvm: KERNEL | COST | LABEL_RULE | {
        "tol": (np.nan, "tol must be positive, got nan"),
        "degree": (2.5, "degree must be an integer of at least 1, got 2.5"),
        "max_iter": (0, "max_iter must be an integer of at least 1, got 0"),
        "coef0": (-1.0, "coef0 must be at least 0, got -1.0"),
        "solver": ("simplex", "solver must be one of .*got 'simplex'"),
        "linear_program": ("face", "linear_program must be one of .*got 'face'"),
        "step_accuracy": (-1e-4, "step_accuracy must be at least 0, got -0.0001"),
    },
    NeighbourMeans: {"n_neighbors": (0, "n_neighbors must be at least 1, got 0")},
    DifferenceFeatures: RANK | {"gamma": (-1.0, "gamma must be positive")},
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED, ids=lambda kind: kind.__name__)
def test_bad_parameters_are_refused(kind, bags, labels):
    of_vectors = map(type, [*TABLE_ESTIMATORS, NeighbourMeans(), DifferenceFeatures()])
    X = SumInstances().fit_transform(bags) if kind in of_vectors else bags
    Y = labels[:, 0] if issubclass(kind, BagClassifier) else labels
    for name, (value, message) in REFUSED[kind].items():
        with pytest.raises(ValueError, match=message):
            kind(**{name: value}).fit(X, Y)


def test_bad_relations_of_labels_are_refused(bags, labels):
    for array, message in (
        (np.ones((2, 2)), r"relatedness must have shape \(4, 4\)"),
        (-np.ones((4, 4)), "relatedness must be symmetric"),
        (np.tri(4), "relatedness must be symmetric"),
        (np.zeros((4, 4)), "relatedness must hold a positive penalty"),
    ):
        with pytest.raises(ValueError, match=message):
            DMimlSvm(relatedness=array).fit(bags, labels)
    with pytest.raises(ValueError, match="mu must be positive for pairs"):
        DMimlSvm(relatedness="pairwise").fit(bags, labels)
