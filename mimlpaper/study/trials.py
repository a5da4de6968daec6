"""A trial: one method, fitted and tested on one split of one data set; and the kinds of splits."""

import json
import time
import warnings
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import Pipeline

from mimlpaper.datasets import load
from mimlpaper.metrics import evaluate


@dataclass(frozen=True)
class Splits:
    """``n_splits`` divisions; ``indices(dataset, split)`` gives (train, test) row numbers."""

    n_splits: int

    def indices(self, dataset, split: int) -> tuple[np.ndarray, np.ndarray]:
        raise NotImplementedError

    def _check(self, split):
        if not 0 <= split < self.n_splits:
            raise ValueError(f"split must lie between 0 and {self.n_splits - 1}, got {split}")


@dataclass(frozen=True)
class RandomSplits(Splits):
    """Independent random divisions, a share ``train`` of the examples for training."""

    train: float = 0.75

    def indices(self, dataset, split):
        self._check(split)
        order = np.random.default_rng(split).permutation(len(dataset))
        n_train = round(self.train * len(dataset))
        return order[:n_train], order[n_train:]


@dataclass(frozen=True)
class CrossValidation(Splits):
    """Shuffled k-fold cross-validation, repeated: split = repeat * n_folds + fold."""

    n_folds: int = 10
    stratified: bool = False

    def indices(self, dataset, split):
        self._check(split)
        repeat, fold = divmod(split, self.n_folds)
        kind = StratifiedKFold if self.stratified else KFold
        folds = kind(self.n_folds, shuffle=True, random_state=repeat)
        rows = np.arange(len(dataset))
        return list(folds.split(rows, dataset.y if self.stratified else None))[fold]


@dataclass(frozen=True)
class GivenSplit(Splits):
    """The one division that the data set's source fixes."""

    n_splits: int = 1

    def indices(self, dataset, split):
        self._check(split)
        if dataset.n_train is None:
            raise ValueError(f"the source of {dataset.name} fixes no training set")
        rows = np.arange(len(dataset))
        return rows[: dataset.n_train], rows[dataset.n_train :]


@dataclass(frozen=True)
class Trial:
    """What is run, as data. Running it is a pure function: same trial, same criteria.

    Parameters
    ----------
    experiment : str, the table or figure, such as ``"table1"``.
    dataset : str, a name that :func:`mimlpaper.datasets.load` knows.
    method : str, as the paper prints it.
    parameters : str
        JSON object of parameters that differ from the method's configuration, by their
        scikit-learn names; ``"{}"`` for none.
    split : int, number of the split; it also seeds the method.
    """

    experiment: str
    dataset: str
    method: str
    parameters: str
    split: int


def run_trial(trial: Trial, estimator, splits: Splits, *, staged=False, data_home=None):
    """Run a trial and return its measurements, one dict for each stage.

    Seconds are of processor time, so that they do not depend on what else the machine does. Work
    that an earlier trial of the same batch left in the cache is not counted again.
    ``staged=True`` measures each round of an estimator with ``staged_decision_function``; False
    measures the last one, as stage 0.
    """
    dataset = _load(trial.dataset, data_home)
    train, test = splits.indices(dataset, trial.split)
    X_train, X_test = dataset.X[train], dataset.X[test]
    Y_train, Y_test = dataset.labels[train], dataset.labels[test]
    set_random_states(estimator, trial.split)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.process_time()
        estimator.fit(X_train, Y_train)
        fitted = time.process_time()
        stages = _stages(estimator, X_test, staged)
        tested = time.process_time()
    common = {
        "kind": dataset.kind,
        "data_sha256": dataset.sha256,
        "n_train": len(train),
        "n_test": len(test),
        "fit_seconds": fitted - start,
        "predict_seconds": tested - fitted,
        "chosen": _chosen(estimator),
        "warnings": "; ".join(sorted({w.category.__name__ for w in caught})),
        "n_stages": len(stages),
    }
    return [
        common | {"stage": stage} | evaluate(Y_test, scores, predicted)
        for stage, (scores, predicted) in enumerate(stages, start=int(staged))
    ]


@lru_cache(maxsize=2)
def _load(name, data_home):
    """A data set, kept for the worker's next trials."""
    return load(name, data_home=data_home)


def set_random_states(estimator, seed: int):
    """Seed every part of a composed estimator that draws random numbers."""
    names = [
        name
        for name in estimator.get_params(deep=True)
        if name == "random_state" or name.endswith("__random_state")
    ]
    estimator.set_params(**dict.fromkeys(names, seed))


def _stages(estimator, X, staged):
    """(scores, label sets) of each stage of the fitted estimator; scores are computed once."""
    if hasattr(estimator, "best_estimator_"):
        return _stages(estimator.best_estimator_, X, staged)
    if isinstance(estimator, Pipeline):
        X = estimator[:-1].transform(X) if len(estimator) > 1 else X
        return _stages(estimator[-1], X, staged)
    if not hasattr(estimator, "decide"):
        return [(estimator.decision_function(X), estimator.predict(X))]
    rounds = estimator.staged_decision_function(X) if staged else [estimator.decision_function(X)]
    return [(scores, estimator.decide(scores)) for scores in rounds]


def _chosen(estimator):
    """Hyper-parameters chosen by hold-out, as JSON; empty if nothing was to choose."""
    best = getattr(estimator, "best_params_", None)
    return "" if best is None else json.dumps(best, sort_keys=True, default=_plain)


def _plain(value):
    return value.item() if isinstance(value, np.generic) else str(value)
