"""How far a mean may be from the printed one: each rule by hand, and its constants by records."""

import numpy as np
import pandas as pd
import pytest

from mimlpaper.metrics import CRITERIA
from mimlstudy.folders import results
from mimlstudy.judge import tolerances
from mimlstudy.judge.tolerances import PRINTED_ROUNDING, TOLERANCE_RULES, tolerance
from mimlstudy.paper.printed import printed_tables


def cell(table, criterion="one_error", **values):
    """One cell, of which only some columns matter."""
    row = {
        "table": table,
        "criterion": criterion,
        "printed_mean": 0.4,
        "printed_std": 0.1,
        "std": 0.1,
        "n": 11,
        "n_trials": printed_tables()[table].n_folds,
    }
    return pd.DataFrame(row | values, index=range(np.size(criterion)))


def test_every_table_names_a_rule():
    assert {table.tolerance for table in printed_tables().values()} <= {*TOLERANCE_RULES}


def test_the_spread_between_sets_of_pages_does_not_count():
    narrow = cell(4, std=0.0)
    wide = cell(4, std=9.9)
    assert tolerance(narrow).tolist() == tolerance(wide).tolist()


def test_on_the_same_pages_only_rounding_is_left():
    pages = cell(4)
    assert tolerance(pages, "same pages").tolist() == [PRINTED_ROUNDING]
    assert tolerance(pages).iloc[0] > PRINTED_ROUNDING


def test_one_cross_validation_has_no_tolerance_against_a_quoted_value():
    quoted = cell(5, "accuracy", printed_std=np.nan, std=np.nan, n=1)
    assert tolerance(quoted).isna().all()
    printed_by_the_paper = cell(5, "accuracy", std=np.nan, n=1)
    assert tolerance(printed_by_the_paper).notna().all()


def test_half_a_cross_validation_is_a_sample_of_its_folds():
    """Student's quantile with 9 degrees of freedom, and .1² over 10 printed runs and one of ours.

    Half of ten folds of .2² add half of .2² / 5.
    """
    half = cell(5, "accuracy", std=np.nan, n=1, n_trials=5, std_of_folds=0.2)
    by_hand = 2.2622 * np.sqrt(0.01 / 10 + 0.01 + 0.04 / 10) + PRINTED_ROUNDING
    assert tolerance(half).item() == pytest.approx(by_hand, rel=1e-4)
    # The deviation of one fold is not known: ten independent folds would have √10 times a run's.
    one = cell(5, "accuracy", std=np.nan, n=1, n_trials=1, std_of_folds=np.nan)
    by_hand = 2.2622 * np.sqrt(0.01 / 10 + 0.01 + 0.1 * 0.9) + PRINTED_ROUNDING
    assert tolerance(one).item() == pytest.approx(by_hand, rel=1e-4)
    whole = cell(5, "accuracy", std=np.nan, n=1)
    assert tolerance(whole).equals(tolerance(whole.drop(columns="n_trials")))
    # The deviation of several runs is that of what they are.
    several = cell(5, "accuracy", n=2)
    assert tolerance(several).equals(tolerance(several.assign(n_trials=5)))


def test_cells_of_several_tables_have_the_rule_of_each():
    cells = pd.concat([cell(1, n=30), cell(3, n=10)], ignore_index=True)
    of_splits, of_genes = tolerance(cells) - PRINTED_ROUNDING
    if_splits = tolerance(cell(3, n=10), "splits").iloc[0] - PRINTED_ROUNDING
    assert of_genes == pytest.approx(tolerances.GENE_PARTITIONS * if_splits)
    # Student's quantile with 58 degrees of freedom, and two variances of .1².
    by_hand = 2.0017 * np.sqrt(2 * 0.01 / 30)
    assert of_splits == pytest.approx(by_hand, rel=1e-4)


def test_half_a_partition_of_genes_is_a_sample_of_its_folds():
    """Student's quantile with 13 degrees of freedom; half of ten folds add half of .1² / 5."""
    half = cell(3, n=5)
    of_partitions = tolerances.GENE_PARTITIONS**2 * (0.01 / 10 + 0.01 / 10)
    by_hand = 2.1604 * np.sqrt(of_partitions + 0.01 / 10) + PRINTED_ROUNDING
    assert tolerance(half).item() == pytest.approx(by_hand, rel=1e-4)
    # Of a whole partition, or several, the formula of two sets of splits is left.
    for n in (10, 50):
        if_splits = tolerance(cell(3, n=n), "splits") - PRINTED_ROUNDING
        of_genes = tolerance(cell(3, n=n)) - PRINTED_ROUNDING
        assert of_genes.item() == pytest.approx(tolerances.GENE_PARTITIONS * if_splits.item())


@pytest.mark.parametrize("n_folds", [1, 3, 5, 9])
def test_some_folds_of_a_method_agree_with_all_its_folds(n_folds):
    """In 95% of the cells, as two runs of one program should; by chance in more or fewer."""
    recorded = pd.read_csv(results() / "table3.csv").sort_values("split")
    criteria = printed_tables()[3].criteria
    n_cells = n_agreeing = 0
    for _, folds in recorded.groupby("method")[[*criteria]]:
        some = folds.iloc[:n_folds]
        cells = cell(3, criteria, n=n_folds, std=some.std().to_numpy())
        cells = cells.assign(printed_std=folds.std().to_numpy())
        deviation = (some.mean() - folds.mean()).abs().to_numpy()
        n_agreeing += (deviation <= tolerance(cells)).sum()
        n_cells += len(criteria)
    assert n_agreeing / n_cells > 0.9


@pytest.mark.parametrize("rule", ["sampled pages", "same pages"])
def test_a_mean_over_some_sets_of_pages_has_no_tolerance(rule):
    """The printed one is over all eleven."""
    assert tolerance(cell(4, n=10), rule).isna().all()
    assert tolerance(cell(4, n=11), rule).notna().all()


def test_partitions_of_genes_move_a_mean_as_recorded():
    """A ratio of deviations: of five means of ten folds, over those of independent folds."""
    recorded = pd.read_csv(results() / "alternatives.csv")
    five = recorded[recorded["method"].str.endswith(", five partitions")]
    five = five.assign(partition=five["split"] // 10)
    by_partition = five.groupby(["method", "partition"])[[*CRITERIA]]
    of_means = by_partition.mean().groupby("method").var()
    if_independent = by_partition.var().groupby("method").mean() / 10
    pooled = (of_means / if_independent).to_numpy().mean()
    assert five["partition"].nunique() == 5
    assert np.sqrt(pooled) == pytest.approx(tolerances.GENE_PARTITIONS, abs=0.005)
