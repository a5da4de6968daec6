"""Run trials: side by side in processes here or on a cluster, or each in its own process."""

import os
import signal
import threading
import traceback
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from typing import NamedTuple

from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from joblib.externals.loky import get_reusable_executor
from joblib.externals.loky.process_executor import TerminatedWorkerError
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from mimlpaper.sharing import Cache, sharing
from mimlstudy.engine.arithmetic import PINNED, pin
from mimlstudy.engine.catalogue import Catalogue
from mimlstudy.engine.fingerprint import fingerprint
from mimlstudy.engine.forks import (
    fork_context,
    import_all,
    imported_modules,
    wait_for_end,
)
from mimlstudy.engine.provenance import provenance
from mimlstudy.engine.records import columns_of
from mimlstudy.engine.rows import sealed
from mimlstudy.engine.trials import Experiment, Measure, Splits, Trial, run_trial

SECONDS_TO_END = 10
SHARED = 2**28  # bytes of results that the trials of a batch have in common
LARGEST_BATCH = 6  # trials
DIED = "its worker process died"
START_WORKERS = "dask worker ADDRESS --nworkers N --nthreads 1"
PRELOAD = "--preload-nanny mimlstudy.engine.arithmetic"


class TrialError(RuntimeError):
    """Some trials failed; the message holds the first traceback. The others were yielded."""


class Job(NamedTuple):
    """What a worker needs to run a trial: a few kilobytes."""

    trial: Trial
    estimator: object
    splits: Splits
    measure: Measure
    catalogue: Catalogue
    data_home: object


class Ended(NamedTuple):
    """A trial that ended, with its sealed rows, or with what went wrong."""

    trial: Trial
    rows: list[dict]
    failure: str = ""


def run_trials(
    trials: list[Trial],
    experiments: Mapping[str, Experiment],
    catalogue: Catalogue,
    *,
    jobs: int = -1,
    data_home=None,
    dask: str | None = None,
) -> Iterator[tuple[Trial, list[dict]]]:
    """Run trials, one BLAS thread each, and yield (trial, sealed rows) as they end.

    A worker gets a batch: trials of one split of a data set, which share kernels, distances and the
    like; or one trial, if there would be too few batches. Results do not depend on the batches.
    No worker outlives the call, so that what foreign code leaves behind reaches no later call.
    Trials whose measure needs them ``alone`` run one at a time, each in a new process of this
    machine. A TrialError at the end says that some failed, or their worker died.

    Parameters
    ----------
    trials : list of Trial.
    experiments : mapping from name to Experiment, of all trials.
    catalogue : Catalogue, the data sets of the trials.
    jobs : int, worker processes, -1 for one a core.
    data_home : folder of the data files; None for the library's.
    dask : str or None, address of a Dask scheduler. Its workers need this version of the package,
        the data, one thread each, and the arithmetic of this process.
    """
    together: list[Job] = []
    alone: list[Job] = []
    for trial in trials:
        experiment = experiments[trial.experiment]
        estimator = experiment.estimator(trial.dataset, trial.method, trial.override)
        splits = experiment.part_of(trial.dataset, trial.method).splits
        job = Job(trial, estimator, splits, experiment.measure, catalogue, data_home)
        (alone if experiment.measure.alone else together).append(job)
    failures = []
    names = ", ".join(dict.fromkeys(trial.experiment for trial in trials))
    with tqdm(total=len(trials), desc=f"{names:.40}", unit="trial", leave=False) as progress:
        side_by_side = _on_cluster(together, dask) if dask else _here(together, jobs, progress)
        for ended in chain(side_by_side, map(_in_own_process, alone)):
            progress.update()
            if ended.failure:
                failures.append(ended)
            else:
                yield ended.trial, ended.rows
    if failures:
        raise TrialError(
            f"{len(failures)} of {len(trials)} trials failed, the others are done; "
            f"the first: {failures[0].trial}\n{failures[0].failure}"
        )


def _here(jobs, n_processes, progress) -> Iterator[Ended]:
    """Run jobs in processes of this machine; in this process if ``n_processes`` is 1.

    If a worker process dies, the batches that may have begun run again, one trial at a time, after
    all others; that shows which trial killed it. A round is a list of batches that run side by
    side.
    """
    if not jobs:
        return
    with _local_workers(n_processes):
        n_workers = effective_n_jobs(n_processes)
        rounds = deque([_batches(jobs, n_workers)])
        while rounds:
            waiting = {batch[0].trial: batch for batch in rounds.popleft()}
            runs = Parallel(batch_size=1, return_as="generator_unordered")
            try:
                for ended in runs(delayed(_run_batch)(batch) for batch in [*waiting.values()]):
                    del waiting[ended[0].trial]
                    yield from ended
            except TerminatedWorkerError as death:
                left = [*waiting.values()]
                is_single = len(left) == 1 and len(left[0]) == 1
                if is_single:
                    yield Ended(left[0][0].trial, [], f"{DIED}: {death}")
                else:
                    progress.write(f"a worker process died; {sum(map(len, left))} trials run again")
                    rounds.extend(_rounds_after_death(left, n_workers))


def _rounds_after_death(batches, n_workers):
    """What is left to run: the batches that no worker had begun, then each suspected job alone."""
    # Joblib hands out two batches a worker: only the first 2 * n_workers can have begun.
    n_suspects = 2 * n_workers
    not_begun = batches[n_suspects:]
    alone = [[[job]] for batch in batches[:n_suspects] for job in batch]
    return [not_begun, *alone] if not_begun else alone


@contextmanager
def _local_workers(n_processes):
    start = dict(initializer=_depend_on, initargs=(os.getpid(), imported_modules()))
    try:
        with parallel_config("loky", n_jobs=n_processes, **start):
            yield
    finally:
        if effective_n_jobs(n_processes) > 1:
            get_reusable_executor().shutdown(kill_workers=True)


def _batches(jobs, n_workers) -> list[list[Job]]:
    """The jobs by data set and split; one by one if so few batches would leave workers idle.

    A batch is recorded when it has ended, and an interrupt loses what has run of it: it has at most
    :data:`LARGEST_BATCH` jobs.
    """
    by_split: dict[tuple, list[Job]] = {}
    for job in jobs:
        by_split.setdefault((job.trial.dataset, job.trial.split), []).append(job)
    batches = []
    for of_split in by_split.values():
        starts = range(0, len(of_split), LARGEST_BATCH)
        batches += [of_split[start : start + LARGEST_BATCH] for start in starts]
    return batches if len(batches) >= 2 * n_workers else [[job] for job in jobs]


def _on_cluster(jobs, address) -> Iterator[Ended]:
    """Run jobs on the workers of a Dask scheduler, which runs those of a lost worker elsewhere."""
    if not jobs:
        return
    from distributed import Client, KilledWorker, as_completed

    with Client(address) as client:
        client.wait_for_workers(1)
        _check_cluster(client, address)
        client.run(import_all, imported_modules())
        all_workers = client.scheduler_info(-1)["workers"]  # -1: all workers, not the first few
        batches = _batches(jobs, len(all_workers))
        futures = client.map(_run_batch, batches, pure=False)
        batch_of = dict(zip([future.key for future in futures], batches, strict=True))
        running = as_completed(futures)
        for future in running:
            batch = batch_of.pop(future.key)
            error = future.exception()
            if error is None:
                yield from future.result()
            elif isinstance(error, KilledWorker) and len(batch) > 1:
                # One of them killed its workers: which one shows when they run by themselves.
                for job in batch:
                    single = client.submit(_run_batch, [job], pure=False)
                    batch_of[single.key] = [job]
                    running.add(single)
            else:
                died = isinstance(error, KilledWorker)
                failure = f"{DIED}: {error}" if died else f"it could not be run: {error!r}"
                for job in batch:
                    yield Ended(job.trial, [], failure)
            future.release()


def _check_cluster(client, address):
    threads = {info["nthreads"] for info in client.scheduler_info(-1)["workers"].values()}
    if threads != {1}:
        raise ValueError(
            f"workers at {address} must have one thread each, got {sorted(threads)}; start them "
            f"by: {START_WORKERS}"
        )
    if pin() == PINNED and set(client.run(pin).values()) != {PINNED}:
        raise ValueError(
            f"workers at {address} must have the arithmetic {PINNED}, and some have their own; "
            f"start them by: {START_WORKERS} {PRELOAD}"
        )


def _in_own_process(job: Job) -> Ended:
    """Run a job in a new process, so that nothing of an earlier fit is kept."""
    context = fork_context(job.measure.rows.__module__)
    receiver, sender = context.Pipe(duplex=False)
    arguments = sender, job, os.getpid(), imported_modules()
    process = context.Process(target=_send, args=arguments)
    process.start()
    sender.close()  # the process has its own; without this, its death would not be seen
    try:
        ended = receiver.recv()
        # Until it ends by itself it gives back what it took of the system, such as tqdm's lock.
        process.join(SECONDS_TO_END)
        return ended
    except EOFError:
        process.join()
        return Ended(job.trial, [], f"{DIED} with exit code {process.exitcode}")
    finally:
        process.kill()
        process.join()


def _send(sender, job, parent, modules):
    _depend_on(parent, modules)
    sender.send(_attempt(job))


def _depend_on(parent, modules):
    """Import the ``modules`` that the process ``parent`` has, so that later edits do not run here.

    Ctrl-C is left to the parent, and this process ends when the parent has ended.
    """
    # The parent ends this process. Ctrl-C would make one that still imports print an error.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    import_all(modules)


def _end_with(parent):
    wait_for_end(parent)
    os._exit(1)


def _run_batch(jobs: list[Job]) -> list[Ended]:
    with sharing(Cache(SHARED)):
        return [_attempt(job) for job in jobs]


def _attempt(job: Job) -> Ended:
    """Run a trial, and seal its rows here, where they are measured."""
    trial, estimator, splits, measure, catalogue, data_home = job
    try:
        made_by = fingerprint(estimator, catalogue.loader(trial.dataset), splits, measure)
        with threadpool_limits(1):  # sums of another number of threads differ in the last bit
            rows = run_trial(trial, estimator, splits, measure, catalogue, data_home=data_home)
    except Exception as error:  # of any estimator, also a stranger's
        if _is_interrupt(error):
            raise KeyboardInterrupt from error
        return Ended(trial, [], traceback.format_exc())
    origin = trial._asdict() | made_by._asdict() | provenance()
    columns = columns_of(measure)
    return Ended(trial, [sealed(origin | row, columns) for row in rows])


def _is_interrupt(error):
    """Whether Ctrl-C is behind an error: compiled code makes it a SystemError."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False
