"""AdtBoost.MH: one alternating decision tree for all labels, grown by AdaBoost.MH."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar, NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csc_array, issparse
from sklearn.utils.validation import check_is_fitted

from mimlpaper.base import VectorEstimator, check_vectors
from mimlpaper.compiled import compiled
from mimlpaper.computing import progress
from mimlpaper.parameters import COUNT, POSITIVE, VERBOSITY
from mimlpaper.sharing import shared

GRID = 2.0**-51  # weights are multiples of it: sums are exact, and equal splits tie
STRETCH = 25  # after each so many rounds tests are kept, and a longer run begins with them


@dataclass(kw_only=True, eq=False, repr=False)
class AdtBoostMH(VectorEstimator):
    """Alternating decision tree of boosted rules whose tests are shared by all labels.

    The score of label l is f(x, l) = a_0[l] + sum_t r_t(x)[l]. A rule r_t has a test c_2 of the
    form x[feature] <= threshold, and a precondition c_1: "true", or an earlier precondition with
    one outcome of its rule's test. It is a_t where c_1 and c_2 hold, b_t where only c_1 holds, and
    0 elsewhere. With W_+^l(c) and W_-^l(c), the weights w(i, l) = exp(-y_il f(x_i, l)) / (m Q) of
    the examples in c that have label l, or lack it, each round minimises over (c_1, c_2)

        Z = 2 sum_l [sqrt(W_+^l(c_1 & c_2) W_-^l(c_1 & c_2))
                     + sqrt(W_+^l(c_1 & ~c_2) W_-^l(c_1 & ~c_2))] + W(~c_1)

    and sets a[l] = 1/2 log((W_+^l(c_1 & c_2) + eps) / (W_-^l(c_1 & c_2) + eps)), b[l] likewise.
    Of equal Z the first precondition is taken, then the first feature, then the lowest threshold. A
    label that all or no training examples have is left out of Z; its a and b are 0.

    Choose it for a small readable model (:meth:`to_text`), or for features on different scales.

    Parameters
    ----------
    n_rounds : int >= 1, default 25
        Number of rules; the root a_0 is not counted.
    smoothing : float > 0, default 1.0
        The eps, in units of an example's initial weight 1 / (m Q).
    label_rule : {"sign", "top"}, default "sign"
        Labels with a positive score, or the T-Criterion: at least the label with the highest.
    verbose : int, default 0
        1 shows a bar on stderr that moves with each rule.

    Attributes
    ----------
    n_rounds_ : int
        ``n_rounds``, or 0 if all examples are equal or no label has both classes.
    precondition_ : array (n_rounds_,)
        The node above each rule: 0 is "true", 2t + 1 and 2t + 2 are the outcomes yes and no of the
        test of rule t = 0, 1, …
    feature_, threshold_, z_ : array (n_rounds_,)
        The test and the Z of each rule.
    root_values_ : array (n_labels,)
        The a_0.
    values_ : array (n_rounds_, 2, n_labels)
        The a and b of each rule.
    label_names_ : array (n_labels,)
        Names of the labels.

    References
    ----------
    De Comité, Gilleron and Tommasi, Learning multi-label alternating decision trees from texts and
    data, MLDM 2003; Freund and Mason, The alternating decision tree algorithm, ICML 1999.
    """

    n_rounds: int = 25
    smoothing: float = 1.0
    label_rule: str = "sign"
    verbose: int = 0

    _parameter_constraints: ClassVar[dict] = {
        "n_rounds": [COUNT],
        "smoothing": [POSITIVE],
        "verbose": [VERBOSITY],
    }

    def staged_decision_function(self, X) -> Iterator[np.ndarray]:
        """Scores (n_examples, n_labels) after each of the ``n_rounds_`` rounds."""
        return islice(self._stages(self._check_X(X, reset=False)), 1, None)

    def _check_X(self, X, *, reset):
        return check_vectors(self, X, reset=reset, sparse="csc", offset=True)

    def _fit(self, X, Y):
        self.root_values_ = _root_values(Y, self.smoothing)
        rules = shared(_grow, X, Y, self.smoothing, self.n_rounds, verbose=self.verbose)
        self.n_rounds_ = len(rules)
        self.z_ = np.array([rule.test.z for rule in rules])
        self.precondition_ = np.array([rule.test.precondition for rule in rules])
        self.feature_ = np.array([rule.test.feature for rule in rules])
        self.threshold_ = np.array([rule.test.threshold for rule in rules])
        values = np.array([rule.values for rule in rules])
        self.values_ = values.reshape(-1, 2, self.n_labels_)

    def _scores(self, X):
        """Scores f(x, l): (n_examples, n_labels)."""
        return deque(self._stages(X), maxlen=1).pop()

    def _stages(self, X):
        scores = np.tile(self.root_values_, (X.shape[0], 1))
        nodes = [np.ones(X.shape[0], dtype=bool)]
        yield scores
        for t in range(self.n_rounds_):
            node = nodes[self.precondition_[t]]
            nodes += _outcomes(X, node, self.feature_[t], self.threshold_[t])
            scores = scores + np.column_stack(nodes[-2:]) @ self.values_[t]
            yield scores

    def to_text(self) -> str:
        """What each node adds to the scores, as a table with names of features and labels.

        Rules are numbered from 1 here.
        """
        check_is_fitted(self)
        numbered = [f"x{i}" for i in range(self.n_features_in_)]
        feature_names = getattr(self, "feature_names_in_", numbered)
        nodes = ["true"]
        values = [self.root_values_]
        for t, outcome, depth in self._below(0):
            name = feature_names[self.feature_[t]]
            sign = ("<=", ">")[outcome]
            indent = "   " * depth
            nodes.append(f"{indent}{t + 1}: {name} {sign} {self.threshold_[t]:.6g}")
            values.append(self.values_[t, outcome])
        width = max(map(len, nodes))
        table = pd.DataFrame(values, [node.ljust(width) for node in nodes], self.label_names_)
        return table.to_string(float_format="{:+.3f}".format)

    def _below(self, node, depth=0):
        """Rule, outcome and depth of every node below ``node``, in the order of the tree."""
        for t in np.flatnonzero(self.precondition_ == node):
            for outcome in (0, 1):
                yield t, outcome, depth
                yield from self._below(2 * t + 1 + outcome, depth + 1)


class Test(NamedTuple):
    """The test of a rule below a precondition, and its Z."""

    z: float  # inf if no test tells examples apart
    precondition: int
    feature: int
    threshold: float


class Rule(NamedTuple):
    """A test, and what its two outcomes add to the scores."""

    test: Test
    values: np.ndarray  # a and b: (2, n_labels)


def _grow(X, Y, smoothing, n_rounds, *, verbose=0) -> list[Rule]:
    """The rules. A longer run takes over the tests of a shorter one; all else is computed again."""
    n_known = (n_rounds - 1) // STRETCH * STRETCH
    known = shared(_grow, X, Y, smoothing, n_known, verbose=verbose) if n_known else []
    epsilon = smoothing / Y.size
    varying = Y.any(axis=0) & ~Y.all(axis=0)
    signs = np.where(Y, 1.0, -1.0)
    scores = np.tile(_root_values(Y, smoothing), (len(Y), 1))  # (n_examples, n_labels)
    nodes = [np.ones(len(Y), dtype=bool)]  # the examples of each precondition
    columns = [_sorted_columns(X)]  # of these examples
    rules: list[Rule] = []
    for _ in progress(range(n_rounds), "AdtBoostMH, rules", verbose):
        if not varying.any():
            break
        weights = np.exp(-signs * scores) / Y.size * varying
        # Rounded up, so that no positive weight becomes 0.
        weights = signs * np.ceil(weights / GRID) * GRID
        if len(rules) < len(known):
            test = known[len(rules)].test
        else:
            test = _best_test(nodes, columns, weights)
        if test.z == np.inf:
            break
        outcomes = _outcomes(X, nodes[test.precondition], test.feature, test.threshold)
        values = np.array([_vote(weights[inside], epsilon) for inside in outcomes])
        rules.append(Rule(test, values))
        scores += np.column_stack(outcomes) @ values
        nodes += outcomes
        columns += [_restrict(inside, *columns[test.precondition]) for inside in outcomes]
    return rules


def _root_values(Y, smoothing):
    have = Y.sum(axis=0) / Y.size
    lack = (~Y).sum(axis=0) / Y.size
    return _half_log_odds(have, lack, smoothing / Y.size)


def _sides(weights):
    """W_+ and W_- of examples, from weights that are negative where an example lacks the label."""
    return np.maximum(weights, 0.0).sum(axis=0), np.maximum(-weights, 0.0).sum(axis=0)


def _vote(weights, epsilon):
    """The a or b of examples with these weights: (n_labels,)."""
    have, lack = _sides(weights)
    return _half_log_odds(have, lack, epsilon)


def _half_log_odds(have, lack, epsilon):
    """1/2 log((W_+ + eps) / (W_- + eps)): (n_labels,)."""
    return 0.5 * np.log((have + epsilon) / (lack + epsilon))


def _outcomes(X, inside, feature, threshold):
    """The examples inside a precondition that pass the test, and the ones that fail it."""
    column = X[:, [feature]].toarray().ravel() if issparse(X) else X[:, feature]
    passes = column <= threshold
    return [inside & passes, inside & ~passes]


def _sorted_columns(X):
    """Values and rows of each column, sorted, and where columns start.

    All zeros of a column are one entry, whose row is n_examples.
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


@compiled
def _restrict(inside, values, rows, starts):
    """The sorted columns of the examples ``inside``, from those of more examples."""
    n_inside = inside.sum()
    inside = np.append(inside, False)  # the last: whether some example inside has a 0 here
    kept = np.zeros(len(rows), np.bool_)
    kept_starts = np.zeros_like(starts)
    for feature in range(len(starts) - 1):
        column = slice(starts[feature], starts[feature + 1])
        inside[-1] = False
        inside[-1] = inside[rows[column]].sum() < n_inside
        kept[column] = inside[rows[column]]
        kept_starts[feature + 1] = kept_starts[feature] + kept[column].sum()
    return values[kept], rows[kept], kept_starts


def _best_test(nodes, columns, weights) -> Test:
    """The test of least Z over all preconditions."""
    by_label = np.ascontiguousarray(weights.T)
    total = np.abs(weights).sum()
    tests = []
    for node, inside in enumerate(nodes):
        have, lack = _sides(weights[inside])
        outside = total - (have.sum() + lack.sum())
        z, feature, threshold = _best_split(*columns[node], by_label, have, lack, outside)
        tests.append(Test(z, node, feature, threshold))
    return min(tests, key=lambda test: test.z)  # the first of equals


@compiled
def _best_split(values, rows, starts, weights, have, lack, outside):
    """Z, feature and threshold of the best test.

    ``weights`` are negative where an example lacks the label.
    """
    longest = np.diff(starts).max()
    left = np.empty((2, len(have), longest + 1))  # W_+ and W_- below each entry of a column
    sums = np.empty(longest)
    best_z = np.inf
    best_feature = -1
    best_threshold = 0.0
    for feature in range(len(starts) - 1):
        begin, end = starts[feature], starts[feature + 1]
        column = values[begin:end]
        _accumulate(rows[begin:end], weights, have, lack, left)
        roots, place = _least_roots(column, left, have, lack, sums[: len(column)])
        z = outside + 2.0 * roots
        if z < best_z:
            below, above = column[place - 1], column[place]
            middle = 0.5 * below + 0.5 * above
            best_z = z
            best_feature = feature
            # Between neighbouring numbers of floating point the middle may be the upper one.
            best_threshold = middle if middle < above else below
    return best_z, best_feature, best_threshold


@compiled
def _accumulate(rows, weights, have, lack, left):
    """W_+ and W_- of the entries below each entry; the entry at zero holds the rest."""
    n_labels, zero_row = weights.shape
    zero_entries = np.flatnonzero(rows == zero_row)
    zero_entry = zero_entries[0] if len(zero_entries) else len(rows)
    for label in range(n_labels):
        w = weights[label]
        plus = left[0, label]
        minus = left[1, label]
        p, m = 0.0, 0.0
        for k in range(zero_entry):
            plus[k], minus[k] = p, m
            p += max(w[rows[k]], 0.0)
            m += max(-w[rows[k]], 0.0)
        plus[zero_entry], minus[zero_entry] = p, m
        # The examples at zero are not listed. Above them, sums go down from the total.
        p, m = have[label], lack[label]
        for k in range(len(rows) - 1, zero_entry, -1):
            p -= max(w[rows[k]], 0.0)
            m -= max(-w[rows[k]], 0.0)
            plus[k], minus[k] = p, m


@compiled
def _least_roots(values, left, have, lack, roots):
    """The least sum of roots in Z over the places to split a column, and the first such place."""
    roots[:] = 0.0
    for label in range(len(have)):
        plus = left[0, label]
        minus = left[1, label]
        for k in range(len(values)):
            plus_above = have[label] - plus[k]
            minus_above = lack[label] - minus[k]
            below = np.sqrt(plus[k] * minus[k])
            above = np.sqrt(plus_above * minus_above)
            roots[k] += below + above
    least = np.inf
    place = 0
    for k in range(1, len(values)):
        if values[k - 1] < values[k] and roots[k] < least:
            least, place = roots[k], k
    return least, place
