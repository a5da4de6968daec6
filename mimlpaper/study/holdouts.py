"""Estimators that choose their parameters by one hold-out test on the training set."""

from collections.abc import Mapping, Sequence
from numbers import Real

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV, ShuffleSplit, StratifiedShuffleSplit
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from mimlpaper.algorithms.subcod import SubCod, distinct_labels, find_concepts, fit_classifier
from mimlpaper.base import BagClassifier, check_bags, label_sets
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


TENTHS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)


class SubCodHoldOut(BagClassifier):
    """SubCod with the most accurate M and θ, by one hold-out test on the training set.

    The result is that of :class:`HoldOut` with these two grids and a stratified split, at a
    fraction of the cost: all θ share one mixture, and all settings with the same labels share one
    MIML learner. Among equally accurate settings the first wins: the fewest sub-concepts, then
    the largest budget.

    Parameters
    ----------
    estimator : SubCod, or a pipeline that ends in one; it is cloned.
    n_concepts : tuple of int, default (10, 20, …, 70)
        The M to try.
    kept_shares : tuple of float, default (0.1, 0.2, …, 0.7)
        The θ to try, as shares of mM.
    test_size : float, default 0.25
        Share of the training set that is held out.
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    best_estimator_ : the estimator with the best setting, fitted on the whole training set.
    best_params_ : dict
    accuracies_ : (len(n_concepts), len(kept_shares)), on the held-out part.

    References
    ----------
    Section 7.2.
    """

    def __init__(
        self, estimator, *, n_concepts=tuple(range(10, 80, 10)), kept_shares=TENTHS, test_size=0.25,
        random_state=None,
    ):  # fmt: skip
        self.estimator = estimator
        self.n_concepts = n_concepts
        self.kept_shares = kept_shares
        self.test_size = test_size
        self.random_state = random_state

    def fit(self, X, y):
        """Fit on bags X and labels y (n_bags,) of two classes; the second is positive."""
        bags = check_bags(X)
        self.n_features_in_ = bags.n_features
        y = self._learn_classes(y, len(bags))
        split = StratifiedShuffleSplit(1, test_size=self.test_size, random_state=self.random_state)
        train, held = next(split.split(y, y))
        self.accuracies_ = self._measure(bags[train], y[train], bags[held], y[held])
        best = np.unravel_index(self.accuracies_.argmax(), self.accuracies_.shape)
        prefix = f"{self.estimator.steps[-1][0]}__" if self._is_pipeline() else ""
        self.best_params_ = {
            f"{prefix}n_concepts": self.n_concepts[best[0]],
            f"{prefix}kept_share": self.kept_shares[best[1]],
        }
        self.best_estimator_ = clone(self.estimator).set_params(**self.best_params_).fit(bags, y)
        return self

    def decision_function(self, X) -> np.ndarray:
        check_is_fitted(self)
        return self.best_estimator_.decision_function(X)

    def _is_pipeline(self):
        return isinstance(self.estimator, Pipeline)

    def _measure(self, train, y_train, held, y_held):
        """Accuracy of every setting: (len(n_concepts), len(kept_shares))."""
        subcod = clone(self.estimator)
        if self._is_pipeline():
            steps, subcod = subcod[:-1], subcod[-1]
            if len(steps):
                train = steps.fit_transform(train, y_train)
                held = steps.transform(held)
        accuracies = np.empty((len(self.n_concepts), len(self.kept_shares)))
        scores = {}  # of the held-out bags, by the labels that the learner was given
        for row, n_concepts in enumerate(self.n_concepts):
            subcod.set_params(n_concepts=n_concepts)
            concepts = find_concepts(subcod.fit_mixture(train), train)
            for column, kept_share in enumerate(self.kept_shares):
                polished, _ = subcod.set_params(kept_share=kept_share).correct(concepts, y_train)
                labels, label_of_concept = distinct_labels(polished)
                key = labels.tobytes()
                if key not in scores:
                    learner = subcod.fit_learner(train, labels)
                    scores[key] = learner.decision_function(held)
                predicted = label_sets(scores[key][:, label_of_concept], learner.label_rule)
                guessed = fit_classifier(polished, y_train).decision_function(predicted) > 0
                accuracies[row, column] = np.mean(guessed == y_held)
        return accuracies


def hold_out(pipeline, grid, *, test_size, criterion="accuracy") -> HoldOut | SubCodHoldOut:
    """A pipeline with the best setting of a grid, by hold-out; for SubCod at its lower cost.

    Names are short, see :func:`full_names`.
    """
    if isinstance(pipeline[-1], SubCod):
        concepts, shares = tuple(grid["n_concepts"]), tuple(grid["kept_share"])
        return SubCodHoldOut(pipeline, n_concepts=concepts, kept_shares=shares, test_size=test_size)
    return HoldOut(pipeline, full_names(pipeline, grid), criterion=criterion, test_size=test_size)


# Ends of grids beyond which a parameter has no values.
BOUNDS = {"ratio": 1.0, "ridge": 0.0, "max_alternations": 1}


def shares_at_ends(search: HoldOut | SubCodHoldOut, chosen: Sequence[Mapping]) -> dict[str, float]:
    """For each grid of numbers, the share of fits that chose its least or largest value.

    A large share says that the grid is too narrow, unless that end is a bound of the parameter:
    it does not count then. ``chosen`` holds the ``best_params_`` of the fits.
    """
    if isinstance(search, SubCodHoldOut):
        short = {"n_concepts": search.n_concepts, "kept_share": search.kept_shares}
        grid = full_names(search.estimator, short)
    else:
        grid = search.grid
    shares = {}
    for name, values in grid.items():
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
    if isinstance(estimator, HoldOut | SubCodHoldOut):
        return f"estimator__{_last_step(estimator.estimator)}"
    return f"{estimator.steps[-1][0]}__" if isinstance(estimator, Pipeline) else ""
