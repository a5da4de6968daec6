"""The average Hausdorff distance, for learners that take any distance between bags."""

from __future__ import annotations

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.extmath import row_norms

from mimlpaper.bags import as_bags

__all__ = ["average_hausdorff"]


def average_hausdorff(A, B=None) -> np.ndarray:
    """Mean distance of the instances of two bags to the nearest instance of the other.

    (Σ_a min_b ||a - b|| + Σ_b min_a ||b - a||) / (|A| + |B|). It asks how the bags lie as
    wholes, where :func:`~mimlpaper.distances.max_hausdorff` asks for the one instance that lies
    farthest off. Pass it as ``metric`` to MimlNn or MimlSvm.

    Parameters
    ----------
    A, B : Bags or lists of 2-D arrays; ``B=None`` stands for A.

    Returns
    -------
    distances : (n_bags_A, n_bags_B)

    References
    ----------
    Zhang and Zhou, Multi-instance clustering with applications to multi-instance prediction,
    Applied Intelligence 31, 2009.
    """
    bags_a = as_bags(A)
    bags_b = bags_a if B is None else as_bags(B)
    if bags_a.n_features != bags_b.n_features:
        raise ValueError(
            f"A and B must have the same number of features, got {bags_a.n_features} and "
            f"{bags_b.n_features}"
        )
    instances, starts = bags_b.instances, bags_b.offsets[:-1]
    squares = row_norms(instances, squared=True)
    distances = np.full((len(bags_a), len(bags_b)), np.nan)
    for i, bag in enumerate(bags_a):
        apart = euclidean_distances(bag, instances, Y_norm_squared=squares)
        to_b = np.minimum.reduceat(apart, starts, axis=1).sum(axis=0)  # no bag is empty
        to_a = bags_b.sum(apart.min(axis=0))
        distances[i] = (to_a + to_b) / (len(bag) + bags_b.sizes)
    return distances
