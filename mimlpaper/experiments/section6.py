"""Section 6: single-instance data through MIML. Tables 3 and 4, Figs. 8 to 10."""

from __future__ import annotations

from mimlpaper.datasets import YAHOO_NAMES
from mimlpaper.experiments.experiment import Experiment
from mimlpaper.experiments.section6_choices import CHOICES_YAHOO, CHOICES_YEAST
from mimlpaper.experiments.section6_methods import ABLATION, AS_PUBLISHED, BY_ROUND, MLSVM
from mimlpaper.experiments.section6_tuned import TUNED
from mimlpaper.experiments.splits import CrossValidation, GivenSplit

__all__ = ["SECTION6"]

TEN_FOLDS = CrossValidation(10, 10)
THREE_FOLDS = CrossValidation(3, 10)  # enough to see what an open choice changes
YAHOO = tuple(f"yahoo:{name}" for name in YAHOO_NAMES)
THREE_SETS = ("yahoo:Arts", "yahoo:Education", "yahoo:Social")

SECTION6 = (
    Experiment(
        "table3", "Table 3", ("yeast",), TEN_FOLDS, tuple(AS_PUBLISHED["yeast"]), AS_PUBLISHED
    ),
    Experiment(
        "table4", "Table 4", YAHOO, GivenSplit(), tuple(AS_PUBLISHED["yahoo"]), AS_PUBLISHED
    ),
    Experiment(
        "table3_tuned", "Table 3, tuned", ("yeast",), TEN_FOLDS, tuple(TUNED["yeast"]), TUNED
    ),
    Experiment(
        "table4_tuned", "Table 4, tuned", YAHOO, GivenSplit(), tuple(TUNED["yahoo"]), TUNED
    ),
    Experiment(
        "ablation", "Where prototypes matter", ("yeast",), TEN_FOLDS, tuple(ABLATION["yeast"]),
        ABLATION,
    ),
    Experiment(
        "mlsvm_yeast", "MlSvm on yeast", ("yeast",), TEN_FOLDS, tuple(MLSVM["yeast"]), MLSVM
    ),
    Experiment(
        "mlsvm_yahoo", "MlSvm on yahoo", YAHOO, GivenSplit(), tuple(MLSVM["yahoo"]), MLSVM
    ),
    Experiment(
        "choices_yeast", "Open choices, yeast", ("yeast",), THREE_FOLDS, tuple(CHOICES_YEAST),
        AS_PUBLISHED, CHOICES_YEAST,
    ),
    Experiment(
        "choices_yahoo", "Open choices, yahoo", THREE_SETS, GivenSplit(), tuple(CHOICES_YAHOO),
        AS_PUBLISHED, CHOICES_YAHOO,
    ),
    Experiment(
        "figure8", "Fig. 8", ("yeast",), TEN_FOLDS, ("InsDif",), AS_PUBLISHED,
        variants={"InsDif": tuple({"insdif__learner__ratio": M / 10} for M in range(1, 11))},
    ),
    Experiment(
        "figure9", "Fig. 9", ("yeast",), TEN_FOLDS, tuple(BY_ROUND["yeast"]), BY_ROUND,
        staged=True,
    ),
)  # fmt: skip
