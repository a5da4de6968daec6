"""Source: what is known of a data set before its files are read, and how they become one."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mimlpaper.datasets.dataset import Dataset
from mimlpaper.datasets.fetch import DataError, fetch, manifest

__all__ = ["Source", "load_source"]


@dataclass(frozen=True)
class Source:
    """What is known of a data set before any file is read.

    Parameters
    ----------
    name : str
    files : tuple of str
        Names in ``data/manifest.csv``; the first one holds the numbers. None if it is synthetic.
    n_examples, n_features, n_labels : int
    n_instances : int or None
        None if the examples are single instances.
    citation : str
    kind : see :class:`Dataset`.
    """

    name: str
    files: tuple[str, ...]
    n_examples: int
    n_instances: int | None
    n_features: int
    n_labels: int
    citation: str
    kind: str = "original"

    @property
    def shape(self) -> str:
        """For people: ``"2,000 bags, 18,000 instances, 15 features"``."""
        if self.n_instances is None:
            return f"{self.n_examples:,} examples, {self.n_features:,} features"
        return (
            f"{self.n_examples:,} bags, {self.n_instances:,} instances, "
            f"{self.n_features:,} features"
        )


def load_source(
    source: Source, read: Callable[..., dict[str, Any]], data_home: str | os.PathLike | None
) -> Dataset:
    """Fetch the files of ``source``; what ``read`` makes of their paths fills the Dataset.

    Raises
    ------
    DataError
        If a file is missing and cannot be downloaded, damaged, or not laid out as expected.
    """
    paths = [fetch(file, data_home) for file in source.files]
    entry = manifest()[source.files[0]]
    try:
        return Dataset(
            name=source.name,
            kind=source.kind,
            sha256=entry.sha256,
            citation=source.citation,
            terms=entry.data_terms,
            **read(*paths),
        )
    except Exception as error:  # the readers of MATLAB and ARFF files raise many types
        raise DataError(
            f"{' or '.join(map(str, paths))} is not laid out as expected: "
            f"{type(error).__name__}: {error}"
        ) from error
