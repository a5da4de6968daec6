"""A foreign method as an estimator: each fit is done in a process of its own.

What the method does cannot reach the bench, other methods or later trials: it has copies of its
data, its process ends after the predictions, what it prints goes to a file of limited size, and
criteria are computed here, from labels that it never saw. This guards against accidents and simple
tricks. It is no sandbox: a method can read and write the files that you can.
"""

import io
import json
import os
import signal
import threading
import weakref
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import psutil
from sklearn.base import BaseEstimator

from mimlpaper.metrics import evaluate
from mimlstudy.engine.forks import CAN_FORK, fork_context
from mimlstudy.report.guest_process import serve

KEPT_OUTPUT = 2**20  # bytes of what a method prints
LARGEST_ANSWER = 2**28  # bytes
LONGEST_PROBLEM = 2000  # characters of what a method says that went wrong
TOO_LONG = "bad message length"  # what a connection says of an answer that is larger


class GuestError(RuntimeError):
    """A method failed, did not answer in time, or changed what is not its own."""


@dataclass(frozen=True)
class Conditions:
    """Where a guest runs, for how long, and what keeps its output."""

    folder: str  # its module is imported from here
    timeout: float  # seconds of one fit, or of one prediction
    output: str  # the file that keeps what it prints


class Clock:
    """Processor seconds that guests have used."""

    def __init__(self):
        self.seconds = 0.0


CLOCK: ContextVar[Clock | None] = ContextVar("clock of guests' processes", default=None)


@contextmanager
def timed() -> Iterator[Clock]:
    """Count the seconds of guests that are asked in this block, in this thread."""
    clock = Clock()
    token = CLOCK.set(clock)
    try:
        yield clock
    finally:
        CLOCK.reset(token)


class Guest(BaseEstimator):
    """A foreign method.

    Parameters
    ----------
    entry : str, module:Name.
    code : str, the hash of the module and of what it imports beside it.
    setting : dict or None, default None
        One of :func:`describe`'s settings; None leaves the method as the entry gives it.
    random_state : int or None, default None
        The seed of each parameter of the method that is named so.

    ``conditions`` is no parameter, since no result depends on them.
    """

    conditions: Conditions

    def __init__(self, entry, *, code, setting=None, random_state=None):
        self.entry = entry
        self.code = code
        self.setting = setting
        self.random_state = random_state

    def __sklearn_clone__(self):
        copy = Guest(**self.get_params())
        copy.conditions = self.conditions
        return copy

    def fit(self, X, Y):
        if hasattr(self, "_end"):
            self._end()
        session = Session(self.entry, self.conditions)
        # The process ends with this estimator, or before its next fit.
        self._end = weakref.finalize(self, session.end)
        number = None if self.setting is None else self.setting["number"]
        session.ask("start", number, self.code, self.random_state)
        session.ask("fit", X, Y)
        self.session_ = session
        self.shape_ = np.shape(Y)[1:]
        return self

    def decision_function(self, X):
        scores = self._answer("decision_function", X)
        # Where accuracy alone counts, no criterion looks at them.
        is_missing = pd.isna(np.asarray(scores))
        if is_missing.any():
            raise GuestError(f"scores must not hold NaN, got {is_missing.sum()}")
        return scores

    def predict(self, X):
        return self._answer("predict", X)

    def _answer(self, name, X):
        array = self.session_.ask(name, X)
        expected = (len(X), *self.shape_)
        if np.shape(array) != expected:
            raise GuestError(
                f"{name} must give an array of shape {expected}, got shape {np.shape(array)}"
            )
        return array


def describe(entry: str, conditions: Conditions) -> dict:
    """An entry's ``code``, the hash of its files, and its ``settings``, a list or None."""
    session = Session(entry, conditions)
    try:
        described = session.ask("describe")
    finally:
        session.end()
    code, grid = described.get("code"), described.get("settings")
    if not isinstance(code, str) or not isinstance(grid, list | None):
        raise GuestError("it answered with something other than its code and its settings")
    if grid is None:
        return {"code": code, "settings": None}
    # Only its number goes back to the guest: values may be objects that JSON cannot hold.
    settings = [{"number": number, "values": values} for number, values in enumerate(grid)]
    return {"code": code, "settings": settings}


def guest_criteria(estimator, dataset, train, test) -> list[dict]:
    """The paper's criteria on the test set, as measured of a trial, with the guest's seconds.

    The guest gets the test examples in a random order: the files of some data sets list the
    positive examples first, so that a place would tell the label.
    """
    # Labels are a seed that the guest does not know.
    seed = zlib.crc32(dataset.labels[test].tobytes())
    test = np.random.default_rng(seed).permutation(test)
    # The clock of this process would count its waiting, not the work of the guest's.
    with timed() as clock:
        estimator.fit(dataset.X[train], dataset.labels[train])
        fit_seconds = clock.seconds
        scores = estimator.decision_function(dataset.X[test])
        predicted = estimator.predict(dataset.X[test])
    best = getattr(estimator, "best_params_", None)
    chosen = "" if best is None else json.dumps(best, sort_keys=True)
    of_fit = {
        "seconds": clock.seconds,
        "fit_seconds": fit_seconds,
        "predict_seconds": clock.seconds - fit_seconds,
        "chosen": chosen,
    }
    measured = evaluate(dataset.labels[test], scores, predicted)
    return [of_fit | measured]


def printable(text: str) -> str:
    """A text in which a sign stands for each character that would control a terminal."""
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)


class Session:
    """One process of a guest."""

    def __init__(self, entry: str, conditions: Conditions):
        context = fork_context(serve.__module__)
        self.timeout = conditions.timeout
        self.timed_out = False
        self.connection, its_connection = context.Pipe()
        printed, its_output = context.Pipe(duplex=False)
        arguments = its_connection, its_output, entry, conditions.folder, os.getpid()
        self.process = context.Process(target=serve, args=arguments, daemon=True)
        self.process.start()
        # Its ends are closed here, so that a read ends when the process does.
        its_connection.close()
        its_output.close()
        keeping = printed, Path(conditions.output)
        threading.Thread(target=_keep_output, args=keeping, daemon=True).start()

    def ask(self, *request):
        """Send a request and return the answer: an array, or what was sent as JSON.

        A GuestError says what went wrong, and the process has ended then.
        """
        before = self._seconds()
        watchdog = threading.Timer(self.timeout, self._end_for_time)
        watchdog.start()
        try:
            self.connection.send(request)
            answer, array = self._received()
        except (GuestError, KeyboardInterrupt):
            self.end()
            raise
        except (EOFError, OSError):
            raise GuestError(self._how_it_ended()) from None
        except Exception as error:  # its code may have written anything to the connection
            self.end()
            raise GuestError(f"its answer cannot be read: {error!r}") from None
        finally:
            watchdog.cancel()
        if clock := CLOCK.get():
            # A process that has just ended has no times any more.
            clock.seconds += max(0.0, self._seconds() - before)
        if "problem" in answer:
            self.end()
            raise GuestError(printable(str(answer["problem"])[:LONGEST_PROBLEM]))
        return answer if array is None else array

    def _received(self) -> tuple[dict, np.ndarray | None]:
        """The next answer: what was sent as JSON, and the array after it, if there is one."""
        answer = json.loads(self._received_bytes())
        if not answer["has_array"]:
            return answer, None
        content = io.BytesIO(self._received_bytes())
        return answer, np.load(content, allow_pickle=False)

    def _received_bytes(self):
        try:
            return self.connection.recv_bytes(LARGEST_ANSWER)
        except OSError as error:
            if str(error) == TOO_LONG:
                raise GuestError(f"its answer has more than {LARGEST_ANSWER:,} bytes") from None
            raise

    def end(self):
        """End the process and what it has started, in its group or in other sessions."""
        if self.connection.closed:  # it has ended, and its number may be another process's
            return
        started = self._descendants()
        if CAN_FORK:  # it leads a group
            with suppress(OSError):
                os.killpg(self.process.pid, signal.SIGKILL)
        for process in started:
            with suppress(psutil.Error):
                process.kill()
        self.process.kill()
        self.process.join()
        self.connection.close()

    def _descendants(self):
        """The processes that the guest's process has started, and those that these have."""
        try:
            return psutil.Process(self.process.pid).children(recursive=True)
        except psutil.Error:  # it has ended
            return []

    def _end_for_time(self):
        self.timed_out = True
        self.end()

    def _how_it_ended(self):
        if self.timed_out:
            return f"it gave no answer within {self.timeout:g} s; --timeout allows more"
        self.process.join(1)
        status = self.process.exitcode
        self.end()
        if status is None:
            return "it closed the connection to the bench"
        if status < 0:
            return "its process died; it crashed or used up the memory"
        return f"it ended its process, with status {status}, before it answered"

    def _seconds(self):
        """Processor seconds so far of the process and what it has started, such as workers."""
        try:
            process = psutil.Process(self.process.pid)
            alive = [process, *process.children(recursive=True)]
        except psutil.Error:  # it has ended
            return 0.0
        seconds = 0.0
        for each in alive:
            with suppress(psutil.Error):  # it has just ended
                times = each.cpu_times()
                seconds += times.user + times.system
                # Of its children that have ended.
                seconds += times.children_user + times.children_system
        return seconds


def _keep_output(printed, path):
    """Add what a guest prints to a file until the file is full; the rest is read and dropped."""
    with open(path, "ab") as file:
        with suppress(EOFError, OSError):
            while block := os.read(printed.fileno(), 2**16):
                room = KEPT_OUTPUT - file.tell()
                file.write(block[: max(room, 0)])
                file.flush()
    printed.close()
