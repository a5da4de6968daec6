"""MimlSvm_mi at the sizes of the paper: alternations, duality gap and seconds of one fit.

Run with OMP_NUM_THREADS=1 for the seconds of one core.
"""

import time

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer

from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.datasets import load
from mimlpaper.preprocessing import OnInstances

SCENE = make_pipeline(OnInstances(MinMaxScaler()))
UNIT_ROWS = make_pipeline(OnInstances(Normalizer()))
# Data set, steps before MimlSvmMi, parameters.
CASES = [
    ("scene", SCENE, {}),
    ("scene", SCENE, {"tol": 1e-4}),
    ("scene", SCENE, {"gamma": 2.0}),
    ("scene", SCENE, {"rank": 600}),
    ("reuters", None, {"kernel": "linear", "C": 0.1}),
    ("reuters", UNIT_ROWS, {"kernel": "linear", "C": 1.0}),
]
ROW = "{:9}{:>11}  {:34}{:>9}{:>14}{:>9}{:>8}"


def main():
    header = ("data", "instances", "parameters", "factor", "alternations", "gap", "CPU s")
    print(ROW.format(*header))
    for name, steps, parameters in CASES:
        print(measure(name, steps, parameters), flush=True)


def measure(name, steps, parameters, n_bags=1500):
    """One line of the table: share of the kernel left out, alternations, largest gap, seconds."""
    data = load(name)
    train = np.random.default_rng(0).permutation(len(data.Y))[:n_bags]
    X, Y = data.X[train], data.Y[train]
    X = X if steps is None else steps.fit_transform(X)
    estimator = MimlSvmMi(random_state=0, **parameters)
    estimator.fit(X[:40], Y[:40] | (np.arange(40) % 2 == 0)[:, None])  # compiles
    seconds = time.process_time()
    estimator.fit(X, Y)
    seconds = time.process_time() - seconds
    alternations = [svm.n_alternations_ for svm in estimator.svms_]
    gap = max(svm.gaps_.max() for svm in estimator.svms_)
    written = ", ".join(f"{key}={value}" for key, value in parameters.items()) or "defaults"
    return ROW.format(
        name,
        X.n_instances,
        written,
        f"{estimator.factor_.error_:.3f}",
        f"{min(alternations)} to {max(alternations)}",
        f"{gap:.1e}",
        f"{seconds:.1f}",
    )


if __name__ == "__main__":
    main()
