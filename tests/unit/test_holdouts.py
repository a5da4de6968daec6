"""Hold-outs: each setting by a slow version, and short names of parameters."""

import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mimlpaper.algorithms import medoid_map
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.algorithms.subcod import SubCod
from mimlpaper.baselines.mlknn import MlKnn
from mimlpaper.datasets import make_africa
from mimlpaper.distances import max_hausdorff
from mimlpaper.metrics import evaluate
from mimlpaper.preprocessing import OnInstances, SumInstances
from mimlpaper.sharing import Cache, sharing
from mimlpaper.study.holdouts import HoldOut, SubCodHoldOut, full_names, hold_out, shares_at_ends
from mimlpaper.study.trials import _chosen

GRID = {"mlknn__n_neighbors": [1, 3, 9]}
SUBCOD_GRID = dict(n_concepts=(4, 8), kept_shares=(0.2, 0.8, 1.0))


@pytest.mark.parametrize("criterion", ["average_precision", "ranking_loss"])
def test_keeps_what_does_best_on_the_part_held_out(bags, labels, criterion):
    pipeline = make_pipeline(SumInstances(), MlKnn())
    held = HoldOut(pipeline, GRID, criterion=criterion, random_state=5).fit(bags, labels)
    train, test = next(ShuffleSplit(1, test_size=0.25, random_state=5).split(labels))
    values = []
    for k in GRID["mlknn__n_neighbors"]:
        fitted = make_pipeline(SumInstances(), MlKnn(n_neighbors=k)).fit(bags[train], labels[train])
        scores, predicted = fitted.decision_function(bags[test]), fitted.predict(bags[test])
        values.append(evaluate(labels[test], scores, predicted)[criterion])
    assert held.holdout_values_["value"] == pytest.approx(values)
    best = np.argmin(values) if criterion == "ranking_loss" else np.argmax(values)
    assert held.best_params_ == {"mlknn__n_neighbors": GRID["mlknn__n_neighbors"][best]}
    whole = make_pipeline(SumInstances(), MlKnn(**{"n_neighbors": [1, 3, 9][best]}))
    expected = whole.fit(bags, labels).decision_function(bags)
    assert np.allclose(held.decision_function(bags), expected)
    assert json.loads(_chosen(held)) == held.best_params_


def test_unknown_criterion_is_refused(bags, labels):
    with pytest.raises(ValueError, match=r"criterion must be one of .*got 'luck'"):
        HoldOut(MlKnn(), {}, criterion="luck").fit(bags, labels)


def test_short_names_are_those_of_the_last_step():
    pipeline = make_pipeline(SumInstances(), MlKnn())
    assert full_names(MlKnn(), {"n_neighbors": 3}) == {"n_neighbors": 3}
    assert full_names(pipeline, {"n_neighbors": 3, "suminstances": "passthrough"}) == {
        "mlknn__n_neighbors": 3, "suminstances": "passthrough",
    }  # fmt: skip
    assert full_names(HoldOut(pipeline, GRID), {"n_neighbors": 3, "criterion": "coverage"}) == {
        "estimator__mlknn__n_neighbors": 3, "criterion": "coverage",
    }  # fmt: skip
    search = SubCodHoldOut(make_pipeline(OnInstances(MinMaxScaler()), SubCod()))
    assert full_names(search, {"optimum": "vertex", "kept_shares": [1.0]}) == {
        "estimator__subcod__optimum": "vertex", "kept_shares": [1.0],
    }  # fmt: skip
    full = {"mlknn__n_neighbors": 3}
    assert full_names(pipeline, full) == full


def test_a_hold_out_tries_parameters_of_the_last_step():
    pipeline = make_pipeline(SumInstances(), MlKnn())
    search = hold_out(pipeline, {"n_neighbors": [1, 2]}, criterion="coverage", test_size=0.5)
    assert search.get_params(deep=False) == {
        "estimator": pipeline, "grid": {"mlknn__n_neighbors": [1, 2]}, "criterion": "coverage",
        "test_size": 0.5, "random_state": None,
    }  # fmt: skip


def test_the_hold_out_of_subcod_is_its_own():
    pipeline = make_pipeline(SubCod())
    search = hold_out(pipeline, {"n_concepts": [4, 8], "kept_share": [0.2]}, test_size=0.5)
    assert search.get_params(deep=False) == {
        "estimator": pipeline, "n_concepts": (4, 8), "kept_shares": (0.2,), "test_size": 0.5,
        "random_state": None,
    }  # fmt: skip


def test_shares_of_fits_at_the_ends_of_a_grid():
    """A bound of the parameter is no end of a grid, and grids of words have no ends."""
    grid = {"C": [1.0, 10.0, 100.0], "ratio": [0.2, 0.4, 1.0], "gamma": ["scale", "auto"]}
    search = hold_out(make_pipeline(MimlSvm()), grid, test_size=0.5)
    chosen = [
        {"mimlsvm__C": C, "mimlsvm__ratio": ratio, "mimlsvm__gamma": "auto"}
        for C, ratio in [(1.0, 1.0), (100.0, 1.0), (10.0, 0.2), (10.0, 0.4)]
    ]
    assert shares_at_ends(search, chosen) == {"mimlsvm__C": 0.5, "mimlsvm__ratio": 0.25}


def test_shares_at_the_ends_of_subcods_ranges():
    search = SubCodHoldOut(make_pipeline(SubCod()), n_concepts=(4, 8), kept_shares=(0.1, 0.2, 0.3))
    chosen = [{"subcod__n_concepts": 8, "subcod__kept_share": 0.2}]
    assert shares_at_ends(search, chosen) == {"subcod__n_concepts": 1.0, "subcod__kept_share": 0.0}


@pytest.fixture
def africa():
    return make_africa(60, random_state=1)[:2]


def test_accuracies_are_those_of_every_setting_alone(africa):
    """One fit of SubCod a setting, and the held-out part measured: the slow way."""
    X, y = africa
    subcod = make_pipeline(OnInstances(MinMaxScaler()), SubCod(random_state=0))
    search = SubCodHoldOut(subcod, random_state=3, **SUBCOD_GRID).fit(X, y)
    split = StratifiedShuffleSplit(1, test_size=0.25, random_state=3)
    train, held = next(split.split(y, y))
    for row, n_concepts in enumerate(SUBCOD_GRID["n_concepts"]):
        for column, kept_share in enumerate(SUBCOD_GRID["kept_shares"]):
            setting = {"subcod__n_concepts": n_concepts, "subcod__kept_share": kept_share}
            alone = subcod.set_params(**setting).fit(X[train], y[train])
            expected = np.mean(alone.predict(X[held]) == y[held])
            assert search.accuracies_[row, column] == pytest.approx(expected)
    assert len(np.unique(search.accuracies_)) > 1


def test_the_first_of_the_best_settings_is_fitted_on_all(africa):
    X, y = africa
    search = SubCodHoldOut(SubCod(random_state=0), random_state=0, **SUBCOD_GRID).fit(X, y)
    rows, columns = np.nonzero(search.accuracies_ == search.accuracies_.max())
    best = {
        "n_concepts": SUBCOD_GRID["n_concepts"][rows[0]],
        "kept_share": SUBCOD_GRID["kept_shares"][columns[0]],
    }
    assert search.best_params_ == best
    alone = SubCod(random_state=0, **best).fit(X, y)
    assert np.array_equal(search.decision_function(X), alone.decision_function(X))
    assert np.array_equal(search.predict(X), alone.predict(X))


def test_a_hold_out_measures_distances_once(africa, monkeypatch):
    X, y = africa
    calls = []

    def counted(A, B=None):
        calls.append((len(A), len(A if B is None else B)))
        return max_hausdorff(A, B)

    monkeypatch.setattr(medoid_map, "max_hausdorff", counted)
    learner = MimlSvm(random_state=0)
    search = SubCodHoldOut(SubCod(learner=learner, random_state=0), random_state=0, **SUBCOD_GRID)
    expected = clone(search).fit(X, y)
    calls.clear()
    with sharing(Cache()):
        search.fit(X, y)
    assert np.array_equal(search.accuracies_, expected.accuracies_)
    # Training part, held-out part against medoids, the whole set.
    assert calls == [(45, 45), (15, 9), (60, 60)]
    assert search.decision_function(X) == pytest.approx(expected.decision_function(X))
