"""Kernels and their factors, by hand and against the whole matrix."""

import numpy as np
import pytest
from sklearn.base import clone

from mimlpaper import kernels
from mimlpaper.kernels import KernelFactor, LowRankWarning, kernel_matrix
from mimlpaper.sharing import Cache, sharing


def test_kernels_by_hand():
    """a = (1, 0), b = (2, 1): <a, b> = 2 and ||a - b||² = 2."""
    A, B = [[1.0, 0.0]], [[2.0, 1.0]]
    assert kernel_matrix(A, B, kernel="linear").item() == 2
    assert kernel_matrix(A, B, kernel="rbf", gamma=0.3).item() == pytest.approx(np.exp(-0.6))
    assert kernel_matrix(A, B, kernel="poly", gamma=3, degree=2, coef0=5).item() == 121


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


def test_widths():
    X = np.array([[0.0, 4.0], [4.0, 0.0]])
    assert [kernels.kernel_width(gamma, X) for gamma in (0.7, "auto", "scale")] == [
        0.7,
        1 / 2,
        1 / 8,
    ]
    for gamma in (0, -1.0, "wide", np.nan):
        with pytest.raises(ValueError, match="gamma must be positive"):
            kernels.kernel_width(gamma, X)


def test_what_cannot_be_is_refused():
    X = np.ones((2, 2))
    for call, message in (
        (lambda: kernel_matrix(X, kernel="cubic"), r"kernel must be one of .*got 'cubic'"),
        (lambda: KernelFactor(kernel="cubic").fit(X), r"kernel must be one of .*got 'cubic'"),
        (lambda: KernelFactor(rank=0).fit(X), r"rank must be None, .auto. or at least 1, got 0"),
        (lambda: KernelFactor().fit(X * np.nan), "NaN"),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_pivoted_cholesky_by_hand():
    """K = [[4, 2], [2, 5]]: pivot 0 gives L = [[2, 0], [1, 2]] and leaves 4 of the trace, 9, first.

    Pivot 1 gives the column (2, 5) / √5, which leaves 4 - 4/5 = 3.2.
    """
    K = np.array([[4.0, 2.0], [2.0, 5.0]])
    for seed in range(9):
        first = int(np.random.RandomState(seed).random_sample() >= 4.0 / 9.0)  # by its share of K
        _, pivots, left = kernels.pivoted_cholesky(
            K.diagonal(), lambda i: K[i].copy(), 1, 0.0, seed
        )
        assert pivots == [first] and left == pytest.approx([4.0 / 9.0, 3.2 / 9.0][first])
        L, pivots, left = kernels.pivoted_cholesky(
            K.diagonal(), lambda i: K[i].copy(), 2, 0.0, seed
        )
        assert pivots == [first, 1 - first] and left == pytest.approx(0.0)
        assert pivots == [1, 0] or L == pytest.approx(np.array([[2.0, 0.0], [1.0, 2.0]]))
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
    assert kernels.integer_seed(7) == 7 and kernels.integer_seed(np.int64(7)) == 7
    assert kernels.integer_seed(np.random.RandomState(0)) == kernels.integer_seed(
        np.random.RandomState(0)
    )


def test_automatic_rank_is_exact_or_leaves_one_percent_and_a_low_rank_warns(rng):
    X = rng.random((2001, 3))
    factor = KernelFactor(gamma=2.0, rank="auto", random_state=0).fit(X)
    exact = [KernelFactor(gamma=2.0, rank="auto", random_state=i).fit(X[:2000]) for i in (0, 1)]
    assert exact[0].error_ < 1e-9 and np.array_equal(exact[0].landmarks_, exact[1].landmarks_)
    one_less = KernelFactor(gamma=2.0, rank=len(factor.landmarks_) - 1, random_state=0).fit(X)
    assert factor.error_ <= 0.01 < one_less.error_
    with pytest.warns(LowRankWarning, match=r"factor of rank 5 leaves 9\d% of its trace"):
        KernelFactor(gamma=1e3, rank=5, random_state=0).fit(X[:200])
