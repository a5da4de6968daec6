"""Which trials run, in which batches, what becomes of those that fail, and estimated hours."""

import multiprocessing
import os

import pytest
from joblib import parallel_config
from threadpoolctl import threadpool_info, threadpool_limits

from mimlpaper.baselines.binary_relevance import Guess
from mimlpaper.datasets import DataError
from mimlpaper.sharing import CURRENT
from mimlstudy.engine import execution as module
from mimlstudy.engine.execution import TrialError, compute, estimate
from mimlstudy.engine.records import Store, keys_of
from mimlstudy.engine.trials import Trial
from mimlstudy.paper.catalogue import CATALOGUE, PaperCatalogue
from mimlstudy.paper.measures import Measure
from tests.made_up_study import METHODS, change_records, raising, same_numbers, states, tiny

MINE, OTHER = tiny(), tiny({"MimlNn": METHODS["MimlNn"]}, name="other")
ELSEWHERE = "tcp://elsewhere"


def run(store, experiments=MINE, **options):
    return compute(experiments, store=store, **{"jobs": 1} | options)


def test_records_are_complete_and_run_once(store):
    """Seconds say what ran again."""
    table = run(store)
    assert len(table) == 4 and set(table["state"]) == {"current"}
    first = table.iloc[0]
    assert first["versions"].startswith("python 3.") and "cores" in first["machine"]
    assert (first["n_train"], first["n_test"], first["n_stages"]) == (18, 6, 1)
    assert run(store).equals(table)
    run(store, methods=["Ml-knn"], recompute=True)
    ran = table[run(store)["seconds"] != table["seconds"]]
    assert len(ran) == 2 and set(ran["method"]) == {"Ml-knn"}
    assert store.path("mine").read_bytes().count(b"\n") == 1 + 4  # no superseded record is left
    same_numbers(store.load(MINE), table)


def test_batches_order_and_company_change_nothing(store, tmp_path, monkeypatch):
    """All trials in one batch backwards or as they come, alone, by two experiments together."""
    alone = run(store)
    for batches in (lambda jobs, n: [jobs[::-1]], lambda jobs, n: [jobs]):
        monkeypatch.setattr(module, "_batches", batches)
        same_numbers(run(store, recompute=True), alone)
    together = run(Store(tmp_path / "together", CATALOGUE), [OTHER, MINE])
    assert together["experiment"].tolist() == ["other"] * 2 + ["mine"] * 4
    same_numbers(together[2:], alone)
    same_numbers(together[:2], alone[alone["method"] == "MimlNn"].assign(experiment="other"))


def test_a_batch_is_a_split_unless_that_leaves_workers_idle():
    jobs = [(Trial("mine", data, m, "{}", s),) for s in range(3) for data in "ab" for m in "xy"]
    assert module._batches(jobs, n_workers=3) == [jobs[i : i + 2] for i in range(0, 12, 2)]
    assert module._batches(jobs, n_workers=4) == [[job] for job in jobs]


class Watching(Guess):
    """Notes the threads of BLAS and whether results are shared."""

    seen = []  # noqa: RUF012

    def fit(self, X, Y):
        threads = {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}
        self.seen.append((threads, CURRENT.get()))
        return super().fit(X, Y)


def test_a_batch_has_one_thread_and_shares_its_work(store, monkeypatch):
    monkeypatch.setattr(module, "_batches", lambda jobs, n: [jobs])
    with threadpool_limits(2):
        run(store, tiny({"a": Watching(), "b": Watching()}, n_splits=1))
    (threads, cache), (_, other) = Watching.seen
    assert threads == {1} and cache is other and cache.max_bytes == module.SHARED


class Unlucky(Guess):
    def fit(self, X, Y):
        raise ValueError("no luck")


def test_without_data_only_records_are_shown(store, monkeypatch, capsys):
    run(store)
    monkeypatch.setattr(PaperCatalogue, "fetch", raising(DataError("gone")))
    store.mark(MINE, set(keys_of(store.load(MINE))))
    assert set(run(store)["state"]) == {"differs"}
    assert "4 trials are not run again: gone" in capsys.readouterr().out
    for experiment in (tiny(n_splits=3), OTHER):
        with pytest.raises(DataError, match="gone"):
            run(store, experiment)


def pids(estimator, dataset, train, test):
    estimator.fit(dataset.X[train], dataset.Y[train])
    return [{"pid": os.getpid(), "cache": float(CURRENT.get(None) is not None)}]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_measure_that_is_alone_has_new_processes_here(store, monkeypatch):
    """They find nothing done. One that fails does not stop the others.

    A server would take seconds to import all.
    """
    monkeypatch.setattr(module, "get_context", lambda kind: multiprocessing.get_context("fork"))
    monkeypatch.setattr(module, "_workers", lambda jobs, dask: parallel_config("loky", n_jobs=1))
    measure = Measure(pids, ("pid", "cache"), repeatable=False, alone=True)
    mine = tiny({"a": Guess(), "b": Unlucky(), "c": Guess()}, measure=measure)
    with pytest.raises(TrialError, match=r"(?s)2 of 6 trials failed.*no luck"):
        run(store, mine, dask=ELSEWHERE)
    recorded = store.load(mine)
    assert len({*recorded["pid"], os.getpid()}) == 5 and not recorded["cache"].any()
    assert set(states(mine, store).values()) == {"current"}


class Absent(Guess):
    needs = "a_package_that_is_not_here"


@pytest.mark.filterwarnings("error")  # also where nothing is recorded
def test_hours_by_hand(store, capsys):
    """2 · 30 + 2 · 90 s: 120 s on each of two workers, but 90 s at the least on any number.

    An override that did not run yet takes as long as others of its method. Nothing is known of a
    method that never ran, and one that needs a package that is not here does not wait.
    """
    run(store)
    seconds = {"MimlNn": 30.0, "Ml-knn": 90.0}
    change_records(store, MINE, lambda rows: rows.assign(seconds=rows["method"].map(seconds)))
    for jobs, longest in ((1, 240), (2, 120), (64, 90)):
        row = estimate([MINE], jobs=jobs, recompute=True, store=store).iloc[0]
        assert row[["core_hours", "hours"]].tolist() == pytest.approx([240 / 3600, longest / 3600])
    assert estimate([MINE], store=store).iloc[0, 1:].tolist() == [4, 0, 0, 0, 0]
    changes = {"Ml-knn": [{}, dict(n_neighbors=1)], "Guess": [{}], "Absent": [{}]}
    more = tiny(METHODS | {"Guess": Guess(), "Absent": Absent()}, changes)
    table = estimate([more, OTHER], store=store)
    assert table["experiment"].tolist() == ["mine", "other", "all"]
    found = table[["trials", "to_run", "unknown"]].to_numpy().tolist()
    assert found == [[8, 4, 2], [2, 2, 2], [10, 6, 4]]
    assert table["core_hours"].to_numpy() * 3600 == pytest.approx([180, 0, 180])
    run(store, recompute=True)
    assert "mine: 4 trials to run, about 4 min with 1 process(es)" in capsys.readouterr().err
    with pytest.raises(ValueError, match="n_jobs == 0"):
        estimate([MINE], jobs=0, store=store)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "1 s"), (60, "60 s"), (61, "2 min"), (3600, "1 h 00 min"), (3661, "1 h 02 min")],
)
def test_an_estimate_below_a_minute_is_in_seconds(seconds, words):
    assert module._in_words(seconds) == words
