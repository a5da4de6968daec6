"""MimlBoost, and the machine of pairs of an instance and a label that it boosts."""

import math

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from mimlpaper.algorithms.mimlboost import MimlBoost, _costs, _label_codes, _multiplier
from mimlpaper.algorithms.pair_svm import PairSvm, label_kernels
from mimlpaper.bags import Bags
from mimlpaper.kernels import KernelFactor, kernel_matrix
from tests import reference


@pytest.fixture
def Y(rng, bags):
    """Two labels that follow the bags loosely."""
    return bags.mean(bags.instances)[:, :2] + rng.normal(0, 0.2, (len(bags), 2)) > 0.5


def test_multiplier_by_hand():
    """e = (0, 1), W = (3/4, 1/4): 3/4 e^-c + 1/4 e^c is least at c = 1/2 log 3 = .549306.

    e = (0, 3/4), W = (1/2, 1/2): e^-c = 1/2 e^(c/2), so c = log(2) / 1.5 = .462098.
    """
    for W, e, c in (
        ([0.75, 0.25], [0.0, 1.0], 0.549306),
        ([0.5, 0.5], [0.0, 0.75], 0.462098),
        ([0.5, 0.5], [0.0, 0.4], np.inf),
        ([0.5, 0.5], [0.0, 0.5], np.inf),
        ([0.5, 0.5], [0.5, 0.5], 0.0),
        ([0.4, 0.6], [0.0, 1.0], 0.0),
        ([0.5, 0.5], [0.6, 1.0], 0.0),
        ([1.0, 1e-300], [0.0, 1.0], 150 * math.log(10)),
        ([1.0, 0.0], [0.0, 1.0], np.inf),
    ):
        assert _multiplier(np.array([W]), np.array([e])) == pytest.approx(c, abs=1e-6)


def test_three_bags_alike_by_hand():
    """Two have the label, one lacks it, and no function tells them apart.

    Round 1: h = +1, Σ W e = 1/3, c = 1/2 log 2 = .346574. Then W = (1/4, 1/4, 1/2), both classes
    weigh the same, Σ W e = 1/2 and c = 0: step 3e.
    """
    fitted = MimlBoost(random_state=0).fit([[[0.5]]] * 3, [[1], [1], [0]])
    assert (fitted.stopped_, fitted.n_rounds_) == ("step 3e", 1)
    assert fitted.estimator_weights_ == pytest.approx([0.346574], abs=1e-6)
    assert fitted.estimator_errors_ == pytest.approx([1 / 3])
    assert fitted.decision_function([[[0.2], [0.9]]]) == pytest.approx(0.346574, abs=1e-6)


def test_a_perfect_first_round_is_kept():
    """Without the first round there would be no vote."""
    X, Y = [[[0.0]], [[0.1]], [[0.9]], [[1.0], [1.0]]], [[0], [0], [1], [1]]
    fitted = MimlBoost(C=100, random_state=0).fit(X, Y)
    assert (fitted.stopped_, fitted.n_rounds_) == ("step 3c", 1)
    assert fitted.estimator_weights_ == [1]
    assert np.array_equal(fitted.predict(X), np.array(Y, bool))


@pytest.mark.parametrize("label_code", ["feature", "onehot"])
def test_same_as_the_table_read_word_by_word(bags, Y, label_code):
    codes = _label_codes(2, 3, label_code)

    def learn(pairs, labels, weights):
        rows = [np.append(x, codes[v]) for x, v in pairs]
        svm = SVC(gamma=1.5, tol=1e-9).fit(rows, labels, len(rows) * np.array(weights))
        return lambda pair: svm.predict([np.append(pair[0], codes[pair[1]])])[0]

    expected, n_rounds = reference.miml_boost(bags, Y, 4, learn)
    exact = dict(gamma=1.5, rank=None, tol=1e-7, max_iter=5000)
    literal = MimlBoost(n_rounds=4, label_code=label_code, **exact).fit(bags, Y)
    assert literal.n_rounds_ == n_rounds == 4
    assert literal.decision_function(bags) == pytest.approx(expected, abs=1e-6)


def test_label_codes():
    """Up to 49 features the last label is 1; with 243 it is log(244) / log(50) = 1.4052."""
    assert _label_codes(5, 15, "feature").ravel().tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert _label_codes(7, 243, "feature")[-1] == pytest.approx([1.4052], abs=1e-4)
    assert _label_codes(2, 49, "feature").ravel().tolist() == [0, 1]
    assert _label_codes(2, 50, "feature")[-1] == pytest.approx([1.0051], abs=1e-4)
    assert _label_codes(1, 3, "feature").tolist() == [[0]]
    assert np.array_equal(_label_codes(4, 15, "onehot"), np.eye(4))


def test_linear_machines_rank_labels_alike_unless_in_product(bags, Y):
    """f(x, y) = <w, x> + v e_y + b moves all labels of an instance together."""
    x = bags.instances
    alike = MimlBoost(n_rounds=1, kernel="linear").fit(bags, Y).estimators_[0](x)
    assert np.ptp(alike[:, 0] - alike[:, 1]) < 1e-12
    own = MimlBoost(n_rounds=1, kernel="linear", label_code="product").fit(bags, Y)
    assert np.ptp(own.estimators_[0](x) @ [1, -1]) > 0.1


@pytest.mark.filterwarnings("error")
def test_an_unsolved_machine_warns_and_no_other(bags, Y):
    estimator = MimlBoost(n_rounds=2, C=1e4, tol=1e-10, max_iter=1, random_state=0)
    with pytest.warns(ConvergenceWarning, match=r"2 of 2 .* max_iter=1 .* not 1.0e-10"):
        assert 1e-10 < estimator.fit(bags, Y).gap_ < np.inf
    assert MimlBoost(n_rounds=2, random_state=0).fit(bags, Y).gap_ <= 1e-3


def test_costs_are_one_on_average_or_counts_of_drawn_pairs(bags, Y):
    rng = np.random.RandomState(0)
    W = rng.dirichlet(np.ones(Y.size)).reshape(Y.shape)
    costs = _costs(W, bags.sizes, "weights", None)
    assert costs.mean() == pytest.approx(1.0)
    assert bags.sum(costs) == pytest.approx(costs.size * W)
    drawn = _costs(W, bags.sizes, "resampling", rng)
    assert drawn.sum() == costs.size and (drawn == drawn.astype(int)).all() and (drawn == 0).any()
    resampled = MimlBoost(n_rounds=4, weighting="resampling")
    fits = [clone(resampled).set_params(random_state=seed).fit(bags, Y) for seed in (5, 5, 6)]
    first, same, other = (fitted.decision_function(bags) for fitted in fits)
    assert np.array_equal(first, same) and not np.array_equal(first, other)


@pytest.fixture
def problem(rng, bags):
    """Three labels that follow the bags' means loosely, and the costs of their instances."""
    truth = bags.mean(bags.instances) + rng.normal(0, 0.2, (30, 3))
    costs = np.repeat(rng.exponential(1.0, truth.shape), bags.sizes, axis=0)
    return np.where(truth > 0.5, 1.0, -1.0), costs


def test_two_pairs_by_hand():
    """φ = (1), (-1), one label, g = 1, -1, C = 1: f = α_1 φ_1 - α_2 φ_2 and α_1 = α_2 = α.

    f(x) = 2 α x must reach the margins ±1, so α = 1/2, f = x and b = 0; at C = 1/4 the α are at
    their bounds, f = x/2, and b may lie anywhere in [-1/2, 1/2]: 0 is the middle.
    """
    features = targets = np.array([[1.0], [-1.0]])
    svm = PairSvm(Bags(features, np.arange(3)), np.eye(1), np.zeros((1, 1)), tol=1e-12)
    for cost, slope in ((1.0, 1.0), (0.25, 0.5)):
        f, values = svm.solve(targets, np.full((2, 1), cost))
        assert f.coef == pytest.approx(slope) and f.intercept == pytest.approx(0, abs=1e-6)
        assert values == pytest.approx(slope * features, abs=1e-6)


@pytest.mark.parametrize("which", ["rbf", "onehot", "linear", "product"])
def test_agrees_with_a_conic_solver_up_to_the_gap(rng, bags, problem, which):
    """Its kernel is that of rows: an instance followed by a label's code, or their product.

    The start from the bags' means changes nothing, whether or not a bag's costs are equal; nor do
    machines for other costs before.
    """
    targets, costs = problem
    codes, name, gamma, product = {
        "rbf": (np.linspace(0, 1, 3)[:, None], "rbf", 2.0, False),
        "onehot": (np.eye(3), "rbf", 2.0, False),
        "linear": (np.linspace(0, 1, 3)[:, None], "linear", 1.0, False),
        "product": (rng.normal(size=(3, 2)), "linear", 1.0, True),
    }[which]
    kernels = k_y, k_0 = label_kernels(codes, name, gamma, product=product)
    pairs = [(a, code) for a in bags.instances for code in codes]
    rows = np.array([np.outer(*pair).ravel() if product else np.append(*pair) for pair in pairs])
    k_x = kernel_matrix(bags.instances, kernel=name, gamma=gamma)
    of_pairs = np.kron(k_x, k_y) + np.kron(np.ones(k_x.shape), k_0)
    assert np.allclose(of_pairs, kernel_matrix(rows, kernel=name, gamma=gamma))
    features = KernelFactor(kernel=name, gamma=gamma, tol=1e-14).fit_transform(bags.instances)
    of_instances = np.repeat(targets, bags.sizes, axis=0)
    several = costs, costs * rng.poisson(1.0, costs.shape)
    solved = [(C, *reference.pair_svm(features, *kernels, of_instances, C)) for C in several]
    options = {"max_iter": 2000, "random_state": 0}
    for tol in (0.5, 1e-2, 1e-4, 1e-7):
        svm = PairSvm(bags.with_instances(features), *kernels, tol=tol, **options)
        for C, minimum, expected in (*solved, solved[0]):
            f, values = svm.solve(targets, C)
            assert 0 <= f.gap <= tol
            assert f(features) == pytest.approx(values, abs=1e-5 if tol > 1e-7 else None)
            assert tol > 1e-7 or values == pytest.approx(expected, abs=5e-3)
            if not k_0.any():  # ½ ||f||² + Σ C max(0, 1 - g f), for offsets of no norm
                loss = np.vdot(C, np.maximum(1 - of_instances * values, 0))
                reached = np.vdot(f.coef, np.linalg.pinv(k_y) @ f.coef) / 2 + loss
                assert minimum * (1 - 1e-6) <= reached <= minimum + (f.gap + 1e-6) * reached


def test_one_class_only(bags, problem):
    targets, costs = problem
    svm, of_instances = PairSvm(bags, np.eye(3), np.eye(3)), np.repeat(targets, bags.sizes, axis=0)
    for sign in 1.0, -1.0:
        f, values = svm.solve(targets, costs * (of_instances == sign))
        assert (f(bags.instances) == sign).all() and (values == sign).all() and f.gap == 0
