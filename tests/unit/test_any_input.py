"""Any input gives finite scores, or a ValueError that names what to change; no input is changed."""

import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from test_estimators import OF_BAGS, OF_ONE_LABEL, OF_VECTORS, name_of

VALUES = st.sampled_from([0.0, 1.0, -1.0, 0.5, 3.0, 1e-9])  # few, so that duplicates are common
WAYS = [
    lambda values: values,
    lambda values: np.broadcast_to(values, values.shape),  # read-only
    lambda values: values.tolist(),
    np.asfortranarray,
    lambda values: values.astype(np.int8) if values.dtype == bool else values,
]
DATA = {"X", "Y", "y", "bag", "bags", "label", "labels", "features", "instances", "samples"}


@st.composite
def examples(draw, estimator):
    """Two to eight bags as lists of arrays, or their first instances; labels; each in some form."""
    n_features, scale = draw(st.integers(1, 3)), draw(st.sampled_from([1.0, 1.0, 1e9]))
    row = st.lists(VALUES, min_size=n_features, max_size=n_features)
    bags = draw(st.lists(st.lists(row, min_size=1, max_size=3), min_size=2, max_size=8))
    bags = [scale * np.array(bag) for bag in [*bags, bags[0]][:8]]  # one of them twice
    n, n_labels = len(bags), draw(st.integers(1, 3))
    column = st.lists(st.booleans(), min_size=n, max_size=n) | st.sampled_from([[True] * n])
    Y = np.array([draw(column) for _ in range(n_labels)]).T
    way = st.sampled_from(WAYS)
    if estimator in OF_VECTORS:
        return draw(way)(np.array([bag[0] for bag in bags])), draw(way)(Y)
    return [draw(way)(bag) for bag in bags], draw(way)(Y[:, 0] if estimator in OF_ONE_LABEL else Y)


@pytest.mark.parametrize("estimator", [*OF_BAGS, *OF_VECTORS, *OF_ONE_LABEL], ids=name_of)
@given(data=st.data())
def test_scores_are_finite_or_the_input_is_refused(data, estimator):
    X, labels = data.draw(examples(estimator))
    before = [np.array(part) for part in X], np.array(labels)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores = clone(estimator).fit(X, labels).decision_function(X)
    except ValueError as error:  # it names what to change: the data, or a parameter
        words = {name.split("__")[-1] for name in estimator.get_params(deep=True)} | DATA
        assert words & set(re.findall(r"\w+", str(error))), error
        return
    assert scores.shape == before[1].shape and np.isfinite(scores).all()
    assert all(map(np.array_equal, before[0], X)) and np.array_equal(before[1], labels)


@pytest.mark.parametrize("estimator", OF_VECTORS, ids=name_of)
def test_sparse_vectors_give_the_same(estimator, rng):
    table = np.where(rng.random((20, 4)) < 0.5, rng.random((20, 4)), 0.0)
    Y = np.column_stack([table[:, 0] > 0.3, table[:, 1] > 0.3])
    dense = clone(estimator).fit(table, Y).decision_function(table)
    for form in (sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix):
        scores = clone(estimator).fit(form(table), Y).decision_function(form(table))
        assert np.allclose(scores, dense, atol=1e-6 * (1 + np.abs(dense).max()))
