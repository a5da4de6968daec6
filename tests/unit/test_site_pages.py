"""The site's own pages as text; tests/browser/ tests them in a browser."""

import importlib
import math

import nbformat
import pandas as pd
import pytest

from mimlpaper import paths
from mimlpaper.study.published import published_claims
from mimlpaper.study.scorecard import ARTEFACTS, scorecard

NOT_READ = pd.DataFrame()
READ = pd.DataFrame(
    {"claim": ["S4.1"], "holds": [0.925], "partly": [0.05], "fails": [0.025], "n": [200]}
)


@pytest.fixture(scope="module")
def pages():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(paths.project_root() / "site")
        yield importlib.import_module("pages")


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
    text = pages.gallery_page(status, {}, "quick", tmp_path)
    assert text.count("Not made yet.") == len(ARTEFACTS)
    assert "- profile: quick\n- state: missing\n- mended by: `mimlpaper run it`" in text


def test_home_links_the_notebooks_that_there_are(pages, tmp_path):
    text = pages.home_page("| all | `0_scorecard` | `9_cost` |", ["0_scorecard"], tmp_path)
    assert "| [0_scorecard](notebooks/0_scorecard.ipynb) | `9_cost` |" in text
    text = pages.home_page("see [9_cost](notebooks/9_cost.ipynb)", ["0_scorecard"], tmp_path)
    assert "see `9_cost`" in text
    assert ":caption: Notebooks\nnotebooks/0_scorecard\n```" in text


def test_claims_lead_to_their_cells_and_paragraphs(pages):
    headings = {"4_degeneration": ["Section 4", "Table 1: scene", "The claims of Section 4.3"]}
    text = pages.claims_page(scorecard({}), "paper", headings, NOT_READ)
    assert '<a id="S4.1" href="#S4.1">S4.1</a>' in text
    assert '<a href="scorecard.html?table=Table 1">cells</a>' in text
    assert '<a href="notebooks/4_degeneration.html#table-1-scene">4_degeneration</a>' in text
    assert '<a href="gallery.html#table-1">Table 1</a>' in text
    assert "over other readings" not in text


def test_claims_lead_to_their_sentence(pages):
    places = pd.read_csv(paths.published() / "claim_places.csv")
    assert list(places["id"]) == list(published_claims()["id"])
    text = pages.claims_page(scorecard({}), "paper", {}, NOT_READ)
    assert text.count(f'<a href="{pages.PAPER}">') == len(places)
    assert ">Section 5.5</a>: <q>when p is larger than 59</q>" in text


def test_claims_show_their_share_of_readings_if_there_is_one(pages):
    headings = {"10_multiverse": ["Which claims survive"]}
    text = pages.claims_page(scorecard({}), "paper", headings, READ)
    assert '<th scope="col">over other readings</th>' in text
    assert (
        '<td data-value="0.925"><a href="notebooks/10_multiverse.html#which-claims-survive">'
        "holds in 92%, in part in 5%, fails in 2% of 200</a></td>"
    ) in text
    assert text.count('<td data-value=""></td>') == len(published_claims()) - 1


def test_the_paragraph_of_the_shares_is_there(pages):
    notebook = nbformat.read(paths.notebooks() / "10_multiverse.ipynb", as_version=4)
    lines = [line for cell in notebook.cells for line in cell.source.splitlines()]
    assert pages.SURVIVE in [pages.slug(line) for line in lines if line.startswith("## ")]


def test_gallery_is_in_the_papers_order(pages, tmp_path):
    titles = [artefact.title for artefact in sorted(ARTEFACTS, key=pages._place_in_paper)]
    figures = [f"Fig. {number}" for number in range(1, 11)]
    assert titles[:15] == [*figures, *(f"Table {number}" for number in range(1, 6))]


def test_reading_path_leaves_out_what_is_not_there(pages, tmp_path):
    text = pages.home_page("", ["0_scorecard"], tmp_path)
    assert "the scorecard](notebooks/0_scorecard.ipynb)" in text
    assert "multiverse" not in text


def test_pages_show_light_svg_and_heavy_png(pages, tmp_path):
    (tmp_path / "few.svg").write_text("<svg/>")
    (tmp_path / "many.svg").write_text(" " * (pages.HEAVY + 1))
    assert [pages.lightest(tmp_path, name) for name in ("few", "many", "none")] == [
        "few.svg", "many.png", "none.png",
    ]  # fmt: skip


def test_home_has_a_taller_figure_for_narrow_screens(pages, tmp_path):
    (tmp_path / "orders_tall.svg").write_text("<svg/>")
    text = pages.home_page("![Orders](figures/orders.png)", [], tmp_path)
    assert text.startswith(
        "![Orders](figures/orders.png){.wide}\n![Orders](figures/orders_tall.svg){.tall}"
    )


def test_gallery_leads_to_the_cell_that_shows_it(pages, tmp_path):
    row = {"state": "fresh", "trials": "", "mend": ""}
    status = {artefact.title: row for artefact in ARTEFACTS}
    text = pages.gallery_page(status, {"6_insdif": ["figure10"]}, "paper", tmp_path)
    assert '- notebook: <a href="notebooks/6_insdif.html#figure10">6_insdif</a>' in text
    assert "- notebook: [6_insdif](notebooks/6_insdif.ipynb)" in text
