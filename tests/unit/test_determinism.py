"""The same trial gives the same record for any BLAS threads, order, interruption or processes.

Runs pin one BLAS thread a process, so their records are bit-equal. Where a caller lets BLAS have
two threads, the sums of large products are rounded in another order; scores then agree to 1e-9 of
their scale, and decisions are the same unless two scores lie closer than that.
"""

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import llvmlite.binding
import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from mimlpaper.bags import Bags
from mimlpaper.baselines.diverse_density import DiverseDensity, EmDd
from mimlpaper.datasets import load
from mimlpaper.metrics import CRITERIA
from mimlpaper.study.records import KEY, Store
from mimlpaper.study.registry import get_experiment
from mimlpaper.study.runner import compute
from mimlpaper.study.trials import Trial, run_trial, set_random_states
from mimlpaper.study.workers import run_trials

BY_THE_WAY = ["fit_seconds", "predict_seconds", "commit", "seal"]
CHEAP = {
    "table1": ["MimlSvm", "MimlSvm_mi", "MimlNn", "MlSvm", "Ml-knn", "RankSvm"],
    "table3": ["InsDif", "MlSvm", "Ml-knn", "Cnmf"],
    "table5": ["SubCod", "SubCod_MimlNn", "Ch-Fd", "Mi-Svm"],
}
TRIALS = [
    next(trial for trial in get_experiment(name).trials("smoke", [method]))
    for name, methods in CHEAP.items()
    for method in methods
]


def named(trial):
    return f"{trial.experiment}-{trial.method}"


def outcome(trial):
    experiment = get_experiment(trial.experiment)
    rows = run_trial(
        trial, experiment.estimator(trial), experiment.splits, staged=experiment.staged
    )
    return [{name: row[name] for name in row if name not in BY_THE_WAY} for row in rows]


def scores(trial, n_threads):
    """Scores of a quarter of the data by an estimator of the rest, with so many BLAS threads."""
    experiment = get_experiment(trial.experiment)
    estimator = experiment.estimator(trial)
    set_random_states(estimator, trial.split)
    dataset = load(trial.dataset)
    labels = dataset.y if dataset.Y is None else dataset.Y
    order = np.random.default_rng(0).permutation(len(dataset))
    train, test = order[len(order) // 4 :], order[: len(order) // 4]
    with threadpool_limits(n_threads, user_api="blas"):
        return estimator.fit(dataset.X[train], labels[train]).decision_function(dataset.X[test])


def digits_of_ascents():
    """Every digit of where ascents of two learners end, on bags of 37 features."""
    rng = np.random.default_rng(0)
    bags, y = Bags.from_list(rng.random((20, 9, 37))), np.arange(20) % 2 == 0
    learners = [
        learner(initial_scale=0.3, random_state=0).fit(bags, y)
        for learner in (DiverseDensity, EmDd)
    ]
    return " ".join(digits.hex() for learner in learners for digits in learner.losses_.tolist())


@pytest.mark.parametrize("trial", TRIALS, ids=named)
def test_the_same_twice_in_a_process(trial):
    assert repr(outcome(trial)) == repr(outcome(trial))


def test_order_changes_nothing():
    """A trial leaves no state for the next trial."""
    forwards = {trial: outcome(trial) for trial in TRIALS[:5]}
    backwards = {trial: outcome(trial) for trial in reversed(TRIALS[:5])}
    assert repr(sorted(forwards.items(), key=str)) == repr(sorted(backwards.items(), key=str))


def test_the_caller_random_state_changes_nothing():
    trial = Trial("table1", "synthetic_scene", "MimlSvm", "{}", 0)
    np.random.seed(1)  # noqa: NPY002
    first = outcome(trial)
    np.random.seed(2)  # noqa: NPY002
    assert repr(outcome(trial)) == repr(first)


def test_one_process_two_and_another_start_method():
    """Loky starts fresh interpreters; here one is spawned by hand, and one is this process."""
    trials = TRIALS[:4]
    alone = {trial: rows for trial, rows in run_trials(trials, jobs=1)}
    together = {trial: rows for trial, rows in run_trials(trials, jobs=2)}
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        spawned = dict(zip(trials, pool.map(outcome, trials), strict=True))
    for trial in trials:
        for name in ("chosen", "data_sha256", *CRITERIA):
            values = {repr(runs[trial][0][name]) for runs in (alone, together, spawned)}
            assert len(values) == 1, (trial, name)


@pytest.mark.parametrize(
    "trial", [t for t in TRIALS if t.method not in ("MimlSvm_mi", "Ch-Fd", "Mi-Svm")], ids=named
)
def test_blas_threads(trial):
    """One against two: to 1e-9 of the scores' scale.

    Methods of many small products are left out: two threads that wait for each other at every
    one of them take minutes on a busy machine.
    """
    one, two = scores(trial, 1), scores(trial, 2)
    scale = np.abs(one).max() + 1.0
    assert np.abs(one - two).max() <= 1e-9 * scale


def test_an_interrupted_run_goes_on_to_the_same_records(tmp_path):
    """Ctrl-C after each trial: the record is whole, the next call runs the rest."""
    undisturbed = compute(
        "table1", profile="smoke", methods=CHEAP["table1"], jobs=1, store=Store(tmp_path / "whole")
    )
    store = InterruptedStore(tmp_path / "parts")
    for _ in range(len(undisturbed)):
        with pytest.raises(KeyboardInterrupt):
            compute("table1", profile="smoke", methods=CHEAP["table1"], jobs=1, store=store)
    resumed = Store(tmp_path / "parts").load("table1")
    tables = [
        table.drop(columns=[*BY_THE_WAY, "state"], errors="ignore").sort_values(KEY)
        for table in (undisturbed, resumed)
    ]
    assert tables[0].reset_index(drop=True).equals(tables[1].reset_index(drop=True))


class InterruptedStore(Store):
    """Records one trial, then the user presses Ctrl-C."""

    def append(self, experiment, rows):
        super().append(experiment, rows)
        raise KeyboardInterrupt


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
        "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": features, "OPENBLAS_CORETYPE": "Nehalem"
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", "import test_determinism as t; print(t.digits_of_ascents())"],
        env=os.environ | other, cwd=Path(__file__).parent, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert done.stdout.strip() == digits_of_ascents()
