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
    means = bags.mean(bags.instances)[:, :2]
    noise = rng.normal(0, 0.2, means.shape)
    return means + noise > 0.5


@pytest.mark.parametrize(
    ("W", "e", "c"),
    [
        ([0.75, 0.25], [0.0, 1.0], 0.549306),
        ([0.5, 0.5], [0.0, 0.75], 0.462098),
        ([0.5, 0.5], [0.0, 0.4], np.inf),
        ([0.5, 0.5], [0.0, 0.5], np.inf),
        ([0.5, 0.5], [0.5, 0.5], 0.0),
        ([0.4, 0.6], [0.0, 1.0], 0.0),
        ([0.5, 0.5], [0.6, 1.0], 0.0),
        ([1.0, 1e-300], [0.0, 1.0], 150 * math.log(10)),
        ([1.0, 0.0], [0.0, 1.0], np.inf),
    ],
)
def test_multiplier_by_hand(W, e, c):
    """e = (0, 1), W = (3/4, 1/4): 3/4 e^-c + 1/4 e^c is least at c = 1/2 log 3 = .549306.

    e = (0, 3/4), W = (1/2, 1/2): e^-c = 1/2 e^(c/2), so c = log(2) / 1.5 = .462098.
    """
    multiplier = _multiplier(np.array([W]), np.array([e]))
    assert multiplier == pytest.approx(c, abs=1e-6)


def test_three_bags_alike_by_hand():
    """Two have the label, one lacks it, and no function tells them apart.

    Round 1: h = +1, Σ W e = 1/3, c = 1/2 log 2 = .346574. Then W = (1/4, 1/4, 1/2), both classes
    weigh the same, Σ W e = 1/2 and c = 0: step 3e.
    """
    X = [[[0.5]]] * 3
    boost = MimlBoost(random_state=0).fit(X, [[1], [1], [0]])
    assert boost.stopped_ == "step 3e"
    assert boost.n_rounds_ == 1
    assert boost.estimator_weights_ == pytest.approx([0.346574], abs=1e-6)
    assert boost.estimator_errors_ == pytest.approx([1 / 3])
    new_bag = [[[0.2], [0.9]]]
    scores = boost.decision_function(new_bag)
    assert scores == pytest.approx(0.346574, abs=1e-6)


def test_a_perfect_first_round_is_kept():
    """Without the first round there would be no vote."""
    X = [[[0.0]], [[0.1]], [[0.9]], [[1.0], [1.0]]]
    Y = [[0], [0], [1], [1]]
    boost = MimlBoost(C=100, random_state=0).fit(X, Y)
    assert boost.stopped_ == "step 3c"
    assert boost.n_rounds_ == 1
    assert boost.estimator_weights_ == [1]
    assert np.array_equal(boost.predict(X), np.array(Y, bool))


@pytest.mark.parametrize("label_code", ["feature", "onehot"])
def test_same_as_the_table_read_word_by_word(bags, Y, label_code):
    codes = _label_codes(2, 3, label_code)

    def row(pair):
        x, v = pair
        return np.append(x, codes[v])

    def learn(pairs, labels, weights):
        svm = SVC(gamma=1.5, tol=1e-9)
        # MimlBoost's C is the cost of a pair of mean weight.
        costs = len(pairs) * np.array(weights)
        svm.fit([row(pair) for pair in pairs], labels, costs)
        return lambda pair: svm.predict([row(pair)])[0]

    expected, n_rounds = reference.miml_boost(bags, Y, 4, learn)
    boost = MimlBoost(
        n_rounds=4,
        label_code=label_code,
        gamma=1.5,
        rank=None,
        tol=1e-7,
        max_iter=5000,
    )
    boost.fit(bags, Y)
    assert n_rounds == 4
    assert boost.n_rounds_ == 4
    scores = boost.decision_function(bags)
    assert scores == pytest.approx(expected, abs=1e-6)


def test_label_codes():
    """Up to 49 features the last label is 1; with 243 it is log(244) / log(50) = 1.4052."""

    def codes(n_labels, n_features):
        return _label_codes(n_labels, n_features, "feature").ravel()

    assert codes(5, 15).tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert codes(7, 243)[-1] == pytest.approx(1.4052, abs=1e-4)
    assert codes(2, 49).tolist() == [0, 1]
    assert codes(2, 50)[-1] == pytest.approx(1.0051, abs=1e-4)
    assert _label_codes(1, 3, "feature").tolist() == [[0]]

    onehot = _label_codes(4, 15, "onehot")
    assert np.array_equal(onehot, np.eye(4))


def test_linear_machines_rank_labels_alike_unless_in_product(bags, Y):
    """f(x, y) = <w, x> + v e_y + b moves all labels of an instance together."""
    linear = MimlBoost(n_rounds=1, kernel="linear").fit(bags, Y)
    f = linear.estimators_[0](bags.instances)
    # One label is above the other by the same amount everywhere.
    assert np.ptp(f[:, 0] - f[:, 1]) < 1e-12

    product = MimlBoost(
        n_rounds=1,
        kernel="linear",
        label_code="product",
    )
    product.fit(bags, Y)
    f = product.estimators_[0](bags.instances)
    assert np.ptp(f[:, 0] - f[:, 1]) > 0.1


@pytest.mark.filterwarnings("error")
def test_an_unsolved_machine_warns_and_no_other(bags, Y):
    unsolved = MimlBoost(
        n_rounds=2,
        C=1e4,
        tol=1e-10,
        max_iter=1,
        random_state=0,
    )
    message = r"2 of 2 .* max_iter=1 .* not 1.0e-10"
    with pytest.warns(ConvergenceWarning, match=message):
        unsolved.fit(bags, Y)
    assert unsolved.gap_ > 1e-10
    assert unsolved.gap_ < np.inf

    solved = MimlBoost(n_rounds=2, random_state=0).fit(bags, Y)
    assert solved.gap_ <= 1e-3


def test_costs_are_one_on_average_or_counts_of_drawn_pairs(bags, Y):
    random_state = np.random.RandomState(0)
    W = random_state.dirichlet(np.ones(Y.size)).reshape(Y.shape)
    costs = _costs(W, bags.sizes, "weights", None)
    assert costs.mean() == pytest.approx(1.0)
    assert bags.sum(costs) == pytest.approx(costs.size * W)

    counts = _costs(W, bags.sizes, "resampling", random_state)
    assert counts.sum() == costs.size
    assert (counts == counts.astype(int)).all()
    assert (counts == 0).any()


def test_resampling_depends_on_the_seed_alone(bags, Y):
    boost = MimlBoost(n_rounds=4, weighting="resampling")

    def scores(seed):
        fitted = clone(boost).set_params(random_state=seed).fit(bags, Y)
        return fitted.decision_function(bags)

    assert np.array_equal(scores(5), scores(5))
    assert not np.array_equal(scores(5), scores(6))


@pytest.fixture
def problem(rng, bags):
    """Three labels that follow the bags' means loosely, and the costs of their instances."""
    means = bags.mean(bags.instances)
    truth = means + rng.normal(0, 0.2, (30, 3))
    targets = np.where(truth > 0.5, 1.0, -1.0)
    costs_of_bags = rng.exponential(1.0, truth.shape)
    return targets, np.repeat(costs_of_bags, bags.sizes, axis=0)


@pytest.mark.parametrize(("cost", "slope"), [(1.0, 1.0), (0.25, 0.5)])
def test_two_pairs_by_hand(cost, slope):
    """φ = (1), (-1), one label, g = 1, -1, C = 1: f = α_1 φ_1 - α_2 φ_2 and α_1 = α_2 = α.

    f(x) = 2 α x must reach the margins ±1, so α = 1/2, f = x and b = 0; at C = 1/4 the α are at
    their bounds, f = x/2, and b may lie anywhere in [-1/2, 1/2]: 0 is the middle.
    """
    features = np.array([[1.0], [-1.0]])
    targets = features
    bags = Bags(features, np.arange(3))
    svm = PairSvm(bags, np.eye(1), np.zeros((1, 1)), tol=1e-12)
    f, values = svm.solve(targets, np.full((2, 1), cost))
    assert f.coef == pytest.approx(slope)
    assert f.intercept == pytest.approx(0, abs=1e-6)
    assert values == pytest.approx(slope * features, abs=1e-6)


@pytest.fixture
def pair_kernel(request, rng, bags):
    """Kernels of instances, of labels and of offsets, which make a known kernel of pairs.

    Its rows are an instance followed by a label's code, or the product of these two.
    """
    on_a_line = np.linspace(0, 1, 3)[:, None]
    codes, kernel, gamma, product = {
        "rbf": (on_a_line, "rbf", 2.0, False),
        "onehot": (np.eye(3), "rbf", 2.0, False),
        "linear": (on_a_line, "linear", 1.0, False),
        "product": (rng.normal(size=(3, 2)), "linear", 1.0, True),
    }[request.param]
    k_y, k_0 = label_kernels(codes, kernel, gamma, product=product)

    rows = []
    for x in bags.instances:
        for code in codes:
            joined = np.outer(x, code).ravel() if product else np.append(x, code)
            rows.append(joined)
    expected = kernel_matrix(np.array(rows), kernel=kernel, gamma=gamma)
    k_x = kernel_matrix(bags.instances, kernel=kernel, gamma=gamma)
    of_pairs = np.kron(k_x, k_y) + np.kron(np.ones(k_x.shape), k_0)
    assert np.allclose(of_pairs, expected)

    factor = KernelFactor(kernel=kernel, gamma=gamma, tol=1e-14)
    features = factor.fit_transform(bags.instances)
    return features, k_y, k_0


@pytest.mark.parametrize(
    "pair_kernel",
    ["rbf", "onehot", "linear", "product"],
    indirect=True,
)
def test_agrees_with_a_conic_solver_up_to_the_gap(rng, bags, problem, pair_kernel):
    """The start from the bags' means changes nothing, whether or not a bag's costs are equal.

    Nor do machines for other costs before.
    """
    targets, costs = problem
    features, k_y, k_0 = pair_kernel
    of_instances = np.repeat(targets, bags.sizes, axis=0)

    solved = []
    uneven_costs = costs * rng.poisson(1.0, costs.shape)
    for C in (costs, uneven_costs):
        minimum, expected = reference.pair_svm(
            features,
            k_y,
            k_0,
            of_instances,
            C,
        )
        solved.append((C, minimum, expected))
    # Again the first costs, after others.
    solved.append(solved[0])

    for tol in (0.5, 1e-2, 1e-4, 1e-7):
        svm = PairSvm(
            bags.with_instances(features),
            k_y,
            k_0,
            tol=tol,
            max_iter=2000,
            random_state=0,
        )
        for C, minimum, expected in solved:
            f, values = svm.solve(targets, C)
            assert f.gap >= 0
            assert f.gap <= tol
            if tol > 1e-7:
                assert f(features) == pytest.approx(values, abs=1e-5)
            else:
                assert f(features) == pytest.approx(values)
                assert values == pytest.approx(expected, abs=5e-3)
            # Where offsets have a norm, the one below is not the whole.
            if not k_0.any():
                slacks = np.maximum(1 - of_instances * values, 0)
                norm = np.vdot(f.coef, np.linalg.pinv(k_y) @ f.coef)
                reached = norm / 2 + np.vdot(C, slacks)
                assert reached >= minimum * (1 - 1e-6)
                assert reached <= minimum + (f.gap + 1e-6) * reached


def test_one_class_only(bags, problem):
    targets, costs = problem
    of_instances = np.repeat(targets, bags.sizes, axis=0)
    svm = PairSvm(bags, np.eye(3), np.eye(3))
    for sign in 1.0, -1.0:
        of_class = costs * (of_instances == sign)
        f, values = svm.solve(targets, of_class)
        assert (f(bags.instances) == sign).all()
        assert (values == sign).all()
        assert f.gap == 0
