"""Each data set against what the paper, or its authors, say of it; drawn sets; small files."""

import hashlib
from dataclasses import replace
from functools import cache, partial
from string import ascii_uppercase

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

from mimlpaper import datasets
from mimlpaper.datasets import DATASETS, YAHOO_NAMES, TextBags, loaders, synthetic
from mimlpaper.datasets.dataset import with_percentage
from mimlpaper.datasets.fetch import SOURCES, fetch, is_present, source_of
from mimlpaper.datasets.images_and_texts import _instances, scene_mosaic
from mimlstudy import folders
from tests.real_data import HAS_DATA, real_data

load = cache(datasets.load)  # tests change no data
UNSEEN = ("hja", "letter_frost", "letter_carroll", "dbpedia")


def several(dataset):
    return dataset.Y.sum(axis=1) > 1


@pytest.mark.parametrize("name", SOURCES)
def test_every_set_is_as_described(name):
    source = SOURCES[name]
    if source.files and not HAS_DATA:
        pytest.skip("MIMLPAPER_DATA is not set")
    dataset = load(name)
    assert (dataset.name, dataset.kind, dataset.citation) == (name, source.kind, source.citation)
    assert repr(dataset).startswith(f"Dataset('{name}', ")
    assert (len(dataset), dataset.n_labels) == (source.n_examples, source.n_labels)
    rows = dataset.X if source.n_instances is None else dataset.X.instances
    assert rows.shape == (source.n_instances or source.n_examples, source.n_features)
    assert rows.dtype == np.float64 and rows.flags.c_contiguous and np.isfinite(rows).all()
    assert (dataset.y is None) == (source.n_labels > 1)
    if name in UNSEEN:
        assert dataset.instance_labels.dtype == bool
        assert dataset.instance_labels.shape == (dataset.X.n_instances, dataset.n_labels)
        assert len(dataset.feature_names) == dataset.X.n_features


def test_sets_have_the_names_that_the_published_results_use():
    published = set(pd.read_csv(folders.published() / "results.csv")["dataset"])
    seen = {name.split(":")[0] for name in DATASETS if name not in UNSEEN}
    assert published == {name for name in seen if "synthetic" not in name}


@real_data
def test_scene():
    """Section 4.3.2: 2,000 images, nine instances of 15 features, over 22 % with several labels."""
    dataset = load("scene")
    labels = {"desert": 409, "mountains": 458, "sea": 580, "sunset": 465, "trees": 560}
    assert dict(zip(dataset.label_names, dataset.Y.sum(axis=0), strict=True)) == labels
    assert set(dataset.X.sizes) == {9} and 100 * several(dataset).mean() == 22.85
    # Every colour difference of every image fits the blob colours of its mosaic, to the bit.
    mosaics = np.stack([scene_mosaic(bag) for bag in dataset.X])  # (2000, 7, 7, 3)
    np.testing.assert_array_equal(_instances(mosaics), dataset.X.instances)
    derived = load("scene:10%")
    assert (len(derived), several(derived).sum(), derived.kind) == (1714, 171, "re-derived")


@real_data
def test_reuters_and_yeast():
    """Section 4.3.3: 2,000 bags of 2 to 26 instances, 3.6 on average, over 14.9 % multi-label."""
    dataset = load("reuters")
    sizes, X = dataset.X.sizes, dataset.X
    assert (sizes.min(), sizes.max(), round(sizes.mean(), 1)) == (2, 26, 3.6)
    assert 100 * several(dataset).mean() == pytest.approx(14.95)
    assert dataset.Y.sum(axis=0).tolist() == [831, 482, 299, 153, 128, 154, 261]
    # Each bag begins with the whole document.
    np.testing.assert_array_equal(2 * X.instances[X.offsets[:-1]], X.sum(X.instances))
    # Section 6.2.1: 2,417 genes, fourteen labels, 4.24 ± 1.57 for each gene.
    dataset = load("yeast")
    n_labels = dataset.Y.sum(axis=1)
    assert f"{n_labels.mean():.2f} ± {n_labels.std(ddof=1):.2f}" == "4.24 ± 1.57"
    assert dataset.label_names == tuple(f"Class{i}" for i in range(1, 15))
    np.testing.assert_allclose(np.linalg.norm(dataset.X, axis=1), 1, atol=2e-6)


@real_data
def test_yahoo():
    """Appendix C: categories, vocabulary; % multi-label, labels a page, % rare categories."""
    rows = pd.read_csv(folders.published() / "yahoo_characteristics.csv", index_col="dataset")
    for name, printed_name in YAHOO_NAMES.items():
        printed, dataset = rows.loc[printed_name], load(f"yahoo:{name}")
        assert dataset.X.shape == (5000, printed["vocabulary"]) and dataset.n_train == 2000
        (first,) = loaders.read_variables(fetch(SOURCES[dataset.name].files[0]), "train_data")
        assert np.array_equal(dataset.X[:2000], first)
        for part, Y in (("train", dataset.Y[:2000]), ("test", dataset.Y[2000:])):
            multi, rare = Y.sum(axis=1) > 1, Y.mean(axis=0) < 0.01
            found = 100 * multi.mean(), 10 * Y.sum() / len(Y), 100 * rare.mean()
            expected = [printed[f"{part}_{key}"] for key in ("PMC", "ANL", "PRC")]
            assert found == pytest.approx(np.multiply(expected, (1, 10, 1)), abs=0.00501)


@real_data
def test_multi_instance_sets():
    """Section 7.2, but for the sizes of the image sets, which the paper does not give."""
    counts = {"musk1": (47, 2, 40), "musk2": (39, 1, 1044)}
    counts |= {"elephant": (100, 2, 13), "tiger": (100, 1, 13), "fox": (100, 2, 13)}
    for name, expected in counts.items():
        dataset = load(name)
        assert (dataset.y.sum(), dataset.X.sizes.min(), dataset.X.sizes.max()) == expected


def test_only_one_kind_of_example_is_removed():
    """What is left are examples of the set, in its order, with their own labels."""
    for name, percentage, stay in (("synthetic_scene", 10, False), ("synthetic_texts", 50, True)):
        whole, derived = load(name), load(f"{name}:{percentage}%")
        assert derived.name == f"{name}:{percentage}%" and derived.kind == "synthetic"
        assert abs(several(derived).mean() - percentage / 100) < 1 / len(derived)
        assert (several(derived) == stay).sum() == (several(whole) == stay).sum()
        places = places_in(whole, derived)
        assert np.array_equal(places, np.sort(places))
        assert np.array_equal(whole.Y[places], derived.Y)
        instances = np.isin(whole.X.bag_of_instance, places)
        assert np.array_equal(whole.instance_labels[instances], derived.instance_labels)
    sets = [set(places_in(whole, with_percentage(whole, p))) for p in (60, 70, 80)]
    assert sets[0] > sets[1] > sets[2]  # higher percentages remove more of the same


def places_in(whole, derived):
    """Row of each bag of ``derived`` in ``whole``, whose bags all differ."""
    rows = {bag.tobytes(): i for i, bag in enumerate(whole.X)}
    return np.array([rows[bag.tobytes()] for bag in derived.X])


def test_data_and_percentages_are_checked():
    scenes = load("synthetic_scene")
    one = {"Y": None, "y": scenes.Y[:, 0], "label_names": ("a",)}
    single = replace(scenes, **one, X=np.zeros((200, 3)))
    assert repr(single) == "Dataset('synthetic_scene', array (200, 3), label 'a', synthetic)"
    for use, message in (
        (lambda: replace(scenes, y=scenes.Y[:, 0]), "synthetic_scene must have either Y or y"),
        (lambda: replace(scenes, Y=1.0 * scenes.Y), "must be booleans"),
        (lambda: replace(scenes, label_names=("a", "b")), r"200 examples and 2 label\(s\)"),
        (lambda: with_percentage(scenes, 0), "between 1 and 99, got 0"),
        (lambda: with_percentage(scenes[~several(scenes)], 50), "both kinds, got 0 with several"),
    ):
        with pytest.raises(ValueError, match=message):
            use()


@real_data
def test_birds():
    birds = load("hja")
    assert birds.label_names[10] == "Swainson's Thrush"
    assert birds.instance_labels.sum() == birds.instance_labels.any(axis=1).sum() == 4998
    shown = birds.X.max(birds.instance_labels)
    assert (shown <= birds.Y).all()  # a bag has all labels that its segments show
    assert (shown != birds.Y).any(axis=1).sum() == 62 and shown.any(axis=1).all()
    # Features are what their names say.
    feature = dict(zip(birds.feature_names, birds.X.instances.T, strict=True))
    low, high = feature["lowest frequency"], feature["highest frequency"]
    area, box = feature["area"], feature["bandwidth"] * feature["duration"]
    assert np.array_equal(high - low, feature["bandwidth"])
    assert feature["rectangularity"] == pytest.approx(area / box, abs=1e-6)
    assert feature["non-compactness"] == pytest.approx(feature["perimeter"] ** 2 / area, abs=1e-4)
    mean = 255 * feature["mean of frequency"]
    assert ((low <= mean + 0.01) & (mean <= high + 0.01)).all()
    assert sum(feature[f"gradients {i}"] for i in range(1, 17)) == pytest.approx(1.0, abs=1e-5)


def test_letters_are_found_by_their_features_and_drawn_once(tmp_path):
    """Ten images of the letters A, B and S; the first feature is the row's number."""
    uci, draw, poem = (tmp_path / name for name in ("uci.csv", "draw.mat", "poem.txt"))
    rows = [f"{letter},{i}" + ",0" * 15 for i, letter in enumerate("ABASBASSAB")]
    uci.write_text("\n".join([",".join(map(str, range(17))), *rows]))
    bags = np.empty((1, 2), dtype=object)  # the words BA, made of rows 4 and 8, and B, row 9
    bags[0] = [np.zeros((16, 2), np.uint8), np.zeros((16, 1), np.uint8)]
    bags[0, 0][0], bags[0, 1][0] = [4, 8], [9]
    savemat(draw, {"X": bags})
    found = loaders._read_letter_frost(draw, uci)
    assert [bag[:, 0].tolist() for bag in found["X"]] == [[4, 8], [9]]
    assert [np.flatnonzero(row).tolist() for row in found["instance_labels"]] == [[1], [0], [1]]
    assert [np.flatnonzero(row).tolist() for row in found["Y"]] == [[0, 1], [1]]
    # The poem needs all seven images that this draw leaves.
    poem.write_text("'As bas---\nSa-!")
    found = loaders._read_letter_carroll(uci, poem, draw)
    assert found["X"].sizes.tolist() == [2, 3, 2]
    names = np.array(found["label_names"])[found["instance_labels"].argmax(axis=1)]
    assert "".join(names) == "ASBASSA"
    drawn = found["X"].instances[:, 0].astype(int)
    assert ["ABASBASSAB"[i] for i in drawn] == list(names)
    assert sorted(drawn) == [0, 1, 2, 3, 5, 6, 7]


def words_of(letters):
    """The words that the bags of a set of letters spell."""
    names = np.array(letters.label_names)[letters.instance_labels.argmax(axis=1)]
    return ["".join(word) for word in np.split(names, letters.X.offsets[1:-1])]


@real_data
def test_letters():
    frost = load("letter_frost")
    assert (frost.instance_labels.sum(axis=1) == 1).all()
    assert np.array_equal(frost.X.max(frost.instance_labels), frost.Y)
    words = words_of(frost)
    assert words[:6] == ["AND", "I", "WAY", "JUST", "LESS", "TOOK"]
    assert set(ascii_uppercase) - set("".join(words)) == {"X", "Z"}
    # The file's 20 labels are 20 letters; its last one, "novel", stands for A, F, N and T.
    (Y,) = loaders.read_variables(fetch("letters/frost_draw.mat"), "Y_backup")
    own = [frost.label_names.index(letter) for letter in "ILOSDVPCUGQBRWEHYJMK"]
    assert np.array_equal(frost.Y[:, own], Y[:, :20] == 1)
    novel = [frost.label_names.index(letter) for letter in "AFNT"]
    assert np.array_equal(frost.Y[:, novel].any(axis=1), Y[:, 20] == 1)
    carroll = load("letter_carroll")
    assert np.array_equal(carroll.X.max(carroll.instance_labels), carroll.Y)
    words = words_of(carroll)
    assert words[:4] == ["TWAS", "BRILLIG", "AND", "THE"] and words[:23] == words[-23:]
    digest = hashlib.sha256(carroll.X.instances.tobytes()).hexdigest()
    assert digest[:16] == "c7498bb845f0180b"  # the same draw everywhere


@real_data
def test_texts():
    """4,500 documents for training; some have a label that none of their sentences has."""
    texts = load("dbpedia")
    assert texts.n_train == 4500 and texts.X.offsets[4500] == 68_715
    assert (texts.instance_labels.sum(axis=1) == 1).all()
    shown = texts.X.max(texts.instance_labels)
    assert (shown <= texts.Y).all()
    without = (shown < texts.Y).any(axis=1)
    assert (without[:4500].sum(), without[4500:].sum()) == (438, 35)
    # The file names no label: here is the word that is most its own, by its share of sentences.
    share = texts.instance_labels.T.astype(float) @ (texts.X.instances > 0)  # (10, 359)
    typical = (share / share.sum(axis=0)).argmax(axis=1)
    words = dict(zip(texts.label_names, (texts.feature_names[i] for i in typical), strict=True))
    expected = "headquart secondari musician leagu uss histor tributari masovian genu direct"
    assert " ".join(words.values()) == expected
    assert [words[name] for name in ("artist", "animal", "film")] == ["musician", "genu", "direct"]


def test_a_seed_draws_the_same_everywhere():
    """Records depend on these numbers: they may never change, but for rounding in BLAS."""
    assert load("synthetic_scene").sha256[:12] == "b6e5272def8a"
    assert load("synthetic_texts").sha256[:12] == "d8ebd6badea0"
    africa = load("synthetic_africa")
    genes, pages = load("synthetic_genes"), load("synthetic_pages")
    assert africa.X.instances.sum() == pytest.approx(-118.41606441238885)
    assert (genes.X.sum(), pages.X.sum()) == pytest.approx((-61.75791677799943, 965.4449139398947))
    totals = africa.instance_labels.sum(), genes.Y.sum(), pages.Y.sum()
    assert totals == (56, 400, 395)
    for name in [one for one in SOURCES if one.startswith("synthetic")]:
        other = getattr(synthetic, f"load_{name}")(random_state=1)
        assert datasets.load(name).sha256 == load(name).sha256 != other.sha256


def test_labels_of_a_bag_are_those_of_its_instances_and_of_a_scene_its_regions():
    """The definition of multi-instance learning, label by label."""
    for name in ("synthetic_africa", "synthetic_scene", "synthetic_texts"):
        dataset = load(name)
        labels = dataset.labels.reshape(len(dataset), -1)
        np.testing.assert_array_equal(dataset.X.max(dataset.instance_labels), labels)
        assert labels.sum(axis=0).min() >= 20
    images, Y, regions = synthetic.make_scenes(30, size=32, random_state=3)
    assert images.shape == (30, 32, 32, 3) and images.dtype == np.uint8
    for labels, region in zip(Y, regions, strict=True):
        assert set(np.unique(region)) - {-1} == set(np.flatnonzero(labels))


def test_texts_have_the_topic_of_each_word():
    texts, Y, topics = synthetic.make_texts(40, random_state=3)
    for text, labels, of_word in zip(texts, Y, topics, strict=True):
        assert len(text.split()) == len(of_word)
        assert set(of_word) == set(np.flatnonzero(labels))
    half = synthetic._labels_of_passages([np.repeat([1, 4, 6], [25, 15, 10])], TextBags())
    assert np.flatnonzero(half[0]).tolist() == [1]  # at least half of the passage


def test_bags_of_any_size_are_drawn_by_name():
    drawn = load("drawn:40x3x8")
    X, Y = synthetic.make_bags(40, 3, 8)
    assert np.array_equal(drawn.X.instances, X.instances) and np.array_equal(drawn.Y, Y)
    source = source_of(drawn.name)
    assert is_present(drawn.name) and (source.n_labels, source.n_instances) == (8, 120)
    assert (source.n_examples, source.n_features) == (len(X), X.n_features)
    assert set(X.sizes) == {3} and set(Y.sum(axis=1)) == {2}


def test_bad_parameters():
    for make, sizes, message in (
        (partial(synthetic.make_scenes, size=30), (2,), "multiple of 8, got 30"),
        (synthetic.make_bags, (2, 2, 6), "multiple of 4, got 6"),
        (synthetic.make_bags, (2, 0, 4), "n_instances must be at least 1, got 0"),
        (synthetic.make_texts, (0,), "n_texts must be at least 1, got 0"),
    ):
        with pytest.raises(ValueError, match=message):
            make(*sizes)
