"""The command line: what each command prints, and its exit status."""

import re
import subprocess
import sys

import pandas as pd
import pytest

import mimlpaper
from mimlpaper.datasets import DataError, fetch
from mimlstudy import folders
from mimlstudy.engine import arithmetic, execution, verify
from mimlstudy.engine.trials import PROFILES
from mimlstudy.paper.catalogue import PaperCatalogue
from mimlstudy.paper.printed import printed_tables
from mimlstudy.report import command, notebooks, status
from mimlstudy.report.notebooks import NotebookRun
from tests.made_up_study import raising


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    """Empty folders in place of the project's results and builds."""
    monkeypatch.setattr(folders, "results", lambda: tmp_path)
    monkeypatch.setattr(
        folders,
        "build",
        lambda profile: tmp_path / profile,
    )
    return tmp_path


@pytest.fixture
def run(capsys):
    """The status of a command line given in one text, and what it prints."""

    def run(line):
        code = command.main(line.split())
        return code, "".join(capsys.readouterr())

    return run


SMOKE_RUN = "table1 --profile smoke --jobs 1"


def test_compute_says_how_many_trials_are_current(run):
    code, printed = run(f"compute {SMOKE_RUN} --methods Ml-knn")
    assert code == 0
    assert "2 current" in printed


def test_an_estimate_ends_with_the_sum_of_all_experiments(run):
    code, printed = run(f"compute {SMOKE_RUN} --estimate")
    assert code == 0
    assert "\n       all " in printed


def test_an_estimate_is_of_the_methods_that_are_named(run):
    code, printed = run(f"compute {SMOKE_RUN} --methods Ml-knn --estimate")
    assert code == 0
    assert printed.splitlines()[1].split()[:3] == ["table1", "2", "2"]


@pytest.mark.usefixtures("recorded")
def test_an_estimate_of_seconds_is_in_seconds(run):
    code, printed = run(f"compute {SMOKE_RUN} --methods Ml-knn --recompute --estimate")
    assert code == 0
    heads, row, _ = printed.splitlines()
    assert heads.split() == ["experiment", "trials", "to_run", "unknown", "work", "duration"]
    assert re.search(r" [1-9]\d? s +[1-9]\d? s$", row)


def test_an_estimate_of_what_never_ran_is_unknown(run):
    """It is not 0 s, nor is a sum without it a sum."""
    _, printed = run(f"compute {SMOKE_RUN} --methods Ml-knn --estimate")
    for row in printed.splitlines()[1:]:
        assert row.split()[-2:] == ["unknown", "unknown"]
    run(f"compute {SMOKE_RUN} --methods Ml-knn")
    _, printed = run(f"compute {SMOKE_RUN} --methods Ml-knn MimlNn --recompute --estimate")
    assert re.search(r" over \d+ s +over \d+ s$", printed.splitlines()[1])


@pytest.fixture
def recorded(run, results):
    """The file of two recorded trials."""
    run(f"compute {SMOKE_RUN} --methods Ml-knn")
    return results / "smoke" / "results" / "table1.csv"


@pytest.mark.usefixtures("recorded")
def test_verify_says_that_numbers_are_the_same(run):
    code, printed = run(f"verify {SMOKE_RUN}")
    assert code == 0
    assert "groups: 1 equal (equal: to a millionth" in printed


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", "groups: 1 damaged ("),
        ("--audit 20", "nothing was checked: no current record"),
    ],
)
def test_verify_fails_if_records_are_damaged(run, recorded, options, expected):
    pd.read_csv(recorded).assign(coverage=0.5).to_csv(recorded, index=False)
    code, printed = run(f"verify {SMOKE_RUN} {options}")
    assert code == 1
    assert expected in printed
    remedy = (
        "`mimlpaper compute table1 --profile smoke` records the trials that differ or are"
    )
    assert (remedy in printed) == (not options)


def test_compute_fails_if_records_stay_as_they_are_for_want_of_data(
    run, recorded, monkeypatch
):
    """And verify says how many records it cannot compare."""
    monkeypatch.setattr(
        PaperCatalogue,
        "content",
        lambda *arguments: "other data",
    )
    monkeypatch.setattr(PaperCatalogue, "fetch", raising(DataError("gone")))
    code, printed = run(f"compute {SMOKE_RUN} --methods Ml-knn")
    assert code == 1
    assert "2 trials not run again: gone" in printed
    assert "2 data changed" in printed


@pytest.mark.usefixtures("recorded")
def test_verify_says_how_many_records_it_cannot_compare(run, monkeypatch):
    monkeypatch.setattr(
        verify,
        "n_in_no_group",
        lambda *arguments, **options: 3,
    )
    code, printed = run(f"verify {SMOKE_RUN}")
    assert code == 0
    assert (
        "3 recorded trials cannot be compared: of other settings or data, or costs" in printed
    )


@pytest.fixture
def without_data(monkeypatch):
    """No data file is here."""
    monkeypatch.setattr(
        PaperCatalogue,
        "is_present",
        lambda *arguments: False,
    )


@pytest.mark.usefixtures("recorded", "without_data")
def test_an_audit_needs_no_data(run):
    code, printed = run(f"verify {SMOKE_RUN} --audit 20")
    assert code == 0
    assert "nothing was checked: the data are not here" in printed


@pytest.mark.usefixtures("recorded", "without_data")
def test_verify_of_what_is_current_says_so_also_without_data(run):
    code, printed = run(f"verify {SMOKE_RUN} --only-not-current")
    assert code == 0
    assert "no group that can be verified has records that are not current" in printed


@pytest.mark.usefixtures("recorded")
def test_an_audit_that_no_trial_fits_into_fails(run):
    code, printed = run(f"verify {SMOKE_RUN} --audit 0.0000001")
    assert code == 1
    assert "a quarter of 1e-07 seconds; give --audit more" in printed


def test_verify_fails_if_nothing_is_recorded(run):
    code, printed = run(f"verify {SMOKE_RUN}")
    assert code == 1
    assert "nothing was checked: no record" in printed


@pytest.fixture
def calls(monkeypatch):
    """The calls that run notebooks, all of which fail."""
    calls = []

    def run_notebooks(names, parameters, **options):
        calls.append({"names": names} | parameters | options)
        return [NotebookRun("3_framework", "error", 1.0, message="no such cell")]

    monkeypatch.setattr(notebooks, "run_notebooks", run_notebooks)
    return calls


def test_run_says_what_each_notebook_became(run, calls):
    """One fails; one has trials to run, and waits."""
    framework = folders.notebooks() / "3_framework.ipynb"
    code, printed = run(f"run --recorded {framework} 4_degeneration")
    assert code == 1
    lines = printed.splitlines()
    words = lines[1].split()
    assert words == ["3_framework", "error", "none", "1", "mimlpaper", "run", "3_framework"]
    words = lines[2].split()
    assert words[:3] == ["4_degeneration", "left", "out"]
    assert "missing" in words
    assert lines[-1].strip() == "no such cell"
    (call,) = calls
    assert call["names"] == ["3_framework"]


def test_the_command_that_runs_a_notebook_again_has_the_options_that_were_given(run, calls):
    """Without them another question would be answered, or another profile run."""
    again = "run 3_framework -p scene 3 --recompute --jobs 2 --profile smoke --data /data"
    _, printed = run(again)
    assert f" mimlpaper {again}\n" in printed


def test_a_notebook_with_trials_to_run_waits_where_only_recorded_ones_are_asked_for(
    run, calls
):
    code, printed = run("run --recorded 4_degeneration")
    assert code == 1
    assert not calls
    assert " mimlpaper run 4_degeneration\n" in printed


def test_of_records_that_are_not_current_status_names_the_command(run, calls, monkeypatch):
    """To run their trials again would take hours where verification takes minutes."""
    monkeypatch.setattr(status, "trials_behind", lambda name, profile: {"code changed": 3})
    code, printed = run("run --recorded 4_degeneration")
    assert code == 1
    assert not calls
    assert "mimlpaper run" not in printed
    assert "its records are not current; `mimlpaper status` names the commands" in printed


def test_options_of_run_reach_the_notebooks(run, calls):
    run("run --recorded 3_framework")
    run("run 3_framework --profile smoke --at-once 3")
    usual, smoke = calls
    assert usual["profile"] == "paper"
    assert usual["at_once"] == -1
    assert usual["recorded"]
    assert smoke["profile"] == "smoke"
    assert smoke["at_once"] == 3
    assert not smoke["recorded"]


@pytest.mark.parametrize(("asked", "jobs"), [("-1", 1), ("3", 3)])
def test_notebooks_at_once_take_one_core_each_unless_asked_for_more(run, calls, asked, jobs):
    run(f"run --recorded 3_framework -p jobs {asked}")
    (call,) = calls
    assert call["jobs"] == jobs


def test_run_names_the_page_to_open(run, monkeypatch, tmp_path):
    output = tmp_path / "3_framework.ipynb"
    done = NotebookRun("3_framework", "done", 1.0, output)
    monkeypatch.setattr(
        notebooks,
        "run_notebooks",
        lambda *arguments, **options: [done],
    )
    code, printed = run("run 3_framework")
    assert code == 0
    assert printed.endswith(f"\nopen {tmp_path / '3_framework.html'}\n")


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ("4_degen", "did you mean 4_degeneration?"),
        (
            "3_framework -p scene many",
            "parameter scene of 3_framework must be int, such as 3",
        ),
        ("3_framework -p scen 3", "got 'scen'; did you mean 'scene'?"),
        ("3_framework -p scene 1 -p scene 2", "-p scene must be given once, got 2 times"),
        ("3_framework -p jobs 0", "jobs must be -1, one a core, or at least 1, got 0"),
        ("3_framework -p profile smok", "profile must be one of ['smoke', 'quick', 'paper']"),
    ],
)
def test_wrong_use_of_run_is_one_line_that_names_the_remedy(run, words, remedy):
    code, printed = run(f"run {words}")
    assert code == 2
    assert remedy in printed
    assert len(printed.splitlines()) == 1


@pytest.mark.parametrize("words", ["4_degeneration -p fil x", "4_degeneration -p jobs 0"])
def test_parameters_are_checked_before_trials_are_counted(run, monkeypatch, words):
    """To count the trials of a notebook takes seconds."""
    monkeypatch.setattr(status, "trials_behind", raising(RuntimeError("counted")))
    code, printed = run(f"run {words}")
    assert code == 2
    assert "counted" not in printed


@pytest.mark.parametrize("line", ["run", "run --parameters", "run 3_framework"])
def test_run_in_an_installed_package_says_that_it_has_no_notebooks(
    run, results, monkeypatch, line
):
    monkeypatch.setattr(folders, "notebooks", lambda: results / "none")
    code, printed = run(line)
    assert code == 2
    assert "an installed package has none; run the command in a checkout" in printed
    assert len(printed.splitlines()) == 1


@pytest.fixture
def usage_error(run, capsys):
    """What the parser says of a line that it refuses."""

    def refuse(line):
        with pytest.raises(SystemExit) as stopped:
            run(line)
        assert stopped.value.code == 2
        return capsys.readouterr().err

    return refuse


@pytest.mark.parametrize("number", ["0", "-2", "many", "1.5"])
def test_a_number_of_processes_is_minus_one_or_positive(usage_error, number):
    message = f"must be -1, one a core, or at least 1, got '{number}'"
    assert message in usage_error(f"compute table1 --jobs {number}")


@pytest.mark.parametrize("number", ["1_0", "٣", "0", "-1", "1.5", "many"])
def test_a_number_of_trials_is_positive_and_in_plain_digits(usage_error, number):
    """To Python "1_0" is 10, and "٣" is 3."""
    message = f"--sample: must be an integer of at least 1, got '{number}'"
    assert message in usage_error(f"verify table1 --sample={number}")


@pytest.mark.parametrize(
    "line",
    ["verify table1 --audit", "bench my:method --tables 1 --timeout"],
    ids=["audit", "bench"],
)
@pytest.mark.parametrize("number", ["1_0", "٣", "0", "-1", "nan", "inf", "1e999", "1e", "."])
def test_seconds_are_positive_and_in_plain_digits(usage_error, line, number):
    message = f"must be a number above 0, such as 20, got '{number}'"
    assert message in usage_error(f"{line}={number}")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("20", 20.0), ("1.5", 1.5), (".5", 0.5), ("2.", 2.0), ("1e-7", 1e-7)],
)
def test_seconds_may_have_decimals_and_an_exponent(text, seconds):
    parser, _ = command.build_parsers()
    assert parser.parse_args(["verify", "--audit", text]).audit == seconds


def test_a_missing_package_of_an_optional_part_names_the_extra(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "papermill", None)
    monkeypatch.delitem(sys.modules, "mimlstudy.report.notebooks")
    monkeypatch.delattr("mimlstudy.report.notebooks")
    code, printed = run("run 3_framework")
    assert code == 1
    assert 'pip install "mimlpaper[notebooks]"' in printed
    assert len(printed.splitlines()) == 1


@pytest.fixture
def artefact(monkeypatch):
    """The row of an artefact that is missing; nothing else is shown."""
    row = {
        "artefact": "Fig. 1",
        "state": "missing",
        "command": "mimlpaper run 3_framework",
    }
    monkeypatch.setattr(
        status,
        "artefact_status",
        lambda *arguments: [row],
    )
    monkeypatch.setattr(
        status,
        "recorded_scorecard",
        lambda profile: {"rows": 0},
    )
    monkeypatch.setattr(
        status,
        "in_words",
        lambda card: f"{card['rows']} rows",
    )
    return row


@pytest.mark.usefixtures("artefact")
def test_status_is_the_outcome_and_the_command_that_updates_it(run):
    code, printed = run("status")
    assert code == 1
    caveat = "These counts are of records as they are; 1 result above is not current."
    assert printed.endswith(f"mimlpaper run 3_framework\n\n{caveat}\n\n0 rows\n")


def test_status_names_versions_that_differ_from_the_recorded_ones(run, results, artefact):
    artefact["command"] = ""
    (results / "table1.csv").write_text("code,versions\nabc,numpy 1.9\n")
    code, printed = run("status")
    assert code == 0
    assert "Recorded with numpy 1.9; here" in printed.splitlines()[-1]


@pytest.mark.usefixtures("artefact")
def test_status_of_an_installed_package_is_that_of_its_experiments(run, results, monkeypatch):
    monkeypatch.setattr(folders, "notebooks", lambda: results / "none")
    code, printed = run("status")
    assert code == 1
    assert re.search(
        r"^table1 +missing +300 missing +mimlpaper compute table1$", printed, re.M
    )
    assert printed.endswith("\n\n0 rows\n")
    assert run("status --json") == (0, '{\n "rows": 0\n}\n')


def test_status_traces_a_number(run):
    code, printed = run("status --trace 1 MimlSvm hamming_loss")
    assert code == 0
    assert printed.startswith("Table 1, MimlSvm, hamming_loss on scene")


def test_the_core_installation_traces_a_number():
    """In a process of its own, in which no package of an extra can be imported."""
    code = """
import sys
from mimlstudy.report.command import EXTRAS, main
sys.modules.update(dict.fromkeys(EXTRAS))
sys.exit(main(["status", "--trace", "1", "MimlSvm", "hamming_loss"]))
"""
    text = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert text.startswith("Table 1, MimlSvm, hamming_loss on scene")


def test_a_number_without_its_criterion_cannot_be_traced(run):
    code, _ = run("status --trace 1 MimlSvm")
    assert code == 2


def test_options_that_do_not_go_together_are_refused(run):
    code, printed = run("status --json --trace 1 MimlSvm hamming_loss")
    assert (code, "--trace prints text" in printed) == (2, True)
    code, printed = run("compute table1 --estimate --dask tcp://127.0.0.1:1")
    assert (code, "--estimate is of this machine" in printed) == (2, True)
    for recompute in ("--recompute", "-p recompute true"):
        code, printed = run(f"run 3_framework --recorded {recompute}")
        assert (code, "--recorded runs no trial" in printed) == (2, True)
    code, printed = run("run --parameters 7_subcod -p M 20")
    assert (code, "--parameters lists what -p sets" in printed) == (2, True)
    code, printed = run("verify table1 --audit 5 --only-not-current")
    assert (code, "--audit draws among all current trials" in printed) == (2, True)


def test_rows_are_of_named_experiments(run):
    code, printed = run("compute --methods MimlSvm")
    assert (code, "--methods needs the experiments" in printed) == (2, True)


def test_an_experiment_that_is_named_twice_counts_once(run):
    once = run("compute constraints --estimate --recompute --profile smoke")
    assert (
        run("compute constraints constraints --estimate --recompute --profile smoke") == once
    )


def test_no_folder_of_data_is_the_usual_one(run, monkeypatch, tmp_path):
    """Such as a variable of the shell that is not set."""
    monkeypatch.setenv("MIMLPAPER_DATA", str(tmp_path))
    _, printed = run("data --data=")
    assert f"files in {tmp_path}; `mimlpaper data --fetch`" in printed


def test_a_file_is_no_folder_of_data(run, tmp_path, capsys):
    path = tmp_path / "bags.csv"
    path.write_text("bag\n")
    with pytest.raises(SystemExit, match="2"):
        run(f"data --data {path}")
    assert "a folder is needed, got the file" in capsys.readouterr().err


def test_only_numbers_of_the_full_protocol_are_traced(run):
    code, printed = run("status --trace 1 MimlSvm hamming_loss --profile smoke")
    assert code == 2
    assert "--trace is of the profile paper, got smoke" in printed


def test_data_are_fetched_where_they_are_asked_for(run, tmp_path, monkeypatch):
    fetched = []
    monkeypatch.setattr(
        fetch,
        "fetch_all",
        lambda *arguments: fetched.append(arguments),
    )
    assert run("data --fetch")[0] == 0
    assert run(f"data --fetch scene --data {tmp_path}")[0] == 0
    everything, scene = fetched
    assert everything == (None, None)
    assert scene == (str(tmp_path), ["scene"])


def test_data_lists_every_set(run, tmp_path):
    code, printed = run(f"data --data {tmp_path}")
    assert code == 0
    assert f"files in {tmp_path};" in printed
    assert "missing" in printed
    for name in ("scene", "reuters", "yeast", "yahoo:Social", "musk2", "synthetic_scene"):
        assert name in printed


@pytest.mark.parametrize(
    ("error", "expected", "words"),
    [
        (KeyboardInterrupt(), 130, "what is recorded stays"),
        (DataError("gone"), 1, "gone"),
        (OSError(28, "No space left"), 1, "[Errno 28] No space left"),
        (ValueError("x"), 2, "x"),
    ],
)
def test_errors_become_one_line_and_a_status(run, monkeypatch, error, expected, words):
    monkeypatch.setattr(execution, "compute", raising(error))
    code, printed = run("compute table1")
    assert code == expected
    assert len(printed.strip().splitlines()) == 1
    assert words in printed


def test_an_unknown_experiment_is_refused_with_those_that_exist(run):
    code, printed = run("verify table9")
    assert code == 2
    assert "experiment must be one of ['table1'" in printed


@pytest.mark.parametrize(
    "line",
    ["compose", "run --profile x", "verify --audit x", "bench my:method --tables 6"],
)
def test_wrong_use_has_the_status_2(run, line):
    with pytest.raises(SystemExit) as stopped:
        run(line)
    assert stopped.value.code == 2


LOADED = """
import sys, mimlstudy.report.command
print(*{name.split(".")[0] for name in sys.modules})
"""
HEAVY = {"matplotlib", "papermill", "requests", "numba", "sklearn", "pandas", "numpy"}


def test_importing_the_commands_loads_nothing_heavy():
    """What takes a second to import is imported when it is used, so that --help answers at once."""
    output = subprocess.check_output([sys.executable, "-c", LOADED], text=True)
    loaded = set(output.split())
    assert "mimlstudy" in loaded
    assert not loaded & HEAVY


def test_the_commands_know_the_profiles_and_the_tables():
    assert command.PROFILES == PROFILES
    numbers = {name for name in command.BENCH_TABLES if name.isdigit()}
    assert numbers == {str(number) for number in printed_tables()}


def test_every_public_name_is_found_where_it_lives():
    for name, module in mimlpaper.HOME.items():
        home = f"mimlpaper.{module}"
        public = getattr(mimlpaper, name)
        assert getattr(public, "__module__", home) == home
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        mimlpaper.nothing  # noqa: B018


@pytest.mark.parametrize("line", ["run 3_framework", f"verify {SMOKE_RUN}"])
def test_a_command_says_aloud_that_its_arithmetic_is_its_own(run, monkeypatch, line):
    obstacle = "OPENBLAS_CORETYPE is set to another value"
    monkeypatch.setattr(arithmetic, "_obstacle", lambda: obstacle)
    done = NotebookRun("3_framework", "done", 1.0)
    monkeypatch.setattr(
        notebooks,
        "run_notebooks",
        lambda *arguments, **options: [done],
    )
    _, printed = run(line)
    assert f"own arithmetic: {obstacle}." in printed
