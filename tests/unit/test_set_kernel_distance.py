"""The distance of the set kernel, by its sums."""

import numpy as np
import pytest

from mimlpaper import MimlSvm
from mimlpaper.bags import Bags
from mimlpaper.distances import set_kernel_distance


def test_by_the_sums(rng):
    A, B = (Bags.from_list([rng.random((n, 3)) for n in sizes]) for sizes in ([1, 3], [2, 4, 1]))

    def k(a, b):
        return sum(np.exp(-0.7 * ((x - z) ** 2).sum()) for x in a for z in b)

    expected = [[np.sqrt(2 - 2 * k(a, b) / np.sqrt(k(a, a) * k(b, b))) for b in B] for a in A]
    assert set_kernel_distance(A, B, gamma=0.7) == pytest.approx(np.array(expected))
    assert set_kernel_distance(A) == pytest.approx(set_kernel_distance(A, A))
    assert np.diag(set_kernel_distance(A)) == pytest.approx(0, abs=1e-7)


def test_copies_of_an_instance_change_nothing():
    assert set_kernel_distance([[[1.0, 2.0]]], [[[1.0, 2.0]] * 5]) == pytest.approx(0, abs=1e-7)


def test_within_mimlsvm(bags, labels):
    fitted = MimlSvm(metric=set_kernel_distance, random_state=0).fit(bags, labels)
    assert np.isfinite(fitted.decision_function(bags)).all()
