"""Splits, trials, estimators of experiments, and hold-outs by a slow version of each setting."""

import warnings
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline

from mimlpaper import MimlSvm, MlKnn, SubCod, SumInstances, evaluate, max_hausdorff
from mimlpaper.algorithms import medoid_map
from mimlpaper.baselines.binary_relevance import LabelFrequencies, MlSvm
from mimlpaper.datasets import load, make_africa
from mimlpaper.sharing import Cache, sharing
from mimlstudy.engine import trials as module
from mimlstudy.engine.catalogue import content_hash
from mimlstudy.engine.holdouts import HoldOut, full_names
from mimlstudy.engine.trials import CrossValidation, GivenSplit, RandomSplits, Trial, run_trial
from mimlstudy.paper.catalogue import CATALOGUE
from mimlstudy.paper.experiments import EXPERIMENTS, get_experiment
from mimlstudy.paper.measures import TESTED
from tests.made_up_study import METHODS, TINY, tiny


class Examples(list):
    y, n_train = np.arange(40) % 4 == 0, 2


DATA = Examples(range(40))


def test_every_split_uses_every_example_once_and_is_the_same_again():
    for splits in RandomSplits(20), CrossValidation(20), CrossValidation(20, stratified=True):
        assert splits.first(3) == replace(splits, n_splits=3)
        parts = [splits.indices(DATA, split) for split in range(20)]
        assert all(sorted([*train, *test]) == DATA for train, test in parts)
        assert len({tuple(test) for _, test in parts}) == 20
        assert np.array_equal(splits.first(50).indices(DATA, 1)[1], parts[1][1])
        repeat = [test for _, test in parts[10:]]
        assert isinstance(splits, RandomSplits) or sorted(np.concatenate(repeat)) == DATA
    assert {DATA.y[test].sum() for test in repeat} == {1}  # stratified
    train, test = RandomSplits(3, train=0.25).indices(DATA, 0)
    assert (len(train), len(test)) == (10, 30)
    train, test = GivenSplit().indices(Examples(range(5)), 0)
    assert (train.tolist(), test.tolist()) == ([0, 1], [2, 3, 4])


def in_short(trials):
    return [(trial.dataset, trial.method, trial.override, trial.split) for trial in trials]


def test_overrides_run_split_by_split_and_trials_that_parts_share_run_once():
    varied = tiny(overrides={"Ml-knn": [{}, dict(n_neighbors=7)]})
    change = '{"mlknn__n_neighbors": 7}'
    expected = [(TINY, "Ml-knn", text, split) for split in (0, 1) for text in ("{}", change)]
    assert in_short(varied.trials("quick")) == expected
    assert varied.estimator(TINY, "Ml-knn", change)[-1].n_neighbors == 7
    other = tiny(datasets=("scene",), n_splits=3)
    both = replace(varied, parts=(*other.parts, *varied.parts, *other.parts))
    assert (both.datasets, both.methods) == (("scene", TINY), tuple(METHODS))
    assert in_short(both.trials()) == in_short(other.trials()) + expected


def test_a_configuration_for_each_data_set():
    """A stand-in has the configuration of the first data set that it stands in for."""
    by_set = {"musk1": make_pipeline(MlKnn(n_neighbors=1)), "fox": make_pipeline(MlSvm())}
    mine = tiny({"Both": by_set}, datasets=("musk1", "fox"), smoke_splits=1)
    (stand_in,) = mine.trials("smoke")
    names = ("musk1", "fox", "synthetic_africa")
    assert stand_in.dataset == names[-1]
    assert [type(mine.estimator(name, "Both")[-1]) for name in names] == [MlKnn, MlSvm, MlKnn]


def test_smoke_trials_stand_in_for_the_first_and_the_last_data_set():
    names = ("scene:10%", "scene:30%", "reuters:50%")
    overrides = {"Ml-knn": [dict(n_neighbors=1), dict(n_neighbors=2)], "MimlNn": [{}]}
    smoke = tiny(overrides=overrides, datasets=names, n_splits=9).trials("smoke")
    assert {t.dataset for t in smoke} == {"synthetic_scene:10%", "synthetic_texts:50%"}
    assert len(smoke) == 2 * 2 * 3
    short = tiny(overrides=overrides, datasets=names, smoke_splits=1).trials("smoke")
    assert [(t.dataset, t.method, t.split) for t in short] == [
        ("synthetic_texts:50%", method, 0) for method in ("Ml-knn", "MimlNn")
    ]
    assert {t.dataset for t in tiny().trials("smoke")} == {"drawn:240x4x4"}
    assert len({trial.dataset for trial in EXPERIMENTS["table4"].trials("quick")}) == 3  # of 11


def test_unknown_names_are_refused():
    for call, names, message in (
        (tiny().trials, ["fast"], r"profile must be one of \['smoke', .* got 'fast'"),
        (tiny().trials, ["quick", ["Svm"]], r"methods must be among .* for mine, got \['Svm"),
        (tiny().estimator, ["scene", "Ml-knn"], "mine has no trial of 'Ml-knn' on 'scene'"),
    ):
        with pytest.raises(ValueError, match=message):
            call(*names)


def random_states(value):
    """All ``random_state`` in an estimator, its parts, and the lists and dicts in it."""
    if isinstance(value, list | tuple | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from random_states(one)
    elif hasattr(value, "get_params") and not isinstance(value, type):
        for name, one in value.get_params(deep=False).items():
            yield from [one] if name == "random_state" else random_states(one)


def test_every_trial_of_the_registry_has_an_estimator_that_is_seeded_in_every_part():
    """Also in the candidates of a grid. Trials are unique, and shorter profiles are parts.

    No trial of one part stands for that of another, of the same method on other splits.
    """
    for experiment in EXPERIMENTS.values():
        ways: dict = {}
        for part in experiment.parts:
            for key in product(part.datasets, part.methods):
                assert ways.setdefault(key, part.splits) == part.splits, (experiment.name, key)
        trials = {profile: experiment.trials(profile) for profile in module.PROFILES}
        assert len(set(trials["paper"])) == len(trials["paper"])
        assert set(trials["quick"]) <= set(trials["paper"])
        for key in {(t.dataset, t.method, t.override) for p in trials for t in trials[p]}:
            estimator = experiment.estimator(*key)
            if estimator is not None:
                module.set_random_states(estimator, 11)
                learns = hasattr(estimator, "fit") or hasattr(estimator, "draw")  # of calibration
                assert learns and None not in set(random_states(estimator))


def test_a_trial_is_a_pure_function():
    """The caller's random numbers change nothing."""
    mine, data = get_experiment("table1"), load("synthetic_scene")
    trial, found = Trial("table1", data.name, "MimlSvm", "{}", 1), []
    for seed in (1, 2):
        np.random.seed(seed)  # noqa: NPY002
        estimator = mine.estimator(data.name, "MimlSvm")
        (row,) = run_trial(trial, estimator, mine.parts[0].splits, TESTED, CATALOGUE)
        fit, predict, whole = (row.pop(f"{of}seconds") for of in ("fit_", "predict_", ""))
        assert 0 < fit and 0 < predict and fit + predict <= whole
        found.append(row)
    assert repr(found[0]) == repr(found[1])
    assert (row["kind"], row["data_sha256"]) == ("synthetic", content_hash(data))


class Loud(LabelFrequencies):
    def fit(self, X, Y):
        for category in (RuntimeWarning, UserWarning, RuntimeWarning):
            warnings.warn("loud", category, stacklevel=2)
        return super().fit(X, Y)


def test_warnings_of_a_fit_are_recorded():
    trial = Trial("mine", TINY, "Loud", "{}", 0)
    (row,) = run_trial(trial, Loud(), RandomSplits(1), TESTED, CATALOGUE)
    assert row["warnings"] == "RuntimeWarning; UserWarning"


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
    with pytest.raises(ValueError, match=r"n_neighbors.* must be .* Got 0"):
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

    monkeypatch.setitem(medoid_map.METRICS, "max_hausdorff", counted)
    with sharing(Cache()):
        search.fit(X, y)
    assert calls[0] == (45, 45) and calls[1][0] == 15 and calls[2:] == [(60, 60)]
    check_by_hand(search, X, y, StratifiedShuffleSplit(1, test_size=0.25, random_state=3))


def test_a_hold_out_scores_each_setting_once(bags, labels, monkeypatch):
    n_calls = []
    score = MlKnn.decision_function

    def counted(self, X):
        n_calls.append(len(X))
        return score(self, X)

    monkeypatch.setattr(MlKnn, "decision_function", counted)
    HoldOut(PIPELINE, {"mlknn__n_neighbors": [1, 3, 5]}, random_state=0).fit(bags, labels)
    assert len(n_calls) == 3


def test_short_names_are_those_of_the_last_step():
    for estimator, short, full in (
        (MlKnn(), {"n_neighbors": 3}, {"n_neighbors": 3}),
        (
            PIPELINE,
            {"n_neighbors": 3, "suminstances": "passthrough"},
            {"mlknn__n_neighbors": 3, "suminstances": "passthrough"},
        ),
        (PIPELINE, {"mlknn__n_neighbors": 3}, {"mlknn__n_neighbors": 3}),
        (
            HoldOut(PIPELINE, GRID),
            {"n_neighbors": 3, "criterion": "coverage"},
            {"estimator__mlknn__n_neighbors": 3, "criterion": "coverage"},
        ),
    ):
        assert full_names(estimator, short) == full
