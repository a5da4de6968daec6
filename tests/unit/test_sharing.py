"""The cache of shared results saves work and never changes results."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from mimlpaper.sharing import Cache, shared, sharing

CALLS = []


def ramp(n, scale=1.0):
    CALLS.append((n, scale))
    return scale * np.arange(n, dtype=float)


@pytest.fixture(autouse=True)
def no_calls():
    CALLS.clear()


def test_outside_a_block_it_just_computes():
    assert shared(ramp, 3).tolist() == shared(ramp, 3).tolist() == [0, 1, 2]
    assert len(CALLS) == 2
    shared(ramp, 3)[0] = 7.0  # nobody else holds it


def test_equal_questions_are_computed_once():
    with sharing(Cache()) as cache:
        first = shared(ramp, 3, scale=2.0)
        assert shared(ramp, 3, scale=2.0) is first
        assert shared(ramp, 3, scale=3.0).tolist() == [0, 3, 6]
        assert (cache.n_hits, cache.n_misses, cache.n_bytes) == (1, 2, 48)
        for rows in (np.arange(4), np.arange(4) + 0, np.arange(4.0)):  # content, and kind
            shared(np.sum, rows)
    assert CALLS == [(3, 2.0), (3, 3.0)]
    assert (cache.n_hits, cache.n_misses) == (2, 4)


class Named:
    def __init__(self, digest):
        self.digest = digest


def test_a_digest_stands_for_its_object():
    with sharing(Cache()) as cache:
        for digest in ("a", "a", "b"):
            shared(id, Named(digest))
    assert (cache.n_hits, cache.n_misses) == (1, 2)


def warns(n):
    warnings.warn(f"{n} is small", UserWarning, stacklevel=2)
    return n


def test_everyone_who_asks_is_warned():
    with sharing(Cache()) as cache:
        for _ in range(2):
            with pytest.warns(UserWarning, match="3 is small"):
                shared(warns, 3)
    assert cache.n_hits == 1


def test_a_shared_array_cannot_be_written_to():
    with sharing(Cache()):
        for array in (shared(ramp, 3), shared(sp.csr_array, np.eye(2)).data):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1.0


def test_the_longest_unused_is_dropped_first():
    with sharing(Cache(max_bytes=80)) as cache:
        for n in (5, 4, 5, 3):  # 96 bytes in all: the four go
            shared(ramp, n)
        assert cache.n_bytes == 64
        shared(ramp, 5)
        shared(ramp, 4)
        assert [n for n, _ in CALLS] == [5, 4, 3, 4]
        assert len(shared(ramp, 100)) == 100  # larger than the cache: not kept
        assert cache.n_bytes <= 80


def test_blocks_nest_and_end():
    with sharing(Cache()) as outer:
        shared(ramp, 2)
        with sharing(Cache()) as inner:
            shared(ramp, 2)
        shared(ramp, 2)
    assert (outer.n_hits, inner.n_misses) == (1, 1)
    shared(ramp, 2)
    assert len(CALLS) == 3
