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

TYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
TYPES += ("float16", "float32", "float64", "longdouble", "object", "bool")
NULLABLE = ("Int8", "UInt8", "Int64", "UInt64", "Float32", "Float64", "boolean")
MASKED = np.ma.masked_array([[1.0, 2.0]], mask=[[False, True]])
REFUSED = (
    (MASKED, "has masked values; fill them"),
    (np.array([["2020-01-01", "NaT"]], dtype="M8[D]"), "got dates"),
    (np.array([[1, 2]], dtype="m8[s]"), "got times"),
    (np.array([[1, 2j]]), "got complex numbers"),
    (np.array([["1", "1_0"]]), "got texts"),
    (np.array([[1, "1_0"]], dtype=object), "got str '1_0'"),
    (np.array([[1, 2j]], dtype=object), "got complex 2j"),
    (np.array([[np.timedelta64(1, "s")]], dtype=object), "got timedelta64"),
    (pd.DataFrame({"day": pd.to_datetime(["2020-01-01"])}), "got dates"),
    (pd.DataFrame({"x": [1.0], "day": pd.to_datetime(["2020-01-01"])}), "got Timestamp"),
    (pd.DataFrame({"colour": pd.Categorical(["red"])}), "got str 'red'"),
)


@given(st.lists(st.integers(0, 9), min_size=6, max_size=6), st.sampled_from(TYPES[:-1]))
def test_criteria_are_those_of_the_same_numbers_as_floats(votes, dtype):
    Y = np.array([[1, 0, 0], [0, 1, 1]])
    scores = np.reshape(votes, (2, 3))
    expected = evaluate(Y, scores.astype(float), scores > 4)
    assert evaluate(Y, scores.astype(dtype), scores > 4) == expected


@given(st.lists(st.integers(-9, 9), min_size=6, max_size=6))
def test_criteria_of_negative_bytes(votes):
    """The smallest int8 has no negative: -(-128) is -128."""
    scores = np.where(np.array(votes) == -9, -128, votes).reshape(2, 3)
    Y = np.array([[1, 0, 0], [0, 1, 1]])
    expected = evaluate(Y, scores.astype(float), scores > 0)
    assert evaluate(Y, scores.astype(np.int8), scores > 0) == expected


@pytest.mark.parametrize("dtype", TYPES + NULLABLE)
def test_real_array_keeps_the_numbers_of_each_type(dtype):
    numbers = pd.DataFrame([[0, 1], [1, 1]]).astype(dtype)
    assert real_array("X", numbers).tolist() == [[0, 1], [1, 1]]
    if dtype not in NULLABLE:
        assert real_array("X", numbers.to_numpy()).tolist() == [[0, 1], [1, 1]]
    assert real_array("X", numbers).dtype == np.float64


@pytest.mark.parametrize("dtype", NULLABLE)
def test_a_missing_value_of_pandas_is_nan(dtype):
    numbers = pd.DataFrame({"x": pd.array([1, None], dtype=dtype), "y": [0.5, 2]})
    expected = [[1, 0.5], [np.nan, 2]]
    np.testing.assert_array_equal(real_array("X", numbers), expected)
    np.testing.assert_array_equal(Bags.from_list([numbers]).instances, expected)


def test_decimals_and_none_in_an_array_of_objects():
    cells = np.array([Decimal("0.5"), None, True], dtype=object)
    np.testing.assert_array_equal(real_array("X", cells), [0.5, np.nan, 1])


@pytest.mark.parametrize(("values", "message"), REFUSED)
def test_what_float64_would_lose_is_refused_everywhere(values, message):
    Y = np.ones(np.shape(values), dtype=bool)
    with pytest.raises(ValueError, match=f"bag 0 .*{message}"):
        Bags.from_list([values])
    with pytest.raises(ValueError, match=f"scores .*{message}"):
        evaluate(Y, values, Y)
    with pytest.raises(ValueError, match="Y "):
        evaluate(values, 1.0 * Y, Y)
    with pytest.raises(ValueError, match="predicted "):
        accuracy([1], np.ravel(values) if values is not MASKED else MASKED[0])


def test_learners_of_vectors_refuse_masks_and_dates():
    for values, message in REFUSED[:3]:
        table = np.ma.concatenate([values, values]) if values is MASKED else [*values, *values]
        with pytest.raises(ValueError, match=message):
            MlKnn(n_neighbors=1).fit(table, [[1, 0], [0, 1]])


@given(st.permutations(["sea", "sky", "3", "a b"]))
def test_order_by_name_finds_each_name(names):
    wanted = ["sea", "sky", "3", "a b"]
    assert [names[place] for place in order_by_name("names", names, wanted)] == wanted


def test_numbered_rows_keep_their_places():
    for names in ([0, 1, 2], [5, 9, 7], pd.RangeIndex(3)):
        assert order_by_name("rows", names, ["a", "b", "c"]).tolist() == [0, 1, 2]
        assert order_by_name("rows", ["a", "b", "c"], names).tolist() == [0, 1, 2]
    assert order_by_name("rows", [3, 1, 2], ["1", "2", "3"]).tolist() == [1, 2, 0]


def test_other_names_are_refused():
    for names, message in ((["a", "c"], "'b', 'c'"), (["a", "a"], "'b'")):
        with pytest.raises(ValueError, match=f"rows must have the same names .*{message}"):
            order_by_name("rows", names, ["a", "b"])
    with pytest.raises(ValueError, match="got names that repeat"):
        order_by_name("rows", ["a", "b", "b"], ["a", "a", "b"])
