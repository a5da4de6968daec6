"""Working copies of the notebooks for JupyterLab."""

import json
import os

import pytest

from mimlstudy import folders
from mimlstudy.report import lab
from tests.made_up_notebooks import write_notebook


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with one notebook."""
    monkeypatch.setattr(folders, "project_root", lambda: tmp_path)
    (tmp_path / "notebooks").mkdir()
    write_notebook(tmp_path / "notebooks", "3_good", "pass")
    return tmp_path


def test_notebooks_are_copied_and_the_start_notebook_links_to_them(project):
    original = project / "notebooks" / "3_good.ipynb"
    with_title = json.loads(original.read_text())
    title = {
        "cell_type": "markdown",
        "id": "title",
        "metadata": {},
        "source": "# A good one",
    }
    with_title["cells"].insert(0, title)
    original.write_text(json.dumps(with_title))
    folder = lab.copy_notebooks()
    assert (folder / "3_good.ipynb").read_bytes() == original.read_bytes()
    assert "[A good one](3_good.ipynb)" in (folder / lab.START).read_text()


def test_without_notebooks_there_is_nothing_to_open(project):
    (project / "notebooks" / "3_good.ipynb").unlink()
    with pytest.raises(ValueError, match="an installed package has none"):
        lab.copy_notebooks()
    assert not (project / "build").exists()


def test_a_copy_that_a_reader_saved_stays_while_its_original_is_the_same(project):
    copy = lab.copy_notebooks() / "3_good.ipynb"
    copy.write_text("a reader's work")
    os.utime(copy, (0, 0))
    lab.copy_notebooks()
    assert copy.read_text() == "a reader's work"


def test_a_changed_original_is_copied_again_and_the_older_copy_set_aside(project):
    """Also if JupyterLab has saved the copy later than the original was changed."""
    copy = lab.copy_notebooks() / "3_good.ipynb"
    copy.write_text("a reader's work")
    original = project / "notebooks" / "3_good.ipynb"
    write_notebook(project / "notebooks", "3_good", "x = 2")
    os.utime(original, (0, 0))
    lab.copy_notebooks()
    assert copy.read_bytes() == original.read_bytes()
    (aside,) = copy.parent.glob("3_good-until-*.ipynb")
    assert aside.read_text() == "a reader's work"


def test_jupyterlab_starts_in_the_project_with_the_start_notebook(project, monkeypatch):
    commands = []
    monkeypatch.setattr(
        os,
        "execv",
        lambda program, command: commands.append(command),
    )
    monkeypatch.setattr(os, "environ", dict(os.environ))
    lab.main(["--no-browser"])
    (command,) = commands
    assert f"--ServerApp.root_dir={project}" in command
    assert "--LabApp.default_url=/lab/tree/build/lab/start.ipynb" in command
    assert command[-1] == "--no-browser"
