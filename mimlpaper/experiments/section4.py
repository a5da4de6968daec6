"""Section 4: scene and text classification by degeneration. Tables 1 and 2, Figs. 6 and 7."""

from __future__ import annotations

from mimlpaper.experiments.experiment import Experiment
from mimlpaper.experiments.section4_choices import CHOICES_SCENE, CHOICES_TEXT
from mimlpaper.experiments.section4_methods import AS_PUBLISHED, BY_ALTERNATION, BY_ROUND
from mimlpaper.experiments.section4_tuned import TUNED
from mimlpaper.experiments.splits import RandomSplits

__all__ = ["SECTION4"]

THIRTY_RUNS = RandomSplits(30, train=0.75)  # 1,500 of 2,000 for training
EIGHT = (
    "MimlBoost", "MimlSvm", "MimlSvm_mi", "MimlNn", "AdtBoost.MH", "RankSvm", "MlSvm", "Ml-knn",
)  # fmt: skip

FIVE_RUNS = RandomSplits(5, train=0.75)  # enough to see what an open choice changes

SECTION4 = (
    Experiment(
        "table1", "Table 1", ("scene",), THIRTY_RUNS, EIGHT, AS_PUBLISHED
    ),
    Experiment(
        "table2", "Table 2", ("reuters",), THIRTY_RUNS, EIGHT, AS_PUBLISHED
    ),
    Experiment(
        "table1_tuned", "Table 1, tuned", ("scene",), THIRTY_RUNS, tuple(TUNED["scene"]), TUNED,
        smoke_splits=1,
    ),
    Experiment(
        "table2_tuned", "Table 2, tuned", ("reuters",), THIRTY_RUNS,
        tuple(TUNED["reuters"]), TUNED, smoke_splits=1,
    ),
    Experiment(
        "choices_scene", "Open choices, scene", ("scene",), FIVE_RUNS, tuple(CHOICES_SCENE),
        AS_PUBLISHED, CHOICES_SCENE, smoke_splits=1,
    ),
    Experiment(
        "choices_text", "Open choices, text", ("reuters",), FIVE_RUNS, tuple(CHOICES_TEXT),
        AS_PUBLISHED, CHOICES_TEXT, smoke_splits=1,
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
)  # fmt: skip
