"""Chance agreement with the same choice of settings for other algorithms, worked by hand."""

import json

import numpy as np
import pandas as pd
import pytest

from mimlstudy.judge import chance
from mimlstudy.judge.chance import chance_with_choice, chosen_closest
from mimlstudy.judge.multiverse import alternative_means, completed
from mimlstudy.judge.verdicts import PRINTED_COLUMN
from mimlstudy.paper.printed import printed_cells, printed_tables
from tests.made_up_records import rows

CRITERIA = printed_tables()[1].criteria
OVERRIDE = {"C": 10.0}


@pytest.fixture(autouse=True)
def only_table_1(monkeypatch):
    monkeypatch.setattr(
        chance,
        "printed_tables",
        lambda: {1: printed_tables()[1]},
    )


def printed(method):
    cells = printed_cells(1)
    of_method = cells[cells["algorithm"] == method]
    return of_method.set_index("criterion")["mean"]


def record(method, values, n, easier=0.0):
    """Values on n splits, as in our tables; the first three are easier by so much."""
    splits = np.arange(n)
    shift = np.where(splits < 3, -easier, 3 * easier / max(n - 3, 1))
    by_split = {name: value + shift for name, value in values.items()}
    return rows("table1", "scene", method, by_split)


def alternative(method, values, easier=0.0):
    """Values on three splits with C = 10."""
    as_ours = record(method, values, 3, easier)
    return as_ours.assign(experiment="alternatives", override=json.dumps(OVERRIDE))


def test_a_row_may_choose_the_alternative_that_agrees_with_another_printed_row():
    """Ours of MimlNn is as printed. With C = 10 its numbers are those of RankSvm."""
    recorded = {
        "table1": record("MimlNn", printed("MimlNn"), n=30),
        "alternatives": alternative("MimlNn", printed("RankSvm")),
    }
    chosen = chosen_closest(recorded.get)
    of_mimlnn = chosen[chosen["algorithm"] == "MimlNn"].set_index("other")
    assert of_mimlnn.loc["MimlNn", "alternative"] == ""
    assert of_mimlnn.loc["MimlNn", "agree"] == 7
    assert of_mimlnn.loc["RankSvm", "alternative"] == "C = 10.0"
    assert of_mimlnn.loc["RankSvm", "agree"] == 7
    shares = chance_with_choice(chosen)
    assert shares["own"] == 1.0
    assert shares["others"] > 1 / 7


def test_an_alternative_is_compared_on_the_splits_that_it_shares_with_its_row():
    """The first three splits are easier for all: only the difference to the row counts."""
    ours = dict.fromkeys(CRITERIA, 0.3)
    theirs = dict.fromkeys(CRITERIA, 0.35)
    recorded = {
        "table1": record("MimlNn", ours, n=30, easier=0.1),
        "alternatives": alternative("MimlNn", theirs, easier=0.1),
    }
    means = alternative_means(1, recorded.get)
    by_setting = means.groupby("alternative")["mean"].mean()
    assert by_setting[""] == pytest.approx(0.3)
    assert by_setting["C = 10.0"] == pytest.approx(0.35)
    assert set(means["n"]) == {30}


def test_an_alternative_stays_within_the_range_of_a_criterion():
    """The row fails on the first three splits, where the alternative does not."""
    values = dict.fromkeys(CRITERIA, 0.1)
    recorded = {
        "table1": record("MimlNn", values, n=30, easier=-0.6),
        "alternatives": alternative("MimlNn", values),
    }
    means = alternative_means(1, recorded.get)
    by_setting = means.groupby("alternative")["mean"]
    assert by_setting.mean()[""] == pytest.approx(0.1)
    assert by_setting.max()["C = 10.0"] == 0.0


def test_an_alternative_that_was_not_run_on_a_cell_has_the_value_of_its_row():
    cells = pd.DataFrame(
        {
            "algorithm": "A",
            "alternative": ["", "", "x"],
            "table": 5,
            "dataset": ["fox", "musk1", "fox"],
            "criterion": "accuracy",
            "mean": [0.5, 0.6, 0.7],
        }
    )
    whole = completed(cells, "algorithm", PRINTED_COLUMN)
    of_alternative = whole[whole["alternative"] == "x"]
    means = of_alternative.set_index("dataset")["mean"]
    assert means.to_dict() == {"fox": 0.7, "musk1": 0.6}


def test_nothing_is_shared_without_records():
    nothing = {}
    shares = chance_with_choice(chosen_closest(nothing.get))
    assert shares == {"own": None, "others": None, "others_marked": None}
