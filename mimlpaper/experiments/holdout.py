"""Hyper-parameters by one hold-out test on the training set."""

from __future__ import annotations

from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV, ShuffleSplit
from sklearn.utils.validation import check_is_fitted

from mimlpaper.metrics import CRITERIA, evaluate

__all__ = ["HoldOut"]

LOWER_IS_BETTER = {name: criterion.lower_is_better for name, criterion in CRITERIA.items()}
LOWER_IS_BETTER["accuracy"] = False


class HoldOut(BaseEstimator):
    """Fit with every setting of a grid on a part of the training set, keep the best, refit.

    Parameters
    ----------
    estimator : estimator with scores and labels, or a pipeline that ends in one; it is cloned.
    grid : dict of lists, or a list of such dicts
        Settings to try, by scikit-learn parameter names.
    criterion : str, default "average_precision"
        One of :data:`mimlpaper.metrics.CRITERIA`, measured on the held-out part; "accuracy"
        for a learner of one binary label.
    test_size : float, default 0.25
        Share of the training set that is held out.
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    best_estimator_ : the estimator with the best setting, fitted on the whole training set.
    best_params_ : dict
    holdout_values_ : dict of lists, every setting tried (``"params"``) and the criterion's
        ``"value"`` for it.
    """

    def __init__(
        self, estimator, grid, *, criterion="average_precision", test_size=0.25, random_state=None
    ):
        self.estimator = estimator
        self.grid = grid
        self.criterion = criterion
        self.test_size = test_size
        self.random_state = random_state

    def fit(self, X, Y):
        if self.criterion not in LOWER_IS_BETTER:
            raise ValueError(
                f"criterion must be one of {list(LOWER_IS_BETTER)}, got {self.criterion!r}"
            )
        sign = -1.0 if LOWER_IS_BETTER[self.criterion] else 1.0

        def score(estimator, X, Y):
            measured = evaluate(Y, estimator.decision_function(X), estimator.predict(X))
            return sign * measured[self.criterion]

        split = ShuffleSplit(1, test_size=self.test_size, random_state=self.random_state)
        search = GridSearchCV(
            clone(self.estimator), self.grid, scoring=score, cv=split, error_score="raise"
        ).fit(X, Y)
        self.best_estimator_ = search.best_estimator_
        self.best_params_ = search.best_params_
        self.holdout_values_ = {
            "params": search.cv_results_["params"],
            "value": (sign * search.cv_results_["mean_test_score"]).tolist(),
        }
        return self

    def decision_function(self, X):
        check_is_fitted(self)
        return self.best_estimator_.decision_function(X)

    def predict(self, X):
        check_is_fitted(self)
        return self.best_estimator_.predict(X)
