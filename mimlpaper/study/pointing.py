"""Reasons against truth: which instance brings which label, measured where each is labelled.

A method's scores of instances, see :func:`~mimlpaper.reasons.explain`, are compared with the
labels of the test bags' instances, which no method sees. Instances without a label do not count.
The shares are recorded in ``pointing.csv``, a trial at a time.
"""

import time
import warnings
from collections import Counter
from dataclasses import astuple

import numpy as np
import pandas as pd
from joblib import Parallel, delayed, parallel_config
from sklearn.base import BaseEstimator, clone
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from threadpoolctl import threadpool_limits

from mimlpaper.bags import Bags
from mimlpaper.baselines.guess import Guess
from mimlpaper.datasets import load
from mimlpaper.kernels import KernelFactor
from mimlpaper.reasons import explain
from mimlpaper.sharing import Cache, sharing
from mimlpaper.study.experiment import Experiment
from mimlpaper.study.fingerprint import provenance
from mimlpaper.study.records import (
    KEY,
    current_codes,
    default_store,
    keys_of,
    put_rows,
    read_rows,
    rows_of,
    six_digits,
)
from mimlpaper.study.trials import CrossValidation, GivenSplit, set_random_states
from mimlpaper.study.unseen import BAGS, UNSEEN, UNSEEN_TEXTS

MEASURES = ("accuracy", "accuracy_known", "auc", "pointing")
MICRO_AUC = ("micro_auc_bags", "micro_auc_instances")
CALIBRATIONS = ("none", "platt", "isotonic")
CHANCE, CEILING = "chance", "taught the instances' labels"
COLUMNS = [
    *KEY, "calibration", *MEASURES, *MICRO_AUC, "seconds", "kind", "data_sha256", "code",
    "versions", "commit", "machine",
]  # fmt: skip
NO_REASONS = ("Set kernel", "AdtBoost.MH", "RankSvm", "MlSvm", "Ml-knn")


class Ceiling(BaseEstimator):
    """What the features allow: a machine that is taught the labels of instances."""

    def __init__(self, machine):
        self.machine = machine

    def fit(self, X, instance_labels):
        """Fit on those of the bags' instances that are labelled; labels (n_instances, n_labels)."""
        labelled = instance_labels.any(axis=1)
        self.known_ = instance_labels[labelled].any(axis=0)
        self.machine_ = clone(self.machine)
        self.machine_.fit(X.instances[labelled], instance_labels[labelled][:, self.known_] * 1)
        return self

    def instance_scores(self, X) -> np.ndarray:
        """Log odds (n_instances, n_labels), lowest for a label that was never there."""
        scores = np.full((X.n_instances, len(self.known_)), -1e6)
        scores[:, self.known_] = self.machine_.decision_function(X.instances)
        return scores


class Chance(Guess):
    """Equal scores, so that every share is that of a draw at random."""

    def instance_scores(self, X) -> np.ndarray:
        return np.zeros_like(super().instance_scores(X))


def _rows(table, kernel):
    methods = {name: row.published() for name, row in table.items() if name not in NO_REASONS}
    logistic = OneVsRestClassifier(LogisticRegression(C=10.0, max_iter=1000))
    machine = make_pipeline(MinMaxScaler(), KernelFactor(kernel=kernel, rank=300), logistic)
    return {CHANCE: Chance(), **methods, CEILING: Ceiling(machine)}


POINTING = Experiment(
    "pointing", "Reasons against truth", BAGS, CrossValidation(5, n_folds=5), _rows(UNSEEN, "rbf"),
    smoke_splits=1,
)  # fmt: skip
POINTING_TEXTS = Experiment(
    "pointing", "Reasons against truth, texts", ("dbpedia",), GivenSplit(),
    _rows(UNSEEN_TEXTS, "linear"), smoke_splits=1,
)  # fmt: skip

BOTH = (POINTING, POINTING_TEXTS)  # in one table


def pointing(
    profile: str = "paper", *, jobs: int = -1, recompute: bool = False, data_home=None
) -> pd.DataFrame:
    """The table of :func:`recorded_pointing`; what is missing or stale is run first.

    Parameters are those of :func:`~mimlpaper.study.compute`. Each trial is recorded as it
    ends.
    """
    recorded = recorded_pointing(profile)
    fresh = recorded[(recorded["state"] == "fresh") & (not recompute)]
    known = set(keys_of(fresh))
    waiting = [
        (experiment, trial)
        for experiment in BOTH
        for trial in experiment.trials(profile)
        if astuple(trial) not in known
    ]
    if waiting:
        print(f"pointing: {len(waiting)} fits to run", flush=True)
    warned: Counter[str] = Counter()
    with parallel_config("loky", n_jobs=jobs):
        runs = Parallel(return_as="generator_unordered")
        for rows, categories in runs(delayed(_run)(*one, data_home) for one in waiting):
            put_rows(default_store(profile).path("pointing"), rows, COLUMNS, n_keys=len(KEY) + 1)
            warned.update(categories)
    for category, n_fits in sorted(warned.items()):
        print(f"pointing: {n_fits} of {len(waiting)} fits gave a {category}", flush=True)
    return recorded_pointing(profile)


def recorded_pointing(profile: str = "paper") -> pd.DataFrame:
    """Reasons against truth as they are recorded; nothing is run.

    One row for each trial and calibration, method by method, with the measures of
    :func:`measure_reasons`, and ``state``, "fresh" or "stale".
    """
    table = read_rows(default_store(profile).path("pointing"), COLUMNS)
    parts = [rows_of(table, experiment, profile, _measured) for experiment in BOTH]
    order = {method: i for i, method in enumerate(POINTING.methods)}
    return pd.concat(parts, ignore_index=True).sort_values(
        "method", key=lambda names: names.map(order), kind="stable", ignore_index=True
    )


def measure_reasons(
    scores: np.ndarray, bags: Bags, Y: np.ndarray, instance_labels: np.ndarray
) -> dict[str, float]:
    """Shares of right reasons, among the instances that are labelled; equals share their place.

    accuracy : the top label of an instance is its own, among all labels.
    accuracy_known : the same, among the labels of its bag.
    auc : mean over labels of the area under the curve of the instances that have it.
    pointing : the top instance of a label that a bag shows has the label.
    micro_auc_instances, micro_auc_bags : area under one curve for all labels together. A bag
        has the scores of its top instances, labelled or not.

    Parameters
    ----------
    scores : (n_instances, n_labels), as from :func:`~mimlpaper.reasons.explain`.
    Y : bool array (n_bags, n_labels)
    instance_labels : bool array (n_instances, n_labels); an empty row is not labelled.
    """
    of_bags = roc_auc_score(Y, bags.max(scores), average="micro")
    labelled = instance_labels.any(axis=1)
    known = np.where(Y[bags.bag_of_instance], scores, -np.inf)[labelled]
    bag = bags.bag_of_instance[labelled]
    scores, truth = scores[labelled], instance_labels[labelled]
    sizes = np.unique(bag, return_counts=True)[1]
    labelled_bags = Bags(scores, np.concatenate([[0], np.cumsum(sizes)]))
    both = truth.any(axis=0) & ~truth.all(axis=0)
    top = scores == np.repeat(labelled_bags.max(scores), sizes, axis=0)
    hits = labelled_bags.sum(1.0 * (top & truth)) / labelled_bags.sum(1.0 * top)
    return {
        "accuracy": _top_is_true(scores, truth),
        "accuracy_known": _top_is_true(known, truth),
        "auc": float(roc_auc_score(truth[:, both], scores[:, both], average="macro")),
        "pointing": float(hits[labelled_bags.max(truth)].mean()),
        "micro_auc_bags": float(of_bags),
        "micro_auc_instances": float(roc_auc_score(truth, scores, average="micro")),
    }


def _top_is_true(scores, truth):
    top = scores == scores.max(axis=1, keepdims=True)
    return float(((top & truth).sum(axis=1) / top.sum(axis=1)).mean())


def calibrated(kind: str, train: np.ndarray, bags: Bags, Y, test: np.ndarray) -> np.ndarray:
    """Instance scores as probabilities, learned from the labels of the training bags only.

    For each label, Platt's logistic function or isotonic regression gives the probability that a
    bag has the label from its largest score. It is then read at every instance's score.

    Parameters
    ----------
    kind : one of :data:`CALIBRATIONS`; "none" gives ``test`` back.
    train, test : (n_instances, n_labels), scores of the training and of the test instances.
    bags, Y : the training bags and their labels (n_bags, n_labels).
    """
    if kind == "none":
        return test
    found = np.empty_like(test)
    for label, (largest, y) in enumerate(zip(bags.max(train).T, Y.T, strict=True)):
        if y.all() or not y.any():
            found[:, label] = y[0]
        elif kind == "isotonic":
            curve = IsotonicRegression(out_of_bounds="clip").fit(largest, y)
            found[:, label] = curve.predict(test[:, label])
        else:
            width = np.ptp(largest) or 1.0
            curve = LogisticRegression(C=1e6).fit(largest[:, None] / width, y)
            found[:, label] = curve.predict_proba(test[:, label, None] / width)[:, 1]
    return found


def _measured(estimator, dataset, train, test) -> list[dict]:
    """The measures under each calibration; what is no method is not calibrated."""
    X, Y = dataset.X[train], dataset.Y[train]
    truth = dataset.X.with_instances(dataset.instance_labels)
    taught = isinstance(estimator, Ceiling)
    estimator.fit(X, truth[train].instances.astype(bool) if taught else Y)
    learned, found = explain(estimator, X), explain(estimator, dataset.X[test])
    rows = []
    for kind in CALIBRATIONS[: 1 if isinstance(estimator, Ceiling | Chance) else None]:
        scores = calibrated(kind, learned, X, Y, found)
        about = dataset.X[test], dataset.Y[test], truth[test].instances.astype(bool)
        rows.append({"calibration": kind} | measure_reasons(scores, *about))
    return rows


def _run(experiment, trial, data_home):
    """The rows of one trial as they are recorded, and the categories of its warnings."""
    dataset = load(trial.dataset, data_home)
    estimator = experiment.estimator(trial)
    set_random_states(estimator, trial.split)
    start = time.process_time()
    with threadpool_limits(1), sharing(Cache()), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rows = _measured(estimator, dataset, *experiment.splits.indices(dataset, trial.split))
    seconds = time.process_time() - start
    code = current_codes(experiment, _measured)(trial.dataset, trial.method, trial.parameters)
    about = {"kind": dataset.kind, "data_sha256": dataset.sha256, "code": code}
    common = vars(trial) | about | {"seconds": seconds} | provenance()
    categories = {warning.category.__name__ for warning in caught}
    return [six_digits(common | row) for row in rows], categories
