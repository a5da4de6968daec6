"""Seconds of this library's learners and of other packages' on the same data, and growth.

``python tests/benchmarks/peers.py`` prints two tables: peers on 250, 1,000 and 4,000 examples with
the largest difference of results, and six learners on up to 16,000 bags. A peer that is not
installed (scikit-multilearn-ng, CVXPY) is left out. Seconds are of the processor with one BLAS
thread, the least of three fits and predictions; one at 4,000 examples and in the second table.
Nothing heavy should run beside it.

Three peers end earlier, since their next size takes too long. SciPy takes one direction of one pair
of bags in a call of Python, so that 4,000 bags are 32 million calls. CVXPY hands the solver the
whole convex program, which grows with bags times instances times labels. scikit-learn's SVC is
fitted again to all instances in each alternation of mi-SVM.

How far scores are apart is NaN for ML-kNN: the peer gives probabilities, and this library log odds.
Their signs are compared: is a label likelier than not?
"""

import argparse
import importlib.util
import time
import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
from scipy.spatial.distance import directed_hausdorff
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from mimlpaper import (
    DMimlSvm,
    MimlBoost,
    MimlNn,
    MimlSvm,
    MimlSvmMi,
    MiSvmInstance,
    MlKnn,
    MlSvm,
    NoisyOr,
)
from mimlpaper.datasets.synthetic import make_bags

SIZES = 250, 1000, 4000
GROWTH = 1000, 2000, 4000, 8000, 16000
N_TEST = 200
N_FEATURES, N_INSTANCES, N_LABELS = 20, 4, 4
LARGEST_LOOP = 1000  # bags, of SciPy, which loops over pairs
LARGEST_CONIC = 250  # bags, of CVXPY
LARGEST_SVC = 1000  # bags, of scikit-learn's SVC in mi-SVM


def vectors(n):
    """Drawn vectors and label sets, of n training examples and some for testing."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n + N_TEST, N_FEATURES))
    noise = rng.normal(scale=0.5, size=(len(X), N_LABELS))
    Y = X @ rng.normal(size=(N_FEATURES, N_LABELS)) + noise > 1.0
    return X[:n], Y[:n], X[n:]


def bags(n):
    """Drawn bags and label sets, of n training bags and some for testing."""
    X, Y = make_bags(n + N_TEST, N_INSTANCES, N_LABELS)
    return X[:n], Y[:n], X[n:]


class PairLoop:
    """Maximal Hausdorff distances by SciPy, which takes one direction of one pair."""

    def __call__(self, A, B):
        return np.array(
            [
                [max(directed_hausdorff(a, b)[0], directed_hausdorff(b, a)[0]) for b in B]
                for a in A
            ]
        )


class SkmultilearnKnn:
    """ML-kNN of scikit-multilearn-ng, which counts a training example as its own neighbour."""

    def fit(self, X, Y):
        from skmultilearn.adapt import MLkNN

        self.classifier = MLkNN(k=10).fit(X, Y.astype(int))
        return self

    def decision_function(self, X):
        return self.classifier.predict_proba(X).toarray()


class MiSvmBySvc:
    """mi-SVM's alternation with scikit-learn's SVC as its machine."""

    def fit(self, X, y):
        possible = np.repeat(y, X.sizes)
        labels, seen = possible, set()
        while labels.tobytes() not in seen:
            seen.add(labels.tobytes())
            self.machine = SVC(gamma=0.1, tol=1e-4).fit(X.instances, labels)
            scores = self.machine.decision_function(X.instances)
            labels = possible & (scores > 0)
            highest = [
                begin + scores[begin:end].argmax() for begin, end in pairwise(X.offsets)
            ]
            labels[np.array(highest)[y]] = True
        return self

    def decision_function(self, X):
        return X.max(self.machine.decision_function(X.instances))


def one_label(n):
    """Drawn bags with one label each: whether a bag has the first."""
    X, Y, new = bags(n)
    return X, Y[:, 0], new


CONVEX = dict(set_kernel="mean", tol=1e-4, rank=50, random_state=0)
# What is compared: data, this library's learner, the peer, the package it needs, largest size.
PEERS = {
    "SVC a label (scikit-learn)": (
        vectors, MlSvm(gamma=0.1), OneVsRestClassifier(SVC(gamma=0.1)), "sklearn", 4000),
    "ML-kNN (scikit-multilearn-ng)": (vectors, MlKnn(), SkmultilearnKnn(), "skmultilearn", 4000),
    "Hausdorff distances (SciPy)": (
        bags, MimlNn(random_state=0), MimlNn(metric=PairLoop(), random_state=0), "scipy",
        LARGEST_LOOP),
    "D-MimlSvm (CVXPY)": (
        bags, DMimlSvm(**CONVEX), DMimlSvm(solver="cvxpy", **CONVEX), "cvxpy", LARGEST_CONIC),
    "mi-SVM (by scikit-learn's SVC)": (
        one_label, MiSvmInstance(gamma=0.1, random_state=0), MiSvmBySvc(),
        "sklearn", LARGEST_SVC),
}  # fmt: skip

GROWING = {
    "MimlNn": MimlNn(random_state=0),
    "MimlSvm": MimlSvm(random_state=0),
    "MimlSvm_mi": MimlSvmMi(rank=100, max_alternations=3, random_state=0),
    "MimlBoost": MimlBoost(rank=100, n_rounds=10, tol=0.05, random_state=0),
    "D-MimlSvm": DMimlSvm(rank=100, random_state=0),
    "NoisyOr": NoisyOr(rank=100, random_state=0),
}


def timed(learner, X, Y, new, n_times):
    """Least seconds of a fit and a prediction, and the scores of the new examples."""
    seconds = []
    for _ in range(n_times):
        start = time.process_time()
        scores = learner.fit(X, Y).decision_function(new)
        seconds.append(time.process_time() - start)
    return min(seconds), np.asarray(scores)


def peers(sizes):
    """Seconds of each peer and of this library, and how far their scores are apart."""
    lines = []
    for name, (draw, learner, peer, package, largest) in PEERS.items():
        if importlib.util.find_spec(package) is None:
            continue
        for n in sizes:
            if n > largest:
                continue
            X, Y, new = draw(n)
            n_times = 3 if n < 4000 else 1
            ours, scores = timed(learner, X, Y, new, n_times)
            theirs, their_scores = timed(peer, X, Y, new, n_times)
            lines.append(
                (name, n, ours, theirs, theirs / ours, *_apart(scores, their_scores))
            )
            print(lines[-1], flush=True)
    columns = [
        "peer",
        "n",
        "seconds",
        "peer's seconds",
        "times",
        "scores apart",
        "signs apart",
    ]
    return pd.DataFrame(lines, columns=columns)


def _apart(scores, their_scores):
    """Largest difference of scores in units of their spread, and the share of other signs."""
    are_probabilities = their_scores.min() >= 0 > scores.min()
    decided = their_scores > (0.5 if are_probabilities else 0.0)
    difference = np.abs(scores - their_scores).max() / np.std(scores)
    if are_probabilities:
        difference = np.nan
    return difference, np.mean(decided != (scores > 0))


def growth(sizes):
    """Seconds of six learners on more and more bags."""
    table = pd.DataFrame(
        index=list(GROWING),
        columns=list(sizes),
        dtype=float,
    )
    for n in sizes:
        X, Y, new = bags(n)
        for name, learner in GROWING.items():
            table.loc[name, n], _ = timed(learner, X, Y, new, 1)
            print(name, n, round(table.loc[name, n], 2), flush=True)
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--growth", nargs="*", type=int, default=GROWTH)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    X, Y, new = bags(60)
    for learner in GROWING.values():  # compile first
        learner.fit(X, Y).decision_function(new)
    with threadpool_limits(1):
        print(peers(arguments.sizes).to_string(index=False, float_format="{:.3g}".format))
        print(growth(arguments.growth).to_string(float_format="{:.3g}".format))


if __name__ == "__main__":
    main()
