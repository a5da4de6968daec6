"""Bags written to ARFF, CSV and NPZ files come back; what is no such file is refused."""

import doctest
import os
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.io.arff import loadarff

from mimlpaper.bags import Bags
from mimlpaper.datasets import (
    DataError,
    LabelledBags,
    files,
    labelled_bags,
    load_reuters,
    load_synthetic_scene,
    read_bags,
    write_bags,
)
from mimlpaper.datasets.files import FORMATS

TWO = """@relation two

 @attribute id {bag1,bag2}
 @attribute bag relational
   @attribute f1 numeric
   @attribute f2 numeric
   @attribute f3 numeric
 @end bag
 @attribute label1 {0,1}
 @attribute label2 {0,1}
 @attribute label3 {0,1}
 @attribute label4 {0,1}

 @data
 bag1,"5,-20,-7\\n4.5,-1,2\\n3,12.5,.25",1,0,0,1
 bag2,"1e1,-8,0\\n2,6,9.75",0,1,1,0 """

TWO_XML = """<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="label4"></label>
<label name="label1"><label name="label2"></label></label>
<label name="label3"/>
</labels>
"""


def many(n):
    """So many examples, all with the one temporary folder of the test."""
    one_folder = [HealthCheck.function_scoped_fixture]
    return settings(max_examples=n, deadline=None, suppress_health_check=one_folder)


TABLE = "bag,x,label:b,y\nq,1,0,2\nq,3,0,4\np,-5e-3,1,6\n"


@pytest.fixture(params=FORMATS)
def ending(request):
    return request.param


def refused(path, content, message, **options):
    """Reading ``content`` fails with a DataError that names the file and says ``message``."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError, match=message) as caught:
        read_bags(path, **options)
    assert str(caught.value).startswith(str(path))


def same(one, other):
    assert np.array_equal(one.X.instances, other.X.instances)
    assert np.array_equal(one.X.offsets, other.X.offsets)
    assert np.array_equal(one.Y, other.Y) and other.Y.dtype == bool
    assert one[2:] == other[2:]


def test_examples():
    assert doctest.testmod(files).failed == 0


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
        "@attribute 'the id' string\r\n@Attribute \"l\\\"1\" { 1, 0 }\r\n"
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
    """Labels may stand anywhere, and be named by the reader instead."""
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
    number = st.floats(allow_nan=False, allow_infinity=False)
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


PIECES = (
    b"@data\n", b"@end", b'"', b"'", b"{", b"}", b"{9999999 1}", b"\\n", b"\n", b",", b"-1", b"nan",
    b"inf", b"1_0", b"label:", b"bag1,", b"0,1",
)  # fmt: skip


@many(70)
@given(data=st.data())
def test_damage_is_refused_or_harmless(data, tmp_path, ending):
    """Cut or overwritten anywhere, a file gives bags or a DataError, nothing else."""
    path = tmp_path / f"bags{ending}"
    write_bags(path, load_synthetic_scene(n_images=2))
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(content)))
        end = data.draw(st.integers(start, min(len(content), start + 40)))
        content[start:end] = data.draw(st.binary(max_size=4) | st.sampled_from(PIECES))
    path.write_bytes(content)
    try:
        found = read_bags(path, max_bytes=10**7)
    except DataError:
        return
    assert np.isfinite(found.X.instances).all()
    assert found.Y.shape == (len(found.X), len(found.label_names))


@many(60)
@given(content=st.binary(max_size=200))
def test_noise_is_refused(content, tmp_path, ending):
    refused(tmp_path / f"noise{ending}", content, "noise")


@many(60)
@given(content=st.binary(max_size=200))
def test_noise_for_label_names_is_refused(content, tmp_path):
    (tmp_path / "two.arff").write_text(TWO)
    (tmp_path / "two.xml").write_bytes(content)
    with pytest.raises(DataError, match=r"two.xml, line"):
        read_bags(tmp_path / "two.arff")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('9.75",0,1,1,0', '9.75",0,1,1', r"line 16: a row must have 6 values, got 5"),
        ('9.75",0,1,1,0', '9.75",0,1,1,0,0', r"line 16: a row must have 6 values, got 7"),
        ('9.75",0,1,1,0', "9.7", "line 16: no value can be read from .* quote not closed"),
        ("\\n2,6,9.75", "\\n2,6", "line 16: an instance must have 3 values, got 2"),
        ("\\n2,6,9.75", "\\n\\n2,6,9.75", "line 16: an instance must have 3 values, got 1"),
        ("12.5", "nan", "line 15: feature 'f2' must be a finite number, got 'nan'"),
        ("12.5", "?", "line 15: feature 'f2' must be a finite number, got '\\?'"),
        ("12.5", "1_4", "line 15: feature 'f2' must be a finite number, got '1_4'"),
        ("12.5", "1e999", "line 15: feature 'f2' must be a finite number"),
        (",1,0,0,1", ",1,0,0,2", "line 15: label 'label4' must be 0 or 1, got '2'"),
        (" bag2,", " bag1,", "line 16: bag 'bag1' was already there"),
        ("label2 {0,1}", "label2 {no,yes}", "label 'label2' must be declared {0,1}"),
        ("label2 {0,1}", "label1 {0,1}", "label names must differ, but 'label1' stands twice"),
        ("f2 numeric", "f2 {a,b}", "line 6: feature 'f2' must be numeric, got '{a,b}'"),
        ("f2 numeric", "f2", "line 6: an attribute must have a name and a type"),
        (" @end bag\n", "", "line 11: .*@data|must be numeric"),
        ("@data", "", "line 15: expected @attribute"),
        ("bag relational", "bag numeric", "line 8: expected @attribute"),
        (" @attribute id {bag1,bag2}\n", "", "the first attribute must be the bag's id"),
        ('"5,-20,-7\\n4.5,-1,2\\n3,12.5,.25"', '"{3 1}"', "line 15: a sparse row"),
        ('"5,-20,-7\\n4.5,-1,2\\n3,12.5,.25"', '"{1 1, 1 2}"', "line 15: a sparse row"),
        (' bag1,"5', " {0 bag1}\n%", "line 15: value 1 of the sparse row cannot be left out"),
    ],
)
def test_faults_of_arff_are_told_with_their_line(tmp_path, old, new, message):
    assert old in TWO
    refused(tmp_path / "two.arff", TWO.replace(old, new, 1), message)


def test_arff_files_that_end_too_soon(tmp_path):
    refused(tmp_path / "a.arff", "", "line 0: the file ends before @data")
    refused(tmp_path / "a.arff", TWO[: TWO.index("@data")], "line 14: the file ends before @data")
    refused(tmp_path / "a.arff", TWO[: TWO.index(" bag1,")], "line 14: the file ends without any")


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        (TWO_XML.replace("label3", "label5"), r"only there \['label5'\], only here \['label3'\]"),
        (TWO_XML.replace('<label name="label3"/>', ""), r"only here \['label3'\]"),
        (TWO_XML.replace("label3", "label1"), "two.xml, line .*'label1' stands twice"),
        (TWO_XML.replace('<label name="label3"/>', "<label/>"), "two.xml, line 5: only <labels>"),
        (TWO_XML.replace("</labels>", ""), "two.xml, line 7: no element found"),
        ("<labels></labels>", "two.xml, line 1: there is no label"),
        ('<!DOCTYPE labels [<!ENTITY a "label1">]><labels/>', "two.xml, line 1: a document type"),
        ('<labels><label name="&a;"/></labels>', "two.xml, line 1: undefined entity"),
    ],
)
def test_faults_of_label_files(tmp_path, xml, message):
    (tmp_path / "two.arff").write_text(TWO)
    (tmp_path / "two.xml").write_text(xml)
    with pytest.raises(DataError, match=message):
        read_bags(tmp_path / "two.arff")


def test_entities_never_expand(tmp_path):
    """Nine levels of ten would be a thousand million copies."""
    levels = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 10))
    bomb = f'<!DOCTYPE labels [<!ENTITY e0 "ha">{levels}]><labels><label name="&e9;"/></labels>'
    (tmp_path / "two.arff").write_text(TWO)
    (tmp_path / "two.xml").write_text(bomb)
    with pytest.raises(DataError, match="document type declaration is refused"):
        read_bags(tmp_path / "two.arff")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("q,3,0,4", "q,3,0", "line 3: a row must have 4 values, got 3"),
        ("q,3,0,4", "q,3,1,4", "line 3: bag 'q' must have the same labels in all its rows"),
        ("q,3,0,4", "q,3,,4", "line 3: bag 'q' must have the same labels in all its rows"),
        ("q,1,0,2", "q,1,yes,2", "line 2: label 'b' must be 0 or 1, got 'yes'"),
        ("q,3,0,4", "q,3,0,", "line 3: feature 'y' must be a finite number, got ''"),
        ("q,3,0,4", "q,-inf,0,4", "line 3: feature 'x' must be a finite number, got '-inf'"),
        ("p,-5e-3,1,6", "p,5,1,6\nq,5,0,6", "line 5: bag 'q' was already there"),
        ("p,-5e-3,1,6", '"p,-5e-3,1,6', "line 4: unexpected end of data"),
        ("label:b", "b", "line 1: no column begins with 'label:'"),
        (",y", ",x", "line 1: feature names must differ, but 'x' stands twice"),
    ],
)
def test_faults_of_tables_are_told_with_their_line(tmp_path, old, new, message):
    assert old in TABLE
    refused(tmp_path / "t.csv", TABLE.replace(old, new, 1), message)


def test_tables_without_rows_labels_or_features(tmp_path):
    refused(tmp_path / "t.csv", "", "line 0: no column begins with")
    refused(tmp_path / "t.csv", "bag,x,label:b\n", "line 1: the file ends without any bag")
    refused(tmp_path / "t.csv", "bag,label:b\nq,1\n", "at least one feature and one label")
    refused(tmp_path / "t.csv", TABLE, "line 1: there is no column 'c' for a label", labels=["c"])


def test_other_encodings_are_refused(tmp_path):
    refused(tmp_path / "t.csv", TABLE.replace("q,3", "é,3").encode("latin-1"), "line 3: is not UTF")
    refused(tmp_path / "t.csv", TABLE.encode("utf-16"), "line 1: is not UTF-8 text at byte 1")
    refused(tmp_path / "t.arff", TWO.replace("f2", "é").encode("latin-1"), "line 6: is not UTF-8")


def test_no_more_memory_than_allowed(tmp_path, ending):
    path = tmp_path / f"bags{ending}"
    write_bags(path, load_synthetic_scene(n_images=5))
    needed = {".npz": 8000}.get(ending, 5 * 9 * 15 * 8)
    with pytest.raises(DataError, match="more than max_bytes"):
        read_bags(path, max_bytes=5 * 9 * 15 * 8 - 1)
    assert len(read_bags(path, max_bytes=needed).X) == 5


def test_endless_lines_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("mimlpaper.datasets.streams.MAX_LINE", 1000)
    refused(tmp_path / "t.csv", TABLE + "x" * 1001, "line 5: is longer than 1,000 bytes")
    refused(tmp_path / "t.arff", TWO + "\n" + " " * 1001, "line 17: is longer than 1,000 bytes")


def archive(path, **changes):
    content = {
        "instances": np.ones((3, 2)), "offsets": np.array([0, 1, 3]),
        "Y": np.eye(2, dtype=bool), "label_names": np.array(["a", "b"]),
    }  # fmt: skip
    content = {name: value for name, value in (content | changes).items() if value is not None}
    np.savez(path, **content)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"Y": None}, "there is no array named Y"),
        ({"instances": np.array([[1, 2], [3, np.nan], [5, 6]])}, "bag 1 holds NaN or infinity"),
        ({"instances": np.array([["a", "b"]] * 3)}, "instances must have a type among 'fiu'"),
        ({"instances": np.array([[1, None]] * 3)}, "Object arrays cannot be loaded"),
        ({"label_names": np.array(["a", None])}, "Object arrays cannot be loaded"),
        ({"instances": np.ones(3)}, "instances must be a 2-D array"),
        ({"offsets": np.array([0, 1, 1, 3]), "Y": np.ones((3, 2))}, "Y must have a type"),
        ({"offsets": np.array([0, 1, 1, 3]), "Y": np.ones((3, 2), int)}, "bag 1 is empty"),
        ({"offsets": np.array([0, 1, 4])}, "offsets must lie between 0 and the 3 instances"),
        ({"offsets": np.array([0, 2, 1, 3])}, "bag 1 is empty"),
        ({"offsets": np.array([0.0, 1, 3])}, "offsets must have a type among 'iu'"),
        ({"Y": np.eye(3, dtype=bool)}, "Y must have one row for each of 2 bags"),
        ({"Y": np.full((2, 2), 2)}, "Y must hold booleans, or 0 and 1"),
        ({"label_names": np.array(["a"])}, "2 label names are needed, got 1"),
        ({"label_names": np.array(["a", "a"])}, "label names must differ, but 'a' stands twice"),
        ({"label_names": np.array(["a", "b\n"])}, "the name of a label must be printable"),
        ({"bag_names": np.array(["a", "b", "c"])}, "2 bag names are needed, got 3"),
    ],
)
def test_faults_of_archives(tmp_path, changes, message):
    archive(tmp_path / "a.npz", **changes)
    refused(tmp_path / "a.npz", (tmp_path / "a.npz").read_bytes(), message)


def test_an_archive_that_promises_too_much(tmp_path):
    """A header for 8 TB of numbers over a few bytes, and pickled bytes in place of an archive."""
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }\n"
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as file:
        file.writestr("instances.npy", b"\x93NUMPY\x01\x00" + bytes([len(header), 0]) + header)
    refused(tmp_path / "a.npz", (tmp_path / "a.npz").read_bytes(), "a.npz: ")
    refused(tmp_path / "b.npz", np.array([None]).dumps(), "not a zip file")


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
    with pytest.raises(ValueError, match=r"path must end in .arff, .csv, .npz, got '.*t.txt'"):
        read_bags(tmp_path / "t.txt")
    with pytest.raises(FileNotFoundError):
        read_bags(tmp_path / f"missing{ending}")
