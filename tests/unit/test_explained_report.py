"""How often explanations are right."""

import pandas as pd
import pytest

from mimlstudy.paper.unseen import CEILING, CHANCE
from mimlstudy.report.sections import explained_report
from mimlstudy.report.sections.explained_report import BY_DISTANCES, SCORES_INSTANCES, SIMPLE

METHODS = {CHANCE: 0.2, CEILING: 0.9, SIMPLE: 0.8}
METHODS |= dict.fromkeys(BY_DISTANCES, 0.25) | dict.fromkeys(SCORES_INSTANCES, 0.6)


def made_up_explanations():
    """Two splits of two data sets; calibrated scores point better."""
    records = []
    for dataset in ("hja", "synthetic_scene"):
        for method, pointing in METHODS.items():
            for split in (0, 1):
                record = dict(
                    dataset=dataset,
                    method=method,
                    override="{}",
                    split=split,
                )
                plain = dict(calibration="none", pointing=pointing + 0.02 * split)
                records += [record | plain, record | dict(calibration="platt", pointing=0.99)]
    return pd.DataFrame(records)


def test_pointing_is_a_mean_over_splits_without_calibration():
    table = explained_report.pointing_by_method(made_up_explanations())
    assert table.index.tolist() == ["synthetic_scene", "hja"]
    assert table.loc["hja", "MimlNn"] == pytest.approx(0.26)


def test_each_method_has_a_mark_on_each_data_set():
    table = explained_report.pointing_by_method(made_up_explanations())
    figure = explained_report.pointing_figure(table)
    (ax,) = figure.axes
    marks = {line.get_label(): line for line in ax.get_lines()}
    assert {*marks} == {*METHODS}
    assert marks["MimlNn"].get_markerfacecolor() == "white"
    assert marks["MimlBoost"].get_xdata() == pytest.approx([0.61, 0.61])
