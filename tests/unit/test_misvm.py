"""mi-SVM, MI-SVM, mi-SVM for each label of MIML, and CH-FD."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.baselines.misvm import ChFd, MiSvmBag, MiSvmInstance, _fisher, _move
from mimlpaper.kernels import kernel_matrix
from tests import reference


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


def test_labels_and_machine_agree_at_the_end(bags, y):
    """The machine is the best for the labels, and the labels are those that it gives.

    In a positive bag that scores below 0 everywhere, the highest instance is positive.
    """
    fitted = MiSvmInstance(gamma=2.0, C=5.0, rank=None, tol=1e-10).fit(bags, y)
    assert fitted.converged_ and fitted.n_alternations_ > 1
    labels, scores = fitted.instance_labels_, fitted.instance_scores(bags)
    svm = SVC(C=5.0, gamma=2.0, tol=1e-9).fit(bags.instances, labels)
    assert scores == pytest.approx(svm.decision_function(bags.instances), abs=2e-3)
    assert (bags.max(scores)[y] < 0).any()
    for i, positive in enumerate(y):
        own = scores[bags.bag_of_instance == i]
        expected = positive & ((own > 0) | (own == own.max()))
        assert labels[bags.bag_of_instance == i].tolist() == expected.tolist()


@pytest.mark.parametrize("kind", [MiSvmInstance, MiSvmBag])
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
    settings = dict(gamma=3.0, C=2.0, rank=None, max_alternations=1, tol=1e-8)
    fitted = MiSvmBag(**settings).fit(bags, y)
    means, negatives = bags.mean(bags.instances)[y], bags[~y]
    Z = reference.root(kernel_matrix(np.concatenate([means, negatives.instances]), gamma=3.0))
    slacks = np.concatenate([np.arange(len(means)), len(means) + negatives.offsets])
    expected, _ = reference.hinge_minimum(Z, np.arange(len(Z)) < len(means), 2.0, slacks)
    assert fitted.objective_[0] == pytest.approx(expected, rel=1e-5)


def test_each_label_is_its_own_mi_svm(bags, rng):
    """At every stage; a label that has ended keeps its scores."""
    high = bags.max(bags.instances[:, :2]) + 0.1 * rng.standard_normal((30, 2)) > 0.7
    Y = np.column_stack([high, high.all(axis=1)])
    exact = dict(gamma=2.0, rank=None, C=3.0, max_alternations=3, tol=1e-9)
    fitted = MimlSvmMi(**exact).fit(bags, Y)
    stages = np.array(list(fitted.staged_decision_function(bags)))
    assert np.array_equal(stages[-1], fitted.decision_function(bags))
    counts = []
    for label, y in enumerate(Y.T):
        alone = list(MiSvmInstance(**exact).fit(bags, y).staged_decision_function(bags))
        counts.append(len(alone))
        alone += [alone[-1]] * (len(stages) - len(alone))
        assert stages[:, :, label] == pytest.approx(np.array(alone), abs=1e-3)
    assert len(stages) == 3 > min(counts)


def test_a_line_by_hand():
    """Bag {0, 4} against the instances -1 and 1 of a line, ν = 1.

    The bag's first point is its mean, 2; only the negatives scatter, by 2, so M = 1 + 2 = 3, the
    means differ by 2, and w = 2 · (2/3) / (4/3) = 1, b = -½ · (2 + 0) = -1, at an objective of 3.
    One bag has nothing to share its residual with, so it stays, and that is the end.
    """
    bags, y = [[[0.0], [4.0]], [[-1.0], [1.0]]], [1, 0]
    fitted = ChFd(kernel="linear").fit(bags, y)
    assert fitted.weights_ == pytest.approx([1.0]) and fitted.intercept_ == pytest.approx(-1.0)
    assert fitted.objective_ == pytest.approx([3.0, 3.0])
    assert fitted.decision_function(bags) == pytest.approx([3.0, 0.0])
    assert fitted.instance_scores(bags) == pytest.approx([-1.0, 3.0, -2.0, 0.0])


def test_moved_points_are_the_best_of_their_hulls(bags, rng):
    """The values of least spread at the same sum are one common value, as far as hulls reach."""
    w, points = rng.standard_normal(3), bags.mean(bags.instances)
    moved, on_instances = _move(points, bags, w), bags.instances @ w
    values, lowest, highest = moved @ w, -bags.max(-on_instances), bags.max(on_instances)
    inside = (values > lowest + 1e-9) & (values < highest - 1e-9)
    assert values.sum() == pytest.approx((points @ w).sum())
    assert 1 < inside.sum() < len(bags)
    assert values == pytest.approx(np.clip(values[inside].mean(), lowest, highest))
    for point, bag in zip(moved, bags, strict=True):
        found = np.linalg.lstsq(np.vstack([bag.T, np.ones(len(bag))]), np.append(point, 1.0))[0]
        assert (found >= -1e-9).all() and found @ bag == pytest.approx(point)


def test_discriminant_meets_its_optimality_conditions(rng):
    """M w is parallel to the difference of the means, whose values are 1 and -1."""
    M, (mean, negative_mean) = np.cov(rng.standard_normal((3, 9))), rng.standard_normal((2, 3))
    w, b, value = _fisher(M, mean, negative_mean)
    assert [mean @ w + b, negative_mean @ w + b] == pytest.approx([1, -1])
    assert value == pytest.approx(w @ M @ w)
    assert M @ w == pytest.approx(value / 2 * (mean - negative_mean))


def test_objective_of_hull_points_never_rises_and_is_that_of_the_definition(bags, y):
    """||w||² + ν times the squared residuals of hull points and of negative instances."""
    for kernel in ("linear", "rbf", "poly"):
        fitted = ChFd(kernel=kernel, nu=3.0, rank=None, tol=1e-8).fit(bags, y)
        assert len(fitted.objective_) == fitted.n_alternations_ > 2
        assert (np.diff(fitted.objective_) <= 1e-9).all()
        w, b = fitted.weights_, fitted.intercept_
        negatives = fitted.factor_.transform(bags[~y].instances)
        residuals = 1 - fitted.hull_points_ @ w - b, -1 - negatives @ w - b
        assert [r.sum() for r in residuals] == pytest.approx([0.0, 0.0], abs=1e-8)
        expected = w @ w + 3.0 * sum(r @ r for r in residuals)
        assert fitted.objective_[-1] == pytest.approx(expected)


def test_what_goes_wrong_is_said(bags, y):
    with pytest.warns(ConvergenceWarning, match="max_alternations=1 turns, to"):
        ChFd(max_alternations=1).fit(bags, y)
    with pytest.raises(ValueError, match="their mean instances are the same"):
        ChFd(kernel="linear").fit([[[1.0], [3.0]], [[2.0]]], [1, 0])
