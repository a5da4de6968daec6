"""What every multi-label estimator promises, whatever its algorithm."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from mimlpaper.algorithms.dmimlsvm import DMimlSvm
from mimlpaper.algorithms.insdif import InsDif
from mimlpaper.algorithms.mimlboost import MimlBoost
from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.base import ConstantLabelWarning, label_sets
from mimlpaper.baselines.adtboost_mh import AdtBoostMH
from mimlpaper.baselines.cnmf import Cnmf
from mimlpaper.baselines.mlknn import MlKnn
from mimlpaper.baselines.mlsvm import MlSvm
from mimlpaper.baselines.ranksvm import RankSvm
from mimlpaper.preprocessing import SumInstances

BAG_ESTIMATORS = [
    DMimlSvm(rank=None, random_state=0),
    MimlBoost(n_rounds=5, rank=None, random_state=0),
    MimlNn(random_state=0),
    MimlSvm(random_state=0),
    MimlSvmMi(rank=None, max_alternations=3, random_state=0),
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


def test_scores_are_real_and_labels_follow_from_them(estimator, X, Y):
    assert estimator.fit(X, Y) is estimator
    scores = estimator.decision_function(X)
    assert scores.shape == Y.shape
    assert np.isfinite(scores).all()
    assert len(np.unique(scores)) > 2
    predicted = estimator.predict(X)
    assert predicted.dtype == bool
    assert np.array_equal(predicted, label_sets(scores, estimator.label_rule))
    assert estimator.n_labels_ == Y.shape[1]
    assert estimator.n_features_in_ == 3


def test_learns_something(estimator, X, Y):
    predicted = estimator.fit(X, Y).predict(X)
    guess = np.tile(Y.mean(axis=0) > 0.5, (len(Y), 1))
    assert np.mean(predicted != Y) <= np.mean(guess != Y)


def test_same_seed_same_scores(estimator, X, Y):
    first = clone(estimator).fit(X, Y).decision_function(X)
    assert np.array_equal(first, clone(estimator).fit(X, Y).decision_function(X))


def test_survives_pickling(estimator, X, Y):
    fitted = estimator.fit(X, Y)
    again = pickle.loads(pickle.dumps(fitted))
    # BLAS sums a product with itself in another order: the last bit may differ.
    assert np.allclose(again.decision_function(X), fitted.decision_function(X), atol=1e-12)


def test_parameters_are_assigned_and_nothing_else(estimator):
    fresh = type(estimator)()
    assert set(vars(fresh)) == set(fresh.get_params(deep=False))


def test_input_is_left_alone(estimator, X, Y):
    table = X.instances if hasattr(X, "instances") else X
    before, labels_before = table.copy(), Y.copy()
    estimator.fit(X, Y).predict(X)
    assert np.array_equal(table, before)
    assert np.array_equal(Y, labels_before)


def test_read_only_integer_and_list_input(estimator, X, Y):
    expected = estimator.fit(X, Y).decision_function(X)
    as_list = list(X)
    for part in as_list:
        part.setflags(write=False)
    again = clone(estimator).fit(as_list, Y.astype(int).tolist())
    assert np.allclose(again.decision_function(as_list), expected, atol=1e-10)


def test_one_example_at_a_time_gives_the_same(estimator, X, Y):
    if isinstance(estimator, Cnmf):
        pytest.skip("transductive: scores depend on the examples that come together")
    fitted = estimator.fit(X, Y)
    together = fitted.decision_function(X)
    for i in (0, 11, 29):
        assert np.allclose(fitted.decision_function(X[i : i + 1])[0], together[i], atol=1e-8)


@pytest.mark.parametrize("constant", [False, True])
def test_label_with_one_class_only(estimator, X, Y, constant):
    Y = np.column_stack([Y[:, :2], np.full(len(Y), constant)])
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConstantLabelWarning)
        with pytest.raises(ConstantLabelWarning, match=r"label\(s\) \[2\]"):
            clone(estimator).fit(X, Y)
    assert np.isfinite(estimator.fit(X, Y).decision_function(X)).all()


def test_not_fitted(estimator, X):
    with pytest.raises(NotFittedError):
        estimator.decision_function(X)


def test_bad_input_is_refused(estimator, X, Y):
    with pytest.raises(ValueError, match="X has 30, Y has 29"):
        estimator.fit(X, Y[1:])
    with pytest.raises(ValueError, match="Y must hold booleans, or 0 and 1"):
        estimator.fit(X, np.where(Y, 1, -1))
    with pytest.raises(ValueError, match="NaN"):
        estimator.fit([bag * np.nan for bag in X], Y)
    with pytest.raises(ValueError, match="label_rule must be one of"):
        name = "learner__label_rule" if hasattr(estimator, "learner") else "label_rule"
        clone(estimator).set_params(**{name: "guess"}).fit(X, Y)
    fitted = estimator.fit(X, Y)
    with pytest.raises(ValueError, match="features"):
        fitted.predict([np.hstack([bag, bag]) for bag in X])
