"""Every learner once, with settings for small data, and the input that each takes."""

import mimlpaper as miml
from mimlpaper.baselines.binary_relevance import LabelFrequencies
from mimlpaper.preprocessing import SumInstances

OF_BAGS = [
    miml.DMimlSvm(rank=None, imbalance=False, random_state=0),
    miml.MimlBoost(n_rounds=5, rank=None, random_state=0),
    miml.MimlNn(random_state=0),
    miml.MimlSvm(random_state=0),
    miml.MimlSvmMi(rank=None, max_alternations=3, random_state=0),
    miml.NoisyOr(rank=None, random_state=0),
    LabelFrequencies(),
]
OF_VECTORS = [
    miml.AdtBoostMH(),
    miml.Cnmf(),
    miml.InsDif(learner=miml.MimlNn(random_state=0)),
    miml.MlSvm(),
    miml.MlKnn(n_neighbors=3),
    miml.RankSvm(random_state=0),
]
OF_ONE_LABEL = [
    miml.ChFd(rank=None, random_state=0),
    miml.DiverseDensity(initial_scale=1.0, random_state=0),
    miml.EmDd(initial_scale=1.0, threshold="learned", random_state=0),
    miml.MiSvmBag(gamma=3.0, C=10.0, random_state=0),
    miml.MiSvmInstance(gamma=3.0, C=10.0, random_state=0),
    miml.SubCod(n_concepts=6, kept_share=0.7, random_state=0),
    miml.OneLabel(miml.MimlNn(random_state=0)),
]
CLASSIFIER = miml.MimlClassifier({"MimlNn": miml.MimlNn()})
KINDS_OF_VECTORS = (
    *map(type, OF_VECTORS),
    miml.NeighbourMeans,
    miml.DifferenceFeatures,
)


def input_of(estimator, bags):
    """Bags, or one vector a bag for the estimators of single instances."""
    if isinstance(estimator, KINDS_OF_VECTORS):
        return SumInstances().fit_transform(bags)
    return bags


def name_of(estimator):
    return type(estimator).__name__
