"""Distances between bags, and whether a matrix of them fits into memory."""

import numpy as np
from psutil import virtual_memory
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import rbf_kernel

from mimlpaper.bags import as_bags

ROUNDING = 1e-12  # smallest squared distance that is not 0


def max_hausdorff(A, B=None) -> np.ndarray:
    """Maximal Hausdorff distance between each bag of A and each bag of B (Eq. 2).

    d_H(A, B) = max{ max_a min_b ||a - b||, max_b min_a ||b - a|| }. A and B are Bags or lists of
    2-D arrays; ``B=None`` stands for A. Returns (n_bags_A, n_bags_B).
    """
    bags_a, bags_b = _two_sets(A, B)
    distances = np.empty((len(bags_a), len(bags_b)))
    for i, bag in enumerate(bags_a):
        first = i if B is None else 0  # the distances before it are known by symmetry
        instances = bags_b.instances[bags_b.offsets[first] :]
        starts = bags_b.offsets[first:-1] - bags_b.offsets[first]
        squares = cdist(bag, instances, "sqeuclidean")  # no accuracy is lost to cancellation
        from_a = np.minimum.reduceat(squares, starts, axis=1).max(axis=0)  # no bag is empty
        from_b = np.maximum.reduceat(squares.min(axis=0), starts)
        distances[i, first:] = np.sqrt(np.maximum(from_a, from_b))
        if B is None:
            distances[i:, i] = distances[i, i:]
    return distances


def average_hausdorff(A, B=None) -> np.ndarray:
    """Mean distance of the instances of two bags to the nearest instance of the other.

    (Σ_a min_b ||a - b|| + Σ_b min_a ||b - a||) / (|A| + |B|), with the arguments and the shape of
    :func:`max_hausdorff`. Source: Zhang and Zhou, Multi-instance clustering, Appl. Intell., 2009.
    """
    bags_a, bags_b = _two_sets(A, B)
    distances = np.empty((len(bags_a), len(bags_b)))
    for i, bag in enumerate(bags_a):  # as above
        first = i if B is None else 0
        instances = bags_b.instances[bags_b.offsets[first] :]
        starts = bags_b.offsets[first:-1] - bags_b.offsets[first]
        squares = cdist(bag, instances, "sqeuclidean")
        to_b = np.sqrt(np.minimum.reduceat(squares, starts, axis=1)).sum(axis=0)
        to_a = np.add.reduceat(np.sqrt(squares.min(axis=0)), starts)
        distances[i, first:] = (to_a + to_b) / (len(bag) + bags_b.sizes[first:])
        if B is None:
            distances[i:, i] = distances[i, i:]
    return distances


def set_kernel_distance(A, B=None, *, gamma: float = 1.0) -> np.ndarray:
    """Distance in the space of the normalised set kernel, the alternative of Section 4.2.

    √(2 - 2 k(A, B)) with k(A, B) = Σ_ab exp(-γ||a - b||²) / √(k_AA k_BB), k_AA the sum in a bag,
    with the arguments and the shape of :func:`max_hausdorff`.
    Source: Gärtner, Flach, Kowalczyk and Smola, Multi-instance kernels, ICML 2002.
    """
    sets = bags_a, bags_b = _two_sets(A, B)
    lengths = [np.sqrt([rbf_kernel(bag, gamma=gamma).sum() for bag in bags]) for bags in sets]
    kernels = (rbf_kernel(bag, bags_b.instances, gamma=gamma) for bag in bags_a)
    sums = np.stack([bags_b.sum(kernel.sum(axis=0)) for kernel in kernels])
    squares = 2.0 - 2.0 * (sums / np.outer(*lengths))
    return np.sqrt(np.where(squares > ROUNDING, squares, 0.0))


def _two_sets(A, B):
    bags_a = as_bags(A)
    bags_b = bags_a if B is None else as_bags(B)
    if bags_a.n_features != bags_b.n_features:
        sizes = bags_a.n_features, bags_b.n_features
        raise ValueError(f"A and B must have the same number of features, got {sizes}")
    return bags_a, bags_b


def check_memory(n_bytes: float, what: str, advice: str):
    """Raise a MemoryError if fewer bytes are free than ``what`` needs, with ``advice``."""
    needed, free = n_bytes / 2**30, virtual_memory().available / 2**30
    if needed > free:
        raise MemoryError(f"{what} need {needed:.1f} GiB of memory, {free:.1f} are free; {advice}")
