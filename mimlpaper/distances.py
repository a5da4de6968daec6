"""Distances between bags."""

import numpy as np
from numba import njit
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel
from sklearn.utils.extmath import row_norms

from mimlpaper.bags import as_bags

BLOCK = 512  # instances of B held together: their columns stay in the first-level caches


def max_hausdorff(A, B=None) -> np.ndarray:
    """Maximal Hausdorff distance between each bag of A and each bag of B (Eq. 2).

    d_H(A, B) = max{ max_a min_b ||a - b||, max_b min_a ||b - a|| }, Euclidean between
    instances. Differences are squared and summed feature by feature, so that equal bags are
    at distance exactly 0 and no accuracy is lost to cancellation.

    A and B are Bags or lists of 2-D arrays; ``B=None`` stands for A (half the work). Returns
    (n_bags_A, n_bags_B).
    """
    bags_a, bags_b = _two_sets(A, B)
    distances = np.full((len(bags_a), len(bags_b)), np.nan)  # what is missed would be seen
    columns = np.ascontiguousarray(bags_b.instances.T)  # (n_features, n_instances_B)
    starts = _block_starts(bags_b.offsets)
    _fill(distances, bags_a.instances, bags_a.offsets, columns, bags_b.offsets, starts, B is None)
    if B is None:
        lower = np.tril_indices(len(bags_a), -1)
        distances[lower] = distances.T[lower]
    return distances


def average_hausdorff(A, B=None) -> np.ndarray:
    """Mean distance of the instances of two bags to the nearest instance of the other.

    (Σ_a min_b ||a - b|| + Σ_b min_a ||b - a||) / (|A| + |B|), with the arguments and the shape of
    :func:`max_hausdorff`, which asks for the one instance that lies farthest off. Pass it as
    ``metric`` to MimlNn or MimlSvm.

    Source: Zhang and Zhou, Multi-instance clustering with applications to multi-instance
    prediction, Applied Intelligence 31, 2009.
    """
    bags_a, bags_b = _two_sets(A, B)
    instances, starts = bags_b.instances, bags_b.offsets[:-1]
    squares = row_norms(instances, squared=True)
    distances = np.full((len(bags_a), len(bags_b)), np.nan)
    for i, bag in enumerate(bags_a):
        apart = euclidean_distances(bag, instances, Y_norm_squared=squares)
        to_b = np.minimum.reduceat(apart, starts, axis=1).sum(axis=0)  # no bag is empty
        to_a = bags_b.sum(apart.min(axis=0))
        distances[i] = (to_a + to_b) / (len(bag) + bags_b.sizes)
    return distances


def set_kernel_distance(A, B=None, *, gamma: float = 1.0) -> np.ndarray:
    """Distance in the space of the set kernel: ||φ(A) - φ(B)||, with φ a bag's sum of unit length.

    √(2 - 2 k(A, B)) with k(A, B) = Σ_ab exp(-γ||a - b||²) / √(k_AA k_BB), k_AA being the sum
    within a bag. The alternative that Section 4.2 names to :func:`max_hausdorff`, with the same
    arguments and shape. The default width ``gamma`` is meant for features scaled to [0, 1].

    Source: Gärtner, Flach, Kowalczyk and Smola, Multi-instance kernels, ICML 2002.
    """
    bags_a, bags_b = _two_sets(A, B)
    lengths = [
        np.sqrt([rbf_kernel(bag, gamma=gamma).sum() for bag in bags]) for bags in (bags_a, bags_b)
    ]
    similarity = np.full((len(bags_a), len(bags_b)), np.nan)
    for i, bag in enumerate(bags_a):
        similarity[i] = bags_b.sum(rbf_kernel(bag, bags_b.instances, gamma=gamma).sum(axis=0))
    similarity /= np.outer(*lengths)
    return np.sqrt(np.maximum(2.0 - 2.0 * similarity, 0.0))


def _two_sets(A, B):
    bags_a = as_bags(A)
    bags_b = bags_a if B is None else as_bags(B)
    if bags_a.n_features != bags_b.n_features:
        raise ValueError(
            f"A and B must have the same number of features, got {bags_a.n_features} and "
            f"{bags_b.n_features}"
        )
    return bags_a, bags_b


def _block_starts(offsets):
    """First bag of each block of about ``BLOCK`` instances, and the end: (n_blocks + 1,)."""
    starts = [0]
    for bag in range(1, len(offsets) - 1):
        if offsets[bag + 1] - offsets[starts[-1]] > BLOCK:
            starts.append(bag)
    return np.array([*starts, len(offsets) - 1])


@njit(cache=True, nogil=True)
def _fill(distances, instances, offsets_a, columns, offsets_b, starts, upper):
    """Fill the matrix of distances; only from the diagonal on if ``upper``."""
    n_features = columns.shape[0]
    widths = offsets_b[starts[1:]] - offsets_b[starts[:-1]]
    squares = np.empty(widths.max())
    nearest_a = np.empty(widths.max())  # of each b: the squared distance to its nearest a
    for block in range(len(starts) - 1):
        begin, width = offsets_b[starts[block]], widths[block]
        for i in range(len(offsets_a) - 1):
            if upper and starts[block + 1] <= i:
                continue
            farthest_a = np.zeros(starts[block + 1] - starts[block])  # max_a min_b, by bag of B
            nearest_a[:width] = np.inf
            for a in range(offsets_a[i], offsets_a[i + 1]):
                squares[:width] = 0.0
                for f in range(n_features):
                    value = instances[a, f]
                    column = columns[f, begin : begin + width]
                    for b in range(width):
                        difference = value - column[b]
                        squares[b] += difference * difference
                for b in range(width):
                    nearest_a[b] = min(nearest_a[b], squares[b])
                for j in range(starts[block], starts[block + 1]):
                    nearest_b = np.inf
                    for b in range(offsets_b[j] - begin, offsets_b[j + 1] - begin):
                        nearest_b = min(nearest_b, squares[b])
                    k = j - starts[block]
                    farthest_a[k] = max(farthest_a[k], nearest_b)
            for j in range(starts[block], starts[block + 1]):
                farthest = farthest_a[j - starts[block]]
                for b in range(offsets_b[j] - begin, offsets_b[j + 1] - begin):
                    farthest = max(farthest, nearest_a[b])  # the other direction
                distances[i, j] = np.sqrt(farthest)
