"""Run the trials that are not recorded yet, in parallel, record them, and estimate their time."""

import signal
import sys
import traceback
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import chain
from multiprocessing import get_context

import numpy as np
import pandas as pd
from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from joblib.externals.loky.process_executor import TerminatedWorkerError
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from mimlpaper.datasets import DataError
from mimlpaper.sharing import Cache, sharing
from mimlstudy.engine.catalogue import Catalogue
from mimlstudy.engine.fingerprint import fingerprint, provenance
from mimlstudy.engine.records import CURRENT, KEY, Store, columns_of, keys_of, records
from mimlstudy.engine.rows import sealed
from mimlstudy.engine.trials import Experiment, Trial, run_trial

IDLE = 20  # seconds
SHARED = 2**28  # bytes of shared results that a worker keeps for the trials of a batch


class TrialError(RuntimeError):
    """Some trials failed; the message holds the first traceback. The others are recorded."""


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
    rest. Raises DataError if data are missing for trials without any record.

    Parameters
    ----------
    experiments : Experiment, or a sequence of these.
    store : Store, where trials are recorded.
    profile : "paper", "quick" or "smoke": all trials, those of the first splits, or on drawn data.
    methods : names of the methods to run; all if None. The table has these only.
    jobs : int, worker processes, -1 for one a core. Records do not depend on it.
    data_home : folder of the data files; None for the library's.
    recompute : bool, run all trials, recorded or not.
    dask : str or None, address of a Dask scheduler, whose workers run the trials.
    """
    asked = [experiments] if isinstance(experiments, Experiment) else experiments
    by_name = {experiment.name: experiment for experiment in asked}
    how = dict(profile=profile, methods=methods, store=store)
    waiting: list[Trial] = []
    for experiment in by_name.values():
        recorded = records(experiment, **how)
        trials = _to_run(experiment, experiment.trials(profile, methods), recorded, recompute)
        if trials and not _data_missing(trials, store.catalogue, data_home, recorded):
            _announce(experiment, trials, recorded, jobs)
            store.append(experiment, [])  # what cannot be written is known now, not after hours
            waiting += trials
    if waiting:
        _record(by_name, waiting, jobs, data_home, dask, store)
    tables = [records(experiment, **how) for experiment in by_name.values()]
    return pd.concat(tables, ignore_index=True) if len(tables) > 1 else tables[0]


def _to_run(experiment, trials, recorded, recompute):
    """The trials that have no current record and need no package that is not here."""
    current = recorded["state"] == CURRENT
    known = set() if recompute else set(keys_of(recorded[current]))

    def can_run(trial):
        estimator = experiment.estimator(trial.dataset, trial.method, trial.parameters)
        parts = [estimator, *(estimator.get_params().values() if estimator is not None else ())]
        return all(find_spec(part.needs) for part in parts if hasattr(part, "needs"))

    return [trial for trial in trials if trial not in known and can_run(trial)]


def _data_missing(waiting, catalogue, data_home, recorded):
    """True if the data are not there, but every waiting trial has at least some record."""
    try:
        catalogue.fetch({trial.dataset for trial in waiting}, data_home)
    except DataError as error:
        if not set(waiting) <= set(keys_of(recorded)):
            raise
        print(f"{len(waiting)} trials are not run again: {error}")
        return True
    return False


def _announce(experiment, trials, recorded, jobs):
    seconds, time = _expected_seconds(trials, recorded), ""
    if seconds.notna().all():
        workers = min(len(trials), effective_n_jobs(jobs))
        time = f", about {_in_words(seconds.sum() / workers)} with {workers} process(es)"
    print(f"{experiment.name}: {len(trials)} trials to run{time}", file=sys.stderr)  # as progress


def _in_words(seconds):
    """A duration to the next second, minute, or hour and minute."""
    if seconds <= 60:
        return f"{int(np.ceil(seconds))} s"
    minutes = int(np.ceil(seconds / 60))
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest:02d} min" if hours else f"{minutes} min"


def _expected_seconds(trials, recorded):
    """The mean of trials with the same override, else of the method on the data set, else NaN."""
    waiting, recorded = pd.DataFrame(trials, columns=KEY), recorded.drop_duplicates(KEY)
    seconds = pd.Series(np.nan, waiting.index)
    for alike in (["dataset", "method", "parameters"], ["dataset", "method"]):
        means = recorded.groupby(alike)["seconds"].mean()
        seconds = seconds.fillna(waiting.join(means, on=alike)["seconds"])
    return seconds


def _record(experiments, trials, jobs, data_home, dask, store):
    """Run and record the trials; what failed is raised when all others are recorded."""
    where = {"jobs": jobs, "data_home": data_home, "dask": dask}
    failure = None
    try:
        for trial, rows in run_trials(trials, experiments, store.catalogue, **where):
            store.append(experiments[trial.experiment], rows)
    except TrialError as error:
        failure = error
    for name in {trial.experiment for trial in trials}:
        store.rewrite(experiments[name])  # without what the new records supersede
    if failure is not None:
        raise failure


def run_trials(
    trials: list[Trial],
    experiments: Mapping[str, Experiment],
    catalogue: Catalogue,
    *,
    jobs: int = -1,
    data_home=None,
    dask: str | None = None,
) -> Iterator[tuple[Trial, list[dict]]]:
    """Run trials, one BLAS thread each, and yield (trial, rows) as they end.

    A worker gets a batch: all trials of one split, which share kernels, distances and the like.
    Results do not depend on the batches. If a worker process dies, the trials that were running
    run again one by one, after all others; that shows which one killed it. Trials whose measure
    needs them ``alone`` run one at a time, each in a new process. A TrialError at the end says that
    some failed, or their worker died. ``experiments`` are by name. Workers of ``dask`` need this
    version of the package, the data, and one thread.
    """
    jobs_of: dict[bool, list] = {False: [], True: []}
    for trial in trials:
        experiment = experiments[trial.experiment]
        estimator = experiment.estimator(trial.dataset, trial.method, trial.parameters)
        splits = experiment.part_of(trial.dataset, trial.method).splits
        # A few kilobytes.
        job = trial, estimator, splits, experiment.measure, catalogue, data_home
        jobs_of[experiment.measure.alone].append(job)
    names, failures = ", ".join(dict.fromkeys(trial.experiment for trial in trials)), []
    with tqdm(total=len(trials), desc=f"{names:.40}", unit="trial", leave=False) as progress:
        together = _in_batches(jobs_of[False], jobs, dask, progress)
        for trial, rows, trace in chain(together, _one_by_one(jobs_of[True])):
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


def _in_batches(trial_jobs, jobs, dask, progress):
    """Yield (trial, rows, traceback) of trials that run side by side."""
    with _workers(jobs, dask):
        n_workers = effective_n_jobs(-1 if dask else jobs)
        rounds = deque([_batches(trial_jobs, n_workers)])
        while rounds:
            waiting = {batch[0][0]: batch for batch in rounds.popleft()}
            runs = Parallel(batch_size=1, return_as="generator_unordered")
            try:
                for results in runs(delayed(_run_batch)(batch) for batch in [*waiting.values()]):
                    del waiting[results[0][0]]
                    yield from results
            except TerminatedWorkerError as death:
                left = [*waiting.values()]
                if len(left) == len(left[0]) == 1:
                    yield left[0][0][0], None, f"its worker process died: {death}"
                    continue
                # Under way were some of the first: joblib hands out two to each worker.
                suspects, others = left[: 2 * n_workers], left[2 * n_workers :]
                progress.write(f"a worker process died; {sum(map(len, left))} trials run again")
                rounds.extend([others] if others else [])
                rounds.extend([[one]] for batch in suspects for one in batch)


def _one_by_one(trial_jobs):
    """The same, each in a new process, forked bare by a server that has imports.

    So a trial shares nothing, not even with a repetition of its own fit.
    """
    context = get_context("forkserver")
    context.set_forkserver_preload([name for name in sys.modules if name.startswith("mimlpaper")])
    for job in trial_jobs:
        try:
            with ProcessPoolExecutor(1, mp_context=context) as pool:
                result = pool.submit(_attempt, *job).result()
        except Exception:  # such as a process that was killed
            result = job[0], None, traceback.format_exc()
        yield result


def _batches(trial_jobs, n_workers) -> list[list[tuple]]:
    """The trials by data set and split; one by one if that would leave workers idle."""
    batches: dict[tuple, list[tuple]] = {}
    for job in trial_jobs:
        batches.setdefault((job[0].dataset, job[0].split), []).append(job)
    return [*batches.values()] if len(batches) >= 2 * n_workers else [[job] for job in trial_jobs]


@contextmanager
def _workers(jobs, dask):
    if dask is None:
        # Workers whose parent was killed find nothing more to do, and end after that time.
        # Ctrl-C is for the parent, which ends them: one that still imports would print an error.
        deaf = dict(initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN))
        with parallel_config("loky", n_jobs=jobs, idle_worker_timeout=IDLE, **deaf):
            yield
        return
    from distributed import Client

    with Client(dask) as client, parallel_config("dask"):
        client.wait_for_workers(1)
        threads = {info["nthreads"] for info in client.scheduler_info(-1)["workers"].values()}
        if threads != {1}:
            raise ValueError(
                f"workers at {dask} must have one thread each, got {sorted(threads)}; start "
                "them by: dask worker ADDRESS --nworkers N --nthreads 1"
            )
        yield


def _run_batch(trial_jobs):
    with sharing(Cache(SHARED)):
        return [_attempt(*job) for job in trial_jobs]


def _attempt(trial, estimator, splits, measure, catalogue, data_home):
    """(trial, sealed rows, None) or, if it failed, (trial, None, traceback)."""
    try:
        made_by = fingerprint(estimator, catalogue.loader(trial.dataset), splits, measure)
        with threadpool_limits(1):  # sums of another number of threads differ in the last bit
            rows = run_trial(trial, estimator, splits, measure, catalogue, data_home=data_home)
    except Exception:  # of any estimator, also a stranger's; compute raises it by its trial
        return trial, None, traceback.format_exc()
    origin = trial._asdict() | made_by._asdict() | provenance()
    columns = columns_of(measure)
    return trial, [sealed(origin | row, columns) for row in rows], None


def estimate(
    experiments: Sequence[Experiment],
    *,
    store: Store,
    profile: str = "paper",
    jobs: int = -1,
    recompute: bool = False,
) -> pd.DataFrame:
    """Trials that are still to run and the hours that they take, one row an experiment.

    Column unknown counts the trials of methods that never ran on their data set. Hours are those of
    equal shares for ``jobs`` processes, or of the longest trial. The last row is the sum.
    """
    workers, rows = effective_n_jobs(jobs), []
    for experiment in experiments:
        trials = experiment.trials(profile)
        recorded = records(experiment, profile=profile, store=store)
        seconds = _expected_seconds(_to_run(experiment, trials, recorded, recompute), recorded)
        counts = len(trials), len(seconds), int(seconds.isna().sum())
        longest = max(seconds.sum() / workers, seconds.max()) if len(seconds) else 0.0
        rows.append((experiment.name, *counts, seconds.sum() / 3600, longest / 3600))
    columns = ["experiment", "trials", "to_run", "unknown", "core_hours", "hours"]
    table = pd.DataFrame(rows, columns=columns)
    table.loc[len(table)] = table.sum().to_dict() | {"experiment": "all"}
    return table.astype({"trials": int, "to_run": int, "unknown": int})
