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
    X, Y = np.array([[0.0, 1.0, 2.2, 10.0, 11.0, 12.2]]).T, np.array([[1, 1, 0, 0, 0, 0]]).T
    fitted = MlKnn(n_neighbors=2).fit(X, Y)
    by_count = posterior(fitted.log_prior_odds_ + fitted.log_evidence_)[:, 0]
    assert by_count == pytest.approx([0.173554, 0.715909, 0.295775], abs=1e-6)
    assert fitted.predict(np.array([[0.6], [2.0], [11.5]])).tolist() == [[False], [True], [False]]


def test_agrees_with_the_slow_form(rng):
    X = rng.integers(0, 4, (25, 2)).astype(float)  # with duplicates and equal distances
    Y = rng.random((25, 3)) < [0.5, 0.2, 0.8]
    new = rng.integers(0, 4, (10, 2)).astype(float)
    for k, s in ((1, 1.0), (3, 1.0), (5, 0.3)):
        scores = MlKnn(n_neighbors=k, smoothing=s).fit(X, Y).decision_function(new)
        assert np.allclose(posterior(scores), reference.ml_knn(X, Y, new, k, s))


def test_a_duplicate_is_a_neighbour_but_nobody_is_his_own():
    """Two examples at one place, with and without the label: each has the other as neighbour."""
    fitted = MlKnn(n_neighbors=1).fit(np.zeros((2, 1)), np.array([[1], [0]]))
    # With the label: one example, 0 neighbours have it. Without: one example, 1 neighbour.
    evidence = np.exp(fitted.log_evidence_[:, 0])
    assert evidence == pytest.approx([(2 / 3) / (1 / 3), (1 / 3) / (2 / 3)])
    # Fewer examples than neighbours:
    X, Y = np.arange(4.0)[:, None], np.array([[1], [1], [0], [0]])
    assert len(MlKnn(n_neighbors=10).fit(X, Y).log_evidence_) == 4  # counts 0 to 3
