"""Nothing recorded is lost or mixed up: torn rows, damaged files, two stores, marks and states."""

import os
import re
from pathlib import Path

import pandas as pd
import pytest

from mimlpaper.datasets.fetch import manifest, source_of
from mimlstudy.engine import records as module
from mimlstudy.engine.execution import compute
from mimlstudy.engine.records import DAMAGED, Store, StoreError, keys_of, records
from mimlstudy.paper.catalogue import CATALOGUE, default_store
from mimlstudy.paper.experiments import EXPERIMENTS
from mimlstudy.paper.measures import Measure
from mimlstudy.report.tables import frame_grid
from tests.made_up_study import METHODS, TINY, edit, raising, states, tiny

MINE = tiny()


def run(store, experiment=MINE):
    return compute(experiment, store=store, jobs=1)


def row(split, stage=0, n_stages=1, **values):
    key = {"experiment": "mine", "dataset": TINY, "method": "Ml-knn", "parameters": "{}"}
    stages = {"split": split, "stage": stage, "n_stages": n_stages, "hamming_loss": 0.1}
    return key | stages | values


def splits(store):
    return store.load(MINE)["split"].tolist()


def lines_of(store):
    return store.path("mine").read_text().splitlines(keepends=True)


def write(store, lines):
    store.path("mine").write_text("".join(lines))


def test_rows_come_back_as_written(store):
    """Ten digits; words stay texts, also what looks like a number or like a formula."""
    assert store.load(MINE).empty and list(store.load(MINE).columns) == module.columns_of(MINE)
    described = dict(chosen='{"a": 1, "b": "x,y"}', warnings="one\ntwo\u2028three", code="0123")
    store.append(MINE, [row(1, coverage=1 / 3, one_error=123456.7890123, **described)])
    loaded = store.load(MINE)
    assert list(loaded.columns) == module.columns_of(MINE)
    (found,) = loaded.to_dict("records")
    assert (found["split"], found["chosen"], found["code"]) == (1, described["chosen"], "0123")
    assert (found["coverage"], found["one_error"]) == (0.3333333333, 123456.789)
    assert found["warnings"] == "one two three" and pd.isna(found["accuracy"])
    assert module.trials_of(loaded) == MINE.trials()[-1:]
    formulas = ["=1+1", "@SUM(A1)", "-x", "+y", "'=z"]
    words = [*formulas, "'quoted'", "007", "nan", "a=b"]
    other = tiny(measure=Measure(len, ("least",), ("label",)), name="other")
    common = {name: value for name, value in row(1).items() if name in module.columns_of(other)}
    rows = [common | {"least": -2.5, "label": word, "split": i} for i, word in enumerate(words)]
    store.append(other, rows)
    assert store.load(other)["label"].tolist() == words
    assert set(store.load(other)["least"]) == {-2.5}
    cells = pd.read_csv(store.path("other"), dtype=str, keep_default_na=False)["label"]
    assert cells.tolist() == [*(f"'{word}" for word in formulas), *words[5:]]
    tidy = pd.DataFrame({"method": words, "mean": -0.5})
    written = frame_grid(tidy, tidy, "Words").to_csv().splitlines()
    assert written[1] == "'=1+1,-0.5" and written[-1] == "a=b,-0.5"


def test_of_a_trial_recorded_twice_the_last_counts_whatever_its_stages(store):
    """Fewer stages, as many, or more: blocks that follow each other, and blocks apart."""
    for n_stages in (3, 2, 2, 1, 4):
        for coverage in (n_stages, 9):
            block = [row(7, stage, n_stages, coverage=coverage) for stage in range(n_stages)]
            store.append(MINE, [row(8), *block] if coverage == 9 else block)
            own = store.load(MINE).query("split == 7")
            assert own["stage"].tolist() == list(range(n_stages))
            assert set(own["coverage"]) == {coverage}
    head, *lines = lines_of(store)
    store.rewrite(MINE)  # moves no line that it keeps
    assert splits(store) == [8, 7, 7, 7, 7] and lines_of(store) == [head, *lines[-5:]]
    store.rewrite(MINE, lambda rows: rows[rows["split"] != 8])
    assert lines_of(store) == [head, *lines[-4:]]


def test_a_staged_trial_counts_only_when_all_its_stages_are_there(store):
    """Stages may begin at 1. Of a torn repetition not even the first counts."""
    for split, n_torn, expected in ((0, 0, [0] * 3), (1, 1, [0] * 3), (1, 0, [0] * 3 + [1] * 3)):
        store.append(MINE, [row(split, stage, 3) for stage in (1, 2, 3)])
        write(store, lines_of(store)[: -n_torn or None])
        assert splits(store) == expected
    write(store, lines_of(store)[:-2])
    store.append(MINE, [row(2)])
    assert splits(store) == [0, 0, 0, 2]


def test_of_a_torn_file_what_is_whole_counts_and_the_next_append_goes_on(store):
    """Torn at every 29th byte, also within the header, and just before each end of line."""
    store.append(MINE, [row(0), row(1)])
    whole = store.path("mine").read_bytes()
    ends = [match.end() for match in re.finditer(b"\n", whole)]
    for end in {*range(0, len(whole), 29), *ends, *(end - 1 for end in ends)}:
        store.path("mine").write_bytes(whole[:end])
        kept = [0, 1][: max(sum(end >= one for one in ends) - 1, 0)]
        assert splits(store) == kept
        store.append(MINE, [row(2)])
        assert splits(store) == [*kept, 2]


def test_a_damaged_file_is_refused_by_name_and_not_changed(store):
    """Also by stray quotation marks, which join fields and lines."""
    store.append(MINE, [row(0), row(1, chosen='{"C": 1}')])
    head, first, second = lines_of(store)
    for lines, message in (
        ([head, first, "not,a,row\n"], "line 3: expected 29 columns, got 3; restore the file"),
        ([head, first, "\n", second], "line 3: expected 29 columns, got 0"),
        ([head, first.replace(",0.1,", ",much,"), second], ".*'much'"),
        ([head.replace("coverage", "cover"), first], "expected the columns"),
        ([head, first.replace("{}", '"{}'), second], "line 2: "),
        ([head, first, second.replace("{}", '"{}')], "line 3: "),
        ([head, first, '"' + second, first, '"' + second], "line 3: "),
        ([head, f'{first[:-9]}"{first[-9:]}', '"\n', second], "line 2: "),
    ):
        write(store, lines)
        for call in store.load, store.rewrite:
            with pytest.raises(StoreError, match=rf"mine\.csv: {message}"):
                call(MINE)
        assert lines_of(store) == lines


def test_a_row_that_was_edited_is_damaged_and_stays_it(store):
    """Another value; another split, and with it another seed; a quotation mark; the seal itself."""
    run(store)
    lines = lines_of(store)
    seal = lines[2].rstrip("\n")[-module.SEAL :]
    for old, new in (
        (",0.", ",0.9"),
        (",0,0,1,", ",5,0,1,"),
        ("{}", '{}"'),
        (seal, "0" * module.SEAL),
    ):
        assert old in lines[2]
        write(store, [*lines[:2], lines[2].replace(old, new, 1), *lines[3:]])
        marked = [code.startswith(DAMAGED) for code in store.load(MINE)["code"]]
        assert marked == [False, True, False, False]
    store.rewrite(MINE)  # with new seals
    assert sorted(records(MINE, store=store)["state"]) == ["current"] * 3 + ["damaged"]
    store.mark(MINE, {keys_of(store.load(MINE))[0]})
    assert sorted(records(MINE, store=store)["state"]) == ["current"] * 2 + ["damaged", "differs"]
    assert set(run(store)["state"]) == {"current"}


def test_records_come_in_the_order_of_the_trials_however_they_were_recorded(store, tmp_path):
    forwards, backwards = run(store), Store(tmp_path / "backwards", CATALOGUE)
    backwards.append(MINE, store.load(MINE)[::-1].to_dict("records"))
    pd.testing.assert_frame_equal(records(MINE, store=backwards), forwards)
    assert forwards["method"].tolist() == list(METHODS) * 2
    assert len(records(tiny(n_splits=1), store=store)) == 2  # what is no trial is left out


def outcome(recorded_code, code, outcome="equal", **others):
    key = {"experiment": "mine", "method": "Ml-knn", "recorded_code": recorded_code, "code": code}
    return key | {"outcome": outcome, "n_checked": 1, "largest_difference": 0.1 + 0.2} | others


def test_a_store_over_another_reads_both_and_writes_to_its_own_folder(store, tmp_path):
    """Its own rows win, whatever their stages. What the base has is not run again."""
    above = Store(tmp_path / "above", CATALOGUE, base=store)
    run(store, tiny(n_splits=1))
    store.append(MINE, [row(1, stage, 2, coverage=7.0) for stage in (0, 1)])
    store.add_outcomes([outcome("a", "b")])
    before = [*map(Path.read_bytes, store.folder.iterdir())]
    pd.testing.assert_frame_equal(above.load(MINE), store.load(MINE))  # with its types
    assert set(run(above)["state"]) == {"current"}
    assert above.load(MINE)["coverage"].max() < 7 and len(above.load(MINE)) == 4
    assert set(Store(above.folder, CATALOGUE).load(MINE)["split"]) == {1}
    above.mark(MINE, set(keys_of(above.load(MINE))))
    above.add_outcomes([outcome("a", "b", "different"), outcome("b", "c")])
    found = above.outcomes()[["recorded_code", "code", "outcome"]].to_numpy().tolist()
    assert found == [["a", "b", "different"], ["b", "c", "equal"]]
    above.rewrite(MINE, lambda rows: rows[:0])
    assert [*map(Path.read_bytes, store.folder.iterdir())] == before


def test_outcomes_keep_every_digit_and_the_last_of_each_group_and_machine(store):
    """Also of a commit whose hash looks like a number."""
    assert store.outcomes().empty
    for commit in "12345e678901", "000000000012":
        store.add_outcomes([outcome("0123", commit[:1], commit=commit, machine="here")])
    for word in "equal", "close":
        store.add_outcomes([outcome("0123", "0", word, commit="012", machine="there")])
    table = store.outcomes()
    assert table["commit"].tolist() == ["000000000012", "012", "12345e678901"]
    assert table["outcome"].tolist() == ["equal", "close", "equal"]
    assert set(table["recorded_code"]) == {"0123"}
    assert (table["largest_difference"] == 0.1 + 0.2).all()


def test_a_record_of_other_code_is_not_current_unless_attested_and_its_settings_are_the_same(
    store, monkeypatch
):
    recorded = run(store)["code"][1].split(".")[0]
    changed = "least = 2 if reset", "least = 3 if reset"
    edit(monkeypatch, "mimlpaper.baselines.binary_relevance", *changed)
    assert states(MINE, store) == {"MimlNn": "current", "Ml-knn": "code changed"}
    today = module.current_code(MINE, CATALOGUE, TINY, "Ml-knn", "{}").split(".")[0]
    store.add_outcomes([outcome(recorded, today), outcome(recorded, "other", "different")])
    assert states(MINE, store) == {"MimlNn": "current", "Ml-knn": "current"}
    for later, state in (
        ("different", "differs"),
        ("damaged", "code changed"),
        ("failed", "code changed"),
    ):
        store.add_outcomes([outcome(recorded, today, later)])
        assert states(MINE, store) == {"MimlNn": "current", "Ml-knn": state}
    store.add_outcomes([outcome(recorded, today, "close"), outcome("other", today, "different")])
    assert states(MINE, store) == {"MimlNn": "current", "Ml-knn": "current"}
    METHODS["Ml-knn"].set_params(mlknn__n_neighbors=4)
    other_settings = states(MINE, store)
    METHODS["Ml-knn"].set_params(mlknn__n_neighbors=3)
    assert other_settings == {"MimlNn": "current", "Ml-knn": "code changed"}
    store.add_outcomes([outcome(recorded, today, "different", machine="elsewhere")])
    assert states(MINE, store) == {"MimlNn": "current", "Ml-knn": "differs"}


def test_records_of_other_data_are_not_current_also_when_their_code_is_attested(store):
    """The manifest names the content of a file; drawn data are known by the code that draws."""
    mine = tiny({"Ml-knn": METHODS["Ml-knn"]}, datasets=("scene",))
    today, settings = module.current_code(mine, CATALOGUE, "scene", "Ml-knn", "{}").split(".")
    store.add_outcomes([outcome("older", today)])
    sha256 = manifest()[source_of("scene").files[0]].sha256
    for code in (today, "older"):
        for data_sha256, expected in (
            (sha256, "current"),
            ("0" * 64, "data changed"),
            ("", "data changed"),
        ):
            about = {"dataset": "scene", "code": f"{code}.{settings}", "data_sha256": data_sha256}
            store.append(mine, [row(0) | about])
            assert states(mine, store) == {"Ml-knn": expected}


def test_versions_that_differ_from_the_recorded_ones_are_named(store):
    run(store)
    store.add_outcomes([outcome("a", "b")])
    assert module.other_versions(store) == ""
    store.append(MINE, [row(0, versions="numba 0.1; numpy 1.9")])
    found = r"Recorded with numba 0.1, numpy 1.9; here are python 3.*, numpy \d.*\."
    assert re.fullmatch(found, module.other_versions(store))


def test_a_full_disk_loses_nothing_and_says_so(store, monkeypatch):
    """The whole row is written, and the disk says no when it is synced."""
    store.append(MINE, [row(0)])
    before = store.path("mine").read_bytes()
    monkeypatch.setattr(os, "fsync", raising(OSError(28, "No space left on device")))
    with pytest.raises(StoreError, match=r"mine\.csv: .*No space left.* before is intact"):
        store.append(MINE, [row(1), row(2)])
    assert store.path("mine").read_bytes() == before


def test_what_cannot_be_written_is_named_before_a_trial_runs(tmp_path, monkeypatch):
    """A file in the folder's place, a folder in the place of the file or of its lock."""
    monkeypatch.setattr(
        "mimlstudy.engine.execution.run_trials", lambda *_, **__: pytest.fail("ran")
    )
    (tmp_path / "taken").write_text("a file where the folder should be")
    for name in ("folder/mine.csv", "locked/.mine.lock"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("taken", "folder", "locked"):
        with pytest.raises(StoreError, match=f"cannot record to {tmp_path / name / 'mine.csv'}"):
            run(Store(tmp_path / name, CATALOGUE))


def test_a_trial_that_is_committed_stands_once_in_its_file():
    store = default_store()
    for experiment in EXPERIMENTS.values():
        path = store.path(experiment.name)
        if path.is_file():
            assert path.read_bytes().count(b"\n") - 1 == len(store.load(experiment)), path
