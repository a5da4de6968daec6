"""Numbers keep their values in any type that holds them; what float64 would lose is refused."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mimlpaper import Bags, MlKnn, evaluate
from mimlpaper.arrays import order_by_name, real_array
from mimlpaper.metrics import accuracy

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
    (MASKED, "has masked values; fill them"),
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


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.ma.concatenate([MASKED, MASKED]), "has masked values; fill them"),
        ([*DATES, *DATES], "got dates"),
        ([*TIMES, *TIMES], "got times"),
    ],
    ids=["masked", "dates", "times"],
)
def test_learners_of_vectors_refuse_masks_and_dates(table, message):
    with pytest.raises(ValueError, match=message):
        MlKnn(n_neighbors=1).fit(table, [[1, 0], [0, 1]])


@given(names=st.permutations(["sea", "sky", "3", "a b"]))
def test_order_by_name_finds_each_name(names):
    wanted = ["sea", "sky", "3", "a b"]
    places = order_by_name("names", names, wanted)
    assert [names[place] for place in places] == wanted


@pytest.mark.parametrize(
    "numbers",
    [[0, 1, 2], [5, 9, 7], pd.RangeIndex(3)],
    ids=str,
)
def test_numbered_rows_keep_their_places(numbers):
    letters = ["a", "b", "c"]
    places = order_by_name("rows", numbers, letters)
    assert places.tolist() == [0, 1, 2]
    places = order_by_name("rows", letters, numbers)
    assert places.tolist() == [0, 1, 2]


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
