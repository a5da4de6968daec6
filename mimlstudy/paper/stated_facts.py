"""What the paper states beside its results: facts of its data, and of D-MimlSvm's constraints."""

import numpy as np

from mimlstudy.engine.trials import Experiment, Measure, Part, RandomSplits
from mimlstudy.paper.section5 import BASE_SETTING, FEW_SPLITS
from mimlstudy.paper.section6 import YAHOO
from mimlstudy.paper.section7 import FIVE_SETS

COUNTED_FACTS = (
    "n_examples",
    "n_training",
    "n_instances",
    "n_features",
    "n_labels",
    "n_positive",
    "n_negative",
)
FACT_COLUMNS = (
    *COUNTED_FACTS,
    "multi_label",
    "mean_labels",
    "std_labels",
    "least_size",
    "mean_size",
    "largest_size",
)
RANGES_OF_FACTS = (
    ("multi_label", 0, 100),
    ("mean_labels", 0, np.inf),
    ("std_labels", 0, np.inf),
    ("least_size", 0, np.inf),
    ("mean_size", 0, np.inf),
    ("largest_size", 0, np.inf),
)
CONSTRAINTS = ("n_constraints", "n_binding")
BINDS = 0.01  # of a hinge loss of 1: closer than that, a constraint holds with equality


def data_facts(estimator, dataset, train, test) -> list[dict]:
    """Numbers of a data set that the paper states; nothing is fitted.

    n_training: examples that the source gives for training; all if it gives no split. multi_label:
    % of the examples that have several labels. n_positive, n_negative: examples with and without
    the first label. Sizes are numbers of instances of a bag; vectors are one.
    """
    Y = np.asarray(dataset.labels).reshape(len(dataset), -1)
    # A data set of vectors is one of bags with one instance each.
    vectors = getattr(dataset.X, "instances", dataset.X)
    sizes = getattr(dataset.X, "sizes", np.ones(len(dataset)))
    labels_of_example = Y.sum(axis=1)
    is_positive = Y[:, 0]
    has_several = labels_of_example > 1
    facts = {
        "n_examples": len(dataset),
        "n_training": dataset.n_train or len(dataset),
        "n_instances": sizes.sum(),
        "n_features": vectors.shape[1],
        "n_labels": Y.shape[1],
        "n_positive": is_positive.sum(),
        "n_negative": (~is_positive).sum(),
        "multi_label": 100 * has_several.mean(),
        "mean_labels": labels_of_example.mean(),
        "std_labels": labels_of_example.std(),
        "least_size": sizes.min(),
        "mean_size": sizes.mean(),
        "largest_size": sizes.max(),
    }
    return [facts]


def binding_constraints(estimator, dataset, train, test) -> list[dict]:
    """How many constraints of Eq. 24 hold with equality after a fit of D-MimlSvm.

    Of each label and bag: the margin of the bag, with its ξ >= 0; f(x) - f(X) <= δ for each of its
    instances; and f(X) - max f(x) <= δ. ξ and δ are the least that they allow.
    """
    bags, Y = dataset.X[train], dataset.Y[train]
    pipeline = estimator.fit(bags, Y)
    for step in pipeline[:-1]:
        bags = step.transform(bags)
    fitted = pipeline[-1]
    of_bags = fitted.decision_function(bags)  # (n_bags, n_labels)
    of_instances = fitted.instance_scores(bags)  # (n_instances, n_labels)
    highest = bags.max(of_instances)
    delta = np.abs(highest - of_bags)
    loss = 1 - np.where(Y, 1, -1) * of_bags
    owner = bags.bag_of_instance
    slack_of_instances = delta[owner] + of_bags[owner] - of_instances
    slack_of_bags = delta - (of_bags - highest)
    # A margin binds also where the loss is positive: ξ takes up what is missing.
    n_binding = (loss >= -BINDS).sum()
    n_binding += (loss <= BINDS).sum()  # ξ is 0
    n_binding += (slack_of_instances <= BINDS).sum()
    n_binding += (slack_of_bags <= BINDS).sum()
    n_constraints = 3 * of_bags.size + of_instances.size
    return [{"n_constraints": n_constraints, "n_binding": n_binding}]


WHOLE = RandomSplits(1, train=1.0)
NO_METHOD = {"as in the files": None}
OF_DATA = Part(("scene", "reuters", "yeast", *YAHOO, *FIVE_SETS), WHOLE, NO_METHOD)
OF_CONSTRAINTS = tuple(
    Part((f"{name}:30%",), FEW_SPLITS.first(3), {"D-MimlSvm": setting})
    for name, setting in BASE_SETTING.items()
)
STATED_FACTS = (
    Experiment(
        "data_facts",
        "Facts of the data",
        (OF_DATA,),
        Measure(data_facts, FACT_COLUMNS, counts=COUNTED_FACTS, ranges=RANGES_OF_FACTS),
    ),
    Experiment(
        "constraints",
        "Constraints of D-MimlSvm",
        OF_CONSTRAINTS,
        Measure(binding_constraints, CONSTRAINTS, counts=CONSTRAINTS),
    ),
)
