"""What every estimator of the companion must do, and every other one that enters its tables."""

import pickle
import warnings
from functools import partial

import numpy as np
import pytest  # only test modules import this one
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline

from mimlpaper.bags import Bags
from mimlpaper.base import ConstantLabelWarning
from mimlpaper.sharing import Cache, sharing


def parametrize_with_checks(estimators, *, kind: str = "bags", expected_failed_checks=None):
    """A pytest mark that runs a test with every unfitted estimator of a list and every check::

        @parametrize_with_checks([MyMiml(), MimlSvm()])
        def test_my_estimators(estimator, check):
            check(estimator)

    They are fitted on "bags" or "vectors" with label sets, or on bags with "one label" each.
    ``expected_failed_checks`` maps an estimator to a dict from a check that is not run to a reason.
    """
    cases = [
        pytest.param(one, partial(_run, check, kind), id=f"{type(one).__name__}-{check.__name__}")
        for one in estimators
        for check in CHECKS
        if not expected_failed_checks or check.__name__ not in expected_failed_checks(one)
    ]
    return pytest.mark.parametrize(("estimator", "check"), cases)


def _run(check, kind, estimator):
    with (
        warnings.catch_warnings(action="ignore", category=ConstantLabelWarning),
        warnings.catch_warnings(action="ignore", category=ConvergenceWarning),
    ):
        check(clone(estimator), *_examples()[kind])


def _examples():
    """Thirty bags of three features, labelled by their largest."""
    rng = np.random.default_rng(0)
    bags = Bags.from_list([rng.random((size, 3)) for size in rng.integers(2, 7, size=30)])
    largest = bags.max(bags.instances)
    Y = largest + 0.1 * rng.standard_normal((30, 3)) > 0.8
    return {"bags": (bags, Y), "vectors": (largest, Y), "one label": (bags, Y[:, 0])}


def check_scores_and_labels(estimator, X, Y):
    """Real scores and predictions of the labels' shape, and not worse than the frequencies."""
    assert set(vars(estimator)) == set(estimator.get_params(deep=False)), "init must only assign"
    assert estimator.fit(X, Y) is estimator, "fit must return self"
    scores, predicted = estimator.decision_function(X), estimator.predict(X)
    assert scores.shape == Y.shape and np.isfinite(scores).all()
    assert Y.ndim == 1 or len(np.unique(scores)) > 2, "scores must rank, votes do not"
    assert predicted.shape == Y.shape and predicted.dtype == bool
    assert estimator.n_features_in_ == 3
    guess = np.broadcast_to(Y.mean(axis=0) > 0.5, Y.shape)
    assert np.mean(predicted != Y) <= np.mean(guess != Y), "it errs more than guessing does"
    areas = roc_auc_score(Y, scores, average=None)
    assert np.min(areas) >= 0.5, "the scores of a label point the wrong way"


def check_predictions_follow_scores(estimator, X, Y):
    """A predicted label of an example scores at least as high as one that is not predicted."""
    fitted = estimator.fit(X, Y)  # of one label, all examples are compared: (1, n_examples)
    scores, predicted = map(np.atleast_2d, (fitted.decision_function(X), fitted.predict(X)))
    lowest = np.where(predicted, scores, np.inf).min(axis=1)
    highest = np.where(predicted, -np.inf, scores).max(axis=1)
    assert (lowest >= highest).all(), "predictions contradict the scores"


def check_each_example_stands_alone(estimator, X, Y):
    """The scores of an example do not depend on the others that are scored with it."""
    fitted = estimator.fit(X[:20], Y[:20])
    scores, predicted = fitted.decision_function(X), fitted.predict(X)
    for part in slice(0, 1), slice(20, 30), slice(None, None, -1):
        assert np.allclose(fitted.decision_function(X[part]), scores[part], atol=1e-8)
        assert np.array_equal(fitted.predict(X[part]), predicted[part])


def check_a_second_fit_forgets_the_first(estimator, X, Y):
    """The same seed gives the same scores, and a fit changes no parameter."""
    before = str(estimator.get_params())
    expected = clone(estimator).fit(X, Y).decision_function(X)
    again = estimator.fit(X[:15], Y[:15]).fit(X, Y)
    assert np.array_equal(again.decision_function(X), expected), "the first fit is remembered"
    assert str(estimator.get_params()) == before, "fit changes a parameter"


def check_any_number_of_labels(estimator, X, Y):
    """Two labels and four, for learners of label sets."""
    for columns in ([0, 1], [0, 1, 2, 0]) if Y.ndim == 2 else ():
        fitted = clone(estimator).fit(X, Y[:, columns])
        shapes = fitted.decision_function(X).shape, fitted.predict(X).shape
        assert shapes == ((30, len(columns)),) * 2


def check_same_scores_again(estimator, X, Y):
    """The same scores with shared results, and after pickling."""
    fitted = clone(estimator).fit(X, Y)
    expected = fitted.decision_function(X)
    with sharing(Cache()):
        for _ in range(2):
            assert np.array_equal(clone(estimator).fit(X, Y).decision_function(X), expected)
    # BLAS sums a product with itself in another order: the last bit may differ.
    again = pickle.loads(pickle.dumps(fitted)).decision_function(X)
    assert np.allclose(again, expected, atol=1e-12)


def check_input_is_left_alone(estimator, X, Y):
    """Neither ``fit`` nor a prediction writes into arrays or lists of them."""
    for given in (X, [part.copy() for part in X]):
        before, labels, labels_before = [part.copy() for part in given], Y.copy(), Y.copy()
        fitted = estimator.fit(given, labels)
        fitted.decision_function(given)
        fitted.predict(given)
        assert all(map(np.array_equal, given, before)) and np.array_equal(labels, labels_before)


def check_lists_and_numbers(estimator, X, Y):
    """Read-only lists for arrays, 0 and 1 for booleans; and a pipeline in place of the learner."""
    expected = clone(estimator).fit(X, Y).decision_function(X)
    for part in (as_list := list(X)):
        part.setflags(write=False)
    fitted = make_pipeline("passthrough", estimator).fit(as_list, Y.astype(int).tolist())
    assert np.allclose(fitted.decision_function(as_list), expected, atol=1e-10)


def check_bad_input(estimator, X, Y):
    """An error says what is wrong: not fitted, the labels, or the features."""
    fitted = clone(estimator).fit(X, Y)
    for error, message, method, *given in (
        (NotFittedError, None, estimator.decision_function, X),
        (NotFittedError, None, estimator.predict, X),
        (ValueError, "29", estimator.fit, X, Y[1:]),
        (ValueError, "(?i)nan", estimator.fit, [part * np.nan for part in X], Y),
        (ValueError, "squares overflow", estimator.fit, [part * 1e160 for part in X], Y),
        (ValueError, "features", fitted.predict, [np.hstack([part, part]) for part in X]),
    ):
        with pytest.raises(error, match=message):
            method(*given)


CHECKS = tuple(value for name, value in list(globals().items()) if name.startswith("check_"))
