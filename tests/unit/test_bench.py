"""A user's method in the paper's tables, on synthetic data; and the messages for a bad one."""

import json
import re
import sys

import numpy as np
import pandas as pd
import pytest

from mimlpaper import paths
from mimlpaper.cli import main
from mimlpaper.metrics import CRITERIA
from mimlpaper.study import bench as bench_module
from mimlpaper.study import runner as runner_module
from mimlpaper.study.bench import bench
from mimlpaper.study.published import TABLES
from mimlpaper.study.records import Store
from mimlpaper.study.runner import compute
from tests.made_up_records import rows as made_up

# A method in a file of its own, with the mistakes that one can make.
STRANGER = '''
import os

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mimlpaper import ConcatenateInstances, MlKnn, OnInstances


def knn():
    scaler = OnInstances(MinMaxScaler())
    return make_pipeline(scaler, ConcatenateInstances(), MlKnn(n_neighbors=10))


def tuned():
    return knn()


tuned.param_grid = {"n_neighbors": [5, 10]}


class Shares(BaseEstimator):
    """Scores of a label: its share among the training bags, for every bag."""

    def fit(self, X, Y):
        self.shares_ = np.mean(Y, axis=0) - 0.5

    def decision_function(self, X):
        return np.tile(self.shares_, (len(X), 1))

    def predict(self, X):
        return self.decision_function(X) > 0


shares = Shares()


class NoFit:
    pass


class NoScores(BaseEstimator):
    def fit(self, X, Y):
        pass


class Shape(Shares):
    def decision_function(self, X):
        return super().decision_function(X)[:, :2]


class NotANumber(Shares):
    def decision_function(self, X):
        return super().decision_function(X) * np.nan


class Votes(Shares):
    def predict(self, X):
        return self.decision_function(X)


class Raises(Shares):
    def fit(self, X, Y):
        raise RuntimeError("no luck\\ntoday")


class Leaves(Shares):
    def fit(self, X, Y):
        raise SystemExit(3)


class BadGrid(Shares):
    param_grid = {"nothing": [1, 2]}


class NoGrid(Shares):
    param_grid = {"n_neighbors": "ten"}


class Plain:
    """No estimator of scikit-learn, with a parameter that JSON does not know."""

    def __init__(self):
        self.kinds = {1, 2}

    fit, decision_function, predict = Shares.fit, Shares.decision_function, Shares.predict


class Crash(Shares):
    def fit(self, X, Y):
        os.kill(os.getpid(), 9)
'''
BAD = {
    "NoScores": r"TypeError: NoScores must have a method decision_function",
    "Shape": r"ValueError: decision_function must give an array \(50, 5\), got \(50, 2\)",
    "NotANumber": r"ValueError: decision_function must give finite scores, got 250 of 250 .*",
    "Votes": r"ValueError: predicted must hold booleans, or 0 and 1, got -?0\.\d+; are .*",
    "Raises": r"RuntimeError: no luck",
    "Leaves": r"SystemExit: 3",
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty project in the current folder, with the user's file."""
    monkeypatch.setattr(paths, "project_root", lambda: tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.delitem(sys.modules, "stranger", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stranger.py").write_text(STRANGER)
    return tmp_path


def run(name, tables=(1,), **options):
    return bench(f"stranger:{name}", tables, profile="smoke", jobs=1, **options)


def test_a_stranger_gets_exactly_the_row_of_the_same_method(here):
    compute("table1", profile="smoke", methods=["Ml-knn", "MimlNn"], jobs=1)
    done = run("knn")
    recorded = Store(here / "data" / "results" / "smoke").load("table1").set_index("method")
    entered = Store(done.folder).load("table1")
    for name in CRITERIA:
        assert entered[name].tolist() == recorded.loc["Ml-knn", name].tolist()
    assert not done.problems
    assert set(done.standing["method"]) == {"MimlNn", "Ml-knn", "stranger:knn"}
    report = (done.folder / "report.md").read_text()
    rows = {row.split(" | ")[0][2:]: row.split(" | ")[1:] for row in report.splitlines()}
    assert rows["Ml-knn"][:8] == rows["stranger:knn"][:8]  # seven criteria and the rank
    assert rows["Ml-knn"][-1] == "0–7–0 |"
    assert rows["stranger:knn"][-1] == "– |"
    assert (done.folder / "card.png").stat().st_size > 5000


def test_unseen_data_are_a_table_too(here):
    compute("unseen", profile="smoke", methods=["Guess"], jobs=1)
    done = run("Shares", ("unseen",))
    assert not done.problems
    assert set(done.standing["method"]) == {"Guess", "stranger:Shares"}
    assert "Unseen data. Data that the authors never saw" in (done.folder / "report.md").read_text()


def test_a_grid_adds_a_tuned_row(here):
    done = run("tuned")
    assert set(done.standing["method"]) == {"stranger:tuned", "stranger:tuned, tuned"}
    chosen = Store(done.folder).load("table1")["chosen"]
    names = [set(json.loads(text)) for text in chosen[chosen != ""]]
    assert names == [{"estimator__mlknn__n_neighbors"}] * 2


def test_an_estimator_itself_enters_as_well_as_its_class(here):
    here = [run(name).standing for name in ("shares", "Shares", "Plain")]
    assert [table["rank"].tolist() for table in here] == [[1.0], [1.0], [1.0]]


@pytest.mark.parametrize(("name", "line"), BAD.items(), ids=list(BAD))
def test_a_bad_entry_gets_one_clear_line(here, name, line):
    done = run(name)
    assert len(done.problems) == 1
    assert re.fullmatch(f"Table 1, stranger:{name}: {line}", done.problems[0])
    assert done.standing.empty
    assert done.problems[0] in (done.folder / "report.md").read_text()


def test_a_bad_grid_spoils_the_tuned_row_alone(here):
    done = run("BadGrid")
    assert done.standing["method"].tolist() == ["stranger:BadGrid"]
    line = "Table 1, stranger:BadGrid, tuned: ValueError: Invalid parameter 'nothing' "
    assert [problem[: len(line)] for problem in done.problems] == [line]


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        ("stranger:NoGrid", r"TypeError: param_grid must map parameters to lists .* 'ten'}"),
        ("stranger:NoFit", r"TypeError: it must have a method fit, got NoFit"),
        ("stranger:nobody", r"AttributeError: module 'stranger' has no attribute 'nobody'"),
        ("nowhere:Name", r"ModuleNotFoundError: No module named 'nowhere'"),
    ],
)
def test_what_cannot_be_loaded(here, entry, line):
    done = bench(entry, [1, 3], profile="smoke", jobs=1)
    assert len(done.problems) == 1
    assert re.fullmatch(f"{entry} cannot be loaded: {line}", done.problems[0])


def test_a_table_that_fails_leaves_the_others_alone(here, capsys):
    """Ml-kNN on bags joined end to end has nothing to join in the vectors of Table 3."""
    command = ["bench", "stranger:knn", "--profile", "smoke", "--jobs", "1", "--tables"]
    assert main([*command, "3", "1"]) == 1
    printed = capsys.readouterr()
    assert re.search(r"1 +stranger:knn +1.00", printed.out)
    assert "failed: Table 3, stranger:knn: ValueError: X must be Bags" in printed.err
    assert main([*command, "1"]) == 0


def test_a_killed_bench_goes_on(here, monkeypatch):
    done = run("knn")
    store, left = Store(done.folder), Store(done.folder).load("table1")
    store.rewrite("table1", lambda _: left[left["split"] == 0])
    ran, honest = [], runner_module.run_trials
    monkeypatch.setattr(
        runner_module, "run_trials", lambda trials, **o: ran.extend(trials) or honest(trials, **o)
    )
    again = run("knn")
    assert [trial.split for trial in ran] == [1]
    assert again.standing["rank"].equals(done.standing["rank"])
    assert (store.load("table1")["split"] == left["split"]).all()


def test_a_changed_file_makes_other_records(here, monkeypatch):
    before = Store(run("knn").folder).load("table1")
    (here / "stranger.py").write_text(STRANGER.replace("n_neighbors=10", "n_neighbors=20"))
    monkeypatch.delitem(sys.modules, "stranger")
    after = Store(run("knn").folder).load("table1")
    assert not set(before["code"]) & set(after["code"])
    assert (before["average_precision"] != after["average_precision"]).any()


def test_a_file_that_changed_since_it_was_imported_does_not_run(here):
    """This process, and its workers, hold the old code."""
    before = run("knn").folder
    (here / "stranger.py").write_text(STRANGER.replace("n_neighbors=10", "n_neighbors=20"))
    again = run("knn")
    assert re.search(r"stranger.py has changed since .* start Python again", again.problems[0])
    assert set(Store(before).load("table1")["code"]) == set(
        Store(again.folder).load("table1")["code"]
    )


def test_our_records_stay_as_they_are(here):
    compute("table1", profile="smoke", methods=["Ml-knn"], jobs=1)
    results = here / "data" / "results" / "smoke" / "table1.csv"
    before = results.read_bytes()
    run("knn")
    assert results.read_bytes() == before
    assert {path.name for path in (here / "build").rglob("*.csv")} == {"table1.csv"}


def test_a_method_that_takes_its_process_with_it(here):
    done = bench("stranger:Crash", [1], profile="smoke", jobs=2)
    line = "Table 1, stranger:Crash: its process died; it crashed or used up the memory"
    assert done.problems == [line]


@pytest.mark.parametrize("entry", ["stranger", "stranger:", "../x:Name", "a b:Name"])
def test_an_entry_that_is_written_wrong(here, entry):
    with pytest.raises(ValueError, match="entry must be written module:Name"):
        bench(entry, [1])


def test_ranks_are_means_over_columns_that_a_method_has():
    """On musk1 a is best, on fox b; c has musk1 alone, and shares the second place there."""
    accuracies = {("musk1", "a"): 0.9, ("musk1", "b"): 0.8, ("musk1", "c"): 0.8}
    accuracies |= {("fox", "a"): 0.5, ("fox", "b"): 0.7}
    parts = [
        made_up("table5", dataset, method, {"accuracy": [value]})
        for (dataset, method), value in accuracies.items()
    ]
    table, cells = bench_module._standing(pd.concat(parts), TABLES[5])
    assert table["rank"].to_dict() == {"a": 1.5, "b": 1.75, "c": 2.5}
    assert cells.at["a", "musk1"].lines == (".900",)
    assert cells.at["c", "fox"].lines == ("–",)
    assert cells.stack().map(lambda cell: cell.bold == (True,)).tolist().count(True) == 2


def test_cases_by_the_corrected_test():
    """Better on the first data set by the same amount in nine runs, no different on the second."""
    rng = np.random.default_rng(0)
    noise = 0.01 * rng.standard_normal(10)
    rows = [
        {"dataset": dataset, "method": method, "split": split, "n_test": 10, "n_train": 90,
         "accuracy": 0.5 + better * 0.1 + (method == "a") * noise[split]}
        for dataset in ("musk1", "fox")
        for method in ("a", "b")
        for split in range(10)
        for better in [dataset == "musk1" and method == "a"]
    ]  # fmt: skip
    assert bench_module._against("a", "b", pd.DataFrame(rows), TABLES[5]) == "1–1–0"
    assert bench_module._against("b", "a", pd.DataFrame(rows), TABLES[5]) == "0–1–1"
