"""Artefacts: their state, the gallery, the CODECHECK manifest, and the lines of pseudo-code."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest
import yaml

from mimlpaper import paths
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.cli import main
from mimlpaper.medoids import KMedoids
from mimlpaper.study import scorecard
from mimlpaper.study.notebooks import available_notebooks
from mimlpaper.study.registry import EXPERIMENTS, family
from mimlpaper.study.scorecard import (
    ARTEFACTS,
    Artefact,
    artefact_status,
    codecheck_manifest,
    gallery,
    pseudocode_map,
    with_outcome,
)
from tests.made_up_records import rows

PICTURE = Artefact("Fig. 99", "figure99", "9_cost", "figure99", shows="A curve that rises.")
README = "# A\n<!-- written by `mimlpaper manifest` -->\nold\n<!-- until here -->\n\nB\n"
TABLE = Artefact("Costs", "costs", "9_cost")


def saved(kind):
    """Names that a notebook passes to save_figure or save_table, with the notebook's name."""
    for notebook, path in available_notebooks().items():
        cells = json.loads(path.read_text())["cells"]
        code = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
        for name in re.findall(rf'save_{kind}\([^\n]*"(\w+)"(?:, of=\w+)?\)', code):
            yield notebook, name
        if kind == "table":
            yield from ((notebook, f"table{n}") for n in re.findall(r"paper\.table\((\d)\)", code))


def test_files_are_what_the_command_writes():
    assert (paths.figures() / "README.md").read_text() == gallery(), "run: mimlpaper manifest"
    written = (paths.project_root() / "codecheck.yml").read_text()
    assert written == codecheck_manifest(), "run: mimlpaper manifest"


def test_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(paths, "project_root", lambda: tmp_path)
    monkeypatch.setattr(paths, "figures", lambda: tmp_path / "figures")
    (tmp_path / "README.md").write_text(README)
    assert main(["manifest"]) == 0
    assert "Nothing is recorded yet." in (tmp_path / "README.md").read_text()
    assert (tmp_path / "figures" / "README.md").read_text() == gallery()
    assert (tmp_path / "codecheck.yml").read_text() == codecheck_manifest()


@pytest.mark.parametrize("kind", ["figure", "table"])
def test_whatever_a_notebook_saves_is_an_artefact(kind):
    known = {(artefact.notebook, artefact.file): artefact.is_figure for artefact in ARTEFACTS}
    found = dict.fromkeys(saved(kind))
    assert found
    for key in found:
        assert key in known, f"{key} is missing in data/published/artefacts.csv"
        assert known[key] == (kind == "figure"), f"{key}: figures say what they show, tables do not"


def test_artefacts_name_what_exists():
    for name in ("file", "title"):
        assert len({getattr(artefact, name) for artefact in ARTEFACTS}) == len(ARTEFACTS)
    for artefact in ARTEFACTS:
        assert artefact.notebook in available_notebooks()
        assert artefact.experiment is None or set(family(artefact.experiment)) <= set(EXPERIMENTS)


def test_the_outcome_has_its_place_in_the_readme():
    """Lines of at most 100 characters: the dash and 34 words of two letters would take 103."""
    written = with_outcome(README, "- " + "so " * 34 + "\n- it")
    assert written == README.replace("old", "- " + " ".join(["so"] * 33) + "\n  so\n- it")
    assert with_outcome(written, "old") == README


def test_gallery_shows_pictures_and_links_tables(monkeypatch):
    monkeypatch.setattr(scorecard, "_made", lambda: (PICTURE, TABLE))
    text = gallery()
    assert (
        "| Fig. 99 | [figure99.png](figure99.png) [figure99.svg](figure99.svg) "
        "| [9_cost](../notebooks/9_cost.ipynb) | `mimlpaper run 9_cost` "
        "| `mimlpaper compute figure99` |\n"
    ) in text
    assert "## Fig. 99\n\n![A curve that rises.](figure99.png)" in text
    assert "[costs.csv](costs.csv) [costs.md](costs.md) |" in text
    assert "## Costs" not in text


def test_codecheck_manifest_lists_one_file_an_artefact(monkeypatch):
    monkeypatch.setattr(scorecard, "_made", lambda: (PICTURE, TABLE))
    manifest = yaml.safe_load(codecheck_manifest())
    assert manifest["manifest"] == [
        {"file": "figures/figure99.png", "comment": "Fig. 99, made by: mimlpaper run 9_cost"},
        {"file": "figures/costs.csv", "comment": "Costs, made by: mimlpaper run 9_cost"},
    ]


def test_codecheck_manifest_keeps_the_rules_of_the_specification():
    """The rules of configuration 1.0; the codechecker adds name, report and certificate."""
    text = (paths.project_root() / "codecheck.yml").read_text()
    assert text.startswith("---\n")
    assert not re.search("FIXME|TODO|XXX", text)
    config = yaml.safe_load(text)
    assert config["version"] == "https://codecheck.org.uk/spec/config/1.0/"
    assert config["paper"]["title"]
    assert config["paper"]["reference"].startswith("https://doi.org/")
    assert all(author["name"] for author in config["paper"]["authors"])
    assert config["manifest"]
    for item in config["manifest"]:
        assert (paths.project_root() / item["file"]).is_file()
        assert not Path(item["file"]).is_absolute()
        assert item["comment"]


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
    status = artefact_status(records, N_TRIALS, folder, dict(last_runs))
    return next(row for row in status if row["artefact"] == "Table 1")


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
    status = artefact_status({}, N_TRIALS, folder, {})
    row = next(row for row in status if row["artefact"] == "Fig. 1")
    assert (row["state"], row["trials"]) == ("fresh", "")


ROOT = Path(__file__).resolve().parents[2]


def test_every_cited_step_is_found_where_it_says():
    steps = pseudocode_map(KMedoids, MimlSvm)
    assert {"Table 7, step 2", "step 2c", "step 4"} <= set(steps["step"])
    for row in steps.itertuples():
        file, number = row.where.split(":")
        assert (ROOT / file).read_text().splitlines()[int(number) - 1].strip().startswith(row.code)
