"""The gallery and the CODECHECK manifest: in step with the artefacts, and with the notebooks."""

import json
import re

import pytest
import yaml

from mimlpaper import paths
from mimlpaper.cli import main
from mimlpaper.experiments import EXPERIMENTS
from mimlpaper.notebooks import available_notebooks
from mimlpaper.report.artefacts import ARTEFACTS, Artefact, codecheck_manifest, gallery

PICTURE = Artefact("Fig. 99", "figure99", "9_cost", "figure99", shows="A curve that rises.")
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
    assert main(["manifest"]) == 0
    assert (tmp_path / "figures" / "README.md").read_text() == gallery()
    assert (tmp_path / "codecheck.yml").read_text() == codecheck_manifest()


@pytest.mark.parametrize("kind", ["figure", "table"])
def test_whatever_a_notebook_saves_is_an_artefact(kind):
    known = {(artefact.notebook, artefact.file): artefact.is_figure for artefact in ARTEFACTS}
    found = dict.fromkeys(saved(kind))
    assert found
    for key in found:
        assert key in known, f"{key} is missing in report/artefacts.py"
        assert known[key] == (kind == "figure"), f"{key}: figures say what they show, tables do not"


def test_artefacts_name_what_exists():
    for name in ("file", "title"):
        assert len({getattr(artefact, name) for artefact in ARTEFACTS}) == len(ARTEFACTS)
    for artefact in ARTEFACTS:
        assert artefact.notebook in available_notebooks()
        assert artefact.experiment is None or artefact.experiment in EXPERIMENTS


def test_gallery_shows_pictures_and_links_tables():
    text = gallery((PICTURE, TABLE))
    assert (
        "| Fig. 99 | [figure99.png](figure99.png) [figure99.svg](figure99.svg) "
        "| [9_cost](../notebooks/9_cost.ipynb) | `mimlpaper run 9_cost` "
        "| `mimlpaper compute figure99` |\n"
    ) in text
    assert "## Fig. 99\n\n![A curve that rises.](figure99.png)" in text
    assert "[costs.csv](costs.csv) [costs.md](costs.md) [costs.tex](costs.tex)" in text
    assert "## Costs" not in text


def test_codecheck_manifest_is_yaml_with_the_asked_fields():
    told = yaml.safe_load(codecheck_manifest((PICTURE, TABLE)))
    assert told["version"] == "https://codecheck.org.uk/spec/config/1.0/"
    assert {"title", "authors", "reference"} <= set(told["paper"])
    assert told["manifest"] == [
        {"file": "figures/figure99.png", "comment": "Fig. 99, made by: mimlpaper run 9_cost"},
        {"file": "figures/costs.csv", "comment": "Costs, made by: mimlpaper run 9_cost"},
    ]
