"""A Dask cluster of three worker processes on this machine, one of them killed under way."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_config
from pandas.testing import assert_frame_equal

from mimlpaper.bags import Bags
from mimlpaper.distances import average_hausdorff, max_hausdorff
from mimlpaper.study import runner as runner_module
from mimlpaper.study.records import KEY, Store
from mimlpaper.study.registry import get_experiment
from mimlpaper.study.workers import run_trials
from tests import reference

distributed = pytest.importorskip(
    "distributed", reason="a cluster needs the package distributed: make .venv/installed-cluster"
)

BY_THE_WAY = ["fit_seconds", "predict_seconds", "commit", "seal"]
N_WORKERS = 3


def two_hundred_trials():
    """Of five experiments' trial profiles, methods that fit small sets in parts of a second."""
    quick = {
        "figure7": ["MimlSvm"],
        "table1": ["MimlSvm", "MimlNn", "MlSvm", "Ml-knn"],
        "table2": ["MimlSvm", "MimlNn", "MlSvm", "Ml-knn"],
        "table3": ["Ml-knn", "MlSvm"],
        "table4": ["Ml-knn", "MlSvm"],
    }
    trials = [
        trial for name, methods in quick.items()
        for trial in get_experiment(name).trials("smoke", methods)
    ]  # fmt: skip
    more = [
        type(trial)(trial.experiment, trial.dataset, trial.method, trial.parameters, split)
        for split in range(2, 30)
        for trial in trials
        if split < get_experiment(trial.experiment).splits.n_splits and trial.split == 0
    ]
    return [*trials, *more][:200]


@pytest.fixture
def cluster(tmp_path):
    """Address of a scheduler, and its worker processes, which can import this file."""
    here = Path(__file__).resolve()
    paths = os.pathsep.join([str(here.parent), str(here.parents[2])])
    env = os.environ | {"PYTHONPATH": paths}
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1",
               "--port", "0", "--no-dashboard"]  # fmt: skip
    log = (tmp_path / "scheduler.log").open("w+")
    scheduler = subprocess.Popen(
        command, stderr=subprocess.STDOUT, stdout=log, cwd=tmp_path, env=env
    )
    address = wait_for(lambda: re.search(r"tcp://127.0.0.1:\d+", open(log.name).read()))[0]
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1",
               "--no-nanny", "--no-dashboard", "--local-directory", str(tmp_path)]  # fmt: skip
    workers = [
        subprocess.Popen(command, stderr=subprocess.STDOUT, stdout=log, cwd=tmp_path, env=env)
        for _ in range(N_WORKERS)
    ]
    yield address, workers
    for process in (*workers, scheduler):
        process.kill()
        process.wait()


def wait_for(condition, seconds=300):
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


def recorded(store, ended):
    """The records of trials as they end, written as the runner writes them."""
    for trial, rows in ended:
        told = {name: getattr(trial, name) for name in KEY}
        store.append(trial.experiment, [told | row for row in rows])


def same_records(one, other, name):
    tables = [
        store.load(name).drop(columns=BY_THE_WAY).sort_values(KEY).reset_index(drop=True)
        for store in (one, other)
    ]
    assert_frame_equal(*tables, check_exact=True)


def test_a_cluster_loses_a_worker(cluster, tmp_path, tell):
    address, workers = cluster
    trials = two_hundred_trials()
    assert len(set(trials)) == 200
    here, there = Store(tmp_path / "here"), Store(tmp_path / "there")
    recorded(here, run_trials(trials, jobs=2))

    def killing_one(ended):
        for number, result in enumerate(ended):
            if number == 20:
                with distributed.Client(address) as client:
                    wait_for(lambda: len(client.scheduler_info()["workers"]) == N_WORKERS)
                os.kill(workers[0].pid, signal.SIGKILL)
            yield result

    recorded(there, killing_one(run_trials(trials, dask=address)))
    assert workers[0].wait() == -signal.SIGKILL
    assert [worker.poll() for worker in workers[1:]] == [None, None]
    for name in dict.fromkeys(trial.experiment for trial in trials):
        same_records(here, there, name)
    tell("kill -9 of one of three workers of a cluster", "the others run its trials", 0,
         "nothing to do")  # fmt: skip


def distances_with_work_stolen(other):
    """Distances of bags, computed in a Dask worker while any inner job goes to another worker."""
    bags = Bags.from_list(list(np.random.default_rng(0).random((40, 6, 3))))
    with parallel_config("dask", workers=[other]):
        return max_hausdorff(bags), average_hausdorff(bags)


def test_distances_stay_right_when_work_is_stolen(cluster):
    """An array that is filled in place by inner jobs would come back unfilled."""
    address, _ = cluster
    bags = list(np.random.default_rng(0).random((40, 6, 3)))
    with distributed.Client(address) as client:
        client.wait_for_workers(2)
        here, other = list(client.scheduler_info(-1)["workers"])[:2]
        largest, average = client.submit(
            distances_with_work_stolen, other, workers=[here], pure=False
        ).result(timeout=300)
    assert np.abs(largest - reference.max_hausdorff(bags, bags)).max() < 1e-9
    assert np.array_equal(average, average_hausdorff(bags))


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
        runner_module.compute(
            "figure7", profile="smoke", dask=cluster.scheduler_address, store=Store(tmp_path)
        )  # fmt: skip
