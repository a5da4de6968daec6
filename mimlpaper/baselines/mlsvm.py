"""MlSvm: one support vector machine for each label."""

from dataclasses import dataclass

import numpy as np
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted

from mimlpaper.base import VectorEstimator, check_parameters, check_vectors
from mimlpaper.kernels import kernel_matrix, kernel_width


@dataclass(kw_only=True, eq=False, repr=False)
class MlSvm(VectorEstimator):
    """Cross-training: an SVM for each label, with the examples that have it as positives.

    All labels share one kernel matrix. A label with one class only gets the constant score +1 or
    -1, with a warning. Source: Boutell, Luo, Shen and Brown, Learning multi-label scene
    classification, Pattern Recognition 37, 2004. Table 7, steps 4 and 5.

    Parameters
    ----------
    kernel, gamma, degree, coef0 : see :func:`~mimlpaper.kernels.kernel_matrix`
        Defaults are "rbf", "scale", 3 and 1.
    C : float, default 1.0
    label_rule : {"top", "sign"}, default "top", the T-Criterion; or the P-Criterion.

    Attributes
    ----------
    svms_ : list, for each label an SVC, or the constant score -1.0 or 1.0.
    X_fit_ : (n_examples, n_features), the training examples, which the kernel needs.
    """

    kernel: str = "rbf"
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 1.0
    C: float = 1.0
    label_rule: str = "top"

    def fit(self, X, Y):
        """Fit on X (n_examples, n_features), dense or CSR, and Y (n_examples, n_labels)."""
        check_parameters(self)
        X = check_vectors(self, X, reset=True)
        Y = self._learn_labels(Y, X.shape[0])
        self.X_fit_ = X
        self.gamma_ = kernel_width(self.gamma, X)
        K = self._kernel(X)
        self.svms_ = [self._fit_label(K, Y[:, label]) for label in range(Y.shape[1])]
        return self

    def decision_function(self, X) -> np.ndarray:
        """Signed SVM scores: (n_examples, n_labels)."""
        check_is_fitted(self)
        X = check_vectors(self, X, reset=False)
        K = self._kernel(X, self.X_fit_)
        scores = [
            np.full(len(K), svm) if isinstance(svm, float) else svm.decision_function(K)
            for svm in self.svms_
        ]
        return np.column_stack(scores)

    def _fit_label(self, K, y):
        if y.all() or not y.any():
            return 1.0 if y.all() else -1.0
        return SVC(kernel="precomputed", C=self.C).fit(K, y)

    def _kernel(self, A, B=None):
        return kernel_matrix(
            A, B, kernel=self.kernel, gamma=self.gamma_, degree=self.degree, coef0=self.coef0
        )
