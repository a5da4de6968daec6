"""Bags are read back from ARFF, CSV and NPZ files; files written by hand are read as meant."""

import doctest
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.io.arff import loadarff

from mimlpaper.bags import Bags
from mimlpaper.datasets import (
    LabelledBags,
    bag_files,
    labelled_bags,
    load_reuters,
    load_synthetic_scene,
    read_bags,
    write_bags,
)
from mimlpaper.datasets.bag_files import WRITERS
from tests.made_up_files import TABLE, TWO, TWO_XML, many


@pytest.fixture(params=WRITERS)
def ending(request):
    return request.param


def same(one, other):
    assert np.array_equal(one.X.instances, other.X.instances)
    assert np.array_equal(one.X.offsets, other.X.offsets)
    assert np.array_equal(one.Y, other.Y) and other.Y.dtype == bool
    assert one[2:] == other[2:]


def test_examples():
    assert doctest.testmod(bag_files).failed == 0


def test_a_mulan_file_by_hand(tmp_path):
    (tmp_path / "two.arff").write_text(TWO)
    found = read_bags(tmp_path / "two.arff")
    assert [bag.tolist() for bag in found.X] == [
        [[5, -20, -7], [4.5, -1, 2], [3, 12.5, 0.25]],
        [[10, -8, 0], [2, 6, 9.75]],
    ]
    assert found.Y.astype(int).tolist() == [[1, 0, 0, 1], [0, 1, 1, 0]]
    assert found.label_names == ("label1", "label2", "label3", "label4")
    assert found.feature_names == ("f1", "f2", "f3")
    assert found.bag_names == ("bag1", "bag2")
    (tmp_path / "names.xml").write_text(TWO_XML)
    same(found, read_bags(tmp_path / "two.arff", labels=tmp_path / "names.xml"))
    (tmp_path / "two.xml").write_text(TWO_XML)
    same(found, read_bags(tmp_path / "two.arff"))


def test_what_arff_allows(tmp_path):
    """Comments, single quotes, escapes, sparse instances and rows, labels before the bag."""
    (tmp_path / "a.arff").write_text(
        "\ufeff% made by hand\r\n@RELATION 'two words'\r\n"
        '@attribute \'the id\' string\r\n@Attribute "l\\"1" { 1, 0 }\r\n'
        "@attribute bag RELATIONAL\r\n\t@attribute 'f, 1' REAL\r\n@attribute f2 integer\r\n"
        "@end bag\r\n@attribute l2 {0,1}\r\n\r\n@DATA\r\n% two bags\r\n"
        "'it\\'s, one' , 0 , '1.5, -2e3\\n{1 7}\\n{}' , 1\r\n"
        "{0 b, 2 '3,4'}\r\n"
    )
    found = read_bags(tmp_path / "a.arff")
    assert found.bag_names == ("it's, one", "b")
    assert found.label_names == ('l"1', "l2") and found.feature_names == ("f, 1", "f2")
    assert [bag.tolist() for bag in found.X] == [[[1.5, -2000], [0, 7], [0, 0]], [[3, 4]]]
    assert found.Y.tolist() == [[False, True], [True, False]]  # the first value is the default


def test_scipy_reads_what_is_written(tmp_path):
    scenes = load_synthetic_scene(n_images=12)
    write_bags(tmp_path / "scenes.arff", scenes)
    rows, meta = loadarff(tmp_path / "scenes.arff")
    assert meta.names() == ["id", "bag", *scenes.label_names]
    for row, bag, labels in zip(rows, scenes.X, scenes.Y, strict=True):
        assert np.array_equal(np.array(row["bag"].tolist()), bag)
        assert [row[name] == b"1" for name in scenes.label_names] == labels.tolist()


def test_a_table_by_hand(tmp_path):
    """Labels may stand in any column, and may be named by the caller."""
    (tmp_path / "t.csv").write_text(TABLE)
    found = read_bags(tmp_path / "t.csv")
    assert [bag.tolist() for bag in found.X] == [[[1, 2], [3, 4]], [[-0.005, 6]]]
    assert found.Y.tolist() == [[False], [True]]
    assert (found.label_names, found.feature_names) == (("b",), ("x", "y"))
    assert found.bag_names == ("q", "p")
    (tmp_path / "t.csv").write_text(TABLE.replace("label:", ""))
    same(found, read_bags(tmp_path / "t.csv", labels=["b"]))


NAME = st.text(min_size=1, max_size=6).filter(lambda s: s.isprintable() and s == s.strip())


@st.composite
def any_bags(draw):
    n_features, n_labels = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    number = st.floats(-1e150, 1e150)
    values = [draw(number) for _ in range(sum(sizes) * n_features)]
    Y = [[draw(st.booleans()) for _ in range(n_labels)] for _ in sizes]

    def names(n):
        return draw(st.lists(NAME, min_size=n, max_size=n, unique=True))

    return labelled_bags(
        Bags(np.reshape(values, (-1, n_features)), np.cumsum([0, *sizes])), Y, names(n_labels),
        feature_names=names(n_features), bag_names=names(len(sizes)),
    )  # fmt: skip


@many(40)
@given(data=any_bags())
def test_all_comes_back(data, tmp_path, ending):
    if ending == ".csv" and any(name.startswith("label:") for name in data.feature_names):
        return
    path = tmp_path / f"bags{ending}"
    write_bags(path, data)
    same(data, read_bags(path))


def test_a_data_set_comes_back(tmp_path, ending):
    scenes = load_synthetic_scene(n_images=20)
    write_bags(tmp_path / f"s{ending}", scenes)
    found = read_bags(tmp_path / f"s{ending}")
    assert isinstance(found, LabelledBags)
    assert np.array_equal(found.X.instances, scenes.X.instances)
    assert np.array_equal(found.Y, scenes.Y)
    assert found.label_names == scenes.label_names
    assert found.feature_names == scenes.feature_names
    assert found.bag_names[:2] == ("bag1", "bag2")


@pytest.mark.skipif(not os.environ.get("MIMLPAPER_DATA"), reason="MIMLPAPER_DATA is not set")
def test_reuters_comes_back(tmp_path):
    reuters = load_reuters()
    write_bags(tmp_path / "r.arff", reuters)
    found = read_bags(tmp_path / "r.arff")
    assert np.array_equal(found.X.instances, reuters.X.instances)
    assert np.array_equal(found.X.offsets, reuters.X.offsets)
    assert np.array_equal(found.Y, reuters.Y)


def test_writing_refuses_what_could_not_be_read(tmp_path, ending):
    bags, path = Bags.from_list([[[1.0]], [[2.0]]]), tmp_path / f"b{ending}"
    with pytest.raises(ValueError, match="the name of a label must be printable"):
        labelled_bags(bags, [[1], [0]], ["two\nlines"])
    with pytest.raises(ValueError, match=r"the name of a bag must be printable.* got ' b'"):
        labelled_bags(bags, [[1], [0]], ["a"], bag_names=["a", " b"])
    strange = LabelledBags(bags, np.ones((2, 1), bool), ("",), ("f",), ("a", "b"))
    path.write_text("as it was")
    with pytest.raises(ValueError, match="the name of a label"):
        write_bags(path, strange)
    assert path.read_text() == "as it was"
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_features_that_look_like_labels(tmp_path):
    data = labelled_bags([[[1.0]]], [[1]], ["a"], feature_names=["label:x"])
    with pytest.raises(ValueError, match="must not begin with 'label:', got 'label:x'"):
        write_bags(tmp_path / "t.csv", data)


def test_labels_named_as_the_bag(tmp_path):
    data = labelled_bags([[[1.0]], [[2.0]]], [[1, 0], [0, 1]], ["id", "bag"])
    write_bags(tmp_path / "t.arff", data)
    same(data, read_bags(tmp_path / "t.arff"))


def test_other_endings_and_missing_files(tmp_path, ending):
    with pytest.raises(
        ValueError, match=r"path must end in .arff, .csv, .npz, .svm, .libsvm, got '.*t.txt'"
    ):
        read_bags(tmp_path / "t.txt")
    with pytest.raises(FileNotFoundError):
        read_bags(tmp_path / f"missing{ending}")
