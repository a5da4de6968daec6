"""Rows that combine few points, and bags of translated vectors, which have such rows."""

from functools import cached_property

import joblib
import numpy as np
from scipy.linalg import block_diag
from scipy.sparse import coo_array, csr_array, diags_array, hstack
from scipy.sparse.linalg import LinearOperator
from sklearn.utils import gen_batches
from sklearn.utils.extmath import row_norms

from mimlpaper.bags import Bags

N_LAID_OUT = 1000  # rows laid out at a time


class Combinations(LinearOperator):
    """Matrix A B whose rows combine a few of the points B, as sparse A says.

    ``rows @ W`` and ``rows.T @ U`` are products as of an array, in less time: A (B W) and
    B' (A' U). No method holds all rows but ``np.asarray(rows)``.

    Parameters
    ----------
    shares : sparse array (n_rows, n_points)
        A, with few entries a row.
    points : Points
        B (n_points, n_features).
    """

    def __init__(self, shares: csr_array, points: "Points"):
        super().__init__(np.float64, (shares.shape[0], points.rows.shape[1]))
        self.shares = shares
        self.points = points

    @cached_property
    def squares(self) -> np.ndarray:
        """||z||² of each row z: (n_rows,)."""
        squares = []
        for batch in gen_batches(len(self), N_LAID_OUT):
            squares.append(row_norms(self[batch], squared=True))
        return np.concatenate(squares)

    @property
    def digest(self) -> str:
        """Hash of the rows, whatever has been computed of them."""
        return joblib.hash((self.shares, self.points.rows))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, chosen) -> np.ndarray:
        """The rows of a slice, mask or index array, laid out: (n_chosen, n_features)."""
        return self.shares[chosen] @ self.points.rows

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return self.shares @ self.points.rows

    def take(self, chosen) -> "Combinations":
        """The rows of a slice, mask or index array, as combinations of the same points."""
        return Combinations(self.shares[chosen], self.points)

    def scaled(self, factors: np.ndarray) -> "Combinations":
        """Each row times its factor (n_rows,)."""
        shares = diags_array(factors) @ self.shares
        return Combinations(csr_array(shares), self.points)

    def mapped(self, W: np.ndarray) -> "Combinations":
        """The rows times W (n_features, any), as combinations."""
        return Combinations(self.shares, Points(self.points.rows @ W))

    def with_ones(self) -> "Combinations":
        """Rows (z, 1)."""
        ones = csr_array(np.ones((len(self), 1)))
        shares = csr_array(hstack([self.shares, ones]))
        points = block_diag(self.points.rows, 1.0)
        return Combinations(shares, Points(points))

    def gram(self) -> np.ndarray:
        """Σ z z' over the rows z: (n_features, n_features)."""
        # B' (A'A) B, where A'A is diagonal but for the columns of a few points such as the v_l.
        points = self.points.rows
        pairs = coo_array(self.shares.T @ self.shares)  # (n_points, n_points)
        is_diagonal = pairs.row == pairs.col
        roots = np.sqrt(pairs.data[is_diagonal])
        scaled = points[pairs.row[is_diagonal]] * roots[:, None]
        is_above = pairs.row < pairs.col
        few, place = np.unique(pairs.col[is_above], return_inverse=True)
        entries = pairs.data[is_above], (place, pairs.row[is_above])
        links = csr_array(entries, shape=(len(few), len(points)))
        mixed = (links @ points).T @ points[few]
        return scaled.T @ scaled + mixed + mixed.T

    def products(self) -> np.ndarray:
        """<z, z'> for each pair of rows: (n_rows, n_rows)."""
        with_points = self.shares @ self.points.products  # (n_rows, n_points)
        return self.shares @ with_points.T

    def _matmat(self, W):
        return self.shares @ (self.points.rows @ W)

    def _rmatmat(self, U):
        return self.points.rows.T @ (self.shares.T @ U)


class Points:
    """The points that rows combine, and their products, computed once."""

    def __init__(self, rows: np.ndarray):
        self.rows = rows  # (n_points, n_features)

    @cached_property
    def products(self) -> np.ndarray:
        """<p, p'> for each pair of points: (n_points, n_points)."""
        return self.rows @ self.rows.T


def differences(X: np.ndarray, prototypes: np.ndarray) -> Combinations:
    """The rows x_i - v_l, example by example, of X (n, n_features) and the prototypes v_l."""
    n_examples, n_labels = len(X), len(prototypes)
    row = np.arange(n_examples * n_labels)
    example, label = np.divmod(row, n_labels)
    # Entries 1 at x_i, and -1 at v_l, whose points come after those of X.
    values = np.repeat([1.0, -1.0], len(row))
    column = np.concatenate([example, n_examples + label])
    places = np.tile(row, 2), column
    shape = (len(row), n_examples + n_labels)
    shares = coo_array((values, places), shape=shape)
    points = Points(np.vstack([X, prototypes]))
    return Combinations(csr_array(shares), points)


def gram(rows) -> np.ndarray:
    """Σ z z' over the rows z, an array or combinations: (n_features, n_features)."""
    return rows.gram() if isinstance(rows, Combinations) else rows.T @ rows


def products(rows) -> np.ndarray:
    """<z, z'> for each pair of rows of an array or combinations: (n_rows, n_rows)."""
    return rows.products() if isinstance(rows, Combinations) else rows @ rows.T


def mapped(rows, W: np.ndarray):
    """The rows times W: an array for an array, combinations for combinations."""
    return rows.mapped(W) if isinstance(rows, Combinations) else rows @ W


def square_lengths(rows) -> np.ndarray:
    """||z||² of each row z of an array or combinations: (n_rows,)."""
    if isinstance(rows, Combinations):
        return rows.squares
    return row_norms(rows, squared=True)


def unit_rows(rows):
    """Rows of length 1, or 0 where they are 0: an array for an array, else combinations."""
    if isinstance(rows, Combinations):
        lengths = np.sqrt(rows.squares)
        return rows.scaled(1.0 / np.where(lengths > 0, lengths, 1.0))
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)


class TranslatedBags(Bags):
    """Bags whose instances are combinations of few points, such as {x - v_l : l a label}.

    Learners compute with ``rows``; ``instances`` lays them all out when first asked for.

    Parameters
    ----------
    rows : Combinations
        The instances, one bag after the other.
    offsets : array (n_bags + 1,)
        Where each bag starts, and the end.
    """

    _rows: Combinations

    def __init__(self, rows: Combinations, offsets: np.ndarray):
        object.__setattr__(self, "_rows", rows)  # Bags are frozen
        object.__setattr__(self, "offsets", offsets)

    @classmethod
    def of(cls, X: np.ndarray, prototypes: np.ndarray) -> "TranslatedBags":
        """The bags {x - v_l} of the rows x of X, in the order of the prototypes v_l."""
        rows = differences(X, prototypes)
        return cls(rows, np.arange(0, len(rows) + 1, len(prototypes)))

    @property
    def rows(self) -> Combinations:
        return self._rows

    @cached_property
    def instances(self) -> np.ndarray:
        return np.asarray(self._rows)

    @property
    def digest(self) -> str:
        return joblib.hash((self._rows.digest, self.offsets))

    @property
    def n_instances(self) -> int:
        return len(self._rows)

    @property
    def n_features(self) -> int:
        return self._rows.shape[1]

    @property
    def missing(self) -> np.ndarray:
        return np.zeros(self.n_instances, dtype=bool)

    @property
    def instance_sums(self) -> np.ndarray:
        ones = np.ones(self.n_instances)
        by_bag = csr_array((ones, np.arange(self.n_instances), self.offsets))
        # The shares first: they have few columns that are not 0.
        shares = by_bag @ self._rows.shares
        return shares @ self._rows.points.rows

    def with_rows(self, rows) -> Bags:
        if isinstance(rows, Combinations):
            return TranslatedBags(rows, self.offsets).with_names(self.names)
        return self.with_instances(rows)
