"""Each data set against what the paper says of it."""

import csv
import os
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest
from scipy.io import savemat

from mimlpaper import paths
from mimlpaper.bags import Bags
from mimlpaper.datasets import (
    DATASETS,
    SCENE_FEATURES,
    YAHOO_NAMES,
    Dataset,
    ImageBags,
    describe,
    load,
    load_reuters,
    load_scene,
    load_yahoo,
    load_yeast,
    loaders,
    scene_mosaic,
)
from mimlpaper.datasets.catalogue import SOURCES
from mimlpaper.datasets.images import _instances
from mimlpaper.datasets.loaders import bags_of_runs, label_matrix, read_variables
from mimlpaper.datasets.unseen import UNSEEN

real_data = pytest.mark.skipif(
    not os.environ.get("MIMLPAPER_DATA"), reason="MIMLPAPER_DATA is not set"
)


def percentage_of_several_labels(Y):
    return 100 * (Y.sum(axis=1) > 1).mean()


@pytest.mark.parametrize("name", SOURCES)
def test_every_set_is_as_described(name):
    source = SOURCES[name]
    if source.files and not os.environ.get("MIMLPAPER_DATA"):
        pytest.skip("MIMLPAPER_DATA is not set")
    dataset = load(name)
    assert (dataset.name, dataset.kind, dataset.citation) == (name, source.kind, source.citation)
    assert (len(dataset), dataset.n_labels) == (source.n_examples, source.n_labels)
    assert len(dataset.sha256) == 64 and dataset.terms
    if source.n_instances is None:
        assert dataset.X.shape == (source.n_examples, source.n_features)
        assert dataset.X.dtype == np.float64 and dataset.X.flags.c_contiguous
        assert np.isfinite(dataset.X).all()
    else:
        assert dataset.X.n_instances == source.n_instances
        assert dataset.X.n_features == source.n_features
    assert (dataset.y is None) == (name not in {*loaders.MIL, "synthetic_africa"})


def test_sets_have_the_names_that_the_published_results_use():
    with (paths.published() / "results.csv").open() as lines:
        published = {row["dataset"] for row in csv.DictReader(lines)}
    seen = {name.split(":")[0] for name in DATASETS if name not in UNSEEN}
    assert published == {name for name in seen if "synthetic" not in name}
    assert [row["name"] for row in describe()] == list(SOURCES)


@real_data
def test_scene():
    """Section 4.3.2: 2,000 images, nine instances of 15 features, over 22 % with several labels."""
    dataset = load_scene()
    assert dataset.label_names == ("desert", "mountains", "sea", "sunset", "trees")
    assert dataset.feature_names == SCENE_FEATURES
    assert set(dataset.X.sizes) == {9}
    assert percentage_of_several_labels(dataset.Y) == 22.85
    assert dataset.Y.sum(axis=0).tolist() == [409, 458, 580, 465, 560]
    assert 0 <= dataset.X.instances[:, :3].min() and dataset.X.instances[:, :3].max() <= 255


@real_data
def test_scene_bags_are_what_the_generator_makes():
    """Every colour difference of every image fits the blob colours of its mosaic, to the bit.

    An image of the 8 x 8 pixels can be had for the mosaics' middle only, so the generator's
    last step is run on the mosaics.
    """
    dataset = load_scene()
    mosaics = np.stack([scene_mosaic(bag) for bag in dataset.X])  # (2000, 7, 7, 3)
    assert (np.isfinite(mosaics).all(axis=-1).sum(axis=(1, 2)) == 33).all()
    np.testing.assert_array_equal(_instances(mosaics), dataset.X.instances)
    assert len(SCENE_FEATURES) == ImageBags().transform([np.zeros((8, 8))]).n_features


@real_data
def test_reuters():
    """Section 4.3.3: 2,000 bags of 2 to 26 instances, 3.6 on average, over 14.9 % multi-label."""
    dataset = load_reuters()
    sizes = dataset.X.sizes
    assert (sizes.min(), sizes.max(), round(sizes.mean(), 1)) == (2, 26, 3.6)
    assert percentage_of_several_labels(dataset.Y) == pytest.approx(14.95)
    assert dataset.Y.sum(axis=0).tolist() == [831, 482, 299, 153, 128, 154, 261]
    assert dataset.X.instances.max() > 1  # counts


@real_data
def test_reuters_bags_begin_with_the_whole_document():
    bags = load_reuters().X
    first = bags.instances[bags.offsets[:-1]]
    np.testing.assert_array_equal(2 * first, bags.sum(bags.instances))
    assert (bags.sizes == 2).sum() == 1085


@real_data
def test_yeast():
    """Section 6.2.1: 2,417 genes, fourteen labels, 4.24 ± 1.57 for each gene."""
    dataset = load_yeast()
    n_labels = dataset.Y.sum(axis=1)
    assert f"{n_labels.mean():.2f} ± {n_labels.std(ddof=1):.2f}" == "4.24 ± 1.57"
    assert dataset.label_names == tuple(f"Class{i}" for i in range(1, 15))
    np.testing.assert_allclose(np.linalg.norm(dataset.X, axis=1), 1, atol=2e-6)


def half_up(value, places):
    """As the paper rounds: halves go up."""
    return Decimal(f"{value:.9f}").quantize(Decimal(places), ROUND_HALF_UP)


@real_data
@pytest.mark.parametrize("name", YAHOO_NAMES)
def test_yahoo(name):
    """Appendix C: categories, vocabulary; % multi-label, labels a page, % rare categories."""
    with (paths.published() / "yahoo_characteristics.csv").open() as lines:
        rows = {row["dataset"]: row for row in csv.DictReader(lines)}
    printed = rows[YAHOO_NAMES[name]]
    dataset = load_yahoo(name)
    assert dataset.n_labels == int(printed["categories"])
    assert dataset.X.shape == (5000, int(printed["vocabulary"]))
    assert dataset.n_train == 2000
    for part, Y in (("train", dataset.Y[:2000]), ("test", dataset.Y[2000:])):
        assert half_up(percentage_of_several_labels(Y), ".01") == Decimal(printed[f"{part}_PMC"])
        assert half_up(Y.sum() / len(Y), ".001") == Decimal(printed[f"{part}_ANL"])
        rare = 100 * (Y.mean(axis=0) < 0.01).mean()
        assert half_up(rare, ".01") == Decimal(printed[f"{part}_PRC"])


def test_yahoo_names():
    assert len(YAHOO_NAMES) == 11
    with pytest.raises(ValueError, match=r"name must be one of Arts, .*, got 'arts'"):
        load_yahoo("arts")


@real_data
@pytest.mark.parametrize(
    ("name", "n_bags", "n_positive", "sizes", "n_features"),
    [
        ("musk1", 92, 47, (2, 40), 166),
        ("musk2", 102, 39, (1, 1044), 166),
        ("elephant", 200, 100, (2, 13), 230),
        ("tiger", 200, 100, (1, 13), 230),
        ("fox", 200, 100, (2, 13), 230),
    ],
)
def test_multi_instance_sets(name, n_bags, n_positive, sizes, n_features):
    """Section 7.2, but for the sizes of the image sets, which the paper does not give."""
    dataset = load(name)
    assert (len(dataset), dataset.y.sum(), dataset.X.n_features) == (n_bags, n_positive, n_features)
    assert (dataset.X.sizes.min(), dataset.X.sizes.max()) == sizes
    assert dataset.y.shape == (n_bags,) and dataset.y.dtype == bool


def test_a_dataset_checks_itself():
    def made(**changes):
        content = dict(
            name="tiny", X=Bags.from_list([[[0.0]], [[1.0]]]), Y=np.eye(2, dtype=bool),
            label_names=("a", "b"), kind="synthetic", sha256="", citation="", terms="",
        )  # fmt: skip
        return Dataset(**(content | changes))

    assert repr(made()) == (
        "Dataset('tiny', Bags(2 bags, 2 instances, 1 features), 2 labels, synthetic)"
    )
    single = made(Y=None, y=np.array([True, False]), label_names=("a",), X=np.zeros((2, 3)))
    assert repr(single) == "Dataset('tiny', array (2, 3), label 'a', synthetic)"
    with pytest.raises(ValueError, match="tiny must have either Y or y"):
        made(y=np.array([True, False]))
    with pytest.raises(ValueError, match="must be booleans"):
        made(Y=np.eye(2))
    with pytest.raises(ValueError, match=r"2 examples and 3 label\(s\)"):
        made(label_names=("a", "b", "c"))
    with pytest.raises(ValueError, match="kind must be one of"):
        made(kind="made up")


def test_labels_are_transposed_and_cast():
    targets = np.array([[1, -1, -1], [1, 1, -1]], dtype=np.int16)
    assert label_matrix(targets).tolist() == [[True, True], [False, True], [False, False]]
    with pytest.raises(ValueError, match="targets must be -1 or 1, got 0"):
        label_matrix(np.array([[1, 0]]))


def test_counts_of_eight_bits_do_not_overflow(tmp_path):
    bag = np.full((2, 3), 200, dtype=np.uint8)
    savemat(tmp_path / "bags.mat", {"bags": np.array([bag, None], dtype=object)[:1]})
    (bags,) = read_variables(tmp_path / "bags.mat", "bags")
    summed = Bags.from_list(bags.ravel()).instances.sum(axis=0)
    assert summed.tolist() == [400, 400, 400]


def test_missing_variables_are_named(tmp_path):
    savemat(tmp_path / "some.mat", {"bags": np.zeros(3)})
    with pytest.raises(ValueError, match="no variable named targets, class_name"):
        read_variables(tmp_path / "some.mat", "bags", "targets", "class_name")


def test_bags_of_runs():
    bags = bags_of_runs(np.arange(4)[:, None], np.array(["b", "b", "a", "c"]))
    assert [bag.ravel().tolist() for bag in bags] == [[0, 1], [2], [3]]
    with pytest.raises(ValueError, match="must follow each other"):
        bags_of_runs(np.zeros((3, 1)), np.array([1, 2, 1]))
    with pytest.raises(ValueError, match="3 instances, but 2 names"):
        bags_of_runs(np.zeros((3, 1)), np.array([1, 2]))


def test_musk1_rows_become_bags(tmp_path):
    """Molecule, conformation, features, class."""
    file = tmp_path / "clean1.data"
    file.write_text("M-1,1_1,5,6,1.\nM-1,1_2,7,8,1.\nN-2,2_1,9,10,0.\n")
    content = loaders._read_musk1(file)
    assert [bag.tolist() for bag in content["X"]] == [[[5, 6], [7, 8]], [[9, 10]]]
    assert content["y"].tolist() == [True, False]
    file.write_text("M-1,1_1,5,6,1.\nM-1,1_2,7,8,0.\n")
    with pytest.raises(ValueError, match="instances of a bag must carry one label"):
        loaders._read_musk1(file)


def test_yeast_labels_are_in_the_order_of_the_columns(tmp_path):
    arff, xml = tmp_path / "y.arff", tmp_path / "y.xml"
    arff.write_text(
        "@relation y\n@attribute f numeric\n@attribute a {0,1}\n@attribute b {0,1}\n"
        "@data\n.5,1,0\n.25,0,0\n"
    )
    xml.write_text('<labels><label name="b"/><label name="a"/></labels>')
    content = loaders._read_yeast(arff, xml)
    assert content["label_names"] == ("a", "b") and content["feature_names"] == ("f",)
    assert content["X"].tolist() == [[0.5], [0.25]]
    assert content["Y"].tolist() == [[True, False], [False, False]]
