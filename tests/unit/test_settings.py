"""Settings: each has a basis, each basis is used, and the blind column follows from them."""

import pytest
from sklearn.preprocessing import MinMaxScaler

from mimlpaper.baselines.mlknn import MlKnn
from mimlpaper.baselines.mlsvm import MlSvm
from mimlpaper.study.holdouts import HoldOut, SubCodHoldOut
from mimlpaper.study.registry import ROWS, get_experiment, settings_nearest_to_print
from mimlpaper.study.settings import (
    BASES,
    EVERYWHERE,
    NEAREST,
    STEPS,
    Row,
    Table,
    default,
    each,
    nearest,
    nearest_to_print,
    settings,
    stated,
    unread,
)

CONFIGURATIONS = [
    pytest.param(row, dataset, column, id=f"{name}-{method}-{dataset}-{column.__name__}")
    for name, table in ROWS.items()
    for method, row in table.items()
    for dataset in get_experiment(name).datasets[:: 1 if name == "table5" else 100]
    for column in (Row.published, Row.blind)
]


def parameters(estimator):
    """Steps before the last one, and what the last one and the hold-out compute with."""
    found = {}
    if isinstance(estimator, HoldOut | SubCodHoldOut):
        found = estimator.get_params(deep=False)
        found = {name: found[name] for name in ("criterion", "test_size") if name in found}
        estimator = estimator.estimator
    found |= estimator[-1].get_params()
    found = {
        n: v for n, v in found.items() if not (hasattr(v, "fit") or n.endswith("random_state"))
    }
    return list(map(str, estimator[:-1])), {n: found[n] for n in found.keys() - unread(found)}


@pytest.mark.parametrize(("row", "dataset", "column"), CONFIGURATIONS)
def test_every_parameter_has_a_basis_and_its_value(row, dataset, column):
    """Independent of the defaults of the classes."""
    steps, found = parameters(column(row, dataset))
    about = settings({"": row}, [dataset]).set_index("parameter")
    prefix = "blind_" if column is Row.blind else ""
    about = about[about[f"{prefix}basis"] != ""]
    assert set(about[f"{prefix}basis"]) <= set(BASES)
    values = about[prefix.strip("_") or "value"]
    named = [name for name in STEPS if name in values]
    assert "scaling" in named
    assert sorted(steps) == sorted(values[name] for name in named if values[name] != "None")
    assert set(found) == set(values.index) - set(named)
    held = about[f"{prefix}basis"] == "held out"
    for name, value in found.items():
        assert held[name] or values[name] == getattr(value, "__name__", str(value))


@pytest.mark.parametrize(("row", "dataset", "column"), CONFIGURATIONS)
def test_only_the_published_column_has_settings_nearest_to_print(row, dataset, column):
    about = settings({"": row}, [dataset])
    kept = {name for basis in row.settings if basis.kept for name in basis.values}
    assert set(about.loc[about["blind_basis"] == NEAREST, "parameter"]) <= kept
    near = (about["basis"] == NEAREST) & ~about["parameter"].isin(kept)
    assert (about["value"] != about["blind"])[near].all(), "this value has a better basis"
    both = ~near & about["basis"].ne("") & about["blind_basis"].ne("")
    assert (about["value"] == about["blind"])[both].all()


def test_every_basis_counts_somewhere():
    """In the published or the blind configuration of its row on some data set."""
    used = set()
    for name, table in ROWS.items():
        for method, row in table.items():
            counts = set()
            for dataset in get_experiment(name).datasets:
                for bases in (row.settings, row.blind_settings):
                    for parameter, (_, basis) in row.layers(bases, dataset).items():
                        counts.add((id(basis), parameter))
                        used.add((id(basis), parameter.split("__")[-1]))
            named = {(id(basis), parameter) for basis in row.settings for parameter in basis.values}
            assert named <= counts, f"{name}, {method}"
    for kind, bases in EVERYWHERE.items():
        for basis in bases:
            assert {(id(basis), parameter) for parameter in basis.values} <= used, kind


def test_settings_nearest_to_print_are_counted_once_for_all_data_sets():
    table = {
        "Ml-knn": Row(MlKnn(), [default(n_neighbors=10), nearest(on=["scene"], n_neighbors=3)]),
        "MlSvm": Row(MlSvm(), [nearest(kernel="rbf", gamma=2.0, degree=4)]),
    }
    assert nearest_to_print(table, ["scene", "reuters"]) == {"Ml-knn": 1, "MlSvm": 2}
    assert nearest_to_print(table, ["reuters"])["Ml-knn"] == 0
    assert settings_nearest_to_print("table1")["MimlBoost"] == 0


def test_blind_and_tuned_columns_leave_out_what_is_nearest_to_print():
    row = Row(
        MlKnn(),
        [default(scaling=MinMaxScaler(), n_neighbors=10), nearest(scaling=None, n_neighbors=3)],
        tuning=dict(n_neighbors=[5, 20]),
    )
    assert [step.__class__ for step in row.published()] == [MlKnn]
    assert row.published()[-1].n_neighbors == 3
    assert [step.__class__ for step in row.blind()] == [MinMaxScaler, MlKnn]
    assert row.blind()[-1].n_neighbors == 10
    assert row.tuned().grid == {"mlknn__n_neighbors": [5, 20]}
    assert list(row.tuned().estimator.named_steps) == ["minmaxscaler", "mlknn"]
    rules = [row.blind()[-1].label_rule, row.tuned().estimator[-1].label_rule]
    assert rules == ["sign", "top"]
    assert row.changed(n_neighbors=7)[-1].n_neighbors == 7
    assert row.learner.n_neighbors == MlKnn().n_neighbors


def test_only_rows_with_settings_nearest_to_print_have_a_blind_configuration():
    table = Table({"Ml-knn": Row(MlKnn(), [nearest(n_neighbors=3)]), "MlSvm": Row(MlSvm())})
    assert list(table.blind()) == ["Ml-knn"]
    assert list(table.published()) == ["Ml-knn", "MlSvm"]
    assert table.tuned() == {}


def test_changes_of_one_parameter_each():
    assert each(C=[0.1, 10.0], label_rule="top") == [
        dict(C=0.1), dict(C=10.0), dict(label_rule="top")
    ]  # fmt: skip


def test_a_list_is_held_out_and_its_range_keeps_its_basis():
    row = Row(MlKnn(), [stated("4.3.2", n_neighbors=[5, 10]), default(criterion="coverage")])
    about = settings({"Ml-knn": row}).set_index("parameter")
    assert about.loc["n_neighbors", ["basis", "source"]].tolist() == [
        "held out", "range stated 4.3.2",
    ]  # fmt: skip
    assert about.loc["criterion", "value"] == row.published().criterion == "coverage"
    assert about.loc["test_size", "basis"] == "library default"
