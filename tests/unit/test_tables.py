"""Tables on made-up records, and their formats."""

import re

import pandas as pd
import pytest

from mimlstudy.judge.claims import VIEWS, evaluate_claims
from mimlstudy.paper.published import TABLES
from mimlstudy.report import tables
from mimlstudy.report.verdict_looks import VERDICT_TINTS
from tests.made_up_records import as_in_the_paper, rows


@pytest.fixture(autouse=True)
def no_row_is_marked(monkeypatch):
    monkeypatch.setattr(tables, "settings_closest_to_print", lambda name: {})


def of_paper(records, number=1, **others):
    return tables.results_table(records, number, profile="paper", **others)


def grid(*lines, **entry):
    """A table of one cell."""
    shown = pd.DataFrame({"a": [tables.Entry(lines, **entry)]}, index=["<a> & b"])
    return tables.frame_grid(shown, shown, "")


def test_text_stays_text_in_every_format():
    table = grid("<x, x'> | a^b ~ {τ}")
    assert "&lt;x, x&#x27;&gt; | a^b" in table._repr_html_()
    assert r"| \<x, x'> \| a^b ~ {τ} |" in table.to_markdown()
    assert r"50 \% of \{a\_b\} \& \#1" in grid("50 % of {a_b} & #1").to_latex()


def test_markdown_shows_both_values_and_the_sign_of_the_verdict(tmp_path):
    """And what is saved is whole, and the same each time."""
    saved = []
    for _ in range(2):
        paths = tables.save_table(of_paper(as_in_the_paper(1)), tmp_path / "new", "table1")
        saved.append([path.read_text() for path in paths])
    assert [path.name for path in paths] == ["table1.csv", "table1.md", "table1.tex"]
    assert saved[0] == saved[1] and {*(tmp_path / "new").iterdir()} == {*paths}
    tidy, text = pd.read_csv(paths[0]), saved[0][1]
    assert len(tidy) == 56 and tidy["mean"][0] == pytest.approx(0.193)
    assert "| MimlNn | printed | **.185±.008** |" in text
    assert "|  | ours | **.185±.008** = |" in text and "| .500±.010 ○ |" in text
    assert "= agrees, ○ newly measured.\n" in text and "differs" not in text
    assert r"MimlSvm\_mi" in text
    assert "Profile paper; 30 of 30 runs; original data." in text


def test_the_value_fixed_in_advance_stands_where_it_differs(monkeypatch):
    records = as_in_the_paper(1)
    fixed = records.assign(hamming_loss=records["hamming_loss"] + 0.1 * (records["split"] < 15))
    monkeypatch.setattr(tables, "settings_closest_to_print", lambda name: {"AdtBoost.MH": 3})
    table = of_paper(records, fixed=fixed)
    first, second, *_ = table.entries.loc["MimlNn", "fixed in advance"]
    assert (first.lines, first.verdict) == ((".235±.052",), "differs_worse")
    assert "− differs (ours worse)" in table.to_styler().caption and second.verdict == "agrees"
    assert "AdtBoost.MH†" in table.entries.index and table.rules_above == ("AdtBoost.MH†",)
    assert "† marks 1 rows with 3 settings" in table.caption
    for same in (records, None):
        lines = of_paper(records, fixed=same).entries.index.get_level_values(1)
        assert set(lines) == {"printed", "ours"}


def test_only_what_is_asked_is_shown():
    asked = {"criteria": ["coverage"], "rows": ["MimlNn", "RankSvm"]}
    table = of_paper(as_in_the_paper(1), **asked)
    assert list(table.entries.index.unique(0)) == asked["rows"] and table.entries.shape == (4, 1)
    assert table.rules_above == ("RankSvm",) and "does not have" not in table.caption
    with pytest.raises(ValueError, match="criteria must be among"):
        of_paper(as_in_the_paper(1), criteria=["accuracy"])


def test_missing_rows_are_shown():
    records = as_in_the_paper(3)
    table = of_paper(records[records["method"] != "Cnmf"], 3)
    assert {entry.verdict for entry in table.entries.loc["Cnmf", "ours"]} == {"missing"}
    assert [entry.lines[0] for entry in table.entries.loc["Cnmf"].iloc[:, 1]] == [".354±.184", "–"]
    filled = table.entries.loc["InsDif_MimlBoost"].iloc[:, 0]
    assert [entry.lines[0] for entry in filled] == ["–", ".500±.010"]
    assert table.tidy.query("algorithm == 'Cnmf'")["state"].eq("missing").all()


def test_methods_that_the_paper_lacks_stand_below_a_line_of_their_own():
    stranger = as_in_the_paper(1).query("method == 'MimlNn'").assign(method="Oracle")
    table = of_paper(pd.concat([stranger.assign(hamming_loss=0.001), as_in_the_paper(1)]))
    assert list(table.entries.index.unique(0)) == [*TABLES[1].algorithms, "Oracle"]
    assert table.rules_above == ("AdtBoost.MH", "Oracle")
    (entry,) = table.entries.loc["Oracle"].iloc[:, 0]
    assert (entry.lines, entry.bold, entry.verdict) == ((".001±.000",), (True,), "")
    assert table.to_latex().count(r"\midrule") == 3


def test_caption_tells_what_differs():
    records = as_in_the_paper(1)
    records.loc[records["method"] == "MimlNn", "kind"] = "synthetic"
    caption = of_paper(records[(records["method"] != "MlSvm") | (records["split"] < 12)]).caption
    assert "12 of 30 runs (MlSvm)" in caption
    assert "synthetic (MimlNn)" in caption
    assert of_paper(pd.DataFrame()).caption.endswith("Profile paper; no records yet.")
    table = tables.measured_table(as_in_the_paper(2), title="Fair fight", profile="paper")
    entry = table.entries.loc["MimlSvm"].iloc[0]
    assert (entry.lines, entry.bold) == ((".033±.003",), (True,))
    assert table.caption.startswith("Fair fight: mean ± std. Profile paper; 30 runs;")


def test_latex_is_plain_and_balanced(monkeypatch):
    monkeypatch.setattr(tables, "settings_closest_to_print", lambda name: {"MlSvm": 1})
    text = of_paper(as_in_the_paper(1)).to_latex()
    assert text.count("{") == text.count("}") and text.count(r"\midrule") == 2
    assert r"& ours & \cellcolor[HTML]{E4F4EC}\textbf{.185±.008} = &" in text
    assert r"\addlinespace MlSvm† & printed &" in text and r"\midrule AdtBoost.MH &" in text
    assert r"\shortstack{1\\2\\\textit{agrees}}" in grid("1", "2", verdict="agrees").to_latex()


def test_tints_keep_their_table_and_prose_is_set_flush_left():
    """And a table without rows can be shown."""
    table = grid("1", verdict="agrees")
    html = table._repr_html_()
    assert "&lt;a&gt; &amp; b" in html and f"background-color: {VERDICT_TINTS['agrees']}" in html
    name = html[html.index("#T_") :].split(maxsplit=1)[0]
    prose = tables.divergences_table("4")._repr_html_()
    assert html == table._repr_html_() and name not in prose
    assert "text-align: left" in re.findall(r" td \{([^}]*)", prose)[-1]  # it wins
    none = tables.frame_grid(pd.DataFrame(columns=["a"], dtype=object), pd.DataFrame(), "None.")
    assert "None." in none._repr_html_() and "None." in none.to_markdown()


def test_open_choices_are_those_asked_for_and_shown_by_the_change_of_each_mean():
    asked, every = (
        tables.divergences_table("4", columns=("where", "effect")),
        tables.divergences_table(),
    )
    assert list(asked.entries.columns) == ["where", "effect"]
    assert len(asked.entries) == every.tidy["section"].eq("4").sum() < len(every.entries)
    values = {name: [0.2, 0.4] for name in TABLES[1].criteria}
    own = rows("table1", "scene", "MimlNn", values, alternative="")
    other = own.assign(alternative="ratio = 0.2", coverage=own["coverage"] - 0.1)
    alone = own.assign(method="MlSvm")
    table = tables.choices_table(pd.concat([own, other, alone]), "Open choices")
    assert list(table.entries.index) == ["MimlNn", "MimlNn: ratio = 0.2"]
    coverage = [entry.lines[0] for entry in table.entries["coverage ↓"]]
    assert coverage == ["0.300", "-0.100"] and "splits: 2" in table.caption


def test_claims_have_words_a_power_and_detail_if_asked():
    results = evaluate_claims({"table1": as_in_the_paper(1)}, ("S4.1", "S6.1"))
    table, found = tables.claims_table(results), results[0].verdicts["corrected test"]
    columns = ["claim", "paper's test", "corrected test", "power", "in detail"]
    assert list(table.entries.columns) == columns
    entry, power = (table.entries.at["S4.1", name] for name in ("corrected test", "power"))
    assert (entry.verdict, entry.lines) == (found.word, (f"{found.supported} of 28",))
    assert power.lines == (f"{found.power} of 16",)
    assert table.caption.endswith("Not tested: fixed in advance and equal tuning.")
    assert table.entries.at["S6.1", "corrected test"].verdict == "not tested"
    assert len(table.tidy) == 2 * len(VIEWS) and {"word", "power"} <= set(table.tidy)
    assert "in detail" not in tables.claims_table(results, detail=False).entries
