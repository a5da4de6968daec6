"""Arrays of real numbers and of label sets, and rows and columns in the order of their names."""

from collections.abc import Sequence
from decimal import Decimal
from numbers import Real

import numpy as np
import pandas as pd

WHOLE_OR_REAL = "biuf"  # NumPy's letters of booleans, integers and floats
REFUSED = {
    "c": "complex numbers; give real ones, such as .real or np.abs()",
    "m": "times; give numbers, such as of days",
    "M": "dates; give numbers, such as of days",
    "S": "texts; give numbers, as .astype(float) makes them",
    "U": "texts; give numbers, as .astype(float) makes them",
}

OF_NAMES = "must be a table of booleans, or 0 and 1; make it of names by MultiLabelBinarizer()"


def real_array(name: str, values) -> np.ndarray:
    """``values`` as an array of float64, whatever type holds them; None and pandas' NA are NaN.

    Parameters
    ----------
    name : str, what errors call the values.
    values : array, nested lists, DataFrame or Series of booleans, integers or floats.

    Raises ValueError for what float64 would lose: a mask, dates, complex numbers, texts.
    """
    check_type(name, values)
    cells = np.asarray(values)
    if cells.dtype.kind not in WHOLE_OR_REAL:
        for cell in cells.flat:
            _check_number(name, cell)
    if isinstance(values, pd.DataFrame | pd.Series):
        return values.to_numpy(dtype=np.float64, na_value=np.nan)
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
            if isinstance(cell, str | bytes | list | set):
                raise ValueError(f"{name} {OF_NAMES} (or .astype(int) of digits), got {cell!r}")
    numbers = real_array(name, values)
    if numbers.ndim != 2 or numbers.shape[1] == 0:
        hint = ""
        if numbers.ndim == 1:
            hint = ", for one label Y[:, None]"
        raise ValueError(f"{name} must be 2-D, with labels{hint}, got shape {numbers.shape}")
    strange = numbers[~np.isin(numbers, (0, 1))]
    if len(strange):
        hint = "; are scores and predicted swapped?" if name == "predicted" else ""
        raise ValueError(f"{name} must hold booleans, or 0 and 1, got {strange[0]:g}{hint}")
    return numbers > 0


def check_type(name: str, values):
    """Raise a ValueError if float64 would lose what the type of an array can hold."""
    if np.ma.is_masked(values):
        raise ValueError(f"{name} has masked values; fill them, as .filled(np.nan) does")
    kind = np.asarray(values).dtype.kind
    if kind in REFUSED:
        raise ValueError(f"{name} must hold real numbers, got {REFUSED[kind]}")


def _check_number(name, cell):
    """An array of objects may hold anything."""
    missing = cell is None or cell is pd.NA
    real = isinstance(cell, Real | Decimal | np.bool_)
    is_time = isinstance(cell, np.timedelta64)  # to NumPy an integer
    if not (missing or real) or is_time:
        got = f"{type(cell).__name__} {cell!r:.60}"
        raise ValueError(f"{name} must hold real numbers, got {got}")


def order_by_name(what: str, names: Sequence, wanted: Sequence) -> np.ndarray:
    """Places of the ``wanted`` names among ``names``: ``names[places]`` are the wanted ones.

    Rows and columns that pandas only numbered have no names: they keep their places.

    Parameters
    ----------
    what : str, what errors call the things that have names.
    names, wanted : sequences of equal length; 1 and "1" are the same name.

    Raises ValueError if both hold names and these are not the same, or not unique.
    """
    texts = pd.Index(map(str, names))
    wanted_texts = pd.Index(map(str, wanted))
    if texts.equals(wanted_texts):
        return np.arange(len(texts))
    if texts.is_unique and wanted_texts.is_unique:
        places = texts.get_indexer(wanted_texts)
        if (places >= 0).all():
            return places
    if _are_numbers(names) or _are_numbers(wanted):
        return np.arange(len(texts))
    in_one_only = wanted_texts.symmetric_difference(texts).tolist()
    difference = in_one_only or "names that repeat"
    raise ValueError(
        f"{what} must have the same names on both sides, in any order, got {difference!s:.60} "
        "on one side only"
    )


def _are_numbers(names):
    return pd.api.types.is_integer_dtype(pd.Index(names))
