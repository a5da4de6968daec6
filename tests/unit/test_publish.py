"""What git keeps of the recorded trials: pages of notebooks, and the lists of artefacts."""

import importlib

import pytest
import yaml

from mimlpaper import paths
from mimlpaper.study import scorecard
from tests.made_up_notebooks import edited, write_notebook

PICTURE = scorecard.Artefact("Fig. 99", "figure99", "9_cost", ("table1", "readings"), "A curve.")
TABLE = scorecard.Artefact("Costs", "costs", "9_cost")
README = "# A\n<!-- answer -->\n<!-- end -->\n\nB\n"


@pytest.fixture
def publish(monkeypatch):
    monkeypatch.syspath_prepend(paths.project_root() / "site")
    return importlib.import_module("publish")


def test_notebooks_are_pages_with_the_pictures_of_the_folder_above(publish, tmp_path, monkeypatch):
    """Other pictures become files; looks of tables, hidden cells and progress bars are left out."""
    monkeypatch.setattr(paths, "project_root", lambda: tmp_path)
    monkeypatch.setattr(publish, "write_lists", lambda card: [])
    (folder := tmp_path / "notebooks").mkdir()
    artefact = next(artefact for artefact in publish.ARTEFACTS if artefact.file == "figure10")
    show = "from IPython.display import HTML, Image, display; import sys"
    picture = "Image(b'\\x89PNG\\r\\n\\x1a\\n' + bytes(16), metadata={{'alt': {!r}}})".format
    table = '<style>td {}</style><table id="a">\n <tr><td class="b">1</td></tr></table>'
    cells = [f"{show}; print('bar', file=sys.stderr)", f"HTML({table!r})", "'hidden'"]
    cells[1:1] = [picture(f"{artefact.title}. {artefact.shows}"), picture("own")]
    write_notebook(folder, "6_any", *cells)
    with edited(folder / "6_any.ipynb") as notebook:
        notebook.cells[-1].metadata["tags"] = ["remove-cell"]
    publish.publish(["6_any"])
    pages = paths.figures() / "pages"
    page = (pages / "6_any.md").read_text()
    assert f"![{artefact.title}. {artefact.shows}](../figure10.png)" in page
    assert "![own](6_any_1.png)" in page and (pages / "6_any_1.png").stat().st_size == 24
    assert "<table><tr><td>1</td></tr></table>" in page
    assert "hidden" not in page and "\n    bar" not in page
    write_notebook(folder, "7_bad", "1 / 0")
    with pytest.raises(RuntimeError, match="7_bad: error"):
        publish.publish(["7_bad"])


def test_lists_are_written_in_their_places(publish, tmp_path, monkeypatch):
    assert (paths.figures() / "README.md").read_text() == publish.gallery()
    assert (paths.project_root() / "codecheck.yml").read_text() == publish.codecheck_manifest()
    monkeypatch.setattr(paths, "project_root", lambda: tmp_path)
    (tmp_path / "README.md").write_text(README)
    card = scorecard.scorecard({})
    for _ in range(2):
        names = [path.name for path in publish.write_lists(card)]
        assert names == ["README.md", "README.md", "codecheck.yml"]
    written = (tmp_path / "README.md").read_text()
    assert written == README.replace("<!-- end", f"{scorecard.answer(card)}\n<!-- end")
    assert (tmp_path / "figures" / "README.md").read_text() == publish.gallery()


def test_gallery_and_manifest_of_a_picture_and_a_table(publish, monkeypatch):
    monkeypatch.setattr(publish, "ARTEFACTS", (PICTURE, TABLE))
    text = publish.gallery()
    picture, table, *_ = text[text.index("| Fig. 99") :].splitlines()
    files = "[figure99.png](figure99.png) [figure99.svg](figure99.svg)"
    notebook = "[9_cost](../notebooks/9_cost.ipynb)"
    assert picture == f"| Fig. 99 | {files} | {notebook} | `table1`, `readings` |"
    assert table == f"| Costs | [costs.csv](costs.csv) [costs.md](costs.md) | {notebook} |  |"
    assert "## Fig. 99\n\n![A curve.](figure99.png)" in text and "## Costs" not in text
    files = [one["file"] for one in yaml.safe_load(publish.codecheck_manifest())["manifest"]]
    assert files == ["figures/figure99.png", "figures/costs.csv"]


def test_codecheck_manifest_keeps_the_rules_of_the_specification(publish):
    config = yaml.safe_load(publish.codecheck_manifest())
    assert config["version"] == "https://codecheck.org.uk/spec/config/1.0/"
    assert config["paper"]["title"] and all(one["name"] for one in config["paper"]["authors"])
    assert config["paper"]["reference"].startswith("https://doi.org/")
    for item in config["manifest"]:
        assert (paths.project_root() / item["file"]).is_file() and item["comment"]
