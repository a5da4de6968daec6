"""Machines on pairs of an instance and a label."""

import numpy as np
import pytest

from mimlpaper.algorithms.pair_svm import PairSvm, label_kernels
from mimlpaper.bags import Bags
from mimlpaper.kernels import KernelFactor, kernel_matrix
from tests import reference

EXACT = {"tol": 1e-7, "max_iter": 2000, "random_state": 0}


@pytest.fixture
def problem(rng, bags):
    """Three labels that follow the bags' means loosely, and the costs of their instances."""
    truth = bags.mean(bags.instances) + rng.normal(0, 0.2, (30, 3))
    costs = np.repeat(rng.exponential(1.0, truth.shape), bags.sizes, axis=0)
    return np.where(truth > 0.5, 1.0, -1.0), costs


def objective(f, features, k_y, targets, costs):
    """½ ||f||² + Σ C max(0, 1 - g f), for offsets of no norm."""
    weights = np.linalg.pinv(k_y) @ f.coef
    return 0.5 * np.vdot(f.coef, weights) + np.vdot(costs, np.maximum(1 - targets * f(features), 0))


def test_two_pairs_by_hand():
    """φ = (1), (-1), one label, g = 1, -1, C = 1: f = α_1 φ_1 - α_2 φ_2 and α_1 = α_2 = α.

    f(x) = 2 α x must reach the margins ±1, so α = 1/2, f = x and b = 0; at C = 1/4 the α are at
    their bounds, f = x/2, and b may lie anywhere in [-1/2, 1/2]: 0 is the middle.
    """
    features = targets = np.array([[1.0], [-1.0]])
    svm = PairSvm(Bags(features, np.arange(3)), np.eye(1), np.zeros((1, 1)), tol=1e-12)
    for cost, slope in ((1.0, 1.0), (0.25, 0.5)):
        f, values = svm.solve(targets, np.full((2, 1), cost))
        assert f.coef == pytest.approx(slope)
        assert f.intercept == pytest.approx(0, abs=1e-6)
        assert values == pytest.approx(slope * features, abs=1e-6)


@pytest.mark.parametrize("which", ["rbf", "onehot", "linear", "product"])
def test_agrees_with_a_conic_solver(rng, bags, problem, which):
    """Its kernel is that of rows: an instance followed by a label's code, or their product.

    The start from the bags' means changes nothing, whether or not a bag's costs are equal.
    """
    targets, costs = problem
    codes, name, gamma, product = {
        "rbf": (np.linspace(0, 1, 3)[:, None], "rbf", 2.0, False),
        "onehot": (np.eye(3), "rbf", 2.0, False),
        "linear": (np.linspace(0, 1, 3)[:, None], "linear", 1.0, False),
        "product": (rng.normal(size=(3, 2)), "linear", 1.0, True),
    }[which]
    kernels = k_y, k_0 = label_kernels(codes, name, gamma, product=product)
    pairs = [(a, code) for a in bags.instances for code in codes]
    rows = np.array([np.outer(*pair).ravel() if product else np.append(*pair) for pair in pairs])
    k_x = kernel_matrix(bags.instances, kernel=name, gamma=gamma)
    of_pairs = np.kron(k_x, k_y) + np.kron(np.ones(k_x.shape), k_0)
    assert np.allclose(of_pairs, kernel_matrix(rows, kernel=name, gamma=gamma))
    features = KernelFactor(kernel=name, gamma=gamma, tol=1e-14).fit_transform(bags.instances)
    svm = PairSvm(bags.with_instances(features), *kernels, **EXACT)
    of_instances = np.repeat(targets, bags.sizes, axis=0)
    for given in costs, costs * rng.poisson(1.0, costs.shape):
        minimum, expected = reference.pair_svm(features, *kernels, of_instances, given)
        f, values = svm.solve(targets, given)
        assert 0 <= f.gap <= 1e-7
        assert values == pytest.approx(expected, abs=5e-3)
        assert f(features) == pytest.approx(values)
        if not k_0.any():
            reached = objective(f, features, k_y, of_instances, given)
            assert reached == pytest.approx(minimum, rel=1e-6)


@pytest.mark.parametrize("tol", [0.5, 1e-2, 1e-4])
def test_no_function_is_better_by_more_than_the_gap(rng, bags, problem, tol):
    """Also after machines for other costs; one of gap 1e-7 is as good as the best."""
    targets, costs = problem
    kernels = k_y, _ = label_kernels(np.eye(3), "rbf", 2.0)
    features = KernelFactor(gamma=2.0, tol=1e-14).fit_transform(bags.instances)
    of_instances = np.repeat(targets, bags.sizes, axis=0)
    mapped = bags.with_instances(features)
    best, _ = PairSvm(mapped, *kernels, **EXACT).solve(targets, costs)
    svm = PairSvm(mapped, *kernels, tol=tol, random_state=0)
    for scale in 1.0, rng.exponential(1.0, costs.shape), 1.0:
        f, values = svm.solve(targets, scale * costs)
    minimum, reached = (objective(g, features, k_y, of_instances, costs) for g in (best, f))
    assert f.gap <= tol
    assert minimum * (1 - 1e-6) <= reached <= minimum + (f.gap + 1e-6) * reached
    assert values == pytest.approx(f(features), abs=1e-5)


def test_one_class_and_too_few_climbs(bags, problem):
    targets, costs = problem
    svm = PairSvm(bags, np.eye(3), np.eye(3), tol=1e-12, max_iter=1, random_state=0)
    assert 1e-12 < svm.solve(targets, 1000 * costs)[0].gap < np.inf
    of_instances = np.repeat(targets, bags.sizes, axis=0)
    for sign in 1.0, -1.0:
        f, values = svm.solve(targets, costs * (of_instances == sign))
        assert (f(bags.instances) == sign).all() and (values == sign).all() and f.gap == 0
