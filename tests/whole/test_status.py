"""Artefacts and notebooks with the trials behind them; steps of pseudo-code."""

import os
import re
import subprocess
import sys
from functools import partial

import nbformat
import pandas as pd
import pytest

from mimlpaper import paths
from mimlpaper.algorithms.medoid_map import KMedoids
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlstudy import folders
from mimlstudy.engine.arithmetic import variables
from mimlstudy.engine.execution import compute
from mimlstudy.engine.records import columns_of
from mimlstudy.judge.claims import evaluate_claims
from mimlstudy.judge.equal_tuning import learners_by_group, tuned_losses
from mimlstudy.judge.scorecard import scorecard_cells
from mimlstudy.judge.selection import SETTINGS_COLUMNS
from mimlstudy.paper.catalogue import default_store, explored_store
from mimlstudy.paper.experiments import EXPERIMENTS
from mimlstudy.paper.printed import printed_claims, printed_tables, read_rows
from mimlstudy.report import status
from mimlstudy.report.command import main
from mimlstudy.report.kept import kept, key_of
from mimlstudy.report.notebooks import available_notebooks
from mimlstudy.report.pseudocode import pseudocode_map
from mimlstudy.report.tables import divergences_table
from tests.made_up_study import made_up_row, raising
from tests.systems import on_posix

# A call that names what it saves before anything else that is quoted.
SAVED = re.compile(r'save_(figure|table)\([^"()]*"(\w+)"')
PAPER_TABLE = re.compile(r"paper\.table\((\d)\)")


def code_of(path):
    """The code of a notebook."""
    cells = nbformat.read(path, as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "code")


def saved_by(path):
    """Kinds and names of what a notebook saves, as far as its code names them in the call."""
    code = code_of(path)
    tables = [("table", f"table{number}") for number in PAPER_TABLE.findall(code)]
    return SAVED.findall(code) + tables


def test_artefacts_are_what_notebooks_save():
    kinds = {(row.notebook, row.file): row.kind for row in status.artefacts()}
    for notebook, path in available_notebooks().items():
        for kind, name in saved_by(path):
            assert kinds[notebook, name] == kind, name


def is_named(artefact, text):
    """Whether the text of a notebook has an artefact's name, or the number of a table."""
    if f'\\"{artefact.file}\\"' in text:
        return True
    number = artefact.file.removeprefix("table")
    return number.isdigit() and (f"table({number}" in text or f"as_asked({number})" in text)


def test_every_artefact_is_named_in_its_notebook():
    for artefact in status.artefacts():
        notebook = available_notebooks()[artefact.notebook]
        assert is_named(artefact, notebook.read_text()), artefact.file


@pytest.mark.parametrize("name", ["file", "title"])
def test_artefacts_have_names_of_their_own(name):
    names = [getattr(artefact, name) for artefact in status.artefacts()]
    assert len(set(names)) == len(names)


def test_artefacts_and_notebooks_name_known_experiments():
    declared = pd.DataFrame(read_rows("notebooks.csv", "experiments"))
    assert list(declared["notebook"]) == list(available_notebooks())
    for names in declared["experiments"]:
        assert set(names) <= set(EXPERIMENTS)
    for artefact in status.artefacts():
        assert artefact.notebook in available_notebooks()
        assert set(artefact.experiments) <= set(EXPERIMENTS)


def experiments_read_by(make):
    """The experiments whose records a function asks for; it gets none of them."""
    names = set()

    def read(name):
        names.add(name)
        columns = [*columns_of(EXPERIMENTS[name].measure), "state"]
        return pd.DataFrame(columns=columns)

    make(read)
    return names


# What artefacts are made of, as functions of what reads records.
MADE_OF = {
    "blanks": lambda read: [scorecard_cells(read, name) for name in ("closest", "fixed")],
    "claims": evaluate_claims,
    "claims_by_verdict": evaluate_claims,
    "controls": learners_by_group,
    "critical_difference_all": tuned_losses,
    "divergences": partial(divergences_table, ""),
    "printed_and_ours": scorecard_cells,
    "totals": lambda read: [scorecard_cells(read, column) for column in SETTINGS_COLUMNS],
    "scorecard": lambda read: [scorecard_cells(read, name) for name in ("closest", "fixed")],
}


def experiments_of(file):
    (artefact,) = [artefact for artefact in status.artefacts() if artefact.file == file]
    return {*artefact.experiments}


@pytest.mark.parametrize("file", MADE_OF)
def test_an_artefact_names_every_experiment_that_it_is_made_of(file):
    assert experiments_of(file) == experiments_read_by(MADE_OF[file])


CLAIMS_FIGURE = re.compile(r'claims_figure\("(\w+)", (.*)\)')
FIGURES_OF_CLAIMS = {
    file: tuple(re.findall(r'"([^"]+)"', beginnings))
    for path in available_notebooks().values()
    for file, beginnings in CLAIMS_FIGURE.findall(code_of(path))
}


@pytest.mark.parametrize("file", FIGURES_OF_CLAIMS)
def test_a_figure_of_claims_names_every_experiment_that_they_are_tested_on(file):
    ids = printed_claims()["id"]
    shown = tuple(ids[ids.str.startswith(FIGURES_OF_CLAIMS[file])])
    read = experiments_read_by(partial(evaluate_claims, ids=shown))
    assert read <= experiments_of(file)


@pytest.mark.parametrize("number", printed_tables())
def test_a_table_of_the_paper_names_the_settings_fixed_in_advance(number):
    assert {printed_tables()[number].experiment, "fixed"} <= experiments_of(f"table{number}")


@pytest.fixture
def one_trial_each(monkeypatch):
    """Each experiment has one trial, whose state is the experiment's name."""
    counts = {name: {name: 1} for name in EXPERIMENTS}
    monkeypatch.setattr(status, "trial_counts", lambda profile: counts)


@pytest.mark.usefixtures("one_trial_each")
def test_a_notebook_declares_every_experiment_that_it_asks_for():
    asking = re.compile(r'paper\.(?:trials|recorded|column)\(\\"(\w+)\\"')
    for notebook, path in available_notebooks().items():
        asked = set(asking.findall(path.read_text()))
        assert asked <= set(status.trials_behind(notebook, "paper")), notebook


TABLE_NAMES = [f"table{number}" for number in printed_tables()]
OF_INSDIF = [
    "table3",
    "table4",
    "ablation",
    "data_facts",
    "fixed",
    "equal_tuning",
    "alternatives",
]


@pytest.mark.usefixtures("one_trial_each")
@pytest.mark.parametrize(
    ("notebook", "experiments"),
    [
        ("3_framework", []),
        ("6_insdif", OF_INSDIF),
        ("9_cost", [*TABLE_NAMES, "costs"]),
        (
            "10_multiverse",
            [*TABLE_NAMES, "figure4", "figure5", "alternatives", "fixed", "equal_tuning"],
        ),
    ],
)
def test_trials_behind_a_notebook_are_of_its_artefacts_and_what_it_declares(
    notebook, experiments
):
    behind = status.trials_behind(notebook, "paper")
    assert behind == dict.fromkeys(experiments, 1)


@on_posix
def test_a_file_that_another_notebook_is_writing_changes_no_answer(tmp_path, monkeypatch):
    """It has a name with a dot until it is whole, and may be gone before its size is asked for."""
    monkeypatch.setattr(folders, "project_root", lambda: tmp_path)
    paths.write_whole(folders.figures() / "table1.md", "")
    before = key_of("paper")
    half_written = folders.figures() / ".table1.md.b3044c24"
    half_written.symlink_to("gone")
    assert key_of("paper") == before


RUN = "mimlpaper run 4_degeneration"
PUBLISH = "python site/publish.py 4_degeneration"
FILES = ("table1.csv", "table1.md", "table1.tex")


@pytest.fixture
def row_of(tmp_path, monkeypatch):
    """The row of an artefact of two experiments, one of them with these counts of trials."""
    artefact = status.Artefact(
        "Table 1",
        "table1",
        "4_degeneration",
        ("table1", "fixed"),
    )
    monkeypatch.setattr(status, "artefacts", lambda: (artefact,))
    monkeypatch.setattr(folders, "project_root", lambda: tmp_path)

    def row(profile="paper", **counts):
        of_experiments = {"table1": counts, "fixed": {"current": 1, "missing": 0}}
        monkeypatch.setattr(
            status,
            "trial_counts",
            lambda profile: of_experiments,
        )
        (shown,) = status.artefact_status(profile)
        return shown["state"], shown["trials"], shown["command"]

    return row


@pytest.fixture
def made(row_of):
    """As ``row_of``, and the artefact's files are made."""
    for name in FILES:
        paths.write_whole(folders.figures() / name, "")
    return row_of


@pytest.mark.parametrize("lacking", FILES)
def test_an_artefact_without_one_of_its_files_is_missing(made, lacking):
    (folders.figures() / lacking).unlink()
    assert made(current=3) == ("missing", "4 current", PUBLISH)


def test_commands_name_another_profile(row_of):
    state, _, command = row_of(profile="smoke", current=3)
    assert (state, command) == ("missing", f"{RUN} --profile smoke")
    *_, command = row_of(profile="smoke", missing=1)
    assert command == "mimlpaper compute table1 fixed --profile smoke"


def test_an_artefact_of_current_trials_is_current(made):
    assert made(current=3) == ("current", "4 current", "")


def test_an_artefact_without_all_its_trials_is_missing(made):
    counts = "3 current, 1 missing"
    assert made(current=2, missing=1) == ("missing", counts, "mimlpaper compute table1 fixed")


@pytest.mark.parametrize(
    ("state", "remedy"),
    [
        ("code changed", "verify"),
        ("settings changed", "compute"),
        ("data changed", "compute"),
        ("differs", "compute"),
        ("damaged", "compute"),
    ],
)
def test_an_artefact_is_as_good_as_its_worst_trial(made, state, remedy):
    counts = {"current": 2, state: 1}
    command = f"mimlpaper {remedy} table1 fixed"
    assert made(**counts) == (state, f"3 current, 1 {state}", command)


def test_old_costs_are_measured_again():
    """No second run gives them again, so that verification says nothing of them."""
    assert status._command("code changed", ["costs"], "paper") == "mimlpaper compute costs"


def test_every_experiment_behind_a_notebook_has_a_row(monkeypatch, tmp_path):
    """Also one that no table or figure shows, whose records stand behind sentences alone."""
    monkeypatch.setattr(folders, "project_root", lambda: tmp_path)
    counts = {name: {"current": 1} for name in EXPERIMENTS}
    counts["calibration"] = {"current": 2, "differs": 1}
    monkeypatch.setattr(status, "trial_counts", lambda profile: counts)
    rows = status.artefact_status("paper")
    (row,) = [row for row in rows if row["state"] == "differs"]
    assert row == {
        "artefact": "Section 5's test of equal learners",
        "notebook": "5_regularization",
        "state": "differs",
        "trials": "2 current, 1 differs",
        "command": "mimlpaper compute calibration",
    }


@pytest.fixture
def in_a_wheel(tmp_path, monkeypatch):
    """The status that a wheel shows, which has no notebooks, of one experiment with a state."""
    monkeypatch.setattr(
        folders,
        "notebooks",
        lambda: tmp_path / "notebooks",
    )
    monkeypatch.setattr(status, "recorded_scorecard", lambda profile: {})
    monkeypatch.setattr(status, "in_words", lambda card: "the outcome")

    def shown(state):
        counts = {"table1": {"current": 2, state: 1}}
        monkeypatch.setattr(
            status,
            "trial_counts",
            lambda profile: counts,
        )
        overview = status.overview("paper")
        (row,) = overview["rows"]
        has_caveat = overview["outcome"].startswith("These counts are of records as they are")
        assert has_caveat == (state != "current")
        return row["state"], row["command"]

    return shown


@pytest.mark.parametrize(
    ("state", "command"),
    [
        ("current", ""),
        ("code changed", "mimlpaper verify table1"),
        ("damaged", "mimlpaper compute table1"),
        ("missing", "mimlpaper compute table1"),
    ],
)
def test_a_wheel_without_notebooks_is_as_good_as_its_worst_trial(in_a_wheel, state, command):
    assert in_a_wheel(state) == (state, command)


def test_an_artefact_whose_notebook_failed_has_failed(made):
    assert status.last_runs() == {}
    runs = folders.build("paper") / "runs.json"
    paths.write_whole(runs, '{"4_degeneration": "died"}')
    assert made(current=3) == ("failed", "4 current", RUN)
    for damaged in ('{"4_degen', "[]"):
        runs.write_text(damaged)
        assert status.last_runs() == {}


def test_trials_are_counted_and_kept_until_a_record_changes(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "project_root", lambda: tmp_path)
    experiment = EXPERIMENTS["table1"]
    store = default_store("smoke")
    n_trials = len(experiment.trials("smoke"))
    assert status.trial_counts("smoke")["table1"] == {"missing": n_trials}
    compute(
        experiment,
        store=store,
        profile="smoke",
        methods=["Ml-knn"],
        jobs=1,
    )
    counts = status.trial_counts("smoke")["table1"]
    assert counts == {"current": 2, "missing": n_trials - 2}
    # Nothing is read again, until a file changes.
    monkeypatch.setattr(
        status,
        "reader",
        raising(AssertionError("read again")),
    )
    assert status.trial_counts("smoke")["table1"]["current"] == 2
    store.path("table1").unlink()
    with pytest.raises(AssertionError, match="read again"):
        status.trial_counts("smoke")


def test_what_status_shows_is_kept_until_a_file_changes(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(folders, "project_root", lambda: tmp_path)
    overview_of_nothing = {
        "rows": [{"experiment": "table1", "command": ""}],
        "outcome": "nothing yet",
        "versions": "",
    }
    calls = []

    def overview(profile):
        calls.append(profile)
        return overview_of_nothing

    monkeypatch.setattr(status, "overview", overview)
    for _ in range(2):
        assert main(["status", "--profile", "smoke"]) == 0
    assert capsys.readouterr().out.count("table1\n\nnothing yet\n") == 2
    assert calls == ["smoke"]
    paths.write_whole(folders.figures() / "table1.csv", "changed")
    main(["status", "--profile", "smoke"])
    assert len(calls) == 2


def test_a_slip_in_a_kept_answer_is_no_answer(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "project_root", lambda: tmp_path)
    kept("share", "smoke", lambda: {"agreeing": [85, 108]})
    (file,) = folders.build("kept").glob("*.json")
    file.write_text(file.read_text().replace("85", "95"))
    made_again = kept("share", "smoke", lambda: {"agreeing": [85, 108]})
    assert made_again == {"agreeing": [85, 108]}


def test_an_answer_that_is_empty_is_kept_too(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "project_root", lambda: tmp_path)
    assert kept("nothing", "smoke", list) == []
    assert kept("nothing", "smoke", raising(AssertionError("made again"))) == []


@pytest.mark.parametrize("damaged", ["", "[]", "{}", '{"key": 1}', "\ufffd"])
def test_a_kept_answer_that_is_damaged_is_made_again(tmp_path, monkeypatch, damaged):
    monkeypatch.setattr(folders, "project_root", lambda: tmp_path)
    kept("something", "smoke", lambda: 1)
    (file,) = folders.build("kept").glob("*.json")
    file.write_text(damaged)
    assert kept("something", "smoke", lambda: 2) == 2
    assert kept("something", "smoke", raising(AssertionError("made again"))) == 2


@on_posix
def test_an_edit_that_keeps_size_and_time_of_a_file_changes_the_answer(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "project_root", lambda: tmp_path)
    file = paths.write_whole(folders.figures() / "table1.md", "1")
    before, times = key_of("paper", pictures=True), file.stat()
    without_pictures = key_of("paper")
    file.write_text("2")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert key_of("paper", pictures=True) != before
    assert key_of("paper") == without_pictures


@pytest.mark.parametrize("name", variables())
def test_another_arithmetic_changes_the_answer(monkeypatch, name):
    before = key_of("paper")
    monkeypatch.setenv(name, "another")
    assert key_of("paper") != before


def test_what_a_reader_has_explored_is_no_part_of_what_is_recorded(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "project_root", lambda: tmp_path)
    of_table = EXPERIMENTS["data_facts"].trials()[0]
    row = made_up_row(0, columns=columns_of(EXPERIMENTS["data_facts"].measure))
    explored = explored_store()
    explored.append(EXPERIMENTS["data_facts"], [row | of_table._asdict()])
    assert status.trial_counts("paper")["data_facts"].keys() == {"missing"}


LOADED = "import sys, mimlstudy.report.kept; print(*sys.modules)"


def test_a_kept_answer_needs_no_import_that_computes():
    output = subprocess.check_output([sys.executable, "-c", LOADED], text=True)
    loaded = set(output.split())
    assert "mimlstudy.report.kept" in loaded
    assert not loaded & {"numpy", "pandas"}


def test_every_cited_step_is_found_where_it_says():
    steps = pseudocode_map(KMedoids, MimlSvm)
    assert {"Table 7, step 2", "steps 2a to 2c", "step 4"} <= set(steps["step"])
    for row in steps.itertuples():
        file, number = row.where.split(":")
        lines = (folders.project_root() / file).read_text().splitlines()
        line = lines[int(number) - 1]
        assert line.strip().startswith(row.code)
