"""MimlSvm_mi: MIML through multi-instance learning, with one mi-SVM for each label."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mimlpaper.base import MultiLabelEstimator, check_bags
from mimlpaper.baselines.misvm import alternate_labels, constant_machine
from mimlpaper.computing import progress
from mimlpaper.instance_kernels import HighestInstance
from mimlpaper.linear_svm import Examples
from mimlpaper.parameters import COUNT, POSITIVE, VERBOSITY


@dataclass(kw_only=True, eq=False, repr=False)
class MimlSvmMi(HighestInstance, MultiLabelEstimator):
    """Category-wise mi-SVM: f_y(X) = max_{x in X} f_y(x), each f_y a machine on instances.

    Choose it when a single instance can give its bag a label; it also finds this instance. A label
    that all or no training bags have gets the constant score +1 or -1. Average recall falls with
    the number of alternations, as fewer instances count as positive.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly"}, default "rbf"
        Kernel between instances: exp(-γ ||x - x'||²), <x, x'> or (γ <x, x'> + coef0)^degree.
    gamma : float > 0, "auto" or "scale", default "scale"
        Coefficient γ, in units of one over a squared feature; "scale" is
        1 / (n_features Var x), "auto" 1 / n_features.
    degree : int >= 1, default 3
        Degree of "poly".
    coef0 : float >= 0, default 1.0
        Constant of "poly".
    rank : int >= 1, "auto" or None, default "auto"
        Largest number r of landmarks of the kernel's factor; None is exact. "auto" is exact up to
        2,000 instances; above, it stops at 1% of the kernel's trace unexplained, or at 1,000
        landmarks.
    C : float > 0, default 10.0
        Cost of a hinge loss of 1.
    max_alternations : int >= 1, default 15
        Largest number of machines trained for a label.
    tol : float > 0, default 1e-3
        Duality gap of a solved machine, as a share of the objective.
    label_rule : {"top", "sign"}, default "top"
        The T-Criterion, which gives at least the label with the highest score, or the labels with
        a positive score.
    verbose : int, default 0
        1 shows a bar on stderr that moves with each label.
    random_state : int, RandomState or None, default None
        Draws the landmarks of the kernel's factor.

    Attributes
    ----------
    factor_ : KernelFactor
        Features φ, fitted to the training instances.
    gamma_ : float
        The γ of the kernel.
    alternations_ : list of Alternations, one a label
        The machines on the features; f = +1 or -1 for a label with one class only.
    label_names_ : array (n_labels,)
        Names of the labels.

    References
    ----------
    Section 4.3.2; Andrews, Tsochantaridis and Hofmann, Support vector machines for
    multiple-instance learning, NIPS 15, 2003.
    """

    C: float = 10.0
    max_alternations: int = 15
    tol: float = 1e-3
    label_rule: str = "top"
    verbose: int = 0

    _parameter_constraints: ClassVar[dict] = {
        "C": [POSITIVE],
        "max_alternations": [COUNT],
        "tol": [POSITIVE],
        "verbose": [VERBOSITY],
    }

    def staged_decision_function(self, X) -> Iterator[np.ndarray]:
        """Scores (n_bags, n_labels) after each alternation; labels that ended keep their scores."""
        features = self._features(check_bags(X, self))
        stages = [list(of_label.staged_scores(features)) for of_label in self.alternations_]
        for t in range(max(map(len, stages))):
            scores = [of_label[min(t, len(of_label) - 1)] for of_label in stages]
            yield np.column_stack(scores)

    def _fit(self, bags, Y):
        features = self._fit_features(bags)
        examples = Examples(features.rows)  # the same for every label, checked and hashed once
        labels = progress(Y.T, "MimlSvmMi, labels", self.verbose)
        self.alternations_ = [self._fit_label(features, label, examples) for label in labels]

    def _instance_scores(self, bags):
        """Signed distances f_y(x), in units of the margin: (n_instances, n_labels)."""
        features = self._features(bags)
        scores = [of_label.instance_scores(features) for of_label in self.alternations_]
        return np.column_stack(scores)

    def _fit_label(self, features, positive, examples):
        if positive.all() or not positive.any():
            return constant_machine(1.0 if positive.all() else -1.0, features.n_features)
        return alternate_labels(
            features,
            positive,
            examples,
            C=self.C,
            max_alternations=self.max_alternations,
            tol=self.tol,
        )
