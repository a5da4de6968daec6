"""mi-SVM, MI-SVM and CH-FD: linear functions of the instances' kernel features, for one label."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.exceptions import ConvergenceWarning

from mimlpaper.bags import Bags
from mimlpaper.base import ROUNDING, BagClassifier, check_bags
from mimlpaper.instance_kernels import HighestInstance
from mimlpaper.linear_svm import Examples, LinearSvm, fit_linear_svm
from mimlpaper.parameters import COUNT, POSITIVE


@dataclass(frozen=True, eq=False)
class Alternations:
    """Linear machines f(x) = <w, φ(x)> + b, one an alternation, and the last hidden values.

    Hidden is what a machine is trained on and then infers: in mi-SVM the labels of instances, in
    MI-SVM the points that stand for positive bags.
    """

    weights: np.ndarray  # (n_alternations, n_features)
    intercepts: np.ndarray  # (n_alternations,)
    objective: np.ndarray  # (n_alternations,)
    gaps: np.ndarray  # (n_alternations,), duality gap as a share of the objective
    hidden: np.ndarray  # what the last machine was trained on
    converged: bool  # whether hidden values were those of an earlier machine

    def instance_scores(self, features: Bags) -> np.ndarray:
        """f(x) of the last machine: (n_instances,)."""
        return features.rows @ self.weights[-1] + self.intercepts[-1]

    def staged_scores(self, features: Bags) -> Iterator[np.ndarray]:
        """The largest f(x) of each bag after each alternation: (n_bags,)."""
        for weights, intercept in zip(self.weights, self.intercepts, strict=True):
            yield features.max(features.rows @ weights + intercept)


def constant_machine(value: float, n_features: int) -> Alternations:
    """The machine of a label with one class: f(x) = value."""
    nothing = np.zeros(1)
    return Alternations(
        weights=np.zeros((1, n_features)),
        intercepts=np.array([value]),
        objective=nothing,
        gaps=nothing,
        hidden=np.empty(0),
        converged=True,
    )


def alternate(hidden, train, infer, max_alternations: int) -> Alternations:
    """Train a machine on hidden values and infer them from it, until they repeat or the limit."""
    machines: list[LinearSvm] = []
    machine = None
    # All earlier values count, since alternations may also go round in a cycle.
    seen = set()
    converged = False
    inferred = hidden
    while not converged and len(machines) < max_alternations:
        hidden = inferred
        seen.add(hidden.tobytes())
        machine = train(hidden, machine)
        machines.append(machine)
        inferred = infer(machine)
        converged = inferred.tobytes() in seen
    return Alternations(
        weights=np.array([machine.weights for machine in machines]),
        intercepts=np.array([machine.intercept for machine in machines]),
        objective=np.array([machine.primal for machine in machines]),
        gaps=np.array([machine.gap for machine in machines]),
        hidden=hidden,
        converged=converged,
    )


def alternate_labels(
    features: Bags,
    positive: np.ndarray,
    examples: Examples,
    *,
    C: float,
    max_alternations: int,
    tol: float,
) -> Alternations:
    """mi-SVM on features of bags; at first all instances of positive bags are positive.

    ``positive`` (n_bags,) says which bags are positive. ``examples`` holds the rows of
    ``features`` as a solver takes them, for all labels.
    """
    possible = np.repeat(positive, features.sizes)  # (n_instances,)

    def train(labels, previous):
        return fit_linear_svm(examples, labels, C, start=previous, tol=tol)

    def infer(machine):
        scores = machine.decision_function(features.rows)
        labels = possible & (scores > 0)
        labels[_witnesses(features, scores)[positive]] = True
        return labels

    return alternate(possible, train, infer, max_alternations)


@dataclass(kw_only=True, eq=False, repr=False)
class _MiSvm(HighestInstance, BagClassifier):
    """What mi-SVM and MI-SVM share: parameters, staged scores, fitted attributes."""

    C: float = 1.0
    max_alternations: int = 50
    tol: float = 1e-4

    _parameter_constraints: ClassVar[dict] = {
        "C": [POSITIVE],
        "max_alternations": [COUNT],
        "tol": [POSITIVE],
    }

    def staged_decision_function(self, X) -> Iterator[np.ndarray]:
        """Scores of the bags after each alternation: n_alternations_ times (n_bags,)."""
        features = self._features(check_bags(X, self))
        for weights, intercept in zip(self.weights_, self.intercepts_, strict=True):
            yield features.max(features.rows @ weights + intercept)

    def _instance_scores(self, bags):
        """Signed distances f(x), in units of the margin: (n_instances,)."""
        return self._features(bags).instances @ self.weights_[-1] + self.intercepts_[-1]

    def _keep(self, alternations: Alternations):
        self.weights_ = alternations.weights
        self.intercepts_ = alternations.intercepts
        self.objective_ = alternations.objective
        self.gaps_ = alternations.gaps
        self.converged_ = alternations.converged
        self.n_alternations_ = len(alternations.weights)


class MiSvmInstance(_MiSvm):
    """mi-SVM: the largest margin over all labellings of the instances that agree with the bags.

    It minimises ½||w||² + C Σ_i max(0, 1 - y_i f(x_i)) over f = <w, phi> + b and labels y_i, where
    y_i = -1 throughout a negative bag and y_i = 1 at least once in a positive bag. A bag scores
    max_i f(x_i). Training alternates between machine and labels; at first all instances of positive
    bags are positive. Choose it when one positive instance makes its bag positive.

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
    C : float > 0, default 1.0
        Cost of a hinge loss of 1.
    max_alternations : int >= 1, default 50
        Largest number of machines trained.
    tol : float > 0, default 1e-4
        Duality gap of a solved machine, as a share of the objective.
    random_state : int, RandomState or None, default None
        Draws the landmarks of the kernel's factor.

    Attributes
    ----------
    factor_ : KernelFactor
        Features φ, fitted to the training instances.
    gamma_ : float
        The γ of the kernel.
    weights_ : array (n_alternations_, r)
        The w of the machine of each alternation.
    intercepts_ : array (n_alternations_,)
        The b of each machine.
    objective_, gaps_ : array (n_alternations_,)
        Objective and duality gap, as a share of it, of each machine.
    instance_labels_ : array (n_instances,)
        The labels that the last machine was trained on.
    n_alternations_ : int
        Number of machines.
    converged_ : bool
        Whether the labels were those of an earlier machine.
    classes_ : array (2,)
        The classes of a bag, the positive one last.

    References
    ----------
    Andrews, Tsochantaridis and Hofmann, Support vector machines for multiple-instance learning,
    NIPS 15, 2003.
    """

    def _fit(self, bags, positive):
        features = self._fit_features(bags)
        alternations = alternate_labels(
            features,
            positive,
            Examples(features.instances),
            C=self.C,
            max_alternations=self.max_alternations,
            tol=self.tol,
        )
        self._keep(alternations)
        self.instance_labels_ = alternations.hidden


class MiSvmBag(_MiSvm):
    """MI-SVM: the largest margin of bags, where a bag has the margin of its highest instance.

    It minimises ½||w||² + C Σ_I max(0, 1 - Y_I max_{i in I} f(x_i)) over f = <w, phi> + b. Training
    alternates between the machine and the point of each positive bag: its mean, then its highest
    instance. Choose it over :class:`MiSvmInstance` when the other instances of a positive bag are
    no evidence.

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
    C : float > 0, default 1.0
        Cost of a hinge loss of 1.
    max_alternations : int >= 1, default 50
        Largest number of machines trained.
    tol : float > 0, default 1e-4
        Duality gap of a solved machine, as a share of the objective.
    random_state : int, RandomState or None, default None
        Draws the landmarks of the kernel's factor.

    Attributes
    ----------
    factor_ : KernelFactor
        Features φ, fitted to the training instances and the means of the positive bags.
    gamma_ : float
        The γ of the kernel.
    weights_ : array (n_alternations_, r)
        The w of the machine of each alternation.
    intercepts_ : array (n_alternations_,)
        The b of each machine.
    objective_, gaps_ : array (n_alternations_,)
        Objective and duality gap, as a share of it, of each machine.
    n_alternations_ : int
        Number of machines.
    converged_ : bool
        Whether the points of the positive bags were those of an earlier machine.
    classes_ : array (2,)
        The classes of a bag, the positive one last.

    References
    ----------
    Andrews, Tsochantaridis and Hofmann, Support vector machines for multiple-instance learning,
    NIPS 15, 2003.
    """

    def _fit(self, bags, positive):
        self._start_factor(bags)
        # The first machine is trained on the means.
        means = bags.mean(bags.instances)[positive]
        points = np.concatenate([bags.instances, means])
        features = self.factor_.fit_transform(points)
        features_of_bags = bags.with_instances(features[: bags.n_instances])
        features_of_means = features[bags.n_instances :]
        alternations = self._alternate(features_of_bags, features_of_means, positive)
        self._keep(alternations)

    def _alternate(self, bags: Bags, means: np.ndarray, positive: np.ndarray) -> Alternations:
        negatives = bags[~positive]
        n_positive = len(means)
        # One slack for each chosen instance, and one for each negative bag.
        offsets = np.concatenate([np.arange(n_positive), n_positive + negatives.offsets])
        labels = np.arange(offsets[-1]) < n_positive

        def train(chosen, previous):
            Z = np.concatenate([chosen, negatives.instances])
            return fit_linear_svm(
                Z,
                labels,
                self.C,
                offsets=offsets,
                start=previous,
                tol=self.tol,
            )

        def infer(machine):
            scores = machine.decision_function(bags.instances)
            return bags.instances[_witnesses(bags, scores)[positive]]

        return alternate(means, train, infer, self.max_alternations)


def _witnesses(bags: Bags, scores: np.ndarray) -> np.ndarray:
    """Row of each bag's first highest score: (n_bags,)."""
    best_scores = np.repeat(bags.max(scores), bags.sizes)  # (n_instances,)
    rows = np.flatnonzero(scores == best_scores)
    _, first_places = np.unique(bags.bag_of_instance[rows], return_index=True)
    return rows[first_places]


@dataclass(kw_only=True, eq=False, repr=False)
class ChFd(HighestInstance, BagClassifier):
    """Convex-hull Fisher discriminant for bags with one binary label.

    All takes place among the kernel's features φ. A positive bag is represented by a point h_j in
    the convex hull of its instances, a negative bag by all its instances x_i. Over
    f(x) = <w, x> + b and the points h_j it minimises

        ||w||² + ν (Σ_j (1 - f(h_j))² + Σ_i (-1 - f(x_i))²),

    where the residuals of each class sum to 0. A bag scores max_i f(x_i). Training alternates
    between Fisher's discriminant for fixed points (one linear system) and, for a fixed f, the
    values f(h_j) that are as equal as the hulls allow, with the same sum. Choose it for speed, or
    for positive bags without a single typical instance.

    Parameters
    ----------
    nu : float > 0, default 1.0
        Weight ν of the residuals.
    tol : float > 0, default 1e-3
        Least gain of an alternation, as a share of the objective.
    max_alternations : int >= 1, default 200
        Largest number of alternations; a ConvergenceWarning says that they still gained.
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
    random_state : int, RandomState or None, default None
        Draws the landmarks of the kernel's factor.

    Attributes
    ----------
    factor_ : KernelFactor
        Features φ, fitted to the training instances.
    gamma_ : float
        The γ of the kernel.
    weights_ : array (r,)
        The w.
    intercept_ : float
        The b.
    hull_points_ : array (n_positive, r)
        The h_j.
    objective_ : array (n_alternations_,)
        Objective of each discriminant.
    n_alternations_ : int
        Number of discriminants.
    classes_ : array (2,)
        The classes of a bag, the positive one last.

    References
    ----------
    Fung, Dundar, Krishnapuram and Rao, Multiple instance learning for computer aided diagnosis,
    NIPS 19, 2007.
    """

    nu: float = 1.0
    tol: float = 1e-3
    max_alternations: int = 200

    _parameter_constraints: ClassVar[dict] = {
        "nu": [POSITIVE],
        "tol": [POSITIVE],
        "max_alternations": [COUNT],
    }

    def _fit(self, bags, positive):
        features = self._fit_features(bags)
        positives = features[positive]
        negatives = features[~positive].instances
        fixed_part = np.eye(features.n_features) + self.nu * _scatter(negatives)
        negative_mean = negatives.mean(axis=0)
        moved = positives.mean(positives.instances)
        objective: list[float] = []
        for _ in range(self.max_alternations):
            points = moved
            mean = points.mean(axis=0)
            M = fixed_part + self.nu * _scatter(points)
            weights, intercept, value = _fisher(M, mean, negative_mean)
            objective.append(value)
            if len(objective) > 1 and objective[-2] - value <= self.tol * objective[-2]:
                break
            moved = _move(points, positives, weights)
        else:
            message = f"max_alternations={self.max_alternations} turns ended before the hull points"
            message += f" had settled, at the objective {value:.3g}; raise it, or tol"
            warnings.warn(message, ConvergenceWarning, stacklevel=3)
        self.weights_ = weights
        self.intercept_ = intercept
        self.hull_points_ = points
        self.objective_ = np.array(objective)
        self.n_alternations_ = len(objective)

    def _instance_scores(self, bags):
        """f(x): (n_instances,)."""
        return self._features(bags).instances @ self.weights_ + self.intercept_


def _scatter(points):
    """Σ (x - mean) (x - mean)': (n_features, n_features)."""
    centred = points - points.mean(axis=0)
    return centred.T @ centred


def _fisher(M, mean, negative_mean):
    """w and b with the least <w, M w>, f(mean) = 1 and f(negative_mean) = -1; and <w, M w>."""
    difference = mean - negative_mean
    scale = np.linalg.norm(mean) + np.linalg.norm(negative_mean)
    if np.linalg.norm(difference) <= ROUNDING * scale:
        raise ValueError("X must tell the classes apart: their mean instances are the same")
    direction = cho_solve(cho_factor(M), difference)
    w = 2.0 * direction / (difference @ direction)
    b = -0.5 * w @ (mean + negative_mean)
    return w, float(b), float(w @ M @ w)


def _move(points: np.ndarray, bags: Bags, w: np.ndarray) -> np.ndarray:
    """Points of the hulls with the same sum of values <w, h>, which are as equal as can be."""
    values = points @ w
    heights = bags.instances @ w
    by_height = np.lexsort((heights, bags.bag_of_instance))  # within each bag
    starts, ends = bags.offsets[:-1], bags.offsets[1:]
    lowest, highest = by_height[starts], by_height[ends - 1]  # (n_bags,)
    least = heights[lowest]
    most = heights[highest]
    # The best values are clip(τ, least, most); their sum is piecewise linear in τ.
    knots = np.unique(np.concatenate([least, most]))
    sums = np.clip(knots[:, None], least, most).sum(axis=1)
    tau = np.interp(values.sum(), sums, knots)
    wanted = np.clip(tau, least, most)
    # A point goes towards the end of its bag that lies beyond its wanted value.
    towards = np.where(wanted > values, highest, lowest)
    room = heights[towards] - values
    steps = np.divide(wanted - values, room, out=np.zeros_like(room), where=room != 0)
    steps = np.clip(steps, 0.0, 1.0)[:, None]
    return (1.0 - steps) * points + steps * bags.instances[towards]
