"""D-MimlSvm: MIML by regularised functions of bags and instances."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import cosine_similarity

from mimlpaper.algorithms.dmimlsvm_solvers import SOLVERS, ConvexProblem, Solution
from mimlpaper.arrays import order_by_name, real_array
from mimlpaper.bags import Bags
from mimlpaper.base import (
    ConstantLabelWarning,
    InstanceScores,
    MultiLabelEstimator,
    is_constant,
)
from mimlpaper.combinations import unit_rows
from mimlpaper.computing import progress
from mimlpaper.instance_kernels import KernelFeatures
from mimlpaper.kernels import integer_seed
from mimlpaper.parameters import (
    ARRAY,
    COUNT,
    FLAG,
    NOT_NEGATIVE,
    POSITIVE,
    VERBOSITY,
    above,
    words,
)
from mimlpaper.sharing import shared

TIED = 0.05  # largest difference of scores of instances that count as equal; the margin is 1


@dataclass(kw_only=True, eq=False, repr=False)
class DMimlSvm(InstanceScores, KernelFeatures, MultiLabelEstimator):
    """One regularised function f_t for each label t, on bags and on single instances.

    With f_t = <w_t, φ> + b_t and φ from a kernel on sets of instances it minimises

        1/(2T) Σ_t ||w_t||² + μ/T² ||Σ_t w_t||²
            + C/T Σ_it (τ_it max(0, 1 - y_it f_t(X_i)) + λ |f_t(X_i) - max_j f_t(x_ij)|),

    which is Eq. 21 with the weights τ of Eq. 24. The paper's trade-off γ is C m for m bags; μ and
    this γ are twice as large in Eq. 12. A label with one class only gets the constant score +1 or
    -1.

    Choose this learner to learn from bags directly, and to score instances as well.

    Parameters
    ----------
    kernel : {"rbf", "linear"}, default "rbf"
        Kernel between instances: exp(-γ ||x - x'||²) or <x, x'>.
    gamma : float > 0, "auto" or "scale", default "scale"
        Coefficient γ of "rbf", in units of one over a squared feature; "scale" is
        1 / (n_features Var x), "auto" 1 / n_features.
    rank : int >= 1, "auto" or None, default "auto"
        Largest number of landmarks of the kernel's factor; None is exact. "auto" is exact up to
        2,000 instances; above, it stops at 1% of the kernel's trace unexplained, or at 1,000
        landmarks. Not used by "linear".
    set_kernel : {"unit", "mean"}, default "unit"
        φ(X) is the sum of the φ(x), scaled to length 1, or their mean: then the problem is convex.
        φ(x) are the features of the kernel's factor. Far from all its landmarks their length goes
        to 0, so that with "unit" their direction alone counts there.
    C : float > 0, default 10.0
        Cost of a hinge loss of 1 of a bag, on average over the labels.
    lam : float >= 0, default 0.1
        The λ, cost of a difference of 1 between a bag and its highest instance, as a share of C.
    mu : float > -1/2, default 0.0
        Positive values penalise the function that all labels share, negative values favour it.
        For ``relatedness="pairwise"`` it must be positive: it is the μ_tt, and the common μ_ij that
        would share as much in all as the learned ones do. Not used if the μ_ij are given.
    relatedness : {"mean", "pairwise"} or array (n_labels, n_labels), default "mean"
        The labels share their mean function, or one for each pair (Eq. 28). The penalties μ_ij are
        learned: the more alike two labels' functions, the smaller. Or an array gives them, also the
        μ_tt of each label's own function: symmetric, from 0 (share most) to infinity (nothing).
        Rows and columns of a DataFrame go by their names.
    imbalance : bool, default False
        Whether to weigh losses by τ (Eq. 24): 1 - ibr_t where a bag has label t, and ibr_t where
        it lacks it. The rarer a label, the more its presence counts.
    solver : {"bundle", "cutting_plane", "cvxpy"}, default "bundle"
        "cutting_plane" is Table 8, "cvxpy" needs that package; both are for small data.
    tol : float > 0, default 2e-3
        Duality gap of a solved convex problem, as a share of its objective. "cutting_plane" stops
        by the rule of Table 8 instead, and warns if the gap that it leaves is larger.
    max_iter : int >= 1 or None, default None
        Largest number of iterations of a convex problem; None for the solver's own limit.
    cccp_tol : float >= 0, default 1e-3
        Least gain of a convex problem, as a share of the objective.
    max_cccp : int >= 1, default 30
        Largest number of convex problems; a ConvergenceWarning says that they still gained.
    label_rule : {"sign", "top"}, default "sign"
        Labels with a positive score (Section 5.1), or the T-Criterion: at least the label with the
        highest.
    verbose : int, default 0
        1 shows a bar on stderr that moves with each convex problem.
    random_state : int, RandomState or None, default None
        Draws the landmarks of the kernel's factor, and constraints of Table 8.

    Attributes
    ----------
    weights_ : array (r, n_labels)
        The w_t.
    intercept_ : array (n_labels,)
        The b_t.
    objective_, n_iter_ : array (n_steps,)
        The objective and the iterations of each convex problem that was kept.
    raw_objective_ : array (n_steps,) or (n_steps + 1,)
        ``objective_``, and at its end that of a step which raised it and was dropped, if any.
    duality_gap_ : float
        Of the last convex problem that was kept, as a share of its objective.
    label_relatedness_ : array (n_labels, n_labels)
        Cosines between the w_t, and 1 with itself; 0 with a constant label.
    pair_penalties_ : array (n_labels, n_labels) or None
        The μ_ij. Learned ones are the best for the final functions.
    imbalance_rates_ : array (n_labels,)
        The ibr_t: the share of instances with label t, those of a bag divided among its labels.
    factor_ : KernelFactor
        Features φ, fitted to the training instances.
    gamma_ : float
        The γ of the kernel.
    label_names_ : array (n_labels,)
        Names of the labels.

    References
    ----------
    Section 5 and Table 8; Cheung and Kwok, A regularization framework for multiple-instance
    learning, ICML 2006.
    """

    set_kernel: str = "unit"
    C: float = 10.0
    lam: float = 0.1
    mu: float = 0.0
    relatedness: str | np.ndarray = "mean"
    imbalance: bool = False
    solver: str = "bundle"
    tol: float = 2e-3
    max_iter: int | None = None
    cccp_tol: float = 1e-3
    max_cccp: int = 30
    label_rule: str = "sign"
    verbose: int = 0

    _parameter_constraints: ClassVar[dict] = {
        "kernel": [words("rbf", "linear")],
        "set_kernel": [words("unit", "mean")],
        "C": [POSITIVE],
        "lam": [NOT_NEGATIVE],
        "mu": [above(-0.5)],
        "relatedness": [words("mean", "pairwise"), ARRAY],
        "imbalance": [FLAG],
        "solver": [words(*SOLVERS)],
        "tol": [POSITIVE],
        "max_iter": [COUNT, None],
        "cccp_tol": [NOT_NEGATIVE],
        "max_cccp": [COUNT],
        "verbose": [VERBOSITY],
    }

    def _fit(self, bags, Y):
        relatedness = relatedness_of_labels(self.relatedness, self.label_names_)
        Q, penalties = regulariser(relatedness, self.mu, self.n_labels_)
        rates = imbalance_rates(Y, bags.sizes)
        tau = np.ones(Y.shape)
        if self.imbalance:
            tau = imbalance_weights(Y, rates)
        features = self._fit_features(bags)
        of_bags = self._of_bags(features)
        of_instances = self._of_instances(features)
        functions = shared(
            learn_functions,
            of_bags,
            of_instances,
            features.offsets,
            Y,
            tau,
            Q,
            C=self.C,
            lam=self.lam,
            **self._options(),
        )
        self.weights_ = functions.weights
        self.intercept_ = functions.intercept
        self.objective_ = functions.objective
        self.raw_objective_ = functions.raw_objective
        self.n_iter_ = functions.n_iter
        self.duality_gap_ = functions.duality_gap
        self.imbalance_rates_ = rates
        self.pair_penalties_ = penalties
        if self._learns_penalties:
            self.pair_penalties_ = learned_pair_penalties(self.weights_, self.mu)
        # Rounding may leave a cosine slightly outside its range.
        self.label_relatedness_ = cosine_similarity(self.weights_.T).clip(-1.0, 1.0)
        np.fill_diagonal(self.label_relatedness_, 1.0)
        self._warn(functions, Y)

    def _scores(self, bags):
        """f_t(X): (n_bags, n_labels)."""
        return self._of_bags(self._features(bags)) @ self.weights_ + self.intercept_

    def _instance_scores(self, bags):
        """f_t(x) of each instance as a bag of its own: (n_instances, n_labels)."""
        return self._of_instances(self._features(bags)) @ self.weights_ + self.intercept_

    def _of_bags(self, features: Bags) -> np.ndarray:
        """φ(X) of each bag, from the bags of φ(x): (n_bags, r)."""
        if self.set_kernel == "mean":
            return features.instance_sums / features.sizes[:, None]
        return unit_rows(features.instance_sums)

    def _of_instances(self, features: Bags):
        """φ({x}) of each instance as a bag of its own, as rows of bags: (n_instances, r)."""
        return features.rows if self.set_kernel == "mean" else unit_rows(features.rows)

    def _options(self) -> dict:
        """The arguments of :func:`descend` that follow from the parameters."""
        return {
            "learned_mu": self.mu if self._learns_penalties else None,
            "always_convex": self.set_kernel == "mean",
            "solver": self.solver,
            "tol": self.tol,
            "max_iter": self.max_iter,
            "cccp_tol": self.cccp_tol,
            "max_cccp": self.max_cccp,
            "seed": integer_seed(self.random_state),
            "verbose": self.verbose,
        }

    @property
    def _learns_penalties(self):
        return isinstance(self.relatedness, str) and self.relatedness == "pairwise"

    def _warn(self, functions: "Functions", Y):
        if not functions.settled:
            message = f"the concave-convex procedure stopped after {self.max_cccp} steps that still"
            message += " lowered the objective; raise max_cccp or cccp_tol"
            warnings.warn(message, ConvergenceWarning, stacklevel=4)
        if not functions.duality_gap <= self.tol:
            message = f'the solver "{self.solver}" stopped after {functions.n_iter[-1]} iterations'
            message += f" with a gap of {functions.duality_gap:.1e}, not {self.tol:.1e}"
            message += "; raise max_iter, or scale the features, by OnInstances(MinMaxScaler())"
            warnings.warn(message, ConvergenceWarning, stacklevel=4)
            return  # it is not known which functions are best
        varied = ~is_constant(Y)
        if varied.any() and not self.weights_[:, varied].any():
            message = "the best functions are constant; raise C"
            message += " or leave out the weights (imbalance=False)" if self.imbalance else ""
            warnings.warn(message, ConstantLabelWarning, stacklevel=4)


@dataclass(frozen=True, eq=False)
class Functions:
    """Functions f_t = <w_t, φ> + b_t, and how they were found."""

    weights: np.ndarray  # (r, n_labels)
    intercept: np.ndarray  # (n_labels,)
    raw_objective: np.ndarray  # of each convex problem, also of a last one that was dropped
    n_iter: np.ndarray  # (n_steps,), the iterations of each convex problem that was kept
    duality_gap: float  # of the last convex problem that was kept
    settled: bool  # whether the procedure ended by itself

    @property
    def objective(self) -> np.ndarray:
        """The objective of each convex problem that was kept: (n_steps,)."""
        return self.raw_objective[: len(self.n_iter)]


def learn_functions(
    of_bags: np.ndarray,
    of_instances: np.ndarray,
    offsets: np.ndarray,
    Y: np.ndarray,
    tau: np.ndarray,
    Q: np.ndarray,
    *,
    C: float,
    lam: float,
    **options,
) -> Functions:
    """Minimise Eq. 24 over the functions of all labels; one with one class gets f = 1 or -1.

    ``of_bags`` (n_bags, r) and ``of_instances`` (n_instances, r) are the φ of bags and instances,
    ``offsets`` where the instances of each bag start. ``tau`` (n_bags, n_labels) weighs losses, Q
    (n_labels, n_labels) is the regulariser's quadratic form. ``options`` go to :func:`descend`.
    """
    varied = np.flatnonzero(~is_constant(Y))
    n_labels = Y.shape[1]
    constant = Functions(
        weights=np.zeros((of_bags.shape[1], n_labels)),
        intercept=np.where(Y.all(axis=0), 1.0, -1.0),
        raw_objective=np.zeros(1),
        n_iter=np.zeros(1, int),
        duality_gap=0.0,
        settled=True,
    )
    if not len(varied):
        return constant
    cost = C / n_labels  # γ / (m T)
    if lam == 0:  # instances do not matter: each bag is its only instance
        of_instances = of_bags
        offsets = np.arange(len(Y) + 1)
    sizes = np.diff(offsets)
    shares = np.repeat(1.0 / sizes, sizes)  # (n_instances,)
    signs = np.where(Y[:, varied], 1.0, -1.0)
    equal_for_labels = np.ones(len(varied))
    problem = ConvexProblem(
        bags=of_bags,
        instances=of_instances,
        offsets=offsets,
        signs=signs,
        costs=cost * tau[:, varied],
        link=cost * lam,
        rho=np.outer(shares, equal_for_labels),
        Q=Q[np.ix_(varied, varied)],
    )
    return descend(problem, constant, varied, **options)


def descend(
    problem: ConvexProblem,
    constant: Functions,
    varied: np.ndarray,
    *,
    learned_mu: float | None,
    always_convex: bool,
    solver: str,
    tol: float,
    max_iter: int | None,
    cccp_tol: float,
    max_cccp: int,
    seed: int,
    verbose: int = 0,
) -> Functions:
    """Minimise by convex upper bounds, the constrained concave-convex procedure.

    With g_t = f_t - b_t, the excess g_t(X_i) - max_j g_t(x_ij) is not convex. A bound has in place
    of the maximum the mean Σ_j ρ_ijt g_t(x_ij) of the instances that are highest at the last
    solution, up to :data:`TIED`. ``problem`` is the first bound, on the labels ``varied``; the
    others keep their ``constant`` functions.
    ``learned_mu`` is the common size of μ_ij that are learned, or None; ``always_convex`` says that
    bounds are exact.
    """
    rng = np.random.RandomState(seed)
    exact = always_convex or problem.link == 0
    weights, intercept = constant.weights.copy(), constant.intercept.copy()
    raw_objective: list[float] = []
    n_iter: list[int] = []
    gap = 0.0
    settled = False
    solution: Solution | None = None
    for _ in progress(range(max_cccp), "DMimlSvm, convex problems", verbose):
        candidate = SOLVERS[solver](problem, solution, tol, max_iter, rng)
        value = _true_objective(problem, candidate, exact)
        fall = np.inf
        if raw_objective:
            fall = raw_objective[-1] - value
        raw_objective.append(value)
        # The solver's tolerance is more than what was left to gain.
        if fall < 0:
            settled = True
            break
        solution, gap = candidate, candidate.gap
        n_iter.append(candidate.n_iter)
        weights[:, varied] = candidate.weights
        intercept[varied] = candidate.intercept
        following = problem
        if not exact:  # the bound that touches at this solution, up to TIED
            rho = highest(problem, candidate.scores[1], TIED)
            following = replace(following, rho=rho)
        if learned_mu is not None:  # the best penalties for these functions
            penalties = learned_pair_penalties(weights, learned_mu)
            Q = pairwise_form(penalties)
            following = replace(following, Q=Q[np.ix_(varied, varied)])
        if fall <= cccp_tol * value or _is_same(problem, following):
            settled = True
            break
        problem = following
    objectives = np.array(raw_objective)
    iterations = np.array(n_iter)
    return Functions(weights, intercept, objectives, iterations, gap, settled)


def _true_objective(problem, solution, exact):
    """The objective that the bound stands for, at the bound's solution."""
    if not exact:
        problem = replace(problem, rho=highest(problem, solution.scores[1]))
    loss = problem.loss(*solution.scores, solution.intercept)
    return problem.regulariser(solution.weights) + loss


def _is_same(problem, following):
    same_rho = np.array_equal(problem.rho, following.rho)
    return same_rho and np.array_equal(problem.Q, following.Q)


def highest(problem: ConvexProblem, on_instances: np.ndarray, tied: float = 0.0) -> np.ndarray:
    """ρ_ijt = 1 / n_d for the n_d instances within ``tied`` of a bag's highest g_t, else 0.

    With ``tied`` = 0 this is the update of Section 5.3. ``on_instances`` are the g_t(x_ij), and the
    ρ_ijt have their shape (n_instances, n_labels).
    """
    tops = np.maximum.reduceat(on_instances, problem.offsets[:-1], axis=0)
    active = (on_instances >= problem.spread(tops) - tied).astype(np.float64)
    n_active = problem.sum_in_bags(active)  # (n_bags, n_labels)
    return active / problem.spread(n_active)


def relatedness_of_labels(relatedness, labels: Sequence) -> str | np.ndarray:
    """A word as it is, or an array of real numbers; of a DataFrame in the order of the labels."""
    if isinstance(relatedness, str):
        return relatedness
    if isinstance(relatedness, pd.DataFrame) and relatedness.shape == (len(labels), len(labels)):
        rows = order_by_name("rows of relatedness and the labels", relatedness.index, labels)
        columns = order_by_name(
            "columns of relatedness and the labels",
            relatedness.columns,
            labels,
        )
        relatedness = relatedness.iloc[rows, columns]
    return real_array("relatedness", relatedness)


def regulariser(relatedness, mu: float, n_labels: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Q of ½ tr(W Q W'), and the μ_ij or None: for "mean", "pairwise" or an array of μ_ij.

    W has the w_t as columns. For "pairwise" all μ_ij are μ. Raises ValueError for another word; for
    a ``mu`` that is not above -1/2, or for "pairwise" not positive; and for an array that is not
    (n_labels, n_labels), symmetric and >= 0, or that is 0 throughout.
    """
    shape = n_labels, n_labels
    if isinstance(relatedness, str):
        if relatedness == "mean":
            if not mu > -0.5:
                raise ValueError(f"mu must be greater than -1/2, got {mu!r}")
            return mean_form(n_labels, mu), None
        if relatedness != "pairwise":
            raise ValueError(f"relatedness must be mean, pairwise or an array, got {relatedness}")
        if not mu > 0:
            raise ValueError(f"mu must be positive for pairs of labels, got {mu!r}")
        relatedness = np.full(shape, mu)
    penalties = np.asarray(relatedness, dtype=np.float64)
    if penalties.shape != shape:
        raise ValueError(f"relatedness must have shape {shape}, got {penalties.shape}")
    is_symmetric = (penalties == penalties.T).all()
    if not ((penalties >= 0).all() and penalties.any() and is_symmetric):
        raise ValueError(
            "relatedness must be symmetric, at least 0, and not 0 throughout, got "
            f"{penalties.tolist()!s:.60}"
        )
    return pairwise_form(penalties), penalties


def mean_form(n_labels: int, mu: float) -> np.ndarray:
    """Q with ½ tr(W Q W') = 1/(2T) Σ_t ||w_t||² + μ/T² ||Σ_t w_t||² (Eq. 21)."""
    return np.eye(n_labels) / n_labels + 2.0 * mu / n_labels**2


def pairwise_form(mu: np.ndarray) -> np.ndarray:
    """Q with ½ tr(W Q W') = 1/(2T²) Σ_ij ||w_i - W_ij||² + 1/T² Σ_ij μ_ij ||W_ij||².

    The W_ij = W_ji are the best ones: W_ij = a_ij (w_i + w_j) with a_ij = 1 / (4 μ_ij + 2) (Eq. 26)
    gives the regulariser of Eq. 28, 1/(4 T²) Σ_ij (||w_i||² + ||w_j||² - a_ij ||w_i + w_j||²).
    """
    a = 1.0 / (4.0 * mu + 2.0)
    n_labels = len(a)
    of_squares = n_labels * np.eye(n_labels) - np.diag(a.sum(axis=1))
    return (of_squares - a) / n_labels**2


def learned_pair_penalties(weights: np.ndarray, mu: float) -> np.ndarray:
    """Best μ_ij, i ≠ j, for W with the total sharing of a common μ: (n_labels, n_labels).

    Within the budget Σ a_ij² = Σ 1 / (4 μ + 2)² the best a_ij = 1 / (4 μ_ij + 2) are proportional
    to ||w_i + w_j||², up to their largest value ½. The diagonal keeps μ.
    """
    norms = np.sum(weights**2, axis=0)
    sums = norms + norms[:, None] + 2.0 * weights.T @ weights  # ||w_i + w_j||²
    closeness = np.maximum(sums, 0.0)  # of opposite w, rounding may leave less
    pairs = np.triu_indices(len(norms), 1)
    a = _within_budget(closeness[pairs], 1.0 / (4.0 * mu + 2.0))
    with np.errstate(divide="ignore"):  # a = 0 shares nothing: μ_ij is infinite
        learned = (1.0 / a - 2.0) / 4.0
    penalties = np.full(closeness.shape, float(mu))
    penalties[pairs] = penalties.T[pairs] = np.maximum(learned, 0.0)
    return penalties


def _within_budget(closeness, mean_share):
    """min(½, θ closeness), with θ so that the mean square is that of ``mean_share``, or smaller.

    The ``n_full`` closest pairs have ½, and θ spends what they leave of the budget on the others.
    The mean square is smaller if too few pairs have a closeness above 0 to use the budget up; if
    none has, all pairs have ``mean_share``.
    """
    shares = np.full(len(closeness), mean_share)
    rising = np.sort(closeness)
    falling = rising[::-1]
    squares = np.cumsum(rising**2)[::-1]  # of each one and all smaller ones
    for n_full in range(np.count_nonzero(falling > 0)):
        left = len(closeness) * mean_share**2 - 0.25 * n_full
        theta = np.sqrt(left / squares[n_full])
        shares = np.minimum(0.5, theta * closeness)
        if theta * falling[n_full] <= 0.5:
            break
    return shares


def imbalance_rates(Y: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """ibr_t = Σ_{i with label t} (n_i / |Y_i|) / Σ_i n_i, of Section 5.4: (n_labels,)."""
    return (sizes / np.maximum(Y.sum(axis=1), 1)) @ Y / sizes.sum()


def imbalance_weights(Y: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """τ of Eq. 24, by Eq. 23 read as 1 - ibr_t with label t, ibr_t without: (n_bags, n_labels)."""
    return np.where(Y, 1.0 - rates, rates)
