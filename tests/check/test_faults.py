"""Real faults against real runs: kills, Ctrl-C, torn files, edited code, lost processes."""

import os
import signal
import subprocess
import sys
import time

import pytest

from mimlpaper import paths
from mimlpaper.baselines.binary_relevance import LabelFrequencies
from mimlstudy.engine.execution import compute
from mimlstudy.engine.records import Store
from mimlstudy.engine.workers import TrialError, run_trials
from mimlstudy.paper.catalogue import CATALOGUE
from mimlstudy.report.bench import bench
from mimlstudy.report.command import main
from tests.made_up_notebooks import write_notebook
from tests.made_up_study import METHODS, same_numbers, sleepy, tiny
from tests.unit.test_bench import here  # noqa: F401
from tests.unit.test_fingerprint import check_covered

SLOW = sleepy()

# The command as a process of its own, with a slow experiment in the place of Fig. 7. Workers that
# find nothing more to do end soon. Ctrl-C arrives also where a script runs the tests.
COMMAND = """
import signal, sys
from pathlib import Path
from mimlpaper import paths
from mimlstudy import folders
from mimlstudy.report.command import main
from mimlstudy.paper import experiments as registry
from mimlstudy.engine import workers
from tests.made_up_study import sleepy
signal.signal(signal.SIGINT, signal.default_int_handler)
folders.results, workers.IDLE = lambda: Path(sys.argv[1]), 2
registry.EXPERIMENTS["figure7"] = sleepy()
sys.exit(main(["compute", "figure7", "--jobs", "2"]))
"""


class Run:
    """``mimlpaper compute`` as a process of its own."""

    def __init__(self, folder):
        self.store = Store(folder, CATALOGUE)
        self.process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, str(folder)],
            start_new_session=True,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def wait_for(self, n_records):
        """Until so many trials are recorded, or the run has ended."""
        deadline = time.monotonic() + 120
        while len(self.store.load(SLOW)) < n_records and self.process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        return self

    def workers(self):
        """Worker processes that are alive; zombies are not."""
        command = ["ps", "-e", "-ww", "-o", "pid=,pgid=,stat=,args="]
        listed = subprocess.check_output(command, text=True)
        rows = [line.split(None, 3) for line in listed.splitlines()]
        mine = [row for row in rows if row[1] == str(self.process.pid) and "LokyProcess" in row[3]]
        return [int(pid) for pid, _, state, _ in mine if state[0] != "Z"]

    def end(self):
        """Exit status, and what was printed."""
        out, err = self.process.communicate(timeout=120)
        return self.process.returncode, out + err


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return compute(SLOW, jobs=1, store=Store(tmp_path_factory.mktemp("undisturbed"), CATALOGUE))


def test_stopped_again_and_again_it_ends_with_the_same_records(tmp_path, undisturbed):
    """Ctrl-C; kill -9 of the parent, whose workers end; of all; of a worker, whose trials go on."""

    def go_on():
        """A run that has recorded more than the one before it."""
        n_recorded.append(len(Store(tmp_path, CATALOGUE).load(SLOW)))
        run = Run(tmp_path).wait_for(n_recorded[-1] + 1)
        return run, run.process.pid

    n_recorded = []
    run, pid = go_on()
    os.killpg(pid, signal.SIGINT)
    status, printed = run.end()
    assert status == 130 and "Traceback" not in printed
    assert "interrupted; what is recorded stays" in printed

    orphaned, pid = go_on()
    assert orphaned.workers()
    os.kill(pid, signal.SIGKILL)
    orphaned.process.wait()
    deadline = time.monotonic() + 60

    run, pid = go_on()
    os.killpg(pid, signal.SIGKILL)
    assert run.end()[0] == -signal.SIGKILL

    run, _ = go_on()
    os.kill(run.workers()[0], signal.SIGKILL)
    status, printed = run.end()
    assert status == 0 and "a worker process died" in printed
    assert n_recorded == sorted(set(n_recorded)) and n_recorded[-1] < len(undisturbed)
    same_numbers(run.store.load(SLOW), undisturbed)
    while orphaned.workers():
        assert time.monotonic() < deadline, "workers outlive their run"
        time.sleep(0.1)


def test_two_runs_at_once(tmp_path, undisturbed):
    runs = [Run(tmp_path), Run(tmp_path)]
    assert [run.end()[0] for run in runs] == [0, 0]
    same_numbers(runs[0].store.load(SLOW), undisturbed)


class Deadly(LabelFrequencies):
    def fit(self, X, Y):
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_trial_that_kills_every_worker_stops_only_itself():
    mine = tiny({"Deadly": Deadly(), "MimlNn": METHODS["MimlNn"]}, n_splits=1)
    ended = []
    with pytest.raises(TrialError, match=r"(?s)1 of 2 trials failed.*Deadly.*its worker process"):
        for trial, _ in run_trials(mine.trials(), {"mine": mine}, CATALOGUE, jobs=2):
            ended.append(trial.method)
    assert ended == ["MimlNn"]


def test_all_that_runs_in_a_trial_of_any_method_is_covered():
    methods = {
        "table1": ("MimlSvm_mi", "MimlNn", "AdtBoost.MH", "RankSvm", "MlSvm", "Ml-knn"),
        "table3": ("InsDif", "InsDif_MimlSvm_mi", "Cnmf"),
        "figure4": ("D-MimlSvm",),
        "ablation": ("InsDif, average distance", "InsDif, neighbours"),
        "cccp": ("D-MimlSvm",),
        "table5": ("SubCod", "Diverse Density", "Em-dd", "mi-Svm", "Mi-Svm", "Ch-Fd"),
        "figure9": ("AdtBoost.MH",),
        "relatedness": ("D-MimlSvm",),
        "costs": ("MimlNn",),
        "explanations": ("NoisyOr",),
        "characteristics": ("after term selection",),
    }
    for name, several in methods.items():
        for method in several:
            check_covered(name, method)


def test_output_that_nobody_reads():
    command = f"set -o pipefail; {sys.executable} -m mimlpaper data | true"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.returncode in (0, 1) and done.stderr == ""


KILL = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
DRAW = """
import matplotlib.pyplot as plt
from mimlstudy.report.companion import Companion
Companion(profile="smoke").save_figure(plt.subplots()[0], "line", shows="Axes.")
"""


def test_only_the_entry_ends(here):  # noqa: F811
    (problem,) = bench("stranger:Crash", [1], profile="smoke", jobs=2).problems
    assert problem == "Table 1, stranger:Crash: its process died; it crashed or used up the memory"


def test_each_end_is_told_apart(tmp_path, monkeypatch, capsys):
    """Four notebooks, three ends: the others run on, and what ended well is written."""
    monkeypatch.setattr(paths, "project_root", lambda: tmp_path)
    (tmp_path / "notebooks").mkdir()
    output = tmp_path / "build" / "smoke"
    output.mkdir(parents=True)
    (output / "figures").write_text("a file in a folder's place")
    cells = {"bad": "1 / 0", "dead": KILL, "draws": DRAW, "good": "print(profile)"}
    for name, cell in cells.items():
        write_notebook(tmp_path / "notebooks", name, cell, "2")
    assert main(["run", "--profile", "smoke"]) == 1
    printed = capsys.readouterr()
    table, _, _ = printed.out[printed.out.index("notebook ") :].partition("\n\n")
    rows = table.splitlines()[1:]
    ends = {name: end for name, end, *_ in map(str.split, rows)}
    assert ends == {"bad": "error", "dead": "died", "draws": "error", "good": "done"}
    for row in rows[:3]:
        name = row.split()[0]
        assert row.endswith(f"mimlpaper run {name}") and not (output / f"{name}.ipynb").exists()
    assert "ZeroDivisionError" in printed.err
    assert f"{output}/figures" in printed.err
    assert "smoke" in (output / "good.ipynb").read_text()
