"""The scorecard: every cell and every claim of the paper with its verdict."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from mimlpaper.report.artefacts import ARTEFACTS
from mimlpaper.report.claims import evaluate_claims
from mimlpaper.report.compare import KINDS, STATES, Records, compare_with_paper, overall, records_of
from mimlpaper.report.published import PROTOCOL_RUNS, TABLES
from mimlpaper.report.verdicts import VERDICTS

__all__ = ["in_words", "scorecard", "scorecard_cells"]

CELL_WORDS = {
    "matches": "match", "close": "are close", "better": "are better", "worse": "are worse",
    "synthetic": "are of synthetic data", "missing": "are not recorded",
}  # fmt: skip
CLAIM_WORDS = {
    "holds": "hold", "partly": "hold in part", "fails": "fail",
    "not evaluated": "are not evaluated",
}  # fmt: skip


def scorecard(get_records: Records, protocol_n: Mapping[str, int] | None = None) -> dict:
    """Everything that the paper prints or claims, judged from the records; ready for JSON.

    Parameters
    ----------
    get_records, protocol_n : see :func:`~mimlpaper.report.claims.evaluate_claims`.

    Returns
    -------
    dict
        ``cells``: a dict for each cell of Tables 1 to 5, blank cells included.
        ``totals``: number of cells by verdict, over all tables and for each, and how many are
        reproduced: original data, the whole protocol, the present code.
        ``claims``: id, claim, verdict and detail, with the counts under both tests.
        ``artefacts``: for each table and figure the number of records in each state.
    """
    protocol_n = {**PROTOCOL_RUNS, **(protocol_n or {})}
    cells = scorecard_cells(get_records, protocol_n)
    totals = {"all": _totals(cells)}
    totals |= {f"table{n}": _totals(cells[cells["table"] == n]) for n in TABLES}
    claims = evaluate_claims(get_records, protocol_n)
    return {
        "cells": cells.astype(object).where(cells.notna(), None).to_dict("records"),
        "totals": totals,
        "claims": [result.to_dict() for result in claims],
        "artefacts": [_freshness(artefact, get_records) for artefact in ARTEFACTS],
    }


def scorecard_cells(
    get_records: Records, protocol_n: Mapping[str, int] = PROTOCOL_RUNS
) -> pd.DataFrame:
    """The paper's own cells of all tables, see :func:`compare_with_paper`."""
    names = {number: table.experiment for number, table in TABLES.items()}
    cells = pd.concat(
        compare_with_paper(records_of(get_records, name), number, protocol_n[name])
        for number, name in names.items()
    )
    return cells[cells["printed"] != "no row"].reset_index(drop=True)


def in_words(card: dict) -> str:
    """The scorecard in four sentences: cells that the paper prints, blank ones, claims."""
    cells, claims = pd.DataFrame(card["cells"]), pd.DataFrame(card["claims"])
    printed = cells["printed"] == "value"
    filled = (cells[~printed]["verdict"] == "filled").sum()
    return (
        f"Of the {printed.sum()} cells that the paper prints, "
        f"{_counted(cells[printed]['verdict'], CELL_WORDS)}. Of the {(~printed).sum()} that it "
        f"leaves blank, {filled} are filled. Of its {len(claims)} claims "
        f"{_counted(claims['verdict'], CLAIM_WORDS)} by the paper's own test; by the corrected "
        f"test {_counted(claims['corrected'], CLAIM_WORDS)}."
    )


def _totals(cells):
    counts = cells["verdict"].value_counts()
    by_verdict = {word: int(counts.get(word, 0)) for word in VERDICTS}
    return by_verdict | {"cells": len(cells), "reproduced": int(cells["reproduced"].sum())}


def _freshness(artefact, get_records):
    row = {"artefact": artefact.title, "notebook": artefact.notebook}
    row |= {"experiment": artefact.experiment, "state": None, "kind": None}
    if artefact.experiment is None:
        return row
    records = records_of(get_records, artefact.experiment)
    counts = records["state"].value_counts() if len(records) else {}
    row |= {state: int(counts.get(state, 0)) for state in STATES}
    if records.empty:
        return row | {"state": "missing"}
    return row | {"state": overall(records["state"]), "kind": overall(records["kind"], KINDS)}


def _counted(verdicts, words):
    """Such as ``160 match, 23 are close and 2 are worse``."""
    counts = verdicts.value_counts()
    parts = [f"{counts[word]} {phrase}" for word, phrase in words.items() if word in counts]
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
