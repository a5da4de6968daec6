"""Notebook runs: parameters checked first, whole outputs or none, status by evidence."""

import ast
import os
import re

import nbformat
import pytest
from nbclient.exceptions import DeadKernelError

from mimlpaper import paths
from mimlpaper.study import notebooks
from mimlpaper.study.companion import TYPES
from mimlpaper.study.notebooks import NotebookRun, last_runs, run_notebooks
from tests.made_up_notebooks import edited, write_notebook


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of notebooks in the project's place."""
    monkeypatch.setattr(paths, "project_root", lambda: tmp_path)
    (tmp_path / "notebooks").mkdir()
    return tmp_path / "notebooks"


def test_what_ends_well_is_written_whole_and_what_fails_leaves_the_older_output(folder):
    """Side by side, and the scorecard last. Pictures have their own text, or that of their cell."""
    picture = "from IPython.display import Image; Image(b'\\x89PNG\\r\\n\\x1a\\n' + bytes(16)"
    said = f"profile, jobs, recompute, __import__('os').environ['{paths.RUN}'], 'os' in dir()"
    named = f"{picture}, metadata={{'alt': 'a < b'}})"
    write_notebook(folder, "3_good", f"print({said})", named, f"{picture})")
    with edited(folder / "3_good.ipynb") as notebook:
        notebook.cells[3].metadata["mystnb"] = {"image": {"alt": "of the cell"}}
    write_notebook(folder, "0_last", "import os; assert os.path.exists('../build/smoke')")
    write_notebook(folder, "4_bad", "x = 1", "1 / 0", "x = 2")
    (out := folder.parent / "build" / "smoke").mkdir(parents=True)
    (out / "4_bad.ipynb").write_text("older")

    runs = run_notebooks(None, {"profile": "smoke", "recompute": True}, at_once=2, publish=True)
    assert {run.name: run.status for run in runs} == last_runs("smoke")
    assert last_runs("smoke") == {"0_last": "done", "3_good": "done", "4_bad": "error"}
    good, bad, last = runs
    assert "smoke -1 True publish False" in good.output.read_text() and last.name == "0_last"
    page = (out / "3_good.html").read_text()
    assert re.findall('<img alt="(.*?)"', page) == ["a &lt; b", "of the cell"]
    assert "ZeroDivisionError" in bad.message and bad.output is None
    assert (out / "4_bad.ipynb").read_text() == "older" and not (out / "4_bad.html").exists()
    assert paths.RUN not in os.environ


def test_each_last_run_is_remembered_by_its_end(folder, monkeypatch):
    """Cells without a count, a kernel that died: by evidence, in this order."""
    names, started = ["0_card", "10_many", "3_good"], []
    for name in names:
        write_notebook(folder, name, "pass")

    def execute(path, unfinished, parameters, publish):
        started.append(path.stem)
        if fault is None:
            nbformat.write(nbformat.read(path, as_version=4), unfinished)
        else:
            raise fault("no answer")

    monkeypatch.setattr(notebooks, "_execute", execute)
    for fault, status in {None: "incomplete", DeadKernelError: "died"}.items():  # noqa: B007, execute reads it
        assert {run.status for run in run_notebooks(["3_good"])} == {status}
        assert last_runs() == {"3_good": status} and last_runs("smoke") == {}
    started.clear()
    run_notebooks(map(str, sorted(folder.glob("*.ipynb"))))
    assert started == ["10_many", "3_good", "0_card"]  # the scorecard is made of what others record


def test_only_the_projects_notebooks_run(folder, tmp_path, monkeypatch):
    """Not a stranger's, which runs whatever code it holds, by its path or by a link."""
    monkeypatch.setattr(notebooks, "_run", lambda *args: pytest.fail("started"))
    write_notebook(folder, "book", "pass")
    write_notebook(tmp_path, "novel", "pass")
    (folder / "linked.ipynb").symlink_to(tmp_path / "novel.ipynb")
    for name in ("novel", "linked", str(tmp_path / "novel.ipynb"), str(folder / "linked.ipynb")):
        with pytest.raises(ValueError, match=rf"must be one of \['book'\], got '{name}'"):
            run_notebooks([name])
    monkeypatch.chdir(tmp_path)
    done = NotebookRun("book", "done", 0.0)
    monkeypatch.setattr(notebooks, "_run", lambda *args: done)
    assert run_notebooks(["notebooks/book.ipynb", "book"]) == [done]


def test_own_questions_are_checked_first_and_answered_elsewhere(folder, monkeypatch):
    """The list that a text holds goes to the notebook; other runs are remembered, these are not."""
    monkeypatch.setattr(notebooks, "_run", lambda *args: NotebookRun("3_good", str(args[1:3]), 0.0))
    write_notebook(folder, "3_good", "pass")
    (run,) = run_notebooks(["3_good"], {"recompute": "true"})
    assert "{'recompute': True}" in run.status and "build/paper" in run.status
    with edited(folder / "3_good.ipynb") as notebook:
        notebook.cells[0].source += "\nk: list[int] = []"
    (run,) = run_notebooks(["3_good"], {"k": "[1, 2]"})
    assert "{'k': [1, 2]}" in run.status and "build/explored" in run.status
    assert "'k'" not in str(last_runs())
    with pytest.raises(ValueError, match=r"3_good must be among \[.*'k'\], got \['K'\]"):
        run_notebooks(["3_good"], {"K": 1})
    with pytest.raises(TypeError, match=r"parameter k must be list\[int\], got 'few'"):
        run_notebooks(["3_good"], {"k": "few"})


def test_all_notebooks_of_the_project_ask_something_and_run_by_the_same_parameters():
    """Types, defaults and words are there; a default that asks nothing is empty or 0."""
    how = {"profile": "paper", "jobs": -1, "data_home": "", "recompute": False}
    for path in notebooks.available_notebooks().values():
        declared = notebooks.parameters_of(path)
        defaults = {n: ast.literal_eval(one["default"]) for n, one in declared.items()}
        assert {name: defaults.pop(name) for name in how} == how
        assert defaults and not any(defaults.values()), path
        assert all(one["inferred_type_name"] in TYPES and one["help"] for one in declared.values())
