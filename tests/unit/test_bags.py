"""Bags, the checks and rules that estimators share, and the first steps of pipelines."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mimlpaper import MedoidMap, MimlNn, MiSvmBag, MlKnn, SumInstances
from mimlpaper.bags import Bags, as_bags
from mimlpaper.base import check_labels, label_sets
from mimlpaper.datasets import labelled_bags
from mimlpaper.preprocessing import BagStatistics, ConcatenateInstances, MeanInstances, OnInstances


def test_two_bags_by_hand():
    """Bag 0 holds (0, 1); bag 1 holds (2, 3) and (4, 5)."""
    bags = Bags.from_list([[[0, 1]], [[2, 3], [4, 5]]])
    assert len(bags) == 2 and bags.shape == (2,) and bags.sizes.tolist() == [1, 2]
    assert bags.offsets.tolist() == [0, 1, 3] and bags.instances.dtype == np.float64
    assert repr(bags) == "Bags(2 bags, 3 instances, 2 features)"
    assert bags.bag_of_instance.tolist() == [0, 1, 1]
    assert bags.max(bags.instances).tolist() == [[0, 1], [4, 5]]
    assert SumInstances().fit_transform(list(bags)).tolist() == [[0, 1], [6, 8]]
    assert MeanInstances().fit_transform(bags).tolist() == [[0, 1], [3, 4]]
    assert bags.mean(np.array([1.0, 2.0, 4.0])).tolist() == [1, 3]
    assert ConcatenateInstances().fit_transform(bags[1:]).tolist() == [[2, 3, 4, 5]]
    with pytest.raises(ValueError, match="sizes from 1 to 2"):
        ConcatenateInstances().fit_transform(bags)
    with pytest.raises(TypeError, match=r"list\(bags\), or .* SumInstances"):
        MinMaxScaler().fit(bags)


def test_indexing_and_adding_agree_with_a_list(bags):
    as_list = list(bags)
    for chosen, expected in [
        (bags[[7, 0, 7, 29]], [as_list[i] for i in (7, 0, 7, 29)]),
        (bags[np.arange(30) % 3 == 0], as_list[::3]),
        (bags[5:20:4], as_list[5:20:4]),
        (bags[:3] + bags[5:], as_list[:3] + as_list[5:]),
        (bags[:1] + as_list[1:], as_list),
    ]:
        assert isinstance(chosen, Bags) and len(chosen) == len(expected)
        assert all(np.array_equal(a, b) for a, b in zip(chosen, expected, strict=True))
    assert np.array_equal(bags[-1], as_list[-1]) and as_bags(bags) is bags
    with pytest.raises(IndexError):
        bags[30]


def test_bad_bags_are_refused():
    for value, message in (
        ([], "at least one bag"),
        ([[[1.0]], np.empty((0, 1))], "bag 1 is empty"),
        ([[[1.0]], [[np.nan]]], "bag 1 holds nan"),
        ([[[0.0, 1.0]], [[0.0, -1e151]]], r"bag 1 holds -1e\+151; .*within 1e\+150.*overflow"),
        ([[[1.0]], [[1.0, 2.0]]], "bag 1 has 2 features, bag 0 has 1"),
        ([[1.0, 2.0]], "bag 0 must be 2-D"),
        (np.ones((3, 2)), "one 2-D array"),
        (labelled_bags([[[0.0]]], [[1]], ["sea"]), r"give parts: fit\(data.X"),
    ):
        with pytest.raises(ValueError, match=message):
            as_bags(value)
    for offsets, message in ([0, 1], "instances, 2"), ([1, 2], "from 0"), ([0, 0, 2], "bag 0 is"):
        with pytest.raises(ValueError, match=message):
            Bags(np.ones((2, 1)), offsets)


def test_label_rules_by_hand_and_labels_in_every_accepted_form():
    """Scores (.3, -.2, 0), all negative, and a tie for the top."""
    scores = np.array([[0.3, -0.2, 0.0], [-0.5, -0.1, -0.9], [-1.0, -1.0, -2.0]])
    assert label_sets(scores, "sign").tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert label_sets(scores, "top").tolist() == [[1, 0, 1], [0, 1, 0], [1, 0, 0]]
    assert label_sets(scores[:, 1:2], "top").tolist() == [[0], [0], [0]]  # of one label: its sign
    for Y in [[1, 0], [0, 1]], csr_array(np.eye(2)):
        labels = check_labels(Y, 2)
        assert labels.dtype == bool and labels.tolist() == [[1, 0], [0, 1]]
    for Y, message in ([[1, np.nan]], "got .*nan"), (np.empty((2, 0)), "with labels"):
        with pytest.raises(ValueError, match=message):
            check_labels(Y, 2)


def test_names_stay_with_the_bags():
    p, q = pd.DataFrame({"x": [1.0, 2.0], "y": 3.0}), pd.DataFrame({"x": [5.0], "y": 0})
    scaler = OnInstances(MinMaxScaler())
    for given in pd.Series([p, q], index=["p", "q"]), {"p": p, "q": q}:
        bags = Bags.from_list(given)
        scaled = scaler.fit_transform(bags)
        for found in bags, bags[:1] + bags[1:], bags[[1, 0]][::-1], scaled:
            assert list(found.names) == ["p", "q"] and list(found.feature_names) == ["x", "y"]
        assert scaled.instances.tolist() == [[0, 1], [0.25, 1], [1, 0]]
    with pytest.raises(ValueError, match="feature names should match"):
        scaler.transform([q[["y", "x"]]])
    with pytest.raises(ValueError, match="bag 1 has the columns"):
        Bags.from_list([p, q[["y", "x"]]])
    with pytest.raises(ValueError, match="names must be 2, got 1"):
        Bags([[1.0], [2.0]], [0, 1, 2], names=["a"])


def test_added_bags_are_matched_by_the_names_of_features():
    """The second table has its columns in another order; without names they keep their places."""
    p, q = pd.DataFrame({"x": [1.0], "y": [2.0]}), pd.DataFrame({"y": [20.0], "x": [10.0]})
    named = Bags.from_list({"p": p}) + Bags.from_list({"q": q})
    assert named.instances.tolist() == [[1, 2], [10, 20]]
    assert (list(named.names), list(named.feature_names)) == (["p", "q"], ["x", "y"])
    assert (Bags.from_list([[[0.0, 0.0]]]) + Bags.from_list([q])).feature_names == ["y", "x"]
    with pytest.raises(ValueError, match="features of added bags must have the same names"):
        Bags.from_list([p]) + Bags.from_list([q.rename(columns={"x": "z"})])
    with pytest.raises(ValueError, match="added bags need 2 features, got 1"):
        Bags.from_list([p]) + Bags.from_list([[[1.0]]])


@pytest.mark.parametrize("learner", [MlKnn(n_neighbors=1), MimlNn(ratio=1.0, random_state=0)])
def test_a_fit_matches_labels_with_examples_by_name(learner):
    """One example alone has each label, so that labels by place would be learnt wrong."""
    names = ["p", "q", "r", "s"]
    table = pd.DataFrame(np.eye(4), index=names)
    X = table if isinstance(learner, MlKnn) else {name: table.loc[[name]] for name in names}
    Y = pd.DataFrame(np.eye(4, dtype=int), names, ["a", "b", "c", "d"])
    by_place = learner.fit(X, Y.to_numpy()).decision_function(X)
    mixed = Y.iloc[[2, 0, 3, 1]]
    np.testing.assert_array_equal(learner.fit(X, mixed).decision_function(X), by_place)
    np.testing.assert_array_equal(learner.fit(X, Y.reset_index()[Y.columns]).classes_, Y.columns)
    with pytest.raises(ValueError, match="X and Y must have the same names on both sides"):
        learner.fit(X, Y.rename(index={"p": "t"}))


def test_a_fit_of_one_label_matches_it_by_name():
    bags = pd.Series({name: np.full((1, 1), float(i)) for i, name in enumerate("pqrs")})
    y = pd.Series([0, 0, 1, 1], index=list("pqrs"))
    learner = MiSvmBag(kernel="linear", C=100.0)
    expected = learner.fit(bags, y.to_numpy()).decision_function(bags)
    assert (expected > 0).tolist() == [False, False, True, True]
    np.testing.assert_array_equal(learner.fit(bags, y[::-1]).decision_function(bags), expected)


def test_cells_of_matlab_are_bags():
    cells = np.empty((2, 1), dtype=object)
    cells[:, 0] = [np.ones((2, 3)), np.zeros((1, 3))]
    for given in cells, cells.T:
        assert as_bags(given).sizes.tolist() == [2, 1]
    with pytest.raises(ValueError, match="one 2-D array"):
        as_bags(np.array([[1.0], [2.0]], dtype=object))


def test_statistics_of_bags_have_names():
    bags = Bags.from_list({"p": pd.DataFrame({"x": [1.0, 3.0], "y": [0.0, 0.0]})})
    statistics = BagStatistics().fit(bags)
    assert statistics.transform(bags).tolist() == [[2, 0, 1, 0, 1, 0, 3, 0, 2]]
    assert statistics.get_feature_names_out()[[0, 3, 8]].tolist() == ["x_mean", "y_std", "size"]
    assert statistics.set_output(transform="pandas").transform(bags)["x_max"].tolist() == [3]
    for kind, names in (
        (SumInstances, ["x_sum", "y_sum"]),
        (MeanInstances, ["x_mean", "y_mean"]),
        (ConcatenateInstances, ["x_0", "y_0", "x_1", "y_1"]),
    ):
        assert kind().fit(bags).get_feature_names_out().tolist() == names
    assert MedoidMap(ratio=1.0).fit(bags).get_feature_names_out().tolist() == ["medoidmap0"]
    names = make_pipeline(OnInstances(MinMaxScaler()), MeanInstances()).fit(list(bags))
    assert names.get_feature_names_out().tolist() == ["x0_mean", "x1_mean"]
    with pytest.raises(ValueError, match=r"statistics must be of .*, got 'median'"):
        BagStatistics(["median"]).fit_transform(bags)
