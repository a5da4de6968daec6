"""Loaders of the paper's data sets, from the original files.

For ``data_home`` see :func:`~mimlpaper.datasets.load`.
"""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.io import loadmat

from mimlpaper.bags import Bags
from mimlpaper.datasets.bag_files import read_arff
from mimlpaper.datasets.dataset import Dataset, Source, load_source

SCENE = Source(
    name="scene", files=("scene/miml-image-data.mat",),
    n_examples=2000, n_instances=18_000, n_features=15, n_labels=5,
    citation="Zhou, Zhang: Multi-instance multi-label learning with application to scene "
    "classification, Advances in Neural Information Processing Systems 19, 2007.",
)  # fmt: skip

SCENE_FEATURES = tuple(
    f"{place} {colour}" for place in ("centre", "left", "up", "right", "down") for colour in "RGB"
)


def load_scene(*, data_home: str | os.PathLike | None = None) -> Dataset:
    """2,000 natural scenes: desert, mountains, sea, sunset, trees; 22.85 % have several labels.

    Each bag holds nine instances of 15 features (``feature_names``): raw colours in
    [0, 255] and differences of colours. :func:`scene_mosaic` draws a bag.
    """
    return load_source(SCENE, _read_scene, data_home)


def _read_scene(path: Path) -> dict[str, Any]:
    bags, targets, names = read_variables(path, "bags", "targets", "class_name")
    return {
        "X": Bags.from_list(bags.ravel()),
        "Y": label_matrix(targets),
        "label_names": tuple(str(name.item()) for name in names.ravel()),
        "feature_names": SCENE_FEATURES,
    }


REUTERS = Source(
    name="reuters", files=("reuters/miml-text-data.mat",),
    n_examples=2000, n_instances=7119, n_features=243, n_labels=7,
    citation="Zhou, Zhang, Huang, Li: Multi-instance multi-label learning, Artificial "
    "Intelligence 176, 2012; from the Reuters-21578 collection.",
)  # fmt: skip

# The file names no label. These are the seven most frequent categories of Reuters-21578 in the
# likely order, judged by their sizes and co-occurrences: labels 3 and 7 in 184 documents, like
# money-fx and interest, 2 and 4 in 21, 3 and 6 in 35.
REUTERS_LABELS = ("earn", "acq", "money-fx", "crude", "grain", "trade", "interest")


def load_reuters(*, data_home: str | os.PathLike | None = None) -> Dataset:
    """2,000 newswire documents as bags of 2 to 26 passages; 14.95 % have several labels.

    An instance counts 243 words. The first instance of each bag is the sum of the others, the
    whole document. The file names no label; the names here are a guess.
    """
    return load_source(REUTERS, _read_reuters, data_home)


def _read_reuters(path: Path) -> dict[str, Any]:
    bags, targets = read_variables(path, "bags", "target")
    return {
        "X": Bags.from_list(bags.ravel()),
        "Y": label_matrix(targets),
        "label_names": REUTERS_LABELS,
    }


YEAST = Source(
    name="yeast", files=("yeast/yeast.arff", "yeast/yeast.xml"),
    n_examples=2417, n_instances=None, n_features=103, n_labels=14,
    citation="Elisseeff, Weston: A kernel method for multi-labelled classification, Advances in "
    "Neural Information Processing Systems 14, 2002.",
)  # fmt: skip


def load_yeast(*, data_home: str | os.PathLike | None = None) -> Dataset:
    """2,417 genes of 103 features with 14 functional classes, 4.24 ± 1.57 for each gene.

    The rows have unit length.
    """
    return load_source(YEAST, _read_yeast, data_home)


def _read_yeast(arff: Path, xml: Path) -> dict[str, Any]:
    genes = read_arff(arff, labels=xml)  # labels in the order of the columns, not of the XML file
    return {
        "X": genes.X.instances,
        "Y": genes.Y,
        "label_names": genes.label_names,
        "feature_names": genes.feature_names,
    }


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

YAHOO_WORDS = (462, 438, 681, 550, 640, 612, 606, 793, 743, 1047, 636)
YAHOO_LABELS = (26, 30, 33, 33, 21, 32, 22, 33, 40, 39, 27)

YAHOO = {
    name: Source(
        name=f"yahoo:{name}", files=(f"yahoo/{name}.mat",),
        n_examples=5000, n_instances=None, n_features=n_words, n_labels=n_labels,
        citation="Ueda, Saito: Parametric mixture models for multi-labeled text, Advances in "
        "Neural Information Processing Systems 15, 2003.",
    )
    for name, n_words, n_labels in zip(YAHOO_NAMES, YAHOO_WORDS, YAHOO_LABELS, strict=True)
}  # fmt: skip


def load_yahoo(name: str, *, data_home: str | os.PathLike | None = None) -> Dataset:
    """5,000 web pages of one top-level category with its second-level categories as labels.

    ``name`` is one of :data:`YAHOO_NAMES`, such as "Arts". The first ``n_train`` = 2,000 pages
    are for training, the last 3,000 for testing. Rows are word counts divided by their Euclidean
    length; a few pages hold no word.
    """
    if name not in YAHOO:
        raise ValueError(f"name must be one of {', '.join(YAHOO)}, got {name!r}")
    return load_source(YAHOO[name], _read_yahoo, data_home)


def _yahoo_loader(name):
    def load(*, data_home: str | os.PathLike | None = None) -> Dataset:
        return load_yahoo(name, data_home=data_home)

    return load


YAHOO_LOADERS = {source.name: _yahoo_loader(name) for name, source in YAHOO.items()}


def _read_yahoo(path: Path) -> dict[str, Any]:
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
    """Fields of a data set, from the bags' labels at each instance: positive (n_instances,)."""
    y = bags.max(positive)  # (n_bags,)
    if not np.array_equal(positive, y[bags.bag_of_instance]):
        raise ValueError("the instances of a bag must carry one label")
    return {"X": bags, "y": y, "label_names": (label,)}


def read_variables(path: Path, *names: str) -> list[np.ndarray]:
    """The named variables of a MATLAB file, in the order of the names.

    Check the file's hash first: SciPy's compiled reader crashes on some damaged files.
    """
    content = loadmat(path, variable_names=names)
    missing = [name for name in names if name not in content]
    if missing:
        raise ValueError(f"no variable named {', '.join(missing)}")
    return [content[name] for name in names]


def label_matrix(targets: np.ndarray) -> np.ndarray:
    """Targets -1 and 1 (n_labels, n_examples), of any dtype, as booleans (n_examples, n_labels)."""
    strange = targets[(targets != 1) & (targets != -1)]
    if len(strange):
        raise ValueError(f"targets must be -1 or 1, got {strange[0]}")
    return np.ascontiguousarray(targets.T == 1)


def bags_of_runs(instances: np.ndarray, bag_ids: np.ndarray) -> Bags:
    """Bags of instances (n_instances, n_features) with equal ``bag_ids`` (n_instances,).

    The instances of a bag must follow each other; bags keep the order of the file.
    """
    if len(instances) != len(bag_ids):
        raise ValueError(f"{len(instances)} instances, but {len(bag_ids)} names of bags")
    starts = np.flatnonzero(np.r_[True, bag_ids[1:] != bag_ids[:-1]])
    if len(starts) != len(np.unique(bag_ids)):
        raise ValueError("the instances of a bag must follow each other")
    return Bags(instances, np.append(starts, len(instances)))
