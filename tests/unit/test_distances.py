import numpy as np
import pytest

from mimlpaper.bags import Bags
from mimlpaper.distances import BLOCK, max_hausdorff
from tests import reference


def test_two_bags_by_hand():
    """A = {0, 1}, B = {0, 4}: from A at most 1, from B at most 3."""
    A, B = [np.array([[0.0], [1.0]])], [np.array([[0.0], [4.0]])]
    assert max_hausdorff(A, B).tolist() == [[3.0]]
    assert max_hausdorff(B, A).tolist() == [[3.0]]


@pytest.mark.parametrize("n_features", [1, 5, 40])
def test_agrees_with_the_slow_form(rng, n_features):
    A = Bags.from_list([rng.normal(size=(n, n_features)) for n in rng.integers(1, 7, 12)])
    B = Bags.from_list([rng.normal(size=(n, n_features)) for n in rng.integers(1, 7, 9)])
    assert np.abs(max_hausdorff(A, B) - reference.max_hausdorff(A, B)).max() < 1e-9
    assert np.abs(max_hausdorff(A) - reference.max_hausdorff(A, A)).max() < 1e-9


def test_blocks_change_nothing(rng):
    """More instances than a block holds, and one bag larger than a block."""
    sizes = [*rng.integers(1, 60, 30), BLOCK + 10]
    bags = Bags.from_list([rng.normal(size=(n, 2)) for n in sizes])
    alone = max_hausdorff(bags)
    assert np.array_equal(alone, max_hausdorff(bags, bags))
    assert np.array_equal(alone[:, 28:], max_hausdorff(bags, bags[28:]))


def test_is_a_metric(bags):
    D = max_hausdorff(bags)
    assert (np.diag(D) == 0).all()
    assert np.array_equal(D, D.T)
    assert (D[:, None, :] <= D[:, :, None] + D[None, :, :] + 1e-12).all()


def test_far_from_the_origin_no_accuracy_is_lost(rng):
    near = [rng.random((3, 4)) for _ in range(5)]
    far = [bag + 2.0**20 for bag in near]
    exact = reference.max_hausdorff(near, near)
    assert np.abs(max_hausdorff(far) - exact).max() < 1e-9


def test_features_must_agree():
    with pytest.raises(ValueError, match="got 1 and 2"):
        max_hausdorff([[[0.0]]], [[[0.0, 1.0]]])
