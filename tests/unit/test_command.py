"""The command line: what each command prints, and its exit status."""

import subprocess
import sys

import pandas as pd
import pytest

import mimlpaper
from mimlpaper.datasets import DataError, fetch
from mimlstudy import folders
from mimlstudy.engine import arithmetic
from mimlstudy.engine import execution as runner
from mimlstudy.engine.trials import PROFILES
from mimlstudy.paper.catalogue import PaperCatalogue
from mimlstudy.paper.published import TABLES
from mimlstudy.report import command, notebooks, status
from mimlstudy.report.notebooks import NotebookRun
from tests.made_up_study import raising


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    """Empty folders in place of the project's results and builds."""
    monkeypatch.setattr(folders, "results", lambda: tmp_path)
    monkeypatch.setattr(folders, "build", lambda profile: tmp_path / profile)
    return tmp_path


@pytest.fixture
def run(capsys):
    """The status of a command line given in one text, and what it prints."""

    def run(line):
        code = command.main(line.split())
        return code, "".join(capsys.readouterr())

    return run


def test_compute_records_and_verify_says_whether_numbers_are_the_same(run, results, monkeypatch):
    how = "table1 --profile smoke --jobs 1"
    for line, code, printed in (
        (f"compute {how} --methods Ml-knn", 0, "2 current"),
        (f"verify {how}", 0, "groups: 1 equal (equal: to a millionth"),
        (f"compute {how} --estimate", 0, "\n       all "),
    ):
        found = run(line)
        assert found[0] == code and printed in found[1]
    path = results / "smoke" / "results" / "table1.csv"
    pd.read_csv(path).assign(coverage=0.5).to_csv(path, index=False)
    code, printed = run(f"verify {how}")
    assert code == 1 and "groups: 1 damaged (" in printed
    monkeypatch.setattr(PaperCatalogue, "is_present", lambda *_: False)
    code, printed = run(f"verify {how} --audit 20")  # an audit needs no data
    assert code == 0 and "groups: none (" in printed


def test_run_says_what_each_notebook_became(run, monkeypatch):
    """One fails; one has trials to run, and waits."""
    called = []

    def run_notebooks(names, parameters, **how):
        called.append((names, parameters["profile"], how["at_once"], how["recorded"]))
        return [NotebookRun("3_framework", "error", 1.0, message="no such cell")]

    monkeypatch.setattr(notebooks, "run_notebooks", run_notebooks)
    framework = str(folders.notebooks() / "3_framework.ipynb")
    code, printed = run(f"run --recorded {framework} 4_degeneration")
    assert code == 1 and called == [(["3_framework"], "paper", -1, True)]
    rows = [line.split() for line in printed.splitlines()]
    assert rows[1] == ["3_framework", "error", "none", "1", "mimlpaper", "run", "3_framework"]
    assert rows[2][:3] == ["4_degeneration", "left", "out"] and "missing" in rows[2]
    assert rows[-1] == ["no", "such", "cell"]
    assert run("run --recorded 4_degeneration")[0] == 1 and len(called) == 1
    run("run 3_framework --profile smoke --at-once 3")
    assert called[1] == (["3_framework"], "smoke", 3, False)


def test_run_names_the_page_to_open(run, monkeypatch, tmp_path):
    done = NotebookRun("3_framework", "done", 1.0, tmp_path / "3_framework.ipynb")
    monkeypatch.setattr(notebooks, "run_notebooks", lambda *args, **how: [done])
    code, printed = run("run 3_framework")
    assert code == 0
    assert printed.endswith(f"\nopen {tmp_path / '3_framework.html'}\n")


def test_wrong_use_of_run_is_one_line_that_names_the_remedy(run):
    for line, remedy in (
        ("run 4_degen", "did you mean 4_degeneration?"),
        ("run 3_framework -p scene many", "parameter scene of 3_framework must be int, such as 3"),
        ("run 3_framework -p scen 3", "got 'scen'; did you mean 'scene'?"),
    ):
        code, printed = run(line)
        assert code == 2
        assert remedy in printed
        assert len(printed.splitlines()) == 1


@pytest.mark.parametrize("number", ["0", "-2", "many", "1.5"])
def test_a_number_of_processes_is_minus_one_or_positive(run, capsys, number):
    with pytest.raises(SystemExit) as stopped:
        run(f"compute table1 --jobs {number}")
    assert stopped.value.code == 2
    assert f"must be -1, one a core, or at least 1, got '{number}'" in capsys.readouterr().err


def test_a_missing_package_of_an_optional_part_names_the_extra(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "papermill", None)
    monkeypatch.delitem(sys.modules, "mimlstudy.report.notebooks")
    monkeypatch.delattr("mimlstudy.report.notebooks")
    code, printed = run("run 3_framework")
    assert code == 1
    assert 'pip install "mimlpaper[notebooks]"' in printed
    assert len(printed.splitlines()) == 1


def test_status_is_the_outcome_and_what_to_mend(run, results, monkeypatch):
    rows = [{"artefact": "Fig. 1", "state": "missing", "mend": "mimlpaper run 3_framework"}]
    monkeypatch.setattr(status, "artefact_status", lambda *_: rows)
    monkeypatch.setattr(status, "recorded_scorecard", lambda profile: {"rows": 0})
    monkeypatch.setattr(status, "in_words", lambda card: f"{card['rows']} rows")
    code, printed = run("status")
    assert code == 1 and printed.endswith("mimlpaper run 3_framework\n\n0 rows\n")
    rows[0]["mend"] = ""
    (results / "table1.csv").write_text("versions\nnumpy 1.9\n")
    code, printed = run("status")
    assert code == 0 and "Recorded with numpy 1.9; here" in printed.splitlines()[-1]
    (results / "table1.csv").unlink()
    monkeypatch.setattr(folders, "notebooks", lambda: folders.results() / "none")
    assert run("status") == (0, "0 rows\n")
    assert run("status --json") == (0, '{\n "rows": 0\n}\n')


def test_status_traces_a_number(run):
    code, printed = run("status --trace 1 MimlSvm hamming_loss")
    assert code == 0 and printed.startswith("Table 1, MimlSvm, hamming_loss on scene")
    assert run("status --trace 1 MimlSvm")[0] == 2


def test_data_lists_every_set(run, tmp_path, monkeypatch):
    fetched = []
    monkeypatch.setattr(fetch, "fetch_all", lambda *asked: fetched.append(asked))
    assert run("data --fetch")[0] == run(f"data --fetch scene --data {tmp_path}")[0] == 0
    assert fetched == [(None, None), (str(tmp_path), ["scene"])]
    code, printed = run(f"data --data {tmp_path}")
    assert code == 0 and f"files in {tmp_path};" in printed and "missing" in printed
    for name in ("scene", "reuters", "yeast", "yahoo:Social", "musk2", "synthetic_scene"):
        assert name in printed


def test_errors_become_one_line_and_a_status(run, monkeypatch):
    for error, expected in (
        (KeyboardInterrupt(), 130),
        (DataError("gone"), 1),
        (OSError(28, "No space left"), 1),
        (ValueError("x"), 2),
    ):
        monkeypatch.setattr(runner, "compute", raising(error))
        code, printed = run("compute table1")
        assert code == expected and len(printed.strip().splitlines()) == 1
        assert (str(error) or "goes on") in printed
    code, printed = run("verify table9")
    assert code == 2 and "experiment must be one of ['table1'" in printed
    for line in "compose", "run --profile x", "verify --audit x", "bench my:method --tables 6":
        with pytest.raises(SystemExit) as stopped:
            run(line)
        assert stopped.value.code == 2


def test_importing_the_commands_loads_nothing_heavy():
    """What takes a second to import is imported when it is used, so that --help answers at once."""
    code = (
        "import sys, mimlstudy.report.command; print({name.split('.')[0] for name in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for name in ("matplotlib", "papermill", "requests", "numba", "sklearn", "pandas", "numpy"):
        assert f"'{name}'" not in done.stdout


def test_every_name_is_found_where_it_lives():
    assert set(command.PROFILES) == set(PROFILES)
    assert {name for name in command.TABLES if name.isdigit()} == {str(n) for n in TABLES}
    for name, module in mimlpaper.HOME.items():
        home = f"mimlpaper.{module}"
        assert getattr(getattr(mimlpaper, name), "__module__", home) == home
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        mimlpaper.nothing  # noqa: B018


def test_a_run_says_aloud_that_its_arithmetic_is_its_own(run, monkeypatch):
    monkeypatch.setattr(arithmetic, "_obstacle", lambda: "NumPy was imported before")
    done = [NotebookRun("3_framework", "done", 1.0)]
    monkeypatch.setattr(notebooks, "run_notebooks", lambda *_, **__: done)
    _, printed = run("run 3_framework")
    assert "own arithmetic: NumPy was imported before." in printed
