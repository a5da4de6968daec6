"""Multi-instance multi-label learning: the companion of Zhou, Zhang, Huang and Li (2012)."""

from mimlpaper.algorithms.differentiation import (
    DifferenceFeatures,
    NeighbourMeans,
    PrototypeDifferences,
    SingleInstances,
)
from mimlpaper.algorithms.dmimlsvm import DMimlSvm
from mimlpaper.algorithms.insdif import InsDif
from mimlpaper.algorithms.medoid_map import MedoidMap
from mimlpaper.algorithms.mimlboost import MimlBoost
from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.algorithms.one_label import OneLabel
from mimlpaper.algorithms.subcod import SubCod
from mimlpaper.bags import Bags
from mimlpaper.baselines.adtboost_mh import AdtBoostMH
from mimlpaper.baselines.chfd import ChFd
from mimlpaper.baselines.cnmf import Cnmf
from mimlpaper.baselines.diverse_density import DiverseDensity
from mimlpaper.baselines.emdd import EmDd
from mimlpaper.baselines.misvm import MiSvmBag, MiSvmInstance
from mimlpaper.baselines.mlknn import MlKnn
from mimlpaper.baselines.mlsvm import MlSvm
from mimlpaper.baselines.ranksvm import RankSvm
from mimlpaper.distances import max_hausdorff
from mimlpaper.explain import explain, telling_features
from mimlpaper.medoids import KMedoids
from mimlpaper.metrics import evaluate, scorers
from mimlpaper.preprocessing import ConcatenateInstances, OnInstances, SumInstances

__all__ = [
    "AdtBoostMH",
    "Bags",
    "ChFd",
    "Cnmf",
    "ConcatenateInstances",
    "DMimlSvm",
    "DifferenceFeatures",
    "DiverseDensity",
    "EmDd",
    "InsDif",
    "KMedoids",
    "MedoidMap",
    "MiSvmBag",
    "MiSvmInstance",
    "MimlBoost",
    "MimlNn",
    "MimlSvm",
    "MimlSvmMi",
    "MlKnn",
    "MlSvm",
    "NeighbourMeans",
    "OnInstances",
    "OneLabel",
    "PrototypeDifferences",
    "RankSvm",
    "SingleInstances",
    "SubCod",
    "SumInstances",
    "evaluate",
    "explain",
    "max_hausdorff",
    "scorers",
    "telling_features",
]

__version__ = "0.1.0"
