"""D-MimlSvm: MIML by regularised functions of bags and instances."""

import warnings
from dataclasses import dataclass, replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import cosine_similarity

from mimlpaper.algorithms.dmimlsvm_solvers import SOLVERS, ConvexProblem
from mimlpaper.base import ConstantLabelWarning, MultiLabelEstimator, check_bags, check_parameters
from mimlpaper.baselines.misvm import KernelFeatures
from mimlpaper.kernels import integer_seed
from mimlpaper.sharing import shared

CHOICES = {"kernel": ("rbf", "linear"), "set_kernel": ("unit", "mean"), "solver": tuple(SOLVERS)}
TIED = 0.05  # scores of instances that count as equal, in margins


@dataclass(kw_only=True, eq=False, repr=False)
class DMimlSvm(KernelFeatures, MultiLabelEstimator):
    """One regularised function f_t for each label t, on bags and on single instances.

    With f_t = <w_t, φ> + b_t and φ from a kernel on sets of instances it minimises

        1/(2T) Σ_t ||w_t||² + μ/T² ||Σ_t w_t||²
            + C/T Σ_it (τ_it max(0, 1 - y_it f_t(X_i)) + λ |f_t(X_i) - max_j f_t(x_ij)|),

    which is Eq. 21 with γ = C m for m bags, and with the weights τ of Eq. 24; the μ and γ of Eq. 12
    are twice these. Choose it to learn from bags directly and to score instances as well. A label
    with one class only gets the constant score +1 or -1.

    Parameters
    ----------
    kernel, gamma, rank : see :class:`~mimlpaper.kernels.KernelFactor`; "rbf", "scale", "auto".
    set_kernel : {"unit", "mean"}, default "unit"
        φ(X) is the sum of the φ(x) at unit length, or their mean: then the problem is convex.
    C, lam : float, defaults 10.0 and 0.1, cost of a hinge loss of 1, and the λ as a share of C.
    mu : float > -1/2, default 0.0
        Positive values penalise the function that all labels share, negative values favour it.
        For ``relatedness="pairwise"`` positive, the common size of the μ_ij.
    relatedness : "mean", "pairwise" or array (n_labels, n_labels), default "mean"
        The labels share their mean function, or one for each pair (Eq. 28). The μ_ij are learned,
        see :func:`learned_pair_penalties`, or given: symmetric, from 0 (share most) to infinity.
    imbalance : bool, default False, weigh losses by τ, see :func:`imbalance_weights`
    solver : {"bundle", "cutting_plane", "cvxpy"}, default "bundle"
        "cutting_plane" is Table 8, "cvxpy" needs that package; both are for small data.
    tol, max_iter : of a convex problem, its duality gap as a share of the objective, default 2e-3,
        and most iterations, default None for the solver's own limit.
    cccp_tol, max_cccp : least gain of a convex problem, default 1e-3, and most of them, default 30.
    label_rule : {"sign", "top"}, default "sign" (Section 5.1)
    random_state : int, RandomState or None, default None, of the landmarks and of Table 8.

    Attributes
    ----------
    weights_, intercept_ : (rank, n_labels) and (n_labels,), w_t and b_t.
    objective_, n_iter_ : (n_steps,), the objective and the iterations of each convex problem.
    raw_objective_ : (n_steps,), or (n_steps + 1,) with a last step that raised it and was dropped.
    duality_gap_ : float, of the last convex problem, as a share of its objective.
    label_relatedness_ : (n_labels, n_labels), cosines between the w_t; 0 for a constant label.
    pair_penalties_, imbalance_rates_ : μ_ij (n_labels, n_labels) or None, and ibr_t (n_labels,).

    Sources: Section 5 and Table 8; Cheung and Kwok, ICML 2006.
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

    def fit(self, X, Y):
        """Fit on bags X and label sets Y (n_bags, n_labels)."""
        check_parameters(self, limits=["max_iter"], choices=CHOICES)
        bags = check_bags(X, self, reset=True)
        Y = self._learn_labels(Y, len(bags))
        # The rule only reads the scores, so that fits with different rules share the work.
        free = {"label_rule": "sign", "random_state": integer_seed(self.random_state)}
        settings = self.get_params() | free
        learnt = vars(shared(DMimlSvm._learn, DMimlSvm(**settings), bags, Y))
        self.__dict__.update({name: learnt[name] for name in learnt if name not in settings})
        if not self._settled:
            message = f"the concave-convex procedure stopped after {self.max_cccp} steps that still"
            message += " lowered the objective; raise max_cccp or cccp_tol"
            warnings.warn(message, ConvergenceWarning, stacklevel=2)
        if not self.duality_gap_ <= self.tol:
            message = f'the solver "{self.solver}" stopped after {self.n_iter_[-1]} iterations'
            message += f" with a gap of {self.duality_gap_:.1e}, not {self.tol:.1e}; raise max_iter"
            warnings.warn(message, ConvergenceWarning, stacklevel=2)
        if self._learnt.size and not self.weights_[:, self._learnt].any():
            message = "the best functions are constant; raise C"
            message += " or leave out the weights (imbalance=False)" * self.imbalance
            warnings.warn(message, ConstantLabelWarning, stacklevel=2)
        return self

    def decision_function(self, X) -> np.ndarray:
        """f_t(X): (n_bags, n_labels)."""
        return self._of_bags(self._features(X)) @ self.weights_ + self.intercept_

    def instance_scores(self, X) -> np.ndarray:
        """f_t(x) of each instance as a bag of its own: (n_instances, n_labels)."""
        return self._of_instances(self._features(X)) @ self.weights_ + self.intercept_

    def _learn(self, bags, Y):
        """The learner itself, with fitted attributes."""
        self.n_labels_ = Y.shape[1]
        features = self._fit_features(bags)
        Q, self.pair_penalties_ = regulariser(self.relatedness, self.mu, self.n_labels_)
        self.imbalance_rates_ = imbalance_rates(Y, bags.sizes)
        varied = self._learnt = np.flatnonzero(Y.any(axis=0) & ~Y.all(axis=0))
        self.weights_ = np.zeros((features.n_features, self.n_labels_))
        self.intercept_ = np.where(Y.all(axis=0), 1.0, -1.0)
        self.objective_ = self.raw_objective_ = np.zeros(1)
        self.n_iter_, self.duality_gap_ = np.zeros(1, int), 0.0
        self._settled = True
        pairwise = isinstance(self.relatedness, str) and self.relatedness == "pairwise"
        if len(varied):
            problem = self._first_problem(features, Y[:, varied], varied, Q)
            self._minimise(problem, varied, pairwise)
        if pairwise:
            self.pair_penalties_ = learned_pair_penalties(self.weights_, self.mu)
        self.label_relatedness_ = cosine_similarity(self.weights_.T).clip(-1.0, 1.0)
        np.fill_diagonal(self.label_relatedness_, 1.0)
        return self

    def _of_bags(self, features):
        if self.set_kernel == "mean":
            return features.mean(features.instances)
        return _unit_rows(features.sum(features.instances))

    def _of_instances(self, features):
        return features.instances if self.set_kernel == "mean" else _unit_rows(features.instances)

    def _minimise(self, problem, varied, pairwise):
        """Minimise the objective by convex upper bounds, the constrained concave-convex procedure.

        Where g_t(X_i) exceeds the highest instance, a bound has Σ_j ρ_ijt g_t(x_ij) in its place,
        which is equal at the last solution up to :data:`TIED`.
        """
        rng = np.random.RandomState(self.random_state)  # of an integer, see fit
        convex = self.set_kernel == "mean" or self.lam == 0
        raw, n_iter, solution = [], [], None
        for _ in range(self.max_cccp):
            found = SOLVERS[self.solver](problem, solution, self.tol, self.max_iter, rng)
            following = true = problem
            if not convex:
                true = replace(problem, rho=highest(problem, found.scores[1]))
                following = replace(problem, rho=highest(problem, found.scores[1], TIED))
            value = true.regulariser(found.weights) + true.loss(*found.scores, found.intercept)
            fall = raw[-1] - value if raw else np.inf
            raw.append(value)
            if fall < 0:  # the solver's tolerance is more than what was left to gain
                break
            solution = found
            n_iter.append(found.n_iter)
            self.weights_[:, varied], self.intercept_[varied] = found.weights, found.intercept
            if pairwise:
                Q = pairwise_form(learned_pair_penalties(self.weights_, self.mu))
                following = replace(following, Q=Q[np.ix_(varied, varied)])
            same_rho = np.array_equal(problem.rho, following.rho)
            same = same_rho and np.array_equal(problem.Q, following.Q)
            if fall <= self.cccp_tol * value or same:
                break
            problem = following
        else:
            self._settled = False
        self.raw_objective_, self.n_iter_ = np.array(raw), np.array(n_iter)
        self.objective_, self.duality_gap_ = self.raw_objective_[: len(n_iter)], solution.gap

    def _first_problem(self, features, Y, varied, Q):
        """Eq. 24 on the labels that vary, with ρ_ijt = 1/n_i."""
        of_bags = self._of_bags(features)
        cost = self.C / self.n_labels_  # γ / (m T)
        tau = imbalance_weights(Y, self.imbalance_rates_[varied]) if self.imbalance else 1.0
        costs = cost * tau * np.ones(Y.shape)
        of_instances, offsets = self._of_instances(features), features.offsets
        if self.lam == 0:  # instances do not matter: each bag is its only instance
            of_instances, offsets = of_bags, np.arange(len(Y) + 1)
        sizes = np.diff(offsets)
        rho = np.repeat(1.0 / sizes, sizes)[:, None] * np.ones(len(varied))
        return ConvexProblem(
            of_bags,
            of_instances,
            offsets,
            np.where(Y, 1.0, -1.0),
            costs,
            cost * self.lam,
            rho,
            Q[np.ix_(varied, varied)],
        )


def _unit_rows(rows):
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(norms > 0, norms, 1.0)


def highest(problem: ConvexProblem, on_instances: np.ndarray, tied: float = 0.0) -> np.ndarray:
    """ρ_ijt = 1 / n_d for the n_d instances within ``tied`` of a bag's highest g_t, else 0."""
    tops = np.maximum.reduceat(on_instances, problem.offsets[:-1], axis=0)
    active = (on_instances >= problem.spread(tops) - tied).astype(np.float64)
    return active / problem.spread(problem.sum_in_bags(active))


def regulariser(relatedness, mu: float, n_labels: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Q, and the μ_ij or None, for "mean", "pairwise" (all μ_ij = μ) or an array of μ_ij."""
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
    if not ((penalties >= 0).all() and penalties.any() and (penalties == penalties.T).all()):
        raise ValueError("relatedness must be symmetric, from 0 to infinity, and not 0 alone")
    return pairwise_form(penalties), penalties


def mean_form(n_labels: int, mu: float) -> np.ndarray:
    """Q of 1/(2T) Σ_t ||w_t||² + μ/T² ||Σ_t w_t||² (Eq. 21): (n_labels, n_labels)."""
    return np.eye(n_labels) / n_labels + 2.0 * mu / n_labels**2


def pairwise_form(mu: np.ndarray) -> np.ndarray:
    """Q of 1/(2T²) Σ_ij ||w_i - W_ij||² + 1/T² Σ_ij μ_ij ||W_ij||² at the best W_ij = W_ji.

    W_ij = a_ij (w_i + w_j), a_ij = 1 / (4 μ_ij + 2) (Eq. 26), gives the regulariser of Eq. 28,
    1/(4 T²) Σ_ij (||w_i||² + ||w_j||² - a_ij ||w_i + w_j||²).
    """
    a = 1.0 / (4.0 * mu + 2.0)
    n_labels = len(a)
    return (n_labels * np.eye(n_labels) - np.diag(a.sum(axis=1)) - a) / n_labels**2


def learned_pair_penalties(weights: np.ndarray, mu: float) -> np.ndarray:
    """Best μ_ij, i ≠ j, for W with the total sharing of a common μ: (n_labels, n_labels).

    Within the budget Σ a_ij² = Σ 1 / (4 μ + 2)² the best a_ij = 1 / (4 μ_ij + 2) are proportional
    to ||w_i + w_j||², up to their largest value ½. The diagonal keeps μ.
    """
    norms = np.sum(weights**2, axis=0)
    closeness = norms + norms[:, None] + 2.0 * weights.T @ weights  # ||w_i + w_j||²
    pairs = np.triu_indices(len(norms), 1)
    with np.errstate(divide="ignore"):
        learned = (1.0 / _within_budget(closeness[pairs], 1.0 / (4.0 * mu + 2.0)) - 2.0) / 4.0
    penalties = np.full(closeness.shape, float(mu))
    penalties[pairs] = penalties.T[pairs] = np.maximum(learned, 0.0)
    return penalties


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


def imbalance_rates(Y: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """ibr_t = Σ_{i with label t} (n_i / |Y_i|) / Σ_i n_i: (n_labels,)."""
    return (sizes / np.maximum(Y.sum(axis=1), 1)) @ Y / sizes.sum()


def imbalance_weights(Y: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """τ of Eq. 23, read as 1 - ibr_t with label t and ibr_t without it: (n_bags, n_labels)."""
    return np.where(Y, 1.0 - rates, rates)
