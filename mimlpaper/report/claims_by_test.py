"""Kinds of claims that paired tests decide: from records to the parts that hold or fail."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from mimlpaper.report.cells import as_published, swept_values
from mimlpaper.report.published import ALL_CRITERIA
from mimlpaper.report.statistics import Comparison, compare, holm

__all__ = ["Part", "absent", "expect", "insensitive", "shares", "significance"]

ALPHA = 0.05


@dataclass(frozen=True)
class Part:
    """One thing that a claim says: ``subject`` on ``aspect``, e.g. "A vs B" on "hloss".

    ``holds`` is its outcome, by the plain test where it needs one; ``corrected`` that by the
    corrected test, None where it needs none. ``note`` tells what was seen. A part that cannot
    be judged has ``holds`` None and names what is ``missing``.
    """

    subject: str
    aspect: str
    holds: bool | None = None
    corrected: bool | None = None
    note: str = ""
    missing: tuple[str, ...] = ()


def absent(records: pd.DataFrame, methods) -> tuple[str, ...]:
    """Those of the methods that have no record."""
    there = set(records["method"]) if len(records) else set()
    return tuple(method for method in dict.fromkeys(methods) if method not in there)


def expect(outcome: str, firsts, seconds, criteria):
    """The same outcome of every first against every second on every criterion."""
    return [(outcome, a, b, criterion) for a in firsts for b in seconds for criterion in criteria]


def significance(records: pd.DataFrame, *, expected) -> list[Part]:
    """Paired tests have the expected outcomes, each (outcome, a, b, criterion)."""
    records = as_published(records)
    parts = []
    for outcome, a, b, criterion in expected:
        subject, aspect = f"{a} vs {b}", ALL_CRITERIA[criterion].symbol
        found = _comparison(records, a, b, criterion)
        if isinstance(found, tuple):
            parts.append(Part(subject, aspect, missing=found))
        else:
            holds, corrected = found.outcome == outcome, found.corrected_outcome == outcome
            note = "" if holds else found.outcome
            parts.append(Part(subject, aspect, holds, corrected, note))
    return parts


def shares(
    records: pd.DataFrame, *, cases, better: float, worse: float, n_datasets: int | None = None
) -> list[Part]:
    """Better in at least one share of the cases, and worse in at most another.

    ``cases`` are (a, b, criterion); with ``n_datasets`` each of them counts on each data set,
    otherwise the data sets, if several, are the pairs of one test.
    """
    records = as_published(records)
    groups = [records]
    if n_datasets and len(records):
        groups = [rows for _, rows in records.groupby("dataset")]
    if len(groups) < (n_datasets or 1):
        return [Part("shares", "of cases", missing=(f"the {n_datasets} data sets",))]
    found = [_comparison(rows, *case) for rows in groups for case in cases]
    gaps = [gap for comparison in found if isinstance(comparison, tuple) for gap in comparison]
    if gaps:
        return [Part("shares", "of cases", missing=tuple(dict.fromkeys(gaps)))]
    return [
        _share(found, "better", f"in at least {better:.0%}", lambda share: share >= better),
        _share(found, "worse", f"in at most {worse:.0%}", lambda share: share <= worse),
    ]


def insensitive(records: pd.DataFrame, *, method, default, criteria) -> list[Part]:
    """No value of the swept parameter differs significantly, and the means hardly spread.

    For each criterion: paired tests between each value and the default, adjusted by Holm for
    their number; and the range of the means over all values against one std over the splits
    at the default.
    """
    rows = records[records["method"] == method] if len(records) else records
    values = swept_values(rows, default) if len(rows) else pd.Series(dtype=float)
    others = sorted(set(values) - {default})
    if default not in set(values) or not others:
        return [Part(method, "sweep", missing=(f"{method} over a sweep",))]
    rows = rows.assign(method=values.map(str))
    parts = [_differing(rows, others, default, name) for name in criteria]
    for name in criteria:
        means = rows.groupby("method")[name].mean()
        spread = (means.max() - means.min()) / rows.loc[values == default, name].std()
        symbol = ALL_CRITERIA[name].symbol
        parts.append(Part("spread", symbol, bool(spread <= 1), note=f"{spread:.1f} std"))
    return parts


def _differing(rows, others, default, name):
    """How many values of the parameter differ significantly from the default."""
    symbol = ALL_CRITERIA[name].symbol
    found = [compare(rows, str(value), str(default), name) for value in others]
    if any(comparison.outcome == "undefined" for comparison in found):
        return Part("tests", symbol, missing=("a second split",))
    plain = int((holm([c.p for c in found]) < ALPHA).sum())
    corrected = int((holm([c.corrected_p for c in found]) < ALPHA).sum())
    note = f"{plain} of {len(found)} values differ (corrected {corrected})"
    return Part("tests", symbol, plain == 0, corrected == 0, note)


def _comparison(records, a, b, criterion) -> Comparison | tuple[str, ...]:
    """The comparison, or what is missing for it."""
    if gaps := absent(records, (a, b)):
        return gaps
    comparison = compare(records, a, b, criterion, alpha=ALPHA)
    if comparison.outcome == "undefined":
        return (f"a test of {a} against {b} ({comparison.n} shared splits)",)
    return comparison


def _share(found, word, aspect, keeps):
    plain = sum(comparison.outcome == word for comparison in found)
    corrected = sum(comparison.corrected_outcome == word for comparison in found)
    note = f"{plain} of {len(found)} = {plain / len(found):.0%} (corrected {corrected})"
    return Part(word, aspect, keeps(plain / len(found)), keeps(corrected / len(found)), note)
