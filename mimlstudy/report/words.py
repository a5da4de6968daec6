"""The scorecard in words: tables and sentences for the first page, the command and notebooks."""

from collections.abc import Sequence

import pandas as pd

from mimlstudy.judge.claims import VIEWS, WORDS, ClaimFinding, count_words
from mimlstudy.judge.equal_tuning import RIVALS
from mimlstudy.judge.scorecard import scorecard_cells
from mimlstudy.judge.selection import COLUMNS, Records
from mimlstudy.judge.verdicts import agreement
from mimlstudy.report.tables import CORRECTED, PAPERS, frame_grid

# How the totals of a table are said.
AGREEMENT = (
    "{agrees} of {measured} (other algorithms' {chance_agreement:.0%}), {differs_better} are "
    "better and {differs_worse} worse, and {rows_recognised} of {rows} rows are nearest to their "
    "own printed row (by chance {rows_by_chance:.0f})"
)
EQUIVALENCE = "paper's test, ties by equivalence"
NAMES = {  # of columns and groups in sentences
    "closest": "settings closest to print",
    "fixed": "settings fixed in advance",
    "equal": "equal tuning",
    "mean": "a bag's mean",
    "bag statistics": "its statistics",
    "bags, others": "other learners of bags",
}
FIRM = 0.9  # share of mixtures in which methods lead in the paper's direction


def in_words(card: dict) -> str:
    """The outcome as a table in Markdown: agreement, order, claims, by column of settings."""
    if not card["totals"]["closest"]["all"]["rows"]:
        return "Nothing is recorded yet."
    shares = [f"{n / total:.0%} agree in {name}" for name, (n, total) in card["agreeing"].items()]
    columns = {NAMES[name]: _column_in_words(name, card) for name in COLUMNS}
    caption = (
        f"Printed values and claims, by how our settings were chosen. With settings closest to "
        f"print {' and '.join(shares)}. Of {len(card['claims'])} claims are {', '.join(WORDS)}:"
    )
    table = frame_grid(pd.DataFrame(columns), pd.DataFrame(), caption, corner="what is counted")
    return table.to_markdown().strip()


def bags_in_words(groups: dict) -> str:
    """How the paper's learners of bags compare with other groups by equal tuning.

    ``groups`` are those of the scorecard; the sentence ends without a full stop.
    """
    differences = pd.DataFrame(groups["all learners"])
    drawn = pd.DataFrame(groups["equal numbers"])
    if drawn.empty or not {*RIVALS} <= {*differences["rival"]}:
        return "Not everything is recorded yet"
    parts = []
    for rival in RIVALS:
        of_rival = differences[differences["rival"] == rival]
        leads = (of_rival["difference"] > 0).groupby(of_rival["n_labels"]).agg(["sum", "size"])
        counts = [f"{row['sum']} of {row['size']}" for _, row in leads.iterrows()]
        expected = drawn.loc[drawn["rival"] == rival, "leads"].sum()
        parts.append(f"{NAMES[rival]} on {' and '.join(counts)} (equal numbers {expected:.1f})")
    n_sets = differences["dataset"].nunique()
    kinds = " and ".join(sorted(differences["n_labels"].unique()))
    return (
        f"With equal tuning the paper's learners of bags lead, on sets with {kinds}: "
        f"{'; '.join(parts)}. *Equal numbers* is how many of the {n_sets} sets they lead on if "
        "two learners of each group are drawn"
    )


def multiverse_in_words(turns: pd.DataFrame) -> str:
    """How many claims hold in the paper's direction in a stress test, and what one choice turns.

    ``turns`` are those of :func:`~mimlstudy.judge.multiverse.flips`.
    """
    if turns.empty:
        return "Nothing is recorded yet."
    n_ahead = (turns["effect"] > 0).sum()
    n_firm = (turns["in_favour"] >= FIRM).sum()
    n_large = (turns["mean"] > turns["std"]).sum()
    n_turned = turns["turned"].map(bool).sum()
    return (
        f"Of {len(turns)} claims that say which methods are better, these lead in {n_ahead} with "
        f"the published settings. In {n_firm} they lead in at least {FIRM:.0%} of the mixtures of "
        f"alternatives, in {n_large} by more than the spread over these; in {n_turned} a single "
        "setting turns the sign. So few splits allow no test, and no alternative is more likely "
        "than another: this is a stress test."
    )


def _column_in_words(name, card):
    overall, *by_table = card["totals"][name].values()
    taus = [f"{t['tau'] or 0:.2f}".lstrip("0") for t in by_table if t["columns"]]
    texts = {
        "cells that agree (others' rows)": "{agrees} of {measured} ({chance_agreement:.0%})",
        "rows nearest to their own": "{rows_recognised} of {rows} (by chance {rows_by_chance:.0f})",
        "columns with the printed winner": "{winner_agreement:.0%} of {columns}",
        "Kendall's τ; by table": "{tau:.2f}; " + "/".join(taus),
    }
    recorded = overall["rows"] > 0
    cells = {head: text.format(**overall) if recorded else "–" for head, text in texts.items()}
    for view, (column, test) in VIEWS.items():
        if column == name:
            head = {"paper": PAPERS, "corrected": CORRECTED, "paired": EQUIVALENCE}[test]
            cells[f"claims, {head}"] = "/".join(map(str, card["words"][view].values()))
    if name == "closest":
        choice = card["chance_with_choice"]
        if choice["own"] is not None:
            text = f"{choice['own']:.0%} ({choice['others']:.0%})"
            cells["after a choice of settings (others' rows)"] = text
        cells["cells of Table 4 that agree, sampled pages / same pages"] = " / ".join(
            map(str, card["table4"].values())
        )
    return pd.Series(cells)


def finding_in_words(
    get_records: Records, numbers: Sequence[int], claims: Sequence[ClaimFinding]
) -> str:
    """The outcome of some tables and some claims, in a few sentences."""
    sentences = []
    for number in numbers:
        totals = agreement(scorecard_cells(get_records, numbers=[number]))
        text = AGREEMENT.format(**totals) if totals["rows"] else "nothing is recorded yet"
        sentences.append(f"Table {number}, printed cells that agree with ours: {text}.")
    if claims:
        words = count_words(claims)
        by_paper, by_correction = (counted(words.loc[view]) for view in (PAPERS, CORRECTED))
        text = f"by the paper's test, {by_paper}; by the corrected test, {by_correction}"
        if by_paper == by_correction:
            text = f"{by_paper}, by the paper's test and by the corrected one"
        sentences.append(f"Of {len(claims)} claims: {text}.")
    return " ".join(sentences)


def counted(words) -> str:
    """Numbers by word, such as "3 current, 1 damaged", without those that are 0."""
    return ", ".join(f"{n} {word}" for word, n in words.items() if n)
