"""The former layout of results files, which is read until ``mimlstudy.paper.upgrade`` has run.

Its code and settings stood in one column, "code.settings"; the arithmetic stood in the machine's;
there was no doubt, and another seal.
"""

import csv
import hashlib

from mimlstudy.engine.arithmetic import OWN, PINNED
from mimlstudy.engine.rows import SEAL, SEAL_DIGITS, csv_of, seal_of

REMEDY = "python -m mimlstudy.paper.upgrade writes it in today's"
NEW = ("settings", "arithmetic", "doubt")  # columns that it did not have
OUTCOMES = (
    "experiment,method,recorded_code,code,outcome,n_checked,largest_difference,"
    "date,machine,versions,commit"
)
PINNED_MACHINE = "; x86-64-v3; openblas Haswell"


def columns_of(columns) -> list[str]:
    """The former columns of a file with these columns."""
    return [name for name in columns if name not in NEW]


def header(columns) -> str:
    """The first line of a file in the former layout."""
    return ",".join([*columns_of(columns), SEAL])


def is_outcomes(text: str) -> bool:
    """Whether a text is the former ``verified.csv``, which is about former fingerprints."""
    return text.splitlines()[:1] == [OUTCOMES]


def upgraded(text: str, columns) -> str:
    """A former file in today's layout. A row that does not agree with its seal gets no right one.

    Raises ValueError or csv.Error, which name the line, if a row is not laid out so.
    """
    names = [*columns_of(columns), SEAL]
    lines = [[*columns, SEAL]]
    # Line by line: no text of a record has an end of line.
    for number, line in enumerate(text.splitlines()[1:], start=2):
        fields = next(csv.reader([line], strict=True), [])
        if len(fields) != len(names):
            raise ValueError(f"line {number}: expected {len(names)} columns, got {len(fields)}")
        row = dict(zip(names, fields, strict=True))
        right = hashlib.sha256(line.rpartition(",")[0].encode()).hexdigest()[:SEAL_DIGITS]
        texts = _upgraded_texts(row, columns)
        lines.append([*texts, seal_of(texts) if row[SEAL] == right else ""])
    return csv_of(lines)


def _upgraded_texts(row, columns):
    code, _, settings = row["code"].partition(".")
    machine, pinned, rest = row["machine"].partition(PINNED_MACHINE)
    arithmetic = PINNED if pinned and not rest else OWN
    changed = {"code": code, "settings": settings, "arithmetic": arithmetic, "machine": machine}
    new = row | changed | {"doubt": ""}
    return [new[name] for name in columns]
