"""Recorded trials run again: does today's code give the recorded numbers?

A group is the records of a method with one setting that were made in one way: by one state of the
code, with one arithmetic, see :mod:`mimlstudy.engine.records`. The result for one trial is taken to
hold for its group, which ran the same definitions with the same settings. Records of other settings
or other data do not run again, unless they have a doubt: only ``mimlpaper compute`` makes them
current.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np
import pandas as pd

from mimlstudy.engine.comparison import EXACT, compare_trial, outliers
from mimlstudy.engine.provenance import provenance
from mimlstudy.engine.records import (
    CONFIRMABLE,
    CURRENT,
    DAMAGED,
    DIFFERENT,
    DIFFERS,
    FAILED,
    GROUP,
    KEY,
    MADE_ALIKE,
    NOT_SAME,
    REFUTED,
    SAME,
    Store,
    keys_of,
    read_records,
    trials_of,
)
from mimlstudy.engine.trials import Experiment, Trial
from mimlstudy.engine.workers import TrialError, run_trials

MEANING = (
    "equal: to a millionth; close: as if one test bag in a hundred, and at least one, had one "
    "label decided and two neighbours ranked differently"
)
COLUMNS_OF_RESULT = [*GROUP, "n_recorded", "n_checked", "largest_difference", "outcome"]
LARGEST_SHARE_OF_A_TRIAL = 1 / 4


class Recorded(NamedTuple):
    """What can be verified: recorded trials, and how they run again."""

    experiments: Mapping[str, Experiment]  # by name
    rows: pd.DataFrame  # of the groups that are verified
    store: Store
    jobs: int
    data_home: object


def verify(
    experiments: Sequence[Experiment],
    *,
    store: Store,
    profile: str = "paper",
    sample: int = 1,
    only_not_current: bool = False,
    seconds: float | None = None,
    jobs: int = -1,
    data_home=None,
    random_state=None,
) -> pd.DataFrame:
    """Re-run recorded trials of each group: a random ``sample``, outliers, and what once differed.

    A group whose repeated trials all give the recorded numbers is attested, unless another machine
    found otherwise: its records count as current for today's code, until a later outcome of the
    same group says otherwise. A group that differs is not current until its trials are recorded
    again; after a further change of the code all its trials run, also those beyond the profile
    "quick", since a sample can miss the one that differed. ``verified.csv`` gets the outcome of a
    group when its last trial has ended, so that an interrupted verification goes on by
    ``only_not_current``. Costs are not run again. Raises DataError if data are missing.

    Parameters
    ----------
    experiments : sequence of Experiment.
    store : Store, whose records are verified.
    profile : "paper", "quick" or "smoke", as they were recorded.
    sample : int >= 1, trials of each group.
    only_not_current : bool, leave out the groups whose records are all current.
    seconds : float > 0 or None. If given, random current trials run instead, whose data are here,
        up to so many recorded seconds in all, each of at most a quarter of them; only what differs
        is written.
    jobs : int, worker processes, -1 for one a core.
    data_home : folder of the data files; None for the library's.
    random_state : seed of the sample.

    Returns
    -------
    One row a group: the numbers of trials n_recorded and n_checked, the largest_difference, and
    the outcome: "equal", "close" or "different", see ``mimlstudy.engine.comparison``; "damaged" (a
    row does not fit its seal, or has an impossible number); or "failed" (a trial raised; a warning
    shows the first error).
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
        return pd.DataFrame(columns=COLUMNS_OF_RESULT)
    if profile == "quick":
        rows = _with_all_that_differed(rows, repeatable, store)
    if only_not_current:
        rows = _not_current(rows)
    recorded = Recorded(repeatable, rows, store, jobs, data_home)
    rng = np.random.default_rng(random_state)
    is_audit = seconds is not None
    if is_audit:
        to_run = _cheap_trials(recorded, seconds, rng)
    else:
        store.add_outcomes([])  # a file that cannot be written fails now, not in hours
        to_run = _sampled_trials(recorded, sample, rng)
    outcomes = []
    for outcome in _judge_groups(recorded, to_run):
        if not is_audit or outcome["differing"]:
            _mark_and_record(recorded, outcome)
        outcomes.append(outcome)
    table = pd.DataFrame(outcomes, columns=COLUMNS_OF_RESULT)
    return table.sort_values(GROUP, ignore_index=True)


def n_in_no_group(
    experiments: Sequence[Experiment], *, store: Store, profile: str = "paper"
) -> int:
    """How many recorded trials :func:`verify` leaves out: of other settings or data, and costs."""
    n_trials = 0
    for experiment in experiments:
        table = read_records(experiment, profile=profile, store=store)
        if experiment.measure.repeatable:
            left_out = ~_have_group(table)
        else:
            left_out = pd.Series(True, table.index)
        n_trials += len(table[left_out].drop_duplicates(KEY))
    return n_trials


def with_groups(table: pd.DataFrame) -> pd.DataFrame:
    """Records with the columns of their group added: how they were made, and today's code."""
    return table.assign(
        recorded_code=table["code"],
        recorded_arithmetic=table["arithmetic"],
        verified_code=table["code_today"],
    )


def _rows_in_groups(experiments: Mapping[str, Experiment], profile, store):
    """The records of all groups of some experiments."""
    tables = []
    for experiment in experiments.values():
        table = read_records(experiment, profile=profile, store=store)
        tables.append(_in_groups(table))
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()


def _not_current(rows):
    """The records of the groups in which some are not current."""
    is_old = rows["state"] != CURRENT
    return rows.merge(rows.loc[is_old, GROUP].drop_duplicates(), on=GROUP)


def _with_all_that_differed(rows, experiments, store):
    """Records of the profile "quick", and all others of their groups that once differed."""
    every_row = _rows_in_groups(experiments, "paper", store)
    differed = every_row[_differed_before(every_row, store)]
    whole_groups = differed.merge(rows[GROUP].drop_duplicates(), on=GROUP)
    joined = pd.concat([rows, whole_groups], ignore_index=True)
    return joined.drop_duplicates([*KEY, "stage"])


def _in_groups(table):
    """The records that have a group: others cannot give the same numbers, by settings or data."""
    return with_groups(table[_have_group(table)])


def _have_group(table):
    return table["state"].isin([*CONFIRMABLE, *REFUTED])


def _sampled_trials(recorded: Recorded, sample, rng):
    """A sample of the trials of each group, every outlier, and all trials of what differed."""
    trials = recorded.rows.drop_duplicates(KEY).sample(frac=1, random_state=rng)
    differed = _differed_before(trials, recorded.store)
    to_run = [trials.groupby(GROUP).head(sample), trials[differed]]
    # A wrong record is unlikely to be in a small sample, and likely to be an outlier.
    for name, rows in recorded.rows.groupby("experiment"):
        to_run.append(outliers(recorded.experiments[name], rows))
    return pd.concat(to_run).drop_duplicates(KEY)


def _differed_before(rows, store) -> list[bool]:
    """Of each record, whether other code than today's was found to give different numbers."""
    outcomes = store.outcomes()
    different = outcomes[outcomes["outcome"] == DIFFERENT]
    codes = different.groupby(MADE_ALIKE)["verified_code"].agg(set).to_dict()
    differed = []
    for *made_alike, today in rows[GROUP].itertuples(index=False, name=None):
        differed.append(bool(codes.get(tuple(made_alike), set()) - {today}))
    return differed


def _cheap_trials(recorded: Recorded, seconds, rng):
    """Random current trials whose data are here, which took at most so many seconds in all."""
    rows, catalogue = recorded.rows, recorded.store.catalogue
    names = rows["dataset"].unique()
    present = [name for name in names if catalogue.is_present(name, recorded.data_home)]
    is_current = rows["state"] == CURRENT
    # No trial may use up the seconds, so that several methods are checked.
    is_short = rows["seconds"] <= LARGEST_SHARE_OF_A_TRIAL * seconds
    cheap = rows[is_current & is_short & rows["dataset"].isin(present)]
    trials = cheap.drop_duplicates(KEY).sample(frac=1, random_state=rng)
    return trials[trials["seconds"].cumsum() <= seconds]


def _judge_groups(recorded: Recorded, to_run) -> Iterator[dict]:
    """Run these trials again, and yield the outcome of each of their groups when it is known."""
    trials_of_group = {group: trials_of(rows) for group, rows in to_run.groupby(GROUP)}
    group_of = {trial: group for group, trials in trials_of_group.items() for trial in trials}
    results: dict[tuple, dict] = {group: {} for group in trials_of_group}
    for trial, result in _run_again(recorded, to_run):
        group = group_of[trial]
        results[group][trial] = result
        n_trials = len(trials_of_group[group])
        if len(results[group]) == n_trials:
            yield _judge_group(recorded, group, results.pop(group), n_trials)
    # Some trials of the others have failed.
    for group, of_group in results.items():
        yield _judge_group(recorded, group, of_group, len(trials_of_group[group]))


def _judge_group(recorded, group, results, n_trials) -> dict:
    """The outcome of a group, with the trials that agree with their records and those that do not.

    ``results`` has the largest difference of each trial that ran, and whether it passes. A damaged
    record that does not come again says nothing of the others: its trial is in neither.
    """
    records = recorded.rows.merge(pd.DataFrame([group], columns=GROUP), on=GROUP)
    largest = max((difference for difference, _ in results.values()), default=0.0)
    agreeing = {trial for trial, (_, passes) in results.items() if passes}
    is_damaged = records["state"] == DAMAGED
    differing = results.keys() - agreeing - set(keys_of(records[is_damaged]))
    return dict(zip(GROUP, group, strict=True)) | {
        "n_recorded": len(records.drop_duplicates(KEY)),
        "n_checked": len(results),
        "largest_difference": largest,
        "outcome": _outcome_of(records, differing, n_trials - len(results), largest),
        "agreeing": agreeing,
        "differing": differing,
    }


def _outcome_of(records, differing, n_failed, largest) -> str:
    """The outcome of a group: the worst that is known of its records."""
    # A group that differs stays so until it is recorded again, whatever the sample shows.
    if differing or (records["state"] == DIFFERS).any():
        return DIFFERENT
    if (records["state"] == DAMAGED).any():
        return DAMAGED
    if n_failed:
        return FAILED
    equal, close = SAME
    return close if largest > EXACT else equal


def _run_again(recorded: Recorded, to_run) -> Iterator[tuple[Trial, tuple[float, bool]]]:
    """Yield each trial that ran without an error, its largest difference, and whether it passes."""
    experiments, catalogue = recorded.experiments, recorded.store.catalogue
    # Fail here, before hours of work, if data are missing.
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
    try:
        for trial, repeated in runs:
            yield (
                trial,
                compare_trial(
                    experiments[trial.experiment],
                    rows_of[trial],
                    repeated,
                    catalogue.n_labels(trial.dataset),
                ),
            )
    except TrialError as error:
        # A failed trial is an outcome of its group, and the others still count.
        warnings.warn(str(error), stacklevel=4)


def _mark_and_record(recorded: Recorded, outcome):
    """Record an outcome. A mark comes first, so that no record that differs stays unmarked."""
    _mark_different(recorded, outcome)
    here = provenance() | {"date": date.today().isoformat()}
    recorded.store.add_outcomes([outcome | here])


def _mark_different(recorded: Recorded, outcome):
    """Mark the records of a group in which a trial differs although today's code made them.

    An outcome is known by its code, so it would also speak of what the same code records later. A
    mark stays with the old record. If the profile is "quick", the group has records beyond it: they
    are marked too. Records whose repetition agreed are not, such as new ones beside old ones.
    """
    same_code = outcome["recorded_code"] == outcome["verified_code"]
    if outcome["differing"] and same_code:
        group = pd.DataFrame([outcome])[GROUP]
        experiment = recorded.experiments[outcome["experiment"]]
        of_paper = _rows_in_groups({experiment.name: experiment}, "paper", recorded.store)
        rows = pd.concat([recorded.rows, of_paper], ignore_index=True).merge(group, on=GROUP)
        is_doubtful = [Trial(*key) not in outcome["agreeing"] for key in keys_of(rows)]
        recorded.store.mark_as_differing(experiment, rows[is_doubtful])


def verified(
    read: Callable[[str], pd.DataFrame],
    experiments: Sequence[Experiment],
    store: Store,
) -> list[dict]:
    """What :func:`verify` last found of today's code: a dict for each experiment and machine.

    ``read`` gives the records of an experiment by its name. A row says how many groups there are,
    how many have each outcome, and the largest difference.
    """
    table = store.outcomes()
    known = set(table["experiment"])
    rows = []
    for experiment in experiments:
        if experiment.name not in known:
            continue
        recorded = _in_groups(read(experiment.name))
        groups = recorded[GROUP].drop_duplicates()
        for machine, outcomes in table.merge(groups, on=GROUP).groupby("machine"):
            counts = outcomes["outcome"].value_counts()
            row = {"experiment": experiment.name, "machine": machine, "groups": len(groups)}
            row |= {word: int(counts.get(word, 0)) for word in (*SAME, *NOT_SAME)}
            largest = float(outcomes["largest_difference"].max())
            rows.append(row | {"largest_difference": largest})
    return rows
