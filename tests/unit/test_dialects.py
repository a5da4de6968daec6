"""Files as other libraries write them, each kind in a few lines."""

import numpy as np
import pytest

from mimlpaper.algorithms.insdif import InsDif
from mimlpaper.datasets import labelled_bags, read_bags
from tests.made_up_files import refused


def put(path, content):
    path.write_text(content)
    return path


def bags_of(found):
    return [bag.tolist() for bag in found.X]


def sets_of(found):
    return [[found.label_names[i] for i in np.flatnonzero(row)] for row in found.Y]


def test_csv_of_mimllearning(tmp_path):
    """The number of labels comes first; spaces follow commas."""
    path = put(
        tmp_path / "a.csv",
        "2\nbag_id, f1, f2, sea, trees\nb1, 1.5, -2, 1, 0\nb1, 3, 4, 1, 0\nb2, 5, 6, 0, 1 \n",
    )
    found = read_bags(path)
    assert bags_of(found) == [[[1.5, -2], [3, 4]], [[5, 6]]]
    assert found.feature_names == ("f1", "f2") and found.bag_names == ("b1", "b2")
    assert sets_of(found) == [["sea"], ["trees"]]


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

MULAN_XML = """<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
  <label name="sad"></label><label name="happy"></label>
</labels>
"""


def test_mulan_single_instances(tmp_path):
    """Labels are the attributes that the XML file names, wherever they stand; rows are bags."""
    path = put(tmp_path / "music.arff", MULAN)
    put(tmp_path / "music.xml", MULAN_XML)
    found = read_bags(path)
    assert found.X.instances.tolist() == [[120, 0.5], [80, 0.25], [95, 0.75]]
    assert found.X.sizes.tolist() == [1, 1, 1] and found.bag_names == ("bag1", "bag2", "bag3")
    assert found.feature_names == ("tempo", "beat strength")
    assert sets_of(found) == [["happy"], ["sad"], []]
    (tmp_path / "music.xml").unlink()
    for labels in (["sad", "happy"], put(tmp_path / "other.xml", MULAN_XML)):
        assert sets_of(read_bags(path, labels=labels)) == sets_of(found)


def test_mulan_files_feed_insdif(tmp_path):
    rng = np.random.default_rng(0)
    header = MULAN[: MULAN.index("1,120")]
    rows = [f"{i % 2},{i % 2 + rng.random()},{rng.random()},{1 - i % 2}\n" for i in range(12)]
    found = read_bags(put(tmp_path / "a.arff", header + "".join(rows)), labels=["happy", "sad"])
    fitted = InsDif(random_state=0).fit(found.X.instances, found.Y)
    assert (fitted.predict(found.X.instances) == found.Y).mean() > 0.8


def test_mulan_sparse_rows_of_binary_features(tmp_path):
    """Features declared {0,1} are numbers; values left out are 0."""
    path = put(
        tmp_path / "a.arff",
        "@relation images\n@attribute Cluster1 {0,1}\n@attribute Cluster2 {0,1}\n"
        "@attribute city {0,1}\n@attribute sky {0,1}\n@data\n{0 1,3 1}\n{1 1,2 1,3 1}\n{}\n",
    )
    found = read_bags(path, labels=["city", "sky"])
    assert found.X.instances.tolist() == [[1, 0], [0, 1], [0, 0]]
    assert sets_of(found) == [["sky"], ["city", "sky"], []]


GENES = """@relation genes
@attribute green numeric
@attribute failed {1,2,3}
@attribute homology {no,yes}
@attribute 01 {1,0}
@attribute 01/03 {1,0}
@data
1894,2,no,0,0
5208,?,yes,1,1
{0 7, 3 0, 4 0}
"""


def test_mulan_nominal_features_and_missing_values(tmp_path):
    """A column for each value; "?" is refused, or the number that ``missing`` names."""
    path = put(tmp_path / "genes.arff", GENES)
    put(
        tmp_path / "genes.xml",
        '<labels><label name="01"><label name="01/03"></label></label></labels>',
    )
    message = "line 9: feature 'failed=1' is missing; give missing= the number"
    refused(path, GENES, message)
    found = read_bags(path, missing=0)
    assert found.feature_names == (
        "green", "failed=1", "failed=2", "failed=3", "homology=no", "homology=yes",
    )  # fmt: skip
    assert found.X.instances.tolist() == [
        [1894, 0, 1, 0, 1, 0],
        [5208, 0, 0, 0, 0, 1],
        [7, 1, 0, 0, 1, 0],  # the first values are what a sparse row leaves out
    ]
    assert sets_of(found) == [[], ["01", "01/03"], []]
    refused(path, GENES.replace("1894,2", "1894,4"), "line 8: feature 'failed' must be one of 1, 2")


@pytest.mark.parametrize(("n", "labels"), [(2, ("a", "b")), (-1, ("y",))])
def test_meka_says_how_many_attributes_are_labels(tmp_path, n, labels):
    """The first ones, or for a negative number the last."""
    path = put(
        tmp_path / "a.arff",
        f"@relation 'Toy: -C {n} -split-number 1'\n@attribute a {{0,1}}\n@attribute b {{0,1}}\n"
        "@attribute x numeric\n@attribute y {0,1}\n@data\n1,0,2.5,1\n0,1,3.5,0\n",
    )
    assert read_bags(path).label_names == labels


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


def test_weka_bags_with_nominal_features_and_classes(tmp_path):
    found = read_bags(put(tmp_path / "a.arff", WEKA))
    assert found.feature_names == ("charge", "shape=round", "shape=long")
    assert bags_of(found) == [[[42, 1, 0], [-19, 0, 1]], [[7, 1, 0]]]
    assert sets_of(found) == [["class"], []] and found.bag_names == ("MUSK-1", "NON-MUSK-2")


@pytest.mark.parametrize(
    ("declared", "no", "yes"),
    [
        ("yes,no", "no", "yes"),
        ("-1,1", "-1", "1"),
        ("False,True", "False", "True"),
        ("1, 0", "0", "1"),
        ("negative,positive", "negative", "positive"),
    ],
)
def test_classes_of_many_kinds(tmp_path, declared, no, yes):
    text = WEKA.replace("{no,yes}", f"{{{declared}}}")
    text = text.replace(",yes\n", f",{yes}\n").replace(",no\n", f",{no}\n")
    assert read_bags(put(tmp_path / "a.arff", text)).Y.tolist() == [[True], [False]]


def test_bags_without_an_id(tmp_path):
    """Bags are numbered if no attribute is the id; a single missing name is a fault."""
    text = WEKA.replace("@attribute molecule {MUSK-1,NON-MUSK-2}\n", "")
    text = text.replace("MUSK-1,", "").replace("NON-MUSK-2,", "").replace("NON-", "")
    found = read_bags(put(tmp_path / "a.arff", text))
    assert found.bag_names == ("bag1", "bag2") and sets_of(found) == [["class"], []]
    refused(tmp_path / "b.arff", WEKA.replace("\nNON-MUSK-2,", "\n,"), "line 10: the bag's name is")
    refused(tmp_path / "b.csv", "bag,x,label:a\n,2,1\n", "line 2: the bag's name is missing")
    refused(tmp_path / "a.csv", "label:a,x\n1,2\n", "the first column must be the bag's name")


def test_a_label_may_be_the_first_attribute(tmp_path):
    """If the labels are named, there is no id then."""
    text = WEKA.replace("molecule {MUSK-1,NON-MUSK-2}", "musk {0,1}")
    text = text.replace("MUSK-1,", "1,").replace("NON-MUSK-2,", "0,").replace("NON-", "")
    found = read_bags(
        put(tmp_path / "a.arff", text.replace("\n2", "\n0")), labels=["musk", "class"]
    )
    assert sets_of(found) == [["musk", "class"], []] and found.bag_names == ("bag1", "bag2")


def test_weights_are_ignored_with_a_warning(tmp_path):
    """Of rows and of instances, dense and sparse; a weight of 1 is none."""
    text = WEKA.replace('long",yes', 'long, {0.5}",yes, {2}').replace("{0 7}", "{0 7},{3}")
    with pytest.warns(UserWarning, match="weights of rows are ignored"):
        found = read_bags(put(tmp_path / "a.arff", text))
    assert bags_of(found) == [[[42, 1, 0], [-19, 0, 1]], [[7, 1, 0]]]


def test_a_weight_of_one_is_none(tmp_path, recwarn):
    assert len(read_bags(put(tmp_path / "a.arff", WEKA.replace(",yes\n", ",yes,{1}\n"))).X) == 2
    assert not recwarn


def test_libsvm_files(tmp_path):
    """Labels before the first blank, perhaps none; features are counted from 1."""
    path = put(tmp_path / "a.svm", "2,10 1:0.5 4:-1 # a remark\n 3:2\n10 1:1\n")
    found = read_bags(path)
    assert found.X.instances.tolist() == [[0.5, 0, 0, -1], [0, 0, 2, 0], [1, 0, 0, 0]]
    assert sets_of(found) == [["2", "10"], [], ["10"]]
    assert found.feature_names == ("f1", "f2", "f3", "f4")
    put(tmp_path / "b.libsvm", "10 2:3\n")
    other = read_bags(tmp_path / "b.libsvm", labels=found.label_names, n_features=4)
    assert other.X.instances.tolist() == [[0, 3, 0, 0]] and sets_of(other) == [["10"]]
    assert other.label_names == found.label_names


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("1 0:1\n", {}, "Invalid index 0"),
        ("1 2:1 1:1\n", {}, "sorted and unique"),
        ("a 1:1\n", {}, "could not convert string to float"),
        ("1 1:nan\n", {}, "holds NaN or infinity"),
        (" 1:1\n", {}, "Y must have one row .* at least one column"),
        ("", {}, "a.svm: "),
        ("1 1:1\n", {"labels": ["2"]}, "label 1 is not among labels="),
        ("1 5:1\n", {"n_features": 4}, "n_features was set to 4, but input file contains 5"),
        ("1 99999999:1\n" * 9, {}, "more than max_bytes=4,294,967,296"),
        ("1 1:1e160\n", {}, "features must lie within 1e\\+150"),
    ],
)
def test_faults_of_libsvm_files(tmp_path, content, options, message):
    refused(tmp_path / "a.svm", content, message, **options)
    with pytest.raises(FileNotFoundError):
        read_bags(tmp_path / "missing.svm")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("bag relational\n", "bag string\n", "line 6: expected @attribute"),
        ("{no,yes}", "{no,maybe}", "line 8: label 'class' must be declared .*, got no, maybe"),
        ("{no,yes}", "date", "label 'class' must be declared .* or the like, got date"),
        ("charge numeric", "charge string", "feature 'charge' must be numeric or nominal, got 's"),
        (",yes\n", ",?\n", "line 9: label 'class' must be 0 or 1, got '\\?'"),
        ("42,", "1e160,", "line 9: features must be at most 1e\\+150 .* got 1e\\+160"),
    ],
)
def test_faults_of_dialects(tmp_path, old, new, message):
    assert old in WEKA
    refused(tmp_path / "a.arff", WEKA.replace(old, new, 1), message)


def test_single_instances_without_known_labels(tmp_path):
    refused(tmp_path / "a.arff", MULAN, "line 6: no attribute is known to be a label; .* labels=")
    refused(tmp_path / "a.arff", MULAN, r"only named \['tall'\]", labels=["tall", "sad"])


def test_numbers_whose_squares_overflow():
    with pytest.raises(ValueError, match=r"bag 1 holds -1e\+160; features must lie within 1e\+150"):
        labelled_bags([[[1.0]], [[-1e160]]], [[1], [0]], ["a"])


def test_missing_cells_of_tables(tmp_path):
    table = "bag,x,y,label:a\np,1,,1\np,?,2,1\n"
    refused(tmp_path / "a.csv", table, "line 2: feature 'y' is missing; give missing=")
    found = read_bags(put(tmp_path / "a.csv", table), missing=-1)
    assert bags_of(found) == [[[1, -1], [-1, 2]]]
