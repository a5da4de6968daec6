"""MimlBoost: MIML by boosting a multi-instance learner on all pairs of a bag and a label."""

import warnings
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning

from mimlpaper.algorithms.pair_svm import PairFunction, PairSvm, label_kernels
from mimlpaper.base import InstanceScores, MultiLabelEstimator, check_bags
from mimlpaper.computing import progress
from mimlpaper.instance_kernels import KernelFeatures
from mimlpaper.kernels import integer_seed
from mimlpaper.parameters import COUNT, POSITIVE, VERBOSITY, words
from mimlpaper.sharing import shared

BALANCED = 1e-10  # a logarithm of a ratio within this of 0 counts as 0: rounding


@dataclass(kw_only=True, eq=False, repr=False)
class MimlBoost(InstanceScores, KernelFeatures, MultiLabelEstimator):
    """MiBoosting on the bags (X, y) = {(x_1, y), …, (x_n, y)} of every bag X and every label y.

    The score of label y is F(X, y) = Σ_t c_t (1/n) Σ_j h_t(x_j, y). Each h_t in {-1, +1} is the
    sign of a support vector machine on pairs of an instance and a label. A pair has the class
    Ψ(X, y) = ±1 of its bag. With the weights W(X, y) the machine minimises

        ½ ||f||² + C N Σ_X Σ_y W(X, y)/n Σ_j max(0, 1 - Ψ(X, y) (f(x_j, y) + b))

    over the N pairs, whose mean cost is C. With e(X, y), the share of a bag's pairs that h_t gets
    wrong, c_t minimises Σ W exp((2e - 1) c), and W becomes proportional to W exp((2e - 1) c_t).

    Step 3e, c_t <= 0, is the text's e >= 1/2 (Eq. 1), read as Σ W e >= 1/2. Step 3c is read as: all
    e <= 1/2 and some less, so that step 3d has no minimum. Both steps drop the round, but the first
    round is kept with c_1 = 1. The paper's scores lack the 1/n.

    Choose it when all instances of a bag bear on its labels: they have equal votes. Scale the
    features to [0, 1] first, by ``OnInstances(MinMaxScaler())``.

    Parameters
    ----------
    n_rounds : int >= 1, default 50
        Largest number of rounds, the paper's T.
    kernel : {"rbf", "linear"}, default "rbf"
        Between pairs: exp(-γ ||x - x'||²) times the same function of the labels' codes, or <x, x'>
        plus the inner product of the codes.
    gamma : float > 0, "auto" or "scale", default "scale"
        Coefficient γ, in units of one over a squared feature; "scale" is
        1 / (n_features Var x), "auto" 1 / n_features.
    rank : int >= 1, "auto" or None, default "auto"
        Largest number r of landmarks of the kernel's factor; None is exact. "auto" is exact up to
        2,000 instances; above, it stops at 1% of the kernel's trace unexplained, or at 1,000
        landmarks.
    C : float > 0, default 1.0
        Mean cost of a pair.
    label_code : {"onehot", "feature", "product"}, default "onehot"
        The label after x. "feature", as in the authors' program: one number, from 0 to 1, or to
        log(d + 1) / log(50) for d >= 50 features. "product", for the linear kernel, which else
        ranks the labels alike for every instance: <x, x'> if y = y', else 0.
    weighting : {"weights", "resampling"}, default "weights"
        W is in the loss, or draws N pairs.
    tol : float > 0, default 1e-3
        Duality gap of a solved machine, as a share of the objective. Rounds magnify what a gap
        leaves open: with 1e-3 scores change with the order of the bags, on five of five data sets;
        with 1e-6 and max_iter=1000 on one of four, in up to 8 times the seconds.
    max_iter : int >= 1, default 200
        Largest number of climbs of ``PairSvm`` for a machine; a ConvergenceWarning says the gap.
    label_rule : {"sign", "top"}, default "sign"
        Labels with a positive score, or the T-Criterion: at least the label with the highest.
    verbose : int, default 0
        1 shows a bar on stderr that moves with each round.
    random_state : int, RandomState or None, default None
        Draws the landmarks of the kernel's factor and, for "resampling", the pairs and the order
        of the climbs.

    Attributes
    ----------
    n_rounds_ : int
        Rounds kept; 0 if all labels are constant.
    stopped_ : {"n_rounds", "step 3c", "step 3e"}
        What ended them; "step 3c" if all labels are constant.
    estimators_ : list of n_rounds_ functions
        The f_t + b_t, on the features of instances.
    estimator_weights_ : array (n_rounds_,)
        The c_t.
    estimator_errors_ : array (n_rounds_,)
        Σ W e of h_t when trained.
    gap_ : float
        The largest duality gap of a machine.
    constant_scores_ : array (n_labels,)
        1 or -1 for a label with one class only, else 0.
    factor_ : KernelFactor
        Features φ, fitted to the training instances.
    gamma_ : float
        The γ of the kernel.
    label_names_ : array (n_labels,)
        Names of the labels.

    References
    ----------
    Table 6; the authors' published program for "feature"; Xu and Frank, Logistic regression and
    boosting for labeled bags of instances, PAKDD 2004.
    """

    n_rounds: int = 50
    C: float = 1.0
    label_code: str = "onehot"
    weighting: str = "weights"
    tol: float = 1e-3
    max_iter: int = 200
    label_rule: str = "sign"
    verbose: int = 0

    _parameter_constraints: ClassVar[dict] = {
        "n_rounds": [COUNT],
        "kernel": [words("rbf", "linear")],
        "C": [POSITIVE],
        "label_code": [words("onehot", "feature", "product")],
        "weighting": [words("weights", "resampling")],
        "tol": [POSITIVE],
        "max_iter": [COUNT],
        "verbose": [VERBOSITY],
    }

    def staged_decision_function(self, X) -> Iterator[np.ndarray]:
        """F (n_bags, n_labels) after each of the ``n_rounds_`` rounds."""
        features = self._features(check_bags(X, self))
        for scores in islice(self._stages(features), 1, None):
            yield features.mean(scores)

    def _fit(self, bags, Y):
        if self.label_code == "product" and self.kernel != "linear":
            raise ValueError(f'label_code="product" goes with kernel="linear", got {self.kernel!r}')
        some_have = np.where(Y.any(axis=0), 0.0, -1.0)
        self.constant_scores_ = np.where(Y.all(axis=0), 1.0, some_have)
        features = self._fit_features(bags)
        psi = np.where(Y[:, self._learnt], 1.0, -1.0)  # Table 6, step 1: Ψ (n_bags, n_learnt)
        # The order of the climbs has the same seed in every fit, unless pairs are drawn as well.
        seed = 0
        if self.weighting == "resampling":
            seed = integer_seed(self.random_state)
        rounds, self.stopped_ = shared(
            _boost,
            features,
            psi,
            self._pairs(),
            n_rounds=self.n_rounds,
            C=self.C,
            weighting=self.weighting,
            tol=self.tol,
            max_iter=self.max_iter,
            seed=seed,
            verbose=self.verbose,
        )
        self.n_rounds_ = len(rounds)
        self.estimators_ = [kept.h for kept in rounds]
        self.estimator_weights_ = np.array([kept.c for kept in rounds])
        self.estimator_errors_ = np.array([kept.error for kept in rounds])
        gaps = np.array([h.gap for h in self.estimators_])
        self.gap_ = float(gaps.max(initial=0.0))
        if self.gap_ > self.tol:
            n_above = np.sum(gaps > self.tol)
            message = f"{n_above} of {len(gaps)} machines stopped after max_iter={self.max_iter}"
            message += f" climbs with duality gaps of up to {self.gap_:.1e}, not {self.tol:.1e}"
            message += "; raise max_iter or C, or scale the features"
            warnings.warn(message, ConvergenceWarning, stacklevel=3)

    def _pairs(self) -> dict:
        """The kernel of pairs of an instance and a learnt label, for :func:`label_kernels`."""
        codes = _label_codes(self.n_labels_, self.n_features_in_, self.label_code)
        return {
            "codes": codes[self._learnt],
            "kernel": self.kernel,
            "gamma": self.gamma_,
            "product": self.label_code == "product",
        }

    def _scores(self, bags):
        """F(X, y): (n_bags, n_labels)."""
        return bags.mean(self._instance_scores(bags))  # Table 6, step 4

    def _instance_scores(self, bags):
        """Σ_t c_t h_t(x, y): (n_instances, n_labels)."""
        return deque(self._stages(self._features(bags)), maxlen=1).pop()

    def _stages(self, features):
        """Scores of the instances before the first and after each round, in the same array."""
        scores = np.tile(self.constant_scores_, (features.n_instances, 1))
        yield scores
        learnt = self._learnt
        for h, c in zip(self.estimators_, self.estimator_weights_, strict=True):
            positive = h(features.rows) > 0
            scores[:, learnt] += np.where(positive, c, -c)
            yield scores

    @property
    def _learnt(self):
        return self.constant_scores_ == 0


class Round(NamedTuple):
    """What a round of boosting adds."""

    h: PairFunction
    c: float  # its weight
    error: float  # Σ W e


def _boost(features, psi, pairs, *, n_rounds, C, weighting, tol, max_iter, seed, verbose):
    """The rounds kept, and what ended the boosting."""
    if psi.size == 0:
        return [], "step 3c"
    rng = np.random.RandomState(seed)
    kernels = label_kernels(**pairs)
    svm = PairSvm(features, *kernels, tol=tol, max_iter=max_iter, random_state=rng)
    targets = np.repeat(psi > 0, features.sizes, axis=0)  # (n_instances, n_learnt)
    W = np.full(psi.shape, 1.0 / psi.size)  # Table 6, step 2
    rounds: list[Round] = []
    for _ in progress(range(n_rounds), "MimlBoost, rounds", verbose):  # Table 6, step 3
        costs = C * _costs(W, features.sizes, weighting, rng)
        h, values = svm.solve(psi, costs)  # step 3a
        wrong = (values > 0) != targets
        e = features.mean(wrong.astype(float))  # step 3b: (n_bags, n_learnt)
        error = np.vdot(W, e)
        c = _multiplier(W, e)  # step 3d
        if c == np.inf or c <= 0:  # steps 3c and 3e
            stopped = "step 3c" if c == np.inf else "step 3e"
            return rounds or [Round(h, 1.0, error)], stopped
        rounds.append(Round(h, c, error))
        W = W * np.exp((2.0 * e - 1.0) * c)  # step 3f
        W /= W.sum()
    return rounds, "n_rounds"


def _costs(W, sizes, weighting, rng):
    """N W/n, or the counts of a sample of N pairs: (n_instances, n_learnt)."""
    shares = np.repeat(W / sizes[:, None], sizes, axis=0)
    if weighting == "resampling":
        counts = rng.multinomial(shares.size, shares.ravel() / shares.sum())
        return counts.reshape(shares.shape).astype(float)
    return shares.size * shares


def _multiplier(W, e):
    """argmin_c Σ W exp((2e - 1) c); 0 if the minimum is not positive, inf if there is none."""
    positive = W > 0
    weights = W[positive]
    slopes = 2.0 * e[positive] - 1.0
    up, down = slopes > 0, slopes < 0
    rising, falling = slopes[up], -slopes[down]
    if len(falling) and not len(rising):
        return np.inf
    log_rise = np.log(weights[up] * rising)
    log_fall = np.log(weights[down] * falling)

    def log_ratio(c):
        """log of the rising terms' slope over the falling terms' slope: 0 at the minimum."""
        return logsumexp(log_rise + rising * c) - logsumexp(log_fall - falling * c)

    if not len(falling) or log_ratio(0.0) >= -BALANCED:
        return 0.0
    least_slope = rising.min() + falling.min()  # of log_ratio
    farthest = -log_ratio(0.0) / least_slope
    return brentq(log_ratio, 0.0, (1.0 + 1e-9) * farthest)  # a little more, for rounding


def _label_codes(n_labels, n_features, label_code):
    """The code of each label, as a row: (n_labels, any)."""
    if label_code != "feature":
        return np.eye(n_labels)
    last = 1.0 if n_features < 50 else np.log(n_features + 1) / np.log(50)
    return np.linspace(0.0, last, n_labels)[:, None]
