"""The scorecard: every cell and claim of the paper with its verdict, judged from the records."""

from collections.abc import Iterable
from dataclasses import asdict

import pandas as pd

from mimlstudy.judge import compare
from mimlstudy.judge.claims import count_words, evaluate_claims
from mimlstudy.judge.multiverse import claim_effects, flips
from mimlstudy.judge.verdicts import VERDICTS, agreement, deviations, row_verdicts
from mimlstudy.paper.experiments import settings_nearest_to_print
from mimlstudy.paper.published import TABLES


def scorecard(get_records: compare.Records) -> dict:
    """Everything that the paper prints or claims, judged from the records; ready for JSON. Keys:

    - ``cells``: a dict for each printed or blank cell, with blind_mean, blind_std, blind_verdict
    - ``rows``: table, algorithm, the nearest printed row, and nearest_to_print: how many settings
      were chosen because they come nearest to the printed row
    - ``totals``: for each column of settings, for all and for each table, see ``agreement``
    - ``agreeing``: [cells that agree, printed cells] of the matched rows with and without settings
      nearest to print
    - ``claims``: the fields of a ClaimResult, and multiverse: its row of ``flips`` or None
    - ``words``: how many claims have each word, by view
    - ``bags``: whether learning from bags pays, in words.
    """
    by_column = {name: scorecard_cells(get_records, name) for name in compare.COLUMNS}
    cells, blind = by_column["matched"], by_column["blind"]
    rows = row_verdicts(deviations(cells[cells["kind"] != "synthetic"]))
    marked = {n: settings_nearest_to_print(f"table{n}") for n in TABLES}
    rows["nearest_to_print"] = [marked[r.table].get(r.algorithm, 0) for r in rows.itertuples()]
    both = cells.assign(**{f"blind_{name}": blind[name] for name in ("mean", "std", "verdict")})
    groups = {"all": [*TABLES]} | {f"table{n}": [n] for n in TABLES}
    totals = {
        column: {name: agreement(own[own["table"].isin(of)]) for name, of in groups.items()}
        for column, own in by_column.items()
    }
    claims = evaluate_claims(get_records)
    turns = flips(claim_effects(get_records)).set_index("claim").to_dict("index")
    return {
        "cells": both.astype(object).where(both.notna(), None).to_dict("records"),
        "rows": rows.to_dict("records"),
        "totals": totals,
        "agreeing": _agreeing(cells, rows),
        "claims": [asdict(one) | {"multiverse": turns.get(one.id)} for one in claims],
        "words": count_words(claims).to_dict("index"),
        "bags": compare.bags_in_words(compare.chosen_by_what_they_see(get_records)),
    }


def scorecard_cells(
    get_records: compare.Records, column: str = "matched", numbers: Iterable[int] = TABLES
) -> pd.DataFrame:
    """The paper's own cells of some tables, see ``compare_with_paper``."""
    own = {n: compare.column_records(get_records, TABLES[n].experiment, column) for n in numbers}
    cells = pd.concat([compare.compare_with_paper(rows, n) for n, rows in own.items()])
    return cells.query("printed != 'no row'").reset_index(drop=True)


def _agreeing(cells, rows):
    known = cells[cells["verdict"].isin(VERDICTS[:3])].merge(rows, on=["table", "algorithm"])
    kinds = {True: "rows with settings nearest to print", False: "the other rows"}
    groups = known["verdict"].eq("agrees").groupby(known["nearest_to_print"].gt(0).map(kinds))
    return {name: [int(own.sum()), len(own)] for name, own in groups}
