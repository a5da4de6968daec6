"""What every estimator of the companion must do, and every other one that enters its tables."""

import pickle
import warnings
from collections.abc import Iterable
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

KINDS = ("bags", "vectors", "one label")  # what a learner is fitted on


def parametrize_with_checks(estimators, *, kind: str = "bags", expected_failed_checks=None):
    """A pytest mark that runs a test with every unfitted estimator of a list and every check::

        @parametrize_with_checks([MyMiml(), MimlSvm()])
        def test_my_estimators(estimator, check):
            check(estimator)

    They are fitted on "bags" or "vectors" with label sets, or on bags with "one label" each.
    ``expected_failed_checks`` is a function of an estimator that returns a dict: from the names of
    the checks that are not run to reasons.
    """
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {KINDS}, got {kind!r}")
    if not isinstance(estimators, Iterable):
        raise ValueError(f"estimators must be a list, such as [{estimators!r:.60}]")
    cases = []
    for estimator in estimators:
        skipped = {}
        if expected_failed_checks:
            skipped = expected_failed_checks(estimator)
        for check in CHECKS:
            if check.__name__ not in skipped:
                run = partial(_run, check, kind)
                name = f"{type(estimator).__name__}-{check.__name__}"
                cases.append(pytest.param(estimator, run, id=name))
    return pytest.mark.parametrize(("estimator", "check"), cases)


def _run(check, kind, estimator):
    with (
        warnings.catch_warnings(action="ignore", category=ConstantLabelWarning),
        warnings.catch_warnings(action="ignore", category=ConvergenceWarning),
    ):
        check(clone(estimator), *_examples()[kind])


def _examples():
    """Thirty bags, vectors of their largest values, and labels of these, by kind of estimator."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(2, 7, size=30)
    bags = Bags.from_list([rng.random((size, 3)) for size in sizes])
    largest = bags.max(bags.instances)
    noise = 0.1 * rng.standard_normal((30, 3))
    Y = largest + noise > 0.8
    return {
        "bags": (bags, Y),
        "vectors": (largest, Y),
        "one label": (bags, Y[:, 0]),
    }


def check_scores_and_labels(estimator, X, Y):
    """Real scores and predictions of the labels' shape, and not worse than the frequencies."""
    parameters = estimator.get_params(deep=False)
    assert set(vars(estimator)) == set(parameters), "init must only assign"
    assert estimator.fit(X, Y) is estimator, "fit must return self"
    scores = estimator.decision_function(X)
    predicted = estimator.predict(X)
    assert scores.shape == Y.shape
    assert np.isfinite(scores).all()
    n_different = len(np.unique(scores))
    assert Y.ndim == 1 or n_different > 2, "scores must rank, votes do not"
    assert predicted.shape == Y.shape
    assert predicted.dtype == bool
    assert estimator.n_features_in_ == 3
    is_frequent = Y.mean(axis=0) > 0.5
    n_errors = np.sum(predicted != Y)
    n_of_guessing = np.sum(is_frequent != Y)
    assert n_errors <= n_of_guessing, "it errs more than guessing does"
    areas = roc_auc_score(Y, scores, average=None)
    assert np.min(areas) >= 0.5, "the scores of a label point the wrong way"


def check_predictions_follow_scores(estimator, X, Y):
    """A predicted label of an example scores at least as high as one that is not predicted."""
    fitted = estimator.fit(X, Y)
    # Of one label, all examples are compared with each other: (1, n_examples).
    scores = np.atleast_2d(fitted.decision_function(X))
    predicted = np.atleast_2d(fitted.predict(X))
    lowest = np.where(predicted, scores, np.inf).min(axis=1)
    highest = np.where(predicted, -np.inf, scores).max(axis=1)
    assert (lowest >= highest).all(), "predictions contradict the scores"


def check_each_example_stands_alone(estimator, X, Y):
    """The scores of an example do not depend on the others that are scored with it."""
    fitted = estimator.fit(X[:20], Y[:20])
    scores = fitted.decision_function(X)
    predicted = fitted.predict(X)
    # One example, ones that took no part in the fit, and all in another order.
    for part in slice(0, 1), slice(20, 30), slice(None, None, -1):
        scores_of_part = fitted.decision_function(X[part])
        assert np.allclose(scores_of_part, scores[part], atol=1e-8)
        assert np.array_equal(fitted.predict(X[part]), predicted[part])


def check_a_second_fit_forgets_the_first(estimator, X, Y):
    """The same seed gives the same scores, and a fit changes no parameter."""
    before = str(estimator.get_params())
    expected = clone(estimator).fit(X, Y).decision_function(X)
    again = estimator.fit(X[:15], Y[:15]).fit(X, Y)
    scores = again.decision_function(X)
    assert np.array_equal(scores, expected), "the first fit is remembered"
    assert str(estimator.get_params()) == before, "fit changes a parameter"


def check_any_number_of_labels(estimator, X, Y):
    """Two labels and four, for learners of label sets."""
    if Y.ndim == 1:
        return
    for columns in ([0, 1], [0, 1, 2, 0]):
        fitted = clone(estimator).fit(X, Y[:, columns])
        assert fitted.decision_function(X).shape == (30, len(columns))
        assert fitted.predict(X).shape == (30, len(columns))


def check_same_scores_again(estimator, X, Y):
    """The same scores with shared results, and after pickling."""
    fitted = clone(estimator).fit(X, Y)
    expected = fitted.decision_function(X)
    with sharing(Cache()):
        for _ in range(2):  # the second fit takes what the first one has kept
            scores = clone(estimator).fit(X, Y).decision_function(X)
            assert np.array_equal(scores, expected)
    # BLAS sums a product with itself in another order: the last bit may differ.
    copy = pickle.loads(pickle.dumps(fitted))
    assert np.allclose(copy.decision_function(X), expected, atol=1e-12)


def check_input_is_left_alone(estimator, X, Y):
    """Neither ``fit`` nor a prediction writes into arrays or lists of them."""
    for given in (X, [part.copy() for part in X]):
        before = [part.copy() for part in given]
        labels = Y.copy()
        fitted = estimator.fit(given, labels)
        fitted.decision_function(given)
        fitted.predict(given)
        assert all(map(np.array_equal, given, before))
        assert np.array_equal(labels, Y)


def check_lists_and_numbers(estimator, X, Y):
    """Read-only lists for arrays, 0 and 1 for booleans; and a pipeline in place of the learner."""
    expected = clone(estimator).fit(X, Y).decision_function(X)
    parts = list(X)
    for part in parts:
        part.setflags(write=False)
    numbers = Y.astype(int).tolist()
    fitted = make_pipeline("passthrough", estimator).fit(parts, numbers)
    scores = fitted.decision_function(parts)
    assert np.allclose(scores, expected, atol=1e-10)


def check_bad_input(estimator, X, Y):
    """An error says what is wrong: not fitted, the labels, or the features."""
    fitted = clone(estimator).fit(X, Y)
    missing = [part * np.nan for part in X]
    huge = [part * 1e160 for part in X]
    wider = [np.hstack([part, part]) for part in X]
    with pytest.raises(NotFittedError):
        estimator.decision_function(X)
    with pytest.raises(NotFittedError):
        estimator.predict(X)
    with pytest.raises(ValueError, match="29"):
        estimator.fit(X, Y[1:])
    with pytest.raises(ValueError, match=r"(?i)nan"):
        estimator.fit(missing, Y)
    with pytest.raises(ValueError, match="squares overflow"):
        estimator.fit(huge, Y)
    with pytest.raises(ValueError, match="features"):
        fitted.predict(wider)


CHECKS = (
    check_scores_and_labels,
    check_predictions_follow_scores,
    check_each_example_stands_alone,
    check_a_second_fit_forgets_the_first,
    check_any_number_of_labels,
    check_same_scores_again,
    check_input_is_left_alone,
    check_lists_and_numbers,
    check_bad_input,
)
