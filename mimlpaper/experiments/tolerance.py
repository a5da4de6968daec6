"""How far the criteria of a repeated trial may lie from the recorded ones.

**The same machine and versions:** every criterion within 1e-6. A trial is a pure function, and
a record keeps ten digits.

**Another machine, BLAS kernel or version of a package:** sums are rounded in another order,
and where scores nearly tie, or an iteration stops at a threshold, a decision may fall otherwise.
Allowed is that in one of a hundred test bags, in one at the least, one label is decided
otherwise and two neighbours in the ranking of the labels change places. With k such bags of n, and
q labels, a criterion moves by at most

====================  ==========================================================================
hamming loss          k / (n q): one decision of q
one-error, accuracy   k / n: the top label, or the only decision
coverage              k / n: the last true label moves by one rank
ranking loss          k / (n (q - 1)): one pair of at least q - 1
average precision     k / (2 n): most for an only label, from rank 1 to rank 2
average recall        k / n: an only label falls off the list
average F1            what the moves of precision and recall together make of it
====================  ==========================================================================

and by 1e-6 for what is no decision. A method whose fit is chaotic, so that rounding decides which
of many optima it ends in, may differ by more elsewhere; its outcome is then "different".
"""

import math

import numpy as np
import pandas as pd

from mimlpaper.datasets.catalogue import n_labels
from mimlpaper.metrics import CRITERIA

EXACT = 1e-6
MOVED = 0.01  # share of test bags that may come out otherwise elsewhere

MEASURED = [*CRITERIA, "accuracy"]


def compare_trial(recorded: pd.DataFrame, repeated: list[dict]) -> tuple[float, bool]:
    """Largest difference over a trial's stages, and whether all are within what is allowed.

    Parameters
    ----------
    recorded : rows of the trial as they are recorded.
    repeated : rows of the trial as it came out again.
    """
    again = {row["stage"]: row for row in repeated}
    if set(again) != set(recorded["stage"]):
        return np.inf, False
    largest, same = 0.0, True
    for row in recorded.to_dict("records"):
        apart = distance(row, again[row["stage"]])
        largest = max(largest, float(apart.max()))
        same = same and bool((apart <= allowed(row, again[row["stage"]])).all())
    return largest, same


def same_environment(recorded, repeated) -> bool:
    """Whether two rows were made by the same versions on the same kind of machine."""
    return all(recorded[column] == repeated[column] for column in ("versions", "machine"))


def distance(recorded, repeated) -> pd.Series:
    """Absolute difference of each criterion; infinite where only one row has it."""
    here, there = (pd.Series(row).reindex(MEASURED).astype(float) for row in (recorded, repeated))
    apart = (here - there).abs()
    return apart.mask(here.isna() & there.isna(), 0.0).fillna(math.inf)


def allowed(recorded, repeated) -> pd.Series:
    """Largest difference of each criterion that counts as the same result.

    Parameters
    ----------
    recorded, repeated : rows of results, with dataset, n_test, versions and machine.
    """
    if same_environment(recorded, repeated):
        return pd.Series(EXACT, MEASURED)
    n, q = recorded["n_test"], n_labels(recorded["dataset"])
    share = max(1, math.ceil(MOVED * n)) / n  # k / n
    moves = {
        "hamming_loss": share / q,
        "one_error": share,
        "coverage": share,
        "ranking_loss": share / max(q - 1, 1),
        "average_precision": share / 2,
        "average_recall": share,
        "accuracy": share,
    }
    moves["average_f1"] = _move_of_f1(recorded, moves)
    return pd.Series(moves).reindex(MEASURED) + EXACT


def _move_of_f1(recorded, moves):
    """F1 grows with both: its extremes are where both have moved as far as they may."""
    precision, recall = recorded["average_precision"], recorded["average_recall"]
    ends = [
        _harmonic_mean(
            min(max(precision + sign * moves["average_precision"], 0.0), 1.0),
            min(max(recall + sign * moves["average_recall"], 0.0), 1.0),
        )
        for sign in (-1, 1)
    ]
    middle = _harmonic_mean(precision, recall)
    return max(ends[1] - middle, middle - ends[0])


def _harmonic_mean(a, b):
    return 2 * a * b / (a + b) if a + b > 0 else 0.0
