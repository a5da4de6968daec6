"""Distances between bags, by hand and by their formulas."""

import numpy as np
import pytest

from mimlpaper import MimlNn, MimlSvm
from mimlpaper.distances import average_hausdorff, max_hausdorff, set_kernel_distance
from tests import reference


def test_two_bags_by_hand():
    """From A = {0, 1} to B = {0, 4} it is 1 at most, from B to A 3 at most.

    On average: 0 and 4 are 1 and 3 from 1, which is 1 from 0, so that (1 + 3 + 1) / 3.
    """
    A, B = [[[0.0], [1.0]]], [[[0.0], [4.0]]]
    assert max_hausdorff(A, B).tolist() == max_hausdorff(B, A).tolist() == [[3.0]]
    assert average_hausdorff(B, [[[1.0]]]) == pytest.approx(5 / 3)


def test_hausdorff_agrees_with_the_slow_form(rng):
    """Far from the origin as well."""
    for n_features, shift in (1, 0.0), (5, 2.0**20), (40, 0.0):
        sizes = rng.integers(1, 7, 21)
        A = [shift + rng.normal(size=(size, n_features)) for size in sizes]
        expected = reference.max_hausdorff(A[:12], A[12:])
        assert np.abs(max_hausdorff(A[:12], A[12:]) - expected).max() < 1e-9


def test_average_hausdorff_agrees_with_the_slow_form(bags):
    found = average_hausdorff(bags[:10], bags[10:])
    for i, a in enumerate(bags[:10]):
        for j, b in enumerate(bags[10:]):
            apart = np.linalg.norm(a[:, None] - b, axis=2)
            nearest = np.concatenate([apart.min(axis=0), apart.min(axis=1)])
            assert found[i, j] == pytest.approx(nearest.mean(), abs=1e-7)


def test_set_kernel_by_the_sums(bags):
    A, B = bags[:3], bags[3:7]

    def k(a, b):
        return sum(np.exp(-0.7 * ((x - z) ** 2).sum()) for x in a for z in b)

    expected = [[np.sqrt(2 - 2 * k(a, b) / np.sqrt(k(a, a) * k(b, b))) for b in B] for a in A]
    assert set_kernel_distance(A, B, gamma=0.7) == pytest.approx(np.array(expected))
    copies = set_kernel_distance([[[1.0, 2.0]]], [[[1.0, 2.0]] * 5])
    assert copies == pytest.approx(0, abs=1e-7)


def test_symmetric_and_zero_for_equal_bags(bags, labels):
    """And learners take them as metrics."""
    for distance in max_hausdorff, average_hausdorff, set_kernel_distance:
        D, error = distance(bags), 0 if distance is max_hausdorff else 1e-7
        for other in distance(bags, bags), D.T, D - np.diag(np.diag(D)):
            assert np.abs(D - other).max() <= error
        with pytest.raises(ValueError, match=r"the same number of features, got \(3, 2\)"):
            distance(bags, [np.ones((2, 2))])
        for learner in MimlNn, MimlSvm:
            medoid_map = learner(metric=distance, random_state=0).fit(bags, labels).medoid_map_
            assert medoid_map.transform(bags) == pytest.approx(distance(bags, medoid_map.medoids_))
