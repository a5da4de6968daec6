"""Tables beside the records in which a new row takes the place of the one with the same key."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
from filelock import FileLock

__all__ = ["put_rows"]


def put_rows(
    path: Path,
    rows: list[dict],
    key: list[str],
    read: Callable[[Path], pd.DataFrame],
    *,
    ordered: bool = False,
):
    """Add rows to a CSV file, which is whole at any time; one writer waits for the other.

    Parameters
    ----------
    path : file; with its folder it is made when the first rows are written.
    rows : list of dict
    key : columns that tell a row from all others.
    read : function of the path that gives what is there, with all its columns; empty if nothing.
    ordered : bool, default False
        Sort by the key; else in the order of writing.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.with_name(f".{path.stem}.lock")):
        known = read(path)
        table = pd.DataFrame([*known.to_dict("records"), *rows], columns=known.columns)
        table = table.astype(object).drop_duplicates(key, keep="last")
        table = table.sort_values(key) if ordered else table
        temporary = path.with_name(f".{path.stem}.tmp")
        table.to_csv(temporary, index=False, lineterminator="\n")
        temporary.replace(path)
