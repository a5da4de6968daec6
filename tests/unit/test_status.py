"""Artefacts and notebooks with the trials behind them; steps of pseudo-code."""

import re
import subprocess
import sys

import nbformat
import pandas as pd
import pytest

from mimlpaper import paths
from mimlpaper.algorithms.medoid_map import KMedoids
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlstudy import folders
from mimlstudy.engine.execution import compute
from mimlstudy.paper.catalogue import default_store
from mimlstudy.paper.experiments import EXPERIMENTS
from mimlstudy.paper.published import TABLES, read_rows
from mimlstudy.report import status
from mimlstudy.report.command import main
from mimlstudy.report.notebooks import available_notebooks
from mimlstudy.report.pseudocode import pseudocode_map

# A call that names what it saves before anything else that is quoted.
SAVED = re.compile(r'save_(figure|table)\([^"()]*"(\w+)"')
PAPER_TABLE = re.compile(r"paper\.table\((\d)\)")


def saved_by(path):
    """Kinds and names of what a notebook saves, as far as its code names them in the call."""
    notebook = nbformat.read(path, as_version=4)
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    tables = [("table", f"table{number}") for number in PAPER_TABLE.findall(code)]
    return SAVED.findall(code) + tables


def test_artefacts_are_what_notebooks_save():
    kinds = {(row.notebook, row.file): row.kind for row in status.ARTEFACTS}
    for notebook, path in available_notebooks().items():
        for kind, name in saved_by(path):
            assert kinds[notebook, name] == kind, name


def test_every_artefact_is_named_in_its_notebook():
    for artefact in status.ARTEFACTS:
        text = available_notebooks()[artefact.notebook].read_text()
        number = artefact.file.removeprefix("table")
        named = f'\\"{artefact.file}\\"' in text
        is_table_of_paper = number.isdigit() and f"table({number}" in text
        by_number = number.isdigit() and f"as_asked({number})" in text
        assert named or is_table_of_paper or by_number, artefact.file


@pytest.mark.parametrize("name", ["file", "title"])
def test_artefacts_have_names_of_their_own(name):
    names = [getattr(artefact, name) for artefact in status.ARTEFACTS]
    assert len(set(names)) == len(names)


def test_artefacts_and_notebooks_name_known_experiments():
    declared = pd.DataFrame(read_rows("notebooks.csv", "experiments"))
    assert list(declared["notebook"]) == list(available_notebooks())
    for artefact in status.ARTEFACTS:
        assert artefact.notebook in available_notebooks()
        assert {*artefact.experiments} <= {*EXPERIMENTS}
    for names in declared["experiments"]:
        assert {*names} <= {*EXPERIMENTS}


def test_a_notebook_declares_every_experiment_that_it_asks_for(monkeypatch):
    counts = {name: {name: 1} for name in EXPERIMENTS}
    monkeypatch.setattr(status, "trial_counts", lambda profile: counts)
    for notebook, path in available_notebooks().items():
        asked = re.findall(r'paper\.(?:trials|recorded|column)\(\\"(\w+)\\"', path.read_text())
        assert {*asked} <= {*status.trials_behind(notebook, "paper")}, notebook


def test_trials_behind_a_notebook_are_of_its_artefacts_and_what_it_declares(monkeypatch):
    counts = {name: {name: 1} for name in EXPERIMENTS}
    monkeypatch.setattr(status, "trial_counts", lambda profile: counts)
    tables = [f"table{number}" for number in TABLES]
    for notebook, names in (
        ("3_framework", []),
        (
            "6_insdif",
            [
                "table3",
                "table4",
                "ablation",
                "data_facts",
                "fixed",
                "equal_tuning",
                "alternatives",
            ],
        ),
        ("9_cost", [*tables, "costs"]),
        ("10_multiverse", [*tables, "figure4", "figure5", "alternatives"]),
    ):
        assert status.trials_behind(notebook, "paper") == dict.fromkeys(names, 1)


def test_an_artefact_is_as_good_as_its_worst_trial(tmp_path, monkeypatch):
    own = status.Artefact("Table 1", "table1", "4_degeneration", ("table1", "fixed"))
    monkeypatch.setattr(status, "ARTEFACTS", (own,))
    monkeypatch.setattr(paths, "project_root", lambda: tmp_path)
    run, verify = "mimlpaper run 4_degeneration", "mimlpaper verify table1 fixed"

    def state_with(**counts):
        found = {"table1": counts, "fixed": {"current": 1, "missing": 0}}
        monkeypatch.setattr(status, "trial_counts", lambda profile: found)
        (row,) = status.artefact_status("paper")
        return row["state"], row["trials"], row["mend"]

    assert state_with(current=3) == ("missing", "4 current", run)  # no file is made
    paths.write_whole(folders.figures() / "table1.csv", "")
    assert state_with(current=3) == ("current", "4 current", "")
    changed = state_with(**{"current": 2, "code changed": 1})
    assert changed == ("code changed", "3 current, 1 code changed", verify)
    compute = "mimlpaper compute table1 fixed"
    for state in ("settings changed", "data changed", "differs", "damaged"):
        found = state_with(**{"current": 2, state: 1})
        assert found == (state, f"3 current, 1 {state}", compute)
    assert state_with(current=2, missing=1) == ("missing", "3 current, 1 missing", run)
    assert status.last_runs() == {}
    paths.write_whole(folders.build("paper") / "runs.json", '{"4_degeneration": "died"}')
    assert state_with(current=3) == ("failed", "4 current", run)


def test_trials_are_counted_and_kept_until_a_record_changes(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "project_root", lambda: tmp_path)
    n_trials = len(EXPERIMENTS["table1"].trials("smoke"))
    assert status.trial_counts("smoke")["table1"] == {"missing": n_trials}
    compute(
        EXPERIMENTS["table1"],
        store=default_store("smoke"),
        profile="smoke",
        methods=["Ml-knn"],
        jobs=1,
    )
    assert status.trial_counts("smoke")["table1"] == {"current": 2, "missing": n_trials - 2}
    monkeypatch.setattr(status, "records", lambda *_, **__: 1 / 0)
    assert status.trial_counts("smoke")["table1"]["current"] == 2  # nothing is read again
    default_store("smoke").path("table1").unlink()
    with pytest.raises(ZeroDivisionError):
        status.trial_counts("smoke")


def test_what_status_shows_is_kept_until_a_file_changes(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(paths, "project_root", lambda: tmp_path)
    shown = {"artefacts": [], "outcome": "nothing yet", "versions": ""}
    calls = []

    def overview(profile):
        calls.append(profile)
        return shown

    monkeypatch.setattr(status, "overview", overview)
    for _ in range(2):
        assert main(["status", "--profile", "smoke"]) == 0
    assert capsys.readouterr().out == "nothing yet\n" * 2
    assert calls == ["smoke"]
    paths.write_whole(folders.figures() / "table1.csv", "changed")
    main(["status", "--profile", "smoke"])
    assert len(calls) == 2


def test_a_kept_answer_needs_no_import_that_computes():
    code = "import sys, mimlstudy.report.kept; print({*sys.modules} & {'numpy', 'pandas'})"
    printed = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert printed == "set()\n"


def test_every_cited_step_is_found_where_it_says():
    steps = pseudocode_map(KMedoids, MimlSvm)
    assert {"Table 7, step 2", "steps 2a to 2c", "step 4"} <= set(steps["step"])
    for row in steps.itertuples():
        file, number = row.where.split(":")
        line = (paths.project_root() / file).read_text().splitlines()[int(number) - 1]
        assert line.strip().startswith(row.code)
