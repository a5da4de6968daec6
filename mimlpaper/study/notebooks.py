"""Execute the project's notebooks through papermill; evidence says how each run ended."""

import copy
import json
import os
import re
import tempfile
import time
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import nbformat
import papermill
from joblib import Parallel, delayed
from latex2mathml.converter import convert as latex_to_mathml
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from nbconvert import HTMLExporter
from papermill.exceptions import PapermillExecutionError
from traitlets.config import Config

from mimlpaper import paths
from mimlpaper.study.scorecard import LAST_RUNS, last_runs

FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", re.DOTALL)
SCRIPTS = ("html_head_js", "html_head_js_mathjax", "html_head_js_mermaidjs", "jupyter_widgets")
TEMPLATE = (
    "{% extends 'lab/index.html.j2' %}"
    + "".join(f"{{% block {name} %}}{{% endblock %}}" for name in SCRIPTS)
    # The alternative text of a picture: its own, or that of its cell, as MyST-NB has it.
    + """{% block data_png scoped %}
{%- set of_cell = cell.metadata.get("mystnb", {}).get("image", {}).get("alt") -%}
{%- set alt = (output | get_metadata("alt", "image/png")) or of_cell -%}
{%- set img = '<img alt="%s" ' % (alt | escape_html) if alt else "<img " -%}
{{ super() | replace("<img ", img, 1) }}
{% endblock %}"""
)

FAULTS = {DeadKernelError: "died", CellTimeoutError: "timeout", PapermillExecutionError: "error"}
TYPES = {"str": str, "int": int, "bool": bool, "float": float}


@dataclass(frozen=True)
class NotebookRun:
    """How one notebook's execution ended.

    ``status`` is "done" only if every code cell was executed without an error. Otherwise it is
    "error" (a cell raised), "timeout", "died" (its kernel), or "incomplete" (cells without an
    execution count).
    """

    name: str
    status: str
    seconds: float
    output: Path | None = None  # the executed notebook; None unless done
    message: str = ""  # what went wrong


def available_notebooks() -> dict[str, Path]:
    """The project's notebooks by name, in reading order, without links to files elsewhere."""
    folder = paths.notebooks().resolve()
    return {
        path.stem: path
        for path in sorted(folder.glob("*.ipynb"))
        if path.resolve().parent == folder
    }


def check_parameters(name: str, parameters: dict, *, untrusted: bool = False):
    """Check parameters against a notebook's own declarations: names and types."""
    declared = papermill.inspect_notebook(str(_find(name, untrusted)))
    for parameter, value in parameters.items():
        if parameter not in declared:
            raise ValueError(
                f"notebook {name} has no parameter {parameter!r}; it takes {list(declared)}"
            )
        expected = TYPES.get(declared[parameter]["inferred_type_name"])
        if expected and type(value) is not expected:
            raise ValueError(
                f"parameter {parameter} of notebook {name} must be {expected.__name__}, "
                f"got {value!r}"
            )


def run_notebooks(
    names=None, parameters: dict | None = None, *, folder: Path | None = None,
    cell_timeout: int | None = None, untrusted: bool = False, at_once: int = 1,
    publish: bool = False,
) -> list[NotebookRun]:  # fmt: skip
    """Execute notebooks, each in its own process; the good ones become .ipynb and .html files.

    ``names`` are names or paths of :func:`available_notebooks`, None for all; ``untrusted`` allows
    paths of other notebooks, which run whatever code they hold with the user's rights. All
    ``parameters`` are checked before anything starts. Executed notebooks go to ``folder``, None
    for ``build/<profile>``. A cell hangs if it takes more than ``cell_timeout`` seconds, None for
    never. ``at_once`` notebooks run side by side, -1 for one a core; run one at a time if trials
    are to run, since these take all cores. Tables and figures go to ``figures`` beside the
    notebooks, or with ``publish`` to the folder that the repository keeps.
    """
    parameters = parameters or {}
    found = {name: _find(name, untrusted) for name in names or available_notebooks()}
    for name in found:
        check_parameters(name, parameters, untrusted=untrusted)
    folder = folder or paths.build(parameters.get("profile", "paper"))
    folder.mkdir(parents=True, exist_ok=True)
    runs = []
    # The scorecard, 0_…, is read first but made last, of what the others record.
    ordered = sorted(found.values(), key=lambda path: (path.stem.startswith("0_"), path.stem))
    for _, together in groupby(ordered, key=lambda path: path.stem.startswith("0_")):
        runs += Parallel(at_once, backend="threading")(
            delayed(_run)(path, parameters, folder, cell_timeout, publish) for path in together
        )
    statuses = last_runs(folder=folder) | {run.name: run.status for run in runs}
    paths.write_whole(folder / LAST_RUNS, json.dumps(statuses, indent=1, sort_keys=True))
    return runs


def _find(name, untrusted=False):
    notebooks = available_notebooks()
    if name in notebooks:
        return notebooks[name]
    path = Path(name).resolve()
    if path in notebooks.values():
        return path
    if not path.is_file():
        raise ValueError(f"notebook must be one of {list(notebooks)}, got {name!r}")
    if not untrusted:
        raise ValueError(
            f"notebook {name} is not one of this project's, {list(notebooks)}; a notebook runs "
            "whatever code it holds: if you know what that does, use --untrusted"
        )
    return path


def _run(path, parameters, folder, cell_timeout, publish):
    name, start = path.stem, time.perf_counter()
    unfinished = folder / f".{name}.part.ipynb"
    try:
        _execute(path, unfinished, parameters, cell_timeout, publish)
    except tuple(FAULTS) as error:
        status = next(word for kind, word in FAULTS.items() if isinstance(error, kind))
        return NotebookRun(name, status, _since(start), message=str(error))
    executed = nbformat.read(unfinished, as_version=4)
    untouched = [
        cell for cell in executed.cells
        if cell.cell_type == "code" and cell.source.strip() and cell.execution_count is None
    ]  # fmt: skip
    if untouched:
        message = f"{len(untouched)} code cells were not executed"
        return NotebookRun(name, "incomplete", _since(start), message=message)
    _write_html(executed, folder / f"{name}.html")
    output = folder / f"{name}.ipynb"
    os.replace(unfinished, output)
    return NotebookRun(name, "done", _since(start), output)


def _execute(path, output, parameters, cell_timeout, publish):
    """Sockets in a folder of their own: kernels that start together cannot race for a port.

    A kernel is interrupted before it is shut down. Some report that as an error, which is none.
    """
    # In the kernel alone, and without a name that a cell could take for its own import.
    purpose = "publish" if publish else "look"
    line = f"__import__('os').environ[{paths.RUN!r}] = {purpose!r}"
    with tempfile.TemporaryDirectory(prefix="kernel-") as sockets:
        papermill.execute_notebook(
            str(path), str(output), parameters, kernel_name="python3", language="python",
            cwd=str(path.parent), progress_bar=False, execution_timeout=cell_timeout,
            extra_arguments=["--log-level=CRITICAL", f"--IPKernelApp.exec_lines={line}"],
            config=Config({"KernelManager": {"transport": "ipc", "ip": f"{sockets}/kernel"}}),
        )  # fmt: skip


def _write_html(notebook, path):
    """A page that asks no other host: formulas are MathML, which browsers draw themselves.

    Left out are cells and code that their tags, those of MyST-NB, remove or hide, and what went to
    standard error, such as progress bars; the executed notebook has them.
    """
    page = copy.deepcopy(notebook)
    for cell in page.cells:
        if cell.cell_type == "code":
            cell.outputs = [one for one in cell.outputs if one.get("name") != "stderr"]
        if cell.cell_type == "markdown":
            cell.source = FORMULA.sub(_mathml, cell.source)
    left_out = {
        "remove_cell_tags": ["remove-cell", "hide-cell", "injected-parameters"],
        "remove_input_tags": ["remove-input"],
    }
    exporter = HTMLExporter(
        config=Config({"TagRemovePreprocessor": left_out | {"enabled": True}}),
        exclude_input_prompt=True,
        exclude_output_prompt=True,
        raw_template=TEMPLATE,
    )
    body, _ = exporter.from_notebook_node(page)
    paths.write_whole(path, body)


def _mathml(match):
    display, inline = match.groups()
    return latex_to_mathml(display or inline, display="block" if display else "inline")


def _since(start):
    return time.perf_counter() - start
