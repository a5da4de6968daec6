"""A method of your own in the paper's tables: same data and splits, next to the recorded rows.

An entry ``module:Name`` names an estimator, its class, or a function without arguments that gives
one; the current folder is importable. Tables 1 and 2 and the unseen data give it bags and label
sets, Tables 3 and 4 vectors and label sets, Table 5 bags and one binary label each. With a
``param_grid`` (a short name is a parameter of a pipeline's last step) it also runs with the best
setting by hold-out.
"""

import hashlib
import importlib
import re
import sys
import traceback
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, clone

from mimlpaper import paths
from mimlstudy import folders
from mimlstudy.engine.execution import compute
from mimlstudy.engine.holdouts import HoldOut, full_names
from mimlstudy.engine.records import Store, records
from mimlstudy.engine.trials import Experiment
from mimlstudy.judge.compare import COLUMNS, as_published, column_records, run_means
from mimlstudy.judge.statistics import ranks_of_means, win_tie_loss
from mimlstudy.paper.experiments import EXPERIMENTS
from mimlstudy.paper.published import TABLES, PublishedTable
from mimlstudy.report.tables import HEADS, ReportTable, frame_grid, number_entries

CAPTION = (
    "{title}: mean ± std on {kind} data, profile {profile}. Rank is the mean rank over columns, 1 "
    "is best. Seconds are of the processor, for a fit and a prediction. *Against it*: in how many "
    "cases the entry is shown to be better, neither, worse, at 95 %: by the corrected resampled "
    "t-test, over the web pages of Table 4 by the signed-rank test. "
    "Records of the other methods: {states}."
)
UNSEEN = "unseen"  # in place of a table's number: bird song and two poems, by average precision
ALSO_UNSEEN: dict[int | str, PublishedTable] = TABLES | {
    UNSEEN: PublishedTable(
        0,
        "Data that the authors never saw",
        EXPERIMENTS[UNSEEN].parts[0].datasets,
        (),
        (),
        ("average_precision",),
        "split",
        10,
    )
}


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
) -> Bench:
    """Run an entry on some of Tables 1 to 5 or unseen data; write ``report.md``.

    All files go to ``build/bench/``. What is recorded there is not run again, unless the entry's
    file has changed. An entry that fails on the first trial of a table runs no further in it.
    ``jobs`` is 1 for this process, else at least two, so that a crash does not end the bench.
    """
    if not re.fullmatch(r"\w+(\.\w+)*:\w+", entry):
        raise ValueError(f"entry must be written module:Name, got {entry!r}")
    folder = folders.build("bench", entry.replace(":", "."), profile if profile != "paper" else "")
    jobs = jobs if jobs == 1 else max(2, effective_n_jobs(jobs))
    runs = dict(profile=profile, store=Store(folder), data_home=data_home, jobs=jobs)
    try:
        entered, grid = load_entry(entry)
    except (Exception, SystemExit):  # foreign code: a line of the report
        return _write(entry, folder, {}, [f"{entry} cannot be loaded: {_error_line()}"])
    ranked: dict[int | str, ReportTable] = {}
    problems: list[str] = []
    for number in tables:
        experiment = _experiment(number, entry, entered, grid)
        failures = {method: _run(experiment, method, **runs) for method in experiment.methods}
        problems += filter(None, failures.values())
        if done := [method for method, failure in failures.items() if not failure]:
            own = compute(experiment, methods=done, **runs)  # which are all recorded
            ranked[number] = _ranked(number, own, profile)
    return _write(entry, folder, ranked, problems)


def load_entry(entry: str) -> tuple["Entered", Mapping | None]:
    """The estimator that an entry stands for, and its grid if it has one, by full names."""
    module_name, _, name = entry.partition(":")
    here = str(Path.cwd())
    sys.path[:] = [here, *(folder for folder in sys.path if folder != here)]
    module = importlib.import_module(module_name)
    named = getattr(module, name)
    estimator = named() if callable(named) else named
    source = Path(str(module.__file__))
    code = hashlib.sha256(source.read_bytes()).hexdigest()[:12]
    if vars(module).setdefault("_code_when_imported", code) != code:
        raise ImportError(f"{source.name} has changed since it was imported; start Python again")
    grid = getattr(named, "param_grid", None)
    if grid is not None:
        names = full_names(estimator, grid)
        grid = {f"estimator__{name}": list(values) for name, values in names.items()}
    return Entered(estimator, code=code), grid


class Entered(BaseEstimator):
    """An entry's unfitted estimator, maybe not scikit-learn's, and the hash of its file."""

    def __init__(self, estimator, *, code: str):
        self.estimator = estimator
        self.code = code

    def fit(self, X, Y):
        self.fitted_ = clone(self.estimator, safe=False)
        self.fitted_.fit(X, Y)
        return self

    def decision_function(self, X):
        return np.asarray(self.fitted_.decision_function(X))

    def predict(self, X):
        return self.fitted_.predict(X)


def _experiment(number, entry, entered, grid) -> Experiment:
    configurations: dict[str, object] = {entry: entered}
    if grid is not None:
        criteria = ALSO_UNSEEN[number].criteria
        criterion = "accuracy" if "accuracy" in criteria else "average_precision"
        configurations[f"{entry}, tuned"] = HoldOut(entered, grid, criterion=criterion)
    recorded = EXPERIMENTS[_name(number)]
    return replace(recorded, parts=(replace(recorded.parts[0], configurations=configurations),))


def _name(number):
    return number if number == UNSEEN else f"table{number}"


def _run(experiment, method, **options) -> str:
    """Run the first trial of a method, then all; what went wrong in one line, or nothing."""
    (part,) = experiment.parts
    one = replace(part, datasets=part.datasets[:1], splits=part.splits.first(1))
    try:
        for trials in (replace(experiment, parts=(one,)), experiment):
            compute(trials, methods=[method], **options)
    except (Exception, SystemExit) as error:  # as in bench
        died = "worker process died" in str(error)
        line = "its process died; it crashed or used up the memory" if died else _error_line()
        return f"{experiment.title}, {method}: {line}"
    return ""


def _error_line() -> str:
    """The exception in hand, or the one that ends the traceback in its message."""
    lines = traceback.format_exc().splitlines()
    last = max(i for i, line in enumerate(lines) if line.startswith("  File "))
    return next(line for line in lines[last:] if line and not line.startswith(" "))


def _ranked(number, own, profile) -> ReportTable:
    """The rows of an entry, ``own``, and the recorded ones, by mean rank, the best first."""
    table, others = ALSO_UNSEEN[number], _recorded(number, own["dataset"], profile)
    rows = pd.concat([part for part in (own, *others) if len(part)], ignore_index=True)
    runs = run_means(rows, table).melt(["dataset", "method"], table.criteria, "criterion")
    numbers = runs.groupby(["method", table.columns])["value"].agg(["mean", "std"]).unstack()
    columns = [name for name in (*table.datasets, *table.criteria) if name in numbers["mean"]]
    means, stds = numbers["mean"][columns], numbers["std"]
    ranks = ranks_of_means(means)
    best = ranks == ranks.min()
    tidy = means.assign(rank=ranks.mean(axis=1)).sort_values("rank", kind="stable")
    tidy["seconds"] = rows.groupby("method")["seconds"].mean()
    for mine in own["method"].unique():
        tidy[f"{mine} against it"] = [_against(mine, name, rows, table) for name in tidy.index]
    texts = {name: number_entries(means[name], stds[name], best[name]) for name in columns}
    formats = {"rank": "{:.1f}", "seconds": "{:.2f}"}
    texts |= {name: tidy[name].map(text.format) for name, text in formats.items()}
    shown = tidy.assign(**texts)
    name, states = _name(number), sorted({state for part in others for state in part["state"]})
    caption = CAPTION.format(
        title=f"{EXPERIMENTS[name].title}. {table.title}",
        profile=profile,
        kind=" and ".join(sorted(set(rows["kind"]))),
        states=" and ".join(states) or f"none; mimlpaper compute {name} makes them",
    )
    return frame_grid(shown.rename(columns=HEADS), tidy.reset_index(), caption, corner="method")


def _recorded(number, datasets, profile) -> list[pd.DataFrame]:
    parts, read = [], partial(records, profile=profile)
    for column in COLUMNS if number != UNSEEN else ("matched", "tuned"):
        rows = as_published(column_records(read, _name(number), column))
        rows = rows[rows["dataset"].isin(datasets)]
        parts.append(rows.assign(method=rows["method"] + f", {column}" * (column != "matched")))
    return parts


def _against(mine, other, rows, table) -> str:
    """Such as ``4–2–1``: cases in which mine is better, neither, worse than the other."""
    if mine == other:
        return "–"
    # The data sets of Table 4 are its runs.
    of_runs = win_tie_loss(rows, mine, other, table.criteria, pooled=table.run == "dataset")
    return "–".join(map(str, of_runs[1]))


def _write(entry, folder, ranked, problems) -> Bench:
    lines = [f"# {entry} in the paper's tables", *(f"- **Failed.** {line}" for line in problems)]
    lines += [table.to_markdown().rstrip() for table in ranked.values()]
    paths.write_whole(folder / "report.md", "\n\n".join(lines) + "\n")
    columns = ["table", "method", "rank", "seconds"]
    parts = [table.tidy.assign(table=number)[columns] for number, table in ranked.items()]
    return Bench(folder, pd.concat(parts or [pd.DataFrame(columns=columns)]), problems)
