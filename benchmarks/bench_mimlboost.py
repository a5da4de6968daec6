"""MimlBoost on scene: seconds and memory of one fit at the paper's size, and against LIBSVM.

The comparison with LIBSVM trains both solvers on the same few bags of five splits, and takes
a quarter of an hour a split; ``--rounds 10`` makes it three minutes, ``--splits 0`` leaves it out.
Run with OPENBLAS_NUM_THREADS=1 for the seconds of one core.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
from sklearn.preprocessing import MinMaxScaler

from mimlpaper.algorithms.mimlboost import MimlBoost
from mimlpaper.datasets import load_scene
from mimlpaper.experiments.measure import spent
from mimlpaper.metrics import average_precision
from mimlpaper.preprocessing import OnInstances

FULL, FEW, TEST = 1500, 300, 500
HEADINGS = ("bags", "solver", "split", "fit CPU s", "scores s", "MB", "avg. precision")
ROW = "{:>6}{:>12}{:>7}{:>11}{:>10}{:>7}{:>16}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=5, help="splits compared with LIBSVM")
    parser.add_argument("--rounds", type=int, default=50, help="rounds of boosting")
    args = parser.parse_args()
    n_splits, rounds = args.splits, args.rounds
    cases = [(FULL, "structured", 0, 50)]
    cases += [
        (FEW, solver, s, rounds) for s in range(n_splits) for solver in ("structured", "libsvm")
    ]
    print(ROW.format(*HEADINGS))
    # Each from a process of its own: its peak of memory is that of one fit.
    with ProcessPoolExecutor(mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        measured = list(map(show, cases, pool.map(measure, *zip(*cases, strict=True))))
    if n_splits:
        pairs = np.array(measured[1:]).reshape(n_splits, 2, 2)
        seconds, precision = pairs.transpose(2, 1, 0)  # each (solver, split)
        print(f"LIBSVM takes {seconds[1].sum() / seconds[0].sum():.0f} times as long")
        difference = np.abs(precision[1] - precision[0]).mean()
        print(f"mean |difference of average precision|: {difference:.4f}")


def show(case, measured):
    """Print a line; seconds of the fit and the precision."""
    seconds, scoring, megabytes, precision = measured
    print(
        ROW.format(
            *case[:3], f"{seconds:.1f}", f"{scoring:.2f}", f"{megabytes:.0f}", f"{precision:.4f}"
        ),
        flush=True,
    )
    return seconds, precision


def measure(n_bags, solver, split, rounds):
    """CPU seconds of a fit and of the test scores, what the fit adds to memory, the precision."""
    scene = load_scene()
    order = np.random.default_rng(split).permutation(len(scene.Y))
    train, test = order[:n_bags], order[-TEST:]
    scale = OnInstances(MinMaxScaler()).fit(scene.X[train])
    X, Z = scale.transform(scene.X[train]), scale.transform(scene.X[test])
    MimlBoost(n_rounds=1, solver=solver).fit(X[:20], scene.Y[train[:20]])  # compiles
    estimator = MimlBoost(n_rounds=rounds, solver=solver, random_state=split)
    fitted, seconds, megabytes = spent(estimator.fit, X, scene.Y[train])
    scores, scoring, _ = spent(fitted.decision_function, Z)
    return seconds, scoring, megabytes, average_precision(scene.Y[test], scores)


if __name__ == "__main__":
    main()
