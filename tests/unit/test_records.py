"""Nothing recorded is lost or mixed up: torn rows, damaged files, two stores, a full disk."""

import os
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mimlpaper.paths import write_whole
from mimlstudy.engine import records as module
from mimlstudy.engine.execution import compute
from mimlstudy.engine.records import KEY, Store, columns_of, read_records
from mimlstudy.engine.rows import SEAL_DIGITS, StoreError, sealed
from mimlstudy.paper.catalogue import CATALOGUE, default_store
from mimlstudy.paper.experiments import EXPERIMENTS
from mimlstudy.paper.measures import Measure
from mimlstudy.report.tables import frame_grid
from tests.made_up_outcomes import outcome
from tests.made_up_study import METHODS, made_up_row, raising, tiny

MINE = tiny()
COLUMNS = columns_of(MINE.measure)


def run(store, experiment=MINE):
    return compute(experiment, store=store, jobs=1)


def splits(store):
    return store.load(MINE)["split"].tolist()


def lines_of(store):
    return store.path("mine").read_text().splitlines(keepends=True)


def write(store, lines):
    store.path("mine").write_text("".join(lines))


def contents(folder):
    return [path.read_bytes() for path in folder.iterdir()]


def test_an_empty_store_has_no_rows_and_all_columns(store):
    loaded = store.load(MINE)
    assert loaded.empty
    assert list(loaded.columns) == [*COLUMNS, "seal"]


def test_rows_come_back_as_written(store):
    """Ten digits; words stay texts, also what looks like a number."""
    words = {
        "chosen": '{"a": 1, "b": "x,y"}',
        "warnings": "one\ntwo\u2028three",
        "code": "0123",
    }
    numbers = {"coverage": 1 / 3, "seconds": 123456.7890123}
    store.append(MINE, [made_up_row(1, **numbers, **words)])
    loaded = store.load(MINE)
    assert module.trials_of(loaded) == MINE.trials()[-1:]
    (row,) = loaded.to_dict("records")
    assert row["doubt"] == ""
    assert row["split"] == 1
    assert row["chosen"] == words["chosen"]
    assert row["code"] == "0123"
    assert row["warnings"] == "one two three"
    assert row["coverage"] == 0.3333333333
    assert row["seconds"] == 123456.789
    assert pd.isna(row["accuracy"])


# A spreadsheet would compute the first five; a quotation mark before them makes them words.
FORMULAS = ["=1+1", "@SUM(A1)", "-x", "+y", "'=z"]
HARMLESS = ["'quoted'", "007", "nan", "a=b"]
WORDS = [*FORMULAS, *HARMLESS]


def test_a_spreadsheet_takes_no_recorded_word_for_a_formula(store):
    measure = Measure(len, ("least",), ("label",))
    columns = columns_of(measure)
    worded = tiny(measure=measure, name="worded")
    rows = []
    for split, word in enumerate(WORDS):
        rows.append(made_up_row(split, columns=columns, least=-2.5, label=word))
    store.append(worded, rows)
    loaded = store.load(worded)
    assert loaded["label"].tolist() == WORDS
    assert set(loaded["least"]) == {-2.5}
    assert set(loaded["doubt"]) == {""}
    path = store.path("worded")
    cells = pd.read_csv(path, dtype=str, keep_default_na=False)
    quoted = [f"'{formula}" for formula in FORMULAS]
    assert cells["label"].tolist() == quoted + HARMLESS


def test_a_spreadsheet_takes_no_word_of_a_table_for_a_formula():
    tidy = pd.DataFrame({"method": WORDS, "mean": -0.5})
    written = frame_grid(tidy, tidy, "Words").to_csv().splitlines()
    assert written[1] == "'=1+1,-0.5"
    assert written[-1] == "a=b,-0.5"


def block_of_stages(split, n_stages, coverage):
    block = []
    for stage in range(n_stages):
        row = made_up_row(split, stage, n_stages, coverage=coverage)
        block.append(row)
    return block


def test_of_a_trial_recorded_twice_the_last_counts_whatever_its_stages(store):
    """Fewer stages, as many, or more: blocks that follow each other, and blocks apart."""
    for n_stages in (3, 2, 2, 1, 4):
        adjacent = block_of_stages(7, n_stages, coverage=n_stages / 2)
        store.append(MINE, adjacent)
        loaded = store.load(MINE).query("split == 7")
        assert loaded["stage"].tolist() == list(range(n_stages))
        assert set(loaded["coverage"]) == {n_stages / 2}
        apart = block_of_stages(7, n_stages, coverage=3)
        store.append(MINE, [made_up_row(8), *apart])
        loaded = store.load(MINE).query("split == 7")
        assert loaded["stage"].tolist() == list(range(n_stages))
        assert set(loaded["coverage"]) == {3}


def test_a_trial_with_a_wrong_number_of_stages_in_one_row_is_not_whole(store):
    store.append(MINE, block_of_stages(7, 3, coverage=1))
    lines = store.path(MINE.name).read_text().splitlines()
    place = lines[0].split(",").index("n_stages")
    last = lines[-1].split(",")
    last[place] = "7"
    write_whole(store.path(MINE.name), "\n".join([*lines[:-1], ",".join(last), ""]))
    assert store.load(MINE).empty


def test_rewriting_moves_no_line_that_it_keeps(store):
    store.append(MINE, block_of_stages(7, 2, coverage=1))
    store.append(MINE, [made_up_row(8), *block_of_stages(7, 4, coverage=3)])
    header, *lines = lines_of(store)
    store.rewrite(MINE)
    assert splits(store) == [8, 7, 7, 7, 7]
    assert lines_of(store) == [header, *lines[-5:]]
    store.rewrite(MINE, lambda rows: rows[rows["split"] != 8])
    assert lines_of(store) == [header, *lines[-4:]]


def test_rewriting_keeps_the_digits_of_numbers(store):
    """A negative zero is read as zero, and a count beside an empty cell as a float."""
    measure = Measure(len, ("least", "steps"), may_lack=("steps",))
    counted = tiny(measure=measure, name="mine")
    columns = columns_of(measure)
    first = made_up_row(0, columns=columns, least=-0.0, steps=12345678901)
    second = made_up_row(1, columns=columns, least=1.0)
    store.append(counted, [first, second])
    lines = lines_of(store)
    store.rewrite(counted)
    assert lines_of(store) == lines
    assert set(store.load(counted)["doubt"]) == {""}


def test_a_store_knows_all_layers_below_it(tmp_path):
    lowest = Store(tmp_path / "a", CATALOGUE)
    middle = Store(tmp_path / "b", CATALOGUE, base=lowest)
    highest = Store(tmp_path / "c", CATALOGUE, base=middle)
    assert highest.layers() == [highest, middle, lowest]


@pytest.mark.parametrize("coverage", [None, True, "much"])
def test_a_number_that_could_not_be_read_again_is_not_recorded(store, two_rows, coverage):
    """It would block the file, also for the rows that are right."""
    with pytest.raises(StoreError, match=r"cannot record to .*mine\.csv"):
        store.append(MINE, [made_up_row(2, coverage=coverage)])
    assert store.path("mine").read_bytes() == two_rows


def test_a_staged_trial_counts_only_when_all_its_stages_are_there(store):
    """Stages may begin at 1. A torn repetition does not hide the whole trial before it."""

    def append_three_stages(split):
        store.append(MINE, [made_up_row(split, stage, 3) for stage in (1, 2, 3)])

    append_three_stages(split=0)
    assert splits(store) == [0, 0, 0]
    append_three_stages(split=1)
    write(store, lines_of(store)[:-1])
    assert splits(store) == [0, 0, 0]
    append_three_stages(split=1)
    assert splits(store) == [0, 0, 0, 1, 1, 1]
    write(store, lines_of(store)[:-2])
    store.append(MINE, [made_up_row(2)])
    assert splits(store) == [0, 0, 0, 2]
    append_three_stages(split=0)
    write(store, lines_of(store)[:-1])
    assert splits(store) == [0, 0, 0, 2]


@pytest.fixture
def two_rows(store):
    """The bytes of a file with two rows."""
    store.append(MINE, [made_up_row(0), made_up_row(1)])
    return store.path("mine").read_bytes()


def test_of_a_torn_file_what_is_whole_counts_and_the_next_append_goes_on(store, two_rows):
    """Torn at every 29th byte, also within the header, and before and after each end of line."""
    line_ends = [match.start() for match in re.finditer(b"\n", two_rows)]
    _, *row_ends = line_ends
    after_line_ends = [end + 1 for end in line_ends]
    for end in {*range(0, len(two_rows), 29), *line_ends, *after_line_ends}:
        store.path("mine").write_bytes(two_rows[:end])
        n_whole = sum(end >= row_end for row_end in row_ends)
        whole = list(range(n_whole))
        assert splits(store) == whole
        store.append(MINE, [made_up_row(2)])
        assert splits(store) == [*whole, 2]


# An editor may leave off the last end of line, and Git or an old system may write CR.
LINE_ENDS = {
    "as written": lambda data: data,
    "no last one": lambda data: data.removesuffix(b"\n"),
    "of Windows": lambda data: data.replace(b"\n", b"\r\n"),
    "of an old Mac": lambda data: data.replace(b"\n", b"\r"),
}


@pytest.mark.parametrize("line_ends", LINE_ENDS)
def test_a_last_line_without_its_end_is_whole_and_line_ends_may_be_of_any_system(
    store, two_rows, line_ends
):
    changed = LINE_ENDS[line_ends](two_rows)
    store.path("mine").write_bytes(changed)
    assert splits(store) == [0, 1]
    store.append(MINE, [made_up_row(2)])
    assert splits(store) == [0, 1, 2]
    assert set(store.load(MINE)["doubt"]) == {""}


def damaged_files(header, row, quoting):
    """Lines of damaged files, made from good ones, and what is said of each."""
    n_columns = len(COLUMNS) + 1
    expected = f"expected {n_columns} columns"
    wordy = row.replace(",0.1,", ",much,")
    renamed = header.replace("coverage", "cover")
    # A stray quotation mark joins fields and lines.
    unclosed = row.replace("{}", '"{}')
    unclosed_quoting = quoting.replace("{}", '"{}')
    in_the_seal = f'{row[:-9]}"{row[-9:]}'
    return [
        ([header, row, "not,a,row\n"], f"line 3: {expected}, got 3; restore"),
        ([header, row, "\n", quoting], f"line 3: {expected}, got 0"),
        ([header, wordy, quoting], ".*'much'"),
        ([renamed, row], "line 1: expected the heads of .*got others: ..cover"),
        ([header, unclosed, quoting], "line 2: "),
        ([header, row, unclosed_quoting], "line 3: "),
        ([header, row, '"' + quoting, row, '"' + quoting], "line 3: "),
        ([header, in_the_seal, '"\n', quoting], "line 2: "),
    ]


def test_a_damaged_file_is_refused_by_name_and_not_changed(store):
    store.append(MINE, [made_up_row(0), made_up_row(1, chosen='{"C": 1}')])
    for lines, message in damaged_files(*lines_of(store)):
        write(store, lines)
        with pytest.raises(StoreError, match=rf"mine\.csv: {message}"):
            store.load(MINE)
        with pytest.raises(StoreError, match=rf"mine\.csv: {message}"):
            store.rewrite(MINE)
        assert lines_of(store) == lines


def test_a_row_that_was_edited_is_damaged(store):
    """Another value; another split, and with it another seed; a quotation mark; the seal itself."""
    run(store)
    lines = lines_of(store)
    seal = lines[2].rstrip("\n")[-SEAL_DIGITS:]
    edits = {
        ",0.": ",0.9",
        ",0,0,1,": ",5,0,1,",
        "{}": '{}"',
        seal: "0" * SEAL_DIGITS,
    }
    for old, new in edits.items():
        assert old in lines[2]
        edited = lines[2].replace(old, new, 1)
        write(store, [*lines[:2], edited, *lines[3:]])
        assert store.load(MINE)["doubt"].tolist() == ["", "damaged", "", ""]


def test_a_rule_that_was_wrong_leaves_no_doubt_in_the_file(store):
    run(store)
    strict = replace(MINE.measure, ranges=(("coverage", 1e6, 2e6),))
    wrong = replace(MINE, measure=strict)
    assert set(store.load(wrong)["doubt"]) == {"damaged"}
    store.rewrite(wrong)
    assert set(store.load(MINE)["doubt"]) == {""}


def test_a_damaged_row_stays_damaged_until_it_is_recorded_again(store):
    run(store)
    lines = lines_of(store)
    lines[2] = lines[2].replace(",0.", ",0.9", 1)
    write(store, lines)
    store.rewrite(MINE)
    store.mark_as_differing(MINE, store.load(MINE)[:2])
    table = read_records(MINE, store=store)
    assert table["state"].tolist() == ["differs", "damaged", "current", "current"]
    assert set(run(store)["state"]) == {"current"}


def test_a_trial_with_a_damaged_stage_stays_damaged_when_it_differs(store):
    store.append(MINE, block_of_stages(1, 3, coverage=1.25))
    lines = lines_of(store)
    lines[2] = lines[2].replace(",1.25,", ",2.25,", 1)
    write(store, lines)
    damaged = store.load(MINE)
    assert damaged["doubt"].tolist() == ["", "damaged", ""]
    assert read_records(MINE, store=store)["state"].tolist() == ["damaged"] * 3
    store.mark_as_differing(MINE, damaged)
    pd.testing.assert_frame_equal(store.load(MINE), damaged)


IMPOSSIBLE = [
    {"hamming_loss": 5.0},
    {"one_error": -0.1},
    {"coverage": np.inf},
    {"coverage": -3.0},
    {"coverage": 3.5},  # the last of four labels has the rank 3
    {"hamming_loss": np.nan},
    {"accuracy": 0.5},
    {"seconds": -1.0},
    {"seconds": np.nan},
    {"fit_seconds": -1.0},
    {"fit_seconds": np.nan},
    {"n_test": -6},
    {"n_test": 0},
    {"n_train": ""},
    {"n_train": 0},
    {"n_train": 1.5},
    {"split": 0.5},
    {"stage": -1},
]


@pytest.mark.parametrize("values", IMPOSSIBLE, ids=str)
def test_numbers_that_cannot_be_are_damaged_whatever_their_seal(store, values):
    store.append(MINE, [made_up_row(**{"split": 0} | values)])
    assert doubts(store, MINE) == ["damaged"]


def doubts(store, experiment):
    """The doubt in each record of an experiment."""
    return store.load(experiment)["doubt"].tolist()


POSSIBLE = [
    {"coverage": 3.0},
    {"coverage": np.nan},  # no test bag has a label
    {"hamming_loss": np.nan, "accuracy": 0.5},  # data with one label
    {"hamming_loss": 0.0, "seconds": 0.0},
    {"split": 99, "n_train": 1, "n_test": 1},
]


@pytest.mark.parametrize("values", POSSIBLE, ids=str)
def test_numbers_that_can_be_have_no_doubt(store, values):
    store.append(MINE, [made_up_row(**{"split": 0} | values)])
    assert doubts(store, MINE) == [""]


MEASURED = Measure(
    len,
    ("n_settings", "gap", "later"),
    counts=("n_settings",),
    may_lack=("later",),
    ranges=(("gap", -3, 3), ("later", 0, np.inf)),
)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, ""),
        ({"gap": -2.5, "later": 1.0}, ""),
        ({"gap": np.nan}, "damaged"),
        ({"gap": 3.5}, "damaged"),
        ({"gap": -3.5}, "damaged"),
        ({"later": -1.0}, "damaged"),
        ({"n_settings": 1.5}, "damaged"),
        ({"n_settings": -1}, "damaged"),
    ],
    ids=str,
)
def test_a_measure_says_which_numbers_are_possible_and_which_may_lack(
    store, values, expected
):
    """No number is of the test set, which may be empty."""
    measured = tiny(measure=MEASURED, name="measured")
    numbers = {"n_settings": 4, "gap": 0.5, "n_test": 0} | values
    store.append(measured, [made_up_row(0, columns=columns_of(MEASURED), **numbers)])
    assert doubts(store, measured) == [expected]


def test_a_row_of_data_that_nobody_knows_hides_no_other_row(store):
    store.append(MINE, [made_up_row(0), made_up_row(1, dataset="nowhere")])
    assert doubts(store, MINE) == ["", ""]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_published_trial_stands_once_in_its_file_with_possible_numbers(name):
    store = default_store()
    rows = store.load(EXPERIMENTS[name])
    assert set(rows["doubt"]) <= {"", "differs"}
    path = store.path(name)
    if path.is_file():
        n_lines = path.read_bytes().count(b"\n")
        assert n_lines == len(rows) + 1


def test_a_store_opens_only_if_the_writer_of_rows_writes_what_it_is_given(store, monkeypatch):
    honest_writer = module.to_csv

    def swapping_writer(rows, columns, **options):
        swapped = []
        for row in rows:
            counts = {"n_train": row["n_test"], "n_test": row["n_train"]}
            swapped.append(row | counts)
        return honest_writer(swapped, columns, **options)

    monkeypatch.setattr(module, "to_csv", swapping_writer)
    with pytest.raises(StoreError, match="not written and read as they should be"):
        Store(store.folder, CATALOGUE)


def test_a_store_opens_only_if_the_reader_of_rows_gives_what_is_written(store, monkeypatch):
    honest_reader = module._parse

    def halving_reader(*arguments):
        table = honest_reader(*arguments)
        return table.assign(share=table["share"] / 2)

    monkeypatch.setattr(module, "_parse", halving_reader)
    with pytest.raises(StoreError, match="not written and read as they should be"):
        Store(store.folder, CATALOGUE)


def test_records_come_in_the_order_of_the_trials_however_they_were_recorded(store, tmp_path):
    forwards = run(store)
    assert forwards["method"].tolist() == list(METHODS) * 2
    backwards = Store(tmp_path / "backwards", CATALOGUE)
    rows = store.load(MINE).to_dict("records")
    backwards.append(MINE, rows[::-1])
    pd.testing.assert_frame_equal(read_records(MINE, store=backwards), forwards)


def test_what_is_recorded_and_is_no_trial_is_left_out(store):
    run(store)
    assert len(read_records(tiny(n_splits=1), store=store)) == 2


@pytest.fixture
def base(store):
    """A store with three trials, of which one has two stages and coverages of 7."""
    run(store, tiny(n_splits=1))
    store.append(MINE, block_of_stages(1, 2, coverage=7.0))
    store.add_outcomes([outcome("a", "b")])
    return store


def test_a_store_over_another_reads_both(base, tmp_path):
    """Its own rows win, whatever their stages. What the base has is not run again."""
    above = Store(tmp_path / "above", CATALOGUE, base=base)
    # With the same types of columns.
    pd.testing.assert_frame_equal(above.load(MINE), base.load(MINE))
    assert set(run(above)["state"]) == {"current"}
    loaded = above.load(MINE)
    assert loaded["coverage"].max() < 7
    assert len(loaded) == 4
    without_base = Store(above.folder, CATALOGUE)
    assert set(without_base.load(MINE)["split"]) == {1}


def test_a_store_over_another_reads_the_outcomes_of_both(base, tmp_path):
    above = Store(tmp_path / "above", CATALOGUE, base=base)
    above.add_outcomes([outcome("a", "b", "different"), outcome("b", "c")])
    table = above.outcomes()[["recorded_code", "verified_code", "outcome"]]
    expected = [["a", "b", "different"], ["b", "c", "equal"]]
    assert table.to_numpy().tolist() == expected


def test_old_rows_of_other_code_do_not_hide_current_ones_of_the_base(base, tmp_path):
    above = Store(tmp_path / "above", CATALOGUE, base=base)
    run(above)
    old = base.load(MINE).assign(code="old", n_stages=1, stage=0).drop_duplicates(KEY)
    columns = columns_of(MINE.measure)
    above.append(MINE, [sealed(row, columns) for row in old.to_dict("records")])
    alone = read_records(MINE, store=Store(above.folder, CATALOGUE))["state"]
    assert (alone == "code changed").any()
    state = read_records(MINE, store=above).set_index(KEY)["state"]
    of_base = read_records(MINE, store=base).set_index(KEY)["state"]
    current = of_base[of_base == "current"]
    assert len(current) > 1
    assert state.loc[current.index].tolist() == current.tolist()


def test_a_doubt_counts_in_whichever_store_it_stands(store, tmp_path):
    """Of the same run: a copy of a record that was marked in one of two stores."""
    run(store)
    above = Store(tmp_path / "above", CATALOGUE, base=store)
    above.mark_as_differing(MINE, store.load(MINE))
    assert set(read_records(MINE, store=above)["state"]) == {"differs"}
    marked = above.path("mine").read_bytes()
    above.path("mine").write_bytes(store.path("mine").read_bytes())
    assert set(read_records(MINE, store=above)["state"]) == {"current"}
    store.path("mine").write_bytes(marked)
    assert set(read_records(MINE, store=above)["state"]) == {"differs"}
    assert set(run(above)["state"]) == {"current"}


@pytest.mark.parametrize("order", ["sorted by stage", "reversed", "one line doubled"])
def test_rows_that_a_spreadsheet_moved_are_found_again(store, order):
    for split in (0, 1):
        values = {"coverage": 0.5 + split, "seconds": 1.5 + split}
        store.append(MINE, [made_up_row(split, stage, 3, **values) for stage in range(3)])
    recorded = store.load(MINE)
    head, *lines = lines_of(store)
    moved = {
        "sorted by stage": [*lines[::3], *lines[1::3], *lines[2::3]],
        "reversed": lines[::-1],
        "one line doubled": [lines[0], *lines],
    }
    write(store, [head, *moved[order]])
    found = store.load(MINE).sort_values([*KEY, "stage"], ignore_index=True)
    pd.testing.assert_frame_equal(found, recorded)
    assert set(found["doubt"]) == {""}


def test_a_store_over_another_writes_to_its_own_folder(base, tmp_path):
    before = contents(base.folder)
    above = Store(tmp_path / "above", CATALOGUE, base=base)
    run(above)
    above.mark_as_differing(MINE, above.load(MINE))
    above.add_outcomes([outcome("a", "b", "different")])
    above.rewrite(MINE, lambda rows: rows[:0])
    assert contents(base.folder) == before


def test_a_full_disk_loses_nothing_and_says_so(store, monkeypatch):
    """The whole row is written, and the disk says no when it is synced."""
    store.append(MINE, [made_up_row(0)])
    before = store.path("mine").read_bytes()
    full_disk = raising(OSError(28, "No space left on device"))
    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(StoreError, match=r"mine\.csv: .*No space left.* before is intact"):
        store.append(MINE, [made_up_row(1), made_up_row(2)])
    assert store.path("mine").read_bytes() == before


def put_a_file_in_the_place_of_the_folder(folder):
    folder.write_text("a file where the folder should be")


def put_a_folder_in_the_place_of_the_file(folder):
    (folder / "mine.csv").mkdir(parents=True)


def put_a_folder_in_the_place_of_the_lock(folder):
    (folder / ".mine.lock").mkdir(parents=True)


@pytest.mark.parametrize(
    "obstruct",
    [
        put_a_file_in_the_place_of_the_folder,
        put_a_folder_in_the_place_of_the_file,
        put_a_folder_in_the_place_of_the_lock,
    ],
)
def test_what_cannot_be_written_is_named_before_a_trial_runs(tmp_path, monkeypatch, obstruct):
    run_trials = raising(AssertionError("a trial runs"))
    monkeypatch.setattr("mimlstudy.engine.execution.run_trials", run_trials)
    folder = tmp_path / "results"
    obstruct(folder)
    with pytest.raises(StoreError, match=f"cannot record to {folder / 'mine.csv'}"):
        run(Store(folder, CATALOGUE))
