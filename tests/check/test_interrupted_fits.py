"""Ctrl-C at nine moments of a fit: every learner stays as it was, or has ended its fit."""

import signal
import time
from contextlib import contextmanager

import numpy as np
import pytest
from sklearn.base import clone

from mimlpaper.bags import Bags
from tests.learners import CLASSIFIER, OF_BAGS, OF_ONE_LABEL, OF_VECTORS, name_of

pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.skipif(
        not hasattr(signal, "setitimer"), reason="there is no timer of signals"
    ),
]
N_MOMENTS = 9
SHORT = 1e-3  # seconds of a fit that may end before a timer can interrupt it
SEEDED_CLASSIFIER = clone(CLASSIFIER).set_params(random_state=0)


@contextmanager
def interrupted_after(seconds):
    """A KeyboardInterrupt after so many seconds, unless the block ends before."""

    def interrupt(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture
def examples(estimator):
    """Eighty examples of three labels, or of one, as an estimator takes them."""
    rng = np.random.default_rng(0)
    bags = Bags.from_list([rng.random((size, 4)) for size in rng.integers(2, 6, size=80)])
    largest = bags.max(bags.instances)
    noise = 0.1 * rng.standard_normal((80, 3))
    Y = largest[:, :3] + noise > 0.8
    if estimator in OF_VECTORS:
        return largest, Y
    return bags, Y[:, 0] if estimator in OF_ONE_LABEL else Y


def seconds_of_fit(estimator, X, Y):
    """Of the fastest of five fits, so that most of the moments come before its end."""
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        estimator.fit(X, Y)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


@pytest.mark.parametrize(
    "estimator",
    [*OF_BAGS, *OF_VECTORS, *OF_ONE_LABEL, SEEDED_CLASSIFIER],
    ids=name_of,
)
def test_an_interrupted_fit_changes_nothing_at_any_moment(estimator, examples):
    X, Y = examples
    learner = clone(estimator).fit(X, Y)
    before = learner.decision_function(X)
    again = clone(estimator).fit(X[::2], Y[::2])
    seconds = seconds_of_fit(again, X[::2], Y[::2])
    after = again.decision_function(X)
    n_interrupted = 0
    for moment in range(1, N_MOMENTS + 1):
        try:
            with interrupted_after(seconds * moment / (N_MOMENTS + 1)):
                learner.fit(X[::2], Y[::2])
        except KeyboardInterrupt:
            n_interrupted += 1
        except TypeError as error:  # NumPy says so of a Ctrl-C while it compares rows
            assert "Cannot compare structured arrays" in str(error)
            n_interrupted += 1
        scores = learner.decision_function(X)
        is_as_before = np.array_equal(scores, before)
        # An interrupt may also come when all is done.
        assert is_as_before or np.array_equal(scores, after)
        if not is_as_before:
            learner.fit(X, Y)
    # Other programs may hold up a timer, and a fit may have its last moments in one call.
    assert n_interrupted >= N_MOMENTS // 2 or seconds < SHORT
