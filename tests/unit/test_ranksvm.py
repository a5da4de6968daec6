"""RankSvm: block ascent, Frank-Wolfe and its linear programs, and the threshold."""

from itertools import islice

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.exceptions import ConvergenceWarning

from mimlpaper.base import ConstantLabelWarning
from mimlpaper.baselines import ranksvm, ranksvm_frank_wolfe
from mimlpaper.baselines.ranksvm import RankSvm, _best_thresholds
from mimlpaper.baselines.ranksvm_frank_wolfe import LabelPairs, frank_wolfe
from mimlpaper.kernels import kernel_matrix
from tests import reference


@pytest.fixture
def X(rng):
    return rng.normal(size=(24, 4))


@pytest.fixture
def Y(X, rng):
    """Three noisy labels; the first example has none, the second every one, the others some."""
    signal = X @ rng.normal(size=(4, 3))
    Y = signal + rng.normal(size=(24, 3)) > 0.3
    has_no_pair = Y.all(axis=1) | ~Y.any(axis=1)
    label = np.arange(has_no_pair.sum()) % 3
    Y[has_no_pair] = np.eye(3, dtype=bool)[label]
    Y[0] = False
    Y[1] = True
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
    rank_svm = RankSvm(C=C, tol=1e-5, random_state=0, **kernel)
    rank_svm.fit(X, Y)
    coef = rank_svm.dual_coef_
    K = kernel_matrix(rank_svm.X_fit_, **({"gamma": 1.0} | kernel))
    # The first two examples have no pair of labels to rank.
    Y = Y[2:]
    objective = reference.rank_svm_objective(
        K,
        Y,
        C,
        coef,
        rank_svm.intercept_,
    )
    optimum, best_f = reference.rank_svm(K, Y, C)
    assert objective == pytest.approx(optimum, rel=1e-4)
    assert objective >= optimum * (1 - 1e-7)

    gap = rank_svm.duality_gap_
    assert gap >= 0
    assert gap <= rank_svm.tol
    assert objective - optimum <= (gap + 1e-6) * objective
    assert coef.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-10)

    # The threshold moves all scores of an example alike.
    scores = rank_svm.decision_function(X[2:])
    centred = scores - scores.mean(axis=1, keepdims=True)
    expected = best_f - best_f.mean(axis=1, keepdims=True)
    # A small gap in the objective leaves some freedom to f.
    assert centred == pytest.approx(expected, abs=0.05)


def test_best_thresholds_by_hand():
    """f = (3, 1, 2), with the places .9, 1.5, 2.5, 3.1 for the threshold.

    {1, 3}: 1.5 makes no mistake. {1, 2}: .9 and 2.5 make one, the lower one is taken. No label:
    3.1, above all. Every label: .9, below all. {2}: 3.1 makes one (label 2 is missed), the
    others at least two.
    """
    above = 3 + ranksvm.MARGIN_OUTSIDE
    below = 1 - ranksvm.MARGIN_OUTSIDE
    threshold_of = {
        (1, 0, 1): 1.5,
        (1, 1, 0): below,
        (0, 0, 0): above,
        (1, 1, 1): below,
        (0, 1, 0): above,
    }
    Y = np.array(list(threshold_of), dtype=bool)
    f = np.tile([3.0, 1.0, 2.0], (5, 1))
    expected = list(threshold_of.values())
    assert _best_thresholds(f, Y) == pytest.approx(expected)


def test_threshold_is_the_least_squares_fit_over_all_examples(X, Y):
    rank_svm = RankSvm(random_state=0).fit(X, Y)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    K = kernel_matrix(unit, rank_svm.X_fit_, kernel="poly")
    f = K @ rank_svm.dual_coef_ + rank_svm.intercept_
    t = f @ rank_svm.threshold_coef_ + rank_svm.threshold_intercept_
    # Residuals of least squares are at right angles to its columns.
    residuals = _best_thresholds(f, Y) - t
    assert f.T @ residuals == pytest.approx(np.zeros(3), abs=1e-9)
    assert residuals.sum() == pytest.approx(0, abs=1e-9)

    scores = rank_svm.decision_function(X)
    assert scores == pytest.approx(f - t[:, None])
    assert np.array_equal(rank_svm.predict(X), f > t[:, None])


@pytest.mark.filterwarnings("error")
def test_a_gap_above_the_tolerance_warns_with_numbers_and_no_other(X, Y):
    rank_svm = RankSvm(tol=1e-12, max_iter=3, random_state=0)
    message = r"gap of .* after 3 sweeps, above tol=1.00e-12"
    with pytest.warns(ConvergenceWarning, match=message):
        rank_svm.fit(X, Y)
    assert rank_svm.n_iter_ == 3
    converged = RankSvm(random_state=0).fit(X, Y)
    assert converged.n_iter_ <= 100


def test_nothing_to_rank_is_refused(X):
    # Each example has no label, or every label.
    has_all = np.arange(24)[:, None] % 2
    Y = np.repeat(has_all, 3, axis=1)
    message = r"label and a missing label, got none"
    with pytest.raises(ValueError, match=message):
        RankSvm().fit(X, Y)


def balance(pairs):
    """Matrix of the equations sum_i beta_ik = 0: (n_labels, n_pairs)."""
    labels = np.arange(pairs.shape[1])[:, None]
    gives = pairs.label == labels
    takes = pairs.missing == labels
    return 1.0 * gives - takes


@pytest.mark.parametrize("vertex", [False, True])
def test_linear_program_agrees_with_a_general_solver(rng, vertex):
    Y = rng.random((12, 5)) < 0.4
    has_a_pair = Y.any(axis=1) & ~Y.all(axis=1)
    pairs = LabelPairs(Y[has_a_pair], C=2.0)
    A = balance(pairs)
    zeros = np.zeros_like(pairs.upper)
    bounds = np.column_stack([zeros, pairs.upper])
    # At a scale of 0 all pairs cost the same.
    for scale in (0.0, 1.0, 1e12):
        margins = pairs.margins(rng.normal(size=pairs.shape))
        cost = scale * margins - 1.0
        alpha = pairs.lowest(cost, vertex)
        expected = linprog(
            cost,
            A_eq=A,
            b_eq=np.zeros(5),
            bounds=bounds,
        )
        value = cost @ alpha
        assert value == pytest.approx(expected.fun, rel=1e-6, abs=1e-6)
        assert A @ alpha == pytest.approx(np.zeros(5), abs=1e-5)
        assert (alpha >= 0).all()
        assert (alpha <= pairs.upper).all()
        if vertex:
            # At a vertex no way leads both there and back.
            share = alpha / pairs.upper
            between = (share > 1e-5) & (share < 1 - 1e-5)
            rank = np.linalg.matrix_rank(A[:, between])
            assert rank == between.sum()


def test_inside_and_at_a_vertex_by_hand():
    """Three examples {1} and one {2} of two labels: the three give what the one takes, C = 3.

    Inside they share it equally, 1 each; at a vertex one of them gives all of it.
    """
    Y = np.array([[1, 0], [1, 0], [1, 0], [0, 1]], dtype=bool)
    pairs = LabelPairs(Y, C=3.0)
    inside = pairs.lowest(-np.ones(4), vertex=False)
    assert inside == pytest.approx([1, 1, 1, 3], abs=1e-5)
    at_vertex = pairs.lowest(-np.ones(4), vertex=True)
    assert sorted(at_vertex) == pytest.approx([0, 0, 3, 3], abs=1e-5)


def test_pairs_that_cannot_be_balanced_are_left_out():
    """Nothing flows into label 3, which all have, nor out of label 4, which none has."""
    Y = np.array([[1, 0, 1, 0], [0, 1, 1, 0]], dtype=bool)
    pairs = LabelPairs(Y, C=8.0)
    assert pairs.example.tolist() == [0, 1]
    assert pairs.label.tolist() == [0, 1]
    assert pairs.missing.tolist() == [1, 0]
    # C is shared by the four pairs of each example.
    assert pairs.upper.tolist() == [2.0, 2.0]
    alpha = pairs.lowest(-np.ones(2), vertex=False)
    assert alpha == pytest.approx([2, 2])


def test_label_counts_order_labels_that_cannot_be_balanced():
    """If all examples have label 1 and lack label 2, beta = 0."""
    rank_svm = RankSvm(solver="frank_wolfe")
    with pytest.warns(ConstantLabelWarning):
        rank_svm.fit([[1.0], [2.0]], [[1, 0], [1, 0]])
    assert rank_svm.n_iter_ == 1
    assert rank_svm.duality_gap_ == 0
    assert not rank_svm.dual_coef_.any()
    assert rank_svm.intercept_.tolist() == [2, -2]


def test_biases_by_a_general_solver(Y, rng):
    """Over the pairs strictly between their bounds; without any, by the label counts."""
    pairs = LabelPairs(Y, C=1.0)
    slope = rng.normal(size=len(pairs.upper))
    share = rng.choice([0.0, 0.5, 1.0], len(slope))
    alpha = pairs.upper * share
    free = share == 0.5
    equations = balance(pairs).T[free]
    expected, *_ = np.linalg.lstsq(equations, -slope[free])
    assert pairs.bias(alpha, slope) == pytest.approx(expected)

    counts = 2 * Y.sum(axis=0) - len(Y)
    bias = pairs.bias(pairs.upper, slope)
    assert bias.tolist() == counts.tolist()


def test_first_step_by_hand():
    """x = +1 has label 1, x = -1 has label 2; linear kernel, C = 1.

    The linear program goes to alpha = (1, 1). At alpha = (a, a) the dual is 2a - 4a², best at
    a = 1/4: the first step of 1/4 ends at the optimum, w = (1/2, -1/2).
    """
    X = np.array([[1.0], [-1.0]])
    Y = np.eye(2, dtype=bool)
    steps = frank_wolfe(
        X @ X.T,
        Y,
        1.0,
        vertex=False,
        accuracy=1e-4,
        max_iter=9,
    )
    start, after_step = islice(steps, 2)
    beta, bias, gap = start
    assert not beta.any()
    assert not bias.any()
    # The dual is 0 and the primal 2.
    assert gap == pytest.approx(1)

    beta, *_ = after_step
    expected = np.array([[0.25, -0.25], [-0.25, 0.25]])
    assert beta == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("linear_program", ["interior", "vertex"])
def test_many_steps_lead_to_the_optimum(X, Y, linear_program, monkeypatch):
    """The dual never falls, the optimum lies within the gap, and f is that of block ascent."""
    # So that no step is too short to go on.
    monkeypatch.setattr(ranksvm_frank_wolfe, "SHORTEST_STEP", -1.0)
    monkeypatch.setattr(ranksvm_frank_wolfe, "SHORTEST_MOVE", -1.0)
    # The first two examples have no pair of labels to rank.
    X = X[2:]
    Y = Y[2:]
    settings = dict(kernel="rbf", gamma=0.5, normalise=False)
    stepwise = RankSvm(
        solver="frank_wolfe",
        max_iter=1500,
        linear_program=linear_program,
        step_accuracy=1e-9,
        **settings,
    )
    stepwise.fit(X, Y)
    K = kernel_matrix(X, kernel="rbf", gamma=0.5)
    duals = []
    for beta, *_ in stepwise.stages_:
        norm = np.sum(beta * (K @ beta))
        duals.append(beta[Y].sum() - norm / 2)
    assert (np.diff(duals) > -1e-9).all()

    gap = stepwise.duality_gap_
    assert gap >= 0
    assert gap <= 5e-3
    optimum, _ = reference.rank_svm(K, Y, 1.0)
    assert duals[-1] <= optimum
    assert optimum <= duals[-1] / (1 - gap) + 1e-9

    beta = stepwise.dual_coef_
    assert beta.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-6)
    ascent = RankSvm(tol=1e-7, random_state=0, **settings).fit(X, Y)
    expected = K @ ascent.dual_coef_
    assert K @ beta == pytest.approx(expected, abs=0.05)
