"""MimlSvm_mi: MIML through multi-instance learning, with one mi-SVM for each label."""

from collections.abc import Iterator

import numpy as np

from mimlpaper.base import MultiLabelEstimator, check_bags
from mimlpaper.baselines.misvm import KernelFeatures, MiSvmInstance
from mimlpaper.linear_svm import Examples


class MimlSvmMi(KernelFeatures, MultiLabelEstimator):
    """Category-wise mi-SVM: f_y(X) = max_{x in X} f_y(x), each f_y a machine on instances.

    Choose it when a single instance can give its bag a label; it also finds this instance. The
    labels share one factor of the kernel matrix of all training instances. A label with one class
    only gets the constant score +1 or -1, with a warning.

    The result depends on the number of alternations, see
    :class:`~mimlpaper.baselines.misvm.MiSvmInstance`: the first machine takes all instances of
    positive bags as positive, each further machine fewer, and average recall falls.
    ``staged_decision_function`` gives the scores after each alternation from one fit.

    Parameters
    ----------
    kernel, gamma, degree, coef0, rank : see :class:`MiSvmInstance`; the same defaults.
    C : float, default 10.0
    max_alternations : int, default 15, the most machines trained for a label.
    tol : float, default 1e-3, duality gap of a solved machine, as a share of the objective.
    label_rule : {"top", "sign"}, default "top"
        The T-Criterion (Table 7, step 5), or the labels with positive scores.
    random_state : int, RandomState or None, default None, draws the landmarks of the factor.

    Attributes
    ----------
    factor_ : KernelFactor, fitted on the training instances.
    svms_ : list, for each label a MiSvmInstance on the factor's features, or the constant score.
    gamma_ : float, the kernel width used.

    References
    ----------
    Section 4.3.2 names it; Andrews, Tsochantaridis and Hofmann, Support vector machines for
    multiple-instance learning, NIPS 15, 2003.
    """

    def __init__(
        self, *, kernel="rbf", gamma="scale", degree=3, coef0=1.0, rank="auto", C=10.0,
        max_alternations=15, tol=1e-3, label_rule="top", random_state=None,
    ):  # fmt: skip
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.rank = rank
        self.C = C
        self.max_alternations = max_alternations
        self.tol = tol
        self.label_rule = label_rule
        self.random_state = random_state

    def fit(self, X, Y):
        """Fit on bags X and label sets Y (n_bags, n_labels)."""
        self._check_label_rule()
        bags = check_bags(X)
        Y = self._learn_labels(Y, len(bags))
        self._start(bags)
        features = bags.with_instances(self.factor_.fit_transform(bags.instances))
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
        return MiSvmInstance(
            kernel="linear", C=self.C, max_alternations=self.max_alternations, tol=self.tol
        ).fit(features, y, examples)
