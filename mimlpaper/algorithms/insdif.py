"""InsDif: multi-label learning by an MIML learner on vectors turned into bags."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.metrics.pairwise import euclidean_distances

from mimlpaper import kernels
from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.bags import Bags, in_order_of_examples, names_of_examples
from mimlpaper.base import (
    VectorEstimator,
    check_labels,
    check_vectors,
    fitting,
    last_step,
    without_label_warnings,
)
from mimlpaper.combinations import TranslatedBags
from mimlpaper.computing import computing
from mimlpaper.distances import nearest
from mimlpaper.parameters import COUNT, FLAG, POSITIVE, SEED, words


@dataclass(kw_only=True, eq=False, repr=False)
class InsDif(VectorEstimator):
    """Instance differentiation: an MIML learner on the bags {x - v_l : l a label} of vectors x.

    The prototype v_l is the mean of the training examples with label l.

    Parameters
    ----------
    transformation : transformer of (X, Y) into bags, or None, default None
        Unfitted. None stands for :class:`PrototypeDifferences`; :class:`DifferenceFeatures` is for
        learners with a Gaussian kernel on instances.
    learner : MIML estimator or None, default None
        Unfitted. None stands for ``MimlNn(ratio=0.2, ridge=0.0)``.
    shortcut : bool, default True
        Use Euclidean distances of the x in place of the maximal Hausdorff distances of bags. Both
        are equal, since each bag is a translate of every other bag. It is taken for exactly
        :class:`PrototypeDifferences` and a learner with ``metric="max_hausdorff"``.
    random_state : int, RandomState or None, default None
        Seeds the default learner.

    Attributes
    ----------
    transformation_ : transformer
        Fitted to the training examples.
    learner_ : MIML estimator
        Fitted to their bags; for the shortcut to the x, with ``metric="euclidean"``.
    cancels_ : bool
        Whether the shortcut was taken; the prototypes cancel in its distances.
    label_names_ : array (n_labels,)
        Names of the labels.

    References
    ----------
    Section 6 and Table 9; Zhang and Zhou, Multi-label learning by instance differentiation,
    AAAI 2007.
    """

    transformation: TransformerMixin | None = None
    learner: BaseEstimator | None = None
    shortcut: bool = True
    random_state: int | np.random.RandomState | None = None

    _parameter_constraints: ClassVar[dict] = {"shortcut": [FLAG], "random_state": [SEED]}

    @property
    def label_rule(self) -> str:
        """Label rule of the fitted learner, also within a pipeline or a search."""
        return last_step(self.learner_).label_rule

    def _fit(self, X, Y):
        # Not by "or": an ensemble without estimators counts as false.
        transformation, learner = self.transformation, self.learner
        if transformation is None:
            transformation = PrototypeDifferences()
        if learner is None:
            learner = MimlNn(ratio=0.2, ridge=0.0, random_state=self.random_state)
        self.transformation_ = clone(transformation)
        self.learner_ = clone(learner)
        by_distances = self.learner_.get_params().get("metric") == "max_hausdorff"
        translates = type(self.transformation_) is PrototypeDifferences
        self.cancels_ = self.shortcut and by_distances and translates
        with without_label_warnings():
            if self.cancels_:  # Table 9, steps 2 and 3 at once
                self.transformation_.fit(X, Y)
                self.learner_.set_params(metric="euclidean").fit(X, Y)
            else:
                bags = self.transformation_.fit_transform(X, Y)  # Table 9, step 2
                self.learner_.fit(bags, Y)  # Table 9, step 3

    def _scores(self, X):
        """The learner's scores of the bags: (n_examples, n_labels)."""
        seen = X if self.cancels_ else self.transformation_.transform(X)
        return np.asarray(self.learner_.decision_function(seen))


class PrototypeDifferences(TransformerMixin, BaseEstimator):
    """Transformer of x into the bag {x - v_l : l a label}, v_l the prototypes.

    X (n_examples, n_features) is dense or sparse. The bags store dense X and the v_l, and compute
    differences when a learner asks for ``instances``. The transformer has no parameters.

    Attributes
    ----------
    prototypes_ : array (n_labels, n_features)
        The v_l, means of the examples with each label; the overall mean for a label without any.

    References
    ----------
    Section 6.1 and Table 9, steps 1 and 2.
    """

    def fit(self, X, Y):
        """Learn from X (n_examples, n_features) and label sets Y (n_examples, n_labels)."""
        with fitting(self) as learner:
            learner._fit(*learner._checked(X, Y))
        return self

    def fit_transform(self, X, Y) -> Bags:
        """Learn from X and Y, and return the bags of X."""
        with fitting(self) as learner:
            vectors, labels = learner._checked(X, Y)
            learner._fit(vectors, labels)
            return learner._training_bags(vectors).with_names(names_of_examples(X))

    def transform(self, X) -> Bags:
        """Bags of X (n_examples, n_features), of n_labels instances in the order of the labels."""
        vectors = check_vectors(self, X, reset=False)
        with computing():
            return self._transform(vectors).with_names(names_of_examples(X))

    def _checked(self, X, Y):
        Y = in_order_of_examples(Y, X)
        X = check_vectors(self, X, reset=True)
        return X, check_labels(Y, X.shape[0])

    def _fit(self, X, Y):
        counts = Y.sum(axis=0)[:, None]
        mean = np.asarray(X.mean(axis=0)).ravel()
        sums = np.asarray(X.T @ Y.astype(np.float64)).T  # (n_labels, n_features)
        means = sums / np.maximum(counts, 1)
        self.prototypes_ = np.where(counts, means, mean)  # Table 9, step 1: Eq. 29

    def _training_bags(self, X):
        """The bags of the training examples."""
        return self._transform(X)

    def _transform(self, X):
        return TranslatedBags.of(_dense(X), self.prototypes_)  # Table 9, step 2: Eq. 30


@dataclass(kw_only=True, eq=False, repr=False)
class DifferenceFeatures(PrototypeDifferences):
    """Transformer of x into the bag {φ(x - v_l)}, with <φ(z), φ(z')> near exp(-γ ||z - z'||²).

    A learner with a linear kernel on these bags has the Gaussian kernel on the bags of
    :class:`PrototypeDifferences`. What is fitted keeps only the landmarks of the differences.

    Parameters
    ----------
    gamma : float > 0, "auto" or "scale", default "scale"
        Coefficient γ of the kernel, in units of one over a squared feature; "scale" is
        1 / (n_features Var x), "auto" 1 / n_features.
    rank : int >= 1, "auto" or None, default "auto"
        Largest number of landmarks of the kernel's factor; None is exact. "auto" is exact up to
        2,000 differences; above, it stops at 1% of the kernel's trace unexplained, or at 1,000
        landmarks.
    random_state : int, RandomState or None, default None
        Draws the landmarks.

    Attributes
    ----------
    prototypes_ : array (n_labels, n_features)
        The v_l, means of the examples with each label; the overall mean for a label without any.
    factor_ : KernelFactor
        Features φ, fitted to the differences of the training examples.
    gamma_ : float
        The γ of the kernel.

    References
    ----------
    Section 6.1; the factor is not from the paper.
    """

    gamma: float | str = "scale"
    rank: int | str | None = "auto"
    random_state: int | np.random.RandomState | None = None

    _parameter_constraints: ClassVar[dict] = {
        "gamma": [POSITIVE, words("auto", "scale")],
        "rank": [COUNT, words("auto"), None],
        "random_state": [SEED],
    }

    def fit(self, X, Y):
        """Learn from X (n_examples, n_features) and label sets Y (n_examples, n_labels)."""
        self.fit_transform(X, Y)
        return self

    def _training_bags(self, X):
        # One call fits the factor to the differences, and gives their features.
        self.gamma_ = kernels.kernel_gamma(self.gamma, X)
        self.factor_ = kernels.KernelFactor(
            gamma=self.gamma_, rank=self.rank, random_state=self.random_state
        )
        bags = super()._transform(X)
        return bags.with_rows(self.factor_.fit_transform(bags.rows))

    def _transform(self, X):
        bags = super()._transform(X)
        return bags.with_rows(self.factor_.transform(bags.rows))


@dataclass(kw_only=True, eq=False, repr=False)
class NeighbourMeans(PrototypeDifferences):
    """Transformer of x into n_labels instances: for label l the mean of the k nearest with label l.

    In ``fit_transform`` an example is not its own neighbour; ``transform`` takes all as new ones.
    Without a neighbour the instance is the prototype.

    Parameters
    ----------
    n_neighbors : int >= 1, default 10
        The k, or all examples with the label if there are fewer.

    Attributes
    ----------
    prototypes_ : array (n_labels, n_features)
        Means of the examples with each label; the overall mean for a label without any.
    X_fit_ : array (n_examples, n_features)
        The training examples.
    Y_fit_ : array (n_examples, n_labels)
        Their label sets.

    References
    ----------
    An alternative of Section 6.1.
    """

    n_neighbors: int = 10

    _parameter_constraints: ClassVar[dict] = {"n_neighbors": [COUNT]}

    def _fit(self, X, Y):
        super()._fit(X, Y)
        self.X_fit_, self.Y_fit_ = X, Y

    def _training_bags(self, X):
        distances = euclidean_distances(X)
        # Only the example itself is excluded: its duplicates are neighbours.
        np.fill_diagonal(distances, np.inf)
        return self._means(distances)

    def _transform(self, X):
        return self._means(euclidean_distances(X, self.X_fit_))

    def _means(self, distances):
        examples = _dense(self.X_fit_)
        means = np.empty((len(distances), *self.prototypes_.shape))
        for label, prototype in enumerate(self.prototypes_):
            members = np.flatnonzero(self.Y_fit_[:, label])
            to_members = distances[:, members]
            neighbours = nearest(to_members, min(self.n_neighbors, len(members)))
            to_neighbours = np.take_along_axis(to_members, neighbours, axis=1)
            # An example itself is infinitely far, and no neighbour.
            near = np.isfinite(to_neighbours)[..., None]
            sums = np.where(near, examples[members[neighbours]], 0.0).sum(axis=1)
            n_near = near.sum(axis=1)  # (n_examples, 1)
            means[:, label] = np.where(n_near, sums / np.maximum(n_near, 1), prototype)
        rows = means.reshape(-1, means.shape[-1])
        return Bags(rows, np.arange(0, len(rows) + 1, len(self.prototypes_)))


class SingleInstances(PrototypeDifferences):
    """Transformer of x into the bag {x}, for comparison. It has no parameters.

    Attributes
    ----------
    prototypes_ : array (n_labels, n_features)
        As in :class:`PrototypeDifferences`; they are not used.

    References
    ----------
    Section 6.1: without differentiation.
    """

    def _transform(self, X):
        rows = _dense(X)
        return Bags(rows, np.arange(len(rows) + 1))


def _dense(X):
    return X.toarray() if hasattr(X, "toarray") else X
