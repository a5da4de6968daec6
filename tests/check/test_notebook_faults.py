"""Notebooks whose kernel is killed, that fail, or cannot write their figures."""

import signal
import subprocess
import sys

import pytest

from mimlpaper import paths
from mimlpaper.cli import main
from tests.made_up_notebooks import write_notebook

FIGURE = """
import os, signal
from pathlib import Path
import matplotlib.pyplot as plt
from mimlpaper import paths
from mimlpaper.study.companion import Companion
paths.build = lambda profile: Path({folder!r})
figure, ax = plt.subplots()
ax.plot([0, {height}])
companion = Companion(profile="smoke")
{fault}
companion.save_figure(figure, "line")
"""
DEADLY = "os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)"


def drawing(folder, height=1, fault=""):
    return FIGURE.format(folder=str(folder), height=height, fault=fault)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder in the project's place; its notebooks are those that a test writes."""
    (tmp_path / "notebooks").mkdir()
    monkeypatch.setattr(paths, "project_root", lambda: tmp_path)
    return tmp_path


def run(capsys, *options):
    """Exit status of ``mimlpaper run``, the end table by notebook, and the printed errors."""
    status = main(["run", "--profile", "smoke", *options])
    printed = capsys.readouterr()
    table = printed.out[printed.out.index("notebook ") :].splitlines()[1:]
    return status, {line.split()[0]: line for line in table}, printed.err


def test_each_end_is_told_apart(project, capsys):
    """Four notebooks, three ends: the others run on, and what ended well is written."""
    (project / "taken").write_text("a file in a folder's place")
    cells = {
        "bad": "1 / 0", "dead": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
        "draws": drawing(project / "taken"), "good": "print(profile)",
    }  # fmt: skip
    for name, cell in cells.items():
        write_notebook(project / "notebooks", name, cell, "2")
    status, table, errors = run(capsys)
    assert status == 1 and table.keys() == cells.keys()
    ends = {name: row.split()[1] for name, row in table.items()}
    failed = {"bad": "error", "dead": "died", "draws": "error"}
    assert ends == failed | {"good": "done"}
    for name in failed:
        assert table[name].rstrip().endswith(f"mimlpaper run {name}")
        assert not (project / "build" / "smoke" / f"{name}.ipynb").exists()
    assert all(text in errors for text in ("ZeroDivisionError", f"{project}/taken"))
    assert "smoke" in (project / "build" / "smoke" / "good.ipynb").read_text()


def test_a_half_written_figure(tmp_path):
    """kill -9 between the writing of a figure and its renaming: the old one is still whole."""

    def draw(*options):
        return subprocess.run([sys.executable, "-c", drawing(tmp_path, *options)]).returncode

    def files():
        return {path.name: path.read_bytes() for path in (tmp_path / "figures").glob("[!.]*")}

    assert draw() == 0
    whole = files()
    assert whole.keys() == {"line.png", "line.svg"}
    assert draw(2, DEADLY) == -signal.SIGKILL and files() == whole
    assert draw(2) == 0 and files()["line.png"] != whole["line.png"]
