"""What fits cost: single fits on data of the paper, on drawn bags of many sizes, and by peers.

"drawn:400x8x4" is 400 drawn bags of 8 instances with 4 labels. Costs belong to a machine.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import directed_hausdorff
from sklearn.base import BaseEstimator
from sklearn.linear_model import RidgeClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from mimlpaper import ConcatenateInstances, MlKnn, MlSvm
from mimlpaper.algorithms import (
    dmimlsvm,
    insdif,
    medoid_map,
    mimlboost,
    mimlnn,
    mimlsvm,
    mimlsvm_mi,
    subcod,
)
from mimlpaper.baselines import adtboost_mh, diverse_density, misvm, ranksvm
from mimlstudy.engine.trials import Experiment, Part, Splits
from mimlstudy.paper import section4, section5, section6, section7
from mimlstudy.paper.measures import COST_MEASURE

# Fitted to the training part of a table's first split, with the settings closest to print.
TABLE_OF_SET = {
    "scene": "table1",
    "reuters": "table2",
    "yeast": "table3",
    "yahoo:Arts": "table4",
    "musk2": "table5",
    "elephant": "table5",
}

# One size varies, the others stay as in BASE.
SIZES = {
    "bags": (200, 400, 800, 1600, 3200),
    "instances": (2, 4, 8, 16, 32),
    "labels": (4, 8, 12, 20, 32),
}
BASE = {"bags": 400, "instances": 8, "labels": 8}


@dataclass(frozen=True)
class LastForTest(Splits):
    """One division: the last ``n_test`` examples are tested, the others train."""

    n_test: int = 0

    def indices(self, dataset, split):
        rows = np.arange(len(dataset))
        return rows[: len(rows) - self.n_test], rows[len(rows) - self.n_test :]


def _on_vectors(estimator):
    return make_pipeline(ConcatenateInstances(), estimator)


# Kernel factors have one rank, so that what grows is the method.
MANY_LABELS = {
    "MimlBoost": mimlboost.MimlBoost(n_rounds=50, rank=300),
    "MimlSvm": mimlsvm.MimlSvm(),
    "MimlSvm_mi": mimlsvm_mi.MimlSvmMi(rank=300),
    "MimlNn": mimlnn.MimlNn(),
    "D-MimlSvm": dmimlsvm.DMimlSvm(rank=300),
    "InsDif": _on_vectors(insdif.InsDif()),
    "AdtBoost.MH": _on_vectors(adtboost_mh.AdtBoostMH(n_rounds=25)),
    "RankSvm": _on_vectors(ranksvm.RankSvm(degree=3)),
    "MlSvm": _on_vectors(MlSvm()),
    "Ml-knn": _on_vectors(MlKnn(n_neighbors=10)),
}
ONE_LABEL = {
    "SubCod": subcod.SubCod(n_concepts=30),
    "Diverse Density": diverse_density.DiverseDensity(n_start_bags=3, initial_scale=0.3),
    "Em-dd": diverse_density.EmDd(n_start_bags=3, initial_scale=0.3),
    "mi-Svm": misvm.MiSvmInstance(gamma=5.0, C=10.0, rank=300),
    "Mi-Svm": misvm.MiSvmBag(gamma=5.0, C=10.0, rank=300),
    "Ch-Fd": misvm.ChFd(gamma=5.0, rank=300),
}

# What grows with the bags, not with their square, on many bags.
LARGE = {
    "MimlNn, landmarks": make_pipeline(
        medoid_map.LandmarkMap(),
        OneVsRestClassifier(RidgeClassifier(fit_intercept=False)),
    ),
    "MimlSvm, landmarks": make_pipeline(
        medoid_map.LandmarkMap(),
        insdif.SingleInstances(),
        mimlsvm_mi.MimlSvmMi(C=10.0, rank=300),
    ),
    "MimlBoost, linear": mimlboost.MimlBoost(n_rounds=10, kernel="linear", label_code="product"),
    "MimlSvm_mi, linear": mimlsvm_mi.MimlSvmMi(kernel="linear"),
    "D-MimlSvm, linear": dmimlsvm.DMimlSvm(kernel="linear"),
}
# Doublings, so that an exponent can be read from neighbours.
LARGE_BAGS = (6250, 12500, 25000, 50000, 100000)


def scipy_hausdorff(A, B) -> np.ndarray:
    """Max-Hausdorff distances (n_a, n_b) by SciPy, which takes one direction of one pair."""
    distances = np.empty((len(A), len(B)))
    for i, a in enumerate(A):
        for j, b in enumerate(B):
            there, *_ = directed_hausdorff(a, b)
            back, *_ = directed_hausdorff(b, a)
            distances[i, j] = max(there, back)
    return distances


class ScikitMultilearnKnn(BaseEstimator):
    """ML-kNN of scikit-multilearn-ng, which counts a training example as its own neighbour."""

    needs = "skmultilearn"  # the engine leaves out trials whose package is not installed

    def __init__(self, *, k=10):
        self.k = k

    def fit(self, X, Y):
        from skmultilearn.adapt import MLkNN

        self.classifier_ = MLkNN(k=self.k).fit(X, Y.astype(int))
        return self

    def decision_function(self, X) -> np.ndarray:
        """Probabilities of the labels: (n_examples, n_labels)."""
        return self.classifier_.predict_proba(X).toarray()


# Implementations of one method on the same bags, ours first; the last ``N_PEER_TEST`` bags are for
# testing. No size above is repeated here: those fits train on all bags.
N_PEER_TEST = 200
PEERS = {
    "drawn:600x8x4": {
        "MimlNn": mimlnn.MimlNn(),
        "MimlNn, distances by SciPy": mimlnn.MimlNn(metric=scipy_hausdorff),
    },
    "drawn:232x4x4": {
        "D-MimlSvm": dmimlsvm.DMimlSvm(),
        "D-MimlSvm, CVXPY": dmimlsvm.DMimlSvm(solver="cvxpy"),
        "D-MimlSvm, Table 8 as printed": dmimlsvm.DMimlSvm(solver="cutting_plane"),
    },
    "drawn:1800x8x8": {
        "MlSvm": _on_vectors(MlSvm(gamma=0.1)),
        "MlSvm, scikit-learn": _on_vectors(OneVsRestClassifier(SVC(gamma=0.1))),
        "Ml-knn": _on_vectors(MlKnn()),
        "Ml-knn, scikit-multilearn-ng": _on_vectors(ScikitMultilearnKnn()),
    },
}


def _on_sets():
    """The methods of each table, and D-MimlSvm, which is in none."""
    sections = (*section4.SECTION4, *section6.SECTION6, *section7.SECTION7)
    first_parts = {experiment.name: experiment.parts[0] for experiment in sections}
    base = section5.BASE_SETTING
    for dataset, table in TABLE_OF_SET.items():
        part = first_parts[table]
        methods = dict(part.configurations)
        if dataset in base:
            methods["D-MimlSvm"] = base
        yield Part((dataset,), part.splits.first(1), methods)


def _drawn(*varied):
    """Names of data of which one of the sizes is varied, each once."""
    names = []
    for name in varied:
        for size in SIZES[name]:
            sizes = BASE | {name: size}
            names.append("drawn:{bags}x{instances}x{labels}".format(**sizes))
    return tuple(dict.fromkeys(names))


COSTS_EXPERIMENT = Experiment(
    "costs",
    "Costs",
    (
        *_on_sets(),
        Part(_drawn(*SIZES), LastForTest(1), MANY_LABELS),
        Part(_drawn("bags", "instances"), LastForTest(1), ONE_LABEL),
        Part(
            tuple(f"drawn:{n_bags}x8x8" for n_bags in LARGE_BAGS),
            LastForTest(1),
            LARGE,
        ),
        *(Part((name,), LastForTest(1, N_PEER_TEST), peers) for name, peers in PEERS.items()),
    ),
    COST_MEASURE,
    smoke_splits=1,
)
