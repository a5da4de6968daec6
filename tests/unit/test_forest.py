"""The forest plot of claims: differences as worked by hand, and what it shows of each claim."""

import numpy as np
import pytest

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.claims import evaluate_claims
from mimlstudy.paper.printed import printed_cells
from mimlstudy.report.forest import claim_difference, claims_caption, claims_figure
from tests.made_up_records import as_in_the_paper

RECORDS = {"table1": as_in_the_paper(1)}


def printed_losses(method):
    cells = printed_cells(1).query("algorithm == @method").set_index("criterion")["mean"]
    losses = {}
    for name, mean in cells.items():
        losses[name] = mean if CRITERIA[name].lower_is_better else 1 - mean
    return losses


def by_hand(methods, rival):
    """The mean over methods and criteria of the lead, in percent of the rival's loss."""
    of_rival = printed_losses(rival)
    leads = []
    for method in methods:
        of_method = printed_losses(method)
        for name, loss in of_rival.items():
            if np.isfinite(loss):
                leads.append(100 * (1 - of_method[name] / loss))
    return np.mean(leads)


@pytest.mark.parametrize("claim, rival", [("S4.1", "AdtBoost.MH"), ("S4.2", "MlSvm")])
def test_the_difference_is_the_mean_lead_in_percent_of_the_rivals_loss(claim, rival):
    """Records that have the printed means have the printed difference; N/A cells do not count."""
    expected = by_hand(("MimlBoost", "MimlSvm", "MimlSvm_mi", "MimlNn"), rival)
    difference = claim_difference(RECORDS.get, claim)
    assert difference.printed == pytest.approx(expected, abs=0.01)
    assert difference.ours == pytest.approx(expected, abs=0.01)
    assert difference.half > 0


def test_records_further_from_print_move_ours_and_not_the_printed_difference():
    records = as_in_the_paper(1)
    is_rival = records["method"] == "MlSvm"
    records.loc[is_rival, "hamming_loss"] *= 2
    before = claim_difference(RECORDS.get, "S4.2")
    after = claim_difference({"table1": records}.get, "S4.2")
    assert after.ours > before.ours + 1
    assert after.printed == pytest.approx(before.printed, abs=0.01)


def test_a_claim_about_data_or_without_records_has_no_difference():
    assert claim_difference(RECORDS.get, "S4.19") is None
    assert claim_difference({}.get, "S4.2") is None


def test_each_claim_has_a_row_of_words_and_a_verdict_and_comparisons_have_marks():
    findings = evaluate_claims(RECORDS.get, ("S4.2", "S4.19"))
    (ax,) = claims_figure(findings, RECORDS.get).axes
    texts = [text.get_text() for text in ax.texts]
    assert texts[0].startswith("S4.2, Table 1: Each of")
    assert texts[2].startswith("S4.19, ")
    assert texts[1::2] == [finding.word() for finding in findings]
    dots = [line for line in ax.get_lines() if line.get_marker() == "o"]
    bars = [line for line in ax.get_lines() if line.get_marker() == "|"]
    assert len(dots) == len(bars) == 1


def test_the_caption_counts_the_verdicts():
    findings = evaluate_claims(RECORDS.get, ("S4.2", "S4.19"))
    assert findings[0].word() == "supported"
    assert claims_caption(findings).endswith("Of 2 claims: 1 supported, 1 not tested.")
