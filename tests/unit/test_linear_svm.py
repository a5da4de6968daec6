"""Linear support vector machines: by hand, against LIBSVM, and by their optimality conditions."""

from itertools import product

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from mimlpaper import linear_svm
from mimlpaper.linear_svm import Examples, _Problem, fit_linear_svm
from mimlpaper.sharing import Cache, sharing
from tests import reference


@pytest.fixture
def Z(rng):
    return rng.standard_normal((80, 6))


@pytest.fixture
def y(Z, rng):
    return Z[:, 0] + 0.8 * rng.standard_normal(80) > 0.7


def test_two_points_by_hand():
    """z = 3 positive, z = 1 negative: f = z - 2 has margins 1 at ½||w||² = ½.

    With C = 0.1 the costs bound alpha: w = 0.1 (3 - 1) = 0.2, and every b from -1.2 to 0.4 leaves
    slacks of 2 - 0.2 (3 - 1) = 1.6 in all. The objective is ½ 0.2² + 0.1 · 1.6.
    """
    svm = fit_linear_svm([[3.0], [1.0]], [True, False], 10.0, tol=1e-12)
    assert svm.weights == pytest.approx([1.0]) and svm.intercept == pytest.approx(-2.0)
    assert svm.dual_coef == pytest.approx([0.5, -0.5])
    assert svm.decision_function(np.array([[5.0]])) == pytest.approx([3.0])
    assert fit_linear_svm([[3.0], [1.0]], [True, False], 0.1).primal == pytest.approx(0.18)


def test_agrees_with_libsvm(Z, y):
    for C in 1e-3, 1.0, 100.0:
        libsvm = SVC(kernel="linear", C=C, tol=1e-8).fit(Z, y)
        svm = fit_linear_svm(Z, y, C, tol=1e-9)
        assert svm.decision_function(Z) == pytest.approx(libsvm.decision_function(Z), abs=1e-3)


def test_groups_agree_with_a_quadratic_programme(Z):
    """Groups of several examples share a slack."""
    offsets = np.array([0, 1, 2, 5, 9, 15, 30, 31, 40, 60, 80])
    y = np.repeat(np.arange(10) % 2 == 0, np.diff(offsets))
    Z = Z[:, :2] + y[:, None] * [1.0, 0.0]
    for C in 0.1, 3.0:
        svm = fit_linear_svm(Z, y, C, offsets=offsets, tol=1e-9)
        expected, _ = reference.hinge_minimum(Z, y, np.full(10, C), offsets)
        assert svm.primal == pytest.approx(expected, rel=1e-7)
        sums = np.add.reduceat(np.abs(svm.dual_coef), offsets[:-1])
        assert (sums <= C * (1 + 1e-12)).all()


def test_gap_is_reported_and_certifies(Z, y):
    best = fit_linear_svm(Z, y, tol=1e-11).primal
    for tol in (1e-2, 1e-4, 1e-8):
        svm = fit_linear_svm(Z, y, tol=tol)
        assert svm.gap <= tol
        assert svm.dual <= best * (1 + 1e-12) and best <= svm.primal * (1 + 1e-12)
    with pytest.warns(ConvergenceWarning, match=r"after 2 Newton steps with a duality gap of \d"):
        assert fit_linear_svm(Z, y, tol=1e-9, max_steps=2).gap > 1e-9


def test_start_helps_and_is_never_worsened(Z, y):
    cold = fit_linear_svm(Z, y, tol=1e-6)
    assert fit_linear_svm(Z, y, start=cold, tol=1e-6).n_steps == 0
    start = fit_linear_svm(Z, y ^ (np.arange(80) < 5), start=cold, tol=1e-6)
    slacks = np.maximum(1 - np.where(y, 1, -1) * start.decision_function(Z), 0)
    rough, warm = (fit_linear_svm(Z, y, start=start, tol=tol) for tol in (0.9, 1e-6))
    assert rough.primal <= start.weights @ start.weights / 2 + slacks.sum()
    assert warm.primal == pytest.approx(cold.primal, rel=1e-5)


@pytest.mark.filterwarnings("error")
def test_extreme_data_still_converges(Z, y):
    for scaled in (Z * 1e3, Z * 1e-3, np.repeat(Z, 2, axis=1), np.zeros((80, 2)), Z + 100):
        for C in (1e-4, 1.0, 1e3):
            assert fit_linear_svm(scaled, y, C).gap <= 1e-4


def test_newton_directions_solve_their_systems(Z, y, rng):
    """With fewer free rows than features, and with more."""
    problem = _Problem(Z, y, 1.0, np.concatenate([np.arange(70), [73, 80]]))
    D = np.diag([1.0] * 6 + [1e-6 / problem.examples.size])
    for n_free, sigma, grouped in product((80, 0, 1, 6, 7, 30), (0.1, 100.0), (False, True)):
        moves = np.zeros(80, np.int8)
        moves[rng.permutation(80)[:n_free]] = linear_svm.FREE
        F = np.where(y, 1.0, -1.0)[:, None] * np.column_stack([Z, np.ones(80)])
        for part in (slice(70, 73), slice(73, 80)) if grouped else ():
            moves[part] = linear_svm.SHIFTS
            F[part] -= F[part].mean(axis=0)
        F = F[moves > 0]
        gradient = rng.standard_normal(7)
        expected = -np.linalg.solve(D + sigma * F.T @ F, gradient)
        found = linear_svm._newton_direction(problem, gradient, moves, sigma)
        assert found == pytest.approx(expected, rel=1e-6)


def test_machines_on_examples_are_shared_and_the_same(Z, y):
    expected = fit_linear_svm(Z, y, 2.0)
    with sharing(Cache()) as cache:
        for rows in Examples(Z), Examples(Z.copy()):
            svm = fit_linear_svm(rows, y, 2.0)
            assert np.array_equal(svm.weights, expected.weights) and svm.gap == expected.gap
        others = (rows, y, 3.0), (rows, ~y, 2.0), (Examples(Z + 1.0), y, 2.0)
        for question in (*others, (Z, y, 2.0)):  # plain arrays are not worth their hash
            fit_linear_svm(*question)
        fit_linear_svm(rows, y, 2.0, start=expected)
        assert (cache.n_hits, cache.n_misses) == (1, 5)
        for _ in range(2):
            with pytest.warns(ConvergenceWarning, match="after 2 Newton steps"):
                fit_linear_svm(rows, y, tol=1e-9, max_steps=2)
        assert cache.n_hits == 2
