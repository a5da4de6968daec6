"""What the readers and writers of bag files share: lines, growing bags, whole files."""

from __future__ import annotations

import math
import os
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

import numpy as np

from mimlpaper.bags import Bags
from mimlpaper.datasets.labelled import LabelledBags, checked_names, labelled_bags

__all__ = ["MAX_BYTES", "Collector", "Lines", "number_text", "whole_file"]

MAX_BYTES = 2**32  # of instances in memory, unless the caller allows more
MAX_LINE = 2**26  # bytes


class Lines:
    """The lines of a text file in UTF-8, and the ``number`` of the last one given.

    A line that is too long or not UTF-8 raises ValueError.
    """

    def __init__(self, file: BinaryIO):
        self.file = file
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        while raw := self.file.readline(MAX_LINE + 1):
            self.number += 1
            if len(raw) > MAX_LINE:
                raise ValueError(f"is longer than {MAX_LINE:,} bytes")
            if self.number == 1:
                raw = raw.removeprefix(b"\xef\xbb\xbf")  # the mark that some editors put first
            try:
                yield raw.decode()
            except UnicodeDecodeError as error:
                raise ValueError(f"is not UTF-8 text at byte {error.start + 1}") from error


class Collector:
    """Bags as they are read one after the other; what does not fit raises ValueError.

    Parameters
    ----------
    feature_names, label_names : sequences of str
    max_bytes : int, of all instances as float64
    """

    def __init__(self, feature_names: Sequence[str], label_names: Sequence[str], max_bytes: int):
        if not feature_names or not label_names:
            raise ValueError(
                f"at least one feature and one label are needed, got {len(feature_names)} "
                f"and {len(label_names)}"
            )
        self.feature_names = checked_names(feature_names, "feature", len(feature_names))
        self.label_names = checked_names(label_names, "label", len(label_names))
        self.max_bytes = max_bytes
        self.values = array("d")
        self.offsets: list[int] = []
        self.labels: list[list[bool]] = []
        self.bag_names: dict[str, None] = {}  # in order, and quickly searched

    def begin(self, name: str, labels: Sequence[str]):
        """A bag starts; its labels are "0" and "1"."""
        if name in self.bag_names:
            raise ValueError(f"bag {name!r:.60} was already there, before other bags")
        for label, value in zip(self.label_names, labels, strict=True):
            if value not in ("0", "1"):
                raise ValueError(f"label {label!r} must be 0 or 1, got {value!r:.60}")
        self.bag_names[name] = None
        self.labels.append([value == "1" for value in labels])
        self.offsets.append(len(self.values) // len(self.feature_names))

    def instance(self, values: Sequence[str]):
        """The bag has another instance: one number for each feature."""
        if len(values) != len(self.feature_names):
            raise ValueError(
                f"an instance must have {len(self.feature_names)} values, got {len(values)}"
            )
        if 8 * (len(self.values) + len(values)) > self.max_bytes:
            raise ValueError(
                f"the instances need more than max_bytes={self.max_bytes:,} of memory; raise it "
                "if that is meant"
            )
        numbers = [_number(value) for value in values]
        for name, value, number in zip(self.feature_names, values, numbers, strict=True):
            if not math.isfinite(number):
                raise ValueError(f"feature {name!r} must be a finite number, got {value!r:.60}")
        self.values.extend(numbers)

    def finish(self) -> LabelledBags:
        """All bags."""
        if not self.offsets:
            raise ValueError("the file ends without any bag")
        instances = np.frombuffer(self.values).reshape(-1, len(self.feature_names))
        return labelled_bags(
            Bags(instances, [*self.offsets, len(instances)]),
            np.array(self.labels),
            self.label_names,
            feature_names=self.feature_names,
            bag_names=list(self.bag_names),
        )


def number_text(number: float) -> str:
    """The shortest text that gives the same number back, whole ones without a point."""
    return repr(float(number)).removesuffix(".0")


@contextmanager
def whole_file(path: Path, *, binary: bool = False) -> Iterator[IO]:
    """A file to write into, text as UTF-8, that takes the place of ``path`` once it is whole."""
    mode = {"mode": "wb"} if binary else {"mode": "w", "encoding": "utf-8", "newline": ""}
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, **mode) as file:
            yield file
        os.chmod(temporary, 0o644)  # mkstemp lets nobody else read
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _number(text):
    """The number, or NaN if it is none; Python alone takes 1_000 for one."""
    try:
        return math.nan if "_" in text else float(text)
    except ValueError:
        return math.nan
