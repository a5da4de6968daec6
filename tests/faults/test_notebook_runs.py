"""Notebooks whose kernel is killed, that hang, fail, or cannot write their figures."""

import signal
import subprocess
import sys
import textwrap

import pytest

from mimlpaper import paths
from mimlpaper.cli import main
from tests.made_up_notebooks import write_notebook

FIGURE = """
import sys
from pathlib import Path
import matplotlib.pyplot as plt
from mimlpaper import paths
from mimlpaper.study.companion import Companion
paths.figures = lambda: Path({folder!r})
figure, ax = plt.subplots()
ax.plot([0, {height}])
Companion(profile="paper").save_figure(figure, "line")
"""
AGAIN = "the command that the end table names"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder in the project's place; its notebooks are those that a test writes."""
    (tmp_path / "notebooks").mkdir()
    monkeypatch.setattr(paths, "project_root", lambda: tmp_path)
    return tmp_path


def run(capsys, *options):
    """Exit status of ``mimlpaper run``, the end table by notebook, and the errors told."""
    status = main(["run", "--profile", "smoke", *options])
    printed = capsys.readouterr()
    lines = [line.split() for line in printed.out.splitlines() if "mimlpaper run" in line
             or "no trials" in line]  # fmt: skip
    rows = {name: " ".join(row) for name, _, *row in lines}  # without the number of artefacts
    return status, rows, printed.err


def test_each_end_is_told_apart(project, capsys, tell):
    """Four notebooks, four ends: the others run on, and what ended well is written."""
    write_notebook(project / "notebooks", "bad", "1 / 0")
    died = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"
    write_notebook(project / "notebooks", "dead", died, "2")
    write_notebook(project / "notebooks", "good", "print(profile)")
    write_notebook(project / "notebooks", "slow", "import time\ntime.sleep(3600)")
    status, table, errors = run(capsys, "--timeout", "20")
    assert status == 1
    assert {name: row.split()[0] for name, row in table.items()} == {
        "bad": "error", "dead": "died", "good": "no", "slow": "timeout"
    }  # fmt: skip
    for name in ("bad", "dead", "slow"):
        assert f"mimlpaper run {name}" in table[name]
        assert not (project / "build" / "smoke" / f"{name}.ipynb").exists()
    assert "mimlpaper run" not in table["good"]
    assert "ZeroDivisionError" in errors and "timed out" in errors
    assert "smoke" in (project / "build" / "smoke" / "good.ipynb").read_text()
    tell("kill -9 of a notebook's kernel", "told as died; the others run on; exit 1", 0, AGAIN)
    tell("a cell over its time limit", "told as timeout; the others run on; exit 1", 0,
         f"{AGAIN}, with another --timeout")  # fmt: skip
    tell("a cell that raises", "told as error, with its traceback; exit 1", 0, AGAIN)


def test_a_figures_folder_that_cannot_be_written(project, capsys, tell):
    (project / "figures").write_text("a file in the folder's place")
    drawing = FIGURE.format(folder=str(project / "figures"), height=1)
    write_notebook(project / "notebooks", "draws", drawing)
    status, table, errors = run(capsys)
    assert status == 1
    assert table["draws"].startswith("error")
    assert str(project / "figures") in errors
    (project / "figures").unlink()
    assert run(capsys)[0] == 0
    assert (project / "figures" / "line.png").read_bytes().startswith(b"\x89PNG")
    tell("a figures folder that cannot be written", "an error that names it; exit 1", 0, AGAIN)


def test_a_half_written_figure(tmp_path, monkeypatch, tell):
    """kill -9 between the writing of a figure and its renaming: the old one is still whole."""
    monkeypatch.setenv(paths.PUBLISH, "1")
    folder = tmp_path / "figures"
    code = FIGURE.format(folder=str(folder), height=1)
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
    whole = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert set(whole) == {"line.png", "line.svg"}
    deadly = """
    import os, signal
    os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    """
    other = FIGURE.format(folder=str(folder), height=2)
    killed = subprocess.run([sys.executable, "-c", textwrap.dedent(deadly) + other], cwd=tmp_path)
    assert killed.returncode == -signal.SIGKILL
    assert {name: (folder / name).read_bytes() for name in whole} == whole
    subprocess.run([sys.executable, "-c", other], check=True, cwd=tmp_path)
    assert (folder / "line.png").read_bytes() != whole["line.png"]
    tell("a half-written figure", "the figure before it stays, whole", 0, "the same command")
