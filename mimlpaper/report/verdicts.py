"""From a published and a measured value to one word."""

from __future__ import annotations

import math

from mimlpaper.metrics import Criterion

__all__ = ["VERDICTS", "arithmetic", "is_reproduced", "verdict"]

VERDICTS = ("matches", "close", "better", "worse", "filled", "missing", "synthetic")

MATCHES, CLOSE = 1.0, 2.0  # in units of the pooled standard deviation
MATCHES_BARE, CLOSE_BARE = 0.02, 0.05  # where the paper prints no standard deviation
ROUNDING = 1e-9  # so that .87 - .85 counts as .02


def verdict(
    mean: float,
    std: float,
    published_mean: float,
    published_std: float,
    criterion: Criterion,
    *,
    kind: str = "original",
) -> str:
    """Verdict on ours, o ± t, against the published p ± s.

    z = (o - p) / sqrt((s² + t²) / 2). |z| <= 1 is "matches", <= 2 "close"; beyond that ours is
    "better" or "worse" by the criterion's arrow. Where the paper prints a mean alone,
    |o - p| <= .02 is "matches" and <= .05 "close".

    Parameters
    ----------
    mean, std : float
        NaN for a mean that has not been measured. A single run has no standard deviation; the
        published one is used instead.
    published_mean, published_std : float
        NaN where the paper prints N/A or nothing.
    criterion : Criterion
    kind : {"original", "re-derived", "synthetic"}
        Values of synthetic data say nothing about the paper's: "synthetic".
    """
    if math.isnan(mean):
        return "missing"
    if kind == "synthetic":
        return "synthetic"
    if math.isnan(published_mean):
        return "filled"
    difference = mean - published_mean
    if math.isnan(published_std):
        deviation, matches, close = abs(difference), MATCHES_BARE, CLOSE_BARE
    else:
        deviation, matches, close = abs(_z(difference, std, published_std)), MATCHES, CLOSE
    if deviation <= matches + ROUNDING:
        return "matches"
    if deviation <= close + ROUNDING:
        return "close"
    return "better" if (difference < 0) == criterion.lower_is_better else "worse"


def arithmetic(cell) -> str:
    """How a cell's verdict comes about, such as ``|z| = |.19 - .18| / .007 = 1.4``.

    Parameters
    ----------
    cell : row of :func:`~mimlpaper.report.compare.compare_with_paper` with a printed value.
    """
    mean, std, printed = cell["mean"], cell["std"], cell["published_mean"]
    difference = f"|{mean:.4f} - {printed:.4f}|"
    if math.isnan(cell["published_std"]):
        return f"{difference} = {abs(mean - printed):.4f}; matches up to {MATCHES_BARE}, " + (
            f"close up to {CLOSE_BARE}"
        )
    z = abs(_z(mean - printed, std, cell["published_std"]))
    return (
        f"|z| = {difference} / pooled std = {z:.2f}; matches up to {MATCHES:g}, "
        f"close up to {CLOSE:g}"
    )


def is_reproduced(word: str, *, kind: str, state: str, complete: bool) -> bool:
    """Whether a verdict counts: original data, the whole protocol, the present code."""
    good = word in ("matches", "close", "better")
    return bool(good and complete and kind == "original" and state != "stale")


def _z(difference, std, published_std):
    if math.isnan(std):
        std = published_std
    pooled = math.sqrt((published_std**2 + std**2) / 2)
    if pooled == 0:
        return 0.0 if abs(difference) <= ROUNDING else math.inf
    return difference / pooled
