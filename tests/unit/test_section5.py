"""Section 5's experiments: the requirements of Section 5.5, and the same budget for all."""

import os

import pytest
from sklearn.model_selection import ParameterGrid

from mimlpaper.datasets import load
from mimlpaper.study.holdouts import HoldOut
from mimlpaper.study.registry import get_experiment
from mimlpaper.study.section5 import SECTION5


def estimators(experiment):
    return {trial: experiment.estimator(trial) for trial in experiment.trials("quick")}


@pytest.mark.parametrize("experiment", SECTION5, ids=lambda experiment: experiment.name)
def test_parameters_of_every_trial_exist(experiment):
    assert all(hasattr(estimator, "fit") for estimator in estimators(experiment).values())


@pytest.mark.parametrize("name", ["figure4", "figure5", "figure4_pairwise", "figure5_pairwise"])
def test_hold_out_has_the_same_budget_for_all(name):
    for estimator in estimators(get_experiment(name)).values():
        assert isinstance(estimator, HoldOut)
        assert len(ParameterGrid(estimator.grid)) == 8
        assert estimator.criterion == "average_precision"


@pytest.mark.parametrize("name", ["figure4", "figure5"])
def test_five_sets_thirty_runs_three_algorithms(name):
    experiment = get_experiment(name)
    assert len(experiment.trials()) == 5 * 30 * 3
    assert {trial.parameters for trial in experiment.trials()} == {"{}"}
    percentages = [dataset.split(":")[1] for dataset in experiment.datasets]
    assert percentages == ["10%", "20%", "30%", "40%", "50%"]


def test_two_stand_ins_keep_their_percentages():
    sets = {trial.dataset for trial in get_experiment("figure5").trials("smoke")}
    assert sets == {"synthetic_texts:10%", "synthetic_texts:50%"}


@pytest.mark.skipif(not os.environ.get("MIMLPAPER_DATA"), reason="MIMLPAPER_DATA is not set")
def test_a_quarter_is_for_training():
    """381 bags of nine instances at 30 %."""
    train, test = get_experiment("figure4").splits.indices(load("scene:30%"), 0)
    assert (len(train), len(test)) == (381, 1142)
