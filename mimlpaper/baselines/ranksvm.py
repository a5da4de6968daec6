"""RankSvm: large-margin ranking of labels, then a threshold that decides how many are predicted."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import normalize
from sklearn.utils import check_random_state

from mimlpaper.base import VectorEstimator
from mimlpaper.baselines.ranksvm_frank_wolfe import Ranking, frank_wolfe
from mimlpaper.compiled import compiled
from mimlpaper.computing import progress
from mimlpaper.kernels import KERNELS, kernel_matrix
from mimlpaper.parameters import (
    COUNT,
    FLAG,
    NOT_NEGATIVE,
    POSITIVE,
    SEED,
    VERBOSITY,
    words,
)

CHECK_EVERY = 10  # sweeps between two checks of the duality gap
ADDITIONS_AT_ONCE = 50_000_000  # additions in one compiled call, a tenth of a second
PULL = 0.05  # penalty of biases: a constant in the kernel, in units of the examples' variance
GAP_FLOOR = 1e-6  # the gap is divided by at least this share of the objective at f = 0
MARGIN_OUTSIDE = 0.1  # how far the first and last threshold lie beyond the scores


class Stage(NamedTuple):
    """A machine: coefficients and biases of the functions and of the threshold."""

    coef: np.ndarray  # (n_usable, n_labels)
    intercept: np.ndarray  # (n_labels,)
    threshold_coef: np.ndarray  # (n_labels,)
    threshold_intercept: float

    def scores(self, gram) -> np.ndarray:
        """f_k(x) - t(x): (n_examples, n_labels)."""
        ranking = gram @ self.coef + self.intercept
        threshold = ranking @ self.threshold_coef + self.threshold_intercept
        return ranking - threshold[:, None]


@dataclass(kw_only=True, eq=False, repr=False)
class RankSvm(VectorEstimator):
    """Large-margin ranking of an example's labels above its missing labels.

    The functions f_k(x) = <w_k, x> + b_k, one for each label, minimise

        1/2 sum_k ||w_k||^2 + C sum_i 1 / (|Y_i| |Ybar_i|) sum_{k in Y_i, j not in Y_i}
            max(0, 1 - f_k(x_i) + f_j(x_i))

    over the usable examples, which have a label and a missing label; without one, a ValueError is
    raised. The scores are f_k(x) - t(x): t(x) = <v, f(x)> + v_0 is a least-squares fit, over all
    examples, to the value that separates the labels from the others with the fewest mistakes.

    Choose it if the order of the labels matters, for up to a few thousand examples: memory is
    about 8 n_examples (4 n_labels^2 + 3 n_examples) bytes. A label with one class gets a
    constant f_k, to within ``tol``.

    Parameters
    ----------
    kernel : {"poly", "rbf", "linear"}, default "poly"
        Kernel between examples: (γ <x, x'> + coef0)^degree, exp(-γ ||x - x'||²) or <x, x'>.
    degree : int >= 1, default 3
        Degree of "poly".
    gamma : float > 0, default 1.0
        Coefficient γ, in units of one over a squared feature.
    coef0 : float >= 0, default 1.0
        Constant of "poly".
    C : float > 0, default 1.0
        Cost of a ranking loss of 1 for each example.
    normalise : bool, default True
        Whether to scale each example to unit length first.
    label_rule : {"sign", "top"}, default "sign"
        Labels with a positive score, or the T-Criterion: at least the label with the highest.
    solver : {"block_ascent", "frank_wolfe"}, default "block_ascent"
        Block ascent converges. Frank-Wolfe is the authors'; with ``max_iter=50``, as in their
        program, it stops far from the optimum.
    tol : float > 0, default 1e-3
        Duality gap of block ascent, as a share of the objective.
    max_iter : int >= 1, default 2000
        Largest number of sweeps of block ascent, or of linear programs of Frank-Wolfe. After block
        ascent a ConvergenceWarning says if the gap is above ``tol``.
    linear_program : {"interior", "vertex"}, default "interior"
        Of Frank-Wolfe: a step goes towards the interior-point solution of the linear program, or
        towards a vertex.
    step_accuracy : float > 0, default 1e-4
        Of Frank-Wolfe: accuracy of a step's length, a share from 0 to 1.
    verbose : int, default 0
        1 shows a bar on stderr that moves with each sweep or linear program.
    random_state : int, RandomState or None, default None
        Draws the order of each sweep.

    Attributes
    ----------
    X_fit_ : array (n_usable, n_features)
        The usable training examples, of unit length if ``normalise``.
    dual_coef_ : array (n_usable, n_labels)
        The beta, with w_k = sum_i beta_ik φ(x_i).
    intercept_ : array (n_labels,)
        The b.
    threshold_coef_ : array (n_labels,)
        The v.
    threshold_intercept_ : float
        The v_0.
    duality_gap_ : float
        The gap as a share of the objective. With "frank_wolfe" it is that of the best biases b_k:
        the fitted ones follow from least squares, and their objective may be larger.
    n_iter_ : int
        Sweeps or linear programs.
    stages_ : list of Stage
        The machines before each step of Frank-Wolfe, or the last machine.
    label_names_ : array (n_labels,)
        Names of the labels.

    References
    ----------
    Elisseeff and Weston, A kernel method for multi-labelled classification, NIPS 14, 2002.
    """

    kernel: str = "poly"
    degree: int = 3
    gamma: float = 1.0
    coef0: float = 1.0
    C: float = 1.0
    normalise: bool = True
    label_rule: str = "sign"
    solver: str = "block_ascent"
    tol: float = 1e-3
    max_iter: int = 2000
    linear_program: str = "interior"
    step_accuracy: float = 1e-4
    verbose: int = 0
    random_state: int | np.random.RandomState | None = None

    _parameter_constraints: ClassVar[dict] = {
        "kernel": [words(*KERNELS)],
        "degree": [COUNT],
        "gamma": [POSITIVE],
        "coef0": [NOT_NEGATIVE],
        "C": [POSITIVE],
        "normalise": [FLAG],
        "solver": [words("block_ascent", "frank_wolfe")],
        "tol": [POSITIVE],
        "max_iter": [COUNT],
        "linear_program": [words("interior", "vertex")],
        "step_accuracy": [POSITIVE],
        "verbose": [VERBOSITY],
        "random_state": [SEED],
    }

    def staged_decision_function(self, X) -> Iterator[np.ndarray]:
        """The scores after 0, 1, ... steps of Frank-Wolfe; after all sweeps of block ascent."""
        gram = self._gram(self._check_X(X, reset=False))
        yield from (stage.scores(gram) for stage in self.stages_)

    def _check_X(self, X, *, reset):
        X = super()._check_X(X, reset=reset)
        return normalize(X) if self.normalise else X

    def _fit(self, X, Y):
        usable = Y.any(axis=1) & ~Y.all(axis=1)
        if not usable.any():
            raise ValueError("Y must have an example with a label and a missing label, got none")
        self.X_fit_ = X[usable]
        gram = self._gram(X)  # (n_examples, n_usable)
        if self.solver == "frank_wolfe":
            rankings = self._take_steps(gram[usable], Y[usable])
            self.n_iter_ = len(rankings)
        else:
            ranking, self.n_iter_ = self._ascend(gram[usable], Y[usable])
            rankings = [ranking]
        self.duality_gap_ = rankings[-1].gap
        self.stages_ = [_with_threshold(ranking, gram, Y) for ranking in rankings]
        last = self.stages_[-1]
        self.dual_coef_ = last.coef
        self.intercept_ = last.intercept
        self.threshold_coef_ = last.threshold_coef
        self.threshold_intercept_ = last.threshold_intercept

    def _take_steps(self, gram, Y) -> list[Ranking]:
        vertex = self.linear_program == "vertex"
        steps = frank_wolfe(gram, Y, self.C, vertex, self.step_accuracy, self.max_iter)
        return list(progress(steps, "RankSvm, linear programs", self.verbose))

    def _ascend(self, gram, Y) -> tuple[Ranking, int]:
        rng = check_random_state(self.random_state)
        ranking, n_sweeps = _block_ascent(
            gram, Y, self.C, self.tol, self.max_iter, rng, self.verbose
        )
        if not ranking.gap <= self.tol:  # also if the gap is NaN
            message = f"RankSvm stopped at a relative duality gap of {ranking.gap:.2e}"
            message += f" after {n_sweeps} sweeps, above tol={self.tol:.2e}"
            message += "; raise max_iter, lower C, or scale the examples"
            warnings.warn(message, ConvergenceWarning, stacklevel=4)
        return ranking, n_sweeps

    def _scores(self, X):
        """Scores f_k(x) - t(x), positive for the predicted labels: (n_examples, n_labels)."""
        return self.stages_[-1].scores(self._gram(X))

    def _gram(self, X):
        """Kernel between the rows of X and the usable examples: (n_examples, n_usable)."""
        return kernel_matrix(
            X,
            self.X_fit_,
            kernel=self.kernel,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
        )


def _block_ascent(gram, Y, C, tol, max_iter, rng, verbose) -> tuple[Ranking, int]:
    """The first checked ranking with a gap within ``tol``, or the last; and its sweeps."""
    n = len(Y)
    means = gram.mean(axis=0)  # (n,)
    mean = means.mean()
    # The method of multipliers: the dual's equations become a penalty, a constant in the kernel.
    constant = max(PULL * (np.trace(gram) / n - mean), 1 / (C * n))
    # Centring the kernel changes the biases only, and makes the examples less alike.
    centred = gram - means - means[:, None] + (mean + constant)
    dual = _Dual(centred, Y, C)
    for n_sweeps in progress(range(1, max_iter + 1), "RankSvm, sweeps", verbose):
        dual.sweep(rng.permutation(n))
        dual.move_bias(constant)
        if n_sweeps % CHECK_EVERY and n_sweeps < max_iter:
            continue
        dual.balance()
        gap = dual.gap()
        if gap <= tol:
            break
    return Ranking(dual.beta.T, dual.bias - dual.beta @ means, gap), n_sweeps


class _Dual:
    """The dual problem of the ranking, and the point that block ascent has reached.

    It maximises sum(alpha) - 1/2 sum_k beta_k' K beta_k, where beta_ik is the sum of alpha_ikj over
    j if k is in Y_i, minus the sum of alpha_ijk otherwise, for
    0 <= alpha_ikj <= C / (|Y_i| |Ybar_i|) and sum_i beta_ik = 0. The biases are the multipliers of
    these equations.
    """

    def __init__(self, gram, Y, C):
        n, n_labels = Y.shape
        self.gram = gram
        self.Y = Y
        self.C = C
        self.pairs = Y[:, :, None] & ~Y[:, None, :]  # [i, k, j]: i has k and lacks j
        self.upper = C / self.pairs.sum(axis=(1, 2))  # (n,)
        self.alpha = np.zeros(self.pairs.shape)
        self.beta = np.zeros((n_labels, n))  # beta_ik in row k
        self.scores = np.zeros((n_labels, n))
        self.bias = np.zeros(n_labels)
        self.excess = np.zeros(n_labels)  # sum_i beta_ik

    def sweep(self, order):
        """Ascend once for each pair of each example, in calls that leave time for Ctrl-C."""
        n, n_labels = self.Y.shape
        n_at_once = max(1, ADDITIONS_AT_ONCE // (n_labels * (n_labels + n)))
        for start in range(0, n, n_at_once):
            block = order[start : start + n_at_once]
            _sweep(
                self.gram,
                self.Y,
                self.upper,
                block,
                self.alpha,
                self.beta,
                self.scores,
            )

    def move_bias(self, constant):
        """A step of the method of multipliers: add to b the penalty times sum_i beta_ik."""
        self.excess = self.beta.sum(axis=1)
        step = constant * self.excess
        self.bias += step
        self.scores += step[:, None]

    def balance(self):
        """Make alpha feasible as far as single pairs allow, and compute beta again from it."""
        _balance(self.Y, self.upper, self.alpha, self.excess)
        flow = self.alpha.sum(axis=2) - self.alpha.sum(axis=1)
        self.beta = flow.T.copy()

    def gap(self) -> float:
        """The duality gap as a share of the objective; computes the scores again from beta."""
        without_bias = self.beta @ self.gram
        self.scores = without_bias + self.bias[:, None]
        half_square = np.sum(self.beta * without_bias) / 2
        on_examples = self.scores.T
        margins = 1.0 - on_examples[:, :, None] + on_examples[:, None, :]
        losses = self.upper[:, None, None] * np.maximum(margins, 0.0)
        primal = half_square + np.sum(losses, where=self.pairs)
        unbalanced = np.abs(self.bias * self.excess).sum()  # 0 if balanced
        dual = self.alpha.sum() - half_square - unbalanced
        return (primal - dual) / max(primal, GAP_FLOOR * self.C * len(self.Y))


@compiled
def _sweep(gram, Y, upper, order, alpha, beta, scores):
    """A step of ascent for every pair of labels of each example in ``order``, in place."""
    n, n_labels = Y.shape
    raised = np.empty(n_labels)  # the scores of example i, with the steps of its pairs
    for i in order:
        size = gram[i, i]
        raised[:] = scores[:, i]
        for k in range(n_labels):
            for j in range(n_labels):
                if Y[i, k] and not Y[i, j]:
                    old = alpha[i, k, j]
                    step = (1.0 - raised[k] + raised[j]) / (2.0 * size)
                    step = min(max(step, -old), upper[i] - old)
                    alpha[i, k, j] += step
                    raised[k] += step * size
                    raised[j] -= step * size
        # The other examples' scores follow once, after all pairs of this example.
        for k in range(n_labels):
            step = (raised[k] - scores[k, i]) / size
            if step != 0.0:
                beta[k, i] += step
                for m in range(n):
                    scores[k, m] += step * gram[i, m]


@compiled
def _balance(Y, upper, alpha, excess):
    """Lower |``excess``|, the sum_i beta_ik, in one pass: as far as each pair of alpha allows."""
    n, n_labels = Y.shape
    for i in range(n):
        for k in range(n_labels):
            for j in range(n_labels):
                if Y[i, k] and not Y[i, j]:
                    old = alpha[i, k, j]
                    if excess[k] > 0.0 > excess[j]:
                        step = -min(excess[k], -excess[j], old)
                    elif excess[k] < 0.0 < excess[j]:
                        step = min(-excess[k], excess[j], upper[i] - old)
                    else:
                        continue
                    alpha[i, k, j] += step
                    excess[k] += step
                    excess[j] -= step


def _with_threshold(ranking: Ranking, gram, Y) -> Stage:
    """The ranking and its threshold t, a least-squares fit to the examples' best thresholds."""
    f = gram @ ranking.coef + ranking.intercept  # (n_examples, n_labels)
    with_ones = np.column_stack([f, np.ones(len(f))])
    *coef, intercept = np.linalg.lstsq(with_ones, _best_thresholds(f, Y), rcond=None)[0]
    return Stage(ranking.coef, ranking.intercept, np.array(coef), intercept)


def _best_thresholds(f, Y):
    """The lowest candidate t (n_examples,) for which {k: f_k > t} has the fewest mistakes.

    Candidates lie in the middle of neighbouring scores, and beyond the first and the last.
    """
    ordered = np.sort(f, axis=1)
    between = (ordered[:, 1:] + ordered[:, :-1]) / 2
    below = ordered[:, 0] - MARGIN_OUTSIDE
    above = ordered[:, -1] + MARGIN_OUTSIDE
    candidates = np.column_stack([below, between, above])  # (n_examples, n_labels + 1)
    scores = f[:, None]
    thresholds = candidates[:, :, None]
    # A score at the threshold is a mistake either way.
    missed = scores <= thresholds
    invented = scores >= thresholds
    mistakes = np.where(Y[:, None], missed, invented).sum(axis=2)
    return candidates[np.arange(len(f)), mistakes.argmin(axis=1)]
