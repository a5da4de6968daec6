"""MimlSvm: MlSvm on the distances of bags to medoid bags (Table 7)."""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mimlpaper.algorithms.medoid_map import OnMedoids
from mimlpaper.base import check_parameters
from mimlpaper.baselines.binary_relevance import MlSvm


@dataclass(kw_only=True, eq=False, repr=False)
class MimlSvm(OnMedoids):
    """One SVM h_y(z) for each label, on the distances z of bags to k medoid bags.

    Choose it first, since it is fast, for bags whose labels follow from their overall similarity.

    Parameters
    ----------
    ratio : float in (0, 1], default 0.2, the paper's k, as a share of the training bags.
    kernel, gamma, C : see :class:`MlSvm`; defaults "rbf", "scale" and 10.
    metric, start, random_state : see :class:`MedoidMap`
        Defaults "max_hausdorff", "medoids" and None.
    label_rule : {"top", "sign"}, default "top", see :func:`~mimlpaper.base.label_sets`

    Attributes ``medoid_map_``, a fitted MedoidMap, and ``classifier_``, MlSvm on the distances.

    Sources: Section 4.2 and Table 7; Zhou and Zhang, NIPS 19, 2007.
    """

    kernel: str = "rbf"
    gamma: float | str = "scale"
    C: float = 10.0
    label_rule: str = "top"

    def fit(self, X, Y):
        """Fit on bags X and label sets Y (n_bags, n_labels)."""
        check_parameters(self)
        z = self._fit_map(X)  # Table 7, steps 1 to 3
        settings = dict(kernel=self.kernel, gamma=self.gamma, C=self.C, label_rule=self.label_rule)
        self.classifier_ = MlSvm(**settings).fit(z, Y)  # step 4
        self._name_labels(Y, len(z))
        return self

    def decision_function(self, X) -> np.ndarray:
        """SVM scores h_y(z): (n_bags, n_labels)."""
        check_is_fitted(self)
        return self.classifier_.decision_function(self.medoid_map_.transform(X))
