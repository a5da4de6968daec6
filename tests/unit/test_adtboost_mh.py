import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from mimlpaper.baselines.adtboost_mh import AdtBoostMH
from mimlpaper.sharing import Cache, sharing
from tests import reference

HAND_X = np.array([[0.0], [0.0], [1.0], [1.0]])
HAND_Y = np.array([[1, 0], [1, 1], [0, 1], [0, 1]])


@pytest.fixture
def noisy(rng):
    """Two hundred examples on a coarse grid, whose labels follow it loosely."""
    X = rng.integers(-2, 3, (200, 3)).astype(float)
    probabilities = 1 / (1 + np.exp(X * [0.6, -0.4, 0.2]))
    Y = rng.random((200, 3)) < probabilities
    return X, Y


def rules(fitted):
    """Precondition, feature, values and Z of each rule."""
    columns = (
        fitted.precondition_.tolist(),
        fitted.feature_.tolist(),
        fitted.values_.tolist(),
        fitted.z_.tolist(),
    )
    return list(zip(*columns, strict=True))


def test_four_examples_by_hand():
    """x = (0, 0, 1, 1), Y1 = (+, +, -, -), Y2 = (-, +, +, +), eps = 1/8.

    Root: label 1 has as many with as without, so 0; label 2 has 3/8 against 1/8, so
    1/2 log(4/2) = .346574. It leaves the weights of label 1 at 1/8, and turns those of label 2
    into 2^-1/2 / 8 (has it) and 2^1/2 / 8 (lacks it). The test x <= 1/2 is pure for label 1 on
    both sides and for label 2 where x = 1; where x = 0, W_+ W_- = 1/64, so
    Z = 2 sqrt(1/64) = 1/4. Values: label 1, 1/2 log(3) = .549306 and its negative; label 2,
    1/2 log((2^-1/2 + 1) / (2^1/2 + 1)) = -.173287 and 1/2 log(2^1/2 + 1) = .440687.
    """
    tree = AdtBoostMH(n_rounds=1).fit(HAND_X, HAND_Y)
    assert tree.z_ == pytest.approx([0.25])
    scores = tree.decision_function([[-9.0], [9.0]])
    expected = [[0.549306, 0.173287], [-0.549306, 0.787260]]
    assert scores == pytest.approx(np.array(expected), abs=1e-6)
    predicted = tree.predict([[0.5], [0.51]])
    assert predicted.tolist() == [[True, True], [False, True]]


def test_the_rules_of_four_examples_as_text():
    X = pd.DataFrame(HAND_X, columns=["colour"])
    Y = pd.DataFrame(HAND_Y, columns=["sea", "mountains"])
    tree = AdtBoostMH(n_rounds=1).fit(X, Y)
    assert tree.to_text().splitlines() == [
        "                    sea  mountains",
        "true             +0.000     +0.347",
        "1: colour <= 0.5 +0.549     -0.173",
        "1: colour > 0.5  -0.549     +0.441",
    ]
    without_names = AdtBoostMH(n_rounds=1).fit(HAND_X, HAND_Y)
    assert "1: x0 <= 0.5" in without_names.to_text()


def assert_same_rules(X, Y, smoothing):
    root, expected = reference.adtboost_mh(X, Y, 6, smoothing)
    tree = AdtBoostMH(n_rounds=6, smoothing=smoothing).fit(X, Y)
    assert tree.root_values_ == pytest.approx(np.array(root))
    assert tree.n_rounds_ == len(expected)
    for i, (z, node, feature, threshold, *values) in enumerate(expected):
        assert tree.precondition_[i] == node
        assert tree.feature_[i] == feature
        assert tree.threshold_[i] == threshold
        assert tree.z_[i] == pytest.approx(z, abs=1e-12)
        assert np.allclose(tree.values_[i], values)


@pytest.mark.filterwarnings("ignore::mimlpaper.base.ConstantLabelWarning")
@pytest.mark.parametrize("seed", range(2, 8))
def test_same_rules_as_trying_everything(seed):
    """Small integers: many equal values, equal splits, duplicate columns and rows."""
    rng = np.random.default_rng(seed)
    shape = rng.integers(2, 15), rng.integers(1, 4)
    X = rng.integers(-1, 3, shape).astype(float)
    Y = rng.random((len(X), rng.integers(2, 5))) < 0.4
    # The first label varies.
    Y[0, 0] = True
    Y[1, 0] = False
    smoothing = rng.choice([1.0, 0.1, 1e-3])
    assert_same_rules(X, Y, smoothing)


def test_same_rules_where_all_values_differ_and_labels_are_many(rng):
    X = rng.random((40, 3))
    Y = rng.random((40, 12)) < 0.3
    assert_same_rules(X, Y, smoothing=1e-3)


def test_same_rules_where_a_node_has_no_zero():
    """Where x0 <= 1/2, no x1 is zero."""
    examples = np.array(
        [
            # x0, x1, labels
            (0, -1, 1, 1),
            (0, -1, 1, 1),
            (0, 1, 0, 1),
            (0, 1, 0, 1),
            (1, 0, 0, 0),
            (1, 0, 1, 0),
            (1, 0, 0, 0),
            (1, 0, 1, 0),
        ]
    )
    X = examples[:, :2].astype(float)
    Y = examples[:, 2:].astype(bool)
    assert_same_rules(X, Y, smoothing=1.0)


def test_without_smoothing_the_loss_falls_to_z(noisy):
    """Also where a leaf is pure in a label: that label's weight goes to 0 there.

    To nearly 0: weights are multiples of 2^-51, and Z holds roots of them.
    """
    X, Y = noisy
    tree = AdtBoostMH(n_rounds=12, smoothing=1e-300).fit(X, Y)
    losses = []
    for scores in tree.staged_decision_function(X):
        weights = np.exp(np.where(Y, -1, 1) * scores)
        losses.append(np.mean(weights))
    assert losses[:3] == pytest.approx(tree.z_[:3], abs=1e-12)
    assert losses == pytest.approx(tree.z_, abs=1e-7)
    assert np.abs(tree.values_).max() > 100


def test_a_longer_run_of_sparse_vectors_goes_on_from_a_shorter_one(noisy):
    """60 rounds continue 50 rounds, and 50 continue 25: the rules of one run of dense vectors."""
    X, Y = noisy
    sparse = csr_array(X)
    whole_run = AdtBoostMH(n_rounds=60).fit(X, Y)
    runs = [
        # rounds, misses and hits of the cache so far
        (25, 1, 0),
        (60, 3, 1),
        (50, 3, 2),
    ]
    with sharing(Cache()) as cache:
        for n_rounds, n_misses, n_hits in runs:
            tree = AdtBoostMH(n_rounds=n_rounds).fit(sparse, Y)
            assert cache.n_misses == n_misses
            assert cache.n_hits == n_hits
            assert rules(tree) == rules(whole_run)[:n_rounds]
            expected = whole_run.threshold_[:n_rounds]
            assert np.array_equal(tree.threshold_, expected)


def test_only_the_order_of_values_matters(noisy):
    """Monotone maps, also one without zeros, and any order of the examples: the same tree."""
    X, Y = noisy
    expected = rules(AdtBoostMH().fit(X, Y))
    without_zeros = AdtBoostMH().fit(np.exp(X), Y)
    assert rules(without_zeros) == expected
    stretched = AdtBoostMH().fit(1000 * X**3, Y)
    assert rules(stretched) == expected
    backwards = AdtBoostMH().fit(X[::-1], Y[::-1])
    assert rules(backwards) == expected


def test_neighbouring_floats_are_told_apart():
    X = np.array([[1.0], [np.nextafter(1, 2)]])
    tree = AdtBoostMH(n_rounds=1).fit(X, [[1], [0]])
    assert tree.predict(X).tolist() == [[True], [False]]


@pytest.mark.parametrize(
    "X",
    [np.ones((4, 2)), np.zeros((4, 2)), csr_array((4, 2))],
    ids=["ones", "zeros", "sparse zeros"],
)
def test_no_rule_if_all_examples_are_alike(X):
    tree = AdtBoostMH().fit(X, HAND_Y)
    assert tree.n_rounds_ == 0
    assert tree.values_.shape == (0, 2, 2)
    assert list(tree.staged_decision_function(X)) == []
    expected = np.tile(tree.root_values_, (4, 1))
    assert np.array_equal(tree.decision_function(X), expected)
    assert len(tree.to_text().splitlines()) == 2
