"""Each label on its own: its frequency, a support vector machine, or votes of neighbours."""

from dataclasses import dataclass

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.svm import SVC

from mimlpaper.base import (
    LogOdds,
    MultiLabelEstimator,
    VectorEstimator,
    check_bags,
    check_parameters,
    check_vectors,
)
from mimlpaper.kernels import kernel_matrix, kernel_width


@dataclass(kw_only=True, eq=False, repr=False)
class MlSvm(VectorEstimator):
    """Cross-training: an SVM for each label, with the examples that have it as positives.

    All labels share one kernel matrix. A label with one class only gets the constant score +1 or
    -1, with a warning. Source: Boutell, Luo, Shen and Brown, Learning multi-label scene
    classification, Pattern Recognition 37, 2004. Table 7, steps 4 and 5.

    Parameters
    ----------
    kernel, gamma, degree, coef0 : see :func:`~mimlpaper.kernels.kernel_matrix`
        Defaults are "rbf", "scale", 3 and 1.
    C : float, default 1.0
    label_rule : {"top", "sign"}, default "top", the T-Criterion; or the P-Criterion.

    ``svms_`` has an SVC for each label, or the constant score; ``X_fit_`` the training examples.
    """

    kernel: str = "rbf"
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 1.0
    C: float = 1.0
    label_rule: str = "top"

    def fit(self, X, Y):
        """Fit on X (n_examples, n_features), dense or CSR, and Y (n_examples, n_labels)."""
        check_parameters(self)
        X = check_vectors(self, X, reset=True)
        Y = self._learn_labels(Y, X.shape[0])
        self.X_fit_ = X
        self.gamma_ = kernel_width(self.gamma, X)
        K = self._kernel(X)
        self.svms_ = [self._fit_label(K, Y[:, label]) for label in range(Y.shape[1])]
        return self

    def decision_function(self, X) -> np.ndarray:
        """Signed SVM scores: (n_examples, n_labels)."""
        X = check_vectors(self, X, reset=False)
        K = self._kernel(X, self.X_fit_)
        scores = [
            np.full(len(K), svm) if isinstance(svm, float) else svm.decision_function(K)
            for svm in self.svms_
        ]
        return np.column_stack(scores)

    def _fit_label(self, K, y):
        if y.all() or not y.any():
            return 1.0 if y.all() else -1.0
        return SVC(kernel="precomputed", C=self.C).fit(K, y)

    def _kernel(self, A, B=None):
        return kernel_matrix(
            A, B, kernel=self.kernel, gamma=self.gamma_, degree=self.degree, coef0=self.coef0
        )


@dataclass(kw_only=True, eq=False, repr=False)
class MlKnn(LogOdds, VectorEstimator):
    """Multi-label k nearest neighbours with a maximum a posteriori decision.

    A label is predicted if P(H1) P(E_C | H1) > P(H0) P(E_C | H0). H1 says that the example has the
    label, H0 that it does not, and E_C that C of its k nearest neighbours (Euclidean, equally near
    ones in the order of the training set) have it. The factors are smoothed training frequencies.
    The score is the log ratio of the two sides; it need not grow with C.
    Source: Zhang and Zhou, ML-KNN: a lazy learning approach to multi-label learning, Pattern
    Recognition 40(7), 2007.

    Parameters
    ----------
    n_neighbors, smoothing : default 10, the k; float > 0, default 1.0, Laplace smoothing.
    label_rule : {"sign", "top"}, default "sign"

    Attributes ``log_prior_odds_`` (n_labels,), log P(H1) / P(H0), ``log_evidence_``
    (k + 1, n_labels), log P(E_C | H1) / P(E_C | H0) for C = 0, …, k, ``X_fit_`` and ``Y_fit_``.
    """

    n_neighbors: int = 10
    smoothing: float = 1.0
    label_rule: str = "sign"

    def fit(self, X, Y):
        """Fit on X (n_examples, n_features), dense or CSR, and Y (n_examples, n_labels)."""
        check_parameters(self)
        X = check_vectors(self, X, reset=True, ensure_min_samples=2)
        Y = self._learn_labels(Y, X.shape[0])
        k, s = min(self.n_neighbors, len(Y) - 1), self.smoothing
        self.X_fit_, self.Y_fit_ = X, Y
        distances = euclidean_distances(X)
        np.fill_diagonal(distances, np.inf)  # by index: duplicates are legitimate neighbours
        counts = _count_labels(distances, Y, k)  # (n_examples, n_labels)
        self.log_prior_odds_ = np.log(s + Y.sum(axis=0)) - np.log(s + (~Y).sum(axis=0))
        self.log_evidence_ = np.log(_likelihoods(counts, Y, k, s))  # of P(E_C | H1)
        self.log_evidence_ -= np.log(_likelihoods(counts, ~Y, k, s))  # of P(E_C | H0)
        return self

    def decision_function(self, X) -> np.ndarray:
        """Posterior log odds log P(H1 | E_C) / P(H0 | E_C): (n_examples, n_labels)."""
        X = check_vectors(self, X, reset=False)
        k = len(self.log_evidence_) - 1
        counts = _count_labels(euclidean_distances(X, self.X_fit_), self.Y_fit_, k)
        return self.log_prior_odds_ + np.take_along_axis(self.log_evidence_, counts, axis=0)


def _count_labels(distances, Y, k):
    """How many of the k nearest training examples have each label: (n_examples, n_labels)."""
    distances = distances.astype(np.float32)  # rounding does not decide between equal ones
    neighbours = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return Y[neighbours].sum(axis=1)


def _likelihoods(counts, chosen, k, s):
    """Smoothed shares of the chosen examples with each count 0, …, k: (k + 1, n_labels)."""
    n_with = np.stack([((counts == count) & chosen).sum(axis=0) for count in range(k + 1)])
    return (s + n_with) / (s * (k + 1) + n_with.sum(axis=0))


@dataclass(kw_only=True, eq=False, repr=False)
class Guess(MultiLabelEstimator):
    """Baseline that ignores the instances: a label's score is its share of the bags minus 1/2."""

    label_rule: str = "top"

    def fit(self, X, Y):
        """Fit on bags X, whose instances are ignored, and label sets Y (n_bags, n_labels)."""
        check_parameters(self)
        bags = check_bags(X, self, reset=True)
        self.shares_ = self._learn_labels(Y, len(bags)).mean(axis=0)
        return self

    def decision_function(self, X) -> np.ndarray:
        """The same scores for every bag: (n_bags, n_labels)."""
        n_bags = len(check_bags(X, self))
        return np.tile(self.shares_ - 0.5, (n_bags, 1))

    def instance_scores(self, X) -> np.ndarray:
        """The same scores for every instance: (n_instances, n_labels)."""
        bags = check_bags(X)
        return np.repeat(self.decision_function(bags), bags.sizes, axis=0)
