"""One estimator to start with: it scales, chooses a learner, calibrates and explains."""

import time
import warnings
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from itertools import pairwise
from numbers import Integral
from typing import ClassVar

import numpy as np
import pandas as pd
from scipy.special import logit
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import (
    ConvergenceWarning,
    DataConversionWarning,
    UndefinedMetricWarning,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted, check_random_state

from mimlpaper import base
from mimlpaper.algorithms.dmimlsvm import DMimlSvm
from mimlpaper.algorithms.mimlboost import MimlBoost
from mimlpaper.algorithms.noisy_or import NoisyOr
from mimlpaper.calibration import platt
from mimlpaper.computing import progress
from mimlpaper.explanations import explain
from mimlpaper.metrics import UndefinedError, area_under_curve, average_precision, scores_of
from mimlpaper.parameters import POSITIVE, SEED, VERBOSITY, at_least, set_random_states
from mimlpaper.preprocessing import BagStatistics, OnInstances

LEAST = 4  # bags
SAMPLES = 16, 8, 4  # trial fits to every 16th bag and so on say whether there is time for more
SQUARE, CUBE = 2.0, 3.0  # powers of the number of bags, with which the time of a fit grows
SURE = 1e-3  # probabilities are clipped to it, so that log odds are finite


class TimeBudgetWarning(UserWarning):
    """Candidates are left out, because to fit them would take longer than the time budget."""


class OnStatistics(base.MultiLabelEstimator):
    """A scikit-learn classifier for each label, on :class:`BagStatistics` of unit variance.

    Scores are the classifier's decision function, or log odds.

    Parameters
    ----------
    classifier : classifier
        Unfitted, for two classes.
    random_state : int, RandomState or None, default None
        An integer seeds the classifier and its parts.

    Attributes
    ----------
    model_ : Pipeline
        Statistics, scaling and the classifiers of the labels that vary.
    varies_ : bool array (n_labels,)
        Which labels some training bags have and others lack.
    constants_ : array (n_labels,)
        Scores of labels that do not vary: log odds of .999 if all training bags have the label, and
        of .001 if none has it.
    label_names_ : array (n_labels,)
        Names of the labels.
    """

    label_rule = "sign"
    scales_features = True

    def __init__(self, classifier, *, random_state=None):
        self.classifier = classifier
        self.random_state = random_state

    def _fit(self, bags, Y):
        by_label = OneVsRestClassifier(_seeded(self.classifier, self.random_state))
        self.model_ = make_pipeline(BagStatistics(), StandardScaler(), by_label)
        # A label that all or no bags have needs no classifier.
        self.varies_ = ~base.is_constant(Y)
        self.constants_ = np.where(Y.all(axis=0), logit(1 - SURE), logit(SURE))
        if self.varies_.any():
            self.model_.fit(bags, Y[:, self.varies_])

    def _scores(self, bags):
        """Scores of the labels: (n_bags, n_labels)."""
        scores = np.tile(self.constants_, (len(bags), 1))
        n_varying = self.varies_.sum()
        if n_varying and hasattr(self.model_, "decision_function"):
            of_varying = self.model_.decision_function(bags).reshape(-1, n_varying)
            scores[:, self.varies_] = of_varying
        elif n_varying:
            # For a single label scikit-learn gives two columns; the last is that of having it.
            shares = self.model_.predict_proba(bags)[:, -n_varying:]
            scores[:, self.varies_] = logit(np.clip(shares, SURE, 1 - SURE))
        return scores


def _seeded(estimator, seed):
    """An unfitted copy of which an integer seeds every part, such as a step of a pipeline."""
    estimator = clone(estimator)
    if isinstance(seed, Integral):
        set_random_states(estimator, seed)
    return estimator


# In the order in which they are tried: fast ones first.
CANDIDATES: dict[str, BaseEstimator] = {
    "statistics + SVM": OnStatistics(SVC(C=10.0)),
    "statistics + forest": OnStatistics(RandomForestClassifier()),
    "set kernel SVM": DMimlSvm(lam=0.0),
    "NoisyOr": NoisyOr(label_rule="sign"),
    "D-MimlSvm": DMimlSvm(),
    "MimlBoost": MimlBoost(n_rounds=10),
}


class MimlClassifier(base.LogOdds):
    """The learner that does best in cross-validation, with probabilities and reasons.

    Features are scaled to [0, 1]. Of each candidate the held-out folds give a mean: of the average
    precision of the labels' order in a bag, as :func:`~mimlpaper.metrics.average_precision` has it,
    or for one label of the area under the curve. The best candidate is fitted again to all bags.
    Platt's logistic regression on the held-out scores of a label turns scores into probabilities.
    If Y is a DataFrame, so are predictions.

    Parameters
    ----------
    candidates : dict or None, default None
        Unfitted MIML estimators by name, in the order in which they are tried. None stands for
        :data:`CANDIDATES`.
    n_folds : int >= 2, default 4
        Number of folds, at most one a bag.
    time_budget : float > 0 or None, default 60.0
        Seconds of the whole fit. A candidate other than the first is left out, with a warning, if
        it and the last fit to all bags would end later. With None choices do not depend on the
        machine.
    label_rule : {"sign", "top"}, default "sign"
        Labels of a probability above ½, or at least the likeliest.
    verbose : int, default 0
        1 shows a bar on stderr that moves with each fold of a candidate.
    random_state : int, RandomState or None, default None
        Draws the folds; an integer also seeds the candidates and their parts.

    Attributes
    ----------
    chosen_ : str
        Name of the candidate that was chosen.
    criterion_ : str
        Name of the criterion that chose it.
    held_out_ : dict
        The criterion of each candidate; NaN if it was left out, or no fold defines it.
    left_out_ : list of str
        Names of the candidates that were left out, since ``time_budget`` was too short.
    seconds_ : dict
        The time that each candidate took.
    model_ : Pipeline
        Scaling and the chosen learner, fitted to all bags.
    slopes_, intercepts_ : array (n_labels,)
        Log odds are slope × score + intercept.
    label_names_ : array (n_labels,)
        Names of the labels.

    References
    ----------
    Not from the paper. Platt, Probabilistic outputs for support vector machines, 1999.
    """

    scales_features = True

    _parameter_constraints: ClassVar[dict] = {
        "n_folds": [at_least(2)],
        "time_budget": [POSITIVE, None],
        "verbose": [VERBOSITY],
        "random_state": [SEED],
    }

    def __init__(
        self,
        candidates=None,
        *,
        n_folds=4,
        time_budget=60.0,
        label_rule="sign",
        verbose=0,
        random_state=None,
    ):
        self.candidates = candidates
        self.n_folds = n_folds
        self.time_budget = time_budget
        self.label_rule = label_rule
        self.verbose = verbose
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
        if len(bags) < LEAST:
            raise ValueError(f"X must have {LEAST} bags at least, got {len(bags)}")
        self.criterion_ = "average precision" if self.n_labels_ > 1 else "area under the curve"
        n_folds = min(self.n_folds, len(bags))
        rng = check_random_state(self.random_state)
        folds = _folds(labels, n_folds, rng)
        candidates = self._candidates()
        chosen_scores = self._choose(candidates, bags, labels, folds)
        if self.left_out_:
            message = (
                f"time_budget={self.time_budget:g} s is too short for {', '.join(self.left_out_)}; "
                "raise it, or give None"
            )
            warnings.warn(message, TimeBudgetWarning, stacklevel=3)
        if np.isnan(self.held_out_[self.chosen_]):
            message = (
                f"no fold defines the {self.criterion_}, so that {self.chosen_}, the first "
                "candidate, is chosen; take fewer folds, by n_folds="
            )
            warnings.warn(message, UndefinedMetricWarning, stacklevel=3)
        with _without_warnings_of_labels():
            self.model_ = candidates[self.chosen_].fit(bags, labels)
        self.slopes_, self.intercepts_ = _calibrated(chosen_scores, labels)

    def _choose(self, candidates, bags, labels, folds):
        """Try the candidates, keep the best, and return its held-out scores."""
        self.held_out_, self.seconds_, self.left_out_ = {}, {}, []
        without_limit, limited = _Budget(None), _Budget(self.time_budget)
        n_folds = folds.max() + 1
        chosen_scores = None
        steps = range(len(candidates) * n_folds)
        with progress(steps, "MimlClassifier", self.verbose) as bar:
            for i, (name, pipeline) in enumerate(candidates.items()):
                bar.set_description(f"MimlClassifier, {name}")
                budget = limited if i else without_limit  # the first is tried in any case
                scores, longest = self._try(name, pipeline, bags, labels, folds, budget, bar)
                if i == 0 or self.held_out_[name] > self.held_out_[self.chosen_]:
                    self.chosen_, chosen_scores = name, scores
                    limited.reserve = _last_fit(longest, n_folds)
                # Also past the folds that were left out.
                bar.update((i + 1) * n_folds - bar.n)
        return chosen_scores

    def _try(self, name, pipeline, bags, labels, folds, budget, bar):
        """Held-out scores of a candidate, or None; and the seconds of its longest fit."""
        began = time.perf_counter()
        with _named_in_errors(name):
            scores, longest = _cross_fit(pipeline, bags, labels, folds, budget, bar)
            _check_finite(scores)
        self.seconds_[name] = time.perf_counter() - began
        self.held_out_[name] = self._criterion(labels, scores, folds)
        if scores is None:
            self.left_out_.append(name)
        return scores, longest

    def _scores(self, bags):
        """Log-odds of each label: (n_bags, n_labels)."""
        scores = _scores_of(self.model_, bags)
        return self.slopes_ * scores + self.intercepts_

    def explain(self, X) -> pd.DataFrame:
        """:func:`~mimlpaper.explanations.explain` times the slopes, with rows (bag, instance).

        Instances are numbered from 0 in the order of their bag, whatever numbers a table gave them.
        """
        bags = base.check_bags(X, self)
        names = range(len(bags)) if bags.names is None else bags.names
        rows = []
        for name, size in zip(names, bags.sizes, strict=True):
            rows += [(name, instance) for instance in range(size)]
        index = pd.MultiIndex.from_tuples(rows, names=["bag", "instance"])
        log_odds = self.slopes_ * explain(self.model_, bags)
        return pd.DataFrame(log_odds, index, self.label_names_)

    def summary(self) -> str:
        """What was chosen and why, as text."""
        check_is_fitted(self)
        lines = [f"{self.chosen_} is chosen by {self.criterion_} on bags that were held out:"]
        for name, value in self.held_out_.items():
            result = "defined on no fold" if np.isnan(value) else f"{value:.3f}"
            if name in self.left_out_:
                result = "left out, over time_budget"
            seconds = self.seconds_[name]
            lines.append(f"  {name}: {result}, {seconds:.1f} s")
        calibrated = (self.slopes_ != 1) | (self.intercepts_ != 0)
        lines.append(
            "It is fitted to all bags, whose features are scaled to [0, 1], and calibrated for "
            f"{calibrated.sum()} of {self.n_labels_} labels."
        )
        return "\n".join(lines)

    def _criterion(self, labels, scores, folds):
        """Mean over the folds where it is defined; NaN if nowhere, or without scores."""
        if scores is None:
            return np.nan
        measure = average_precision if self.n_labels_ > 1 else area_under_curve
        values = []
        for fold in np.unique(folds):
            held = folds == fold
            with suppress(UndefinedError):
                values.append(measure(labels[held], scores[held]))
        return float(np.mean(values)) if values else np.nan

    def _candidates(self) -> dict[str, Pipeline]:
        candidates = CANDIDATES if self.candidates is None else self.candidates
        if not isinstance(candidates, Mapping) or not candidates:
            raise ValueError(f"candidates must be a dict of estimators, got {candidates!r}")
        pipelines = {}
        for name, learner in candidates.items():
            seeded = _seeded(learner, self.random_state)
            pipelines[name] = make_pipeline(OnInstances(MinMaxScaler()), seeded)
        return pipelines


def _folds(labels, n_folds, rng):
    """The fold of each bag; bags with the same labels are spread over the folds."""
    order = rng.permutation(len(labels))
    order = order[np.lexsort(labels[order].T)]
    return np.argsort(order) % n_folds


class _Budget:
    """Seconds from now on, of which a reserve is kept for the last fit; None for no limit."""

    def __init__(self, seconds):
        self.is_limited = seconds is not None
        self._end = time.perf_counter() + seconds if self.is_limited else np.inf
        self.reserve = 0.0  # seconds of a fit of the best candidate so far to all bags

    def allows(self, seconds, last_fit=0.0) -> bool:
        """Whether so many seconds, and then a last fit or the reserve, end in time."""
        return time.perf_counter() + seconds + max(last_fit, self.reserve) <= self._end


def _cross_fit(pipeline, bags, labels, folds, budget, bar):
    """Scores of every bag by a fit to the other folds, and the seconds of the longest fit.

    None for scores if this and a last fit to all bags would end after the budget.
    """
    n_folds = folds.max() + 1
    share = 1.0 - 1.0 / n_folds  # of the bags, in each fit
    if not _would_end_within(pipeline, bags, labels, share, budget):
        return None, 0.0
    scores = np.empty(labels.shape)
    longest = 0.0
    for fold in range(n_folds):
        held = folds == fold
        began = time.perf_counter()
        _quiet_fit(pipeline, bags[~held], labels[~held])
        scores[held] = _scores_of(pipeline, bags[held])
        longest = max(longest, time.perf_counter() - began)
        bar.update()
        n_left = n_folds - fold - 1
        if not budget.allows(n_left * longest, _last_fit(longest, n_folds)):
            return None, longest
    return scores, longest


def _last_fit(seconds, n_folds) -> float:
    """Seconds of a fit to all bags, from those of a fit to all folds but one."""
    return seconds * (n_folds / (n_folds - 1)) ** SQUARE


@contextmanager
def _named_in_errors(candidate):
    """Context that adds to an error which candidate raised it."""
    try:
        yield
    except Exception as error:
        error.add_note(f"It is raised by the candidate {candidate!r}.")
        raise


def _check_finite(scores):
    """Refuse scores with NaN and infinity; None, of a candidate that was left out, is right."""
    if scores is not None and not np.isfinite(scores).all():
        n_strange = (~np.isfinite(scores)).sum()
        raise ValueError(f"scores must be finite, got {n_strange} that are NaN or infinite")


def _would_end_within(pipeline, bags, labels, share, budget) -> bool:
    """Whether the budget allows a fit to this share of the bags, judged by smaller fits.

    Time is taken to grow as between the last two of these, at least with the square of the number
    of bags and at most with its cube. True if no smaller fit is possible.
    """
    if not budget.is_limited:
        return True
    took_before, power = None, SQUARE
    for step, following in pairwise([*SAMPLES, 1.0 / share]):
        if len(bags) // step < LEAST:
            continue
        began = time.perf_counter()
        try:
            _quiet_fit(pipeline, bags[::step], labels[::step])
        except ValueError:  # that it fails on so few bags says nothing about more
            took_before = None
            continue
        took = time.perf_counter() - began
        if took_before is not None:
            power = np.clip(np.log2(took / took_before), SQUARE, CUBE)  # of twice as many bags
        took_before = took
        growth = step / following  # of the number of bags
        if not budget.allows(took * growth**power):
            return False
    return True


def _scores_of(model, bags):
    """Scores (n_bags, n_labels), also of a learner of one label, which gives (n_bags,)."""
    return scores_of(model, bags).reshape(len(bags), -1)


def _quiet_fit(pipeline, bags, labels):
    with (
        _without_warnings_of_labels(),
        warnings.catch_warnings(action="ignore", category=ConvergenceWarning),
    ):
        pipeline.fit(bags, labels)


@contextmanager
def _without_warnings_of_labels():
    """Context of a fit that warns neither of constant labels nor of a single column of labels."""
    with (
        base.without_label_warnings(),  # the fit around it has warned
        # A classifier of scikit-learn wants another shape of one label, and makes it itself.
        warnings.catch_warnings(action="ignore", category=DataConversionWarning),
    ):
        yield


def _calibrated(scores, labels):
    """Platt's slope and intercept for each label.

    They are (1, 0) for a label that all or no held-out bags have, for equal scores, and where the
    slope would turn the learner's order round.
    """
    n_labels = scores.shape[1]
    slopes, intercepts = np.ones(n_labels), np.zeros(n_labels)
    for label, (column, truth) in enumerate(zip(scores.T, labels.T, strict=True)):
        if truth.all() or not truth.any() or np.ptp(column) == 0:
            continue
        slope, intercept = platt(column, truth, unit=column.std())
        if slope > 0:  # never against the learner's own order
            slopes[label], intercepts[label] = slope, intercept
    return slopes, intercepts
