"""CONTRIBUTING to the letter: a toy algorithm becomes a row of Table 1, and nothing else moves."""

import sys
from pathlib import Path

import numpy as np
import pytest

from mimlpaper import paths
from mimlpaper.base import MultiLabelEstimator, check_bags, check_labels
from mimlpaper.study import section4
from mimlpaper.study.bench import bench
from mimlpaper.study.claims import evaluate_claims
from mimlpaper.study.records import Store
from mimlpaper.study.registry import EXPERIMENTS
from mimlpaper.study.runner import compute
from mimlpaper.study.tables import results_table

METHODS = ["MimlSvm", "MimlNn", "AdtBoost.MH", "MlSvm", "Ml-knn"]


class Toy(MultiLabelEstimator):
    """Scores of a label: its share among the training bags, for every bag."""

    def __init__(self, *, label_rule="top"):
        self.label_rule = label_rule

    def fit(self, X, Y):
        self.shares_ = check_labels(Y, len(check_bags(X))).mean(axis=0) - 0.5
        self.n_labels_ = len(self.shares_)
        return self

    def decision_function(self, X):
        return np.tile(self.shares_, (len(check_bags(X)), 1))


@pytest.fixture
def with_a_row(monkeypatch):
    """Section 4 as it is with one more line in its source."""
    source = Path(section4.__file__).read_text()
    edited = {"__name__": section4.__name__, "Toy": Toy}
    row = 'TABLE_1 = Table({\n    "Toy": Row(Toy()),\n'
    exec(compile(source.replace("TABLE_1 = Table({\n", row), section4.__file__, "exec"), edited)
    for experiment in edited["SECTION4"]:
        monkeypatch.setitem(EXPERIMENTS, experiment.name, experiment)


def test_a_new_algorithm_runs_is_printed_and_is_in_no_claim(with_a_row, tmp_path):
    store = Store(tmp_path)
    records = compute("table1", profile="smoke", methods=[*METHODS, "Toy"], jobs=1, store=store)
    assert (records["method"] == "Toy").sum() == 2
    assert set(records["state"]) == {"fresh"}

    table = results_table(records, 1, profile="smoke")
    assert list(table.rows)[-1] == "Toy"
    assert len(table.rows["Toy"][0].lines) == 1  # ours alone: nothing is printed, nothing judged
    without = results_table(records[records["method"] != "Toy"], 1, profile="smoke")
    assert list(without.rows) == list(table.rows)[:-1]

    def claims(table1):
        return [
            result.to_dict() for result in evaluate_claims({"table1": table1, "table2": table1})
        ]

    assert claims(records) == claims(records[records["method"] != "Toy"])


def test_the_foreign_method_enters_as_pasted(tmp_path, monkeypatch):
    pytest.importorskip("sawmil", reason="pip install 'sawmil[osqp]'")
    text = (Path(__file__).resolve().parents[2] / "CONTRIBUTING.md").read_text()
    (tmp_path / "my_method.py").write_text(text.split("```python\n")[1].split("```")[0])
    monkeypatch.setattr(paths, "project_root", lambda: tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.chdir(tmp_path)
    done = bench("my_method:set_kernel", [5], profile="smoke", jobs=1)
    assert not done.problems
    assert set(done.standing["method"]) == {"my_method:set_kernel", "my_method:set_kernel, tuned"}
