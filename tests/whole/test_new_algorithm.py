"""A new algorithm is one line of a section's table, and changes nothing else."""

from dataclasses import replace
from pathlib import Path

import pytest

from mimlpaper.baselines.binary_relevance import LabelFrequencies
from mimlstudy.engine.execution import compute
from mimlstudy.judge.claims import evaluate_claims
from mimlstudy.paper import section4
from mimlstudy.paper.catalogue import CATALOGUE
from mimlstudy.paper.experiments import EXPERIMENTS


class Toy(LabelFrequencies):
    """A learner that the paper does not know."""


@pytest.fixture
def with_toy():
    """The experiments of Section 4 with one more line in its source."""
    source = Path(section4.__file__).read_text()
    table = "TABLE_1 = Table({\n"
    assert source.count(table) == 1
    edited = source.replace(table, f'{table}    "Toy": Row(Toy()),\n')
    namespace = {"__name__": section4.__name__, "Toy": Toy}
    exec(compile(edited, section4.__file__, "exec"), namespace)
    experiments = {}
    for experiment in namespace["SECTION4"]:
        stand_in = CATALOGUE.stand_in
        experiments[experiment.name] = replace(experiment, stand_in=stand_in)
    return experiments


def test_a_new_algorithm_runs_in_its_table_alone_and_changes_no_other_trial(with_toy):
    for name, experiment in with_toy.items():
        trials = experiment.trials()
        of_toy = [trial for trial in trials if trial.method == "Toy"]
        assert len(of_toy) == (30 if name == "table1" else 0)
        before = [trial for trial in trials if trial.method != "Toy"]
        assert before == EXPERIMENTS[name].trials()


def test_a_new_algorithm_changes_no_claim(with_toy, store, monkeypatch):
    for name, experiment in with_toy.items():
        monkeypatch.setitem(EXPERIMENTS, name, experiment)
    methods = ["MimlSvm", "MimlNn", "Ml-knn", "Toy"]
    table = with_toy["table1"]
    records = compute(
        table,
        profile="smoke",
        methods=methods,
        jobs=1,
        store=store,
    )
    is_toy = records["method"] == "Toy"
    assert is_toy.sum() == 2
    assert set(records["state"]) == {"current"}

    def claims_from(rows):
        return evaluate_claims({"table1": rows, "table2": rows})

    assert claims_from(records) == claims_from(records[~is_toy])
