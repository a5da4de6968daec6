"""The first page's answer: made from the scorecard, one fact a line, each with its evidence."""

import copy
import json
import re
from dataclasses import asdict

import pytest

from mimlstudy import folders
from mimlstudy.judge.claims import ClaimVerdict
from mimlstudy.judge.scorecard import scorecard
from mimlstudy.report import first_page


def verdict(supported, n_parts, word="supported in part", n_detected=0, n_printed=0):
    """With the fields of the scorecard's verdicts, so that a renamed one is found here."""
    made = ClaimVerdict(
        word=word,
        n_parts=n_parts,
        supported=supported,
        contradicted=0,
        not_tested=0,
        n_printed=n_printed,
        n_detected=n_detected,
    )
    return asdict(made)


def claim(name, supported=3, n_parts=4, parts=(), **fields):
    of_claim = verdict(supported, n_parts, **fields)
    views = ("paper's test", "corrected test", "equal tuning")
    verdicts = dict.fromkeys(views, of_claim)
    return {
        "id": name,
        "kind": "comparison",
        "verdicts": verdicts,
        "parts": list(parts),
    }


@pytest.fixture
def card():
    """A scorecard with what the facts read."""
    row = {"n_closest_to_print": 2}
    totals = {
        "rows": 3,
        "agrees": 6,
        "measured": 10,
        "chance_agreement": 0.25,
    }
    of_cases = []
    for i in range(1, 5):
        part = {"subject": "better", "share": i / 10}
        of_cases.append(claim(f"S5.{i}", parts=[part]))
    without = {
        "subject": "SubCod vs MimlSvm on the bag label",
        "difference": 0.0125,
        "half": 0.02,
    }
    words = {
        "supported": 4,
        "supported in part": 3,
        "undecided": 2,
        "contradicted": 1,
        "not tested": 5,
    }
    shares_of_leads = {"mean": (0.9, 1.0, 0.5), "bag statistics": (0.5, 0.5, 0.0)}
    rivals = []
    for rival, on_sets in shares_of_leads.items():
        for share in on_sets:
            rivals.append({"rival": rival, "leads": share})
    return {
        "rows": [row, row, {"n_closest_to_print": 0}],
        "agreeing": {"rows with settings closest to print": [4, 6], "the other rows": [2, 4]},
        "agreeing_fixed": {
            "rows with settings closest to print": [1, 6],
            "the other rows": [2, 4],
        },
        "totals": {name: {"all": totals} for name in ("closest", "fixed", "equal")},
        "claims": [
            claim("S4.1", 28, 28),
            claim("S4.2", 20, 28, word="undecided", n_detected=1, n_printed=4),
            *of_cases,
            claim("S7.4", parts=[without]),
        ],
        "words_by_kind": {"comparison": words},
        "chance": {"rows with settings closest to print": 0.3, "the other rows": 0.1},
        "chance_with_choice": {"others_marked": 0.5},
        "groups": {"equal numbers": rivals},
    }


def test_numbers_tell_rows_by_how_their_settings_were_chosen(card):
    text = first_page.numbers(card)
    assert "In 1 table rows we chose no setting to match: 2 of 4 values agree" in text
    assert "In 2 rows we did: 4 of 6 agree; with settings fixed in advance 1 of these" in text
    assert text.endswith("(17%; a wrong algorithm's: 30%).")


def test_comparisons_are_counted_by_the_corrected_test_and_by_equal_tuning(card):
    text = first_page.main_comparison(card)
    assert "in 48 of 56 comparisons," in text
    assert text.endswith("this test supports 20 and contradicts 0 of the 28 with MlSvm.")
    for of_claim in card["claims"]:
        of_claim["verdicts"]["equal tuning"] |= {"supported": 0}
    text = first_page.main_comparison(card)
    assert text.endswith("With equal tuning this test decides none of the 28 with MlSvm.")


def test_numbers_of_cases_are_those_of_four_claims(card):
    text = first_page.direct_learning(card)
    assert text.startswith(
        "By that test, of 35 cases (7 criteria, 5 data sets) it beats MimlSvm "
    )
    assert text.endswith("in 4 on scenes, 10 on texts; MimlSvm_mi in 7, 14.")


def test_sub_concepts_are_compared_with_the_learner_without_them(card):
    assert first_page.subcod(card).endswith("by 0.013 ± 0.020.")
    (part,) = card["claims"][-1]["parts"]
    part |= {"difference": 0.0}
    assert first_page.subcod(card).endswith("by 0.000 ± 0.020.")
    part |= {"half": 0.0}
    assert first_page.subcod(card).endswith("they do not change its learner's accuracy.")


def test_bags_lead_rivals_on_so_many_sets(card):
    text = first_page.bags(card)
    assert text.startswith(
        "Unclear. With equal tuning the better of two random bag learners "
    )
    assert "two on a bag's mean on 2.4 of 3 data sets (average; 1.5 is even)" in text
    assert text.endswith(", two on richer statistics on 1.0.")


def test_claims_are_counted_by_both_tests_and_a_weak_test_is_said(card):
    card["claims"][-1]["kind"] = "data"
    text = first_page.claims(card)
    assert "Of 6 that compare methods the corrected test supports 0 fully, 5 in part," in text
    assert ", and contradicts 0; 1 are undecided (for 1 it is too weak)." in text
    assert text.endswith("uncorrected test supports 0 fully. Of 1 other claims 0 hold.")


def test_what_is_unknown_counts_the_undecided_claims(card):
    assert first_page.unknown(card).endswith("a compared method; 1 undecided claims.")


@pytest.mark.parametrize(
    ("agrees", "supported", "word"), [(10, 10, "Yes."), (0, 0, "No."), (6, 4, "Partly.")]
)
def test_the_answer_in_a_word_follows_the_shares(card, agrees, supported, word):
    changed = copy.deepcopy(card)
    changed["totals"]["closest"]["all"]["agrees"] = agrees
    rest = {
        "supported in part": 10 - supported,
        "undecided": 0,
        "contradicted": 0,
    }
    changed["words_by_kind"]["comparison"] |= {"supported": supported, **rest}
    assert first_page.in_a_word(changed) == word


@pytest.mark.parametrize(
    ("agrees", "supported", "share", "gain"),
    [
        (2, 0, "50%", "do not significantly beat MlSvm"),
        (3, 20, "75%", "significantly beat MlSvm by some criteria"),
        (4, 28, "100%", "significantly beat MlSvm"),
    ],
)
def test_the_short_answer_follows_numbers_and_equal_tuning(
    card, agrees, supported, share, gain
):
    changed = copy.deepcopy(card)
    changed["agreeing"]["the other rows"] = [agrees, 4]
    changed["claims"][1]["verdicts"]["equal tuning"]["supported"] = supported
    text = first_page.in_short(changed)
    assert text.startswith(
        f"Where we chose no setting to match the paper, {share} of its values are "
    )
    assert "reproduced (by a wrong algorithm 10%); where we did, 67% (50%)." in text
    assert f"(equal tuning), the paper's learners {gain}, which sees" in text


def test_each_fact_is_a_line_that_leads_to_a_heading_of_a_notebook(card):
    text = first_page.answer(card)
    assert text.startswith(
        "**Partly.** Where we chose no setting to match the paper, 50% of its"
    )
    assert "\n\n- **Numbers.** In 1 table rows" in text
    links = re.findall(r"\[Evidence\]\(figures/pages/(\w+)\.md(?:#([\w-]+))?\)", text)
    assert len(links) == len(first_page.facts(card))
    for notebook, place in links:
        headings = headings_of(notebook)
        assert place == "" or place in headings, (notebook, place)


@pytest.mark.parametrize("page", ["README.md", "figures/pages/0_scorecard.md"])
def test_what_is_published_leads_to_headings_that_notebooks_have(page):
    # A heading that was changed after publishing leaves links that lead nowhere.
    text = (folders.notebooks().parent / page).read_text()
    links = re.findall(r"\]\((?:figures/pages/)?(\w+)\.md#([\w-]+)\)", text)
    assert links
    for notebook, place in links:
        assert place in headings_of(notebook), (page, notebook, place)


def test_another_page_links_notebooks_in_its_own_way(card):
    text = first_page.answer(card, "{}.ipynb")
    assert "[Evidence](0_scorecard.ipynb#the-claims)" in text
    assert "figures/pages" not in text


def headings_of(notebook):
    """The places of a notebook that links can name."""
    path = folders.notebooks() / f"{notebook}.ipynb"
    headings = []
    for cell in json.loads(path.read_text())["cells"]:
        if cell["cell_type"] == "markdown":
            text = "".join(cell["source"])
            headings += re.findall(r"^#+ (.+)$", text, re.M)
    return {heading.lower().replace(" ", "-").replace("?", "") for heading in headings}


NOT_YET = "Not everything is recorded yet."


def test_nothing_is_said_of_what_is_not_recorded():
    assert first_page.answer(scorecard({})) == NOT_YET


@pytest.mark.parametrize("place", range(7))
def test_nothing_is_said_before_every_claim_of_a_fact_is_tested(card, place):
    untested = verdict(0, 1, word="not tested")
    parts = [{"subject": "shares", "share": None}]
    name = card["claims"][place]["id"]
    if name == "S7.4":
        parts = card["claims"][place]["parts"]
    verdicts = dict.fromkeys(("corrected test", "equal tuning"), untested)
    card["claims"][place] |= {"verdicts": verdicts, "parts": parts}
    assert first_page.answer(card) == NOT_YET


def test_nothing_is_said_before_sub_concepts_are_compared_with_no_concepts(card):
    """Claim S7.4 may be tested by its other parts alone."""
    (part,) = card["claims"][-1]["parts"]
    part |= {"difference": None, "half": None}
    assert first_page.answer(card) == NOT_YET


def test_nothing_is_said_before_both_kinds_of_rows_are_recorded(card):
    del card["agreeing"]["the other rows"]
    assert first_page.answer(card) == NOT_YET


def test_nothing_is_said_before_fixed_settings_are_recorded_as_far_as_fitted_ones(card):
    totals = card["totals"]["fixed"]["all"]
    card["totals"]["fixed"] = {"all": totals | {"measured": totals["measured"] - 1}}
    assert first_page.answer(card) == NOT_YET
