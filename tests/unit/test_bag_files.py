"""Bags come back from the files that are written; files of others are read as meant, or refused."""

import json
from dataclasses import replace
from io import StringIO

import numpy as np
import pandas as pd
import pytest

from mimlpaper.bags import Bags
from mimlpaper.datasets import DataError, LabelledBags, labelled_bags, load, read_bags, write_bags

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

TABLE = "bag,x,label:b,y\nq,1,0,2\nq,3,0,4\np,-5e-3,1,6\n"

WEKA = """@relation molecules
@attribute molecule {MUSK-1,NON-MUSK-2}
@attribute bag relational
  @attribute charge numeric
  @attribute shape {round,long}
@end bag
@attribute class {no,yes}
@data
MUSK-1,"42,round\\n-19,long",yes
NON-MUSK-2,"{0 7}",no
"""

GENES = """@relation genes
@attribute happy {0,1}
@attribute 'beat strength' REAL [0,1]
@attribute failed {1,2,3}
@attribute homology {no,yes}
@attribute 01 {1,0}
@data
0,.25,2,no,0
1, 5208, ?, yes, 1
{1 7, 4 0}
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
        assert str(caught.value).startswith(str(tmp_path / name.split(".")[0]))

    return refused


def changed(text, old, new):
    assert old in text
    return text.replace(old, new, 1)


def bags_of(found):
    return [bag.tolist() for bag in found.X]


def sets_of(found):
    return [[found.label_names[i] for i in np.flatnonzero(row)] for row in found.Y]


def same(one, other):
    assert np.array_equal(one.X.instances, other.X.instances)
    assert np.array_equal(one.X.offsets, other.X.offsets)
    assert np.array_equal(one.Y, other.Y) and other.Y.dtype == bool
    for names in ("label_names", "feature_names", "bag_names"):
        assert getattr(one, names) == getattr(other, names)
    assert other.X.feature_names == other.feature_names
    assert tuple(other.X.names) == other.bag_names


@pytest.mark.parametrize("ending", [".csv", ".arff"])
def test_all_comes_back(tmp_path, ending):
    """Numbers to the last bit; quotes, commas, umlauts, and one name for many things."""
    path = tmp_path / f"t{ending}"
    rng = np.random.default_rng(0)
    values = rng.standard_normal((9, 3)) * 10.0 ** rng.integers(-150, 149, size=(9, 3))
    values[:2] = [[0.1 + 0.2, 1e-300, 1e150], [-0.0, 1.0, -8e149]]
    names = ["id", "bag", 'B\\äu"me <&>']
    others = {"feature_names": ["label:id", "it's {1} % a,b", "bag"]}
    others["bag_names"] = ["{0 1}", "?x", "a\\new"]
    Y = [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
    data = labelled_bags(Bags(values, [0, 1, 5, 9]), Y, names, **others)
    write_bags(path, data)
    same(data, read_bags(path))
    values[3, 1] = np.nan
    write_bags(path, replace(data, X=Bags(values, [0, 1, 5, 9])))
    assert np.array_equal(read_bags(path, missing=np.nan).X.instances, values, equal_nan=True)
    africa = load("synthetic_africa")
    write_bags(path, africa)
    assert np.array_equal(read_bags(path).Y[:, 0], africa.y)
    assert read_bags(path).bag_names[:2] == ("bag1", "bag2")


def test_no_spreadsheet_runs_a_name(tmp_path, read):
    names = ["=1+1", "'=x", "@a", "'a"]
    data = labelled_bags([[[1.0] * 4]] * 4, np.eye(4), names, feature_names=names, bag_names=names)
    write_bags(tmp_path / "f.csv", data)
    lines = (tmp_path / "f.csv").read_text().splitlines()
    assert lines[0].split(",")[1:5] == ["'=1+1", "''=x", "'@a", "'a"]
    assert [line.split(",")[0] for line in lines[1:]] == ["'=1+1", "''=x", "'@a", "'a"]
    same(data, read_bags(tmp_path / "f.csv"))


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
    with pytest.raises(ValueError, match="label names must differ and be printable text"):
        write_bags(path, LabelledBags(bags, np.ones((2, 1), bool), ("",), ("f",), ("a", "b")))
    assert path.read_text() == "as it was" and list(tmp_path.iterdir()) == [path]


def test_other_endings_and_missing_files(tmp_path):
    for use in (read_bags, lambda path: write_bags(path, load("synthetic_africa"))):
        with pytest.raises(ValueError, match=r"path must end in .csv or .arff.*, got '.*txt'"):
            use(tmp_path / "t.txt")
    with pytest.raises(FileNotFoundError):
        read_bags(tmp_path / "missing.arff")


def test_an_arff_file_of_bags(read):
    found = read("two.arff", TWO)
    first, second = bags_of(found)
    assert first == [[5, -20, -7], [4.5, -1, 2], [3, 12.5, 0.25]]
    assert second == [[10, -8, 0], [2, 6, 9.75]]
    assert found.Y.astype(int).tolist() == [[1, 0, 0, 1], [0, 1, 1, 0]]
    assert found.label_names == ("label1", "label2", "label3", "label4")
    assert found.feature_names == ("f1", "f2", "f3") and found.bag_names == ("bag1", "bag2")
    # Comments, single quotes, escapes, sparse instances and rows, labels before the bag.
    found = read(
        "a.arff",
        "\ufeff% made by hand\r\n@RELATION 'two words'\r\n"
        '@attribute \'the id\' string\r\n@Attribute "l\\"1" { 1, 0 }\r\n'
        "@attribute bag RELATIONAL\r\n\t@attribute 'f, 1' REAL\r\n@attribute f2 integer\r\n"
        "@end bag\r\n@attribute l2 {0,1}\r\n\r\n@DATA\r\n% two bags\r\n"
        "'it\\'s, one' , 0 , '1.5, -2e3\\n{1 7}\\n{}' , 1\r\n"
        "{0 b, 2 '3,4'}\r\n",
    )
    assert found.bag_names == ("it's, one", "b")
    assert found.label_names == ('l"1', "l2") and found.feature_names == ("f, 1", "f2")
    assert bags_of(found) == [[[1.5, -2000], [0, 7], [0, 0]], [[3, 4]]]
    assert found.Y.tolist() == [[False, True], [True, False]]  # the first value is the default


def test_nominal_features_sparse_rows_and_missing_values(read, refused):
    """A feature for each value; a sparse row leaves out first values; "?" needs a number."""
    message = "line 9: 'failed' must be one of 1, 2, 3, got '\\?'; give missing="
    refused("g.arff", GENES, message, labels=["01", "happy"])
    found = read("g.arff", GENES, labels=["01", "happy"], missing=0)
    kinds = "failed=1", "failed=2", "failed=3", "homology=no", "homology=yes"
    assert found.feature_names == ("beat strength", *kinds)
    assert found.X.sizes.tolist() == [1, 1, 1] and found.bag_names == ("bag1", "bag2", "bag3")
    assert found.X.instances[:, 0].tolist() == [0.25, 5208, 7]
    assert found.X.instances[:, 1:].tolist() == [[0, 1, 0, 1, 0], [0, 0, 0, 0, 1], [1, 0, 0, 1, 0]]
    assert sets_of(found) == [[], ["happy", "01"], []]


def test_weka_bags_with_classes_of_many_kinds(read):
    found = read("a.arff", WEKA)
    assert found.feature_names == ("charge", "shape=round", "shape=long")
    assert bags_of(found) == [[[42, 1, 0], [-19, 0, 1]], [[7, 1, 0]]]
    assert sets_of(found) == [["class"], []] and found.bag_names == ("MUSK-1", "NON-MUSK-2")
    for no, yes in (("-1", "1"), ("False", "True"), ("0", "1"), ("negative", "positive")):
        text = WEKA.replace(",yes\n", f",{yes}\n").replace(",no\n", f",{no}\n")
        found = read("a.arff", text.replace("{no,yes}", f"{{{yes}, {no}}}"))
        assert found.Y.tolist() == [[True], [False]]
    text = WEKA.replace("NON-MUSK-2,", "").replace("MUSK-1,", "")
    found = read("a.arff", changed(text, "@attribute molecule {NON-MUSK-2}\n", ""))
    assert found.bag_names == ("bag1", "bag2") and sets_of(found) == [["class"], []]


def test_tables(read):
    found = read("t.csv", TABLE)
    assert bags_of(found) == [[[1, 2], [3, 4]], [[-0.005, 6]]]
    assert found.Y.tolist() == [[False], [True]]
    assert (found.label_names, found.feature_names) == (("b",), ("x", "y"))
    assert found.bag_names == ("q", "p")
    spaced = "\ufeff" + TABLE.replace("label:", "").replace(",", ", ").replace("\n", "\r\n\r\n")
    same(found, read("t.csv", spaced, labels=["b"]))
    missing = "bag,x,y,label:a\np,1,,1\np,?,2,1\n"
    assert bags_of(read("t.csv", missing, missing=-1)) == [[[1, -1], [-1, 2]]]
    assert len(found) == 2 and len(found[:1]) == 1 and found[[1]].bag_names == ("p",)
    same(found, found[:])


def test_faults_of_arff_have_their_line(refused):
    for old, new, message in (
        ('9.75",0,1,1,0', '9.75",0,1,1', "line 16: 6 values are needed, got 5"),
        ('9.75",0,1,1,0', "9.7", "line 16: no values can be read from .* quote not closed"),
        ("\\n2,6,9.75", "\\n2,6", "line 16: 3 values are needed, got 2: '2,6'"),
        ("12.5", "nan", "line 15: 'f2' must be a finite number .*, got 'nan'"),
        ("12.5", "?", "line 15: 'f2' must be a finite .*; give missing= its number"),
        ("12.5", "-1e160", r"line 15: 'f2' .* at most 1e\+150.*, got '-1e160'"),
        (",1,0,0,1", ",1,0,0,2", "line 15: 'label4' must be 0 or 1, got '2'"),
        (" bag2,", " bag1,", "line 16: bag 'bag1' was already there"),
        ("f2 numeric", "f2 {a,b}", "line 15: 'f2' must be one of a, b, got '-20'"),
        ("f2 numeric", "f2", "line 6: an attribute must have a name and a type"),
        (" @end bag\n", "", "attributes, .* and @data are needed"),
        ("label1 {0,1}", "label1 relational\n@end", "only one relational attribute"),
        (" @attribute id {bag1,bag2}\n", "", "line 14: 5 values are needed, got 6"),
        ('"5,-20,-7\\n4.5,-1,2\\n3,12.5,.25"', '"{3 1}"', "line 15: a sparse row"),
        ('"5,-20,-7\\n4.5,-1,2\\n3,12.5,.25"', '"{1 1, 1 2}"', "line 15: a sparse row"),
        (' bag1,"5', " {0 bag1}\n%", "line 15: 3 values are needed, got 1"),
        (" bag1,", " ,", "bag names must .* be printable text"),
    ):
        refused("two.arff", changed(TWO, old, new), message)
    refused("a.arff", "", "attributes, .* and @data are needed")
    refused("a.arff", TWO[: TWO.index(" bag1,")], "a bag and a feature are needed, got \\(0, 3\\)")
    refused("a.arff", GENES, r"labels= must name columns if, .*, got \[\]")
    refused("a.arff", GENES, r"labels= must name columns if, .*'tall'", labels=["tall", "01"])


def test_faults_of_tables_have_their_line(refused):
    for old, new, message in (
        ("q,3,0,4", "q,3,1,4", "line 3: bag 'q' must have equal labels in all rows"),
        ("q,1,0,2", "q,1,maybe,2", "line 2: 'b' must be 0 or 1, got 'maybe'"),
        ("q,3,0,4", "q,3,0,", "line 3: 'y' must be a finite .*; give missing= its number"),
        ("p,-5e-3,1,6", "p,5,1,6\nq,5,0,6", "the instances of bag q must follow each other"),
        ("p,-5e-3,1,6", '"p,-5e-3,1,6', "line 4: 4 values are needed, got 1"),
        ("label:b", "b", "labels= must name columns if"),
        (",y", ",x", "feature names must differ .* got 'x' 2 times"),
        ("bag,", "label:a,", "the first column must be the bag's name, got 'label:a'"),
    ):
        refused("t.csv", changed(TABLE, old, new), message)
    twice = "bag,x,label:a,label:b\nq,1,1,0\nq,1,1,1\n"
    refused("t.csv", twice, "line 3: bag 'q' must have equal labels")
    refused("t.csv", "bag,x,label:b\n", "a bag and a feature are needed, got \\(0, 1\\)")
    refused("t.csv", "bag,label:b\nq,1\n", "a bag and a feature are needed, got \\(1, 0\\)")
    for content in (TABLE.replace("q,3", "é,3").encode("latin-1"), TABLE.encode("utf-16")):
        refused("t.csv", content, "codec can't decode byte")


def test_one_limit_of_size(refused):
    """Of files, and of sparse rows written out."""
    header = TWO[: TWO.index(" bag1,")]
    wide = "".join(f" @attribute g{i} numeric\n" for i in range(2000)) + " @end bag\n"
    nominal = f"f3 {{{','.join(map(str, range(2000)))}}}"
    rows = "".join(f'b{i},"{{1 2}}",0,1,1,0\n' for i in range(100))
    for name, content in (
        ("a.csv", "bag,x,label:b\n" + "q,1,0\n" * 170_000),
        ("a.arff", changed(header, " @end bag\n", wide) + rows),
        ("a.arff", changed(header, "f3 numeric", nominal) + rows),
    ):
        refused(name, content, "need more than max_bytes=1,000,000", max_bytes=10**6)


def test_frames_records_and_delimiters(read, refused):
    """One table in five forms: the bag's column is named, the labels are sets in one column."""
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
    for delimiter in ",;\t|":
        same(expected, read("t.csv", frame.to_csv(sep=delimiter, index=False), **options))
    same(read_bags(pd.read_csv(StringIO(TABLE))), read("t.csv", TABLE.replace(",", ";")))
    with pytest.raises(DataError, match="DataFrame: no column is named 'colour'; there are x, id"):
        read_bags(frame, bag="colour", labels="kinds")
    refused("t.arff", TWO, "bag= is for tables", bag="id")


def test_parquet(monkeypatch, tmp_path):
    monkeypatch.setattr(pd, "read_parquet", lambda path: pd.read_csv(StringIO(TABLE)))
    (tmp_path / "t.parquet").touch()
    same(read_bags(tmp_path / "t.parquet"), read_bags(pd.read_csv(StringIO(TABLE))))
