"""mi-SVM, MI-SVM and CH-FD: linear functions of a bag's instances, for one binary label."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.exceptions import ConvergenceWarning

from mimlpaper.bags import Bags
from mimlpaper.base import BagClassifier, check_bags, check_parameters
from mimlpaper.kernels import KernelFactor, kernel_width
from mimlpaper.linear_svm import Examples, fit_linear_svm


@dataclass(kw_only=True, eq=False, repr=False)
class KernelFeatures:
    """Mixin of learners on features φ of instances, whose inner products are a kernel."""

    kernel: str = "rbf"
    gamma: float | str = "scale"
    rank: int | str | None = "auto"
    random_state: int | np.random.RandomState | None = None

    def _start(self, bags):
        self.gamma_ = kernel_width(self.gamma, bags.instances)
        names = ("kernel", "rank", "random_state", "degree", "coef0")
        settings = {name: getattr(self, name) for name in names if hasattr(self, name)}
        self.factor_ = KernelFactor(gamma=self.gamma_, **settings)

    def _fit_features(self, bags) -> Bags:
        self._start(bags)
        return bags.with_instances(self.factor_.fit_transform(bags.instances))

    def _features(self, X) -> Bags:
        bags = check_bags(X, self)
        return bags.with_instances(self.factor_.transform(bags.instances))


@dataclass(kw_only=True, eq=False, repr=False)
class HighestInstance(KernelFeatures):
    """Mixin of learners with ``instance_scores``, whose bags score as their highest instance."""

    degree: int = 3
    coef0: float = 1.0

    def instance_scores(self, X) -> np.ndarray:
        raise NotImplementedError

    def _check(self, X, y):
        check_parameters(self)
        bags = check_bags(X, self, reset=True)
        return bags, self._learn_classes(y, len(bags))

    def decision_function(self, X) -> np.ndarray:
        """Largest instance score of each bag: (n_bags,)."""
        bags = check_bags(X)
        return bags.max(self.instance_scores(bags))


@dataclass(kw_only=True, eq=False, repr=False)
class _MiSvm(HighestInstance, BagClassifier):
    C: float = 1.0
    max_alternations: int = 50
    tol: float = 1e-4

    def staged_decision_function(self, X) -> Iterator[np.ndarray]:
        """Scores of the bags after each alternation: n_alternations_ times (n_bags,)."""
        features = self._features(X)
        for weights, intercept in zip(self.weights_, self.intercepts_, strict=True):
            yield features.max(features.instances @ weights + intercept)

    def instance_scores(self, X) -> np.ndarray:
        """Signed distances f(x), in margins: (n_instances,)."""
        return self._features(X).instances @ self.weights_[-1] + self.intercepts_[-1]

    def _alternate(self, hidden, train, infer):
        """Alternate until hidden values repeat; returns the values of the last machine."""
        machines, seen = [], set()
        self.converged_, inferred = False, hidden
        while not self.converged_ and len(machines) < self.max_alternations:
            hidden = inferred
            seen.add(hidden.tobytes())
            machines.append(train(hidden, machines[-1] if machines else None))
            inferred = infer(machines[-1])
            self.converged_ = inferred.tobytes() in seen
        self.n_alternations_ = len(machines)
        self.weights_ = np.array([machine.weights for machine in machines])
        self.intercepts_ = np.array([machine.intercept for machine in machines])
        self.objective_ = np.array([machine.primal for machine in machines])
        self.gaps_ = np.array([machine.gap for machine in machines])
        return hidden


class MiSvmInstance(_MiSvm):
    """mi-SVM: the largest margin over all labellings of the instances that agree with the bags.

    It minimises ½||w||² + C Σ_i max(0, 1 - y_i f(x_i)) over f = <w, phi> + b and labels y_i, where
    y_i = -1 throughout a negative bag and y_i = 1 at least once in a positive bag. A bag scores
    max_i f(x_i). Training alternates between machine and labels, from all instances of positive
    bags positive. Choose it when one positive instance makes its bag positive.
    Source: Andrews, Tsochantaridis and Hofmann, Support vector machines for multiple-instance
    learning, NIPS 15, 2003.

    Parameters
    ----------
    kernel, gamma, degree, coef0, rank, random_state : see :class:`~mimlpaper.kernels.KernelFactor`
        Defaults are "rbf", "scale", 3, 1, "auto" and None.
    C, max_alternations : float, default 1.0; int, default 50, the most machines trained.
    tol : float, default 1e-4, duality gap of a solved machine, as a share of the objective.

    Attributes
    ----------
    factor_, gamma_ : KernelFactor, fitted on the training instances, and its width.
    weights_, intercepts_ : (n_alternations_, rank), (n_alternations_,), a machine in each row.
    objective_, gaps_ : (n_alternations_,), objective and relative duality gap of each machine.
    instance_labels_, converged_ : (n_instances,), the last labels; bool, whether labels repeated.
    """

    def fit(self, X, y, examples: Examples | None = None):
        """Fit on bags X and two-class labels y (n_bags,); ``examples``: prepared instances of X."""
        bags, positive = self._check(X, y)
        bags = self._fit_features(bags)
        examples = examples or Examples(bags.instances)
        possible = np.repeat(positive, bags.sizes)  # (n_instances,)

        def train(labels, previous):
            return fit_linear_svm(examples, labels, self.C, start=previous, tol=self.tol)

        def infer(machine):
            scores = machine.decision_function(bags.instances)
            labels = possible & (scores > 0)
            labels[_witnesses(bags, scores)[positive]] = True
            return labels

        self.instance_labels_ = self._alternate(possible, train, infer)
        return self


class MiSvmBag(_MiSvm):
    """MI-SVM: the largest margin of bags, where a bag has the margin of its highest instance.

    It minimises ½||w||² + C Σ_I max(0, 1 - Y_I max_{i in I} f(x_i)) over f = <w, phi> + b. Training
    alternates between the machine and the point of each positive bag: its mean, then its highest
    instance. Choose it over :class:`MiSvmInstance`, which has the same parameters, attributes
    (without ``instance_labels_``) and source, when the other instances are no evidence.
    """

    def fit(self, X, y):
        """Fit on bags X and labels y (n_bags,) of two classes; the second is positive."""
        bags, positive = self._check(X, y)
        self._start(bags)
        means = bags.mean(bags.instances)[positive]  # the first machine is trained on them
        features = self.factor_.fit_transform(np.concatenate([bags.instances, means]))
        bags, means = bags.with_instances(features[: -len(means)]), features[-len(means) :]
        negatives, n_positive = bags[~positive], len(means)
        # One slack for each chosen instance, and one for each negative bag.
        offsets = np.concatenate([np.arange(n_positive), n_positive + negatives.offsets])
        labels = np.arange(offsets[-1]) < n_positive

        def train(chosen, previous):
            Z = np.concatenate([chosen, negatives.instances])
            return fit_linear_svm(Z, labels, self.C, offsets=offsets, start=previous, tol=self.tol)

        def infer(machine):
            scores = machine.decision_function(bags.instances)
            return bags.instances[_witnesses(bags, scores)[positive]]

        self._alternate(means, train, infer)
        return self


def _witnesses(bags: Bags, scores: np.ndarray) -> np.ndarray:
    """Row of each bag's first highest score: (n_bags,)."""
    highest = np.flatnonzero(scores == np.repeat(bags.max(scores), bags.sizes))
    first = np.unique(bags.bag_of_instance[highest], return_index=True)[1]
    return highest[first]


@dataclass(kw_only=True, eq=False, repr=False)
class ChFd(HighestInstance, BagClassifier):
    """Convex-hull Fisher discriminant for bags with one binary label.

    A positive bag is represented by a point h_j in the convex hull of its instances, a negative
    bag by all its instances x_i. Over f(x) = <w, x> + b and the points h_j it minimises

        ||w||² + ν (Σ_j (1 - f(h_j))² + Σ_i (-1 - f(x_i))²),

    where the residuals of each class sum to 0. A bag scores max_i f(x_i). Training alternates
    between Fisher's discriminant for fixed points, one linear system, and, for a fixed f, the
    closest values f(h_j) with the same sum. Choose it for speed, or for positive bags without a
    single typical instance. Source: Fung, Dundar, Krishnapuram and Rao, Multiple instance learning
    for computer aided diagnosis, NIPS 19, 2007.

    Parameters
    ----------
    nu : float, default 1.0, weight ν of the residuals.
    tol : float, default 1e-3, least gain of an alternation, as a share of the objective.
    max_alternations : int, default 200; a ConvergenceWarning if they were not enough.
    kernel, gamma, degree, coef0, rank, random_state : see :class:`MiSvmInstance`; same defaults.

    Attributes ``weights_`` (rank,), ``intercept_``, ``hull_points_`` (n_positive, rank), the w, b
    and h_j, and ``objective_`` (n_alternations_,), of each discriminant.
    """

    nu: float = 1.0
    tol: float = 1e-3
    max_alternations: int = 200

    def fit(self, X, y):
        """Fit on bags X and labels y (n_bags,) of two classes; the second is positive."""
        bags, positive = self._check(X, y)
        features = self._fit_features(bags)
        bags, negatives = features[positive], features[~positive].instances
        base = np.eye(bags.n_features) + self.nu * _scatter(negatives)
        negative_mean = negatives.mean(axis=0)
        points, objective = bags.mean(bags.instances), []
        for _ in range(self.max_alternations):
            mean = points.mean(axis=0)
            weights, b, value = _fisher(base + self.nu * _scatter(points), mean, negative_mean)
            objective.append(value)
            if len(objective) > 1 and objective[-2] - value <= self.tol * objective[-2]:
                break
            points = _move(points, bags, weights)
        else:
            turns = f"max_alternations={self.max_alternations} turns, to {value:.3g}"
            message = f"the hull points still lower the objective after {turns}"
            warnings.warn(message, ConvergenceWarning, stacklevel=2)
        self.weights_, self.intercept_, self.hull_points_ = weights, b, points
        self.objective_, self.n_alternations_ = np.array(objective), len(objective)
        return self

    def instance_scores(self, X) -> np.ndarray:
        """f(x): (n_instances,)."""
        return self._features(X).instances @ self.weights_ + self.intercept_


def _scatter(points):
    centred = points - points.mean(axis=0)
    return centred.T @ centred


def _fisher(M, mean, negative_mean):
    """w and b with the least <w, M w>, f(mean) = 1 and f(negative_mean) = -1; and <w, M w>."""
    difference = mean - negative_mean
    if not difference.any():
        raise ValueError("X must tell the classes apart: their mean instances are the same")
    direction = cho_solve(cho_factor(M), difference)
    w = 2.0 * direction / (difference @ direction)
    return w, float(-0.5 * w @ (mean + negative_mean)), float(w @ M @ w)


def _move(points: np.ndarray, bags: Bags, w: np.ndarray) -> np.ndarray:
    """Points of the hulls with the same sum of values <w, h> and the least differences."""
    values, heights = points @ w, bags.instances @ w
    order = np.lexsort((heights, bags.bag_of_instance))
    lowest, highest = order[bags.offsets[:-1]], order[bags.offsets[1:] - 1]  # (n_bags,)
    # clip(τ, least, most) for the τ at which its sum, piecewise linear in τ, is that of the values.
    least, most = heights[lowest], heights[highest]
    knots = np.unique(np.concatenate([least, most]))
    sums = np.clip(knots[:, None], least, most).sum(axis=1)
    wanted = np.clip(np.interp(values.sum(), sums, knots), least, most)
    towards = np.where(wanted > values, highest, lowest)
    room = heights[towards] - values
    steps = np.divide(wanted - values, room, out=np.zeros_like(room), where=room != 0)
    steps = np.clip(steps, 0.0, 1.0)[:, None]
    return (1.0 - steps) * points + steps * bags.instances[towards]
