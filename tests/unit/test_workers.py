"""How trials are run: in which batches, with what around them, and what becomes of an interrupt."""

import multiprocessing
import os

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from mimlpaper.baselines.binary_relevance import LabelFrequencies
from mimlpaper.sharing import CURRENT
from mimlstudy.engine import workers
from mimlstudy.engine.execution import compute
from mimlstudy.engine.records import Store
from mimlstudy.engine.trials import Measure, RandomSplits, Trial
from mimlstudy.engine.workers import Job, TrialError, run_trials
from mimlstudy.paper.catalogue import CATALOGUE
from mimlstudy.paper.measures import TESTED
from tests.made_up_study import METHODS, same_numbers, states, tiny

MINE, OTHER = tiny(), tiny({"MimlNn": METHODS["MimlNn"]}, name="other")


def run(store, experiments=MINE, **options):
    return compute(experiments, store=store, **{"jobs": 1} | options)


def test_batches_order_and_company_change_nothing(store, tmp_path, monkeypatch):
    """All trials in one batch backwards or as they come, alone, by two experiments together."""
    alone = run(store)
    for batches in (lambda jobs, n: [jobs[::-1]], lambda jobs, n: [jobs]):
        monkeypatch.setattr(workers, "_batches", batches)
        same_numbers(run(store, recompute=True), alone)
    together = run(Store(tmp_path / "together", CATALOGUE), [OTHER, MINE])
    assert together["experiment"].tolist() == ["other"] * 2 + ["mine"] * 4
    same_numbers(together[2:], alone)
    same_numbers(together[:2], alone[alone["method"] == "MimlNn"].assign(experiment="other"))


def job(dataset, method, split, estimator=None):
    trial = Trial("mine", dataset, method, "{}", split)
    return Job(trial, estimator, RandomSplits(3), TESTED, CATALOGUE, None)


def test_a_batch_is_a_split_unless_that_leaves_workers_idle():
    jobs = [job(data, method, split) for split in range(3) for data in "ab" for method in "xy"]
    assert workers._batches(jobs, n_workers=3) == [jobs[i : i + 2] for i in range(0, 12, 2)]
    assert workers._batches(jobs, n_workers=4) == [[one] for one in jobs]


class Watching(LabelFrequencies):
    """Notes the threads of BLAS and whether results are shared."""

    seen = []  # noqa: RUF012

    def fit(self, X, Y):
        threads = {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}
        self.seen.append((threads, CURRENT.get()))
        return super().fit(X, Y)


def test_a_batch_has_one_thread_and_shares_its_work(store, monkeypatch):
    monkeypatch.setattr(workers, "_batches", lambda jobs, n: [jobs])
    with threadpool_limits(2):
        run(store, tiny({"a": Watching(), "b": Watching()}, n_splits=1))
    (threads, cache), (_, other) = Watching.seen
    assert threads == {1}
    assert cache is other
    assert cache.max_bytes == workers.SHARED


class Unlucky(LabelFrequencies):
    def fit(self, X, Y):
        raise ValueError("no luck")


def pids(estimator, dataset, train, test):
    estimator.fit(dataset.X[train], dataset.Y[train])
    return [{"pid": os.getpid(), "cache": float(CURRENT.get(None) is not None)}]


@pytest.fixture
def forks(monkeypatch):
    """Processes of trials are forks, which import nothing."""
    if not hasattr(os, "fork"):
        pytest.skip("processes are forked")
    fork = multiprocessing.get_context("fork")
    monkeypatch.setattr(workers.multiprocessing, "get_context", lambda kind: fork)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_measure_that_is_alone_has_new_processes_here(store, forks):
    """They find nothing done. One that fails does not stop the others."""
    measure = Measure(pids, ("pid", "cache"), repeatable=False, alone=True)
    mine = tiny({"a": LabelFrequencies(), "b": Unlucky(), "c": LabelFrequencies()}, measure=measure)
    with pytest.raises(TrialError, match=r"(?s)2 of 6 trials failed.*no luck"):
        run(store, mine, dask="tcp://elsewhere")
    recorded = store.load(mine)
    assert len({*recorded["pid"], os.getpid()}) == 5
    assert not recorded["cache"].any()
    assert set(states(mine, store).values()) == {"current"}


class Tidy(LabelFrequencies):
    """Writes a file when its process ends, as others give back a lock of the system."""

    def __init__(self, file):
        self.file = file

    def fit(self, X, Y):
        multiprocessing.util.Finalize(None, self.file.touch, exitpriority=0)
        return super().fit(X, Y)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_process_of_a_trial_is_not_killed_before_it_gives_back_what_it_has(tmp_path, forks):
    file = tmp_path / "ended"
    measure = Measure(pids, ("pid", "cache"), repeatable=False, alone=True)
    mine = tiny({"Tidy": Tidy(file)}, n_splits=1, measure=measure)
    assert len(list(run_trials(mine.trials(), {"mine": mine}, CATALOGUE))) == 1
    assert file.exists()


class Hostile(LabelFrequencies):
    """Changes how every later fit in its process is measured."""

    def fit(self, X, Y):
        from mimlstudy.paper import measures

        measures.evaluate = lambda *given: {"one_error": 0.0}
        return super().fit(X, Y)


def test_foreign_code_leaves_nothing_to_the_trials_of_a_later_call(store):
    """Workers do not outlive a call."""
    honest = run(store)
    run(store, tiny({"Hostile": Hostile()}, name="hostile"), jobs=2)
    same_numbers(run(store, jobs=2, recompute=True), honest)


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
    with pytest.raises(KeyboardInterrupt):
        list(run_trials(mine.trials(), {"mine": mine}, CATALOGUE, jobs=1))
