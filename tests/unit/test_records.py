"""Nothing recorded is lost or mixed up: torn rows, damaged files, two stores, marks and states."""

import os
from dataclasses import replace

import pandas as pd
import pytest

from mimlpaper.study import records as module
from mimlpaper.study.measures import STAGED, TESTED, Measure
from mimlpaper.study.records import (
    KEY,
    SEAL,
    SUSPECT,
    UNCHECKED,
    Store,
    StoreError,
    add_to_table,
    columns_of,
    default_store,
    keys_of,
    load_table,
    records,
    trials_of,
)
from mimlpaper.study.registry import EXPERIMENTS
from mimlpaper.study.runner import compute
from tests.made_up_study import TINY, edit, tiny

MINE = tiny()


def row(split, stage=0, n_stages=1, method="Ml-knn", **values):
    key = {"experiment": "mine", "dataset": TINY, "method": method, "parameters": "{}"}
    stages = {"split": split, "stage": stage, "n_stages": n_stages, "hamming_loss": 0.1}
    return key | stages | values


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results")


def splits(store):
    return store.load(MINE)["split"].tolist()


def codes(store):
    return store.load(MINE)["code"].tolist()


def lines_of(store):
    return store.path("mine").read_text().splitlines(keepends=True)


def write(store, lines):
    store.path("mine").write_text("".join(lines))


def test_rows_come_back_as_written(store):
    assert store.load(MINE).empty and list(store.load(MINE).columns) == columns_of(MINE)
    described = dict(chosen='{"a": 1, "b": "x,y"}', warnings="one\ntwo\u2028three", code="0123")
    store.append(MINE, [row(3, coverage=1 / 3, one_error=123456.7890123, **described)])
    loaded = store.load(MINE)
    assert list(loaded.columns) == columns_of(MINE)
    (found,) = loaded.to_dict("records")
    assert (found["split"], found["chosen"], found["code"]) == (3, described["chosen"], "0123")
    assert (found["coverage"], found["one_error"]) == (0.3333333333, 123456.789)  # ten digits
    assert found["warnings"] == "one two three" and pd.isna(found["accuracy"])
    assert trials_of(loaded) == [t for t in tiny(n_splits=4).trials() if t.split == 3][1:]


def test_a_measure_has_columns_of_its_own(store):
    """Words stay texts, also those that look like numbers."""
    mine = tiny(measure=Measure(len, ("least",), ("label", "other")))
    key = row(0) | {"least": -2.5, "label": "007", "other": "nan"}
    key.pop("hamming_loss")
    store.append(mine, [key])
    assert columns_of(mine)[5:10] == ["stage", "n_stages", "label", "other", "least"]
    found = store.load(mine)[["label", "other", "least"]].to_numpy().tolist()
    assert found == [["007", "nan", -2.5]]
    with pytest.raises(StoreError, match=r"mine\.csv: expected the columns .*hamming_loss"):
        store.load(MINE)


def test_of_a_trial_recorded_twice_the_last_counts_whatever_its_stages(store):
    """Fewer stages, as many, or more: blocks that follow each other, and blocks apart."""
    for n_stages in (3, 2, 2, 1, 4):
        stages = range(n_stages)
        store.append(MINE, [row(7, stage, n_stages, coverage=n_stages) for stage in stages])
        own = store.load(MINE).query("split == 7")
        assert own["stage"].tolist() == list(stages)
        assert set(own["coverage"]) == {n_stages}
        store.append(MINE, [row(8)])
        assert set(splits(store)) == {7, 8}
        store.append(MINE, [row(7, stage, n_stages, coverage=9) for stage in stages])
        assert store.load(MINE).query("split == 7")["coverage"].tolist() == [9] * n_stages
    assert len(store.load(MINE)) == 5
    store.rewrite(MINE)
    assert len(lines_of(store)) == 1 + 5


def test_a_staged_trial_counts_only_when_all_its_stages_are_there(store):
    """Stages may begin at 1. What comes after a torn block is whole."""
    for split in (0, 1):
        store.append(MINE, [row(split, stage, 3) for stage in (1, 2, 3)])
    write(store, lines_of(store)[:-1])
    assert splits(store) == [0, 0, 0]
    store.append(MINE, [row(1, stage, 3) for stage in (1, 2, 3)])
    assert splits(store) == [0, 0, 0, 1, 1, 1]
    write(store, lines_of(store)[:-2])
    store.append(MINE, [row(2)])
    assert splits(store) == [0, 0, 0, 2]  # of a torn repetition not even the first


def test_a_torn_last_row_is_dropped_and_the_next_append_goes_on(store):
    store.append(MINE, [row(0)])
    store.append(MINE, [row(1)])
    whole = store.path("mine").read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    for end in (10, last + 1, last + 40, len(whole) - 1):  # the first is within the header
        store.path("mine").write_bytes(whole[:end])
        kept = [0] if end > 10 else []
        assert splits(store) == kept
        store.append(MINE, [row(2)])
        assert splits(store) == [*kept, 2]


def test_a_damaged_file_is_refused_by_name_and_not_changed(store):
    store.append(MINE, [row(0), row(1, chosen='{"C": 1}')])
    head, first, second = lines_of(store)
    for lines, message in (
        ([head, first, "not,a,row\n"], r"mine\.csv, line 3: expected 29 columns; restore the file"),
        ([head, first, "\n", second], r"mine\.csv, line 3: expected 29 columns"),
        ([head, first, "x," * 40 + "\n"], r"mine\.csv: .* line 3, saw 41"),
        ([head, first.replace(",0.1,", ",much,"), second], r"mine\.csv: column hamming_loss holds"),
        ([head.replace("coverage", "cover"), first], r"mine\.csv: expected the columns"),
        ([head, first.replace("{}", '"{}'), second], r"mine\.csv"),
        ([head, first, second.replace("{}", '"{}')], r"mine\.csv"),
        ([head, '"' + first, second], r"mine\.csv"),
        ([head, first, '"' + second, first, '"' + second], r"mine\.csv"),
    ):
        write(store, lines)
        for call in store.load, store.rewrite:
            with pytest.raises(StoreError, match=message):
                call(MINE)
        assert lines_of(store) == lines


def test_a_stray_quotation_mark_stops_a_run_before_its_first_trial(store, monkeypatch):
    compute(MINE, store=store, jobs=1)
    before = lines_of(store)
    write(store, [before[0], before[1].replace(",{},", ',"{},'), *before[2:]])
    monkeypatch.setattr("mimlpaper.study.runner.run_trials", lambda *_, **__: pytest.fail("ran"))
    with pytest.raises(StoreError, match=r"mine\.csv"):
        compute(tiny(n_splits=3), store=store, jobs=1)


def test_a_row_that_was_edited_is_suspect_and_stays_it(store):
    """Another value; another split, and with it another seed; a quotation mark; the seal itself."""
    compute(MINE, store=store, jobs=1)
    lines = lines_of(store)
    assert set(records(MINE, store=store)["state"]) == {"fresh"}
    seal = lines[2].rstrip("\n")[-SEAL:]
    for old, new in ((",0.", ",0.9"), (",0,0,1,", ",5,0,1,"), ("{}", '{}"'), (seal, "0" * SEAL)):
        assert old in lines[2]
        write(store, [*lines[:2], lines[2].replace(old, new, 1), *lines[3:]])
        marked = [code.startswith(SUSPECT) for code in codes(store)]
        assert marked == [False, True, False, False]
    states = records(MINE, store=store)["state"].tolist()
    assert sorted(states) == ["fresh"] * 3 + ["suspect"]
    store.rewrite(MINE)  # with new seals
    assert records(MINE, store=store)["state"].tolist() == states
    again = compute(MINE, store=store, jobs=1)
    assert set(again["state"]) == {"fresh"} and len(again) == 4


def test_marks_are_set_and_taken_away(store):
    compute(MINE, store=store, jobs=1)
    (key, *_, last), before = keys_of(store.load(MINE)), codes(store)
    for mark, state in ((UNCHECKED, "unchecked"), (SUSPECT, "suspect"), ("", "fresh")):
        store.mark(MINE, {key, last}, mark)
        assert codes(store) == [mark + before[0], *before[1:-1], mark + before[-1]]
        assert sorted(records(MINE, store=store)["state"]) == sorted([state] * 2 + ["fresh"] * 2)


def test_rewriting_keeps_what_is_given_and_moves_no_other_line(store):
    for code in ("0001", "0002"):
        store.append(MINE, [row(split, code=code) for split in range(3)])
    head, *lines = lines_of(store)
    store.rewrite(MINE)
    assert lines_of(store) == [head, *lines[3:]]
    store.rewrite(MINE, lambda rows: rows[rows["split"] != 1])
    assert lines_of(store) == [head, lines[3], lines[5]] and codes(store) == ["0002", "0002"]
    store.append(MINE, [row(1)])
    assert splits(store) == [0, 2, 1]


def test_records_come_in_the_order_of_the_trials_however_they_were_recorded(store, tmp_path):
    forwards, backwards = compute(MINE, store=store, jobs=1), Store(tmp_path / "backwards")
    backwards.append(MINE, store.load(MINE)[::-1].to_dict("records"))
    pd.testing.assert_frame_equal(records(MINE, store=backwards), forwards)
    assert forwards["method"].tolist() == ["MimlNn", "Ml-knn"] * 2
    assert set(records(MINE, methods=["Ml-knn"], store=store)["method"]) == {"Ml-knn"}
    assert len(records(tiny(n_splits=1), store=store)) == 2  # what is no trial is left out


def test_a_store_over_another_reads_both_and_writes_to_its_own_folder(store, tmp_path):
    """Its own rows win, whatever their stages."""
    above = Store(tmp_path / "above", base=store)
    assert above.load(MINE).empty and above.attested("mine") == set()
    store.append(MINE, [row(0, coverage=1.0), *(row(1, stage, 2) for stage in (0, 1))])
    add_to_table(store.folder, "attested", [attestation("a", "b")])
    before = {path.name: path.read_bytes() for path in store.folder.iterdir()}
    assert above.load(MINE).equals(store.load(MINE))
    above.append(MINE, [row(1, coverage=2.0), row(2, coverage=3.0)])
    assert above.load(MINE)["coverage"].dropna().tolist() == [1.0, 2.0, 3.0]
    above.mark(MINE, {key for key in keys_of(above.load(MINE))}, SUSPECT)
    add_to_table(above.folder, "attested", [attestation("b", "c")])
    assert above.attested("mine") == {("Ml-knn", "a", "b"), ("Ml-knn", "b", "c")}
    above.rewrite(MINE, lambda rows: rows[rows["split"] != 2])
    assert splits(above) == [0, 1]
    assert {path.name: path.read_bytes() for path in store.folder.iterdir()} == before


def test_what_the_base_has_is_not_run_again(store, tmp_path, monkeypatch):
    compute(tiny(n_splits=1), store=store, jobs=1)
    before, above = store.path("mine").read_bytes(), Store(tmp_path / "above", base=store)
    found = compute(MINE, store=above, jobs=1)
    assert set(found["state"]) == {"fresh"} and len(found) == 4
    assert set(Store(above.folder).load(MINE)["split"]) == {1}
    assert store.path("mine").read_bytes() == before


def attestation(recorded_code, code, **others):
    key = {"experiment": "mine", "method": "Ml-knn", "recorded_code": recorded_code, "code": code}
    return key | {"n_checked": 1, "largest_difference": 0.1 + 0.2, "date": "2026-01-01"} | others


def test_tables_of_verification_keep_every_digit_and_a_row_a_key(tmp_path):
    """Also of a commit whose hash looks like a number, when a later row is written."""
    add_to_table(tmp_path, "attested", [attestation("b", "c", commit="12345e678901")])
    add_to_table(tmp_path, "attested", [attestation("a", "c", commit="000000000012")])
    add_to_table(tmp_path, "attested", [attestation("a", "c", commit="012", n_checked=2)])
    table = load_table(tmp_path, "attested")
    assert table["commit"].tolist() == ["012", "12345e678901"]
    assert table["n_checked"].tolist() == [2, 1]
    assert (table["largest_difference"] == 0.1 + 0.2).all()
    assert load_table(tmp_path, "verified").empty


def test_a_record_of_other_code_is_stale_unless_attested_and_its_settings_are_the_same(
    store, monkeypatch
):
    compute(MINE, store=store, jobs=1)
    recorded = codes(store)[1].split(".")[0]
    edit(monkeypatch, "mimlpaper.baselines.mlknn", "ensure_min_samples=2", "ensure_min_samples=3")
    states = records(MINE, store=store).groupby("method")["state"].first()
    assert states.to_dict() == {"MimlNn": "fresh", "Ml-knn": "stale"}
    today = module.current_codes(MINE)(TINY, "Ml-knn", "{}").split(".")[0]
    add_to_table(store.folder, "attested", [attestation(recorded, today)])
    states = records(MINE, store=store).groupby("method")["state"].first()
    assert states.to_dict() == {"MimlNn": "fresh", "Ml-knn": "attested"}
    (part,) = MINE.parts
    more = part.configurations["Ml-knn"].__sklearn_clone__().set_params(mlknn__n_neighbors=4)
    other = replace(MINE, parts=(replace(part, configurations={"Ml-knn": more}),))
    assert set(records(other, store=store)["state"]) == {"stale"}


def test_a_full_disk_loses_nothing_and_says_so(store, monkeypatch):
    """The whole row is written, and the disk says no when it is synced."""
    store.append(MINE, [row(0)])
    before = store.path("mine").read_bytes()

    def full(descriptor):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(StoreError, match=r"mine\.csv: .*No space left.* before is intact"):
            store.append(MINE, [row(1), row(2)])
    assert store.path("mine").read_bytes() == before
    store.append(MINE, [row(1)])
    assert splits(store) == [0, 1]


def test_nothing_can_be_added_to_what_is_no_file(store, tmp_path):
    """Folders that cannot be made, and a folder in the file's place; named before anything runs."""
    (tmp_path / "taken").write_text("a file where the folder should be")
    (tmp_path / "results" / "mine.csv").mkdir(parents=True)
    for one in (Store(tmp_path / "taken"), store):
        with pytest.raises(StoreError, match=f"cannot record to {one.path('mine')}"):
            compute(MINE, store=one, jobs=1)
    assert os.listdir(tmp_path / "results" / "mine.csv") == []


def test_a_trial_that_is_committed_stands_once_in_its_file():
    store = default_store()
    for experiment in EXPERIMENTS.values():
        path = store.path(experiment.name)
        if path.is_file():
            assert path.read_bytes().count(b"\n") - 1 == len(store.load(experiment)), path
            assert set(store.load(experiment).columns) >= {*KEY, *experiment.measure.numbers}
    assert {STAGED, TESTED} <= {one.measure for one in EXPERIMENTS.values()}
