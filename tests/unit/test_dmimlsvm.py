"""D-MimlSvm: its objective, what its labels share, and the solvers of its convex problems."""

import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from mimlpaper.algorithms import dmimlsvm
from mimlpaper.algorithms import dmimlsvm_solvers as solvers
from mimlpaper.algorithms.dmimlsvm import DMimlSvm
from mimlpaper.bags import Bags
from mimlpaper.base import ConstantLabelWarning
from tests import reference
from tests.convex_problems import LAM, C, objective, random_problem


def test_one_bag_of_two_by_hand():
    """One label; bag {1, 3} has it, bag {-1} lacks it; linear kernel, mean, λ = 1, C = 1/8.

    f = w·2 + b and -w + b on the bags. The highest instance of the first is w above the bag's
    mean, so that J = w²/2 + (1 - 2w - b)_+ / 8 + (1 - w + b)_+ / 8 + w/8: as long as both hinges
    are active w²/2 + (2 - 3w)/8 + w/8, lowest at w = 1/4, where J = 7/32. The first step ends
    there: a bag's mean is never above its largest f(x), so that J is convex.
    """
    X = [[[1.0], [3.0]], [[-1.0]]]
    learner = DMimlSvm(
        kernel="linear",
        set_kernel="mean",
        C=1 / 8,
        lam=1.0,
        imbalance=False,
        tol=1e-8,
    )
    learner.fit(X, [[1], [0]])
    w = learner.weights_.ravel()
    assert w == pytest.approx([0.25], abs=1e-4)
    assert learner.objective_ == pytest.approx([7 / 32])
    b = learner.intercept_
    on_instances = learner.instance_scores(X).ravel() - b
    assert on_instances == pytest.approx([0.25, 0.75, -0.25], abs=1e-3)
    on_bags = learner.decision_function(X).ravel() - b
    assert on_bags == pytest.approx([0.5, -0.25], abs=1e-3)


def true_objective(fitted, bags, Y):
    """With the features of a set of instances by their definition."""

    def phi(instances):
        rows = fitted.factor_.transform(instances)
        mean = rows.mean(axis=0)
        if fitted.set_kernel == "mean":
            return mean
        return mean / np.linalg.norm(mean)

    tau = np.ones(Y.shape)
    if fitted.imbalance:
        rates = dmimlsvm.imbalance_rates(Y, bags.sizes)
        tau = dmimlsvm.imbalance_weights(Y, rates)
    return reference.d_miml_objective(
        bags,
        Y,
        phi,
        fitted.weights_,
        fitted.intercept_,
        C=fitted.C,
        lam=fitted.lam,
        mu=fitted.mu,
        tau=tau,
    )


def test_objective_never_rises(bags, labels):
    """Each entry of the trace is the objective of a fit that stops there."""
    bags = bags[:24]
    Y = labels[:24, :3]
    learner = DMimlSvm(
        lam=0.3,
        C=20.0,
        mu=0.3,
        imbalance=True,
        tol=1e-3,
        random_state=0,
    )
    fitted = clone(learner).fit(bags, Y)
    trace = fitted.objective_
    assert len(trace) > 2
    assert len(fitted.n_iter_) == len(trace)
    assert (np.diff(trace) < 0).all()
    assert true_objective(fitted, bags, Y) == pytest.approx(trace[-1])
    for n_steps, expected in enumerate(trace[:-1], start=1):
        early = clone(learner).set_params(max_cccp=n_steps)
        message = f"stopped after {n_steps} steps"
        with pytest.warns(ConvergenceWarning, match=message):
            early.fit(bags, Y)
        value = true_objective(early, bags, Y)
        assert value == pytest.approx(expected)


def test_a_step_that_rises_is_thrown_away_but_shown(bags, labels, monkeypatch):
    """A solver that is right twice and then finds functions of three times the size."""
    solve = solvers.SOLVERS["bundle"]
    n_solved = iter(range(9))

    def careless(*arguments):
        solution = solve(*arguments)
        if next(n_solved) != 2:
            return solution
        return replace(
            solution,
            weights=3.0 * solution.weights,
            scores=tuple(3.0 * part for part in solution.scores),
        )

    monkeypatch.setitem(solvers.SOLVERS, "bundle", careless)
    learner = DMimlSvm(lam=0.3, C=20.0, cccp_tol=0.0, random_state=0)
    learner.fit(bags, labels)
    kept = learner.objective_
    shown = learner.raw_objective_
    assert len(kept) == 2
    assert len(learner.n_iter_) == 2
    assert shown[:2].tolist() == kept.tolist()
    assert shown[2] > kept[1]


def test_ends_at_a_local_minimum(bags, labels, rng):
    bags = bags[:12]
    Y = labels[:12]
    learner = DMimlSvm(
        C=2.0,
        lam=0.3,
        tol=1e-5,
        cccp_tol=1e-7,
        max_cccp=100,
    )
    learner.fit(bags, Y)
    weights = learner.weights_
    intercept = learner.intercept_
    least = learner.objective_[-1]
    for _ in range(20):
        size = 10 ** rng.uniform(-4, -1)
        change = size * rng.normal(size=weights.shape)
        learner.weights_ = weights + change
        change = size * rng.normal(size=intercept.shape)
        learner.intercept_ = intercept + change
        nearby = true_objective(learner, bags, Y)
        # The solver's tolerance allows the small share below.
        assert nearby >= least * (1 - 2e-5)


def test_bags_of_one_without_weights_are_one_svm_a_label(rng):
    X = rng.normal(size=(40, 3))
    Y = X + rng.normal(size=(40, 3)) > 0
    bags_of_one = list(X[:, None])
    learner = DMimlSvm(
        gamma=0.5,
        rank=None,
        set_kernel="mean",
        C=2.0,
        lam=0.0,
        tol=1e-7,
    )
    learner.fit(bags_of_one, Y)
    scores = learner.decision_function(bags_of_one)
    for t in range(3):
        svm = SVC(C=2.0, gamma=0.5, tol=1e-8).fit(X, Y[:, t])
        expected = svm.decision_function(X)
        # The tolerance is of the objective, which is flat around its minimum.
        assert scores[:, t] == pytest.approx(expected, abs=5e-3)
    on_instances = learner.instance_scores(bags_of_one)
    assert np.array_equal(on_instances, scores)


def test_form_is_the_framework_at_the_best_shared_parts(rng):
    """No other symmetric W_ij do better. One pair shares all it can, one shares nothing."""
    mu = rng.random((4, 4)) * 3
    mu = mu + mu.T
    mu[0, 1] = mu[1, 0] = 0.0
    mu[2, 3] = mu[3, 2] = np.inf
    weights = rng.normal(size=(3, 4))
    w_i = weights[:, :, None]  # (n_dims, 4, 1)
    w_j = weights[:, None]  # (n_dims, 1, 4)
    shared = (w_i + w_j) / (4 * mu + 2)  # Eq. 26: (n_dims, 4, 4)

    def framework(shared):
        """The first two terms of Eq. 25."""
        apart = np.sum((w_i - shared) ** 2) / 2
        # Infinite mu times no shared part is 0, not NaN.
        penalties = np.where(shared, mu, 0.0)
        return (apart + np.sum(penalties * shared**2)) / 4**2

    least = framework(shared)
    form = dmimlsvm.pairwise_form(mu)
    regulariser = np.sum((weights @ form) * weights) / 2
    assert regulariser == pytest.approx(least)
    for _ in range(10):
        change = 0.1 * rng.normal(size=shared.shape)
        change *= np.isfinite(mu)
        symmetric = change + change.transpose(0, 2, 1)
        assert framework(shared + symmetric) > least


def test_learned_penalties_by_hand():
    """w = (1, 1, -1) in one dimension: ||w_1 + w_2||² = 4, the other pairs have 0.

    The whole budget 3 a², a = 1 / (4μ + 2), goes to the first pair. For μ = 1, a = 1/6, it gets
    a_12 = √3/6 and μ_12 = (√3 - 1) / 2; for μ = 0.2, 3 a² > 1/4: it gets its limit 1/2, μ_12 = 0.
    """
    weights = np.array([[1.0, 1.0, -1.0]])
    mu = dmimlsvm.learned_pair_penalties(weights, 1.0)
    assert mu[0, 1] == pytest.approx((np.sqrt(3) - 1) / 2)
    assert mu[1, 0] == mu[0, 1]
    assert np.isinf(mu[[0, 1], 2]).all()
    assert np.isinf(mu[2, [0, 1]]).all()
    assert np.diag(mu) == pytest.approx([1, 1, 1])

    mu = dmimlsvm.learned_pair_penalties(weights, 0.2)
    assert mu[0, 1] == 0


def test_opposite_functions_share_nothing_whatever_the_rounding(rng):
    """||w - w||² by rounding may be less than 0."""
    for w in rng.normal(size=(50, 7)):
        weights = np.column_stack([w, -w, np.zeros(7)])
        mu = dmimlsvm.learned_pair_penalties(weights, 1.0)
        assert mu[0, 1] > 1e6


@pytest.mark.parametrize("mu", [0.1, 0.5, 3.0])
def test_learned_penalties_are_the_best_within_the_budget(rng, mu):
    """The regulariser falls with Σ a_ij ||w_i + w_j||²: a_ij is proportional to that, up to 1/2."""
    weights = rng.normal(size=(4, 5)) * rng.uniform(0.1, 3, 5)
    i, j = np.triu_indices(5, 1)
    penalties = dmimlsvm.learned_pair_penalties(weights, mu)[i, j]
    a = 1 / (4 * penalties + 2)
    budget = 1 / (4 * mu + 2) ** 2
    assert np.mean(a**2) == pytest.approx(budget)
    sums = weights[:, i] + weights[:, j]
    closeness = np.sum(sums**2, axis=0)
    factor = (a / closeness).max()
    expected = np.minimum(0.5, factor * closeness)
    assert a == pytest.approx(expected)


@pytest.fixture
def related(rng):
    """Labels 0 and 1 follow one feature, label 2 another, label 3 the opposite of it."""
    sizes = rng.integers(1, 4, 60)
    X = Bags.from_list([rng.normal(size=(size, 3)) for size in sizes])
    features = X.mean(X.instances)
    signal = features[:, [0, 0, 1, 1]] * [1, 1, 1, -1]
    noise = 0.2 * rng.normal(size=(60, 4))
    return X, signal + noise > 0


@pytest.mark.parametrize("set_kernel", ["unit", "mean"])
def test_learns_which_labels_are_related(related, set_kernel):
    """Alternation lowers the objective, and tells the pairs apart."""
    learner = DMimlSvm(
        relatedness="pairwise",
        mu=0.5,
        kernel="linear",
        set_kernel=set_kernel,
        lam=0.05,
        tol=1e-3,
    )
    learner.fit(*related)
    assert len(learner.objective_) > 1
    assert (np.diff(learner.objective_) <= 0).all()

    mu = learner.pair_penalties_
    assert mu[0, 1] < mu[0, 2]
    assert mu[0, 2] < mu[2, 3]
    assert mu[0, 1] < 0.5
    assert mu[2, 3] > 0.5

    cosines = learner.label_relatedness_
    assert cosines[0, 1] > 0.8
    assert cosines[2, 3] < -0.8
    assert abs(cosines[0, 2]) < 0.4
    assert cosines == pytest.approx(cosines.T)


def test_given_penalties(related):
    """Two labels of a smaller μ_ij share more; infinite μ_ij are the mean's μ = 0."""

    def fit(**parameters):
        learner = DMimlSvm(
            kernel="linear",
            tol=1e-6,
            lam=0.0,
            C=0.02,
            **parameters,
        )
        return learner.fit(*related)

    mu = np.full((4, 4), 2.0)
    even = fit(relatedness=mu.copy())
    mu[0, 1] = mu[1, 0] = 0.1
    uneven = fit(relatedness=mu)
    assert np.array_equal(uneven.pair_penalties_, mu)
    cosine = uneven.label_relatedness_[0, 1]
    assert cosine > even.label_relatedness_[0, 1]

    apart = fit(relatedness=np.full((4, 4), np.inf))
    unshared_mean = fit(mu=0.0)
    expected = unshared_mean.objective_
    assert apart.objective_ == pytest.approx(expected, rel=1e-4)
    assert unshared_mean.pair_penalties_ is None


def learner_with(**parameters):
    defaults = dict(gamma=0.3, lam=0.2, tol=1e-3, random_state=0)
    return DMimlSvm(**(defaults | parameters))


@pytest.mark.parametrize(
    ("solver", "tol"),
    # CVXPY reaches small gaps, Table 8 may stop early.
    [("cutting_plane", 1e-3), ("cvxpy", 1e-7)],
)
def test_solvers_agree(bags, labels, solver, tol):
    bundle = learner_with().fit(bags, labels)
    expected = bundle.objective_[-1]
    learner = learner_with(solver=solver, tol=tol)
    learner.fit(bags, labels)
    assert learner.objective_[-1] == pytest.approx(expected, rel=1e-2)
    assert learner.duality_gap_ <= tol


def test_a_solver_that_stops_early_says_how_far_it_came(bags, labels):
    learner = DMimlSvm(max_iter=2, C=1000.0, lam=0.0)
    message = r"after 2 .* gap of \d.* not 2.0e-03"
    with pytest.warns(ConvergenceWarning, match=message):
        learner.fit(bags, labels)


def test_a_missing_cvxpy_is_named(bags, labels, monkeypatch):
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    message = 'solver="cvxpy" needs the package cvxpy'
    with pytest.raises(ImportError, match=message):
        DMimlSvm(solver="cvxpy").fit(bags, labels)


def test_a_machine_that_no_feature_moves_says_so(bags, labels):
    """The weights of Eq. 24 are small for bags that lack a label, if bags are large."""
    learner = DMimlSvm(C=1e-9, tol=0.5, imbalance=True)
    message = "constant.*raise C or leave out the weights"
    with pytest.warns(ConstantLabelWarning, match=message):
        learner.fit(bags, labels[:, :2])
    # The functions are constant up to their last digits, or exactly.
    spread = np.ptp(learner.decision_function(bags))
    assert spread == 0 or not learner.weights_.any()


# The kernel is singular, so its α are not unique.
@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")
@pytest.mark.parametrize(("seed", "mu"), [(0, 0.0), (1, 2.0), (2, -0.3)])
def test_all_solvers_agree_with_eq_24_as_printed(seed, mu):
    """To 1e-4 of the optimum, which lies between the objective and the lower bound of each."""
    problem = random_problem(seed, mu=mu)
    # So few constraints that the p that Table 8 picks are all.
    n_constraints = len(problem.instances) + 2 * len(problem.bags)
    assert n_constraints <= solvers.N_PICKED

    objects = np.concatenate([problem.bags, problem.instances])
    best = reference.d_miml_convex(
        objects @ objects.T,
        np.diff(problem.offsets),
        problem.signs > 0,
        problem.costs * 3 / C,
        problem.rho,
        gamma=C * 9,
        lam=LAM,
        mu=mu,
    )
    for name, solve in solvers.SOLVERS.items():
        random_state = np.random.RandomState(0)
        solution = solve(problem, None, 5e-5, None, random_state)
        assert solution.primal == pytest.approx(best, rel=1e-4), name
        assert solution.primal >= best * (1 - 1e-7), name
        assert solution.dual <= best * (1 + 1e-7), name
        assert solution.primal == objective(problem, solution)
        assert solution.gap >= -1e-9
        assert solution.gap <= 1e-4


@pytest.mark.parametrize("linked", [True, False])
def test_ascent_ends_where_no_exchange_within_a_block_gains(rng, linked):
    """Also if blocks that H does not link are looked at alone."""
    block = rng.integers(0, 4, size=40)
    rows = rng.normal(size=(40, 60))
    same_block = block[:, None] == block
    H = (rows @ rows.T) * (linked | same_block)
    h = rng.normal(size=40)
    start = np.full(40, 0.5)
    x = start.copy()
    solvers.ascend(
        H,
        h,
        x,
        np.zeros(40),
        np.ones(40),
        block,
        1e-9,
        10**6,
    )

    sums = np.bincount(block, x)
    assert sums == pytest.approx(np.bincount(block, start))
    slope = h - H @ x
    for b in range(4):
        may_rise = (block == b) & (x < 1)
        may_fall = (block == b) & (x > 0)
        steepest_rise = slope[may_rise].max()
        steepest_fall = slope[may_fall].min()
        assert steepest_rise - steepest_fall <= 1e-8


@pytest.mark.parametrize("size", [0.1, 1.0, 10.0])
def test_any_feasible_multipliers_give_a_lower_bound(rng, size):
    problem = random_problem(3, mu=1.0)
    multipliers = problem.feasible(
        size * rng.normal(size=problem.costs.shape),
        size * rng.normal(size=problem.rho.shape),
        size * rng.normal(size=problem.costs.shape),
    )
    margin = multipliers.margin
    assert (margin >= 0).all()
    assert (margin <= problem.costs).all()
    balance = (problem.signs * margin).sum(axis=0)
    assert balance == pytest.approx(np.zeros(3), abs=1e-12)

    assert (multipliers.instance >= 0).all()
    assert (multipliers.bag >= 0).all()
    total = problem.sum_in_bags(multipliers.instance)
    total += multipliers.bag
    expected = np.full(total.shape, problem.link)
    assert total == pytest.approx(expected)

    # What is feasible stays as it is.
    repeated = problem.feasible(
        margin,
        multipliers.instance,
        multipliers.bag,
    )
    assert repeated.instance == pytest.approx(multipliers.instance)

    zero = problem.solution(
        np.zeros((5, 3)),
        np.zeros(3),
        multipliers,
        0,
    )
    best = solvers.solve_with_cvxpy(problem, None, 0, None)
    assert zero.dual <= best.primal + 1e-9


def test_best_intercept_by_trying_all(rng):
    problem = random_problem(1)
    signs = problem.signs
    costs = problem.costs
    on_bags = rng.normal(size=signs.shape)
    b, margin = problem.best_intercept(on_bags)

    def hinges(b):
        slacks = np.maximum(1 - signs * (on_bags + b), 0)
        return np.sum(costs * slacks, axis=0)

    # The hinges are linear between their kinks.
    kinks = signs - on_bags
    expected = np.min([hinges(kink) for kink in kinks], axis=0)
    assert hinges(b) == pytest.approx(expected)

    short = 1 - signs * (on_bags + b)
    inside = short > 1e-9
    assert margin[inside] == pytest.approx(costs[inside])
    beyond = short < -1e-9
    assert margin[beyond] == pytest.approx(0)
    balance = (signs * margin).sum(axis=0)
    assert balance == pytest.approx(np.zeros(3), abs=1e-12)


def test_equal_instances_share_rho():
    """A bag of 3, 3, 1 and one of 2: ½, ½, 0 and 1."""
    problem = random_problem(0, n_labels=1)
    problem = replace(problem, offsets=np.array([0, 3, 4]))
    scores = np.array([[3.0], [3.0], [1.0], [2.0]])
    rho = dmimlsvm.highest(problem, scores)
    assert rho.ravel().tolist() == [0.5, 0.5, 0.0, 1.0]


def test_table_8_stops_without_knowing_how_far_it_is():
    """If few of many constraints are violated, 59 random ones can all hold."""
    problem = random_problem(4, n_bags=80, n_labels=1, n_dims=10)
    best = solvers.solve_bundle(problem, None, 1e-5, None).primal
    gaps = []
    for seed in range(3):
        random_state = np.random.RandomState(seed)
        solution = solvers.solve_cutting_plane(
            problem,
            None,
            0,
            None,
            random_state,
        )
        assert solution.dual <= best
        assert best <= solution.primal * (1 + 1e-9)
        gaps.append(solution.gap)
    assert max(gaps) > 1e-3


def test_given_penalties_of_a_table_go_by_the_names_of_labels(related):
    bags, labels = related
    names = [f"label {i}" for i in range(labels.shape[1])]
    table = pd.DataFrame(np.full((len(names), len(names)), 0.5), names, names)
    table.loc[names[0], names[1]] = table.loc[names[1], names[0]] = 5.0
    named = pd.DataFrame(labels, columns=names)
    expected = DMimlSvm(relatedness=table.to_numpy()).fit(bags, labels)
    turned = DMimlSvm(relatedness=table.loc[names[::-1], names[::-1]]).fit(bags, named)
    assert np.array_equal(turned.weights_, expected.weights_)
    # A table without names has the order of the labels.
    numbered = DMimlSvm(relatedness=pd.DataFrame(table.to_numpy())).fit(bags, named)
    assert np.array_equal(numbered.weights_, expected.weights_)


@pytest.mark.parametrize(
    "penalties",
    [np.ma.masked_equal(np.eye(2) + 1, 2), np.full((2, 2), 1j), [["1_0"] * 2] * 2],
    ids=["mask", "complex", "texts"],
)
def test_given_penalties_are_real_numbers(penalties):
    with pytest.raises(ValueError, match="relatedness must h"):
        DMimlSvm(relatedness=penalties).fit([np.eye(2)] * 4, [[1, 0], [0, 1]] * 2)
