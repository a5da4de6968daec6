"""Cnmf: labels of unlabelled examples by constrained non-negative matrix factorisation."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from mimlpaper.base import VectorEstimator
from mimlpaper.computing import progress
from mimlpaper.kernels import kernel_gamma, kernel_matrix
from mimlpaper.parameters import COUNT, POSITIVE, VERBOSITY, words
from mimlpaper.sharing import shared

TINY = 1e-12
OFFSET = 1e-2  # added to the start, since updates by factors keep zeros


@dataclass(kw_only=True, eq=False, repr=False)
class Cnmf(VectorEstimator):
    """Transductive learner: examples with similar features get similar labels.

    With the similarities A of examples and B of labels, the memberships T >= 0 of all examples,
    labelled and unlabelled, minimise

        ||A - T B T'||² + C ||T_L - Y_L||²,

    where T_L are the rows of the labelled examples and Y_L their label sets, scaled to y' B y = 1.
    A is a Gaussian kernel on the examples with the coefficient γ, B one with the coefficient 1 on
    the training labels' columns of unit length. Scores are memberships minus a threshold, which
    gives the new examples as many labels on average as the training examples; they depend on the
    other new examples. A label that no training example has gets the membership 0, and one that all
    have the largest membership: "sign" always predicts it. Memory is up to 16 n² bytes for n
    examples, labelled and unlabelled.

    Choose it for few labelled examples and a fixed set of unlabelled ones.

    Parameters
    ----------
    gamma : float > 0, "auto" or "scale", default "scale"
        Coefficient γ of the Gaussian kernel, in units of one over a squared feature; "scale" is
        1 / (n_features Var x), "auto" 1 / n_features.
    C : float > 0, default 1.0
        Cost of deviations from the known label sets.
    tol : float > 0, default 1e-5
        Least gain of a round, as a share of the objective.
    max_iter : int >= 1, default 200
        Largest number of rounds.
    label_rule : {"sign", "top"}, default "sign"
        Labels with a positive score, or the T-Criterion: at least the label with the highest.
    verbose : int, default 0
        1 shows a bar on stderr that moves with each round of a prediction.

    Attributes
    ----------
    X_fit_ : array (n_labelled, n_features)
        The labelled examples.
    Y_fit_ : array (n_labelled, n_labels)
        Their label sets.
    gamma_ : float
        The γ of the kernel.
    label_similarity_ : array (n_labels, n_labels)
        The B.
    label_names_ : array (n_labels,)
        Names of the labels.

    References
    ----------
    Reconstructed from the abstract of Liu, Jin and Yang, Semi-supervised multi-label learning by
    constrained non-negative matrix factorization, AAAI 2006.
    """

    gamma: float | str = "scale"
    C: float = 1.0
    tol: float = 1e-5
    max_iter: int = 200
    label_rule: str = "sign"
    verbose: int = 0

    _parameter_constraints: ClassVar[dict] = {
        "gamma": [POSITIVE, words("auto", "scale")],
        "C": [POSITIVE],
        "tol": [POSITIVE],
        "max_iter": [COUNT],
        "verbose": [VERBOSITY],
    }

    def _fit(self, X, Y):
        self.X_fit_, self.Y_fit_ = X, Y
        self.gamma_ = kernel_gamma(self.gamma, X)
        columns = Y / np.sqrt(np.maximum(Y.sum(axis=0), 1))
        self.label_similarity_ = np.exp(-euclidean_distances(columns.T, squared=True))

    def _scores(self, X):
        """Memberships minus the threshold, from one factorisation: (n_examples, n_labels)."""
        memberships = shared(  # by all label rules
            new_memberships,
            X,
            self.X_fit_,
            self.Y_fit_,
            self.label_similarity_,
            gamma=self.gamma_,
            C=self.C,
            tol=self.tol,
            max_iter=self.max_iter,
            verbose=self.verbose,
        ).copy()
        is_universal = self.Y_fit_.all(axis=0)
        memberships[:, ~self.Y_fit_.any(axis=0)] = 0.0
        memberships[:, is_universal] = memberships.max()
        # The share of memberships above the threshold is that of labels in the training examples.
        threshold = np.quantile(memberships, 1.0 - self.Y_fit_.mean())
        scores = memberships - threshold
        if scores.max() <= 0.0:  # the threshold is the largest membership
            scores[:, is_universal] = 1.0
        return scores


def new_memberships(X, X_labelled, Y_labelled, B, *, gamma: float, **options) -> np.ndarray:
    """T of the unlabelled examples X, factorised with the labelled ones: (n_examples, n_labels).

    B (n_labels, n_labels) is the similarity of labels, ``options`` go to :func:`factorise`.
    """
    Y = Y_labelled.astype(np.float64)
    squares = np.einsum("ik,kl,il->i", Y, B, Y)
    lengths = np.sqrt(np.maximum(squares, TINY))
    known = Y / lengths[:, None]  # y' B y = 1
    between = kernel_matrix(X, X_labelled, gamma=gamma)
    of_labelled = kernel_matrix(X_labelled, gamma=gamma)
    of_new = kernel_matrix(X, gamma=gamma)
    A = np.block([[of_labelled, between.T], [between, of_new]])  # (n, n)
    start = np.tile(known.mean(axis=0), (len(A), 1))
    start[: len(known)] = known
    T, _ = factorise(A, B, known, start + OFFSET, **options)
    return T[len(known) :]


def factorise(A, B, known, start, *, C=1.0, tol=1e-5, max_iter=200, verbose=0):
    """T >= 0 (n, n_labels) of least ||A - T B T'||² + C ||T_L - known||², and objective by round.

    Each round minimises an upper bound that touches the objective at T: ||T B T'||² is bounded by
    fourth powers of the entries of T, and what has a minus sign, such as -2 <A, T B T'>, by their
    logarithms. ``known`` (n_labelled, n_labels) is the target of the first rows; zeros of ``start``
    stay.
    """
    T = np.array(start, dtype=np.float64)
    T_L = T[: len(known)]  # a view, which moves with T
    norm = np.vdot(A, A)

    def objective(AT, gram):
        overlap = np.vdot(AT, T @ B)
        square = np.vdot(B @ gram @ B, gram)
        deviation = np.sum((T_L - known) ** 2)
        return norm - (2.0 * overlap - square) + C * deviation

    AT = A @ T
    gram = T.T @ T
    objectives = [objective(AT, gram)]
    for _ in progress(range(max_iter), "Cnmf, rounds", verbose):
        pull = AT @ B  # A T B
        push = np.maximum(T @ (B @ gram @ B), TINY)  # T B T' T B
        T *= _fourth_powers(T_L, known, pull, push, C) ** 0.25
        AT = A @ T
        gram = T.T @ T
        objectives.append(objective(AT, gram))
        if objectives[-2] - objectives[-1] <= tol * objectives[-1]:
            break
    return T, np.array(objectives)


def _fourth_powers(T_L, known, pull, push, C):
    """The fourth powers of the factors that minimise the bound at T: (n, n_labels).

    With cost = C T_L for the labelled rows and 0 for the rest, the square root u of a fourth power
    solves 2 push u² + cost u = 2 pull + C known.
    """
    labelled = slice(len(known))
    fourth_powers = pull / push  # with cost = 0
    cost = C * T_L
    constant = 2.0 * pull[labelled] + C * known
    root = np.sqrt(cost**2 + 8.0 * push[labelled] * constant)
    fourth_powers[labelled] = ((root - cost) / (4.0 * push[labelled])) ** 2
    return fourth_powers
