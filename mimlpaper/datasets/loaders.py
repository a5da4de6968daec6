"""All data sets by name, and readers of original files that return fields of a Dataset."""

import os
import re
from collections.abc import Callable
from functools import partial
from itertools import chain
from pathlib import Path
from string import ascii_uppercase

import numpy as np
import pandas as pd
from scipy.io import arff, loadmat
from sklearn.feature_extraction.text import CountVectorizer

from mimlpaper.bags import Bags
from mimlpaper.datasets import synthetic
from mimlpaper.datasets.dataset import Dataset, with_percentage
from mimlpaper.datasets.fetch import (
    SOURCES,
    DataError,
    drawn_sizes,
    entry_of,
    fetch,
    source_of,
)
from mimlpaper.datasets.images_and_texts import SCENE_FEATURES
from mimlpaper.datasets.labelled import bags_of_runs

Fields = dict[str, object]


def _load(name: str, read: Callable[..., Fields], data_home=None) -> Dataset:
    """The data set of a source, with the fields that ``read`` returns for its files' paths."""
    source = SOURCES[name]
    paths = [fetch(file, data_home) for file in source.files]
    entry = entry_of(source.files[0])
    known = {"name": name, "kind": source.kind, "citation": source.citation}
    try:
        return Dataset(
            **known,
            sha256=entry.sha256,
            terms=entry.data_terms,
            **read(*paths),
        )
    except Exception as error:  # the readers of MATLAB and ARFF files raise many types
        files = " or ".join(map(str, paths))
        cause = f"{type(error).__name__}: {error}"
        raise DataError(f"{files} is not laid out as expected: {cause}") from error


# The file names no label. These are the seven most frequent categories of Reuters-21578. Their
# order follows from sizes and co-occurrences: labels 3 and 7 are together in 184 documents, as
# money-fx and interest are; 2 and 4 in 21, 3 and 6 in 35.
REUTERS_LABELS = (
    "earn",
    "acq",
    "money-fx",
    "crude",
    "grain",
    "trade",
    "interest",
)


def _read_scene(path: Path) -> Fields:
    """Natural scenes, with raw colours in [0, 255] and differences of colours."""
    names = {
        "label_names": synthetic.SCENE_LABELS,
        "feature_names": SCENE_FEATURES,
    }
    return _read_miml(path, "targets") | names


def _read_reuters(path: Path) -> Fields:
    """Newswire documents as counts of words; the first instance is the sum of the others."""
    return _read_miml(path, "target") | {"label_names": REUTERS_LABELS}


def _read_miml(path: Path, targets_name: str) -> Fields:
    bags, targets = read_variables(path, "bags", targets_name)
    return {
        "X": Bags.from_list(bags.ravel()),
        "Y": label_matrix(targets),
    }


N_YEAST_LABELS = 14  # the last columns of the file


def _read_yeast(path: Path) -> Fields:
    """Genes with functional classes; rows have unit length."""
    rows, attributes = arff.loadarff(path)
    table = np.array(rows.tolist(), dtype=np.float64)
    names = tuple(attributes.names())
    n_features = table.shape[1] - N_YEAST_LABELS
    return {
        "X": np.ascontiguousarray(table[:, :n_features]),
        "Y": table[:, n_features:] == 1,
        "label_names": names[n_features:],
        "feature_names": names[:n_features],
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


def _read_yahoo(path: Path) -> Fields:
    """Web pages of a category as word counts of unit length, with its subcategories as labels."""
    train, test = read_variables(path, "train_data", "test_data")
    targets = read_variables(path, "train_target", "test_target")
    rows = np.vstack([train, test])
    Y = label_matrix(np.hstack(targets))
    return {
        "X": np.ascontiguousarray(rows, dtype=np.float64),
        "Y": Y,
        "label_names": tuple(f"category {i + 1}" for i in range(Y.shape[1])),
        "n_train": len(train),
    }


def _read_animal(path: Path, name: str) -> Fields:
    names = "features", "labels", "bag_ids"
    features, labels, bag_ids = read_variables(path, *names)
    positive = label_matrix(labels.toarray())[:, 0]  # an instance has its bag's label
    bags = bags_of_runs(features.toarray(), bag_ids.ravel())
    return _single_label(bags, positive, name)


def _read_musk1(path: Path) -> Fields:
    rows = pd.read_csv(path, header=None)  # molecule, conformation, 166 features, class
    positive = rows.iloc[:, -1].to_numpy() == 1
    molecules = rows[0].to_numpy(dtype=str)
    features = rows.iloc[:, 2:-1].to_numpy()
    bags = bags_of_runs(features, molecules)
    return _single_label(bags, positive, "musk")


def _read_musk2(path: Path) -> Fields:
    (content,) = read_variables(path, "x")  # a PRTools data set
    x = content[0, 0]
    # Classes are numbered in order: negative, positive.
    positive = x["nlab"].ravel() == 2
    molecules = x["ident"][0, 0]["milbag"]
    bags = bags_of_runs(x["data"], molecules)
    return _single_label(bags, positive, "musk")


def _single_label(bags: Bags, positive: np.ndarray, label: str) -> Fields:
    return {"X": bags, "y": bags.max(positive), "label_names": (label,)}


# The files name no feature. These names follow the authors' description; the numbers confirm the
# shape features, such as area = rectangularity x bandwidth x duration.
STATISTICS = ("Gini index", "mean", "variance", "skewness", "kurtosis", "peak")
AXES = ("frequency", "time")
PROFILES = tuple(f"{name} of {axis}" for name in STATISTICS for axis in AXES)
SHAPES = (
    "mean intensity",
    "deviation of intensity",
    "lowest frequency",
    "highest frequency",
    "bandwidth",
    "duration",
    "area",
    "perimeter",
    "non-compactness",
    "rectangularity",
)
GRADIENTS = tuple(f"gradients {i + 1}" for i in range(16))
HJA_FEATURES = (*PROFILES, *SHAPES, *GRADIENTS)


def _read_hja(features: Path, segments: Path, bags: Path, names: Path) -> Fields:
    """Ten-second recordings in a forest, with the species of birds; 4,998 segments are labelled."""
    rows = np.loadtxt(features, delimiter=",", skiprows=1)  # bag, 38 features
    labelled = np.loadtxt(segments, delimiter=",", skiprows=1, dtype=int)
    species = labelled[:, 1]  # of each segment, -1 for none
    codes = np.arange(1, 14)
    _, *bag_lines = bags.read_text(
        encoding="utf-8"
    ).splitlines()  # after the head: bag, codes of its species
    Y = []
    for line in bag_lines:
        _, *present = line.split(",")
        Y.append(np.isin(codes.astype(str), present))
    label_names = []
    for line in names.read_text(encoding="utf-8").splitlines():  # such as "1 - Brown Creeper"
        _, _, name = line.partition(" - ")
        label_names.append(name.strip())
    return {
        "X": bags_of_runs(rows[:, 1:], rows[:, 0]),
        "Y": np.array(Y),
        "label_names": tuple(label_names),
        "feature_names": HJA_FEATURES,
        "instance_labels": species[:, None] == codes,
    }


LETTER_FEATURES = (
    "x-box",
    "y-box",
    "width",
    "high",
    "onpix",
    "x-bar",
    "y-bar",
    "x2bar",
    "y2bar",
    "xybar",
    "x2ybr",
    "xy2br",
    "x-ege",
    "xegvy",
    "y-ege",
    "yegvx",
)
LETTERS_SEED = 0  # of the draw of letters for Jabberwocky


def _read_letter_frost(draw: Path, uci: Path) -> Fields:
    """Words of Frost's *The Road Not Taken* as bags of images of letters."""
    X = _frost_bags(draw)
    letters, features = _uci_letters(uci)
    rows = map(tuple, features)
    letter_of = dict(zip(rows, letters, strict=True))  # equal rows have equal letters
    drawn_letters = [letter_of[tuple(row)] for row in X.instances]
    return _bags_of_letters(X, np.array(drawn_letters))


def _read_letter_carroll(uci: Path, poem: Path, frost: Path) -> Fields:
    """Words of Carroll's *Jabberwocky* as bags of images of letters.

    The authors' draw is not public. This one takes random rows of the UCI Letter data, none twice
    and none of Letter Frost.
    """
    poem_text = poem.read_text(encoding="utf-8").upper()
    words = re.findall(r"[A-Z]+(?:-[A-Z]+)?", poem_text)  # SNICKER-SNACK is one
    words = [word.replace("-", "") for word in words]
    text = np.array(list("".join(words)))
    letters, features = _uci_letters(uci)
    frost_bags = _frost_bags(frost)
    taken = set(map(tuple, frost_bags.instances))
    free = np.array([tuple(row) not in taken for row in features])
    rng = np.random.default_rng(LETTERS_SEED)
    rows = np.zeros(len(text), dtype=int)
    for letter in np.unique(text):
        places = np.flatnonzero(text == letter)
        images = np.flatnonzero((letters == letter) & free)
        rows[places] = rng.choice(images, len(places), replace=False)
    sizes = map(len, words)
    bags = Bags(features[rows], np.cumsum([0, *sizes]))
    return _bags_of_letters(bags, text)


def _frost_bags(path):
    (bags,) = read_variables(path, "X")
    return Bags.from_list([bag.T for bag in bags.ravel()])


def _uci_letters(path):
    """The letter and the features of each image."""
    rows = pd.read_csv(path)
    letters = rows.iloc[:, 0].to_numpy(dtype=str)
    features = rows.iloc[:, 1:].to_numpy(dtype=float)
    return letters, features


def _bags_of_letters(X, letters):
    alphabet = np.array(list(ascii_uppercase))
    instance_labels = letters[:, None] == alphabet
    return {
        "X": X,
        "Y": X.max(instance_labels),
        "label_names": tuple(ascii_uppercase),
        "feature_names": LETTER_FEATURES,
        "instance_labels": instance_labels,
    }


DBPEDIA_LABELS = (
    "company",
    "educational institution",
    "artist",
    "athlete",
    "means of transportation",
    "building",
    "natural place",
    "village",
    "animal",
    "film",
)
TOP_SHARE = 0.02  # of the words of DBpedia, as in the paper's texts; all would take 11 GB


def _read_dbpedia(*paths: Path) -> Fields:
    """Documents as bags of sentences about ten kinds of things; each sentence has one label."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in paths}
    lines = texts["vocabs"].splitlines()
    words = [line.partition(",")[0] for line in lines]  # from "wood, 2"
    train = _documents(texts["train-data"])
    test = _documents(texts["test-data"])
    # Chosen by training documents alone, so that nothing is learned from test documents.
    kept = _frequent_words(train, len(words))
    documents = train + test
    sentences = list(chain.from_iterable(documents))
    counts = _counts(sentences, kept).toarray()
    of_documents = texts["train-label"] + texts["test-label"]
    of_sentences = texts["train-sentlabel"] + texts["test-sentlabel"]
    return {
        "X": Bags(counts, np.cumsum([0, *map(len, documents)])),
        "Y": _label_rows(of_documents),
        "label_names": DBPEDIA_LABELS,
        "feature_names": tuple(words[i] for i in kept),
        "instance_labels": _label_rows(of_sentences),
        "n_train": len(train),
    }


def _frequent_words(documents, n_words):
    """Numbers of the words in the most documents, the share :data:`TOP_SHARE` of all, ascending."""
    texts = map(" ".join, documents)
    counts = _counts(texts, range(n_words))  # (n_documents, n_words)
    n_documents_with = counts.getnnz(axis=0)
    n_kept = max(1, round(TOP_SHARE * n_words))
    falling = np.argsort(-n_documents_with, kind="stable")
    return np.sort(falling[:n_kept])


def _documents(text):
    """The sentences of each line, such as "<2> <3> 7 5 7 <1> 4": of three words and of one."""
    documents = []
    for line in text.splitlines():
        # The first number counts the sentences, and nothing stands before it.
        _, _, *sentences = re.split(r"<\d+>", line)
        documents.append(sentences)
    return documents


def _counts(texts, words):
    """How often each text holds each word; words are numbers: sparse (n_texts, n_words)."""
    vectorizer = CountVectorizer(
        vocabulary=map(str, words),
        token_pattern=r"\d+",
    )
    return vectorizer.transform(texts)


def _label_rows(text):
    digits = np.array(re.findall("[01]", text))
    return (digits == "1").reshape(-1, len(DBPEDIA_LABELS))


def read_variables(path: Path, *names: str) -> list[np.ndarray]:
    """The named variables of a MATLAB file of known hash: SciPy may crash on a damaged one."""
    content = loadmat(path, variable_names=names)
    return [content[name] for name in names]


def label_matrix(targets: np.ndarray) -> np.ndarray:
    """Targets -1 and 1 (n_labels, n_examples), of any dtype, as booleans (n_examples, n_labels)."""
    return np.ascontiguousarray(targets.T == 1)


READERS: dict[str, Callable[..., Fields]] = {
    "scene": _read_scene,
    "reuters": _read_reuters,
    "yeast": _read_yeast,
    **{f"yahoo:{name}": _read_yahoo for name in YAHOO_NAMES},
    "musk1": _read_musk1,
    "musk2": _read_musk2,
    **{name: partial(_read_animal, name=name) for name in ("elephant", "tiger", "fox")},
    "hja": _read_hja,
    "letter_frost": _read_letter_frost,
    "letter_carroll": _read_letter_carroll,
    "dbpedia": _read_dbpedia,
}
DATASETS: dict[str, Callable[..., Dataset]] = {
    **{name: partial(_load, name, read) for name, read in READERS.items()},
    "synthetic_africa": synthetic.load_synthetic_africa,
    "synthetic_scene": synthetic.load_synthetic_scene,
    "synthetic_texts": synthetic.load_synthetic_texts,
    "synthetic_genes": synthetic.load_synthetic_genes,
    "synthetic_pages": synthetic.load_synthetic_pages,
}
PERCENTAGES = (10, 20, 30, 40, 50)  # of examples with several labels, in Section 5.6


def _load_derived(load, percentage, **where):
    return with_percentage(load(**where), percentage)


DATASETS |= {
    f"{name}:{percentage}%": partial(_load_derived, DATASETS[name], percentage)
    for name in ("scene", "reuters", "synthetic_scene", "synthetic_texts")
    for percentage in PERCENTAGES
}


def loader_of(name: str) -> Callable[..., Dataset]:
    """The function that loads a data set; it takes ``data_home`` if the set has files."""
    sizes = drawn_sizes(name)
    if sizes:
        return partial(synthetic.load_drawn, *sizes)
    if name not in DATASETS:
        raise ValueError(f"no data set is named {name!r}; there are {', '.join(DATASETS)}")
    return DATASETS[name]


def load(name: str, data_home: str | os.PathLike | None = None) -> Dataset:
    """The data set of a name in :data:`DATASETS`; synthetic ones need no files.

    "scene:10%" to "scene:50%", and those of reuters, synthetic_scene and synthetic_texts, are made
    by :func:`with_percentage`; "drawn:400x8x4", 400 bags of 8 instances with 4 labels, by
    :func:`make_bags`. ``data_home`` is the data folder; None for ``$MIMLPAPER_DATA``, else
    ``data/raw``. Raises ValueError for another name, and DataError if a file cannot be downloaded,
    is damaged, or not laid out as expected.
    """
    load_it = loader_of(name)
    if source_of(name).files:
        return load_it(data_home=data_home)
    return load_it()
