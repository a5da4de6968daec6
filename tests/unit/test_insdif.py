"""InsDif: its transformations, and what cancels."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone

from mimlpaper.algorithms.insdif import (
    DifferenceFeatures,
    InsDif,
    NeighbourMeans,
    PrototypeDifferences,
)
from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.kernels import KernelFactor, kernel_matrix
from tests import reference

TRANSFORMERS = [PrototypeDifferences(), DifferenceFeatures(rank=9), NeighbourMeans(n_neighbors=3)]


@pytest.fixture
def X(rng):
    return rng.standard_normal((60, 5))


@pytest.fixture
def Y(X, rng):
    return X[:, :3] + 0.5 * rng.standard_normal((60, 3)) > 0.3


@pytest.fixture
def rare(Y):
    """Five labels; no example has one of them, a single example has another."""
    return np.column_stack([Y, np.zeros(60, bool), np.arange(60) == 7])


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


def test_differences_agree_with_the_slow_form(X, rare):
    bags = PrototypeDifferences().fit_transform(X, rare)
    assert np.allclose(bags.instances, np.concatenate(reference.difference_bags(X, rare, X)))


def test_neighbour_means_agree_with_the_slow_form(X, rare, rng):
    new = rng.random((8, 5))
    transformer = NeighbourMeans(n_neighbors=3)
    training = transformer.fit_transform(X, rare)
    expected = reference.neighbour_bags(X, rare, X, 3, training=True)
    assert np.allclose(training.instances, np.concatenate(expected))
    expected = reference.neighbour_bags(X, rare, new, 3, training=False)
    assert np.allclose(transformer.transform(new).instances, np.concatenate(expected))


@pytest.mark.parametrize("rank", [12, None])
def test_features_are_those_of_the_differences_laid_out(X, rare, rank):
    laid_out = PrototypeDifferences().fit_transform(X, rare).instances
    plain = KernelFactor(gamma=2.0, rank=rank, random_state=0)
    expected = plain.fit_transform(laid_out)
    transformer = DifferenceFeatures(gamma=2.0, rank=rank, random_state=0)
    found = transformer.fit_transform(X, rare).instances
    again = transformer.transform(X).instances
    assert transformer.factor_.error_ == pytest.approx(plain.error_, abs=1e-12)
    if rank is None:  # rounding decides which pivot is the largest
        for phi in found, again:
            assert phi @ phi.T == pytest.approx(kernel_matrix(laid_out, gamma=2.0), abs=1e-7)
        return
    assert found == pytest.approx(expected, abs=1e-9)
    assert transformer.factor_.landmarks_ == pytest.approx(plain.landmarks_)
    assert again == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("transformer", TRANSFORMERS)
def test_sparse_and_dense_input_give_the_same(X, rare, transformer):
    if hasattr(transformer, "random_state"):
        transformer.set_params(random_state=0)
    dense = transformer.fit_transform(X, rare).instances
    sparse = transformer.fit_transform(csr_array(X), rare)
    assert len(sparse) == 60 and set(sparse.sizes) == {5}
    assert sparse.instances == pytest.approx(dense, abs=1e-9)
    assert transformer.transform(csr_array(X[:4])).instances.shape[0] == 20


BY_DISTANCES = [MimlNn(ratio=0.3, random_state=0), MimlSvm(ratio=0.3, random_state=0)]


def test_two_points_by_hand():
    """0 with label 1 and 4 with label 2: bags {0, -4} and {4, 0} at distance 4, one medoid each.

    With all examples as medoids z = (0, 4) and (4, 0), so that W = [[-1, 1], [1, -1]] / 4 gives
    the targets; at x = 1 the scores are (3 - 1) / 4 and its opposite.
    """
    X, Y = np.array([[0.0], [4.0]]), np.array([[1, 0], [0, 1]])
    for shortcut in True, False:
        fitted = InsDif(learner=MimlNn(ratio=1.0, ridge=0.0), shortcut=shortcut).fit(X, Y)
        assert fitted.transformation_.prototypes_.tolist() == [[0.0], [4.0]]
        assert fitted.decision_function([[1.0]]) == pytest.approx(np.array([[0.5, -0.5]]))
        assert fitted.predict([[1.0]]).tolist() == [[True, False]]


@pytest.mark.parametrize("learner", BY_DISTANCES, ids=lambda learner: type(learner).__name__)
def test_shortcut_changes_nothing(X, Y, learner):
    short = InsDif(learner=learner).fit(X[:50], Y[:50])
    plain = InsDif(learner=learner, shortcut=False).fit(X[:50], Y[:50])
    assert (short.cancels_, plain.cancels_) == (True, False)
    expected = plain.decision_function(X[50:])
    assert short.decision_function(X[50:]) == pytest.approx(expected, abs=1e-6)
    alone = clone(learner).set_params(metric="euclidean").fit(X[:50], Y[:50])
    assert np.array_equal(alone.decision_function(X[50:]), short.decision_function(X[50:]))


def test_shortcut_is_for_prototypes_and_hausdorff_distances_only(X, Y):
    by_mean = MimlNn(metric=lambda A, B: np.ones((len(A), len(B))))
    assert not InsDif(learner=by_mean).fit(X, Y).cancels_
    assert not InsDif(learner=MimlSvmMi(rank=None, max_alternations=1)).fit(X, Y).cancels_
    assert not InsDif(transformation=NeighbourMeans()).fit(X, Y).cancels_
