"""Runs that are killed, stopped, doubled, or run out of disk."""

import os
import shutil
import signal
import subprocess
import time

import pytest
from pandas.testing import assert_frame_equal

from mimlpaper.study import workers as workers_module
from mimlpaper.study.records import KEY, Store, StoreError
from mimlpaper.study.runner import compute

BY_THE_WAY = ["fit_seconds", "predict_seconds", "commit", "seal"]
AGAIN = "the same command"


def assert_same_records(store, undisturbed):
    tables = [
        table.drop(columns=[*BY_THE_WAY, "state"], errors="ignore").sort_values(KEY)
        for table in (store.load("figure7"), undisturbed)
    ]
    assert_frame_equal(*(table.reset_index(drop=True) for table in tables), check_exact=True)


def workers_of(process):
    """Pids of a run's worker processes."""
    listed = subprocess.run(
        ["pgrep", "-g", str(process.pid), "-f", "LokyProcess"], capture_output=True, text=True
    )
    return [int(pid) for pid in listed.stdout.split()]


def is_alive(pid):
    """Whether a process runs; a zombie does not."""
    told = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return told.stdout.strip()[:1] not in ("", "Z")


def test_a_worker_is_killed(start, undisturbed, tell):
    run = start()
    run.wait_for(3)
    os.kill(workers_of(run.process)[0], signal.SIGKILL)
    status, printed = run.end()
    assert status == 0
    assert "a worker process died" in printed
    assert_same_records(run.store, undisturbed)
    tell("kill -9 of a worker", "its trials are run again at the end; exit 0", 0, "nothing to do")


def test_the_whole_run_is_killed(start, undisturbed, tell):
    run = start()
    run.wait_for(3)
    os.killpg(run.process.pid, signal.SIGKILL)
    status, _ = run.end()
    kept = run.n_recorded()
    assert (status, 3 <= kept < 20) == (-signal.SIGKILL, True)
    again = start()
    assert again.end()[0] == 0
    assert_same_records(again.store, undisturbed)
    tell("kill -9 of the run", "the trials under way are not recorded", 0, AGAIN)


def test_the_parent_alone_is_killed(start, undisturbed, tell):
    """Its workers end the trials that they have, then find nobody to tell, and go."""
    run = start()
    run.wait_for(3)
    workers = workers_of(run.process)
    os.kill(run.process.pid, signal.SIGKILL)
    run.process.wait()
    deadline = time.monotonic() + 60
    while any(is_alive(pid) for pid in workers):
        assert time.monotonic() < deadline, "workers outlive their run"
        time.sleep(0.1)
    again = start()
    assert again.end()[0] == 0
    assert_same_records(again.store, undisturbed)
    tell("kill -9 of the parent process", "its workers end within seconds", 0, AGAIN)


def test_ctrl_c(start, undisturbed, tell):
    run = start()
    run.wait_for(3)
    os.killpg(run.process.pid, signal.SIGINT)
    status, printed = run.end()
    assert status == 130
    assert "interrupted; what is recorded stays" in printed
    assert "Traceback" not in printed
    assert run.n_recorded() >= 3
    again = start()
    assert again.end()[0] == 0
    assert_same_records(again.store, undisturbed)
    tell("Ctrl-C", "one line; exit 130", 0, AGAIN)


def test_two_runs_at_once(start, undisturbed, tell):
    runs = [start(), start()]
    assert [run.end()[0] for run in runs] == [0, 0]
    assert_same_records(runs[0].store, undisturbed)
    tell("two runs on one store", "rows are written one run at a time; equal ones count once", 0,
         "nothing to do")  # fmt: skip


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 4 kB, on which some of the trials fit."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", folder], capture_output=True
    )
    if mounted.returncode:
        pytest.skip(f"mounting a small file system needs root: {mounted.stderr.decode()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_full_disk(start, small_disk, undisturbed, tell):
    run = start(results=small_disk)
    status, printed = run.end()
    assert status == 1
    assert "No space left on device" in printed and "what was recorded before is intact" in printed
    kept = run.store.load("figure7")
    assert 0 < len(kept) < 20
    subprocess.run(["mount", "-o", "remount,size=1m", small_disk], check=True)
    again = start(results=small_disk)
    assert again.end()[0] == 0
    assert_same_records(again.store, undisturbed)
    tell("a full disk", "the row is not begun; an error that names the file; exit 1", 0,
         f"free space, {AGAIN}")  # fmt: skip


def test_a_corrupt_results_file(start, tell):
    run = start()
    assert run.end()[0] == 0
    path = run.store.path("figure7")
    lines = path.read_bytes().split(b"\n")
    lines[5] = b"\x00\xff garbage"
    path.write_bytes(b"\n".join(lines))
    status, printed = start().end()
    assert status == 1
    assert f"{path}, line 6: expected" in printed and "restore the file" in printed
    assert path.read_bytes() == b"\n".join(lines)
    tell("a corrupt line in a results file", "an error with file and line; nothing is changed", 0,
         "restore the file or delete the line, then the same command")  # fmt: skip


def test_a_torn_last_row(start, undisturbed, tell):
    run = start()
    assert run.end()[0] == 0
    path = run.store.path("figure7")
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    assert run.n_recorded() == 19
    again = start()
    assert again.end()[0] == 0
    assert_same_records(again.store, undisturbed)
    tell("a half-written last row", "it is cut off, its trial runs again", 0, AGAIN)


def test_the_clock_jumps_back(tmp_path, undisturbed, monkeypatch, tell):
    """An hour at every look; seconds are of processor time and stay what they are."""
    looks = iter(range(10**9))
    monkeypatch.setattr(time, "time", lambda: 1e9 - 3600.0 * next(looks))
    store = Store(tmp_path)
    table = compute("figure7", profile="smoke", jobs=1, store=store)
    assert (table["fit_seconds"] >= 0).all()
    assert_same_records(store, undisturbed)
    tell("the clock jumps", "seconds are of processor time and do not notice", 0, "nothing to do")


def test_results_that_cannot_be_written(tmp_path, monkeypatch, tell):
    (tmp_path / "results").write_text("a file where the folder should be")
    with pytest.raises((StoreError, OSError), match="results"):
        compute("figure7", profile="smoke", jobs=1, store=Store(tmp_path / "results"))
    tell("a results folder that cannot be written", "an error that names it", 0, AGAIN)


@pytest.mark.skipif(not os.environ.get("MIMLPAPER_DATA"), reason="MIMLPAPER_DATA is not set")
def test_data_vanish(start, tmp_path, tell):
    """Taken away under the run, and back."""
    data = tmp_path / "data"
    (data / "reuters").mkdir(parents=True)
    source = os.path.join(os.environ["MIMLPAPER_DATA"], "reuters", "miml-text-data.mat")
    away = shutil.copy(source, tmp_path / "away.mat")
    options = ("--methods", "Ml-knn", "--data", str(data))
    kwargs = {"experiment": "table2", "profile": "quick"}
    status, printed = start(*options, **kwargs).end()
    assert status == 1
    assert "miml-text-data.mat is missing" in printed and "mimlpaper data --fetch" in printed
    shutil.copy(away, data / "reuters" / "miml-text-data.mat")
    run = start(*options, **kwargs)
    assert run.end()[0] == 0
    assert run.n_recorded() == 3
    tell("data removed", "an error that names file, hash and the command that brings it back", 0,
         AGAIN)  # fmt: skip


def test_a_trial_that_fails(tmp_path, monkeypatch, tell):
    honest = workers_module.run_trial

    def fail_once(trial, *args, **kwargs):
        if trial.split == 1 and trial.parameters == '{"mimlsvm__ratio": 0.5}':
            raise MemoryError("no memory for the kernel")
        return honest(trial, *args, **kwargs)

    monkeypatch.setattr(workers_module, "run_trial", fail_once)
    store = Store(tmp_path)
    with pytest.raises(workers_module.TrialError, match=r"1 of 20 trials failed(.*\n)*.*no memory"):
        compute("figure7", profile="smoke", jobs=1, store=store)
    assert len(store.load("figure7")) == 19
    tell("an error in a trial", "the others are recorded; its traceback; exit 1", 0, AGAIN)
