"""Processes that start at once: forks of a server that has imported what they call."""

import multiprocessing

CAN_FORK = "forkserver" in multiprocessing.get_all_start_methods()  # not on Windows


def fork_context(*modules: str):
    """Starts processes that share nothing with this one, and have the ``modules`` from the start.

    The first call of a process decides what the server has imported; later forks import the rest
    themselves.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*modules])
    return context
