"""Combinations of few points against the same rows laid out, and learners on both."""

import pickle

import numpy as np
import pytest
from sklearn.metrics.pairwise import euclidean_distances

from mimlpaper import Bags, DMimlSvm, MimlBoost, MimlNn, MimlSvmMi, NoisyOr, OnInstances
from mimlpaper import combinations as rows_of
from mimlpaper.combinations import TranslatedBags, differences
from mimlpaper.distances import average_hausdorff, max_hausdorff
from mimlpaper.kernels import KernelFactor, kernel_width
from mimlpaper.sharing import Cache, sharing


@pytest.fixture
def translated(rng):
    """Thirty bags of four translated vectors, of three features."""
    return TranslatedBags.of(rng.normal(size=(30, 3)), rng.normal(size=(4, 3)))


def laid_out(bags):
    return Bags(bags.instances, bags.offsets)


def test_differences_by_hand():
    """Of 5 and 7 from 1 and 2: 4, 3 and 6, 5, example by example."""
    rows = differences(np.array([[5.0], [7.0]]), np.array([[1.0], [2.0]]))
    assert np.asarray(rows).ravel().tolist() == [4, 3, 6, 5]
    assert rows[[3, 0]].ravel().tolist() == [5, 4]
    assert (rows.T @ np.ones(4)).tolist() == [18]
    assert rows.gram().tolist() == [[86]]
    assert rows.squares.tolist() == [16, 9, 36, 25]


@pytest.mark.parametrize("chosen", [slice(None), slice(7, 90), np.arange(0, 120, 7)])
def test_products_are_those_of_the_rows_laid_out(translated, rng, chosen):
    factors = rng.normal(size=120)
    rows = translated.rows.scaled(factors).take(chosen)
    dense = (translated.instances * factors[:, None])[chosen]
    W, U = rng.normal(size=(3, 5)), rng.normal(size=(len(dense), 2))
    np.testing.assert_allclose(np.asarray(rows), dense, atol=1e-14)
    np.testing.assert_allclose(rows @ W, dense @ W, atol=1e-12)
    np.testing.assert_allclose(rows @ W[:, 0], dense @ W[:, 0], atol=1e-12)
    np.testing.assert_allclose(rows.T @ U, dense.T @ U, atol=1e-12)
    np.testing.assert_allclose(U.T @ rows, U.T @ dense, atol=1e-12)
    np.testing.assert_allclose(np.asarray(rows.mapped(W)), dense @ W, atol=1e-12)


@pytest.mark.parametrize(
    "of", [rows_of.gram, rows_of.products, rows_of.square_lengths, rows_of.unit_rows]
)
def test_sums_over_rows_are_those_of_the_rows_laid_out(translated, of):
    for rows in translated.rows, translated.rows.with_ones(), translated.rows.take([3, 5, 60]):
        expected = of(np.asarray(rows))
        np.testing.assert_allclose(np.asarray(of(rows)), expected, atol=1e-12)


def test_translated_bags_are_bags(translated):
    plain = laid_out(translated)
    np.testing.assert_allclose(translated.instance_sums, plain.instance_sums, atol=1e-13)
    np.testing.assert_array_equal(translated[3:5].instances, plain[3:5].instances)
    np.testing.assert_array_equal(translated[3], plain[3])
    assert (translated.n_instances, translated.n_features, len(translated)) == (120, 3, 30)
    assert not translated.missing.any()
    again = pickle.loads(pickle.dumps(translated))
    np.testing.assert_array_equal(again.instances, translated.instances)


def test_the_hash_does_not_change_with_what_has_been_computed(translated):
    before = translated.digest
    _ = translated.instances, translated.rows.squares, translated.rows.products()
    assert translated.digest == before
    assert translated.with_rows(translated.rows.scaled(np.full(120, 2.0))).digest != before


def test_distances_of_translated_bags(translated):
    """The maximal one is that of the vectors, since equal translations cancel."""
    plain, vectors = laid_out(translated), translated.rows.points.rows[:30]
    expected = euclidean_distances(vectors)
    np.testing.assert_allclose(max_hausdorff(translated), expected, atol=1e-7)
    for other in None, translated[:7]:
        found = average_hausdorff(translated, other)
        np.testing.assert_allclose(found, average_hausdorff(plain, other), atol=1e-13)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_factors_of_kernels(translated, kernel):
    plain = laid_out(translated)
    assert kernel_width("scale", translated.rows) == pytest.approx(
        kernel_width("scale", plain.rows)
    )
    for rank in 10, None:
        of_rows, of_array = (
            KernelFactor(kernel=kernel, gamma=0.3, rank=rank, random_state=0) for _ in range(2)
        )
        features = np.asarray(of_rows.fit_transform(translated.rows))
        np.testing.assert_allclose(features, of_array.fit_transform(plain.rows), atol=1e-7)
        new = np.asarray(of_rows.transform(translated.rows.take(slice(9))))
        np.testing.assert_allclose(new, of_array.transform(plain.rows[:9]), atol=1e-7)
        on_instances = OnInstances(of_array).fit(translated).transform(translated)
        np.testing.assert_allclose(on_instances.instances, features, atol=1e-7)


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
def test_learners_learn_the_same(translated, rng, learner, kernel):
    if "kernel" in learner.get_params():
        learner.set_params(kernel=kernel)
    learner.set_params(random_state=0)
    Y = rng.random((30, 2)) < 0.5
    scores = [
        learner.fit(bags, Y).decision_function(bags) for bags in (translated, laid_out(translated))
    ]
    np.testing.assert_allclose(*scores, atol=1e-7)


def test_equal_bags_share_their_fits(rng):
    X, prototypes, Y = rng.normal(size=(20, 3)), rng.normal(size=(2, 3)), rng.random((20, 2)) < 0.5
    with sharing(Cache()) as cache:
        for _ in range(2):
            DMimlSvm(kernel="linear", random_state=0).fit(TranslatedBags.of(X, prototypes), Y)
    assert cache.n_hits == cache.n_misses
