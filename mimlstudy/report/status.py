"""Every table and figure with the state of its trials, and the scorecard that is kept."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

import pandas as pd

from mimlstudy import folders
from mimlstudy.counts import number_and_noun
from mimlstudy.engine.records import CONFIRMABLE, CURRENT, KEY, STATES, other_versions
from mimlstudy.engine.verify import verified
from mimlstudy.judge.claims import ClaimFinding
from mimlstudy.judge.scorecard import scorecard
from mimlstudy.paper.catalogue import default_store
from mimlstudy.paper.experiments import EXPERIMENTS, reader
from mimlstudy.paper.printed import read_rows
from mimlstudy.report import tables
from mimlstudy.report.kept import kept, key_of
from mimlstudy.report.sentences import counted, of_profile
from mimlstudy.report.words import NOTHING_YET, SYNTHETIC_ALONE, in_words

MISSING = "missing"  # of a trial without a record, or an artefact without its file
LAST_RUNS = "runs.json"  # beside executed notebooks: how the last run of each ended


@dataclass(frozen=True)
class Artefact:
    """One table or figure, of the paper or beyond it."""

    title: str  # as captions name it
    file: str  # name of its files in figures/, without ending
    notebook: str
    experiments: tuple[str, ...] = ()  # whose records it shows
    kind: str = "table"  # or "figure"

    @property
    def files(self) -> tuple[str, ...]:
        """Names of its files; the first is the one to look at."""
        if self.kind == "figure":
            endings = ["png", "svg"]
        elif tables.is_of_the_paper(self.file):
            endings = ["csv", "md", "tex"]
        else:
            endings = ["csv", "md"]
        return tuple(f"{self.file}.{ending}" for ending in endings)


@cache
def artefacts() -> tuple[Artefact, ...]:
    """All tables and figures, in the order of ``artefacts.csv``."""
    rows = read_rows("artefacts.csv", "experiments")
    return tuple(Artefact(**row) for row in rows)


def trial_counts(profile: str) -> dict[str, dict[str, int]]:
    """By experiment, the numbers of its trials in each state, and of those that are missing."""

    def counts(read):
        by_experiment = {}
        for name, experiment in EXPERIMENTS.items():
            # All stages of a trial have its state.
            states = Counter(read(name).drop_duplicates(KEY)["state"])
            n_missing = len(experiment.trials(profile)) - states.total()
            by_experiment[name] = {**states, MISSING: n_missing}
        return by_experiment

    return _kept("counts", profile, counts)


def recorded_scorecard(profile: str) -> dict:
    """The :func:`scorecard` of what is recorded, and what verification last found, "verified"."""
    store = default_store(profile)

    def card(read):
        return scorecard(read) | {"verified": verified(read, [*EXPERIMENTS.values()], store)}

    return _kept("scorecard", profile, card)


def findings_of(card: dict) -> list[ClaimFinding]:
    """The claims of a scorecard, which holds them as dicts."""
    findings = []
    for claim in card["claims"]:
        fields = {name: value for name, value in claim.items() if name != "multiverse"}
        findings.append(ClaimFinding.of_dict(fields))
    return findings


def reader_of(profile: str) -> Callable[[str], pd.DataFrame]:
    """What gives the records of an experiment by its name, read once while their files stay.

    What a reader has run for a question of their own has no part in them.
    """
    return _reader(profile, key_of(profile))


@lru_cache(1)
def _reader(profile, _key):
    return cache(reader(default_store(profile), profile))


def _kept(name, profile, make):
    """What ``make`` gave of the records, kept until something that it depends on changes."""
    return kept(name, profile, lambda: make(reader_of(profile)))


def overview(profile: str) -> dict:
    """What ``mimlpaper status`` shows: rows with states, the outcome, and other versions."""
    # A wheel has no notebooks that could make an artefact, but it has records.
    has_notebooks = folders.notebooks().is_dir()
    rows = artefact_status(profile) if has_notebooks else experiment_status(profile)
    outcome = in_words(recorded_scorecard(profile))
    n_not_current = sum(row["state"] != CURRENT for row in rows)
    if n_not_current and outcome not in (NOTHING_YET, SYNTHETIC_ALONE):
        results = number_and_noun(n_not_current, "result")
        are = "is" if n_not_current == 1 else "are"
        caveat = f"These counts are of records as they are; {results} above {are} not current."
        outcome = f"{caveat}\n\n{outcome}"
    return {
        "rows": rows,
        "outcome": outcome,
        "versions": other_versions(default_store(profile)),
    }


def experiments_behind(notebook: str) -> set[str]:
    """The names of the experiments whose records a notebook shows.

    Its artefacts name experiments, and ``notebooks.csv`` names those that it needs beside them.
    """
    names: set[str] = set()
    for row in read_rows("notebooks.csv", "experiments"):
        if row["notebook"] == notebook:
            names |= {*row["experiments"]}
    for artefact in artefacts():
        if artefact.notebook == notebook:
            names |= {*artefact.experiments}
    return names


def trials_behind(notebook: str, profile: str) -> Counter:
    """Numbers by state of the trials that a notebook runs or shows."""
    names = experiments_behind(notebook)
    counts: Counter = Counter()
    for name, of_experiment in trial_counts(profile).items():
        if name in names:
            counts.update(of_experiment)
    return +counts  # without what is 0


def not_current(counts: Mapping[str, int]) -> dict[str, int]:
    """Numbers of trials whose records are not current, by state; missing trials have no records."""
    return {state: n for state, n in counts.items() if state not in (CURRENT, MISSING)}


def last_runs(profile: str = "paper") -> dict[str, str]:
    """How the last run of each notebook ended, if it was ever run here."""
    path = folders.build(profile) / LAST_RUNS
    ended = folders.read_json(path)
    return ended if isinstance(ended, dict) else {}


def artefact_status(profile: str) -> list[dict]:
    """A row for each artefact, and for each experiment of none: state, and command to update it.

    The state is that of its notebook if it failed, of its files if they are missing, or else that
    of its worst trial. An experiment that no artefact shows stands behind sentences of a notebook.
    """
    folder = folders.figures() if profile == "paper" else folders.build(profile) / "figures"
    by_experiment, ended = trial_counts(profile), last_runs(profile)
    rows = []
    for artefact in artefacts():
        counts: Counter = Counter()
        for name in artefact.experiments:
            counts.update(by_experiment[name])
        is_made = all((folder / name).is_file() for name in artefact.files)
        failed = ended.get(artefact.notebook, "done") != "done"
        state, command = _state(artefact, counts, is_made, failed, profile)
        rows.append(
            {
                "artefact": artefact.title,
                "notebook": artefact.notebook,
                "state": state,
                "trials": _in_order(counts),
                "command": command,
            }
        )
    return rows + _rows_of_no_artefact(by_experiment, profile)


def _rows_of_no_artefact(by_experiment, profile):
    """A row for each experiment that no artefact shows, with the notebook that declares it."""
    shown = {name for artefact in artefacts() for name in artefact.experiments}
    declared = read_rows("notebooks.csv", "experiments")
    rows = []
    for name, counts in by_experiment.items():
        if name in shown:
            continue
        notebooks = [row["notebook"] for row in declared if name in row["experiments"]]
        names = {"artefact": EXPERIMENTS[name].title, "notebook": ", ".join(notebooks)}
        rows.append(names | _state_of_experiment(name, counts, profile))
    return rows


def _state_of_experiment(name, counts, profile) -> dict:
    """The columns of an experiment's row that tell its state."""
    state = _worst_state(counts)
    command = _command(state, [name], profile)
    return {"state": state, "trials": _in_order(counts), "command": command}


def experiment_status(profile: str) -> list[dict]:
    """A row for each experiment: the state of its worst trial, and the command that updates it."""
    rows = []
    for name, counts in trial_counts(profile).items():
        rows.append({"experiment": name} | _state_of_experiment(name, counts, profile))
    return rows


def _in_order(counts) -> str:
    """Counts of trials in words, the best state first."""
    return counted({name: counts.get(name, 0) for name in (*STATES, MISSING)})


def _worst_state(counts) -> str:
    states = [name for name in (*STATES, MISSING) if counts.get(name)]
    return states[-1] if states else CURRENT


def _command(state, experiments, profile) -> str:
    """The command that makes trials in a state current, or shows that they differ; maybe empty."""
    if state == CURRENT:
        return ""
    # Other settings, other data and wrong numbers need another run; verify would only say so, and
    # of costs, which no second run gives again, it says nothing.
    repeatable = all(EXPERIMENTS[name].measure.repeatable for name in experiments)
    command = "verify" if state in CONFIRMABLE and repeatable else "compute"
    return of_profile(f"mimlpaper {command} {' '.join(experiments)}", profile)


def _state(artefact, counts, is_made, failed, profile):
    """The state of an artefact and the command that updates it, from its trials and files."""
    state = _worst_state(counts)
    run = of_profile(f"mimlpaper run {artefact.notebook}", profile)
    if failed:
        return "failed", run
    if state != MISSING and not is_made:
        # Only publishing writes what is published.
        publish = f"python site/publish.py {artefact.notebook}"
        return MISSING, publish if profile == "paper" else run
    return state, _command(state, artefact.experiments, profile)
