"""Settings: each has a basis, each basis is used; columns, readings and everyone tuned follow."""

import json

import numpy as np
import pytest
from sklearn.model_selection import ParameterGrid
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from mimlpaper.bags import Bags
from mimlpaper.baselines.binary_relevance import MlKnn, MlSvm
from mimlpaper.datasets import load
from mimlpaper.kernels import kernel_matrix
from mimlpaper.metrics import CRITERIA
from mimlstudy.engine.holdouts import HoldOut
from mimlstudy.engine.trials import set_random_states
from mimlstudy.paper import measures, tuned
from mimlstudy.paper import settings as rules
from mimlstudy.paper.experiments import READ_SPLITS, ROWS, get_experiment, settings_nearest_to_print
from mimlstudy.paper.published import TABLES
from mimlstudy.paper.settings import HELD_OUT, NEAREST, Row, default, each, nearest, settings
from mimlstudy.paper.unseen import UNSEEN, UNSEEN_TEXTS

# Settings differ from data set to data set in Table 5 alone.
ON = {name: get_experiment(name).datasets[:: 1 if name == "table5" else 100] for name in ROWS}
ALL_ROWS = [(row, on) for name, rows in ROWS.items() for row in rows.values() for on in ON[name]]


def parameters(estimator):
    """Steps before the last one, and what the last one and the hold-out compute with."""
    found = {}
    if isinstance(estimator, HoldOut):
        found = {name: getattr(estimator, name) for name in rules.OF_HOLD_OUT}
        found = {name: value for name, value in found.items() if value is not False}
        estimator = estimator.estimator
    for name, value in estimator[-1].get_params().items():
        if not (hasattr(value, "fit") or name.endswith(("random_state", "verbose"))):
            found[name] = value
    return list(map(str, estimator[:-1])), {n: found[n] for n in found.keys() - rules.unread(found)}


def test_every_parameter_has_a_basis_and_its_value_and_blind_ones_are_not_near_to_print():
    for row, dataset in ALL_ROWS:
        about = settings({"": row}, [dataset]).set_index("parameter")
        kept = {name for basis in row.settings if basis.kept for name in basis.values}
        assert set(about.index[about["blind_basis"] == NEAREST]) <= kept
        near = (about["basis"] == NEAREST) & ~about.index.isin(kept)
        assert (about["value"] != about["blind"])[near].all(), "this value has a better basis"
        both = ~near & about["basis"].ne("") & about["blind_basis"].ne("")
        assert (about["value"] == about["blind"])[both].all()
        for column, prefix in ((row, ""), (row.blind(), "blind_")):
            steps, found = parameters(column.published(dataset))
            own = about[about[f"{prefix}basis"] != ""]
            assert set(own[f"{prefix}basis"]) <= set(rules.BASES)
            values = own[prefix.strip("_") or "value"]
            named = [name for name in rules.STEPS if name in values]
            assert "scaling" in named and set(found) == set(values.index) - set(named)
            assert sorted(steps) == sorted(values[n] for n in named if values[n] != "None")
            for name, value in found.items():
                is_held_out = own.loc[name, f"{prefix}basis"] == HELD_OUT
                assert is_held_out or values[name] == getattr(value, "__name__", str(value))


def test_every_basis_counts_somewhere():
    used = set()
    for name, table in ROWS.items():
        for method, row in table.items():
            layers = [
                column.layers(dataset).items()
                for dataset in get_experiment(name).datasets
                for column in (row, row.blind())
            ]
            counts = {(id(basis), p) for several in layers for p, (_, basis) in several}
            named = {(id(basis), p) for basis in row.settings for p in basis.values}
            assert named <= counts, f"{name}, {method}"
            used |= {(basis, parameter.split("__")[-1]) for basis, parameter in counts}
    for kind, bases in rules.EVERYWHERE.items():
        for basis in bases:
            assert {(id(basis), parameter) for parameter in basis.values} <= used, kind


ROW = Row(
    MlKnn(),
    [default(scaling=MinMaxScaler(), n_neighbors=10), nearest(scaling=None, n_neighbors=3)],
    choices=[
        *each(n_neighbors=[3, 10], label_rule=["top", "sign"]),
        dict(scaling="vector columns"),
        dict(n_neighbors=3, smoothing=2.0),
    ],
)


def test_a_blind_row_leaves_out_what_is_nearest_to_print():
    for row, steps, k in ((ROW, [MlKnn], 3), (ROW.blind(), [MinMaxScaler, MlKnn], 10)):
        pipeline = row.published()
        assert [type(step) for step in pipeline] == steps and pipeline[-1].n_neighbors == k
    assert ROW.changed(n_neighbors=7)[-1].n_neighbors == 7
    assert ROW.learner.n_neighbors == MlKnn().n_neighbors
    on_fox = Row(MlSvm(), [nearest(on=["fox"], gamma=2.0, C=4.0)])
    table = rules.Table({"Ml-knn": ROW, "MlSvm": on_fox})
    assert list(table.readings()) == ["Ml-knn"] and list(table.blind()) == ["Ml-knn", "MlSvm"]
    # A parameter with a value for each data set counts once.
    assert rules.nearest_to_print(table, ["fox", "tiger"]) == {"Ml-knn": 2, "MlSvm": 2}
    assert rules.nearest_to_print(table, ["tiger"])["MlSvm"] == 0
    assert settings_nearest_to_print("table1")["MimlBoost"] == 0
    for name in ON.keys() - {"figure4", "figure5"}:
        for method, row in ROWS[name].blind().items():
            recorded = get_experiment("blind").estimator(ON[name][0], method)
            assert repr(recorded) == repr(row.published(ON[name][0]))


def test_readings_change_each_choice_alone_then_some_together():
    """What the row has anyway is no change: n_neighbors = 3 and the sign."""
    readings = ROW.readings()
    assert readings[:2] == [dict(n_neighbors=10), dict(label_rule="top")]
    assert readings[2:4] == [dict(scaling="vector columns"), dict(smoothing=2.0)]
    assert all(one not in readings[:i] for i, one in enumerate(readings))
    assert all(one == ROW.differing(one) for one in readings)
    assert any(len(one) > 1 for one in readings) and len(readings) <= 4 + ROW.n_mixed
    scaled, both = ROW.changed(**readings[2]), ROW.changed(n_neighbors=[1, 2], scaling="none")
    assert [type(step) for step in scaled] == [MinMaxScaler, MlKnn]
    assert both.grid == {"mlknn__n_neighbors": [1, 2]} and len(both.estimator) == 1


def test_mixtures_make_at_least_two_changes_and_one_of_alternatives():
    choices = [*each(a=[1, 2, 3], b=4), dict(c=5, d=6), dict(c=7)]
    drawn = rules.mixed(choices, 30)
    assert drawn == rules.mixed(choices, 30) and rules.mixed(choices, 5) == drawn[:5]
    # Of 4 · 2 · 3 combinations, one is none and six are one change alone.
    assert sorted(map(str, drawn)) == sorted({str(one) for one in drawn}) and len(drawn) == 17
    assert {one.get("a") for one in drawn} == {1, 2, 3, None}
    assert all((one.get("c") == 5) == ("d" in one) for one in drawn)
    assert rules.mixed(each(a=[1, 2]), 8) == []  # nothing to mix


def test_lists_and_unions_of_grids_are_held_out():
    """Also of steps: each candidate is a value of the step that it is. A range keeps its basis."""
    row = Row(MlKnn(), [rules.stated("4.3.2", n_neighbors=[5, 10]), default(criterion="coverage")])
    about = settings({"Ml-knn": row}).set_index("parameter")
    assert tuple(about.loc["n_neighbors", ["basis", "source"]]) == (HELD_OUT, "range stated 4.3.2")
    assert about.loc["criterion", "value"] == row.published().criterion == "coverage"
    scalers = [MinMaxScaler(), StandardScaler()]
    one, two = dict(scaling=scalers, n_neighbors=[5]), dict(n_neighbors=[1, 2], smoothing=[0.5])
    search = Row(MlKnn(), [rules.held_out("why", grid=[one, two])]).published()
    first, second = search.grid
    assert first == {"minmaxscaler": scalers, "mlknn__n_neighbors": [5]}
    assert second == {"mlknn__n_neighbors": [1, 2], "mlknn__smoothing": [0.5]}
    assert list(search.estimator.named_steps) == ["minmaxscaler", "mlknn"]
    alone = Row(MlKnn(), [rules.held_out("why", grid=[two])])
    assert alone.published().grid == second
    about = settings({"": alone}).set_index("parameter").loc["grid"]
    assert (about["basis"], about["source"]) == (HELD_OUT, "why")


def test_every_choice_of_every_row_is_recorded_as_a_reading():
    readings = get_experiment("readings")
    recorded = {(t.dataset, t.method, t.parameters) for t in readings.trials()}
    for name, table in ROWS.items():
        n_splits = READ_SPLITS[name]
        for dataset in ON[name]:
            for method, several in table.readings(dataset if name == "table5" else "").items():
                part = readings.part_of(dataset, method)
                assert part.overrides[method] == several and part.splits.n_splits <= n_splits
                assert {
                    (dataset, method, c) for c in part.override_texts(dataset, method)
                } <= recorded


def test_section_5_has_the_requirements_of_the_paper():
    pairs = '{"mu": [0.1, 1.0], "relatedness": "pairwise"}'
    for name in ("figure4", "figure5"):
        experiment = get_experiment(name)
        assert len(experiment.trials()) == 5 * 30 * 3
        assert [name[-3:] for name in experiment.datasets] == ["10%", "20%", "30%", "40%", "50%"]
        for method, change in [("D-MimlSvm", pairs), *((m, "{}") for m in experiment.methods)]:
            search = experiment.estimator(experiment.datasets[0], method, change)
            assert search.criterion == "average_precision"
            assert len(ParameterGrid(search.grid)) == 8
        train, test = experiment.parts[0].splits.indices(range(1523), 0)
        assert (len(train), len(test)) == (381, 1142)  # a quarter is for training


def test_section_6_runs_every_row_and_its_data_differ_only_as_the_paper_says():
    """In the order of printing. Pages have a sparse first step, and RankSvm a held-out degree."""
    genes, pages = experiments = [get_experiment(f"table{number}") for number in (3, 4)]
    for experiment, printed in zip(experiments, (TABLES[3], TABLES[4]), strict=True):
        own = [name for name in experiment.methods if name in printed.algorithms]
        assert own == [*printed.algorithms]
        assert len({(t.dataset, t.split) for t in experiment.trials()}) == printed.n_runs
    for method in TABLES[3].algorithms:
        one, other = genes.estimator("yeast", method), pages.estimator("yahoo:Arts", method)
        if method == "RankSvm":
            assert other.grid == {"ranksvm__degree": [*range(2, 10)]} and one[-1].degree == 8
            other = other.estimator.set_params(ranksvm__degree=8)
        assert len(other) == len(one) + 1 and repr(other[-1]) == repr(one[-1])


def test_figure_8_and_the_ablation_have_the_rows_of_table_3():
    figure, ablation = get_experiment("figure8"), get_experiment("ablation")
    changes = figure.parts[0].override_texts("yeast", "InsDif")
    swept = [figure.estimator("yeast", "InsDif", change) for change in changes]
    assert np.allclose([one[-1].learner.ratio for one in swept], np.arange(1, 11) / 10)
    assert repr(swept[1]) == repr(get_experiment("table3").estimator("yeast", "InsDif"))
    for method in ("InsDif", "InsDif_MimlSvm_mi", "InsDif_MimlBoost"):
        names = method, f"{method}, no bags"
        own, without = (ablation.estimator("yeast", name)[-1] for name in names)
        assert type(own.learner) is type(without.learner)
        assert type(own.transformation) is not type(without.transformation)


def test_the_set_kernel_is_that_of_section_5(bags):
    """The mean of k(x, z) over pairs of instances, of unit length for each bag with itself."""
    steps = UNSEEN["Set kernel"].published()
    vectors = steps[1].set_params(oninstances__transformer__rank=None).fit_transform(bags)
    means = np.array([[kernel_matrix(a, b, gamma=1.0).mean() for b in bags] for a in bags])
    scale = np.sqrt(np.diag(means))
    assert vectors @ vectors.T == pytest.approx(means / np.outer(scale, scale), abs=1e-6)


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
    """Other than nearness to print, also on unseen data. A grid has its reason."""
    several = [table for datasets, table in tuned.TUNED.items() if "musk1" not in datasets]
    names = [{tuned.THROUGH_INSDIF.get(name, name) for name in table} for table in several]
    assert len(names) == 6 and len(names[0]) == 12 and all(one == names[0] for one in names)
    table5 = get_experiment("table5")
    assert set(table5.methods) == set(tuned.TUNED[table5.datasets])
    for table in (UNSEEN, UNSEEN_TEXTS):
        assert not any(rules.nearest_to_print(table, ["hja", "dbpedia"]).values())
    for table in (*tuned.TUNED.values(), *tuned.CONTROLS.values()):
        about = settings(table)
        assert set(about["basis"]) <= set(rules.BASES) - {NEAREST, ""}
        assert about.loc[about["basis"] == HELD_OUT, "source"].all()
    everyone, controls = (
        {part.datasets: part.splits for part in get_experiment(name).parts}
        for name in ("tuned", "controls")
    )
    assert controls.items() <= everyone.items()


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
    # Both settings do equally well, and the second one is tried first.
    few = HoldOut(search.estimator, {"mlknn__smoothing": [1.0, 1.0 + 1e-9]}, random_state=3)
    rows = measures.criteria_by_budget(few, data, train, test)
    assert [row["n_settings"] for row in rows] == [2, 1]
    assert json.loads(rows[0]["chosen"]) == {"mlknn__smoothing": 1.0}


def test_layouts_by_hand():
    first, second = tuned.order_free(Bags.from_list([[[0.0, 4.0], [2.0, 4.0]], [[1.0, -1.0]]]))
    assert first == pytest.approx([1.0, 4.0, 1.0, 0.0, 0.0, 4.0, 2.0, 4.0, 2.0])
    assert second == pytest.approx([1.0, -1.0, 0.0, 0.0, 1.0, -1.0, 1.0, -1.0, 1.0])
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
