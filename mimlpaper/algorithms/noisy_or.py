"""NoisyOr: logistic probabilities of instances, joined by a noisy-or; not from the paper."""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from mimlpaper.bags import Bags
from mimlpaper.base import LogOdds, check_bags, check_parameters
from mimlpaper.baselines.misvm import HighestInstance

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
    kernel, gamma, degree, coef0, rank, random_state : see :class:`MiSvmInstance`; same defaults.
    ridge : float > 0, default 0.1
    max_iter : int, default 500, most steps for a label; a ConvergenceWarning if one needs more.
    tol : float, default 1e-5, largest entry of the gradient per bag at which L-BFGS stops.
    label_rule : {"top", "sign"}, default "top"

    Attributes ``coef_`` (n_labels, r), ``intercept_`` (n_labels,), the w_y and b_y, ``factor_``, a
    fitted KernelFactor, and its ``gamma_``.

    Sources: diverse density (Maron and Lozano-Pérez); Zhang, Platt and Viola, NIPS 18, 2005.
    """

    ridge: float = 0.1
    max_iter: int = 500
    tol: float = 1e-5
    label_rule: str = "top"

    def fit(self, X, Y):
        """Fit on bags X and label sets Y (n_bags, n_labels)."""
        check_parameters(self, positive=["ridge"])
        bags = check_bags(X, self, reset=True)
        Y = self._learn_labels(Y, len(bags))
        features = self._fit_features(bags)
        wb = np.array([self._fit_label(features, y) for y in Y.T])  # (n_labels, r + 1)
        self.coef_, self.intercept_ = wb[:, :-1], wb[:, -1]
        self.constant_ = Y.all(axis=0) | ~Y.any(axis=0)
        return self

    def decision_function(self, X) -> np.ndarray:
        """Log odds of each bag's labels, log P(y | X) / (1 - P(y | X)): (n_bags, n_labels)."""
        bags = check_bags(X)
        scores = self.instance_scores(bags)
        total = bags.sum(np.logaddexp(0, scores))  # -log(1 - P)
        return np.where(self.constant_, bags.max(scores), total + np.log(-np.expm1(-total)))

    def instance_scores(self, X) -> np.ndarray:
        """Log odds s_y(x): (n_instances, n_labels)."""
        scores = self._features(X).instances @ self.coef_.T + self.intercept_
        return np.clip(scores, -LARGE, None)

    def _fit_label(self, features, y):
        share = y.mean()
        w = np.zeros(features.n_features)
        if share in (0, 1):
            return np.append(w, 2 * share - 1)
        alone = -np.expm1(np.log1p(-share) / features.sizes.mean())  # p of each instance
        found = minimize(
            objective,
            np.append(w, np.log(alone / (1 - alone))),
            (features, y, self.ridge),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": self.max_iter, "gtol": self.tol * len(y), "ftol": 0.0},
        )
        slope = np.abs(found.jac).max() / len(y)
        if slope > self.tol:
            message = f"NoisyOr stopped after {found.nit} steps with a gradient of {slope:.2g}, "
            message += f"above tol={self.tol:g}; raise max_iter or ridge"
            warnings.warn(message, ConvergenceWarning, stacklevel=4)
        return found.x


def objective(wb, features: Bags, y, ridge) -> tuple[float, np.ndarray]:
    """The objective of one label and its gradient (r + 1,) at ``wb``, w followed by b."""
    w, b = wb[:-1], wb[-1]
    scores = np.clip(features.instances @ w + b, -LARGE, None)
    total = features.sum(np.logaddexp(0, scores))  # -log(1 - P): (n_bags,)
    loss = np.where(y, -np.log(-np.expm1(-total)), total).sum() + ridge / 2 * w @ w
    slopes = np.where(y, np.exp(-total) / np.expm1(-total), 1.0)  # of the loss along total
    by_score = expit(scores) * np.repeat(slopes, features.sizes)
    return loss, np.append(by_score @ features.instances + ridge * w, by_score.sum())
