import cvxpy as cp
import numpy as np
import pytest
from scipy.linalg import norm
from sklearn.exceptions import ConvergenceWarning

from mimlpaper.bags import Bags
from mimlpaper.baselines.misvm import ChFd, _common_value, _fisher, _move


@pytest.fixture
def y(bags, rng):
    return bags.max(bags.instances[:, 0]) + 0.2 * rng.standard_normal(len(bags)) > 0.7


def residual_objective(fitted, bags, y, nu):
    """||w||² + ν times the squared residuals of hull points and of negative instances."""
    w, b = fitted.weights_, fitted.intercept_
    to_positive = 1 - fitted.hull_points_ @ w - b
    negatives = fitted.factor_.transform(bags[~y].instances)
    to_negative = -1 - negatives @ w - b
    assert to_positive.sum() == pytest.approx(0.0, abs=1e-8)
    assert to_negative.sum() == pytest.approx(0.0, abs=1e-8)
    return w @ w + nu * (norm(to_positive) ** 2 + norm(to_negative) ** 2)


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


def test_common_value_by_hand():
    """Four bags reach from -1 to .3, -.2 to 2, .5 to .8 and 1.2 to 3, and the mean is to be 1."""
    lowest, highest = np.array([-1.0, -0.2, 0.5, 1.2]), np.array([0.3, 2.0, 0.8, 3.0])
    expected = [0.3, 1.45, 0.8, 1.45]
    assert _common_value(lowest, highest, 4.0) == pytest.approx(expected)


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


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_objective_never_rises_and_is_that_of_the_definition(bags, y, kernel):
    fitted = ChFd(kernel=kernel, nu=3.0, rank=None, tol=1e-8).fit(bags, y)
    assert len(fitted.objective_) == fitted.n_alternations_ > 2
    assert (np.diff(fitted.objective_) <= 1e-9).all()
    expected = residual_objective(fitted, bags, y, 3.0)
    assert fitted.objective_[-1] == pytest.approx(expected)


def test_bags_of_one_are_fishers_discriminant(rng):
    """There is nothing to choose: one alternation, and one more to see it."""
    X = rng.standard_normal((50, 3))
    y = X[:, 0] > 0.3
    fitted = ChFd(kernel="linear", nu=2.0).fit(Bags(X, np.arange(51)), y)
    assert fitted.n_alternations_ == 2
    scatter = sum(np.cov(X[side].T, ddof=0) * side.sum() for side in (y, ~y))
    direction = np.linalg.solve(np.eye(3) + 2.0 * scatter, X[y].mean(0) - X[~y].mean(0))
    cosine = direction @ fitted.weights_ / norm(direction) / norm(fitted.weights_)
    assert cosine == pytest.approx(1.0)


def test_planted_instances_stand_out(rng):
    """They score highest in their bags, and their bags rank above all others."""
    points = rng.standard_normal((40, 5, 2))
    y = np.arange(40) % 2 == 0
    points[y, 0] += 6.0
    bags = Bags.from_list(points)
    fitted = ChFd(kernel="linear", nu=10.0).fit(bags, y)
    highest = fitted.instance_scores(bags).reshape(40, 5).argmax(axis=1)
    assert (highest[y] == 0).all()
    scores = fitted.decision_function(bags)
    assert scores[y].min() > scores[~y].max()


def test_too_few_turns_are_told(bags, y):
    with pytest.warns(ConvergenceWarning, match="max_alternations=1 turns, to"):
        ChFd(max_alternations=1).fit(bags, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"nu": 0.0}, "nu must be positive, got 0.0"),
        ({"max_alternations": 0}, "max_alternations must be at least 1, got 0"),
        ({"gamma": -1.0}, "gamma must be positive"),
        ({"kernel": "cosine"}, "kernel must be one of"),
        ({"rank": 0}, r"rank must be None, .auto. or at least 1, got 0"),
    ],
)
def test_bad_parameters(bags, y, parameters, message):
    with pytest.raises(ValueError, match=message):
        ChFd(**parameters).fit(bags, y)


def test_classes_with_one_mean_cannot_be_told_apart():
    with pytest.raises(ValueError, match="their mean instances are the same"):
        ChFd(kernel="linear").fit([[[1.0], [3.0]], [[2.0]]], [1, 0])
