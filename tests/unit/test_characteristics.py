"""Appendix C's table: the printed number above the counted one, and how many agree."""

import pandas as pd

from mimlstudy.report.sections.characteristics import characteristics_table

CELLS = pd.DataFrame(
    [
        ("Arts", "train_PMC", 44.5, 44.504, "agrees"),
        ("Arts", "train_ANL", 1.159, 1.1585, "agrees"),
        ("Health", "train_PMC", 48.05, float("nan"), "missing"),
    ],
    columns=["dataset", "characteristic", "as_printed", "recomputed", "verdict"],
)
TABLE = characteristics_table(CELLS, "paper")


def test_a_cell_has_the_printed_number_above_the_counted_one():
    cell = TABLE.entries.loc["Arts", "train PMC"]
    assert cell.lines == ("44.50", "44.50")
    assert cell.verdict == "agrees"
    assert TABLE.entries.loc["Health", "train PMC"].lines == ("48.05", "–")


def test_halves_are_rounded_up_as_in_print():
    assert TABLE.entries.loc["Arts", "train ANL"].lines == ("1.159", "1.159")


def test_the_caption_counts_what_agrees():
    assert TABLE.caption.endswith("pages. 2 of 3 agree.")
