"""Which fits are measured: every method on data sets of the paper, and on drawn bags by size.

Drawn data are named by their sizes: "drawn:400x8x4" is 400 bags of 8 instances with 4 labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
from scipy.spatial.distance import directed_hausdorff
from sklearn.base import BaseEstimator
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from mimlpaper.algorithms.dmimlsvm import DMimlSvm
from mimlpaper.algorithms.insdif import InsDif
from mimlpaper.algorithms.mimlboost import MimlBoost
from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.algorithms.subcod import SubCod
from mimlpaper.baselines.adtboost_mh import AdtBoostMH
from mimlpaper.baselines.chfd import ChFd
from mimlpaper.baselines.diverse_density import DiverseDensity
from mimlpaper.baselines.emdd import EmDd
from mimlpaper.baselines.misvm import MiSvmBag, MiSvmInstance
from mimlpaper.baselines.mlknn import MlKnn
from mimlpaper.baselines.mlsvm import MlSvm
from mimlpaper.baselines.ranksvm import RankSvm
from mimlpaper.datasets import load, make_bags
from mimlpaper.experiments.experiment import PROFILES
from mimlpaper.experiments.protocol import get_experiment
from mimlpaper.experiments.section5_methods import FIXED
from mimlpaper.experiments.trial import Trial
from mimlpaper.preprocessing import ConcatenateInstances

__all__ = [
    "BASE", "MANY_LABELS", "ONE_LABEL", "OWN", "PEERS", "SIZES", "TABLE_OF", "CostCase",
    "cost_cases", "drawn_sizes", "estimator_of", "is_installed", "problem_of",
]  # fmt: skip

OWN = "mimlpaper"


@dataclass(frozen=True)
class CostCase:
    """One fit to be measured.

    Parameters
    ----------
    study : {"sets", "sizes", "peers"}
    dataset : str, of the paper, or drawn.
    method : str, as the paper prints it.
    library : str, who implements it; one of the method's :data:`PEERS`, or this library.
    """

    study: str
    dataset: str
    method: str
    library: str = OWN


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
    """Of a bag the instances end to end."""
    return make_pipeline(ConcatenateInstances(), estimator)


MANY_LABELS = {
    "MimlBoost": MimlBoost(n_rounds=50),
    "MimlSvm": MimlSvm(),
    "MimlSvm_mi": MimlSvmMi(),
    "MimlNn": MimlNn(),
    "D-MimlSvm": DMimlSvm(),
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
    "Ch-Fd": ChFd(gamma=5.0),
}
SMOKE_METHODS = ("MimlNn", "Ml-knn", "Ch-Fd")


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


# Study "peers": data, then each implementation with the package that it needs.
PEERS = {
    "MimlBoost": ("drawn:80x8x4", {
        OWN: (MimlBoost(n_rounds=10), "sklearn"),
        "LIBSVM on all pairs": (MimlBoost(n_rounds=10, solver="libsvm"), "sklearn"),
    }),
    "MimlNn": ("drawn:200x8x4", {
        OWN: (MimlNn(), "sklearn"),
        "distances by SciPy": (MimlNn(metric=scipy_hausdorff), "scipy"),
    }),
    "D-MimlSvm": ("drawn:32x4x4", {
        OWN: (DMimlSvm(), "sklearn"),
        "CVXPY": (DMimlSvm(solver="cvxpy"), "cvxpy"),
        "Table 8 as printed": (DMimlSvm(solver="cutting_plane"), "sklearn"),
    }),
    "MlSvm": ("drawn:1600x8x8", {
        OWN: (_on_vectors(MlSvm(gamma=0.1)), "sklearn"),
        "scikit-learn": (_on_vectors(OneVsRestClassifier(SVC(gamma=0.1))), "sklearn"),
    }),
    "Ml-knn": ("drawn:1600x8x8", {
        OWN: (_on_vectors(MlKnn()), "sklearn"),
        "scikit-multilearn-ng": (_on_vectors(ScikitMultilearnKnn()), "skmultilearn"),
    }),
}  # fmt: skip
SMOKE_PEERS = {"MlSvm": "drawn:80x4x4", "Ml-knn": "drawn:80x4x4"}
N_NEW = 200  # drawn bags beside the training bags, to see whether peers rank labels alike


def cost_cases(profile: str = "paper") -> list[CostCase]:
    """Every case of a profile; those of "quick" are the three smallest of each size."""
    if profile not in PROFILES:
        raise ValueError(f"profile must be one of {list(PROFILES)}, got {profile!r}")
    smoke = profile == "smoke"
    sets = SMOKE_SETS if smoke else SETS
    methods = {dataset: _methods_on(dataset) for dataset in sets}
    cases = [CostCase("sets", dataset, m) for dataset in sets for m in methods[dataset]]
    cases += [
        CostCase("sizes", dataset, method)
        for method in (*MANY_LABELS, *ONE_LABEL)
        for dataset in _drawn_names(method, profile)
    ]
    cases += [
        CostCase("peers", SMOKE_PEERS[method] if smoke else dataset, method, library)
        for method, (dataset, libraries) in PEERS.items()
        for library in libraries
        if not smoke or method in SMOKE_PEERS
    ]
    if smoke:
        cases = [c for c in cases if c.study == "peers" or c.method in SMOKE_METHODS]
    return cases


def _methods_on(dataset):
    experiment = get_experiment(TABLE_OF[dataset])
    own = FIXED.get(dataset, {}).keys()  # D-MimlSvm is in no table
    return [*experiment.methods, *own]


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
    """Bags, instances of each and labels of "drawn:400x8x4"."""
    n_bags, n_instances, n_labels = dataset.removeprefix("drawn:").split("x")
    return int(n_bags), int(n_instances), int(n_labels)


def is_installed(case: CostCase) -> bool:
    """Whether the package behind the case's library is there."""
    needed = PEERS[case.method][1][case.library][1] if case.study == "peers" else "sklearn"
    return find_spec(needed) is not None


def estimator_of(case: CostCase):
    """The case's estimator, unfitted and unseeded."""
    if case.study == "peers":
        return PEERS[case.method][1][case.library][0]
    if case.study == "sizes":
        return (MANY_LABELS | ONE_LABEL)[case.method]
    if case.method in FIXED.get(case.dataset, {}):
        return FIXED[case.dataset][case.method]
    experiment = get_experiment(TABLE_OF[case.dataset])
    return experiment.estimator(Trial(experiment.name, case.dataset, case.method, "{}", 0))


def problem_of(case: CostCase, data_home=None):
    """The case's data: (X, labels) for training, (X, labels) for testing, or None without a test.

    Labels are (n_bags, n_labels), or of multi-instance methods (n_bags,).
    """
    if case.study == "sets":
        dataset = load(case.dataset, data_home=data_home)
        splits = get_experiment(TABLE_OF[case.dataset]).splits
        labels = dataset.y if dataset.Y is None else dataset.Y
        return tuple((dataset.X[part], labels[part]) for part in splits.indices(dataset, 0))
    n_bags, n_instances, n_labels = drawn_sizes(case.dataset)
    n_new = N_NEW if case.study == "peers" else 0
    X, Y = make_bags(n_bags + n_new, n_instances, n_labels)
    labels = Y[:, 0] if case.method in ONE_LABEL else Y
    train = X[:n_bags], labels[:n_bags]
    return train, (X[n_bags:], labels[n_bags:]) if n_new else None
