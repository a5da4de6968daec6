"""The scorecard as figures: deviations in tolerances, squares with verdicts, bars of claims."""

import pandas as pd
import pytest

from mimlstudy.judge.claims import WORDS
from mimlstudy.report.sections.scorecard_figures import (
    cells_figure,
    deviations_figure,
    deviations_from_print,
    words_figure,
)


def cell(algorithm, criterion, mean, verdict):
    """A printed cell of .2 with a tolerance of .01, and our mean."""
    return {
        "table": 1,
        "algorithm": algorithm,
        "criterion": criterion,
        "printed": "value",
        "mean": mean,
        "printed_mean": 0.2,
        "tolerance": 0.01,
        "verdict": verdict,
    }


CARD = {
    "cells": [
        cell("MimlNn", "hamming_loss", 0.195, "agrees"),
        cell("MimlNn", "average_precision", 0.23, "differs_better"),
        cell("MlSvm", "hamming_loss", 0.4, "differs_worse"),
        cell("MlSvm", "average_precision", None, "missing"),
    ],
    "rows": [
        {"table": 1, "algorithm": "MimlNn", "n_closest_to_print": 0},
        {"table": 1, "algorithm": "MlSvm", "n_closest_to_print": 2},
    ],
}


def test_deviations_are_in_tolerances_and_positive_where_ours_is_better():
    cells = deviations_from_print(CARD)
    assert cells["deviation"].tolist() == pytest.approx([0.5, 3.0, -20.0])
    assert cells["name"].tolist() == ["MimlNn", "MimlNn", "MlSvm †"]


def test_a_value_beyond_the_axis_is_a_triangle_with_a_number():
    (ax,) = deviations_figure(deviations_from_print(CARD)).axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["MimlNn", "MlSvm †"]
    triangles = [line for line in ax.get_lines() if line.get_marker() == "<"]
    shown = [line.get_xdata() for line in triangles if len(line.get_xdata())]
    assert len(shown) == 1
    assert shown[0] > ax.get_xlim()[0]
    assert [text.get_text() for text in ax.texts] == ["1"]


def test_rows_with_settings_closest_to_print_are_marked_in_the_card_of_cells():
    ax, *_ = cells_figure(pd.DataFrame(CARD["cells"])).axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["MimlNn", "MlSvm †"]
    assert [text.get_text() for text in ax.texts] == ["=", "+", "−", ""]


def test_the_key_counts_the_squares_that_are_shown():
    other = pd.DataFrame(CARD["cells"]).assign(table=2, verdict="agrees")
    cells = pd.concat([pd.DataFrame(CARD["cells"]), other])
    for shown, n_agreeing in ((cells, 5), (cells[cells["table"] == 1], 1)):
        *_, ax = cells_figure(shown).axes
        labels = [text.get_text() for text in ax.get_legend().get_texts()]
        assert labels[0] == f"=  agrees ({n_agreeing})"


def test_numbers_on_dark_bars_are_white():
    words = pd.DataFrame([[3, 2, 0, 1, 4]], ["corrected test"], WORDS)
    (ax,) = words_figure(words).axes
    colours = {text.get_text(): text.get_color() for text in ax.texts if text.get_text()}
    assert colours == {
        "3": "white",
        "2": "#222222",
        "1": "white",
        "4": "#222222",
    }
