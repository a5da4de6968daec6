"""A method of your own in the paper's tables: same data and splits, next to the recorded rows.

An entry ``module:Name`` names an estimator, its class, or a function without arguments that gives
one; the current folder is importable. Tables 1 and 2 and the unseen data hand it bags and label
sets, Tables 3 and 4 vectors and label sets, Table 5 bags and one binary label each. With an
attribute ``param_grid`` (parameter to values; a short name is a parameter of a pipeline's last
step) the entry also runs with the best setting by hold-out, as the tuned rows do.
"""

from __future__ import annotations

import hashlib
import importlib
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from matplotlib.figure import Figure
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline

from mimlpaper import paths
from mimlpaper.study.compare import COLUMNS, as_published, column_records, run_means
from mimlpaper.study.figures import INK, STYLE_SHEET, VERMILION, save_figure
from mimlpaper.study.holdouts import HoldOut, full_names
from mimlpaper.study.published import TABLES, PublishedTable
from mimlpaper.study.records import Store, records
from mimlpaper.study.registry import EXPERIMENTS
from mimlpaper.study.runner import compute
from mimlpaper.study.statistics import ranks_of_means, win_tie_loss
from mimlpaper.study.tables import HEADS, Entry, ReportTable, frame_grid, number_text
from mimlpaper.study.trials import Experiment

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
        0, "Data that the authors never saw", EXPERIMENTS[UNSEEN].parts[0].datasets, (), (),
        ("average_precision",), "split", 10,
    )
}  # fmt: skip


class Bench(NamedTuple):
    """The outcome of an entry: its folder, its standing by table, and a line for each failure."""

    folder: Path
    standing: pd.DataFrame
    problems: list[str]


def bench(
    entry: str, tables: Iterable[int | str], *, profile: str = "paper", jobs: int = -1,
    data_home=None,
) -> Bench:  # fmt: skip
    """Run an entry on some of Tables 1 to 5 or unseen data; write ``report.md`` and ``card.png``.

    All files go to ``build/bench/``. What is recorded there is not run again, unless the entry's
    file has changed. An entry that fails on the first trial of a table runs no further in
    it. ``jobs`` is 1 for this process, else at least two processes, so that an entry's crash does
    not end the bench.
    """
    if not re.fullmatch(r"\w+(\.\w+)*:\w+", entry):
        raise ValueError(f"entry must be written module:Name, got {entry!r}")
    folder = paths.build("bench") / entry.replace(":", ".")
    folder = folder if profile == "paper" else folder / profile
    store = Store(folder)
    runs = {"profile": profile, "store": store, "data_home": data_home}
    runs["jobs"] = jobs if jobs == 1 else max(2, effective_n_jobs(jobs))
    try:
        entered, settings = load_entry(entry)
    except (Exception, SystemExit) as error:  # foreign code: a line of the report
        return _write(entry, folder, {}, [f"{entry} cannot be loaded: {_in_one_line(error)}"])
    ranked: dict[int | str, ReportTable] = {}
    problems: list[str] = []
    for number in tables:
        experiment = _experiment(number, entry, entered, settings)
        failures = {method: _run(experiment, method, **runs) for method in experiment.methods}
        problems += filter(None, failures.values())
        done = [method for method, failure in failures.items() if not failure]
        if done:
            ranked[number] = _ranked(number, experiment, done, profile, store)
    return _write(entry, folder, ranked, problems)


def load_entry(entry: str) -> tuple[Entered, Mapping | None]:
    """The estimator that an entry stands for, and its grid if it has one, by full names."""
    module_name, _, name = entry.partition(":")
    here = str(Path.cwd())
    sys.path[:] = [here, *(folder for folder in sys.path if folder != here)]
    module = importlib.import_module(module_name)
    named = getattr(module, name)
    estimator = named() if callable(named) else named
    if not hasattr(estimator, "fit"):
        raise TypeError(f"it must have a method fit, got {type(estimator).__name__}")
    source = Path(str(module.__file__))
    code = hashlib.sha256(source.read_bytes()).hexdigest()[:12]
    if vars(module).setdefault("_code_when_imported", code) != code:
        raise ImportError(f"{source.name} has changed since it was imported; start Python again")
    settings = getattr(named, "param_grid", None)
    if settings is None:
        return Entered(estimator, code=code), None
    values = settings.values() if isinstance(settings, Mapping) else [""]
    if not settings or any(isinstance(v, str) or not isinstance(v, Iterable) for v in values):
        raise TypeError(f"param_grid must map parameters to lists of values, got {settings!r}")
    names = full_names(estimator, settings)
    grid = {f"estimator__{name}": list(values) for name, values in names.items()}
    return Entered(estimator, code=code), grid


class Entered(BaseEstimator):
    """An entry's unfitted estimator with checked answers.

    ``code`` is the hash of the file that it comes from: another file makes other records.
    """

    def __init__(self, estimator, *, code: str):
        self.estimator = estimator
        self.code = code

    def fit(self, X, Y):
        self.fitted_ = clone(self.estimator, safe=False)
        self.fitted_.fit(X, Y)
        self.labels_shape_ = np.shape(Y)[1:]
        return self

    def decision_function(self, X) -> np.ndarray:
        scores = self._answer("decision_function", X)
        strange = np.count_nonzero(~np.isfinite(scores.astype(float)))
        if strange:
            raise ValueError(
                f"decision_function must give finite scores, got {strange} of {scores.size} "
                "that are NaN or infinite"
            )
        return scores

    def predict(self, X) -> np.ndarray:
        return self._answer("predict", X)

    def _answer(self, method, X):
        if not hasattr(self.fitted_, method):
            raise TypeError(f"{type(self.fitted_).__name__} must have a method {method}")
        answer = getattr(self.fitted_, method)(X)
        answer = np.asarray(answer.toarray() if hasattr(answer, "toarray") else answer)
        shape = (len(X), *self.labels_shape_)
        if answer.shape != shape:
            raise ValueError(f"{method} must give an array {shape}, got {answer.shape}")
        return answer


def _experiment(number, entry, entered, settings) -> Experiment:
    """The trials of a table with the entry in place of the recorded methods."""
    configurations: dict[str, object] = {entry: entered}
    if settings is not None:
        by_accuracy = "accuracy" in ALSO_UNSEEN[number].criteria
        criterion = "accuracy" if by_accuracy else "average_precision"
        configurations[f"{entry}, tuned"] = HoldOut(entered, settings, criterion=criterion)
    recorded = EXPERIMENTS[_name(number)]
    part = replace(recorded.parts[0], configurations=configurations)
    return replace(recorded, parts=(part,))


def _name(number):
    return number if number == UNSEEN else f"table{number}"


def _run(experiment, method, **options) -> str:
    """Run the first trial of a method, then all; what went wrong in one line, or nothing."""
    (part,) = experiment.parts
    one = replace(part, datasets=part.datasets[:1], splits=part.splits.first(1))
    first = replace(experiment, parts=(one,))
    what = f"{experiment.title}, {method}"
    try:
        for trials in (first, experiment):
            table = compute(trials, methods=[method], **options)
    except (Exception, SystemExit) as error:  # as in bench
        if "worker process died" in str(error):
            return f"{what}: its process died; it crashed or used up the memory"
        return f"{what}: {_in_one_line(error)}"
    stale = table["state"].eq("stale").any()
    return f"{what}: the data are missing, and its records are of other code" if stale else ""


def _in_one_line(error) -> str:
    """The error, or the one at the end of the traceback that its message holds."""
    lines = str(error).splitlines() or [""]
    frames = [i for i, line in enumerate(lines) if line.startswith("  File ")]
    if not frames:
        return f"{type(error).__name__}: {lines[0]}"
    return next(line for line in lines[frames[-1] :] if line and not line.startswith(" "))


def _ranked(number, experiment, methods, profile, store) -> ReportTable:
    """The rows of an entry and the recorded ones, by mean rank, the best first."""
    table = ALSO_UNSEEN[number]
    rows, configured = _rows(number, experiment, methods, profile, store)
    runs = run_means(rows, table).melt(["dataset", "method"], table.criteria, "criterion")
    numbers = runs.groupby(["method", table.columns])["value"].agg(["mean", "std"]).unstack()
    columns = [name for name in (*table.datasets, *table.criteria) if name in numbers["mean"]]
    means, stds = numbers["mean"][columns], numbers["std"]
    ranks = ranks_of_means(means)
    tidy = means.assign(rank=ranks.mean(axis=1)).sort_values("rank", kind="stable")
    tidy["seconds"] = rows.groupby("method")["seconds"].mean()
    scoring = [_scores_instances(configured[name]) for name in tidy.index]
    tidy["scores instances"] = np.where(scoring, "yes", "no")
    for mine in methods:
        tidy[f"{mine} against it"] = [_against(mine, name, rows, table) for name in tidy.index]
    shown = tidy.assign(rank=tidy["rank"].map("{:.1f}".format))
    shown["seconds"] = shown["seconds"].map("{:.2f}".format)
    for name in columns:
        texts, best = map(number_text, means[name], stds[name]), ranks[name] == ranks[name].min()
        entries = [Entry((text,), (bold,)) for text, bold in zip(texts, best, strict=True)]
        shown[name] = pd.Series(entries, means.index)
    states = sorted(set(rows.loc[~rows["method"].isin(methods), "state"]))
    caption = CAPTION.format(
        title=f"{experiment.title}. {table.title}", profile=profile,
        kind=" and ".join(sorted(set(rows["kind"]))), states=" and ".join(states) or "none",
    )  # fmt: skip
    return frame_grid(shown.rename(columns=HEADS), tidy.reset_index(), caption, corner="method")


def _rows(number, experiment, methods, profile, store):
    """Records of the entry and of the recorded methods, and each method's configuration."""
    name, read = _name(number), partial(records, profile=profile)
    parts = [read(experiment, methods=methods, store=store)]
    configured = dict(experiment.parts[0].configurations)
    for column in COLUMNS if number != UNSEEN else ("matched", "tuned"):
        rows = as_published(column_records(read, name, column))
        rows = rows[rows["dataset"].isin(parts[0]["dataset"])]
        ending = "" if column == "matched" else f", {column}"
        parts.append(rows.assign(method=rows["method"] + ending))
        recorded = EXPERIMENTS[name].parts[0].configurations
        configured |= {method + ending: row.learner for method, row in recorded.items()}
    return pd.concat([part for part in parts if len(part)], ignore_index=True), configured


def _scores_instances(configured) -> bool:
    """Whether the learner within hold-outs and pipelines has ``instance_scores``."""
    while isinstance(configured, HoldOut | Entered | Pipeline):
        configured = configured[-1] if isinstance(configured, Pipeline) else configured.estimator
    return hasattr(configured, "instance_scores")


def _against(mine, other, rows, table) -> str:
    """Such as ``4–2–1``: cases in which mine is better, neither, worse than the other."""
    if mine == other:
        return "–"
    pooled = table.run == "dataset"  # the data sets of Table 4 are its runs
    _, strict = win_tie_loss(rows, mine, other, table.criteria, pooled=pooled)
    return "–".join(map(str, strict))


def _write(entry, folder, ranked, problems) -> Bench:
    """Write the report and the card."""
    lines = [f"# {entry} in the paper's tables", *(f"- **Failed.** {line}" for line in problems)]
    lines += [table.to_markdown().rstrip() for table in ranked.values()]
    if ranked:
        save_figure(_card(entry, ranked), folder, "card")
        lines.append("![Mean rank of each method, by table.](card.png)")
    paths.write_whole(folder / "report.md", "\n\n".join(lines) + "\n")
    parts = [table.tidy.assign(table=number) for number, table in ranked.items()]
    columns = ["table", "method", "rank", "seconds"]
    standing = pd.concat(parts)[columns] if parts else pd.DataFrame(columns=columns)
    return Bench(folder, standing, problems)


def _card(entry, ranked) -> Figure:
    """A panel for each table: the mean rank of every method, the entry's in colour."""
    n_rows = max(len(table.tidy) for table in ranked.values())
    size = (1 + 2.4 * len(ranked), 0.6 + 0.16 * n_rows)
    with plt.style.context(STYLE_SHEET):
        figure, axes = plt.subplots(1, len(ranked), figsize=size, squeeze=False)
        for ax, (number, table) in zip(axes.flat, ranked.items(), strict=True):
            methods = table.tidy["method"]
            colors = [VERMILION if name.split(",")[0] == entry else INK for name in methods]
            ax.scatter(table.tidy["rank"], methods.index, c=colors)
            ax.set_yticks(methods.index, methods)
            for label, color in zip(ax.get_yticklabels(), colors, strict=True):
                label.set_color(color)
            ax.invert_yaxis()
            ax.set(title=EXPERIMENTS[_name(number)].title, xlabel="mean rank, 1 is best")
        plt.close(figure)
    return figure
