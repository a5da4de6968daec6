"""An estimator that chooses its parameters by one hold-out test on the training set."""

from collections.abc import Mapping, Sequence
from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV, ShuffleSplit, StratifiedShuffleSplit
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from mimlpaper.metrics import CRITERIA, evaluate

LOWER_IS_BETTER = {name: criterion.lower_is_better for name, criterion in CRITERIA.items()}
LOWER_IS_BETTER["accuracy"] = False


class HoldOut(BaseEstimator):
    """An estimator with the best setting of a grid, by one hold-out test on the training set.

    Every setting is fitted on a part of the training set and judged on the rest; the best one is
    fitted again on the whole training set.

    Parameters
    ----------
    estimator : estimator with scores and labels, or a pipeline that ends in one; it is cloned.
    grid : dict of lists, or a list of such dicts
        Settings to try, by scikit-learn parameter names.
    criterion : str, default "average_precision"
        One of :data:`mimlpaper.metrics.CRITERIA`, measured on the held-out part, or "accuracy"
        for a learner of one binary label.
    test_size : float, default 0.25
        Share of the training set that is held out.
    stratified : bool, default False
        Whether the held-out part keeps the shares of the classes, of labels (n_bags,).
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    best_estimator_ : the estimator with the best setting, fitted on the whole training set.
    best_params_ : dict
    holdout_values_ : dict of lists, every setting tried (``"params"``) and the criterion's
        ``"value"`` for it.
    """

    def __init__(
        self, estimator, grid, *, criterion="average_precision", test_size=0.25, stratified=False,
        random_state=None,
    ):  # fmt: skip
        self.estimator = estimator
        self.grid = grid
        self.criterion = criterion
        self.test_size = test_size
        self.stratified = stratified
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

        kind = StratifiedShuffleSplit if self.stratified else ShuffleSplit
        split = kind(1, test_size=self.test_size, random_state=self.random_state)
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


# Ends of grids beyond which a parameter has no values.
BOUNDS = {"ratio": 1.0, "ridge": 0.0, "max_alternations": 1}


def shares_at_ends(search: HoldOut, chosen: Sequence[Mapping]) -> dict[str, float]:
    """For each grid of numbers, the share of fits that chose its least or largest value.

    A large share says that the grid is too narrow, unless that end is a bound of the parameter:
    it does not count then. ``chosen`` holds the ``best_params_`` of the fits.
    """
    shares = {}
    for name, values in search.grid.items():
        if len(values) > 1 and all(isinstance(value, Real) for value in values):
            ends = {min(values), max(values)} - {BOUNDS.get(name.split("__")[-1])}
            shares[name] = float(np.mean([one[name] in ends for one in chosen]))
    return shares


def full_names(estimator, parameters: Mapping) -> dict:
    """Parameters by their scikit-learn names; a short name is one of the last step.

    ``C`` of ``make_pipeline(scaler, MlSvm())`` is ``mlsvm__C``, and ``estimator__mlsvm__C`` of a
    hold-out of it. A parameter of the estimator itself keeps its name: a step of a pipeline, the
    criterion of a hold-out.
    """
    known, prefix = estimator.get_params(), _last_step(estimator)
    return {name if name in known else prefix + name: v for name, v in parameters.items()}


def _last_step(estimator):
    """What the names of the last step's parameters begin with."""
    if isinstance(estimator, HoldOut):
        return f"estimator__{_last_step(estimator.estimator)}"
    return f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""
