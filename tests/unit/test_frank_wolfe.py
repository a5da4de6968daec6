"""RankSvm by Frank-Wolfe: its linear programs, its steps, and their limit."""

from itertools import islice

import numpy as np
import pytest
from scipy.optimize import linprog

from mimlpaper.base import ConstantLabelWarning
from mimlpaper.baselines import ranksvm as module
from mimlpaper.baselines.ranksvm import LabelPairs, RankSvm, frank_wolfe
from mimlpaper.kernels import kernel_matrix
from tests import reference


@pytest.fixture
def X(rng):
    return rng.normal(size=(24, 4))


@pytest.fixture
def Y(X, rng):
    """Three noisy labels; each example has some and lacks some."""
    Y = X @ rng.normal(size=(4, 3)) + rng.normal(size=(24, 3)) > 0.3
    whole = Y.all(axis=1) | ~Y.any(axis=1)
    Y[whole] = np.eye(3, dtype=bool)[np.arange(whole.sum()) % 3]
    return Y


@pytest.fixture
def to_the_end(monkeypatch):
    """No step counts as too short."""
    monkeypatch.setattr(module, "SHORTEST_STEP", -1.0)
    monkeypatch.setattr(module, "SHORTEST_MOVE", -1.0)


def balance(pairs):
    """Matrix of the equations sum_i beta_ik = 0: (n_labels, n_pairs)."""
    labels = np.arange(pairs.shape[1])[:, None]
    return (pairs.own == labels) * 1.0 - (pairs.other == labels)


def inside(alpha, pairs):
    return (alpha > 1e-5 * pairs.upper) & (alpha < (1 - 1e-5) * pairs.upper)


@pytest.mark.parametrize("vertex", [False, True])
@pytest.mark.parametrize("scale", [0.0, 1.0, 1e12])  # 0: all pairs cost the same
@pytest.mark.parametrize("seed", range(5))
def test_linear_program_agrees_with_a_general_solver(seed, scale, vertex):
    rng = np.random.default_rng(seed)
    Y = rng.random((12, 5)) < 0.4
    pairs = LabelPairs(Y[Y.any(axis=1) & ~Y.all(axis=1)], C=2.0)
    cost = scale * pairs.margins(rng.normal(size=pairs.shape)) - 1.0
    alpha = pairs.lowest(cost, vertex)
    bounds = np.column_stack([np.zeros_like(pairs.upper), pairs.upper])
    best = linprog(cost, A_eq=balance(pairs), b_eq=np.zeros(5), bounds=bounds).fun
    assert cost @ alpha == pytest.approx(best, rel=1e-6, abs=1e-6)
    assert balance(pairs) @ alpha == pytest.approx(np.zeros(5), abs=1e-5)
    assert (alpha >= 0).all()
    assert (alpha <= pairs.upper).all()
    if vertex:  # no way to move both there and back
        columns = balance(pairs)[:, inside(alpha, pairs)]
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
    """Nothing flows into label 3, which all have, nor out of label 4, which none has."""
    Y = np.array([[1, 0, 1, 0], [0, 1, 1, 0]], dtype=bool)
    pairs = LabelPairs(Y, C=8.0)
    assert pairs.example.tolist() == [0, 1]
    assert pairs.own.tolist() == [0, 1]
    assert pairs.other.tolist() == [1, 0]
    assert pairs.upper.tolist() == [2.0, 2.0]  # of four pairs each
    assert pairs.lowest(-np.ones(2), vertex=False) == pytest.approx([2, 2])


def test_biases_by_a_general_solver(Y, rng):
    """Over the pairs strictly between their bounds; without any, by the label counts."""
    pairs = LabelPairs(Y, C=1.0)
    slope = rng.normal(size=len(pairs.upper))
    alpha = pairs.upper * rng.choice([0.0, 0.5, 1.0], len(slope))
    free = alpha == 0.5 * pairs.upper
    expected = np.linalg.lstsq(balance(pairs).T[free], -slope[free])[0]
    assert pairs.bias(alpha, slope) == pytest.approx(expected)
    assert pairs.bias(pairs.upper, slope).tolist() == (2 * Y.sum(axis=0) - 24).tolist()


@pytest.mark.parametrize("accuracy", [0.0, 1e-4])
def test_two_points_by_hand(accuracy):
    """x = +1 has label 1, x = -1 has label 2; linear kernel, C = 1.

    The linear program goes to alpha = (1, 1). At alpha = (a, a) the dual is 2a - 4a², best at
    a = 1/4: the first step of 1/4 ends at the optimum, w = (1/2, -1/2).
    """
    X, Y = np.array([[1.0], [-1.0]]), np.eye(2, dtype=bool)
    steps = frank_wolfe(X @ X.T, Y, 1.0, vertex=False, accuracy=accuracy, max_iter=9)
    (beta, bias, gap), (last, *_) = islice(steps, 2)
    assert beta.tolist() == [[0, 0], [0, 0]]
    assert bias.tolist() == [0, 0]
    assert gap == pytest.approx(1)  # dual 0, primal 2
    assert last == pytest.approx(np.array([[0.25, -0.25], [-0.25, 0.25]]), abs=1e-4)


@pytest.mark.parametrize("program", ["interior", "vertex"])
def test_many_steps_lead_to_the_optimum(X, Y, program, to_the_end):
    """The dual never falls, the optimum lies within the gap, and the ranking is that of block
    ascent."""
    settings = {"kernel": "rbf", "gamma": 0.5, "normalise": False}
    fitted = RankSvm(
        solver="frank_wolfe", max_iter=1500, linear_program=program, step_accuracy=0, **settings
    ).fit(X, Y)
    K = kernel_matrix(X, kernel="rbf", gamma=0.5)
    optimum, _ = reference.rank_svm(K, Y, 1.0)
    duals = [beta[Y].sum() - np.sum(beta * (K @ beta)) / 2 for beta, *_ in fitted.stages_]
    assert (np.diff(duals) > -1e-9).all()
    assert 0 <= fitted.duality_gap_ <= 5e-3
    assert duals[-1] <= optimum <= duals[-1] / (1 - fitted.duality_gap_) + 1e-9
    converged = RankSvm(tol=1e-7, random_state=0, **settings).fit(X, Y)
    assert fitted.dual_coef_.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-6)
    assert K @ fitted.dual_coef_ == pytest.approx(K @ converged.dual_coef_, abs=0.05)


def test_stages_are_the_shorter_runs_and_the_last_step_is_not_taken(X, Y):
    estimator = RankSvm(solver="frank_wolfe", max_iter=6)
    stages = list(estimator.fit(X, Y).staged_decision_function(X))
    assert len(stages) == estimator.n_iter_ == 6
    assert np.array_equal(stages[-1], estimator.decision_function(X))
    for n_steps in (1, 4):
        shorter = RankSvm(solver="frank_wolfe", max_iter=n_steps).fit(X, Y)
        assert np.array_equal(shorter.decision_function(X), stages[n_steps - 1])
    assert not RankSvm(solver="frank_wolfe", max_iter=1).fit(X, Y).dual_coef_.any()


def test_no_pair_that_can_be_balanced():
    """All examples have label 1 and lack label 2: beta = 0, and the counts order the labels."""
    with pytest.warns(ConstantLabelWarning):
        fitted = RankSvm(solver="frank_wolfe").fit([[1.0], [2.0]], [[1, 0], [1, 0]])
    assert fitted.n_iter_ == 1
    assert fitted.duality_gap_ == 0
    assert not fitted.dual_coef_.any()
    assert fitted.intercept_.tolist() == [2, -2]


def test_block_ascent_has_one_stage(X, Y):
    fitted = RankSvm(random_state=0).fit(X, Y)
    (only,) = fitted.staged_decision_function(X)
    assert np.array_equal(only, fitted.decision_function(X))


def test_on_long_examples_the_exact_step_is_too_short_and_an_inexact_one_is_not(X, Y):
    """The best first step is some 1e-17 of the way, for a kernel of (x'z + 1)^8 on long x."""
    exact, inexact = (
        RankSvm(solver="frank_wolfe", max_iter=9, degree=8, normalise=False, step_accuracy=accuracy)
        for accuracy in (0, 1e-4)
    )
    assert exact.fit(10 * X, Y).n_iter_ == 1
    assert inexact.fit(10 * X, Y).n_iter_ > 1


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"solver": "simplex"}, "solver must be one of .*got 'simplex'"),
        ({"linear_program": "face"}, "linear_program must be one of .*got 'face'"),
        ({"step_accuracy": -1e-4}, "step_accuracy must be at least 0, got -0.0001"),
    ],
)
def test_bad_parameters_are_refused(X, Y, parameters, message):
    with pytest.raises(ValueError, match=message):
        RankSvm(**parameters).fit(X, Y)
