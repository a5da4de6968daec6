"""Distances between bags, and whether a matrix of them fits into memory."""

import numpy as np
from psutil import virtual_memory
from scipy.sparse import csr_array
from sklearn.metrics.pairwise import rbf_kernel

from mimlpaper.bags import as_bags
from mimlpaper.combinations import Combinations, square_lengths
from mimlpaper.compiled import compiled

LEAST_SQUARE = 1e-12  # smallest squared distance that is not 0
NEAR = 1e-3  # share of the largest ||a||² + ||b||² below which ||a - b||² is summed itself
SPARSE = 0.2  # share of values that are not 0 below which products are those of sparse matrices
BYTES = 8  # of a number
CHUNK = 2**18  # products held at a time, 2 MiB
ORDINARY = 64  # float32 holds 2^±126


def max_hausdorff(A, B=None) -> np.ndarray:
    """Maximal Hausdorff distance between each bag of A and each bag of B (Eq. 2).

    d_H(A, B) = max{ max_a min_b ||a - b||, max_b min_a ||b - a|| }. A and B are Bags or lists of
    2-D arrays; ``B=None`` stands for A. Returns (n_bags_A, n_bags_B). Raises ValueError if they
    have different numbers of features.
    """
    return _hausdorff(A, B, average=False)


def average_hausdorff(A, B=None) -> np.ndarray:
    """Mean distance of the instances of two bags to the nearest instance of the other.

    (Σ_a min_b ||a - b|| + Σ_b min_a ||b - a||) / (|A| + |B|), with the arguments and the shape of
    :func:`max_hausdorff`. Source: Zhang and Zhou, Multi-instance clustering, Appl. Intell., 2009.
    """
    return _hausdorff(A, B, average=True)


def _hausdorff(A, B, *, average):
    """Both distances, from the products <a, b> of the instances of some bags of A with B's."""
    bags_a, bags_b = _two_sets(A, B)
    symmetric = B is None
    largest = bags_a.sizes.max()
    check_memory(
        BYTES * largest * bags_b.n_instances,
        f"the distances of a bag of {largest:,} instances to {bags_b.n_instances:,}",
        "split it, or leave some of its instances out",
    )
    points_a, points_b = _for_products(bags_a, bags_b)
    squares_a, squares_b = square_lengths(points_a), square_lengths(points_b)
    distances = np.empty((len(bags_a), len(bags_b)))
    for begin, end in _slices(bags_a, bags_b.n_instances):
        # Distances to bags before these are known by symmetry.
        begin_b = begin if symmetric else 0
        chosen = points_a[bags_a.offsets[begin] : bags_a.offsets[end]]
        _reduce(
            _take_from(points_b, bags_b.offsets[begin_b]) @ chosen.T,
            begin,
            end,
            begin_b,
            bags_a.offsets,
            bags_b.offsets,
            squares_a,
            squares_b,
            bags_a.instances,
            bags_b.instances,
            symmetric,
            average,
            distances,
        )
    return distances


def _for_products(bags_a, bags_b):
    """The instances of both, where B's may be combinations or sparse, else less the mean of B."""
    A, B = bags_a.instances, bags_b.instances
    if isinstance(bags_b.rows, Combinations):
        return A, bags_b.rows
    if np.count_nonzero(B) < SPARSE * B.size:
        return A, csr_array(B)
    mean = B.mean(axis=0)
    return A - mean, B - mean


def _take_from(rows, begin):
    return rows.take(slice(begin, None)) if isinstance(rows, Combinations) else rows[begin:]


def _slices(bags, n_rows):
    """Bags ``begin:end`` of few enough instances for columns of ``n_rows``, at least one each."""
    begin = 0
    while begin < len(bags):
        full = bags.offsets[begin] + CHUNK // n_rows
        end = max(begin + 1, int(np.searchsorted(bags.offsets, full, side="right")) - 1)
        yield begin, end
        begin = end


@compiled
def _reduce(
    products,
    begin,
    end,
    begin_b,
    offsets_a,
    offsets_b,
    squares_a,
    squares_b,
    A,
    B,
    symmetric,
    average,
    distances,
):
    """Write the distances of bags ``begin:end`` of A to those of B from ``begin_b`` on.

    The rows of ``products`` are instances of B, its columns those of A.
    """
    nearest_a = np.empty(np.diff(offsets_a).max())  # min_b ||a - b||²
    # A squared distance below this is the difference of two large numbers, without its digits.
    near = NEAR * (squares_a.max() + squares_b.max())
    top, left = offsets_b[begin_b], offsets_a[begin]
    for j in range(begin_b, len(offsets_b) - 1):
        n_b = offsets_b[j + 1] - offsets_b[j]
        for i in range(begin, min(end, j + 1) if symmetric else end):
            n_a = offsets_a[i + 1] - offsets_a[i]
            nearest_a[:n_a] = np.inf
            farthest, total = 0.0, 0.0
            for b in range(offsets_b[j], offsets_b[j + 1]):
                nearest_b = np.inf  # min_a ||a - b||²
                for k in range(n_a):
                    a = offsets_a[i] + k
                    product = products[b - top, a - left]
                    square = squares_a[a] + squares_b[b] - 2.0 * product
                    if square < near:
                        square = _square_distance(A, a, B, b)
                    nearest_b = min(nearest_b, square)
                    nearest_a[k] = min(nearest_a[k], square)
                farthest = max(farthest, nearest_b)
                total += np.sqrt(nearest_b)
            for k in range(n_a):
                farthest = max(farthest, nearest_a[k])
                total += np.sqrt(nearest_a[k])
            mean = total / (n_a + n_b)
            distances[i, j] = mean if average else np.sqrt(farthest)
            if symmetric:
                distances[j, i] = distances[i, j]


@compiled
def _square_distance(A, a, B, b):
    """||a - b||² of two rows, term by term."""
    square = 0.0
    for k in range(A.shape[1]):
        square += (A[a, k] - B[b, k]) ** 2
    return square


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
    return np.sqrt(np.where(squares > LEAST_SQUARE, squares, 0.0))


def _two_sets(A, B):
    bags_a = as_bags(A)
    bags_b = bags_a if B is None else as_bags(B)
    if bags_a.n_features != bags_b.n_features:
        sizes = bags_a.n_features, bags_b.n_features
        raise ValueError(f"A and B must have the same number of features, got {sizes}")
    return bags_a, bags_b.in_order_of_features("features of B", bags_a.feature_names)


def nearest(distances: np.ndarray, k: int) -> np.ndarray:
    """Columns of the k smallest of each row, in their order; of equal ones the first: (n, k).

    Distances are compared as float32, so that rounding does not decide between equal ones.
    """
    if k == 0:
        return np.empty((len(distances), 0), dtype=np.intp)
    distances = in_float32(distances, exponent_of(distances))
    farthest = np.partition(distances, k - 1, axis=1)[:, [k - 1]]
    chosen = distances <= farthest
    for row in np.flatnonzero(chosen.sum(axis=1) > k):
        equal = np.flatnonzero(distances[row] == farthest[row])
        n_too_many = chosen[row].sum() - k
        chosen[row, equal[-n_too_many:]] = False
    return np.nonzero(chosen)[1].reshape(len(distances), k)


def exponent_of(distances: np.ndarray) -> int:
    """The e of the largest finite distance f 2^e, 1/2 <= f < 1; 0 if float32 holds it anyway."""
    largest = np.max(distances, initial=0.0)
    if not np.isfinite(largest):
        largest = np.max(distances, initial=0.0, where=np.isfinite(distances))
    exponent = int(np.frexp(largest)[1])
    return exponent if abs(exponent) > ORDINARY else 0


def in_float32(distances: np.ndarray, exponent: int) -> np.ndarray:
    """Distances times 2^-exponent as float32, which does not hold very large or small ones."""
    scaled = np.ldexp(distances, -exponent) if exponent else distances
    return scaled.astype(np.float32)


def check_memory(n_bytes: float, what: str, advice: str):
    """Raise a MemoryError if fewer bytes are free than ``what`` needs, with ``advice``."""
    needed, free = n_bytes / 2**30, virtual_memory().available / 2**30
    if needed > free:
        raise MemoryError(f"{what} need {needed:.1f} GiB of memory, {free:.1f} are free; {advice}")
