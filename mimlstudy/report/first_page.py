"""The first page's answer: does the paper hold? Facts of the scorecard, each with its evidence."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import fill

import pandas as pd

from mimlpaper.datasets.loaders import PERCENTAGES
from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.claim_parts import NOT_TESTED
from mimlstudy.judge.claims import CORRECTED, EQUAL, PAPERS
from mimlstudy.judge.rules import POWERFUL
from mimlstudy.judge.scorecard import OTHER_ROWS, ROWS_BY_PRINT

PAGE = "figures/pages/{}.md"  # of a rendered notebook, as the README links it
NEARLY_ALL, HARDLY_ANY = 0.9, 0.1  # of the claims and of the numbers, for "yes" and for "no"
COMPARISON = "comparison"  # the kind of a claim that says which method is better
WIDTH = 100  # of a line, in characters
# Whether bags are worth it, by the number of kinds of rivals that their learners beat.
PAYS = {0: "No.", 1: "Unclear.", 2: "Yes."}
# What no record can contradict: an identity that tests prove.
INSDIF = "Turning a vector into a bag changes no prediction of its learner (proved)."
# Claims that the facts state, each with the views that they state.
STATED = {
    "S4.1": (CORRECTED,),
    "S4.2": (CORRECTED, EQUAL),
    "S5.1": (CORRECTED,),
    "S5.2": (CORRECTED,),
    "S5.3": (CORRECTED,),
    "S5.4": (CORRECTED,),
    "S7.4": (CORRECTED,),
}
N_CASES = len(CRITERIA) * len(PERCENTAGES)  # of a figure of Section 5


@dataclass(frozen=True)
class Fact:
    """One fact: what it is about, what is known, and the place that shows it."""

    head: str
    sentences: str
    notebook: str
    heading: str = ""  # of its page

    def line(self, page: str) -> str:
        """A line of a list in Markdown, with a link to the notebook's ``page``."""
        address = page.format(self.notebook)
        if self.heading:
            # As Markdown makes an anchor of a heading.
            place = self.heading.lower().replace(" ", "-").replace("?", "")
            address += f"#{place}"
        text = f"- **{self.head}** {self.sentences} [Evidence]({address})"
        return fill(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def answer(card: Mapping, page: str = PAGE) -> str:
    """Does the paper hold? In one word and a sentence, then in facts, as Markdown.

    ``card`` is a :func:`~mimlstudy.judge.scorecard.scorecard`; ``page`` is the address of a
    notebook's page, with braces for the notebook's name.
    """
    if not is_recorded(card):
        return "Not everything is recorded yet."
    lines = [fact.line(page) for fact in facts(card)]
    short = fill(f"**{in_a_word(card)}** {in_short(card)}", WIDTH)
    return "\n".join([short, "", *lines])


def is_recorded(card: Mapping) -> bool:
    """Whether all records behind the facts are there."""
    totals = card["totals"]
    has_rows = all(of_column["all"]["rows"] for of_column in totals.values())
    # The facts compare fixed settings with those closest to print on the same values.
    has_both_settings = totals["fixed"]["all"]["measured"] == totals["closest"]["all"]["measured"]
    has_both_kinds = {ROWS_BY_PRINT, OTHER_ROWS} <= {*card["agreeing"]}
    rivals = {row["rival"] for row in card["groups"]["equal numbers"]}
    return (
        has_rows
        and has_both_settings
        and has_both_kinds
        and card["chance_with_choice"]["others_marked"] is not None
        and {"mean", "bag statistics"} <= rivals
        and _are_tested(card)
    )


def _are_tested(card):
    """Whether all claims of :data:`STATED` are tested, and the part of S7.4 that a fact states."""
    for name, views in STATED.items():
        verdicts = _claim(card, name)["verdicts"]
        if any(verdicts[view]["word"] == NOT_TESTED for view in views):
            return False
    return _effect_of_concepts(card)["difference"] is not None


def in_a_word(card: Mapping) -> str:
    """Yes, no or partly: by the shares of printed numbers and of compared methods that hold."""
    totals = card["totals"]["closest"]["all"]
    of_numbers = totals["agrees"] / totals["measured"]
    of_claims = _share_supported(card)
    # The worse of both decides a yes, and the better a no.
    if min(of_numbers, of_claims) >= NEARLY_ALL:
        return "Yes."
    if max(of_numbers, of_claims) <= HARDLY_ANY:
        return "No."
    return "Partly."


def _share_supported(card):
    words = card["words_by_kind"][COMPARISON]
    n_tested = sum(words.values()) - words[NOT_TESTED]
    if not n_tested:
        return 0.0
    return words["supported"] / n_tested


def in_short(card: Mapping) -> str:
    """What share of the numbers is reproduced, and whether the paper's learners beat MlSvm."""
    n_agree, n_values = card["agreeing"][OTHER_ROWS]
    n_agree_by_print, n_values_by_print = card["agreeing"][ROWS_BY_PRINT]
    by_chance = card["chance"][OTHER_ROWS]
    by_choice = card["chance_with_choice"]["others_marked"]
    tuned = _claim(card, "S4.2")["verdicts"][EQUAL]
    beat = "significantly beat MlSvm by some criteria"
    if tuned["supported"] == tuned["n_parts"]:
        beat = "significantly beat MlSvm"
    elif not tuned["supported"]:
        beat = "do not significantly beat MlSvm"
    return (
        f"Where we chose no setting to match the paper, {n_agree / n_values:.0%} of its values are "
        f"reproduced (by a wrong algorithm {by_chance:.0%}); where we did, "
        f"{n_agree_by_print / n_values_by_print:.0%} ({by_choice:.0%}). If each method picks from "
        f"sixteen settings on training data (equal tuning), the paper's learners {beat}, which "
        "sees one vector per bag, on scene photographs."
    )


def facts(card: Mapping) -> list[Fact]:
    """The facts of the first page, in their order."""
    return [
        Fact("Numbers.", numbers(card), "0_scorecard", "The numbers"),
        Fact("Main comparison.", main_comparison(card), "4_degeneration"),
        Fact("Direct learning (D-MimlSvm).", direct_learning(card), "5_regularization"),
        Fact("Vectors as bags (InsDif).", INSDIF, "6_insdif"),
        Fact("Sub-concepts (SubCod).", subcod(card), "7_subcod"),
        Fact("Are bags worth it?", bags(card), "11_unseen_data", "Does learning from bags pay?"),
        Fact("Claims.", claims(card), "0_scorecard", "The claims"),
        Fact("Unknown.", unknown(card), "0_scorecard", "What we cannot say"),
    ]


def numbers(card: Mapping) -> str:
    """How many printed numbers agree, with and without settings chosen by them."""
    n_marked = sum(row["n_closest_to_print"] > 0 for row in card["rows"])
    n_unmarked = len(card["rows"]) - n_marked
    of_marked = card["agreeing"][ROWS_BY_PRINT]
    of_unmarked = card["agreeing"][OTHER_ROWS]
    n_fixed, n_compared = card["agreeing_fixed"][ROWS_BY_PRINT]
    by_chance = card["chance"][ROWS_BY_PRINT]
    return (
        f"In {n_unmarked} table rows we chose no setting to match: {_n_of_total(of_unmarked)} "
        f"values agree within the noise of runs. In {n_marked} rows we did: "
        f"{_n_of_total(of_marked)} agree; with settings fixed in advance {n_fixed} of these "
        f"({n_fixed / n_compared:.0%}; a wrong algorithm's: {by_chance:.0%})."
    )


def _n_of_total(counts):
    """Such as "28 of 43", of a number and its total."""
    return " of ".join(map(str, counts))


def main_comparison(card: Mapping) -> str:
    """The four learners of bags against AdtBoost.MH and MlSvm on scenes, claims S4.1 and S4.2."""
    of_boosting = _claim(card, "S4.1")["verdicts"]
    of_svm = _claim(card, "S4.2")["verdicts"]
    corrected = [of_boosting[CORRECTED], of_svm[CORRECTED]]
    n_parts = sum(verdict["n_parts"] for verdict in corrected)
    n_supported = sum(verdict["supported"] for verdict in corrected)
    tuned = of_svm[EQUAL]
    with_tuning = f"supports {tuned['supported']} and contradicts {tuned['contradicted']}"
    if not tuned["supported"] and not tuned["contradicted"]:
        with_tuning = "decides none"
    return (
        f"On scenes the paper's four MIML learners beat AdtBoost.MH and MlSvm in {n_supported} of "
        f"{n_parts} comparisons, by a t-test corrected for overlapping training sets. With equal "
        f"tuning this test {with_tuning} of the {tuned['n_parts']} with MlSvm."
    )


def direct_learning(card: Mapping) -> str:
    """In how many cases D-MimlSvm beats its two rivals, claims S5.1 to S5.4."""
    scenes, scenes_mi = _cases_won(card, "S5.1"), _cases_won(card, "S5.2")
    texts, texts_mi = _cases_won(card, "S5.3"), _cases_won(card, "S5.4")
    return (
        f"By that test, of {N_CASES} cases ({len(CRITERIA)} criteria, {len(PERCENTAGES)} data "
        f"sets) it beats MimlSvm in {scenes} on scenes, {texts} on texts; MimlSvm_mi in "
        f"{scenes_mi}, {texts_mi}."
    )


def _cases_won(card, name):
    """Of a claim on two shares of cases, the number of those in which a method is better."""
    parts = {part["subject"]: part for part in _claim(card, name)["parts"]}
    return round(parts["better"]["share"] * N_CASES)


def subcod(card: Mapping) -> str:
    """What sub-concepts add on Musk2 to a learner of the bag label, claim S7.4."""
    part = _effect_of_concepts(card)
    half = f"{part['half']:.3f}"
    accuracy = f"change its learner's accuracy by {part['difference']:.3f} ± {half}"
    if part["difference"] == part["half"] == 0:
        accuracy = "do not change its learner's accuracy"
    return f"On Musk2, where the paper's gain is largest, they {accuracy}."


def _effect_of_concepts(card):
    """The part of claim S7.4 that compares SubCod with its learner on the bag label."""
    parts = {part["subject"]: part for part in _claim(card, "S7.4")["parts"]}
    return parts["SubCod vs MimlSvm on the bag label"]


def bags(card: Mapping) -> str:
    """On how many data sets the paper's learners of bags lead rivals, by equal tuning.

    Of each group equally many learners count: the best of many leads by their number alone.
    """
    groups = card["groups"]["equal numbers"]
    leads = pd.DataFrame(groups).groupby("rival")["leads"].agg(["sum", "size"])
    n_mean, n_sets = leads.loc["mean"]
    n_statistics = leads.loc["bag statistics", "sum"]
    n_even = n_sets / 2
    n_beaten = sum(n_led > n_even for n_led in (n_mean, n_statistics))
    return (
        f"{PAYS[n_beaten]} With equal tuning the better of two random bag learners beats two on "
        f"a bag's mean on {n_mean:.1f} of {n_sets:.0f} data sets (average; {n_even:.1f} is even), "
        f"two on richer statistics on {n_statistics:.1f}."
    )


def claims(card: Mapping) -> str:
    """How many comparisons of methods have each word, and how many other claims hold."""
    of_methods, others = _tested_claims(card)
    words = Counter(_word(claim, CORRECTED) for claim in of_methods)
    by_paper = Counter(_word(claim, PAPERS) for claim in of_methods)
    n_weak = sum(map(_is_weakly_tested, of_methods))
    n_others = sum(_word(claim, CORRECTED) == "supported" for claim in others)
    return (
        f"Of {len(of_methods)} that compare methods the corrected test supports "
        f"{words['supported']} fully, {words['supported in part']} in part, and contradicts "
        f"{words['contradicted']}; {words['undecided']} are undecided (for {n_weak} it is too "
        f"weak). The paper's uncorrected test supports {by_paper['supported']} fully. Of "
        f"{len(others)} other claims {n_others} hold."
    )


def unknown(card: Mapping) -> str:
    """What the paper does not print, and how many claims no test decides."""
    of_methods, _ = _tested_claims(card)
    n_undecided = sum(_word(claim, CORRECTED) == "undecided" for claim in of_methods)
    return (
        "Whether our curves match Figs. 4 to 10, printed without numbers; the authors' program of "
        f"RankSvm, a compared method; {n_undecided} undecided claims."
    )


def _tested_claims(card):
    """The claims that the corrected test judges: comparisons of methods, and others."""
    tested = [claim for claim in card["claims"] if _word(claim, CORRECTED) != NOT_TESTED]
    of_methods = [claim for claim in tested if claim["kind"] == COMPARISON]
    others = [claim for claim in tested if claim["kind"] != COMPARISON]
    return of_methods, others


def _word(claim, view):
    return claim["verdicts"][view]["word"]


def _is_weakly_tested(claim):
    """Whether a claim is undecided since the test would miss most of the printed differences."""
    verdict = claim["verdicts"][CORRECTED]
    is_weak = verdict["n_detected"] < POWERFUL * verdict["n_printed"]
    return is_weak and verdict["word"] == "undecided"


def _claim(card, name):
    (claim,) = (claim for claim in card["claims"] if claim["id"] == name)
    return claim
