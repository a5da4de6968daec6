"""Trials of each kind with their fingerprints, and an oracle for what fingerprints cover."""

import gc
import sys
from pathlib import Path

from mimlpaper.datasets import loader_of
from mimlpaper.paths import PACKAGE
from mimlstudy.engine import fingerprint
from mimlstudy.engine.records import fingerprint_today
from mimlstudy.engine.trials import run_trial
from mimlstudy.paper.catalogue import CATALOGUE
from mimlstudy.paper.experiments import get_experiment

# Experiment, data set and method of a trial of each kind.
TRIALS = {
    "MimlSvm": ("table1", "scene", "MimlSvm"),
    "Ml-knn": ("table1", "scene", "Ml-knn"),
    "RankSvm": ("table3", "yeast", "RankSvm"),
    "AdtBoost.MH": ("table2", "reuters", "AdtBoost.MH"),
    "average distance": ("ablation", "yeast", "InsDif, average distance"),
    "D-MimlSvm": ("figure4", "scene:10%", "D-MimlSvm"),
    "Em-dd": ("table5", "musk1", "Em-dd"),
    "rounds": ("figure6", "scene", "AdtBoost.MH"),
    "steps": ("cccp", "reuters:30%", "D-MimlSvm"),
    "pages": ("characteristics", "yahoo:Arts", "after term selection"),
    "cost": ("costs", "drawn:400x8x8", "MimlNn"),
}


def fingerprints_of_trials():
    fingerprints = {}
    for key, (name, dataset, method) in TRIALS.items():
        experiment = get_experiment(name)
        fingerprints[key] = fingerprint_today(
            experiment,
            CATALOGUE,
            dataset,
            method,
            "{}",
        )
    return fingerprints


def module_that_defines(name):
    modules = []
    for module in fingerprint.sources():
        definitions, _ = fingerprint._names(module)
        if name in definitions:
            modules.append(module)
    (module,) = modules
    return module


# What finds data, not what makes them.
FINDS_DATA = {
    "mimlstudy.paper.catalogue",
    "mimlpaper.datasets.loaders",
    *fingerprint.NOT_FOLLOWED,
}


def calls_of_these_packages(run):
    """The oracle: modules and names of all definitions that are called while ``run`` runs."""
    called = set()
    folders = (str(PACKAGE.parent / "mimlpaper"), str(PACKAGE.parent / "mimlstudy"))

    def watch(frame, event, argument):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(folders):
            path = Path(code.co_filename).relative_to(PACKAGE.parent)
            module = ".".join(path.with_suffix("").parts)
            outermost = code.co_qualname.split(".")[0]
            called.add((module, outermost))

    # What earlier tests left, such as a guest whose process ends with it, is collected before.
    gc.collect()
    gc.disable()
    sys.setprofile(watch)
    try:
        run()
    finally:
        sys.setprofile(None)
        gc.enable()
    return called


def check_covered(name, method):
    """All that a smoke trial of a method is seen to call is behind its fingerprint."""
    experiment = get_experiment(name)
    trial = experiment.trials("smoke", [method])[0]
    estimator = experiment.estimator(trial.dataset, method, trial.override)
    splits = experiment.part_of(trial.dataset, method).splits
    measure = experiment.measure
    loader = loader_of(trial.dataset)
    _, used = fingerprint._behind(estimator, loader, splits, measure)
    covered = fingerprint._closure(used)
    called = calls_of_these_packages(
        lambda: run_trial(trial, estimator, splits, measure, CATALOGUE)
    )
    assert not {f"{module}.{name}" for module, name in called} & fingerprint.BY_NAMES
    followed = set()
    for module, definition in called:
        is_named = not definition.startswith("<")
        if is_named and module not in FINDS_DATA:
            followed.add((module, definition))
    assert len(followed) > 5
    assert followed - covered == set()
