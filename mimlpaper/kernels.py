"""Kernels on instances, and low-rank factors of their matrices."""

import warnings
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.utils.validation import check_array, check_is_fitted, check_random_state

from mimlpaper.arrays import check_type
from mimlpaper.combinations import Combinations, square_lengths
from mimlpaper.sharing import shared

KERNELS = ("linear", "rbf", "poly")
MOST_EXACT = 2000  # rows up to which rank="auto" is exact
EQUAL = 1e-14  # values whose variance is a smaller share of their mean square are equal
AUTO_LIMITS = {"rank": 1000, "tol": 0.01}  # of rank="auto" with more rows than MOST_EXACT
MUCH = 0.1  # share of the trace; a factor that leaves more unexplained warns


class LowRankWarning(UserWarning):
    """A kernel's factor leaves much of it unexplained."""


def kernel_matrix(
    A, B=None, *, kernel: str = "rbf", gamma: float = 1.0, degree: int = 3, coef0: float = 1.0
) -> np.ndarray:
    """Kernel between the rows of A (n_a, n_features) and B (n_b, n_features), or A: (n_a, n_b).

    "linear": <a, b>. "rbf": exp(-gamma ||a - b||^2). "poly": (gamma <a, b> + coef0)^degree.
    """
    _check_kernel(kernel)
    parameters = {"gamma": gamma, "degree": degree, "coef0": coef0}
    return pairwise_kernels(A, B, metric=kernel, filter_params=True, **parameters)


def kernel_gamma(gamma: float | str, X) -> float:
    """``gamma`` as a number: "auto" is 1 / n_features, "scale" 1 / (n_features Var X).

    "scale" is 1 if all values of X are equal. Raises ValueError for any other string, and for a
    number that is not positive and finite.
    """
    if gamma == "auto":
        return 1.0 / X.shape[1]
    if gamma == "scale":
        variance = _variance(X)
        return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0
    if not isinstance(gamma, Real) or not 0 < gamma < np.inf:
        raise ValueError(f'gamma must be positive and finite, "auto" or "scale", got {gamma!r}')
    return float(gamma)


def _variance(X):
    if isinstance(X, Combinations):
        n_values = X.shape[0] * X.shape[1]
        mean = (X @ np.ones(X.shape[1])).sum() / n_values
        mean_square = X.squares.sum() / n_values
    else:
        mean = X.mean()
        mean_square = (X.multiply(X) if issparse(X) else X**2).mean()
    variance = mean_square - mean**2
    return variance if variance > EQUAL * mean_square else 0.0


@dataclass(kw_only=True, eq=False, repr=False)
class KernelFactor(TransformerMixin, BaseEstimator):
    """Features phi of finite dimension with <phi(x), phi(z)> = k(x, z), or close to it.

    For the linear kernel the identity, for others a Cholesky factor, exact or by random landmarks;
    a LowRankWarning says if more than 10% of the kernel matrix's trace stays unexplained.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly"}, default "rbf"
        Kernel between rows: exp(-γ ||x - x'||²), <x, x'> or (γ <x, x'> + coef0)^degree.
    gamma : float >= 0, default 1.0
        Coefficient γ, in units of one over a squared feature: the larger, the narrower the
        Gaussian. With 0 all but the linear kernel are constant.
    degree : int >= 1, default 3
        Degree of "poly".
    coef0 : float >= 0, default 1.0
        Constant of "poly".
    rank : int >= 1, "auto" or None, default None
        Largest number of landmarks r, which are drawn. None makes an exact factor, by the largest
        pivots, without draws. "auto" is exact up to 2,000 rows; above, it stops at 1% of the trace
        unexplained, or at 1,000 landmarks. Not used by "linear".
    tol : float >= 0, default 1e-10
        Where to stop: landmarks are drawn until at most this share of the trace is unexplained, an
        exact factor ends when no entry left on the diagonal exceeds this share of its mean. Not
        used by "auto" above 2,000 rows.
    random_state : int, RandomState or None, default None
        Draws the landmarks; an exact factor draws none.

    Attributes
    ----------
    landmarks_ : array (r, n_features) or None
        The pivots, rows of the training data; None for the linear kernel.
    triangle_ : array (r, r) or None
        The rows of the factor at the pivots, lower triangular.
    error_ : float
        The unexplained share of the trace.

    References
    ----------
    Chen, Epperly, Tropp and Webber, Randomly pivoted Cholesky, Comm. Pure Appl. Math., 2025.
    """

    kernel: str = "rbf"
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 1.0
    rank: int | str | None = None
    tol: float = 1e-10
    random_state: int | np.random.RandomState | None = None

    def fit(self, X, y=None):
        """Choose the landmarks from X (n, n_features), an array or Combinations; y is not used.

        Raises ValueError for an unknown kernel, a rank below 1, a negative gamma, coef0 or tol, or
        a kernel that is 0 throughout.
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X, y=None) -> np.ndarray:
        """Fit to X (n, n_features), array or Combinations, and return its features phi(X): (n, r).

        Of the linear kernel they are X itself.
        """
        self._check_parameters()
        if not isinstance(X, Combinations):
            check_type("X", X)
            X = check_array(X, dtype=np.float64)
        if self.kernel == "linear":
            self.landmarks_, self.triangle_, self.error_ = None, None, 0.0
            return X
        return self._keep(X, *shared(_factor, X, **self._settings(len(X))))

    def transform(self, X) -> np.ndarray:
        """Features phi(X) of new rows X (n, n_features): (n, r)."""
        check_is_fitted(self, "error_")
        if self.kernel == "linear":
            return X if isinstance(X, Combinations) else np.asarray(X, dtype=np.float64)
        parameters = self._kernel_parameters()
        if isinstance(X, Combinations):
            landmarks = np.asarray(self.landmarks_)
            products = landmarks @ X.T  # (r, n)
            squares = square_lengths(landmarks)  # (r,)
            columns = _of_products(products, squares[:, None], X.squares, **parameters)
        else:
            columns = kernel_matrix(self.landmarks_, X, **parameters)  # (r, n)
        return solve_triangular(self.triangle_, columns, lower=True).T

    def _check_parameters(self):
        check_rank(self.rank)
        _check_kernel(self.kernel)
        for name in ("gamma", "coef0", "tol"):
            value = getattr(self, name)
            # A negative gamma or coef0 may give negative eigenvalues.
            if not (isinstance(value, Real) and 0 <= value < np.inf):
                raise ValueError(f"{name} must be a finite number of at least 0, got {value!r}")
        if not isinstance(self.degree, Integral) or self.degree < 1:
            raise ValueError(f"degree must be an integer of at least 1, got {self.degree!r}")

    def _kernel_parameters(self) -> dict[str, Any]:
        return {
            "kernel": self.kernel,
            "gamma": self.gamma,
            "degree": self.degree,
            "coef0": self.coef0,
        }

    def _settings(self, n):
        """The arguments of :func:`_factor` for n rows."""
        limits = {"rank": self.rank}
        if self.rank == "auto":
            limits = AUTO_LIMITS if n > MOST_EXACT else {"rank": None}
        # An exact factor draws nothing: it is the same, and shared, for every seed.
        seed = 0 if limits["rank"] is None else integer_seed(self.random_state)
        return self.get_params() | limits | {"random_state": seed}

    def _keep(self, X, factor, pivots, error):
        # First, since a warning that is raised as an error must leave no attribute.
        if error > MUCH:
            message = f"the kernel's factor of rank {len(pivots)} leaves {error:.0%} of its trace"
            message += " unexplained; raise rank, lower gamma, or scale the features"
            warnings.warn(message, LowRankWarning, stacklevel=4)
        landmarks = X[pivots]  # (r, n_features)
        triangle = factor[pivots]  # (r, r), lower triangular
        # Set when nothing slow is left: an interrupt leaves the factor of an earlier fit.
        self.landmarks_, self.triangle_, self.error_ = landmarks, triangle, error
        return factor


def _check_kernel(kernel):
    if kernel not in KERNELS:
        raise ValueError(f"kernel must be one of {KERNELS}, got {kernel!r}")


def check_rank(rank):
    """Raise a ValueError unless ``rank`` is None, "auto" or a positive integer."""
    if not (rank is None or rank == "auto" or (isinstance(rank, Integral) and rank >= 1)):
        raise ValueError(f'rank must be None, "auto" or at least 1, got {rank!r}')


def integer_seed(random_state) -> int:
    """``random_state`` as an integer, drawn from it if it is None or a RandomState."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def randomly_pivoted_cholesky(diagonal, column, rank, tol, seed):
    """Factor L of a matrix K ≈ L Lᵀ, its pivots as drawn, and the share of K's trace left.

    K has the ``diagonal`` (n,); ``column(i)`` makes its column i (n,), which is overwritten. A
    row is drawn as a pivot, by ``seed``, with a probability proportional to what is left of its
    diagonal entry. The loop ends after ``rank`` draws, or when at most the share ``tol`` of the
    trace is left. L is (n, r) for r pivots; a draw of a row that is explained gives none.
    """
    rng = np.random.RandomState(seed)
    n = len(diagonal)
    factor = np.empty((n, min(rank, n)), order="F")
    left, trace, pivots = diagonal.copy(), diagonal.sum(), []
    for _ in range(factor.shape[1]):
        r = len(pivots)
        total = left.sum()
        if total <= tol * trace:
            break
        shares = np.cumsum(left / total)
        pivot = int(np.searchsorted(shares / shares[-1], rng.random_sample(), side="right"))
        new = column(pivot)  # (n,)
        new -= factor[:, :r] @ factor[pivot, :r]
        of_pivot = new[pivot]
        if of_pivot <= 0:  # the row is explained; what was left of it is rounding
            left[pivot] = 0.0
            continue
        new /= np.sqrt(of_pivot)
        factor[:, r] = new
        left = np.maximum(left - new**2, 0.0)
        left[pivot] = 0.0
        pivots.append(pivot)
    return np.ascontiguousarray(factor[:, : len(pivots)]), pivots, float(left.sum() / trace)


def completely_pivoted_cholesky(K, tol):
    """As :func:`randomly_pivoted_cholesky` of K (n, n), but a pivot is the largest entry left.

    It ends when this entry is at most ``tol`` times the mean of the diagonal.
    """
    trace = K.trace()
    lower, order_from_1, rank, _ = dpstrf(K, tol=tol * trace / len(K), lower=1)
    order = order_from_1 - 1
    factor = np.empty((len(K), rank))
    factor[order] = np.tril(lower)[:, :rank]
    explained = np.vdot(factor, factor) / trace
    return factor, order[:rank], float(max(0.0, 1.0 - explained))


def _factor(X, *, kernel, gamma, degree, coef0, rank, tol, random_state):
    parameters = {"kernel": kernel, "gamma": gamma, "degree": degree, "coef0": coef0}
    if rank is None:
        K = kernel_matrix(np.asarray(X), **parameters)
        _check_not_zero(K.diagonal())
        return completely_pivoted_cholesky(K, tol)
    squares = square_lengths(X)

    def column(pivot):
        (row,) = X[[pivot]]
        return _of_products(X @ row, squares, squares[pivot], **parameters)

    diagonal = np.ones(len(X))  # the "rbf" kernel of a row with itself
    if kernel == "poly":
        diagonal = (gamma * squares + coef0) ** degree
    _check_not_zero(diagonal)
    return randomly_pivoted_cholesky(diagonal, column, rank, tol, random_state)


def _check_not_zero(diagonal):
    if not diagonal.any():
        raise ValueError(
            "X must have a row whose kernel with itself is not 0; raise coef0, gamma or the scale "
            "of the features"
        )


def _of_products(products, squares_a, squares_b, *, kernel, gamma, degree, coef0):
    """Kernel of rows a and b with these <a, b>, ||a||² and ||b||²; not the linear one."""
    if kernel == "poly":
        return (gamma * products + coef0) ** degree
    distances = -2.0 * products + squares_a + squares_b
    return np.exp(-gamma * np.maximum(distances, 0.0))
