"""Hold-outs: each setting by a slow version, shares at the ends of grids, names of parameters."""

import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline

from mimlpaper.algorithms import medoid_map
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.algorithms.subcod import SubCod
from mimlpaper.baselines.binary_relevance import MlKnn
from mimlpaper.datasets import make_africa
from mimlpaper.distances import max_hausdorff
from mimlpaper.metrics import evaluate
from mimlpaper.preprocessing import SumInstances
from mimlpaper.sharing import Cache, sharing
from mimlpaper.study.holdouts import HoldOut, full_names
from mimlpaper.study.measures import _chosen

GRID = {"mlknn__n_neighbors": [1, 3, 9]}
SUBCOD_GRID = {"n_concepts": [4, 8], "kept_share": [0.2, 0.8, 1.0]}


def test_keeps_what_does_best_on_the_part_held_out(bags, labels):
    """Of equal values the first. A loss is best where it is least."""
    pipeline = make_pipeline(SumInstances(), MlKnn())
    train, test = next(ShuffleSplit(1, test_size=0.25, random_state=5).split(labels))
    for criterion, arg in (("average_precision", np.argmax), ("ranking_loss", np.argmin)):
        held = HoldOut(pipeline, GRID, criterion=criterion, random_state=5).fit(bags, labels)
        values = []
        for k in GRID["mlknn__n_neighbors"]:
            fitted = make_pipeline(SumInstances(), MlKnn(n_neighbors=k))
            fitted.fit(bags[train], labels[train])
            scores, predicted = fitted.decision_function(bags[test]), fitted.predict(bags[test])
            values.append(evaluate(labels[test], scores, predicted)[criterion])
        assert held.holdout_values_["value"] == pytest.approx(values)
        best = GRID["mlknn__n_neighbors"][arg(values)]
        assert held.best_params_ == {"mlknn__n_neighbors": best}
        assert json.loads(_chosen(held)) == held.best_params_
        whole = make_pipeline(SumInstances(), MlKnn(n_neighbors=best)).fit(bags, labels)
        assert np.array_equal(held.decision_function(bags), whole.decision_function(bags))
        assert np.array_equal(held.predict(bags), whole.predict(bags))
    with pytest.raises(ValueError, match=r"criterion must be one of .*got 'luck'"):
        HoldOut(MlKnn(), {}, criterion="luck").fit(bags, labels)
    with pytest.raises(ValueError, match=r"n_neighbors must be .* got 0"):
        HoldOut(pipeline, {"mlknn__n_neighbors": [1, 0]}).fit(bags, labels)


def test_a_stratified_hold_out_of_subcod_by_one_fit_a_setting(monkeypatch):
    """It measures distances once: in the training part, from there to medoids, in the whole set."""
    X, y, _ = make_africa(60, random_state=0)
    subcod = SubCod(learner=MimlSvm(random_state=0), random_state=0)
    search = HoldOut(subcod, SUBCOD_GRID, criterion="accuracy", stratified=True, random_state=3)
    train, held = next(StratifiedShuffleSplit(1, test_size=0.25, random_state=3).split(y, y))
    calls = []

    def counted(A, B=None):
        calls.append((len(A), len(A if B is None else B)))
        return max_hausdorff(A, B)

    monkeypatch.setattr(medoid_map, "max_hausdorff", counted)
    with sharing(Cache()):
        search.fit(X, y)
    assert calls[0] == (45, 45) and calls[1][0] == 15 and calls[2:] == [(60, 60)]
    expected = []
    for setting in search.holdout_values_["params"]:
        one = clone(subcod).set_params(**setting).fit(X[train], y[train])
        expected.append(np.mean(one.predict(X[held]) == y[held]))
    assert search.holdout_values_["value"] == pytest.approx(expected)
    assert len(expected) == 6 and len(set(expected)) > 1
    assert search.best_params_ == search.holdout_values_["params"][np.argmax(expected)]
    alone = clone(subcod).set_params(**search.best_params_).fit(X, y)
    assert search.decision_function(X) == pytest.approx(alone.decision_function(X))


def test_short_names_are_those_of_the_last_step():
    pipeline = make_pipeline(SumInstances(), MlKnn())
    search = HoldOut(pipeline, GRID)
    for estimator, short, full in (
        (MlKnn(), {"n_neighbors": 3}, {"n_neighbors": 3}),
        (pipeline, {"n_neighbors": 3, "suminstances": "passthrough"},
         {"mlknn__n_neighbors": 3, "suminstances": "passthrough"}),
        (pipeline, {"mlknn__n_neighbors": 3}, {"mlknn__n_neighbors": 3}),
        (search, {"n_neighbors": 3, "criterion": "coverage"},
         {"estimator__mlknn__n_neighbors": 3, "criterion": "coverage"}),
    ):  # fmt: skip
        assert full_names(estimator, short) == full
