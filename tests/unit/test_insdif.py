import os
import pickle
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.metrics.pairwise import euclidean_distances

from mimlpaper.algorithms.insdif import (
    DifferenceFeatures,
    InsDif,
    NeighbourMeans,
    PrototypeDifferences,
    SingleInstances,
)
from mimlpaper.algorithms.mimlboost import MimlBoost
from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.base import ConstantLabelWarning
from mimlpaper.datasets import load_yahoo, load_yeast
from mimlpaper.distances import max_hausdorff

real_data = pytest.mark.skipif(
    not os.environ.get("MIMLPAPER_DATA"), reason="MIMLPAPER_DATA is not set"
)
BY_DISTANCES = [MimlNn(ratio=0.3, random_state=0), MimlSvm(ratio=0.3, random_state=0)]


@pytest.fixture
def X(rng):
    return rng.standard_normal((60, 5))


@pytest.fixture
def Y(X, rng):
    return X[:, :3] + 0.5 * rng.standard_normal((60, 3)) > 0.3


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


def test_default_is_the_papers_learner(X, Y):
    fitted = InsDif(random_state=3).fit(X, Y)
    learner = MimlNn(ratio=0.2, ridge=0.0, random_state=3)
    named = InsDif(learner=learner).fit(X, Y)
    assert np.array_equal(fitted.decision_function(X), named.decision_function(X))
    assert len(fitted.learner_.medoid_map_.medoid_indices_) == 12


def test_instance_learner_on_features_is_the_kernel_learner_on_differences(X, Y):
    features = DifferenceFeatures(gamma=0.7, rank=25, random_state=0)
    learner = MimlSvmMi(kernel="linear", tol=1e-8, max_alternations=4)
    found = InsDif(transformation=features, learner=learner).fit(X, Y)
    plain = MimlSvmMi(gamma=0.7, rank=25, tol=1e-8, max_alternations=4, random_state=0)
    expected = InsDif(learner=plain).fit(X, Y)
    assert found.decision_function(X) == pytest.approx(expected.decision_function(X), abs=1e-5)


def test_equal_prototypes_are_no_prototypes(X):
    """Three equal labels have equal prototypes: a bag holds the same x - v three times."""
    Y = np.column_stack([X[:, 0] > 0] * 3)
    learner = MimlSvmMi(gamma=0.7, C=1.0, rank=None, tol=1e-8, max_alternations=2)
    found = InsDif(learner=learner).fit(X, Y).decision_function(X)
    alone = InsDif(transformation=SingleInstances(), learner=clone(learner).set_params(C=3.0))
    assert found == pytest.approx(alone.fit(X, Y).decision_function(X), abs=1e-4)


def test_boosting_on_features_is_boosting_on_differences_with_a_product_kernel(X, Y):
    """The kernel of pairs is exp(-γ ||z - z'||²) for one label, 0 between two."""
    features = DifferenceFeatures(gamma=0.7, rank=None, random_state=0)
    learner = MimlBoost(
        n_rounds=3,
        kernel="linear",
        label_code="product",
        rank=None,
        tol=1e-6,
        max_iter=5000,
        random_state=0,
    )
    found = InsDif(transformation=features, learner=learner).fit(X[:20], Y[:20])
    # Label codes that are far apart make the numeric code's kernel the same product.
    plain = FarLabels(
        n_rounds=3,
        gamma=0.7,
        label_code="onehot",
        rank=None,
        tol=1e-6,
        max_iter=5000,
        random_state=0,
    )
    expected = InsDif(learner=plain).fit(X[:20], Y[:20])
    assert found.learner_.n_rounds_ == expected.learner_.n_rounds_
    assert found.decision_function(X) == pytest.approx(expected.decision_function(X), abs=1e-2)


class FarLabels(MimlBoost):
    """Boosting by plain Gaussian machines on pairs whose labels have nothing in common."""

    def __init__(
        self,
        *,
        n_rounds=50,
        gamma=1.0,
        label_code="onehot",
        rank=None,
        tol=1e-3,
        max_iter=200,
        random_state=None,
    ):
        super().__init__(
            n_rounds=n_rounds,
            gamma=gamma,
            label_code=label_code,
            rank=rank,
            tol=tol,
            max_iter=max_iter,
            random_state=random_state,
        )

    def _pair_kernel(self):
        kernel = super()._pair_kernel()
        return replace(kernel, codes=1e3 * kernel.codes)


def test_a_linear_kernel_makes_the_same_instance_the_witness_of_every_bag(X, Y):
    """<w, x - v_l> + b is highest where <w, v_l> is lowest, whatever x."""
    fitted = InsDif(learner=MimlSvmMi(kernel="linear", C=1.0)).fit(X, Y)
    bags = fitted.transformation_.transform(X)
    scores = fitted.learner_.instance_scores(bags).reshape(60, 3, 3)  # example, prototype, label
    assert all(len(set(scores[:, :, label].argmax(axis=1))) == 1 for label in range(3))


def test_sparse_input(X, Y):
    X = np.maximum(X, 0)
    for estimator in InsDif(random_state=0), InsDif(learner=MimlSvmMi(rank=None, random_state=0)):
        dense = clone(estimator).fit(X, Y).decision_function(X)
        sparse = clone(estimator).fit(csr_array(X), Y).decision_function(csr_array(X))
        assert sparse == pytest.approx(dense, abs=1e-6)


def test_labels_follow_the_learners_rule(X, Y):
    for rule in "sign", "top":
        fitted = InsDif(learner=MimlNn(label_rule=rule, random_state=0)).fit(X, Y)
        scores, predicted = fitted.decision_function(X), fitted.predict(X)
        assert np.array_equal(predicted, fitted.learner_.predict(X))
        assert (predicted.any(axis=1).all()) == (rule == "top" or (scores > 0).any(axis=1).all())


def test_parameters_and_input_are_left_alone(X, Y):
    learner = MimlSvm(random_state=0)
    estimator = InsDif(learner=learner)
    before = X.copy(), Y.copy()
    scores = estimator.fit(X, Y).decision_function(X)
    assert learner.metric == "max_hausdorff" and not hasattr(learner, "medoid_map_")
    assert np.array_equal(X, before[0]) and np.array_equal(Y, before[1])
    assert np.allclose(pickle.loads(pickle.dumps(estimator)).decision_function(X), scores)
    assert set(vars(InsDif())) == set(InsDif().get_params(deep=False))


@pytest.mark.parametrize("constant", [False, True])
def test_label_with_one_class_only(X, Y, constant):
    Y[:, 1] = constant
    with pytest.warns(ConstantLabelWarning, match=r"label\(s\) \[1\]"):
        fitted = InsDif(random_state=0).fit(X, Y)
    assert np.isfinite(fitted.decision_function(X)).all()


def test_bad_input(X, Y):
    with pytest.raises(ValueError, match="X has 60, Y has 59"):
        InsDif().fit(X, Y[1:])
    with pytest.raises(ValueError, match="Y must hold booleans, or 0 and 1"):
        InsDif().fit(X, np.where(Y, 1, -1))
    with pytest.raises(ValueError, match="label_rule must be one of"):
        InsDif(learner=MimlNn(label_rule="all")).fit(X, Y)


@real_data
@pytest.mark.filterwarnings("ignore::mimlpaper.base.ConstantLabelWarning")
def test_the_transformation_cancels_on_genes():
    """d_H({x_i - v_l}, {x_j - v_l}) = ||x_i - x_j||, on 200 genes and all their prototypes."""
    genes = load_yeast()
    X, Y = genes.X[:200], genes.Y[:200]
    bags = PrototypeDifferences().fit_transform(X, Y)
    apart = np.linalg.norm(X[:, None] - X, axis=2)
    assert max_hausdorff(bags) == pytest.approx(apart, abs=1e-12)
    for learner in BY_DISTANCES:
        short = InsDif(learner=learner).fit(X, Y).decision_function(genes.X[200:300])
        plain = InsDif(learner=learner, shortcut=False).fit(X, Y)
        assert plain.decision_function(genes.X[200:300]) == pytest.approx(short, abs=1e-6)


@real_data
def test_the_transformation_cancels_on_web_pages():
    pages = load_yahoo("Arts")
    rows = slice(0, 60)
    bags = PrototypeDifferences().fit_transform(pages.X[rows], pages.Y[rows])
    distances = euclidean_distances(pages.X[rows])
    assert max_hausdorff(bags) == pytest.approx(distances, abs=1e-7)
