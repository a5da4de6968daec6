import numpy as np
import pytest
from scipy.sparse import csr_array

from mimlpaper.algorithms.insdif import (
    DifferenceFeatures,
    NeighbourMeans,
    PrototypeDifferences,
    SingleInstances,
)
from mimlpaper.kernels import KernelFactor, kernel_matrix
from tests import reference

TRANSFORMERS = [PrototypeDifferences(), DifferenceFeatures(rank=9), NeighbourMeans(n_neighbors=3)]


@pytest.fixture
def X(rng):
    return rng.random((30, 5)) * (rng.random((30, 5)) < 0.6)


@pytest.fixture
def Y(rng):
    """Five labels; no example has one of them, a single example has another."""
    Y = rng.random((30, 5)) < 0.3
    Y[:, 3] = False
    Y[:, 4] = np.arange(30) == 7
    return Y


def test_three_points_by_hand():
    """0 and 2 have the first label, 2 and 10 the second: prototypes 1 and 6.

    The bags are {-1, -6}, {1, -4}, {9, 4}.
    """
    X, Y = np.array([[0.0], [2.0], [10.0]]), np.array([[1, 0], [1, 1], [0, 1]])
    fitted = PrototypeDifferences().fit(X, Y)
    assert fitted.prototypes_.tolist() == [[1.0], [6.0]]
    bags = fitted.transform(X)
    assert [bag.ravel().tolist() for bag in bags] == [[-1, -6], [1, -4], [9, 4]]


def test_neighbour_means_by_hand():
    """0, 1, 5 and 9 on a line, of which 0, 1 and 9 have the label; k = 2.

    In training 0 has the neighbours 1 and 9, 5 has 1 and 9 (as near as 9, 1 comes first; 0 is
    further). A new 0 has itself and 1.
    """
    X, Y = np.array([[0.0], [1.0], [5.0], [9.0]]), np.array([[1], [1], [0], [1]])
    transformer = NeighbourMeans(n_neighbors=2)
    assert transformer.fit_transform(X, Y).instances.ravel().tolist() == [5.0, 4.5, 5.0, 0.5]
    assert transformer.transform([[0.0]]).instances.ravel().tolist() == [0.5]


def test_differences_agree_with_the_slow_form(X, Y):
    bags = PrototypeDifferences().fit_transform(X, Y)
    assert np.allclose(bags.instances, np.concatenate(reference.difference_bags(X, Y, X)))


def test_neighbour_means_agree_with_the_slow_form(X, Y, rng):
    new = rng.random((8, 5))
    transformer = NeighbourMeans(n_neighbors=3)
    training = transformer.fit_transform(X, Y)
    expected = reference.neighbour_bags(X, Y, X, 3, training=True)
    assert np.allclose(training.instances, np.concatenate(expected))
    expected = reference.neighbour_bags(X, Y, new, 3, training=False)
    assert np.allclose(transformer.transform(new).instances, np.concatenate(expected))


@pytest.mark.parametrize("rank", [12, None])
def test_features_are_those_of_the_differences_laid_out(X, Y, rank):
    laid_out = PrototypeDifferences().fit_transform(X, Y).instances
    plain = KernelFactor(gamma=2.0, rank=rank, random_state=0)
    expected = plain.fit_transform(laid_out)
    transformer = DifferenceFeatures(gamma=2.0, rank=rank, random_state=0)
    found = transformer.fit_transform(X, Y).instances
    assert found == pytest.approx(expected, abs=1e-9)
    assert transformer.factor_.landmarks_ == pytest.approx(plain.landmarks_)
    assert transformer.factor_.error_ == pytest.approx(plain.error_)
    assert transformer.transform(X).instances == pytest.approx(expected, abs=1e-9)
    if rank is None:
        assert found @ found.T == pytest.approx(kernel_matrix(laid_out, gamma=2.0), abs=1e-9)


@pytest.mark.parametrize("transformer", TRANSFORMERS)
def test_sparse_and_dense_input_give_the_same(X, Y, transformer):
    if hasattr(transformer, "random_state"):
        transformer.set_params(random_state=0)
    dense = transformer.fit_transform(X, Y).instances
    sparse = transformer.fit_transform(csr_array(X), Y)
    assert len(sparse) == 30 and set(sparse.sizes) == {5}
    assert sparse.instances == pytest.approx(dense, abs=1e-9)
    assert transformer.transform(csr_array(X[:4])).instances.shape[0] == 20


def test_single_instances_are_the_examples(X, Y):
    bags = SingleInstances().fit_transform(csr_array(X), Y)
    assert set(bags.sizes) == {1} and np.array_equal(bags.instances, X)


def test_a_label_without_examples_is_known_by_the_mean_of_all(X, Y):
    for transformer in TRANSFORMERS:
        assert transformer.fit(X, Y).prototypes_[3] == pytest.approx(X.mean(axis=0))
    bags = NeighbourMeans().fit_transform(X, Y)
    assert bags.instances.reshape(30, 5, 5)[:, 3] == pytest.approx(np.tile(X.mean(axis=0), (30, 1)))
    # The only example with the last label has no neighbour with it; the others have that one.
    assert bags.instances.reshape(30, 5, 5)[:, 4] == pytest.approx(np.tile(X[7], (30, 1)))


def test_features_of_many_differences_never_lay_them_out(rng):
    """2,000 examples, 40 labels, 1,000 words: laid out, 640 MB. The features take 6 MB."""
    import tracemalloc

    X = csr_array((rng.random(40_000), rng.integers(0, 1000, 40_000), np.arange(0, 40_001, 20)))
    X.resize((2000, 1000))
    Y = rng.random((2000, 40)) < 0.1
    tracemalloc.start()
    bags = DifferenceFeatures(rank=10, random_state=0).fit_transform(X, Y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert bags.instances.shape == (80_000, 10)
    assert peak < 64e6


@pytest.mark.parametrize(
    ("transformer", "message"),
    [
        (NeighbourMeans(n_neighbors=0), "n_neighbors must be at least 1, got 0"),
        (DifferenceFeatures(rank=0), r"rank must be None, .auto. or at least 1, got 0"),
        (DifferenceFeatures(gamma=-1.0), "gamma must be positive"),
    ],
)
def test_bad_parameters(X, Y, transformer, message):
    with pytest.raises(ValueError, match=message):
        transformer.fit(X, Y)


def test_bad_input(X, Y):
    with pytest.raises(ValueError, match="X has 30, Y has 29"):
        PrototypeDifferences().fit(X, Y[1:])
    with pytest.raises(ValueError, match="X has 2 features"):
        PrototypeDifferences().fit(X, Y).transform(X[:, :2])
