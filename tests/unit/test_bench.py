"""A user's method in the paper's tables, on synthetic data; and the messages for a bad one."""

import json
import re

import pandas as pd
import pytest

from mimlpaper import paths
from mimlpaper.metrics import CRITERIA
from mimlstudy import folders
from mimlstudy.engine import records as records_module
from mimlstudy.engine.execution import compute
from mimlstudy.engine.records import Store
from mimlstudy.paper.catalogue import CATALOGUE, default_store
from mimlstudy.paper.experiments import EXPERIMENTS
from mimlstudy.paper.published import TABLES
from mimlstudy.report import bench as bench_module
from mimlstudy.report.bench import bench
from mimlstudy.report.command import main
from mimlstudy.report.plain import markdown_text
from tests.made_up_records import apart
from tests.made_up_records import rows as made_up

TABLE_1 = EXPERIMENTS["table1"]
GUIDE = paths.project_root() / "site" / "guide.md"

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

class Plain:
    """Scores of a label: its share of the training bags. No estimator; JSON knows no sets."""
    def __init__(self):
        self.kinds = {1, 2}
    def fit(self, X, Y):
        self.shares_ = np.mean(Y, axis=0) - 0.5
    def decision_function(self, X):
        return np.tile(self.shares_, (len(X), 1))
    def predict(self, X):
        return self.decision_function(X) > 0

class Shares(BaseEstimator):
    fit, decision_function, predict = Plain.fit, Plain.decision_function, Plain.predict

shares = Shares()

class Shape(Shares):
    def decision_function(self, X):
        return super().decision_function(X)[:, :2]

class Raises(Shares):
    def fit(self, X, Y):
        raise RuntimeError("no luck\\ntoday")

class Leaves(Shares):
    def fit(self, X, Y):
        raise SystemExit(3)

class BadGrid(Shares):
    param_grid = {"nothing": [1, 2]}

class Crash(Shares):
    def fit(self, X, Y):
        os.kill(os.getpid(), 9)
'''


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty project in the current folder, with the user's file."""
    monkeypatch.setattr(paths, "project_root", lambda: tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "stranger.py").write_text(STRANGER)
    return tmp_path


def run(name, tables=(1,)):
    return bench(f"stranger:{name}", tables, profile="smoke", jobs=1)


def record(name, method):
    store = default_store("smoke")
    compute(EXPERIMENTS[name], store=store, profile="smoke", methods=[method], jobs=1)


def recorded_of(done):
    return Store(done.folder, CATALOGUE).load(TABLE_1)


def test_a_stranger_gets_exactly_the_row_of_the_same_method_and_a_tuned_one_by_its_grid(here):
    """Next to them is a method that only the tuned column has."""
    record("table1", "Ml-knn")
    record("equal_tuning", "Set kernel")
    results = default_store("smoke").path("table1")
    before = results.read_bytes()
    done = run("tuned")
    assert results.read_bytes() == before and not done.problems
    names = {"stranger:tuned", "stranger:tuned, tuned"}
    assert set(done.standing["method"]) == {"Ml-knn", "Set kernel, equal tuning", *names}
    recorded, entered = default_store("smoke").load(TABLE_1), recorded_of(done)
    by_grid = entered["chosen"] != ""
    assert entered[~by_grid][[*CRITERIA]].to_dict("list") == recorded[[*CRITERIA]].to_dict("list")
    chosen = [json.loads(text)["setting"]["values"] for text in entered.loc[by_grid, "chosen"]]
    assert [set(values) for values in chosen] == [{"mlknn__n_neighbors"}] * 2
    report = (done.folder / "report.md").read_text()
    rows = {row.split(" | ")[0][2:]: row.split(" | ")[1:] for row in report.splitlines()}
    assert rows["Ml-knn"][:8] == rows["stranger:tuned"][:8]  # seven criteria and the rank
    assert rows["Ml-knn"][-2] == "0–7–0" and rows["stranger:tuned"][-2] == "–"


def test_an_installed_wheel_shows_the_records_that_it_carries(here, monkeypatch):
    record("table1", "Ml-knn")
    carried = default_store("smoke")
    assert default_store().base is None
    monkeypatch.setattr(folders, "IN_WHEEL", here / "wheel")
    (here / "wheel").mkdir()
    carried.folder.rename(here / "wheel" / "results")
    recorded = records_module.records(TABLE_1, store=default_store(), profile="smoke")
    assert default_store().folder == folders.results() and set(recorded["state"]) == {"current"}


def test_an_estimator_enters_as_well_as_its_class_and_unseen_data_are_a_table_too(here):
    for name, tables in {"shares": (1,), "Plain": (1,), "Shares": ("unseen",)}.items():
        done = run(name, tables)
        assert not done.problems and done.standing["rank"].tolist() == [1.0]
    report = (done.folder / "report.md").read_text()
    assert "Unseen data. Data that the authors never saw" in report
    assert "other methods: none; mimlpaper compute unseen makes them." in report


def test_the_method_of_the_guide_enters_as_pasted(here):
    code = re.search(r"`my_method.py`:\n\n```python\n(.*?)```", GUIDE.read_text(), re.S)[1]
    (here / "my_method.py").write_text(code)
    done = bench("my_method:mean_vectors", [5], profile="smoke", jobs=1)
    entered = {"my_method:mean_vectors", "my_method:mean_vectors, tuned"}
    assert not done.problems and set(done.standing["method"]) == entered


def test_what_fails_leaves_the_rest_alone(here, capsys):
    """Ml-kNN on bags joined end to end has nothing to join in the vectors of Table 3."""
    done = run("BadGrid")
    assert done.standing["method"].tolist() == ["stranger:BadGrid"]
    (problem,) = done.problems
    assert problem.startswith("Table 1, stranger:BadGrid, tuned: ValueError: Invalid parameter ")
    command = ["bench", "stranger:knn", "--profile", "smoke", "--jobs", "1", "--tables", "3", "1"]
    assert main(command) == 1
    printed = capsys.readouterr()
    assert printed.out.endswith("stranger.knn/smoke/report.md\n")
    assert re.search(r"1 +stranger:knn +1.00", printed.out)
    assert "failed: Table 3, stranger:knn: ValueError: X must be Bags" in printed.err


def test_a_bad_entry_gets_one_clear_line(here):
    loading, on_table_1 = "{} cannot be loaded: ", "Table 1, {}: "
    for entry, where, line in (
        ("stranger:Shape", on_table_1, r"decision_function must give an array \(.*, 2\)"),
        ("stranger:Raises", on_table_1, "RuntimeError: no luck"),
        ("stranger:Leaves", on_table_1, "SystemExit: 3"),
        ("stranger:nobody", loading, "AttributeError: module 'stranger' has no attribute 'nobody'"),
        ("nowhere:Name", loading, "ModuleNotFoundError: No module named 'nowhere'"),
    ):
        tables = [1, 3] if where == loading else [1]
        done = bench(entry, tables, profile="smoke", jobs=1)
        (problem,) = done.problems
        assert re.fullmatch(where.format(entry) + line, problem)
        assert done.standing.empty
        assert markdown_text(problem) in (done.folder / "report.md").read_text()
    for entry in ("stranger", "stranger:", "../x:Name", "a b:Name"):
        with pytest.raises(ValueError, match="entry must be written module:Name"):
            bench(entry, [1])


def test_a_killed_bench_goes_on_and_a_changed_file_begins_again(here):
    done = run("knn")
    store, before = Store(done.folder, CATALOGUE), recorded_of(done)
    store.rewrite(TABLE_1, lambda rows: rows[rows["split"] == 0])
    kept = Store(done.folder, CATALOGUE).path("table1").read_text()
    again = run("knn")
    assert recorded_of(again)["split"].tolist() == [0, 1]
    assert Store(done.folder, CATALOGUE).path("table1").read_text().startswith(kept)
    assert again.standing["rank"].equals(done.standing["rank"])
    (here / "stranger.py").write_text(STRANGER.replace("n_neighbors=10", "n_neighbors=20"))
    after = recorded_of(run("knn"))
    assert not set(before["settings"]) & set(after["settings"])
    assert (before["average_precision"] != after["average_precision"]).any()


def test_ranks_are_means_over_columns_that_a_method_has(monkeypatch):
    """On musk1 a is best, on fox b; c has musk1 alone, and shares the second place there."""
    on_musk = made_up("table5", "musk1", [*"abc"], {"accuracy": [0.9, 0.8, 0.8]}, seconds=1.0)
    on_fox = made_up("table5", "fox", [*"ab"], {"accuracy": [0.5, 0.7]}, seconds=1.0)
    rows = pd.concat([on_musk, on_fox]).assign(split=0)
    own = rows[rows["method"] == "a"]
    monkeypatch.setattr(bench_module, "_recorded", lambda *_: [rows[rows["method"] != "a"]])
    table = bench_module._ranked(5, own, "paper")
    assert table.tidy.set_index("method")["rank"].to_dict() == {"a": 1.5, "b": 1.75, "c": 2.5}
    cells = table.entries[["musk1", "fox"]]
    assert cells.at["a", "musk1"].lines == (".900",) and cells.at["c", "fox"].lines == ("–",)
    assert cells.stack().map(lambda cell: cell.bold == (True,)).tolist().count(True) == 2


def test_cases_are_counted_by_criterion_and_set_or_over_the_sets_of_table_4():
    """On two sets A is better on four losses and worse on three scores."""
    for number, first, second in ((1, "8–0–6", "6–0–8"), (4, "4–0–3", "3–0–4")):
        assert bench_module._against("A", "B", apart(0.1), TABLES[number]) == first
        assert bench_module._against("B", "A", apart(0.1), TABLES[number]) == second
