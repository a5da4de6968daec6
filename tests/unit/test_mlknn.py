import numpy as np
import pytest

from mimlpaper.baselines.binary_relevance import MlKnn
from tests import reference


def posterior(scores):
    return 1 / (1 + np.exp(-scores))


def test_six_points_by_hand():
    """x = (0, 1, 2.2, 10, 11, 12.2), y = (1, 1, 0, 0, 0, 0), k = 2, s = 1.

    Neighbours with the label: (1, 1, 2, 0, 0, 0). Prior .375; P(E|H1) = (.2, .6, .2),
    P(E|H0) = (4/7, 1/7, 2/7). Posteriors for 0, 1, 2 neighbours: .174, .716, .296, so that one
    neighbour with the label speaks for it and two against.
    """
    X = np.array([[0.0], [1.0], [2.2], [10.0], [11.0], [12.2]])
    Y = np.array([[1], [1], [0], [0], [0], [0]])
    ml_knn = MlKnn(n_neighbors=2).fit(X, Y)
    odds_by_count = ml_knn.log_prior_odds_ + ml_knn.log_evidence_
    posteriors = posterior(odds_by_count).ravel()
    expected = [0.173554, 0.715909, 0.295775]
    assert posteriors == pytest.approx(expected, abs=1e-6)

    new = np.array([[0.6], [2.0], [11.5]])
    assert ml_knn.predict(new).tolist() == [[False], [True], [False]]


@pytest.mark.parametrize(("k", "s"), [(1, 1.0), (3, 1.0), (5, 0.3)])
def test_agrees_with_the_slow_form(rng, k, s):
    # Integers make duplicates and equal distances.
    X = rng.integers(0, 4, (25, 2)).astype(float)
    Y = rng.random((25, 3)) < [0.5, 0.2, 0.8]
    new = rng.integers(0, 4, (10, 2)).astype(float)
    ml_knn = MlKnn(n_neighbors=k, smoothing=s).fit(X, Y)
    scores = ml_knn.decision_function(new)
    expected = reference.ml_knn(X, Y, new, k, s)
    assert np.allclose(posterior(scores), expected)


def test_a_duplicate_is_a_neighbour_but_nobody_is_his_own():
    """Two examples at one place, with and without the label: each has the other as neighbour."""
    same_place = np.zeros((2, 1))
    ml_knn = MlKnn(n_neighbors=1).fit(same_place, np.array([[1], [0]]))
    evidence = np.exp(ml_knn.log_evidence_[:, 0])
    # The example with the label has 0 neighbours with it,
    # the example without it has 1.
    expected = [(2 / 3) / (1 / 3), (1 / 3) / (2 / 3)]
    assert evidence == pytest.approx(expected)


def test_more_neighbours_than_examples():
    X = np.arange(4.0)[:, None]
    Y = np.array([[1], [1], [0], [0]])
    ml_knn = MlKnn(n_neighbors=10).fit(X, Y)
    # Counts are 0 to 3: all but the example itself.
    assert len(ml_knn.log_evidence_) == 4
