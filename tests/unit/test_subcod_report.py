"""What corrections do to SubCod: accuracies side by side, and the figures of its notebook."""

import json

import numpy as np
import pandas as pd
import pytest

from mimlpaper import SubCod
from mimlpaper.datasets import make_africa
from mimlstudy.report.sections import subcod_report
from mimlstudy.report.sections.subcod_report import (
    MINIMAL,
    NO_CORRECTION,
    ON_LABEL,
    VERTEX,
    WHOLE,
)
from tests.made_up_records import as_in_the_paper

SUBCOD = as_in_the_paper(5, n_runs=1).query("method == 'SubCod'")
SETTINGS = {
    "": 0.0,
    "optimum = minimal": -0.1,
    "kept_share = [1.0]": -0.2,
    "C = 100.0": 0.01,
}


def made_up_corrections():
    """Accuracies as printed, and lower ones with fewer corrections."""
    choices = []
    for setting, change in SETTINGS.items():
        accuracy = SUBCOD["accuracy"] + change
        choices.append(SUBCOD.assign(alternative=setting, accuracy=accuracy))
    alone = SUBCOD.assign(method=ON_LABEL)
    later_folds = alone.assign(split=alone["split"] + 10)
    on_more_folds = pd.concat([alone, later_folds])
    return subcod_report.corrections(pd.concat(choices), on_more_folds)


def test_corrections_are_named_and_compared_on_the_folds_that_all_have():
    """Other settings of SubCod, such as its cost, are no corrections."""
    records = made_up_corrections()
    names = records["method"].unique().tolist()
    assert names == [WHOLE, MINIMAL, NO_CORRECTION, ON_LABEL]
    assert records["split"].max() == 9
    means = subcod_report.accuracies(records)
    assert means.index.tolist() == ["musk1", "musk2", "elephant", "tiger", "fox"]
    assert (means[WHOLE] - means[MINIMAL]).tolist() == pytest.approx([0.1] * 5)
    assert means[ON_LABEL].tolist() == pytest.approx(means[WHOLE].tolist())


def test_printed_accuracies_are_those_of_the_row():
    assert subcod_report.printed_accuracies("SubCod")["musk2"] == 0.921


def test_the_best_accuracy_of_a_data_set_is_bold_and_runs_of_one_have_no_deviation():
    records = made_up_corrections()
    table = subcod_report.accuracies_table(
        records,
        "Corrections",
        "smoke",
    )
    whole, minimal = table.entries.loc[[WHOLE, MINIMAL], "musk1"]
    assert whole.bold == (True,)
    assert minimal.bold == (False,)
    assert "±" not in whole.lines[0]
    assert "1 run of 10 folds" in table.caption


def test_a_column_of_table_5_has_an_address_for_each_number():
    records = as_in_the_paper(5, n_runs=1)
    table = subcod_report.accuracies_table(
        records,
        "",
        "paper",
        is_column=True,
    )
    assert table.entries.at["SubCod", "fox"].address == "table5/SubCod/accuracy/fox"


def test_the_figure_of_corrections_has_a_mark_for_each_form_and_the_printed_value():
    means = subcod_report.accuracies(made_up_corrections())
    means[VERTEX] = 0.5
    figure = subcod_report.corrections_figure(means)
    (ax,) = figure.axes
    marks = {line.get_label(): line.get_xdata() for line in ax.get_lines()}
    assert [*marks] == ["printed", ON_LABEL, WHOLE, MINIMAL, NO_CORRECTION]
    assert marks["printed"][1] == 0.921


def test_each_sub_concept_is_drawn_with_the_name_of_its_things():
    X, y, things = make_africa(40)
    subcod = SubCod(n_concepts=6, random_state=0).fit(X, y)
    figure = subcod_report.concepts_figure(subcod, X, y, things)
    (ax,) = figure.axes
    names = [text.get_text() for text in ax.texts]
    assert [name.split(":")[0] for name in names] == list("123456")
    assert any("lion" in name for name in names)
    assert len(ax.patches) == 6


def test_a_cross_marks_each_inverted_label():
    X, y, _ = make_africa(20)
    subcod = SubCod(n_concepts=4, kept_share=0.5, random_state=0).fit(X, y)
    unchanged = SubCod(n_concepts=4, kept_share=1.0, random_state=0).fit(X, y)
    figure = subcod_report.vectors_figure([subcod, unchanged], y)
    n_crosses = [len(ax.get_lines()[0].get_xdata()) for ax in figure.axes]
    assert n_crosses == [(subcod.polished_ != subcod.concepts_).sum(), 0]
    assert n_crosses[0] > 0


def swept_subcod():
    """Accuracies of two data sets: .8 for M = 10, .82 for M = 70, and less at θ = 100%."""
    rows = []
    for dataset in ("musk1", "fox"):
        for m, share in ((10, 0.1), (70, 0.1), (10, 1.0), (70, 1.0)):
            override = {"subcod__kept_share": share, "subcod__n_concepts": m}
            accuracy = 0.8 + 0.02 * (m == 70) - 0.3 * (share == 1)
            trial = dict(
                dataset=dataset,
                method="SubCod, one M and θ",
                split=0,
            )
            rows.append(trial | dict(override=json.dumps(override), accuracy=accuracy))
    return pd.DataFrame(rows)


def test_accuracies_of_a_sweep_are_compared_inside_the_papers_range_alone():
    means = subcod_report.m_and_theta_means(swept_subcod())
    assert means.loc[("musk1", 10), 70] == pytest.approx(0.82)
    assert means.loc[("fox", 100), 10] == pytest.approx(0.5)
    assert subcod_report.spread_in_range(means) == pytest.approx(0.02)
    at_end = means.loc[(slice(None), [100]), :]
    assert subcod_report.spread_in_range(at_end) == 0


def test_lines_of_m_and_theta_run_over_theta():
    means = subcod_report.m_and_theta_means(swept_subcod())
    figure = subcod_report.m_and_theta_figure(means)
    lines = figure.axes[0].get_lines()
    assert [line.get_label() for line in lines] == ["M = 10", "M = 70"]
    np.testing.assert_allclose(lines[0].get_xydata(), [[10, 0.8], [100, 0.5]])
