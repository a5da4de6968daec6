"""Dask clusters of worker processes on this machine: of one, and of three with one killed."""

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from mimlpaper.baselines.binary_relevance import LabelFrequencies
from mimlstudy.engine.arithmetic import variables
from mimlstudy.engine.execution import compute
from mimlstudy.engine.records import CURRENT, Store
from mimlstudy.engine.trials import Measure
from mimlstudy.engine.workers import TrialError, run_trials
from mimlstudy.paper.catalogue import CATALOGUE
from tests.made_up_study import METHODS, same_numbers, tiny

distributed = pytest.importorskip(
    "distributed", reason="a cluster needs the package distributed: see requirements/cluster.lock"
)
HERE = Path(__file__).resolve()


@contextmanager
def cluster(folder, n_workers, environment=os.environ):
    """Address of a scheduler, and its worker processes, which can import this file."""
    paths = [str(HERE.parent), str(HERE.parents[2]), os.environ.get("PYTHONPATH", "")]
    environment = {**environment, "PYTHONPATH": os.pathsep.join(paths)}
    log = folder / "log"
    with log.open("w") as out:

        def start(program, *options):
            command = [sys.executable, "-m", f"distributed.cli.{program}", "--no-dashboard"]
            return subprocess.Popen(
                [*command, *options], stdout=out, stderr=out, cwd=folder, env=environment
            )

        processes = [start("dask_scheduler", "--host", "127.0.0.1", "--port", "0")]
        deadline = time.monotonic() + 120
        while not (address := re.search(r"tcp://127.0.0.1:\d+", log.read_text())):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        options = ("--nthreads", "1", "--no-nanny", "--local-directory", str(folder))
        processes += [start("dask_worker", address[0], *options) for _ in range(n_workers)]
        try:
            with distributed.Client(address[0]) as client:
                client.wait_for_workers(n_workers, timeout=120)
            yield address[0], processes[1:]
        finally:
            for process in reversed(processes):
                process.kill()
                process.wait()


class KillingOne(Store):
    """Kills a worker of the cluster when some trials are recorded."""

    workers = ()

    def append(self, experiment, rows):
        super().append(experiment, rows)
        if self.workers and len(self.load(experiment)) == 20:
            self.workers[0].send_signal(signal.SIGKILL)


def test_a_cluster_loses_a_worker_and_its_records_are_those_made_here(tmp_path):
    mine = tiny(METHODS, datasets=("drawn:24x2x4", "drawn:40x4x4"), n_splits=50)
    there = KillingOne(tmp_path / "there", CATALOGUE)
    with cluster(tmp_path, 3) as (address, workers):
        there.workers = workers
        table = compute(mine, store=there, dask=address, jobs=1)
        assert workers[0].wait() == -signal.SIGKILL
        assert [worker.poll() for worker in workers[1:]] == [None, None]
    assert len(table) == 200
    assert set(table["state"]) == {CURRENT}
    same_numbers(table, compute(mine, store=Store(tmp_path / "here", CATALOGUE), jobs=1))


def pid(estimator, dataset, train, test):
    return [{"pid": os.getpid()}]


class Deadly(LabelFrequencies):
    """Kills its process."""

    def fit(self, X, Y):
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_cluster_of_one_worker_runs_on_that_worker(tmp_path):
    mine = tiny(measure=Measure(pid, ("pid",)))
    with cluster(tmp_path, 1) as (address, (worker,)):
        rows = [
            rows for _, rows in run_trials(mine.trials(), {"mine": mine}, CATALOGUE, dask=address)
        ]
    assert {row["pid"] for (row,) in rows} == {worker.pid}


def test_a_trial_that_kills_its_workers_stops_only_itself(tmp_path):
    """Dask gives up on it when it has killed as many workers as it is allowed."""
    mine = tiny({"MimlNn": METHODS["MimlNn"], "Deadly": Deadly()}, n_splits=1)
    allowed_failures = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"}
    ended = []
    with cluster(tmp_path, 6, os.environ | allowed_failures) as (address, _):
        match = r"(?s)1 of 2 trials failed.*Deadly.*its worker process died"
        with pytest.raises(TrialError, match=match):
            for trial, _ in run_trials(mine.trials(), {"mine": mine}, CATALOGUE, dask=address):
                ended.append(trial.method)
    assert ended == ["MimlNn"]


def test_workers_with_another_arithmetic_are_refused(tmp_path):
    other = {name: value for name, value in os.environ.items() if name not in variables()}
    with cluster(tmp_path, 1, other | {"OPENBLAS_CORETYPE": "Nehalem"}) as (address, _):
        with pytest.raises(ValueError, match=r"must have the arithmetic x86-64-v3.*--preload"):
            compute(tiny(), dask=address, store=Store(tmp_path, CATALOGUE))


def test_workers_with_many_threads_are_refused(tmp_path):
    with (
        distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=2,
            processes=False,
            dashboard_address=None,
            local_directory=str(tmp_path),
        ) as cluster,
        pytest.raises(ValueError, match=r"must have one thread each, got \[2\]"),
    ):
        compute(tiny(), dask=cluster.scheduler_address, store=Store(tmp_path, CATALOGUE))
