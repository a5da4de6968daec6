"""The site's own pages as text; tests/browser/ tests them in a browser."""

import importlib.util
import math

import pytest

from mimlpaper import paths
from mimlpaper.report.artefacts import ARTEFACTS
from mimlpaper.report.scorecard import scorecard


@pytest.fixture(scope="module")
def pages():
    path = paths.project_root() / "site" / "pages.py"
    spec = importlib.util.spec_from_file_location("pages", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_cells_are_escaped_tinted_and_told_how_to_sort(pages):
    rows = [["<b>&", (".5±.1", 0.5), "differs (ours worse)"], ["", ("–", math.nan), "agrees"]]
    text = pages.sortable_table("Some", {"a": True, "b": False, "c": True}, rows)
    assert '<th scope="col" data-filter>a</th><th scope="col">b</th>' in text
    assert '<td>&lt;b&gt;&amp;</td><td data-value="0.5">.5±.1</td><td style="background:#' in text
    assert '<td data-value="">–</td>' in text


def test_long_lists_are_folded(pages):
    row = ["two of three hold; " + "x" * 300]
    text = pages.sortable_table("Some", {"detail": False}, [row])
    assert f"<details><summary>two of three hold</summary>{'x' * 300}</details>" in text


def test_every_cell_is_in_the_scorecard(pages):
    text = pages.scorecard_page(scorecard({}), "paper")
    assert "All 283 cells" in text
    assert text.count("<tr><td") == 283
    assert text.count(">missing</td><td>0 of") == 283


def test_gallery_says_what_is_not_there(pages, tmp_path):
    row = {"state": "missing", "trials": "", "mend": "mimlpaper run it"}
    status = {artefact.title: row for artefact in ARTEFACTS}
    text = pages.gallery_page(status, [], "quick", tmp_path)
    assert text.count("Not made yet.") == len(ARTEFACTS)
    assert "- profile: quick\n- state: missing\n- mended by: `mimlpaper run it`" in text


def test_home_links_the_notebooks_that_there_are(pages):
    text = pages.home_page("| all | `0_scorecard` | `9_cost` |", ["0_scorecard"])
    assert "| [0_scorecard](notebooks/0_scorecard.ipynb) | `9_cost` |" in text
    assert ":caption: Notebooks\nnotebooks/0_scorecard\n```" in text


def test_claims_lead_to_their_cells_and_paragraphs(pages):
    headings = {"4_degeneration": ["Section 4", "Table 1: scene", "The claims of Section 4.3"]}
    text = pages.claims_page(scorecard({}), "paper", headings)
    assert '<a id="S4.1" href="#S4.1">S4.1</a>' in text
    assert '<a href="scorecard.html?table=Table 1">cells</a>' in text
    assert '<a href="notebooks/4_degeneration.html#table-1-scene">4_degeneration</a>' in text


def test_gallery_is_in_the_papers_order(pages, tmp_path):
    titles = [artefact.title for artefact in sorted(ARTEFACTS, key=pages._place_in_paper)]
    figures = [f"Fig. {number}" for number in range(1, 11)]
    assert titles[:15] == [*figures, *(f"Table {number}" for number in range(1, 6))]


def test_reading_path_leaves_out_what_is_not_there(pages):
    text = pages.home_page("", ["0_scorecard"])
    assert "the scorecard](notebooks/0_scorecard.ipynb)" in text
    assert "multiverse" not in text
