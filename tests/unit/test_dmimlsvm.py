import os
import pickle
import sys
import warnings
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from mimlpaper.algorithms.dmimlsvm import SOLVERS, DMimlSvm, imbalance_rates, imbalance_weights
from mimlpaper.bags import Bags
from mimlpaper.base import ConstantLabelWarning, label_sets
from mimlpaper.kernels import kernel_matrix
from mimlpaper.preprocessing import OnInstances
from mimlpaper.sharing import Cache, sharing
from tests import reference


def test_two_points_by_hand():
    """x = +1 with the label, x = -1 without; linear kernel, one label, no weights.

    At b = 0 both hinges are 1 - w, and Ω = w²/2: with cost C for each, w = min(1, 2C).
    """
    X, Y = [[[1.0]], [[-1.0]]], [[1], [0]]
    for cost, w in ((0.25, 0.5), (5.0, 1.0)):
        fitted = DMimlSvm(kernel="linear", C=cost, imbalance=False, tol=1e-8).fit(X, Y)
        assert fitted.weights_ == pytest.approx(np.array([[w]]), abs=1e-3)
        assert fitted.decision_function(X) == pytest.approx(np.array([[w], [-w]]), abs=1e-3)
        hinges = 2 * cost * (1 - w)
        assert fitted.objective_ == pytest.approx([w**2 / 2 + hinges])


def test_one_bag_of_two_by_hand():
    """One label; bag {1, 3} has it, bag {-1} lacks it; linear kernel, mean, λ = 1, C = 1/8.

    f = w·2 + b and -w + b on the bags. The highest instance of the first is w above the bag's
    mean, so that J = w²/2 + (1 - 2w - b)_+ / 8 + (1 - w + b)_+ / 8 + w/8: as long as both hinges
    are active w²/2 + (2 - 3w)/8 + w/8, lowest at w = 1/4, where J = 7/32.
    """
    X, Y = [[[1.0], [3.0]], [[-1.0]]], [[1], [0]]
    fitted = DMimlSvm(
        kernel="linear", set_kernel="mean", C=1 / 8, lam=1.0, imbalance=False, tol=1e-8
    ).fit(X, Y)
    assert fitted.weights_ == pytest.approx(np.array([[0.25]]), abs=1e-4)
    assert fitted.objective_ == pytest.approx([7 / 32])
    scores, on_instances = fitted.decision_function(X)[:, 0], fitted.instance_scores(X)[:, 0]
    assert on_instances - fitted.intercept_ == pytest.approx([0.25, 0.75, -0.25], abs=1e-3)
    assert scores - fitted.intercept_ == pytest.approx([0.5, -0.25], abs=1e-3)


@pytest.fixture
def some_bags(rng):
    return Bags.from_list([rng.random((size, 3)) for size in rng.integers(1, 5, 24)])


@pytest.fixture
def some_labels(some_bags, rng):
    return some_bags.max(some_bags.instances) + 0.2 * rng.normal(size=(24, 3)) > 0.75


def phi(fitted):
    """The estimator's features of a set of instances, by its definition."""

    def features(instances):
        rows = fitted.factor_.transform(instances)
        if fitted.set_kernel == "mean":
            return rows.mean(axis=0)
        return rows.sum(axis=0) / np.linalg.norm(rows.sum(axis=0))

    return features


def true_objective(fitted, bags, Y):
    tau = imbalance_weights(Y, imbalance_rates(Y, bags.sizes)) if fitted.imbalance else Y * 0 + 1
    return reference.d_miml_objective(
        bags,
        Y,
        phi(fitted),
        fitted.weights_,
        fitted.intercept_,
        C=fitted.C,
        lam=fitted.lam,
        mu=fitted.mu,
        tau=tau,
    )


@pytest.mark.parametrize("imbalance", [False, True])
def test_objective_never_rises(some_bags, some_labels, imbalance):
    """The trace never rises, nor the objective of fits that stop after each step."""
    estimator = DMimlSvm(
        lam=0.3, C=20.0, mu=0.3, imbalance=imbalance, tol=1e-3, cccp_tol=1e-3, random_state=0
    )
    fitted = estimator.fit(some_bags, some_labels)
    assert len(fitted.objective_) > 2
    assert (np.diff(fitted.objective_) <= 0).all()
    assert fitted.objective_[-1] < fitted.objective_[0]
    assert len(fitted.n_iter_) == len(fitted.objective_)
    for n_steps in range(1, len(fitted.objective_)):
        early = clone(estimator).set_params(max_cccp=n_steps)
        with pytest.warns(ConvergenceWarning, match=f"stopped after {n_steps} steps"):
            early.fit(some_bags, some_labels)
        truth = true_objective(early, some_bags, some_labels)
        assert truth == pytest.approx(fitted.objective_[n_steps - 1])
    assert true_objective(fitted, some_bags, some_labels) == pytest.approx(fitted.objective_[-1])


def test_a_step_that_rises_is_thrown_away_but_shown(some_bags, some_labels, monkeypatch):
    """A solver that is right twice and then finds functions of three times the size."""
    solve, n_solved = SOLVERS["bundle"], iter(range(9))

    def careless(*arguments):
        found = solve(*arguments)
        factor = 3.0 if next(n_solved) == 2 else 1.0
        scores = tuple(factor * part for part in found.scores)
        return replace(found, weights=factor * found.weights, scores=scores)

    monkeypatch.setitem(SOLVERS, "bundle", careless)
    fitted = DMimlSvm(lam=0.3, C=20.0, cccp_tol=0.0, random_state=0).fit(some_bags, some_labels)
    assert len(fitted.objective_) == len(fitted.n_iter_) == 2
    assert fitted.raw_objective_[:2].tolist() == fitted.objective_.tolist()
    assert fitted.raw_objective_[2] > fitted.objective_[1]


def test_ends_at_a_local_minimum(some_bags, some_labels, rng):
    bags, Y = some_bags[:12], some_labels[:12]
    fitted = DMimlSvm(C=2.0, lam=0.3, tol=1e-5, cccp_tol=1e-7, max_cccp=100).fit(bags, Y)
    weights, intercept = fitted.weights_, fitted.intercept_
    for _ in range(20):
        size = 10 ** rng.uniform(-4, -1)
        fitted.weights_ = weights + size * rng.normal(size=weights.shape)
        fitted.intercept_ = intercept + size * rng.normal(size=intercept.shape)
        moved = true_objective(fitted, bags, Y)
        assert moved >= fitted.objective_[-1] * (1 - 2e-5)


def test_with_the_mean_the_first_step_is_the_optimum(some_bags, some_labels):
    """f(X) is the mean of its f(x), never above the largest: Σ_t |..| is convex."""
    exact = dict(gamma=1.0, rank=None, imbalance=False, tol=1e-5)
    fitted = DMimlSvm(set_kernel="mean", lam=0.7, mu=0.5, **exact).fit(some_bags, some_labels)
    assert len(fitted.objective_) == 1
    assert true_objective(fitted, some_bags, some_labels) == pytest.approx(fitted.objective_[0])
    sizes = some_bags.sizes
    K = kernel_matrix(some_bags.instances)
    mean = np.repeat(np.eye(24), sizes, axis=1) / sizes[:, None]
    objects = np.concatenate([mean, np.eye(len(K))])
    best = reference.d_miml_convex(
        objects @ K @ objects.T,
        sizes,
        some_labels,
        np.ones((24, 3)),
        np.repeat(1 / sizes, sizes)[:, None] * np.ones(3),
        gamma=10.0 * 24,
        lam=0.7,
        mu=0.5,
    )
    assert fitted.objective_[0] == pytest.approx(best, rel=1e-4)


@pytest.mark.parametrize("set_kernel", ["unit", "mean"])
def test_set_kernels(some_bags, some_labels, set_kernel):
    """k(X, X') is the sum, or mean, of all k(x, x'); the sum is scaled to k(X, X) = 1."""
    fitted = DMimlSvm(set_kernel=set_kernel, gamma=0.8, rank=None).fit(some_bags, some_labels)
    assert fitted.factor_.error_ <= 1e-10
    features = fitted._features(some_bags)
    of_bags, of_instances = fitted._of_bags(features), fitted._of_instances(features)
    blocks = [[kernel_matrix(a, b, gamma=0.8) for b in some_bags] for a in some_bags]
    if set_kernel == "mean":
        K = np.array([[block.mean() for block in row] for row in blocks])
    else:
        K = np.array([[block.sum() for block in row] for row in blocks])
        K /= np.sqrt(np.outer(np.diag(K), np.diag(K)))
    assert of_bags @ of_bags.T == pytest.approx(K, abs=1e-6)
    exact = kernel_matrix(some_bags.instances, gamma=0.8)
    assert of_instances @ of_instances.T == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("n_labels", [1, 3])
def test_bags_of_one_without_weights_are_one_svm_a_label(rng, kernel, n_labels):
    X = rng.normal(size=(40, 3))
    Y = X[:, :n_labels] + rng.normal(size=(40, n_labels)) > 0
    exact = dict(rank=None, imbalance=False, tol=1e-7)
    fitted = DMimlSvm(kernel=kernel, gamma=0.5, set_kernel="mean", C=2.0, lam=0.0, **exact)
    fitted.fit(list(X[:, None]), Y)
    for t in range(n_labels):
        binary = SVC(C=2.0, kernel=kernel, gamma=0.5, tol=1e-8).fit(X, Y[:, t])
        expected = binary.decision_function(X)
        assert fitted.decision_function(list(X[:, None]))[:, t] == pytest.approx(expected, abs=5e-3)
    assert np.array_equal(
        fitted.instance_scores(list(X[:, None])), fitted.decision_function(list(X[:, None]))
    )


def test_bags_of_one_have_no_discrepancy(rng):
    X = rng.normal(size=(30, 3))
    Y = X[:, :2] > 0
    with_lam, without = (
        DMimlSvm(lam=lam, rank=None, tol=1e-6).fit(list(X[:, None]), Y) for lam in (3.0, 0.0)
    )
    assert len(with_lam.objective_) == 1
    assert with_lam.objective_ == pytest.approx(without.objective_, rel=1e-5)


def test_large_lambda_leaves_constants(some_bags, some_labels):
    """Nothing but the bias can speak when bags may not differ from their instances."""
    fitted = DMimlSvm(lam=100.0, C=1.0, imbalance=False, max_cccp=2).fit(some_bags, some_labels)
    scores = fitted.decision_function(some_bags)
    assert np.ptp(scores, axis=0) == pytest.approx(np.zeros(3), abs=0.05)


def test_imbalance_by_hand():
    """Bags of 2, 3 and 5 instances, labels {1}, {1, 2} and none: of ten instances 2 + 3/2 are
    given to label 1 and 3/2 to label 2."""
    Y, sizes = np.array([[1, 0], [1, 1], [0, 0]], dtype=bool), np.array([2, 3, 5])
    rates = imbalance_rates(Y, sizes)
    assert rates == pytest.approx([0.35, 0.15])
    expected = [[0.65, 0.15], [0.65, 0.85], [0.35, 0.15]]
    assert imbalance_weights(Y, rates) == pytest.approx(np.array(expected))


def test_imbalance_weights_raise_recall(some_bags, some_labels):
    Y = some_labels[:, :2] & (np.arange(24) % 2 == 0)[:, None]
    plain, weighted = (
        DMimlSvm(imbalance=flag, C=1.0).fit(some_bags, Y).predict(some_bags)[Y].mean()
        for flag in (False, True)
    )
    assert weighted > plain


def test_low_rank_factor_states_its_error(some_bags, some_labels):
    exact, coarse = (
        DMimlSvm(rank=rank, gamma=5.0, random_state=0, tol=1e-4).fit(some_bags, some_labels)
        for rank in (None, 8)
    )
    assert exact.factor_.error_ <= 1e-10
    assert exact.weights_.shape[0] <= some_bags.n_instances
    assert coarse.weights_.shape == (8, 3)
    assert 0 < coarse.factor_.error_ < 1


def test_table_8_warns_of_its_gap(some_bags, some_labels):
    with pytest.warns(ConvergenceWarning, match='"cutting_plane" stopped after 1 iterations'):
        DMimlSvm(solver="cutting_plane", max_iter=1, set_kernel="mean").fit(some_bags, some_labels)


@pytest.mark.parametrize("solver", ["lbfgs", "cutting_plane", "cvxpy"])
def test_every_solver_serves_the_estimator(some_bags, some_labels, solver):
    params = {"gamma": 0.3, "lam": 0.2, "tol": 1e-3, "random_state": 0}
    expected = DMimlSvm(**params).fit(some_bags, some_labels)
    fitted = DMimlSvm(solver=solver, **params).fit(some_bags, some_labels)
    assert fitted.objective_[-1] == pytest.approx(expected.objective_[-1], rel=1e-2)
    assert fitted.duality_gap_ <= 1e-3


def test_warns_if_the_solver_stops_early(some_bags, some_labels):
    for solver in ("bundle", "lbfgs"):
        estimator = DMimlSvm(solver=solver, max_iter=2, C=1000.0, lam=0.0)
        with pytest.warns(ConvergenceWarning, match=r"duality gap of \d.* not 1.0e-02"):
            estimator.fit(some_bags, some_labels)
        assert estimator.duality_gap_ > 1e-2


def test_cvxpy_missing(some_bags, some_labels, monkeypatch):
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    with pytest.raises(ImportError, match='solver="cvxpy" needs the package cvxpy'):
        DMimlSvm(solver="cvxpy").fit(some_bags, some_labels)


def test_warm_start_along_a_path(some_bags, some_labels):
    """The same objectives as from a cold start, within the gap, and fewer iterations."""
    warm = DMimlSvm(warm_start=True, set_kernel="mean", random_state=0, tol=1e-3)
    n_warm = n_cold = 0
    path = {"C": 5.0}, {"C": 10.0}, {"lam": 0.2}, {"mu": 0.5}, {"imbalance": True}
    for settings in (*path, {"lam": 0.0}, {"lam": 0.1}):
        warm.set_params(**settings).fit(some_bags, some_labels)
        cold = clone(warm).fit(some_bags, some_labels)
        assert warm.objective_[-1] == pytest.approx(cold.objective_[-1], rel=2e-3)
        assert warm.duality_gap_ <= 1e-3
        n_warm, n_cold = n_warm + warm.n_iter_.sum(), n_cold + cold.n_iter_.sum()
    assert n_warm < n_cold


def test_warm_start_is_not_misled_by_other_data(some_bags, some_labels, rng):
    warm = DMimlSvm(warm_start=True, random_state=0, tol=1e-4).fit(some_bags, some_labels)
    other = some_bags.with_instances(rng.random(some_bags.instances.shape))
    for X, Y in ((other, some_labels), (other, some_labels[:, :2]), (other[:12], some_labels[:12])):
        cold = DMimlSvm(random_state=0, tol=1e-4).fit(X, Y)
        assert warm.fit(X, Y).objective_[-1] == pytest.approx(cold.objective_[-1], rel=1e-2)
        assert warm.decision_function(X) == pytest.approx(cold.decision_function(X), abs=0.1)


def test_only_warm_starts_keep_their_solution(some_bags, some_labels):
    small, large = (
        len(pickle.dumps(DMimlSvm(warm_start=flag).fit(some_bags, some_labels)))
        for flag in (False, True)
    )
    assert small < large - some_bags.n_instances * 3 * 8


def test_fits_that_differ_in_the_label_rule_share_their_work(some_bags, some_labels, monkeypatch):
    """The second is not minimised, predicts by its own rule, and gives the same warnings."""
    estimator = DMimlSvm(gamma=5.0, rank=10, max_cccp=1, max_iter=5, C=1000.0, random_state=0)
    with pytest.warns(ConvergenceWarning) as alone:
        expected = clone(estimator).set_params(label_rule="top").fit(some_bags, some_labels)
    with sharing(Cache()) as cache:
        with pytest.warns(ConvergenceWarning):
            clone(estimator).fit(some_bags, some_labels)
        assert cache.n_hits == 0
        monkeypatch.setattr(DMimlSvm, "_minimise", None)
        with pytest.warns(ConvergenceWarning) as again:
            fitted = clone(estimator).set_params(label_rule="top").fit(some_bags, some_labels)
    assert np.array_equal(fitted.weights_, expected.weights_)
    assert np.array_equal(fitted.predict(some_bags), expected.predict(some_bags))
    assert len(again) == len(alone) == 3  # of rank, max_cccp and max_iter
    assert [str(w.message) for w in again] == [str(w.message) for w in alone]


def test_generators_draw_another_fit_each_time(some_bags, some_labels):
    """Also inside a block of shared results."""
    estimator = DMimlSvm(rank=5, gamma=5.0, random_state=np.random.RandomState(0))
    with sharing(Cache()):
        first = estimator.fit(some_bags, some_labels).weights_
        assert not np.array_equal(first, estimator.fit(some_bags, some_labels).weights_)


def test_constant_labels(some_bags, some_labels):
    """They get +1 or -1; the other labels are as alone, except for T in the weights."""
    Y = np.column_stack([np.ones(24, bool), some_labels, np.zeros(24, bool)])
    with pytest.warns(ConstantLabelWarning, match=r"\[0, 4\]"):
        fitted = DMimlSvm(mu=0.5, random_state=0).fit(some_bags, Y)
    scores = fitted.decision_function(some_bags)
    assert (scores[:, 0] == 1).all() and (scores[:, 4] == -1).all()
    assert np.isfinite(scores).all()
    assert fitted.label_relatedness_[0] == pytest.approx([1, 0, 0, 0, 0])
    with pytest.warns(ConstantLabelWarning):
        fitted.fit(some_bags, np.zeros((24, 2)))
    assert (fitted.decision_function(some_bags) == -1).all()
    assert fitted.objective_.tolist() == [0.0]


@pytest.mark.parametrize("rule", ["sign", "top"])
def test_label_rules(some_bags, some_labels, rule):
    fitted = DMimlSvm(label_rule=rule).fit(some_bags, some_labels)
    expected = label_sets(fitted.decision_function(some_bags), rule)
    assert np.array_equal(fitted.predict(some_bags), expected)


def test_repeats_itself_and_leaves_its_input_alone(some_bags, some_labels):
    before, labels_before = some_bags.instances.copy(), some_labels.copy()
    for relatedness in ("mean", "pairwise"):
        estimator = DMimlSvm(rank=10, mu=0.3, relatedness=relatedness, random_state=0)
        first = clone(estimator).fit(some_bags, some_labels)
        again = clone(estimator).fit(list(some_bags), some_labels.astype(int))
        assert np.array_equal(first.weights_, again.weights_)
        loaded = pickle.loads(pickle.dumps(first))
        assert np.array_equal(loaded.predict(some_bags), first.predict(some_bags))
    assert np.array_equal(before, some_bags.instances)
    assert np.array_equal(labels_before, some_labels)


def test_instances_that_are_zero(some_labels, rng):
    """A zero row has no direction, under the linear kernel no norm either."""
    X = [np.zeros((2, 3)), *(rng.normal(size=(2, 3)) for _ in range(23))]
    fitted = DMimlSvm(kernel="linear").fit(X, some_labels)
    assert np.isfinite(fitted.decision_function(X)).all()
    assert fitted.decision_function(X)[0] == pytest.approx(fitted.intercept_)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"kernel": "poly"}, "kernel must be one of"),
        ({"set_kernel": "max"}, "set_kernel must be one of"),
        ({"solver": "sgd"}, "solver must be one of"),
        ({"label_rule": "guess"}, "label_rule must be one of"),
        ({"C": 0.0}, "C must be positive, got 0.0"),
        ({"tol": 0.0}, "tol must be positive"),
        ({"lam": -0.1}, "lam must be at least 0, got -0.1"),
        ({"cccp_tol": -1}, "cccp_tol must be at least 0"),
        ({"max_cccp": 0}, "max_cccp must be at least 1"),
        ({"max_iter": 0}, "max_iter must be at least 1"),
        ({"gamma": -1.0}, "gamma must be positive"),
        ({"mu": -0.5}, "mu must be greater than -1/2, got -0.5"),
        ({"mu": 0.0, "relatedness": "pairwise"}, "mu must be positive for pairs"),
        ({"relatedness": "tree"}, 'relatedness must be "mean", "pairwise" or an array'),
        ({"relatedness": np.ones((2, 2))}, r"relatedness must have shape \(3, 3\)"),
        ({"relatedness": -np.ones((3, 3))}, "relatedness must be symmetric"),
        ({"relatedness": np.tri(3)}, "relatedness must be symmetric"),
        ({"relatedness": np.zeros((3, 3))}, "relatedness must hold a positive penalty"),
    ],
)
def test_bad_parameters(some_bags, some_labels, params, message):
    with pytest.raises(ValueError, match=message):
        DMimlSvm(**params).fit(some_bags, some_labels)


def test_bad_input(some_bags, some_labels):
    with pytest.raises(ValueError, match="X has 24, Y has 23"):
        DMimlSvm().fit(some_bags, some_labels[1:])
    with pytest.raises(ValueError, match="one 2-D array"):
        DMimlSvm().fit(some_bags.instances, some_labels)
    with pytest.raises(NotFittedError):
        DMimlSvm().decision_function(some_bags)
    with pytest.raises(NotFittedError):
        DMimlSvm().instance_scores(some_bags)
    fitted = DMimlSvm().fit(some_bags, some_labels)
    with pytest.raises(ValueError, match="fitted on 3"):
        fitted.instance_scores([np.ones((2, 4))])


@pytest.mark.skipif(not os.environ.get("MIMLPAPER_DATA"), reason="MIMLPAPER_DATA is not set")
def test_scene():
    from mimlpaper.datasets import load
    from mimlpaper.metrics import evaluate

    scene = load("scene")
    order = np.random.default_rng(0).permutation(2000)
    train, test = order[:200], order[200:600]
    scale = OnInstances(MinMaxScaler()).fit(scene.X[train])
    X = scale.transform(scene.X[train])
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        fitted = DMimlSvm(C=10.0, random_state=0).fit(X, scene.Y[train])
    assert fitted.duality_gap_ <= 0.01
    X = scale.transform(scene.X[test])
    measured = evaluate(scene.Y[test], fitted.decision_function(X), fitted.predict(X))
    assert measured["ranking_loss"] < 0.25
    assert fitted.instance_scores(X).shape == (3600, 5)
