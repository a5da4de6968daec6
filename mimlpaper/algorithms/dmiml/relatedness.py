"""Regularisers that relate labels: quadratic forms ½ tr(W Q W') in W = [w_1, ..., w_T]."""

import numpy as np


def regulariser(
    relatedness: str | np.ndarray, mu: float, n_labels: int
) -> tuple[np.ndarray, np.ndarray | None]:
    """Q, and the μ_ij or None, for "mean", "pairwise" (all μ_ij = μ) or an array of μ_ij.

    The array must be symmetric (n_labels, n_labels), of numbers from 0 to infinity, and Q positive
    definite; otherwise a ValueError is raised.
    """
    if isinstance(relatedness, str) and relatedness == "mean":
        if not mu > -0.5:
            raise ValueError(f"mu must be greater than -1/2, got {mu!r}")
        return mean_form(n_labels, mu), None
    if isinstance(relatedness, str) and relatedness == "pairwise":
        if not mu > 0:
            raise ValueError(f"mu must be positive for pairs of labels, got {mu!r}")
        penalties = np.full((n_labels, n_labels), float(mu))
        return pairwise_form(penalties), penalties
    if isinstance(relatedness, str):
        raise ValueError(f'relatedness must be "mean", "pairwise" or an array, got {relatedness!r}')
    penalties = np.asarray(relatedness, dtype=np.float64)
    if penalties.shape != (n_labels, n_labels):
        raise ValueError(
            f"relatedness must have shape {(n_labels, n_labels)}, a row and a column for each "
            f"label, got {penalties.shape}"
        )
    if not (penalties >= 0).all() or not np.array_equal(penalties, penalties.T):
        raise ValueError("relatedness must be symmetric, with penalties of at least 0")
    if not penalties.any():
        raise ValueError("relatedness must hold a positive penalty, got zeros only")
    return pairwise_form(penalties), penalties


def mean_form(n_labels: int, mu: float) -> np.ndarray:
    """Q of 1/(2T) Σ_t ||w_t||² + μ/T² ||Σ_t w_t||² (Eq. 21): (n_labels, n_labels)."""
    return np.eye(n_labels) / n_labels + 2.0 * mu / n_labels**2


def pairwise_form(mu: np.ndarray) -> np.ndarray:
    """Q of 1/(2T²) Σ_ij ||w_i - W_ij||² + 1/T² Σ_ij μ_ij ||W_ij||² at the best W_ij = W_ji.

    The best are W_ij = a_ij (w_i + w_j) with a_ij = 1 / (4 μ_ij + 2) (Eq. 26). They give
    1/(4 T²) Σ_ij (||w_i||² + ||w_j||² - a_ij ||w_i + w_j||²), the regulariser of Eq. 28.
    """
    a = _sharing(mu)
    n_labels = len(a)
    return (n_labels * np.eye(n_labels) - np.diag(a.sum(axis=1)) - a) / n_labels**2


def learned_pair_penalties(weights: np.ndarray, mu: float) -> np.ndarray:
    """Best μ_ij, i ≠ j, for W with the total sharing of a common μ: (n_labels, n_labels).

    The regulariser rises with every μ_ij, so that all would be 0 without a budget. A fixed sum of
    the μ_ij or of their logarithms would give everything to a few pairs, since the regulariser is
    concave in them. It is linear in a_ij = 1 / (4 μ_ij + 2). Under Σ a_ij² = Σ 1 / (4 μ + 2)² the
    best a_ij are proportional to ||w_i + w_j||², up to their largest value ½. The diagonal, which
    relates no two labels, keeps μ.
    """
    norms = np.sum(weights**2, axis=0)
    closeness = norms + norms[:, None] + 2.0 * weights.T @ weights  # ||w_i + w_j||²
    pairs = np.triu_indices(len(norms), 1)
    with np.errstate(divide="ignore"):
        learned = (1.0 / _within_budget(closeness[pairs], _sharing(mu)) - 2.0) / 4.0
    penalties = np.full(closeness.shape, float(mu))
    penalties[pairs] = penalties.T[pairs] = np.maximum(learned, 0.0)
    return penalties


def _sharing(mu):
    return 1.0 / (4.0 * np.asarray(mu) + 2.0)


def _within_budget(closeness, common):
    """min(½, θ closeness) with the mean square of ``common``; ``common`` if none is positive."""
    shares = np.full(len(closeness), common)
    falling = np.sort(closeness)[::-1]
    squares = np.cumsum(falling[::-1] ** 2)[::-1]  # of this one and all smaller ones
    for n_full in range(np.count_nonzero(falling > 0)):
        left = len(closeness) * common**2 - 0.25 * n_full
        theta = np.sqrt(left / squares[n_full])
        shares = np.minimum(0.5, theta * closeness)
        if theta * falling[n_full] <= 0.5:
            break
    return shares
