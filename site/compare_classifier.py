"""MimlClassifier beside each of its candidates on ten data sets: build/classifier.csv.

    python site/compare_classifier.py [SPLITS]

Each split trains on at most 150 bags, drawn at random, and tests on at most 300 of the others.
A row is a learner on a split. Printed are means over the splits, and mean ranks over the data sets.
"""

import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mimlpaper import Bags, MimlClassifier, OnInstances
from mimlpaper.classifier import CANDIDATES
from mimlpaper.datasets import load
from mimlpaper.metrics import area_under_curve, average_precision, hamming_loss

NAMES = (
    "digits", "hja", "letter_frost", "letter_carroll", "elephant", "fox", "musk1", "scene",
    "reuters", "synthetic_scene",
)  # fmt: skip
MOST = 150, 300


def bags_and_labels(name):
    if name != "digits":
        data = load(name)
        return data.X, data.labels.reshape(len(data), -1)
    X, digits = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    order = rng.permutation(len(X))
    bags = Bags(X[order], np.append(np.arange(0, len(X) - 4, 3), len(X)))
    return bags, bags.max(digits[order][:, None] == np.arange(10))


def main(n_splits):
    rows = []
    for name in NAMES:
        X, Y = bags_and_labels(name)
        Y = Y[:, Y.any(axis=0) & ~Y.all(axis=0)]
        measure = average_precision if Y.shape[1] > 1 else area_under_curve
        for split in range(n_splits):
            order = np.random.default_rng(split).permutation(len(X))
            n_train = min(MOST[0], 2 * len(X) // 3)
            train, test = order[:n_train], order[n_train:][: MOST[1]]
            learners = {"MimlClassifier": MimlClassifier(random_state=split, time_budget=120)}
            for other, learner in CANDIDATES.items():
                seeded = clone(learner).set_params(random_state=split)
                learners[other] = make_pipeline(OnInstances(MinMaxScaler()), seeded)
            for learner, estimator in learners.items():
                start = time.perf_counter()
                fitted = estimator.fit(X[train], Y[train])
                seconds = time.perf_counter() - start
                scores, predicted = fitted.decision_function(X[test]), fitted.predict(X[test])
                value, loss = measure(Y[test], scores), hamming_loss(Y[test], predicted)
                chosen = getattr(fitted, "chosen_", "")
                rows.append([name, split, learner, value, loss, seconds, chosen, predicted.std()])
        columns = ["set", "split", "learner", "value", "loss", "seconds", "chosen", "spread"]
        table = pd.DataFrame(rows, columns=columns)
        Path("build").mkdir(exist_ok=True)
        table.to_csv("build/classifier.csv", index=False)
    means = table.groupby(["set", "learner"], sort=False).mean(numeric_only=True)
    values, losses = (means[name].unstack() for name in ("value", "loss"))
    print(values.round(3).to_string(), losses.round(3).to_string(), sep="\n")
    ranks = [
        (-values).rank(axis=1).mean(),
        losses.rank(axis=1).mean(),
        means["seconds"].unstack().mean(),
    ]
    print(pd.DataFrame(ranks, ["rank by value", "rank by loss", "seconds"]).T.round(2).to_string())


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
