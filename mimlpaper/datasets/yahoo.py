"""The eleven web page data sets of Section 6.2.2, one instance a page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from mimlpaper.datasets.dataset import Dataset
from mimlpaper.datasets.matlab import label_matrix, read_variables
from mimlpaper.datasets.sources import Source, load_source

__all__ = ["YAHOO", "YAHOO_LOADERS", "YAHOO_NAMES", "load_yahoo"]

# Name of the file: name printed in Appendix C.
YAHOO_NAMES = {
    "Arts": "Arts&Humanities",
    "Business": "Business&Economy",
    "Computers": "Computers&Internet",
    "Education": "Education",
    "Entertainment": "Entertainment",
    "Health": "Health",
    "Recreation": "Recreation&Sports",
    "Reference": "Reference",
    "Science": "Science",
    "Social": "Social&Science",
    "Society": "Society&Culture",
}

N_WORDS = (462, 438, 681, 550, 640, 612, 606, 793, 743, 1047, 636)
N_LABELS = (26, 30, 33, 33, 21, 32, 22, 33, 40, 39, 27)

YAHOO = {
    name: Source(
        name=f"yahoo:{name}",
        files=(f"yahoo/{name}.mat",),
        n_examples=5000,
        n_instances=None,
        n_features=n_words,
        n_labels=n_labels,
        citation=(
            "Ueda, Saito: Parametric mixture models for multi-labeled text, Advances in "
            "Neural Information Processing Systems 15, 2003."
        ),
    )
    for name, n_words, n_labels in zip(YAHOO_NAMES, N_WORDS, N_LABELS, strict=True)
}


def load_yahoo(name: str, *, data_home: str | os.PathLike | None = None) -> Dataset:
    """5,000 web pages of one top-level category with its second-level categories as labels.

    The first ``n_train`` = 2,000 pages are for training, the last 3,000 for testing. Rows are
    word counts divided by their Euclidean length; a few pages hold no word at all.

    Parameters
    ----------
    name : str
        One of :data:`YAHOO_NAMES`, such as ``"Arts"``.
    data_home : path or None
        The data folder; None for ``$MIMLPAPER_DATA``, else ``data/raw``.
    """
    if name not in YAHOO:
        raise ValueError(f"name must be one of {', '.join(YAHOO)}, got {name!r}")
    return load_source(YAHOO[name], _read, data_home)


def _loader(name):
    def load(*, data_home: str | os.PathLike | None = None) -> Dataset:
        return load_yahoo(name, data_home=data_home)

    return load


YAHOO_LOADERS = {source.name: _loader(name) for name, source in YAHOO.items()}


def _read(path: Path) -> dict[str, Any]:
    train, test, train_targets, test_targets = read_variables(
        path, "train_data", "test_data", "train_target", "test_target"
    )
    Y = label_matrix(np.hstack([train_targets, test_targets]))
    return {
        "X": np.ascontiguousarray(np.vstack([train, test]), dtype=np.float64),
        "Y": Y,
        "label_names": tuple(f"category {i + 1}" for i in range(Y.shape[1])),
        "n_train": len(train),
    }
