"""Estimated hours of made-up records."""

import pytest

from mimlpaper.study.records import Store
from mimlpaper.study.registry import get_experiment
from mimlpaper.study.runner import compute, estimate

METHODS = ["MimlNn", "Ml-knn"]


@pytest.fixture
def store(tmp_path):
    """Both methods' smoke trials of Table 1, as if MimlNn took 30 s each and Ml-knn 90 s."""
    store = Store(tmp_path)
    compute("table1", profile="smoke", methods=METHODS, jobs=1, store=store)
    table = store.load("table1")
    table["fit_seconds"] = table["method"].map({"MimlNn": 20.0, "Ml-knn": 80.0})
    table["predict_seconds"] = 10.0
    store.rewrite("table1", lambda _: table)
    return store


def only(table, name="table1"):
    return table.set_index("experiment").loc[name]


def test_what_is_recorded_is_not_to_run(store):
    row = only(estimate(["table1"], profile="smoke", store=store))
    n_trials = len(get_experiment("table1").trials("smoke"))
    assert row[["trials", "to_run", "unknown"]].tolist() == [n_trials, n_trials - 4, n_trials - 4]
    assert row["core_hours"] == 0


def test_by_hand(store):
    """2 · 30 + 2 · 90 s: 120 s on each of two workers, but 90 s at the least on any number."""
    for workers, seconds in ((1, 240), (2, 120), (64, 90)):
        row = only(
            estimate(["table1"], profile="smoke", workers=workers, recompute=True, store=store)
        )
        assert row["core_hours"] * 3600 == pytest.approx(240)
        assert row["hours"] * 3600 == pytest.approx(seconds)


def test_the_last_row_sums_up(store):
    table = estimate(["table1", "figure7"], profile="smoke", recompute=True, store=store)
    assert table["experiment"].tolist() == ["table1", "figure7", "all"]
    assert only(table, "all")["trials"] == table["trials"][:2].sum()
    assert only(table, "figure7")["unknown"] == only(table, "figure7")["trials"]


def test_no_workers(store):
    with pytest.raises(ValueError, match="workers must be at least 1, got 0"):
        estimate(["table1"], workers=0, store=store)
