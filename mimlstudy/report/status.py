"""Every table and figure with the state of its trials, and the scorecard that is kept."""

import json
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache, lru_cache

from mimlpaper import paths
from mimlstudy import folders
from mimlstudy.engine.fingerprint import all_sources
from mimlstudy.engine.records import CURRENT, KEY, STATES, records
from mimlstudy.engine.verify import verified
from mimlstudy.judge.claims import ClaimResult, Part, Verdict
from mimlstudy.judge.scorecard import scorecard
from mimlstudy.paper.catalogue import default_store, explored_store
from mimlstudy.paper.experiments import EXPERIMENTS
from mimlstudy.paper.published import read_rows
from mimlstudy.report import tables
from mimlstudy.report.words import counted

# Experiments that methods of a notebook's Companion run, which do not name them.
RUN_BY = {"readings": r"paper\.open_choices\(", "blind": r"paper\.table\("}
LAST_RUNS = "runs.json"  # beside executed notebooks: how the last run of each ended


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
    store = explored_store(profile)

    def card(read):
        return scorecard(read) | {"verified": verified(read, [*EXPERIMENTS.values()], store)}

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
    store = explored_store(profile)
    return cache(lambda name: records(EXPERIMENTS[name], profile=profile, store=store))


def _kept(name, profile, make):
    """What ``make`` gave of the records, kept until code, records, data or print change."""
    stores = explored_store(profile), default_store(profile)
    sources = [*(store.folder for store in stores), folders.published(), paths.packaged_data()]
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
        state = found[-1] if found else CURRENT
        mend = "" if state == CURRENT else f"mimlpaper verify {' '.join(names)}"
        if not any(folder.glob(f"{artefact.file}.*")) or state == "missing":
            state, mend = "missing", run
        if ended.get(artefact.notebook, "done") != "done":
            state, mend = "failed", run
        row = {"artefact": artefact.title, "notebook": artefact.notebook, "state": state}
        rows.append(row | {"trials": counted({one: counts[one] for one in found}), "mend": mend})
    return rows
