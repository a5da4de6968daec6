"""Small notebooks, written to be run."""

from contextlib import contextmanager

import nbformat

from mimlstudy import folders

PARAMETERS = """
profile: str = "paper"  # which trials
jobs: int = -1
data_home: str = ""
recompute: bool = False
"""


def enter_notebooks(folder, monkeypatch):
    """Make a folder the project and the current one; its empty folder of notebooks."""
    monkeypatch.setattr(folders, "project_root", lambda: folder)
    monkeypatch.chdir(folder)
    notebooks = folder / "notebooks"
    notebooks.mkdir()
    return notebooks


def write_notebook(folder, name, *cells):
    """A notebook with a cell of parameters and these cells of code."""
    nodes = [nbformat.v4.new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]})]
    nodes += [nbformat.v4.new_code_cell(cell) for cell in cells]
    kernel = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    notebook = nbformat.v4.new_notebook(cells=nodes, metadata={"kernelspec": kernel})
    nbformat.write(notebook, folder / f"{name}.ipynb")


@contextmanager
def edited(path):
    """A notebook to change, written when the block ends."""
    notebook = nbformat.read(path, as_version=4)
    yield notebook
    nbformat.write(notebook, path)
