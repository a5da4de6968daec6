"""Data that the paper did not use: small files by hand, and the counts of the real files."""

import hashlib
import os
from itertools import pairwise

import numpy as np
import pytest
from scipy.io import savemat

from mimlpaper.datasets import (
    load,
    load_dbpedia,
    load_dbpedia_counts,
    load_hja,
    load_letter_carroll,
    load_letter_frost,
    unseen,
)
from mimlpaper.datasets.fetch import fetch
from mimlpaper.datasets.loaders import read_variables

real_data = pytest.mark.skipif(
    not os.environ.get("MIMLPAPER_DATA"), reason="MIMLPAPER_DATA is not set"
)


def words_of(letters):
    """The words that the bags of a set of letters spell."""
    names = np.array(letters.label_names)[letters.instance_labels.argmax(axis=1)]
    return ["".join(word) for word in np.split(names, letters.X.offsets[1:-1])]


def test_birds_by_hand(tmp_path):
    """Bag 2 has a species that no segment shows; segment 2 of bag 1 has none."""
    contents = {
        "features": "bag_id, [f]\n1,0.5,-1\n1,2,3\n2,4,5\n",
        "segments": "bag_id, label\n1,13\n1,-1\n2,1\n",
        "bags": "bag_id, [labels]\n1,13\n2,1,2\n",
        "names": "1\tAB - A bird\n2\tBB - B-bird\n",
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content)
    found = unseen._read_hja(*(tmp_path / name for name in contents))
    assert [bag.tolist() for bag in found["X"]] == [[[0.5, -1], [2, 3]], [[4, 5]]]
    assert [np.flatnonzero(row).tolist() for row in found["Y"]] == [[12], [0, 1]]
    assert [np.flatnonzero(row).tolist() for row in found["instance_labels"]] == [[12], [], [0]]
    assert found["label_names"] == ("A bird", "B-bird")


@real_data
def test_birds():
    birds = load_hja()
    assert (birds.kind, len(birds), birds.X.n_instances, birds.X.n_features) == (
        "original", 548, 10_232, 38,
    )  # fmt: skip
    assert (birds.X.sizes.min(), birds.X.sizes.max()) == (2, 43)
    assert birds.n_labels == 13 and birds.label_names[10] == "Swainson's Thrush"
    assert birds.instance_labels.sum() == birds.instance_labels.any(axis=1).sum() == 4998
    shown = birds.X.max(birds.instance_labels)
    assert (shown <= birds.Y).all()  # a bag has all labels that its segments show
    assert (shown != birds.Y).any(axis=1).sum() == 62
    assert shown.any(axis=1).all()


@real_data
def test_features_of_birds_are_what_their_names_say():
    birds = load_hja()
    feature = dict(zip(birds.feature_names, birds.X.instances.T, strict=True))
    assert len(feature) == 38
    low, high = feature["lowest frequency"], feature["highest frequency"]
    area, box = feature["area"], feature["bandwidth"] * feature["duration"]
    assert np.array_equal(high - low, feature["bandwidth"])
    assert feature["rectangularity"] == pytest.approx(area / box, abs=1e-6)
    assert feature["non-compactness"] == pytest.approx(feature["perimeter"] ** 2 / area, abs=1e-4)
    for name in ("mean of frequency", "peak of frequency"):  # of 255 steps
        assert ((low <= 255 * feature[name] + 0.01) & (255 * feature[name] <= high + 0.01)).all()
    gradients = sum(feature[f"gradients {i}"] for i in range(1, 17))
    assert gradients == pytest.approx(1.0, abs=1e-5)


@pytest.fixture
def uci(tmp_path):
    """Ten images of the letters A, B and S; the first feature is the row's number."""
    rows = [f"{letter},{i}" + ",0" * 15 for i, letter in enumerate("ABASBASSAB")]
    (tmp_path / "uci.csv").write_text("\n".join([",".join(map(str, range(17))), *rows]))
    return tmp_path / "uci.csv"


@pytest.fixture
def frost_draw(tmp_path):
    """The words BA, made of rows 4 and 8, and B, row 9."""
    bags = np.empty((1, 2), dtype=object)
    bags[0] = [np.zeros((16, 2), np.uint8), np.zeros((16, 1), np.uint8)]
    bags[0, 0][0], bags[0, 1][0] = [4, 8], [9]
    savemat(tmp_path / "draw.mat", {"X": bags})
    return tmp_path / "draw.mat"


def test_letters_are_found_by_their_features(frost_draw, uci):
    found = unseen._read_letter_frost(frost_draw, uci)
    assert [bag[:, 0].tolist() for bag in found["X"]] == [[4, 8], [9]]
    assert [np.flatnonzero(row).tolist() for row in found["instance_labels"]] == [[1], [0], [1]]
    assert [np.flatnonzero(row).tolist() for row in found["Y"]] == [[0, 1], [1]]


def test_letters_are_drawn_once(tmp_path, frost_draw, uci):
    """The poem needs all seven images that the other draw leaves: A, B, S in rows 0 to 7."""
    (tmp_path / "poem.txt").write_text("'As bas---\nSa-s!")
    with pytest.raises(ValueError, match="larger sample than population"):  # a fourth S
        unseen._read_letter_carroll(uci, tmp_path / "poem.txt", frost_draw)
    (tmp_path / "poem.txt").write_text("'As bas---\nSa-!")
    found = unseen._read_letter_carroll(uci, tmp_path / "poem.txt", frost_draw)
    assert found["X"].sizes.tolist() == [2, 3, 2]
    names = np.array(found["label_names"])[found["instance_labels"].argmax(axis=1)]
    assert "".join(names) == "ASBASSA"
    drawn = found["X"].instances[:, 0].astype(int)
    assert ["ABASBASSAB"[i] for i in drawn] == list(names)
    assert sorted(drawn) == [0, 1, 2, 3, 5, 6, 7]


@real_data
def test_letters_of_frost():
    frost = load_letter_frost()
    assert (frost.kind, len(frost), frost.X.n_instances, frost.X.n_features) == (
        "original", 141, 562, 16,
    )  # fmt: skip
    assert (frost.instance_labels.sum(axis=1) == 1).all()
    assert np.array_equal(frost.X.max(frost.instance_labels), frost.Y)
    words = words_of(frost)
    assert words[:6] == ["AND", "I", "WAY", "JUST", "LESS", "TOOK"]
    assert "UNDERGROWTH" in words and "A" not in words
    assert set("ABCDEFGHIJKLMNOPQRSTUVWXYZ") - set("".join(words)) == {"X", "Z"}


@real_data
def test_letters_of_frost_agree_with_the_labels_of_the_draw():
    """The file's 20 labels are 20 letters; its last one, "novel", stands for A, F, N and T."""
    frost = load_letter_frost()
    (Y,) = read_variables(fetch("letters/frost_draw.mat"), "Y_backup")
    letters = ["ILOSDVPCUGQBRWEHYJMK"[i] for i in range(20)]
    own = [frost.label_names.index(letter) for letter in letters]
    assert np.array_equal(frost.Y[:, own], Y[:, :20] == 1)
    novel = [frost.label_names.index(letter) for letter in "AFNT"]
    assert np.array_equal(frost.Y[:, novel].any(axis=1), Y[:, 20] == 1)


@real_data
def test_letters_of_carroll():
    carroll = load_letter_carroll()
    assert (carroll.kind, len(carroll), carroll.X.n_instances) == ("re-derived", 166, 718)
    assert np.array_equal(carroll.X.max(carroll.instance_labels), carroll.Y)
    words = words_of(carroll)
    assert words[:4] == ["TWAS", "BRILLIG", "AND", "THE"] and words[:23] == words[-23:]
    assert words.count("SNICKERSNACK") == 1
    assert set("ABCDEFGHIJKLMNOPQRSTUVWXYZ") - set("".join(words)) == {"Q", "Z"}
    digest = hashlib.sha256(carroll.X.instances.tobytes()).hexdigest()
    assert digest[:16] == "c7498bb845f0180b"  # the same draw everywhere


@real_data
def test_no_letter_of_carroll_is_drawn_twice():
    """Some rows of the UCI file are equal: none is drawn more often than it is there."""
    letters, features = unseen._uci_letters(fetch(unseen.UCI_LETTERS))
    assert len(letters) == 20_000 and len(np.unique(features, axis=0)) == 18_668
    rows, times = np.unique(features, axis=0, return_counts=True)
    there = dict(zip(map(tuple, rows), times, strict=True))
    rows, times = np.unique(load_letter_carroll().X.instances, axis=0, return_counts=True)
    assert all(there[tuple(row)] >= n for row, n in zip(rows, times, strict=True))
    frost = set(map(tuple, load_letter_frost().X.instances))
    assert not any(tuple(row) in frost for row in rows)


def dbpedia_files(folder):
    """Six words, of which 2 and 4 are in both training documents, and 4 in three sentences."""
    contents = {
        "train-data": "<2> <3> 2 4 2 <2> 4 0\n<1> <4> 4 1 2 5\n",
        "train-label": "1 0 0 0 0 0 0 0 0 1\n0 1 0 0 0 0 0 0 0 0\n",
        "train-sentlabel": f"<1{' 0' * 9}><0{' 0' * 8} 1>\n<0 1{' 0' * 8}>\n",
        "test-data": "<1> <2> 3 4\n",
        "test-label": f"1{' 0' * 9}\n",
        "test-sentlabel": f"<1{' 0' * 9}>\n",
        "vocabs": "".join(f"word{i}, {i}\n" for i in range(6)),
    }
    for name, content in contents.items():
        (folder / f"{name}.dat").write_text(content)
        yield folder / f"{name}.dat"


def test_sentences_by_hand(tmp_path):
    files = list(dbpedia_files(tmp_path))
    found = unseen._read_dbpedia(*files, top_share=0.34, held_out="test")
    assert found["feature_names"] == ("word2", "word4")
    assert [bag.tolist() for bag in found["X"]] == [[[2, 1], [0, 1]], [[1, 1]], [[0, 1]]]
    assert [np.flatnonzero(row).tolist() for row in found["Y"]] == [[0, 9], [1], [0]]
    assert found["instance_labels"].argmax(axis=1).tolist() == [0, 9, 1, 0]
    assert found["n_train"] == 2
    found = unseen._read_dbpedia(*files, top_share=0.01, held_out="test")
    assert found["feature_names"] == ("word2",)  # as often as word4, and earlier


def test_wrong_parts_and_shares_of_texts():
    with pytest.raises(ValueError, match=r"held_out must be one of .*'test'.*, got 'train'"):
        load_dbpedia(held_out="train")
    with pytest.raises(ValueError, match=r"held_out must be one of .*, got 'all'"):
        load_dbpedia_counts(held_out="all")
    with pytest.raises(ValueError, match=r"top_share must lie in \(0, 0.2\], .* got 1; load_dbpe"):
        load_dbpedia(top_share=1)


@real_data
@pytest.mark.parametrize(
    ("held_out", "n_documents", "n_sentences", "n_repeating", "n_without"),
    [("test", 500, 7790, 495, 35), ("valid", 3000, 45_791, 2979, 343)],
)
def test_texts(held_out, n_documents, n_sentences, n_repeating, n_without):
    """4,500 documents for training; most repeat a sentence, some have a label without one."""
    texts = load_dbpedia(held_out=held_out)
    counts, words = load_dbpedia_counts(held_out=held_out)
    assert (len(texts), texts.n_train) == (4500 + n_documents, 4500)
    assert texts.X.offsets[4500] == 68_715 and texts.X.n_instances == 68_715 + n_sentences
    assert (texts.n_labels, len(words), len(texts.feature_names)) == (10, 17_953, 359)
    assert (texts.instance_labels.sum(axis=1) == 1).all()
    shown = texts.X.max(texts.instance_labels)
    assert (shown <= texts.Y).all()
    without = (shown < texts.Y).any(axis=1)
    assert (without[:4500].sum(), without[4500:].sum()) == (438, n_without)
    repeats = [repeats_a_sentence(counts, *ends) for ends in
               zip(texts.X.offsets, texts.X.offsets[1:], strict=False)]  # fmt: skip
    assert (sum(repeats[:4500]), sum(repeats[4500:])) == (4466, n_repeating)
    kept = [words.index(word) for word in texts.feature_names[:20]]
    assert np.array_equal(counts[:, kept].toarray(), texts.X.instances[:, :20])


def repeats_a_sentence(counts, start, end):
    starts, words = counts.indptr[start : end + 1], counts.indices
    sentences = [frozenset(words[a:b]) for a, b in pairwise(starts)]
    return len(set(sentences)) < len(sentences)


@real_data
def test_labels_of_texts_are_what_their_words_say():
    """The file names no label: the word that is most its own, by its share of the sentences."""
    texts = load_dbpedia()
    share = texts.instance_labels.T.astype(float) @ (texts.X.instances > 0)  # (10, 359)
    typical = (share / share.sum(axis=0)).argmax(axis=1)
    assert {name: texts.feature_names[i] for name, i in
            zip(texts.label_names, typical, strict=True)} == {
        "company": "headquart", "educational institution": "secondari", "artist": "musician",
        "athlete": "leagu", "means of transportation": "uss", "building": "histor",
        "natural place": "tributari", "village": "masovian", "animal": "genu", "film": "direct",
    }  # fmt: skip


@pytest.mark.parametrize("name", unseen.UNSEEN)
def test_every_instance_has_its_row_of_labels(name):
    if not os.environ.get("MIMLPAPER_DATA"):
        pytest.skip("MIMLPAPER_DATA is not set")
    dataset = load(name)
    assert dataset.instance_labels.dtype == bool
    assert dataset.instance_labels.shape == (dataset.X.n_instances, dataset.n_labels)
    assert len(dataset.feature_names) == dataset.X.n_features
