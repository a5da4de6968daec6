"""Dask clusters of processes on this machine: lost workers, deadly trials, what is refused."""

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from mimlstudy.engine.arithmetic import variables
from mimlstudy.engine.execution import compute
from mimlstudy.engine.records import CURRENT, Store
from mimlstudy.engine.trials import Measure
from mimlstudy.engine.workers import TrialError, run_trials
from mimlstudy.paper.catalogue import CATALOGUE
from tests.made_up_command import wait_until
from tests.made_up_study import METHODS, Deadly, check_same_numbers, tiny

distributed = pytest.importorskip(
    "distributed",
    reason="a cluster needs the package distributed: see requirements/cluster.lock",
)
HERE = Path(__file__).resolve()


def start(program, *options, folder, environment):
    """A process of Dask that writes to the log in the folder."""
    command = [sys.executable, "-m", f"distributed.cli.{program}", "--no-dashboard", *options]
    with (folder / "log").open("a") as log:
        return subprocess.Popen(
            command,
            stdout=log,
            stderr=log,
            cwd=folder,
            env=environment,
        )


def wait_for_address(log):
    """The address of the scheduler, once it says so."""
    found = wait_until(
        lambda: re.search(r"tcp://127.0.0.1:\d+", log.read_text()),
        message="the scheduler did not start",
    )
    return found[0]


@contextmanager
def cluster(folder, n_workers, environment=os.environ):
    """Address of a scheduler, and its worker processes, which can import this file."""
    paths = [str(HERE.parent), str(HERE.parents[2]), os.environ.get("PYTHONPATH", "")]
    environment = {**environment, "PYTHONPATH": os.pathsep.join(paths)}
    place = {"folder": folder, "environment": environment}
    scheduler = start(
        "dask_scheduler",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        **place,
    )
    workers = []
    try:
        address = wait_for_address(folder / "log")
        options = ("--nthreads", "1", "--no-nanny", "--local-directory", str(folder))
        for _ in range(n_workers):
            workers.append(start("dask_worker", address, *options, **place))
        with distributed.Client(address) as client:
            client.wait_for_workers(n_workers, timeout=120)
        yield address, workers
    finally:
        for process in [*workers, scheduler]:
            process.kill()
            process.wait()


class KillingAWorker(Store):
    """Kills a worker of the cluster when some trials are recorded."""

    workers = ()

    def append(self, experiment, rows):
        super().append(experiment, rows)
        if self.workers and len(self.load(experiment)) >= 20:
            first_worker, *_ = self.workers
            self.workers = ()
            first_worker.send_signal(signal.SIGKILL)


def test_a_cluster_loses_a_worker_and_its_records_are_those_made_here(tmp_path):
    mine = tiny(
        METHODS,
        datasets=("drawn:24x2x4", "drawn:40x4x4"),
        n_splits=50,
    )
    there = KillingAWorker(tmp_path / "there", CATALOGUE)
    with cluster(tmp_path, 3) as (address, workers):
        there.workers = workers
        table = compute(mine, store=there, dask=address, jobs=1)
        assert workers[0].wait(timeout=60) == -signal.SIGKILL
        assert [worker.poll() for worker in workers[1:]] == [None, None]
    assert len(table) == 200
    assert set(table["state"]) == {CURRENT}
    here = Store(tmp_path / "here", CATALOGUE)
    check_same_numbers(table, compute(mine, store=here, jobs=1))


def process_of_trial(estimator, dataset, train, test):
    return [{"pid": os.getpid()}]


def test_a_cluster_of_one_worker_runs_on_that_worker(tmp_path):
    mine = tiny(measure=Measure(process_of_trial, ("pid",)))
    processes = set()
    with cluster(tmp_path, 1) as (address, (worker,)):
        finished = run_trials(
            mine.trials(),
            {"mine": mine},
            CATALOGUE,
            dask=address,
        )
        for _, (row,) in finished:
            processes.add(row["pid"])
    assert processes == {worker.pid}


def test_a_trial_that_kills_its_workers_stops_only_itself(tmp_path):
    """Dask gives up on it when it has killed as many workers as it is allowed."""
    mine = tiny({"MimlNn": METHODS["MimlNn"], "Deadly": Deadly()}, n_splits=1)
    allowed_failures = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"}
    ended = []
    with cluster(tmp_path, 6, os.environ | allowed_failures) as (address, _):
        finished = run_trials(
            mine.trials(),
            {"mine": mine},
            CATALOGUE,
            dask=address,
        )
        message = r"(?s)1 of 2 trials failed.*Deadly.*its worker process died"
        with pytest.raises(TrialError, match=message):
            for trial, _ in finished:
                ended.append(trial.method)
    assert ended == ["MimlNn"]


def test_workers_with_another_arithmetic_are_refused(tmp_path):
    environment = dict(os.environ)
    for name in variables():
        environment.pop(name, None)
    environment["OPENBLAS_CORETYPE"] = "Nehalem"
    with cluster(tmp_path, 1, environment) as (address, _):
        with pytest.raises(
            ValueError, match=r"must have the arithmetic x86-64-v3.*--preload"
        ):
            compute(tiny(), dask=address, store=Store(tmp_path, CATALOGUE))


def test_workers_with_many_threads_are_refused(tmp_path):
    local = distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=2,
        processes=False,
        dashboard_address=None,
        local_directory=str(tmp_path),
    )
    store = Store(tmp_path, CATALOGUE)
    with local, pytest.raises(ValueError, match=r"must have one thread each, got \[2\]"):
        compute(tiny(), dask=local.scheduler_address, store=store)
