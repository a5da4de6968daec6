"""Other readings: the effects of claims, and the places of printed rows, worked by hand."""

import json

import numpy as np
import pandas as pd
import pytest

from mimlpaper.metrics import CRITERIA
from mimlpaper.study import multiverse
from mimlpaper.study.claims import CLAIM_TESTS, ClaimTest
from mimlpaper.study.multiverse import (
    claim_effects,
    flips,
    in_sentences,
    in_words,
    readings_of,
    single_changes,
    with_readings,
)
from mimlpaper.study.registry import READ_SPLITS, ROWS
from tests.made_up_records import rows

FIRST, SECOND, *_ = (one for one in ROWS["table1"]["MimlNn"].choices if "label_rule" not in one)
TOP = {"label_rule": "top"}


def at(loss, method="MimlNn", parameters="{}", experiment="table1", n=2, **others):
    """Records whose losses are ``loss``, and whose scores are 1 - ``loss``."""
    values = {
        name: np.full(n, loss if criterion.lower_is_better else 1 - loss)
        for name, criterion in CRITERIA.items()
    }
    return rows(experiment, "scene", method, values, parameters=parameters, **others)


def other(loss, method="MimlNn", change=TOP, **others):
    return at(loss, method, json.dumps(change), "readings", **others)


@pytest.fixture
def records():
    """MimlNn leads Ml-knn by a third; with another setting by nothing, both at top by two."""
    published = pd.concat([at(0.2), at(0.3, "Ml-knn")])
    readings = [other(0.3, change=FIRST), other(0.1), other(0.15, "Ml-knn")]
    return {"table1": published, "readings": pd.concat(readings)}


@pytest.fixture
def one_claim(monkeypatch):
    """S4.5 says that MimlNn is better than Ml-knn on two losses."""
    test = ClaimTest("better", ("MimlNn",), ("Ml-knn",), ("coverage", "one_error"), (), "table1")
    for name in CLAIM_TESTS:
        monkeypatch.setitem(CLAIM_TESTS, name, [test] if name == "S4.5" else [])


def test_readings_are_those_of_the_same_data_on_the_splits_of_readings(records):
    many = at(0.2, n=READ_SPLITS["table1"] + 5)
    elsewhere = other(0.5).assign(dataset="reuters")
    everything = pd.concat([records["readings"], elsewhere, other(0.9, "SubCod")])
    table = readings_of("table1", {"table1": many, "readings": everything})
    assert set(table["reading"]) == {"", in_words(FIRST), "label_rule = top"}
    assert set(table["dataset"]) == {"scene"} and "SubCod" not in set(table["method"])
    assert table.query("reading == ''")["split"].max() == READ_SPLITS["table1"] - 1
    names = with_readings(table)["method"].unique().tolist()
    assert names[0] == "MimlNn" and f"MimlNn, {in_words(FIRST)}" in names
    mixture = other(0.4, change=FIRST | TOP | {"metric": "x"})
    both = {"table1": many, "readings": pd.concat([everything, mixture])}
    singles = set(single_changes("table1", both)["reading"])
    assert in_words(FIRST) in singles and not any(", " in reading for reading in singles)


def test_a_row_of_a_table_may_be_another_reading_of_a_method():
    published = pd.concat([at(0.2, "RankSvm"), at(0.4, "RankSvm, converged")])
    table = readings_of("table1", {"table1": published, "readings": other(0.3, "RankSvm")})
    assert set(table["method"]) == {"RankSvm"}
    assert table["reading"].unique().tolist() == ["", "row: RankSvm, converged", "label_rule = top"]
    for row, method in multiverse.READ_AS.items():
        assert any({row, method} <= set(rows_of) for rows_of in ROWS.values())


def test_effects_by_hand(records, one_claim):
    """Leads in percent of the rival's loss: 1/3 as published, 0 with the first, 1/3 both at top."""
    effects = claim_effects(records, n_drawn=50).set_index("kind")
    assert set(effects["claim"]) == {"S4.5"}
    assert effects.at["published", "effect"] == pytest.approx(100 / 3)
    single = effects.loc["one change"].set_index("change")["effect"]
    assert single.to_dict() == pytest.approx({in_words(FIRST): 0.0, "label_rule = top": 100 / 3})
    drawn = effects.loc["drawn", "effect"].round(6)
    possible = [1 - ours / theirs for ours in (0.2, 0.3, 0.1) for theirs in (0.3, 0.15)]
    assert set(drawn) == set(np.round(np.multiply(possible, 100), 6))
    assert claim_effects(records, n_drawn=50)["effect"].tolist() == effects["effect"].tolist()
    assert claim_effects({}).empty and claim_effects({"table1": at(0.2)}).empty
    assert claim_effects({"readings": records["readings"]}).empty  # nothing to compare with


def test_effects_of_accuracies_are_those_of_the_named_sets(monkeypatch):
    """On musk1 A errs half as often as B, on fox as often; a reading is recorded on fox alone."""
    test = ClaimTest("shares", ("SubCod",), ("Em-dd",), ("musk1",), (0.5, 0.5), "table5")
    for name in CLAIM_TESTS:
        monkeypatch.setitem(CLAIM_TESTS, name, [test] if name == "S7.1" else [])
    values = {("musk1", "SubCod"): 0.9, ("musk1", "Em-dd"): 0.8, ("fox", "SubCod"): 0.6,
              ("fox", "Em-dd"): 0.6}  # fmt: skip
    own = pd.concat(rows("table5", *names, {"accuracy": [v]}) for names, v in values.items())
    change = rows("readings", "fox", "SubCod", {"accuracy": [0.7]}, parameters='{"C": 10.0}')
    effects = claim_effects({"table5": own, "readings": change}, n_drawn=1)
    assert effects["effect"].tolist() == pytest.approx([50.0] * 2)  # published, and drawn


def test_flips_are_counted_and_said(records, one_claim):
    records["readings"] = pd.concat([records["readings"], other(0.9, change=SECOND)])
    effects = claim_effects(records, n_drawn=400)
    turns = flips(effects)
    (row,) = turns.to_dict("records")
    assert row["turned"] == (in_words(SECOND), in_words(FIRST)) and row["n_changes"] == 3
    drawn = effects.query("kind == 'drawn'")["effect"]
    assert row["in_favour"] == (drawn > 0).mean() and 0.2 < row["in_favour"] < 0.8
    assert (row["mean"], row["spread"]) == pytest.approx((drawn.mean(), drawn.std()))
    text = in_sentences(turns)
    for words in ("Of 1 claims", "lead in 1 under", "In 0 they", "in 1 a single choice turns"):
        assert words in text
    assert in_sentences(turns[:0]) == "Nothing is recorded yet."
