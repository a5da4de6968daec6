"""How trials are run: in which batches, with what around them, and what becomes of an interrupt."""

import multiprocessing
import os
import subprocess
import sys

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from mimlpaper.baselines.binary_relevance import LabelFrequencies
from mimlpaper.sharing import CURRENT
from mimlstudy.engine import workers
from mimlstudy.engine.execution import compute
from mimlstudy.engine.forks import imported_modules
from mimlstudy.engine.records import Store
from mimlstudy.engine.trials import Measure, RandomSplits, Trial
from mimlstudy.engine.workers import Job, TrialError, run_trials
from mimlstudy.paper.catalogue import CATALOGUE
from mimlstudy.paper.measures import TESTED
from tests.made_up_study import METHODS, check_same_numbers, states, tiny
from tests.systems import on_posix, with_known_blas

MINE = tiny()
SMALLER = tiny({"MimlNn": METHODS["MimlNn"]}, name="smaller")


def run(store, experiments=MINE, **options):
    return compute(experiments, store=store, **{"jobs": 1} | options)


def single_batch(jobs, n_workers):
    return [jobs]


def single_batch_backwards(jobs, n_workers):
    return [jobs[::-1]]


@pytest.mark.parametrize("batches", [single_batch, single_batch_backwards])
def test_batches_and_their_order_change_nothing(store, monkeypatch, batches):
    in_usual_batches = run(store)
    monkeypatch.setattr(workers, "_batches", batches)
    check_same_numbers(run(store, recompute=True), in_usual_batches)


def test_two_experiments_together_give_what_each_gives_alone(store, tmp_path):
    alone = run(store)
    of_two = Store(tmp_path / "two", CATALOGUE)
    together = run(of_two, [SMALLER, MINE])
    assert together["experiment"].tolist() == ["smaller"] * 2 + ["mine"] * 4
    check_same_numbers(together[2:], alone)
    of_mimlnn = alone[alone["method"] == "MimlNn"]
    check_same_numbers(together[:2], of_mimlnn.assign(experiment="smaller"))


def job(dataset, method, split):
    trial = Trial("mine", dataset, method, "{}", split)
    return Job(trial, None, RandomSplits(3), TESTED, CATALOGUE, None)


def test_a_batch_is_a_split_unless_that_leaves_workers_idle():
    jobs = []
    for split in range(3):
        for dataset in ("a", "b"):
            jobs += [job(dataset, "x", split), job(dataset, "y", split)]
    pairs = [jobs[start : start + 2] for start in range(0, 12, 2)]
    assert workers._batches(jobs, n_workers=3) == pairs
    alone = [[single] for single in jobs]
    assert workers._batches(jobs, n_workers=4) == alone


def test_an_interrupt_loses_a_few_trials_of_a_split():
    jobs = [job("a", f"{number}", 0) for number in range(14)]
    sizes = [len(batch) for batch in workers._batches(jobs, n_workers=1)]
    assert sizes == [6, 6, 2]


class Watching(LabelFrequencies):
    """Notes the threads of BLAS and the cache of shared results."""

    threads = []  # noqa: RUF012
    caches = []  # noqa: RUF012

    def fit(self, X, Y):
        for pool in threadpool_info():
            if pool["user_api"] == "blas":
                self.threads.append(pool["num_threads"])
        self.caches.append(CURRENT.get())
        return super().fit(X, Y)


@with_known_blas
def test_a_batch_has_one_thread_and_shares_its_work(store, monkeypatch):
    monkeypatch.setattr(workers, "_batches", single_batch)
    watched = tiny({"a": Watching(), "b": Watching()}, n_splits=1)
    with threadpool_limits(2):
        run(store, watched)
    assert set(Watching.threads) == {1}
    cache_of_a, cache_of_b = Watching.caches
    assert cache_of_a is cache_of_b
    assert cache_of_a.max_bytes == workers.SHARED


class Unlucky(LabelFrequencies):
    def fit(self, X, Y):
        raise ValueError("no luck")


def process_of_trial(estimator, dataset, train, test):
    estimator.fit(dataset.X[train], dataset.Y[train])
    has_cache = CURRENT.get(None) is not None
    return [{"pid": os.getpid(), "cache": float(has_cache)}]


# What is measured needs a process of its own.
ALONE = Measure(
    process_of_trial,
    ("pid", "cache"),
    repeatable=False,
    alone=True,
)


@pytest.fixture
def forks(monkeypatch):
    """Processes of trials are forks, which import nothing."""
    if not hasattr(os, "fork"):
        pytest.skip("processes are forked")
    fork = multiprocessing.get_context("fork")
    monkeypatch.setattr(workers, "fork_context", lambda *modules: fork)


@pytest.mark.usefixtures("forks")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_measure_that_is_alone_has_new_processes_here(store):
    """They find nothing done. One that fails does not stop the others."""
    methods = {
        "a": LabelFrequencies(),
        "b": Unlucky(),
        "c": LabelFrequencies(),
    }
    mine = tiny(methods, measure=ALONE)
    with pytest.raises(TrialError, match=r"(?s)2 of 6 trials failed.*no luck"):
        run(store, mine, dask="tcp://elsewhere")
    recorded = store.load(mine)
    processes = {*recorded["pid"], os.getpid()}
    assert len(processes) == 5
    assert not recorded["cache"].any()
    assert set(states(mine, store).values()) == {"current"}


class Tidy(LabelFrequencies):
    """Writes a file when its process ends, as others give back a lock of the system."""

    def __init__(self, file):
        self.file = file

    def fit(self, X, Y):
        multiprocessing.util.Finalize(None, self.file.touch, exitpriority=0)
        return super().fit(X, Y)


@pytest.mark.usefixtures("forks")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_process_of_a_trial_is_not_killed_before_it_gives_back_what_it_has(tmp_path):
    file = tmp_path / "ended"
    mine = tiny({"Tidy": Tidy(file)}, n_splits=1, measure=ALONE)
    finished = run_trials(mine.trials(), {"mine": mine}, CATALOGUE)
    assert len(list(finished)) == 1
    assert file.exists()


class Interrupted(LabelFrequencies):
    """Ctrl-C, as a learner meets it: plain, or as compiled code makes an error of it."""

    def __init__(self, kind="plain"):
        self.kind = kind

    def fit(self, X, Y):
        if self.kind == "plain":
            raise KeyboardInterrupt
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as interrupt:
            raise SystemError("returned a result with an exception set") from interrupt


@pytest.mark.parametrize("kind", ["plain", "compiled"])
def test_an_interrupt_is_no_failed_trial(kind):
    mine = tiny({"Interrupted": Interrupted(kind)})
    trials = run_trials(
        mine.trials(),
        {"mine": mine},
        CATALOGUE,
        jobs=1,
    )
    with pytest.raises(KeyboardInterrupt):
        list(trials)


def test_modules_may_be_imported_while_they_are_listed(monkeypatch):
    """Notebooks that start at once import in threads of one process."""

    class Imports:
        def __contains__(self, name):
            monkeypatch.setitem(sys.modules, f"imported_with_{name}", sys)
            return name == "mimlpaper"

    monkeypatch.setattr("mimlstudy.engine.forks.sources", Imports)
    assert imported_modules() == ["mimlpaper"]


LEAVES_A_SEMAPHORE = """
import os
from mimlstudy.engine.forks import fork_context
semaphore = fork_context().Semaphore()
os._exit(0)
"""


@on_posix
def test_nobody_is_told_of_what_an_ended_process_leaves():
    """Python's tracker removes it, after the command has ended."""
    command = [sys.executable, "-c", LEAVES_A_SEMAPHORE]
    assert subprocess.run(command, capture_output=True, check=True).stderr == b""
