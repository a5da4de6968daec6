"""D-MimlSvm: its objective, its convex problems, and what its labels share."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from mimlpaper.algorithms.dmimlsvm import (
    SOLVERS,
    DMimlSvm,
    imbalance_rates,
    imbalance_weights,
    learned_pair_penalties,
    pairwise_form,
)
from mimlpaper.bags import Bags
from mimlpaper.base import ConstantLabelWarning
from mimlpaper.kernels import kernel_matrix
from tests import reference


def test_two_points_by_hand():
    """x = +1 with the label, x = -1 without; linear kernel, one label, no weights.

    At b = 0 both hinges are 1 - w, and Ω = w²/2: with cost C for each, w = min(1, 2C).
    """
    X, Y = [[[1.0]], [[-1.0]]], [[1], [0]]
    for cost, w in ((0.25, 0.5), (5.0, 1.0)):
        fitted = DMimlSvm(kernel="linear", C=cost, imbalance=False, tol=1e-8).fit(X, Y)
        assert fitted.weights_ == pytest.approx(np.array([[w]]), abs=1e-3)
        assert fitted.decision_function(X) == pytest.approx(np.array([[w], [-w]]), abs=1e-3)
        hinges = 2 * cost * (1 - w)
        assert fitted.objective_ == pytest.approx([w**2 / 2 + hinges])


def test_one_bag_of_two_by_hand():
    """One label; bag {1, 3} has it, bag {-1} lacks it; linear kernel, mean, λ = 1, C = 1/8.

    f = w·2 + b and -w + b on the bags. The highest instance of the first is w above the bag's
    mean, so that J = w²/2 + (1 - 2w - b)_+ / 8 + (1 - w + b)_+ / 8 + w/8: as long as both hinges
    are active w²/2 + (2 - 3w)/8 + w/8, lowest at w = 1/4, where J = 7/32.
    """
    X, Y = [[[1.0], [3.0]], [[-1.0]]], [[1], [0]]
    fitted = DMimlSvm(
        kernel="linear", set_kernel="mean", C=1 / 8, lam=1.0, imbalance=False, tol=1e-8
    ).fit(X, Y)
    assert fitted.weights_ == pytest.approx(np.array([[0.25]]), abs=1e-4)
    assert fitted.objective_ == pytest.approx([7 / 32])
    scores, on_instances = fitted.decision_function(X)[:, 0], fitted.instance_scores(X)[:, 0]
    assert on_instances - fitted.intercept_ == pytest.approx([0.25, 0.75, -0.25], abs=1e-3)
    assert scores - fitted.intercept_ == pytest.approx([0.5, -0.25], abs=1e-3)


@pytest.fixture
def some_bags(rng):
    return Bags.from_list([rng.random((size, 3)) for size in rng.integers(1, 5, 24)])


@pytest.fixture
def some_labels(some_bags, rng):
    return some_bags.max(some_bags.instances) + 0.2 * rng.normal(size=(24, 3)) > 0.75


def phi(fitted):
    """The estimator's features of a set of instances, by its definition."""

    def features(instances):
        rows = fitted.factor_.transform(instances)
        if fitted.set_kernel == "mean":
            return rows.mean(axis=0)
        return rows.sum(axis=0) / np.linalg.norm(rows.sum(axis=0))

    return features


def true_objective(fitted, bags, Y):
    tau = imbalance_weights(Y, imbalance_rates(Y, bags.sizes)) if fitted.imbalance else Y * 0 + 1
    parameters = dict(C=fitted.C, lam=fitted.lam, mu=fitted.mu, tau=tau)
    return reference.d_miml_objective(
        bags, Y, phi(fitted), fitted.weights_, fitted.intercept_, **parameters
    )


def test_objective_never_rises(some_bags, some_labels):
    """The trace never rises, nor the objective of fits that stop after each step."""
    accuracy = dict(tol=1e-3, cccp_tol=1e-3, random_state=0)
    estimator = DMimlSvm(lam=0.3, C=20.0, mu=0.3, imbalance=True, **accuracy)
    fitted = estimator.fit(some_bags, some_labels)
    assert len(fitted.objective_) > 2
    assert (np.diff(fitted.objective_) <= 0).all()
    assert fitted.objective_[-1] < fitted.objective_[0]
    assert len(fitted.n_iter_) == len(fitted.objective_)
    for n_steps in range(1, len(fitted.objective_)):
        early = clone(estimator).set_params(max_cccp=n_steps)
        with pytest.warns(ConvergenceWarning, match=f"stopped after {n_steps} steps"):
            early.fit(some_bags, some_labels)
        truth = true_objective(early, some_bags, some_labels)
        assert truth == pytest.approx(fitted.objective_[n_steps - 1])
    assert true_objective(fitted, some_bags, some_labels) == pytest.approx(fitted.objective_[-1])


def test_a_step_that_rises_is_thrown_away_but_shown(some_bags, some_labels, monkeypatch):
    """A solver that is right twice and then finds functions of three times the size."""
    solve, n_solved = SOLVERS["bundle"], iter(range(9))

    def careless(*arguments):
        found = solve(*arguments)
        factor = 3.0 if next(n_solved) == 2 else 1.0
        scores = tuple(factor * part for part in found.scores)
        return replace(found, weights=factor * found.weights, scores=scores)

    monkeypatch.setitem(SOLVERS, "bundle", careless)
    fitted = DMimlSvm(lam=0.3, C=20.0, cccp_tol=0.0, random_state=0).fit(some_bags, some_labels)
    assert len(fitted.objective_) == len(fitted.n_iter_) == 2
    assert fitted.raw_objective_[:2].tolist() == fitted.objective_.tolist()
    assert fitted.raw_objective_[2] > fitted.objective_[1]


def test_ends_at_a_local_minimum(some_bags, some_labels, rng):
    bags, Y = some_bags[:12], some_labels[:12]
    fitted = DMimlSvm(C=2.0, lam=0.3, tol=1e-5, cccp_tol=1e-7, max_cccp=100).fit(bags, Y)
    weights, intercept = fitted.weights_, fitted.intercept_
    for _ in range(20):
        size = 10 ** rng.uniform(-4, -1)
        fitted.weights_ = weights + size * rng.normal(size=weights.shape)
        fitted.intercept_ = intercept + size * rng.normal(size=intercept.shape)
        moved = true_objective(fitted, bags, Y)
        assert moved >= fitted.objective_[-1] * (1 - 2e-5)


def test_with_the_mean_the_first_step_is_the_optimum(some_bags, some_labels):
    """f(X) is the mean of its f(x), never above the largest: Σ_t |..| is convex."""
    exact = dict(gamma=1.0, rank=None, imbalance=False, tol=1e-5)
    fitted = DMimlSvm(set_kernel="mean", lam=0.7, mu=0.5, **exact).fit(some_bags, some_labels)
    assert len(fitted.objective_) == 1
    assert true_objective(fitted, some_bags, some_labels) == pytest.approx(fitted.objective_[0])
    sizes = some_bags.sizes
    K = kernel_matrix(some_bags.instances)
    mean = np.repeat(np.eye(24), sizes, axis=1) / sizes[:, None]
    objects = np.concatenate([mean, np.eye(len(K))])
    K, tau = objects @ K @ objects.T, np.ones((24, 3))
    rho, parameters = np.repeat(1 / sizes, sizes)[:, None] * np.ones(3), dict(lam=0.7, mu=0.5)
    best = reference.d_miml_convex(K, sizes, some_labels, tau, rho, gamma=10.0 * 24, **parameters)
    assert fitted.objective_[0] == pytest.approx(best, rel=1e-4)


@pytest.mark.parametrize(("kernel", "n_labels"), [("linear", 1), ("rbf", 3)])
def test_bags_of_one_without_weights_are_one_svm_a_label(rng, kernel, n_labels):
    X = rng.normal(size=(40, 3))
    Y = X[:, :n_labels] + rng.normal(size=(40, n_labels)) > 0
    exact = dict(rank=None, imbalance=False, tol=1e-7)
    fitted = DMimlSvm(kernel=kernel, gamma=0.5, set_kernel="mean", C=2.0, lam=0.0, **exact)
    fitted.fit(list(X[:, None]), Y)
    for t in range(n_labels):
        binary = SVC(C=2.0, kernel=kernel, gamma=0.5, tol=1e-8).fit(X, Y[:, t])
        expected = binary.decision_function(X)
        assert fitted.decision_function(list(X[:, None]))[:, t] == pytest.approx(expected, abs=5e-3)
    assert np.array_equal(
        fitted.instance_scores(list(X[:, None])), fitted.decision_function(list(X[:, None]))
    )


def test_imbalance_by_hand():
    """Bags of 2, 3 and 5 instances, labels {1}, {1, 2} and none: of ten instances 2 + 3/2 are
    given to label 1 and 3/2 to label 2."""
    Y, sizes = np.array([[1, 0], [1, 1], [0, 0]], dtype=bool), np.array([2, 3, 5])
    rates = imbalance_rates(Y, sizes)
    assert rates == pytest.approx([0.35, 0.15])
    expected = [[0.65, 0.15], [0.65, 0.85], [0.35, 0.15]]
    assert imbalance_weights(Y, rates) == pytest.approx(np.array(expected))


def test_warm_start_along_a_path(some_bags, some_labels):
    """The same objectives as from a cold start, within the gap, and fewer iterations."""
    warm = DMimlSvm(warm_start=True, set_kernel="mean", random_state=0, tol=1e-3)
    n_warm = n_cold = 0
    path = {"C": 5.0}, {"C": 10.0}, {"lam": 0.2}, {"mu": 0.5}, {"imbalance": True}
    for settings in (*path, {"lam": 0.0}, {"lam": 0.1}):
        warm.set_params(**settings).fit(some_bags, some_labels)
        cold = clone(warm).fit(some_bags, some_labels)
        assert warm.objective_[-1] == pytest.approx(cold.objective_[-1], rel=2e-3)
        assert warm.duality_gap_ <= 1e-3
        n_warm, n_cold = n_warm + warm.n_iter_.sum(), n_cold + cold.n_iter_.sum()
    assert n_warm < n_cold


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


def shares(penalties):
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
        a, common = shares(learned), 1 / (4 * mu + 2)
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
    parameters = dict(kernel="linear", set_kernel=set_kernel, lam=0.05, tol=1e-3)
    fitted = DMimlSvm(relatedness="pairwise", mu=0.5, **parameters).fit(X, Y)
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
    params = {"kernel": "linear", "tol": 1e-6, "lam": 0.0, "C": 0.02}
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


def test_solvers(some_bags, some_labels, monkeypatch):
    """CVXPY reaches small gaps, the others may stop early; all say how far they came."""
    params = {"gamma": 0.3, "lam": 0.2, "tol": 1e-3, "random_state": 0}
    expected = DMimlSvm(**params).fit(some_bags, some_labels).objective_[-1]
    for solver, tol in (("cutting_plane", 1e-3), ("cvxpy", 1e-7)):
        fitted = DMimlSvm(**params | {"solver": solver, "tol": tol}).fit(some_bags, some_labels)
        assert fitted.objective_[-1] == pytest.approx(expected, rel=1e-2)
        assert fitted.duality_gap_ <= tol
    early = DMimlSvm(max_iter=2, C=1000.0, lam=0.0)
    with pytest.warns(ConvergenceWarning, match=r"after 2 .* gap of \d.* not 2.0e-03"):
        early.fit(some_bags, some_labels)
    with pytest.warns(ConvergenceWarning, match='"cutting_plane" stopped after 1 iterations'):
        DMimlSvm(solver="cutting_plane", max_iter=1, set_kernel="mean").fit(some_bags, some_labels)
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    with pytest.raises(ImportError, match='solver="cvxpy" needs the package cvxpy'):
        DMimlSvm(solver="cvxpy").fit(some_bags, some_labels)


def test_a_machine_that_no_feature_moves_says_so(bags, labels):
    """The weights of Eq. 24 are small for bags that lack a label, if bags are large."""
    with pytest.warns(ConstantLabelWarning, match="constant.*raise C or leave out the weights"):
        learner = DMimlSvm(C=1e-9, tol=0.5, imbalance=True).fit(bags, labels[:, :2])
    assert np.ptp(learner.decision_function(bags)) == 0 or not learner.weights_.any()
