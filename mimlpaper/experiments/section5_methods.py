"""Section 5's three algorithms, with parameters by hold-out on the training set.

Each has a grid of eight settings, judged by average precision on a quarter of the training
set. Kernels and scaling are those of Section 4: Gaussian on features from 0 to 1 for scenes,
linear on word counts for texts. MimlSvm_mi alternates as often as in Tables 1 and 2.
"""

from __future__ import annotations

from sklearn.pipeline import make_pipeline

from mimlpaper.algorithms.dmimlsvm import DMimlSvm
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.algorithms.mimlsvm_mi import MimlSvmMi
from mimlpaper.experiments.grids import by_hold_out
from mimlpaper.experiments.section4_methods import UNIT_RANGE

__all__ = ["BY_ALTERNATION", "FIXED", "HELD_OUT", "PAIRWISE"]


OWN = dict(C=[10.0, 30.0], lam=[0.03, 0.1])  # with μ, the parameters that Table 8 takes
OWN_ON_TEXT = OWN | dict(C=[3.0, 10.0])

HELD_OUT = {
    "scene": {
        "D-MimlSvm": by_hold_out(UNIT_RANGE, DMimlSvm(gamma=2.0), mu=[0.0, 1.0], **OWN),
        "MimlSvm": by_hold_out(
            UNIT_RANGE, MimlSvm(), ratio=[0.2, 0.4], gamma=[0.03, 0.1], C=[10.0, 30.0]
        ),
        "MimlSvm_mi": by_hold_out(
            UNIT_RANGE, MimlSvmMi(max_alternations=15), gamma=[3.0, 5.0], C=[3.0, 5.0, 10.0, 30.0]
        ),
    },
    "reuters": {
        "D-MimlSvm": by_hold_out(DMimlSvm(kernel="linear"), mu=[0.0, 1.0], **OWN_ON_TEXT),
        "MimlSvm": by_hold_out(
            MimlSvm(kernel="linear"), ratio=[0.2, 0.4, 0.6, 0.8], C=[0.1, 1.0]
        ),
        "MimlSvm_mi": by_hold_out(
            MimlSvmMi(kernel="linear", max_alternations=5, label_rule="sign"),
            C=[2.0**k for k in range(-6, 2)],
        ),
    },
}  # fmt: skip

# Section 5.6: the same settings but for μ, which has to be positive.
PAIRWISE = {
    "scene": {
        "D-MimlSvm, pairwise": by_hold_out(
            UNIT_RANGE, DMimlSvm(gamma=2.0, relatedness="pairwise"), mu=[0.1, 1.0], **OWN
        ),
    },
    "reuters": {
        "D-MimlSvm, pairwise": by_hold_out(
            DMimlSvm(kernel="linear", relatedness="pairwise"), mu=[0.1, 1.0], **OWN_ON_TEXT
        ),
    },
}

# One setting that hold-out often takes, to change one parameter of at a time.
FIXED = {
    "scene": {"D-MimlSvm": make_pipeline(UNIT_RANGE, DMimlSvm(gamma=2.0, C=10.0, lam=0.1))},
    "reuters": {"D-MimlSvm": make_pipeline(DMimlSvm(kernel="linear", C=10.0, lam=0.1))},
}

# The configurations of Tables 1 and 2, going on for 25 alternations.
BY_ALTERNATION = {
    "scene": {
        "MimlSvm_mi": make_pipeline(UNIT_RANGE, MimlSvmMi(gamma=5.0, C=10.0, max_alternations=25))
    },
    "reuters": {
        "MimlSvm_mi": make_pipeline(
            MimlSvmMi(kernel="linear", C=0.1, max_alternations=25, label_rule="sign")
        )
    },
}
