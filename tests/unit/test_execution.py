"""Which trials run, what is recorded of them, and estimated hours."""

import pytest

from mimlpaper.baselines.binary_relevance import LabelFrequencies
from mimlpaper.datasets import DataError
from mimlstudy.engine import arithmetic, execution
from mimlstudy.engine.execution import compute, estimate
from mimlstudy.paper.catalogue import PaperCatalogue
from tests.made_up_study import METHODS, change_records, check_same_numbers, raising, tiny

MINE = tiny()
SMALLER = tiny({"MimlNn": METHODS["MimlNn"]}, name="smaller")


def run(store, experiments=MINE, **options):
    return compute(experiments, store=store, **{"jobs": 1} | options)


def test_records_are_complete(store):
    table = run(store)
    assert len(table) == 4
    assert set(table["state"]) == {"current"}
    record = table.iloc[0]
    assert record["versions"].startswith("python 3.")
    assert "cores" in record["machine"]
    assert record["n_train"] == 18
    assert record["n_test"] == 6
    assert record["n_stages"] == 1


def test_an_unknown_method_is_refused_before_anything_runs(store, capsys):
    """Also if only the last experiment does not have it."""
    with pytest.raises(ValueError, match=r"among \['MimlNn'\] for smaller, got \['Ml-knn'\]"):
        run(store, [MINE, SMALLER], methods=["Ml-knn"])
    assert capsys.readouterr().err == ""
    assert not store.path("mine").exists()


def test_trials_run_once_unless_they_are_to_be_computed_again(store):
    """Seconds say what ran again."""
    table = run(store)
    assert run(store).equals(table)
    run(store, methods=["Ml-knn"], recompute=True)
    later = run(store)
    has_new_seconds = later["seconds"] != table["seconds"]
    ran_again = table[has_new_seconds]
    assert len(ran_again) == 2
    assert set(ran_again["method"]) == {"Ml-knn"}
    # No superseded record is left: a header and four rows.
    assert store.path("mine").read_bytes().count(b"\n") == 1 + 4
    check_same_numbers(store.load(MINE), table)


@pytest.fixture
def without_data(store, monkeypatch):
    """Four recorded trials, but no data to run others on."""
    run(store)
    monkeypatch.setattr(
        PaperCatalogue,
        "fetch",
        raising(DataError("gone")),
    )


@pytest.mark.usefixtures("without_data")
def test_without_data_records_are_shown(store, capsys):
    store.mark_as_differing(MINE, store.load(MINE))
    assert set(run(store)["state"]) == {"differs"}
    assert "4 trials not run again: gone" in capsys.readouterr().err


@pytest.mark.usefixtures("without_data")
@pytest.mark.parametrize("experiment", [tiny(n_splits=3), SMALLER])
def test_without_data_and_records_nothing_is_shown(store, experiment):
    with pytest.raises(DataError, match="gone"):
        run(store, experiment)


def test_an_arithmetic_that_is_not_pinned_is_said_aloud(store, monkeypatch, capsys):
    obstacle = "OPENBLAS_CORETYPE is set to another value; unset it"
    monkeypatch.setattr(arithmetic, "_obstacle", lambda: obstacle)
    run(store)
    assert f"own arithmetic: {obstacle}" in capsys.readouterr().err
    # Nothing is left to run.
    run(store)
    assert "own arithmetic" not in capsys.readouterr().err


class Absent(LabelFrequencies):
    needs = "a_package_that_is_not_here"


@pytest.fixture
def timed(store):
    """Records of two trials of 30 s, and of two of 90 s."""
    run(store)
    seconds = {"MimlNn": 30.0, "Ml-knn": 90.0}

    def with_seconds(rows):
        return rows.assign(seconds=rows["method"].map(seconds))

    change_records(store, MINE, with_seconds)
    return store


# Also where nothing is recorded, an estimate warns of nothing.
no_warnings = pytest.mark.filterwarnings("error")


@no_warnings
@pytest.mark.parametrize(("jobs", "longest"), [(1, 240), (2, 120), (64, 90)])
def test_hours_by_hand(timed, jobs, longest):
    """2 · 30 + 2 · 90 s: 120 s on each of two workers, but 90 s at the least on any number."""
    row = estimate([MINE], jobs=jobs, recompute=True, store=timed).iloc[0]
    assert row["core_hours"] == pytest.approx(240 / 3600)
    assert row["hours"] == pytest.approx(longest / 3600)


@no_warnings
def test_what_is_recorded_takes_no_time(timed):
    row = estimate([MINE], store=timed).iloc[0]
    assert row.iloc[1:].tolist() == [4, 0, 0, 0, 0]


@no_warnings
def test_hours_of_one_method_are_its_own(timed):
    """Those of MimlNn alone: half of the trials."""
    of_all = estimate([MINE], recompute=True, store=timed).iloc[0]
    of_one = estimate([MINE], methods=["MimlNn"], recompute=True, store=timed).iloc[0]
    of_other = estimate([MINE], methods=["Ml-knn"], recompute=True, store=timed).iloc[0]
    assert of_one["trials"] == 2
    assert of_one["core_hours"] > 0
    hours_of_both = of_one["core_hours"] + of_other["core_hours"]
    assert hours_of_both == pytest.approx(of_all["core_hours"])


@no_warnings
def test_hours_of_what_never_ran(timed):
    """An override that did not run yet takes as long as others of its method.

    Nothing is known of a method that never ran, and a method that needs a package that is not here
    does not wait.
    """
    overrides = {
        "Ml-knn": [{}, {"n_neighbors": 1}],
        "Label frequencies": [{}],
        "Absent": [{}],
    }
    methods = METHODS | {"Label frequencies": LabelFrequencies(), "Absent": Absent()}
    larger = tiny(methods, overrides)
    table = estimate([larger, SMALLER], store=timed)
    assert table["experiment"].tolist() == ["mine", "smaller", "all"]
    assert table["trials"].tolist() == [8, 2, 10]
    assert table["to_run"].tolist() == [4, 2, 6]
    assert table["unknown"].tolist() == [2, 2, 4]
    seconds = table["core_hours"].to_numpy() * 3600
    assert seconds == pytest.approx([180, 0, 180])


@no_warnings
def test_a_run_says_how_long_it_will_take(timed, capsys):
    run(timed, recompute=True)
    words = "mine: 4 trials to run, about 4 min with 1 process"
    assert words in capsys.readouterr().err


@no_warnings
def test_a_run_takes_as_long_as_its_longest_trial(timed, capsys, monkeypatch):
    monkeypatch.setattr(execution, "effective_n_jobs", lambda jobs: 8)
    run(timed, recompute=True)
    assert "about 2 min with 4 processes" in capsys.readouterr().err


@no_warnings
def test_hours_of_no_process_are_refused(timed):
    with pytest.raises(ValueError, match="n_jobs == 0"):
        estimate([MINE], jobs=0, store=timed)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "1 s"), (60, "60 s"), (61, "2 min"), (3600, "1 h 00 min"), (3661, "1 h 02 min")],
)
def test_an_estimate_below_a_minute_is_in_seconds(seconds, words):
    assert execution.duration_in_words(seconds) == words
