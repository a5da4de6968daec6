"""The tables of ranks and of degenerate defaults."""

import numpy as np
import pandas as pd
import pytest

from mimlpaper.metrics import CRITERIA
from mimlstudy.report.sections.kernel_ranks import (
    degenerate_table,
    largest_change,
    rank_text,
    ranks_table,
)


@pytest.mark.parametrize(
    ("override", "text"),
    [
        ('{"rank": 300}', "300"),
        ('{"gamma": 5.0, "rank": "auto"}', "auto"),
        ('{"learner__rank": 1000}', "1000"),
        ('{"rank": null}', "exact"),
        ("{}", "exact"),
    ],
)
def test_a_rank_is_that_of_the_override(override, text):
    assert rank_text(override) == text


def test_a_row_says_what_its_factor_leaves():
    runs = pd.DataFrame(
        {
            "dataset": "scene",
            "method": ["MimlSvm_mi", "MimlSvm_mi", "MimlSvm_mi, exact kernel"],
            "override": ['{"rank": 300}', '{"rank": "auto"}', "{}"],
            "n_landmarks": [300, 700, np.nan],
            "unexplained": [0.159, 0.01, np.nan],
            **dict.fromkeys(CRITERIA, 0.25),
            "accuracy": np.nan,
        }
    )
    table = ranks_table(runs)
    assert table.entries.index.tolist() == [
        ("MimlSvm_mi on scene", "300"),
        ("MimlSvm_mi on scene", "auto"),
        ("MimlSvm_mi, exact kernel on scene", "exact"),
    ]
    assert [entry.lines for entry in table.entries["left"]] == [("15.9%",), ("1.0%",), ("–",)]
    assert [entry.lines for entry in table.entries["hloss ↓"]] == [(".250",)] * 3
    assert "MimlSvm_mi on scene" in table._repr_html_()


def test_the_largest_change_is_against_the_largest_rank_of_the_same_learner():
    runs = pd.DataFrame(
        {
            "dataset": ["scene", "scene", "yeast", "yeast", "musk1"],
            "method": "MimlSvm_mi",
            "override": ['{"rank": null}', '{"rank": 300}'] * 2 + ['{"rank": 300}'],
            "n_landmarks": [np.nan, 300, np.nan, 300, 300],
            "average_precision": [0.82, 0.80, 0.65, 0.70, np.nan],
        }
    )
    change, place = largest_change(runs, "300")
    assert change == pytest.approx(0.05)
    assert place == "MimlSvm_mi on yeast"


def test_only_rows_that_say_nothing_are_listed():
    runs = pd.DataFrame(
        {
            "dataset": ["scene", "yeast", "scene"],
            "method": ["MlSvm", "MlSvm", "MimlBoost"],
            "degenerate": [1.0, 1.0, 0.0],
        }
    )
    entries = degenerate_table(runs).entries
    assert entries.index.tolist() == ["MlSvm"]
    assert entries.at["MlSvm", "data sets"].lines == ("scene, yeast",)
