"""Explanations: their sums, their sources, and planted instances to find."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from mimlpaper import DMimlSvm, MimlBoost, MimlNn, MimlSvm, MimlSvmMi, MiSvmInstance, MlSvm
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
]
OTHER_KERNELS = [
    MimlSvm(kernel="linear", random_state=0),
    MimlSvm(kernel="poly", gamma=0.5, random_state=0),
]


def test_shares_by_hand():
    """Bag {0, 5} and the medoids {1} and {9} of a line, with weights 2 and -1 for a label.

    To 1 the bag's farthest instance is 5, distance 4; to 9 it is 0, distance 9. So 5 gets
    2 · 4 and 0 gets -1 · 9. The bag {9, 2} is at distance 8 from {1}, by its 9, and at
    distance 7 from {9}, by its 2.
    """
    learner = MimlNn(ratio=1.0).fit([[[1.0]], [[9.0]]], [[1], [0]])
    medoids = learner.medoid_map_.medoids_.instances
    # In the order in which the search has left the medoids.
    learner.weights_ = np.where(medoids == 1.0, 2.0, -1.0)
    shares = explain(learner, [[[0.0], [5.0]], [[9.0], [2.0]]])
    assert shares.ravel().tolist() == [-9.0, 8.0, 16.0, -7.0]


def test_the_farthest_by_hand():
    """From {0, 2} to {0, 2, 9} the distance is that of 9 to the bag: its neighbour 2 has it."""
    bag = Bags.from_list([[[0.0], [2.0]]])
    medoid = Bags.from_list([[[0.0], [2.0], [9.0]]])
    assert _farthest(bag, medoid).tolist() == [[1]]


def test_the_farthest_realise_the_distances(bags):
    medoids = bags[:7]
    places = _farthest(bags, medoids)  # (n_bags, n_medoids)
    distances = max_hausdorff(bags, medoids)
    bag_of_place = bags.bag_of_instance[places]
    assert (bag_of_place == np.arange(30)[:, None]).all()
    for i, k in np.ndindex(places.shape):
        farthest = bags.instances[places[i, k]]
        to_medoid = np.linalg.norm(medoids[k] - farthest, axis=1)
        assert np.isclose(to_medoid, distances[i, k]).any()


def score_of_nothing(learner):
    """The score of a bag at distance 0 from all medoids."""
    if isinstance(learner, MimlNn):
        return 0.0
    n_medoids = len(learner.medoid_map_.medoid_indices_)
    return learner.classifier_.decision_function(np.zeros((1, n_medoids)))


@pytest.mark.parametrize(
    "learner",
    [*MEASURE_DISTANCES, *OTHER_KERNELS],
    ids=repr,
)
def test_shares_sum_to_the_score(bags, labels, learner):
    """Except for the score of a bag at distance 0 from all medoids; a constant label has none."""
    labels[:, 1] = True
    with pytest.warns(UserWarning, match="one class only"):
        learner.fit(bags, labels)
    shares = explain(learner, bags)
    scores = learner.decision_function(bags)
    expected = scores - score_of_nothing(learner)
    assert bags.sum(shares) == pytest.approx(expected, abs=1e-6)
    if isinstance(learner, MimlSvm):
        has_no_shares = (shares == 0).all(axis=0)
        assert has_no_shares.tolist() == [False, True, False, False]


@pytest.fixture
def planted(rng):
    """Bags of four points near the origin; label l moves its point l by 8 along axis l."""
    points = rng.standard_normal((60, 4, 2))
    Y = rng.random((60, 2)) < 0.5
    for label in range(2):
        points[Y[:, label], label, label] += 8.0
    return Bags.from_list(points), Y


@pytest.mark.parametrize(
    "learner",
    [*SCORE_INSTANCES, *MEASURE_DISTANCES],
    ids=repr,
)
def test_planted_instances_are_found(planted, learner):
    """One in four is chance; distances, which see bags as wholes, do not find every one."""
    bags, Y = planted
    scaler = OnInstances(MinMaxScaler())
    pipeline = make_pipeline(scaler, learner).fit(bags, Y)
    reasons = explain(pipeline, list(bags))
    if learner in SCORE_INSTANCES:
        expected = learner.instance_scores(scaler.transform(bags))
        assert np.array_equal(reasons, expected)

    by_bag = reasons.reshape(60, 4, 2)
    for label in range(2):
        with_label = by_bag[Y[:, label], :, label]
        share_found = np.mean(with_label.argmax(axis=1) == label)
        assert share_found > 0.8


def test_pipelines_and_searches_are_seen_through(bags, labels):
    pipeline = make_pipeline(
        OnInstances(MinMaxScaler()),
        MimlNn(random_state=0),
    )
    grid = {"mimlnn__ratio": [0.4]}
    search = HoldOut(pipeline, grid, random_state=0)
    search.fit(bags, labels)
    scaler, learner = search.best_estimator_
    scaled = scaler.transform(bags)
    expected = explain(learner, scaled)
    assert np.array_equal(explain(search, bags), expected)
    assert np.array_equal(explain(search.best_estimator_, bags), expected)
    learner_alone = make_pipeline(learner)
    assert np.array_equal(explain(learner_alone, scaled), expected)
    nested = make_pipeline(pipeline).fit(bags, labels)
    assert np.array_equal(explain(nested, bags), expected)


def test_telling_features_of_a_linear_learner(bags, labels):
    """f(x) = <w, x> + b falls by w_j x_j without feature j, whatever the other instances are."""
    learner = MimlSvmMi(
        kernel="linear",
        C=1.0,
        max_alternations=2,
        random_state=0,
    )
    learner.fit(bags, labels)
    origin = np.zeros((1, 3))
    at_origin = explain(learner, [origin])
    at_unit_vectors = explain(learner, [np.eye(3)])
    w = at_unit_vectors - at_origin  # (n_features, n_labels)

    bag = np.array([[1.0, 0.0, 2.0], [0.5, 3.0, 0.0]])
    for i, x in enumerate(bag):
        losses = telling_features(learner, bag, i)
        assert losses == pytest.approx(w * x[:, None])
    assert (telling_features(learner, origin, 0) == 0).all()


def learner_on_other_distances():
    return MimlNn(metric=max_hausdorff, random_state=0)


def learner_on_means():
    return make_pipeline(MeanInstances(), MlSvm())


@pytest.mark.parametrize(
    "make_learner",
    [learner_on_other_distances, learner_on_means],
)
def test_other_learners_by_what_the_bag_loses(bags, labels, make_learner):
    """A single instance has the scores themselves."""
    learner = make_learner().fit(bags, labels)
    scores = learner.decision_function(bags)
    expected = []
    for bag, score in zip(bags, scores, strict=True):
        if len(bag) == 1:
            expected.append(score)
            continue
        for i in range(len(bag)):
            rest = np.delete(bag, i, axis=0)
            score_of_rest = learner.decision_function([rest])[0]
            expected.append(score - score_of_rest)
    assert np.allclose(explain(learner, bags), expected)


def test_what_cannot_be_explained(bags, labels):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        explain(MimlSvm(), bags)
    learner = MimlNn().fit(bags, labels)
    with pytest.raises(ValueError, match="X has 2 features"):
        explain(learner, [np.ones((2, 2))])


def test_shares_of_a_narrow_kernel_sum_to_the_score(rng):
    bags = Bags.from_list([rng.normal(size=(rng.integers(2, 6), 40)) for _ in range(30)])
    labels = rng.random((30, 2)) > 0.5
    learner = MimlSvm(gamma=1.0, random_state=0).fit(bags, labels)
    z = learner.medoid_map_.transform(bags)
    at_zero = learner.classifier_.decision_function(np.zeros((1, z.shape[1])))
    of_bags = learner.decision_function(bags) - at_zero
    assert np.abs(bags.sum(explain(learner, bags)) - of_bags).max() < 1e-10


def test_telling_features_know_columns_by_name(bags, labels):
    tables = [pd.DataFrame(bag, columns=list("abcde")[: bags.n_features]) for bag in bags]
    learner = MimlSvmMi(random_state=0).fit(tables, labels)
    expected = telling_features(learner, tables[0], 0)
    assert expected.shape == (bags.n_features, labels.shape[1])
    with pytest.raises(ValueError, match="feature names"):
        telling_features(learner, tables[0].iloc[:, ::-1], 0)
    for strange in (-1, len(bags[0]), 0.0, "0", None):
        with pytest.raises(
            ValueError, match=r"instance must be from 0 to .*, as an integer, got"
        ):
            telling_features(learner, tables[0], strange)


def test_features_of_a_learner_of_one_label(bags, labels):
    learner = MiSvmInstance(random_state=0).fit(bags, labels[:, 0])
    assert telling_features(learner, bags[0], 0).shape == (bags.n_features, 1)


def test_telling_features_of_a_bag_with_missing_values(bags, labels):
    """The pipeline imputes them: setting one to 0 takes the mean away that stands for it."""
    instances = bags.instances.copy()
    instances[::4, 1] = np.nan
    gaps = bags.with_instances(instances)
    learner = MimlSvmMi(kernel="linear", max_alternations=2, random_state=0)
    pipeline = make_pipeline(OnInstances(SimpleImputer()), learner).fit(gaps, labels)
    bag = gaps[0]
    assert np.isnan(bag[0, 1])
    means = pipeline[0].transformer_.statistics_
    imputed = np.where(np.isnan(bag), means, bag)
    falls = telling_features(pipeline, bag, 0)
    assert falls == pytest.approx(telling_features(learner, imputed, 0))
    assert falls[1].any()


class Explaining(MimlNn):
    """A learner of a user's, whose explanations are an array."""

    def explain(self, X):
        return np.full((X.n_instances, self.n_labels_), 7.0)


def test_an_own_explanation_may_be_an_array(bags, labels):
    learner = Explaining(random_state=0).fit(bags, labels)
    assert (explain(learner, bags) == 7).all()
