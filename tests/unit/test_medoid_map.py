"""Distances to medoid bags, the search for medoids, and the learners on the distances."""

import tracemalloc
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import RidgeClassifier
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from mimlpaper import LandmarkMap, MedoidMap, MimlNn, MimlSvm, MimlSvmMi, MlSvm
from mimlpaper.algorithms.insdif import SingleInstances
from mimlpaper.algorithms.medoid_map import SQUARE, KMedoids, _assign, _update
from mimlpaper.bags import Bags
from mimlpaper.datasets import labelled_bags, make_bags
from mimlpaper.distances import check_memory, max_hausdorff
from mimlpaper.preprocessing import MeanInstances


def test_the_middle_of_three_bags_by_hand():
    """Distances 1 (0 to 1), 3 (0 to 3) and 2 (1 to 3): the medoid is 1, whose sum 3 is least."""
    landmarks = LandmarkMap(ratio=0.34, random_state=0)
    features = landmarks.fit_transform([[[0.0]], [[1.0]], [[3.0]]])
    assert features.tolist() == [[1.0], [0.0], [2.0]]
    new = landmarks.transform([[[5.0], [1.0]]])
    assert new.tolist() == [[4.0]]
    assert landmarks.medoid_indices_.tolist() == [1]
    assert landmarks.n_features_in_ == 1


@pytest.mark.parametrize("n_sample", [30, 1000])
def test_landmarks_of_all_bags_are_the_medoids(bags, n_sample):
    medoids = MedoidMap(random_state=3)
    landmarks = LandmarkMap(n_sample=n_sample, random_state=3)
    expected = medoids.fit_transform(bags)
    features = landmarks.fit_transform(bags)
    np.testing.assert_allclose(features, expected, atol=1e-14)
    indices = landmarks.medoid_indices_
    np.testing.assert_array_equal(indices, medoids.medoid_indices_)


def test_landmarks_are_bags_of_the_sample_and_features_the_distances_to_them(bags):
    landmarks = LandmarkMap(n_sample=10, ratio=0.5, random_state=0)
    features = landmarks.fit_transform(bags)
    indices = landmarks.medoid_indices_
    assert features.shape == (30, 5)
    assert len(set(indices)) == 5
    expected = max_hausdorff(bags, bags[indices])
    np.testing.assert_allclose(features, expected, atol=1e-14)

    # The seed alone decides the sample.
    twin = LandmarkMap(n_sample=10, ratio=0.5, random_state=0).fit(bags)
    assert np.array_equal(twin.medoid_indices_, indices)


def assert_same_scores(pipeline, learner, bags, labels, tolerance):
    train = bags[:20]
    Y = labels[:20, :2]
    scores = pipeline.fit(train, Y).decision_function(bags)
    expected = learner.fit(train, Y).decision_function(bags)
    np.testing.assert_allclose(scores, expected, atol=tolerance)


def test_the_pipeline_with_ridge_is_mimlnn(bags, labels):
    ridge = RidgeClassifier(alpha=0.7, fit_intercept=False)
    pipeline = make_pipeline(
        LandmarkMap(ratio=0.4, random_state=0),
        OneVsRestClassifier(ridge),
    )
    learner = MimlNn(ridge=0.7, random_state=0)
    assert_same_scores(pipeline, learner, bags, labels, 1e-9)


def test_the_pipeline_with_machines_is_mimlsvm(bags, labels):
    pipeline = make_pipeline(
        LandmarkMap(random_state=0),
        SingleInstances(),
        MimlSvmMi(C=10.0, rank=None, tol=1e-7),
    )
    learner = MimlSvm(random_state=0)
    # Two solvers, each with its own tolerance.
    assert_same_scores(pipeline, learner, bags, labels, 1e-2)


def peak_memory(transformer, X):
    """Bytes that the fit holds at most."""
    tracemalloc.start()
    transformer.fit_transform(X)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


def test_memory_grows_with_the_bags_not_with_their_square():
    """5,000 bags: 50 features take 2 MB, the distances of 500 take 2.5 MB, of all 250."""
    landmarks = LandmarkMap(n_sample=500, ratio=0.1, random_state=0)
    X, *_ = make_bags(5000, 2, 4)
    features = 8 * 5000 * 50
    # The bound allows for the features and two copies.
    assert peak_memory(landmarks, X) < SQUARE * 500**2 + 3 * features

    medoids = MedoidMap(random_state=0)
    X, *_ = make_bags(2000, 1, 4)
    share = peak_memory(medoids, X) / (SQUARE * 2000**2)
    assert share > 0.8
    assert share < 1


@pytest.fixture
def leave_free(monkeypatch):
    """A function that says how many bytes of memory shall be free."""

    def leave(n_bytes):
        memory = Mock(return_value=Mock(available=n_bytes))
        monkeypatch.setattr("mimlpaper.distances.virtual_memory", memory)

    return leave


def test_too_much_is_an_error_before_memory_is_taken(bags, leave_free):
    landmarks = LandmarkMap(ratio=1.0, random_state=0).fit(bags)
    # The distances of 30 bags need 10 · 30² = 9,000 bytes.
    leave_free(8_999)
    message = r"distances of 30 bags need .* free; lower n_sample"
    with pytest.raises(MemoryError, match=message):
        LandmarkMap().fit(bags)
    LandmarkMap(n_sample=10).fit(bags)

    # Their features need 8 · 30 · 30 = 7,200 bytes.
    leave_free(7_199)
    message = r"30 bags to 30 medoids need .* lower ratio"
    with pytest.raises(MemoryError, match=message):
        landmarks.transform(bags)
    leave_free(7_200)
    assert len(landmarks.transform(bags)) == 30


def test_a_bag_that_is_too_large_is_an_error_before_memory_is_taken(leave_free):
    """8 · 50 · 60 bytes are the products of the instances of one bag with all."""
    bags = Bags(np.zeros((60, 2)), [0, 50, 60])
    leave_free(23_999)
    message = "distances of a bag of 50 instances to 60 need .* split it"
    with pytest.raises(MemoryError, match=message):
        max_hausdorff(bags)
    leave_free(24_000)
    assert max_hausdorff(bags).shape == (2, 2)


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32, object])
def test_a_metric_may_give_integers(bags, labels, dtype):
    def n_more(A, B):
        return np.abs(np.subtract.outer(A.sizes, B.sizes)).astype(dtype)

    learner = MimlNn(metric=n_more, random_state=0).fit(bags, labels)
    as_floats = MimlNn(metric=lambda A, B: n_more(A, B).astype(float), random_state=0)
    expected = as_floats.fit(bags, labels).decision_function(bags)
    assert np.array_equal(learner.decision_function(bags), expected)


def test_lack_of_memory_is_told_in_gib(leave_free):
    leave_free(3.5 * 2**30)
    message = "^these distances need 4.0 GiB of memory, 3.5 are free; take fewer$"
    with pytest.raises(MemoryError, match=message):
        check_memory(4.0 * 2**30, "these distances", "take fewer")


def test_mimlsvm_is_one_svm_a_label_on_the_distances(bags, labels):
    Y = labels[:, :2]
    learner = MimlSvm(ratio=0.5, gamma=0.2, C=3.0, random_state=3)
    scores = learner.fit(bags, Y).decision_function(bags)
    z = MedoidMap(ratio=0.5, random_state=3).fit_transform(bags)
    for label in range(2):
        svm = SVC(gamma=0.2, C=3.0).fit(z, Y[:, label])
        expected = svm.decision_function(z)
        assert np.allclose(scores[:, label], expected, atol=1e-6)


@pytest.mark.parametrize(
    ("ratio", "n_medoids"),
    [(0.001, 1), (0.29, 8), (0.3, 9), (0.5, 15), (1.0, 30)],
)
def test_ratio_is_the_share_of_medoids(bags, ratio, n_medoids):
    features = MedoidMap(ratio=ratio).fit_transform(bags)
    assert features.shape[1] == n_medoids


def test_mimlnn_without_ridge_is_the_pseudo_inverse_even_with_duplicates(rng):
    points = np.repeat(rng.normal(size=(8, 2)), 3, axis=0)
    Y = points > 0
    learner = MimlNn(ratio=1.0, ridge=0.0, metric="euclidean")
    learner.fit(points, Y)
    medoids = learner.medoid_map_.medoid_indices_
    z = euclidean_distances(points)[:, medoids]
    expected = np.linalg.pinv(z) @ np.where(Y, 1.0, -1.0)
    assert np.allclose(learner.weights_, expected)


def distances_on_a_line(points):
    column = np.array(points)[:, None]
    return euclidean_distances(column)


def test_two_rounds_of_k_medoids_by_hand():
    """Points 0, 1, 10, 11, 20, 21, medoids 0, 1, 10: only the last cluster {10, 11, 20, 21}
    moves, to 11 (sum 1 + 9 + 10 = 20, as for 20, which comes later); then nothing changes."""
    D = distances_on_a_line([0, 1, 10, 11, 20, 21])
    medoids = np.array([0, 1, 2])
    labels = _assign(D, medoids, 0)
    assert labels.tolist() == [0, 1, 2, 2, 2, 2]
    medoids = _update(D, labels, medoids, 0)
    assert medoids.tolist() == [0, 1, 3]
    labels = _assign(D, medoids, 0)
    assert _update(D, labels, medoids, 0).tolist() == [0, 1, 3]


@pytest.mark.parametrize("start", ["medoids", "partition"])
@pytest.mark.parametrize("k", [1, 3, 12, 40])
def test_k_medoids_end_where_every_medoid_is_the_best_of_its_cluster(rng, k, start):
    """Some points are equal, but no cluster is empty."""
    points = rng.normal(size=(40, 2)).round()
    D = euclidean_distances(points)
    clusters = KMedoids(k, start=start, random_state=1).fit(D)
    medoids = clusters.medoid_indices_
    assert clusters.labels_[medoids].tolist() == list(range(k))
    for t, medoid in enumerate(medoids):
        members = np.flatnonzero(clusters.labels_ == t)
        within = D[np.ix_(members, members)]
        cost = D[members, medoid].sum()
        assert cost == pytest.approx(within.sum(axis=0).min())
    to_nearest = D[:, medoids].min(axis=1)
    assert clusters.inertia_ == pytest.approx(to_nearest.sum())


class Draws(np.random.RandomState):
    """Founds clusters by rows 0 and 5, and gives the others to clusters 0, 1, 0, 1."""

    def choice(self, a, size, replace):
        return np.array([0, 5])

    def randint(self, high, size):
        return np.array([1, 0, 1, 0, 1, 0])


def test_a_random_partition_starts_k_medoids_by_hand():
    """Points 0, 1, 2, 10, 11, 12. The clusters {0, 1, 10} and {2, 11, 12} have the medoids 1
    (sum 1 + 9 = 10) and 11 (sum 9 + 1 = 10), whose clusters {0, 1, 2} and {10, 11, 12} stay."""
    D = distances_on_a_line([0, 1, 2, 10, 11, 12])
    clusters = KMedoids(
        2,
        start="partition",
        max_iter=1,
        random_state=Draws(),
    )
    clusters.fit(D)
    assert clusters.medoid_indices_.tolist() == [1, 4]
    assert clusters.labels_.tolist() == [0, 0, 0, 1, 1, 1]


def test_learners_on_medoids_pass_their_start_on(bags):
    Y = np.arange(2 * len(bags)).reshape(-1, 2) % 3 == 0
    for learner in MimlNn(start="partition"), MimlSvm(start="partition"):
        learner.fit(bags, Y)
        assert learner.medoid_map_.start == "partition"
    with pytest.raises(ValueError, match="Got 'middle'"):
        MimlNn(start="middle").fit(bags, Y)


def test_unfinished_k_medoids_warn(rng):
    D = euclidean_distances(rng.normal(size=(60, 1)))
    clusters = KMedoids(6, max_iter=1, random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        clusters.fit(D)


@pytest.mark.parametrize(
    ("D", "k", "message"),
    [
        (np.zeros((3, 3)), 4, "n_clusters must lie in 1 to 3, got 4"),
        (np.zeros((3, 3)), 0, "n_clusters.* Got 0"),
        (np.zeros((3, 2)), 1, "square"),
        (np.full((2, 2), np.nan), 1, "D contains NaN"),
    ],
)
def test_bad_input_of_k_medoids_is_refused(D, k, message):
    with pytest.raises(ValueError, match=message):
        KMedoids(k).fit(D)


@pytest.mark.parametrize("scale", [2.0**-166, 2.0**150])
def test_distances_that_float32_cannot_hold_have_the_same_medoids(bags, scale):
    expected = MedoidMap(random_state=0).fit(bags)
    scaled = MedoidMap(random_state=0).fit(bags.with_instances(bags.instances * scale))
    assert scaled.medoid_indices_.tolist() == expected.medoid_indices_.tolist()


def test_rows_of_labels_in_another_order_than_named_bags_are_refused(bags, labels):
    named = Bags(
        bags.instances,
        bags.offsets,
        None,
        [f"b{i}" for i in range(len(bags))],
    )
    shuffled = pd.DataFrame(labels, named.names)[::-1]
    for step in (MeanInstances(), MedoidMap(), LandmarkMap()):
        with pytest.raises(
            ValueError, match=r"Y must have its rows in the order of the bags"
        ):
            make_pipeline(step, MlSvm()).fit(named, shuffled)


def test_rows_of_labels_are_put_in_order_as_the_error_says(bags, labels):
    in_a_dict = {f"b{i}": bag for i, bag in enumerate(bags)}
    in_a_series = pd.Series(in_a_dict)
    in_bags = Bags.from_list(in_a_dict)
    table = pd.DataFrame(labels, list(in_a_dict))
    shuffled = table[::-1]
    for X in (in_a_dict, in_a_series, in_bags):
        with pytest.raises(ValueError, match=r"give labelled_bags\(X, Y\)\.Y"):
            MeanInstances().fit(X, shuffled)
        MeanInstances().fit(X, labelled_bags(X, shuffled).Y)
