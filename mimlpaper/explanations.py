"""Which instance of a bag brings which label, and which of its features matter."""

from numbers import Integral

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import erf
from sklearn.pipeline import Pipeline
from sklearn.utils.extmath import row_norms
from sklearn.utils.validation import check_is_fitted

from mimlpaper.algorithms.mimlnn import MimlNn
from mimlpaper.algorithms.mimlsvm import MimlSvm
from mimlpaper.bags import Bags
from mimlpaper.base import check_bags
from mimlpaper.distances import check_memory
from mimlpaper.kernels import kernel_matrix
from mimlpaper.metrics import scores_of

N_NODES = 16  # of the quadrature along the path from z = 0


def explain(estimator, X) -> np.ndarray:
    """Score of every instance for every label; within a bag, the highest brings the label.

    A learner with ``instance_scores``, or MimlClassifier with its ``explain``, gives them itself.
    MimlSvm and MimlNn know a bag by its distances z_k = d_H(X, M_k) to medoids. Each is the
    distance of *one* instance of X, which gets the integrated gradient z_k ∫ ∂h_y/∂z_k (t z) dt,
    0 <= t <= 1: over a bag the scores of a label sum to h_y(z) - h_y(0). For other learners, and
    for these two with a ``metric`` other than "max_hausdorff", an instance gets what the scores of
    its bag lose without it. An instance that is alone in its bag gets the bag's scores.
    Probabilities stand for scores where a learner of scikit-learn has none.

    ``estimator`` is a fitted learner of bags, or a pipeline or search that ends in one; X are the
    bags as it takes them. Returns (n_instances, n_labels), or (n_instances,) for a learner of one
    label.

    Source: Sundararajan, Taly and Yan, Axiomatic attribution for deep networks, ICML 2017.
    """
    given = check_bags(X, allow_missing=True)
    learner, bags = _at_the_end(estimator, given)
    if hasattr(learner, "explain"):
        return np.asarray(learner.explain(bags))
    if hasattr(learner, "instance_scores"):
        return learner.instance_scores(bags)
    if isinstance(learner, (MimlNn, MimlSvm)) and learner.metric == "max_hausdorff":
        return _shares_of_distances(learner, bags)
    return _losses(estimator, given)


def telling_features(estimator, bag: np.ndarray, instance: int) -> np.ndarray:
    """How much the scores of row ``instance`` of a bag fall when one of its features is set to 0.

    For counts. ``bag`` is an array or DataFrame (n_instances, n_features), and ``instance`` counts
    from 0; ``estimator`` as in :func:`explain`. Returns (n_features, n_labels), 0 for the features
    that are 0. Missing values, as a pipeline imputes them, are no zeros. Raises ValueError if the
    bag has no such row.
    """
    given = check_bags([bag], allow_missing=True)
    bag = given[0]
    is_number = isinstance(instance, Integral) and not isinstance(instance, bool)
    if not is_number or not 0 <= instance < len(bag):
        raise ValueError(
            f"instance must be from 0 to {len(bag) - 1}, as an integer, got {instance!r}"
        )
    present = np.flatnonzero(bag[instance])
    n_present = len(present)
    n_bytes = 8 * (n_present + 1) * bag.size
    check_memory(n_bytes, "a variant of the bag for each feature", "give fewer instances of it")
    # The last variant stays whole.
    variants = np.repeat(bag[None], n_present + 1, axis=0)
    variants[np.arange(n_present), instance, present] = 0.0
    offsets = len(bag) * np.arange(n_present + 2)
    all_variants = Bags(np.concatenate(variants), offsets, given.feature_names)
    of_all = explain(estimator, all_variants).reshape(offsets[-1], -1)
    scores = of_all[instance :: len(bag)]  # (n_variants, n_labels)
    falls = np.zeros((bag.shape[1], scores.shape[1]))
    falls[present] = scores[-1] - scores[:-1]
    return falls


def _at_the_end(estimator, bags):
    """The learner within pipelines and searches, and its bags."""
    if hasattr(estimator, "best_estimator_"):
        return _at_the_end(estimator.best_estimator_, bags)
    if not isinstance(estimator, Pipeline):
        return estimator, bags
    seen = bags
    if len(estimator) > 1:
        seen = estimator[:-1].transform(bags)
    is_bags = isinstance(seen, Bags)
    if not is_bags or not np.array_equal(seen.offsets, bags.offsets):
        return estimator, bags  # instances are merged
    return _at_the_end(estimator[-1], seen)


def _losses(estimator, bags):
    """What the scores of its bag lose without each instance: (n_instances, n_labels)."""
    of_bags = scores_of(estimator, bags)
    losses = np.repeat(of_bags, bags.sizes, axis=0)
    has_company = np.repeat(bags.sizes > 1, bags.sizes)  # (n_instances,)
    if not has_company.any():
        return losses
    n_rows = int((bags.sizes * (bags.sizes - 1)).sum())
    what = f"the bags without each of their {bags.n_instances:,} instances"
    check_memory(8 * n_rows * bags.n_features, what, "explain fewer bags at once")
    without = []  # for each instance with company, its bag without it
    for bag in bags:
        if len(bag) > 1:
            without += [np.delete(bag, i, axis=0) for i in range(len(bag))]
    offsets = np.cumsum([0, *map(len, without)])
    rest = Bags(np.concatenate(without), offsets, bags.feature_names)
    losses[has_company] -= scores_of(estimator, rest)
    return losses


def _shares_of_distances(learner, bags):
    """Sum over the z_k that an instance sets, each times its mean gradient.

    Shape (n_instances, n_labels).
    """
    check_is_fitted(learner)
    medoids = learner.medoid_map_.medoids_
    z = learner.medoid_map_.transform(bags)  # (n_bags, n_medoids)
    instances = _farthest(bags, medoids).ravel()
    n_instances = bags.n_instances
    scores = np.empty((n_instances, learner.n_labels_))
    for label in range(learner.n_labels_):
        shares = z * _mean_gradient(learner, label, z)
        scores[:, label] = np.bincount(instances, shares.ravel(), n_instances)
    return scores


def _farthest(bags, medoids):
    """Row of the instance that realises the distance to each medoid: (n_bags, n_medoids)."""
    places = np.empty((len(bags), len(medoids)), np.int64)
    for i, bag in enumerate(bags):
        apart = cdist(bag, medoids.instances, "sqeuclidean")
        by_medoid = np.split(apart, medoids.offsets[1:-1], axis=1)
        for k, columns in enumerate(by_medoid):
            to_medoid = columns.min(axis=1)
            to_bag = columns.min(axis=0)
            if to_bag.max() > to_medoid.max():
                # Nearest to the medoid's farthest instance.
                places[i, k] = columns[:, to_bag.argmax()].argmin()
            else:
                places[i, k] = to_medoid.argmax()
    return places + bags.offsets[:-1, None]


def _mean_gradient(learner, label, z):
    """Mean of ∂h_y/∂z on the way from 0 to each row of z: (n_bags, n_medoids)."""
    if isinstance(learner, MimlNn):
        return np.broadcast_to(learner.weights_[:, label], z.shape)
    classifier = learner.classifier_
    svm = classifier.svms_[label]
    # A label with one class has a constant score.
    if not len(svm.support_):
        return np.zeros_like(z)
    alphas = svm.dual_coef_[0]
    support = classifier.X_fit_[svm.support_]
    if classifier.kernel == "rbf":
        return _mean_gaussian_gradient(classifier.gamma_, alphas, support, z)
    # Exact for polynomials of a degree below 2 N_NODES, on the interval [-1, 1].
    nodes, weights = np.polynomial.legendre.leggauss(N_NODES)
    mean = np.zeros_like(z)
    for node, weight in zip(nodes, weights, strict=True):
        share = (node + 1) / 2  # of the way from 0 to z
        mean += weight / 2 * _gradient(classifier, alphas, support, share * z)
    return mean


def _mean_gaussian_gradient(gamma, alphas, support, z):
    """The mean of ∂/∂z Σ_s α_s exp(-γ ||t z - z_s||²) over 0 <= t <= 1, in closed form.

    It is 2γ Σ_s α_s (z_s ∫ k dt - z ∫ t k dt). On the line t z, k is a Gaussian function of t.
    """
    products = z @ support.T  # (n_bags, n_support)
    lengths = row_norms(z, squared=True)[:, None]
    lengths = np.where(lengths > 0, lengths, 1.0)  # the share of z = 0 is 0 anyway
    middles = products / lengths  # the t that is nearest to z_s
    squares = row_norms(support, squared=True)  # (n_support,)
    heights = np.exp(-gamma * np.maximum(squares - products * middles, 0.0))
    width = np.sqrt(gamma * lengths)
    areas = erf(width * (1 - middles)) + erf(width * middles)
    integrals = heights * areas * np.sqrt(np.pi) / (2 * width)  # ∫ k dt
    fall = np.exp(-gamma * squares) - kernel_matrix(z, support, kernel="rbf", gamma=gamma)
    moments = middles * integrals + fall / (2 * gamma * lengths)  # ∫ t k dt
    return 2 * gamma * ((alphas * integrals) @ support - (moments @ alphas)[:, None] * z)


def _gradient(classifier, alphas, support, z):
    """∂/∂z of Σ_s α_s k(z, z_s) at each row of z, for a linear or polynomial kernel."""
    gamma, degree = classifier.gamma_, classifier.degree
    if classifier.kernel == "linear":
        return np.broadcast_to(alphas @ support, z.shape)
    base = gamma * z @ support.T + classifier.coef0
    slopes = alphas * base ** (degree - 1)
    return degree * gamma * slopes @ support
