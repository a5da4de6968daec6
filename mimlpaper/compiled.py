"""Compilation of loops by numba, on computers that keep its results and on those that cannot."""

import logging
import multiprocessing
from collections.abc import Callable
from functools import cache

from numba import njit
from numba.core import event

logger = logging.getLogger("mimlpaper")


def compiled(function: Callable | None = None, **options) -> Callable:
    """Decorator: numba's ``njit`` without Python's lock, whose machine code is kept on disk.

    Where neither the package's folder nor the user's cache can be written, such as in containers,
    each process compiles again; the environment variable NUMBA_CACHE_DIR names another folder.
    ``options`` go to ``njit``.
    """
    if function is None:
        return lambda decorated: compiled(decorated, **options)
    _announce_compilations()
    try:
        return njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # numba finds no folder for its cache
        return njit(nogil=True, **options)(function)


@cache  # once a process
def _announce_compilations():
    # A worker's first fit compiles too, and would say the same again.
    if multiprocessing.parent_process() is None:
        event.register("numba:compile", _Announcement())


class _Announcement(event.Listener):
    """Says that a fit waits for functions of this package to be compiled, which takes seconds.

    The first is a warning, which Python shows if nothing else is configured; each has an entry of
    the level INFO.
    """

    has_warned = False

    def on_start(self, compilation):
        function = compilation.data["dispatcher"].py_func
        # A function that exec makes has no module.
        if not (function.__module__ or "").startswith("mimlpaper."):
            return
        if not self.has_warned:
            self.has_warned = True
            logger.warning("compiling loops for this computer; this fit takes seconds longer")
        logger.info("compiling %s.%s", function.__module__, function.__name__)

    def on_end(self, compilation):
        pass
