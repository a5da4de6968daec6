"""Ctrl-C and kills of ``compute``, ``run`` and ``bench``: in compiled code, trials, notebooks."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import psutil
import pytest

from mimlstudy.engine.records import Store
from mimlstudy.paper.catalogue import CATALOGUE
from mimlstudy.report.kernels import NAME
from mimlstudy.report.notebooks import run_notebooks
from tests.made_up_command import start_command, wait_until
from tests.made_up_notebooks import enter_notebooks, write_notebook
from tests.made_up_study import compiled_trials


@pytest.mark.parametrize("moment", [0.15 * number for number in range(9)])
def test_an_interrupt_in_compiled_code_ends_the_run_and_is_no_failed_trial(tmp_path, moment):
    store = Store(tmp_path / "results", CATALOGUE)
    run = start_command(tmp_path, "compiled_trials")
    wait_until(lambda: len(store.load(compiled_trials())) >= 1)
    time.sleep(moment)
    os.killpg(run.pid, signal.SIGINT)
    _, err = run.communicate(timeout=60)
    assert run.returncode == 130, err
    assert "interrupted; what is recorded stays" in err
    assert "Traceback" not in err
    assert 1 <= len(store.load(compiled_trials())) < 30
    assert set(store.load(compiled_trials())["doubt"]) == {""}


@pytest.mark.parametrize(
    ("kill", "experiment", "jobs"),
    [
        (signal.SIGTERM, "long_trials", 2),
        (signal.SIGKILL, "long_trials", 2),
        (signal.SIGINT, "long_trials", 2),
        (signal.SIGHUP, "long_trials", 2),
        (signal.SIGKILL, "long_trial_alone", 1),
    ],
)
def test_a_killed_run_leaves_no_process_of_its_trials(tmp_path, kill, experiment, jobs):
    run = start_command(tmp_path, experiment, jobs)
    parent = psutil.Process(run.pid)
    wait_until(lambda: len([*tmp_path.glob("begun-*")]) == jobs)
    children = parent.children(recursive=True)
    os.kill(run.pid, kill)
    run.communicate(timeout=30)
    _, alive = psutil.wait_procs(children, timeout=20)
    assert not alive


@pytest.mark.parametrize("kill", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_run_leaves_no_kernel(tmp_path, kill):
    run = subprocess.Popen(
        [sys.executable, "-m", "mimlstudy", "run", "3_framework", "--profile", "smoke"],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    parent = psutil.Process(run.pid)
    # The fork server, and the kernel that it has forked.
    wait_until(lambda: len(parent.children(recursive=True)) > 1)
    time.sleep(4)  # until the notebook runs
    children = parent.children(recursive=True)
    os.kill(run.pid, kill)
    run.wait(timeout=30)
    _, alive = psutil.wait_procs(children, timeout=20)
    assert not alive


SLEEPS = """
import pathlib, time
class Method:
    def fit(self, X, Y):
        pathlib.Path("begun").touch()
        time.sleep(600)
"""


@pytest.mark.parametrize(
    ("kill", "jobs"),
    [(signal.SIGTERM, 1), (signal.SIGKILL, 1), (signal.SIGKILL, 2)],
)
def test_a_killed_bench_leaves_no_guest(tmp_path, kill, jobs):
    (tmp_path / "sleeps.py").write_text(SLEEPS)
    bench = "bench sleeps:Method --tables 1 --profile smoke --jobs"
    run = subprocess.Popen(
        [sys.executable, "-m", "mimlstudy", *bench.split(), str(jobs)],
        cwd=tmp_path,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    parent = psutil.Process(run.pid)
    wait_until((tmp_path / "begun").exists)
    children = parent.children(recursive=True)
    os.kill(run.pid, kill)
    run.wait(timeout=30)
    _, alive = psutil.wait_procs(children, timeout=20)
    assert not alive


@pytest.fixture
def folder(tmp_path, monkeypatch):
    return enter_notebooks(tmp_path, monkeypatch)


def interrupt_this_thread_after(started, seconds):
    """Send Ctrl-C's signal to the calling thread, some seconds after the event."""
    target = threading.get_ident()

    def interrupt():
        started.wait(60)
        time.sleep(seconds)
        signal.pthread_kill(target, signal.SIGINT)

    threading.Thread(target=interrupt).start()


@pytest.fixture
def heeds_interrupts():
    """Ctrl-C raises KeyboardInterrupt, also where a shell started the tests in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeds_interrupts")
@pytest.mark.parametrize("seconds", [0.0, 0.3, 1.0, 2.0])
def test_a_run_that_is_interrupted_ends_and_leaves_no_kernel(folder, seconds):
    """Before its kernel starts, while it does, and in a cell; the next notebook never starts."""
    write_notebook(folder, "3_long", "import time; time.sleep(600)")
    write_notebook(folder, "4_next", "pass")
    lines = []
    started = threading.Event()

    def report(line):
        lines.append(line)
        started.set()

    interrupt_this_thread_after(started, seconds)
    with pytest.raises(KeyboardInterrupt):
        run_notebooks(["3_long", "4_next"], report=report)
    assert "4_next: started" not in lines
    processes = [child.name for child in multiprocessing.active_children()]
    assert NAME not in processes
