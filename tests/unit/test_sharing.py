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
        first = shared(ramp, 3, scale=2.0)
        assert shared(ramp, 3, scale=2.0) is first
        assert shared(ramp, 3, scale=3.0).tolist() == [0, 3, 6]
        assert (cache.n_hits, cache.n_misses, cache.n_bytes) == (1, 2, 48)
        for rows in (np.arange(4), np.arange(4) + 0, np.arange(4.0)):  # content, and kind
            shared(np.sum, rows)
        for digest in "a", "a", "b":  # it stands for its object
            shared(id, SimpleNamespace(digest=digest))
    assert (cache.n_hits, cache.n_misses) == (3, 6)


def warns(n):
    warnings.warn(f"{n} is small", UserWarning, stacklevel=2)
    return n


def test_everyone_who_asks_is_warned_and_nobody_writes_to_a_shared_array():
    with sharing(Cache()) as cache:
        for _ in range(2):
            with pytest.warns(UserWarning, match="3 is small"):
                shared(warns, 3)
        assert cache.n_hits == 1
        for array in (shared(ramp, 3), shared(sp.csr_array, np.eye(2)).data):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1.0


def test_the_longest_unused_is_dropped_first():
    with sharing(Cache(max_bytes=80)) as cache:
        for n in (5, 4, 5, 3):  # 96 bytes in all: the four go
            shared(ramp, n)
        assert cache.n_bytes == 64
        for n, n_misses in (5, 3), (4, 4):
            shared(ramp, n)
            assert cache.n_misses == n_misses
        assert len(shared(ramp, 100)) == 100  # larger than the cache: not kept
        assert cache.n_bytes <= 80


def test_blocks_nest_and_end():
    """Outside it just computes: nobody else holds the result, which may be written to."""
    with sharing(Cache()) as outer:
        shared(ramp, 2)
        with sharing(Cache()) as inner:
            shared(ramp, 2)
        shared(ramp, 2)
    shared(ramp, 2)[0] = 7.0
    assert shared(ramp, 2).tolist() == [0, 1]
    assert (outer.n_hits, outer.n_misses, inner.n_misses) == (1, 1, 1)
