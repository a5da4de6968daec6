"""Recorded trials: one CSV file an experiment, one row a trial and stage; and which are fresh.

A row is appended whole, flushed and synced under a lock, so that neither a crash nor a second
writer loses or mixes records. Part of a row that a killed process left behind is cut off before
the next row is written, and ignored when the file is read. Each row ends with a seal, a hash of its
text, so that a row that was edited is noticed.

The state of a record says whether it may be shown. "fresh": made by today's code. "attested": made
by other code, and ``mimlpaper verify`` has found that today's code gives the same. "stale":
neither. "unchecked": made by a cluster, and no check of it ended. "suspect": edited, or
contradicted by a check. Only fresh and attested records enter a published number.

Two more tables say what verification found. ``attested.csv``: today's code gives the numbers that
other code recorded. ``verified.csv``: the latest outcome of each group on each kind of machine.
"""

import csv
import hashlib
import io
import json
import os
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import pandas as pd
from filelock import FileLock

from mimlpaper import paths
from mimlpaper.datasets import loader_of
from mimlpaper.study.fingerprint import all_sources, code_fingerprint
from mimlpaper.study.registry import EXPERIMENTS, get_experiment
from mimlpaper.study.trials import Experiment, Trial

KEY = ["experiment", "dataset", "method", "parameters", "split"]
ORIGIN = ["data_sha256", "code", "versions", "commit", "machine"]
COUNTS = ["split", "stage", "n_stages", "n_train", "n_test", "seconds"]  # the numbers of every file

STATES = ("fresh", "attested", "stale", "unchecked", "suspect")  # from best to worst
USABLE = STATES[:2]
SUSPECT, UNCHECKED = "suspect ", "unchecked "  # in front of the code of such a record
SEAL = 8  # hexadecimal digits

ATTESTATIONS = [
    "experiment", "method", "recorded_code", "code",
    "n_checked", "largest_difference", "date", "commit", "machine",
]  # fmt: skip
OUTCOMES = [
    "experiment", "method", "recorded_code", "machine", "outcome", "n_checked",
    "largest_difference", "date", "commit", "versions", "code",
]  # fmt: skip


class StoreError(RuntimeError):
    """A results file that cannot be read or written; the message names it and the way out."""


class Store:
    """The results files in one folder.

    Parameters
    ----------
    folder : path; made when the first row is written.
    base : Store or None
        Records that are read as well, where the folder has none of the same trial; never written.
    """

    def __init__(self, folder, base: "Store | None" = None):
        self.folder = Path(folder)
        self.base = base

    def path(self, experiment: str) -> Path:
        return self.folder / f"{experiment}.csv"

    def check_writable(self, experiment: str):
        """Raise a StoreError if nothing can be added to an experiment's file."""
        try:
            with self._locked(experiment), open(self.path(experiment), "ab"):
                pass
        except OSError as error:
            raise StoreError(f"cannot record to {self.path(experiment)}: {error}") from error

    def append(self, experiment: Experiment, rows: list[dict]):
        """Add rows, all of them or, if that fails, none."""
        path, columns = self.path(experiment.name), columns_of(experiment)
        text = _to_csv(rows, columns)
        # Unbuffered: what could not be written must not wait in a buffer to be written later.
        with self._locked(experiment.name), open(path, "a+b", buffering=0) as file:
            # A writer that was killed may have left part of a row.
            file.seek(0)
            end = file.read().rfind(b"\n") + 1
            file.truncate(end)
            unwritten = (text if end else _header(columns) + text).encode()
            try:
                while unwritten:
                    unwritten = unwritten[file.write(unwritten) :]
                os.fsync(file.fileno())
            except OSError as error:
                file.truncate(end)
                raise StoreError(
                    f"could not record to {path}: {error}; what was recorded before is intact, "
                    "free some space and run the same command again"
                ) from error

    def load(self, experiment: Experiment) -> pd.DataFrame:
        """All whole trials; of a trial recorded twice the last, of a torn one nothing."""
        own = self._read(experiment)
        if self.base is None:
            return own
        return _latest(pd.concat([self.base.load(experiment), own], ignore_index=True))

    def rewrite(self, experiment: Experiment, change: Callable = lambda rows: rows):
        """Write what ``change`` makes of all whole trials in place of the file, at once.

        No writer comes between reading and writing. Records that were superseded leave the file.
        """
        with self._locked(experiment.name):
            rows, columns = (
                change(self._read(experiment)).to_dict("records"),
                columns_of(experiment),
            )
            text = _header(columns) + _to_csv(rows, columns)
            paths.write_whole(self.path(experiment.name), text)

    def _read(self, experiment):
        path, columns = self.path(experiment.name), columns_of(experiment)
        data = path.read_bytes() if path.is_file() else b""
        whole = data[: data.rfind(b"\n") + 1]
        types = dict.fromkeys(COUNTS, int) | dict.fromkeys(experiment.measure.numbers, float)
        if not whole:
            return pd.DataFrame(columns=columns, dtype="str").astype(types | {"seconds": float})
        return _latest(_parse(whole, path, columns, numbers=list(types)))

    def mark(self, experiment: Experiment, keys: set[tuple], mark: str):
        """Set the mark of these trials' records: :data:`SUSPECT`, :data:`UNCHECKED` or ""."""

        def marked(rows):
            named = [key in keys for key in keys_of(rows)]
            bare = rows["code"].str.split(" ").str[-1]
            return rows.assign(code=rows["code"].mask(named, mark + bare))

        self.rewrite(experiment, marked)

    def attested(self, experiment: str) -> set[tuple[str, str, str]]:
        """What is attested of an experiment: (method, recorded code, code), without settings."""
        known = load_table(self.folder, "attested").query("experiment == @experiment")
        pairs = known[["method", "recorded_code", "code"]].itertuples(index=False, name=None)
        return set(pairs) | (self.base.attested(experiment) if self.base else set())

    def _locked(self, experiment):
        self.folder.mkdir(parents=True, exist_ok=True)
        return FileLock(self.folder / f".{experiment}.lock")


def _latest(rows):
    """The last run of each trial, if it is whole: the rows of a run stand together, their stages
    ascending."""
    begins = (rows[KEY] != rows[KEY].shift()).any(axis=1) | (rows["stage"].diff() <= 0)
    run = begins.cumsum()
    last = run == run.groupby([rows[name] for name in KEY]).transform("max")
    complete = run.groupby(run).transform("size") == rows["n_stages"]
    return rows[last & complete].reset_index(drop=True)


def columns_of(experiment: Experiment) -> list[str]:
    """The columns of an experiment's file but the seal."""
    measure = experiment.measure
    return [
        *KEY, "stage", "n_stages", *measure.words, *measure.numbers, "seconds", "warnings",
        "kind", "n_train", "n_test", *ORIGIN,
    ]  # fmt: skip


def _header(columns):
    return ",".join([*columns, "seal"]) + "\n"


def _parse(data, path, columns, numbers):
    advice = "restore the file from version control"
    lines = data.splitlines()
    try:
        table = pd.read_csv(
            io.BytesIO(data), dtype=str, keep_default_na=False, skip_blank_lines=False,
            encoding_errors="replace",
        )  # fmt: skip
    except ValueError as error:  # a row has too many columns
        raise StoreError(f"{path}: {error}; {advice}") from error
    wanted, found = [*columns, "seal"], list(table.columns)
    if found != wanted:
        raise StoreError(f"{path}: expected the columns {wanted}, got {found}; {advice}")
    short = table["seal"] == ""
    if short.any():
        raise StoreError(
            f"{path}, line {short.argmax() + 2}: expected {len(columns) + 1} columns; {advice}, or "
            "delete that line and run `mimlpaper compute` again"
        )
    if len(table) != len(lines) - 1:
        raise StoreError(f"{path}: a quotation mark joins lines of it; {advice}")
    seals = [_seal(line.rpartition(b",")[0]) for line in lines[1:]]
    table["code"] = table["code"].mask(table["seal"] != seals, SUSPECT + table["code"])
    for column in numbers:
        try:
            table[column] = pd.to_numeric(table[column])
        except ValueError as error:
            raise StoreError(
                f"{path}: column {column} holds something that is not a number: {error}; {advice}"
            ) from error
    return table.drop(columns="seal")


def _seal(row: bytes) -> str:
    return hashlib.sha256(row).hexdigest()[:SEAL]


def _to_csv(rows, columns):
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns, lineterminator="\n")
    writer.writerows({name: _cell(row.get(name, "")) for name in columns} for row in rows)
    lines = buffer.getvalue().splitlines()
    return "".join(f"{line},{_seal(line.encode())}\n" for line in lines)


def _cell(value):
    if isinstance(value, float):
        return "" if pd.isna(value) else f"{value:.10g}"
    return " ".join(value.splitlines()) if isinstance(value, str) else value


def default_store(profile: str = "paper") -> Store:
    """Where ``mimlpaper compute`` records: ``data/results``, for "smoke" a folder of ``build``."""
    return Store(paths.build("smoke") / "results" if profile == "smoke" else paths.results())


def explored_store(profile: str = "paper") -> Store:
    """Where notebooks record: a folder of ``build``, over the records of ``data/results``."""
    return Store(paths.build(profile) / "results", base=default_store(profile))


def records(
    experiment: str | Experiment, *, profile: str = "paper", methods=None,
    store: Store | None = None,
) -> pd.DataFrame:  # fmt: skip
    """What is recorded of an experiment's trials, in their order, with a column ``state``.

    The states are :data:`STATES`, described above.
    """
    described = get_experiment(experiment)
    store = store or default_store(profile)
    table = store.load(described)
    place = {
        tuple(vars(trial).values()): i for i, trial in enumerate(described.trials(profile, methods))
    }
    table["place"] = pd.Series(map(place.get, keys_of(table)), dtype=float)
    table = table.dropna(subset="place").sort_values(["place", "stage"], ignore_index=True)
    attested = store.attested(described.name)
    return table.drop(columns="place").assign(state=_states(table, described, attested))


def _states(table, experiment, attested):
    """The state of each row, by its code and that of today."""
    named = table[["dataset", "method", "parameters", "code"]]
    about = list(named.itertuples(index=False, name=None))
    today = _codes_today(experiment, {row[:3] for row in about})
    states = {row: _state(row[3], today[row[:3]], row[1], attested) for row in set(about)}
    return [states[row] for row in about]


def _state(recorded, today, method, attested):
    mark = recorded[: recorded.find(" ") + 1]
    if mark in (SUSPECT, UNCHECKED):
        return mark.strip()
    if recorded == today:
        return "fresh"
    (code, _, settings), (code_now, _, settings_now) = recorded.partition("."), today.partition(".")
    same = (method, code, code_now) in attested and settings == settings_now
    return "attested" if same else "stale"


def current_codes(experiment: Experiment) -> Callable[[str, str, str], str]:
    """Function that gives today's fingerprint of (dataset, method, parameters)."""

    @cache
    def code(dataset, method, parameters):
        estimator = experiment.estimator(dataset, method, parameters)
        splits = experiment.part_of(dataset, method).splits
        return code_fingerprint(estimator, loader_of(dataset), splits, experiment.measure)

    return code


def _codes_today(experiment: Experiment, variants: set[tuple]) -> dict[tuple, str]:
    """Today's fingerprint of each (dataset, method, parameters)."""
    ordered, code = sorted(variants), current_codes(experiment)

    def make():
        return [code(*variant) for variant in ordered]

    known = EXPERIMENTS.get(experiment.name) is experiment
    key = repr([all_sources(), ordered])
    codes = kept(f"codes_{experiment.name}", key, make) if known else make()
    return dict(zip(ordered, codes, strict=True))


def kept(name: str, key: str, make: Callable):
    """What ``make()`` gave, ready for JSON, from a file of ``build`` while the key is equal."""
    path = paths.build("kept") / f"{name}.json"
    found = json.loads(path.read_text()) if path.is_file() else {}
    if found.get("key") != key:
        found = {"key": key, "value": make()}
        paths.write_whole(path, json.dumps(found))
    return found["value"]


def keys_of(table: pd.DataFrame) -> list[tuple]:
    """The key of each row's trial."""
    return list(table[KEY].itertuples(index=False, name=None))


def trials_of(table: pd.DataFrame) -> list[Trial]:
    """The trials of some rows, each once."""
    return [Trial(*key) for key in dict.fromkeys(keys_of(table))]


def load_table(folder, name: str) -> pd.DataFrame:
    """The table "attested" or "verified" of a folder of records."""
    columns = {"attested": ATTESTATIONS, "verified": OUTCOMES}[name]
    path = Path(folder) / f"{name}.csv"
    if not path.is_file():
        return pd.DataFrame(columns=columns)
    return pd.read_csv(path, dtype=dict.fromkeys(("recorded_code", "code", "commit"), str))


def add_to_table(folder, name: str, rows: Iterable[dict]):
    """Add rows to the table "attested" or "verified", in place of those with the same key.

    The file is whole at any time, and one writer waits for the other.
    """
    columns, key = {"attested": (ATTESTATIONS, 4), "verified": (OUTCOMES, 4)}[name]
    path = Path(folder) / f"{name}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.with_name(f".{name}.lock")):
        added = pd.DataFrame(list(rows), columns=columns)
        table = pd.concat([load_table(folder, name), added]) if path.is_file() else added
        table = table.drop_duplicates(columns[:key], keep="last").sort_values(columns[:key])
        paths.write_whole(path, table.to_csv(index=False, lineterminator="\n"))
