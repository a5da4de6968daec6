"""mi-SVM, MI-SVM and CH-FD."""

import cvxpy as cp
import numpy as np
import pytest
from scipy.linalg import norm
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from mimlpaper.bags import Bags
from mimlpaper.baselines.misvm import ChFd, MiSvmBag, MiSvmInstance, _fisher, _move
from mimlpaper.kernels import kernel_matrix
from tests import reference


@pytest.fixture(params=[MiSvmInstance, MiSvmBag], ids=lambda kind: kind.__name__)
def kind(request):
    return request.param


@pytest.fixture
def y(bags, rng):
    """A bag is positive if its largest first feature is large, with some noise."""
    return bags.max(bags.instances[:, 0]) + 0.2 * rng.standard_normal(len(bags)) > 0.7


def test_alternations_by_hand():
    """Bags {0, 4} and {0, 1}, only the first positive, on a line, C = 10.

    mi-SVM begins with 0 and 4 against 0 and 1; the two at 0 cannot both be right, and f(0) < 0
    since the point 1 is negative too. So 0 turns negative, and 4 against 1 gives f(4) = 1 and
    f(1) = -1: w = 2/3, b = -5/3, at an objective of ½ (2/3)². MI-SVM begins with the mean, 2
    against 1: w = 2, b = -3; then 4 is the highest, and the second machine is the same.
    """
    bags, y = [[[0.0], [4.0]], [[0.0], [1.0]]], [1, 0]
    for kind in MiSvmInstance, MiSvmBag:
        fitted = kind(kernel="linear", C=10.0, tol=1e-10).fit(bags, y)
        assert fitted.converged_ and fitted.n_alternations_ == 2
        assert fitted.weights_[-1] == pytest.approx([2 / 3], abs=1e-6)
        assert fitted.intercepts_[-1] == pytest.approx(-5 / 3, abs=1e-6)
        assert fitted.objective_[-1] == pytest.approx(2 / 9)
        assert fitted.instance_scores([[[2.5]]]) == pytest.approx([0.0], abs=1e-6)
        assert fitted.decision_function(bags) == pytest.approx([1.0, -1.0], abs=1e-6)
    assert fitted.weights_[0] == pytest.approx([2.0], abs=1e-6)
    assert fitted.intercepts_[0] == pytest.approx(-3.0, abs=1e-6)


def test_bags_of_one_are_a_plain_svm(kind, rng):
    X = rng.standard_normal((60, 3))
    y = X[:, 0] + 0.5 * rng.standard_normal(60) > 0
    single = Bags(X, np.arange(61))
    fitted = kind(gamma=0.5, C=2.0, rank=None, tol=1e-9).fit(single, y)
    assert fitted.converged_
    svm = SVC(gamma=0.5, C=2.0, tol=1e-9).fit(X, y)
    first = next(fitted.staged_decision_function(single))
    assert first == pytest.approx(svm.decision_function(X), abs=1e-3)
    assert fitted.decision_function(single) == pytest.approx(first, abs=1e-6)


def test_agrees_with_plain_implementation(bags, y):
    fitted = MiSvmInstance(gamma=2.0, C=20.0, rank=None, tol=1e-10).fit(bags, y)
    rounds = list(reference.mi_svm(list(bags), y, 20.0, 2.0, fitted.n_alternations_))
    stages = fitted.staged_decision_function(bags)
    for stage, (_, scores) in zip(stages, rounds, strict=True):
        assert stage == pytest.approx(bags.max(scores), abs=2e-3)
    assert len(rounds) > 1
    assert fitted.instance_labels_.tolist() == rounds[-1][0]


def test_objective_never_rises(kind, bags, y):
    start = 1 if kind is MiSvmBag else 0  # MI-SVM's first machine is that of the means
    for C, tol in ((0.5, 1e-1), (5.0, 1e-3), (50.0, 1e-9)):
        fitted = kind(gamma=3.0, C=C, tol=tol).fit(bags, y)
        assert (np.diff(fitted.objective_[start:]) <= 0).all()
        assert (fitted.gaps_ <= tol).all()
        assert len(fitted.objective_) == fitted.n_alternations_
    if kind is MiSvmBag:
        assert fitted.converged_  # the witnesses no longer change
        w, slacks = fitted.weights_[-1], 1 - np.where(y, 1, -1) * fitted.decision_function(bags)
        expected = w @ w / 2 + C * np.maximum(slacks, 0).sum()
        assert fitted.objective_[-1] == pytest.approx(expected, rel=1e-6)


def test_first_machine_of_bags_knows_the_means_themselves(bags, y):
    """The mean of a positive bag is a point of the kernel's space, in no span of instances."""
    kernel, C = dict(kernel="rbf", gamma=3.0), 2.0
    fitted = MiSvmBag(**kernel, C=C, rank=None, max_alternations=1, tol=1e-8).fit(bags, y)
    positive = np.asarray(y)
    points = np.concatenate([bags.mean(bags.instances)[positive], bags[~positive].instances])
    sizes = np.concatenate([np.ones(positive.sum(), int), bags[~positive].sizes])
    owner = np.repeat(np.arange(len(sizes)), sizes)  # of one slack each
    K = kernel_matrix(points, gamma=3.0) + 1e-10 * np.eye(len(points))
    root = np.linalg.cholesky(K)  # f = K a + b, ||w||² = ||root' a||²
    a, b, slack = cp.Variable(len(points)), cp.Variable(), cp.Variable(owner.max() + 1)
    signs = np.where(np.arange(len(points)) < positive.sum(), 1.0, -1.0)
    problem = cp.Problem(
        cp.Minimize(0.5 * cp.sum_squares(root.T @ a) + C * cp.sum(slack)),
        [slack >= 0, slack[owner] >= 1 - cp.multiply(signs, K @ a + b)],
    )
    problem.solve(solver="CLARABEL")
    assert fitted.objective_[0] == pytest.approx(problem.value, rel=1e-5)


def test_a_line_by_hand():
    """Bag {0, 4} against the instances -1 and 1 of a line, ν = 1.

    The bag's first point is its mean, 2; only the negatives scatter, by 2, so M = 1 + 2 = 3, the
    means differ by 2, and w = 2 · (2/3) / (4/3) = 1, b = -½ · (2 + 0) = -1, at an objective of 3.
    One bag has nothing to share its residual with, so it stays, and that is the end.
    """
    bags, y = [[[0.0], [4.0]], [[-1.0], [1.0]]], [1, 0]
    fitted = ChFd(kernel="linear").fit(bags, y)
    assert fitted.weights_ == pytest.approx([1.0])
    assert fitted.intercept_ == pytest.approx(-1.0)
    assert fitted.objective_ == pytest.approx([3.0, 3.0])
    assert fitted.decision_function(bags) == pytest.approx([3.0, 0.0])
    assert fitted.instance_scores(bags) == pytest.approx([-1.0, 3.0, -2.0, 0.0])


def test_moved_points_are_the_best_of_their_hulls(bags, rng):
    """Least spread at the same sum, found by cvxpy over the hulls' coefficients too."""
    w = rng.standard_normal(3)
    points = bags.mean(bags.instances)
    moved = _move(points, bags, w)
    shares = [cp.Variable(size, nonneg=True) for size in bags.sizes]
    values = cp.hstack([share @ (bag @ w) for share, bag in zip(shares, bags, strict=True)])
    total = (points @ w).sum()
    constraints = [cp.sum(share) == 1 for share in shares] + [cp.sum(values) == total]
    problem = cp.Problem(cp.Minimize(cp.sum_squares(values)), constraints)
    problem.solve()
    assert (moved @ w).sum() == pytest.approx(total)
    assert np.sum((moved @ w) ** 2) == pytest.approx(problem.value, rel=1e-5)
    for point, bag in zip(moved, bags, strict=True):
        found = np.linalg.lstsq(np.vstack([bag.T, np.ones(len(bag))]), np.append(point, 1.0))[0]
        assert (found >= -1e-9).all() and found @ bag == pytest.approx(point)


def test_discriminant_is_the_best_of_its_constraints(rng):
    positives, negatives = rng.standard_normal((8, 3)) + 1, rng.standard_normal((20, 3))
    w, b = cp.Variable(3), cp.Variable()
    left = 1 - positives @ w - b, -1 - negatives @ w - b
    objective = cp.sum_squares(w) + 0.7 * sum(map(cp.sum_squares, left))
    problem = cp.Problem(cp.Minimize(objective), [cp.sum(part) == 0 for part in left])
    problem.solve()
    M = np.eye(3) + 0.7 * sum(np.cov(part.T, ddof=0) * len(part) for part in (positives, negatives))
    weights, intercept, value = _fisher(M, positives.mean(axis=0), negatives.mean(axis=0))
    assert weights == pytest.approx(w.value, abs=1e-5)
    assert intercept == pytest.approx(float(b.value), abs=1e-5)
    assert value == pytest.approx(problem.value, rel=1e-5)


def test_objective_of_hull_points_never_rises_and_is_that_of_the_definition(bags, y):
    """||w||² + ν times the squared residuals of hull points and of negative instances."""
    for kernel in ("linear", "rbf", "poly"):
        fitted = ChFd(kernel=kernel, nu=3.0, rank=None, tol=1e-8).fit(bags, y)
        assert len(fitted.objective_) == fitted.n_alternations_ > 2
        assert (np.diff(fitted.objective_) <= 1e-9).all()
        w, negatives = fitted.weights_, fitted.factor_.transform(bags[~y].instances)
        b = fitted.intercept_
        residuals = 1 - fitted.hull_points_ @ w - b, -1 - negatives @ w - b
        assert [r.sum() for r in residuals] == pytest.approx([0.0, 0.0], abs=1e-8)
        expected = w @ w + 3.0 * sum(norm(r) ** 2 for r in residuals)
        assert fitted.objective_[-1] == pytest.approx(expected)


def test_what_goes_wrong_is_said(bags, y):
    with pytest.warns(ConvergenceWarning, match="max_alternations=1 turns, to"):
        ChFd(max_alternations=1).fit(bags, y)
    with pytest.raises(ValueError, match="their mean instances are the same"):
        ChFd(kernel="linear").fit([[[1.0], [3.0]], [[2.0]]], [1, 0])
