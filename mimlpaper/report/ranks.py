"""Ranks of methods over all criteria, as published and in a fair fight."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from mimlpaper.metrics import CRITERIA
from mimlpaper.report.rendering import Entry, ReportTable, text_entry
from mimlpaper.report.style import in_order

__all__ = ["mean_ranks", "ranks_table", "shared_ranks"]


def mean_ranks(records: pd.DataFrame, criteria=None) -> pd.DataFrame:
    """Rank of each method on each split: 1 is the best, the mean over the criteria.

    Rows are data sets and splits on which every method has been run, columns are methods.
    """
    criteria = list(criteria or CRITERIA)
    return sum(
        records.pivot(index=["dataset", "split"], columns="method", values=name)
        .dropna()
        .rank(axis=1, ascending=CRITERIA[name].lower_is_better)
        for name in criteria
    ) / len(criteria)


def shared_ranks(published: pd.DataFrame, tuned: pd.DataFrame) -> list[pd.DataFrame]:
    """:func:`mean_ranks` of both, among the methods that both have; empty without records.

    Ranks among eight are not those among nine, so what only one of them has is left out.
    """
    if published.empty or tuned.empty:
        return [mean_ranks(part) if len(part) else pd.DataFrame() for part in (published, tuned)]
    shared = set(published["method"]) & set(tuned["method"])
    return [mean_ranks(part[part["method"].isin(shared)]) for part in (published, tuned)]


def ranks_table(fights: Mapping[str, tuple[pd.DataFrame, pd.DataFrame]]) -> ReportTable:
    """Mean ranks of every method in several fights, as published and tuned; the best is bold.

    Parameters
    ----------
    fights : mapping from a title to the records as published and tuned; either may be empty.
    """
    parts = {
        (title, setting): ranks.mean()
        for title, fight in fights.items()
        for setting, ranks in zip(("published", "tuned"), shared_ranks(*fight), strict=True)
    }
    tidy = pd.DataFrame(
        [
            {"fight": title, "setting": setting, "method": method, "mean_rank": rank}
            for (title, setting), means in parts.items()
            for method, rank in means.items()
        ],
        columns=["fight", "setting", "method", "mean_rank"],
    )
    rows = {
        method: tuple(_entry(method, means) for means in parts.values())
        for method in in_order(tidy["method"].unique())
    }
    return ReportTable(
        caption=(
            "Mean ranks over seven criteria and all runs (1 is best), among the methods that "
            "were run both as published and tuned; a dash where nothing is recorded."
        ),
        corner="method",
        columns=tuple(f"{title}, {setting}" for title, setting in parts),
        rows=rows,
        tidy=tidy,
    )


def _entry(method, means):
    if method not in means:
        return text_entry("–")
    return Entry((f"{means[method]:.1f}",), (means[method] == means.min(),))
