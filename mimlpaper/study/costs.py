"""What fits cost: seconds and peak memory of single fits, each in a process of its own.

Every method is measured on data sets of the paper and on drawn bags of several sizes, and some
methods against other implementations. Drawn data are named by their sizes: "drawn:400x8x4" is 400
bags of 8 instances with 4 labels. Costs are not trials: they belong to a machine, and a second
measurement gives other numbers. They are recorded in ``costs.csv``.
"""

import ctypes
import gc
import sys
import time
import traceback
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, astuple, dataclass, fields
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.spatial.distance import directed_hausdorff
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import RidgeClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from mimlpaper.algorithms.dmimlsvm import DMimlSvm
from mimlpaper.algorithms.insdif import InsDif, SingleInstances
from mimlpaper.algorithms.medoid_map import LandmarkMap
from mimlpaper.algorithms.mimlboost import MimlBoost
from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.algorithms.subcod import SubCod
from mimlpaper.bags import Bags
from mimlpaper.baselines.adtboost_mh import AdtBoostMH
from mimlpaper.baselines.diverse_density import DiverseDensity, EmDd
from mimlpaper.baselines.misvm import ChFd, MiSvmBag, MiSvmInstance
from mimlpaper.baselines.mlknn import MlKnn
from mimlpaper.baselines.mlsvm import MlSvm
from mimlpaper.baselines.ranksvm import RankSvm
from mimlpaper.datasets import DataError, load, make_bags
from mimlpaper.metrics import average_precision
from mimlpaper.preprocessing import ConcatenateInstances
from mimlpaper.study.experiment import PROFILES
from mimlpaper.study.fingerprint import provenance
from mimlpaper.study.records import default_store, put_rows, read_rows, six_digits
from mimlpaper.study.registry import get_experiment
from mimlpaper.study.section5 import BASE_SETTING
from mimlpaper.study.trials import Trial, set_random_states
from mimlpaper.study.workers import TrialError

OURS = "mimlpaper"


@dataclass(frozen=True)
class CostCase:
    """One fit to be measured."""

    study: str  # "sets", "sizes", "large" or "peers"
    dataset: str  # of the paper, or drawn
    method: str  # as the paper prints it
    library: str = OURS  # or another implementation, one of the method's PEERS


CASE = [field.name for field in fields(CostCase)]

COST_COLUMNS = [
    *CASE, "n_bags", "n_instances", "n_features", "n_labels",
    "fit_seconds", "fit_megabytes", "predict_seconds", "predict_megabytes",
    "average_precision", "warnings", "versions", "commit", "machine",
]  # fmt: skip

# Study "sets": the training part of the first split, and the configuration of the paper's table.
SETS = {
    "scene": "table1", "reuters": "table2", "yeast": "table3", "yahoo:Arts": "table4",
    "musk2": "table5", "elephant": "table5",
}  # fmt: skip
SMOKE_SETS = {
    "synthetic_scene": "table1", "synthetic_genes": "table3", "synthetic_africa": "table5",
}  # fmt: skip
TABLE_OF = SETS | SMOKE_SETS

# Study "sizes": one size varies, the others stay as in BASE.
SIZES = {
    "bags": (200, 400, 800, 1600, 3200),
    "instances": (2, 4, 8, 16, 32),
    "labels": (4, 8, 12, 20, 32),
}
BASE = {"bags": 400, "instances": 8, "labels": 8}
SMOKE_SIZES = {"bags": (400, 800), "instances": (2, 4), "labels": (4, 8)}
SMOKE_BASE = {"bags": 400, "instances": 2, "labels": 4}


def _on_vectors(estimator):
    return make_pipeline(ConcatenateInstances(), estimator)


# Kernel factors have one rank, so that what grows is the method.
MANY_LABELS = {
    "MimlBoost": MimlBoost(n_rounds=50, rank=300),
    "MimlSvm": MimlSvm(),
    "MimlSvm_mi": MimlSvmMi(rank=300),
    "MimlNn": MimlNn(),
    "D-MimlSvm": DMimlSvm(rank=300),
    "InsDif": _on_vectors(InsDif()),
    "AdtBoost.MH": _on_vectors(AdtBoostMH(n_rounds=25)),
    "RankSvm": _on_vectors(RankSvm(degree=3)),
    "MlSvm": _on_vectors(MlSvm()),
    "Ml-knn": _on_vectors(MlKnn(n_neighbors=10)),
}
ONE_LABEL = {
    "SubCod": SubCod(n_concepts=30),
    "Diverse Density": DiverseDensity(n_start_bags=3, initial_scale=0.3),
    "Em-dd": EmDd(n_start_bags=3, initial_scale=0.3),
    "mi-Svm": MiSvmInstance(gamma=5.0, C=10.0, rank=300),
    "Mi-Svm": MiSvmBag(gamma=5.0, C=10.0, rank=300),
    "Ch-Fd": ChFd(gamma=5.0, rank=300),
}
SMOKE_METHODS = ("MimlNn", "Ml-knn", "Ch-Fd", "MimlNn, landmarks")

# Study "large": what grows with the bags, not with their square, on many bags.
LARGE = {
    "MimlNn, landmarks": make_pipeline(
        LandmarkMap(), OneVsRestClassifier(RidgeClassifier(fit_intercept=False))
    ),
    "MimlSvm, landmarks": make_pipeline(
        LandmarkMap(), SingleInstances(), MimlSvmMi(C=10.0, rank=300)
    ),
    "MimlBoost, linear": MimlBoost(n_rounds=10, kernel="linear", label_code="product"),
    "MimlSvm_mi, linear": MimlSvmMi(kernel="linear"),
    "D-MimlSvm, linear": DMimlSvm(kernel="linear"),
}
LARGE_BAGS = {
    "paper": (6250, 12500, 25000, 50000, 100000), "quick": (6250, 12500), "smoke": (400, 800),
}  # fmt: skip


def scipy_hausdorff(A, B) -> np.ndarray:
    """Max-Hausdorff distances (n_a, n_b) by SciPy, which takes one direction of one pair."""
    return np.array(
        [[max(directed_hausdorff(a, b)[0], directed_hausdorff(b, a)[0]) for b in B] for a in A]
    )


class ScikitMultilearnKnn(BaseEstimator):
    """ML-kNN of scikit-multilearn-ng, which counts a training example as its own neighbour."""

    def __init__(self, *, k=10):
        self.k = k

    def fit(self, X, Y):
        from skmultilearn.adapt import MLkNN

        self.classifier_ = MLkNN(k=self.k).fit(X, Y.astype(int))
        return self

    def decision_function(self, X) -> np.ndarray:
        """Probabilities of the labels: (n_examples, n_labels)."""
        return self.classifier_.predict_proba(X).toarray()


# Study "peers": the data, and each implementation on them.
PEER_DATA = {
    "MimlNn": "drawn:200x8x4", "D-MimlSvm": "drawn:32x4x4", "MlSvm": "drawn:1600x8x8",
    "Ml-knn": "drawn:1600x8x8",
}  # fmt: skip
SMOKE_PEER_DATA = {"MlSvm": "drawn:80x4x4", "Ml-knn": "drawn:80x4x4"}
PEERS = {
    "MimlNn": {OURS: MimlNn(), "distances by SciPy": MimlNn(metric=scipy_hausdorff)},
    "D-MimlSvm": {
        OURS: DMimlSvm(),
        "CVXPY": DMimlSvm(solver="cvxpy"),
        "Table 8 as printed": DMimlSvm(solver="cutting_plane"),
    },
    "MlSvm": {
        OURS: _on_vectors(MlSvm(gamma=0.1)),
        "scikit-learn": _on_vectors(OneVsRestClassifier(SVC(gamma=0.1))),
    },
    "Ml-knn": {
        OURS: _on_vectors(MlKnn()),
        "scikit-multilearn-ng": _on_vectors(ScikitMultilearnKnn()),
    },
}
OPTIONAL = {"CVXPY": "cvxpy", "scikit-multilearn-ng": "skmultilearn"}  # packages of peers
N_TEST = 200  # more drawn bags, to see whether peers rank their labels alike

N_WARM_UP = 60  # examples of a small fit that loads compiled code
SHORT = 1.0  # seconds; a shorter fit is repeated, and the shortest time counts
N_REPEATS = 3


def measure_costs(
    profile: str = "paper", *, recompute: bool = False, data_home=None
) -> pd.DataFrame:
    """Costs of a profile's cases; the cases that are not recorded are measured first.

    One fit runs at a time, so that none disturbs another; leave the machine idle meanwhile. Each
    is recorded as it ends, so a call after an interruption measures the rest. A case is left out
    if its data are missing or its peer is not installed. ``recompute`` measures all cases, recorded
    or not. If fits fail, a TrialError follows when all others are recorded.
    """
    waiting = _with_data(waiting_costs(profile, recompute=recompute), data_home)
    if waiting:
        n_cases = len(cost_cases(profile))
        print(f"costs: {n_cases} fits, {len(waiting)} to measure one by one", flush=True)
        _measure_each(waiting, data_home, default_store(profile).path("costs"))
    return recorded_costs(profile)


def recorded_costs(profile: str = "paper") -> pd.DataFrame:
    """The costs of a profile's cases as they are recorded; nothing is measured."""
    wanted = pd.DataFrame(cost_cases(profile), columns=CASE)
    return _read(default_store(profile).path("costs")).merge(wanted)


def waiting_costs(profile: str = "paper", *, recompute: bool = False) -> list[CostCase]:
    """Cases that are not recorded, or all; without peers that are not installed."""
    recorded = _read(default_store(profile).path("costs"))[CASE].itertuples(index=False, name=None)
    known = set() if recompute else set(recorded)
    return [c for c in cost_cases(profile) if astuple(c) not in known and is_installed(c)]


def cost_cases(profile: str = "paper") -> list[CostCase]:
    """All cases of a profile; "quick" has the smallest of each size, "smoke" a few tiny ones."""
    if profile not in PROFILES:
        raise ValueError(f"profile must be one of {list(PROFILES)}, got {profile!r}")
    smoke = profile == "smoke"
    cases = [
        CostCase("sets", dataset, method)
        for dataset in (SMOKE_SETS if smoke else SETS)
        for method in _methods_on(dataset)
    ]
    cases += [
        CostCase("sizes", dataset, method)
        for method in (*MANY_LABELS, *ONE_LABEL)
        for dataset in _drawn_names(method, profile)
    ]
    cases += [
        CostCase("large", f"drawn:{n_bags}x8x8", method)
        for method in LARGE
        for n_bags in LARGE_BAGS[profile]
    ]
    if smoke:
        cases = [case for case in cases if case.method in SMOKE_METHODS]
    return cases + [
        CostCase("peers", dataset, method, library)
        for method, dataset in (SMOKE_PEER_DATA if smoke else PEER_DATA).items()
        for library in PEERS[method]
    ]


def _methods_on(dataset):
    """The methods of the paper's table on a data set, and D-MimlSvm, which is in no table."""
    in_table = get_experiment(TABLE_OF[dataset]).methods
    return (*in_table, "D-MimlSvm") if dataset in BASE_SETTING else in_table


def _drawn_names(method, profile):
    """Names of the data on which a method is measured, each once."""
    sizes, base = (SMOKE_SIZES, SMOKE_BASE) if profile == "smoke" else (SIZES, BASE)
    varied = [name for name in sizes if name != "labels" or method in MANY_LABELS]
    several = [
        base | {name: size}
        for name in varied
        for size in (sizes[name][:3] if profile == "quick" else sizes[name])
    ]
    return dict.fromkeys("drawn:{bags}x{instances}x{labels}".format(**one) for one in several)


def drawn_sizes(dataset: str) -> tuple[int, int, int]:
    """Number of bags, of instances in each, and of labels of "drawn:400x8x4"."""
    n_bags, n_instances, n_labels = dataset.removeprefix("drawn:").split("x")
    return int(n_bags), int(n_instances), int(n_labels)


def is_installed(case: CostCase) -> bool:
    """Whether the package behind the case's library is installed."""
    return case.library not in OPTIONAL or find_spec(OPTIONAL[case.library]) is not None


def estimator_of(case: CostCase):
    """The case's estimator, unfitted and unseeded."""
    if case.study == "peers":
        return PEERS[case.method][case.library]
    if case.study in ("sizes", "large"):
        return (MANY_LABELS | ONE_LABEL | LARGE)[case.method]
    if case.method == "D-MimlSvm":
        return BASE_SETTING[case.dataset]
    experiment = get_experiment(TABLE_OF[case.dataset])
    return experiment.estimator(Trial(experiment.name, case.dataset, case.method, "{}", 0))


def problem_of(case: CostCase, data_home=None):
    """The case's data: (X, labels) for training, (X, labels) for testing, or None without a test.

    Labels are (n_bags, n_labels), or of multi-instance methods (n_bags,).
    """
    if case.study == "sets":
        dataset = load(case.dataset, data_home=data_home)
        splits = get_experiment(TABLE_OF[case.dataset]).splits
        return tuple((dataset.X[part], dataset.labels[part]) for part in splits.indices(dataset, 0))
    n_bags, n_instances, n_labels = drawn_sizes(case.dataset)
    n_test = N_TEST if case.study == "peers" else 0
    X, Y = make_bags(n_bags + n_test, n_instances, n_labels)
    labels = Y[:, 0] if case.method in ONE_LABEL else Y
    train = X[:n_bags], labels[:n_bags]
    return train, (X[n_bags:], labels[n_bags:]) if n_test else None


def measure(case: CostCase, data_home=None) -> dict:
    """Processor seconds of a case's fit and scores, and what each adds to resident memory.

    Call it in a process that does nothing else. Megabytes are the peak during the fit above what
    was resident when it began, so the data do not count. There is one thread. A small fit runs
    first, because the first one loads compiled code. The row has those of :data:`COST_COLUMNS` from
    n_bags to warnings; n_instances is the mean of a bag.
    """
    (X, Y), test = problem_of(case, data_home)
    estimator = clone(estimator_of(case))
    set_random_states(estimator, 0)
    # From all over the set, because it may be sorted by label.
    few = np.unique(np.linspace(0, len(Y) - 1, N_WARM_UP).astype(int))
    with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clone(estimator).fit(X[few], Y[few])
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
    """The result of ``call``, its processor seconds, and the megabytes that it adds to the peak."""
    gc.collect()
    _reset_peak()
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


def _reset_peak():
    """On Linux, return freed memory and reset the peak.

    Elsewhere the peak is that of the whole process, with the loading of its data.
    """
    if sys.platform == "linux":
        getattr(ctypes.CDLL(None), "malloc_trim", lambda pad: None)(0)
        Path("/proc/self/clear_refs").write_text("5")


def _peak():
    """Peak of resident memory, in megabytes."""
    import resource  # not on Windows, where the rest of the package works

    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kilobytes / (1024**2 if sys.platform == "darwin" else 1024)


def _with_data(cases, data_home):
    """The cases whose data can be loaded; a message names each data set that cannot."""
    missing = set()
    for dataset in dict.fromkeys(case.dataset for case in cases if case.study == "sets"):
        try:
            load(dataset, data_home=data_home)
        except DataError as error:
            print(f"costs on {dataset} are left out: {error}", flush=True)
            missing.add(dataset)
    return [case for case in cases if case.dataset not in missing]


def _measure_each(cases, data_home, path):
    """Measure and record the cases one by one.

    A fit may fail in any way, and no failure stops the others; at the end they raise a TrialError.
    """
    failures = []
    # A server that has everything imported forks a bare process for each fit: they start at
    # once, and their memory is that of one fit.
    context = get_context("forkserver")
    context.set_forkserver_preload([name for name in sys.modules if name.startswith("mimlpaper")])
    for case in tqdm(cases, desc="costs", unit="fit", leave=False):
        try:
            with ProcessPoolExecutor(1, mp_context=context) as pool:
                measured = pool.submit(measure, case, data_home).result()
        except Exception:
            failures.append((case, traceback.format_exc()))
        else:
            _record(asdict(case) | measured | provenance(), path)
    if failures:
        case, error = failures[0]
        raise TrialError(
            f"{len(failures)} of {len(cases)} fits failed, the others are recorded; "
            f"the first: {case}\n{error}"
        )


def _record(row, path):
    """Add a row; it replaces the row of the same case."""
    put_rows(path, [six_digits(row)], COST_COLUMNS, n_keys=len(CASE))


def _read(path):
    optional = ("predict_seconds", "predict_megabytes", "average_precision")
    return read_rows(path, COST_COLUMNS, optional)
