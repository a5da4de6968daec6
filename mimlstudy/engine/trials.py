"""Experiments and their trials: one method, fitted and tested on one split of one data set."""

import json
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

from mimlpaper.datasets import DATASETS, load
from mimlpaper.datasets.fetch import DRAWN
from mimlstudy.engine.holdouts import full_names
from mimlstudy.paper.settings import Row

# Most splits that a profile runs; "smoke" runs the same code on data that the library draws.
PROFILES: dict[str, int | None] = {"smoke": 2, "quick": 3, "paper": None}

STAND_INS = {
    "yeast": "synthetic_genes",
    "yahoo": "synthetic_pages",
    **dict.fromkeys(("reuters", "dbpedia"), "synthetic_texts"),
    **dict.fromkeys(("musk1", "musk2", "elephant", "tiger", "fox"), "synthetic_africa"),
    **dict.fromkeys(("scene", "hja", "letter_carroll", "letter_frost"), "synthetic_scene"),
}


@dataclass(frozen=True)
class Splits:
    """``n_splits`` divisions of a data set, each into a training and a test set."""

    n_splits: int

    def indices(self, dataset, split: int) -> tuple[np.ndarray, np.ndarray]:
        """(train, test) row numbers."""
        raise NotImplementedError

    def first(self, n_splits: int) -> "Splits":
        """The first so many of these splits."""
        return replace(self, n_splits=min(n_splits, self.n_splits))


@dataclass(frozen=True)
class RandomSplits(Splits):
    """Independent random divisions, a share ``train`` of the examples for training."""

    train: float = 0.75

    def indices(self, dataset, split):
        order = np.random.default_rng(split).permutation(len(dataset))
        n_train = round(self.train * len(dataset))
        return order[:n_train], order[n_train:]


@dataclass(frozen=True)
class CrossValidation(Splits):
    """Shuffled k-fold cross-validation, repeated: split = repeat * n_folds + fold."""

    n_folds: int = 10
    stratified: bool = False

    def indices(self, dataset, split):
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
        rows = np.arange(len(dataset))
        return rows[: dataset.n_train], rows[dataset.n_train :]


class Trial(NamedTuple):
    """What is run, as data. Running it is a pure function: same trial, same rows."""

    experiment: str  # such as "table1"
    dataset: str
    method: str  # as the paper prints it
    parameters: str  # JSON object of what differs from the method's configuration
    split: int  # number of the split; it also seeds the method


@dataclass(frozen=True)
class Measure:
    """What an experiment records of a trial.

    ``rows(estimator, dataset, train, test)`` fits the estimator on the rows ``train`` of the data
    set, and returns what it finds: a dict for each stage, usually one.
    """

    rows: Callable[..., list[dict]]
    numbers: tuple[str, ...]  # columns of these dicts
    words: tuple[str, ...] = ()
    repeatable: bool = True  # costs belong to a machine: a second run gives other numbers
    alone: bool = False  # whether a trial needs a process of its own, while nothing else runs


@dataclass(frozen=True)
class Part:
    """Methods on some data sets, divided in one way.

    ``configurations`` maps each method, in the order of printing, to a
    :class:`~mimlstudy.paper.settings.Row`, an unfitted estimator, or None if the measure needs
    none; or to a mapping from data set to one of these. ``variants`` maps the methods that run to
    changes of a Row's settings, or of parameters as in
    :func:`~mimlstudy.engine.holdouts.full_names`. If it is empty, all run unchanged.
    """

    datasets: tuple[str, ...]
    splits: Splits
    configurations: Mapping[str, object]
    variants: Mapping[str, Sequence[Mapping]] = field(default_factory=dict)

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that run, in the order of printing."""
        return tuple(self.variants or self.configurations)

    def original(self, dataset: str) -> str:
        """The one of the part's data sets that a stand-in stands for; another as it is."""
        if dataset in self.datasets:
            return dataset
        return {_stand_in(name): name for name in reversed(self.datasets)}.get(dataset, dataset)

    def covers(self, dataset: str) -> bool:
        """Whether a data set is one of the part's, or stands for one of them."""
        return self.original(dataset) in self.datasets

    def configuration(self, dataset: str, method: str):
        """A method's configuration on one of the part's data sets."""
        one = self.configurations[method]
        if isinstance(one, Mapping):
            return one[dataset if dataset in one else dataset.split(":")[0]]
        return one

    def changes(self, dataset: str, method: str) -> list[str]:
        """What each variant of a method changes, as :class:`Trial` has it."""
        configured, changes = self.configuration(dataset, method), self.variants.get(method, [{}])
        if configured is not None and not isinstance(configured, Row):
            changes = [full_names(configured, change) for change in changes]
        return [json.dumps(change, sort_keys=True) for change in changes]


@dataclass(frozen=True)
class Experiment:
    """The trials of a table or a figure, of a column of settings, or of anything else recorded.

    Parameters
    ----------
    name : str, such as ``"table1"``; also the name of its results file.
    title : str, as the paper calls it.
    parts : tuple of Part; a method on a data set is configured and divided in one way only.
    smoke_splits : int, default 2
        Splits of the profile "smoke" on stand-ins of a part's first and last data set. If there are
        many variants: 1, on the last, of each method's first. What runs alone runs once a method.
    """

    name: str
    title: str
    parts: tuple[Part, ...]
    measure: Measure
    smoke_splits: int = 2

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that run, in the order of printing."""
        return tuple(dict.fromkeys(method for part in self.parts for method in part.methods))

    @property
    def datasets(self) -> tuple[str, ...]:
        """The data sets of all parts."""
        return tuple(dict.fromkeys(name for part in self.parts for name in part.datasets))

    def covers(self, dataset: str) -> bool:
        """Whether a data set is one of a part's, or stands for one of them."""
        return any(part.covers(dataset) for part in self.parts)

    def trials(self, profile: str = "paper", methods=None) -> list[Trial]:
        """All trials of a profile, of the named methods if any are named, split by split."""
        if profile not in PROFILES:
            raise ValueError(f"profile must be one of {list(PROFILES)}, got {profile!r}")
        self._check(methods)
        n_splits = {**PROFILES, "smoke": self.smoke_splits}[profile]
        n_changes = 1 if n_splits == 1 else None
        trials: dict[Trial, None] = {}  # parts may share trials
        for part in self.parts:
            datasets = _smoke_datasets(part, n_splits) if profile == "smoke" else part.datasets
            if isinstance(part.splits, GivenSplit):
                datasets = list(datasets)[:n_splits]  # they are what is repeated
            variants = [
                (dataset, method, changes)
                for dataset in datasets
                for method in part.methods
                if not methods or method in methods
                for changes in part.changes(part.original(dataset), method)[:n_changes]
            ]
            for split in range(part.splits.n_splits)[:n_splits]:
                trials |= {Trial(self.name, *variant, split): None for variant in variants}
        alone = profile == "smoke" and self.measure.alone
        return list({trial.method: trial for trial in trials}.values() if alone else trials)

    def varied(
        self,
        *,
        datasets: Sequence[str] = (),
        methods: Sequence[str] = (),
        n_splits: int = 0,
        variants: Mapping[str, Sequence[Mapping]] | None = None,
    ) -> "Experiment":
        """The experiment on other data sets, of some methods, with more or fewer splits.

        Each part keeps the ``datasets`` that it covers; what no part covers goes to the first.
        ``variants`` are those of the methods that it names, as in :class:`Part`. What is empty or
        0 stays as it is; trials that stay the same have the same records.
        """
        self._check(methods)
        own = variants or {}

        def varied(part):
            first = part is self.parts[0]
            asked = [n for n in datasets if part.covers(n) or (first and not self.covers(n))]
            given = isinstance(part.splits, GivenSplit) or not n_splits
            return replace(
                part,
                datasets=tuple(asked) if datasets else part.datasets,
                splits=part.splits if given else replace(part.splits, n_splits=n_splits),
                variants={
                    m: own.get(m, part.variants.get(m, [{}]))
                    for m in part.methods
                    if m in methods or not methods
                },
            )

        parts = [part for part in map(varied, self.parts) if part.variants and part.datasets]
        return replace(self, parts=tuple(parts))

    def varies(self, other: "Experiment") -> bool:
        """Whether it is ``other``, or :meth:`varied` on its data: what both have is the same."""
        rows = [{(id(p.configurations), p.datasets) for p in one.parts} for one in (self, other)]
        return self.measure is other.measure and rows[0] <= rows[1]

    def _check(self, methods):
        if unknown := set(methods or ()) - set(self.methods):
            raise ValueError(
                f"methods must be among {list(self.methods)} for {self.name}, got {sorted(unknown)}"
            )

    def estimator(self, dataset: str, method: str, parameters: str = "{}"):
        """The unfitted, unseeded estimator of a trial with these parameters; None if none."""
        part, changes = self.part_of(dataset, method), json.loads(parameters)
        original = part.original(dataset)
        configured = part.configuration(original, method)
        if isinstance(configured, Row):
            return configured.changed(original, **changes)
        return None if configured is None else clone(configured).set_params(**changes)

    def part_of(self, dataset: str, method: str) -> Part:
        """The part that has a method on a data set, or on what a stand-in stands for."""
        for part in self.parts:
            if method in part.methods and part.covers(dataset):
                return part
        raise ValueError(f"experiment {self.name} has no trial of {method!r} on {dataset!r}")


def _smoke_datasets(part, n_splits):
    """The stand-ins of a part's first and last data set, or of its last alone."""
    stand_ins = list(dict.fromkeys(map(_stand_in, part.datasets)))
    return stand_ins[-1:] if n_splits == 1 else dict.fromkeys([stand_ins[0], stand_ins[-1]])


def _stand_in(dataset):
    """Of "scene:10%" the synthetic scenes with the same share, "synthetic_scene:10%"."""
    if dataset.startswith(DRAWN):
        return "drawn:240x4x4"  # small, for drawn data of any size
    origin, *share = dataset.split(":")
    stand_in = STAND_INS.get(origin, origin)
    own = ":".join([stand_in, *share])
    return own if own in DATASETS else stand_in


def run_trial(trial: Trial, estimator, splits: Splits, measure: Measure, *, data_home=None):
    """Run a trial and return what is measured, one dict for each stage.

    Seconds are of processor time, without work that an earlier trial left in the cache.
    """
    dataset = _kept(trial.dataset, data_home)
    train, test = splits.indices(dataset, trial.split)
    if estimator is not None:
        set_random_states(estimator, trial.split)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.process_time()
        rows = measure.rows(estimator, dataset, train, test)
        seconds = time.process_time() - start
    common = {
        "kind": dataset.kind,
        "data_sha256": dataset.sha256,
        "n_train": len(train),
        "n_test": len(test),
        "n_stages": len(rows),
        "seconds": seconds,
        "warnings": "; ".join(sorted({w.category.__name__ for w in caught})),
    }
    return [{"stage": stage} | common | row for stage, row in enumerate(rows)]


_kept = lru_cache(maxsize=2)(load)  # data sets, kept for the worker's next trials


def set_random_states(estimator, seed: int):
    """Seed every part of a composed estimator that draws random numbers."""
    names = [name for name in estimator.get_params() if name.split("__")[-1] == "random_state"]
    estimator.set_params(**dict.fromkeys(names, seed))
