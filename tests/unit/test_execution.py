"""Which trials run, what is recorded of them, and estimated hours."""

import pytest

from mimlpaper.baselines.binary_relevance import LabelFrequencies
from mimlpaper.datasets import DataError
from mimlstudy.engine import arithmetic, execution
from mimlstudy.engine.execution import compute, estimate
from mimlstudy.engine.records import keys_of
from mimlstudy.paper.catalogue import PaperCatalogue
from tests.made_up_study import METHODS, change_records, raising, same_numbers, tiny

MINE, OTHER = tiny(), tiny({"MimlNn": METHODS["MimlNn"]}, name="other")


def run(store, experiments=MINE, **options):
    return compute(experiments, store=store, **{"jobs": 1} | options)


def test_records_are_complete_and_run_once(store):
    """Seconds say what ran again."""
    table = run(store)
    assert len(table) == 4 and set(table["state"]) == {"current"}
    first = table.iloc[0]
    assert first["versions"].startswith("python 3.") and "cores" in first["machine"]
    assert (first["n_train"], first["n_test"], first["n_stages"]) == (18, 6, 1)
    assert run(store).equals(table)
    run(store, methods=["Ml-knn"], recompute=True)
    ran = table[run(store)["seconds"] != table["seconds"]]
    assert len(ran) == 2 and set(ran["method"]) == {"Ml-knn"}
    assert store.path("mine").read_bytes().count(b"\n") == 1 + 4  # no superseded record is left
    same_numbers(store.load(MINE), table)


def test_without_data_only_records_are_shown(store, monkeypatch, capsys):
    run(store)
    monkeypatch.setattr(PaperCatalogue, "fetch", raising(DataError("gone")))
    store.mark(MINE, set(keys_of(store.load(MINE))))
    assert set(run(store)["state"]) == {"differs"}
    assert "4 trials are not run again: gone" in capsys.readouterr().out
    for experiment in (tiny(n_splits=3), OTHER):
        with pytest.raises(DataError, match="gone"):
            run(store, experiment)


def test_an_arithmetic_that_is_not_pinned_is_said_aloud(store, monkeypatch, capsys):
    obstacle = "OPENBLAS_CORETYPE is set to another value; unset it"
    monkeypatch.setattr(arithmetic, "_obstacle", lambda: obstacle)
    run(store)
    assert f"own arithmetic: {obstacle}" in capsys.readouterr().err
    run(store)  # nothing
    assert "own arithmetic" not in capsys.readouterr().err


class Absent(LabelFrequencies):
    needs = "a_package_that_is_not_here"


@pytest.mark.filterwarnings("error")  # also where nothing is recorded
def test_hours_by_hand(store, capsys):
    """2 · 30 + 2 · 90 s: 120 s on each of two workers, but 90 s at the least on any number.

    An override that did not run yet takes as long as others of its method. Nothing is known of a
    method that never ran, and one that needs a package that is not here does not wait.
    """
    run(store)
    seconds = {"MimlNn": 30.0, "Ml-knn": 90.0}
    change_records(store, MINE, lambda rows: rows.assign(seconds=rows["method"].map(seconds)))
    for jobs, longest in ((1, 240), (2, 120), (64, 90)):
        row = estimate([MINE], jobs=jobs, recompute=True, store=store).iloc[0]
        assert row[["core_hours", "hours"]].tolist() == pytest.approx([240 / 3600, longest / 3600])
    assert estimate([MINE], store=store).iloc[0, 1:].tolist() == [4, 0, 0, 0, 0]
    changes = {"Ml-knn": [{}, dict(n_neighbors=1)], "Label frequencies": [{}], "Absent": [{}]}
    more = tiny(METHODS | {"Label frequencies": LabelFrequencies(), "Absent": Absent()}, changes)
    table = estimate([more, OTHER], store=store)
    assert table["experiment"].tolist() == ["mine", "other", "all"]
    found = table[["trials", "to_run", "unknown"]].to_numpy().tolist()
    assert found == [[8, 4, 2], [2, 2, 2], [10, 6, 4]]
    assert table["core_hours"].to_numpy() * 3600 == pytest.approx([180, 0, 180])
    run(store, recompute=True)
    assert "mine: 4 trials to run, about 4 min with 1 process(es)" in capsys.readouterr().err
    with pytest.raises(ValueError, match="n_jobs == 0"):
        estimate([MINE], jobs=0, store=store)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "1 s"), (60, "60 s"), (61, "2 min"), (3600, "1 h 00 min"), (3661, "1 h 02 min")],
)
def test_an_estimate_below_a_minute_is_in_seconds(seconds, words):
    assert execution._in_words(seconds) == words
