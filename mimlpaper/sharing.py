"""A bounded cache for results that several fits on the same data need, such as kernel factors."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from inspect import isfunction

import joblib
import numpy as np

CURRENT: ContextVar[Cache | None] = ContextVar("cache of shared results", default=None)


class Cache:
    """Results of calls, at most ``max_bytes`` of arrays, those used last."""

    def __init__(self, max_bytes: int = 2**29):
        self.max_bytes = max_bytes
        self.n_bytes = self.n_hits = self.n_misses = 0
        self._kept: OrderedDict[str, tuple[object, list, int]] = OrderedDict()

    def get(self, key: str, compute: Callable[[], object]):
        """The result under ``key``, computed if it is not kept."""
        if key in self._kept:
            self.n_hits += 1
            result, caught, size = self._kept.pop(key)
        else:
            self.n_misses += 1
            with warnings.catch_warnings(record=True, action="always") as caught:
                result = compute()
            size = _freeze(result)
            self.n_bytes += size
        self._kept[key] = result, caught, size
        # What was used last goes last. A result larger than the cache stands first, to go at once
        # without pushing out the others.
        self._kept.move_to_end(key, last=size <= self.max_bytes)
        while self.n_bytes > self.max_bytes:
            self.n_bytes -= self._kept.popitem(last=False)[1][-1]
        for warning in caught:  # every caller is warned, not only the first
            warnings.warn(warning.message, warning.category, stacklevel=3)
        return result


@contextmanager
def sharing(cache: Cache) -> Iterator[Cache]:
    """Let every :func:`shared` call in this block, in this thread, use ``cache``."""
    token = CURRENT.set(cache)
    try:
        yield cache
    finally:
        CURRENT.reset(token)


def shared(compute: Callable, *args, **kwargs):
    """``compute(*args, **kwargs)``, or the kept result of an equal call, with read-only arrays.

    ``compute`` is a function, or a method of a class, whose result depends only on the arguments.
    It runs each time if one of these is a function that another one could have the name of, such as
    a lambda.
    """
    cache = CURRENT.get()
    functions = filter(isfunction, (*args, *kwargs.values()))
    if cache is None or not all(map(_is_known_by_name, functions)):
        return compute(*args, **kwargs)
    known = [getattr(value, "digest", value) for value in (*args, *kwargs.values())]
    key = joblib.hash((compute.__module__, compute.__qualname__, known, [*kwargs]))
    return cache.get(key, lambda: compute(*args, **kwargs))


def _is_known_by_name(function) -> bool:
    """Whether a function is of a module: not in another function, nor in a session of a reader."""
    return function.__module__ != "__main__" and "<" not in function.__qualname__


def _freeze(value) -> int:
    """Size in bytes of the arrays in ``value``, which become read-only."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
        return value.nbytes
    value = getattr(value, "__dict__", value)
    if isinstance(value, dict):
        value = list(value.values())
    return sum(map(_freeze, value)) if isinstance(value, list | tuple) else 0
