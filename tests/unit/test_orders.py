"""The order of the methods: mean ranks as printed, with our settings and with equal tuning."""

import pandas as pd

from mimlstudy.report.sections.orders import MARKERS, first_methods, mean_ranks, orders_figure
from tests.made_up_records import as_in_the_paper

OURS = as_in_the_paper(1)
RECORDS = {"table1": OURS, "equal_tuning": OURS.assign(experiment="equal_tuning")}
RANKS = pd.DataFrame(
    {
        "printed": [1.5, 1.0, 3.0],
        "ours": [1.0, 2.0, 3.0],
        "equal tuning": [3.0, 2.0, 1.0],
    },
    ["MimlBoost", "MimlSvm", "MlSvm"],
)


def test_records_with_the_printed_means_have_the_printed_ranks():
    ranks = mean_ranks(1, RECORDS.get)
    assert len(ranks) == 8
    assert ranks["ours"].tolist() == ranks["printed"].tolist()
    assert ranks["printed"].sum() == 36  # of eight methods


def test_a_method_that_is_not_tuned_has_no_rank():
    tuned = RECORDS["equal_tuning"]
    without = {**RECORDS, "equal_tuning": tuned[tuned["method"] != "MlSvm"]}
    assert "MlSvm" not in mean_ranks(1, without.get).index


def test_the_first_method_has_the_lowest_mean_rank():
    table = first_methods({1: RANKS, 2: RANKS[:0]})
    assert table.index.tolist() == ["Table 1: Scene classification"]
    assert table.iloc[0].tolist() == ["MimlSvm", "MimlBoost", "MlSvm"]


def test_each_method_is_a_line_and_only_named_ones_have_a_colour():
    figure = orders_figure({1: RANKS}, ["MlSvm"])
    colours = [line.get_color() for line in figure.axes[0].get_lines()]
    assert len(colours) == 3
    assert colours.count("#bbbbbb") == 2
    (key,) = figure.legends
    assert [text.get_text() for text in key.get_texts()] == [*MARKERS]
