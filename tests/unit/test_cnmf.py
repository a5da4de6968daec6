import numpy as np
import pytest
from scipy.optimize import minimize

from mimlpaper.base import ConstantLabelWarning
from mimlpaper.baselines.cnmf import Cnmf, factorise
from mimlpaper.sharing import Cache, sharing


def objective(T, A, B, known, C):
    on_labelled = T[: len(known)]
    labels_missed = np.sum((on_labelled - known) ** 2)
    return np.sum((A - T @ B @ T.T) ** 2) + C * labels_missed


@pytest.fixture
def problem(rng):
    """Twelve examples, the first five labelled, and three labels."""
    points = rng.random((12, 2))
    labels = rng.random((3, 3))
    differences = points[:, None] - points
    A = np.exp(-5 * np.sum(differences**2, axis=2))
    B = labels @ labels.T
    known = (rng.random((5, 3)) < 0.5).astype(float)
    start = rng.random((12, 3)) + 0.1
    return A, B, known, start


@pytest.mark.parametrize(
    ("known", "max_iter", "t"),
    [
        ([], 1, 1.0),
        ([], 200, 2.0),
        ([[1.0]], 500, 1.6717),
    ],
)
def test_one_example_by_hand(known, max_iter, t):
    """min (4 - t²)² is at t = 2; the first round goes from 1/2 to 1/2 (4 / (1/4))^(1/4) = 1.

    With the label 1 and C = 6 the slope of (4 - t²)² + C (t - 1)² is zero where
    4t³ - 16t + 2C (t - 1) = 4t³ - 4t - 12 = 0, t = 1.6717.
    """
    T, _ = factorise(
        np.array([[4.0]]),
        np.eye(1),
        np.reshape(known, (-1, 1)),
        np.array([[0.5]]),
        C=6.0,
        tol=0,
        max_iter=max_iter,
    )
    assert T[0, 0] == pytest.approx(t, abs=1e-4)


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_the_objective_falls_to_a_minimum(problem, C):
    """SciPy's bounded solver finds nothing lower from the end."""
    A, B, known, start = problem
    T, trace = factorise(
        A,
        B,
        known,
        start,
        C=C,
        tol=0,
        max_iter=20_000,
    )
    at_start = objective(start, A, B, known, C)
    assert trace[0] == pytest.approx(at_start)
    at_end = objective(T, A, B, known, C)
    assert trace[-1] == pytest.approx(at_end)
    # But for rounding.
    assert (np.diff(trace) <= 1e-12 * trace[0]).all()
    assert (T >= 0).all()

    def of_vector(t):
        return objective(t.reshape(T.shape), A, B, known, C)

    minimum = minimize(
        of_vector,
        T.ravel(),
        bounds=[(0, None)] * T.size,
        method="L-BFGS-B",
    )
    assert trace[-1] == pytest.approx(minimum.fun, rel=1e-4)


@pytest.mark.filterwarnings("ignore::mimlpaper.base.ConstantLabelWarning")
def test_label_similarity_by_hand():
    """Columns of unit length: the same 1, at right angles exp(-2), (1, 1)/√2 with (1, 0) between.

    Their squared distance is 2 - √2.
    """
    Y = np.array([[1, 1, 0], [1, 0, 1]])
    cnmf = Cnmf().fit(np.eye(2), Y)
    close = np.exp(np.sqrt(2) - 2)
    far = np.exp(-2)
    expected = [
        [1, close, close],
        [close, 1, far],
        [close, far, 1],
    ]
    assert cnmf.label_similarity_ == pytest.approx(np.array(expected))


def test_label_rules_share_one_factorisation(rng):
    X = rng.random((20, 4))
    Y = rng.random((20, 3)) < 0.4
    new = rng.random((10, 4))

    def scores(label_rule):
        cnmf = Cnmf(label_rule=label_rule).fit(X, Y)
        return cnmf.decision_function(new)

    without_sharing = scores("top")
    with sharing(Cache()) as cache:
        of_signs = scores("sign")
        of_top = scores("top")
    assert cache.n_misses == 1
    assert cache.n_hits == 1
    np.testing.assert_array_equal(of_signs, without_sharing)
    np.testing.assert_array_equal(of_top, without_sharing)


def test_labels_that_all_training_examples_have_are_predicted(rng):
    X = rng.random((12, 3))
    with pytest.warns(ConstantLabelWarning):
        learner = Cnmf().fit(X, np.ones((12, 2)))
    assert learner.predict(X[:3]).all()


@pytest.mark.filterwarnings("ignore::mimlpaper.base.ConstantLabelWarning")
def test_a_label_of_all_is_predicted_though_its_membership_is_the_threshold(rng):
    """A label that few have can be as certain, if the example is one of the few."""
    X = rng.random((6, 3))
    Y = np.array([[1, 1], [1, 0], [1, 0], [1, 0], [1, 0], [1, 0]])
    learner = Cnmf(gamma=10.0).fit(X, Y)
    assert learner.predict(X[:1])[0, 0]
