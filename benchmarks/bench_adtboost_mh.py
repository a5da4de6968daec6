"""AdtBoost.MH at the sizes of the paper: seconds and memory of one fit, seconds of its scores.

Run with OMP_NUM_THREADS=1 for the seconds of one core.
"""

import warnings
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
from scipy.sparse import csr_array

from mimlpaper.base import ConstantLabelWarning
from mimlpaper.baselines.adtboost_mh import AdtBoostMH
from mimlpaper.datasets import load
from mimlpaper.experiments.measure import spent
from mimlpaper.preprocessing import ConcatenateInstances, SumInstances

# Data set, number of training examples, its step before AdtBoostMH, rounds.
CASES = [
    ("scene", 1500, ConcatenateInstances().fit_transform, 25),
    ("scene", 1500, ConcatenateInstances().fit_transform, 50),
    ("reuters", 1500, SumInstances().fit_transform, 25),
    ("yeast", 2175, np.asarray, 25),
    ("yahoo:Arts", 2000, np.asarray, 25),
    ("yahoo:Social", 2000, np.asarray, 25),
    ("yahoo:Social", 2000, csr_array, 25),
]
ROW = "{:14}{:>10}{:>10}{:>8}{:>8}{:>8}{:>11}{:>9}{:>7}"


def main():
    print(
        ROW.format(
            "data",
            "examples",
            "features",
            "non-0",
            "labels",
            "rounds",
            "fit CPU s",
            "scores s",
            "MB",
        )
    )
    for case in CASES:
        # A process each, so that the peak of memory is that of one fit.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            print(pool.submit(measure, *case).result(), flush=True)


def measure(name, n_examples, step, n_rounds):
    """One line of the table; memory is what the fit adds to the peak."""
    warnings.simplefilter("ignore", ConstantLabelWarning)
    data = load(name)
    X, Y = step(data.X), data.Y
    AdtBoostMH(n_rounds=1).fit(X[:50], Y[:50])  # compiles
    fit = AdtBoostMH(n_rounds=n_rounds).fit
    fitted, seconds, memory = spent(fit, X[:n_examples], Y[:n_examples])
    _, scores, _ = spent(deque, fitted.staged_decision_function(X[n_examples:]), 0)
    non_zero = (X != 0).mean()
    return ROW.format(
        name,
        n_examples,
        X.shape[1],
        f"{non_zero:.0%}",
        Y.shape[1],
        fitted.n_rounds_,
        f"{seconds:.2f}",
        f"{scores:.3f}",
        f"{memory:.0f}",
    )


if __name__ == "__main__":
    main()
