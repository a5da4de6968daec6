"""Slow, obvious versions of what the library does fast."""

import math
from itertools import pairwise, product

import cvxpy as cp
import numpy as np
from scipy.optimize import minimize_scalar


def criteria(Y, scores, predicted):
    """The seven criteria of Section 4.3.1, read off their formulas."""
    losses = "hamming_loss", "one_error", "coverage", "ranking_loss"
    found = {name: [] for name in (*losses, "average_precision", "average_recall")}
    for truth, score, guess in zip(Y, scores, predicted, strict=True):
        true = [y for y in range(len(truth)) if truth[y]]
        false = [y for y in range(len(truth)) if not truth[y]]
        rank = {y: sum(score[z] >= score[y] for z in range(len(truth))) for y in range(len(truth))}
        found["hamming_loss"].append(sum(truth[y] != guess[y] for y in rank) / len(truth))
        if true:
            found["one_error"].append(any(score[y] == max(score) for y in false))
            found["coverage"].append(max(rank[y] for y in true) - 1)
            precisions = [sum(rank[z] <= rank[y] for z in true) / rank[y] for y in true]
            found["average_precision"].append(sum(precisions) / len(true))
            n_recalled = sum(rank[y] <= sum(guess) for y in true)
            found["average_recall"].append(n_recalled / len(true))
        if true and false:
            wrong = sum(score[y] <= score[z] for y in true for z in false)
            found["ranking_loss"].append(wrong / (len(true) * len(false)))
    mean = {name: sum(values) / len(values) for name, values in found.items()}
    precision, recall = mean["average_precision"], mean["average_recall"]
    return mean | {"average_f1": 2 * precision * recall / (precision + recall)}


def ml_knn(X, Y, new, k, s):
    """Ml-kNN's posterior P(H1 | E_C), by loops over the frequencies of the paper."""

    def count(x, rows):
        near = sorted(rows, key=lambda i: (np.linalg.norm(X[i] - x), i))[:k]
        return [sum(Y[i][y] for i in near) for y in range(len(Y[0]))]

    m = len(X)
    counts = np.array([count(X[i], [j for j in range(m) if j != i]) for i in range(m)])
    posteriors = np.empty((len(new), Y.shape[1]))
    for (i, x), y in product(enumerate(new), range(Y.shape[1])):
        n1, as_many = Y[:, y].sum(), counts[:, y] == count(x, range(m))[y]
        with_c, without_c = (as_many & Y[:, y]).sum(), (as_many & ~Y[:, y]).sum()
        for_label = (s + n1) / (2 * s + m) * (s + with_c) / (s * (k + 1) + n1)
        against = (s + m - n1) / (2 * s + m) * (s + without_c) / (s * (k + 1) + m - n1)
        posteriors[i, y] = for_label / (for_label + against)
    return posteriors


def ranked_pairs(Y):
    """Example, label and missing label of each pair, and its share of the example's pairs."""
    for i, truth in enumerate(Y):
        for k, j in product(np.flatnonzero(truth), np.flatnonzero(~truth)):
            yield i, k, j, 1 / (truth.sum() * (~truth).sum())


def rank_svm_objective(K, Y, C, beta, bias):
    """Elisseeff and Weston's primal objective at f = K beta + bias, pair by pair."""
    f = K @ beta + bias
    loss = sum(share * max(0.0, 1 - f[i, k] + f[i, j]) for i, k, j, share in ranked_pairs(Y))
    return np.sum(beta * (K @ beta)) / 2 + C * loss


def rank_svm(K, Y, C):
    """The same objective's least value and the f there, by a general conic solver."""
    w, b = cp.Variable(Y.T.shape), cp.Variable((1, Y.shape[1]))
    f = root(K) @ w.T + b
    losses = [share * cp.pos(1 - f[i, k] + f[i, j]) for i, k, j, share in ranked_pairs(Y)]
    problem = cp.Problem(cp.Minimize(cp.sum_squares(w) / 2 + C * cp.sum(cp.hstack(losses))))
    return problem.solve(solver="CLARABEL"), f.value


def root(K):
    """Rows φ with K = φ φ', where rounding errors below zero in K's spectrum count as zero."""
    values, vectors = np.linalg.eigh(K)
    return vectors * np.sqrt(np.maximum(values, 0))


def adtboost_mh(X, Y, n_rounds, smoothing):
    """Root values and rules (Z, node, feature, threshold, a, b), each found by trying all."""

    def sums(inside):
        """The weights of the examples with each label, and of those without it."""
        return np.array([np.sum(weights[inside] * (Y[inside] == has), axis=0) for has in (1, 0)])

    def values(inside):
        plus, minus = sums(inside) + smoothing / Y.size
        return np.log(plus / minus) / 2

    weights, everyone = np.full(Y.shape, 1 / Y.size), list(range(len(Y)))
    root = values(everyone)
    scores, nodes, rules = np.tile(root, (len(Y), 1)), [everyone], []
    for _ in range(n_rounds):
        weights = np.exp(np.where(Y, -1, 1) * scores) / Y.size * (Y.any(axis=0) & ~Y.all(axis=0))
        weights = np.ceil(weights * 2**51) / 2**51  # as in the library: the same sets tie exactly
        best = (math.inf,)
        for node, inside in enumerate(nodes):
            outside = np.sum(weights[[i for i in everyone if i not in inside]])
            for feature in range(X.shape[1]):
                for below, above in pairwise(sorted({X[i, feature] for i in inside})):
                    threshold = (below + above) / 2
                    yes = [i for i in inside if X[i, feature] <= threshold]
                    no = [i for i in inside if X[i, feature] > threshold]
                    roots = [np.sqrt(np.prod(sums(part), axis=0)) for part in (yes, no)]
                    z = outside + 2 * np.sum(roots)
                    if z < best[0]:
                        best = (z, node, feature, threshold, yes, no)
        if best[0] == math.inf:
            break
        *rule, yes, no = best
        rules.append((*rule, values(yes), values(no)))
        scores[yes] += rules[-1][-2]
        scores[no] += rules[-1][-1]
        nodes += [yes, no]
    return root, rules


def d_miml_objective(bags, Y, phi, weights, bias, *, C, lam, mu, tau):
    """The objective of D-MimlSvm (Eq. 21 with weights tau), with phi(list of instances)."""
    T, loss = Y.shape[1], 0.0
    for bag, y, own_tau in zip(bags, np.where(Y, 1, -1), tau, strict=True):
        instances = np.array([phi(bag[j : j + 1]) for j in range(len(bag))]) @ weights + bias
        on_bag, highest = phi(bag) @ weights + bias, instances.max(axis=0)
        loss += np.sum(own_tau * np.maximum(0.0, 1 - y * on_bag) + lam * abs(on_bag - highest))
    norms = np.sum(weights**2) / (2 * T) + mu / T**2 * np.sum(weights.sum(axis=1) ** 2)
    return norms + C / T * loss


def d_miml_convex(K, sizes, Y, tau, rho, *, gamma, lam, mu):
    """Minimum of Eq. 24 as printed: K on the bags, then on all instances; alpha and slacks."""
    m, T = Y.shape
    y = np.where(Y, 1, -1)
    starts = m + np.concatenate([[0], np.cumsum(sizes)[:-1]])
    alpha, b = cp.Variable((len(K), T)), cp.Variable(T)
    xi, delta = cp.Variable((m, T)), cp.Variable((m, T))
    constraints = [xi >= 0]
    for i, t in np.ndindex(m, T):
        on_bag = K[i] @ alpha[:, t]
        instances = range(starts[i], starts[i] + sizes[i])
        constraints += [y[i, t] * (on_bag + b[t]) >= 1 - xi[i, t]]
        constraints += [K[j] @ alpha[:, t] - delta[i, t] <= on_bag for j in instances]
        mean = sum(rho[j - m, t] * (K[j] @ alpha[:, t]) for j in instances)
        constraints += [on_bag - mean <= delta[i, t]]
    # 1/(2T) sum_t alpha_t' K alpha_t + mu/T^2 1'A'KA1 in one piece, convex for mu > -1/2.
    form = np.linalg.cholesky(np.eye(T) / T + 2 * mu / T**2 * np.ones((T, T)))
    losses = cp.sum(cp.multiply(tau, xi)) + lam * cp.sum(delta)
    objective = cp.sum_squares(root(K).T @ alpha @ form) / 2 + gamma / (m * T) * losses
    return cp.Problem(cp.Minimize(objective), constraints).solve(solver="CLARABEL")


def hinge_minimum(Z, y, C, offsets=None):
    """Least ½||w||² + Σ_g C_g max(0, max_{i in g} 1 - y_i f(z_i)) for f(z) = <w, z> + b, and f.

    Without offsets each example is a group g of its own.
    """
    w, b = cp.Variable(Z.shape[1]), cp.Variable()
    f = Z @ w + b
    losses = 1 - cp.multiply(np.where(y, 1.0, -1.0), f)
    if offsets is not None:
        losses = cp.hstack([cp.max(losses[begin:end]) for begin, end in pairwise(offsets)])
    objective = cp.sum_squares(w) / 2 + cp.sum(cp.multiply(C, cp.pos(losses)))
    return cp.Problem(cp.Minimize(objective)).solve(solver="CLARABEL"), f.value


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
    transformed = [
        ([(x, v) for x in X], 1 if has else -1)
        for X, labels in zip(bags, Y, strict=True)
        for v, has in enumerate(labels)
    ]
    W = [1 / len(transformed)] * len(transformed)
    rounds = []
    for _ in range(n_rounds):
        weighted = zip(transformed, W, strict=True)
        instances = [(pair, g, w / len(B)) for (B, g), w in weighted for pair in B]
        h = learn(*zip(*instances, strict=True))
        e = [sum(h(pair) != g for pair in B) / len(B) for B, g in transformed]
        if all(share < 0.5 for share in e):
            break

        def loss(c, W=W, e=e):
            return sum(w * math.exp((2 * share - 1) * c) for w, share in zip(W, e, strict=True))

        c = minimize_scalar(loss, bracket=(0, 1), tol=1e-12).x
        if c <= 0:
            break
        rounds.append((c, h))
        W = [w * math.exp((2 * share - 1) * c) for w, share in zip(W, e, strict=True)]
        W = [w / sum(W) for w in W]
    scores = [sum(c * h(pair) for pair in B for c, h in rounds) / len(B) for B, _ in transformed]
    return np.reshape(scores, Y.shape), len(rounds)
