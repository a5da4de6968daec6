"""A method of one's own, as short as it can be: bag statistics and logistic regression.

``mimlpaper bench mimlstudy.report.example_entry:method --tables 1`` enters it into Table 1.
"""

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler


def summaries(bags):
    """Each bag as one vector: the mean and the largest value of each feature."""
    vectors = []
    for bag in bags:
        vector = [*bag.mean(axis=0), *bag.max(axis=0)]
        vectors.append(vector)
    return np.array(vectors)


def method():
    """The estimator. It has ``fit``, ``decision_function`` and ``predict``."""
    learner = OneVsRestClassifier(LogisticRegression(max_iter=1000))
    return make_pipeline(
        FunctionTransformer(summaries),
        StandardScaler(),
        learner,
    )


# With a grid it also runs with the best of these settings by hold-out.
method.param_grid = {"estimator__C": [0.01, 0.1, 1.0]}
