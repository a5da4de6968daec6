"""Linear support vector machines: by hand, against LIBSVM, and by their optimality conditions."""

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
    noise = 0.8 * rng.standard_normal(80)
    return Z[:, 0] + noise > 0.7


def test_two_points_by_hand():
    """z = 3 positive, z = 1 negative: f = z - 2 has margins 1 at ½||w||² = ½.

    With C = 0.1 the costs bound alpha: w = 0.1 (3 - 1) = 0.2, and every b from -1.2 to 0.4 leaves
    slacks of 2 - 0.2 (3 - 1) = 1.6 in all. The objective is ½ 0.2² + 0.1 · 1.6.
    """
    Z = [[3.0], [1.0]]
    y = [True, False]
    svm = fit_linear_svm(Z, y, 10.0, tol=1e-12)
    assert svm.weights == pytest.approx([1.0])
    assert svm.intercept == pytest.approx(-2.0)
    assert svm.dual_coef == pytest.approx([0.5, -0.5])
    score = svm.decision_function(np.array([[5.0]]))
    assert score == pytest.approx([3.0])

    bounded = fit_linear_svm(Z, y, 0.1)
    assert bounded.primal == pytest.approx(0.18)


@pytest.mark.parametrize("C", [1e-3, 1.0, 100.0])
def test_agrees_with_libsvm(Z, y, C):
    libsvm = SVC(kernel="linear", C=C, tol=1e-8).fit(Z, y)
    expected = libsvm.decision_function(Z)
    svm = fit_linear_svm(Z, y, C, tol=1e-9)
    scores = svm.decision_function(Z)
    assert scores == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("C", [0.1, 3.0])
def test_groups_agree_with_a_quadratic_programme(Z, C):
    """Groups of several examples share a slack."""
    offsets = np.array([0, 1, 2, 5, 9, 15, 30, 31, 40, 60, 80])
    is_positive = np.arange(10) % 2 == 0
    y = np.repeat(is_positive, np.diff(offsets))
    Z = Z[:, :2] + y[:, None] * [1.0, 0.0]
    svm = fit_linear_svm(Z, y, C, offsets=offsets, tol=1e-9)
    costs = np.full(10, C)
    expected, _ = reference.hinge_minimum(Z, y, costs, offsets)
    assert svm.primal == pytest.approx(expected, rel=1e-7)
    sums = np.add.reduceat(np.abs(svm.dual_coef), offsets[:-1])
    assert (sums <= C * (1 + 1e-12)).all()


@pytest.mark.parametrize("tol", [1e-2, 1e-4, 1e-8])
def test_gap_is_reported_and_certifies(Z, y, tol):
    best = fit_linear_svm(Z, y, tol=1e-11).primal
    svm = fit_linear_svm(Z, y, tol=tol)
    assert svm.gap <= tol
    assert svm.dual <= best * (1 + 1e-12)
    assert best <= svm.primal * (1 + 1e-12)


def test_too_few_steps_warn(Z, y):
    message = r"after 2 Newton steps with a duality gap of \d"
    with pytest.warns(ConvergenceWarning, match=message):
        svm = fit_linear_svm(Z, y, tol=1e-9, max_steps=2)
    assert svm.gap > 1e-9


def test_start_helps_and_is_never_worsened(Z, y):
    cold = fit_linear_svm(Z, y, tol=1e-6)
    resumed = fit_linear_svm(Z, y, start=cold, tol=1e-6)
    assert resumed.n_steps == 0

    # The start is the machine of similar labels.
    changed_y = y ^ (np.arange(80) < 5)
    start = fit_linear_svm(Z, changed_y, start=cold, tol=1e-6)
    margins = np.where(y, 1, -1) * start.decision_function(Z)
    slacks = np.maximum(1 - margins, 0)
    at_start = start.weights @ start.weights / 2 + slacks.sum()
    rough = fit_linear_svm(Z, y, start=start, tol=0.9)
    assert rough.primal <= at_start
    warm = fit_linear_svm(Z, y, start=start, tol=1e-6)
    assert warm.primal == pytest.approx(cold.primal, rel=1e-5)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("C", [1e-4, 1.0, 1e3])
def test_extreme_data_still_converges(Z, y, C):
    extremes = {
        "large": Z * 1e3,
        "small": Z * 1e-3,
        "every feature twice": np.repeat(Z, 2, axis=1),
        "zeros": np.zeros((80, 2)),
        "far from the origin": Z + 100,
    }
    for name, extreme in extremes.items():
        svm = fit_linear_svm(extreme, y, C)
        assert svm.gap <= 1e-4, name


# There are seven unknowns: fewer free rows, and more.
@pytest.mark.parametrize("n_free", [80, 0, 1, 6, 7, 30])
@pytest.mark.parametrize("sigma", [0.1, 100.0])
@pytest.mark.parametrize("has_shifts", [False, True])
def test_newton_directions_solve_their_systems(Z, y, rng, n_free, sigma, has_shifts):
    offsets = np.concatenate([np.arange(70), [73, 80]])
    problem = _Problem(Z, y, 1.0, offsets)
    moves = np.zeros(80, np.int8)
    free = rng.permutation(80)[:n_free]
    moves[free] = linear_svm.FREE
    rows = np.column_stack([Z, np.ones(80)])
    F = np.where(y, 1.0, -1.0)[:, None] * rows
    if has_shifts:
        # The last two groups have several rows.
        for group in (slice(70, 73), slice(73, 80)):
            moves[group] = linear_svm.SHIFTS
            F[group] -= F[group].mean(axis=0)
    F = F[moves > 0]
    # The intercept has nearly no norm.
    D = np.diag([1.0] * 6 + [1e-6 / problem.examples.size])
    gradient = rng.standard_normal(7)
    expected = -np.linalg.solve(D + sigma * F.T @ F, gradient)
    direction = linear_svm._newton_direction(
        problem,
        gradient,
        moves,
        sigma,
    )
    assert direction == pytest.approx(expected, rel=1e-6)


def test_machines_on_examples_are_shared_and_the_same(Z, y):
    expected = fit_linear_svm(Z, y, 2.0)
    with sharing(Cache()) as cache:
        for rows in Examples(Z), Examples(Z.copy()):
            svm = fit_linear_svm(rows, y, 2.0)
            assert np.array_equal(svm.weights, expected.weights)
            assert svm.gap == expected.gap
        assert cache.n_hits == 1
        assert cache.n_misses == 1

        # Each of these is another question.
        fit_linear_svm(rows, y, 3.0)
        fit_linear_svm(rows, ~y, 2.0)
        fit_linear_svm(Examples(Z + 1.0), y, 2.0)
        fit_linear_svm(rows, y, 2.0, start=expected)
        assert cache.n_hits == 1
        assert cache.n_misses == 5

        # Plain arrays are not worth their hash.
        fit_linear_svm(Z, y, 2.0)
        assert cache.n_hits == 1
        assert cache.n_misses == 5


def test_a_shared_machine_warns_everybody(Z, y):
    rows = Examples(Z)
    with sharing(Cache()) as cache:
        for _ in range(2):
            with pytest.warns(ConvergenceWarning, match="after 2 Newton steps"):
                fit_linear_svm(rows, y, tol=1e-9, max_steps=2)
    assert cache.n_hits == 1
