"""Processes that start quickly: forks of a server that has imported what they call."""

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module

import psutil

from mimlstudy.engine.sources import sources

CAN_FORK = "forkserver" in multiprocessing.get_all_start_methods()  # not on Windows


def fork_context(*modules: str):
    """A context whose processes share nothing with this one, and have its modules from the start.

    They also have the further ``modules``. The first call of a process decides what the server has
    imported; later forks import the rest themselves. On Windows each process imports all itself.
    """
    if not CAN_FORK:
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    # The code as it is imported, which children fingerprint.
    read_last = "mimlstudy.engine.sources_read"
    context.set_forkserver_preload([*imported_modules(), *modules, read_last])
    _start_quiet_tracker()
    return context


def hush_tracker():
    """Let a tracker that this process starts from now on tell of nothing."""
    filters = os.environ.get("PYTHONWARNINGS"), "ignore:resource_tracker"
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, filters))


def _start_quiet_tracker():
    """Start Python's tracker of semaphores, which removes what forks leave, and would tell of it.

    A fork is ended without collecting its garbage, which is no fault of the reader.
    """
    from multiprocessing import resource_tracker  # not there on Windows

    before = os.environ.get("PYTHONWARNINGS")
    hush_tracker()
    try:
        resource_tracker.ensure_running()
    finally:
        if before is None:
            del os.environ["PYTHONWARNINGS"]
        else:
            os.environ["PYTHONWARNINGS"] = before


def imported_modules() -> list[str]:
    """The modules of the library and the study that this process has imported."""
    # Another thread may import meanwhile, as notebooks that run at once do.
    return [name for name in list(sys.modules) if name in sources()]


def import_all(modules: Iterable[str]):
    """Import what another process has, and read all sources: later edits do not run here.

    Without this a process would import a module when it first needs it, perhaps after an edit.
    """
    for name in modules:
        import_module(name)
    sources()


def wait_for_end(parent: int):
    """Return when a process has ended: one that is killed cannot end its children."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(parent)
        # A killed process stays as a zombie until its own parent has asked for its status.
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            time.sleep(1)


def lead_group_of(parent: int):
    """Lead a group of processes from now on, which ends when the process ``parent`` has ended."""
    os.setsid()
    threading.Thread(target=_end_group_with, args=(parent,), daemon=True).start()


def _end_group_with(parent):
    wait_for_end(parent)
    os.killpg(0, signal.SIGKILL)
