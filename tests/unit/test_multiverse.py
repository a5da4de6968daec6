"""Every reading: choices crossed, trials recorded, claims counted."""

import json
from functools import partial
from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from mimlpaper.study.universes import (
    READ_CLAIMS,
    Read,
    Universes,
    drawn_universes,
    in_sentences,
    readings_of,
    recorded_shares,
    row_positions,
    summary,
    universes_of,
    variance_of,
    variance_shares,
)

from mimlpaper import MimlNn, MlKnn
from mimlpaper.datasets import load
from mimlpaper.metrics import CRITERIA
from mimlpaper.study import multiverse as multiverse_module
from mimlpaper.study.claims import CLAIM_TESTS, ClaimTest, significance
from mimlpaper.study.figures import plot_claim_shares, plot_specifications
from mimlpaper.study.multiverse import MOST, SHARED, Multiverse, Readings, choices_of, crossed, flat
from mimlpaper.study.published import published_claims
from mimlpaper.study.records import KEY, Store, records
from mimlpaper.study.registry import EXPERIMENTS, family
from mimlpaper.study.runner import compute, estimate
from mimlpaper.study.settings import Row, default, nearest, stated
from mimlpaper.study.tables import flips_table, positions_table, variance_table
from mimlpaper.study.trials import RandomSplits

FAMILY = family("multiverse")


def one_of(values):
    return [{name: value} for name, value in values.items()]


def test_few_readings_are_crossed_in_full():
    """Two alternatives of C and one of the rule: 3 · 2 readings, the published one first."""
    readings = crossed({"C": [{"C": 1}, {"C": 2}], "rule": [{"rule": "top"}]})
    assert readings[0] == {}
    assert len(readings) == 6
    assert {"C": {"C": 2}, "rule": {"rule": "top"}} in readings


def test_too_many_readings_keep_first_alternatives_and_add_the_others_alone():
    """3^4 = 81 > 48, so 2^4 = 16 in full and four more."""
    choices = {name: [{name: 1}, {name: 2}] for name in "abcd"}
    readings = crossed(choices)
    assert len(readings) == 16 + 4
    assert [one for one in readings if 2 in flat(one).values()] == [
        {name: {name: 2}} for name in "abcd"
    ]


@pytest.mark.parametrize("n_choices", [6, 7, 8])
def test_all_pairs_of_a_fraction_are_estimable(n_choices):
    """No more readings than MOST, and the model of all pairs has full rank."""
    names = [f"choice{i}" for i in range(n_choices)]
    readings = crossed({name: [{name: 1}] for name in names})
    assert readings[0] == {} and len(readings) <= MOST
    assert [one for one in readings if len(one) == 1] == [{n: {n: 1}} for n in reversed(names)]
    on = np.array([[name in one for name in names] for one in readings], dtype=float)
    pairs = [on[:, i] * on[:, j] for i, j in combinations(range(n_choices), 2)]
    terms = np.column_stack([np.ones(len(on)), on, *pairs])
    assert np.linalg.matrix_rank(terms) == terms.shape[1]


def test_choices_come_from_the_row():
    """Own choices, the blind value of a setting nearest to print, the other label rule."""
    row = Row(
        MlKnn(),
        [stated(scaling=None, n_neighbors=10), default(smoothing=1.0), nearest(smoothing=2.0)],
        choices=[dict(n_neighbors=20)],
    )
    assert choices_of("table3", "Ml-knn", row) == {
        "n_neighbors": one_of({"n_neighbors": 20}), "smoothing": one_of({"smoothing": 1.0}),
        "label_rule": one_of({"label_rule": "top"}),
    }  # fmt: skip


def test_a_new_choice_is_one_row():
    row = Row(MimlNn(), [default(scaling=None)], choices=[dict(ratio=0.1)])
    more = Row(MimlNn(), [default(scaling=None)], choices=[dict(ratio=0.1), dict(ratio=0.3)])
    assert len(crossed(choices_of("table3", "new", more))) == 3 / 2 * len(
        crossed(choices_of("table3", "new", row))
    )


@pytest.mark.parametrize("name", FAMILY)
def test_readings_of_the_paper(name):
    """At most MOST a method, the published one is not run, no reading runs twice."""
    experiment = EXPERIMENTS[name]
    trials = experiment.trials()
    assert len(set(trials)) == len(trials)
    assert all(trial.parameters != "{}" for trial in trials)
    for method, readings in experiment.variants.items():
        assert readings[0] == {} and len(readings) <= MOST, method
        own = {t.parameters for t in trials if t.method == method}
        assert own or len(readings) == 1
    shared = {name for readings in experiment.variants.values() for one in readings for name in one}
    assert shared & set(SHARED)


def test_a_setting_that_a_data_set_has_anyway_is_no_change():
    """Molecules are scaled by columns in the published row of SubCod, images by rows."""
    experiment = EXPERIMENTS["multiverse_table5"]
    reading = {"scaling": {"scaling": "columns"}}
    assert experiment.parameters("musk1", "SubCod", reading) == "{}"
    assert experiment.parameters("fox", "SubCod", reading) == '{"scaling": "columns"}'


def test_a_reading_is_the_published_estimator_with_its_changes():
    experiment = EXPERIMENTS["multiverse_table2"]
    published = EXPERIMENTS["table2"]
    for trial in experiment.trials("smoke", ["MimlSvm", "MlSvm"]):
        ours = experiment.estimator(trial)
        changes = json.loads(trial.parameters)
        assert all(ours[-1].get_params()[n] == v for n, v in changes.items() if n != "scaling")
        theirs = published.estimator(published.trials("smoke", [trial.method])[0])
        assert (len(ours) == len(theirs)) == ("scaling" not in changes)


def test_all_of_it_takes_three_core_hours_at_most():
    table = estimate(["multiverse_table1"], recompute=True).set_index("experiment")
    assert 0 < table.loc["all", "core_hours"] < 1
    assert table.loc["all", "unknown"] == 0


@pytest.fixture
def small():
    """Two readings of two methods on drawn data."""
    rows = {
        "MimlNn": Row(MimlNn(), [default(scaling=None)], choices=[dict(ridge=10.0)]),
        "MimlNn, few": Row(MimlNn(ratio=0.1), [default(scaling=None)]),
    }
    readings = {name: crossed(choices_of("table1", name, row)) for name, row in rows.items()}
    return Readings("small", "Small", ("scene",), RandomSplits(2), rows, readings)


def test_trials_that_were_stopped_go_on_and_are_those_of_an_undisturbed_run(small, tmp_path):
    whole, torn = Store(tmp_path / "whole"), Store(tmp_path / "torn")
    undisturbed = compute(small, profile="smoke", jobs=1, store=whole)
    text = whole.path("small").read_text().splitlines(keepends=True)
    torn.folder.mkdir()
    torn.path("small").write_text("".join(text[:4]) + text[4][:30])
    resumed = compute(small, profile="smoke", jobs=1, store=torn)
    by_the_way = ["fit_seconds", "predict_seconds", "commit", "seal"]
    assert resumed.drop(columns=by_the_way).equals(undisturbed.drop(columns=by_the_way))
    assert set(records(small, profile="smoke", store=torn)["state"]) == {"fresh"}
    assert len(resumed) == len(resumed.drop_duplicates(KEY)) == len(small.trials("smoke"))


def test_a_stranger_runs_every_reading_of_an_estimator():
    data = load("synthetic_scene")
    many = Multiverse({"ridge": [0.1, 10.0], "few": [dict(ratio=0.1, label_rule="top")]})
    table = many.run(MimlNn(), data.X, data.Y, n_splits=2)
    assert len(table) == 2 * 6
    assert table.loc[0, ["ridge", "few"]].tolist() == ["", ""]
    assert set(table["few"]) == {"", "ratio = 0.1, label_rule = top"}
    assert table.groupby("few")["average_precision"].mean().nunique() == 2
    assert table.equals(many.run(MimlNn(), data.X, data.Y, n_splits=2))


def a_reading(method, value, changes=(), options=()):
    """Ten splits with every criterion at ``value``, a little apart from split to split."""
    rows = [
        {"dataset": "scene", "method": method, "parameters": "{}", "split": split, "stage": 0,
         "n_train": 1500, "n_test": 500, "state": "fresh", "kind": "original"}
        | dict.fromkeys(CRITERIA, value + 0.001 * (split % 3) * (len(method) % 2))
        for split in range(10)
    ]  # fmt: skip
    return Read(method, dict(changes), frozenset(options), pd.DataFrame(rows))


RULE, FEW = ("label_rule", "label_rule = top"), ("ratio", "ratio = 0.2")


@pytest.fixture
def reads():
    """MimlNn is far better than Ml-knn on losses, unless it has few medoids."""
    both = {RULE, FEW}
    return [
        a_reading("MimlNn", 0.1, (), both), a_reading("MimlNn", 0.1, [RULE], both),
        a_reading("MimlNn", 0.5, [FEW], both), a_reading("MimlNn", 0.5, [RULE, FEW], both),
        a_reading("Ml-knn", 0.3, (), {RULE}), a_reading("Ml-knn", 0.3, [RULE], {RULE}),
    ]  # fmt: skip


def test_what_is_shared_is_the_same_for_both_methods(reads):
    """2 rules, 2 tests and 2 readings of MimlNn: 8 universes, 1 + 3 + 3 + 1 by changes."""
    every = Universes(reads, ["MimlNn", "Ml-knn"])
    by_changes = [list(every.near(n)) for n in range(5)]
    assert [len(found) for found in by_changes] == [1, 3, 3, 1, 0]
    assert by_changes[0][0].changes == ()
    assert set(sum([one.changes for one in by_changes[1]], ())) == {
        "all: label_rule = top", "MimlNn: ratio = 0.2", "plain paired t-test",
    }  # fmt: skip
    for one in every.drawn(20):
        assert len({read.changes.get("label_rule", "") for read in one.reads}) == 1


def test_a_method_without_a_shared_choice_takes_part_as_it_is():
    reads = [
        a_reading("A", 0.1, [RULE], {RULE}),
        a_reading("A", 0.1, (), {RULE}),
        a_reading("B", 0),
    ]
    assert len(list(Universes(reads, ["A", "B"]).near(1))) == 2
    assert not list(Universes(reads, ["A", "C"]).near(0))


def test_shares_and_flips_of_a_claim(reads, monkeypatch):
    """S4.5, MimlNn better than Ml-knn: of losses alone it holds, except with few medoids."""
    claimed = dict(
        test="better", methods=["MimlNn"], rivals=["Ml-knn"], on=["hamming_loss", "coverage"]
    )
    test = ClaimTest(partial(significance, **claimed), "table1", ("MimlNn", "Ml-knn"))
    monkeypatch.setitem(CLAIM_TESTS, "S4.5", [test])
    monkeypatch.setattr(multiverse_module, "readings_of", lambda name, _: reads)
    table = universes_of({}, claims=["S4.5"], n_drawn=40)
    few = table["changes"].map(lambda changes: "MimlNn: ratio = 0.2" in changes)
    assert ((table["verdict"] == "fails") == few).all()
    (row,) = summary(table).to_dict("records")
    assert row["n"] == 40 and row["partly"] == 0
    assert row["fails"] == few[table["drawn"]].mean() == 1 - row["holds"]
    assert row["published"] == "holds"
    assert json.loads(row["flips"]) == [{"changes": ["MimlNn: ratio = 0.2"], "verdict": "fails"}]
    entries = flips_table(summary(table)).rows["S4.5"]
    assert entries[-1].lines == ("MimlNn: ratio = 0.2 (fails)",)
    assert "1 changes with one choice" in in_sentences(summary(table))


COUNTED: list[int] = []  # calls; a list in a closure would count as code


def _counted(get_records, *, n_drawn, jobs):
    COUNTED.append(n_drawn)
    common = {"claim": "S4.5", "verdict": "holds", "effect": 0.1, "measure": "lead"}
    published, drawn = dict(drawn=False, changes=()), dict(drawn=True, changes=("all: x",))
    return pd.DataFrame([common | published, common | drawn])


def test_drawn_universes_are_kept_until_a_record_changes(tmp_path, monkeypatch):
    """A change of the records, here of coverage or accuracy, makes them again."""
    store = Store(tmp_path)
    monkeypatch.setattr(multiverse_module, "default_store", lambda profile: store)
    monkeypatch.setattr(multiverse_module, "NEEDED", ("table1",))

    monkeypatch.setattr(multiverse_module, "universes_of", _counted)
    COUNTED.clear()
    row = dict.fromkeys(KEY, "a") | dict.fromkeys(CRITERIA, 0.5)
    first = drawn_universes({"table1": pd.DataFrame([row])}, "paper")
    again = drawn_universes({"table1": pd.DataFrame([row])}, "paper")
    assert len(COUNTED) == 1
    pd.testing.assert_frame_equal(first, again)
    assert first["changes"].tolist() == [("all: x",)]
    assert recorded_shares("paper")["holds"].tolist() == [1.0]
    assert recorded_shares("quick").empty
    drawn_universes({"table1": pd.DataFrame([row | {"coverage": 0.6}])}, "paper")
    assert len(COUNTED) == 2
    drawn_universes({"table1": pd.DataFrame([row | {"coverage": 0.6, "accuracy": 0.6}])}, "paper")
    assert len(COUNTED) == 3


def test_a_specification_curve_ticks_the_choices_that_matter():
    """Two universes, the better one without a change: its effect stands last, without a tick."""
    rows = [("S4.5", True, "fails", -0.1, "lead", ("A: C = 1",)), ("S4.5", True, "holds", 0.2,
            "lead", ())]  # fmt: skip
    columns = ["claim", "drawn", "verdict", "effect", "measure", "changes"]
    _, axes = plt.subplots(1, 2, squeeze=False)
    plot_specifications(pd.DataFrame(rows, columns=columns), ["S4.5"], axes)
    axes = axes[0]
    assert axes[0].collections[0].get_offsets()[:, 1].tolist() == [-0.1, 0.2]
    assert axes[1].lines[0].get_xdata().tolist() == [0]
    assert [text.get_text() for text in axes[1].get_yticklabels()] == ["A: C = 1"]


def test_claims_are_stacked_to_one():
    row = {"claim": "S4.1", "published": "holds", "holds": 0.5, "partly": 0.2, "fails": 0.3}
    shares = pd.DataFrame([row])
    _, axis = plt.subplots()
    plot_claim_shares(shares, axis)
    assert sum(bar.get_width() for bar in axis.patches) == pytest.approx(1)


def test_variance_shares_by_hand():
    """2 a + b over a crossing: 4/5 and 1/5 of the variance, nothing together."""
    table = pd.DataFrame([{"a": a, "b": b, "value": 2 * (a == "x") + (b == "y")}
                          for a in ("", "x") for b in ("", "y")])  # fmt: skip
    shares = variance_shares(table, ["a", "b"], ["value"])["value"]
    assert shares.to_dict() == pytest.approx({"a": 0.8, "b": 0.2, "together": 0.0})


def test_rounding_is_no_variance():
    """Three means of the same numbers, summed in other orders, and one that differs by 1e-6."""
    equal = [0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1, 0.6]
    table = pd.DataFrame({"a": ["", "x", "y"], "same": equal, "other": [0.6, 0.6, 0.600001]})
    assert len(set(equal)) > 1
    shares = variance_shares(table, ["a"], ["same", "other"])
    assert shares["same"].isna().all()
    assert shares["other"].to_dict() == pytest.approx({"a": 1.0, "together": 0.0})


def test_readings_are_those_that_are_recorded_for_all_data_sets(tmp_path):
    """The published reading comes from the table, the others from the multiverse."""
    store = Store(tmp_path)
    for name in ("table1", "multiverse_table1"):
        compute(name, profile="smoke", methods=["MimlNn", "Ml-knn"], jobs=1, store=store)
    found = readings_of("table1", lambda name: records(name, profile="smoke", store=store))
    changes = [read.changes for read in found if read.method == "Ml-knn"]
    assert changes == [{}, {"label_rule": "label_rule = top"}]
    assert {read.method for read in found} == {"MimlNn", "Ml-knn"}
    assert all(len(read.records) == 2 for read in found)
    rows = row_positions(found, 1)
    assert rows["below"].between(0, 1).all()
    assert "Table 1: MimlNn" in positions_table(rows).rows
    shares = variance_of(found, list(CRITERIA))
    assert set(shares["choice"]) == {"label_rule", "together"}
    assert "Table 1: label_rule" in variance_table({"Table 1": shares}).rows
    table = universes_of(
        lambda name: records(name, profile="smoke", store=store), claims=["S4.5"], n_drawn=3
    )
    assert set(table["verdict"]) <= {"holds", "partly", "fails"}


def test_claims_that_are_read():
    """Every claim of results on the tables and on Figs. 4 and 5."""
    ids = set(published_claims()["id"])
    assert ids - set(READ_CLAIMS) == {
        *("B.1", "B.2", "B.3", "B.4", "B.5", "C.1", "C.2", "N.1", "S5.5", "S5.6")
    }
