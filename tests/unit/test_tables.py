"""Tables on made-up records, and their formats."""

from __future__ import annotations

import io
import math
import re

import pandas as pd
import pytest

from mimlpaper.study import tables
from mimlpaper.study.published import TABLES
from mimlpaper.study.rendering import Entry, frame_grid, save_table
from mimlpaper.study.tables import divergences_table, grid_ends_table, measured_table, results_table
from tests.made_up_records import as_in_the_paper


@pytest.fixture(autouse=True)
def no_row_is_marked(monkeypatch):
    monkeypatch.setattr(tables, "settings_nearest_to_print", lambda name: {})


def test_text_stays_text_in_every_format():
    shown = pd.DataFrame({"what": ["<x, x'> | a^b ~ {τ}"]}, index=["row"])
    table = frame_grid(shown, shown, "")
    assert "&lt;x, x&#x27;&gt; | a^b" in table._repr_html_()
    assert r"| \<x, x'> \| a^b ~ {τ} |" in table.to_markdown()
    latex = frame_grid(shown.replace("<.*", "50 % of {a_b} & #1", regex=True), shown, "").to_latex()
    assert r"50 \% of \{a\_b\} \& \#1" in latex


def test_markdown_shows_both_values_and_the_verdict():
    text = results_table(as_in_the_paper(1), 1, profile="paper").to_markdown()
    assert "| MimlNn | **.185±.008**<br>**.185±.008**<br>*agrees* |" in text
    assert "| N/A<br>.500±.010<br>*filled* |" in text
    assert r"MimlSvm\_mi" in text
    assert "Profile paper; 30 of 30 runs; records fresh; original data." in text


def test_the_blind_value_stands_where_it_differs(monkeypatch):
    records = as_in_the_paper(1)
    blind = records.assign(hamming_loss=records["hamming_loss"] + 0.1 * (records["split"] < 15))
    monkeypatch.setattr(tables, "settings_nearest_to_print", lambda name: {"AdtBoost.MH": 3})
    table = results_table(records, 1, profile="paper", blind=blind)
    first, second, *_ = table.rows["MimlNn"]
    assert first.lines[2] == "blind .235±.052 differs (ours worse)" and len(second.lines) == 2
    assert "AdtBoost.MH†" in table.rows and table.rules_above == ("AdtBoost.MH†",)
    assert "† marks 1 rows with 3 settings" in table.caption
    plain = results_table(records, 1, profile="paper")
    assert all(len(entry.lines) == 2 for row in plain.rows.values() for entry in row)


def test_no_total_without_its_false_match_rate():
    caption = results_table(as_in_the_paper(1), 1, profile="paper").caption
    assert "Tolerance: two means over 30 random splits of the same images, at 95 %." in caption
    assert re.search(r"100% of the printed cells agree with ours, and \d+% of other", caption)


def test_missing_rows_are_shown():
    records = as_in_the_paper(3)
    table = results_table(records[records["method"] != "Cnmf"], 3, profile="paper")
    assert {entry.verdict for entry in table.rows["Cnmf"]} == {"missing"}
    assert table.rows["Cnmf"][1].lines == (".354±.184", "–")
    assert table.rows["InsDif_MimlBoost"][0].lines == ("–", ".500±.010")
    assert table.tidy.query("algorithm == 'Cnmf'")["state"].eq("missing").all()


def test_methods_that_the_paper_lacks_stand_below_a_line_of_their_own():
    stranger = as_in_the_paper(1).query("method == 'MimlNn'").assign(method="Oracle")
    records = pd.concat([stranger.assign(hamming_loss=0.001), as_in_the_paper(1)])
    table = results_table(records, 1, profile="paper")
    assert list(table.rows) == [*TABLES[1].algorithms, "Oracle"]
    assert table.rules_above == ("AdtBoost.MH", "Oracle")
    entry = table.rows["Oracle"][0]
    assert (entry.lines, entry.bold, entry.verdict) == ((".001±.000",), (True,), "")
    assert "methods that the paper does not have" in table.caption
    assert table.to_latex().count(r"\midrule") == 3


def test_caption_tells_what_differs():
    records = as_in_the_paper(1)
    records.loc[records["method"] == "MimlNn", "state"] = "stale"
    records = records[(records["method"] != "MlSvm") | (records["split"] < 12)]
    caption = results_table(records, 1, profile="quick").caption
    assert "12 of 30 runs (MlSvm)" in caption
    assert "stale (MimlNn)" in caption
    empty = results_table(pd.DataFrame(), 1, profile="smoke").caption
    assert empty.endswith("Profile smoke; no records yet.")


def test_table_5_has_data_sets_as_columns():
    table = results_table(as_in_the_paper(5), 5, profile="paper")
    assert table.columns == TABLES[5].datasets
    assert table.rows["SubCod"][1].lines == (".921±.014", ".921±.014")
    assert table.rows["SubCod"][1].bold == (True, True)
    assert table.rows["Ch-Fd"][0].lines[0] == ".888"


def test_html_has_tints_and_escapes_names():
    shown = pd.DataFrame({"a": [Entry(("1",), verdict="agrees")]}, index=["<a> & b"])
    table = frame_grid(shown, shown, "")
    html = table._repr_html_()
    assert "&lt;a&gt; &amp; b" in html
    assert "background-color: #d4ecd0" in html
    assert html == table._repr_html_()


def test_two_tables_on_one_page_keep_their_tints():
    first = results_table(as_in_the_paper(1), 1, profile="paper")._repr_html_()
    second = results_table(pd.DataFrame(), 1, profile="paper")._repr_html_()
    name = first[first.index("#T_") :].split(maxsplit=1)[0]
    assert name not in second


def test_latex_is_plain_and_balanced(monkeypatch):
    monkeypatch.setattr(tables, "settings_nearest_to_print", lambda name: {"MlSvm": 1})
    text = results_table(as_in_the_paper(1), 1, profile="paper").to_latex()
    assert text.count("{") == text.count("}")
    assert text.count(r"\midrule") == 2
    assert r"\shortstack{\textbf{.185±.008}\\\textbf{.185±.008}\\\textit{agrees}}" in text
    assert r"MlSvm† &" in text and r"\midrule AdtBoost.MH &" in text


def test_measured_table():
    records = as_in_the_paper(2)
    table = measured_table(records, title="Fair fight", profile="paper")
    assert table.rows["MimlSvm"][0].lines == (".033±.003",)
    assert table.rows["MimlSvm"][0].bold == (True,)
    assert table.caption.startswith("Fair fight: mean ± std. Profile paper; 30 runs;")


def test_saved_tables_are_whole_and_stable(tmp_path):
    table = results_table(as_in_the_paper(1), 1, profile="paper")
    paths = save_table(table, tmp_path / "new", "table1")
    before = [path.read_bytes() for path in paths]
    assert [path.name for path in paths] == ["table1.csv", "table1.md", "table1.tex"]
    again = results_table(as_in_the_paper(1), 1, profile="paper")
    assert [path.read_bytes() for path in save_table(again, tmp_path / "new", "table1")] == before
    assert len(list((tmp_path / "new").iterdir())) == 3
    tidy = pd.read_csv(io.BytesIO(before[0]))
    assert len(tidy) == 56
    assert math.isclose(tidy["mean"][0], 0.193)


def test_open_choices_with_the_columns_asked_for():
    table = divergences_table("4", ("where", "effect", "sweep"))
    assert table.columns == ("where", "effect", "sweep")
    assert table.rows["label-code"][2].lines == ("choices_scene, choices_text",)
    assert all(effect.lines != ("–",) for _, effect, _ in table.rows.values())  # all measured
    sections = set(divergences_table().tidy["section"])
    assert len(divergences_table().rows) == sum(len(divergences_table(s).rows) for s in sections)


def test_prose_is_set_flush_left():
    table = divergences_table("4")
    assert "text-align: left" in re.findall(r" td \{([^}]*)", table._repr_html_())[-1]  # it wins


def test_grids_of_which_many_fits_chose_an_end_are_listed_with_the_reason():
    """Of four fits two chose degree 2, an end; converged, one in five did, which is not more."""
    rows = [("RankSvm", d) for d in (2, 2, 4, 5)] + [
        ("RankSvm, converged", d) for d in (9, 3, 4, 5, 6)
    ]
    records = pd.DataFrame({
        "dataset": "scene", "method": [name for name, _ in rows], "parameters": "{}", "stage": 0,
        "chosen": [f'{{"ranksvm__degree": {d}}}' for _, d in rows],
    })  # fmt: skip
    table = grid_ends_table({"table1": records}.get, ["table1"])
    assert list(table.rows) == ["Table 1: RankSvm, degree"]
    texts = [entry.lines[0] for entry in table.rows["Table 1: RankSvm, degree"]]
    assert texts == ["4", "50%", "the paper states the degrees 2 to 9"]
