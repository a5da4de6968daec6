"""The formulas of Section 5 as printed: which hold, and which do not."""

import re

import numpy as np
import pytest
import sympy as sp

from mimlpaper.algorithms.dmimlsvm import (
    imbalance_rates,
    imbalance_weights,
    mean_form,
)
from mimlpaper.algorithms.dmimlsvm_solvers import N_PICKED, solve_with_cvxpy
from mimlstudy.folders import notebooks
from tests.convex_problems import objective, random_problem


def square(vector):
    return (vector.T * vector)[0]


T, D = 3, 2
MU, GAMMA, V = sp.symbols("mu gamma V", real=True)
W = sp.Matrix(D, T, sp.symbols(f"w:{D * T}", real=True))
SQUARES = sum(square(W[:, t]) for t in range(T))
W0 = W * sp.ones(T, 1) / T  # Eq. 8


def is_zero(expression):
    return sp.simplify(sp.expand(expression)) == 0


def is_zero_matrix(matrix):
    return matrix.applyfunc(sp.simplify).is_zero_matrix


def omega(weights, mu):
    """The regulariser up to its factor ½, for columns w_t."""
    form = mean_form(weights.shape[1], mu)
    return np.sum((weights @ form) * weights)


def test_eqs_21_to_24_are_the_framework_at_twice_mu_and_gamma():
    """They halve the first term but not μ and γ: opt(μ, γ) = ½ framework(2μ, 2γ)."""

    def framework(mu, gamma):
        return SQUARES / T + mu * square(W0) + gamma * V  # Eq. 12

    shared = square(W * sp.ones(T, 1))
    opt = SQUARES / (2 * T) + MU / T**2 * shared + GAMMA * V  # Eq. 21
    assert is_zero(opt - framework(2 * MU, 2 * GAMMA) / 2)
    assert not is_zero(opt - framework(MU, GAMMA) / 2)


@pytest.mark.parametrize("n_labels", [2, 5])
@pytest.mark.parametrize("mu", [-0.6, -0.4, 1.0])
def test_convex_for_mu_above_minus_one_half(n_labels, mu):
    """The common direction has curvature (1 + 2μ)/T, the others 1/T; in the framework, where
    μ counts half, the bound is -1."""
    form = mean_form(n_labels, mu)
    curvatures = np.linalg.eigvalsh(form) * n_labels
    expected = sorted([1 + 2 * mu] + [1] * (n_labels - 1))
    assert sorted(curvatures) == pytest.approx(expected)


def test_positive_mu_penalises_what_labels_have_in_common():
    """Of two W of the same ||w_t||, the one whose w_t agree costs more if μ > 0, less if μ < 0."""
    alike = np.array([[1.0, 1.0]])
    unlike = np.array([[1.0, -1.0]])
    for mu in (0.3, 0.0, -0.3):
        difference = omega(alike, mu) - omega(unlike, mu)
        assert np.sign(difference) == np.sign(mu)


def test_printed_feature_map_induces_another_norm():
    """<Ψ(x, s), Ψ(z, t)> = k(x, z) (1/r + [s = t]). A function's norm in that space has the
    inverse of (1/r) 11' + I for a form, and not I + (μ/T) 11' as Eq. 16 needs. The kernel
    with that norm has the inverse of the latter: [s = t] - μ / (T (1 + μ))."""
    ones = sp.ones(T, T)
    needed = sp.eye(T) + MU / T * ones
    r = MU * T + T
    printed = (ones / r + sp.eye(T)).inv()
    assert not is_zero_matrix(printed - needed)
    right = sp.eye(T) - MU / (T * (1 + MU)) * ones
    assert is_zero_matrix(right * needed - sp.eye(T))


@pytest.mark.parametrize("t", range(T))
def test_coefficients_of_the_expansion_are_swapped(t):
    """Σ_s β_s k̂((., s), (x, t)) with k̂ = k (1/r + [s = t]) is k times β_t + (1/r) Σ_s β_s, and
    not (1/√r) Σ_s β_s + β_t / r as after Eq. 19."""
    r = sp.Symbol("r", positive=True)
    beta = sp.symbols(f"beta:{T}", real=True)
    expansion = 0
    for s in range(T):
        is_same = 1 if s == t else 0
        expansion += beta[s] * (1 / r + is_same)
    right = beta[t] + sum(beta) / r
    assert is_zero(expansion - right)
    printed = sum(beta) / sp.sqrt(r) + beta[t] / r
    assert not is_zero(expansion - printed)


def test_the_representer_theorem_holds_by_projection(rng):
    """Cutting the part of each w_t outside the span of the training objects leaves all f_t on
    them alone, and does not raise Ω, whose form is positive definite."""
    objects = rng.normal(size=(4, 9))
    weights = rng.normal(size=(9, 3))
    projection = np.linalg.pinv(objects) @ objects
    inside = projection @ weights
    assert objects @ inside == pytest.approx(objects @ weights)
    for mu in (-0.4, 0.0, 5.0):
        assert omega(inside, mu) < omega(weights, mu)


def test_only_the_constraints_are_block_diagonal():
    """Where μ ≠ 0, the labels' own optima, each as if it were alone, are not the joint one."""
    problem = random_problem(0, mu=2.0)
    assert problem.Q[0, 1] != 0
    jointly = solve_with_cvxpy(problem, None, 0, None)
    unlinked = random_problem(0, mu=0.0)
    separately = solve_with_cvxpy(unlinked, None, 0, None)
    value = objective(problem, separately)
    assert jointly.primal < value * (1 - 1e-3)


def test_the_bias_cancels_between_bags_and_instances(rng):
    """Eq. 21 leaves b_t out of the last two constraints, and may: Σ_j ρ_ijt = 1."""
    f = rng.normal(size=5)
    rho = rng.dirichlet(np.ones(5))
    on_bag = 0.2
    b = 0.7
    with_bias = (f + b).max() - (on_bag + b)
    assert with_bias == pytest.approx(f.max() - on_bag)
    with_bias = (on_bag + b) - rho @ (f + b)
    assert with_bias == pytest.approx(on_bag - rho @ f)


def test_imbalance_rate_is_positive_to_all_not_positive_to_negative():
    """Three bags of one instance, one of them with the label: 1/3, where the ratio of the
    positive to the negative ones is 1/2. With bags of 2, 3 and 5 instances and labels {1}, {1, 2}
    and none, 2 + 3/2 of ten instances are given to label 1 and 3/2 to label 2."""
    Y = np.array([[True], [False], [False]])
    sizes = np.ones(3, int)
    rates = imbalance_rates(Y, sizes)
    assert rates == pytest.approx([1 / 3])

    Y = np.array([[1, 0], [1, 1], [0, 0]], dtype=bool)
    sizes = np.array([2, 3, 5])
    rates = imbalance_rates(Y, sizes)
    assert rates == pytest.approx([0.35, 0.15])


def test_imbalance_weights_read_ibr_as_that_of_the_label():
    """(y + 1)/2 - y ibr is 1 - ibr for y = 1 and ibr for y = -1: a rare label's bags weigh more."""
    y = np.array([[1], [-1]])
    ibr = 0.2
    printed = (y + 1) / 2 - y * ibr
    weights = imbalance_weights(y > 0, np.array([ibr]))
    assert weights == pytest.approx(printed)
    assert printed[0] > printed[1]


def test_rescaled_loss_needs_its_positive_part():
    """Eq. 23 lacks the (.)_+ of the loss that it rescales: it has no lower bound."""
    tau = 0.8
    margins = np.array([1.0, 10.0, 100.0])
    printed = tau * (1 - margins)
    assert (np.diff(printed) < 0).all()
    rescaled = tau * np.maximum(1 - margins, 0)
    assert (rescaled == 0).all()


def test_p_of_59():
    """One of p = 59 is among the worst 5% with probability .95, the smallest such p. That all
    hold is likely, too, if only one in a hundred fails."""
    assert 1 - 0.95**N_PICKED >= 0.95
    assert 1 - 0.95 ** (N_PICKED - 1) < 0.95
    assert 0.99**N_PICKED > 0.5


def test_eqs_27_and_28_are_right():
    """What a pair i ≠ j adds to T² times Eq. 25, at its best W_ij, in both orders of the pair.

    The printed factors are 1/(2T²), 1/T², 1/(8T²) and 1/(4T²).
    """
    mu = sp.Symbol("mu_ij", nonnegative=True)
    w_i = sp.Matrix(D, 1, sp.symbols(f"x:{D}", real=True))
    w_j = sp.Matrix(D, 1, sp.symbols(f"y:{D}", real=True))
    shared = (w_i + w_j) / (4 * mu + 2)
    apart = (square(w_i - shared) + square(w_j - shared)) / 2
    pair = apart + 2 * mu * square(shared)

    def eq_27(a, b):
        bottom = 4 * mu + 2
        difference = ((4 * mu + 1) * a - b) / bottom
        return square(difference) / 2 + mu * square((a + b) / bottom)

    newobj = eq_27(w_i, w_j) + eq_27(w_j, w_i)
    assert is_zero(newobj - pair)

    def eq_28(a, b):
        of_a = (16 * mu**2 + 10 * mu + 1) / (2 * mu + 1) ** 2
        of_b = (2 * mu + 1) / (2 * mu + 1) ** 2
        squares = (of_a * square(a) + of_b * square(b)) / 8
        return squares - of_b * (a.T * b)[0] / 4

    simplified = eq_28(w_i, w_j) + eq_28(w_j, w_i)
    assert is_zero(simplified - pair)


def test_the_notebook_names_tests_that_exist():
    notebook = notebooks() / "5_regularization.ipynb"
    named = set(re.findall(r"`(test_\w+)`", notebook.read_text()))
    assert len(named) >= 10
    assert named <= globals().keys()
