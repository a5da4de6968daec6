"""The yeast genes of Section 6.2.1, one instance each."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from scipy.io.arff import loadarff

from mimlpaper.datasets.dataset import Dataset
from mimlpaper.datasets.sources import Source, load_source

__all__ = ["YEAST", "load_yeast"]

YEAST = Source(
    name="yeast",
    files=("yeast/yeast.arff", "yeast/yeast.xml"),
    n_examples=2417,
    n_instances=None,
    n_features=103,
    n_labels=14,
    citation=(
        "Elisseeff, Weston: A kernel method for multi-labelled classification, Advances in "
        "Neural Information Processing Systems 14, 2002."
    ),
)


def load_yeast(*, data_home: str | os.PathLike | None = None) -> Dataset:
    """2,417 genes of 103 features with 14 functional classes, 4.24 ± 1.57 a gene.

    The rows have unit length.

    Parameters
    ----------
    data_home : path or None
        The data folder; None for ``$MIMLPAPER_DATA``, else ``data/raw``.
    """
    return load_source(YEAST, _read, data_home)


def _read(arff: Path, xml: Path) -> dict[str, Any]:
    rows, attributes = loadarff(arff)
    named = {label.attrib["name"] for label in ElementTree.parse(xml).getroot()}
    # The XML file names the labels in another order than the columns have.
    labels = [name for name in attributes.names() if name in named]
    features = [name for name in attributes.names() if name not in named]
    return {
        "X": np.column_stack([rows[name] for name in features]).astype(np.float64),
        "Y": np.column_stack([rows[name] == b"1" for name in labels]),
        "label_names": tuple(labels),
        "feature_names": tuple(features),
    }
