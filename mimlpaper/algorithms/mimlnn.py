"""MimlNn: a network of two layers on the distances of bags to medoid bags."""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lstsq, solve
from sklearn.utils.validation import check_is_fitted

from mimlpaper.algorithms.medoid_map import OnMedoids
from mimlpaper.base import check_parameters


@dataclass(kw_only=True, eq=False, repr=False)
class MimlNn(OnMedoids):
    """Two-layer network: z = distances to k medoid bags, scores z W.

    W minimises ||Z W - T||² + ridge ||W||², T = ±1 with or without a label. Choose it for speed.

    Parameters
    ----------
    ratio : float in (0, 1], default 0.4, number of medoids as a share of the training bags.
    ridge : "auto" or float >= 0, default "auto"
        "auto" is the mean of z², whatever the unit of the features; 0 gives the pseudo-inverse.
    metric, start, random_state : see :class:`MedoidMap`
        Defaults "max_hausdorff", "medoids" and None.
    label_rule : {"sign", "top"}, default "sign"

    Attributes ``medoid_map_``, a fitted MedoidMap, and ``weights_`` (k, n_labels), the paper's W.

    Sources: Section 4.3.2; the network of Zhang and Zhou, AAAI 2007.
    """

    ratio: float = 0.4
    ridge: float | str = "auto"
    label_rule: str = "sign"

    def fit(self, X, Y):
        """Fit on bags X and label sets Y (n_bags, n_labels)."""
        check_parameters(self, not_negative=[] if self.ridge == "auto" else ["ridge"])
        z = self._fit_map(X)  # (n_bags, k)
        Y = self._learn_labels(Y, len(z))
        ridge = np.mean(z**2) if self.ridge == "auto" else self.ridge
        targets = np.where(Y, 1.0, -1.0)
        if ridge == 0:
            self.weights_ = lstsq(z, targets)[0]
        else:
            gram = z.T @ z
            gram[np.diag_indices_from(gram)] += ridge
            self.weights_ = solve(gram, z.T @ targets, assume_a="pos")
        return self

    def decision_function(self, X) -> np.ndarray:
        """Network outputs z W: (n_bags, n_labels)."""
        check_is_fitted(self)
        return self.medoid_map_.transform(X) @ self.weights_
