"""Level and power of Section 5's test, by simulation with a pair of equal learners.

Data sets are drawn with two views of the same labels, alike in distribution. One ridge learner sees
the first view, another the second: by symmetry all that a test shows is false. Each set is divided
thirty times, a quarter for training.
"""

import numpy as np
import pandas as pd
from scipy.special import stdtrit
from sklearn.base import BaseEstimator
from sklearn.linear_model import Ridge

from mimlpaper.metrics import CRITERIA, evaluate
from mimlpaper.study.statistics import ALPHA
from mimlpaper.study.trials import Experiment, Measure, Part, RandomSplits

N_TRAIN = (150, 482)  # the smallest and the largest training set of Figs. 4 and 5
N_SPLITS = 30
N_FEATURES, N_LABELS, LABEL_SHARE, NOISE = 100, 5, 0.25, 6.0


class EqualPair(BaseEstimator):
    """Two equal learners, and data sets of ``4 * n_train`` examples drawn by ``random_state``."""

    def __init__(self, n_train, random_state=None):
        self.n_train = n_train
        self.random_state = random_state

    def draw(self):
        """(rng, Y, two views of it): Y (n, n_labels) bool, a view (n, n_features)."""
        rng = np.random.default_rng(self.random_state)
        n = 4 * self.n_train
        Y = rng.random((n, N_LABELS)) < LABEL_SHARE
        centers = rng.normal(size=(N_LABELS, N_FEATURES))
        views = [Y @ centers + NOISE * rng.normal(size=(n, N_FEATURES)) for _ in range(2)]
        return rng, Y, views


def standardized_leads(estimator, dataset, train, test) -> list[dict]:
    """Mean lead of the first learner over its std, by criterion; ``dataset`` takes no part."""
    rng, Y, views = estimator.draw()
    leads = []
    for _ in range(N_SPLITS):
        train, test = np.split(rng.permutation(len(Y)), [estimator.n_train])
        fitted = (Ridge(N_FEATURES).fit(X[train], 2.0 * Y[train] - 1) for X in views)
        scores = [ridge.predict(X[test]) for ridge, X in zip(fitted, views, strict=True)]
        first, second = (list(evaluate(Y[test], s, s > 0).values()) for s in scores)
        leads.append(np.subtract(first, second))
    ratios = np.mean(leads, axis=0) / np.std(leads, axis=0, ddof=1)
    return [dict(zip(CRITERIA, ratios.tolist(), strict=True))]


def critical_lead(rho) -> np.ndarray:
    """The mean lead over its std that is significant if two leads have the correlation ρ."""
    error = np.sqrt(1 / N_SPLITS + rho / (1 - np.asarray(rho)))
    return stdtrit(N_SPLITS - 1, 1 - ALPHA / 2) * error


def levels(records: pd.DataFrame, rho: float) -> pd.DataFrame:
    """Shares of false differences: rows are numbers of training examples, columns criteria."""
    ratios = records.groupby("method")[[*CRITERIA]]
    return ratios.agg(lambda ratio: (ratio.abs() > critical_lead(rho)).mean())


def power(records: pd.DataFrame, rho: float, lead: float) -> float:
    """The share of criteria and sets in which a lead of so many std is shown, by the worse size."""
    ratios = records.set_index("method")[[*CRITERIA]] + lead
    return float((ratios > critical_lead(rho)).groupby("method").mean().mean(axis=1).min())


PAIRS = {f"{n} training examples": EqualPair(n) for n in N_TRAIN}
CALIBRATION = Experiment(
    "calibration", "Section 5's test of equal learners",
    (Part(("synthetic_scene",), RandomSplits(500), PAIRS),),
    Measure(standardized_leads, (*CRITERIA,)),
)  # fmt: skip
