"""The scorecard: every cell and every claim of the paper with its verdict."""

import json
from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from mimlpaper.experiments.registry import settings_nearest_to_print
from mimlpaper.report.artefacts import ARTEFACTS
from mimlpaper.report.claims import ClaimResult, evaluate_claims
from mimlpaper.report.compare import (
    COLUMNS,
    KINDS,
    STATES,
    Records,
    column_records,
    compare_with_paper,
    overall,
    records_of,
)
from mimlpaper.report.published import PROTOCOL_RUNS, TABLES
from mimlpaper.report.verdicts import agreement, deviations, row_verdicts


def scorecard(get_records: Records, protocol_n: Mapping[str, int] | None = None) -> dict:
    """Everything that the paper prints or claims, judged from the records; ready for JSON.

    The parameters are those of :func:`~mimlpaper.report.claims.evaluate_claims`. The keys are

    - ``cells``: a dict for each cell of Tables 1 to 5, blank cells included; blind_mean, blind_std
      and blind_verdict are those of the blind column, empty where it is not recorded
    - ``rows``: table, algorithm, the nearest printed row, nearest_to_print (number of settings
      that were chosen because they come nearest to the printed row)
    - ``totals``: for each table and for all, see :func:`~mimlpaper.report.verdicts.agreement`;
      ``blind``: the same for the blind column
    - ``claims``: id, claim, the verdicts paired, matched, blind and tuned, and detail;
      multiverse: what :func:`~mimlpaper.report.multiverse.summary` says of it, None if nothing
    - ``artefacts``: for each table and figure the number of records in each state.
    """
    protocol_n = {**PROTOCOL_RUNS, **(protocol_n or {})}
    cells, blind = (scorecard_cells(get_records, protocol_n, name) for name in COLUMNS[:2])
    rows = _rows(cells)
    marked = {n: settings_nearest_to_print(f"table{n}") for n in TABLES}
    keys = zip(rows["table"], rows["algorithm"], strict=True)
    rows["nearest_to_print"] = [marked[table].get(name, 0) for table, name in keys]
    both = cells.assign(**{f"blind_{name}": blind[name] for name in ("mean", "std", "verdict")})
    claims = evaluate_claims(get_records, protocol_n)
    read = records_of(get_records, "multiverse_claims").to_dict("records")
    universes = {row.pop("claim"): row | {"flips": json.loads(row["flips"])} for row in read}
    return {
        "cells": both.astype(object).where(both.notna(), None).to_dict("records"),
        "rows": rows.to_dict("records"),
        "totals": _totals(cells),
        "blind": _totals(blind),
        "claims": [one.to_dict() | {"multiverse": universes.get(one.id)} for one in claims],
        "artefacts": [_freshness(artefact, get_records) for artefact in ARTEFACTS],
    }


def scorecard_cells(
    get_records: Records, protocol_n: Mapping[str, int] = PROTOCOL_RUNS, column: str = "matched",
    numbers: Iterable[int] = TABLES,
) -> pd.DataFrame:  # fmt: skip
    """The paper's own cells of some tables in a column, see :func:`compare_with_paper`."""
    cells = pd.concat(
        compare_with_paper(column_records(get_records, name, column), number, protocol_n[name])
        for number in numbers
        for name in [TABLES[number].experiment]
    )
    return cells[cells["printed"] != "no row"].reset_index(drop=True)


def in_words(card: dict) -> str:
    """The outcome as a list: agreement, order of the algorithms, claims."""
    every, blind = card["totals"]["all"], card["blind"]["all"]
    if not every["rows"]:
        return "Nothing is recorded yet."
    marked = sum(row["nearest_to_print"] > 0 for row in card["rows"])
    claims = {name: _claims_in_words(card["claims"], name) for name in COLUMNS}
    if not blind["rows"]:
        claims["blind"] = "nothing is recorded yet"
    chosen = f"{marked} rows have settings that were chosen because they come nearest to print. "
    return (
        f"- **Numbers.** {_agreement_in_words(every)}. {chosen * bool(marked)}"
        f"Blind to print: {_agreement_in_words(blind)}.\n"
        f"- **Order.** {_order_in_words(every)}.\n"
        f"- **Claims.** Of {len(card['claims'])}, {claims['matched']}. Blind to print: "
        f"{claims['blind']}. Every algorithm tuned alike: {claims['tuned']}."
    )


def finding_in_words(
    get_records: Records, tables: Sequence[int], claims: Sequence[ClaimResult]
) -> str:
    """What came out in some tables and of some claims, in a few sentences."""
    totals = {n: agreement(scorecard_cells(get_records, numbers=[n])) for n in tables}
    sentences = [f"Table {n}: {_agreement_in_words(every)}." for n, every in totals.items()]
    if claims:
        chosen = [claim.to_dict() for claim in claims]
        words = "; ".join(f"{name}, {_claims_in_words(chosen, name)}" for name in COLUMNS)
        sentences.append(f"Of {len(chosen)} claims, {words}.")
    return " ".join(sentences)


def rows_in_words(get_records: Records, number: int) -> str:
    """Which rows of a table are nearest to their own printed row, and to whose the others are."""
    rows = _rows(scorecard_cells(get_records, numbers=[number])).to_dict("records")
    own = [row["algorithm"] for row in rows if row["identified"]]
    others = [f"{row['algorithm']} ({row['nearest']}'s)" for row in rows if not row["identified"]]
    sentence = f"Nearest to their own printed row are {_listed(own)}."
    return sentence + (f" Nearer to another's are {_listed(others)}." if others else "")


def _rows(cells):
    """Which printed row each of ours is nearest to."""
    return row_verdicts(deviations(cells[cells["kind"] != "synthetic"]))


def _listed(names):
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]])) or "none"


def _agreement_in_words(every):
    if not every["rows"]:
        return "nothing is recorded yet"
    measured = every["agrees"] + every["differs_better"] + every["differs_worse"]
    return (
        f"{every['agrees']} of {measured} printed cells agree with ours, where "
        f"{every['false_match_rate']:.0%} of other algorithms' cells would; "
        f"{every['differs_better']} of ours are better, {every['differs_worse']} worse; "
        f"{every['rows_identified']} of {every['rows']} rows are nearest to their own printed row, "
        f"by chance {every['rows_by_chance']:.0f}"
    )


def _order_in_words(every):
    known = every["tau_identified"]
    among = f", {known:.2f} among the rows nearest to their own" if known is not None else ""
    return (
        f"The printed winner wins {every['winner_agreement']:.0%} of the {every['columns']} "
        f"columns. Kendall's τ between our order and the printed one is {every['tau']:.2f}{among}"
    )


def _claims_in_words(claims, column):
    words = [claim[column] for claim in claims]
    counts = (words.count(word) for word in ("holds", "partly", "fails"))
    return "{} hold, {} hold in part and {} fail".format(*counts)


def _totals(cells):
    totals = {"all": agreement(cells)}
    return totals | {f"table{n}": agreement(cells[cells["table"] == n]) for n in TABLES}


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
