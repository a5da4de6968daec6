"""Executed notebooks as pages of the site."""

import importlib

import nbformat
import pytest

from mimlpaper import paths
from mimlpaper.study.companion import DRAWN
from mimlpaper.study.scorecard import ARTEFACTS

FIGURE = next(artefact for artefact in ARTEFACTS if artefact.file == "figure10")
TEXT = f"{FIGURE.title}. {FIGURE.shows}"


@pytest.fixture(scope="module")
def executed():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(paths.project_root() / "site")
        yield importlib.import_module("executed")


def notebook_of(source, alt=TEXT):
    """A notebook with one executed cell, which shows a picture."""
    picture = nbformat.v4.new_output(
        "display_data", {"image/png": "B64"}, metadata={"image/png": {"alt": alt}}
    )
    cell = nbformat.v4.new_code_cell(source, outputs=[picture])
    return nbformat.v4.new_notebook(cells=[cell], metadata={"widgets": {}})


def test_a_figure_has_its_text_its_number_and_its_svg(executed, tmp_path):
    (tmp_path / "figure10.svg").write_text("<svg/>")
    notebook = notebook_of('paper.save_figure(figure, "figure10")')
    assert executed.page_of(notebook, "6_insdif", tmp_path) == ["figure10"]
    cell, caption = notebook.cells
    assert cell.metadata["mystnb"] == {"image": {"alt": TEXT}}
    assert cell.outputs[0].data == {"image/svg+xml": "<svg/>"}
    name = '<p class="named" id="figure10"><a href="../gallery.html#fig-10">Fig. 10</a></p>'
    assert caption.source == name
    assert "widgets" not in notebook.metadata


def test_code_of_a_figure_is_folded(executed, tmp_path):
    saved = 'paper.save_figure(figure, "figure10")'
    folded = notebook_of(f"figure = draw()\n{saved}")
    executed.page_of(folded, "6_insdif", tmp_path)
    assert folded.cells[0].metadata["tags"] == ["hide-input"]
    other = notebook_of("a = 1\nb = 2")
    executed.page_of(other, "6_insdif", tmp_path)
    assert "tags" not in other.cells[0].metadata


@pytest.mark.parametrize("alt", [f"{DRAWN} {TEXT}", "Something else"])
def test_a_figure_of_other_data_stays_as_it_is(executed, tmp_path, alt):
    (tmp_path / "figure10.svg").write_text("<svg/>")
    notebook = notebook_of('paper.save_figure(figure, "figure10")', alt)
    executed.page_of(notebook, "6_insdif", tmp_path)
    assert notebook.cells[0].outputs[0].data == {"image/png": "B64"}


@pytest.mark.parametrize(
    ("source", "files"),
    [
        ("paper.table(1)", ["table1"]),
        ('paper.save_table(\n    tables.some(rows, "printed"),\n    "figures45_outcomes",\n)',
         ["figures45_outcomes"]),
        ('display(paper.save_table(some(rows, number, EARLY), f"ranksvm_{name}"))',
         ["ranksvm_steps", "ranksvm_rows"]),
        ('paper.save_figure(figure, "recording", of=birds)', ["recording"]),
        ('paper.trials("figure4")', []),
    ],
)  # fmt: skip
def test_artefacts_are_known_by_what_a_cell_saves(executed, source, files):
    cell = notebook_of(source).cells[0]
    assert [artefact.file for artefact in executed.artefacts_in(cell)] == files
    cell.outputs = []
    assert executed.artefacts_in(cell) == []


def test_every_artefact_is_named_by_a_cell_of_its_notebook(executed):
    named = set()
    for path in paths.notebooks().glob("*.ipynb"):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                cell.outputs = ["shown"]
                named |= {(a.notebook, a.file) for a in executed.artefacts_in(cell)}
    assert {(a.notebook, a.file) for a in ARTEFACTS} <= named
