"""Execute the project's notebooks through papermill; the executed cells say how each run ended."""

import json
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path

import nbformat
import papermill
from joblib import effective_n_jobs
from papermill.exceptions import PapermillExecutionError
from traitlets.config import Config

from mimlpaper import paths
from mimlstudy import folders
from mimlstudy.engine.forks import CAN_FORK
from mimlstudy.report.kernels import (
    ForkedKernelManager,
    end_kernels,
)
from mimlstudy.report.notebook_page import write_page
from mimlstudy.report.parameters import (
    HOW_TO_RUN,
    TYPES,
    check_protocol,
    checked,
    output_folder,
)
from mimlstudy.report.status import LAST_RUNS, last_runs, recorded_scorecard

SCORECARD = "0_scorecard"
FIT_LEARNERS = ("own_data", "own_method")  # even if no trial has to run
KILL_INTERVAL = 0.2  # seconds between looks for kernels, while interrupted runs end


class KernelDied(RuntimeError):
    """The process that runs a notebook's cells has ended."""


@dataclass(frozen=True)
class NotebookRun:
    """How one notebook's execution ended.

    ``status`` is "done" only if every code cell was executed without an error. If not, it is
    "error" (a cell raised, or a file could not be written), "died" (its kernel), "incomplete"
    (cells not executed), or "left out" (it has trials to run, and the command runs none).
    """

    name: str
    status: str
    seconds: float
    output: Path | None = None  # the executed notebook; None unless done
    message: str = ""  # what went wrong


def available_notebooks() -> dict[str, Path]:
    """The project's notebooks by name, in reading order, without symbolic links.

    An installed package has none: a ValueError says so.
    """
    files = {path.stem: path for path in folders.notebooks().resolve().glob("*.ipynb")}
    in_order = sorted(files, key=_reading_order)
    notebooks = {name: files[name] for name in in_order if not files[name].is_symlink()}
    if not notebooks:
        raise ValueError(
            f"there are no notebooks in {folders.notebooks()}: an installed package has none; "
            "run the command in a checkout of the repository"
        )
    return notebooks


def _reading_order(name):
    """A text whose order is the reading order: 3_ before 10_."""
    return re.sub(r"^\d_", r"0\g<0>", name)


def find_notebook(name: str | Path) -> Path:
    """The file of one of the project's notebooks, by its name or its path.

    Any other file is refused with a ValueError: it runs whatever code it holds.
    """
    notebooks = available_notebooks()
    path = notebooks.get(str(name), Path(name).resolve())
    if path not in notebooks.values():
        alike = get_close_matches(str(name), notebooks, n=1)
        hint = f"; did you mean {alike[0]}?" if alike else ""
        raise ValueError(f"notebook must be one of {list(notebooks)}, got {str(name)!r}{hint}")
    return path


def parameters_of(notebook) -> dict[str, dict]:
    """A notebook's parameters by name: papermill's ``inferred_type_name``, ``default``, ``help``.

    Its own questions come first, then how to run it.
    """
    return papermill.inspect_notebook(str(find_notebook(notebook)))


def checked_parameters(notebooks: Iterable[str | Path], parameters: Mapping) -> dict:
    """Parameters, given as values or texts, as values of the types that all the notebooks declare.

    Raises
    ------
    ParameterError
        If a notebook lacks a parameter, or it has another type or an impossible value.
    """
    values = dict(parameters)
    for notebook in notebooks:
        types = {}
        for name, declared in parameters_of(notebook).items():
            types[name] = TYPES[declared["inferred_type_name"]]
        values = checked(values, types, find_notebook(notebook).stem)
    check_protocol(values.get("profile", "paper"), values.get("jobs", -1))
    return values


def run_notebooks(
    names: Iterable[str | Path] | None = None,
    parameters: Mapping | None = None,
    *,
    at_once: int = 1,
    publish: bool = False,
    recorded: bool = False,
    report: Callable[[str], None] | None = None,
) -> list[NotebookRun]:
    """Execute notebooks, each in its own process; those without an error become .ipynb and .html.

    Files go to :func:`~mimlstudy.report.parameters.output_folder`. A second run of the same
    notebook into the same folder waits for the first.

    Parameters
    ----------
    names : names or paths of :func:`available_notebooks`; all if None.
    parameters : mapping, those of every notebook, values or texts as of
        :func:`~mimlstudy.report.parameters.checked`.
    at_once : int, default 1
        Notebooks that run together; -1 means one per core.
    publish : bool, default False
        Whether tables and figures go to the folder that the repository keeps, which holds those of
        the profile "paper" without questions of the reader's own.
    recorded : bool, default False
        The caller's promise that no trial is left to run. Otherwise the scorecard is made last: in
        the profile "smoke" it reads what the other notebooks record.
    report : function of a text, default None
        It is given a line as each notebook starts and ends.

    Raises
    ------
    ParameterError
        If a notebook lacks a parameter, or it has another type or an impossible value. Nothing has
        run by then.
    """
    asked = available_notebooks() if names is None else names
    notebooks = list(dict.fromkeys(map(find_notebook, asked)))
    # All are checked before any runs, so that a slip in a name costs no hour.
    values = checked_parameters(notebooks, parameters or {})
    questions = {name: value for name, value in values.items() if name not in HOW_TO_RUN}
    profile = values.get("profile", "paper")
    folder = output_folder(profile, questions)
    folder.mkdir(parents=True, exist_ok=True)

    figures = folder / "figures"
    if publish and folder == folders.build("paper"):
        figures = folders.figures()

    last = [] if recorded else [path for path in notebooks if path.stem == SCORECARD]
    rest = [path for path in notebooks if path not in last]
    execution = partial(
        _run,
        values=values,
        folder=folder,
        figures=figures,
        is_answer=any(questions.values()),
        report=report or _do_nothing,
    )
    # Most notebooks show the scorecard. Without new records it can be made while they start.
    make_scorecard = partial(recorded_scorecard, profile)
    meanwhile = make_scorecard if recorded and len(rest) > 1 else _do_nothing
    runs = [
        *_in_threads(execution, rest, at_once, meanwhile),
        *_in_threads(execution, last, at_once),
    ]
    if folder == folders.build(profile):
        _remember(profile, folder, runs)
    return runs


def _do_nothing(*_):
    pass


def _in_threads(execution, notebooks, at_once, meanwhile=_do_nothing) -> list[NotebookRun]:
    """The runs of some notebooks, in their order. Ctrl-C ends their kernels.

    The caller's thread calls ``meanwhile``, and then waits.
    """
    # Never in the caller's thread: there nbclient takes Ctrl-C for itself, and may wait for ever.
    with ThreadPoolExecutor(effective_n_jobs(at_once)) as threads:
        # Those that fit learners take longest: they start first, and the others run beside them.
        longest_first = sorted(notebooks, key=lambda path: path.stem not in FIT_LEARNERS)
        runs = {path: threads.submit(execution, path) for path in longest_first}
        try:
            meanwhile()
            return [runs[path].result() for path in notebooks]
        except BaseException:
            for run in runs.values():
                run.cancel()
            # Again and again, since a kernel may be about to start.
            while wait(runs.values(), timeout=KILL_INTERVAL).not_done:
                end_kernels()
            raise


def _remember(profile, folder, runs):
    """Note how the last run of each notebook ended, for ``mimlpaper status``."""
    statuses = last_runs(profile) | {run.name: run.status for run in runs}
    try:
        paths.write_whole(folder / LAST_RUNS, json.dumps(statuses, indent=1, sort_keys=True))
    except OSError as error:  # such as a full disk, which the runs report themselves
        print(f"{folder / LAST_RUNS} was not written: {error}", file=sys.stderr)


def _run(path, values, folder, figures, is_answer, report) -> NotebookRun:
    """Run one notebook. An error becomes its status: the other notebooks go on."""
    start = time.perf_counter()
    output, status, message = None, "done", ""
    try:
        waiting = f"{path.stem}: waits for another run of the same question"
        with folders.locked(folder / f".{path.stem}.lock", partial(report, waiting)):
            report(f"{path.stem}: started")
            executed = _executed_or_dead(path, values, figures)
            if _all_executed(executed):
                content = nbformat.writes(executed)  # before write_page changes its cells
                write_page(executed, folder / f"{path.stem}.html", is_answer=is_answer)
                output = paths.write_whole(folder / path.name, content)
            else:
                status, message = "incomplete", "some code cells were not executed"
    except KernelDied as error:
        status, message = "died", str(error)
    except (OSError, PapermillExecutionError) as error:
        status, message = "error", str(error)
    except Exception as error:  # such as a formula that cannot be set
        status, message = "error", f"{type(error).__name__}: {error}"
    if status != "done" and (folder / path.name).exists():
        message += f"\nWhat is in {folder} is of an earlier run."
    run = NotebookRun(path.stem, status, time.perf_counter() - start, output, message)
    report(f"{run.name}: {status} after {run.seconds:.0f} s")
    return run


def _all_executed(notebook):
    """Whether every cell of code has run: papermill may return in silence when a kernel died."""
    for cell in notebook.cells:
        has_code = cell.cell_type == "code" and cell.source.strip()
        if has_code and cell.execution_count is None:
            return False
    return True


def _executed_or_dead(path, values, figures):
    """The executed notebook; KernelDied if its kernel ended, also while it started."""
    try:
        return _execute(path, values, figures)
    except RuntimeError as error:
        raise KernelDied(str(error)) from error


def _execute(path, values, figures):
    """The executed notebook. Relative paths in its parameters begin at the caller's folder."""
    # Set in the kernel alone, and without importing a name that a cell could rely on.
    line = f"__import__('os').environ[{folders.FIGURES!r}] = {str(figures)!r}"
    manager = {"kernel_manager_class": ForkedKernelManager} if CAN_FORK else {}
    # Sockets in a folder of their own: kernels that start together cannot race for a port.
    with tempfile.TemporaryDirectory(prefix="kernel-") as sockets:
        return papermill.execute_notebook(
            str(path),
            None,
            values,
            kernel_name="python3",
            language="python",
            cwd=str(Path.cwd()),
            progress_bar=False,
            request_save_on_cell_execute=False,
            extra_arguments=[
                "--log-level=CRITICAL",
                f"--IPKernelApp.exec_lines={line}",
                # A reader's own profile, with its startup files, changes no page.
                f"--ipython-dir={sockets}",
            ],
            config=Config(
                {
                    "KernelManager": {
                        "transport": "ipc",
                        "ip": f"{sockets}/kernel",
                    }
                }
            ),
            **manager,
        )
