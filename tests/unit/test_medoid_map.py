"""Distances to medoid bags, the search for medoids, and the learners on the distances."""

import tracemalloc
from unittest.mock import Mock

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from mimlpaper import LandmarkMap, MedoidMap, MimlNn, MimlSvm, MimlSvmMi
from mimlpaper.algorithms.insdif import SingleInstances
from mimlpaper.algorithms.medoid_map import SQUARE, KMedoids, _assign, _update
from mimlpaper.datasets import make_bags
from mimlpaper.distances import check_memory, max_hausdorff


def test_the_middle_of_three_bags_by_hand():
    """Distances 1 (0 to 1), 3 (0 to 3) and 2 (1 to 3): the medoid is 1, whose sum 3 is least."""
    bags = [[[0.0]], [[1.0]], [[3.0]]]
    fitted = LandmarkMap(ratio=0.34, random_state=0)
    assert fitted.fit_transform(bags).tolist() == [[1.0], [0.0], [2.0]]
    assert fitted.transform([[[5.0], [1.0]]]).tolist() == [[4.0]]
    assert fitted.medoid_indices_.tolist() == [1] and fitted.n_features_in_ == 1


def test_landmarks_are_bags_of_the_sample_and_features_the_distances_to_them(bags):
    """With everything sampled it is the medoid map."""
    for n_sample in 30, 1000:
        plain, ours = MedoidMap(random_state=3), LandmarkMap(n_sample=n_sample, random_state=3)
        np.testing.assert_allclose(ours.fit_transform(bags), plain.fit_transform(bags), atol=1e-14)
        np.testing.assert_array_equal(ours.medoid_indices_, plain.medoid_indices_)
    first, again = (LandmarkMap(n_sample=10, ratio=0.5, random_state=0) for _ in range(2))
    features = first.fit_transform(bags)
    assert features.shape == (30, 5) and len(set(first.medoid_indices_)) == 5
    medoids = bags[first.medoid_indices_]
    np.testing.assert_allclose(features, max_hausdorff(bags, medoids), atol=1e-14)
    assert np.array_equal(again.fit(bags).medoid_indices_, first.medoid_indices_)


def test_the_pipelines_are_mimlnn_and_mimlsvm(bags, labels):
    train, Y = bags[:20], labels[:20, :2]
    ridge = OneVsRestClassifier(RidgeClassifier(alpha=0.7, fit_intercept=False))
    svm = SingleInstances(), MimlSvmMi(C=10.0, rank=None, tol=1e-7)
    for pipeline, learner, within in (
        (make_pipeline(LandmarkMap(ratio=0.4, random_state=0), ridge), MimlNn(ridge=0.7), 1e-9),
        (make_pipeline(LandmarkMap(random_state=0), *svm), MimlSvm(), 1e-2),
    ):
        found = pipeline.fit(train, Y).decision_function(bags)
        expected = learner.set_params(random_state=0).fit(train, Y).decision_function(bags)
        np.testing.assert_allclose(found, expected, atol=within)


def test_memory_grows_with_the_bags_not_with_their_square():
    """5,000 bags: 50 features take 2 MB, the distances of 500 take 2.5 MB, of all 250."""
    of_sample = LandmarkMap(n_sample=500, ratio=0.1, random_state=0), make_bags(5000, 2, 4)[0]
    of_all = MedoidMap(random_state=0), make_bags(2000, 1, 4)[0]
    peaks = []
    for transformer, X in of_sample, of_all:
        tracemalloc.start()
        transformer.fit_transform(X)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[0] < SQUARE * 500**2 + 3 * 8 * 5000 * 50
    assert 0.8 < peaks[1] / (SQUARE * 2000**2) < 1


def test_too_much_is_an_error_before_memory_is_taken(bags, monkeypatch):
    def leave_free(n_bytes):
        free = Mock(return_value=Mock(available=n_bytes))
        monkeypatch.setattr("mimlpaper.distances.virtual_memory", free)

    fitted = LandmarkMap(ratio=1.0, random_state=0).fit(bags)
    leave_free(8_999)  # 10 · 30² = 9,000
    with pytest.raises(MemoryError, match=r"distances of 30 bags need .* free; lower n_sample"):
        LandmarkMap().fit(bags)
    LandmarkMap(n_sample=10).fit(bags)
    leave_free(7_199)  # 8 · 30 · 30 = 7,200
    with pytest.raises(MemoryError, match=r"30 bags to 30 medoids need .* lower ratio"):
        fitted.transform(bags)
    leave_free(7_200)
    assert len(fitted.transform(bags)) == 30
    leave_free(3.5 * 2**30)
    message = "^these distances need 4.0 GiB of memory, 3.5 are free; take fewer$"
    with pytest.raises(MemoryError, match=message):
        check_memory(4.0 * 2**30, "these distances", "take fewer")


def test_mimlsvm_is_one_svm_a_label_on_the_distances(bags, labels):
    Y = labels[:, :2]
    fitted = MimlSvm(ratio=0.5, gamma=0.2, C=3.0, random_state=3).fit(bags, Y)
    scores = fitted.decision_function(bags)
    z = MedoidMap(ratio=0.5, random_state=3).fit_transform(bags)
    for label in range(2):
        alone = SVC(gamma=0.2, C=3.0).fit(z, Y[:, label])
        assert np.allclose(scores[:, label], alone.decision_function(z), atol=1e-6)
    for ratio, n_medoids in (0.001, 1), (0.29, 8), (0.3, 9), (0.5, 15), (1.0, 30):
        assert MedoidMap(ratio=ratio).fit_transform(bags).shape[1] == n_medoids


def test_mimlnn_without_ridge_is_the_pseudo_inverse_even_with_duplicates(rng):
    points = np.repeat(rng.normal(size=(8, 2)), 3, axis=0)
    z, Y = euclidean_distances(points), points > 0
    fitted = MimlNn(ratio=1.0, ridge=0.0, metric="euclidean").fit(points, Y)
    z = z[:, fitted.medoid_map_.medoid_indices_]
    assert np.allclose(fitted.weights_, np.linalg.pinv(z) @ np.where(Y, 1.0, -1.0))


def test_two_rounds_of_k_medoids_by_hand():
    """Points 0, 1, 10, 11, 20, 21, medoids 0, 1, 10: only the last cluster {10, 11, 20, 21}
    moves, to 11 (sum 1 + 9 + 10 = 20, as for 20, which comes later); then nothing changes."""
    D = euclidean_distances(np.array([[0, 1, 10, 11, 20, 21]]).T)
    medoids = np.array([0, 1, 2])
    labels = _assign(D, medoids)
    assert labels.tolist() == [0, 1, 2, 2, 2, 2]
    updated = _update(D, labels, medoids)
    assert updated.tolist() == [0, 1, 3]
    assert _update(D, _assign(D, updated), updated).tolist() == [0, 1, 3]


@pytest.mark.parametrize("start", ["medoids", "partition"])
@pytest.mark.parametrize("k", [1, 3, 12, 40])
def test_k_medoids_end_where_every_medoid_is_the_best_of_its_cluster(rng, k, start):
    """Some points are equal, but no cluster is empty."""
    D = euclidean_distances(rng.normal(size=(40, 2)).round())
    clusters = KMedoids(k, start=start, random_state=1).fit(D)
    assert clusters.labels_[clusters.medoid_indices_].tolist() == list(range(k))
    for t, medoid in enumerate(clusters.medoid_indices_):
        members = np.flatnonzero(clusters.labels_ == t)
        costs = D[np.ix_(members, members)].sum(axis=0)
        assert costs[members == medoid][0] == pytest.approx(costs.min())
    nearest = D[:, clusters.medoid_indices_].min(axis=1)
    assert clusters.inertia_ == pytest.approx(nearest.sum())


class Draws(np.random.RandomState):
    """Founds clusters by rows 0 and 5, and gives the others to clusters 0, 1, 0, 1."""

    def choice(self, a, size, replace):
        return np.array([0, 5])

    def randint(self, high, size):
        return np.array([1, 0, 1, 0, 1, 0])


def test_a_random_partition_starts_k_medoids_by_hand():
    """Points 0, 1, 2, 10, 11, 12. The clusters {0, 1, 10} and {2, 11, 12} have the medoids 1
    (sum 1 + 9 = 10) and 11 (sum 9 + 1 = 10), whose clusters {0, 1, 2} and {10, 11, 12} stay."""
    D = euclidean_distances(np.array([[0, 1, 2, 10, 11, 12]]).T)
    clusters = KMedoids(2, start="partition", max_iter=1, random_state=Draws()).fit(D)
    assert clusters.medoid_indices_.tolist() == [1, 4]
    assert clusters.labels_.tolist() == [0, 0, 0, 1, 1, 1]


def test_learners_on_medoids_pass_their_start_on(bags):
    Y = np.arange(2 * len(bags)).reshape(-1, 2) % 3 == 0
    for learner in MimlNn(start="partition"), MimlSvm(start="partition"):
        assert learner.fit(bags, Y).medoid_map_.start == "partition"
    with pytest.raises(ValueError, match="Got 'middle'"):
        MimlNn(start="middle").fit(bags, Y)


def test_unfinished_k_medoids_and_bad_input(rng):
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        KMedoids(6, max_iter=1, random_state=0).fit(euclidean_distances(rng.normal(size=(60, 1))))
    for D, k, message in (
        (np.zeros((3, 3)), 4, "n_clusters must lie in 1 to 3, got 4"),
        (np.zeros((3, 3)), 0, "n_clusters.* Got 0"),
        (np.zeros((3, 2)), 1, "square"),
        (np.full((2, 2), np.nan), 1, "D contains NaN"),
    ):
        with pytest.raises(ValueError, match=message):
            KMedoids(k).fit(D)
