"""Damaged files of bags are refused, with the line or bag of the damage."""

import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mimlpaper.datasets import DataError, load_synthetic_scene, read_bags, write_bags
from mimlpaper.datasets.bag_files import WRITERS
from tests.made_up_files import TABLE, TWO, TWO_XML, many, refused


@pytest.fixture(params=WRITERS)
def ending(request):
    return request.param


PIECES = (
    b"@data\n", b"@end", b'"', b"'", b"{", b"}", b"{9999999 1}", b"\\n", b"\n", b",", b"-1", b"nan",
    b"inf", b"1_0", b"label:", b"bag1,", b"0,1",
)  # fmt: skip


@many(70)
@given(data=st.data())
def test_damage_is_refused_or_harmless(data, tmp_path, ending):
    """A file that is cut or overwritten anywhere gives bags or a DataError."""
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


def test_no_more_memory_than_allowed(tmp_path, ending):
    path = tmp_path / f"bags{ending}"
    write_bags(path, load_synthetic_scene(n_images=5))
    needed = {".npz": 8000}.get(ending, 5 * 9 * 15 * 8)
    with pytest.raises(DataError, match="more than max_bytes"):
        read_bags(path, max_bytes=5 * 9 * 15 * 8 - 1)
    assert len(read_bags(path, max_bytes=needed).X) == 5


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('9.75",0,1,1,0', '9.75",0,1,1', "line 16: 6 values are needed, got 5"),
        ('9.75",0,1,1,0', '9.75",0,1,1,0,0', "line 16: 6 values are needed, got 7"),
        ('9.75",0,1,1,0', "9.7", "line 16: no value can be read from .* quote not closed"),
        ("\\n2,6,9.75", "\\n2,6", "line 16: 3 values are needed, got 2: '2,6'"),
        ("\\n2,6,9.75", "\\n\\n2,6,9.75", "line 16: 3 values are needed, got 1: ''"),
        ("12.5", "nan", "line 15: feature 'f2' must be a finite number, got 'nan'"),
        ("12.5", "?", "line 15: feature 'f2' is missing; give missing= the number"),
        ("12.5", "1_4", "line 15: feature 'f2' must be a finite number, got '1_4'"),
        ("12.5", "1e999", "line 15: feature 'f2' must be a finite number"),
        (",1,0,0,1", ",1,0,0,2", "line 15: label 'label4' must be 0 or 1, got '2'"),
        (" bag2,", " bag1,", "line 16: bag 'bag1' was already there"),
        ("label2 {0,1}", "label2 {no,maybe}", "label 'label2' must be declared {0,1}"),
        ("label2 {0,1}", "label1 {0,1}", "label names must differ, but 'label1' stands twice"),
        ("f2 numeric", "f2 {a,b}", "line 15: feature 'f2' must be one of a, b, got '-20'"),
        ("f2 numeric", "f2", "line 6: an attribute must have a name and a type"),
        (" @end bag\n", "", "line 13: expected @attribute, or @end .* got '@data'"),
        ("@data", "", "line 15: expected @attribute"),
        ("bag relational", "bag numeric", "line 8: expected @attribute"),
        (" @attribute id {bag1,bag2}\n", "", "line 14: 5 values are needed, got 6"),
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
        (
            TWO_XML.replace("label3", "label5"),
            r"only named \['label5'\], only in this file \['label3'\]",
        ),
        (
            TWO_XML.replace('<label name="label3"/>', ""),
            r"only named \[\], only in this file \['label3'\]",
        ),
        (TWO_XML.replace("label3", "label1"), "two.xml, line .*'label1' stands twice"),
        (TWO_XML.replace('<label name="label3"/>', "<label/>"), "two.xml, line 5: only <labels>"),
        (TWO_XML.replace("</labels>", ""), "two.xml, line 7: no element found"),
        ("<labels></labels>", "two.xml, line 1: there is no label"),
        ('<?xml version="1.0" encoding="utd-8"?><labels/>', "line 1: unknown encoding: utd-8"),
        ('<?xml version="1.0" encoding="hex"?><labels/>', "line 1: 'hex' is not a text encoding"),
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
    """Nine levels of ten entities would be a thousand million copies."""
    levels = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 10))
    bomb = f'<!DOCTYPE labels [<!ENTITY e0 "ha">{levels}]><labels><label name="&e9;"/></labels>'
    (tmp_path / "two.arff").write_text(TWO)
    (tmp_path / "two.xml").write_text(bomb)
    with pytest.raises(DataError, match="document type declaration is refused"):
        read_bags(tmp_path / "two.arff")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("q,3,0,4", "q,3,0", "line 3: 4 values are needed, got 3"),
        ("q,3,0,4", "q,3,1,4", "line 3: bag 'q' must have the same labels in all its rows"),
        ("q,3,0,4", "q,3,,4", "line 3: bag 'q' must have the same labels in all its rows"),
        ("q,1,0,2", "q,1,maybe,2", "line 2: label 'b' must be 0 or 1, got 'maybe'"),
        ("q,3,0,4", "q,3,0,", "line 3: feature 'y' is missing; give missing= the number"),
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
    refused(tmp_path / "t.csv", TABLE, "line 1: labels leaves out 'label:b'", labels=["x"])


def test_other_encodings_are_refused(tmp_path):
    refused(tmp_path / "t.csv", TABLE.replace("q,3", "é,3").encode("latin-1"), "line 3: is not UTF")
    refused(tmp_path / "t.csv", TABLE.encode("utf-16"), "line 1: is not UTF-8 text at byte 1")
    refused(tmp_path / "t.arff", TWO.replace("f2", "é").encode("latin-1"), "line 6: is not UTF-8")


def test_endless_lines_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("mimlpaper.datasets.bag_files.MAX_LINE", 1000)
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
