"""Combinations of few points against the same rows laid out, and learners on both."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics.pairwise import euclidean_distances

from mimlpaper import Bags, DMimlSvm, MimlBoost, MimlNn, MimlSvmMi, NoisyOr, OnInstances
from mimlpaper import combinations as rows_of
from mimlpaper.combinations import TranslatedBags, differences
from mimlpaper.distances import average_hausdorff, max_hausdorff
from mimlpaper.kernels import KernelFactor, kernel_gamma
from mimlpaper.sharing import Cache, sharing


@pytest.fixture
def translated(rng):
    """Thirty bags of four translated vectors, of three features."""
    vectors = rng.normal(size=(30, 3))
    translations = rng.normal(size=(4, 3))
    return TranslatedBags.of(vectors, translations)


@pytest.fixture
def laid_out(translated):
    """The same bags with all their instances in memory."""
    return Bags(translated.instances, translated.offsets)


def test_differences_by_hand():
    """Of 5 and 7 from 1 and 2: 4, 3 and 6, 5, example by example."""
    points = np.array([[5.0], [7.0]])
    origins = np.array([[1.0], [2.0]])
    rows = differences(points, origins)
    assert np.asarray(rows).ravel().tolist() == [4, 3, 6, 5]
    assert rows[[3, 0]].ravel().tolist() == [5, 4]
    assert (rows.T @ np.ones(4)).tolist() == [18]
    assert rows.gram().tolist() == [[86]]
    assert rows.squares.tolist() == [16, 9, 36, 25]


@pytest.mark.parametrize(
    "chosen",
    [slice(None), slice(7, 90), np.arange(0, 120, 7)],
)
def test_products_are_those_of_the_rows_laid_out(translated, rng, chosen):
    factors = rng.normal(size=120)
    rows = translated.rows.scaled(factors).take(chosen)
    dense = (translated.instances * factors[:, None])[chosen]
    W = rng.normal(size=(3, 5))
    U = rng.normal(size=(len(dense), 2))
    assert_allclose(np.asarray(rows), dense, atol=1e-14)
    assert_allclose(rows @ W, dense @ W, atol=1e-12)
    w = W[:, 0]
    assert_allclose(rows @ w, dense @ w, atol=1e-12)
    assert_allclose(rows.T @ U, dense.T @ U, atol=1e-12)
    assert_allclose(U.T @ rows, U.T @ dense, atol=1e-12)
    mapped = np.asarray(rows.mapped(W))
    assert_allclose(mapped, dense @ W, atol=1e-12)


@pytest.mark.parametrize(
    "summary",
    [
        rows_of.gram,
        rows_of.products,
        rows_of.square_lengths,
        rows_of.unit_rows,
    ],
)
def test_sums_over_rows_are_those_of_the_rows_laid_out(translated, summary):
    all_rows = translated.rows
    with_ones = translated.rows.with_ones()
    three_rows = translated.rows.take([3, 5, 60])
    for rows in all_rows, with_ones, three_rows:
        expected = summary(np.asarray(rows))
        values = np.asarray(summary(rows))
        assert_allclose(values, expected, atol=1e-12)


def test_translated_bags_are_bags(translated, laid_out):
    assert len(translated) == 30
    assert translated.n_instances == 120
    assert translated.n_features == 3
    assert not translated.missing.any()
    sums = translated.instance_sums
    assert_allclose(sums, laid_out.instance_sums, atol=1e-13)
    two_bags = translated[3:5].instances
    assert_array_equal(two_bags, laid_out[3:5].instances)
    assert_array_equal(translated[3], laid_out[3])


def test_translated_bags_survive_pickling(translated):
    copy = pickle.loads(pickle.dumps(translated))
    assert_array_equal(copy.instances, translated.instances)


def test_the_hash_does_not_change_with_what_has_been_computed(translated):
    before = translated.digest
    rows = translated.rows
    # These are kept by the bags once they have been computed.
    _ = translated.instances, rows.squares, rows.products()
    assert translated.digest == before
    doubled = rows.scaled(np.full(120, 2.0))
    assert translated.with_rows(doubled).digest != before


def test_distances_of_translated_bags(translated, laid_out):
    """The maximal one is that of the vectors, since equal translations cancel."""
    vectors = translated.rows.points.rows[:30]
    expected = euclidean_distances(vectors)
    assert_allclose(max_hausdorff(translated), expected, atol=1e-7)

    distances = average_hausdorff(translated)
    expected = average_hausdorff(laid_out)
    assert_allclose(distances, expected, atol=1e-13)

    some_bags = translated[:7]
    distances = average_hausdorff(translated, some_bags)
    expected = average_hausdorff(laid_out, some_bags)
    assert_allclose(distances, expected, atol=1e-13)


def test_widths_of_kernels(translated, laid_out):
    width = kernel_gamma("scale", translated.rows)
    expected = kernel_gamma("scale", laid_out.rows)
    assert width == pytest.approx(expected)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("rank", [10, None])
def test_factors_of_kernels(translated, laid_out, kernel, rank):
    of_rows = KernelFactor(
        kernel=kernel,
        gamma=0.3,
        rank=rank,
        random_state=0,
    )
    of_array = clone(of_rows)
    features = np.asarray(of_rows.fit_transform(translated.rows))
    expected = of_array.fit_transform(laid_out.rows)
    assert_allclose(features, expected, atol=1e-7)

    nine_rows = translated.rows.take(slice(9))
    new_features = np.asarray(of_rows.transform(nine_rows))
    expected = of_array.transform(laid_out.rows[:9])
    assert_allclose(new_features, expected, atol=1e-7)

    on_instances = OnInstances(of_array).fit(translated)
    bags = on_instances.transform(translated)
    assert_allclose(bags.instances, features, atol=1e-7)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize(
    "learner",
    [
        MimlSvmMi(),
        MimlBoost(n_rounds=5, tol=1e-6),
        DMimlSvm(),
        DMimlSvm(set_kernel="mean", mu=0.5),
        NoisyOr(),
        MimlNn(metric=average_hausdorff),
    ],
    ids=["mi-SVM", "boost", "unit sets", "mean sets", "noisy-or", "average distances"],
)
def test_learners_learn_the_same(translated, laid_out, rng, learner, kernel):
    if "kernel" in learner.get_params():
        learner.set_params(kernel=kernel)
    learner.set_params(random_state=0)
    Y = rng.random((30, 2)) < 0.5
    scores = learner.fit(translated, Y).decision_function(translated)
    expected = learner.fit(laid_out, Y).decision_function(laid_out)
    assert_allclose(scores, expected, atol=1e-7)


def test_equal_bags_share_their_fits(rng):
    vectors = rng.normal(size=(20, 3))
    translations = rng.normal(size=(2, 3))
    Y = rng.random((20, 2)) < 0.5
    learner = DMimlSvm(kernel="linear", random_state=0)
    with sharing(Cache()) as cache:
        clone(learner).fit(TranslatedBags.of(vectors, translations), Y)
        # Bags that are equal, but made again.
        clone(learner).fit(TranslatedBags.of(vectors, translations), Y)
    assert cache.n_hits == cache.n_misses
