"""The notebooks in JupyterLab, as working copies: what is tracked never changes by opening it.

``python -m mimlstudy.report.lab`` starts JupyterLab in the project's folder. Further arguments go
to JupyterLab.
"""

import hashlib
import json
import os
import shutil
import sys
import time
from pathlib import Path

import nbformat

from mimlpaper import paths
from mimlstudy import folders
from mimlstudy.report.notebook_page import title_of
from mimlstudy.report.notebooks import available_notebooks
from mimlstudy.report.parameters import CALLER

START = "start.ipynb"
ORIGINALS = "originals.json"  # hashes of the notebooks that were copied
GREETING = """# Start here

Each notebook below is a section of the paper, or a use of its algorithms. Choose one, then
**Run → Run All Cells**. Values in the cell of parameters may be changed: what is empty or 0 is as
the paper has it. These are working copies in `{folder}`; the originals in `notebooks/` stay.
"""


def main(arguments=None) -> None:
    """Copy the notebooks, and become JupyterLab with the start notebook open."""
    folder = copy_notebooks()
    root = folders.project_root()
    start = (folder / START).relative_to(root).as_posix()
    os.environ[CALLER] = str(root)
    command = [sys.executable, "-m", "jupyterlab"]
    options = {
        "ServerApp.root_dir": str(root),
        "LabApp.default_url": f"/lab/tree/{start}",
        # The originals are not opened by mistake.
        "ContentsManager.hide_globs": "['notebooks', '__pycache__', '*.pyc']",
    }
    command += [f"--{name}={value}" for name, value in options.items()]
    os.execv(
        sys.executable,
        command + list(sys.argv[1:] if arguments is None else arguments),
    )


def copy_notebooks() -> Path:
    """Copy the notebooks to ``build/lab``, and write the start notebook there.

    A copy stays as its reader left it while its original is the same. If the original has changed,
    the copy is set aside under a name with today's date, since it may hold somebody's work.
    """
    notebooks = available_notebooks()
    folder = folders.build("lab")
    folder.mkdir(parents=True, exist_ok=True)
    # Times of files do not tell: JupyterLab saves a copy that is only looked at.
    known = folder / ORIGINALS
    hashes_then = folders.read_json(known) or {}
    hashes = {}
    for name, original in notebooks.items():
        copy = folder / original.name
        hashes[name] = hashlib.sha256(original.read_bytes()).hexdigest()
        if copy.is_file() and hashes_then.get(name) != hashes[name]:
            copy.rename(folder / f"{name}-until-{time.strftime('%Y-%m-%d-%H%M%S')}.ipynb")
        if not copy.is_file():
            shutil.copyfile(original, copy)
    paths.write_whole(known, json.dumps(hashes, indent=1))
    _write_start(folder, notebooks)
    return folder


def _write_start(folder, notebooks):
    """Write the notebook that opens first: a list of the others."""
    relative = folder.relative_to(folders.project_root()).as_posix()
    lines = []
    for path in notebooks.values():
        title = title_of(nbformat.read(path, as_version=4))
        lines.append(f"- [{title}]({path.name})")
    text = GREETING.format(folder=relative) + "\n" + "\n".join(lines) + "\n"
    # With a fixed id, so that the same list is the same file.
    cell = nbformat.v4.new_markdown_cell(text, id="start")
    kernel = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    notebook = nbformat.v4.new_notebook(cells=[cell], metadata={"kernelspec": kernel})
    paths.write_whole(folder / START, nbformat.writes(notebook))


if __name__ == "__main__":
    main()
