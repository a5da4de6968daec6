"""Hold-outs, by a slow version that fits each setting."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline

from mimlpaper import MimlSvm, MlKnn, SubCod, SumInstances, evaluate, max_hausdorff
from mimlpaper.algorithms import medoid_map
from mimlpaper.datasets import make_africa
from mimlpaper.sharing import Cache, sharing
from mimlstudy.engine.holdouts import HoldOut, full_names

PIPELINE = make_pipeline(SumInstances(), MlKnn())
GRID = {"mlknn__n_neighbors": [1, 3, 9]}


def check_by_hand(search, X, Y, splitter):
    """Fits each setting to the training part of a split, and the best one to the whole set."""
    train, held_out = next(splitter.split(Y, Y))
    settings = search.holdout_values_["params"]
    values = []
    for setting in settings:
        fitted = clone(search.estimator).set_params(**setting)
        fitted.fit(X[train], Y[train])
        scores = fitted.decision_function(X[held_out])
        predicted = fitted.predict(X[held_out])
        criteria = evaluate(Y[held_out], scores, predicted)
        values.append(criteria[search.criterion])
    assert search.holdout_values_["value"] == pytest.approx(values)
    # Or the best setting would be the first of equal ones.
    assert len(set(values)) > 1
    is_loss = search.criterion == "ranking_loss"
    best = settings[np.argmin(values) if is_loss else np.argmax(values)]
    assert search.best_params_ == best
    whole = clone(search.estimator).set_params(**best).fit(X, Y)
    assert search.decision_function(X) == pytest.approx(whole.decision_function(X))
    assert np.array_equal(search.predict(X), whole.predict(X))


@pytest.mark.parametrize("criterion", ["average_precision", "ranking_loss"])
def test_a_hold_out_keeps_what_does_best_on_the_part_held_out(bags, labels, criterion):
    """Of equal values the first. A loss is best where it is least."""
    search = HoldOut(
        PIPELINE,
        GRID,
        criterion=criterion,
        random_state=5,
    )
    search.fit(bags, labels)
    settings = [{"mlknn__n_neighbors": k} for k in (1, 3, 9)]
    assert search.holdout_values_["params"] == settings
    splitter = ShuffleSplit(1, test_size=0.25, random_state=5)
    check_by_hand(search, bags, labels, splitter)


def test_an_unknown_criterion_is_refused(bags, labels):
    search = HoldOut(MlKnn(), {}, criterion="luck")
    with pytest.raises(ValueError, match=r"criterion must be one of .*got 'luck'"):
        search.fit(bags, labels)


def test_a_setting_that_cannot_be_is_refused(bags, labels):
    search = HoldOut(PIPELINE, {"mlknn__n_neighbors": [1, 0]})
    with pytest.raises(ValueError, match=r"n_neighbors.* must be .* Got 0"):
        search.fit(bags, labels)


def test_a_stratified_hold_out_of_subcod_by_one_fit_a_setting(monkeypatch):
    """It measures distances once: in the training part, from there to medoids, in the whole set."""
    X, y, _ = make_africa(60, random_state=0)
    subcod = SubCod(learner=MimlSvm(random_state=0), random_state=0)
    grid = {"n_concepts": [4, 8], "kept_share": [0.2, 0.8, 1.0]}
    search = HoldOut(
        subcod,
        grid,
        criterion="accuracy",
        stratified=True,
        random_state=3,
    )
    sizes = []

    def counted(A, B=None):
        sizes.append((len(A), len(A if B is None else B)))
        return max_hausdorff(A, B)

    monkeypatch.setitem(medoid_map.METRICS, "max_hausdorff", counted)
    with sharing(Cache()):
        search.fit(X, y)
    in_training_part, to_medoids, in_whole_set = sizes
    assert in_training_part == (45, 45)
    assert to_medoids[0] == 15
    assert in_whole_set == (60, 60)
    splitter = StratifiedShuffleSplit(1, test_size=0.25, random_state=3)
    check_by_hand(search, X, y, splitter)


def test_a_hold_out_scores_each_setting_once(bags, labels, monkeypatch):
    calls = []
    score = MlKnn.decision_function

    def counted(self, X):
        calls.append(len(X))
        return score(self, X)

    monkeypatch.setattr(MlKnn, "decision_function", counted)
    HoldOut(PIPELINE, GRID, random_state=0).fit(bags, labels)
    assert len(calls) == 3


def test_a_parameter_of_an_estimator_keeps_its_name():
    assert full_names(MlKnn(), {"n_neighbors": 3}) == {"n_neighbors": 3}


def test_a_short_name_of_a_pipeline_is_of_its_last_step():
    short = {"n_neighbors": 3, "suminstances": "passthrough"}
    full = {"mlknn__n_neighbors": 3, "suminstances": "passthrough"}
    assert full_names(PIPELINE, short) == full
    assert full_names(PIPELINE, full) == full


def test_a_short_name_of_a_hold_out_is_of_the_last_step_of_its_pipeline():
    short = {"n_neighbors": 3, "criterion": "coverage"}
    full = {"estimator__mlknn__n_neighbors": 3, "criterion": "coverage"}
    assert full_names(HoldOut(PIPELINE, GRID), short) == full
