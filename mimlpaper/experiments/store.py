"""Recorded trials: one CSV file an experiment, one row a trial and stage.

A row is appended whole, flushed and synced under a lock, so that neither a crash nor a second
writer loses or mixes what is recorded. The tail of a row that a killed process left behind is
cut off before the next one is written, and passed over when the file is read.
"""

from __future__ import annotations

import csv
import io
import os
import tempfile
from pathlib import Path

import pandas as pd
from filelock import FileLock

__all__ = ["COLUMNS", "KEY", "Store", "StoreError"]

KEY = ["experiment", "dataset", "method", "parameters", "split"]

COLUMNS = [
    *KEY, "stage", "n_stages",
    "hamming_loss", "one_error", "coverage", "ranking_loss",
    "average_precision", "average_recall", "average_f1", "accuracy",
    "fit_seconds", "predict_seconds", "chosen", "warnings",
    "kind", "n_train", "n_test", "data_sha256", "code", "versions", "commit", "machine",
]  # fmt: skip

TEXT = [
    "experiment", "dataset", "method", "parameters", "chosen", "warnings",
    "kind", "data_sha256", "code", "versions", "commit", "machine",
]  # fmt: skip


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
            end = _end_of_whole_rows(file)
            file.truncate(end)
            unwritten = (text if end else _header() + text).encode()
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
        if not path.is_file():
            return pd.DataFrame(columns=COLUMNS)
        whole = path.read_bytes()
        whole = whole[: whole.rfind(b"\n") + 1]
        if not whole:
            return pd.DataFrame(columns=COLUMNS)
        rows = _parse(whole, path)
        rows = rows.drop_duplicates([*KEY, "stage"], keep="last")
        written = rows.groupby(KEY)["stage"].transform("size")
        return rows[written == rows["n_stages"]].reset_index(drop=True)

    def replace(self, experiment: str, rows: pd.DataFrame):
        """Write ``rows`` in place of everything recorded, at once."""
        with self._locked(experiment):
            handle, temporary = tempfile.mkstemp(dir=self.folder, suffix=".tmp")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write((_header() + _to_csv(rows.to_dict("records"))).encode())
                    file.flush()
                    os.fsync(file.fileno())
                os.chmod(temporary, 0o644)
                os.replace(temporary, self.path(experiment))
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise

    def _locked(self, experiment):
        self.folder.mkdir(parents=True, exist_ok=True)
        return FileLock(self.folder / f".{experiment}.lock")


def _end_of_whole_rows(file):
    """Position after the last whole row: a writer that was killed may have left part of one."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    return file.read().rfind(b"\n") + 1 if size else 0


def _parse(data, path):
    lines = csv.reader(io.StringIO(data.decode(errors="replace"), newline=""))
    rows = []
    for row in lines:
        if len(row) != len(COLUMNS) or (lines.line_num == 1 and row != COLUMNS):
            raise StoreError(
                f"{path}, line {lines.line_num}: expected {len(COLUMNS)} columns as in the header "
                f"of this version, got {len(row)}; restore the file from version control, or "
                "delete that line and run `mimlpaper compute` again"
            )
        rows.append(row)
    table = pd.DataFrame(rows[1:], columns=COLUMNS)
    for column in COLUMNS:
        if column not in TEXT:
            try:
                table[column] = pd.to_numeric(table[column].replace("", None))
            except ValueError as error:
                raise StoreError(
                    f"{path}: column {column} holds something that is not a number: {error}; "
                    "restore the file from version control"
                ) from error
    return table


def _header():
    return ",".join(COLUMNS) + "\n"


def _to_csv(rows):
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, COLUMNS, lineterminator="\n")
    writer.writerows({name: _cell(row.get(name, "")) for name in COLUMNS} for row in rows)
    return buffer.getvalue()


def _cell(value):
    if isinstance(value, float):
        return "" if pd.isna(value) else f"{value:.10g}"
    return value
