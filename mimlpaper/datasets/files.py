"""Bags in files of a reader's own: ARFF, CSV or NPZ, by the name's ending."""

from __future__ import annotations

import os
from pathlib import Path

from mimlpaper.datasets.arff import read_arff, write_arff
from mimlpaper.datasets.labelled import LabelledBags
from mimlpaper.datasets.npz import read_npz, write_npz
from mimlpaper.datasets.table_csv import read_csv, write_csv

__all__ = ["read_bags", "write_bags"]

FORMATS = {
    ".arff": (read_arff, write_arff),
    ".csv": (read_csv, write_csv),
    ".npz": (read_npz, write_npz),
}


def read_bags(path: str | os.PathLike, **options) -> LabelledBags:
    """Bags, labels and names from a file that ends in .arff, .csv or .npz.

    Parameters
    ----------
    path : path
    options : those of :func:`~mimlpaper.datasets.arff.read_arff`,
        :func:`~mimlpaper.datasets.table_csv.read_csv` or
        :func:`~mimlpaper.datasets.npz.read_npz`, which also tell the layouts.

    Raises
    ------
    DataError
        If the file is not laid out as its format asks; the message tells the line, or the bag.
    FileNotFoundError
        If there is no such file.
    ValueError
        If the ending is another.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from mimlpaper.datasets import load_synthetic_scene
    >>> with TemporaryDirectory() as folder:
    ...     write_bags(f"{folder}/scenes.arff", load_synthetic_scene(n_images=10))
    ...     read_bags(f"{folder}/scenes.arff").X
    Bags(10 bags, 90 instances, 15 features)
    """
    read, _ = _format(path)
    return read(path, **options)


def write_bags(path: str | os.PathLike, data):
    """Write bags with labels into a file that ends in .arff, .csv or .npz, whole or not at all.

    Parameters
    ----------
    path : path; beside an .arff file stands an .xml file that names the labels.
    data : :class:`~mimlpaper.datasets.LabelledBags`, as
        :func:`~mimlpaper.datasets.labelled_bags` makes it, or a
        :class:`~mimlpaper.datasets.Dataset` of bags.
    """
    _, write = _format(path)
    write(path, data)


def _format(path):
    ending = Path(path).suffix.lower()
    if ending not in FORMATS:
        raise ValueError(f"path must end in {', '.join(FORMATS)}, got {str(path)!r}")
    return FORMATS[ending]
