"""Concave quadratic programs with bounds and fixed sums, by steps on pairs of variables."""

import numpy as np
from numba import njit

FLATTEST = 1e-12  # smallest curvature of a step, in units of the largest entry of H


@njit(cache=True, nogil=True)
def ascend(H, h, x, low, high, block, tol, max_steps):
    """Maximise h'x - ½ x'H x over x, in place: low <= x <= high, and each block's sum is fixed.

    Each step moves a pair of variables of one block: the variable with the steepest rise, and the
    one with which it gains most. It stops when no two slopes in a block differ by more than
    ``tol`` in a feasible direction. Returns the number of steps. H (n, n) is symmetric and positive
    semidefinite, x (n,) feasible, and ``block`` (n,) holds each variable's block.

    Source: Fan, Chen and Lin, Working set selection using second order information for training
    support vector machines, JMLR 6, 2005.
    """
    n_blocks = block.max() + 1
    top, bottom = np.empty(n_blocks, np.int64), np.empty(n_blocks, np.int64)
    slope = h - H @ x
    flattest = FLATTEST * np.abs(H).max() + np.finfo(np.float64).tiny
    for step in range(max_steps):
        top[:], bottom[:] = -1, -1
        for k in range(len(x)):
            b = block[k]
            if x[k] < high[k] and (top[b] < 0 or slope[k] > slope[top[b]]):
                top[b] = k
            if x[k] > low[k] and (bottom[b] < 0 or slope[k] < slope[bottom[b]]):
                bottom[b] = k
        i, worst = -1, tol
        for b in range(n_blocks):
            if top[b] >= 0 and bottom[b] >= 0 and slope[top[b]] - slope[bottom[b]] > worst:
                i, worst = top[b], slope[top[b]] - slope[bottom[b]]
        if i < 0:
            return step
        j, most = -1, 0.0
        for k in range(len(x)):
            if block[k] == block[i] and x[k] > low[k] and slope[i] > slope[k]:
                gain = (slope[i] - slope[k]) ** 2 / max(H[i, i] + H[k, k] - 2 * H[i, k], flattest)
                if gain > most:
                    j, most = k, gain
        size = (slope[i] - slope[j]) / max(H[i, i] + H[j, j] - 2 * H[i, j], flattest)
        size = min(size, high[i] - x[i], x[j] - low[j])
        x[i] = high[i] if size == high[i] - x[i] else x[i] + size
        x[j] = low[j] if size == x[j] - low[j] else x[j] - size
        for k in range(len(x)):
            slope[k] -= size * (H[k, i] - H[k, j])
    return max_steps
