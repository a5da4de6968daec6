"""Notebook runs: parameters checked first, whole outputs or none, status by evidence."""

import os
import re

import nbformat
import pytest

from mimlpaper import paths
from mimlpaper.cli import main
from mimlpaper.study import notebooks
from mimlpaper.study.notebooks import check_parameters, last_runs, run_notebooks
from tests.made_up_notebooks import write_notebook


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of notebooks that takes the project's place."""
    source = tmp_path / "notebooks"
    source.mkdir()
    monkeypatch.setattr(paths, "notebooks", lambda: source)
    return source


def outcome(folder, name, **options):
    (run,) = run_notebooks([name], folder=folder.parent / "out", **options)
    return run


def test_a_notebook_that_ends_well_is_written_whole(folder):
    write_notebook(folder, "good", "print(profile, jobs, recompute)")
    run = outcome(folder, "good", parameters={"profile": "smoke", "recompute": True})
    assert (run.status, run.message) == ("done", "")
    assert "smoke -1 True" in run.output.read_text()
    assert "smoke -1 True" in run.output.with_suffix(".html").read_text()
    assert sorted(path.name for path in run.output.parent.iterdir()) == [
        "good.html", "good.ipynb", "runs.json",
    ]  # fmt: skip


def test_only_the_kernel_is_told_to_publish(folder, monkeypatch):
    monkeypatch.delenv(paths.PUBLISH, raising=False)
    told = f"__import__('os').environ.get('{paths.PUBLISH}')"
    write_notebook(folder, "told", f"print('published', {told}, 'os' in dir())")
    assert "published 1 False" in outcome(folder, "told").output.read_text()
    assert paths.PUBLISH not in os.environ


def test_pictures_have_their_texts(folder):
    """The text of a picture, otherwise that of its cell."""
    picture = "from IPython.display import Image; Image(b'\\x89PNG\\r\\n\\x1a\\n' + bytes(16)"
    own = f"{picture}, metadata={{'alt': 'a < b'}})"
    write_notebook(folder, "pictures", own, f"{picture})")
    path = folder / "pictures.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[2].metadata["mystnb"] = {"image": {"alt": "of the cell"}}
    nbformat.write(notebook, path)
    page = outcome(folder, "pictures").output.with_suffix(".html").read_text()
    assert re.findall('<img alt="(.*?)"', page) == ["a &lt; b", "of the cell"]


@pytest.mark.parametrize(
    ("cell", "status", "message"),
    [
        ("1 / 0", "error", "ZeroDivisionError"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "died", "died"),
        ("import time\ntime.sleep(60)", "timeout", "timed out"),
    ],
)
def test_what_went_wrong_is_told_apart(folder, cell, status, message):
    write_notebook(folder, "bad", "x = 1", cell, "x = 2")
    run = outcome(folder, "bad", cell_timeout=5)
    assert run.status == status
    assert message in run.message
    assert run.output is None
    assert not (folder.parent / "out" / "bad.ipynb").exists()


def test_an_older_output_outlives_a_run_that_fails(folder):
    write_notebook(folder, "book", "print('first')")
    output = outcome(folder, "book").output
    write_notebook(folder, "book", "raise RuntimeError")
    assert outcome(folder, "book").status == "error"
    assert "first" in output.read_text()


def test_how_each_last_run_ended_is_remembered(folder):
    write_notebook(folder, "book", "pass")
    write_notebook(folder, "novel", "1 / 0")
    outcome(folder, "novel")
    outcome(folder, "book")
    assert last_runs(folder=folder.parent / "out") == {"book": "done", "novel": "error"}
    write_notebook(folder, "novel", "pass")
    outcome(folder, "novel")
    assert last_runs(folder=folder.parent / "out") == {"book": "done", "novel": "done"}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"profil": "smoke"}, r"no parameter 'profil'; it takes \['profile', 'jobs', 'data_home'"),
        ({"jobs": "2"}, "jobs of notebook book must be int, got '2'"),
        ({"recompute": 1}, "recompute of notebook book must be bool, got 1"),
    ],
)
def test_wrong_parameters_stop_the_run_before_it_starts(folder, monkeypatch, parameters, message):
    write_notebook(folder, "book", "pass")
    monkeypatch.setattr(notebooks, "_run", lambda *args: pytest.fail("started"))
    with pytest.raises(ValueError, match=message):
        run_notebooks(["book"], parameters)


def test_unknown_notebook(folder):
    write_notebook(folder, "book")
    with pytest.raises(ValueError, match=r"one of \['book'\], got 'novel'"):
        run_notebooks(["novel"])


def test_a_notebook_of_the_project_by_its_path(folder, monkeypatch):
    write_notebook(folder, "book", "pass")
    monkeypatch.chdir(folder.parent)
    assert notebooks._find("notebooks/book.ipynb") == folder / "book.ipynb"


def test_the_scorecard_comes_last_by_its_path_too(folder, monkeypatch):
    started = []

    def run(path, *_):
        started.append(path.stem)
        return notebooks.NotebookRun(path.stem, "done", 0.0)

    monkeypatch.setattr(notebooks, "_run", run)
    for name in ("0_last", "10_many", "3_good"):
        write_notebook(folder, name, "pass")
    run_notebooks(map(str, sorted(folder.glob("*.ipynb"))), folder=folder.parent / "out")
    assert started == ["3_good", "10_many", "0_last"]


def test_notebooks_side_by_side_end_as_one_after_another(folder, tmp_path):
    """The scorecard still comes last; a notebook that fails does not stop the others."""
    wait = "import time, pathlib; time.sleep(1); "
    write_notebook(folder, "3_good", wait + "pathlib.Path('3').touch()")
    write_notebook(folder, "4_bad", "1 / 0")
    write_notebook(folder, "0_last", "import pathlib; assert pathlib.Path('3').exists()")
    runs = run_notebooks(folder=tmp_path / "out", at_once=2)
    assert {run.name: run.status for run in runs} == {
        "3_good": "done", "4_bad": "error", "0_last": "done"
    }  # fmt: skip


def test_notebooks_of_strangers_need_a_word(folder, tmp_path):
    """A path, or a link among the project's notebooks, is refused before anything runs."""
    write_notebook(folder, "book", "pass")
    (tmp_path / "elsewhere").mkdir()
    write_notebook(tmp_path / "elsewhere", "novel", "open('ran', 'w')")
    stranger = tmp_path / "elsewhere" / "novel.ipynb"
    (folder / "linked.ipynb").symlink_to(stranger)
    for name in (str(stranger), str(folder / "linked.ipynb")):
        with pytest.raises(ValueError, match=r"not one of this project's, \['book'\].*--untrusted"):
            run_notebooks([name], folder=tmp_path / "out")
    with pytest.raises(ValueError, match=r"must be one of \['book'\], got 'linked'"):
        run_notebooks(["linked"])
    assert main(["run", str(stranger)]) == 2
    assert not (tmp_path / "elsewhere" / "ran").exists()
    run = outcome(folder, str(stranger), untrusted=True)
    assert (run.name, run.status) == ("novel", "done")
    assert (tmp_path / "elsewhere" / "ran").exists()


@pytest.mark.parametrize("name", notebooks.available_notebooks())
def test_all_notebooks_of_the_project_take_the_same_parameters(name):
    parameters = {"profile": "smoke", "jobs": 1, "data_home": "", "recompute": False}
    check_parameters(name, parameters)
    with pytest.raises(ValueError, match="no parameter 'seed'"):
        check_parameters(name, {"seed": 1})
