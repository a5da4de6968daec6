"""Claims by a reader's rules, beside the rules of all other tables."""

from dataclasses import asdict
from typing import Any

import pandas as pd

from mimlstudy.judge.claims import WORDS, argue
from mimlstudy.judge.rules import DEFAULT_RULES, Rules
from mimlstudy.judge.selection import Records
from mimlstudy.paper.published import published_claims
from mimlstudy.report.parameters import number_in
from mimlstudy.report.tables import Entry, ReportTable, frame_grid


def rules_of(margin: str = "", power: str = "", **chosen) -> Rules:
    """Rules as a notebook's parameters give them; what is empty or 0 stays as in all tables.

    ``margin`` and ``power`` may be 0, so that they are numbers in texts.
    """
    named: dict[str, Any] = {}
    for name, text in {"margin": margin, "power": power}.items():
        if text:
            named[name] = number_in(name, text)
    for name, value in chosen.items():
        if value:
            # A notebook's lists are tuples in rules, which never change.
            named[name] = tuple(value) if isinstance(value, list) else value
    return Rules(**named)


def argued_table(get_records: Records, rules: Rules) -> ReportTable:
    """A row for each claim: its word by the rules of all tables, and by other ones.

    Parameters
    ----------
    get_records : callable, the records of an experiment by its name.
    rules : Rules, those of the reader.
    """
    usual = argue(get_records)
    argued = argue(get_records, rules)
    # Both judge the same claims in the same order.
    texts = published_claims().set_index("id")["claim"]
    rows, tidy = {}, []
    for before, after in zip(usual, argued, strict=True):
        verdict = after.verdict
        rows[after.id] = {
            "claim": texts[after.id],
            "the usual rules": Entry((), (), before.verdict.word),
            "your rules": Entry((), (), verdict.word),
            "parts supported": f"{verdict.supported} of {verdict.n_parts}",
            "power": f"{verdict.n_detected} of {verdict.n_printed}",
        }
        tidy.append({"id": after.id} | asdict(verdict))
    shown = pd.DataFrame(rows).T
    caption = f"Claims by {_in_words(rules)}: {_counted(argued)}. Usually: {_counted(usual)}."
    return frame_grid(shown, pd.DataFrame(tidy), caption, corner="", prose=True)


def _in_words(rules):
    """What differs from the usual rules."""
    usual = asdict(DEFAULT_RULES)
    changed = []
    for name, value in asdict(rules).items():
        if value != usual[name]:
            changed.append(f"{name} = {value}")
    return ", ".join(changed) or "the usual rules"


def _counted(claims):
    """Numbers of claims by word, also of words that no claim has."""
    words = [claim.verdict.word for claim in claims]
    return ", ".join(f"{words.count(word)} {word}" for word in WORDS)
