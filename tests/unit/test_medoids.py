"""k-medoids, by hand and where it ends."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from mimlpaper.algorithms.medoid_map import KMedoids, _assign, _update


def line(*points):
    return np.abs(np.subtract.outer(points, points)).astype(float)


def test_two_rounds_by_hand():
    """Points 0, 1, 10, 11, 20, 21, medoids 0, 1, 10: only the last cluster {10, 11, 20, 21}
    moves, to 11 (sum 1 + 9 + 10 = 20, as for 20, which comes later); then nothing changes."""
    D = line(0, 1, 10, 11, 20, 21)
    medoids = np.array([0, 1, 2])
    labels = _assign(D, medoids)
    assert labels.tolist() == [0, 1, 2, 2, 2, 2]
    updated = _update(D, labels, medoids)
    assert updated.tolist() == [0, 1, 3]
    assert _update(D, _assign(D, updated), updated).tolist() == [0, 1, 3]


@pytest.mark.parametrize("k", [1, 3, 12, 40])
def test_ends_where_every_medoid_is_the_best_of_its_cluster(rng, k):
    points = rng.normal(size=(40, 2))
    D = np.linalg.norm(points[:, None] - points[None, :], axis=2)
    clusters = KMedoids(k, random_state=1).fit(D)
    assert clusters.labels_[clusters.medoid_indices_].tolist() == list(range(k))
    for t, medoid in enumerate(clusters.medoid_indices_):
        members = np.flatnonzero(clusters.labels_ == t)
        costs = D[np.ix_(members, members)].sum(axis=0)
        assert costs[members == medoid][0] == pytest.approx(costs.min())
    nearest = D[:, clusters.medoid_indices_].min(axis=1)
    assert clusters.inertia_ == pytest.approx(nearest.sum())
    again = KMedoids(k, random_state=1).fit(D)
    assert np.array_equal(again.medoid_indices_, clusters.medoid_indices_)


def test_duplicates_do_not_empty_a_cluster():
    clusters = KMedoids(3, random_state=0).fit(line(0, 0, 0, 0, 5))
    assert sorted(np.unique(clusters.labels_)) == [0, 1, 2]


def test_unfinished_search_and_bad_input(rng):
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        KMedoids(6, max_iter=1, random_state=0).fit(line(*rng.normal(size=60)))
    for D, k, message in (
        (np.zeros((3, 3)), 4, "n_clusters must lie in 1 to 3, got 4"),
        (np.zeros((3, 3)), 0, "got 0"),
        (np.zeros((3, 2)), 1, "square"),
        (np.full((2, 2), np.nan), 1, "D contains NaN"),
    ):
        with pytest.raises(ValueError, match=message):
            KMedoids(k).fit(D)
