"""The figure of claims with other settings: dots, what lies beyond the axis, the share ahead."""

import pandas as pd
import pytest

from mimlstudy.judge.multiverse import OURS, flips
from mimlstudy.report.sections.multiverse_figure import multiverse_figure

EFFECTS = pd.DataFrame(
    [
        ("S4.5", OURS, "", 10.0),
        ("S4.5", "one alternative", "ratio = 0.1", -5.0),
        ("S4.5", "mixture", "", 20.0),
        ("S4.5", "mixture", "", 30.0),
        ("S4.5", "mixture", "", -40.0),
        ("S4.5", "mixture", "", -400.0),
    ],
    columns=["claim", "kind", "alternative", "effect"],
)


@pytest.fixture
def ax():
    figure = multiverse_figure(EFFECTS, flips(EFFECTS))
    yield figure.axes[0]


def test_a_claim_stands_in_full_beside_the_share_of_mixtures_ahead(ax):
    words, share, _ = (text.get_text() for text in ax.texts)
    assert words.replace("\n", " ").startswith("S4.5: MimlNn is significantly better than")
    assert share == "50% ahead"


def test_mixtures_beyond_the_axis_are_counted_at_a_triangle(ax):
    triangles = [line for line in ax.get_lines() if line.get_marker() == "<"]
    assert len(triangles) == 1
    assert ax.texts[2].get_text() == "1"
    dots = [line.get_xdata() for line in ax.get_lines() if line.get_marker() == "o"]
    assert [list(values) for values in dots] == [[20.0, 30.0, -40.0], [10.0]]
