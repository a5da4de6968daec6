"""Run the trials that are not recorded yet, in parallel, record them, and estimate their time."""

import json
import math
import random
from dataclasses import astuple

import numpy as np
import pandas as pd
from joblib import effective_n_jobs

from mimlpaper.datasets import DataError, load
from mimlpaper.study.experiment import Experiment
from mimlpaper.study.multiverse import Readings
from mimlpaper.study.records import KEY, SUSPECT, Store, default_store, keys_of, records, seconds_of
from mimlpaper.study.registry import get_experiment
from mimlpaper.study.verify import compare_trial
from mimlpaper.study.workers import TrialError, run_trials

# Of a cluster's trials, one in fifty runs again on this machine, and at least five.
ONE_IN = 50
AT_LEAST = 5


def compute(
    experiment: str | Experiment, *, profile: str = "paper", methods=None, jobs: int = -1,
    data_home=None, recompute: bool = False, dask: str | None = None, store: Store | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Records of an experiment's trials; missing and stale ones are run first.

    Parameters
    ----------
    experiment : str or Experiment; one's own needs a store of its own too.
    profile : {"paper", "quick", "smoke"}
        All trials, those of the first few splits, or a few on data drawn by the library.
    jobs : int, worker processes, -1 for one a core. Records do not depend on it.
    recompute : bool, run all trials, recorded or not.
    dask : str or None
        Address of a Dask scheduler whose workers run the trials, in place of processes here. At
        the end, one trial in :data:`ONE_IN`, at least :data:`AT_LEAST`, runs again here.

    Raises
    ------
    TrialError
        If trials failed. Every other trial is recorded, and a second call runs the rest. Also if
        a trial that runs again here differs from the cluster's: then all records of the run are
        marked as suspect, and count as stale.
    DataError
        If data are missing for trials without any record.
    """
    store = store or default_store(profile)
    compute_together(
        [experiment], profile=profile, methods=methods, jobs=jobs, data_home=data_home,
        recompute=recompute, dask=dask, store=store,
    )  # fmt: skip
    return records(experiment, profile=profile, methods=methods, store=store)


def compute_together(
    experiments, *, profile: str = "paper", methods=None, jobs: int = -1, data_home=None,
    recompute: bool = False, dask: str | None = None, store: Store | None = None,
) -> None:  # fmt: skip
    """Run what is missing or stale of several experiments; the trials of a split share their work.

    Parameters and errors as for :func:`compute`. Records are the same as one by one.
    """
    described, waiting = list(map(get_experiment, experiments)), []
    store = store or default_store(profile)
    for experiment in described:
        recorded = records(experiment, profile=profile, methods=methods, store=store)
        trials = _to_run(experiment.trials(profile, methods), recorded, recompute)
        if _announced(experiment, trials, recorded, jobs, data_home):
            waiting += trials
    if waiting:
        _record(described, waiting, jobs, data_home, dask, store)


def _to_run(trials, recorded, recompute):
    """The trials that have no usable record."""
    usable = set() if recompute else set(keys_of(recorded[recorded["state"] != "stale"]))
    return [trial for trial in trials if astuple(trial) not in usable]


def _announced(experiment, trials, recorded, jobs, data_home):
    """Whether there are trials to run; a line says how many and, if that is known, how long."""
    if not trials or _data_missing(trials, data_home, recorded):
        return False
    text = f"{experiment.name}: {len(trials)} trials to run"
    typical = seconds_of(recorded).groupby(recorded["method"]).median()
    if all(trial.method in typical for trial in trials):
        total = sum(typical[trial.method] for trial in trials)
        workers = min(len(trials), effective_n_jobs(jobs))
        text += f", about {_duration(total / workers)} with {workers} process(es)"
    print(text, flush=True)
    return True


def _data_missing(waiting, data_home, recorded):
    """True if the data are not there, but every waiting trial has at least a stale record."""
    try:
        for dataset in {trial.dataset for trial in waiting}:
            load(dataset, data_home=data_home)
    except DataError as error:
        if set(map(astuple, waiting)) <= set(keys_of(recorded[recorded["state"] == "stale"])):
            print(f"{len(waiting)} stale trials are shown as they are: {error}")
            return True
        raise
    return False


def _duration(seconds):
    minutes = int(np.ceil(seconds / 60))
    return f"{seconds:.0f} s" if seconds < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def _record(experiments, trials, jobs, data_home, dask, store):
    """Run and record the trials; what failed is raised when every experiment is checked."""
    known = {experiment.name: experiment for experiment in experiments}
    recorded, failures = {name: [] for name in known}, []
    try:
        for trial, rows in run_trials(
            trials, experiments=known, jobs=jobs, data_home=data_home, dask=dask
        ):
            store.append(trial.experiment, [vars(trial) | row for row in rows])
            recorded[trial.experiment].append(trial)
    except TrialError as error:
        failures.append(str(error))
    for name, done in recorded.items():
        if done:
            store.rewrite(name)  # without what the new records supersede
        if done and dask:
            try:
                _spot_check(known[name], done, jobs, data_home, store)
            except TrialError as error:
                failures.append(str(error))
    if failures:
        raise TrialError("\n".join(failures))


def _spot_check(experiment, trials, jobs, data_home, store):
    """Run some of a cluster's trials again on this machine, and stop if one differs."""
    n_checked = min(len(trials), max(AT_LEAST, math.ceil(len(trials) / ONE_IN)))
    drawn = random.SystemRandom().sample(trials, n_checked)
    recorded = dict(list(store.load(experiment.name).groupby(KEY)))
    differences = []
    known = {experiment.name: experiment}
    for trial, rows in run_trials(drawn, experiments=known, jobs=jobs, data_home=data_home):
        largest, same = compare_trial(recorded[astuple(trial)], rows)
        if not same:
            differences.append((largest, trial))
    if not differences:
        print(f"spot check: {n_checked} of {len(trials)} trials run again here, all the same")
        return
    store.mark_suspect(experiment.name, set(map(astuple, trials)))
    largest, trial = max(differences, key=lambda pair: pair[0])
    raise TrialError(
        f"spot check: {len(differences)} of {n_checked} trials run again here differ from the "
        f"cluster's, by up to {largest:.2g} ({trial}); the {len(trials)} records of this run are "
        f"marked as {SUSPECT}, and the same command runs them again"
    )


def estimate(
    experiments, *, profile: str = "paper", workers: int = 2, recompute: bool = False,
    store: Store | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Trials that are still to run and the hours that they take, one row an experiment.

    A trial takes the mean processor time that is recorded for its method on its data set. A
    reading of the multiverse that never ran takes the time of the published one; another label
    rule or number of alternations takes none, since the machines are shared. Column unknown counts
    the trials of methods that never ran on their data set. Hours are those of equal shares for
    ``workers`` processes, or of the longest trial if it takes longer. The last row is the sum.
    """
    if workers < 1:
        raise ValueError(f"workers must be at least 1, got {workers}")
    store = store or default_store(profile)
    rows = [_estimate(name, profile, workers, recompute, store) for name in experiments]
    table = pd.DataFrame(rows)
    table.loc[len(table)] = table.sum().to_dict() | {"experiment": "all"}
    return table.astype({"trials": int, "to_run": int, "unknown": int})


def _estimate(name, profile, workers, recompute, store):
    experiment = get_experiment(name)
    trials = experiment.trials(profile)
    recorded = records(name, profile=profile, store=store).drop_duplicates(KEY)
    waiting = pd.DataFrame(_to_run(trials, recorded, recompute), columns=KEY)
    seconds = _seconds_each(waiting, recorded, ["dataset", "method", "parameters"])
    if isinstance(experiment, Readings):
        seconds = seconds.fillna(_seconds_like(waiting, experiment.of, profile, store))
    longest = max(seconds.sum() / workers, seconds.max()) if len(seconds) else 0.0
    return {
        "experiment": name, "trials": len(trials), "to_run": len(waiting),
        "unknown": int(seconds.isna().sum()), "core_hours": seconds.sum() / 3600,
        "hours": longest / 3600,
    }  # fmt: skip


def _seconds_each(waiting, recorded, variant):
    """Mean recorded seconds of what each waiting trial is a variant of, NaN if unknown."""
    means = recorded.assign(seconds=seconds_of(recorded)).groupby(variant)["seconds"].mean()
    return waiting.join(means, on=variant)["seconds"]


def _seconds_like(waiting, published, profile, store):
    """Of readings that never ran: the published one's, once for all that share its machines."""
    tables = [records(name, profile=profile, store=store) for name in published]
    recorded = pd.concat(tables).query("parameters == '{}'").drop_duplicates(KEY)
    scores = {text: _machines(text) for text in waiting["parameters"].unique()}
    again = waiting.assign(parameters=waiting["parameters"].map(scores)).duplicated(KEY)
    return _seconds_each(waiting, recorded, ["dataset", "method"]).where(~again, 0.0)


def _machines(parameters):
    changes = json.loads(parameters).items()
    others = ("label_rule", "max_alternations")
    return json.dumps({name: v for name, v in changes if not name.endswith(others)})
