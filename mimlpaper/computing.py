"""How learners compute: with one BLAS thread, compiled loops, interrupts and signs of progress."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock

from threadpoolctl import ThreadpoolController
from tqdm import tqdm


class OneBlasThread:
    """Context in which BLAS has one thread, however many Python threads enter it at once.

    The number of BLAS threads belongs to the process: the first to enter limits it, and the last
    to leave restores it. The products of learners are small, so that more threads wait for each
    other: with two of them NoisyOr took twenty times the processor seconds.
    """

    def __init__(self):
        self._lock = Lock()
        self._n_inside = 0
        self._limit = None

    def __enter__(self):
        with self._lock:
            if self._n_inside == 0:
                self._limit = _controller().limit(limits=1, user_api="blas")
            self._n_inside += 1

    def __exit__(self, *error):
        with self._lock:
            self._n_inside -= 1
            if self._n_inside == 0:
                self._limit.restore_original_limits()


@cache  # to look for the libraries takes 6 ms, a limit .01 ms
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


ONE_BLAS_THREAD = OneBlasThread()


@contextmanager
def computing() -> Iterator[None]:
    """Context of fits and predictions: one BLAS thread; Ctrl-C is a KeyboardInterrupt.

    Staged predictions run outside it.
    """
    try:
        with ONE_BLAS_THREAD:
            yield
    except SystemError as error:
        if _hides_interrupt(error):
            raise KeyboardInterrupt from error
        raise


def _hides_interrupt(error: BaseException | None) -> bool:
    """Whether numba made this error of an interrupt, which is then at the end of its causes."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__
    return error is not None


def progress(steps: Iterable, name: str, verbose: int) -> tqdm:
    """The steps, with a bar on stderr that moves at each of them if ``verbose``."""
    return tqdm(steps, desc=name, disable=not verbose)
