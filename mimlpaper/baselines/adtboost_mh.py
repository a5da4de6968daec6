"""AdtBoost.MH: one alternating decision tree for all labels, grown by AdaBoost.MH."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

import numpy as np
from numba import njit
from scipy.sparse import csc_array, issparse
from sklearn.utils.validation import check_is_fitted, validate_data

from mimlpaper.base import MultiLabelEstimator, check_labels

__all__ = ["AdtBoostMH"]

GRID = 2.0**-51  # weights are multiples of it; their total is at most about 1


class AdtBoostMH(MultiLabelEstimator):
    """Boosted rules that share their tests among the labels and hang together as a tree.

    The score of label l is f(x, l) = a_0[l] + sum_t r_t(x)[l]. A rule r_t has a precondition
    c_1, which is "true" or an earlier precondition and one outcome of its rule's test, and a
    test c_2 of the form x[feature] <= threshold. It says a_t where c_1 and c_2 hold, b_t where
    only c_1 does, and nothing elsewhere.

    With weights w(i, l) = exp(-y_il f(x_i, l)) / (m Q) over m examples and Q labels, and
    W_+^l(c), W_-^l(c) their sums over the examples in c that have the label l, or lack it,
    each round takes the pair (c_1, c_2) that minimises

        Z = 2 sum_l [sqrt(W_+^l(c_1 & c_2) W_-^l(c_1 & c_2))
                     + sqrt(W_+^l(c_1 & ~c_2) W_-^l(c_1 & ~c_2))] + W(~c_1),

    W(~c_1) being the weight of all labels of the examples outside c_1, and sets
    a[l] = 1/2 log((W_+^l(c_1 & c_2) + eps) / (W_-^l(c_1 & c_2) + eps)), and b[l] likewise.

    Choose it for a small readable model (:meth:`to_text`), or for features on unlike scales:
    only the order of a feature's values matters.

    Parameters
    ----------
    n_rounds : int, default 25
        Number of rules, the root a_0 not counted.
    smoothing : float > 0, default 1.0
        eps in units of an example's initial weight 1 / (m Q). Weights are never renormalised,
        so that 1 is the +1 on unit weights of Freund and Mason.
    label_rule : {"sign", "top"}, default "sign"

    Attributes
    ----------
    n_rounds_ : int
        Number of rules found: ``n_rounds``, or 0 if all examples are alike or no label has
        both classes (a test may be used again, so there is no stop in between).
    root_values_ : (n_labels,), a_0.
    precondition_ : (n_rounds_,)
        Node that the rule hangs from: 0 is "true", 2t + 1 and 2t + 2 are the outcomes yes
        and no of the test of rule t = 0, 1, …
    feature_, threshold_ : (n_rounds_,)
    values_ : (n_rounds_, 2, n_labels), a and b.
    z_ : (n_rounds_,)
        Z of each rule: but for smoothing, what the rule lowers the total weight to, which is
        the training loss. Labels with one class only are left out of it.

    Notes
    -----
    Thresholds lie midway between neighbouring distinct values of the examples in c_1. Among
    equal Z the first precondition is taken, then the first feature, then the lowest
    threshold. Weights are rounded up to multiples of 2^-51, whose sums are exact in any order,
    so that splits into the same sets tie exactly. A label with one class only keeps its root
    value as score.

    References
    ----------
    De Comité, Gilleron and Tommasi, Learning multi-label alternating decision trees from texts
    and data, Machine Learning and Data Mining in Pattern Recognition, LNCS 2734, 2003.
    Freund and Mason, The alternating decision tree learning algorithm, ICML, 1999.
    Schapire and Singer, Improved boosting algorithms using confidence-rated predictions,
    Machine Learning 37(3), 1999.
    """

    def __init__(self, *, n_rounds=25, smoothing=1.0, label_rule="sign"):
        self.n_rounds = n_rounds
        self.smoothing = smoothing
        self.label_rule = label_rule

    def fit(self, X, Y):
        """Fit on X (n_examples, n_features), dense or sparse, and Y (n_examples, n_labels)."""
        self._check_label_rule()
        if self.n_rounds < 1:
            raise ValueError(f"n_rounds must be at least 1, got {self.n_rounds}")
        if not 0 < self.smoothing < np.inf:
            raise ValueError(f"smoothing must be positive and finite, got {self.smoothing}")
        X = validate_data(self, X, accept_sparse="csc", dtype=np.float64)
        Y = check_labels(Y, X.shape[0])
        self._warn_constant_labels(Y)
        self.n_labels_ = Y.shape[1]

        columns = _sorted_columns(X)
        sides = np.hstack([Y, ~Y])  # (n_examples, 2 n_labels): counted in W_+, in W_-
        signs = np.where(Y, 1.0, -1.0)
        varying = Y.any(axis=0) & ~Y.all(axis=0)
        epsilon = self.smoothing / Y.size

        self.root_values_ = _half_log_odds(sides.sum(axis=0) / Y.size, epsilon)
        scores = np.tile(self.root_values_, (len(Y), 1))  # (n_examples, n_labels)
        nodes = [np.ones(len(Y), dtype=bool)]  # the examples of each precondition
        rules = []
        while len(rules) < self.n_rounds and varying.any():
            weights = _on_grid(np.exp(-signs * scores) / Y.size * varying)
            weights = np.tile(weights, 2) * sides  # (n_examples, 2 n_labels)
            splits = [_best_split(inside, weights, *columns) for inside in nodes]
            precondition = int(np.argmin([z for z, _, _ in splits]))
            z, feature, threshold = splits[precondition]
            if z == np.inf:
                break
            outcomes = _outcomes(nodes[precondition], _column(X, feature), threshold)
            values = [_half_log_odds(weights[inside].sum(axis=0), epsilon) for inside in outcomes]
            scores += _vote(outcomes, values)
            nodes += outcomes
            rules.append((z, precondition, feature, threshold, values))
        self.n_rounds_ = len(rules)
        self.z_ = np.array([rule[0] for rule in rules])
        self.precondition_ = np.array([rule[1] for rule in rules], dtype=int)
        self.feature_ = np.array([rule[2] for rule in rules], dtype=int)
        self.threshold_ = np.array([rule[3] for rule in rules])
        self.values_ = np.array([rule[4] for rule in rules]).reshape(-1, 2, self.n_labels_)
        return self

    def decision_function(self, X) -> np.ndarray:
        """Scores f(x, l): (n_examples, n_labels)."""
        return deque(self._stages(X), maxlen=1).pop()

    def staged_decision_function(self, X) -> Iterator[np.ndarray]:
        """Scores (n_examples, n_labels) after each round, ``n_rounds_`` of them."""
        stages = self._stages(X)
        next(stages)
        yield from stages

    def _stages(self, X):
        """Scores of the root, then after each round."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csc", dtype=np.float64, reset=False)
        scores = np.tile(self.root_values_, (X.shape[0], 1))
        nodes = [np.ones(X.shape[0], dtype=bool)]
        yield scores
        for t in range(self.n_rounds_):
            column = _column(X, self.feature_[t])
            nodes += _outcomes(nodes[self.precondition_[t]], column, self.threshold_[t])
            scores = scores + _vote(nodes[-2:], self.values_[t])
            yield scores

    def to_text(
        self,
        feature_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> str:
        """The tree as a table: what each node adds to the scores of the labels.

        A node holds for an example if its own test and those it is indented under do; the
        number before the test is that of the round. Features are called x0, x1, … and labels
        y0, y1, … unless named.
        """
        check_is_fitted(self)
        features = _names("feature_names", feature_names, "x", self.n_features_in_)
        labels = _names("label_names", label_names, "y", self.n_labels_)
        lines = [("true", self.root_values_)]
        for t, outcome, depth in self._below(0):
            sign = ("<=", ">")[outcome]
            test = f"{features[self.feature_[t]]} {sign} {self.threshold_[t]:.6g}"
            lines.append((f"{'   ' * depth}{t + 1}: {test}", self.values_[t, outcome]))
        width = max(len(node) for node, _ in lines)
        cells = [max(len(label), 6) + 2 for label in labels]
        text = [" " * width + "".join(map(str.rjust, labels, cells))]
        for node, values in lines:
            numbers = (f"{value:+{cell}.3f}" for value, cell in zip(values, cells, strict=True))
            text.append(f"{node:<{width}}" + "".join(numbers))
        return "\n".join(text)

    def _below(self, node, depth=0):
        """Rule, outcome and depth of every node below one, in the order of the tree."""
        for t in np.flatnonzero(self.precondition_ == node):
            for outcome in (0, 1):
                yield t, outcome, depth
                yield from self._below(2 * t + 1 + outcome, depth + 1)


def _half_log_odds(weights, epsilon):
    """1/2 log((W_+ + eps) / (W_- + eps)) from W_+ and W_-, one after the other: (n_labels,)."""
    positive, negative = np.split(weights + epsilon, 2)
    return 0.5 * np.log(positive / negative)


def _on_grid(weights):
    """Weights rounded up, so that every sum of them is exact, in any order, and none is lost."""
    return np.ceil(weights / GRID) * GRID


def _column(X, feature):
    return X[:, [feature]].toarray()[:, 0] if issparse(X) else X[:, feature]


def _outcomes(inside, column, threshold):
    """The examples inside a precondition that pass the test, and those that fail it."""
    passing = column <= threshold
    return [inside & passing, inside & ~passing]


def _vote(outcomes, values):
    """What a rule adds to the scores: (n_examples, n_labels)."""
    return np.column_stack(outcomes).astype(np.float64) @ values


def _names(argument, names, prefix, n_names):
    if names is None:
        return [f"{prefix}{i}" for i in range(n_names)]
    if len(names) != n_names:
        raise ValueError(f"{argument} must hold {n_names} names, got {len(names)}")
    return list(names)


def _sorted_columns(X):
    """Entries of each column by rising value: values, rows, and where each column starts.

    The examples at zero, dense or sparse, make one entry of their column; its row is
    n_examples.
    """
    n_examples, n_features = X.shape
    X = csc_array(X, copy=True)
    X.sum_duplicates()
    X.eliminate_zeros()
    n_entries = np.diff(X.indptr)
    with_zeros = np.flatnonzero(n_entries < n_examples)
    values = np.append(X.data, np.zeros(len(with_zeros)))
    rows = np.append(X.indices, np.full(len(with_zeros), n_examples))
    columns = np.append(np.repeat(np.arange(n_features), n_entries), with_zeros)
    order = np.lexsort((rows, values, columns))
    starts = np.searchsorted(columns[order], np.arange(n_features + 1))
    return values[order], rows[order], starts


@njit(cache=True, nogil=True)
def _best_split(inside, weights, values, rows, starts):
    """Z, feature and threshold of the best test under one precondition; Z = inf if none is."""
    zeros, n_sides = weights.shape  # zeros: one more row, all examples where a feature is 0
    weights = np.concatenate((weights, np.zeros((1, n_sides))))
    n_inside = inside.sum()
    inside = np.append(inside, False)
    mass = np.zeros(n_sides)  # of the precondition
    for row in range(zeros):
        if inside[row]:
            mass += weights[row]
    outside = weights.sum() - mass.sum()

    best_z, best_feature, best_threshold = np.inf, -1, 0.0
    for feature in range(len(starts) - 1):
        column = slice(starts[feature], starts[feature + 1])
        weights[zeros] = mass
        n_zeros = n_inside
        for row in rows[column]:
            if inside[row] and row != zeros:
                n_zeros -= 1
                for side in range(n_sides):
                    weights[zeros, side] -= weights[row, side]
        inside[zeros] = n_zeros > 0
        roots, threshold = _best_threshold(values[column], rows[column], inside, weights, mass)
        if outside + 2 * roots < best_z:
            best_z, best_feature, best_threshold = outside + 2 * roots, feature, threshold
    return best_z, best_feature, best_threshold


@njit(cache=True, nogil=True)
def _best_threshold(values, rows, inside, weights, mass):
    """The least sum of square roots in Z over the thresholds of one column, and its place."""
    n_labels = len(mass) // 2
    roots = np.empty(n_labels)
    left = np.zeros(2 * n_labels)  # weight up to the threshold
    best, below, above = np.inf, 0.0, 0.0
    previous = np.nan
    for k in range(len(rows)):
        row = rows[k]
        if not inside[row]:
            continue
        if values[k] > previous:
            for label in range(n_labels):
                plus, minus = left[label], left[n_labels + label]
                rest_plus, rest_minus = mass[label] - plus, mass[n_labels + label] - minus
                roots[label] = np.sqrt(plus * minus) + np.sqrt(rest_plus * rest_minus)
            total = 0.0
            for label in range(n_labels):
                total += roots[label]
            if total < best:
                best, below, above = total, previous, values[k]
        for side in range(2 * n_labels):
            left[side] += weights[row, side]
        previous = values[k]
    middle = 0.5 * below + 0.5 * above
    return best, middle if middle < above else below
