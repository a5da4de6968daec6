"""Attestations: today's code was seen to give the numbers that other code recorded."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from filelock import FileLock

__all__ = ["COLUMNS", "add_attestations", "attested_codes", "load_attestations"]

COLUMNS = [
    "experiment", "method", "recorded_code", "code",
    "n_checked", "largest_difference", "date", "commit", "machine",
]  # fmt: skip


def load_attestations(folder) -> pd.DataFrame:
    """Everything attested about the records in a folder."""
    path = _path(folder)
    if not path.is_file():
        return pd.DataFrame(columns=COLUMNS)
    return pd.read_csv(path, dtype={"recorded_code": str, "code": str}, keep_default_na=False)


def attested_codes(folder, experiment: str) -> set[tuple[str, str, str]]:
    """(method, recorded code, today's code) of an experiment's groups that were attested."""
    table = load_attestations(folder)
    table = table[table["experiment"] == experiment]
    return set(zip(table["method"], table["recorded_code"], table["code"], strict=True))


def add_attestations(folder, rows: list[dict]):
    """Write attestations; one for the same method and pair of codes is replaced."""
    folder = Path(folder)
    with FileLock(folder / ".attested.lock"):
        known = load_attestations(folder).to_dict("records")
        table = pd.DataFrame([*known, *rows], columns=COLUMNS)
        key = ["experiment", "method", "recorded_code", "code"]
        table = table.drop_duplicates(key, keep="last").sort_values(key)
        temporary = folder / ".attested.tmp"
        table.to_csv(temporary, index=False, lineterminator="\n")
        temporary.replace(_path(folder))


def _path(folder):
    return Path(folder) / "attested.csv"
