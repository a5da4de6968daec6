"""Multi-instance multi-label learning: the companion of Zhou, Zhang, Huang and Li (2012)."""

from mimlpaper.algorithms.medoid_map import MedoidMap
from mimlpaper.algorithms.mimlboost import MimlBoost
from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.bags import Bags
from mimlpaper.baselines.adtboost_mh import AdtBoostMH
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
    "ConcatenateInstances",
    "KMedoids",
    "MedoidMap",
    "MimlBoost",
    "MimlNn",
    "MimlSvm",
    "MimlSvmMi",
    "MlKnn",
    "MlSvm",
    "OnInstances",
    "RankSvm",
    "SumInstances",
    "evaluate",
    "explain",
    "max_hausdorff",
    "telling_features",
]

__version__ = "0.1.0"
