"""The scorecard: every cell and claim of the paper with its verdict, judged from the records."""

from collections.abc import Iterable
from functools import partial

import pandas as pd

from mimlstudy.judge.chance import chance_with_choice, chosen_closest
from mimlstudy.judge.claims import (
    count_words,
    count_words_by_kind,
    evaluate_claims,
)
from mimlstudy.judge.compare import compare_with_paper
from mimlstudy.judge.equal_tuning import (
    chance_to_lead,
    differences_of_groups,
    learners_by_group,
)
from mimlstudy.judge.multiverse import claim_effects, flips
from mimlstudy.judge.selection import (
    SETTINGS_COLUMNS,
    Records,
    Selection,
    records_of,
    selected,
    without_synthetic,
)
from mimlstudy.judge.tolerances import tolerance
from mimlstudy.judge.verdicts import (
    OUR_ROW,
    VERDICTS_OF_MEASURED,
    agreement,
    distances_from_print,
    match_rates,
    row_verdicts,
    verdict,
)
from mimlstudy.paper.experiments import settings_closest_to_print
from mimlstudy.paper.printed import printed_tables

# Kinds of rows: with settings that were chosen because they come closest to print, and without.
ROWS_BY_PRINT = "rows with settings closest to print"
OTHER_ROWS = "the other rows"
# Both tolerances of Table 4; the first is used.
PAGE_RULES = ("sampled pages", "same pages")


def scorecard(get_records: Records) -> dict:
    """Everything that the paper prints or claims, judged from the records; ready for JSON.

    Returns
    -------
    dict
        - ``cells``: a dict for each printed or blank cell, with fixed_mean, fixed_std and
          fixed_verdict of the settings fixed in advance
        - ``rows``: table, algorithm, the nearest printed row, whether it is the row's own
          (recognised), and closest_to_print: how many settings were chosen because they come
          closest to the printed row
        - ``totals``: for each column of settings, for all and for each table, see ``agreement``
        - ``agreeing``: [agreeing, compared] numbers of cells of the rows in the column "closest",
          with and without settings chosen by print; ``agreeing_fixed``: the same cells in the
          column "fixed"
        - ``chance``: the share of other algorithms' values that agree in these two kinds of rows
        - ``chance_with_choice``: see :func:`~mimlstudy.judge.chance.chance_with_choice`
        - ``table4``: how many printed cells of Table 4 agree by each of :data:`PAGE_RULES`
        - ``claims``: the fields of a ClaimFinding, and multiverse: its row of ``flips`` or None
        - ``words``: how many claims have each word, by view
        - ``words_by_kind``: the same by the corrected test, by kind of claim
        - ``groups``: the paper's learners of bags against each rival group by equal tuning, by
          data set, with all learners and with equal numbers, see ``equal_tuning``
    """
    cells_by_column = {}
    for column in SETTINGS_COLUMNS:
        cells_by_column[column] = scorecard_cells(get_records, column)
    cells = cells_by_column["closest"]
    with_fixed = _with_fixed(cells, cells_by_column["fixed"])
    rows = _rows(cells)
    findings = evaluate_claims(get_records)
    get_real_records = partial(_read_without_synthetic, get_records)
    return {
        "cells": _for_json(with_fixed),
        "rows": _for_json(rows),
        "totals": {column: _totals(table) for column, table in cells_by_column.items()},
        "agreeing": _agreeing(cells, rows),
        "agreeing_fixed": _agreeing(cells_by_column["fixed"], rows),
        "chance": _chance(cells, rows),
        "chance_with_choice": chance_with_choice(chosen_closest(get_real_records)),
        "table4": _agreeing_pages(cells),
        "claims": _claims(findings, get_real_records),
        "words": count_words(findings).to_dict("index"),
        "words_by_kind": count_words_by_kind(findings).to_dict("index"),
        "groups": _groups(get_records),
    }


def _read_without_synthetic(get_records, name):
    return without_synthetic(records_of(get_records, name))


def scorecard_cells(
    get_records: Records,
    column: str = "closest",
    numbers: Iterable[int] = (),
) -> pd.DataFrame:
    """The paper's own cells of some tables, or of all; see ``compare_with_paper``."""
    tables = []
    for number in numbers or printed_tables():
        selection = Selection((printed_tables()[number].experiment,), column)
        records = selected(get_records, selection)
        tables.append(compare_with_paper(records, number))
    cells = pd.concat(tables)
    # The paper says nothing of the rows that we add.
    return cells[cells["printed"] != "no row"].reset_index(drop=True)


def _rows(cells):
    """Each of our rows with the nearest printed one, and its number of settings by print."""
    rows = row_verdicts(distances_from_print(without_synthetic(cells)))
    n_closest = []
    for table, method in zip(rows["table"], rows["algorithm"], strict=True):
        of_table = settings_closest_to_print(printed_tables()[table].experiment)
        n_closest.append(of_table.get(method, 0))
    return rows.assign(n_closest_to_print=n_closest)


def _with_fixed(cells, fixed):
    # Both columns have the printed cells, in the order of print.
    names = {f"fixed_{name}": fixed[name] for name in ("mean", "std", "verdict")}
    return cells.assign(**names)


def _totals(cells):
    """Agreement over all tables, and over each."""
    totals = {"all": agreement(cells)}
    for number, table in printed_tables().items():
        totals[table.experiment] = agreement(cells[cells["table"] == number])
    return totals


def _agreeing(cells, rows):
    """Numbers of agreeing and of compared cells, in rows with settings chosen by print or not."""
    compared = cells[cells["verdict"].isin(VERDICTS_OF_MEASURED)]
    counts = {}
    for name, of_kind in _by_kind_of_row(compared, rows):
        agrees = of_kind["verdict"] == "agrees"
        counts[name] = [int(agrees.sum()), len(agrees)]
    return counts


def _chance(cells, rows):
    """The chance agreement of rows with settings chosen by print, and of the others."""
    pairs = distances_from_print(without_synthetic(cells))
    shares = {}
    for name, of_kind in _by_kind_of_row(pairs, rows):
        _, shares[name] = match_rates(of_kind)
    return shares


def _by_kind_of_row(table, rows):
    """The lines of a table by whether print chose settings of their row; a kind without any is out.

    Readers ask whether agreement comes from settings that were chosen for it.
    """
    lines = table.merge(rows, on=OUR_ROW)
    has_closest = lines["n_closest_to_print"] > 0
    groups = {ROWS_BY_PRINT: lines[has_closest], OTHER_ROWS: lines[~has_closest]}
    return [(name, group) for name, group in groups.items() if len(group)]


def _agreeing_pages(cells):
    """How many printed cells of Table 4 agree by each rule, since two are defensible."""
    pages = cells[(cells["table"] == 4) & cells["verdict"].isin(VERDICTS_OF_MEASURED)]
    counts = {}
    for rule in PAGE_RULES:
        words = verdict(pages.assign(tolerance=tolerance(pages, rule)))
        counts[rule] = int((words == "agrees").sum())
    return counts


def _claims(findings, get_records):
    """The findings as dicts, each with what alternative settings do to it."""
    flips_of_claim = flips(claim_effects(get_records)).set_index("claim").to_dict("index")
    return [
        finding.as_dict() | {"multiverse": flips_of_claim.get(finding.id)} for finding in findings
    ]


def _groups(get_records):
    """The paper's learners of bags against other groups, by all learners and by equal numbers."""
    learners = learners_by_group(get_records)
    return {
        "all learners": _for_json(differences_of_groups(learners)),
        "equal numbers": _for_json(chance_to_lead(learners)),
    }


def _for_json(table):
    """Rows of a table, ready for JSON: None where a value is missing."""
    return table.astype(object).where(table.notna(), None).to_dict("records")
