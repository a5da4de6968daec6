"""The scorecard: every cell and claim with its verdict, every table and figure with its state.

And how one number came about, from the printed value down to the code: :func:`trace`.
"""

import inspect
import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cache, lru_cache, partial
from itertools import zip_longest
from pathlib import Path
from textwrap import fill

import pandas as pd

from mimlpaper import paths
from mimlpaper.datasets import loader_of
from mimlstudy import folders
from mimlstudy.engine.fingerprint import all_sources, code_fingerprint, modules_behind
from mimlstudy.engine.records import KEY, STATES, USABLE, default_store, explored_store, records
from mimlstudy.engine.verify import verified
from mimlstudy.judge import compare
from mimlstudy.judge.claims import (
    CONTROLLED,
    VIEWS,
    WORDS,
    ClaimResult,
    Part,
    Verdict,
    count_words,
    evaluate_claims,
)
from mimlstudy.judge.multiverse import claim_effects, flips
from mimlstudy.judge.verdicts import VERDICTS, agreement, deviations, row_verdicts
from mimlstudy.paper.experiments import EXPERIMENTS, ROWS, settings_nearest_to_print
from mimlstudy.paper.published import TABLES, read_rows
from mimlstudy.paper.settings import NEAREST, settings
from mimlstudy.report import tables


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
        of_table = ("csv", "md", "tex") if self.file in tables.OF_THE_PAPER else ("csv", "md")
        endings = ("png", "svg") if self.shows else of_table
        return tuple(f"{self.file}.{ending}" for ending in endings)


ARTEFACTS = tuple(
    Artefact(experiments=row.pop("experiment"), **row)
    for row in read_rows("artefacts.csv", "experiment")
)
# Experiments that methods of a notebook's Companion run, which do not name them.
RUN_BY = {"readings": r"paper\.open_choices\(", "blind": r"paper\.table\("}
# How the totals of a table are said.
AGREEMENT = (
    "{agrees} of {measured} (other algorithms' {false_match_rate:.0%}), {differs_better} are "
    "better and {differs_worse} worse, and {rows_identified} of {rows} rows are nearest to their "
    "own printed row (by chance {rows_by_chance:.0f})"
)
ARTICLE = "figures/pages/0_scorecard.md"  # the rendered notebook
BAGS = "does-learning-from-bags-pay"  # the heading in notebook 11
PAPERS, STRICT = tables.CLAIM_COLUMNS[:2]
LAST_RUNS = "runs.json"  # beside executed notebooks: how the last run of each ended


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


def in_words(card: dict) -> str:
    """The outcome as a table in Markdown: agreement, order, claims, by column of settings."""
    if not card["totals"]["matched"]["all"]["rows"]:
        return "Nothing is recorded yet."
    shares = (f"{n / every:.0%} agree in {name}" for name, (n, every) in card["agreeing"].items())
    texts = {name: _column_in_words(name, card) for name in compare.COLUMNS}
    caption = (
        f"Printed values and claims, by how our settings were chosen. Of the matched cells "
        f"{' and '.join(shares)}. Of {len(card['claims'])} claims are " + ", ".join(WORDS) + ":"
    )
    table = tables.frame_grid(pd.DataFrame(texts), pd.DataFrame(), caption, corner="")
    return table.to_markdown().strip()


def answer(card: dict, article: str = ARTICLE) -> str:
    """Does the paper hold? Facts in Markdown, with links into ``article``, which shows them."""
    matched, blind = (card["totals"][name]["all"] for name in ("matched", "blind"))
    if not (matched["rows"] and blind["rows"]):
        return "Not everything is recorded yet."
    marked = sum(row["nearest_to_print"] > 0 for row in card["rows"])
    words = {view: "/".join(map(str, own.values())) for view, own in card["words"].items()}
    wins = [round(one["winner_agreement"] * one["columns"]) for one in (matched, blind)]
    strict = [claim["verdicts"][STRICT] for claim in card["claims"]]
    unseen = article.replace("0_scorecard", "11_unseen_data") or "11_unseen_data.ipynb"
    powerless = sum(one["control"] < CONTROLLED * one["n_control"] for one in strict)
    facts = (
        f"**The numbers: {matched['agrees'] / matched['measured']:.0%} agree.** Of "
        f"{matched['measured']} printed results {matched['agrees']} agree with ours within the "
        f"noise that each table states; of other algorithms' {matched['false_match_rate']:.0%} "
        f"would. For {marked} of {matched['rows']} rows we took open settings nearest to print; "
        f"without them {blind['agrees']} agree ([cells]({article}#the-numbers)).",
        f"**The claims: {card['words'][PAPERS]['shown']} of {len(strict)} are shown.** By the "
        f"paper's test {words[PAPERS]} are {', '.join(WORDS)}; by a strict test {words[STRICT]}, "
        f"with blind settings {words['blind']} ([claims]({article}#the-claims)).",
        f"**The ranking: {wins[0]} of {matched['columns']} columns have the printed winner**, "
        f"blind {wins[1]}. Kendall's τ with the printed order is {matched['tau']:.2f}, blind "
        f"{blind['tau']:.2f} ([order]({article}#the-order-of-the-methods)).",
        f"**Bags, or one vector?** {card['bags'].removesuffix('.')} ([controls]({unseen}#{BAGS})).",
        f"**What nobody can say.** Of {powerless} claims the strict test would have missed most "
        "printed leads. RankSvm's printed rows look like an early stop; which program made them "
        f"is unknown ([open]({article}#what-nobody-can-say)).",
    )
    return "\n".join(
        fill(f"- {fact}", 100, subsequent_indent="  ", break_on_hyphens=False) for fact in facts
    )


def _column_in_words(name, card):
    every, *single = card["totals"][name].values()
    taus = "/".join(f"{one['tau'] or 0:.2f}".lstrip("0") for one in single if one["columns"])
    known = {
        "cells that agree (others' rows)": "{agrees} of {measured} ({false_match_rate:.0%})",
        "rows nearest to their own": "{rows_identified} of {rows} (by chance {rows_by_chance:.0f})",
        "columns with the printed winner": "{winner_agreement:.0%} of {columns}",
        "Kendall's τ; by table": "{tau:.2f}; " + taus,
    }
    cells = {head: text.format(**every) if every["rows"] else "–" for head, text in known.items()}
    views = {test: view for view, (column, test) in VIEWS.items() if column == name}
    for test, head in (("paired", PAPERS), ("strict", STRICT)):
        cells[f"claims, {head}"] = "/".join(map(str, card["words"][views[test]].values()))
    return pd.Series(cells)


def finding_in_words(
    get_records: compare.Records, numbers: Sequence[int], claims: Sequence[ClaimResult]
) -> str:
    """The outcome of some tables and some claims, in a few sentences."""
    sentences = []
    for number in numbers:
        every = agreement(scorecard_cells(get_records, numbers=[number]))
        found = AGREEMENT.format(**every) if every["rows"] else "nothing is recorded yet"
        sentences.append(f"Table {number}, printed cells that agree with ours: {found}.")
    if claims:
        counts = count_words(claims)
        paper, strict = (counted(counts.loc[view]) for view in (PAPERS, STRICT))
        both = f"by the paper's test, {paper}; by the strict test, {strict}"
        words = f"{paper}, by the paper's test and by the strict one" if paper == strict else both
        sentences.append(f"Of {len(claims)} claims: {words}.")
    return " ".join(sentences)


def counted(words) -> str:
    """Numbers by word, such as "3 fresh, 1 stale", without those that are 0."""
    return ", ".join(f"{n} {word}" for word, n in words.items() if n)


def _agreeing(cells, rows):
    known = cells[cells["verdict"].isin(VERDICTS[:3])].merge(rows, on=["table", "algorithm"])
    kinds = {True: "rows with settings nearest to print", False: "the other rows"}
    groups = known["verdict"].eq("agrees").groupby(known["nearest_to_print"].gt(0).map(kinds))
    return {name: [int(own.sum()), len(own)] for name, own in groups}


def trace(table: int | str, method: str, criterion: str, dataset: str | None = None) -> str:
    """How one number of Tables 1 to 5 came about: one screen of text.

    Names are the scorecard's, the data set by default the first; a ValueError lists what there is.
    """
    printed = TABLES.get(int(table)) if str(table).isdigit() else None
    if printed is None:
        raise ValueError(f"table must be one of {list(TABLES)}, got {table!r}")
    experiment, dataset = EXPERIMENTS[printed.experiment], dataset or printed.datasets[0]
    known = dict(method=experiment.methods, criterion=printed.criteria, dataset=printed.datasets)
    for (name, names), value in zip(known.items(), (method, criterion, dataset), strict=True):
        if value not in names:
            raise ValueError(f"{name} must be one of {list(names)}, got {value!r}")
    recorded = compare.as_published(records(experiment, methods=[method]))
    cell = compare.compare_with_paper(recorded, printed.number).query(
        "algorithm == @method and criterion == @criterion and dataset == @dataset"
    )
    # The eleven data sets of Table 4 are one column of it.
    trials = recorded.query("dataset == @dataset or dataset not in @printed.datasets")
    of_set = trials["dataset"].iloc[0] if len(trials) else experiment.datasets[0]
    verified = (
        default_store().outcomes().query("experiment == @experiment.name and method == @method")
    )
    rows = verified[["date", "outcome", "n_checked", "machine"]].drop_duplicates()
    dates = ["{}: {}, {} trials, {}".format(*row) for row in rows.itertuples(index=False)]
    about = _values(cell.iloc[0]) | {"trials": _trials(experiment, trials)}
    about |= _code(experiment, of_set, method) | {"verified": dates or ["never"]}
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
    words.append("data/published/results.csv, judge/compare.py, judge/verdicts.py in mimlstudy")
    ours = tables.number_text(mean, cell["std"])
    return {"printed": [tables.published_text(cell)], "ours": [ours], "verdict": words}


def _trials(experiment, trials):
    if trials.empty:
        return [f"none; mimlpaper compute {experiment.name}"]
    states = counted(trials["state"].value_counts())
    return [
        f"{len(trials)}: {states}; seeds {trials['split'].min()} to {trials['split'].max()}",
        f"{trials['seconds'].sum():.1f} s of processor time in all",
        f"data/results/{experiment.name}.csv",
    ]


def _code(experiment, dataset, method):
    splits = experiment.part_of(dataset, method).splits
    parts = experiment.estimator(dataset, method), loader_of(dataset), splits, experiment.measure
    about = settings({method: ROWS[experiment.name][method]}, [dataset])
    named = [
        f"{f'{one.parameter} = {one.value}':<50} {f'{one.basis} {one.source}'.rstrip()}"
        + " †" * (one.basis == NEAREST)
        for one in about[about["basis"] != ""].itertuples()
    ]
    sections = folders.PACKAGE.glob("paper/section*.py")
    section = next(file for file in sections if f'"{experiment.name}"' in file.read_text())
    files = [
        f"{module.replace('.', '/') + '.py':<42} {n_definitions} definitions in use"
        for module, n_definitions in modules_behind(*parts).items()
    ]
    return {
        "settings": [*named, f"{splits}; mimlstudy/paper/{section.name}"],
        "code": [f"fingerprint {code_fingerprint(*parts)}", *files],
    }


def trial_counts(profile: str) -> dict[str, dict[str, int]]:
    """By experiment, the numbers of its trials in each state, and of those "missing"."""

    def counts(read):
        found = {name: Counter(read(name).drop_duplicates(KEY)["state"]) for name in EXPERIMENTS}
        return {
            name: {**states, "missing": len(EXPERIMENTS[name].trials(profile)) - states.total()}
            for name, states in found.items()
        }

    return _kept("counts", profile, counts)


def recorded_scorecard(profile: str) -> dict:
    """The :func:`scorecard` of what is recorded, and what verification last found, "verified"."""

    def card(read):
        return scorecard(read) | {"verified": verified(read, EXPERIMENTS, explored_store(profile))}

    return _kept("scorecard", profile, card)


def results_of(card: dict) -> list[ClaimResult]:
    """The claims of a scorecard, which holds them as dicts."""
    claims = [claim.copy() for claim in card["claims"]]
    for claim in claims:
        del claim["multiverse"]
        claim["verdicts"] = {view: Verdict(**own) for view, own in claim["verdicts"].items()}
        claim["parts"] = tuple(Part(**part) for part in claim["parts"])
    return [ClaimResult(**claim) for claim in claims]


@lru_cache(1)
def _reader(profile, _key):
    """Records, read once for all that is made of them while the ``_key`` of the files stays."""
    return cache(partial(records, profile=profile, store=explored_store(profile)))


def _kept(name, profile, make):
    """What ``make`` gave of the records, kept until code, records or published numbers change."""
    stores = explored_store(profile), default_store(profile)
    sources = [*(store.folder for store in stores), folders.published()]
    files = [path for folder in sources for path in sorted(folder.glob("*.csv"))]
    about = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    place = f"{name}_{profile}", repr([all_sources(), about])
    return folders.kept(*place) or folders.keep(*place, make(_reader(profile, place[1])))


def trials_behind(notebook: str, profile: str) -> Counter:
    """Numbers by state of the trials that a notebook runs or shows: by its code and artefacts."""
    code = (folders.notebooks() / f"{notebook}.ipynb").read_text()
    shown = {name for one in ARTEFACTS if one.notebook == notebook for name in one.experiments}
    counts: Counter = Counter()
    for name, own in trial_counts(profile).items():
        if name in shown or f'\\"{name}\\"' in code or re.search(RUN_BY.get(name, "$^"), code):
            counts.update(own)
    return +counts  # without what is 0


def last_runs(profile: str = "paper") -> dict[str, str]:
    """How the last run of each notebook ended, if it was ever run here."""
    path = folders.build(profile) / LAST_RUNS
    return json.loads(path.read_text()) if path.is_file() else {}


def artefact_status(profile: str) -> list[dict]:
    """A row for each artefact: its state, which is that of its worst trial, and what mends it."""
    folder = folders.figures() if profile == "paper" else folders.build(profile) / "figures"
    counts_of, ended, rows = trial_counts(profile), last_runs(profile), []
    for artefact in ARTEFACTS:
        names, run = artefact.experiments, f"mimlpaper run {artefact.notebook}"
        counts = sum((Counter(counts_of[name]) for name in names), Counter())
        found = [state for state in (*STATES, "missing") if counts[state]]
        state = found[-1] if found else "fresh"
        mend = "" if state in USABLE else f"mimlpaper verify {' '.join(names)}"
        if not any(folder.glob(f"{artefact.file}.*")) or state == "missing":
            state, mend = "missing", run
        if ended.get(artefact.notebook, "done") != "done":
            state, mend = "failed", run
        row = {"artefact": artefact.title, "notebook": artefact.notebook, "state": state}
        rows.append(row | {"trials": counted({one: counts[one] for one in found}), "mend": mend})
    return rows


CITED = re.compile(r"(?P<code>.*?)\s*#\s*(?P<step>(?:Tables? \d+, )?(?:steps?|lines?) .*)", re.I)


def pseudocode_map(*sources) -> pd.DataFrame:
    """The steps of pseudo-code that modules cite (those of ``sources``): step, where, code."""
    rows, root = [], paths.project_root()
    for path in dict.fromkeys(Path(inspect.getfile(source)) for source in sources):
        where = path.relative_to(root) if path.is_relative_to(root) else path
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            if match := CITED.fullmatch(line):
                rows.append((match["step"], f"{where}:{number}", match["code"].strip()))
    return pd.DataFrame(rows, columns=["step", "where", "code"])
