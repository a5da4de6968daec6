"""Machines on pairs of an instance and a label."""

import numpy as np
import pytest

from mimlpaper.algorithms.pair_svm import PairSvm, label_kernels
from mimlpaper.bags import Bags
from mimlpaper.kernels import KernelFactor, kernel_matrix
from tests import reference

EXACT = {"tol": 1e-7, "max_iter": 2000, "random_state": 0}


def of_one(rows):
    """Bags of one instance each."""
    return Bags(rows, np.arange(len(rows) + 1))


@pytest.fixture
def problem(rng):
    """Twelve instances, three labels that depend on them, unlike costs, some of them 0."""
    instances = rng.random((12, 2))
    truth = instances @ rng.normal(size=(2, 3)) + rng.normal(0, 0.3, (12, 3))
    targets = np.where(truth > 0.3, 1.0, -1.0)
    costs = rng.exponential(2.0, (12, 3)) * (rng.random((12, 3)) < 0.9)
    return instances, targets, costs


@pytest.fixture
def bag_problem(rng, bags):
    """Thirty bags of Gaussian features, two labels that follow their means loosely."""
    factor = KernelFactor(gamma=2.0, tol=1e-14, random_state=0)
    features = bags.with_instances(factor.fit_transform(bags.instances))
    truth = bags.mean(bags.instances)[:, :2] + rng.normal(0, 0.2, (len(bags), 2))
    costs = np.repeat(rng.exponential(1.0, truth.shape), bags.sizes, axis=0)
    return features, np.where(truth > 0.5, 1.0, -1.0), costs


def kernel(rng, which):
    """Codes, kernel and width of a kind of pairs, and whether it is a product."""
    codes = np.linspace(0, 1, 3)[:, None]
    return {
        "rbf": (codes, "rbf", 2.0, False),
        "onehot": (np.eye(3), "rbf", 2.0, False),
        "linear": (codes, "linear", 1.0, False),
        "product": (rng.normal(size=(3, 2)), "linear", 1.0, True),
    }[which]


KERNELS = ["rbf", "onehot", "linear", "product"]


def objective(f, features, k_y, targets, costs):
    """½ ||f||² + Σ C max(0, 1 - g f), for offsets of no norm."""
    weights = np.linalg.pinv(k_y) @ f.coef
    return 0.5 * np.vdot(f.coef, weights) + np.vdot(costs, np.maximum(1 - targets * f(features), 0))


def test_two_pairs_by_hand():
    """φ = (1), (-1), one label, g = 1, -1, C = 1: f = α_1 φ_1 - α_2 φ_2 and α_1 = α_2 = α.

    f(x) = 2 α x must reach the margins ±1, so α = 1/2, f = x and b = 0; at C = 1/4 the α are at
    their bounds, f = x/2, and b may lie anywhere in [-1/2, 1/2]: 0 is the middle.
    """
    features, targets = np.array([[1.0], [-1.0]]), np.array([[1.0], [-1.0]])
    for cost, slope in ((1.0, 1.0), (0.25, 0.5)):
        svm = PairSvm(of_one(features), np.eye(1), np.zeros((1, 1)), tol=1e-12, random_state=0)
        f, values = svm.solve(targets, np.full((2, 1), cost))
        assert f.coef == pytest.approx(slope)
        assert f.intercept == pytest.approx(0, abs=1e-6)
        assert values == pytest.approx(slope * features, abs=1e-6)


@pytest.mark.parametrize("equal_costs", [True, False])
def test_bags_are_the_pairs_of_their_instances(rng, bag_problem, equal_costs):
    """The start from the bags' means changes nothing, whether or not a bag's costs are equal."""
    features, targets, costs = bag_problem
    if not equal_costs:
        costs = costs * rng.poisson(1.0, costs.shape)
    k_y, k_0 = label_kernels(np.eye(2), "rbf", 2.0)
    of_instances = np.repeat(targets, features.sizes, axis=0)
    minimum, expected = reference.pair_svm(features.instances, k_y, k_0, of_instances, costs)
    f, values = PairSvm(features, k_y, k_0, **EXACT).solve(targets, costs)
    assert f.gap <= 1e-7
    assert values == pytest.approx(expected, abs=5e-3)
    reached = objective(f, features.instances, k_y, of_instances, costs)
    assert reached == pytest.approx(minimum, rel=1e-6)


@pytest.mark.parametrize("tol", [0.5, 1e-2, 1e-4])
def test_the_gap_holds_in_single_precision(rng, bag_problem, tol):
    """No function is better by more than ``gap``, and one of 1e-7 is as good as the best."""
    features, targets, costs = bag_problem
    k_y, k_0 = label_kernels(np.eye(2), "rbf", 2.0)
    of_instances = np.repeat(targets, features.sizes, axis=0)
    best, _ = PairSvm(features, k_y, k_0, **EXACT).solve(targets, costs)
    minimum = objective(best, features.instances, k_y, of_instances, costs)
    svm = PairSvm(features, k_y, k_0, tol=tol, random_state=0)
    for scale in (1.0, rng.exponential(1.0, targets.shape)):
        svm.solve(targets, costs * np.repeat(scale * np.ones_like(targets), features.sizes, axis=0))
    f, values = svm.solve(targets, costs)
    reached = objective(f, features.instances, k_y, of_instances, costs)
    assert f.gap <= tol
    assert minimum * (1 - 1e-6) <= reached <= minimum + (f.gap + 1e-6) * reached
    assert values == pytest.approx(f(features.instances), abs=1e-5)


@pytest.mark.parametrize("which", KERNELS)
def test_agrees_with_a_conic_solver(rng, problem, which):
    """Its kernel is that of rows: an instance followed by a label's code, or their product."""
    instances, targets, costs = problem
    codes, name, gamma, product = kernel(rng, which)
    kernels = k_y, k_0 = label_kernels(codes, name, gamma, product=product)
    pairs = [(a, code) for a in instances for code in codes]
    rows = np.array([np.outer(*pair).ravel() if product else np.append(*pair) for pair in pairs])
    k_x = kernel_matrix(instances, kernel=name, gamma=gamma)
    of_pairs = np.kron(k_x, k_y) + np.kron(np.ones((12, 12)), k_0)
    assert np.allclose(of_pairs, kernel_matrix(rows, kernel=name, gamma=gamma))
    features = KernelFactor(kernel=name, gamma=gamma, tol=1e-14).fit_transform(instances)
    minimum, expected = reference.pair_svm(features, *kernels, targets, costs)
    f, values = PairSvm(of_one(features), *kernels, **EXACT).solve(targets, costs)
    assert 0 <= f.gap <= 1e-7
    assert f(features) == pytest.approx(expected, abs=5e-3)
    assert values == pytest.approx(f(features))
    assert (costs * np.maximum(1 - targets * f(features), 0)).sum() <= minimum


def test_one_class_and_too_few_climbs(problem):
    instances, targets, costs = problem
    svm = PairSvm(of_one(instances), np.eye(3), np.eye(3), tol=1e-12, max_iter=1, random_state=0)
    assert 1e-12 < svm.solve(targets, 1000 * costs)[0].gap < np.inf
    for sign in 1.0, -1.0:
        f, values = svm.solve(targets, costs * (targets == sign))
        assert (f(instances) == sign).all() and (values == sign).all() and f.gap == 0
