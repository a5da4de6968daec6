"""Hold-outs: each setting by a slow version, shares at the ends of grids, names of parameters."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline

from mimlpaper import MimlSvm, MlKnn, SubCod, SumInstances, evaluate, max_hausdorff
from mimlpaper.algorithms import medoid_map
from mimlpaper.datasets import make_africa
from mimlpaper.sharing import Cache, sharing
from mimlpaper.study.holdouts import HoldOut, full_names

PIPELINE, GRID = make_pipeline(SumInstances(), MlKnn()), {"mlknn__n_neighbors": [1, 3, 9]}


def check_by_hand(search, X, Y, split):
    """Fits each setting to the training part of a split, and the best one to the whole set."""
    train, held = next(split.split(Y, Y))
    settings, values = search.holdout_values_["params"], []
    for setting in settings:
        fitted = clone(search.estimator).set_params(**setting).fit(X[train], Y[train])
        scores, predicted = fitted.decision_function(X[held]), fitted.predict(X[held])
        values.append(evaluate(Y[held], scores, predicted)[search.criterion])
    assert search.holdout_values_["value"] == pytest.approx(values) and len(set(values)) > 1
    best = np.argmin(values) if search.criterion == "ranking_loss" else np.argmax(values)
    assert search.best_params_ == settings[best]
    whole = clone(search.estimator).set_params(**settings[best]).fit(X, Y)
    assert search.decision_function(X) == pytest.approx(whole.decision_function(X))
    assert np.array_equal(search.predict(X), whole.predict(X))


def test_keeps_what_does_best_on_the_part_held_out(bags, labels):
    """Of equal values the first. A loss is best where it is least."""
    for criterion in ("average_precision", "ranking_loss"):
        search = HoldOut(PIPELINE, GRID, criterion=criterion, random_state=5).fit(bags, labels)
        settings = [{"mlknn__n_neighbors": k} for k in (1, 3, 9)]
        assert search.holdout_values_["params"] == settings
        check_by_hand(search, bags, labels, ShuffleSplit(1, test_size=0.25, random_state=5))
    with pytest.raises(ValueError, match=r"criterion must be one of .*got 'luck'"):
        HoldOut(MlKnn(), {}, criterion="luck").fit(bags, labels)
    with pytest.raises(ValueError, match=r"n_neighbors must be .* got 0"):
        HoldOut(PIPELINE, {"mlknn__n_neighbors": [1, 0]}).fit(bags, labels)


def test_a_stratified_hold_out_of_subcod_by_one_fit_a_setting(monkeypatch):
    """It measures distances once: in the training part, from there to medoids, in the whole set."""
    X, y, _ = make_africa(60, random_state=0)
    subcod = SubCod(learner=MimlSvm(random_state=0), random_state=0)
    grid = {"n_concepts": [4, 8], "kept_share": [0.2, 0.8, 1.0]}
    search = HoldOut(subcod, grid, criterion="accuracy", stratified=True, random_state=3)
    calls = []

    def counted(A, B=None):
        calls.append((len(A), len(A if B is None else B)))
        return max_hausdorff(A, B)

    monkeypatch.setattr(medoid_map, "max_hausdorff", counted)
    with sharing(Cache()):
        search.fit(X, y)
    assert calls[0] == (45, 45) and calls[1][0] == 15 and calls[2:] == [(60, 60)]
    check_by_hand(search, X, y, StratifiedShuffleSplit(1, test_size=0.25, random_state=3))


def test_short_names_are_those_of_the_last_step():
    for estimator, short, full in (
        (MlKnn(), {"n_neighbors": 3}, {"n_neighbors": 3}),
        (PIPELINE, {"n_neighbors": 3, "suminstances": "passthrough"},
         {"mlknn__n_neighbors": 3, "suminstances": "passthrough"}),
        (PIPELINE, {"mlknn__n_neighbors": 3}, {"mlknn__n_neighbors": 3}),
        (HoldOut(PIPELINE, GRID), {"n_neighbors": 3, "criterion": "coverage"},
         {"estimator__mlknn__n_neighbors": 3, "criterion": "coverage"}),
    ):  # fmt: skip
        assert full_names(estimator, short) == full
