"""What verification found, kept beside the records: attestations, and the latest outcomes.

``attested.csv``: today's code was seen to give the numbers that other code recorded.
``verified.csv``: every group's latest outcome on each kind of machine, whatever code made it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pandas as pd

from mimlpaper.experiments.keyed import put_rows

__all__ = [
    "COLUMNS",
    "OUTCOMES",
    "add_attestations",
    "add_outcomes",
    "attested_codes",
    "codes_digest",
    "load_attestations",
    "load_outcomes",
    "outcomes_of",
]

COLUMNS = [
    "experiment", "method", "recorded_code", "code",
    "n_checked", "largest_difference", "date", "commit", "machine",
]  # fmt: skip

OUTCOMES = [
    "experiment", "method", "machine", "outcome", "n_recorded", "n_checked",
    "largest_difference", "date", "commit", "versions", "codes",
]  # fmt: skip


def load_attestations(folder) -> pd.DataFrame:
    """Everything attested about the records in a folder."""
    return _read(_attested(folder), COLUMNS)


def load_outcomes(folder) -> pd.DataFrame:
    """The latest outcome of each experiment, method and machine: columns :data:`OUTCOMES`."""
    return _read(_verified(folder), OUTCOMES)


def attested_codes(folder, experiment: str) -> set[tuple[str, str, str]]:
    """(method, recorded code, today's code) of an experiment's groups that were attested."""
    table = load_attestations(folder)
    table = table[table["experiment"] == experiment]
    return set(zip(table["method"], table["recorded_code"], table["code"], strict=True))


def outcomes_of(folder, experiment: str, records: pd.DataFrame) -> pd.DataFrame:
    """Latest outcomes of an experiment's groups, of those whose records are still the same."""
    table = load_outcomes(folder)
    today = {method: codes_digest(group) for method, group in records.groupby("method")}
    same = table["codes"] == table["method"].map(today)
    return table[(table["experiment"] == experiment) & same].reset_index(drop=True)


def codes_digest(group: pd.DataFrame) -> str:
    """Short hash of the codes that a group was recorded by: another one, other records."""
    codes = " ".join(sorted(set(group["code"])))
    return hashlib.sha256(codes.encode()).hexdigest()[:12]


def add_attestations(folder, rows: list[dict]):
    """Write attestations; one for the same method and pair of codes is replaced."""
    key = ["experiment", "method", "recorded_code", "code"]
    put_rows(_attested(folder), rows, key, lambda path: _read(path, COLUMNS), ordered=True)


def add_outcomes(folder, rows: list[dict]):
    """Write outcomes; one for the same method on the same kind of machine is replaced."""
    key = ["experiment", "method", "machine"]
    put_rows(_verified(folder), rows, key, lambda path: _read(path, OUTCOMES), ordered=True)


def _attested(folder):
    return Path(folder) / "attested.csv"


def _verified(folder):
    return Path(folder) / "verified.csv"


def _read(path, columns):
    if not path.is_file():
        return pd.DataFrame(columns=columns)
    codes = dict.fromkeys(("recorded_code", "code", "codes"), str)
    return pd.read_csv(path, dtype=codes, keep_default_na=False)
