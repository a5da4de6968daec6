"""Run the trials of an experiment that are not recorded yet, in parallel, and record them."""

import math
import random
from functools import cache

import numpy as np
import pandas as pd
from joblib import effective_n_jobs

from mimlpaper import paths
from mimlpaper.datasets import DATASETS, DataError, load
from mimlpaper.experiments.experiment import Experiment
from mimlpaper.experiments.fingerprint import code_fingerprint
from mimlpaper.experiments.registry import get_experiment
from mimlpaper.experiments.store import KEY, SUSPECT, Store, load_attestations
from mimlpaper.experiments.tolerance import compare_trial
from mimlpaper.experiments.trial import Trial
from mimlpaper.experiments.workers import TrialError, run_trials

# Of a cluster's trials, so many run again at home.
ONE_IN = 50
AT_LEAST = 5


def default_store(profile: str = "paper") -> Store:
    """Where records go: ``data/results``, or its git-ignored ``smoke`` folder."""
    return Store(paths.results() / "smoke" if profile == "smoke" else paths.results())


def compute(
    experiment: str | Experiment, *, profile: str = "paper", methods=None, jobs: int = -1,
    data_home=None, recompute: bool = False, dask: str | None = None, store: Store | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Records of an experiment's trials; those that are missing or stale are run first.

    Parameters
    ----------
    experiment : str, such as ``"table1"``, or an Experiment of one's own
        Its records need a store of its own too.
    profile : {"paper", "quick", "smoke"}
        All trials, those of the first few splits, or a few on data drawn by the library.
    methods : list of str or None
        Only these; None for all.
    jobs : int
        Worker processes, -1 for one a core. Records do not depend on it.
    data_home : path or None
        Folder of the data files, see :mod:`mimlpaper.datasets`.
    recompute : bool
        Run everything, whatever is recorded.
    dask : str or None
        Address of a Dask scheduler whose workers run the trials, in place of processes here. At
        the end, one trial in :data:`ONE_IN`, at least :data:`AT_LEAST`, runs again here.
    store : Store or None
        Where to record; None for the project's own folder.

    Raises
    ------
    TrialError
        If trials failed. Every other trial is recorded, and a second call runs the rest. Also if
        a trial that runs again here differs from the cluster's: then all records of the run are
        marked as suspect, and count as stale.
    DataError
        If data are missing for trials of which nothing is recorded.
    """
    described = get_experiment(experiment)
    store = store or default_store(profile)
    recorded = records(described, profile=profile, methods=methods, store=store)
    waiting = _waiting(described, recorded, profile, methods, recompute)
    if not waiting or _data_missing(waiting, data_home, recorded):
        return recorded
    print(_announcement(described, waiting, recorded, jobs), flush=True)
    _record([described], waiting, jobs, data_home, dask, store)
    return records(described, profile=profile, methods=methods, store=store)


def compute_together(
    experiments, *, profile: str = "paper", jobs: int = -1, data_home=None, recompute: bool = False,
    dask: str | None = None, store: Store | None = None,
) -> None:  # fmt: skip
    """Run what is missing or stale of several experiments; the trials of a split share their work.

    Parameters and errors as for :func:`compute`. Records are the same as one by one.
    """
    described, waiting = [get_experiment(experiment) for experiment in experiments], []
    store = store or default_store(profile)
    for experiment in described:
        recorded = records(experiment, profile=profile, store=store)
        own = _waiting(experiment, recorded, profile, None, recompute)
        if own and not _data_missing(own, data_home, recorded):
            print(_announcement(experiment, own, recorded, jobs), flush=True)
            waiting += own
    if waiting:
        _record(described, waiting, jobs, data_home, dask, store)


def _waiting(experiment, recorded, profile, methods, recompute):
    """The trials that have no usable record."""
    trials = experiment.trials(profile, methods)
    usable = set() if recompute else set(_keys(recorded[recorded["state"] != "stale"]))
    return [trial for trial in trials if _key(trial) not in usable]


def records(
    experiment: str | Experiment, *, profile: str = "paper", methods=None,
    store: Store | None = None,
) -> pd.DataFrame:  # fmt: skip
    """What is recorded of an experiment's trials, in their order, with a column ``state``.

    ``"fresh"``: made by today's code. ``"attested"``: made by other code, and ``mimlpaper
    verify`` has found today's to give the same. ``"stale"``: neither.
    """
    described = get_experiment(experiment)
    store = store or default_store(profile)
    table = store.load(described.name)
    place = {_key(trial): i for i, trial in enumerate(described.trials(profile, methods))}
    places = np.array([place.get(key, -1) for key in _keys(table)], dtype=int)
    order = np.lexsort([table["stage"].to_numpy(dtype=int), places])
    table = table.iloc[order[places[order] >= 0]].reset_index(drop=True)
    attested = _attested_codes(store.folder, described.name)
    today = current_codes(described)
    table["state"] = [
        _state(row.method, row.code, today(row.dataset, row.method, row.parameters), attested)
        for row in table.itertuples()
    ]
    return table


def _state(method, recorded, current, attested):
    if recorded == current:
        return "fresh"
    return "attested" if (method, recorded, current) in attested else "stale"


def _attested_codes(folder, experiment):
    """(method, recorded code, today's code) of an experiment's groups that were attested."""
    table = load_attestations(folder)
    table = table[table["experiment"] == experiment]
    return set(zip(table["method"], table["recorded_code"], table["code"], strict=True))


def current_codes(experiment: Experiment):
    """Function that gives today's fingerprint of a method's code on a data set."""

    @cache
    def code(dataset, method, parameters):
        estimator = experiment.estimator(Trial(experiment.name, dataset, method, parameters, 0))
        return code_fingerprint(estimator, DATASETS[dataset], experiment.splits)

    return code


def _record(experiments, trials, jobs, data_home, dask, store):
    recorded, failure = {experiment.name: [] for experiment in experiments}, None
    try:
        for trial, rows in _run(experiments, trials, jobs, data_home, dask):
            key = dict(zip(KEY, _key(trial), strict=True))
            store.append(trial.experiment, [key | row for row in rows])
            recorded[trial.experiment].append(trial)
    except TrialError as error:
        failure = error
    for experiment in experiments:
        if dask and recorded[experiment.name]:
            _spot_check(experiment, recorded[experiment.name], jobs, data_home, store)
    if failure:
        raise failure


def _run(experiments, trials, jobs, data_home, dask=None):
    known = {experiment.name: experiment for experiment in experiments}
    return run_trials(trials, experiments=known, jobs=jobs, data_home=data_home, dask=dask)


def _spot_check(experiment, trials, jobs, data_home, store):
    """Run some of a cluster's trials again at home, and stop if one differs."""
    n_checked = min(len(trials), max(AT_LEAST, math.ceil(len(trials) / ONE_IN)))
    drawn = random.SystemRandom().sample(trials, n_checked)
    recorded = dict(list(store.load(experiment.name).groupby(KEY)))
    differences = []
    for trial, rows in _run([experiment], drawn, jobs, data_home):
        largest, same = compare_trial(recorded[_key(trial)], rows)
        if not same:
            differences.append((largest, trial))
    if not differences:
        print(f"spot check: {n_checked} of {len(trials)} trials run again here, all the same")
        return
    store.mark_suspect(experiment.name, set(map(_key, trials)))
    largest, trial = max(differences, key=lambda pair: pair[0])
    raise TrialError(
        f"spot check: {len(differences)} of {n_checked} trials run again here differ from the "
        f"cluster's, by up to {largest:.2g} ({trial}); the {len(trials)} records of this run are "
        f"marked as {SUSPECT}, and the same command runs them again"
    )


def _data_missing(waiting, data_home, recorded):
    """True if the data are not there, but every waiting trial has at least a stale record."""
    try:
        for dataset in {trial.dataset for trial in waiting}:
            load(dataset, data_home=data_home)
    except DataError as error:
        if {_key(trial) for trial in waiting} <= set(_keys(recorded)):
            print(f"{len(waiting)} stale trials are shown as they are: {error}")
            return True
        raise
    return False


def _announcement(experiment, waiting, recorded, jobs):
    text = f"{experiment.name}: {len(waiting)} trials to run"
    seconds = (recorded["fit_seconds"] + recorded["predict_seconds"]).groupby(recorded["method"])
    typical = seconds.median()
    if all(trial.method in typical for trial in waiting):
        total = sum(typical[trial.method] for trial in waiting)
        workers = min(len(waiting), effective_n_jobs(jobs))
        text += f", about {_duration(total / workers)} with {workers} process(es)"
    return text


def _duration(seconds):
    minutes = int(np.ceil(seconds / 60))
    return f"{seconds:.0f} s" if seconds < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def _key(trial):
    return (trial.experiment, trial.dataset, trial.method, trial.parameters, trial.split)


def _keys(table):
    return list(table[KEY].itertuples(index=False, name=None))
