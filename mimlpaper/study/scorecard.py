"""The scorecard: every cell and claim with its verdict, every table and figure with its state."""

import inspect
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill

import pandas as pd

from mimlpaper import paths
from mimlpaper.study.claims import ClaimResult, evaluate_claims
from mimlpaper.study.compare import COLUMNS, Records, column_records, compare_with_paper
from mimlpaper.study.multiverse import claim_effects, flips
from mimlpaper.study.published import PROTOCOL_RUNS, TABLES
from mimlpaper.study.records import KEY, STATES, USABLE
from mimlpaper.study.registry import EXPERIMENTS, settings_nearest_to_print
from mimlpaper.study.rendering import PRINTED
from mimlpaper.study.verdicts import agreement, deviations, row_verdicts


@dataclass(frozen=True)
class Artefact:
    """One table or figure, of the paper or beyond it."""

    title: str  # as the paper calls it
    file: str  # name of its files in figures/, without ending
    notebook: str
    experiments: tuple[str, ...] = ()  # whose records it shows
    shows: str = ""  # what a figure shows, in words; empty for a table

    @property
    def files(self) -> tuple[str, ...]:
        """Names of its files, the one to look at first."""
        table = ("csv", "md", "tex") if self.file in PRINTED else ("csv", "md")
        return tuple(
            f"{self.file}.{ending}" for ending in (("png", "svg") if self.shows else table)
        )


def _read_artefacts():
    rows = pd.read_csv(paths.published() / "artefacts.csv", dtype=str, keep_default_na=False)
    names = rows.pop("experiment").str.split("; ").map(lambda several: tuple(filter(None, several)))
    return tuple(Artefact(**row) for row in rows.assign(experiments=names).to_dict("records"))


ARTEFACTS = _read_artefacts()


def scorecard(
    get_records: Records, protocol_n: Mapping[str, int] | None = None,
    claims: Sequence[ClaimResult] | None = None,
) -> dict:  # fmt: skip
    """Everything that the paper prints or claims, judged from the records; ready for JSON.

    The parameters are those of :func:`~mimlpaper.study.claims.evaluate_claims`, and all its
    results, if they are known. The keys are

    - ``cells``: a dict for each cell of Tables 1 to 5, blank cells included; blind_mean, blind_std
      and blind_verdict are those of the blind column, empty where it is not recorded
    - ``rows``: table, algorithm, the nearest printed row, nearest_to_print (number of settings
      that were chosen because they come nearest to the printed row)
    - ``totals``: for each table and for all, see :func:`~mimlpaper.study.verdicts.agreement`;
      ``blind``: the same for the blind column
    - ``claims``: id, claim, the verdicts paired, matched, blind and tuned, and detail;
      multiverse: what :func:`~mimlpaper.study.multiverse.flips` says of it, None if nothing.
    """
    protocol_n = PROTOCOL_RUNS | dict(protocol_n or {})
    cells, blind = (scorecard_cells(get_records, protocol_n, name) for name in COLUMNS[:2])
    rows = _rows(cells)
    marked = {n: settings_nearest_to_print(f"table{n}") for n in TABLES}
    rows["nearest_to_print"] = [marked[r.table].get(r.algorithm, 0) for r in rows.itertuples()]
    both = cells.assign(**{f"blind_{name}": blind[name] for name in ("mean", "std", "verdict")})
    claims = evaluate_claims(get_records, protocol_n) if claims is None else claims
    turns = flips(claim_effects(get_records)).set_index("claim").to_dict("index")
    return {
        "cells": both.astype(object).where(both.notna(), None).to_dict("records"),
        "rows": rows.to_dict("records"),
        "totals": _totals(cells),
        "blind": _totals(blind),
        "claims": [one.to_dict() | {"multiverse": turns.get(one.id)} for one in claims],
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
    """The outcome of some tables and some claims, in a few sentences."""
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


def trial_counts(experiments: Iterable[str], read: Callable, profile: str) -> dict[str, int]:
    """Numbers of the trials of some experiments in each state, and of those "missing".

    ``read`` gives the records of an experiment by its name.
    """
    counts = dict.fromkeys((*STATES, "missing"), 0)
    for name in dict.fromkeys(experiments):
        states = read(name).drop_duplicates(KEY)["state"].value_counts()
        for state, n in states.items():
            counts[state] += int(n)
        counts["missing"] += len(EXPERIMENTS[name].trials(profile)) - int(states.sum())
    return counts


def artefact_status(
    read: Callable, profile: str, folder, last_runs: Mapping[str, str]
) -> list[dict]:
    """One row for each artefact: title, notebook, state, trials by state, mending command.

    The state is the first that fits: "failed" if the notebook's last run did not end well;
    "missing" if trials or files are missing; else that of its worst trial. ``last_runs`` maps a
    notebook to how its last run ended, "done" if well. The artefacts' files are in ``folder``.
    """
    rows: list[dict] = []
    known: dict[tuple, dict] = {}
    for artefact in ARTEFACTS:
        names = artefact.experiments
        counts = known.setdefault(names, trial_counts(names, read, profile))
        found = [state for state in ("missing", *reversed(STATES)) if counts[state]]
        made = any(Path(folder).glob(f"{artefact.file}.*"))
        mend = f"mimlpaper run {artefact.notebook}"
        if last_runs.get(artefact.notebook, "done") != "done":
            state = "failed"
        else:
            state = "missing" if not made else (found or ["fresh"])[0]
        if state in USABLE:
            mend = ""
        elif state in STATES:
            mend = f"mimlpaper verify {' '.join(names)}"
        shown = ", ".join(f"{counts[state]} {state}" for state in reversed(found))
        row = {"artefact": artefact.title, "notebook": artefact.notebook, "state": state}
        rows.append(row | {"trials": shown, "mend": mend})
    return rows


def publish_lists(card: dict) -> list[Path]:
    """Write what is made of the artefacts: README's outcome, figures/README.md, codecheck.yml."""
    root = paths.project_root()
    lines = [fill(line, 100, subsequent_indent="  ") for line in in_words(card).splitlines()]
    outcome = re.compile(r"(<!-- written by .*? -->\n).*?(\n<!-- until here -->)", re.S)
    readme = (root / "README.md").read_text()
    readme = outcome.sub(lambda ends: ends[1] + "\n".join(lines) + ends[2], readme)
    texts = {
        root / "README.md": readme, paths.figures() / "README.md": gallery(),
        root / "codecheck.yml": codecheck_manifest(),
    }  # fmt: skip
    return [paths.write_whole(path, text) for path, text in texts.items()]


def gallery() -> str:
    """``figures/README.md``: a row for each artefact, and the pictures below."""
    text, pictures = _text("gallery.md"), ""
    for one in ARTEFACTS:
        files = " ".join(f"[{name}]({name})" for name in one.files)
        notebook = f"[{one.notebook}](../notebooks/{one.notebook}.ipynb)"
        trials = ", ".join(f"`{name}`" for name in one.experiments)
        text += f"| {one.title} | {files} | {notebook} | {trials} |\n"
        if one.shows:
            pictures += f"\n## {one.title}\n\n![{one.shows}]({one.files[0]})\n\n{one.shows}\n"
    return text + pictures


def codecheck_manifest() -> str:
    """``codecheck.yml`` of CODECHECK's specification 1.0: a file for each artefact."""
    entries = (
        f"  - file: figures/{one.files[0]}\n    comment: "
        + json.dumps(f"{one.title}, made by: mimlpaper run {one.notebook} --publish")
        for one in ARTEFACTS
    )
    return _text("codecheck.yml") + "".join(f"{entry}\n" for entry in entries)


def _text(name):
    return Path(__file__).with_name(name).read_text()


CITED = re.compile(r"(?P<code>.*?)\s*#\s*(?P<step>(?:Tables? \d+, )?(?:steps?|lines?) .*)", re.I)


def pseudocode_map(*sources) -> pd.DataFrame:
    """One row for each step of a pseudo-code that the code cites: step, file and line, code.

    ``sources`` are modules, classes or functions, whose modules are searched in this order.
    """
    rows, root = [], paths.project_root()
    for path in dict.fromkeys(Path(inspect.getfile(source)) for source in sources):
        where = path.relative_to(root) if path.is_relative_to(root) else path
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            match = CITED.fullmatch(line)
            if match:
                rows.append((match["step"], f"{where}:{number}", match["code"].strip()))
    return pd.DataFrame(rows, columns=["step", "where", "code"])
