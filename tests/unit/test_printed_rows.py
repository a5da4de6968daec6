"""Printed rows among the alternatives of their methods, worked by hand."""

import json

import pandas as pd
import pytest

from mimlstudy.paper.experiments import ROWS
from mimlstudy.paper.printed import printed_cells
from mimlstudy.report.sections.printed_rows import printed_rows
from tests.made_up_records import as_in_the_paper

OURS = as_in_the_paper(1)
CHANGE = next(
    override
    for override in ROWS["table1"]["MimlNn"].alternatives
    if "label_rule" not in override
)


def test_our_setting_recognises_its_row_and_another_like_a_rival_does_not():
    """MimlNn has the printed values, and with another setting those of MlSvm."""
    like_rival = OURS[OURS["method"] == "MlSvm"].assign(
        experiment="alternatives", method="MimlNn", override=json.dumps(CHANGE)
    )
    rows = printed_rows(1, {"table1": OURS, "alternatives": like_rival}.get)
    row = rows.query("algorithm == 'MimlNn' and criterion == 'average_precision'").iloc[0]
    printed = printed_cells(1).query("criterion == 'average_precision'")
    means = printed.set_index("algorithm")["mean"]
    assert row["alternatives"] == 2
    assert row["recognised"] == 0.5
    assert row["printed"] == row["largest"].round(3) == means["MimlNn"]
    assert row["least"] == pytest.approx(means["MlSvm"], abs=0.01)
    assert row["below"] >= 0.5


def test_without_records_there_are_no_rows():
    assert printed_rows(1, {}.get).empty
    assert isinstance(printed_rows(1, {}.get), pd.DataFrame)
