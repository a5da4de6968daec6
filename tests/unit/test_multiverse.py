"""Every reading: choices crossed, trials recorded, claims counted."""

import json
from itertools import combinations

import numpy as np
import pytest

from mimlpaper import MimlNn, MlKnn
from mimlpaper.datasets import load
from mimlpaper.experiments import Store, compute, estimate, records
from mimlpaper.experiments.multiverse import (
    MOST,
    SHARED,
    Multiverse,
    Readings,
    choices_of,
    crossed,
    flat,
)
from mimlpaper.experiments.registry import EXPERIMENTS, family
from mimlpaper.experiments.settings import Row, default, nearest, stated
from mimlpaper.experiments.splits import RandomSplits
from mimlpaper.experiments.store import KEY

FAMILY = family("multiverse")


def one_of(values):
    return [{name: value} for name, value in values.items()]


def test_few_readings_are_crossed_in_full():
    """Two alternatives of C and one of the rule: 3 · 2 readings, the published one first."""
    readings = crossed({"C": [{"C": 1}, {"C": 2}], "rule": [{"rule": "top"}]})
    assert readings[0] == {}
    assert len(readings) == 6
    assert {"C": {"C": 2}, "rule": {"rule": "top"}} in readings


def test_too_many_readings_keep_first_alternatives_and_add_the_others_alone():
    """3^4 = 81 > 48, so 2^4 = 16 in full and four more."""
    choices = {name: [{name: 1}, {name: 2}] for name in "abcd"}
    readings = crossed(choices)
    assert len(readings) == 16 + 4
    assert [one for one in readings if 2 in flat(one).values()] == [
        {name: {name: 2}} for name in "abcd"
    ]


@pytest.mark.parametrize("n_choices", [6, 7, 8])
def test_all_pairs_of_a_fraction_are_estimable(n_choices):
    """No more readings than MOST, and the model of all pairs has full rank."""
    names = [f"choice{i}" for i in range(n_choices)]
    readings = crossed({name: [{name: 1}] for name in names})
    assert readings[0] == {} and len(readings) <= MOST
    assert [one for one in readings if len(one) == 1] == [{n: {n: 1}} for n in reversed(names)]
    on = np.array([[name in one for name in names] for one in readings], dtype=float)
    pairs = [on[:, i] * on[:, j] for i, j in combinations(range(n_choices), 2)]
    terms = np.column_stack([np.ones(len(on)), on, *pairs])
    assert np.linalg.matrix_rank(terms) == terms.shape[1]


def test_choices_come_from_the_row():
    """Its own, the blind value of a setting nearest to print, the other label rule."""
    row = Row(
        MlKnn(),
        [stated(scaling=None, n_neighbors=10), default(smoothing=1.0), nearest(smoothing=2.0)],
        choices=[dict(n_neighbors=20)],
    )
    assert choices_of("table3", "Ml-knn", row) == {
        "n_neighbors": one_of({"n_neighbors": 20}), "smoothing": one_of({"smoothing": 1.0}),
        "label_rule": one_of({"label_rule": "top"}),
    }  # fmt: skip


def test_a_new_choice_is_one_row():
    row = Row(MimlNn(), [default(scaling=None)], choices=[dict(ratio=0.1)])
    more = Row(MimlNn(), [default(scaling=None)], choices=[dict(ratio=0.1), dict(ratio=0.3)])
    assert len(crossed(choices_of("table3", "new", more))) == 3 / 2 * len(
        crossed(choices_of("table3", "new", row))
    )


@pytest.mark.parametrize("name", FAMILY)
def test_readings_of_the_paper(name):
    """At most MOST a method, the published one is not run, no reading runs twice."""
    experiment = EXPERIMENTS[name]
    trials = experiment.trials()
    assert len(set(trials)) == len(trials)
    assert all(trial.parameters != "{}" for trial in trials)
    for method, readings in experiment.variants.items():
        assert readings[0] == {} and len(readings) <= MOST, method
        own = {t.parameters for t in trials if t.method == method}
        assert own or len(readings) == 1
    shared = {name for readings in experiment.variants.values() for one in readings for name in one}
    assert shared & set(SHARED)


def test_a_setting_that_a_data_set_has_anyway_is_no_change():
    """Molecules are scaled by columns in the published row of SubCod, images by rows."""
    experiment = EXPERIMENTS["multiverse_table5"]
    reading = {"scaling": {"scaling": "columns"}}
    assert experiment.parameters("musk1", "SubCod", reading) == "{}"
    assert experiment.parameters("fox", "SubCod", reading) == '{"scaling": "columns"}'


def test_a_reading_is_the_published_estimator_with_its_changes():
    experiment = EXPERIMENTS["multiverse_table2"]
    published = EXPERIMENTS["table2"]
    for trial in experiment.trials("smoke", ["MimlSvm", "MlSvm"]):
        ours = experiment.estimator(trial)
        changes = json.loads(trial.parameters)
        assert all(ours[-1].get_params()[n] == v for n, v in changes.items() if n != "scaling")
        theirs = published.estimator(published.trials("smoke", [trial.method])[0])
        assert (len(ours) == len(theirs)) == ("scaling" not in changes)


def test_all_of_it_takes_three_core_hours_at_most():
    table = estimate(["multiverse_table1"], recompute=True).set_index("experiment")
    assert 0 < table.loc["all", "core_hours"] < 1
    assert table.loc["all", "unknown"] == 0


@pytest.fixture
def small():
    """Two readings of two methods on drawn data."""
    rows = {
        "MimlNn": Row(MimlNn(), [default(scaling=None)], choices=[dict(ridge=10.0)]),
        "MimlNn, few": Row(MimlNn(ratio=0.1), [default(scaling=None)]),
    }
    readings = {name: crossed(choices_of("table1", name, row)) for name, row in rows.items()}
    return Readings("small", "Small", ("scene",), RandomSplits(2), rows, readings)


def test_trials_that_were_stopped_go_on_and_are_those_of_an_undisturbed_run(small, tmp_path):
    whole, torn = Store(tmp_path / "whole"), Store(tmp_path / "torn")
    undisturbed = compute(small, profile="smoke", jobs=1, store=whole)
    text = whole.path("small").read_text().splitlines(keepends=True)
    torn.folder.mkdir()
    torn.path("small").write_text("".join(text[:4]) + text[4][:30])
    resumed = compute(small, profile="smoke", jobs=1, store=torn)
    seconds = ["fit_seconds", "predict_seconds"]
    assert resumed.drop(columns=seconds).equals(undisturbed.drop(columns=seconds))
    assert set(records(small, profile="smoke", store=torn)["state"]) == {"fresh"}
    assert len(resumed) == len(resumed.drop_duplicates(KEY)) == len(small.trials("smoke"))


def test_a_stranger_runs_every_reading_of_an_estimator():
    data = load("synthetic_scene")
    many = Multiverse({"ridge": [0.1, 10.0], "few": [dict(ratio=0.1, label_rule="top")]})
    table = many.run(MimlNn(), data.X, data.Y, n_splits=2)
    assert len(table) == 2 * 6
    assert table.loc[0, ["ridge", "few"]].tolist() == ["", ""]
    assert set(table["few"]) == {"", "ratio = 0.1, label_rule = top"}
    assert table.groupby("few")["average_precision"].mean().nunique() == 2
    assert table.equals(many.run(MimlNn(), data.X, data.Y, n_splits=2))
