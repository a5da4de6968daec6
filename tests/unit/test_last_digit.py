"""The last digit of the features, which another processor may round otherwise, decides nothing."""

import numpy as np
from sklearn.base import clone
from test_estimators import OF_BAGS, OF_ONE_LABEL, OF_VECTORS

import mimlpaper as miml
from mimlpaper.datasets import load_synthetic_genes, load_synthetic_texts

READINGS = [
    miml.DMimlSvm(kernel="linear", rank=None, imbalance=True, random_state=0),
    miml.MimlBoost(kernel="linear", label_code="product", n_rounds=15, rank=None, random_state=0),
]
# Long ascents, which call no BLAS; tests/check/test_processors.py compares their digits.
ASCENTS = miml.DiverseDensity, miml.EmDd
STEPWISE = miml.RankSvm(solver="frank_wolfe", linear_program="vertex", max_iter=25, degree=3)


def disturbed(features):
    """Each feature one or two units of its last place up or down."""
    places = np.random.default_rng(1).integers(-2, 3, features.shape)
    return features * (1.0 + places * np.finfo(float).eps)


def largest_change(estimator, X, Y, other):
    """Of the scores, in units of their spread."""
    scores = [clone(estimator).fit(part, Y).decision_function(part) for part in (X, other)]
    return np.abs(scores[0] - scores[1]).max() / (np.std(scores[0]) or 1.0)


def test_scores_stay_the_same():
    """On drawn texts, where many values tie exactly: equal slopes, steps of zero, empty words."""
    texts, genes = load_synthetic_texts(n_texts=80), load_synthetic_genes(n_genes=120)
    bags = texts.X.with_instances(disturbed(texts.X.instances))
    vectors = disturbed(np.asarray(genes.X))
    given = [(one, texts.X, texts.Y, bags) for one in (*OF_BAGS, *READINGS)]
    given += [(one, genes.X, genes.Y, vectors) for one in (*OF_VECTORS, STEPWISE)]
    of_one_label = [one for one in OF_ONE_LABEL if not isinstance(one, ASCENTS)]
    given += [(one, texts.X, texts.Y[:, 0], bags) for one in of_one_label]
    changes = {repr(one): largest_change(one, *data) for one, *data in given}
    assert not {name: change for name, change in changes.items() if not change < 1e-6}
