"""All experiments by name, section by section."""

from __future__ import annotations

from mimlpaper.experiments.experiment import Experiment
from mimlpaper.experiments.section4 import SECTION4
from mimlpaper.experiments.section5 import SECTION5
from mimlpaper.experiments.section6 import SECTION6
from mimlpaper.experiments.section7 import SECTION7

__all__ = ["EXPERIMENTS", "get_experiment"]

EXPERIMENTS = {
    experiment.name: experiment for experiment in (*SECTION4, *SECTION5, *SECTION6, *SECTION7)
}


def get_experiment(name: str | Experiment) -> Experiment:
    """The experiment of that name, or the one given; a ValueError lists the names that exist."""
    if isinstance(name, Experiment):
        return name
    if name not in EXPERIMENTS:
        raise ValueError(f"experiment must be one of {list(EXPERIMENTS)}, got {name!r}")
    return EXPERIMENTS[name]
