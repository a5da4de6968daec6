"""Measured costs, how they are recorded and resumed, and growth of made-up seconds."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from mimlpaper.study.workers import TrialError
from sklearn.base import BaseEstimator

from mimlpaper import cli, paths
from mimlpaper.datasets import load_synthetic_scene, make_bags
from mimlpaper.distances import max_hausdorff
from mimlpaper.study import costs as module
from mimlpaper.study import notebooks, tables
from mimlpaper.study.costs import (
    BASE,
    LARGE,
    LARGE_BAGS,
    MANY_LABELS,
    ONE_LABEL,
    PEER_DATA,
    SIZES,
    CostCase,
    cost_cases,
    estimator_of,
    is_installed,
    measure,
    measure_costs,
    problem_of,
    recorded_costs,
    spent,
    waiting_costs,
)
from mimlpaper.study.figures import plot_growth
from mimlpaper.study.notebooks import NotebookRun
from mimlpaper.study.rendering import METHOD_STYLE, look_of
from mimlpaper.study.statistics import growth
from mimlpaper.study.tables import costs_table, peers_table
from tests.made_up_records import rows

FEW = [
    CostCase("sizes", "drawn:40x2x4", "MimlNn"),
    CostCase("sizes", "drawn:40x2x4", "Ch-Fd"),
    CostCase("peers", "drawn:80x4x4", "MlSvm", "scikit-learn"),
]


@pytest.fixture(autouse=True)
def results(monkeypatch, tmp_path):
    """An empty folder in place of the project's."""
    monkeypatch.setattr(paths, "results", lambda: tmp_path)


@pytest.fixture
def few(monkeypatch):
    """Three quick cases in place of all."""
    monkeypatch.setattr(module, "cost_cases", lambda profile="paper": FEW)


@pytest.fixture
def instead(monkeypatch):
    """Made-up costs, computed in this process; returns the requested cases."""
    asked = []

    def made_up(cases, data_home, path):
        for case in cases:
            asked.append(case)
            module._record(cost(case.study, case.dataset, case.method, case.library), path)

    monkeypatch.setattr(module, "_measure_each", made_up)
    return asked


def cost(study, dataset, method, library="mimlpaper", **others):
    row = {
        "study": study, "dataset": dataset, "method": method, "library": library, "n_bags": 40,
        "n_instances": 2, "n_features": 16, "n_labels": 4, "fit_seconds": 0.5,
        "fit_megabytes": 3.0, "predict_seconds": 0.25, "predict_megabytes": 0.5,
        "average_precision": 0.75, "warnings": "", "versions": "python 3", "commit": "",
        "machine": "an abacus",
    }  # fmt: skip
    return row | others


def grown(method="MimlNn", powers=(2.0, 1.0, 0.0), seconds=1e-3):
    """Costs of one method that grow by these powers of bags, instances and labels."""
    table = []
    for (varied, several), power in zip(SIZES.items(), powers, strict=True):
        for size in several:
            name = "drawn:{bags}x{instances}x{labels}".format(**BASE | {varied: size})
            spent = seconds * (size / BASE[varied]) ** power
            table.append(cost("sizes", name, method, fit_seconds=spent, fit_megabytes=spent * 1e6))
    return pd.DataFrame(table).drop_duplicates(["dataset", "method"])


def test_a_set_sorted_by_label_is_measured(monkeypatch):
    """The short fit before needs both classes as well."""
    X, _ = make_bags(100, 3, 4)
    problem = (X, np.arange(100) < 80), None
    monkeypatch.setattr(module, "problem_of", lambda case, data_home: problem)
    assert measure(CostCase("sets", "elephant", "Ch-Fd"))["fit_seconds"] > 0


def test_each_fit_is_measured_in_a_process_of_its_own_and_recorded(few):
    costs = measure_costs().set_index("method")
    assert (costs["fit_seconds"] > 0).all() and (costs["fit_megabytes"] >= 0).all()
    assert costs.loc["MimlNn", ["n_bags", "n_instances", "n_labels"]].tolist() == [40, 2, 4]
    assert costs.loc["Ch-Fd", "n_labels"] == 1
    assert costs["average_precision"].notna().tolist() == [False, False, True]
    assert costs["machine"].str.contains("cores").all()


def test_what_is_recorded_is_not_measured_again_unless_asked(few, instead, tmp_path):
    module._record(cost("sizes", "drawn:40x2x4", "Ch-Fd", fit_seconds=7.0), tmp_path / "costs.csv")
    assert waiting_costs() == [FEW[0], FEW[2]]
    table = measure_costs()
    assert instead == [FEW[0], FEW[2]]
    assert sorted(table["fit_seconds"]) == [0.5, 0.5, 7.0]
    measure_costs()
    assert len(instead) == 2
    again = measure_costs(recompute=True)
    assert instead[2:] == FEW and (again["fit_seconds"] == 0.5).all()


def test_a_fit_that_fails_leaves_the_others_recorded(few, monkeypatch):
    broken = CostCase("sizes", "drawn:40x2x5", "MimlNn")  # five labels cannot be drawn
    monkeypatch.setattr(module, "cost_cases", lambda profile="paper": [broken, FEW[0]])
    with pytest.raises(TrialError, match=r"(?s)1 of 2 fits failed.*multiple of 4"):
        measure_costs()
    assert recorded_costs()["dataset"].tolist() == ["drawn:40x2x4"]


def test_missing_data_leave_their_cases_out(monkeypatch, instead, capsys):
    cases = [CostCase("sets", "scene", "MimlNn"), CostCase("sets", "scene", "MimlSvm"), FEW[0]]
    monkeypatch.setattr(module, "cost_cases", lambda profile="paper": cases)

    def nowhere(name, data_home):
        raise module.DataError("no file")

    monkeypatch.setattr(module, "load", nowhere)
    measure_costs()
    assert instead == [FEW[0]]
    assert capsys.readouterr().out.count("costs on scene are left out: no file") == 1


def test_a_peer_that_is_not_installed_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None if name == "skmultilearn" else 1)
    case = CostCase("peers", PEER_DATA["Ml-knn"], "Ml-knn", "scikit-multilearn-ng")
    assert not is_installed(case) and case in cost_cases()
    assert case not in waiting_costs()


def test_the_record_is_whole_and_has_a_row_a_case(tmp_path):
    path = tmp_path / "costs.csv"
    for seconds in (1.0, 1.23456789):
        module._record(cost("sizes", "drawn:40x2x4", "MimlNn", fit_seconds=seconds), path)
    module._record(cost("sizes", "drawn:40x2x4", "MimlSvm", warnings="ConvergenceWarning"), path)
    table = module._read(path)
    assert table["fit_seconds"].tolist() == [1.23457, 0.5]
    assert table["warnings"].tolist() == ["", "ConvergenceWarning"]
    assert sorted(p.name for p in tmp_path.iterdir()) in (
        ["costs.csv"], [".costs.lock", "costs.csv"]
    )  # fmt: skip


class Greedy(BaseEstimator):
    """Takes 64 MB for a while when it is fitted to more than a few examples."""

    def fit(self, X, Y):
        if len(Y) > module.N_WARM_UP:
            np.ones(2**23).sum()
            warnings.warn("greedy", RuntimeWarning, stacklevel=2)
        return self


def test_memory_and_warnings_are_those_of_the_fit(monkeypatch):
    monkeypatch.setattr(module, "estimator_of", lambda case: Greedy())
    row = measure(CostCase("sizes", "drawn:100x2x4", "MimlNn"))
    assert row["fit_megabytes"] == pytest.approx(64, abs=4)
    assert row["warnings"] == "RuntimeWarning"


def test_memory_that_was_taken_before_does_not_count():
    np.ones(2**24).sum()
    assert spent(lambda: np.ones(2**22).sum())[2] == pytest.approx(32, abs=4)


def test_every_method_has_a_look_and_cases():
    methods = {*MANY_LABELS, *ONE_LABEL}
    assert methods <= METHOD_STYLE.keys()
    assert {look_of(method) for method in LARGE} <= set(METHOD_STYLE.values())
    assert methods == {case.method for case in cost_cases() if case.study == "sizes"}
    assert set(cost_cases("quick")) <= set(cost_cases("paper"))
    assert len(set(cost_cases())) == len(cost_cases())
    with pytest.raises(ValueError, match="profile must be one of"):
        cost_cases("fast")


def test_large_cases_are_of_every_size():
    large = [case for case in cost_cases() if case.study == "large"]
    assert len(large) == len(LARGE) * len(LARGE_BAGS["paper"])
    assert max(len(problem_of(case)[0][0]) for case in large[:2]) == 12500
    assert {estimator_of(case) for case in large} == set(LARGE.values())


def test_cases_of_the_trial_run_are_small_and_need_no_file():
    for case in cost_cases("smoke"):
        (X, Y), _ = problem_of(case)
        assert len(X) == len(Y) <= 800
        assert hasattr(estimator_of(case), "fit")


def test_megabytes_below_one_are_left_out():
    table = grown(seconds=1e-6)  # 1 MB at the base
    assert growth(table, "MimlNn", "bags", "fit_megabytes").index.min() == BASE["bags"]
    assert growth(table, "MimlNn", "bags").index.min() == SIZES["bags"][0]


def test_seconds_of_trials_stand_above_those_of_one_fit():
    costs = pd.DataFrame([cost("sets", "scene", "MimlNn"), cost("sets", "scene", "D-MimlSvm")])
    costs = pd.concat([costs, pd.DataFrame([cost("sets", "reuters", "MimlSvm")])])
    trials = rows("table1", "scene", "MimlNn", {"coverage": [1.0, 2.0]})
    table = costs_table(costs, {"table1": trials, "table2": pd.DataFrame()}, "MIML")
    assert table.columns == ("scene, fit", "scene, scores", "reuters, fit", "reuters, scores")
    assert table.rows["MimlNn"][0].lines == ("1.00 s", "0.50 s", "3 MB")
    assert table.rows["MimlNn"][1].lines == ("0.10 s", "0.25 s", "< 1 MB")
    assert table.rows["D-MimlSvm"][0].lines == ("–", "0.50 s", "3 MB")
    assert table.rows["MimlNn"][2].lines == ("–",)


def test_peers_are_shown_as_multiples_of_ours(monkeypatch):
    monkeypatch.setattr(tables, "is_installed", lambda case: case.library != "b")
    libraries = ("mimlpaper", "a", "b", "c")
    cases = [CostCase("peers", "drawn:80x4x4", "MlSvm", name) for name in libraries]
    costs = pd.DataFrame(
        [
            cost("peers", "drawn:80x4x4", "MlSvm"),
            cost("peers", "drawn:80x4x4", "MlSvm", "a", fit_seconds=12.0),
        ]
    )
    table = peers_table(costs, [*cases, FEW[0]])
    ratios = [entries[2].lines[0] for entries in table.rows.values()]
    assert ratios == ["1", "24", "–", "–"]
    assert table.rows["MlSvm: b"][1].lines == ("not installed",)
    assert table.rows["MlSvm: c"][1].lines == ("not measured",)
    assert table.tidy["ratio"].dropna().tolist() == [1.0, 24.0]


def test_curves_have_their_methods_looks_on_logarithmic_axes():
    figure, axes = plt.subplots(1, 3)
    plot_growth(pd.concat([grown(), grown("Ml-knn")]), axes, ["MimlNn", "Ml-knn"])
    for axis in axes:
        assert (axis.get_xscale(), axis.get_yscale()) == ("log", "log")
        assert [line.get_color() for line in axis.lines] == [
            METHOD_STYLE["MimlNn"].color, METHOD_STYLE["Ml-knn"].color
        ]  # fmt: skip
    assert {text.get_text() for text in axes[2].texts} == {"MimlNn", "Ml-knn"}
    plt.close(figure)


def test_drawn_bags_have_the_sizes_and_the_share_of_labels_asked_for():
    X, Y = make_bags(50, 3, 8, n_features=5)
    assert X.sizes.tolist() == [3] * 50 and X.n_features == 5
    assert (Y.sum(axis=1) == 2).all()
    assert 0 <= X.instances.min() and X.instances.max() <= 1
    same, _ = make_bags(50, 3, 8, n_features=5)
    np.testing.assert_array_equal(X.instances, same.instances)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((0, 2, 4), "n_bags must be at least 1, got 0"),
        ((5, 0, 4), "n_instances must be at least 1, got 0"),
        ((5, 2, 6), "n_labels must be a multiple of 4, got 6"),
    ],
)
def test_sizes_that_cannot_be_drawn(sizes, message):
    with pytest.raises(ValueError, match=message):
        make_bags(*sizes)


def test_scipys_distances_are_ours():
    bags = load_synthetic_scene().X[:6]
    theirs = module.scipy_hausdorff(bags, bags[:4])
    np.testing.assert_allclose(theirs, max_hausdorff(bags, bags[:4]))


def test_the_command_sums_up(few, instead, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(paths, "results", lambda: tmp_path)
    assert cli.main(["costs"]) == 0
    assert "MimlNn" in capsys.readouterr().out
    assert (tmp_path / "costs.csv").is_file()


def test_run_leaves_the_notebook_out_while_fits_are_to_be_measured(
    few, instead, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(paths, "results", lambda: tmp_path)
    well = [NotebookRun("9_cost", "done", 1.0)]
    monkeypatch.setattr(notebooks, "run_notebooks", lambda *_, **__: well)
    assert cli.main(["run", "--recorded", "9_cost"]) == 0
    assert "left out, 3 trials to run" in capsys.readouterr().out
    measure_costs()
    assert cli.main(["run", "--recorded", "9_cost"]) == 0
    assert "left out" not in capsys.readouterr().out
