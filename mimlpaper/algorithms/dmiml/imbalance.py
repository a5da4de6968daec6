"""Weights for labels that few instances have (Section 5.4)."""

import numpy as np


def imbalance_rates(Y: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """ibr_t = Σ_{i with label t} (n_i / |Y_i|) / Σ_i n_i: (n_labels,).

    It is the share of instances with label t, if the instances of a bag are divided equally among
    its labels. The paper calls it the ratio of positive to negative instances.
    """
    return (sizes / np.maximum(Y.sum(axis=1), 1)) @ Y / sizes.sum()


def imbalance_weights(Y: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """τ_it = (y_it + 1)/2 - y_it ibr_t: 1 - ibr_t with label t, ibr_t without (n_bags, n_labels).

    Eq. 23 has ibr(y_it), the rate of a sign; it is read as the rate of label t.
    """
    return np.where(Y, 1.0 - rates, rates)
