"""Rows of the benchmark are trials of the protocol, as these are today."""

import json

import pytest

from mimlstudy.paper.experiments import EXPERIMENTS
from tests.benchmarks import protocol


@pytest.mark.parametrize("row", protocol.ROWS, ids=str)
def test_a_row_of_the_benchmark_is_a_trial_of_the_protocol(row):
    experiment, dataset, method, override = row
    text = json.dumps(override, sort_keys=True)
    trials = EXPERIMENTS[experiment].trials("paper", [method])
    settings = {(trial.dataset, trial.override) for trial in trials}
    assert (dataset, text) in settings


def test_rows_of_the_benchmark_have_names_of_their_own():
    names = [
        (experiment, dataset, method) for experiment, dataset, method, _ in protocol.ROWS
    ]
    assert len({*names}) == len(names)


def test_a_text_that_no_row_of_the_benchmark_has_is_named(tmp_path):
    with pytest.raises(ValueError, match="no row has 'tuned' in its name"):
        protocol.run(tmp_path / "before.csv", "tuned")
