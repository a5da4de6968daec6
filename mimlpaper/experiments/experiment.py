"""Experiment: the trials of one table or figure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from sklearn.base import clone

from mimlpaper.datasets import DATASETS
from mimlpaper.experiments.splits import Splits
from mimlpaper.experiments.trial import Trial

__all__ = ["PROFILES", "Experiment"]

# Splits taken at most; "smoke" runs the same code on data that the library draws itself.
PROFILES = {"smoke": 2, "quick": 3, "paper": None}

STAND_INS = {
    "scene": "synthetic_scene",
    "reuters": "synthetic_texts",
    "yeast": "synthetic_genes",
    "yahoo": "synthetic_pages",
    **dict.fromkeys(("musk1", "musk2", "elephant", "tiger", "fox"), "synthetic_africa"),
}


@dataclass(frozen=True)
class Experiment:
    """The trials of one table or figure.

    Parameters
    ----------
    name : str, such as ``"table1"``; also the name of its results file.
    title : str, as the paper calls it.
    datasets : tuple of str
    splits : Splits
    methods : tuple of str, in the order of printing.
    configurations : mapping from kind of data and method to an unfitted estimator.
    variants : mapping from method to tuple of dict
        Parameters that differ from the configuration, one set of trials for each; a method
        that is not named has its configuration alone.
    staged : bool
        Whether every boosting round is measured.
    smoke_splits : int
        Splits of the profile "smoke", each on the stand-ins of the first and the last data set;
        one, where there are many variants, on the last stand-in alone.
    """

    name: str
    title: str
    datasets: tuple[str, ...]
    splits: Splits
    methods: tuple[str, ...]
    configurations: Mapping[str, Mapping]
    variants: Mapping[str, tuple[dict, ...]] = field(default_factory=dict)
    staged: bool = False
    smoke_splits: int = PROFILES["smoke"]

    def trials(self, profile: str = "paper", methods=None) -> list[Trial]:
        """All trials of a profile, of the named methods if any are named, split by split."""
        if profile not in PROFILES:
            raise ValueError(f"profile must be one of {list(PROFILES)}, got {profile!r}")
        unknown = set(methods or ()) - set(self.methods)
        if unknown:
            raise ValueError(
                f"methods must be among {list(self.methods)} for {self.name}, got {sorted(unknown)}"
            )
        return [
            Trial(self.name, dataset, method, json.dumps(variant, sort_keys=True), split)
            for split in range(self.n_splits(profile))
            for dataset in self._datasets(profile)
            for method in methods or self.methods
            for variant in self.variants.get(method, ({},))
        ]

    def n_splits(self, profile: str = "paper") -> int:
        """Splits of one data set in a profile."""
        most = self.smoke_splits if profile == "smoke" else PROFILES[profile]
        return min(self.splits.n_splits, most or self.splits.n_splits)

    def estimator(self, trial: Trial):
        """A trial's estimator, unfitted and unseeded."""
        family = _family(trial.dataset)
        configured = clone(self.configurations[family][trial.method])
        return configured.set_params(**json.loads(trial.parameters))

    def _datasets(self, profile):
        if profile != "smoke":
            return self.datasets
        stand_ins = list(dict.fromkeys(map(_stand_in, self.datasets)))
        ends = stand_ins[:1] + stand_ins[1:][-1:]
        return tuple(ends[-1:] if self.smoke_splits == 1 else ends)


def _family(dataset):
    """Kind of data that a configuration is for: the eleven web page sets share one."""
    origin = dataset.split(":")[0]
    for family, stand_in in STAND_INS.items():
        if origin == stand_in:
            return family
    return origin


def _stand_in(dataset):
    """Of "scene:10%" the synthetic scenes with the same share, "synthetic_scene:10%"."""
    origin, *share = dataset.split(":")
    own = ":".join([STAND_INS[origin], *share])
    return own if own in DATASETS else STAND_INS[origin]
