"""Trials of experiments, in which order and on which data; what running a trial gives."""

import warnings
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from mimlpaper import MlKnn
from mimlpaper.baselines.binary_relevance import LabelFrequencies, MlSvm
from mimlpaper.datasets import load
from mimlpaper.parameters import set_random_states
from mimlstudy.engine.catalogue import content_hash
from mimlstudy.engine.trials import PROFILES, Part, RandomSplits, Trial, run_trial
from mimlstudy.paper.catalogue import CATALOGUE
from mimlstudy.paper.experiments import EXPERIMENTS, get_experiment
from mimlstudy.paper.measures import TESTED
from tests.made_up_study import METHODS, TINY, tiny


def without_experiment(trials):
    return [trial[1:] for trial in trials]


def datasets_of(trials):
    return {trial.dataset for trial in trials}


@pytest.fixture
def varied():
    """Ml-knn as configured, and with seven neighbours."""
    return tiny(overrides={"Ml-knn": [{}, {"n_neighbors": 7}]})


OVERRIDE = '{"mlknn__n_neighbors": 7}'
OF_VARIED = [
    (TINY, "Ml-knn", "{}", 0),
    (TINY, "Ml-knn", OVERRIDE, 0),
    (TINY, "Ml-knn", "{}", 1),
    (TINY, "Ml-knn", OVERRIDE, 1),
]


def test_overrides_run_split_by_split(varied):
    trials = varied.trials("quick")
    assert without_experiment(trials) == OF_VARIED
    assert varied.estimator(TINY, "Ml-knn", OVERRIDE)[-1].n_neighbors == 7


def test_trials_that_parts_share_run_once(varied):
    on_scenes = tiny(datasets=("scene",), n_splits=3)
    parts = (*on_scenes.parts, *varied.parts, *on_scenes.parts)
    together = replace(varied, parts=parts)
    assert together.datasets == ("scene", TINY)
    assert together.methods == tuple(METHODS)
    expected = without_experiment(on_scenes.trials()) + OF_VARIED
    assert without_experiment(together.trials()) == expected


def test_a_configuration_for_each_data_set():
    """A stand-in has the configuration of the first data set that it stands in for."""
    by_dataset = {
        "musk1": make_pipeline(MlKnn(n_neighbors=1)),
        "fox": make_pipeline(MlSvm()),
    }
    mine = tiny(
        {"Either": by_dataset},
        datasets=("musk1", "fox"),
        smoke_splits=1,
    )
    (stand_in,) = mine.trials("smoke")
    assert stand_in.dataset == "synthetic_africa"
    learners = {}
    for name in ("musk1", "fox", "synthetic_africa"):
        learners[name] = type(mine.estimator(name, "Either")[-1])
    assert learners == {"musk1": MlKnn, "fox": MlSvm, "synthetic_africa": MlKnn}


THREE_SETS = ("scene:10%", "scene:30%", "reuters:50%")
THREE_SETTINGS = {
    "Ml-knn": [{"n_neighbors": 1}, {"n_neighbors": 2}],
    "MimlNn": [{}],
}


def test_smoke_trials_stand_in_for_the_first_and_the_last_data_set():
    mine = tiny(
        overrides=THREE_SETTINGS,
        datasets=THREE_SETS,
        n_splits=9,
    )
    trials = mine.trials("smoke")
    assert datasets_of(trials) == {"synthetic_scene:10%", "synthetic_texts:50%"}
    # Two data sets, two splits, three settings.
    assert len(trials) == 2 * 2 * 3
    assert datasets_of(tiny().trials("smoke")) == {"drawn:240x4x4"}


def test_a_single_smoke_split_runs_the_first_override_of_each_method_on_the_last_data_set():
    mine = tiny(
        overrides=THREE_SETTINGS,
        datasets=THREE_SETS,
        smoke_splits=1,
    )
    ml_knn, miml_nn = mine.trials("smoke")
    of_ml_knn = ("synthetic_texts:50%", "Ml-knn", '{"mlknn__n_neighbors": 1}', 0)
    assert ml_knn[1:] == of_ml_knn
    assert miml_nn[1:] == ("synthetic_texts:50%", "MimlNn", "{}", 0)


def test_quick_trials_of_web_pages_are_on_few_of_eleven_sets():
    """Sets of pages have one split each; a fit of Table 4 takes minutes."""
    assert len(datasets_of(EXPERIMENTS["figure8"].trials("quick"))) == 1
    assert len(datasets_of(EXPERIMENTS["rounds_yahoo"].trials("quick"))) == 3
    assert len(datasets_of(EXPERIMENTS["table4"].trials("quick"))) == 1


def test_an_unknown_profile_is_refused():
    with pytest.raises(ValueError, match=r"profile must be one of \['smoke', .* got 'fast'"):
        tiny().trials("fast")


def test_an_unknown_method_is_refused():
    with pytest.raises(ValueError, match=r"methods must be among .* for mine, got \['Svm"):
        tiny().trials("quick", ["Svm"])


def test_an_unknown_data_set_is_refused():
    with pytest.raises(ValueError, match="mine has no trial of 'Ml-knn' on 'scene'"):
        tiny().estimator("scene", "Ml-knn")


each_experiment = pytest.mark.parametrize(
    "experiment",
    EXPERIMENTS.values(),
    ids=EXPERIMENTS,
)


@each_experiment
def test_no_trial_of_a_part_stands_for_that_of_another_on_other_splits(experiment):
    splits_of = {}
    for part in experiment.parts:
        for key in product(part.datasets, part.methods):
            assert splits_of.setdefault(key, part.splits) == part.splits, key


@each_experiment
def test_trials_are_unique_and_a_quick_run_is_a_part_of_the_whole(experiment):
    trials = experiment.trials("paper")
    assert len(set(trials)) == len(trials)
    assert set(experiment.trials("quick")) <= set(trials)


def random_states(value):
    """All ``random_state`` in an estimator, its parts, and the lists and dicts in it."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from random_states(item)
    elif hasattr(value, "get_params") and not isinstance(value, type):
        for name, parameter in value.get_params(deep=False).items():
            if name == "random_state":
                yield parameter
            else:
                yield from random_states(parameter)


@each_experiment
def test_every_trial_has_an_estimator_that_is_seeded_in_every_part(experiment):
    """Also in the candidates of a grid."""
    keys = set()
    for profile in PROFILES:
        for trial in experiment.trials(profile):
            keys.add((trial.dataset, trial.method, trial.override))
    for key in keys:
        estimator = experiment.estimator(*key)
        if estimator is not None:
            set_random_states(estimator, 11)
            # What calibrates the judge has no fit: it draws records.
            assert hasattr(estimator, "fit") or hasattr(estimator, "draw")
            assert None not in set(random_states(estimator))


def run_mimlsvm(dataset):
    experiment = get_experiment("table1")
    estimator = experiment.estimator(dataset, "MimlSvm")
    trial = Trial("table1", dataset, "MimlSvm", "{}", 1)
    splits = experiment.parts[0].splits
    (row,) = run_trial(trial, estimator, splits, TESTED, CATALOGUE)
    return row


def test_a_trial_is_a_pure_function():
    """The caller's random numbers change nothing."""
    data = load("synthetic_scene")
    rows = []
    for seed in (1, 2):
        np.random.seed(seed)  # noqa: NPY002
        row = run_mimlsvm(data.name)
        seconds = row.pop("seconds")
        fit_seconds = row.pop("fit_seconds")
        predict_seconds = row.pop("predict_seconds")
        assert fit_seconds > 0
        assert predict_seconds > 0
        assert fit_seconds + predict_seconds <= seconds
        rows.append(row)
    after_seed_1, after_seed_2 = rows
    # As text, since NaN equals nothing.
    assert repr(after_seed_1) == repr(after_seed_2)
    assert after_seed_1["kind"] == "synthetic"
    assert after_seed_1["data_sha256"] == content_hash(data)


class Loud(LabelFrequencies):
    def fit(self, X, Y):
        for category in (RuntimeWarning, UserWarning, RuntimeWarning):
            warnings.warn("loud", category, stacklevel=2)
        return super().fit(X, Y)


def test_warnings_of_a_fit_are_recorded():
    trial = Trial("mine", TINY, "Loud", "{}", 0)
    (row,) = run_trial(
        trial,
        Loud(),
        RandomSplits(1),
        TESTED,
        CATALOGUE,
    )
    assert row["warnings"] == "RuntimeWarning; UserWarning"


def test_a_set_that_no_part_covers_goes_to_the_first_part_with_the_method():
    controls = get_experiment("controls")
    assert "Set kernel" not in controls.parts[0].methods
    varied = controls.varied(datasets=["yeast"], methods=["Set kernel"])
    assert {trial.dataset for trial in varied.trials()} == {"yeast"}
    assert {trial.method for trial in varied.trials()} == {"Set kernel"}


def test_what_would_leave_no_trial_is_refused():
    controls = get_experiment("controls")
    (part,) = (part for part in controls.parts if "Set kernel" in part.methods)
    (first, *_) = (name for name in controls.datasets if name not in part.datasets)
    with pytest.raises(ValueError, match=r"none of \['Set kernel'\] runs on "):
        controls.varied(datasets=[first], methods=["Set kernel"])
    with pytest.raises(ValueError, match=r"got \['Set kernle'\]"):
        controls.varied(overrides={"Set kernle": [{}]})
    with pytest.raises(ValueError, match=r"overrides must be of methods that run, .*got "):
        controls.varied(methods=["MlSvm, mean"], overrides={"Set kernel": [{}]})
    with pytest.raises(
        ValueError, match=r"overrides must have one for each of \['Set kernel'\]"
    ):
        controls.varied(overrides={"Set kernel": []})


def test_no_data_set_is_dropped_without_a_word():
    tuned = get_experiment("equal_tuning")
    with pytest.raises(ValueError, match=r"none of \['MimlNn'\] runs on \['musk1'\]"):
        tuned.varied(datasets=["scene", "musk1"], methods=["MimlNn"])
    with pytest.raises(ValueError, match=r"got \['SubCod'\]"):
        tuned.varied(datasets=["scene"], overrides={"SubCod": [{"C": 10.0}]})


def test_a_method_that_is_set_up_by_data_set_names_the_sets():
    by_set = {"Mine": {"musk1": MlKnn()}}
    part = Part(("musk1",), RandomSplits(1), by_set)
    with pytest.raises(ValueError, match=r"Mine is set up for each data set, \['musk1'\]"):
        part.configuration("fox", "Mine")


def test_a_set_without_test_examples_of_its_own_is_no_part_of_web_pages():
    """All its examples would be for training and for testing."""
    with pytest.raises(ValueError, match=r"table4 has the test examples .*\['yeast'\]"):
        get_experiment("table4").varied(datasets=["yeast"])
    on_pages = get_experiment("table4").varied(datasets=["yahoo:Arts"])
    assert on_pages.datasets == ("yahoo:Arts",)
