"""What is published: notebooks as pages with their pictures, and the lists of both."""

import re

import matplotlib.pyplot as plt
import nbformat
import publish
import pytest
import yaml

from mimlpaper import paths
from mimlstudy import folders
from mimlstudy.engine.records import CURRENT
from mimlstudy.judge.scorecard import scorecard
from mimlstudy.report.bench import folder_of
from mimlstudy.report.companion import SYNTHETIC_NOTE
from mimlstudy.report.figures import save_figure
from mimlstudy.report.first_page import answer
from mimlstudy.report.notebooks import NotebookRun, find_notebook
from mimlstudy.report.sections import photograph
from mimlstudy.report.status import Artefact, artefacts, trial_counts
from tests.made_up_notebooks import edited, write_notebook

ROOT = folders.project_root()


@pytest.fixture
def project(tmp_path, monkeypatch):
    """An empty folder in the project's place."""
    monkeypatch.setattr(folders, "project_root", lambda: tmp_path)
    return tmp_path


IMPORTS = "from IPython.display import HTML, Image, Markdown, display; import sys"
PICTURE = "Image(b'\\x89PNG\\r\\n\\x1a\\n' + bytes(16), metadata={'alt': 'a curve'})"
ARTEFACT = f"display({PICTURE}, metadata={{'artefact': 'figure10'}})"
LINK = "Markdown('[there](7_other.ipynb#a)')"
TABLE = '<style>td {}</style><table id="a">\n <tr><td class="b">1</td></tr></table>'


@pytest.fixture
def without_lists(monkeypatch):
    monkeypatch.setattr(publish, "write_lists", lambda card: [])
    monkeypatch.setattr(
        publish,
        "recorded_scorecard",
        lambda profile: {},
    )


@pytest.mark.usefixtures("without_lists")
def test_notebooks_are_pages_with_the_pictures_of_the_folder_above(project):
    """Other pictures become files; looks of tables, hidden cells and progress bars are left out."""
    folder = project / "notebooks"
    folder.mkdir()
    paths.write_whole(folders.figures() / "figure10.png", b"")
    progress = f"{IMPORTS}; print('bar', file=sys.stderr)"
    sources = [progress, ARTEFACT, PICTURE, PICTURE, LINK, f"HTML({TABLE!r})", "'hidden'"]
    write_notebook(folder, "6_any", *sources)
    with edited(folder / "6_any.ipynb") as notebook:
        notebook.cells[-1].metadata["tags"] = ["remove-cell"]
    publish.publish(["6_any"])
    pages = folders.figures() / "pages"
    page = (pages / "6_any.md").read_text()
    assert "![a curve](../figure10.png)" in page
    for name in ("6_any_1.png", "6_any_2.png"):
        assert f"![a curve]({name})" in page
        assert (pages / name).stat().st_size == 24
    assert "[there](7_other.md#a)" in page
    assert "<table><tr><td>1</td></tr></table>" in page
    assert "hidden" not in page
    assert "\n    bar" not in page


def published_pages():
    return sorted((folders.figures() / "pages").glob("*.md"))


@pytest.mark.usefixtures("without_lists")
def test_a_notebook_that_fails_is_not_published(project, monkeypatch):
    failed = NotebookRun("7_bad", "error", 1.0, message="1 / 0")
    monkeypatch.setattr(
        publish,
        "run_notebooks",
        lambda names, **how: [failed],
    )
    with pytest.raises(RuntimeError, match="7_bad: error"):
        publish.publish(["7_bad"])


@pytest.mark.usefixtures("without_lists")
def test_a_notebook_without_its_data_is_not_published(project, monkeypatch):
    cell = nbformat.v4.new_markdown_cell(
        f"> **{SYNTHETIC_NOTE}** Numbers are not about *scene*."
    )
    output = folders.build("paper", "6_any.ipynb")
    output.parent.mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), output)
    run = NotebookRun("6_any", "done", 1.0, output)
    monkeypatch.setattr(publish, "run_notebooks", lambda names, **how: [run])
    with pytest.raises(
        RuntimeError, match="6_any: its data are not here; set MIMLPAPER_DATA"
    ):
        publish.publish(["6_any"])


@pytest.mark.parametrize("page", published_pages(), ids=lambda page: page.stem)
def test_no_published_page_shows_synthetic_data_in_place_of_others(page):
    assert SYNTHETIC_NOTE not in page.read_text()


@pytest.mark.usefixtures("without_lists")
def test_trials_on_drawn_data_are_forgotten_and_what_readers_ran_stays(project, monkeypatch):
    monkeypatch.setattr(
        publish,
        "run_notebooks",
        lambda names, **how: [],
    )
    forgotten = [
        folders.smoke_results() / "table1.csv",
        folder_of(publish.EXAMPLE, "smoke") / "table1.csv",
    ]
    kept = [
        folders.build("smoke", "6_any.ipynb"),
        folder_of("mine:Method", "paper") / "table1.csv",
    ]
    for file in (*forgotten, *kept):
        paths.write_whole(file, "")
    publish.publish(["6_any"])
    assert [file.exists() for file in forgotten] == [False, False]
    assert [file.exists() for file in kept] == [True, True]


@pytest.mark.parametrize("page", published_pages(), ids=lambda page: page.stem)
def test_each_picture_of_a_published_page_has_words_and_a_file_of_its_own(page):
    text = page.read_text()
    pictures = re.findall(r"!\[(.*)\]\((.*)\)", text)
    files = {file for _, file in pictures}
    assert len(files) == text.count("![")
    for words, _ in pictures:
        assert words


def test_the_published_lists_are_those_of_today():
    gallery = folders.figures() / "README.md"
    assert gallery.read_text() == publish.readme_of_figures()
    manifest = ROOT / "codecheck.yml"
    assert manifest.read_text() == publish.codecheck_manifest()


@pytest.fixture(scope="module")
def counts():
    return trial_counts("paper")


@pytest.mark.parametrize("artefact", artefacts(), ids=lambda artefact: artefact.file)
def test_every_file_of_an_artefact_is_published(artefact, counts):
    for name in artefact.experiments:
        if counts[name]["missing"]:
            pytest.skip(f"{name} is not recorded yet")
    for name in artefact.files:
        assert (folders.figures() / name).is_file()


def test_the_example_whose_bench_is_forgotten_is_the_one_of_the_notebook():
    notebook = nbformat.read(find_notebook("own_method"), as_version=4)
    assert any(f'"{publish.EXAMPLE}"' in cell.source for cell in notebook.cells)


SHORT_README = "# A\n<!-- photograph -->\n<!-- end -->\n<!-- answer -->\n<!-- end -->\n\nB\n"


def test_lists_are_written_in_their_places(project, monkeypatch):
    """Also a second time."""
    monkeypatch.setattr(photograph, "in_words", lambda: "As said.")
    readme = project / "README.md"
    readme.write_text(SHORT_README)
    card = scorecard({})
    for _ in range(2):
        names = [path.name for path in publish.write_lists(card)]
        assert names == ["README.md", "README.md", "codecheck.yml"]
    before, after = SHORT_README.split("<!-- answer -->\n")
    with_photograph = before.replace("<!-- end", "As said.\n<!-- end")
    assert readme.read_text() == f"{with_photograph}<!-- answer -->\n{answer(card)}\n{after}"
    gallery = project / "figures" / "README.md"
    assert gallery.read_text() == publish.readme_of_figures()


@pytest.mark.parametrize(
    "text",
    ["A\n", "<!-- answer -->\n", f"{SHORT_README}{SHORT_README}"],
    ids=["no", "open", "two"],
)
def test_words_need_one_place_on_their_page(tmp_path, text):
    page = tmp_path / "README.md"
    page.write_text(text)
    with pytest.raises(
        ValueError, match="must have <!-- answer --> once, and <!-- end --> after"
    ):
        publish.write_between_marks(page, "answer", "Yes.")
    assert page.read_text() == text


CURVE = Artefact(
    "Fig. 99",
    "figure99",
    "9_cost",
    ("table1", "alternatives"),
    "figure",
)
COSTS = Artefact("Costs", "costs", "9_cost")


@pytest.fixture
def two_artefacts(project, monkeypatch):
    """A picture, which carries its caption, and a table."""
    monkeypatch.setattr(publish, "artefacts", lambda: (CURVE, COSTS))
    figure = plt.figure()
    save_figure(
        figure,
        folders.figures(),
        "figure99",
        {"Description": "A curve."},
    )
    plt.close(figure)
    for name in COSTS.files:
        (folders.figures() / name).write_text("costs\n")


def test_an_artefact_that_was_never_made_is_not_listed(project, monkeypatch):
    monkeypatch.setattr(publish, "artefacts", lambda: (CURVE, COSTS))
    for text in (publish.readme_of_figures(), publish.codecheck_manifest()):
        assert "figure99" not in text
        assert "costs" not in text


@pytest.mark.usefixtures("two_artefacts")
def test_the_gallery_shows_pictures_with_their_captions_and_lists_tables():
    text = publish.readme_of_figures()
    assert "## Fig. 99\n\n![A curve.](figure99.png)\n\nA curve.\n" in text
    assert "## Costs" not in text
    notebook = "[9_cost](../notebooks/9_cost.ipynb)"
    picture, table, *_ = text[text.index("| Fig. 99") :].splitlines()
    files = "[figure99.png](figure99.png) [figure99.svg](figure99.svg)"
    assert picture == f"| Fig. 99 | {files} | {notebook} | `table1`, `alternatives` |"
    files = "[costs.csv](costs.csv) [costs.md](costs.md)"
    assert table == f"| Costs | {files} | {notebook} |  |"


@pytest.mark.usefixtures("two_artefacts")
def test_the_manifest_lists_a_file_of_each_artefact():
    manifest = yaml.safe_load(publish.codecheck_manifest())["manifest"]
    files = [entry["file"] for entry in manifest]
    assert files == ["figures/figure99.png", "figures/costs.csv"]


def test_every_published_file_is_what_was_published():
    """An edited page or picture, and one whose records have changed, are published again."""
    waiting = []
    for name, n_trials in trial_counts("paper").items():
        if n_trials.get(CURRENT) != sum(n_trials.values()):
            waiting.append(name)
    assert publish.differences_since_publication(waiting) == []


RECORDS = "split,coverage,code,seal\n0,1.5,abc,0123\n"


@pytest.fixture
def published(two_artefacts, project):
    """The picture and the table with their list; the picture shows records."""
    paths.write_whole(folders.results() / "table1.csv", RECORDS)
    publish.write_made_of()
    assert publish.differences_since_publication() == []
    return project


@pytest.mark.usefixtures("published")
def test_an_edited_a_new_and_a_lost_file_are_named():
    (folders.figures() / "costs.md").write_text("other costs\n")
    (folders.figures() / "new.md").write_text("new\n")
    (folders.figures() / "figure99.svg").unlink()
    assert publish.differences_since_publication() == [
        "costs.md was edited",
        "figure99.svg is missing",
        "new.md was never published",
    ]


@pytest.mark.usefixtures("published")
def test_files_whose_records_have_changed_are_named_until_their_notebook_is_published():
    """Verification changes no number that a notebook shows."""
    records = folders.results() / "table1.csv"
    records.write_text(RECORDS.replace("abc,0123", "def,4567"))
    assert publish.differences_since_publication() == []
    records.write_text(RECORDS.replace("1.5", "1.6"))
    lines = [f"figure99.{ending} was made of other records" for ending in ("png", "svg")]
    assert publish.differences_since_publication() == lines
    assert publish.differences_since_publication(waiting=["table1"]) == []
    publish.write_made_of(["8_beyond"])
    assert publish.differences_since_publication() == lines
    publish.write_made_of(["9_cost"])
    assert publish.differences_since_publication() == []
