import numpy as np
import pytest
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.svm import SVC

from mimlpaper.algorithms.medoid_map import MedoidMap
from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.baselines.mlsvm import MlSvm
from mimlpaper.distances import max_hausdorff


@pytest.mark.parametrize("learner", [MimlSvm, MimlNn])
def test_precomputed_distances_give_the_same(bags, labels, learner):
    train, test, Y = bags[:20], bags[20:], labels[:20, :2]
    plain = learner(random_state=0).fit(train, Y)
    ready = learner(metric="precomputed", random_state=0).fit(max_hausdorff(train), Y)
    assert np.allclose(
        plain.decision_function(test), ready.decision_function(max_hausdorff(test, train))
    )


@pytest.mark.parametrize("learner", [MimlSvm, MimlNn])
def test_bags_of_one_instance_are_plain_vectors(rng, learner):
    X = rng.normal(size=(40, 3))
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] + X[:, 2] > 0])
    on_bags = learner(random_state=0).fit(X[:, None, :], Y)
    on_vectors = learner(metric="euclidean", random_state=0).fit(X, Y)
    assert np.allclose(on_bags.decision_function(X[:, None, :]), on_vectors.decision_function(X))


def test_a_callable_metric_is_called(bags, labels):
    fitted = MimlSvm(metric=max_hausdorff, random_state=0).fit(bags, labels[:, :2])
    plain = MimlSvm(random_state=0).fit(bags, labels[:, :2])
    assert np.array_equal(fitted.decision_function(bags), plain.decision_function(bags))


def test_mimlsvm_is_mlsvm_on_the_distances(bags, labels):
    Y = labels[:, :2]
    z = MedoidMap(ratio=0.5, random_state=3).fit_transform(bags)
    assert z.shape == (30, 15)
    by_hand = MlSvm(gamma=0.2, C=3.0).fit(z, Y).decision_function(z)
    whole = MimlSvm(ratio=0.5, gamma=0.2, C=3.0, random_state=3).fit(bags, Y)
    assert np.allclose(whole.decision_function(bags), by_hand)


def test_features_are_distances_to_the_medoids(bags):
    features = MedoidMap(ratio=0.1, random_state=0).fit(bags)
    assert np.array_equal(features.transform(bags), max_hausdorff(bags, features.medoids_))


@pytest.mark.parametrize(("ratio", "expected"), [(0.001, 1), (0.29, 8), (0.3, 9), (1.0, 30)])
def test_number_of_medoids(bags, ratio, expected):
    assert MedoidMap(ratio=ratio, random_state=0).fit_transform(bags).shape[1] == expected


def test_mlsvm_is_one_svm_a_label(rng):
    X = rng.normal(size=(60, 4))
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] > 0.5])
    scores = MlSvm(gamma="scale", C=2.0).fit(X, Y).decision_function(X)
    for label in range(2):
        alone = SVC(gamma="scale", C=2.0).fit(X, Y[:, label])
        assert np.allclose(scores[:, label], alone.decision_function(X), atol=1e-6)


def test_mimlnn_solves_the_normal_equations(bags, labels):
    fitted = MimlNn(ratio=0.3, ridge=0.7, random_state=0).fit(bags, labels[:, :2])
    z = fitted.medoid_map_.transform(bags)
    targets = np.where(labels[:, :2], 1.0, -1.0)
    gradient = z.T @ (z @ fitted.weights_ - targets) + 0.7 * fitted.weights_
    assert np.abs(gradient).max() < 1e-10


def test_mimlnn_without_ridge_is_the_pseudo_inverse_even_with_duplicates(rng):
    points = np.repeat(rng.normal(size=(8, 2)), 3, axis=0)
    Y = points > 0
    fitted = MimlNn(ratio=1.0, ridge=0.0, metric="precomputed").fit(euclidean_distances(points), Y)
    z = euclidean_distances(points)[:, fitted.medoid_map_.medoid_indices_]
    expected = np.linalg.pinv(z) @ np.where(Y, 1.0, -1.0)
    assert np.allclose(fitted.weights_, expected)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"ratio": 0.0}, r"ratio must lie in \(0, 1\], got 0.0"),
        ({"ratio": 1.5}, "got 1.5"),
        ({"metric": "cosine"}, "metric must be a callable or one of .*got 'cosine'"),
    ],
)
def test_bad_parameters_are_refused(bags, labels, parameters, message):
    with pytest.raises(ValueError, match=message):
        MimlSvm(**parameters).fit(bags, labels)


def test_bags_are_no_matrix_of_distances(bags, labels):
    with pytest.raises(TypeError, match="bags of several sizes are no array"):
        MimlSvm(metric="precomputed").fit(bags, labels)


def test_negative_ridge_is_refused(bags, labels):
    with pytest.raises(ValueError, match="ridge must be at least 0, got -1"):
        MimlNn(ridge=-1).fit(bags, labels)
