"""Recorded trials run again: does today's code give the recorded numbers?

A group is the records of one configuration of a method that were made in one way: by one state of
the code, with one arithmetic. What is found of one trial is taken as said of its group, which ran
the same definitions with the same settings. Records of other settings or other data are in no
group: only ``mimlpaper compute`` makes them current.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np
import pandas as pd

from mimlstudy.engine.comparison import EXACT, compare_trial, outliers
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
    MADE_ALIKE,
    REFUTED,
    SAME,
    Store,
    fingerprints_today,
    keys_of,
    records,
    trials_of,
)
from mimlstudy.engine.trials import Experiment, Trial
from mimlstudy.engine.workers import TrialError, run_trials

NOT_SAME = (DIFFERENT, DAMAGED, FAILED)  # the outcomes that attest nothing
MEANING = "equal: to a millionth; close: but for a decision in one of a hundred test bags"
VERIFIED_COLUMNS = [*GROUP, "n_recorded", "n_checked", "largest_difference", "outcome"]
LARGEST_SHARE = 1 / 4  # of an audit's seconds, for one trial


class Recorded(NamedTuple):
    """What can be verified: recorded trials, and how they run again."""

    experiments: Mapping[str, Experiment]  # by name
    rows: pd.DataFrame  # of all groups
    store: Store
    jobs: int
    data_home: object


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
    not current until its trials are recorded again; after another change of the code all its
    trials run, in every profile, since a sample can miss the one that differed. ``verified.csv``
    keeps the outcomes. Costs are not run again. Raises DataError if data are missing.

    Parameters
    ----------
    experiments : sequence of Experiment.
    store : Store, whose records are verified.
    profile : "paper", "quick" or "smoke", as they were recorded.
    sample : int >= 1, trials of each group.
    seconds : float > 0 or None. If given, random current trials run instead, whose data are there
        and which took at most so long in all; nothing is written.
    jobs : int, worker processes, -1 for one a core.
    data_home : folder of the data files; None for the library's.
    random_state : seed of the sample.

    Returns
    -------
    One row a group: the numbers of trials n_recorded and n_checked, the largest_difference, and
    the outcome: "equal", "close" or "different", see ``mimlstudy.engine.comparison``; "damaged" (a
    row was edited); or "failed" (a trial raised; a warning shows the first error).
    """
    if sample < 1:
        raise ValueError(f"sample must be at least 1, got {sample}")
    if seconds is not None and not seconds > 0:
        raise ValueError(f"seconds must be above 0, got {seconds}")
    repeatable = {}
    for experiment in experiments:
        if experiment.measure.repeatable:
            repeatable[experiment.name] = experiment
    rows = _rows_in_groups(repeatable, profile, store)
    if rows.empty:
        return pd.DataFrame(columns=VERIFIED_COLUMNS)
    if profile == "quick":
        rows = _with_all_that_differed(rows, repeatable, store)
    recorded = Recorded(repeatable, rows, store, jobs, data_home)
    rng = np.random.default_rng(random_state)
    if seconds is not None:
        return _outcomes(recorded, _cheap(recorded, seconds, rng))
    store.add_outcomes([])  # what cannot be written is known now, not after hours
    outcomes = _outcomes(recorded, _sampled(recorded, sample, rng))
    here = provenance() | {"date": date.today().isoformat()}
    store.add_outcomes(outcomes.assign(**here).to_dict("records"))
    _mark_different(recorded, outcomes)
    return outcomes


def with_groups(experiment: Experiment, table: pd.DataFrame, store: Store) -> pd.DataFrame:
    """Records with how they were made, and today's code: the columns of their group."""
    today = fingerprints_today(experiment, table, store.catalogue)
    keys = table[CONFIGURED].itertuples(index=False, name=None)
    return table.assign(
        recorded_code=table["code"],
        recorded_arithmetic=table["arithmetic"],
        verified_code=[today[key].code for key in keys],
    )


def _rows_in_groups(experiments: Mapping[str, Experiment], profile, store):
    """The records of all groups of some experiments."""
    tables = []
    for experiment in experiments.values():
        table = records(experiment, profile=profile, store=store)
        tables.append(_in_groups(experiment, table, store))
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def _with_all_that_differed(rows, experiments, store):
    """Records of the profile "quick", and all others of their groups that once differed."""
    every_row = _rows_in_groups(experiments, "paper", store)
    differed = every_row[_differed_before(every_row, store)]
    whole_groups = differed.merge(rows[GROUP].drop_duplicates(), on=GROUP)
    both = pd.concat([rows, whole_groups], ignore_index=True)
    return both.drop_duplicates([*KEY, "stage"])


def _in_groups(experiment, table, store):
    """The records that have a group: other settings or data cannot give the same numbers."""
    have_group = table["state"].isin([*CONFIRMABLE, *REFUTED])
    return with_groups(experiment, table[have_group], store)


def _sampled(recorded: Recorded, sample, rng):
    """A sample of the trials of each group, every outlier, and all trials of what differed."""
    trials = recorded.rows.drop_duplicates(KEY).sample(frac=1, random_state=rng)
    differed = _differed_before(trials, recorded.store)
    to_run = [trials.groupby(GROUP).head(sample), trials[differed]]
    # A wrong record is unlikely to be in a small sample, and likely to be an outlier.
    for name, rows in recorded.rows.groupby("experiment"):
        to_run.append(outliers(recorded.experiments[name], rows))
    return pd.concat(to_run).drop_duplicates(KEY)


def _differed_before(rows, store) -> list[bool]:
    """Of each record, whether verification of its group by other code found different numbers."""
    outcomes = store.outcomes()
    different = outcomes[outcomes["outcome"] == DIFFERENT]
    codes = different.groupby(MADE_ALIKE)["verified_code"].agg(set).to_dict()
    differed = []
    for *made_alike, today in rows[GROUP].itertuples(index=False, name=None):
        differed.append(bool(codes.get(tuple(made_alike), set()) - {today}))
    return differed


def _cheap(recorded: Recorded, seconds, rng):
    """Random current trials whose data are there, which took at most so many seconds in all."""
    rows, catalogue = recorded.rows, recorded.store.catalogue
    names = rows["dataset"].unique()
    present = [name for name in names if catalogue.is_present(name, recorded.data_home)]
    is_current = rows["state"] == CURRENT
    # No trial may use up the seconds, so that several methods are checked.
    is_short = rows["seconds"] <= LARGEST_SHARE * seconds
    cheap = rows[is_current & is_short & rows["dataset"].isin(present)]
    trials = cheap.drop_duplicates(KEY).sample(frac=1, random_state=rng)
    return trials[trials["seconds"].cumsum() <= seconds]


def _outcomes(recorded: Recorded, to_run) -> pd.DataFrame:
    """Run these trials again; the outcome of each of their groups."""
    compared = _run_again(recorded, to_run)
    groups = dict(list(recorded.rows.groupby(GROUP)))
    rows = []
    for key, sampled in to_run.groupby(GROUP, sort=False):
        group, trials = groups[key], trials_of(sampled)
        results = [compared[trial] for trial in trials if trial in compared]
        largest = max((difference for difference, _ in results), default=0.0)
        outcome = _outcome(group, results, len(trials), largest)
        n_recorded = len(group.drop_duplicates(KEY))
        rows.append((*key, n_recorded, len(trials), largest, outcome))
    return pd.DataFrame(rows, columns=VERIFIED_COLUMNS)


def _outcome(group, results, n_trials, largest) -> str:
    """The worst that is known of a group."""
    if (group["state"] == DAMAGED).any():
        return DAMAGED
    # A group that differs stays so until it is recorded again, whatever the sample shows.
    if not all(same for _, same in results) or (group["state"] == DIFFERS).any():
        return DIFFERENT
    if len(results) < n_trials:
        return FAILED
    equal, close = SAME
    return close if largest > EXACT else equal


def _run_again(recorded: Recorded, to_run) -> dict[Trial, tuple[float, bool]]:
    """(largest difference, whether it is the same) of each trial that ran without an error."""
    experiments, catalogue = recorded.experiments, recorded.store.catalogue
    # Missing data end it here, before hours of work.
    catalogue.fetch(to_run["dataset"].unique(), recorded.data_home)
    # The longest first, so that no worker is left with one at the end.
    longest_first = trials_of(to_run.sort_values("seconds", ascending=False))
    wanted = pd.DataFrame(longest_first, columns=KEY)
    rows_of = dict(list(recorded.rows.merge(wanted, on=KEY).groupby(KEY)))
    runs = run_trials(
        longest_first,
        experiments,
        catalogue,
        jobs=recorded.jobs,
        data_home=recorded.data_home,
    )
    compared = {}
    try:
        for trial, repeated in runs:
            compared[trial] = compare_trial(
                experiments[trial.experiment],
                rows_of[trial],
                repeated,
                catalogue.n_labels(trial.dataset),
            )
    except TrialError as error:
        # A failed trial is an outcome of its group, and the others still count.
        warnings.warn(str(error), stacklevel=4)
    return compared


def _mark_different(recorded: Recorded, outcomes):
    """Mark the records of groups that differ although today's code made them.

    An outcome knows records by their code alone: it would also speak of what the same code records
    later. A mark stays with the old record.
    """
    same_code = outcomes["recorded_code"] == outcomes["verified_code"]
    different = outcomes[(outcomes["outcome"] == DIFFERENT) & same_code]
    to_mark = recorded.rows.merge(different[GROUP], on=GROUP)
    for name, rows in to_mark.groupby("experiment"):
        recorded.store.mark_as_differing(recorded.experiments[name], set(keys_of(rows)))


def verified(
    read: Callable[[str], pd.DataFrame],
    experiments: Sequence[Experiment],
    store: Store,
) -> list[dict]:
    """What :func:`verify` last found of today's code, by experiment and kind of machine.

    ``read`` gives the records of an experiment by its name. A row has the numbers of its groups, of
    their outcomes by each outcome's name, and the largest difference.
    """
    table = store.outcomes()
    known = set(table["experiment"])
    rows = []
    for experiment in experiments:
        if experiment.name not in known:
            continue
        recorded = _in_groups(experiment, read(experiment.name), store)
        groups = recorded[GROUP].drop_duplicates()
        for machine, outcomes in table.merge(groups, on=GROUP).groupby("machine"):
            counts = outcomes["outcome"].value_counts()
            row = {"experiment": experiment.name, "machine": machine, "groups": len(groups)}
            row |= {word: int(counts.get(word, 0)) for word in (*SAME, *NOT_SAME)}
            largest = float(outcomes["largest_difference"].max())
            rows.append(row | {"largest_difference": largest})
    return rows
