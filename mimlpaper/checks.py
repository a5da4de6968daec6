"""What every estimator of the companion must do, and every other one that enters its tables."""

import pickle
import warnings
from functools import partial
from itertools import product

import numpy as np
import pytest  # only test modules import this one
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.pipeline import make_pipeline

from mimlpaper.bags import Bags
from mimlpaper.base import ConstantLabelWarning
from mimlpaper.sharing import Cache, sharing


def parametrize_with_checks(estimators, *, kind: str = "bags"):
    """A pytest mark that runs a test with every unfitted estimator of a list and every check::

        @parametrize_with_checks([MyMiml(), MimlSvm()])
        def test_my_estimators(estimator, check):
            check(estimator)

    They are fitted on "bags" or "vectors" with label sets, or on bags with "one label" each.
    """
    cases = [
        pytest.param(
            estimator, partial(_run, check, kind), id=f"{type(estimator).__name__}-{check.__name__}"
        )
        for estimator, check in product(estimators, CHECKS)
    ]
    return pytest.mark.parametrize(("estimator", "check"), cases)


def _run(check, kind, estimator):
    """Run a check on drawn examples; it raises AssertionError if it fails."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantLabelWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(clone(estimator), *_examples()[kind])


def _examples():
    """Thirty bags of two to six instances of three features, labelled by their largest."""
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


def check_same_scores_again(estimator, X, Y):
    """The same scores by the same seed, and in a block of shared results, at first and later."""
    expected = clone(estimator).fit(X, Y).decision_function(X)
    assert np.array_equal(clone(estimator).fit(X, Y).decision_function(X), expected)
    with sharing(Cache()):
        for _ in range(2):
            assert np.array_equal(clone(estimator).fit(X, Y).decision_function(X), expected)


def check_pickling(estimator, X, Y):
    expected = estimator.fit(X, Y).decision_function(X)
    # BLAS sums a product with itself in another order: the last bit may differ.
    again = pickle.loads(pickle.dumps(estimator))
    assert np.allclose(again.decision_function(X), expected, atol=1e-12)


def check_input_is_left_alone(estimator, X, Y):
    table = X.instances if isinstance(X, Bags) else X
    before, labels_before = table.copy(), Y.copy()
    estimator.fit(X, Y).predict(X)
    assert np.array_equal(table, before) and np.array_equal(Y, labels_before)


def check_lists_and_numbers(estimator, X, Y):
    """Read-only lists for arrays, 0 and 1 for booleans; and a pipeline in place of the learner."""
    expected = clone(estimator).fit(X, Y).decision_function(X)
    as_list = list(X)
    for part in as_list:
        part.setflags(write=False)
    fitted = make_pipeline("passthrough", estimator).fit(as_list, Y.astype(int).tolist())
    assert np.allclose(fitted.decision_function(as_list), expected, atol=1e-10)


def check_bad_input(estimator, X, Y):
    """An error says what is wrong: not fitted, the labels, or the features."""
    for method in (estimator.decision_function, estimator.predict):
        with pytest.raises(NotFittedError):
            method(X)
    large = [np.where(part > 0.5, 1e160, part) for part in X]
    for message, examples, labels in (
        ("29", X, Y[1:]),
        ("(?i)nan", [part * np.nan for part in X], Y),
        ("squares overflow", large, Y),
    ):
        with pytest.raises(ValueError, match=message):
            estimator.fit(examples, labels)
    fitted = estimator.fit(X, Y)
    with pytest.raises(ValueError, match="features"):
        fitted.predict([np.concatenate([part, part], axis=-1) for part in X])


CHECKS = tuple(value for name, value in list(globals().items()) if name.startswith("check_"))
