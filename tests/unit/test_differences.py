"""How often and by how much D-MimlSvm differs: counts, bars, differences in percent, power."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from mimlpaper.metrics import CRITERIA
from mimlstudy.report.sections.differences import (
    BAR_COLORS,
    CORRECTED,
    NARROW,
    PAPERS,
    differences,
    differences_table,
    losses_of,
    power_table,
    standardized,
    wins_figure,
    wins_of_figures,
    wins_table,
)
from tests.made_up_records import level, rows, spread


def three_methods(lower_by):
    """Runs on two sets: D-MimlSvm's losses are lower than those of both rivals by so much."""
    parts = []
    for dataset in ("a", "b"):
        for seed, method in enumerate(("D-MimlSvm", "MimlSvm", "MimlSvm_mi")):
            loss = 0.4 if method == "D-MimlSvm" else 0.4 + lower_by
            parts.append(level("figure4", dataset, method, loss, seed=seed))
    records = pd.concat(parts, ignore_index=True)
    for name, criterion in CRITERIA.items():
        if not criterion.lower_is_better:
            records[name] = 1 - records[name]
    return records


WINS = wins_of_figures(three_methods(0.3), three_methods(-0.3))


def test_all_clear_differences_count_as_wins_or_losses():
    on_scenes = WINS.loc["scenes, against MimlSvm"]
    assert on_scenes["better"].tolist() == [88, 100, 100]
    on_texts = WINS.loc["texts, against MimlSvm_mi"]
    assert on_texts["worse"].tolist() == [0, 100, 100]
    assert on_texts["cases"].tolist() == [35, 14, 14]


def test_the_table_has_a_row_for_each_comparison_and_names_the_cases():
    texts = wins_table(WINS).to_markdown()
    assert (
        "| scenes, against MimlSvm | 88 / 6 / 6 | 100 / 0 / 0 | 100 / 0 / 0 | 14 |" in texts
    )
    assert texts.index(PAPERS) < texts.index(CORRECTED)


def test_bars_fill_all_cases_and_numbers_on_dark_bars_are_white():
    figure = wins_figure(WINS)
    (ax,) = figure.axes
    widths = [bar.get_width() for bar in ax.patches]
    assert sum(widths) == pytest.approx(100 * len(WINS))
    ink_on = {to_hex(color): ink for color, ink in BAR_COLORS.values()}
    wide_bars = [bar for bar in ax.patches if bar.get_width() >= NARROW]
    numbers = [text for text in ax.texts if text.get_weight() != "bold"]
    for bar, number in zip(wide_bars, numbers, strict=True):
        assert number.get_text() == f"{bar.get_width():.0f}"
        assert number.get_color() == ink_on[to_hex(bar.get_facecolor())]
    assert ink_on[to_hex(BAR_COLORS["better"][0])] == "white"


def test_precision_counts_by_its_loss():
    records = three_methods(0.1)
    losses = losses_of(records)
    assert losses.loc["D-MimlSvm", "average_precision"].tolist() == pytest.approx([0.4, 0.4])
    gaps = differences(records, "D-MimlSvm", "MimlSvm")
    assert gaps.to_numpy() == pytest.approx(np.full((2, 7), 20.0))


def test_a_method_without_records_has_no_differences():
    records = three_methods(0.1)
    assert differences(records, "D-MimlSvm", "MimlBoost").empty
    comparisons = {
        "there": (records, "D-MimlSvm", "MimlSvm"),
        "not": (records, "D-MimlSvm", "x"),
    }
    lines = differences_table(comparisons, "Differences.").to_markdown().splitlines()
    assert "| there | +20% |" in next(line for line in lines if "there" in line)
    assert "| not | – |" in next(line for line in lines if "not" in line)


def test_a_difference_is_told_in_standard_deviations_of_the_splits():
    values = {name: spread(0.1, 0.05, 30, seed=1) for name in CRITERIA}
    ours = rows(
        "figure4",
        "a",
        "D-MimlSvm",
        dict.fromkeys(CRITERIA, np.zeros(30)),
    )
    theirs = rows("figure4", "a", "MimlSvm", values)
    ratios = standardized(
        pd.concat([ours, theirs]),
        "D-MimlSvm",
        "MimlSvm",
    )
    assert ratios.to_numpy() == pytest.approx(np.full(7, 2.0))


def test_the_table_of_power_counts_cases_of_each_size_or_more():
    simulated = [
        level("calibration", "synthetic_scene", f"{n} training examples", 0.0, n=40)
        for n in (150, 482)
    ]
    table = power_table(pd.concat(simulated), pd.Series([0.5, 1.2, 5.0]))
    assert table.loc["our cases"].tolist() == [2, 1, 1, 1, 1, 1]
    assert table.loc["significant, of 150 training examples", 4.0] == "100%"
