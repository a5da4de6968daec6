"""Explanations: their sums, their sources, and planted instances to find."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mimlpaper import DMimlSvm, MimlBoost, MimlNn, MimlSvm, MimlSvmMi, MlSvm
from mimlpaper.bags import Bags
from mimlpaper.distances import max_hausdorff
from mimlpaper.explanations import _farthest, explain, telling_features
from mimlpaper.preprocessing import MeanInstances, OnInstances
from mimlstudy.engine.holdouts import HoldOut

SCORE_INSTANCES = [
    MimlBoost(n_rounds=3, rank=None, random_state=0),
    MimlSvmMi(rank=None, max_alternations=2, random_state=0),
    DMimlSvm(rank=None, C=1.0, random_state=0),
]
MEASURE_DISTANCES = [
    MimlNn(random_state=0),
    MimlSvm(random_state=0),
    MimlSvm(kernel="linear", random_state=0),
    MimlSvm(kernel="poly", gamma=0.5, random_state=0),
]


def test_shares_by_hand():
    """Bag {0, 5} and the medoids {1} and {9} of a line, with weights 2 and -1 for a label.

    To 1 the bag's farthest instance is 5, distance 4; to 9 it is 0, distance 9. So 5 gets
    2 · 4 and 0 gets -1 · 9. The bag {9, 2} is at distance 8 from {1}, by its 9, and at
    distance 7 from {9}, by its 2.
    """
    fitted = MimlNn(ratio=1.0).fit([[[1.0]], [[9.0]]], [[1], [0]])
    order = np.argsort(fitted.medoid_map_.medoids_.instances[:, 0])
    fitted.weights_ = np.array([[2.0], [-1.0]])[np.argsort(order)]
    found = explain(fitted, [[[0.0], [5.0]], [[9.0], [2.0]]])
    assert found.ravel().tolist() == [-9.0, 8.0, 16.0, -7.0]


def test_the_farthest_realise_the_distances(bags):
    """From {0, 2} to {0, 2, 9} the distance is that of 9 to the bag: its neighbour 2 has it."""
    bag, medoid = (Bags.from_list([np.c_[points]]) for points in ([0.0, 2.0], [0.0, 2.0, 9.0]))
    assert _farthest(bag, medoid).tolist() == [[1]]
    others = bags[:7]
    places, distances = _farthest(bags, others), max_hausdorff(bags, others)
    assert (bags.bag_of_instance[places] == np.arange(30)[:, None]).all()
    for i, k in np.ndindex(places.shape):
        from_place = np.linalg.norm(others[k] - bags.instances[places[i, k]], axis=1)
        assert np.isclose(from_place, distances[i, k]).any()


@pytest.mark.parametrize("estimator", MEASURE_DISTANCES, ids=repr)
def test_shares_sum_to_the_score(bags, labels, estimator):
    """Except for the score of a bag at distance 0 from all medoids; a constant label has none."""
    labels[:, 1] = True
    with pytest.warns(UserWarning, match="one class only"):
        fitted = estimator.fit(bags, labels)
    z = np.zeros((1, len(fitted.medoid_map_.medoid_indices_)))
    nothing = fitted.classifier_.decision_function(z) if isinstance(fitted, MimlSvm) else 0.0
    expected, found = fitted.decision_function(bags) - nothing, explain(fitted, bags)
    assert bags.sum(found) == pytest.approx(expected, abs=1e-6)
    assert (
        isinstance(fitted, MimlNn)
        or ((found == 0).all(axis=0) == [False, True, False, False]).all()
    )


@pytest.mark.parametrize("estimator", [*SCORE_INSTANCES, *MEASURE_DISTANCES[:2]], ids=repr)
def test_planted_instances_are_found(rng, estimator):
    """Bags of four points near the origin; label l moves its point l by 8 along axis l.

    One in four is chance; distances, which see bags as wholes, do not find every one.
    """
    points, Y = rng.standard_normal((60, 4, 2)), rng.random((60, 2)) < 0.5
    for label in range(2):
        points[Y[:, label], label, label] += 8.0
    bags = Bags.from_list(points)
    model = make_pipeline(OnInstances(MinMaxScaler()), estimator).fit(bags, Y)
    scores = explain(model, list(bags))
    if estimator in SCORE_INSTANCES:
        assert np.array_equal(scores, model[-1].instance_scores(model[0].transform(bags)))
    for label in range(2):
        top = scores.reshape(60, 4, 2)[Y[:, label], :, label].argmax(axis=1)
        assert np.mean(top == label) > 0.8


def test_pipelines_and_searches_are_seen_through(bags, labels):
    pipeline = make_pipeline(OnInstances(MinMaxScaler()), MimlNn(random_state=0))
    search = HoldOut(pipeline, {"mimlnn__ratio": [0.4]}, random_state=0).fit(bags, labels)
    scaler, fitted = search.best_estimator_
    scaled = scaler.transform(bags)
    expected = explain(fitted, scaled)
    for model, X in (search, bags), (search.best_estimator_, bags), (make_pipeline(fitted), scaled):
        assert np.array_equal(explain(model, X), expected)
    assert np.array_equal(explain(make_pipeline(pipeline).fit(bags, labels), bags), expected)


def test_telling_features_of_a_linear_learner(bags, labels):
    """f(x) = <w, x> + b falls by w_j x_j without feature j, whatever the other instances are."""
    estimator = MimlSvmMi(kernel="linear", C=1.0, max_alternations=2, random_state=0)
    fitted = estimator.fit(bags, labels)
    bag = np.array([[1.0, 0.0, 2.0], [0.5, 3.0, 0.0]])
    slopes = explain(fitted, [np.vstack([np.eye(3), np.zeros((1, 3))])])
    slopes = slopes[:3] - slopes[3]  # (n_features, n_labels)
    for instance in range(2):
        found = telling_features(fitted, bag, instance)
        assert found == pytest.approx(slopes * bag[instance][:, None])
    assert (telling_features(fitted, np.zeros((1, 3)), 0) == 0).all()


def test_other_learners_by_what_the_bag_loses(bags, labels):
    """Other distances, and vectors of bags; a single instance has the scores themselves."""
    by_function = MimlNn(metric=max_hausdorff, random_state=0).fit(bags, labels)
    merged = make_pipeline(MeanInstances(), MlSvm()).fit(bags, labels)
    for fitted in by_function, merged:
        found = iter(explain(fitted, bags))
        for bag, whole in zip(bags, fitted.decision_function(bags), strict=True):
            for i in range(len(bag)):
                rest = [np.delete(bag, i, axis=0)]
                without = fitted.decision_function(rest)[0] if len(bag) > 1 else 0
                assert np.allclose(next(found), whole - without)


def test_what_cannot_be_explained(bags, labels):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        explain(MimlSvm(), bags)
    with pytest.raises(ValueError, match="X has 2 features"):
        explain(MimlNn().fit(bags, labels), [np.ones((2, 2))])
