"""One estimator to start with: it scales, chooses a learner, calibrates and explains."""

import time
import warnings
from collections.abc import Mapping
from contextlib import suppress
from numbers import Integral
from typing import ClassVar

import numpy as np
import pandas as pd
from scipy.special import logit
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted, check_random_state

from mimlpaper import base
from mimlpaper.algorithms.dmimlsvm import DMimlSvm
from mimlpaper.algorithms.mimlboost import MimlBoost
from mimlpaper.algorithms.noisy_or import NoisyOr
from mimlpaper.explanations import explain
from mimlpaper.metrics import UndefinedError, area_under_curve, average_precision
from mimlpaper.parameters import COUNT, POSITIVE, SEED
from mimlpaper.preprocessing import BagStatistics, OnInstances

LEAST = 4  # bags, so that one can be held out
SURE = 1e-3  # of a forest whose trees agree, so that log odds are finite


class OnStatistics(base.MultiLabelEstimator):
    """A scikit-learn classifier for each label, on :class:`BagStatistics` of unit variance.

    Scores are the ``decision_function`` of ``classifier``, or log odds. ``model_`` is a Pipeline.
    """

    label_rule = "sign"

    def __init__(self, classifier, *, random_state=None):
        self.classifier = classifier
        self.random_state = random_state

    def _fit(self, bags, Y):
        each = OneVsRestClassifier(_seeded(self.classifier, self.random_state))
        self.model_ = make_pipeline(BagStatistics(), StandardScaler(), each)
        with warnings.catch_warnings(action="ignore", category=UserWarning):  # given above
            self.model_.fit(bags, Y)

    def _scores(self, bags):
        """Scores of the labels: (n_bags, n_labels)."""
        if hasattr(self.classifier, "decision_function"):  # a constant label has one anyway
            return self.model_.decision_function(bags).reshape(-1, self.n_labels_)
        shares = self.model_.predict_proba(bags)[:, -self.n_labels_ :]
        return logit(np.clip(shares, SURE, 1 - SURE))


def _seeded(estimator, seed):
    estimator = clone(estimator)
    if isinstance(seed, Integral) and "random_state" in estimator.get_params():
        estimator.set_params(random_state=seed)
    return estimator


# In the order in which they are tried: fast ones first.
CANDIDATES: dict[str, BaseEstimator] = {
    "statistics + SVM": OnStatistics(SVC(C=10.0)),
    "statistics + forest": OnStatistics(RandomForestClassifier()),
    "set kernel SVM": DMimlSvm(lam=0.0),
    "NoisyOr": NoisyOr(label_rule="sign"),
    "D-MimlSvm": DMimlSvm(),
    "MimlBoost": MimlBoost(n_rounds=25),
}


class MimlClassifier(base.LogOdds):
    """The learner that does best in cross-validation, with probabilities and reasons.

    Features are scaled to [0, 1]. The candidate with the largest mean average precision on
    held-out folds, or for one label the largest area under the curve, is fitted again to all bags.
    Platt's logistic regression on the held-out scores of a label turns scores into probabilities.
    If Y is a DataFrame, so are predictions.

    Parameters
    ----------
    candidates : dict from name to unfitted MIML estimator, or None for :data:`CANDIDATES`.
    n_folds : int of at least 2, default 5, at most one a bag.
    time_budget : float or None, default 60, seconds
        A candidate other than the first is left out if it would end later. With None choices do
        not depend on the machine.
    label_rule : {"sign", "top"}, default "sign", labels of probability above ½; or at least one.
    random_state : int, RandomState or None, default None
        Draws the folds; an integer also seeds the candidates.

    Attributes
    ----------
    chosen_, criterion_ : name of the candidate, and of what chose it.
    held_out_, seconds_ : dict, the criterion of each candidate, NaN if left out; and its time.
    model_ : Pipeline of scaling and the chosen learner, fitted to all bags.
    slopes_, intercepts_ : (n_labels,), log-odds are slope × score + intercept.
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_folds": [COUNT],
        "time_budget": [POSITIVE, None],
        "random_state": [SEED],
    }

    def __init__(
        self, candidates=None, *, n_folds=5, time_budget=60.0, label_rule="sign", random_state=None
    ):
        self.candidates = candidates
        self.n_folds = n_folds
        self.time_budget = time_budget
        self.label_rule = label_rule
        self.random_state = random_state

    @property
    def output(self) -> str:
        """What :meth:`set_output` asked for, or the kind of Y."""
        asked = hasattr(self, "_sklearn_output_config")
        return super().output if asked else getattr(self, "kind_of_labels_", "default")

    def _learn_labels(self, Y, n_examples):
        self.kind_of_labels_ = "pandas" if isinstance(Y, pd.DataFrame) else "default"
        return super()._learn_labels(Y, n_examples)

    def _fit(self, bags, labels):
        if len(bags) < LEAST or self.n_folds < 2:
            found = f"{LEAST} bags at least, got {len(bags)}, and n_folds 2, got {self.n_folds}"
            raise ValueError(f"X must have {found}")
        self.criterion_ = "average precision" if self.n_labels_ > 1 else "area under the curve"
        folds = _folds(labels, min(self.n_folds, len(bags)), check_random_state(self.random_state))
        candidates, best = self._candidates(), None
        self.held_out_, self.seconds_, start = {}, {}, time.perf_counter()
        for name, pipeline in candidates.items():
            end = np.inf if best is None else start + (self.time_budget or np.inf)
            began = time.perf_counter()
            scores = _held_out_scores(pipeline, bags, labels, folds, end)
            self.seconds_[name] = time.perf_counter() - began
            self.held_out_[name] = self._criterion(labels, scores, folds)
            if best is None or self.held_out_[name] > self.held_out_[self.chosen_]:
                self.chosen_, best = name, scores
        with warnings.catch_warnings(action="ignore", category=base.ConstantLabelWarning):
            self.model_ = candidates[self.chosen_].fit(bags, labels)
        self.slopes_, self.intercepts_ = _calibrated(best, labels)

    def _scores(self, bags):
        """Log-odds of each label: (n_bags, n_labels)."""
        return self.slopes_ * np.asarray(self.model_.decision_function(bags)) + self.intercepts_

    def explain(self, X) -> pd.DataFrame:
        """:func:`~mimlpaper.explanations.explain` times the slopes, with rows (bag, instance)."""
        bags = base.check_bags(X, self)
        names = range(len(bags)) if bags.names is None else bags.names
        rows = [(name, i) for name, bag in zip(names, bags, strict=True) for i in range(len(bag))]
        index = pd.MultiIndex.from_tuples(rows, names=["bag", "instance"])
        return pd.DataFrame(self.slopes_ * explain(self.model_, bags), index, self.classes_)

    def summary(self) -> str:
        """What was chosen and why, as text."""
        check_is_fitted(self)
        lines = [f"{self.chosen_} is chosen by {self.criterion_} on bags that were held out:"]
        for name, value in self.held_out_.items():
            found = "left out, over time_budget" if np.isnan(value) else f"{value:.3f}"
            lines.append(f"  {name}: {found}, {self.seconds_[name]:.1f} s")
        n_calibrated = np.sum((self.slopes_ != 1) | (self.intercepts_ != 0))
        fitted = "It is fitted to all bags, whose features are scaled to [0, 1], and calibrated for"
        return "\n".join([*lines, f"{fitted} {n_calibrated} of {self.n_labels_} labels."])

    def _criterion(self, labels, scores, folds):
        """Mean over the folds where it is defined; NaN if nowhere, or without scores."""
        measure = average_precision if self.n_labels_ > 1 else area_under_curve
        values = []
        for fold in np.unique(folds) if scores is not None else ():
            with suppress(UndefinedError):
                values.append(measure(labels[folds == fold], scores[folds == fold]))
        return float(np.mean(values)) if values else np.nan

    def _candidates(self) -> dict[str, Pipeline]:
        candidates = CANDIDATES if self.candidates is None else self.candidates
        if not isinstance(candidates, Mapping) or not candidates:
            raise ValueError(f"candidates must be a dict of estimators, got {candidates!r}")
        return {
            name: make_pipeline(OnInstances(MinMaxScaler()), _seeded(learner, self.random_state))
            for name, learner in candidates.items()
        }


def _folds(labels, n_folds, rng):
    """The fold of each bag; bags with the same labels are spread over the folds."""
    order = rng.permutation(len(labels))
    order = order[np.lexsort(labels[order].T)]
    return np.argsort(order) % n_folds


def _held_out_scores(pipeline, bags, labels, folds, end):
    """Scores of every bag by a fit to the other folds, or None if it would take past ``end``."""
    scores, n_folds = np.empty(labels.shape), folds.max() + 1
    for fold in range(n_folds):
        began, held = time.perf_counter(), folds == fold
        if began > end:
            return None
        with (
            warnings.catch_warnings(action="ignore", category=base.ConstantLabelWarning),
            warnings.catch_warnings(action="ignore", category=ConvergenceWarning),
        ):
            pipeline.fit(bags[~held], labels[~held])
            scores[held] = np.asarray(pipeline.decision_function(bags[held]))
        now = time.perf_counter()
        if now + (now - began) * (n_folds - fold) > end:  # the folds that are left, and all bags
            return None
    return scores


def _calibrated(scores, labels):
    """Platt's slope and intercept for each label; (1, 0) where the held-out bags do not say."""
    slopes, intercepts = np.ones(scores.shape[1]), np.zeros(scores.shape[1])
    for label, (column, truth) in enumerate(zip(scores.T, labels.T, strict=True)):
        if truth.all() or not truth.any() or np.ptp(column) == 0:
            continue
        spread = column.std()
        platt = LogisticRegression().fit(column[:, None] / spread, truth)
        if platt.coef_[0, 0] > 0:  # never against the learner's own order
            slopes[label], intercepts[label] = platt.coef_[0, 0] / spread, platt.intercept_[0]
    return slopes, intercepts
