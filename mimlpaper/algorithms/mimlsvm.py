"""MimlSvm: MlSvm on the distances of bags to medoid bags (Table 7)."""

from dataclasses import dataclass
from typing import ClassVar

from mimlpaper.algorithms.medoid_map import OnMedoids
from mimlpaper.base import without_label_warnings
from mimlpaper.baselines.binary_relevance import MlSvm
from mimlpaper.kernels import KERNELS
from mimlpaper.parameters import POSITIVE, words


@dataclass(kw_only=True, eq=False, repr=False)
class MimlSvm(OnMedoids):
    """One SVM h_y(z) for each label, on the distances z of bags to k medoid bags.

    Choose it first, since it is fast, for bags whose labels follow from their overall similarity.

    Parameters
    ----------
    ratio : float in (0, 1], default 0.2
        The paper's k, as a share of the training bags.
    kernel : {"rbf", "linear", "poly"}, default "rbf"
        Kernel on the vectors z; "poly" is (γ <z, z'> + 1)³.
    gamma : float > 0, "auto" or "scale", default "scale"
        Coefficient γ, in units of one over a squared distance; "scale" is 1 / (k Var z),
        "auto" 1 / k.
    C : float > 0, default 10.0
        Cost of a hinge loss of 1.
    metric : {"max_hausdorff", "euclidean"} or callable, default "max_hausdorff"
        Distance of two bags. "euclidean" takes X (n_examples, n_features), one instance a bag. A
        callable gets two sets of bags and returns their distances (n_bags_1, n_bags_2).
    start : {"medoids", "partition"}, default "medoids"
        "medoids", as the paper has it: the first medoids are random bags. "partition", as in the
        authors' program: a random bag founds each cluster, each other bag joins a random cluster,
        and the first medoids are those of these clusters.
    label_rule : {"top", "sign"}, default "top"
        The T-Criterion, which gives at least the label with the highest score, or the labels with
        a positive score.
    random_state : int, RandomState or None, default None
        Draws the start.

    Attributes
    ----------
    medoid_map_ : MedoidMap
        Map of bags to distances, fitted to the training bags.
    classifier_ : MlSvm
        The machines on the distances.
    label_names_ : array (n_labels,)
        Names of the labels.

    References
    ----------
    Section 4.2 and Table 7; Zhou and Zhang, Multi-instance multi-label learning with application
    to scene classification, NIPS 19, 2007.
    """

    kernel: str = "rbf"
    gamma: float | str = "scale"
    C: float = 10.0
    label_rule: str = "top"

    _parameter_constraints: ClassVar[dict] = {
        "kernel": [words(*KERNELS)],
        "gamma": [POSITIVE, words("auto", "scale")],
        "C": [POSITIVE],
    }

    def _fit(self, X, Y):
        z = self._fit_map(X)  # Table 7, steps 1 to 3
        classifier = MlSvm(
            kernel=self.kernel, gamma=self.gamma, C=self.C, label_rule=self.label_rule
        )
        with without_label_warnings():
            self.classifier_ = classifier.fit(z, Y)  # step 4

    def _scores(self, X):
        """SVM scores h_y(z): (n_bags, n_labels)."""
        return self.classifier_.decision_function(self.medoid_map_.transform(X))
