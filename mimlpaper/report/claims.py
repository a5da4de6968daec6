"""Every claim of the paper, re-tested from the records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from itertools import groupby

import pandas as pd

from mimlpaper.report.cells import KINDS, count_runs, overall
from mimlpaper.report.claims_by_test import Part
from mimlpaper.report.claims_table import CLAIM_TESTS
from mimlpaper.report.published import PROTOCOL_RUNS, published_claims

__all__ = ["ClaimResult", "evaluate_claims"]

Records = Callable[[str], pd.DataFrame] | Mapping[str, pd.DataFrame]


@dataclass(frozen=True)
class ClaimResult:
    """One claim and what became of it.

    ``verdict`` is "holds", "partly", "fails" or "not evaluated", by the paper's own plain
    tests; ``corrected`` is the same under the corrected resampled t-test. ``state`` and
    ``kind`` are those of the records used, None without records.
    """

    id: str
    where: str
    claim: str
    verdict: str
    corrected: str
    detail: str
    parts: tuple[Part, ...]
    state: str | None
    kind: str | None

    def to_dict(self) -> dict:
        """For JSON."""
        counts = {
            "n_parts": len(self.parts),
            "n_held": sum(_held(part) is True for part in self.parts),
            "n_held_corrected": sum(_held_corrected(part) is True for part in self.parts),
        }
        return asdict(self) | counts


def evaluate_claims(
    get_records: Records,
    protocol_n: Mapping[str, int] | None = None,
    *,
    ids: tuple[str, ...] | None = None,
) -> list[ClaimResult]:
    """Test the paper's claims, all or those named by ``ids``.

    Parameters
    ----------
    get_records : callable or mapping
        From an experiment's name, such as "table1", to its records; an empty frame, or no
        entry in the mapping, if there are none. "characteristics" gives Appendix C's table
        as recomputed from the files, "cccp" the objectives of D-MimlSvm's outer loop.
    protocol_n : mapping, optional
        Runs that the protocol asks for, by experiment: fewer are told in the detail.
    """
    claims = published_claims()
    if ids is not None:
        claims = claims[claims["id"].isin(ids)]
    protocol_n = protocol_n or PROTOCOL_RUNS
    return [_evaluate(claim, get_records, protocol_n) for claim in claims.to_dict("records")]


def records_of(get_records: Records, experiment: str | None) -> pd.DataFrame:
    """The records of an experiment, empty if there are none."""
    if experiment is None:
        return pd.DataFrame()
    if callable(get_records):
        return get_records(experiment)
    return get_records.get(experiment, pd.DataFrame())


def _evaluate(claim, get_records, protocol_n):
    parts, used, remarks = [], [], []
    for test, experiment, arguments in CLAIM_TESTS[claim["id"]]:
        records = records_of(get_records, experiment)
        parts += test(records, **arguments)
        if "state" in records and len(records):
            used.append(records)
            n, wanted = count_runs(records, experiment), protocol_n.get(experiment, 0)
            remarks += [f"{n} of {wanted} runs of {experiment}"] if n < wanted else []
    states = [state for records in used for state in records["state"].unique()]
    kinds = [kind for records in used for kind in records["kind"].unique()]
    verdict, corrected = _verdict(parts, _held), _verdict(parts, _held_corrected)
    detail = _describe(parts)
    if "stale" in states:
        remarks.append("some records are stale")
    if "synthetic" in kinds:
        remarks.append(f"on synthetic data, which cannot test the paper's claim: {verdict}")
        verdict = corrected = "not evaluated"
    return ClaimResult(
        id=claim["id"],
        where=claim["where"],
        claim=claim["claim"],
        verdict=verdict,
        corrected=corrected,
        detail="; ".join([detail, *dict.fromkeys(remarks)]),
        parts=tuple(parts),
        state=overall(states) if states else None,
        kind=overall(kinds, KINDS) if kinds else None,
    )


def _held(part):
    return part.holds


def _held_corrected(part):
    return part.holds if part.corrected is None else part.corrected


def _verdict(parts, held):
    outcomes = [held(part) for part in parts]
    if None in outcomes:
        return "not evaluated"
    if all(outcomes):
        return "holds"
    return "partly" if any(outcomes) else "fails"


def _describe(parts):
    """Counts under both tests, then which parts hold, which fail, and what is missing."""
    held = [part for part in parts if part.holds]
    failed = [part for part in parts if part.holds is False]
    missing = dict.fromkeys(gap for part in parts for gap in part.missing)
    sentences = []
    if held or failed:
        sentences.append(f"{len(held)} of {len(parts)} parts hold")
    if any(part.corrected is not None for part in parts):
        corrected = sum(_held_corrected(part) or False for part in parts)
        sentences[-1] += f", {corrected} under the corrected test"
    if held and (failed or missing or any(part.note for part in held)):
        sentences.append(f"hold: {_listing(held)}")
    if failed:
        sentences.append(f"fail: {_listing(failed)}")
    if missing:
        sentences.append(f"missing: {', '.join(missing)}")
    return "; ".join(sentences)


def _listing(parts):
    """``A vs B (hloss, rloss: tie), A vs C (coverage)``: grouped by subject."""
    groups = []
    for subject, group in groupby(parts, key=lambda part: part.subject):
        aspects = [f"{p.aspect}: {p.note}" if p.note else p.aspect for p in group]
        groups.append(f"{subject} ({', '.join(aspects)})")
    return ", ".join(groups)
