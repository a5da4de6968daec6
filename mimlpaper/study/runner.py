"""Run the trials that are not recorded yet, in parallel, record them, and estimate their time."""

import faulthandler
import math
import random
import signal
import sys
import traceback
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import astuple
from importlib.util import find_spec
from itertools import chain
from multiprocessing import get_context, parent_process

import numpy as np
import pandas as pd
from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from joblib.externals.loky.process_executor import TerminatedWorkerError
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from mimlpaper.datasets import DataError, load, loader_of
from mimlpaper.sharing import Cache, sharing
from mimlpaper.study.fingerprint import code_fingerprint, provenance
from mimlpaper.study.records import (
    KEY,
    SUSPECT,
    UNCHECKED,
    USABLE,
    Store,
    default_store,
    keys_of,
    records,
    trials_of,
)
from mimlpaper.study.registry import get_experiment
from mimlpaper.study.trials import Experiment, Trial, run_trial

# Of a cluster's trials of a method, one in fifty runs again on this machine, and at least two.
ONE_IN = 50
AT_LEAST = 2
IDLE = 20  # seconds
GRACE = 3  # seconds, for compiled code to return after the alarm
SHARED = 2**28  # bytes of shared results that a worker keeps for the trials of a batch


class TrialError(RuntimeError):
    """Some trials failed; the message holds the first traceback. The others are recorded."""


def compute(
    experiments, *, profile: str = "paper", methods=None, jobs: int = -1, data_home=None,
    recompute: bool = False, dask: str | None = None, store: Store | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Records of the trials of one or several experiments; missing and stale ones are run first.

    The trials of a split share their work, also those of several experiments; records do not
    depend on that.

    Parameters
    ----------
    experiments : name or Experiment, or a list of these; an Experiment of one's own needs a store.
    profile : {"paper", "quick", "smoke"}
        All trials, those of the first few splits, or a few on data drawn by the library.
    methods : names of the methods to run; all if None. The table has these only.
    jobs : int, worker processes, -1 for one a core. Records do not depend on it.
    recompute : bool, run all trials, recorded or not.
    dask : str or None
        Address of a Dask scheduler whose workers run the trials, in place of processes here. At
        the end, one trial in :data:`ONE_IN` of each method, at least :data:`AT_LEAST`, runs again
        here.

    Raises
    ------
    TrialError
        If trials failed. Every other trial is recorded, and a second call runs the rest. Also if
        a trial that runs again here differs from the cluster's: then the records that the cluster
        made of this method are marked as suspect.
    DataError
        If data are missing for trials without any record.
    """
    single = isinstance(experiments, str | Experiment)
    described = [get_experiment(one) for one in ([experiments] if single else experiments)]
    store, waiting = store or default_store(profile), []
    for experiment in described:
        recorded = records(experiment, profile=profile, methods=methods, store=store)
        trials = _to_run(experiment, experiment.trials(profile, methods), recorded, recompute)
        if _announced(experiment, trials, recorded, jobs, data_home):
            store.check_writable(experiment.name)
            waiting += trials
    if waiting or dask:
        _record({one.name: one for one in described}, waiting, jobs, data_home, dask, store)
    tables = [records(one, profile=profile, methods=methods, store=store) for one in described]
    return tables[0] if single else pd.concat(tables, ignore_index=True)


def _to_run(experiment, trials, recorded, recompute):
    """The trials that have no usable record, without those that need a package that is not here."""
    usable = recorded["state"].isin([*USABLE, "unchecked"])
    known = set() if recompute else set(keys_of(recorded[usable]))
    waiting = [trial for trial in trials if astuple(trial) not in known]
    return [trial for trial in waiting if not _missing_package(experiment, trial)]


def _missing_package(experiment, trial):
    """Whether the estimator names a package in ``needs`` that is not installed."""
    estimator = experiment.estimator(trial.dataset, trial.method, trial.parameters)
    parts = [estimator, *(estimator.get_params().values() if estimator is not None else ())]
    needed = {part.needs for part in parts if isinstance(getattr(part, "needs", None), str)}
    return not all(map(find_spec, needed))


def _announced(experiment, trials, recorded, jobs, data_home):
    """Whether there are trials to run; a line says how many and, if that is known, how long."""
    if not trials or _data_missing(trials, data_home, recorded):
        return False
    text = f"{experiment.name}: {len(trials)} trials to run"
    typical = recorded.groupby("method")["seconds"].median()
    if all(trial.method in typical for trial in trials):
        total = sum(typical[trial.method] for trial in trials)
        workers = min(len(trials), effective_n_jobs(jobs))
        text += f", about {_duration(total / workers)} with {workers} process(es)"
    print(text, flush=True)
    return True


def _data_missing(waiting, data_home, recorded):
    """True if the data are not there, but every waiting trial has at least some record."""
    try:
        for dataset in {trial.dataset for trial in waiting}:
            load(dataset, data_home)
    except DataError as error:
        if set(map(astuple, waiting)) <= set(keys_of(recorded)):
            print(f"{len(waiting)} trials are not run again: {error}")
            return True
        raise
    return False


def _duration(seconds):
    minutes = int(np.ceil(seconds / 60))
    return f"{seconds:.0f} s" if seconds < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def _record(experiments, trials, jobs, data_home, dask, store):
    """Run and record the trials; what failed is raised when every experiment is checked."""
    touched, failures = set(), []
    try:
        for trial, rows in run_trials(
            trials, experiments, jobs=jobs, data_home=data_home, dask=dask
        ):
            experiment = experiments[trial.experiment]
            mark = UNCHECKED if dask and not experiment.measure.alone else ""
            rows = [vars(trial) | row | {"code": mark + row["code"]} for row in rows]
            store.append(experiment, rows)
            touched.add(trial.experiment)
    except TrialError as error:
        failures.append(str(error))
    for name in touched:
        store.rewrite(experiments[name])  # without what the new records supersede
    for experiment in experiments.values() if dask else ():
        try:
            _spot_check(experiment, jobs, data_home, store)
        except TrialError as error:
            failures.append(str(error))
    if failures:
        raise TrialError("\n".join(failures))


def _spot_check(experiment, jobs, data_home, store):
    """Run some of the unchecked trials of each method again here, also those of earlier runs."""
    from mimlpaper.study.verify import compare_trial  # which runs trials by this module

    recorded = store.load(experiment)
    unchecked = recorded[recorded["code"].str.startswith(UNCHECKED)]
    differing = []
    for method, own in unchecked.groupby("method", sort=False):
        trials, groups = trials_of(own), dict(list(own.groupby(KEY)))
        n_checked = min(len(trials), max(AT_LEAST, math.ceil(len(trials) / ONE_IN)))
        drawn = random.SystemRandom().sample(trials, n_checked)
        again = run_trials(drawn, {experiment.name: experiment}, jobs=jobs, data_home=data_home)
        compared = [
            (*compare_trial(experiment, groups[astuple(trial)], rows), trial)
            for trial, rows in again
        ]
        wrong = [(apart, trial) for apart, same, trial in compared if not same]
        store.mark(experiment, set(map(astuple, trials)), SUSPECT if wrong else "")
        differing += wrong
        print(
            f"spot check of {method}: {n_checked} of {len(trials)} trials run again here, "
            f"{n_checked - len(wrong)} the same"
        )
    if differing:
        largest, trial = max(differing, key=lambda pair: pair[0])
        methods = ", ".join(dict.fromkeys(trial.method for _, trial in differing))
        raise TrialError(
            f"spot check: trials of {methods} differ from the cluster's, by up to {largest:.2g} "
            f"({trial}); what the cluster made of these methods is marked as suspect, and the same "
            "command runs it again"
        )


def run_trials(
    trials: list[Trial], experiments, *, jobs: int = -1, data_home=None, dask=None
) -> Iterator[tuple[Trial, list[dict]]]:
    """Run trials, one BLAS thread each, and yield (trial, rows) as they end.

    A worker gets a batch: all trials of one split, which share kernels, distances and the like.
    Results do not depend on the batches. If a worker process dies, the trials that were running
    run again one by one, after all others; that shows which one killed it. Trials of an experiment
    whose measure is for trials ``alone`` run one at a time, each in a new process.

    Parameters
    ----------
    experiments : mapping from name to Experiment, where the trials' experiments are found.
    jobs : int, processes on this machine, -1 for one a core.
    data_home : path or None; on a cluster, a path that every worker sees.
    dask : str or None
        Address of a Dask scheduler, such as ``"tcp://10.0.0.1:8786"``, to use its workers.
        Each needs this version of the package, the data, and one thread. A batch is a few
        kilobytes: trials, unfitted estimators and the way to split. Dask moves the batches of a
        lost worker to the others.

    Raises
    ------
    TrialError
        At the end, if trials failed or their worker died.
    """
    alone = [trial for trial in trials if experiments[trial.experiment].measure.alone]
    together = [trial for trial in trials if not experiments[trial.experiment].measure.alone]
    names = ", ".join(dict.fromkeys(trial.experiment for trial in trials))
    progress = tqdm(total=len(trials), desc=f"{names:.40}", unit="trial", leave=False)
    failures = []
    with progress:
        in_batches = _in_batches(together, experiments, jobs, data_home, dask, progress)
        for trial, rows, trace in chain(in_batches, _one_by_one(alone, experiments, data_home)):
            progress.update()
            if trace:
                failures.append((trial, trace))
            else:
                yield trial, rows
    if failures:
        trial, error = failures[0]
        raise TrialError(
            f"{len(failures)} of {len(trials)} trials failed, the others are done; "
            f"the first: {trial}\n{error}"
        )


def _in_batches(trials, experiments, jobs, data_home, dask, progress):
    """Yield (trial, rows, traceback) of trials that run side by side."""
    with _workers(jobs, dask):
        n_workers = effective_n_jobs(-1 if dask else jobs)
        rounds = deque([_batches(trials, n_workers)])
        while rounds:
            waiting = dict.fromkeys(rounds.popleft())
            runs = Parallel(batch_size=1, return_as="generator_unordered")
            try:
                for batch, results in runs(
                    delayed(_run_batch)(batch, _jobs(batch, experiments), data_home)
                    for batch in list(waiting)
                ):
                    del waiting[batch]
                    yield from results
            except TerminatedWorkerError as death:
                left = list(waiting)
                if len(left) == len(left[0]) == 1:
                    yield left[0][0], None, f"its worker process died: {death}"
                    continue
                # Under way were some of the first: joblib hands out two to each worker.
                suspects, others = left[: 2 * n_workers], left[2 * n_workers :]
                n_trials = sum(map(len, left))
                progress.write(f"a worker process died; {n_trials} trials are run again")
                rounds.extend([others] if others else [])
                rounds.extend([(trial,)] for batch in suspects for trial in batch)


def _one_by_one(trials, experiments, data_home):
    """Yield (trial, rows, traceback) of trials that each have a new process for themselves.

    A server that has everything imported forks a bare process for each: they start at once, and
    their memory is that of one trial.
    """
    context = get_context("forkserver")
    context.set_forkserver_preload([name for name in sys.modules if name.startswith("mimlpaper")])
    for trial in trials:
        try:
            with ProcessPoolExecutor(1, mp_context=context) as pool:
                job = _jobs((trial,), experiments)
                _, results = pool.submit(_run_batch, (trial,), job, data_home).result()
        except Exception:  # such as a process that was killed
            yield trial, None, traceback.format_exc()
        else:
            yield from results


def _batches(trials, n_workers) -> list[tuple[Trial, ...]]:
    """The trials by data set and split; one by one if that would leave workers idle."""
    batches: dict[tuple, list[Trial]] = {}
    for trial in trials:
        batches.setdefault((trial.dataset, trial.split), []).append(trial)
    if len(batches) < 2 * n_workers:
        return [(trial,) for trial in trials]
    return [tuple(batch) for batch in batches.values()]


@contextmanager
def _workers(jobs, dask):
    """Where joblib runs what follows."""
    if dask is None:
        # Workers whose parent was killed find nothing more to do, and end after that time.
        with parallel_config("loky", n_jobs=jobs, idle_worker_timeout=IDLE):
            yield
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise ValueError(
            "a Dask cluster needs the package distributed: pip install '.[cluster]' in a checkout"
        ) from error
    with Client(dask) as client, parallel_config("dask"):
        client.wait_for_workers(1)
        threads = {info["nthreads"] for info in client.scheduler_info(-1)["workers"].values()}
        if threads != {1}:
            raise ValueError(
                f"workers at {dask} must have one thread each, got {sorted(threads)}; start "
                "them by: dask worker ADDRESS --nworkers N --nthreads 1"
            )
        yield


def _jobs(batch, experiments):
    """What a worker needs to run each trial of a batch."""
    jobs = []
    for trial in batch:
        experiment = experiments[trial.experiment]
        estimator = experiment.estimator(trial.dataset, trial.method, trial.parameters)
        splits = experiment.part_of(trial.dataset, trial.method).splits
        jobs.append((trial, estimator, splits, experiment.measure, experiment.timeout))
    return jobs


def _run_batch(batch, jobs, data_home):
    # The sums of another number of threads differ in the last bit.
    with threadpool_limits(1), sharing(Cache(SHARED)):
        return batch, [_attempt(*job, data_home) for job in jobs]


def _attempt(trial, estimator, splits, measure, timeout, data_home):
    """A trial's rows or, so that one failure does not stop the others, its traceback.

    The worker adds where the numbers come from: it may be another machine.
    """
    try:
        code = code_fingerprint(estimator, loader_of(trial.dataset), splits, measure)
        with _within(timeout):
            rows = run_trial(trial, estimator, splits, measure, data_home=data_home)
        origin = provenance() | {"code": code}
    except Exception:
        return trial, None, traceback.format_exc()
    return trial, [row | origin for row in rows], None


@contextmanager
def _within(seconds):
    """A block that raises a TimeoutError after so many seconds.

    Compiled code does not see the alarm until it returns. If it does not, a worker process ends
    soon after. There is no limit for None, nor on Windows, which has no such alarm.
    """
    if seconds is None or not hasattr(signal, "SIGALRM"):
        yield
        return

    def stop(*_):
        raise TimeoutError(f"a trial took more than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    if parent_process() is not None:
        end = 1.1 * seconds + GRACE
        faulthandler.dump_traceback_later(end, exit=True, file=sys.__stderr__)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()
        signal.signal(signal.SIGALRM, before)


def estimate(
    experiments, *, profile: str = "paper", workers: int = 2, recompute: bool = False,
    store: Store | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Trials that are still to run and the hours that they take, one row an experiment.

    A trial takes the mean processor time that is recorded for its variant, or else for its method
    on its data set. Column unknown counts the trials of methods that never ran on their data set.
    Hours are those of equal shares for ``workers`` processes, or of the longest trial if it takes
    longer. The last row is the sum.
    """
    if workers < 1:
        raise ValueError(f"workers must be at least 1, got {workers}")
    store = store or default_store(profile)
    rows = [_estimate(get_experiment(e), profile, workers, recompute, store) for e in experiments]
    table = pd.DataFrame(rows)
    table.loc[len(table)] = table.sum().to_dict() | {"experiment": "all"}
    return table.astype({"trials": int, "to_run": int, "unknown": int})


def _estimate(experiment, profile, workers, recompute, store):
    trials = experiment.trials(profile)
    recorded = records(experiment, profile=profile, store=store).drop_duplicates(KEY)
    waiting = pd.DataFrame(_to_run(experiment, trials, recorded, recompute), columns=KEY)
    seconds = pd.Series(np.nan, waiting.index)
    for alike in (["dataset", "method", "parameters"], ["dataset", "method"]):
        means = recorded.groupby(alike)["seconds"].mean()
        seconds = seconds.fillna(waiting.join(means, on=alike)["seconds"])
    longest = max(seconds.sum() / workers, seconds.max()) if len(seconds) else 0.0
    return {
        "experiment": experiment.name, "trials": len(trials), "to_run": len(waiting),
        "unknown": int(seconds.isna().sum()), "core_hours": seconds.sum() / 3600,
        "hours": longest / 3600,
    }  # fmt: skip
