"""The command line: what it prints, and its exit status."""

import json
import re
import subprocess
import sys

import pytest
from mimlpaper.study.experiment import PROFILES

import mimlpaper
from mimlpaper import cli, experiments, notebooks, paths
from mimlpaper.cli import main
from mimlpaper.datasets import DataError
from mimlpaper.study.notebooks import NotebookRun
from mimlpaper.study.records import Store


@pytest.fixture
def results(tmp_path, monkeypatch):
    """An empty store in place of the project's."""
    monkeypatch.setattr(paths, "results", lambda: tmp_path)
    return tmp_path


def test_compute_records_and_sums_up(results, capsys):
    command = ["compute", "table1", "--profile", "smoke", "--methods", "Ml-knn", "--jobs", "1"]
    assert main(command) == 0
    assert "Ml-knn" in capsys.readouterr().out
    assert (results / "smoke" / "table1.csv").is_file()
    assert main(["verify", "--experiment", "table1", "--profile", "smoke", "--jobs", "1"]) == 0
    assert "equal" in capsys.readouterr().out


def test_verify_says_by_its_status_that_numbers_differ(results, capsys):
    main(["compute", "table1", "--profile", "smoke", "--methods", "Ml-knn", "--jobs", "1"])
    store = Store(results / "smoke")
    store.rewrite("table1", lambda rows: rows.assign(coverage=0.5))
    assert main(["verify", "--experiment", "table1", "--profile", "smoke", "--jobs", "1"]) == 1
    assert "different" in capsys.readouterr().out


def test_scorecard_lists_every_cell_and_claim(results, capsys):
    assert main(["scorecard", "--json"]) == 0
    card = json.loads(capsys.readouterr().out)
    assert len(card["cells"]) == 283
    assert {cell["verdict"] for cell in card["cells"]} == {"missing"}
    assert set(card["cells"][0]) >= {
        "table", "dataset", "algorithm", "criterion", "published_mean", "published_std",
        "mean", "std", "n", "verdict", "state",
    }  # fmt: skip
    words = {claim["matched"] for claim in card["claims"] if claim["id"].startswith("S")}
    assert words == {"not evaluated", "holds"}  # S5.5 needs no records
    assert main(["scorecard"]) == 0
    assert capsys.readouterr().out.startswith("Nothing is recorded yet.")


def test_scorecard_opens_with_three_points(capsys):
    assert main(["scorecard"]) == 0
    outcome, totals, *_ = capsys.readouterr().out.split("\n\n")
    assert outcome.count("- **") == 3 and "of other algorithms' cells would" in outcome
    assert "false_match_rate" in totals and "reproduced" not in outcome + totals


def test_status_says_what_is_missing_and_how_to_mend_it(results, capsys):
    assert main(["status"]) == 1
    printed = capsys.readouterr().out
    assert re.search(r"none of 240 +mimlpaper run 4_degeneration", printed)


def test_data_lists_every_set(tmp_path, capsys):
    assert main(["data", "--data", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    for name in ("scene", "reuters", "yeast", "yahoo:Social", "musk2", "synthetic_scene"):
        assert name in printed
    assert "missing" in printed


def test_run_tells_failed_notebooks_by_its_status(monkeypatch, capsys):
    runs = [NotebookRun("0_scorecard", "error", 1.0, message="no such cell")]
    monkeypatch.setattr(notebooks, "run_notebooks", lambda *args, **kwargs: runs)
    assert main(["run", "0_scorecard"]) == 1
    printed = capsys.readouterr()
    assert "mimlpaper run 0_scorecard" in printed.out
    assert "no such cell" in printed.err


def test_run_leaves_out_what_is_not_recorded(results, monkeypatch, capsys):
    """An empty store: the notebooks that need no trials run, the others wait."""
    ran = []
    monkeypatch.setattr(notebooks, "run_notebooks", lambda names, *_, **__: ran.extend(names) or [])
    assert main(["run", "--recorded", "3_framework", "4_degeneration"]) == 0
    assert ran == ["3_framework"]
    by_path = str(paths.notebooks() / "4_degeneration.ipynb")
    assert main(["run", "--recorded", by_path]) == 0 and ran == ["3_framework"]
    assert re.search(r"trials to run .* mimlpaper run 4_degeneration", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("error", "status"), [(KeyboardInterrupt(), 130), (DataError("gone"), 1), (ValueError("x"), 2)]
)
def test_errors_become_one_line_and_a_status(monkeypatch, capsys, error, status):
    def fail(*args, **kwargs):
        raise error

    monkeypatch.setattr(experiments, "compute", fail)
    assert main(["compute", "table1"]) == status
    assert "Traceback" not in capsys.readouterr().err


def test_an_unknown_experiment(capsys):
    assert main(["compute", "table9"]) == 2
    assert "experiment must be one of ['table1'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        ["compose"], ["run", "--profile", "x"], ["verify", "--audit", "-1"],
        ["verify", "--audit", "nan"], ["compute", "table1", "--jobs", "0"],
    ],
)  # fmt: skip
def test_wrong_use(command):
    with pytest.raises(SystemExit) as stopped:
        main(command)
    assert stopped.value.code == 2


def test_a_full_disk_is_one_line(monkeypatch, capsys):
    def fail(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(experiments, "compute", fail)
    assert main(["compute", "table1"]) == 1
    assert capsys.readouterr().err == "mimlpaper: [Errno 28] No space left on device\n"


def test_output_that_nobody_reads(results):
    command = f"set -o pipefail; {sys.executable} -m mimlpaper data | true"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.returncode in (0, 1) and done.stderr == ""


def test_help_and_import_load_nothing_heavy():
    """What takes a second to import is imported when it is used."""
    code = (
        "import sys, mimlpaper\n"
        "from mimlpaper.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print(sorted({name.split('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.splitlines()[-1]
    for name in ("matplotlib", "papermill", "requests", "numba", "sklearn", "pandas", "numpy"):
        assert f"'{name}'" not in loaded


def test_profiles_are_those_of_the_experiments():
    assert set(cli.PROFILES) == set(PROFILES)


def test_every_public_name_is_found_where_it_lives():
    assert sorted(mimlpaper.__all__) == sorted(mimlpaper.HOMES)
    for name in mimlpaper.__all__:
        home = f"mimlpaper.{mimlpaper.HOMES[name]}"
        assert getattr(getattr(mimlpaper, name), "__module__", home) == home
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        mimlpaper.nothing  # noqa: B018
