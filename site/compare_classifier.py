"""MimlClassifier beside each of its candidates on ten data sets; writes the table in guide.md.

    python site/compare_classifier.py [SPLITS]

Each split trains on at most 150 bags, drawn at random, and tests on at most 300 of the others.
A row of ``site/classifier.csv`` is a learner on a split. There is no time budget: choices do not
depend on the machine, only the seconds do.
"""

import sys
import time
import warnings

import numpy as np
import pandas as pd
from parts import HERE
from publish import write_between_marks
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mimlpaper import Bags, MimlClassifier, OnInstances
from mimlpaper.classifier import CANDIDATES
from mimlpaper.datasets import load
from mimlpaper.metrics import area_under_curve, average_precision, hamming_loss
from mimlstudy.report.tables import frame_grid, number_text

NAMES = (
    "digits",
    "hja",
    "letter_frost",
    "letter_carroll",
    "elephant",
    "fox",
    "musk1",
    "scene",
    "reuters",
    "synthetic_scene",
)
# Bags: as few as people have, and enough to tell learners apart.
MOST_TRAINING, MOST_TEST = 150, 300


def bags_and_labels(name):
    """The bags of a data set with a column for each label.

    A bag of digits has three images, the last one six.
    """
    if name != "digits":
        data = load(name)
        return data.X, data.labels.reshape(len(data), -1)
    X, digits = load_digits(return_X_y=True)
    # At random, because neighbours in the file were written by the same person.
    order = np.random.default_rng(0).permutation(len(X))
    starts = np.arange(0, len(X) - 4, 3)
    bags = Bags(X[order], np.append(starts, len(X)))
    is_digit = digits[order][:, None] == np.arange(10)  # (n_images, 10)
    return bags, bags.max(is_digit)


def splits(X, Y, n_splits):
    """The number of a split, and bags and labels of training, then of the test."""
    n_train = min(MOST_TRAINING, 2 * len(X) // 3)
    for split in range(n_splits):
        order = np.random.default_rng(split).permutation(len(X))
        train = order[:n_train]
        test = order[n_train : n_train + MOST_TEST]
        yield split, X[train], Y[train], X[test], Y[test]


def learners(split):
    """MimlClassifier, then each of its candidates as it runs them."""
    # Without a budget of time, so that choices do not depend on the machine.
    yield "MimlClassifier", MimlClassifier(random_state=split, time_budget=None)
    for name, learner in CANDIDATES.items():
        seeded = clone(learner).set_params(random_state=split)
        yield name, make_pipeline(OnInstances(MinMaxScaler()), seeded)


def compare(n_splits):
    """A row for each set, split and learner, with what MimlClassifier chose."""
    for name in NAMES:
        X, Y = bags_and_labels(name)
        # A label that all bags have, or none, cannot be learned.
        varies = Y.any(axis=0) & ~Y.all(axis=0)
        Y = Y[:, varies]
        measure = average_precision if Y.shape[1] > 1 else area_under_curve
        for split, X_train, Y_train, X_test, Y_test in splits(X, Y, n_splits):
            for learner, estimator in learners(split):
                start = time.perf_counter()
                fitted = estimator.fit(X_train, Y_train)
                seconds = time.perf_counter() - start
                scores = fitted.decision_function(X_test)
                predicted = fitted.predict(X_test)
                yield {
                    "set": name,
                    "split": split,
                    "learner": learner,
                    "value": measure(Y_test, scores),
                    "loss": hamming_loss(Y_test, predicted),
                    "seconds": round(seconds, 2),
                    "chosen": getattr(fitted, "chosen_", ""),
                    "constant": bool((predicted == predicted[0]).all()),
                }
                print(f"{name} {split} {learner} {seconds:.1f} s", flush=True)


def table_in_markdown(table):
    """The means of each learner on each set as a table in Markdown, below a caption."""
    by_learner = table.groupby(["set", "learner"], sort=False)
    means = by_learner[["value", "loss", "seconds"]].mean()
    by_set = means.unstack(sort=False)
    value, loss = by_set["value"], by_set["loss"]
    ranks_of_value = (-value).rank(axis=1).mean()
    ranks_of_loss = loss.rank(axis=1).mean()
    cells = value.map(number_text) + " / " + loss.map(number_text)
    to_tenths = "{:.1f}".format
    texts_of_value = ranks_of_value.map(to_tenths)
    cells.loc["mean rank"] = texts_of_value + " / " + ranks_of_loss.map(to_tenths)
    cells.loc["seconds a fit"] = by_set["seconds"].mean().map(to_tenths)
    caption = comparison_in_words(table, ranks_of_value, ranks_of_loss)
    return frame_grid(cells, table, caption).to_markdown().strip()


def comparison_in_words(table, ranks_of_value, ranks_of_loss):
    """How MimlClassifier, the first learner, stands to each single one, and what it chose."""
    ours = "MimlClassifier"
    best_of_value = ranks_of_value.drop(ours).min()
    best_of_loss = ranks_of_loss.drop(ours).min()
    rows = table[table["learner"] == ours]
    n_constant = rows["constant"].sum()
    counts = rows["chosen"].value_counts()
    chosen = ", ".join(f"{name} {n}" for name, n in counts.items())
    return (
        f"The mean rank of `{ours}` is {ranks_of_value[ours]:.1f} by average precision (of one "
        "label by the area under the curve) and "
        f"{ranks_of_loss[ours]:.1f} by hamming loss. The best mean ranks of a single learner are "
        f"{best_of_value:.1f} and {best_of_loss:.1f}. In {len(rows)} fits it chose these learners: "
        f"{chosen}. In {n_constant} of them it predicted the same labels for all bags."
    )


def main(n_splits):
    if n_splits < 1:
        raise SystemExit(f"the number of splits must be at least 1, got {n_splits}")
    table = pd.DataFrame(compare(n_splits))
    table.to_csv(HERE / "classifier.csv", index=False, float_format="%.6g")
    print(write_between_marks(HERE / "guide.md", "classifier", table_in_markdown(table)))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
