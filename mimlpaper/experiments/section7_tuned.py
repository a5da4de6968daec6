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


def _tuned(learner, **grid):
    """The learner after a scaling, both from a grid by hold-out."""
    pipeline = make_pipeline(UNIT_RANGE, learner)
    name = pipeline.steps[-1][0]
    settings = {"oninstances": SCALINGS}
    settings |= {f"{name}__{parameter}": values for parameter, values in grid.items()}
    return HoldOut(pipeline, settings, criterion="accuracy")


ROWS = {
    "Diverse Density": _tuned(
        DiverseDensity(n_start_bags=2), initial_scale=[0.1, 0.3]
    ),
    "Em-dd": _tuned(
        EmDd(), initial_scale=[0.1, 0.3], threshold=[0.5, "learned"]
    ),
    "mi-Svm": _tuned(
        MiSvmInstance(gamma="scale", rank=300), C=[1.0, 10.0, 100.0]
    ),
    "Mi-Svm": _tuned(
        MiSvmBag(gamma="scale", rank=300), C=[1.0, 10.0, 100.0]
    ),
    "Ch-Fd": _tuned(ChFd(gamma="scale"), nu=[1.0, 10.0, 100.0]),
}

TUNED = for_all_sets(ROWS, ROWS)
