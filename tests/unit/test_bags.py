import numpy as np
import pytest
from sklearn.preprocessing import MinMaxScaler

from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.bags import Bags, as_bags
from mimlpaper.datasets import labelled_bags


def test_two_bags_by_hand():
    """Bag 0 holds (0, 1); bag 1 holds (2, 3) and (4, 5)."""
    bags = Bags.from_list([[[0, 1]], [[2, 3], [4, 5]]])
    assert len(bags) == 2
    assert bags.shape == (2,)
    assert bags.sizes.tolist() == [1, 2]
    assert bags.offsets.tolist() == [0, 1, 3]
    assert bags.instances.dtype == np.float64
    assert bags.n_features == 2
    assert bags.n_instances == 3
    assert bags.bag_of_instance.tolist() == [0, 1, 1]
    assert [bag.tolist() for bag in bags] == [[[0, 1]], [[2, 3], [4, 5]]]
    assert bags.max(bags.instances).tolist() == [[0, 1], [4, 5]]
    assert bags.sum(bags.instances).tolist() == [[0, 1], [6, 8]]
    assert bags.mean(bags.instances).tolist() == [[0, 1], [3, 4]]
    assert bags.mean(np.array([1.0, 2.0, 4.0])).tolist() == [1, 3]


def test_indexing_agrees_with_a_list(bags):
    as_list = list(bags)
    rows = [7, 0, 7, 29]
    mask = np.arange(30) % 3 == 0
    for key, expected in [
        (rows, [as_list[i] for i in rows]),
        (mask, [bag for bag, keep in zip(as_list, mask, strict=True) if keep]),
        (slice(5, 20, 4), as_list[5:20:4]),
    ]:
        chosen = bags[key]
        assert isinstance(chosen, Bags)
        assert len(chosen) == len(expected)
        assert all(np.array_equal(a, b) for a, b in zip(chosen, expected, strict=True))
    assert np.array_equal(bags[-1], as_list[-1])
    with pytest.raises(IndexError):
        bags[30]


def test_with_instances_keeps_the_bags(bags):
    doubled = bags.with_instances(np.hstack([bags.instances, bags.instances]))
    assert doubled.n_features == 6
    assert np.array_equal(doubled.sizes, bags.sizes)


def test_as_bags_takes_lists_and_bags(bags):
    assert as_bags(bags) is bags
    assert np.array_equal(as_bags(list(bags)).instances, bags.instances)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([], "at least one bag"),
        ([[[1.0]], np.empty((0, 1))], "bag 1 is empty"),
        ([[[1.0]], [[np.nan]]], "bag 1 holds NaN or infinity"),
        ([[[1.0]], [[2.0], [np.inf]]], "bag 1 holds NaN or infinity"),
        ([[[1.0]], [[1.0, 2.0]]], "bag 1 has 2 features, bag 0 has 1"),
        ([[1.0, 2.0]], "bag 0 must be 2-D"),
        (np.ones((3, 2)), "one 2-D array"),
    ],
)
def test_bad_bags_are_refused(value, message):
    with pytest.raises(ValueError, match=message):
        as_bags(value)


@pytest.mark.parametrize(
    ("offsets", "message"),
    [([0, 1], "from 0 to the number of instances, 2, got"), ([1, 2], "from 0 to"), ([0, 0, 2], "bag 0")],
)
def test_offsets_that_do_not_fit_are_refused(offsets, message):
    with pytest.raises(ValueError, match=message):
        Bags(np.ones((2, 1)), offsets)


def test_bags_add_up(bags):
    both = bags[:3] + bags[5:]
    assert len(both) == len(bags) - 2
    assert np.array_equal(both[3], bags[5])
    assert np.array_equal((bags[:1] + list(bags[1:])).instances, bags.instances)
    with pytest.raises(ValueError, match="has 1 features, bag 0 has 3"):
        bags + Bags.from_list([np.zeros((2, 1))])
    with pytest.raises(TypeError):
        bags + 1


def test_bags_are_no_array(bags):
    """NumPy would make an array of objects or fail deep inside scikit-learn."""
    with pytest.raises(TypeError, match="SumInstances"):
        np.asarray(bags)
    with pytest.raises(TypeError, match="list"):
        MinMaxScaler().fit(bags)


def test_a_data_set_in_place_of_its_bags(bags):
    data = labelled_bags(bags, np.ones((len(bags), 1)), ["sea"])
    with pytest.raises(ValueError, match=r"holds bags and labels; give its parts: fit\(data.X"):
        MimlNn().fit(data, data.Y)


@pytest.mark.parametrize("value", [1e160, -1e151])
def test_values_whose_squares_overflow_are_refused_by_bag(value):
    with pytest.raises(ValueError, match=r"bag 1 holds -?1e\+1.*within 1e\+150"):
        Bags.from_list([[[0.0, 1.0]], [[0.0, value]]])
