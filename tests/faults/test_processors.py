"""The same trial gives the same record in other processes, on other processors, and in parts."""

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import llvmlite.binding
import numpy as np
import pytest
from mimlpaper.study.workers import run_trials
from tests.unit.test_determinism import BY_THE_WAY, CHEAP, TRIALS, outcome

from mimlpaper.bags import Bags
from mimlpaper.baselines.diverse_density import DiverseDensity, EmDd
from mimlpaper.metrics import CRITERIA
from mimlpaper.study.records import KEY, Store
from mimlpaper.study.runner import compute

ROOT = Path(__file__).resolve().parents[2]


def test_one_process_two_and_another_start_method():
    """Loky starts fresh interpreters; here one is spawned by hand, and one is this process."""
    trials = TRIALS[:4]
    alone, together = (dict(run_trials(trials, jobs=jobs)) for jobs in (1, 2))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        spawned = dict(zip(trials, pool.map(outcome, trials), strict=True))
    for trial in trials:
        for name in ("chosen", "data_sha256", *CRITERIA):
            values = {repr(runs[trial][0][name]) for runs in (alone, together, spawned)}
            assert len(values) == 1, (trial, name)


class InterruptedStore(Store):
    """Records one trial, then the user presses Ctrl-C."""

    def append(self, experiment, rows):
        super().append(experiment, rows)
        raise KeyboardInterrupt


def test_an_interrupted_run_goes_on_to_the_same_records(tmp_path):
    """Ctrl-C after each trial: the record is whole, the next call runs the rest."""
    wanted = {"profile": "smoke", "methods": CHEAP["table1"], "jobs": 1}
    undisturbed = compute("table1", store=Store(tmp_path / "whole"), **wanted)
    for _ in range(len(undisturbed)):
        with pytest.raises(KeyboardInterrupt):
            compute("table1", store=InterruptedStore(tmp_path / "parts"), **wanted)
    whole, resumed = (
        table.drop(columns=[*BY_THE_WAY, "state"], errors="ignore").sort_values(KEY)
        for table in (undisturbed, Store(tmp_path / "parts").load("table1"))
    )
    assert whole.reset_index(drop=True).equals(resumed.reset_index(drop=True))


def digits_of_ascents():
    """Every digit of where ascents of two learners end, on bags of 37 features."""
    rng = np.random.default_rng(0)
    bags, y = Bags.from_list(rng.random((20, 9, 37))), np.arange(20) % 2 == 0
    learners = [
        learner(initial_scale=0.3, random_state=0).fit(bags, y)
        for learner in (DiverseDensity, EmDd)
    ]
    return " ".join(digits.hex() for learner in learners for digits in learner.losses_.tolist())


@pytest.mark.parametrize("features", ["", "+avx,+avx2", "+avx,+avx2,+fma"])
def test_another_processor_climbs_to_the_same_point(features):
    """Where an ascent of the diverse density ends depends on the last digit of every sum.

    Code for a processor with narrower registers, or without fused multiplication, and a BLAS for
    an older one end where this processor's do, to the last digit.
    """
    here = llvmlite.binding.get_host_cpu_features()
    if not all(here.get(name[1:], False) for name in features.split(",") if name):
        pytest.skip(f"this processor has not all of {features}")
    other = {
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": features,
        "OPENBLAS_CORETYPE": "Nehalem",
    }
    code = "from tests.faults.test_processors import digits_of_ascents as d; print(d())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | other,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == digits_of_ascents()
