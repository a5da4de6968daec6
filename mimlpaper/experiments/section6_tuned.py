"""Tables 3 and 4 with tuned parameters: the T-Criterion and one hold-out test for every method.

As for Tables 1 and 2, the hold-out takes a quarter of the training set and is judged by average
precision. InsDif_MimlBoost is left out: it takes minutes a fit on the web pages.
"""

from __future__ import annotations

from mimlpaper.algorithms.differentiation import DifferenceFeatures
from mimlpaper.algorithms.insdif import InsDif
from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.baselines.adtboost_mh import AdtBoostMH
from mimlpaper.baselines.cnmf import Cnmf
from mimlpaper.baselines.mlknn import MlKnn
from mimlpaper.baselines.mlsvm import MlSvm
from mimlpaper.baselines.ranksvm import RankSvm
from mimlpaper.experiments.grids import by_hold_out
from mimlpaper.experiments.section6_methods import SPARSE

__all__ = ["TUNED"]

COSTS = [1.0, 10.0]
BY_MI_SVM = MimlSvmMi(kernel="linear", max_alternations=1)


def _methods(*first, costs):
    """The methods of one kind of data: first steps of their pipelines, costs of mi-SVM."""
    return {
        "InsDif": by_hold_out(
            *first, InsDif(learner=MimlNn(label_rule="top")),
            learner__ratio=[0.1, 0.2, 0.4], learner__ridge=[0.0, 0.01, 0.1, 1.0],
        ),
        "InsDif_MimlSvm": by_hold_out(
            *first, InsDif(learner=MimlSvm()),
            learner__ratio=[0.2, 0.4], learner__gamma=[0.05, 0.2, 0.8], learner__C=COSTS,
        ),
        "InsDif_MimlSvm_mi": by_hold_out(
            *first, InsDif(transformation=DifferenceFeatures(), learner=BY_MI_SVM),
            transformation__gamma=[0.2, 1.0], learner__C=costs,
        ),
        "AdtBoost.MH": by_hold_out(*first, AdtBoostMH(label_rule="top"), n_rounds=[25, 50]),
        "RankSvm": by_hold_out(*first, RankSvm(label_rule="top"), degree=list(range(2, 10))),
        "MlSvm": by_hold_out(*first, MlSvm(), gamma=[0.3, 1.0, 3.0], C=COSTS),
        "Ml-knn": by_hold_out(*first, MlKnn(label_rule="top"), n_neighbors=[5, 10, 20, 40]),
        "Cnmf": by_hold_out(
            *first, Cnmf(label_rule="top"), gamma=["scale", "auto"], C=[1.0, 100.0]
        ),
    }  # fmt: skip


TUNED = {"yeast": _methods(costs=COSTS), "yahoo": _methods(SPARSE, costs=[1.0])}
