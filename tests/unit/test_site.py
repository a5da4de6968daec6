"""The site's pages as text: executed notebooks, lists, terms, API; tests/browser/ opens them."""

import importlib
import math
import re

import nbformat
import pandas as pd
import pytest

import mimlpaper
from mimlpaper import paths
from mimlpaper.study.companion import DRAWN
from mimlpaper.study.published import published_claims
from mimlpaper.study.scorecard import ARTEFACTS, scorecard

FIGURE = next(artefact for artefact in ARTEFACTS if artefact.file == "figure10")
TEXT = f"{FIGURE.title}. {FIGURE.shows}"


def _module(name):
    """A module of the folder ``site``."""

    @pytest.fixture(scope="session", name=name)
    def module():
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(paths.project_root() / "site")
            yield importlib.import_module(name)

    return module


executed, pages, terms, api, check = map(_module, ("executed", "pages", "terms", "api", "check"))


@pytest.fixture(scope="session")
def empty_card():
    return scorecard({})


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


def test_a_figure_of_other_data_stays_as_it_is(executed, tmp_path):
    (tmp_path / "figure10.svg").write_text("<svg/>")
    for alt in (f"{DRAWN} {TEXT}", "Something else"):
        notebook = notebook_of('paper.save_figure(figure, "figure10")', alt)
        executed.page_of(notebook, "6_insdif", tmp_path)
        assert notebook.cells[0].outputs[0].data == {"image/png": "B64"}


def test_artefacts_are_known_by_what_a_cell_saves(executed):
    for source, files in (
        ("paper.table(1)", ["table1"]),
        ('paper.save_table(\n    tables.some(rows, "printed"),\n    "figures45_outcomes",\n)',
         ["figures45_outcomes"]),
        ('display(paper.save_table(some(rows, number, EARLY), f"ranksvm_{name}"))',
         ["ranksvm_steps", "ranksvm_rows"]),
        ('paper.save_figure(figure, "recording", of=birds)', ["recording"]),
        ('paper.trials("figure4")', []),
    ):  # fmt: skip
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


def test_cells_are_escaped_tinted_and_told_how_to_sort(pages):
    rows = [["<b>&", (".5±.1", 0.5), "differs (ours worse)"], ["", ("–", math.nan), "agrees"]]
    text = pages.sortable_table("Some", {"a": True, "b": False, "c": True}, rows)
    assert '<th scope="col" data-filter>a</th><th scope="col">b</th>' in text
    assert '<td>&lt;b&gt;&amp;</td><td data-value="0.5">.5±.1</td><td style="background:#' in text
    assert '<td data-value="">–</td>' in text


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


def test_gallery_is_in_the_papers_order(pages, tmp_path):
    titles = [artefact.title for artefact in sorted(ARTEFACTS, key=pages._place_in_paper)]
    figures = [f"Fig. {number}" for number in range(1, 11)]
    assert titles[:15] == [*figures, *(f"Table {number}" for number in range(1, 6))]


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


def test_long_lists_are_folded(pages):
    row = ["two of three hold; " + "x" * 300]
    text = pages.sortable_table("Some", {"detail": False}, [row])
    assert f"<details><summary>two of three hold</summary>{'x' * 300}</details>" in text


def test_every_cell_is_in_the_scorecard(pages, empty_card):
    text = pages.scorecard_page(empty_card, "paper")
    assert "All 283 cells" in text
    assert text.count("<tr><td") == text.count(">missing</td><td>0 of") == 283


def test_claims_lead_to_their_cells_paragraphs_and_sentences(pages, empty_card):
    headings = {"4_degeneration": ["Section 4", "Table 1: scene", "The claims of Section 4.3"]}
    text = pages.claims_page(empty_card, "paper", headings)
    assert '<a id="S4.1" href="#S4.1">S4.1</a>' in text
    assert '<a href="scorecard.html?table=Table 1">cells</a>' in text
    assert '<a href="notebooks/4_degeneration.html#table-1-scene">4_degeneration</a>' in text
    assert '<a href="gallery.html#table-1">Table 1</a>' in text
    places = pd.read_csv(paths.published() / "claim_places.csv")
    assert list(places["id"]) == list(published_claims()["id"])
    assert text.count(f'<a href="{pages.PAPER}">') == len(places)
    assert ">Section 5.5</a>: <q>when p is larger than 59</q>" in text


def test_claims_show_their_lead_under_other_readings(pages, empty_card):
    read = {"effect": 12.34, "in_favour": 0.925}
    claims = [one | {"multiverse": read if one["id"] == "S4.1" else None}
              for one in empty_card["claims"]]  # fmt: skip
    notebook = nbformat.read(paths.notebooks() / "10_multiverse.ipynb", as_version=4)
    lines = [line for cell in notebook.cells for line in cell.source.splitlines()]
    assert pages.READINGS in [pages.slug(line) for line in lines if line.startswith("## ")]
    text = pages.claims_page({"claims": claims}, "paper", {"10_multiverse": []})
    assert (
        f'<td data-value="0.925"><a href="notebooks/10_multiverse.html#{pages.READINGS}">'
        "lead +12.3 %, in the paper&#39;s direction in 92% of the readings</a></td>"
    ) in text
    assert text.count('<td data-value=""></td>') == len(claims) - 1


def test_gallery_leads_to_the_cell_that_shows_it(pages, tmp_path):
    row = {"state": "fresh", "trials": "", "mend": ""}
    status = {artefact.title: row for artefact in ARTEFACTS}
    (tmp_path / "figure10.png").touch()
    text = pages.gallery_page(status, {"6_insdif": ["figure10"]}, "paper", tmp_path)
    assert '- notebook: <a href="notebooks/6_insdif.html#figure10">6_insdif</a>' in text
    assert "- notebook: [6_insdif](notebooks/6_insdif.ipynb)" in text
    assert "[![Fig. 10](figures/figure10.png)](#fig-10)" in text


def linked(terms, text, linker=None):
    """A text with its links, as HTML."""
    return "".join((linker or terms.Linker("g", "f")).parts(text))


def test_every_term_has_a_meaning_and_a_place_of_its_own(terms):
    rows = terms.glossary()
    assert all(row["meaning"].endswith((".", "?")) for row in rows)
    places = [terms.slug(row["term"]) for row in rows]
    assert len(set(places)) == len(rows) and all(places)
    page = terms.glossary_page()
    assert all(f'<dt id="{place}">' in page for place in places)


def test_every_form_is_found_in_the_prose_of_the_project(terms):
    """A term that no page uses, or a form that never fits, is a slip."""
    folder = paths.project_root()
    files = [folder / "README.md", folder / "site" / "guide.md", folder / "site" / "home.md"]
    files += folder.glob("mimlpaper/study/*.py")
    texts = [path.read_text() for path in files]
    for path in paths.notebooks().glob("*.ipynb"):
        texts += [cell.source for cell in nbformat.read(path, as_version=4).cells]
    prose = " ".join(re.sub(r"\n#? ?", " ", text) for text in texts)
    unused = [
        row["term"] for row in terms.glossary()
        if row["forms"] and not re.search(rf"(?<![\w-])(?:{row['forms']})(?![\w-])", prose, re.I)
    ]  # fmt: skip
    assert unused == []


def test_a_term_is_linked_once_with_its_meaning_escaped(terms, monkeypatch):
    text = linked(terms, "A bag, for instance, and its bags.")
    assert text.startswith('A <a class="term" href="g#bag" data-meaning="A set of instances ')
    assert text.endswith('">bag</a>, for instance, and its bags.')
    assert ">Kendall’s τ</a>" in linked(terms, "Kendall’s τ = 0.6")
    other = "MimlSvm_mi, a handbag, mini-bag, prototypical"
    assert linked(terms, other) == other
    row = {"term": "x", "forms": "x", "meaning": 'a "b" <c>.'}
    monkeypatch.setattr(terms, "glossary", lambda: [row])
    assert 'data-meaning="a &#34;b&#34; &lt;c&gt;."' in linked(terms, "x")


def test_numbers_of_the_paper_lead_to_the_gallery(terms):
    linker = terms.Linker("g", "f")
    text = linked(terms, "Figs. 4 and 5, Table 1; again Fig. 4", linker)
    assert text == (
        '<a href="f#fig-4">Figs. 4</a> and <a href="f#fig-5">5</a>, '
        '<a href="f#table-1">Table 1</a>; again Fig. 4'
    )
    assert linked(terms, "Table 9 and Fig. 12", linker) == "Table 9 and Fig. 12"


def test_every_public_name_has_its_page_and_a_short_example(api):
    assert api.EXAMPLES.keys() == set(mimlpaper.__all__)
    index = api.index_page()
    assert all(f"| [{name}]({name}.md) | " in index for name in mimlpaper.__all__)
    for name in mimlpaper.__all__:
        code = api.example(name)
        assert f"{name}(" in code.split("import", 2)[-1] or f'{name}["' in code


def test_examples_print(api):
    """A few; all of them run when the site is built."""
    for name in ("Bags", "MimlSvm", "MlKnn"):
        assert api.printed(api.example(name)).strip()


def test_a_planted_fault_is_found_in_a_page(check, tmp_path, capsys):
    for page, fault in (
        ('<div data-mime-type="application/vnd.jupyter.stderr">', "standard error"),
        ("<pre>Traceback (most recent call last)</pre>", "a traceback"),
        ("<pre>/home/someone/mimlpaper</pre>", "a path of a machine"),
        (f"<pre>{paths.project_root()}/data</pre>", "a path of a machine"),
        ('<script async src="https://cdn.example.org/mathjax.js">', "another host"),
        ('<link rel="stylesheet" href="//fonts.example.org/a.css">', "another host"),
        ("<style>@import url(https://fonts.example.org/a.css)</style>", "another host"),
    ):
        (tmp_path / "page.html").write_text(f"<html>{page}</html>")
        assert check.main([tmp_path]) == 1
        assert f"page.html: {fault}" in capsys.readouterr().out
    text = '<a href="https://doi.org/10.1016/j.artint.2011.10.002">paper</a><img src="a.png">'
    (tmp_path / "page.html").write_text(text)
    assert check.main([tmp_path]) == 0
    assert check.main([tmp_path / "nothing"]) == 1
