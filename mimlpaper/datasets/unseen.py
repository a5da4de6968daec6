"""Data that the paper did not use, with true labels of instances: birds, letters, texts.

For ``data_home`` see :func:`~mimlpaper.datasets.load`.
"""

import os
import re
from functools import partial
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, vstack

from mimlpaper.bags import Bags
from mimlpaper.datasets.dataset import Dataset, Source, load_source
from mimlpaper.datasets.fetch import fetch
from mimlpaper.datasets.loaders import bags_of_runs, read_variables

BRIGGS = (
    "Briggs, Fern, Raich: Rank-loss support instance machines for MIML instance annotation, "
    "International Conference on Knowledge Discovery and Data Mining, 2012."
)
PHAM = (
    "Pham, Raich, Fern, Pérez Arriaga: Multi-instance multi-label learning in the presence of "
    "novel class instances, International Conference on Machine Learning, 2015."
)
SOLEIMANI = (
    "Soleimani, Miller: Semi-supervised multi-label topic models for document classification and "
    "sentence labeling, International Conference on Information and Knowledge Management, 2016."
)
HJA_FILES = tuple(
    f"hja/hja_birdsong_{kind}.txt"
    for kind in ("features", "instance_labels", "bag_labels", "class_names")
)
UCI_LETTERS, FROST_DRAW = "letters/letter-recognition.csv", "letters/frost_draw.mat"
JABBERWOCKY = "letters/jabberwocky.txt"
DBPEDIA_PARTS = ("train", "test", "valid")
DBPEDIA_FILES = (
    *(f"dbpedia/{p}-{kind}.dat" for p in DBPEDIA_PARTS for kind in ("data", "label", "sentlabel")),
    "dbpedia/vocabs.txt",
)

UNSEEN = {
    source.name: source
    for source in (  # with numbers of examples, instances, features, labels
        Source("hja", HJA_FILES, 548, 10_232, 38, 13, BRIGGS),
        Source("letter_frost", (FROST_DRAW, UCI_LETTERS), 141, 562, 16, 26, PHAM),
        Source(
            "letter_carroll", (UCI_LETTERS, JABBERWOCKY, FROST_DRAW), 166, 718, 16, 26, BRIGGS,
            kind="re-derived",
        ),
        Source("dbpedia", DBPEDIA_FILES, 5000, 76_505, 359, 10, SOLEIMANI),
    )
}  # fmt: skip

# The files name no feature. These names follow the authors' description; the numbers confirm the
# shape features, such as area = rectangularity x bandwidth x duration.
HJA_FEATURES = (
    *(
        f"{statistic} of {axis}"
        for statistic in ("Gini index", "mean", "variance", "skewness", "kurtosis", "peak")
        for axis in ("frequency", "time")
    ),
    *("mean intensity", "deviation of intensity"),
    *("lowest frequency", "highest frequency", "bandwidth", "duration"),
    *("area", "perimeter", "non-compactness", "rectangularity"),
    *(f"gradients {i + 1}" for i in range(16)),
)

LETTER_FEATURES = tuple(
    "x-box y-box width high onpix x-bar y-bar x2bar y2bar xybar x2ybr xy2br x-ege xegvy y-ege "
    "yegvx".split()
)
MAX_TOP_SHARE = 0.2  # of the words of DBpedia: 2 GB
SEED = 0  # of the draw of letters for Jabberwocky

DBPEDIA_LABELS = (
    "company", "educational institution", "artist", "athlete", "means of transportation",
    "building", "natural place", "village", "animal", "film",
)  # fmt: skip


def load_hja(*, data_home: str | os.PathLike | None = None) -> Dataset:
    """548 ten-second recordings in a forest, as bags of 2 to 43 segments; 13 species of birds.

    A bag's labels are the species heard in the recording. ``instance_labels`` has one species for
    4,998 of the segments and none for the others, which nobody labelled. In 62 bags a species
    belongs to unlabelled segments only, so that the bag has more labels than its segments.
    """
    return load_source(UNSEEN["hja"], _read_hja, data_home)


def _read_hja(features: Path, segments: Path, bags: Path, names: Path) -> dict[str, Any]:
    rows = np.loadtxt(features, delimiter=",", skiprows=1)  # bag, 38 features
    species = np.loadtxt(segments, delimiter=",", skiprows=1, dtype=int)[:, 1]  # -1 for none
    codes = np.arange(1, 14)
    label_sets = [line.split(",")[1:] for line in bags.read_text().splitlines()[1:]]
    return {
        "X": bags_of_runs(rows[:, 1:], rows[:, 0]),
        "Y": np.array([np.isin(codes.astype(str), labels) for labels in label_sets]),
        "label_names": tuple(
            line.partition(" - ")[2].strip() for line in names.read_text().splitlines()
        ),
        "feature_names": HJA_FEATURES,
        "instance_labels": species[:, None] == codes,
    }


def load_letter_frost(*, data_home: str | os.PathLike | None = None) -> Dataset:
    """141 words of Frost's *The Road Not Taken* as bags of letters; the labels are its letters.

    Each letter is an image of the UCI Letter data, as drawn by Pham and others. Their file has one
    label for all rare letters; here each instance has its own letter, since it equals a row of the
    UCI file. Labels are A to Z; no word has an X or a Z.
    """
    return load_source(UNSEEN["letter_frost"], _read_letter_frost, data_home)


def _read_letter_frost(draw: Path, uci: Path) -> dict[str, Any]:
    X = _frost_bags(draw)
    letters, features = _uci_letters(uci)
    letter_of = dict(zip(map(tuple, features), letters, strict=True))  # no row has two letters
    return _bags_of_letters(X, np.array([letter_of[tuple(row)] for row in X.instances]))


def load_letter_carroll(*, data_home: str | os.PathLike | None = None) -> Dataset:
    """166 words of Carroll's *Jabberwocky* as bags of letters; the labels are its letters.

    The draw of Briggs and others is not public. This one takes a random row of the UCI Letter data
    for each letter of the poem, from a fixed seed: no row twice, and no row of Letter Frost.
    Labels are A to Z; no word has a Q or a Z.
    """
    return load_source(UNSEEN["letter_carroll"], _read_letter_carroll, data_home)


def _read_letter_carroll(uci: Path, poem: Path, frost: Path) -> dict[str, Any]:
    words = re.findall(r"[A-Z]+(?:-[A-Z]+)?", poem.read_text().upper())  # SNICKER-SNACK is one
    words = [word.replace("-", "") for word in words]
    text = np.array(list("".join(words)))
    letters, features = _uci_letters(uci)
    taken = set(map(tuple, _frost_bags(frost).instances))
    free = np.array([tuple(row) not in taken for row in features])
    rng = np.random.default_rng(SEED)
    rows = np.zeros(len(text), dtype=int)
    for letter in np.unique(text):
        places = np.flatnonzero(text == letter)
        images = np.flatnonzero((letters == letter) & free)
        rows[places] = rng.choice(images, len(places), replace=False)
    offsets = np.concatenate([[0], np.cumsum([len(word) for word in words])])
    return _bags_of_letters(Bags(features[rows], offsets), text)


def _frost_bags(path):
    (bags,) = read_variables(path, "X")
    return Bags.from_list([bag.T for bag in bags.ravel()])


def _uci_letters(path):
    """Letters (20,000,) and features (20,000, 16) of their images."""
    rows = pd.read_csv(path)
    return rows.iloc[:, 0].to_numpy(dtype=str), rows.iloc[:, 1:].to_numpy(dtype=float)


def _bags_of_letters(X, letters):
    instance_labels = letters[:, None] == np.array(list(ascii_uppercase))
    return {
        "X": X,
        "Y": X.max(instance_labels),
        "label_names": tuple(ascii_uppercase),
        "feature_names": LETTER_FEATURES,
        "instance_labels": instance_labels,
    }


def load_dbpedia(
    *, top_share: float = 0.02, held_out: str = "test", data_home: str | os.PathLike | None = None
) -> Dataset:
    """5,000 documents as bags of 4 to 31 sentences about ten kinds of things; word counts.

    The first ``n_train`` = 4,500 are for training. A document mixes sentences, some of them
    repeated, from articles about several things. A sentence has one label.

    As for the paper's own texts, words are the share ``top_share``, at most 0.2, in the most
    training documents, ties in the order of the vocabulary: 359 of 17,953, which take 220 MB.
    :func:`load_dbpedia_counts` gives all words as a sparse matrix; a dense one would take 11 GB.
    ``held_out`` documents follow the training documents: "test" (500) or "valid" (3,000).
    """
    _check_held_out(held_out)
    if not 0 < top_share <= MAX_TOP_SHARE:
        raise ValueError(
            f"top_share must lie in (0, {MAX_TOP_SHARE}], since dense instances take 11 GB times "
            f"that, got {top_share}; load_dbpedia_counts gives all words"
        )
    read = partial(_read_dbpedia, top_share=top_share, held_out=held_out)
    return load_source(UNSEEN["dbpedia"], read, data_home)


def load_dbpedia_counts(
    *, held_out: str = "test", data_home: str | os.PathLike | None = None
) -> tuple[csr_array, tuple[str, ...]]:
    """Sparse counts of all 17,953 words in each sentence, and the words.

    Row ``i`` belongs to instance ``i`` of ``load_dbpedia(held_out=held_out).X``.
    """
    _check_held_out(held_out)
    words = _vocabulary(fetch("dbpedia/vocabs.txt", data_home))
    files = [fetch(f"dbpedia/{part}-data.dat", data_home) for part in ("train", held_out)]
    return vstack([_sentences(file, len(words))[0] for file in files], format="csr"), words


def _check_held_out(held_out):
    if held_out not in DBPEDIA_PARTS[1:]:
        raise ValueError(f"held_out must be one of {DBPEDIA_PARTS[1:]}, got {held_out!r}")


def _read_dbpedia(*paths: Path, top_share, held_out) -> dict[str, Any]:
    files, parts = {path.stem: path for path in paths}, ("train", held_out)
    words = _vocabulary(files["vocabs"])
    counts, sizes = zip(*(_sentences(files[f"{p}-data"], len(words)) for p in parts), strict=True)
    n_documents = _n_documents_with(counts[0], sizes[0])
    n_kept = max(1, round(top_share * len(words)))
    kept = np.sort(np.argsort(-n_documents, kind="stable")[:n_kept])
    offsets = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
    return {
        "X": Bags(vstack(counts, format="csr")[:, kept].toarray(), offsets),
        "Y": np.concatenate([_label_rows(files[f"{part}-label"]) for part in parts]),
        "label_names": DBPEDIA_LABELS,
        "feature_names": tuple(words[i] for i in kept),
        "instance_labels": np.concatenate([_label_rows(files[f"{p}-sentlabel"]) for p in parts]),
        "n_train": len(sizes[0]),
    }


def _vocabulary(path):
    """The words, from lines such as "wood, 2"."""
    return tuple(line.split(",")[0] for line in path.read_text().splitlines())


def _sentences(path, n_words):
    """Counts (n_sentences, n_words) and the number of sentences of each document.

    A line is a document, such as "<2> <3> 7 5 7 <1> 4": two sentences, of three words and one.
    """
    words, lengths, sizes = [], [], []
    for line in path.read_text().splitlines():
        _, *sentences = line.split(" <")
        sizes.append(len(sentences))
        for sentence in sentences:
            _, *its_words = sentence.split()
            words += its_words
            lengths.append(len(its_words))
    columns = np.array(words, dtype=np.int32)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    counts = csr_array((np.ones(len(words)), columns, starts), shape=(len(lengths), n_words))
    counts.sum_duplicates()
    return counts, np.array(sizes)


def _n_documents_with(counts, sizes):
    """Number of documents with each word, from the counts in their sentences: (n_words,)."""
    starts = counts.indptr[np.concatenate([[0], np.cumsum(sizes)])]
    shape = (len(sizes), counts.shape[1])
    documents = csr_array((counts.data, counts.indices, starts), shape=shape, copy=True)
    documents.sum_duplicates()
    return np.bincount(documents.indices, minlength=counts.shape[1])


def _label_rows(path):
    """All zeros and ones of a file as booleans, ten in each row: (n_rows, 10)."""
    digits = re.findall("[01]", path.read_text())
    return (np.array(digits) == "1").reshape(-1, len(DBPEDIA_LABELS))
