"""Each data set against what the paper, or its authors, say of it; drawn sets; small files."""

import hashlib
from dataclasses import replace
from functools import cache
from string import ascii_uppercase

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

from mimlpaper import datasets
from mimlpaper.bags import Bags
from mimlpaper.datasets import DATASETS, YAHOO_NAMES, TextBags, loaders, synthetic
from mimlpaper.datasets.dataset import with_percentage
from mimlpaper.datasets.fetch import SOURCES, fetch, is_present, source_of
from mimlpaper.datasets.images_and_texts import _instances, scene_mosaic
from mimlstudy import folders
from tests.real_data import HAS_DATA, real_data

# Tests share the sets that they load, and change none.
load = cache(datasets.load)
UNSEEN = ("hja", "letter_frost", "letter_carroll", "dbpedia")


def has_several_labels(dataset):
    return dataset.Y.sum(axis=1) > 1


@pytest.mark.parametrize("name", SOURCES)
def test_every_set_is_as_described(name):
    source = SOURCES[name]
    if source.files and not HAS_DATA:
        pytest.skip("MIMLPAPER_DATA is not set")
    dataset = load(name)
    assert dataset.name == name
    assert dataset.kind == source.kind
    assert dataset.citation == source.citation
    assert repr(dataset).startswith(f"Dataset('{name}', ")
    assert len(dataset) == source.n_examples
    assert dataset.n_labels == source.n_labels
    assert (dataset.y is None) == (source.n_labels > 1)

    if source.n_instances is None:
        rows = dataset.X
        assert rows.shape == (source.n_examples, source.n_features)
    else:
        rows = dataset.X.instances
        assert rows.shape == (source.n_instances, source.n_features)
    assert rows.dtype == np.float64
    assert rows.flags.c_contiguous
    assert np.isfinite(rows).all()


@real_data
@pytest.mark.parametrize("name", UNSEEN)
def test_sets_that_the_paper_has_not_seen_have_labels_of_instances(name):
    dataset = load(name)
    labels = dataset.instance_labels
    assert labels.dtype == bool
    assert labels.shape == (dataset.X.n_instances, dataset.n_labels)
    assert len(dataset.feature_names) == dataset.X.n_features


def test_sets_have_the_names_that_the_printed_results_use():
    results = pd.read_csv(folders.printed_data() / "results.csv")
    printed = set(results["dataset"])
    # The eleven sets of Yahoo are one data set of the paper.
    names = {name.split(":")[0] for name in DATASETS if name not in UNSEEN}
    real_names = {name for name in names if "synthetic" not in name}
    assert printed == real_names


@real_data
def test_scene():
    """Section 4.3.2: 2,000 images, nine instances of 15 features, over 22% with several labels."""
    scenes = load("scene")
    counts = dict(zip(scenes.label_names, scenes.Y.sum(axis=0), strict=True))
    assert counts == {
        "desert": 409,
        "mountains": 458,
        "sea": 580,
        "sunset": 465,
        "trees": 560,
    }
    assert set(scenes.X.sizes) == {9}
    assert 100 * has_several_labels(scenes).mean() == 22.85
    # Every colour difference of every image fits the blob colours of its mosaic, to the bit.
    mosaics = [scene_mosaic(bag) for bag in scenes.X]
    instances = _instances(np.stack(mosaics))
    np.testing.assert_array_equal(instances, scenes.X.instances)


@real_data
def test_a_percentage_of_scenes():
    derived = load("scene:10%")
    assert len(derived) == 1714
    assert has_several_labels(derived).sum() == 171
    assert derived.kind == "re-derived"


@real_data
def test_reuters():
    """Section 4.3.3: 2,000 bags of 2 to 26 instances, 3.6 on average, over 14.9% multi-label."""
    reuters = load("reuters")
    X = reuters.X
    assert X.sizes.min() == 2
    assert X.sizes.max() == 26
    assert round(X.sizes.mean(), 1) == 3.6
    share = has_several_labels(reuters).mean()
    assert 100 * share == pytest.approx(14.95)
    counts = reuters.Y.sum(axis=0)
    assert counts.tolist() == [831, 482, 299, 153, 128, 154, 261]
    # Each bag begins with the whole document.
    whole_documents = X.instances[X.offsets[:-1]]
    sums = X.sum(X.instances)
    np.testing.assert_array_equal(2 * whole_documents, sums)


@real_data
def test_yeast():
    """Section 6.2.1: 2,417 genes, fourteen labels, 4.24 ± 1.57 for each gene."""
    yeast = load("yeast")
    n_labels = yeast.Y.sum(axis=1)
    mean = n_labels.mean()
    std = n_labels.std(ddof=1)
    assert f"{mean:.2f} ± {std:.2f}" == "4.24 ± 1.57"
    expected = tuple(f"Class{i}" for i in range(1, 15))
    assert yeast.label_names == expected
    lengths = np.linalg.norm(yeast.X, axis=1)
    np.testing.assert_allclose(lengths, 1, atol=2e-6)


@pytest.fixture(scope="module")
def printed_characteristics():
    path = folders.printed_data() / "yahoo_characteristics.csv"
    return pd.read_csv(path, index_col="dataset")


@real_data
@pytest.mark.parametrize("name", YAHOO_NAMES)
def test_yahoo(name, printed_characteristics):
    """Appendix C: categories, vocabulary; % multi-label, labels a page, % rare categories."""
    printed = printed_characteristics.loc[YAHOO_NAMES[name]]
    pages = load(f"yahoo:{name}")
    assert pages.X.shape == (5000, printed["vocabulary"])
    assert pages.n_train == 2000
    (path, *_) = SOURCES[pages.name].files
    (train,) = loaders.read_variables(fetch(path), "train_data")
    assert np.array_equal(pages.X[:2000], train)

    parts = {"train": pages.Y[:2000], "test": pages.Y[2000:]}
    for part, Y in parts.items():
        n_labels = Y.sum(axis=1)
        multi_label = 100 * np.mean(n_labels > 1)
        assert multi_label == pytest.approx(printed[f"{part}_PMC"], abs=0.00501)
        # To a digit more than the percentages.
        labels_of_page = n_labels.mean()
        assert labels_of_page == pytest.approx(printed[f"{part}_ANL"], abs=0.000501)
        rare = 100 * np.mean(Y.mean(axis=0) < 0.01)
        assert rare == pytest.approx(printed[f"{part}_PRC"], abs=0.00501)


@real_data
@pytest.mark.parametrize(
    ("name", "n_positive", "smallest", "largest"),
    [
        ("musk1", 47, 2, 40),
        ("musk2", 39, 1, 1044),
        # The paper does not give the sizes of these.
        ("elephant", 100, 2, 13),
        ("tiger", 100, 1, 13),
        ("fox", 100, 2, 13),
    ],
)
def test_multi_instance_sets(name, n_positive, smallest, largest):
    """Section 7.2."""
    dataset = load(name)
    assert dataset.y.sum() == n_positive
    assert dataset.X.sizes.min() == smallest
    assert dataset.X.sizes.max() == largest


def places_in(whole, derived):
    """Row of each bag of ``derived`` in ``whole``, whose bags all differ."""
    rows = {bag.tobytes(): i for i, bag in enumerate(whole.X)}
    return np.array([rows[bag.tobytes()] for bag in derived.X])


@pytest.mark.parametrize(
    ("name", "percentage", "several_stay"),
    [
        ("synthetic_scene", 10, False),
        ("synthetic_texts", 50, True),
    ],
)
def test_only_one_kind_of_example_is_removed(name, percentage, several_stay):
    """What is left are examples of the set, in its order, with their own labels."""
    whole = load(name)
    derived = load(f"{name}:{percentage}%")
    assert derived.name == f"{name}:{percentage}%"
    assert derived.kind == "synthetic"
    share = has_several_labels(derived).mean()
    assert abs(share - percentage / 100) < 1 / len(derived)

    stays = has_several_labels(whole) == several_stay
    stayed = has_several_labels(derived) == several_stay
    assert stayed.sum() == stays.sum()

    places = places_in(whole, derived)
    assert np.array_equal(places, np.sort(places))
    assert np.array_equal(whole.Y[places], derived.Y)
    in_derived = np.isin(whole.X.bag_of_instance, places)
    expected = whole.instance_labels[in_derived]
    assert np.array_equal(derived.instance_labels, expected)


def test_higher_percentages_remove_more_of_the_same():
    whole = load("synthetic_texts")

    def places(percentage):
        return set(places_in(whole, with_percentage(whole, percentage)))

    assert places(60) > places(70)
    assert places(70) > places(80)


def test_the_parts_of_a_data_set_are_checked():
    scenes = load("synthetic_scene")
    y = scenes.Y[:, 0]
    with pytest.raises(ValueError, match="synthetic_scene must have either Y or y"):
        replace(scenes, y=y)
    with pytest.raises(ValueError, match="must be booleans"):
        replace(scenes, Y=1.0 * scenes.Y)
    message = r"200 examples and 2 label\(s\)"
    with pytest.raises(ValueError, match=message):
        replace(scenes, label_names=("a", "b"))


def test_a_data_set_of_vectors_and_one_label_says_so():
    scenes = load("synthetic_scene")
    vectors = replace(
        scenes,
        X=np.zeros((200, 3)),
        Y=None,
        y=scenes.Y[:, 0],
        label_names=("a",),
    )
    expected = "Dataset('synthetic_scene', array (200, 3), label 'a', synthetic)"
    assert repr(vectors) == expected


def test_percentages_are_checked():
    scenes = load("synthetic_scene")
    with pytest.raises(ValueError, match="between 1 and 99, got 0"):
        with_percentage(scenes, 0)
    of_one_kind = scenes[~has_several_labels(scenes)]
    message = "both kinds, got 0 with several"
    with pytest.raises(ValueError, match=message):
        with_percentage(of_one_kind, 50)


@real_data
def test_birds():
    birds = load("hja")
    assert birds.label_names[10] == "Swainson's Thrush"
    labelled = birds.instance_labels.any(axis=1)
    assert labelled.sum() == 4998
    # A segment has one label at most.
    assert birds.instance_labels.sum() == 4998
    # A bag has all labels that its segments show, and some others.
    shown = birds.X.max(birds.instance_labels)
    assert (shown <= birds.Y).all()
    assert (shown != birds.Y).any(axis=1).sum() == 62
    assert shown.any(axis=1).all()


@real_data
def test_features_of_birds_are_what_their_names_say():
    birds = load("hja")
    columns = birds.X.instances.T
    feature = dict(zip(birds.feature_names, columns, strict=True))
    low = feature["lowest frequency"]
    high = feature["highest frequency"]
    bandwidth = feature["bandwidth"]
    assert np.array_equal(high - low, bandwidth)

    area = feature["area"]
    share_of_box = area / (bandwidth * feature["duration"])
    assert feature["rectangularity"] == pytest.approx(share_of_box, abs=1e-6)
    non_compactness = feature["perimeter"] ** 2 / area
    assert feature["non-compactness"] == pytest.approx(non_compactness, abs=1e-4)

    mean = 255 * feature["mean of frequency"]
    assert (low <= mean + 0.01).all()
    assert (mean <= high + 0.01).all()
    gradients = [feature[f"gradients {i}"] for i in range(1, 17)]
    assert sum(gradients) == pytest.approx(1.0, abs=1e-5)


# Ten images, whose first feature is the row's number.
IMAGES = "ABASBASSAB"


@pytest.fixture
def uci(tmp_path):
    """A file of the letters' images."""
    lines = [",".join(map(str, range(17)))]
    for i, letter in enumerate(IMAGES):
        zeros = ["0"] * 15
        lines.append(",".join([letter, str(i), *zeros]))
    path = tmp_path / "uci.csv"
    path.write_text("\n".join(lines))
    return path


@pytest.fixture
def draw(tmp_path):
    """A draw of the words BA, made of rows 4 and 8, and B, row 9."""
    ba = np.zeros((16, 2), np.uint8)
    ba[0] = [4, 8]
    b = np.zeros((16, 1), np.uint8)
    b[0] = [9]
    bags = np.empty((1, 2), dtype=object)
    bags[0] = [ba, b]
    path = tmp_path / "draw.mat"
    savemat(path, {"X": bags})
    return path


def sets_of(rows):
    return [np.flatnonzero(row).tolist() for row in rows]


def test_letters_are_found_by_their_features(uci, draw):
    parts = loaders._read_letter_frost(draw, uci)
    drawn = [bag[:, 0].tolist() for bag in parts["X"]]
    assert drawn == [[4, 8], [9]]
    assert sets_of(parts["instance_labels"]) == [[1], [0], [1]]
    assert sets_of(parts["Y"]) == [[0, 1], [1]]


def test_letters_are_drawn_once(uci, draw, tmp_path):
    """The poem needs all seven images that the other draw leaves."""
    poem = tmp_path / "poem.txt"
    poem.write_text("'As bas---\nSa-!")
    parts = loaders._read_letter_carroll(uci, poem, draw)
    assert parts["X"].sizes.tolist() == [2, 3, 2]
    labels = parts["instance_labels"].argmax(axis=1)
    letters = [parts["label_names"][label] for label in labels]
    assert "".join(letters) == "ASBASSA"

    drawn = parts["X"].instances[:, 0].astype(int)
    assert [IMAGES[i] for i in drawn] == letters
    assert sorted(drawn) == [0, 1, 2, 3, 5, 6, 7]


def words_of(dataset):
    """The words that the bags of a set of letters spell."""
    labels = dataset.instance_labels.argmax(axis=1)
    letters = np.array(dataset.label_names)[labels]
    words = np.split(letters, dataset.X.offsets[1:-1])
    return ["".join(word) for word in words]


@real_data
def test_letters_of_frost():
    frost = load("letter_frost")
    assert (frost.instance_labels.sum(axis=1) == 1).all()
    labels = frost.X.max(frost.instance_labels)
    assert np.array_equal(labels, frost.Y)
    words = words_of(frost)
    assert words[:6] == ["AND", "I", "WAY", "JUST", "LESS", "TOOK"]
    unused = set(ascii_uppercase) - set("".join(words))
    assert unused == {"X", "Z"}


@real_data
def test_labels_of_frost_are_those_of_its_file():
    """The file's 20 labels are 20 letters; its last one, "novel", stands for A, F, N and T."""
    frost = load("letter_frost")
    path = fetch("letters/frost_draw.mat")
    (labels_of_file,) = loaders.read_variables(path, "Y_backup")

    def columns(letters):
        places = [frost.label_names.index(letter) for letter in letters]
        return frost.Y[:, places]

    expected = labels_of_file[:, :20] == 1
    assert np.array_equal(columns("ILOSDVPCUGQBRWEHYJMK"), expected)
    novel = columns("AFNT").any(axis=1)
    assert np.array_equal(novel, labels_of_file[:, 20] == 1)


@real_data
def test_letters_of_carroll():
    carroll = load("letter_carroll")
    labels = carroll.X.max(carroll.instance_labels)
    assert np.array_equal(labels, carroll.Y)
    words = words_of(carroll)
    assert words[:4] == ["TWAS", "BRILLIG", "AND", "THE"]
    # The last stanza repeats the first.
    assert words[:23] == words[-23:]
    # The same draw everywhere.
    content = carroll.X.instances.tobytes()
    digest = hashlib.sha256(content).hexdigest()
    assert digest[:16] == "c7498bb845f0180b"


@real_data
def test_texts():
    """4,500 documents for training; some have a label that none of their sentences has."""
    texts = load("dbpedia")
    assert texts.n_train == 4500
    assert texts.X.offsets[4500] == 68_715
    assert (texts.instance_labels.sum(axis=1) == 1).all()
    shown = texts.X.max(texts.instance_labels)
    assert (shown <= texts.Y).all()
    has_hidden_label = (shown < texts.Y).any(axis=1)
    assert has_hidden_label[:4500].sum() == 438
    assert has_hidden_label[4500:].sum() == 35


@real_data
def test_labels_of_texts_have_names_that_fit_their_words():
    """The file names no label: here is the word that is most its own, by its share of sentences."""
    texts = load("dbpedia")
    is_in_sentence = texts.X.instances > 0
    labels = texts.instance_labels.astype(float)
    counts = labels.T @ is_in_sentence  # (n_labels, n_words)
    share = counts / counts.sum(axis=0)
    words = [texts.feature_names[i] for i in share.argmax(axis=1)]
    assert words == [
        "headquart",
        "secondari",
        "musician",
        "leagu",
        "uss",
        "histor",
        "tributari",
        "masovian",
        "genu",
        "direct",
    ]
    word_of = dict(zip(texts.label_names, words, strict=True))
    assert word_of["artist"] == "musician"
    assert word_of["animal"] == "genu"
    assert word_of["film"] == "direct"


# Records depend on the numbers below: they may never change, but for rounding in BLAS.


@pytest.mark.parametrize(
    ("name", "digest"),
    [
        ("synthetic_scene", "b6e5272def8a"),
        ("synthetic_texts", "d8ebd6badea0"),
    ],
)
def test_a_seed_draws_the_same_bytes_everywhere(name, digest):
    assert load(name).sha256[:12] == digest


@pytest.mark.parametrize(
    ("name", "total"),
    [
        ("synthetic_africa", -118.41606441238885),
        ("synthetic_genes", -61.75791677799943),
        ("synthetic_pages", 965.4449139398947),
    ],
)
def test_a_seed_draws_the_same_numbers_everywhere(name, total):
    X = load(name).X
    rows = X.instances if isinstance(X, Bags) else X
    assert rows.sum() == pytest.approx(total)


def test_a_seed_draws_the_same_labels_everywhere():
    africa = load("synthetic_africa")
    assert africa.instance_labels.sum() == 56
    assert load("synthetic_genes").Y.sum() == 400
    assert load("synthetic_pages").Y.sum() == 395


@pytest.mark.parametrize(
    "name",
    [name for name in SOURCES if name.startswith("synthetic")],
)
def test_a_set_depends_on_its_seed_alone(name):
    drawn_twice = datasets.load(name)
    assert drawn_twice.sha256 == load(name).sha256
    loader = getattr(synthetic, f"load_{name}")
    by_another_seed = loader(random_state=1)
    assert by_another_seed.sha256 != load(name).sha256


@pytest.mark.parametrize(
    "name",
    ["synthetic_africa", "synthetic_scene", "synthetic_texts"],
)
def test_labels_of_a_bag_are_those_of_its_instances(name):
    """The definition of multi-instance learning, label by label."""
    dataset = load(name)
    labels = dataset.labels.reshape(len(dataset), -1)
    of_instances = dataset.X.max(dataset.instance_labels)
    np.testing.assert_array_equal(of_instances, labels)
    assert labels.sum(axis=0).min() >= 20


def test_labels_of_a_scene_are_those_of_its_regions():
    images, Y, regions = synthetic.make_scenes(
        30,
        size=32,
        random_state=3,
    )
    assert images.shape == (30, 32, 32, 3)
    assert images.dtype == np.uint8
    for labels, region in zip(Y, regions, strict=True):
        # The background is -1.
        shown = set(np.unique(region)) - {-1}
        assert shown == set(np.flatnonzero(labels))


def test_texts_have_the_topic_of_each_word():
    texts, Y, topics = synthetic.make_texts(40, random_state=3)
    for text, labels, topic_of_word in zip(texts, Y, topics, strict=True):
        assert len(text.split()) == len(topic_of_word)
        assert set(topic_of_word) == set(np.flatnonzero(labels))


def test_a_passage_has_the_topic_of_half_of_its_words():
    topic_of_word = np.repeat([1, 4, 6], [25, 15, 10])
    labels = synthetic._labels_of_passages([topic_of_word], TextBags())
    assert np.flatnonzero(labels[0]).tolist() == [1]


def test_bags_of_any_size_are_drawn_by_name():
    dataset = load("drawn:40x3x8")
    X, Y = synthetic.make_bags(40, 3, 8)
    assert np.array_equal(dataset.X.instances, X.instances)
    assert np.array_equal(dataset.Y, Y)
    assert set(X.sizes) == {3}
    assert set(Y.sum(axis=1)) == {2}


def test_bags_of_any_size_have_a_source():
    name = "drawn:40x3x8"
    assert is_present(name)
    source = source_of(name)
    assert source.n_examples == 40
    assert source.n_instances == 120
    assert source.n_labels == 8
    assert source.n_features == load(name).X.n_features


def test_bad_sizes_are_refused():
    with pytest.raises(ValueError, match="multiple of 8, got 30"):
        synthetic.make_scenes(2, size=30)
    with pytest.raises(ValueError, match="multiple of 4, got 6"):
        synthetic.make_bags(2, 2, 6)
    message = "n_instances must be at least 1, got 0"
    with pytest.raises(ValueError, match=message):
        synthetic.make_bags(2, 0, 4)
    message = "n_texts must be at least 1, got 0"
    with pytest.raises(ValueError, match=message):
        synthetic.make_texts(0)


@pytest.mark.parametrize("name", ["drawn:4x", "drawn:40x8", "drawn:40x0x4", "drawn:4_0x8x4"])
def test_synthetic_bags_are_named_by_three_sizes(name):
    with pytest.raises(ValueError, match=f"drawn:400x8x4 .* got '{name}'"):
        datasets.load(name)


def test_a_series_of_booleans_chooses_examples_and_labels_by_name():
    scenes = datasets.load_synthetic_scene(n_images=20)
    names = [f"image {i}" for i in range(20)]
    named = replace(scenes, X=scenes.X.with_names(names))
    is_last = pd.Series(np.arange(20) == 0, index=names[::-1])
    (chosen,) = named[is_last].Y
    assert named[is_last].X.names == ["image 19"]
    assert np.array_equal(chosen, scenes.Y[19])
