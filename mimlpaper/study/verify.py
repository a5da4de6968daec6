"""Recorded trials run again: does today's code give the recorded numbers?

**On the same machine with the same versions** every criterion lies within 1e-6 of the recorded one.
A trial is a pure function, and a record keeps ten digits.

**On another machine, BLAS kernel or version of a package** sums are rounded in another order. Where
scores nearly tie, or an iteration stops at a threshold, a decision may change. Allowed is that in
one of a hundred test bags, and in at least one, one label is decided differently and two neighbours
in the ranking of the labels change places. With k such bags of n, and q labels, a criterion moves
by at most

====================  ==========================================================================
hamming loss          k / (n q): one decision of q
one-error, accuracy   k / n: the top label, or the only decision
coverage              k / n: the last true label moves by one rank
ranking loss          k / (n (q - 1)): one pair of at least q - 1
average precision     k / (2 n): most for an only label, from rank 1 to rank 2
average recall        k / n: an only label falls off the list
average F1            what follows from the moves of precision and recall
====================  ==========================================================================

and by the 1e-6 of rounding. A method with a chaotic fit, where rounding decides in which of many
optima it ends, may differ by more on another machine; its outcome is then "different".
"""

import math
import warnings
from collections.abc import Callable
from dataclasses import astuple
from datetime import date
from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import hmean

from mimlpaper.datasets import DataError, load
from mimlpaper.datasets.catalogue import is_present, n_labels
from mimlpaper.study.fingerprint import provenance
from mimlpaper.study.records import (
    KEY,
    MEASURED,
    SUSPECT,
    Store,
    add_attestations,
    add_outcomes,
    codes_digest,
    current_codes,
    default_store,
    keys_of,
    load_outcomes,
    records,
    seconds_of,
)
from mimlpaper.study.registry import EXPERIMENTS, get_experiment
from mimlpaper.study.trials import Trial
from mimlpaper.study.workers import TrialError, run_trials

COLUMNS = [
    "experiment", "method", "n_recorded", "n_checked", "largest_difference", "outcome"
]  # fmt: skip
SAME = ("equal", "close")  # the outcomes that attest a group
OTHER = ("different", "suspect", "failed")

# Among trials that differ only in the split, one that lies so many robust standard deviations from
# the median is an outlier. The spread of a smaller group says nothing.
FAR = 8.0
SMALLEST = 5
PER_MAD = 1.4826  # standard deviations of a normal distribution for one median deviation

EXACT = 1e-6
MOVED = 0.01  # share of test bags that another machine may decide differently


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
        key: group
        for name in experiments
        for key, group in _groups(records(name, profile=profile, store=store)).items()
    }
    drawn = {
        key: pd.concat([_drawn(group, sample, rng), outliers(group)]).drop_duplicates(KEY)
        for key, group in groups.items()
    }
    outcomes = _outcomes(groups, drawn, jobs, data_home)
    for outcome, group in zip(outcomes, groups.values(), strict=True):
        _keep(store, outcome, group, drop)
    return pd.DataFrame(outcomes, columns=COLUMNS)


def audit(
    experiments, *, seconds: float = 20.0, profile: str = "paper", jobs: int = -1, data_home=None,
    store: Store | None = None, random_state=None,
) -> pd.DataFrame:  # fmt: skip
    """Re-run a few cheap trials, drawn from all that count as fresh or attested.

    A quick check of the numbers shown against today's code, on the data sets that are present. It
    attests nothing, writes nothing and downloads nothing. The drawn trials took ``seconds`` of the
    processor in all when they were recorded. The table is that of :func:`verify`, empty if no
    recorded trial is cheap enough; column elsewhere says whether the group's drawn trials were
    recorded on another kind of machine. Without any data set a DataError is raised.
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
    cheap = trials[seconds_of(trials) <= seconds / 4]
    cheap = cheap[seconds_of(cheap).cumsum() <= seconds]
    drawn, here = _groups(cheap), provenance()["machine"]
    outcomes = pd.DataFrame(_outcomes(_groups(table), drawn, jobs, data_home), columns=COLUMNS)
    return outcomes.assign(elsewhere=[here not in set(rows["machine"]) for rows in drawn.values()])


def verified(
    profile: str = "paper", read: Callable[[str], pd.DataFrame] | None = None, *,
    store: Store | None = None,
) -> list[dict]:  # fmt: skip
    """What :func:`verify` last found, one dict for each experiment and kind of machine.

    ``read`` gives the records of an experiment, by default those of the store.

    Outcomes of records that were replaced since do not count. Keys: experiment, machine,
    groups (recorded ones), equal, close, different, suspect, failed (groups with that outcome),
    trials (run again), largest_difference, date (of the oldest of the outcomes).
    """
    store = store or default_store(profile)
    read = read or partial(records, profile=profile, store=store)
    rows = []
    for name in EXPERIMENTS:
        recorded = read(name)
        for machine, table in outcomes_of(store.folder, name, recorded).groupby("machine"):
            rows.append({
                "experiment": name, "machine": machine, "groups": recorded["method"].nunique(),
                **{word: int(table["outcome"].eq(word).sum()) for word in (*SAME, *OTHER)},
                "trials": int(table["n_checked"].sum()),
                "largest_difference": float(table["largest_difference"].max()),
                "date": table["date"].min(),
            })  # fmt: skip
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


def _groups(rows):
    """The rows of each (experiment, method), in the order of the rows."""
    return dict(list(rows.groupby(["experiment", "method"], sort=False)))


def _drawn(group, sample, rng):
    trials = group.drop_duplicates(KEY)
    return trials.iloc[rng.permutation(len(trials))[:sample]]


def _outcomes(groups, drawn, jobs, data_home) -> list[dict]:
    """The outcome of each group with drawn trials, after these were run again."""
    if not drawn:
        return []
    table = pd.concat(drawn.values(), ignore_index=True)
    for dataset in table["dataset"].unique():
        load(dataset, data_home=data_home)  # missing data stop it here, by name
    longest_first = table.loc[seconds_of(table).sort_values(ascending=False).index]
    repeated: dict[Trial, list[dict]] = {}  # without the trials that fail
    try:
        for trial, rows in run_trials(_trials(longest_first), jobs=jobs, data_home=data_home):
            repeated[trial] = rows
    except TrialError as error:
        warnings.warn(str(error), stacklevel=3)
    return [_compared(groups[key], chosen, repeated) for key, chosen in drawn.items()]


def _trials(rows):
    return [Trial(*key) for key in keys_of(rows)]


def _compared(group, drawn, repeated):
    """What became of a group's drawn trials."""
    recorded, trials = dict(list(group.groupby(KEY))), _trials(drawn)
    compared = [
        compare_trial(recorded[astuple(trial)], repeated[trial])
        for trial in trials
        if trial in repeated
    ]
    largest = max((apart for apart, _ in compared), default=0.0)
    if (group["code"] == SUSPECT).any():
        outcome = "suspect"
    elif not all(same for _, same in compared):
        outcome = "different"
    elif len(compared) < len(trials):
        outcome = "failed"
    else:
        outcome = "close" if largest > EXACT else "equal"
    return {
        "experiment": group["experiment"].iloc[0],
        "method": group["method"].iloc[0],
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
        store.rewrite(name, lambda rows: rows[rows["method"] != method])


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


def compare_trial(recorded: pd.DataFrame, repeated: list[dict]) -> tuple[float, bool]:
    """Largest difference over a trial's stages, and whether all are within what is allowed.

    Parameters
    ----------
    recorded : the trial's rows as they are recorded.
    repeated : the trial's rows from running it again.
    """
    again = {row["stage"]: row for row in repeated}
    if set(again) != set(recorded["stage"]):
        return np.inf, False
    largest, same = 0.0, True
    for row in recorded.to_dict("records"):
        apart = distance(row, again[row["stage"]])
        largest = max(largest, float(apart.max()))
        same = same and bool((apart <= allowed(row, again[row["stage"]])).all())
    return largest, same


def distance(recorded, repeated) -> pd.Series:
    """Absolute difference of each criterion; infinite where only one row has it."""
    here, there = (pd.Series(row).reindex(MEASURED).astype(float) for row in (recorded, repeated))
    apart = (here - there).abs()
    return apart.mask(here.isna() & there.isna(), 0.0).fillna(math.inf)


def allowed(recorded, repeated) -> pd.Series:
    """Largest difference of each criterion that counts as the same result.

    Parameters
    ----------
    recorded, repeated : rows of results, with dataset, n_test, versions and machine.
    """
    if all(recorded[column] == repeated[column] for column in ("versions", "machine")):
        return pd.Series(EXACT, MEASURED)
    n, q = recorded["n_test"], n_labels(recorded["dataset"])
    share = max(1, math.ceil(MOVED * n)) / n  # k / n
    moves = dict.fromkeys(["one_error", "coverage", "average_recall", "accuracy"], share)
    moves["hamming_loss"] = share / q
    moves["ranking_loss"] = share / max(q - 1, 1)
    moves["average_precision"] = share / 2
    moves["average_f1"] = _move_of_f1(recorded, moves)
    return pd.Series(moves).reindex(MEASURED) + EXACT


def _move_of_f1(recorded, moves):
    """F1 grows with both: its extremes are where both have moved as far as they may."""
    both = ["average_precision", "average_recall"]
    at, by = (np.nan_to_num([row[name] for name in both]) for row in (recorded, moves))
    low, middle, high = (hmean(np.clip(at + sign * by, 0.0, 1.0)) for sign in (-1, 0, 1))
    return max(high - middle, middle - low)
