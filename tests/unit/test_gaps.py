"""Ends of grids, blank cells, and effects of open choices."""

import json

import pandas as pd
from sklearn.model_selection import ParameterGrid

from mimlpaper import MimlNn
from mimlstudy.engine.holdouts import HoldOut
from mimlstudy.judge.choices import Effect
from mimlstudy.judge.compare import compare_with_paper
from mimlstudy.paper.experiments import EXPERIMENTS
from mimlstudy.report.sections import gaps
from mimlstudy.report.sections.gaps import Grid
from tests.made_up_records import as_in_the_paper, rows


def test_a_choice_at_the_end_of_a_grid_counts_unless_nothing_lies_beyond():
    grid = Grid(
        "Table 1, scene",
        "MimlNn",
        "ridge",
        (0.0, 1.0, 10.0),
        (0.0, 1.0, 10.0, 10.0),
    )
    assert grid.share_at_ends == 0.5


def test_a_grid_of_yes_and_no_has_no_ends():
    search = HoldOut(MimlNn(), {"scaled": [False, True], "ratio": [0.2, 0.4]})
    chosen = ['{"scaled": true, "ratio": 0.4}']
    (grid,) = gaps._grids_of(
        search,
        chosen,
        "Table 1, scene",
        "MimlNn",
    )
    assert grid.parameter == "ratio"
    assert grid.chosen == (0.4,)


def test_the_table_of_ends_has_crowded_grids_with_the_reasons_of_their_learners():
    crowded = Grid(
        "Table 3, yeast",
        "InsDif_MimlSvm_mi",
        "C",
        (1.0, 10.0, 100.0),
        (100.0,) * 4,
    )
    spread = crowded._replace(chosen=(10.0, 10.0, 10.0, 10.0))
    table = gaps.ends_table([crowded, spread])
    assert table.caption.startswith("The 1 of 2 grids")
    (name,) = table.entries.index
    assert name == "Table 3, yeast: InsDif_MimlSvm_mi, C"
    first_row = table.tidy.iloc[0]
    assert first_row["where"] == "Table 3, yeast"
    assert first_row["method"] == "InsDif_MimlSvm_mi"
    assert first_row["parameter"] == "C"
    assert table.entries.loc[name, "at an end"].lines == ("100%",)
    assert "ten times" in table.entries.loc[name, "reason"].lines[0]


def test_grids_are_those_that_recorded_fits_chose_from():
    """RankSvm chooses its degree by hold-out on scenes; MimlSvm has fixed settings there."""
    fits = as_in_the_paper(1, n_runs=2).query("method in ['RankSvm', 'MimlSvm']")
    name = "ranksvm__degree"
    (grid,) = gaps.grids(lambda experiment: choosing(fits, experiment, name, 9))
    assert grid.where == "Table 1, scene"
    assert grid.method == "RankSvm"
    assert grid.parameter == "degree"
    assert grid.chosen == (9, 9)
    assert grid.share_at_ends == 1


def test_data_sets_with_a_grid_of_their_own_are_apart():
    """Fixed in advance, SubCod has fewer values on molecules and fox than on the other images."""
    sets = ("musk1", "musk2", "elephant", "tiger", "fox")
    fits = pd.concat([rows("fixed", name, "SubCod", {"accuracy": [0.8]}) for name in sets])
    chosen = fits.assign(chosen=json.dumps({"subcod__n_concepts": 10}))
    concepts = gaps.grids(lambda experiment: chosen if experiment == "fixed" else chosen[:0])
    values = {grid.where.partition(", ")[2]: grid.values for grid in concepts}
    assert values == {"musk1, musk2, fox": (10, 40), "elephant, tiger": (10, 40, 70)}


def test_every_grid_has_a_reason_and_every_reason_a_grid():
    with_grids = set()
    for name in gaps.WITH_HOLD_OUTS:
        experiment = EXPERIMENTS[name]
        for part in experiment.parts:
            for method in part.methods:
                for search, _ in gaps.searches(experiment, method, part.datasets):
                    chosen = [json.dumps(setting) for setting in ParameterGrid(search.grid)]
                    found = gaps._grids_of(
                        search,
                        chosen,
                        "anywhere",
                        method,
                    )
                    with_grids |= {(grid.method, grid.parameter) for grid in found}
    assert gaps._reasons().keys() == with_grids


def choosing(fits, experiment, parameter, value):
    """The fits of Table 1, each with the value that it chose; no fits of other tables."""
    chosen = fits.assign(chosen=json.dumps({parameter: value}))
    return chosen if experiment == "table1" else chosen[:0]


def test_blank_cells_are_newly_measured_and_printed_ones_left_out():
    records = rows(
        "table1",
        "scene",
        "AdtBoost.MH",
        {"ranking_loss": [0.2, 0.3]},
    )
    table = gaps.blanks_table(compare_with_paper(records, 1))
    entry = table.entries.loc["Table 1: AdtBoost.MH", "rloss ↓"]
    assert entry.lines == (".250±.071",)
    assert entry.verdict == "newly_measured"
    assert "hloss ↓" not in table.entries


def test_the_largest_effect_of_each_choice_is_shown_and_coverage_is_no_share():
    effects = {
        "costs": [
            Effect("table1", "MlSvm", "C = 1.0", "average_precision", 0.7, 0.75),
            Effect("table1", "MlSvm", "C = 9.0", "average_precision", 0.7, 0.6),
        ],
        "kernel": [Effect("table3", "MlSvm", "kernel = rbf", "coverage", 7.0, 6.0)],
        "rule": [Effect("table5", "SubCod", "optimum = minimal", "accuracy", 0.8, 0.5)],
    }
    largest = gaps.largest_effects(effects)
    assert largest.index.tolist() == ["rule", "costs"]
    assert largest["costs"].setting == "C = 9.0"
    table = gaps.effects_table(largest, n_rows=1)
    assert table.entries.index.tolist() == ["rule"]
    assert table.entries.loc["rule", "mean"].lines == (".800 → .500",)
