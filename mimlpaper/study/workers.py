"""Worker processes that run trials, on this machine or on a Dask cluster."""

import faulthandler
import signal
import sys
import traceback
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing import parent_process

from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from joblib.externals.loky.process_executor import TerminatedWorkerError
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from mimlpaper.datasets import DATASETS
from mimlpaper.sharing import Cache, sharing
from mimlpaper.study.experiment import Experiment
from mimlpaper.study.fingerprint import code_fingerprint, provenance
from mimlpaper.study.registry import EXPERIMENTS
from mimlpaper.study.trials import Trial, run_trial

IDLE = 20  # seconds
GRACE = 3  # seconds, for compiled code to return after the alarm
SHARED = 2**28  # bytes of shared results that a worker keeps for the trials of a batch


class TrialError(RuntimeError):
    """Some trials failed; the message holds the first traceback. The others are recorded."""


def run_trials(
    trials: list[Trial], *, experiments: Mapping[str, Experiment] = EXPERIMENTS, jobs: int = -1,
    data_home=None, dask=None,
) -> Iterator[tuple[Trial, list[dict]]]:  # fmt: skip
    """Run trials, one BLAS thread each, and yield (trial, rows) as they end.

    A worker gets a batch: all trials of one split, which share kernels, distances and the like.
    Results do not depend on the batches. If a worker process dies, the trials that were running
    run again one by one, after all others; that shows which one killed it.

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
    failures = []
    names = ", ".join(dict.fromkeys(trial.experiment for trial in trials))
    progress = tqdm(total=len(trials), desc=f"{names:.40}", unit="trial", leave=False)
    with progress, _workers(jobs, dask):
        n_workers = effective_n_jobs(-1 if dask else jobs)
        rounds = deque([_batches(trials, n_workers)])
        while rounds:
            waiting = dict.fromkeys(rounds.popleft())
            runs = Parallel(batch_size=1, return_as="generator_unordered")
            try:
                for batch, results in runs(
                    _delayed(batch, experiments, data_home) for batch in list(waiting)
                ):
                    del waiting[batch]
                    progress.update(len(batch))
                    for trial, rows, trace in results:
                        if trace:
                            failures.append((trial, trace))
                        else:
                            yield trial, rows
            except TerminatedWorkerError as death:
                left = list(waiting)
                if len(left) == len(left[0]) == 1:
                    failures.append((left[0][0], f"its worker process died: {death}"))
                    continue
                # Under way were some of the first: joblib hands out two to each worker.
                suspects, others = left[: 2 * n_workers], left[2 * n_workers :]
                n_trials = sum(map(len, left))
                progress.write(f"a worker process died; {n_trials} trials are run again")
                rounds.extend([others] if others else [])
                rounds.extend([(trial,)] for batch in suspects for trial in batch)
    if failures:
        trial, error = failures[0]
        raise TrialError(
            f"{len(failures)} of {len(trials)} trials failed, the others are done; "
            f"the first: {trial}\n{error}"
        )


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


def _delayed(batch, experiments, data_home):
    pairs = [(trial, experiments[trial.experiment]) for trial in batch]
    jobs = [(trial, e.estimator(trial), e.splits, e.staged, e.timeout) for trial, e in pairs]
    return delayed(_run_batch)(batch, jobs, data_home)


def _run_batch(batch, jobs, data_home):
    # The sums of another number of threads differ in the last bit.
    with threadpool_limits(1), sharing(Cache(SHARED)):
        return batch, [_attempt(*job, data_home) for job in jobs]


def _attempt(trial, estimator, splits, staged, timeout, data_home):
    """A trial's rows or, so that one failure does not stop the others, its traceback.

    The worker adds where the numbers come from: it may be another machine.
    """
    try:
        origin = {"code": code_fingerprint(estimator, DATASETS[trial.dataset], splits)}
        with _within(timeout):
            rows = run_trial(trial, estimator, splits, staged=staged, data_home=data_home)
        origin |= provenance()
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
