"""How a number of Tables 1 to 5 came about: its runs, settings, code, machines.

Settings and code are today's. Where records are not current, the trace says so: their number has
no verdict then.

A :class:`Trace` holds the facts. Commands print it as text; notebooks and the site show it as HTML.
"""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import zip_longest

import numpy as np
import pandas as pd

from mimlstudy import folders
from mimlstudy.counts import number_and_noun
from mimlstudy.engine.fingerprint import fingerprint, modules_behind
from mimlstudy.engine.records import CURRENT, GROUP, MADE_ALIKE, Store
from mimlstudy.engine.verify import with_groups
from mimlstudy.judge.compare import MISSING_CELL, as_table_names, compare_with_paper, run_means
from mimlstudy.judge.selection import (
    NO_RECORDS,
    RECORDED_IN,
    SETTINGS_COLUMNS,
    Records,
    Selection,
    as_in_our_tables,
    selected,
)
from mimlstudy.paper.catalogue import CATALOGUE, default_store
from mimlstudy.paper.experiments import EXPERIMENTS, reader
from mimlstudy.paper.printed import printed_tables
from mimlstudy.paper.settings import CLOSEST, settings_table
from mimlstudy.report import tables
from mimlstudy.report.marks import DAGGER
from mimlstudy.report.sentences import counted, of_profile
from mimlstudy.report.verdict_looks import VERDICT_WORDS
from mimlstudy.report.words import IN_SENTENCES

RunValues = dict[str, float]  # by the run's name


@dataclass(frozen=True)
class ExplainedSetting:
    """The value of a parameter, and why it has this value."""

    parameter: str
    value: str
    reason: str
    by_print: bool  # whether it was chosen because it comes closest to print

    def __str__(self):
        mark = f" {DAGGER}" if self.by_print else ""
        setting = f"{self.parameter} = {self.value}"
        # Reasons stand below each other.
        return f"{setting:<50} {self.reason}{mark}"


@dataclass(frozen=True)
class Origin:
    """Where the trials of a method on a data set come from."""

    trials: tuple[str, ...]
    settings: tuple[ExplainedSetting, ...]
    splits: str
    code: tuple[str, ...]
    machines: tuple[str, ...]
    verified: tuple[str, ...]
    command: str  # that runs the trials again

    def facts(self) -> dict[str, tuple[str, ...]]:
        """What is known of the trials, as lines of text by what they are about."""
        return {
            "trials": self.trials,
            "settings": (*map(str, self.settings), *self._legend(), self.splits),
            "code": self.code,
            "machines": self.machines,
            "verified": self.verified,
            "run again": (self.command,),
        }

    def _legend(self):
        by_print = any(setting.by_print for setting in self.settings)
        return (f"{DAGGER} chosen because it comes closest to print",) if by_print else ()

    def to_html(self) -> str:
        """The facts as a list of definitions."""
        return _definitions(self.facts())


@dataclass(frozen=True)
class Trace:
    """One cell of a table, and all that stands behind it.

    ``runs`` are the values of its runs for each way of choosing settings, by the run's name: a
    split, a cross-validation of ten folds, or a data set where a table takes its mean over them.
    ``origins`` says for each way where its trials come from.
    """

    table: int
    method: str
    criterion: str
    dataset: str
    printed: str
    ours: str
    verdict: str
    printed_mean: float
    tolerance: float
    runs: dict[str, RunValues]
    origins: dict[str, Origin]

    @property
    def address(self) -> str:
        """The number's name on the site, such as ``table1/MimlSvm/coverage/scene``."""
        return tables.address(self.table, self.method, self.criterion, self.dataset)

    @property
    def title(self) -> str:
        """The number in words."""
        return f"Table {self.table}, {self.method}, {self.criterion} on {self.dataset}"

    def facts(self) -> dict[str, tuple[str, ...]]:
        """What is known of the number itself, as lines of text by what they are about."""
        return {
            "printed": (self.printed,),
            "ours": (self.ours,),
            "verdict": (self.verdict, *self._distance()),
            "runs": tuple(self._runs_in_words()),
        }

    def _distance(self):
        """How far our mean is from the printed one, if there are both."""
        values = [*self.runs["closest"].values()]
        if not values or np.isnan(self.printed_mean) or np.isnan(self.tolerance):
            return ()
        mean = np.mean(values)
        apart = abs(mean - self.printed_mean)
        difference = f"|{mean:.4f} - {self.printed_mean:.4f}| = {apart:.4f}"
        return (f"{difference}; tolerance {self.tolerance:.4f}",)

    def _runs_in_words(self):
        for column, values in self.runs.items():
            if values:
                mean = tables.number_text(np.mean([*values.values()]))
                what = f"{len(values)} with {IN_SENTENCES[column]}"
                if len(values) == 1:
                    (run,) = values  # its name says how much of a run it is
                    what += f" ({_kind_of_run(self.table)} {run})"
                yield f"{what}: mean {mean}"

    def __str__(self):
        lines = [self.title, "", *_lines(self.facts())]
        for words, origin in self._origins_by_words():
            lines += ["", words, *_lines(origin.facts())]
        return "\n".join(lines)

    def _origins_by_words(self):
        """Every origin once, with the ways of choosing settings that share it in words."""
        columns_of: dict[Origin, list[str]] = {}
        for column, origin in self.origins.items():
            columns_of.setdefault(origin, []).append(IN_SENTENCES[column])
        for origin, words in columns_of.items():
            yield ", ".join(words), origin

    def picture(self) -> str:
        """The runs as dots, with the printed value and our mean; SVG."""
        # Only pages need it, and its package, of the extra notebooks.
        from mimlstudy.report.dots import dots

        values = {}
        for column, runs in self.runs.items():
            if runs:
                values[IN_SENTENCES[column]] = [*runs.values()]
        # A band without a known width is not seen.
        return dots(values, self.printed_mean, np.nan_to_num(self.tolerance))

    def to_html(self) -> str:
        """The dots, then the facts, with the values of all runs; without the origins."""
        facts = self.facts() | {"values": tuple(self._values_in_words())}
        return f"{self.picture()}\n{_definitions(facts)}"

    def origins_to_html(self) -> str:
        """The origins, each below the ways of choosing settings that share it."""
        parts = []
        for words, origin in self._origins_by_words():
            parts.append(f"<h3>{words}</h3>\n{origin.to_html()}")
        return "\n".join(parts)

    def _values_in_words(self):
        """The value of every run, by its name."""
        for column, values in self.runs.items():
            if values:
                texts = [f"{name}: {tables.number_text(value)}" for name, value in values.items()]
                yield f"{IN_SENTENCES[column]}, by {_kind_of_run(self.table)}: {', '.join(texts)}"

    def _repr_html_(self):
        title = f"<p><b>{escape(self.title)}</b></p>"
        return "\n".join([title, self.to_html(), self.origins_to_html()])


def _lines(facts):
    """Facts as lines of text: the name stands before the first text of a fact."""
    lines = []
    for name, texts in facts.items():
        for head, text in zip_longest([name], texts, fillvalue=""):
            lines.append(f"{head:<10}{text}")
    return lines


def _definitions(facts):
    """Facts as a list of definitions in HTML."""
    entries = []
    for name, texts in facts.items():
        lines = "<br>".join(escape(" ".join(text.split())) for text in texts)
        if lines:
            entries.append(f"<dt>{name}</dt><dd>{lines}</dd>")
    return f'<dl class="facts">{"".join(entries)}</dl>'


def trace(
    table: int | str,
    method: str,
    criterion: str,
    dataset: str | None = None,
    *,
    read: Records | None = None,
    store: Store | None = None,
    profile: str = "paper",
) -> Trace:
    """How one number of Tables 1 to 5 came about.

    Parameters
    ----------
    table : int or str, such as 1 or "table1".
    method, criterion : str, as in the scorecard, or a method of equal tuning.
    dataset : str, default the first of the table.
    read, store, profile : as in :func:`traces`; by default what is published.

    Raises
    ------
    ValueError
        Names what is unknown, and lists what there is; or names what is not recorded, and the
        command that records it.
    """
    number = str(table).removeprefix("table")
    if number not in map(str, printed_tables()):
        raise ValueError(f"table must be one of {list(printed_tables())}, got {table!r}")
    printed = printed_tables()[int(number)]
    dataset = dataset or printed.datasets[0]
    experiment_of = _experiments_by_method(EXPERIMENTS[printed.experiment])
    _check("method", method, experiment_of)
    _check("criterion", criterion, printed.criteria)
    _check("dataset", dataset, printed.datasets)

    store = store or default_store(profile)
    read = read or reader(store, profile)
    for cell in traces(printed.number, read, methods=[method], store=store, profile=profile):
        if (cell.criterion, cell.dataset) == (criterion, dataset):
            return cell
    command = f"mimlpaper compute {experiment_of[method]} --methods {shlex.quote(method)}"
    raise ValueError(
        f"nothing is recorded of {method}; {of_profile(command, profile)} makes its records"
    )


def _experiments_by_method(of_table):
    """The methods of a table's data, with the first experiment that records each: its own first."""
    experiment_of = dict.fromkeys(of_table.methods, of_table.name)
    for name in RECORDED_IN.values():
        for dataset in of_table.datasets:
            for method in EXPERIMENTS[name].methods_on(dataset):
                experiment_of.setdefault(method, name)
    return experiment_of


def _check(name, value, known):
    if value not in known:
        raise ValueError(f"{name} must be one of {list(known)}, got {value!r}")


def traces(
    number: int,
    read: Records,
    *,
    methods=(),
    store: Store | None = None,
    profile: str = "paper",
) -> Iterator[Trace]:
    """The traces of a table's cells, those of ``methods`` if any are named.

    ``read(name)`` gives the records of an experiment in a ``profile``. ``store`` has the outcomes
    of verification, and the files that a trace names; None is that of the profile.
    """
    table = printed_tables()[number]
    by_column = {}
    for column in SETTINGS_COLUMNS:
        records_of_column = selected(read, Selection((table.experiment,), column))
        by_column[column] = as_in_our_tables(records_of_column)
    runs = {column: _runs(rows, table) for column, rows in by_column.items()}
    store = store or default_store(profile)
    outcomes = store.outcomes()
    origins = {}
    for cell in _cells(by_column, number).to_dict("records"):
        place = cell["algorithm"], cell["dataset"]
        if methods and cell["algorithm"] not in methods:
            continue
        # The criteria of a row come from the same trials.
        if place not in origins:
            origins[place] = _origins(table, *place, by_column, store, outcomes, profile)
        yield Trace(
            table=number,
            method=cell["algorithm"],
            criterion=cell["criterion"],
            dataset=cell["dataset"],
            printed=tables.printed_text(cell),
            ours=tables.number_text(cell["mean"], cell["std"]),
            verdict=_verdict_in_words(cell),
            printed_mean=cell["printed_mean"],
            tolerance=cell["tolerance"],
            runs={column: _values(runs[column], cell) for column in SETTINGS_COLUMNS},
            origins=origins[place],
        )


def _cells(by_column, number):
    """The cells of a table, then those of methods that have records in another column alone."""
    cells = compare_with_paper(by_column["closest"], number)
    for column in RECORDED_IN:
        of_column = compare_with_paper(by_column[column], number)
        further = of_column[~of_column["algorithm"].isin(cells["algorithm"])]
        # Their numbers have other settings than those of the table.
        without_ours = further.assign(mean=np.nan, std=np.nan, state=MISSING_CELL)
        cells = pd.concat([cells, without_ours], ignore_index=True)
    return cells


def _verdict_in_words(cell):
    """The verdict of a cell; numbers of old code or settings have none."""
    if cell["state"] not in (CURRENT, MISSING_CELL):
        return f"none: its trials are not current ({cell['state']})"
    return VERDICT_WORDS.get(cell["verdict"], "none: the paper has no such row")


def _kind_of_run(number):
    """What a run of a table is, in words."""
    table = printed_tables()[number]
    if table.run == "dataset":
        return "data set"
    return "split" if table.n_folds == 1 else "cross-validation"


def _runs(rows, table):
    """The mean criteria of each run by (data set, method), with the run's name as index."""
    means = run_means(rows, table)
    means["run"] = [
        str(run) if n_trials >= table.n_folds else f"{run}, {n_trials} of {table.n_folds} folds"
        for run, n_trials in zip(means["run"], means["n_trials"], strict=True)
    ]
    groups = means.groupby(["dataset", "method"])
    return {place: runs.set_index("run") for place, runs in groups}


def _values(runs, cell):
    """The values of a cell's runs by their names."""
    means = runs.get((cell["dataset"], cell["algorithm"]))
    if means is None or cell["criterion"] not in means:
        return {}
    values = means[cell["criterion"]].dropna()
    return {run: float(value) for run, value in values.items()}


def _origins(table, method, dataset, by_column, store, outcomes, profile):
    """Where the trials of a method on a data set come from, by how their settings were chosen."""
    origins = {}
    for column, records in by_column.items():
        is_of_cell = (records["method"] == method) & (as_table_names(records, table) == dataset)
        rows = records[is_of_cell]
        if len(rows):
            # Rows without a setting chosen by print have no others that are fixed in advance.
            experiment = EXPERIMENTS[rows["experiment"].iloc[0]]
            origins[column] = _origin(experiment, method, rows, store, outcomes, profile)
    of_table = EXPERIMENTS[table.experiment]
    if not origins and method in of_table.methods:
        origins["closest"] = _origin(of_table, method, NO_RECORDS, store, outcomes, profile)
    return origins


def _origin(experiment, method, rows, store, outcomes, profile):
    """Where some trials of a method come from; the first data set of Table 4 stands for all."""
    if "code" in rows and len(rows):  # else made up, not recorded
        rows = with_groups(rows)
    example = rows["dataset"].iloc[0] if len(rows) else experiment.datasets[0]
    part = experiment.part_of(example, method)
    estimator, loader = experiment.estimator(example, method), CATALOGUE.loader(example)
    behind = estimator, loader, part.splits, experiment.measure
    code = ["today's fingerprint " + " ".join(fingerprint(*behind))]
    for module, n_definitions in modules_behind(*behind).items():
        file = module.replace(".", "/") + ".py"
        code.append(f"{file:<42} {number_and_noun(n_definitions, 'definition')} in use")
    # A name such as "RankSvm, converged" needs quotes in a shell.
    compute = of_profile(f"mimlpaper compute {experiment.name}", profile)
    return Origin(
        trials=_trials(experiment, rows, store) if len(rows) else (f"none; {compute}",),
        settings=tuple(_settings(part, method, example)),
        splits=f"{part.splits}; {experiment.name} in mimlstudy/paper",
        code=tuple(code),
        machines=tuple(_machines(rows)),
        verified=_verified(rows, outcomes),
        command=f"{compute} --methods {shlex.quote(method)} --recompute",
    )


def _trials(experiment, rows, store):
    """Numbers, seeds, seconds and files of some trials."""
    states = counted(rows["state"].value_counts())
    lowest, highest = rows["split"].min(), rows["split"].max()
    seconds = rows["seconds"].sum()
    return (
        f"{len(rows)}: {states}; seeds {lowest} to {highest}",
        f"{seconds:.1f} s of processor time in all",
        *_files(experiment, store),
    )


def _files(experiment, store):
    """The files that a store reads an experiment's records from, within the project."""
    paths = [layer.path(experiment.name) for layer in store.layers()]
    return [folders.within_project(path) for path in paths if path.is_file()]


def _settings(part, method, dataset):
    """The settings that a row names, each with its reason."""
    table = settings_table({method: part.configurations[method]}, [dataset])
    for row in table[table["basis"] != ""].itertuples():
        reason = ", ".join(filter(None, (row.basis, row.source)))
        yield ExplainedSetting(row.parameter, row.value, reason, row.basis == CLOSEST)


def _machines(rows):
    """On which machines and with which versions the trials ran, and how many."""
    if rows.empty or "machine" not in rows:
        return
    # A table may hold trials of several machines: verification compares them.
    for (machine, versions), trials in rows.groupby(["machine", "versions"]):
        yield f"{number_and_noun(len(trials), 'trial')} on {machine}; {versions}"


def _verified(rows, outcomes):
    """What verification last found of some trials' groups: with today's code, or with earlier."""
    if "verified_code" not in rows:
        return ("never",)
    if lines := _lines_of_outcomes(outcomes.merge(rows[GROUP].drop_duplicates(), on=GROUP)):
        return lines
    of_earlier_code = outcomes.merge(rows[MADE_ALIKE].drop_duplicates(), on=MADE_ALIKE)
    if lines := _lines_of_outcomes(of_earlier_code):
        return ("not with today's code; with earlier code", *lines)
    return ("never",)


def _lines_of_outcomes(outcomes):
    # Several groups of one verification may look alike here.
    shown = outcomes[["date", "outcome", "n_checked", "machine"]].drop_duplicates()
    lines = []
    for row in shown.itertuples():
        n_checked = number_and_noun(row.n_checked, "trial")
        lines.append(f"{row.date}: {row.outcome}, {n_checked}, {row.machine}")
    return tuple(lines)
