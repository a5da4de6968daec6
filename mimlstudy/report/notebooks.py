"""Execute the project's notebooks through papermill; evidence says how each run ended."""

import json
import os
import re
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import papermill
from joblib import Parallel, delayed
from latex2mathml.converter import convert as latex_to_mathml
from nbclient.exceptions import DeadKernelError
from nbconvert import HTMLExporter
from papermill.exceptions import PapermillExecutionError
from traitlets.config import Config

from mimlpaper import paths
from mimlstudy import folders
from mimlstudy.report.parameters import HOW_TO_RUN, TYPES, checked
from mimlstudy.report.status import LAST_RUNS, last_runs

FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+)\$", re.DOTALL)
HEADING = re.compile(r'<h\d id="[^"]*|class="anchor-link" href="[^"]*')  # links are in lower case
SCRIPTS = ("html_head_js", "html_head_js_mathjax", "html_head_js_mermaidjs", "jupyter_widgets")
# Without what cells wrote to standard error, as progress bars.
NO_ERRORS = """{% block output scoped %}
{%- if output.name != "stderr" %}{{ super() }}{% endif -%}
{% endblock %}"""
TEMPLATE = (
    "{% extends 'lab/index.html.j2' %}"
    + NO_ERRORS
    + "".join(f"{{% block {name} %}}{{% endblock %}}" for name in SCRIPTS)
    # The alternative text of a picture: its own, or that of its cell, as MyST-NB has it.
    + """{% block data_png scoped %}
{%- set of_cell = cell.metadata.get("mystnb", {}).get("image", {}).get("alt") -%}
{%- set alt = (output | get_metadata("alt", "image/png")) or of_cell -%}
{%- set img = '<img alt="%s" ' % (alt | escape_html) if alt else "<img " -%}
{{ super() | replace("<img ", img, 1) }}
{% endblock %}"""
)
LEFT_OUT = {  # tags of MyST-NB
    "enabled": True,
    "remove_input_tags": ["remove-input"],
    "remove_cell_tags": ["remove-cell", "hide-cell", "injected-parameters"],
}


@dataclass(frozen=True)
class NotebookRun:
    """How one notebook's execution ended.

    ``status`` is "done" only if every code cell was executed without an error. Otherwise it is
    "error" (a cell raised), "died" (its kernel), or "incomplete" (cells not executed).
    """

    name: str
    status: str
    seconds: float
    output: Path | None = None  # the executed notebook; None unless done
    message: str = ""  # what went wrong


def available_notebooks() -> dict[str, Path]:
    """The project's notebooks by name, in reading order, without links to files elsewhere."""
    found = {path.stem: path for path in folders.notebooks().resolve().glob("*.ipynb")}
    in_order = sorted(found, key=lambda name: re.sub(r"^\d_", r"0\g<0>", name))  # 3_ before 10_
    return {name: found[name] for name in in_order if found[name] == found[name].resolve()}


def run_notebooks(
    names=None,
    parameters: dict | None = None,
    *,
    at_once: int = 1,
    publish: bool = False,
    recorded: bool = False,
) -> list[NotebookRun]:
    """Execute notebooks, each in its own process; the good ones become .ipynb and .html files.

    They go to ``build/<profile>``, and the tables and figures to ``figures`` in it, or with
    ``publish`` to the folder that the repository keeps.
    ``names`` are names or paths of :func:`available_notebooks`, or None for all; ``parameters``
    those of every notebook, values or texts as of :func:`~mimlstudy.report.parameters.checked`.
    Own questions are answered in ``build/explored``. ``at_once`` run together, -1: one a core.
    The scorecard is made last, of what the others record, unless all is ``recorded``.
    """
    parameters = parameters or {}
    found = list(dict.fromkeys(map(_find, names or available_notebooks())))
    for path in found:
        types = {n: TYPES[one["inferred_type_name"]] for n, one in parameters_of(path).items()}
        parameters = checked(parameters, types, path.stem)
    asked = set(parameters) - set(HOW_TO_RUN)
    profile, runs = parameters.get("profile", "paper"), []
    folder = folders.build("explored" if asked else profile)
    folder.mkdir(parents=True, exist_ok=True)
    last = [] if recorded else [path for path in found if path.stem.startswith("0_")]
    for together in [path for path in found if path not in last], last:
        runs += Parallel(at_once, backend="threading")(
            delayed(_run)(path, parameters, folder, publish) for path in together
        )
    if not asked:
        statuses = last_runs(profile) | {run.name: run.status for run in runs}
        paths.write_whole(folder / LAST_RUNS, json.dumps(statuses, indent=1, sort_keys=True))
    return runs


def parameters_of(notebook) -> dict[str, dict]:
    """A notebook's parameters by name: papermill's ``inferred_type_name``, ``default``, ``help``.

    Its own questions come first, then how to run it.
    """
    return papermill.inspect_notebook(str(_find(notebook)))


def _find(name):
    """One of the project's notebooks: any other runs whatever code it holds."""
    notebooks = available_notebooks()
    path = notebooks.get(name, Path(name).resolve())
    if path not in notebooks.values():
        raise ValueError(f"notebook must be one of {list(notebooks)}, got {name!r}")
    return path


def _run(path, parameters, folder, publish):
    start, unfinished = time.perf_counter(), folder / f".{path.stem}.part.ipynb"
    output, status, message = None, "done", ""
    try:
        executed = _execute(path, unfinished, parameters, publish)
        code = [cell for cell in executed.cells if cell.cell_type == "code" and cell.source.strip()]
        if all(cell.execution_count is not None for cell in code):
            _write_html(executed, folder / f"{path.stem}.html")
            output = folder / path.name
            os.replace(unfinished, output)
        else:
            status, message = "incomplete", "some code cells were not executed"
    except (DeadKernelError, PapermillExecutionError) as error:
        status = "died" if isinstance(error, DeadKernelError) else "error"
        message = str(error)
    return NotebookRun(path.stem, status, time.perf_counter() - start, output, message)


def _execute(path, output, parameters, publish):
    """Sockets in a folder of their own: kernels that start together cannot race for a port."""
    # In the kernel alone, and without a name that a cell could take for its own import.
    line = f"__import__('os').environ[{folders.RUN!r}] = {'publish' if publish else 'look'!r}"
    with tempfile.TemporaryDirectory(prefix="kernel-") as sockets:
        return papermill.execute_notebook(
            str(path),
            str(output),
            parameters,
            kernel_name="python3",
            language="python",
            cwd=str(path.parent),
            progress_bar=False,
            request_save_on_cell_execute=False,
            extra_arguments=["--log-level=CRITICAL", f"--IPKernelApp.exec_lines={line}"],
            config=Config({"KernelManager": {"transport": "ipc", "ip": f"{sockets}/kernel"}}),
        )


def _write_html(page, path):
    """A page that asks no other host: formulas are MathML, which browsers draw themselves.

    Left out are what the tags of MyST-NB remove or hide, and standard error.
    """
    for cell in page.cells:
        if cell.cell_type == "markdown":
            cell.source = FORMULA.sub(_mathml, cell.source)
    exporter = HTMLExporter(
        config=Config({"TagRemovePreprocessor": LEFT_OUT}),
        raw_template=TEMPLATE,
        exclude_input_prompt=True,
        exclude_output_prompt=True,
    )
    text = exporter.from_notebook_node(page)[0]
    paths.write_whole(path, HEADING.sub(lambda match: match[0].lower(), text))


def _mathml(match):
    display, inline = match.groups()
    return latex_to_mathml(display or inline, display="block" if display else "inline")
