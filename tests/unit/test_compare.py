"""Cells on made-up records that equal the printed values, and the verdicts on them."""

import numpy as np
import pandas as pd
import pytest

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge import compare, selection, tolerances, verdicts
from mimlstudy.judge.scorecard import scorecard_cells
from mimlstudy.judge.tolerances import round_half_up
from mimlstudy.paper.printed import printed_characteristics, printed_tables
from tests.made_up_records import as_in_the_paper, rows


@pytest.fixture(scope="module")
def printed():
    """Tables 1 to 5 with records that give the printed values."""
    tables = [
        compare.compare_with_paper(as_in_the_paper(number), number)
        for number in printed_tables()
    ]
    return pd.concat(tables, ignore_index=True)


def test_printed_values_match_themselves(printed):
    has_value = printed["printed"] == "value"
    expected = has_value.map({True: "agrees", False: "newly_measured"})
    assert printed["verdict"].tolist() == expected.tolist()
    assert printed["complete"].all()
    expected = printed["printed_mean"].fillna(0.5)
    assert np.allclose(printed["mean"], expected)


@pytest.mark.parametrize("number", printed_tables())
def test_a_cell_counts_the_runs_of_its_table(printed, number):
    of_table = printed[printed["table"] == number]
    assert set(of_table["n"]) == {printed_tables()[number].n_runs}


@pytest.mark.parametrize("number", printed_tables())
def test_without_records_all_is_missing(number):
    cells = compare.compare_with_paper(pd.DataFrame(), number)
    assert set(cells["verdict"]) == {"missing"}
    assert set(cells["state"]) == {"missing"}
    assert not cells["complete"].any()


def test_runs_of_table_1_are_splits():
    records = rows(
        "table1",
        "scene",
        "MimlSvm",
        {"coverage": [0.1, 0.2, 0.3]},
    )
    cells = compare.compare_with_paper(records, 1)
    is_ours = (cells["algorithm"] == "MimlSvm") & (cells["criterion"] == "coverage")
    (cell,) = cells[is_ours].itertuples()
    assert cell.mean == pytest.approx(0.2)
    assert cell.std == pytest.approx(0.1)
    assert cell.n == 3


def test_runs_of_table_4_are_sets_of_pages():
    of_sets = []
    for name in ("yahoo:a", "yahoo:b"):
        of_sets.append(rows("table4", name, "InsDif", {"coverage": [0.1]}))
    runs = compare.run_means(pd.concat(of_sets), printed_tables()[4])
    assert set(runs["dataset"]) == {"yahoo"}
    assert set(runs["run"]) == {"yahoo:a", "yahoo:b"}


def test_runs_of_table_5_are_cross_validations():
    """The std is over the means of ten runs, not over their hundred folds."""
    run_means = 0.1 + np.arange(10) / 100
    folds = np.tile([-0.1, 0.1], 50) + np.repeat(run_means, 10)
    records = rows("table5", "musk1", "SubCod", {"accuracy": folds})
    runs = compare.run_means(records, printed_tables()[5])
    assert runs["accuracy"].tolist() == pytest.approx(run_means.tolist())
    assert set(runs["n_trials"]) == {10}


def test_folds_of_a_cross_validation_have_a_deviation_of_their_own():
    """Pooled over two runs, of the folds 0 and .2, and .1 and .5; a split has none."""
    first = rows("table5", "musk1", "SubCod", {"accuracy": [0.0, 0.2]})
    second = rows("table5", "musk1", "SubCod", {"accuracy": [0.1, 0.5]})
    second["split"] += 10
    cells = compare.compare_with_paper(pd.concat([first, second]), 5)
    is_ours = (cells["algorithm"] == "SubCod") & (cells["dataset"] == "musk1")
    (cell,) = cells[is_ours].itertuples()
    assert cell.std_of_folds == pytest.approx(np.sqrt((0.02 + 0.08) / 2))
    splits = compare.compare_with_paper(
        rows("table1", "scene", "MimlSvm", {"coverage": [1, 2]}), 1
    )
    assert splits["std_of_folds"].isna().all()


def test_wrong_records_stay_out_of_tables():
    states = ["current", "differs", "damaged", "code changed"]
    records = rows(
        "table1",
        "scene",
        "MimlNn",
        {"coverage": [1.0] * 4},
        state=states,
    )
    kept = selection.records_of({"table1": records}, "table1", "table2")
    assert kept["state"].tolist() == ["current", "code changed"]


def test_a_stand_in_has_the_first_column_of_table_5_and_the_verdict_synthetic():
    accuracy = {"accuracy": np.repeat([0.89, 0.91], 10)}
    records = rows(
        "table5",
        "synthetic_africa",
        "SubCod",
        accuracy,
        kind="synthetic",
    )
    cells = compare.compare_with_paper(records, 5)
    (cell,) = cells[cells["n"] > 0].itertuples()
    assert cell.dataset == "musk1"
    assert cell.algorithm == "SubCod"
    assert cell.verdict == "synthetic"
    assert cell.mean == pytest.approx(0.9)


def test_characteristics_are_compared_as_printed():
    """What is not recomputed is missing."""
    recomputed = printed_characteristics().head(2)
    recomputed["vocabulary"] += [0, 1]
    cells = compare.compare_characteristics(recomputed)
    by_characteristic = cells.set_index(["dataset", "characteristic"])
    differing = by_characteristic.loc[("Business&Economy", "vocabulary")]
    assert differing.tolist() == [438, 439, "differs"]
    counts = cells["verdict"].value_counts().to_dict()
    assert counts == {"agrees": 15, "differs": 1, "missing": 72}


@pytest.mark.parametrize(("value", "printed_value"), [(44.495, 44.5), (0.285, 0.29)])
def test_halves_are_rounded_up(value, printed_value):
    assert round_half_up(value, 2) == printed_value


@pytest.fixture
def with_stranger():
    """Table 1 as printed, after the records of a method that the paper does not have."""
    criteria = {name: [0.001] * 30 for name in CRITERIA}
    stranger = rows("table1", "scene", "Oracle", criteria)
    return pd.concat([stranger, as_in_the_paper(1)])


def test_a_method_without_a_row_stands_below_and_gets_no_verdict(with_stranger):
    cells = compare.compare_with_paper(with_stranger, 1)
    below = cells[56:]
    assert below["printed"].tolist() == ["no row"] * 7
    assert below["algorithm"].tolist() == ["Oracle"] * 7
    assert below["verdict"].tolist() == [""] * 7
    assert below["printed_mean"].isna().all()
    assert below["mean"].round(9).eq(0.001).all()


def test_a_method_without_a_row_changes_no_cell_of_the_paper_and_no_total(with_stranger):
    paper = as_in_the_paper(1)
    cells = compare.compare_with_paper(with_stranger, 1)
    expected = compare.compare_with_paper(paper, 1)
    pd.testing.assert_frame_equal(cells[:56], expected)
    counted = scorecard_cells({"table1": with_stranger})
    assert counted.equals(scorecard_cells({"table1": paper}))


def test_an_incomplete_protocol_is_not_complete():
    few = compare.compare_with_paper(as_in_the_paper(1, n_runs=5), 1)
    assert not few["complete"].any()
    assert set(few["n"]) == {5}


def test_a_run_without_its_last_fold_is_not_complete():
    without_last_fold = as_in_the_paper(5).query("split < 99")
    cells = compare.compare_with_paper(without_last_fold, 5)
    assert not cells["complete"].any()


@pytest.mark.parametrize(
    ("column", "value"),
    [("state", "code changed"), ("kind", "synthetic"), ("kind", "re-derived")],
)
def test_a_method_with_one_bad_record_is_not_complete(column, value):
    records = as_in_the_paper(1)
    of_svm = records.index[records["method"] == "MimlSvm"]
    records.loc[of_svm[0], column] = value
    cells = compare.compare_with_paper(records, 1).set_index("algorithm")
    assert set(cells.loc["MimlSvm", column]) == {value}
    assert not cells.loc["MimlSvm", "complete"].any()
    assert cells.loc["MimlNn", "complete"].all()


@pytest.fixture
def around_one_half():
    """Three records of MimlNn with means of .5."""
    criteria = {name: [0.4, 0.5, 0.6] for name in CRITERIA}
    return rows("table1", "scene", "MimlNn", criteria)


def test_records_as_printed_have_the_printed_means_and_our_spreads(around_one_half):
    moved = compare.moved_to_printed_means(around_one_half, "table1")
    expected = pytest.approx([0.085, 0.185, 0.285])
    assert moved["hamming_loss"].tolist() == expected


def test_records_as_printed_are_empty_where_print_has_no_value(around_one_half):
    """What is N/A in print is NaN, and other methods too; a figure has no printed values."""
    methods = ["MimlNn", "AdtBoost.MH", "Oracle"]
    records = pd.concat([around_one_half.assign(method=method) for method in methods])
    moved = compare.moved_to_printed_means(records, "table1").set_index("method")
    assert moved.loc["MimlNn", "hamming_loss"].notna().all()
    assert moved.loc["AdtBoost.MH", "ranking_loss"].isna().all()
    assert moved.loc["Oracle", "hamming_loss"].isna().all()
    assert compare.moved_to_printed_means(around_one_half, "figure4").empty


def test_sets_of_pages_as_printed_have_the_printed_mean_together(around_one_half):
    datasets = [f"yahoo:{i}" for i in range(3)]
    pages = around_one_half.assign(
        dataset=datasets,
        method="InsDif",
        split=0,
    )
    moved = compare.moved_to_printed_means(pages, "table4")
    assert moved["hamming_loss"].mean() == pytest.approx(0.039)


TOLERATED = [
    # q = 2.0017 with 58 degrees of freedom; sqrt((.01² + .02²) / 30) = .0040825
    (1, "coverage", 1.0, 0.01, 0.02, 30, 0.00817 + 0.0005),
    # five runs of ours: q = 2.0345 with 33, sqrt(.01²/30 + .02²/5) = .0091287
    (1, "coverage", 1.0, 0.01, 0.02, 5, 0.01857 + 0.0005),
    # one run has no deviation: the printed one, sqrt(.01²/30 + .01²/1) = .010165, q = 2.0452
    (2, "coverage", 1.0, 0.01, np.nan, 1, 0.02079 + 0.0005),
    # q = 2.1009 with 18; .29 sqrt(2 · .02² / 10) = .0025938
    (3, "one_error", 0.2, 0.02, 0.02, 10, 0.00545 + 0.0005),
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
    names = ["table", "criterion", "printed_mean", "printed_std", "std", "n", "expected"]
    cells = pd.DataFrame(TOLERATED, columns=names)
    cells["n_trials"] = cells["table"].map({3: 10, 5: 10}).fillna(1)  # of whole runs
    expected = cells["expected"].tolist()
    assert tolerances.tolerance(cells).tolist() == pytest.approx(expected, abs=1e-5)


JUDGED = [
    ("hamming_loss", 0.21, "agrees"),
    ("hamming_loss", 0.19, "agrees"),
    ("hamming_loss", 0.2101, "differs_worse"),
    ("hamming_loss", 0.1899, "differs_better"),
    ("average_recall", 0.2101, "differs_better"),
    ("average_recall", 0.1899, "differs_worse"),
    ("average_recall", np.nan, "missing"),
]


def test_a_verdict_follows_from_the_tolerance_and_the_direction():
    cells = pd.DataFrame(JUDGED, columns=["criterion", "mean", "expected"])
    cells["printed_mean"] = 0.2
    cells["kind"] = "original"
    cells["tolerance"] = 0.0100001
    assert verdicts.verdict(cells).tolist() == cells["expected"].tolist()


def test_a_value_without_a_tolerance_is_not_compared():
    """One cross-validation against a value that the paper quotes."""
    records = as_in_the_paper(5, n_runs=1)
    cells = compare.compare_with_paper(records, 5)
    is_quoted = cells["printed_mean"].notna() & cells["printed_std"].isna()
    assert {*cells.loc[is_quoted, "verdict"]} == {"no_tolerance"}
    agreement = verdicts.agreement(cells)
    assert agreement["match_rate"] == 1.0
    n_of_the_paper = cells["printed_std"].notna().sum()
    assert agreement["measured"] == agreement["agrees"] == n_of_the_paper


def test_the_printed_values_are_identified(printed):
    agreement = verdicts.agreement(printed)
    assert agreement["agrees"] == 236
    assert agreement["match_rate"] == 1.0
    assert agreement["rows"] == 39
    assert agreement["rows_recognised"] == 39
    assert agreement["columns"] == 33
    assert agreement["rows_by_chance"] == pytest.approx(5)
    assert agreement["tau"] == pytest.approx(1.0)
    assert agreement["winner_agreement"] == 1.0
    # Neighbours are close in print.
    assert 0.05 < agreement["chance_agreement"] < 0.35


def test_the_share_of_agreement_is_that_of_the_verdicts_also_of_half_runs():
    half = as_in_the_paper(5).query("split < 5")
    half = half.assign(accuracy=half["accuracy"] + np.linspace(0, 0.2, len(half)))
    total = verdicts.agreement(scorecard_cells({"table5": half}, numbers=[5]))
    assert 0 < total["agrees"] < total["measured"]
    assert total["match_rate"] == pytest.approx(total["agrees"] / total["measured"])


def test_a_wider_tolerance_matches_more_rows_of_other_algorithms(printed):
    pairs = verdicts.distances_from_print(printed[printed["table"] == 1])
    assert len(pairs) == 53 + 350
    rates_of_rivals = []
    for factor in (0.1, 1.0, 4.0, np.inf):
        own_rate, rate_of_rivals = verdicts.match_rates(pairs, factor)
        assert own_rate == 1.0
        rates_of_rivals.append(rate_of_rivals)
    # Strictly rising, up to all.
    assert rates_of_rivals == sorted(set(rates_of_rivals))
    assert rates_of_rivals[-1] == 1.0


def test_a_row_that_is_another_algorithm_is_recognised_as_such(printed):
    """RankSvm with MimlSvm's numbers: its row is MimlSvm's, and the others keep their order."""
    cells = printed[printed["table"] == 1].set_index("criterion")
    is_ranksvm = cells["algorithm"] == "RankSvm"
    is_mimlsvm = cells["algorithm"] == "MimlSvm"
    cells.loc[is_ranksvm, "mean"] = cells.loc[is_mimlsvm, "printed_mean"]
    cells = cells.reset_index()
    deviations = verdicts.distances_from_print(cells)
    by_algorithm = verdicts.row_verdicts(deviations).set_index("algorithm")
    assert by_algorithm.loc["RankSvm", "nearest"] == "MimlSvm"
    assert by_algorithm["recognised"].sum() == 7
    assert verdicts.agreement(cells)["tau"] < 1


@pytest.fixture
def three_cells():
    """Hamming loss of three methods, printed .1 .2 .3 and ours .2 .1 .3."""
    return pd.DataFrame(
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
            "n_trials": 1,
            "std_of_folds": np.nan,
            "printed_mean": [0.1, 0.2, 0.3],
            "printed_std": 0.0,
            "verdict": "agrees",
            "complete": True,
        }
    )


def test_kendalls_tau_and_winners_by_hand(three_cells):
    """One of three pairs turns."""
    agreement = verdicts.agreement(three_cells)
    assert agreement["tau"] == pytest.approx(1 / 3)
    assert agreement["winner_agreement"] == 0.0
    assert agreement["rows_recognised"] == 1


@pytest.mark.parametrize(("criterion", "best"), [("hamming_loss", 1), ("average_recall", 2)])
def test_the_winner_has_the_lowest_loss_or_the_highest_score(three_cells, criterion, best):
    cells = three_cells.assign(criterion=criterion)
    has_won = verdicts.wins(cells, "mean")
    assert np.flatnonzero(has_won).tolist() == [best]
