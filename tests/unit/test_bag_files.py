"""Bags come back from the files that are written; files of others are read as meant, or refused."""

import gzip
import json
import math
import os
import sys
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat
from scipy.sparse import csc_array

from mimlpaper.bags import Bags
from mimlpaper.datasets import (
    DataError,
    LabelledBags,
    labelled_bags,
    load,
    read_bags,
    write_bags,
)
from mimlpaper.datasets.bag_files import read_labels, read_new_bags
from tests.systems import on_posix

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

    def refuse(name, content, message, **options):
        with pytest.raises(DataError, match=message) as caught:
            read(name, content, **options)
        path = tmp_path / name
        assert str(caught.value).startswith(f"{path}: ")

    return refuse


def changed(text, old, new):
    assert old in text
    return text.replace(old, new, 1)


def as_lists(data):
    return [bag.tolist() for bag in data.X]


def label_sets(data):
    sets = []
    for row in data.Y:
        sets.append([data.label_names[label] for label in np.flatnonzero(row)])
    return sets


def assert_same(data, expected):
    X = expected.X
    assert np.array_equal(data.X.instances, X.instances, equal_nan=True)
    assert np.array_equal(data.X.offsets, X.offsets)
    assert np.array_equal(data.Y, expected.Y)
    assert data.Y.dtype == bool
    assert data.label_names == expected.label_names
    assert data.feature_names == expected.feature_names
    assert data.bag_names == expected.bag_names
    assert data.X.feature_names == data.feature_names
    assert tuple(data.X.names) == data.bag_names


@pytest.fixture
def strange_data():
    """Numbers to the last bit; quotes, commas, umlauts, one name for many things, and formulas."""
    rng = np.random.default_rng(0)
    magnitudes = 10.0 ** rng.integers(-150, 149, size=(9, 4))
    values = rng.standard_normal((9, 4)) * magnitudes
    values[0] = [0.1 + 0.2, 1e-300, 1e150, np.nan]
    values[1] = [-0.0, 1.0, -8e149, 5.0]
    return labelled_bags(
        Bags(values, [0, 1, 5, 6, 9]),
        np.eye(4, k=1),
        ["id", "bag", 'B\\äu"me <&>', "=1+1"],
        feature_names=["label:id", "it's {1}% a,b", "bag", "@a"],
        bag_names=["{0 1}", "'=x", "a\\new", "'a"],
    )


@pytest.mark.parametrize("ending", [".csv", ".arff"])
def test_all_comes_back(tmp_path, strange_data, ending):
    path = tmp_path / f"t{ending}"
    write_bags(path, strange_data)
    assert_same(read_bags(path, missing=np.nan), strange_data)


@pytest.mark.parametrize("ending", [".csv", ".arff"])
def test_a_data_set_of_one_label_comes_back(tmp_path, ending):
    africa = load("synthetic_africa")
    path = tmp_path / f"a{ending}"
    write_bags(path, africa)
    data = read_bags(path)
    assert np.array_equal(data.Y[:, 0], africa.y)
    assert data.bag_names[:2] == ("bag1", "bag2")


def test_no_spreadsheet_runs_a_name(tmp_path, strange_data):
    path = tmp_path / "t.csv"
    write_bags(path, strange_data)
    cells = pd.read_csv(path, index_col=0)
    # Names that could be formulas begin with a quote.
    assert list(cells)[3:] == [
        "'@a",
        "label:id",
        "label:bag",
        'label:B\\äu"me <&>',
        "label:'=1+1",
    ]
    bags = list(cells.index.unique())
    assert bags == ["{0 1}", "''=x", "a\\new", "'a"]


def test_labels_of_arff_are_named_in_an_xml_file(tmp_path, strange_data):
    write_bags(tmp_path / "t.arff", strange_data)
    xml = (tmp_path / "t.xml").read_text()
    assert xml.count("<label name=") == 4
    assert "<label name='B\\äu\"me &lt;&amp;&gt;'/>" in xml


@pytest.mark.parametrize(
    ("Y", "names", "message"),
    [
        (
            [[1], [0]],
            ["two\nlines"],
            "label names must .* be printable",
        ),
        ([[1], [0]], [" b"], r"label names must .* got ' b'"),
        (
            [[1, 0], [0, 1]],
            ["a", "a"],
            "must differ .* got 'a' 2 times",
        ),
        ([[1], [0]], ["a", "b"], "1 label names are needed, got 2"),
        ([[1]], ["a"], "one row for each of 2 bags"),
    ],
)
def test_bad_label_names_are_refused(Y, names, message):
    with pytest.raises(ValueError, match=message):
        labelled_bags([[[1.0]], [[2.0]]], Y, names)


def test_what_could_not_be_read_is_refused_before_it_is_written(tmp_path):
    path = tmp_path / "b.csv"
    path.write_text("as it was")
    # The class itself does not check names, as labelled_bags does.
    nameless = LabelledBags(
        Bags.from_list([[[1.0]], [[2.0]]]),
        np.ones((2, 1), bool),
        ("",),
        ("f",),
        ("a", "b"),
    )
    with pytest.raises(ValueError, match="label names must differ"):
        write_bags(path, nameless)
    with pytest.raises(ValueError, match=r"end in \.csv"):
        write_bags(tmp_path / "b.json", nameless)
    assert path.read_text() == "as it was"
    assert list(tmp_path.iterdir()) == [path]


@pytest.fixture
def two(read):
    return read("two.arff", TWO)


def test_arff_files_of_bags(two):
    bag1 = [[5, -20], [4.5, -1], [3, 12.5]]
    bag2 = [[10, 0.25]]
    assert as_lists(two) == [bag1, bag2]
    assert two.Y.tolist() == [[True, False], [False, True]]
    assert two.label_names == ("label1", "label2")
    assert two.feature_names == ("f1", "f2")
    assert two.bag_names == ("bag1", "bag2")


def test_bags_of_arff_need_no_names(read, two):
    text = changed(TWO, " @attribute id {bag1,bag2}\n", "")
    text = changed(text, " bag1,", "")
    text = changed(text, " bag2,", "")
    assert_same(read("a.arff", text), two)


@pytest.mark.parametrize(
    ("no", "yes"),
    [
        ("no", "yes"),
        ("-1", "1"),
        ("False", "True"),
        ("negative", "positive"),
    ],
)
def test_labels_of_arff_have_values_of_many_kinds(read, two, no, yes):
    text = changed(TWO, "label1 {0,1}", f"label1 {{{yes}, {no}}}")
    text = changed(text, '",1,0', f'",{yes},0')
    text = changed(text, '",0,1', f'",{no},1')
    assert_same(read("a.arff", text), two)


def test_rows_of_arff_may_be_sparse(read, two):
    cells = '"5,-20\\n4.5,-1\\n3,12.5"'
    text = changed(TWO, f"bag1,{cells},1,0", f"{{1 {cells}, 2 1}}")
    assert_same(read("a.arff", text), two)


@pytest.mark.parametrize("weight", ["{2}", " {0.5}", "{ 1e-3 }"])
def test_weights_of_weka_are_left_out(read, two, weight):
    text = changed(TWO, '",1,0', f'",1,0,{weight}')
    text = changed(text, "4.5,-1", f"4.5,-1,{weight}")
    text = changed(text, 'bag2,"1e1,.25",0,1', f'{{0 bag2, 1 "1e1,.25", 3 1}},{weight}')
    text = changed(text, "label1 {0,1}", f"label1 {{0,1}}{weight}")
    text = changed(text, "f1 numeric", f"f1 numeric {weight}")
    assert_same(read("a.arff", text), two)


def test_a_value_in_braces_is_no_weight(read):
    text = (
        "@relation r\n@attribute k {'{2}',b}\n@attribute y {1,0}\n@attribute s {0}\n@data\n"
    )
    data = read("a.arff", f"{text}'{{2}}',1,0\n{{1 0}}\nb,0,0\n", labels=["y"])
    assert data.feature_names == ("k={2}", "k=b", "s=0")
    assert as_lists(data) == [[[1, 0, 1]], [[1, 0, 1]], [[0, 1, 1]]]


def test_the_dialect_of_arff(read):
    data = read("a.arff", DIALECT)
    assert data.bag_names == ("it's, one", "b")
    assert data.label_names == ('l"1', "l2")
    assert data.feature_names == ("f, 1", "shape=round", "shape=long")
    quoted = [[-2000, 0, 1], [7, 1, 0], [0, 1, 0]]
    sparse = [[4, 1, 0]]
    assert as_lists(data) == [quoted, sparse]
    # What a sparse row leaves out has the attribute's first value.
    assert data.Y.tolist() == [[False, True], [True, False]]


def test_nominal_features_sparse_rows_and_missing_values(read, refused):
    """A feature for each value; a sparse row leaves out first values; "?" needs a number."""
    labels = ["01", "happy"]
    message = "line 8: 'failed' must be one of 1, 2, 3, got a missing value; give missing="
    refused("g.arff", GENES, message, labels=labels)

    data = read("g.arff", GENES, labels=labels, missing=0)
    assert data.feature_names == (
        "beat strength",
        "failed=1",
        "failed=2",
        "failed=3",
    )
    assert data.X.sizes.tolist() == [1, 1, 1]
    assert data.bag_names == ("bag1", "bag2", "bag3")
    beat_strength = data.X.instances[:, 0]
    assert beat_strength.tolist() == [0.25, 5208, 7]
    failed = data.X.instances[:, 1:]
    assert failed.tolist() == [[0, 1, 0], [0, 0, 0], [1, 0, 0]]
    assert label_sets(data) == [[], ["happy", "01"], []]


def test_a_feature_of_zeros_and_ones_is_a_number(read):
    data = read("g.arff", GENES, labels=["01"], missing=0)
    assert data.feature_names[:2] == ("happy", "beat strength")


@pytest.mark.parametrize("cell", ["0.5", "2", "-1", "yes"])
def test_a_value_that_a_nominal_attribute_does_not_declare_is_refused(refused, cell):
    text = "@relation r\n@attribute f {1,0}\n@attribute sea {0,1}\n@data\n1,0\n"
    message = f"line 6: 'f' must be one of 1, 0, got '{cell}'"
    refused("t.arff", f"{text}{cell},1\n", message, labels=["sea"])


def test_tables(read):
    data = read("t.csv", TABLE)
    assert as_lists(data) == [[[1, 2], [3, 4]], [[-0.005, 6]]]
    assert data.Y.tolist() == [[False], [True]]
    assert data.label_names == ("b",)
    assert data.feature_names == ("x", "y")
    assert data.bag_names == ("q", "p")


def test_spaces_and_empty_lines_of_tables_do_not_matter(read):
    spaced = TABLE.replace("label:", "").replace(",", ", ")
    with_empty_lines = "\r\n\r\n" + spaced.replace("\n", "\r\n\r\n")
    # Spreadsheets begin a file of UTF-8 with a mark.
    marked = "\ufeff" + with_empty_lines
    data = read("t.csv", marked, bag="bag", labels=["b"])
    assert_same(data, read("t.csv", TABLE))


@pytest.mark.parametrize("name", ["a;b;c;d;e", "a|b|c|d|e", 'a"b;c;d;e;f'])
def test_names_with_other_delimiters_come_back(tmp_path, name):
    data = labelled_bags(
        [[[1.0, 2.0]]],
        [[1]],
        ["sea"],
        feature_names=[name, "y"],
    )
    path = tmp_path / "t.csv"
    write_bags(path, data)
    assert read_bags(path).feature_names == (name, "y")


@pytest.mark.parametrize("ending", ["csv", "arff"])
def test_bags_without_labels_come_back(tmp_path, ending):
    new = labelled_bags([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]]], np.zeros((2, 0)))
    path = tmp_path / f"t.{ending}"
    write_bags(path, new)
    assert_same(read_bags(path, labels=[]), new)


@pytest.mark.parametrize("cell", ["NA", "NaN", "nan", "null", "#N/A", "?", ""])
def test_missing_numbers_of_other_programs_are_known(read, cell):
    text = f"bag,x,y,label:a\np,1,{cell},1\nq,2,3,0\n"
    assert as_lists(read("t.csv", text, missing=-1)) == [[[1, -1]], [[2, 3]]]
    with pytest.raises(DataError, match=r"line 2: 'y' .* got a missing value; give missing="):
        read("t.csv", text)


@pytest.mark.parametrize(("true", "false"), [("True", "False"), ("TRUE", "FALSE")])
def test_booleans_of_tables_are_one_and_zero(read, true, false):
    text = f"bag,x,label:a\np,{true},1\nq,{false},0\n"
    assert as_lists(read("t.csv", text)) == [[[1]], [[0]]]


@pytest.mark.parametrize(
    "digits", ["9007199254740993", "-9007199254740993", "+9007199254740993"]
)
def test_an_integer_that_would_be_rounded_is_refused(refused, digits):
    message = "line 2: 'x' .*9007199254740993'; float64 would round this integer"
    refused("t.csv", f"bag,x,label:a\np,{digits},1\n", message)


def test_integers_of_json_beside_null_are_not_rounded(refused, read):
    records = [
        {"bag": "p", "x": 2**53 + 1, "label:a": 1},
        {"bag": "q", "x": None, "label:a": 0},
    ]
    refused(
        "t.json",
        json.dumps(records),
        "row 0: 'x' .*float64 would round",
        missing=0,
    )
    records[0]["x"] = 2**53
    assert as_lists(read("t.json", json.dumps(records), missing=0)) == [[[2**53]], [[0]]]


def test_lines_of_json_are_records(read):
    records = [{"bag": "p", "x": 1, "label:a": 1}, {"bag": "q", "x": 2, "label:a": 0}]
    lines = "\n".join(map(json.dumps, records)) + "\n"
    assert_same(read("t.json", lines), read("t.json", json.dumps(records)))
    assert_same(
        read("t.json", json.dumps(records[0])), read("t.json", json.dumps(records[:1]))
    )


@pytest.mark.parametrize("n_digits", [400, 5000])
def test_an_integer_of_hundreds_of_digits_has_its_row(refused, n_digits):
    digits = n_digits * "1"
    message = "'x' must be a finite number .*got '111.*; float64 would round this integer"
    refused(
        "t.json",
        f'[{{"bag": "p", "x": {digits}, "label:a": 1}}]',
        f"row 0: {message}",
    )
    refused(
        "t.csv",
        f"bag,x,label:a\np,{digits},1\n",
        f"line 2: {message}",
    )


@pytest.mark.parametrize("text", ["１", "²", "--1"])
def test_no_integer_is_a_number_that_float64_would_round(refused, text):
    message = f"line 2: 'x' must be a finite number of at most 1e.150, got '{text}'$"
    refused("t.csv", f"bag,x,label:a\np,{text},1\n", message)


def test_a_key_of_json_stands_once(refused):
    text = '[{"bag": "p", "x": 1, "x": 2, "label:a": 1}]'
    refused(
        "t.json",
        text,
        "a record must have each key once, got 'x' twice",
    )


@pytest.mark.parametrize(
    "text",
    ["f1,f2,label:s\n1.5,2,1\n2.5,4,0\n", "f1,f2,label:s\n1,2,1\n2.5,4,0\n"],
)
def test_a_first_column_of_floats_names_no_bags(refused, text):
    refused(
        "t.csv",
        text,
        "the first column, 'f1', must name the bags, got floats",
    )


@pytest.mark.parametrize(
    "missing", ["0", math.inf, [0], pd.NA, pd.NaT, 10**5000, True, False], ids=type
)
def test_what_replaces_missing_numbers_is_a_number(missing):
    with pytest.raises(ValueError, match="missing= must be a number that replaces"):
        read_bags(PARCELS, missing=missing)


def test_a_value_of_a_nominal_attribute_is_declared_once(refused):
    text = "@relation r\n@attribute kind {b,c,b}\n@attribute sea {0,1}\n@data\nb,1\n"
    message = "'kind' must have values that differ, got 'b' twice"
    refused("t.arff", text, message, labels=["sea"])


def test_empty_cells_at_the_end_of_lines_and_empty_rows_do_not_matter(read, refused):
    """As spreadsheets save them."""
    expected = read("plain.csv", TABLE)
    everywhere = TABLE.replace("\n", ",,\n")
    assert_same(read("t.csv", everywhere), expected)
    head, rows = TABLE.split("\n", 1)
    assert_same(read("t.csv", head + "\n" + rows.replace("\n", ",\n")), expected)
    assert_same(read("t.csv", TABLE + ",,,\n , , , \n"), expected)
    not_empty = TABLE.replace("\n", ",\n") + "r,1,1,1,5\n"
    refused(
        "t.csv",
        not_empty,
        "line 1: each column must have a head, got none for column 5",
    )


def test_what_is_no_arff_is_shown(refused):
    page = "<!DOCTYPE html><html>404</html>"
    refused(
        "t.arff",
        page,
        "@data are needed, got a file that begins with '<!DOCTYPE html>",
    )


def test_records_in_memory_are_a_frame_as_the_error_says():
    records = [{"bag": "p", "f1": 1.0, "label:sea": 1}]
    with pytest.raises(ValueError, match=r"got list; give pd.DataFrame\(source\)"):
        read_bags(records)
    assert read_bags(pd.DataFrame(records)).label_names == ("sea",)


def test_bags_without_labels_are_not_written(tmp_path, two):
    with pytest.raises(
        ValueError, match=r"data must be .*, as labelled_bags\(X, Y\) gives them"
    ):
        write_bags(tmp_path / "t.csv", two.X)


def test_the_separator_is_found_behind_empty_lines(read, tmp_path):
    semicolons = "\n \n" + TABLE.replace(",", ";")
    assert_same(read("t.csv", semicolons), read("t.csv", TABLE))
    path = tmp_path / "labels.csv"
    path.write_text("\n\nimage;sea\na.png;1\nb.png;0\n")
    assert read_labels(path)["sea"].tolist() == [True, False]


def test_missing_cells_of_tables_get_a_number(read):
    with_gaps = "bag,x,y,label:a\np,1,,1\np,?,2,1\n"
    data = read("t.csv", with_gaps, missing=-1)
    assert as_lists(data) == [[[1, -1], [-1, 2]]]


def test_labelled_bags_are_indexed_as_a_list(read):
    data = read("t.csv", TABLE)
    assert len(data) == 2
    assert len(data[:1]) == 1
    assert data[[1]].bag_names == ("p",)
    assert_same(data[:], data)


PARCELS = pd.DataFrame(
    {
        "x": [1.5, 2.0, 3.0],
        "id": ["p", "p", "q"],
        "y": [0, 1, 2],
        "kinds": ["gift; fragile", "gift;fragile", ""],
    }
)
PARCEL_RECORDS = [
    {"x": 1.5, "id": "p", "y": 0, "kinds": ["gift", "fragile"]},
    {"x": 2.0, "id": "p", "y": 1, "kinds": ["gift", "fragile"]},
    {"x": 3.0, "id": "q", "y": 2, "kinds": []},
]
COLUMNS = {"bag": "id", "labels": "kinds"}


@pytest.fixture
def parcels():
    return read_bags(PARCELS, **COLUMNS)


def test_labels_of_a_table_are_sets_in_one_column(parcels):
    assert as_lists(parcels) == [[[1.5, 0], [2, 1]], [[3, 2]]]
    assert label_sets(parcels) == [["fragile", "gift"], []]
    assert parcels.bag_names == ("p", "q")


def test_a_file_of_parquet_is_read_as_the_frame(tmp_path, parcels):
    pytest.importorskip("pyarrow")
    path = tmp_path / "t.parquet"
    pd.DataFrame(PARCEL_RECORDS).to_parquet(path)
    assert_same(read_bags(path, **COLUMNS), parcels)


def test_frames_and_records_are_the_same(read, parcels):
    frame = pd.DataFrame(PARCEL_RECORDS)
    assert_same(read_bags(frame, **COLUMNS), parcels)
    content = json.dumps(PARCEL_RECORDS)
    assert_same(read("t.json", content, **COLUMNS), parcels)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_of_tables_are_found(read, parcels, delimiter):
    content = PARCELS.to_csv(sep=delimiter, index=False)
    assert_same(read("t.csv", content, **COLUMNS), parcels)


def test_a_missing_column_of_bags_is_named():
    message = "table: no column is named 'colour'; there are x, id"
    with pytest.raises(DataError, match=message):
        read_bags(PARCELS, bag="colour", labels="kinds")


BAG1 = '"5,-20\\n4.5,-1\\n3,12.5"'
NOT_ENOUGH = "attributes, .* and @data are needed"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            '.25",0,1',
            '.25",0',
            "line 13: 4 values are needed, got 3",
        ),
        (
            '.25",0,1',
            ".25",
            "line 13: no values can be read from .* quote not closed",
        ),
        (
            "4.5,-1",
            "4.5",
            "line 12: 2 values are needed, got 1: '4.5'",
        ),
        (
            "12.5",
            "nan",
            "line 12: 'f2' must be a finite number .*, got a missing value; give missing=",
        ),
        (
            "12.5",
            "-1e160",
            r"line 12: 'f2' .* at most 1e\+150, got -1e\+160",
        ),
        (
            " bag2,",
            " bag1,",
            "line 13: each bag must have one row, got a second of 'bag1'",
        ),
        (
            "f2 numeric",
            "f2 {a,b}",
            "line 12: 'f2' must be one of a, b, got '-20'",
        ),
        (
            "f2 numeric",
            "f2",
            "line 6: an attribute must have a name and a type",
        ),
        (" @end bag\n", "", NOT_ENOUGH),
        (
            "label1 {0,1}",
            "label1 relational\n@end",
            "only one relational attribute",
        ),
        (
            BAG1,
            '"{2 1}"',
            "line 12: a sparse row .* from 0 to 1",
        ),
        (
            BAG1,
            '"{1 1, 1 2}"',
            "line 12: a sparse row .* none twice",
        ),
        (
            ' bag1,"5',
            " {0 bag1}\n%",
            "line 12: the bag must have an instance, got none",
        ),
        (
            " bag1,",
            " ,",
            "bag names must .* be printable text",
        ),
        (TWO, "", NOT_ENOUGH),
    ],
)
def test_faults_of_arff_have_their_line(refused, old, new, message):
    refused("t.arff", changed(TWO, old, new), message)


HEAD_OF_TABLE = "bag,x,label:b,y\n"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "q,1,0,2",
            "q,1,maybe,2",
            "line 2: 'b' must be 0 or 1, got 'maybe'",
        ),
        (
            "q,3,0,4",
            "q,3,0,",
            "line 3: 'y' must be .*, got a missing value; give missing=",
        ),
        (
            "p,-5e-3,1,6",
            "p,5,1,6\nq,5,0,6",
            "instances of bag q must follow each other",
        ),
        (
            "p,-5e-3,1,6",
            '"p,-5e-3,1,6',
            "line 4: unexpected end of data; close each quote",
        ),
        (
            "label:b",
            "b",
            "labels= must name the labels, as no .*; there are x, b, y",
        ),
        (
            ",y",
            ",x",
            "feature names must differ .* got 'x' 2 times",
        ),
        (
            "bag,",
            "label:a,",
            "the first column must name the bags, got 'a, x, b, y'",
        ),
        (
            TABLE,
            HEAD_OF_TABLE,
            "rows below the line of heads are needed, got none",
        ),
    ],
)
def test_faults_of_tables_have_their_line(refused, old, new, message):
    refused("t.csv", changed(TABLE, old, new), message)


def test_rows_of_a_bag_must_agree_in_its_labels(refused):
    text = "bag,x,label:a,label:b\nq,1,1,0\nq,1,1,1\n"
    message = "line 3: bag 'q' must have equal labels in all rows"
    refused("t.csv", text, message)


def test_a_table_without_features_is_refused(refused):
    message = r"a bag and a feature are needed, got \(1, 0\)"
    refused("t.csv", "bag,label:b\nq,1\n", message)


def test_another_encoding_is_refused(refused):
    message = "text in utf-8 is needed, got byte .*; save .* as UTF-8, or give encoding="
    latin = TABLE.replace("q,3", "é,3").encode("latin-1")
    refused("t.csv", latin, message)
    refused("t.csv", TABLE.encode("utf-16"), message)


def test_options_that_do_not_fit_the_file_are_refused(refused):
    message = "no column is named 'tall'; .*there are happy"
    refused("a.arff", GENES, message, labels=["tall", "01"])
    refused("t.arff", TWO, "bag= is for tables", bag="id")
    refused("t.arff", TWO, "separator= is for tables", separator=";")


def test_a_table_of_too_many_bytes_is_refused(refused):
    text = TABLE + "\n" * 10**6
    message = "at most max_bytes=1,000,000 bytes"
    refused("a.csv", text, message, max_bytes=10**6)


def test_a_path_of_no_file_of_bags_is_refused(tmp_path):
    message = r"path must end in .csv or .tsv.*, got '.*txt'"
    with pytest.raises(ValueError, match=message):
        read_bags(tmp_path / "t.txt")
    with pytest.raises(FileNotFoundError):
        read_bags(tmp_path / "missing.arff")


def assert_unread(path, message):
    with pytest.raises(DataError, match=f"{path.name}: .*{message}"):
        read_bags(path)


@on_posix
def test_what_is_no_regular_file_is_refused_before_it_is_read(tmp_path):
    message = "a regular file is needed, got a pipe or a device"
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    assert_unread(pipe, message)
    endless = tmp_path / "zeros.arff"
    endless.symlink_to("/dev/zero")
    assert_unread(endless, message)
    folder = tmp_path / "folder.json"
    folder.mkdir()
    assert_unread(folder, "a file is needed, got a folder")


def as_cells(*contents):
    cells = np.empty((len(contents), 1), dtype=object)
    for i, content in enumerate(contents):
        cells[i, 0] = content
    return cells


def file_of_zeros(path, n_bytes):
    """A file that takes no space on the disk."""
    with open(path, "wb") as file:
        file.truncate(n_bytes)
    return path


def test_too_large_files_are_refused_before_they_are_read(tmp_path):
    large = file_of_zeros(tmp_path / "large.csv", 3 * 10**9)
    message = "at most max_bytes=268,435,456 bytes, got 3,000,000,000"
    assert_unread(large, message)


def test_bytes_of_zero_are_no_text(tmp_path):
    small = file_of_zeros(tmp_path / "small.csv", 10**6)
    assert_unread(small, "text is needed, got bytes of zero")


def test_json_with_a_key_for_each_record_is_refused_where_its_table_would_be_large(tmp_path):
    records = [{"bag": str(i), "label:s": 1, f"f{i}": 1} for i in range(500)]
    path = tmp_path / "t.json"
    path.write_text(json.dumps(records))
    with pytest.raises(DataError, match=r"500 rows of 502 numbers.*max_bytes=50,000"):
        read_bags(path, max_bytes=50_000)


def test_parquet_that_would_be_large_is_refused_before_it_is_read(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "t.parquet"
    n_rows = 200_000
    table = pd.DataFrame({"bag": 1, "f1": np.zeros(n_rows), "label:s": 1})
    table.to_parquet(path)
    assert path.stat().st_size < 50_000
    with pytest.raises(DataError, match=r"200,000 rows of 3 numbers.*max_bytes=50,000"):
        read_bags(path, max_bytes=50_000)
    table.assign(f1=np.arange(n_rows)).to_parquet(path, compression="gzip")
    assert path.stat().st_size < 10**6
    with pytest.raises(
        DataError, match="at most max_bytes=1,300,000 bytes after decompression"
    ):
        read_bags(path, max_bytes=1_300_000)


def test_matlab_files_that_would_be_large_are_refused_before_they_are_read(tmp_path):
    path = tmp_path / "t.mat"
    bags = as_cells(np.zeros((1000, 500)), np.zeros((1, 500)))
    savemat(path, {"bags": bags, "targets": [[1, -1]]}, do_compression=True)
    assert path.stat().st_size < 50_000
    with pytest.raises(DataError, match="at most max_bytes=50,000 bytes after decompression"):
        read_bags(path, max_bytes=50_000)
    assert len(read_bags(path)) == 2


@pytest.mark.parametrize(
    "sparse",
    [
        {"bags": as_cells(csc_array((9999, 9999)))},
        {"targets": csc_array((9999, 9999))},
    ],
    ids=lambda sparse: next(iter(sparse)),
)
def test_sparse_matrices_of_matlab_that_would_be_large_are_refused(tmp_path, sparse):
    path = tmp_path / "t.mat"
    savemat(path, {"bags": as_cells(np.ones((1, 1))), "targets": [[1]], **sparse})
    with pytest.raises(DataError, match=r"9,999 rows of 9,999 numbers.*max_bytes=200,000"):
        read_bags(path, max_bytes=200_000)


@pytest.mark.parametrize("options", [{"format": "4"}, {"do_compression": True}], ids=str)
def test_every_format_of_matlab_is_read(tmp_path, variables, options):
    path = tmp_path / "t.mat"
    if "format" in options:  # it has no cells
        savemat(path, {"data": np.ones((2, 2))}, **options)
        assert_unread(path, "variables 'bags' and 'targets' are needed, got data")
    else:
        savemat(path, variables, **options)
        assert len(read_bags(path)) == 2


def test_what_is_no_path_is_refused():
    with pytest.raises(ValueError, match="a file of this machine, got 'https:"):
        read_bags("https://x.org/a.csv")
    message = "source must be a table or a path, got int"
    with pytest.raises(ValueError, match=message):
        read_bags(1)


def test_sparse_rows_cost_what_they_hold(read, refused):
    """20,000 attributes; the dense numbers of all rows would take 48 times the limit."""
    n = 20_000
    heads = [f"@attribute a{i} {{a,b}}\n" for i in range(n)]
    text = "@relation wide\n" + "".join(heads)
    text += "@attribute y {0,1}\n@data\n"
    row = f"{{3 b, {n} 1}}\n"
    data = read("wide.arff", text + row, labels=["y"])
    # Attribute 3 has two features, 6 and 7.
    assert data.X.instances[0, [6, 7, 8]].tolist() == [0, 1, 1]

    many_rows = text + 600 * row
    message = (
        "line 20016: 13 rows of 20,001 numbers.* more than 4 times max_bytes=500,000 bytes"
    )
    refused(
        "wide.arff",
        many_rows,
        message,
        labels=["y"],
        max_bytes=500_000,
    )


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le"])
def test_texts_in_every_encoding(read, refused, encoding):
    german = TABLE.replace("label:b", "label:Bäume")
    expected = read("t.csv", german)
    assert expected.label_names == ("Bäume",)
    content = german.encode(encoding)
    assert_same(read("t.csv", content, encoding=encoding), expected)
    refused("t.csv", content, "encoding='(latin-1|utf-16)'")


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("preis €".encode("cp1252"), "cp1252"),
        ("„Bäume“".encode("cp1252"), "cp1252"),
        ("Bäume".encode("latin-1"), "latin-1"),
        (b"\xe4\x81", "latin-1"),  # no text of Windows
    ],
)
def test_the_encoding_of_the_hint_reads_the_file(refused, read, content, encoding):
    table = TABLE.encode().replace(b"label:b", b"label:" + content)
    refused("t.csv", table, f"or give encoding='{encoding}'")
    if b"\x81" not in content:
        data = read("t.csv", table, encoding=encoding)
        assert data.label_names == (content.decode(encoding),)


def test_the_hint_for_a_wrong_encoding_of_a_text_in_utf8(refused):
    table = TABLE.replace("label:b", "label:Bäume")
    refused("t.csv", table, "give encoding='utf-8'", encoding="ascii")


def compressed(text):
    return gzip.compress(text.encode())


def test_compressed_files_and_tabs(read, two):
    expected = read("t.csv", TABLE)
    tabs = TABLE.replace(",", "\t")
    assert_same(read("t.tsv", tabs), expected)
    assert_same(read("t.csv.gz", compressed(TABLE)), expected)
    assert_same(read("t.tsv.gz", compressed(tabs)), expected)
    assert_same(read("t.arff.gz", compressed(TWO)), two)


def test_bad_compressed_files_are_refused(refused):
    # Small as a file, large once it is read.
    bomb = gzip.compress(bytes(10**7))
    message = "at most max_bytes=100,000 bytes after decomp"
    refused("t.csv.gz", bomb, message, max_bytes=10**5)
    refused("t.csv.gz", TABLE, "Not a gzipped file")


@pytest.mark.parametrize(
    "content",
    [{"bag": {"0": "p"}}, [1, 2], [], "text", None],
    ids=str,
)
def test_json_that_is_no_table_is_refused(refused, content):
    records = r"such as .* as table\.to_json\(path, orient='records'"
    message = f"JSON must be a list of records, {records}"
    refused("t.json", json.dumps(content), message)


def test_json_of_endless_lists_is_refused(refused):
    refused(
        "t.json",
        "[" * 10**5,
        "JSON must be a list of records .* got lists in lists",
    )


def test_a_set_of_endless_lists_is_refused(refused):
    nested = "[" * 50_000 + "]" * 50_000
    message = "line 2: 'tags' must be a list of names"
    refused(
        "t.csv",
        f"bag,x,tags\nq,1,{nested}\n",
        message,
        labels="tags",
    )


def test_a_cell_without_end_is_refused(refused):
    """A quote that nobody closes makes one cell of the rest of the file."""
    message = "line 2: field larger than field limit .*; close each quote"
    refused("t.csv", f'bag,x,label:a\nq,"{"1" * 200_000}",1\n', message)


def test_parquet_without_its_engine_says_what_to_install(refused, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    message = "Parquet needs pyarrow: pip install pyarrow"
    refused("t.parquet", "", message)


KDIS = """2
id,f1,f2,wet,dry
bag1,42,-198,1,0
bag1,3,4,1,0
bag2,12,-98,0,1
"""


def test_csv_of_kdis_counts_its_labels_in_the_first_line(read):
    data = read("t.csv", KDIS)
    assert data.label_names == ("wet", "dry")
    assert data.feature_names == ("f1", "f2")
    assert data.Y.tolist() == [[True, False], [False, True]]


@pytest.mark.parametrize("first", ["2,,,,", '"2"', "2;", "2\t", " 2 ", "\ufeff2"], ids=repr)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=repr)
def test_csv_of_kdis_may_have_passed_through_a_spreadsheet(read, first, end):
    content = changed(KDIS, "2\n", first + "\n").replace("\n", end)
    assert_same(read("t.csv", content), read("kdis.csv", KDIS))


@pytest.mark.parametrize("separator", [" ", ":", "\u2003"], ids=repr)
def test_a_table_with_another_separator_says_what_was_found(refused, separator):
    table = TABLE.replace(",", separator)
    found = table.split("\n")[0].replace("\u2003", r"\\u2003")
    refused(
        "t.csv",
        table,
        f"line 1: .* with ',' or ';' or .* between them, got '{found}'",
    )
    refused(
        "t.csv",
        "# mine\n" + TABLE,
        "line 1: .* between them, got '# mine'",
    )
    refused(
        "t.tsv",
        TABLE,
        r"line 1: .*, with '\\t' between them, got 'bag,x,label:b,y'",
    )


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(
        ValueError, match=r"path must be a file, got the folder .*; name a file in it"
    ):
        read_bags(tmp_path)
    folder = tmp_path / "t.csv"
    folder.mkdir()
    with pytest.raises(DataError, match="a file is needed, got a folder"):
        read_bags(folder)


def test_faults_of_csv_of_kdis_have_their_line(refused):
    message = "line 1: the number of labels must leave columns for a bag and a feature"
    refused("t.csv", changed(KDIS, "2", "0"), message)
    refused("t.csv", changed(KDIS, "2", "4"), message)
    refused("t.csv", changed(KDIS, "2", "9" * 5000), message)
    no_label = changed(KDIS, "198,1", "198,x")
    refused("t.csv", no_label, "line 3: 'wet' must be 0 or 1, got 'x'")


def meka(relation):
    return f"""@relation '{relation}'
@attribute a {{0,1}}
@attribute b {{0,1}}
@attribute c real
@data
1,0,0
0,1,1
"""


@pytest.mark.parametrize(
    ("relation", "labels", "features"),
    [
        ("Music: -C 2", ("a", "b"), ("c",)),
        ("Music: -split 5 -C 1 -x", ("a",), ("b", "c")),
        ("-C -1", ("c",), ("a", "b")),
    ],
)
def test_arff_of_meka_counts_its_labels_in_the_relation(read, relation, labels, features):
    data = read("m.arff", meka(relation))
    assert data.label_names == labels
    assert data.feature_names == features
    by_name = read("m.arff", meka(relation), labels=labels)
    assert_same(by_name, data)


def test_a_relation_of_meka_that_does_not_fit_is_refused(refused):
    message = "-C 4 needs as many attributes, got 3"
    refused("m.arff", meka("M: -C 4"), message)
    # -C inside a word is no option, nor is one that counts no attributes, or before the colon.
    message = "labels= must name the labels"
    refused("m.arff", meka("Vitamin-C 2"), message)
    refused("m.arff", meka("M -C 1.5"), message)
    refused("m.arff", meka("M -C 2: -I 0"), message)
    message = r"-C 1 in the relation marks .*\['a'\], but .* names \['a', 'b'\]; correct one"
    refused("m.arff", meka("M: -C 1"), message, labels=["a", "b"])


def test_numbers_that_name_the_labels_of_meka_may_be_floats(read):
    text = "@relation 'r: -C 1'\n@attribute 3 {0,1}\n@attribute x real\n@data\n1,2\n0,4\n"
    assert read("t.arff", text, labels=[3.0]).label_names == ("3",)


def test_a_count_of_meka_before_a_filter_of_weka_is_no_count(read, refused, tmp_path):
    filtered = meka("M: -C 2 -I 0-weka.filters.unsupervised.attribute.Remove-R1-2")
    message = "-C 2 counts the labels, but a filter of Weka"
    refused("m.arff", filtered, message)
    refused("m.arff", filtered, message, labels=[])
    without = changed(filtered, "-C 2", "")  # as the message says
    assert read("m.arff", without, labels=[]).feature_names == ("a", "b", "c")
    assert read("m.arff", filtered, labels=["b"]).label_names == ("b",)
    (tmp_path / "m.xml").write_text("<labels><label name='b'/></labels>")
    data = read("m.arff", filtered)
    assert data.label_names == ("b",)
    assert data.feature_names == ("a", "c")


def test_xml_beside_the_file_and_the_count_of_meka_must_agree(read, refused, tmp_path):
    (tmp_path / "m.xml").write_text("<labels><label name='b'/><label name='a'/></labels>")
    assert read("m.arff", meka("M: -C 2")).label_names == ("a", "b")
    message = r"-C -2 in the relation marks .*\['b', 'c'\], but .* names \['a', 'b'\]"
    refused("m.arff", meka("M: -C -2"), message)


def test_new_bags_of_arff_have_no_labels(read, tmp_path):
    """What marks labels is not read: they may be missing, or a question mark."""
    of_bags = changed(
        TWO,
        '1,0\n bag2,"1e1,.25",0,1',
        '?,?\n bag2,"1e1,.25",maybe,?',
    )
    new = read("two.arff", of_bags, labels=[])
    assert new.Y.shape == (2, 0)
    assert new.feature_names == ("f1", "f2")
    of_meka = changed(meka("M: -C 2"), "1,0,0", "?,?,0")
    new = read("m.arff", of_meka, labels=[])
    assert new.Y.shape == (2, 0)
    assert new.feature_names == ("c",)
    (tmp_path / "plain.xml").write_text(XML)
    new = read("plain.arff", changed(MULAN, "0,5,1", "?,5,?"), labels=[])
    assert new.Y.shape == (1, 0)
    assert as_lists(new) == [[[5]]]


MULAN = """@relation r
@attribute label2 {0,1}
@attribute x real
@attribute label1 {0,1}
@data
0,5,1
"""
XML = "<labels><label name='label1'/><label name='label2'/></labels>"
NESTED_XML = "<labels><label name='label1'><label name='label2'/></label></labels>"


@pytest.fixture
def mulan(read):
    return read("plain.arff", MULAN, labels=["label1", "label2"])


def test_xml_of_mulan_names_the_labels(read, refused, mulan, two, tmp_path):
    refused("plain.arff", MULAN, "labels= must name the labels")
    write_bags(tmp_path / "bags.arff", two)
    path = tmp_path / "bags.xml"
    assert_same(read("plain.arff", MULAN, labels=path), mulan)
    assert_same(read("plain.arff", MULAN, labels=str(path)), mulan)


@pytest.mark.parametrize("xml", [XML, NESTED_XML], ids=["flat", "nested"])
def test_xml_beside_the_file_names_the_labels(read, mulan, tmp_path, xml):
    (tmp_path / "plain.xml").write_text(xml)
    assert_same(read("plain.arff", MULAN), mulan)
    assert_same(read("plain.arff.gz", compressed(MULAN)), mulan)
    (tmp_path / "UPPER.xml").write_text(xml)
    assert_same(read("UPPER.ARFF.GZ", compressed(MULAN)), mulan)


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        ("<labels/>", "must hold <label name"),
        ("no", "an XML file of labels"),
        (
            XML.replace("label1", "label3"),
            r"must name attributes of the file, got \['label3'\]",
        ),
    ],
)
def test_bad_xml_of_mulan_is_refused(read, refused, tmp_path, xml, message):
    (tmp_path / "plain.xml").write_text(xml)
    refused("plain.arff", MULAN, f"plain.xml:? .*{message}")
    assert read("plain.arff", MULAN, labels=["label1", "label2"]).label_names[0] == "label2"


@pytest.fixture
def variables():
    """Bags and targets as the authors' MATLAB files hold them."""
    cells = np.empty((2, 1), dtype=object)
    cells[0, 0] = np.array([[1.0, 2.0], [3.0, 4.0]])
    cells[1, 0] = np.array([[5.0, 6.0]])
    return {"bags": cells, "targets": [[1, -1], [-1, 1], [1, 1]]}


def test_matlab_files_of_the_authors(tmp_path, variables):
    names = np.array([["sea"], ["sky"], ["sun"]], dtype=object)
    path = tmp_path / "t.mat"
    savemat(path, {**variables, "class_name": names})
    data = read_bags(path)
    assert as_lists(data) == [[[1, 2], [3, 4]], [[5, 6]]]
    assert label_sets(data) == [["sea", "sun"], ["sky", "sun"]]


def test_labels_of_matlab_files_can_be_named(tmp_path, variables):
    path = tmp_path / "t.mat"
    savemat(path, variables)
    data = read_bags(path, labels=["a", "b", "c"])
    assert data.label_names == ("a", "b", "c")


def test_labels_of_matlab_files_may_be_numbers(tmp_path, variables):
    path = tmp_path / "t.mat"
    savemat(path, {**variables, "class_name": np.array([["1"], ["2"], ["3"]], dtype=object)})
    assert read_bags(path, labels=[1, 2, 3]).label_names == ("1", "2", "3")


def test_new_bags_of_matlab_files_have_no_targets(tmp_path, variables):
    path = tmp_path / "t.mat"
    savemat(path, {"bags": variables["bags"]})
    new = read_bags(path, labels=[])
    assert new.Y.shape == (2, 0)
    assert as_lists(new) == [[[1, 2], [3, 4]], [[5, 6]]]
    savemat(path, variables)
    assert read_bags(path, labels=[]).Y.shape == (2, 0)


def test_named_labels_of_matlab_files_are_not_renamed(tmp_path, variables):
    names = np.array([["sea"], ["sky"], ["sun"]], dtype=object)
    path = tmp_path / "t.mat"
    savemat(path, {**variables, "class_name": names})
    assert read_bags(path, labels=["sun", "sky", "sea"]).label_names == ("sea", "sky", "sun")
    with pytest.raises(DataError, match=r"labels= must be None or the labels that are named"):
        read_bags(path, labels=["sun", "sky", "moon"])


@pytest.mark.parametrize(
    "names",
    [
        as_cells(as_cells("sea"), as_cells("sky"), as_cells("sunset")),
        np.array(["sea   ", "sky   ", "sunset"]),  # the rows of a char array
    ],
    ids=["cells in cells", "char array"],
)
def test_names_of_matlab_may_lie_in_cells_or_a_char_array(tmp_path, variables, names):
    path = tmp_path / "t.mat"
    savemat(path, {**variables, "class_name": names})
    assert read_bags(path).label_names == ("sea", "sky", "sunset")


@pytest.mark.parametrize(
    "names",
    [
        as_cells(np.array(["sea", "sky"]), "sun", "moon"),
        as_cells("", "sea", "sky"),
        {"a": "sea", "b": "sky", "c": "sun"},
    ],
    ids=["two in a cell", "empty", "struct"],
)
def test_names_of_matlab_that_are_no_texts_are_refused(tmp_path, variables, names):
    path = tmp_path / "t.mat"
    savemat(path, {**variables, "class_name": names})
    with pytest.raises(DataError, match="class_name must hold one text for each label, got"):
        read_bags(path)


def test_transposed_targets_of_matlab_files_are_refused(tmp_path, variables):
    path = tmp_path / "t.mat"
    savemat(path, {**variables, "targets": np.transpose(variables["targets"])})
    message = r"targets must be numbers \(n_labels, n_bags\), with 2 bags, got int64 \(2, 3\)"
    with pytest.raises(DataError, match=message):
        read_bags(path)


def test_missing_numbers_of_matlab_files_get_a_number_or_are_refused(tmp_path, variables):
    variables["bags"][1, 0][0, 1] = np.nan
    path = tmp_path / "t.mat"
    savemat(path, variables)
    assert_unread(path, "bag 1 must have finite numbers, got a missing value; give missing=")
    assert as_lists(read_bags(path, missing=-1)) == [[[1, 2], [3, 4]], [[5, -1]]]
    kept = read_bags(path, missing=math.nan)
    assert np.isnan(kept.X.instances).sum() == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"labels": "abc"},
            r"labels= must be an .xml file or a list of names, such as \['abc'\]",
        ),
        ({"separator": ";"}, "separator= is for tables, a .mat file has no columns, got ';'"),
        ({"bag": "bag"}, "bag= is for tables, a .mat file has no columns, got 'bag'"),
    ],
)
def test_options_of_tables_are_refused_for_matlab_files(
    tmp_path, variables, options, message
):
    path = tmp_path / "t.mat"
    savemat(path, variables)
    with pytest.raises(DataError, match=message):
        read_bags(path, **options)


def test_targets_of_matlab_files_may_be_sparse_or_zeros_and_ones(tmp_path, variables):
    zeros_and_ones = np.array(variables["targets"]) == 1
    path = tmp_path / "t.mat"
    for targets in (zeros_and_ones, csc_array(zeros_and_ones.astype(float))):
        savemat(path, {**variables, "targets": targets})
        data = read_bags(path, labels=["sea", "sky", "sun"])
        assert label_sets(data) == [["sea", "sun"], ["sky", "sun"]]


def test_bags_of_matlab_files_may_be_sparse(tmp_path, variables):
    path = tmp_path / "t.mat"
    savemat(path, variables)
    expected = read_bags(path)
    sparse = [csc_array(bag) for bag in variables["bags"].flat]
    savemat(path, {**variables, "bags": as_cells(*sparse)})
    assert as_lists(read_bags(path)) == as_lists(expected)


def test_bags_of_matlab_files_lie_in_cells(tmp_path, variables):
    path = tmp_path / "t.mat"
    savemat(path, {**variables, "bags": np.ones((2, 3, 4))})
    message = r"bags must be cells, one for each bag, got float64 \(2, 3, 4\)"
    with pytest.raises(DataError, match=message):
        read_bags(path)


@pytest.mark.parametrize("target", [5, 2, 0.7, np.nan, 1 + 1j], ids=str)
def test_another_target_of_a_matlab_file_is_refused(tmp_path, variables, target):
    targets = np.array(variables["targets"], dtype=np.asarray(target).dtype)
    targets[0, 1] = target
    path = tmp_path / "t.mat"
    savemat(path, {**variables, "targets": targets})
    with pytest.raises(DataError, match=r"targets must hold (booleans|real numbers)"):
        read_bags(path)


LABEL_TABLE = "image,sea,sky\n001,1,no\nNA,0,yes\n"


@pytest.mark.parametrize("name", ["labels.json", "labels.txt"])
def test_labels_stand_in_tables_of_text(tmp_path, name):
    path = tmp_path / name
    path.write_text('[{"image": "a", "sea": 1}]')
    with pytest.raises(ValueError, match="path must end in"):
        read_labels(path)


@pytest.fixture
def labels_of(tmp_path):
    def read(content, **options):
        path = tmp_path / "labels.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_labels(path, **options)

    return read


def test_a_table_of_labels_without_a_line_of_heads_is_refused(labels_of):
    with pytest.raises(DataError, match="the heads must name the labels, got '1, 0'"):
        labels_of("a.png,1,0\nb.png,0,1\n")


def test_labels_may_be_called_positive_and_negative(labels_of, read):
    table = labels_of("image,positive,negative\na.png,1,0\nb.png,0,1\n")
    assert list(table.columns) == ["positive", "negative"]
    assert read("t.csv", "1\nbag,f1,yes\nx,5,1\ny,6,0\n").label_names == ("yes",)
    assert list(labels_of("image,label:1\na.png,1\n").columns) == ["1"]


def test_a_backslash_may_stand_before_the_end_of_a_quote(read):
    """There quotes may have spaces around them, as elsewhere."""
    data = read("t.csv", 'bag,f,label:x\n"C:\\a\\",1,1\n"C:\\b\\" ,2,0\n')
    assert data.bag_names == ("C:\\a\\", "C:\\b\\")


def test_features_called_as_an_index_come_back(read, tmp_path):
    """The same heads in a table that somebody else wrote may be left of an index."""
    names = ["index", "level_0", "Unnamed: 0", "__index_level_0__"]
    rows = [[[0.0, 1.0, 2.0, 3.0]], [[1.0, 2.0, 3.0, 4.0]]]
    write_bags(tmp_path / "t.csv", labelled_bags(rows, [[1], [0]], feature_names=names))
    assert read_bags(tmp_path / "t.csv").feature_names == tuple(names)
    wavelets = read("w.csv", "bag,level_1,index,label:x\na,1,0.5,1\nb,2,0.5,0\n")
    assert wavelets.feature_names == ("level_1", "index")


@pytest.mark.parametrize("encoding", [None, 5, "utf9"])
def test_an_unknown_encoding_is_named(labels_of, encoding):
    with pytest.raises(ValueError, match=r"encoding= must be a codec of Python.* got "):
        labels_of("image,sea\na,1\n", encoding=encoding)


def test_a_bag_of_arff_may_begin_with_a_missing_instance(tmp_path):
    """An empty line is no instance."""
    path = tmp_path / "t.arff"
    write_bags(path, labelled_bags([[[np.nan], [2.0]], [[1.0]]], [[1], [0]]))
    assert read_bags(path, missing=0).X.instances.tolist() == [[0.0], [2.0], [1.0]]
    path.write_text(path.read_text().replace("?\\n2", "1\\n\\n2"))
    with pytest.raises(DataError, match="each line of the bag must hold an instance"):
        read_bags(path, missing=0)


def test_a_table_of_labels_may_have_another_encoding_as_the_error_says(labels_of):
    content = "image,sée\na.png,1\n".encode("latin-1")
    with pytest.raises(DataError, match="or give encoding='latin-1'"):
        labels_of(content)
    assert list(labels_of(content, encoding="latin-1").columns) == ["sée"]


def test_a_table_of_labels_keeps_its_names_as_texts(labels_of):
    for delimiter in ",;\t|":
        table = labels_of(LABEL_TABLE.replace(",", delimiter))
        assert list(table.index) == ["001", "NA"]
        assert list(table.columns) == ["sea", "sky"]
        assert table.to_numpy().tolist() == [[True, False], [False, True]]


def test_a_table_of_labels_may_name_its_separator_first(labels_of):
    table = labels_of("sep=;\n" + LABEL_TABLE.replace(",", ";"))
    assert list(table.columns) == ["sea", "sky"]


@pytest.mark.parametrize("read", [read_labels, partial(read_new_bags, labels=[])])
@pytest.mark.parametrize("max_bytes", [None, 0, 1.5])
def test_every_reader_checks_its_limit(read, max_bytes):
    with pytest.raises(ValueError, match="max_bytes= must be a number of bytes, got"):
        read("table.csv", max_bytes=max_bytes)


def test_no_head_of_a_table_of_labels_has_a_meaning(labels_of):
    """But for label:, which write_bags writes."""
    table = labels_of("instance,bag,label:instance\na,1,0\n")
    assert list(table.index) == ["a"]
    assert list(table.columns) == ["bag", "instance"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("image,sea\na,1\nb,2\n", "line 3: 'sea' must be 0 or 1, got '2'"),
        (
            "image,sea\na,\n",
            "line 2: 'sea' must be 0 or 1, got ''; leave out bags whose labels",
        ),
        (
            "image,sea\na,n/a\n",
            "must be 0 or 1, got 'n/a'; leave out bags whose labels are not",
        ),
        ("image,sea\na,1,0\n", "line 2: 2 values are needed, got 3"),
        ("image,sea,sea\na,1,0\n", "label names must differ .*got 'sea' 2 times"),
        ("image,sea\na,1\na,1\n", "bag names must differ .*got 'a' 2 times"),
        ("image\na\n", "a column for each label is needed, got 'image' alone"),
        ("", "the file is empty; a line of heads is needed"),
        (LABEL_TABLE.encode("utf-16"), "text in utf-8 is needed.*save the file as UTF-8"),
        ("image,séa\na,1\n".encode("latin-1"), "line 1: text .*save the file as UTF-8"),
    ],
)
def test_faults_of_a_table_of_labels_have_their_line(labels_of, content, message):
    with pytest.raises(DataError, match=f"labels.csv: .*{message}"):
        labels_of(content)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('bag,f,label:s\na,1.5,"1\nb,2,0\nc,3,1\n', "line 2: unexpected end of data; close"),
        (
            '"bag","f"\n"a","2.5"\n"b","12.',
            "line 3: unexpected end of data; close each quote",
        ),
        ('bag,f,label:s\na,"7"0,1\nb,2,0\n', "line 2: ',' expected after '\"'; close each"),
        ('bag,f,label:s\n""a",1,1\na,2,1\n', "line 2: ',' expected after '\"'; close each"),
        (
            'bag,instance,f\na,"0,1.5\na,1",2.5\nb,0,3\n',
            "line 3: 'instance' must stand in one line, got '0,1.5.*close each quote",
        ),
        (
            'bag,f,label:s\na,1.5,"1\nb,2,0\nc,3,1"\n',
            "line 4: 's' must stand in one line, got '1.*close each quote",
        ),
    ],
)
def test_no_row_vanishes_in_a_quote_that_nothing_closes(refused, content, message):
    """Also in columns that are not read."""
    refused("t.csv", content, message, labels=[])


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_spaces_may_stand_behind_a_closing_quote(read, delimiter):
    rows = [["bag", "f", "label:s"], ['"a, ""b""" ', '"1" ', "1"], ['"c"', "2", '"0" ']]
    content = "\n".join(map(delimiter.join, rows))
    data = read("t.csv", content)
    assert data.bag_names == ('a, "b"', "c")
    assert data.X.instances.tolist() == [[1.0], [2.0]]


def test_lines_may_end_in_a_carriage_return_alone(read):
    content = "bag;f;tags\ra;1;sea,trees,sky\rb;2;sea,trees,sun,sand\r"
    data = read("t.csv", content, labels="tags", separator=",")
    assert data.bag_names == ("a", "b")
    assert data.label_names == ("sand", "sea", "sky", "sun", "trees")


def test_a_compressed_file_is_called_one(refused):
    content = gzip.compress(b"bag,f,label:s\na,1,1\n")
    refused("t.csv", content, r"text is needed, got a compressed file; name it t\.csv\.gz")


@pytest.mark.parametrize("content", [b"", b"x", b"bag,f,label:s\na,1,1\n" * 20])
def test_another_file_named_mat_is_called_no_file_of_matlab(refused, content):
    refused("t.mat", content, "a whole file of MATLAB is needed; SciPy says: ")


def test_a_bag_that_is_one_missing_number_comes_back(tmp_path):
    path = tmp_path / "t.arff"
    write_bags(path, labelled_bags([[[np.nan]], [[2.0]]], [[1], [0]]))
    data = read_bags(path, missing=-1.0)
    assert data.X.instances.tolist() == [[-1.0], [2.0]]


def test_matlab_files_of_others_are_refused(tmp_path, variables):
    path = tmp_path / "t.mat"
    savemat(path, {"data": variables["bags"]})
    message = "variables 'bags' and 'targets' are needed"
    with pytest.raises(DataError, match=message):
        read_bags(path)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (
            "date 'yyyy'",
            "'f2' must hold numbers, got texts or dates; delete the attribute",
        ),
        (
            "string",
            r"'f2' must hold numbers, got texts or dates; .* or declare its values, as \{a,b\}",
        ),
        (
            "colour",
            "line 6: 'f2' must have the type numeric, real, .*, got 'colour'",
        ),
    ],
)
def test_types_of_attributes_are_those_of_the_format(refused, kind, message):
    text = changed(TWO, "f2 numeric", f"f2 {kind}")
    refused("t.arff", text, message)


def test_values_of_labels_are_zeros_and_ones(refused):
    text = changed(TWO, "label2 {0,1}", "label2 {a,b}")
    message = "'label2' must be 0 or 1, got the values a, b"
    refused("t.arff", text, message)


def test_lines_of_json_may_be_empty_and_hold_any_text(tmp_path):
    records = [{"bag": "a\u2028b", "f": 1, "label:s": 1}, {"bag": "c", "f": 2, "label:s": 0}]
    lines = [json.dumps(record, ensure_ascii=False) for record in records]
    for ending in (".json", ".jsonl", ".ndjson"):
        path = tmp_path / f"t{ending}"
        path.write_text("\n\n".join(lines) + "\n", encoding="utf-8")
        with pytest.raises(DataError, match="bag names must differ and be printable"):
            read_bags(path)
        path.write_text("\n\n".join(lines).replace("\u2028", "") + "\n", encoding="utf-8")
        assert read_bags(path).bag_names == ("ab", "c")


@pytest.mark.parametrize(
    ("third", "reason"),
    [
        ('{"bag":"c" "f":3}', "Expecting ',' delimiter"),
        ('{"bag":"c","f":3,"lab', "Unterminated string"),
        ('{"bag":"c","f":3,"f":4}', "a record must have each key once"),
    ],
)
def test_a_broken_line_of_json_is_named(tmp_path, third, reason):
    path = tmp_path / "t.jsonl"
    records = [{"bag": "a", "f": 1, "label:s": 1}, {"bag": "b", "f": 2, "label:s": 0}]
    path.write_text("\n".join([*map(json.dumps, records), third]))
    with pytest.raises(DataError, match=f"line 3: {reason}"):
        read_bags(path)


def test_a_missing_name_in_arff_is_refused(tmp_path):
    path = tmp_path / "t.arff"
    of_texts = changed(TWO, "id {bag1,bag2}", "id string")
    missing = changed(of_texts, "bag1,", "?,")
    path.write_text(missing)
    with pytest.raises(DataError, match="the bag must have a name, got a missing value"):
        read_bags(path)
    path.write_text(missing.replace("?,", "'?',"))
    assert read_bags(path).bag_names[0] == "?"


def test_a_line_that_tells_excel_what_stands_between_cells_is_read(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("sep=;\n" + TABLE.replace(",", ";"))
    (tmp_path / "plain.csv").write_text(TABLE)
    assert_same(read_bags(path), read_bags(tmp_path / "plain.csv"))


@pytest.mark.parametrize("cell", ["1,5", "1,000", "-1,000,000", "1,000.5", "1.000,5"])
def test_a_comma_in_a_number_is_named(tmp_path, cell):
    """It may stand before decimals, or between thousands."""
    path = tmp_path / "t.csv"
    path.write_text(TABLE.replace(",", ";").replace("-5e-3", cell))
    hint = "a point stands before decimals, and nothing between thousands"
    assert_unread(path, f"got '{cell}'; {hint}")


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_arff_has_any_ends_of_lines_and_a_mark_of_utf_8(tmp_path, end):
    path = tmp_path / "two.arff"
    path.write_text(TWO)
    expected = read_bags(path)
    path.write_bytes(("\ufeff" + TWO.replace("\n", end)).encode())
    for encoding in ("utf-8-sig", "utf-8"):
        assert_same(read_bags(path, encoding=encoding), expected)


def test_targets_of_0_and_minus_1_are_refused_and_wanted_names_have_an_order(tmp_path):
    path = tmp_path / "t.mat"
    bags = np.empty((2, 1), dtype=object)
    bags[:, 0] = [np.ones((2, 3)), np.zeros((1, 3))]
    savemat(path, {"bags": bags, "targets": np.array([[1, -1], [0, 1]])})
    assert_unread(path, "targets must be 0 and 1, or -1 and 1")
    savemat(path, {"bags": bags, "targets": np.array([[1, -1], [-1, 1]])})
    with pytest.raises(DataError, match="labels= must have an order, as in a list"):
        read_bags(path, labels={"sea", "sky"})


def test_labels_of_new_bags_are_not_read_whatever_their_type(tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("bag,f1,7\na,1,?\n")
    assert read_new_bags(path, [7]).feature_names == ("f1",)
    with pytest.raises(
        ValueError, match=r"labels must be a list of names, such as \['sea'\]"
    ):
        read_new_bags(path, "sea")
    with pytest.raises(ValueError, match="got None"):
        read_new_bags(path, None)


def test_a_bag_of_arff_needs_an_instance(refused):
    for nothing in ("?", '""'):
        text = changed(TWO, 'bag2,"1e1,.25"', f"bag2,{nothing}")
        refused("t.arff", text, "the bag must have an instance, got none", missing=0)


def test_a_misspelt_line_of_a_header_is_refused(refused):
    """The attribute would be missing, and sparse rows would mean others."""
    text = changed(TWO, "@attribute f1", "@attribut f1")
    refused("t.arff", text, "line 5: a line of the header must begin with @attribute")


def test_a_label_of_arff_has_one_of_its_declared_values(refused):
    text = changed(TWO, ",1,0\n", ",-1,0\n")
    refused("t.arff", text, "'label1' must be one of 0, 1, got '-1'")


def test_an_unclosed_quote_is_found_at_once(refused):
    """A search from each character on would take hours."""
    text = changed(TWO, 'bag1,"5', "a" * 10**5 + "',\"5")
    refused("t.arff", text, "is a quote not closed")


def test_cells_of_matlab_are_counted_by_columns(tmp_path):
    cells = np.empty((2, 2), dtype=object)
    for i in range(4):
        cells[i % 2, i // 2] = np.array([[float(i)]])
    path = tmp_path / "t.mat"
    savemat(path, {"bags": cells, "targets": np.array([[0, 1, 0, 0]])})
    data = read_bags(path)
    assert data.X.instances.ravel().tolist() == [0, 1, 2, 3]
    assert data.Y.ravel().tolist() == [False, True, False, False]


def test_a_label_may_be_called_as_the_column_of_the_bags(read, tmp_path):
    data = read("t.csv", "bag,f1,label:bag,label:sea\na,1,1,0\nb,2,0,1\n")
    path = tmp_path / "new.csv"
    path.write_text("bag,f1\nc,1\n")
    assert read_new_bags(path, data.label_names).bag_names == ("c",)


def test_new_bags_of_arff_may_lack_the_labels_of_the_file_beside_them(tmp_path):
    (tmp_path / "t.xml").write_text('<labels><label name="y"/></labels>')
    (tmp_path / "t.arff").write_text("@relation x\n@attribute f numeric\n@data\n5\n")
    data = read_new_bags(tmp_path / "t.arff", ["y"])
    assert data.X.instances.tolist() == [[5.0]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "bag,f,label:x\nbeach,1,1\n,2,1\n",
            "line 3: 'bag' must name a bag.* cells are merged",
        ),
        ("bag;a,b;c,d,e;label:x\nq;1;2;1\n", "with ',' between them; .* such as sep=;"),
        ("bag,f,label：x\na,1,1\n", "begins with 'label:', got 'label：x'"),
        ("bag,f,label.x\na,1,1\n", "begins with 'label:', got 'label.x'"),
        ("bag,c,label:x\na,red,1\n", "got 'red'; give words as categories"),
        (
            "bag,c,label:x\na,-inf,1\n",
            "must be a finite number of at most 1e\\+150, got '-inf'$",
        ),
        ("bag,c,label:x\na,,1\n", "got a missing value; give missing= to replace it$"),
        ("bag,c,label:x\na,1\xa0234,1\n", "got '1.xa0234'$"),
        ("bag,c,label:x\na,1\xad234,1\n", "got '1.xad234'$"),
        (
            "Unnamed: 0.1,bag,c,label:x\n0,a,1,1\n",
            "the first column must have a name, got 'Unnamed: 0.1'",
        ),
        ("bag,c,index,label:x\na,1,0,1\n", "'index' counts the rows, as what is left"),
        ("index,image,c,label:x\n0,a,1,1\n1,a,2,1\n", "got 'index', which counts the rows"),
        ('bag,c,"label:6\\" pipe"\na,1,1\n', 'line 1: .*a quote within quotes is written ""'),
        (
            "bag,f1,label:a\n'-5,1,1\n-5,2,1\n",
            "\"'-5\" and '-5' are one name, since an apostrophe before it only guards it",
        ),
        ("1\nx,5,1\ny,6,0\n", "the heads must name the labels, got '1'"),
        (
            "1\nbag,label:q,f1,a\nx,1,5,1\n",
            "line 1: 1 labels at the end are counted, but 'q', before them, is marked",
        ),
    ],
)
def test_what_spreadsheets_and_keyboards_make_of_a_table_is_named(refused, content, message):
    refused("t.csv", content, message)
