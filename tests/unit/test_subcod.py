"""SubCod: its linear programs, its corrections, and the way of a new bag."""

import cvxpy as cp
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.algorithms.subcod import OPTIMA, OneLabel, SubCod, best_inversions, correct_concepts
from mimlpaper.base import ConstantLabelWarning
from mimlpaper.datasets import make_africa
from mimlpaper.linear_svm import fit_linear_svm

X, y, _ = make_africa(40)  # of two to five points on the plane, among six clouds; two of them tell


def shortfall(gains, deficits, u):
    """Σ ξ for inversions u: what the linear program minimises."""
    return np.maximum(deficits - (gains * u).sum(axis=1), 0.0).sum()


def test_inversions_by_hand():
    """Two bags lack 1 and 3; inverting gains them (2, -1) and (2, 2), and the budget is 1.5.

    All gains of 2 are alike, so the first bag takes the half that it needs, and the second one
    the next 1 of its 1.5: it still lacks 1. With a budget of 9 nobody lacks anything. Then
    "minimal" stops at .5 and 1.5, and "budget" goes on to all inversions that gain.
    """
    gains, deficits = np.array([[2.0, -1.0], [2.0, 2.0]]), np.array([1.0, 3.0])
    scarce = best_inversions(gains, deficits, 1.5, "minimal")
    assert scarce.tolist() == [[0.5, 0.0], [1.0, 0.0]]
    assert shortfall(gains, deficits, scarce) == 1.0
    assert best_inversions(gains, deficits, 9.0, "minimal").tolist() == [[0.5, 0.0], [1.0, 0.5]]
    assert best_inversions(gains, deficits, 9.0, "budget").tolist() == [[1.0, 0.0], [1.0, 1.0]]
    assert best_inversions(gains, deficits, 2.25, "budget").tolist() == [[0.75, 0.0], [1.0, 0.5]]


@pytest.mark.parametrize("seed", range(3))
def test_every_optimum_is_that_of_the_program(seed):
    """By cvxpy, as is the least budget of all optima that leave nothing short."""
    rng = np.random.default_rng(seed)
    gains = rng.standard_normal((9, 5)).round(seed)  # with ties in some cases
    deficits, budget, u = rng.normal(1.0, 2.0, 9), cp.Parameter(), cp.Variable(gains.shape)
    left = cp.pos(deficits - cp.sum(cp.multiply(gains, u), axis=1))
    program = cp.Problem(cp.Minimize(cp.sum(left)), [u >= 0, u <= 1, cp.sum(u) <= budget])
    for share in (0.0, 0.05, 0.2, 0.6, 1.0):
        budget.value, used = share * gains.size, {}
        expected = program.solve(solver=cp.CLARABEL)
        for optimum in OPTIMA:
            found = best_inversions(gains, deficits, budget.value, optimum)
            assert (found >= 0).all() and (found <= 1).all()
            assert shortfall(gains, deficits, found) == pytest.approx(expected, abs=1e-6)
            used[optimum] = found.sum()
        assert max(used.values()) <= budget.value + 1e-9
        assert used["minimal"] <= used["budget"] + 1e-9
    gains, deficits = np.abs(gains), np.minimum(deficits, np.abs(gains).sum(axis=1) / 2)
    enough = cp.sum(cp.multiply(gains, u), axis=1) >= deficits
    least = cp.Problem(cp.Minimize(cp.sum(u)), [u >= 0, u <= 1, enough]).solve(solver=cp.CLARABEL)
    found = best_inversions(gains, deficits, gains.size, "minimal")
    assert found.sum() == pytest.approx(least, abs=1e-5)


def test_whole_budget_is_the_learner_on_the_bag_label():
    """The effect of this optimum, if the scores of the two opposite labels are opposite."""
    for learner in MimlSvm(random_state=0), MimlNn(ratio=0.5, random_state=0):
        fitted = SubCod(n_concepts=8, kept_share=0.1, learner=learner, random_state=0).fit(X, y)
        assert {tuple(column) for column in fitted.polished_.T} <= {tuple(y), tuple(~y)}
        assert np.array_equal(fitted.predict(X), OneLabel(learner).fit(X, y).predict(X))


@pytest.mark.filterwarnings("error::mimlpaper.base.ConstantLabelWarning")
def test_concepts_are_likeliest_components_and_a_new_bag_goes_through_both_machines():
    """Table 10, step 5, by hand: the learner's label set, then the plane of the last machine."""
    options = dict(n_concepts=8, kept_share=0.8, covariance="full", random_state=0)
    fitted, new = SubCod(**options).fit(X[:30], y[:30]), X[30:]
    concept_of_instance = fitted.mixture_.predict_proba(X.instances).argmax(axis=1)
    for i, found in enumerate(fitted.concepts_):
        expected = np.unique(concept_of_instance[X.bag_of_instance == i])
        assert np.array_equal(np.flatnonzero(found), expected)
    labels = fitted.learner_.predict(new)[:, fitted.label_of_concept_]
    assert np.array_equal(fitted.predict_concepts(new), labels)
    plane = labels @ fitted.classifier_.coef_[0] + fitted.classifier_.intercept_
    assert fitted.decision_function(new) == pytest.approx(plane)


def test_one_sub_concept_for_all_is_told():
    with pytest.warns(ConstantLabelWarning, match="raise n_concepts"):
        fitted = SubCod(n_concepts=1, kept_share=1.0, random_state=0).fit(X, y)
    assert len(np.unique(fitted.decision_function(X))) == 1


@pytest.mark.parametrize("optimum", OPTIMA)
def test_objective_never_rises_within_the_budget(rng, optimum):
    """An inverted label costs at least half of its z's way from 1 to -1.

    With θ = mM none is inverted. The whole budget makes every sub-concept the bag label or its
    opposite: then w_j = ±1/M, and the objective is ½ M (1/M)² = 1/(2M), the least that can be.
    """
    c, y = rng.random((30, 12)) < 0.3, rng.random(30) < 0.5
    for kept_share in (0.0, 0.3, 0.6, 0.8, 0.95, 1.0):
        polished, objective = correct_concepts(c, y, kept_share=kept_share, optimum=optimum)
        assert (np.diff(objective) <= 1e-4 * objective[:-1]).all()  # the machine's own tolerance
        assert np.mean(polished != c) <= 2 * (1 - kept_share) + 1e-12
        if kept_share == 0.0 and optimum == "budget":
            assert all(np.array_equal(x, y) or np.array_equal(x, ~y) for x in polished.T)
            assert objective[-1] == pytest.approx(1 / (2 * 12), rel=1e-3)
    assert np.array_equal(polished, c)
    machine = fit_linear_svm(np.where(c, 1.0, -1.0), y, 1.0)
    assert objective == pytest.approx([machine.primal] * 2, rel=1e-3)
    with pytest.warns(ConvergenceWarning, match="max_alternations=1 turns"):
        correct_concepts(c, y, kept_share=0.5, max_alternations=1)
