"""Tables on made-up records, and their formats."""

from __future__ import annotations

import io
import math
import re

import pandas as pd
import pytest

from mimlpaper.study import tables
from mimlpaper.study.claims import evaluate_claims
from mimlpaper.study.published import TABLES
from mimlpaper.study.rendering import Entry, frame_grid, save_table
from mimlpaper.study.scorecard import scorecard
from mimlpaper.study.tables import (
    CLAIM_VERDICTS,
    by_verdict,
    claim_counts_table,
    claims_table,
    divergences_table,
    grid_ends_table,
    measured_table,
    ranks_table,
    results_table,
    totals_table,
    verified_table,
)
from tests.made_up_records import NO_FIGHT, PUBLISHED_FIGHT, TUNED_FIGHT, as_in_the_paper


@pytest.fixture(autouse=True)
def no_row_is_marked(monkeypatch):
    monkeypatch.setattr(tables, "settings_nearest_to_print", lambda name: {})


def test_text_stays_text_in_every_format():
    shown = pd.DataFrame({"what": ["<x, x'> | a^b ~ {τ}"]}, index=["row"])
    table = frame_grid(shown, shown, "")
    assert "&lt;x, x&#x27;&gt; | a^b" in table._repr_html_()
    assert r"| \<x, x'> \| a^b ~ {τ} |" in table.to_markdown()
    tex = r"a\textasciicircum{}b \textasciitilde{} \{$\tau$\}"
    assert tex in table.to_latex()


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
    totals = totals_table(scorecard({"table1": as_in_the_paper(1)})["totals"])
    assert "falsely agree" in totals.columns
    row = dict(zip(totals.columns, totals.rows["Table 1"], strict=True))
    assert row["agree"].lines == ("100%",) and row["τ"].lines == ("1.00",)
    assert totals.rows["Table 2"][totals.columns.index("falsely agree")].lines == ("–",)


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
    assert r"\shortstack{\textbf{.185$\pm$.008}\\\textbf{.185$\pm$.008}\\\textit{agrees}}" in text
    assert text.isascii() and r"MlSvm\dag{}" in text


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


def test_table_of_what_was_verified():
    """Nothing, one machine, two machines for one experiment."""
    assert verified_table({"verified": []}).rows == {}
    assert "experiment" in verified_table({"verified": []})._repr_html_()
    row = {"experiment": "table1", "machine": "m1", "groups": 8, "equal": 5, "close": 2,
           "different": 1, "failed": 0, "trials": 24, "largest_difference": 3e-11,
           "date": "2026-11-21"}  # fmt: skip
    table = verified_table({"verified": [row, row | {"machine": "m2"}]})
    assert list(table.rows) == ["table1", "table1, m2"]
    assert table.rows["table1"][0].lines == ("7 of 8",)
    assert [cell.lines[0] for cell in table.rows["table1"]][1:4] == ["24", "3e-11", "2026-11-21"]


def test_claims_are_counted_and_sorted():
    results = evaluate_claims({"table1": as_in_the_paper(1)})
    table = claim_counts_table(results)
    first, *_, last = table.rows
    assert (first, last) == ("Section 4", "all")
    tidy = table.tidy
    for test in ("paired", "matched", "blind", "tuned"):
        everywhere = tidy[tidy["part"] == "all"].set_index("verdict")[test]
        assert everywhere.sum() == len(results)
        assert tidy[tidy["part"] != "all"].groupby("verdict")[test].sum().eq(everywhere).all()
    words = [result.matched for result in by_verdict(results)]
    assert words == sorted(words, key=CLAIM_VERDICTS.index)
    short = claims_table(results, detail=False)
    assert short.columns == ("claim", "paired t-test", "matched", "blind", "tuned")
    assert {len(entries) for entries in short.rows.values()} == {5}


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
    latex = table.to_latex()
    assert r"\begin{tabular}{lp{0.20\linewidth}" in latex and r"\shortstack" not in latex


def test_table_of_several_fights():
    table = ranks_table(
        {"scene": (PUBLISHED_FIGHT, TUNED_FIGHT), "text": (PUBLISHED_FIGHT, NO_FIGHT)}
    )
    assert table.columns == (
        "scene, published", "scene, tuned", "text, published", "text, tuned"
    )  # fmt: skip
    assert list(table.rows) == ["MimlSvm", "MimlNn", "MlSvm"]  # as METHOD_STYLE orders them
    lines = {name: [entry.lines[0] for entry in row] for name, row in table.rows.items()}
    assert lines["MimlSvm"] == ["–", "–", "2.0", "–"]
    assert lines["MlSvm"] == ["2.0", "1.0", "3.0", "–"]
    assert [any(entry.bold) for entry in table.rows["MlSvm"]] == [False, True, False, False]
    assert len(table.tidy) == 7


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
