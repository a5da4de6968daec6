"""Fingerprints cover all that a trial runs: every call into these packages is watched."""

import gc
import weakref

import pytest

from mimlstudy.report.sentences import listed
from tests.fingerprinted_trials import calls_of_these_packages, check_covered


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("table1", "MimlSvm"),
        ("table5", "SubCod_MimlNn"),
        ("explanations", "Label frequencies"),
    ],
)
def test_all_that_runs_in_a_trial_is_covered(name, method):
    check_covered(name, method)


class Left:
    """What refers to itself, so that only the collector ends it."""

    def __init__(self):
        self.itself = self


def test_what_ends_with_things_of_earlier_tests_is_not_called_by_a_trial():
    gc.disable()  # the collector would come at any moment; the oracle lets it work again
    weakref.finalize(Left(), listed, ["a", "b"])
    assert calls_of_these_packages(gc.collect) == set()
