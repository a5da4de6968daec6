"""Trials end to end on embedded data: recorded, resumed after a kill, verified."""

import os
import re
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from pandas.testing import assert_frame_equal
from sklearn.pipeline import make_pipeline

from mimlpaper.baselines.mlknn import MlKnn
from mimlpaper.datasets import DataError
from mimlpaper.preprocessing import ConcatenateInstances
from mimlpaper.study import fingerprint as provenance_module
from mimlpaper.study import records as store_module
from mimlpaper.study import runner as runner_module
from mimlpaper.study import workers as workers_module
from mimlpaper.study.experiment import PROFILES
from mimlpaper.study.records import KEY, SUSPECT, Store, load_attestations, records
from mimlpaper.study.registry import EXPERIMENTS, get_experiment
from mimlpaper.study.runner import compute
from mimlpaper.study.trials import Trial, run_trial, set_random_states
from mimlpaper.study.verify import verify
from mimlpaper.study.workers import TrialError, run_trials

QUICK = ["MimlNn", "Ml-knn"]
TIMES = ["fit_seconds", "predict_seconds"]
BY_THE_WAY = [*TIMES, "commit", "seal"]  # the checkout may move on between two runs


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results")


def run(store, **options):
    options = {"profile": "smoke", "methods": QUICK, "jobs": 1} | options
    return compute("table1", store=store, **options)


def sorted_rows(table):
    return table.drop(columns=BY_THE_WAY).sort_values(KEY).reset_index(drop=True)


def test_trials_of_the_profiles():
    experiment = get_experiment("table1")
    assert len(experiment.trials("paper", ["MimlSvm"])) == 30
    assert len(experiment.trials("quick", ["MimlSvm"])) == 3
    smoke = experiment.trials("smoke", ["MimlSvm"])
    assert {trial.dataset for trial in smoke} == {"synthetic_scene"}
    assert set(experiment.trials("quick", QUICK)) < set(experiment.trials("paper"))


@pytest.mark.parametrize("profile", PROFILES)
def test_every_trial_has_an_estimator(profile):
    for experiment in EXPERIMENTS.values():
        trials = experiment.trials(profile)
        assert len(set(trials)) == len(trials)
        for trial in {(t.dataset, t.method, t.parameters): t for t in trials}.values():
            assert hasattr(experiment.estimator(trial), "fit")


def test_a_trial_is_a_pure_function():
    experiment = get_experiment("table1")
    trial = Trial("table1", "synthetic_scene", "MimlNn", "{}", 1)
    first, second = (
        run_trial(trial, experiment.estimator(trial), experiment.splits)[0] for _ in range(2)
    )
    for seconds in TIMES:
        assert first.pop(seconds) > 0
        assert second.pop(seconds) > 0
    assert first == second
    assert (first["n_train"], first["n_test"]) == (150, 50)
    assert first["kind"] == "synthetic"


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_part_is_seeded_also_in_grids(name):
    experiment = get_experiment(name)
    plain = {t.method: t for t in experiment.trials("paper") if t.parameters == "{}"}
    for trial in plain.values():
        estimator = experiment.estimator(trial)
        set_random_states(estimator, 11)
        assert None not in set(random_states(estimator))


def random_states(value):
    """All ``random_state`` in an estimator, its parts, and the lists and dicts in it."""
    if isinstance(value, list | tuple | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from random_states(one)
    elif hasattr(value, "get_params") and not isinstance(value, type):
        for name, one in value.get_params(deep=False).items():
            yield from [one] if name == "random_state" else random_states(one)


def test_records_are_complete_and_fresh(store):
    table = run(store)
    assert len(table) == 4
    assert set(table["state"]) == {"fresh"}
    row = table.iloc[0]
    assert row["versions"].startswith("python 3.")
    assert len(row["data_sha256"]) == 64
    assert 0 <= row["hamming_loss"] <= 1


def test_a_worker_that_dies_takes_no_trial_with_it(store, tmp_path, monkeypatch, capfd):
    """kill -9 once, during the first trial; the flag is a file that all workers see."""
    flag = tmp_path / "killed"
    experiment = get_experiment("table1")

    class Deadly(MlKnn):
        def fit(self, X, Y):
            if not flag.exists():
                flag.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return super().fit(X, Y)

    deadly = make_pipeline(ConcatenateInstances(), Deadly())
    monkeypatch.setitem(experiment.configurations, "Ml-knn", deadly)
    trials = experiment.trials("smoke", QUICK)
    ended = dict(run_trials(trials, jobs=2))
    assert set(ended) == set(trials)
    # All four, or fewer if the other worker ended some before the death was noticed.
    assert re.search(r"a worker process died; [1-4] trial", capfd.readouterr().out)


def test_a_trial_that_kills_every_worker_stops_only_itself(monkeypatch):
    experiment = get_experiment("table1")

    class Deadly(MlKnn):
        def fit(self, X, Y):
            os.kill(os.getpid(), signal.SIGKILL)

    deadly = make_pipeline(ConcatenateInstances(), Deadly())
    monkeypatch.setitem(experiment.configurations, "Ml-knn", deadly)
    trials, ended = experiment.trials("smoke", QUICK), []
    with pytest.raises(TrialError, match=r"2 of 4 trials failed.*Ml-knn(.*\n)*its worker process"):
        for trial, _ in run_trials(trials, jobs=2):
            ended.append(trial.method)
    assert ended == ["MimlNn", "MimlNn"]


def test_what_is_recorded_is_not_run_again(store, monkeypatch):
    first = run(store)
    monkeypatch.setattr(runner_module, "run_trials", lambda *args, **kwargs: pytest.fail("ran"))
    assert run(store).equals(first)


def test_trials_that_run_again_supersede_their_records(store):
    first = run(store)
    again = run(store, recompute=True)
    assert store.path("table1").read_text().count("\n") == len(first) + 1
    assert sorted_rows(again).equals(sorted_rows(first))


def test_records_come_in_the_order_of_the_trials_however_they_were_recorded(store, tmp_path):
    forwards, backwards = run(store), Store(tmp_path / "backwards")
    backwards.append("table1", store.load("table1")[::-1].to_dict("records"))
    found = records("table1", profile="smoke", methods=QUICK, store=backwards)
    assert_frame_equal(found, records("table1", profile="smoke", methods=QUICK, store=store))
    assert found["method"].unique().tolist() == QUICK
    assert len(found) == len(forwards)


def test_number_of_processes_changes_nothing(store, tmp_path):
    alone = run(store)
    together = run(Store(tmp_path / "other"), jobs=2)
    assert sorted_rows(alone).equals(sorted_rows(together))


def test_a_failing_trial_is_named_and_the_others_are_recorded(store, monkeypatch):
    honest = workers_module.run_trial

    def fail_once(trial, *args, **kwargs):
        if trial.method == "MimlNn" and trial.split == 1:
            raise FloatingPointError("no such number")
        return honest(trial, *args, **kwargs)

    monkeypatch.setattr(workers_module, "run_trial", fail_once)
    with pytest.raises(TrialError, match=r"1 of 4 trials failed.*\n.*\n(.*\n)*.*no such number"):
        run(store)
    assert len(store.load("table1")) == 3
    monkeypatch.undo()
    assert len(run(store)) == 4


@pytest.fixture
def cluster(monkeypatch):
    """Remote workers whose one-error is wrong by a given amount; the client is right."""
    honest = runner_module.run_trials
    off = {}

    def run_trials(trials, *, dask=None, **options):
        for trial, rows in honest(trials, **options):
            wrong = off.get(trial.split, 0.0) if dask else 0.0
            yield trial, [row | {"one_error": row["one_error"] + wrong} for row in rows]

    monkeypatch.setattr(runner_module, "run_trials", run_trials)
    return off


def test_without_data_only_stale_records_are_shown(store, monkeypatch, capsys):
    """Fresh ones that were to run again are not passed off as run."""
    run(store)

    def gone(*args, **kwargs):
        raise DataError("scene is missing")

    monkeypatch.setattr(runner_module, "load", gone)
    with pytest.raises(DataError, match="scene is missing"):
        run(store, recompute=True)
    store.rewrite("table1", lambda rows: rows.assign(code="made by other code"))
    assert set(run(store)["state"]) == {"stale"}
    assert "4 stale trials are shown as they are: scene is missing" in capsys.readouterr().out


def test_a_cluster_run_ends_with_a_spot_check(store, cluster, capsys):
    table = run(store, dask="tcp://elsewhere")
    assert "spot check: 4 of 4 trials run again here, all the same" in capsys.readouterr().out
    assert set(table["state"]) == {"fresh"}


def test_a_spot_check_that_fails_marks_the_records(store, cluster):
    cluster[1] = 0.5
    with pytest.raises(TrialError, match=r"spot check: 2 of 4 .* differ .* by up to 0.5 "):
        run(store, dask="tcp://elsewhere")
    assert set(store.load("table1")["code"]) == {SUSPECT}
    assert set(records("table1", profile="smoke", store=store)["state"]) == {"stale"}
    assert set(run(store)["state"]) == {"fresh"}  # the same command at home


def test_every_experiment_of_a_cluster_run_is_checked(store, cluster):
    cluster[0] = 0.5
    names = ["table1", "table3"]
    with pytest.raises(TrialError, match=r"(?s)experiment='table1'.*experiment='table3'"):
        runner_module.compute_together(
            names, profile="smoke", methods=["Ml-knn"], jobs=1, store=store, dask="tcp://elsewhere"
        )
    for name in names:
        assert set(store.load(name)["code"]) == {SUSPECT}


@pytest.mark.parametrize(("n_trials", "n_checked"), [(3, 3), (100, 5), (251, 6)])
def test_a_spot_check_takes_one_in_fifty_and_at_least_five(store, monkeypatch, n_trials, n_checked):
    taken = []
    monkeypatch.setattr(runner_module, "run_trials", lambda drawn, **_: taken.append(drawn) or [])
    trials = [Trial("table1", "synthetic_scene", "MimlNn", "{}", k) for k in range(n_trials)]
    runner_module._spot_check(get_experiment("table1"), trials, 1, None, store)
    assert [len(set(drawn)) for drawn in taken] == [n_checked]


def test_code_that_changed_makes_records_stale_until_verified(store, monkeypatch):
    run(store)
    honest = store_module.code_fingerprint
    monkeypatch.setattr(store_module, "code_fingerprint", lambda *args: honest(*args)[::-1])
    assert set(records("table1", profile="smoke", store=store)["state"]) == {"stale"}
    outcome = verify(["table1"], profile="smoke", store=store, jobs=1, random_state=0)
    assert outcome["outcome"].tolist() == ["equal", "equal"]
    assert outcome["largest_difference"].max() < 1e-9
    assert set(records("table1", profile="smoke", store=store)["state"]) == {"attested"}
    assert len(load_attestations(store.folder)) == 2


@pytest.mark.parametrize("drop", [False, True])
def test_verify_sees_numbers_that_do_not_come_out(store, drop):
    run(store)
    table = store.load("table1")
    table.loc[table["method"] == "Ml-knn", "coverage"] += 0.01
    store.rewrite("table1", lambda _: table)
    outcome = verify(["table1"], profile="smoke", store=store, drop=drop, jobs=1)
    assert dict(zip(outcome["method"], outcome["outcome"], strict=True)) == {
        "MimlNn": "equal",
        "Ml-knn": "different",
    }
    assert outcome["largest_difference"].max() == pytest.approx(0.01)
    left = set(store.load("table1")["method"])
    assert left == ({"MimlNn"} if drop else set(QUICK))


def test_a_batch_is_a_split_unless_that_leaves_workers_idle():
    trials = [Trial("table1", data, m, "{}", s) for s in range(3) for data in "ab" for m in "xy"]
    whole = workers_module._batches(trials, n_workers=3)
    assert [{(t.dataset, t.split) for t in batch} for batch in whole] == [
        {(data, split)} for split in range(3) for data in "ab"
    ]
    assert workers_module._batches(trials, n_workers=4) == [(trial,) for trial in trials]


def test_batches_and_order_change_nothing(store, monkeypatch):
    """All trials in one batch backwards, each alone, and as they come."""
    alone = run(store, methods=None, jobs=1)
    for batches in (lambda trials, n: [tuple(reversed(trials))], lambda trials, n: [tuple(trials)]):
        monkeypatch.setattr(workers_module, "_batches", batches)
        together = run(store, methods=None, jobs=1, recompute=True)
        assert_frame_equal(sorted_rows(alone), sorted_rows(together), check_exact=True)


def test_killed_again_and_again_it_ends_with_the_same_records(store, tmp_path):
    """kill -9 of the whole process group once a further trial is recorded, then resume."""
    undisturbed = compute("figure7", profile="smoke", store=Store(tmp_path / "undisturbed"))
    code = f"""
    from mimlpaper.study.records import Store
    from mimlpaper.study.runner import compute
    compute("figure7", profile="smoke", jobs=2, store=Store({str(store.folder)!r}))
    """
    recorded = 0
    for _ in range(3):
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(code)],
            start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        deadline = time.time() + 600
        while len(store.load("figure7")) <= recorded:
            assert time.time() < deadline
            time.sleep(0.005)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        recorded = len(store.load("figure7"))
    assert 3 <= recorded < len(undisturbed)
    resumed = compute("figure7", profile="smoke", store=store)
    assert_frame_equal(sorted_rows(resumed), sorted_rows(undisturbed), check_exact=True)


def test_provenance_names_the_blas_in_use_alone(monkeypatch):
    def pool(path, kernel, api="blas"):
        return {"filepath": path, "user_api": api, "internal_api": "x", "architecture": kernel}

    pools = [
        pool("/site/numpy.libs/a.so", "K1"), pool("/env/lib/b.so", "K2"),
        pool("/site/scs.libs/c.so", "K3"), pool("/env/lib/omp.so", "K4", "openmp"),
    ]  # fmt: skip
    monkeypatch.setattr(provenance_module, "threadpool_info", lambda: pools)
    assert provenance_module._blas_kernels() == ["x K1", "x K2"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: compute("table9"), "experiment must be one of .*got 'table9'"),
        (lambda: compute("table1", profile="fast"), "profile must be one of .*got 'fast'"),
        (lambda: compute("table1", methods=["Svm"]), r"methods must be among .*got \['Svm'\]"),
    ],
)
def test_wrong_names_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_experiments_together_give_the_records_of_one_by_one(store, tmp_path):
    names, apart = ["figure7", "choices_text"], Store(tmp_path / "apart")
    for _ in range(2):  # the second time, nothing is left to run
        runner_module.compute_together(names, profile="smoke", jobs=1, store=store)
    for name in names:
        together = records(name, profile="smoke", store=store)
        expected = compute(name, profile="smoke", jobs=1, store=apart)
        assert_frame_equal(sorted_rows(together), sorted_rows(expected), check_exact=True)
