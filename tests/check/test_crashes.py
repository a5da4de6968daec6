"""Notebooks and methods of a user that take their process with them, or cannot write a figure."""

from mimlpaper import paths
from mimlpaper.cli import main
from mimlpaper.study.bench import bench
from tests.made_up_notebooks import write_notebook
from tests.unit.test_bench import here  # noqa: F401

KILL = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
DRAW = """
from pathlib import Path
import matplotlib.pyplot as plt
from mimlpaper import paths
from mimlpaper.study.companion import Companion
paths.build = lambda profile: Path({!r})
Companion(profile="smoke").save_figure(plt.subplots()[0], "line")
"""


def test_only_the_entry_ends(here):  # noqa: F811
    done = bench("stranger:Crash", [1], profile="smoke", jobs=2)
    assert done.problems == [
        "Table 1, stranger:Crash: its process died; it crashed or used up the memory"
    ]


def test_each_end_is_told_apart(tmp_path, monkeypatch, capsys):
    """Four notebooks, three ends: the others run on, and what ended well is written."""
    monkeypatch.setattr(paths, "project_root", lambda: tmp_path)
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "taken").write_text("a file in a folder's place")
    draw = DRAW.format(str(tmp_path / "taken"))
    cells = {"bad": "1 / 0", "dead": KILL, "draws": draw, "good": "print(profile)"}
    for name, cell in cells.items():
        write_notebook(tmp_path / "notebooks", name, cell, "2")
    assert main(["run", "--profile", "smoke"]) == 1
    printed = capsys.readouterr()
    rows = printed.out[printed.out.index("notebook ") :].splitlines()[1:]
    ends = {name: end for name, end, *_ in map(str.split, rows)}
    assert ends == {"bad": "error", "dead": "died", "draws": "error", "good": "done"}
    output = tmp_path / "build" / "smoke"
    for row in rows[:3]:
        name = row.split()[0]
        assert row.endswith(f"mimlpaper run {name}") and not (output / f"{name}.ipynb").exists()
    assert "ZeroDivisionError" in printed.err and f"{tmp_path}/taken" in printed.err
    assert "smoke" in (output / "good.ipynb").read_text()
