"""NoisyOr: logistic probabilities of instances, joined by a noisy-or; not from the paper."""

import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from mimlpaper.bags import Bags
from mimlpaper.base import LogOdds, is_constant
from mimlpaper.computing import progress
from mimlpaper.instance_kernels import HighestInstance
from mimlpaper.parameters import COUNT, POSITIVE, VERBOSITY

LARGE = 30.0  # log odds: e^-30 counts as zero


@dataclass(kw_only=True, eq=False, repr=False)
class NoisyOr(HighestInstance, LogOdds):
    """Noisy-or of logistic functions of the instances: P(y | X) = 1 - Π_{x in X} (1 - p_y(x)).

    p_y(x) = 1 / (1 + exp(-s_y(x))) with s_y(x) = <w_y, φ(x)> + b_y. For each label L-BFGS finds a
    stationary point, from the constant p_y that gives a bag of mean size the label's frequency, of

        -Σ_{X has y} log P(y | X) - Σ_{X lacks y} log(1 - P(y | X)) + ridge / 2 ||w||².

    Choose it to explain predictions: scores are log odds, which can be compared between labels. A
    label with one class only gets the constant score +1 or -1.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly"}, default "rbf"
        Kernel between instances: exp(-γ ||x - x'||²), <x, x'> or (γ <x, x'> + coef0)^degree.
    gamma : float > 0, "auto" or "scale", default "scale"
        Coefficient γ, in units of one over a squared feature; "scale" is
        1 / (n_features Var x), "auto" 1 / n_features.
    degree : int >= 1, default 3
        Degree of "poly".
    coef0 : float >= 0, default 1.0
        Constant of "poly".
    rank : int >= 1, "auto" or None, default "auto"
        Largest number r of landmarks of the kernel's factor; None is exact. "auto" is exact up to
        2,000 instances; above, it stops at 1% of the kernel's trace unexplained, or at 1,000
        landmarks.
    ridge : float > 0, default 0.1
        Penalty of ||w||²/2.
    max_iter : int >= 1, default 500
        Largest number of steps for a label; a ConvergenceWarning says that it needs more.
    tol : float > 0, default 1e-5
        Largest entry of the gradient per bag at which L-BFGS stops.
    label_rule : {"top", "sign"}, default "top"
        The T-Criterion, which gives at least the label with the highest score, or the labels with
        a positive score.
    verbose : int, default 0
        1 shows a bar on stderr that moves with each label.
    random_state : int, RandomState or None, default None
        Draws the landmarks of the kernel's factor.

    Attributes
    ----------
    factor_ : KernelFactor
        Features φ, fitted to the training instances.
    gamma_ : float
        The γ of the kernel.
    coef_ : array (n_labels, r)
        The w_y.
    intercept_ : array (n_labels,)
        The b_y.
    constant_ : bool array (n_labels,)
        Whether a label has one class only.
    label_names_ : array (n_labels,)
        Names of the labels.

    References
    ----------
    Not from the paper. Diverse density (Maron and Lozano-Pérez, NIPS 10, 1998); Zhang, Platt and
    Viola, Multiple instance boosting for object detection, NIPS 18, 2005.
    """

    ridge: float = 0.1
    max_iter: int = 500
    tol: float = 1e-5
    label_rule: str = "top"
    verbose: int = 0

    _parameter_constraints: ClassVar[dict] = {
        "ridge": [POSITIVE],
        "max_iter": [COUNT],
        "tol": [POSITIVE],
        "verbose": [VERBOSITY],
    }

    def _fit(self, bags, Y):
        features = self._fit_features(bags)
        labels = progress(Y.T, "NoisyOr, labels", self.verbose)
        wb = np.array([self._fit_label(features, y) for y in labels])  # (n_labels, r + 1)
        self.coef_ = wb[:, :-1]
        self.intercept_ = wb[:, -1]
        self.constant_ = is_constant(Y)

    def _scores(self, bags):
        """Log odds of each bag's labels, log P(y | X) / (1 - P(y | X)): (n_bags, n_labels)."""
        scores = self._instance_scores(bags)
        total = bags.sum(np.logaddexp(0, scores))  # -log(1 - P)
        # Without cancellation where P is near 1.
        log_odds = total + np.log(-np.expm1(-total))
        return np.where(self.constant_, bags.max(scores), log_odds)

    def _instance_scores(self, bags):
        """Log odds s_y(x): (n_instances, n_labels)."""
        scores = self._features(bags).rows @ self.coef_.T + self.intercept_
        return np.clip(scores, -LARGE, None)

    def _fit_label(self, features, y):
        """w_y, then b_y: (r + 1,)."""
        share = y.mean()
        w = np.zeros(features.n_features)
        if share in (0, 1):
            return np.append(w, 2 * share - 1)
        p = -np.expm1(np.log1p(-share) / features.sizes.mean())  # of every instance at the start
        start = np.append(w, np.log(p / (1 - p)))
        options = {"maxiter": self.max_iter, "gtol": self.tol * len(y), "ftol": 0.0}
        optimum = minimize(
            objective,
            start,
            (features, y, self.ridge),
            jac=True,
            method="L-BFGS-B",
            options=options,
        )
        slope = np.abs(optimum.jac).max() / len(y)
        if slope > self.tol:
            message = f"NoisyOr stopped after {optimum.nit} steps with a gradient of {slope:.2g},"
            message += f" above tol={self.tol:g}; raise max_iter or ridge"
            warnings.warn(message, ConvergenceWarning, stacklevel=4)
        return optimum.x


def objective(wb, features: Bags, y, ridge) -> tuple[float, np.ndarray]:
    """The objective of one label and its gradient (r + 1,) at ``wb``, w followed by b.

    Where scores are clipped, the gradient is that without clipping, so that a positive bag without
    a likely instance can still gain.
    """
    w, b = wb[:-1], wb[-1]
    scores = np.clip(features.rows @ w + b, -LARGE, None)
    total = features.sum(np.logaddexp(0, scores))  # -log(1 - P): (n_bags,)
    # Exact to the last digit, also where P is near 0.
    minus_P = np.expm1(-total)
    losses = np.where(y, -np.log(-minus_P), total)
    loss = losses.sum() + ridge / 2 * w @ w
    slopes = np.where(y, np.exp(-total) / minus_P, 1.0)  # of the loss along total
    by_score = expit(scores) * np.repeat(slopes, features.sizes)
    by_w = features.rows.T @ by_score + ridge * w
    return loss, np.append(by_w, by_score.sum())
