"""The command line: what each command prints, and its exit status."""

import json
import subprocess
import sys

import pandas as pd
import pytest

import mimlpaper
from mimlpaper import cli, paths
from mimlpaper.datasets import DataError
from mimlpaper.study import notebooks, runner, scorecard, verify
from mimlpaper.study.companion import Companion
from mimlpaper.study.notebooks import NotebookRun
from mimlpaper.study.trials import PROFILES
from tests.made_up_study import raising

ML_KNN = ["table1", "--profile", "smoke", "--jobs", "1"]


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    """Empty folders in place of the project's results and builds."""
    monkeypatch.setattr(paths, "results", lambda: tmp_path)
    monkeypatch.setattr(paths, "build", lambda profile: tmp_path / profile)
    return tmp_path


def test_compute_records_and_verify_says_whether_numbers_are_the_same(results, capsys, monkeypatch):
    assert cli.main(["compute", *ML_KNN, "--methods", "Ml-knn"]) == 0
    assert "2 fresh" in capsys.readouterr().out
    assert cli.main(["verify", *ML_KNN]) == 0
    assert "1 trials of 1 groups run again, 1 gave the same" in capsys.readouterr().out
    assert cli.main(["compute", *ML_KNN, "--estimate"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split()[0] == "all"
    path = results / "smoke" / "results" / "table1.csv"
    rows = pd.read_csv(path)
    rows.assign(coverage=0.5).to_csv(path, index=False)
    assert cli.main(["verify", *ML_KNN]) == 1
    assert "0 gave the same" in capsys.readouterr().out
    monkeypatch.setattr(verify, "is_present", lambda *_: False)
    assert cli.main(["verify", *ML_KNN, "--audit", "20"]) == 0  # an audit needs no data
    assert "0 trials of 0 groups run again" in capsys.readouterr().out


NOTEBOOKS = ("3_framework", "4_degeneration")


def test_run_says_what_each_notebook_became(monkeypatch, capsys):
    """One fails; one has trials to run, and waits."""
    called = []

    def run_notebooks(names, parameters, **how):
        called.append((names, parameters["profile"], how["at_once"]))
        return [NotebookRun("3_framework", "error", 1.0, message="no such cell")]

    monkeypatch.setattr(notebooks, "run_notebooks", run_notebooks)
    framework, degeneration = (str(paths.notebooks() / f"{name}.ipynb") for name in NOTEBOOKS)
    assert cli.main(["run", "--recorded", framework, degeneration]) == 1
    assert called == [([framework], "paper", -1)]
    printed = capsys.readouterr()
    assert "no such cell" in printed.err
    rows = [line.split() for line in printed.out.splitlines()]
    assert rows[1] == ["3_framework", "error", "none", "1", "mimlpaper", "run", "3_framework"]
    assert rows[2][:3] == ["4_degeneration", "left", "out"] and "missing" in rows[2]
    assert cli.main(["run", "--recorded", degeneration]) == 0 and len(called) == 1


def test_status_is_the_outcome_and_what_to_mend(results, monkeypatch, capsys):
    rows = [{"artefact": "Fig. 1", "state": "missing", "mend": "mimlpaper run 3_framework"}]
    monkeypatch.setattr(scorecard, "artefact_status", lambda *_: rows)
    monkeypatch.setattr(scorecard, "recorded_scorecard", lambda profile: {"rows": 0})
    monkeypatch.setattr(Companion, "scorecard", lambda self: {"rows": 0})
    monkeypatch.setattr(scorecard, "in_words", lambda card: f"{card['rows']} rows")
    assert cli.main(["status"]) == 1
    assert capsys.readouterr().out.endswith("mimlpaper run 3_framework\n\n0 rows\n")
    rows[0]["mend"] = ""
    assert cli.main(["status"]) == 0
    (results / "table1.csv").write_text("versions\nnumpy 1.9\n")
    capsys.readouterr()
    assert cli.main(["status"]) == 0
    assert "Recorded with numpy 1.9; here" in capsys.readouterr().out.splitlines()[-1]
    (results / "table1.csv").unlink()
    monkeypatch.setattr(paths, "notebooks", lambda: paths.results() / "none")
    assert cli.main(["status"]) == 0 and capsys.readouterr().out == "0 rows\n"
    assert cli.main(["status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"rows": 0}


def test_status_traces_a_number(capsys):
    assert cli.main(["status", "--trace", "1", "MimlSvm", "hamming_loss"]) == 0
    assert capsys.readouterr().out.startswith("Table 1, MimlSvm, hamming_loss on scene")
    assert cli.main(["status", "--trace", "1", "MimlSvm"]) == 2
    assert cli.main(["status", "--trace", "1", "MimlSvm", "speed"]) == 2
    assert "criterion must be one of" in capsys.readouterr().err


def test_data_lists_every_set(tmp_path, capsys):
    assert cli.main(["data", "--data", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    for name in ("scene", "reuters", "yeast", "yahoo:Social", "musk2", "synthetic_scene"):
        assert name in printed
    assert "missing" in printed and str(tmp_path) in printed


def test_errors_become_one_line_and_a_status(monkeypatch, capsys):
    for error, status in (
        (KeyboardInterrupt(), 130), (DataError("gone"), 1), (OSError(28, "No space left"), 1),
        (ValueError("x"), 2),
    ):  # fmt: skip
        monkeypatch.setattr(runner, "compute", raising(error))
        assert cli.main(["compute", "table1"]) == status
        lines = capsys.readouterr().err.strip().splitlines()
        assert len(lines) == 1 and (str(error) or "goes on") in lines[0]
    assert cli.main(["verify", "table9"]) == 2
    assert "experiment must be one of ['table1'" in capsys.readouterr().err


def test_wrong_use():
    for command in (
        ["compose"], ["run", "--profile", "x"], ["verify", "--audit", "x"],
        ["bench", "my:method", "--tables", "6"],
    ):  # fmt: skip
        with pytest.raises(SystemExit) as stopped:
            cli.main(command)
        assert stopped.value.code == 2


def test_importing_the_commands_loads_nothing_heavy():
    """What takes a second to import is imported when it is used, so that --help answers at once."""
    code = "import sys, mimlpaper.cli; print({name.split('.')[0] for name in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for name in ("matplotlib", "papermill", "requests", "numba", "sklearn", "pandas", "numpy"):
        assert f"'{name}'" not in done.stdout


def test_every_name_is_found_where_it_lives():
    assert set(dict([cli.PROFILE])[("--profile",)]["choices"]) == set(PROFILES)
    assert mimlpaper.__all__ == sorted(mimlpaper.HOME)
    for name, module in mimlpaper.HOME.items():
        home = f"mimlpaper.{module}"
        assert getattr(getattr(mimlpaper, name), "__module__", home) == home
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        mimlpaper.nothing  # noqa: B018
