"""RankSvm at the sizes of the paper: sweeps, duality gap, seconds and memory of one fit.

Run with OMP_NUM_THREADS=1 for the seconds of one core.
"""

import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mimlpaper.base import ConstantLabelWarning
from mimlpaper.baselines.ranksvm import RankSvm
from mimlpaper.datasets import load
from mimlpaper.experiments.holdout import HoldOut
from mimlpaper.experiments.measure import spent
from mimlpaper.preprocessing import ConcatenateInstances, OnInstances, SumInstances

SCENE = make_pipeline(OnInstances(MinMaxScaler()), ConcatenateInstances())
DEGREES = range(2, 10)
# Data set, number of training examples, steps before RankSvm, degrees.
CASES = [
    ("scene", 1500, SCENE, DEGREES),
    ("reuters", 1500, SumInstances(), DEGREES),
    ("yeast", 2175, None, [2, 8]),
    ("yahoo:Arts", 2000, None, [2, 8]),
    ("yahoo:Social", 2000, None, [2, 8]),
]
ROW = "{:14}{:>8}{:>8}{:>9}  {:<12}{:>7}{:>10}{:>9}{:>8}"


def main():
    header = ("data", "examples", "labels", "pairs", "degree", "sweeps", "gap", "CPU s", "MB")
    print(ROW.format(*header))
    for name, n_examples, steps, degrees in CASES:
        for degree in [*degrees, "by hold-out"] if degrees is DEGREES else degrees:
            # A process each, so that the peak of memory is that of one fit.
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                print(pool.submit(measure, name, n_examples, steps, degree).result(), flush=True)


def measure(name, n_examples, steps, degree):
    """One line of the table; memory is what the fit adds to the peak."""
    warnings.simplefilter("ignore", ConstantLabelWarning)
    data = load(name)
    train = np.random.default_rng(0).permutation(len(data.Y))[:n_examples]
    if data.n_train is not None:
        train = np.arange(n_examples)
    X, Y = data.X[train], data.Y[train]
    X = X if steps is None else steps.fit_transform(X)
    small = np.arange(min(40, len(X)))
    RankSvm(random_state=0, max_iter=10, tol=1.0).fit(X[small], Y[small])  # compiles
    if degree == "by hold-out":
        estimator = RankSvm(random_state=0)
        grid = {"degree": list(DEGREES)}
        held = HoldOut(estimator, grid, criterion="ranking_loss", random_state=0)
        held, seconds, memory = spent(held.fit, X, Y)
        fitted = held.best_estimator_
        degree = f"{fitted.degree} {degree}"
    else:
        estimator = RankSvm(degree=degree, random_state=0)
        fitted, seconds, memory = spent(estimator.fit, X, Y)
    n_true = Y.sum(axis=1)
    pairs = int((n_true * (Y.shape[1] - n_true)).sum())
    return ROW.format(
        name,
        len(Y),
        Y.shape[1],
        pairs,
        degree,
        fitted.n_iter_,
        f"{fitted.duality_gap_:.1e}",
        f"{seconds:.2f}",
        f"{memory:.0f}",
    )


if __name__ == "__main__":
    main()
