"""Kernels, their factors, and distances between bags: by hand and by their formulas."""

from itertools import product

import numpy as np
import pytest
from sklearn.base import clone

from mimlpaper import MimlNn, MimlSvm, distances, kernels
from mimlpaper.distances import average_hausdorff, max_hausdorff, set_kernel_distance
from mimlpaper.kernels import KernelFactor, LowRankWarning, kernel_matrix
from mimlpaper.sharing import Cache, sharing


def test_kernels_and_widths_by_hand():
    """a = (1, 0), b = (2, 1): <a, b> = 2 and ||a - b||² = 2. Two features of variance 4."""
    A, B = [[1.0, 0.0]], [[2.0, 1.0]]
    assert kernel_matrix(A, B, kernel="linear").item() == 2
    assert kernel_matrix(A, B, kernel="rbf", gamma=0.3).item() == pytest.approx(np.exp(-0.6))
    assert kernel_matrix(A, B, kernel="poly", gamma=3, degree=2, coef0=5).item() == 121
    X = np.array([[0.0, 4.0], [4.0, 0.0]])
    for gamma, width in (0.7, 0.7), ("auto", 1 / 2), ("scale", 1 / 8):
        assert kernels.kernel_width(gamma, X) == width


def test_exact_factor_gives_the_kernel_back(rng):
    X, new = rng.normal(size=(30, 4)), rng.normal(size=(9, 4))
    for kernel in "linear", "rbf", "poly":
        factor = KernelFactor(kernel=kernel, gamma=0.3, tol=0.0, random_state=0)
        phi = factor.fit_transform(X)
        expected = kernel_matrix(X, kernel=kernel, gamma=0.3)
        assert np.allclose(phi @ phi.T, expected, atol=1e-8)
        assert np.allclose(factor.transform(X), phi, atol=1e-6)
        between = kernel_matrix(new, X, kernel=kernel, gamma=0.3)
        assert np.allclose(factor.transform(new) @ phi.T, between, atol=1e-6)
        assert kernel != "linear" or np.array_equal(phi, X)
        with pytest.raises(ValueError, match="NaN"):
            factor.fit(X * np.nan)
    with pytest.raises(ValueError, match=r"kernel must be one of .*got 'cubic'"):
        kernel_matrix(X, kernel="cubic")


def test_pivoted_cholesky_by_hand():
    """K = [[4, 2], [2, 5]]: pivot 0 gives L = [[2, 0], [1, 2]] and leaves 4 of the trace, 9, first.

    Pivot 1 gives the column (2, 5) / √5, which leaves 4 - 4/5 = 3.2.
    """
    K = np.array([[4.0, 2.0], [2.0, 5.0]])

    def column(i):
        return K[i].copy()

    for seed, rank in product(range(9), (1, 2)):
        first = int(np.random.RandomState(seed).random_sample() >= 4.0 / 9.0)  # by its share of K
        L, pivots, left = kernels.pivoted_cholesky(K.diagonal(), column, rank, 0.0, seed)
        assert pivots == [first, 1 - first][:rank]
        assert left == pytest.approx([4.0 / 9.0, 3.2 / 9.0][first] if rank == 1 else 0.0)
        assert pivots != [0, 1] or L == pytest.approx(np.array([[2.0, 0.0], [1.0, 2.0]]))
    L, pivots, left = kernels.complete_cholesky(K, 1e-10)  # the larger pivot first
    assert pivots.tolist() == [1, 0] and left == pytest.approx(0.0)
    assert L == pytest.approx(np.array([[2.0, 4.0], [5.0, 0.0]]) / 5**0.5)
    assert kernels.complete_cholesky(np.ones((3, 3)), 1e-10)[0].shape == (3, 1)


@pytest.mark.filterwarnings("ignore::mimlpaper.kernels.LowRankWarning")
def test_factor_is_shared_and_the_same_but_not_without_a_seed(rng):
    X = rng.normal(size=(40, 3))
    alone = KernelFactor(gamma=0.5, rank=10, random_state=3)
    expected = alone.fit_transform(X)
    with sharing(Cache()) as cache:
        for _ in range(2):
            factor = clone(alone)
            assert np.array_equal(factor.fit_transform(X.copy()), expected)
            assert np.array_equal(factor.transform(X), alone.transform(X))
        assert (cache.n_hits, cache.n_misses) == (1, 1)
        state = np.random.RandomState(0)
        for changes in {"gamma": 0.6}, {"random_state": 4}, *[{"random_state": state}] * 2:
            clone(alone).set_params(**changes).fit(X)
        assert (cache.n_hits, cache.n_misses) == (1, 5)
    seeds = [kernels.integer_seed(np.random.RandomState(0)) for _ in range(2)]
    assert seeds[0] == seeds[1] and kernels.integer_seed(np.int64(7)) == 7


def test_automatic_rank_is_exact_or_leaves_one_percent_and_a_low_rank_warns(rng):
    X = rng.random((2001, 3))
    factor = KernelFactor(gamma=2.0, rank="auto", random_state=0).fit(X)
    exact = [KernelFactor(gamma=2.0, rank="auto", random_state=i).fit(X[:2000]) for i in (0, 1)]
    assert exact[0].error_ < 1e-9 and np.array_equal(exact[0].landmarks_, exact[1].landmarks_)
    one_less = KernelFactor(gamma=2.0, rank=len(factor.landmarks_) - 1, random_state=0).fit(X)
    assert factor.error_ <= 0.01 < one_less.error_
    with pytest.warns(LowRankWarning, match=r"factor of rank 5 leaves 9\d% of its trace"):
        KernelFactor(gamma=1e3, rank=5, random_state=0).fit(X[:200])


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
        bags = [shift + rng.normal(size=(size, n_features)) for size in rng.integers(1, 7, 21)]
        A, B = bags[:12], bags[12:]
        largest, average = max_hausdorff(A, B), average_hausdorff(A, B)
        for (i, a), (j, b) in product(enumerate(A), enumerate(B)):
            apart = np.linalg.norm(a[:, None] - b, axis=2)
            nearest = np.concatenate([apart.min(axis=0), apart.min(axis=1)])
            assert largest[i, j] == pytest.approx(nearest.max(), abs=1e-9)
            assert average[i, j] == pytest.approx(nearest.mean(), abs=1e-9)


@pytest.mark.parametrize("share_of_zeros", [0.0, 0.9])
def test_hausdorff_keeps_the_digits_of_bags_that_nearly_touch(rng, share_of_zeros):
    """A difference of products would lose them all; many zeros make the products sparse."""
    bags = rng.normal(size=(30, 2, 50)) * (rng.random((30, 2, 50)) >= share_of_zeros)
    moved = bags.copy()
    moved[:, :, 0] += 1e-7
    assert np.diag(max_hausdorff(list(bags), list(moved))) == pytest.approx(1e-7, rel=1e-6)
    assert np.diag(average_hausdorff(list(bags), list(moved))) == pytest.approx(1e-7, rel=1e-6)


def test_hausdorff_does_not_depend_on_how_many_bags_are_computed_at_a_time(bags, monkeypatch):
    whole = max_hausdorff(bags), max_hausdorff(bags[:7], bags)
    for n_products in 1, 100, 1000:
        monkeypatch.setattr(distances, "CHUNK", n_products)
        np.testing.assert_allclose(max_hausdorff(bags), whole[0], atol=1e-14)
        np.testing.assert_allclose(max_hausdorff(bags[:7], bags), whole[1], atol=1e-14)


def test_nearest_are_the_first_of_a_stable_sort(rng):
    """With many ties, also at infinity."""
    D = rng.integers(0, 4, size=(50, 12)).astype(float)
    D[:, 5:7] = np.inf
    for k in 0, 1, 5, 12:
        expected = np.argsort(D, axis=1, kind="stable")[:, :k]
        np.testing.assert_array_equal(distances.nearest(D, k), np.sort(expected, axis=1))


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
    errors = {max_hausdorff: 1e-14, average_hausdorff: 1e-14, set_kernel_distance: 1e-7}
    for distance, error in errors.items():
        D = distance(bags)
        for other in distance(bags, bags), D.T, D - np.diag(np.diag(D)):
            assert np.abs(D - other).max() <= error
        with pytest.raises(ValueError, match=r"the same number of features, got \(3, 2\)"):
            distance(bags, [np.ones((2, 2))])
        for learner in MimlNn, MimlSvm:
            medoid_map = learner(metric=distance, random_state=0).fit(bags, labels).medoid_map_
            assert medoid_map.transform(bags) == pytest.approx(distance(bags, medoid_map.medoids_))
