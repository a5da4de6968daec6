"""SubCod: its linear programs, its corrections, and the way of a new bag."""

import cvxpy as cp
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.algorithms.subcod import (
    OPTIMA,
    OneLabel,
    SubCod,
    best_inversions,
    correct_concepts,
)
from mimlpaper.base import ConstantLabelWarning
from mimlpaper.datasets import make_africa
from mimlpaper.linear_svm import fit_linear_svm
from mimlpaper.preprocessing import OnInstances

# Two to five points on the plane, from six clouds.
# Two of the clouds decide the label.
X, y, _ = make_africa(40)


def shortfall(gains, deficits, inversions):
    """Σ ξ: what the linear program minimises."""
    gained = (gains * inversions).sum(axis=1)
    return np.maximum(deficits - gained, 0.0).sum()


def test_inversions_by_hand():
    """Two bags lack 1 and 3; inverting gains them (2, -1) and (2, 2), and the budget is 1.5.

    All gains of 2 are alike, so the first bag takes the half that it needs, and the second one
    the next 1 of its 1.5: it still lacks 1. With a budget of 9 nobody lacks anything. Then
    "minimal" stops at .5 and 1.5, and "budget" goes on to all inversions that gain.
    """
    gains = np.array([[2.0, -1.0], [2.0, 2.0]])
    deficits = np.array([1.0, 3.0])

    def inversions(budget, optimum):
        u = best_inversions(gains, deficits, budget, optimum)
        return u.tolist()

    scarce = inversions(1.5, "minimal")
    assert scarce == [[0.5, 0.0], [1.0, 0.0]]
    assert shortfall(gains, deficits, scarce) == 1.0

    minimal = inversions(9.0, "minimal")
    assert minimal == [[0.5, 0.0], [1.0, 0.5]]
    generous = inversions(9.0, "budget")
    assert generous == [[1.0, 0.0], [1.0, 1.0]]
    spent = inversions(2.25, "budget")
    assert spent == [[0.75, 0.0], [1.0, 0.5]]


def random_gains(seed):
    """Gains of 9 bags and 5 concepts, and the deficits of the bags."""
    rng = np.random.default_rng(seed)
    # Rounding to 0 or 1 digits makes ties.
    gains = rng.standard_normal((9, 5)).round(seed)
    deficits = rng.normal(1.0, 2.0, 9)
    return gains, deficits


def least_shortfall(gains, deficits, budget):
    """The linear program's optimum by cvxpy."""
    u = cp.Variable(gains.shape)
    gained = cp.sum(cp.multiply(gains, u), axis=1)
    lacking = cp.sum(cp.pos(deficits - gained))
    constraints = [u >= 0, u <= 1, cp.sum(u) <= budget]
    program = cp.Problem(cp.Minimize(lacking), constraints)
    return program.solve(solver=cp.CLARABEL)


def fewest_inversions(gains, deficits):
    """The least budget that leaves nothing short, by cvxpy."""
    u = cp.Variable(gains.shape)
    gained = cp.sum(cp.multiply(gains, u), axis=1)
    constraints = [u >= 0, u <= 1, gained >= deficits]
    program = cp.Problem(cp.Minimize(cp.sum(u)), constraints)
    return program.solve(solver=cp.CLARABEL)


@pytest.mark.parametrize("seed", range(3))
def test_every_optimum_is_that_of_the_program(seed):
    """By cvxpy, as is the least budget of all optima that leave nothing short."""
    gains, deficits = random_gains(seed)
    for budget_share in (0.0, 0.05, 0.2, 0.6, 1.0):
        budget = budget_share * gains.size
        expected = least_shortfall(gains, deficits, budget)
        used = {}
        for optimum in OPTIMA:
            u = best_inversions(gains, deficits, budget, optimum)
            assert (u >= 0).all()
            assert (u <= 1).all()
            lacking = shortfall(gains, deficits, u)
            assert lacking == pytest.approx(expected, abs=1e-6)
            used[optimum] = u.sum()
        assert max(used.values()) <= budget + 1e-9
        assert used["minimal"] <= used["budget"] + 1e-9

    # No bag lacks more than half of what it can gain,
    # so a large budget covers all deficits.
    gains = np.abs(gains)
    deficits = np.minimum(deficits, gains.sum(axis=1) / 2)
    u = best_inversions(gains, deficits, gains.size, "minimal")
    expected = fewest_inversions(gains, deficits)
    assert u.sum() == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(
    "learner",
    [MimlSvm(random_state=0), MimlNn(ratio=0.5, random_state=0)],
    ids=["MimlSvm", "MimlNn"],
)
def test_whole_budget_is_the_learner_on_the_bag_label(learner):
    """The effect of this optimum, if the scores of the two opposite labels are opposite."""
    subcod = SubCod(
        n_concepts=8,
        kept_share=0.1,
        learner=learner,
        random_state=0,
    )
    subcod.fit(X, y)
    for concept in subcod.polished_.T:
        assert tuple(concept) in {tuple(y), tuple(~y)}
    on_bag_label = OneLabel(learner).fit(X, y)
    expected = on_bag_label.predict(X)
    assert np.array_equal(subcod.predict(X), expected)


@pytest.mark.filterwarnings("error::mimlpaper.base.ConstantLabelWarning")
def test_concepts_are_likeliest_components_and_a_new_bag_goes_through_both_machines():
    """Table 10, step 5, by hand: the learner's label set, then the plane of the last machine."""
    subcod = SubCod(
        n_concepts=8,
        kept_share=0.8,
        covariance="full",
        random_state=0,
    )
    subcod.fit(X[:30], y[:30])
    mixture = subcod.mixture_
    probabilities = mixture.predict_proba(X.instances)
    concept_of_instance = probabilities.argmax(axis=1)
    for i, concepts in enumerate(subcod.concepts_):
        of_bag = X.bag_of_instance == i
        expected = np.unique(concept_of_instance[of_bag])
        assert np.array_equal(np.flatnonzero(concepts), expected)

    new_bags = X[30:]
    concepts = subcod.predict_concepts(new_bags)
    labels = subcod.learner_.predict(new_bags)
    expected = labels[:, subcod.label_of_concept_]
    assert np.array_equal(concepts, expected)
    machine = subcod.classifier_
    expected = concepts @ machine.coef_[0] + machine.intercept_
    scores = subcod.decision_function(new_bags)
    assert scores == pytest.approx(expected)


def test_one_sub_concept_for_all_is_told():
    subcod = SubCod(n_concepts=1, kept_share=1.0, random_state=0)
    with pytest.warns(ConstantLabelWarning, match="raise n_concepts"):
        subcod.fit(X, y)
    scores = subcod.decision_function(X)
    assert len(np.unique(scores)) == 1


@pytest.fixture
def concepts(rng):
    """Twelve concepts, which 30 bags have by chance."""
    return rng.random((30, 12)) < 0.3


@pytest.fixture
def bag_label(concepts, rng):
    """A label that does not depend on the concepts."""
    return rng.random(30) < 0.5


@pytest.mark.parametrize("optimum", OPTIMA)
def test_objective_never_rises_within_the_budget(concepts, bag_label, optimum):
    """An inverted label costs at least half of its z's way from 1 to -1.

    With θ = mM none is inverted. The whole budget makes every sub-concept the bag label or its
    opposite: then w_j = ±1/M, and the objective is ½ M (1/M)² = 1/(2M), the least that can be.
    """
    for kept_share in (0.0, 0.3, 0.6, 0.8, 0.95, 1.0):
        polished, objective = correct_concepts(
            concepts,
            bag_label,
            kept_share=kept_share,
            optimum=optimum,
        )
        # The linear machine's tolerance allows such a rise.
        rises = np.diff(objective)
        assert (rises <= 1e-4 * objective[:-1]).all()
        inverted_share = np.mean(polished != concepts)
        assert inverted_share <= 2 * (1 - kept_share) + 1e-12
        if kept_share == 0.0 and optimum == "budget":
            for concept in polished.T:
                same_as_label = concept == bag_label
                assert same_as_label.all() or not same_as_label.any()
            least = 1 / (2 * 12)
            assert objective[-1] == pytest.approx(least, rel=1e-3)

    # The last kept_share, 1.0, leaves no budget.
    assert np.array_equal(polished, concepts)
    z = np.where(concepts, 1.0, -1.0)
    machine = fit_linear_svm(z, bag_label, 1.0)
    assert objective == pytest.approx([machine.primal] * 2, rel=1e-3)


def test_too_few_alternations_warn(concepts, bag_label):
    with pytest.warns(ConvergenceWarning, match="max_alternations=1 turns"):
        correct_concepts(
            concepts,
            bag_label,
            kept_share=0.5,
            max_alternations=1,
        )


def test_the_learner_may_be_a_pipeline(bags, labels):
    scaled = make_pipeline(OnInstances(MinMaxScaler()), MimlSvm(random_state=0))
    learner = SubCod(n_concepts=3, learner=scaled, random_state=0).fit(bags, labels[:, 0])
    assert learner.predict(bags).shape == (len(bags),)


def test_sub_concepts_are_known_after_a_fit(bags):
    with pytest.raises(NotFittedError):
        SubCod().predict_concepts(bags)
