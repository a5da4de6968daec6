"""A Dask cluster of three worker processes on this machine, one of them killed under way."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mimlstudy.engine.execution import compute
from mimlstudy.engine.records import CURRENT, Store
from mimlstudy.paper.catalogue import CATALOGUE
from tests.made_up_study import METHODS, same_numbers, tiny

distributed = pytest.importorskip(
    "distributed", reason="a cluster needs the package distributed: see requirements/cluster.lock"
)
N_WORKERS = 3


@pytest.fixture
def cluster(tmp_path):
    """Address of a scheduler, and its worker processes, which can import this file."""
    here = Path(__file__).resolve()
    paths = [str(here.parent), str(here.parents[2]), os.environ.get("PYTHONPATH", "")]
    where = {"cwd": tmp_path, "env": os.environ | {"PYTHONPATH": os.pathsep.join(paths)}}
    log = tmp_path / "log"
    with log.open("w") as out:

        def start(program, *options):
            command = [sys.executable, "-m", f"distributed.cli.{program}", "--no-dashboard"]
            return subprocess.Popen([*command, *options], stdout=out, stderr=out, **where)

        processes = [start("dask_scheduler", "--host", "127.0.0.1", "--port", "0")]
        deadline = time.monotonic() + 120
        while not (found := re.search(r"tcp://127.0.0.1:\d+", log.read_text())):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        options = ("--nthreads", "1", "--no-nanny", "--local-directory", str(tmp_path))
        processes += [start("dask_worker", found[0], *options) for _ in range(N_WORKERS)]
        yield found[0], processes[1:]
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


def test_a_cluster_loses_a_worker_and_its_its_records_are_those_made_here(cluster, tmp_path):
    address, workers = cluster
    mine = tiny(METHODS, datasets=("drawn:24x2x4", "drawn:40x4x4"), n_splits=50)
    with distributed.Client(address) as client:
        client.wait_for_workers(N_WORKERS, timeout=120)
    there = KillingOne(tmp_path / "there", CATALOGUE)
    there.workers = workers
    table = compute(mine, store=there, dask=address, jobs=1)
    assert workers[0].wait() == -signal.SIGKILL
    assert [worker.poll() for worker in workers[1:]] == [None, None]
    assert len(table) == 200 and set(table["state"]) == {CURRENT}
    same_numbers(table, compute(mine, store=Store(tmp_path / "here", CATALOGUE), jobs=1))


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
