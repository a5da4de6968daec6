"""InsDif: its transformations, and what cancels."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mimlpaper.algorithms import insdif
from mimlpaper.algorithms.insdif import (
    DifferenceFeatures,
    InsDif,
    NeighbourMeans,
    PrototypeDifferences,
)
from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.kernels import KernelFactor
from mimlpaper.metrics import scorers
from mimlpaper.preprocessing import OnInstances


@pytest.fixture
def X(rng):
    return rng.standard_normal((60, 5))


@pytest.fixture
def Y(X, rng):
    noise = 0.5 * rng.standard_normal((60, 3))
    return X[:, :3] + noise > 0.3


def test_the_learner_may_be_a_pipeline(X, Y):
    scaled = make_pipeline(OnInstances(MinMaxScaler()), MimlSvm(label_rule="top"))
    model = InsDif(learner=scaled).fit(X, Y)
    assert model.label_rule == "top"
    assert model.predict(X).any(axis=1).all()


def test_prototype_differences_by_hand():
    """0 and 2 have the first label, 2 and 10 the second, none the third: prototypes 1, 6 and 4.

    The bags are {-1, -6, -4}, {1, -4, -2} and {9, 4, 6}.
    """
    X = np.array([[0.0, 0.0], [2.0, -2.0], [10.0, -10.0]])
    Y = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0]])
    transformer = PrototypeDifferences().fit(X, Y)
    prototypes = transformer.prototypes_
    assert prototypes.tolist() == [[1, -1], [6, -6], [4, -4]]

    bags = transformer.transform(X)
    values = [bag[:, 0].tolist() for bag in bags]
    assert values == [[-1, -6, -4], [1, -4, -2], [9, 4, 6]]
    # The second feature is the opposite of the first.
    assert (bags.instances[:, 1] == -bags.instances[:, 0]).all()


@pytest.mark.parametrize(
    ("k", "means", "new_mean"),
    [
        (1, [1.0, 0.0, 1.0, 1.0], 0.0),
        (2, [5.0, 4.5, 5.0, 0.5], 0.5),
    ],
)
def test_neighbour_means_by_hand(k, means, new_mean):
    """0, 1, 5 and 9 on a line. All but 5 have the first label, 9 the second, none the third.

    Of the first label, 0 has the neighbours 1 and 9 in training, 5 has 1 (as near as 9, 1 comes
    first) and 9. A new 0 has itself and 1. The others' means are the prototypes 9 and 15/4.
    """
    X = np.array([[0.0, 0.0], [1.0, -1.0], [5.0, -5.0], [9.0, -9.0]])
    Y = np.array([[1, 0, 0], [1, 0, 0], [0, 0, 0], [1, 1, 0]])
    transformer = NeighbourMeans(n_neighbors=k)
    bags = transformer.fit_transform(X, Y)
    for bag, mean in zip(bags, means, strict=True):
        expected = [[mean, -mean], [9.0, -9.0], [3.75, -3.75]]
        assert bag.tolist() == expected

    new_bag = transformer.transform([[0.0, 0.0]]).instances
    assert new_bag[:, 0].tolist() == [new_mean, 9.0, 3.75]


@pytest.mark.parametrize("rank", [12, None])
def test_features_are_those_of_the_differences_laid_out(X, Y, rank):
    """Up to a rotation: rounding decides which pivot is the largest."""
    settings = dict(gamma=2.0, rank=rank, random_state=0)
    factor = KernelFactor(**settings)
    laid_out = PrototypeDifferences().fit_transform(X, Y)
    phi = factor.fit_transform(laid_out.instances)
    expected = phi @ phi.T

    transformer = insdif.DifferenceFeatures(**settings)
    of_fit = transformer.fit_transform(X, Y).instances
    assert of_fit @ of_fit.T == pytest.approx(expected, abs=1e-7)
    of_new = transformer.transform(X).instances
    assert of_new @ of_new.T == pytest.approx(expected, abs=1e-7)
    error = transformer.factor_.error_
    assert error == pytest.approx(factor.error_, abs=1e-12)


@pytest.mark.parametrize(
    "transformer",
    [
        PrototypeDifferences(),
        insdif.DifferenceFeatures(rank=9, random_state=0),
        NeighbourMeans(n_neighbors=3),
    ],
)
def test_sparse_and_dense_input_give_the_same(X, Y, transformer):
    expected = transformer.fit_transform(X, Y).instances
    bags = transformer.fit_transform(csr_array(X), Y)
    assert set(bags.sizes) == {3}
    assert bags.instances == pytest.approx(expected, abs=1e-9)
    four_new = transformer.transform(csr_array(X[:4]))
    assert len(four_new.instances) == 12


@pytest.mark.parametrize("kind", [MimlNn, MimlSvm])
def test_shortcut_changes_nothing(X, Y, kind):
    train, new = X[:50], X[50:]
    learner = kind(ratio=0.3, random_state=0)
    shortened = InsDif(learner=learner).fit(train, Y[:50])
    in_full = InsDif(learner=learner, shortcut=False)
    in_full.fit(train, Y[:50])
    assert shortened.cancels_ is True
    assert in_full.cancels_ is False
    scores = shortened.decision_function(new)
    expected = in_full.decision_function(new)
    assert scores == pytest.approx(expected, abs=1e-6)

    # The prototypes cancel in the distances of bags.
    on_vectors = clone(learner).set_params(metric="euclidean")
    on_vectors.fit(train, Y[:50])
    expected = on_vectors.decision_function(new)
    assert np.array_equal(scores, expected)


def test_shortcut_is_for_prototypes_and_hausdorff_distances_only(X, Y):
    def all_ones(A, B):
        """A distance of which nothing is known."""
        return np.ones((len(A), len(B)))

    without_hausdorff = InsDif(learner=MimlNn(metric=all_ones))
    assert not without_hausdorff.fit(X, Y).cancels_
    machines = MimlSvmMi(rank=None, max_alternations=1)
    assert not InsDif(learner=machines).fit(X, Y).cancels_
    neighbours = InsDif(transformation=NeighbourMeans())
    assert not neighbours.fit(X, Y).cancels_


def test_prototypes_are_of_the_examples_that_are_named(X, Y):
    names = [f"x{i}" for i in range(len(X))]
    table, labels = pd.DataFrame(X, names), pd.DataFrame(Y, names)
    of_shuffled = PrototypeDifferences().fit(table, labels[::-1])
    assert np.allclose(of_shuffled.prototypes_, PrototypeDifferences().fit(X, Y).prototypes_)


@pytest.mark.parametrize(
    "transformer",
    [PrototypeDifferences(), DifferenceFeatures(random_state=0), NeighbourMeans()],
)
def test_a_pipeline_matches_labels_with_the_bags_of_vectors_by_name(X, Y, transformer):
    names = [f"x{i}" for i in range(len(X))]
    labels = pd.DataFrame(Y, names)
    pipeline = make_pipeline(transformer, MimlNn(random_state=0))
    expected = pipeline.fit(X, Y).decision_function(X)
    shuffled = pipeline.fit(pd.DataFrame(X, names), labels[::-1])
    assert np.allclose(shuffled.decision_function(X), expected)


def test_the_learner_may_be_a_search(X, Y):
    search = GridSearchCV(
        MimlNn(random_state=0), {"ratio": [0.2, 0.4]}, cv=2, scoring=scorers["hamming_loss"]
    )
    assert InsDif(learner=search).fit(X, Y).predict(X).shape == Y.shape
