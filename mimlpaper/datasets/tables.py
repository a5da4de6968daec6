"""Tables of instances become labelled bags: cells are numbers, columns features or labels."""

import difflib
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from numbers import Integral, Real

import numpy as np
import pandas as pd

from mimlpaper.arrays import text_of_name
from mimlpaper.bags import LARGEST
from mimlpaper.datasets.labelled import LabelledBags, bags_of_runs, labelled_bags

LABEL_PREFIX = "label:"  # of the head of a column of labels
# A pattern of what is meant for it, or is it: also with other colons, and as R writes it.
LIKE_LABEL_PREFIX = r"(?i:labels?\s*[:\uff1a\u2236\ufe30\ufe55\ua789]|labels?\.)"
# Beside heads of labels also this is meant for one. An apostrophe guards the name of a feature.
NEARLY_LABEL = r"(?i:(?!')[\W_]*(?:label|lable)s?(?![^\W_]))"
ABSENT = ("", "?")  # texts of a missing value
# In lower case, also those of R, SAS, pandas, spreadsheets and databases.
MISSING = frozenset(
    (*ABSENT, "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "nat", "null", "nil", "none", "-", ".")
)
FEATURE_TRUTHS = {"true": 1.0, "false": 0.0}  # of features, as pandas and R write them
DIGITS = 15  # float64 holds integers of so many
MOST_DIGITS = 151  # of LARGEST; Python refuses to read or show integers of thousands
INTEGER = re.compile(r"[+-]?\d++", re.ASCII)
WITH_COMMA = re.compile(r"'[+-]?\d[\d.]*+,[\d.,]*+'", re.ASCII)
# How errors show a text with a word in it, and dates and times.
WORD = re.compile(r"""['"](?>\\x..|\\u.{4}|\\.|[^\\])*?[a-z]{2}""", re.IGNORECASE)
INFINITE = re.compile(r"'[+-]?inf(?:inity)?'", re.IGNORECASE)
SHOWN_TIMES = ("Timestamp(", "Timedelta(", "datetime.")
LABEL_TRUTHS = {
    **dict.fromkeys(("yes", "y", "true", "t", "positive"), 1.0),
    **dict.fromkeys(("no", "n", "false", "f", "negative"), 0.0),
}
TRUTHS_OF_NUMBERS = {-1.0: -1.0, 0.0: 0.0, 1.0: 1.0}
# The grammar of numbers in files: no underscores and no digits of other scripts, which float()
# takes. With possessive quantifiers no text can make a match long.
NUMBER = re.compile(r"[+-]?(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?\d++)?", re.ASCII)
BYTES = 8  # of a number
SPARSE_GAIN = 4  # numbers may take so many times max_bytes, which dense text never reaches
MANY_NAMES = 10_000  # among more, nobody waits for the nearest name


@dataclass(frozen=True)
class Column:
    """A column of numbers: 1 and 0 for a label, and for a nominal one the places of its values.

    A column of numbers may declare its values, 0 and 1, and one of a label any that say yes or no.
    """

    name: str
    # Or nominal, label, set (of labels), instance (its number in the bag), unclear (perhaps such a
    # number), index (perhaps left of one), unread (of new bags).
    kind: str = "number"
    values: Mapping[str, int] = field(default_factory=dict)  # numbers of the declared values

    @property
    def needed(self) -> str:
        """What its cells must be, for errors."""
        if self.kind == "label" and None in map(truth_of, self.values or [None]):
            return "0 or 1"
        if self.kind == "nominal" or self.values:
            return f"one of {', '.join(self.values):.60}"
        if self.kind == "set":
            return "a list of names, or names without quotes and with ; or | between them"
        return f"a finite number of at most {LARGEST:g}"

    def number(self, cell) -> float | None:
        """The number of a cell; None if it misfits, NaN if it is missing (None for a label)."""
        if self.kind == "unread":
            return 0.0
        if self.kind == "label":
            return truth_of(cell) if not self.values or cell in self.values else None
        if self.kind == "number" and not self.values:
            return number_of(cell)
        return np.nan if cell in ABSENT and cell not in self.values else self.values.get(cell)

    def misfit(self, got: str) -> ValueError:
        """The error of a cell that does not fit."""
        is_number = self.kind == "number" and not self.values
        is_rounded = is_number and _is_rounded(got.strip("'"))
        hint = "; float64 would round this integer" if is_rounded else ""
        if is_number and WITH_COMMA.fullmatch(got):
            hint = "; a point stands before decimals, and nothing between thousands"
        elif is_number and WORD.match(got) and not INFINITE.fullmatch(got):
            hint = "; give words as categories, in a DataFrame, or as columns of 0 and 1"
        elif self.kind == "label" and got.strip("'").lower() in MISSING:
            hint = "; leave out bags whose labels are not known"
        elif is_number and got.startswith(SHOWN_TIMES):
            hint = "; give a number, such as of days"
        return ValueError(f"{self.name!r} must be {self.needed}, got {got}{hint}")


@dataclass(frozen=True)
class Table:
    """Numbers with a row for each instance, the name of its bag, and where the row was read."""

    columns: Sequence[Column]
    numbers: np.ndarray  # (n_rows, n_columns)
    bag_names: np.ndarray  # (n_rows,), texts
    line_or_row: pd.Index  # (n_rows,), the number of each; its name says which


def check_values(name: str, values: Sequence[str]):
    """Raise a ValueError if a nominal column declares a value twice."""
    twice = [value for value, times in Counter(values).items() if times > 1]
    if twice:
        raise ValueError(f"{name!r:.60} must have values that differ, got {twice[0]!r:.60} twice")


def number_of(cell) -> float | None:
    """The number in a cell, NaN if it is missing, None if the cell holds something else."""
    if isinstance(cell, str):
        text = cell.strip()
        if NUMBER.fullmatch(text):
            return None if _is_rounded(text) else float(text)
        if text.lower() in FEATURE_TRUTHS:
            return FEATURE_TRUTHS[text.lower()]
        return np.nan if text.lower() in MISSING else None
    if cell is None or cell is pd.NA:
        return np.nan
    if isinstance(cell, np.timedelta64):  # which NumPy counts among the integers
        return None
    if isinstance(cell, Integral) and _is_rounded_integer(int(cell)):
        return None
    if isinstance(cell, Decimal) and _is_rounded(str(cell)):
        return None
    return float(cell) if isinstance(cell, Real | Decimal | np.bool_) else None


def _is_rounded(text):
    """Whether a text is an integer that float64 would round, so that two could become equal."""
    if not INTEGER.fullmatch(text):
        return False
    n_digits = len(text.lstrip("+-0"))
    return n_digits > DIGITS and (n_digits > MOST_DIGITS or _is_rounded_integer(int(text)))


def _is_rounded_integer(integer):
    return abs(integer) > LARGEST or int(float(integer)) != integer


def truth_of(cell) -> float | None:
    """1, 0 or -1 for the cell of a label, None for anything else."""
    if isinstance(cell, str) and cell.strip().lower() in LABEL_TRUTHS:
        return LABEL_TRUTHS[cell.strip().lower()]
    return TRUTHS_OF_NUMBERS.get(number_of(cell))


def where(places: pd.Index, row: int) -> str:
    """The line or row of a file or table, for errors."""
    return f"{places.name} {places[row]}"


@contextmanager
def located(place: object) -> Iterator[None]:
    """Errors inside become ValueErrors that begin with the place."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from error


def place_of(name: str, names: Sequence[str]) -> int:
    """Where the one column of a name stands. A ValueError says which names there are."""
    if names.count(name) > 1:
        raise ValueError(f"{names.count(name)} columns are named {name!r:.60}; one is needed")
    if name in names:
        return names.index(name)
    hint = ""
    if len(names) <= MANY_NAMES:
        known_by_lower = {known.lower(): known for known in names}
        nearest = difflib.get_close_matches(name.lower(), known_by_lower, n=1)
        if nearest:
            hint = f"did you mean {known_by_lower[nearest[0]]!r}? "
    raise ValueError(f"no column is named {name!r:.60}; {hint}there are {', '.join(names)!s:.200}")


def with_labels(columns: Sequence[Column], names: Sequence[str] | None) -> list[Column]:
    """The columns, those of the given names as labels. A ValueError if the labels stay unclear."""
    if names is not None and not len(names):
        return list(columns)  # of bags whose labels nobody knows
    marked = {column.name for column in columns if column.kind == "label"}
    wanted = set(map(text_of_name, names or ()))
    all_names = [column.name for column in columns]
    if not marked and not wanted:
        raise ValueError(
            f"labels= must name the labels, as no {LABEL_PREFIX!r}, relational attribute, -C or "
            f".xml file marks them; there are {', '.join(all_names)!s:.200}"
        )
    times = Counter(all_names)
    for name in sorted(wanted):
        if times[name] != 1:
            place_of(name, all_names)  # says what is wrong
    if marked and wanted and marked != wanted:
        raise ValueError(
            f"labels= must be None or the labels that are marked, {sorted(marked)!s:.200}, "
            f"got {sorted(wanted)!s:.200}"
        )
    return marked_as_labels(columns, wanted)


def marked_as_labels(columns: Sequence[Column], names: Collection[str]) -> list[Column]:
    """The columns, those of the given names as labels."""
    marked = []
    for column in columns:
        is_label = column.name in names
        marked.append(replace(column, kind="label") if is_label else column)
    return marked


def check_size(n_rows: int, n_columns: int, max_bytes: int):
    """Raise a ValueError for numbers that would take more memory than their file allows.

    Sets, nominal columns and sparse rows may be many times as large in memory as in a file.
    """
    if n_rows * n_columns * BYTES > SPARSE_GAIN * max_bytes:
        raise ValueError(
            f"{n_rows:,} rows of {n_columns:,} numbers, for attributes, values or labels, take "
            f"more than {SPARSE_GAIN} times max_bytes={max_bytes:,} bytes; raise it, or leave "
            "rare ones out"
        )


def labelled_of_table(table: Table, missing: float | None, max_bytes: int) -> LabelledBags:
    """The bags and labels of a table; a nominal column is a feature for each value, after numbers.

    ``missing`` replaces missing numbers; a missing nominal value is 0 in all its features. None
    refuses both. Raises ValueError with the place of a number that is too large or missing, or of a
    row whose labels differ from those of its bag.
    """
    _check_numbers(table, missing)
    nominal = [column for column in table.columns if column.kind == "nominal"]
    n_values = sum(len(column.values) for column in nominal)
    check_size(len(table.numbers), n_values, max_bytes)
    instances, feature_names = _features(table, missing)
    if not instances.size:
        raise ValueError(f"a bag and a feature are needed, got {instances.shape}")
    X = bags_of_runs(instances, table.bag_names)
    starts = X.offsets[:-1]
    Y = label_sets_of(table)
    differs = (Y != Y[starts][X.bag_of_instance]).any(axis=1)
    if differs.any():
        row = differs.argmax()
        bag = f"bag {table.bag_names[row]!r:.60}"
        label = (Y[row] != Y[starts][X.bag_of_instance[row]]).argmax()
        names = [column.name for column in table.columns if column.kind == "label"]
        raise ValueError(
            f"{where(table.line_or_row, row)}: {bag} must have equal labels in all rows, got both "
            f"for {names[label]!r:.60}; a bag has each label that one of its rows has, if "
            "table.groupby(bag)[labels].transform('max') is meant"
        )
    return labelled_bags(
        X,
        Y[starts],
        [column.name for column in table.columns if column.kind == "label"],
        feature_names=feature_names,
        bag_names=table.bag_names[starts],
    )


def label_sets_of(table: Table) -> np.ndarray:
    """The label sets of the rows as booleans (n_rows, n_labels).

    Raises ValueError for labels with 0 and -1: one of them may mean that nobody knows.
    """
    labels = [column for column in table.columns if column.kind == "label"]
    is_label = np.array([column.kind == "label" for column in table.columns], dtype=bool)
    numbers = table.numbers[:, is_label]
    has_minus, has_zero = (numbers == -1).any(axis=0), (numbers == 0).any(axis=0)
    has_both = has_minus & has_zero
    if has_both.any():
        name = labels[has_both.argmax()].name
        raise ValueError(f"{name!r:.60} must be 0 and 1, or -1 and 1, got 0 and -1")
    # Of declared values, as in ARFF, it is known that two mean no and yes.
    is_declared = np.array([bool(label.values) for label in labels], dtype=bool)
    has_minus, has_zero = has_minus & ~is_declared, has_zero & ~is_declared
    if has_minus.any() and has_zero.any():
        minus, zero = labels[has_minus.argmax()].name, labels[has_zero.argmax()].name
        raise ValueError(
            f"labels must all be 0 and 1, or all -1 and 1, got -1 in {minus!r:.60} and 0 in "
            f"{zero!r:.60}"
        )
    return numbers > 0


def _check_numbers(table, missing):
    """No number is too large, and none is missing unless another takes its place."""
    strange = np.abs(table.numbers) > LARGEST
    if missing is None:
        strange |= np.isnan(table.numbers)
    if strange.any():
        row, place = np.unravel_index(strange.argmax(), strange.shape)
        number = table.numbers[row, place]
        got = f"{number:g}"
        if np.isnan(number):
            got = "a missing value; give missing= to replace it"
        raise ValueError(f"{where(table.line_or_row, row)}: {table.columns[place].misfit(got)}")


def _features(table, missing):
    """Instances (n_rows, n_features), and the names of their features."""
    kinds = np.array([column.kind for column in table.columns], dtype=object)
    numbers = table.numbers[:, kinds == "number"]
    if missing is not None:
        numbers = np.where(np.isnan(numbers), missing, numbers)
    parts = [numbers]
    names = [column.name for column in table.columns if column.kind == "number"]
    for place in np.flatnonzero(kinds == "nominal"):
        column = table.columns[place]
        names += [f"{column.name}={value}" for value in column.values]
        parts.append(table.numbers[:, [place]] == np.arange(len(column.values)))
    return np.hstack(parts), names
