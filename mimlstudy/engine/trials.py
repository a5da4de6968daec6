"""Experiments and their trials: one method, fitted and tested on one split of one data set."""

import json
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import KFold, StratifiedKFold

from mimlpaper.datasets import DataError
from mimlpaper.parameters import set_random_states
from mimlstudy.engine.catalogue import Catalogue, content_hash
from mimlstudy.engine.holdouts import full_names

PROFILES = ("smoke", "quick", "paper")  # "smoke" runs the same code on data that the library draws
NO_OVERRIDE: Mapping[str, object] = {}  # every setting as the row has it


@dataclass(frozen=True)
class Splits:
    """``n_splits`` divisions of a data set, each into a training and a test set."""

    n_splits: int

    def indices(self, dataset, split: int) -> tuple[np.ndarray, np.ndarray]:
        """The places of the examples (train, test)."""
        raise NotImplementedError

    def first(self, n_splits: int) -> "Splits":
        """The first so many of these splits."""
        return replace(self, n_splits=min(n_splits, self.n_splits))


@dataclass(frozen=True)
class RandomSplits(Splits):
    """Independent random divisions, a share ``train`` of the examples for training."""

    train: float = 0.75  # a share; elsewhere ``train`` holds the places of rows

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
    """What is run, as data. The same trial gives the same numbers, but for times and memory."""

    experiment: str  # such as "table1"
    dataset: str
    method: str  # the name of its row
    override: str  # JSON: what differs from the method's configuration
    split: int  # number of the split; it also seeds the method


@dataclass(frozen=True)
class Measure:
    """What an experiment records of a trial.

    ``rows(estimator, dataset, train, test)`` returns what it finds: a dict for each stage, usually
    one. Usually it fits the estimator on the examples ``train`` of the data set, and predicts the
    examples ``test``. The fields from ``shares`` on are rules; when records are read, each record
    is checked by them.
    """

    rows: Callable[..., list[dict]]
    numbers: tuple[str, ...]  # columns of these dicts
    words: tuple[str, ...] = ()  # columns of these dicts with texts
    repeatable: bool = True  # False if a second run gives other numbers, as costs do
    alone: bool = False  # whether a trial needs a process of its own, while nothing else runs
    shares: tuple[str, ...] = ()  # values measured on the test set, from 0 to 1
    ranks: tuple[str, ...] = ()  # values measured on the test set, from 0 to n_labels - 1
    counts: tuple[str, ...] = ()  # whole numbers from 0 on
    ranges: tuple[tuple[str, float, float], ...] = ()  # a number, its least and its largest value
    may_lack: tuple[str, ...] = ()  # numbers that a row may be without
    has_one_of: tuple[str, ...] = ()  # numbers of which a row has exactly one


@runtime_checkable
class Configuration(Protocol):
    """How a method is set up on each data set."""

    def estimator_for(self, dataset: str, override: Mapping) -> BaseEstimator | None:
        """The unfitted estimator with some settings overridden, or None if none is needed."""

    def full_names(self, override: Mapping) -> dict:
        """An override by the names that are recorded."""


@dataclass(frozen=True)
class SameEverywhere:
    """The same estimator on every data set."""

    estimator: BaseEstimator | None

    def estimator_for(self, dataset, override):
        if self.estimator is None:
            return None
        return clone(self.estimator).set_params(**self.full_names(override))

    def full_names(self, override):
        return {} if self.estimator is None else full_names(self.estimator, override)


@dataclass(frozen=True)
class Part:
    """Methods on some data sets, divided in one way.

    Parameters
    ----------
    datasets : names of the data sets.
    splits : how each is divided.
    configurations : mapping from each method, in the order of printing, to a Configuration, an
        unfitted estimator, or None if the measure needs none; or to a mapping from data set to one
        of these.
    overrides : mapping from each method that runs to a list of overrides. On each data set and
        split there is a trial for each of them. An override maps settings to values that replace
        the configuration's. If there are none, every method of ``configurations`` runs, without
        override.
    """

    datasets: tuple[str, ...]
    splits: Splits
    configurations: Mapping[str, object]
    overrides: Mapping[str, Sequence[Mapping]] = field(default_factory=dict)

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that run, in the order of printing."""
        return tuple(self.overrides or self.configurations)

    def configuration(self, dataset: str, method: str) -> Configuration:
        """A method's configuration on one of the part's data sets."""
        configured = self.configurations[method]
        if isinstance(configured, Mapping):
            if dataset not in configured:
                raise ValueError(
                    f"{method} is set up for each data set, {sorted(configured)}, and not for "
                    f"{dataset!r}; take one of these, or another method"
                )
            configured = configured[dataset]
        return configured if isinstance(configured, Configuration) else SameEverywhere(configured)

    def override_texts(self, dataset: str, method: str) -> list[str]:
        """A method's overrides on one of the part's data sets, as :class:`Trial` has them."""
        configuration = self.configuration(dataset, method)
        overrides = self.overrides.get(method, [NO_OVERRIDE])
        named = [configuration.full_names(override) for override in overrides]
        return [json.dumps(override, sort_keys=True) for override in named]


def as_named(dataset: str) -> str:
    """The name unchanged: no other data set stands for it."""
    return dataset


@dataclass(frozen=True)
class Experiment:
    """The trials of a table or a figure, of a column of settings, or of anything else recorded.

    Parameters
    ----------
    name : str, such as ``"table1"``; also the name of its results file.
    title : str, the heading in reports, such as ``"Table 1"``.
    parts : tuple of Part; a method on a data set is configured and divided in one way only.
    measure : Measure, what is recorded of each trial.
    smoke_splits : int, default 2
        Splits of the profile "smoke" on stand-ins of a part's first and last data set. With 1, only
        the last data set and each method's first override run: for parts with many overrides. A
        measure that runs alone has one trial a method.
    quick_splits : int, default 3
        Splits of the profile "quick", fewer where a split takes minutes. Where the data fix the
        split, the number of data sets instead.
    stand_in : function, default :func:`as_named`
        From a data set's name to the drawn one that stands for it in the profile "smoke"; by
        default each set stands for itself.
    """

    name: str
    title: str
    parts: tuple[Part, ...]
    measure: Measure
    smoke_splits: int = 2
    quick_splits: int = 3
    stand_in: Callable[[str], str] = as_named

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
        return any(self._original(part, dataset) for part in self.parts)

    def methods_on(self, dataset: str) -> tuple[str, ...]:
        """The methods that run on a data set, or on what a stand-in stands for."""
        covering = [part for part in self.parts if self._original(part, dataset)]
        return tuple(dict.fromkeys(method for part in covering for method in part.methods))

    def trials(self, profile: str = "paper", methods=None) -> list[Trial]:
        """All trials of a profile, of the named methods if any are named.

        They come part by part, and in each split by split.
        """
        if profile not in PROFILES:
            raise ValueError(f"profile must be one of {[*PROFILES]}, got {profile!r}")
        self._check(methods)
        trials: dict[Trial, None] = {}  # parts may share trials
        for part in self.parts:
            trials |= dict.fromkeys(self._trials_of(part, profile, methods))
        if profile == "smoke" and self.measure.alone:
            return list({trial.method: trial for trial in trials}.values())
        return list(trials)

    def _trials_of(self, part, profile, methods):
        """The trials of one part, split by split."""
        datasets, n_splits, n_overrides = part.datasets, None, None
        if profile == "quick":
            n_splits = self.quick_splits
        if profile == "smoke":
            datasets, n_splits = self._smoke_datasets(part), self.smoke_splits
            # One split is asked for where there are many overrides: the first shows that they run.
            n_overrides = 1 if n_splits == 1 else None
        if isinstance(part.splits, GivenSplit):
            datasets = datasets[:n_splits]  # they are what is repeated
        configured = []
        for dataset in datasets:
            original = self._original(part, dataset)
            for method in part.methods:
                if not methods or method in methods:
                    texts = part.override_texts(original, method)[:n_overrides]
                    configured += [(dataset, method, text) for text in texts]
        splits = range(part.splits.n_splits)[:n_splits]
        return [Trial(self.name, *key, split) for split in splits for key in configured]

    def _smoke_datasets(self, part):
        """The stand-ins of a part's first and last data set, or of its last alone."""
        stand_ins = list(dict.fromkeys(map(self.stand_in, part.datasets)))
        if self.smoke_splits == 1 or len(stand_ins) == 1:
            return stand_ins[-1:]
        return [stand_ins[0], stand_ins[-1]]

    def varied(
        self,
        *,
        datasets: Sequence[str] = (),
        methods: Sequence[str] = (),
        n_splits: int = 0,
        overrides: Mapping[str, Sequence[Mapping]] | None = None,
    ) -> "Experiment":
        """The experiment on other data sets, of some methods, with more or fewer splits.

        Each part keeps the ``datasets`` that it covers; what no part covers goes to the first that
        has one of the ``methods``. ``overrides`` are those of the methods that it names, as in
        :class:`Part`. What is empty or 0 stays as it is, and so does a split that the data fix;
        trials that stay the same have the same records. ValueError if no method runs on a data
        set, or an override is of no method that runs.
        """
        for name, names in {"datasets": datasets, "methods": methods}.items():
            if isinstance(names, str):
                raise ValueError(f"{name} must be a list of names, such as [{names!r}], got a text")
        overrides = overrides or {}
        self._check([*methods, *overrides])
        for name, values in overrides.items():
            if isinstance(values, Mapping):
                raise ValueError(f"overrides of {name} must be a list, such as [{dict(values)}]")
        if not isinstance(n_splits, int) or n_splits < 0:
            raise ValueError(
                f"n_splits must be an integer of at least 1, or 0 for all, got {n_splits!r}"
            )
        with_methods = [part for part in self.parts if not methods or {*methods} & {*part.methods}]
        uncovered = [name for name in datasets if not self.covers(name)]
        if uncovered and isinstance(with_methods[0].splits, GivenSplit):
            raise ValueError(
                f"{self.name} has the test examples that its data name, and of {uncovered} nobody "
                "knows which they are; take other datasets, or another experiment"
            )
        parts = []
        for part in with_methods:
            asked = [name for name in datasets if self._original(part, name)]
            if part is with_methods[0]:
                asked += uncovered
            splits = part.splits
            if n_splits and not isinstance(splits, GivenSplit):
                splits = replace(splits, n_splits=n_splits)
            kept = {}
            for method in part.methods:
                if not methods or method in methods:
                    as_before = part.overrides.get(method, [NO_OVERRIDE])
                    kept[method] = overrides.get(method, as_before)
            if asked or not datasets:
                of_part = tuple(name for name in datasets if name in asked) or part.datasets
                parts.append(replace(part, datasets=of_part, splits=splits, overrides=kept))
        varied = replace(self, parts=tuple(parts))
        if lost := [name for name in datasets if not varied.covers(name)]:
            raise ValueError(f"none of {[*methods]} runs on {lost} in {self.name}")
        if idle := sorted(overrides.keys() - {*varied.methods}):
            raise ValueError(f"overrides must be of methods that run, {varied.methods}, got {idle}")
        if empty := [name for name, values in overrides.items() if not values]:
            raise ValueError(f"overrides must have one for each of {empty} at least; {{}} is one")
        return varied

    def _check(self, methods):
        if unknown := set(methods or ()) - set(self.methods):
            raise ValueError(
                f"methods must be among {list(self.methods)} for {self.name}, got {sorted(unknown)}"
            )

    def estimator(self, dataset: str, method: str, override_text: str = "{}"):
        """The unfitted, unseeded estimator of a trial with this override (JSON); None if none."""
        part = self.part_of(dataset, method)
        original = self._original(part, dataset)
        override = json.loads(override_text)
        return part.configuration(original, method).estimator_for(original, override)

    def part_of(self, dataset: str, method: str) -> Part:
        """The part that has a method on a data set, or on what a stand-in stands for."""
        for part in self.parts:
            if method in part.methods and self._original(part, dataset):
                return part
        raise ValueError(f"experiment {self.name} has no trial of {method!r} on {dataset!r}")

    def _original(self, part, dataset):
        """The first of a part's data sets that a data set is or stands for; "" if there is none."""
        if dataset in part.datasets:
            return dataset
        return next((name for name in part.datasets if self.stand_in(name) == dataset), "")


def run_trial(
    trial: Trial,
    estimator,
    splits: Splits,
    measure: Measure,
    catalogue: Catalogue,
    *,
    data_home=None,
) -> list[dict]:
    """Run a trial and return what is measured, one dict for each stage.

    Seconds are of processor time, without work that an earlier trial left in the cache.
    """
    dataset, content = _loaded(catalogue, trial.dataset, data_home)
    train, test = splits.indices(dataset, trial.split)
    if estimator is not None:
        set_random_states(estimator, trial.split)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = time.process_time()
        rows = measure.rows(estimator, dataset, train, test)
        seconds = time.process_time() - start
    of_trial = {
        "kind": dataset.kind,
        "data_sha256": content,
        "n_train": len(train),
        "n_test": len(test),
        "n_stages": len(rows),
        "seconds": seconds,
        "warnings": "; ".join(sorted({warning.category.__name__ for warning in caught})),
    }
    return [{"stage": stage} | of_trial | row for stage, row in enumerate(rows)]


@lru_cache(maxsize=2)
def _loaded(catalogue, name, data_home):
    """A data set and the hash of its content, kept for the worker's next trials."""
    dataset = catalogue.load(name, data_home)
    content, expected = content_hash(dataset), catalogue.content(name)
    if expected is not None and content != expected:
        raise DataError(
            f"{name}, as it is loaded now, has the content {content[:12]}, and {expected[:12]} is "
            f"listed; {catalogue.how_to_list}"
        )
    return dataset, content
