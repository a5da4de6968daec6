"""A user's method that takes its process with it."""

import pytest

from mimlpaper.study.bench import bench
from tests.unit.test_bench import here  # noqa: F401


@pytest.mark.parametrize(("name", "timeout"), [("Crash", 60), ("Hang", 5)])
def test_only_the_entry_ends(here, name, timeout):  # noqa: F811
    """A kill, and a loop in compiled code that ignores alarms.

    The time includes that of reading the data in a new process.
    """
    done = bench(f"stranger:{name}", [1], profile="smoke", jobs=2, timeout=timeout)
    assert done.problems == [
        f"Table 1, stranger:{name}: its process died; it crashed, used up the memory, or did not "
        f"return within {timeout} s"
    ]
