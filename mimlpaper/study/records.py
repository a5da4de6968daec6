"""Recorded trials: one CSV file an experiment, one row a trial and stage; and which are fresh.

A row is appended whole, flushed and synced under a lock, so that neither a crash nor a second
writer loses or mixes records. Part of a row that a killed process left behind is cut off before
the next row is written, and ignored when the file is read. Each row ends with a seal, a hash of its
text: a row that was edited counts as stale, and verification runs it again.

Two more tables say what verification found. ``attested.csv``: today's code gives the numbers that
other code recorded. ``verified.csv``: the latest outcome of each group on each kind of machine.
"""

import csv
import hashlib
import io
import os
from collections.abc import Callable, Container, Sequence
from dataclasses import astuple
from functools import cache
from pathlib import Path

import pandas as pd
from filelock import FileLock

from mimlpaper import paths
from mimlpaper.datasets import DATASETS
from mimlpaper.metrics import CRITERIA
from mimlpaper.study.experiment import Experiment
from mimlpaper.study.fingerprint import code_fingerprint
from mimlpaper.study.registry import get_experiment
from mimlpaper.study.trials import Trial

KEY = ["experiment", "dataset", "method", "parameters", "split"]

MEASURED = [*CRITERIA, "accuracy"]

COLUMNS = [
    *KEY, "stage", "n_stages", *MEASURED, "fit_seconds", "predict_seconds", "chosen", "warnings",
    "kind", "n_train", "n_test", "data_sha256", "code", "versions", "commit", "machine", "seal",
]  # fmt: skip
HEADER = ",".join(COLUMNS) + "\n"
NUMBERS = [
    "split", "stage", "n_stages", *MEASURED, "fit_seconds", "predict_seconds", "n_train", "n_test"
]  # fmt: skip

ATTESTATIONS = [
    "experiment", "method", "recorded_code", "code",
    "n_checked", "largest_difference", "date", "commit", "machine",
]  # fmt: skip

OUTCOMES = [
    "experiment", "method", "machine", "outcome", "n_recorded", "n_checked",
    "largest_difference", "date", "commit", "versions", "codes",
]  # fmt: skip

# In place of the code, if a spot check did not confirm the run, or the row does not fit its seal:
# such a record counts as stale.
SUSPECT = "suspect"
SEAL = 8  # hexadecimal digits


class StoreError(RuntimeError):
    """A results file that cannot be read or written; the message names it and the way out."""


class Store:
    """The results files in one folder.

    Parameters
    ----------
    folder : path; made when the first row is written.
    """

    def __init__(self, folder):
        self.folder = Path(folder)

    def path(self, experiment: str) -> Path:
        return self.folder / f"{experiment}.csv"

    def append(self, experiment: str, rows: list[dict]):
        """Add rows, all of them or, if that fails, none."""
        text = _to_csv(rows)
        # Unbuffered: what could not be written must not wait in a buffer to be written later.
        with self._locked(experiment), open(self.path(experiment), "a+b", buffering=0) as file:
            # A writer that was killed may have left part of a row.
            file.seek(0)
            end = file.read().rfind(b"\n") + 1
            file.truncate(end)
            unwritten = (text if end else HEADER + text).encode()
            try:
                while unwritten:
                    unwritten = unwritten[file.write(unwritten) :]
                os.fsync(file.fileno())
            except OSError as error:
                file.truncate(end)
                raise StoreError(
                    f"could not record to {self.path(experiment)}: {error}; what was recorded "
                    "before is intact, free some space and run the same command again"
                ) from error

    def load(self, experiment: str) -> pd.DataFrame:
        """All whole trials; of a trial recorded twice the last, of a torn one nothing."""
        path = self.path(experiment)
        data = path.read_bytes() if path.is_file() else b""
        whole = data[: data.rfind(b"\n") + 1]
        if not whole:
            return pd.DataFrame(columns=COLUMNS)
        rows = _parse(whole, path)
        rows = rows.drop_duplicates([*KEY, "stage"], keep="last")
        written = rows.groupby(KEY)["stage"].transform("size")
        return rows[written == rows["n_stages"]].reset_index(drop=True)

    def rewrite(self, experiment: str, change: Callable = lambda rows: rows):
        """Write what ``change`` makes of all whole trials in place of the file, at once.

        No writer comes between reading and writing. Records that were superseded leave the file.
        """
        with self._locked(experiment):
            rows = change(self.load(experiment)).to_dict("records")
            paths.write_whole(self.path(experiment), HEADER + _to_csv(rows))

    def mark_suspect(self, experiment: str, keys: set[tuple]):
        """Let the records of these trials count as stale, since a check did not confirm them."""

        def marked(rows):
            named = [key in keys for key in keys_of(rows)]
            return rows.assign(code=rows["code"].mask(named, SUSPECT))

        self.rewrite(experiment, marked)

    def _locked(self, experiment):
        self.folder.mkdir(parents=True, exist_ok=True)
        return FileLock(self.folder / f".{experiment}.lock")


def _parse(data, path):
    advice = "restore the file from version control"
    try:
        table = pd.read_csv(
            io.BytesIO(data), dtype=str, keep_default_na=False, skip_blank_lines=False,
            encoding_errors="replace",
        )  # fmt: skip
    except ValueError as error:  # a row has too many columns
        raise StoreError(f"{path}: {error}; {advice}") from error
    if list(table.columns) != COLUMNS:
        raise StoreError(
            f"{path}: expected the columns {COLUMNS}, got {list(table.columns)}; {advice}"
        )
    short = table["seal"] == ""
    if short.any():
        raise StoreError(
            f"{path}, line {short.argmax() + 2}: expected {len(COLUMNS)} columns; {advice}, or "
            "delete that line and run `mimlpaper compute` again"
        )
    seals = [_seal(line.rpartition(b",")[0]) for line in data.splitlines()[1:]]
    table["code"] = table["code"].mask(table["seal"] != seals, SUSPECT)
    for column in NUMBERS:
        try:
            table[column] = pd.to_numeric(table[column])
        except ValueError as error:
            raise StoreError(
                f"{path}: column {column} holds something that is not a number: {error}; {advice}"
            ) from error
    return table


def _seal(row: bytes) -> str:
    return hashlib.sha256(row).hexdigest()[:SEAL]


def _to_csv(rows):
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, COLUMNS[:-1], lineterminator="\n")
    writer.writerows({name: _cell(row.get(name, "")) for name in COLUMNS[:-1]} for row in rows)
    lines = buffer.getvalue().splitlines()
    return "".join(f"{line},{_seal(line.encode())}\n" for line in lines)


def _cell(value):
    if isinstance(value, float):
        return "" if pd.isna(value) else f"{value:.10g}"
    return " ".join(value.splitlines()) if isinstance(value, str) else value


def default_store(profile: str = "paper") -> Store:
    """Where records go: ``data/results``, or its git-ignored ``smoke`` folder."""
    return Store(paths.results() / "smoke" if profile == "smoke" else paths.results())


def records(
    experiment: str | Experiment, *, profile: str = "paper", methods=None,
    store: Store | None = None,
) -> pd.DataFrame:  # fmt: skip
    """What is recorded of an experiment's trials, in their order, with a column ``state``.

    ``"fresh"``: made by today's code. ``"attested"``: made by other code, and ``mimlpaper
    verify`` has found that today's code gives the same. ``"stale"``: neither.
    """
    described = get_experiment(experiment)
    store = store or default_store(profile)
    table = store.load(described.name)
    place = {astuple(trial): i for i, trial in enumerate(described.trials(profile, methods))}
    table["place"] = pd.Series(map(place.get, keys_of(table)), dtype=float)
    table = table.dropna(subset="place").sort_values(["place", "stage"], ignore_index=True)
    known = load_attestations(store.folder).query("experiment == @described.name")
    pairs = known[["method", "recorded_code", "code"]].itertuples(index=False, name=None)
    return with_state(table.drop(columns="place"), current_codes(described), set(pairs))


def rows_of(
    table: pd.DataFrame, experiment: Experiment, profile: str, measure: Callable | None = None
) -> pd.DataFrame:
    """The rows of an experiment's trials with a column ``state``; see :func:`current_codes`."""
    wanted = set(map(astuple, experiment.trials(profile)))
    table = table.loc[[key in wanted for key in keys_of(table)]]
    return with_state(table, current_codes(experiment, measure))


def with_state(table: pd.DataFrame, today: Callable, attested: Container = ()) -> pd.DataFrame:
    """Rows with a column ``state``, by their code and that of today.

    ``today`` is from :func:`current_codes`; ``attested`` holds (method, recorded code, code).
    """
    states = []
    for row in table.itertuples():
        code = today(row.dataset, row.method, row.parameters)
        known = (row.method, row.code, code) in attested
        states.append("fresh" if row.code == code else "attested" if known else "stale")
    return table.assign(state=states)


def current_codes(experiment: Experiment, measure: Callable | None = None):
    """Function that gives today's fingerprint of a method's code on a data set.

    ``measure`` is the function that measures the fits, if :func:`run_trial` does not.
    """

    @cache
    def code(dataset, method, parameters):
        estimator = experiment.estimator(Trial(experiment.name, dataset, method, parameters, 0))
        parts = [estimator, measure] if measure else estimator
        return code_fingerprint(parts, DATASETS[dataset], experiment.splits)

    return code


def keys_of(table: pd.DataFrame) -> list[tuple]:
    """The key of each row's trial."""
    return list(table[KEY].itertuples(index=False, name=None))


def seconds_of(table: pd.DataFrame) -> pd.Series:
    """Processor seconds of each row's trial."""
    return table["fit_seconds"] + table["predict_seconds"]


def load_attestations(folder) -> pd.DataFrame:
    """Everything attested about the records in a folder: columns :data:`ATTESTATIONS`."""
    return read_rows(Path(folder) / "attested.csv", ATTESTATIONS)


def load_outcomes(folder) -> pd.DataFrame:
    """The latest outcome of each experiment, method and machine: columns :data:`OUTCOMES`."""
    return read_rows(Path(folder) / "verified.csv", OUTCOMES)


def add_attestations(folder, rows: list[dict]):
    """Write attestations; one for the same method and pair of codes is replaced."""
    put_rows(Path(folder) / "attested.csv", rows, ATTESTATIONS, n_keys=4, ordered=True)


def add_outcomes(folder, rows: list[dict]):
    """Write outcomes; one for the same method on the same kind of machine is replaced."""
    put_rows(Path(folder) / "verified.csv", rows, OUTCOMES, n_keys=3, ordered=True)


def codes_digest(group: pd.DataFrame) -> str:
    """Short hash of the codes that recorded a group: other codes, other records."""
    codes = " ".join(sorted(set(group["code"])))
    return hashlib.sha256(codes.encode()).hexdigest()[:12]


def six_digits(row: dict) -> dict:
    """A row with its real numbers to six digits."""
    return {k: float(f"{v:.6g}") if isinstance(v, float) else v for k, v in row.items()}


def read_rows(path: Path, columns: list[str], optional: Sequence[str] = ()) -> pd.DataFrame:
    """A table that :func:`put_rows` writes; with these columns and no row if there is no file.

    ``optional`` names the numbers that may be missing.
    """
    if not path.is_file():
        return pd.DataFrame(columns=columns)
    missing = {name: [""] for name in optional}
    hashes = dict.fromkeys(("recorded_code", "code", "codes", "commit"), str)
    return pd.read_csv(path, dtype=hashes, keep_default_na=False, na_values=missing)


def put_rows(path: Path, rows: list[dict], columns: list[str], n_keys: int, *, ordered=False):
    """Add rows to a CSV file; a row replaces the one with the same first ``n_keys`` columns.

    The file is whole at any time, and one writer waits for the other. ``ordered`` sorts the file by
    these columns; else it has the order of writing.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.with_name(f".{path.stem}.lock")):
        known = pd.read_csv(path, dtype=str, keep_default_na=False) if path.is_file() else None
        added = pd.DataFrame(rows, columns=columns, dtype=object)
        added = added.where(added.notna(), "").astype(str)
        key = columns[:n_keys]
        table = pd.concat([known, added]).drop_duplicates(key, keep="last")
        table = table.sort_values(key) if ordered else table
        paths.write_whole(path, table.to_csv(index=False, lineterminator="\n"))
