"""An experiment: the methods, data sets and splits of one table or figure, and its trials."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sklearn.base import clone

from mimlpaper.datasets import DATASETS
from mimlpaper.study.holdouts import full_names
from mimlpaper.study.trials import Splits, Trial

# Most splits that a profile runs; "smoke" runs the same code on data that the library draws.
SMOKE_SPLITS = 2
PROFILES = {"smoke": SMOKE_SPLITS, "quick": 3, "paper": None}

STAND_INS = {
    "scene": "synthetic_scene",
    "reuters": "synthetic_texts",
    "yeast": "synthetic_genes",
    "yahoo": "synthetic_pages",
    **dict.fromkeys(("musk1", "musk2", "elephant", "tiger", "fox"), "synthetic_africa"),
    **dict.fromkeys(("hja", "letter_carroll", "letter_frost"), "synthetic_scene"),
    "synthetic_scene": "synthetic_scene",
    "dbpedia": "synthetic_texts",
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
    configurations : mapping from method, in the order of printing, to an unfitted estimator
        Or to a mapping from data set to estimator, where they differ.
    variants : mapping from method to sequence of mappings
        The methods that run, and for each the changes of its configuration that run, with names
        as in :func:`~mimlpaper.study.holdouts.full_names`. If empty, all methods run
        unchanged.
    staged : bool
        Whether every round or alternation is measured.
    smoke_splits : int
        Splits of the profile "smoke", each on the stand-ins of the first and the last data set.
        If there are many variants: 1, on the last stand-in only.
    timeout : float or None
        Seconds after which a trial has failed; None for no limit.
    """

    name: str
    title: str
    datasets: tuple[str, ...]
    splits: Splits
    configurations: Mapping[str, object]
    variants: Mapping[str, Sequence[Mapping]] = field(default_factory=dict)
    staged: bool = False
    smoke_splits: int = SMOKE_SPLITS
    timeout: float | None = None

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that run, in the order of printing."""
        return tuple(self.variants or self.configurations)

    def trials(self, profile: str = "paper", methods=None) -> list[Trial]:
        """All trials of a profile, of the named methods if any are named, split by split."""
        if profile not in PROFILES:
            raise ValueError(f"profile must be one of {list(PROFILES)}, got {profile!r}")
        unknown = set(methods or ()) - set(self.methods)
        if unknown:
            raise ValueError(
                f"methods must be among {list(self.methods)} for {self.name}, got {sorted(unknown)}"
            )
        variants = [
            (dataset, method, json.dumps(parameters, sort_keys=True))
            for dataset in self._datasets(profile)
            for method in methods or self.methods
            for parameters in self._variants(dataset, method)
        ]
        return [
            Trial(self.name, *variant, split)
            for split in range(self.n_splits(profile))
            for variant in variants
        ]

    def n_splits(self, profile: str = "paper") -> int:
        """Splits of one data set in a profile."""
        most = self.smoke_splits if profile == "smoke" else PROFILES[profile]
        return min(self.splits.n_splits, most or self.splits.n_splits)

    def estimator(self, trial: Trial):
        """A trial's estimator, unfitted and unseeded."""
        configured = clone(self._configuration(trial.dataset, trial.method))
        return configured.set_params(**json.loads(trial.parameters))

    def _variants(self, dataset, method):
        """The parameters that each variant of a method changes, by their full names."""
        configured = self._configuration(dataset, method)
        return [full_names(configured, change) for change in self.variants.get(method, [{}])]

    def _configuration(self, dataset, method):
        """A method's estimator on a data set, or on the stand-in of that data set."""
        configured = self.configurations[method]
        return configured[self.original(dataset)] if isinstance(configured, Mapping) else configured

    def original(self, dataset: str) -> str:
        """The data set that a part or a stand-in comes from: "scene" of "synthetic_scene:10%"."""
        stands_for = {_stand_in(name): name for name in reversed(self.datasets)}
        return _origin(stands_for.get(dataset, dataset))

    def _datasets(self, profile):
        if profile != "smoke":
            return self.datasets
        stand_ins = list(dict.fromkeys(map(_stand_in, self.datasets)))
        ends = stand_ins[:1] + stand_ins[1:][-1:]
        return tuple(ends[-1:] if self.smoke_splits == 1 else ends)


def _origin(dataset):
    """Of "scene:10%" the set that it is a part of, "scene"."""
    return dataset.split(":")[0]


def _stand_in(dataset):
    """Of "scene:10%" the synthetic scenes with the same share, "synthetic_scene:10%"."""
    origin, *share = dataset.split(":")
    own = ":".join([STAND_INS[origin], *share])
    return own if own in DATASETS else STAND_INS[origin]
