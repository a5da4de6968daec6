"""The cache of shared results saves work and never changes results."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from mimlpaper.sharing import Cache, shared, sharing


def ramp(n, scale=1.0):
    return scale * np.arange(n, dtype=float)


def test_equal_questions_are_computed_once():
    with sharing(Cache()) as cache:
        doubled = shared(ramp, 3, scale=2.0)
        assert shared(ramp, 3, scale=2.0) is doubled
        tripled = shared(ramp, 3, scale=3.0)
        assert tripled.tolist() == [0, 3, 6]
    assert cache.n_hits == 1
    assert cache.n_misses == 2
    assert cache.n_bytes == 48


def test_arrays_are_equal_by_their_content_and_their_kind():
    with sharing(Cache()) as cache:
        shared(np.sum, np.arange(4))
        shared(np.sum, np.arange(4) + 0)
        assert cache.n_hits == 1
        shared(np.sum, np.arange(4.0))
    assert cache.n_hits == 1
    assert cache.n_misses == 2


def apply(function):
    return function()


def test_functions_of_one_name_are_no_equal_questions():
    """A lambda, or a function of another one, whose name says nothing of what it does."""
    with sharing(Cache()) as cache:
        for value in (1, 2):
            assert shared(apply, lambda value=value: value) == value
    assert cache.n_misses == 0


def test_a_digest_stands_for_its_object():
    with sharing(Cache()) as cache:
        shared(id, SimpleNamespace(digest="a"))
        shared(id, SimpleNamespace(digest="a"))
        assert cache.n_hits == 1
        shared(id, SimpleNamespace(digest="b"))
    assert cache.n_hits == 1
    assert cache.n_misses == 2


def warns(n):
    warnings.warn(f"{n} is small", UserWarning, stacklevel=2)
    return n


def test_everyone_who_asks_is_warned():
    with sharing(Cache()) as cache:
        with pytest.warns(UserWarning, match="3 is small"):
            shared(warns, 3)
        with pytest.warns(UserWarning, match="3 is small"):
            shared(warns, 3)
    assert cache.n_hits == 1


def test_nobody_writes_to_a_shared_array():
    with sharing(Cache()):
        dense = shared(ramp, 3)
        sparse = shared(sp.csr_array, np.eye(2))
    for array in dense, sparse.data:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1.0


def test_the_longest_unused_is_dropped_first():
    with sharing(Cache(max_bytes=80)) as cache:
        # 40, 32 and 24 bytes are 96 in all: the ramp of 4 goes, as 5 was asked for again.
        for n in (5, 4, 5, 3):
            shared(ramp, n)
        assert cache.n_bytes == 64
        assert cache.n_misses == 3
        shared(ramp, 5)
        assert cache.n_misses == 3
        shared(ramp, 4)
        assert cache.n_misses == 4


def test_what_is_larger_than_the_cache_is_not_kept():
    with sharing(Cache(max_bytes=80)) as cache:
        assert len(shared(ramp, 100)) == 100
        assert cache.n_bytes <= 80


def test_blocks_nest_and_end():
    with sharing(Cache()) as outer:
        shared(ramp, 2)
        with sharing(Cache()) as inner:
            shared(ramp, 2)
        shared(ramp, 2)
    assert outer.n_hits == 1
    assert outer.n_misses == 1
    assert inner.n_misses == 1


def test_outside_a_block_nothing_is_shared():
    """Nobody else holds the result, which may be written to."""
    with sharing(Cache()):
        shared(ramp, 2)
    # Writing raises where the array is shared.
    array = shared(ramp, 2)
    array[0] = 7.0
    assert shared(ramp, 2).tolist() == [0, 1]
