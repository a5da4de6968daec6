"""A user's method that takes its process with it."""

from mimlpaper.study.bench import bench
from tests.unit.test_bench import here  # noqa: F401


def test_only_the_entry_ends(here):  # noqa: F811
    done = bench("stranger:Crash", [1], profile="smoke", jobs=2)
    assert done.problems == [
        "Table 1, stranger:Crash: its process died; it crashed or used up the memory"
    ]
