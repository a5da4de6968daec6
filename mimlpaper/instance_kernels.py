"""Mixins of learners that compute with features of instances whose inner products are a kernel."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mimlpaper.bags import Bags
from mimlpaper.base import InstanceScores
from mimlpaper.kernels import KERNELS, KernelFactor, kernel_gamma
from mimlpaper.parameters import COUNT, NOT_NEGATIVE, POSITIVE, SEED, words


@dataclass(kw_only=True, eq=False, repr=False)
class KernelFeatures:
    """Mixin of learners on features φ of instances, whose inner products are a kernel."""

    kernel: str = "rbf"
    gamma: float | str = "scale"
    rank: int | str | None = "auto"
    random_state: int | np.random.RandomState | None = None

    _parameter_constraints: ClassVar[dict] = {
        "kernel": [words(*KERNELS)],
        "gamma": [POSITIVE, words("auto", "scale")],
        "rank": [COUNT, words("auto"), None],
        "random_state": [SEED],
    }

    def _fit_features(self, bags: Bags) -> Bags:
        """The bags of φ(x); sets ``factor_`` and ``gamma_``, which follow from these instances."""
        self._start_factor(bags)
        return bags.with_rows(self.factor_.fit_transform(bags.rows))

    def _features(self, bags: Bags) -> Bags:
        """The bags of φ(x), by the fitted factor."""
        return bags.with_rows(self.factor_.transform(bags.rows))

    def _start_factor(self, bags: Bags):
        """Set ``factor_``, unfitted, and ``gamma_``."""
        self.gamma_ = kernel_gamma(self.gamma, bags.rows)
        self.factor_ = KernelFactor(
            kernel=self.kernel,
            gamma=self.gamma_,
            rank=self.rank,
            random_state=self.random_state,
            **self._polynomial(),
        )

    def _polynomial(self) -> dict:
        """Degree and constant of a polynomial kernel, where the learner has one."""
        return {}


@dataclass(kw_only=True, eq=False, repr=False)
class HighestInstance(InstanceScores, KernelFeatures):
    """Mixin of learners that score instances; a bag scores as its highest instance."""

    degree: int = 3
    coef0: float = 1.0

    _parameter_constraints: ClassVar[dict] = {"degree": [COUNT], "coef0": [NOT_NEGATIVE]}

    def _scores(self, bags: Bags) -> np.ndarray:
        """Largest instance score of each bag."""
        return bags.max(self._instance_scores(bags))

    def _polynomial(self):
        return {"degree": self.degree, "coef0": self.coef0}
