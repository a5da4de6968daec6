"""Results files of the former layout are read, and never mixed with today's."""

import hashlib

import pytest

from mimlstudy.engine import former
from mimlstudy.engine.execution import compute
from mimlstudy.engine.records import columns_of, records
from mimlstudy.engine.rows import StoreError, recorded_text
from tests.made_up_study import tiny

MINE = tiny()
COLUMNS = columns_of(MINE.measure)


@pytest.fixture
def former_file(store):
    """Today's records of a store as they were written before, with a hash of each line."""
    compute(MINE, store=store, jobs=1)
    rows = store.load(MINE)
    lines = [former.header(COLUMNS)]
    for row in rows.to_dict("records"):
        row["code"] = f"{row['code']}.{row['settings']}"
        row["machine"] += former.PINNED_MACHINE
        values = [row[name] for name in former.columns_of(COLUMNS)]
        line = ",".join(map(recorded_text, values))
        lines.append(f"{line},{hashlib.sha256(line.encode()).hexdigest()[:8]}")
    path = store.path("mine")
    path.write_text("\n".join(lines) + "\n")
    return path


def test_former_rows_are_read_as_todays(store, former_file):
    table = records(MINE, store=store)
    assert len(table) == 4
    assert set(table["state"]) == {"current"}
    assert set(table["arithmetic"]) == {"x86-64-v3"}
    assert not table["machine"].str.contains("openblas").any()
    assert table["code"].str.len().eq(12).all()


def test_a_former_row_that_was_edited_is_damaged(store, former_file):
    former_file.write_text(former_file.read_text().replace(",0.", ",0.9", 1))
    assert sorted(store.load(MINE)["doubt"]) == ["", "", "", "damaged"]


def test_a_former_file_is_not_written_to_but_rewritten_as_a_whole(store, former_file):
    with pytest.raises(StoreError, match=r"layout of an older version.*upgrade"):
        store.append(MINE, [])
    store.rewrite(MINE)
    assert set(records(MINE, store=store)["state"]) == {"current"}
    assert former_file.read_text().startswith(",".join(COLUMNS))
    store.append(MINE, [])


def test_former_outcomes_say_nothing_of_todays_fingerprints(store, former_file):
    store.path("verified").write_text(former.OUTCOMES + "\nmine,Ml-knn,a,b,equal,1,0,,,,\n")
    assert store.outcomes().empty
