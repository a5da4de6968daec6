"""The level and the power of the corrected test where splits test on more than they train.

Section 5 trains on a quarter of the examples. There the usual correction is far too large, so the
correlation ρ of the differences on two splits is simulated: the experiment "calibration" records
differences between two equal learners, where each one that a test shows is false. The first half
of these data sets calibrates ρ, for each number of training examples. Level and power are stated
of the second half, which took no part in that.
"""

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.selection import checked_for_means
from mimlstudy.judge.statistics import ALPHA, RHO_BY_SIZE
from mimlstudy.paper.section5 import EQUAL_PAIRS, N_SPLITS

RHO_STEP = 0.005


def halves(
    records: pd.DataFrame,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The simulated data sets that calibrate, and those that check."""
    # Each split of this experiment is a data set of its own.
    calibrates = records["split"] < (records["split"].max() + 1) / 2
    return records[calibrates], records[~calibrates]


def critical_difference(rho) -> np.ndarray:
    """The mean difference over its std that is significant at correlation ρ of two splits."""
    shared = rho / (1 - np.asarray(rho))
    error = np.sqrt(1 / N_SPLITS + shared)
    return stdtrit(N_SPLITS - 1, 1 - ALPHA / 2) * error


def calibrated(records: pd.DataFrame) -> dict[int, float]:
    """The least ρ at which no criterion differs falsely in more than 5% of the data sets.

    By the number of training examples, as :data:`~mimlstudy.judge.statistics.RHO_BY_SIZE`.
    """
    least = {}
    for n_train, ratios in _by_size(records):
        rho = 0.0
        # The worst criterion counts, so that the level holds for each.
        while (ratios.abs() > critical_difference(rho)).mean().max() > ALPHA:
            rho += RHO_STEP
        least[n_train] = round(rho, 3)
    return least


def levels(records: pd.DataFrame) -> pd.DataFrame:
    """Shares of false differences: rows are numbers of training examples, columns criteria."""
    shares = {}
    for n_train, ratios in _by_size(records):
        critical = critical_difference(RHO_BY_SIZE[n_train])
        shares[n_train] = (ratios.abs() > critical).mean()
    return pd.DataFrame(shares).T


def power(records: pd.DataFrame, difference: float) -> pd.Series:
    """The share of criteria and sets in which a difference of so many std is shown, by size."""
    shares = {}
    for n_train, ratios in _by_size(records):
        critical = critical_difference(RHO_BY_SIZE[n_train])
        shares[n_train] = (ratios + difference > critical).mean(axis=None)
    return pd.Series(shares)


def _by_size(records):
    """The columns of the criteria, by the number of training examples.

    They hold mean differences over their std; each row is of a data set.
    """
    for method, rows in checked_for_means(records).groupby("method"):
        ratios = rows[[*CRITERIA]]
        if ratios.isna().any(axis=None):
            raise ValueError(f"{method}: a difference is missing, which would count as none")
        yield EQUAL_PAIRS[str(method)].n_train, ratios
