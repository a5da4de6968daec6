"""Platt's scaling: probabilities of a label from its scores."""

import numpy as np
from sklearn.linear_model import LogisticRegression


def platt(
    scores: np.ndarray, labels: np.ndarray, *, unit: float, C: float = 1.0
) -> tuple[float, float]:
    """Slope and intercept of a label's log odds as a function of its score, by a logistic fit.

    Parameters
    ----------
    scores : array (n_examples,)
        Scores of examples that the learner has not seen.
    labels : bool array (n_examples,)
        Which of them have the label; both kinds must be there.
    unit : float
        A typical size of the scores, so that their unit does not matter.
    C : float, default 1.0
        Inverse of the penalty of slope × unit, squared.

    References
    ----------
    Platt, Probabilistic outputs for support vector machines, 1999.
    """
    in_units = scores[:, None] / unit
    curve = LogisticRegression(C=C).fit(in_units, labels)
    slope, intercept = curve.coef_.item(), curve.intercept_.item()
    return slope / unit, intercept
