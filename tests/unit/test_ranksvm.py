"""RankSvm: block ascent, Frank-Wolfe and its linear programs, and the threshold."""

from itertools import islice

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

from mimlpaper.base import ConstantLabelWarning
from mimlpaper.baselines import ranksvm as module
from mimlpaper.baselines.ranksvm import LabelPairs, RankSvm, _best_thresholds
from mimlpaper.kernels import kernel_matrix
from tests import reference


@pytest.fixture
def X(rng):
    return rng.normal(size=(24, 4))


@pytest.fixture
def Y(X, rng):
    """Three noisy labels; the first example has none, the second every one, the others some."""
    Y = X @ rng.normal(size=(4, 3)) + rng.normal(size=(24, 3)) > 0.3
    whole = Y.all(axis=1) | ~Y.any(axis=1)
    Y[whole] = np.eye(3, dtype=bool)[np.arange(whole.sum()) % 3]
    Y[0], Y[1] = False, True
    return Y


@pytest.mark.parametrize(
    ("kernel", "C"),
    [
        ({"kernel": "linear"}, 0.01),
        ({"kernel": "rbf", "gamma": 0.7}, 1.0),
        ({"kernel": "poly", "degree": 2, "gamma": 0.5}, 30.0),
        ({"kernel": "poly", "degree": 8}, 1.0),
    ],
)
def test_agrees_with_a_general_solver(X, Y, kernel, C):
    fitted = RankSvm(C=C, tol=1e-5, random_state=0, **kernel).fit(X, Y)
    K = kernel_matrix(fitted.X_fit_, **{"gamma": 1.0} | kernel)
    Y, scores = Y[2:], fitted.decision_function(X[2:])
    objective = reference.rank_svm_objective(K, Y, C, fitted.dual_coef_, fitted.intercept_)
    optimum, best_ranking = reference.rank_svm(K, Y, C)
    assert objective == pytest.approx(optimum, rel=1e-4) and objective >= optimum * (1 - 1e-7)
    assert 0 <= fitted.duality_gap_ <= fitted.tol
    assert objective - optimum <= (fitted.duality_gap_ + 1e-6) * objective
    assert fitted.dual_coef_.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-10)
    centred = best_ranking - best_ranking.mean(axis=1, keepdims=True)
    assert scores - scores.mean(axis=1, keepdims=True) == pytest.approx(centred, abs=0.05)


def test_best_thresholds_by_hand():
    """f = (3, 1, 2), with the places .9, 1.5, 2.5, 3.1 for the threshold.

    {1, 3}: 1.5 makes no mistake. {1, 2}: .9 and 2.5 make one, the lower one is taken. No label:
    3.1, above all. Every label: .9, below all. {2}: 3.1 makes one (label 2 is missed), the
    others at least two.
    """
    f = np.tile([3.0, 1.0, 2.0], (5, 1))
    Y = np.array([[1, 0, 1], [1, 1, 0], [0, 0, 0], [1, 1, 1], [0, 1, 0]], dtype=bool)
    outside = module.MARGIN_OUTSIDE
    expected = [1.5, 1 - outside, 3 + outside, 1 - outside, 3 + outside]
    assert _best_thresholds(f, Y) == pytest.approx(expected)


def test_threshold_is_the_least_squares_fit_over_all_examples(X, Y):
    fitted = RankSvm(random_state=0).fit(X, Y)
    K = kernel_matrix(X / np.linalg.norm(X, axis=1, keepdims=True), fitted.X_fit_, kernel="poly")
    f = K @ fitted.dual_coef_ + fitted.intercept_
    t = f @ fitted.threshold_coef_ + fitted.threshold_intercept_
    left = _best_thresholds(f, Y) - t
    assert f.T @ left == pytest.approx(np.zeros(3), abs=1e-9)
    assert left.sum() == pytest.approx(0, abs=1e-9)
    assert fitted.decision_function(X) == pytest.approx(f - t[:, None])
    assert np.array_equal(fitted.predict(X), f > t[:, None])


@pytest.mark.filterwarnings("error")
def test_a_gap_above_the_tolerance_warns_with_numbers_and_no_other(X, Y):
    with pytest.warns(ConvergenceWarning, match=r"gap of .* after 3 sweeps, above tol=1.00e-12"):
        fitted = RankSvm(tol=1e-12, max_iter=3, random_state=0).fit(X, Y)
    assert fitted.n_iter_ == 3
    assert RankSvm(random_state=0).fit(X, Y).n_iter_ <= 100


def test_nothing_to_rank_is_refused(X):
    Y = np.repeat(np.arange(24)[:, None] % 2, 3, axis=1)  # no label, or every label
    with pytest.raises(ValueError, match=r"label and a missing label, got none"):
        RankSvm().fit(X, Y)


def balance(pairs):
    """Matrix of the equations sum_i beta_ik = 0: (n_labels, n_pairs)."""
    labels = np.arange(pairs.shape[1])[:, None]
    return (pairs.own == labels) * 1.0 - (pairs.other == labels)


@pytest.mark.parametrize("vertex", [False, True])
def test_linear_program_agrees_with_a_general_solver(rng, vertex):
    Y = rng.random((12, 5)) < 0.4
    pairs = LabelPairs(Y[Y.any(axis=1) & ~Y.all(axis=1)], C=2.0)
    bounds = np.column_stack([np.zeros_like(pairs.upper), pairs.upper])
    for scale in (0.0, 1.0, 1e12):  # 0: all pairs cost the same
        cost = scale * pairs.margins(rng.normal(size=pairs.shape)) - 1.0
        alpha = pairs.lowest(cost, vertex)
        best = linprog(cost, A_eq=balance(pairs), b_eq=np.zeros(5), bounds=bounds).fun
        assert cost @ alpha == pytest.approx(best, rel=1e-6, abs=1e-6)
        assert balance(pairs) @ alpha == pytest.approx(np.zeros(5), abs=1e-5)
        assert (alpha >= 0).all() and (alpha <= pairs.upper).all()
        if vertex:  # no way to move both there and back
            share = alpha / pairs.upper
            columns = balance(pairs)[:, (share > 1e-5) & (share < 1 - 1e-5)]
            assert np.linalg.matrix_rank(columns) == columns.shape[1]


def test_inside_and_at_a_vertex_by_hand():
    """Three examples {1} and one {2} of two labels: the three give what the one takes, C = 3.

    Inside they share it equally, 1 each; at a vertex one of them gives all of it.
    """
    Y = np.array([[1, 0], [1, 0], [1, 0], [0, 1]], dtype=bool)
    pairs = LabelPairs(Y, C=3.0)
    assert pairs.lowest(-np.ones(4), vertex=False) == pytest.approx([1, 1, 1, 3], abs=1e-5)
    assert sorted(pairs.lowest(-np.ones(4), vertex=True)) == pytest.approx([0, 0, 3, 3], abs=1e-5)


def test_pairs_that_cannot_be_balanced_are_left_out():
    """Nothing flows into label 3, which all have, nor out of label 4, which none has.

    If all examples have label 1 and lack label 2, beta = 0, and the counts order the labels.
    """
    Y = np.array([[1, 0, 1, 0], [0, 1, 1, 0]], dtype=bool)
    pairs = LabelPairs(Y, C=8.0)
    assert pairs.example.tolist() == pairs.own.tolist() == [0, 1]
    assert pairs.other.tolist() == [1, 0]
    assert pairs.upper.tolist() == [2.0, 2.0]  # of four pairs each
    assert pairs.lowest(-np.ones(2), vertex=False) == pytest.approx([2, 2])
    with pytest.warns(ConstantLabelWarning):
        fitted = RankSvm(solver="frank_wolfe").fit([[1.0], [2.0]], [[1, 0], [1, 0]])
    assert fitted.n_iter_ == 1 and fitted.duality_gap_ == 0 and not fitted.dual_coef_.any()
    assert fitted.intercept_.tolist() == [2, -2]


def test_biases_by_a_general_solver(Y, rng):
    """Over the pairs strictly between their bounds; without any, by the label counts."""
    pairs = LabelPairs(Y, C=1.0)
    slope = rng.normal(size=len(pairs.upper))
    alpha = pairs.upper * rng.choice([0.0, 0.5, 1.0], len(slope))
    free = alpha == 0.5 * pairs.upper
    expected = np.linalg.lstsq(balance(pairs).T[free], -slope[free])[0]
    assert pairs.bias(alpha, slope) == pytest.approx(expected)
    assert pairs.bias(pairs.upper, slope).tolist() == (2 * Y.sum(axis=0) - len(Y)).tolist()


def test_first_step_by_hand():
    """x = +1 has label 1, x = -1 has label 2; linear kernel, C = 1.

    The linear program goes to alpha = (1, 1). At alpha = (a, a) the dual is 2a - 4a², best at
    a = 1/4: the first step of 1/4 ends at the optimum, w = (1/2, -1/2).
    """
    X, Y = np.array([[1.0], [-1.0]]), np.eye(2, dtype=bool)
    steps = module.frank_wolfe(X @ X.T, Y, 1.0, vertex=False, accuracy=1e-4, max_iter=9)
    (beta, bias, gap), (last, *_) = islice(steps, 2)
    assert not beta.any() and not bias.any() and gap == pytest.approx(1)  # dual 0, primal 2
    assert last == pytest.approx(np.array([[0.25, -0.25], [-0.25, 0.25]]), abs=1e-4)


@pytest.mark.parametrize("linear_program", ["interior", "vertex"])
def test_many_steps_lead_to_the_optimum(X, Y, linear_program, monkeypatch):
    """The dual never falls, the optimum lies within the gap, and f is that of block ascent."""
    monkeypatch.setattr(module, "SHORTEST_STEP", -1.0)  # no step is too short
    monkeypatch.setattr(module, "SHORTEST_MOVE", -1.0)
    X, Y, settings = X[2:], Y[2:], {"kernel": "rbf", "gamma": 0.5, "normalise": False}
    steps = {"max_iter": 1500, "linear_program": linear_program, "step_accuracy": 1e-9}
    fitted = RankSvm(solver="frank_wolfe", **steps, **settings).fit(X, Y)
    K = kernel_matrix(X, kernel="rbf", gamma=0.5)
    optimum, _ = reference.rank_svm(K, Y, 1.0)
    duals = [beta[Y].sum() - np.sum(beta * (K @ beta)) / 2 for beta, *_ in fitted.stages_]
    assert (np.diff(duals) > -1e-9).all() and 0 <= fitted.duality_gap_ <= 5e-3
    assert duals[-1] <= optimum <= duals[-1] / (1 - fitted.duality_gap_) + 1e-9
    converged = RankSvm(tol=1e-7, random_state=0, **settings).fit(X, Y)
    assert fitted.dual_coef_.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-6)
    assert K @ fitted.dual_coef_ == pytest.approx(K @ converged.dual_coef_, abs=0.05)
