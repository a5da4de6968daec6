"""Nothing recorded is lost: torn rows, a full disk, two writers, a damaged file."""

import subprocess
import sys
import textwrap

import pandas as pd
import pytest

from mimlpaper.study.records import (
    COLUMNS,
    SUSPECT,
    Store,
    StoreError,
    default_store,
    put_rows,
    read_rows,
)
from mimlpaper.study.registry import EXPERIMENTS


def row(split, stage=0, n_stages=1, **values):
    key = {"experiment": "e", "dataset": "d", "method": "m", "parameters": "{}", "split": split}
    return key | {"stage": stage, "n_stages": n_stages, "hamming_loss": 0.1} | values


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results")


def splits(store):
    return store.load("e")["split"].tolist()


def test_rows_come_back_as_written(store):
    store.append("e", [row(3, chosen='{"a": 1, "b": "x,y"}', code="0123", coverage=1 / 3)])
    loaded = store.load("e")
    assert list(loaded.columns) == COLUMNS
    assert loaded["split"].tolist() == [3]
    assert loaded["chosen"][0] == '{"a": 1, "b": "x,y"}'
    assert loaded["code"][0] == "0123"
    assert loaded["coverage"][0] == pytest.approx(1 / 3, abs=1e-10)
    assert pd.isna(loaded["accuracy"][0])


def test_nothing_recorded_is_an_empty_table(store):
    assert list(store.load("e").columns) == COLUMNS
    assert store.load("e").empty


def test_of_a_trial_recorded_twice_the_last_counts(store):
    store.append("e", [row(0, hamming_loss=0.5)])
    store.append("e", [row(0, hamming_loss=0.25)])
    assert store.load("e")["hamming_loss"].tolist() == [0.25]


@pytest.mark.parametrize("kept", [1, 10, 25])
def test_a_torn_last_row_is_dropped_and_the_next_append_goes_on(store, kept):
    store.append("e", [row(0)])
    store.append("e", [row(1)])
    whole = store.path("e").read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    store.path("e").write_bytes(whole[: last + kept])
    assert splits(store) == [0]
    store.append("e", [row(2)])
    assert splits(store) == [0, 2]


def test_a_file_torn_within_its_header_is_begun_again(store):
    store.append("e", [row(0)])
    store.path("e").write_bytes(b"experiment,data")
    assert store.load("e").empty
    store.append("e", [row(1)])
    assert splits(store) == [1]


def test_a_staged_trial_counts_only_when_all_its_stages_are_there(store):
    store.append("e", [row(0, stage, 3) for stage in (1, 2, 3)])
    store.append("e", [row(1, stage, 3) for stage in (1, 2, 3)])
    lines = store.path("e").read_text().splitlines(keepends=True)
    store.path("e").write_text("".join(lines[:-1]))
    assert splits(store) == [0, 0, 0]
    store.append("e", [row(1, stage, 3) for stage in (1, 2, 3)])
    assert splits(store) == [0, 0, 0, 1, 1, 1]


def test_a_damaged_row_is_named(store):
    store.append("e", [row(0)])
    with open(store.path("e"), "a") as file:
        file.write("not,a,row\n")
    with pytest.raises(StoreError, match=r"e\.csv, line 3: expected 28 columns"):
        store.load("e")


def test_a_row_that_is_too_long_is_named(store):
    store.append("e", [row(0)])
    with open(store.path("e"), "a") as file:
        file.write("x," * 40 + "\n")
    with pytest.raises(StoreError, match=r"e\.csv: .* line 3, saw 41"):
        store.load("e")


@pytest.mark.parametrize("edit", [("0.1", "0.2"), (",0,", ",7,")])
def test_a_row_that_was_edited_is_suspect(store, edit):
    """Another value of a criterion; another split, and with it another seed."""
    store.append("e", [row(1, code="0123"), row(0, code="0123", stage=2, n_stages=1)])
    text = store.path("e").read_text()
    head, first, second = text.splitlines(keepends=True)
    store.path("e").write_text(head + first + second.replace(*edit, 1))
    assert store.load("e")["code"].tolist() == ["0123", SUSPECT]


def test_a_text_of_several_lines_stays_in_its_row(store):
    store.append("e", [row(0, warnings="one\ntwo", code="0123")])
    assert store.load("e")[["warnings", "code"]].to_numpy().tolist() == [["one two", "0123"]]


def test_a_value_that_is_no_number_is_named(store):
    store.append("e", [row(0, hamming_loss="much")])
    with pytest.raises(StoreError, match="column hamming_loss"):
        store.load("e")


def test_replacing_keeps_what_is_given(store):
    for split in range(4):
        store.append("e", [row(split, code="0042")])
    store.rewrite("e", lambda rows: rows[rows["split"] != 2])
    assert splits(store) == [0, 1, 3]
    assert store.load("e")["code"].tolist() == ["0042"] * 3
    store.append("e", [row(2)])
    assert splits(store) == [0, 1, 3, 2]


def test_superseded_records_leave_the_file_and_no_other_line_moves(store):
    for code in ("0001", "0002"):
        store.append("e", [row(split, code=code) for split in range(2)])
    store.append("e", [row(2, code="0001")])
    head, *lines = store.path("e").read_text().splitlines()
    before = store.load("e")
    store.rewrite("e")
    assert store.path("e").read_text().splitlines() == [head, *lines[2:]]
    pd.testing.assert_frame_equal(store.load("e"), before)


@pytest.mark.parametrize("name", [n for n in EXPERIMENTS if default_store().path(n).is_file()])
def test_a_committed_trial_stands_once_in_its_file(name):
    n_rows = len(default_store().path(name).read_text().splitlines()) - 1
    assert n_rows == len(default_store().load(name))


def test_smaller_tables_keep_every_digit(tmp_path):
    """Also of a commit whose hash looks like a number, when a later row is written."""
    path, columns = tmp_path / "few.csv", ["name", "seconds", "commit"]
    first = {"name": "a", "seconds": 0.1 + 0.2, "commit": "12345e678901"}
    put_rows(path, [first], columns, n_keys=1)
    put_rows(path, [{"name": "b", "commit": "000000000012"}], columns, n_keys=1)
    put_rows(path, [{"name": "b", "seconds": 2, "commit": "012"}], columns, n_keys=1)
    assert path.read_text().splitlines()[1:] == ["a,0.30000000000000004,12345e678901", "b,2,012"]
    assert read_rows(path, columns)["commit"].tolist() == ["12345e678901", "012"]


def test_a_full_disk_loses_nothing_and_says_so(store):
    """The file may not grow beyond a limit, as on a full disk: the append fails as a whole."""
    store.append("e", [row(0)])
    code = f"""
    import resource, signal
    from mimlpaper.study.records import Store, StoreError
    from tests.unit.test_store import row
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    store = Store({str(store.folder)!r})
    size = store.path("e").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, resource.RLIM_INFINITY))
    try:
        store.append("e", [row(1)])
    except StoreError as error:
        print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    assert "could not record" in done.stdout
    assert "what was recorded before is intact" in done.stdout
    assert splits(store) == [0]
    store.append("e", [row(1)])
    assert splits(store) == [0, 1]


def test_two_writers_do_not_mix_rows(store):
    code = f"""
    import sys
    from mimlpaper.study.records import Store
    from tests.unit.test_store import row
    first = int(sys.argv[1])
    for split in range(first, first + 60):
        Store({str(store.folder)!r}).append("e", [row(split)])
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    writers = [subprocess.Popen([*command, str(first)]) for first in (0, 100)]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert sorted(splits(store)) == [*range(60), *range(100, 160)]
