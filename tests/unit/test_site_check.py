"""Faults that the check of the built site finds."""

import check
import nbformat
import pytest

from mimlstudy import folders
from mimlstudy.report.companion import SYNTHETIC_NOTE

# The sign at the start of a page, and what is wrong with it.
FAULTS = [
    ('<div data-mime-type="application/vnd.jupyter.stderr">', "standard error"),
    ("<pre>Traceback (most recent call last)</pre>", "a traceback"),
    ("<pre>/home/someone/mimlpaper</pre>", "a path of a machine"),
    (f"<pre>{folders.project_root()}/data</pre>", "a path of a machine"),
    ('<script async src="https://cdn.example.org/mathjax.js">', "another host"),
    ('<link rel="stylesheet" href="//fonts.example.org/a.css">', "another host"),
    ("<style>@import url(https://fonts.example.org/a.css)</style>", "another host"),
    ('<a href="#The-end">end</a><h2 id="the-end">', "a link to no place"),
]


@pytest.mark.parametrize(("html", "fault"), FAULTS)
def test_a_planted_fault_is_found_in_a_page(tmp_path, capsys, html, fault):
    (tmp_path / "page.html").write_text(f"<html>{html}</html>")
    assert check.main([str(tmp_path)]) == 1
    assert f"page.html: {fault}" in capsys.readouterr().out


def test_a_page_that_links_to_the_paper_is_right(tmp_path):
    html = '<a href="https://doi.org/10.1016/j">paper</a><img src="a.png">'
    (tmp_path / "page.html").write_text(html)
    assert check.main([str(tmp_path)]) == 0


def test_a_site_without_pages_is_a_fault(tmp_path):
    assert check.main([str(tmp_path / "nothing")]) == 1


TABLE = "algorithm,mean\nMimlSvm,0.5\n"


@pytest.fixture
def published(tmp_path):
    """A folder with a published table."""
    folder = tmp_path / "figures"
    folder.mkdir()
    (folder / "table1.csv").write_text(TABLE)
    return folder


@pytest.fixture
def made_again(tmp_path):
    """The folder of what notebooks make now."""
    folder = tmp_path / "again"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("name", ["table1.md", "table1.tex"])
def test_a_table_to_read_that_differs_by_a_digit_is_named(published, made_again, name):
    (made_again / "table1.csv").write_text(TABLE)
    (published / name).write_text("MimlSvm .500")
    (made_again / name).write_text("MimlSvm .500")
    assert check.differing_tables(published, made_again) == []
    (made_again / name).write_text("MimlSvm .501")
    (fault,) = check.differing_tables(published, made_again)
    assert f"{name}: line 1 is 'MimlSvm .500', and the notebook gives 'MimlSvm .501'" in fault


@pytest.fixture
def pages(tmp_path):
    """The faults of a published page, beside that of a notebook that shows a sentence."""
    published = tmp_path / "pages"
    published.mkdir()
    (published / "6_any.md").write_text("All 24 values agree.\n")

    def faults(sentence):
        cell = nbformat.v4.new_markdown_cell(sentence)
        nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "6_any.ipynb")
        return check.differing_pages(
            published,
            tmp_path,
            tmp_path / "again",
        )

    return faults


def test_a_published_page_is_that_of_the_executed_notebook(pages):
    assert pages("All 24 values agree.") == []


def test_a_published_page_with_another_number_is_named(pages):
    (fault,) = pages("All 25 values agree.")
    assert "line 1 is 'All 24 values agree.', and the notebook gives 'All 25" in fault


def test_of_a_page_whose_outputs_differ_what_is_typed_is_compared(tmp_path):
    page = tmp_path / f"{check.OUTPUTS_DIFFER}.md"
    page.write_text("The largest values are 3 and 4:\n\n    seconds: 1.2\n")

    def faults(sentence):
        timed = nbformat.v4.new_output("stream", text="seconds: 3.4")
        cells = [
            nbformat.v4.new_markdown_cell(sentence),
            nbformat.v4.new_code_cell("measure()", outputs=[timed]),
        ]
        notebook = nbformat.v4.new_notebook(cells=cells)
        nbformat.write(notebook, tmp_path / f"{page.stem}.ipynb")
        return check.differing_pages(tmp_path, tmp_path, tmp_path / "again")

    assert faults("The largest values are 3 and 4:") == []
    (fault,) = faults("The largest values are 3 and 5:")
    assert "it has no line 'The largest values are 3 and 5:'" in fault


@pytest.mark.parametrize(
    "told",
    [
        nbformat.v4.new_output("stream", name="stderr", text="compiling loops"),
        nbformat.v4.new_output("display_data", {"text/html": ""}),
    ],
    ids=["standard error", "a notice that is over"],
)
def test_what_is_not_shown_changes_no_page(tmp_path, told):
    def text(outputs):
        cell = nbformat.v4.new_code_cell("fit()", outputs=outputs)
        path = tmp_path / "6_any.md"
        check.write_markdown_page(nbformat.v4.new_notebook(cells=[cell]), path)
        return path.read_text()

    shown = nbformat.v4.new_output("stream", name="stdout", text="3")
    assert text([told, shown]) == text([shown])


def test_what_shows_synthetic_data_in_place_of_files_is_not_compared(
    pages, published, made_again, tmp_path, capsys, monkeypatch
):
    assert pages(f"> **{SYNTHETIC_NOTE}** All 25 values agree.") == []
    (made_again / "table1.csv").write_text(TABLE.replace("0.5", "0.7"))
    (made_again / "table1.md").write_text(f"Scenes. {SYNTHETIC_NOTE}")
    assert check.differing_tables(published, made_again) == []
    (tmp_path / "page.html").write_text("<html></html>")
    monkeypatch.setattr(check, "differing_tables", lambda *folders: [])
    monkeypatch.setattr(check, "differing_pages", lambda *folders: [])
    assert check.main([str(tmp_path), "--published", str(tmp_path)]) == 0
    assert "since data files are not here: 6_any; `mimlpaper data" in capsys.readouterr().out


def test_a_page_of_an_earlier_check_is_not_compared(pages, tmp_path):
    assert pages("All 24 values agree.") == []
    notebook = tmp_path / "6_any.ipynb"
    notebook.unlink()
    (fault,) = check.differing_pages(
        tmp_path / "pages",
        tmp_path,
        tmp_path / "again",
    )
    assert fault.endswith("6_any.md: no notebook made it again")


def test_a_published_page_without_an_executed_notebook_is_named(tmp_path):
    (tmp_path / "6_any.md").write_text("All 24 values agree.")
    (fault,) = check.differing_pages(
        tmp_path,
        tmp_path / "executed",
        tmp_path / "again",
    )
    assert fault.endswith("6_any.md: no notebook made it again")


@pytest.mark.parametrize("text", [TABLE, "algorithm,mean\nMimlSvm,0.50000000001\n"])
def test_a_table_is_the_same_if_its_numbers_are_nearly_the_same(published, made_again, text):
    (made_again / "table1.csv").write_text(text)
    assert check.differing_tables(published, made_again) == []


@pytest.mark.parametrize(
    "text",
    [
        "algorithm,mean\nMimlSvm,0.51\n",
        "algorithm,mean\nMimlNn,0.5\n",
        "mean\n0.5\n",
    ],
)
def test_a_published_table_with_other_values_is_named(published, made_again, text):
    (made_again / "table1.csv").write_text(text)
    (fault,) = check.differing_tables(published, made_again)
    assert "table1.csv: other values" in fault
    assert "python site/publish.py" in fault


def test_a_published_table_that_no_notebook_makes_is_named(published, made_again):
    (fault,) = check.differing_tables(published, made_again)
    assert fault.endswith("table1.csv: no notebook made it again")
