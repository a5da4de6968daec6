"""The scorecard in words: tables and sentences for the first page, the command and notebooks."""

from collections.abc import Sequence
from textwrap import fill

import pandas as pd

from mimlstudy.judge import compare
from mimlstudy.judge.claims import CONTROLLED, VIEWS, WORDS, ClaimResult, count_words
from mimlstudy.judge.scorecard import scorecard_cells
from mimlstudy.judge.verdicts import agreement
from mimlstudy.report import tables

# How the totals of a table are said.
AGREEMENT = (
    "{agrees} of {measured} (other algorithms' {false_match_rate:.0%}), {differs_better} are "
    "better and {differs_worse} worse, and {rows_identified} of {rows} rows are nearest to their "
    "own printed row (by chance {rows_by_chance:.0f})"
)
ARTICLE = "figures/pages/0_scorecard.md"  # the rendered notebook
BAGS = "does-learning-from-bags-pay"  # the heading in notebook 11
PAPERS, STRICT = tables.CLAIM_COLUMNS[:2]


def in_words(card: dict) -> str:
    """The outcome as a table in Markdown: agreement, order, claims, by column of settings."""
    if not card["totals"]["matched"]["all"]["rows"]:
        return "Nothing is recorded yet."
    shares = (f"{n / every:.0%} agree in {name}" for name, (n, every) in card["agreeing"].items())
    texts = {name: _column_in_words(name, card) for name in compare.COLUMNS}
    caption = (
        f"Printed values and claims, by how our settings were chosen. Of the matched cells "
        f"{' and '.join(shares)}. Of {len(card['claims'])} claims are " + ", ".join(WORDS) + ":"
    )
    table = tables.frame_grid(pd.DataFrame(texts), pd.DataFrame(), caption, corner="")
    return table.to_markdown().strip()


def answer(card: dict, article: str = ARTICLE) -> str:
    """Does the paper hold? Facts in Markdown, with links into ``article``, which shows them."""
    matched, blind = (card["totals"][name]["all"] for name in ("matched", "blind"))
    if not (matched["rows"] and blind["rows"]):
        return "Not everything is recorded yet."
    marked = sum(row["nearest_to_print"] > 0 for row in card["rows"])
    words = {view: "/".join(map(str, own.values())) for view, own in card["words"].items()}
    wins = [round(one["winner_agreement"] * one["columns"]) for one in (matched, blind)]
    strict = [claim["verdicts"][STRICT] for claim in card["claims"]]
    unseen = article.replace("0_scorecard", "11_unseen_data") or "11_unseen_data.ipynb"
    powerless = sum(one["control"] < CONTROLLED * one["n_control"] for one in strict)
    facts = (
        f"**The numbers: {matched['agrees'] / matched['measured']:.0%} agree.** Of "
        f"{matched['measured']} printed results {matched['agrees']} agree with ours within the "
        f"noise that each table states; of other algorithms' {matched['false_match_rate']:.0%} "
        f"would. For {marked} of {matched['rows']} rows we took open settings nearest to print; "
        f"without them {blind['agrees']} agree ([cells]({article}#the-numbers)).",
        f"**The claims: {card['words'][PAPERS]['shown']} of {len(strict)} are shown.** By the "
        f"paper's test {words[PAPERS]} are {', '.join(WORDS)}; by a strict test {words[STRICT]}, "
        f"with blind settings {words['blind']} ([claims]({article}#the-claims)).",
        f"**The ranking: {wins[0]} of {matched['columns']} columns have the printed winner**, "
        f"blind {wins[1]}. Kendall's τ with the printed order is {matched['tau']:.2f}, blind "
        f"{blind['tau']:.2f} ([order]({article}#the-order-of-the-methods)).",
        f"**Bags, or one vector?** {card['bags'].removesuffix('.')} ([controls]({unseen}#{BAGS})).",
        f"**What nobody can say.** Of {powerless} claims the strict test would have missed most "
        "printed leads. RankSvm's printed rows look like an early stop; which program made them "
        f"is unknown ([open]({article}#what-nobody-can-say)).",
    )
    return "\n".join(
        fill(f"- {fact}", 100, subsequent_indent="  ", break_on_hyphens=False) for fact in facts
    )


def _column_in_words(name, card):
    every, *single = card["totals"][name].values()
    taus = "/".join(f"{one['tau'] or 0:.2f}".lstrip("0") for one in single if one["columns"])
    known = {
        "cells that agree (others' rows)": "{agrees} of {measured} ({false_match_rate:.0%})",
        "rows nearest to their own": "{rows_identified} of {rows} (by chance {rows_by_chance:.0f})",
        "columns with the printed winner": "{winner_agreement:.0%} of {columns}",
        "Kendall's τ; by table": "{tau:.2f}; " + taus,
    }
    cells = {head: text.format(**every) if every["rows"] else "–" for head, text in known.items()}
    views = {test: view for view, (column, test) in VIEWS.items() if column == name}
    for test, head in (("paired", PAPERS), ("strict", STRICT)):
        cells[f"claims, {head}"] = "/".join(map(str, card["words"][views[test]].values()))
    return pd.Series(cells)


def finding_in_words(
    get_records: compare.Records, numbers: Sequence[int], claims: Sequence[ClaimResult]
) -> str:
    """The outcome of some tables and some claims, in a few sentences."""
    sentences = []
    for number in numbers:
        every = agreement(scorecard_cells(get_records, numbers=[number]))
        found = AGREEMENT.format(**every) if every["rows"] else "nothing is recorded yet"
        sentences.append(f"Table {number}, printed cells that agree with ours: {found}.")
    if claims:
        counts = count_words(claims)
        paper, strict = (counted(counts.loc[view]) for view in (PAPERS, STRICT))
        both = f"by the paper's test, {paper}; by the strict test, {strict}"
        words = f"{paper}, by the paper's test and by the strict one" if paper == strict else both
        sentences.append(f"Of {len(claims)} claims: {words}.")
    return " ".join(sentences)


def counted(words) -> str:
    """Numbers by word, such as "3 current, 1 damaged", without those that are 0."""
    return ", ".join(f"{n} {word}" for word, n in words.items() if n)
