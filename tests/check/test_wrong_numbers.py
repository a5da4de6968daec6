"""Wrong numbers cannot stay current: what stands between a fit and a table, wrong for a while."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mimlpaper.datasets import DataError, fetch, load, loaders
from mimlstudy.engine import execution, records, trials
from mimlstudy.engine.catalogue import content_hash
from mimlstudy.engine.execution import compute
from mimlstudy.engine.records import CURRENT, KEY, read_records
from mimlstudy.engine.rows import StoreError
from mimlstudy.engine.trials import Measure
from mimlstudy.engine.verify import verify
from mimlstudy.engine.workers import TrialError
from mimlstudy.paper import contents
from mimlstudy.paper.catalogue import CATALOGUE, PaperCatalogue
from tests.made_up_study import METHODS, TINY, states, tiny
from tests.real_data import real_data

MINE = tiny()


def halved(rows):
    return [row | {"one_error": row["one_error"] / 2} for row in rows]


def test_rows_that_are_changed_on_their_way_to_the_file_are_damaged(store, monkeypatch):
    honest = execution.run_trials

    def run_trials(*arguments, **options):
        for trial, rows in honest(*arguments, **options):
            yield trial, halved(rows)

    with monkeypatch.context() as patched:
        patched.setattr(execution, "run_trials", run_trials)
        compute(MINE, store=store, jobs=1)
    assert set(states(MINE, store).values()) == {"damaged"}


def test_rows_that_are_changed_as_they_are_written_are_damaged(store, monkeypatch):
    """By a slip that a known row does not show."""
    honest = records.to_csv

    def to_csv(rows, columns, **options):
        experiments = {row["experiment"] for row in rows}
        if "known" not in experiments:
            rows = halved(rows)
        return honest(rows, columns, **options)

    with monkeypatch.context() as patched:
        patched.setattr(records, "to_csv", to_csv)
        compute(MINE, store=store, jobs=1)
    assert set(states(MINE, store).values()) == {"damaged"}


BIRDS = tiny(
    {"Ml-knn": METHODS["Ml-knn"]},
    datasets=("hja",),
    n_splits=1,
)


def forget_contents():
    contents._entry_of.cache_clear()
    contents.listed_contents.cache_clear()


@pytest.fixture
def contents_are_read_again():
    forget_contents()
    yield
    forget_contents()


@pytest.fixture
def data_are_loaded_again():
    """No worker keeps a data set."""
    trials._loaded.cache_clear()
    yield
    trials._loaded.cache_clear()


SCENES_MESSAGE = "hja was asked for, and synthetic_scene was loaded"
RENAMED_MESSAGE = "hja, as it is loaded now, has the content"


@real_data
@pytest.mark.usefixtures("data_are_loaded_again")
@pytest.mark.parametrize(
    ("name", "message"),
    [("synthetic_scene", SCENES_MESSAGE), ("hja", RENAMED_MESSAGE)],
)
def test_another_data_set_is_never_recorded(store, monkeypatch, name, message):
    """Given by its name, or under the right one."""
    wrong = replace(load("synthetic_scene"), name=name)
    monkeypatch.setattr(loaders, "load", lambda *arguments: wrong)
    with pytest.raises(TrialError, match=message):
        compute(BIRDS, store=store, jobs=1)
    assert store.load(BIRDS).empty


@pytest.mark.usefixtures("data_are_loaded_again")
def test_another_set_that_was_drawn_is_not_current(store, monkeypatch):
    """Whose loader was wrong for a while, and is right again."""
    wrong = replace(load("drawn:24x4x4"), name=TINY)
    with monkeypatch.context() as patched:
        patched.setattr(loaders, "load", lambda *arguments: wrong)
        patched.setattr(
            PaperCatalogue, "drawn_content", lambda *arguments: content_hash(wrong)
        )
        compute(MINE, store=store, jobs=1)
    trials._loaded.cache_clear()
    assert set(states(MINE, store).values()) == {"data changed"}
    compute(MINE, store=store, jobs=1)
    assert set(states(MINE, store).values()) == {"current"}


@real_data
@pytest.mark.usefixtures("data_are_loaded_again")
def test_the_file_of_another_data_set_is_never_recorded(store, monkeypatch, tmp_path):
    """Such as other labels of the birds."""
    honest = loaders.fetch
    labels = honest("hja/hja_birdsong_bag_labels.txt")
    lines = labels.read_text().splitlines()
    assert lines[1] != "0,1,2,3"
    lines[1] = "0,1,2,3"
    changed = tmp_path / "labels.txt"
    changed.write_text("\n".join(lines) + "\n")

    def fetch_changed(file, *arguments):
        return changed if "bag_labels" in file else honest(file)

    monkeypatch.setattr(loaders, "fetch", fetch_changed)
    with pytest.raises((TrialError, DataError), match="content"):
        compute(BIRDS, store=store, jobs=1)
    assert store.load(BIRDS).empty


@real_data
@pytest.mark.usefixtures("contents_are_read_again")
def test_another_file_in_the_manifest_makes_records_not_current(store, monkeypatch):
    compute(BIRDS, store=store, jobs=1)
    assert states(BIRDS, store) == {"Ml-knn": "current"}
    entries = fetch.manifest()
    for file in fetch.source_of("hja").files:
        changed = entries | {file: replace(entries[file], sha256="0" * 64)}
        monkeypatch.setattr(
            fetch,
            "manifest",
            lambda changed=changed: changed,
        )
        forget_contents()
        assert states(BIRDS, store) == {"Ml-knn": "data changed"}, file


def stages(estimator, dataset, train, test):
    """Shares in three stages; nothing is fitted."""
    return [{"share": split / 10} for split in range(1, 4)]


SHARES_IN_STAGES = Measure(stages, ("share",), shares=("share",))
STAGED = tiny({"Ml-knn": METHODS["Ml-knn"]}, measure=SHARES_IN_STAGES, n_splits=4)


@pytest.mark.parametrize("mine", [MINE, STAGED], ids=["trials", "stages"])
def test_no_byte_is_changed_in_silence(store, mine):
    """Of records and of outcomes: it has no effect, is marked, or is refused with the way out."""
    compute(mine, store=store, jobs=1)
    verify([mine], store=store, jobs=1)
    before = read_records(mine, store=store)
    outcomes_before = store.outcomes()
    rng = np.random.default_rng(0)
    ends = []
    for name in ("mine", "verified"):
        path = store.path(name)
        whole = path.read_bytes()
        for _ in range(150):
            changed = bytearray(whole)
            changed[rng.integers(len(changed))] = rng.integers(256)
            path.write_bytes(bytes(changed))
            ends.append(end_of(mine, store, before, outcomes_before))
        path.write_bytes(whole)
    assert ends.count("marked") > 50
    assert ends.count("refused") > 100


def end_of(mine, store, before, outcomes_before):
    """What becomes of a file with one other byte."""
    try:
        read = read_records(mine, store=store)
        outcomes = store.outcomes()
    except StoreError as error:
        message = str(error)
        assert "verify` again" in message or "compute` again" in message
        return "refused"
    pd.testing.assert_frame_equal(outcomes, outcomes_before)
    trusted = read[read["state"] == CURRENT]
    # Merged by all columns.
    as_before = trusted.merge(before)
    assert len(as_before) == len(trusted)
    # A trial is trusted as a whole.
    n_stages = trusted.groupby(KEY)["stage"].transform("size")
    assert (n_stages == trusted["n_stages"]).all()
    if len(trusted) == len(before):
        return "without effect"
    return "marked"


OF_FILES = [name for name in loaders.DATASETS if fetch.source_of(name).files]


@real_data
@pytest.mark.parametrize("name", OF_FILES)
def test_each_data_set_is_loaded_as_it_is_listed(name):
    assert content_hash(load(name)) == CATALOGUE.content(name)
