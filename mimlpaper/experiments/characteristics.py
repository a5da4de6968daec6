"""Appendix C: what the eleven web page data sets look like, recomputed from the files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from mimlpaper import paths
from mimlpaper.datasets import YAHOO_NAMES, describe, load_yahoo

__all__ = ["characteristics"]

RARE = 0.01  # a category that fewer of the documents have is rare


def characteristics(*, data_home=None, folder=None) -> pd.DataFrame:
    """One row a data set, recomputed if the files are there, otherwise as last recorded.

    Columns: dataset (as printed), categories, vocabulary, and for the training and the test
    documents the percentage with more than one category (PMC), the average number of
    categories (ANL) and the percentage of rare categories (PRC); sha256 of the file.

    Parameters
    ----------
    data_home : path or None, see :mod:`mimlpaper.datasets`.
    folder : path or None
        Where the table is recorded; None for ``data/results``.
    """
    path = Path(folder or paths.results()) / "characteristics.csv"
    present = {row["name"] for row in describe(data_home) if row["state"] == "present"}
    if all(f"yahoo:{name}" in present for name in YAHOO_NAMES):
        rows = [_measure(name, printed, data_home) for name, printed in YAHOO_NAMES.items()]
        path.parent.mkdir(parents=True, exist_ok=True)
        pd.DataFrame(rows).to_csv(path, index=False, float_format="%.10g", lineterminator="\n")
    return pd.read_csv(path) if path.is_file() else pd.DataFrame()


def _measure(name, printed, data_home):
    dataset = load_yahoo(name, data_home=data_home)
    parts = {"train": dataset.Y[: dataset.n_train], "test": dataset.Y[dataset.n_train :]}
    measured = {
        "dataset": printed,
        "categories": dataset.n_labels,
        "vocabulary": dataset.X.shape[1],
    }
    for part, Y in parts.items():
        measured[f"{part}_PMC"] = 100 * np.mean(Y.sum(axis=1) > 1)
        measured[f"{part}_ANL"] = Y.sum(axis=1).mean()
        measured[f"{part}_PRC"] = 100 * np.mean(Y.mean(axis=0) < RARE)
    return measured | {"sha256": dataset.sha256}
