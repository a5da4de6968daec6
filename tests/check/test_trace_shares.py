"""Shares of a kernel's trace in the reasons of settings are those of the data and the records."""

import re

import pandas as pd
import pytest

from mimlpaper.algorithms.insdif import DifferenceFeatures
from mimlpaper.datasets import load
from mimlpaper.kernels import LowRankWarning
from mimlstudy import folders
from mimlstudy.paper.equal_tuning import GENES, TUNED, YAHOO
from mimlstudy.paper.section4 import NEARLY_EXACT
from mimlstudy.paper.section6 import OF_GENES, TABLE_4
from tests.real_data import real_data

RANGE = re.compile(r"(\d+) to (\d+)% (?:is missed )?at (?:γ = )?(\.?\d+)")


def typed_ranges(layers):
    """The rank whose reason names shares that are missed, and their range for each γ."""
    for layer in layers:
        ranges = {
            float(gamma): (low, high) for low, high, gamma in RANGE.findall(layer.source)
        }
        if ranges:
            (rank,) = layer.values.values()
            return rank, ranges
    raise AssertionError("no reason names a share")


ROWS = {
    "in advance": ("yahoo:Arts", TABLE_4["InsDif_D-MimlSvm"].in_advance),
    "equal tuning, genes": ("yeast", TUNED[GENES]["InsDif_NoisyOr"].settings),
    "equal tuning, pages": ("yahoo:Arts", TUNED[YAHOO]["InsDif_NoisyOr"].settings),
}


@real_data
@pytest.mark.filterwarnings(f"ignore::{LowRankWarning.__module__}.{LowRankWarning.__name__}")
@pytest.mark.parametrize(("dataset", "layers"), ROWS.values(), ids=ROWS)
def test_what_the_rank_of_a_row_leaves_is_what_its_reason_says(dataset, layers):
    data = load(dataset)
    X, Y = data.X[:2000], data.Y[:2000]  # as the split of the pages
    rank, ranges = typed_ranges(layers)
    for width, (low, high) in ranges.items():
        features = DifferenceFeatures(gamma=width, rank=rank, random_state=0).fit(X, Y)
        share = 100 * features.factor_.error_
        assert int(low) <= share <= int(high), (width, share)


@pytest.mark.parametrize(
    ("dataset", "layer"),
    [("scene", NEARLY_EXACT), ("yeast", OF_GENES)],
    ids=["scene", "yeast"],
)
def test_what_a_rank_leaves_is_as_recorded(dataset, layer):
    (rank,) = layer.values.values()
    share = float(layer.source.partition("%")[0]) / 100
    runs = pd.read_csv(folders.results() / "kernel_ranks.csv")
    at_rank = runs[(runs["dataset"] == dataset) & (runs["n_landmarks"] == rank)]
    of_row = at_rank[~at_rank["override"].str.contains("gamma")]
    assert len(of_row) > 1
    # D-MimlSvm's width leaves less.
    assert of_row["unexplained"].max() == pytest.approx(share, rel=0.1)
