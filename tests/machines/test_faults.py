"""Real faults against real runs: kills, Ctrl-C, edited code, lost processes."""

import os
import shutil
import signal
import subprocess
import sys

import pytest

from mimlstudy import folders
from mimlstudy.engine.execution import compute
from mimlstudy.engine.records import Store
from mimlstudy.engine.workers import TrialError, run_trials
from mimlstudy.paper.catalogue import CATALOGUE
from mimlstudy.report.bench import bench
from mimlstudy.report.command import main
from tests.fingerprinted_trials import check_covered
from tests.made_up_command import start_command, wait_until
from tests.made_up_notebooks import write_notebook
from tests.made_up_stranger import enter_project
from tests.made_up_study import METHODS, Deadly, check_same_numbers, short_trials, tiny

SHORT = short_trials()


class Run:
    """``mimlpaper compute`` as a process of its own."""

    def __init__(self, folder):
        self.store = Store(folder / "results", CATALOGUE)
        self.process = start_command(folder, "short_trials", jobs=2)

    def wait_for(self, n_records):
        """Until so many trials are recorded, or the run has ended."""

        def is_recorded():
            return len(self.store.load(SHORT)) >= n_records

        wait_until(lambda: is_recorded() or self.process.poll() is not None)
        return self

    def workers(self):
        """Worker processes that are alive; zombies are not."""
        command = ["ps", "-e", "-ww", "-o", "pid=,pgid=,stat=,args="]
        listed = subprocess.check_output(command, text=True)
        alive = []
        for line in listed.splitlines():
            pid, group, state, words = line.split(None, 3)
            is_worker = group == str(self.process.pid) and "LokyProcess" in words
            if is_worker and not state.startswith("Z"):
                alive.append(int(pid))
        return alive

    def end(self):
        """Exit status, and what was printed."""
        out, err = self.process.communicate(timeout=120)
        return self.process.returncode, out + err


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    return compute(SHORT, jobs=1, store=Store(folder, CATALOGUE))


def go_on(folder):
    """A run that has recorded more than what was recorded before it."""
    n_before = len(Store(folder / "results", CATALOGUE).load(SHORT))
    return Run(folder).wait_for(n_before + 1)


def test_stopped_again_and_again_it_ends_with_the_same_records(tmp_path, undisturbed):
    """Ctrl-C; kill -9 of the parent, whose workers end; of all; of a worker, whose trials go on."""
    interrupted = go_on(tmp_path)
    os.killpg(interrupted.process.pid, signal.SIGINT)
    status, printed = interrupted.end()
    assert status == 130
    assert "Traceback" not in printed
    assert "interrupted; what is recorded stays" in printed

    orphaned = go_on(tmp_path)
    assert orphaned.workers()
    os.kill(orphaned.process.pid, signal.SIGKILL)
    orphaned.process.wait()

    killed = go_on(tmp_path)
    os.killpg(killed.process.pid, signal.SIGKILL)
    status, _ = killed.end()
    assert status == -signal.SIGKILL

    maimed = go_on(tmp_path)
    # Or nothing was left to lose.
    assert len(maimed.store.load(SHORT)) < len(undisturbed)
    os.kill(maimed.workers()[0], signal.SIGKILL)
    status, printed = maimed.end()
    assert status == 0
    assert "a worker process died" in printed
    check_same_numbers(maimed.store.load(SHORT), undisturbed)

    wait_until(lambda: not orphaned.workers(), message="workers outlive their run")


def test_two_runs_at_once_record_what_either_would_alone(tmp_path, undisturbed):
    runs = [Run(tmp_path), Run(tmp_path)]
    for run in runs:
        status, _ = run.end()
        assert status == 0
    check_same_numbers(runs[0].store.load(SHORT), undisturbed)


def test_a_trial_that_kills_every_worker_stops_only_itself():
    mine = tiny({"Deadly": Deadly(), "MimlNn": METHODS["MimlNn"]}, n_splits=1)
    finished = run_trials(
        mine.trials(),
        {"mine": mine},
        CATALOGUE,
        jobs=2,
    )
    ended = []
    message = r"(?s)1 of 2 trials failed.*Deadly.*its worker process"
    with pytest.raises(TrialError, match=message):
        for trial, _ in finished:
            ended.append(trial.method)
    assert ended == ["MimlNn"]


OF_EVERY_KIND = {
    "table1": ["MimlSvm_mi", "MimlNn", "AdtBoost.MH", "RankSvm", "MlSvm", "Ml-knn"],
    "table3": ["InsDif", "InsDif_MimlSvm_mi", "Cnmf"],
    "figure4": ["D-MimlSvm"],
    "ablation": ["InsDif, average distance", "InsDif, neighbours"],
    "cccp": ["D-MimlSvm"],
    "table5": ["SubCod", "Diverse Density", "Em-dd", "mi-Svm", "Mi-Svm", "Ch-Fd"],
    "figure9": ["AdtBoost.MH"],
    "relatedness": ["D-MimlSvm"],
    "costs": ["MimlNn"],
    "explanations": ["NoisyOr"],
    "characteristics": ["after term selection"],
}


@pytest.mark.parametrize("name", OF_EVERY_KIND)
def test_all_that_runs_in_a_trial_of_any_method_is_covered(name):
    for method in OF_EVERY_KIND[name]:
        check_covered(name, method)


def test_output_that_nobody_reads_is_no_error():
    command = f"set -o pipefail; {sys.executable} -m mimlpaper data | true"
    done = subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1)
    assert done.stderr == ""


def test_an_entry_that_kills_its_process_ends_alone(tmp_path, monkeypatch):
    enter_project(tmp_path, monkeypatch)
    (problem,) = bench("stranger:Crash", [1], profile="smoke", jobs=2).problems
    death = "its process died; it crashed or used up the memory"
    assert problem == f"Table 1, stranger:Crash: {death}"


KILL = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
DRAW = """
import matplotlib.pyplot as plt
from mimlstudy.report.companion import Companion
Companion(profile="smoke").save_figure(plt.subplots()[0], "line", shows="Axes.")
"""


@pytest.fixture
def output(tmp_path, monkeypatch):
    """The folder of outputs of four notebooks, in which no figure can be written."""
    monkeypatch.setattr(folders, "project_root", lambda: tmp_path)
    notebooks = tmp_path / "notebooks"
    notebooks.mkdir()
    cells = {
        "bad": "1 / 0",
        "dead": KILL,
        "draws": DRAW,
        "good": "print(profile)",
    }
    for name, cell in cells.items():
        write_notebook(notebooks, name, cell, "2")
    output = tmp_path / "build" / "smoke"
    output.mkdir(parents=True)
    (output / "figures").write_text("a file in a folder's place")
    return output


def test_each_end_of_a_notebook_is_told_apart(output, capsys):
    """Three fail, the others run on, and what ended well is written."""
    assert main(["run", "--profile", "smoke"]) == 1
    printed = capsys.readouterr()
    table = printed.out[printed.out.index("notebook ") :]
    bad, dead, draws, good = table.splitlines()[1:5]
    assert bad.split()[:2] == ["bad", "error"]
    assert bad.endswith("mimlpaper run bad --profile smoke")
    assert dead.split()[:2] == ["dead", "died"]
    assert dead.endswith("mimlpaper run dead --profile smoke")
    assert draws.split()[:2] == ["draws", "error"]
    assert draws.endswith("mimlpaper run draws --profile smoke")
    assert good.split()[:2] == ["good", "done"]
    assert "ZeroDivisionError" in printed.err
    assert f"{output}/figures" in printed.err
    assert [path.name for path in output.glob("*.ipynb")] == ["good.ipynb"]
    assert "smoke" in (output / "good.ipynb").read_text()


# A run in a copy of the packages. When the first trial has ended, a module is edited that another
# method needs; the edit is taken back at the end, and the numbers of that method are printed.
EDITED = """
import json, sys
from pathlib import Path
from mimlpaper.algorithms import noisy_or
from mimlstudy.engine.records import Store, read_records
from mimlstudy.engine.workers import run_trials
from mimlstudy.paper.catalogue import CATALOGUE
from mimlstudy.paper.measures import COST_MEASURE, TESTED
from tests.made_up_study import METHODS, tiny
EDIT = b"\\nNoisyOr.decision_function = lambda self, X: 0 * X.instances[: len(X), :4]\\n"
if __name__ == "__main__":
    folder, measure = Path(sys.argv[1]), {"costs": COST_MEASURE, "tested": TESTED}[sys.argv[2]]
    # Of another data set, so that no batch has trials of both.
    late = tiny(
        {"NoisyOr": noisy_or.NoisyOr()},
        name="late",
        n_splits=2,
        datasets=("drawn:26x2x4",),
        measure=measure,
    )
    n_early = 30 if measure is TESTED else 1
    early = tiny({"Ml-knn": METHODS["Ml-knn"]}, name="early", n_splits=n_early, measure=measure)
    experiments = {"early": early, "late": late}
    trials = early.trials() + late.trials()
    file = Path(noisy_or.__file__)
    text = file.read_bytes()
    for name in ("edited", "honest"):
        store = Store(folder / name, CATALOGUE)
        for trial, rows in run_trials(trials, experiments, CATALOGUE, jobs=2):
            store.append(experiments[trial.experiment], rows)
            if name == "edited":
                file.write_bytes(text + EDIT)
        file.write_bytes(text)
        print(read_records(late, store=store)[["average_precision", "state"]].to_json())
"""


@pytest.mark.parametrize("measure", ["costs", "tested"])
def test_edited_code_that_is_put_back_leaves_no_wrong_number_current(tmp_path, measure):
    """Trials run the code that was there when they began; alone, or side by side."""
    root = folders.project_root()
    for name in ("mimlpaper", "mimlstudy", "tests", "data"):
        shutil.copytree(root / name, tmp_path / name)
    (tmp_path / "run.py").write_text(EDITED)
    printed = subprocess.check_output(
        [sys.executable, "run.py", "results", measure],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        text=True,
    )
    edited, honest = printed.splitlines()
    assert '"current"' in honest
    assert edited == honest


def test_a_file_named_as_a_module_of_python_hides_nothing(tmp_path):
    """Processes that the command starts would import it from the current folder."""
    (tmp_path / "queue.py").write_text("print('imported')\n")
    program = shutil.which("mimlpaper", path=os.path.dirname(sys.executable))
    data = tmp_path / "data"
    data.mkdir()
    line = [program, "compute", "table1", "--methods", "MimlNn", "--profile", "smoke"]
    done = subprocess.run(
        [*line, "--recompute", "--data", str(data)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "imported" not in done.stdout + done.stderr
