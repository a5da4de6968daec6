"""Section 5: D-MimlSvm on scenes and texts with 10 to 50 % multi-label examples. Figs. 4 and 5."""

from __future__ import annotations

from mimlpaper.datasets.catalogue import PERCENTAGES
from mimlpaper.experiments.experiment import Experiment
from mimlpaper.experiments.section5_methods import BY_ALTERNATION, FIXED, HELD_OUT, PAIRWISE
from mimlpaper.experiments.splits import RandomSplits

__all__ = ["SECTION5"]

THIRTY_RUNS = RandomSplits(30, train=0.25)
TEN_RUNS = RandomSplits(10, train=0.25)
SCENES, TEXTS = (
    tuple(f"{name}:{percentage}%" for percentage in PERCENTAGES) for name in ("scene", "reuters")
)
THREE = ("D-MimlSvm", "MimlSvm", "MimlSvm_mi")
PAIRS = ("D-MimlSvm, pairwise",)

# Losses weighed by τ and the sign rule are the figures' own.
RULES = tuple(
    {"estimator__dmimlsvm__imbalance": imbalance, "estimator__dmimlsvm__label_rule": rule}
    for imbalance, rule in ((True, "top"), (False, "sign"), (False, "top"))
)


def _one_by_one(**values):
    """The setting itself, then each other value of each parameter."""
    changes = [{f"dmimlsvm__{name}": v} for name, several in values.items() for v in several]
    return ({}, *changes)


SWEEP = dict(
    mu=[-0.45, -0.3, 1.0, 10.0, 100.0], lam=[0.0, 0.01, 0.03, 0.3, 1.0],
    C=[1.0, 3.0, 30.0, 100.0], set_kernel=["mean"], imbalance=[False], label_rule=["top"],
)  # fmt: skip

SECTION5 = (
    Experiment("figure4", "Fig. 4", SCENES, THIRTY_RUNS, THREE, HELD_OUT),
    Experiment("figure5", "Fig. 5", TEXTS, THIRTY_RUNS, THREE, HELD_OUT),
    Experiment(
        "figure4_rules", "Fig. 4, other label rules and losses", SCENES, THIRTY_RUNS,
        THREE[:1], HELD_OUT, variants={"D-MimlSvm": RULES}, smoke_splits=1,
    ),
    Experiment(
        "figure5_rules", "Fig. 5, other label rules and losses", TEXTS, THIRTY_RUNS,
        THREE[:1], HELD_OUT, variants={"D-MimlSvm": RULES}, smoke_splits=1,
    ),
    Experiment(
        "figure4_alternations", "Fig. 4 by the alternations of mi-SVM", SCENES, THIRTY_RUNS,
        THREE[2:], BY_ALTERNATION, staged=True,
    ),
    Experiment(
        "figure5_alternations", "Fig. 5 by the alternations of mi-SVM", TEXTS, THIRTY_RUNS,
        THREE[2:], BY_ALTERNATION, staged=True,
    ),
    Experiment(
        "figure4_pairwise", "Fig. 4, relatedness by pairs", SCENES, THIRTY_RUNS, PAIRS, PAIRWISE,
        smoke_splits=1,
    ),
    Experiment(
        "figure5_pairwise", "Fig. 5, relatedness by pairs", TEXTS, THIRTY_RUNS, PAIRS, PAIRWISE,
        smoke_splits=1,
    ),
    Experiment(
        "dmimlsvm_scene", "D-MimlSvm's parameters, scene", SCENES[2:3], TEN_RUNS, THREE[:1], FIXED,
        variants={"D-MimlSvm": _one_by_one(gamma=[1.0, 3.0, 5.0], rank=[150, 600], **SWEEP)},
        smoke_splits=1,
    ),
    Experiment(
        "dmimlsvm_text", "D-MimlSvm's parameters, text", TEXTS[2:3], TEN_RUNS, THREE[:1], FIXED,
        variants={"D-MimlSvm": _one_by_one(**SWEEP)}, smoke_splits=1,
    ),
)  # fmt: skip
