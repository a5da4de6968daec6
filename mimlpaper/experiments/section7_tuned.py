"""Table 5's compared methods with parameters by hold-out: what SubCod's M and θ are given.

Each gets the grid of its own parameters and one hold-out test on a quarter of the training set,
judged by accuracy. SubCod and its variants are tuned in Table 5 already.
"""

from __future__ import annotations

from sklearn.pipeline import make_pipeline

from mimlpaper.baselines.chfd import ChFd
from mimlpaper.baselines.diverse_density import DiverseDensity
from mimlpaper.baselines.emdd import EmDd
from mimlpaper.baselines.misvm import MiSvmBag, MiSvmInstance
from mimlpaper.experiments.holdout import HoldOut
from mimlpaper.experiments.section4_methods import UNIT_RANGE, UNIT_ROWS
from mimlpaper.experiments.section7_methods import UNIT_VARIANCE, for_all_sets

__all__ = ["TUNED"]

SCALINGS = [UNIT_RANGE, UNIT_VARIANCE, UNIT_ROWS]
STARTS = (  # a scale to start from that fits the scaling
    {"scaling": [UNIT_RANGE], "initial_scale": [0.3]},
    {"scaling": [UNIT_VARIANCE], "initial_scale": [0.1]},
)


def _tuned(learner, *grids):
    """The learner after a scaling, both from grids by hold-out."""
    pipeline = make_pipeline(UNIT_RANGE, learner)
    scaling, last = (name for name, _ in pipeline.steps)

    def full(name):
        return scaling if name == "scaling" else f"{last}__{name}"

    settings = [{full(name): values for name, values in grid.items()} for grid in grids]
    return HoldOut(pipeline, settings, criterion="accuracy")


SVM_GRID = {"scaling": SCALINGS, "C": [1.0, 10.0]}

ROWS = {
    "Diverse Density": _tuned(DiverseDensity(n_start_bags=3), *STARTS),
    "Em-dd": _tuned(EmDd(), *(start | {"threshold": [0.5, "learned"]} for start in STARTS)),
    "mi-Svm": _tuned(MiSvmInstance(gamma="scale", rank=300), SVM_GRID),
    "Mi-Svm": _tuned(MiSvmBag(gamma="scale", rank=300), SVM_GRID),
    "Ch-Fd": _tuned(ChFd(gamma="scale"), {"scaling": SCALINGS, "nu": [1.0, 10.0]}),
}

TUNED = for_all_sets(ROWS, ROWS)
