"""The scorecard on made-up records, and on the recorded ones against a second count."""

import json
import shutil

import pandas as pd
import pytest

from mimlstudy import folders
from mimlstudy.engine.records import KEY
from mimlstudy.judge.claims import WORDS, evaluate_claims
from mimlstudy.judge.scorecard import scorecard
from mimlstudy.judge.verdicts import VERDICTS
from mimlstudy.paper.experiments import EXPERIMENTS, ROWS
from mimlstudy.paper.printed import printed_claims, printed_tables
from mimlstudy.report import status
from tests import recount
from tests.made_up_records import as_in_the_paper

COUNTED = ("cells", *VERDICTS, "complete", "rows", "rows_recognised", "columns")


@pytest.fixture(scope="module")
def half_run():
    """Tables 1 and 2 run, the first of them by other code; nothing else."""
    return {
        "table1": as_in_the_paper(1, state="code changed"),
        "table2": as_in_the_paper(2),
    }


@pytest.fixture(scope="module")
def card(half_run):
    return scorecard(half_run)


def test_every_cell_has_a_verdict_and_what_is_not_current_is_not_complete(card):
    totals = card["totals"]["closest"]
    assert len(card["cells"]) == 283
    assert totals["all"]["cells"] == 283
    assert sum(totals["all"][word] for word in VERDICTS) == 283
    assert totals["table1"]["agrees"] == 53
    assert totals["table2"]["agrees"] == 53
    assert totals["table5"]["missing"] == 45
    assert totals["table1"]["complete"] == 0
    assert totals["table2"]["complete"] == 56


@pytest.mark.parametrize("word", COUNTED)
def test_totals_of_tables_add_up(card, word):
    totals = card["totals"]["closest"]
    of_tables = [totals[f"table{number}"][word] for number in printed_tables()]
    assert totals["all"][word] == sum(of_tables)


def test_no_total_stands_without_its_chance_agreement(card):
    totals = card["totals"]["closest"]
    for measured in ("table1", "table2", "all"):
        assert 0 < totals[measured]["chance_agreement"] < 0.25
    assert totals["table3"]["chance_agreement"] is None
    assert card["chance_with_choice"]["own"] == 1.0
    assert 0 < card["chance_with_choice"]["others"] < 0.25


def test_rows_as_printed_are_recognised(card):
    rows = pd.DataFrame(card["rows"])
    assert len(rows) == 16
    assert rows["nearest"].equals(rows["algorithm"])
    marked = rows[rows["n_closest_to_print"].astype(bool)]
    assert "MimlSvm_mi" in set(marked["algorithm"])


def verdicts_of_claims(card):
    return {claim["id"]: claim["verdicts"] for claim in card["claims"]}


def test_a_claim_has_a_verdict_in_each_column(card):
    claims = verdicts_of_claims(card)
    assert list(claims) == list(printed_claims()["id"])
    verdicts = claims["S4.8"]
    assert verdicts["fixed in advance"]["word"] == "not tested"
    assert verdicts["equal tuning"]["word"] == "not tested"
    assert verdicts["paper's test"]["word"] == "supported"


def test_only_a_claim_that_a_multiverse_tests_has_its_effect(card):
    multiverses = {claim["id"]: claim["multiverse"] for claim in card["claims"]}
    assert multiverses["S4.8"] is None
    assert multiverses["S4.2"]["effect"] > 0


def test_verdicts_of_all_claims_are_counted_also_by_kind(card):
    for counts in card["words"].values():
        assert sum(counts.values()) == len(card["claims"])
    by_kind = pd.DataFrame(card["words_by_kind"])
    of_all_kinds = by_kind.sum(axis=1)[[*WORDS]]
    assert of_all_kinds.to_dict() == card["words"]["corrected test"]


def test_the_card_is_ready_for_json(card):
    text = json.dumps(card, allow_nan=False)
    assert json.loads(text)["rows"] == card["rows"]


def test_findings_come_back_from_a_card_that_was_kept(card, half_run):
    kept = json.loads(json.dumps(card))
    assert status.findings_of(kept) == evaluate_claims(half_run.get)


def test_settings_fixed_in_advance_are_judged_beside_those_closest_to_print():
    closest = as_in_the_paper(1)
    methods = ROWS["table1"].fixed_where_different()
    fixed = closest[closest["method"].isin(methods)].copy()
    is_mi = fixed["method"] == "MimlSvm_mi"
    fixed.loc[is_mi, "hamming_loss"] = 0.5
    card = scorecard({"table1": closest, "fixed": fixed})
    cells = pd.DataFrame(card["cells"])
    key = ["table", "algorithm", "criterion"]
    cell = cells.set_index(key).loc[(1, "MimlSvm_mi", "hamming_loss")]
    assert cell["verdict"] == "agrees"
    assert cell["fixed_verdict"] == "differs_worse"
    assert cell["fixed_mean"] == 0.5
    totals = card["totals"]
    assert totals["closest"]["table1"]["agrees"] == 53
    assert totals["fixed"]["table1"]["agrees"] == 52


def test_synthetic_data_have_no_part_in_chance_or_in_alternatives():
    card = scorecard({"table1": as_in_the_paper(1, kind="synthetic")})
    assert set(card["chance_with_choice"].values()) == {None}
    assert all(claim["multiverse"] is None for claim in card["claims"])


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """The recorded files without trials that no experiment has any more; all count as current."""
    folder = tmp_path_factory.mktemp("data")
    shutil.copytree(folders.printed_data(), folder / "printed")
    results = folder / "results"
    results.mkdir()
    for name, experiment in EXPERIMENTS.items():
        path = folders.results() / f"{name}.csv"
        if path.is_file():
            recorded = pd.read_csv(path, low_memory=False)
            trials = pd.DataFrame(experiment.trials("paper"), columns=KEY)
            rows = recorded.merge(trials, on=KEY).assign(state="current")
            rows.to_csv(results / path.name, index=False)
    return folder


@pytest.fixture(scope="module")
def recorded_card(data):
    def read(name):
        path = data / "results" / f"{name}.csv"
        if not path.is_file():
            return pd.DataFrame()
        return pd.read_csv(path, low_memory=False)

    return scorecard(read)


def counts_agree(total, counted):
    n_winners = total["winner_agreement"] * total["columns"]
    assert n_winners == pytest.approx(counted.pop("winners"))
    for name, value in counted.items():
        assert total[name] == pytest.approx(value), name


def test_a_second_count_of_the_records_gives_the_same_agreement(recorded_card, data):
    counted = recount.agreement(data, recount.records_closest)
    counts_agree(recorded_card["totals"]["closest"]["all"], counted)


def test_a_second_count_gives_the_same_agreement_of_settings_fixed_in_advance(
    recorded_card, data
):
    """The count takes each method that is recorded there; all must be, or it takes another row."""
    recorded_methods = set(recount.recorded(data, "fixed")["method"])
    missing = set(EXPERIMENTS["fixed"].methods) - recorded_methods
    if missing:
        names = ", ".join(sorted(missing))
        pytest.skip(f"not recorded with settings fixed in advance: {names}")
    counted = recount.agreement(data, recount.records_fixed)
    counts_agree(recorded_card["totals"]["fixed"]["all"], counted)


def test_a_second_count_gives_the_same_chance_agreement_after_a_choice(recorded_card, data):
    counted = recount.chance_with_choice(data)
    judged = recorded_card["chance_with_choice"]
    for name, share in counted.items():
        assert judged[name] == pytest.approx(share), name


def test_a_second_count_gives_both_tolerances_of_table_4(recorded_card, data):
    assert recorded_card["table4"] == recount.table_4(data)


def test_a_second_count_gives_the_parts_of_claims_by_both_conventions_for_ties(
    recorded_card, data
):
    claims = verdicts_of_claims(recorded_card)
    counts = recount.claims(data)
    assert len(counts) >= 15
    for name, (by_convention, by_equivalence) in counts.items():
        papers = claims[name]["paper's test"]
        equivalence = claims[name]["paper's test, ties by equivalence"]
        for word in ("supported", "contradicted"):
            assert papers[word] == by_convention[word], name
            assert equivalence[word] == by_equivalence[word], name
