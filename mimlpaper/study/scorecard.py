"""The scorecard: every cell and claim with its verdict, every table and figure with its state.

And how one number came about, from the printed value down to the code: :func:`trace`.
"""

import hashlib
import inspect
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from itertools import zip_longest
from pathlib import Path
from textwrap import fill
from types import SimpleNamespace

import numpy as np
import pandas as pd

from mimlpaper import paths
from mimlpaper.datasets import loader_of
from mimlpaper.study.claims import ClaimResult, evaluate_claims
from mimlpaper.study.compare import (
    COLUMNS,
    Records,
    as_published,
    column_records,
    compare_with_paper,
)
from mimlpaper.study.fingerprint import all_sources, code_fingerprint, modules_behind
from mimlpaper.study.multiverse import claim_effects, flips
from mimlpaper.study.published import TABLES
from mimlpaper.study.records import (
    KEY,
    STATES,
    USABLE,
    default_store,
    explored_store,
    kept,
    records,
)
from mimlpaper.study.registry import EXPERIMENTS, ROWS, settings_nearest_to_print
from mimlpaper.study.settings import NEAREST, settings
from mimlpaper.study.tables import OF_THE_PAPER
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
        table = ("csv", "md", "tex") if self.file in OF_THE_PAPER else ("csv", "md")
        endings = ("png", "svg") if self.shows else table
        return tuple(f"{self.file}.{ending}" for ending in endings)


def _read_artefacts():
    rows = pd.read_csv(paths.published() / "artefacts.csv", dtype=str, keep_default_na=False)
    names = rows.pop("experiment").str.split("; ").map(lambda several: tuple(filter(None, several)))
    return tuple(Artefact(**row) for row in rows.assign(experiments=names).to_dict("records"))


ARTEFACTS = _read_artefacts()
LAST_RUNS = "runs.json"  # beside executed notebooks: how the last run of each ended


def scorecard(get_records: Records, claims: Sequence[ClaimResult] | None = None) -> dict:
    """Everything that the paper prints or claims, judged from the records; ready for JSON.

    ``claims`` are all results of :func:`~mimlpaper.study.claims.evaluate_claims`, if they are
    known. The keys are

    - ``cells``: a dict for each cell of Tables 1 to 5, blank cells included; blind_mean, blind_std
      and blind_verdict are those of the blind column, empty where it is not recorded
    - ``rows``: table, algorithm, the nearest printed row, nearest_to_print (number of settings
      that were chosen because they come nearest to the printed row)
    - ``totals``: for each table and for all, see :func:`~mimlpaper.study.verdicts.agreement`;
      ``blind``: the same for the blind column
    - ``claims``: the fields of a ClaimResult, n_parts, n_held, and multiverse: what
      :func:`~mimlpaper.study.multiverse.flips` says of it, None if nothing.
    """
    cells, blind = (scorecard_cells(get_records, name) for name in COLUMNS[:2])
    rows = _rows(cells)
    marked = {n: settings_nearest_to_print(f"table{n}") for n in TABLES}
    rows["nearest_to_print"] = [marked[r.table].get(r.algorithm, 0) for r in rows.itertuples()]
    both = cells.assign(**{f"blind_{name}": blind[name] for name in ("mean", "std", "verdict")})
    claims = evaluate_claims(get_records) if claims is None else claims
    turns = flips(claim_effects(get_records)).set_index("claim").to_dict("index")
    return {
        "cells": both.astype(object).where(both.notna(), None).to_dict("records"),
        "rows": rows.to_dict("records"),
        "totals": _totals(cells),
        "blind": _totals(blind),
        "claims": [_as_dict(one) | {"multiverse": turns.get(one.id)} for one in claims],
    }


def _as_dict(claim):
    held = sum(part.holds is True for part in claim.parts)
    return asdict(claim) | {"n_parts": len(claim.parts), "n_held": held}


def scorecard_cells(
    get_records: Records, column: str = "matched", numbers: Iterable[int] = TABLES
) -> pd.DataFrame:
    """The paper's own cells of some tables in a column, see :func:`compare_with_paper`."""
    cells = pd.concat(
        compare_with_paper(column_records(get_records, TABLES[number].experiment, column), number)
        for number in numbers
    )
    return cells[cells["printed"] != "no row"].reset_index(drop=True)


def in_words(card: dict) -> str:
    """The outcome as a list: agreement, order of the algorithms, claims."""
    every, blind = card["totals"]["all"], card["blind"]["all"]
    if not every["rows"]:
        return "Nothing is recorded yet."
    marked = sum(row["nearest_to_print"] > 0 for row in card["rows"])
    results = [SimpleNamespace(**claim) for claim in card["claims"]]
    claims = {name: _claims_in_words(results, name) for name in COLUMNS}
    if not blind["rows"]:
        claims["blind"] = "nothing is recorded yet"
    chosen = f"{marked} rows have settings that were chosen because they come nearest to print. "
    known = every["tau_identified"]
    among = f", {known:.2f} among the rows nearest to their own" if known is not None else ""
    return (
        f"- **Numbers.** {_agreement_in_words(every)}. {chosen * bool(marked)}"
        f"Blind to print: {_agreement_in_words(blind)}.\n"
        f"- **Order.** The printed winner wins {every['winner_agreement']:.0%} of the "
        f"{every['columns']} columns. Kendall's τ between our order and the printed one is "
        f"{every['tau']:.2f}{among}.\n"
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
        words = "; ".join(f"{name}, {_claims_in_words(claims, name)}" for name in COLUMNS)
        sentences.append(f"Of {len(claims)} claims, {words}.")
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


def _claims_in_words(claims, column):
    counts = Counter(getattr(claim, column) for claim in claims)
    return f"{counts['holds']} hold, {counts['partly']} hold in part and {counts['fails']} fail"


def _totals(cells):
    totals = {"all": agreement(cells)}
    return totals | {f"table{n}": agreement(cells[cells["table"] == n]) for n in TABLES}


def trace(table: int | str, method: str, criterion: str, dataset: str | None = None) -> str:
    """How one number of Tables 1 to 5 came about: one screen of text.

    It names the printed value, ours, the verdict with its arithmetic, the recorded trials, each
    setting with its basis, the files of code behind it, and when the numbers were last verified.
    Names are those of the scorecard; ``dataset=None`` is the table's only or first column. If
    there is no such cell, a ValueError names the possible values.
    """
    printed = TABLES.get(int(table)) if str(table).isdigit() else None
    if printed is None:
        raise ValueError(f"table must be one of {list(TABLES)}, got {table!r}")
    experiment, dataset = EXPERIMENTS[printed.experiment], dataset or printed.datasets[0]
    known = dict(method=experiment.methods, criterion=printed.criteria, dataset=printed.datasets)
    for (name, names), value in zip(known.items(), (method, criterion, dataset), strict=True):
        if value not in names:
            raise ValueError(f"{name} must be one of {list(names)}, got {value!r}")
    recorded = as_published(records(experiment, methods=[method]))
    cell = compare_with_paper(recorded, printed.number).query(
        "algorithm == @method and criterion == @criterion and dataset == @dataset"
    )
    # The eleven data sets of Table 4 are one column of it.
    trials = recorded.query("dataset == @dataset or dataset not in @printed.datasets")
    of_set = trials["dataset"].iloc[0] if len(trials) else experiment.datasets[0]
    verified = default_store().outcomes()
    verified = verified.query("experiment == @experiment.name and method == @method")
    about = _values(cell.iloc[0]) | {"trials": _trials(experiment, trials)}
    about |= _code(experiment, of_set, method)
    about["verified"] = [
        f"{row.date}: {row.outcome}, {row.n_checked} trials, {row.machine}"
        for row in verified.itertuples()
    ] or ["never"]
    lines = [f"Table {table}, {method}, {criterion} on {dataset}", ""]
    for name, texts in about.items():
        lines += [f"{head:<10}{text}" for head, text in zip_longest([name], texts, fillvalue="")]
    return "\n".join(lines)


def _values(cell):
    mean, published = cell["mean"], cell["published_mean"]
    words = [cell["verdict"] or "none: the paper has no such row"]
    if cell["printed"] == "value" and cell["n"]:
        difference = f"|{mean:.4f} - {published:.4f}| = {abs(mean - published):.4f}"
        words.append(f"{difference}; agrees up to {cell['tolerance']:.4f}")
    words.append("data/published/results.csv, study/compare.py, study/verdicts.py")
    pairs = (published, cell["published_std"]), (mean, cell["std"])
    theirs, ours = (" ± ".join(f"{n:.4g}" for n in pair if pd.notna(n)) for pair in pairs)
    return {"printed": [theirs or cell["printed"]], "ours": [ours or "none"], "verdict": words}


def _trials(experiment, trials):
    """How many trials, their seconds, and their lines in the file."""
    if trials.empty:
        return [f"none; mimlpaper compute {experiment.name}"]
    path, keys = default_store().path(experiment.name), ["dataset", "method"]
    in_file = pd.MultiIndex.from_frame(pd.read_csv(path, usecols=keys)[keys])
    places = 2 + np.flatnonzero(in_file.isin(pd.MultiIndex.from_frame(trials[keys])))
    states = ", ".join(f"{n} {state}" for state, n in trials["state"].value_counts().items())
    return [
        f"{len(trials)}: {states}; seeds {trials['split'].min()} to {trials['split'].max()}",
        f"{trials['seconds'].sum():.1f} s of processor time in all",
        f"data/results/{path.name}, lines {places[0]} to {places[-1]}",
    ]


def _code(experiment, dataset, method):
    """The settings with their basis, and the files that compute with them."""
    splits = experiment.part_of(dataset, method).splits
    parts = experiment.estimator(dataset, method), loader_of(dataset), splits, experiment.measure
    about = settings({method: ROWS[experiment.name][method]}, [dataset])
    named = [
        f"{f'{one.parameter} = {one.value}':<50} {f'{one.basis} {one.source}'.rstrip()}"
        + " †" * (one.basis == NEAREST)
        for one in about[about["basis"] != ""].itertuples()
    ]
    sections = paths.PACKAGE.glob("study/section*.py")
    section = next(file for file in sections if f'"{experiment.name}"' in file.read_text())
    files = [f"fingerprint {code_fingerprint(*parts)}"]
    for module, n_definitions in modules_behind(*parts).items():
        path = Path(*module.split(".")[1:]).with_suffix(".py")
        digest = hashlib.sha256((paths.PACKAGE / path).read_bytes()).hexdigest()[:12]
        files.append(f"{path!s:<32} {digest}  {n_definitions} definitions in use")
    return {"settings": [*named, f"{splits}; study/{section.name}"], "code": files}


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


def last_runs(profile: str = "paper") -> dict[str, str]:
    """How the last run of each notebook ended, if it was ever run here."""
    path = paths.build(profile) / LAST_RUNS
    return json.loads(path.read_text()) if path.is_file() else {}


def outcome(profile: str = "paper") -> dict:
    """The scorecard, and by experiment its trials in each state, kept until a file changes."""
    store = explored_store(profile)
    folders = store.folder, default_store(profile).folder, paths.published()
    files = [path for folder in folders for path in sorted(folder.glob("*.csv"))]
    about = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files]

    def make():
        read = cache(partial(records, profile=profile, store=store))
        counts = {name: trial_counts([name], read, profile) for name in EXPERIMENTS}
        return {"card": scorecard(read), "counts": counts}

    return kept(f"outcome_{profile}", repr([all_sources(), about]), make)


def artefact_status(
    counts_of: Mapping[str, Mapping[str, int]], profile: str, ended: Mapping[str, str]
) -> list[dict]:
    """One row for each artefact: title, notebook, state, trials by state, mending command.

    The state is the first that fits: "failed" if the notebook's last run did not end well;
    "missing" if trials or files are missing; else that of its worst trial. ``ended`` maps a
    notebook to how its last run ended, "done" if well; ``counts_of`` an experiment to the numbers
    of its trials, see :func:`trial_counts`.
    """
    folder = paths.figures() if profile == "paper" else paths.build(profile) / "figures"
    rows = []
    for artefact in ARTEFACTS:
        names, run = artefact.experiments, f"mimlpaper run {artefact.notebook}"
        counts = sum((Counter(counts_of[name]) for name in names), Counter())
        found = [state for state in ("missing", *reversed(STATES)) if counts[state]]
        state = (found or ["fresh"])[0]
        mend = "" if state in USABLE else f"mimlpaper verify {' '.join(names)}"
        if not any(folder.glob(f"{artefact.file}.*")) or state == "missing":
            state, mend = "missing", run
        if ended.get(artefact.notebook, "done") != "done":
            state, mend = "failed", run
        shown = ", ".join(f"{counts[one]} {one}" for one in reversed(found))
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
    write = paths.write_whole
    return [
        write(root / "README.md", readme), write(paths.figures() / "README.md", gallery()),
        write(root / "codecheck.yml", codecheck_manifest()),
    ]  # fmt: skip


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
