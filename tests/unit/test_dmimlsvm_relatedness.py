"""The regulariser of pairs of labels (Eqs. 25 to 28), and its μ_ij from the data."""

from dataclasses import replace

import numpy as np
import pytest

from mimlpaper.algorithms.dmimlsvm import DMimlSvm, learned_pair_penalties, mean_form, pairwise_form
from mimlpaper.algorithms.dmimlsvm_solvers import solve_bundle, solve_with_cvxpy
from mimlpaper.bags import Bags
from tests.unit.test_dmiml_solvers import random_problem


@pytest.fixture
def penalties(rng):
    """Symmetric μ_ij of four labels; one pair shares all it can, one shares nothing."""
    mu = rng.random((4, 4)) * 3
    mu = mu + mu.T
    mu[0, 1] = mu[1, 0] = 0.0
    mu[2, 3] = mu[3, 2] = np.inf
    return mu


def regulariser(weights, Q):
    return 0.5 * np.sum((weights @ Q) * weights)


def framework(weights, mu, shared):
    """The first two terms of Eq. 25, for given W_ij; infinite μ_ij have W_ij = 0."""
    T = weights.shape[1]
    total = 0.0
    for i in range(T):
        for j in range(T):
            total += np.sum((weights[:, i] - shared[i, j]) ** 2) / (2 * T**2)
            if shared[i, j].any():
                total += mu[i, j] * np.sum(shared[i, j] ** 2) / T**2
    return total


def best_shared(weights, mu):
    """W_ij of Eq. 26: (n_labels, n_labels, n_dims)."""
    sums = weights.T[:, None] + weights.T[None]
    return sums / (4 * mu + 2)[:, :, None]


def test_form_is_the_framework_at_the_best_shared_parts(rng, penalties):
    """And no other symmetric W_ij do better."""
    weights = rng.normal(size=(3, 4))
    shared = best_shared(weights, penalties)
    expected = framework(weights, penalties, shared)
    assert regulariser(weights, pairwise_form(penalties)) == pytest.approx(expected)
    for _ in range(10):
        change = 0.1 * rng.normal(size=shared.shape) * np.isfinite(penalties)[:, :, None]
        other = shared + change + change.transpose(1, 0, 2)
        assert framework(weights, penalties, other) > expected


def test_form_is_eq_28_as_printed(rng, penalties):
    weights, mu = rng.normal(size=(3, 4)), np.where(np.isinf(penalties), 9.0, penalties)
    G = weights.T @ weights
    squares = np.diag(G)
    bottom = (2 * mu + 1) ** 2
    printed = ((16 * mu**2 + 10 * mu + 1) / bottom * squares[:, None]).sum()
    printed += ((2 * mu + 1) / bottom * squares[None]).sum()
    printed = printed / (8 * 16) - ((2 * mu + 1) / bottom * G).sum() / (4 * 16)
    assert regulariser(weights, pairwise_form(mu)) == pytest.approx(printed)


def test_pairs_that_share_nothing_are_single_machines():
    assert pairwise_form(np.full((4, 4), np.inf)) == pytest.approx(mean_form(4, 0.0))


def test_one_penalty_for_all_pairs_favours_the_mean():
    """With all μ_ij = μ and a = 1 / (4μ + 2), Q is (1 - a)(I/T + (2m/T²) 11') for
    m = -a / (2 (1 - a)), between -1/2 and 0: the mean regulariser where it favours the mean."""
    for mu in (0.1, 1.0, 7.0):
        a = 1 / (4 * mu + 2)
        m = -a / (2 * (1 - a))
        assert -0.5 < m < 0
        assert pairwise_form(np.full((5, 5), mu)) == pytest.approx((1 - a) * mean_form(5, m))


def test_form_is_positive_definite_unless_all_penalties_are_zero(rng):
    for _ in range(20):
        mu = rng.random((4, 4)) * (rng.random((4, 4)) < 0.3)
        mu = mu + mu.T
        lowest = np.linalg.eigvalsh(pairwise_form(mu))[0]
        assert lowest > -1e-12
        assert (lowest > 1e-9) == mu.any()


@pytest.mark.parametrize("seed", range(3))
def test_same_solvers(seed, rng):
    mu = rng.random((3, 3))
    problem = replace(random_problem(seed), Q=pairwise_form(mu + mu.T))
    exact = solve_with_cvxpy(problem, None, 0, None)
    assert solve_bundle(problem, None, 1e-5, None).primal == pytest.approx(exact.primal, rel=2e-5)


def sharing(penalties):
    """a_ij of the pairs i < j."""
    return 1 / (4 * penalties[np.triu_indices(len(penalties), 1)] + 2)


def test_learned_penalties_by_hand():
    """w = (1, 1, -1) in one dimension: ||w_1 + w_2||² = 4, the other pairs have 0.

    The whole budget 3 a², a = 1 / (4μ + 2), goes to the first pair. For μ = 1, a = 1/6, it gets
    a_12 = √3/6 and μ_12 = (√3 - 1) / 2; for μ = 0.2, 3 a² > 1/4: it gets its limit 1/2, μ_12 = 0.
    """
    learned = learned_pair_penalties(np.array([[1.0, 1.0, -1.0]]), 1.0)
    assert learned[0, 1] == learned[1, 0] == pytest.approx((np.sqrt(3) - 1) / 2)
    assert np.isinf(learned[[0, 1, 2, 2], [2, 2, 0, 1]]).all()
    assert np.diag(learned) == pytest.approx([1, 1, 1])
    assert learned_pair_penalties(np.array([[1.0, 1.0, -1.0]]), 0.2)[0, 1] == 0


def test_learned_penalties_are_the_best_within_the_budget(rng):
    for mu in (0.1, 0.5, 3.0):
        weights = rng.normal(size=(4, 5)) * rng.uniform(0.1, 3, 5)
        learned = learned_pair_penalties(weights, mu)
        a, common = sharing(learned), 1 / (4 * mu + 2)
        assert np.mean(a**2) == pytest.approx(common**2)
        lowest = regulariser(weights, pairwise_form(learned))
        assert lowest <= regulariser(weights, pairwise_form(np.full((5, 5), mu)))
        for _ in range(50):
            other = np.minimum(0.5, a * np.exp(rng.normal(size=10)))
            other *= min(1.0, common / np.sqrt(np.mean(other**2)))
            assert (other <= 0.5).all()
            penalties = np.full((5, 5), mu)
            penalties[np.triu_indices(5, 1)] = (1 / other - 2) / 4
            penalties = np.triu(penalties) + np.triu(penalties, 1).T
            assert regulariser(weights, pairwise_form(penalties)) >= lowest - 1e-12


def test_nothing_to_learn_from():
    """Zero weights, one label, or no room below the limit leave the common penalty."""
    assert learned_pair_penalties(np.zeros((2, 3)), 0.7) == pytest.approx(np.full((3, 3), 0.7))
    assert learned_pair_penalties(np.ones((2, 1)), 0.7) == pytest.approx(np.array([[0.7]]))


def test_without_a_budget_or_with_a_fixed_sum_the_choice_is_degenerate(rng):
    """The regulariser rises with each μ_ij, by ||W_ij||² / T²; along μ_ij + s, μ_kl - s, and
    along the same steps in their logarithms, it is concave, so that only the ends can be best."""
    weights, mu = rng.normal(size=(3, 4)), rng.uniform(1, 2, (4, 4))
    mu = mu + mu.T

    def value(change_01, change_23):
        moved = mu.copy()
        moved[[0, 1], [1, 0]] = change_01(mu[0, 1])
        moved[[2, 3], [3, 2]] = change_23(mu[2, 3])
        return regulariser(weights, pairwise_form(moved))

    step = 1e-5
    slope = value(lambda m: m + step, lambda m: m) - value(lambda m: m - step, lambda m: m)
    expected = 2 * np.sum(best_shared(weights, mu)[0, 1] ** 2) / 16  # once for ij, once for ji
    assert slope / (2 * step) == pytest.approx(expected, rel=1e-5)
    s = np.linspace(-0.9, 0.9, 19)
    along_sum = [value(lambda m, s=s: m + s, lambda m, s=s: m - s) for s in s]
    along_logs = [value(lambda m, s=s: m * np.exp(s), lambda m, s=s: m / np.exp(s)) for s in s]
    for values in (along_sum, along_logs):
        assert (np.diff(values, 2) < 0).all()


@pytest.fixture
def related(rng):
    """Labels 0 and 1 follow one feature, label 2 another, label 3 the opposite of it."""
    X = Bags.from_list([rng.normal(size=(size, 3)) for size in rng.integers(1, 4, 60)])
    means = X.mean(X.instances)
    noise = 0.2 * rng.normal(size=(60, 4))
    scores = np.column_stack([means[:, 0], means[:, 0], means[:, 1], -means[:, 1]]) + noise
    return X, scores > 0


@pytest.mark.parametrize("set_kernel", ["unit", "mean"])
def test_learns_which_labels_are_related(related, set_kernel):
    """Alternation lowers the objective, and tells the pairs apart."""
    X, Y = related
    fitted = DMimlSvm(
        relatedness="pairwise",
        mu=0.5,
        kernel="linear",
        set_kernel=set_kernel,
        lam=0.05,
        tol=1e-3,
        imbalance=False,
    ).fit(X, Y)
    assert (np.diff(fitted.objective_) <= 0).all()
    assert len(fitted.objective_) > 1
    mu, cosines = fitted.pair_penalties_, fitted.label_relatedness_
    assert mu[0, 1] < mu[0, 2] < mu[2, 3]
    assert mu[0, 1] < 0.5 < mu[2, 3]
    assert cosines[0, 1] > 0.8
    assert cosines[2, 3] < -0.8
    assert abs(cosines[0, 2]) < 0.4
    assert cosines == pytest.approx(cosines.T)


def test_given_penalties(related):
    """As given; the same for all pairs is the common μ; infinite ones are the mean's μ = 0."""
    X, Y = related
    params = {"kernel": "linear", "tol": 1e-4, "lam": 0.0}
    mu = np.full((4, 4), 2.0)
    mu[0, 1] = mu[1, 0] = 0.1
    given = DMimlSvm(relatedness=mu, **params).fit(X, Y)
    assert np.array_equal(given.pair_penalties_, mu)
    closer = DMimlSvm(relatedness=np.full((4, 4), 2.0), **params).fit(X, Y)
    assert given.label_relatedness_[0, 1] > closer.label_relatedness_[0, 1]
    apart = DMimlSvm(relatedness=np.full((4, 4), np.inf), **params).fit(X, Y)
    mean = DMimlSvm(mu=0.0, **params).fit(X, Y)
    assert apart.objective_ == pytest.approx(mean.objective_, rel=1e-4)
    assert mean.pair_penalties_ is None
