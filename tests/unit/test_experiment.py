"""Rows of a table, and the trials of experiments made of them."""

from pathlib import Path

import pytest
from sklearn.pipeline import make_pipeline

from mimlpaper.baselines.mlknn import MlKnn
from mimlpaper.baselines.mlsvm import MlSvm
from mimlpaper.preprocessing import SumInstances
from mimlpaper.study import section4 as section
from mimlpaper.study.experiment import Experiment
from mimlpaper.study.registry import get_experiment
from mimlpaper.study.settings import Row, Table, default
from mimlpaper.study.trials import RandomSplits, Trial

TABLE = Table(
    {
        "Ml-knn": Row(
            MlKnn(),
            [default(vector=SumInstances(), n_neighbors=5)],
            tuning=dict(n_neighbors=[5, 10]),
            choices=[dict(n_neighbors=20), dict(suminstances="passthrough")],
        ),
        "MlSvm": Row(MlSvm(), [default(vector=SumInstances())]),
    }
)


def experiment(*configurations_and_variants, datasets=("scene",), **others):
    splits = RandomSplits(2)
    return Experiment("mine", "Mine", datasets, splits, *configurations_and_variants, **others)


def in_short(trials):
    return [(trial.dataset, trial.method, trial.parameters, trial.split) for trial in trials]


def test_the_published_column_runs_all_methods_unchanged():
    assert in_short(experiment(TABLE.published()).trials()) == [
        ("scene", "Ml-knn", "{}", 0), ("scene", "MlSvm", "{}", 0),
        ("scene", "Ml-knn", "{}", 1), ("scene", "MlSvm", "{}", 1),
    ]  # fmt: skip


def test_a_method_without_tuned_or_choices_is_not_in_their_experiments():
    assert experiment(TABLE.tuned()).methods == ("Ml-knn",)
    assert experiment(TABLE.published(), TABLE.choices()).methods == ("Ml-knn",)


def test_choices_follow_the_published_configuration():
    trials = experiment(TABLE.published(), TABLE.choices()).trials("quick")
    assert [trial.parameters for trial in trials[:3]] == [
        "{}", '{"mlknn__n_neighbors": 20}', '{"suminstances": "passthrough"}',
    ]  # fmt: skip
    neighbours, raw = (experiment(TABLE.published()).estimator(trial) for trial in trials[1:3])
    assert neighbours[-1].n_neighbors == 20 and raw[-1].n_neighbors == 5
    assert raw[0] == "passthrough"


def test_a_configuration_for_each_data_set():
    """A stand-in has the configuration of the first data set that it stands in for."""
    by_set = {"musk1": make_pipeline(MlKnn(n_neighbors=1)), "fox": make_pipeline(MlSvm())}
    mine = experiment({"Both": by_set}, datasets=("musk1", "fox"), smoke_splits=1)
    (stand_in,) = mine.trials("smoke")
    assert stand_in.dataset == "synthetic_africa"
    last_steps = {
        dataset: type(mine.estimator(Trial("mine", dataset, "Both", "{}", 0))[-1])
        for dataset in ("musk1", "fox", stand_in.dataset)
    }
    assert last_steps == {"musk1": MlKnn, "fox": MlSvm, "synthetic_africa": MlKnn}


def test_a_part_of_a_data_set_has_its_configuration():
    mine = experiment({"Ml-knn": {"scene": TABLE["Ml-knn"].published()}}, datasets=("scene:10%",))
    assert {type(mine.estimator(trial)[-1]) for trial in mine.trials()} == {MlKnn}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("fast",), r"profile must be one of \['smoke', 'quick', 'paper'\], got 'fast'"),
        (("quick", ["Svm"]), r"methods must be among \['Ml-knn', 'MlSvm'\] for mine, got \['Svm'"),
    ],
)
def test_unknown_names_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        experiment(TABLE.published()).trials(*arguments)


def test_a_new_row_runs_and_changes_nothing_else():
    """As CONTRIBUTING says: one row in the section's module."""
    source = Path(section.__file__).read_text()
    row = 'TABLE_1 = Table({\n    "Toy": Row(MimlNn()),\n'
    assert source.count("TABLE_1 = Table({\n") == 1
    edited = {"__name__": section.__name__}
    exec(compile(source.replace("TABLE_1 = Table({\n", row), section.__file__, "exec"), edited)
    for after in edited["SECTION4"]:
        before = get_experiment(after.name)
        new = [trial for trial in after.trials() if trial.method == "Toy"]
        assert len(new) == (30 if after.name == "table1" else 0)
        assert all(type(after.estimator(trial)[-1]).__name__ == "MimlNn" for trial in new)
        assert [trial for trial in after.trials() if trial not in new] == before.trials()
