"""Objective traces: they are the estimator's own, and are run again only if need be."""

import pandas as pd
import pytest

from mimlpaper.datasets import load
from mimlpaper.experiments import traces
from mimlpaper.experiments.traces import TRACED, objective_traces, recorded_traces
from mimlpaper.report.claims_by_value import never_rises


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("results")


def test_traces_are_those_of_the_fits(folder):
    table = objective_traces("smoke", folder=folder)
    assert len(table.drop_duplicates(["dataset", "parameters", "split"])) == 2 * 4 * 2
    assert set(table["state"]) == {"fresh"}
    assert never_rises(table)[0].holds
    trial = TRACED.trials("smoke")[0]
    dataset = load(trial.dataset)
    train, _ = TRACED.splits.indices(dataset, trial.split)
    estimator = TRACED.estimator(trial).set_params(dmimlsvm__random_state=trial.split)
    objective = estimator.fit(dataset.X[train], dataset.Y[train])[-1].objective_
    mine = table[
        (table["dataset"] == trial.dataset) & (table["parameters"] == trial.parameters)
        & (table["split"] == trial.split)
    ]  # fmt: skip
    assert mine["objective"].to_list() == pytest.approx(objective, rel=1e-9)
    assert mine["stage"].to_list() == list(range(1, len(objective) + 1))


def test_fresh_traces_are_not_run_again(folder, monkeypatch):
    first = objective_traces("smoke", folder=folder)
    monkeypatch.setattr(traces, "_trace", None)
    pd.testing.assert_frame_equal(first, objective_traces("smoke", folder=folder))


def test_stale_traces_are_run_again(folder):
    path = folder / "cccp.csv"
    whole = pd.read_csv(path)
    whole.assign(code="another", objective=0.0).to_csv(path, index=False)
    assert set(recorded_traces("smoke", folder=folder)["state"]) == {"stale"}
    assert (objective_traces("smoke", folder=folder)["objective"] > 0).all()


def test_nothing_recorded(tmp_path):
    assert recorded_traces(folder=tmp_path).empty
