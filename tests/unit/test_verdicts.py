"""Verdicts, each limit worked by hand."""

from __future__ import annotations

import math

import pytest

from mimlpaper.report.published import ALL_CRITERIA
from mimlpaper.report.verdicts import VERDICTS, is_reproduced, verdict

LOSS = ALL_CRITERIA["hamming_loss"]
RECALL = ALL_CRITERIA["average_recall"]
ACCURACY = ALL_CRITERIA["accuracy"]
NAN = math.nan


@pytest.mark.parametrize(
    ("mean", "word"),
    [
        (0.20, "matches"),
        (0.21, "matches"),
        (0.19, "matches"),
        (0.22, "close"),
        (0.18, "close"),
        (0.2201, "worse"),
        (0.1799, "better"),
    ],
)
def test_limits(mean, word):
    """p = .2 and s = t = .01 pool to .01: one of them away matches, two are close."""
    assert verdict(mean, 0.01, 0.2, 0.01, LOSS) == word


def test_arrow_decides_better_and_worse():
    assert verdict(0.5, 0.01, 0.2, 0.01, RECALL) == "better"
    assert verdict(0.5, 0.01, 0.2, 0.01, LOSS) == "worse"


def test_stds_are_pooled():
    """s = .03 and t = .01 pool to sqrt(.0005) = .02236: .022 away matches, .023 is close."""
    assert verdict(0.222, 0.01, 0.2, 0.03, LOSS) == "matches"
    assert verdict(0.223, 0.01, 0.2, 0.03, LOSS) == "close"


@pytest.mark.parametrize(
    ("mean", "word"),
    [
        (0.87, "matches"),
        (0.83, "matches"),
        (0.90, "close"),
        (0.80, "close"),
        (0.901, "better"),
        (0.799, "worse"),
    ],
)
def test_no_published_std(mean, word):
    """.85 alone: .02 away matches, .05 away is close, both limits included."""
    assert verdict(mean, 0.3, 0.85, NAN, ACCURACY) == word


def test_no_spread_at_all():
    """s = t = 0 leaves equality as the only match."""
    assert verdict(0.2, 0.0, 0.2, 0.0, LOSS) == "matches"
    assert verdict(0.2001, 0.0, 0.2, 0.0, LOSS) == "worse"


def test_single_run_borrows_the_published_std():
    assert verdict(0.21, NAN, 0.2, 0.01, LOSS) == "matches"
    assert verdict(0.23, NAN, 0.2, 0.01, LOSS) == "worse"


def test_words_without_a_comparison():
    assert verdict(NAN, NAN, 0.2, 0.01, LOSS) == "missing"
    assert verdict(NAN, NAN, NAN, NAN, LOSS) == "missing"
    assert verdict(0.3, 0.01, NAN, NAN, LOSS) == "filled"


def test_synthetic_data_earn_no_verdict():
    assert verdict(0.2, 0.01, 0.2, 0.01, LOSS, kind="synthetic") == "synthetic"
    assert verdict(0.2, 0.01, NAN, NAN, LOSS, kind="synthetic") == "synthetic"
    assert verdict(NAN, NAN, 0.2, 0.01, LOSS, kind="synthetic") == "missing"


@pytest.mark.parametrize("word", VERDICTS)
def test_reproduced(word):
    good = {"kind": "original", "state": "fresh", "complete": True}
    assert is_reproduced(word, **good) == (word in ("matches", "close", "better"))
    assert is_reproduced(word, **good | {"state": "attested"}) == is_reproduced(word, **good)
    for bad in ({"kind": "re-derived"}, {"state": "stale"}, {"complete": False}):
        assert not is_reproduced(word, **good | bad)
