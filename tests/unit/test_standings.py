"""Where methods stand: printed, ours and equal tuning side by side; the best by criterion."""

import pandas as pd

from mimlstudy.paper.printed import printed_tables
from mimlstudy.report.sections.standings import (
    best_by_criterion,
    entry_ranks_figure,
    standings,
    standings_figure,
)
from tests.made_up_records import as_in_the_paper

OURS = as_in_the_paper(1)
EQUAL = OURS.assign(average_precision=OURS["average_precision"] + 0.01)


def test_methods_are_in_the_order_of_the_printed_values():
    table = standings(1, OURS, EQUAL, "average_precision")
    assert table.index[0] == "MimlSvm_mi"
    assert table.index[-1] == "MlSvm"
    assert len(table) == len(printed_tables()[1].algorithms)
    assert table.loc["MlSvm"].round(3).tolist() == [0.712, 0.712, 0.722]


def test_a_method_without_records_has_no_mark():
    without = EQUAL[EQUAL["method"] != "MlSvm"]
    table = standings(1, OURS, without, "average_precision")
    assert table["equal tuning"].isna().sum() == 1


def test_each_table_has_a_panel_with_three_kinds_of_marks_and_bold_names():
    table = standings(1, OURS, EQUAL, "average_precision")
    figure = standings_figure({1: table}, "average_precision", ["MimlNn"])
    (ax,) = figure.axes
    assert len(ax.get_lines()) == 3
    labels = ax.get_yticklabels()
    bold = [label.get_text() for label in labels if label.get_weight() == "bold"]
    assert bold == ["MimlNn"]
    assert "MlSvm †" in [label.get_text() for label in labels]


def test_the_best_method_has_the_lowest_loss_or_the_highest_precision():
    best = best_by_criterion(OURS)
    assert best["hamming_loss"] == "MimlNn"
    assert best["coverage"] == "MimlBoost"
    assert best["average_precision"] == "MimlSvm_mi"


def test_an_entry_stands_in_another_colour_among_the_ranks():
    standing = pd.DataFrame(
        {
            "table": 1,
            "method": ["MimlNn", "mine:method", "mine:method, tuned"],
            "rank": [2.0, 1.0, 3.0],
        }
    )
    figure = entry_ranks_figure(standing, "mine:method")
    (ax,) = figure.axes
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["mine:method", "MimlNn", "mine:method, tuned"]
    plain, of_miml_nn, tuned = ax.collections[0].get_facecolors().tolist()
    assert plain == tuned
    assert plain != of_miml_nn


def test_an_entry_that_fails_has_an_empty_figure():
    no_standing = pd.DataFrame(columns=["table", "method", "rank"])
    figure = entry_ranks_figure(no_standing, "mine:method")
    assert len(figure.axes) == 1
