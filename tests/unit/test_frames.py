"""Tables are read as frames: index, types, order and sets of labels keep their meaning."""

import json
import re
import unicodedata
from functools import partial

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
DAYS = pd.to_datetime(["2020-01-01", "2020-01-01", "2020-01-02"])
TYPES = (
    "int8",
    "uint8",
    "int64",
    "float32",
    "float64",
    "object",
    "Int64",
    "Float64",
)


def texts_of_names():
    """Printable names, among them those that look like something else."""
    printable = st.characters(exclude_categories=("C", "Z"))
    texts = st.text(printable, min_size=1, max_size=8)
    lookalikes = [
        "01",
        "1",
        "1_0",
        "bag",
        "instance",
        "Instance_ID",
        "label:x",
        "=1",
        "'a",
        "NA",
        "nan",
        "a,b",
    ]
    return texts | st.sampled_from(lookalikes)


def draw_table(draw, cells, n_rows, n_columns):
    row = st.lists(cells, min_size=n_columns, max_size=n_columns)
    rows = st.lists(row, min_size=n_rows, max_size=n_rows)
    return np.array(draw(rows))


def draw_names(draw, n):
    # Names that look the same are refused.
    look = partial(unicodedata.normalize, "NFC")
    return draw(st.lists(texts_of_names(), min_size=n, max_size=n, unique_by=look))


@st.composite
def labelled(draw):
    """Bags of one to three instances, with names of all kinds."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    n_features = draw(st.integers(1, 3))
    n_labels = draw(st.integers(1, 3))
    numbers = st.floats(-1e150, 1e150, allow_subnormal=True)
    bags = [draw_table(draw, numbers, size, n_features) for size in sizes]
    Y = draw_table(draw, st.booleans(), len(sizes), n_labels)
    return labelled_bags(
        bags,
        Y,
        draw_names(draw, n_labels),
        feature_names=draw_names(draw, n_features),
        bag_names=draw_names(draw, len(sizes)),
    )


def frame_of(data):
    """The table of bags and labels as a user would make it, with the bags in its index."""
    bag_of_row = data.X.bag_of_instance
    bag_names = np.array(data.bag_names, dtype=object)
    # A bag's name stands beside each of its instances.
    index = pd.Index(bag_names[bag_of_row], name="bag")
    features = pd.DataFrame(data.X.instances, index, data.feature_names)
    heads = [f"label:{name}" for name in data.label_names]
    labels = pd.DataFrame(data.Y[bag_of_row], index, heads)
    return pd.concat([features, labels], axis=1)


def assert_same(data, expected):
    np.testing.assert_array_equal(data.X.instances, expected.X.instances)
    np.testing.assert_array_equal(data.X.offsets, expected.X.offsets)
    np.testing.assert_array_equal(data.Y, expected.Y)
    assert data.label_names == expected.label_names
    assert data.feature_names == expected.feature_names
    assert data.bag_names == expected.bag_names


@given(data=labelled())
@settings(max_examples=60, deadline=None)
def test_numbers_and_names_come_back_from_every_written_file(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("files")
    for path in folder / "t.csv", folder / "t.arff":
        write_bags(path, data)
        assert_same(read_bags(path), data)


@given(data=labelled())
@settings(max_examples=60, deadline=None)
def test_numbers_and_names_come_back_from_every_form_of_a_frame(data):
    heads_with_a_meaning = {"bag", "instance", "Instance_ID", "label:x"}
    assume(not heads_with_a_meaning & set(data.feature_names))
    frame = frame_of(data)
    assert_same(read_bags(frame), data)
    assert_same(read_bags(frame.reset_index()), data)
    numbered = frame.assign(instance=np.arange(len(frame)))
    of_two_levels = numbered.set_index("instance", append=True)
    assert_same(read_bags(of_two_levels), data)


@given(
    feature_type=st.sampled_from(TYPES),
    label_type=st.sampled_from(TYPES),
    numbers=st.lists(st.integers(0, 99), min_size=3, max_size=3),
)
def test_cells_of_each_type_are_the_same_numbers(feature_type, label_type, numbers):
    column = pd.Series(numbers).astype(feature_type)
    frame = TABLE.assign(f1=column).astype({"label:sea": label_type})
    data = read_bags(frame)
    assert data.X.instances[:, 0].tolist() == numbers
    assert data.Y.tolist() == [[True], [False]]


NUMBERED = TABLE.assign(instance=[0, 1, 0])
OF_ID = TABLE.rename(columns={"bag": "id"}).set_index("id")


NAMED_BY = {
    "an index": TABLE.set_index("bag"),
    "an index of another name": OF_ID,
    "a column beside numbers of instances": NUMBERED,
    "the first level": NUMBERED.set_index(["bag", "instance"]),
    "the second level": NUMBERED.set_index(["instance", "bag"]),
    "a column, with instances in the index": NUMBERED.set_index("instance"),
    "a first column, with instances in the index": (
        NUMBERED.set_index("instance").rename(columns={"bag": "image"})
    ),
    "a column that is not the first": TABLE[["f1", "f2", "bag", "label:sea"]],
    "a column, with numbers in the index": TABLE.set_index(pd.Index([7, 3, 9])),
}


@pytest.mark.parametrize("frame", NAMED_BY.values(), ids=NAMED_BY)
def test_the_index_or_a_column_names_the_bags(frame):
    assert_same(read_bags(frame), read_bags(TABLE))


@pytest.mark.parametrize("options", [{}, {"bag": "bag"}], ids=str)
def test_the_index_that_pandas_writes_by_default_names_no_bags(options, tmp_path):
    path = tmp_path / "t.csv"
    TABLE.to_csv(path)
    with pytest.raises(
        DataError, match=r"a name, got ''.*by to_csv\(index=False\), or.*bag=''"
    ):
        read_bags(path, **options)
    TABLE.to_csv(path, index=False)
    assert_same(read_bags(path, **options), read_bags(TABLE))


def test_a_column_without_a_name_names_the_bags_if_it_is_chosen(tmp_path):
    path = tmp_path / "t.csv"
    TABLE.set_index("bag").to_csv(path, index_label="")
    assert_same(read_bags(path, bag=""), read_bags(TABLE))


def test_a_level_of_the_index_names_the_bags():
    assert_same(read_bags(OF_ID, bag="id"), read_bags(TABLE))


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (
            TABLE.set_index(pd.Index(["p", "q", "r"])),
            "the index has no name",
        ),
        (
            TABLE.set_index(["bag", "f1"]),
            r"the index may hold .* got also \['f1'\]; for features, table\.reset_index",
        ),
        (
            TABLE.set_index(pd.Index([1, 2, 3], name="page")),
            r"got also \['page'\].* mean nothing, table\.reset_index\(\['page'\], drop=True\)",
        ),
        (
            TABLE.set_index("bag", drop=False),
            r"the index and a column are both named 'bag'; .*drop\(columns='bag'\)",
        ),
        (
            pd.concat({"a": TABLE}, axis=1),
            "names of one level, got 2 levels",
        ),
        (
            TABLE.drop(columns="bag"),
            "'f1', must name the bags, got floats; .*by bag=",
        ),
        (
            TABLE.drop(columns="bag").assign(f1=[5.0, 4.0, 1.0]),
            "'f1', must name the bags, got floats",
        ),
        (
            TABLE.drop(columns="bag").assign(f1=["5.5", "4", "1"]),
            "'f1', must name the bags, got floats",
        ),
        (
            TABLE.drop(columns="bag").assign(f1=[True, True, False]),
            "'f1', must name the bags, got booleans",
        ),
        (
            TABLE.drop(columns="bag").assign(f1=["true", "true", "false"]),
            "'f1', must name the bags, got booleans",
        ),
        (
            TABLE.drop(columns="bag").assign(f1=DAYS),
            "'f1', must name the bags, got dates",
        ),
        (
            TABLE.drop(columns="bag").assign(f1=list(DAYS.date)),
            "'f1', must name the bags, got dates",
        ),
        (
            TABLE.drop(columns="bag").assign(f1=DAYS - DAYS[0]),
            "'f1', must name the bags, got durations",
        ),
        (
            TABLE.drop(columns="bag").assign(f1=pd.Categorical([0.5, 0.5, 1.5])),
            "'f1', must name the bags, got floats",
        ),
        (
            TABLE.rename(columns={"bag": "Unnamed: 0"}),
            r"the first column must have a name, got 'Unnamed: 0'.*to_csv\(index=False\)",
        ),
        (
            TABLE.drop(columns="bag").set_index(pd.Index([7, 7, 8])),
            r"the index repeats 7; if it names the bags, table.rename_axis\('bag'\)",
        ),
        (
            # Either may name the bags: the other would be lost, or be a feature.
            TABLE.drop(columns="bag").assign(f1=[5, 5, 4]).set_index(pd.Index([7, 8, 9])),
            r"the index and the first column, 'f1', both hold numbers; .*table.rename_axis",
        ),
        (
            TABLE.assign(bag=TABLE["bag"].astype("category"))
            .rename(columns={"bag": "image"})
            .set_index(pd.Index([3, 5, 9], name="row")),
            "the index 'row' and the first column, 'image', may both name the bags",
        ),
        (
            TABLE.reset_index(),
            "the column 'index' counts the rows, as what is left of an index",
        ),
        (TABLE.assign(__index_level_0__=[2, 0, 1]), "'__index_level_0__' counts the rows"),
        (
            TABLE.rename(columns={"bag": "image"}).reset_index(),
            "the first column must name the bags, got 'index', which counts the rows",
        ),
        (
            NUMBERED.set_index("instance", drop=False),
            "the index and a column are both named 'instance'",
        ),
        (
            TABLE.assign(bag=["b1", None, "b2"]),
            "row 1: 'bag' must name a bag, got a missing",
        ),
        (
            pd.concat([TABLE, TABLE[["f1"]]], axis=1),
            "feature names must differ",
        ),
    ],
)
def test_a_frame_of_unknown_meaning_is_refused(frame, message):
    with pytest.raises(DataError, match=message):
        read_bags(frame)


@pytest.mark.parametrize("names", [None, ["bag"], ["page"]], ids=str)
def test_levels_without_names_get_them_as_the_error_says(names):
    """As after pd.concat of a dict of tables, or groupby().apply()."""
    tables = {bag: rows.drop(columns="bag") for bag, rows in TABLE.groupby("bag")}
    joined = pd.concat(tables, names=names)
    first = "bag" if names is None else names[0]
    with pytest.raises(DataError, match=rf"table.rename_axis\(\['{first}', 'instance'\]\)"):
        read_bags(joined)
    assert_same(read_bags(joined.rename_axis([first, "instance"])), read_bags(TABLE))


@pytest.mark.parametrize(
    ("names", "advice"),
    [
        ([None, "bag"], "['instance', 'bag']"),
        (["instance", None], "['instance', 'bag']"),
        (["page", None], "['page', 'instance']"),
    ],
)
def test_an_advised_name_is_no_other_levels(names, advice):
    levels = TABLE.set_index(["f1", "bag"]).rename_axis(names)
    with pytest.raises(DataError, match=re.escape(f"table.rename_axis({advice})")):
        read_bags(levels)


@pytest.mark.parametrize("second", ["", 0], ids=repr)
def test_columns_of_two_levels_are_joined_as_the_error_says(second):
    table = TABLE.copy()
    table.columns = pd.MultiIndex.from_tuples([(name, second) for name in TABLE.columns])
    with pytest.raises(
        DataError, match=r"table.columns = \[' '.join\(map\(str, names\)\).strip"
    ):
        read_bags(table)
    table.columns = [" ".join(map(str, names)).strip() for names in table.columns]
    assert read_bags(table).bag_names == read_bags(TABLE).bag_names


def test_a_first_column_called_bag_id_names_the_bags_beside_any_index():
    """As after rows were left out."""
    rows = TABLE.rename(columns={"bag": "bag_id"}).assign(bag_id=[3, 3, 4])
    assert read_bags(rows.set_index(pd.Index([7, 8, 9]))).bag_names == ("3", "4")


def test_booleans_categories_and_missing_values_of_pandas():
    frame = TABLE.assign(
        flag=[True, False, True],
        colour=pd.Categorical(["red", "blue", None], categories=["red", "blue"]),
        sky=pd.array([True, None, False], dtype="boolean"),
    )
    data = read_bags(frame, missing=-1)
    flag_sky_red_blue = data.X.instances[:, 2:]
    assert data.feature_names == (
        "f1",
        "f2",
        "flag",
        "sky",
        "colour=red",
        "colour=blue",
    )
    assert flag_sky_red_blue.tolist() == [
        [1, 1, 1, 0],
        [0, -1, 0, 1],
        [1, 0, 0, 0],
    ]
    message = "row 1: 'sky' must be a finite number of at most"
    with pytest.raises(DataError, match=message):
        read_bags(frame)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (pd.to_datetime(["2020-01-01"] * 3), "got Timestamp"),
        (pd.to_timedelta([1, 2, 3], unit="s"), "got Timedelta"),
        ([1j, 2, 3], r"got \(?1j"),
        ([1, "red", 3], "row 1: 'f1' must be a finite number .*, got 'red'"),
        ([1, np.inf, 3], "row 1: 'f1' must be a finite number .*, got inf"),
        (
            [1, 10**200, 3],
            r"row 1: 'f1' must be a finite number .*, got 10+; float64 would round this",
        ),
        ([1, [2], 3], r"row 1: 'f1' .*, got \[2\]"),
        (["1", "1_000", "3"], "row 1: 'f1' .*, got '1_000'"),
        (["1", "٣", "3"], "row 1: 'f1' .*, got '٣'"),
    ],
)
def test_cells_that_are_no_real_numbers_are_refused(cells, message):
    with pytest.raises(DataError, match=message):
        read_bags(TABLE.assign(f1=cells))


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([1, 2, 0], "row 1: 'sea' must be 0 or 1, got 2"),
        ([1, None, 0], "nan"),
    ],
)
def test_labels_that_are_neither_0_nor_1_are_refused(cells, message):
    frame = TABLE.assign(**{"label:sea": cells})
    with pytest.raises(DataError, match=message):
        read_bags(frame)


def is_a_float(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


@given(text=st.text("0123456789+-.eE_ ٣x", max_size=8))
def test_numbers_in_texts_are_those_of_float_in_plain_ascii(text):
    """What is read is what float() reads, but for underscores and digits of other scripts."""
    number = number_of(text)
    is_plain = text.isascii() and "_" not in text
    if number is None:
        assert not (is_a_float(text) and is_plain)
    elif not np.isnan(number):
        assert number == float(text)
        assert is_plain


NAMES = ["sea", "trees", "it's", 'a "b"', "x y", "7"]


@given(names=st.lists(st.sampled_from(NAMES), unique=True))
def test_lists_of_names_are_read_in_every_spelling(names):
    assert names_in(names, None) == names
    assert names_in(tuple(names), None) == names
    assert names_in(np.array(names, dtype=object), None) == names
    assert names_in(json.dumps(names), None) == names
    assert names_in(str(names), None) == names


@given(names=st.lists(st.sampled_from(NAMES), unique=True, min_size=1))
def test_sets_of_names_are_read_in_every_spelling(names):
    assert names_in(str(tuple(names)), None) == names
    of_set = names_in(set(names), None)
    assert sorted(of_set) == sorted(names)
    of_text = names_in(str(set(names)), None)
    assert sorted(of_text) == sorted(names)


@given(names=st.lists(st.sampled_from(NAMES), unique=True))
def test_joined_names_are_read_in_every_spelling(names):
    # Names with quotes need one of the spellings above.
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
        "'sea'",
        "sea;'trees'",
        "'sea'|trees",
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
    tags = pd.Series([text] * 3, dtype=object)
    frame = TABLE.drop(columns="label:sea").assign(tags=tags)
    message = "row 0: 'tags' must be a list of names, or"
    with pytest.raises(DataError, match=message):
        read_bags(frame, labels="tags")


@pytest.mark.parametrize(
    ("cell", "hint"),
    [
        ([1.0, 2.0], r"; a name is a text .*, got 1.0; give list\(map\(str, cell\)\)"),
        # Their texts would be names such as None.
        (["sea", None], "; a name is a text or a whole number, got None"),
        ([b"sea"], "; a name is a text or a whole number, got b'sea'"),
        ([["sea", "sky"]], r"; a name is a text or a whole number, got \['sea', 'sky'\]"),
        (
            {"sea": 1, "sky": 0},
            r"; give the names in it, .* for name in cell if cell\[name\]\]",
        ),
        ("sea, sky", "; if ',' stands between names, give separator=','"),
        ("sea•sky", "; if '•' stands between names, give separator='•'"),
        ("sea｜sky", "; if '｜' stands between names, give separator='｜'"),
        ("sea، sky", "; if '،' stands between names, give separator='،'"),
        ("#sea #sky", "; if '#' stands between names, give separator='#'"),
        ("<sea><sky>", r"; give a list of the names, as re.findall\('<\(.*>', cell\)"),
        ("b'sea'", ""),
        ("np.str_('sea')", ""),
        (1, r"; of a column of 0 and 1, or of no and yes, give a list: labels=\['tags'\]"),
        (True, r"; of a column of 0 and 1, or of no and yes, give a list: labels=\['tags'\]"),
        ("[1.0, 2.0]", ""),
        ('"sea", "sky"', ""),
        (b"sea, sky", ""),
    ],
    ids=str,
)
def test_the_hint_of_a_bad_set_helps(cell, hint):
    frame = pd.DataFrame({"bag": ["p"], "f1": [1.0], "tags": [cell]})
    with pytest.raises(
        DataError, match=f"row 0: 'tags' must be a list .*[^=,]{hint}$"
    ) as caught:
        read_bags(frame, labels="tags")
    assert ("separator" in str(caught.value)) == ("separator" in hint)


@pytest.mark.parametrize("separator", [",", "，", "、", "；", "｜", "•"])
def test_a_separator_that_is_given_separates(separator):
    frame = TABLE.drop(columns="label:sea").assign(tags=["sea", "sea", f"sea{separator} sky"])
    assert read_bags(frame, labels="tags", separator=separator).label_names == ("sea", "sky")
    one_name = read_bags(frame, labels="tags", separator=";")
    assert one_name.label_names == ("sea", f"sea{separator} sky")


@pytest.mark.parametrize("as_cell", [pd.Series, pd.Index, pd.array, np.array])
def test_a_set_may_be_a_series_or_an_array(as_cell):
    cells = pd.Series([as_cell(["sea", "sky"])], dtype=object)
    frame = pd.DataFrame({"bag": ["p"], "f1": [1.0], "tags": cells})
    assert read_bags(frame, labels="tags").label_names == ("sea", "sky")


@pytest.mark.parametrize("empty", ["set()", "frozenset()", "[]", "()", "", set()], ids=repr)
def test_a_set_without_names_gives_no_label(empty):
    frame = TABLE.drop(columns="label:sea").assign(tags=["sea", "sea", empty])
    data = read_bags(frame, labels="tags")
    assert data.label_names == ("sea",)
    assert data.Y.tolist() == [[True], [False]]


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA], ids=repr)
def test_a_missing_set_is_refused_with_what_says_none(missing):
    frame = TABLE.drop(columns="label:sea").assign(tags=["sea", "sea", missing])
    with pytest.raises(
        DataError, match=r"row 2: .* a missing value is no set: give \[\], or ''"
    ):
        read_bags(frame, labels="tags")


def test_a_record_of_json_without_a_set_is_refused(tmp_path):
    path = tmp_path / "t.json"
    path.write_text('[{"bag": "a", "f": 1, "tags": ["sea"]}, {"bag": "b", "f": 2}]')
    with pytest.raises(DataError, match="a missing value is no set"):
        read_bags(path, labels="tags")


@pytest.mark.parametrize(
    "tags",
    [
        ["5 0", "7 1 2", "0"],
        ["1 0 1", "0 1 1", "0 0 1"],
        ["sea^trees", "sea", "trees"],
        ["sea > trees", "sea", "trees"],
        ["sea//trees", "sea", "trees"],
        ["sea__trees", "sea", "trees"],
        [["sea;trees"], ["sea"], ["trees"]],
    ],
    ids=str,
)
def test_names_that_may_be_sets_of_others_need_a_separator(tags):
    frame = pd.DataFrame({"bag": ["p", "q", "r"], "f1": [1.0, 2.0, 3.0], "tags": tags})
    with pytest.raises(DataError, match="give separator="):
        read_bags(frame, labels="tags")


def test_a_bag_has_no_instance_twice():
    frame = TABLE.assign(instance=[1, 1, 1])
    bag = frame["bag"].iloc[1]
    first = f"row 1: bag '{bag}' has instance 1 twice; drop one row, or the column 'instance'"
    with pytest.raises(DataError, match=first):
        read_bags(frame)


def test_minus_one_and_zero_are_not_mixed_among_labels():
    frame = TABLE.assign(**{"label:sky": [-1, -1, 1], "label:sea": [1, 1, 0]})
    message = "must all be 0 and 1, or all -1 and 1, got -1 in 'sky' and 0 in 'sea'"
    with pytest.raises(DataError, match=message):
        read_bags(frame)


@pytest.mark.parametrize(
    ("frame", "labels", "message"),
    [
        (TABLE.rename(columns={"label:sea": "label: sea"}), None, "write 'label:sea'"),
        (TABLE, ["bag"], "must not have 'bag', which names the bags; give bag="),
        (TABLE.assign(kind=[3, 3, 4]), "kind", r"give names as texts, by .astype\(str\)"),
        (
            TABLE.assign(**{"label:sea": [1, 0, 0]}),
            None,
            "got both for 'sea'; a bag has each",
        ),
    ],
    ids=["a space", "the bags' column", "numbers", "labels that differ"],
)
def test_what_is_wrong_with_labels_is_named_with_a_remedy(frame, labels, message):
    if isinstance(labels, str):
        frame = frame.drop(columns="label:sea")
    with pytest.raises(DataError, match=message):
        read_bags(frame, labels=labels)


def test_an_empty_set_comes_back_from_a_file_of_pandas(tmp_path):
    frame = TABLE.drop(columns="label:sea").assign(tags=[{"sea"}, {"sea"}, set()])
    frame.to_csv(tmp_path / "t.csv", index=False)
    data = read_bags(tmp_path / "t.csv", labels="tags")
    assert data.label_names == ("sea",)
    assert data.Y.tolist() == [[True], [False]]


@pytest.mark.parametrize("options", [{}, {"bag": "bag"}], ids=str)
def test_an_index_that_repeats_means_nothing_beside_names_of_bags(options):
    """As after pd.concat of two tables."""
    repeated = TABLE.set_index(pd.Index([0, 1, 0]))
    assert_same(read_bags(repeated, **options), read_bags(TABLE))


def test_a_column_of_bags_may_hold_floats():
    """An empty cell once made floats of whole numbers."""
    data = read_bags(TABLE.assign(bag=[1.0, 1.0, 2.0]))
    assert data.bag_names == ("1", "2")


@pytest.mark.parametrize(
    "truths", [[True, True, False], ["yes", "yes", "no"], ["1.0", "1.0", "0.0"]]
)
def test_a_column_of_truths_is_no_column_of_sets(truths, tmp_path):
    path = tmp_path / "t.csv"
    TABLE.drop(columns="label:sea").assign(wet=truths).to_csv(path, index=False)
    with pytest.raises(DataError, match=r"'wet' must hold sets of names"):
        read_bags(path, labels="wet")


MISSING_TEXTS = [
    "NA",
    "n/a",
    "N.A.",
    "#N/A",
    "<NA>",
    "NaN",
    "NAN",
    "NaT",
    "none",
    "NONE",
    "None",
]
MISSING_TEXTS += ["Null", "null", "nil", "-", ".", "?"]


@pytest.mark.parametrize("cell", MISSING_TEXTS)
def test_a_set_whose_text_may_mean_missing_is_refused(cell):
    frame = TABLE.drop(columns="label:sea").assign(kinds=["sea", "sea", f" {cell} "])
    hint = re.escape(f"{cell!r} may mean a missing value: give [], or [{cell!r}] if")
    for separator in (None, ";"):
        with pytest.raises(
            DataError, match=f"row 2: 'kinds' must be a list of names.*{hint}"
        ):
            read_bags(frame, labels="kinds", separator=separator)
    for name in ([cell], json.dumps([cell]), str([cell])):
        kept = read_bags(frame.assign(kinds=["sea", "sea", name]), labels="kinds")
        assert set(kept.label_names) == {"sea", cell}
    assert read_bags(frame.assign(kinds=["sea", "sea", "[]"]), labels="kinds").Y.sum() == 1
    # Also as a part of a set; a set within which a part is empty has the others.
    frame = frame.assign(kinds=["sea", "sea", f"sea; {cell} "])
    with pytest.raises(DataError, match=re.escape(f"['sea', {cell!r}] if it is a name")):
        read_bags(frame, labels="kinds", separator=";")
    whole = read_bags(frame.assign(kinds=["sea", "sea", "sea; ;"]), labels="kinds")
    assert whole.label_names == ("sea",)


@pytest.mark.parametrize("cell", ["[sea, trees]", "{sea,trees}", "(sea)"])
def test_names_in_brackets_must_be_quoted(cell):
    frame = TABLE.drop(columns="label:sea").assign(kinds=["sea", "sea", cell])
    with pytest.raises(
        DataError, match=r"quote each name in brackets, as in \['sea', 'trees'\]"
    ):
        read_bags(frame, labels="kinds")


NEARLY = ["label_trees", "label-trees", "Label trees", "label=trees", "lable:trees", "LABELS"]
NEARLY += ["(label:trees)", "`label:trees", "\u2018label:trees", "label\ufe30trees", "_label"]


@pytest.mark.parametrize("head", NEARLY)
def test_what_is_nearly_called_a_label_is_no_feature_beside_labels(head):
    with pytest.raises(DataError, match="the head of a label begins with 'label:'"):
        read_bags(TABLE.assign(**{head: [0, 0, 1]}))


@pytest.mark.parametrize("head", ["labelled", "relabel", "flabel:x", "albel"])
def test_a_feature_may_hold_the_word_of_a_label(head):
    assert head in read_bags(TABLE.assign(**{head: [0, 0, 1]})).feature_names


@pytest.mark.parametrize("head", NEARLY[:6])
def test_a_feature_that_is_nearly_called_a_label_comes_back(head, tmp_path):
    data = labelled_bags([[[1.0]], [[2.0]]], [[1], [0]], ["sea"], feature_names=[head])
    write_bags(tmp_path / "t.csv", data)
    assert read_bags(tmp_path / "t.csv").feature_names == (head,)


@pytest.mark.parametrize("cell", MISSING_TEXTS)
def test_a_missing_number_of_any_program_is_known(cell):
    frame = TABLE.assign(f2=["-20", "-1", cell])
    with pytest.raises(DataError, match=r"row 2: 'f2' .* got a missing value; give missing="):
        read_bags(frame)
    assert read_bags(frame, missing=7).X.instances[2, 1] == 7


@pytest.mark.parametrize(
    "labels", [[1.0, 1.0, -1.0], [1, 1, -1], [True, True, False]], ids=str
)
@pytest.mark.parametrize("float_format", [None, "%.2f"])
def test_labels_come_back_from_a_file_of_pandas(labels, float_format, tmp_path):
    frame = TABLE.assign(**{"label:sea": labels})
    frame.to_csv(
        tmp_path / "t.csv",
        index=False,
        float_format=float_format,
    )
    assert_same(read_bags(tmp_path / "t.csv"), read_bags(frame))


def test_labels_and_categories_that_would_fill_the_memory_are_refused(tmp_path):
    """A table of 300 rows with a name of its own in each takes 300 x 300 x 8 bytes."""
    names = [f"name {i}" for i in range(300)]
    frame = pd.DataFrame({"bag": range(300), "f1": 0.5, "tags": names})
    message = "'tags': 300 rows of 300 numbers.* more than 4 times max_bytes=100,000 bytes"
    with pytest.raises(DataError, match=message):
        read_bags(frame, labels="tags", max_bytes=10**5)
    assert read_bags(frame, labels="tags", max_bytes=2 * 10**5).Y.shape == (300, 300)

    of_categories = frame.astype({"tags": "category"}).assign(sea=0)
    with pytest.raises(DataError, match="300 rows of 300 numbers"):
        read_bags(of_categories, labels=["sea"], max_bytes=10**5)

    path = tmp_path / "t.arff"
    kinds = ",".join(map(str, range(300)))
    rows = "\n".join(f"{i},1" for i in range(300))
    path.write_text(
        f"@relation r\n@attribute kind {{{kinds}}}\n@attribute y {{0,1}}\n@data\n{rows}"
    )
    with pytest.raises(DataError, match="300 rows of 300 numbers"):
        read_bags(path, labels=["y"], max_bytes=10**5)


def test_bytes_are_no_names():
    with pytest.raises(DataError, match="row 0: 'bag' must hold texts, got bytes"):
        read_bags(TABLE.assign(bag=[b"a", b"a", b"b"]))


@pytest.mark.parametrize("cell", [np.arange(2000.0), ["a"], {"x": 1}])
def test_vectors_and_lists_name_no_bag(cell):
    """As texts, long vectors that differ in the middle would be one name."""
    cells = pd.Series([cell, cell, cell], dtype=object)
    with pytest.raises(
        DataError, match="row 0: 'bag' must name a bag, by a text or a number"
    ):
        read_bags(TABLE.assign(bag=cells))
    with pytest.raises(ValueError, match="bag names must be texts or numbers"):
        labelled_bags([[[1.0]], [[2.0]]], [[1], [0]], bag_names=[cell, "b"])


def test_complex_numbers_name_no_bag():
    table = pd.DataFrame({"impedance": [1j, 2j], "f1": [1, 2], "label:sea": [1, 0]})
    with pytest.raises(
        DataError, match="'impedance', must name the bags, got complex numbers"
    ):
        read_bags(table)


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_what_is_missing_is_no_name(missing):
    with pytest.raises(
        DataError, match="each column must have a head, got none for column 2"
    ):
        read_bags(TABLE.set_axis([TABLE.columns[0], missing, *TABLE.columns[2:]], axis=1))
    with pytest.raises(ValueError, match="label names must be texts or numbers"):
        labelled_bags([[[1.0]]], [[1, 0]], ["sea", missing])


def test_durations_are_no_numbers():
    """NumPy counts them among the integers."""
    durations = pd.Series([np.timedelta64(10**9, "ns")] * 3, dtype=object)
    with pytest.raises(DataError, match=r"'seconds' must be a finite number .*timedelta64"):
        read_bags(TABLE.assign(seconds=durations))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("{1, 2}", ["1", "2"]),
        ("(1, 2)", ["1", "2"]),
        ("['sea', 2]", ["sea", "2"]),
        ("[np.str_('sea'), np.int64(3)]", ["sea", "3"]),
        ("['np.int64(3)']", ["np.int64(3)"]),
        ("[1_0, 2]", None),
        ("(01, 2)", None),
        ("['sea' 2]", None),
    ],
)
def test_lists_in_a_csv_file_of_pandas_are_read(text, names):
    assert names_in(text, None) == names


def test_categories_that_look_alike_are_refused():
    kinds = pd.Categorical([1, "1", 1], categories=[1, "1"])
    with pytest.raises(DataError, match="'kind' must have values that differ, got '1' twice"):
        read_bags(TABLE.assign(kind=kinds))


@pytest.mark.parametrize("as_labels", [pd.Index, np.array, pd.Series, tuple])
def test_labels_may_be_any_sequence_of_names(as_labels):
    frame = TABLE.rename(columns={"label:sea": "sea"})
    assert read_bags(frame, labels=as_labels(["sea"])).label_names == ("sea",)


@pytest.mark.parametrize("float_side", ["bags", "labels"])
def test_whole_floats_are_matched_with_integers_by_name(float_side):
    """A missing value elsewhere makes floats of numbers that name."""
    bags = {1: [[1.0]], 2: [[2.0]], 3: [[3.0]]}
    Y = pd.DataFrame({"sea": [1, 0, 0]}, index=[3, 1, 2])
    if float_side == "bags":
        bags = {float(name): bag for name, bag in bags.items()}
    else:
        Y.index = Y.index.astype(float)
    data = labelled_bags(bags, Y)
    assert data.Y[:, 0].tolist() == [False, False, True]


def test_texts_of_floats_are_not_matched_with_integers_by_place():
    bags = {"1.0": [[1.0]], "2.0": [[2.0]]}
    Y = pd.DataFrame({"sea": [1, 0]}, index=[2, 1])
    with pytest.raises(ValueError, match="must have the same names on both sides"):
        labelled_bags(bags, Y)


def test_a_column_of_zeros_and_ones_is_no_column_of_sets():
    frame = TABLE.rename(columns={"label:sea": "sea"})
    assert read_bags(frame, labels=["sea"]).label_names == ("sea",)
    with pytest.raises(DataError, match=r"row 0: 'sea' must be a list"):
        read_bags(frame, labels="sea")
    of_texts = frame.astype({"sea": str})
    message = r"sets of names, got \['0', '1'\]; .*labels=\['sea'\]"
    with pytest.raises(DataError, match=message):
        read_bags(of_texts, labels="sea")


def test_labels_that_are_not_there_are_named_with_the_nearest_and_all_columns():
    assert_same(read_bags(TABLE, labels=["sea"]), read_bags(TABLE))
    message = r"named 'Sea'; did you mean 'sea'\? there are f1, f2, sea"
    with pytest.raises(DataError, match=message):
        read_bags(TABLE, labels=["Sea"])
    message = r"must be None or the labels .* \['sea'\], got \['f1'\]"
    with pytest.raises(DataError, match=message):
        read_bags(TABLE, labels=["f1"])


@pytest.fixture
def tagged():
    """The table with its labels as sets in a column."""
    tags = [["sea", "sky"], ["sea", "sky"], []]
    return TABLE.drop(columns="label:sea").assign(tags=tags)


def test_sets_beside_marked_labels_are_refused(tagged):
    both = tagged.assign(**{"label:x": [1, 1, 0]})
    message = (
        r"labels= must be None, as heads mark the labels \['x'\], got 'tags'; .* leave the"
    )
    with pytest.raises(DataError, match=message):
        read_bags(both, labels="tags")
    alone = read_bags(both.drop(columns="label:x"), labels="tags")
    assert alone.label_names == ("sea", "sky")


def test_tables_of_other_libraries(tagged):
    polars = pytest.importorskip("polars")
    table = polars.DataFrame(tagged.to_dict(orient="list"))
    data = read_bags(table, labels="tags")
    assert_same(data, read_bags(tagged, labels="tags"))
    with pytest.raises(ValueError, match=r"got LazyFrame; give its \.collect\(\)"):
        read_bags(table.lazy(), labels="tags")


def test_labels_in_tables_of_other_libraries_say_how_to_give_them():
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    with pytest.raises(
        ValueError, match=r"Y must be no Table of pyarrow; give its \.to_pandas"
    ):
        labelled_bags(X, pyarrow.table({"sea": [1, 0]}))
    with pytest.raises(
        ValueError, match=r"Y must hold its rows, got a lazy .* \.collect\(\)"
    ):
        labelled_bags(X, polars.DataFrame({"sea": [1, 0]}).lazy())


class WithoutArrow:
    """As polars' DataFrame is where pyarrow is missing."""

    columns = tuple(TABLE)

    def to_pandas(self, **options):
        raise ImportError("pyarrow")

    def to_dict(self, as_series):
        assert not as_series
        return TABLE.to_dict(orient="list")


def test_a_table_of_polars_needs_no_pyarrow():
    assert_same(read_bags(WithoutArrow()), read_bags(TABLE))


@pytest.mark.parametrize("index", ["bag", ["bag", "instance"]], ids=str)
def test_parquet_keeps_index_types_and_sets(tagged, tmp_path, index):
    pytest.importorskip("pyarrow")
    tagged["colour"] = pd.Categorical(["red", "blue", "red"])
    indexed = tagged.assign(instance=[0, 1, 0]).set_index(index)
    path = tmp_path / "t.parquet"
    indexed.to_parquet(path)
    data = read_bags(path, labels="tags")
    assert_same(data, read_bags(tagged, labels="tags"))


@pytest.mark.parametrize("dtype_backend", ["numpy_nullable", "pyarrow"])
def test_types_of_pyarrow_mean_what_those_of_pandas_do(tmp_path, dtype_backend):
    pytest.importorskip("pyarrow")
    colours = pd.Categorical(["red", "blue", None], categories=["red", "green", "blue"])
    table = TABLE.assign(colour=colours, flag=[True, None, False])
    path = tmp_path / "t.parquet"
    table.to_parquet(path)
    of_backend = pd.read_parquet(path, dtype_backend=dtype_backend)
    before = of_backend.dtypes.copy()
    data = read_bags(of_backend, missing=-1)
    assert data.feature_names == (
        "f1",
        "f2",
        "flag",
        "colour=red",
        "colour=green",
        "colour=blue",
    )
    assert_same(data, read_bags(table, missing=-1))
    assert of_backend.dtypes.equals(before)


B1 = np.full((1, 2), 1.0)
B2 = np.full((1, 2), 2.0)
X = pd.Series({"b2": B2, "b1": B1})


@given(
    rows=st.permutations([0, 1]),
    columns=st.permutations([0, 1, 2]),
    label_names=st.permutations(["sea", "sky", "sun"]),
)
def test_labels_are_matched_by_the_names_of_bags_and_labels(rows, columns, label_names):
    Y = pd.DataFrame(
        [[1, 0, 0], [0, 1, 1]],
        ["b1", "b2"],
        ["sea", "sky", "sun"],
    )
    data = labelled_bags(X, Y.iloc[rows, columns], label_names)
    assert data.bag_names == ("b2", "b1")
    expected = Y.loc[["b2", "b1"], label_names].to_numpy()
    np.testing.assert_array_equal(data.Y, expected)


@pytest.mark.parametrize(
    "Y",
    [
        [[1], [0]],
        pd.DataFrame({"sea": [1, 0]}),
    ],
)
def test_without_names_labels_are_matched_by_place(Y):
    data = labelled_bags(X, Y, ["sea"])
    assert data.Y.tolist() == [[True], [False]]


@pytest.mark.parametrize(
    "Y",
    [
        [[1], [0]],
        pd.DataFrame({"sea": [1, 0]}),
        pd.DataFrame({"sea": [0, 1]}, index=["b1", "b2"]),
    ],
)
def test_bags_in_another_order_keep_their_labels(Y):
    """The bag b2 has the label."""
    data = labelled_bags(X, Y, ["sea"], bag_names=["b1", "b2"])
    assert data.X.instances[:, 0].tolist() == [1, 2]
    assert data.Y.tolist() == [[False], [True]]


def test_labels_are_named_by_their_frame_or_numbered():
    Y = pd.DataFrame({"sea": [1, 0]})
    assert labelled_bags(X, Y).label_names == ("sea",)
    numbered = labelled_bags(X, [[1], [0]])
    assert numbered.label_names == ("label1",)


def test_numbered_bags_are_matched_with_labels_in_words_by_place():
    Y = pd.DataFrame({"sea": [1, 0]}, index=["b1", "b2"])
    numbered = X.reset_index(drop=True)
    assert labelled_bags(numbered, Y).Y.tolist() == [[True], [False]]


def test_names_in_frames_and_in_arguments_are_matched():
    bags = X.map(lambda bag: pd.DataFrame(bag * [1, 10], columns=["x", "y"]))
    Y = pd.DataFrame({"sea": [1, 0]}, index=["b1", "b2"])
    data = labelled_bags(
        bags,
        Y,
        feature_names=["y", "x"],
        bag_names=["b1", "b2"],
    )
    assert data.X.instances.tolist() == [[10, 1], [20, 2]]
    assert data.X.feature_names == ("y", "x")
    assert data.Y.tolist() == [[True], [False]]


def test_names_that_do_not_match_are_refused():
    Y = pd.DataFrame({"sea": [1, 0]}, index=["b1", "b2"])
    renamed = Y.rename(index={"b1": "c"})
    message = "Y and the bags must have the same names"
    with pytest.raises(ValueError, match=message):
        labelled_bags(X, renamed)
    message = "Y and label_names must have the same names"
    with pytest.raises(ValueError, match=message):
        labelled_bags(X, Y, ["sun"])


def test_labels_that_do_not_fit_the_bags_are_refused():
    bags = list(X)
    with pytest.raises(ValueError, match="one row for each of 2 bags, got 1"):
        labelled_bags(bags, [[1]])
    message = "Y must hold booleans, or 0 and 1, got 2"
    with pytest.raises(ValueError, match=message):
        labelled_bags(bags, [[1], [2]])


def refused(message, frame, **options):
    with pytest.raises(DataError, match=message):
        read_bags(frame, **options)


def test_a_label_of_0_and_minus_1_is_refused():
    """One of them may mean that nobody knows."""
    refused("'sea' must be 0 and 1, or -1 and 1", TABLE.assign(**{"label:sea": [-1, -1, 0]}))
    signs = read_bags(TABLE.assign(**{"label:sea": [1, 1, -1]}))
    assert signs.Y.tolist() == [[True], [False]]


def test_an_index_that_counts_rows_is_no_name_of_a_bag():
    rows = TABLE.drop(columns="bag").rename_axis("row")
    refused("the index 'row' counts the rows", rows)
    assert read_bags(rows, bag="row").bag_names == ("0", "1", "2")


@pytest.mark.parametrize("name", ["bag_id", "Bag", "bags"])
def test_a_later_column_of_bags_is_asked_for(name):
    later = TABLE[["f1", "f2", "bag", "label:sea"]].rename(columns={"bag": name})
    refused(f"bag= must say which column names the bags: 'f1', the first, or '{name}'", later)
    assert_same(read_bags(later, bag=name), read_bags(TABLE))


def test_the_bags_of_two_joined_tables_stand_once():
    joined = pd.concat([TABLE[["bag"]], TABLE], axis=1)
    refused("2 columns are named 'bag' and equal", joined)


def test_an_index_may_begin_with_the_numbers_of_instances():
    numbered = TABLE.assign(instance=[0, 1, 0]).rename(columns={"bag": "image"})
    assert_same(read_bags(numbered.set_index(["instance", "image"])), read_bags(TABLE))


def tagged_with(*tags):
    return pd.DataFrame({"bag": range(len(tags)), "f": range(len(tags)), "all": tags})


@pytest.mark.parametrize("separator", list(" -_.:/&+~·"))
def test_a_name_that_is_made_of_others_is_asked_for(separator):
    together = f"sea{separator}sky"
    sets = tagged_with(together, "sea", "sky")
    refused(
        re.escape(f"give separator={separator!r}, or"),
        sets,
        labels="all",
    )
    assert read_bags(sets, labels="all", separator=separator).label_names == ("sea", "sky")
    assert together in read_bags(sets, labels="all", separator=";").label_names


@pytest.mark.parametrize("separator", ["/", " & ", "+", "~", " · "])
@pytest.mark.parametrize("other", ["sea", "sea{}sun", "sun{}sea"])
def test_names_that_share_a_part_at_a_rare_separator_are_asked_for(separator, other):
    tags = f"sea{separator}trees", other.format(separator)
    sets = tagged_with(*tags)
    mark = separator.strip()
    remedy = re.escape(f"give separator={mark!r}, or separator=';' if each is one name")
    refused(f"'all' has the name 's.*' beside 's.*'; {remedy}", sets, labels="all")
    assert "sea" in read_bags(sets, labels="all", separator=mark).label_names
    assert read_bags(sets, labels="all", separator=";").label_names == tuple(sorted(tags))


@pytest.mark.parametrize(
    "names",
    [
        ["semi-detached", "detached"],
        ["New_York", "New_Jersey", "York"],
        ["e-mail", "e-book", "mail"],
        ["GO:0008150", "GO:0003674"],
        ["traffic light", "traffic sign"],
        ["St. John", "St. Mary"],
        ["C++", "C", "C#"],
        ["AC/DC", "and/or", "rock & roll"],
        ["Track #1", "Track #2"],
        ["a < b", "x > y"],
    ],
    ids=str,
)
def test_names_with_signs_inside_are_whole(names):
    assert read_bags(tagged_with(*names), labels="all").label_names == tuple(sorted(names))


def test_names_in_angles_are_read_as_the_error_says():
    cell = "<sea><trees>"
    refused("'all' must be a list of names", tagged_with(cell, "<sea>"), labels="all")
    of_lists = tagged_with(re.findall("<([^<>]+)>", cell), ["sea"])
    assert read_bags(of_lists, labels="all").label_names == ("sea", "trees")


def test_names_that_look_the_same_are_refused():
    both = TABLE.rename(columns={"f1": "caf\u00e9", "f2": "cafe\u0301"})
    refused("feature names must look different", both)


@pytest.mark.parametrize("head", ["Label:sky", "LABEL: sky", "labels:sky"])
def test_a_head_that_is_almost_that_of_a_label_is_refused(head, tmp_path):
    refused(
        "write 'label:sky', or give a feature another name",
        TABLE.rename(columns={"f2": head}),
    )
    data = read_bags(TABLE)
    named = labelled_bags(
        list(data.X),
        data.Y,
        ["sea"],
        feature_names=["f1", head],
    )
    write_bags(tmp_path / "t.csv", named)
    assert read_bags(tmp_path / "t.csv").feature_names == ("f1", head)


LIKE_INSTANCE = ["Instance", "INSTANCE", "instance_id", "Instance No", "instanceNumber"]


@pytest.mark.parametrize("head", LIKE_INSTANCE)
def test_a_head_that_is_almost_that_of_instances_is_refused(head, tmp_path):
    numbered = TABLE.assign(**{head: [0, 1, 0]})
    refused("rename it to 'instance', or give a feature another name", numbered)
    named = labelled_bags([[[1.0]], [[2.0]]], [[1], [0]], ["sea"], feature_names=[head])
    write_bags(tmp_path / "t.csv", named)
    assert_same(read_bags(tmp_path / "t.csv"), named)


def test_a_column_of_instances_may_name_the_bags_or_be_a_label():
    features = TABLE[["f1", "f2"]]
    single = features.assign(instance_id=["a", "b", "c"], Instance=[1, 0, 0], sea=[0, 1, 0])
    data = read_bags(single, bag="instance_id", labels=["sea", "Instance"])
    assert data.bag_names == ("a", "b", "c")
    assert set(data.label_names) == {"sea", "Instance"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": 3}, r"labels= must be a list of names, such as \[3\], got 3"),
        ({"max_bytes": None}, "max_bytes= must be a number of bytes, got None"),
        ({"separator": 5}, "separator= must be a text, or None, got 5"),
    ],
)
def test_options_of_a_wrong_type_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        read_bags(TABLE, **options)


def test_names_need_an_order():
    for names in ({"sea", "sky"}, "ab"):
        with pytest.raises(ValueError, match="label names must have an order, as in a list"):
            labelled_bags([[[1.0]]], [[1, 0]], names)


def test_labels_of_new_bags_are_not_read():
    unknown = TABLE.assign(**{"label:sea": [None] * 3})
    assert read_bags(unknown, labels=[]).Y.shape == (2, 0)


def test_numbers_that_are_heads_are_names():
    pivoted = TABLE.rename(columns={"f1": 2.0, "label:sea": 3.0})
    data = read_bags(pivoted, labels=[3])
    assert data.label_names == ("3",)
    assert data.feature_names == ("2", "f2")


def test_numbers_that_are_heads_may_be_chosen():
    pivoted = TABLE.rename(columns={"bag": 1.0, "f1": 2.0, "f2": 3.0, "label:sea": 4.0})
    data = read_bags(pivoted[[2.0, 1.0, 3.0, 4.0]], bag=1.0, labels=[4.0])
    assert data.bag_names == ("b1", "b2")
    assert data.label_names == ("4",)
    assert data.feature_names == ("2", "3")


def test_numbers_of_filtered_rows_beside_a_first_column_are_refused():
    """The index "row" and the column "image" could both name the bags."""
    table = pd.DataFrame(
        {"image": [7, 7, 8, 9], "f": [1.0, 2.0, 3.0, 4.0], "label:x": [1, 1, 0, 0]}
    ).rename_axis("row")
    with pytest.raises(DataError, match="give bag='row' or bag='image'"):
        read_bags(table[table["f"] != 2])
    by_name = read_bags(table[table["f"] != 2].reset_index(drop=True), bag="image")
    assert by_name.bag_names == ("7", "8", "9")


def test_whole_numbers_that_are_categories_keep_their_names():
    """Beside a missing one pandas makes floats of them."""
    known = TABLE.assign(kind=pd.Categorical([1, 2, 1]))
    floats = pd.Categorical([1.0, np.nan, 2.0], categories=[1.0, 2.0])
    names = read_bags(known).feature_names
    assert read_bags(TABLE.assign(kind=floats), missing=0).feature_names == names


def test_heads_in_bytes_are_refused():
    with pytest.raises(DataError, match=r"heads must be texts or numbers, got b'f1'; decode"):
        read_bags(TABLE.rename(columns={"f1": b"f1"}))


def test_new_bags_need_a_feature():
    with pytest.raises(DataError, match="a bag and a feature are needed"):
        read_bags(pd.DataFrame({"bag": ["a"]}), labels=[])
