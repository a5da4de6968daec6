"""Recorded trials run again: does today's code give the recorded numbers?

:mod:`mimlpaper.experiments.tolerance` says what counts as the same number.
"""

import warnings
from datetime import date

import numpy as np
import pandas as pd

from mimlpaper.datasets import DataError, load
from mimlpaper.datasets.catalogue import is_present
from mimlpaper.experiments.fingerprint import provenance
from mimlpaper.experiments.registry import EXPERIMENTS, get_experiment
from mimlpaper.experiments.runner import current_codes, default_store, records
from mimlpaper.experiments.store import (
    KEY,
    SUSPECT,
    Store,
    add_attestations,
    add_outcomes,
    codes_digest,
    load_outcomes,
)
from mimlpaper.experiments.tolerance import EXACT, MEASURED, compare_trial
from mimlpaper.experiments.trial import Trial
from mimlpaper.experiments.workers import TrialError, run_trials

COLUMNS = [
    "experiment", "method", "n_recorded", "n_checked", "largest_difference", "outcome"
]  # fmt: skip
SAME = ("equal", "close")  # the outcomes that attest a group
OTHER = ("different", "suspect", "failed")

# Trials of one setting that differ in the split alone: one that lies so many robust standard
# deviations from the median is an outlier. A smaller group has no telling spread.
FAR = 8.0
SMALLEST = 5
PER_MAD = 1.4826  # standard deviations of a normal distribution for one median deviation


def verify(
    experiments, *, profile: str = "paper", sample: int = 1, drop: bool = False, jobs: int = -1,
    data_home=None, store: Store | None = None, random_state=None,
) -> pd.DataFrame:  # fmt: skip
    """Re-run recorded trials of each (experiment, method) group: a random sample, every outlier.

    A group whose trials all give the same numbers is attested: its records, made by other code,
    then count as good for today's code. ``verified.csv`` keeps every outcome with date, machine
    and versions. ``sample`` trials of each group are drawn, and its :func:`outliers` in addition.
    ``drop`` removes the records of a group that differs. Missing data raise a DataError.

    Returns
    -------
    table : one row a group: experiment, method, n_recorded, n_checked, largest_difference,
        outcome: "equal" (within 1e-6), "close" (on another machine or by other versions, within
        the looser bound), "different", "suspect" (a row was edited, or a spot check did not
        confirm its run), or "failed" (a trial raised; a warning shows the first error).
    """
    if sample < 1:
        raise ValueError(f"sample must be at least 1, got {sample}")
    store = store or default_store(profile)
    rng = np.random.default_rng(random_state)
    groups = {
        (name, method): group
        for name in experiments
        for method, group in records(name, profile=profile, store=store).groupby(
            "method", sort=False
        )
    }
    drawn = {
        key: pd.concat([_drawn(group, sample, rng), outliers(group)]).drop_duplicates(KEY)
        for key, group in groups.items()
    }
    repeated = _repeat(pd.concat(drawn.values()) if drawn else None, jobs, data_home)
    outcomes = []
    for (name, method), group in groups.items():
        outcome = _compared(group, drawn[name, method], repeated)
        outcomes.append({"experiment": name, "method": method} | outcome)
        _keep(store, outcomes[-1], group, drop)
    return pd.DataFrame(outcomes, columns=COLUMNS)


def audit(
    experiments, *, seconds: float = 20.0, profile: str = "paper", jobs: int = -1, data_home=None,
    store: Store | None = None, random_state=None,
) -> pd.DataFrame:  # fmt: skip
    """Re-run a few cheap trials, drawn from all that count as fresh or attested.

    A quick check of the numbers shown against today's code, on the data sets that are present. It
    attests nothing, writes nothing and downloads nothing. The drawn trials took ``seconds`` of the
    processor in all when they were recorded. The table is that of :func:`verify`, empty if no
    recorded trial is cheap enough. Without any data set a DataError is raised.
    """
    store = store or default_store(profile)
    tables = [records(name, profile=profile, store=store) for name in experiments]
    tables = tables or [pd.DataFrame(columns=[*KEY, "state"])]
    table = pd.concat(tables, ignore_index=True)
    trials = table[table["state"] != "stale"].drop_duplicates(KEY)
    there = {name: is_present(name, data_home) for name in trials["dataset"].unique()}
    if there and not any(there.values()):
        raise DataError(f"none of {len(there)} data sets is there; mimlpaper data --fetch")
    trials = trials[trials["dataset"].map(there).astype(bool)]
    trials = trials.sample(frac=1, random_state=np.random.default_rng(random_state))
    cheap = trials[_seconds(trials) <= seconds / 4]
    drawn = cheap[_seconds(cheap).cumsum() <= seconds]
    repeated = _repeat(drawn, jobs, data_home)
    groups = dict(list(table.groupby(["experiment", "method"])))
    outcomes = [
        {"experiment": key[0], "method": key[1]} | _compared(groups[key], chosen, repeated)
        for key, chosen in drawn.groupby(["experiment", "method"], sort=False)
    ]
    return pd.DataFrame(outcomes, columns=COLUMNS)


def verified(profile: str = "paper", *, store: Store | None = None) -> list[dict]:
    """What :func:`verify` last found, one dict for each experiment and kind of machine.

    Outcomes of records that were replaced since do not count. Keys: experiment, machine,
    groups (recorded ones), equal, close, different, suspect, failed (groups with that outcome),
    trials (run again), largest_difference, date (of the oldest of the outcomes).
    """
    store = store or default_store(profile)
    rows = []
    for name in EXPERIMENTS:
        recorded = records(name, profile=profile, store=store)
        for machine, table in outcomes_of(store.folder, name, recorded).groupby("machine"):
            counts = table["outcome"].value_counts()
            row = {"experiment": name, "machine": machine, "groups": recorded["method"].nunique()}
            row |= {word: int(counts.get(word, 0)) for word in (*SAME, *OTHER)}
            row["trials"] = int(table["n_checked"].sum())
            row["largest_difference"] = float(table["largest_difference"].max())
            rows.append(row | {"date": table["date"].min()})
    return rows


def outliers(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of records that lie far from those of the same setting and stage in any criterion.

    Far is more than :data:`FAR` robust standard deviations from the median, in a group of at
    least :data:`SMALLEST` splits.
    """
    setting = [rows[name] for name in ("experiment", "dataset", "method", "parameters", "stage")]
    values = rows[MEASURED].astype(float)
    deviations = (values - values.groupby(setting).transform("median")).abs()
    spread = PER_MAD * deviations.groupby(setting).transform("median")
    large_enough = rows["split"].groupby(setting).transform("size") >= SMALLEST
    return rows[(deviations > FAR * spread + EXACT).any(axis=1) & large_enough]


def outcomes_of(folder, experiment, recorded):
    """Latest outcomes of an experiment's groups whose records are still the same."""
    table = load_outcomes(folder)
    today = {method: codes_digest(group) for method, group in recorded.groupby("method")}
    same = table["codes"] == table["method"].map(today)
    return table[(table["experiment"] == experiment) & same].reset_index(drop=True)


def _drawn(group, sample, rng):
    trials = group.drop_duplicates(KEY)
    return trials.iloc[rng.permutation(len(trials))[:sample]]


def _repeat(drawn, jobs, data_home) -> dict[Trial, list[dict]]:
    """Rows of the drawn trials, run again; of those that fail, nothing."""
    if drawn is None or drawn.empty:
        return {}
    for dataset in drawn["dataset"].unique():
        load(dataset, data_home=data_home)  # missing data stop it here, by name
    dearest_first = drawn.iloc[np.argsort(-_seconds(drawn).to_numpy(), kind="stable")]
    repeated = {}
    try:
        for trial, rows in run_trials(_trials(dearest_first), jobs=jobs, data_home=data_home):
            repeated[trial] = rows
    except TrialError as error:
        warnings.warn(str(error), stacklevel=3)
    return repeated


def _seconds(rows):
    return rows["fit_seconds"] + rows["predict_seconds"]


def _trials(rows):
    keys = rows[KEY].itertuples(index=False, name=None)
    return [Trial(*map(_plain, key)) for key in keys]


def _compared(group, drawn, repeated):
    """What became of a group's drawn trials."""
    recorded = {key: rows for key, rows in group.groupby(KEY)}
    largest, outcome = 0.0, "equal"
    trials = _trials(drawn)
    for trial in trials:
        if trial not in repeated:
            outcome = "failed"
            break
        key = tuple(getattr(trial, name) for name in KEY)
        apart, same = compare_trial(recorded[key], repeated[trial])
        largest = max(largest, apart)
        if not same:
            outcome = "different"
        elif outcome == "equal" and apart > EXACT:
            outcome = "close"
    if (group["code"] == SUSPECT).any():
        outcome = "suspect"
    return {
        "n_recorded": len(group.drop_duplicates(KEY)),
        "n_checked": len(trials),
        "largest_difference": largest,
        "outcome": outcome,
    }


def _keep(store, outcome, group, drop):
    """Write the outcome; attest the group, or drop it."""
    name, method = outcome["experiment"], outcome["method"]
    made_here = provenance() | {"date": date.today().isoformat(), "codes": codes_digest(group)}
    add_outcomes(store.folder, [outcome | made_here])
    if outcome["outcome"] in SAME:
        add_attestations(store.folder, _attestations(group, outcome | made_here))
    elif drop and outcome["outcome"] == "different":
        everything = store.load(name)
        store.replace(name, everything[everything["method"] != method])


def _attestations(group, outcome):
    today = current_codes(get_experiment(outcome["experiment"]))
    pairs = {
        (row.code, today(row.dataset, row.method, row.parameters)) for row in group.itertuples()
    }
    return [
        outcome | {"recorded_code": recorded, "code": current}
        for recorded, current in sorted(pairs)
        if recorded != current
    ]


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value
