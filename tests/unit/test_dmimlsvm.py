"""D-MimlSvm: its objective, what its labels share, and the solvers of its convex problems."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from mimlpaper.algorithms import dmimlsvm
from mimlpaper.algorithms import dmimlsvm_solvers as solvers
from mimlpaper.algorithms.dmimlsvm import DMimlSvm, mean_form
from mimlpaper.bags import Bags
from mimlpaper.base import ConstantLabelWarning
from tests import reference


def test_one_bag_of_two_by_hand():
    """One label; bag {1, 3} has it, bag {-1} lacks it; linear kernel, mean, λ = 1, C = 1/8.

    f = w·2 + b and -w + b on the bags. The highest instance of the first is w above the bag's
    mean, so that J = w²/2 + (1 - 2w - b)_+ / 8 + (1 - w + b)_+ / 8 + w/8: as long as both hinges
    are active w²/2 + (2 - 3w)/8 + w/8, lowest at w = 1/4, where J = 7/32. The first step ends
    there: a bag's mean is never above its largest f(x), so that J is convex.
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


def true_objective(fitted, bags, Y):
    """With the features of a set of instances by their definition."""

    def phi(instances):
        rows = fitted.factor_.transform(instances)
        unit = 1.0 if fitted.set_kernel == "mean" else np.linalg.norm(rows.mean(axis=0))
        return rows.mean(axis=0) / unit

    tau = np.ones(Y.shape)
    if fitted.imbalance:
        tau = dmimlsvm.imbalance_weights(Y, dmimlsvm.imbalance_rates(Y, bags.sizes))
    machine = fitted.weights_, fitted.intercept_
    parameters = dict(C=fitted.C, lam=fitted.lam, mu=fitted.mu, tau=tau)
    return reference.d_miml_objective(bags, Y, phi, *machine, **parameters)


def test_objective_never_rises(bags, labels):
    """Each entry of the trace is the objective of a fit that stops there."""
    bags, labels = bags[:24], labels[:24, :3]
    estimator = DMimlSvm(lam=0.3, C=20.0, mu=0.3, imbalance=True, tol=1e-3, random_state=0)
    fitted = estimator.fit(bags, labels)
    assert len(fitted.n_iter_) == len(fitted.objective_) > 2
    assert (np.diff(fitted.objective_) < 0).all()
    assert true_objective(fitted, bags, labels) == pytest.approx(fitted.objective_[-1])
    for n_steps, expected in enumerate(fitted.objective_[:-1], start=1):
        early = clone(estimator).set_params(max_cccp=n_steps)
        with pytest.warns(ConvergenceWarning, match=f"stopped after {n_steps} steps"):
            early.fit(bags, labels)
        assert true_objective(early, bags, labels) == pytest.approx(expected)


def test_a_step_that_rises_is_thrown_away_but_shown(bags, labels, monkeypatch):
    """A solver that is right twice and then finds functions of three times the size."""
    solve, n_solved = solvers.SOLVERS["bundle"], iter(range(9))

    def careless(*arguments):
        found = solve(*arguments)
        factor = 3.0 if next(n_solved) == 2 else 1.0
        scores = tuple(factor * part for part in found.scores)
        return replace(found, weights=factor * found.weights, scores=scores)

    monkeypatch.setitem(solvers.SOLVERS, "bundle", careless)
    fitted = DMimlSvm(lam=0.3, C=20.0, cccp_tol=0.0, random_state=0).fit(bags, labels)
    assert len(fitted.objective_) == len(fitted.n_iter_) == 2
    assert fitted.raw_objective_[:2].tolist() == fitted.objective_.tolist()
    assert fitted.raw_objective_[2] > fitted.objective_[1]


def test_ends_at_a_local_minimum(bags, labels, rng):
    bags, Y = bags[:12], labels[:12]
    fitted = DMimlSvm(C=2.0, lam=0.3, tol=1e-5, cccp_tol=1e-7, max_cccp=100).fit(bags, Y)
    weights, intercept = fitted.weights_, fitted.intercept_
    for _ in range(20):
        size = 10 ** rng.uniform(-4, -1)
        fitted.weights_ = weights + size * rng.normal(size=weights.shape)
        fitted.intercept_ = intercept + size * rng.normal(size=intercept.shape)
        assert true_objective(fitted, bags, Y) >= fitted.objective_[-1] * (1 - 2e-5)


def test_bags_of_one_without_weights_are_one_svm_a_label(rng):
    X = rng.normal(size=(40, 3))
    Y, single = X + rng.normal(size=(40, 3)) > 0, list(X[:, None])
    parameters = dict(gamma=0.5, rank=None, set_kernel="mean", C=2.0, lam=0.0, tol=1e-7)
    fitted = DMimlSvm(**parameters).fit(single, Y)
    scores = fitted.decision_function(single)
    for t in range(3):
        expected = SVC(C=2.0, gamma=0.5, tol=1e-8).fit(X, Y[:, t]).decision_function(X)
        assert scores[:, t] == pytest.approx(expected, abs=5e-3)
    assert np.array_equal(fitted.instance_scores(single), scores)


def test_form_is_the_framework_at_the_best_shared_parts(rng):
    """No other symmetric W_ij do better. One pair shares all it can, one shares nothing."""
    mu = rng.random((4, 4)) * 3
    mu = mu + mu.T
    mu[0, 1] = mu[1, 0] = 0.0
    mu[2, 3] = mu[3, 2] = np.inf
    weights = rng.normal(size=(3, 4))
    shared = (weights[:, :, None] + weights[:, None]) / (4 * mu + 2)  # Eq. 26: (n_dims, 4, 4)

    def framework(shared):
        """The first two terms of Eq. 25."""
        apart = np.sum((weights[:, :, None] - shared) ** 2) / 2
        return (apart + np.sum(np.where(shared, mu, 0.0) * shared**2)) / 4**2

    expected, form = framework(shared), dmimlsvm.pairwise_form(mu)
    assert np.sum((weights @ form) * weights) / 2 == pytest.approx(expected)
    for _ in range(10):
        change = 0.1 * rng.normal(size=shared.shape) * np.isfinite(mu)
        assert framework(shared + change + change.transpose(0, 2, 1)) > expected


def test_learned_penalties_by_hand():
    """w = (1, 1, -1) in one dimension: ||w_1 + w_2||² = 4, the other pairs have 0.

    The whole budget 3 a², a = 1 / (4μ + 2), goes to the first pair. For μ = 1, a = 1/6, it gets
    a_12 = √3/6 and μ_12 = (√3 - 1) / 2; for μ = 0.2, 3 a² > 1/4: it gets its limit 1/2, μ_12 = 0.
    """
    learned = dmimlsvm.learned_pair_penalties(np.array([[1.0, 1.0, -1.0]]), 1.0)
    assert learned[0, 1] == learned[1, 0] == pytest.approx((np.sqrt(3) - 1) / 2)
    assert np.isinf(learned[[0, 1, 2, 2], [2, 2, 0, 1]]).all()
    assert np.diag(learned) == pytest.approx([1, 1, 1])
    assert dmimlsvm.learned_pair_penalties(np.array([[1.0, 1.0, -1.0]]), 0.2)[0, 1] == 0


def test_learned_penalties_are_the_best_within_the_budget(rng):
    """The regulariser falls with Σ a_ij ||w_i + w_j||²: a_ij is proportional to that, up to 1/2."""
    i, j = np.triu_indices(5, 1)
    for mu in (0.1, 0.5, 3.0):
        weights = rng.normal(size=(4, 5)) * rng.uniform(0.1, 3, 5)
        a = 1 / (4 * dmimlsvm.learned_pair_penalties(weights, mu)[i, j] + 2)
        assert np.mean(a**2) == pytest.approx(1 / (4 * mu + 2) ** 2)
        closeness = np.sum((weights[:, i] + weights[:, j]) ** 2, axis=0)
        assert a == pytest.approx(np.minimum(0.5, closeness * (a / closeness).max()))


@pytest.fixture
def related(rng):
    """Labels 0 and 1 follow one feature, label 2 another, label 3 the opposite of it."""
    X = Bags.from_list([rng.normal(size=(size, 3)) for size in rng.integers(1, 4, 60)])
    signal = X.mean(X.instances)[:, [0, 0, 1, 1]] * [1, 1, 1, -1]
    return X, signal + 0.2 * rng.normal(size=(60, 4)) > 0


@pytest.mark.parametrize("set_kernel", ["unit", "mean"])
def test_learns_which_labels_are_related(related, set_kernel):
    """Alternation lowers the objective, and tells the pairs apart."""
    parameters = dict(kernel="linear", set_kernel=set_kernel, lam=0.05, tol=1e-3)
    fitted = DMimlSvm(relatedness="pairwise", mu=0.5, **parameters).fit(*related)
    assert len(fitted.objective_) > 1 and (np.diff(fitted.objective_) <= 0).all()
    mu, cosines = fitted.pair_penalties_, fitted.label_relatedness_
    assert mu[0, 1] < mu[0, 2] < mu[2, 3] and mu[0, 1] < 0.5 < mu[2, 3]
    assert cosines[0, 1] > 0.8 and cosines[2, 3] < -0.8 and abs(cosines[0, 2]) < 0.4
    assert cosines == pytest.approx(cosines.T)


def test_given_penalties(related):
    """Two labels of a smaller μ_ij share more; infinite μ_ij are the mean's μ = 0."""

    def fit(**parameters):
        return DMimlSvm(kernel="linear", tol=1e-6, lam=0.0, C=0.02, **parameters).fit(*related)

    mu = np.full((4, 4), 2.0)
    even = fit(relatedness=mu.copy())
    mu[0, 1] = mu[1, 0] = 0.1
    given = fit(relatedness=mu)
    assert np.array_equal(given.pair_penalties_, mu)
    assert given.label_relatedness_[0, 1] > even.label_relatedness_[0, 1]
    apart, mean = fit(relatedness=np.full((4, 4), np.inf)), fit(mu=0.0)
    assert apart.objective_ == pytest.approx(mean.objective_, rel=1e-4)
    assert mean.pair_penalties_ is None


def test_solvers(bags, labels, monkeypatch):
    """CVXPY reaches small gaps, the others may stop early; all say how far they came."""
    params = {"gamma": 0.3, "lam": 0.2, "tol": 1e-3, "random_state": 0}
    expected = DMimlSvm(**params).fit(bags, labels).objective_[-1]
    for solver, tol in (("cutting_plane", 1e-3), ("cvxpy", 1e-7)):
        fitted = DMimlSvm(**params | {"solver": solver, "tol": tol}).fit(bags, labels)
        assert fitted.objective_[-1] == pytest.approx(expected, rel=1e-2)
        assert fitted.duality_gap_ <= tol
    early = DMimlSvm(max_iter=2, C=1000.0, lam=0.0)
    with pytest.warns(ConvergenceWarning, match=r"after 2 .* gap of \d.* not 2.0e-03"):
        early.fit(bags, labels)
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    with pytest.raises(ImportError, match='solver="cvxpy" needs the package cvxpy'):
        DMimlSvm(solver="cvxpy").fit(bags, labels)


def test_a_machine_that_no_feature_moves_says_so(bags, labels):
    """The weights of Eq. 24 are small for bags that lack a label, if bags are large."""
    with pytest.warns(ConstantLabelWarning, match="constant.*raise C or leave out the weights"):
        learner = DMimlSvm(C=1e-9, tol=0.5, imbalance=True).fit(bags, labels[:, :2])
    assert np.ptp(learner.decision_function(bags)) == 0 or not learner.weights_.any()


C, LAM = 3.0, 0.1


def random_problem(seed, *, mu=0.0, n_bags=9, n_labels=3, n_dims=5):
    """Bags of one to four Gaussian instances, unit sums for bags, random labels and weights."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, n_bags)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    instances = rng.normal(size=(offsets[-1], n_dims))
    bags = np.add.reduceat(instances, offsets[:-1])
    bags /= np.linalg.norm(bags, axis=1, keepdims=True)
    Y = rng.random((n_bags, n_labels)) < 0.4
    Y[0], Y[1] = True, False
    costs, link = C / n_labels * rng.random(Y.shape), C / n_labels * LAM
    rho = rng.random((offsets[-1], n_labels))
    rho /= np.repeat(np.add.reduceat(rho, offsets[:-1]), sizes, axis=0)
    signs, form = np.where(Y, 1.0, -1.0), mean_form(n_labels, mu)
    return solvers.ConvexProblem(bags, instances, offsets, signs, costs, link, rho, form)


def objective(problem, solution):
    """That of a problem, at the functions of any solution."""
    weights, intercept = solution.weights, solution.intercept
    return problem.regulariser(weights) + problem.loss(*problem.scores(weights), intercept)


@pytest.mark.filterwarnings("ignore:Solution may be inaccurate")  # K is singular, α not unique
@pytest.mark.parametrize(("seed", "mu"), [(0, 0.0), (1, 2.0), (2, -0.3)])
def test_all_solvers_agree_with_eq_24_as_printed(seed, mu):
    """To 1e-4 of the optimum, which lies between the objective and the lower bound of each."""
    problem = random_problem(seed, mu=mu)  # so small that p constraints are all
    assert len(problem.instances) + 2 * len(problem.bags) <= solvers.N_PICKED
    objects = np.concatenate([problem.bags, problem.instances])
    Y, tau, sizes = problem.signs > 0, problem.costs * 3 / C, np.diff(problem.offsets)
    given = objects @ objects.T, sizes, Y, tau, problem.rho
    best = reference.d_miml_convex(*given, gamma=C * 9, lam=LAM, mu=mu)
    for name, solve in solvers.SOLVERS.items():
        solution = solve(problem, None, 5e-5, None, np.random.RandomState(0))
        assert solution.primal == pytest.approx(best, rel=1e-4), name
        assert solution.dual <= best * (1 + 1e-7) and solution.primal >= best * (1 - 1e-7)
        assert solution.primal == objective(problem, solution)
        assert -1e-9 <= solution.gap <= 1e-4


@pytest.mark.parametrize("linked", [True, False])
def test_ascent_ends_where_no_exchange_within_a_block_gains(rng, linked):
    """Also if blocks that H does not link are looked at alone."""
    block = rng.integers(0, 4, size=40)
    rows = rng.normal(size=(40, 60))
    same_block = block[:, None] == block
    H = (rows @ rows.T) * (linked | same_block)
    h, x = rng.normal(size=40), np.full(40, 0.5)
    solvers.ascend(H, h, x, np.zeros(40), np.ones(40), block, 1e-9, 10**6)
    slope = h - H @ x
    assert np.bincount(block, x) == pytest.approx(np.bincount(block, np.full(40, 0.5)))
    for b in range(4):
        steepest_rise = slope[(block == b) & (x < 1)].max()
        steepest_fall = slope[(block == b) & (x > 0)].min()
        assert steepest_rise - steepest_fall <= 1e-8


def test_any_feasible_multipliers_give_a_lower_bound(rng):
    problem = random_problem(3, mu=1.0)
    best = solvers.solve_with_cvxpy(problem, None, 0, None).primal
    shapes = problem.costs.shape, problem.rho.shape, problem.costs.shape
    for size in (0.1, 1.0, 10.0):
        made = problem.feasible(*(size * rng.normal(size=shape) for shape in shapes))
        assert (made.margin >= 0).all() and (made.margin <= problem.costs).all()
        assert (problem.signs * made.margin).sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)
        assert (made.instance >= 0).all() and (made.bag >= 0).all()
        total = problem.sum_in_bags(made.instance) + made.bag
        assert total == pytest.approx(np.full(total.shape, problem.link))
        again = problem.feasible(made.margin, made.instance, made.bag)
        assert again.instance == pytest.approx(made.instance)
        assert problem.solution(np.zeros((5, 3)), np.zeros(3), made, 0).dual <= best + 1e-9


def test_best_intercept_by_trying_all(rng):
    problem = random_problem(1)
    signs, costs, on_bags = problem.signs, problem.costs, rng.normal(size=problem.signs.shape)
    b, margin = problem.best_intercept(on_bags)

    def hinges(b):
        return np.sum(costs * np.maximum(1 - signs * (on_bags + b), 0), axis=0)

    assert hinges(b) == pytest.approx(np.min([hinges(kinks) for kinks in signs - on_bags], axis=0))
    short = 1 - signs * (on_bags + b)
    assert margin[short > 1e-9] == pytest.approx(costs[short > 1e-9])
    assert margin[short < -1e-9] == pytest.approx(0)
    assert (signs * margin).sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)


def test_equal_instances_share_rho():
    """A bag of 3, 3, 1 and one of 2: ½, ½, 0 and 1."""
    problem = replace(random_problem(0, n_labels=1), offsets=np.array([0, 3, 4]))
    rho = dmimlsvm.highest(problem, np.array([[3.0], [3.0], [1.0], [2.0]]))
    assert rho.ravel().tolist() == [0.5, 0.5, 0.0, 1.0]


def test_table_8_stops_without_knowing_how_far_it_is():
    """If few of many constraints are violated, 59 random ones can all hold."""
    problem, gaps = random_problem(4, n_bags=80, n_labels=1, n_dims=10), []
    best = solvers.solve_bundle(problem, None, 1e-5, None).primal
    for seed in range(3):
        solution = solvers.solve_cutting_plane(problem, None, 0, None, np.random.RandomState(seed))
        assert solution.dual <= best <= solution.primal * (1 + 1e-9)
        gaps.append(solution.gap)
    assert max(gaps) > 1e-3
