"""Recorded internals of D-MimlSvm's fits: equal to those of fits by hand, recomputed if stale."""

import numpy as np
import pandas as pd
import pytest

from mimlpaper import paths
from mimlpaper.datasets import DataError, load
from mimlpaper.study import fit_details as module
from mimlpaper.study.claims import never_rises
from mimlpaper.study.fit_details import (
    fit_details,
    objective_steps,
    recorded_fit_details,
    related_pairs,
)
from mimlpaper.study.section5 import CCCP, RELATEDNESS


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A folder with the objectives of the smoke profile."""
    folder = tmp_path_factory.mktemp("results")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(paths, "results", lambda: folder)
        fit_details(CCCP, objective_steps, "smoke")
    return folder


@pytest.fixture
def objectives(measured, monkeypatch):
    """With the objectives in place of the project's results."""
    monkeypatch.setattr(paths, "results", lambda: measured)


def fit_of(experiment, trial):
    """The trial's fit, done by hand."""
    dataset = load(trial.dataset)
    train, _ = experiment.splits.indices(dataset, trial.split)
    estimator = experiment.estimator(trial).set_params(dmimlsvm__random_state=trial.split)
    return dataset, estimator.fit(dataset.X[train], dataset.Y[train])[-1]


def test_objectives_are_those_of_the_fits(objectives):
    table = recorded_fit_details(CCCP, "smoke")
    assert len(table.drop_duplicates(["dataset", "parameters", "split"])) == 2 * 4 * 2
    assert set(table["state"]) == {"fresh"}
    assert [part.holds for part in never_rises(table)] != [None]
    trial = CCCP.trials("smoke")[0]
    _, fitted = fit_of(CCCP, trial)
    mine = table[
        (table["dataset"] == trial.dataset) & (table["parameters"] == trial.parameters)
        & (table["split"] == trial.split)
    ]  # fmt: skip
    assert mine["objective"].to_list() == pytest.approx(fitted.objective_, rel=1e-9)
    assert mine["stage"].to_list() == list(range(1, len(fitted.objective_) + 1))
    following = mine["following"].dropna().to_list()
    assert following == pytest.approx(fitted.raw_objective_[1:], rel=1e-9)


def test_fresh_tables_are_not_made_again(objectives, monkeypatch):
    recorded = recorded_fit_details(CCCP, "smoke")
    monkeypatch.setattr(module, "load", None)
    again = fit_details(CCCP, objective_steps, "smoke")
    pd.testing.assert_frame_equal(recorded, again)


def test_stale_tables_are_made_again_if_the_data_are_there(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "results", lambda: tmp_path)
    trials = RELATEDNESS.trials("smoke")
    stale = pd.DataFrame([vars(trial) | {"cosine": 7.0, "code": "another"} for trial in trials])
    (tmp_path / "smoke").mkdir()
    stale.to_csv(tmp_path / "smoke" / "relatedness.csv", index=False)

    def missing(name, data_home):
        raise DataError(name)

    with monkeypatch.context() as patched:
        patched.setattr(module, "load", missing)
        table = fit_details(RELATEDNESS, related_pairs, "smoke")
        assert set(table["state"]) == {"stale"}
        patched.setattr(paths, "results", lambda: tmp_path / "empty")
        with pytest.raises(DataError, match="synthetic_"):
            fit_details(RELATEDNESS, related_pairs, "smoke")
    table = fit_details(RELATEDNESS, related_pairs, "smoke")
    assert set(table["state"]) == {"fresh"}
    check_pairs(table[table["dataset"] == "synthetic_scene"])


def check_pairs(table):
    """Ten pairs of five labels, as the fits have them; shares of what is not learned are empty."""
    for trial in RELATEDNESS.trials("smoke")[:2]:
        dataset, fitted = fit_of(RELATEDNESS, trial)
        mine = table[table["parameters"] == trial.parameters].set_index(["first", "second"])
        assert len(mine) == 10
        names = dataset.label_names
        i, j = 1, 3
        row = mine.loc[names[i], names[j]]
        assert row["cosine"] == pytest.approx(fitted.label_relatedness_[i, j])
        both = (dataset.Y[:, i] & dataset.Y[:, j]).sum()
        expected = dataset.Y[:, i].sum() * dataset.Y[:, j].sum() / len(dataset)
        assert row["together"] == pytest.approx(both / expected)
        if trial.parameters == "{}":
            assert mine["sharing"].isna().all()
        else:
            sharing = 1 / (4 * fitted.pair_penalties_[i, j] + 2)
            assert row["sharing"] == pytest.approx(sharing)
            assert np.ptp(mine["sharing"]) > 0


def test_nothing_recorded(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "results", lambda: tmp_path)
    assert recorded_fit_details(CCCP).empty
