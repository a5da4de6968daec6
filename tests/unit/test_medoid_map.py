"""Distances to medoid bags, and the learners on them."""

import tracemalloc
from unittest.mock import Mock

import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from mimlpaper import LandmarkMap, MedoidMap, MimlNn, MimlSvm, MimlSvmMi, MlSvm
from mimlpaper.algorithms.insdif import SingleInstances
from mimlpaper.algorithms.medoid_map import SQUARE
from mimlpaper.datasets import make_bags
from mimlpaper.distances import check_memory, max_hausdorff


def test_the_middle_of_three_bags_by_hand():
    """Distances 1 (0 to 1), 3 (0 to 3) and 2 (1 to 3): the medoid is 1, whose sum 3 is least."""
    bags = [[[0.0]], [[1.0]], [[3.0]]]
    fitted = LandmarkMap(ratio=0.34, random_state=0)
    assert fitted.fit_transform(bags).tolist() == [[1.0], [0.0], [2.0]]
    assert fitted.transform([[[5.0], [1.0]]]).tolist() == [[4.0]]
    assert fitted.medoid_indices_.tolist() == [1] and fitted.n_features_in_ == 1


def test_with_everything_sampled_it_is_the_medoid_map(bags):
    for n_sample in 30, 1000:
        plain, ours = MedoidMap(random_state=3), LandmarkMap(n_sample=n_sample, random_state=3)
        np.testing.assert_array_equal(ours.fit_transform(bags), plain.fit_transform(bags))
        np.testing.assert_array_equal(ours.medoid_indices_, plain.medoid_indices_)


def test_landmarks_are_bags_of_the_sample_and_features_the_distances_to_them(bags):
    ours = LandmarkMap(n_sample=10, ratio=0.5, random_state=0)
    features = ours.fit_transform(bags)
    assert features.shape == (30, 5) and len(set(ours.medoid_indices_)) == 5
    np.testing.assert_array_equal(features, max_hausdorff(bags, bags[ours.medoid_indices_]))
    again = LandmarkMap(n_sample=10, ratio=0.5, random_state=0).fit(bags)
    assert np.array_equal(again.medoid_indices_, ours.medoid_indices_)


def test_the_pipelines_are_mimlnn_and_mimlsvm(bags, labels):
    train, Y = bags[:20], labels[:20, :2]
    nn = make_pipeline(
        LandmarkMap(ratio=0.4, random_state=0),
        OneVsRestClassifier(RidgeClassifier(fit_intercept=False)),
    ).fit(train, Y)
    svm = make_pipeline(
        LandmarkMap(random_state=0), SingleInstances(), MimlSvmMi(C=10.0, rank=None, tol=1e-7)
    ).fit(train, Y)
    exact_nn = MimlNn(ridge=1.0, random_state=0).fit(train, Y)
    for ours, expected, within in (
        (nn, exact_nn, 1e-9),
        (svm, MimlSvm(random_state=0).fit(train, Y), 1e-2),
    ):
        np.testing.assert_allclose(
            ours.decision_function(bags), expected.decision_function(bags), atol=within
        )
    np.testing.assert_array_equal(nn.predict(bags), exact_nn.predict(bags))


def peak_bytes(call, X):
    tracemalloc.start()
    call(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_memory_grows_with_the_bags_not_with_their_square():
    """5,000 bags: 50 features take 2 MB, the distances of 500 take 3.5 MB, of all 350."""
    landmarks = LandmarkMap(n_sample=500, ratio=0.1, random_state=0)
    peak = peak_bytes(landmarks.fit_transform, make_bags(5000, 2, 4)[0])
    assert peak < SQUARE * 500**2 + 3 * 8 * 5000 * 50
    of_all = peak_bytes(MedoidMap(random_state=0).fit, make_bags(1000, 1, 4)[0])
    assert 0.8 < of_all / (SQUARE * 1000**2) < 1


def free_bytes(monkeypatch, n_bytes):
    monkeypatch.setattr("mimlpaper.distances.virtual_memory", lambda: Mock(available=n_bytes))


def test_too_much_is_an_error_before_memory_is_taken(bags, monkeypatch):
    fitted = LandmarkMap(ratio=1.0, random_state=0).fit(bags)
    free_bytes(monkeypatch, 12_599)  # 14 · 30² = 12,600
    with pytest.raises(MemoryError, match=r"distances of 30 bags need .* free; lower n_sample"):
        LandmarkMap().fit(bags)
    LandmarkMap(n_sample=10).fit(bags)
    free_bytes(monkeypatch, 7_199)  # 8 · 30 · 30 = 7,200
    with pytest.raises(MemoryError, match=r"30 bags to 30 medoids need .* lower ratio"):
        fitted.transform(bags)
    assert len(fitted.transform(bags[:29])) == 29
    free_bytes(monkeypatch, 3.5 * 2**30)
    check_memory(3.5 * 2**30, "these distances", "take fewer")
    message = "^these distances need 4.0 GiB of memory, 3.5 are free; take fewer$"
    with pytest.raises(MemoryError, match=message):
        check_memory(4.0 * 2**30, "these distances", "take fewer")


@pytest.mark.parametrize("learner", [MimlSvm, MimlNn])
def test_other_metrics_give_the_same(bags, labels, rng, learner):
    """Distances that are computed before; vectors for bags of one instance."""
    train, test, Y = bags[:20], bags[20:], labels[:20, :2]
    expected = learner(random_state=0).fit(train, Y).decision_function(test)
    ready = learner(metric="precomputed", random_state=0).fit(max_hausdorff(train), Y)
    assert np.allclose(ready.decision_function(max_hausdorff(test, train)), expected)
    with pytest.raises(ValueError, match="one vector an example, got bags"):
        ready.fit(bags, labels)
    X = rng.normal(size=(40, 3))
    Y = np.column_stack([X[:, 0] > 0, X[:, 1] + X[:, 2] > 0])
    on_bags = learner(random_state=0).fit(X[:, None, :], Y)
    on_vectors = learner(metric="euclidean", random_state=0).fit(X, Y)
    assert np.allclose(on_bags.decision_function(X[:, None, :]), on_vectors.decision_function(X))


def test_mimlsvm_is_mlsvm_on_the_distances(bags, labels):
    Y = labels[:, :2]
    z = MedoidMap(ratio=0.5, random_state=3).fit_transform(bags)
    by_hand = MlSvm(gamma=0.2, C=3.0).fit(z, Y).decision_function(z)
    whole = MimlSvm(ratio=0.5, gamma=0.2, C=3.0, random_state=3).fit(bags, Y)
    assert np.allclose(whole.decision_function(bags), by_hand)
    for ratio, n_medoids in (0.001, 1), (0.29, 8), (0.3, 9), (0.5, 15), (1.0, 30):
        assert MedoidMap(ratio=ratio).fit_transform(bags).shape[1] == n_medoids


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
