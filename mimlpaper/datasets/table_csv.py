"""CSV tables of bags: one row an instance."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from pathlib import Path

from mimlpaper.datasets.fetch import DataError
from mimlpaper.datasets.labelled import LabelledBags, as_labelled
from mimlpaper.datasets.streams import MAX_BYTES, Collector, Lines, number_text, whole_file

__all__ = ["read_csv", "write_csv"]

PREFIX = "label:"


def read_csv(
    path: str | os.PathLike, *, labels: Sequence[str] | None = None, max_bytes: int = MAX_BYTES
) -> LabelledBags:
    """Read bags from a table with one row an instance: bag, features, labels.

    ::

        bag,f1,f2,label:sea,label:trees
        beach,5,-20,1,0
        beach,4.5,-1,1,0
        forest,10,-8,0,1

    The first column is the bag's name; its rows follow each other and repeat its labels, 0 or
    1. The other columns are features.

    Parameters
    ----------
    path : path
    labels : sequence of str or None
        The columns that are labels; None for those whose heads begin with ``label:``, which is
        then no part of their names.
    max_bytes : int, default 4 GiB
        The most memory that the instances may need.

    Raises
    ------
    DataError
        If the file is not laid out so; the message tells the line.
    FileNotFoundError
        If there is no such file.
    """
    with Path(path).open("rb") as file:
        lines = Lines(file)
        try:
            return _read(csv.reader(iter(lines), strict=True), labels, max_bytes)
        except (ValueError, csv.Error) as error:
            raise DataError(f"{path}, line {lines.number}: {error}") from error


def write_csv(path: str | os.PathLike, data):
    """Write a :class:`LabelledBags`, or a :class:`Dataset` of bags, for :func:`read_csv`.

    Reading the file gives the same numbers and names back.
    """
    data = as_labelled(data)
    strange = [name for name in data.feature_names if name.startswith(PREFIX)]
    if strange:
        raise ValueError(f"names of features must not begin with {PREFIX!r}, got {strange[0]!r}")
    with whole_file(Path(path)) as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["bag", *data.feature_names, *(PREFIX + name for name in data.label_names)])
        for name, instances, labels in zip(data.bag_names, data.X, data.Y, strict=True):
            ending = ["1" if label else "0" for label in labels]
            rows.writerows([name, *map(number_text, row), *ending] for row in instances)


def _read(rows, labels, max_bytes):
    head = next(rows, [])
    places = _label_places(head, labels)
    features = [i for i in range(1, len(head)) if i not in places]
    names = [head[i].removeprefix("" if labels else PREFIX) for i in places]
    collector = Collector([head[i] for i in features], names, max_bytes)
    bag, its_labels = None, []
    for row in rows:
        if not row:
            continue
        if len(row) != len(head):
            raise ValueError(f"a row must have {len(head)} values, got {len(row)}")
        values = [row[i] for i in places]
        if row[0] != bag:
            bag, its_labels = row[0], values
            collector.begin(bag, its_labels)
        elif values != its_labels:
            raise ValueError(f"bag {bag!r:.60} must have the same labels in all its rows")
        collector.instance([row[i] for i in features])
    return collector.finish()


def _label_places(head, labels):
    """Columns of the labels, in their order in the file."""
    if labels is None:
        places = [i for i in range(1, len(head)) if head[i].startswith(PREFIX)]
        if not places:
            raise ValueError(
                f"no column begins with {PREFIX!r}; name the columns of labels by labels="
            )
        return places
    missing = [name for name in labels if name not in head[1:]]
    if missing:
        raise ValueError(f"there is no column {missing[0]!r} for a label")
    return [i for i in range(1, len(head)) if head[i] in set(labels)]
