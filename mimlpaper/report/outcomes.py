"""How often one method is better, ties, or is worse: the counts of Section 5.5."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from mimlpaper.metrics import CRITERIA
from mimlpaper.report.overview import changed
from mimlpaper.report.rendering import ReportTable, text_entry
from mimlpaper.report.statistics import compare

__all__ = [
    "PRINTED_OUTCOMES",
    "Outcomes",
    "count_outcomes",
    "outcomes_by_stage",
    "outcomes_table",
    "with_percentages",
    "with_variants",
]

WORDS = ("better", "tie", "worse")

# Percentages of the 35 cases of Figs. 4 and 5 in which D-MimlSvm is better, ties, is worse.
PRINTED_OUTCOMES = {
    ("figure4", "MimlSvm"): (88, 6, 6),
    ("figure4", "MimlSvm_mi"): (80, 20, 0),
    ("figure5", "MimlSvm"): (82, 9, 9),
    ("figure5", "MimlSvm_mi"): (82, 18, 0),
}


class Outcomes(NamedTuple):
    """Numbers of cases; those that no test can decide are in none of the three."""

    better: int
    tie: int
    worse: int


def count_outcomes(records: pd.DataFrame, a: str, b: str) -> tuple[Outcomes, Outcomes]:
    """Outcomes of ``a`` against ``b``, a case for each data set and criterion.

    First by the paired t-test, then by the corrected resampled t-test, both at 95 %.
    """
    found = [
        compare(rows, a, b, name) for _, rows in records.groupby("dataset") for name in CRITERIA
    ]
    plain = [comparison.outcome for comparison in found]
    corrected = [comparison.corrected_outcome for comparison in found]
    return Outcomes(*map(plain.count, WORDS)), Outcomes(*map(corrected.count, WORDS))


def outcomes_table(
    comparisons: Mapping[str, tuple[pd.DataFrame, str, str]],
    printed: Mapping[str, tuple[int, int, int]] | None = None,
    caption: str = "",
) -> ReportTable:
    """One row a comparison: shares of cases better / tied / worse, printed and by both tests.

    Parameters
    ----------
    comparisons : mapping from a row's name to records and the two methods in them.
    printed : mapping from the names of some rows to the paper's three percentages.
    caption : str, what the table shows.
    """
    printed, rows, tidy = printed or {}, {}, []
    for name, (records, a, b) in comparisons.items():
        n_cases = records["dataset"].nunique() * len(CRITERIA)
        plain, corrected = count_outcomes(records, a, b)
        told = " / ".join(map(str, printed[name])) if name in printed else "–"
        rows[name] = tuple(
            text_entry(text)
            for text in (told, _shares(plain, n_cases), _shares(corrected, n_cases), str(n_cases))
        )
        tidy += [
            {"comparison": name, "test": test, "n_cases": n_cases, **counts._asdict()}
            for test, counts in (("paired", plain), ("corrected", corrected))
        ]
    return ReportTable(
        caption=f"{caption} Percentages of cases that are better / tied / worse.".strip(),
        corner="comparison",
        columns=("paper", "paired t-test", "corrected", "cases"),
        rows=rows,
        tidy=pd.DataFrame(tidy),
    )


def outcomes_by_stage(
    records: pd.DataFrame, staged: pd.DataFrame, a: str, b: str, stages
) -> pd.DataFrame:
    """Outcomes of ``a`` against each stage of ``b``: columns stage, better, tie, worse.

    Parameters
    ----------
    records : of ``a``, one row for each data set and split.
    staged : of ``b``, one row for each stage as well; a fit that ended early keeps its last.
    stages : the stages to compare with.
    """
    rows = []
    for stage in stages:
        reached = staged[staged["stage"] <= stage].sort_values("stage")
        last = reached.drop_duplicates(["dataset", "method", "split"], keep="last")
        plain, _ = count_outcomes(pd.concat([records, last]), a, b)
        rows.append({"stage": stage, **plain._asdict()})
    return pd.DataFrame(rows)


def with_variants(records: pd.DataFrame) -> pd.DataFrame:
    """``records`` with the parameters that differ told in the method's name."""
    names = [
        f"{row.method}, {changed(row.parameters)}" if row.parameters != "{}" else row.method
        for row in records[["method", "parameters"]].itertuples()
    ]
    return records.assign(method=names)


def with_percentages(records: pd.DataFrame) -> pd.DataFrame:
    """``records`` with a column ``percentage``: 10 for the data set "scene:10%"."""
    share = records["dataset"].str.split(":").str[1].str.rstrip("%")
    return records.assign(percentage=share.astype(int))


def _shares(counts, n_cases):
    return " / ".join(f"{100 * count / n_cases:.0f}" for count in counts) if n_cases else "–"
