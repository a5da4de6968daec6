"""Run trials in worker processes, on this machine or on a Dask cluster."""

from __future__ import annotations

import traceback
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from joblib.externals.loky.process_executor import TerminatedWorkerError
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from mimlpaper.datasets import DATASETS
from mimlpaper.experiments.fingerprint import code_fingerprint
from mimlpaper.experiments.protocol import get_experiment
from mimlpaper.experiments.provenance import provenance
from mimlpaper.experiments.trial import Trial, run_trial

__all__ = ["TrialError", "run_trials"]

IDLE = 20  # seconds


class TrialError(RuntimeError):
    """Some trials failed; the message holds the first traceback. The others are recorded."""


def run_trials(
    trials: list[Trial], *, jobs: int = -1, data_home=None, dask=None
) -> Iterator[tuple[Trial, list[dict]]]:
    """Run trials, one BLAS thread each, and yield (trial, rows) as they end.

    If a worker process dies, the trials that were under way are run again, after all others and
    one by one, so that the one that killed it is known.

    Parameters
    ----------
    trials : list of Trial, of one experiment or of several.
    jobs : int, processes on this machine, -1 for one a core.
    data_home : path or None; on a cluster, a path that every worker sees.
    dask : str or None
        Address of a Dask scheduler, such as ``"tcp://10.0.0.1:8786"``, to use its workers.
        Each needs this version of the package, the data, and one thread. To a worker go the
        trial, its unfitted estimator and the way to split, some kilobytes; back come its rows.
        Dask runs the trials of a worker that is lost on the others.

    Raises
    ------
    TrialError
        At the end, if trials failed or their worker died.
    """
    failures = []
    names = ", ".join(dict.fromkeys(trial.experiment for trial in trials))
    progress = tqdm(total=len(trials), desc=f"{names:.40}", unit="trial", leave=False)
    with progress, _workers(jobs, dask):
        batches = deque([list(trials)])
        while batches:
            waiting = dict.fromkeys(batches.popleft())
            attempts = [_delayed(trial, data_home) for trial in waiting]
            try:
                for trial, rows, error in Parallel(batch_size=1, return_as="generator_unordered")(
                    attempts
                ):
                    del waiting[trial]
                    progress.update()
                    if error:
                        failures.append((trial, error))
                    else:
                        yield trial, rows
            except TerminatedWorkerError as error:
                left = list(waiting)
                if len(left) == 1:
                    failures.append((left[0], f"its worker process died: {error}"))
                    continue
                # Under way were some of the first: joblib hands out two to each worker.
                n_suspects = 2 * effective_n_jobs(jobs)
                progress.write(f"a worker process died; {len(left)} trials are run again")
                batches.append(left[n_suspects:])
                batches.extend([suspect] for suspect in left[:n_suspects])
    if failures:
        trial, error = failures[0]
        raise TrialError(
            f"{len(failures)} of {len(trials)} trials failed, the others are done; "
            f"the first: {trial}\n{error}"
        )


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
            "a Dask cluster needs the package distributed: pip install mimlpaper[cluster]"
        ) from error
    with Client(dask) as client, parallel_config("dask"):
        client.wait_for_workers(1)
        threads = {told["nthreads"] for told in client.scheduler_info(-1)["workers"].values()}
        if threads != {1}:
            raise ValueError(
                f"workers at {dask} must have one thread each, got {sorted(threads)}; start "
                "them by: dask worker ADDRESS --nworkers N --nthreads 1"
            )
        yield


def _delayed(trial, data_home):
    experiment = get_experiment(trial.experiment)
    estimator = experiment.estimator(trial)
    return delayed(_attempt)(trial, estimator, experiment.splits, experiment.staged, data_home)


def _attempt(trial, estimator, splits, staged, data_home):
    """A trial's rows or, so that one failure does not stop the others, its traceback.

    What the numbers come from is told by the worker: it may be another machine's.
    """
    try:
        code = code_fingerprint(estimator, DATASETS[trial.dataset], splits)
        with threadpool_limits(1):  # the sums of another number of threads differ in the last bit
            rows = run_trial(trial, estimator, splits, staged=staged, data_home=data_home)
        told = provenance() | {"code": code}
    except Exception:
        return trial, None, traceback.format_exc()
    return trial, [row | told for row in rows], None
