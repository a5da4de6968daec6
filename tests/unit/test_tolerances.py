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
    return pd.DataFrame([row | values])


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


def test_half_a_cross_validation_is_half_a_run():
    """Student's quantile with 8.5 degrees of freedom, and variances of .1² over 10 and ½ runs."""
    half = cell(5, "accuracy", std=np.nan, n=1, n_trials=5)
    by_hand = 2.2824 * np.sqrt(0.01 / 10 + 0.01 / 0.5) + PRINTED_ROUNDING
    assert tolerance(half).item() == pytest.approx(by_hand, rel=1e-4)
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
