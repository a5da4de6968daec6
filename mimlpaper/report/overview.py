"""Tables about the tables: claims, totals by verdict, open choices, what a fit costs."""

from __future__ import annotations

import json

import pandas as pd

from mimlpaper.metrics import CRITERIA
from mimlpaper.report.cells import as_published
from mimlpaper.report.claims import ClaimResult
from mimlpaper.report.published import published_divergences
from mimlpaper.report.rendering import Entry, ReportTable, text_entry

__all__ = [
    "by_verdict",
    "changed",
    "choices_table",
    "claim_counts_table",
    "claims_table",
    "divergences_table",
    "seconds_table",
    "status_table",
    "totals_table",
    "verified_table",
]

CLAIM_VERDICTS = ("holds", "partly", "fails", "not evaluated")


def claims_table(results: list[ClaimResult], *, detail: bool = True) -> ReportTable:
    """One row a claim: what the paper says, and what became of it under both tests.

    ``detail`` adds which parts of a claim hold and which fail.
    """
    rows = {
        result.id: (
            text_entry(result.claim),
            Entry((), (), result.verdict),
            Entry((), (), result.corrected),
            text_entry(result.detail),
        )[: 4 if detail else 3]
        for result in results
    }
    tidy = pd.DataFrame(
        [
            (result.id, result.where, result.claim, result.verdict, result.corrected, result.detail)
            for result in results
        ],
        columns=["id", "where", "claim", "verdict", "verdict_corrected", "detail"],
    )
    return ReportTable(
        caption="Claims, by the paper's paired t-test and by the corrected resampled t-test.",
        corner="",
        columns=("claim", "paired t-test", "corrected", "in detail")[: 4 if detail else 3],
        rows=rows,
        tidy=tidy,
        prose=True,
    )


def by_verdict(results: list[ClaimResult]) -> list[ClaimResult]:
    """The same claims: first those that hold, last those that were not evaluated."""
    return sorted(results, key=lambda result: CLAIM_VERDICTS.index(result.verdict))


def claim_counts_table(results: list[ClaimResult]) -> ReportTable:
    """Number of claims by verdict, a row for each part of the paper; corrected test below."""
    counted = pd.DataFrame(
        [(_part_of(result.id), result.verdict, result.corrected) for result in results],
        columns=["part", "paired", "corrected"],
    )
    parts = list(dict.fromkeys(counted["part"]))
    tidy = []
    for part in [*parts, "all"]:
        chosen = counted if part == "all" else counted[counted["part"] == part]
        for word in CLAIM_VERDICTS:
            numbers = (chosen[["paired", "corrected"]] == word).sum()
            tidy.append({"part": part, "verdict": word, **numbers})
    tidy = pd.DataFrame(tidy, columns=["part", "verdict", "paired", "corrected"])
    rows = {
        part: tuple(text_entry(f"{row.paired} / {row.corrected}") for row in numbers.itertuples())
        for part, numbers in tidy.groupby("part", sort=False)
    }
    return ReportTable(
        caption="Claims by verdict: by the paper's paired t-test / by the corrected test.",
        corner="",
        columns=CLAIM_VERDICTS,
        rows=rows,
        tidy=tidy,
        rule_above="all",
    )


def totals_table(card: dict) -> ReportTable:
    """Number of cells by verdict: one row for each of the paper's tables, and their sum."""
    words = list(card["totals"]["all"])
    names = {name: name.replace("table", "Table ") for name in card["totals"]} | {"all": "all"}
    rows = {
        names[name]: tuple(
            Entry((str(counts[word]),), (False,), word if counts[word] else "") for word in words
        )
        for name, counts in sorted(card["totals"].items(), key=lambda item: item[0] == "all")
    }
    return ReportTable(
        caption=(
            "Cells by verdict. Reproduced are those that match, are close or better on the "
            "original data, over all runs of the protocol, by today's code."
        ),
        corner="",
        columns=tuple(words),
        rows=rows,
        tidy=pd.DataFrame(card["totals"]).T.rename_axis("table").reset_index(),
        rule_above="all",
    )


def status_table(rows: list[dict]) -> ReportTable:
    """One row for each artefact, of :func:`~mimlpaper.report.status.artefact_status`."""
    columns = ("notebook", "state", "trials", "mend")
    return ReportTable(
        caption="Every table and figure: the state of its trials, and what mends it.",
        corner="artefact",
        columns=columns,
        rows={row["artefact"]: tuple(text_entry(row[name]) for name in columns) for row in rows},
        tidy=pd.DataFrame(rows),
    )


def verified_table(card: dict) -> ReportTable:
    """One row an experiment: what ``mimlpaper verify`` last found, when and on what machine."""
    columns = ("groups verified", "trials run again", "largest difference", "date", "machine")
    rows = {}
    for row in card["verified"]:
        same = row["equal"] + row["close"]
        apart = f"{row['largest_difference']:.0e}"
        texts = (f"{same} of {row['groups']}", row["trials"], apart, row["date"], row["machine"])
        twice = row["experiment"] in rows
        name = f"{row['experiment']}, {row['machine']}" if twice else row["experiment"]
        rows[name] = tuple(map(text_entry, texts))
    return ReportTable(
        caption="Recorded trials run again, drawn at random, and found to give the same numbers.",
        corner="experiment",
        columns=columns,
        rows=rows,
        tidy=pd.DataFrame(card["verified"]),
    )


def divergences_table(
    section: str = "", columns: tuple[str, ...] = ("open", "choice", "alternatives", "effect")
) -> ReportTable:
    """What the paper leaves open or says in two ways, and what was chosen.

    ``section`` keeps the rows of one section, such as ``"4"``; all if empty. ``columns`` are
    those of :func:`~mimlpaper.report.published.published_divergences` to show.
    """
    log = published_divergences()
    log = log[log["section"] == section] if section else log
    rows = {
        row["id"]: tuple(text_entry(row[column] or "–") for column in columns)
        for row in log.to_dict("records")
    }
    return ReportTable(
        caption="Open choices, and what they change where that was measured.",
        corner="",
        columns=tuple(columns),
        rows=rows,
        tidy=log,
        prose=True,
    )


def choices_table(records: pd.DataFrame, title: str) -> ReportTable:
    """What an open choice changes: means of the configuration, then differences from them.

    Parameters
    ----------
    records : of an experiment whose variants include the configuration itself, ``"{}"``.
    title : str, told in the caption.
    """
    names = list(CRITERIA)
    means = records.groupby(["method", "parameters"], sort=False)[names].mean()
    rows, tidy = {}, []
    for method, variants in means.groupby(level="method", sort=False):
        base = variants.loc[(method, "{}")]
        rows[method] = tuple(text_entry(f"{base[name]:.3f}") for name in names)
        for _, parameters in variants.index.drop((method, "{}")):
            changes = variants.loc[(method, parameters)] - base
            rows[f"{method}: {changed(parameters)}"] = tuple(
                text_entry(f"{changes[name]:+.3f}") for name in names
            )
            tidy.append({"method": method, "parameters": parameters, **changes})
    n_splits = records["split"].nunique()
    return ReportTable(
        caption=f"{title}: means over {n_splits} splits, and what each other choice adds to them.",
        corner="configuration, or what differs from it",
        columns=tuple(f"{CRITERIA[name].symbol} {CRITERIA[name].arrow}" for name in names),
        rows=rows,
        tidy=pd.DataFrame(tidy, columns=["method", "parameters", *names]),
    )


def seconds_table(records: dict[str, pd.DataFrame]) -> ReportTable:
    """Mean processor seconds of a fit and a prediction, by method and experiment.

    Parameters
    ----------
    records : mapping from a title to an experiment's records.
    """
    tidy = pd.concat(
        [
            as_published(table)
            .groupby("method", sort=False)[["fit_seconds", "predict_seconds"]]
            .mean()
            .assign(experiment=title)
            .reset_index()
            for title, table in records.items()
        ],
        ignore_index=True,
    )
    columns = tuple(f"{title}, {part}" for title in records for part in ("fit", "predict"))
    by_method = tidy.set_index(["method", "experiment"])
    rows = {
        method: tuple(
            text_entry(_seconds(by_method, (method, title), f"{part}_seconds"))
            for title in records
            for part in ("fit", "predict")
        )
        for method in tidy["method"].drop_duplicates()
    }
    caption = "Processor seconds of one fit and of one prediction of the test set, means over runs."
    return ReportTable(caption, "method", columns, rows, tidy)


def changed(parameters: str) -> str:
    """``{"mlsvm__label_rule": "top"}`` as ``label_rule = top``."""
    changes = json.loads(parameters).items()
    return ", ".join(f"{name.split('__')[-1]} = {value}" for name, value in changes)


def _part_of(claim_id):
    """``S4.1`` belongs to "Section 4", ``B.1`` to "Appendix B"; ``N.1`` is about time."""
    first = claim_id.split(".")[0]
    if first == "N":
        return "time"
    return f"Section {first[1:]}" if first.startswith("S") else f"Appendix {first}"


def _seconds(table, row, column):
    return f"{table.at[row, column]:.2f}" if row in table.index else "–"
