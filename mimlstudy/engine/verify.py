"""Recorded trials run again: does today's code give the recorded numbers?

"equal": every number lies within 1e-6 of the recorded one; a record keeps ten digits. "close": on
another arithmetic or by other versions, where sums are rounded in another order, no criterion
has moved by more than one of a hundred test bags, and at least one, can move it if one label of the
bag is decided differently and two neighbours in its ranking change places. Else "different".

A group is the records of one configuration of a method that were made in one way: by one state of
the code, with one arithmetic. What is found of one trial is taken as said of its group, which ran
the same definitions with the same settings. Records of other settings or other data are in no
group: only ``mimlpaper compute`` makes them current.
"""

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from datetime import date

import numpy as np
import pandas as pd

from mimlstudy.engine.fingerprint import provenance
from mimlstudy.engine.records import (
    CONFIGURED,
    CONFIRMABLE,
    CURRENT,
    DAMAGED,
    DIFFERENT,
    DIFFERS,
    FAILED,
    GROUP,
    KEY,
    REFUTED,
    SAME,
    Store,
    fingerprints_today,
    keys_of,
    records,
    trials_of,
)
from mimlstudy.engine.trials import Experiment
from mimlstudy.engine.workers import TrialError, run_trials

OTHER = (DIFFERENT, DAMAGED, FAILED)  # the outcomes that attest nothing
MEANING = "equal: to a millionth; close: but for a decision in one of a hundred test bags"
FOUND = [*GROUP, "n_recorded", "n_checked", "largest_difference", "outcome"]

# Robust standard deviations of an outlier from the median of its setting, and its fewest splits.
FAR, SMALLEST = 8.0, 5
PER_MAD = 1.4826  # standard deviations of a normal distribution for one median deviation

EXACT = 1e-6
MOVED = 0.01  # share of test bags that another machine may decide differently


def verify(
    experiments: Sequence[Experiment],
    *,
    store: Store,
    profile: str = "paper",
    sample: int = 1,
    seconds: float | None = None,
    jobs: int = -1,
    data_home=None,
    random_state=None,
) -> pd.DataFrame:
    """Re-run recorded trials of each group: a random ``sample``, and every outlier.

    A group whose trials all give the same numbers is attested: its records count as current for
    today's code, until a later outcome of the same group says otherwise. A group that differs is
    not current until its trials are recorded again. ``verified.csv`` keeps the outcomes. Costs are
    not run again. Missing data raise a DataError. With ``seconds``, current trials that took so
    long in all and whose data are there run instead, and nothing is written.

    Returns one row a group: n_recorded and n_checked trials, the largest_difference, and the
    outcome: "equal", "close" or "different", see above; "damaged" (a row was edited); or "failed"
    (a trial raised; a warning shows the first error).
    """
    if sample < 1:
        raise ValueError(f"sample must be at least 1, got {sample}")
    if seconds is not None and not seconds > 0:
        raise ValueError(f"seconds must be above 0, got {seconds}")
    known = {one.name: one for one in experiments if one.measure.repeatable}
    tables = [
        with_codes(experiment, records(experiment, profile=profile, store=store), store)
        for experiment in known.values()
    ]
    table = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=["state"])
    table = table[table["state"].isin([*CONFIRMABLE, *REFUTED])]
    if table.empty:
        return pd.DataFrame(columns=FOUND)
    rng = np.random.default_rng(random_state)
    if seconds is None:
        store.add_outcomes([])  # what cannot be written is known now, not after hours
        drawn = _drawn(known, table, sample, rng)
    else:
        drawn = _cheap(table, seconds, store.catalogue, data_home, rng)
    outcomes = _outcomes(known, table, drawn, store.catalogue, jobs, data_home)
    found = pd.DataFrame(outcomes, columns=FOUND)
    if seconds is None:
        _write(known, table, found, store)
    return found


def _write(known, table, found, store):
    """Keep the outcomes, and mark what differs although today's code made it."""
    here = provenance() | {"date": date.today().isoformat()}
    store.add_outcomes(found.assign(**here).to_dict("records"))
    different = found[(found["outcome"] == DIFFERENT) & (found["recorded_code"] == found["code"])]
    for name, rows in table.merge(different[GROUP], on=GROUP).groupby("experiment"):
        store.mark(known[name], set(keys_of(rows)))


def with_codes(experiment, table: pd.DataFrame, store: Store) -> pd.DataFrame:
    """Records with how they were made, and today's code: the columns of their group."""
    today = fingerprints_today(experiment, table, store.catalogue)
    keys = table[CONFIGURED].itertuples(index=False, name=None)
    return table.assign(
        recorded_code=table["code"],
        recorded_arithmetic=table["arithmetic"],
        code=[today[key].code for key in keys],
    )


def _drawn(known, table, sample, rng):
    """A sample of the trials of each group, and every outlier."""
    trials = table.drop_duplicates(KEY).sample(frac=1, random_state=rng)
    far = [outliers(known[name], own) for name, own in table.groupby("experiment", sort=False)]
    return pd.concat([trials.groupby(GROUP).head(sample), *far]).drop_duplicates(KEY)


def _cheap(table, seconds, catalogue, data_home, rng):
    """Current trials of present data that took so many seconds in all."""
    names = table["dataset"].unique()
    present = [name for name in names if catalogue.is_present(name, data_home)]
    usable = (table["state"] == CURRENT) & table["dataset"].isin(present)
    cheap = table[usable & (table["seconds"] <= seconds / 4)]
    trials = cheap.drop_duplicates(KEY).sample(frac=1, random_state=rng)
    return trials[trials["seconds"].cumsum() <= seconds]


def outliers(experiment, rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of an experiment that lie far from those of the same setting and stage."""
    setting = [rows[name] for name in ("dataset", "method", "parameters", "stage")]
    values = rows[_compared_numbers(experiment)].astype(float)
    deviations = (values - values.groupby(setting).transform("median")).abs()
    spread = PER_MAD * deviations.groupby(setting).transform("median")
    large_enough = rows["split"].groupby(setting).transform("size") >= SMALLEST
    return rows[(deviations > FAR * spread + EXACT).any(axis=1) & large_enough]


def _outcomes(known, table, drawn, catalogue, jobs, data_home) -> list[tuple]:
    """The outcome of each group with drawn trials, after these were run again."""
    catalogue.fetch(drawn["dataset"].unique(), data_home)  # what is missing stops it here
    longest_first = trials_of(drawn.sort_values("seconds", ascending=False))
    found = {}  # without the trials that fail
    try:
        for trial, *compared in _run_again(longest_first, known, table, catalogue, jobs, data_home):
            found[trial] = compared
    except TrialError as error:
        warnings.warn(str(error), stacklevel=3)
    groups, outcomes = dict(list(table.groupby(GROUP))), []
    for key, own in drawn.groupby(GROUP, sort=False):
        trials, group = trials_of(own), groups[key]
        compared = [found[trial] for trial in trials if trial in found]
        largest = max((apart for apart, _ in compared), default=0.0)
        words = {
            DAMAGED: (group["state"] == DAMAGED).any(),
            DIFFERENT: not all(same for _, same in compared) or group["state"].eq(DIFFERS).any(),
            FAILED: len(compared) < len(trials),
            "close": largest > EXACT,
            "equal": True,
        }
        outcome = next(word for word, holds in words.items() if holds)
        counts = len(group.drop_duplicates(KEY)), len(trials)
        outcomes.append((*key, *counts, largest, outcome))
    return outcomes


def verified(
    read: Callable[[str], pd.DataFrame], experiments: Sequence[Experiment], store: Store
) -> list[dict]:
    """What :func:`verify` last found of today's code, by experiment and kind of machine."""
    table, rows = store.outcomes(), []
    known = set(table["experiment"])
    for experiment in [one for one in experiments if one.name in known]:
        recorded = with_codes(experiment, read(experiment.name), store)
        groups = recorded[GROUP].drop_duplicates()
        for machine, of_machine in table.merge(groups, on=GROUP).groupby("machine"):
            counts = of_machine["outcome"].value_counts()
            rows.append(
                {
                    "experiment": experiment.name,
                    "machine": machine,
                    "groups": len(groups),
                    **{word: int(counts.get(word, 0)) for word in (*SAME, *OTHER)},
                    "largest_difference": float(of_machine["largest_difference"].max()),
                }
            )
    return rows


def _run_again(trials, experiments, recorded, catalogue, jobs, data_home) -> Iterator[tuple]:
    """Yield (trial, largest difference, whether it is the same) of trials that run again."""
    rows = dict(list(recorded.merge(pd.DataFrame(trials, columns=KEY)).groupby(KEY)))
    for trial, again in run_trials(trials, experiments, catalogue, jobs=jobs, data_home=data_home):
        n_labels = catalogue.n_labels(trial.dataset)
        yield trial, *compare_trial(experiments[trial.experiment], rows[trial], again, n_labels)


def compare_trial(
    experiment: Experiment, recorded: pd.DataFrame, repeated: list[dict], n_labels: int
) -> tuple[float, bool]:
    """Largest difference over all stages of a trial that ran again, and whether all are allowed."""
    again = {row["stage"]: row for row in repeated}
    if set(again) != set(recorded["stage"]):
        return np.inf, False
    words = [word for word in experiment.measure.words if word != "chosen"]
    numbers = _compared_numbers(experiment)
    pairs = [(row, again[row["stage"]]) for row in recorded.to_dict("records")]
    apart = pd.concat([distance(*pair, numbers) for pair in pairs])
    close = apart <= pd.concat([allowed(*pair, numbers, n_labels) for pair in pairs])
    same_words = all(row[word] == str(other[word]) for row, other in pairs for word in words)
    return float(apart.max()), bool(close.all()) and same_words


def _compared_numbers(experiment):
    """The numbers of an experiment that a second run gives again: all but seconds."""
    return [name for name in experiment.measure.numbers if not name.endswith("seconds")]


def distance(recorded, repeated, numbers: list[str]) -> pd.Series:
    """Absolute difference of each number; infinite where only one row has it."""
    here, there = (pd.Series(row).reindex(numbers).astype(float) for row in (recorded, repeated))
    apart = (here - there).abs()
    return apart.mask(here.isna() & there.isna(), 0.0).fillna(math.inf)


def allowed(recorded, repeated, numbers: list[str], n_labels: int) -> pd.Series:
    """Largest difference of each number that counts as the same result, of a trial's two rows."""
    alike = all(recorded[name] == repeated[name] for name in ("arithmetic", "versions"))
    if alike or "hamming_loss" not in numbers:
        return pd.Series(EXACT, numbers)
    n = recorded["n_test"]
    moves = pd.Series(max(1, math.ceil(MOVED * n)) / n, numbers)  # by one rank, or one decision
    moves["hamming_loss"] /= n_labels
    moves["average_f1"] *= 2  # of precision and recall
    return moves + EXACT
