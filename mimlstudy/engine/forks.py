"""Processes that start at once: forks of a server that has imported what they call."""

import multiprocessing
import time
from contextlib import suppress

import psutil

CAN_FORK = "forkserver" in multiprocessing.get_all_start_methods()  # not on Windows


def fork_context(*modules: str):
    """Starts processes that share nothing with this one, and have the ``modules`` from the start.

    The first call of a process decides what the server has imported; later forks import the rest
    themselves.
    """
    context = multiprocessing.get_context("forkserver")
    # The code as it is imported, which children fingerprint.
    context.set_forkserver_preload([*modules, "mimlstudy.engine.sources_read"])
    return context


def wait_for_end(parent: int):
    """Return when a process has ended: one that is killed cannot end its children."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(parent)
        # A killed process stays as a zombie until its own parent has asked for its status.
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            time.sleep(1)
