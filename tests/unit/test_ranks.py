"""Ranks of methods, by hand; fights of which one side, or both, are not recorded."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from mimlpaper.metrics import CRITERIA
from mimlpaper.report.figures import plot_rank_changes
from mimlpaper.report.statistics import mean_ranks, shared_ranks
from mimlpaper.report.tables import ranks_table
from tests.made_up_records import rows

NONE = pd.DataFrame()


def fight(**goodness):
    """Two runs in which a method with a larger number is better on all seven criteria."""
    return pd.concat(
        rows("table1", "scene", method, {
            name: np.full(2, -value if criterion.lower_is_better else value)
            for name, criterion in CRITERIA.items()
        })
        for method, value in goodness.items()
    )  # fmt: skip


PUBLISHED = fight(MimlNn=3.0, MimlSvm=2.0, MlSvm=1.0)
TUNED = fight(MlSvm=4.0, MimlNn=2.0, Cnmf=3.0)


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_ties_share_their_ranks_and_incomplete_runs_are_left_out():
    records = fight(MimlNn=1.0, MimlSvm=1.0, MlSvm=0.0)
    records = records[(records["method"] != "MlSvm") | (records["split"] == 1)]
    ranks = mean_ranks(records)
    assert ranks.index.tolist() == [("scene", 1)]
    assert ranks.loc[("scene", 1)].to_dict() == {"MimlNn": 1.5, "MimlSvm": 1.5, "MlSvm": 3.0}
    assert mean_ranks(records, ["coverage"])["MlSvm"].tolist() == [3.0]


def test_only_methods_of_both_sides_are_ranked():
    published, tuned = shared_ranks(PUBLISHED, TUNED)
    assert published.mean().to_dict() == {"MimlNn": 1.0, "MlSvm": 2.0}
    assert tuned.mean().to_dict() == {"MimlNn": 2.0, "MlSvm": 1.0}
    published, tuned = shared_ranks(PUBLISHED, NONE)
    assert published.shape == (2, 3) and tuned.empty


def test_table_of_several_fights():
    table = ranks_table({"scene": (PUBLISHED, TUNED), "text": (PUBLISHED, NONE)})
    assert table.columns == (
        "scene, published", "scene, tuned", "text, published", "text, tuned"
    )  # fmt: skip
    assert list(table.rows) == ["MimlSvm", "MimlNn", "MlSvm"]  # as METHOD_STYLE orders them
    lines = {name: [entry.lines[0] for entry in row] for name, row in table.rows.items()}
    assert lines["MimlSvm"] == ["–", "–", "2.0", "–"]
    assert lines["MlSvm"] == ["2.0", "1.0", "3.0", "–"]
    assert [any(entry.bold) for entry in table.rows["MlSvm"]] == [False, True, False, False]
    assert len(table.tidy) == 7


def test_lines_lead_from_one_side_to_the_other():
    ax = plt.subplots()[1]
    plot_rank_changes(PUBLISHED, TUNED, ax)
    ends = [line.get_ydata().tolist() for line in ax.lines if line.get_marker() not in ("None", "")]
    assert sorted(ends) == [[1.0, 2.0], [2.0, 1.0]]
    assert [text.get_text() for text in ax.texts] == ["MlSvm", "MimlNn"]


def test_what_is_not_recorded_is_told():
    ax = plt.subplots()[1]
    plot_rank_changes(PUBLISHED, NONE, ax)
    assert [tick.get_text() for tick in ax.get_xticklabels()][1] == "tuned: not recorded"
    assert [text.get_text() for text in ax.texts] == ["MimlNn", "MimlSvm", "MlSvm"]
    plot_rank_changes(NONE, NONE, plt.subplots()[1])
    assert ranks_table({"scene": (NONE, NONE)}).rows == {}
