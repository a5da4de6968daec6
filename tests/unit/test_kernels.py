import numpy as np
import pytest
from sklearn.base import clone

from mimlpaper.kernels import (
    KernelFactor,
    LowRankWarning,
    integer_seed,
    kernel_matrix,
    kernel_width,
    pivoted_cholesky,
)
from mimlpaper.sharing import Cache, sharing


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_exact_factor_gives_the_kernel_back(rng, kernel):
    X, new = rng.normal(size=(30, 4)), rng.normal(size=(9, 4))
    factor = KernelFactor(kernel=kernel, gamma=0.3, tol=0.0, random_state=0)
    phi = factor.fit_transform(X)
    expected = kernel_matrix(X, kernel=kernel, gamma=0.3)
    assert np.allclose(phi @ phi.T, expected, atol=1e-8)
    assert np.allclose(factor.transform(X), phi, atol=1e-6)
    between = kernel_matrix(new, X, kernel=kernel, gamma=0.3)
    assert np.allclose(factor.transform(new) @ phi.T, between, atol=1e-6)


def test_stated_error_is_the_share_of_the_trace_that_is_missing(rng):
    X = rng.normal(size=(80, 3))
    factor = KernelFactor(gamma=1.0, rank=20, random_state=0)
    phi = factor.fit_transform(X)
    assert phi.shape == (80, 20)
    left = np.ones(80) - (phi**2).sum(axis=1)
    assert factor.error_ == pytest.approx(left.sum() / 80)
    assert (left > -1e-12).all()


def test_more_landmarks_leave_less(rng):
    X = rng.normal(size=(100, 3))
    errors = [KernelFactor(rank=r, random_state=0).fit(X).error_ for r in (5, 20, 60)]
    assert errors[0] > errors[1] > errors[2]


def test_duplicates_do_not_break_the_factor():
    X = np.repeat([[0.0, 1.0], [2.0, 3.0]], 5, axis=0)
    factor = KernelFactor(random_state=0).fit(X)
    assert len(factor.landmarks_) == 2
    assert factor.error_ == pytest.approx(0)


def test_linear_factor_is_the_data(rng):
    X = rng.normal(size=(10, 3))
    assert np.array_equal(KernelFactor(kernel="linear").fit_transform(X), X)


def test_widths():
    X = np.array([[0.0, 2.0], [2.0, 0.0]])
    assert kernel_width(0.7, X) == 0.7
    assert kernel_width("auto", X) == 1 / 2
    assert kernel_width("scale", X) == 1 / (2 * 1.0)


@pytest.mark.parametrize("gamma", [0, -1.0, "wide", np.nan])
def test_bad_widths_are_refused(gamma):
    with pytest.raises(ValueError, match="gamma must be positive"):
        kernel_width(gamma, np.ones((2, 2)))


def test_unknown_kernel_and_bad_rank_are_refused():
    with pytest.raises(ValueError, match=r"kernel must be one of .*got 'cubic'"):
        kernel_matrix(np.ones((2, 2)), kernel="cubic")
    with pytest.raises(ValueError, match=r"kernel must be one of .*got 'cubic'"):
        KernelFactor(kernel="cubic").fit(np.ones((2, 2)))
    with pytest.raises(ValueError, match=r"rank must be None, .auto. or at least 1, got 0"):
        KernelFactor(rank=0).fit(np.ones((2, 2)))
    with pytest.raises(ValueError, match="NaN"):
        KernelFactor().fit([[np.nan]])


def test_pivoted_cholesky_by_hand():
    """K = [[4, 2], [2, 5]]: pivot 0 gives L = [[2, 0], [1, 2]] and leaves 4 of the trace, 9, first.

    Pivot 1 gives the column (2, 5) / √5, which leaves 4 - 4/5 = 3.2.
    """
    K = np.array([[4.0, 2.0], [2.0, 5.0]])
    seen = {}
    for seed in range(9):
        _, pivots, left = pivoted_cholesky(K.diagonal(), lambda i: K[i].copy(), 1, 0.0, seed)
        seen[pivots[0]] = left
    assert seen == pytest.approx({0: 4.0 / 9.0, 1: 3.2 / 9.0})
    seed = next(s for s in range(9) if np.random.RandomState(s).random_sample() < 4.0 / 9.0)
    L, pivots, left = pivoted_cholesky(K.diagonal(), lambda i: K[i].copy(), None, 0.0, seed)
    assert pivots == [0, 1] and left == pytest.approx(0.0)
    assert L == pytest.approx(np.array([[2.0, 0.0], [1.0, 2.0]]))


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_factor_is_shared_and_the_same(rng, kernel):
    X = rng.normal(size=(40, 3))
    alone = KernelFactor(kernel=kernel, gamma=0.5, rank=10, random_state=3)
    expected = alone.fit_transform(X)
    with sharing(Cache()) as cache:
        for _ in range(2):
            factor = clone(alone)
            assert np.array_equal(factor.fit_transform(X.copy()), expected)
            assert np.array_equal(factor.transform(X), alone.transform(X))
        assert (cache.n_hits, cache.n_misses) == (1, 1)
        clone(alone).set_params(gamma=0.6).fit(X)
        clone(alone).set_params(random_state=4).fit(X)
        assert cache.n_misses == 3


def test_draws_without_a_seed_differ_and_are_not_shared(rng):
    X = rng.normal(size=(200, 3))
    state = np.random.RandomState(0)
    with sharing(Cache()) as cache:
        first, second = (KernelFactor(rank=5, random_state=state).fit(X) for _ in range(2))
        assert not np.array_equal(first.landmarks_, second.landmarks_)
        assert cache.n_hits == 0
    assert integer_seed(7) == 7 and integer_seed(np.int64(7)) == 7
    assert integer_seed(np.random.RandomState(0)) == integer_seed(np.random.RandomState(0))


def test_automatic_rank_leaves_one_percent(rng):
    X = rng.random((200, 3))
    factor = KernelFactor(gamma=2.0, rank="auto", random_state=0).fit(X)
    r = len(factor.landmarks_)
    one_less = KernelFactor(gamma=2.0, rank=r - 1, random_state=0).fit(X)
    assert factor.error_ <= 0.01 < one_less.error_
    assert len(KernelFactor(gamma=1e3, rank="auto", random_state=0).fit(X).landmarks_) <= 1000


def test_a_factor_that_drops_much_of_the_kernel_warns(rng):
    X = rng.random((200, 3))
    with pytest.warns(LowRankWarning, match=r"factor of rank 5 leaves 9\d% of its trace"):
        KernelFactor(gamma=1e3, rank=5, random_state=0).fit(X)
