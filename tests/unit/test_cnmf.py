import numpy as np
import pytest
from scipy.optimize import minimize

from mimlpaper.baselines.cnmf import Cnmf, factorise
from mimlpaper.sharing import Cache, sharing


def objective(T, A, B, known, C):
    return np.sum((A - T @ B @ T.T) ** 2) + C * np.sum((T[: len(known)] - known) ** 2)


@pytest.fixture
def problem(rng):
    """Twelve examples, the first five labelled, and three labels."""
    points, labels = rng.random((12, 2)), rng.random((3, 3))
    A = np.exp(-5 * np.sum((points[:, None] - points) ** 2, axis=2))
    B = labels @ labels.T
    known = (rng.random((5, 3)) < 0.5).astype(float)
    return A, B, known, rng.random((12, 3)) + 0.1


def test_one_example_by_hand():
    """min (4 - t²)² is at t = 2; the first round goes from 1/2 to 1/2 (4 / (1/4))^(1/4) = 1.

    With the label 1 and C = 6 the slope of (4 - t²)² + C (t - 1)² is zero where
    4t³ - 16t + 2C (t - 1) = 4t³ - 4t - 12 = 0, t = 1.6717.
    """
    A, B, start = np.array([[4.0]]), np.eye(1), np.array([[0.5]])
    for known, max_iter, t in ([], 1, 1.0), ([], 200, 2.0), ([[1.0]], 500, 1.6717):
        known = np.reshape(known, (-1, 1))
        T, _ = factorise(A, B, known, start, C=6.0, tol=0, max_iter=max_iter)
        assert T[0, 0] == pytest.approx(t, abs=1e-4)


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_the_objective_falls_to_a_minimum(problem, C):
    """SciPy's bounded solver finds nothing lower from the end."""
    A, B, known, start = problem
    T, trace = factorise(A, B, known, start, C=C, tol=0, max_iter=20_000)
    assert trace[0] == pytest.approx(objective(start, A, B, known, C))
    assert trace[-1] == pytest.approx(objective(T, A, B, known, C))
    assert (np.diff(trace) <= 1e-12 * trace[0]).all() and (T >= 0).all()

    def flat(t):
        return objective(t.reshape(T.shape), A, B, known, C)

    found = minimize(flat, T.ravel(), bounds=[(0, None)] * T.size, method="L-BFGS-B")
    assert trace[-1] == pytest.approx(found.fun, rel=1e-4)


@pytest.mark.filterwarnings("ignore::mimlpaper.base.ConstantLabelWarning")
def test_label_similarity_by_hand():
    """Columns of unit length: the same 1, at right angles exp(-2), (1, 1)/√2 with (1, 0) between.

    Their squared distance is 2 - √2.
    """
    Y = np.array([[1, 1, 0], [1, 0, 1]])
    B = Cnmf().fit(np.eye(2), Y).label_similarity_
    close, far = np.exp(np.sqrt(2) - 2), np.exp(-2)
    assert np.array([[1, close, close], [close, 1, far], [close, far, 1]]) == pytest.approx(B)


def test_label_rules_share_one_factorisation(rng):
    X, Y, new = rng.random((20, 4)), rng.random((20, 3)) < 0.4, rng.random((10, 4))
    alone = Cnmf(label_rule="top").fit(X, Y).decision_function(new)
    with sharing(Cache()) as cache:
        scores = [
            Cnmf(label_rule=rule).fit(X, Y).decision_function(new) for rule in ("sign", "top")
        ]
    assert (cache.n_misses, cache.n_hits) == (1, 1)
    for others in scores:
        np.testing.assert_array_equal(others, alone)
