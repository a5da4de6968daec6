"""Which records are current: outcomes of verification, and what changed since they were made."""

import re
from dataclasses import replace

import pytest

from mimlpaper.datasets import fetch
from mimlstudy.engine import records as module
from mimlstudy.engine.arithmetic import PINNED
from mimlstudy.engine.execution import compute
from mimlstudy.engine.records import read_records
from mimlstudy.engine.rows import StoreError
from mimlstudy.paper import contents
from mimlstudy.paper.catalogue import CATALOGUE
from tests.made_up_outcomes import outcome
from tests.made_up_study import METHODS, TINY, change_records, edit, made_up_row, states, tiny

MINE = tiny()


def run(store):
    return compute(MINE, store=store, jobs=1)


def states_of(store):
    table = read_records(MINE, store=store)
    return set(table["state"])


def test_outcomes_keep_the_last_of_each_group_and_machine(store):
    """Also of a commit whose hash looks like a number."""
    assert store.outcomes().empty
    for commit in ("12345e678901", "000000000012"):
        made_here = outcome(
            "0123",
            commit[:1],
            commit=commit,
            machine="here",
        )
        store.add_outcomes([made_here])
    for word in ("equal", "close"):
        made_there = outcome(
            "0123",
            "0",
            word,
            commit="012",
            machine="there",
        )
        store.add_outcomes([made_there])
    table = store.outcomes()
    assert table["commit"].tolist() == ["000000000012", "012", "12345e678901"]
    assert table["outcome"].tolist() == ["equal", "close", "equal"]
    assert set(table["recorded_code"]) == {"0123"}
    assert table["largest_difference"].tolist() == [0.3] * 3


@pytest.mark.parametrize("words", [("equal", "different"), ("different", "equal")])
def test_of_two_outcomes_of_one_group_and_machine_the_worse_counts(store, words):
    """A merge of two branches keeps both, in either order."""
    lines = []
    for word in words:
        store.add_outcomes([outcome("a", "b", word)])
        head, line = store.path("verified").read_text().splitlines(keepends=True)
        lines.append(line)
    store.path("verified").write_text("".join([head, *lines]))
    assert store.outcomes()["outcome"].tolist() == ["different"]
    store.add_outcomes([outcome("a", "b")])
    assert store.outcomes()["outcome"].tolist() == ["equal"]


def damaged_outcomes(whole):
    """Bytes of damaged files, made from a good one, and what is said of each."""
    edited = whole.replace(b",equal,", b",close,", 1)
    not_text = whole.replace(b"Ml-knn", b"Ml-\xff\xfe", 1)
    renamed_column = whole.replace(b"outcome", b"outcomes", 1)
    return [
        (edited, "line 2: it does not agree with its seal"),
        (not_text, "line 2: it does not agree"),
        (renamed_column, "line 1: expected the heads of .*got others: ..outcome"),
        (b"", "line 1: expected the heads of .* got none"),
        (b"<<<<<<< HEAD\n" + whole, "line 1: expected"),
        (whole + b">>>>>>> theirs\n", "line 4: expected"),
    ]


def test_damaged_outcomes_are_refused_with_the_way_out(store):
    store.add_outcomes([outcome("a", "b"), outcome("b", "c")])
    path = store.path("verified")
    whole = path.read_bytes()
    for damaged, message in damaged_outcomes(whole):
        path.write_bytes(damaged)
        with pytest.raises(StoreError, match=rf"(?s)verified\.csv: {message}.*verify` again"):
            store.outcomes()
    path.unlink()
    assert store.outcomes().empty


@pytest.fixture
def state_after(store, monkeypatch):
    """The state of Ml-knn's records, made by other code, after verify has an outcome more."""
    run(store)
    recorded = store.load(MINE).query("method == 'Ml-knn'").iloc[0]
    edit(
        monkeypatch,
        "mimlpaper.baselines.binary_relevance",
        "min(self.n_neighbors, len(Y) - 1)",
        "min(self.n_neighbors, len(Y) - 2)",
    )
    today = module.fingerprint_today(
        MINE,
        CATALOGUE,
        TINY,
        "Ml-knn",
        "{}",
    )
    assert states(MINE, store) == {"MimlNn": "current", "Ml-knn": "code changed"}

    def state(word, recorded_code=recorded["code"], **columns):
        made_in = {"settings": recorded["settings"]}
        made_in["recorded_arithmetic"] = recorded["arithmetic"]
        columns = made_in | columns
        added = outcome(recorded_code, today.code, word, **columns)
        store.add_outcomes([added])
        by_method = states(MINE, store)
        assert by_method["MimlNn"] == "current"
        return by_method["Ml-knn"]

    return state


def test_an_outcome_of_records_made_in_another_way_attests_nothing(state_after):
    assert state_after("equal", "other code") == "code changed"
    assert state_after("equal", settings="other settings") == "code changed"
    assert state_after("equal", recorded_arithmetic="other arithmetic") == "code changed"


def test_a_record_of_other_code_is_current_if_verify_found_the_same_on_every_machine(
    state_after,
):
    assert state_after("equal") == "current"
    assert state_after("different", "other code") == "current"
    assert state_after("damaged") == "code changed"
    assert state_after("failed") == "code changed"
    assert state_after("different") == "differs"
    assert state_after("close") == "current"
    assert state_after("different", machine="elsewhere") == "differs"


def test_a_machine_on_which_trials_fail_does_not_speak_against_another(state_after):
    assert state_after("failed", machine="elsewhere") == "code changed"
    assert state_after("equal") == "current"
    assert state_after("damaged", machine="a third") == "code changed"


def test_a_record_with_other_settings_is_not_current(store):
    run(store)
    METHODS["Ml-knn"].set_params(mlknn__n_neighbors=4)
    try:
        changed = states(MINE, store)
    finally:
        METHODS["Ml-knn"].set_params(mlknn__n_neighbors=3)
    assert changed == {"MimlNn": "current", "Ml-knn": "settings changed"}


def test_a_record_of_another_arithmetic_is_current_only_where_that_is_in_use(
    store, monkeypatch
):
    run(store)
    change_records(
        store,
        MINE,
        lambda rows: rows.assign(arithmetic="an old one"),
    )
    assert states_of(store) == {"other arithmetic"}
    monkeypatch.setattr(module, "arithmetic", lambda: "an old one")
    assert states_of(store) == {"current"}


@pytest.fixture
def contents_are_read_again():
    yield
    forget_contents()


def forget_contents():
    contents._entry_of.cache_clear()
    contents.listed_contents.cache_clear()


@pytest.mark.usefixtures("contents_are_read_again")
def test_records_of_other_data_are_not_current(store, monkeypatch):
    """Every file of a data set counts, and what its loader gave of them."""
    mine = tiny({"Ml-knn": METHODS["Ml-knn"]}, datasets=("hja",))
    today = module.fingerprint_today(
        mine,
        CATALOGUE,
        "hja",
        "Ml-knn",
        "{}",
    )

    def state_with(content):
        row = made_up_row(
            0,
            dataset="hja",
            arithmetic=PINNED,
            data_sha256=content,
            **today._asdict(),
        )
        store.append(mine, [row])
        return states(mine, store)["Ml-knn"]

    assert state_with("0" * 64) == "data changed"
    assert state_with("") == "data changed"
    assert state_with(CATALOGUE.content("hja")) == "current"
    entries = fetch.manifest()
    labels = fetch.source_of("hja").files[2]
    entries[labels] = replace(entries[labels], sha256="1" * 64)
    monkeypatch.setattr(fetch, "manifest", lambda: entries)
    forget_contents()
    assert states(mine, store) == {"Ml-knn": "data changed"}


def test_versions_that_differ_from_the_recorded_ones_are_named(store):
    run(store)
    # The machine that verified recorded nothing.
    store.add_outcomes([outcome("a", "b") | {"versions": "numpy 1.8"}])
    assert module.other_versions(store) == ""
    store.append(MINE, [made_up_row(0, versions="numba 0.1; numpy 1.9")])
    expected = r"Recorded with numba 0.1, numpy 1.9; here are python 3.*, numpy \d.*agree\."
    assert re.fullmatch(expected, module.other_versions(store))
