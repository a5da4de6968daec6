"""The scorecard on made-up records, and on the recorded ones against a second count."""

import json
import shutil

import pandas as pd
import pytest

from mimlstudy import folders
from mimlstudy.engine.records import KEY
from mimlstudy.judge.claims import WORDS
from mimlstudy.judge.scorecard import scorecard
from mimlstudy.judge.verdicts import VERDICTS
from mimlstudy.paper.experiments import EXPERIMENTS, ROWS
from mimlstudy.paper.published import TABLES, published_claims
from tests import recount
from tests.made_up_records import as_in_the_paper

OUTDATED = "code changed"  # a state of records
COUNTED = ("cells", *VERDICTS, "complete", "rows", "rows_recognised", "columns")


@pytest.fixture(scope="module")
def half_run():
    """Tables 1 and 2 run, the first of them by other code; nothing else."""
    return {"table1": as_in_the_paper(1, state=OUTDATED), "table2": as_in_the_paper(2)}


@pytest.fixture(scope="module")
def card(half_run):
    return scorecard(half_run)


def test_every_cell_has_a_verdict_and_what_is_not_current_is_not_complete(card):
    totals = card["totals"]["closest"]
    assert len(card["cells"]) == totals["all"]["cells"] == 283
    assert sum(totals["all"][word] for word in VERDICTS) == 283
    assert totals["table1"]["agrees"] == totals["table2"]["agrees"] == 53
    assert totals["table5"]["missing"] == 45
    assert totals["table1"]["complete"] == 0
    assert totals["table2"]["complete"] == 56


@pytest.mark.parametrize("word", COUNTED)
def test_totals_of_tables_add_up(card, word):
    totals = card["totals"]["closest"]
    assert totals["all"][word] == sum(totals[f"table{number}"][word] for number in TABLES)


def test_no_total_stands_without_its_chance_agreement(card):
    totals = card["totals"]["closest"]
    for measured in ("table1", "table2", "all"):
        assert 0 < totals[measured]["chance_agreement"] < 0.25
    assert totals["table3"]["chance_agreement"] is None
    assert card["chance_with_choice"]["own"] == 1.0
    assert 0 < card["chance_with_choice"]["others"] < 0.25


def test_rows_as_printed_are_recognised(card):
    assert len(card["rows"]) == 16
    assert all(row["nearest"] == row["algorithm"] for row in card["rows"])
    marked = {row["algorithm"] for row in card["rows"] if row["closest_to_print"]}
    assert "MimlSvm_mi" in marked


def test_claims_have_all_columns_and_kinds(card):
    claims = {claim["id"]: claim for claim in card["claims"]}
    assert list(claims) == list(published_claims()["id"])
    verdicts = claims["S4.8"]["verdicts"]
    assert verdicts["fixed in advance"]["word"] == "not tested"
    assert verdicts["equal tuning"]["word"] == "not tested"
    assert verdicts["paper's test"]["word"] == "supported"
    assert claims["S4.8"]["multiverse"] is None
    assert claims["S4.2"]["multiverse"]["effect"] > 0
    for counts in card["words"].values():
        assert sum(counts.values()) == len(claims)
    by_kind = pd.DataFrame(card["words_by_kind"])
    assert by_kind.sum(axis=1)[[*WORDS]].to_dict() == card["words"]["corrected test"]


def test_the_card_is_ready_for_json(card):
    assert json.loads(json.dumps(card, allow_nan=False))["rows"] == card["rows"]


def test_settings_fixed_in_advance_are_judged_beside_those_closest_to_print():
    closest = as_in_the_paper(1)
    fixed = closest[closest["method"].isin(ROWS["table1"].fixed())].copy()
    fixed.loc[fixed["method"] == "MimlSvm_mi", "hamming_loss"] = 0.5
    card = scorecard({"table1": closest, "fixed": fixed})
    cells = {(c["algorithm"], c["criterion"]): c for c in card["cells"] if c["table"] == 1}
    cell = cells["MimlSvm_mi", "hamming_loss"]
    assert cell["verdict"] == "agrees"
    assert cell["fixed_verdict"] == "differs_worse"
    assert cell["fixed_mean"] == 0.5
    agrees = {name: card["totals"][name]["table1"]["agrees"] for name in ("closest", "fixed")}
    assert agrees == {"closest": 53, "fixed": 52}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """The recorded files without trials that no experiment has any more; all count as current."""
    data = tmp_path_factory.mktemp("data")
    shutil.copytree(folders.published(), data / "published")
    (data / "results").mkdir()
    for name, experiment in EXPERIMENTS.items():
        path = folders.results() / f"{name}.csv"
        if path.is_file():
            trials = pd.DataFrame(experiment.trials("paper"), columns=KEY)
            rows = pd.read_csv(path, low_memory=False).merge(trials, on=KEY)
            rows.assign(state="current").to_csv(data / "results" / path.name, index=False)
    return data


@pytest.fixture(scope="module")
def recorded_card(recorded):
    def read(name):
        path = recorded / "results" / f"{name}.csv"
        return pd.read_csv(path, low_memory=False) if path.is_file() else pd.DataFrame()

    return scorecard(read)


@pytest.fixture(autouse=True)
def counted_files(request, monkeypatch):
    """The second count reads the same files."""
    if "recorded_card" in request.fixturenames:
        monkeypatch.setattr(recount, "DATA", request.getfixturevalue("recorded"))
        recount.recorded.cache_clear()


def counts_agree(total, counted):
    n_winners = total["winner_agreement"] * total["columns"]
    assert n_winners == pytest.approx(counted.pop("winners"))
    for name, value in counted.items():
        assert total[name] == pytest.approx(value), name


def test_a_second_count_of_the_records_gives_the_same_agreement(recorded_card):
    counts_agree(recorded_card["totals"]["closest"]["all"], recount.agreement(fixed=False))


def test_a_second_count_gives_the_same_agreement_of_settings_fixed_in_advance(recorded_card):
    """The count takes each method that is recorded there; all must be, or it takes another row."""
    recorded_methods = {*recount.recorded("fixed")["method"]}
    missing = {*EXPERIMENTS["fixed"].methods} - recorded_methods
    if missing:
        pytest.skip(f"not recorded with settings fixed in advance: {', '.join(sorted(missing))}")
    counts_agree(recorded_card["totals"]["fixed"]["all"], recount.agreement(fixed=True))


def test_a_second_count_gives_the_same_chance_agreement_after_a_choice(recorded_card):
    counted = recount.chance_with_choice()
    for name, share in counted.items():
        assert recorded_card["chance_with_choice"][name] == pytest.approx(share), name


def test_a_second_count_gives_both_tolerances_of_table_4(recorded_card):
    assert recorded_card["table4"] == recount.table_4()


def test_a_second_count_gives_the_parts_of_claims_by_both_conventions_for_ties(recorded_card):
    claims = {claim["id"]: claim["verdicts"] for claim in recorded_card["claims"]}
    counts = recount.claims()
    assert len(counts) >= 15
    for name, (by_convention, by_equivalence) in counts.items():
        papers = claims[name]["paper's test"]
        equivalence = claims[name]["paper's test, ties by equivalence"]
        for word in ("supported", "contradicted"):
            assert papers[word] == by_convention[word], name
            assert equivalence[word] == by_equivalence[word], name
