"""Multi-instance multi-label learning: the companion of Zhou, Zhang, Huang and Li (2012).

Names are imported when they are first used, so that ``import mimlpaper`` takes no time.
"""

from importlib import import_module

HOMES = {
    "algorithms.dmimlsvm": "DMimlSvm",
    "algorithms.insdif": (
        "DifferenceFeatures InsDif NeighbourMeans PrototypeDifferences SingleInstances"
    ),
    "algorithms.mimlboost": "MimlBoost",
    "algorithms.medoid_map": "KMedoids LandmarkMap MedoidMap",
    "algorithms.mimlnn": "MimlNn",
    "algorithms.mimlsvm": "MimlSvm",
    "algorithms.mimlsvm_mi": "MimlSvmMi",
    "algorithms.noisy_or": "NoisyOr",
    "algorithms.subcod": "OneLabel SubCod",
    "bags": "Bags",
    "baselines.adtboost_mh": "AdtBoostMH",
    "baselines.binary_relevance": "MlKnn MlSvm",
    "baselines.cnmf": "Cnmf",
    "baselines.diverse_density": "DiverseDensity EmDd",
    "baselines.misvm": "ChFd MiSvmBag MiSvmInstance",
    "baselines.ranksvm": "RankSvm",
    "classifier": "MimlClassifier",
    "distances": "max_hausdorff",
    "explanations": "explain telling_features",
    "metrics": "evaluate scorers",
    "preprocessing": ("BagStatistics ConcatenateInstances MeanInstances OnInstances SumInstances"),
}
HOME = {name: module for module, names in HOMES.items() for name in names.split()}

__all__ = sorted(HOME)
__version__ = "0.1.0"


def __getattr__(name: str):
    if name not in HOME:
        raise AttributeError(f"module mimlpaper has no attribute {name!r}")
    home = import_module(f"mimlpaper.{HOME[name]}")
    # Kept, so that the next use finds it without a call.
    globals()[name] = getattr(home, name)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *HOME})
