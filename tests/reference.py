"""Slow, obvious versions of what the library does fast."""

import math
from itertools import pairwise, product

import cvxpy as cp
import numpy as np
from scipy.optimize import minimize_scalar


def criteria(Y, scores, predicted):
    """The seven criteria of Section 4.3.1, read off their formulas."""
    values = {
        "hamming_loss": [],
        "one_error": [],
        "coverage": [],
        "ranking_loss": [],
        "average_precision": [],
        "average_recall": [],
    }
    for truth, score, guess in zip(Y, scores, predicted, strict=True):
        labels = range(len(truth))
        true = [y for y in labels if truth[y]]
        false = [y for y in labels if not truth[y]]
        rank = {y: sum(score[z] >= score[y] for z in labels) for y in labels}
        n_wrong = sum(truth[y] != guess[y] for y in labels)
        values["hamming_loss"].append(n_wrong / len(truth))
        if true:
            top_is_false = any(score[y] == max(score) for y in false)
            values["one_error"].append(top_is_false)
            values["coverage"].append(max(rank[y] for y in true) - 1)
            precisions = [sum(rank[z] <= rank[y] for z in true) / rank[y] for y in true]
            values["average_precision"].append(sum(precisions) / len(true))
            n_recalled = sum(rank[y] <= sum(guess) for y in true)
            values["average_recall"].append(n_recalled / len(true))
        if true and false:
            n_wrong = sum(score[y] <= score[z] for y in true for z in false)
            values["ranking_loss"].append(n_wrong / (len(true) * len(false)))
    means = {name: sum(column) / len(column) for name, column in values.items()}
    precision = means["average_precision"]
    recall = means["average_recall"]
    means["average_f1"] = 2 * precision * recall / (precision + recall)
    return means


def ml_knn(X, Y, new, k, s):
    """Ml-kNN's posterior P(H1 | E_C), by loops over the frequencies of the paper."""

    def count(x, rows):
        """C: how many of the k nearest rows have each label."""
        near = sorted(rows, key=lambda i: (np.linalg.norm(X[i] - x), i))[:k]
        return [sum(Y[i][y] for i in near) for y in range(len(Y[0]))]

    m = len(X)
    counts = []
    for i in range(m):
        without_itself = [j for j in range(m) if j != i]
        counts.append(count(X[i], without_itself))
    counts = np.array(counts)

    posteriors = np.empty((len(new), Y.shape[1]))
    for (i, x), y in product(enumerate(new), range(Y.shape[1])):
        n1 = Y[:, y].sum()
        as_many = counts[:, y] == count(x, range(m))[y]
        n_with = (as_many & Y[:, y]).sum()
        n_without = (as_many & ~Y[:, y]).sum()
        prior = (s + n1) / (2 * s + m)
        likelihood = (s + n_with) / (s * (k + 1) + n1)
        prior_against = (s + m - n1) / (2 * s + m)
        likelihood_against = (s + n_without) / (s * (k + 1) + m - n1)
        joint = prior * likelihood
        joint_against = prior_against * likelihood_against
        posteriors[i, y] = joint / (joint + joint_against)
    return posteriors


def ranked_pairs(Y):
    """Example, label and missing label of each pair, and its share of the example's pairs."""
    for i, truth in enumerate(Y):
        n_pairs = truth.sum() * (~truth).sum()
        for k, j in product(np.flatnonzero(truth), np.flatnonzero(~truth)):
            yield i, k, j, 1 / n_pairs


def rank_svm_objective(K, Y, C, beta, bias):
    """Elisseeff and Weston's primal objective at f = K beta + bias, pair by pair."""
    f = K @ beta + bias
    loss = 0.0
    for i, k, j, share in ranked_pairs(Y):
        loss += share * max(0.0, 1 - f[i, k] + f[i, j])
    return np.sum(beta * (K @ beta)) / 2 + C * loss


def rank_svm(K, Y, C):
    """The same objective's least value and the f there, by a general conic solver."""
    w = cp.Variable(Y.T.shape)
    b = cp.Variable((1, Y.shape[1]))
    f = root(K) @ w.T + b
    losses = [share * cp.pos(1 - f[i, k] + f[i, j]) for i, k, j, share in ranked_pairs(Y)]
    objective = cp.sum_squares(w) / 2 + C * cp.sum(cp.hstack(losses))
    problem = cp.Problem(cp.Minimize(objective))
    return problem.solve(solver="CLARABEL"), f.value


def root(K):
    """Rows φ with K = φ φ', where rounding errors below zero in K's spectrum count as zero."""
    values, vectors = np.linalg.eigh(K)
    return vectors * np.sqrt(np.maximum(values, 0))


def adtboost_mh(X, Y, n_rounds, smoothing):
    """Root values and rules (Z, node, feature, threshold, a, b), each found by trying all."""

    def sums(inside):
        """The weights of the examples with each label, and of those without it."""
        with_label = np.sum(weights[inside] * Y[inside], axis=0)
        without_label = np.sum(weights[inside] * ~Y[inside], axis=0)
        return np.array([with_label, without_label])

    def values(inside):
        plus, minus = sums(inside) + smoothing / Y.size
        return np.log(plus / minus) / 2

    def spread(inside):
        """Σ over the labels of √(W+ W-)."""
        return np.sum(np.sqrt(np.prod(sums(inside), axis=0)))

    def candidates():
        """Each rule that splits a node, with its Z and its two parts."""
        for node, inside in enumerate(nodes):
            outside = np.sum(weights[[i for i in everybody if i not in inside]])
            for feature in range(X.shape[1]):
                for below, above in pairwise(sorted({X[i, feature] for i in inside})):
                    threshold = (below + above) / 2
                    yes = [i for i in inside if X[i, feature] <= threshold]
                    no = [i for i in inside if X[i, feature] > threshold]
                    z = outside + 2 * (spread(yes) + spread(no))
                    yield z, node, feature, threshold, yes, no

    weights = np.full(Y.shape, 1 / Y.size)
    everybody = list(range(len(Y)))
    root_values = values(everybody)
    scores = np.tile(root_values, (len(Y), 1))
    nodes = [everybody]
    rules = []
    # A label that all examples have, or none, has no weight.
    varies = Y.any(axis=0) & ~Y.all(axis=0)
    for _ in range(n_rounds):
        weights = np.exp(np.where(Y, -1, 1) * scores) / Y.size * varies
        # As in the library: the same sets tie exactly.
        weights = np.ceil(weights * 2**51) / 2**51
        best = min(candidates(), key=lambda rule: rule[0], default=None)
        if best is None:
            break
        z, node, feature, threshold, yes, no = best
        a, b = values(yes), values(no)
        rules.append((z, node, feature, threshold, a, b))
        scores[yes] += a
        scores[no] += b
        nodes += [yes, no]
    return root_values, rules


def d_miml_objective(bags, Y, phi, weights, bias, *, C, lam, mu, tau):
    """The objective of D-MimlSvm (Eq. 21 with weights tau), with phi(list of instances)."""
    T = Y.shape[1]
    loss = 0.0
    for bag, y, tau_of_bag in zip(bags, np.where(Y, 1, -1), tau, strict=True):
        features = np.array([phi(bag[j : j + 1]) for j in range(len(bag))])
        on_instances = features @ weights + bias
        on_bag = phi(bag) @ weights + bias
        hinge = np.maximum(0.0, 1 - y * on_bag)
        difference = abs(on_bag - on_instances.max(axis=0))
        loss += np.sum(tau_of_bag * hinge + lam * difference)
    norms = np.sum(weights**2) / (2 * T)
    norm_of_sum = np.sum(weights.sum(axis=1) ** 2)
    return norms + mu / T**2 * norm_of_sum + C / T * loss


def d_miml_convex(K, sizes, Y, tau, rho, *, gamma, lam, mu):
    """Minimum of Eq. 24 as printed: K on the bags, then on all instances; alpha and slacks."""
    m, T = Y.shape
    y = np.where(Y, 1, -1)
    starts = m + np.concatenate([[0], np.cumsum(sizes)[:-1]])
    alpha = cp.Variable((len(K), T))
    b = cp.Variable(T)
    xi = cp.Variable((m, T))
    delta = cp.Variable((m, T))
    constraints = [xi >= 0]
    for i, t in np.ndindex(m, T):
        on_bag = K[i] @ alpha[:, t]
        constraints += [y[i, t] * (on_bag + b[t]) >= 1 - xi[i, t]]
        mean = 0
        for j in range(starts[i], starts[i] + sizes[i]):
            on_instance = K[j] @ alpha[:, t]
            constraints += [on_instance - delta[i, t] <= on_bag]
            mean += rho[j - m, t] * on_instance
        constraints += [on_bag - mean <= delta[i, t]]
    # 1/(2T) sum_t alpha_t' K alpha_t + mu/T^2 1'A'KA1 in one piece, convex for mu > -1/2.
    form = np.linalg.cholesky(np.eye(T) / T + 2 * mu / T**2 * np.ones((T, T)))
    norms = cp.sum_squares(root(K).T @ alpha @ form) / 2
    losses = cp.sum(cp.multiply(tau, xi)) + lam * cp.sum(delta)
    objective = norms + gamma / (m * T) * losses
    problem = cp.Problem(cp.Minimize(objective), constraints)
    return problem.solve(solver="CLARABEL")


def hinge_minimum(Z, y, C, offsets=None):
    """Least ½||w||² + Σ_g C_g max(0, max_{i in g} 1 - y_i f(z_i)) for f(z) = <w, z> + b, and f.

    Without offsets each example is a group g of its own.
    """
    w = cp.Variable(Z.shape[1])
    b = cp.Variable()
    f = Z @ w + b
    losses = 1 - cp.multiply(np.where(y, 1.0, -1.0), f)
    if offsets is not None:
        groups = [losses[begin:end] for begin, end in pairwise(offsets)]
        losses = cp.hstack([cp.max(group) for group in groups])
    total = cp.sum(cp.multiply(C, cp.pos(losses)))
    problem = cp.Problem(cp.Minimize(cp.sum_squares(w) / 2 + total))
    return problem.solve(solver="CLARABEL"), f.value


def pair_svm(features, label_kernel, offset_kernel, targets, costs):
    """Least ½||f||² + Σ C max(0, 1 - g (f + b)) over all pairs at once, and the f + b there."""
    ones = np.ones((len(targets), len(targets)))
    K = np.kron(features @ features.T, label_kernel) + np.kron(ones, offset_kernel)
    least, f = hinge_minimum(root(K), targets.ravel() > 0, costs.ravel())
    return least, f.reshape(targets.shape)


def miml_boost(bags, Y, n_rounds, learn):
    """Table 6 as printed: scores of every bag and label, and how many rounds were kept.

    ``learn(pairs, labels, weights)`` gives h of one pair (instance, index of a label).
    """

    def reweighted(c, W, e):
        """The weights after a round with multiplier c, not yet divided by their sum."""
        return [w * math.exp((2 * share - 1) * c) for w, share in zip(W, e, strict=True)]

    def loss(c, W, e):
        return sum(reweighted(c, W, e))

    transformed = []
    for X, labels in zip(bags, Y, strict=True):
        for v, has_label in enumerate(labels):
            pairs = [(x, v) for x in X]
            transformed.append((pairs, 1 if has_label else -1))

    W = [1 / len(transformed)] * len(transformed)
    rounds = []
    for _ in range(n_rounds):
        instances = []
        for (B, g), w in zip(transformed, W, strict=True):
            instances += [(pair, g, w / len(B)) for pair in B]
        h = learn(*zip(*instances, strict=True))
        e = [sum(h(pair) != g for pair in B) / len(B) for B, g in transformed]
        if all(share < 0.5 for share in e):
            break

        c = minimize_scalar(loss, bracket=(0, 1), args=(W, e), tol=1e-12).x
        if c <= 0:
            break
        rounds.append((c, h))
        W = reweighted(c, W, e)
        W = [w / sum(W) for w in W]

    scores = []
    for B, _ in transformed:
        votes = [c * h(pair) for pair in B for c, h in rounds]
        scores.append(sum(votes) / len(B))
    return np.reshape(scores, Y.shape), len(rounds)
