"""Terms and numbers in the prose of the site's pages."""

import importlib
import re

import nbformat
import pytest

from mimlpaper import paths


@pytest.fixture(scope="module")
def terms():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(paths.project_root() / "site")
        yield importlib.import_module("terms")


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


def test_a_term_is_linked_once_with_its_meaning(terms):
    text = linked(terms, "A bag, for instance, and its bags.")
    assert text.startswith('A <a class="term" href="g#bag" data-meaning="A set of instances ')
    assert text.endswith('">bag</a>, for instance, and its bags.')


def test_an_apostrophe_may_be_curly(terms):
    assert ">Kendall’s τ</a>" in linked(terms, "Kendall’s τ = 0.6")


def test_a_word_within_another_is_no_term(terms):
    text = "MimlSvm_mi, a handbag, mini-bag, prototypical"
    assert linked(terms, text) == text


def test_numbers_of_the_paper_lead_to_the_gallery(terms):
    linker = terms.Linker("g", "f")
    text = linked(terms, "Figs. 4 and 5, Table 1; again Fig. 4", linker)
    assert text == (
        '<a href="f#fig-4">Figs. 4</a> and <a href="f#fig-5">5</a>, '
        '<a href="f#table-1">Table 1</a>; again Fig. 4'
    )
    assert linked(terms, "Table 9 and Fig. 12", linker) == "Table 9 and Fig. 12"


def test_meanings_are_escaped(terms, monkeypatch):
    row = {"term": "x", "forms": "x", "meaning": 'a "b" <c>.'}
    monkeypatch.setattr(terms, "glossary", lambda: [row])
    assert 'data-meaning="a &#34;b&#34; &lt;c&gt;."' in linked(terms, "x")
