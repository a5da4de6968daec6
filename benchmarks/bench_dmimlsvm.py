"""D-MimlSvm by size, cost and solver: steps, iterations, duality gap, seconds and memory of a fit.

Run with OMP_NUM_THREADS=1 for the seconds of one core.
"""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
from sklearn.preprocessing import MinMaxScaler, Normalizer

from mimlpaper.algorithms.dmimlsvm import DMimlSvm
from mimlpaper.datasets import load
from mimlpaper.experiments.measure import spent
from mimlpaper.preprocessing import OnInstances

SCALERS = {"scene": MinMaxScaler(), "reuters": Normalizer()}
KERNELS = {"scene": {"kernel": "rbf"}, "reuters": {"kernel": "linear"}}
SMALL = ("bundle", "lbfgs", "cutting_plane", "cvxpy")
# Data set, number of bags, parameters. Fig. 4 trains on 380 bags, Table 1 on 1,500.
CASES = [
    *[("scene", 380, {"C": C}) for C in (1.0, 10.0, 100.0, 1000.0)],
    *[("scene", 380, {"C": C, "set_kernel": "mean"}) for C in (10.0, 100.0)],
    *[("scene", 380, {"C": 100.0, "relatedness": "pairwise", "mu": 0.5})],
    *[("scene", n_bags, {"C": 100.0}) for n_bags in (750, 1500)],
    *[("scene", 380, {"C": C, "solver": "lbfgs"}) for C in (10.0, 100.0)],
    *[("scene", 30, {"C": 10.0, "solver": solver}) for solver in SMALL],
    *[("reuters", 250, {"C": C}) for C in (1.0, 10.0, 100.0)],
    *[("reuters", 1500, {"C": 10.0})],
]
ROW = "{:8}{:>6} {:<44}{:>6}{:>11}{:>9}{:>8}{:>6}"


def main():
    print(ROW.format("data", "bags", "parameters", "steps", "iterations", "gap", "CPU s", "MB"))
    for name, n_bags, params in CASES:
        # A process each, so that the peak of memory is that of one fit.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            print(pool.submit(measure, name, n_bags, params).result(), flush=True)


def measure(name, n_bags, params):
    """One line of the table; memory is what the fit adds to the peak."""
    data = load(name)
    chosen = np.random.default_rng(0).permutation(len(data))[:n_bags]
    X, Y = OnInstances(SCALERS[name]).fit_transform(data.X[chosen]), data.Y[chosen]
    estimator = DMimlSvm(lam=0.1, imbalance=False, random_state=0, **KERNELS[name], **params)
    DMimlSvm(rank=5, random_state=0, solver=estimator.solver).fit(X[:20], Y[:20])  # compiles
    _, seconds, memory = spent(estimator.fit, X, Y)
    shown = ", ".join(
        f"{key} {value:g}" if isinstance(value, float) else f"{key} {value}"
        for key, value in params.items()
    )
    return ROW.format(
        name,
        n_bags,
        shown,
        len(estimator.n_iter_),
        estimator.n_iter_.sum(),
        f"{estimator.duality_gap_:.1e}",
        f"{seconds:.2f}",
        f"{memory:.0f}",
    )


if __name__ == "__main__":
    main()
