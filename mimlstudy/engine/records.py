"""Recorded trials: one CSV file an experiment, one row a trial and stage; and which are current.

A row is appended whole, flushed and synced under a lock, so that neither a crash nor a second
writer loses or mixes records. Part of a row that a killed process left is ignored, and cut off
before the next row is written. Each row ends with a seal, a hash of its text, which shows edits.

A record is *current* if today's code and data give it: today's code made it, or ``mimlpaper
verify`` found that today's code gives the same. The column ``state`` says so, or why it is not
current, see :data:`STATES`. Only current records may be shown.
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
from mimlstudy.engine.catalogue import Catalogue
from mimlstudy.engine.fingerprint import code_fingerprint, provenance
from mimlstudy.engine.trials import Experiment, Trial

KEY = ["experiment", "dataset", "method", "parameters", "split"]
COUNTS = ["split", "stage", "n_stages", "n_train", "n_test", "seconds"]  # the numbers of every file

CURRENT = "current"
CODE_CHANGED = "code changed"  # since it was recorded, and verify did not confirm it
DATA_CHANGED = "data changed"  # since it was recorded
DIFFERS = "differs"  # verify got other numbers
DAMAGED = "damaged"  # the row was edited
STATES = (CURRENT, CODE_CHANGED, DATA_CHANGED, DIFFERS, DAMAGED)  # from best to worst
REFUTED = (DIFFERS, DAMAGED)  # whose numbers are wrong, not only old
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

    Parameters
    ----------
    folder : where the files are; it is made when something is recorded.
    catalogue : Catalogue, the data sets of the trials.
    base : Store or None, whose records are read where the folder has none of the same trial; no
        call writes them.
    """

    def __init__(self, folder, catalogue: Catalogue, base: "Store | None" = None):
        self.folder = Path(folder)
        self.catalogue = catalogue
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
            rows = change(self._alone().load(experiment)).to_dict("records")
            paths.write_whole(self.path(experiment.name), _to_csv(rows, columns_of(experiment)))

    def remove(self, experiment: Experiment, keys: set[tuple]):
        """Remove the records of these trials."""
        self.rewrite(experiment, lambda rows: rows[[key not in keys for key in keys_of(rows)]])

    def mark(self, experiment: Experiment, keys: set[tuple]):
        """Mark the records of these trials: they differ, until they are recorded again."""

        def marked(rows):
            named = [key in keys for key in keys_of(rows)]
            return rows.assign(code=rows["code"].mask(named, f"{DIFFERS} " + bare_codes(rows)))

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
            table = _newest(self._alone().outcomes(), added).sort_values([*GROUP, "machine"])
            paths.write_whole(self.path("verified"), table.to_csv(index=False, lineterminator="\n"))

    def _alone(self):
        """The store without its base."""
        return Store(self.folder, self.catalogue)

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
    return table.assign(code=table["code"].mask(edited, f"{DAMAGED} " + table["code"]))


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


def records(
    experiment: Experiment, *, store: Store, profile: str = "paper", methods=None
) -> pd.DataFrame:
    """What is recorded of an experiment's trials, in their order, with a column ``state``."""
    trials = pd.DataFrame(experiment.trials(profile, methods), columns=KEY)
    table = trials.merge(store.load(experiment), on=KEY)  # in the order of the trials
    return table.assign(state=_states(table, experiment, store))


def _states(table, experiment, store):
    outcomes, catalogue = store.outcomes(), store.catalogue
    groups = [outcomes[name] for name in GROUP]
    confirmed = outcomes["outcome"].isin(SAME).groupby(groups).all()
    different = outcomes["outcome"].eq("different").groupby(groups).any()
    attested = set(confirmed.index[confirmed])
    refuted = set(different.index[different])
    today = codes_today(experiment, table, catalogue)

    @cache
    def state(dataset, method, parameters, recorded, data_sha256):
        mark, _, recorded = recorded.rpartition(" ")
        if mark:
            return mark
        if catalogue.content(dataset) not in (None, data_sha256):
            return DATA_CHANGED
        now = today[dataset, method, parameters]
        (old_code, _, then), (code, _, settings) = recorded.partition("."), now.partition(".")
        group = experiment.name, method, old_code, code
        if group in refuted and old_code != code:  # else the record bears the mark
            return DIFFERS
        if recorded == now or (group in attested and settings == then):
            return CURRENT
        return CODE_CHANGED

    about = table[["dataset", "method", "parameters", "code", "data_sha256"]]
    return [state(*row) for row in about.itertuples(index=False, name=None)]


def current_code(
    experiment: Experiment, catalogue: Catalogue, dataset: str, method: str, parameters: str
) -> str:
    """Today's fingerprint of what runs in a trial."""
    estimator = experiment.estimator(dataset, method, parameters)
    splits = experiment.part_of(dataset, method).splits
    return code_fingerprint(estimator, catalogue.loader(dataset), splits, experiment.measure)


def codes_today(experiment: Experiment, table: pd.DataFrame, catalogue: Catalogue) -> dict:
    """Today's code by (dataset, method, parameters) of some rows."""
    configured = table[["dataset", "method", "parameters"]].drop_duplicates()
    keys = configured.itertuples(index=False, name=None)
    return {key: current_code(experiment, catalogue, *key) for key in keys}


def bare_codes(table: pd.DataFrame) -> pd.Series:
    """The codes that made some rows, without marks."""
    return table["code"].str.split(" ").str[-1]


def other_versions(store: Store) -> str:
    """A line that says which versions differ here from those of records; empty if none does."""
    here, files = provenance()["versions"].split("; "), store.folder.glob("*.csv")
    columns = (pd.read_csv(path, usecols=["versions"])["versions"].dropna() for path in files)
    texts = {text for column in columns for text in column.unique()}
    other = {version for text in texts for version in text.split("; ")} - set(here)
    return f"Recorded with {', '.join(sorted(other))}; here are {', '.join(here)}." if other else ""


def keys_of(table: pd.DataFrame) -> list[tuple]:
    """The key of each row's trial."""
    return list(table[KEY].itertuples(index=False, name=None))


def trials_of(table: pd.DataFrame) -> list[Trial]:
    """The trials of some rows, each once."""
    return [Trial(*key) for key in dict.fromkeys(keys_of(table))]
