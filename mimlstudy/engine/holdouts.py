"""An estimator that chooses its parameters by one hold-out test on the training set."""

from collections.abc import Mapping

from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV, ShuffleSplit, StratifiedShuffleSplit
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from mimlpaper.metrics import CRITERIA, evaluate

SIGNS = {name: -1.0 if criterion.lower_is_better else 1.0 for name, criterion in CRITERIA.items()}
SIGNS["accuracy"] = 1.0  # of learners of one label
DIGITS = 9  # of a criterion: of equal settings the first in the grid counts, whatever the rounding


class HoldOut(BaseEstimator):
    """An estimator with the best setting of a grid, by one hold-out test on the training set.

    Parameters
    ----------
    estimator : estimator with scores and labels, or a pipeline that ends in one; it is cloned.
    grid : dict of lists, or a list of such dicts; settings by scikit-learn parameter names.
    criterion : one of :data:`mimlpaper.metrics.CRITERIA`, default "average_precision", or
        "accuracy" for a learner of one binary label; measured on the held-out part.
    test_size : float, default 0.25, share of the training set that is held out.
    stratified : bool, default False, whether the held-out part keeps the shares of the classes.
    random_state : int, RandomState or None, default None, draws the held-out part.

    ``best_estimator_`` with ``best_params_`` is fitted on the whole training set;
    ``holdout_values_`` has lists of all settings, ``"params"``, and their criterion, ``"value"``.
    """

    def __init__(
        self,
        estimator,
        grid,
        *,
        criterion="average_precision",
        test_size=0.25,
        stratified=False,
        random_state=None,
    ):
        self.estimator = estimator
        self.grid = grid
        self.criterion = criterion
        self.test_size = test_size
        self.stratified = stratified
        self.random_state = random_state

    def fit(self, X, Y):
        """Choose a setting, and fit it on X (bags or vectors) and Y, label sets or one label each.

        Raises ValueError for an unknown criterion.
        """
        if self.criterion not in SIGNS:
            raise ValueError(f"criterion must be one of {list(SIGNS)}, got {self.criterion!r}")
        sign = SIGNS[self.criterion]

        def score(estimator, X, Y):
            measured = evaluate(Y, *scores_and_labels(estimator, X))
            if self.criterion not in measured:
                raise ValueError(
                    f"criterion must be one of {list(measured)} for these labels, got "
                    f"{self.criterion!r}"
                )
            return sign * round(measured[self.criterion], DIGITS)

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


def scores_and_labels(estimator, X) -> tuple:
    """Scores and label sets of a fitted estimator; learners that decide by scores score once."""
    if hasattr(estimator, "best_estimator_"):  # of a search
        return scores_and_labels(estimator.best_estimator_, X)
    if isinstance(estimator, Pipeline):
        transformed = estimator[:-1].transform(X) if len(estimator) > 1 else X
        return scores_and_labels(estimator[-1], transformed)
    scores = estimator.decision_function(X)
    if hasattr(estimator, "decide"):
        return scores, estimator.decide(scores)
    return scores, estimator.predict(X)


def full_names(estimator, parameters: Mapping) -> dict:
    """Parameters by their scikit-learn names; a short name is one of the last step.

    ``C`` of ``make_pipeline(scaler, MlSvm())`` is ``mlsvm__C``, and ``estimator__mlsvm__C`` of a
    hold-out of it. A parameter of the estimator itself keeps its name.
    """
    known, prefix = estimator.get_params(), ""
    if isinstance(estimator, HoldOut):
        estimator, prefix = estimator.estimator, "estimator__"
    if isinstance(estimator, Pipeline):
        prefix += f"{estimator.steps[-1][0]}__"
    return {name if name in known else prefix + name: v for name, v in parameters.items()}
