"""The state of artefacts, from records, files and how notebooks ended."""

import pandas as pd
import pytest

from mimlpaper.report.artefacts import ARTEFACTS, artefact_status
from tests.made_up_records import rows

N_TRIALS = {artefact.experiment: 3 for artefact in ARTEFACTS if artefact.experiment}


@pytest.fixture
def folder(tmp_path):
    for artefact in ARTEFACTS:
        (tmp_path / f"{artefact.file}.csv").touch()
    return tmp_path


def recorded(*states):
    values = {"coverage": [1.0] * len(states)}
    return {"table1": rows("table1", "scene", "MimlNn", values, state=list(states))}


def table1(records, folder, last_runs=()):
    told = artefact_status(records, N_TRIALS, folder, dict(last_runs))
    return next(row for row in told if row["artefact"] == "Table 1")


@pytest.mark.parametrize(
    ("states", "state", "trials", "mend"),
    [
        (["fresh"] * 3, "fresh", "3 fresh of 3", ""),
        (["fresh", "attested", "fresh"], "attested", "2 fresh, 1 attested of 3", ""),
        (
            ["stale", "attested", "fresh"], "stale", "1 fresh, 1 attested, 1 stale of 3",
            "mimlpaper verify --experiment table1",
        ),
        (["fresh", "fresh"], "missing", "2 fresh of 3", "mimlpaper run 4_degeneration"),
        ([], "missing", "none of 3", "mimlpaper run 4_degeneration"),
    ],
)  # fmt: skip
def test_as_good_as_the_worst_trial(folder, states, state, trials, mend):
    row = table1(recorded(*states) if states else {}, folder)
    assert (row["state"], row["trials"], row["mend"]) == (state, trials, mend)


def test_stages_of_one_trial_count_once(folder):
    records = recorded("fresh", "fresh", "fresh")["table1"]
    staged = pd.concat([records, records.assign(stage=1)])
    assert table1({"table1": staged}, folder)["state"] == "fresh"


def test_a_file_that_is_gone(folder):
    (folder / "table1.csv").unlink()
    assert table1(recorded("fresh", "fresh", "fresh"), folder)["state"] == "missing"


def test_a_notebook_that_failed(folder):
    row = table1(recorded("fresh", "fresh", "fresh"), folder, {"4_degeneration": "died"})
    assert (row["state"], row["mend"]) == ("failed", "mimlpaper run 4_degeneration")


def test_what_needs_no_trials(folder):
    told = artefact_status({}, N_TRIALS, folder, {})
    row = next(row for row in told if row["artefact"] == "Fig. 1")
    assert (row["state"], row["trials"]) == ("fresh", "")
