"""Pages of the site as text; see tests/browser/ for what a reader sees."""

import re
from itertools import product

import cells
import gallery
import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pages
import pandas as pd
import parts
import pytest
import sortable
from markupsafe import Markup
from PIL import Image

from mimlpaper import paths
from mimlstudy import folders
from mimlstudy.judge.rules import DEFAULT_RULES
from mimlstudy.judge.scorecard import scorecard
from mimlstudy.judge.selection import SETTINGS_COLUMNS
from mimlstudy.paper.catalogue import default_store
from mimlstudy.report.figures import save_figure
from mimlstudy.report.status import artefacts
from mimlstudy.report.trace import Origin, Trace
from tests.made_up_records import as_in_the_paper


def test_the_page_of_numbers_has_every_cell_and_its_origin_once():
    records = {"table1": as_in_the_paper(1, seconds=1.0)}
    page = cells.cells_page(records.get, default_store(), "smoke")
    assert "mimlpaper compute table1 --profile smoke --methods" in page
    origins = re.findall(r'<template id="table1/[^"]*" data-origin="([^"]*)"', page)
    assert len(origins) == 8 * 7
    assert len(set(origins)) == 8
    for name in set(origins):
        assert page.count(f'<template id="{name}"') == 1


def test_a_cell_shows_its_own_origin_where_those_of_others_are_forgotten(monkeypatch):
    def forgotten(number, read, **_):
        for method in map(str, range(20)):
            # No one else keeps this origin: the next one may have its place in memory.
            origin = Origin(
                (f"trials of table {number}, {method}",),
                (),
                "",
                (),
                (),
                (),
                "",
            )
            runs = {column: {} for column in SETTINGS_COLUMNS}
            yield Trace(
                number,
                method,
                "coverage",
                "x",
                printed="",
                ours="",
                verdict="",
                printed_mean=np.nan,
                tolerance=np.nan,
                runs=runs,
                origins={"closest": origin},
            )

    monkeypatch.setattr(cells, "traces", forgotten)
    page = cells.cells_page({}.get, default_store(), "paper")
    templates = dict(re.findall('<template id="([^"]*)"(.*?)</template>', page, re.DOTALL))
    for number, method in product(range(1, 6), range(20)):
        cell = templates[f"table{number}/{method}/coverage/x"]
        name = re.search('data-origin="([^"]*)"', cell)[1]
        assert f"trials of table {number}, {method}<" in templates[name]


def test_cells_are_escaped_and_tinted_and_have_numbers_to_sort_by():
    worse = {
        "a": "<b>&",
        "b": (".5±.1", 0.5),
        "c": "differs (ours worse)",
    }
    nothing = {"a": "", "b": ("–", None), "c": "two"}
    rows = [worse, nothing]
    text = sortable.sortable_table(
        "Some",
        rows,
        {"a"},
        file="csv/some.csv",
    )
    assert '<th scope="col" data-filter>a</th><th scope="col">b</th>' in text
    assert "<td>&lt;b&gt;&amp;</td>" in text
    assert '<td data-value="0.5">.5±.1</td><td style="background:#' in text
    assert '<td data-value="">–</td><td>two</td>' in text
    assert '<a href="csv/some.csv" download>' in text


def test_details_stand_folded_below_their_row():
    details = [Markup("<b>more</b>"), ""]
    rows = [{"a": "1"}, {"a": "2"}]
    text = sortable.sortable_table(
        "Some",
        rows,
        set(),
        details=details,
    )
    _, with_details, without = text.split("<tbody>")
    folded = '<tr class="folded" hidden><td colspan="1"><b>more</b></td></tr>'
    assert folded in with_details
    assert "folded" not in without


README = """<!-- problem -->
What is it?
<!-- end -->
![Orders](figures/orders.png) of [all](figures/README.md)
<!-- photograph -->
Half are right.
<!-- end -->
<!-- answer -->
**Partly.**

It holds ([here](figures/pages/0_scorecard.md)), not there ([9_cost](notebooks/9_cost.ipynb)).
<!-- end -->
<!-- use -->
Four lines.
<!-- end -->
<!-- check -->
Two commands.
<!-- end -->
| all | `0_scorecard` | `9_cost` |
"""


def test_home_links_the_notebooks_that_there_are(tmp_path):
    (tmp_path / "photograph.svg").write_text("<svg/>")
    text = pages.home_page(README, ["0_scorecard"], tmp_path)
    assert "**Does the paper hold?** **Partly.**\n\n**How do I use it?**" in text
    assert (
        "\n\nIt holds ([here](notebooks/0_scorecard.ipynb)), not there (9_cost).\n\n" in text
    )
    assert "**What is the problem?** What is it? *Multi" in text
    assert "*trees* green. Half are right.\n" in text
    assert "](figures/photograph.svg)" in text
    assert "## Use it\n\nFour lines.\n" in text
    assert "## Check it\n\nTwo commands.\n" in text
    assert ":caption: Notebooks\nnotebooks/0_scorecard\n```" in text
    assert "notebooks/9_cost" not in text
    assert "| all |" not in text


def test_a_value_without_a_place_on_its_page_is_named():
    with pytest.raises(ValueError, match=r"choices\.md has no place for ROWS"):
        parts.filled("choices", CHOICES="a", ROWS="b")


def test_home_needs_the_marks_of_the_readme(tmp_path):
    without_mark = README.replace("answer", "other")
    with pytest.raises(ValueError, match=r"README\.md must have <!-- answer -->"):
        pages.home_page(without_mark, [], tmp_path)


def test_the_readme_links_the_notebooks_that_there_are(tmp_path):
    too_heavy = " " * (parts.HEAVIEST_SVG + 1)
    (tmp_path / "orders.svg").write_text(too_heavy)
    text = pages.readme_page(README, ["0_scorecard"], tmp_path)
    assert "| [0_scorecard](notebooks/0_scorecard.ipynb) | `9_cost` |" in text
    assert "![Orders](figures/orders.png) of [all](gallery.md)" in text


def test_a_heavy_picture_is_shown_as_a_lighter_photograph(tmp_path, rng):
    heavy = tmp_path / "photograph.png"
    noise = rng.integers(0, 256, (400, 600, 3), dtype=np.uint8)
    Image.fromarray(noise).save(heavy)
    Image.new("RGB", (600, 400)).save(tmp_path / "curve.png")
    parts.add_jpegs(tmp_path)
    assert parts.lightest(tmp_path, "photograph") == "photograph.jpg"
    assert parts.lightest(tmp_path, "curve") == "curve.png"
    light = tmp_path / "photograph.jpg"
    assert light.stat().st_size < heavy.stat().st_size / 2


@pytest.fixture
def gallery_text(tmp_path):
    """The gallery before its artefacts are made, all but Fig. 10."""
    row = {
        "state": "missing",
        "trials": "",
        "command": "mimlpaper run it",
    }
    status = {artefact.title: row for artefact in artefacts()}
    description = {"Description": "Curves & bands."}
    save_figure(plt.figure(), tmp_path, "figure10", description)
    plt.close("all")
    shown = {"6_insdif": ["figure10"]}
    return gallery.gallery_page(status, shown, "quick", tmp_path)


def test_the_gallery_is_in_the_papers_order(gallery_text):
    titles = re.findall("^## (.*)", gallery_text, re.M)
    assert titles[:10] == [f"Fig. {number}" for number in range(1, 11)]
    assert titles[10:15] == [f"Table {number}" for number in range(1, 6)]
    assert gallery_text.count("Not made yet.") == len(artefacts()) - 1


@pytest.mark.parametrize(
    "part",
    [
        "- profile: quick\n- state: missing\n- updated by: `mimlpaper run it`",
        '- notebook: <a href="notebooks/6_insdif.html#figure10">6_insdif</a>',
        "- notebook: [6_insdif](notebooks/6_insdif.ipynb)",
        "[![](figures/figure10.svg) Fig. 10](#fig-10)",
        "<summary>Curves &amp; bands.</summary>",
    ],
)
def test_the_gallery_leads_to_cells(gallery_text, part):
    assert part in gallery_text


@pytest.fixture(scope="module")
def card():
    """The scorecard without records."""
    return scorecard({})


def test_every_cell_has_its_row_on_the_page_of_the_scorecard(card):
    text = pages.scorecard_page(card, "paper")
    assert "All 283 cells" in text
    assert text.count("<tbody>") == 283
    assert text.count(">missing</td><td>0 of") == 283
    without_ours = '">–</a></td><td style="background:#'
    assert text.count(without_ours) == 283
    address = "cell.html#table1/MimlSvm/coverage/scene"
    assert text.count(f'<a href="{address}">') == 2


@pytest.fixture(scope="module")
def claims_text(card):
    """The page of claims; only the first claim has effects of other settings."""
    claims = [claim | {"multiverse": None} for claim in card["claims"]]
    claims[0]["multiverse"] = {"effect": 12.34, "in_favour": 0.925}
    headings = {
        "4_degeneration": ["Section 4", "Table 1: scene", "The claims of Section 4.3"],
        "10_multiverse": [],
    }
    return pages.claims_page({"claims": claims}, "paper", headings)


def test_each_claim_leads_to_the_paper(card, claims_text):
    places = pd.read_csv(folders.printed_data() / "claim_places.csv")
    assert list(places["id"]) == [claim["id"] for claim in card["claims"]]
    assert claims_text.count(f'<a href="{pages.PAPER}">') == len(places)


def test_the_form_of_rules_starts_with_those_of_the_project():
    first_options = re.findall(
        '<select name="(.*?)">\n<option value="(.*?)"', pages.rules_form()
    )
    assert len(first_options) == 2
    for name, value in first_options:
        assert value == getattr(DEFAULT_RULES, name)


@pytest.mark.parametrize(
    "link",
    [
        '<a id="S4.1" href="#S4.1">S4.1</a>',
        '<a href="scorecard.html?table=Table 1">cells</a>',
        '<a href="notebooks/4_degeneration.html#table-1-scene">4_degeneration</a>',
        '<a href="gallery.html#table-1">Table 1</a>',
        f'<q>when p is larger than 59</q>, <a href="{pages.PAPER}">Section 5.5</a>',
    ],
)
def test_claims_lead_to_what_speaks_of_them(claims_text, link):
    assert link in claims_text


def test_only_a_claim_with_a_multiverse_speaks_of_alternative_settings(claims_text):
    address = f"notebooks/10_multiverse.html#{pages.AHEAD_ANCHOR}"
    sentence = (
        "The favoured methods are ahead by 12.3% of the rival&#39;s loss. "
        "They are ahead in 92% of random mixtures"
    )
    assert f'<dd><a href="{address}">{sentence}' in claims_text
    assert claims_text.count("with alternative settings") == 1


def test_the_place_that_claims_lead_to_is_a_heading_of_the_notebook():
    notebook = nbformat.read(folders.notebooks() / "10_multiverse.ipynb", 4)
    places = []
    for cell in notebook.cells:
        headings = [line for line in cell.source.splitlines() if line.startswith("## ")]
        places += [pages.slug(heading) for heading in headings]
    assert pages.AHEAD_ANCHOR in places


def test_the_site_takes_no_pages_that_make_paper_compares(tmp_path):
    run = tmp_path / "run"
    paths.write_whole(run / "table1.csv", "")
    paths.write_whole(run / "pages" / "0_scorecard.md", "")
    copied = parts.copy_figures(run, tmp_path / "copied")
    assert [path.name for path in copied.rglob("*")] == ["table1.csv"]
