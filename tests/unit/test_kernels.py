"""Kernels, their factors, and distances between bags: by hand and by their formulas."""

import warnings
from itertools import product

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone

from mimlpaper import MimlNn, MimlSvm, distances, kernels
from mimlpaper.distances import (
    average_hausdorff,
    max_hausdorff,
    set_kernel_distance,
)
from mimlpaper.kernels import KernelFactor, LowRankWarning, kernel_matrix
from mimlpaper.sharing import Cache, sharing


class Interrupted:
    """A factor at whose rows somebody presses Ctrl-C."""

    def __getitem__(self, rows):
        raise KeyboardInterrupt


def test_an_interrupt_leaves_the_factor_of_an_earlier_fit(rng, monkeypatch):
    X = rng.random((8, 3))
    factor = KernelFactor().fit(X)
    before = factor.transform(X)
    monkeypatch.setattr(
        kernels,
        "shared",
        lambda *_, **__: (Interrupted(), [0], 0.0),
    )
    with pytest.raises(KeyboardInterrupt):
        factor.fit(X + 5)
    assert np.array_equal(factor.transform(X), before)


def test_kernels_by_hand():
    """a = (1, 0), b = (2, 1): <a, b> = 2 and ||a - b||² = 2."""
    a = [[1.0, 0.0]]
    b = [[2.0, 1.0]]
    linear = kernel_matrix(a, b, kernel="linear")
    assert linear.item() == 2
    rbf = kernel_matrix(a, b, kernel="rbf", gamma=0.3)
    assert rbf.item() == pytest.approx(np.exp(-0.6))
    poly = kernel_matrix(
        a,
        b,
        kernel="poly",
        gamma=3,
        degree=2,
        coef0=5,
    )
    assert poly.item() == 121


@pytest.mark.parametrize(
    ("gamma", "expected"),
    [(0.7, 0.7), ("auto", 1 / 2), ("scale", 1 / 8)],
)
def test_gammas_by_hand(gamma, expected):
    """Two features of variance 4."""
    X = np.array([[0.0, 4.0], [4.0, 0.0]])
    assert kernels.kernel_gamma(gamma, X) == expected


@pytest.mark.parametrize("value", [0.0, 0.7, 0.1, 1e9 / 3])
def test_the_scale_of_equal_values_is_one_whatever_rounding_makes_of_their_mean(value):
    X = np.full((3, 1), value)
    assert kernels.kernel_gamma("scale", X) == 1.0
    assert kernels.kernel_gamma("scale", csr_matrix(X)) == 1.0


def test_an_unknown_kernel_is_refused(rng):
    X = rng.normal(size=(30, 4))
    message = r"kernel must be one of .*got 'cubic'"
    with pytest.raises(ValueError, match=message):
        kernel_matrix(X, kernel="cubic")


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_exact_factor_gives_the_kernel_back(rng, kernel):
    X = rng.normal(size=(30, 4))
    new = rng.normal(size=(9, 4))
    factor = KernelFactor(
        kernel=kernel,
        gamma=0.3,
        tol=0.0,
        random_state=0,
    )
    phi = factor.fit_transform(X)
    expected = kernel_matrix(X, kernel=kernel, gamma=0.3)
    assert np.allclose(phi @ phi.T, expected, atol=1e-8)
    assert np.allclose(factor.transform(X), phi, atol=1e-6)

    between = factor.transform(new) @ phi.T
    expected = kernel_matrix(new, X, kernel=kernel, gamma=0.3)
    assert np.allclose(between, expected, atol=1e-6)
    # The linear kernel needs no other features.
    if kernel == "linear":
        assert np.array_equal(phi, X)
    with pytest.raises(ValueError, match="NaN"):
        factor.fit(X * np.nan)


HAND_K = np.array([[4.0, 2.0], [2.0, 5.0]])


@pytest.mark.parametrize("seed", range(9))
def test_randomly_pivoted_cholesky_by_hand(seed):
    """K = [[4, 2], [2, 5]]: pivot 0 gives L = [[2, 0], [1, 2]] and leaves 4 of the trace, 9, first.

    Pivot 1 gives the column (2, 5) / √5, which leaves 4 - 4/5 = 3.2.
    """

    def factorise(rank):
        return kernels.randomly_pivoted_cholesky(
            HAND_K.diagonal(),
            lambda i: HAND_K[i].copy(),
            rank,
            0.0,
            seed,
        )

    # A pivot is drawn by its share of the trace.
    draw = np.random.RandomState(seed).random_sample()
    begins_with_0 = draw < 4.0 / 9.0

    _, pivots, left = factorise(rank=1)
    assert pivots == ([0] if begins_with_0 else [1])
    expected = 4.0 if begins_with_0 else 3.2
    assert left == pytest.approx(expected / 9.0)

    L, pivots, left = factorise(rank=2)
    assert pivots == ([0, 1] if begins_with_0 else [1, 0])
    assert left == pytest.approx(0.0)
    if begins_with_0:
        assert L == pytest.approx(np.array([[2.0, 0.0], [1.0, 2.0]]))


def test_a_pivot_that_rounding_makes_negative_is_left_out():
    """The second row is the first; of its own entry, a little less than 1, nothing is left."""
    K = np.array([[1.0, 1.0, 0.0], [1.0, 1.0 - 1e-15, 0.0], [0.0, 0.0, 1.0]])
    for seed in range(20):
        L, pivots, _ = kernels.randomly_pivoted_cholesky(
            np.ones(3) + 1e-12,
            lambda i: K[i].copy(),
            3,
            0.0,
            seed,
        )
        assert np.isfinite(L).all()
        assert L.shape == (3, len(pivots))
        assert np.allclose(L @ L.T, K)


def test_completely_pivoted_cholesky_takes_the_larger_pivot_first():
    L, pivots, left = kernels.completely_pivoted_cholesky(HAND_K, 1e-10)
    assert pivots.tolist() == [1, 0]
    assert left == pytest.approx(0.0)
    expected = np.array([[2.0, 4.0], [5.0, 0.0]]) / 5**0.5
    assert L == pytest.approx(expected)

    of_rank_one, *_ = kernels.completely_pivoted_cholesky(np.ones((3, 3)), 1e-10)
    assert of_rank_one.shape == (3, 1)


@pytest.mark.filterwarnings("ignore::mimlpaper.kernels.LowRankWarning")
def test_factor_is_shared_and_the_same_but_not_without_a_seed(rng):
    X = rng.normal(size=(40, 3))
    without_sharing = KernelFactor(gamma=0.5, rank=10, random_state=3)
    expected = without_sharing.fit_transform(X)
    with sharing(Cache()) as cache:
        for _ in range(2):
            factor = clone(without_sharing)
            features = factor.fit_transform(X.copy())
            assert np.array_equal(features, expected)
            of_new = without_sharing.transform(X)
            assert np.array_equal(factor.transform(X), of_new)
        assert cache.n_hits == 1
        assert cache.n_misses == 1

        clone(factor).set_params(gamma=0.6).fit(X)
        clone(factor).set_params(random_state=4).fit(X)
        # Each fit draws another seed from the same generator.
        generator = np.random.RandomState(0)
        clone(factor).set_params(random_state=generator).fit(X)
        clone(factor).set_params(random_state=generator).fit(X)
        assert cache.n_hits == 1
        assert cache.n_misses == 5


def test_a_seed_is_an_integer_and_equal_generators_give_equal_seeds():
    seed = kernels.integer_seed(np.random.RandomState(0))
    equal = kernels.integer_seed(np.random.RandomState(0))
    assert seed == equal
    assert kernels.integer_seed(np.int64(7)) == 7


def test_automatic_rank_is_exact_or_leaves_one_percent_and_a_low_rank_warns(rng, monkeypatch):
    # Up to 200 rows here the factor is exact.
    monkeypatch.setattr(kernels, "MOST_EXACT", 200)
    X = rng.random((201, 3))

    def fit(rows, seed=0, rank="auto", gamma=2.0):
        factor = KernelFactor(gamma=gamma, rank=rank, random_state=seed)
        return factor.fit(rows)

    exact = fit(X[:200])
    assert exact.error_ < 1e-9
    by_another_seed = fit(X[:200], seed=1)
    assert np.array_equal(exact.landmarks_, by_another_seed.landmarks_)

    factor = fit(X)
    smaller = fit(X, rank=len(factor.landmarks_) - 1)
    assert factor.error_ <= 0.01
    assert smaller.error_ > 0.01

    message = r"factor of rank 5 leaves 9\d% of its trace"
    with pytest.warns(LowRankWarning, match=message):
        fit(X[:200], gamma=1e3, rank=5)


def test_two_bags_by_hand():
    """From A = {0, 1} to B = {0, 4} it is 1 at most, from B to A 3 at most.

    On average: 0 and 4 are 1 and 3 from 1, which is 1 from 0, so that (1 + 3 + 1) / 3.
    """
    A = [[[0.0], [1.0]]]
    B = [[[0.0], [4.0]]]
    assert max_hausdorff(A, B).tolist() == [[3.0]]
    assert max_hausdorff(B, A).tolist() == [[3.0]]
    average = average_hausdorff(B, [[[1.0]]])
    assert average == pytest.approx(5 / 3)


@pytest.mark.parametrize(
    ("n_features", "shift"),
    # The second case is far from the origin.
    [(1, 0.0), (5, 2.0**20), (40, 0.0)],
)
def test_hausdorff_agrees_with_the_slow_form(rng, n_features, shift):
    sizes = rng.integers(1, 7, 21)
    bags = [shift + rng.normal(size=(size, n_features)) for size in sizes]
    A, B = bags[:12], bags[12:]
    largest = max_hausdorff(A, B)
    average = average_hausdorff(A, B)
    for (i, a), (j, b) in product(enumerate(A), enumerate(B)):
        apart = np.linalg.norm(a[:, None] - b, axis=2)
        nearest = np.concatenate([apart.min(axis=0), apart.min(axis=1)])
        assert largest[i, j] == pytest.approx(nearest.max(), abs=1e-9)
        assert average[i, j] == pytest.approx(nearest.mean(), abs=1e-9)


# Many zeros make the products sparse.
@pytest.mark.parametrize("share_of_zeros", [0.0, 0.9])
@pytest.mark.parametrize("distance", [max_hausdorff, average_hausdorff])
def test_hausdorff_keeps_the_digits_of_bags_that_nearly_touch(rng, share_of_zeros, distance):
    """A difference of products would lose them all."""
    kept = rng.random((30, 2, 50)) >= share_of_zeros
    bags = rng.normal(size=(30, 2, 50)) * kept
    moved = bags.copy()
    moved[:, :, 0] += 1e-7
    D = distance(list(bags), list(moved))
    assert np.diag(D) == pytest.approx(1e-7, rel=1e-6)


@pytest.mark.parametrize("n_products", [1, 100, 1000])
def test_hausdorff_does_not_depend_on_how_many_bags_are_computed_at_a_time(
    bags, monkeypatch, n_products
):
    of_all = max_hausdorff(bags)
    of_some = max_hausdorff(bags[:7], bags)
    monkeypatch.setattr(distances, "CHUNK", n_products)
    np.testing.assert_allclose(max_hausdorff(bags), of_all, atol=1e-14)
    in_chunks = max_hausdorff(bags[:7], bags)
    np.testing.assert_allclose(in_chunks, of_some, atol=1e-14)


@pytest.mark.parametrize("k", [0, 1, 5, 12])
def test_nearest_are_the_first_of_a_stable_sort(rng, k):
    """With many ties, also at infinity."""
    D = rng.integers(0, 4, size=(50, 12)).astype(float)
    D[:, 5:7] = np.inf
    in_order = np.argsort(D, axis=1, kind="stable")
    expected = np.sort(in_order[:, :k], axis=1)
    np.testing.assert_array_equal(distances.nearest(D, k), expected)


def test_set_kernel_by_the_sums(bags):
    def k(a, b):
        return sum(np.exp(-0.7 * ((x - z) ** 2).sum()) for x in a for z in b)

    A, B = bags[:3], bags[3:7]
    D = set_kernel_distance(A, B, gamma=0.7)
    for (i, a), (j, b) in product(enumerate(A), enumerate(B)):
        cosine = k(a, b) / np.sqrt(k(a, a) * k(b, b))
        assert D[i, j] == pytest.approx(np.sqrt(2 - 2 * cosine))


@pytest.mark.parametrize("rank", [None, 2])
def test_a_kernel_that_is_zero_throughout_is_refused(rank):
    factor = KernelFactor(kernel="poly", coef0=0.0, rank=rank, random_state=0)
    with pytest.raises(
        ValueError, match="X must have a row whose kernel with itself is not 0"
    ):
        factor.fit(np.zeros((4, 2)))


def test_set_kernel_of_copies_of_an_instance_is_zero():
    x = [1.0, 2.0]
    D = set_kernel_distance([[x]], [[x] * 5])
    assert D == pytest.approx(0, abs=1e-7)


@pytest.mark.parametrize(
    ("distance", "error"),
    [
        (max_hausdorff, 1e-14),
        (average_hausdorff, 1e-14),
        # A root of rounding errors.
        (set_kernel_distance, 1e-7),
    ],
)
def test_symmetric_and_zero_for_equal_bags(bags, distance, error):
    D = distance(bags)
    assert np.abs(D - distance(bags, bags)).max() <= error
    assert np.abs(D - D.T).max() <= error
    assert np.abs(np.diag(D)).max() <= error
    message = r"the same number of features, got \(3, 2\)"
    with pytest.raises(ValueError, match=message):
        distance(bags, [np.ones((2, 2))])


@pytest.mark.parametrize("kind", [MimlNn, MimlSvm])
@pytest.mark.parametrize(
    "distance",
    [max_hausdorff, average_hausdorff, set_kernel_distance],
)
def test_learners_take_distances_as_metrics(bags, labels, kind, distance):
    learner = kind(metric=distance, random_state=0)
    medoid_map = learner.fit(bags, labels).medoid_map_
    features = medoid_map.transform(bags)
    expected = distance(bags, medoid_map.medoids_)
    assert features == pytest.approx(expected)


@pytest.mark.parametrize(
    "setting",
    [
        {"kernel": "poly", "coef0": -1.0},
        {"kernel": "poly", "degree": 0},
        {"kernel": "poly", "degree": 1.5},
        {"gamma": -1.0},
        {"gamma": np.inf},
        {"tol": -1.0},
    ],
    ids=str,
)
def test_a_factor_of_what_is_no_kernel_is_refused(rng, setting):
    (name,) = setting.keys() - {"kernel"}
    message = f"{name} must be .* of at least [01], got {setting[name]}"
    with pytest.raises(ValueError, match=message):
        KernelFactor(**setting).fit(rng.random((4, 2)))


def test_a_factor_whose_warning_is_an_error_keeps_nothing(rng):
    factor = KernelFactor(gamma=100.0, rank=2)
    with pytest.raises(LowRankWarning), warnings.catch_warnings():
        warnings.simplefilter("error")
        factor.fit(rng.random((20, 3)))
    assert not hasattr(factor, "landmarks_")


def test_a_factor_with_a_word_in_place_of_a_number_is_refused():
    with pytest.raises(
        ValueError, match="gamma must be a finite number of at least 0, got 'scale'"
    ):
        KernelFactor(gamma="scale").fit(np.eye(2))
