"""The same trial gives the same record for any processes, BLAS kernel and processor."""

import os
import subprocess
import sys

import llvmlite.binding
import numpy as np
import pytest

from mimlpaper import Bags, DiverseDensity, EmDd
from mimlpaper.paths import PACKAGE
from mimlstudy.engine.workers import run_trials
from mimlstudy.paper.catalogue import CATALOGUE
from mimlstudy.paper.experiments import EXPERIMENTS

CHEAP = {
    "table1": ["MimlSvm", "MimlSvm_mi", "MimlNn", "MlSvm", "Ml-knn", "RankSvm"],
    "table3": ["InsDif", "MlSvm", "Ml-knn", "Cnmf"],
    "table5": ["SubCod", "SubCod_MimlNn", "Ch-Fd", "Mi-Svm"],
}


def without_seconds(row):
    """A row's numbers, but for seconds, and for the seal, which covers them too."""
    kept = {}
    for name, value in row.items():
        if name != "seal" and not name.endswith("seconds"):
            kept[name] = value
    return kept


def numbers(trials, jobs):
    """What each trial gives, as text."""
    texts = {}
    for trial, rows in run_trials(trials, EXPERIMENTS, CATALOGUE, jobs=jobs):
        texts[trial] = repr([without_seconds(row) for row in rows])
    return texts


def test_order_repetition_and_processes_change_nothing():
    """A trial leaves no state for the next one. Workers are fresh interpreters."""
    trials = []
    for name, methods in CHEAP.items():
        for method in methods:
            trials += EXPERIMENTS[name].trials("smoke", [method])[:1]
    expected = numbers(trials, jobs=1)
    assert numbers(trials[::-1], jobs=1) == expected
    assert numbers(trials, jobs=2) == expected


def digits_of_ascents():
    """Every digit of where ascents of two learners end, on bags of 37 features."""
    rng = np.random.default_rng(0)
    bags = Bags.from_list(rng.random((20, 9, 37)))
    y = np.arange(20) % 2 == 0
    digits = []
    for kind in (DiverseDensity, EmDd):
        learner = kind(initial_scale=0.3, random_state=0).fit(bags, y)
        digits += [loss.hex() for loss in learner.losses_.tolist()]
    return " ".join(digits)


# Instructions that compiled code may use: narrower registers, and sums without FMA.
FEATURES = [[], ["avx", "avx2"], ["avx", "avx2", "fma"]]
CODE = "import tests.machines.test_processors as t; print(t.digits_of_ascents())"


@pytest.mark.parametrize("features", FEATURES, ids="+".join)
def test_another_processor_climbs_to_the_same_point(features):
    """To the last digit: also in narrower registers, by unfused sums, and by an older BLAS."""
    available = llvmlite.binding.get_host_cpu_features()
    missing = [name for name in features if not available.get(name, False)]
    if missing:
        pytest.skip(f"this processor lacks {', '.join(missing)}")
    environment = os.environ | {
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": ",".join(f"+{name}" for name in features),
        "OPENBLAS_CORETYPE": "Nehalem",
    }
    command = [sys.executable, "-c", CODE]
    output = subprocess.check_output(
        command,
        env=environment,
        cwd=PACKAGE.parent,
        text=True,
    )
    assert output.strip() == digits_of_ascents()
