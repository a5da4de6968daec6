"""How examples are divided into training and test sets; a split is known by its number."""

from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold


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
