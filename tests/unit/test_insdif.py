"""InsDif: its transformations, and what cancels."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone

from mimlpaper.algorithms import insdif
from mimlpaper.algorithms.insdif import InsDif, NeighbourMeans, PrototypeDifferences
from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.kernels import KernelFactor


@pytest.fixture
def X(rng):
    return rng.standard_normal((60, 5))


@pytest.fixture
def Y(X, rng):
    return X[:, :3] + 0.5 * rng.standard_normal((60, 3)) > 0.3


def test_prototype_differences_by_hand():
    """0 and 2 have the first label, 2 and 10 the second, none the third: prototypes 1, 6 and 4.

    The bags are {-1, -6, -4}, {1, -4, -2} and {9, 4, 6}.
    """
    X, Y = np.outer([0.0, 2.0, 10.0], [1, -1]), np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0]])
    fitted = PrototypeDifferences().fit(X, Y)
    assert fitted.prototypes_.tolist() == [[1, -1], [6, -6], [4, -4]]
    bags = fitted.transform(X)
    assert [bag[:, 0].tolist() for bag in bags] == [[-1, -6, -4], [1, -4, -2], [9, 4, 6]]
    assert (bags.instances[:, 1] == -bags.instances[:, 0]).all()


def test_neighbour_means_by_hand():
    """0, 1, 5 and 9 on a line. All but 5 have the first label, 9 the second, none the third.

    Of the first label, 0 has the neighbours 1 and 9 in training, 5 has 1 (as near as 9, 1 comes
    first) and 9. A new 0 has itself and 1. The others' means are the prototypes 9 and 15/4.
    """
    X = np.outer([0.0, 1.0, 5.0, 9.0], [1, -1])
    Y = np.array([[1, 0, 0], [1, 0, 0], [0, 0, 0], [1, 1, 0]])
    for k, of_first, of_new in (1, [1.0, 0.0, 1.0, 1.0], 0.0), (2, [5.0, 4.5, 5.0, 0.5], 0.5):
        transformer = NeighbourMeans(n_neighbors=k)
        bags = transformer.fit_transform(X, Y)
        assert [bag.tolist() for bag in bags] == [
            [[mean, -mean], [9.0, -9.0], [3.75, -3.75]] for mean in of_first
        ]
        assert transformer.transform([[0.0, 0.0]]).instances[:, 0].tolist() == [of_new, 9.0, 3.75]


@pytest.mark.parametrize("rank", [12, None])
def test_features_are_those_of_the_differences_laid_out(X, Y, rank):
    """Up to a rotation: rounding decides which pivot is the largest."""
    settings = dict(gamma=2.0, rank=rank, random_state=0)
    plain, transformer = KernelFactor(**settings), insdif.DifferenceFeatures(**settings)
    expected = plain.fit_transform(PrototypeDifferences().fit_transform(X, Y).instances)
    for bags in transformer.fit_transform(X, Y), transformer.transform(X):
        phi = bags.instances
        assert phi @ phi.T == pytest.approx(expected @ expected.T, abs=1e-7)
    assert transformer.factor_.error_ == pytest.approx(plain.error_, abs=1e-12)


def test_sparse_and_dense_input_give_the_same(X, Y):
    features = insdif.DifferenceFeatures(rank=9, random_state=0)
    for transformer in PrototypeDifferences(), features, NeighbourMeans(n_neighbors=3):
        dense = transformer.fit_transform(X, Y).instances
        sparse = transformer.fit_transform(csr_array(X), Y)
        assert set(sparse.sizes) == {3}
        assert sparse.instances == pytest.approx(dense, abs=1e-9)
        assert transformer.transform(csr_array(X[:4])).instances.shape[0] == 12


@pytest.mark.parametrize("kind", [MimlNn, MimlSvm])
def test_shortcut_changes_nothing(X, Y, kind):
    learner = kind(ratio=0.3, random_state=0)
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
