"""Nothing recorded is lost or mixed up: torn rows, damaged files, two stores, marks and states."""

import os
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mimlpaper.datasets import fetch
from mimlstudy.engine import records as module
from mimlstudy.engine.arithmetic import PINNED
from mimlstudy.engine.execution import compute
from mimlstudy.engine.records import OUTCOMES, Store, keys_of, records
from mimlstudy.engine.rows import SEAL_DIGITS, StoreError, sealed
from mimlstudy.paper import contents
from mimlstudy.paper.catalogue import CATALOGUE, default_store
from mimlstudy.paper.experiments import EXPERIMENTS
from mimlstudy.paper.measures import Measure
from mimlstudy.report.tables import frame_grid
from tests.made_up_study import METHODS, TINY, change_records, edit, raising, states, tiny

MINE = tiny()
COLUMNS = module.columns_of(MINE.measure)


def run(store, experiment=MINE):
    return compute(experiment, store=store, jobs=1)


def row(split, stage=0, n_stages=1, columns=COLUMNS, **values):
    key = {"experiment": "mine", "dataset": TINY, "method": "Ml-knn", "override": "{}"}
    stages = {"split": split, "stage": stage, "n_stages": n_stages, "hamming_loss": 0.1}
    counts = {"n_train": 18, "n_test": 6}
    return sealed(key | stages | counts | values, columns)


def splits(store):
    return store.load(MINE)["split"].tolist()


def lines_of(store):
    return store.path("mine").read_text().splitlines(keepends=True)


def write(store, lines):
    store.path("mine").write_text("".join(lines))


def test_rows_come_back_as_written(store):
    """Ten digits; words stay texts, also what looks like a number."""
    assert store.load(MINE).empty
    assert list(store.load(MINE).columns) == [*COLUMNS, "seal"]
    words = {"chosen": '{"a": 1, "b": "x,y"}', "warnings": "one\ntwo\u2028three", "code": "0123"}
    store.append(MINE, [row(1, coverage=1 / 3, seconds=123456.7890123, **words)])
    loaded = store.load(MINE)
    assert module.trials_of(loaded) == MINE.trials()[-1:]
    (read,) = loaded.to_dict("records")
    assert read["doubt"] == ""
    assert read["split"] == 1
    assert read["chosen"] == words["chosen"]
    assert read["code"] == "0123"
    assert read["warnings"] == "one two three"
    assert read["coverage"] == 0.3333333333
    assert read["seconds"] == 123456.789
    assert pd.isna(read["accuracy"])


def test_a_spreadsheet_takes_no_word_for_a_formula(store):
    formulas = ["=1+1", "@SUM(A1)", "-x", "+y", "'=z"]
    words = [*formulas, "'quoted'", "007", "nan", "a=b"]
    measure = Measure(len, ("least",), ("label",))
    other = tiny(measure=measure, name="other")
    columns = module.columns_of(measure)
    rows = [row(i, columns=columns, least=-2.5, label=word) for i, word in enumerate(words)]
    store.append(other, rows)
    loaded = store.load(other)
    assert loaded["label"].tolist() == words
    assert set(loaded["least"]) == {-2.5}
    assert set(loaded["doubt"]) == {""}
    cells = pd.read_csv(store.path("other"), dtype=str, keep_default_na=False)["label"]
    assert cells.tolist() == [*(f"'{word}" for word in formulas), *words[5:]]
    tidy = pd.DataFrame({"method": words, "mean": -0.5})
    written = frame_grid(tidy, tidy, "Words").to_csv().splitlines()
    assert written[1] == "'=1+1,-0.5"
    assert written[-1] == "a=b,-0.5"


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
    """Torn at every 29th byte, also within the header, and before and after each end of line."""
    store.append(MINE, [row(0), row(1)])
    whole = store.path("mine").read_bytes()
    header_end, *row_ends = [match.start() for match in re.finditer(b"\n", whole)]
    ends = [header_end, *row_ends]
    for end in {*range(0, len(whole), 29), *ends, *(end + 1 for end in ends)}:
        store.path("mine").write_bytes(whole[:end])
        kept = [0, 1][: sum(end >= row_end for row_end in row_ends)]
        assert splits(store) == kept
        store.append(MINE, [row(2)])
        assert splits(store) == [*kept, 2]


def test_a_last_line_without_its_end_is_whole_and_line_ends_may_be_of_any_system(store):
    """An editor may leave off the last end of line, and Git or an old system may write CR."""
    store.append(MINE, [row(0), row(1)])
    whole = store.path("mine").read_bytes()
    for data in (
        whole,
        whole.removesuffix(b"\n"),
        whole.replace(b"\n", b"\r\n"),
        whole.replace(b"\n", b"\r"),
    ):
        store.path("mine").write_bytes(data)
        assert splits(store) == [0, 1]
        store.append(MINE, [row(2)])
        assert splits(store) == [0, 1, 2]
        assert set(store.load(MINE)["doubt"]) == {""}


N_COLUMNS = len(COLUMNS) + 1


def test_a_damaged_file_is_refused_by_name_and_not_changed(store):
    """Also by stray quotation marks, which join fields and lines."""
    store.append(MINE, [row(0), row(1, chosen='{"C": 1}')])
    head, first, second = lines_of(store)
    for lines, message in (
        ([head, first, "not,a,row\n"], f"line 3: expected {N_COLUMNS} columns, got 3; restore"),
        ([head, first, "\n", second], f"line 3: expected {N_COLUMNS} columns, got 0"),
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


def test_a_row_that_was_edited_is_damaged_until_it_is_recorded_again(store):
    """Another value; another split, and with it another seed; a quotation mark; the seal itself."""
    run(store)
    lines = lines_of(store)
    seal = lines[2].rstrip("\n")[-SEAL_DIGITS:]
    for old, new in (
        (",0.", ",0.9"),
        (",0,0,1,", ",5,0,1,"),
        ("{}", '{}"'),
        (seal, "0" * SEAL_DIGITS),
    ):
        assert old in lines[2]
        write(store, [*lines[:2], lines[2].replace(old, new, 1), *lines[3:]])
        assert store.load(MINE)["doubt"].tolist() == ["", "damaged", "", ""]
    store.rewrite(MINE)
    store.mark(MINE, set(keys_of(store.load(MINE))[:2]))
    assert records(MINE, store=store)["state"].tolist() == [
        "differs",
        "damaged",
        "current",
        "current",
    ]
    assert set(run(store)["state"]) == {"current"}


def test_numbers_that_cannot_be_are_damaged_whatever_their_seal(store):
    """A share above 1, infinity, negative seconds and counts."""
    for values in (
        {"hamming_loss": 5.0},
        {"one_error": -0.1},
        {"coverage": np.inf},
        {"seconds": -1.0},
        {"fit_seconds": -1.0},
        {"n_test": -6},
        {"n_train": ""},
    ):
        store.append(MINE, [row(0, **values)])
        assert store.load(MINE)["doubt"].tolist() == ["damaged"], values
    store.append(MINE, [row(0, coverage=7.5)])
    assert store.load(MINE)["doubt"].tolist() == [""]


def test_a_store_opens_only_if_rows_come_back_as_they_are_known(store, monkeypatch):
    """A slip in what writes or reads rows."""

    def swapped(rows, columns, **options):
        rows = [row | {"n_train": row["n_test"], "n_test": row["n_train"]} for row in rows]
        return honest_writer(rows, columns, **options)

    def halved(*given):
        table = honest_reader(*given)
        return table.assign(share=table["share"] / 2)

    honest_writer, honest_reader = module.to_csv, module._parse
    for name, slip in (("to_csv", swapped), ("_parse", halved)):
        with monkeypatch.context() as patched:
            patched.setattr(module, name, slip)
            with pytest.raises(StoreError, match="not written and read as they should be"):
                Store(store.folder, CATALOGUE)


def test_records_come_in_the_order_of_the_trials_however_they_were_recorded(store, tmp_path):
    forwards, backwards = run(store), Store(tmp_path / "backwards", CATALOGUE)
    backwards.append(MINE, store.load(MINE)[::-1].to_dict("records"))
    pd.testing.assert_frame_equal(records(MINE, store=backwards), forwards)
    assert forwards["method"].tolist() == list(METHODS) * 2
    assert len(records(tiny(n_splits=1), store=store)) == 2  # what is no trial is left out


def outcome(recorded_code, code, outcome="equal", **others):
    """What verify found of records by one code, compared with another."""
    made = {"recorded_code": recorded_code, "recorded_arithmetic": PINNED}
    group = {"experiment": "mine", "method": "Ml-knn", "settings": "s", "code": code}
    found = {"outcome": outcome, "n_checked": 1, "largest_difference": 0.1 + 0.2}
    return dict.fromkeys(OUTCOMES, "") | made | group | found | others


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


def test_outcomes_keep_the_last_of_each_group_and_machine(store):
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
    assert table["largest_difference"].tolist() == [0.3] * 3


def test_damaged_outcomes_are_refused_with_the_way_out(store):
    store.add_outcomes([outcome("a", "b"), outcome("b", "c")])
    path = store.path("verified")
    whole = path.read_bytes()
    for damaged, message in (
        (whole.replace(b",equal,", b",close,", 1), "line 2: it does not agree with its seal"),
        (whole.replace(b"Ml-knn", b"Ml-\xff\xfe", 1), "line 2: it does not agree"),
        (whole.replace(b"outcome", b"outcomes", 1), "expected the columns"),
        (b"", "expected the columns .* got none"),
        (b"<<<<<<< HEAD\n" + whole, "line 1: expected"),
        (whole + b">>>>>>> theirs\n", "line 4: expected"),
    ):
        path.write_bytes(damaged)
        with pytest.raises(StoreError, match=rf"(?s)verified\.csv: {message}.*verify` again"):
            store.outcomes()
    path.unlink()
    assert store.outcomes().empty


def test_a_record_of_other_code_is_current_if_verify_found_the_same_on_every_machine(
    store, monkeypatch
):
    recorded = run(store).query("method == 'Ml-knn'").iloc[0]
    changed = "min(self.n_neighbors, len(Y) - 1)", "min(self.n_neighbors, len(Y) - 2)"
    edit(monkeypatch, "mimlpaper.baselines.binary_relevance", *changed)

    def found(word, recorded_code=recorded["code"], **others):
        today = module.fingerprint_today(MINE, CATALOGUE, TINY, "Ml-knn", "{}").code
        settings = {"settings": recorded["settings"]}
        store.add_outcomes([outcome(recorded_code, today, word, **settings | others)])
        (state,) = records(MINE, store=store, methods=["Ml-knn"])["state"].unique()
        return state

    assert states(MINE, store) == {"MimlNn": "current", "Ml-knn": "code changed"}
    assert found("equal", "other code") == "code changed"
    assert found("equal", settings="other settings") == "code changed"
    assert found("equal", recorded_arithmetic="other arithmetic") == "code changed"
    assert found("equal") == "current"
    assert found("different", "other code") == "current"
    assert found("damaged") == "code changed"
    assert found("failed") == "code changed"
    assert found("different") == "differs"
    assert found("close") == "current"
    assert found("different", machine="elsewhere") == "differs"
    assert states(MINE, store) == {"MimlNn": "current", "Ml-knn": "differs"}


def test_a_record_with_other_settings_is_not_current(store):
    run(store)
    METHODS["Ml-knn"].set_params(mlknn__n_neighbors=4)
    try:
        found = states(MINE, store)
    finally:
        METHODS["Ml-knn"].set_params(mlknn__n_neighbors=3)
    assert found == {"MimlNn": "current", "Ml-knn": "settings changed"}


def test_a_record_of_another_arithmetic_is_current_only_where_that_is_in_use(store, monkeypatch):
    run(store)
    change_records(store, MINE, lambda rows: rows.assign(arithmetic="an old one"))
    assert set(records(MINE, store=store)["state"]) == {"other arithmetic"}
    monkeypatch.setattr(module, "arithmetic", lambda: "an old one")
    assert set(records(MINE, store=store)["state"]) == {"current"}


def test_records_of_other_data_are_not_current(store, monkeypatch):
    """Every file of a data set counts, and what its loader gave of them."""
    mine = tiny({"Ml-knn": METHODS["Ml-knn"]}, datasets=("hja",))
    made_by = module.fingerprint_today(mine, CATALOGUE, "hja", "Ml-knn", "{}")._asdict()
    content = CATALOGUE.content("hja")
    for data, expected in (("0" * 64, "data changed"), ("", "data changed"), (content, "current")):
        about = {"dataset": "hja", "arithmetic": PINNED, "data_sha256": data}
        store.append(mine, [row(0, **made_by, **about)])
        assert states(mine, store) == {"Ml-knn": expected}
    entries = fetch.manifest()
    labels = fetch.source_of("hja").files[2]
    entries[labels] = replace(entries[labels], sha256="1" * 64)
    monkeypatch.setattr(fetch, "manifest", lambda: entries)
    contents._manifest.cache_clear()
    contents.listed_contents.cache_clear()
    assert states(mine, store) == {"Ml-knn": "data changed"}


@pytest.fixture(autouse=True)
def _contents_are_read_again():
    yield
    contents._manifest.cache_clear()
    contents.listed_contents.cache_clear()


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
