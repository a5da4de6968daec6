"""The level and the power of the corrected test where splits test on more than they train.

Section 5 trains on a quarter of the examples. There the usual correction is far too large, so the
correlation ρ of the leads on two splits is simulated: the experiment "calibration" records leads
between two equal learners, where every difference that a test shows is false.
"""

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from mimlpaper.metrics import CRITERIA
from mimlstudy.judge.compare import unmixed
from mimlstudy.judge.statistics import ALPHA
from mimlstudy.paper.section5 import N_SPLITS


def critical_lead(rho) -> np.ndarray:
    """The mean lead over its std that is significant if two leads have the correlation ρ."""
    error = np.sqrt(1 / N_SPLITS + rho / (1 - np.asarray(rho)))
    return stdtrit(N_SPLITS - 1, 1 - ALPHA / 2) * error


def levels(records: pd.DataFrame, rho: float) -> pd.DataFrame:
    """Shares of false differences: rows are numbers of training examples, columns criteria."""
    ratios = unmixed(records).groupby("method")[[*CRITERIA]]
    return ratios.agg(lambda ratio: (ratio.abs() > critical_lead(rho)).mean())


def power(records: pd.DataFrame, rho: float, lead: float) -> float:
    """The share of criteria and sets in which a lead of so many std is shown, by the worse size."""
    ratios = unmixed(records).set_index("method")[[*CRITERIA]] + lead
    return float((ratios > critical_lead(rho)).groupby("method").mean().mean(axis=1).min())
