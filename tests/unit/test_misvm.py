"""mi-SVM, MI-SVM, mi-SVM for each label of MIML, and CH-FD."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.baselines.misvm import (
    ChFd,
    MiSvmBag,
    MiSvmInstance,
    _fisher,
    _move,
)
from mimlpaper.kernels import kernel_matrix
from tests import reference

BOTH_SVMS = pytest.mark.parametrize("kind", [MiSvmInstance, MiSvmBag])


@BOTH_SVMS
def test_alternations_by_hand(kind):
    """Bags {0, 4} and {0, 1}, only the first positive, on a line, C = 10.

    mi-SVM begins with 0 and 4 against 0 and 1; the two at 0 cannot both be right, and f(0) < 0
    since the point 1 is negative too. So 0 turns negative, and 4 against 1 gives f(4) = 1 and
    f(1) = -1: w = 2/3, b = -5/3, at an objective of ½ (2/3)². MI-SVM begins with the mean, 2
    against 1: w = 2, b = -3; then 4 is the highest, and the second machine is the same.
    """
    bags = [[[0.0], [4.0]], [[0.0], [1.0]]]
    svm = kind(kernel="linear", C=10.0, tol=1e-10).fit(bags, [1, 0])
    assert svm.converged_
    assert svm.n_alternations_ == 2
    assert svm.weights_[-1] == pytest.approx([2 / 3], abs=1e-6)
    assert svm.intercepts_[-1] == pytest.approx(-5 / 3, abs=1e-6)
    assert svm.objective_[-1] == pytest.approx(2 / 9)
    at_border = svm.instance_scores([[[2.5]]])
    assert at_border == pytest.approx([0.0], abs=1e-6)
    scores = svm.decision_function(bags)
    assert scores == pytest.approx([1.0, -1.0], abs=1e-6)
    if kind is MiSvmBag:
        assert svm.weights_[0] == pytest.approx([2.0], abs=1e-6)
        assert svm.intercepts_[0] == pytest.approx(-3.0, abs=1e-6)


def test_labels_and_machine_agree_at_the_end(bags, y):
    """The machine is the best for the labels, and the labels are those that it gives.

    In a positive bag that scores below 0 everywhere, the highest instance is positive.
    """
    mi_svm = MiSvmInstance(gamma=2.0, C=5.0, rank=None, tol=1e-10)
    mi_svm.fit(bags, y)
    assert mi_svm.converged_
    assert mi_svm.n_alternations_ > 1
    labels = mi_svm.instance_labels_
    scores = mi_svm.instance_scores(bags)
    svm = SVC(C=5.0, gamma=2.0, tol=1e-9).fit(bags.instances, labels)
    expected = svm.decision_function(bags.instances)
    # The two solvers measure their tolerances differently.
    assert scores == pytest.approx(expected, abs=2e-3)

    # The exception for low positive bags is needed here.
    highest = bags.max(scores)
    assert (highest[y] < 0).any()
    for i, positive in enumerate(y):
        of_bag = bags.bag_of_instance == i
        is_highest = scores[of_bag] == highest[i]
        expected = positive & ((scores[of_bag] > 0) | is_highest)
        assert labels[of_bag].tolist() == expected.tolist()


@BOTH_SVMS
def test_objective_never_rises(kind, bags, y):
    # MI-SVM's first machine is that of the means, another problem.
    start = 1 if kind is MiSvmBag else 0
    for C, tol in ((0.5, 1e-1), (5.0, 1e-3), (50.0, 1e-9)):
        svm = kind(gamma=3.0, C=C, tol=tol).fit(bags, y)
        assert (np.diff(svm.objective_[start:]) <= 0).all()
        assert (svm.gaps_ <= tol).all()
        assert len(svm.objective_) == svm.n_alternations_


def test_objective_is_that_of_the_bags_once_witnesses_stay(bags, y):
    C = 50.0
    svm = MiSvmBag(gamma=3.0, C=C, tol=1e-9).fit(bags, y)
    assert svm.converged_
    w = svm.weights_[-1]
    margins = np.where(y, 1, -1) * svm.decision_function(bags)
    slacks = np.maximum(1 - margins, 0)
    expected = w @ w / 2 + C * slacks.sum()
    assert svm.objective_[-1] == pytest.approx(expected, rel=1e-6)


def test_first_machine_of_bags_knows_the_means_themselves(bags, y):
    """The mean of a positive bag is a point of the kernel's space, in no span of instances."""
    svm = MiSvmBag(
        gamma=3.0,
        C=2.0,
        rank=None,
        max_alternations=1,
        tol=1e-8,
    )
    svm.fit(bags, y)

    means = bags.mean(bags.instances)[y]
    negatives = bags[~y]
    points = np.concatenate([means, negatives.instances])
    Z = reference.root(kernel_matrix(points, gamma=3.0))
    is_mean = np.arange(len(Z)) < len(means)
    # Each mean has a slack; the instances of a negative bag share one.
    groups_of_negatives = len(means) + negatives.offsets
    offsets = np.concatenate([np.arange(len(means)), groups_of_negatives])
    expected, _ = reference.hinge_minimum(Z, is_mean, 2.0, offsets)
    assert svm.objective_[0] == pytest.approx(expected, rel=1e-5)


def test_each_label_is_its_own_mi_svm(bags, rng):
    """At every stage; a label that has ended keeps its scores."""
    noise = 0.1 * rng.standard_normal((30, 2))
    high = bags.max(bags.instances[:, :2]) + noise > 0.7
    Y = np.column_stack([high, high.all(axis=1)])
    options = dict(
        gamma=2.0,
        rank=None,
        C=3.0,
        max_alternations=3,
        tol=1e-9,
    )
    learner = MimlSvmMi(**options).fit(bags, Y)
    stages = np.array(list(learner.staged_decision_function(bags)))
    assert np.array_equal(stages[-1], learner.decision_function(bags))
    assert len(stages) == 3

    n_stages = []
    for label, y in enumerate(Y.T):
        mi_svm = MiSvmInstance(**options).fit(bags, y)
        scores = list(mi_svm.staged_decision_function(bags))
        n_stages.append(len(scores))
        # A label that has ended keeps its scores.
        scores += [scores[-1]] * (3 - len(scores))
        expected = np.array(scores)
        assert stages[:, :, label] == pytest.approx(expected, abs=1e-3)
    assert min(n_stages) < 3


def test_a_line_by_hand():
    """Bag {0, 4} against the instances -1 and 1 of a line, ν = 1.

    The bag's first point is its mean, 2; only the negatives scatter, by 2, so M = 1 + 2 = 3, the
    means differ by 2, and w = 2 · (2/3) / (4/3) = 1, b = -½ · (2 + 0) = -1, at an objective of 3.
    One bag has nothing to share its residual with, so it stays, and that is the end.
    """
    bags = [[[0.0], [4.0]], [[-1.0], [1.0]]]
    chfd = ChFd(kernel="linear").fit(bags, [1, 0])
    assert chfd.weights_ == pytest.approx([1.0])
    assert chfd.intercept_ == pytest.approx(-1.0)
    assert chfd.objective_ == pytest.approx([3.0, 3.0])
    assert chfd.decision_function(bags) == pytest.approx([3.0, 0.0])
    scores = chfd.instance_scores(bags)
    assert scores == pytest.approx([-1.0, 3.0, -2.0, 0.0])


def test_moved_points_are_the_best_of_their_hulls(bags, rng):
    """The values of least spread at the same sum are one common value, as far as hulls reach."""
    w = rng.standard_normal(3)
    points = bags.mean(bags.instances)
    moved = _move(points, bags, w)
    values = moved @ w
    assert values.sum() == pytest.approx((points @ w).sum())

    on_instances = bags.instances @ w
    lowest = -bags.max(-on_instances)
    highest = bags.max(on_instances)
    inside = (values > lowest + 1e-9) & (values < highest - 1e-9)
    assert 1 < inside.sum() < len(bags)
    shared_value = values[inside].mean()
    expected = np.clip(shared_value, lowest, highest)
    assert values == pytest.approx(expected)

    for point, bag in zip(moved, bags, strict=True):
        # Shares of the instances that sum to 1 and make the point.
        sum_of_shares = np.ones(len(bag))
        equations = np.vstack([bag.T, sum_of_shares])
        shares, *_ = np.linalg.lstsq(equations, np.append(point, 1.0))
        assert (shares >= -1e-9).all()
        assert shares @ bag == pytest.approx(point)


def test_discriminant_meets_its_optimality_conditions(rng):
    """M w is parallel to the difference of the means, whose values are 1 and -1."""
    M = np.cov(rng.standard_normal((3, 9)))
    positive_mean, negative_mean = rng.standard_normal((2, 3))
    w, b, value = _fisher(M, positive_mean, negative_mean)
    assert positive_mean @ w + b == pytest.approx(1)
    assert negative_mean @ w + b == pytest.approx(-1)
    assert value == pytest.approx(w @ M @ w)
    difference = positive_mean - negative_mean
    assert M @ w == pytest.approx(value / 2 * difference)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_objective_of_hull_points_never_rises_and_is_that_of_the_definition(kernel, bags, y):
    """||w||² + ν times the squared residuals of hull points and of negative instances."""
    nu = 3.0
    chfd = ChFd(kernel=kernel, nu=nu, rank=None, tol=1e-8)
    chfd.fit(bags, y)
    assert len(chfd.objective_) == chfd.n_alternations_
    assert chfd.n_alternations_ > 2
    assert (np.diff(chfd.objective_) <= 1e-9).all()

    w, b = chfd.weights_, chfd.intercept_
    negatives = chfd.factor_.transform(bags[~y].instances)
    residuals = 1 - (chfd.hull_points_ @ w + b)
    negative_residuals = -1 - (negatives @ w + b)
    assert residuals.sum() == pytest.approx(0.0, abs=1e-8)
    assert negative_residuals.sum() == pytest.approx(0.0, abs=1e-8)
    squares = np.sum(residuals**2) + np.sum(negative_residuals**2)
    expected = w @ w + nu * squares
    assert chfd.objective_[-1] == pytest.approx(expected)


@pytest.mark.filterwarnings("ignore:max_alternations=.* turns ended before the hull")
@pytest.mark.parametrize("max_alternations", [1, 2, 3])
def test_hull_points_are_those_of_the_last_discriminant(max_alternations, bags, y):
    chfd = ChFd(kernel="linear", tol=1e-8, max_alternations=max_alternations).fit(bags, y)
    negatives = chfd.factor_.transform(bags[~y].instances)
    difference = chfd.hull_points_.mean(axis=0) - negatives.mean(axis=0)
    scatters = scatter(chfd.hull_points_) + scatter(negatives)
    direction = np.linalg.solve(np.eye(len(difference)) + scatters, difference)
    cosine = chfd.weights_ @ direction / np.linalg.norm(direction)
    assert cosine == pytest.approx(np.linalg.norm(chfd.weights_))


def scatter(points):
    centred = points - points.mean(axis=0)
    return centred.T @ centred


def test_what_goes_wrong_is_said(bags, y):
    message = "max_alternations=1 turns ended before"
    with pytest.warns(ConvergenceWarning, match=message):
        ChFd(max_alternations=1).fit(bags, y)
    same_means = [[[1.0], [3.0]], [[2.0]]]
    message = "their mean instances are the same"
    with pytest.raises(ValueError, match=message):
        ChFd(kernel="linear").fit(same_means, [1, 0])


def test_class_means_that_differ_by_rounding_alone_are_refused():
    bags = [[[0.1, 0.2]], [[0.3, 0.1]], [[0.7, 0.9]]]
    with pytest.raises(ValueError, match="X must tell the classes apart"):
        ChFd(kernel="linear").fit(bags + bags[::-1], [0] * 3 + [1] * 3)
