"""RankSvm's degrees: which is likeliest, which a hold-out would choose, and their figure."""

import json

import pandas as pd
import pytest

from mimlpaper.metrics import CRITERIA
from mimlstudy.report.sections.degrees import (
    chosen_degrees,
    degrees_figure,
    degrees_in_tables,
    hold_outs_table,
    likelihoods_by_degree,
)
from tests.made_up_records import as_in_the_paper

AS_PRINTED = as_in_the_paper(2).query("method == 'RankSvm'")
BEST = 7


def of_degree(degree):
    """Runs on texts: as printed with the best degree, further away and worse with others."""
    away = abs(degree - BEST) / 10
    runs = AS_PRINTED.assign(override=json.dumps({"degree": degree}))
    for name, criterion in CRITERIA.items():
        runs[name] = runs[name] + (away if criterion.lower_is_better else -away)
    return runs


@pytest.fixture
def runs():
    return pd.concat([of_degree(degree) for degree in (2, 6, 7)])


def test_the_printed_row_is_likeliest_with_the_degree_that_gives_it(runs):
    likely = likelihoods_by_degree(runs)
    assert likely.columns.tolist() == ["texts"]
    assert likely["texts"].idxmax() == BEST
    assert likely["texts"].is_monotonic_increasing


def test_a_hold_out_chooses_the_best_degree_of_each_split_by_each_criterion(runs):
    worse = runs["split"] == runs["split"].iloc[0]
    is_best = runs["override"] == json.dumps({"degree": BEST})
    runs.loc[worse & is_best, "one_error"] = 0.99
    chosen = chosen_degrees(
        runs.assign(degree=runs["override"].map(json.loads).str["degree"])
    )
    assert (chosen["coverage"] == BEST).all()
    assert chosen["one_error"].value_counts().to_dict() == {BEST: len(chosen) - 1, 6: 1}
    table = hold_outs_table(runs)
    assert table.entries.at["coverage", "texts"].lines == (f"{BEST} (100%)",)


def test_runs_on_a_stand_in_are_of_its_kind(runs):
    table = hold_outs_table(runs.assign(dataset="synthetic_texts"))
    assert table.entries.columns.tolist() == ["texts"]
    assert set(table.tidy["degree"]) == {BEST}


def test_the_ring_stands_at_the_degree_of_the_table(runs):
    likely = likelihoods_by_degree(runs)
    figure = degrees_figure(likely, {"texts": 6, "genes": 8})
    curve, ring = figure.axes[0].get_lines()
    assert curve.get_xdata().tolist() == [2, 6, 7]
    assert ring.get_xdata().tolist() == [6]
    assert ring.get_ydata() == pytest.approx([likely.at[6, "texts"]])


def test_rings_of_the_same_degree_stand_on_each_of_their_lines(runs):
    texts = likelihoods_by_degree(runs)["texts"]
    likely = texts.to_frame().assign(genes=texts - 1)
    figure = degrees_figure(likely, {"texts": 6, "genes": 6})
    *_, ring = figure.axes[0].get_lines()
    assert ring.get_xdata().tolist() == [6, 6]
    assert ring.get_ydata() == pytest.approx([texts[6], texts[6] - 1])


def test_the_degrees_of_our_tables_are_those_of_their_rows():
    """On scenes a hold-out chooses."""
    assert degrees_in_tables() == {"texts": 7, "genes": 8, "web pages": 8}
