"""Arrays of real numbers and of label sets, and rows and columns in the order of their names."""

import math
import re
import unicodedata
from collections.abc import Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from numbers import Integral, Real

import numpy as np
import pandas as pd

WHOLE = "biu"  # NumPy's letters of booleans and integers
WHOLE_OR_REAL = f"{WHOLE}f"  # and of floats
EXACT = 2**53  # float64 holds each integer up to here, and rounds most of the larger ones
REFUSED = {
    "c": "complex numbers; give real ones, such as .real or np.abs()",
    "m": "times; give numbers, such as of days",
    "M": "dates; give numbers, such as of days",
    "S": "texts; give numbers, as .astype(float) makes them",
    "U": "texts; give numbers, as .astype(float) makes them",
}
TIMES = date, time, timedelta, np.datetime64, np.timedelta64, pd.Period
# Of cells of objects float() would read some: to Python the text "1_0" is 10.
NO_NUMBERS = str, bytes, complex, *TIMES
# A mark before three digits, as in 1,000.
THOUSANDS = re.compile(r"(?<=\d)[,_'\u2019\u00a0\u202f](?=\d{3}(?!\d))")
A_TABLE = "must be a table of booleans, or 0 and 1"
OF_NAMES = f"{A_TABLE}; make it of lists of names by MultiLabelBinarizer()"


def real_array(name: str, values) -> np.ndarray:
    """``values`` as an array of float64, whatever type holds them; None and pandas' NA are NaN.

    Parameters
    ----------
    name : str, what errors call the values.
    values : array, nested lists, DataFrame or Series of booleans, integers or floats.

    Raises ValueError for what float64 would lose: a mask, dates, complex numbers, texts, and
    integers beyond 2^53.
    """
    check_mask(name, values)
    if hasattr(values, "column_names"):  # its .columns are arrays, not names
        raise ValueError(f"{name} must be no Table of pyarrow; give its .to_pandas()")
    cells = cells_of(name, values)
    _check_kind(name, cells)
    if cells.dtype.kind not in WHOLE_OR_REAL:
        for cell in cells.flat:
            _check_number(name, cell)
    check_integers(name, values)
    if cells.dtype == object:
        cells = np.where(pd.isna(cells), np.nan, cells)
    return np.asarray(cells, dtype=np.float64)  # a copy only of another type


def label_array(name: str, values) -> np.ndarray:
    """Label sets (n_examples, n_labels), dense or sparse, as booleans; errors use ``name``."""
    if hasattr(values, "toarray"):
        values = values.toarray()
    try:
        cells = np.asarray(values)
    except ValueError:  # rows of several lengths
        raise ValueError(f"{name} {OF_NAMES}, got lists") from None
    if cells.dtype.kind in "OUS":
        for cell in cells.flat:
            if isinstance(cell, str | bytes | list | tuple | set | frozenset):
                needed = _needed_of_words(cell, cells.ndim)
                raise ValueError(f"{name} {needed}, got {cell!r}")
    numbers = real_array(name, values)
    if numbers.ndim != 2 or numbers.shape[1] == 0:
        hint = ""
        if numbers.ndim == 1:
            hint = ", for one label np.reshape(Y, (-1, 1)), or of a Series Y.to_frame()"
        raise ValueError(f"{name} must be 2-D, with labels{hint}, got shape {numbers.shape}")
    strange = numbers[~np.isin(numbers, (0, 1))]
    if len(strange):
        hint = ""
        if name == "predicted":
            hint = "; are scores and predicted swapped?"
        elif np.isin(numbers, (-1, 1)).all():
            hint = "; give Y > 0"
        raise ValueError(f"{name} must hold booleans, or 0 and 1, got {strange[0]:g}{hint}")
    return numbers > 0


def _needed_of_words(cell, n_dimensions):
    """What an error says is needed in the place of words, or of sets of words."""
    if not isinstance(cell, str | bytes):
        return OF_NAMES
    if n_dimensions == 1:
        return f"{A_TABLE}; make it of one name an example by pd.get_dummies(Y)"
    return f"{A_TABLE}; make it of words as Y == 'yes' does, of digits by .astype(int)"


def check_type(name: str, values):
    """Raise a ValueError for masks, texts, dates, times and complex numbers in an array or list."""
    check_mask(name, values)
    cells = cells_of(name, values)
    _check_kind(name, cells)
    if cells.dtype == object:
        for cell in cells.flat:
            if isinstance(cell, NO_NUMBERS):
                _check_number(name, cell)


def cells_of(name: str, values) -> np.ndarray:
    """``values`` as an array of the type that holds them; a ValueError if rows differ in length."""
    if hasattr(type(values), "collect"):  # not a column of this name
        raise ValueError(f"{name} must hold its rows, got a lazy table; give its .collect()")
    try:
        return np.asarray(values)
    except ValueError:  # NumPy's words are about an inhomogeneous shape
        raise ValueError(
            f"{name} must have rows of one length, got {type(values).__name__} {values!r:.60}"
        ) from None


def _check_kind(name, cells):
    kind = cells.dtype.kind
    if kind in REFUSED:
        raise ValueError(f"{name} must hold real numbers, got {REFUSED[kind]}")


def check_mask(name: str, values):
    """Raise a ValueError for masked values, also of arrays in a list: NumPy would drop the mask."""
    if _has_mask(values):
        raise ValueError(
            f"{name} must have no masked values; fill them, numbers as "
            ".astype(float).filled(np.nan) does, and truths as .filled(False)"
        )


def _has_mask(values):
    if isinstance(values, list | tuple):
        # A long row of numbers has few types, and none of them holds more.
        types = set(map(type, values))
        nested = any(issubclass(kind, list | tuple | np.ma.MaskedArray) for kind in types)
        return nested and any(map(_has_mask, values))
    return isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values)


def check_integers(name: str, values):
    """Raise a ValueError for an integer that float64 may round: two could become equal."""
    cells = np.asarray(values)
    if cells.dtype.kind in "iu" and cells.size:
        _check_integer(name, int(cells.max()))
        _check_integer(name, int(cells.min()))
    elif cells.dtype == object:
        _check_cells(name, cells.flat)
    elif cells.dtype.kind == "f" and (np.abs(cells, dtype=float) >= EXACT).any():
        # NumPy has rounded integers beside another type, before they were seen.
        _check_rounded(name, values)


def _check_rounded(name, values):
    if isinstance(values, pd.DataFrame):
        for place in range(values.shape[1]):
            check_integers(name, values.iloc[:, place])
    elif isinstance(values, pd.Series):
        _check_cells(name, values.astype(object))
    elif hasattr(values, "get_columns"):  # a table of polars
        for column in values.get_columns():
            _check_cells(name, column.to_list())
    elif isinstance(values, np.ndarray):  # in a list, beside other rows
        _check_cells(name, values.astype(object).flat)
    elif isinstance(values, list | tuple):
        for part in values:
            _check_rounded(name, part)
        _check_cells(name, values)


def _check_cells(name, cells):
    for cell in cells:
        if isinstance(cell, Integral):
            _check_integer(name, int(cell))


def _check_integer(name, integer):
    if abs(integer) > EXACT:
        raise ValueError(
            f"{name} must hold integers of at most 2^53, got {shown(integer)}; subtract a number "
            "from all, or round them, as .astype(float) does"
        )


def shown(cell) -> str:
    """A cell in the words of an error, at most 60 characters."""
    try:
        return f"{cell!r:.60}"
    except ValueError:  # Python shows no longer ones
        return "an integer of thousands of digits"


def _check_number(name, cell):
    """Raise a ValueError unless a cell of an array of objects is a real number, or missing."""
    missing = cell is None or cell is pd.NA
    real = isinstance(cell, Real | Decimal | np.bool_)
    is_time = isinstance(cell, np.timedelta64)  # to NumPy an integer
    if not (missing or real) or is_time:
        got = f"{type(cell).__name__} {shown(cell)}"
        hint = "; give numbers, such as of days" if isinstance(cell, TIMES) else ""
        raise ValueError(f"{name} must hold real numbers, got {got}{hint}")


def order_by_name(what: str, names: Sequence, wanted: Sequence) -> np.ndarray:
    """Places of the ``wanted`` names among ``names``: ``names[places]`` are the wanted ones.

    If one side has integers and the other has words, places stay as they are: pandas made the
    integers, or a split or shuffle kept a part of them. A ValueError refuses what is unclear: words
    that hold the same integers in another order, such as "img3.mp4" and 3, or some of them, such as
    "101" and "102" beside 102 and 103; and an index 0, 1, … of pandas against the same integers in
    another order.

    Parameters
    ----------
    what : str, what errors call the things that have names.
    names, wanted : sequences of equal length; 1, 1.0 and "1" are the same name.

    Raises ValueError also if both sides have names that differ, or repeat in different orders.
    """
    texts = pd.Index(map(text_of_name, names))
    wanted_texts = pd.Index(map(text_of_name, wanted))
    if texts.equals(wanted_texts):
        return np.arange(len(texts))
    if texts.is_unique and wanted_texts.is_unique:
        places = texts.get_indexer(wanted_texts)
        if (places >= 0).all():
            _check_meant(what, names, wanted)
            return places
    are_integers, wanted_are = _are_integers(names), _are_integers(wanted)
    if are_integers != wanted_are:
        integers, words = (names, wanted_texts) if are_integers else (wanted, texts)
        if not _may_mean_other_places(words, integers):
            return np.arange(len(texts))
    in_one_only = wanted_texts.symmetric_difference(texts).tolist()
    difference = str(in_one_only or "names that repeat")
    remedy = "if their order is the same, drop the names of one, as .to_numpy() does"
    if len({*_composed(in_one_only)}) < len(in_one_only):
        difference = ascii(in_one_only)
        remedy = "give both in one form of Unicode, by unicodedata.normalize('NFC', name)"
    elif in_one_only:
        remedy = f"{remedy}; order both alike before a split by places, as scikit-learn's"
    raise ValueError(
        f"{what} must have the same names on both sides, in any order, got {difference:.60} "
        f"on one side only; {remedy}"
    )


def _composed(texts):
    """The texts in one form of Unicode, in which each letter is one character with its accents."""
    return [unicodedata.normalize("NFC", text) for text in texts]


def _check_meant(what, names, wanted):
    """Refuse numbers that pandas gave by itself, and that are names in another order elsewhere."""
    if _is_from_pandas(names) != _is_from_pandas(wanted):
        raise ValueError(
            f"{what} must have names on both sides, or on none, got the same numbers in another "
            "order, on one side from pandas itself; give that side names, as "
            ".set_axis(names, axis=0) does, or, if the order is the same, .to_numpy()"
        )


def _is_from_pandas(names):
    """Whether names are the numbers 0, 1, … of the index that pandas gives where none is given."""
    return isinstance(names, pd.RangeIndex) and (names.start, names.step) == (0, 1)


def text_of_name(name: object) -> str:
    """The name as a text; of a whole number without a point, since pandas may make it a float.

    Equal texts, whole numbers and dates have one text, whether they are Python's, NumPy's or
    pandas' own. Other numbers go by their digits.
    """
    if isinstance(name, tuple):
        parts = [repr(str(part)) if isinstance(part, str) else text_of_name(part) for part in name]
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    if isinstance(name, np.datetime64):
        return str(pd.Timestamp(name))
    if isinstance(name, np.timedelta64):
        return str(pd.Timedelta(name))
    if isinstance(name, float | np.floating | Decimal) and math.isfinite(name) and name % 1 == 0:
        return str(int(name))
    return str(name)


def _are_integers(names):
    """Whether names are an index of different numbers."""
    index = pd.Index(names)
    if pd.api.types.is_float_dtype(index):
        return index.is_unique and all(number.is_integer() for number in index)
    return pd.api.types.is_integer_dtype(index) and index.is_unique


def _may_mean_other_places(words, integers):
    """Whether words hold integers at some place, such as 3 of "s1_img03.png", in another order.

    Or some of them beside others, unless the integers are those of pandas itself.
    """
    made_by_pandas = _is_from_pandas(integers)
    # Exact, since ids may be longer than floats; a minus may be a hyphen in the words.
    integers = [abs(Decimal(int(integer))) for integer in integers]
    without_marks = [THOUSANDS.sub("", word) for word in words]
    columns = [*_columns_of_numbers(words), *_columns_of_numbers(without_marks)]
    if integers in columns:
        return False
    if any(sorted(column) == sorted(integers) for column in columns):
        return True
    if made_by_pandas:
        return False
    # Numbers that repeat, such as 1 of "s1_img03.png", count something else.
    different = [set(column) for column in columns if len(set(column)) == len(column)]
    return any(not numbers.isdisjoint(integers) for numbers in different)


def _columns_of_numbers(words):
    """The numbers at each place that all words have, in digits of any script."""
    numbers = [list(map(Decimal, re.findall(r"\d+", word))) for word in words]
    n_everywhere = min(map(len, numbers))
    # From the beginning and from the end, since other numbers may stand before or behind.
    places = range(-n_everywhere, n_everywhere)
    return [[of_word[place] for of_word in numbers] for place in places]
