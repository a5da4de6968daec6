"""Section 7: multi-instance single-label data through MIML. Table 5, and what SubCod's parts do."""

from __future__ import annotations

from itertools import product

from mimlpaper.experiments.experiment import Experiment
from mimlpaper.experiments.section7_methods import AS_PUBLISHED, BAG_LABEL, BESIDE, SUBCOD_ALONE
from mimlpaper.experiments.section7_tuned import TUNED
from mimlpaper.experiments.splits import CrossValidation

__all__ = ["SECTION7"]

FIVE_SETS = ("musk1", "musk2", "elephant", "tiger", "fox")
TEN_RUNS = CrossValidation(100, n_folds=10, stratified=True)
THREE_RUNS = CrossValidation(30, n_folds=10, stratified=True)  # to see what a choice changes

# Which optimum of the linear program over Z is taken; with all labels kept there is one only.
OPTIMA = (
    {}, {"estimator__subcod__optimum": "minimal"}, {"estimator__subcod__optimum": "vertex"},
    {"kept_shares": [1.0]},
)  # fmt: skip

M_AND_THETA = tuple(
    {"subcod__n_concepts": n_concepts, "subcod__kept_share": kept_share}
    for n_concepts, kept_share in product(
        (10, 30, 50, 70), (0.1, 0.4, 0.7, 0.8, 0.9, 0.95, 0.98, 1.0)
    )
)

SECTION7 = (
    Experiment(
        "table5", "Table 5", FIVE_SETS, TEN_RUNS, tuple(AS_PUBLISHED["musk1"]), AS_PUBLISHED
    ),
    Experiment(
        "table5_tuned", "Table 5, tuned", FIVE_SETS, TEN_RUNS, tuple(TUNED["musk1"]), TUNED
    ),
    Experiment(
        "choices_subcod", "Optima of SubCod's correction", FIVE_SETS, THREE_RUNS,
        ("SubCod", BAG_LABEL), BESIDE, {"SubCod": OPTIMA},
    ),
    Experiment(
        "sweep_subcod", "M and θ of SubCod", ("musk1", "elephant", "tiger"), THREE_RUNS,
        ("SubCod",), SUBCOD_ALONE, {"SubCod": M_AND_THETA},
    ),
)  # fmt: skip
