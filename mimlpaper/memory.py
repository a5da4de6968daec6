"""Memory that a computation needs, checked before it is taken."""

from pathlib import Path

import psutil

GIB = 2**30
CGROUP = Path("/sys/fs/cgroup")  # of a container


def check_memory(n_bytes: float, what: str, advice: str):
    """Raise a MemoryError if fewer than ``n_bytes`` are free.

    A system that promises more memory than it has would kill the process later, with no message.
    ``what`` needs the bytes, such as "the distances of 50,000 bags"; ``advice`` says what to do
    instead, such as "lower n_sample".
    """
    free = free_memory()
    if n_bytes > free:
        raise MemoryError(
            f"{what} need {n_bytes / GIB:.1f} GiB of memory, {free / GIB:.1f} GiB are free; "
            f"{advice}"
        )


def free_memory() -> int:
    """Bytes that the machine, and a container's limit, leave this process."""
    free = psutil.virtual_memory().available
    limit = CGROUP / "memory.max"  # psutil does not know it
    if not limit.is_file() or not limit.read_text().strip().isdecimal():
        return free
    used = dict(line.split() for line in (CGROUP / "memory.stat").read_text().splitlines())
    taken = int(used["anon"]) + int(used["shmem"])  # other files' pages are given up
    return max(0, min(free, int(limit.read_text()) - taken))
