"""Each label on its own: its frequency, a support vector machine, or votes of neighbours."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.svm import SVC
from sklearn.utils import gen_batches
from sklearn.utils.extmath import row_norms

from mimlpaper.base import (
    InstanceScores,
    LogOdds,
    MultiLabelEstimator,
    VectorEstimator,
    check_vectors,
)
from mimlpaper.distances import nearest
from mimlpaper.kernels import KERNELS, kernel_gamma, kernel_matrix
from mimlpaper.parameters import COUNT, NOT_NEGATIVE, POSITIVE, words

MAX_STEPS = 10_000_000  # of an SVC, LIBSVM's own limit, which scikit-learn lifts; then it warns
ROWS_AT_ONCE = 256  # whose distances to all training examples are held


class ConstantScorer:
    """The machine of a label with one class: an SVC without support vectors, 1 or -1 everywhere."""

    support_ = np.zeros(0, int)
    dual_coef_ = np.zeros((1, 0))

    def __init__(self, label: bool):
        self.score = 1.0 if label else -1.0

    def decision_function(self, K) -> np.ndarray:
        """The score for each row of K: (n_examples,)."""
        return np.full(len(K), self.score)


@dataclass(kw_only=True, eq=False, repr=False)
class MlSvm(VectorEstimator):
    """Cross-training: an SVM for each label, with the examples that have it as positives.

    All labels share one kernel matrix. A label with one class only gets the constant score +1 or
    -1, with a warning.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly"}, default "rbf"
        Kernel between examples: exp(-γ ||x - x'||²), <x, x'> or (γ <x, x'> + coef0)^degree.
    gamma : float > 0, "auto" or "scale", default "scale"
        Coefficient γ, in units of one over a squared feature; "scale" is
        1 / (n_features Var x), "auto" 1 / n_features.
    degree : int >= 1, default 3
        Degree of "poly".
    coef0 : float >= 0, default 1.0
        Constant of "poly".
    C : float > 0, default 1.0
        Cost of a hinge loss of 1.
    label_rule : {"top", "sign"}, default "top"
        The T-Criterion, which gives at least the label with the highest score, or the P-Criterion,
        the labels with a positive score.

    Attributes
    ----------
    svms_ : list of SVC or ConstantScorer
        The machine of each label, on the kernel matrix.
    X_fit_ : array (n_examples, n_features)
        The training examples.
    gamma_ : float
        The γ of the kernel.
    label_names_ : array (n_labels,)
        Names of the labels.

    References
    ----------
    Boutell, Luo, Shen and Brown, Learning multi-label scene classification, Pattern Recognition
    37, 2004; Table 7, steps 4 and 5.
    """

    kernel: str = "rbf"
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 1.0
    C: float = 1.0
    label_rule: str = "top"

    _parameter_constraints: ClassVar[dict] = {
        "kernel": [words(*KERNELS)],
        "gamma": [POSITIVE, words("auto", "scale")],
        "degree": [COUNT],
        "coef0": [NOT_NEGATIVE],
        "C": [POSITIVE],
    }

    def _fit(self, X, Y):
        self.X_fit_ = X
        self.gamma_ = kernel_gamma(self.gamma, X)
        K = self._kernel(X)
        self.svms_ = [self._fit_label(K, label) for label in Y.T]

    def _scores(self, X):
        """Signed SVM scores: (n_examples, n_labels)."""
        K = self._kernel(X, self.X_fit_)
        return np.column_stack([svm.decision_function(K) for svm in self.svms_])

    def _fit_label(self, K, y):
        if y.all() or not y.any():
            return ConstantScorer(y.all())  # libsvm refuses a single class
        return SVC(kernel="precomputed", C=self.C, max_iter=MAX_STEPS).fit(K, y)

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

    Parameters
    ----------
    n_neighbors : int >= 1, default 10
        The k, or all other training examples if there are fewer.
    smoothing : float > 0, default 1.0
        Count added to each frequency, Laplace smoothing.
    label_rule : {"sign", "top"}, default "sign"
        Labels with a positive score, or the T-Criterion: at least the label with the highest.

    Attributes
    ----------
    log_prior_odds_ : array (n_labels,)
        log P(H1) / P(H0).
    log_evidence_ : array (k + 1, n_labels)
        log P(E_C | H1) / P(E_C | H0) for C = 0, …, k.
    X_fit_ : array (n_examples, n_features)
        The training examples.
    Y_fit_ : array (n_examples, n_labels)
        Their label sets.
    label_names_ : array (n_labels,)
        Names of the labels.

    References
    ----------
    Zhang and Zhou, ML-KNN: a lazy learning approach to multi-label learning, Pattern Recognition
    40(7), 2007.
    """

    n_neighbors: int = 10
    smoothing: float = 1.0
    label_rule: str = "sign"

    _parameter_constraints: ClassVar[dict] = {"n_neighbors": [COUNT], "smoothing": [POSITIVE]}

    def _check_X(self, X, *, reset):
        least = 2 if reset else 1  # an example has a neighbour
        return check_vectors(self, X, reset=reset, ensure_min_samples=least)

    def _fit(self, X, Y):
        k = min(self.n_neighbors, len(Y) - 1)
        s = self.smoothing
        self.X_fit_, self.Y_fit_ = X, Y
        counts = _count_labels(X, X, Y, k, is_training=True)  # (n_examples, n_labels)
        n_having, n_lacking = Y.sum(axis=0), (~Y).sum(axis=0)
        self.log_prior_odds_ = np.log(s + n_having) - np.log(s + n_lacking)
        of_having = _likelihoods(counts, Y, k, s)  # P(E_C | H1)
        of_lacking = _likelihoods(counts, ~Y, k, s)  # P(E_C | H0)
        self.log_evidence_ = np.log(of_having) - np.log(of_lacking)

    def _scores(self, X):
        """Posterior log odds log P(H1 | E_C) / P(H0 | E_C): (n_examples, n_labels)."""
        k = len(self.log_evidence_) - 1
        counts = _count_labels(X, self.X_fit_, self.Y_fit_, k)
        return self.log_prior_odds_ + np.take_along_axis(self.log_evidence_, counts, axis=0)


def _count_labels(X, X_fit, Y, k, *, is_training=False):
    """How many of the k nearest training examples have each label: (n_examples, n_labels)."""
    counts = np.empty((X.shape[0], Y.shape[1]), dtype=int)
    squares = row_norms(X_fit, squared=True)
    # All distances at once would be n² numbers, which take longer to store than to compute.
    for batch in gen_batches(X.shape[0], ROWS_AT_ONCE):
        distances = euclidean_distances(X[batch], X_fit, Y_norm_squared=squares)
        if is_training:
            # By index: duplicates are legitimate neighbours.
            np.fill_diagonal(distances[:, batch], np.inf)
        counts[batch] = Y[nearest(distances, k)].sum(axis=1)
    return counts


def _likelihoods(counts, chosen, k, s):
    """Smoothed shares of the chosen examples with each count 0, …, k: (k + 1, n_labels)."""
    n_with = np.empty((k + 1, counts.shape[1]), dtype=int)
    for count in range(k + 1):
        has_count = (counts == count) & chosen
        n_with[count] = has_count.sum(axis=0)
    return (s + n_with) / (s * (k + 1) + n_with.sum(axis=0))


@dataclass(kw_only=True, eq=False, repr=False)
class LabelFrequencies(InstanceScores, MultiLabelEstimator):
    """Baseline that ignores the instances: a label's score is its share of the bags minus 1/2.

    Parameters
    ----------
    label_rule : {"top", "sign"}, default "top"
        The T-Criterion, which gives at least the label with the highest score, or the labels with
        a positive score.

    Attributes
    ----------
    shares_ : array (n_labels,)
        Share of the training bags that have each label.
    """

    label_rule: str = "top"

    def _fit(self, bags, Y):
        self.shares_ = Y.mean(axis=0)

    def _scores(self, bags):
        """The same scores for every bag: (n_bags, n_labels)."""
        # Positive for the labels that most examples have.
        return np.tile(self.shares_ - 0.5, (len(bags), 1))

    def _instance_scores(self, bags):
        """The same scores for every instance: (n_instances, n_labels)."""
        return np.tile(self.shares_ - 0.5, (bags.n_instances, 1))
