"""The scorecard: complete, countable, and plain JSON."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from mimlpaper.study.published import TABLES, published_claims
from mimlpaper.study.scorecard import in_words, scorecard, scorecard_cells
from mimlpaper.study.verdicts import VERDICTS
from tests.made_up_records import as_in_the_paper


@pytest.fixture(scope="module")
def half_run():
    """Tables 1 and 2 run, the first of them stale; nothing else."""
    records = {"table1": as_in_the_paper(1, state="stale"), "table2": as_in_the_paper(2)}
    return scorecard(records)


def test_every_cell_is_listed(half_run):
    """236 printed values, 21 N/A, 26 of rows that the paper left out."""
    cells = half_run["cells"]
    assert len(cells) == 283
    assert sum(cell["published_mean"] is None for cell in cells) == 47
    left_out = {(c["dataset"], c["algorithm"]) for c in cells if c["printed"] == "blank"}
    assert left_out == {
        ("yeast", "InsDif_MimlBoost"),
        ("yahoo", "InsDif_MimlBoost"),
        ("yahoo", "InsDif_MimlSvm_mi"),
        *((dataset, "SubCod_MimlBoost") for dataset in TABLES[5].datasets),
    }
    keys = {"table", "dataset", "algorithm", "criterion", "published_mean", "published_std",
            "mean", "std", "n", "verdict", "state"}  # fmt: skip
    assert keys <= set(cells[0])


def test_totals_add_up(half_run):
    totals = half_run["totals"]
    assert totals["table1"]["agrees"] == totals["table2"]["agrees"] == 53
    assert totals["table1"]["complete"] == 0
    assert totals["table2"]["complete"] == 56
    assert totals["table5"]["missing"] == 45
    assert sum(totals["all"][word] for word in VERDICTS) == totals["all"]["cells"] == 283
    for word in ("cells", *VERDICTS, "complete", "rows", "rows_identified", "columns"):
        assert totals["all"][word] == sum(totals[f"table{number}"][word] for number in TABLES)
    for measured in ("table1", "table2", "all"):  # no total without its false match rate
        assert 0 < totals[measured]["false_match_rate"] < 0.25
    assert totals["table3"]["false_match_rate"] is None


def test_rows_name_the_nearest_and_count_marked_settings(half_run):
    rows = half_run["rows"]
    assert len(rows) == 16
    assert all(row["nearest"] == row["algorithm"] and row["identified"] for row in rows)
    assert {type(row["nearest_to_print"]) for row in rows} == {int}


def test_every_claim_is_listed(half_run):
    claims = half_run["claims"]
    assert [claim["id"] for claim in claims] == list(published_claims()["id"])
    assert {"id", "claim", "detail", "paired", "matched", "blind", "tuned"} <= set(claims[0])
    verdicts = {claim["id"]: claim for claim in claims}
    assert verdicts["S4.8"]["matched"] == "holds"
    assert verdicts["S4.8"]["blind"] == verdicts["S4.8"]["tuned"] == "not evaluated"
    assert verdicts["S6.1"]["matched"] == "not evaluated"


def test_the_blind_column_is_judged_beside_the_matched_one():
    matched = as_in_the_paper(1)
    blind = matched[matched["method"].isin(["MimlSvm_mi", "MlSvm"])].copy()
    blind.loc[blind["method"] == "MlSvm", "hamming_loss"] = 0.5
    card = scorecard({"table1": matched, "table1_blind": blind})
    cells = {(c["algorithm"], c["criterion"]): c for c in card["cells"] if c["table"] == 1}
    judged = cells["MlSvm", "hamming_loss"]
    assert (judged["verdict"], judged["blind_verdict"]) == ("agrees", "differs_worse")
    assert judged["blind_mean"] == 0.5
    assert card["totals"]["table1"]["agrees"] == 53
    assert card["blind"]["table1"]["agrees"] == 52
    assert "Blind to print: 52 of 53 printed cells agree" in in_words(card)


def test_artefacts_tell_their_freshness(half_run):
    artefacts = {artefact["experiment"]: artefact for artefact in half_run["artefacts"]}
    assert artefacts["table1"]["state"] == "stale"
    assert (artefacts["table1"]["stale"], artefacts["table1"]["fresh"]) == (240, 0)
    assert (artefacts["table2"]["state"], artefacts["table2"]["kind"]) == ("fresh", "original")
    assert artefacts["figure7"]["state"] == "missing"


def test_json_without_nan(half_run):
    assert json.loads(json.dumps(half_run, allow_nan=False)) == json.loads(json.dumps(half_run))


def test_nothing_recorded():
    card = scorecard(lambda experiment: pd.DataFrame())
    assert card["totals"]["all"]["missing"] == card["totals"]["all"]["cells"]
    json.dumps(card, allow_nan=False)


def test_protocol_may_ask_for_fewer_runs():
    records = {"table1": as_in_the_paper(1, n_runs=3)}
    asked = scorecard_cells(records, {f"table{number}": 3 for number in TABLES})
    assert asked.loc[asked["table"] == 1, "complete"].all()
    assert not scorecard_cells(records)["complete"].any()


def test_the_card_in_three_points(half_run):
    words = in_words(half_run)
    agreement, order, claims = words.splitlines()
    share = half_run["totals"]["all"]["false_match_rate"]
    assert agreement == (
        "- **Numbers.** 106 of 106 printed cells agree with ours, where "
        f"{share:.0%} of other algorithms' cells would; 0 of ours are better, 0 worse; "
        "16 of 16 rows are nearest to their own printed row, by chance 2. 8 rows have settings "
        "that were chosen because they come nearest to print. Blind to print: "
        "nothing is recorded yet."
    )
    assert order.endswith("printed one is 1.00, 1.00 among the rows nearest to their own.")
    assert "wins 100% of the 14 columns" in order
    counts = pd.Series([claim["matched"] for claim in half_run["claims"]]).value_counts()
    assert f"Of {len(half_run['claims'])}, {counts['holds']} hold, " in claims
    assert "Blind to print: nothing is recorded yet. Every" in claims
    unmarked = half_run | {"rows": [row | {"nearest_to_print": 0} for row in half_run["rows"]]}
    assert "were chosen" not in in_words(unmarked)
    assert in_words(scorecard({})) == "Nothing is recorded yet."
