"""Recorded trials: one CSV file an experiment, one row a trial and stage; and which are fresh.

A row is appended whole, flushed and synced under a lock, so that neither a crash nor a second
writer loses or mixes records. Part of a row that a killed process left is ignored, and cut off
before the next row is written. Each row ends with a seal, a hash of its text, which shows edits.

The state of a record is "fresh" (made by today's code), "attested" (made by other code, and
``mimlpaper verify`` found that today's gives the same), "stale" (neither, or of other data),
"unchecked" (made by a cluster, and no check of it ended) or "suspect" (edited, or contradicted by a
check). Only fresh and attested records may be shown.
"""

import csv
import hashlib
import io
import os
import re
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import pandas as pd
from filelock import FileLock

from mimlpaper import paths
from mimlpaper.datasets import loader_of
from mimlpaper.datasets.fetch import manifest, source_of
from mimlstudy import folders
from mimlstudy.engine.fingerprint import all_sources, code_fingerprint, provenance
from mimlstudy.engine.trials import Experiment, Trial
from mimlstudy.paper.experiments import EXPERIMENTS, get_experiment

KEY = ["experiment", "dataset", "method", "parameters", "split"]
COUNTS = ["split", "stage", "n_stages", "n_train", "n_test", "seconds"]  # the numbers of every file

STATES = ("fresh", "attested", "stale", "unchecked", "suspect")  # from best to worst
USABLE = STATES[:2]
SUSPECT, UNCHECKED = "suspect ", "unchecked "  # in front of the code of such a record
SEAL = 8  # hexadecimal digits
FORMULA = re.compile(r"'*[=+\-@]")  # begins a text that a spreadsheet would take for a formula

# What verification says of a group: a method's records by one code, compared with today's code.
GROUP = ["experiment", "method", "recorded_code", "code"]
OUTCOMES = [
    *GROUP,
    "outcome",
    "n_checked",
    "largest_difference",
    "date",
    "machine",
    "versions",
    "commit",
]
SAME = ("equal", "close")  # the outcomes that attest a group


class StoreError(RuntimeError):
    """A results file that cannot be read or written; the message names it and the way out."""


class Store:
    """The results files in one folder, and ``verified.csv``, what verification last found.

    Records of the store ``base`` are read where the folder has none of the same trial; no call
    writes them.
    """

    def __init__(self, folder, base: "Store | None" = None):
        self.folder = Path(folder)
        self.base = base

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.csv"

    def append(self, experiment: Experiment, rows: list[dict]):
        """Add rows, all of them or, if that fails, none; a StoreError says why."""
        path = self.path(experiment.name)
        try:
            # Unbuffered: what could not be written must not be written later.
            with self._locked(experiment.name), open(path, "a+b", buffering=0) as file:
                # A writer that was killed may have left part of a row.
                file.seek(0)
                end = file.read().rfind(b"\n") + 1
                file.truncate(end)
                unwritten = _to_csv(rows, columns_of(experiment), with_header=not end).encode()
                try:
                    while unwritten:
                        unwritten = unwritten[file.write(unwritten) :]
                    os.fsync(file.fileno())
                except OSError:
                    file.truncate(end)
                    raise
        except OSError as error:
            raise StoreError(
                f"cannot record to {path}: {error}; what was recorded before is intact"
            ) from error

    def load(self, experiment: Experiment) -> pd.DataFrame:
        """All whole trials; of a trial recorded twice the last, of a torn one nothing."""
        path, columns = self.path(experiment.name), columns_of(experiment)
        data = path.read_bytes() if path.is_file() else b""
        whole = data[: data.rfind(b"\n") + 1].decode(errors="replace")
        own = _parse(whole or _to_csv([], columns), path, columns, experiment.measure.numbers)
        below = self.base.load(experiment) if self.base else own[:0]
        return _latest(pd.concat([below, own], ignore_index=True) if len(below) else own)

    def rewrite(self, experiment: Experiment, change: Callable = lambda rows: rows):
        """Write what ``change`` makes of all whole trials in place of the file, at once.

        No writer comes between reading and writing. Records that were superseded leave the file.
        """
        with self._locked(experiment.name):
            rows = change(Store(self.folder).load(experiment)).to_dict("records")
            paths.write_whole(self.path(experiment.name), _to_csv(rows, columns_of(experiment)))

    def remove(self, experiment: Experiment, keys: set[tuple]):
        """Remove the records of these trials."""
        self.rewrite(experiment, lambda rows: rows[[key not in keys for key in keys_of(rows)]])

    def mark(self, experiment: Experiment, keys: set[tuple], mark: str):
        """Set the mark of these trials' records: :data:`SUSPECT`, :data:`UNCHECKED` or ""."""

        def marked(rows):
            named = [key in keys for key in keys_of(rows)]
            return rows.assign(code=rows["code"].mask(named, mark + bare_codes(rows)))

        self.rewrite(experiment, marked)

    def outcomes(self) -> pd.DataFrame:
        """What verification last found of each group on each machine; columns :data:`OUTCOMES`."""
        table = self.base.outcomes() if self.base else pd.DataFrame(columns=OUTCOMES)
        if self.path("verified").is_file():
            texts = dict.fromkeys(("recorded_code", "code", "commit"), str)
            table = _newest(table, pd.read_csv(self.path("verified"), dtype=texts))
        return table

    def add_outcomes(self, rows: Iterable[dict]):
        """Add outcomes to ``verified.csv``, in place of those of the same groups."""
        with self._locked("verified"):
            added = pd.DataFrame(list(rows), columns=OUTCOMES)
            table = _newest(Store(self.folder).outcomes(), added).sort_values([*GROUP, "machine"])
            paths.write_whole(self.path("verified"), table.to_csv(index=False, lineterminator="\n"))

    def _locked(self, name):
        self.folder.mkdir(parents=True, exist_ok=True)
        return FileLock(self.folder / f".{name}.lock")


def _newest(known, added):
    table = pd.concat([known, added]) if len(known) else added
    return table.drop_duplicates([*GROUP, "machine"], keep="last")


def _latest(rows):
    """The last run of each trial, if it is whole: its rows stand together, stages ascending."""
    begins = (rows[KEY] != rows[KEY].shift()).any(axis=1) | (rows["stage"].diff() <= 0)
    run = begins.cumsum()
    last = run == run.groupby([rows[name] for name in KEY]).transform("max")
    complete = run.groupby(run).transform("size") == rows["n_stages"]
    return rows[last & complete].reset_index(drop=True)


def columns_of(experiment: Experiment) -> list[str]:
    """The columns of an experiment's file but the seal."""
    return [
        *KEY,
        "stage",
        "n_stages",
        *experiment.measure.words,
        *experiment.measure.numbers,
        "seconds",
        "warnings",
        "kind",
        "n_train",
        "n_test",
        "data_sha256",
        "code",
        "versions",
        "commit",
        "machine",
    ]


def _parse(text, path, columns, numbers):
    """A file's rows; a row whose text does not agree with its seal gets a mark."""
    lines, wanted, rows = text.splitlines(), [*columns, "seal"], []
    reader = csv.reader(lines, strict=True)
    try:
        for row in reader:
            if len(row) != len(wanted) or reader.line_num > len(rows) + 1:  # a quotation mark joins
                raise ValueError(f"expected {len(wanted)} columns, got {len(row)}")
            rows.append(row)
        if rows[0] != wanted:
            raise ValueError(f"expected the columns {wanted}, got {rows[0]}")
        table = pd.DataFrame(rows[1:], columns=wanted, dtype=str)
        for name in (*COUNTS, *numbers):
            table[name] = pd.to_numeric(table[name])
    except (ValueError, csv.Error) as error:
        where = f" line {len(rows) + 1}:" if len(rows) < len(lines) else ""
        raise StoreError(
            f"{path}:{where} {error}; restore the file from version control, or delete the damaged "
            "lines and run `mimlpaper compute` again"
        ) from error
    if "'" in text:
        table = table.replace(rf"^'(?={FORMULA.pattern})", "", regex=True)
    edited = table.pop("seal") != [_seal(line.rpartition(",")[0]) for line in lines[1:]]
    return table.assign(code=table["code"].mask(edited, SUSPECT + table["code"]))


def _seal(row: str) -> str:
    return hashlib.sha256(row.encode()).hexdigest()[:SEAL]


def _to_csv(rows, columns, with_header=True):
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns, lineterminator="\n")
    writer.writerows({name: _recorded_text(row.get(name, "")) for name in columns} for row in rows)
    lines = [f"{line},{_seal(line)}\n" for line in buffer.getvalue().splitlines()]
    return "".join([",".join([*columns, "seal\n"]), *lines][not with_header :])


def _recorded_text(value):
    """Ten digits of a number; a text in one line."""
    if isinstance(value, float):
        return "" if pd.isna(value) else f"{value:.10g}"
    return guarded(" ".join(value.splitlines())) if isinstance(value, str) else value


def guarded(value):
    """A text with an apostrophe before it if a spreadsheet would take it for a formula."""
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


def default_store(profile: str = "paper") -> Store:
    """Where ``mimlpaper compute`` records; a wheel reads the records that it carries as well."""
    if profile == "smoke":
        return Store(folders.build("smoke") / "results")
    carried = Store(folders.IN_WHEEL / "results") if folders.IN_WHEEL.is_dir() else None
    return Store(folders.results(), base=carried)


def explored_store(profile: str = "paper") -> Store:
    """Where notebooks record: ``build/explored``, over the records of ``data/results``."""
    known = default_store(profile)
    return known if profile == "smoke" else Store(folders.build("explored") / "results", base=known)


def records(
    experiment: str | Experiment,
    *,
    profile: str = "paper",
    methods=None,
    store: Store | None = None,
) -> pd.DataFrame:
    """What is recorded of an experiment's trials, in their order, with a column ``state``."""
    described = get_experiment(experiment)
    store = store or default_store(profile)
    trials = pd.DataFrame(described.trials(profile, methods), columns=KEY)
    table = trials.merge(store.load(described), on=KEY)  # in the order of the trials
    return table.assign(state=_states(table, described, store.outcomes()))


def _states(table, experiment, outcomes):
    confirmed = outcomes["outcome"].isin(SAME).groupby([outcomes[name] for name in GROUP]).all()
    attested = set(confirmed.index[confirmed])
    today, entries = known_codes(experiment, table), manifest()

    @cache
    def state(dataset, method, parameters, recorded, data_sha256):
        files = source_of(dataset).files
        if recorded.startswith((SUSPECT, UNCHECKED)):
            return recorded.split(" ")[0]
        if files and data_sha256 != entries[files[0]].sha256:
            return "stale"
        now = today[dataset, method, parameters]
        (old_code, _, then), (code, _, settings) = recorded.partition("."), now.partition(".")
        same = (experiment.name, method, old_code, code) in attested and settings == then
        return "fresh" if recorded == now else "attested" if same else "stale"

    about = table[["dataset", "method", "parameters", "code", "data_sha256"]]
    return [state(*row) for row in about.itertuples(index=False, name=None)]


def current_code(experiment: Experiment, dataset: str, method: str, parameters: str) -> str:
    """Today's fingerprint of what runs in a trial."""
    estimator = experiment.estimator(dataset, method, parameters)
    splits = experiment.part_of(dataset, method).splits
    return code_fingerprint(estimator, loader_of(dataset), splits, experiment.measure)


def known_codes(experiment: Experiment, table: pd.DataFrame) -> dict[tuple, str]:
    """Today's code by (dataset, method, parameters) of rows; kept for what the registry holds."""
    variants = {"\n".join(key[1:4]): key[1:4] for key in keys_of(table)}
    registered = EXPERIMENTS.get(experiment.name)
    is_kept = registered is not None and experiment.varies(registered)
    place = f"codes_{experiment.name}", all_sources()
    known = (folders.kept(*place) or {}) if is_kept else {}
    new = {
        name: current_code(experiment, *variants[name]) for name in variants.keys() - known.keys()
    }
    codes = known | new
    if new and is_kept:
        folders.keep(*place, codes)
    return {variant: codes[name] for name, variant in variants.items()}


def bare_codes(table: pd.DataFrame) -> pd.Series:
    """The codes that made some rows, without marks."""
    return table["code"].str.split(" ").str[-1]


def other_versions(profile: str = "paper") -> str:
    """A line that says which versions differ here from those of records; empty if none does."""
    here, files = provenance()["versions"].split("; "), default_store(profile).folder.glob("*.csv")
    columns = (pd.read_csv(path, usecols=["versions"])["versions"].dropna() for path in files)
    texts = {text for column in columns for text in column.unique()}
    other = {one for text in texts for one in text.split("; ")} - set(here)
    return f"Recorded with {', '.join(sorted(other))}; here are {', '.join(here)}." if other else ""


def keys_of(table: pd.DataFrame) -> list[tuple]:
    """The key of each row's trial."""
    return list(table[KEY].itertuples(index=False, name=None))


def trials_of(table: pd.DataFrame) -> list[Trial]:
    """The trials of some rows, each once."""
    return [Trial(*key) for key in dict.fromkeys(keys_of(table))]
