"""The five multi-instance data sets of Section 7.2, with one binary label each."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mimlpaper.bags import Bags
from mimlpaper.datasets.dataset import Dataset
from mimlpaper.datasets.matlab import bags_of_runs, label_matrix, read_variables
from mimlpaper.datasets.sources import Source, load_source

__all__ = [
    "MIL",
    "load_elephant",
    "load_fox",
    "load_musk1",
    "load_musk2",
    "load_tiger",
]

DIETTERICH = (
    "Dietterich, Lathrop, Lozano-Pérez: Solving the multiple instance problem with "
    "axis-parallel rectangles, Artificial Intelligence 89, 1997."
)
ANDREWS = (
    "Andrews, Tsochantaridis, Hofmann: Support vector machines for multiple-instance "
    "learning, Advances in Neural Information Processing Systems 15, 2003."
)

MIL = {
    name: Source(name, (file,), n_bags, n_instances, n_features, 1, citation)
    for name, file, n_bags, n_instances, n_features, citation in (
        ("musk1", "musk/clean1.data", 92, 476, 166, DIETTERICH),
        ("musk2", "musk/musk2_prtools.mat", 102, 6598, 166, DIETTERICH),
        ("elephant", "andrews/elephant_100x100_matlab.mat", 200, 1391, 230, ANDREWS),
        ("tiger", "andrews/tiger_100x100_matlab.mat", 200, 1220, 230, ANDREWS),
        ("fox", "andrews/fox_100x100_matlab.mat", 200, 1320, 230, ANDREWS),
    )
}


def load_musk1(*, data_home: str | os.PathLike | None = None) -> Dataset:
    """92 molecules, 47 of them musks, as bags of 2 to 40 shapes of 166 raw integer features."""
    return load_source(MIL["musk1"], _read_musk1, data_home)


def load_musk2(*, data_home: str | os.PathLike | None = None) -> Dataset:
    """102 molecules, 39 of them musks, as bags of 1 to 1,044 shapes of 166 raw features."""
    return load_source(MIL["musk2"], _read_musk2, data_home)


def load_elephant(*, data_home: str | os.PathLike | None = None) -> Dataset:
    """200 images, 100 of them with an elephant, as bags of 2 to 13 segments."""
    return _load_animal("elephant", data_home)


def load_tiger(*, data_home: str | os.PathLike | None = None) -> Dataset:
    """200 images, 100 of them with a tiger, as bags of 1 to 13 segments."""
    return _load_animal("tiger", data_home)


def load_fox(*, data_home: str | os.PathLike | None = None) -> Dataset:
    """200 images, 100 of them with a fox, as bags of 2 to 13 segments."""
    return _load_animal("fox", data_home)


def _load_animal(name, data_home):
    def read(path: Path) -> dict[str, Any]:
        features, labels, bag_ids = read_variables(path, "features", "labels", "bag_ids")
        positive = label_matrix(labels.toarray())[:, 0]
        return _content(bags_of_runs(features.toarray(), bag_ids.ravel()), positive, name)

    return load_source(MIL[name], read, data_home)


def _read_musk1(path: Path) -> dict[str, Any]:
    rows = pd.read_csv(path, header=None)  # molecule, conformation, 166 features, class
    positive = rows.iloc[:, -1].to_numpy() == 1
    molecules = rows[0].to_numpy(dtype=str)
    return _content(bags_of_runs(rows.iloc[:, 2:-1].to_numpy(), molecules), positive, "musk")


def _read_musk2(path: Path) -> dict[str, Any]:
    (content,) = read_variables(path, "x")  # a PRTools data set
    x = content[0, 0]
    positive = x["nlab"].ravel() == 2  # classes are numbered in order: negative, positive
    molecules = x["ident"][0, 0]["milbag"]
    return _content(bags_of_runs(x["data"], molecules), positive, "musk")


def _content(bags: Bags, positive: np.ndarray, label: str) -> dict[str, Any]:
    """Each instance carries the label of its bag: positive (n_instances,)."""
    y = bags.max(positive)  # (n_bags,)
    if not np.array_equal(positive, y[bags.bag_of_instance]):
        raise ValueError("the instances of a bag must carry one label")
    return {"X": bags, "y": y, "label_names": (label,)}
