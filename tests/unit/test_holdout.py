import json

import numpy as np
import pytest
from sklearn.model_selection import ShuffleSplit
from sklearn.pipeline import make_pipeline

from mimlpaper.baselines.mlknn import MlKnn
from mimlpaper.experiments.holdout import HoldOut
from mimlpaper.experiments.trial import _chosen
from mimlpaper.metrics import evaluate
from mimlpaper.preprocessing import SumInstances

GRID = {"mlknn__n_neighbors": [1, 3, 9]}


@pytest.mark.parametrize("criterion", ["average_precision", "ranking_loss"])
def test_keeps_what_does_best_on_the_part_held_out(bags, labels, criterion):
    pipeline = make_pipeline(SumInstances(), MlKnn())
    held = HoldOut(pipeline, GRID, criterion=criterion, random_state=5).fit(bags, labels)
    train, test = next(ShuffleSplit(1, test_size=0.25, random_state=5).split(labels))
    values = []
    for k in GRID["mlknn__n_neighbors"]:
        fitted = make_pipeline(SumInstances(), MlKnn(n_neighbors=k)).fit(bags[train], labels[train])
        scores, predicted = fitted.decision_function(bags[test]), fitted.predict(bags[test])
        values.append(evaluate(labels[test], scores, predicted)[criterion])
    assert held.holdout_values_["value"] == pytest.approx(values)
    best = np.argmin(values) if criterion == "ranking_loss" else np.argmax(values)
    assert held.best_params_ == {"mlknn__n_neighbors": GRID["mlknn__n_neighbors"][best]}
    whole = make_pipeline(SumInstances(), MlKnn(**{"n_neighbors": [1, 3, 9][best]}))
    expected = whole.fit(bags, labels).decision_function(bags)
    assert np.allclose(held.decision_function(bags), expected)
    assert json.loads(_chosen(held)) == held.best_params_


def test_unknown_criterion_is_refused(bags, labels):
    with pytest.raises(ValueError, match=r"criterion must be one of .*got 'luck'"):
        HoldOut(MlKnn(), {}, criterion="luck").fit(bags, labels)
