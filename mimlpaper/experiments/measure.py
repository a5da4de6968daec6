"""Seconds and peak memory of one fit; called in a process that does nothing else."""

from __future__ import annotations

import ctypes
import gc
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from mimlpaper.bags import Bags
from mimlpaper.experiments.cost_cases import CostCase, estimator_of, problem_of
from mimlpaper.experiments.trial import set_random_states
from mimlpaper.metrics import average_precision

__all__ = ["measure"]

N_FIRST = 60  # examples of the fit that loads compiled code
SHORT = 1.0  # seconds; shorter fits are repeated, and the shortest counts
N_REPEATS = 3


def measure(case: CostCase, data_home=None) -> dict:
    """Processor seconds of a case's fit and scores, and what each adds to resident memory.

    Megabytes are the peak during the fit above what was resident when it began: the data are
    not counted. One thread. A small fit goes before, since the first loads compiled code.

    Returns
    -------
    row : dict of the sizes n_bags, n_instances (mean of a bag), n_features, n_labels;
        fit_seconds, fit_megabytes, and for cases with a test set predict_seconds,
        predict_megabytes; average_precision of peers; warnings, categories in the fit.
    """
    (X, Y), test = problem_of(case, data_home)
    estimator = clone(estimator_of(case))
    set_random_states(estimator, 0)
    # From all over the set, which may be sorted by label.
    some = np.unique(np.linspace(0, len(Y) - 1, N_FIRST).astype(int))
    with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clone(estimator).fit(X[some], Y[some])
        caught.clear()
        fitted, seconds, megabytes = spent(estimator.fit, X, Y)
        row = _sizes(X, Y) | {"fit_seconds": seconds, "fit_megabytes": megabytes}
        row["warnings"] = "; ".join(sorted({w.category.__name__ for w in caught}))
        if test is not None:
            scores, seconds, megabytes = spent(fitted.decision_function, test[0])
            row |= {"predict_seconds": seconds, "predict_megabytes": megabytes}
        if case.study == "peers":
            row["average_precision"] = average_precision(test[1], scores)
        for _ in range(N_REPEATS - 1):
            if row["fit_seconds"] < SHORT:
                _, seconds, _ = spent(clone(estimator).fit, X, Y)
                row["fit_seconds"] = min(row["fit_seconds"], seconds)
    return row


def spent(call, *args):
    """What ``call`` gives, its processor seconds, and the megabytes that it adds to the peak."""
    gc.collect()
    _lower_peak()
    before = _peak()
    begin = time.process_time()
    result = call(*args)
    seconds = time.process_time() - begin
    return result, seconds, _peak() - before


def _sizes(X, Y):
    bags = isinstance(X, Bags)
    return {
        "n_bags": len(Y),
        "n_instances": round(X.n_instances / len(X), 2) if bags else 1,
        "n_features": X.n_features if bags else X.shape[1],
        "n_labels": 1 if np.ndim(Y) == 1 else Y.shape[1],
    }


def _lower_peak():
    """On Linux, give back freed memory and let the peak begin anew.

    Elsewhere the peak is that of the process so far, its data's loading included.
    """
    if sys.platform == "linux":
        getattr(ctypes.CDLL(None), "malloc_trim", lambda pad: None)(0)
        Path("/proc/self/clear_refs").write_text("5")


def _peak():
    """Peak of resident memory, in megabytes."""
    import resource  # not on Windows, where the rest of the package works

    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kilobytes / (1024**2 if sys.platform == "darwin" else 1024)
