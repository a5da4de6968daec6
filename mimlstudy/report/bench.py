"""A method of your own in the paper's tables: same data and splits, next to the recorded rows.

An entry ``module:Name`` names an estimator, its class, or a function without arguments that gives
one; the current folder is importable. Tables 1 and 2 and the unseen data give it bags and label
sets, Tables 3 and 4 vectors and label sets, Table 5 bags and one binary label each. With a
``param_grid`` (a short name is a parameter of a pipeline's last step) it also runs with the best
setting by hold-out. It runs as a :class:`~mimlstudy.report.guest.Guest`: in processes of its own.
"""

import re
import sys
import threading
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from mimlpaper import paths
from mimlpaper.datasets import DataError
from mimlpaper.datasets.fetch import data_folder, fetch_command
from mimlstudy import folders
from mimlstudy.engine.execution import TrialError, compute
from mimlstudy.engine.holdouts import HoldOut
from mimlstudy.engine.records import CURRENT, Store
from mimlstudy.engine.trials import Experiment
from mimlstudy.judge.compare import run_means
from mimlstudy.judge.selection import (
    SETTINGS_COLUMNS,
    Selection,
    as_in_our_tables,
    selected,
)
from mimlstudy.judge.statistics import ranks_of_means, win_tie_loss
from mimlstudy.paper.catalogue import CATALOGUE, default_store
from mimlstudy.paper.experiments import EXPERIMENTS, reader
from mimlstudy.paper.printed import PrintedTable, printed_tables
from mimlstudy.report.guest import (
    Conditions,
    Guest,
    GuestError,
    describe,
    guest_criteria,
)
from mimlstudy.report.parameters import caller_folder
from mimlstudy.report.plain import markdown_text
from mimlstudy.report.sentences import listed, of_profile
from mimlstudy.report.tables import (
    HEADS,
    ReportTable,
    frame_grid,
    number_entries,
)
from mimlstudy.report.words import IN_SENTENCES

ENTRY = re.compile(r"\w+(\.\w+)*:\w+")
TIMEOUT = 3600.0  # seconds of one fit, or of one prediction
OUTPUT = "output.txt"  # in the folder of an entry: what it prints
CAPTION = (
    "{title}: mean ± std on {kind} data, profile {profile}. Rank is the mean rank over the columns "
    "that a method has, 1 is best. *Seconds* are processor seconds of one trial: its fit, with any "
    "hold-out, and its predictions. *Against it*: in how many cases the entry is significantly "
    "better, neither, worse, at 95%: by the corrected resampled t-test, in Table 4 over its data "
    "sets by the signed-rank test. Records of the other methods: {states}."
)
UNSEEN = "unseen"  # in place of a table's number: birds and letters, without texts
UNSEEN_TABLE = PrintedTable(
    number=0,  # it is none of the paper's
    title="Data that the authors never saw",
    datasets=EXPERIMENTS[UNSEEN].parts[0].datasets,
    proposed=(),
    compared=(),
    criteria=("average_precision",),
    run="split",
    n_runs=10,
)


class Bench(NamedTuple):
    """The outcome of an entry: its folder, its standing by table, and a line for each failure."""

    folder: Path
    standing: pd.DataFrame
    problems: list[str]


def bench(
    entry: str,
    tables: Iterable[int | str],
    *,
    profile: str = "paper",
    jobs: int = -1,
    data_home=None,
    timeout: float = TIMEOUT,
) -> Bench:
    """Run an entry on some of Tables 1 to 5 or unseen data; write ``report.md``.

    All files go to ``build/bench/``. What is recorded there is not run again, unless the entry's
    code has changed. A method that fails has no row; if its first trial in a table fails, the
    others there do not run.

    Parameters
    ----------
    entry : str, module:Name; the module is imported from the caller's folder.
    tables : numbers of tables, or "unseen".
    profile, jobs, data_home : as of :func:`~mimlstudy.engine.execution.compute`.
    timeout : float, default 3600
        Seconds after which a fit or a prediction is ended and counts as failed.
    """
    if not ENTRY.fullmatch(entry):
        raise ValueError(f"entry must be written module:Name, got {entry!r}")
    if not 0 < timeout <= threading.TIMEOUT_MAX:
        raise ValueError(f"timeout must be a positive, finite number of seconds, got {timeout}")
    tables = [*tables]
    known = [*printed_tables(), UNSEEN]
    if not tables or {*tables} - {*known}:
        raise ValueError(f"tables must be some of {known}, got {tables}")
    folder = folder_of(entry, profile)
    folder.mkdir(parents=True, exist_ok=True)
    store = Store(folder, CATALOGUE)
    run = partial(compute, profile=profile, store=store, data_home=data_home, jobs=jobs)
    waiting = f"{entry} waits for its other bench, which runs in {folder}"
    # Another bench in this folder would take its output and its report away.
    with folders.locked(folder / ".bench.lock", partial(print, waiting, file=sys.stderr)):
        return _in_tables(entry, tables, profile, timeout, folder, run)


def folder_of(entry: str, profile: str) -> Path:
    """The folder of an entry's records and report."""
    of_profile = profile if profile != "paper" else ""
    return folders.build("bench", entry.replace(":", "."), of_profile)


def _in_tables(entry, tables, profile, timeout, folder, run) -> Bench:
    """Run the entry on the tables, as :func:`bench` says, and write the report."""
    output = folder / OUTPUT
    output.unlink(missing_ok=True)
    conditions = Conditions(str(caller_folder()), timeout, str(output))
    ranked: dict[int | str, ReportTable] = {}
    problems: list[str] = []
    try:
        described = describe(entry, conditions)
    except GuestError as error:
        return _write(entry, folder, ranked, [f"{entry} cannot be loaded: {error}"])
    guest = Guest(entry, code=described["code"])
    guest.conditions = conditions
    for number in tables:
        experiment = _experiment(number, guest, described["settings"])
        done = []
        for method in experiment.methods:
            problem = _problem_of(experiment, method, run)
            if problem:
                problems.append(f"{experiment.title}, {method}: {problem}")
            else:
                done.append(method)
        if done:
            entered = run(experiment, methods=done)  # which are all recorded
            ranked[number] = _ranked(number, entered, profile)
    return _write(entry, folder, ranked, problems)


def _experiment(number, guest, settings) -> Experiment:
    """A table's experiment with the guest alone, and with its best setting if it has several."""
    configurations: dict[str, object] = {guest.entry: guest}
    if settings is not None:
        criteria = _table(number).criteria
        criterion = "accuracy" if "accuracy" in criteria else "average_precision"
        tuned = HoldOut(guest, {"setting": settings}, criterion=criterion)
        configurations[f"{guest.entry}, tuned"] = tuned
    recorded = EXPERIMENTS[_name(number)]
    part = replace(recorded.parts[0], configurations=configurations)
    measure = replace(recorded.measure, rows=guest_criteria)
    return replace(recorded, parts=(part,), measure=measure)


def _table(number) -> PrintedTable:
    return UNSEEN_TABLE if number == UNSEEN else printed_tables()[number]


def _name(number):
    return number if number == UNSEEN else f"table{number}"


def _problem_of(experiment, method, run) -> str:
    """Run the first trial of a method, then all; what went wrong in one line, or nothing."""
    (part,) = experiment.parts
    # One trial shows most mistakes of an entry, before hours of work.
    one_trial = replace(part, datasets=part.datasets[:1], splits=part.splits.first(1))
    try:
        for trials in (replace(experiment, parts=(one_trial,)), experiment):
            rows = run(trials, methods=[method])
            if (rows["state"] != CURRENT).any():
                command = fetch_command(data_folder(run.keywords["data_home"]))
                return f"not run again, since data are missing; `{command}` gets them"
    except DataError as error:
        return str(error)
    except TrialError as error:
        # The message ends with the traceback of a failed trial, and that with its exception.
        last = str(error).rstrip().rpartition("\n")[2]
        return last.removeprefix(f"{GuestError.__module__}.{GuestError.__name__}: ")
    return ""


def _ranked(number, entered, profile) -> ReportTable:
    """The rows of an entry and the recorded ones, by mean rank, the best first."""
    table = _table(number)
    recorded = _recorded(number, entered["dataset"], profile)
    parts = [rows for rows in (entered, *recorded) if len(rows)]
    rows = pd.concat(parts, ignore_index=True)
    runs = run_means(rows, table).melt(
        ["dataset", "method"],
        table.criteria,
        "criterion",
    )
    groups = runs.groupby(["method", table.columns])["value"]
    means, stds = groups.mean().unstack(), groups.std().unstack()
    # In the paper's order; a set without records has no column.
    printed = table.datasets if table.columns == "dataset" else table.criteria
    columns = [name for name in printed if name in means]
    means = means[columns]
    ranks = ranks_of_means(means)
    tidy = means.assign(rank=ranks.mean(axis=1)).sort_values("rank", kind="stable")
    tidy["seconds"] = rows.groupby("method")["seconds"].mean()
    for name in entered["method"].unique():
        against = [_against(name, method, rows, table) for method in tidy.index]
        tidy[f"{name} against it"] = against

    shown = tidy.copy()
    shown["rank"] = tidy["rank"].map("{:.1f}".format)
    shown["seconds"] = tidy["seconds"].map("{:.2f}".format)
    is_best = ranks == ranks.min()
    for name in columns:
        shown[name] = number_entries(means[name], stds[name], is_best[name])
    caption = _caption(number, rows, recorded, profile)
    return frame_grid(
        shown.rename(columns=HEADS),
        tidy.reset_index(),
        caption,
        corner="method",
    )


def _caption(number, rows, recorded, profile):
    """What a table of the bench shows, of which data, beside which records."""
    name = _name(number)
    title = f"{EXPERIMENTS[name].title}. {_table(number).title}"
    kinds = sorted({*rows["kind"]})
    states = set()
    for of_column in recorded:
        states |= {*of_column["state"]}
    if states:
        in_words = listed(sorted(states))
    else:
        in_words = f"none; {of_profile(f'mimlpaper compute {name}', profile)} makes them"
    return CAPTION.format(
        title=title,
        profile=profile,
        kind=listed(kinds),
        states=in_words,
    )


def _recorded(number, datasets, profile) -> list[pd.DataFrame]:
    """The recorded rows of a table on the same data sets, a frame for each column of settings."""
    parts = []
    read = reader(default_store(profile), profile)
    # All settings of unseen data are fixed in advance, and stand in "closest"; "fixed" has none.
    columns = SETTINGS_COLUMNS if number != UNSEEN else ("closest", "equal")
    for column in columns:
        selection = Selection((_name(number),), column)
        rows = as_in_our_tables(selected(read, selection))
        rows = rows[rows["dataset"].isin(datasets)]
        if column != "closest":
            # Rows without a setting chosen by print are the same in both columns.
            rows = rows[rows["experiment"] != _name(number)]
            rows = rows.assign(method=rows["method"] + f", {IN_SENTENCES[column]}")
        parts.append(rows)
    return parts


def _against(name, method, rows, table) -> str:
    """Such as ``4–2–1``: cases in which the entry is better, neither, worse than a method."""
    if name == method:
        return "–"
    # The data sets of Table 4 are its runs.
    pooled = table.run == "dataset"
    _, corrected = win_tie_loss(rows, name, method, table.criteria, pooled=pooled)
    return "–".join(map(str, corrected))


def _write(entry, folder, ranked, problems) -> Bench:
    """Write the report of an entry, and return its outcome."""
    # Names and messages are a stranger's: as text, they cannot be markup.
    blocks = [f"# {markdown_text(entry)} in the paper's tables"]
    blocks += [f"- **Failed.** {markdown_text(problem)}" for problem in problems]
    blocks += [table.to_markdown().rstrip() for table in ranked.values()]
    output = folder / OUTPUT
    if output.is_file() and output.stat().st_size:
        blocks.append(f"What it printed is in `{folders.within_project(output)}`.")
    paths.write_whole(folder / "report.md", "\n\n".join(blocks) + "\n")
    columns = ["table", "method", "rank", "seconds"]
    parts = []
    for number, table in ranked.items():
        parts.append(table.tidy.assign(table=number)[columns])
    standing = pd.concat(parts) if parts else pd.DataFrame(columns=columns)
    return Bench(folder, standing, problems)
