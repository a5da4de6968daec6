"""Cells and tables on made-up records that equal the printed values."""

from __future__ import annotations

import io
import math

import numpy as np
import pandas as pd
import pytest

from mimlpaper.report.compare import compare_with_paper, count_runs, overall, run_means
from mimlpaper.report.published import TABLES, published_characteristics
from mimlpaper.report.rendering import save_table
from mimlpaper.report.statistics import swept_values
from mimlpaper.report.tables import characteristics_table, measured_table, results_table
from tests.made_up_records import as_in_the_paper, rows, swept


@pytest.mark.parametrize("number", TABLES)
def test_printed_values_match_themselves(number):
    cells = compare_with_paper(as_in_the_paper(number), number)
    value = cells["printed"] == "value"
    assert set(cells.loc[value, "verdict"]) == {"matches"}
    assert set(cells.loc[~value, "verdict"]) == {"filled"}
    assert np.allclose(cells.loc[value, "mean"], cells.loc[value, "published_mean"])
    assert cells["reproduced"].tolist() == value.tolist()
    assert set(cells["n"]) == {TABLES[number].n_runs}


@pytest.mark.parametrize("number", TABLES)
def test_no_records(number):
    cells = compare_with_paper(pd.DataFrame(), number)
    assert set(cells["verdict"]) == set(cells["state"]) == {"missing"}
    assert not cells["reproduced"].any()


def test_mean_and_std_over_splits():
    """.1 .2 .3: mean .2, std .1 with ddof 1."""
    records = rows("table1", "scene", "MimlSvm", {"hamming_loss": [0.1, 0.2, 0.3]})
    cell = compare_with_paper(records, 1).set_index(["algorithm", "criterion"])
    cell = cell.loc[("MimlSvm", "hamming_loss")]
    assert (cell["mean"], cell["std"], cell["n"]) == (pytest.approx(0.2), pytest.approx(0.1), 3)


def test_web_pages_are_taken_over_sets():
    """Two sets with one split each are two runs of the one row "yahoo"."""
    values = {"hamming_loss": [0.1]}
    records = pd.concat([rows("table4", f"yahoo:{name}", "InsDif", values) for name in "ab"])
    (first, second) = run_means(records, TABLES[4]).to_dict("records")
    assert first["dataset"] == second["dataset"] == "yahoo"
    assert (first["run"], second["run"]) == ("yahoo:a", "yahoo:b")


def test_cross_validations_are_averaged_first():
    """Ten runs of ten folds: 100 trials, ten runs; std over the runs' means, not the folds."""
    accuracy = np.tile([0.0, 1.0], 50) * 0.2 + np.repeat(np.arange(10) / 100, 10)
    records = rows("table5", "musk1", "SubCod", {"accuracy": accuracy})
    measured = run_means(records, TABLES[5])
    assert measured["accuracy"].tolist() == pytest.approx([0.1 + i / 100 for i in range(10)])
    assert set(measured["n_trials"]) == {10}
    assert count_runs(records, "table5") == 10


def test_incomplete_protocol_is_not_reproduced():
    few = compare_with_paper(as_in_the_paper(1, n_runs=5), 1)
    assert not few["reproduced"].any()
    assert set(few["n"]) == {5}
    half_a_run = as_in_the_paper(5)
    half_a_run = half_a_run[half_a_run["split"] < 99]
    assert not compare_with_paper(half_a_run, 5)["reproduced"].any()
    assert compare_with_paper(as_in_the_paper(1, n_runs=5), 1, n_runs=5)["reproduced"].any()


@pytest.mark.parametrize(
    ("column", "value"), [("state", "stale"), ("kind", "synthetic"), ("kind", "re-derived")]
)
def test_one_bad_record_spoils_its_cell(column, value):
    records = as_in_the_paper(1)
    records.loc[records.index[records["method"] == "MimlSvm"][0], column] = value
    cells = compare_with_paper(records, 1).set_index("algorithm")
    assert set(cells.loc["MimlSvm", column]) == {value}
    assert not cells.loc["MimlSvm", "reproduced"].any()
    assert cells.loc["MimlNn", "reproduced"].all()


def test_variants_and_stages_stay_out_of_tables():
    records = as_in_the_paper(1)
    variant = records.assign(parameters='{"k": 1}', hamming_loss=9.0)
    stage = records.assign(stage=3, hamming_loss=9.0)
    everything = pd.concat([records, variant, stage])
    pd.testing.assert_frame_equal(compare_with_paper(everything, 1), compare_with_paper(records, 1))


def test_overall_is_the_worst():
    assert overall(["fresh", "stale", "attested"]) == "stale"
    assert overall(["fresh", "attested"]) == "attested"


def test_swept_values():
    records = swept("figure7", "MimlSvm", "ratio", [0.1, 0.2], n=1)
    records.loc[1, "parameters"] = "{}"
    assert swept_values(records, default=0.2).tolist() == [0.1, 0.2]
    records.loc[1, "parameters"] = '{"a": 1, "b": 2}'
    with pytest.raises(ValueError, match="one parameter must vary"):
        swept_values(records, default=0.2)


def test_markdown_shows_both_values_and_the_verdict():
    text = results_table(as_in_the_paper(1), 1, profile="paper").to_markdown()
    assert "| MimlNn | **.185±.008**<br>**.185±.008**<br>*matches* |" in text
    assert "| N/A<br>.500±.010<br>*filled* |" in text
    assert r"MimlSvm\_mi" in text
    assert "Profile paper; 30 of 30 runs; records fresh; original data." in text


def test_missing_rows_are_shown():
    records = as_in_the_paper(3)
    table = results_table(records[records["method"] != "Cnmf"], 3, profile="paper")
    assert {entry.verdict for entry in table.rows["Cnmf"]} == {"missing"}
    assert table.rows["Cnmf"][1].lines == (".354±.184", "–")
    assert table.rows["InsDif_MimlBoost"][0].lines == ("–", ".500±.010")
    assert table.tidy.query("algorithm == 'Cnmf'")["state"].eq("missing").all()


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
    table = characteristics_table(published_characteristics(), profile="paper")
    html = table._repr_html_()
    assert "Arts&amp;Humanities" in html
    assert "background-color: #d4ecd0" in html
    assert html == table._repr_html_()


def test_two_tables_on_one_page_keep_their_tints():
    first = results_table(as_in_the_paper(1), 1, profile="paper")._repr_html_()
    second = results_table(pd.DataFrame(), 1, profile="paper")._repr_html_()
    name = first[first.index("#T_") :].split(maxsplit=1)[0]
    assert name not in second


def test_latex_is_plain_and_balanced():
    text = results_table(as_in_the_paper(1), 1, profile="paper").to_latex()
    assert text.count("{") == text.count("}")
    assert text.count(r"\midrule") == 2
    assert r"\shortstack{\textbf{.185$\pm$.008}\\\textbf{.185$\pm$.008}\\\textit{matches}}" in text
    assert text.isascii()


def test_characteristics_side_by_side():
    recomputed = published_characteristics().head(2)
    recomputed.loc[0, "train_PMC"] += 0.004
    recomputed.loc[1, "vocabulary"] += 1
    table = characteristics_table(recomputed, profile="paper")
    assert table.rows["Arts&Humanities"][2].verdict == "matches"
    assert table.rows["Business&Economy"][1].lines == ("438", "439")
    assert table.rows["Business&Economy"][1].verdict == "differs"
    assert table.rows["Education"][0].verdict == "missing"
    assert table.caption.endswith("15 of 88 agree.")


def test_halves_are_rounded_up():
    recomputed = published_characteristics()
    recomputed.loc[0, "train_PMC"] = 44.495
    table = characteristics_table(recomputed, profile="paper")
    assert table.rows["Arts&Humanities"][2].lines == ("44.50", "44.50")


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
