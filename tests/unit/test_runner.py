"""Which trials run, in which batches, what becomes of those that fail, and estimated hours."""

import os
import signal
import warnings

import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator
from threadpoolctl import threadpool_info

from mimlpaper.baselines.guess import Guess
from mimlpaper.datasets import DataError
from mimlpaper.sharing import CURRENT
from mimlpaper.study import runner as module
from mimlpaper.study import verify as verify_module
from mimlpaper.study.measures import STAGED, Measure
from mimlpaper.study.records import SUSPECT, UNCHECKED, Store, StoreError, keys_of, records
from mimlpaper.study.registry import get_experiment
from mimlpaper.study.runner import TrialError, compute, estimate
from mimlpaper.study.trials import Trial
from tests.made_up_study import METHODS, TINY, raising, same_numbers, tiny

MINE = tiny()
ELSEWHERE = "tcp://elsewhere"


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results")


def run(store, experiments=MINE, **options):
    return compute(experiments, store=store, **{"jobs": 1} | options)


@pytest.fixture
def ran(monkeypatch):
    """The trials that were asked for, call by call."""
    honest, asked = module.run_trials, []

    def run_trials(trials, experiments, **options):
        asked.append(list(trials))
        return honest(trials, experiments, **options)

    monkeypatch.setattr(module, "run_trials", run_trials)
    return asked


def test_records_are_complete_and_run_once(store, ran):
    table = run(store)
    assert len(table) == 4 and set(table["state"]) == {"fresh"}
    first = table.iloc[0]
    assert first["versions"].startswith("python 3.") and "cores" in first["machine"]
    assert (first["n_train"], first["n_test"], first["n_stages"]) == (18, 6, 1)
    assert 0 <= first["hamming_loss"] <= 1
    assert run(store).equals(table) and len(ran) == 1
    run(store, methods=["Ml-knn"], recompute=True)
    assert ran[1:] == [MINE.trials(methods=["Ml-knn"])]
    assert store.path("mine").read_bytes().count(b"\n") == 1 + 4  # no superseded record is left
    same_numbers(store.load(MINE), table)


def test_batches_order_and_company_change_nothing(store, tmp_path, monkeypatch):
    """All trials in one batch backwards or as they come, alone, by two experiments together."""
    one, other = tiny(datasets=("synthetic_scene",)), tiny(
        {"MimlNn": METHODS["MimlNn"]}, datasets=("synthetic_scene",), name="other"
    )  # fmt: skip
    alone = run(store, one)
    for batches in (lambda trials, n: [tuple(reversed(trials))], lambda trials, n: [tuple(trials)]):
        monkeypatch.setattr(module, "_batches", batches)
        same_numbers(run(store, one, recompute=True), alone)
    together = run(Store(tmp_path / "together"), [other, one])
    assert together["experiment"].tolist() == ["other"] * 2 + ["mine"] * 4
    same_numbers(together[together["experiment"] == "mine"], alone)
    ours = alone[alone["method"] == "MimlNn"].assign(experiment="other")
    same_numbers(together[together["experiment"] == "other"], ours)


def test_a_batch_is_a_split_unless_that_leaves_workers_idle():
    trials = [Trial("mine", data, m, "{}", s) for s in range(3) for data in "ab" for m in "xy"]
    whole = module._batches(trials, n_workers=3)
    assert [{(t.dataset, t.split) for t in batch} for batch in whole] == [
        {(data, split)} for split in range(3) for data in "ab"
    ]
    assert module._batches(trials, n_workers=4) == [(trial,) for trial in trials]


class Watching(Guess):
    """Notes the threads of BLAS and whether results are shared."""

    seen = []  # noqa: RUF012

    def fit(self, X, Y):
        threads = {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}
        self.seen.append((threads, CURRENT.get()))
        return super().fit(X, Y)


def test_a_batch_has_one_thread_and_shares_its_work(store, monkeypatch):
    monkeypatch.setattr(module, "_batches", lambda trials, n: [tuple(trials)])
    run(store, tiny({"a": Watching(), "b": Watching()}, n_splits=1))
    (threads, cache), (_, other) = Watching.seen
    assert threads == {1} and cache is other and cache.max_bytes == module.SHARED


def test_a_failing_trial_is_named_and_the_others_are_recorded(store, monkeypatch):
    honest = module.run_trial

    def run_trial(trial, *args, **kwargs):
        if (trial.method, trial.split) == ("MimlNn", 1):
            raise FloatingPointError("no such number")
        return honest(trial, *args, **kwargs)

    with monkeypatch.context() as patched:
        patched.setattr(module, "run_trial", run_trial)
        with pytest.raises(TrialError, match=r"(?s)1 of 4 trials failed.*no such number"):
            run(store)
    assert len(store.load(MINE)) == 3
    assert len(run(store)) == 4


class Interrupted(Store):
    """Records one trial, then the user presses Ctrl-C."""

    def append(self, experiment, rows):
        super().append(experiment, rows)
        raise KeyboardInterrupt


def test_an_interrupted_run_goes_on_to_the_same_records(store, tmp_path):
    parts = Interrupted(tmp_path / "parts")
    for n_done in range(1, 5):
        with pytest.raises(KeyboardInterrupt):
            run(parts)
        assert len(parts.load(MINE)) == n_done
    same_numbers(run(parts), run(store))


def test_without_data_only_records_are_shown(store, tmp_path, monkeypatch, capsys):
    run(store)
    monkeypatch.setattr(module, "load", raising(DataError("gone")))
    store.mark(MINE, set(keys_of(store.load(MINE))), SUSPECT)
    assert set(run(store)["state"]) == {"suspect"}
    assert "4 trials are not run again: gone" in capsys.readouterr().out
    with pytest.raises(DataError, match="gone"):
        run(store, tiny(n_splits=3))
    with pytest.raises(DataError, match="gone"):
        run(Store(tmp_path / "empty"))


class Absent(Guess):
    needs = "a_package_that_is_not_here"


def test_what_needs_a_package_that_is_not_here_does_not_wait(store):
    mine = tiny({"Here": Guess(), "Not here": Absent()})
    assert set(run(store, mine)["method"]) == {"Here"}
    row = estimate([mine], store=store).iloc[0]
    assert row[["trials", "to_run"]].tolist() == [4, 0]


def test_wrong_names_are_refused(store):
    for experiment, options, message in (
        ("table9", {}, "experiment must be one of .*got 'table9'"),
        (MINE, {"profile": "fast"}, "profile must be one of .*got 'fast'"),
        (MINE, {"methods": ["Svm"]}, r"methods must be among .*got \['Svm'\]"),
    ):
        with pytest.raises(ValueError, match=message):
            run(store, experiment, **options)


def test_a_damaged_file_of_the_second_experiment_stops_the_first(store, ran):
    other = tiny(name="other")
    run(store, other)
    store.path("other").write_text(store.path("other").read_text().replace("{}", '"{}', 1))
    with pytest.raises(StoreError, match=r"other\.csv"):
        run(store, [MINE, other])
    assert ran[1:] == [] and not store.path("mine").read_bytes()


class Endless(BaseEstimator):
    def fit(self, X, Y):
        while True:
            pass


def test_a_trial_that_takes_too_long_fails_and_the_alarm_is_off_afterwards(store):
    mine = tiny({"Endless": Endless(), **METHODS}, n_splits=1, timeout=0.2)
    with pytest.raises(TrialError, match=r"(?s)1 of 3 trials failed.*more than 0.2 s"):
        run(store, mine)
    assert set(store.load(mine)["method"]) == set(METHODS)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


class Pid(Guess):
    def fit(self, X, Y):
        self.pid_ = os.getpid()
        return super().fit(X, Y)


class Unlucky(Guess):
    def fit(self, X, Y):
        raise ValueError("no luck")


def pids(estimator, dataset, train, test):
    return [{"pid": estimator.fit(dataset.X[train], dataset.Y[train]).pid_}]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_a_measure_that_is_alone_has_new_processes(store):
    """One that fails does not stop the others."""
    mine = tiny(
        {"a": Pid(), "b": Unlucky(), "c": Pid()}, measure=Measure(pids, ("pid",), alone=True)
    )
    with pytest.raises(TrialError, match=r"(?s)2 of 6 trials failed.*no luck"):
        run(store, mine)
    found = store.load(mine)["pid"]
    assert len({*found, os.getpid()}) == 5


def cluster(monkeypatch, off):
    """Workers elsewhere whose one-error is wrong by ``off(trial)``; this machine is right."""
    honest, asked = module.run_trials, []

    def run_trials(trials, experiments, *, dask=None, **options):
        if not dask:
            asked.append(list(trials))
        for trial, rows in honest(trials, experiments, **options):
            wrong = off(trial) if dask else 0.0
            yield trial, [row | {"one_error": row["one_error"] + wrong} for row in rows]

    monkeypatch.setattr(module, "run_trials", run_trials)
    return asked


def states(store, experiment=MINE):
    return records(experiment, store=store).groupby("method")["state"].unique().str.join("|")


def test_a_cluster_run_ends_with_a_spot_check_of_each_method(store, monkeypatch, capsys):
    asked = cluster(monkeypatch, lambda trial: 0.0)
    table = run(store, tiny(n_splits=3), dask=ELSEWHERE)
    printed = capsys.readouterr().out
    for method in METHODS:
        assert f"spot check of {method}: 2 of 3 trials run again here, 2 the same" in printed
    assert set(table["state"]) == {"fresh"}
    assert [{trial.method for trial in drawn} for drawn in asked] == [{"MimlNn"}, {"Ml-knn"}]


def test_a_method_that_differs_is_suspect_and_no_other(store, monkeypatch):
    """Whichever of its trials is drawn. The same command at home runs it again."""
    cluster(monkeypatch, lambda trial: 0.5 * (trial.method == "Ml-knn"))
    with pytest.raises(TrialError, match=r"spot check: trials of Ml-knn differ .* up to 0.5 "):
        run(store, dask=ELSEWHERE)
    assert states(store).to_dict() == {"MimlNn": "fresh", "Ml-knn": "suspect"}
    home = run(store)
    assert set(home["state"]) == {"fresh"} and home["one_error"].max() <= 1


def test_what_an_interrupted_cluster_run_leaves_is_unchecked_until_a_resume(store, monkeypatch):
    """Ctrl-C while trials run: what is recorded enters no number; nothing runs twice."""
    cluster(monkeypatch, lambda trial: 0.5 * (trial.method == "MimlNn"))
    with pytest.raises(KeyboardInterrupt):
        run(Interrupted(store.folder), dask=ELSEWHERE)
    with pytest.raises(KeyboardInterrupt):
        run(Interrupted(store.folder), methods=["Ml-knn"], dask=ELSEWHERE)
    assert states(store).to_dict() == {"MimlNn": "unchecked", "Ml-knn": "unchecked"}
    assert all(code.startswith(UNCHECKED) for code in store.load(MINE)["code"])
    with pytest.raises(TrialError, match="spot check: trials of MimlNn differ"):
        run(store, dask=ELSEWHERE)
    assert states(store).to_dict() == {"MimlNn": "suspect", "Ml-knn": "fresh"}
    assert len(store.load(MINE)) == 4


def test_a_check_that_fails_leaves_its_method_unchecked(store, monkeypatch):
    cluster(monkeypatch, lambda trial: 0.0)
    with monkeypatch.context() as patched:
        patched.setattr(verify_module, "compare_trial", raising(TrialError()))
        with pytest.raises(TrialError):
            run(store, dask=ELSEWHERE)
    assert set(states(store)) == {"unchecked"}
    run(store, dask=ELSEWHERE)  # no trial is left to run, and the check is made
    assert set(states(store)) == {"fresh"}


def test_every_experiment_of_a_cluster_run_is_checked(store, monkeypatch):
    cluster(monkeypatch, lambda trial: 0.5 * (trial.method == "Ml-knn"))
    other = tiny(name="other")
    with pytest.raises(TrialError, match=r"(?s)experiment='mine'.*experiment='other'"):
        run(store, [MINE, other], dask=ELSEWHERE)
    for one in (MINE, other):
        assert states(store, one).to_dict() == {"MimlNn": "fresh", "Ml-knn": "suspect"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_costs_are_measured_here_and_need_no_check(store, monkeypatch):
    """They run alone on this machine, and a second measurement gives other numbers."""
    monkeypatch.setattr(module, "_workers", lambda jobs, dask: parallel_config("loky", n_jobs=1))
    mine = tiny({"a": Pid()}, measure=Measure(pids, ("pid",), repeatable=False, alone=True))
    assert run(store, mine, dask=ELSEWHERE)["state"].tolist() == ["fresh"] * 2


def test_one_trial_in_fifty_of_a_method_is_checked(store, monkeypatch):
    drawn = []
    monkeypatch.setattr(module, "run_trials", lambda some, *_, **__: drawn.append(set(some)) or [])
    for n_trials, n_checked in ((1, 1), (2, 2), (100, 2), (101, 3)):
        rows = [vars(Trial("mine", TINY, "Ml-knn", "{}", k)) | {"n_stages": 1, "stage": 0}
                | {"code": UNCHECKED + "a.b"} for k in range(n_trials)]  # fmt: skip
        store.append(MINE, rows)
        module._spot_check(MINE, 1, None, store)
        assert len(drawn.pop()) == n_checked


def timed(store, seconds):
    """Tiny trials recorded as if each of a method had taken so many seconds."""
    run(store)
    store.rewrite(MINE, lambda rows: rows.assign(seconds=rows["method"].map(seconds)))


def test_hours_by_hand(store):
    """2 · 30 + 2 · 90 s: 120 s on each of two workers, but 90 s at the least on any number."""
    timed(store, {"MimlNn": 30.0, "Ml-knn": 90.0})
    for workers, seconds in ((1, 240), (2, 120), (64, 90)):
        row = estimate([MINE], workers=workers, recompute=True, store=store).iloc[0]
        assert row["core_hours"] * 3600 == pytest.approx(240)
        assert row["hours"] * 3600 == pytest.approx(seconds)
    row = estimate([MINE], store=store).iloc[0]
    assert row[["to_run", "unknown", "core_hours"]].tolist() == [0, 0, 0]


def test_other_variants_of_a_method_tell_its_hours_and_other_methods_do_not(store, capsys):
    timed(store, {"MimlNn": 30.0, "Ml-knn": 90.0})
    warnings.simplefilter("error")  # also where nothing is recorded
    more = tiny(METHODS | {"Guess": Guess()}, {"Ml-knn": [{}, dict(n_neighbors=1)], "Guess": [{}]})
    table = estimate([more, tiny(name="other")], store=store)
    assert table["experiment"].tolist() == ["mine", "other", "all"]
    assert table[["trials", "to_run", "unknown"]].to_numpy().tolist() == [
        [6, 4, 2], [4, 4, 4], [10, 8, 6]
    ]  # fmt: skip
    assert table["core_hours"].to_numpy() * 3600 == pytest.approx([180, 0, 180])
    with pytest.raises(ValueError, match="workers must be at least 1, got 0"):
        estimate([MINE], workers=0, store=store)
    run(store, recompute=True)
    assert "mine: 4 trials to run, about 0 h 04 min with 1 process(es)" in capsys.readouterr().out


def test_stages_are_recorded_as_rows_of_one_trial(store):
    mine = tiny({"AdtBoost.MH": get_experiment("figure6").estimator("scene", "AdtBoost.MH")},
                n_splits=1, measure=STAGED)  # fmt: skip
    table = run(store, mine)
    assert table["stage"].tolist() == list(range(1, 51)) and set(table["n_stages"]) == {50}
    assert table["seconds"].nunique() == 1 and (table["chosen"] == "").all()
