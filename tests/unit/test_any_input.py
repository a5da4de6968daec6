"""Any input gives the right answer or a ValueError that names the argument.

Small data with many awkward properties: bags of one instance, duplicates, constant features,
integers, lists, read-only arrays, one label, constant labels, huge values. No
input is changed, no score is NaN, nothing takes long.
"""

import re
import signal
import threading
import warnings
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from test_bag_label_estimators import INSTANCE_SCORERS, SUBCOD
from test_estimators import BAG_ESTIMATORS, TABLE_ESTIMATORS

from mimlpaper import (
    Bags,
    KMedoids,
    MedoidMap,
    MimlNn,
    NeighbourMeans,
    OneLabel,
    PrototypeDifferences,
    evaluate,
    max_hausdorff,
)
from mimlpaper.base import ConstantLabelWarning
from mimlpaper.baselines.guess import Guess
from mimlpaper.datasets import DataError, load, load_synthetic_scene, load_synthetic_texts

BAG_LABEL = [*INSTANCE_SCORERS, SUBCOD, OneLabel(MimlNn(random_state=0))]
SCALES = st.sampled_from([1.0, 1.0, 1e9])
SECONDS = 20  # of processor time: a fit of eight bags takes parts of one

few = settings(
    max_examples=15, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)  # fmt: skip


def named(estimator):
    return type(estimator).__name__


def numbers(scale=1.0):
    """Few different values, so that duplicates and constant features are common."""
    return st.sampled_from([0.0, 1.0, -1.0, 0.5, 3.0, 1e-9]).map(lambda value: scale * value)


@st.composite
def bag_lists(draw, scale=1.0, n_features=None):
    """Two to eight bags as lists of arrays, some of them twice."""
    n_features = n_features or draw(st.integers(1, 3))
    sizes = draw(st.lists(st.integers(1, 3), min_size=2, max_size=8))
    row = st.lists(numbers(scale), min_size=n_features, max_size=n_features)
    bags = [draw(st.lists(row, min_size=size, max_size=size)) for size in sizes]
    return [np.array(bag) for bag in [*bags, bags[0]][:8]]


@st.composite
def label_arrays(draw, n_examples):
    """One to three labels; one of them may be constant."""
    n_labels = draw(st.integers(1, 3))
    columns = [
        draw(st.one_of(
            st.lists(st.booleans(), min_size=n_examples, max_size=n_examples),
            st.sampled_from([[True] * n_examples, [False] * n_examples]),
        ))
        for _ in range(n_labels)
    ]  # fmt: skip
    return np.array(columns).T


def written(values, way):
    """The same numbers in another form."""
    if way == "read-only":
        values = values.copy()
        values.setflags(write=False)
    elif way == "list":
        values = values.tolist()
    elif way == "Fortran order":
        values = np.asfortranarray(values)
    elif way == "int8" and np.isin(values, [-1, 0, 1, 3]).all():
        values = values.astype(np.int8)
    return values


WAYS = st.sampled_from(["as it is", "read-only", "list", "Fortran order", "int8"])


@contextmanager
def in_time():
    """A fit that hangs is stopped; seconds are of the processor, not of a busy machine."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_):
        raise TimeoutError(f"more than {SECONDS} seconds")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def names_an_argument(error, estimator=None):
    """Whether the message names what to change: the data, or a parameter of the estimator."""
    words = {"X", "Y", "y", "bag", "bags", "label", "labels", "features", "instances", "samples"}
    if estimator is not None:
        words |= {name.split("__")[-1] for name in estimator.get_params(deep=True)}
    return bool(words & set(re.findall(r"\w+", str(error))))


def scores_or_refusal(estimator, X, labels):
    """Scores of the training data, None if they were refused; no input may change."""
    before = [np.array(bag) for bag in X], np.array(labels)
    try:
        with in_time(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = clone(estimator).fit(X, labels).decision_function(X)
    except ValueError as error:
        assert names_an_argument(error, estimator), error
        return None
    after = [np.array(bag) for bag in X], np.array(labels)
    assert all(map(np.array_equal, before[0], after[0])) and np.array_equal(before[1], after[1])
    return scores


def assert_scores(scores, shape):
    if scores is not None:
        assert scores.shape == shape
        assert np.isfinite(scores).all()


@pytest.mark.parametrize("estimator", BAG_ESTIMATORS, ids=named)
@few
@given(data=st.data())
def test_bags_with_label_sets(data, estimator):
    bags = data.draw(bag_lists(data.draw(SCALES)))
    Y = data.draw(label_arrays(len(bags)))
    X = [written(bag, data.draw(WAYS)) for bag in bags]
    assert_scores(scores_or_refusal(estimator, X, written(Y, data.draw(WAYS))), Y.shape)


@pytest.mark.parametrize("estimator", TABLE_ESTIMATORS, ids=named)
@few
@given(data=st.data())
def test_vectors_with_label_sets(data, estimator):
    bags = data.draw(bag_lists(data.draw(SCALES)))
    table = np.array([bag[0] for bag in bags])
    Y = data.draw(label_arrays(len(bags)))
    X = written(table, data.draw(WAYS))
    assert_scores(scores_or_refusal(estimator, X, written(Y, data.draw(WAYS))), Y.shape)


@pytest.mark.parametrize("estimator", BAG_LABEL, ids=named)
@few
@given(data=st.data())
def test_bags_with_one_label(data, estimator):
    bags = data.draw(bag_lists(data.draw(SCALES)))
    n = len(bags)
    y = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    X = [written(bag, data.draw(WAYS)) for bag in bags]
    scores = scores_or_refusal(estimator, X, written(y, data.draw(WAYS)))
    assert_scores(scores, y.shape)
    assert scores is None or (y.any() and not y.all())


@pytest.mark.parametrize("estimator", TABLE_ESTIMATORS, ids=named)
def test_sparse_vectors_give_the_same_or_are_refused(estimator):
    rng = np.random.default_rng(0)
    table = np.where(rng.random((20, 4)) < 0.5, rng.random((20, 4)), 0.0)
    Y = np.column_stack([table[:, 0] > 0.3, table[:, 1] > 0.3])
    dense = clone(estimator).fit(table, Y).decision_function(table)
    for form in (sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix):
        X = form(table)
        try:
            scores = clone(estimator).fit(X, Y).decision_function(X)
        except (TypeError, ValueError) as error:
            assert re.search("sparse", str(error), re.IGNORECASE)
            continue
        assert np.allclose(scores, dense, atol=1e-6 * (1 + np.abs(dense).max()))


FAULTS = {
    "NaN": lambda bags: [*bags[:-1], np.full_like(bags[-1], np.nan)],
    "infinity": lambda bags: [*bags[:-1], np.full_like(bags[-1], np.inf)],
    "an empty bag": lambda bags: [*bags[:-1], bags[-1][:0]],
    "another number of features": lambda bags: [*bags[:-1], np.hstack([bags[-1]] * 2)],
    "text": lambda bags: [*bags[:-1], np.full(bags[-1].shape, "x")],
    "a bag too many": lambda bags: [*bags, bags[0]],
    "no bags": lambda bags: [],
    "three dimensions": lambda bags: [bag[None] for bag in bags],
    "numbers": lambda bags: [1.0 for _ in bags],
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("estimator", [*BAG_ESTIMATORS, *BAG_LABEL], ids=named)
def test_faulty_bags_are_refused(estimator, fault):
    rng = np.random.default_rng(0)
    bags = [rng.random((size, 2)) for size in (1, 2, 3, 1, 2, 2)]
    labels = np.arange(6) % 2 == 0
    if type(estimator) in map(type, BAG_ESTIMATORS):
        labels = labels[:, None]
    with pytest.raises(ValueError) as caught:
        clone(estimator).fit(FAULTS[fault](bags), labels)
    if fault != "text":  # NumPy's own message tells the text
        assert names_an_argument(caught.value, estimator)


@pytest.mark.parametrize("estimator", [*BAG_ESTIMATORS, *TABLE_ESTIMATORS], ids=named)
@pytest.mark.parametrize(
    "Y",
    [
        np.full((6, 2), 2), np.full((6, 2), 0.5), np.full((6, 2), np.nan), np.ones(6),
        np.ones((6, 0)), np.ones((5, 2)), np.full((6, 2), "yes"), np.full((6, 2), None), [[1], [0]],
    ],
    ids=["two", "half", "NaN", "flat", "no label", "too few", "text", "None", "short list"],
)  # fmt: skip
def test_faulty_label_sets_are_refused(estimator, Y):
    bags = [np.random.default_rng(i).random((2, 2)) for i in range(6)]
    X = bags if type(estimator) in map(type, BAG_ESTIMATORS) else np.array([b[0] for b in bags])
    with pytest.raises(ValueError, match=r"\bY\b|\by\b|label"):
        clone(estimator).fit(X, Y)


@pytest.mark.parametrize("estimator", [*BAG_ESTIMATORS, *TABLE_ESTIMATORS], ids=named)
def test_no_silent_constant(estimator):
    """Labels that depend on the data get varying scores; a constant label gives a warning.

    Guess is the exception: its scores are the labels' frequencies.
    """
    rng = np.random.default_rng(1)
    bags = [rng.random((size, 2)) for size in rng.integers(1, 4, 24)]
    X = bags
    if type(estimator) not in map(type, BAG_ESTIMATORS):
        X = np.array([bag.max(axis=0) for bag in bags])
    Y = np.array([[bag[:, 0].max() > 0.6, bag[:, 1].max() > 0.6, True] for bag in bags])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", ConstantLabelWarning)
        with pytest.warns(ConstantLabelWarning, match=r"\[2\]"):
            fitted = clone(estimator).fit(X, Y)
        varied = np.ptp(fitted.decision_function(X)[:, 0]) > 0
        assert varied != isinstance(estimator, Guess)


@few
@given(data=st.data())
def test_transformations_of_vectors_and_distances(data):
    bags = data.draw(bag_lists(data.draw(st.sampled_from([1.0, 1e9]))))
    table = np.array([bag[0] for bag in bags])
    Y = data.draw(label_arrays(len(bags)))
    for transformation in (PrototypeDifferences(), NeighbourMeans(n_neighbors=2)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            transformed = transformation.fit(table, Y).transform(table)
        assert len(transformed) == len(table)
    D = max_hausdorff(bags, bags)
    assert np.array_equal(D, D.T) and (np.diag(D) == 0).all() and (D >= 0).all()
    k = data.draw(st.integers(-1, 10))
    if 1 <= k <= len(bags):
        assert len(set(KMedoids(k, random_state=0).fit(D).medoid_indices_)) == k
    else:
        with pytest.raises(ValueError, match="n_clusters must lie"):
            KMedoids(k, random_state=0).fit(D)
    assert np.isfinite(MedoidMap(random_state=0).fit_transform(bags)).all()


@few
@given(data=st.data())
def test_criteria_of_any_scores(data):
    """Defined and within their ranges, or refused, and never NaN."""
    n, q = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 4))
    values = st.lists(numbers(), min_size=q, max_size=q)
    scores = np.array(data.draw(st.lists(values, min_size=n, max_size=n)))
    truth = st.lists(st.booleans(), min_size=q, max_size=q)
    Y = np.array(data.draw(st.lists(truth, min_size=n, max_size=n)))
    try:
        found = evaluate(Y, scores, scores > 0)
    except ValueError as error:
        assert "Y has no bag" in str(error)
        assert (Y.all(axis=1) | ~Y.any(axis=1)).all()
        return
    assert 0 <= found.pop("coverage") <= q - 1
    assert all(0 <= value <= 1 for value in found.values())
    with pytest.raises(ValueError, match="NaN"):
        evaluate(Y, np.where(scores == scores[0, 0], np.nan, scores), scores > 0)


@few
@given(offsets=st.lists(st.integers(-3, 9), max_size=6))
def test_bags_of_any_offsets(offsets):
    """The offsets are those of whole bags, or refused."""
    instances = np.arange(12.0).reshape(6, 2)
    try:
        bags = Bags(instances, offsets)
    except ValueError as error:
        assert names_an_argument(error) or "offsets" in str(error)
        return
    assert np.array_equal(np.concatenate(list(bags)), instances)


@few
@given(name=st.text(max_size=12))
def test_any_name_of_a_data_set(name):
    with pytest.raises(ValueError, match="no data set is named"):
        load(name)


@pytest.mark.parametrize("name", ["scene", "reuters", "yeast", "yahoo:Arts", "musk1"])
def test_a_data_home_that_is_no_folder(tmp_path, name):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(DataError, match=str(tmp_path / "file")):
        load(name, tmp_path / "file")


@pytest.mark.parametrize(
    "call", [lambda n: load_synthetic_scene(n_images=n), lambda n: load_synthetic_texts(n_texts=n)]
)
@pytest.mark.parametrize("n", [0, -1])
def test_no_examples_to_draw(call, n):
    with pytest.raises(ValueError, match="n_"):
        call(n)
