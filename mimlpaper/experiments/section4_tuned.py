"""The fair fight: every algorithm with scaled features, the T-Criterion, and tuned parameters.

Each method of Tables 1 and 2 gets the grid of its own parameters and one hold-out test on a
quarter of the training set, judged by average precision.
"""

from __future__ import annotations

from sklearn.preprocessing import Normalizer

from mimlpaper.algorithms.mimlboost import MimlBoost
from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.baselines.adtboost_mh import AdtBoostMH
from mimlpaper.baselines.mlknn import MlKnn
from mimlpaper.baselines.mlsvm import MlSvm
from mimlpaper.baselines.ranksvm import RankSvm
from mimlpaper.experiments.grids import by_hold_out
from mimlpaper.experiments.section4_methods import UNIT_RANGE, UNIT_ROWS
from mimlpaper.preprocessing import ConcatenateInstances, SumInstances

__all__ = ["TUNED"]

COSTS = [1.0, 10.0]


TUNED = {
    "scene": {
        "MimlBoost": by_hold_out(
            UNIT_RANGE, MimlBoost(label_rule="top"),
            label_code=["feature", "onehot"], gamma=[1.0, 3.0],
        ),
        "MimlSvm": by_hold_out(
            UNIT_RANGE, MimlSvm(), ratio=[0.2, 0.4], gamma=[0.05, 0.2, 0.8], C=COSTS
        ),
        "MimlSvm_mi": by_hold_out(
            UNIT_RANGE, MimlSvmMi(gamma=5.0), C=[3.0, 10.0], max_alternations=[1, 2, 15]
        ),
        "MimlNn": by_hold_out(
            UNIT_RANGE, MimlNn(label_rule="top"), ratio=[0.2, 0.4, 0.8], ridge=[0.1, 1.0, 10.0]
        ),
        "AdtBoost.MH": by_hold_out(
            ConcatenateInstances(), AdtBoostMH(label_rule="top"), n_rounds=[25, 50]
        ),
        "RankSvm": by_hold_out(
            UNIT_RANGE, ConcatenateInstances(), RankSvm(label_rule="top"),
            degree=list(range(2, 10)),
        ),
        "MlSvm": by_hold_out(
            UNIT_RANGE, ConcatenateInstances(), MlSvm(), gamma=[0.03, 0.1, 0.3, 1.0], C=COSTS
        ),
        "Ml-knn": by_hold_out(
            UNIT_RANGE, ConcatenateInstances(), MlKnn(label_rule="top"),
            n_neighbors=[5, 10, 20, 40],
        ),
    },
    "reuters": {
        "MimlBoost": by_hold_out(
            UNIT_ROWS, MimlBoost(kernel="linear", label_code="product", label_rule="top"),
            C=[0.01, 0.1, 1.0],
        ),
        "MimlSvm": by_hold_out(
            UNIT_ROWS, MimlSvm(), ratio=[0.2, 0.4], gamma=[0.05, 0.2, 0.8], C=COSTS
        ),
        "MimlSvm_mi": by_hold_out(
            UNIT_ROWS, MimlSvmMi(kernel="linear"), C=[1.0, 10.0], max_alternations=[1, 2, 5]
        ),
        "MimlNn": by_hold_out(
            UNIT_ROWS, MimlNn(label_rule="top"), ratio=[0.2, 0.4, 0.8], ridge=[0.1, 1.0, 10.0]
        ),
        "AdtBoost.MH": by_hold_out(SumInstances(), AdtBoostMH(label_rule="top"), n_rounds=[25, 50]),
        "RankSvm": by_hold_out(
            SumInstances(), RankSvm(label_rule="top"), degree=list(range(2, 10))
        ),
        "MlSvm": by_hold_out(
            SumInstances(), Normalizer(), MlSvm(), gamma=[0.3, 1.0, 3.0], C=COSTS
        ),
        "Ml-knn": by_hold_out(
            SumInstances(), Normalizer(), MlKnn(label_rule="top"), n_neighbors=[5, 10, 20, 40]
        ),
    },
}  # fmt: skip
