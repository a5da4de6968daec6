"""Multi-instance multi-label learning: the companion of Zhou, Zhang, Huang and Li (2012)."""

from mimlpaper.algorithms.differentiation import (
    DifferenceFeatures,
    NeighbourMeans,
    PrototypeDifferences,
)
from mimlpaper.algorithms.insdif import InsDif
from mimlpaper.algorithms.medoid_map import MedoidMap
from mimlpaper.algorithms.mimlboost import MimlBoost
from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.bags import Bags
from mimlpaper.baselines.adtboost_mh import AdtBoostMH
from mimlpaper.baselines.cnmf import Cnmf
from mimlpaper.baselines.mlknn import MlKnn
from mimlpaper.baselines.mlsvm import MlSvm
from mimlpaper.baselines.ranksvm import RankSvm
from mimlpaper.distances import max_hausdorff
from mimlpaper.explain import explain, telling_features
from mimlpaper.medoids import KMedoids
from mimlpaper.metrics import evaluate
from mimlpaper.preprocessing import ConcatenateInstances, OnInstances, SumInstances

__all__ = [
    "AdtBoostMH",
    "Bags",
    "Cnmf",
    "ConcatenateInstances",
    "DifferenceFeatures",
    "InsDif",
    "KMedoids",
    "MedoidMap",
    "MimlBoost",
    "MimlNn",
    "MimlSvm",
    "MimlSvmMi",
    "MlKnn",
    "MlSvm",
    "NeighbourMeans",
    "OnInstances",
    "PrototypeDifferences",
    "RankSvm",
    "SumInstances",
    "evaluate",
    "explain",
    "max_hausdorff",
    "telling_features",
]

__version__ = "0.1.0"
