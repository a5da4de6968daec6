"""CONTRIBUTING and the guide to the letter: a row of Table 1, and a method of one's own."""

import re
import sys
from pathlib import Path

from mimlpaper import paths
from mimlpaper.baselines.binary_relevance import Guess
from mimlpaper.study import section4
from mimlpaper.study.bench import bench
from mimlpaper.study.claims import evaluate_claims
from mimlpaper.study.registry import EXPERIMENTS
from mimlpaper.study.runner import compute
from mimlpaper.study.tables import results_table


class Toy(Guess):
    """A learner that the paper does not know."""


def test_a_new_algorithm_runs_is_printed_and_changes_nothing_else(store, monkeypatch):
    """Section 4 as it is with one more line in its source: no other trial, and no claim."""
    source = Path(section4.__file__).read_text()
    edited = {"__name__": section4.__name__, "Toy": Toy}
    row = 'TABLE_1 = Table({\n    "Toy": Row(Toy()),\n'
    exec(compile(source.replace("TABLE_1 = Table({\n", row), section4.__file__, "exec"), edited)
    for experiment in edited["SECTION4"]:
        new = [trial for trial in experiment.trials() if trial.method == "Toy"]
        assert len(new) == (30 if experiment.name == "table1" else 0)
        rest = [trial for trial in experiment.trials() if trial not in new]
        assert rest == EXPERIMENTS[experiment.name].trials()
        monkeypatch.setitem(EXPERIMENTS, experiment.name, experiment)

    methods = ["MimlSvm", "MimlNn", "Ml-knn", "Toy"]
    records = compute("table1", profile="smoke", methods=methods, jobs=1, store=store)
    assert (records["method"] == "Toy").sum() == 2 and set(records["state"]) == {"fresh"}
    of_paper = records[records["method"] != "Toy"]
    table, without = (results_table(rows, 1, profile="smoke") for rows in (records, of_paper))
    assert list(table.entries.index) == [*without.entries.index, ("Toy", "ours")]  # not judged
    found, expected = (
        evaluate_claims({"table1": rows, "table2": rows}) for rows in (records, of_paper)
    )
    assert found == expected


def test_the_method_of_the_guide_enters_as_pasted(tmp_path, monkeypatch):
    guide = (paths.project_root() / "site" / "guide.md").read_text()
    code = re.search(r"`my_method.py`:\n\n```python\n(.*?)```", guide, re.S)[1]
    (tmp_path / "my_method.py").write_text(code)
    monkeypatch.setattr(paths, "project_root", lambda: tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.chdir(tmp_path)
    done = bench("my_method:mean_vectors", [5], profile="smoke", jobs=1)
    entered = {"my_method:mean_vectors", "my_method:mean_vectors, tuned"}
    assert not done.problems and set(done.standing["method"]) == entered
