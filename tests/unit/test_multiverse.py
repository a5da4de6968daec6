"""Alternative settings: the effects of claims, and the places of printed rows, worked by hand."""

import json

import numpy as np
import pandas as pd
import pytest

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge import multiverse
from mimlstudy.judge.claim_tests import ClaimTest
from mimlstudy.judge.multiverse import (
    alternatives_of,
    claim_effects,
    flips,
    override_in_words,
)
from mimlstudy.paper.equal_tuning import BASE_METHODS
from mimlstudy.paper.experiments import ALTERNATIVE_SPLITS, ROWS
from mimlstudy.paper.variants import VARIED
from tests.made_up_records import rows

ALTERNATIVES = ROWS["table1"]["MimlNn"].alternatives
WITHOUT_RULE = [override for override in ALTERNATIVES if "label_rule" not in override]
FIRST = WITHOUT_RULE[0]
SECOND = WITHOUT_RULE[1]
TOP = {"label_rule": "top"}


def at(loss, method="MimlNn", override=None, n=ALTERNATIVE_SPLITS["table1"]):
    """Records of a row, or of an alternative: losses are ``loss``, and scores are 1 - ``loss``."""
    values = {}
    for name, criterion in CRITERIA.items():
        value = loss if criterion.lower_is_better else 1 - loss
        values[name] = np.full(n, value)
    experiment = "alternatives" if override else "table1"
    text = json.dumps(override or {})
    return rows(experiment, "scene", method, values, override=text)


@pytest.fixture
def records():
    """MimlNn leads Ml-knn by a third; with another setting by nothing, both at top by two."""
    ours = [at(0.2), at(0.3, "Ml-knn")]
    alternatives = [
        at(0.3, override=FIRST),
        at(0.1, override=TOP),
        at(0.15, "Ml-knn", TOP),
    ]
    return {"table1": pd.concat(ours), "alternatives": pd.concat(alternatives)}


@pytest.fixture(autouse=True)
def two_claims(monkeypatch):
    """MimlNn is better than Ml-knn on two losses, SubCod than Em-dd on musk1."""
    on_losses = ClaimTest(
        "better",
        ("MimlNn",),
        ("Ml-knn",),
        ("coverage", "one_error"),
        (),
        ("table1",),
    )
    on_accuracy = ClaimTest(
        "shares",
        ("SubCod",),
        ("Em-dd",),
        ("musk1",),
        (0.5, 0.5),
        ("table5",),
    )
    claims = {"S4.5": [on_losses], "S7.1": [on_accuracy]}
    monkeypatch.setattr(multiverse, "claim_tests", lambda: claims)


MIXTURE = FIRST | TOP | {"metric": "x"}


@pytest.fixture
def many_alternatives(records):
    """More splits than alternatives have; some of another set, another method, and a mixture."""
    alternatives = [
        records["alternatives"],
        at(0.5, override=TOP).assign(dataset="reuters"),
        at(0.9, "SubCod", TOP),
        at(0.4, override=MIXTURE),
    ]
    ours = at(0.2, n=ALTERNATIVE_SPLITS["table1"] + 5)
    return {"table1": ours, "alternatives": pd.concat(alternatives)}


def test_alternatives_are_those_of_the_same_data_on_their_few_splits(many_alternatives):
    table = alternatives_of("table1", many_alternatives)
    assert set(table["dataset"]) == {"scene"}
    assert "SubCod" not in set(table["method"])
    ours = table[table["alternative"] == ""]
    assert ours["split"].max() == ALTERNATIVE_SPLITS["table1"] - 1


def test_an_unfinished_alternative_is_left_out(records):
    """Its one split may be an easy one."""
    unfinished = at(0.01, override=SECOND, n=1)
    records["alternatives"] = pd.concat([records["alternatives"], unfinished])
    assert override_in_words(SECOND) not in {
        *alternatives_of("table1", records)["alternative"]
    }
    alternatives = {*claim_effects(records, n_mixtures=1)["alternative"]}
    assert override_in_words(FIRST) in alternatives
    assert override_in_words(SECOND) not in alternatives


def test_a_mixture_is_an_alternative_but_no_single_one(many_alternatives):
    table = alternatives_of("table1", many_alternatives)
    single = multiverse.single_alternatives("table1", many_alternatives)
    single_names = {"", override_in_words(FIRST), "label_rule = top"}
    assert set(single["alternative"]) == single_names
    assert set(table["alternative"]) == {*single_names, override_in_words(MIXTURE)}


def test_an_alternative_is_named_after_its_method(many_alternatives):
    table = alternatives_of("table1", many_alternatives)
    named = multiverse.named_by_alternative(table)
    names = named["method"].unique().tolist()
    assert names[0] == "MimlNn"
    assert f"MimlNn, {override_in_words(FIRST)}" in names


def test_a_row_of_a_table_may_be_an_alternative_of_a_method():
    ours = [at(0.2, "RankSvm"), at(0.4, "RankSvm, converged")]
    alternatives = at(0.3, "RankSvm", TOP)
    records = {"table1": pd.concat(ours), "alternatives": alternatives}
    table = alternatives_of("table1", records)
    assert set(table["method"]) == {"RankSvm"}
    assert table["alternative"].unique().tolist() == [
        "",
        "row: RankSvm, converged",
        "label_rule = top",
    ]


def test_a_row_varies_the_method_whose_learner_it_has():
    """Rows say it by ``base_method``, and the list of variants by name."""
    for table in ROWS.values():
        for name, row in table.items():
            if name in VARIED:
                assert row.base_method == VARIED[name], name
    for name, base_method in BASE_METHODS.items():
        assert VARIED.get(name, base_method) == base_method, name


def test_rows_that_are_alternatives_stand_in_one_table_with_their_method():
    for row, method in multiverse.METHOD_OF_ROW.items():
        tables = [table for table in ROWS.values() if row in table]
        assert any(method in table for table in tables), row


def test_effects_by_hand(records):
    """Leads in percent of the rival's loss: 1/3 with ours, 0 with the first, 1/3 both at top."""
    effects = claim_effects(records, n_mixtures=50)
    assert set(effects["claim"]) == {"S4.5"}
    by_kind = effects.set_index("kind")
    assert by_kind.at[multiverse.OURS, "effect"] == pytest.approx(100 / 3)
    of_singles = by_kind.loc[multiverse.SINGLE].set_index("alternative")["effect"]
    expected = {override_in_words(FIRST): 0.0, "label_rule = top": 100 / 3}
    assert of_singles.to_dict() == pytest.approx(expected)


def test_mixtures_combine_each_alternative_of_both_methods(records):
    effects = claim_effects(records, n_mixtures=50)
    is_mixture = effects["kind"] == multiverse.MIXTURE
    of_mixtures = effects.loc[is_mixture, "effect"]
    possible = []
    for loss in (0.2, 0.3, 0.1):
        for rival_loss in (0.3, 0.15):
            possible.append(100 * (1 - loss / rival_loss))
    assert set(of_mixtures.round(6)) == set(np.round(possible, 6))


def test_effects_are_the_same_each_time(records):
    effects = claim_effects(records, n_mixtures=50)
    assert claim_effects(records, n_mixtures=50).equals(effects)


def test_without_a_rival_or_a_row_of_ours_there_is_no_effect(records):
    assert claim_effects({}).empty
    assert claim_effects({"table1": at(0.2)}).empty
    assert claim_effects({"alternatives": records["alternatives"]}).empty


def test_effects_of_accuracies_are_those_of_the_named_sets():
    """On musk1 A errs half as often as B, on fox as often; the alternative is on fox alone."""
    ours = [
        rows("table5", "musk1", "SubCod", {"accuracy": [0.9]}),
        rows("table5", "musk1", "Em-dd", {"accuracy": [0.8]}),
        rows("table5", "fox", "SubCod", {"accuracy": [0.6]}),
        rows("table5", "fox", "Em-dd", {"accuracy": [0.6]}),
    ]
    accuracy = {"accuracy": [0.7]}
    alternative = rows(
        "alternatives",
        "fox",
        "SubCod",
        accuracy,
        override='{"C": 10.0}',
    )
    records = {"table5": pd.concat(ours), "alternatives": alternative}
    effects = claim_effects(records, n_mixtures=1)
    # As ours, and of the mixture.
    assert effects["effect"].tolist() == pytest.approx([50.0, 50.0])


def accuracies(method, **of_sets):
    """Records of a method by data set."""
    return [
        rows("table5", name, method, {"accuracy": [value]}) for name, value in of_sets.items()
    ]


def test_a_set_that_one_method_lacks_gives_no_lead(monkeypatch):
    """On fox SubCod errs half as often as Em-dd, which lacks musk1."""
    claimed = ClaimTest(
        "better",
        ("SubCod",),
        ("Em-dd",),
        ("musk1", "fox"),
        (),
        ("table5",),
    )
    monkeypatch.setattr(
        multiverse,
        "claim_tests",
        lambda: {"S7.1": [claimed]},
    )
    ours = [
        *accuracies("SubCod", musk1=0.9, fox=0.8),
        *accuracies("Em-dd", fox=0.6),
    ]
    effects = claim_effects({"table5": pd.concat(ours)}, n_mixtures=1)
    assert effects["effect"].tolist() == pytest.approx([50.0, 50.0])


def test_losses_are_paired_by_the_names_of_sets():
    """MimlNn has one more set than Ml-knn: it counts for neither."""
    only_on = at(0.9).assign(dataset="another")
    ours = pd.concat([only_on, at(0.2), at(0.4, "Ml-knn")])
    effects = claim_effects({"table1": ours}, n_mixtures=1)
    assert effects["effect"].tolist() == pytest.approx([50.0, 50.0])


@pytest.fixture
def effects(records):
    """A third alternative, by which MimlNn falls far behind."""
    turning = at(0.9, override=SECOND)
    records["alternatives"] = pd.concat([records["alternatives"], turning])
    return claim_effects(records, n_mixtures=400)


def test_flips_are_counted(effects):
    (row,) = flips(effects).to_dict("records")
    assert row["turned"] == (override_in_words(SECOND), override_in_words(FIRST))
    assert row["n_alternatives"] == 3
    of_mixtures = effects.query("kind == 'mixture'")["effect"]
    assert row["in_favour"] == (of_mixtures > 0).mean()
    assert 0.2 < row["in_favour"] < 0.8
    assert row["mean"] == pytest.approx(of_mixtures.mean())
    assert row["std"] == pytest.approx(of_mixtures.std())


def test_an_alternative_whose_effect_is_unknown_turns_nothing():
    kinds = [multiverse.OURS, *[multiverse.SINGLE] * 3, multiverse.MIXTURE]
    effects = pd.DataFrame(
        {
            "claim": "S4.5",
            "kind": kinds,
            "alternative": ["", "unknown", "even", "back", ""],
            "effect": [5.0, np.nan, 0.0, -1.0, 5.0],
        }
    )
    (row,) = flips(effects).to_dict("records")
    assert row["turned"] == ("back", "even")
