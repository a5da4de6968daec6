"""Kernels between pairs of an instance and a label."""

from dataclasses import dataclass

import numpy as np

from mimlpaper.kernels import kernel_matrix


@dataclass(frozen=True, eq=False)
class PairKernel:
    """Kernel between pairs (x, y) and (x', y'), where label y has the code e_y.

    It is the kernel k, "rbf" or "linear", between the vectors (x, e_y) and (x', e_y'); with
    ``product`` it is k(x, x') <e_y, e_y'>. In each case it has the form
    k(x, x') k_Y(y, y') + k_0(y, y').
    """

    codes: np.ndarray  # the e_y: (n_labels, any)
    kernel: str  # "rbf", which is exp(-gamma ||x - x'||²), or "linear"
    gamma: float = 1.0
    product: bool = False  # for the linear kernel only

    def label_kernels(self) -> tuple[np.ndarray, np.ndarray]:
        """k_Y and k_0, each (n_labels, n_labels)."""
        codes, nothing = self.codes, np.zeros((len(self.codes), len(self.codes)))
        if self.kernel == "rbf":
            return kernel_matrix(codes, gamma=self.gamma), nothing
        if self.product:
            return codes @ codes.T, nothing
        return np.ones_like(nothing), codes @ codes.T

    def rows(self, instances) -> np.ndarray:
        """A row for each pair, on which k is this kernel: (n_instances n_labels, any)."""
        n_instances, n_labels = len(instances), len(self.codes)
        if self.product:
            outer = np.einsum("id,jk->ijkd", instances, self.codes)
            return outer.reshape(n_instances * n_labels, -1)
        repeated = np.repeat(instances, n_labels, axis=0)
        return np.hstack([repeated, np.tile(self.codes, (n_instances, 1))])
