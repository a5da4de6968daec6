"""The same trial gives the same record for any processes, BLAS kernel and processor."""

import os
import subprocess
import sys

import llvmlite.binding
import numpy as np

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


def numbers(trials, jobs):
    """What trials give, but for seconds, and for the seal, which covers them too."""
    found = {}
    for trial, rows in run_trials(trials, EXPERIMENTS, CATALOGUE, jobs=jobs):
        kept = []
        for row in rows:
            names = [name for name in row if name != "seal" and not name.endswith("seconds")]
            kept.append({name: row[name] for name in names})
        found[trial] = repr(kept)
    return found


def test_order_repetition_and_processes_change_nothing():
    """A trial leaves no state for the next one. Workers are fresh interpreters."""
    trials = [
        EXPERIMENTS[name].trials("smoke", [method])[0]
        for name, methods in CHEAP.items()
        for method in methods
    ]
    assert numbers(trials, 1) == numbers(trials[::-1], 1) == numbers(trials, 2)


def digits_of_ascents():
    """Every digit of where ascents of two learners end, on bags of 37 features."""
    rng = np.random.default_rng(0)
    bags, y = Bags.from_list(rng.random((20, 9, 37))), np.arange(20) % 2 == 0
    fits = [kind(initial_scale=0.3, random_state=0).fit(bags, y) for kind in (DiverseDensity, EmDd)]
    return " ".join(loss.hex() for fitted in fits for loss in fitted.losses_.tolist())


def test_another_processor_climbs_to_the_same_point():
    """To the last digit: also in narrower registers, by unfused sums, and by an older BLAS."""
    has, expected = llvmlite.binding.get_host_cpu_features(), digits_of_ascents()
    for features in ("", "+avx,+avx2", "+avx,+avx2,+fma"):
        if all(has.get(name[1:], False) for name in features.split(",") if name):
            other = {
                "NUMBA_CPU_NAME": "generic",
                "NUMBA_CPU_FEATURES": features,
                "OPENBLAS_CORETYPE": "Nehalem",
            }
            code = "import tests.check.test_processors as t; print(t.digits_of_ascents())"
            run = dict(env=os.environ | other, cwd=PACKAGE.parent, text=True)
            there = subprocess.check_output([sys.executable, "-c", code], **run)
            assert there.strip() == expected, features
