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

from mimlstudy.engine.fingerprint import fingerprint, modules_behind
from mimlstudy.engine.records import CURRENT, GROUP, Store, read_records
from mimlstudy.engine.verify import with_groups
from mimlstudy.judge.compare import MISSING_CELL, compare_with_paper, run_means
from mimlstudy.judge.selection import (
    SETTINGS_COLUMNS,
    Records,
    Selection,
    as_in_our_tables,
    selected,
)
from mimlstudy.paper.catalogue import CATALOGUE, default_store
from mimlstudy.paper.experiments import EXPERIMENTS, ROWS
from mimlstudy.paper.published import published_tables
from mimlstudy.paper.settings import CLOSEST, settings_table
from mimlstudy.report import tables
from mimlstudy.report.verdict_looks import IN_PRINT
from mimlstudy.report.words import IN_SENTENCES, counted, number_of

RunValues = dict[str, float]  # by the run's name


@dataclass(frozen=True)
class ExplainedSetting:
    """The value of a parameter, and why it has this value."""

    parameter: str
    value: str
    reason: str
    by_print: bool  # whether it was chosen because it comes closest to print

    def __str__(self):
        mark = " †" if self.by_print else ""
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
            "settings": (*map(str, self.settings), self.splits),
            "code": self.code,
            "machines": self.machines,
            "verified": self.verified,
            "run again": (self.command,),
        }

    def to_html(self) -> str:
        """The facts as a list of definitions."""
        return _definitions(self.facts())


@dataclass(frozen=True)
class Trace:
    """One cell of a table, and all that stands behind it.

    ``runs`` are the values of its runs for each way of choosing settings, by the run's name: a
    split, a cross-validation of ten folds, or a data set where a table takes its mean over them.
    """

    table: int
    method: str
    criterion: str
    dataset: str
    printed: str
    ours: str
    verdict: str
    published_mean: float
    tolerance: float
    runs: dict[str, RunValues]
    origin: Origin

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
        if not values or np.isnan(self.published_mean) or np.isnan(self.tolerance):
            return ()
        mean = np.mean(values)
        apart = abs(mean - self.published_mean)
        difference = f"|{mean:.4f} - {self.published_mean:.4f}| = {apart:.4f}"
        return (f"{difference}; agrees up to {self.tolerance:.4f}",)

    def _runs_in_words(self):
        for column, values in self.runs.items():
            if values:
                mean = tables.number_text(np.mean([*values.values()]))
                yield f"{len(values)} with {IN_SENTENCES[column]}: mean {mean}"

    def __str__(self):
        lines = [self.title, ""]
        facts = self.facts() | self.origin.facts()
        for name, texts in facts.items():
            # The name stands before the first of its texts.
            pairs = zip_longest([name], texts, fillvalue="")
            lines += [f"{head:<10}{text}" for head, text in pairs]
        return "\n".join(lines)

    def picture(self) -> str:
        """The runs as dots, with the printed value and our mean; SVG."""
        # Only pages need it, and its package, of the extra notebooks.
        from mimlstudy.report.dots import dots

        values = {}
        for column, runs in self.runs.items():
            if runs:
                values[IN_SENTENCES[column]] = [*runs.values()]
        # A band without a known width is not seen.
        return dots(values, self.published_mean, np.nan_to_num(self.tolerance))

    def to_html(self) -> str:
        """The dots, then the facts, with the values of all runs; without the origin."""
        facts = self.facts() | {"values": tuple(self._values_in_words())}
        return f"{self.picture()}\n{_definitions(facts)}"

    def _values_in_words(self):
        """The value of every run, by its name."""
        for column, values in self.runs.items():
            if values:
                texts = [f"{name}: {tables.number_text(value)}" for name, value in values.items()]
                yield f"{IN_SENTENCES[column]}, by {_kind_of_run(self.table)}: {', '.join(texts)}"

    def _repr_html_(self):
        title = f"<p><b>{escape(self.title)}</b></p>"
        return "\n".join([title, self.to_html(), self.origin.to_html()])


def _definitions(facts):
    """Facts as a list of definitions in HTML."""
    entries = []
    for name, texts in facts.items():
        lines = "<br>".join(escape(" ".join(text.split())) for text in texts)
        if lines:
            entries.append(f"<dt>{name}</dt><dd>{lines}</dd>")
    return f'<dl class="facts">{"".join(entries)}</dl>'


def trace(table: int | str, method: str, criterion: str, dataset: str | None = None) -> Trace:
    """How one number of Tables 1 to 5 came about.

    Parameters
    ----------
    table : int or str, such as 1 or "table1".
    method, criterion : str, as in the scorecard.
    dataset : str, default the first of the table.

    Raises
    ------
    ValueError
        Names what is unknown, and lists what there is; or names what is not recorded, and the
        command that records it.
    """
    number = str(table).removeprefix("table")
    if number not in map(str, published_tables()):
        raise ValueError(f"table must be one of {list(published_tables())}, got {table!r}")
    printed = published_tables()[int(number)]
    dataset = dataset or printed.datasets[0]
    methods = EXPERIMENTS[printed.experiment].methods
    _check("method", method, methods)
    _check("criterion", criterion, printed.criteria)
    _check("dataset", dataset, printed.datasets)

    store = default_store()

    def read(name):
        return read_records(EXPERIMENTS[name], store=store)

    for cell in traces(printed.number, read, methods=[method], store=store):
        if (cell.criterion, cell.dataset) == (criterion, dataset):
            return cell
    named = shlex.quote(method)
    raise ValueError(
        f"nothing is recorded of {method}; mimlpaper compute {printed.experiment} --methods "
        f"{named} makes its records"
    )


def _check(name, value, known):
    if value not in known:
        raise ValueError(f"{name} must be one of {list(known)}, got {value!r}")


def traces(
    number: int, read: Records, *, methods=(), store: Store | None = None
) -> Iterator[Trace]:
    """The traces of a table's cells, those of ``methods`` if any are named.

    ``read`` returns the records of an experiment by its name. ``store`` has the outcomes of their
    repetitions; None is that of ``data/results``.
    """
    table = published_tables()[number]
    by_column = {}
    for column in SETTINGS_COLUMNS:
        records_of_column = selected(read, Selection((table.experiment,), column))
        by_column[column] = as_in_our_tables(records_of_column)
    recorded = by_column["closest"]
    cells = compare_with_paper(recorded, number)
    runs = {column: _runs(rows, table) for column, rows in by_column.items()}
    store = store or default_store()
    outcomes = store.outcomes()
    if "code" in recorded and len(recorded):  # else made up, not recorded
        recorded = with_groups(EXPERIMENTS[table.experiment], recorded, store)
    origins = {}
    for cell in cells.to_dict("records"):
        place = cell["algorithm"], cell["dataset"]
        if methods and cell["algorithm"] not in methods:
            continue
        # The criteria of a row come from the same trials.
        if place not in origins:
            origins[place] = _origin(table, *place, recorded, outcomes)
        yield Trace(
            table=number,
            method=cell["algorithm"],
            criterion=cell["criterion"],
            dataset=cell["dataset"],
            printed=tables.published_text(cell),
            ours=tables.number_text(cell["mean"], cell["std"]),
            verdict=_verdict_in_words(cell),
            published_mean=cell["published_mean"],
            tolerance=cell["tolerance"],
            runs={column: _values(runs[column], cell) for column in SETTINGS_COLUMNS},
            origin=origins[place],
        )


def _verdict_in_words(cell):
    """The verdict of a cell; numbers of old code or settings have none."""
    if cell["state"] not in (CURRENT, MISSING_CELL):
        return f"none: its trials are not current ({cell['state']})"
    return IN_PRINT.get(cell["verdict"], "none: the paper has no such row")


def _kind_of_run(number):
    """What a run of a table is, in words."""
    table = published_tables()[number]
    if table.run == "dataset":
        return "data set"
    return "split" if table.n_folds == 1 else "cross-validation"


def _runs(rows, table):
    """The mean criteria of each run by (data set, method), with the run's name as index."""
    # A table without records has no columns to group by.
    if rows.empty:
        return {}
    groups = run_means(rows, table).groupby(["dataset", "method"])
    return {place: runs.set_index("run") for place, runs in groups}


def _values(runs, cell):
    """The values of a cell's runs by their names."""
    means = runs.get((cell["dataset"], cell["algorithm"]))
    if means is None or cell["criterion"] not in means:
        return {}
    values = means[cell["criterion"]].dropna()
    return {str(run): float(value) for run, value in values.items()}


def _origin(table, method, dataset, recorded, outcomes):
    """Where the trials of a method on a data set come from."""
    experiment = EXPERIMENTS[table.experiment]
    rows = recorded[recorded["method"] == method]
    # The eleven data sets of Table 4 are one column of it: there the first stands for all.
    if dataset in {*rows["dataset"]}:
        rows = rows[rows["dataset"] == dataset]
    example = rows["dataset"].iloc[0] if len(rows) else experiment.datasets[0]
    splits = experiment.part_of(example, method).splits
    estimator, loader = experiment.estimator(example, method), CATALOGUE.loader(example)
    behind = estimator, loader, splits, experiment.measure
    code = ["today's fingerprint " + " ".join(fingerprint(*behind))]
    for module, n_definitions in modules_behind(*behind).items():
        file = module.replace(".", "/") + ".py"
        code.append(f"{file:<42} {number_of(n_definitions, 'definition')} in use")
    # A name such as "RankSvm, converged" needs quotes in a shell.
    named = f"--methods {shlex.quote(method)} --recompute"
    return Origin(
        trials=_trials(experiment, rows),
        settings=tuple(_settings(experiment, method, example)),
        splits=f"{splits}; {table.experiment} in mimlstudy/paper",
        code=tuple(code),
        machines=tuple(_machines(rows)),
        verified=_verified(rows, outcomes),
        command=f"mimlpaper compute {experiment.name} {named}",
    )


def _trials(experiment, rows):
    """Numbers, seeds, seconds and the file of some trials."""
    if rows.empty:
        return (f"none; mimlpaper compute {experiment.name}",)
    states = counted(rows["state"].value_counts())
    lowest, highest = rows["split"].min(), rows["split"].max()
    seconds = rows["seconds"].sum()
    return (
        f"{len(rows)}: {states}; seeds {lowest} to {highest}",
        f"{seconds:.1f} s of processor time in all",
        f"data/results/{experiment.name}.csv",
    )


def _settings(experiment, method, dataset):
    """The settings that a row names, each with its reason."""
    table = settings_table({method: ROWS[experiment.name][method]}, [dataset])
    for row in table[table["basis"] != ""].itertuples():
        reason = ", ".join(filter(None, (row.basis, row.source)))
        yield ExplainedSetting(row.parameter, row.value, reason, row.basis == CLOSEST)


def _machines(rows):
    """On which machines and with which versions the trials ran, and how many."""
    if rows.empty or "machine" not in rows:
        return
    # A table may hold trials of several machines: verification compares them.
    for (machine, versions), trials in rows.groupby(["machine", "versions"]):
        yield f"{number_of(len(trials), 'trial')} on {machine}; {versions}"


def _verified(rows, outcomes):
    """What verification by today's code last found of some trials' groups."""
    if "verified_code" not in rows:
        return ("never",)
    of_rows = outcomes.merge(rows[GROUP].drop_duplicates(), on=GROUP)
    # Several groups of one verification may look alike here.
    shown = of_rows[["date", "outcome", "n_checked", "machine"]].drop_duplicates()
    lines = []
    for row in shown.itertuples():
        n_checked = number_of(row.n_checked, "trial")
        lines.append(f"{row.date}: {row.outcome}, {n_checked}, {row.machine}")
    return tuple(lines) or ("never",)
