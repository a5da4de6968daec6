"""Multi-instance multi-label learning: the companion of Zhou, Zhang, Huang and Li (2012).

Names are imported when they are first used, so that ``import mimlpaper`` takes no time.
"""

from importlib import import_module

HOMES = {
    "AdtBoostMH": "baselines.adtboost_mh",
    "Bags": "bags",
    "ChFd": "baselines.misvm",
    "Cnmf": "baselines.cnmf",
    "ConcatenateInstances": "preprocessing",
    "DMimlSvm": "algorithms.dmimlsvm",
    "DifferenceFeatures": "algorithms.insdif",
    "DiverseDensity": "baselines.diverse_density",
    "EmDd": "baselines.diverse_density",
    "InsDif": "algorithms.insdif",
    "KMedoids": "medoids",
    "LandmarkMap": "algorithms.medoid_map",
    "MeanInstances": "preprocessing",
    "MedoidMap": "algorithms.medoid_map",
    "MiSvmBag": "baselines.misvm",
    "MiSvmInstance": "baselines.misvm",
    "MimlBoost": "algorithms.mimlboost",
    "MimlClassifier": "classifier",
    "MimlNn": "algorithms.mimlnn",
    "MimlSvm": "algorithms.mimlsvm",
    "MimlSvmMi": "algorithms.mimlsvm_mi",
    "MlKnn": "baselines.mlknn",
    "MlSvm": "baselines.mlsvm",
    "NeighbourMeans": "algorithms.insdif",
    "NoisyOr": "algorithms.noisy_or",
    "OnInstances": "preprocessing",
    "OneLabel": "algorithms.subcod",
    "PrototypeDifferences": "algorithms.insdif",
    "RankSvm": "baselines.ranksvm",
    "SingleInstances": "algorithms.insdif",
    "SubCod": "algorithms.subcod",
    "SumInstances": "preprocessing",
    "evaluate": "metrics",
    "explain": "reasons",
    "max_hausdorff": "distances",
    "scorers": "metrics",
    "telling_features": "reasons",
}

__all__ = [*HOMES]

__version__ = "0.1.0"


def __getattr__(name: str):
    if name not in HOMES:
        raise AttributeError(f"module mimlpaper has no attribute {name!r}")
    globals()[name] = getattr(import_module(f"mimlpaper.{HOMES[name]}"), name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *HOMES})
