"""What is recorded of a trial: functions of (estimator, dataset, train, test), and columns."""

import ctypes
import gc
import json
import sys
import time
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, clone
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import Pipeline

from mimlpaper.bags import Bags
from mimlpaper.base import BagClassifier
from mimlpaper.baselines.binary_relevance import LabelFrequencies
from mimlpaper.calibration import platt
from mimlpaper.explanations import explain
from mimlpaper.metrics import CRITERIA, average_precision, evaluate
from mimlstudy.engine.holdouts import SIGNS, scores_and_labels
from mimlstudy.engine.trials import Measure
from mimlstudy.paper.common import is_degenerate

BUDGETS = (8, 4, 2, 1)  # numbers of settings that a hold-out tries, beside all
CALIBRATIONS = ("none", "platt", "isotonic")
POINTING = ("accuracy", "accuracy_known", "auc", "pointing")
MICRO_AUC = ("micro_auc_bags", "micro_auc_instances")
RARE = 0.01  # a category is rare if a smaller share of the documents has it
N_WARM_UP = 60  # examples of a small fit that loads compiled code
SHORT = 1.0  # seconds; a shorter fit is repeated, and the shortest time counts
N_REPEATS = 3


def criteria(estimator, dataset, train, test, *, staged=False) -> list[dict]:
    """The paper's criteria on the test set, what a hold-out chose, and processor seconds."""
    start = time.process_time()
    estimator.fit(dataset.X[train], dataset.labels[train])
    end_of_fit = time.process_time()
    stages = _stages(estimator, dataset.X[test], staged)
    seconds = {
        "fit_seconds": end_of_fit - start,
        "predict_seconds": time.process_time() - end_of_fit,
    }
    # Empty if nothing was to choose.
    best = getattr(estimator, "best_params_", None)
    of_trial = seconds | {"chosen": "" if best is None else _as_text(best)}
    rows = []
    for stage, (scores, predicted) in enumerate(stages, start=int(staged)):
        measured = evaluate(dataset.labels[test], scores, predicted)
        rows.append({"stage": stage} | of_trial | measured)
    return rows


def criteria_and_rank(estimator, dataset, train, test) -> list[dict]:
    """The criteria, the landmarks of the kernel's factor, and the share of the trace it misses.

    Without a factor both are NaN. The kernel must not be linear, which has no landmarks.
    """
    (row,) = criteria(estimator, dataset, train, test)
    factor = _factor_of(estimator)
    if factor is None:
        return [row | {"n_landmarks": np.nan, "unexplained": np.nan}]
    return [row | {"n_landmarks": len(factor.landmarks_), "unexplained": factor.error_}]


def _factor_of(estimator):
    """The fitted factor of a learner, or of the learner within it; None if there is none."""
    if isinstance(estimator, Pipeline):
        return _factor_of(estimator[-1])
    for name in ("best_estimator_", "transformation_", "learner_"):
        within = getattr(estimator, name, None)
        factor = None if within is None else _factor_of(within)
        if factor is not None:
            return factor
    return getattr(estimator, "factor_", None)


def degeneracy(estimator, dataset, train, test) -> list[dict]:
    """1 if the estimator gives every example the same answer, see ``is_degenerate``, else 0."""
    X, Y = dataset.X[train], dataset.labels[train]
    return [{"degenerate": float(is_degenerate(estimator, X, Y))}]


def criteria_by_stage(estimator, dataset, train, test) -> list[dict]:
    """The criteria after each round of a learner with ``staged_decision_function``.

    Rounds are stages from 1; stage 0 is for trials without stages, such as those of tables.
    """
    return criteria(estimator, dataset, train, test, staged=True)


def _stages(estimator, X, staged):
    """(scores, label sets) of each stage of the fitted estimator."""
    if not staged:
        return [scores_and_labels(estimator, X)]
    if hasattr(estimator, "best_estimator_"):
        return _stages(estimator.best_estimator_, X, staged)
    if isinstance(estimator, Pipeline):
        X = estimator[:-1].transform(X) if len(estimator) > 1 else X
        return _stages(estimator[-1], X, staged)
    rounds = estimator.staged_decision_function(X)
    return [(scores, estimator.decide(scores)) for scores in rounds]


def _as_text(setting):
    return json.dumps(setting, sort_keys=True, default=str)


def criteria_by_budget(estimator, dataset, train, test) -> list[dict]:
    """The criteria of a hold-out's choice, then a row for its choice among fewer settings.

    The trial's seed draws the order of the settings; ``n_settings`` of them were tried, with the
    values ``held_out`` (JSON). A setting chosen again is not fitted again.
    """
    (whole,) = criteria(estimator, dataset, train, test)
    held_out = estimator.holdout_values_
    losses = -SIGNS[estimator.criterion] * np.array(held_out["value"])
    # In a random order, so that a small budget does not always try the same corner of the grid.
    order = np.random.default_rng(estimator.random_state).permutation(len(losses))
    row_of_setting = {int(losses.argmin()): whole}
    rows = list[dict]()
    for n_settings in (len(order), *(n for n in BUDGETS if n < len(order))):
        tried = order[:n_settings]
        # Among equals the first in the grid, as in the search itself.
        best = int(min(tried, key=lambda setting: (losses[setting], setting)))
        parameters = held_out["params"][best]
        if best not in row_of_setting:
            # The candidates of a grid may be estimators, which a fit must not change.
            chosen = clone(estimator.estimator).set_params(**clone(parameters, safe=False))
            (row_of_setting[best],) = criteria(chosen, dataset, train, test)
        values = json.dumps([round(held_out["value"][setting], 6) for setting in tried])
        of_budget = {
            "n_settings": n_settings,
            "held_out": values,
            "chosen": _as_text(parameters),
        }
        rows.append(row_of_setting[best] | of_budget | {"stage": len(rows)})
    return rows


def objectives(estimator, dataset, train, test) -> list[dict]:
    """D-MimlSvm's objective at each step of the outer loop, a stage from 1.

    following: the objective after the next step, even if that was rejected; NaN if none follows.
    n_iter: the inner solver's iterations. gap: its relative duality gap after the fit.
    """
    fitted = estimator.fit(dataset.X[train], dataset.Y[train])[-1]
    following = np.append(fitted.raw_objective_[1:], np.nan)
    # If the last problem raised the objective it was rejected, and is no step.
    steps = zip(fitted.objective_, following, fitted.n_iter_, strict=False)
    rows = []
    for stage, (objective, later, n_iter) in enumerate(steps, start=1):
        rows.append(
            {
                "stage": stage,
                "objective": objective,
                "following": later,
                "n_iter": n_iter,
                "gap": fitted.duality_gap_,
            }
        )
    return rows


def related_pairs(estimator, dataset, train, test) -> list[dict]:
    """What D-MimlSvm learns of each pair of labels: the cosine of their w_t, and their sharing.

    sharing: the a = 1 / (4 μ_ij + 2) of Eq. 26, W_ij = a (w_i + w_j); NaN if the labels share one
    mean. together: how often training bags have both, over what independence would give.
    """
    Y, names = dataset.Y[train], dataset.label_names
    fitted = estimator.fit(dataset.X[train], Y)[-1]
    share = Y.mean(axis=0)
    penalties = fitted.pair_penalties_
    rows = []
    for i, j in combinations(range(len(names)), 2):
        sharing = np.nan
        if penalties is not None:
            sharing = 1 / (4 * penalties[i, j] + 2)
        share_of_both = (Y[:, i] & Y[:, j]).mean()
        rows.append(
            {
                "first": names[i],
                "second": names[j],
                "cosine": fitted.label_relatedness_[i, j],
                "sharing": sharing,
                "together": share_of_both / (share[i] * share[j]),
            }
        )
    return rows


def characteristics(estimator, dataset, train, test) -> list[dict]:
    """Appendix C's numbers of a data set, of its training and test documents; nothing is fitted.

    PMC: % with several categories. ANL: average number of categories. PRC: % of rare categories.
    """
    measured = {"categories": dataset.n_labels, "vocabulary": dataset.X.shape[1]}
    for part, Y in (("train", dataset.Y[train]), ("test", dataset.Y[test])):
        measured[f"{part}_PMC"] = 100 * np.mean(Y.sum(axis=1) > 1)
        measured[f"{part}_ANL"] = Y.sum(axis=1).mean()
        measured[f"{part}_PRC"] = 100 * np.mean(Y.mean(axis=0) < RARE)
    return [measured]


class Ceiling(BaseEstimator):
    """What the features allow: a machine that is taught the labels of instances."""

    def __init__(self, machine):
        self.machine = machine

    def fit(self, X, instance_labels):
        """Fit on the instances that are labelled; labels (n_instances, n_labels)."""
        labelled = instance_labels.any(axis=1)
        labels = instance_labels[labelled]
        # A machine cannot learn a label that no instance has.
        self.known_ = labels.any(axis=0)
        self.machine_ = clone(self.machine)
        self.machine_.fit(X.instances[labelled], labels[:, self.known_] * 1)
        return self

    def instance_scores(self, X) -> np.ndarray:
        """Log odds (n_instances, n_labels), lowest for a label that was never there."""
        scores = np.full((X.n_instances, len(self.known_)), -1e6)
        scores[:, self.known_] = self.machine_.decision_function(X.instances)
        return scores


class Chance(LabelFrequencies):
    """Equal scores, so that each number is its chance level."""

    def instance_scores(self, X) -> np.ndarray:
        return np.zeros_like(super().instance_scores(X))


def explanations(estimator, dataset, train, test) -> list[dict]:
    """Explanations against the labels of instances: a row for each calibration."""
    X, Y = dataset.X[train], dataset.Y[train]
    test_bags = dataset.X[test]
    # Stored as features of the instances, their labels are selected with the bags.
    truth = dataset.X.with_instances(dataset.instance_labels)
    labels = Y
    if isinstance(estimator, Ceiling):
        labels = truth[train].instances.astype(bool)
    estimator.fit(X, labels)
    on_train = explain(estimator, X)
    on_test = explain(estimator, test_bags)
    instance_labels = truth[test].instances.astype(bool)
    # Bounds are not calibrated.
    is_bound = isinstance(estimator, Ceiling | Chance)
    rows = []
    for kind in ("none",) if is_bound else CALIBRATIONS:
        scores = calibrated(kind, on_train, X, Y, on_test)
        shares = right_explanations(scores, test_bags, dataset.Y[test], instance_labels)
        rows.append({"calibration": kind} | shares)
    return rows


def right_explanations(
    scores: np.ndarray, bags: Bags, Y: np.ndarray, instance_labels: np.ndarray
) -> dict[str, float]:
    """How right explanations are, by instances that have a label; ties count in part.

    accuracy, accuracy_known : the top label of an instance is one of its own, of all labels or of
        those of its bag.
    auc : mean over labels of the area under the curve of instances with the label and without it.
    pointing : the top instance of a label, which some labelled instance of the bag has, has it.
    micro_auc_instances, micro_auc_bags : area under one curve for all labels; a bag's score is its
        largest. ``scores``, ``instance_labels`` (n_instances, n_labels); ``Y`` (n_bags, n_labels).
    """
    of_bags = roc_auc_score(Y, bags.max(scores), average="micro")
    labelled = instance_labels.any(axis=1)
    of_its_bag = np.where(Y[bags.bag_of_instance], scores, -np.inf)
    bag = bags.bag_of_instance[labelled]
    scores, truth = scores[labelled], instance_labels[labelled]
    # The area under a curve needs instances with the label and without it.
    measurable = truth.any(axis=0) & ~truth.all(axis=0)
    area = roc_auc_score(truth[:, measurable], scores[:, measurable], average="macro")
    return {
        "accuracy": _top_is_true(scores, truth),
        "accuracy_known": _top_is_true(of_its_bag[labelled], truth),
        "auc": float(area),
        "pointing": _pointing(scores, truth, bag),
        "micro_auc_bags": float(of_bags),
        "micro_auc_instances": float(roc_auc_score(truth, scores, average="micro")),
    }


def _pointing(scores, truth, bag):
    """Of a bag and a label that it shows: how often the top instance has it. ``bag``: a row's."""
    _, sizes = np.unique(bag, return_counts=True)
    bags = Bags(scores, np.concatenate([[0], np.cumsum(sizes)]))
    top = scores == np.repeat(bags.max(scores), sizes, axis=0)
    # Of several top instances each counts in part.
    hits = bags.sum(1.0 * (top & truth)) / bags.sum(1.0 * top)
    return float(hits[bags.max(truth)].mean())


def _top_is_true(scores, truth):
    # Equal scores share the place, so that the order of labels does not matter.
    top = scores == scores.max(axis=1, keepdims=True)
    shares = (top & truth).sum(axis=1) / top.sum(axis=1)
    return float(shares.mean())


def calibrated(
    kind: str, train_scores: np.ndarray, bags: Bags, Y, test_scores: np.ndarray
) -> np.ndarray:
    """Test scores of instances as probabilities, by kind "platt" or "isotonic"; or "none".

    The curve of a label is fitted to the largest scores of training bags and their ``Y``, and read
    at every instance's score. Both arrays of scores are (n_instances, n_labels).
    """
    if kind == "none":
        return test_scores
    probabilities = np.empty_like(test_scores)
    by_label = zip(bags.max(train_scores).T, Y.T, strict=True)
    for label, (largest, y) in enumerate(by_label):
        if y.all() or not y.any():
            probabilities[:, label] = y[0]
        elif kind == "isotonic":
            curve = IsotonicRegression(out_of_bounds="clip").fit(largest, y)
            probabilities[:, label] = curve.predict(test_scores[:, label])
        else:
            unit = np.ptp(largest) or 1.0  # equal scores have no range
            slope, intercept = platt(largest, y, unit=unit, C=1e6)
            probabilities[:, label] = expit(slope * test_scores[:, label] + intercept)
    return probabilities


def costs(estimator, dataset, train, test) -> list[dict]:
    """Processor seconds of a fit and of scores, and the megabytes that each adds to the peak.

    First, a small fit loads compiled code. Of short fits the fastest of three counts. A learner of
    one label is fitted to the first label.
    """
    last = estimator[-1] if isinstance(estimator, Pipeline) else estimator
    labels = dataset.labels
    if isinstance(last, BagClassifier) and labels.ndim == 2:
        labels = labels[:, 0]
    X, Y = dataset.X[train], labels[train]
    # From all over the set, because it may be sorted by label.
    few = np.unique(np.linspace(0, len(Y) - 1, N_WARM_UP).astype(int))
    clone(estimator).fit(X[few], Y[few])
    fitted, seconds, megabytes = spent(estimator.fit, X, Y)
    for _ in range(N_REPEATS - 1):
        if seconds < SHORT:
            _, again, _ = spent(clone(estimator).fit, X, Y)
            seconds = min(seconds, again)
    row = _sizes(X, Y) | {"fit_seconds": seconds, "fit_megabytes": megabytes}
    if len(test):
        scores, seconds, megabytes = spent(fitted.decision_function, dataset.X[test])
        row |= {"predict_seconds": seconds, "predict_megabytes": megabytes}
        if np.ndim(Y) == 2:
            row["average_precision"] = average_precision(labels[test], scores)
    return [row]


def _sizes(X, Y):
    """The mean size of a bag, and numbers of features and labels."""
    n_labels = 1 if np.ndim(Y) == 1 else Y.shape[1]
    if not isinstance(X, Bags):
        return {"n_instances": 1, "n_features": X.shape[1], "n_labels": n_labels}
    return {
        "n_instances": round(X.n_instances / len(X), 2),
        "n_features": X.n_features,
        "n_labels": n_labels,
    }


def spent(call, *args):
    """The result of ``call``, its processor seconds, and the megabytes that it adds to the peak."""
    gc.collect()
    if sys.platform == "linux":  # give back what is free, and forget the peak
        getattr(ctypes.CDLL(None), "malloc_trim", lambda pad: None)(0)
        Path("/proc/self/clear_refs").write_text("5")
    before = _peak()
    # Processor time: other programs on the machine do not count.
    begin = time.process_time()
    result = call(*args)
    seconds = time.process_time() - begin
    return result, seconds, _peak() - before


def _peak():
    import resource  # not on Windows, where the rest of the package works

    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kilobytes / (1024**2 if sys.platform == "darwin" else 1024)


SHARES = (*(name for name in CRITERIA if name != "coverage"), "accuracy")
NUMBERS = (*CRITERIA, "accuracy", "fit_seconds", "predict_seconds")
TESTED = Measure(
    criteria,
    NUMBERS,
    ("chosen",),
    shares=SHARES,
    ranks=("coverage",),
    may_lack=(*CRITERIA, "accuracy"),  # a criterion is blank where no bag defines it
    has_one_of=("hamming_loss", "accuracy"),  # by whether the data have one label or several
)
STAGED = replace(TESTED, rows=criteria_by_stage)
BUDGETED = replace(
    TESTED,
    rows=criteria_by_budget,
    numbers=(*NUMBERS, "n_settings"),
    words=("chosen", "held_out"),
    counts=("n_settings",),
)
RANKED = replace(
    TESTED,
    rows=criteria_and_rank,
    numbers=(*NUMBERS, "n_landmarks", "unexplained"),
    counts=("n_landmarks",),
    shares=(*SHARES, "unexplained"),
    may_lack=(*TESTED.may_lack, "n_landmarks", "unexplained"),
)
DEGENERACY = Measure(
    degeneracy,
    ("degenerate",),
    counts=("degenerate",),
    ranges=(("degenerate", 0, 1),),
)
OBJECTIVES = Measure(
    objectives,
    ("objective", "following", "n_iter", "gap"),
    counts=("n_iter",),
    may_lack=("following",),
)
RELATED = Measure(
    related_pairs,
    ("cosine", "sharing", "together"),
    ("first", "second"),
    may_lack=("sharing",),
    ranges=(
        ("cosine", -1, 1),
        ("sharing", 0, 0.5),  # of Eq. 26, where no penalty is below 0
        ("together", 0, np.inf),
    ),
)
EXPLANATIONS = Measure(
    explanations,
    (*POINTING, *MICRO_AUC),
    ("calibration",),
    shares=(*POINTING, *MICRO_AUC),
)
CHARACTERISTICS = Measure(
    characteristics,
    (
        "categories",
        "vocabulary",
        "train_PMC",
        "train_ANL",
        "train_PRC",
        "test_PMC",
        "test_ANL",
        "test_PRC",
    ),
    counts=("categories", "vocabulary"),
    ranges=(
        ("train_PMC", 0, 100),
        ("train_ANL", 0, np.inf),
        ("train_PRC", 0, 100),
        ("test_PMC", 0, 100),
        ("test_ANL", 0, np.inf),
        ("test_PRC", 0, 100),
    ),
)
COST_MEASURE = Measure(
    costs,
    (
        "n_instances",
        "n_features",
        "n_labels",
        "fit_seconds",
        "fit_megabytes",
        "predict_seconds",
        "predict_megabytes",
        "average_precision",
    ),
    repeatable=False,
    alone=True,
    shares=("average_precision",),
    counts=("n_features", "n_labels"),
    ranges=(
        ("n_instances", 0, np.inf),  # of a bag, in the mean
        ("fit_megabytes", 0, np.inf),
        ("predict_megabytes", 0, np.inf),
    ),
    may_lack=("predict_seconds", "predict_megabytes", "average_precision"),
)
