"""Faults that the check of the built site finds."""

import check
import pytest

from mimlpaper import paths

# The sign at the start of a page, and what is wrong with it.
FAULTS = [
    ('<div data-mime-type="application/vnd.jupyter.stderr">', "standard error"),
    ("<pre>Traceback (most recent call last)</pre>", "a traceback"),
    ("<pre>/home/someone/mimlpaper</pre>", "a path of a machine"),
    (f"<pre>{paths.project_root()}/data</pre>", "a path of a machine"),
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
