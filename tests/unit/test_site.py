"""The site's pages as text, and what git keeps of the recorded trials; see tests/browser/."""

import base64
import copy
import json
import re
import shutil
import subprocess
import sys
from importlib import import_module

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pandas as pd
import pytest
import yaml
from markupsafe import Markup
from PIL import Image
from sklearn.pipeline import make_pipeline

import mimlpaper
from mimlpaper import paths
from mimlpaper.algorithms.dmimlsvm import DMimlSvm
from mimlpaper.algorithms.noisy_or import NoisyOr
from mimlpaper.datasets import ImageBags, make_scenes
from mimlpaper.explanations import explain
from mimlpaper.metrics import CRITERIA
from mimlstudy import folders
from mimlstudy.judge import scorecard
from mimlstudy.report import play
from mimlstudy.report.figures import save_figure
from mimlstudy.report.first_page import answer
from mimlstudy.report.status import ARTEFACTS, Artefact
from tests.made_up_notebooks import edited, write_notebook
from tests.made_up_records import as_in_the_paper

ROOT = paths.project_root()
sys.path.append(str(ROOT / "site"))

executed = import_module("executed")
pages = import_module("pages")
parts = import_module("parts")
cells = import_module("cells")
gallery = import_module("gallery")
sortable = import_module("sortable")
terms = import_module("terms")
api = import_module("api")
check = import_module("check")
explore = import_module("explore")
publish = import_module("publish")

CAPTION = "Curves & bands."
NOTEBOOKS = {path.stem: nbformat.read(path, 4) for path in folders.notebooks().glob("*.ipynb")}
NODE = shutil.which("node")
SCRIPT = """
import { readFileSync } from "node:fs";
import { features, scores } from "./play.mjs";
const { network, images } = JSON.parse(readFileSync("given.json"));
const scored = ([height, width, pixels]) =>
  scores(network, features(Buffer.from(pixels, "base64"), width, height));
process.stdout.write(JSON.stringify(images.map(scored)));
"""


def page_of(about, figures, source="draw()", tags=()):
    """The page of a notebook with one executed cell, which shows a picture; its artefacts."""
    picture = nbformat.v4.new_output("display_data", {"image/png": "B64"}, metadata=about)
    cell = nbformat.v4.new_code_cell(source, outputs=[picture], metadata={"tags": [*tags]})
    notebook = nbformat.v4.new_notebook(cells=[cell], metadata={"widgets": {}})
    return notebook, executed.page_of(notebook, "6_insdif", figures)


FIGURE_10 = {
    "artefact": "figure10",
    "caption": CAPTION,
    "image/png": {"alt": f"Fig. 10. {CAPTION}"},
}


def test_a_figure_has_its_text_its_caption_and_its_svg(tmp_path):
    """Its name and caption are those that its output says."""
    (tmp_path / "figure10.svg").write_text("<svg/>")
    notebook, shown = page_of(FIGURE_10, tmp_path)
    cell, caption = notebook.cells
    assert shown == ["figure10"]
    assert "widgets" not in notebook.metadata
    assert cell.metadata["mystnb"] == {"image": {"alt": f"Fig. 10. {CAPTION}"}}
    assert cell.outputs[0].data == {"image/svg+xml": "<svg/>"}
    title = '<a href="../gallery.html#fig-10">Fig. 10</a>'
    words = "Curves &amp; bands."
    assert caption.source == f'<p class="named" id="figure10">{title}. {words}</p>'


def test_code_is_folded_where_its_tag_says_so(tmp_path):
    """And what papermill put in is left out."""
    for tags in ([], ["hide-input"]):
        cell = page_of(FIGURE_10, tmp_path, "a = 1\ndraw(a)", tags)[0].cells[0]
        assert cell.metadata["tags"] == tags
    cell = page_of(FIGURE_10, tmp_path, tags=["injected-parameters"])[0].cells[0]
    assert "remove-cell" in cell.metadata["tags"]


def test_an_artefact_of_another_notebook_has_its_words_but_no_place(tmp_path):
    about = FIGURE_10 | {"artefact": "figure4"}
    notebook, shown = page_of(about, tmp_path)
    assert shown == []
    assert 'id="figure4"' not in notebook.cells[1].source


def test_a_picture_that_is_no_artefact_has_its_words_below_it(tmp_path):
    _cell, caption = page_of({"image/png": {"alt": "A & B"}}, tmp_path)[0].cells
    assert caption.source == '<p class="named">A &amp; B</p>'


def test_a_table_leads_to_its_file_and_has_no_empty_heads(tmp_path):
    (tmp_path / "table4.csv").write_text("a,b")
    html = '<table><tr><th class="blank">&nbsp;</th><th scope="col">a</th></tr></table>'
    about = {"artefact": "table4"}
    output = nbformat.v4.new_output("display_data", {"text/html": html}, metadata=about)
    cell = nbformat.v4.new_code_cell("paper.table(4)", outputs=[output])
    notebook = nbformat.v4.new_notebook(cells=[cell])
    assert executed.page_of(notebook, "6_insdif", tmp_path) == ["table4"]
    table, caption = notebook.cells
    assert '<td class="blank"></td><th scope="col">a</th>' in table.outputs[0].data["text/html"]
    assert '(<a href="../csv/table4.csv">CSV</a>)' in caption.source


def test_a_number_of_a_table_leads_to_its_runs(tmp_path):
    html = '<td><span data-address="table1/MlSvm/coverage/scene"><b>.5±.1</b></span></td>'
    output = nbformat.v4.new_output("display_data", {"text/html": html})
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("t", outputs=[output])])
    executed.page_of(notebook, "4_degeneration", tmp_path)
    shown = notebook.cells[0].outputs[0].data["text/html"]
    address = "../cell.html#table1/MlSvm/coverage/scene"
    assert shown == f'<td><a class="number" href="{address}"><b>.5±.1</b></a></td>'


def test_the_page_of_numbers_has_every_cell_and_its_origin_once():
    records = {"table1": as_in_the_paper(1, seconds=1.0)}
    page = cells.cells_page(records.get)
    cells_of_table_1 = re.findall(r'<template id="table1/[^"]*" data-origin="([^"]*)"', page)
    assert len(cells_of_table_1) == 8 * 7
    assert len(set(cells_of_table_1)) == 8
    for name in set(cells_of_table_1):
        assert page.count(f'<template id="{name}"') == 1


def test_an_estimator_is_shown_as_text(tmp_path):
    data = {"text/html": '<div id="sk-container-id-1">', "text/plain": "MimlNn()"}
    output = nbformat.v4.new_output("execute_result", data)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("m", outputs=[output])])
    executed.page_of(notebook, "6_insdif", tmp_path)
    assert notebook.cells[0].outputs[0].data == {"text/plain": "MimlNn()"}


def test_cells_are_escaped_and_tinted_and_have_numbers_to_sort_by():
    worse = {"a": "<b>&", "b": (".5±.1", 0.5), "c": "differs (ours worse)"}
    nothing = {"a": "", "b": ("–", None), "c": "two"}
    text = sortable.sortable_table("Some", [worse, nothing], {"a"}, file="csv/some.csv")
    assert '<th scope="col" data-filter>a</th><th scope="col">b</th>' in text
    assert '<td>&lt;b&gt;&amp;</td><td data-value="0.5">.5±.1</td><td style="background:#' in text
    assert '<td data-value="">–</td><td>two</td>' in text
    assert '<a href="csv/some.csv" download>' in text


def test_details_stand_folded_below_their_row():
    details = [Markup("<b>more</b>"), ""]
    text = sortable.sortable_table("Some", [{"a": "1"}, {"a": "2"}], set(), details=details)
    first, second = text.split("<tbody>")[1:]
    assert '<tr class="folded" hidden><td colspan="1"><b>more</b></td></tr>' in first
    assert "folded" not in second


README = """<!-- problem -->
What is it?
<!-- end -->
![Orders](figures/orders.png) of [all](figures/README.md)
<!-- answer -->
**Partly.**

It holds ([here](figures/pages/0_scorecard.md)), not there ([9_cost](notebooks/9_cost.ipynb)).
<!-- end -->
| all | `0_scorecard` | `9_cost` |
"""


def test_home_and_readme_link_the_notebooks_that_there_are(tmp_path):
    (tmp_path / "photograph.svg").write_text("<svg/>")
    text = pages.home_page(README, ["0_scorecard"], tmp_path)
    assert "**Does the paper hold?** **Partly.** [" in text
    assert "\n\nIt holds ([here](notebooks/0_scorecard.ipynb)), not there (9_cost).\n\n" in text
    assert (
        "**What is the problem?** What is it? *Multi" in text
        and "](figures/photograph.svg)" in text
    )
    assert ":caption: Notebooks\nnotebooks/0_scorecard\n```" in text
    assert "notebooks/9_cost" not in text and "| all |" not in text
    (tmp_path / "orders.svg").write_text(" " * (parts.HEAVY + 1))  # too heavy for a page
    text = pages.readme_page(README, ["0_scorecard"], tmp_path)
    assert "| [0_scorecard](notebooks/0_scorecard.ipynb) | `9_cost` |" in text
    assert "![Orders](figures/orders.png) of [all](gallery.md)" in text
    with pytest.raises(ValueError, match=r"README\.md must have <!-- answer -->"):
        pages.home_page(README.replace("answer", "other"), [], tmp_path)


def test_a_heavy_picture_is_shown_as_a_lighter_photograph(tmp_path, rng):
    noise = rng.integers(0, 256, (400, 600, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "photograph.png")
    Image.new("RGB", (600, 400)).save(tmp_path / "curve.png")
    parts.add_photographs(tmp_path)
    assert parts.lightest(tmp_path, "photograph") == "photograph.jpg"
    assert parts.lightest(tmp_path, "curve") == "curve.png"
    heavy, light = tmp_path / "photograph.png", tmp_path / "photograph.jpg"
    assert light.stat().st_size < heavy.stat().st_size / 2


def staged(method, n_stages):
    """Records whose criteria are all stage / 10, + split; the last split stops a stage early."""
    stages = [(split, stage) for split in (0, 1) for stage in range(1, n_stages + 1)]
    table = pd.DataFrame(stages[:-1], columns=["split", "stage"])
    value = table["stage"] / 10 + table["split"]
    return table.assign(
        dataset="scene", method=method, override="{}", **dict.fromkeys(CRITERIA, value)
    )


def test_sliders_have_means_and_spreads_and_the_papers_setting():
    swept = staged("InsDif", 3).assign(override='{"ratio": 0.2}', stage=0)[::3]
    tables = {"figure6": staged("MimlBoost", 3), "figure8": swept}
    given = explore.sweeps(lambda name: tables.get(name, pd.DataFrame()))
    boosted, medoids = given["shown"]
    (curve,) = boosted["curves"]
    assert curve["name"] == "MimlBoost" and curve["paper"] == 50 and curve["x"] == [1, 2, 3]
    assert len(curve["mean"]) == len(given["criteria"]) == 7
    assert curve["mean"][0] == [0.6, 0.7, 0.75]  # the split that stopped keeps its .2 + 1
    assert curve["std"][0][:2] == [0.7071, 0.7071]
    assert medoids["curves"][0]["x"] == [20] and medoids["curves"][0]["paper"] == 20
    page = explore.fragment(given | {"criteria": ["</script>"]})
    assert page.count("</script>") == 1 and "http" not in page.replace("http://www.w3.org", "")


def test_the_story_of_the_early_stop_is_told_from_records():
    ours, steps = as_in_the_paper(1), staged("RankSvm", 4).assign(state="current")
    converged = ours[ours["method"] == "RankSvm"].assign(method="RankSvm, converged")
    tables = {"table1": pd.concat([ours, converged]), "ranksvm_steps": steps}
    (told,) = explore.early_stop(tables.__getitem__)["shown"]
    assert told["orders"].keys() == {"printed", "converged", "1", "2", "3", "4"}
    assert all(len(order) == 8 for order in told["orders"].values())
    assert told["levels"][0]["values"][0] == 0.21  # hamming loss in print
    assert not any("{" in chapter["words"] for chapter in told["chapters"])
    tables["ranksvm_steps"] = steps[:0]
    assert "Its records are missing." in pages.story_page(tables.__getitem__)


def test_gallery_is_in_the_papers_order_and_leads_to_cells(tmp_path):
    row = {"state": "missing", "trials": "", "mend": "mimlpaper run it"}
    status = {artefact.title: row for artefact in ARTEFACTS}
    save_figure(plt.figure(), tmp_path, "figure10", {"Description": CAPTION})
    plt.close("all")
    text = gallery.gallery_page(status, {"6_insdif": ["figure10"]}, "quick", tmp_path)
    titles = re.findall("^## (.*)", text, re.M)
    assert titles[:10] == [f"Fig. {number}" for number in range(1, 11)]
    assert titles[10:15] == [f"Table {number}" for number in range(1, 6)]
    assert text.count("Not made yet.") == len(ARTEFACTS) - 1
    for part in (
        "- profile: quick\n- state: missing\n- mended by: `mimlpaper run it`",
        '- notebook: <a href="notebooks/6_insdif.html#figure10">6_insdif</a>',
        "- notebook: [6_insdif](notebooks/6_insdif.ipynb)",
        "[![](figures/figure10.svg) Fig. 10](#fig-10)",
        "<summary>Curves &amp; bands.</summary>",
    ):
        assert part in text


def test_every_cell_has_its_row_and_claims_lead_to_what_speaks_of_them():
    card = scorecard.scorecard({})
    text = pages.scorecard_page(card, "paper")
    assert "All 283 cells" in text
    assert text.count("<tbody>") == text.count(">missing</td><td>0 of") == 283
    assert text.count('">–</a></td><td style="background:#') == 283  # ours
    assert text.count('<a href="cell.html#table1/MimlSvm/coverage/scene">') == 2
    headings = {"4_degeneration": ["Section 4", "Table 1: scene", "The claims of Section 4.3"]}
    read = {"effect": 12.34, "in_favour": 0.925}
    claims = [one | {"multiverse": None} for one in card["claims"]]
    claims[0]["multiverse"] = read
    text = pages.claims_page({"claims": claims}, "paper", headings | {"10_multiverse": []})
    places = pd.read_csv(folders.published() / "claim_places.csv")
    assert list(places["id"]) == [one["id"] for one in claims]
    assert text.count(f'<a href="{pages.PAPER}">') == len(places)
    for link in (
        '<a id="S4.1" href="#S4.1">S4.1</a>',
        '<a href="scorecard.html?table=Table 1">cells</a>',
        '<a href="notebooks/4_degeneration.html#table-1-scene">4_degeneration</a>',
        '<a href="gallery.html#table-1">Table 1</a>',
        f'<q>when p is larger than 59</q>, <a href="{pages.PAPER}">Section 5.5</a>',
        f'<dd><a href="notebooks/10_multiverse.html#{pages.READINGS}">The favoured methods lead '
        "by 12.3 % of the rival&#39;s loss. With alternative settings they lead in 92% of",
    ):
        assert link in text
    assert text.count("with alternative settings") == 1
    lines = [line for cell in NOTEBOOKS["10_multiverse"].cells for line in cell.source.splitlines()]
    assert pages.READINGS in [pages.slug(line) for line in lines if line.startswith("## ")]


def test_every_term_has_a_meaning_a_place_and_a_page_that_uses_it():
    rows, page = terms.glossary(), pages.glossary_page()
    places = [terms.slug(row["term"]) for row in rows]
    assert len(set(places)) == len(rows) and all(places)
    assert all(f'<dt id="{place}">' in page for place in places)
    files = [ROOT / "README.md", *ROOT.glob("site/*.md"), *ROOT.glob("mimlstudy/*/*.py")]
    texts = [path.read_text() for path in files]
    texts += [cell.source for notebook in NOTEBOOKS.values() for cell in notebook.cells]
    linker, prose = terms.Linker("g", "f"), " ".join(texts)
    linker.parts(re.sub(r"\n#? ?", " ", prose))
    assert [row["term"] for row in rows if row["forms"] and row["term"] not in linker.linked] == []


def test_terms_and_numbers_of_the_paper_are_linked_once(monkeypatch):
    def linked(text):
        return "".join(terms.Linker("g", "f").parts(text))

    text = linked("A bag, for instance, and its bags.")
    assert text.startswith('A <a class="term" href="g#bag" data-meaning="A set of instances ')
    assert text.endswith('">bag</a>, for instance, and its bags.')
    assert ">Kendall’s τ</a>" in linked("Kendall’s τ = 0.6")
    assert linked("Figs. 4 and 5, Table 1; again Fig. 4") == (
        '<a href="f#fig-4">Figs. 4</a> and <a href="f#fig-5">5</a>, '
        '<a href="f#table-1">Table 1</a>; again Fig. 4'
    )
    for other in ("MimlSvm_mi, a handbag, mini-bag, prototypical", "Table 9 and Fig. 12"):
        assert linked(other) == other
    row = {"term": "x", "forms": "x|table 1", "meaning": 'a "b" <c>.'}
    monkeypatch.setattr(terms, "glossary", lambda: [row])
    assert linked("Table 1").count("<a") == 1
    assert 'data-meaning="a &#34;b&#34; &lt;c&gt;."' in linked("x")


def test_every_public_name_has_its_page_and_an_example_that_prints():
    """A few print; all of them run when the site is built."""
    assert api.EXAMPLES.keys() == set(mimlpaper.__all__)
    index = api.index_page()
    for name in mimlpaper.__all__:
        assert f"| [{name}]({name}.md) | " in index
        code = api.example(name)
        assert f"{name}(" in code.split("import", 2)[-1] or f'{name}["' in code
    for name in ("Bags", "MimlSvm", "MlKnn", "OneLabel"):
        assert api.printed(api.example(name)).strip()


def test_a_planted_fault_is_found_in_a_page(tmp_path, capsys):
    path = tmp_path / "page.html"
    for page, fault in (
        ('<div data-mime-type="application/vnd.jupyter.stderr">', "standard error"),
        ("<pre>Traceback (most recent call last)</pre>", "a traceback"),
        ("<pre>/home/someone/mimlpaper</pre>", "a path of a machine"),
        (f"<pre>{ROOT}/data</pre>", "a path of a machine"),
        ('<script async src="https://cdn.example.org/mathjax.js">', "another host"),
        ('<link rel="stylesheet" href="//fonts.example.org/a.css">', "another host"),
        ("<style>@import url(https://fonts.example.org/a.css)</style>", "another host"),
        ('<a href="#The-end">end</a><h2 id="the-end">', "a link to no place"),
    ):
        path.write_text(f"<html>{page}</html>")
        assert check.main([str(tmp_path)]) == 1
        assert f"page.html: {fault}" in capsys.readouterr().out
    path.write_text('<a href="https://doi.org/10.1016/j">paper</a><img src="a.png">')
    assert check.main([str(tmp_path)]) == 0
    assert check.main([str(tmp_path / "nothing")]) == 1


def test_a_published_table_that_is_not_made_again_the_same_is_named(tmp_path):
    published, again = tmp_path / "figures", tmp_path / "again"
    for folder in (published, again):
        folder.mkdir()
        (folder / "table1.csv").write_text("algorithm,mean\nMimlSvm,0.5\n")
    assert check.differing_tables(published, again) == []
    (again / "table1.csv").write_text("algorithm,mean\nMimlSvm,0.50000000001\n")
    assert check.differing_tables(published, again) == []
    for changed in (
        "algorithm,mean\nMimlSvm,0.51\n",
        "algorithm,mean\nMimlNn,0.5\n",
        "mean\n0.5\n",
    ):
        (again / "table1.csv").write_text(changed)
        (fault,) = check.differing_tables(published, again)
        assert "table1.csv: other values" in fault
        assert "python site/publish.py" in fault
    (again / "table1.csv").unlink()
    (fault,) = check.differing_tables(published, again)
    assert fault.endswith("table1.csv: no notebook made it again")


@pytest.fixture(scope="module", params=[DMimlSvm, NoisyOr])
def model(request):
    return play.trained_on_scenes(request.param(rank=40, random_state=1), n_images=60)


@pytest.mark.skipif(NODE is None, reason="there is no node on the path")
def test_javascript_computes_features_and_scores_as_the_library_does(tmp_path, model, rng):
    drawn = make_scenes(300, random_state=5)[0]
    opaque = np.full((*drawn.shape[:3], 1), 255, np.uint8)
    images = [*np.concatenate([drawn, opaque], axis=-1)]
    images += [rng.integers(0, 256, shape, dtype=np.uint8) for shape in ((8, 9, 4), (61, 300, 4))]
    coded = [[*one.shape[:2], base64.b64encode(one.tobytes()).decode()] for one in images]
    shutil.copy(play.MODULE, tmp_path / "play.mjs")
    (tmp_path / "run.mjs").write_text(SCRIPT)
    given = {"network": play.exported(model), "images": coded}
    (tmp_path / "given.json").write_text(json.dumps(given))
    ran = subprocess.run([NODE, "run.mjs"], cwd=tmp_path, check=True, capture_output=True)
    found, bags = json.loads(ran.stdout), ImageBags().transform(images)
    scores = np.array([one["bag"] for one in found])
    parts = np.concatenate([one["parts"] for one in found])
    assert np.abs(scores - model.decision_function(bags)).max() < 1e-9
    assert np.abs(parts - explain(model, bags)).max() < 1e-9


def test_what_the_page_plays_with(model):
    with pytest.raises(ValueError, match=r"got (NoisyOr|DMimlSvm)"):
        play.exported(make_pipeline(*copy.deepcopy(model[:-1]), type(model[-1])(kernel="linear")))
    scenes = play.drawn_scenes(n_images=20, size=16)
    assert len({scene["name"] for scene in scenes}) == len(scenes) > 4
    assert all(scene["source"].startswith("data:image/png;base64,") for scene in scenes)
    assert play.player([], []) is play.sliders(lambda i: 1 / 0, i=(0, 3)) is None  # nobody looks


PICTURE = Artefact("Fig. 99", "figure99", "9_cost", ("table1", "alternatives"), "figure")
TABLE = Artefact("Costs", "costs", "9_cost")
SHORT = "# A\n<!-- answer -->\n<!-- end -->\n\nB\n"


def test_notebooks_are_pages_with_the_pictures_of_the_folder_above(tmp_path, monkeypatch):
    """Other pictures become files; looks of tables, hidden cells and progress bars are left out."""
    monkeypatch.setattr(paths, "project_root", lambda: tmp_path)
    monkeypatch.setattr(publish, "write_lists", lambda card: [])
    monkeypatch.setattr(publish, "recorded_scorecard", lambda profile: {})
    (folder := tmp_path / "notebooks").mkdir()
    show = "from IPython.display import HTML, Image, display; import sys"
    png = "Image(b'\\x89PNG\\r\\n\\x1a\\n' + bytes(16), metadata={'alt': 'own'})"
    table = '<style>td {}</style><table id="a">\n <tr><td class="b">1</td></tr></table>'
    cells = [f"{show}; print('bar', file=sys.stderr)", f"HTML({table!r})", "'hidden'"]
    named = f"display({png}, metadata={{'artefact': 'figure10'}})"
    link = "from IPython.display import Markdown; Markdown('[there](7_other.ipynb#a)')"
    cells[1:1] = [named, png, png, link]
    paths.write_whole(folders.figures() / "figure10.png", b"")
    write_notebook(folder, "6_any", *cells)
    with edited(folder / "6_any.ipynb") as notebook:
        notebook.cells[-1].metadata["tags"] = ["remove-cell"]
    publish.publish(["6_any"])
    pages = folders.figures() / "pages"
    page = (pages / "6_any.md").read_text()
    assert "![own](../figure10.png)" in page
    assert "[there](7_other.md#a)" in page
    for name in "6_any_1.png", "6_any_2.png":
        assert f"![own]({name})" in page and (pages / name).stat().st_size == 24
    assert "<table><tr><td>1</td></tr></table>" in page
    assert "hidden" not in page and "\n    bar" not in page
    write_notebook(folder, "7_bad", "1 / 0")
    with pytest.raises(RuntimeError, match="7_bad: error"):
        publish.publish(["7_bad"])


def test_lists_are_written_in_their_places(tmp_path, monkeypatch):
    """And each picture of a published page has words, and a file of its own."""
    for page in (folders.figures() / "pages").glob("*.md"):
        texts_of = {file: text for text, file in re.findall(r"!\[(.*)\]\((.*)\)", page.read_text())}
        assert all(texts_of.values()) and len(texts_of) == page.read_text().count("!["), page.name
    assert (folders.figures() / "README.md").read_text() == publish.gallery()
    assert (ROOT / "codecheck.yml").read_text() == publish.codecheck_manifest()
    assert all((folders.figures() / name).is_file() for one in ARTEFACTS for name in one.files)
    monkeypatch.setattr(paths, "project_root", lambda: tmp_path)
    (tmp_path / "README.md").write_text(SHORT)
    card = scorecard.scorecard({})
    for _ in range(2):
        names = [path.name for path in publish.write_lists(card)]
        assert names == ["README.md", "README.md", "codecheck.yml"]
    written = (tmp_path / "README.md").read_text()
    assert written == SHORT.replace("<!-- end", f"{answer(card)}\n<!-- end")
    assert (tmp_path / "figures" / "README.md").read_text() == publish.gallery()


def test_gallery_and_manifest_of_a_picture_and_a_table(tmp_path, monkeypatch):
    """The caption is that which the picture carries; before it is made, its title."""
    monkeypatch.setattr(publish, "ARTEFACTS", (PICTURE, TABLE))
    monkeypatch.setattr(paths, "project_root", lambda: tmp_path)
    assert "![Fig. 99](figure99.png)" in publish.gallery()
    figure = plt.figure()
    save_figure(figure, folders.figures(), "figure99", {"Description": "A curve."})
    plt.close(figure)
    text = publish.gallery()
    picture, table, *_ = text[text.index("| Fig. 99") :].splitlines()
    files = "[figure99.png](figure99.png) [figure99.svg](figure99.svg)"
    notebook = "[9_cost](../notebooks/9_cost.ipynb)"
    assert picture == f"| Fig. 99 | {files} | {notebook} | `table1`, `alternatives` |"
    assert table == f"| Costs | [costs.csv](costs.csv) [costs.md](costs.md) | {notebook} |  |"
    assert "## Fig. 99\n\n![A curve.](figure99.png)\n\nA curve.\n" in text
    assert "## Costs" not in text
    files = [one["file"] for one in yaml.safe_load(publish.codecheck_manifest())["manifest"]]
    assert files == ["figures/figure99.png", "figures/costs.csv"]
