"""The scorecard in words, on records as in print: all cells agree."""

import copy

import pytest

from mimlstudy.judge.scorecard import scorecard
from mimlstudy.report import words
from tests.made_up_records import as_in_the_paper


@pytest.fixture(scope="module")
def records():
    return {"table1": as_in_the_paper(1), "table2": as_in_the_paper(2)}


@pytest.fixture(scope="module")
def card(records):
    return scorecard(records)


@pytest.fixture(scope="module")
def lines(card):
    """The cells of each line of the table of outcomes, by its head."""
    table = words.in_words(card).splitlines()[4:]
    cells = [line.strip("| ").split(" | ") for line in table]
    return {head: columns for head, *columns in cells}


def test_the_outcome_has_a_line_for_each_kind_of_agreement(card, lines):
    chance = card["totals"]["closest"]["all"]["chance_agreement"]
    agreement = f"106 of 106 ({chance:.0%})"
    assert lines["values that agree (others' rows)"] == [agreement, "–", "–"]
    assert lines["rows nearest to their own printed row"][0] == "16 of 16 (by chance 2)"
    assert lines["columns with the printed winner"][0] == "100% of 14"
    assert lines["Kendall's τ (by table)"][0] == "1.00 (1.00, 1.00)"


def test_an_order_that_is_undefined_is_a_dash(card):
    """As where only one method of each column is recorded yet."""
    early = copy.deepcopy(card)
    of_closest = early["totals"]["closest"]
    of_closest["all"]["tau"] = of_closest["table2"]["tau"] = None
    assert "– (1.00, –)" in words.in_words(early)


def test_the_outcome_has_the_words_of_claims_by_both_conventions(card, lines):
    for view in ("paper's test", "paper's test, ties by equivalence", "corrected test"):
        assert lines[f"claims, {view}"][0] == words.counted(card["words"][view])


def test_the_outcome_has_both_tolerances_of_table_4(lines):
    cell = lines["values of Table 4 that agree"][0]
    assert cell == "0 as another sample of pages, 0 on the same pages"


def test_the_sign_of_an_order_stands_before_its_point(card):
    reversed_order = copy.deepcopy(card)
    reversed_order["totals"]["closest"]["table2"]["tau"] = -0.21
    assert "(1.00, -.21)" in words.in_words(reversed_order)


def test_synthetic_data_say_nothing_of_the_paper():
    drawn = scorecard({"table1": as_in_the_paper(1, kind="synthetic")})
    assert words.in_words(drawn) == words.SYNTHETIC_ALONE
    beyond_print = as_in_the_paper(5).query("method == 'SubCod'").assign(method="another")
    assert words.in_words(scorecard({"table5": beyond_print})) == words.NOTHING_YET


def test_without_records_nothing_is_said():
    nothing = scorecard({})
    assert words.in_words(nothing) == "Nothing is recorded yet."


def test_numbers_by_word_leave_out_zero():
    assert words.counted({"a": 3, "b": 0, "c": 1}) == "3 a, 1 c"
