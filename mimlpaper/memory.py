"""Memory that a computation needs, checked before it is taken."""

import os
import sys
from pathlib import Path

GIB = 2**30
CGROUP = Path("/sys/fs/cgroup")  # of a container: its limit, and what it uses


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


def free_memory() -> float:
    """Bytes that machine, container and ``ulimit -v`` leave this process; infinite off Linux."""
    if sys.platform != "linux":
        return float("inf")
    import resource  # not on Windows

    lines = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    free = [1024.0 * int(lines["MemAvailable"].split()[0])]
    limit, used = (_number(CGROUP / f"memory.{name}") for name in ("max", "current"))
    if limit and used:
        free.append(limit - used + _cached_files())
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        free.append(limit - pages * os.sysconf("SC_PAGE_SIZE"))
    return max(0.0, min(free))


def _cached_files():
    """Bytes of files that the container has read; the system gives them up when asked for more."""
    statistics = CGROUP / "memory.stat"
    lines = statistics.read_text().splitlines() if statistics.is_file() else []
    return float(dict(line.split() for line in lines).get("inactive_file", 0))


def _number(path):
    """The number in a file; None if there is no file, or a word such as "max" in it."""
    text = path.read_text().strip() if path.is_file() else ""
    return int(text) if text.isdecimal() else None
