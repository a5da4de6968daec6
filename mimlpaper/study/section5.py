"""Section 5: D-MimlSvm on scenes and texts with 10 to 50 % multi-label examples. Figs. 4 and 5.

Every method chooses among eight settings by hold-out, as the paper says without its grids. The
kernels are Gaussian on features from 0 to 1 for scenes, and linear on word counts for texts.
"""

from mimlpaper.algorithms.dmimlsvm import DMimlSvm
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.datasets.catalogue import PERCENTAGES
from mimlpaper.study.experiment import Experiment
from mimlpaper.study.section4 import AS_COUNTS, GAUSSIAN, LINEAR, SCALED, TABLE_1, TABLE_2
from mimlpaper.study.settings import Row, Table, each, held_out, nearest
from mimlpaper.study.trials import RandomSplits

SCENES = tuple(f"scene:{percentage}%" for percentage in PERCENTAGES)
TEXTS = tuple(f"reuters:{percentage}%" for percentage in PERCENTAGES)

FIGURE_4 = Table({
    "D-MimlSvm": Row(
        DMimlSvm(),
        [
            SCALED, GAUSSIAN, nearest(gamma=2.0),
            held_out(mu=[0.0, 1.0], C=[10.0, 30.0], lam=[0.03, 0.1]),
        ],
    ),
    "MimlSvm": Row(
        MimlSvm(),
        [SCALED, GAUSSIAN, held_out(ratio=[0.2, 0.4], gamma=[0.03, 0.1], C=[10.0, 30.0])],
    ),
    "MimlSvm_mi": Row(
        MimlSvmMi(),
        [
            SCALED, GAUSSIAN, nearest(max_alternations=15, label_rule="top"),
            held_out(gamma=[3.0, 5.0], C=[3.0, 5.0, 10.0, 30.0]),
        ],
    ),
})  # fmt: skip

FIGURE_5 = Table({
    "D-MimlSvm": Row(
        DMimlSvm(),
        [SCALED, LINEAR, AS_COUNTS, held_out(mu=[0.0, 1.0], C=[3.0, 10.0], lam=[0.03, 0.1])],
    ),
    "MimlSvm": Row(
        MimlSvm(),
        [SCALED, LINEAR, AS_COUNTS, held_out(ratio=[0.2, 0.4, 0.6, 0.8], C=[0.1, 1.0])],
    ),
    "MimlSvm_mi": Row(
        MimlSvmMi(),
        [
            SCALED, LINEAR, AS_COUNTS, nearest(max_alternations=5),
            held_out(C=[2.0**k for k in range(-6, 2)]),
        ],
    ),
})  # fmt: skip

# Section 5.6: the settings of Figs. 4 and 5 except for μ, which must be positive here.
BY_PAIRS = dict(relatedness="pairwise", mu=[0.1, 1.0])

# Figs. 4 and 5 weigh losses by τ and take the labels of positive score.
OTHER_RULES = [
    dict(imbalance=True, label_rule="top"),
    dict(imbalance=False, label_rule="sign"),
    dict(imbalance=False, label_rule="top"),
]

# One of the settings among which hold-out chooses, to be changed one parameter at a time.
BASE_SETTING = {
    "scene": FIGURE_4["D-MimlSvm"].changed(mu=0.0, C=10.0, lam=0.1),
    "reuters": FIGURE_5["D-MimlSvm"].changed(mu=0.0, C=10.0, lam=0.1),
}
AS_IN_FIGURES = {
    "scene": FIGURE_4["D-MimlSvm"].published(), "reuters": FIGURE_5["D-MimlSvm"].published()
}  # fmt: skip


ON_BOTH = each(
    mu=[-0.45, -0.3, 1.0, 10.0, 100.0], lam=[0.0, 0.01, 0.03, 0.3, 1.0],
    C=[1.0, 3.0, 30.0, 100.0], set_kernel="mean", imbalance=False, label_rule="top",
)  # fmt: skip

SPLITS = RandomSplits(30, train=0.25)
FEW_SPLITS = RandomSplits(10, train=0.25)  # to see what a choice changes

SECTION5 = (
    Experiment("figure4", "Fig. 4", SCENES, SPLITS, FIGURE_4.published()),
    Experiment("figure5", "Fig. 5", TEXTS, SPLITS, FIGURE_5.published()),
    Experiment(
        "figure4_rules", "Fig. 4, other label rules and losses", SCENES, SPLITS,
        FIGURE_4.published(), {"D-MimlSvm": OTHER_RULES}, smoke_splits=1,
    ),
    Experiment(
        "figure5_rules", "Fig. 5, other label rules and losses", TEXTS, SPLITS,
        FIGURE_5.published(), {"D-MimlSvm": OTHER_RULES}, smoke_splits=1,
    ),
    Experiment(
        "figure4_alternations", "Fig. 4 by the alternations of mi-SVM", SCENES, SPLITS,
        {"MimlSvm_mi": TABLE_1["MimlSvm_mi"].changed(max_alternations=25)}, staged=True,
    ),
    Experiment(
        "figure5_alternations", "Fig. 5 by the alternations of mi-SVM", TEXTS, SPLITS,
        {"MimlSvm_mi": TABLE_2["MimlSvm_mi"].changed(max_alternations=25)}, staged=True,
    ),
    Experiment(
        "figure4_pairwise", "Fig. 4, relatedness by pairs", SCENES, SPLITS,
        {"D-MimlSvm, pairwise": FIGURE_4["D-MimlSvm"].changed(**BY_PAIRS)}, smoke_splits=1,
    ),
    Experiment(
        "figure5_pairwise", "Fig. 5, relatedness by pairs", TEXTS, SPLITS,
        {"D-MimlSvm, pairwise": FIGURE_5["D-MimlSvm"].changed(**BY_PAIRS)}, smoke_splits=1,
    ),
    Experiment(
        "dmimlsvm_scene", "D-MimlSvm's parameters, scene", ("scene:30%",), FEW_SPLITS,
        {"D-MimlSvm": BASE_SETTING},
        {"D-MimlSvm": [
            {}, *each(gamma=[1.0, 3.0, 5.0], rank=[150, 600], tol=1e-3, cccp_tol=1e-5),
            *ON_BOTH,
        ]},
        smoke_splits=1,
    ),
    Experiment(
        "dmimlsvm_holdout", "D-MimlSvm's criterion of hold-out", ("scene:30%", "reuters:30%"),
        FEW_SPLITS, {"D-MimlSvm": AS_IN_FIGURES},
        {"D-MimlSvm": [{}, *each(criterion=["hamming_loss", "ranking_loss"])]},
        smoke_splits=1,
    ),
    Experiment(
        "dmimlsvm_text", "D-MimlSvm's parameters, text", ("reuters:30%",), FEW_SPLITS,
        {"D-MimlSvm": BASE_SETTING}, {"D-MimlSvm": [{}, *ON_BOTH]}, smoke_splits=1,
    ),
)  # fmt: skip

# Fits whose internals are kept, see mimlpaper.study.fit_details; nothing is tested.
ONE_PAIRWISE = dict(relatedness="pairwise", mu=1.0)
CCCP = Experiment(
    "cccp", "Objectives of the CCCP", ("scene:30%", "reuters:30%"), RandomSplits(5, train=0.25),
    {"D-MimlSvm": BASE_SETTING},
    {"D-MimlSvm": [{}, dict(lam=0.3), dict(imbalance=False), ONE_PAIRWISE]},
)  # fmt: skip
RELATEDNESS = Experiment(
    "relatedness", "Related labels", ("scene", "reuters"), RandomSplits(1, train=1.0),
    {"D-MimlSvm": BASE_SETTING}, {"D-MimlSvm": [{}, ONE_PAIRWISE]},
)  # fmt: skip
