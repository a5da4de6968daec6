"""Fingerprints cover all that a trial runs: every call into these packages is watched."""

import pytest

from tests.fingerprinted_trials import check_covered


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
