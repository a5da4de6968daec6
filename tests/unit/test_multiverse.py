"""Other readings: the effects of claims, and the places of printed rows, worked by hand."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge import multiverse
from mimlstudy.judge.claim_tests import ClaimTest
from mimlstudy.judge.multiverse import alternatives_of, claim_effects, flips, in_words
from mimlstudy.paper.experiments import READ_SPLITS, ROWS
from mimlstudy.report.words import multiverse_in_words
from tests.made_up_records import rows

ALTERNATIVES = ROWS["table1"]["MimlNn"].alternatives
FIRST, SECOND, *_ = (override for override in ALTERNATIVES if "label_rule" not in override)
TOP = {"label_rule": "top"}


def at(loss, method="MimlNn", change=None, n=2):
    """Records whose losses are ``loss``, and whose scores are 1 - ``loss``; of a reading or not."""
    values = {
        name: np.full(n, loss if criterion.lower_is_better else 1 - loss)
        for name, criterion in CRITERIA.items()
    }
    experiment = "alternatives" if change else "table1"
    return rows(experiment, "scene", method, values, override=json.dumps(change or {}))


@pytest.fixture
def records():
    """MimlNn leads Ml-knn by a third; with another setting by nothing, both at top by two."""
    readings = [at(0.3, change=FIRST), at(0.1, change=TOP), at(0.15, "Ml-knn", TOP)]
    return {"table1": pd.concat([at(0.2), at(0.3, "Ml-knn")]), "alternatives": pd.concat(readings)}


@pytest.fixture(autouse=True)
def two_claims(monkeypatch):
    """MimlNn is better than Ml-knn on two losses, SubCod than Em-dd on musk1."""
    losses = ("coverage", "one_error")
    one = ClaimTest("better", ("MimlNn",), ("Ml-knn",), losses, (), ("table1",))
    other = ClaimTest("shares", ("SubCod",), ("Em-dd",), ("musk1",), (0.5, 0.5), ("table5",))
    monkeypatch.setattr(multiverse, "claim_tests", lambda: {"S4.5": [one], "S7.1": [other]})


def test_readings_are_those_of_the_same_data_on_the_splits_of_readings(records):
    elsewhere = at(0.5, change=TOP).assign(dataset="reuters")
    mixture = at(0.4, change=FIRST | TOP | {"metric": "x"})
    others = pd.concat([records["alternatives"], elsewhere, at(0.9, "SubCod", TOP), mixture])
    both = {"table1": at(0.2, n=READ_SPLITS["table1"] + 5), "alternatives": others}
    table, single = alternatives_of("table1", both), multiverse.single_alternatives("table1", both)
    assert set(single["alternative"]) == {"", in_words(FIRST), "label_rule = top"}
    assert set(table["alternative"]) == {
        *single["alternative"],
        in_words(FIRST | TOP | {"metric": "x"}),
    }
    assert set(table["dataset"]) == {"scene"} and "SubCod" not in set(table["method"])
    assert table.query("alternative == ''")["split"].max() == READ_SPLITS["table1"] - 1
    names = multiverse.named_by_alternative(table)["method"].unique().tolist()
    assert names[0] == "MimlNn" and f"MimlNn, {in_words(FIRST)}" in names


def test_a_row_of_a_table_may_be_another_reading_of_a_method():
    published = pd.concat([at(0.2, "RankSvm"), at(0.4, "RankSvm, converged")])
    table = alternatives_of(
        "table1", {"table1": published, "alternatives": at(0.3, "RankSvm", TOP)}
    )
    assert set(table["method"]) == {"RankSvm"}
    assert table["alternative"].unique().tolist() == [
        "",
        "row: RankSvm, converged",
        "label_rule = top",
    ]
    for row, method in multiverse.ROW_OF.items():
        assert any({row, method} <= set(rows_of) for rows_of in ROWS.values())


def test_effects_by_hand(records):
    """Leads in percent of the rival's loss: 1/3 as published, 0 with the first, 1/3 both at top."""
    found = claim_effects(records, n_mixtures=50)
    effects = found.set_index("kind")
    assert set(effects["claim"]) == {"S4.5"}
    assert effects.at["published", "effect"] == pytest.approx(100 / 3)
    single = effects.loc["one change"].set_index("change")["effect"]
    assert single.to_dict() == pytest.approx({in_words(FIRST): 0.0, "label_rule = top": 100 / 3})
    drawn = effects.loc["mixture", "effect"].round(6)
    possible = [1 - ours / theirs for ours in (0.2, 0.3, 0.1) for theirs in (0.3, 0.15)]
    assert set(drawn) == set(np.round(np.multiply(possible, 100), 6))
    assert claim_effects(records, n_mixtures=50).equals(found)
    for few in ({}, {"table1": at(0.2)}, {"alternatives": records["alternatives"]}):
        assert claim_effects(few).empty  # nothing to compare with


def test_effects_of_accuracies_are_those_of_the_named_sets():
    """On musk1 A errs half as often as B, on fox as often; a reading is recorded on fox alone."""
    names = [("musk1", "SubCod"), ("musk1", "Em-dd"), ("fox", "SubCod"), ("fox", "Em-dd")]
    own = [rows("table5", *one, {"accuracy": [0.6]}) for one in names]
    own[0]["accuracy"], own[1]["accuracy"] = 0.9, 0.8
    change = rows("alternatives", "fox", "SubCod", {"accuracy": [0.7]}, override='{"C": 10.0}')
    effects = claim_effects({"table5": pd.concat(own), "alternatives": change}, n_mixtures=1)
    assert effects["effect"].tolist() == pytest.approx([50.0] * 2)  # published, and drawn


def test_flips_are_counted_and_said(records):
    records["alternatives"] = pd.concat([records["alternatives"], at(0.9, change=SECOND)])
    effects = claim_effects(records, n_mixtures=400)
    turns = flips(effects)
    (row,) = turns.to_dict("records")
    assert row["turned"] == (in_words(SECOND), in_words(FIRST)) and row["n_changes"] == 3
    drawn = effects.query("kind == 'mixture'")["effect"]
    assert row["in_favour"] == (drawn > 0).mean() and 0.2 < row["in_favour"] < 0.8
    assert (row["mean"], row["std"]) == pytest.approx((drawn.mean(), drawn.std()))
    assert re.findall(r"\d+", multiverse_in_words(turns)) == ["1", "1", "0", "90", "0", "1"]
    assert multiverse_in_words(turns[:0]) == "Nothing is recorded yet."
