"""Tables are read as frames: index, types, order and sets of labels keep their meaning."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mimlpaper.datasets import DataError, labelled_bags, read_bags, write_bags
from mimlpaper.datasets.frames import names_in
from mimlpaper.datasets.tables import number_of

TABLE = pd.DataFrame(
    {
        "bag": ["b1", "b1", "b2"],
        "f1": [5, 4.5, 10],
        "f2": [-20, -1, -8],
        "label:sea": [1, 1, 0],
    }
)
TYPES = ("int8", "uint8", "int64", "float32", "float64", "object", "Int64", "Float64")


def texts_of_names():
    """Printable names, among them those that look like something else."""
    printable = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=8)
    lookalikes = ["01", "1", "1_0", "bag", "instance", "label:x", "=1", "'a", "NA", "nan", "a,b"]
    return printable | st.sampled_from(lookalikes)


@st.composite
def labelled(draw):
    """Bags of one to three instances, with names of all kinds."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    n_features, n_labels = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    numbers = st.floats(-1e150, 1e150, allow_subnormal=True)
    bags = [draw_table(draw, numbers, size, n_features) for size in sizes]
    Y = draw_table(draw, st.booleans(), len(sizes), n_labels)
    names = [
        draw(st.lists(texts_of_names(), min_size=n, max_size=n, unique=True))
        for n in (n_labels, n_features, len(sizes))
    ]
    return labelled_bags(bags, Y, names[0], feature_names=names[1], bag_names=names[2])


def draw_table(draw, cells, n_rows, n_columns):
    row = st.lists(cells, min_size=n_columns, max_size=n_columns)
    return np.array(draw(st.lists(row, min_size=n_rows, max_size=n_rows)))


def frame_of(data):
    """The table of bags and labels as a user would make it, with the bags in its index."""
    rows = data.X.bag_of_instance
    index = pd.Index(np.array(data.bag_names, dtype=object)[rows], name="bag")
    features = pd.DataFrame(data.X.instances, index, data.feature_names)
    labels = pd.DataFrame(data.Y[rows], index, [f"label:{name}" for name in data.label_names])
    return pd.concat([features, labels], axis=1)


def assert_same(data, again):
    np.testing.assert_array_equal(again.X.instances, data.X.instances)
    np.testing.assert_array_equal(again.X.offsets, data.X.offsets)
    np.testing.assert_array_equal(again.Y, data.Y)
    assert again.label_names == data.label_names
    assert again.feature_names == data.feature_names
    assert again.bag_names == data.bag_names


@given(labelled())
@settings(max_examples=60, deadline=None)
def test_numbers_and_names_come_back_from_every_written_file(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("files")
    for ending in (".csv", ".arff"):
        write_bags(folder / f"t{ending}", data)
        assert_same(data, read_bags(folder / f"t{ending}"))


@given(labelled())
@settings(max_examples=60, deadline=None)
def test_numbers_and_names_come_back_from_every_form_of_a_frame(data):
    assume(not {"bag", "instance", "label:x"} & set(data.feature_names))  # heads with a meaning
    frame = frame_of(data)
    instances = frame.assign(instance=np.arange(len(frame)))
    assert_same(data, read_bags(frame))
    assert_same(data, read_bags(frame.reset_index()))
    assert_same(data, read_bags(instances.set_index("instance", append=True)))


@given(st.sampled_from(TYPES), st.sampled_from(TYPES), st.lists(st.integers(0, 99), min_size=3))
def test_cells_of_each_type_are_the_same_numbers(features, labels, numbers):
    numbers = [*numbers, 1][:3]
    frame = TABLE.assign(f1=pd.Series(numbers).astype(features))
    frame["label:sea"] = frame["label:sea"].astype(labels)
    data = read_bags(frame)
    assert data.X.instances[:, 0].tolist() == numbers
    assert data.Y.tolist() == [[True], [False]]


def test_the_index_names_the_bags():
    expected = read_bags(TABLE)
    with_instances = TABLE.assign(instance=[0, 1, 0])
    for frame in (
        TABLE.set_index("bag"),
        TABLE.rename(columns={"bag": "id"}).set_index("id"),
        with_instances,
        with_instances.set_index(["bag", "instance"]),
        with_instances.set_index(["instance", "bag"]),
        with_instances.set_index("instance"),
        TABLE[["f1", "f2", "bag", "label:sea"]],  # the column named bag, wherever it is
        TABLE.set_index(pd.Index([7, 3, 9])),
    ):
        assert_same(expected, read_bags(frame))
    by_level = TABLE.rename(columns={"bag": "id"}).set_index("id")
    assert_same(expected, read_bags(by_level, bag="id"))


def test_an_index_of_unknown_meaning_is_refused():
    for frame, message in (
        (TABLE.set_index(pd.Index(["p", "q", "r"])), "the index must say what it holds"),
        (TABLE.set_index(["bag", "f1"]), r"the index may hold .* got also \['f1'\]"),
        (TABLE.set_index(pd.Index([1, 2, 3], name="page")), r"got also \['page'\]"),
        (TABLE.set_index("bag", drop=False), "cannot insert bag"),
        (pd.concat({"a": TABLE}, axis=1), "names of one level, got 2 levels"),
        (TABLE.drop(columns="bag"), "'f1', must name the bags, got numbers with fractions"),
        (TABLE.assign(bag=["b1", None, "b2"]), "row 1: 'bag' must name a bag, got a missing"),
        (pd.concat([TABLE, TABLE[["f1"]]], axis=1), "feature names must differ"),
    ):
        with pytest.raises(DataError, match=message):
            read_bags(frame)


def test_booleans_categories_and_missing_values_of_pandas():
    frame = TABLE.assign(
        flag=[True, False, True],
        colour=pd.Categorical(["red", "blue", None], categories=["red", "blue"]),
        sky=pd.array([True, None, False], dtype="boolean"),
    )
    data = read_bags(frame, missing=-1)
    assert data.feature_names == ("f1", "f2", "flag", "sky", "colour=red", "colour=blue")
    assert data.X.instances[:, 2:].tolist() == [[1, 1, 1, 0], [0, -1, 0, 1], [1, 0, 0, 0]]
    with pytest.raises(DataError, match="row 1: 'sky' must be a finite number of at most"):
        read_bags(frame)


def test_cells_that_are_no_real_numbers_are_refused():
    for cells, message in (
        (pd.to_datetime(["2020-01-01"] * 3), "got Timestamp"),
        (pd.to_timedelta([1, 2, 3], unit="s"), "got Timedelta"),
        ([1j, 2, 3], r"got \(?1j"),
        ([1, "red", 3], "row 1: 'f1' must be a finite number .*, got 'red'"),
        ([1, np.inf, 3], "row 1: 'f1' must be a finite number .*, got inf"),
        ([1, 10**200, 3], r"row 1: 'f1' must be a finite number .*, got 1e\+200"),
        ([1, [2], 3], r"row 1: 'f1' .*, got \[2\]"),
        (["1", "1_000", "3"], "row 1: 'f1' .*, got '1_000'"),
        (["1", "٣", "3"], "row 1: 'f1' .*, got '٣'"),
    ):
        with pytest.raises(DataError, match=message):
            read_bags(TABLE.assign(f1=cells))
    for cells, message in (
        ([1, 2, 0], "row 1: 'sea' must be 0 or 1, got 2"),
        ([1, None, 0], "nan"),
    ):
        with pytest.raises(DataError, match=message):
            read_bags(TABLE.assign(**{"label:sea": cells}))


@given(st.text("0123456789+-.eE_ ٣x", max_size=8))
def test_numbers_in_texts_are_those_that_json_and_c_know(text):
    """All that is read is what float() reads, without underscores and other scripts' digits."""
    number = number_of(text)
    if number is not None and not np.isnan(number):
        assert number == float(text)
        assert text.isascii() and "_" not in text
    elif number is None:
        try:
            float(text)
        except ValueError:
            return
        assert "_" in text or not text.isascii()


@given(st.lists(st.sampled_from(["sea", "trees", "it's", 'a "b"', "x y", "7"]), unique=True))
def test_sets_of_names_are_read_in_every_spelling(names):
    for cell in (names, tuple(names), np.array(names, dtype=object), json.dumps(names), str(names)):
        assert names_in(cell, None) == names
    if names:
        assert sorted(names_in(set(names), None)) == sorted(names)
        assert sorted(names_in(str(set(names)), None)) == sorted(names)
        assert names_in(str(tuple(names)), None) == names
    plain = [name for name in names if '"' not in name]
    assert names_in("; ".join(plain), None) == plain
    assert names_in("|".join(plain), None) == plain
    assert names_in(" , ".join(plain), ",") == plain


@pytest.mark.parametrize(
    "text",
    [
        "sea, trees",
        "[sea, trees]",
        "['sea' 'trees']",  # Python would join the names
        "['sea', 'trees'",
        "['sea', 'trees')",
        "array(['sea'], dtype=object)",
        "frozenset({'sea'})",
        '{"sea": 1}',
        "[1.5]",
        "[null]",
        "[['sea']]",
        "('sea')",
        "?",
        1.0,
        True,
    ],
)
def test_what_is_no_set_of_names_never_becomes_a_name(text):
    frame = TABLE.drop(columns="label:sea").assign(tags=pd.Series([text] * 3, dtype=object))
    with pytest.raises(DataError, match="row 0: 'tags' must be a list of names, or"):
        read_bags(frame, labels="tags")


def test_a_column_of_zeros_and_ones_is_no_column_of_sets():
    frame = TABLE.rename(columns={"label:sea": "sea"})
    assert read_bags(frame, labels=["sea"]).label_names == ("sea",)
    with pytest.raises(DataError, match=r"row 0: 'sea' must be a list"):
        read_bags(frame, labels="sea")
    with pytest.raises(DataError, match=r"sets of names, got \['0', '1'\]; .*labels=\['sea'\]"):
        read_bags(frame.astype({"sea": str}), labels="sea")


def test_labels_that_are_not_there_are_named_with_the_nearest_and_all_columns():
    with pytest.raises(DataError, match=r"named 'Sea'; did you mean 'sea'\? there are f1, f2, sea"):
        read_bags(TABLE, labels=["Sea"])
    with pytest.raises(DataError, match=r"must be None or the labels .* \['sea'\], got \['f1'\]"):
        read_bags(TABLE, labels=["f1"])
    assert_same(read_bags(TABLE), read_bags(TABLE, labels=["sea"]))


def test_tables_of_other_libraries():
    polars = pytest.importorskip("polars")
    frame = TABLE.drop(columns="label:sea").assign(tags=[["sea", "sky"], ["sea", "sky"], []])
    expected = read_bags(frame, labels="tags")
    table = polars.DataFrame(frame.to_dict(orient="list"))
    assert_same(expected, read_bags(table, labels="tags"))


class WithoutArrow:
    """As polars' DataFrame is where pyarrow is missing."""

    columns = tuple(TABLE)

    def to_pandas(self):
        raise ImportError("pyarrow")

    def to_dict(self, as_series):
        assert not as_series
        return TABLE.to_dict(orient="list")


def test_a_table_of_polars_needs_no_pyarrow():
    assert_same(read_bags(TABLE), read_bags(WithoutArrow()))


def test_parquet_keeps_index_types_and_sets(tmp_path):
    pytest.importorskip("pyarrow")
    frame = TABLE.assign(tags=[["sea", "sky"], ["sea", "sky"], []]).drop(columns="label:sea")
    frame["colour"] = pd.Categorical(["red", "blue", "red"])
    expected = read_bags(frame, labels="tags")
    for name in ("bag", ["bag", "instance"]):
        indexed = frame.assign(instance=[0, 1, 0]).set_index(name)
        indexed.to_parquet(tmp_path / "t.parquet")
        assert_same(expected, read_bags(tmp_path / "t.parquet", labels="tags"))


X = pd.Series({"b2": np.full((1, 2), 2.0), "b1": np.full((1, 2), 1.0)})


@given(st.permutations([0, 1]), st.permutations([0, 1, 2]), st.permutations([0, 1, 2]))
def test_labels_are_matched_by_the_names_of_bags_and_labels(rows, columns, wanted):
    Y = pd.DataFrame([[1, 0, 0], [0, 1, 1]], ["b1", "b2"], ["sea", "sky", "sun"])
    names = [Y.columns[i] for i in wanted]
    data = labelled_bags(X, Y.iloc[rows, columns], names)
    assert data.bag_names == ("b2", "b1")
    assert data.Y.tolist() == Y.loc[["b2", "b1"], names].astype(bool).to_numpy().tolist()


def test_without_names_labels_are_matched_by_place():
    for Y in ([[1], [0]], pd.DataFrame({"sea": [1, 0]}), pd.DataFrame([[1], [0]], [8, 5])):
        assert labelled_bags(X, Y, ["sea"]).Y.tolist() == [[True], [False]]
    assert labelled_bags(X, pd.DataFrame({"sea": [1, 0]})).label_names == ("sea",)
    assert labelled_bags(X, [[1], [0]]).label_names == ("label1",)


def test_names_given_twice_are_matched():
    bags = X.map(lambda bag: pd.DataFrame(bag * [1, 10], columns=["x", "y"]))
    Y = pd.DataFrame({"sea": [1, 0]}, index=["b1", "b2"])
    data = labelled_bags(bags, Y, feature_names=["y", "x"], bag_names=["b1", "b2"])
    assert data.X.instances.tolist() == [[10, 1], [20, 2]]
    assert data.X.feature_names == ("y", "x")
    assert data.Y.tolist() == [[True], [False]]


def test_names_that_do_not_match_are_refused():
    Y = pd.DataFrame({"sea": [1, 0]}, index=["b1", "b2"])
    for arguments, message in (
        ((X, Y.rename(index={"b1": "c"})), "Y and the bags must have the same names"),
        ((X, Y, ["sun"]), "Y and label_names must have the same names"),
        ((list(X), [[1]]), "one row for each of 2 bags, got 1"),
        ((list(X), [[1], [2]]), "Y must hold booleans, or 0 and 1, got 2"),
    ):
        with pytest.raises(ValueError, match=message):
            labelled_bags(*arguments)
