"""Everyone tuned: one budget, the same means; controls, their layouts, and the forest's scores."""

import json

import numpy as np
import pytest
from sklearn.model_selection import ParameterGrid

from mimlpaper.bags import Bags
from mimlpaper.datasets import load
from mimlpaper.metrics import CRITERIA
from mimlpaper.study import measures, tuned
from mimlpaper.study.holdouts import HoldOut
from mimlpaper.study.registry import get_experiment
from mimlpaper.study.settings import BASES, HELD_OUT, NEAREST, settings
from mimlpaper.study.trials import set_random_states

BAGS = Bags.from_list([[[0.0, 4.0], [2.0, 4.0]], [[1.0, -1.0]], [[3.0, 1.0], [5.0, 1.0]]])


def test_everyone_has_sixteen_settings_and_those_with_a_kernel_the_same_kernels():
    kinds = [*tuned.TUNED.items(), *tuned.CONTROLS.items()]
    for datasets, method, row in ((on, *one) for on, table in kinds for one in table.items()):
        search = row.published(datasets[0])
        one_label = search.criterion == "accuracy"
        assert search.stratified == one_label == ("musk1" in datasets), method
        several = list(ParameterGrid(search.grid))
        assert len(several) == 16, method
        rules = [v for n, v in search.get_params().items() if n.endswith("label_rule")]
        assert set(rules) <= {"top"}, method
        named = [{n.split("__")[-1]: v for n, v in one.items()} for one in several]
        kernels = {(one["kernel"], one.get("gamma")) for one in named if "kernel" in one}
        kernels = {(kernel, width) for kernel, width in kernels if kernel != "poly"}
        assert kernels in (set(), {("linear", None), *(("rbf", width) for width in tuned.WIDTHS)})


def test_every_method_is_tuned_on_every_set_and_every_setting_has_a_basis():
    """Other than nearness to print. A grid has its reason."""
    several = [table for datasets, table in tuned.TUNED.items() if "musk1" not in datasets]
    names = [{tuned.THROUGH_INSDIF.get(name, name) for name in table} for table in several]
    assert len(names) == 6 and len(names[0]) == 12 and all(one == names[0] for one in names)
    assert set(get_experiment("table5").methods) == set(
        tuned.TUNED[get_experiment("table5").datasets]
    )
    for table in (*tuned.TUNED.values(), *tuned.CONTROLS.values()):
        about = settings(table)
        assert set(about["basis"]) <= set(BASES) - {NEAREST, ""}
        assert about.loc[about["basis"] == HELD_OUT, "source"].all()
    everyone, controls = (
        {part.datasets: part.splits for part in get_experiment(name).parts}
        for name in ("tuned", "controls")
    )
    assert controls.items() <= everyone.items()


@pytest.mark.filterwarnings("ignore")
def test_tuned_rows_and_controls_learn():
    """With one of its settings, on data that stand in for its own: every fifth, for time."""
    for name in ("tuned", "controls"):
        experiment = get_experiment(name)
        for trial in experiment.trials("smoke")[::5]:
            data = load(trial.dataset)
            order = np.random.default_rng(0).permutation(len(data))
            train, test = order[:60], order[60:120]
            search = experiment.estimator(trial.dataset, trial.method)
            one = search.estimator.set_params(**list(ParameterGrid(search.grid))[3])
            set_random_states(one, 0)
            (row,) = measures.criteria(one, data, train, test)
            assert row.get("average_precision", row.get("accuracy")) > 0.3, trial


def test_fewer_settings_are_the_first_of_the_order_and_the_best_of_them_is_fitted():
    """By a slow version. All settings come first; equal values keep the order of the grid."""
    data, train, test = load("synthetic_scene"), np.arange(150), np.arange(150, 200)
    search = get_experiment("tuned").estimator("synthetic_scene", "Ml-knn")
    set_random_states(search, 3)
    rows = measures.criteria_by_budget(search, data, train, test)
    assert [(row["stage"], row["n_settings"]) for row in rows] == [*enumerate((16, 8, 4, 2, 1))]
    order = np.random.default_rng(3).permutation(16)
    values, settings = search.holdout_values_["value"], search.holdout_values_["params"]
    for row in rows:
        tried = order[: row["n_settings"]]
        assert json.loads(row["held_out"]) == pytest.approx([values[i] for i in tried], abs=1e-6)
        best = min(i for i in tried if values[i] == max(values[j] for j in tried))
        assert json.loads(row["chosen"]) == settings[best]
        one = search.estimator.set_params(**settings[best])
        (expected,) = measures.criteria(one, data, train, test)
        assert {name: row[name] for name in CRITERIA} == {name: expected[name] for name in CRITERIA}
    assert json.loads(rows[0]["chosen"]) == search.best_params_
    # Two settings that do equally well, of which the second is tried first.
    few = HoldOut(search.estimator, {"mlknn__smoothing": [1.0, 1.0 + 1e-9]}, random_state=3)
    rows = measures.criteria_by_budget(few, data, train, test)
    assert [row["n_settings"] for row in rows] == [2, 1]
    assert json.loads(rows[0]["chosen"]) == {"mlknn__smoothing": 1.0}


def test_layouts_by_hand():
    expected = [
        [1.0, 4.0, 1.0, 0.0, 0.0, 4.0, 2.0, 4.0, 2.0],
        [1.0, -1.0, 0.0, 0.0, 1.0, -1.0, 1.0, -1.0, 1.0],
    ]
    assert tuned.order_free(BAGS)[:2] == pytest.approx(np.array(expected))
    many = Bags.from_list(list(np.arange(90.0).reshape(30, 3, 1)))
    moved = tuned.shuffled(many)
    for own, other in zip(many, moved, strict=True):
        assert sorted(own.ravel()) == sorted(other.ravel())
    assert len({tuple(bag.ravel() % 3) for bag in moved}) == 6  # every order
    assert tuned.order_free(moved) == pytest.approx(tuned.order_free(many))
    assert np.array_equal(moved.instances, tuned.shuffled(many).instances)


def test_a_forest_scores_by_its_votes_above_one_half(rng):
    """Also where a label is constant. One label has one column."""
    X = rng.random((60, 3))
    Y = np.column_stack([X[:, 0] > 0.5, X[:, 1] > 0.7, np.zeros(60, dtype=bool)])
    forest = tuned.Forest(n_estimators=20, random_state=0).fit(X, Y)
    votes = np.mean([[v[:, -1] for v in tree.predict_proba(X)] for tree in forest], axis=0).T
    scores = forest.decision_function(X)
    assert scores[:, :2] == pytest.approx(votes[:, :2] - 0.5)
    assert (scores[:, 2] == -0.5).all()
    predicted = forest.predict(X)
    assert predicted.any(axis=1).all() and (predicted[:, :2] >= (scores[:, :2] > 0)).all()
    single = tuned.Forest(n_estimators=20, random_state=0).fit(X, Y[:, 0])
    assert np.array_equal(single.predict(X), Y[:, 0])
    assert np.array_equal(single.decision_function(X) > 0, Y[:, 0])
