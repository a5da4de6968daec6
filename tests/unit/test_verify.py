"""Recorded trials run again: which results are the same, what is attested, written, dropped."""

import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mimlpaper.baselines.binary_relevance import LabelFrequencies
from mimlpaper.datasets import DataError, load, loaders
from mimlstudy.engine import fingerprint, workers
from mimlstudy.engine.comparison import allowed, compare_trial, distance, outliers
from mimlstudy.engine.execution import compute
from mimlstudy.engine.records import Store, records
from mimlstudy.engine.rows import StoreError
from mimlstudy.engine.verify import verified, verify
from mimlstudy.paper.catalogue import CATALOGUE, PaperCatalogue
from mimlstudy.paper.measures import COSTS, RELATED, TESTED
from tests.made_up_study import METHODS, change_records, edit, raising, states, tiny

module = sys.modules[verify.__module__]
SCENES = load("synthetic_scene")
MINE = tiny()
NUMBERS = list(TESTED.numbers[:-2])


@pytest.fixture
def store(store):
    compute(MINE, store=store, jobs=1)
    return store


def change(store, method="Ml-knn", **values):
    """Change a method's records: numbers are added, texts are replaced."""

    def changed(rows):
        mine = rows["method"] == method
        for column, value in values.items():
            new = value if isinstance(value, str) else rows[column] + value
            rows[column] = rows[column].mask(mine, new)
        return rows

    change_records(store, MINE, changed)


def outcomes(store, experiments=(MINE,), **options):
    table = verify(experiments, store=store, jobs=1, **options)
    return dict(zip(table["method"], table["outcome"], strict=True))


ROW = {"dataset": "scene", "n_test": 450, "versions": "v", "arithmetic": "a"}


def test_on_the_same_machine_a_millionth_elsewhere_one_decision_in_a_hundred_bags():
    """k = 5 of n = 450 bags, q = 5 labels; of a fold of nine bags, one."""
    assert (allowed(ROW, dict(ROW), NUMBERS, 5) == 1e-6).all()
    for elsewhere in ({"arithmetic": "another"}, {"versions": "numpy 3"}):
        bound = allowed(ROW, ROW | elsewhere, NUMBERS, 5) - 1e-6
        special = {"hamming_loss": 5 / 450 / 5, "average_f1": 2 * 5 / 450}
        assert bound.to_dict() == pytest.approx(dict.fromkeys(NUMBERS, 5 / 450) | special)
        assert (allowed(ROW, ROW | elsewhere, ["cosine"], 5) == 1e-6).all()
    fold = ROW | {"dataset": "musk1", "n_test": 9}
    bound = allowed(fold, fold | {"arithmetic": "x"}, NUMBERS, 1)
    assert bound["accuracy"] == pytest.approx(1 / 9 + 1e-6)


def test_what_only_one_has_is_infinitely_far():
    """A number, a stage; another word differs too."""
    apart = distance({"accuracy": 0.5}, {"accuracy": 0.5, "coverage": 1.0}, NUMBERS)
    assert apart["coverage"] == np.inf and (apart.drop("coverage") == 0).all()
    pair = dict.fromkeys(RELATED.numbers, 0.5) | {"stage": 0, "first": "sea", "second": "trees"}
    pair |= {"versions": "v", "arithmetic": "a"}
    other = pair | {"stage": 1}
    for again, expected in (
        ([pair], (0.0, True)),
        ([pair | {"first": "sky"}], (0.0, False)),
        ([other], (np.inf, False)),
        ([pair, other], (np.inf, False)),
        ([], (np.inf, False)),
    ):
        assert compare_trial(tiny(measure=RELATED), pd.DataFrame([pair]), again, 5) == expected


def test_what_counts_as_the_same(store):
    whole = store.path("mine").read_bytes()
    for values, outcome in (
        ({"hamming_loss": 1e-7}, "equal"),
        ({"hamming_loss": 1e-3}, "different"),
        ({"hamming_loss": 1e-3, "arithmetic": "another"}, "close"),
        ({"hamming_loss": 1e-3, "versions": "numpy 1"}, "close"),
        ({"hamming_loss": 0.1, "arithmetic": "another"}, "different"),
        ({"coverage": np.nan}, "different"),
        ({"fit_seconds": 1.0, "seconds": 1.0, "chosen": "{}"}, "equal"),
    ):
        store.path("mine").write_bytes(whole)
        change(store, **values)
        assert outcomes(store) == {"MimlNn": "equal", "Ml-knn": outcome}, values


def test_every_outcome_is_written_and_counts_until_records_or_code_change(store, monkeypatch):
    def found():
        rows = verified(lambda name: records(MINE, store=store), [MINE], store)
        return {row["machine"]: row for row in rows}

    assert found() == {}
    table = verify([MINE], store=store, sample=2, jobs=1)
    assert table["n_checked"].tolist() == table["n_recorded"].tolist() == [2, 2]
    written = store.outcomes()
    (here,) = set(written["machine"]) & set(store.load(MINE)["machine"])
    assert len(written) == 2 and (written["date"] >= "2026").all()
    row = found()[here]
    assert (row["groups"], row["equal"], row["different"]) == (2, 2, 0)
    nearest = written.query("method == 'MimlNn'").to_dict("records")[0]
    store.add_outcomes([nearest | {"machine": "x", "outcome": "different"}])
    assert (found()["x"]["equal"], found()["x"]["different"], found()[here]["equal"]) == (0, 1, 2)
    change(store, code="another code")
    assert found().keys() == {"x", here} and found()["x"]["groups"] == 2
    edit(monkeypatch, "mimlstudy.engine.rows", "if pd.isna(value)", "if value != value")
    assert found() == {}


def test_a_difference_counts_more_than_a_failure(store, monkeypatch):
    honest, failing = workers.run_trial, [0, 1]

    def run_trial(trial, *args, **kwargs):
        if trial.method == "Ml-knn" and trial.split in failing:
            raise MemoryError("no room")
        return honest(trial, *args, **kwargs)

    monkeypatch.setattr(workers, "run_trial", run_trial)
    with pytest.warns(UserWarning, match="no room"):
        assert outcomes(store) == {"MimlNn": "equal", "Ml-knn": "failed"}
    change(store, coverage=np.nan)
    for split in (0, 1):  # whichever of them was drawn first
        failing[:] = [split]
        with pytest.warns(UserWarning, match="no room"):
            assert outcomes(store, sample=2)["Ml-knn"] == "different"
    assert len(store.load(MINE)) == 4


def test_what_differs_is_not_current_until_it_is_recorded_again(store):
    """Though today's code made it, and whatever verify finds in the meantime."""
    change(store, coverage=0.5)
    assert outcomes(store)["Ml-knn"] == "different"
    assert states(MINE, store) == {"MimlNn": "current", "Ml-knn": "differs"}
    store.path("verified").unlink()
    assert outcomes(store)["Ml-knn"] == "different"
    compute(MINE, store=store, jobs=1)
    assert states(MINE, store) == {"MimlNn": "current", "Ml-knn": "current"}
    assert outcomes(store) == {"MimlNn": "equal", "Ml-knn": "equal"}


FLIPPED = set()


def left():
    return made_up(None, "left")


def right():
    return made_up(None, "right")


def made_up(catalogue, name, home=None):
    Y = ~SCENES.Y[:, ::-1] if name in FLIPPED else SCENES.Y
    return replace(SCENES, name=name, Y=Y), "its content"


def test_each_change_of_code_is_checked_and_attested_by_itself(monkeypatch, tmp_path):
    """Two data sets have loaders of their own, whose code was edited after the trials ran.

    A loader that gives other labels now is found, whichever trial of the method is drawn.
    """
    for loader in (left, right):
        source = replace(loaders.SOURCES[SCENES.name], name=loader.__name__)
        monkeypatch.setitem(loaders.SOURCES, loader.__name__, source)
        monkeypatch.setitem(loaders.DATASETS, loader.__name__, loader)
    monkeypatch.setattr("mimlstudy.engine.trials._loaded", made_up)
    monkeypatch.setattr(sys.modules[__name__], "FLIPPED", set())
    text = "def left():\n    return 1\ndef right():\n    return 2\n"
    sources = fingerprint.sources() | {__name__: text.encode()}
    monkeypatch.setattr(fingerprint, "sources", lambda: sources)
    mine = tiny({"Ml-knn": METHODS["Ml-knn"]}, datasets=("left", "right"))
    store = Store(tmp_path / "two", CATALOGUE)

    def of_each():
        return [*states(mine, store, "dataset").values()]

    compute(mine, store=store, jobs=1)
    edit(monkeypatch, __name__, "1", "3")
    edit(monkeypatch, __name__, "2", "4")
    assert of_each() == ["code changed", "code changed"]
    FLIPPED.add("left")
    for seed in range(4):
        table = verify([mine], store=store, jobs=1, random_state=seed)
        assert sorted(table["outcome"]) == ["different", "equal"]
        assert of_each() == ["differs", "current"]
    FLIPPED.clear()
    again = verify([mine], store=store, jobs=1)
    assert sorted(again["outcome"]) == ["different", "equal"]  # until it is recorded again
    edit(monkeypatch, __name__, "3", "5")
    assert of_each() == ["code changed", "current"]
    verify([mine], store=store, jobs=1)
    assert of_each() == ["current", "current"]
    FLIPPED.add("right")  # a later outcome withdraws the earlier one
    verify([mine], store=store, jobs=1)
    assert of_each() == ["current", "differs"]


def test_an_edited_row_is_damaged_whatever_is_drawn(store):
    path, whole = store.path("mine"), store.path("mine").read_text()
    path.write_text(whole.replace("drawn:24x2x4,Ml-knn,{},1", "drawn:24x2x4,Ml-knn,{},0"))
    for seed in range(3):
        assert outcomes(store, random_state=seed)["Ml-knn"] == "damaged"


def test_outliers_lie_far_from_the_same_setting_on_other_splits(store):
    row, rng = store.load(MINE).query("method == 'Ml-knn'").iloc[0], np.random.default_rng(0)
    for n_splits, values, found in (
        (10, {"one_error": 0.76}, [9]),
        (10, {"one_error": 0.205}, []),
        (10, {"hamming_loss": 0.57}, [9]),  # all others are equal: no spread at all
        (10, {"fit_seconds": 1000.0}, []),
        (4, {"one_error": 0.76}, []),
    ):
        table = pd.DataFrame([row] * n_splits).assign(split=range(n_splits))
        table["one_error"] = 0.2 + 0.01 * rng.random(n_splits)
        table = table.assign(**{n: [*table[n][:-1], value] for n, value in values.items()})
        assert outliers(MINE, table)["split"].tolist() == found, values


def test_a_planted_wrong_record_is_found_whatever_is_drawn(store):
    """One value of one of eight trials, seen though the sample draws another trial."""
    mine = tiny({"Ml-knn": METHODS["Ml-knn"]}, n_splits=8)
    compute(mine, store=store, jobs=1)
    assert outcomes(store, [mine], random_state=0) == {"Ml-knn": "equal"}
    change(store, one_error=0.5 * (store.load(mine)["split"] == 5))
    for seed in range(3):
        assert outcomes(store, [mine], random_state=seed) == {"Ml-knn": "different"}


def test_a_quick_check_draws_cheap_usable_trials_and_writes_nothing(store, monkeypatch):
    change(store, seconds=1000.0)
    before = {path.name: path.read_bytes() for path in store.folder.iterdir()}
    assert outcomes(store, seconds=20.0) == {"MimlNn": "equal"}
    assert {path.name: path.read_bytes() for path in store.folder.iterdir()} == before
    change_records(store, MINE, lambda rows: rows.assign(seconds=4.0))
    for seconds, n_checked in ((16.0, 4), (15.9, 0)):  # a trial may take a quarter of it
        assert verify([MINE], store=store, seconds=seconds, jobs=1)["n_checked"].sum() == n_checked
    with monkeypatch.context() as patched:
        patched.setattr(PaperCatalogue, "is_present", lambda *_: False)
        assert verify([MINE], store=store, seconds=20.0).empty
    change(store, "MimlNn", code="older code")
    change(store, "Ml-knn", doubt="differs")
    assert verify([MINE], store=store, seconds=20.0).empty


def test_nothing_to_run_again(store, monkeypatch):
    """Costs, of which a second measurement gives other numbers; an empty store; missing data."""
    costs, empty = (
        tiny({"Label frequencies": LabelFrequencies()}, measure=COSTS),
        Store(store.folder / "empty", CATALOGUE),
    )
    for experiments, where in (([costs], store), ([MINE], empty), ([], store)):
        for seconds in (None, 20.0):
            assert verify(experiments, store=where, seconds=seconds).empty
    with pytest.raises(ValueError, match="sample must be at least 1, got 0"):
        verify([MINE], sample=0, store=store)
    monkeypatch.setattr(PaperCatalogue, "fetch", raising(DataError("scene is missing")))
    with pytest.raises(DataError, match="scene is missing"):
        verify([MINE], store=store)


def test_what_cannot_be_written_is_named_before_a_trial_runs(store, monkeypatch, tmp_path):
    """Such as the outcomes of a store that may only be read."""
    monkeypatch.setattr(module, "run_trials", lambda *_, **__: pytest.fail("ran"))
    (store.folder / ".verified.lock").mkdir()
    with pytest.raises(StoreError, match=r"cannot write .*verified\.csv"):
        verify([MINE], store=store, jobs=1)


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan")])
def test_an_audit_of_no_seconds_is_refused(store, seconds):
    """It ran every trial, or none, and said that all was well."""
    with pytest.raises(ValueError, match="seconds must be above 0"):
        verify([MINE], store=store, seconds=seconds)


def test_records_of_other_settings_or_data_are_in_no_group(store):
    change(store, "Ml-knn", settings="others")
    change(store, "MimlNn", settings="others")
    assert verify([MINE], store=store, jobs=1).empty


def test_each_configuration_of_a_method_is_a_group_of_its_own(store):
    """A branch that only one of them takes is not attested by a run of the other."""
    overrides = {"Ml-knn": [{}, {"label_rule": "top"}]}
    mine = tiny(overrides=overrides)
    compute(mine, store=store, jobs=1)
    table = verify([mine], store=store, jobs=1)
    assert table["method"].tolist() == ["Ml-knn", "Ml-knn"]
    assert table["settings"].nunique() == 2
