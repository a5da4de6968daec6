"""RankSvm: large-margin ranking of labels, then a threshold for the size of the label set."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from numbers import Integral
from typing import NamedTuple

import numpy as np
from numba import njit
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import normalize
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mimlpaper.base import VectorEstimator, check_vectors
from mimlpaper.baselines.frank_wolfe import frank_wolfe
from mimlpaper.kernels import kernel_matrix

CHECK_EVERY = 10  # sweeps between two duality gaps
PULL = 0.05  # constant added to the kernel, in units of the variance of the examples
GAP_FLOOR = 1e-6  # smallest divisor of the gap, in units of the objective at f = 0
MARGIN_OUTSIDE = 0.1  # distance of a threshold that separates nothing from the nearest score
CHOICES = {"solver": ("block_ascent", "frank_wolfe"), "linear_program": ("interior", "vertex")}


class Stage(NamedTuple):
    """A machine: coefficients and biases of the functions and of the threshold."""

    coef: np.ndarray  # (n_usable, n_labels)
    intercept: np.ndarray  # (n_labels,)
    threshold_coef: np.ndarray  # (n_labels,)
    threshold_intercept: float


class RankSvm(VectorEstimator):
    """Large-margin ranking of an example's labels above its missing labels.

    The functions f_k(x) = <w_k, x> + b_k, one for each label, minimise

        1/2 sum_k ||w_k||^2 + C sum_i 1 / (|Y_i| |Ybar_i|) sum_{k in Y_i, j not in Y_i}
            max(0, 1 - f_k(x_i) + f_j(x_i))

    over the usable examples, which have a label and a missing label; a ValueError if there is
    none. A threshold t(x) = <v, f(x)> + v_0 then sets how many labels are predicted: v and v_0
    fit, by least squares over all examples, the value that separates an example's labels from the
    others with the fewest mistakes. The scores are f_k(x) - t(x), so that ``label_rule="sign"`` is
    the size predictor of the reference, and the ranking of the labels is that of f.

    Choose it if the order of the labels matters, for up to some thousand examples: a sweep of
    the solver takes time n_examples^2 n_labels at most, and memory is about
    8 n_examples (n_labels^2 + 3 n_examples) bytes. A label with one class only among the usable
    examples gets a constant f_k.

    ``RankSvm(solver="frank_wolfe", max_iter=50)`` is the program of the method's time. It stops
    far from the optimum; its scores depend on the examples' scale, and on details of the steps.

    Parameters
    ----------
    kernel : {"poly", "rbf", "linear"}, default "poly"
    degree, gamma, coef0 : see :func:`mimlpaper.kernels.kernel_matrix`.
    C : float, default 1.0, cost of a ranking loss of 1 for each example.
    normalise : bool, default True
        Scale each example to unit length first; with a polynomial kernel on longer examples
        the solver may stop far from the optimum.
    label_rule : {"sign", "top"}, default "sign"
        The labels above the threshold; "top" adds the best label.
    solver : {"block_ascent", "frank_wolfe"}, default "block_ascent"
        Of the dual. Block ascent over the examples converges. Frank-Wolfe, see
        :func:`~mimlpaper.baselines.frank_wolfe.frank_wolfe`, is for comparison with the original:
        its last step is not taken, and the biases are the least-squares solution over all
        alpha_ikl strictly between their bounds.
    tol : float, default 1e-3, duality gap at which block ascent stops, as a share of the objective.
    max_iter : int, default 2000
        Most sweeps, after which a gap above ``tol`` warns; or most linear programs.
    linear_program : {"interior", "vertex"}, default "interior"
        Frank-Wolfe moves towards the end of an interior-point method, or a vertex.
    step_accuracy : float, default 1e-4
        Of Frank-Wolfe's step length, a share from 0 to 1; 0 for exact steps. On examples of large
        norm the best steps are shorter than the accuracy, and inexact steps overshoot.
    random_state : int, RandomState or None, default None
        Draws the order of the examples in each sweep; results differ within ``tol`` only.

    Attributes
    ----------
    X_fit_ : (n_usable, n_features), the usable training examples, as the kernel sees them.
    dual_coef_ : (n_usable, n_labels), coefficients beta with w_k = sum_i beta_ik x_i.
    intercept_ : (n_labels,), the biases b, which sum to zero.
    threshold_coef_, threshold_intercept_ : (n_labels,) and float, v and v_0.
    duality_gap_ : float, (primal - dual objective) / primal objective; an upper bound of the
        relative distance from the optimum. Frank-Wolfe's is that of its alpha with the best biases.
    n_iter_ : int, number of sweeps or of linear programs.
    stages_ : list of Stage, the machines before each step of Frank-Wolfe, or the last machine of
        block ascent.

    References
    ----------
    Elisseeff, Weston: A kernel method for multi-labelled classification, NIPS 14, 2002.
    """

    def __init__(
        self, *, kernel="poly", degree=3, gamma=1.0, coef0=1.0, C=1.0, normalise=True,
        label_rule="sign", solver="block_ascent", tol=1e-3, max_iter=2000,
        linear_program="interior", step_accuracy=1e-4, random_state=None,
    ):  # fmt: skip
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.C = C
        self.normalise = normalise
        self.label_rule = label_rule
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.linear_program = linear_program
        self.step_accuracy = step_accuracy
        self.random_state = random_state

    def fit(self, X, Y) -> RankSvm:
        """Fit on X (n_examples, n_features), dense or sparse, and Y (n_examples, n_labels)."""
        self._check_parameters()
        X = self._check_examples(X, reset=True)
        Y = self._learn_labels(Y, X.shape[0])
        usable = Y.any(axis=1) & ~Y.all(axis=1)
        if not usable.any():
            raise ValueError(
                "Y must have an example with a label and a missing label to rank, got none "
                f"among {len(Y)} examples of {self.n_labels_} label(s)"
            )
        self.X_fit_ = X[usable]
        gram = self._kernel(X, self.X_fit_)  # (n_examples, n_usable)
        solve = self._step_by_step if self.solver == "frank_wolfe" else self._converge
        machines = solve(gram[usable], Y[usable])
        self.stages_ = [_with_threshold(gram, Y, *machine) for machine in machines]
        self.dual_coef_, self.intercept_, *threshold = self.stages_[-1]
        self.threshold_coef_, self.threshold_intercept_ = threshold
        return self

    def decision_function(self, X) -> np.ndarray:
        """Scores f_k(x) - t(x), positive for the predicted labels: (n_examples, n_labels)."""
        return _scores(self._gram(X), self.stages_[-1])

    def staged_decision_function(self, X) -> Iterator[np.ndarray]:
        """The scores after 0, 1, ... steps of Frank-Wolfe; after all sweeps of block ascent."""
        gram = self._gram(X)
        for stage in self.stages_:
            yield _scores(gram, stage)

    def _step_by_step(self, gram, Y):
        """Coefficients and biases before each step of Frank-Wolfe."""
        steps = list(frank_wolfe(
            gram, Y, self.C, vertex=self.linear_program == "vertex", accuracy=self.step_accuracy,
            max_iter=self.max_iter,
        ))  # fmt: skip
        self.n_iter_, self.duality_gap_ = len(steps), steps[-1][-1]
        return [(coef, intercept) for coef, intercept, _ in steps]

    def _converge(self, gram, Y):
        """Coefficients and biases at the end of block ascent."""
        rng = check_random_state(self.random_state)
        *machine, self.duality_gap_, self.n_iter_ = _solve(
            gram, Y, self.C, self.tol, self.max_iter, rng
        )
        if not self.duality_gap_ <= self.tol:  # also if it is NaN
            warnings.warn(
                f"RankSvm stopped at a relative duality gap of {self.duality_gap_:.2e} after "
                f"{self.n_iter_} sweeps, above tol={self.tol:.2e}; raise max_iter, lower C, or "
                "scale the examples",
                ConvergenceWarning,
                stacklevel=3,
            )
        return [machine]

    def _check_parameters(self):
        self._check_label_rule()
        for name in ("C", "gamma", "tol"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)!r}")
        for name in ("degree", "max_iter"):
            value = getattr(self, name)
            if not (isinstance(value, Integral) and value >= 1):
                raise ValueError(f"{name} must be an integer of at least 1, got {value!r}")
        for name in ("coef0", "step_accuracy"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} must be at least 0, got {getattr(self, name)!r}")
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {choices}, got {getattr(self, name)!r}")

    def _check_examples(self, X, reset):
        X = check_vectors(self, X, reset=reset)
        return normalize(X) if self.normalise else X

    def _gram(self, X):
        check_is_fitted(self)
        return self._kernel(self._check_examples(X, reset=False), self.X_fit_)

    def _kernel(self, A, B):
        return kernel_matrix(
            A, B, kernel=self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0
        )


def _solve(gram, Y, C, tol, max_iter, rng):
    """Coefficients (n, n_labels), biases (n_labels,), relative duality gap, sweeps.

    The dual maximises sum(alpha) - 1/2 sum_k beta_k' K beta_k, where beta_ik is the sum of
    alpha_ikj over j if k is in Y_i, minus the sum of alpha_ijk otherwise, within the box
    0 <= alpha_ikj <= C / (|Y_i| |Ybar_i|) and with sum_i beta_ik = 0 for every label. It is
    solved by block ascent over the examples; the equations are held by the method of
    multipliers, which adds a constant to the kernel and whose multipliers are the biases.
    """
    n, n_labels = Y.shape
    upper = C / (Y.sum(axis=1) * (~Y).sum(axis=1))  # (n,)
    # Centring the kernel changes the biases only, and makes the examples less alike.
    means = gram.mean(axis=0)  # (n,)
    spread = np.trace(gram) / n - means.mean()
    pull = max(PULL * spread, 1 / (C * n))
    gram = gram - means - means[:, None] + (means.mean() + pull)
    alpha = np.zeros((n, n_labels, n_labels))  # 0 unless k in Y_i and j not in Y_i
    beta = np.zeros((n_labels, n))
    bias = np.zeros(n_labels)
    scores = np.zeros((n_labels, n))
    for n_iter in range(1, max_iter + 1):
        _sweep(gram, Y, upper, rng.permutation(n), alpha, beta, scores)
        excess = beta.sum(axis=1)  # (n_labels,)
        bias += pull * excess
        scores += pull * excess[:, None]
        if n_iter % CHECK_EVERY and n_iter < max_iter:
            continue
        _balance(Y, upper, alpha, excess)
        beta = (alpha.sum(axis=2) - alpha.sum(axis=1)).T.copy()
        smooth = beta @ gram
        scores = smooth + bias[:, None]
        norm = np.sum(beta * smooth) / 2
        primal = norm + _ranking_loss(Y, upper, scores)
        dual = alpha.sum() - norm - np.abs(bias * excess).sum()  # 0 if balanced
        gap = (primal - dual) / max(primal, GAP_FLOOR * C * n)
        if gap <= tol:
            break
    return beta.T, bias - beta @ means, gap, n_iter


@njit(cache=True, nogil=True)
def _sweep(gram, Y, upper, order, alpha, beta, scores):
    """One step of ascent for every pair of labels of every example, in place."""
    n, n_labels = Y.shape
    own = np.empty(n_labels)
    for i in order:
        own[:] = scores[:, i]
        for k in range(n_labels):
            for j in range(n_labels):
                if Y[i, k] and not Y[i, j]:
                    step = (1.0 - own[k] + own[j]) / (2.0 * gram[i, i])
                    step = min(max(step, -alpha[i, k, j]), upper[i] - alpha[i, k, j])
                    alpha[i, k, j] += step
                    own[k] += step * gram[i, i]
                    own[j] -= step * gram[i, i]
        for k in range(n_labels):
            step = (own[k] - scores[k, i]) / gram[i, i]
            if step != 0.0:
                beta[k, i] += step
                for m in range(n):
                    scores[k, m] += step * gram[i, m]


@njit(cache=True, nogil=True)
def _balance(Y, upper, alpha, excess):
    """Move alpha, in place, until sum_i beta_ik = 0 where a pair of labels allows it.

    ``excess`` holds these sums and changes in place.
    """
    n, n_labels = Y.shape
    for i in range(n):
        for k in range(n_labels):
            for j in range(n_labels):
                if Y[i, k] and not Y[i, j]:
                    if excess[k] > 0.0 > excess[j]:
                        step = -min(excess[k], -excess[j], alpha[i, k, j])
                    elif excess[k] < 0.0 < excess[j]:
                        step = min(-excess[k], excess[j], upper[i] - alpha[i, k, j])
                    else:
                        continue
                    alpha[i, k, j] += step
                    excess[k] += step
                    excess[j] -= step


@njit(cache=True, nogil=True)
def _ranking_loss(Y, upper, scores):
    """Hinge losses of all pairs of labels, weighted by C / (|Y_i| |Ybar_i|), summed."""
    n, n_labels = Y.shape
    total = 0.0
    for i in range(n):
        for k in range(n_labels):
            for j in range(n_labels):
                if Y[i, k] and not Y[i, j]:
                    total += upper[i] * max(0.0, 1.0 - scores[k, i] + scores[j, i])
    return total


def _scores(gram, stage):
    """f_k(x) - t(x): (n_examples, n_labels)."""
    ranking = gram @ stage.coef + stage.intercept
    threshold = ranking @ stage.threshold_coef + stage.threshold_intercept
    return ranking - threshold[:, None]


def _with_threshold(gram, Y, coef, intercept):
    """The stage with these functions and the threshold fitted to the training examples."""
    return Stage(coef, intercept, *_fit_threshold(gram @ coef + intercept, Y))


def _fit_threshold(ranking, Y):
    """Least-squares fit (v, v_0) of the best thresholds of examples with scores f."""
    linear = np.column_stack([ranking, np.ones(len(ranking))])
    *coef, intercept = np.linalg.lstsq(linear, _best_thresholds(ranking, Y), rcond=None)[0]
    return np.array(coef), intercept


def _best_thresholds(ranking, Y):
    """The t for which {k: f_k > t} differs from the label set in the fewest labels: (n_examples,).

    t is the middle of two neighbouring scores, or lies outside of all scores; it is the lowest if
    several are optimal.
    """
    ordered = np.sort(ranking, axis=1)
    places = np.column_stack(
        [
            ordered[:, 0] - MARGIN_OUTSIDE,
            (ordered[:, 1:] + ordered[:, :-1]) / 2,
            ordered[:, -1] + MARGIN_OUTSIDE,
        ]
    )  # (n_examples, n_labels + 1)
    mistakes = np.zeros(places.shape, dtype=np.int64)
    for f, has in zip(ranking.T, Y.T, strict=True):
        mistakes += np.where(has[:, None], f[:, None] <= places, f[:, None] >= places)
    return places[np.arange(len(places)), mistakes.argmin(axis=1)]
