"""Compute an experiment: run the trials that have no current record, and estimate their time."""

import sys
from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np
import pandas as pd
from joblib import effective_n_jobs

from mimlpaper.datasets import DataError
from mimlstudy.counts import number_and_noun
from mimlstudy.engine.arithmetic import warn_of_own_arithmetic
from mimlstudy.engine.records import CONFIGURED, CURRENT, KEY, Store, keys_of, read_records
from mimlstudy.engine.trials import Experiment, Trial
from mimlstudy.engine.workers import TrialError, run_trials


def compute(
    experiments: Experiment | Sequence[Experiment],
    *,
    store: Store,
    profile: str = "paper",
    methods=None,
    jobs: int = -1,
    data_home=None,
    recompute: bool = False,
    dask: str | None = None,
) -> pd.DataFrame:
    """Records of the trials of one or several experiments; those not current are run first.

    Raises TrialError if trials failed: every other trial is recorded, and a second call runs the
    rest. Raises DataError if data are missing for trials without any record, and ValueError if a
    method or the profile is unknown; then nothing runs.

    Parameters
    ----------
    experiments : Experiment, or a sequence of these.
    store : Store, where trials are recorded.
    profile : "paper", "quick" or "smoke": all trials, those of the first splits (of the first data
        sets where the data fix the split), or on drawn data.
    methods : names of the methods to run; all if None. The table has these only.
    jobs : int, worker processes, -1 for one a core. Records do not depend on it.
    data_home : folder of the data files; None for the library's.
    recompute : bool, run all trials, recorded or not.
    dask : str or None, address of a Dask scheduler, whose workers run the trials.
    """
    asked = [experiments] if isinstance(experiments, Experiment) else experiments
    by_name = {experiment.name: experiment for experiment in asked}
    if len(by_name) < len(asked):
        names = [experiment.name for experiment in asked]
        raise ValueError(f"each experiment must have a name of its own, got {names}")
    how = dict(profile=profile, methods=methods, store=store)
    # All are listed first: an unknown method stops the call before anything is announced or run.
    trials_by_name = {
        name: experiment.trials(profile, methods) for name, experiment in by_name.items()
    }
    waiting: list[Trial] = []
    for name, experiment in by_name.items():
        recorded = read_records(experiment, **how)
        trials = _to_run(experiment, trials_by_name[name], recorded, recompute)
        if trials and _fetch_or_keep_old(trials, store.catalogue, data_home, recorded):
            _announce(experiment, trials, recorded, jobs, dask)
            store.append(experiment, [])  # a file that cannot be written fails now, not in hours
            waiting += trials
    if waiting:
        warn_of_own_arithmetic()
        _record(by_name, waiting, jobs, data_home, dask, store)
    tables = [read_records(experiment, **how) for experiment in by_name.values()]
    return pd.concat(tables, ignore_index=True) if len(tables) > 1 else tables[0]


def _to_run(experiment, trials, recorded, recompute):
    """The trials without a current record, or all with ``recompute``.

    Those that need a package that is not installed are left out.
    """
    current = recorded["state"] == CURRENT
    known = set() if recompute else set(keys_of(recorded[current]))
    missing = [trial for trial in trials if trial not in known]
    to_run = [trial for trial in missing if _packages_are_here(experiment, trial)]
    if n_left_out := len(missing) - len(to_run):
        left_out = f"{number_and_noun(n_left_out, 'trial')} of {experiment.name} left out"
        print(f"{left_out}: a package that is needed is not installed", file=sys.stderr)
    return to_run


def _packages_are_here(experiment, trial):
    """Whether the packages that an estimator and its parts name by ``needs`` can be imported."""
    estimator = experiment.estimator(trial.dataset, trial.method, trial.override)
    if estimator is None:
        return True
    parts = [estimator, *estimator.get_params().values()]
    needed = [part.needs for part in parts if hasattr(part, "needs")]
    return all(find_spec(package) for package in needed)


def _fetch_or_keep_old(trials, catalogue, data_home, recorded):
    """Download what is missing of the trials' data; whether all are here.

    If that fails, a DataError is raised, unless each trial has an old record at least.
    """
    try:
        catalogue.fetch({trial.dataset for trial in trials}, data_home)
    except DataError as error:
        # A reader can look at old records, which have their state beside them.
        if not set(trials) <= set(keys_of(recorded)):
            raise
        not_run = number_and_noun(len(trials), "trial")
        print(f"{not_run} not run again: {error}", file=sys.stderr)
        return False
    return True


def _announce(experiment, trials, recorded, jobs, dask):
    line = f"{experiment.name}: {number_and_noun(len(trials), 'trial')} to run"
    seconds = _expected_seconds(trials, recorded)
    # Where one method never ran, a sum of the others would be too short; how many workers a
    # cluster has is not known here.
    if dask is None and seconds.notna().all():
        n_workers = min(len(trials), _n_workers(experiment, jobs))
        duration = duration_in_words(_seconds_side_by_side(seconds, n_workers))
        processes = "process" if n_workers == 1 else "processes"
        line += f", about {duration} with {n_workers} {processes}"
    print(line, file=sys.stderr)  # as the bar of progress, so that a table can be piped


def _seconds_side_by_side(seconds, n_workers) -> float:
    """Seconds of trials on some workers; however many there are, none shares a trial."""
    return max(seconds.sum() / n_workers, seconds.max()) if len(seconds) else 0.0


def _n_workers(experiment, jobs):
    """How many processes run the trials of an experiment."""
    return 1 if experiment.measure.alone else effective_n_jobs(jobs)


def duration_in_words(seconds: float) -> str:
    """A duration, rounded up to seconds, minutes, or hours and minutes."""
    if seconds <= 60:
        return f"{int(np.ceil(seconds))} s"
    minutes = int(np.ceil(seconds / 60))
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest:02d} min" if hours else f"{minutes} min"


def _expected_seconds(trials, recorded):
    """Mean seconds of recorded trials by override, else by method, on the data set; else NaN."""
    to_run = pd.DataFrame(trials, columns=KEY)
    one_row_a_trial = recorded.drop_duplicates(KEY)  # a stage repeats the seconds of its trial
    seconds = pd.Series(np.nan, to_run.index)
    for alike in (CONFIGURED, ["dataset", "method"]):
        means = one_row_a_trial.groupby(alike)["seconds"].mean()
        seconds = seconds.fillna(to_run.join(means, on=alike)["seconds"])
    return seconds


def _record(experiments, trials, jobs, data_home, dask, store):
    """Run and record the trials; what failed is raised when all others are recorded."""
    where = {"jobs": jobs, "data_home": data_home, "dask": dask}
    failure = None
    try:
        for trial, rows in run_trials(trials, experiments, store.catalogue, **where):
            store.append(experiments[trial.experiment], rows)
    except TrialError as error:
        failure = error  # raised when the records of the other trials are in order
    for name in {trial.experiment for trial in trials}:
        store.rewrite(experiments[name])  # without what the new records supersede
    if failure is not None:
        raise failure


def estimate(
    experiments: Sequence[Experiment],
    *,
    store: Store,
    profile: str = "paper",
    methods=None,
    jobs: int = -1,
    recompute: bool = False,
) -> pd.DataFrame:
    """Trials that are still to run and the hours that they take, one row an experiment.

    Parameters are those of :func:`compute`. The column unknown counts the trials to run of methods
    that never ran on their data set; they add no hours. Hours are the core hours divided by
    ``jobs``, or by 1 where trials run alone, but at least those of the longest trial. The last row
    is the sum.
    """
    rows = []
    for experiment in experiments:
        trials = experiment.trials(profile, methods)
        recorded = read_records(experiment, profile=profile, methods=methods, store=store)
        waiting = _to_run(experiment, trials, recorded, recompute)
        seconds = _expected_seconds(waiting, recorded)
        n_unknown = int(seconds.isna().sum())
        duration = _seconds_side_by_side(seconds, _n_workers(experiment, jobs))
        counts = len(trials), len(waiting), n_unknown
        rows.append((experiment.name, *counts, seconds.sum() / 3600, duration / 3600))
    columns = ["experiment", "trials", "to_run", "unknown", "core_hours", "hours"]
    table = pd.DataFrame(rows, columns=columns)
    table.loc[len(table)] = table.sum().to_dict() | {"experiment": "all"}
    return table.astype({"trials": int, "to_run": int, "unknown": int})
