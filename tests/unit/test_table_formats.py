"""Tables as HTML, Markdown, LaTeX and CSV: text stays text, looks stay with their table."""

import re

import pandas as pd
import pytest

from mimlstudy.report import marks, tables
from mimlstudy.report.verdict_looks import VERDICT_TINTS
from tests.made_up_records import as_in_the_paper


def marking(monkeypatch, marked):
    monkeypatch.setattr(
        marks,
        "settings_closest_to_print",
        lambda name: marked,
    )


@pytest.fixture
def table_1(monkeypatch):
    """Table 1 as printed; no row is marked."""
    marking(monkeypatch, {})
    return tables.results_table(as_in_the_paper(1), 1, profile="paper")


def grid(*lines, **entry):
    """A table of one cell."""
    cell = tables.Entry(lines, **entry)
    shown = pd.DataFrame({"a": [cell]}, index=["<a> & b"])
    return tables.frame_grid(shown, shown, "")


def test_text_stays_text_in_html_and_markdown():
    table = grid("<x, x'> | a^b ~ {τ}")
    assert "&lt;x, x&#x27;&gt; | a^b" in table._repr_html_()
    assert r"| \<x, x'> \| a^b \~ {τ} |" in table.to_markdown()


def test_text_stays_text_in_latex():
    table = grid("50% of {a_b} & #1")
    assert r"50\% of \{a\_b\} \& \#1" in table.to_latex()


def test_what_is_saved_is_whole_and_the_same_each_time(table_1, tmp_path):
    folder = tmp_path / "new"
    paths = tables.save_table(table_1, folder, "table1")
    assert [path.name for path in paths] == ["table1.csv", "table1.md", "table1.tex"]
    before = [path.read_bytes() for path in paths]
    tables.save_table(table_1, folder, "table1")
    assert [path.read_bytes() for path in paths] == before
    assert set(folder.iterdir()) == set(paths)
    tidy = pd.read_csv(paths[0])
    assert len(tidy) == 56
    assert tidy["mean"][0] == pytest.approx(0.193)


def test_markdown_shows_both_values_and_the_sign_of_the_verdict(table_1):
    text = table_1.to_markdown()
    assert "| MimlNn | printed | **.185±.008** |" in text
    assert "|  | ours | **.185±.008** = |" in text
    assert "| .500±.010 ○ |" in text
    assert r"MimlSvm\_mi" in text
    assert "= agrees, ○ newly measured.\n" in text
    assert "differs" not in text
    assert " 30 runs." in text


def test_latex_is_plain_and_balanced(monkeypatch):
    marking(monkeypatch, {"MlSvm": 1})
    table = tables.results_table(as_in_the_paper(1), 1, profile="paper")
    text = table.to_latex()
    assert text.count("{") == text.count("}")
    assert text.count(r"\midrule") == 2
    assert r"& ours & \cellcolor[HTML]{E4F4EC}\textbf{.185±.008} = &" in text
    assert r"\addlinespace MlSvm † & printed &" in text
    assert r"\midrule AdtBoost.MH &" in text


def test_lines_of_a_cell_are_stacked_in_latex():
    table = grid("1", "2", verdict="agrees")
    assert r"\shortstack{1\\2\\\textit{agrees}}" in table.to_latex()


@pytest.fixture
def tinted():
    """A table of one cell with a verdict."""
    return grid("1", verdict="agrees")


def test_a_verdict_has_its_tint_and_the_name_of_a_row_is_escaped(tinted):
    html = tinted._repr_html_()
    assert "&lt;a&gt; &amp; b" in html
    assert f"background-color: {VERDICT_TINTS['agrees']}" in html


def test_tints_keep_their_table(tinted):
    html = tinted._repr_html_()
    assert tinted._repr_html_() == html
    name_in_css = html[html.index("#T_") :].split(maxsplit=1)[0]
    another_table = tables.divergences_table("4")._repr_html_()
    assert name_in_css not in another_table


def test_prose_is_set_flush_left():
    html = tables.divergences_table("4")._repr_html_()
    rules = re.findall(r" td \{([^}]*)", html)
    # The last rule wins.
    assert "text-align: left" in rules[-1]


def test_a_table_without_rows_can_be_shown():
    no_rows = pd.DataFrame(columns=["a"], dtype=object)
    table = tables.frame_grid(no_rows, pd.DataFrame(), "None.")
    assert "None." in table._repr_html_()
    assert "None." in table.to_markdown()
