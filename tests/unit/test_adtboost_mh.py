import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from mimlpaper.baselines.adtboost_mh import AdtBoostMH
from mimlpaper.sharing import Cache, sharing
from tests import reference

HAND_X, HAND_Y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([[1, 0], [1, 1], [0, 1], [0, 1]])


@pytest.fixture
def noisy(rng):
    """Two hundred examples on a coarse grid, whose labels follow it loosely."""
    X = rng.integers(-2, 3, (200, 3)).astype(float)
    Y = rng.random((200, 3)) < 1 / (1 + np.exp(X * [0.6, -0.4, 0.2]))
    return X, Y


def rules(fitted):
    parts = fitted.precondition_, fitted.feature_, fitted.values_, fitted.z_
    return list(zip(*(part.tolist() for part in parts), strict=True))


def test_four_examples_by_hand():
    """x = (0, 0, 1, 1), Y1 = (+, +, -, -), Y2 = (-, +, +, +), eps = 1/8.

    Root: label 1 has as many with as without, so 0; label 2 has 3/8 against 1/8, so
    1/2 log(4/2) = .346574. It leaves the weights of label 1 at 1/8, and turns those of label 2
    into 2^-1/2 / 8 (has it) and 2^1/2 / 8 (lacks it). The test x <= 1/2 is pure for label 1 on
    both sides and for label 2 where x = 1; where x = 0, W_+ W_- = 1/64, so
    Z = 2 sqrt(1/64) = 1/4. Values: label 1, 1/2 log(3) = .549306 and its negative; label 2,
    1/2 log((2^-1/2 + 1) / (2^1/2 + 1)) = -.173287 and 1/2 log(2^1/2 + 1) = .440687.
    """
    fitted = AdtBoostMH(n_rounds=1).fit(HAND_X, HAND_Y)
    assert fitted.z_ == pytest.approx([0.25])
    X = pd.DataFrame(HAND_X, columns=["colour"])
    Y = pd.DataFrame(HAND_Y, columns=["sea", "mountains"])
    assert AdtBoostMH(n_rounds=1).fit(X, Y).to_text().splitlines() == [
        "                    sea  mountains",
        "true             +0.000     +0.347",
        "1: colour <= 0.5 +0.549     -0.173",
        "1: colour > 0.5  -0.549     +0.441",
    ]
    scores = [[0.549306, 0.173287], [-0.549306, 0.787260]]
    assert fitted.decision_function([[-9.0], [9.0]]) == pytest.approx(np.array(scores), abs=1e-6)
    assert fitted.predict([[0.5], [0.51]]).tolist() == [[True, True], [False, True]]
    assert "1: x0 <= 0.5" in fitted.to_text()


@pytest.mark.filterwarnings("ignore::mimlpaper.base.ConstantLabelWarning")
@pytest.mark.parametrize("seed", range(8))
def test_same_rules_as_trying_everything(seed):
    """Small integers: many equal values, equal splits, duplicate columns and rows."""
    rng = np.random.default_rng(seed)
    shape = rng.integers(2, 15), rng.integers(1, 4)
    X = rng.integers(-1, 3, shape).astype(float)
    Y = rng.random((len(X), rng.integers(2, 5))) < 0.4
    if seed == 0:  # all values differ, many labels
        X, Y = rng.random((40, 3)), rng.random((40, 12)) < 0.3
    if seed == 1:  # inside x0 <= 1/2 no x1 is zero
        X = np.array([[0, -1], [0, -1], [0, 1], [0, 1], [1, 0], [1, 0], [1, 0], [1, 0]], float)
        Y = np.array([[1, 1], [1, 1], [0, 1], [0, 1], [0, 0], [1, 0], [0, 0], [1, 0]], bool)
    Y[0, 0], Y[1, 0] = True, seed == 1
    smoothing = rng.choice([1.0, 0.1, 1e-3])
    root, expected = reference.adtboost_mh(X, Y, 6, smoothing)
    fitted = AdtBoostMH(n_rounds=6, smoothing=smoothing).fit(X, Y)
    assert fitted.root_values_ == pytest.approx(np.array(root))
    found = zip(fitted.precondition_, fitted.feature_, fitted.threshold_, strict=True)
    assert list(found) == [rule[1:4] for rule in expected]
    assert fitted.z_ == pytest.approx(np.array([rule[0] for rule in expected]), abs=1e-12)
    assert np.allclose(fitted.values_.reshape(-1, 2, Y.shape[1]), [r[4:] for r in expected] or 0)


def test_without_smoothing_the_loss_falls_to_z(noisy):
    """Also where a leaf is pure in a label: that label's weight goes to 0 there.

    To nearly 0: weights are multiples of 2^-51, and Z holds roots of them.
    """
    X, Y = noisy
    fitted = AdtBoostMH(n_rounds=12, smoothing=1e-300).fit(X, Y)
    stages = fitted.staged_decision_function(X)
    losses = np.array([np.mean(np.exp(np.where(Y, -1, 1) * scores)) for scores in stages])
    assert losses[:3] == pytest.approx(fitted.z_[:3], abs=1e-12)
    assert losses == pytest.approx(fitted.z_, abs=1e-7)
    assert np.abs(fitted.values_).max() > 100


def test_a_longer_run_of_sparse_vectors_goes_on_from_a_shorter_one(noisy):
    """60 rounds continue 50 rounds, and 50 continue 25: the rules of one run of dense vectors."""
    X, Y = csr_array(noisy[0]), noisy[1]
    alone = AdtBoostMH(n_rounds=60).fit(*noisy)
    with sharing(Cache()) as cache:
        for n_rounds, known in (25, (1, 0)), (60, (3, 1)), (50, (3, 2)):
            fitted = AdtBoostMH(n_rounds=n_rounds).fit(X, Y)
            assert (cache.n_misses, cache.n_hits) == known
            assert rules(fitted) == rules(alone)[:n_rounds]
            assert np.array_equal(fitted.threshold_, alone.threshold_[:n_rounds])


def test_only_the_order_of_values_matters(noisy):
    """Monotone maps, also one without zeros, and any order of the examples: the same tree."""
    X, Y = noisy
    expected = rules(AdtBoostMH().fit(X, Y))
    for other in ((np.exp(X), Y), (1000 * X**3, Y), (X[::-1], Y[::-1])):
        assert rules(AdtBoostMH().fit(*other)) == expected
    # Neighbouring floats are told apart.
    X = np.array([[1.0], [np.nextafter(1, 2)]])
    assert AdtBoostMH(n_rounds=1).fit(X, [[1], [0]]).predict(X).tolist() == [[True], [False]]


def test_no_rule_if_all_examples_are_alike():
    for X in (np.ones((4, 2)), np.zeros((4, 2)), csr_array((4, 2))):
        fitted = AdtBoostMH().fit(X, HAND_Y)
        assert fitted.n_rounds_ == 0 and fitted.values_.shape == (0, 2, 2)
        assert list(fitted.staged_decision_function(X)) == []
        assert np.array_equal(fitted.decision_function(X), np.tile(fitted.root_values_, (4, 1)))
        assert len(fitted.to_text().splitlines()) == 2
