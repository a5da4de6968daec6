"""Claims by a reader's rules, beside the rules of all other tables."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import pandas as pd

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.claims import WORDS, argue, without_splits
from mimlstudy.judge.rules import DEFAULT_RULES, Rules
from mimlstudy.judge.selection import (
    Records,
    Selection,
    as_in_our_tables,
    selected,
    without_synthetic,
)
from mimlstudy.judge.statistics import ranks_of_means
from mimlstudy.paper.printed import printed_claims, printed_tables
from mimlstudy.report.parameters import number_in
from mimlstudy.report.tables import Entry, ReportTable, frame_grid, power_text


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


def argued_table(get_records: Records, rules: Rules, begin: Iterable[str] = ()) -> ReportTable:
    """A row for each claim: its word by the rules of all tables, and by other ones.

    Parameters
    ----------
    get_records : callable, the records of an experiment by its name.
    rules : Rules, those of the reader.
    begin : iterable of str, default ()
        How the ids of the claims begin; all claims if it is empty.
    """
    beginnings = tuple(begin) or ("",)
    usual = [claim for claim in argue(get_records) if claim.id.startswith(beginnings)]
    argued = [claim for claim in argue(get_records, rules) if claim.id.startswith(beginnings)]
    # Both judge the same claims in the same order.
    texts = printed_claims().set_index("id")["claim"]
    rows, tidy = {}, []
    for before, after in zip(usual, argued, strict=True):
        verdict = after.verdict
        rows[after.id] = {
            "claim": texts[after.id],
            "the usual rules": Entry((), (), before.verdict.word),
            "your rules": Entry((), (), verdict.word),
            "parts supported": f"{verdict.supported} of {verdict.n_parts}",
            "power": power_text(verdict),
        }
        tidy.append({"id": after.id} | asdict(verdict))
    shown = pd.DataFrame(rows).T
    caption = f"Claims by {_in_words(rules)}: {_counted(argued)}."
    if rules != Rules():
        caption += f" By the usual rules: {_counted(usual)}."
    return frame_grid(shown, pd.DataFrame(tidy), caption, corner="", prose=True)


def ranks_by_rules(get_records: Records, rules: Rules, number: int) -> pd.Series:
    """Mean ranks of a table's methods by some rules, the best first; empty without records.

    Methods are ranked in each column of the table that the rules leave. Level, test, margin and
    power change no rank.
    """
    table = printed_tables()[number]
    chosen = selected(get_records, Selection((table.experiment,), rules.column))
    rows = without_splits(as_in_our_tables(without_synthetic(chosen)), rules.left_out)
    rows = rows[rows["method"].isin(table.algorithms)]
    if rows.empty:
        return pd.Series(dtype=float)
    if table.columns == "dataset":
        means = rows.pivot_table("accuracy", "method", "dataset")
    else:
        criteria = [name for name in CRITERIA if rules.counts(name)]
        means = rows.groupby("method")[criteria].mean()
    methods = [name for name in table.algorithms if name in means.index]
    ranks = ranks_of_means(means.loc[methods]).mean(axis=1)
    return ranks.dropna().sort_values(kind="stable")


def ranks_table(get_records: Records, rules: Rules) -> ReportTable:
    """The order of each table's methods by some rules: a column for each table, the best on top."""
    columns, tidy = {}, []
    for number, table in printed_tables().items():
        ranks = ranks_by_rules(get_records, rules, number)
        texts = [f"{method}, {rank:.1f}" for method, rank in ranks.items()]
        columns[f"Table {number}"] = pd.Series(texts, range(1, len(texts) + 1), dtype=object)
        for method, rank in ranks.items():
            tidy.append({"table": table.number, "method": method, "mean_rank": rank})
    caption = f"Order of the methods by mean rank, by {_in_words(rules)}."
    return frame_grid(pd.DataFrame(columns), pd.DataFrame(tidy), caption, corner="place")


def _in_words(rules):
    """What differs from the usual rules."""
    usual = asdict(DEFAULT_RULES)
    changed = []
    for name, value in asdict(rules).items():
        if value != usual[name]:
            text = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
            changed.append(f"{name.replace('_', ' ')} {text}")
    return "; ".join(changed) or "the usual rules"


def _counted(claims):
    """Numbers of claims by word, also of words that no claim has."""
    words = [claim.verdict.word for claim in claims]
    return ", ".join(f"{words.count(word)} {word}" for word in WORDS)
