"""Inside D-MimlSvm's fits: objectives that fall, and labels that are related."""

from __future__ import annotations

import numpy as np

from mimlpaper.experiments.experiment import Experiment
from mimlpaper.experiments.section5_methods import FIXED
from mimlpaper.experiments.splits import RandomSplits

__all__ = ["CCCP", "RELATEDNESS", "objective_steps", "related_pairs"]

BY_PAIRS = {"dmimlsvm__relatedness": "pairwise", "dmimlsvm__mu": 1.0}

CCCP = Experiment(
    "cccp", "Objectives of the CCCP", ("scene:30%", "reuters:30%"), RandomSplits(5, train=0.25),
    ("D-MimlSvm",), FIXED,
    variants={
        "D-MimlSvm": ({}, {"dmimlsvm__lam": 0.3}, {"dmimlsvm__imbalance": False}, BY_PAIRS)
    },
)  # fmt: skip

# On all examples: nothing is tested.
RELATEDNESS = Experiment(
    "relatedness", "Related labels", ("scene", "reuters"), RandomSplits(1, train=1.0),
    ("D-MimlSvm",), FIXED, variants={"D-MimlSvm": ({}, BY_PAIRS)},
)  # fmt: skip


def objective_steps(fitted, Y, names) -> list[dict]:
    """One row for each step of the outer loop.

    stage, from 1; objective after it; n_iter, the inner solver's iterations; gap, its relative
    duality gap at the end of the fit.
    """
    steps = zip(fitted.objective_, fitted.n_iter_, strict=True)
    return [
        {"stage": stage, "objective": objective, "n_iter": n_iter, "gap": fitted.duality_gap_}
        for stage, (objective, n_iter) in enumerate(steps, start=1)
    ]


def related_pairs(fitted, Y, names) -> list[dict]:
    """One row for each pair of labels, ``first`` and ``second``.

    cosine between their w_t; sharing a_ij = 1 / (4 μ_ij + 2), what they share of w_i + w_j, empty
    if it is not learned; together, how many times as often as if they were independent they come
    together in the label sets Y (n_bags, n_labels).
    """
    share, penalties = Y.mean(axis=0), fitted.pair_penalties_
    rows = []
    for i, j in zip(*np.triu_indices(len(names), 1), strict=True):
        rows.append(
            {
                "first": names[i],
                "second": names[j],
                "cosine": fitted.label_relatedness_[i, j],
                "sharing": np.nan if penalties is None else 1 / (4 * penalties[i, j] + 2),
                "together": (Y[:, i] & Y[:, j]).mean() / (share[i] * share[j]),
            }
        )
    return rows
