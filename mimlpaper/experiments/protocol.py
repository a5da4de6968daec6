"""One constant for each table and figure: which trials it takes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from sklearn.base import clone

from mimlpaper.experiments.choices import CHOICES_SCENE, CHOICES_TEXT
from mimlpaper.experiments.methods import AS_PUBLISHED, BY_ALTERNATION, BY_ROUND
from mimlpaper.experiments.splits import RandomSplits, Splits
from mimlpaper.experiments.trial import Trial
from mimlpaper.experiments.tuned import TUNED

__all__ = ["EXPERIMENTS", "PROFILES", "Experiment", "get_experiment"]

# Splits taken at most; "smoke" runs the same code on data that the library draws itself.
PROFILES = {"smoke": 2, "quick": 3, "paper": None}

STAND_INS = {"scene": "synthetic_scene", "reuters": "synthetic_texts"}


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
    """

    name: str
    title: str
    datasets: tuple[str, ...]
    splits: Splits
    methods: tuple[str, ...]
    configurations: Mapping[str, Mapping]
    variants: Mapping[str, tuple[dict, ...]] = field(default_factory=dict)
    staged: bool = False

    def trials(self, profile: str = "paper", methods=None) -> list[Trial]:
        """All trials of a profile, of the named methods if any are named, split by split."""
        if profile not in PROFILES:
            raise ValueError(f"profile must be one of {list(PROFILES)}, got {profile!r}")
        unknown = set(methods or ()) - set(self.methods)
        if unknown:
            raise ValueError(
                f"methods must be among {list(self.methods)} for {self.name}, "
                f"got {sorted(unknown)}"
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
        return min(self.splits.n_splits, PROFILES[profile] or self.splits.n_splits)

    def estimator(self, trial: Trial):
        """A trial's estimator, unfitted and unseeded."""
        family = _family(trial.dataset)
        configured = clone(self.configurations[family][trial.method])
        return configured.set_params(**json.loads(trial.parameters))

    def _datasets(self, profile):
        if profile != "smoke":
            return self.datasets
        return tuple(dict.fromkeys(STAND_INS[_family(name)] for name in self.datasets))


def get_experiment(name: str) -> Experiment:
    """The experiment of that name; a ValueError names those there are."""
    if name not in EXPERIMENTS:
        raise ValueError(f"experiment must be one of {list(EXPERIMENTS)}, got {name!r}")
    return EXPERIMENTS[name]


def _family(dataset):
    """Kind of data that a configuration is for: the eleven web page sets share one."""
    for family, stand_in in STAND_INS.items():
        if dataset == stand_in:
            return family
    return dataset.split(":")[0]


THIRTY_RUNS = RandomSplits(30, train=0.75)  # 1,500 of 2,000 for training
EIGHT = (
    "MimlBoost", "MimlSvm", "MimlSvm_mi", "MimlNn", "AdtBoost.MH", "RankSvm", "MlSvm", "Ml-knn",
)  # fmt: skip

FIVE_RUNS = RandomSplits(5, train=0.75)  # enough to see what an open choice changes

EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        Experiment(
            "table1", "Table 1", ("scene",), THIRTY_RUNS,
            EIGHT, AS_PUBLISHED,
        ),
        Experiment(
            "table2", "Table 2", ("reuters",), THIRTY_RUNS,
            EIGHT, AS_PUBLISHED,
        ),
        Experiment(
            "table1_tuned", "Table 1, tuned", ("scene",), THIRTY_RUNS, tuple(TUNED["scene"]), TUNED
        ),
        Experiment(
            "table2_tuned", "Table 2, tuned", ("reuters",), THIRTY_RUNS,
            tuple(TUNED["reuters"]), TUNED,
        ),
        Experiment(
            "choices_scene", "Open choices, scene", ("scene",), FIVE_RUNS, tuple(CHOICES_SCENE),
            AS_PUBLISHED, CHOICES_SCENE,
        ),
        Experiment(
            "choices_text", "Open choices, text", ("reuters",), FIVE_RUNS, tuple(CHOICES_TEXT),
            AS_PUBLISHED, CHOICES_TEXT,
        ),
        Experiment(
            "alternations", "Alternations of mi-SVM", ("scene",), RandomSplits(10, train=0.75),
            ("MimlSvm_mi",), BY_ALTERNATION, staged=True,
        ),
        Experiment(
            "figure6", "Fig. 6", ("scene",), THIRTY_RUNS, tuple(BY_ROUND["scene"]), BY_ROUND,
            staged=True,
        ),
        Experiment(
            "figure7", "Fig. 7", ("scene",), THIRTY_RUNS, ("MimlSvm",), AS_PUBLISHED,
            variants={"MimlSvm": tuple({"mimlsvm__ratio": k / 10} for k in range(1, 11))},
        ),
    )
}  # fmt: skip
