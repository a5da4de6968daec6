"""Bags come back from the files that are written; files of others are read as meant, or refused."""

import doctest
import io
import os
import pickle
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.io.arff import loadarff

from mimlpaper.algorithms.insdif import InsDif
from mimlpaper.bags import Bags
from mimlpaper.datasets import (
    DataError,
    LabelledBags,
    bag_files,
    labelled_bags,
    load_synthetic_africa,
    load_synthetic_scene,
    read_bags,
    write_bags,
)
from mimlpaper.datasets.bag_files import WRITERS

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

TABLE = "bag,x,label:b,y\nq,1,0,2\nq,3,0,4\np,-5e-3,1,6\n"

MULAN = """@relation music
@attribute happy {0,1}
@attribute tempo numeric
@attribute 'beat strength' REAL [0,1]
@attribute sad {0,1}
@data
1,120,.5,0
0, 80, 0.25, 1
0,95,.75,0
"""

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
@attribute green numeric
@attribute failed {1,2,3}
@attribute homology {no,yes}
@attribute 01 {1,0}
@data
1894,2,no,0
5208,?,yes,1
{0 7, 3 0}
"""

few = settings(
    max_examples=3, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip


@pytest.fixture(params=WRITERS)
def ending(request):
    return request.param


@pytest.fixture
def read(tmp_path):
    """Read a file with this content, perhaps with an XML file of the same name."""

    def read(name, content, xml=None, **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.with_suffix(".xml").unlink(missing_ok=True)
        if xml is not None:
            path.with_suffix(".xml").write_text(xml)
        return read_bags(path, **options)

    return read


@pytest.fixture
def refused(read, tmp_path):
    """The content fails with a DataError that names the file and says ``message``."""

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
    assert one[2:] == other[2:]


def test_examples():
    assert doctest.testmod(bag_files).failed == 0


NAME = st.text(min_size=1, max_size=6).filter(lambda s: s.isprintable() and s == s.strip())


@st.composite
def any_bags(draw):
    n_features, n_labels = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    values = [draw(st.floats(-1e150, 1e150)) for _ in range(sum(sizes) * n_features)]
    Y = [[draw(st.booleans()) for _ in range(n_labels)] for _ in sizes]

    def names(n):
        usual = NAME.filter(lambda name: not name.startswith("label:"))
        return draw(st.lists(usual, min_size=n, max_size=n, unique=True))

    return labelled_bags(
        Bags(np.reshape(values, (-1, n_features)), np.cumsum([0, *sizes])), Y, names(n_labels),
        feature_names=names(n_features), bag_names=names(len(sizes)),
    )  # fmt: skip


@few
@given(data=any_bags())
def test_all_comes_back(data, tmp_path, ending):
    write_bags(tmp_path / f"bags{ending}", data)
    same(data, read_bags(tmp_path / f"bags{ending}"))


def test_names_of_every_kind_come_back(tmp_path, ending):
    """Quotes, commas, umlauts, a feature named as a label, labels named as the columns of a bag."""
    data = labelled_bags(
        [[[1.0, -0.1]], [[2.0, 1e-300]]], [[1, 0, 0], [0, 1, 0]], ["id", "bag", 'B\\äu"me'],
        feature_names=["id", "it's {1} % a,b"], bag_names=["{0 1}", "?x"],
    )  # fmt: skip
    write_bags(tmp_path / f"t{ending}", data)
    same(data, read_bags(tmp_path / f"t{ending}"))


def test_data_sets_come_back(tmp_path, ending):
    scenes, africa = load_synthetic_scene(n_images=20), load_synthetic_africa()
    write_bags(tmp_path / f"s{ending}", scenes)
    found = read_bags(tmp_path / f"s{ending}")
    names = tuple(f"bag{i}" for i in range(1, 21))
    same(LabelledBags(scenes.X, scenes.Y, scenes.label_names, scenes.feature_names, names), found)
    write_bags(tmp_path / f"a{ending}", africa)
    assert np.array_equal(read_bags(tmp_path / f"a{ending}").Y[:, 0], africa.y)


def test_scipy_reads_what_is_written(tmp_path):
    scenes = load_synthetic_scene(n_images=12)
    write_bags(tmp_path / "scenes.arff", scenes)
    rows, meta = loadarff(tmp_path / "scenes.arff")
    assert meta.names() == ["id", "bag", *scenes.label_names]
    for row, bag, labels in zip(rows, scenes.X, scenes.Y, strict=True):
        assert np.array_equal(np.array(row["bag"].tolist()), bag)
        assert [row[name] == b"1" for name in scenes.label_names] == labels.tolist()


def test_writing_refuses_what_could_not_be_read(tmp_path, ending):
    bags, path = Bags.from_list([[[1.0]], [[2.0]]]), tmp_path / f"b{ending}"
    strange = LabelledBags(bags, np.ones((2, 1), bool), ("",), ("f",), ("a", "b"))
    path.write_text("as it was")
    with pytest.raises(ValueError, match="the name of a label"):
        write_bags(path, strange)
    assert path.read_text() == "as it was" and list(tmp_path.iterdir()) == [path]
    with pytest.raises(ValueError, match="must not begin with 'label:', got 'label:x'"):
        write_bags(
            path.with_suffix(".csv"), strange._replace(label_names="a", feature_names=["label:x"])
        )


def test_labelled_bags_checks_its_parts():
    for bags, Y, names, message in (
        ([[[1.0]], [[2.0]]], [[1], [0]], ["two\nlines"], "the name of a label must be printable"),
        ([[[1.0]], [[2.0]]], [[1], [0]], [" b"], r"name of a label must be .* got ' b'"),
        ([[[1.0]], [[2.0]]], [[1, 0], [0, 1]], ["a", "a"], "must differ, but 'a' stands twice"),
        ([[[1.0]], [[2.0]]], [[1], [0]], ["a", "b"], "1 label names are needed, got 2"),
        ([[[1.0]], [[2.0]]], [[1]], ["a"], "one row for each of 2 bags"),
        ([[[1.0]], [[2.0]]], [[1], [2]], ["a"], "Y must hold booleans, or 0 and 1"),
        ([[[1.0]], [[-1e160]]], [[1], [0]], ["a"], r"bag 1 holds -1e\+160; .* within 1e\+150"),
        ([[[1.0]], []], [[1], [0]], ["a"], "bag 1"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            labelled_bags(bags, Y, names)


def test_other_endings_missing_files_and_options(tmp_path, ending):
    with pytest.raises(
        ValueError, match=r"path must end in .arff, .csv, .npz, .svm, .* got '.*txt'"
    ):
        read_bags(tmp_path / "t.txt")
    with pytest.raises(FileNotFoundError):
        read_bags(tmp_path / f"missing{ending}")
    (tmp_path / f"t{ending}").touch()
    with pytest.raises(TypeError, match="n_features"):
        read_bags(tmp_path / f"t{ending}", n_features=3)


def test_a_mulan_file_of_bags(read, tmp_path):
    found = read("two.arff", TWO)
    assert bags_of(found) == [
        [[5, -20, -7], [4.5, -1, 2], [3, 12.5, 0.25]],
        [[10, -8, 0], [2, 6, 9.75]],
    ]
    assert found.Y.astype(int).tolist() == [[1, 0, 0, 1], [0, 1, 1, 0]]
    assert found.label_names == ("label1", "label2", "label3", "label4")
    assert found.feature_names == ("f1", "f2", "f3") and found.bag_names == ("bag1", "bag2")
    same(found, read("two.arff", TWO, xml=TWO_XML))
    (tmp_path / "names.xml").write_text(TWO_XML.replace("utf-8", "utf-16"), encoding="utf-16")
    same(found, read("two.arff", TWO, labels=tmp_path / "names.xml"))


def test_what_arff_allows(read):
    """Comments, single quotes, escapes, sparse instances and rows, labels before the bag."""
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


def test_mulan_single_instances(read):
    """Labels are the attributes that the XML file names, wherever they stand; rows are bags."""
    xml = '<labels><label name="sad"></label><label name="happy"></label></labels>'
    found = read("music.arff", MULAN, xml=xml)
    assert found.X.instances.tolist() == [[120, 0.5], [80, 0.25], [95, 0.75]]
    assert found.X.sizes.tolist() == [1, 1, 1] and found.bag_names == ("bag1", "bag2", "bag3")
    assert found.feature_names == ("tempo", "beat strength")
    assert sets_of(found) == [["happy"], ["sad"], []]
    same(found, read("music.arff", MULAN, labels=["sad", "happy"]))
    fitted = InsDif(random_state=0).fit(found.X.instances, found.Y)
    assert fitted.predict(found.X.instances).shape == (3, 2)


def test_nominal_features_sparse_rows_and_missing_values(read, refused):
    """A column for each value; a sparse row leaves out first values; "?" needs a number."""
    refused("g.arff", GENES, "line 8: feature 'failed' is missing; give missing=", labels=["01"])
    found = read("g.arff", GENES, labels=["01"], missing=0)
    assert found.feature_names == (
        "green", "failed=1", "failed=2", "failed=3", "homology=no", "homology=yes",
    )  # fmt: skip
    assert found.X.instances.tolist() == [
        [1894, 0, 1, 0, 1, 0], [5208, 0, 0, 0, 0, 1], [7, 1, 0, 0, 1, 0],
    ]  # fmt: skip
    assert sets_of(found) == [[], ["01"], []]
    text = changed(GENES, "1894,2", "1894,4")
    refused(
        "g.arff", text, "line 7: feature 'failed' must be one of 1, 2, 3, got '4'", labels=["01"]
    )


def test_meka_says_how_many_attributes_are_labels(read):
    """The first ones, or for a negative number the last."""
    for n, labels in ((2, ("a", "b")), (-1, ("y",))):
        found = read(
            "a.arff",
            f"@relation 'Toy: -C {n} -split-number 1'\n@attribute a {{0,1}}\n"
            "@attribute b {0,1}\n@attribute x numeric\n@attribute y {0,1}\n@data\n1,0,2.5,1\n",
        )
        assert found.label_names == labels and "x" in found.feature_names


def test_weka_bags_with_classes_of_many_kinds(read):
    found = read("a.arff", WEKA)
    assert found.feature_names == ("charge", "shape=round", "shape=long")
    assert bags_of(found) == [[[42, 1, 0], [-19, 0, 1]], [[7, 1, 0]]]
    assert sets_of(found) == [["class"], []] and found.bag_names == ("MUSK-1", "NON-MUSK-2")
    for no, yes in (("-1", "1"), ("False", "True"), ("0", "1"), ("negative", "positive")):
        text = WEKA.replace(",yes\n", f",{yes}\n").replace(",no\n", f",{no}\n")
        found = read("a.arff", text.replace("{no,yes}", f"{{{yes}, {no}}}"))
        assert found.Y.tolist() == [[True], [False]]


def test_bags_without_names(read, refused):
    """Bags are numbered if no attribute is the name, or if the first one is a label."""
    text = WEKA.replace("NON-MUSK-2,", "").replace("MUSK-1,", "")
    found = read("a.arff", changed(text, "@attribute molecule {NON-MUSK-2}\n", ""))
    assert found.bag_names == ("bag1", "bag2") and sets_of(found) == [["class"], []]
    text = WEKA.replace("{MUSK-1,NON-MUSK-2}", "{0,1}").replace("\nNON-MUSK-2", "\n0")
    found = read("a.arff", text.replace("\nMUSK-1", "\n1"), labels=["molecule", "class"])
    assert sets_of(found) == [["molecule", "class"], []] and found.bag_names == ("bag1", "bag2")


def test_weights_are_ignored_with_a_warning(read, recwarn):
    """Of rows and of instances, dense and sparse; a weight of 1 is none."""
    assert len(read("a.arff", WEKA.replace(",yes\n", ",yes,{1}\n")).X) == 2
    assert not recwarn
    text = WEKA.replace('long",yes', 'long, {0.5}",yes, {2}').replace("{0 7}", "{0 7},{3}")
    with pytest.warns(UserWarning, match="weights of rows are ignored"):
        assert bags_of(read("a.arff", text)) == [[[42, 1, 0], [-19, 0, 1]], [[7, 1, 0]]]


def test_tables(read):
    """Labels may stand in any column, be named by the caller, or be the last ones."""
    found = read("t.csv", TABLE)
    assert bags_of(found) == [[[1, 2], [3, 4]], [[-0.005, 6]]]
    assert found.Y.tolist() == [[False], [True]]
    assert (found.label_names, found.feature_names) == (("b",), ("x", "y"))
    assert found.bag_names == ("q", "p")
    same(found, read("t.csv", TABLE.replace("label:", ""), labels=["b"]))
    last = "1\nbag, x, y, b\nq, 1, 2, 0\nq, 3, 4, 0\np,-5e-3, 6, yes \n\n"
    same(found, read("t.csv", "\ufeff" + last.replace("\n", "\r\n")))
    missing = "bag,x,y,label:a\np,1,,1\np,?,2,1\n"
    assert bags_of(read("t.csv", missing, missing=-1)) == [[[1, -1], [-1, 2]]]


def test_libsvm_files(read, refused):
    """Labels before the first blank, perhaps none; features are counted from 1."""
    found = read("a.svm", "2,10 1:0.5 4:-1 # a remark\n 3:2\n10 1:1\n")
    assert found.X.instances.tolist() == [[0.5, 0, 0, -1], [0, 0, 2, 0], [1, 0, 0, 0]]
    assert sets_of(found) == [["2", "10"], [], ["10"]]
    assert found.feature_names == ("f1", "f2", "f3", "f4")
    other = read("b.libsvm", "10 2:3\n", labels=found.label_names, n_features=4)
    assert other.X.instances.tolist() == [[0, 3, 0, 0]] and sets_of(other) == [["10"]]
    for content, options, message in (
        ("1 0:1\n", {}, "Invalid index 0"),
        ("1 2:1 1:1\n", {}, "sorted and unique"),
        ("a 1:1\n", {}, "could not convert string to float"),
        ("1 1:nan\n", {}, "holds NaN or infinity"),
        (" 1:1\n", {}, "Y must have one row .* at least one column"),
        ("", {}, "a.svm: "),
        ("1 1:1\n", {"labels": ["2"]}, "label 1 is not among labels="),
        ("1 5:1\n", {"n_features": 4}, "n_features was set to 4, but input file contains 5"),
        ("1 99999999:1\n" * 9, {}, "more than max_bytes=4,294,967,296"),
    ):
        refused("a.svm", content, message, **options)


def test_faults_of_arff_have_their_line(refused):
    for old, new, message in (
        ('9.75",0,1,1,0', '9.75",0,1,1', "line 16: 6 values are needed, got 5"),
        ('9.75",0,1,1,0', '9.75",0,1,1,0,0', "line 16: 6 values are needed, got 7"),
        ('9.75",0,1,1,0', "9.7", "line 16: no value can be read from .* quote not closed"),
        ("\\n2,6,9.75", "\\n2,6", "line 16: 3 values are needed, got 2: '2,6'"),
        ("\\n2,6,9.75", "\\n\\n2,6,9.75", "line 16: 3 values are needed, got 1: ''"),
        ("12.5", "nan", "line 15: feature 'f2' must be a finite number .*, got 'nan'"),
        ("12.5", "?", "line 15: feature 'f2' is missing; give missing= the number"),
        ("12.5", "1_4", "line 15: feature 'f2' must be a finite number .*, got '1_4'"),
        ("12.5", "1e999", "line 15: feature 'f2' must be a finite number"),
        ("12.5", "-1e160", r"line 15: feature 'f2' .* at most 1e\+150.*, got '-1e160'"),
        (",1,0,0,1", ",1,0,0,2", "line 15: label 'label4' must be 0 or 1, got '2'"),
        (",1,0,0,1", ",1,0,0,?", "line 15: label 'label4' must be 0 or 1, got '\\?'"),
        (" bag2,", " bag1,", "line 16: bag 'bag1' was already there"),
        ("label2 {0,1}", "label1 {0,1}", "label names must differ, but 'label1' stands twice"),
        ("f2 numeric", "f2 {a,b}", "line 15: feature 'f2' must be one of a, b, got '-20'"),
        ("f2 numeric", "f2", "line 6: an attribute must have a name and a type"),
        (" @end bag\n", "", "line 13: expected @attribute, or @end .* got '@data'"),
        ("@data", "", "line 15: expected @attribute"),
        ("bag relational", "bag string", "line 8: expected @attribute"),
        ("label1 {0,1}", "label1 relational\n@end", "only one relational attribute"),
        (" @attribute id {bag1,bag2}\n", "", "line 14: 5 values are needed, got 6"),
        ('"5,-20,-7\\n4.5,-1,2\\n3,12.5,.25"', '"{3 1}"', "line 15: a sparse row"),
        ('"5,-20,-7\\n4.5,-1,2\\n3,12.5,.25"', '"{1 1, 1 2}"', "line 15: a sparse row"),
        (' bag1,"5', " {0 bag1}\n%", "line 15: 3 values are needed, got 1"),
        (" bag1,", " ,", "the name of a bag must be printable text"),
    ):
        refused("two.arff", changed(TWO, old, new), message)
    refused("a.arff", "", "the file ends before @data")
    refused("a.arff", TWO[: TWO.index("@data")], "the file ends before @data")
    refused("a.arff", TWO[: TWO.index(" bag1,")], "at least one bag, .* got 0 instances")
    refused("a.arff", MULAN, "no column is known to be a label; .* labels=")
    refused("a.arff", MULAN, r"only named \['tall'\]", labels=["tall", "sad"])


def test_faults_of_label_files(refused):
    label3 = '<label name="label3"/>'
    for xml, message in (
        (changed(TWO_XML, "label3", "label5"), r"named \['label5'\], only in .* \['label3'\]"),
        (changed(TWO_XML, label3, ""), r"only named \[\], only in this file \['label3'\]"),
        (changed(TWO_XML, "label3", "label1"), "two.xml: .*'label1' stands twice"),
        (changed(TWO_XML, label3, "<label/>"), "two.xml: the name of a label must be"),
        (changed(TWO_XML, label3, "<tag name='label3'/>"), "two.xml: only <labels> with <label"),
        (changed(TWO_XML, "</labels>", ""), "two.xml: no element found: line 7, column 0"),
        ('<?xml version="1.0" encoding="hex"?><labels/>', "two.xml: .* not a text encoding"),
        ('<labels><label name="&a;"/></labels>', "two.xml: undefined entity"),
        ("", "two.xml: no element found"),
    ):
        refused("two.arff", TWO, message, xml=xml)


def test_entities_neither_expand_nor_read_files(refused):
    """Nine levels of ten entities would be a thousand million copies."""
    levels = "".join(f'<!ENTITY e{i} "{f"&e{i - 1};" * 10}">' for i in range(1, 10))
    for declared in (f'[<!ENTITY e0 "ha">{levels}]', '[<!ENTITY e9 SYSTEM "file:///etc/passwd">]'):
        xml = f'<!DOCTYPE labels {declared}><labels><label name="&e9;"/></labels>'
        refused("two.arff", TWO, "two.xml: ", xml=xml)


def test_faults_of_tables_have_their_line(refused):
    for old, new, message in (
        ("q,3,0,4", "q,3,0", "line 3: 4 values are needed, got 3"),
        ("q,3,0,4", "q,3,1,4", "line 3: bag 'q' must have equal labels in all its rows"),
        ("q,1,0,2", "q,1,maybe,2", "line 2: label 'b' must be 0 or 1, got 'maybe'"),
        ("q,3,0,4", "q,3,0,", "line 3: feature 'y' is missing; give missing= the number"),
        ("q,3,0,4", "q,-inf,0,4", "line 3: feature 'x' must be a finite number .*, got '-inf'"),
        ("p,-5e-3,1,6", "p,5,1,6\nq,5,0,6", "the instances of bag q must follow each other"),
        ("p,-5e-3,1,6", '"p,-5e-3,1,6', "line 4: unexpected end of data"),
        ("p,-5e-3", ",-5e-3", "the name of a bag must be printable text .* got ''"),
        ("label:b", "b", "no column is known to be a label"),
        (",y", ",x", "feature names must differ, but 'x' stands twice"),
        ("bag,", "label:a,", "the first column must be the bag's name, got 'label:a'"),
    ):
        refused("t.csv", changed(TABLE, old, new), message)
    twice = "bag,x,label:a,label:b\nq,1,1,0\nq,1,1,1\n"
    refused("t.csv", twice, "line 3: bag 'q' must have equal labels")
    refused("t.csv", "", "no column is known to be a label")
    refused("t.csv", "bag,x,label:b\n", "got 0 instances, 1 features and 1 labels")
    refused("t.csv", "bag,label:b\nq,1\n", "got 1 instances, 0 features and 1 labels")
    refused("t.csv", TABLE, r"only named \['c'\], only in this file \['b'\]", labels=["c"])


def test_encodings_that_are_not_utf8_are_refused(refused):
    refused("t.csv", TABLE.replace("q,3", "é,3").encode("latin-1"), "line 3: is not UTF-8 text")
    refused("t.csv", TABLE.encode("utf-16"), "line 1: is not UTF-8 text")
    refused("t.arff", TWO.replace("f2", "é").encode("latin-1"), "line 6: is not UTF-8 text")


def archive(**changes):
    content = {
        "instances": np.ones((3, 2)), "offsets": np.array([0, 1, 3]),
        "Y": np.eye(2, dtype=bool), "label_names": np.array(["a", "b"]),
    }  # fmt: skip
    content = {name: value for name, value in (content | changes).items() if value is not None}
    file = io.BytesIO()
    np.savez(file, **content)
    return file.getvalue()


def test_faults_of_archives(refused):
    for changes, message in (
        ({"Y": None}, "Y is not a file in the archive"),
        ({"label_names": None}, "2 label names are needed, got 0"),
        ({"instances": np.array([[1, 2], [3, np.nan], [5, 6]])}, "bag 1 holds NaN or infinity"),
        ({"instances": np.array([["a", "b"]] * 3)}, "could not convert string to float"),
        ({"instances": np.ones(3)}, "instances must be a 2-D array"),
        ({"offsets": np.array([0, 1, 1, 3]), "Y": np.ones((3, 2), int)}, "bag 1 is empty"),
        ({"offsets": np.array([0, 1, 4])}, "offsets must end at the number of instances, 3"),
        ({"offsets": np.array([0.0, 1, 3])}, "offsets must be integers, got float64"),
        ({"Y": np.full((2, 2), 2)}, "Y must hold booleans, or 0 and 1"),
        ({"label_names": np.array("ab")}, "2 label names are needed, got 1"),
        ({"label_names": np.array([b"a", b"b"])}, "the name of a label must be printable text"),
        ({"bag_names": np.array(["a", "b", "c"])}, "2 bag names are needed, got 3"),
    ):
        refused("a.npz", archive(**changes), message)


class Trap:
    """Runs code when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("sprung",)


def test_no_object_is_unpickled(tmp_path, monkeypatch, read, refused):
    """As any array of an archive, or in the archive's place."""
    monkeypatch.chdir(tmp_path)
    trap = np.array([Trap()], dtype=object)
    for name in ("instances", "Y", "label_names"):
        refused("a.npz", archive(**{name: trap}), "Object arrays cannot be loaded")
    assert len(read("a.npz", archive(extra=trap)).X) == 2  # is not asked for, and not read
    refused("a.npz", pickle.dumps(Trap()), "not a zip file")
    assert not (tmp_path / "sprung").exists()


def test_one_limit_of_size(tmp_path, refused):
    """Of files, of archives unpacked, and of sparse rows written out."""
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("instances.npy", bytes(2**22))
    header = TWO[: TWO.index(" bag1,")]
    wide = "".join(f" @attribute g{i} numeric\n" for i in range(2000)) + " @end bag\n"
    nominal = f"f3 {{{','.join(map(str, range(2000)))}}}"
    rows = "".join(f'b{i},"{{1 2}}",0,1,1,0\n' for i in range(100))
    for name, content in (
        ("a.npz", bomb.getvalue()),
        ("a.csv", "bag,x,label:b\n" + "q,1,0\n" * 170_000),
        ("a.arff", changed(header, " @end bag\n", wide) + rows),
        ("a.arff", changed(header, "f3 numeric", nominal) + rows),
    ):
        refused(name, content, "more than max_bytes=1,000,000", max_bytes=10**6)
    path = tmp_path / "lie.npz"
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }\n"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("instances.npy", b"\x93NUMPY\x01\x00" + bytes([len(header), 0]) + header)
    with pytest.raises(DataError, match=r"lie\.npz: "):
        read_bags(path)


@pytest.mark.parametrize("damage", ["cut", "overwritten"])
@few
@given(data=st.data())
def test_damage_is_refused_or_harmless(damage, data, tmp_path, ending):
    """If a file is cut between two rows, the rows before are read: no CSV file says its length."""
    path, whole = tmp_path / f"bags{ending}", load_synthetic_scene(n_images=3)
    write_bags(path, whole)
    content = path.read_bytes()
    start = data.draw(st.integers(0, len(content) - 1))
    rest = b"" if damage == "cut" else data.draw(st.binary(max_size=4)) + content[start + 4 :]
    path.write_bytes(content[:start] + rest)
    try:
        found = read_bags(path)
    except DataError:
        return
    assert np.isfinite(found.X.instances).all()
    assert found.Y.shape == (len(found.X), len(found.label_names))
    if damage == "cut":
        n = found.X.n_instances
        assert np.array_equal(found.X.instances, whole.X.instances[:n])
        assert np.array_equal(found.Y, whole.Y[: len(found.Y)])
