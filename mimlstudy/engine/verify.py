"""Recorded trials run again: does today's code give the recorded numbers?

"equal": every number lies within 1e-6 of the recorded one; a record keeps ten digits. "close": on
another arithmetic or by other versions, where sums are rounded in another order, no criterion
has moved by more than one of a hundred test bags, and at least one, can move it if one label of the
bag is decided differently and two neighbours in its ranking change places. Else "different".

A group is a method's records by one state of the code, compared with today's. What is found of one
trial is taken as said of its group, which ran the same definitions.
"""

import math
import random
import warnings
from collections.abc import Iterator
from datetime import date

import numpy as np
import pandas as pd

from mimlpaper.datasets.fetch import fetch_all, is_present, source_of
from mimlstudy.engine.arithmetic import PINNED
from mimlstudy.engine.execution import TrialError, run_trials
from mimlstudy.engine.fingerprint import provenance
from mimlstudy.engine.records import (
    GROUP,
    KEY,
    SAME,
    SUSPECT,
    UNCHECKED,
    USABLE,
    Store,
    bare_codes,
    default_store,
    keys_of,
    known_codes,
    records,
    trials_of,
)
from mimlstudy.paper.experiments import get_experiment

OTHER = ("different", "suspect", "failed")  # the outcomes that attest nothing
MEANING = "equal: to a millionth; close: but for a decision in one of a hundred test bags"
FOUND = [*GROUP, "n_recorded", "n_checked", "largest_difference", "outcome"]

# Robust standard deviations of an outlier from the median of its setting, and its fewest splits.
FAR, SMALLEST = 8.0, 5
PER_MAD = 1.4826  # standard deviations of a normal distribution for one median deviation

EXACT = 1e-6
MOVED = 0.01  # share of test bags that another machine may decide differently

# Of a cluster's trials of a method, one in fifty runs again on this machine, and at least two.
ONE_IN, AT_LEAST = 50, 2


def verify(
    experiments,
    *,
    profile: str = "paper",
    sample: int = 1,
    seconds: float | None = None,
    drop: bool = False,
    jobs: int = -1,
    data_home=None,
    store: Store | None = None,
    random_state=None,
) -> pd.DataFrame:
    """Re-run recorded trials of each group: a random ``sample``, and every outlier.

    A group whose trials all give the same numbers is attested: its records count as good for
    today's code, until a later outcome of the same group says otherwise. ``verified.csv`` keeps
    the outcomes. Costs are not run again. Missing data raise a DataError. ``drop`` removes records
    that differ on the kind of machine that made them. With ``seconds``, usable trials that took so
    long in all and whose data are there run instead, and nothing is written.

    Returns one row a group: n_recorded and n_checked trials, the largest_difference, and the
    outcome: "equal", "close" or "different", see above; "suspect" (a row was edited, or a spot
    check did not confirm it); or "failed" (a trial raised; a warning shows the first error).
    """
    if sample < 1:
        raise ValueError(f"sample must be at least 1, got {sample}")
    store = store or default_store(profile)
    known = {one.name: one for one in map(get_experiment, experiments) if one.measure.repeatable}
    tables = [with_codes(one, records(one, profile=profile, store=store)) for one in known.values()]
    if not any(map(len, tables)):
        return pd.DataFrame(columns=FOUND)
    table = pd.concat(tables, ignore_index=True)
    rng = np.random.default_rng(random_state)
    drawn = _cheap(table, seconds, data_home, rng) if seconds else _drawn(known, table, sample, rng)
    found = pd.DataFrame(_outcomes(known, table, drawn, jobs, data_home), columns=FOUND)
    if not seconds:
        here = provenance() | {"date": date.today().isoformat()}
        store.add_outcomes(found.assign(**here).to_dict("records"))
        if drop:
            different = found.loc[found["outcome"] == "different", GROUP]
            made_here = table[table["machine"] == here["machine"]].merge(different, on=GROUP)
            for name, own in made_here.groupby("experiment"):
                store.remove(known[name], set(keys_of(own)))
    return found


def with_codes(experiment, table: pd.DataFrame) -> pd.DataFrame:
    """Records with the codes that made them and today's, both without settings."""
    today = known_codes(experiment, table)
    keys = zip(table["dataset"], table["method"], table["parameters"], strict=True)
    return table.assign(
        recorded_code=bare_codes(table).str.split(".").str[0],
        code=[today[key].split(".")[0] for key in keys],
    )


def _drawn(known, table, sample, rng):
    """A sample of the trials of each group, and every outlier."""
    trials = table.drop_duplicates(KEY).sample(frac=1, random_state=rng)
    far = [outliers(known[name], own) for name, own in table.groupby("experiment", sort=False)]
    return pd.concat([trials.groupby(GROUP).head(sample), *far]).drop_duplicates(KEY)


def _cheap(table, seconds, data_home, rng):
    """Usable trials of present data that took so many seconds in all."""
    there = [name for name in table["dataset"].unique() if is_present(name, data_home)]
    usable = table["state"].isin(USABLE) & table["dataset"].isin(there)
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


def _outcomes(known, table, drawn, jobs, data_home) -> list[tuple]:
    """The outcome of each group with drawn trials, after these were run again."""
    fetch_all(data_home, drawn["dataset"].unique(), replace=False)  # what is missing stops it here
    longest_first = trials_of(drawn.sort_values("seconds", ascending=False))
    found = {}  # without the trials that fail
    try:
        for trial, *compared in _run_again(longest_first, known, table, jobs, data_home):
            found[trial] = compared
    except TrialError as error:
        warnings.warn(str(error), stacklevel=3)
    groups, outcomes = dict(list(table.groupby(GROUP))), []
    for key, own in drawn.groupby(GROUP, sort=False):
        trials, group = trials_of(own), groups[key]
        compared = [found[trial] for trial in trials if trial in found]
        largest = max((apart for apart, _ in compared), default=0.0)
        words = {
            "suspect": (group["state"] == "suspect").any(),
            "different": not all(same for _, same in compared),
            "failed": len(compared) < len(trials),
            "close": largest > EXACT,
            "equal": True,
        }
        outcome = next(word for word, holds in words.items() if holds)
        counts = len(group.drop_duplicates(KEY)), len(trials)
        outcomes.append((*key, *counts, largest, outcome))
    return outcomes


def verified(read, experiments, store: Store) -> list[dict]:
    """What :func:`verify` last found of today's code, by experiment and kind of machine."""
    table, rows = store.outcomes(), []
    known = set(table["experiment"])
    for name in [one for one in experiments if one in known]:
        groups = with_codes(get_experiment(name), read(name))[GROUP].drop_duplicates()
        for machine, own in table.merge(groups, on=GROUP).groupby("machine"):
            counts = {word: int(own["outcome"].eq(word).sum()) for word in (*SAME, *OTHER)}
            rows.append(
                {
                    "experiment": name,
                    "machine": machine,
                    "groups": len(groups),
                    **counts,
                    "largest_difference": float(own["largest_difference"].max()),
                }
            )
    return rows


def spot_check(experiment, store: Store, *, jobs: int = -1, data_home=None):
    """Run some of a cluster's unchecked trials of each method again here, and set their marks.

    If one differs, all unchecked trials of its method become suspect, and a TrialError names it.
    """
    recorded = store.load(experiment)
    unchecked = recorded[recorded["code"].str.startswith(UNCHECKED)]
    differing = []
    for method, own in unchecked.groupby("method", sort=False):
        trials = trials_of(own)
        n_checked = min(len(trials), max(AT_LEAST, math.ceil(len(trials) / ONE_IN)))
        drawn = random.SystemRandom().sample(trials, n_checked)
        again = _run_again(drawn, {experiment.name: experiment}, own, jobs, data_home)
        wrong = [f"{trial}, by {apart:.2g}" for trial, apart, same in again if not same]
        store.mark(experiment, set(trials), SUSPECT if wrong else "")
        differing += wrong
        print(
            f"spot check of {method}: {n_checked} of {len(trials)} trials run again here, "
            f"{n_checked - len(wrong)} the same"
        )
    if differing:
        raise TrialError(
            f"spot check: {len(differing)} of the cluster's trials differ here, such as "
            f"{differing[0]}; its methods' trials are suspect, and the same command runs them again"
        )


def _run_again(trials, experiments, recorded, jobs, data_home) -> Iterator[tuple]:
    """Yield (trial, largest difference, whether it is the same) of trials that run again."""
    rows = dict(list(recorded.merge(pd.DataFrame(trials, columns=KEY)).groupby(KEY)))
    for trial, again in run_trials(trials, experiments, jobs=jobs, data_home=data_home):
        yield trial, *compare_trial(experiments[trial.experiment], rows[trial], again)


def compare_trial(experiment, recorded: pd.DataFrame, repeated: list[dict]) -> tuple[float, bool]:
    """Largest difference over all stages of a trial that ran again, and whether all are allowed."""
    again = {row["stage"]: row for row in repeated}
    if set(again) != set(recorded["stage"]):
        return np.inf, False
    words = [word for word in experiment.measure.words if word != "chosen"]
    numbers = _compared_numbers(experiment)
    pairs = [(row, again[row["stage"]]) for row in recorded.to_dict("records")]
    apart = pd.concat([distance(*pair, numbers) for pair in pairs])
    close = apart <= pd.concat([allowed(*pair, numbers) for pair in pairs])
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


def allowed(recorded, repeated, numbers: list[str]) -> pd.Series:
    """Largest difference of each number that counts as the same result, of a trial's two rows."""
    machines = recorded["machine"], repeated["machine"]
    alike = machines[0] == machines[1] or all(PINNED in machine for machine in machines)
    if (alike and recorded["versions"] == repeated["versions"]) or "hamming_loss" not in numbers:
        return pd.Series(EXACT, numbers)
    n = recorded["n_test"]
    moves = pd.Series(max(1, math.ceil(MOVED * n)) / n, numbers)  # by one rank, or one decision
    moves["hamming_loss"] /= source_of(recorded["dataset"]).n_labels
    moves["average_f1"] *= 2  # of precision and recall
    return moves + EXACT
