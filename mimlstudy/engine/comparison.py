"""Are two runs of a trial the same? And which recorded trials lie far from the others?

"equal": every number lies within 1e-6 of the recorded one; a record keeps ten digits. "close" is
possible with another arithmetic or other versions, where sums are rounded in another order. Then
one test bag in a hundred, and at least one, may have one label decided differently and two
neighbours in its ranking exchanged. No criterion has moved by more than such bags can move it.
"""

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from mimlstudy.engine.records import CONFIGURED, TIMES
from mimlstudy.engine.rows import recorded_text, unguarded
from mimlstudy.engine.trials import Experiment

EXACT = 1e-6
# Share of test bags that another machine may decide differently.
MOVED = 0.01

# Robust standard deviations of an outlier from the median of its setting.
FAR = 8.0
# Splits of a setting below which none is an outlier.
FEWEST = 5
# Standard deviations of a normal distribution for one median deviation.
PER_MAD = 1.4826


def compare_trial(
    experiment: Experiment,
    recorded: pd.DataFrame,
    repeated: Sequence[dict],
    n_labels: int,
) -> tuple[float, bool]:
    """Largest difference over all stages of a trial that ran again, and whether all are allowed."""
    again = {row["stage"]: row for row in repeated}
    if set(again) != set(recorded["stage"]):
        return np.inf, False
    numbers = compared_numbers(experiment)
    largest, same = 0.0, True
    for row in recorded.to_dict("records"):
        repetition = again[row["stage"]]
        differences = distance(row, repetition, numbers)
        largest = max(largest, float(differences.max()))
        close = differences <= allowed(row, repetition, numbers, n_labels)
        words = _compared_words(experiment, row, repetition)
        same_words = all(row[word] == _read_again(repetition[word]) for word in words)
        same = same and bool(close.all()) and same_words
    return largest, same


def _read_again(word) -> str:
    """A word as it is read from its record."""
    return unguarded(recorded_text(word))


def _compared_words(experiment, recorded, repeated):
    # Rounding may choose another of two settings that are equally good; the numbers still count.
    left_out = {"chosen"}
    if not _is_same_program(recorded, repeated):
        left_out.add("held_out")  # numbers, of which each may move as a criterion may
    return [word for word in experiment.measure.words if word not in left_out]


def _is_same_program(recorded, repeated):
    same_arithmetic = recorded["arithmetic"] == repeated["arithmetic"]
    return same_arithmetic and recorded["versions"] == repeated["versions"]


def compared_numbers(experiment: Experiment) -> list[str]:
    """The numbers of an experiment that a second run gives again: all but seconds."""
    return [name for name in experiment.measure.numbers if name not in TIMES]


def distance(recorded, repeated, numbers: Sequence[str]) -> pd.Series:
    """Absolute difference of each number; infinite where only one row has it."""
    before, after = _numbers_of(recorded, numbers), _numbers_of(repeated, numbers)
    in_none = before.isna() & after.isna()
    differences = (before - after).abs()
    return differences.mask(in_none, 0.0).fillna(math.inf)


def _numbers_of(row, numbers):
    """The numbers as they are read from a record, which has ten digits of each."""
    texts = pd.Series(row).reindex(numbers).astype(float).map(recorded_text)
    return pd.to_numeric(texts).astype(float)


def allowed(recorded, repeated, numbers: Sequence[str], n_labels: int) -> pd.Series:
    """Largest difference of each number that counts as the same result, of a trial's two rows."""
    if _is_same_program(recorded, repeated) or "hamming_loss" not in numbers:
        return pd.Series(EXACT, numbers)
    n_test = recorded["n_test"]
    if not 1 <= n_test < math.inf:  # of a damaged row
        return pd.Series(EXACT, numbers)
    n_moved = max(1, math.ceil(MOVED * n_test))
    # Of each moved bag by one rank, or one decision.
    moves = pd.Series(n_moved / n_test, numbers)
    moves["hamming_loss"] /= n_labels
    moves["average_f1"] *= 2  # of precision and recall
    return moves + EXACT


def outliers(experiment: Experiment, rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of an experiment that lie far from those of the same setting and stage."""
    setting = [rows[name] for name in (*CONFIGURED, "stage")]
    values = rows[compared_numbers(experiment)].astype(float)
    medians = values.groupby(setting).transform("median")
    deviations = (values - medians).abs()
    spread = PER_MAD * deviations.groupby(setting).transform("median")
    is_far = (deviations > FAR * spread + EXACT).any(axis=1)
    has_enough = rows["split"].groupby(setting).transform("size") >= FEWEST
    return rows[is_far & has_enough]
