"""Numbers keep their values in any type that holds them; what float64 would lose is refused."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import KFold, cross_val_predict, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from mimlpaper import (
    Bags,
    BagStatistics,
    EmDd,
    KMedoids,
    MedoidMap,
    MimlNn,
    MiSvmBag,
    MlKnn,
    MlSvm,
    NoisyOr,
    OnInstances,
    evaluate,
)
from mimlpaper.arrays import label_array, order_by_name, real_array, text_of_name
from mimlpaper.datasets import DataError, labelled_bags, read_bags
from mimlpaper.kernels import KernelFactor
from mimlpaper.metrics import accuracy, average_precision, scores_of

NUMBERS = (
    "int8",
    "uint8",
    "int16",
    "uint16",
    "int32",
    "uint32",
    "int64",
    "uint64",
    "float16",
    "float32",
    "float64",
    "longdouble",
    "object",
)
NULLABLE = (
    "Int8",
    "UInt8",
    "Int64",
    "UInt64",
    "Float32",
    "Float64",
    "boolean",
)
MASKED = np.ma.masked_array([[1.0, 2.0]], mask=[[False, True]])
DATES = np.array([["2020-01-01", "NaT"]], dtype="M8[D]")
TIMES = np.array([[1, 2]], dtype="m8[s]")
TIME = np.timedelta64(1, "s")
DAY = pd.to_datetime(["2020-01-01"])
RED = pd.Categorical(["red"])
REFUSED = [
    (MASKED, "must have no masked values; fill them"),
    (DATES, "got dates"),
    (TIMES, "got times"),
    (np.array([[1, 2j]]), "got complex numbers"),
    (np.array([["1", "1_0"]]), "got texts"),
    (np.array([[1, "1_0"]], dtype=object), "got str '1_0'"),
    (np.array([[1, 2j]], dtype=object), "got complex 2j"),
    (np.array([[TIME]], dtype=object), "got timedelta64"),
    (pd.DataFrame({"day": DAY}), "got dates"),
    (pd.DataFrame({"x": [1.0], "day": DAY}), "got Timestamp"),
    (pd.DataFrame({"colour": RED}), "got str 'red'"),
]
HAND_Y = np.array([[1, 0, 0], [0, 1, 1]])


@given(
    votes=st.lists(st.integers(0, 9), min_size=6, max_size=6),
    dtype=st.sampled_from(NUMBERS),
)
def test_criteria_are_those_of_the_same_numbers_as_floats(votes, dtype):
    scores = np.reshape(votes, (2, 3))
    predicted = scores > 4
    expected = evaluate(HAND_Y, scores.astype(float), predicted)
    values = evaluate(HAND_Y, scores.astype(dtype), predicted)
    assert values == expected


@given(votes=st.lists(st.integers(-9, 9), min_size=6, max_size=6))
def test_criteria_of_negative_bytes(votes):
    """The smallest int8 has no negative: -(-128) is -128."""
    votes = np.reshape(votes, (2, 3))
    # -9 stands for the smallest int8.
    scores = np.where(votes == -9, -128, votes)
    predicted = scores > 0
    expected = evaluate(HAND_Y, scores.astype(float), predicted)
    values = evaluate(HAND_Y, scores.astype(np.int8), predicted)
    assert values == expected


@pytest.mark.parametrize("dtype", [*NUMBERS, "bool", *NULLABLE])
def test_real_array_keeps_the_numbers_of_each_type(dtype):
    frame = pd.DataFrame([[0, 1], [1, 1]]).astype(dtype)
    array = real_array("X", frame)
    assert array.tolist() == [[0, 1], [1, 1]]
    assert array.dtype == np.float64


@pytest.mark.parametrize("dtype", [*NUMBERS, "bool"])
def test_real_array_keeps_the_numbers_of_arrays(dtype):
    numbers = np.array([[0, 1], [1, 1]]).astype(dtype)
    array = real_array("X", numbers)
    assert array.tolist() == [[0, 1], [1, 1]]


@pytest.mark.parametrize("dtype", NULLABLE)
def test_a_missing_value_of_pandas_is_nan(dtype):
    with_gap = pd.array([1, None], dtype=dtype)
    frame = pd.DataFrame({"x": with_gap, "y": [0.5, 2]})
    expected = [[1, 0.5], [np.nan, 2]]
    array = real_array("X", frame)
    np.testing.assert_array_equal(array, expected)
    bags = Bags.from_list([frame])
    np.testing.assert_array_equal(bags.instances, expected)


def test_decimals_and_none_in_an_array_of_objects():
    cells = np.array([Decimal("0.5"), None, True], dtype=object)
    array = real_array("X", cells)
    np.testing.assert_array_equal(array, [0.5, np.nan, 1])


@pytest.mark.parametrize(("values", "message"), REFUSED)
def test_what_float64_would_lose_is_refused_everywhere(values, message):
    Y = np.ones(np.shape(values), dtype=bool)
    with pytest.raises(ValueError, match=f"bag 0 .*{message}"):
        Bags.from_list([values])
    with pytest.raises(ValueError, match=f"scores .*{message}"):
        evaluate(Y, values, Y)
    with pytest.raises(ValueError, match="Y "):
        evaluate(values, 1.0 * Y, Y)
    # np.ravel would drop the mask.
    vector = MASKED[0] if values is MASKED else np.ravel(values)
    with pytest.raises(ValueError, match="predicted "):
        accuracy([1], vector)


DAYS = pd.to_datetime(["2020-01-01", "2020-01-02"])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.ma.concatenate([MASKED, MASKED]), "no masked values; fill them"),
        ([*DATES, *DATES], "got dates"),
        ([*TIMES, *TIMES], "got times"),
        (
            pd.DataFrame({"x": [0.5, 1.0], "day": DAYS}),
            "got Timestamp .*; give numbers, such as",
        ),
        (pd.DataFrame({"x": [0.5, 1.0], "took": DAYS - DAYS[0]}), "got Timedelta .*; give"),
        (
            pd.DataFrame({"x": [0.5, 1.0], "month": DAYS.to_period("M")}),
            "got Period .*; give",
        ),
        (pd.DataFrame({"x": [0.5, 1.0], "text": ["3", "1_0"]}), "got str '3'"),
        (np.array([["1_0"], ["２"]], dtype=object), "got str '1_0'"),
        (pd.DataFrame({"colour": pd.Categorical(["1", "2"])}), "got str '1'"),
        ([[1.0, 2.0], [3.0]], "rows of one length, got list"),
    ],
    ids=str,
)
def test_learners_of_vectors_refuse_masks_dates_and_texts(table, message):
    with pytest.raises(ValueError, match=f"X must .*{message}"):
        MlKnn(n_neighbors=1).fit(table, [[1, 0], [0, 1]])
    with pytest.raises(ValueError, match=f"X must .*{message}"):
        KernelFactor().fit(table)
    with pytest.raises(ValueError, match=f"D must .*{message}"):
        KMedoids(1).fit(table)


@given(
    row=st.integers(0, 3),
    column=st.integers(0, 2),
    cell=st.sampled_from(
        ["1", "1_0", b"1", DAYS[0], DAYS[0].date(), np.datetime64("NaT"), TIME]
    ),
    form=st.sampled_from([np.asarray, np.ndarray.tolist, pd.DataFrame]),
)
def test_a_mask_a_date_or_a_text_is_refused_wherever_it_stands(row, column, cell, form):
    numbers = np.arange(12.0).reshape(4, 3)
    Y = np.eye(4, 2)
    learner = MlKnn(n_neighbors=1).fit(numbers, Y)
    masked = np.ma.masked_array(numbers, np.zeros((4, 3)))
    masked[row, column] = np.ma.masked
    cells = numbers.astype(object)
    cells[row, column] = cell
    for X, message in ((masked, "no masked values"), (form(cells), "hold real numbers, got")):
        with pytest.raises(ValueError, match=f"X must.* {message}"):
            MlKnn(n_neighbors=1).fit(X, Y)
        with pytest.raises(ValueError, match=f"X must.* {message}"):
            learner.predict(X)


@given(names=st.permutations(["sea", "sky", "3", "a b"]))
def test_order_by_name_finds_each_name(names):
    wanted = ["sea", "sky", "3", "a b"]
    places = order_by_name("names", names, wanted)
    assert [names[place] for place in places] == wanted


MASKED_ROW = np.ma.masked_array([1.0, 0.0], mask=[True, False])


@pytest.mark.parametrize("rows", [[MASKED_ROW], (MASKED_ROW,), [[MASKED_ROW]]], ids=str)
def test_a_masked_array_in_a_list_is_refused(rows):
    with pytest.raises(ValueError, match="scores must have no masked values; fill them"):
        real_array("scores", rows)


def masked_features(X):
    return np.ma.masked_greater(X, 0.5)


class OfMaskedScores:
    """An estimator of a stranger, who does not know some scores."""

    def decision_function(self, X):
        return MASKED


def test_masked_integers_are_filled_as_the_error_says():
    masked = np.ma.masked_array([[1, 2]], mask=[[False, True]])
    with pytest.raises(
        ValueError, match=r"numbers as \.astype\(float\)\.filled\(np\.nan\) does"
    ):
        Bags.from_list([masked])
    bags = Bags.from_list([masked.astype(float).filled(np.nan)])
    assert bags.missing.tolist() == [True]


def test_no_way_into_the_library_drops_a_mask():
    bags = [[[0.0, 1.0]], [[1.0, 0.0]]]
    message = "must have no masked values; fill them"
    with pytest.raises(ValueError, match=f"y {message}"):
        EmDd().fit(bags, np.ma.masked_array([1, 0], mask=[True, False]))
    with pytest.raises(ValueError, match=f"scores {message}"):
        average_precision([[1, 0]], [MASKED_ROW])
    with pytest.raises(ValueError, match=f"bag 0 {message}"):
        Bags.from_list([[MASKED_ROW]])
    with pytest.raises(ValueError, match=f"offsets {message}"):
        Bags([[0.0]], np.ma.masked_array([0, 1], mask=[False, True]))
    transformer = FunctionTransformer(masked_features)
    with pytest.raises(ValueError, match=f"features of the transformer {message}"):
        OnInstances(transformer).fit_transform(bags)
    with pytest.raises(ValueError, match=f"scores {message}"):
        scores_of(OfMaskedScores(), bags)


LARGE = 2**53 + 1  # the first integer that float64 rounds


@pytest.mark.parametrize(
    "integers",
    [
        np.array([[LARGE, 0]]),
        np.array([[-LARGE, 0]]),
        np.array([[LARGE, 0]], dtype="uint64"),
        np.array([[LARGE, 0]], dtype=object),
        [[LARGE, 0]],
        pd.DataFrame([[LARGE, 0]]),
        pd.DataFrame({"long": [LARGE], "real": [0.5]}),
        pd.DataFrame([[LARGE, None]], dtype="Int64"),
        pd.DataFrame({"signed": [0], "unsigned": np.array([LARGE], dtype="uint64")}),
        [[2**1100, 0]],
        # NumPy has rounded these before anybody sees them.
        [[LARGE, 0.5]],
        [[0.5, 1.0], np.array([LARGE, 0])],
    ],
    ids=repr,
)
def test_an_integer_that_float64_would_round_is_refused(integers):
    with pytest.raises(
        ValueError, match=r"scores must hold integers of at most 2\^53, got -?\d"
    ):
        average_precision([[1, 0]], integers)


def test_rounded_integers_of_polars_beside_floats_are_refused():
    polars = pytest.importorskip("polars")
    table = polars.DataFrame({"long": [LARGE], "real": [0.5]})
    with pytest.raises(ValueError, match=r"X must hold integers of at most 2\^53"):
        real_array("X", table)


@pytest.mark.parametrize("missing", [None, pd.NA, np.nan], ids=repr)
def test_missing_numbers_of_any_type_are_nan(missing):
    column = pd.Series([1, missing], dtype=object)
    expected = np.array([[1.0], [np.nan]])
    assert np.array_equal(real_array("X", column.to_frame()), expected, equal_nan=True)
    assert np.array_equal(real_array("X", column), expected.ravel(), equal_nan=True)


@pytest.mark.parametrize("name", ["collect", "groups", "columns", "get_params", "Y"])
def test_names_of_data_may_be_those_of_attributes(name):
    """As words are names of features, and letters names of bags."""
    table = pd.DataFrame({name: [1.0, 2.0], "other": [3.0, 4.0]})
    assert real_array("X", table).shape == (2, 2)
    named = Bags.from_list(pd.Series({name: table, "other bag": table}))
    assert list(named.names) == [name, "other bag"]
    assert list(named.feature_names) == [name, "other"]


def test_the_largest_exact_integer_keeps_its_value():
    array = real_array("scores", [[2**53, 2**53 - 1, -(2**53)]])
    assert array.astype(int).tolist() == [[2**53, 2**53 - 1, -(2**53)]]
    assert average_precision([[1, 0]], [[2**53, 2**53 - 1]]) == 1.0


def test_a_table_with_integers_that_float64_would_round_is_refused():
    table = pd.DataFrame({"bag": ["b", "c"], "f1": [LARGE, 0], "label:sea": [1, 0]})
    with_gap = table.assign(f1=pd.array([LARGE, None], dtype="Int64"))
    for frame in (table, with_gap):
        with pytest.raises(DataError, match=r"columns must hold integers of at most 2\^53"):
            read_bags(frame, missing=0)


@pytest.mark.parametrize(
    "numbers",
    [[0, 1, 2], pd.RangeIndex(3), np.arange(3, dtype="uint8"), [5, 9, 7], [2, 1, 0]],
    ids=str,
)
def test_numbered_rows_keep_their_places(numbers):
    """After a split of a table, or a shuffle, they are not 0, 1, … any more."""
    letters = ["a", "b", "c"]
    places = order_by_name("rows", numbers, letters)
    assert places.tolist() == [0, 1, 2]
    places = order_by_name("rows", letters, numbers)
    assert places.tolist() == [0, 1, 2]


def test_numbers_that_names_hold_in_another_order_are_refused():
    with pytest.raises(
        ValueError, match=r"if their order is the same, .*\.to_numpy\(\) does"
    ):
        order_by_name("rows", [2, 1, 3], ["img1", "img2", "img3"])
    places = order_by_name("rows", [1, 2, 3], ["img1", "img2", "img3"])
    assert places.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="rows must have the same names"):
        order_by_name("rows", ["a", "b", "c"], [1, 1, 2])


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        # Ids that a float rounds to one number.
        (
            ["1729000000000000001.jpg", "1729000000000000002.jpg"],
            [1729000000000000002, 1729000000000000001],
        ),
        (["img\uff11", "img\uff12"], [2, 1]),
        (["\u0661.png", "\u0662.png"], [2, 1]),
        (["1,001", "1,002"], [1002, 1001]),
        (["1\u202f001 m", "1\u202f002 m"], [1002, 1001]),
        (["site-1", "site-2"], [-2, -1]),
    ],
    ids=ascii,
)
def test_numbers_in_another_order_are_refused_however_names_hold_them(words, numbers):
    with pytest.raises(ValueError, match="rows must have the same names"):
        order_by_name("rows", words, numbers)
    assert order_by_name("rows", words, numbers[::-1]).tolist() == [0, 1]


def test_names_of_another_form_of_unicode_are_called_that():
    with pytest.raises(ValueError, match=r"cafe\\u0301.*give both in one form of Unicode"):
        order_by_name("rows", ["caf\u00e9", "b"], ["b", "cafe\u0301"])


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        (["101", "102", "103"], [103, 101, 104]),
        (["101", "102", "103"], [102, 103, 104]),
        (["007", "008"], [8, 9]),
        (["img_101.png", "img_102.png"], [102.0, 103.0]),
        (["s1_7", "s1_8"], pd.RangeIndex(8, 10)),
    ],
    ids=str,
)
def test_numbers_of_which_names_hold_some_are_refused(words, numbers):
    with pytest.raises(ValueError, match="rows must have the same names"):
        order_by_name("rows", words, numbers)
    # pandas' own, and those that count something else, say nothing.
    for others in (pd.RangeIndex(len(words)), [n + 5000 for n in numbers]):
        assert order_by_name("rows", words, others).tolist() == [*range(len(words))]


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        ([(1, "a"), (2, "b")], [(np.int64(2), np.str_("b")), (1.0, "a")]),
        (pd.date_range("2020", periods=2), pd.date_range("2020", periods=2)[::-1].to_numpy()),
        (pd.to_timedelta([1, 2], "D"), pd.to_timedelta([2, 1], "D").to_numpy()),
    ],
    ids=["tuples", "dates", "durations"],
)
def test_equal_names_are_one_name_whoever_holds_them(names, wanted):
    assert order_by_name("rows", names, wanted).tolist() == [1, 0]


# Other numbers stand before or behind the one that counts the files.
@pytest.mark.parametrize(
    "name",
    ["clip{}.mp4", "COCO_val2014_00{}.jpg", "2024-05-0{}", "s1_{}", "v2/{}.1.png"],
)
def test_numbers_are_found_beside_others(name):
    words = [name.format(i) for i in (1, 2, 3)]
    with pytest.raises(ValueError, match="if their order is the same"):
        order_by_name("rows", [3, 1, 2], words)
    with pytest.raises(ValueError, match="if their order is the same"):
        order_by_name("rows", words, [3, 1, 2])
    assert order_by_name("rows", [1, 2, 3], words).tolist() == [0, 1, 2]
    assert order_by_name("rows", [7, 8, 9], words).tolist() == [0, 1, 2]


def test_cross_validation_takes_named_bags_and_a_table_without_names():
    """A split leaves an index that is not 0, 1, … any more."""
    bags = Bags.from_list({f"image {i}": np.array([[i], [i + 1]]) for i in range(12)})
    labels = pd.DataFrame({"a": np.arange(12) % 2, "b": np.arange(12) % 3 > 0})
    folds = KFold(3, shuffle=True, random_state=0)
    predicted = cross_val_predict(
        MimlNn(random_state=0),
        bags,
        labels,
        cv=folds,
    )
    assert predicted.shape == (12, 2)
    shuffled = train_test_split(bags, labels, random_state=0)
    bags_to_learn, _, labels_to_learn, _ = shuffled
    assert MimlNn(random_state=0).fit(bags_to_learn, labels_to_learn)


@pytest.mark.parametrize(
    ("names", "index"),
    [
        (["101.png", "102.png", "103.png"], [103, 102, 101]),
        (["01", "02", "03"], [3, 2, 1]),
    ],
    ids=str,
)
def test_labels_under_numbers_are_never_those_of_another_bag(names, index):
    bags = {name: [[float(i)]] for i, name in enumerate(names)}
    Y = pd.DataFrame([[1, 0], [0, 1], [1, 1]], index)
    with pytest.raises(ValueError, match="Y and the bags must have the same names"):
        labelled_bags(bags, Y)
    with pytest.raises(ValueError, match="X and Y must have the same names"):
        NoisyOr().fit(bags, Y)


def test_numbers_are_matched_with_the_same_numbers_as_texts():
    places = order_by_name("rows", [3, 1, 2], ["1", "2", "3"])
    assert places.tolist() == [1, 2, 0]


def test_other_names_are_refused():
    message = "rows must have the same names .*'b', 'c'"
    with pytest.raises(ValueError, match=message):
        order_by_name("rows", ["a", "c"], ["a", "b"])
    message = "rows must have the same names .*'b'"
    with pytest.raises(ValueError, match=message):
        order_by_name("rows", ["a", "a"], ["a", "b"])
    with pytest.raises(ValueError, match="got names that repeat"):
        order_by_name("rows", ["a", "b", "b"], ["a", "a", "b"])


@pytest.fixture
def numbered():
    """Eight bags under the names 0 to 7 in another order, and whether the number is odd."""
    names = [3, 0, 7, 1, 5, 2, 6, 4]
    bags = Bags.from_list({name: np.full((2, 1), float(name)) for name in names})
    return bags, pd.DataFrame({"odd": [name % 2 for name in names]})


def test_numbers_that_pandas_gave_are_no_names_of_bags_that_are_numbered_otherwise(numbered):
    """A table of labels without names has an index 0, 1, …, in the order of the bags."""
    bags, labels = numbered
    message = r"got the same numbers in another order, on one side from pandas itself"
    with pytest.raises(ValueError, match=message):
        NoisyOr().fit(bags, labels)
    with pytest.raises(ValueError, match=message):
        labelled_bags(bags, labels)
    with pytest.raises(ValueError, match=message):
        bags[labels["odd"] > 0]
    with pytest.raises(ValueError, match=message):
        MiSvmBag().fit(bags, labels["odd"])
    by_name = NoisyOr().fit(bags, labels.set_axis(bags.names, axis=0))
    by_place = NoisyOr().fit(bags, labels.to_numpy())
    assert np.array_equal(by_name.decision_function(bags), by_place.decision_function(bags))
    assert labelled_bags(bags, labels.to_numpy()).Y[:, 0].tolist() == [1, 0, 1, 1, 1, 0, 0, 0]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (BagStatistics(), MlKnn(n_neighbors=1)),
        (MedoidMap(ratio=0.5, random_state=0), MlSvm()),
    ],
    ids=["statistics", "medoids"],
)
def test_names_of_bags_go_through_steps_that_give_tables(numbered, first, second):
    bags, labels = numbered
    labels = labels.set_axis(bags.names, axis=0)
    steps = make_pipeline(first, second)
    expected = clone(steps).fit(bags, labels).decision_function(bags)
    as_tables = clone(steps).set_output(transform="pandas").fit(bags, labels)
    assert list(as_tables[0].transform(bags).index) == list(bags.names)
    assert np.array_equal(as_tables.decision_function(bags), expected)
    # A split leaves some of the numbers only.
    to_learn, to_test, labels_to_learn, _ = train_test_split(bags, labels, random_state=0)
    assert as_tables.fit(to_learn, labels_to_learn).predict(to_test).shape == (2, 1)


@pytest.mark.parametrize(
    "names",
    [
        [0.5, 1.5],
        [(1, "a"), (1, "b")],
        [b"a", b"b"],
        list(pd.to_datetime(["2020-01-01", "2021-01-01"])),
    ],
    ids=["numbers", "tuples", "bytes", "dates"],
)
def test_features_in_another_order_are_refused_whatever_their_names_are(names, rng):
    bags = []
    for values in rng.random((8, 3, 2)):
        bag = pd.DataFrame(values)
        bag.columns = pd.Index(names, tupleize_cols=False)
        bags.append(bag)
    learner = MimlNn(random_state=0).fit(bags, np.eye(2)[[0, 1] * 4])
    learner.predict(bags)
    turned = [bag.iloc[:, ::-1] for bag in bags]
    with pytest.raises(ValueError, match="must be in the same order as they were in fit"):
        learner.predict(turned)


def test_a_table_of_polars_keeps_its_names(rng):
    polars = pytest.importorskip("polars", reason="polars is not installed")
    bags = list(rng.random((12, 3, 2)))
    labels = pd.DataFrame(rng.random((12, 2)) > 0.5, columns=["sea", "trees"])
    learner = MimlNn(random_state=0).fit(bags, polars.from_pandas(labels))
    assert learner.label_names_.tolist() == ["sea", "trees"]
    turned = labels[["trees", "sea"]]
    assert learner.score(bags, polars.from_pandas(turned)) == learner.score(bags, turned)
    instances = polars.DataFrame({"a": [1.0, 2.0], "b": [1.0, 3.0]})
    assert Bags(instances, [0, 1, 2]).feature_names == ["a", "b"]


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (["sea", "trees", "sea"], r"of one name an example by pd\.get_dummies\(Y\)"),
        ([["yes", "no"], ["no", "yes"]], r"of words as Y == 'yes' does"),
        ([["sea"], ["sea", "sky"]], r"of lists of names by MultiLabelBinarizer\(\)"),
        ([frozenset(["sea"]), frozenset(["sky"])], r"by MultiLabelBinarizer\(\)"),
        ([[1, -1], [-1, 1]], "give Y > 0"),
    ],
)
def test_labels_in_words_are_refused_with_the_step_that_makes_them_label_sets(words, remedy):
    with pytest.raises(ValueError, match=remedy):
        label_array("Y", words)


@pytest.mark.parametrize("number", [Decimal("1"), Decimal("1.0"), np.float32(1), 1.0, 1, "1"])
def test_a_whole_number_is_one_name_whatever_type_holds_it(number):
    assert text_of_name(number) == "1"


@pytest.mark.parametrize("name", [Decimal("NaN"), float("inf"), 1.5])
def test_other_numbers_are_named_as_they_are(name):
    assert text_of_name(name) == str(name)
