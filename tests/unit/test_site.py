"""The site's pages as text: executed notebooks, lists, terms, API, play; see tests/browser/."""

import copy
import importlib
import json
import math
import re
import shutil
import subprocess

import nbformat
import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import mimlpaper
from mimlpaper import paths
from mimlpaper.algorithms.dmimlsvm import DMimlSvm
from mimlpaper.algorithms.noisy_or import NoisyOr
from mimlpaper.datasets import SCENE_LABELS, ImageBags, make_scenes
from mimlpaper.metrics import CRITERIA
from mimlpaper.reasons import explain
from mimlpaper.study.companion import DRAWN
from mimlpaper.study.published import TABLES, published_claims
from mimlpaper.study.scorecard import ARTEFACTS, scorecard

FIGURE = next(artefact for artefact in ARTEFACTS if artefact.file == "figure10")
TEXT = f"{FIGURE.title}. {FIGURE.shows}"
NODE = shutil.which("node")
SCRIPT = """
import { readFileSync } from "node:fs";
import { features, scores } from "./play.mjs";
const network = JSON.parse(readFileSync("network.json"));
const images = readFileSync("images.bin");
const results = [];
let start = 0;
for (const [height, width] of JSON.parse(readFileSync("shapes.json"))) {
  const pixels = images.subarray(start, (start += 4 * height * width));
  results.push(scores(network, features(pixels, width, height)));
}
process.stdout.write(JSON.stringify(results));
"""


def _module(name):
    """A module of the folder ``site``."""

    @pytest.fixture(scope="session", name=name)
    def module():
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(paths.project_root() / "site")
            yield importlib.import_module(name)

    return module


NAMES = ("executed", "pages", "terms", "api", "check", "play", "explore")
executed, pages, terms, api, check, play, explore = map(_module, NAMES)


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


def test_a_figure_has_its_text_its_number_its_svg_and_folded_code(executed, tmp_path):
    (tmp_path / "figure10.svg").write_text("<svg/>")
    saved = 'paper.save_figure(figure, "figure10")'
    notebook = notebook_of(f"figure = draw()\n{saved}")
    assert executed.page_of(notebook, "6_insdif", tmp_path) == ["figure10"]
    cell, caption = notebook.cells
    assert cell.metadata["mystnb"] == {"image": {"alt": TEXT}}
    assert cell.metadata["tags"] == ["hide-input"]
    assert cell.outputs[0].data == {"image/svg+xml": "<svg/>"}
    name = '<p class="named" id="figure10"><a href="../gallery.html#fig-10">Fig. 10</a></p>'
    assert caption.source == name
    assert "widgets" not in notebook.metadata
    for alt in (f"{DRAWN} {TEXT}", "Something else"):  # a figure of other data
        notebook = notebook_of(saved, alt)
        executed.page_of(notebook, "6_insdif", tmp_path)
        assert notebook.cells[0].outputs[0].data == {"image/png": "B64"}
    other = notebook_of("a = 1\nb = 2")
    executed.page_of(other, "6_insdif", tmp_path)
    assert "tags" not in other.cells[0].metadata


def test_every_artefact_is_named_by_a_cell_of_its_notebook(executed):
    named = set()
    for path in paths.notebooks().glob("*.ipynb"):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                cell.outputs = []
                assert executed.artefacts_in(cell) == []
                cell.outputs = ["shown"]
                named |= {(a.notebook, a.file) for a in executed.artefacts_in(cell)}
    assert {(a.notebook, a.file) for a in ARTEFACTS} <= named
    assert executed.artefacts_in(notebook_of('paper.trials("figure4")').cells[0]) == []


def test_cells_are_escaped_tinted_folded_and_have_numbers_to_sort_by(pages):
    rows = [["<b>&", (".5±.1", 0.5), "differs (ours worse)"], ["", ("–", math.nan), "agrees"]]
    text = pages.sortable_table("Some", {"a": True, "b": False, "c": True}, rows)
    assert '<th scope="col" data-filter>a</th><th scope="col">b</th>' in text
    assert '<td>&lt;b&gt;&amp;</td><td data-value="0.5">.5±.1</td><td style="background:#' in text
    assert '<td data-value="">–</td>' in text
    row = ["two of three hold; " + "x" * 300]
    text = pages.sortable_table("Some", {"detail": False}, [row])
    assert f"<details><summary>two of three hold</summary>{'x' * 300}</details>" in text


README = """# A name

<!-- problem -->
What is it?
<!-- end -->
![Orders](figures/orders.png)
<!-- answer -->
- It holds ([here](figures/pages/0_scorecard.md)), not there ([9_cost](notebooks/9_cost.ipynb)).
<!-- end -->
| all | `0_scorecard` | `9_cost` |
"""


def test_home_and_readme_link_the_notebooks_that_there_are(pages, tmp_path):
    (tmp_path / "orders.svg").write_text("<svg/>")
    text = pages.home_page(README, ["0_scorecard"], tmp_path)
    assert "- It holds ([here](notebooks/0_scorecard.ipynb)), not there (9_cost).\n" in text
    assert "**What is the problem?** What is it?" in text and "](figures/orders.svg)" in text
    assert ":caption: Notebooks\nnotebooks/0_scorecard\n```" in text
    assert "notebooks/9_cost" not in text and "notebooks/3_framework" not in text
    text = pages.readme_page(README, ["0_scorecard"], tmp_path)
    assert "| [0_scorecard](notebooks/0_scorecard.ipynb) | `9_cost` |" in text
    assert "![Orders](figures/orders.svg)" in text
    with pytest.raises(ValueError, match=r"README\.md must have <!-- answer -->"):
        pages.home_page(README.replace("answer", "other"), [], tmp_path)
    pages.home_page((paths.project_root() / "README.md").read_text(), [], tmp_path)


def test_pages_show_light_svg_and_heavy_png(pages, tmp_path):
    (tmp_path / "few.svg").write_text("<svg/>")
    (tmp_path / "many.svg").write_text(" " * (pages.HEAVY + 1))
    files = [pages.lightest(tmp_path, name) for name in ("few", "many", "none")]
    assert files == ["few.svg", "many.png", "none.png"]


def staged(method, n_stages, splits=(0, 1)):
    """Records whose criteria are all stage / 10, + split; the last split stops a stage early."""
    stages = [(split, stage) for split in splits for stage in range(1, n_stages + 1)]
    table = pd.DataFrame(stages[:-1], columns=["split", "stage"])
    value = table["stage"] / 10 + table["split"]
    return table.assign(method=method, parameters="{}", **dict.fromkeys(CRITERIA, value))


def test_sliders_have_means_and_spreads_and_the_papers_setting(explore):
    swept = staged("InsDif", 3).assign(parameters='{"ratio": 0.2}', stage=0)[::2]
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
    assert explore.sweeps(lambda name: pd.DataFrame())["shown"] == []


def test_the_story_of_the_early_stop_is_told_from_records(explore, pages):
    algorithms = [*TABLES[1].algorithms, "RankSvm, converged"]
    level = dict(zip(algorithms, np.linspace(0.2, 0.6, 9), strict=True))
    rows = [
        {"method": name, "split": split, "dataset": "scene", "parameters": "{}", "stage": 0,
         "state": "fresh", "kind": "original", **dict.fromkeys(CRITERIA, value + split / 10)}
        for name, value in level.items() for split in (0, 1)
    ]  # fmt: skip
    steps = staged("RankSvm", 4).assign(state="fresh")
    tables = {"table1": pd.DataFrame(rows), "ranksvm_steps": steps}
    given = explore.early_stop(tables.__getitem__)
    (told,) = given["shown"]
    assert told["orders"].keys() == {"printed", "converged", "1", "2", "3", "4"}
    assert all(len(order) == 8 for order in told["orders"].values())
    assert [chapter["at"] for chapter in told["chapters"]][:3] == ["printed", "converged", "1"]
    assert told["levels"][0]["values"][0] == 0.21  # hamming loss in print
    assert not any("{" in chapter["words"] for chapter in told["chapters"])
    tables["ranksvm_steps"] = steps[:0]
    assert explore.early_stop(tables.__getitem__) is None
    assert "Its records are missing." in pages.story_page(tables.__getitem__)


def test_gallery_is_in_the_papers_order_and_leads_to_cells(pages, tmp_path):
    row = {"state": "missing", "trials": "", "mend": "mimlpaper run it"}
    status = {artefact.title: row for artefact in ARTEFACTS}
    text = pages.gallery_page(status, {"6_insdif": ["figure10"]}, "quick", tmp_path)
    titles = re.findall("^## (.*)", text, re.M)
    assert titles[:10] == [f"Fig. {number}" for number in range(1, 11)]
    assert titles[10:15] == [f"Table {number}" for number in range(1, 6)]
    assert text.count("Not made yet.") == len(ARTEFACTS)
    assert "- profile: quick\n- state: missing\n- mended by: `mimlpaper run it`" in text
    assert '- notebook: <a href="notebooks/6_insdif.html#figure10">6_insdif</a>' in text
    assert "- notebook: [6_insdif](notebooks/6_insdif.ipynb)" in text
    (tmp_path / "figure10.png").touch()
    text = pages.gallery_page(status, {}, "paper", tmp_path)
    assert "[![Fig. 10](figures/figure10.png)](#fig-10)" in text


def test_every_cell_is_in_the_scorecard(pages, empty_card):
    text = pages.scorecard_page(empty_card, "paper")
    assert "All 283 cells" in text
    assert text.count("<tr><td") == text.count(">missing</td><td>0 of") == 283


def test_claims_lead_to_their_cells_paragraphs_sentences_and_readings(pages, empty_card):
    headings = {"4_degeneration": ["Section 4", "Table 1: scene", "The claims of Section 4.3"]}
    read = {"effect": 12.34, "in_favour": 0.925}
    claims = [one | {"multiverse": read if one["id"] == "S4.1" else None}
              for one in empty_card["claims"]]  # fmt: skip
    text = pages.claims_page({"claims": claims}, "paper", headings | {"10_multiverse": []})
    places = pd.read_csv(paths.published() / "claim_places.csv")
    assert list(places["id"]) == list(published_claims()["id"])
    assert text.count(f'<a href="{pages.PAPER}">') == len(places)
    for link in (
        '<a id="S4.1" href="#S4.1">S4.1</a>',
        '<a href="scorecard.html?table=Table 1">cells</a>',
        '<a href="notebooks/4_degeneration.html#table-1-scene">4_degeneration</a>',
        '<a href="gallery.html#table-1">Table 1</a>',
        ">Section 5.5</a>: <q>when p is larger than 59</q>",
        f'<td data-value="0.925"><a href="notebooks/10_multiverse.html#{pages.READINGS}">'
        "lead +12.3 %, in the paper&#39;s direction in 92% of the readings</a></td>",
    ):
        assert link in text
    assert text.count('<td data-value=""></td>') == len(claims) - 1
    notebook = nbformat.read(paths.notebooks() / "10_multiverse.ipynb", as_version=4)
    lines = [line for cell in notebook.cells for line in cell.source.splitlines()]
    assert pages.READINGS in [pages.slug(line) for line in lines if line.startswith("## ")]


def linked(terms, text, linker=None):
    """A text with its links, as HTML."""
    return "".join((linker or terms.Linker("g", "f")).parts(text))


def test_every_term_has_a_meaning_a_place_and_a_page_that_uses_it(terms):
    rows, page = terms.glossary(), terms.glossary_page()
    places = [terms.slug(row["term"]) for row in rows]
    assert len(set(places)) == len(rows) and all(places)
    assert all(row["meaning"].endswith((".", "?")) for row in rows)
    assert all(f'<dt id="{place}">' in page for place in places)
    folder = paths.project_root()
    files = [folder / "README.md", folder / "site" / "guide.md", folder / "site" / "home.md"]
    texts = [path.read_text() for path in (*files, *folder.glob("mimlpaper/study/*.py"))]
    for path in paths.notebooks().glob("*.ipynb"):
        texts += [cell.source for cell in nbformat.read(path, as_version=4).cells]
    prose = " ".join(re.sub(r"\n#? ?", " ", text) for text in texts)
    unused = [
        row["term"] for row in rows
        if row["forms"] and not re.search(rf"(?<![\w-])(?:{row['forms']})(?![\w-])", prose, re.I)
    ]  # fmt: skip
    assert unused == []


def test_terms_and_numbers_of_the_paper_are_linked_once(terms, monkeypatch):
    text = linked(terms, "A bag, for instance, and its bags.")
    assert text.startswith('A <a class="term" href="g#bag" data-meaning="A set of instances ')
    assert text.endswith('">bag</a>, for instance, and its bags.')
    assert ">Kendall’s τ</a>" in linked(terms, "Kendall’s τ = 0.6")
    linker = terms.Linker("g", "f")
    assert linked(terms, "Figs. 4 and 5, Table 1; again Fig. 4", linker) == (
        '<a href="f#fig-4">Figs. 4</a> and <a href="f#fig-5">5</a>, '
        '<a href="f#table-1">Table 1</a>; again Fig. 4'
    )
    for other in ("MimlSvm_mi, a handbag, mini-bag, prototypical", "Table 9 and Fig. 12"):
        assert linked(terms, other) == other
    row = {"term": "x", "forms": "x", "meaning": 'a "b" <c>.'}
    monkeypatch.setattr(terms, "glossary", lambda: [row])
    assert 'data-meaning="a &#34;b&#34; &lt;c&gt;."' in linked(terms, "x")


def test_every_public_name_has_its_page_and_an_example_that_prints(api):
    """A few print; all of them run when the site is built."""
    assert api.EXAMPLES.keys() == set(mimlpaper.__all__)
    index = api.index_page()
    for name in mimlpaper.__all__:
        assert f"| [{name}]({name}.md) | " in index
        code = api.example(name)
        assert f"{name}(" in code.split("import", 2)[-1] or f'{name}["' in code
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


@pytest.fixture(scope="module", params=[DMimlSvm, NoisyOr])
def model(play, request):
    return play.trained_on_scenes(request.param(rank=40, random_state=1), n_images=60)


@pytest.mark.skipif(NODE is None, reason="there is no node on the path")
def test_javascript_computes_features_and_scores_as_the_library_does(tmp_path, play, model, rng):
    drawn = make_scenes(300, random_state=5)[0]
    opaque = np.full((*drawn.shape[:3], 1), 255, np.uint8)
    images = [*np.concatenate([drawn, opaque], axis=-1)]
    images += [rng.integers(0, 256, shape, dtype=np.uint8) for shape in ((8, 9, 4), (61, 300, 4))]
    shutil.copy(play.MODULE, tmp_path / "play.mjs")
    (tmp_path / "run.mjs").write_text(SCRIPT)
    (tmp_path / "network.json").write_text(json.dumps(play.exported(model)))
    (tmp_path / "shapes.json").write_text(json.dumps([image.shape[:2] for image in images]))
    (tmp_path / "images.bin").write_bytes(b"".join(image.tobytes() for image in images))
    ran = subprocess.run([NODE, "run.mjs"], cwd=tmp_path, check=True, capture_output=True)
    found, bags = json.loads(ran.stdout), ImageBags().transform(images)
    scores = np.array([one["bag"] for one in found])
    parts = np.concatenate([one["parts"] for one in found])
    assert np.abs(scores - model.decision_function(bags)).max() < 1e-9
    assert np.abs(parts - explain(model, bags)).max() < 1e-9


def test_what_the_page_plays_with(play, model):
    with pytest.raises(ValueError, match=r"got (NoisyOr|DMimlSvm)"):
        play.exported(make_pipeline(*copy.deepcopy(model[:-1]), type(model[-1])(kernel="linear")))
    scenes = play.drawn_scenes(n_images=20, size=16)
    names = [scene["name"].removeprefix("Drawn as ") for scene in scenes]
    assert len(set(names)) == len(scenes) > 4
    assert {label for name in names for label in name.split(" and ")} <= set(SCENE_LABELS)
    assert all(scene["source"].startswith("data:image/png;base64,") for scene in scenes)
    if play.anywidget is None:
        assert play.player([], []) is play.sliders(lambda i: 1 / 0, i=(0, 3)) is None
