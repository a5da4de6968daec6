"""Bags, the checks and rules that estimators share, and the first steps of pipelines."""

from collections import UserDict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MinMaxScaler,
    OneHotEncoder,
)

from mimlpaper import MedoidMap, MimlNn, MiSvmBag, MlKnn, SumInstances
from mimlpaper.bags import Bags, as_bags, names_of_examples
from mimlpaper.base import check_labels, label_sets
from mimlpaper.datasets import TextBags, labelled_bags
from mimlpaper.distances import average_hausdorff, max_hausdorff, set_kernel_distance
from mimlpaper.metrics import hamming_loss
from mimlpaper.preprocessing import (
    BagStatistics,
    ConcatenateInstances,
    MeanInstances,
    OnInstances,
)


@pytest.fixture
def two_bags():
    """Bag 0 holds (0, 1); bag 1 holds (2, 3) and (4, 5)."""
    return Bags.from_list([[[0, 1]], [[2, 3], [4, 5]]])


def test_sizes_of_two_bags_by_hand(two_bags):
    assert len(two_bags) == 2
    assert two_bags.shape == (2,)
    assert two_bags.sizes.tolist() == [1, 2]
    assert two_bags.offsets.tolist() == [0, 1, 3]
    assert two_bags.bag_of_instance.tolist() == [0, 1, 1]
    assert two_bags.instances.dtype == np.float64
    assert repr(two_bags) == "Bags(2 bags, 3 instances, 2 features)"


def test_vectors_of_two_bags_by_hand(two_bags):
    largest = two_bags.max(two_bags.instances)
    assert largest.tolist() == [[0, 1], [4, 5]]
    means = two_bags.mean(np.array([1.0, 2.0, 4.0]))
    assert means.tolist() == [1, 3]
    sums = SumInstances().fit_transform(list(two_bags))
    assert sums.tolist() == [[0, 1], [6, 8]]
    means = MeanInstances().fit_transform(two_bags)
    assert means.tolist() == [[0, 1], [3, 4]]
    joined = ConcatenateInstances().fit_transform(two_bags[1:])
    assert joined.tolist() == [[2, 3, 4, 5]]


def test_what_needs_vectors_says_how_to_make_them(two_bags):
    with pytest.raises(ValueError, match="one size, 1, got one of 2"):
        ConcatenateInstances().fit_transform(two_bags)
    of_one = ConcatenateInstances().fit(two_bags[:1])
    with pytest.raises(ValueError, match="one size, 1, got one of 2"):
        of_one.transform(two_bags[1:])
    message = r"list\(bags\), or .* SumInstances"
    with pytest.raises(TypeError, match=message):
        MinMaxScaler().fit(two_bags)


@pytest.mark.parametrize("what", [None, 5, "bags.csv"], ids=repr)
def test_what_holds_no_bags_is_refused_by_the_name_of_the_argument(what):
    message = f"bags must be Bags or a list of 2-D arrays, got {what!r}"
    with pytest.raises(ValueError, match=message):
        Bags.from_list(what)


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        ([0, 1.9, 3], "whole numbers, got 1.9"),
        ([0, np.nan, 3], "whole numbers, got nan"),
        ([0, np.inf, 3], "whole numbers, got inf"),
        ([0, 1 + 5j, 3], "real numbers, got complex"),
        (np.array([0, 1, 3], dtype="m8[s]"), "real numbers, got times"),
        (["0", "1", "3"], "real numbers, got texts"),
    ],
    ids=str,
)
def test_offsets_must_be_whole_numbers(offsets, message):
    with pytest.raises(ValueError, match=f"offsets must (be|hold) {message}"):
        Bags(np.ones((3, 1)), offsets)


@pytest.mark.parametrize("dtype", ["uint8", "int64", "float64", "object"])
def test_whole_offsets_of_any_type_are_read(dtype):
    offsets = np.array([0, 2, 3], dtype=dtype)
    bags = Bags(np.ones((3, 1)), offsets)
    assert bags.sizes.tolist() == [2, 1]


def assert_same_bags(bags, expected):
    assert isinstance(bags, Bags)
    assert len(bags) == len(expected)
    # One by one, as sizes differ.
    for bag, expected_bag in zip(bags, expected, strict=True):
        assert np.array_equal(bag, expected_bag)


def test_indexing_and_adding_agree_with_a_list(bags):
    as_list = list(bags)
    picked = [as_list[i] for i in (7, 0, 7, 29)]
    assert_same_bags(bags[[7, 0, 7, 29]], picked)
    is_third = np.arange(30) % 3 == 0
    assert_same_bags(bags[is_third], as_list[::3])
    assert_same_bags(bags[5:20:4], as_list[5:20:4])
    assert_same_bags(bags[:3] + bags[5:], as_list[:3] + as_list[5:])
    assert_same_bags(bags[:1] + as_list[1:], as_list)
    assert np.array_equal(bags[-1], as_list[-1])
    assert as_bags(bags) is bags
    with pytest.raises(IndexError):
        bags[30]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "at least one bag"),
        ([[[1.0]], np.empty((0, 1))], "bag 1 is empty"),
        ([[[1.0]], [[np.nan]]], "bag 1 holds nan"),
        (
            [[[0.0, 1.0]], [[0.0, -1e151]]],
            r"bag 1 holds -1e\+151; .*within 1e\+150.*overflow",
        ),
        ([[[1.0]], [[1.0, 2.0]]], "bag 1 has 2 features, bag 0 has 1"),
        ([[1.0, 2.0]], "bag 0 must be 2-D"),
        (np.ones((3, 2)), r"one 2-D array.*of one instance list\(\w+\[:, None, :\]\)"),
        (
            pd.DataFrame(np.ones((3, 2))),
            r"one table; .*list\(\w+\.to_numpy\(\)\[:, None, :\]\)",
        ),
        (MimlNn(), "got the estimator MimlNn; are two arguments swapped"),
        (
            labelled_bags([[[0.0]]], [[1]], ["sea"]),
            r"give parts: fit\(data.X",
        ),
    ],
)
def test_bad_bags_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        as_bags(given)


def test_one_table_is_no_list_of_bags():
    table = pd.DataFrame({"x": [1.0, 2.0]})
    message = (
        r"bags must be .*, got one table; .* give list\(bags\.to_numpy\(\)\[:, None, :\]\)"
    )
    with pytest.raises(ValueError, match=message):
        Bags.from_list(table)
    assert Bags.from_list(list(table.to_numpy()[:, None, :])).sizes.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        ([0, 1], "2 instances"),
        ([1, 2], "from 0"),
        ([0, 0, 2], "bag 0 is"),
    ],
)
def test_bad_offsets_are_refused(offsets, message):
    with pytest.raises(ValueError, match=message):
        Bags(np.ones((2, 1)), offsets)


def test_label_rules_by_hand():
    """Scores (.3, -.2, 0), all negative, and a tie for the top."""
    scores = np.array(
        [
            [0.3, -0.2, 0.0],
            [-0.5, -0.1, -0.9],
            [-1.0, -1.0, -2.0],
        ]
    )
    by_sign = label_sets(scores, "sign")
    assert by_sign.tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]
    by_top = label_sets(scores, "top")
    assert by_top.tolist() == [[1, 0, 1], [0, 1, 0], [1, 0, 0]]
    # The rule of a single label is its sign.
    of_one_label = label_sets(scores[:, 1:2], "top")
    assert of_one_label.tolist() == [[0], [0], [0]]


@pytest.mark.parametrize(
    "Y",
    [[[1, 0], [0, 1]], csr_array(np.eye(2))],
    ids=["list", "sparse"],
)
def test_labels_become_booleans(Y):
    labels = check_labels(Y, 2)
    assert labels.dtype == bool
    assert labels.tolist() == [[1, 0], [0, 1]]


def test_bad_labels_are_refused():
    with pytest.raises(ValueError, match=r"got .*nan"):
        check_labels([[1, np.nan]], 2)
    with pytest.raises(ValueError, match="with labels"):
        check_labels(np.empty((2, 0)), 2)


P = pd.DataFrame({"x": [1.0, 2.0], "y": 3.0})
Q = pd.DataFrame({"x": [5.0], "y": 0})


def assert_named(bags):
    assert list(bags.names) == ["p", "q"]
    assert list(bags.feature_names) == ["x", "y"]


@pytest.mark.parametrize(
    "given",
    [pd.Series([P, Q], index=["p", "q"]), {"p": P, "q": Q}, UserDict(p=P, q=Q)],
    ids=["series", "dict", "mapping"],
)
def test_names_stay_with_the_bags(given):
    bags = Bags.from_list(given)
    assert_named(bags)
    assert list(names_of_examples(given)) == ["p", "q"]
    assert_named(bags[:1] + bags[1:])
    turned_twice = bags[[1, 0]][::-1]
    assert_named(turned_twice)
    scaled = OnInstances(MinMaxScaler()).fit_transform(bags)
    assert_named(scaled)
    assert scaled.instances.tolist() == [[0, 1], [0.25, 1], [1, 0]]


def test_names_that_do_not_match_are_refused():
    exchanged = Q[["y", "x"]]
    scaler = OnInstances(MinMaxScaler()).fit([P, Q])
    with pytest.raises(ValueError, match="feature names should match"):
        scaler.transform([exchanged])
    with pytest.raises(ValueError, match="bag 1 has the columns"):
        Bags.from_list([P, exchanged])
    with pytest.raises(ValueError, match="names must be 2, got 1"):
        Bags([[1.0], [2.0]], [0, 1, 2], names=["a"])


def test_added_bags_are_matched_by_the_names_of_features():
    """The second table has its columns in another order; without names they keep their places."""
    p = pd.DataFrame({"x": [1.0], "y": [2.0]})
    q = pd.DataFrame({"y": [20.0], "x": [10.0]})
    bags = Bags.from_list({"p": p}) + Bags.from_list({"q": q})
    assert bags.instances.tolist() == [[1, 2], [10, 20]]
    assert_named(bags)

    without_names = Bags.from_list([[[0.0, 0.0]]])
    bags = without_names + Bags.from_list([q])
    assert bags.feature_names == ["y", "x"]

    renamed = q.rename(columns={"x": "z"})
    message = "features of added bags must have the same names"
    with pytest.raises(ValueError, match=message):
        Bags.from_list([p]) + Bags.from_list([renamed])
    with pytest.raises(ValueError, match="added bags need 2 features, got 1"):
        Bags.from_list([p]) + Bags.from_list([[[1.0]]])


@pytest.mark.parametrize("distance", [max_hausdorff, average_hausdorff, set_kernel_distance])
def test_distances_match_the_names_of_features(distance):
    """The second table has its columns in another order."""
    p = pd.DataFrame({"x": [0.0, 1.0], "y": [2.0, 3.0]})
    q = pd.DataFrame({"x": [10.0], "y": [20.0]})
    of_arrays = distance([p.to_numpy()], [q.to_numpy()])
    assert distance([p], [q[["y", "x"]]]) == of_arrays
    with pytest.raises(ValueError, match="features of B must have the same names"):
        distance([p], [q.rename(columns={"x": "z"})])


@pytest.mark.parametrize("learner", [MlKnn(n_neighbors=1), MimlNn(ratio=1.0, random_state=0)])
def test_a_fit_matches_labels_with_examples_by_name(learner):
    """One example alone has each label, so that labels by place would be learnt wrong."""
    names = ["p", "q", "r", "s"]
    table = pd.DataFrame(np.eye(4), index=names)
    bags = {name: table.loc[[name]] for name in names}
    X = table if isinstance(learner, MlKnn) else bags
    Y = pd.DataFrame(np.eye(4, dtype=int), names, ["a", "b", "c", "d"])

    learner.fit(X, Y.to_numpy())
    by_place = learner.decision_function(X)
    learner.fit(X, Y.iloc[[2, 0, 3, 1]])
    by_name = learner.decision_function(X)
    np.testing.assert_array_equal(by_name, by_place)

    # Without names of examples, those of labels are kept.
    learner.fit(X, Y.reset_index(drop=True))
    np.testing.assert_array_equal(learner.label_names_, Y.columns)
    message = "X and Y must have the same names on both sides"
    with pytest.raises(ValueError, match=message):
        learner.fit(X, Y.rename(index={"p": "t"}))


@given(
    names=st.sampled_from([["p", "q", "r", "s"], [0, 1, 2, 3]]),
    order_of_bags=st.permutations(range(4)),
    order_of_labels=st.permutations(range(4)),
    features=st.permutations(["x", "y"]),
)
def test_names_decide_whatever_the_order(names, order_of_bags, order_of_labels, features):
    """The bag i holds (i, 10 i), and has the label i alone."""
    instances = pd.DataFrame({"x": range(4), "y": range(0, 40, 10)}, names)
    bags = {names[i]: instances.iloc[[i]] for i in order_of_bags}
    Y = pd.DataFrame(np.eye(4, dtype=int), names)
    shuffled = Y.iloc[order_of_labels]

    in_order = [instances.iloc[[i]] for i in range(4)]
    expected = MimlNn(ratio=1.0).fit(in_order, Y.to_numpy()).decision_function(in_order)
    scores = MimlNn(ratio=1.0).fit(bags, shuffled).decision_function(in_order)
    np.testing.assert_allclose(scores, expected, atol=1e-6)

    data = labelled_bags(bags, shuffled)
    np.testing.assert_array_equal(data.X.instances[:, 0], data.Y.argmax(axis=1))
    assert data[shuffled[2] == 1].bag_names == (str(names[2]),)
    added = data.X + Bags.from_list({"more": instances[features].iloc[[3]]})
    assert added.instances[-1].tolist() == [3, 30]

    if shuffled.index.equals(Y.index):
        assert hamming_loss(Y, shuffled) == 0
    else:
        with pytest.raises(ValueError, match="must have the same index in the same order"):
            hamming_loss(Y, shuffled)


def test_a_fit_of_one_label_matches_it_by_name():
    names = ["p", "q", "r", "s"]
    bags = pd.Series([[[0.0]], [[1.0]], [[2.0]], [[3.0]]], index=names)
    y = pd.Series([0, 0, 1, 1], index=names)
    svm = MiSvmBag(kernel="linear", C=100.0)
    svm.fit(bags, y.to_numpy())
    by_place = svm.decision_function(bags)
    assert (by_place > 0).tolist() == [False, False, True, True]
    svm.fit(bags, y[::-1])
    by_name = svm.decision_function(bags)
    np.testing.assert_array_equal(by_name, by_place)


def test_cells_of_matlab_are_bags():
    column = np.empty((2, 1), dtype=object)
    column[0, 0] = np.ones((2, 3))
    column[1, 0] = np.zeros((1, 3))
    assert as_bags(column).sizes.tolist() == [2, 1]
    row = column.T
    assert as_bags(row).sizes.tolist() == [2, 1]
    nested = np.empty((1, 1), dtype=object)
    nested[0, 0] = np.ones((2, 3))
    with pytest.raises(
        ValueError, match=r"bag 0 must hold numbers, got a cell .* \.item\(\) does"
    ):
        as_bags([nested])
    assert as_bags([nested.item()]).sizes.tolist() == [2]
    numbers = np.array([[1.0], [2.0]], dtype=object)
    with pytest.raises(ValueError, match="one 2-D array"):
        as_bags(numbers)


@pytest.fixture
def named_bag():
    table = pd.DataFrame({"x": [1.0, 3.0], "y": [0.0, 0.0]})
    return Bags.from_list({"p": table})


def test_statistics_of_bags_have_names(named_bag):
    statistics = BagStatistics().fit(named_bag)
    vectors = statistics.transform(named_bag)
    assert vectors.tolist() == [[2, 0, 1, 0, 1, 0, 3, 0, 2]]
    names = statistics.get_feature_names_out()
    assert names[[0, 3, 8]].tolist() == ["x_mean", "y_std", "size"]
    statistics.set_output(transform="pandas")
    frame = statistics.transform(named_bag)
    assert frame["x_max"].tolist() == [3]


@pytest.mark.parametrize("kind", [BagStatistics, SumInstances, ConcatenateInstances])
def test_without_a_fit_there_are_vectors_but_no_frame(named_bag, kind):
    transformer = kind()
    assert isinstance(transformer.transform(named_bag), np.ndarray)
    transformer.set_output(transform="pandas")
    with pytest.raises(NotFittedError, match=f"{kind.__name__} names its columns.* call fit"):
        transformer.transform(named_bag)


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (SumInstances, ["x_sum", "y_sum"]),
        (MeanInstances, ["x_mean", "y_mean"]),
        (ConcatenateInstances, ["x_0", "y_0", "x_1", "y_1"]),
    ],
)
def test_features_of_vectors_have_names(named_bag, kind, names):
    transformer = kind().fit(named_bag)
    assert transformer.get_feature_names_out().tolist() == names


def test_distances_and_steps_of_pipelines_have_names(named_bag):
    medoid_map = MedoidMap(ratio=1.0).fit(named_bag)
    names = medoid_map.get_feature_names_out()
    assert names.tolist() == ["medoidmap0"]

    pipeline = make_pipeline(OnInstances(MinMaxScaler()), MeanInstances())
    pipeline.fit(list(named_bag))
    names = pipeline.get_feature_names_out()
    assert names.tolist() == ["x0_mean", "x1_mean"]


def test_a_transformer_of_sparse_features_is_refused_with_the_remedy():
    one_hot = OnInstances(OneHotEncoder()).fit([[[1.0], [2.0]]])
    message = "dense features, got sparse ones of OneHotEncoder; set its sparse_output=False"
    with pytest.raises(ValueError, match=message):
        one_hot.transform([[[1.0]]])
    in_bins = OnInstances(KBinsDiscretizer(2, quantile_method="linear")).fit([[[1.0], [2.0]]])
    with pytest.raises(ValueError, match="of KBinsDiscretizer encode='onehot-dense'"):
        in_bins.transform([[[1.0]]])
    dense = in_bins.set_params(transformer__encode="onehot-dense").fit([[[1.0], [2.0]]])
    assert dense.transform([[[1.0]]]).instances.tolist() == [[1, 0]]


def test_an_unknown_statistic_is_refused(named_bag):
    message = r"statistics must be of .*, got 'median'"
    with pytest.raises(ValueError, match=message):
        BagStatistics(["median"]).fit_transform(named_bag)


def test_names_in_a_series_go_by_place():
    names = pd.Series(["a", "b", "c"], index=[2, 0, 1])
    bags = Bags(np.eye(3), [0, 1, 2, 3], None, names)
    assert list(bags[[2, 0]].names) == ["c", "a"]


def chosen_names(key):
    bags = {"b1": [[1.0]], "b2": [[2.0]], "b3": [[3.0]]}
    data = labelled_bags(bags, [[1], [0], [0]])[key]
    assert data.Y[:, 0].tolist() == [name == "b1" for name in data.bag_names]
    assert Bags.from_list(bags)[key].names == list(data.bag_names)
    return data.bag_names


def test_a_series_of_booleans_chooses_bags_by_name():
    truths = [True, False, False]
    assert chosen_names(pd.Series(truths, ["b3", "b1", "b2"])) == ("b3",)
    assert chosen_names(pd.Series(truths, ["b3", "b1", "b2"], dtype="boolean")) == ("b3",)
    assert chosen_names(pd.Series(truths)) == ("b1",)  # numbered rows go by place
    with pytest.raises(ValueError, match="key and the bags must have the same names"):
        chosen_names(pd.Series(truths, ["b3", "b1", "b4"]))


def test_a_series_of_booleans_chooses_bags_without_names_by_their_numbers():
    bags = Bags.from_list([[[1.0]], [[2.0]], [[3.0]]])
    numbered = pd.Series([True, False, False])
    assert bags[numbered].instances.tolist() == [[1]]
    shuffled = numbered[[2, 0, 1]]
    with pytest.raises(
        ValueError, match=r"key must have the order .* give key\.sort_index\(\)"
    ):
        bags[shuffled]
    assert bags[shuffled.sort_index()].instances.tolist() == [[1]]


def test_a_masked_key_is_refused():
    masked = np.ma.masked_array([True] * 3, [0, 1, 0])
    message = r"key must have no masked values; fill them, .* truths as \.filled\(False\)"
    with pytest.raises(ValueError, match=message):
        chosen_names(masked)
    chosen = Bags.from_list([[[1.0]], [[2.0]], [[3.0]]])[masked.filled(False)]
    assert chosen.instances.tolist() == [[1], [3]]


def test_values_of_instances_may_be_a_list_and_have_no_masks(two_bags):
    assert two_bags.sum([1, 2, 3]).tolist() == [1, 5]
    assert two_bags.max(pd.Series([1, 2, 3], index=[7, 8, 9])).tolist() == [1, 3]
    masked = np.ma.masked_array([1.0, 2.0, 3.0], [False, True, False])
    for over_bags in (two_bags.sum, two_bags.mean, two_bags.max):
        with pytest.raises(ValueError, match="values must have no masked values"):
            over_bags(masked)


@pytest.mark.parametrize("scores", [np.ma.masked_array([[1.0]], [[True]]), [[1j]]], ids=repr)
def test_labels_are_decided_by_real_scores(bags, scores):
    labels = [[0], [1]] * 15
    with pytest.raises(ValueError, match="scores must h"):
        MimlNn(random_state=0).fit(bags, labels).decide(scores)
    with pytest.raises(ValueError, match="scores must h"):
        MiSvmBag().fit(bags, np.ravel(labels)).decide(np.ma.ravel(scores))


def test_names_without_an_order_are_refused():
    with pytest.raises(ValueError, match="feature_names must have an order, as in a list"):
        Bags(np.eye(2), [0, 1, 2], feature_names={"a", "b"})
    with pytest.raises(ValueError, match="names must have an order, as in a list"):
        Bags(np.eye(2), [0, 1, 2], names={"a", "b"})


def test_bags_of_which_none_is_chosen_are_refused():
    with pytest.raises(ValueError, match=r"from 0 to 0 instances, .*; is no bag chosen\?"):
        chosen_names([False] * 3)


def test_cells_of_matlab_are_a_list_of_bags_as_the_error_says():
    cells = np.empty((2, 1), dtype=object)
    cells[0, 0], cells[1, 0] = np.array([[1.0]]), np.array([[2.0]])
    with pytest.raises(ValueError, match=r"of cells of MATLAB list\(bags.ravel\(\)\)"):
        Bags.from_list(cells)
    assert len(Bags.from_list(list(cells.ravel()))) == 2


def test_columns_of_a_table_of_instances_name_the_features():
    table = pd.DataFrame([[1.0, 2.0]], columns=["b", "a"])
    bags = Bags(table, [0, 1])
    assert list(bags.feature_names) == ["b", "a"]
    both = Bags([[2.0, 1.0]], [0, 1], ["a", "b"]) + bags
    assert both.instances.tolist() == [[2.0, 1.0], [2.0, 1.0]]


def test_values_of_another_number_of_instances_are_refused():
    bags = Bags(np.eye(3), [0, 2, 3])
    with pytest.raises(ValueError, match="values must be of 3 instances, got 4"):
        bags.sum(np.ones(4))


def test_offsets_that_fall_are_refused():
    with pytest.raises(ValueError, match="offsets must not fall, got 3 after 5"):
        Bags(np.eye(3), [0, 5, 3])


def test_a_step_without_names_leaves_features_without_names():
    tables = [pd.DataFrame({"a": [0.0, 1.0], "b": [2.0, 4.0]})]
    rooted = OnInstances(make_pipeline(MinMaxScaler(), FunctionTransformer(np.sqrt)))
    assert rooted.fit_transform(tables).feature_names is None


@pytest.mark.parametrize("dtype", [np.float16, object])
def test_sums_are_exact_whatever_holds_the_values(dtype):
    """In half precision 2048 + 1 is 2048."""
    bags = Bags(np.ones((4, 1)), [0, 4])
    assert bags.sum(np.array([2048, 1, 1, 1], dtype)).tolist() == [2051]
    with pytest.raises(
        ValueError, match="values must hold real numbers, got complex numbers"
    ):
        bags.max(np.array([1, 2, 3, 1j]))


@pytest.mark.parametrize("scores", [[[np.nan, -1.0]], [0.1, 0.2]], ids=repr)
def test_scores_to_decide_on_are_a_table_without_nan(scores):
    with pytest.raises(
        ValueError, match=r"scores must be \(n_examples, n_labels\), without NaN"
    ):
        MimlNn().decide(scores)


def test_names_of_a_pandas_index_are_no_names_of_examples():
    """Its ``names`` are those of its levels."""
    texts = pd.Index(["oil up", "wheat down"])
    assert names_of_examples(texts) is None
    assert TextBags().fit(texts).transform(texts).names is None


def test_names_of_another_number_are_refused(two_bags):
    with pytest.raises(ValueError, match="names must be 2, got 1"):
        two_bags.with_names(["a"])
    with pytest.raises(ValueError, match="key must be a place, slice, mask or array"):
        two_bags.with_names(["a", "b"])["a"]


def test_names_of_several_types_are_texts_to_a_transformer():
    """scikit-learn takes no names of which some are numbers and some are texts."""
    bag = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["x", 7])
    scaled = OnInstances(MinMaxScaler()).fit_transform([bag, bag + 1])
    assert list(scaled.feature_names) == ["x", "7"]


def test_a_generator_that_a_step_has_used_up_is_no_list_of_bags():
    bags = (np.eye(2) * k for k in range(1, 5))
    steps = make_pipeline(OnInstances(MinMaxScaler()), MimlNn())
    with pytest.raises(ValueError, match=r"a generator gives its bags once: give list\(X\)"):
        steps.fit(bags, [[1, 0], [0, 1]] * 2)


@pytest.mark.parametrize("key", [True, np.False_], ids=str)
def test_a_truth_chooses_no_bag(two_bags, key):
    with pytest.raises(TypeError, match="a bag is chosen by its number"):
        two_bags[key]


@pytest.mark.parametrize(
    "statistics",
    [[], {"mean", "max"}, "mean", None],
    ids=["a list", "a set", "a text", "None"],
)
def test_statistics_are_names_in_an_order(two_bags, statistics):
    """The order of a set changes from process to process, and the columns with it."""
    of_bags = BagStatistics(statistics).fit(two_bags)
    for use in (lambda: of_bags.transform(two_bags), of_bags.get_feature_names_out):
        with pytest.raises(ValueError, match="statistics must be a list of one or more of"):
            use()


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ([["b1", "b2"]], "key must be a place, slice, mask or array of places, got"),
        (np.zeros((2, 2), int), "key must be a place, .* of one dimension"),
        (pd.Series([True, pd.NA], dtype="boolean"), "a missing value in a mask"),
    ],
)
def test_odd_keys_of_bags_are_refused(two_bags, key, message):
    with pytest.raises((ValueError, IndexError), match=message):
        two_bags[key]


def test_groups_of_a_table_are_no_bags():
    table = pd.DataFrame({"bag": ["a", "b"], "f1": [1.0, 2.0]})
    with pytest.raises(
        ValueError, match=r"got groups of a table; give read_bags\(table, labels"
    ):
        Bags.from_list(table.groupby("bag"))


@pytest.mark.parametrize("labels", [["sea", np.nan], ["a", 1], [True, "no"]], ids=str)
def test_texts_beside_others_in_a_list_are_no_labels(two_bags, labels):
    """NumPy would make texts of all: the class 'nan'."""
    with pytest.raises(ValueError, match="y must hold labels of one type, got"):
        MiSvmBag().fit(two_bags, labels)


def test_classes_of_several_types_are_refused(two_bags):
    with pytest.raises(ValueError, match="y must hold labels of one type, got int, str"):
        MiSvmBag().fit(two_bags, np.array([1, "a"], dtype=object))
