"""MimlSvm_mi: MIML through multi-instance learning, with one mi-SVM for each label."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mimlpaper.base import MultiLabelEstimator, check_bags, check_parameters
from mimlpaper.baselines.misvm import HighestInstance, MiSvmInstance
from mimlpaper.linear_svm import Examples


@dataclass(kw_only=True, eq=False, repr=False)
class MimlSvmMi(HighestInstance, MultiLabelEstimator):
    """Category-wise mi-SVM: f_y(X) = max_{x in X} f_y(x), each f_y a machine on instances.

    Choose it when a single instance can give its bag a label; it also finds this instance. A label
    with one class only gets the constant score +1 or -1. Average recall falls with the number of
    alternations, as fewer instances count as positive.

    Parameters
    ----------
    kernel, gamma, degree, coef0, rank : see :class:`MiSvmInstance`; the same defaults.
    C, tol, random_state : see there; defaults 10.0, 1e-3 and None.
    max_alternations : int, default 15, the most machines trained for a label.
    label_rule : {"top", "sign"}, default "top", see :func:`~mimlpaper.base.label_sets`

    Attributes ``factor_``, a fitted KernelFactor, its ``gamma_``, and ``svms_``, for each label a
    MiSvmInstance on the factor's features, or the constant score.

    Sources: Section 4.3.2; Andrews, Tsochantaridis and Hofmann, NIPS 15, 2003.
    """

    C: float = 10.0
    max_alternations: int = 15
    tol: float = 1e-3
    label_rule: str = "top"

    def fit(self, X, Y):
        """Fit on bags X and label sets Y (n_bags, n_labels)."""
        check_parameters(self)
        bags = check_bags(X, self, reset=True)
        Y = self._learn_labels(Y, len(bags))
        features = self._fit_features(bags)
        examples = Examples(features.instances)
        self.svms_ = [self._fit_label(features, y, examples) for y in Y.T]
        return self

    def decision_function(self, X) -> np.ndarray:
        """Largest instance score of each bag: (n_bags, n_labels)."""
        return super().decision_function(X)

    def staged_decision_function(self, X) -> Iterator[np.ndarray]:
        """Scores (n_bags, n_labels) after each alternation; labels that ended keep their scores."""
        features = self._features(X)
        stages = [
            [np.full(len(features), svm)]
            if isinstance(svm, float)
            else list(svm.staged_decision_function(features))
            for svm in self.svms_
        ]
        for t in range(max(map(len, stages))):
            yield np.column_stack([stage[min(t, len(stage) - 1)] for stage in stages])

    def instance_scores(self, X) -> np.ndarray:
        """Signed distances f_y(x), in margins: (n_instances, n_labels)."""
        features = self._features(X)
        scores = np.empty((features.n_instances, self.n_labels_))
        for label, svm in enumerate(self.svms_):
            scores[:, label] = svm if isinstance(svm, float) else svm.instance_scores(features)
        return scores

    def _fit_label(self, features, y, examples):
        if y.all() or not y.any():
            return 1.0 if y.all() else -1.0
        settings = dict(C=self.C, max_alternations=self.max_alternations, tol=self.tol)
        return MiSvmInstance(kernel="linear", **settings).fit(features, y, examples)
