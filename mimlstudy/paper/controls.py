"""What only the controls need: a random forest with scores, and bags in another order."""

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from mimlpaper.bags import Bags
from mimlpaper.base import label_sets


class Forest(RandomForestClassifier):
    """A random forest with scores: how far the mean probability of a label is above one half.

    Labels are booleans. Of several, the T-Criterion makes label sets.
    """

    def decision_function(self, X) -> np.ndarray:
        """(n_examples, n_labels), or (n_examples,) for one label."""
        votes, classes = self.predict_proba(X), self.classes_
        if not isinstance(votes, list):
            return votes @ classes - 0.5
        pairs = zip(votes, classes, strict=True)
        return np.column_stack([vote @ labels for vote, labels in pairs]) - 0.5

    def predict(self, X) -> np.ndarray:
        scores = self.decision_function(X)
        return label_sets(scores, "top") if scores.ndim == 2 else scores > 0


def shuffled(bags) -> Bags:
    """The bags with the instances of each in an order drawn at random."""
    keys = np.random.default_rng(0).random(bags.n_instances)
    return bags.with_instances(bags.instances[np.lexsort([keys, bags.bag_of_instance])])
