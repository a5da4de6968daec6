"""NumPy archives of bags."""

from __future__ import annotations

import math
import os
from pathlib import Path
from zipfile import ZipFile

import numpy as np

from mimlpaper.bags import Bags
from mimlpaper.datasets.fetch import DataError
from mimlpaper.datasets.labelled import LabelledBags, as_labelled, labelled_bags
from mimlpaper.datasets.streams import MAX_BYTES, whole_file

__all__ = ["read_npz", "write_npz"]

KINDS = {  # of the arrays, as NumPy abbreviates them
    "instances": "fiu", "offsets": "iu", "Y": "biu", "label_names": "U", "feature_names": "U",
    "bag_names": "U",
}  # fmt: skip
OPTIONAL = {"feature_names", "bag_names"}


def read_npz(path: str | os.PathLike, *, max_bytes: int = MAX_BYTES) -> LabelledBags:
    """Read bags from a NumPy archive. Pickled objects are never loaded.

    It holds ``instances`` (n_instances, n_features), ``offsets`` (n_bags + 1,), where each
    bag starts, ``Y`` (n_bags, n_labels), booleans or 0 and 1, and ``label_names``; where they are
    known, ``feature_names`` and ``bag_names``.

    Parameters
    ----------
    path : path
    max_bytes : int, default 4 GiB
        The most memory that the arrays may need.

    Raises
    ------
    DataError
        If the file is not laid out so; the message tells the bag where there is one.
    FileNotFoundError
        If there is no such file.
    """
    with Path(path).open("rb") as file:
        try:
            return labelled_bags(**_content(file, max_bytes))
        except Exception as error:  # damaged archives raise many types
            raise DataError(f"{path}: {error}") from error


def write_npz(path: str | os.PathLike, data):
    """Write a :class:`LabelledBags`, or a :class:`Dataset` of bags, for :func:`read_npz`.

    Reading the file gives the same numbers and names back.
    """
    data = as_labelled(data)
    names = {name: np.array(getattr(data, name)) for name in KINDS if name.endswith("_names")}
    with whole_file(Path(path), binary=True) as file:
        np.savez_compressed(
            file, instances=data.X.instances, offsets=data.X.offsets, Y=data.Y, **names
        )


def _content(file, max_bytes):
    """The arguments of :func:`labelled_bags`."""
    with ZipFile(file) as archive:
        unpacked = sum(member.file_size for member in archive.infolist())
        needed = max(unpacked, sum(_promised(archive, name) for name in archive.namelist()))
    if needed > max_bytes:
        raise ValueError(
            f"the arrays need {needed:,} bytes, more than max_bytes={max_bytes:,}; raise it if "
            "that is meant"
        )
    file.seek(0)
    with np.load(file, allow_pickle=False) as stored:
        found = {name: stored[name] for name in KINDS if name in stored}
    missing = KINDS.keys() - OPTIONAL - found.keys()
    if missing:
        raise ValueError(f"there is no array named {', '.join(sorted(missing))}")
    for name, values in found.items():
        if values.dtype.kind not in KINDS[name]:
            raise ValueError(f"{name} must have a type among {KINDS[name]!r}, got {values.dtype}")
    instances, offsets = found.pop("instances"), found.pop("offsets")
    if not ((offsets >= 0) & (offsets <= len(instances))).all():
        raise ValueError(f"offsets must lie between 0 and the {len(instances)} instances")
    return {"X": Bags(instances, offsets), **found}


def _promised(archive, name):
    """Bytes that an array needs by its own header, whatever follows that."""
    with archive.open(name) as member:
        if member.read(8) != b"\x93NUMPY\x01\x00":  # other versions are for long headers
            return 0
        shape, _, dtype = np.lib.format.read_array_header_1_0(member)
    return math.prod(shape) * dtype.itemsize
