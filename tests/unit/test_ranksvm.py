import pickle
import warnings

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from mimlpaper.base import ConstantLabelWarning
from mimlpaper.baselines.ranksvm import MARGIN_OUTSIDE, RankSvm, _best_thresholds
from mimlpaper.kernels import kernel_matrix
from tests import reference

KERNELS = [
    {"kernel": "linear"},
    {"kernel": "rbf", "gamma": 0.7},
    {"kernel": "poly", "degree": 2, "gamma": 0.5},
    {"kernel": "poly", "degree": 8},
]


@pytest.fixture
def X(rng):
    return rng.normal(size=(24, 4))


@pytest.fixture
def Y(X, rng):
    """Four noisy labels; the first example has none, the second every one, the others some."""
    Y = X @ rng.normal(size=(4, 4)) + rng.normal(size=(24, 4)) > 0.3
    whole = Y.all(axis=1) | ~Y.any(axis=1)
    Y[whole] = np.arange(4) == 2
    Y[0], Y[1] = False, True
    return Y


def gram_matrix(fitted):
    names = ("kernel", "degree", "gamma", "coef0")
    return kernel_matrix(fitted.X_fit_, **{name: getattr(fitted, name) for name in names})


def ranking(fitted, X):
    """f, which sums to zero over the labels, without the threshold: (n_examples, n_labels)."""
    scores = fitted.decision_function(X)
    return scores - scores.mean(axis=1, keepdims=True)


def test_two_points_by_hand():
    """x = +1 has label 1, x = -1 has label 2; linear kernel, large C.

    Both margins are f_1 - f_2 = +-(w_1 - w_2) = 1 at the least norm: w = (1/2, -1/2), b = 0.
    Then f = (1/2, -1/2) at x = 1; the middle, 0, parts both examples, so that t = 0.
    """
    fitted = RankSvm(kernel="linear", C=100.0, tol=1e-9).fit([[1.0], [-1.0]], np.eye(2))
    assert fitted.dual_coef_.T @ fitted.X_fit_ == pytest.approx(np.array([[0.5], [-0.5]]))
    assert fitted.intercept_ == pytest.approx([0, 0], abs=1e-9)
    scores = fitted.decision_function([[1.0], [-1.0]])
    assert scores == pytest.approx(np.array([[0.5, -0.5], [-0.5, 0.5]]))


def test_three_labels_on_one_point_by_hand():
    """One x = 1 with labels {1, 2} of three, linear kernel.

    The bias alone makes the margin: w = 0, f_1 - f_3 >= 1 and f_2 - f_3 >= 1 at no loss.
    """
    with pytest.warns(ConstantLabelWarning, match=r"\[2\]"):
        fitted = RankSvm(kernel="linear").fit([[1.0], [1.0]], [[1, 1, 0], [0, 0, 0]])
    assert fitted.dual_coef_ == pytest.approx(np.zeros((1, 3)))
    assert min(fitted.intercept_[:2]) - fitted.intercept_[2] >= 1 - 1e-9


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
def test_agrees_with_a_general_solver(X, Y, kernel, C):
    fitted = RankSvm(C=C, tol=1e-5, random_state=0, **kernel).fit(X, Y)
    K, Y = gram_matrix(fitted), Y[2:]
    beta, bias = fitted.dual_coef_, fitted.intercept_
    objective = reference.rank_svm_objective(K, Y, C, beta, bias)
    optimum, best_ranking = reference.rank_svm(K, Y, C)
    assert objective == pytest.approx(optimum, rel=1e-4)
    assert objective >= optimum * (1 - 1e-7)
    centred = best_ranking - best_ranking.mean(axis=1, keepdims=True)
    assert ranking(fitted, X[2:]) == pytest.approx(centred, abs=0.05)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_optimality_conditions_and_the_stated_gap(X, Y, kernel):
    """beta is feasible for the dual, and its value is within the gap of the primal's.

    With c_i = |Y_i| |Ybar_i| pairs of at most C / c_i each, beta_ik is in [0, C / |Y_i|] for a
    label and in [-C / |Ybar_i|, 0] for another; the alphas of example i sum to the positive
    part of beta_i.
    """
    C = 2.0
    fitted = RankSvm(C=C, random_state=0, **kernel).fit(X, Y)
    K, Y, beta = gram_matrix(fitted), Y[2:], fitted.dual_coef_
    assert beta.sum(axis=0) == pytest.approx(np.zeros(4), abs=1e-10)
    assert beta.sum(axis=1) == pytest.approx(np.zeros(22), abs=1e-10)
    n_true = Y.sum(axis=1, keepdims=True)
    assert (beta >= np.where(Y, 0, -C / (4 - n_true)) - 1e-12).all()
    assert (beta <= np.where(Y, C / n_true, 0) + 1e-12).all()
    dual = beta[Y].sum() - np.sum(beta * (K @ beta)) / 2
    primal = reference.rank_svm_objective(K, Y, C, beta, fitted.intercept_)
    assert 0 <= fitted.duality_gap_ <= fitted.tol
    assert (primal - dual) / primal == pytest.approx(fitted.duality_gap_, abs=1e-8)


def test_functions_and_biases_sum_to_zero(X, Y):
    fitted = RankSvm(random_state=0).fit(X, Y)
    f = kernel_matrix(X / np.linalg.norm(X, axis=1, keepdims=True), fitted.X_fit_, kernel="poly")
    assert (f @ fitted.dual_coef_).sum(axis=1) == pytest.approx(np.zeros(24), abs=1e-9)
    assert fitted.intercept_.sum() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_two_exclusive_labels_are_a_binary_svm_of_twice_the_cost(X, rng, kernel):
    """With w_1 = -w_2 = w/2 the objective is (||w||^2 / 2 + 2 C hinge losses) / 2."""
    y = X[:, 0] + rng.normal(size=24) > 0.4
    fitted = RankSvm(C=1.5, tol=1e-8, random_state=0, **kernel).fit(X, np.column_stack([y, ~y]))
    K = gram_matrix(fitted)
    binary = SVC(kernel="precomputed", C=3.0, tol=1e-8).fit(K, y)
    first, second = ranking(fitted, X).T
    assert first - second == pytest.approx(binary.decision_function(K), abs=1e-3)


def test_best_thresholds_by_hand():
    """f = (3, 1, 2), with the places .9, 1.5, 2.5, 3.1 for the threshold.

    {1, 3}: 1.5 makes no mistake. {1, 2}: .9 and 2.5 make one, the lower one is taken. No label:
    3.1, above all. Every label: .9, below all. {2}: 3.1 makes one (label 2 is missed), the
    others at least two.
    """
    f = np.tile([3.0, 1.0, 2.0], (5, 1))
    Y = np.array([[1, 0, 1], [1, 1, 0], [0, 0, 0], [1, 1, 1], [0, 1, 0]], dtype=bool)
    outside = MARGIN_OUTSIDE
    expected = [1.5, 1 - outside, 3 + outside, 1 - outside, 3 + outside]
    assert _best_thresholds(f, Y) == pytest.approx(expected)


def test_best_thresholds_agree_with_the_slow_form(rng):
    f = rng.integers(0, 5, (50, 4)).astype(float)  # with ties
    Y = rng.random((50, 4)) < 0.5
    expected = [reference.best_threshold(*pair, MARGIN_OUTSIDE) for pair in zip(f, Y, strict=True)]
    assert _best_thresholds(f, Y) == pytest.approx(np.array(expected))


def test_threshold_is_the_least_squares_fit_over_all_examples(X, Y):
    fitted = RankSvm(random_state=0).fit(X, Y)
    K = kernel_matrix(X / np.linalg.norm(X, axis=1, keepdims=True), fitted.X_fit_, kernel="poly")
    f = K @ fitted.dual_coef_ + fitted.intercept_
    t = f @ fitted.threshold_coef_ + fitted.threshold_intercept_
    left = _best_thresholds(f, Y) - t
    assert f.T @ left == pytest.approx(np.zeros(4), abs=1e-9)
    assert left.sum() == pytest.approx(0, abs=1e-9)
    assert fitted.decision_function(X) == pytest.approx(f - t[:, None])
    assert np.array_equal(fitted.predict(X), f > t[:, None])


def test_top_rule_adds_the_best_label_only(X, Y):
    fitted = RankSvm(random_state=0).fit(X, Y)
    by_sign = fitted.predict(X)
    by_top = fitted.set_params(label_rule="top").predict(X)
    assert by_top.any(axis=1).all()
    added = by_top & ~by_sign
    assert np.array_equal(added.any(axis=1), ~by_sign.any(axis=1))
    assert added.sum(axis=1).max() <= 1


def test_examples_without_a_pair_do_not_act_on_the_ranking(X, Y):
    everything = RankSvm(tol=1e-8, random_state=0).fit(X, Y)
    usable = RankSvm(tol=1e-8, random_state=0).fit(X[2:], Y[2:])
    assert np.array_equal(everything.dual_coef_, usable.dual_coef_)
    assert everything.threshold_intercept_ != usable.threshold_intercept_


@pytest.mark.parametrize("constant", [False, True])
def test_constant_label_has_a_constant_function_and_no_loss(X, Y, constant):
    """Its bias can rise or fall until the margin holds for every pair."""
    X, Y = X[2:], np.column_stack([Y[2:, :3], np.full(22, constant)])
    with pytest.warns(ConstantLabelWarning, match=r"\[3\]"):
        fitted = RankSvm(tol=1e-6, random_state=0).fit(X, Y)
    assert fitted.dual_coef_[:, 3] == pytest.approx(np.zeros(len(fitted.X_fit_)), abs=1e-4)
    f = ranking(fitted, X)
    margins = (f[:, 3:] - f[:, :3])[~Y[:, :3]] if constant else (f[:, :3] - f[:, 3:])[Y[:, :3]]
    assert margins.min() >= 1 - 1e-3


def test_equal_examples_leave_only_the_biases():
    """Six times one x; label sets {1}, {1}, {1}, {2}, {3}, {3}: ranked by how often they occur."""
    Y = np.eye(3)[[0, 0, 0, 1, 2, 2]]
    fitted = RankSvm(tol=1e-6, random_state=0).fit(np.ones((6, 2)), Y)
    f = ranking(fitted, np.ones((1, 2)))[0]
    assert f[0] > f[2] > f[1]
    assert fitted.duality_gap_ <= 1e-6


def test_scaling_of_an_example_is_ignored_if_normalised(X, Y):
    scale = np.arange(1, 25)[:, None]
    fitted = RankSvm(random_state=0).fit(X, Y)
    assert np.allclose(fitted.decision_function(X), fitted.decision_function(scale * X))
    raw = RankSvm(kernel="linear", normalise=False, tol=1e-4, random_state=0).fit(X, Y)
    assert not np.allclose(raw.decision_function(X), raw.decision_function(scale * X))


def test_sparse_input(X, Y):
    X = np.where(X > 0.5, X, 0.0)
    X[3] = 0.0
    dense = RankSvm(random_state=0).fit(X, Y).decision_function(X)
    sparse = RankSvm(random_state=0).fit(csr_array(X), Y).decision_function(csr_array(X))
    assert np.allclose(dense, sparse, atol=1e-8)


def test_order_of_the_sweeps_acts_within_the_tolerance_only(X, Y):
    first, second = (RankSvm(tol=1e-8, random_state=s).fit(X, Y) for s in (0, 1))
    assert ranking(first, X) == pytest.approx(ranking(second, X), abs=1e-3)


def test_deterministic_pickled_cloned_and_input_left_alone(X, Y):
    before = X.copy(), Y.copy()
    estimator = RankSvm(degree=4, C=3.0, random_state=3)
    scores = estimator.fit(X, Y).decision_function(X)
    assert np.array_equal(scores, clone(estimator).fit(X, Y).decision_function(X))
    assert np.allclose(scores, pickle.loads(pickle.dumps(estimator)).decision_function(X))
    assert clone(estimator).get_params() == estimator.get_params()
    assert np.array_equal(before[0], X)
    assert np.array_equal(before[1], Y)


def test_a_gap_above_the_tolerance_warns_with_numbers(X, Y):
    with pytest.warns(ConvergenceWarning, match=r"gap of .* after 3 sweeps, above tol=1.00e-12"):
        fitted = RankSvm(tol=1e-12, max_iter=3, random_state=0).fit(X, Y)
    assert fitted.n_iter_ == 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert RankSvm(random_state=0).fit(X, Y).n_iter_ <= 100


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0}, "C must be positive, got 0"),
        ({"gamma": -1.0}, "gamma must be positive, got -1.0"),
        ({"tol": np.nan}, "tol must be positive, got nan"),
        ({"degree": 2.5}, "degree must be an integer of at least 1, got 2.5"),
        ({"max_iter": 0}, "max_iter must be an integer of at least 1, got 0"),
        ({"coef0": -1.0}, "coef0 must be at least 0, got -1.0"),
        ({"kernel": "cosine"}, "kernel must be one of .*got 'cosine'"),
        ({"label_rule": "all"}, "label_rule must be one of .*got 'all'"),
    ],
)
def test_bad_parameters_are_refused(X, Y, parameters, message):
    with pytest.raises(ValueError, match=message):
        RankSvm(**parameters).fit(X, Y)


@pytest.mark.parametrize("n_labels", [1, 3])
def test_nothing_to_rank_is_refused(X, n_labels):
    Y = np.repeat(np.arange(24)[:, None] % 2, n_labels, axis=1)  # no label, or every label
    with pytest.raises(ValueError, match=r"label and a missing label to rank, got none"):
        RankSvm().fit(X, Y)
