"""Cells on made-up records that equal the printed values, and the verdicts on them."""

import numpy as np
import pandas as pd
import pytest

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge import compare, selection, tolerances, verdicts
from mimlstudy.judge.scorecard import scorecard_cells
from mimlstudy.paper.published import TABLES, published_characteristics
from tests.made_up_records import as_in_the_paper, rows


@pytest.fixture(scope="module")
def printed():
    """Tables 1 to 5 with records that give the printed values."""
    tables = [compare.compare_with_paper(as_in_the_paper(number), number) for number in TABLES]
    return pd.concat(tables, ignore_index=True)


def test_printed_values_match_themselves_and_nothing_is_missing(printed):
    words = printed["printed"].eq("value").map({True: "agrees", False: "newly_measured"})
    assert printed["verdict"].tolist() == words.tolist() and printed["complete"].all()
    assert np.allclose(printed["mean"], printed["published_mean"].fillna(0.5))
    for number, table in TABLES.items():
        assert set(printed.loc[printed["table"] == number, "n"]) == {table.n_runs}
        nothing = compare.compare_with_paper(pd.DataFrame(), number)
        assert set(nothing["verdict"]) == set(nothing["state"]) == {"missing"}
        assert not nothing["complete"].any()


def test_runs_are_splits_sets_or_cross_validations():
    """In Table 5 the std is over the means of ten runs, not over their hundred folds."""
    three = rows("table1", "scene", "MimlSvm", {"coverage": [0.1, 0.2, 0.3]})
    cells = compare.compare_with_paper(three, 1)
    (cell,) = cells.query("algorithm == 'MimlSvm' and criterion == 'coverage'").itertuples()
    assert (cell.mean, cell.std, cell.n) == (pytest.approx(0.2), pytest.approx(0.1), 3)
    pages = [rows("table4", f"yahoo:{name}", "InsDif", {"coverage": [0.1]}) for name in "ab"]
    sets = compare.run_means(pd.concat(pages), TABLES[4])
    assert set(sets["dataset"]) == {"yahoo"} and set(sets["run"]) == {"yahoo:a", "yahoo:b"}
    folds = np.tile([0.0, 0.2], 50) + np.repeat(np.arange(10) / 100, 10)
    records = rows("table5", "musk1", "SubCod", {"accuracy": folds})
    measured = compare.run_means(records, TABLES[5])
    assert measured["accuracy"].tolist() == pytest.approx([0.1 + i / 100 for i in range(10)])
    assert set(measured["n_trials"]) == {10}


def test_overrides_stages_and_wrong_records_stay_out_of_tables():
    records = as_in_the_paper(1)
    others = [records.assign(override='{"k": 1}'), records.assign(stage=3)]
    assert selection.as_published(pd.concat([records, *others])).equals(records)
    states = ["current", "differs", "damaged", "code changed"]
    records = rows("table1", "scene", "MimlNn", {"coverage": [1.0] * 4}, state=states)
    kept = selection.records_of({"table1": records}, "table1", "table2")
    assert kept["state"].tolist() == ["current", "code changed"]


def test_a_stand_in_has_the_first_column_of_table_5_and_the_verdict_synthetic():
    accuracy = {"accuracy": np.repeat([0.89, 0.91], 10)}
    records = rows("table5", "synthetic_africa", "SubCod", accuracy, kind="synthetic")
    (cell,) = compare.compare_with_paper(records, 5).query("n > 0").itertuples()
    assert (cell.dataset, cell.algorithm, cell.verdict) == ("musk1", "SubCod", "synthetic")
    assert cell.mean == pytest.approx(0.9)


def test_characteristics_are_compared_as_printed():
    """Halves are rounded up: 44.495 is printed as 44.50. What is not recomputed is missing."""
    recomputed = published_characteristics().head(2)
    recomputed["vocabulary"] += [0, 1]
    cells = compare.compare_characteristics(recomputed).set_index(["dataset", "characteristic"])
    assert cells.loc[("Business&Economy", "vocabulary")].tolist() == [438, 439, "differs"]
    assert cells["verdict"].value_counts().to_dict() == {"agrees": 15, "differs": 1, "missing": 72}
    assert compare.round_half_up(44.495, 2) == 44.5 and compare.round_half_up(0.285, 2) == 0.29


def test_a_method_without_a_row_stands_below_and_gets_no_verdict():
    """It is in no total either, and the paper's cells are the same without it."""
    paper = as_in_the_paper(1)
    stranger = rows("table1", "scene", "Oracle", {name: [0.001] * 30 for name in CRITERIA})
    records = pd.concat([stranger, paper])
    cells = compare.compare_with_paper(records, 1)
    others = cells[56:]
    for name, value in {"printed": "no row", "algorithm": "Oracle", "verdict": ""}.items():
        assert others[name].tolist() == [value] * 7
    assert others["published_mean"].isna().all() and others["mean"].round(9).eq(0.001).all()
    pd.testing.assert_frame_equal(cells[:56], compare.compare_with_paper(paper, 1))
    assert scorecard_cells({"table1": records}).equals(scorecard_cells({"table1": paper}))


def test_an_incomplete_protocol_or_one_bad_record_is_not_complete():
    few = compare.compare_with_paper(as_in_the_paper(1, n_runs=5), 1)
    assert not few["complete"].any() and set(few["n"]) == {5}
    half_a_run = as_in_the_paper(5).query("split < 99")
    assert not compare.compare_with_paper(half_a_run, 5)["complete"].any()
    for column, value in (("state", "code changed"), ("kind", "synthetic"), ("kind", "re-derived")):
        records = as_in_the_paper(1)
        records.loc[records.index[records["method"] == "MimlSvm"][0], column] = value
        cells = compare.compare_with_paper(records, 1).set_index("algorithm")
        assert set(cells.loc["MimlSvm", column]) == {value}
        assert not cells.loc["MimlSvm", "complete"].any()
        assert cells.loc["MimlNn", "complete"].all()


def test_records_as_printed_have_the_printed_means_and_our_spreads():
    """Of methods with means of .5; what is N/A in print is NaN, and other methods too."""
    ours = rows("table1", "scene", "MimlNn", {name: [0.4, 0.5, 0.6] for name in CRITERIA})
    others = [ours.assign(method=name) for name in ("AdtBoost.MH", "Oracle")]
    moved = compare.as_printed(pd.concat([ours, *others]), "table1").set_index("method")
    assert moved.loc["MimlNn", "hamming_loss"].tolist() == pytest.approx([0.085, 0.185, 0.285])
    assert moved.loc["AdtBoost.MH", "ranking_loss"].isna().all()
    assert moved.loc["Oracle", "hamming_loss"].isna().all()
    assert compare.as_printed(ours, "figure4").empty
    pages = ours.assign(dataset=[f"yahoo:{i}" for i in range(3)], method="InsDif", split=0)
    assert compare.as_printed(pages, "table4")["hamming_loss"].mean() == pytest.approx(0.039)


TOLERATED = [
    # q = 2.0017 with 58 degrees of freedom; sqrt((.01² + .02²) / 30) = .0040825
    (1, "coverage", 1.0, 0.01, 0.02, 30, 0.00817 + 0.0005),
    # five runs of ours: q = 2.0345 with 33, sqrt(.01²/30 + .02²/5) = .0091287
    (1, "coverage", 1.0, 0.01, 0.02, 5, 0.01857 + 0.0005),
    # one run has no deviation: the printed one, sqrt(.01²/30 + .01²/1) = .010165, q = 2.0452
    (2, "coverage", 1.0, 0.01, np.nan, 1, 0.02079 + 0.0005),
    # q = 2.1009 with 18; .35 sqrt(2 · .02² / 10) = .0031305
    (3, "one_error", 0.2, 0.02, 0.02, 10, 0.00658 + 0.0005),
    # 1.96 sqrt(.4 · .6 / 33000) = .0052857; the spread between sets does not count
    (4, "one_error", 0.4, 0.1, 0.1, 11, 0.00529 + 0.0005),
    (4, "one_error", 0.4, 9.9, 0.0, 11, 0.00529 + 0.0005),
    # 336/11 labels: 1.96 sqrt(4 (29.545 - 4) / 33000) = .10907
    (4, "coverage", 4.0, 1.0, 1.0, 11, 0.10907 + 0.0005),
    # a mean over pages and labels: 1.96 sqrt(.04 · .96 / (33000 · 30.545)) = .00038255
    (4, "hamming_loss", 0.04, 0.01, 0.01, 11, 0.00038 + 0.0005),
    # no printed deviation: 2.2622 sqrt(1 + 1/10) · .02
    (5, "accuracy", 0.85, np.nan, 0.02, 10, 0.04745 + 0.0005),
    (5, "accuracy", 0.85, 0.02, 0.02, 10, 0.01879 + 0.0005),
]


def test_tolerances_by_hand():
    names = ["table", "criterion", "published_mean", "published_std", "std", "n", "expected"]
    cells = pd.DataFrame(TOLERATED, columns=names)
    assert tolerances.tolerance(cells).tolist() == pytest.approx([*cells["expected"]], abs=1e-5)


def test_words():
    words = {
        ("hamming_loss", 0.21): "agrees",
        ("hamming_loss", 0.19): "agrees",
        ("hamming_loss", 0.2101): "differs_worse",
        ("hamming_loss", 0.1899): "differs_better",
        ("average_recall", 0.2101): "differs_better",
        ("average_recall", 0.1899): "differs_worse",
        ("average_recall", np.nan): "missing",
    }
    cells = pd.DataFrame([*words], columns=["criterion", "mean"])
    cells = cells.assign(published_mean=0.2, kind="original", tolerance=0.0100001)
    assert verdicts.verdict(cells).tolist() == [*words.values()]


def test_the_printed_values_are_identified(printed):
    found = verdicts.agreement(printed)
    assert found["agrees"] == 236 and found["match_rate"] == 1.0
    assert (found["rows"], found["rows_recognised"], found["columns"]) == (39, 39, 33)
    assert found["rows_by_chance"] == pytest.approx(5)
    assert found["tau"] == pytest.approx(1.0) and found["winner_agreement"] == 1.0
    assert 0.05 < found["chance_agreement"] < 0.35  # neighbours are close in print
    pairs = verdicts.deviations(printed[printed["table"] == 1])
    rates = [verdicts.match_rates(pairs, factor) for factor in (0.1, 1.0, 4.0, np.inf)]
    assert [own for own, _ in rates] == [1.0] * 4
    others = [other for _, other in rates]
    assert others == sorted({*others}) and others[-1] == 1.0 and len(pairs) == 53 + 350


def test_a_row_that_is_another_algorithm_is_told_apart(printed):
    """RankSvm with MimlSvm's numbers: its row is MimlSvm's, and the others keep their order."""
    cells = printed[printed["table"] == 1].set_index("criterion")
    own, other = (cells["algorithm"] == name for name in ("RankSvm", "MimlSvm"))
    cells.loc[own, "mean"] = cells.loc[other, "published_mean"]
    cells = cells.reset_index()
    rows = verdicts.row_verdicts(verdicts.deviations(cells)).set_index("algorithm")
    assert rows.loc["RankSvm", "nearest"] == "MimlSvm" and rows["recognised"].sum() == 7
    assert verdicts.agreement(cells)["tau"] < 1


def test_kendalls_tau_and_winners_by_hand():
    """Three methods, hamming loss printed .1 .2 .3 and ours .2 .1 .3: one of three pairs turns."""
    cells = pd.DataFrame(
        {
            "table": 1,
            "dataset": "scene",
            "criterion": "hamming_loss",
            "algorithm": ["MimlSvm", "MimlNn", "MlSvm"],
            "printed": "value",
            "kind": "original",
            "mean": [0.2, 0.1, 0.3],
            "std": 0.0,
            "n": 30,
            "published_mean": [0.1, 0.2, 0.3],
            "published_std": 0.0,
            "verdict": "agrees",
            "complete": True,
        }
    )
    found = verdicts.agreement(cells)
    assert found["tau"] == pytest.approx(1 / 3)
    assert found["winner_agreement"] == 0.0 and found["rows_recognised"] == 1
    for criterion, best in (("hamming_loss", 1), ("average_recall", 2)):
        won = verdicts.wins(cells.assign(criterion=criterion), "mean")
        assert np.flatnonzero(won).tolist() == [best]
