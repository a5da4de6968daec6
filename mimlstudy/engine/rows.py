"""The text of recorded rows: columns, numbers, and the seal that ends each row.

A seal is a hash of the texts of a row. It is made where the row is made, in the process that ran
the trial, and checked where the row is read, so that it shows what an accident did in between: an
editor, a spreadsheet, a damaged disk, a slip in the code that writes. It is no protection against
somebody who means to deceive and computes another seal. The proof of a number is that
``mimlpaper verify`` gets it again.
"""

import csv
import hashlib
import io
import re
from collections.abc import Iterable, Sequence

import pandas as pd

SEAL = "seal"  # the last column
SEAL_DIGITS = 8  # hexadecimal
# Begins a text that a spreadsheet would take for a formula. Also behind apostrophes, so that a text
# which has some gets one more, and :func:`unguarded` gives it back.
FORMULA = re.compile(r"'*[=+\-@]")


class StoreError(RuntimeError):
    """A results file that cannot be read or written; the message names it and the way out."""


def recorded_text(value) -> str:
    """What is written of a value: ten digits of a number; a text in one line."""
    if isinstance(value, float):
        return "" if pd.isna(value) else f"{value:.10g}"
    if isinstance(value, str):
        return guarded(" ".join(value.splitlines()))
    return str(value)


def guarded(value):
    """A text with an apostrophe before it if a spreadsheet would take it for a formula."""
    return f"'{value}" if isinstance(value, str) and FORMULA.match(value) else value


def unguarded(text: str) -> str:
    """A text as it was before :func:`guarded`."""
    return text[1:] if text.startswith("'") and FORMULA.match(text, 1) else text


def seal_of(texts: Iterable[str]) -> str:
    """The seal of a row with these texts."""
    joined = "\x1f".join(texts)  # a separator that no text has
    return hashlib.sha256(joined.encode()).hexdigest()[:SEAL_DIGITS]


def sealed(row: dict, columns: Sequence[str]) -> dict:
    """A row with the seal of its texts in the named columns."""
    texts = [recorded_text(row.get(name, "")) for name in columns]
    return row | {SEAL: seal_of(texts)}


def to_csv(rows: Iterable[dict], columns: Sequence[str], *, header: bool = True) -> str:
    """Sealed rows as lines of CSV."""
    lines = [[*columns, SEAL]] if header else []
    for row in rows:
        texts = [recorded_text(row.get(name, "")) for name in columns]
        lines.append([*texts, row[SEAL]])
    return csv_of(lines)


def to_csv_as_known(
    rows: Iterable[dict], columns: Sequence[str], known: str, names: Sequence[str]
) -> str:
    """Sealed rows as CSV, each as it stands in the text ``known`` if it is there.

    A number that is written anew may have other digits, to which the seal does not belong. A row is
    there if a line has its seal and its texts in the columns ``names``.
    """
    wanted = [*columns, SEAL]
    places = [wanted.index(name) for name in (*names, SEAL)]

    def identity(texts):
        return tuple(texts[place] for place in places)

    known_lines = {identity(texts): texts for texts in csv.reader(known.splitlines())}
    lines = [wanted]
    for row in rows:
        texts = [recorded_text(row.get(name, "")) for name in wanted]
        lines.append(known_lines.get(identity(texts), texts))
    return csv_of(lines)


def csv_of(lines: Iterable[Sequence[str]]) -> str:
    """Texts as CSV, line by line."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(lines)
    return buffer.getvalue()


def parse_csv(text: str, columns: Sequence[str]) -> tuple[pd.DataFrame, list[bool]]:
    """The rows of a whole file as texts, with their seals; and of each whether its seal is right.

    Raises ValueError if the file is not laid out so; it names the line, or the columns.
    """
    wanted = [*columns, SEAL]
    lines = text.splitlines()
    reader = csv.reader(lines, strict=True)
    rows: list[list[str]] = []
    try:
        for row in reader:
            if reader.line_num > len(rows) + 1:
                raise ValueError("a quotation mark joins it to the next line")
            if len(row) != len(wanted):
                raise ValueError(f"expected {len(wanted)} columns, got {len(row)}")
            rows.append(row)
    except (ValueError, csv.Error) as error:
        raise ValueError(f"line {len(rows) + 1}: {error}") from error
    if not rows or rows[0] != wanted:
        raise ValueError(
            f"line 1: expected the heads of {len(wanted)} columns in their order, got "
            f"{f'others: {sorted({*wanted} ^ {*rows[0]})}' if rows else 'none'}"
        )
    intact = [row[-1] == seal_of(row[:-1]) for row in rows[1:]]
    texts = [[unguarded(cell) for cell in row] for row in rows[1:]] if "'" in text else rows[1:]
    return pd.DataFrame(texts, columns=wanted, dtype=str), intact


def end_of_rows(data: bytes, n_columns: int) -> tuple[int, bool]:
    """Where the last whole row of a file ends, and whether it ends its line.

    A process that was killed leaves part of a row. An editor may leave off the last end of line:
    that row is whole if its seal is right. ``n_columns`` does not count the seal.
    """
    begin = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
    last = data[begin:].decode(errors="replace")
    if not last:
        return begin, True
    try:
        (row,) = csv.reader([last], strict=True)
    except csv.Error:
        return begin, True
    if len(row) == n_columns + 1 and row[-1] == seal_of(row[:-1]):
        return len(data), False
    return begin, True
