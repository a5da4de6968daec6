"""Terms of the glossary, what links to them, and the pages of the library's public names."""

import re

import api
import nbformat
import pages
import pytest
import terms

import mimlpaper
from mimlpaper import paths
from mimlstudy import folders

ROOT = paths.project_root()


def test_every_term_has_a_meaning_and_a_place():
    rows = terms.glossary()
    page = pages.glossary_page()
    places = {terms.slug(row["term"]) for row in rows}
    assert len(places) == len(rows)
    assert "" not in places
    for place in places:
        assert f'<dt id="{place}">' in page


def test_a_reader_learns_at_most_twelve_terms_that_only_this_companion_has():
    origins = [row["origin"] for row in terms.glossary()]
    assert set(origins) == {*pages.TITLES_OF_TERMS}
    assert origins.count("companion") <= 12


def text_of_all_pages():
    files = [
        ROOT / "README.md",
        *ROOT.glob("site/*.md"),
        *ROOT.glob("mimlstudy/*/*.py"),
    ]
    texts = [path.read_text() for path in files]
    for path in folders.notebooks().glob("*.ipynb"):
        notebook = nbformat.read(path, 4)
        texts += [cell.source for cell in notebook.cells]
    # Lines of comments and headings are joined, as a reader joins them.
    return re.sub(r"\n#? ?", " ", " ".join(texts))


def test_every_term_is_used_by_a_page():
    linker = terms.Linker("g", "f")
    linker.parts(text_of_all_pages())
    for row in terms.glossary():
        if row["forms"]:
            assert row["term"] in linker.linked


def linked(text):
    linker = terms.Linker("g", "f")
    return "".join(linker.parts(text))


def test_a_term_is_linked_where_it_first_stands():
    text = linked("A bag, for instance, and its bags.")
    assert text.startswith('A <a class="term" href="g#bag" data-meaning="A set of instances ')
    assert text.endswith('">bag</a>, for instance, and its bags.')
    assert ">Kendall’s τ</a>" in linked("Kendall’s τ = 0.6")


def test_numbers_of_the_paper_are_linked_once():
    text = linked("Figs. 4 and 5, Table 1; again Fig. 4")
    figures = '<a href="f#fig-4">Figs. 4</a> and <a href="f#fig-5">5</a>'
    assert text == f'{figures}, <a href="f#table-1">Table 1</a>; again Fig. 4'


@pytest.mark.parametrize(
    "text",
    ["MimlSvm_mi, a handbag, mini-bag, prototypical", "Table 9 and Fig. 12"],
)
def test_what_only_looks_like_a_term_or_a_number_of_the_paper_is_not_linked(text):
    assert linked(text) == text


def test_a_term_that_is_a_number_of_the_paper_is_linked_once_and_its_meaning_escaped(
    monkeypatch,
):
    row = {"term": "x", "forms": "x|table 1", "meaning": 'a "b" <c>.'}
    monkeypatch.setattr(terms, "glossary", lambda: [row])
    assert linked("Table 1").count("<a") == 1
    assert 'data-meaning="a &#34;b&#34; &lt;c&gt;."' in linked("x")


@pytest.mark.parametrize("name", mimlpaper.__all__)
def test_every_public_name_has_its_page_and_an_example_that_uses_it(name):
    assert f"| [{name}]({name}.md) | " in api.index_page()
    after_imports = api.example(name).split("import", 2)[-1]
    assert f"{name}(" in after_imports or f'{name}["' in after_imports


def test_there_are_examples_of_the_public_names_alone():
    assert api.EXAMPLES.keys() == set(mimlpaper.__all__)


@pytest.mark.parametrize("name", ["Bags", "MimlSvm", "MlKnn", "OneLabel"])
def test_an_example_prints(name):
    """Here are a few; all of them run when the site is built."""
    output = api.printed(api.example(name))
    assert output.strip()
