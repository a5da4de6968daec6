"""MimlNn: a network of two layers on the distances of bags to medoid bags."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg import lstsq, solve

from mimlpaper.algorithms.medoid_map import OnMedoids
from mimlpaper.parameters import NOT_NEGATIVE, words


@dataclass(kw_only=True, eq=False, repr=False)
class MimlNn(OnMedoids):
    """Two-layer network: z = distances to k medoid bags, scores z W.

    W minimises ||Z W - T||² + ridge ||W||², T = ±1 with or without a label. Choose it for speed.

    Parameters
    ----------
    ratio : float in (0, 1], default 0.4
        Number of medoids k as a share of the training bags.
    ridge : float >= 0 or "auto", default "auto"
        Penalty of W, in squared units of the distances. "auto" is the mean of z², whatever the unit
        of the features; 0 gives the pseudo-inverse.
    metric : {"max_hausdorff", "euclidean"} or callable, default "max_hausdorff"
        Distance of two bags. "euclidean" takes X (n_examples, n_features), one instance a bag. A
        callable gets two sets of bags and returns their distances (n_bags_1, n_bags_2).
    start : {"medoids", "partition"}, default "medoids"
        "medoids", as the paper has it: the first medoids are random bags. "partition", as in the
        authors' program: a random bag founds each cluster, each other bag joins a random cluster,
        and the first medoids are those of these clusters.
    label_rule : {"sign", "top"}, default "sign"
        Labels with a positive score, or the T-Criterion: at least the label with the highest.
    random_state : int, RandomState or None, default None
        Draws the start.

    Attributes
    ----------
    medoid_map_ : MedoidMap
        Map of bags to distances, fitted to the training bags.
    weights_ : array (k, n_labels)
        The paper's W.
    label_names_ : array (n_labels,)
        Names of the labels.

    References
    ----------
    Section 4.3.2; the network of Zhang and Zhou, Multi-label learning by instance differentiation,
    AAAI 2007.
    """

    ratio: float = 0.4
    ridge: float | str = "auto"
    label_rule: str = "sign"

    _parameter_constraints: ClassVar[dict] = {"ridge": [NOT_NEGATIVE, words("auto")]}

    def _fit(self, X, Y):
        z = self._fit_map(X)  # (n_bags, k)
        ridge = np.mean(z**2) if self.ridge == "auto" else self.ridge
        targets = np.where(Y, 1.0, -1.0)
        if ridge == 0:
            self.weights_ = lstsq(z, targets)[0]
        else:
            gram = z.T @ z
            gram[np.diag_indices_from(gram)] += ridge
            self.weights_ = solve(gram, z.T @ targets, assume_a="pos")

    def _scores(self, X):
        """Network outputs z W: (n_bags, n_labels)."""
        return self.medoid_map_.transform(X) @ self.weights_
