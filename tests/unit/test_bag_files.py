"""Bags come back from the files that are written; files of others are read as meant, or refused."""

import gzip
import json
import os

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

from mimlpaper.bags import Bags
from mimlpaper.datasets import DataError, LabelledBags, labelled_bags, load, read_bags, write_bags

TABLE = "bag,x,label:b,y\nq,1,0,2\nq,3,0,4\np,-5e-3,1,6\n"

TWO = """@relation two

 @attribute id {bag1,bag2}
 @attribute bag relational
   @attribute f1 numeric
   @attribute f2 numeric
 @end bag
 @attribute label1 {0,1}
 @attribute label2 {0,1}

 @data
 bag1,"5,-20\\n4.5,-1\\n3,12.5",1,0
 bag2,"1e1,.25",0,1 """

# Comments, a mark before the text, quotes, escapes, sparse rows and instances, labels before bags.
DIALECT = """\ufeff% made by hand\r
@RELATION 'two words'\r
@attribute 'the id' string\r
@Attribute "l\\"1" { 1, 0 }\r
@attribute bag RELATIONAL\r
\t@attribute shape {round, long}\r
\t@attribute 'f, 1' REAL\r
@end bag\r
@attribute l2 {0,1}\r
\r
@DATA\r
% two bags\r
'it\\'s, one' , 0 , 'long, -2e3\\n{1 7}\\n{}' , 1\r
{0 b, 2 'round,4'}\r
"""

GENES = """@relation genes
@attribute happy {0,1}
@attribute 'beat strength' REAL [0,1]
@attribute failed {1,2,3}
@attribute 01 {1,0}
@data
0,.25,2,0
1, 5208, ?, 1
{1 7, 3 0}
"""


@pytest.fixture
def read(tmp_path):
    def read(name, content, **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_bags(path, **options)

    return read


@pytest.fixture
def refused(read, tmp_path):
    """The error names the file, too."""

    def refused(name, content, message, **options):
        with pytest.raises(DataError, match=message) as caught:
            read(name, content, **options)
        assert str(caught.value).startswith(f"{tmp_path / name}: ")

    return refused


def changed(text, old, new):
    assert old in text
    return text.replace(old, new, 1)


def bags_of(found):
    return [bag.tolist() for bag in found.X]


def sets_of(found):
    return [[found.label_names[i] for i in np.flatnonzero(row)] for row in found.Y]


def same(one, other):
    assert np.array_equal(one.X.instances, other.X.instances, equal_nan=True)
    assert np.array_equal(one.X.offsets, other.X.offsets)
    assert np.array_equal(one.Y, other.Y) and other.Y.dtype == bool
    for names in ("label_names", "feature_names", "bag_names"):
        assert getattr(one, names) == getattr(other, names)
    assert other.X.feature_names == other.feature_names
    assert tuple(other.X.names) == other.bag_names


def test_all_comes_back(tmp_path):
    """Numbers to the last bit; quotes, commas, umlauts, one name for many things, and formulas."""
    rng = np.random.default_rng(0)
    values = rng.standard_normal((9, 4)) * 10.0 ** rng.integers(-150, 149, size=(9, 4))
    values[:2] = [[0.1 + 0.2, 1e-300, 1e150, np.nan], [-0.0, 1.0, -8e149, 5.0]]
    features = ["label:id", "it's {1} % a,b", "bag", "@a"]
    data = labelled_bags(
        Bags(values, [0, 1, 5, 6, 9]),
        np.eye(4, k=1),
        ["id", "bag", 'B\\äu"me <&>', "=1+1"],
        feature_names=features,
        bag_names=["{0 1}", "'=x", "a\\new", "'a"],
    )
    for ending in (".csv", ".arff"):
        write_bags(tmp_path / f"t{ending}", data)
        same(data, read_bags(tmp_path / f"t{ending}", missing=np.nan))
        africa = load("synthetic_africa")
        write_bags(tmp_path / f"a{ending}", africa)
        found = read_bags(tmp_path / f"a{ending}")
        assert np.array_equal(found.Y[:, 0], africa.y) and found.bag_names[:2] == ("bag1", "bag2")
    # No spreadsheet runs a name.
    cells = pd.read_csv(tmp_path / "t.csv", index_col=0)
    assert list(cells)[3:] == ["'@a", "label:id", "label:bag", 'label:B\\äu"me <&>', "label:'=1+1"]
    assert list(cells.index.unique()) == ["{0 1}", "''=x", "a\\new", "'a"]
    xml = (tmp_path / "t.xml").read_text()
    assert xml.count("<label name=") == 4 and "<label name='B\\äu\"me &lt;&amp;&gt;'/>" in xml


def test_what_could_not_be_read_is_refused_before_it_is_written(tmp_path):
    for Y, names, message in (
        ([[1], [0]], ["two\nlines"], "label names must .* be printable"),
        ([[1], [0]], [" b"], r"label names must .* got ' b'"),
        ([[1, 0], [0, 1]], ["a", "a"], "must differ .* got 'a' 2 times"),
        ([[1], [0]], ["a", "b"], "1 label names are needed, got 2"),
        ([[1]], ["a"], "one row for each of 2 bags"),
    ):
        with pytest.raises(ValueError, match=message):
            labelled_bags([[[1.0]], [[2.0]]], Y, names)
    bags, path = Bags.from_list([[[1.0]], [[2.0]]]), tmp_path / "b.csv"
    path.write_text("as it was")
    data = LabelledBags(bags, np.ones((2, 1), bool), ("",), ("f",), ("a", "b"))
    for file, message in ((path, "label names must differ"), (tmp_path / "b.json", "end in .csv")):
        with pytest.raises(ValueError, match=message):
            write_bags(file, data)
    assert path.read_text() == "as it was" and list(tmp_path.iterdir()) == [path]


def test_arff_files_of_bags(read):
    two = read("two.arff", TWO)
    assert bags_of(two) == [[[5, -20], [4.5, -1], [3, 12.5]], [[10, 0.25]]]
    assert two.Y.tolist() == [[True, False], [False, True]]
    assert two.label_names == ("label1", "label2") and two.feature_names == ("f1", "f2")
    assert two.bag_names == ("bag1", "bag2")
    nameless = TWO.replace(" bag1,", "").replace(" bag2,", "")
    same(two, read("a.arff", changed(nameless, " @attribute id {bag1,bag2}\n", "")))
    for no, yes in (("no", "yes"), ("-1", "1"), ("False", "True"), ("negative", "positive")):
        text = changed(TWO, "label1 {0,1}", f"label1 {{{yes}, {no}}}")
        text = changed(changed(text, '",1,0', f'",{yes},0'), '",0,1', f'",{no},1')
        same(two, read("a.arff", text))
    cells = '"5,-20\\n4.5,-1\\n3,12.5"'
    same(two, read("a.arff", changed(TWO, f"bag1,{cells},1,0", f"{{1 {cells}, 2 1}}")))
    found = read("a.arff", DIALECT)
    assert found.bag_names == ("it's, one", "b") and found.label_names == ('l"1', "l2")
    assert found.feature_names == ("f, 1", "shape=round", "shape=long")
    assert bags_of(found) == [[[-2000, 0, 1], [7, 1, 0], [0, 1, 0]], [[4, 1, 0]]]
    assert found.Y.tolist() == [[False, True], [True, False]]  # the first value is the default


def test_nominal_features_sparse_rows_and_missing_values(read, refused):
    """A feature for each value; a sparse row leaves out first values; "?" needs a number."""
    message = "line 8: 'failed' must be one of 1, 2, 3, got a missing value; give missing="
    refused("g.arff", GENES, message, labels=["01", "happy"])
    found = read("g.arff", GENES, labels=["01", "happy"], missing=0)
    assert found.feature_names == ("beat strength", "failed=1", "failed=2", "failed=3")
    assert found.X.sizes.tolist() == [1, 1, 1] and found.bag_names == ("bag1", "bag2", "bag3")
    assert found.X.instances[:, 0].tolist() == [0.25, 5208, 7]
    assert found.X.instances[:, 1:].tolist() == [[0, 1, 0], [0, 0, 0], [1, 0, 0]]
    assert sets_of(found) == [[], ["happy", "01"], []]
    found = read("g.arff", GENES, labels=["01"], missing=0)  # {0,1} is a number
    assert found.feature_names[:2] == ("happy", "beat strength")


def test_tables(read):
    found = read("t.csv", TABLE)
    assert bags_of(found) == [[[1, 2], [3, 4]], [[-0.005, 6]]]
    assert found.Y.tolist() == [[False], [True]]
    assert (found.label_names, found.feature_names) == (("b",), ("x", "y"))
    assert found.bag_names == ("q", "p")
    spaced = "\ufeff" + TABLE.replace("label:", "").replace(",", ", ").replace("\n", "\r\n\r\n")
    same(found, read("t.csv", spaced, bag="bag", labels=["b"]))
    missing = "bag,x,y,label:a\np,1,,1\np,?,2,1\n"
    assert bags_of(read("t.csv", missing, missing=-1)) == [[[1, -1], [-1, 2]]]
    assert len(found) == 2 and len(found[:1]) == 1 and found[[1]].bag_names == ("p",)
    same(found, found[:])


def test_frames_records_parquet_and_delimiters(read, monkeypatch):
    """One table in many forms: the bag's column is named, the labels are sets in one column."""
    frame = pd.DataFrame({"x": [1.5, 2.0, 3.0], "id": list("ppq"), "y": [0, 1, 2]})
    frame["kinds"] = ["gift; fragile", "gift;fragile", ""]
    rows = frame.to_dict("records")
    for row in rows:
        row["kinds"] = [one.strip() for one in row["kinds"].split(";") if one]
    options = {"bag": "id", "labels": "kinds"}
    expected = read_bags(frame, **options)
    assert bags_of(expected) == [[[1.5, 0], [2, 1]], [[3, 2]]]
    assert sets_of(expected) == [["fragile", "gift"], []] and expected.bag_names == ("p", "q")
    same(expected, read_bags(pd.DataFrame(rows), **options))
    same(expected, read("t.json", json.dumps(rows), **options))
    monkeypatch.setattr(pd, "read_parquet", lambda path: pd.DataFrame(rows))
    same(expected, read("t.parquet", "", **options))
    for delimiter in ",;\t|":
        same(expected, read("t.csv", frame.to_csv(sep=delimiter, index=False), **options))
    with pytest.raises(DataError, match="table: no column is named 'colour'; there are x, id"):
        read_bags(frame, bag="colour", labels="kinds")


def test_faults_have_their_line(refused, tmp_path):
    first = '"5,-20\\n4.5,-1\\n3,12.5"'
    for text, old, new, message in (
        (TWO, '.25",0,1', '.25",0', "line 13: 4 values are needed, got 3"),
        (TWO, '.25",0,1', ".25", "line 13: no values can be read from .* quote not closed"),
        (TWO, "4.5,-1", "4.5", "line 12: 2 values are needed, got 1: '4.5'"),
        (TWO, "12.5", "nan", "line 12: 'f2' must be a finite number .*, got 'nan'"),
        (TWO, "12.5", "-1e160", r"line 12: 'f2' .* at most 1e\+150, got -1e\+160"),
        (TWO, " bag2,", " bag1,", "line 13: bag 'bag1' was already there"),
        (TWO, "f2 numeric", "f2 {a,b}", "line 12: 'f2' must be one of a, b, got '-20'"),
        (TWO, "f2 numeric", "f2", "line 6: an attribute must have a name and a type"),
        (TWO, " @end bag\n", "", "attributes, .* and @data are needed"),
        (TWO, "label1 {0,1}", "label1 relational\n@end", "only one relational attribute"),
        (TWO, first, '"{2 1}"', "line 12: a sparse row .* from 0 to 1"),
        (TWO, first, '"{1 1, 1 2}"', "line 12: a sparse row .* none twice"),
        (TWO, ' bag1,"5', " {0 bag1}\n%", "line 12: 2 values are needed, got 1"),
        (TWO, " bag1,", " ,", "bag names must .* be printable text"),
        (TWO, TWO, "", "attributes, .* and @data are needed"),
        (TABLE, "q,1,0,2", "q,1,maybe,2", "line 2: 'b' must be 0 or 1, got 'maybe'"),
        (TABLE, "q,3,0,4", "q,3,0,", "line 3: 'y' must be .*, got a missing value; give missing="),
        (TABLE, "p,-5e-3,1,6", "p,5,1,6\nq,5,0,6", "instances of bag q must follow each other"),
        (TABLE, "p,-5e-3,1,6", '"p,-5e-3,1,6', "line 4: 4 values are needed, got 1"),
        (TABLE, "label:b", "b", "labels= must name the labels, as no .*; there are x, b, y"),
        (TABLE, ",y", ",x", "feature names must differ .* got 'x' 2 times"),
        (TABLE, "bag,", "label:a,", "the first column must name the bags, got 'a, x, b, y'"),
        (TABLE, TABLE[TABLE.index("q,1") :], "", r"a bag and a feature are needed, got \(0, 2\)"),
    ):
        refused("t.csv" if text == TABLE else "t.arff", changed(text, old, new), message)
    twice = "bag,x,label:a,label:b\nq,1,1,0\nq,1,1,1\n"
    refused("t.csv", twice, "line 3: bag 'q' must have equal labels in all rows")
    refused("t.csv", "bag,label:b\nq,1\n", r"a bag and a feature are needed, got \(1, 0\)")
    for content in (TABLE.replace("q,3", "é,3").encode("latin-1"), TABLE.encode("utf-16")):
        refused("t.csv", content, "text in utf-8-sig is needed, got byte .* give .* encoding=")
    refused("a.arff", GENES, "no column is named 'tall'; .*there are happy", labels=["tall", "01"])
    refused("t.arff", TWO, "bag= is for tables", bag="id")
    refused("a.csv", TABLE + "\n" * 10**6, "at most max_bytes=1,000,000 bytes", max_bytes=10**6)
    with pytest.raises(ValueError, match=r"path must end in .csv or .tsv.*, got '.*txt'"):
        read_bags(tmp_path / "t.txt")
    with pytest.raises(FileNotFoundError):
        read_bags(tmp_path / "missing.arff")


def test_files_that_are_no_files_and_too_large_ones_are_refused_before_they_are_read(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "zeros.arff").symlink_to("/dev/zero")
    (tmp_path / "folder.json").mkdir()
    with open(tmp_path / "sparse.csv", "wb") as file:
        file.truncate(3 * 10**9)
    with open(tmp_path / "small.csv", "wb") as file:
        file.truncate(10**6)
    for name, message in (
        ("pipe.csv", "a regular file is needed, got a pipe or a device"),
        ("zeros.arff", "a regular file is needed, got a pipe or a device"),
        ("folder.json", "a file is needed, got a folder"),
        ("sparse.csv", "at most max_bytes=268,435,456 bytes, got 3,000,000,000"),
        ("small.csv", "text is needed, got bytes of zero"),
    ):
        with pytest.raises(DataError, match=f"{name}: .*{message}"):
            read_bags(tmp_path / name)


def test_what_is_no_path_is_refused():
    with pytest.raises(ValueError, match="a file of this machine, got 'https:"):
        read_bags("https://x.org/a.csv")
    with pytest.raises(ValueError, match="source must be a table or a path, got int"):
        read_bags(1)


def test_sparse_rows_cost_what_they_hold(read, refused):
    """20,000 attributes; the dense numbers of all rows would take 48 times the limit."""
    n = 20_000
    heads = "".join(f"@attribute a{i} {{a,b}}\n" for i in range(n))
    text = f"@relation wide\n{heads}@attribute y {{0,1}}\n@data\n"
    row = f"{{3 b, {n} 1}}\n"
    data = read("wide.arff", text + row, labels=["y"])
    assert data.X.instances[0, [6, 7, 8]].tolist() == [0, 1, 1]
    message = "line 20016: the numbers up to here, 13 rows of 20,001, take more than 2,000,000 b"
    refused("wide.arff", text + 600 * row, message, labels=["y"], max_bytes=500_000)


def test_texts_in_every_encoding(read, refused):
    german = TABLE.replace("label:b", "label:Bäume")
    expected = read("t.csv", german)
    assert expected.label_names == ("Bäume",)
    for encoding in "latin-1", "utf-16", "utf-16-le":
        content = german.encode(encoding)
        same(expected, read("t.csv", content, encoding=encoding))
        refused("t.csv", content, "encoding='(latin-1|utf-16)'")


def test_compressed_files_and_tabs(read, refused):
    expected = read("t.csv", TABLE)
    tabs = TABLE.replace(",", "\t")
    same(expected, read("t.tsv", tabs))
    for name, text in (("t.csv.gz", TABLE), ("t.tsv.gz", tabs)):
        same(expected, read(name, gzip.compress(text.encode())))
    same(read("t.arff", TWO), read("t.arff.gz", gzip.compress(TWO.encode())))
    bomb = gzip.compress(bytes(10**7))
    refused("t.csv.gz", bomb, "at most max_bytes=100,000 bytes after decomp", max_bytes=10**5)
    refused("t.csv.gz", TABLE, "Not a gzipped file")


def test_json_that_is_no_table_is_refused(refused):
    for records in ({"bag": "p"}, [1, 2], [], "text", None):
        refused("t.json", json.dumps(records), "JSON must be a list of records, such as")
    refused("t.json", "[" * 10**5, "recursion|nest")


def test_parquet_without_its_engine_says_what_to_install(refused, monkeypatch):
    def missing(path):
        raise ImportError("no engine")

    monkeypatch.setattr(pd, "read_parquet", missing)
    refused("t.parquet", "", "Parquet needs pyarrow: pip install pyarrow")


def test_csv_of_kdis_counts_its_labels_in_the_first_line(read, refused):
    text = "2\nid,f1,f2,wet,dry\nbag1,42,-198,1,0\nbag1,3,4,1,0\nbag2,12,-98,0,1\n"
    data = read("t.csv", text)
    assert data.label_names == ("wet", "dry")
    assert data.feature_names == ("f1", "f2")
    assert data.Y.tolist() == [[True, False], [False, True]]
    for n in 0, 4:
        message = "line 1: the number of labels must leave columns for a bag and a feature"
        refused("t.csv", text.replace("2", str(n), 1), message)
    refused("t.csv", text.replace("198,1", "198,x"), "line 3: 'wet' must be 0 or 1, got 'x'")


def test_arff_of_meka_counts_its_labels_in_the_relation(read, refused):
    text = "@relation '{}'\n@attribute a {{0,1}}\n@attribute b {{0,1}}\n@attribute c real\n"
    rows = "@data\n1,0,3\n0,1,1\n"
    for option, labels, features in (
        ("Music: -C 2", ("a", "b"), ("c",)),
        ("Music: -split 5 -C 1 -x", ("a",), ("b", "c")),
        ("-C -1", ("c",), ("a", "b")),
    ):
        content = text.format(option) + rows.replace("3", "0")
        data = read("m.arff", content)
        assert (data.label_names, data.feature_names) == (labels, features)
        same(data, read("m.arff", content, labels=labels))
    refused("m.arff", text.format("M: -C 4") + rows, "-C 4 needs as many attributes, got 3")
    refused("m.arff", text.format("Vitamin-C 2") + rows, "labels= must name the labels")


def test_xml_of_mulan_names_the_labels(read, refused, tmp_path):
    write_bags(tmp_path / "bags.arff", read("two.arff", TWO))
    (tmp_path / "bags.xml").rename(tmp_path / "names.xml")
    heads = "@relation r\n@attribute label2 {0,1}\n@attribute x real\n@attribute label1 {0,1}\n"
    text = heads + "@data\n0,5,1\n"
    refused("plain.arff", text, "labels= must name the labels")
    expected = read("plain.arff", text, labels=["label1", "label2"])
    for path in (tmp_path / "names.xml", str(tmp_path / "names.xml")):
        same(expected, read("plain.arff", text, labels=path))
    (tmp_path / "names.xml").rename(tmp_path / "plain.xml")  # beside the file
    same(expected, read("plain.arff", text))
    same(expected, read("plain.arff.gz", gzip.compress(text.encode())))
    nested = "<labels><label name='label1'><label name='label2'/></label></labels>"
    (tmp_path / "plain.xml").write_text(nested)
    same(expected, read("plain.arff", text))
    for xml, message in (("<labels/>", "must hold <label name"), ("no", "an XML file of labels")):
        (tmp_path / "plain.xml").write_text(xml)
        refused("plain.arff", text, f"plain.xml: .*{message}")


def test_matlab_files_of_the_authors(read, refused, tmp_path):
    cells = np.empty((2, 1), dtype=object)
    cells[:, 0] = [np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0]])]
    names = np.array([["sea"], ["sky"], ["sun"]], dtype=object)
    variables = {"bags": cells, "targets": [[1, -1], [-1, 1], [1, 1]]}
    savemat(tmp_path / "t.mat", variables | {"class_name": names})
    data = read_bags(tmp_path / "t.mat")
    assert bags_of(data) == [[[1, 2], [3, 4]], [[5, 6]]]
    assert sets_of(data) == [["sea", "sun"], ["sky", "sun"]]
    savemat(tmp_path / "t.mat", variables)
    assert read_bags(tmp_path / "t.mat", labels=["a", "b", "c"]).label_names == ("a", "b", "c")
    savemat(tmp_path / "t.mat", {"data": cells})
    with pytest.raises(DataError, match="variables 'bags' and 'targets' are needed"):
        read_bags(tmp_path / "t.mat")


def test_types_of_attributes_are_those_of_the_format(refused):
    for kind, message in (
        ("date 'yyyy'", "'f2' must hold numbers, got texts or dates"),
        ("string", "'f2' must hold numbers, got texts or dates"),
        ("colour", "line 6: 'f2' must have the type numeric, real, .*, got 'colour'"),
    ):
        refused("t.arff", changed(TWO, "f2 numeric", f"f2 {kind}"), message)
    text = changed(TWO, "label2 {0,1}", "label2 {a,b}")
    refused("t.arff", text, "'label2' must be 0 or 1, got the values a, b")
