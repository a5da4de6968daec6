"""The scorecard in words: tables and sentences for the first page, the command and notebooks."""

import re

import pandas as pd

from mimlstudy.judge.claims import CORRECTED, EQUIVALENCE, PAPERS, VIEWS
from mimlstudy.judge.equal_tuning import RIVAL_GROUPS
from mimlstudy.judge.scorecard import PAGE_RULES
from mimlstudy.judge.selection import SETTINGS_COLUMNS
from mimlstudy.judge.statistics import ALPHA, N_DECIDABLE, Ranks, rank_methods
from mimlstudy.report.sentences import counted
from mimlstudy.report.tables import frame_grid

IN_SENTENCES = {  # names of columns and groups in sentences
    "closest": "settings closest to print",
    "fixed": "settings fixed in advance",
    "equal": "equal tuning",
    "mean": "learners of a bag's mean",
    "bag statistics": "learners of bag statistics",
    "bags, others": "other learners of bags",
}
HEADS_OF_TESTS = {
    "paper": PAPERS,
    "corrected": CORRECTED,
    "paired": EQUIVALENCE,
}


NOTHING_YET = "Nothing is recorded yet."
SYNTHETIC_ALONE = "What is recorded is of synthetic data, which say nothing of the paper."


def in_words(card: dict) -> str:
    """The outcome as a table in Markdown: agreement, order, claims, by column of settings.

    Without records of the paper's data it is one of two sentences that say so.
    """
    if not card["totals"]["closest"]["all"]["rows"]:
        kinds = {cell["kind"] for cell in card["cells"] if cell["n"]}
        return SYNTHETIC_ALONE if kinds == {"synthetic"} else NOTHING_YET
    shares = []
    for name, (n_agree, n_cells) in card["agreeing"].items():
        shares.append(f"{n_agree / n_cells:.0%} agree in {name}")
    columns = {IN_SENTENCES[name]: _column_in_words(name, card) for name in SETTINGS_COLUMNS}
    caption = (
        f"Printed values and {len(card['claims'])} claims, by how our settings were chosen. With "
        f"settings closest to print {' and '.join(shares)}."
    )
    shown = pd.DataFrame(columns)
    table = frame_grid(shown, pd.DataFrame(), caption, corner="what is counted")
    return table.to_markdown().strip()


def _column_in_words(name, card):
    """The cells of one column of settings, by the head of their line."""
    cells = _agreement_in_words(card["totals"][name])
    for view, (column, test) in VIEWS.items():
        if column == name:
            head = f"claims, {HEADS_OF_TESTS[test]}"
            cells[head] = counted(card["words"][view])
    # Only these settings were chosen by print, and can profit from the choice.
    if name == "closest":
        choice = card["chance_with_choice"]
        if choice["own"] is not None:
            text = f"{choice['own']:.0%} ({choice['others']:.0%})"
            cells["values that agree if settings may be chosen (others' rows)"] = text
        if choice["others_marked"] is not None:
            text = f"{choice['others_marked']:.0%}"
            cells["values that agree if settings may be chosen, in others' rows marked †"] = text
        sampled, same = (card["table4"][rule] for rule in PAGE_RULES)
        cells["values of Table 4 that agree"] = (
            f"{sampled} as another sample of pages, {same} on the same pages"
        )
    return pd.Series(cells)


def _agreement_in_words(totals):
    """How much of print a column reaches; dashes where nothing is recorded."""
    overall = totals["all"]
    taus = []
    for name, of_table in totals.items():
        if name != "all" and of_table["columns"]:
            taus.append(re.sub(r"^(-?)0", r"\1", _tau_text(of_table["tau"])))
    texts = {
        "values that agree (others' rows)": "{agrees} of {measured} ({chance_agreement:.0%})",
        "rows nearest to their own printed row": (
            "{rows_recognised} of {rows} (by chance {rows_by_chance:.0f})"
        ),
        "columns with the printed winner": "{winner_agreement:.0%} of {columns}",
        "Kendall's τ (by table)": f"{_tau_text(overall['tau'])} ({', '.join(taus)})",
    }
    # Without a row there is no mean to format.
    if not overall["rows"]:
        return dict.fromkeys(texts, "–")
    return {head: text.format(**overall) for head, text in texts.items()}


def _tau_text(tau):
    """Kendall's τ as text; a dash for an order of one method, or of equal means."""
    return "–" if tau is None else f"{tau:.2f}"


def bags_in_words(groups: dict) -> str:
    """How the paper's learners of bags compare with each other group by equal tuning.

    ``groups`` are those of the scorecard.
    """
    differences = pd.DataFrame(groups["all learners"])
    of_equal_numbers = pd.DataFrame(groups["equal numbers"])
    if of_equal_numbers.empty or not {*RIVAL_GROUPS} <= {*differences["rival"]}:
        return "Not everything is recorded yet."
    sentences = ["With equal tuning the paper's bag learners compare as follows."]
    n_sets = differences["dataset"].nunique()
    for rival in RIVAL_GROUPS:
        of_rival = differences[differences["rival"] == rival]
        is_lead = of_rival["difference"] > 0
        leads = is_lead.groupby(of_rival["kind_of_labels"]).agg(["sum", "size"])
        counts = [
            f"{row['sum']} of {row['size']} sets with {kind}" for kind, row in leads.iterrows()
        ]
        expected = of_equal_numbers.loc[of_equal_numbers["rival"] == rival, "leads"].sum()
        sentences.append(
            f"Against {IN_SENTENCES[rival]} their mean result is better on "
            f"{' and '.join(counts)}, without a test. If two learners of each group are picked at "
            f"random, the paper's are ahead on {expected:.1f} of all {n_sets} sets on average."
        )
    return " ".join(sentences)


def ranks_in_words(ranks: Ranks) -> str:
    """Who is first, and what holds whichever set is left out."""
    leaders = ranks.leaders()
    rivals = [name for name in ranks.table.index if name not in leaders]
    datasets = ranks.losses.index
    without = [rank_methods(ranks.losses.drop(index=name)) for name in datasets]
    p_values = [of_sets.nemenyi.loc[leaders, rivals].max() for of_sets in (ranks, *without)]
    largest_p = pd.concat(p_values, axis=1).max(axis=1)
    behind = ", ".join(largest_p.index[largest_p < ALPHA])
    best_rank = ranks.table["rank"].iloc[0]
    named = " and ".join(leaders)
    stays, are = "it is first each time", "is"
    if len(leaders) > 1:
        stays, are = "they are first each time", "are"
    if any({*of_sets.leaders()} != {*leaders} for of_sets in without):
        stays = "leaving out one set sometimes puts another method first"
    ahead = "No method stays significantly ahead of another in all of these rankings."
    if behind:
        ahead = f"In all of these rankings {named} {are} significantly ahead of {behind}."
    words = (
        f"Over {len(datasets)} data sets the best mean rank is that of {named}, "
        f"{best_rank:.1f} among {len(ranks.table)} methods. The ranking was repeated with each set "
        f"left out: {stays}. {ahead}"
    )
    if len(datasets) < N_DECIDABLE:
        words += f" With {len(datasets)} sets little can be decided."
    return words
